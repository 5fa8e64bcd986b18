//! Races on global memory between threads of one block.
//!
//! Which accesses race is decided by [`super::cell`], as for shared memory. Only buffers that the launch may write have cells.
//!
//! Cells lie in pages that are made when first accessed: 84 bytes for each word of a page. A block keeps at most [`MAX_PAGES`] of
//! them, and finds no race in what it accesses beyond; pages are used again for other blocks.

use crate::machine::mask::lanes;
use crate::machine::observer::GlobalAccess;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::{AccessClass, InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::race::access::BlockState;
use crate::observe::race::cell::{AccessRole, Cell};
use crate::observe::race::clock::ThreadIndex;
use crate::observe::race::guesses::CellKey;
use crate::observe::race::pages::Pages;
use crate::observe::race::report::{self, CellAccess};
use simt_ir::pointer::Space;
use std::ops::Range;

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
    /// Which words the lanes have, by the place of the shape in the worker's memory.
    shape: *const CoalescingShape,
}

// SAFETY: the pointer is compared and never followed.
unsafe impl Send for OwnRow {}

/// A block's accesses to global memory.
pub(crate) struct BlockShadow {
    pages: Pages<Cell>,
    /// By a hash of their place. Anything but [`BlockShadow::simple`] accesses clears them.
    rows: [Option<OwnRow>; ROWS],
    /// Whether there are any.
    has_rows: bool,
    /// Bytes per cell, as a power of two.
    granule: u32,
}

impl Default for BlockShadow {
    fn default() -> BlockShadow {
        BlockShadow { pages: Pages::new(Cell::UNTOUCHED), rows: [None; ROWS], has_rows: false, granule: 2 }
    }
}

impl BlockShadow {
    /// A block begins; `anew`: no record is of any use.
    pub(crate) fn begin(&mut self, machine: &Machine, anew: bool) {
        self.granule = if machine.plan.narrow_global { 0 } else { 2 };
        if anew {
            self.pages.clear();
        }
        if self.pages.used() > KEPT_PAGES {
            self.pages.recycle();
        }
    }

    /// The cell of a buffer; `None` if no more can be kept.
    #[inline(always)]
    pub(crate) fn cell(&mut self, buffer: u32, cell: usize) -> Option<&mut Cell> {
        (self.pages.used() < MAX_PAGES).then(|| self.pages.at(buffer, cell))
    }

    /// The cells of bytes `byte` to `byte + len`.
    fn range(&self, byte: u32, len: u32) -> Range<usize> {
        (byte >> self.granule) as usize..((byte + len - 1) >> self.granule) as usize + 1
    }

    /// A lane's access to some bytes.
    fn access(
        &mut self,
        state: &mut BlockState,
        machine: &Machine,
        at: &InstSite,
        (buffer, byte, len): (u32, u32, u32),
        (lane, class, role): (usize, AccessClass, AccessRole),
    ) -> Result<(), Box<LaneFault>> {
        if std::mem::take(&mut self.has_rows) {
            self.rows = [None; ROWS];
        }
        for index in self.range(byte, len) {
            let byte = (index as i64) << self.granule;
            let Some(cell) = self.cell(buffer, index) else { return Ok(()) };
            let key: CellKey = (Space::Global, buffer, index);
            let access =
                CellAccess { space: Space::Global, allocation: buffer, byte, lane, kind: class.kind };
            let result = state.access(machine, at, (key, cell), access, (role, class.swaps));
            result.map_err(|earlier| report::in_block(machine, at, access, earlier))?;
        }
        Ok(())
    }

    /// A load from a buffer that the launch may write.
    pub(crate) fn read(
        &mut self,
        state: &mut BlockState,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        let role = AccessRole::of(class, false, false);
        let is_plain = role == AccessRole::Read && self.granule == 2 && state.is_plain();
        for lane in span.representatives(machine.plan.effects.tells_readers_apart()) {
            if is_plain && self.read_own(state, at, span, lane) {
                continue;
            }
            let bytes = (span.allocation, span.offsets[lane], span.bytes);
            self.access(state, machine, at, bytes, (lane, class, role))?;
        }
        Ok(())
    }

    /// Records a lane's plain load of words, if none can be a race for a simple reason; whether it did.
    #[inline(always)]
    fn read_own(&mut self, state: &BlockState, at: &InstSite, span: &ResolvedAccess, lane: usize) -> bool {
        let now = state.clock.now(ThreadIndex::new(at.thread(lane)));
        let words = span.offsets[lane] / 4..(span.offsets[lane] + span.bytes).div_ceil(4);
        let cell = |shadow: &mut BlockShadow, word: u32| {
            let cell = shadow.cell(span.allocation, word as usize);
            cell.is_none_or(|cell| cell.read_own(&state.clock, now, at.pc))
        };
        words.into_iter().all(|word| cell(self, word))
    }

    /// Records a lane's plain store to a word, if that cannot be a race for a simple reason; whether it did.
    #[inline(always)]
    pub(crate) fn write_own(&mut self, state: &BlockState, at: &InstSite, write: &WordWrite) -> bool {
        let now = state.clock.now(ThreadIndex::new(at.thread(write.lane)));
        let is_plain = write.class.is_plain_store() && self.granule == 2 && state.is_plain();
        let word = write.word as usize;
        is_plain
            && self
                .cell(write.allocation, word)
                .is_none_or(|cell| cell.write_own(&state.clock, now, at.pc, write.old != write.new))
    }

    /// A write of a word, or of a part of it.
    pub(crate) fn write(
        &mut self,
        state: &mut BlockState,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let role = AccessRole::of(write.class, write.old != write.new, state.clock.has_fenced(at.warp));
        let bytes = (write.allocation, write.word * 4 + write.first, write.len);
        self.access(state, machine, at, bytes, (write.lane, write.class, role))
    }

    /// A plain load or store of whole words of known shape that each only its own thread has accessed in this interval, but for
    /// loads beside loads; `false`, and nothing is recorded, if it has to be told lane by lane. `changes` is for a store, and says
    /// whether a word of a lane gets another value.
    #[inline]
    pub(crate) fn simple(
        &mut self,
        state: &BlockState,
        access: &GlobalAccess,
        changes: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> bool {
        if self.granule != 2 || !state.is_plain() {
            return false;
        }
        let (clock, shape, InstSite { pc, warp, .. }) = (&state.clock, access.shape, access.at);
        let own = OwnRow {
            buffer: access.allocation,
            start: access.start,
            warp,
            interval: clock.interval(),
            tick: clock.tick(warp),
            shape: std::ptr::from_ref(shape),
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
