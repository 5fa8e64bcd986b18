//! Def-use counts: how often slots are written and read, and which uniform slots are constants of the launch.

use crate::index_vec::IndexVec;
use crate::plan::code::Plan;
use crate::plan::code::numbers::{MaskSlot, UniformSlot};
use crate::plan::code::operands::{BLOCK_INDEX, Operand32, Operand64};
use crate::plan::code::operation::Op;
use crate::plan::code::roles::Slot;

/// How often operations write each uniform slot; one that is not a constant for other reasons counts as written twice.
fn uniform_writes(plan: &Plan) -> IndexVec<UniformSlot, u32> {
    let mut writes = IndexVec::filled(0u32, plan.uniforms.initial.len());
    for op in plan.code.iter() {
        op.writes(&plan.records, |slot| {
            if let Slot::Uniform(slot) = slot {
                writes[slot] += 1;
            }
        });
    }
    let others = plan.uniforms.zeroed.iter().copied().chain(BLOCK_INDEX);
    others.for_each(|slot| writes[slot] += 2);
    writes
}

/// The value of each uniform slot that has only one in the whole launch.
pub(crate) fn launch_constants(plan: &Plan) -> IndexVec<UniformSlot, Option<u64>> {
    let writes = uniform_writes(plan);
    let values = writes.iter().zip(plan.uniforms.initial.iter());
    let mut known: IndexVec<UniformSlot, Option<u64>> =
        values.map(|(writes, value)| (*writes == 0).then_some(*value)).collect();
    for op in plan.code.iter() {
        let (dst, value) = match *op {
            Op::Mov32 { dst: Operand32::Uniform(dst), src: Operand32::Uniform(src) } => {
                (dst, known[src].map(|value| value & u64::from(u32::MAX)))
            }
            Op::Mov64 { dst: Operand64::Uniform(dst), src: Operand64::Uniform(src) } => (dst, known[src]),
            _ => continue,
        };
        if writes[dst] == 1 {
            known[dst] = value;
        }
    }
    known
}

/// How often operations read each slot.
#[derive(Clone)]
pub(crate) struct UseCounts {
    pub(crate) uniforms: IndexVec<UniformSlot, u32>,
    pub(crate) masks: IndexVec<MaskSlot, u32>,
}

impl UseCounts {
    pub(crate) fn of(plan: &Plan) -> UseCounts {
        let mut uses = UseCounts {
            uniforms: IndexVec::filled(0, plan.uniforms.initial.len()),
            masks: IndexVec::filled(0, plan.files.masks as usize),
        };
        plan.code.iter().for_each(|op| uses.for_each(plan, op, |count| *count += 1));
        uses
    }

    /// The operation does not read its operands any more.
    pub(crate) fn drop_reads(&mut self, plan: &Plan, op: &Op) {
        self.for_each(plan, op, |count| *count -= 1);
    }

    fn for_each(&mut self, plan: &Plan, op: &Op, f: impl Fn(&mut u32)) {
        op.reads(&plan.records, |slot| match slot {
            Slot::Uniform(slot) => f(&mut self.uniforms[slot]),
            Slot::Mask(slot) => f(&mut self.masks[slot]),
            Slot::Lane32(_) | Slot::Lane64(_) => {}
        });
    }
}
