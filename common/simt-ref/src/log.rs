//! What a launch tells an observer: every access to memory, and everything that orders accesses.
//!
//! Events come in the order in which they happen under the chosen [`crate::Schedule`]. The log takes no side on what is a
//! race or an uninitialised read: it says which threads touched which bytes, when, and with which they have synchronised. Textures are
//! logged by the bytes that the texture unit says it has read.

use simt_ir::pointer::Space;
use simt_ir::{AccessOrder, AtomicOp, FenceOrder, Inst, MemoryScope};
use std::ops::Range;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes at once.
    Atomic,
}

/// The thread and the instruction of an event.
#[derive(Clone, Copy, Debug)]
pub struct Who<'m> {
    /// Linear index of the block in the grid.
    pub block: u32,
    /// Linear index of the thread in its block; its warp is `thread / 32`, its lane `thread % 32`.
    pub thread: u32,
    /// The instruction, with its kind, position and cache hint. It is the same object whenever it is executed.
    pub instruction: &'m Inst,
    /// A number for this execution of it: the same for all lanes of a warp that execute it together (under any schedule), and
    /// another one, but for a collision of 64-bit hashes, in another round, call, warp or block.
    pub instance: u64,
}

/// Bytes of one allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The memory. Shared memory is the block's, local memory the thread's.
    pub space: Space,
    /// The number that a pointer to it carries.
    pub allocation: u32,
    /// Bytes, from the start of the buffer or variable at file scope; in shared and local memory, of the segment.
    pub bytes: Range<u64>,
}

/// An access to one element: one lane, and of a vector one part.
#[derive(Clone, Debug)]
pub struct Access {
    /// What it does.
    pub kind: AccessKind,
    /// Where.
    pub place: Place,
    /// Which part of a vector it is, from 0.
    pub element: u32,
    /// The bits in memory before; of a texture read, 0.
    pub old: u64,
    /// The bits in memory after; the same for a load.
    pub new: u64,
    /// Bit `i`: nothing had written byte `i` of it before.
    pub unwritten: u16,
    /// Of an atomic: the operation, and the value that it compares with.
    pub atomic: Option<(AtomicOp, Option<u64>)>,
    /// How strong it is, with its order and scope.
    pub order: AccessOrder,
    /// Whether it sees what the launch itself has written: all but reads by the read-only path, of textures and of surfaces.
    pub coherent: bool,
    /// Whether the thread uses what it reads; false for a store, and for an atomic without a result.
    pub used: bool,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// An access of a load, store, atomic, matrix load or texture read.
    Access(Access),
    /// A call begins: those bytes of the thread's local memory are its own, and nothing has written them.
    Frame {
        /// Bytes of the thread's local segment.
        bytes: Range<u64>,
    },
    /// A fence of this thread.
    Fence {
        /// What it does.
        order: FenceOrder,
        /// With whom.
        scope: MemoryScope,
    },
    /// The lanes named have all reached it: bit masks of the warp. One event for each different mask, whose lanes take part, and
    /// no others of the warp.
    WarpBarrier {
        /// The lanes.
        members: u32,
    },
    /// All threads of the block have reached it, and take part. `who.thread` is one of them.
    BlockBarrier,
    /// All threads of the launch have reached it, and take part. `who.thread` is one of them.
    GridBarrier,
    /// An asynchronous copy begins, and takes what it needs of its source.
    CopyBegin {
        /// Its number in the launch.
        copy: u64,
        /// The bytes that it reads.
        from: Place,
        /// Bit `i`: nothing had written byte `i` of these.
        unwritten: u16,
        /// The bytes that it will write.
        to: Place,
    },
    /// The thread makes a group of its copies.
    CopyCommit,
    /// A copy belongs to a barrier in shared memory, by its first byte in the block's segment.
    CopyBind {
        /// The copy.
        copy: u64,
        /// The barrier.
        barrier: u64,
    },
    /// A copy puts its bytes into shared memory, because this thread has waited for it or has ended the barrier's phase.
    CopyEnd {
        /// The copy.
        copy: u64,
    },
    /// A barrier in shared memory, by its first byte in the block's segment, is made for so many threads.
    PhaseInit {
        /// The barrier.
        barrier: u64,
        /// The threads.
        expected: u32,
    },
    /// The thread arrives at a barrier in shared memory, so many times; if that ends the phase, `ends`.
    PhaseArrive {
        /// The barrier.
        barrier: u64,
        /// Counts the barrier's phases from 0.
        phase: u64,
        /// How many arrivals it is.
        count: u32,
        /// Whether it is the last one.
        ends: bool,
    },
    /// The thread has waited for the end of the phase before `phase`.
    PhaseAwait {
        /// The barrier.
        barrier: u64,
        /// Counts the barrier's phases from 0: the one in progress.
        phase: u64,
    },
}

/// One thing that happened, and who did it.
#[derive(Clone, Debug)]
pub struct Event<'m> {
    /// The thread and the instruction.
    pub who: Who<'m>,
    /// What it did.
    pub kind: EventKind,
}
