//! Races on global memory between threads of one block.
//!
//! Which accesses race is decided by [`super::cell`], as for shared memory. Only buffers that the launch may write have cells.
//!
//! Most words need no cell, because their lines are described as a whole ([`super::rows`]). Cells lie in pages that are made when first
//! accessed: 84 bytes for each word of a page. A block keeps at most [`MAX_PAGES`] of them, and finds no race in what it accesses beyond;
//! pages are used again for other blocks.

use crate::fault::SearchLimit;
use crate::machine::event::CellKey;
use crate::machine::observer::GlobalAccess;
use crate::machine::{AccessClass, InstSite, LaneFault, LanePattern, Machine, ResolvedAccess, WordWrite};
use crate::observe::race::access::RaceDetector;
use crate::observe::race::cell::{AccessRole, Cell};
use crate::observe::race::clock::{BlockClock, Moment};
use crate::observe::race::granule::Granule;
use crate::observe::race::pages::Pages;
use crate::observe::race::report::{CellAccess, CellEvent};
use crate::observe::race::rows::{Line, LineAccess, OwnedLines, OwnedWord, WORDS};
use simt_ir::AccessOrder;
use simt_ir::pointer::Space;

/// Pages that a block may have: of 16 MiB of words.
const MAX_PAGES: usize = 16384;
/// Pages that stay where they are from block to block; with more, the next block takes new ones.
const KEPT_PAGES: usize = 16;

/// A block's accesses to global memory.
pub(crate) struct BlockShadow {
    pages: Pages<Cell>,
    lines: OwnedLines,
    /// Words of each lane, of the access at hand.
    parts: u32,
    granule: Granule,
    /// Whether a block may continue after another one, so that a record in a page that is used again could be taken for its own.
    has_later: bool,
}

impl Default for BlockShadow {
    fn default() -> BlockShadow {
        BlockShadow {
            pages: Pages::new(Cell::UNTOUCHED),
            lines: OwnedLines::default(),
            parts: 1,
            granule: Granule::default(),
            has_later: false,
        }
    }
}

impl BlockShadow {
    /// A block begins; `anew`: no record is of any use.
    pub(crate) fn begin(&mut self, machine: &Machine, anew: bool) {
        self.granule = Granule::of(machine.plan.narrow_global);
        if anew {
            self.pages.clear();
            self.lines.clear();
        }
        if self.pages.used() > KEPT_PAGES {
            if self.has_later {
                self.pages.clear();
            }
            self.pages.recycle();
        }
    }

    /// The block at hand will continue after others.
    pub(crate) fn keep_for_later(&mut self, clock: &BlockClock) {
        self.has_later = true;
        let lines: Vec<Line> = self.lines.take_all(clock.interval()).collect();
        lines.into_iter().for_each(|line| self.flush(clock, line));
    }

    /// The block continues.
    pub(crate) fn resume(&mut self, clock: &BlockClock) {
        self.lines.forget(clock.interval());
    }

    /// An access is reported lane by lane, with so many bytes of each.
    pub(crate) fn begin_access(&mut self, bytes: u32) {
        self.parts = (bytes / 4).max(1);
    }

    /// What is known of a line goes to the cells.
    #[cold]
    fn flush(&mut self, clock: &BlockClock, line: Line) {
        let interval = clock.interval();
        for OwnedWord { index, thread, tick, read, write, changed } in line.owned_words() {
            let now = Moment { interval, tick, thread };
            let Some(cell) = self.cell(line.buffer(), index) else { return };
            if let Some(pc) = read {
                cell.add(clock, now, pc, AccessRole::Read);
            }
            if let Some(pc) = write {
                cell.add(clock, now, pc, AccessRole::Write { changes: false });
                if changed {
                    cell.add(clock, now, pc, AccessRole::Write { changes: true });
                }
            }
        }
    }

    /// A lane's access to a word: whether that is noted with its line.
    fn is_in_owned_line(
        &mut self,
        state: &RaceDetector,
        at: &InstSite,
        (buffer, word): (u32, usize),
        (lane, class, written): (usize, AccessClass, Option<&WordWrite>),
    ) -> bool {
        let (line, in_line) = ((word / WORDS) as u32, (word % WORDS) as u32);
        let parts = if WORDS.is_multiple_of(self.parts as usize) { self.parts } else { 1 };
        let base = at.thread(lane) as i32 - (in_line / parts) as i32;
        let access = LineAccess { buffer, line, words: 1 << in_line, base, parts, pc: at.pc };
        let clock = &state.block.clock;
        let fits = class.order == AccessOrder::Weak && state.is_plain(Space::Global);
        if !fits {
            if let Some(line) = self.lines.hand_to_cells(clock.interval(), access) {
                self.flush(clock, line);
            }
            return false;
        }
        let changed = || written.map_or(0, |write| u32::from(write.old != write.new) << in_line);
        let changes = written.map(|_| &changed as &dyn Fn() -> u32);
        let told = self.lines.access(clock, access, changes);
        if let Some(line) = told.flushed {
            self.flush(clock, line);
        }
        told.is_owned
    }

    /// The cell of a buffer; `None` if no more can be kept.
    #[inline(always)]
    pub(crate) fn cell(&mut self, buffer: u32, cell: usize) -> Option<&mut Cell> {
        (self.pages.used() < MAX_PAGES).then(|| self.pages.at(buffer, cell))
    }

    /// A lane's access to some bytes.
    fn access(
        &mut self,
        state: &mut RaceDetector,
        machine: &Machine,
        at: &InstSite,
        (buffer, byte, len): (u32, u32, u32),
        (lane, class, written): (usize, AccessClass, Option<&WordWrite>),
    ) -> Result<(), Box<LaneFault>> {
        for index in self.granule.cells(byte, len) {
            let has_lines = self.granule == Granule::Word && !state.is_exact;
            if has_lines && self.is_in_owned_line(state, at, (buffer, index), (lane, class, written)) {
                continue;
            }
            let byte = self.granule.byte(index);
            let key: CellKey = (Space::Global, buffer, index);
            let access =
                CellAccess { space: Space::Global, allocation: buffer, byte, lane, kind: class.kind };
            let event = CellEvent::of(key, access, class, (self.granule, written));
            let mut unused = Cell::UNTOUCHED;
            let cell = match state.is_exact {
                true => &mut unused,
                false => match self.cell(buffer, index) {
                    Some(cell) => cell,
                    None => {
                        state.end_search(machine, at, lane, SearchLimit::Memory);
                        return Ok(());
                    }
                },
            };
            machine.tolerate(at, state.access(machine, at, cell, &event))?;
        }
        Ok(())
    }

    /// A load from a buffer that the launch may write.
    pub(crate) fn read(
        &mut self,
        state: &mut RaceDetector,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        for lane in span.representatives(state.tells_readers_apart(machine)) {
            let bytes = (span.allocation, span.offsets[lane], span.bytes);
            self.access(state, machine, at, bytes, (lane, class, None))?;
        }
        Ok(())
    }

    /// A write of a word, or of a part of it.
    pub(crate) fn write(
        &mut self,
        state: &mut RaceDetector,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let bytes = (write.allocation, write.word * 4 + write.first, write.len);
        self.access(state, machine, at, bytes, (write.lane, write.class, Some(write)))
    }

    /// A plain load or store of whole words of known shape that each only its own thread has accessed in this interval, but for
    /// loads beside loads; `false`, and nothing is recorded, if it has to be told lane by lane. `changes` is for a store, and says
    /// whether a word of a lane gets another value.
    #[inline]
    pub(crate) fn simple(
        &mut self,
        state: &RaceDetector,
        access: &GlobalAccess,
        changes: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> bool {
        let (clock, shape, at) = (&state.block.clock, access.shape, access.at);
        if self.granule != Granule::Word || shape.bytes < 4 || !state.is_plain(Space::Global) {
            return false;
        }
        let parts = shape.bytes as usize / 4;
        if shape.pattern != LanePattern::Contiguous
            || !access.start.is_multiple_of(4)
            || !WORDS.is_multiple_of(parts)
        {
            return false;
        }
        let (first, end) = (access.start as usize / 4, access.start as usize / 4 + 32 * parts);
        if !first.is_multiple_of(parts) {
            return false;
        }
        let thread = at.thread(0) as i32;
        let mut is_owned = true;
        for line in first / WORDS..end.div_ceil(WORDS) {
            let start = line * WORDS;
            let (from, to) = (first.max(start) - start, end.min(start + WORDS) - start);
            let words = (u32::MAX >> (WORDS - (to - from))) << from;
            let base = thread + (start as i32 - first as i32) / parts as i32;
            let changed = || {
                let Some(changes) = changes else { return 0 };
                let is_changed = |word: &usize| {
                    let word = start + word - first;
                    changes(word / parts, word % parts)
                };
                (from..to).filter(is_changed).fold(0, |mask, word| mask | 1u32 << word)
            };
            let line = LineAccess {
                buffer: access.allocation,
                line: line as u32,
                words,
                base,
                parts: parts as u32,
                pc: at.pc,
            };
            let told = self.lines.access(clock, line, changes.map(|_| &changed as &dyn Fn() -> u32));
            if let Some(line) = told.flushed {
                self.flush(clock, line);
            }
            is_owned &= told.is_owned;
        }
        is_owned
    }
}
