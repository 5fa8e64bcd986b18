//! Who accessed a cell last, in four bytes: what is enough to say that an access is certainly no race with what threads of the block did
//! before.
//!
//! A cell has an epoch for plain writes, plain reads, and atomic operations: a time, and *one thread*, *lanes of one warp*, or *several
//! warps* (compare the epochs of FastTrack; Flanagan and Freund, PLDI 2009). Time counts barriers and synchronizations of warps of one worker, and never
//! goes back, so no barrier and no new block has to clear an epoch. The rules are those of [`super::cell`] where these need neither the
//! instructions nor the values: what is not clear here is decided there ([`super::screening`]).

use crate::isa::{HostIsa, per_isa};
#[cfg(doc)]
use crate::machine::warp::access::shape::SEVERAL_LANES;
use crate::observe::race::time::Accessing;
use std::ops::Range;

/// The epochs of some cells.
#[derive(Default)]
pub(crate) struct Epochs {
    isa: HostIsa,
    writes: Vec<u32>,
    reads: Vec<u32>,
    /// Empty until there is an atomic operation.
    atomics: Vec<u32>,
}

/// Which cells a warp accesses.
pub(crate) enum Cells<'a> {
    /// Neighbouring cells, `parts` of which belong to each lane, from `lane` on.
    Row { cells: Range<usize>, lane: u32, parts: u32 },
    /// The same cells by all of several lanes.
    Same { cells: Range<usize> },
    /// Cells in ascending order, counted from `first`, each with the lane that reads it, or several ([`SEVERAL_LANES`]).
    Readers { first: u32, words: &'a [u32], lanes: &'a [u8] },
    /// Cells in any order.
    Each(EachCell<'a>),
}

/// For each lane of the mask, which has at least one, its first cell, and how many it accesses: those of two lanes are the same, or none of them
/// is.
#[derive(Clone, Copy)]
pub(crate) struct EachCell<'a> {
    pub(crate) mask: u32,
    pub(crate) first: &'a [u32; 32],
    pub(crate) parts: u32,
}

/// A cell per lane, and who accesses it. Lanes that are not active are copies of the first that is, so that loops need not tell them apart.
struct LaneCells {
    cells: [u32; 32],
    who: [u32; 32],
}

impl EachCell<'_> {
    #[inline(always)]
    fn lanes(&self, by: Accessing) -> LaneCells {
        let lead = (self.mask.trailing_zeros() & 31) as usize;
        let (mut cells, mut who) = ([self.first[lead]; 32], [by.thread(lead as u32); 32]);
        for i in 0..32 {
            let is_active = self.mask >> i & 1 == 1;
            cells[i] = if is_active { self.first[i] } else { cells[i] };
            who[i] = if is_active { by.thread(i as u32) } else { who[i] };
        }
        LaneCells { cells, who }
    }
}

impl LaneCells {
    /// The lanes' cells after these.
    #[inline(always)]
    fn next(&mut self) {
        for cell in &mut self.cells {
            *cell += 1;
        }
    }

    #[inline(always)]
    fn load(&self, epochs: &[u32]) -> [u32; 32] {
        let mut found = [0; 32];
        for (found, cell) in found.iter_mut().zip(&self.cells) {
            *found = epochs[*cell as usize];
        }
        found
    }

    /// Stores an epoch per lane; gives the lanes whose cell another lane has made another epoch of.
    #[inline(always)]
    fn store(&self, epochs: &mut [u32], new: &[u32; 32]) -> u32 {
        for (cell, new) in self.cells.iter().zip(new) {
            epochs[*cell as usize] = *new;
        }
        let (now, mut differ) = (self.load(epochs), 0);
        for i in 0..32 {
            differ |= u32::from(now[i] != new[i]) << i;
        }
        differ
    }

    /// Whether all that is before is ordered.
    #[inline(always)]
    fn are_ordered(&self, by: Accessing, epochs: &[u32]) -> bool {
        let (epochs, mut is_clear) = (self.load(epochs), true);
        for i in 0..32 {
            is_clear &= by.is_ordered(epochs[i], self.who[i]);
        }
        is_clear
    }

    /// Adds the access to what the epochs stand for.
    #[inline(always)]
    fn add(&self, by: Accessing, epochs: &mut [u32]) {
        let mut new = self.load(epochs);
        for i in 0..32 {
            new[i] = by.with(new[i], self.who[i]);
        }
        // Where one of several lanes of a cell counts as its only thread, all that was before is replaced or is this warp's.
        let mut rest = self.store(epochs, &new);
        while rest != 0 {
            let lane = (rest.trailing_zeros() & 31) as usize;
            rest &= rest - 1;
            epochs[self.cells[lane] as usize] = by.now | by.lanes();
        }
    }
}

/// What is done to a cell of neighbouring ones or of those that all lanes access: the epochs of its writes and reads, and by whom; gives whether
/// all before is ordered. What is done to cells that the lanes have in any order is a function of these.
macro_rules! each_cell {
    ($self:ident, $cells:expr, $by:expr, |$w:ident, $r:ident, $who:ident| $body:expr, |$lanes:ident| $each:expr) => {{
        let mut is_clear = true;
        match $cells {
            Cells::Row { ref cells, lane, parts } => {
                let first = $by.thread(lane);
                let writes = &mut $self.writes[cells.clone()];
                let reads = &mut $self.reads[cells.clone()];
                let rows = writes.iter_mut().zip(reads);
                if parts == 1 {
                    for (i, ($w, $r)) in rows.enumerate() {
                        let $who = first + i as u32;
                        is_clear &= $body;
                    }
                } else {
                    // A power of two: bytes or words of an element.
                    let shift = parts.trailing_zeros();
                    for (i, ($w, $r)) in rows.enumerate() {
                        let $who = first + (i as u32 >> shift);
                        is_clear &= $body;
                    }
                }
            }
            Cells::Same { ref cells } => {
                let $who = $by.lanes();
                for cell in cells.clone() {
                    let ($w, $r) = (&mut $self.writes[cell], &mut $self.reads[cell]);
                    is_clear &= $body;
                }
            }
            Cells::Readers { first, words, lanes } => {
                let row = first as usize..first as usize + words.len();
                if words.last().is_some_and(|last| *last as usize + 1 == words.len()) {
                    let rows = $self.writes[row.clone()].iter_mut().zip(&mut $self.reads[row]);
                    for (($w, $r), lane) in rows.zip(lanes) {
                        let $who = $by.reader(*lane);
                        is_clear &= $body;
                    }
                } else {
                    for (word, lane) in words.iter().zip(lanes) {
                        let ($who, cell) = ($by.reader(*lane), (first + word) as usize);
                        let ($w, $r) = (&mut $self.writes[cell], &mut $self.reads[cell]);
                        is_clear &= $body;
                    }
                }
            }
            Cells::Each(ref $lanes) => is_clear = $each,
        }
        is_clear
    }};
}

per_isa! {
    fn read_cells(_isa; epochs: &mut Epochs, by: Accessing, cells: &Cells<'_>) -> bool {
        epochs.note_reads(by, cells)
    }
}

per_isa! {
    fn atomic_cells(_isa; epochs: &mut Epochs, by: Accessing, cells: &Cells<'_>) -> bool {
        epochs.note_atomics(by, cells)
    }
}

per_isa! {
    fn write_cells(_isa; epochs: &mut Epochs, by: Accessing, cells: &Cells<'_>) -> bool {
        epochs.note_writes(by, cells)
    }
}

impl Epochs {
    /// Loops over cells are those of this instruction set from now on.
    pub(crate) fn compute_with(&mut self, isa: HostIsa) {
        self.isa = isa;
    }

    /// Epochs of no cells, for the same instruction set.
    pub(crate) fn none(&self) -> Epochs {
        Epochs { isa: self.isa, ..Epochs::default() }
    }

    /// Epochs of so many cells, of no access.
    pub(crate) fn resize(&mut self, cells: usize) {
        self.writes.resize(cells, 0);
        self.reads.resize(cells, 0);
        if !self.atomics.is_empty() {
            self.atomics.resize(cells, 0);
        }
    }

    /// No accesses.
    pub(crate) fn clear(&mut self) {
        self.writes.fill(0);
        self.reads.fill(0);
        self.atomics.clear();
    }

    /// The epochs of some cells become those of others.
    pub(crate) fn copy(&mut self, from: &Epochs, cells: Range<usize>, to: usize) {
        self.writes[to..to + cells.len()].copy_from_slice(&from.writes[cells.clone()]);
        self.reads[to..to + cells.len()].copy_from_slice(&from.reads[cells.clone()]);
        if !from.atomics.is_empty() {
            self.atomics.resize(self.writes.len(), 0);
            self.atomics[to..to + cells.len()].copy_from_slice(&from.atomics[cells]);
        }
    }

    /// Plain loads; whether they are certainly no race.
    #[inline]
    pub(crate) fn read(&mut self, by: Accessing, cells: &Cells) -> bool {
        read_cells(self.isa, self, by, cells) & self.is_after_atomics(by, cells)
    }

    #[inline(always)]
    fn note_reads(&mut self, by: Accessing, cells: &Cells) -> bool {
        each_cell!(
            self,
            *cells,
            by,
            |write, read, who| {
                *read = by.with(*read, who);
                by.is_ordered(*write, who)
            },
            |each| {
                let (mut lanes, mut is_clear) = (each.lanes(by), true);
                for _ in 0..each.parts {
                    is_clear &= lanes.are_ordered(by, &self.writes);
                    lanes.add(by, &mut self.reads);
                    lanes.next();
                }
                is_clear
            }
        )
    }

    /// Plain stores; whether they are certainly no race, and no two lanes store to the same cell.
    #[inline]
    pub(crate) fn write(&mut self, by: Accessing, cells: &Cells) -> bool {
        let is_of_one_lane = !matches!(cells, Cells::Same { .. } | Cells::Readers { .. });
        let is_clear = write_cells(self.isa, self, by, cells) & is_of_one_lane;
        is_clear & self.is_after_atomics(by, cells)
    }

    #[inline(always)]
    fn note_writes(&mut self, by: Accessing, cells: &Cells) -> bool {
        each_cell!(
            self,
            *cells,
            by,
            |write, read, who| {
                let is_clear = by.is_ordered(*write, who) & by.is_ordered(*read, who);
                *write = by.now | who;
                is_clear
            },
            |each| {
                let (mut lanes, mut is_clear) = (each.lanes(by), true);
                for _ in 0..each.parts {
                    is_clear &= lanes.are_ordered(by, &self.writes) & lanes.are_ordered(by, &self.reads);
                    let mut new = lanes.who;
                    for epoch in &mut new {
                        *epoch |= by.now;
                    }
                    is_clear &= lanes.store(&mut self.writes, &new) == 0;
                    lanes.next();
                }
                is_clear
            }
        )
    }

    /// Cells that asynchronous copies have written, at a time that only barriers and phases order.
    pub(crate) fn note_copied(&mut self, by: Accessing, cells: Range<usize>) {
        self.writes[cells].fill(by.several());
    }

    /// Atomic operations; whether they are certainly no race.
    pub(crate) fn atomic(&mut self, by: Accessing, cells: &Cells) -> bool {
        self.atomics.resize(self.writes.len(), 0);
        atomic_cells(self.isa, self, by, cells)
    }

    #[inline(always)]
    fn note_atomics(&mut self, by: Accessing, cells: &Cells) -> bool {
        let is_clear = each_cell!(
            self,
            *cells,
            by,
            |write, read, who| by.is_ordered(*write, who) & by.is_ordered(*read, who),
            |each| {
                let (mut lanes, mut is_clear) = (each.lanes(by), true);
                for _ in 0..each.parts {
                    is_clear &= lanes.are_ordered(by, &self.writes) & lanes.are_ordered(by, &self.reads);
                    lanes.add(by, &mut self.atomics);
                    lanes.next();
                }
                is_clear
            }
        );
        match cells {
            Cells::Row { .. } | Cells::Same { .. } | Cells::Readers { .. } => {
                self.each_atomic(by, cells, |epoch, who| *epoch = by.with(*epoch, who));
            }
            Cells::Each(_) => {}
        }
        is_clear
    }

    /// Whether all atomic operations on the cells are ordered before an access.
    #[inline(always)]
    fn is_after_atomics(&mut self, by: Accessing, cells: &Cells) -> bool {
        let mut is_clear = true;
        if by.atomics && !self.atomics.is_empty() {
            self.each_atomic(by, cells, |epoch, who| is_clear &= by.is_ordered(*epoch, who));
        }
        is_clear
    }

    fn each_atomic(&mut self, by: Accessing, cells: &Cells, mut f: impl FnMut(&mut u32, u32)) {
        match cells {
            Cells::Row { cells, lane, parts } => {
                for (i, cell) in cells.clone().enumerate() {
                    f(&mut self.atomics[cell], by.thread(*lane) + (i as u32 >> parts.trailing_zeros()));
                }
            }
            Cells::Same { cells } => cells.clone().for_each(|cell| f(&mut self.atomics[cell], by.lanes())),
            Cells::Readers { first, words, lanes } => {
                let each = words.iter().zip(*lanes);
                each.for_each(|(word, lane)| f(&mut self.atomics[(first + word) as usize], by.reader(*lane)));
            }
            Cells::Each(EachCell { mask, first, parts }) => {
                for lane in crate::machine::mask::lanes(*mask) {
                    for cell in first[lane]..first[lane] + parts {
                        f(&mut self.atomics[cell as usize], by.thread(lane as u32));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Isa;
    use crate::machine::warp::access::shape::SEVERAL_LANES;
    use crate::observe::race::time::BlockTime;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const CELLS: usize = 160;
    const WARPS_OF_BLOCK: u32 = 3;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Role {
        Read,
        Write,
        Atomic,
    }

    #[derive(Clone, Debug)]
    enum Lanes {
        Row { first: usize, parts: u32 },
        Same { cell: usize },
        Each { mask: u32, cells: Vec<u32> },
    }

    #[derive(Clone, Debug)]
    enum Event {
        Barrier,
        Sync(u32),
        Access(u32, Role, Lanes),
    }

    /// An access of a thread to a cell.
    #[derive(Clone, Copy)]
    struct Seen {
        thread: u32,
        role: Role,
        cell: usize,
        /// Barriers before it, and synchronizations of its warp.
        barriers: u32,
        syncs: u32,
    }

    impl Seen {
        /// Whether it is not ordered before another access, and conflicts with that.
        fn races_with(&self, later: &Seen) -> bool {
            let is_ordered = self.barriers < later.barriers
                || self.thread / 32 == later.thread / 32 && self.syncs < later.syncs;
            let conflicts = self.role != later.role || self.role == Role::Write;
            self.cell == later.cell && self.thread != later.thread && conflicts && !is_ordered
        }
    }

    /// Which lane accesses which cell.
    fn pairs(lanes: &Lanes) -> Vec<(u32, usize)> {
        match lanes {
            Lanes::Row { first, parts } => (0..32 * parts).map(|i| (i / parts, first + i as usize)).collect(),
            Lanes::Same { cell } => (0..32).map(|lane| (lane, *cell)).collect(),
            Lanes::Each { mask, cells } => {
                crate::machine::mask::lanes(*mask).map(|lane| (lane as u32, cells[lane] as usize)).collect()
            }
        }
    }

    fn event() -> impl Strategy<Value = Event> {
        let role = prop_oneof![4 => Just(Role::Read), 2 => Just(Role::Write), 1 => Just(Role::Atomic)];
        // Threads at their own cells mostly, so that not all is a race.
        let own = (0..4u32, 0..3u32).prop_map(|(from, bits)| {
            let cells = (0..32).map(|lane| 32 * from + lane).collect();
            Lanes::Each { mask: [u32::MAX, 0xffff, 0x5555_5555][bits as usize], cells }
        });
        let lanes = prop_oneof![
            3 => (0..4usize, 0..2u32).prop_map(|(row, parts)| Lanes::Row { first: 32 * row, parts: 1 + parts }),
            1 => (0..CELLS).prop_map(|cell| Lanes::Same { cell }),
            3 => own,
            1 => (any::<u32>(), prop::collection::vec(0..CELLS as u32, 32))
                .prop_map(|(mask, cells)| Lanes::Each { mask, cells }),
        ];
        prop_oneof![
            1 => Just(Event::Barrier),
            1 => (0..WARPS_OF_BLOCK).prop_map(Event::Sync),
            4 => (0..WARPS_OF_BLOCK, role, lanes).prop_map(|(warp, role, lanes)| Event::Access(warp, role, lanes)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// An access is clear if and only if no pair with an access before it races.
        #[test]
        fn as_all_pairs_of_accesses(
            blocks in prop::collection::vec(prop::collection::vec(event(), 0..12), 1..4),
            isa in prop::sample::select(Isa::available()),
            as_readers: bool,
        ) {
            let (mut time, mut epochs) = (BlockTime::default(), Epochs::default());
            epochs.compute_with(HostIsa::detect(Some(isa)));
            epochs.resize(CELLS);
            'blocks: for events in blocks {
                time.begin(WARPS_OF_BLOCK * 32);
                let mut seen: Vec<Seen> = Vec::new();
                let (mut barriers, mut syncs) = (0, [0; WARPS_OF_BLOCK as usize]);
                for event in events {
                    let (warp, role, lanes) = match event {
                        Event::Barrier => {
                            time.barrier();
                            barriers += 1;
                            continue;
                        }
                        Event::Sync(warp) => {
                            time.warp_sync(warp);
                            syncs[warp as usize] += 1;
                            continue;
                        }
                        Event::Access(warp, role, lanes) => (warp, role, lanes),
                    };
                    let mut races = false;
                    for (lane, cell) in pairs(&lanes) {
                        let thread = warp * 32 + lane;
                        let now = Seen { thread, role, cell, barriers, syncs: syncs[warp as usize] };
                        races |= seen.iter().any(|before| before.races_with(&now));
                        seen.push(now);
                    }
                    if role == Role::Atomic {
                        time.note_atomics(warp);
                    }
                    let by = time.access(warp);
                    let (first, words, readers): ([u32; 32], Vec<u32>, Vec<u8>);
                    let cells = match &lanes {
                        Lanes::Row { first, parts } => {
                            Cells::Row { cells: *first..first + 32 * *parts as usize, lane: 0, parts: *parts }
                        }
                        Lanes::Same { cell } => Cells::Same { cells: *cell..cell + 1 },
                        Lanes::Each { mask, cells } if role == Role::Read && as_readers => {
                            let mut by_cell = BTreeMap::<u32, Vec<u8>>::new();
                            for lane in crate::machine::mask::lanes(*mask) {
                                by_cell.entry(cells[lane]).or_default().push(lane as u8);
                            }
                            let lowest = by_cell.keys().next().copied().unwrap_or_default();
                            words = by_cell.keys().map(|cell| cell - lowest).collect();
                            let lane = |lanes: &Vec<u8>| if lanes.len() > 1 { SEVERAL_LANES } else { lanes[0] };
                            readers = by_cell.values().map(lane).collect();
                            Cells::Readers { first: lowest, words: &words, lanes: &readers }
                        }
                        Lanes::Each { mask, cells } => {
                            first = std::array::from_fn(|lane| cells[lane]);
                            Cells::Each(EachCell { mask: *mask, first: &first, parts: 1 })
                        }
                    };
                    let is_clear = match role {
                        Role::Read => epochs.read(by, &cells),
                        Role::Write => epochs.write(by, &cells),
                        Role::Atomic => epochs.atomic(by, &cells),
                    };
                    prop_assert_eq!(is_clear, !races);
                    if races {
                        // The block stops; the next one begins with what it has left.
                        continue 'blocks;
                    }
                }
            }
        }
    }
}
