//! A launch at work: buffers taken out of memory, blocks spread over workers, and the repetition in block order when
//! blocks turn out to depend on each other.

use crate::counters::Counters;
use crate::driver::accepted::{Accepted, Purpose};
use crate::driver::buffers::WritableBuffers;
use crate::driver::progress::{FinishedBlocks, GridProgress};
use crate::fault::{Fault, FaultKind, LaunchFailure};
use crate::host_threads;
use crate::isa::HostIsa;
use crate::launch::{LaunchOutcome, Options, Proved};
use crate::machine::block::resident::{GridDone, MAX_STATE_BYTES, run_in_order, state_bytes};
use crate::machine::block::run::run_block;
use crate::machine::block::state::BlockDone;
use crate::machine::block::worker::Worker;
use crate::machine::blockwise::run_block_as_one;
use crate::machine::context::{ConstantView, ThreadOrder};
use crate::machine::memory::buffer::{Buffer, BufferId};
use crate::machine::memory::device::{DeviceMemory, Symbol};
use crate::machine::memory::heap::Heap;
use crate::machine::recording::Recording;
use crate::machine::{BufferView, Machine};
use crate::observe::{Observers, can_screen, recorded};
use crate::plan::{Plan, Unit};
use simt_ir::Constant;
use simt_ir::pointer::{self, Space};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// What a launch may cost of the budget, besides as much as it has itself, to see what another order of threads does.
const ANOTHER_ORDER: u64 = 1 << 13;

/// A launch with all that belongs to it.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) accepted: &'a Accepted<'a>,
    pub(super) options: &'a Options,
    pub(super) plan: &'a Plan,
    pub(super) purpose: Purpose<'a>,
    /// Whether its blocks run in order from the first: they have been found to depend on each other.
    pub(super) starts_in_order: bool,
}

/// Nothing was done, because the launch does not fit the plan.
pub(crate) struct Misfit {
    /// Whether its blocks have to run in order.
    pub(crate) in_order: bool,
    /// Whether something that was proved is wrong.
    pub(crate) refuted: bool,
}

/// A fault that ends the launch.
struct Ended {
    /// The last block that counts: the fault's own, where it has one.
    last_block: u32,
    /// What that block has cost.
    work: u64,
    fault: Box<Fault>,
    /// What the blocks printed until then, up to the last one that counts.
    printed: String,
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
    /// Whether blocks run in order from the first, where the exact engine looks for races: their order matters, or screening could not say that
    /// there are none.
    fn is_ordered_first(&self, written: &WritableBuffers) -> bool {
        self.starts_in_order
            || self.plan.effects.ordered_atomics
            || self.plan.effects.allocates
            || self.has_grid_barrier()
            || self.options.checks && (!can_screen(self.plan) || written.are_read_only)
    }

    fn blocks(&self) -> u32 {
        self.accepted.launch.grid.iter().product()
    }

    /// Whether blocks meet at barriers of the grid.
    fn has_grid_barrier(&self) -> bool {
        self.accepted.launch.cooperative.is_some()
            && self.plan.records.barriers.iter().any(|barrier| barrier.grid)
    }

    /// Runs all blocks: at once, and again in order if they turn out to depend on each other, or if it takes more to tell whether accesses
    /// race; and once more with the last threads first, if anything but barriers has ordered accesses.
    ///
    /// # Errors
    /// If nothing was done.
    pub(crate) fn run_all(
        &self,
        written: &mut WritableBuffers,
        memory: &DeviceMemory,
    ) -> Result<Result<LaunchOutcome, Box<LaunchFailure>>, Misfit> {
        if self.purpose.recovery.is_some() {
            written.begin(true);
            return Ok(self.run_blocks(&self.machine(written, memory, (true, false))));
        }
        let mut ordered = self.is_ordered_first(written);
        if ordered && self.plan.unit == Unit::Block {
            return Err(Misfit { in_order: true, refuted: false });
        }
        let spent = self.accepted.work.load(Relaxed);
        // Which volatile store is to a flag depends on the stores to shared memory before it.
        let may_screen = |ordered: bool| can_screen(self.plan) && !(ordered && self.plan.effects.volatile);
        let mut screens_shared = may_screen(ordered);
        loop {
            written.begin(ordered);
            let machine = self.machine(written, memory, (ordered, screens_shared));
            let result = self.run_blocks(&machine);
            // In order, only screening of shared memory conflicts.
            let depends = (!ordered || screens_shared) && machine.conflict.load(Relaxed);
            let (is_misfit, learned) = (machine.misfit.load(Relaxed), machine.learned.load(Relaxed));
            let refuted = machine.refuted.load(Relaxed);
            self.plan.is_compared.store(!refuted, Relaxed);
            drop(machine);
            if refuted || is_misfit || self.plan.unit == Unit::Block && (depends || result.is_err()) {
                written.restore();
                self.accepted.work.store(spent, Relaxed);
                return Err(Misfit { in_order: !refuted && !is_misfit && depends, refuted });
            }
            if depends {
                written.restore();
                // How far that got is chance.
                self.accepted.work.store(spent, Relaxed);
                screens_shared = !ordered && may_screen(true);
                ordered = true;
                continue;
            }
            return Ok(match result {
                Ok(outcome) if learned => {
                    self.in_descending_order(written, memory, screens_shared, (outcome, spent))
                }
                result => result,
            });
        }
    }

    /// An outcome, unless a race shows if the last threads go first; with what is worth a warning then. The launch had cost `spent` before.
    fn in_descending_order(
        &self,
        written: &mut WritableBuffers,
        memory: &DeviceMemory,
        screens_shared: bool,
        (mut outcome, spent): (LaunchOutcome, u64),
    ) -> Result<LaunchOutcome, Box<LaunchFailure>> {
        let own = self.accepted.work.load(Relaxed);
        let cost = own - spent;
        // In a small launch, lanes by themselves: these take longer.
        let (thread_order, budget) = match cost {
            ..=ANOTHER_ORDER => (ThreadOrder::LanesDescending, 64 * ANOTHER_ORDER),
            _ => (ThreadOrder::Descending, 2 * cost),
        };
        let options = Options { counters: false, instruction_budget: budget, ..self.options.clone() };
        let job = Job { options: &options, ..*self };
        let run = written.set_aside();
        let mut once = |screens_shared| {
            written.begin(true);
            let machine = Machine { thread_order, ..job.machine(written, memory, (true, screens_shared)) };
            let result = job.run_blocks(&machine);
            let is_in_doubt = screens_shared && machine.conflict.load(Relaxed);
            drop(machine);
            written.restore();
            (!is_in_doubt).then_some(result)
        };
        let result = once(screens_shared).or_else(|| once(false));
        written.take_back(run);
        self.accepted.work.store(own, Relaxed);
        match result {
            Some(Err(failure)) if failure.fault.kind.is_race() => Err(failure),
            // What else another order does is not known to be a mistake.
            Some(Err(_)) | None => Ok(outcome),
            Some(Ok(other)) => {
                let places = |note: &Fault| {
                    let mut places = [note.location, note.other];
                    places.sort();
                    (std::mem::discriminant(&note.kind), places)
                };
                let is_new =
                    |note: &Fault| !outcome.warnings.iter().any(|known| places(known) == places(note));
                let notes: Vec<Fault> = other.warnings.into_iter().filter(is_new).collect();
                outcome.warnings.extend(notes);
                Ok(outcome)
            }
        }
    }

    pub(crate) fn machine<'m>(
        &'m self,
        written: &'m WritableBuffers,
        memory: &'m DeviceMemory,
        (ordered, screens_shared): (bool, bool),
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
            module: self.accepted.kernel.module,
            kernel: self.accepted.entry,
            plan: self.plan,
            launch: self.accepted.launch,
            options: self.options,
            isa: HostIsa::detect(self.options.isa),
            constants: self.accepted.symbols.globals.iter().map(constant).collect(),
            textures: &memory.textures,
            surfaces: &memory.surfaces,
            heap: memory.heap.as_ref().map(|heap| Heap::new(heap, memory.heap_blocks)),
            shared_bytes: self.accepted.shared_bytes,
            ordered,
            thread_order: ThreadOrder::Ascending,
            conflict: AtomicBool::new(false),
            misfit: AtomicBool::new(false),
            refuted: AtomicBool::new(false),
            warnings: Mutex::default(),
            recovery: self.purpose.recovery,
            recording: self.options.record.then(Recording::default),
            watching: self.purpose.watching,
            buffers,
            screens_shared,
            learned: AtomicBool::new(false),
        }
    }

    /// Runs all blocks on a machine.
    fn run_blocks(&self, machine: &Machine) -> Result<LaunchOutcome, Box<LaunchFailure>> {
        let GridOutput { printed, counted } =
            self.execute(machine).map_err(|Ended { last_block, fault, printed, .. }| {
                let warnings = machine.take_warnings(last_block);
                Box::new(LaunchFailure { warnings, printed, ..LaunchFailure::of(*fault) })
            })?;
        let warnings = machine.take_warnings(u32::MAX);
        let recorded = recorded(machine);
        let proved = self.options.checks.then(|| self.proved(machine));
        let mut outcome = LaunchOutcome { proved, printed, warnings, recorded, ..LaunchOutcome::default() };
        counted.iter().for_each(|here| outcome.counters.add(here));
        outcome.lines = self.by_location(&counted);
        Ok(outcome)
    }

    /// What was proved, in terms of the program.
    fn proved(&self, machine: &Machine) -> Proved {
        let proofs = &self.plan.proofs;
        let mut proved = Proved {
            accesses: proofs.inside.len(),
            inside: proofs.inside.iter().filter(|inside| **inside).count(),
            ..Proved::default()
        };
        let mut add = |name: &str, is_apart: bool, is_initialized: bool| {
            let names = if is_apart { &mut proved.apart } else { &mut proved.checked };
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
                proved.initialized.extend(is_initialized.then(|| name.to_owned()));
            }
        };
        let mut add_buffer = |name: &str, id: u32| {
            let is_initialized = match &machine.buffers[id as usize] {
                BufferView::ReadOnly { unwritten, .. } => unwritten.is_none(),
                BufferView::Written(view) => view.unwritten.is_none(),
                BufferView::Freed => true,
            };
            add(name, proofs.apart.contains(&id), is_initialized);
        };
        // Where nothing is known of some place, any buffer may be there.
        let is_accessed = |buffer: u32| proofs.anywhere || proofs.accessed.contains(&buffer);
        for (param, arg) in self.accepted.entry.params.iter().zip(&self.accepted.launch.args) {
            if let Constant::Ptr(p) = arg
                && pointer::space(*p) == Space::Global
                && is_accessed(pointer::allocation(*p))
            {
                add_buffer(&param.name, pointer::allocation(*p));
            }
        }
        for (global, symbol) in self.accepted.kernel.module.globals.iter().zip(&self.accepted.symbols.globals)
        {
            if let Symbol::Device(BufferId(id)) = symbol
                && is_accessed(*id)
            {
                add_buffer(&global.name, *id);
            }
        }
        for (number, variable) in self.accepted.entry.shared.iter().enumerate() {
            if proofs.anywhere || proofs.shared_accessed.get(number) == Some(&true) {
                let is_known = proofs.shared_written.get(number) == Some(&true);
                add(&variable.name, is_known, is_known);
            }
        }
        proved
    }

    /// What was counted by instruction, by location; nothing without counters.
    fn by_location(&self, counted: &[Counters]) -> Vec<Counters> {
        if !self.options.counters {
            return Vec::new();
        }
        let mut lines = vec![Counters::default(); self.accepted.kernel.module.locations.len()];
        for (here, location) in counted.iter().zip(self.plan.locations.iter()) {
            if let Some(line) = location.and_then(|l| lines.get_mut(l.0 as usize)) {
                line.add(here);
            }
        }
        lines
    }

    /// Keeps what was counted by instruction until the budget ended, where that is asked for.
    fn keep_sample(&self, counted: &[Counters]) {
        if let Some(sampled) = self.purpose.sampled {
            *sampled.lock().unwrap_or_else(|e| e.into_inner()) = self.by_location(counted);
        }
    }

    /// Runs the blocks, each taken by whichever worker is free; gives what was printed and, if that is asked for, what was counted by
    /// instruction.
    fn execute(&self, machine: &Machine) -> Result<GridOutput, Ended> {
        if machine.ordered {
            // All that is known by then came before the fault.
            return self.execute_in_order(machine);
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
        let counted = counted.into_inner().unwrap_or_else(|e| e.into_inner());
        self.keep_sample(&counted);
        let mut results: Vec<WorkerResult> = results.into_inner().unwrap_or_else(|e| e.into_inner());
        let fault = results.iter_mut().filter_map(|r| r.fault.take()).min_by_key(|ended| ended.last_block);
        // Whichever comes first in block order, the fault or the end of the budget.
        let spent_by = first_over(self.options.instruction_budget, &results);
        match (fault, spent_by) {
            (Some(ended), last) if last.is_none_or(|last| ended.last_block <= last) => {
                let before = results.iter().flat_map(|r| &r.work).filter(|w| w.block < ended.last_block);
                self.charge(before.map(|w| w.of).sum::<u64>() + ended.work);
                let printed = self.printed_until(ended.last_block, &mut results);
                return Err(Ended { printed, ..ended });
            }
            (_, Some(last_block)) => {
                self.charge(self.options.instruction_budget);
                let printed = self.printed_until(last_block, &mut results);
                return Err(Ended { last_block, work: 0, fault: self.over_budget(), printed });
            }
            (_, None) => self.charge(results.iter().flat_map(|r| &r.work).map(|w| w.of).sum()),
        }
        Ok(GridOutput { printed: self.printed_until(u32::MAX, &mut results), counted })
    }

    /// What blocks up to a last one printed, in their order; it is taken from the results.
    fn printed_until(&self, last_block: u32, results: &mut [WorkerResult]) -> String {
        let all = results.iter_mut().flat_map(|r| std::mem::take(&mut r.printed));
        let mut printed: Vec<_> = all.filter(|text| text.block <= last_block).collect();
        printed.sort_by_key(|text| text.block);
        self.truncated(printed.into_iter().map(|text| text.of).collect())
    }

    /// Runs the blocks one after the other, and those that wait for each other in turn.
    fn execute_in_order(&self, machine: &Machine) -> Result<GridOutput, Ended> {
        // All that is known when a block faults came before the fault.
        let ended = |fault, printed| Ended { last_block: u32::MAX, work: 0, fault, printed };
        let bytes = state_bytes(machine, self.blocks().into());
        if self.has_grid_barrier() && bytes > MAX_STATE_BYTES {
            let kind = FaultKind::CooperativeState { bytes, limit: MAX_STATE_BYTES };
            let fault = Box::new(Fault::launch(kind, Some(self.accepted.entry.location)));
            return Err(ended(fault, String::new()));
        }
        let limit = self.accepted.launch.cooperative.unwrap_or(self.options.limits.resident_blocks);
        let GridDone { counted, printed, spent, fault, over_budget } =
            run_in_order::<Observers>(machine, self.blocks(), limit);
        let printed = self.truncated(printed);
        self.charge(spent);
        if let Some(fault) = fault {
            return Err(ended(fault, printed));
        }
        self.keep_sample(&counted);
        match over_budget {
            true => Err(ended(self.over_budget(), printed)),
            false => Ok(GridOutput { printed, counted }),
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
        self.accepted.work.fetch_add(work, Relaxed);
    }

    fn over_budget(&self) -> Box<Fault> {
        let kind = FaultKind::InstructionBudget { limit: self.options.instruction_budget };
        Box::new(Fault::launch(kind, Some(self.accepted.entry.location)))
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
                if !machine.runs(block) {
                    continue;
                }
                let over = progress.spent.load(Relaxed) > self.options.instruction_budget;
                let stale = machine.conflict.load(Relaxed);
                if over || stale || block > progress.first_fault.load(Relaxed) {
                    break 'chunks;
                }
                let ran = match self.plan.unit {
                    Unit::Warp => run_block(machine, &mut worker, block),
                    Unit::Block => match run_block_as_one(machine, &mut worker, block) {
                        Ok(done) => Ok(Some(done)),
                        Err(_) => {
                            machine.misfit.store(true, Relaxed);
                            machine.conflict.store(true, Relaxed);
                            break 'chunks;
                        }
                    },
                };
                match ran {
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
                        let printed = std::mem::take(&mut worker.block.printed);
                        result.printed.push(OfBlock { block, of: printed });
                        let work = worker.block.work();
                        result.fault = Some(Ended { last_block: block, work, fault, printed: String::new() });
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
