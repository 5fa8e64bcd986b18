//! Blocks in order, of which several are resident: a block that waits for others lets them run, and continues later.
//!
//! Blocks begin in the order of their index, and each runs until it ends or waits: at a barrier of the grid, or because it is stalled
//! ([`super::waits`]). A block that waits stays resident. No more blocks are resident at once than the device has room for. In a *pass*
//! each resident block that is stalled has a turn, the last one first and in the next pass the first one first, so that a chain of waits is
//! followed quickly in either direction. Then blocks begin as long as there is room. So a launch in which no block
//! waits runs as blocks in order, and what a launch does depends on nothing but the launch.
//!
//! If a pass changes nothing, lanes that wait for spinning lanes of their own warp are given turns of their own. If there are none, and the state
//! of all blocks and of memory comes back to what it was, nothing can ever change: that is a [deadlock](super::deadlock).
//!
//! Each block keeps its registers, local and shared memory while it waits; [`state_bytes`] bounds what that takes.

use crate::counters::Counters;
use crate::fault::{Fault, FaultKind};
use crate::machine::block::deadlock::{self, BlockCounts};
use crate::machine::block::run::run_until_wait;
use crate::machine::block::state::{Block, BlockStop};
use crate::machine::block::worker::Worker;
use crate::machine::context::{Machine, ThreadOrder};
use crate::machine::observer::Observer;
use source::hash::Mixer;
use std::hash::Hasher;

/// Host memory that waiting blocks may take, in bytes.
pub(crate) const MAX_STATE_BYTES: u64 = 2 << 30;

/// What a grid leaves besides memory.
pub(crate) struct GridDone {
    /// By instruction; nothing without counters.
    pub(crate) counted: Vec<Counters>,
    /// Block by block; in a cooperative launch in the order in which it was printed.
    pub(crate) printed: String,
    /// What it cost of the launch's budget.
    pub(crate) spent: u64,
    /// Why it ended early. What was printed before is there; what was counted is not.
    pub(crate) fault: Option<Box<Fault>>,
    /// Whether the launch's budget was used up.
    pub(crate) over_budget: bool,
}

/// A block that waits, with what the observer knows of it.
struct WaitingBlock<O: Observer> {
    block: Block,
    observed: O::Suspended,
    stop: BlockStop,
}

/// Host memory that so many blocks of the launch take while they wait, in bytes.
pub(crate) fn state_bytes(machine: &Machine, blocks: u64) -> u64 {
    let plan = machine.plan;
    let local = u64::from(machine.kernel.local_bytes().div_ceil(4)) * 33 * 4;
    let files = plan.files;
    let lanes = u64::from(files.lanes32) * 128 + u64::from(files.lanes64) * 256;
    let registers = lanes + u64::from(files.masks) * 4 + plan.uniforms.initial.len() as u64 * 8;
    let warp = local + registers;
    let block = u64::from(machine.warps()) * warp + u64::from(machine.shared_bytes) * 2;
    blocks.saturating_mul(block)
}

/// Runs all blocks to their ends, or to the first fault, at most `limit` of them at once.
pub(crate) fn run_in_order<O: Observer>(machine: &Machine, blocks: u32, limit: u64) -> GridDone {
    let mut grid = ResidentBlocks::<O> {
        machine,
        worker: Worker::new(machine),
        blocks,
        limit: limit.max(1),
        waiting: Vec::new(),
        next: 0,
        first_ended: None,
        spent: 0,
        printed: Vec::new(),
        printed_bytes: 0,
        descends: true,
        idle_passes: 0,
        last_state: None,
    };
    let mut fault = grid.run_all().err();
    if fault.is_none()
        && grid.is_over_budget()
        && let Some(first) = grid.waiting.first()
    {
        let limit = machine.options.instruction_budget;
        fault = Some(first.block.fault(machine, FaultKind::InstructionBudget { limit }));
    }
    grid.done(fault)
}

/// The blocks of a launch at work.
struct ResidentBlocks<'a, 'm, O: Observer> {
    machine: &'a Machine<'m>,
    worker: Worker<O>,
    blocks: u32,
    /// Blocks that may be resident.
    limit: u64,
    /// In the order in which they began.
    waiting: Vec<WaitingBlock<O>>,
    /// The next block to begin.
    next: u32,
    /// The block that ended first.
    first_ended: Option<u32>,
    /// What they have cost of the budget.
    spent: u64,
    /// By block.
    printed: Vec<(u32, String)>,
    printed_bytes: usize,
    /// Whether the next pass begins with the last block.
    descends: bool,
    /// Passes since one in which a block went anywhere.
    idle_passes: u32,
    /// The state of all blocks and of memory after one of these.
    last_state: Option<u64>,
}

impl<O: Observer> ResidentBlocks<'_, '_, O> {
    fn run_all(&mut self) -> Result<(), Box<Fault>> {
        while !self.is_over_budget() && self.pass()? {}
        Ok(())
    }

    fn is_over_budget(&self) -> bool {
        self.spent > self.machine.options.instruction_budget
    }

    /// Gives each block that can run a turn; whether there are blocks left.
    fn pass(&mut self) -> Result<bool, Box<Fault>> {
        let mut moved = false;
        let mut turns = std::mem::take(&mut self.waiting);
        if self.descends {
            turns.reverse();
        }
        for waiting in turns {
            if waiting.stop == BlockStop::Grid || self.is_over_budget() {
                self.waiting.push(waiting);
                continue;
            }
            let places = waiting.block.places();
            self.resume(waiting);
            let stop = self.run()?;
            moved |= stop != BlockStop::Stalled;
            moved |= self.waiting.last().is_some_and(|waiting| waiting.block.places() != places);
        }
        if self.descends {
            self.waiting.reverse();
        }
        self.descends = !self.descends;
        while self.next < self.blocks && (self.waiting.len() as u64) < self.limit && !self.is_over_budget() {
            if !self.machine.runs(self.next) {
                self.next += 1;
                continue;
            }
            self.begin();
            self.run()?;
            moved = true;
        }
        if self.waiting.is_empty() {
            return Ok(self.next < self.blocks);
        }
        if self.next == self.blocks && self.waiting.iter().all(|waiting| waiting.stop == BlockStop::Grid) {
            self.release_grid()?;
            moved = true;
        }
        if moved {
            (self.idle_passes, self.last_state) = (0, None);
        } else {
            self.help()?;
        }
        Ok(true)
    }

    fn begin(&mut self) {
        let worker = &mut self.worker;
        if worker.block.warps.is_empty() {
            worker.block = Block::new(self.machine);
        }
        worker.observer.begin(self.machine);
        let last = self.blocks - 1;
        worker.block.start(match self.machine.thread_order {
            ThreadOrder::Ascending => self.next,
            ThreadOrder::Descending | ThreadOrder::LanesDescending => last - self.next,
        });
        self.next += 1;
    }

    fn resume(&mut self, waiting: WaitingBlock<O>) {
        let worker = &mut self.worker;
        worker.observer.resume(waiting.observed);
        worker.block = waiting.block;
        worker.block.wake();
    }

    /// Runs the worker's block until it ends or waits.
    fn run(&mut self) -> Result<BlockStop, Box<Fault>> {
        let (machine, worker) = (self.machine, &mut self.worker);
        worker.block.room = machine.options.printed_bytes.saturating_sub(self.printed_bytes);
        let before = worker.block.work();
        let stop = run_until_wait(machine, worker);
        self.spent += worker.block.work() - before;
        let index = worker.block.index;
        let printed = std::mem::take(&mut worker.block.printed);
        if !printed.is_empty() {
            self.printed_bytes += printed.len();
            self.printed.push((index, printed));
        }
        let stop = stop?;
        let observed = match stop {
            BlockStop::Done => {
                self.first_ended.get_or_insert(index);
                return Ok(stop);
            }
            BlockStop::Grid => worker.observer.suspend(),
            BlockStop::Stalled => {
                if let Some(fault) = deadlock::endless_loop(machine, &worker.block) {
                    worker.observer.stopped(machine)?;
                    return Err(fault);
                }
                worker.observer.suspend()
            }
        };
        let block = std::mem::take(&mut worker.block);
        self.waiting.push(WaitingBlock { block, observed, stop });
        let bytes = state_bytes(machine, self.waiting.len() as u64);
        if bytes > MAX_STATE_BYTES {
            let kind = FaultKind::CooperativeState { bytes, limit: MAX_STATE_BYTES };
            return Err(Box::new(Fault::launch(kind, Some(machine.kernel.location))));
        }
        Ok(stop)
    }

    /// All blocks that have not ended wait at a barrier of the grid.
    fn release_grid(&mut self) -> Result<(), Box<Fault>> {
        let machine = self.machine;
        if let (Some(missing), Some(first)) = (self.first_ended, self.waiting.first()) {
            let kind = FaultKind::GridBarrierDivergence {
                missing: machine.block(missing),
                waiting: self.waiting.len() as u32,
                absent: self.blocks - self.waiting.len() as u32,
            };
            return Err(first.block.fault(machine, kind));
        }
        self.worker.observer.release_grid();
        for waiting in &mut self.waiting {
            waiting.block.pass_barrier(machine);
            waiting.stop = BlockStop::Stalled;
        }
        Ok(())
    }

    /// No block has gone anywhere in a pass: helps those that wait for lanes of their own warps, or finds that nothing can help.
    fn help(&mut self) -> Result<(), Box<Fault>> {
        if self.machine.options.limits.independent_lanes {
            self.worker.splits_early = true;
            let split = |waiting: &mut WaitingBlock<O>| waiting.block.split();
            if self.waiting.iter_mut().map(split).fold(false, |any, split| any | split) {
                return Ok(());
            }
        }
        self.idle_passes += 1;
        // To compare takes long, so that is done ever more rarely (Brent's algorithm to find a cycle).
        let keeps = self.idle_passes.is_power_of_two();
        if keeps || (self.idle_passes - 1).is_power_of_two() {
            let state = self.state();
            if self.last_state == Some(state) {
                return Err(self.deadlock());
            }
            if keeps {
                self.last_state = Some(state);
            }
        }
        Ok(())
    }

    /// A hash of all that decides what happens next.
    fn state(&self) -> u64 {
        let mut hash = Mixer::default();
        self.waiting.iter().for_each(|waiting| hash.mix(waiting.block.state()));
        self.machine.mix_buffers(&mut hash);
        hash.finish()
    }

    /// The fault of blocks of which none can continue.
    fn deadlock(&mut self) -> Box<Fault> {
        let counts = BlockCounts {
            waiting: self.waiting.len() as u64,
            not_begun: u64::from(self.blocks - self.next),
            limit: self.limit,
        };
        let mut blocks = Vec::new();
        for WaitingBlock { block, observed, .. } in std::mem::take(&mut self.waiting) {
            // A read of what was never written may be the cause.
            self.worker.observer.resume(observed);
            if let Err(fault) = self.worker.observer.stopped(self.machine) {
                return fault;
            }
            blocks.push(block);
        }
        deadlock::fault(self.machine, &blocks, counts)
    }

    fn done(mut self, fault: Option<Box<Fault>>) -> GridDone {
        let (mut counted, over_budget) = (Vec::new(), self.is_over_budget());
        if fault.is_none() {
            self.machine.flush(&mut self.worker.log);
            counted = self.worker.by_instruction(self.machine.plan);
        }
        if self.machine.launch.cooperative.is_none() {
            self.printed.sort_by_key(|(block, _)| *block);
        }
        GridDone {
            over_budget,
            spent: self.spent,
            fault,
            counted,
            printed: self.printed.into_iter().map(|(_, text)| text).collect(),
        }
    }
}
