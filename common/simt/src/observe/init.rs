//! Reads of memory that was never written: global memory that neither the host nor the launch has written, and local memory.
//!
//! (Shared memory is the race detector's, because whether such a read is a race or an uninitialized read depends on who writes
//! before the next barrier.) Exact for each 4-byte word of global memory, and for each byte of local memory where the kernel uses
//! narrower elements.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::event::AccessClass;
use crate::machine::mask::lanes;
use crate::machine::{BufferView, LaneFault, LanePattern, Machine, ResolvedAccess};
use crate::observe::race::granule::Granule;
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
    let target = machine.target(span.space, span.allocation);
    let offset = machine.offset_in(span.space, span.allocation, i64::from(byte));
    LaneFault::of(FaultKind::UninitialisedRead { target, offset, access: class.kind }, 1 << lane)
}
