//! When things happen in a block, as far as barriers order them.
//!
//! Time is counted in *intervals*: a barrier of the block begins a new one, and what happened in earlier ones is ordered before everything
//! now. Within an interval each warp counts *ticks*, one per synchronization of its lanes. Where all lanes of a warp synchronize, what
//! happened at an earlier tick is ordered before what they do now. Where only some do, a matrix says for each pair of lanes
//! up to which tick. Intervals are never used again, so no barrier and no new block has to clear a record.
//!
//! A phase of a barrier in shared memory begins a new interval when it is complete, also for threads that have not waited for it: their races
//! with what came before are missed.

use crate::machine::mask::{lanes, lanes_where};
use std::num::NonZeroU16;

/// A thread by its linear index in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadIndex(NonZeroU16);

impl ThreadIndex {
    pub(crate) const FIRST: ThreadIndex = ThreadIndex(NonZeroU16::MIN);

    pub(crate) fn new(linear: u32) -> ThreadIndex {
        ThreadIndex(NonZeroU16::MIN.saturating_add(linear as u16))
    }

    /// Its linear index (0-based).
    pub(crate) fn linear(self) -> u32 {
        u32::from(self.0.get() - 1)
    }

    /// Index of its warp in the block.
    pub(crate) fn warp(self) -> u32 {
        self.linear() / 32
    }

    /// Its index in its warp.
    pub(crate) fn lane(self) -> usize {
        self.linear() as usize % 32
    }
}

/// A thread's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) interval: u32,
    /// Of the thread's warp.
    pub(crate) tick: u32,
    pub(crate) thread: ThreadIndex,
}

/// Lanes of a warp meet, at a time: each of `members` knows then what one of them knew. `order` has for each pair of lanes up to which time
/// the first knows what the second did.
pub(crate) fn meet<T: Copy + Ord + Default>(order: &mut [[T; 32]; 32], members: u32, now: T) {
    let mut joined = [T::default(); 32];
    for lane in lanes(members) {
        joined.iter_mut().zip(order[lane]).for_each(|(joined, time)| *joined = (*joined).max(time));
    }
    lanes(members).for_each(|lane| joined[lane] = now);
    lanes(members).for_each(|lane| order[lane] = joined);
}

/// For each pair of lanes of a warp: what the second did before that tick is ordered before what the first does now.
type LaneOrder = [[u32; 32]; 32];

#[derive(Clone, Default)]
struct WarpClock {
    tick: u32,
    /// Since only some of the lanes synchronized; without it, all earlier ticks are ordered.
    order: Option<Box<LaneOrder>>,
}

/// The clock of a block.
#[derive(Default)]
pub(crate) struct BlockClock {
    /// The current interval; 0 is before the first one.
    interval: u32,
    /// The last interval that began, in this block or in one that ran while this one waited.
    newest: u32,
    warps: Vec<WarpClock>,
}

impl BlockClock {
    /// A block of so many warps begins; whether intervals begin again, so that no record may be kept.
    pub(crate) fn begin(&mut self, warps: u32) -> bool {
        let anew = self.newest > u32::MAX / 2;
        if anew {
            self.newest = 0;
        }
        self.next_interval();
        self.warps.clear();
        self.warps.resize(warps.max(32) as usize, WarpClock::default());
        anew
    }

    pub(crate) fn interval(&self) -> u32 {
        self.interval
    }

    pub(crate) fn tick(&self, warp: u32) -> u32 {
        self.warps[warp as usize].tick
    }

    /// The time of a thread.
    #[inline(always)]
    pub(crate) fn now(&self, thread: ThreadIndex) -> Moment {
        Moment { interval: self.interval, tick: self.tick(thread.warp()), thread }
    }

    fn next_interval(&mut self) {
        self.newest += 1;
        self.interval = self.newest;
    }

    /// For a block that begins while this one waits.
    pub(crate) fn next_block(&self) -> BlockClock {
        BlockClock { newest: self.newest, ..BlockClock::default() }
    }

    /// The block continues after another one has run, without a barrier: in the same interval.
    pub(crate) fn continue_after(&mut self, other: &BlockClock) {
        self.newest = self.newest.max(other.newest);
    }

    /// All threads leave a barrier.
    pub(crate) fn barrier(&mut self) {
        self.next_interval();
        for warp in self.warps.iter_mut().filter(|warp| warp.order.is_some()) {
            (warp.tick, warp.order) = (warp.tick + 1, None);
        }
    }

    /// Lanes of a warp synchronize: `members` of the lanes that are threads of the block, `present`.
    pub(crate) fn warp_sync(&mut self, warp: u32, members: u32, present: u32) {
        let clock = &mut self.warps[warp as usize];
        let before = clock.tick;
        clock.tick += 1;
        if members & present == present {
            clock.order = None;
            return;
        }
        let order = clock.order.get_or_insert_with(|| Box::new([[before; 32]; 32]));
        meet(order, members, clock.tick);
    }

    /// Of those lanes of the thread's warp, the ones whose accesses at `tick` of this interval are not ordered before what it does
    /// now.
    #[inline]
    pub(crate) fn concurrent_lanes(&self, lanes: u32, tick: u32, now: Moment) -> u32 {
        let others = lanes & !(1 << now.thread.lane());
        match &self.warps[now.thread.warp() as usize].order {
            None if tick < now.tick => 0,
            None => others,
            Some(order) => {
                let row = &order[now.thread.lane()];
                lanes_where(others, |lane| tick >= row[lane])
            }
        }
    }
}
