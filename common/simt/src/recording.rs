//! What a launch records if it is asked to ([`crate::Options::record`]): for each place in the code the access of one warp that shows best
//! what accesses there cost, and for each branch the warp that it splits most evenly.

use crate::fault::{AccessKind, Target};
use simt_ir::Location;

/// What a launch has recorded, in the order of locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Accesses to global, shared and constant memory, one for each location, kind and memory.
    pub accesses: Vec<RecordedAccess>,
    /// Branches and loops whose lanes went both ways, one for each location.
    pub branches: Vec<RecordedBranch>,
}

/// One access of one warp: of all accesses of its kind at its location, the one that took most beyond what it needs. Of several such ones it is
/// that with the most lanes, then that of the first block, and there the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAccess {
    /// Where it is in the code.
    pub location: Location,
    /// What it does.
    pub kind: AccessKind,
    /// The variable or buffer, with the memory that it lies in.
    pub target: Target,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Index of the warp in its block.
    pub warp: u32,
    /// A bit for each lane that takes part.
    pub mask: u32,
    /// Bytes that each of these lanes accesses.
    pub bytes: u32,
    /// Where the variable begins in its memory, in bytes: for shared memory from the start of the block's own, elsewhere 0.
    pub start: u32,
    /// Where each lane of the mask accesses, in bytes from the start of the variable; 0 for the others.
    pub offsets: [u32; 32],
    /// What it took: sectors of global memory, wavefronts of shared memory, passes of constant memory.
    pub taken: u32,
    /// What as many bytes take at least: sectors that they fill, or wavefronts without bank conflicts; of constant memory one pass.
    pub fewest: u32,
    /// All accesses that it stands for.
    pub all: RequestTotals,
}

/// Sums over accesses of warps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestTotals {
    /// How many accesses.
    pub requests: u64,
    /// How many of them took more than the fewest.
    pub wasteful: u64,
    /// What they took together.
    pub taken: u64,
    /// What they take at least.
    pub fewest: u64,
}

impl RequestTotals {
    /// Of one access.
    pub(crate) fn of(taken: u32, fewest: u32) -> RequestTotals {
        let wasteful = u64::from(taken > fewest);
        RequestTotals { requests: 1, wasteful, taken: taken.into(), fewest: fewest.into() }
    }

    /// Adds other accesses.
    pub(crate) fn add(&mut self, other: &RequestTotals) {
        self.requests += other.requests;
        self.wasteful += other.wasteful;
        self.taken += other.taken;
        self.fewest += other.fewest;
    }
}

/// A branch or the condition of a loop, where lanes of one warp went both ways: the warp whose smaller part is largest. Of several such ones it is
/// that with the most lanes, then that of the first block, and there the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedBranch {
    /// Where it is in the code.
    pub location: Location,
    /// `blockIdx`.
    pub block: [u32; 3],
    /// Index of the warp in its block.
    pub warp: u32,
    /// A bit for each lane for which the condition holds.
    pub taken: u32,
    /// A bit for each active lane for which it does not.
    pub other: u32,
    /// Whether it is the condition of a loop, which lanes leave one after the other.
    pub is_loop: bool,
    /// How often warps were split here.
    pub times: u64,
}
