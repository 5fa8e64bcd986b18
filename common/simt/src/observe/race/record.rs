//! Who made accesses of one kind to a cell of memory, in a few bytes: the accesses of the current interval that are not ordered among each
//! other, as *one thread*, *lanes of one warp*, or *several warps*.
//!
//! An access that is ordered after all of these takes their place; any other widens the extent. That is FastTrack's step from an
//! epoch to a read set (Flanagan and Freund, PLDI 2009), with the hierarchy of threads in place of the set. Writes
//! widen, too: atomics, and stores of one value, replace the last writer and are not a race among themselves, but each of them may be one
//! with a later access. The set itself is not needed: what conflicts with several warps in one interval is not ordered with
//! at least one of them.
//!
//! Where only some lanes of a warp synchronize, an access that is ordered after all of these for its own lane takes their place for the
//! other lanes, too. It races with what they race with, except that a volatile store, or one of another value, is forgotten: such races
//! are missed.

use crate::observe::race::clock::{BlockClock, Moment, ThreadIndex};
use crate::plan::Pc;

/// A thread and the instruction by which it accessed a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accessor {
    pub(crate) pc: Pc,
    pub(crate) thread: ThreadIndex,
}

/// The accesses of one kind to a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    interval: u32,
    /// Of the warp of the first thread.
    tick: u32,
    /// The lanes, if all are of the warp of the first thread; 0 for several warps.
    lanes: u32,
    /// The first access, and one of another warp or lane; the first again if there is none.
    pcs: [Pc; 2],
    threads: [ThreadIndex; 2],
    /// Of stores: whether not all in this interval, or at this tick, stored the same value. Of strong accesses: whether one was a
    /// volatile store.
    mixed: bool,
    mixed_tick: bool,
}

impl Record {
    /// No access.
    pub(crate) const NONE: Record = Record {
        interval: 0,
        tick: 0,
        lanes: 1,
        pcs: [Pc::ENTRY; 2],
        threads: [ThreadIndex::FIRST; 2],
        mixed: false,
        mixed_tick: false,
    };

    /// An access.
    #[inline(always)]
    pub(crate) fn of(now: Moment, pc: Pc) -> Record {
        let Moment { interval, tick, thread } = now;
        Record {
            interval,
            tick,
            lanes: 1 << thread.lane(),
            pcs: [pc; 2],
            threads: [thread; 2],
            ..Record::NONE
        }
    }

    /// Whether there is one in this interval.
    #[inline(always)]
    pub(crate) fn is_of(&self, interval: u32) -> bool {
        self.interval == interval
    }

    /// Whether they are stores of different values by this thread alone, at its current tick.
    #[inline(always)]
    pub(crate) fn is_mixed_by(&self, now: Moment) -> bool {
        let is_now = self.interval == now.interval && self.tick == now.tick;
        is_now && self.mixed_tick && self.is_alone(now.interval, now.thread)
    }

    /// Whether no other thread than this one made any in this interval.
    #[inline(always)]
    pub(crate) fn is_alone(&self, interval: u32, thread: ThreadIndex) -> bool {
        self.interval != interval || self.threads == [thread; 2] && self.lanes == 1 << thread.lane()
    }

    /// The first thread and another, if there is an access in this interval.
    #[cfg(test)]
    pub(crate) fn threads_in(&self, interval: u32) -> Option<[u32; 2]> {
        self.is_of(interval).then(|| self.threads.map(ThreadIndex::linear))
    }

    fn accessor(&self, which: usize) -> Accessor {
        Accessor { pc: self.pcs[which], thread: self.threads[which] }
    }

    /// One of the accesses that is not ordered before what a thread does now.
    #[inline]
    pub(crate) fn concurrent(&self, clock: &BlockClock, now: Moment) -> Option<Accessor> {
        if self.interval != now.interval {
            return None;
        }
        let other_warp = self.threads[0].warp() != now.thread.warp();
        if self.lanes == 0 || other_warp {
            return Some(self.accessor(usize::from(!other_warp)));
        }
        let lanes = clock.concurrent_lanes(self.lanes, self.tick, now);
        if lanes == 0 {
            return None;
        }
        let known = (0..2).find(|which| lanes >> self.threads[*which].lane() & 1 == 1);
        let lane = ThreadIndex::new(now.thread.warp() * 32 + lanes.trailing_zeros());
        Some(known.map_or(Accessor { pc: self.pcs[0], thread: lane }, |which| self.accessor(which)))
    }

    /// Whether of the stores that another thread and those ordered before it have made in this interval some had different values, or
    /// of the strong accesses one was a volatile store.
    pub(crate) fn is_mixed(&self, other: ThreadIndex, now: Moment) -> bool {
        if other.warp() == now.thread.warp() { self.mixed_tick } else { self.mixed }
    }

    /// The access that was just added differs from others in what it races with.
    pub(crate) fn set_mixed(&mut self) {
        (self.mixed, self.mixed_tick) = (true, true);
    }

    /// Adds an access; `changes`: it stores another value than is there.
    #[inline]
    pub(crate) fn add(&mut self, clock: &BlockClock, now: Moment, pc: Pc, changes: bool) {
        if self.interval != now.interval {
            *self = Record::of(now, pc);
            return;
        }
        let same_warp = self.threads[0].warp() == now.thread.warp();
        let mut is_second = self.threads[0] == self.threads[1] && self.threads[0] != now.thread;
        if self.lanes != 0 && same_warp {
            if self.tick < now.tick && clock.concurrent_lanes(self.lanes, self.tick, now) == 0 {
                // All are ordered before it; for threads of other warps none is ordered, whatever it stored.
                *self = Record { mixed: self.mixed || changes, ..Record::of(now, pc) };
                return;
            }
            self.lanes |= 1 << now.thread.lane();
        } else if self.lanes != 0 {
            self.lanes = 0;
            is_second = true;
        }
        self.mixed |= changes;
        self.mixed_tick |= changes;
        if is_second {
            (self.pcs[1], self.threads[1]) = (pc, now.thread);
        }
    }
}
