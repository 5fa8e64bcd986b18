//! Moves: loads each of which is followed by a store of the word that it has loaded, such as those that fill a tile.
//!
//! A move executes all pairs of one group of loads and one group of stores (see `group`) at once: what is found out for the
//! groups is at hand, and a word need not go through the register file. The operations stay in the code; a move only passes
//! over them, and where anything is unusual they are executed one by one.

use crate::plan::analysis::blocks::{starts, temporaries};
use crate::plan::code::Plan;
use crate::plan::code::operands::{NONE, Src};
use crate::plan::code::operation::Op;
use crate::plan::code::superinstruction::{Move, Pair};

/// A pair with what it belongs to.
struct Found {
    pair: Pair,
    groups: [u32; 2],
    leads: [bool; 2],
    dst: u32,
}

/// Finds the moves of a plan.
pub(crate) fn find(plan: &mut Plan) {
    let starts = starts(plan);
    let temporary = temporaries(plan, &starts);
    let mut begin = 0;
    while let Some(first) = plan.code.get(begin).copied() {
        let Some(Found { pair, groups, leads, dst }) = pair_at(plan, &starts, begin) else {
            begin += 1;
            continue;
        };
        let (mut pairs, mut end) = (vec![pair], begin + 2);
        while !starts[end]
            && let Some(next) = pair_at(plan, &starts, end)
            && (next.groups, next.leads, next.dst) == (groups, [false; 2], dst)
        {
            pairs.push(next.pair);
            end += 2;
        }
        let step = pairs.get(1).map_or(0, |second| second.to - pairs[0].to);
        let step = pairs.windows(2).all(|pair| pair[1].to - pair[0].to == step).then_some(step);
        let needed = is_needed(plan, &starts, &temporary, (end, dst));
        // Nobody needs to come to what is passed over next.
        let after = if let Some(Op::Skip { to }) = plan.code.get(end) { *to } else { end as u32 };
        plan.code[begin] = Op::Move(plan.moves.len() as u32);
        plan.moves.push(Move { first, end: after, groups, leads, step, dst, needed, pairs: pairs.into() });
        begin = end;
    }
}

/// Whether anybody reads a slot of the lane file that has a value before `pc`.
fn is_needed(plan: &Plan, starts: &[bool], temporary: &[bool], (from, slot): (usize, u32)) -> bool {
    for pc in from..plan.code.len() {
        let op = plan.plain(pc as u32);
        let mut reads = false;
        plan.reads(&op, &mut |src| reads |= src == Src::L(slot));
        if reads || starts[pc] || op.is_control() {
            return reads || !temporary[slot as usize];
        }
        if plan.overwrites(&op) == Some(slot) {
            return false;
        }
    }
    true
}

/// The load at `pc` and the store after it, if they are a pair.
fn pair_at(plan: &Plan, starts: &[bool], pc: usize) -> Option<Found> {
    let (Op::Load(load) | Op::Fetch { load, .. }) = *plan.code.get(pc)? else { return None };
    let Op::Store(store) = *plan.code.get(pc + 1)? else { return None };
    let (from, to) = (&plan.loads[load as usize], &plan.stores[store as usize]);
    let Some(Src::L(dst)) = from.word() else { return None };
    let plain = from.group != NONE && to.group != NONE && to.count == 1 && to.ty.bytes() == 4;
    if !plain || to.regs[0] != Src::L(dst) || starts[pc + 1] {
        return None;
    }
    let pair = Pair { load: pc as u32, store: pc as u32 + 1, from: from.distance, to: to.distance };
    Some(Found { pair, groups: [from.group, to.group], leads: [from.leads, to.leads], dst })
}
