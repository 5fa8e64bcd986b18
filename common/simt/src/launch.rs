//! A launch as data: what is asked for, and what comes out.

use crate::counters::Counters;
use crate::fault::Fault;
use crate::isa::Isa;
use crate::recording::Recorded;
use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, Kernel};

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

impl Launch {
    /// The name of the first parameter of the kernel that points to a buffer; `None` if none does, or if it has no name.
    pub(crate) fn buffer_parameter(&self, kernel: &Kernel, buffer: u32) -> Option<String> {
        let points_to_it = |arg: &Constant| {
            matches!(arg, Constant::Ptr(p)
                if pointer::space(*p) == Space::Global && pointer::allocation(*p) == buffer)
        };
        let (param, _) = kernel.params.iter().zip(&self.args).find(|(_, arg)| points_to_it(arg))?;
        Some(param.name.clone()).filter(|name| !name.is_empty())
    }
}

/// `threadIdx` of a thread by its linear index in a block of some size; or `blockIdx` of a block in a grid.
#[inline]
pub(crate) fn coordinates(linear: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    [linear % x, linear / x % y, linear / x / y]
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

/// How far a kernel is specialized for a launch before that begins: for arguments, dimensions and each thread's place in its block. Each
/// level makes launches faster and changes no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Specialization {
    /// For nothing that differs between lanes: that is computed lane by lane.
    None,
    /// Affine values, which depend on a thread's place in its block and on the launch alone, but for a part that the warp shares. Accesses with
    /// such an index are resolved and checked for all lanes at once.
    Affine,
    /// For whole blocks, where the order of their warps cannot be told: all warps execute an operation together.
    #[default]
    Blocks,
}

/// What the device that a launch runs on has and does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Blocks of the launch that the device can have resident at once, if it is not cooperative. Only these run while they wait for each
    /// other.
    pub resident_blocks: u64,
    /// Whether lanes that wait for lanes of their own warp can continue by themselves, as on devices since Volta.
    pub independent_lanes: bool,
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
    /// Bytes of stack a thread has for functions that are called and not inlined (`cudaLimitStackSize`).
    pub stack_bytes: u32,
}

impl Default for DeviceLimits {
    /// Those of an H200.
    fn default() -> DeviceLimits {
        DeviceLimits {
            resident_blocks: u64::MAX,
            independent_lanes: true,
            max_threads: 1024,
            static_shared_limit: 48 << 10,
            shared_limit: 227 << 10,
            l1_bytes: 192 << 10,
            rules: MemoryRules::Modern,
            stack_bytes: 1024,
        }
    }
}

/// How to run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The device. The other options are of one launch: what is asked of it, and modes that are there to compare.
    pub limits: DeviceLimits,
    /// Threads of the host; 0 for one a core. The outcome does not depend on it.
    pub threads: usize,
    /// Whether to look for races and uninitialised reads.
    pub checks: bool,
    /// Whether to count.
    pub counters: bool,
    /// Whether to record accesses and branches ([`LaunchOutcome::recorded`]). Each of its accesses is then looked at
    /// lane by lane, which makes it slower. Nothing is recorded under [`MemoryRules::Compute1`].
    pub record: bool,
    /// Warp instructions that the launch may execute, and each of its blocks.
    pub instruction_budget: u64,
    /// Whether dear instructions cost more of the budget than others, as many times as they take the time, roughly. Where it ends then depends on
    /// [`Options::specialization`] and [`Options::checks`].
    pub weighted: bool,
    /// 0 lets warps take turns by index, and lanes execute an atomic operation by index; any other number permutes warps, an odd one reverses
    /// lanes, and either gives `clock()` another beginning and rate.
    pub schedule_seed: u64,
    /// Bytes of `printf` output kept.
    pub printed_bytes: usize,
    /// The instruction set of the loops over lanes; `None`, and one that this processor lacks, for the best it has. The
    /// outcome does not depend on it: it is here to compare, and to report a defect.
    pub isa: Option<Isa>,
    /// How far the kernel is specialized. The outcome does not depend on it: it is here to compare, and to report a defect.
    pub specialization: Specialization,
    /// Whether what can be proved of accesses before the launch begins is not checked as it runs. The outcome does not depend on it: it is
    /// here to compare, and to report a defect.
    pub proves: bool,
    /// How many mistakes to look for besides the first: a launch that fails is run again, and continues after faults where it can.
    pub further: usize,
    /// Whether buffers keep what a launch that fails gives when it continues after its faults, if it ends that way
    /// ([`crate::LaunchFailure::completed`]); else they are as before the launch.
    pub keep_recovered: bool,
    /// Runs the launch in other modes too, each on a copy of the memory: with other numbers of threads, instruction sets
    /// and [`Options::specialization`], without checks and without counters; and by the IR's executable definition, `simt_ref`. The launch
    /// fails with [`crate::FaultKind::ModesDiffer`] if one of them writes, counts, prints or diagnoses anything else, or costs more or
    /// less of the budget.
    /// [`crate::Simulator::comparisons`] says whether the definition could be asked. Takes about 15 times as long.
    pub every_mode: bool,
}

impl Default for Options {
    /// An H200's limits, all checks and counters on.
    fn default() -> Options {
        Options {
            limits: DeviceLimits::default(),
            threads: 0,
            checks: true,
            counters: true,
            record: false,
            instruction_budget: 2_000_000_000,
            weighted: false,
            schedule_seed: 0,
            printed_bytes: 1 << 20,
            isa: None,
            specialization: Specialization::default(),
            proves: true,
            further: 0,
            keep_recovered: false,
            every_mode: false,
        }
    }
}

impl Options {
    /// Accesses, atomics and warp functions that one block may execute, but for plain accesses that take little time: a
    /// two-hundredth of the instructions that the launch may execute, but always a million. So a loop without end is found soon, whatever it does.
    pub(crate) fn effect_budget(&self) -> u64 {
        (self.instruction_budget / 200).max(1_000_000)
    }
}

/// What was proved of a launch's accesses before it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proved {
    /// Loads and stores in the kernel's code.
    pub accesses: usize,
    /// Those of them that are certainly inside their allocations, and aligned.
    pub inside: usize,
    /// Parameters and variables whose memory no threads share in a way that could race; in shared memory, only those of `initialized`.
    pub apart: Vec<String>,
    /// The others, on which races were looked for as the launch ran.
    pub checked: Vec<String>,
    /// Those of both of which nothing is read that was not written before.
    pub initialized: Vec<String>,
}

/// What a launch that went well leaves besides memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchOutcome {
    /// Totals; zero if [`Options::counters`] is off.
    pub counters: Counters,
    /// By [`simt_ir::Location`], as long as [`simt_ir::Module::locations`]; empty if not counted.
    pub lines: Vec<Counters>,
    /// What was proved of its accesses before it began, and so was not checked as it ran; nothing without [`Options::checks`].
    pub proved: Option<Proved>,
    /// What is suspect but no error.
    pub warnings: Vec<Fault>,
    /// What the kernel printed, block by block.
    pub printed: String,
    /// Accesses and branches; empty without [`Options::record`].
    pub recorded: Recorded,
}
