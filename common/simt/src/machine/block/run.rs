//! A block from its start to its end.

use crate::fault::{Fault, FaultKind};
use crate::machine::block::barrier::meet;
use crate::machine::block::round::turns;
use crate::machine::block::state::{Block, BlockDone, Stop};
use crate::machine::block::worker::Worker;
use crate::machine::context::Machine;
use crate::machine::event::WarpFault;
use crate::machine::observer::Observer;
use crate::machine::warp::asynchronous;
use crate::machine::warp::state::State;

/// Runs a block to its end, where no barrier of the grid can stop it.
pub(crate) fn run_block<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
    block: u32,
) -> Result<BlockDone, Box<Fault>> {
    worker.observer.begin(machine);
    worker.block.start(block);
    advance(machine, worker)?;
    let Block { used, printed, .. } = &mut worker.block;
    Ok(BlockDone { instructions: *used, printed: std::mem::take(printed) })
}

/// Runs a block until it ends or waits for the other blocks.
pub(crate) fn advance<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<Stop, Box<Fault>> {
    let index = worker.block.index;
    loop {
        let states = match turns(machine.isa, machine, worker) {
            Ok(states) => states,
            Err((w, pc, raw)) => {
                // What was read before anybody wrote it may be why.
                let explained = matches!(
                    raw.kind,
                    FaultKind::SharedMemoryRace { .. } | FaultKind::AsyncNotAwaited { .. }
                );
                if !explained {
                    settle(machine, worker)?;
                }
                let raw = asynchronous::complete(*raw, &worker.block.asyncs);
                return Err(Box::new(machine.fault((index, w, pc), raw)));
            }
        };
        worker.block.round += 1;
        if states.all_are(State::Done) {
            settle(machine, worker)?;
            if let Some(sweep) = &mut worker.sweep {
                sweep.done(&mut worker.observer);
            }
            return Ok(Stop::Done);
        }
        if states.any_is(State::Ready) {
            continue;
        }
        if states.any_is(State::Waiting) {
            let block = &mut worker.block;
            if block.asyncs.stirred() {
                let waiting = block.warps.iter_mut().filter(|w| w.state == State::Waiting);
                waiting.for_each(|w| w.state = State::Ready);
                continue;
            }
            settle(machine, worker)?;
            let Block { warps, asyncs, .. } = &worker.block;
            if let Some((warp, pc, raw)) = asynchronous::stuck(machine, warps, asyncs) {
                return Err(Box::new(machine.fault((index, warp, pc), *raw)));
            }
        }
        let grid = meet(machine, &mut worker.block, states)?;
        settle(machine, worker)?;
        if grid {
            return Ok(Stop::Grid);
        }
        worker.block.pass();
        worker.observer.release();
    }
}

/// A fault that the observer has held back.
fn settle<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<(), Box<Fault>> {
    let block = worker.block.index;
    let held = worker.observer.end_interval();
    held.map_err(|WarpFault { warp, pc, raw }| Box::new(machine.fault((block, warp, pc), *raw)))
}
