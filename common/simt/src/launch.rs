//! Launches: from dimensions and arguments to the outcome.

use crate::check::Checks;
use crate::count::Counting;
use crate::counters::Counters;
use crate::exec::lanes::Isa;
use crate::exec::{BlockDone, Machine, Nothing, Observer, View, Worker, WrittenView, run_block};
use crate::fault::{Fault, FaultKind};
use crate::memory::{Buffer, BufferId, DeviceMemory, ModuleId, Symbol, Symbols};
use crate::plan::{self, Plan};
use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, Kernel, Memory, Module, ParamKind};
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

/// What a launch asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Blocks by axis.
    pub grid: [u32; 3],
    /// Threads of a block by axis.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Arguments, one a parameter, each of its register type.
    pub args: Vec<Constant>,
}

/// How accesses become transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryRules {
    /// 32-byte sectors, 32 banks: compute capability 3.0 and later.
    #[default]
    Modern,
    /// Half-warps coalesced into segments of 32, 64 or 128 bytes, 16 banks: compute capability 1.2 and 1.3.
    Compute1,
}

/// How to run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Threads of the host; 0 for one a core. The outcome does not depend on it.
    pub threads: usize,
    /// Whether to look for races and reads of memory that nobody wrote.
    pub checks: bool,
    /// Whether to count.
    pub counters: bool,
    /// Warp instructions that the launch may execute. One block may execute this, or 64 blocks' fair share (but
    /// always ten million) if that is less, so that an endless loop in a large grid is found soon.
    pub instruction_budget: u64,
    /// Threads that a block may have.
    pub max_threads: u32,
    /// Bytes of static shared memory that a kernel may declare.
    pub static_shared_limit: u32,
    /// Bytes of shared memory, static and dynamic, that a block may have.
    pub shared_limit: u32,
    /// Bytes of L1 and shared memory together; what shared memory leaves is the cache.
    pub l1_bytes: u64,
    /// How accesses become transactions.
    pub rules: MemoryRules,
    /// 0 lets warps take turns by index; any other number permutes them.
    pub schedule_seed: u64,
    /// Bytes of `printf` output kept.
    pub printed_bytes: usize,
}

impl Default for Options {
    /// An H200's limits, all checks and counters on.
    fn default() -> Options {
        Options {
            threads: 0,
            checks: true,
            counters: true,
            instruction_budget: 2_000_000_000,
            max_threads: 1024,
            static_shared_limit: 48 << 10,
            shared_limit: 227 << 10,
            l1_bytes: 192 << 10,
            rules: MemoryRules::Modern,
            schedule_seed: 0,
            printed_bytes: 1 << 20,
        }
    }
}

/// What a launch that went well leaves besides memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchOutcome {
    /// Totals; zero if [`Options::counters`] is off.
    pub counters: Counters,
    /// By [`simt_ir::Location`], as long as [`Module::locations`]; empty if not counted.
    pub lines: Vec<Counters>,
    /// What is suspect but no error.
    pub warnings: Vec<Fault>,
    /// What the kernel printed, block by block.
    pub printed: String,
}

/// Runs a kernel: `kernel` indexes [`Module::kernels`], and `symbols` is the module as [`DeviceMemory::load`] gave it.
///
/// # Errors
/// A fault of the launch, or the first one in block order of its threads. Buffers are then as before the launch.
pub fn run(
    module: &Module,
    symbols: ModuleId,
    kernel: usize,
    launch: &Launch,
    memory: &mut DeviceMemory,
    options: &Options,
) -> Result<LaunchOutcome, Box<Fault>> {
    let invalid = |message: String| Box::new(Fault::launch(FaultKind::InvalidModule { message }, None));
    simt_ir::validate(module).map_err(|e| invalid(e.to_string()))?;
    let no_kernel = || invalid(format!("kernel {kernel} does not exist"));
    let entry = module.kernels.get(kernel).ok_or_else(no_kernel)?;
    let found = memory.modules.get(symbols.0 as usize).filter(|s| s.globals.len() == module.globals.len());
    let loaded = found.cloned().ok_or_else(|| invalid("the module is not loaded".into()))?;
    let shared_bytes = check_launch(entry, launch, options)?;
    let global = |index: u32| match &loaded.globals[index as usize] {
        Symbol::Constant(_) => pointer::pack(Space::Constant, index, 0),
        Symbol::Device(id) => id.pointer(),
    };
    let plan = plan::compile(module, entry, launch, &global);
    let job = Job { module, entry, launch, options, plan: &plan, symbols: &loaded, shared_bytes };
    let mut written = Written::take(&job, memory);
    let result = job.run_all(&mut written, memory);
    written.put_back(memory, result.is_ok());
    result
}

/// Bytes of local memory that a thread may have.
const LOCAL_BYTES: u32 = 512 << 10;

/// Limits and arguments; gives the bytes of the block's shared segment.
fn check_launch(kernel: &Kernel, launch: &Launch, options: &Options) -> Result<u32, Box<Fault>> {
    let refuse = |kind| Err(Box::new(Fault::launch(kind, Some(kernel.location))));
    if launch.grid.contains(&0) || launch.block.contains(&0) {
        return refuse(FaultKind::EmptyLaunch);
    }
    let product = |d: [u32; 3]| d.iter().try_fold(1u64, |n, e| n.checked_mul(u64::from(*e)));
    let threads = product(launch.block).unwrap_or(u64::MAX);
    let bounds = kernel.max_threads.unwrap_or(options.max_threads);
    let limit = u64::from(bounds.min(options.max_threads));
    let launch_bounds = bounds < options.max_threads;
    if threads > limit {
        return refuse(FaultKind::BlockTooLarge { threads, limit, launch_bounds });
    }
    if launch.block[2] > 64 {
        let threads = u64::from(launch.block[2]);
        return refuse(FaultKind::BlockTooLarge { threads, limit: 64, launch_bounds: false });
    }
    for (axis, limit) in [(0, u64::from(i32::MAX as u32)), (1, 65535), (2, 65535)] {
        let blocks = u64::from(launch.grid[axis]);
        if blocks > limit {
            return refuse(FaultKind::GridTooLarge { axis: axis as u32, blocks, limit });
        }
    }
    // Blocks are numbered by 32 bits, less two for marks.
    match product(launch.grid) {
        Some(blocks) if blocks < u64::from(u32::MAX) - 2 => {}
        blocks => {
            let limit = u64::from(u32::MAX) - 2;
            return refuse(FaultKind::GridTooLarge { axis: 0, blocks: blocks.unwrap_or(u64::MAX), limit });
        }
    }
    if kernel.shared.iter().any(|v| v.offset.checked_add(v.bytes).is_none()) {
        return refuse(FaultKind::InvalidModule { message: "shared memory ends beyond 4 GiB".into() });
    }
    let declared = kernel.static_shared_bytes();
    let dynamic = kernel.shared.iter().find(|v| v.dynamic).map_or(declared, |v| v.offset.max(declared));
    let total = u64::from(dynamic) + u64::from(launch.dynamic_shared);
    if declared > options.static_shared_limit || total > u64::from(options.shared_limit) {
        let over = declared > options.static_shared_limit;
        return refuse(FaultKind::SharedOverLimit {
            declared: u64::from(declared),
            dynamic: u64::from(launch.dynamic_shared),
            limit: u64::from(if over { options.static_shared_limit } else { options.shared_limit }),
        });
    }
    let ends = |offset: u32, bytes: u32| offset.checked_add(bytes).is_some_and(|end| end <= LOCAL_BYTES);
    if !kernel.locals.iter().all(|l| ends(l.offset, l.bytes)) {
        let message = format!("a thread's local arrays take more than {LOCAL_BYTES} bytes");
        return refuse(FaultKind::InvalidModule { message });
    }
    check_arguments(kernel, launch)?;
    Ok(total as u32)
}

fn check_arguments(kernel: &Kernel, launch: &Launch) -> Result<(), Box<Fault>> {
    let refuse = |index: usize, message: String| {
        let kind = FaultKind::LaunchArgument { index: index as u32, message };
        Err(Box::new(Fault::launch(kind, Some(kernel.location))))
    };
    if launch.args.len() != kernel.params.len() {
        let message = format!("{} arguments for {} parameters", launch.args.len(), kernel.params.len());
        return refuse(launch.args.len().min(kernel.params.len()), message);
    }
    for (index, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
        let expected = param.kind.register();
        if arg.ty() != expected {
            return refuse(index, format!("a {:?} for a parameter of type {expected:?}", arg.ty()));
        }
        if let (
            ParamKind::Scalar(Memory::U8 | Memory::U16 | Memory::S8 | Memory::S16),
            Constant::I32(value),
        ) = (param.kind, arg)
        {
            let fits = match param.kind {
                ParamKind::Scalar(Memory::U8) => *value <= 0xff,
                ParamKind::Scalar(Memory::U16) => *value <= 0xffff,
                ParamKind::Scalar(Memory::S8) => i8::try_from(*value as i32).is_ok(),
                _ => i16::try_from(*value as i32).is_ok(),
            };
            if !fits {
                return refuse(index, format!("{} is outside of the parameter's type", *value as i32));
            }
        }
    }
    Ok(())
}

/// A buffer that the kernel may write, taken out of memory for the launch.
struct Taken {
    id: u32,
    words: Vec<AtomicU32>,
    original: Vec<u32>,
    bytes: u64,
    unwritten: Option<Vec<u64>>,
    writers: Vec<AtomicU32>,
    readers: Vec<AtomicU32>,
}

/// All of them.
struct Written(Vec<Taken>);

fn zeros(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

impl Written {
    fn take(job: &Job, memory: &mut DeviceMemory) -> Written {
        let reach = &job.plan.reach;
        let read = job.origins(reach.loaded);
        let mut taken = Vec::new();
        for id in job.origins(reach.written).among(memory.buffers.len()) {
            let Some(buffer) = memory.buffers[id].take() else { continue };
            let count = buffer.words.len();
            taken.push(Taken {
                id: id as u32,
                original: buffer.words.clone(),
                words: buffer.words.into_iter().map(AtomicU32::new).collect(),
                bytes: buffer.bytes,
                unwritten: buffer.unwritten,
                writers: zeros(count),
                readers: if read.contains(id) { zeros(count) } else { Vec::new() },
            });
        }
        Written(taken)
    }

    /// Undoes what the launch has done so far.
    fn restore(&mut self) {
        for taken in &mut self.0 {
            for (word, old) in taken.words.iter_mut().zip(&taken.original) {
                *word.get_mut() = *old;
            }
            taken.writers.iter_mut().chain(&mut taken.readers).for_each(|w| *w.get_mut() = 0);
        }
    }

    fn put_back(self, memory: &mut DeviceMemory, keep: bool) {
        for mut taken in self.0 {
            if let (true, Some(bits)) = (keep, &mut taken.unwritten) {
                let written = taken.writers.iter().enumerate().filter(|(_, w)| w.load(Relaxed) != 0);
                for (word, _) in written {
                    bits[word / 64] &= !(1 << (word % 64));
                }
            }
            let words = match keep {
                true => taken.words.into_iter().map(AtomicU32::into_inner).collect(),
                false => taken.original,
            };
            memory.buffers[taken.id as usize] =
                Some(Buffer { words, bytes: taken.bytes, unwritten: taken.unwritten });
        }
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
struct Job<'a> {
    module: &'a Module,
    entry: &'a Kernel,
    launch: &'a Launch,
    options: &'a Options,
    plan: &'a Plan,
    symbols: &'a Symbols,
    shared_bytes: u32,
}

/// What one worker has at the end.
struct Part<O> {
    observer: O,
    printed: Vec<(u32, String)>,
    instructions: u64,
    fault: Option<(u32, Box<Fault>)>,
}

impl<'a> Job<'a> {
    /// The buffers that a set of origins means in this launch.
    fn origins(&self, set: plan::provenance::Set) -> Buffers {
        use plan::provenance::{UNKNOWN, global_bit, param_bit};
        if set & UNKNOWN != 0 {
            return Buffers::All;
        }
        let mut ids = Vec::new();
        for (index, symbol) in (0..).zip(&self.symbols.globals) {
            if let (Symbol::Device(BufferId(id)), true) = (symbol, set & global_bit(index) != 0) {
                ids.push(*id);
            }
        }
        for (index, arg) in (0..).zip(&self.launch.args) {
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

    /// Runs all blocks: at once, and again in order if they turn out to depend on it.
    fn run_all(&self, written: &mut Written, memory: &DeviceMemory) -> Result<LaunchOutcome, Box<Fault>> {
        if !self.plan.reach.ordered_atomics {
            let machine = self.machine(written, memory, false);
            let result = self.observe(&machine);
            if !machine.conflict.load(Relaxed) {
                return result;
            }
            drop(machine);
            written.restore();
        }
        self.observe(&self.machine(written, memory, true))
    }

    fn machine<'m>(&'m self, written: &'m Written, memory: &'m DeviceMemory, ordered: bool) -> Machine<'m> {
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
                writers: &t.writers,
                readers: &t.readers,
            });
        }
        let constant = |symbol: &'m Symbol| match symbol {
            Symbol::Constant(buffer) => Some((buffer.words.as_slice(), buffer.bytes)),
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
            isa: Isa::detect(),
            buffers,
            constants: self.symbols.globals.iter().map(constant).collect(),
            textures: &memory.textures,
            shared_bytes: self.shared_bytes,
            block_budget: share.max(10_000_000).min(budget),
            ordered,
            conflict: AtomicBool::new(false),
        }
    }

    /// Runs with the observers asked for.
    fn observe(&self, machine: &Machine) -> Result<LaunchOutcome, Box<Fault>> {
        match (self.options.checks, self.options.counters) {
            (true, true) => {
                let parts = self.execute(machine, || (Checks::default(), Counting::new(machine)))?;
                Ok(self.outcome(parts.0, parts.1.iter().map(|o| &o.1)))
            }
            (false, true) => {
                let parts = self.execute(machine, || Counting::new(machine))?;
                Ok(self.outcome(parts.0, parts.1.iter()))
            }
            (true, false) => {
                let parts = self.execute(machine, Checks::default)?;
                Ok(LaunchOutcome { printed: parts.0, ..LaunchOutcome::default() })
            }
            (false, false) => {
                let parts = self.execute(machine, Nothing::default)?;
                Ok(LaunchOutcome { printed: parts.0, ..LaunchOutcome::default() })
            }
        }
    }

    fn outcome<'o>(&self, printed: String, counted: impl Iterator<Item = &'o Counting>) -> LaunchOutcome {
        let mut counters = Counters::default();
        let mut lines = vec![Counters::default(); self.module.locations.len()];
        counted.for_each(|c| c.collect(self.plan, &mut counters, &mut lines));
        LaunchOutcome { counters, lines, warnings: Vec::new(), printed }
    }

    /// Runs the blocks, each taken by whichever worker is free; gives what was printed, and the observers.
    fn execute<O: Observer + Send>(
        &self,
        machine: &Machine,
        observer: impl Fn() -> O + Sync,
    ) -> Result<(String, Vec<O>), Box<Fault>> {
        let blocks = self.blocks();
        let workers = match self.options.threads {
            _ if machine.ordered => 1,
            0 => rayon::current_num_threads(),
            n => n,
        };
        let workers = workers.min(blocks as usize).max(1);
        // Small enough that workers end together, large enough that a worker stays in one part of memory.
        let chunk = (u64::from(blocks) / (workers as u64 * 16)).clamp(1, 64);
        let shared = Shared {
            next: AtomicU64::new(0),
            spent: AtomicU64::new(0),
            first_fault: AtomicU32::new(u32::MAX),
        };
        let parts = Mutex::new(Vec::new());
        let work = || {
            let part = self.work(machine, observer(), &shared, chunk);
            parts.lock().unwrap_or_else(|e| e.into_inner()).push(part);
        };
        if workers == 1 {
            work();
        } else {
            rayon::scope(|scope| (0..workers).for_each(|_| scope.spawn(|_| work())));
        }
        let mut parts: Vec<Part<O>> = parts.into_inner().unwrap_or_else(|e| e.into_inner());
        let fault = parts.iter_mut().filter_map(|p| p.fault.take()).min_by_key(|(block, _)| *block);
        if let Some((_, fault)) = fault {
            return Err(fault);
        }
        if parts.iter().map(|p| p.instructions).sum::<u64>() > self.options.instruction_budget {
            return Err(self.over_budget());
        }
        let mut printed: Vec<_> = parts.iter_mut().flat_map(|p| std::mem::take(&mut p.printed)).collect();
        printed.sort_by_key(|(block, _)| *block);
        let mut text: String = printed.into_iter().map(|(_, text)| text).collect();
        while text.len() > self.options.printed_bytes {
            text.pop();
        }
        Ok((text, parts.into_iter().map(|p| p.observer).collect()))
    }

    fn over_budget(&self) -> Box<Fault> {
        let kind = FaultKind::InstructionBudget { limit: self.options.instruction_budget };
        Box::new(Fault::launch(kind, Some(self.entry.location)))
    }

    /// One worker: takes chunks of blocks until none is left, or none that comes before a fault.
    fn work<O: Observer>(&self, machine: &Machine, observer: O, shared: &Shared, chunk: u64) -> Part<O> {
        let blocks = u64::from(self.blocks());
        let mut worker = Worker::new(machine, observer);
        let mut part = (Vec::new(), 0u64, None);
        'chunks: loop {
            let start = shared.next.fetch_add(chunk, Relaxed);
            if start >= blocks {
                break;
            }
            for block in start..(start + chunk).min(blocks) {
                let block = block as u32;
                let over = shared.spent.load(Relaxed) > self.options.instruction_budget;
                let stale = !machine.ordered && machine.conflict.load(Relaxed);
                if over || stale || block > shared.first_fault.load(Relaxed) {
                    break 'chunks;
                }
                match run_block(machine, &mut worker, block) {
                    Ok(BlockDone { instructions, printed }) => {
                        part.1 += instructions;
                        shared.spent.fetch_add(instructions, Relaxed);
                        if !printed.is_empty() {
                            part.0.push((block, printed));
                        }
                    }
                    Err(fault) => {
                        shared.first_fault.fetch_min(block, Relaxed);
                        part.2 = Some((block, fault));
                        break 'chunks;
                    }
                }
            }
        }
        Part { observer: worker.observer, printed: part.0, instructions: part.1, fault: part.2 }
    }
}

/// What the workers of a launch tell each other.
struct Shared {
    /// The next block to take.
    next: AtomicU64,
    /// Instructions executed by finished blocks.
    spent: AtomicU64,
    /// The lowest block that has faulted.
    first_fault: AtomicU32,
}
