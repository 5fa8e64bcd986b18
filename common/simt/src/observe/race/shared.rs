//! The shadow of shared memory: for each cell, who wrote it last and who read it since the last barrier.

use crate::fault::{AccessKind, FaultKind, RacingAccess};
use crate::machine::{Machine, Raw, Shape, Site, Span, WordWrite};
use crate::observe::race::log::Log;
use simt_ir::pointer::Space;
use source::hash::Map;

/// No thread.
pub(crate) const NOBODY: u16 = u16::MAX;

/// Who did something to a cell, and when.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    /// The interval between barriers; marks of earlier ones are ordered before everything now.
    pub(crate) epoch: u32,
    /// The warp's interval between its own synchronisations.
    pub(crate) warp_epoch: u32,
    pub(crate) pc: u32,
    /// Linear index of the thread in the block.
    pub(crate) thread: u16,
    /// Another thread of the same warp and warp interval that did the same.
    pub(crate) also: u16,
}

pub(crate) const NEVER: Mark = Mark { epoch: 0, warp_epoch: 0, pc: 0, thread: NOBODY, also: NOBODY };

#[derive(Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) write: Mark,
    pub(crate) atomic: bool,
    /// The last warp that read it.
    pub(crate) read: Mark,
    /// A warp other than that.
    pub(crate) read_too: Mark,
}

/// The shadow; cells are words, or bytes if the kernel uses narrow elements.
pub(crate) struct SharedShadow {
    pub(crate) cells: Vec<Cell>,
    /// Bytes a cell, as a power of two.
    pub(crate) granule: u32,
    /// Never used again, so that cells need not be cleared for the next block.
    pub(crate) epoch: u32,
    first_epoch: u32,
    pub(crate) warp_epochs: Vec<u32>,
    /// The first read since the last barrier of a cell that nobody has written: a race if another thread writes it
    /// before the next barrier, else a fault of its own then.
    early: Option<Early>,
    /// The cells that asynchronous copies fill still: thread and instruction.
    pub(crate) copies: Map<usize, (u32, u32)>,
    /// A bit for each cell that the block has written.
    pub(crate) written: Vec<u64>,
    /// Accesses since the last barrier that left no marks yet.
    pub(crate) log: Log,
}

/// See [`SharedShadow::park`].
pub(crate) struct Parked {
    /// A bit for each cell that the block has written.
    written: Vec<u64>,
    copies: Map<usize, (u32, u32)>,
}

/// A read of what nobody has written.
struct Early {
    warp: u32,
    pc: u32,
    raw: Box<Raw>,
}

impl Default for SharedShadow {
    fn default() -> SharedShadow {
        SharedShadow {
            cells: Vec::new(),
            granule: 2,
            epoch: 0,
            first_epoch: 0,
            warp_epochs: Vec::new(),
            early: None,
            copies: Map::default(),
            written: Vec::new(),
            log: Log::default(),
        }
    }
}

struct Access {
    kind: AccessKind,
    mark: Mark,
}

/// The lanes of a read whose marks tell all: of those that read one address, two stand for all, and so they do of neighbours.
pub(crate) fn readers(span: &Span) -> impl Iterator<Item = usize> {
    let mut rest = span.mask;
    if span.shape == Shape::Same {
        let tail = span.mask & (span.mask - 1);
        rest = (span.mask ^ tail) | (tail & tail.wrapping_neg());
    }
    let off = span.off;
    let (mut last, mut times) = (u32::MAX, 0);
    (0..32).filter(move |lane| {
        if rest >> lane & 1 == 0 {
            return false;
        }
        times = if off[*lane] == last { times + 1 } else { 0 };
        last = off[*lane];
        times <= 1
    })
}

impl SharedShadow {
    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.granule = if machine.plan.narrow { 0 } else { 2 };
        let cells = (machine.shared_bytes.next_multiple_of(4) >> self.granule) as usize;
        if self.cells.len() != cells || self.epoch > u32::MAX / 2 {
            self.cells = vec![Cell { write: NEVER, atomic: false, read: NEVER, read_too: NEVER }; cells];
            self.epoch = 0;
        }
        self.epoch += 1;
        self.first_epoch = self.epoch;
        self.early = None;
        self.copies.clear();
        self.written.clear();
        self.written.resize(cells.div_ceil(64) + 1, 0);
        self.log.begin(cells);
        self.warp_epochs.clear();
        self.warp_epochs.resize(32.max(machine.warps() as usize), 0);
    }

    /// What must be known of a block that waits at a barrier of the grid.
    pub(crate) fn park(&mut self) -> Parked {
        Parked { written: std::mem::take(&mut self.written), copies: std::mem::take(&mut self.copies) }
    }

    /// After [`SharedShadow::begin`]: cells were written, before a barrier.
    pub(crate) fn restore(&mut self, parked: Parked) {
        self.written = parked.written;
        self.copies = parked.copies;
        let epoch = self.epoch;
        for (index, cell) in self.cells.iter_mut().enumerate() {
            if self.written[index / 64] >> (index % 64) & 1 == 1 {
                cell.write = Mark { epoch, ..NEVER };
            }
        }
        self.barrier();
    }

    pub(crate) fn barrier(&mut self) {
        self.epoch += 1;
        self.log.barrier();
    }

    fn is_written(&self, cell: usize) -> bool {
        self.written[cell / 64] >> (cell % 64) & 1 == 1
    }

    /// No thread can write any more before the next barrier: a read of what nobody has written is a fault.
    pub(crate) fn settle(&mut self) -> Result<(), (u32, u32, Box<Raw>)> {
        self.early.take().map_or(Ok(()), |early| Err((early.warp, early.pc, early.raw)))
    }

    pub(crate) fn warp_sync(&mut self, warp: u32) {
        self.warp_epochs[warp as usize] += 1;
    }

    /// Whether what a mark says may happen at the same time as what thread `thread` of `warp` does now.
    #[inline]
    fn concurrent(&self, mark: &Mark, warp: u32, thread: u16) -> bool {
        let same_warp = u32::from(mark.thread) / 32 == warp;
        mark.epoch == self.epoch
            && (!same_warp
                || mark.warp_epoch == self.warp_epochs[warp as usize]
                    && (mark.thread != thread || mark.also != NOBODY && mark.also != thread))
    }

    #[inline]
    pub(crate) fn cells_of(&self, byte: u32, len: u32) -> std::ops::Range<usize> {
        (byte >> self.granule) as usize..((byte + len - 1) >> self.granule) as usize + 1
    }

    /// An asynchronous copy to a word begins: a write, that others may not come near until it ends.
    pub(crate) fn begin_copy(
        &mut self,
        machine: &Machine,
        at: &Site,
        write: &WordWrite,
    ) -> Result<(), Box<Raw>> {
        self.write(machine, at, write)?;
        for cell in self.cells_of(write.word * 4, 4) {
            self.copies.insert(cell, (at.thread(write.lane), at.pc));
        }
        Ok(())
    }

    pub(crate) fn end_copy(&mut self, write: &WordWrite) {
        for cell in self.cells_of(write.word * 4, 4) {
            self.copies.remove(&cell);
        }
    }

    /// Refuses an access to a cell that a copy fills still.
    fn no_copy(
        &self,
        machine: &Machine,
        (allocation, byte, bytes): (u32, u32, u32),
        access: AccessKind,
        lane: usize,
    ) -> Result<(), Box<Raw>> {
        let mut cells = self.cells_of(byte, bytes);
        let Some((cell, (copier, pc))) = cells.find_map(|c| Some((c, *self.copies.get(&c)?))) else {
            return Ok(());
        };
        let (target, start) = machine.target(Space::Shared, allocation);
        let offset = ((cell as i64) << self.granule) - start as i64;
        let thread = machine.thread(copier);
        let kind = FaultKind::AsyncNotAwaited { target, offset, access, thread, committed: true };
        let mut raw = Raw::lanes(kind, 1 << lane);
        raw.other = machine.plan.locations[pc as usize];
        raw.copy = Some((copier, pc));
        Err(raw)
    }

    pub(crate) fn read(&mut self, machine: &Machine, at: &Site, span: &Span) -> Result<(), Box<Raw>> {
        if !self.copies.is_empty() {
            for lane in (0..32).filter(|i| span.mask >> i & 1 == 1) {
                let place = (span.allocation, span.off[lane], span.bytes);
                self.no_copy(machine, place, AccessKind::Load, lane)?;
            }
        }
        self.log.marked = true;
        if !self.log.is_empty() {
            self.flush(machine.plan, at);
        }
        let (epoch, warp_epoch) = (self.epoch, self.warp_epochs[at.warp as usize]);
        for lane in readers(span) {
            let thread = at.thread(lane) as u16;
            for index in self.cells_of(span.off[lane], span.bytes) {
                let cell = self.cells[index];
                if !self.is_written(index) && self.early.is_none() {
                    let raw = self.uninitialised(machine, span, index, lane);
                    self.early = Some(Early { warp: at.warp, pc: at.pc, raw });
                }
                if cell.write.epoch == epoch && self.concurrent(&cell.write, at.warp, thread) {
                    let kind = if cell.atomic { AccessKind::Atomic } else { AccessKind::Store };
                    let before = Access { kind, mark: cell.write };
                    return Err(self.race(
                        machine,
                        at,
                        (span.allocation, index, lane),
                        AccessKind::Load,
                        before,
                    ));
                }
                self.mark_read(at, lane, index, warp_epoch);
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn mark_read(&mut self, at: &Site, lane: usize, index: usize, warp_epoch: u32) {
        let (epoch, thread) = (self.epoch, at.thread(lane) as u16);
        let now = Mark { epoch, warp_epoch, pc: at.pc, thread, also: NOBODY };
        let cell = &mut self.cells[index];
        let last = &mut cell.read;
        if last.epoch == epoch && u32::from(last.thread) / 32 != at.warp {
            cell.read_too = *last;
            *last = now;
        } else if last.epoch == epoch && last.warp_epoch == warp_epoch {
            if last.thread != thread {
                last.also = thread;
            }
        } else {
            *last = now;
        }
    }

    pub(crate) fn write(&mut self, machine: &Machine, at: &Site, write: &WordWrite) -> Result<(), Box<Raw>> {
        let (epoch, warp_epoch) = (self.epoch, self.warp_epochs[at.warp as usize]);
        let thread = at.thread(write.lane) as u16;
        let kind = if write.atomic { AccessKind::Atomic } else { AccessKind::Store };
        if !self.copies.is_empty() {
            let place = (write.allocation, write.word * 4 + write.first, write.len);
            self.no_copy(machine, place, kind, write.lane)?;
        }
        self.log.marked = true;
        if !self.log.is_empty() {
            self.flush(machine.plan, at);
        }
        for index in self.cells_of(write.word * 4 + write.first, write.len) {
            let cell = &self.cells[index];
            // Most often nobody has been there since the last barrier.
            let touched = [&cell.read, &cell.read_too, &cell.write].iter().any(|mark| mark.epoch == epoch);
            let also = if touched { self.write_again(machine, at, write, index)? } else { NOBODY };
            let cell = &mut self.cells[index];
            cell.write = Mark { epoch, warp_epoch, pc: at.pc, thread, also };
            cell.atomic = write.atomic;
            self.written[index / 64] |= 1 << (index % 64);
        }
        Ok(())
    }

    /// Refuses to write a cell that somebody touched since the last barrier, if that is a race; gives the other thread that
    /// wrote it in the same warp and warp interval and does no harm.
    fn write_again(
        &self,
        machine: &Machine,
        at: &Site,
        write: &WordWrite,
        index: usize,
    ) -> Result<u16, Box<Raw>> {
        let (epoch, warp_epoch) = (self.epoch, self.warp_epochs[at.warp as usize]);
        let thread = at.thread(write.lane) as u16;
        let kind = if write.atomic { AccessKind::Atomic } else { AccessKind::Store };
        let cell = &self.cells[index];
        let found = (write.allocation, index, write.lane);
        for read in [cell.read, cell.read_too] {
            if self.concurrent(&read, at.warp, thread) {
                let before = Access { kind: AccessKind::Load, mark: read };
                let mut race = self.race(machine, at, found, kind, before);
                // Who reads what was never written means to read what is written now.
                if let FaultKind::SharedMemoryRace { this, previous, .. } = &mut race.kind
                    && !self.is_written(index)
                {
                    std::mem::swap(this, previous);
                }
                return Err(race);
            }
        }
        let both_atomic = write.atomic && cell.atomic;
        // All threads that store one value with one instruction do no harm, and it is a common way to set a flag.
        let origin = |pc: u32| machine.plan.origins[pc as usize];
        let agree = write.old == write.new && origin(cell.write.pc) == origin(at.pc) && !cell.atomic;
        if !both_atomic && !agree && self.concurrent(&cell.write, at.warp, thread) {
            let before = if cell.atomic { AccessKind::Atomic } else { AccessKind::Store };
            let before = Access { kind: before, mark: cell.write };
            return Err(self.race(machine, at, found, kind, before));
        }
        let again = cell.write.epoch == epoch && cell.write.warp_epoch == warp_epoch;
        let other = again
            && cell.write.thread != thread
            && u32::from(cell.write.thread) / 32 == at.warp
            && (both_atomic || agree);
        Ok(if other { cell.write.thread } else { NOBODY })
    }

    #[cold]
    fn uninitialised(&self, machine: &Machine, span: &Span, cell: usize, lane: usize) -> Box<Raw> {
        let (target, start) = machine.target(span.space, span.allocation);
        let offset = ((cell as i64) << self.granule) - start as i64;
        Raw::lanes(FaultKind::UninitialisedRead { target, offset }, 1 << lane)
    }

    #[cold]
    fn race(
        &self,
        machine: &Machine,
        at: &Site,
        (allocation, cell, lane): (u32, usize, usize),
        kind: AccessKind,
        before: Access,
    ) -> Box<Raw> {
        let (target, start) = machine.target(Space::Shared, allocation);
        let thread = at.thread(lane);
        let other = match u32::from(before.mark.thread) == thread && before.mark.also != NOBODY {
            true => before.mark.also,
            false => before.mark.thread,
        };
        let block = machine.block(at.block);
        let access = |kind, pc: u32, thread: u32| RacingAccess {
            kind,
            location: machine.plan.locations[pc as usize],
            thread: machine.thread(thread),
            block,
        };
        let previous = access(before.kind, before.mark.pc, u32::from(other));
        let location = previous.location;
        let mut raw = Raw::lanes(
            FaultKind::SharedMemoryRace {
                target,
                offset: ((cell as i64) << self.granule) - start as i64,
                this: access(kind, at.pc, thread),
                previous,
                same_warp: u32::from(other) / 32 == at.warp,
            },
            1 << lane,
        );
        raw.other = location;
        raw
    }
}
