//! The shadow of global memory between blocks, kept only when blocks run one after the other: then the first conflict
//! in block order is found, which is the one to report.
//!
//! What a block wrote before a fence that an atomic follows is visible to a block that has done an atomic since (the
//! "last block done" pattern, CUDA C++ Programming Guide, memory fence functions). A plain read of what other blocks
//! change by atomics is the guess of a compare-and-swap loop if the reader goes on to an atomic on the same word before
//! its next barrier (same guide, atomic functions). Everything else that one block writes and another touches is a race.
//! Of a word's readers two are kept, of different blocks.

use crate::exec::{Machine, Raw, Site, Span, WordWrite, each_word};
use crate::fault::{AccessKind, FaultKind, RacingAccess};
use simt_ir::pointer::Space;
use std::collections::HashMap;

#[derive(Clone, Copy)]
struct Mark {
    block: u32,
    thread: u32,
    pc: u32,
    /// When, on the shadow's own clock.
    stamp: u64,
    kind: AccessKind,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    write: Option<Mark>,
    /// The last reader, and the last one before it of another block.
    read: Option<Mark>,
    earlier: Option<Mark>,
}

/// A read that is a race unless an atomic of its block on the same word follows.
struct Guess {
    key: (u32, u32),
    warp: u32,
    pc: u32,
    race: Box<Raw>,
}

#[derive(Default)]
pub(super) struct GlobalShadow {
    cells: HashMap<(u32, u32), Cell>,
    clock: u64,
    /// The stamp up to which each block's writes are released.
    released: HashMap<u32, u64>,
    fenced: Option<u64>,
    acquired: bool,
    guesses: Vec<Guess>,
}

impl GlobalShadow {
    pub(super) fn begin(&mut self, _block: u32) {
        self.fenced = None;
        self.acquired = false;
        self.guesses.clear();
    }

    /// All accesses so far come before all that follow.
    pub(super) fn release_grid(&mut self) {
        self.cells.clear();
        self.released.clear();
    }

    /// The first read since the last barrier that no atomic has followed: warp, instruction, what.
    pub(super) fn settle(&mut self) -> Result<(), (u32, u32, Box<Raw>)> {
        match self.guesses.drain(..).next() {
            Some(guess) => Err((guess.warp, guess.pc, guess.race)),
            None => Ok(()),
        }
    }

    pub(super) fn fence(&mut self, _block: u32) {
        self.fenced = Some(self.clock);
    }

    pub(super) fn acquire(&mut self, block: u32) {
        self.acquired = true;
        if let Some(stamp) = self.fenced {
            self.released.insert(block, stamp);
        }
    }

    fn ordered(&self, mark: &Mark) -> bool {
        self.acquired && self.released.get(&mark.block).is_some_and(|s| mark.stamp <= *s)
    }

    fn mark(&mut self, at: &Site, lane: usize, kind: AccessKind) -> Mark {
        self.clock += 1;
        Mark { block: at.block, thread: at.thread(lane), pc: at.pc, stamp: self.clock, kind }
    }

    pub(super) fn read(&mut self, machine: &Machine, at: &Site, span: &Span) -> Result<(), Box<Raw>> {
        let mut words = Vec::new();
        each_word(span, |word| words.push(word as u32));
        for word in words {
            let lane = (0..32).find(|i| {
                span.mask >> i & 1 == 1
                    && span.off[*i] / 4 <= word
                    && word < (span.off[*i] + span.bytes).div_ceil(4)
            });
            let lane = lane.unwrap_or(0);
            let mark = self.mark(at, lane, AccessKind::Load);
            let key = (span.allocation, word);
            let cell = self.cells.entry(key).or_default();
            let write = cell.write;
            cell.earlier = cell.read.filter(|r| r.block != at.block).or(cell.earlier);
            cell.read = Some(mark);
            if let Some(write) = write
                && write.block != at.block
                && !self.ordered(&write)
            {
                let race = race(machine, (span.allocation, word, lane), mark, write);
                if write.kind != AccessKind::Atomic {
                    return Err(race);
                }
                self.guesses.push(Guess { key, warp: at.warp, pc: at.pc, race });
            }
        }
        Ok(())
    }

    pub(super) fn write(&mut self, machine: &Machine, at: &Site, write: &WordWrite) -> Result<(), Box<Raw>> {
        let kind = if write.atomic { AccessKind::Atomic } else { AccessKind::Store };
        let mark = self.mark(at, write.lane, kind);
        let key = (write.allocation, write.word);
        let cell = self.cells.get(&key).copied().unwrap_or_default();
        let foreign = |m: &Mark| m.block != at.block && !self.ordered(m);
        let before = cell.read.filter(foreign).or(cell.earlier.filter(foreign)).or(cell.write.filter(|w| {
            let both_atomic = write.atomic && w.kind == AccessKind::Atomic;
            let agree = !write.atomic && w.kind == AccessKind::Store && write.old == write.new;
            foreign(w) && !both_atomic && !agree && write.len == 4
        }));
        if let Some(before) = before {
            return Err(race(machine, (write.allocation, write.word, write.lane), mark, before));
        }
        let mut now = Cell { write: Some(mark), ..cell };
        if write.atomic {
            self.guesses.retain(|g| g.key != key);
            now.read = cell.read.filter(|r| r.block != at.block);
        }
        self.cells.insert(key, now);
        Ok(())
    }
}

#[cold]
fn race(machine: &Machine, (allocation, word, lane): (u32, u32, usize), now: Mark, before: Mark) -> Box<Raw> {
    let (target, _) = machine.target(Space::Global, allocation);
    let access = |mark: Mark| RacingAccess {
        kind: mark.kind,
        location: machine.plan.locations[mark.pc as usize],
        thread: machine.thread(mark.thread),
        block: machine.block(mark.block),
    };
    let previous = access(before);
    let location = previous.location;
    let kind = FaultKind::GlobalRace { target, offset: i64::from(word) * 4, this: access(now), previous };
    let mut raw = Raw::lanes(kind, 1 << lane);
    raw.other = location;
    raw
}
