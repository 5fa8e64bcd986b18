//! Launches: from dimensions and arguments to the outcome.

use crate::counters::Counters;
use crate::exec::Isa;
use crate::fault::{Fault, FaultKind, LaunchFailure};
use crate::job::{Job, Written};
use crate::memory::{DeviceMemory, ModuleId, Symbol};
use crate::plan::kept::Planned;
use crate::{modes, plan};
use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, Kernel, Memory, ParamKind, ValidModule};

/// What a launch asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Blocks by axis.
    pub grid: [u32; 3],
    /// Threads of a block by axis.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// For a cooperative launch, the blocks that the device can have resident at once.
    pub cooperative: Option<u64>,
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

/// How much is found out before a launch begins, of values that differ between the lanes of a warp. Each step makes
/// launches faster and changes no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ahead {
    /// Nothing: each value that differs is computed lane by lane.
    Nothing,
    /// Values that depend on a thread's place in its block and on the launch alone, but for a part that the warp shares.
    Values,
    /// And how accesses with such an index lie in memory: those go a short way, neighbours together.
    Accesses,
    /// And which way all warps go: in a launch that is large enough to gain from it, loops of a known number of turns are
    /// laid out turn by turn.
    #[default]
    Ways,
    /// The same in the smallest launch, too: to compare.
    AllWays,
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
    /// Warp instructions that the launch may execute. One block may execute a twentieth of it, or 64 blocks' fair
    /// share if that is less, but always ten million; so an endless loop is found soon.
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
    /// Bytes of stack a thread has for functions that are called and not inlined (`cudaLimitStackSize`).
    pub stack_bytes: u32,
    /// The instruction set of the loops over lanes; `None`, and one that this processor lacks, for the best it has. The
    /// outcome does not depend on it: it is here to compare, and to report a defect.
    pub isa: Option<Isa>,
    /// What is found out before the launch. The outcome does not depend on it: it is here to compare, and to report a
    /// defect.
    pub ahead: Ahead,
    /// Runs the launch in other modes too, each on a copy of the memory: with other numbers of threads, instruction sets
    /// and [`Options::ahead`], without checks and without counters. The launch fails with [`FaultKind::ModesDiffer`] if
    /// one of them writes, counts, prints or diagnoses anything else. Takes about 15 times as long.
    pub every_mode: bool,
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
            stack_bytes: 1024,
            isa: None,
            ahead: Ahead::default(),
            every_mode: false,
        }
    }
}

/// What a launch that went well leaves besides memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchOutcome {
    /// Totals; zero if [`Options::counters`] is off.
    pub counters: Counters,
    /// By [`simt_ir::Location`], as long as [`simt_ir::Module::locations`]; empty if not counted.
    pub lines: Vec<Counters>,
    /// What is suspect but no error.
    pub warnings: Vec<Fault>,
    /// What the kernel printed, block by block.
    pub printed: String,
}

/// Runs a kernel: `kernel` indexes [`simt_ir::Module::kernels`], and `symbols` is the module as [`DeviceMemory::load`] gave it.
///
/// # Errors
/// A fault of the launch, or the first one in block order of its threads, with what was suspect before it. Buffers are then
/// as before the launch.
pub fn run(
    module: &ValidModule,
    symbols: ModuleId,
    kernel: usize,
    launch: &Launch,
    memory: &mut DeviceMemory,
    options: &Options,
) -> Result<LaunchOutcome, Box<LaunchFailure>> {
    let mut once = |memory: &mut DeviceMemory, options: &Options| {
        run_once(module, symbols, kernel, launch, memory, options)
    };
    if options.every_mode { modes::run_in_all(memory, options, &mut once) } else { once(memory, options) }
}

fn run_once(
    module: &ValidModule,
    symbols: ModuleId,
    kernel: usize,
    launch: &Launch,
    memory: &mut DeviceMemory,
    options: &Options,
) -> Result<LaunchOutcome, Box<LaunchFailure>> {
    let invalid = |message: String| Fault::launch(FaultKind::InvalidModule { message }, None);
    let no_kernel = || invalid(format!("kernel {kernel} does not exist"));
    let entry = module.kernels.get(kernel).ok_or_else(no_kernel)?;
    let found = memory.modules.get(symbols.0 as usize).and_then(Option::as_ref);
    let found = found.filter(|s| s.globals.len() == module.globals.len());
    let loaded = found.cloned().ok_or_else(|| invalid("the module is not loaded".into()))?;
    let shared_bytes = check_launch(entry, launch, options).map_err(|fault| *fault)?;
    let global = |index: u32| match &loaded.globals[index as usize] {
        Symbol::Constant(_) => pointer::pack(Space::Constant, index, 0),
        Symbol::Device(id) => id.pointer(),
    };
    let of =
        Planned { version: module.version(), symbols, kernel, launch: launch.clone(), ahead: options.ahead };
    let plan = memory.plans.get(of, || plan::compile(module, entry, launch, options.ahead, &global));
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
    if let (Some(limit), Some(blocks)) = (launch.cooperative, product(launch.grid))
        && blocks > limit
    {
        return refuse(FaultKind::CooperativeTooLarge { blocks, limit });
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
    let local = kernel.locals.iter().map(|l| u64::from(l.offset) + u64::from(l.bytes)).max().unwrap_or(0);
    if local > u64::from(LOCAL_BYTES) {
        return refuse(FaultKind::LocalOverLimit { bytes: local, limit: u64::from(LOCAL_BYTES) });
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
