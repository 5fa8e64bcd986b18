//! Which values of a warp's lanes are tainted: they come from a suppressed access (see [`crate::machine::recovery`]).
//!
//! Taint follows the operations as the table of operations says who reads and writes which slot. It is not precise: a product
//! with zero is as tainted as its factors, and what lanes exchange taints them all.

use crate::machine::recovery::AccessTaint;
use crate::plan::{Op, Operands, Pc, Plan, Role, Slot};
use source::hash::Map;

/// The tainted values of a warp.
#[derive(Clone, Default)]
pub(crate) struct Taint {
    /// By slot, the lanes whose value is tainted; none without any.
    slots: Map<Slot, u32>,
    /// Lanes that have branched on a tainted value.
    pub(crate) distrusted: u32,
    /// Of the access that is being executed.
    pub(crate) access: AccessTaint,
}

impl Taint {
    /// A block begins.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.distrusted = 0;
        self.access = AccessTaint::default();
    }

    fn slot(&self, slot: Slot) -> u32 {
        self.slots.get(&slot).copied().unwrap_or(0)
    }

    /// The lanes whose values of an operand are tainted.
    pub(crate) fn of(&self, operands: &impl Operands) -> u32 {
        let mut tainted = 0;
        operands.visit(Role::Reads, &mut |_, slot| tainted |= self.slot(slot));
        tainted
    }

    /// The lanes for which an operation reads a tainted value.
    pub(crate) fn read_by(&self, plan: &Plan, op: &Op) -> u32 {
        let mut tainted = 0;
        op.visit(&plan.records, &mut |role, slot| {
            if role == Role::Reads {
                tainted |= self.slot(slot);
            }
        });
        tainted
    }

    /// An operation writes values that are tainted in these of its active lanes.
    pub(crate) fn write(&mut self, plan: &Plan, op: &Op, active: u32, tainted: u32) {
        if tainted == 0 && self.slots.is_empty() {
            return;
        }
        op.visit(&plan.records, &mut |role, slot| {
            if role != Role::Writes {
                return;
            }
            let lanes = match slot {
                Slot::Lane32(_) | Slot::Lane64(_) | Slot::Mask(_) => (self.slot(slot) & !active) | tainted,
                // One value for all lanes.
                Slot::Uniform(_) if tainted != 0 => u32::MAX,
                Slot::Uniform(_) => 0,
            };
            match lanes {
                0 => self.slots.remove(&slot),
                lanes => self.slots.insert(slot, lanes),
            };
        });
    }

    /// Follows the operations of a basic block that were executed, from one to before another.
    pub(crate) fn follow(&mut self, plan: &Plan, mut from: Pc, to: Pc, active: u32) {
        while from < to && !self.slots.is_empty() {
            let op = plan.code[from];
            if let Op::Skip { to } = op {
                from = to;
                continue;
            }
            let tainted = self.read_by(plan, &op) & active;
            self.write(plan, &op, active, tainted);
            from += 1;
        }
    }

    /// Lanes that branch on a tainted value are not trusted any more; nor those of a call, which renames values.
    pub(crate) fn branch(&mut self, plan: &Plan, op: &Op, active: u32) {
        if self.slots.is_empty() {
            return;
        }
        self.distrusted |= active
            & match op {
                Op::Call { .. } | Op::Back => self.slots.values().fold(0, |all, lanes| all | lanes),
                Op::If { condition, .. } | Op::LoopTest { condition, .. } => self.of(condition),
                // What they read is which lanes are elsewhere.
                _ => 0,
            };
        self.write(plan, op, u32::MAX, 0);
    }
}
