//! Reads of memory that was never written: global memory that neither the host nor the launch has written, and local memory.
//!
//! (Shared memory is the race detector's, because whether such a read is a race or an uninitialized read depends on who writes
//! before the next barrier.) Exact for each 4-byte word: a word of which any byte was written counts as written.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::event::AccessClass;
use crate::machine::mask::lanes;
use crate::machine::{BufferView, LaneFault, LanePattern, Machine, ResolvedAccess};
use std::ops::Range;

/// Which words of local memory a block's threads have written: by warp and word, a bit for each lane.
#[derive(Default)]
pub(crate) struct LocalInit(Vec<Vec<u32>>);

impl LocalInit {
    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        let words = machine.kernel.local_bytes().div_ceil(4) as usize;
        self.0.resize(machine.warps() as usize, Vec::new());
        for local in &mut self.0 {
            local.clear();
            local.resize(words, 0);
        }
    }

    /// These words of a warp's local memory belong to a new frame, and are unwritten.
    pub(crate) fn frame(&mut self, warp: u32, words: Range<u32>) {
        let local = &mut self.0[warp as usize];
        let (from, to) = (words.start as usize, words.end as usize);
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
        let local = &self.0[warp as usize];
        // Most often all lanes are at the same element, and all have written it.
        if span.pattern == LanePattern::Uniform {
            let words = &local[words_of(span, 0)];
            if words.iter().all(|bits| bits & span.mask == span.mask) {
                return Ok(());
            }
        }
        for lane in lanes(span.mask) {
            for word in words_of(span, lane) {
                if local[word] >> lane & 1 == 0 && uses_word(span, class, lane, word as u32) {
                    return Err(uninitialized(machine, span, span.offsets[lane].max(word as u32 * 4), lane));
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, warp: u32, span: &ResolvedAccess) {
        let local = &mut self.0[warp as usize];
        if span.pattern == LanePattern::Uniform {
            local[words_of(span, 0)].iter_mut().for_each(|bits| *bits |= span.mask);
            return;
        }
        for lane in lanes(span.mask) {
            local[words_of(span, lane)].iter_mut().for_each(|bits| *bits |= 1 << lane);
        }
    }
}

/// The words of a lane's access.
fn words_of(span: &ResolvedAccess, lane: usize) -> Range<usize> {
    let byte = span.offsets[lane];
    byte as usize / 4..(byte + span.bytes).div_ceil(4) as usize
}

/// Whether anything uses the bytes of a word that a lane reads.
fn uses_word(span: &ResolvedAccess, class: AccessClass, lane: usize, word: u32) -> bool {
    let start = span.offsets[lane];
    let bytes = (word * 4).max(start) - start..(word * 4 + 4).min(start + span.bytes) - start;
    class.uses(bytes)
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
    for (lane, word) in span.lane_words() {
        let at = word as usize;
        if bits[at / 64] >> (at % 64) & 1 == 1
            && !written.is_some_and(|view| view.owners.is_written(at))
            && uses_word(span, class, lane, word)
        {
            return Err(uninitialized(machine, span, span.offsets[lane].max(word * 4), lane));
        }
    }
    Ok(())
}

#[cold]
fn uninitialized(machine: &Machine, span: &ResolvedAccess, byte: u32, lane: usize) -> Box<LaneFault> {
    let target = machine.target(span.space, span.allocation);
    let offset = machine.offset_in(span.space, span.allocation, i64::from(byte));
    LaneFault::of(FaultKind::UninitialisedRead { target, offset }, 1 << lane)
}
