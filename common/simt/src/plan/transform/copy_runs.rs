//! Copy runs: loads each of which is followed by a store of the word that it has loaded, such as those that fill a tile.
//!
//! A run executes all pairs of one group of loads and one group of stores (see [`access_groups`](crate::plan::analysis::access_groups))
//! at once: what is known of the groups is at hand, and a word need not go through the register file. The operations stay in the
//! code; a run only skips them, and where anything is unusual they are executed one by one. Pairs with anything between load and
//! store, and words of other sizes than four bytes, are left alone.

use crate::plan::analysis::blocks::Blocks;
use crate::plan::code::Plan;
use crate::plan::code::numbers::{Lane32, Pc};
use crate::plan::code::operands::{AnyOperand, Operand32};
use crate::plan::code::operation::Op;
use crate::plan::code::superinstruction::{CopyGroup, CopyRun, LoadStorePair};

/// A pair with what it belongs to.
struct FoundPair {
    pair: LoadStorePair,
    from: CopyGroup,
    to: CopyGroup,
    dst: Lane32,
}

/// Finds the copy runs of a plan.
pub(crate) fn find_copy_runs(plan: &mut Plan) {
    let blocks = Blocks::of(plan);
    let mut begin = Pc::ENTRY;
    while let Some(first) = plan.code.get(begin).copied() {
        let Some(FoundPair { pair, from, to, dst }) = pair_at(plan, &blocks, begin) else {
            begin += 1;
            continue;
        };
        let (mut pairs, mut end) = (vec![pair], begin + 2);
        while !blocks.leaders[end]
            && let Some(next) = pair_at(plan, &blocks, end)
            && (next.from, next.to, next.dst) == (from.follower(), to.follower(), dst)
        {
            pairs.push(next.pair);
            end += 2;
        }
        let step = pairs.get(1).map_or(0, |second| second.to - pairs[0].to);
        let step = pairs.windows(2).all(|pair| pair[1].to - pair[0].to == step).then_some(step);
        let live_out = blocks.is_live(plan, end, dst, || {});
        // What is skipped next may as well be skipped now.
        let after = if let Some(Op::Skip { to }) = plan.code.get(end) { *to } else { end };
        let pairs = pairs.into();
        let run = CopyRun { first, end: after, from, to, step, dst, live_out, pairs };
        plan.code[begin] = Op::CopyRun { run: plan.copy_runs.push(run) };
        begin = end;
    }
}

impl CopyGroup {
    /// The same group for a pair after the first.
    fn follower(self) -> CopyGroup {
        CopyGroup { leads: false, ..self }
    }
}

/// The load at `pc` and the store after it, if they are a pair.
fn pair_at(plan: &Plan, blocks: &Blocks, pc: Pc) -> Option<FoundPair> {
    let (Op::Load { load } | Op::Fetch { load, .. }) = *plan.code.get(pc)? else { return None };
    let Op::Store { store } = *plan.code.get(pc + 1)? else { return None };
    let (load, store) = (&plan.records[load], &plan.records[store]);
    let (Some(Operand32::Lanes(dst)), [AnyOperand::Bits32(Operand32::Lanes(src))]) =
        (load.word(), &store.src[..])
    else {
        return None;
    };
    let (from, to) = (load.access.member?, store.access.member?);
    if store.access.bytes != 4 || *src != dst || blocks.leaders[pc + 1] {
        return None;
    }
    Some(FoundPair {
        pair: LoadStorePair { load: pc, store: pc + 1, from: from.distance, to: to.distance },
        from: CopyGroup { group: from.group, leads: from.leader },
        to: CopyGroup { group: to.group, leads: to.leader },
        dst,
    })
}
