//! A launch at work: buffers taken out of memory, blocks spread over workers, and the repetition in block order when
//! blocks turn out to depend on each other.

use crate::counters::Counters;
use crate::fault::{Fault, FaultKind, LaunchFailure};
use crate::host_threads;
use crate::isa::HostIsa;
use crate::launch::{Launch, LaunchOutcome, Options};
use crate::machine::block::grid::{GridDone, STATE_LIMIT, run_grid, state_bytes};
use crate::machine::block::run::run_block;
use crate::machine::block::state::BlockDone;
use crate::machine::block::worker::Worker;
use crate::machine::memory::buffer::{Buffer, BufferId};
use crate::machine::memory::device::{DeviceMemory, Symbol, Symbols};
use crate::machine::memory::scratch::Scratch;
use crate::machine::memory::words::Words;
use crate::machine::{Machine, View, WrittenView};
use crate::observe::Observers;
use crate::plan::{self, Plan};
use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, GlobalIndex, Kernel, Module, ParamIndex};
use source::hash::Map;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

/// A buffer that the kernel may write, taken out of memory for the launch.
struct Taken {
    id: u32,
    words: Words<AtomicU32>,
    bytes: u64,
    unwritten: Option<Vec<u64>>,
    /// Whether the kernel reads it as well.
    read: bool,
    scratch: Scratch,
}

/// All of them.
pub(crate) struct Written(Vec<Taken>);

impl Written {
    pub(crate) fn take(job: &Job, memory: &mut DeviceMemory) -> Written {
        let reach = &job.plan.effects;
        let (read, updated) = (job.origins(reach.loaded), job.origins(reach.updated));
        let mut taken = Vec::new();
        for id in job.origins(reach.written).among(memory.buffers.len()) {
            let Some(mut buffer) = memory.buffers[id].take() else { continue };
            let blind = !read.contains(id) && !updated.contains(id);
            taken.push(Taken {
                id: id as u32,
                scratch: memory.pool.take(&mut buffer, blind),
                words: buffer.words.convert(AtomicU32::new),
                bytes: buffer.bytes,
                unwritten: buffer.unwritten,
                read: read.contains(id),
            });
        }
        Written(taken)
    }

    /// Gets ready to run the blocks, in order or not.
    pub(crate) fn begin(&mut self, ordered: bool) {
        for taken in &mut self.0 {
            taken.scratch.marks.begin(taken.read, ordered);
        }
    }

    /// Undoes what the launch has done so far.
    fn restore(&mut self) {
        for taken in &mut self.0 {
            let mut words = std::mem::take(&mut taken.words).convert(AtomicU32::into_inner);
            taken.scratch.restore(&mut words);
            taken.words = words.convert(AtomicU32::new);
        }
    }

    pub(crate) fn put_back(mut self, memory: &mut DeviceMemory, keep: bool) {
        if !keep {
            self.restore();
        }
        for mut taken in self.0 {
            let words = taken.words.convert(AtomicU32::into_inner);
            let mut buffer = Buffer { words, bytes: taken.bytes, unwritten: taken.unwritten };
            taken.scratch.end(&mut buffer, keep);
            memory.buffers[taken.id as usize] = Some(buffer);
            memory.pool.put_back(taken.scratch);
        }
        memory.pool.settle();
    }
}

/// A set of buffers: some, or all there are.
enum Buffers {
    All,
    Some(Vec<u32>),
}

impl Buffers {
    fn contains(&self, id: usize) -> bool {
        match self {
            Buffers::All => true,
            Buffers::Some(ids) => ids.contains(&(id as u32)),
        }
    }

    fn among(&self, count: usize) -> Vec<usize> {
        (0..count).filter(|id| self.contains(*id)).collect()
    }
}

/// A launch with all that belongs to it.
pub(crate) struct Job<'a> {
    pub(crate) module: &'a Module,
    pub(crate) entry: &'a Kernel,
    pub(crate) launch: &'a Launch,
    pub(crate) options: &'a Options,
    pub(crate) plan: &'a Plan,
    pub(crate) symbols: &'a Symbols,
    pub(crate) shared_bytes: u32,
}

/// A fault that ends the launch, and the last block that counts: its own, where it has one.
type Ended = (u32, Box<Fault>);

/// What one worker has at the end.
struct Part {
    printed: Vec<(u32, String)>,
    /// Instructions of each block that ended well.
    instructions: Vec<(u32, u64)>,
    fault: Option<Ended>,
}

impl<'a> Job<'a> {
    /// The buffers that a set of origins means in this launch.
    fn origins(&self, set: plan::effects::MemorySet) -> Buffers {
        use plan::effects::{UNKNOWN, global_bit, param_bit};
        if set & UNKNOWN != 0 {
            return Buffers::All;
        }
        let mut ids = Vec::new();
        for (index, symbol) in (0..).map(GlobalIndex).zip(&self.symbols.globals) {
            if let (Symbol::Device(BufferId(id)), true) = (symbol, set & global_bit(index) != 0) {
                ids.push(*id);
            }
        }
        for (index, arg) in (0..).map(ParamIndex).zip(&self.launch.args) {
            if let (Constant::Ptr(p), true) = (arg, set & param_bit(index) != 0)
                && pointer::space(*p) == Space::Global
            {
                ids.push(pointer::allocation(*p));
            }
        }
        Buffers::Some(ids)
    }

    fn blocks(&self) -> u32 {
        self.launch.grid.iter().product()
    }

    /// Whether blocks meet at barriers of the grid.
    fn meets(&self) -> bool {
        self.launch.cooperative.is_some() && self.plan.barriers.iter().any(|b| b.grid)
    }

    /// Runs all blocks: at once, and again in order if they turn out to depend on it.
    pub(crate) fn run_all(
        &self,
        written: &mut Written,
        memory: &DeviceMemory,
    ) -> Result<LaunchOutcome, Box<LaunchFailure>> {
        if !self.plan.effects.ordered_atomics && !self.meets() {
            written.begin(false);
            let machine = self.machine(written, memory, false);
            let result = self.observe(&machine);
            if !machine.conflict.load(Relaxed) {
                return result;
            }
            drop(machine);
            written.restore();
        }
        written.begin(true);
        self.observe(&self.machine(written, memory, true))
    }

    pub(crate) fn machine<'m>(
        &'m self,
        written: &'m Written,
        memory: &'m DeviceMemory,
        ordered: bool,
    ) -> Machine<'m> {
        let view = |buffer: &'m Option<Buffer>| match buffer {
            None => View::None,
            Some(b) => View::Plain { words: &b.words, bytes: b.bytes, unwritten: b.unwritten.as_deref() },
        };
        let mut buffers: Vec<View> = memory.buffers.iter().map(view).collect();
        for t in &written.0 {
            buffers[t.id as usize] = View::Written(WrittenView {
                words: &t.words,
                bytes: t.bytes,
                unwritten: t.unwritten.as_deref(),
                marks: &t.scratch.marks,
            });
        }
        let constant = |symbol: &'m Symbol| match symbol {
            Symbol::Constant(buffer) => Some((&*buffer.words, buffer.bytes)),
            Symbol::Device(_) => None,
        };
        let budget = self.options.instruction_budget;
        let share = (budget / u64::from(self.blocks())).saturating_mul(64);
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
            block_budget: share.min(budget / 20).max(10_000_000).min(budget),
            ordered,
            conflict: AtomicBool::new(false),
            warnings: Mutex::default(),
        }
    }

    /// Runs all blocks on a machine.
    fn observe(&self, machine: &Machine) -> Result<LaunchOutcome, Box<LaunchFailure>> {
        let (printed, counted) = self.execute(machine).map_err(|(last, fault)| {
            Box::new(LaunchFailure { fault: *fault, warnings: machine.warned(last) })
        })?;
        let warnings = machine.warned(u32::MAX);
        let mut outcome = LaunchOutcome { printed, warnings, ..LaunchOutcome::default() };
        if self.options.counters {
            outcome.lines = vec![Counters::default(); self.module.locations.len()];
        }
        for (here, location) in counted.iter().zip(&self.plan.locations) {
            outcome.counters.add(here);
            if let Some(line) = location.and_then(|l| outcome.lines.get_mut(l.0 as usize)) {
                line.add(here);
            }
        }
        Ok(outcome)
    }

    /// Runs the blocks, each taken by whichever worker is free; gives what was printed and, if that is asked for, what was counted by
    /// instruction.
    fn execute(&self, machine: &Machine) -> Result<(String, Vec<Counters>), Ended> {
        if self.meets() {
            // Blocks take turns: whatever is known by then came before.
            return self.execute_grid(machine).map_err(|fault| (u32::MAX, fault));
        }
        let blocks = self.blocks();
        let workers = match self.options.threads {
            _ if machine.ordered => 1,
            0 => host_threads::cores(),
            n => n,
        };
        let workers = workers.min(blocks as usize).max(1);
        let shared = Shared {
            parts: Shared::parts(u64::from(blocks), workers as u64),
            spent: AtomicU64::new(0),
            finished: Mutex::default(),
            first_fault: AtomicU32::new(u32::MAX),
        };
        let (parts, counted) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        host_threads::together(workers, |number| {
            if let Some(chunk) = shared.take(number) {
                let (part, own) = self.work(machine, &shared, (number, chunk));
                add(&mut counted.lock().unwrap_or_else(|e| e.into_inner()), own);
                parts.lock().unwrap_or_else(|e| e.into_inner()).push(part);
            }
        });
        let mut parts: Vec<Part> = parts.into_inner().unwrap_or_else(|e| e.into_inner());
        let fault = parts.iter_mut().filter_map(|p| p.fault.take()).min_by_key(|(block, _)| *block);
        // Whichever comes first in block order, the fault or the end of the budget.
        let spent_by = first_over(self.options.instruction_budget, &mut parts);
        match (fault, spent_by) {
            (Some(ended), last) if last.is_none_or(|last| ended.0 <= last) => return Err(ended),
            (_, Some(last)) => return Err((last, self.over_budget())),
            (_, None) => {}
        }
        let mut printed: Vec<_> = parts.iter_mut().flat_map(|p| std::mem::take(&mut p.printed)).collect();
        printed.sort_by_key(|(block, _)| *block);
        let text = printed.into_iter().map(|(_, text)| text).collect();
        Ok((self.kept(text), counted.into_inner().unwrap_or_else(|e| e.into_inner())))
    }

    /// Runs the blocks from one barrier of the grid to the next.
    fn execute_grid(&self, machine: &Machine) -> Result<(String, Vec<Counters>), Box<Fault>> {
        let bytes = state_bytes(machine, self.blocks());
        if bytes > STATE_LIMIT {
            let kind = FaultKind::CooperativeState { bytes, limit: STATE_LIMIT };
            return Err(Box::new(Fault::launch(kind, Some(self.entry.location))));
        }
        let GridDone { counted, printed, over_budget } = run_grid::<Observers>(machine, self.blocks())?;
        match over_budget {
            true => Err(self.over_budget()),
            false => Ok((self.kept(printed), counted)),
        }
    }

    /// As much of what was printed as is kept.
    fn kept(&self, mut text: String) -> String {
        while text.len() > self.options.printed_bytes {
            text.pop();
        }
        text
    }

    fn over_budget(&self) -> Box<Fault> {
        let kind = FaultKind::InstructionBudget { limit: self.options.instruction_budget };
        Box::new(Fault::launch(kind, Some(self.entry.location)))
    }

    /// One worker: takes chunks of blocks, of which it has the `first`, until none is left, or none that comes before a fault. Gives
    /// what it has counted by instruction as well, if that is asked for.
    fn work(
        &self,
        machine: &Machine,
        shared: &Shared,
        (number, first): (usize, Range<u64>),
    ) -> (Part, Vec<Counters>) {
        let mut worker = Worker::<Observers>::new(machine);
        let (mut printed_by, mut instructions_by, mut fault_of) = (Vec::new(), Vec::new(), None);
        let (mut next, mut end) = (Some(first), 0);
        // Chunks one behind the other that are finished, and their instructions. Others need not know of each by itself.
        let mut finished = (0..0, 0);
        let worth = self.options.instruction_budget / (64 * shared.parts.len() as u64);
        'chunks: while let Some(chunk) = next.take().or_else(|| shared.take(number)) {
            let mut spent = 0;
            if chunk.start < end {
                // It has gone on with the part of another, which comes before its own: what it has printed there comes later.
                worker.block.room = self.options.printed_bytes;
            }
            end = chunk.end;
            for block in chunk.clone() {
                let block = block as u32;
                let over = shared.spent.load(Relaxed) > self.options.instruction_budget;
                let stale = !machine.ordered && machine.conflict.load(Relaxed);
                if over || stale || block > shared.first_fault.load(Relaxed) {
                    break 'chunks;
                }
                match run_block(machine, &mut worker, block) {
                    Ok(BlockDone { instructions, printed }) => {
                        instructions_by.push((block, instructions));
                        spent += instructions;
                        if !printed.is_empty() {
                            // From part to part its blocks come in order, so later ones add to what these printed.
                            worker.block.room = worker.block.room.saturating_sub(printed.len());
                            printed_by.push((block, printed));
                        }
                    }
                    Err(fault) => {
                        shared.first_fault.fetch_min(block, Relaxed);
                        fault_of = Some((block, fault));
                        break 'chunks;
                    }
                }
            }
            if finished.0.end == chunk.start && finished.1 < worth {
                finished = (finished.0.start..chunk.end, finished.1 + spent);
            } else {
                shared.finish(std::mem::replace(&mut finished, (chunk, spent)));
            }
        }
        shared.finish(finished);
        machine.empty(&mut worker.log);
        let part = Part { printed: printed_by, instructions: instructions_by, fault: fault_of };
        // Here, because the other workers do so at the same time: at the end it would have to be done for all of them.
        (part, worker.by_instruction(self.plan))
    }
}

/// What the workers of a launch tell each other.
struct Shared {
    /// By worker: the blocks that are its own.
    parts: Vec<Blocks>,
    /// Instructions of the chunks from the first on, as far as all of them are finished.
    spent: AtomicU64,
    finished: Mutex<Finished>,
    /// The lowest block that has faulted.
    first_fault: AtomicU32,
}

/// Blocks of a worker; alone in its lines of the host's caches.
#[repr(align(128))]
struct Blocks {
    /// The next to take.
    next: AtomicU64,
    end: u64,
}

/// Chunks that are finished.
#[derive(Default)]
struct Finished {
    /// The first block of the next one to add to [`Shared::spent`].
    next: u64,
    /// Those that come after it: by first block, where they end and their instructions.
    waiting: Map<u64, (u64, u64)>,
}

impl Shared {
    /// Equal parts of a grid, each of neighbouring blocks.
    fn parts(blocks: u64, workers: u64) -> Vec<Blocks> {
        let from = |worker| blocks * worker / workers;
        (0..workers).map(|worker| Blocks { next: from(worker).into(), end: from(worker + 1) }).collect()
    }

    /// The next blocks for a worker: of its own part, and when that is gone, of another's. Many, so that it stays in one part of
    /// memory, and ever fewer, so that workers end together.
    fn take(&self, worker: usize) -> Option<Range<u64>> {
        let (before, from) = self.parts.split_at(worker);
        from.iter().chain(before).find_map(|Blocks { next, end: last }| {
            let end = |start: u64| start + ((last - start) / 8).clamp(1, 64);
            let start = next.fetch_update(Relaxed, Relaxed, |start| (start < *last).then(|| end(start)));
            start.ok().map(|start| start..end(start))
        })
    }

    /// Notes finished chunks and their instructions.
    fn finish(&self, (chunk, instructions): (Range<u64>, u64)) {
        if chunk.is_empty() {
            return;
        }
        let mut finished = self.finished.lock().unwrap_or_else(|e| e.into_inner());
        let Finished { next, waiting } = &mut *finished;
        waiting.insert(chunk.start, (chunk.end, instructions));
        while let Some((end, instructions)) = waiting.remove(next) {
            self.spent.fetch_add(instructions, Relaxed);
            *next = end;
        }
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
fn first_over(budget: u64, parts: &mut [Part]) -> Option<u32> {
    let total: u64 = parts.iter().flat_map(|p| &p.instructions).map(|(_, n)| n).sum();
    if total <= budget {
        return None;
    }
    let mut all: Vec<(u32, u64)> =
        parts.iter_mut().flat_map(|p| std::mem::take(&mut p.instructions)).collect();
    all.sort_unstable_by_key(|(block, _)| *block);
    let mut spent = 0;
    all.into_iter()
        .find(|(_, n)| {
            spent += n;
            spent > budget
        })
        .map(|(block, _)| block)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A launch of that many blocks for that many workers.
    fn shared(blocks: u64, workers: u64) -> Shared {
        Shared {
            parts: Shared::parts(blocks, workers),
            spent: AtomicU64::new(0),
            finished: Mutex::default(),
            first_fault: AtomicU32::new(u32::MAX),
        }
    }

    #[test]
    fn each_block_is_taken_once_whoever_asks() {
        for (blocks, workers) in [(1, 1), (2, 2), (7, 3), (1000, 4), (100_000, 16)] {
            for asks in [vec![0], vec![workers as usize - 1], (0..workers as usize).collect()] {
                let shared = shared(blocks, workers);
                let mut taken = vec![0; blocks as usize];
                for worker in asks.iter().cycle() {
                    let Some(chunk) = shared.take(*worker) else { break };
                    assert!(chunk.start < chunk.end && chunk.end - chunk.start <= 64, "{chunk:?}");
                    chunk.for_each(|block| taken[block as usize] += 1);
                }
                assert!(taken.iter().all(|times| *times == 1), "{blocks} blocks, asked by {asks:?}");
            }
        }
    }

    #[test]
    fn a_worker_begins_with_its_own_part_and_goes_on_with_the_others() {
        let shared = shared(9, 3);
        let taken: Vec<_> = std::iter::from_fn(|| shared.take(1)).flatten().collect();
        assert_eq!(taken, [3, 4, 5, 6, 7, 8, 0, 1, 2]);
    }

    #[test]
    fn instructions_are_added_up_in_block_order() {
        let shared = shared(10, 2);
        shared.finish((5..10, 7));
        assert_eq!(shared.spent.load(Relaxed), 0, "blocks 0 to 4 are not finished");
        shared.finish((0..3, 20));
        assert_eq!(shared.spent.load(Relaxed), 20);
        shared.finish((3..5, 300));
        assert_eq!(shared.spent.load(Relaxed), 327);
    }
}
