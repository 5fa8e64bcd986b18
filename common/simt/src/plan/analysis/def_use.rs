//! How often slots of the register files are read and written, and which of them are constants.

use crate::plan::code::Plan;
use crate::plan::code::operands::{AXES, Src};
use crate::plan::code::operation::Op;

/// By uniform slot: how many operations write it; one that is no constant for other reasons counts as written twice.
pub(crate) fn written(plan: &Plan) -> Vec<u32> {
    let mut writes = vec![0u32; plan.uniforms.len()];
    for op in &plan.code {
        plan.writes(op, &mut |dst| dst.uniform().into_iter().for_each(|slot| writes[slot as usize] += 1));
    }
    let others = plan.zero_uniforms.iter().copied().chain(AXES).chain(plan.by_warp.iter().map(|w| w.0));
    others.for_each(|slot| writes[slot as usize] += 2);
    writes
}

/// By uniform slot: whether it is a constant that no operation writes.
pub(crate) fn unwritten(plan: &Plan) -> Vec<bool> {
    written(plan).into_iter().map(|writes| writes == 0).collect()
}

/// By uniform slot: its value, if it has no other in the whole launch.
pub(crate) fn known(plan: &Plan) -> Vec<Option<u64>> {
    let writes = written(plan);
    let values = writes.iter().zip(&plan.uniforms);
    let mut known: Vec<_> = values.map(|(writes, value)| (*writes == 0).then_some(*value)).collect();
    for op in &plan.code {
        if let Op::Mov32 { dst: Src::U(dst), src: Src::U(src) }
        | Op::Mov64 { dst: Src::U(dst), src: Src::U(src) } = *op
            && writes[dst as usize] == 1
        {
            let narrow = matches!(op, Op::Mov32 { .. });
            known[dst as usize] =
                known[src as usize].map(|value| if narrow { value & u64::from(u32::MAX) } else { value });
        }
    }
    known
}

/// By mask slot: how often operations read it.
pub(crate) fn mask_uses(plan: &Plan) -> Vec<u32> {
    let mut uses = vec![0; plan.masks as usize];
    plan.code.iter().for_each(|op| plan.reads_masks(op, &mut |slot| uses[slot as usize] += 1));
    uses
}

/// By uniform slot: how often the operations that count read it.
pub(crate) fn uses(plan: &Plan, counts: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut uses = vec![0; plan.uniforms.len()];
    for (_, op) in plan.code.iter().enumerate().filter(|(pc, _)| counts(*pc)) {
        plan.reads(op, &mut |src| src.uniform().into_iter().for_each(|slot| uses[slot as usize] += 1));
    }
    uses
}
