//! Runs a block, round by round, from barrier to barrier to its end.
//!
//! After each round it decides from the states of the warps what happens next: another round, the release of a barrier, or that the block
//! cannot continue.

use crate::fault::{Fault, FaultKind};
use crate::machine::block::barrier::release_barrier;
use crate::machine::block::round::run_round;
use crate::machine::block::state::{Block, BlockDone, BlockStop, WarpStates};
use crate::machine::block::worker::Worker;
use crate::machine::context::Machine;
use crate::machine::event::WarpFault;
use crate::machine::observer::Observer;
use crate::machine::warp::asynchronous;
use crate::machine::warp::state::WarpState;

/// Runs a block to its end; `None` if it waits for other blocks.
pub(crate) fn run_block<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
    block: u32,
) -> Result<Option<BlockDone>, Box<Fault>> {
    worker.observer.begin(machine);
    worker.block.start(block);
    let stop = run_until_wait(machine, worker)?;
    let block = &mut worker.block;
    let printed = std::mem::take(&mut block.printed);
    let done = BlockDone { work: block.work(), printed };
    Ok((stop == BlockStop::Done).then_some(done))
}

/// Runs a block until it ends or waits for the other blocks.
pub(crate) fn run_until_wait<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
) -> Result<BlockStop, Box<Fault>> {
    let index = worker.block.index;
    loop {
        let states = match run_round(machine.isa, machine, worker) {
            Ok(states) => states,
            Err(mut stopped) => {
                // A read of what was never written may be the cause, but of no race.
                if !stopped.fault.kind.is_race() {
                    worker.observer.stopped(machine)?;
                }
                asynchronous::complete_fault(&mut stopped.fault, &worker.block.asyncs);
                count_at_barrier(machine, worker, &mut stopped);
                return Err(machine.warp_fault(index, stopped));
            }
        };
        worker.block.round += 1;
        if states.all_are(WarpState::Done) {
            end(machine, worker)?;
            return Ok(BlockStop::Done);
        }
        if states.any_is(WarpState::Ready) {
            continue;
        }
        match give_turns(machine, worker, states)? {
            Turns::Given => continue,
            Turns::Stalled => return Ok(BlockStop::Stalled),
            Turns::None => {}
        }
        if states.any_is(WarpState::Waiting) {
            end_interval(machine, worker)?;
            let Block { warps, asyncs, .. } = &worker.block;
            if let Some(fault) = asynchronous::deadlock(machine, warps, asyncs) {
                return Err(machine.warp_fault(index, fault));
            }
        }
        let grid = release_barrier(machine, &mut worker.block, states)?;
        end_interval(machine, worker)?;
        if grid {
            return Ok(BlockStop::Grid);
        }
        worker.block.pass_barrier(machine);
        worker.observer.release(index);
    }
}

/// Lets the other warps of a block run to where they stop, and counts in a fault of a barrier that part of a warp cannot reach how many threads of
/// the block wait there.
fn count_at_barrier<O: Observer>(machine: &Machine, worker: &mut Worker<O>, stopped: &mut WarpFault) {
    let FaultKind::BarrierDivergence { waiting, absent, .. } = &mut stopped.fault.kind else { return };
    let mut diverged = Vec::new();
    let mut last = stopped.warp;
    // In each round one more warp stops, or all come to where they wait.
    for _ in 0..2 * worker.block.warps.len() {
        diverged.push(last);
        let failed = worker.block.warps.iter_mut().filter(|warp| warp.index == last);
        failed.for_each(|warp| warp.state = WarpState::Done);
        // The first round starts the warps.
        worker.block.round += 1;
        match run_round(machine.isa, machine, worker) {
            Ok(states) if states.any_is(WarpState::Ready) => {}
            Ok(_) => break,
            Err(other) => {
                if let FaultKind::BarrierDivergence { waiting: more, .. } = other.fault.kind
                    && other.pc == stopped.pc
                {
                    *waiting += more;
                }
                last = other.warp;
            }
        }
    }
    let warps = worker.block.warps.iter().filter(|warp| !diverged.contains(&warp.index));
    let arrived = warps.filter(|warp| warp.state == WarpState::Barrier && warp.pc == stopped.pc);
    *waiting += arrived.map(|warp| warp.present.count_ones()).sum::<u32>();
    let [x, y, z] = machine.launch.block;
    *absent = (x * y * z).saturating_sub(*waiting);
}

/// What is done where no warp can simply continue.
enum Turns {
    /// Some have another turn.
    Given,
    /// Some wait in loops or for other lanes, and nothing in the block can help them.
    Stalled,
    /// All have ended, or wait at a barrier.
    None,
}

/// No warp can simply continue: gives those another turn that may find something changed.
fn give_turns<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
    states: WarpStates,
) -> Result<Turns, Box<Fault>> {
    let block = &mut worker.block;
    let (spins, meets) = (states.any_is(WarpState::Spinning), states.any_is(WarpState::Meeting));
    if states.any_is(WarpState::Waiting) && block.asyncs.take_arrivals() {
        let waiting = block.warps.iter_mut().filter(|w| w.state == WarpState::Waiting);
        waiting.for_each(|w| w.state = WarpState::Ready);
        return Ok(Turns::Given);
    }
    if meets && block.meet(machine).map_err(|fault| machine.warp_fault(block.index, fault))? {
        return Ok(Turns::Given);
    }
    if !spins && !meets {
        return Ok(Turns::None);
    }
    let goes_on = spins && block.wake_spinning() || worker.splits_early && block.split();
    Ok(if goes_on { Turns::Given } else { Turns::Stalled })
}

/// The block ends: a fault that the observer has deferred until now.
fn end<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<(), Box<Fault>> {
    let block = worker.block.index;
    // A launch that goes on after faults asks for the next one.
    while let Err(fault) = worker.observer.end(machine, block) {
        machine.keep_deferred(fault)?;
    }
    Ok(())
}

/// No warp can continue before the next barrier: a fault that the observer has deferred until now.
fn end_interval<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<(), Box<Fault>> {
    while let Err(fault) = worker.observer.end_interval(machine) {
        machine.keep_deferred(fault)?;
    }
    Ok(())
}
