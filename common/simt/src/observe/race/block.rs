//! Races on global memory between threads of one block.
//!
//! Which accesses race is decided by [`super::cell`], as for shared memory. Only buffers that the launch may write have cells.
//!
//! Cells lie in pages that are made when first accessed: 84 bytes for each word of a page. A block keeps at most [`MAX_PAGES`] of
//! them, and finds no race in what it accesses beyond; pages are used again for other blocks.

use crate::machine::event::CellKey;
use crate::machine::mask::lanes;
use crate::machine::observer::GlobalAccess;
use crate::machine::{AccessClass, InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::race::access::RaceDetector;
use crate::observe::race::cell::Cell;
use crate::observe::race::clock::ThreadIndex;
use crate::observe::race::granule::Granule;
use crate::observe::race::pages::Pages;
use crate::observe::race::report::{CellAccess, CellEvent};
use simt_ir::pointer::Space;

/// Pages that a block may have: of 16 MiB of words.
const MAX_PAGES: usize = 4096;
/// Pages that stay where they are from block to block; with more, the next block takes new ones.
const KEPT_PAGES: usize = 256;

/// Rows that are remembered.
const ROWS: usize = 64;

/// Words that the lanes of a warp have stored, each lane its own, with different values at one tick: whatever the same lanes do there
/// next changes no record.
#[derive(Clone, Copy, PartialEq, Eq)]
struct OwnRow {
    buffer: u32,
    start: u32,
    warp: u32,
    interval: u32,
    tick: u32,
    /// Which words the lanes have, by the shape's address, which is its own as long as the worker is there.
    shape: usize,
}

/// A block's accesses to global memory.
pub(crate) struct BlockShadow {
    pages: Pages<Cell>,
    /// By a hash of their place. An access that is told lane by lane clears them.
    rows: [Option<OwnRow>; ROWS],
    /// Whether there are any.
    has_rows: bool,
    granule: Granule,
    /// Whether a block may go on after another one, so that a record in a page that is used again could be taken for its own.
    has_later: bool,
}

impl Default for BlockShadow {
    fn default() -> BlockShadow {
        BlockShadow {
            pages: Pages::new(Cell::UNTOUCHED),
            rows: [None; ROWS],
            has_rows: false,
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
        }
        if self.pages.used() > KEPT_PAGES {
            if self.has_later {
                self.pages.clear();
            }
            self.pages.recycle();
        }
    }

    /// The block at hand will go on after others.
    pub(crate) fn keep_for_later(&mut self) {
        self.has_later = true;
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
        if std::mem::take(&mut self.has_rows) {
            self.rows = [None; ROWS];
        }
        for index in self.granule.cells(byte, len) {
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
                    None => return Ok(()),
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
        if self.granule != Granule::Word || !state.is_plain(Space::Global) {
            return false;
        }
        let (clock, shape, InstSite { pc, warp, .. }) = (&state.block.clock, access.shape, access.at);
        let own = OwnRow {
            buffer: access.allocation,
            start: access.start,
            warp,
            interval: clock.interval(),
            tick: clock.tick(warp),
            shape: std::ptr::from_ref(shape).addr(),
        };
        let slot = ((access.start / 128) ^ access.allocation ^ (warp << 3)) as usize % ROWS;
        if self.rows[slot] == Some(own) {
            return true;
        }
        if self.pages.used() >= MAX_PAGES {
            return false;
        }
        let (first, span) = (access.start as usize / 4, shape.span as usize);
        let Some(cells) = self.pages.row(access.allocation, first, span) else { return false };
        let parts = shape.bytes as usize / 4;
        let now = |lane| clock.now(ThreadIndex::new(access.at.thread(lane)));
        for lane in lanes(shape.mask) {
            let start = shape.words.0[lane] as usize;
            let own = |cell: &Cell| cell.is_own(now(lane), changes.is_some());
            if !cells[start..start + parts].iter().all(own) {
                return false;
            }
        }
        let mut all_mixed = true;
        for lane in lanes(shape.mask) {
            let start = shape.words.0[lane] as usize;
            for (part, cell) in cells[start..start + parts].iter_mut().enumerate() {
                match changes {
                    None => cell.read_own(clock, now(lane), pc),
                    Some(changes) => {
                        let changes = cell.write.is_of(own.interval) && changes(lane, part);
                        cell.write.add(clock, now(lane), pc, changes);
                        all_mixed &= cell.write.is_mixed_now();
                        true
                    }
                };
            }
        }
        if changes.is_some() && all_mixed {
            self.rows[slot] = Some(own);
            self.has_rows = true;
        }
        true
    }
}
