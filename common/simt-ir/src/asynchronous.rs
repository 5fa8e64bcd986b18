//! Asynchronous copies and the barriers that wait for them.
//!
//! A copy ([`crate::InstKind::AsyncCopy`]) takes its source's bytes when it begins and puts them into shared memory when it
//! is waited for: a thread's own copies in the groups that it commits ([`AsyncOp::Commit`], [`AsyncOp::Wait`]), or all
//! copies that a barrier waits for ([`AsyncOp::Bind`]) when its phase completes. Until then no thread may touch the
//! destination or write the source.
//!
//! A barrier is 8 bytes of shared memory. Its phase completes once as many threads have arrived as it expects; the next
//! one begins at once.

/// What a [`crate::InstKind::Async`] does. Operands as said; barriers are `Ptr`, numbers `I32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsyncOp {
    /// Makes a group of the thread's copies since its last group.
    Commit,
    /// Waits until at most so many of the thread's last groups are in flight; operand: how many.
    Wait,
    /// Makes a barrier wait for the thread's copies of no group; operand: the barrier.
    Bind,
    /// Makes a barrier; operands: the barrier, how many threads it expects.
    Init,
    /// Arrives at a barrier; operands: the barrier, how many arrivals this is. Result: the phase (`I32`, 0 or 1 in turn).
    Arrive,
    /// As `Arrive`, and the barrier expects one thread less in its next phases.
    Drop,
    /// Waits for the end of a phase; operands: the barrier, the phase (0 or 1). One that is not in progress has ended.
    Await,
    /// A warp arrives at one of the block's named barriers (`bar` of PTX), with all of its threads that have not ended. It counts as
    /// 32 threads, whatever it has. Operands: the barrier's number (`I64`, 0 to 15), and how many threads make a phase complete, which
    /// is a multiple of 32; both are the same in the whole warp, and the second in all warps of a phase. Result: the phase (`I32`).
    ArriveNamed,
    /// Waits for the end of a phase of a named barrier; operands: its number, the phase.
    AwaitNamed,
}
