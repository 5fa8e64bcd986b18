//! Copy runs: loads each of which is followed by a store of the word that it has loaded, such as those that fill a tile.
//!
//! A run executes all pairs of one group of loads and one group of stores (see [`access_groups`](crate::plan::analysis::access_groups))
//! at once: what is known of the groups is at hand, and a word need not go through the register file. The operations stay in the
//! code; a run only skips them, and where anything is unusual they are executed one by one. Pairs with anything between load and
//! store, and words of other sizes than four bytes, are left alone.

use crate::plan::analysis::blocks::{block_local, leaders, overwritten};
use crate::plan::code::Plan;
use crate::plan::code::numbers::{Lane32, Pc};
use crate::plan::code::operands::{AnyOperand, Operand32};
use crate::plan::code::operation::Op;
use crate::plan::code::roles::Slot;
use crate::plan::code::superinstruction::{CopyGroup, CopyRun, LoadStorePair};
use crate::table::Table;

/// A pair with what it belongs to.
struct FoundPair {
    pair: LoadStorePair,
    from: CopyGroup,
    to: CopyGroup,
    dst: Lane32,
}

/// Finds the copy runs of a plan.
pub(crate) fn find_copy_runs(plan: &mut Plan) {
    let leaders = leaders(plan);
    let local = block_local(plan, &leaders);
    let mut begin = Pc::ENTRY;
    while let Some(first) = plan.code.get(begin).copied() {
        let Some(FoundPair { pair, from, to, dst }) = pair_at(plan, &leaders, begin) else {
            begin += 1;
            continue;
        };
        let (mut pairs, mut end) = (vec![pair], begin + 2);
        while !leaders[end]
            && let Some(next) = pair_at(plan, &leaders, end)
            && (next.from, next.to, next.dst) == (from.follower(), to.follower(), dst)
        {
            pairs.push(next.pair);
            end += 2;
        }
        let step = pairs.get(1).map_or(0, |second| second.to - pairs[0].to);
        let step = pairs.windows(2).all(|pair| pair[1].to - pair[0].to == step).then_some(step);
        let live_out = is_live(plan, &leaders, &local, end, dst);
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

/// Whether the value that a slot has at `from` may be read there or later.
fn is_live(
    plan: &Plan,
    leaders: &Table<Pc, bool>,
    local: &Table<Lane32, bool>,
    from: Pc,
    slot: Lane32,
) -> bool {
    for pc in from.to(plan.code.next()) {
        let op = plan.plain(pc);
        let mut is_read = false;
        op.reads(&plan.records, |read| is_read |= read == Slot::Lane32(slot));
        if is_read || leaders[pc] || op.is_control() {
            return is_read || !local[slot];
        }
        if overwritten(plan, &op) == Some(slot) {
            return false;
        }
    }
    true
}

/// The load at `pc` and the store after it, if they are a pair.
fn pair_at(plan: &Plan, leaders: &Table<Pc, bool>, pc: Pc) -> Option<FoundPair> {
    let (Op::Load { load } | Op::Fetch { load, .. }) = *plan.code.get(pc)? else { return None };
    let Op::Store { store } = *plan.code.get(pc + 1)? else { return None };
    let (load, store) = (&plan.records[load], &plan.records[store]);
    let (Some(Operand32::Lanes(dst)), [AnyOperand::Bits32(Operand32::Lanes(src))]) =
        (load.word(), &store.src[..])
    else {
        return None;
    };
    let (from, to) = (load.access.member?, store.access.member?);
    if store.access.bytes != 4 || *src != dst || leaders[pc + 1] {
        return None;
    }
    Some(FoundPair {
        pair: LoadStorePair { load: pc, store: pc + 1, from: from.distance, to: to.distance },
        from: CopyGroup { group: from.group, leads: from.leader },
        to: CopyGroup { group: to.group, leads: to.leader },
        dst,
    })
}
