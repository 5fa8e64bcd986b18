//! A first look for races between threads of a block: which launches certainly have none, and read nothing of shared memory that no thread has
//! written.
//!
//! Nearly every launch is correct, and to say so takes much less than to describe a race: no instructions, no values, no order
//! within an interval ([`super::epochs`]). So a launch is screened first, and what is not clear stops it: it then runs again,
//! with the engine that knows all of this ([`super::engine`]). Without a doubt, that would find nothing, either.
//!
//! Each block is screened by its barriers alone; the owner tables say whether blocks access the same words
//! ([`crate::machine::memory::owners`]). Asynchronous copies are writes of their thread when they begin and again when it awaits them, and in doubt if anything
//! accesses their words between.
//!
//! Always in doubt: stores of one value by several threads, which are correct but worth a note, and what [`can_screen`] excludes.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::event::{PhaseEvent, PhaseUse};
use crate::machine::observer::AffineAccess;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::{AccessClass, InstSite, LaneFault, LanePattern, Machine, ResolvedAccess, WordWrite};
use crate::observe::race::epochs::{Cells, EachCell, Epochs};
use crate::observe::race::granule::Granule;
use crate::observe::race::time::{Accessing, BlockTime};
use crate::plan::Plan;
use simt_ir::CacheOp;
use simt_ir::pointer::Space;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Cells of a line.
const LINE: u32 = 32;
/// Lines of global memory that a block begins with, and that it may access.
const LINES: usize = 512;
const MAX_LINES: usize = 1 << 17;

/// What is known of the block at hand.
pub(crate) struct Screening {
    time: BlockTime,
    /// Whether something was not clear.
    in_doubt: bool,
    shared: SharedEpochs,
    global: Lines,
    copies: CopiesInFlight,
}

/// The words of shared memory that asynchronous copies fill.
#[derive(Default)]
struct CopiesInFlight {
    count: usize,
    /// A bit for each word; none before there was a copy.
    words: Vec<u64>,
}

impl CopiesInFlight {
    fn clear(&mut self) {
        self.count = 0;
        self.words.clear();
    }

    fn set(&mut self, machine: &Machine, word: u32, fills: bool) {
        self.words.resize(machine.shared_bytes.div_ceil(256) as usize, 0);
        let (at, bit) = (word as usize / 64, 1 << (word % 64));
        let had = self.words[at] & bit != 0;
        self.words[at] = if fills { self.words[at] | bit } else { self.words[at] & !bit };
        self.count = self.count + usize::from(fills) - usize::from(had);
    }

    /// Whether a copy fills a word that an access reaches.
    fn meet(&self, span: &ResolvedAccess) -> bool {
        self.count > 0 && span.words().any(|word| self.fills(word))
    }

    fn fills(&self, word: usize) -> bool {
        self.words[word / 64] >> (word % 64) & 1 == 1
    }

    /// The same of an access of known shape.
    fn meet_shape(&self, shape: &CoalescingShape, start: u32) -> bool {
        let first = start as usize / 4;
        self.count > 0 && shape.distinct.iter().any(|word| self.fills(first + *word as usize))
    }
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EpochUse {
    Read,
    Write,
    Atomic,
}

impl EpochUse {
    fn of(kind: AccessKind) -> EpochUse {
        match kind {
            AccessKind::Load => EpochUse::Read,
            AccessKind::Store => EpochUse::Write,
            AccessKind::Atomic => EpochUse::Atomic,
        }
    }

    #[inline(always)]
    fn is_clear(self, epochs: &mut Epochs, by: Accessing, cells: &Cells) -> bool {
        match self {
            EpochUse::Read => epochs.read(by, cells),
            EpochUse::Write => epochs.write(by, cells),
            EpochUse::Atomic => epochs.atomic(by, cells),
        }
    }
}

/// The lanes of an access, wherever it begins.
#[derive(Clone, Copy)]
struct LaneBytes<'a> {
    offsets: &'a [u32; 32],
    /// Added to each offset.
    start: u32,
    mask: u32,
    pattern: LanePattern,
    /// Bytes per lane.
    bytes: u32,
    /// If it is a load in which lanes share words: what it loads.
    read: Option<&'a CoalescingShape>,
}

impl<'a> LaneBytes<'a> {
    fn of(span: &'a ResolvedAccess) -> LaneBytes<'a> {
        let ResolvedAccess { offsets, mask, pattern, bytes, .. } = span;
        LaneBytes { offsets, start: 0, mask: *mask, pattern: *pattern, bytes: *bytes, read: None }
    }

    fn of_shape(shape: &'a CoalescingShape, start: u32) -> LaneBytes<'a> {
        let CoalescingShape { offsets, mask, pattern, bytes, .. } = shape;
        LaneBytes { offsets: &offsets.0, start, mask: *mask, pattern: *pattern, bytes: *bytes, read: None }
    }

    /// The cells that they access; `first` is room for those of each lane.
    #[inline(always)]
    fn cells<'b>(&self, granule: Granule, first: &'b mut [u32; 32]) -> Cells<'b>
    where
        'a: 'b,
    {
        if let Some(shape) = self.read
            && granule == Granule::Word
        {
            let (words, lanes) = (&shape.distinct, &shape.readers);
            return Cells::Readers { first: granule.cell(self.start), words, lanes };
        }
        let begin = self.start + self.offsets[0];
        let parts = granule.cells(begin, self.bytes).len() as u32;
        match self.pattern {
            LanePattern::Contiguous if self.bytes >= granule.bytes() => {
                Cells::Row { cells: granule.cells(begin, self.bytes * 32), lane: 0, parts }
            }
            LanePattern::Uniform if self.mask.count_ones() > 1 => {
                Cells::Same { cells: granule.cells(begin, self.bytes) }
            }
            LanePattern::Contiguous | LanePattern::Uniform | LanePattern::Irregular => {
                for (first, offset) in first.iter_mut().zip(self.offsets) {
                    *first = granule.cell(self.start + offset);
                }
                Cells::Each(EachCell { mask: self.mask, first, parts })
            }
        }
    }
}

/// Whether a launch of a kernel may turn out to be clear.
pub(crate) fn can_screen(plan: &Plan) -> bool {
    let effects = &plan.effects;
    !(effects.splits_warps || effects.strong_sizes.count_ones() > 1)
}

impl Screening {
    pub(crate) fn new() -> Screening {
        Screening {
            time: BlockTime::default(),
            in_doubt: false,
            shared: SharedEpochs::default(),
            global: Lines::new(),
            copies: CopiesInFlight::default(),
        }
    }

    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        let [x, y, z] = machine.launch.block;
        let anew = self.time.begin(x * y * z);
        self.shared.epochs.compute_with(machine.isa);
        self.global.epochs.compute_with(machine.isa);
        self.shared.begin(machine, anew);
        self.global.begin(Granule::of(machine.plan.narrow_global), anew);
        self.copies.clear();
    }

    /// All warps leave a barrier.
    pub(crate) fn barrier(&mut self) {
        let goes_on = self.time.barrier();
        self.doubt_unless(goes_on);
    }

    /// Lanes of a warp synchronize: `members`, of the threads `present`.
    pub(crate) fn warp_sync(&mut self, at: &InstSite, members: u32, present: u32) {
        if members & present == present {
            let goes_on = self.time.warp_sync(at.warp);
            self.doubt_unless(goes_on);
        }
    }

    #[inline(always)]
    fn doubt_unless(&mut self, is_clear: bool) {
        self.in_doubt |= !is_clear;
    }

    /// # Errors
    /// A doubt, if there is one: it stops the launch, which then runs again.
    fn end_if_in_doubt(&self, machine: &Machine) -> Result<(), Box<LaneFault>> {
        if !self.in_doubt {
            return Ok(());
        }
        machine.conflict.store(true, Relaxed);
        Err(LaneFault::of(FaultKind::InvalidModule { message: "the launch is in doubt".into() }, 1))
    }

    /// An access to shared memory.
    ///
    /// # Errors
    /// A doubt.
    pub(crate) fn shared_access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        if matches!(class.kind, AccessKind::Atomic) {
            self.time.note_atomics(at.warp);
        }
        let uses = (EpochUse::of(class.kind), class.reads);
        let is_clear = self.shared.access(self.time.access(at.warp), LaneBytes::of(span), uses);
        self.doubt_unless(is_clear && !self.copies.meet(span));
        self.end_if_in_doubt(machine)
    }

    /// A lane writes to a word of shared memory: a barrier that is made there, or an asynchronous copy that begins or ends.
    ///
    /// # Errors
    /// A doubt.
    pub(crate) fn shared_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let WordWrite { lane, word, first, len, class, .. } = *write;
        let span = ResolvedAccess {
            space: Space::Shared,
            allocation: write.allocation,
            offsets: [word * 4 + first; 32],
            mask: 1 << lane,
            pattern: LanePattern::Uniform,
            bytes: len,
        };
        self.shared_access(machine, at, (&span, class))
    }

    /// A copy to a word begins.
    ///
    /// # Errors
    /// A doubt.
    pub(crate) fn copy_begins(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.shared_write(machine, at, write)?;
        self.copies.set(machine, write.word, true);
        Ok(())
    }

    /// It ends.
    ///
    /// # Errors
    /// A doubt.
    pub(crate) fn copy_ends(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
        phase: Option<PhaseUse>,
    ) -> Result<(), Box<LaneFault>> {
        self.copies.set(machine, write.word, false);
        let Some(phase) = phase else { return self.shared_write(machine, at, write) };
        let cells = self.shared.granule.cells(write.word * 4 + write.first, write.len);
        match self.time.copied(at.warp, phase) {
            Some(by) => self.shared.epochs.note_copied(by, cells),
            None => self.doubt_unless(false),
        }
        self.end_if_in_doubt(machine)
    }

    /// A lane uses a barrier in shared memory.
    pub(crate) fn phase(&mut self, at: &InstSite, lane: usize, event: PhaseEvent, of: PhaseUse) {
        match event {
            PhaseEvent::Made => self.time.make_phases(of.barrier),
            PhaseEvent::Arrives => {
                let goes_on = self.time.arrive((at.warp, lane), of);
                self.doubt_unless(goes_on);
            }
            PhaseEvent::Awaited => self.time.awaited((at.warp, lane), of),
        }
    }

    /// An access to a buffer that the launch may write.
    ///
    /// # Errors
    /// A doubt.
    pub(crate) fn global_access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        if matches!(class.kind, AccessKind::Atomic) {
            self.time.note_atomics(at.warp);
        }
        let by = self.time.access(at.warp);
        let lanes = LaneBytes::of(span);
        let is_clear = self.global.is_clear(by, span.allocation, lanes, EpochUse::of(class.kind));
        // What the read-only path reads may not be written at all.
        self.doubt_unless(is_clear && class.cache == CacheOp::Default);
        self.end_if_in_doubt(machine)
    }

    /// A plain load or store of known shape; `false` if it is a doubt.
    #[inline]
    pub(crate) fn global_shape(&mut self, access: &AffineAccess, kind: AccessKind) -> bool {
        let by = self.time.access(access.at.warp);
        let lanes = LaneBytes::of_shape(access.shape, access.start);
        let is_clear = self.global.is_clear(by, access.allocation, lanes, EpochUse::of(kind));
        self.doubt_unless(is_clear);
        !self.in_doubt
    }

    /// The same of shared memory.
    #[inline(always)]
    pub(crate) fn shared_shape(&mut self, access: &AffineAccess, kind: AccessKind) -> bool {
        let by = self.time.access(access.at.warp);
        if self.copies.meet_shape(access.shape, access.start) {
            self.doubt_unless(false);
            return false;
        }
        let shape = &**access.shape;
        let role = EpochUse::of(kind);
        let is_shared = shape.pattern == LanePattern::Irregular && !shape.disjoint;
        let read = (role == EpochUse::Read && is_shared).then_some(shape);
        let lanes = LaneBytes { read, ..LaneBytes::of_shape(shape, access.start) };
        let is_clear = self.shared.access(by, lanes, (role, role == EpochUse::Read));
        self.doubt_unless(is_clear);
        !self.in_doubt
    }
}

/// What is known of a block's shared memory.
#[derive(Default)]
struct SharedEpochs {
    granule: Granule,
    epochs: Epochs,
    /// A bit for each cell that the block has written.
    written: Vec<u64>,
}

impl SharedEpochs {
    fn begin(&mut self, machine: &Machine, anew: bool) {
        self.granule = Granule::of(machine.plan.narrow_shared);
        let cells = self.granule.count(machine.shared_bytes);
        if anew {
            self.epochs.clear();
        }
        self.epochs.resize(cells);
        self.written.clear();
        self.written.resize(cells.div_ceil(64) + 1, 0);
    }

    /// Whether an access is certainly no race, and reads only what was written.
    #[inline]
    fn access(&mut self, by: Accessing, lanes: LaneBytes, (role, reads): (EpochUse, bool)) -> bool {
        let mut first = [0; 32];
        let cells = lanes.cells(self.granule, &mut first);
        if reads && !are_set(&self.written, &cells) {
            return false;
        }
        if role != EpochUse::Read {
            each_mask(&cells, |word, mask| self.written[word] |= mask);
        }
        role.is_clear(&mut self.epochs, by, &cells)
    }
}

/// Whether the bits of all cells are set.
#[inline(always)]
fn are_set(bits: &[u64], cells: &Cells) -> bool {
    let mut all = true;
    each_mask(cells, |word, mask| all &= bits[word] & mask == mask);
    all
}

/// The words of a bit set that have bits of cells, with these.
#[inline(always)]
fn each_mask(cells: &Cells, mut f: impl FnMut(usize, u64)) {
    match cells {
        Cells::Row { cells: Range { start, end }, .. } | Cells::Same { cells: Range { start, end } } => {
            for word in start / 64..end.div_ceil(64) {
                let (from, to) =
                    ((*start).max(word * 64) - word * 64, (*end).min(word * 64 + 64) - word * 64);
                f(word, u64::MAX >> (64 - (to - from)) << from);
            }
        }
        Cells::Readers { first, words, .. } => {
            for word in *words {
                let cell = first + word;
                f(cell as usize / 64, 1 << (cell % 64));
            }
        }
        Cells::Each(EachCell { mask, first, parts }) => {
            let mut rest = *mask;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                for cell in first[lane]..first[lane] + parts {
                    f(cell as usize / 64, 1 << (cell % 64));
                }
            }
        }
    }
}

/// The lines of global memory that the block has accessed: a hash table.
struct Lines {
    granule: Granule,
    /// By slot: the block, the buffer and the line. Those of other blocks are as if they were not there.
    keys: Vec<u64>,
    /// By slot, the cells of its line.
    epochs: Epochs,
    used: usize,
    block: u64,
}

/// Bits of a key for a line, and for the buffer and the line.
const LINE_BITS: u32 = 27;
const KEY_BITS: u32 = LINE_BITS + 20;

impl Lines {
    fn new() -> Lines {
        Lines { granule: Granule::Word, keys: Vec::new(), epochs: Epochs::default(), used: 0, block: 0 }
    }

    fn begin(&mut self, granule: Granule, anew: bool) {
        self.granule = granule;
        if anew {
            self.epochs.clear();
        }
        self.used = 0;
        self.block += 1;
        if self.block == 1 << (64 - KEY_BITS) {
            self.keys.fill(0);
            self.block = 1;
        }
    }

    /// Where a key is, or would be.
    #[inline(always)]
    fn find(keys: &[u64], key: u64) -> (usize, bool) {
        let mask = keys.len() - 1;
        // Neighbouring lines are neighbours, but for what other rows of a matrix would collide with (Knuth, volume 3, 6.4).
        let mut slot = (key ^ (key >> 9).wrapping_mul(0x9e37_79b9)) as usize & mask;
        loop {
            if keys[slot] == key {
                return (slot, true);
            }
            if keys[slot] >> KEY_BITS != key >> KEY_BITS {
                return (slot, false);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The first cell of a line; `None` if no more can be kept.
    #[inline(always)]
    fn line(&mut self, buffer: u32, line: u32) -> Option<usize> {
        let key = self.block << KEY_BITS | u64::from(buffer) << LINE_BITS | u64::from(line);
        if self.used * 2 >= self.keys.len() {
            self.grow()?;
        }
        let (slot, is_there) = Lines::find(&self.keys, key);
        if !is_there {
            self.keys[slot] = key;
            self.used += 1;
        }
        Some(slot * LINE as usize)
    }

    #[cold]
    fn grow(&mut self) -> Option<()> {
        let size = (self.keys.len() * 2).max(LINES);
        if size > 2 * MAX_LINES {
            return None;
        }
        let (mut keys, mut epochs) = (vec![0; size], self.epochs.none());
        epochs.resize(size * LINE as usize);
        let line = LINE as usize;
        for (from, key) in self.keys.iter().enumerate().filter(|(_, key)| **key >> KEY_BITS == self.block) {
            let (to, _) = Lines::find(&keys, *key);
            keys[to] = *key;
            epochs.copy(&self.epochs, from * line..(from + 1) * line, to * line);
        }
        (self.keys, self.epochs) = (keys, epochs);
        Some(())
    }

    /// Whether an access is certainly no race.
    #[inline]
    fn is_clear(&mut self, by: Accessing, buffer: u32, lanes: LaneBytes, role: EpochUse) -> bool {
        let mut first = [0; 32];
        match lanes.cells(self.granule, &mut first) {
            Cells::Row { cells, parts, .. } => {
                let (mut at, mut is_clear) = (cells.start as u32, true);
                while at < cells.end as u32 {
                    let (line, skip) = (at / LINE, at % LINE);
                    let count = (LINE - skip).min(cells.end as u32 - at);
                    let Some(base) = self.line(buffer, line) else { return false };
                    let base = base + skip as usize;
                    let lane = (at - cells.start as u32) / parts;
                    let row = Cells::Row { cells: base..base + count as usize, lane, parts };
                    is_clear &= role.is_clear(&mut self.epochs, by, &row);
                    at += count;
                }
                is_clear
            }
            Cells::Same { cells } => {
                let (line, skip) = (cells.start as u32 / LINE, cells.start % LINE as usize);
                let Some(base) = self.line(buffer, line) else { return false };
                let same = Cells::Same { cells: base + skip..base + skip + cells.len() };
                role.is_clear(&mut self.epochs, by, &same)
            }
            // Only accesses to shared memory are told so.
            Cells::Readers { .. } => false,
            Cells::Each(EachCell { mask, first: cells, parts }) => {
                let (mut places, mut known, mut base) = ([0; 32], u32::MAX, 0);
                let mut rest = mask;
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let line = cells[lane] / LINE;
                    if line != known {
                        let Some(found) = self.line(buffer, line) else { return false };
                        (known, base) = (line, found as u32);
                    }
                    places[lane] = base + cells[lane] % LINE;
                }
                role.is_clear(&mut self.epochs, by, &Cells::Each(EachCell { mask, first: &places, parts }))
            }
        }
    }
}
