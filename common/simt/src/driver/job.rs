//! A launch at work: buffers taken out of memory, blocks spread over workers, and the repetition in block order when
//! blocks turn out to depend on each other.

use crate::counters::Counters;
use crate::driver::buffers::WritableBuffers;
use crate::driver::progress::{FinishedBlocks, GridProgress};
use crate::fault::{Fault, FaultKind, LaunchFailure};
use crate::host_threads;
use crate::isa::HostIsa;
use crate::launch::{Launch, LaunchOutcome, Options};
use crate::machine::block::resident::{GridDone, MAX_STATE_BYTES, run_in_order, state_bytes};
use crate::machine::block::run::run_block;
use crate::machine::block::state::BlockDone;
use crate::machine::block::worker::Worker;
use crate::machine::context::ConstantView;
use crate::machine::memory::buffer::Buffer;
use crate::machine::memory::device::{DeviceMemory, Symbol, Symbols};
use crate::machine::recording::Recording;
use crate::machine::recovery::Recovery;
use crate::machine::suspects::RaceSearch;
use crate::machine::{BufferView, Machine};
use crate::observe::{Observers, Screening, recorded};
use crate::plan::Plan;
use simt_ir::{Kernel, Module};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

/// A launch with all that belongs to it.
pub(crate) struct Job<'a> {
    pub(crate) module: &'a Module,
    pub(crate) entry: &'a Kernel,
    pub(crate) launch: &'a Launch,
    pub(crate) options: &'a Options,
    pub(crate) plan: &'a Plan,
    pub(crate) symbols: &'a Symbols,
    pub(crate) shared_bytes: u32,
    /// Where it adds what it has cost of its budget.
    pub(crate) work: &'a AtomicU64,
    /// Set if the launch continues after faults.
    pub(crate) recovery: Option<&'a Recovery>,
}

/// A fault that ends the launch.
struct Ended {
    /// The last block that counts: the fault's own, where it has one.
    last_block: u32,
    /// What that block has cost.
    work: u64,
    fault: Box<Fault>,
}

/// What all blocks leave besides memory.
struct GridOutput {
    printed: String,
    /// By instruction of the plan, if that is asked for.
    counted: Vec<Counters>,
}

/// Something of one block.
struct OfBlock<T> {
    block: u32,
    of: T,
}

/// What one worker has at the end.
#[derive(Default)]
struct WorkerResult {
    printed: Vec<OfBlock<String>>,
    /// What each block that ended well has cost of the budget.
    work: Vec<OfBlock<u64>>,
    fault: Option<Ended>,
    /// By instruction of the plan, if that is asked for.
    counted: Vec<Counters>,
}

impl<'a> Job<'a> {
    fn blocks(&self) -> u32 {
        self.launch.grid.iter().product()
    }

    /// Whether blocks meet at barriers of the grid.
    fn has_grid_barrier(&self) -> bool {
        self.launch.cooperative.is_some() && self.plan.records.barriers.iter().any(|barrier| barrier.grid)
    }

    /// Runs all blocks: at once, and again in order if they turn out to depend on each other; and once more if it takes more than barriers to
    /// tell whether accesses race. `None`, and nothing was done, if the launch does not fit the plan.
    pub(crate) fn run_all(
        &self,
        written: &mut WritableBuffers,
        memory: &DeviceMemory,
    ) -> Option<Result<LaunchOutcome, Box<LaunchFailure>>> {
        let has_doubts = self.options.checks && self.plan.effects.has_doubts();
        if self.recovery.is_some() {
            let races = if has_doubts { RaceSearch::Exact(None) } else { RaceSearch::ByBarriers };
            written.begin(true);
            return Some(self.run_blocks(&self.machine(written, memory, true, races)));
        }
        let mut ordered = self.plan.effects.ordered_atomics || self.has_grid_barrier();
        let mut screened = self.options.checks && !ordered && Screening::can_clear(self.plan);
        let spent = self.work.load(Relaxed);
        let (result, suspects) = loop {
            written.begin(ordered);
            let races = match () {
                () if screened => RaceSearch::Screening(AtomicBool::new(false)),
                () if has_doubts => RaceSearch::Suspects(Mutex::default()),
                () => RaceSearch::ByBarriers,
            };
            let machine = self.machine(written, memory, ordered, races);
            let result = self.run_blocks(&machine);
            if machine.misfit.load(Relaxed) {
                drop(machine);
                return self.withdraw(written, spent);
            }
            let in_doubt = machine.races.is_in_doubt();
            if !in_doubt && (ordered || !machine.conflict.load(Relaxed)) {
                break (result, machine.races.into_suspects());
            }
            drop(machine);
            written.restore();
            // How far that got is chance.
            self.work.store(spent, Relaxed);
            (screened, ordered) = (false, !in_doubt);
        };
        if suspects.is_empty() {
            return Some(result);
        }
        written.restore();
        written.begin(true);
        let races = RaceSearch::Exact(Some(Arc::new(suspects)));
        let machine = self.machine(written, memory, true, races);
        let exact = self.run_blocks(&machine);
        if machine.misfit.load(Relaxed) {
            drop(machine);
            return self.withdraw(written, spent);
        }
        Some(exact.and(result))
    }

    /// Undoes what the launch has done, which had cost `spent` before.
    fn withdraw<T>(&self, written: &mut WritableBuffers, spent: u64) -> Option<T> {
        written.restore();
        self.work.store(spent, Relaxed);
        None
    }

    pub(crate) fn machine<'m>(
        &'m self,
        written: &'m WritableBuffers,
        memory: &'m DeviceMemory,
        ordered: bool,
        races: RaceSearch,
    ) -> Machine<'m> {
        let view = |buffer: &'m Option<Buffer>| match buffer {
            None => BufferView::Freed,
            Some(b) => {
                BufferView::ReadOnly { words: &b.words, bytes: b.bytes, unwritten: b.unwritten.as_deref() }
            }
        };
        let mut buffers: Vec<BufferView> = memory.buffers.iter().map(view).collect();
        for (number, view) in written.views() {
            buffers[number as usize] = view;
        }
        let constant = |symbol: &'m Symbol| match symbol {
            Symbol::Constant(buffer) => Some(ConstantView { words: &buffer.words, bytes: buffer.bytes }),
            Symbol::Device(_) => None,
        };
        Machine {
            module: self.module,
            kernel: self.entry,
            plan: self.plan,
            launch: self.launch,
            options: self.options,
            isa: HostIsa::detect(self.options.isa),
            buffers,
            constants: self.symbols.globals.iter().map(constant).collect(),
            textures: &memory.textures,
            surfaces: &memory.surfaces,
            shared_bytes: self.shared_bytes,
            ordered,
            conflict: AtomicBool::new(false),
            misfit: AtomicBool::new(false),
            warnings: Mutex::default(),
            recovery: self.recovery,
            recording: (self.options.record && !matches!(races, RaceSearch::Exact(_)))
                .then(Recording::default),
            races,
        }
    }

    /// Runs all blocks on a machine.
    fn run_blocks(&self, machine: &Machine) -> Result<LaunchOutcome, Box<LaunchFailure>> {
        let GridOutput { printed, counted } =
            self.execute(machine).map_err(|Ended { last_block, fault, .. }| {
                let warnings = machine.take_warnings(last_block);
                Box::new(LaunchFailure { fault: *fault, warnings, further: Vec::new(), completed: false })
            })?;
        let warnings = machine.take_warnings(u32::MAX);
        let recorded = recorded(machine);
        let mut outcome = LaunchOutcome { printed, warnings, recorded, ..LaunchOutcome::default() };
        if self.options.counters {
            outcome.lines = vec![Counters::default(); self.module.locations.len()];
        }
        for (here, location) in counted.iter().zip(self.plan.locations.iter()) {
            outcome.counters.add(here);
            if let Some(line) = location.and_then(|l| outcome.lines.get_mut(l.0 as usize)) {
                line.add(here);
            }
        }
        Ok(outcome)
    }

    /// Runs the blocks, each taken by whichever worker is free; gives what was printed and, if that is asked for, what was counted by
    /// instruction.
    fn execute(&self, machine: &Machine) -> Result<GridOutput, Ended> {
        if machine.ordered {
            // All that is known by then came before the fault.
            return self.execute_in_order(machine).map_err(|fault| Ended {
                last_block: u32::MAX,
                work: 0,
                fault,
            });
        }
        let blocks = self.blocks();
        let workers = match self.options.threads {
            0 => host_threads::cores(),
            n => n,
        };
        let workers = workers.min(blocks as usize).max(1);
        let progress = GridProgress::new(u64::from(blocks), workers as u64);
        let (results, counted) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        host_threads::together(workers, |number| {
            if let Some(chunk) = progress.take(number) {
                let mut result = self.work(machine, &progress, number, chunk);
                let own = std::mem::take(&mut result.counted);
                add(&mut counted.lock().unwrap_or_else(|e| e.into_inner()), own);
                results.lock().unwrap_or_else(|e| e.into_inner()).push(result);
            }
        });
        let mut results: Vec<WorkerResult> = results.into_inner().unwrap_or_else(|e| e.into_inner());
        let fault = results.iter_mut().filter_map(|r| r.fault.take()).min_by_key(|ended| ended.last_block);
        // Whichever comes first in block order, the fault or the end of the budget.
        let spent_by = first_over(self.options.instruction_budget, &results);
        match (fault, spent_by) {
            (Some(ended), last) if last.is_none_or(|last| ended.last_block <= last) => {
                let before = results.iter().flat_map(|r| &r.work).filter(|w| w.block < ended.last_block);
                self.charge(before.map(|w| w.of).sum::<u64>() + ended.work);
                return Err(ended);
            }
            (_, Some(last_block)) => {
                self.charge(self.options.instruction_budget);
                return Err(Ended { last_block, work: 0, fault: self.over_budget() });
            }
            (_, None) => self.charge(results.iter().flat_map(|r| &r.work).map(|w| w.of).sum()),
        }
        let mut printed: Vec<_> = results.iter_mut().flat_map(|r| std::mem::take(&mut r.printed)).collect();
        printed.sort_by_key(|text| text.block);
        let printed = self.truncated(printed.into_iter().map(|text| text.of).collect());
        Ok(GridOutput { printed, counted: counted.into_inner().unwrap_or_else(|e| e.into_inner()) })
    }

    /// Runs the blocks one after the other, and those that wait for each other in turn.
    fn execute_in_order(&self, machine: &Machine) -> Result<GridOutput, Box<Fault>> {
        let bytes = state_bytes(machine, self.blocks().into());
        if self.has_grid_barrier() && bytes > MAX_STATE_BYTES {
            let kind = FaultKind::CooperativeState { bytes, limit: MAX_STATE_BYTES };
            return Err(Box::new(Fault::launch(kind, Some(self.entry.location))));
        }
        let limit = self.launch.cooperative.unwrap_or(self.options.resident_blocks);
        let mut spent = 0;
        let done = run_in_order::<Observers>(machine, self.blocks(), limit, &mut spent);
        self.charge(spent);
        let GridDone { counted, printed, over_budget } = done?;
        match over_budget {
            true => Err(self.over_budget()),
            false => Ok(GridOutput { printed: self.truncated(printed), counted }),
        }
    }

    /// As much of what was printed as is kept.
    fn truncated(&self, mut text: String) -> String {
        while text.len() > self.options.printed_bytes {
            text.pop();
        }
        text
    }

    /// Adds to what the launch has cost.
    fn charge(&self, work: u64) {
        self.work.fetch_add(work, Relaxed);
    }

    fn over_budget(&self) -> Box<Fault> {
        let kind = FaultKind::InstructionBudget { limit: self.options.instruction_budget };
        Box::new(Fault::launch(kind, Some(self.entry.location)))
    }

    /// One worker: takes chunks of blocks, of which it has the `first`, until none is left, or none that comes before a fault.
    fn work(
        &self,
        machine: &Machine,
        progress: &GridProgress,
        number: usize,
        first: Range<u64>,
    ) -> WorkerResult {
        let mut worker = Worker::<Observers>::new(machine);
        let mut result = WorkerResult::default();
        let (mut next, mut end) = (Some(first), 0);
        // Adjacent chunks that are finished. Others need not know of each by itself.
        let mut finished = FinishedBlocks::default();
        let worth = self.options.instruction_budget / (64 * progress.parts.len() as u64);
        'chunks: while let Some(chunk) = next.take().or_else(|| progress.take(number)) {
            let mut spent = 0;
            if chunk.start < end {
                // It has gone on with the part of another, which comes before its own: what it has printed there comes later.
                worker.block.room = self.options.printed_bytes;
            }
            end = chunk.end;
            for block in chunk.clone() {
                let block = block as u32;
                let over = progress.spent.load(Relaxed) > self.options.instruction_budget;
                let stale = machine.conflict.load(Relaxed);
                if over || stale || block > progress.first_fault.load(Relaxed) {
                    break 'chunks;
                }
                match run_block(machine, &mut worker, block) {
                    Ok(None) => {
                        machine.conflict.store(true, Relaxed);
                        break 'chunks;
                    }
                    Ok(Some(BlockDone { work, printed })) => {
                        result.work.push(OfBlock { block, of: work });
                        spent += work;
                        if !printed.is_empty() {
                            // From part to part its blocks come in order, so later ones add to what these printed.
                            worker.block.room = worker.block.room.saturating_sub(printed.len());
                            result.printed.push(OfBlock { block, of: printed });
                        }
                    }
                    Err(fault) => {
                        progress.first_fault.fetch_min(block, Relaxed);
                        result.fault = Some(Ended { last_block: block, work: worker.block.work(), fault });
                        break 'chunks;
                    }
                }
            }
            if finished.blocks.end == chunk.start && finished.work < worth {
                finished.blocks.end = chunk.end;
                finished.work += spent;
            } else {
                let chunk = FinishedBlocks { blocks: chunk, work: spent };
                progress.finish(std::mem::replace(&mut finished, chunk));
            }
        }
        progress.finish(finished);
        machine.flush(&mut worker.log);
        // Here, because the other workers do so at the same time: at the end it would have to be done for all of them.
        result.counted = worker.by_instruction(self.plan);
        result
    }
}

/// Adds what a worker has counted to what others have, both by instruction.
fn add(all: &mut Vec<Counters>, own: Vec<Counters>) {
    if all.is_empty() {
        *all = own;
        return;
    }
    all.iter_mut().zip(&own).for_each(|(all, own)| all.add(own));
}

/// The block with which the launch, in block order, has spent more than its budget.
fn first_over(budget: u64, results: &[WorkerResult]) -> Option<u32> {
    let total: u64 = results.iter().flat_map(|r| &r.work).map(|n| n.of).sum();
    if total <= budget {
        return None;
    }
    let mut all: Vec<_> = results.iter().flat_map(|r| &r.work).collect();
    all.sort_unstable_by_key(|n| n.block);
    let mut spent = 0;
    let over = all.into_iter().find(|n| {
        spent += n.of;
        spent > budget
    });
    over.map(|n| n.block)
}
