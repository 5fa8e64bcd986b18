//! The plan: a kernel compiled, for one launch, from structured IR to flat code over a warp's register files.
//!
//! Launch dimensions and arguments are known then, so they are constants here, and so is whether `threadIdx.y` is the
//! same in a whole warp. [`compile`] is the pipeline; [`code`] is what it makes.

mod analysis;
mod code;
mod definedness;
mod link;
mod select;
#[cfg(test)]
mod tests;
mod transform;

use crate::launch::{Launch, Specialization};
use analysis::{points_to, uniformity};
pub(crate) use code::access::{Access, AccessShape};
pub(crate) use code::affine::AffineVectors;
pub(crate) use code::effects::{MemoryEffects, MemorySet};
pub(crate) use code::numbers::{AccessShapeId, Lane32, Lane64, MaskSlot, Pc, PollId, UniformSlot, VectorId};
pub(crate) use code::operands::{
    AddressOperand, AnyOperand, BLOCK_INDEX, FALSE, FrameSlots, IndexOperand, LANE_INDEX, Operand32,
    Operand64, THREAD_INDEX, TRUE, ZeroedSlots,
};
pub(crate) use code::operation::{MaskOp, Op, collective, compute, control, dead, effect, memory};
pub(crate) use code::records::{
    AsyncCopy, Atomic, BarrierId, CallId, Load, LoadId, Matrix, MatrixLoad, PrintId, Shuffle, Store, StoreId,
    SurfaceAddress, TextureRead, Transfer,
};
pub(crate) use code::roles::{Operands, Role, Slot};
pub(crate) use code::{Class, Plan, Unit};
use definedness::follow;
use link::link;
use select::{Input, select};
use simt_ir::{GlobalIndex, Kernel, Module, polling_reads};
use transform::dce::{find_dead, sink_dead, skip_dead};

/// What a plan is made for, besides its launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlanMode {
    pub(crate) unit: Unit,
    pub(crate) specialization: Specialization,
    /// Whether undefined values are followed.
    pub(crate) checks: bool,
    /// Whether what can be proved of accesses before the launch is not checked as it runs.
    pub(crate) proves: bool,
    /// Whether values of 64 bits may be affine, which a launch may turn out not to fit.
    pub(crate) wide: bool,
}

#[cfg(test)]
impl From<Specialization> for PlanMode {
    /// For a launch with checks.
    fn from(specialization: Specialization) -> PlanMode {
        PlanMode { unit: Unit::Warp, specialization, checks: true, proves: false, wide: true }
    }
}

/// Compiles a validated kernel for a checked launch. `global` gives the pointer constant of a module variable.
pub(crate) fn compile(
    module: &Module,
    kernel: &Kernel,
    launch: &Launch,
    PlanMode { unit, specialization, checks, wide, .. }: PlanMode,
    global: &dyn Fn(GlobalIndex) -> u64,
) -> Plan {
    // Instructions that follow undefined values, if there may be any.
    let mut followed = follow(kernel, checks);
    let undefined = std::mem::take(&mut followed.variables);
    // One register file for the kernel and its functions, so that all that follows sees one program.
    let program = &link(followed);
    // Which memory is written, so that the rest can be read as plain words.
    let points = points_to::analyse(program, &launch.args);
    // What a warp computes once instead of 32 times.
    let uniformity = uniformity::analyse(program, launch, unit, (specialization, wide), &points);
    let mut plan = select(Input { module, program, launch, global, uniformity, points });
    plan.undefined = undefined;
    if plan.effects.volatile {
        plan.polling = polling_reads(kernel);
    }
    plan.unit = unit;
    if specialization == Specialization::None {
        // Each access is looked at lane by lane.
        plan.records.loads.iter_mut().for_each(|load| load.access.shape = None);
        plan.records.stores.iter_mut().for_each(|store| store.access.shape = None);
    } else {
        let mut dead = find_dead(&mut plan);
        sink_dead(&mut plan, &mut dead);
        skip_dead(&mut plan, &dead);
    }
    plan.set_clock();
    plan
}
