//! Basic blocks of the flat code, and which lanes are live after one of their operations.
//!
//! A block begins where a jump leads (a *leader*; Aho, Lam, Sethi, Ullman: Compilers, 8.4) or after an operation of control flow.
//! There is no liveness across blocks: a slot is either written in each block before that reads it, or live at the end of all.

use crate::index_vec::IndexVec;
use crate::plan::code::Plan;
use crate::plan::code::numbers::{Lane32, Pc};
use crate::plan::code::operation::{Op, compute, memory};
use crate::plan::code::roles::Slot;

/// Where jumps lead, and where functions begin; one element more than there are operations.
pub(crate) fn leaders(plan: &Plan) -> IndexVec<Pc, bool> {
    let mut leaders = IndexVec::filled(false, plan.code.len() + 1);
    plan.code.iter().copied().filter_map(Op::target).for_each(|target| leaders[target] = true);
    plan.functions.iter().for_each(|function| leaders[function.entry] = true);
    leaders
}

/// The blocks of a plan, and what they keep to themselves.
pub(crate) struct Blocks {
    pub(crate) leaders: IndexVec<Pc, bool>,
    /// Whether each block that reads a slot has written it before.
    local: IndexVec<Lane32, bool>,
}

impl Blocks {
    pub(crate) fn of(plan: &Plan) -> Blocks {
        let leaders = leaders(plan);
        let mut local = IndexVec::filled(true, plan.files.lanes32 as usize);
        plan.zeroed.lanes32.iter().for_each(|slot| local[*slot] = false);
        // For each slot, the block that has written it last. Blocks are numbered from 1.
        let mut written = IndexVec::filled(0u32, plan.files.lanes32 as usize);
        let mut block = 1;
        for pc in plan.code.numbers() {
            let op = plan.plain(pc);
            block += u32::from(leaders[pc]);
            op.reads(&plan.records, |slot| {
                if let Slot::Lane32(slot) = slot
                    && written[slot] != block
                {
                    local[slot] = false;
                }
            });
            if let Some(slot) = overwritten(plan, &op) {
                written[slot] = block;
            }
            block += u32::from(op.is_control());
        }
        Blocks { leaders, local }
    }

    /// Whether the value that a slot has at `from` may be read there or later. `look` is called for each operation that is looked at.
    pub(crate) fn is_live(&self, plan: &Plan, from: Pc, slot: Lane32, mut look: impl FnMut()) -> bool {
        for pc in from.to(plan.code.next()) {
            look();
            let op = plan.plain(pc);
            if self.leaders[pc] {
                return !self.local[slot];
            }
            let mut is_read = false;
            op.reads(&plan.records, |read| is_read |= read == Slot::Lane32(slot));
            if is_read || op.is_control() {
                return is_read || !self.local[slot];
            }
            if overwritten(plan, &op) == Some(slot) {
                return false;
            }
        }
        true
    }
}

/// The slot that an operation writes in all active lanes, if it does nothing else.
fn overwritten(plan: &Plan, op: &Op) -> Option<Lane32> {
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
