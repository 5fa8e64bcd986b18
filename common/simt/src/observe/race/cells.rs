//! Shadow cells of a block's shared memory: for each cell, which thread wrote it last and which threads read it since the last
//! barrier.
//!
//! A cell is a word, or a byte if the kernel uses narrower elements. Time is counted in *intervals*: a block barrier begins a new one, and
//! what happened in earlier ones is ordered before everything now. Within an interval each warp counts its own, which end where its
//! lanes synchronize. Intervals are never used again, so no barrier and no new block has to clear a cell.
//!
//! The cells only record; what is a race, [`super::shared`] decides.

use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::{InstSite, Machine};
use crate::plan::Pc;
use std::num::NonZeroU16;
use std::ops::Range;

/// A thread by its linear index in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadIndex(NonZeroU16);

impl ThreadIndex {
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
}

/// Which thread accessed a cell, where, and when.
#[derive(Clone, Copy)]
pub(crate) struct AccessRecord {
    /// The interval between barriers; 0 is before the first one.
    pub(crate) interval: u32,
    /// The warp's interval between its own synchronizations.
    pub(crate) warp_interval: u32,
    pub(crate) pc: Pc,
    pub(crate) thread: ThreadIndex,
    /// Another thread of the same warp and warp interval that did the same.
    pub(crate) second: Option<ThreadIndex>,
}

impl AccessRecord {
    /// No access.
    pub(crate) const NEVER: AccessRecord = AccessRecord {
        interval: 0,
        warp_interval: 0,
        pc: Pc::ENTRY,
        thread: ThreadIndex(NonZeroU16::MIN),
        second: None,
    };
}

/// The records of one cell.
#[derive(Clone, Copy)]
pub(crate) struct SharedCell {
    pub(crate) write: AccessRecord,
    /// Whether the last write was an atomic operation.
    pub(crate) atomic: bool,
    /// The last warp that read it.
    pub(crate) read: AccessRecord,
    /// A warp other than that.
    pub(crate) second_reader: AccessRecord,
}

impl SharedCell {
    /// One that no thread has accessed.
    pub(crate) const UNTOUCHED: SharedCell = SharedCell {
        write: AccessRecord::NEVER,
        atomic: false,
        read: AccessRecord::NEVER,
        second_reader: AccessRecord::NEVER,
    };
}

/// The cells of a block, and what time it is.
#[derive(Default)]
pub(crate) struct SharedCells {
    pub(crate) cells: Vec<SharedCell>,
    /// Bytes per cell, as a power of two.
    pub(crate) granule: u32,
    /// The current interval.
    pub(crate) interval: u32,
    /// By warp: its current interval between its own synchronizations.
    pub(crate) warp_intervals: Vec<u32>,
    /// A bit for each cell that the block has written.
    pub(crate) written: Vec<u64>,
}

impl SharedCells {
    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.granule = if machine.plan.narrow_shared { 0 } else { 2 };
        let cells = (machine.shared_bytes.next_multiple_of(4) >> self.granule) as usize;
        if self.cells.len() != cells || self.interval > u32::MAX / 2 {
            self.cells = vec![SharedCell::UNTOUCHED; cells];
            self.interval = 0;
        }
        self.interval += 1;
        self.written.clear();
        self.written.resize(cells.div_ceil(64) + 1, 0);
        self.warp_intervals.clear();
        self.warp_intervals.resize(32.max(machine.warps() as usize), 0);
    }

    /// After [`SharedCells::begin`]: the cells that were written before a barrier.
    pub(crate) fn restore_written(&mut self, written: Vec<u64>) {
        self.written = written;
        for (index, cell) in self.cells.iter_mut().enumerate() {
            if self.written[index / 64] >> (index % 64) & 1 == 1 {
                cell.write = AccessRecord { interval: self.interval, ..AccessRecord::NEVER };
            }
        }
    }

    /// All warps leave a barrier.
    pub(crate) fn barrier(&mut self) {
        self.interval += 1;
    }

    /// The lanes of a warp synchronize.
    pub(crate) fn warp_sync(&mut self, warp: u32) {
        self.warp_intervals[warp as usize] += 1;
    }

    /// The cells of bytes `byte` to `byte + len`.
    #[inline]
    pub(crate) fn range(&self, byte: u32, len: u32) -> Range<usize> {
        (byte >> self.granule) as usize..((byte + len - 1) >> self.granule) as usize + 1
    }

    pub(crate) fn is_written(&self, cell: usize) -> bool {
        self.written[cell / 64] >> (cell % 64) & 1 == 1
    }

    pub(crate) fn set_written(&mut self, cell: usize) {
        self.written[cell / 64] |= 1 << (cell % 64);
    }

    /// The record of an access by a lane now.
    #[inline(always)]
    pub(crate) fn record(&self, at: &InstSite, lane: usize) -> AccessRecord {
        AccessRecord {
            interval: self.interval,
            warp_interval: self.warp_intervals[at.warp as usize],
            pc: at.pc,
            thread: ThreadIndex::new(at.thread(lane)),
            second: None,
        }
    }

    /// Whether a recorded access is not ordered before what `thread` does now.
    #[inline]
    pub(crate) fn concurrent(&self, record: &AccessRecord, thread: ThreadIndex) -> bool {
        let warp = thread.warp();
        record.interval == self.interval
            && (record.thread.warp() != warp
                || record.warp_interval == self.warp_intervals[warp as usize]
                    && (record.thread != thread || record.second.is_some_and(|second| second != thread)))
    }

    /// Records a read of a cell.
    #[inline]
    pub(crate) fn note_read(&mut self, index: usize, now: AccessRecord) {
        let cell = &mut self.cells[index];
        let last = &mut cell.read;
        if last.interval == now.interval && last.thread.warp() != now.thread.warp() {
            cell.second_reader = *last;
            *last = now;
        } else if last.interval == now.interval && last.warp_interval == now.warp_interval {
            if last.thread != now.thread {
                last.second = Some(now.thread);
            }
        } else {
            *last = now;
        }
    }

    /// Records a store of a known shape to cells that no thread has touched in this interval. `first` is the cell where it begins.
    pub(crate) fn note_store(
        &mut self,
        shape: &CoalescingShape,
        first: usize,
        (warp, warp_interval, pc): (u32, u32, Pc),
    ) {
        let interval = self.interval;
        for lane in (0..32).filter(|lane| shape.mask >> lane & 1 == 1) {
            let thread = ThreadIndex::new(warp * 32 + lane);
            let word = first + shape.words.0[lane as usize] as usize;
            for cell in &mut self.cells[word..word + shape.bytes as usize / 4] {
                cell.write = AccessRecord { interval, warp_interval, pc, thread, second: None };
                cell.atomic = false;
            }
        }
    }

    /// Whether a cell of an access that begins at cell `first` was touched in this interval.
    pub(crate) fn is_touched(&self, shape: &CoalescingShape, first: usize) -> bool {
        shape.distinct.iter().any(|word| self.touched_now(first + *word as usize))
    }

    /// Whether a cell was touched in this interval.
    #[inline(always)]
    pub(crate) fn touched_now(&self, index: usize) -> bool {
        let SharedCell { write, read, second_reader, .. } = &self.cells[index];
        [read, second_reader, write].iter().any(|record| record.interval == self.interval)
    }
}
