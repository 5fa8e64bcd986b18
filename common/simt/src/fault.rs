//! What can go wrong in a launch, as data: [`Fault`] says what, where, and which threads; the device that ran the
//! kernel turns it into text with the source.

pub use simt_ir::pointer::Space;
use simt_ir::{Location, SourceVariable};
pub use simt_ref::AccessKind;
use std::sync::Arc;

/// The variable or buffer that an access meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The memory it lies in.
    pub space: Space,
    /// Its number there: the buffer's for global memory, the index into the kernel's or module's list elsewhere.
    pub allocation: u32,
    /// Its name: the variable's, or for a buffer the first kernel parameter that points to it.
    pub name: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
}

/// One of two accesses in a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RacingAccess {
    /// What it does.
    pub kind: AccessKind,
    /// Where.
    pub location: Option<Location>,
    /// `threadIdx`.
    pub thread: [u32; 3],
    /// `blockIdx`.
    pub block: [u32; 3],
}

/// What a loop reads again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolledElement {
    /// The variable or buffer.
    pub target: Target,
    /// The byte, from its start.
    pub offset: i64,
}

/// At what a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitPlace {
    /// A loop that reads what another thread will write.
    Loop,
    /// A barrier of the block.
    Barrier,
    /// A barrier of the grid.
    GridBarrier,
    /// A barrier in shared memory.
    Phase,
    /// A warp function, for other lanes of the warp.
    WarpFunction,
    /// The end of a branch or loop, for other lanes of the warp.
    Lanes,
}

/// A thread that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingThread {
    /// `threadIdx`.
    pub thread: [u32; 3],
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Where it waits.
    pub place: WaitPlace,
}

/// What is wrong. Byte offsets count from the start of the variable or buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An access outside its variable or buffer.
    OutOfBounds {
        /// What it meant.
        target: Target,
        /// First byte accessed; negative below the start.
        offset: i64,
        /// Bytes accessed by the thread.
        bytes: u32,
        /// What it does.
        access: AccessKind,
        /// Bytes from the place of one active lane to that of the next lane, where it is the same for all of the warp; for messages.
        stride: Option<i64>,
    },
    /// An access through a null pointer.
    NullPointer {
        /// The distance from null, in bytes.
        offset: i64,
        /// What it does.
        access: AccessKind,
    },
    /// An access through a value that is not a pointer, or to a buffer that was freed.
    InvalidPointer {
        /// The value.
        pointer: u64,
        /// What it does.
        access: AccessKind,
    },
    /// An access to a block of the device's heap that was given back, at [`Fault::other`].
    UseAfterFree {
        /// The block.
        target: Target,
        /// First byte accessed.
        offset: i64,
        /// What it does.
        access: AccessKind,
    },
    /// A block of the heap is given back a second time; [`Fault::other`] is the first.
    DoubleFree {
        /// The pointer.
        pointer: u64,
    },
    /// What is given back is not the first byte of a block of the heap.
    InvalidFree {
        /// The pointer.
        pointer: u64,
    },
    /// The launch was given all of the heap that the machine has for it, what it has given back included.
    HeapSpent,
    /// An address that is not a multiple of the access's size.
    Misaligned {
        /// What it meant.
        target: Target,
        /// First byte accessed.
        offset: i64,
        /// Bytes accessed, which is the alignment needed.
        bytes: u32,
        /// What it does.
        access: AccessKind,
    },
    /// A store to `__constant__` memory.
    WriteToConstant {
        /// What it meant.
        target: Target,
    },
    /// Integer division or remainder by zero.
    DivisionByZero,
    /// A barrier that not all threads of a block can reach together. [`Fault::thread`] is one that waits there.
    BarrierDivergence {
        /// A thread that is not there.
        missing: [u32; 3],
        /// Whether that thread has ended (then it will never come), or is elsewhere: at [`Fault::other`] if known.
        exited: bool,
        /// How many threads of the block wait at the barrier.
        waiting: u32,
        /// How many are missing.
        absent: u32,
    },
    /// A barrier of the grid that not all blocks reach: some have ended.
    GridBarrierDivergence {
        /// `blockIdx` of a block that has ended.
        missing: [u32; 3],
        /// Blocks that wait.
        waiting: u32,
        /// Blocks that have ended.
        absent: u32,
    },
    /// A barrier of the grid in a launch that is not cooperative.
    NotCooperative,
    /// A cooperative launch of more blocks than can be resident at once.
    CooperativeTooLarge {
        /// Blocks of the launch.
        blocks: u64,
        /// Blocks that the device can have resident.
        limit: u64,
    },
    /// A launch whose blocks wait for each other, and need more of the host's memory for that than the machine takes.
    CooperativeState {
        /// Bytes that they need.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Warps of a block wait at different barriers: the other one is [`Fault::other`].
    BarrierMismatch {
        /// A thread that waits at the other barrier.
        thread: [u32; 3],
    },
    /// Two threads access the same shared bytes with no barrier between them, and one of them writes.
    SharedMemoryRace {
        /// The variable.
        target: Target,
        /// The byte, from the start of the variable.
        offset: i64,
        /// The access that came second in this run.
        this: RacingAccess,
        /// The one before.
        previous: RacingAccess,
        /// Whether both are in one warp, where `__syncwarp()` would be enough.
        same_warp: bool,
    },
    /// Two blocks access the same global bytes in one launch, and one of them writes.
    GlobalRace {
        /// The buffer.
        target: Target,
        /// The first byte of the word.
        offset: i64,
        /// The access that came second in block order.
        this: RacingAccess,
        /// The one before.
        previous: RacingAccess,
    },
    /// A word is read by the read-only path, and written in the same launch.
    ReadOnlyWritten {
        /// The buffer.
        target: Target,
        /// The first byte that both access.
        offset: i64,
        /// The access that came second in this run.
        this: RacingAccess,
        /// The one before.
        previous: RacingAccess,
    },
    /// Two accesses that race, though no result depends on it, or the device's present behaviour hides it: a warning.
    RaceNote {
        /// Why it is not an error.
        reason: NoteReason,
        /// The variable or buffer.
        target: Target,
        /// The first byte that both access, from the start of the variable.
        offset: i64,
        /// The access that came second in this run.
        this: RacingAccess,
        /// The one before.
        previous: RacingAccess,
    },
    /// An access was not compared with all before it, the first such one of the launch: a warning.
    RaceSearchLimit {
        /// Why.
        limit: SearchLimit,
    },
    /// A read of memory that nothing has written.
    UninitialisedRead {
        /// What it read.
        target: Target,
        /// First byte of the word.
        offset: i64,
        /// A load or an atomic.
        access: AccessKind,
    },
    /// More shared memory than a block may have.
    SharedOverLimit {
        /// Static bytes.
        declared: u64,
        /// Dynamic bytes.
        dynamic: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// More local memory than a thread may have.
    LocalOverLimit {
        /// Bytes of a thread's local arrays.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// More `__constant__` memory than a module may have.
    ConstantOverLimit {
        /// Bytes asked for.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A block with more threads than allowed, or with an axis over its limit.
    BlockTooLarge {
        /// Threads of the block.
        threads: u64,
        /// The limit.
        limit: u64,
        /// Whether the kernel's own `__launch_bounds__` is the limit.
        launch_bounds: bool,
    },
    /// A grid with an axis over its limit.
    GridTooLarge {
        /// The axis, 0 for x.
        axis: u32,
        /// Blocks along it.
        blocks: u64,
        /// The limit.
        limit: u64,
    },
    /// A grid or block with an axis of zero.
    EmptyLaunch,
    /// An argument that does not fit its parameter, or a wrong number of them.
    LaunchArgument {
        /// 0-based index of the parameter.
        index: u32,
        /// What is wrong.
        message: String,
    },
    /// The launch executed more instructions than it may: mostly a loop without end, at [`Fault::location`].
    InstructionBudget {
        /// Warp instructions allowed.
        limit: u64,
    },
    /// A block executed more memory accesses, atomics and warp functions than it may.
    EffectBudget {
        /// How many it may execute, for a whole warp each.
        limit: u64,
    },
    /// A loop, at [`Fault::location`], that no thread can leave: an iteration changes nothing that the next one depends on.
    EndlessLoop,
    /// A call through a function pointer that points to no function.
    BadCall {
        /// Its value; 0 is null. With the highest bit set it is the pointer to the virtual functions of an object, which no
        /// constructor has set.
        pointer: u64,
    },
    /// Calls in one another that take more stack than a thread has. [`Fault::other`] is the outermost of them.
    StackOverflow {
        /// Calls in one another.
        depth: u32,
        /// Bytes of stack that they take.
        bytes: u64,
        /// Bytes that a thread has.
        limit: u32,
        /// The calls around, innermost first; the outer ones may be left out.
        chain: Vec<Location>,
    },
    /// Threads wait in a loop for what no thread is left to write: all others have ended, wait as well, or belong to blocks that cannot
    /// begin. [`Fault::location`] is the loop, [`Fault::other`] where [`FaultKind::Deadlock::other`] waits.
    Deadlock {
        /// Threads of the warp that wait there.
        spinning: u32,
        /// What kind of place it is.
        place: WaitPlace,
        /// What they read, if that is known.
        polled: Option<PolledElement>,
        /// Another thread that waits.
        other: Option<WaitingThread>,
        /// Blocks that wait.
        waiting: u64,
        /// Blocks that cannot begin before one of these ends.
        not_begun: u64,
        /// Blocks that the device can have resident at once.
        limit: u64,
    },
    /// Lanes of a warp that continued by themselves meet again at a warp function, but the machine cannot join them.
    LanesApart {
        /// A thread of the other lanes.
        other: [u32; 3],
    },
    /// A shuffle that reads from a lane that does not take part.
    InactiveShuffleLane {
        /// The lane read.
        lane: u32,
    },
    /// A warp-level function whose member mask lacks the calling lane or names one that is not there.
    WarpMembers {
        /// The mask.
        members: u32,
        /// The lanes that are there.
        active: u32,
    },
    /// A shuffle width that is not 2, 4, 8, 16 or 32.
    ShuffleWidth {
        /// The width.
        width: u32,
    },
    /// A function of a whole warp that only a part of its lanes runs.
    PartOfWarp {
        /// The lanes that run it.
        active: u32,
        /// The threads of the warp that do not.
        missing: u32,
    },
    /// Operands that a load or store of a tile may not have.
    MatrixTile {
        /// What is wrong.
        problem: TileProblem,
        /// The distance of its rows, in elements.
        row: u32,
        /// Bytes of an element.
        bytes: u32,
    },
    /// An address that must be in shared memory.
    NotShared {
        /// What it means.
        target: Target,
    },
    /// An address that must be in global memory.
    NotGlobal {
        /// What it means.
        target: Target,
    },
    /// An asynchronous copy that uses more bytes of its source than it writes.
    AsyncCopySize {
        /// Bytes used.
        used: u32,
        /// Bytes written.
        bytes: u32,
    },
    /// An access to shared memory that an asynchronous copy still fills; [`Fault::other`] is the copy.
    AsyncNotAwaited {
        /// The variable.
        target: Target,
        /// The byte, from its start.
        offset: i64,
        /// What the access does.
        access: AccessKind,
        /// `threadIdx` of the thread that copies.
        thread: [u32; 3],
        /// Whether its group was committed.
        committed: bool,
    },
    /// A store to global memory that an asynchronous copy still reads; [`Fault::other`] is the copy.
    AsyncSourceWritten {
        /// The buffer.
        target: Target,
        /// First byte written.
        offset: i64,
    },
    /// A barrier in shared memory that was never initialised.
    BarrierNotMade {
        /// The variable.
        target: Target,
    },
    /// A barrier made for, or arrived at by, a number of threads that it cannot have.
    BarrierCount {
        /// The number.
        count: u32,
    },
    /// A warp arrives at a named barrier that does not exist, or with a number of threads that it cannot wait for.
    NamedBarrier {
        /// The barrier's number.
        number: u64,
        /// The number of threads.
        count: u32,
    },
    /// All threads that are left wait, and one at a barrier in shared memory, or a named one, whose phase no thread can end.
    BarrierPhase {
        /// Arrivals of the phase.
        arrived: u32,
        /// Those that it expects.
        expected: u32,
        /// Whether other lanes of the waiting warp are elsewhere.
        same_warp: bool,
    },
    /// A failed `assert`.
    Assert {
        /// The text of the assertion.
        message: String,
    },
    /// A value is used that is undefined because of a variable.
    NoValue {
        /// The variable.
        variable: Arc<SourceVariable>,
    },
    /// `__trap()`.
    Trap,
    /// A texture handle that names no texture, or one of another kind.
    InvalidTexture {
        /// The handle.
        handle: u64,
        /// What is wrong.
        message: String,
    },
    /// A surface handle that names no surface, or one of another kind.
    InvalidSurface {
        /// The handle.
        handle: u64,
        /// What is wrong.
        message: String,
    },
    /// An access outside a surface.
    SurfaceRange {
        /// The handle.
        handle: u64,
        /// What is outside what.
        message: String,
    },
    /// The launch has another outcome when it is run in another way: a defect of the simulator, not of the kernel.
    ModesDiffer {
        /// The way it was run, and what differs.
        message: String,
    },
    /// The IR is malformed: a defect of the compiler, not of the kernel.
    InvalidModule {
        /// What the validator says.
        message: String,
    },
}

/// A diagnosis of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The instruction, if one is to blame.
    pub location: Option<Location>,
    /// A second place that matters: the other access of a race, the branch at which threads parted.
    pub other: Option<Location>,
    /// `threadIdx` of the first thread concerned.
    pub thread: [u32; 3],
    /// Its `blockIdx`.
    pub block: [u32; 3],
    /// How many more threads of the same warp did the same at once.
    pub further: u32,
}

/// Why a launch stopped, and what it leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchFailure {
    /// The first fault in block order.
    pub fault: Fault,
    /// What was suspect before: in the blocks before the fault's, and in its own until it was stopped.
    pub warnings: Vec<Fault>,
    /// Other mistakes, found by continuing after the first as far as possible: as many as [`crate::Options::further`] asks for at most.
    pub further: Vec<Fault>,
    /// Whether the launch ran to its end, and buffers hold what came of it; only with [`crate::Options::keep_recovered`].
    pub completed: bool,
    /// What `printf` wrote in the blocks before the fault's, and in its own until it was stopped.
    pub printed: String,
}

impl LaunchFailure {
    /// A fault before anything ran.
    pub(crate) fn of(fault: Fault) -> LaunchFailure {
        LaunchFailure {
            fault,
            warnings: Vec::new(),
            further: Vec::new(),
            completed: false,
            printed: String::new(),
        }
    }
}

impl From<Fault> for Box<LaunchFailure> {
    fn from(fault: Fault) -> Box<LaunchFailure> {
        Box::new(LaunchFailure::of(fault))
    }
}

impl From<Box<Fault>> for Box<LaunchFailure> {
    fn from(fault: Box<Fault>) -> Box<LaunchFailure> {
        (*fault).into()
    }
}

impl Fault {
    /// A fault of the launch itself, before any thread ran.
    pub(crate) fn launch(kind: FaultKind, location: Option<Location>) -> Fault {
        Fault { kind, location, other: None, thread: [0; 3], block: [0; 3], further: 0 }
    }
}

/// Why two accesses that nothing orders are not an error; the book's page on races has each under this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteReason {
    /// Both store one value.
    SameValue,
    /// A plain read whose value the next operation of its thread compares and swaps with.
    CasGuess,
    /// Only the reader's fence after a flag is missing.
    MissingAcquire,
    /// Two atomic operations on a part of the same bytes.
    MixedSizes,
}

/// Why an access is not compared with all before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchLimit {
    /// The launch accesses too many elements for a record of each.
    Elements,
    /// Too many accesses to one element are ordered by nothing.
    Accesses,
}

/// What is wrong with the operands of a load or store of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileProblem {
    /// Lanes pass different pointers or distances.
    Differs,
    /// The pointer is so many bytes past a multiple of 32.
    Pointer(u64),
    /// The distance of rows is not a multiple of 16 bytes.
    Rows,
}
