//! A block from its start to its end.

use crate::fault::{Fault, FaultKind};
use crate::machine::block::barrier::release_barrier;
use crate::machine::block::round::run_round;
use crate::machine::block::state::{Block, BlockDone, BlockStop};
use crate::machine::block::worker::Worker;
use crate::machine::context::Machine;
use crate::machine::event::WarpFault;
use crate::machine::observer::Observer;
use crate::machine::warp::asynchronous;
use crate::machine::warp::state::WarpState;

/// Runs a block to its end, where no barrier of the grid can stop it.
pub(crate) fn run_block<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
    block: u32,
) -> Result<BlockDone, Box<Fault>> {
    worker.observer.begin(machine);
    worker.block.start(block);
    run_until_grid_barrier(machine, worker)?;
    let Block { used, printed, .. } = &mut worker.block;
    Ok(BlockDone { instructions: *used, printed: std::mem::take(printed) })
}

/// Runs a block until it ends or waits for the other blocks.
pub(crate) fn run_until_grid_barrier<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
) -> Result<BlockStop, Box<Fault>> {
    let index = worker.block.index;
    loop {
        let states = match run_round(machine.isa, machine, worker) {
            Ok(states) => states,
            Err((w, pc, fault)) => {
                // What was read before anybody wrote it may be why.
                let explained = matches!(
                    fault.kind,
                    FaultKind::SharedMemoryRace { .. } | FaultKind::AsyncNotAwaited { .. }
                );
                if !explained {
                    settle(machine, worker)?;
                }
                let fault = asynchronous::complete(*fault, &worker.block.asyncs);
                return Err(Box::new(machine.fault((index, w, pc), fault)));
            }
        };
        worker.block.round += 1;
        if states.all_are(WarpState::Done) {
            settle(machine, worker)?;
            if let Some(block_copy) = &mut worker.block_copy {
                block_copy.done(&mut worker.observer);
            }
            return Ok(BlockStop::Done);
        }
        if states.any_is(WarpState::Ready) {
            continue;
        }
        if states.any_is(WarpState::Waiting) {
            let block = &mut worker.block;
            if block.asyncs.stirred() {
                let waiting = block.warps.iter_mut().filter(|w| w.state == WarpState::Waiting);
                waiting.for_each(|w| w.state = WarpState::Ready);
                continue;
            }
            settle(machine, worker)?;
            let Block { warps, asyncs, .. } = &worker.block;
            if let Some((warp, pc, fault)) = asynchronous::stuck(machine, warps, asyncs) {
                return Err(Box::new(machine.fault((index, warp, pc), *fault)));
            }
        }
        let grid = release_barrier(machine, &mut worker.block, states)?;
        settle(machine, worker)?;
        if grid {
            return Ok(BlockStop::Grid);
        }
        worker.block.pass();
        worker.observer.release();
    }
}

/// A fault that the observer has held back.
fn settle<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<(), Box<Fault>> {
    let block = worker.block.index;
    let held = worker.observer.end_interval();
    held.map_err(|WarpFault { warp, pc, fault }| Box::new(machine.fault((block, warp, pc), *fault)))
}
