//! Basic blocks of the flat code, and the slots whose values never leave one.
//!
//! A block begins where a jump leads (a *leader*; Aho, Lam, Sethi, Ullman: Compilers, 8.4) or behind an operation of control flow.

use crate::plan::code::Plan;
use crate::plan::code::numbers::{Lane32, Pc};
use crate::plan::code::operation::{Op, compute, memory};
use crate::plan::code::roles::Slot;
use crate::table::Table;

/// Where jumps lead, and where functions begin; one element more than there are operations.
pub(crate) fn leaders(plan: &Plan) -> Table<Pc, bool> {
    let mut leaders = Table::filled(false, plan.code.len() + 1);
    plan.code.iter().copied().filter_map(Op::target).for_each(|target| leaders[target] = true);
    plan.functions.iter().for_each(|function| leaders[function.entry] = true);
    leaders
}

/// Whether each block that reads a slot has written it before.
pub(crate) fn block_local(plan: &Plan, leaders: &Table<Pc, bool>) -> Table<Lane32, bool> {
    let mut local = Table::filled(true, plan.files.lanes32 as usize);
    plan.zeroed.lanes32.iter().for_each(|slot| local[*slot] = false);
    let mut written: Vec<Lane32> = Vec::new();
    for pc in plan.code.numbers() {
        let op = plan.plain(pc);
        if leaders[pc] {
            written.clear();
        }
        op.reads(&plan.records, |slot| {
            if let Slot::Lane32(slot) = slot
                && !written.contains(&slot)
            {
                local[slot] = false;
            }
        });
        written.extend(overwritten(plan, &op));
        if op.is_control() {
            written.clear();
        }
    }
    local
}

/// The slot that an operation writes in all active lanes, if it does nothing else.
pub(crate) fn overwritten(plan: &Plan, op: &Op) -> Option<Lane32> {
    if !matches!(op, compute!() | memory!()) {
        return None;
    }
    let (mut only, mut others) = (None, false);
    op.writes(&plan.records, |slot| match slot {
        Slot::Lane32(slot) if only.is_none() => only = Some(slot),
        _ => others = true,
    });
    only.filter(|_| !others)
}
