//! What a launch records of accesses and branches, put together from its workers.
//!
//! Of all that happens at a place in the code one sample is kept, which a total order chooses. So what is recorded depends neither on chance
//! nor on the number of threads.

use crate::fault::AccessKind;
use crate::machine::event::{InstSite, LaneSplit, ResolvedAccess};
use crate::plan::Plan;
use crate::recording::RequestTotals;
use simt_ir::Location;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Which of two samples is kept: the greater one. `order` tells samples of one block apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SampleRank {
    pub(crate) cost: u32,
    pub(crate) lanes: u32,
    pub(crate) block: Reverse<u32>,
    pub(crate) order: Reverse<u64>,
}

/// An access that stands for all of its kind at a place.
pub(crate) struct AccessSample {
    pub(crate) rank: SampleRank,
    pub(crate) at: InstSite,
    pub(crate) kind: AccessKind,
    pub(crate) access: ResolvedAccess,
    pub(crate) taken: u32,
    pub(crate) fewest: u32,
    pub(crate) all: RequestTotals,
}

/// A split of a warp that stands for all at a place.
pub(crate) struct BranchSample {
    pub(crate) rank: SampleRank,
    pub(crate) at: InstSite,
    pub(crate) split: LaneSplit,
    pub(crate) times: u64,
}

impl AccessSample {
    /// Takes in another sample of the same place.
    pub(crate) fn merge(&mut self, other: AccessSample) {
        let mut all = self.all;
        all.add(&other.all);
        if other.rank > self.rank {
            *self = other;
        }
        self.all = all;
    }
}

impl BranchSample {
    /// Takes in another sample of the same place.
    pub(crate) fn merge(&mut self, other: BranchSample) {
        let times = self.times + other.times;
        if other.rank > self.rank {
            *self = other;
        }
        self.times = times;
    }
}

/// Place, kind of access, and memory.
pub(crate) type AccessKey = (Location, u8, u8);

/// The samples of all blocks that have ended.
#[derive(Default)]
pub(crate) struct Recording {
    samples: Mutex<Samples>,
}

/// By place.
#[derive(Default)]
pub(crate) struct Samples {
    pub(crate) accesses: BTreeMap<AccessKey, AccessSample>,
    pub(crate) branches: BTreeMap<Location, BranchSample>,
}

impl Recording {
    /// Adds a worker's samples; those without a place in the code are left out.
    pub(crate) fn add(
        &self,
        plan: &Plan,
        accesses: impl Iterator<Item = AccessSample>,
        branches: impl Iterator<Item = BranchSample>,
    ) {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        for sample in accesses {
            let Some(location) = plan.locations[sample.at.pc] else { continue };
            let key = (location, sample.kind as u8, sample.access.space as u8);
            match samples.accesses.get_mut(&key) {
                Some(known) => known.merge(sample),
                None => _ = samples.accesses.insert(key, sample),
            }
        }
        for sample in branches {
            let Some(location) = plan.locations[sample.at.pc] else { continue };
            match samples.branches.get_mut(&location) {
                Some(known) => known.merge(sample),
                None => _ = samples.branches.insert(location, sample),
            }
        }
    }

    /// Takes all of it.
    pub(crate) fn take(&self) -> Samples {
        std::mem::take(&mut *self.samples.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
