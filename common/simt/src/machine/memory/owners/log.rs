//! What the blocks of one worker have accessed and no owner table knows yet.
//!
//! A worker notes accesses here and flushes them to the tables in batches, so that an access costs a few bytes and no lock.

use crate::fault::AccessKind;
use crate::machine::memory::owners::table::LINE;
use std::ops::Range;

/// Entries after which a log should be flushed.
const CAPACITY: usize = 1024;

/// A block's access to a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferAccess {
    pub(crate) kind: AccessKind,
    /// Index of the buffer.
    pub(crate) buffer: u32,
    /// Linear index of the block.
    pub(crate) block: u32,
}

/// One access: to a run of words, or to words of one line. Small, because a flush reads a thousand of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogEntry {
    buffer: u32,
    pub(crate) block: u32,
    /// The first word of the run, or the line.
    first: u32,
    /// The words of the line, a bit each.
    bits: u32,
    /// Words of the run; 0 for words of a line.
    width: u16,
    pub(crate) kind: AccessKind,
}

/// What the blocks of one worker have accessed and no table knows yet.
#[derive(Debug, Default)]
pub(crate) struct AccessLog(Vec<LogEntry>);

impl LogEntry {
    /// The words of one line that it is about; `None` for a run.
    #[inline(always)]
    pub(crate) fn words_of_line(&self) -> Option<u32> {
        (self.width == 0).then_some(self.bits)
    }

    /// The words of the run, or all those of the line.
    #[inline(always)]
    pub(crate) fn words(&self) -> Range<usize> {
        let first = self.first as usize;
        match self.width {
            0 => first * LINE..(first + 1) * LINE,
            width => first..first + usize::from(width),
        }
    }

    /// Whether the run is one whole line.
    #[inline(always)]
    pub(crate) fn is_line(&self) -> bool {
        usize::from(self.width) == LINE && self.first.is_multiple_of(LINE as u32)
    }
}

impl AccessLog {
    /// Notes an access to a run of words.
    #[inline(always)]
    pub(crate) fn run(&mut self, access: BufferAccess, words: Range<usize>) {
        let (mut first, mut rest) = (words.start as u32, words.len());
        let skip = words.start % LINE;
        if (1..LINE).contains(&rest) && skip + rest <= LINE {
            return self.line(access, first / LINE as u32, (u32::MAX >> (LINE - rest)) << skip);
        }
        let BufferAccess { kind, buffer, block } = access;
        while rest > 0 {
            let width = rest.min(usize::from(u16::MAX));
            self.0.push(LogEntry { buffer, block, first, bits: 0, width: width as u16, kind });
            (first, rest) = (first + width as u32, rest - width);
        }
    }

    /// Notes an access to words of a line, a bit each.
    #[inline(always)]
    pub(crate) fn line(&mut self, access: BufferAccess, line: u32, words: u32) {
        let BufferAccess { kind, buffer, block } = access;
        if words != 0 {
            self.0.push(LogEntry { buffer, block, first: line, bits: words, width: 0, kind });
        }
    }

    /// Notes an access to words in any order; one entry for those of a line that follow each other.
    #[inline]
    pub(crate) fn words(&mut self, access: BufferAccess, words: impl Iterator<Item = usize>) {
        let (mut line, mut bits) = (0, 0);
        for word in words {
            let next = (word / LINE) as u32;
            if next != line {
                self.line(access, line, bits);
                (line, bits) = (next, 0);
            }
            bits |= 1 << (word % LINE);
        }
        self.line(access, line, bits);
    }

    /// Whether it is time to flush it.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= CAPACITY
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Empties the log: calls `f` with the entries that follow each other and are of one buffer, in order.
    pub(crate) fn drain_by_buffer(&mut self, mut f: impl FnMut(u32, &[LogEntry])) {
        for entries in self.0.chunk_by(|a, b| a.buffer == b.buffer) {
            f(entries[0].buffer, entries);
        }
        self.0.clear();
    }
}
