//! Executes a block as one: each operation for all of its warps, before the next operation.
//!
//! What an operation costs the host is mostly what it takes to get to it; a block of eight warps gets there once instead of eight
//! times, values that the whole block shares are computed once, and an access that is a row in each warp is one run of memory.
//! (Compare whole-function vectorization, Karrenberg and Hack, CGO 2011, and the work-group functions of PoCL.)
//!
//! The order in which warps continue between two barriers is not defined, so a program that depends on none gives the same as where one
//! warp runs after the other ([`super::block`]). That other machine defines what a launch does: whatever may tell the two apart is
//! left to it. A kernel that waits for other threads, synchronizes by anything but barriers, prints, reads a clock, calls functions or copies
//! asynchronously is not begun here ([`can_run`]). A block that comes upon a fault, a possible race, or an end of its budget *withdraws*: then
//! the launch is undone and runs again there, which finds out what is wrong and says it.
//!
//! Observers do not see an access when it is made. It is appended to a trace ([`crate::machine::trace`]), which observers read when the
//! block waits or ends.

mod access;
pub(crate) mod active;
mod atomics;
mod bridge;
mod collective;
mod compute;
mod control;
mod executor;
mod indexed;
mod local;
mod moves;
mod registers;
pub(crate) mod shapes;
mod shared_values;
pub(crate) mod state;

use crate::launch::Options;
use crate::machine::block::state::BlockDone;
use crate::machine::block::worker::Worker;
use crate::machine::context::Machine;
use crate::machine::observer::Observer;
use crate::machine::warp::state::Warp;
use crate::plan::{Op, Pc, Plan, effect};
use control::LOOK;
use executor::{BlockExecutor, LastLook, WarpScratch};
use simt_ir::AccessOrder;
use state::{BlockWithdrawn, Blockwise};

/// Whether blocks of a plan for whole blocks can run here.
pub(crate) fn can_run(plan: &Plan, options: &Options) -> bool {
    let effects = &plan.effects;
    let orders = effects.ordered_atomics
        || effects.has_releases()
        || effects.acquires
        || effects.volatile
        || effects.swaps
        || effects.strong_reads
        || effects.splits_warps;
    let is_default = options.schedule_seed == 0 && !options.record;
    is_default && !orders && plan.functions.is_empty() && plan.code.iter().all(|op| is_known(plan, op))
}

/// Whether an operation gives the same in any order of warps, and is executed here.
fn is_known(plan: &Plan, op: &Op) -> bool {
    match *op {
        Op::Load { load } => plan.records[load].access.order == AccessOrder::Weak,
        Op::Store { store } => plan.records[store].access.order == AccessOrder::Weak,
        Op::Barrier { barrier } => !plan.records[barrier].grid,
        Op::Atomic { .. } | Op::Assert { .. } | Op::CheckDefined { .. } | Op::Trap => true,
        Op::LoadMatrix { .. } | Op::Await { .. } | Op::Call { .. } | Op::Back => false,
        _ => !matches!(op, effect!()),
    }
}

/// Runs a block to its end.
///
/// # Errors
/// If it withdraws.
pub(crate) fn run_block_as_one<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
    index: u32,
) -> Result<BlockDone, BlockWithdrawn> {
    let Worker { observer, block, shapes, log, texels, probe, blockwise, .. } = worker;
    let Some(Blockwise { regs, shapes: block_shapes, offsets, frames, entered }) = blockwise.as_deref_mut()
    else {
        return Err(BlockWithdrawn);
    };
    observer.begin_traced(machine, index);
    block.start(index);
    let start_cost = block.start_cost;
    entered.clear();
    block.warps.iter_mut().for_each(Warp::forget_local);
    regs.start(machine.plan, machine.block(index));
    BlockExecutor {
        machine,
        observer,
        block,
        active: regs.all(),
        regs,
        block_shapes,
        shapes,
        log,
        offsets,
        frames,
        entered,
        of_warps: WarpScratch { texels, probe },
        index,
        pc: Pc::ENTRY,
        clock: 0,
        extra_cost: start_cost,
        stores: 0,
        last_look: LastLook { next: LOOK, ..LastLook::default() },
    }
    .run()
}
