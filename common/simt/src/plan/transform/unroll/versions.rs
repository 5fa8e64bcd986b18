//! Versions of slots: what is computed again each time gets a slot of its own each time (static single assignment, as far as there is
//! only one path), and what is known is read from a slot that nothing writes.
//!
//! So the passes that come after find constants where there are some, and drop what nothing reads. Lanes keep their slots.

use crate::index_vec::IndexVec;
use crate::plan::analysis::constants::{Constants, WarpValues};
use crate::plan::code::Plan;
use crate::plan::code::numbers::{MaskSlot, UniformSlot};
use crate::plan::code::operands::WarpConstant;
use crate::plan::code::operation::Op;
use crate::plan::code::records::RecordCounts;
use crate::plan::code::roles::{Role, Slot, SlotMut};
use source::hash::Map;

/// The versions that are valid here, and a plan that gets new ones.
pub(crate) struct Versions<'a> {
    pub(crate) plan: &'a mut Plan,
    /// By slot of the original code: the slot that has its value now.
    uniforms: IndexVec<UniformSlot, UniformSlot>,
    masks: IndexVec<MaskSlot, MaskSlot>,
    /// Slots that nothing writes, by value.
    constants: Map<WarpValues, UniformSlot>,
    before: Sizes,
}

/// The sizes of the plan's tables before.
struct Sizes {
    records: RecordCounts,
    uniforms: usize,
    by_warp: usize,
    masks: u32,
}

impl<'a> Versions<'a> {
    /// Those of the original code, with what is known at its beginning.
    pub(crate) fn new(plan: &'a mut Plan, known: &Constants) -> Versions<'a> {
        let mut constants = Map::default();
        for (slot, values) in known.uniforms.enumerated() {
            if let Some(values) = values {
                constants.insert(values.clone(), slot);
            }
        }
        let before = Sizes {
            records: plan.records.counts(),
            uniforms: plan.uniforms.initial.len(),
            by_warp: plan.uniforms.by_warp.len(),
            masks: plan.files.masks,
        };
        Versions {
            uniforms: plan.uniforms.initial.numbers().collect(),
            masks: (0..plan.files.masks).map(MaskSlot).collect(),
            plan,
            constants,
            before,
        }
    }

    /// Leaves the plan as it was.
    pub(crate) fn undo(self) {
        let Versions { plan, before, .. } = self;
        plan.records.truncate(before.records);
        plan.uniforms.initial.truncate(before.uniforms);
        plan.uniforms.by_warp.truncate(before.by_warp);
        plan.files.masks = before.masks;
    }

    /// An operation of the original code with the versions that are valid here. If it is executed by all, what it writes gets a new
    /// version; else it is written in place.
    pub(crate) fn rename(&mut self, op: Op, known: &Constants, by_all: bool) -> Op {
        let mut op = op.duplicate(&mut self.plan.records);
        if let Op::Load { load } = op {
            let access = &mut self.plan.records[load].access;
            access.uniform_index = known.uniform_index(access).or(access.uniform_index);
        } else if let Op::Store { store } = op {
            let access = &mut self.plan.records[store].access;
            access.uniform_index = known.uniform_index(access).or(access.uniform_index);
        }
        self.rename_reads(&mut op, known);
        if by_all {
            self.begin_versions(&op);
        }
        let (uniforms, masks) = (&self.uniforms, &self.masks);
        op.visit_mut(&mut self.plan.records, &mut |role, slot| match slot {
            SlotMut::Uniform(slot) if role == Role::Writes => *slot = uniforms[*slot],
            SlotMut::Mask(slot) if role == Role::Writes => *slot = masks[*slot],
            SlotMut::Uniform(_) | SlotMut::Mask(_) => {}
        });
        op
    }

    /// A control operation of the original code, whose masks stay but for the condition.
    pub(crate) fn rename_control(&mut self, op: Op) -> Op {
        let mut op = op;
        if let Op::If { condition, .. } | Op::LoopTest { condition, .. } = &mut op {
            *condition = self.masks[*condition];
        }
        op
    }

    fn rename_reads(&mut self, op: &mut Op, known: &Constants) {
        let Versions { plan, uniforms, masks, constants, .. } = self;
        let Plan { records, uniforms: file, .. } = &mut **plan;
        op.visit_mut(records, &mut |role, slot| match slot {
            SlotMut::Uniform(slot) if role == Role::Reads => {
                *slot = match &known.uniforms[*slot] {
                    Some(values) => *constants.entry(values.clone()).or_insert_with(|| {
                        let slot = file.initial.push(values[0]);
                        if values.iter().any(|value| *value != values[0]) {
                            file.by_warp.push(WarpConstant { slot, values: values.clone() });
                        }
                        slot
                    }),
                    None => uniforms[*slot],
                };
            }
            SlotMut::Mask(slot) if role == Role::Reads => *slot = masks[*slot],
            SlotMut::Uniform(_) | SlotMut::Mask(_) => {}
        });
    }

    /// New versions of what an operation writes.
    fn begin_versions(&mut self, op: &Op) {
        let Versions { plan, uniforms, masks, .. } = self;
        let Plan { records, uniforms: file, files, .. } = &mut **plan;
        op.writes(records, |slot| match slot {
            Slot::Uniform(slot) => uniforms[slot] = file.initial.push(0),
            Slot::Mask(slot) => masks[slot] = files.new_mask(),
            Slot::Lane32(_) | Slot::Lane64(_) => {}
        });
    }
}
