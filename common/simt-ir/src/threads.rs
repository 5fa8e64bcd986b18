//! What threads know of their place in the launch, and what the threads of a block or warp do together.

use crate::{Operand, Reg};

/// Built-in values, all `I32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `threadIdx`, by axis.
    ThreadIdx(Axis),
    /// `blockIdx`, by axis.
    BlockIdx(Axis),
    /// `blockDim`, by axis.
    BlockDim(Axis),
    /// `gridDim`, by axis.
    GridDim(Axis),
    /// The lane's index in its warp, 0 to 31.
    LaneId,
    /// The bit mask of the lanes that execute this instruction (`__activemask`).
    ActiveMask,
    /// 1 in a cooperative launch, otherwise 0.
    Cooperative,
}

/// An axis of a grid or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Fastest.
    X,
    /// Second.
    Y,
    /// Slowest.
    Z,
}

/// The reduction of `__syncthreads_count/and/or`.
#[derive(Clone, Debug, PartialEq)]
pub struct BarrierReduce {
    /// `I32` result.
    pub dst: Reg,
    /// What is combined.
    pub mode: ReduceMode,
    /// Bool.
    pub predicate: Operand,
}

/// How a barrier combines predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceMode {
    /// The number of threads whose predicate is true.
    Count,
    /// 1 if it is true in all threads, otherwise 0.
    And,
    /// 1 if it is true in any thread, otherwise 0.
    Or,
}

/// How a shuffle finds its source lane (CUDA C++ Programming Guide, warp shuffle functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    /// From the lane of that index in the segment.
    Index,
    /// From that many lanes below; the lowest keep their own.
    Up,
    /// From that many lanes above; the highest keep their own.
    Down,
    /// From the lane whose index differs by exclusive or.
    Xor,
}

/// How a vote combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteMode {
    /// `I32` mask of the lanes whose predicate is true.
    Ballot,
    /// Bool: true in any.
    Any,
    /// Bool: true in all.
    All,
}
