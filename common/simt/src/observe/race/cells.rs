//! Shadow cells of a block's shared memory: for each cell, who has accessed it since the last barrier, and whether any thread has ever
//! written it.
//!
//! A cell is a word, or a byte if the kernel uses narrower elements.

use crate::machine::Machine;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::observe::race::cell::Cell;
use crate::observe::race::clock::{Moment, ThreadIndex};
use crate::observe::race::granule::Granule;
use crate::observe::race::record::Record;
use crate::plan::Pc;

/// The cells of a block.
#[derive(Default)]
pub(crate) struct SharedCells {
    pub(crate) cells: Vec<Cell>,
    pub(crate) granule: Granule,
    /// A bit for each cell that the block has written.
    pub(crate) written: Vec<u64>,
}

impl SharedCells {
    /// A block begins; `anew`: no record is of any use.
    pub(crate) fn begin(&mut self, machine: &Machine, anew: bool) {
        self.granule = Granule::of(machine.plan.narrow_shared);
        let cells = self.granule.count(machine.shared_bytes);
        if self.cells.len() != cells || anew {
            self.cells = vec![Cell::UNTOUCHED; cells];
        }
        self.written.clear();
        self.written.resize(cells.div_ceil(64) + 1, 0);
    }

    pub(crate) fn is_written(&self, cell: usize) -> bool {
        self.written[cell / 64] >> (cell % 64) & 1 == 1
    }

    pub(crate) fn set_written(&mut self, cell: usize) {
        self.written[cell / 64] |= 1 << (cell % 64);
    }

    /// Records a store of a known shape to cells that no thread has touched in this interval. `first` is the cell where it begins.
    pub(crate) fn note_store(
        &mut self,
        shape: &CoalescingShape,
        first: usize,
        (warp, interval, tick, pc): (u32, u32, u32, Pc),
    ) {
        for lane in (0..32).filter(|lane| shape.mask >> lane & 1 == 1) {
            let thread = ThreadIndex::new(warp * 32 + lane);
            let record = Record::of(Moment { interval, tick, thread }, pc);
            let word = first + shape.words.by_lane().0[lane as usize] as usize;
            for cell in &mut self.cells[word..word + shape.bytes as usize / 4] {
                cell.write = record;
            }
        }
    }

    /// Whether a cell of an access that begins at cell `first` was touched in this interval.
    pub(crate) fn is_touched(&self, shape: &CoalescingShape, first: usize, interval: u32) -> bool {
        shape.distinct.iter().any(|word| self.cells[first + *word as usize].is_touched(interval))
    }
}
