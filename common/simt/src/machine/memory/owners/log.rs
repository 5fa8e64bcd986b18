//! What blocks have touched.

use crate::fault::AccessKind;
use crate::machine::memory::owners::table::{LINE, WIDTH};
use std::ops::Range;

/// Entries of a log.
const LOG: usize = 1024;

/// Words of a buffer that a block has touched: `count` from `first` on and in further rows, or those of a sector for which `bits`
/// has a bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogEntry {
    pub(crate) buffer: u32,
    /// Its index + 1.
    pub(crate) block: u32,
    /// Word, or sector if there are `bits`.
    pub(crate) first: u32,
    pub(crate) count: u16,
    pub(crate) bits: u8,
    pub(crate) touch: AccessKind,
    /// Rows, and words from each to the next modulo 2^32.
    pub(crate) rows: u32,
    pub(crate) step: u32,
}

/// What the blocks of one worker have touched and no table knows of yet.
#[derive(Debug, Default)]
pub(crate) struct AccessLog(pub(crate) Vec<LogEntry>);

impl LogEntry {
    /// The first word of a row, or the sector.
    #[inline(always)]
    pub(crate) fn first_of(&self, row: u32) -> u32 {
        self.first.wrapping_add(row.wrapping_mul(self.step))
    }

    /// The words of a row, or all those of the sector.
    #[inline(always)]
    pub(crate) fn words(&self, row: u32) -> Range<usize> {
        let first = self.first_of(row) as usize;
        match self.bits {
            0 => first..first + usize::from(self.count),
            _ => first * WIDTH..(first + 1) * WIDTH,
        }
    }

    /// From a row on.
    pub(crate) fn rest_from(&self, row: u32) -> LogEntry {
        LogEntry { first: self.first_of(row), rows: self.rows - row, ..*self }
    }

    /// Whether each row is one whole line.
    #[inline(always)]
    pub(crate) fn is_of_lines(&self) -> bool {
        usize::from(self.count) == LINE && (self.first | self.step).is_multiple_of(LINE as u32)
    }
}

impl AccessLog {
    /// Notes that a block, known by index + 1, touches `count` words of a buffer from `first` on.
    #[inline(always)]
    pub(crate) fn run(&mut self, touch: AccessKind, who: (u32, u32), first: usize, count: usize) {
        // Longer runs than a warp can touch are not worth a wider entry.
        let (mut first, mut rest) = (first as u32, count);
        while rest > usize::from(u16::MAX) {
            self.rows(touch, who, (first as usize, u16::MAX), (1, 0));
            (first, rest) = (first + u32::from(u16::MAX), rest - usize::from(u16::MAX));
        }
        self.rows(touch, who, (first as usize, rest as u16), (1, 0));
    }

    /// Notes `count` words in each of `rows`, each `step` words behind the one before; the first begins at `first`.
    #[inline(always)]
    pub(crate) fn rows(
        &mut self,
        touch: AccessKind,
        (buffer, block): (u32, u32),
        (first, count): (usize, u16),
        (rows, step): (u32, u32),
    ) {
        let first = first as u32;
        self.0.push(LogEntry { buffer, block, first, count, bits: 0, touch, rows, step });
    }

    /// Notes words; one entry for those of a sector that follow each other.
    #[inline]
    pub(crate) fn words(
        &mut self,
        touch: AccessKind,
        (buffer, block): (u32, u32),
        words: impl Iterator<Item = usize>,
    ) {
        let mut entry = LogEntry { buffer, block, first: 0, count: 0, bits: 0, touch, rows: 1, step: 0 };
        for word in words {
            let sector = (word / WIDTH) as u32;
            if sector != entry.first {
                if entry.bits != 0 {
                    self.0.push(entry);
                }
                (entry.first, entry.bits) = (sector, 0);
            }
            entry.bits |= 1 << (word % WIDTH);
        }
        if entry.bits != 0 {
            self.0.push(entry);
        }
    }

    /// Whether it is time to empty it.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= LOG
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
