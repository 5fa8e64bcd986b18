//! The time of a block, as far as barriers, synchronizations of warps and phases of barriers in shared memory order accesses.
//!
//! Each warp has a logical time of its own, which counts what it synchronizes (compare the clocks of Lamport, 1978). An epoch has the time of a
//! warp, so times have to mean the same for all warps: what came before a time in *any* warp is ordered once all have arrived at a phase after
//! that time. Warps that do the same have the same times, and then nothing is lost; otherwise less is known to be ordered than is.

use crate::machine::event::PhaseUse;
#[cfg(doc)]
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::shape::SEVERAL_LANES;
use source::hash::Map;

/// Bits of an epoch that say who.
const WHO_BITS: u32 = 11;
const WHO: u32 = (1 << WHO_BITS) - 1;
/// Lanes of a warp: this and its index. Below are threads, by their index in the block.
const WARPS: u32 = 1024;
/// More than one warp.
const SEVERAL: u32 = WHO;
/// The last time there is.
const LAST: u32 = u32::MAX >> WHO_BITS << WHO_BITS;
/// Warps of a block.
const MOST_WARPS: usize = 32;

/// What is ordered before now, by warp. Times are shifted to where an epoch has them.
#[derive(Default)]
pub(crate) struct BlockTime {
    now: [u32; MOST_WARPS],
    /// What came before this in any warp is ordered before what the warp does now.
    barrier: [u32; MOST_WARPS],
    /// When all lanes of each warp synchronized last.
    synced: [u32; MOST_WARPS],
    /// When the last atomic operation was.
    atomics: u32,
    phases: Map<(u32, u32), PhaseArrivals>,
    /// Threads of the block.
    threads: u32,
}

/// Who has arrived at a phase of a barrier in shared memory, and who has waited for it: by warp, its lanes.
#[derive(Default)]
struct PhaseArrivals {
    lanes: [u32; MOST_WARPS],
    /// When the first lane of each warp arrived.
    times: [u32; MOST_WARPS],
    awaited: [u32; MOST_WARPS],
}

impl BlockTime {
    /// A block of so many threads begins; whether time begins again, so that no epoch may be kept.
    pub(crate) fn begin(&mut self, threads: u32) -> bool {
        // More barriers than one block can have in the time that a launch may take.
        let anew = self.latest() > LAST / 2;
        if anew {
            *self = BlockTime::default();
        }
        self.threads = threads;
        self.phases.clear();
        self.barrier();
        anew
    }

    fn latest(&self) -> u32 {
        self.now.iter().copied().max().unwrap_or_default()
    }

    /// All threads leave a barrier. `false` if there is no time after this.
    pub(crate) fn barrier(&mut self) -> bool {
        let latest = self.latest();
        let goes_on = latest < LAST;
        let now = latest + if goes_on { 1 << WHO_BITS } else { 0 };
        (self.now, self.barrier) = ([now; MOST_WARPS], [now; MOST_WARPS]);
        goes_on
    }

    /// All lanes of a warp synchronize. `false` if there is no time after this.
    pub(crate) fn warp_sync(&mut self, warp: u32) -> bool {
        let goes_on = self.advance(warp);
        self.synced[warp as usize] = self.now[warp as usize];
        goes_on
    }

    fn advance(&mut self, warp: u32) -> bool {
        let now = &mut self.now[warp as usize];
        let goes_on = *now < LAST;
        *now += if goes_on { 1 << WHO_BITS } else { 0 };
        goes_on
    }

    /// The lanes that a warp has.
    fn present(&self, warp: usize) -> u32 {
        match self.threads.saturating_sub(warp as u32 * 32) {
            32.. => u32::MAX,
            lanes => (1 << lanes) - 1,
        }
    }

    /// A barrier in shared memory is made.
    pub(crate) fn make_phases(&mut self, barrier: u32) {
        self.phases.retain(|(of, _), _| *of != barrier);
    }

    /// A lane arrives at a phase. `false` if there is no time after this.
    pub(crate) fn arrive(&mut self, (warp, lane): (u32, usize), of: PhaseUse) -> bool {
        let now = self.now[warp as usize];
        let arrivals = self.phases.entry((of.barrier, of.phase)).or_default();
        let lanes = &mut arrivals.lanes[warp as usize];
        let is_first = *lanes == 0;
        *lanes |= 1 << lane;
        if is_first {
            arrivals.times[warp as usize] = now;
        }
        // Threads wait for the phase at hand or the one before.
        if let Some(old) = of.phase.checked_sub(2) {
            self.phases.remove(&(of.barrier, old));
        }
        !is_first || self.advance(warp)
    }

    /// A lane has waited for a phase: if all of its warp have, and all threads of the block had arrived, that orders what they did before.
    pub(crate) fn awaited(&mut self, (warp, lane): (u32, usize), of: PhaseUse) {
        let warps = (self.threads.div_ceil(32) as usize).min(MOST_WARPS);
        let present: [u32; MOST_WARPS] = std::array::from_fn(|warp| self.present(warp));
        let Some(arrivals) = self.phases.get_mut(&(of.barrier, of.phase)) else { return };
        let warp = warp as usize;
        arrivals.awaited[warp] |= 1 << lane;
        if arrivals.awaited[warp] != present[warp] || arrivals.lanes[..warps] != present[..warps] {
            return;
        }
        let first = arrivals.times[..warps].iter().copied().min().unwrap_or_default();
        let after = first + (1 << WHO_BITS);
        self.barrier[warp] = self.barrier[warp].max(after);
    }

    /// What the lanes of a warp access now.
    #[inline(always)]
    pub(crate) fn access(&self, warp: u32) -> Accessing {
        let barrier = self.barrier[warp as usize];
        Accessing {
            now: self.now[warp as usize],
            barrier,
            synced: self.synced[warp as usize],
            warp,
            atomics: self.atomics >= barrier,
        }
    }

    /// What a warp's copies write that a phase awaits: when the warp arrived at it. `None` if it did not.
    pub(crate) fn copied(&self, warp: u32, of: PhaseUse) -> Option<Accessing> {
        let arrivals = self.phases.get(&(of.barrier, of.phase))?;
        let now = arrivals.times[warp as usize];
        (arrivals.lanes[warp as usize] != 0).then(|| self.access(warp).at(now))
    }

    /// Atomic operations of a warp follow.
    pub(crate) fn note_atomics(&mut self, warp: u32) {
        self.atomics = self.atomics.max(self.now[warp as usize]);
    }
}

/// Lanes of a warp at a time.
#[derive(Clone, Copy)]
pub(crate) struct Accessing {
    pub(crate) now: u32,
    barrier: u32,
    synced: u32,
    warp: u32,
    /// Whether there were atomic operations since the last barrier.
    pub(crate) atomics: bool,
}

impl Accessing {
    /// An access at this time, by an earlier one of the same interval.
    pub(crate) fn at(self, now: u32) -> Accessing {
        Accessing { now, ..self }
    }

    /// Who one lane is.
    #[inline(always)]
    pub(crate) fn thread(self, lane: u32) -> u32 {
        self.warp * 32 + lane
    }

    /// Who several lanes are.
    #[inline(always)]
    pub(crate) fn lanes(self) -> u32 {
        WARPS + self.warp
    }

    /// Who one lane is, or several: see [`CoalescingShape::readers`].
    #[inline(always)]
    pub(crate) fn reader(self, lane: u8) -> u32 {
        if lane == SEVERAL_LANES { self.lanes() } else { self.thread(lane.into()) }
    }

    /// An epoch of now that only barriers and phases order.
    pub(crate) fn several(self) -> u32 {
        self.now | SEVERAL
    }

    /// Whether an epoch is of this warp alone.
    #[inline(always)]
    fn is_of_warp(self, epoch: u32) -> bool {
        let who = epoch & WHO;
        (who >> 5 == self.warp) | (who == self.lanes())
    }

    /// Whether all that an epoch stands for is ordered before an access by `who`.
    #[inline(always)]
    pub(crate) fn is_ordered(self, epoch: u32, who: u32) -> bool {
        // A thread's own accesses are; those of several lanes are of none of them alone.
        let is_own = (epoch & WHO == who) & (who < WARPS);
        (epoch < self.barrier) | is_own | (self.is_of_warp(epoch) & (epoch < self.synced))
    }

    /// An epoch with an access more, by `who`.
    #[inline(always)]
    pub(crate) fn with(self, epoch: u32, who: u32) -> u32 {
        let is_of_warp = self.is_of_warp(epoch);
        let replaced = (epoch < self.barrier) | (epoch & WHO == who) | (is_of_warp & (epoch < self.synced));
        let others = if is_of_warp { self.lanes() } else { SEVERAL };
        // Another warp's time may be later.
        let time = self.now.max(epoch & !WHO);
        if replaced { self.now | who } else { time | others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_ends_is_a_doubt_and_begins_again() {
        let mut time = BlockTime { now: [LAST - (1 << WHO_BITS); MOST_WARPS], ..BlockTime::default() };
        assert!(time.barrier() && !time.barrier() && !time.warp_sync(0));
        assert!(time.begin(32), "no epoch is of any use");
        assert_eq!(time.now, [1 << WHO_BITS; MOST_WARPS]);
    }
}
