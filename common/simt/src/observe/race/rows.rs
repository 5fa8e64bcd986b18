//! Lines of global memory of which each word was accessed by one thread of the block alone, neighbouring words by neighbouring threads.
//!
//! Most accesses are so: thread `t` reads and writes element `t`. Nothing can race there, and a cell of its own for each word would only be
//! made to be thrown away. So a line is described as a whole, until an access comes that does not fit; then what is known
//! of it goes to the cells ([`super::cell`]), which decide about the line until the next barrier.

use crate::observe::race::clock::{BlockClock, ThreadIndex};
use crate::plan::Pc;

/// Lines that are described at a time.
const LINES: usize = 512;

/// Words of a line.
pub(crate) const WORDS: usize = 32;

/// Which words of a line are accessed, and by which threads.
#[derive(Clone, Copy)]
pub(crate) struct LineAccess {
    pub(crate) buffer: u32,
    pub(crate) line: u32,
    pub(crate) words: u32,
    /// The thread to which word 0 would belong, by its index in the block.
    pub(crate) base: i32,
    /// Words of each thread.
    pub(crate) parts: u32,
    pub(crate) pc: Pc,
}

impl LineAccess {
    /// The thread of a word.
    fn thread(&self, word: u32) -> ThreadIndex {
        ThreadIndex::new((self.base + (word / self.parts) as i32) as u32)
    }
}

#[derive(Clone, Copy)]
enum LineState {
    /// Each word is its thread's.
    Owned,
    /// The cells know.
    InCells,
}

/// What is known of a line.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    interval: u32,
    tick: u32,
    state: LineState,
    /// The first access; with all words that were read, and those that were written.
    access: LineAccess,
    read: u32,
    written: u32,
    /// Words that were written again with another value.
    changed: u32,
    write_pc: Pc,
}

/// A word that goes to its cell.
pub(crate) struct OwnedWord {
    pub(crate) index: usize,
    pub(crate) thread: ThreadIndex,
    pub(crate) tick: u32,
    pub(crate) read: Option<Pc>,
    pub(crate) write: Option<Pc>,
    pub(crate) changed: bool,
}

impl Line {
    /// Whether it is known here who owns its words, in that interval.
    fn is_owned(&self, interval: u32) -> bool {
        self.interval == interval && matches!(self.state, LineState::Owned)
    }

    /// Whether it is the line of an access.
    fn is_of(&self, access: &LineAccess) -> bool {
        (self.access.buffer, self.access.line) == (access.buffer, access.line)
    }

    pub(crate) fn buffer(&self) -> u32 {
        self.access.buffer
    }

    pub(crate) fn owned_words(self) -> impl Iterator<Item = OwnedWord> {
        let is_set = |mask: u32, word: u32| mask >> word & 1 == 1;
        (0..WORDS as u32).filter(move |word| is_set(self.read | self.written, *word)).map(move |word| {
            OwnedWord {
                index: self.access.line as usize * WORDS + word as usize,
                thread: self.access.thread(word),
                tick: self.tick,
                read: is_set(self.read, word).then_some(self.access.pc),
                write: is_set(self.written, word).then_some(self.write_pc),
                changed: is_set(self.changed, word),
            }
        })
    }
}

/// The lines of a block, in its current interval.
pub(crate) struct OwnedLines {
    lines: Vec<Option<Line>>,
    /// The interval in which lines went to the cells of which nothing is kept here.
    forgotten: u32,
}

impl Default for OwnedLines {
    fn default() -> OwnedLines {
        OwnedLines { lines: vec![None; LINES], forgotten: 0 }
    }
}

/// What comes of an access.
pub(crate) struct Told {
    /// Whether all is noted.
    pub(crate) is_owned: bool,
    /// A line that has to go to the cells first.
    pub(crate) flushed: Option<Line>,
}

fn slot(buffer: u32, line: u32) -> usize {
    // Lines at equal distances, as of a matrix's rows, are spread by the product's upper bits (Knuth, volume 3, 6.4).
    ((line ^ buffer << 20).wrapping_mul(0x9e37_79b1) >> (32 - LINES.ilog2())) as usize
}

impl OwnedLines {
    /// Intervals begin again.
    pub(crate) fn clear(&mut self) {
        self.lines.fill(None);
        self.forgotten = 0;
    }

    /// The block continues after others have run.
    pub(crate) fn forget(&mut self, interval: u32) {
        self.forgotten = interval;
    }

    /// Lines of the block that stops: all have to go to the cells.
    pub(crate) fn take_all(&mut self, interval: u32) -> impl Iterator<Item = Line> {
        self.lines.iter_mut().filter_map(Option::take).filter(move |line| line.is_owned(interval))
    }

    /// An access by threads that may own the words. `changes` gives the words that get another value, of a store.
    #[inline]
    pub(crate) fn access(
        &mut self,
        clock: &BlockClock,
        access: LineAccess,
        changes: Option<&dyn Fn() -> u32>,
    ) -> Told {
        let (interval, tick) =
            (clock.interval(), clock.tick(access.thread(access.words.trailing_zeros()).warp()));
        let known = &mut self.lines[slot(access.buffer, access.line)];
        if let Some(line) = known
            && line.interval == interval
        {
            let is_same = line.is_of(&access);
            let fits = (line.access.base, line.access.parts, line.tick) == (access.base, access.parts, tick);
            match line.state {
                LineState::InCells if is_same => return Told { is_owned: false, flushed: None },
                LineState::Owned if is_same && fits => {
                    match changes {
                        None => line.read |= access.words,
                        Some(changes) => {
                            if line.written & access.words != 0 {
                                line.changed |= line.written & access.words & changes();
                            }
                            line.written |= access.words;
                            line.write_pc = access.pc;
                        }
                    }
                    return Told { is_owned: true, flushed: None };
                }
                LineState::Owned if is_same => {
                    let flushed = Some(*line);
                    line.state = LineState::InCells;
                    return Told { is_owned: false, flushed };
                }
                LineState::InCells | LineState::Owned => self.forgotten = interval,
            }
        }
        let evicted = known.filter(|line| line.is_owned(interval));
        let is_owned = self.forgotten != interval;
        let state = if is_owned { LineState::Owned } else { LineState::InCells };
        let (read, written) = if changes.is_none() { (access.words, 0) } else { (0, access.words) };
        *known = Some(Line { interval, tick, state, access, read, written, changed: 0, write_pc: access.pc });
        Told { is_owned, flushed: evicted }
    }

    /// An access to a line that the cells have to know; gives what they do not know yet.
    pub(crate) fn hand_to_cells(&mut self, interval: u32, access: LineAccess) -> Option<Line> {
        let known = &mut self.lines[slot(access.buffer, access.line)];
        let before = known.filter(|line| line.interval == interval);
        match before {
            Some(line) if !line.is_of(&access) => self.forgotten = interval,
            Some(Line { state: LineState::InCells, .. }) => return None,
            Some(_) | None => {}
        }
        *known = Some(Line {
            interval,
            tick: 0,
            state: LineState::InCells,
            access,
            read: 0,
            written: 0,
            changed: 0,
            write_pc: access.pc,
        });
        before.filter(|line| line.is_owned(interval))
    }
}
