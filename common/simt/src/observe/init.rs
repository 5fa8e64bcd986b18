//! Reads of memory that was never written: global memory that neither the host nor the launch has written, and local memory.
//!
//! In shared memory, a read of what no thread has written is a race if another thread writes it before the next barrier: then that barrier is
//! missing, and not the value. So such a fault waits for the barrier. Exact for each 4-byte word of global memory, and for each byte of
//! local and shared memory where the kernel uses narrower elements.

use crate::fault::{AccessKind, Fault, FaultKind};
use crate::machine::event::{AccessClass, AsyncCopier, WarpFault};
use crate::machine::mask::lanes;
use crate::machine::{BufferView, InstSite, LaneFault, LanePattern, Machine, ResolvedAccess, WordWrite};
use crate::observe::race::granule::Granule;
use simt_ir::pointer::Space;
use source::hash::Map;
use std::ops::Range;

/// Which cells of local memory, words or bytes, a block's threads have written.
#[derive(Default)]
pub(crate) struct LocalInit {
    granule: Granule,
    /// By warp and cell, a bit for each lane.
    written: Vec<Vec<u32>>,
}

impl LocalInit {
    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.granule = Granule::of(machine.plan.narrow_local);
        let cells = self.granule.count(machine.kernel.local_bytes());
        self.written.resize(machine.warps() as usize, Vec::new());
        for local in &mut self.written {
            local.clear();
            local.resize(cells, 0);
        }
    }

    /// These words of a warp's local memory belong to a new frame, and are unwritten.
    pub(crate) fn frame(&mut self, warp: u32, words: Range<u32>) {
        let local = &mut self.written[warp as usize];
        let (from, to) = (self.granule.count(words.start * 4), self.granule.count(words.end * 4));
        if local.len() < to {
            local.resize(to, 0);
        }
        local[from..to].fill(0);
    }

    /// An access to local memory.
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        warp: u32,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        if class.reads {
            self.read(machine, warp, (span, class))?;
        }
        if class.kind != AccessKind::Load {
            self.write(warp, span);
        }
        Ok(())
    }

    fn read(
        &self,
        machine: &Machine,
        warp: u32,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        let local = &self.written[warp as usize];
        // Most often all lanes are at the same element, and all have written it.
        if span.pattern == LanePattern::Uniform
            && local[self.cells(span, 0)].iter().all(|bits| bits & span.mask == span.mask)
        {
            return Ok(());
        }
        for lane in lanes(span.mask) {
            let is_written = |cell: usize| local[cell] >> lane & 1 == 1;
            if let Some(byte) = first_unwritten(self.granule, span, class, lane, is_written) {
                return Err(uninitialized(machine, (span, class), byte, lane));
            }
        }
        Ok(())
    }

    /// The cells of a lane's access.
    fn cells(&self, span: &ResolvedAccess, lane: usize) -> Range<usize> {
        self.granule.cells(span.offsets[lane], span.bytes)
    }

    fn write(&mut self, warp: u32, span: &ResolvedAccess) {
        let granule = self.granule;
        let cells = |lane: usize| granule.cells(span.offsets[lane], span.bytes);
        let local = &mut self.written[warp as usize];
        if span.pattern == LanePattern::Uniform {
            local[cells(0)].iter_mut().for_each(|bits| *bits |= span.mask);
            return;
        }
        for lane in lanes(span.mask) {
            local[cells(lane)].iter_mut().for_each(|bits| *bits |= 1 << lane);
        }
    }
}

/// A read of a cell that no thread had written.
struct PendingRead {
    block: u32,
    cell: usize,
    /// Whether it is a load, and not an atomic operation.
    is_load: bool,
    fault: WarpFault,
}

/// What was written of a block's shared memory, and what asynchronous copies still fill.
#[derive(Default)]
pub(crate) struct SharedInit {
    granule: Granule,
    /// A bit for each cell that the block has written.
    written: Vec<u64>,
    /// The first read since the last barrier of a cell that no thread has written; all such reads, if the launch continues after faults.
    pending: Vec<PendingRead>,
    /// The cells that copies still fill.
    copies: Map<usize, AsyncCopier>,
}

impl SharedInit {
    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.granule = Granule::of(machine.plan.narrow_shared);
        self.written.clear();
        self.written.resize(self.granule.count(machine.shared_bytes).div_ceil(64), 0);
        self.pending.clear();
        self.copies.clear();
    }

    fn is_written(&self, cell: usize) -> bool {
        self.written[cell / 64] >> (cell % 64) & 1 == 1
    }

    /// A load.
    ///
    /// # Errors
    /// It reads what an asynchronous copy fills.
    pub(crate) fn read(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        if !self.copies.is_empty() {
            for lane in lanes(span.mask) {
                let bytes = (span.offsets[lane], span.bytes);
                self.check_copies(machine, bytes, (span.allocation, lane, AccessKind::Load))?;
            }
        }
        for lane in lanes(span.mask) {
            let is_written = |cell| self.is_written(cell);
            if let Some(byte) = first_unwritten(self.granule, span, class, lane, is_written) {
                self.note_unwritten(machine, at, (span.allocation, byte), (lane, class.kind));
            }
        }
        Ok(())
    }

    /// A write to a word, by a store or an atomic operation.
    ///
    /// # Errors
    /// An asynchronous copy fills the word.
    pub(crate) fn write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let byte = write.word * 4 + write.first;
        if !self.copies.is_empty() {
            let by = (write.allocation, write.lane, write.class.kind);
            self.check_copies(machine, (byte, write.len), by)?;
        }
        let cells = self.granule.cells(byte, write.len);
        if write.class.reads && !cells.clone().any(|cell| self.is_written(cell)) {
            self.note_unwritten(machine, at, (write.allocation, byte), (write.lane, write.class.kind));
        }
        // A load before it is a race then, unless lanes of one warp have synchronized.
        self.pending
            .retain(|read| !read.is_load || read.fault.warp == at.warp || !cells.contains(&read.cell));
        cells.for_each(|cell| self.written[cell / 64] |= 1 << (cell % 64));
        Ok(())
    }

    /// An asynchronous copy to a word begins: no thread may access the word until it ends.
    ///
    /// # Errors
    /// Another copy fills the word.
    pub(crate) fn copy_begins(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.write(machine, at, write)?;
        let copier = AsyncCopier { thread: at.thread(write.lane), pc: at.pc };
        for cell in self.granule.cells(write.word * 4, 4) {
            self.copies.insert(cell, copier);
        }
        Ok(())
    }

    pub(crate) fn copy_ends(&mut self, write: &WordWrite) {
        for cell in self.granule.cells(write.word * 4, 4) {
            self.copies.remove(&cell);
        }
    }

    /// No thread can write any more before the next barrier.
    ///
    /// # Errors
    /// A read of what no thread has written.
    pub(crate) fn end_interval(&mut self, machine: &Machine) -> Result<(), Box<Fault>> {
        while let Some(PendingRead { block, cell, fault, .. }) = self.pending.pop() {
            // In a launch that goes on, a thread that observers do not see may have written it meanwhile.
            let word = self.granule.byte(cell) as u32 / 4;
            if machine.recovery.is_none_or(|recovery| !recovery.is_tainted_in_shared(block, word)) {
                return Err(machine.warp_fault(block, fault));
            }
        }
        Ok(())
    }

    /// Refuses an access to a cell that a copy still fills.
    fn check_copies(
        &self,
        machine: &Machine,
        (first, bytes): (u32, u32),
        (allocation, lane, access): (u32, usize, AccessKind),
    ) -> Result<(), Box<LaneFault>> {
        let mut cells = self.granule.cells(first, bytes);
        let Some((cell, copier)) = cells.find_map(|cell| Some((cell, *self.copies.get(&cell)?))) else {
            return Ok(());
        };
        let target = machine.target(Space::Shared, allocation);
        let offset = machine.offset_in(Space::Shared, allocation, self.granule.byte(cell));
        let thread = machine.thread(copier.thread);
        let kind = FaultKind::AsyncNotAwaited { target, offset, access, thread, committed: true };
        let mut fault = LaneFault::of(kind, 1 << lane);
        fault.other = machine.plan.locations[copier.pc];
        fault.copier = Some(copier);
        Err(fault)
    }

    /// A lane depends on what no thread has written, from that byte on.
    #[cold]
    fn note_unwritten(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (allocation, byte): (u32, u32),
        (lane, access): (usize, AccessKind),
    ) {
        if let Some(recovery) = machine.recovery {
            recovery.reads_unwritten(lane);
        }
        if self.pending.is_empty() || machine.recovery.is_some() {
            let target = machine.target(Space::Shared, allocation);
            let offset = machine.offset_in(Space::Shared, allocation, byte.into());
            let fault = LaneFault::of(FaultKind::UninitialisedRead { target, offset, access }, 1 << lane);
            let fault = WarpFault { warp: at.warp, pc: at.pc, fault };
            let cell = self.granule.cells(byte, 1).start;
            let is_load = access == AccessKind::Load;
            self.pending.push(PendingRead { block: at.block, cell, is_load, fault });
        }
    }
}

/// The first byte that a lane reads of a word of which it uses something and none of whose bytes that it reads was written. (Where
/// some were, the others are padding, or other members of a union.)
#[inline(always)]
pub(crate) fn first_unwritten(
    granule: Granule,
    span: &ResolvedAccess,
    class: AccessClass,
    lane: usize,
    is_written: impl Fn(usize) -> bool,
) -> Option<u32> {
    if granule.cells(span.offsets[lane], span.bytes).all(&is_written) {
        return None;
    }
    unwritten_word(granule, span, class, lane, &is_written)
}

#[cold]
fn unwritten_word(
    granule: Granule,
    span: &ResolvedAccess,
    class: AccessClass,
    lane: usize,
    is_written: &dyn Fn(usize) -> bool,
) -> Option<u32> {
    let (start, end) = (span.offsets[lane], span.offsets[lane] + span.bytes);
    let mut parts = (start / 4..end.div_ceil(4)).map(|word| (word * 4).max(start)..(word * 4 + 4).min(end));
    let part = parts.find(|part| {
        let mut cells = granule.cells(part.start, part.end - part.start);
        !cells.any(is_written) && class.uses(part.start - start..part.end - start)
    });
    part.map(|part| part.start)
}

/// A read of global memory: refuses words that neither the host nor this launch has written.
pub(crate) fn check_global_read(
    machine: &Machine,
    span: &ResolvedAccess,
    class: AccessClass,
) -> Result<(), Box<LaneFault>> {
    let (bits, written) = match machine.buffers.get(span.allocation as usize) {
        Some(BufferView::ReadOnly { unwritten, .. }) => (*unwritten, None),
        Some(BufferView::Written(view)) => (view.unwritten, Some(view)),
        Some(BufferView::Freed) | None => return Ok(()),
    };
    let Some(bits) = bits else { return Ok(()) };
    let is_written = |word: usize| {
        bits[word / 64] >> (word % 64) & 1 == 0 || written.is_some_and(|view| view.owners.is_written(word))
    };
    for lane in span.first_or_each() {
        if let Some(byte) = first_unwritten(Granule::Word, span, class, lane, is_written) {
            return Err(uninitialized(machine, (span, class), byte, lane));
        }
    }
    Ok(())
}

#[cold]
fn uninitialized(
    machine: &Machine,
    (span, class): (&ResolvedAccess, AccessClass),
    byte: u32,
    lane: usize,
) -> Box<LaneFault> {
    let (target, offset) = machine.target_at(span.space, span.allocation, i64::from(byte));
    LaneFault::of(FaultKind::UninitialisedRead { target, offset, access: class.kind }, 1 << lane)
}
