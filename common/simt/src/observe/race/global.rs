//! Races between blocks on global memory: a shadow that is kept only when blocks run one after the other, so that the first conflict
//! in block order is found, which is the one to report.
//!
//! What a block wrote before a fence that an atomic operation follows is visible to a block that has done an atomic operation since (the
//! "last block done" pattern, CUDA C++ Programming Guide, memory fence functions). A plain read of what other blocks
//! change by atomics is the speculative read of a compare-and-swap loop if the reader goes on to an atomic on the same word before
//! its next barrier (same guide, atomic functions). Everything else that one block writes and another accesses is a race.
//! Of a word's readers two are kept, of different blocks. Threads of one block are not compared with one another.
//!
//! Shadow words lie in pages of 1024, which are made when first accessed: 72 bytes for each word of a page.

use crate::fault::{AccessKind, FaultKind, RacingAccess};
use crate::machine::event::WarpFault;
use crate::machine::{InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::plan::Pc;
use simt_ir::pointer::Space;
use source::hash::Map;

#[derive(Clone, Copy)]
struct BlockAccess {
    block: u32,
    thread: u32,
    pc: Pc,
    /// When, on the shadow's own clock.
    stamp: u64,
    kind: AccessKind,
}

#[derive(Clone, Copy, Default)]
struct GlobalWord {
    write: Option<BlockAccess>,
    /// The last reader, and the last one before it of another block.
    read: Option<BlockAccess>,
    earlier: Option<BlockAccess>,
}

/// A read that is a race unless an atomic of its block on the same word follows.
struct SpeculativeRead {
    key: (u32, u32),
    warp: u32,
    pc: Pc,
    race: Box<LaneFault>,
}

/// Words of a page.
const PAGE: usize = 1024;

#[derive(Default)]
struct Page {
    /// Of which period the cells are; none are made yet, or none of another period count.
    period: Option<u32>,
    cells: Box<[GlobalWord]>,
}

/// The cells of all buffers.
#[derive(Default)]
struct PagedWords {
    /// By buffer, by page.
    pages: Vec<Vec<Page>>,
    /// The barriers of the grid so far.
    period: u32,
}

impl PagedWords {
    /// The cell of a word of a buffer.
    #[inline]
    fn at(&mut self, (buffer, word): (u32, u32)) -> &mut GlobalWord {
        let (buffer, page, word) = (buffer as usize, word as usize / PAGE, word as usize % PAGE);
        let found = self.pages.get(buffer).and_then(|pages| pages.get(page));
        if found.is_none_or(|page| page.period != Some(self.period)) {
            self.make(buffer, page);
        }
        &mut self.pages[buffer][page].cells[word]
    }

    /// Makes a page, or empties it.
    #[cold]
    fn make(&mut self, buffer: usize, page: usize) {
        if self.pages.len() <= buffer {
            self.pages.resize_with(buffer + 1, Vec::new);
        }
        let pages = &mut self.pages[buffer];
        if pages.len() <= page {
            pages.resize_with(page + 1, Page::default);
        }
        let page = &mut pages[page];
        match page.cells.is_empty() {
            true => page.cells = vec![GlobalWord::default(); PAGE].into(),
            false => page.cells.fill(GlobalWord::default()),
        }
        page.period = Some(self.period);
    }

    /// Empties all of them.
    fn clear(&mut self) {
        self.period += 1;
    }
}

#[derive(Default)]
pub(crate) struct GlobalShadow {
    words: PagedWords,
    clock: u64,
    /// The stamp up to which each block's writes are released.
    released: Map<u32, u64>,
    fenced: Option<u64>,
    acquired: bool,
    speculative: Vec<SpeculativeRead>,
}

impl GlobalShadow {
    pub(crate) fn begin(&mut self) {
        self.fenced = None;
        self.acquired = false;
        self.speculative.clear();
    }

    /// All accesses so far come before all that follow.
    pub(crate) fn release_grid(&mut self) {
        self.words.clear();
        self.released.clear();
    }

    /// The first speculative read since the last barrier that no atomic has followed.
    pub(crate) fn end_interval(&mut self) -> Result<(), WarpFault> {
        match self.speculative.drain(..).next() {
            Some(SpeculativeRead { warp, pc, race, .. }) => Err(WarpFault { warp, pc, fault: race }),
            None => Ok(()),
        }
    }

    pub(crate) fn fence(&mut self) {
        self.fenced = Some(self.clock);
    }

    pub(crate) fn acquire(&mut self, block: u32) {
        self.acquired = true;
        if let Some(stamp) = self.fenced {
            self.released.insert(block, stamp);
        }
    }

    fn is_ordered(&self, access: &BlockAccess) -> bool {
        self.acquired && self.released.get(&access.block).is_some_and(|s| access.stamp <= *s)
    }

    fn record(&mut self, at: &InstSite, lane: usize, kind: AccessKind) -> BlockAccess {
        self.clock += 1;
        BlockAccess { block: at.block, thread: at.thread(lane), pc: at.pc, stamp: self.clock, kind }
    }

    pub(crate) fn read(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
    ) -> Result<(), Box<LaneFault>> {
        let before = self.clock;
        for (lane, word) in span.lane_words() {
            let key = (span.allocation, word);
            let access = self.record(at, lane, AccessKind::Load);
            let cell = self.words.at(key);
            if cell.read.is_some_and(|r| r.stamp > before) {
                // A lower lane of this access reads the word as well, and stands for this one.
                continue;
            }
            let write = cell.write;
            cell.earlier = cell.read.filter(|r| r.block != at.block).or(cell.earlier);
            cell.read = Some(access);
            if let Some(write) = write
                && write.block != at.block
                && !self.is_ordered(&write)
            {
                let race = race(machine, (span.allocation, word, lane), access, write);
                if write.kind != AccessKind::Atomic {
                    return Err(race);
                }
                self.speculative.push(SpeculativeRead { key, warp: at.warp, pc: at.pc, race });
            }
        }
        Ok(())
    }

    pub(crate) fn write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let kind = if write.atomic { AccessKind::Atomic } else { AccessKind::Store };
        let access = self.record(at, write.lane, kind);
        let key = (write.allocation, write.word);
        let cell = *self.words.at(key);
        let foreign = |m: &BlockAccess| m.block != at.block && !self.is_ordered(m);
        let before = cell.read.filter(foreign).or(cell.earlier.filter(foreign)).or(cell.write.filter(|w| {
            let both_atomic = write.atomic && w.kind == AccessKind::Atomic;
            let agree = !write.atomic && w.kind == AccessKind::Store && write.old == write.new;
            foreign(w) && !both_atomic && !agree && write.len == 4
        }));
        if let Some(before) = before {
            return Err(race(machine, (write.allocation, write.word, write.lane), access, before));
        }
        let mut now = GlobalWord { write: Some(access), ..cell };
        if write.atomic {
            self.speculative.retain(|g| g.key != key);
            now.read = cell.read.filter(|r| r.block != at.block);
        }
        *self.words.at(key) = now;
        Ok(())
    }
}

#[cold]
fn race(
    machine: &Machine,
    (allocation, word, lane): (u32, u32, usize),
    now: BlockAccess,
    before: BlockAccess,
) -> Box<LaneFault> {
    let target = machine.target(Space::Global, allocation);
    let access = |access: BlockAccess| RacingAccess {
        kind: access.kind,
        location: machine.plan.locations[access.pc],
        thread: machine.thread(access.thread),
        block: machine.block(access.block),
    };
    let previous = access(before);
    let location = previous.location;
    let kind = FaultKind::GlobalRace { target, offset: i64::from(word) * 4, this: access(now), previous };
    let mut raw = LaneFault::of(kind, 1 << lane);
    raw.other = location;
    raw
}
