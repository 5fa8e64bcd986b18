//! Reads of memory that was never written: global memory that neither the host nor the launch has written, and local memory.
//!
//! (Shared memory is the race detector's, because whether such a read is a race or an uninitialized read depends on who writes
//! before the next barrier.) Exact for each 4-byte word: a word of which any byte was written counts as written.

use crate::fault::FaultKind;
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
        span: &ResolvedAccess,
        write: bool,
    ) -> Result<(), Box<LaneFault>> {
        let local = &mut self.0[warp as usize];
        // Most often all lanes are at the same element, and all have written it.
        if span.pattern == LanePattern::Uniform {
            let byte = span.offsets[0];
            let words = &mut local[byte as usize / 4..(byte + span.bytes).div_ceil(4) as usize];
            if write {
                words.iter_mut().for_each(|bits| *bits |= span.mask);
                return Ok(());
            }
            if words.iter().all(|bits| bits & span.mask == span.mask) {
                return Ok(());
            }
        }
        for lane in (0..32).filter(|i| span.mask >> i & 1 == 1) {
            let byte = span.offsets[lane];
            for word in byte / 4..(byte + span.bytes).div_ceil(4) {
                let bits = &mut local[word as usize];
                if write {
                    *bits |= 1 << lane;
                } else if *bits >> lane & 1 == 0 {
                    return Err(uninitialized(machine, span, byte.max(word * 4), lane));
                }
            }
        }
        Ok(())
    }
}

/// A read of global memory: refuses words that neither the host nor this launch has written.
pub(crate) fn check_global_read(machine: &Machine, span: &ResolvedAccess) -> Result<(), Box<LaneFault>> {
    let (bits, written) = match machine.buffers.get(span.allocation as usize) {
        Some(BufferView::ReadOnly { unwritten, .. }) => (*unwritten, None),
        Some(BufferView::Written(view)) => (view.unwritten, Some(view)),
        Some(BufferView::Freed) | None => return Ok(()),
    };
    let Some(bits) = bits else { return Ok(()) };
    for (lane, word) in span.lane_words() {
        let at = word as usize;
        if bits[at / 64] >> (at % 64) & 1 == 1 && !written.is_some_and(|view| view.owners.is_written(at)) {
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
