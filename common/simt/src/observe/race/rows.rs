//! The accesses to the cells of global memory, kept by rows of [`ROW`] cells as the instructions of warps made them.
//!
//! Most instructions access a row with plain loads or stores, one lane per cell, and come after all that they could race with: by a
//! barrier, a fence or program order. Such an access is kept once for the whole row. A row that is accessed in any other way is split into a
//! [`CellHistory`] for each cell, which stays; what it remembers is the same as if the row had been split from the first.

use crate::fault::AccessKind;
use crate::machine::ResolvedAccess;
use crate::machine::mask::lanes;
use crate::observe::race::causality::View;
use crate::observe::race::granule::Granule;
use crate::observe::race::history::CellHistory;
use crate::observe::race::kept::{Family, KeptAccess};
use crate::observe::race::pages::Pages;
use smallvec::SmallVec;

/// Cells of a row.
const ROW: usize = 32;

/// Rows that an instruction may access for it to be kept by rows.
const MAX_PARTS: usize = 8;

/// Accesses of a row that are kept for it as a whole.
const MAX_ACCESSES: usize = 12;

/// Rows that are kept: of 4 M cells.
const MAX_ROWS: usize = 1 << 17;

/// Which lane of a warp accesses which cell of a row.
#[derive(Clone, Copy)]
struct RowLanes {
    buffer: u32,
    row: usize,
    /// The cells that are accessed.
    cells: u32,
    /// By cell.
    lanes: [u8; ROW],
}

impl RowLanes {
    /// The cells that the same lanes of both access.
    fn common(&self, other: &RowLanes) -> u32 {
        let same = self.lanes.iter().zip(&other.lanes).enumerate();
        let same = same.fold(0, |mask, (cell, (own, others))| mask | u32::from(own == others) << cell);
        self.cells & other.cells & same
    }
}

/// An access of a warp to a row.
struct RowAccess {
    /// What is the same for all lanes; the rest is made by [`RowAccess::of_cell`].
    access: KeptAccess,
    at: RowLanes,
    /// Lanes that had fenced and not stored since.
    published: u32,
    /// What is stored, by cell.
    values: Option<Box<[u32; ROW]>>,
}

impl RowAccess {
    fn of_cell(&self, cell: usize, granule: Granule) -> KeptAccess {
        let lane = self.at.lanes[cell];
        let byte = granule.byte(self.at.row * ROW + cell) as u32;
        KeptAccess {
            lanes: 1 << lane,
            start: byte / self.access.bytes * self.access.bytes,
            published: self.published >> lane & 1 == 1,
            value: self.values.as_ref().map(|values| values[cell]),
            ..self.access
        }
    }

    /// The same for some of its cells.
    fn part(&self, cells: u32) -> RowAccess {
        let at = RowLanes { cells, ..self.at };
        RowAccess { at, values: self.values.clone(), ..*self }
    }
}

/// The accesses to a row.
enum Row {
    Whole(Vec<RowAccess>),
    Split(Box<[CellHistory]>),
}

impl Default for Row {
    fn default() -> Row {
        Row::Whole(Vec::new())
    }
}

impl Row {
    fn is_empty(&self) -> bool {
        matches!(self, Row::Whole(accesses) if accesses.is_empty())
    }

    /// Whether an access to it comes after all that it might race with, and there is room to keep it.
    fn is_clear(&self, writes: bool, (of, at): (&KeptAccess, &RowLanes), view: &View) -> bool {
        let Row::Whole(accesses) = self else { return false };
        let is_before = |known: &RowAccess| {
            let meets = known.at.cells & at.cells;
            let is_harmless = known.access.is_covered || !(writes || known.access.family.writes());
            let is_own = |known: &RowAccess| {
                (known.access.block, known.access.warp) == (of.block, of.warp) && known.at.common(at) == meets
            };
            meets == 0
                || is_harmless
                || view.has_warp((known.access.block, known.access.warp), known.access.time)
                || is_own(known)
        };
        accesses.len() < MAX_ACCESSES && accesses.iter().all(is_before)
    }

    /// Keeps a load, and forgets those that race with nothing that it does not race with.
    fn load(&mut self, load: RowAccess, view: &View) {
        let Row::Whole(accesses) = self else { return };
        for known in accesses.iter_mut() {
            let is_alike = known.access.family == Family::Read
                && known.access.bytes == load.access.bytes
                && !known.access.is_covered;
            if !is_alike {
                continue;
            }
            let warp = (known.access.block, known.access.warp);
            known.at.cells &= match () {
                () if view.has_warp(warp, known.access.time) => !load.at.cells,
                () if warp == (load.access.block, load.access.warp) => !known.at.common(&load.at),
                () => u32::MAX,
            };
        }
        accesses.retain(|known| known.at.cells != 0);
        // Most rows are accessed once.
        accesses.reserve_exact(1);
        accesses.push(load);
    }

    /// Keeps a store that comes after all other accesses to its cells. These race with nothing that it does not race with, but for stores of
    /// the same value: see [`CellHistory`].
    fn store(&mut self, store: RowAccess) {
        let Row::Whole(accesses) = self else { return };
        let Some(stored) = &store.values else { return };
        let (mut covered, mut follows_other_value) = (Vec::new(), 0);
        for known in accesses.iter_mut().filter(|known| !known.access.is_covered) {
            let meets = known.at.cells & store.at.cells;
            let is_other = |cell: &usize| known.values.as_ref().is_none_or(|old| old[*cell] != stored[*cell]);
            let differs = lanes(meets).filter(is_other).fold(0, |mask, cell| mask | 1 << cell);
            if known.access.family.writes() {
                follows_other_value |= differs;
            }
            known.at.cells &= !meets;
            if differs != 0 {
                let part = known.part(differs);
                covered.push(RowAccess { access: KeptAccess { is_covered: true, ..part.access }, ..part });
            }
        }
        for old in accesses.iter_mut().filter(|known| known.access.is_covered) {
            let who = |known: &RowAccess| (known.access.family, known.access.block, known.access.warp);
            let renewed = covered.iter().filter(|new| who(new) == who(old));
            let renewed = renewed.fold(0, |mask, new| mask | old.at.common(&new.at));
            old.at.cells &= !(follows_other_value | renewed);
        }
        accesses.retain(|known| known.at.cells != 0);
        accesses.reserve_exact(covered.len() + 1);
        accesses.extend(covered);
        accesses.push(store);
    }

    /// The histories of its cells.
    fn split(&mut self, granule: Granule) -> &mut [CellHistory] {
        if let Row::Whole(accesses) = self {
            let mut cells: Box<[CellHistory]> = (0..ROW).map(|_| CellHistory::default()).collect();
            for access in accesses.iter() {
                lanes(access.at.cells).for_each(|cell| cells[cell].restore(access.of_cell(cell, granule)));
            }
            *self = Row::Split(cells);
        }
        match self {
            Row::Split(cells) => cells,
            Row::Whole(_) => unreachable!("the row was split"),
        }
    }
}

/// The accesses to the cells of all buffers.
pub(super) struct Rows {
    rows: Pages<Row>,
    granule: Granule,
    used: usize,
    /// A store at hand: what it stores follows word by word.
    stores: Vec<RowAccess>,
}

impl Rows {
    pub(super) fn new(granule: Granule) -> Rows {
        Rows { rows: Pages::default(), granule, used: 0, stores: Vec::new() }
    }

    /// A cell, if accesses to it are kept by cell.
    pub(super) fn get(&self, buffer: u32, cell: usize) -> Option<&CellHistory> {
        match self.rows.get(buffer, cell / ROW)? {
            Row::Split(cells) => Some(&cells[cell % ROW]),
            Row::Whole(_) => None,
        }
    }

    /// A cell, to which accesses are kept by cell from now on.
    pub(super) fn at(&mut self, buffer: u32, cell: usize) -> &mut CellHistory {
        let granule = self.granule;
        &mut self.row(buffer, cell / ROW).split(granule)[cell % ROW]
    }

    /// A row, to keep an access.
    fn row(&mut self, buffer: u32, row: usize) -> &mut Row {
        let row = self.rows.at(buffer, row);
        self.used += usize::from(row.is_empty());
        row
    }

    /// Whether a cell can be kept.
    pub(super) fn has_room(&self, buffer: u32, cell: usize) -> bool {
        match self.rows.get(buffer, cell / ROW) {
            Some(row) if !row.is_empty() => true,
            _ => self.used < MAX_ROWS,
        }
    }

    /// Accesses to a cell are kept by cell from now on, if there were any.
    pub(super) fn split(&mut self, buffer: u32, cell: usize) {
        if self.rows.get(buffer, cell / ROW).is_some_and(|row| !row.is_empty()) {
            self.at(buffer, cell);
        }
    }

    /// A plain load or store of a warp; `false` if it must be kept lane by lane. `access` is what its lanes have in common. What is stored follows by
    /// [`Rows::stored`], and [`Rows::end_store`].
    pub(super) fn access(
        &mut self,
        span: &ResolvedAccess,
        (access, published): (KeptAccess, u32),
        view: &View,
    ) -> bool {
        let Some(parts) = self.lanes_of(span) else { return false };
        let writes = access.kind == AccessKind::Store;
        let is_kept = |at: &RowLanes| {
            let row = self.rows.get(at.buffer, at.row);
            row.is_none_or(|row| row.is_clear(writes, (&access, at), view))
                && self.has_room(at.buffer, at.row * ROW)
        };
        if !parts.iter().all(is_kept) {
            return false;
        }
        for at in parts {
            if writes {
                let at = RowLanes { cells: 0, ..at };
                self.stores.push(RowAccess { access, at, published, values: Some(Box::new([0; ROW])) });
            } else {
                let load = RowAccess { access, at, published, values: None };
                self.row(at.buffer, at.row).load(load, view);
            }
        }
        true
    }

    /// Which lanes access which cells of which rows; `None` if several access one cell, or there are too many rows.
    fn lanes_of(&self, span: &ResolvedAccess) -> Option<SmallVec<[RowLanes; MAX_PARTS]>> {
        let ResolvedAccess { offsets, bytes, mask, allocation: buffer, .. } = *span;
        let mut parts: SmallVec<[RowLanes; MAX_PARTS]> = SmallVec::new();
        let mut last = 0;
        for lane in lanes(mask) {
            if offsets[lane] % bytes != 0 || bytes < self.granule.bytes() {
                return None;
            }
            for cell in self.granule.cells(offsets[lane], bytes) {
                let row = cell / ROW;
                if parts.get(last).is_none_or(|part| part.row != row) {
                    last = match parts.iter().position(|part| part.row == row) {
                        Some(known) => known,
                        None if parts.len() == MAX_PARTS => return None,
                        None => {
                            parts.push(RowLanes { buffer, row, cells: 0, lanes: [0; ROW] });
                            parts.len() - 1
                        }
                    };
                }
                let part = &mut parts[last];
                if part.cells >> (cell % ROW) & 1 == 1 {
                    return None;
                }
                part.cells |= 1 << (cell % ROW);
                part.lanes[cell % ROW] = lane as u8;
            }
        }
        Some(parts)
    }

    /// Whether the store at hand is kept by rows.
    #[inline]
    pub(super) fn is_storing(&self) -> bool {
        !self.stores.is_empty()
    }

    /// What the store at hand puts into a cell.
    pub(super) fn stored(&mut self, cell: usize, value: u32) {
        let store = self.stores.iter_mut().find(|store| store.at.row == cell / ROW);
        if let Some(RowAccess { at, values: Some(values), .. }) = store {
            at.cells |= 1 << (cell % ROW);
            values[cell % ROW] = value;
        }
    }

    /// All of the store at hand is known.
    #[inline]
    pub(super) fn end_store(&mut self) {
        if self.is_storing() {
            self.keep_store();
        }
    }

    fn keep_store(&mut self) {
        for store in std::mem::take(&mut self.stores) {
            if store.at.cells == 0 {
                continue;
            }
            self.row(store.at.buffer, store.at.row).store(store);
        }
    }
}
