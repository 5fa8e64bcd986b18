//! Races on global memory between threads of one block.
//!
//! Which accesses race is decided by [`super::cell`], as for shared memory. Only buffers that the launch may write have cells.
//!
//! Cells lie in pages that are made when first accessed: 84 bytes for each word of a page. A block keeps at most [`MAX_PAGES`] of
//! them, and finds no race in what it accesses beyond; pages are used again for other blocks.

use crate::machine::mask::lanes;
use crate::machine::observer::GlobalAccess;
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

/// A block's accesses to global memory.
pub(crate) struct BlockShadow {
    pages: Pages<Cell>,
    /// Bytes per cell, as a power of two.
    granule: u32,
}

impl Default for BlockShadow {
    fn default() -> BlockShadow {
        BlockShadow { pages: Pages::new(Cell::UNTOUCHED), granule: 2 }
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
            if is_plain && self.read_only(state, at, span, lane) {
                continue;
            }
            let bytes = (span.allocation, span.offsets[lane], span.bytes);
            self.access(state, machine, at, bytes, (lane, class, role))?;
        }
        Ok(())
    }

    /// Records a lane's plain load of words that no thread has written in this interval; whether they all are such words.
    #[inline(always)]
    fn read_only(&mut self, state: &BlockState, at: &InstSite, span: &ResolvedAccess, lane: usize) -> bool {
        let now = state.clock.now(ThreadIndex::new(at.thread(lane)));
        let words = span.offsets[lane] / 4..(span.offsets[lane] + span.bytes).div_ceil(4);
        let cell = |shadow: &mut BlockShadow, word: u32| {
            let cell = shadow.cell(span.allocation, word as usize);
            cell.is_none_or(|cell| cell.read_only(&state.clock, now, at.pc))
        };
        words.into_iter().all(|word| cell(self, word))
    }

    /// Records a lane's plain store to a word that no thread has accessed in this interval; whether it is such a word.
    #[inline(always)]
    pub(crate) fn first_write(&mut self, state: &BlockState, at: &InstSite, write: &WordWrite) -> bool {
        let now = state.clock.now(ThreadIndex::new(at.thread(write.lane)));
        let is_plain = write.class.is_plain_store() && self.granule == 2 && state.is_plain();
        let word = write.word as usize;
        is_plain && self.cell(write.allocation, word).is_none_or(|cell| cell.first_write(now, at.pc))
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

    /// A plain load or store of whole words of known shape, if it is the first of its cells in this interval that could make a race;
    /// `false`, and nothing is recorded, if it has to be told lane by lane.
    #[inline]
    pub(crate) fn simple(&mut self, state: &BlockState, access: &GlobalAccess, writes: bool) -> bool {
        if self.granule != 2 || !state.is_plain() {
            return false;
        }
        let (clock, interval) = (&state.clock, state.clock.interval());
        let (shape, first) = (access.shape, access.start as usize / 4);
        for word in &shape.distinct {
            let Some(cell) = self.cell(access.allocation, first + *word as usize) else { return false };
            if cell.write.is_of(interval)
                || cell.strong.is_of(interval)
                || writes && cell.read.is_of(interval)
            {
                return false;
            }
        }
        let role = if writes { AccessRole::Write { changes: true } } else { AccessRole::Read };
        for lane in lanes(shape.mask) {
            let now = clock.now(ThreadIndex::new(access.at.thread(lane)));
            let start = first + shape.words.0[lane] as usize;
            for word in start..start + shape.bytes as usize / 4 {
                if let Some(cell) = self.cell(access.allocation, word) {
                    cell.add(clock, now, access.at.pc, role);
                }
            }
        }
        true
    }
}
