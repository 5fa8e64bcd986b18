//! What the IR's pages call a diagnosed error.

use crate::log::AccessKind;
use simt_ir::{Location, SourceVariable, StringIndex};
use std::sync::Arc;

/// What is wrong, in one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The fields are the instruction's operands, or said with the variant.
pub enum FaultKind {
    /// An access that is not inside of its allocation; `pointer` is its first byte.
    OutOfBounds { pointer: u64, bytes: u32, access: AccessKind },
    /// An access inside of its allocation that is not aligned to its size.
    Misaligned { pointer: u64, bytes: u32, access: AccessKind },
    /// An access through null, moved or not.
    NullPointer { access: AccessKind },
    /// An access through a value that names no allocation.
    InvalidPointer { pointer: u64, access: AccessKind },
    /// An access to a block of the heap that was given back.
    UseAfterFree { pointer: u64, access: AccessKind },
    /// A block of the heap is given back that was before.
    DoubleFree { pointer: u64 },
    /// What is given back is no block of the heap.
    InvalidFree { pointer: u64 },
    /// A launch that is given more of the heap in all than it may.
    HeapSpent,
    /// A store to constant memory, or an atomic there.
    WriteToConstant,
    /// An integer divided by zero.
    DivisionByZero,
    /// A barrier of the block that not all of its threads reach: the lanes that do not wait there, or other warps, are elsewhere
    /// or have ended.
    BarrierDivergence,
    /// Warps wait at different barriers.
    BarrierMismatch,
    /// A barrier of the grid that some blocks have not reached when they ended.
    GridBarrierDivergence,
    /// A barrier of the grid in a launch that is not cooperative.
    NotCooperative,
    /// A shuffle from a lane that does not take part.
    InactiveShuffleLane { lane: u32 },
    /// A shuffle width that is not 2, 4, 8, 16 or 32.
    ShuffleWidth { width: u32 },
    /// Members of a warp function without the calling lane, or with one that is not there; `active` are there.
    WarpMembers { members: u32, active: u32 },
    /// A function of a whole warp that only `active` lanes run.
    PartOfWarp { active: u32 },
    /// A tile whose pointer or rows differ between lanes or are not aligned.
    MatrixTile,
    /// An address that must be in shared memory.
    NotShared,
    /// An address that must be in global memory.
    NotGlobal,
    /// An asynchronous copy that uses more of its source than it writes.
    AsyncCopySize { used: u32, bytes: u32 },
    /// A barrier in shared memory that nothing has made.
    BarrierNotMade,
    /// A barrier made for, or arrived at by, a number of threads that it cannot have.
    BarrierCount { count: u32 },
    /// A named barrier that does not exist, or a number of threads that it cannot wait for.
    NamedBarrier,
    /// All threads that are left wait, and this one for a phase that none of them can end.
    BarrierPhase,
    /// All threads that are left wait, and this one in a loop for what none of them can write, or at a warp function.
    Deadlock,
    /// Calls in one another that take more stack than a thread has.
    StackOverflow { depth: u32 },
    /// A call through a number that is no function's.
    BadCall { pointer: u64 },
    /// A failed assertion.
    Assert { message: StringIndex },
    /// A value is used that is undefined because of a variable, where that stops the launch.
    NoValue { variable: Arc<SourceVariable> },
    /// [`simt_ir::InstKind::Trap`].
    Trap,
    /// What the texture unit refuses.
    Texture { handle: u64, message: String },
    /// A surface that the texture unit refuses to locate an element of.
    Surface { handle: u64, message: String },
}

/// Why a launch stopped: an instruction failed in one lane or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The instruction's position.
    pub location: Location,
    /// Linear index of the block.
    pub block: u32,
    /// The lanes in which it failed, in order: linear index of the thread in its block, and why. One at least.
    pub threads: Vec<(u32, FaultKind)>,
}

/// Why a run stopped early.
#[derive(Debug)]
pub(crate) enum Stop {
    Fault(Fault),
    OutOfSteps,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}
