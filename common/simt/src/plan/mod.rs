//! The plan: a kernel compiled, for one launch, from structured IR to flat code over a warp's register file.
//!
//! Launch dimensions and arguments are known then, so they are constants here, and so is whether `threadIdx.y` is the
//! same in a whole warp. Registers that are the same in all lanes ([`uniform`]) live once a warp.

mod analysis;
mod code;
mod link;
mod select;
#[cfg(test)]
mod tests;
mod transform;

use crate::launch::{Ahead, Launch};
use analysis::{access_groups, points_to, uniform};
pub(crate) use code::access::{Access, AtomicAccess, Footprint, Group, Part};
pub(crate) use code::effects;
pub(crate) use code::operands::{Addr, BLOCK_INDEX, FALSE, LANE, NONE, Src, TID, TRUE};
pub(crate) use code::operation::{MaskOp, Op};
pub(crate) use code::records::{
    AsyncPlan, CopyPlan, FunctionPlan, MatrixLoad, MatrixPlan, ShuffleOp, SurfaceOp, TextureRead,
};
pub(crate) use code::superinstruction::{Chain, Factor, MOST_SOURCES, Move, Pair};
pub(crate) use code::{Class, Plan};
use select::flatten;
use simt_ir::{GlobalIndex, Kernel, Module};
use transform::{copy_runs, dce, fma_reductions, specialize, unroll};

/// Compiles a validated kernel for a checked launch. `global` gives the pointer constant of a module variable.
pub(crate) fn compile(
    module: &Module,
    kernel: &Kernel,
    launch: &Launch,
    ahead: Ahead,
    global: &dyn Fn(GlobalIndex) -> u64,
) -> Plan {
    let linked = link::link(kernel);
    let points = points_to::analyse(&linked, &launch.args);
    let (mut varying, patterns) = uniform::analyse(&linked.kernel, launch, ahead, &points);
    linked.functions.iter().for_each(|function| varying.function(&linked.kernel, function));
    let mut plan = flatten::Flatten::new(module, &linked, launch, global, varying, patterns, points).run();
    plan.origins = (0..plan.code.len() as u32).collect();
    if ahead == Ahead::AllWays || ahead == Ahead::Ways && unroll::is_worth_it(launch) {
        unroll::straighten(&mut plan, launch);
    }
    if ahead >= Ahead::Accesses {
        access_groups::find(&mut plan);
    }
    specialize::replace(&mut plan);
    if ahead >= Ahead::Accesses {
        let mut idle = dce::idle(&mut plan);
        dce::settle(&mut plan, &mut idle);
        fma_reductions::find(&mut plan, &idle);
        dce::skip(&mut plan, &idle);
        copy_runs::find(&mut plan);
    }
    plan
}
