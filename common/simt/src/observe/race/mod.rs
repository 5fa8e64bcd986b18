//! The checker: races on shared memory, reads of what nobody wrote, and, when blocks run in order, races between
//! blocks on global memory.
//!
//! An access to shared memory is ordered against another thread's by a block barrier between, or, within a warp, by a
//! warp-level synchronisation; anything else is a race, whether or not this schedule shows its effect. Exact for each
//! 4-byte word (each byte if the kernel uses narrower elements), but for one thing: of a word's readers since the last
//! barrier two are kept, of different warps, which is enough to see a race but may name another reader than the first.
//! A lock built of atomics is not understood as an order. A read of shared memory before anybody wrote it is a race if
//! another thread writes it before the next barrier: then that barrier is missing, and not the value.

mod global;
mod log;
mod shared;
#[cfg(test)]
mod tests;

use crate::fault::{AccessKind, FaultKind};
use crate::machine::observer::{GroupLoad, GroupStore};
use crate::machine::{Machine, Raw, Shape, Site, Span, View, WordWrite};
use global::GlobalShadow;
use shared::SharedShadow;
use simt_ir::pointer::Space;

/// The checker's state for one worker.
#[derive(Default)]
pub(crate) struct Checks {
    shared: SharedShadow,
    global: GlobalShadow,
    /// For each warp and word of its local memory, the lanes that have written it.
    local: Vec<Vec<u32>>,
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |i| mask >> i & 1 == 1)
}

/// The words that a span reaches, lane by lane; of lanes that all reach the same, the first.
fn words(span: &Span) -> impl Iterator<Item = (usize, u32)> {
    let mask = if span.shape == Shape::Same { span.mask & span.mask.wrapping_neg() } else { span.mask };
    lanes(mask).flat_map(|i| (span.off[i] / 4..(span.off[i] + span.bytes).div_ceil(4)).map(move |w| (i, w)))
}

fn unwritten(bits: Option<&[u64]>, word: usize) -> bool {
    bits.is_some_and(|b| b[word / 64] >> (word % 64) & 1 == 1)
}

impl Checks {
    fn uninitialised(machine: &Machine, span: &Span, byte: u32, bad: u32) -> Box<Raw> {
        let (target, start) = machine.target(span.space, span.allocation);
        let offset = i64::from(byte) - start as i64;
        Raw::lanes(FaultKind::UninitialisedRead { target, offset }, bad)
    }

    /// Global words that neither the host nor this launch has written.
    fn global_read(&mut self, machine: &Machine, at: &Site, span: &Span) -> Result<(), Box<Raw>> {
        let (bits, written) = match machine.buffers.get(span.allocation as usize) {
            Some(View::Plain { unwritten, .. }) => (*unwritten, None),
            Some(View::Written(view)) => (view.unwritten, Some(view)),
            Some(View::None) | None => return Ok(()),
        };
        if bits.is_some() {
            for (lane, word) in words(span) {
                if unwritten(bits, word as usize)
                    && !written.is_some_and(|view| view.marks.is_written(word as usize))
                {
                    let byte = span.off[lane].max(word * 4);
                    return Err(Checks::uninitialised(machine, span, byte, 1 << lane));
                }
            }
        }
        if machine.ordered && written.is_some() {
            self.global.read(machine, at, span)?;
        }
        Ok(())
    }

    fn local_access(
        &mut self,
        machine: &Machine,
        at: &Site,
        span: &Span,
        write: bool,
    ) -> Result<(), Box<Raw>> {
        let local = &mut self.local[at.warp as usize];
        // Most often all lanes are at the same element, and nothing is to be said of any.
        if span.shape == Shape::Same {
            let byte = span.off[0];
            let words = &mut local[byte as usize / 4..(byte + span.bytes).div_ceil(4) as usize];
            if write {
                words.iter_mut().for_each(|bits| *bits |= span.mask);
                return Ok(());
            }
            if words.iter().all(|bits| bits & span.mask == span.mask) {
                return Ok(());
            }
        }
        for lane in lanes(span.mask) {
            let byte = span.off[lane];
            for word in byte / 4..(byte + span.bytes).div_ceil(4) {
                let bits = &mut local[word as usize];
                if write {
                    *bits |= 1 << lane;
                } else if *bits >> lane & 1 == 0 {
                    return Err(Checks::uninitialised(machine, span, byte.max(word * 4), 1 << lane));
                }
            }
        }
        Ok(())
    }
}

/// What a block that waits at a barrier of the grid has written. All else is ordered by that barrier.
pub(crate) struct Parked {
    shared: shared::Parked,
    local: Vec<Vec<u32>>,
}

impl Checks {
    pub(crate) fn park(&mut self) -> Parked {
        Parked { shared: self.shared.park(), local: std::mem::take(&mut self.local) }
    }

    pub(crate) fn resume(&mut self, machine: &Machine, block: u32, parked: Parked) {
        self.shared.begin(machine);
        self.shared.restore(parked.shared);
        self.global.begin(block);
        self.local = parked.local;
    }

    pub(crate) fn release_grid(&mut self) {
        self.global.release_grid();
    }

    pub(crate) fn begin(&mut self, machine: &Machine, block: u32) {
        self.shared.begin(machine);
        self.global.begin(block);
        let [x, y, z] = machine.launch.block;
        let words = machine.kernel.local_bytes().div_ceil(4) as usize;
        self.local.resize((x * y * z).div_ceil(32) as usize, Vec::new());
        for local in &mut self.local {
            local.clear();
            local.resize(words, 0);
        }
    }

    #[inline]
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &Site,
        span: &Span,
        kind: AccessKind,
    ) -> Result<(), Box<Raw>> {
        match (span.space, kind) {
            (Space::Global, AccessKind::Load) => self.global_read(machine, at, span),
            (Space::Global, AccessKind::Atomic) => {
                self.global.acquire(at.block);
                Ok(())
            }
            (Space::Shared, AccessKind::Load) => self.shared.read(machine, at, span),
            (Space::Local, kind) => self.local_access(machine, at, span, kind != AccessKind::Load),
            _ => Ok(()),
        }
    }

    /// A group of loads of shared memory of known layout; false if each must be told by [`Checks::access`].
    #[inline(always)]
    pub(crate) fn read_known(&mut self, known: &GroupLoad) -> bool {
        self.shared.read_known(known)
    }

    /// A store to shared memory of known layout; false if it must be told by [`Checks::shared_write`].
    #[inline(always)]
    pub(crate) fn write_known(&mut self, known: &GroupStore) -> bool {
        self.shared.write_known(known)
    }

    #[inline]
    pub(crate) fn shared_write(
        &mut self,
        machine: &Machine,
        at: &Site,
        write: &WordWrite,
    ) -> Result<(), Box<Raw>> {
        self.shared.write(machine, at, write)
    }

    pub(crate) fn async_begin(
        &mut self,
        machine: &Machine,
        at: &Site,
        write: &WordWrite,
    ) -> Result<(), Box<Raw>> {
        self.shared.begin_copy(machine, at, write)
    }

    pub(crate) fn async_end(&mut self, write: &WordWrite) {
        self.shared.end_copy(write);
    }

    pub(crate) fn barrier_use(&mut self, machine: &Machine, at: &Site, span: &Span) -> Result<(), Box<Raw>> {
        self.shared.read(machine, at, span)
    }

    pub(crate) fn global_write(
        &mut self,
        machine: &Machine,
        at: &Site,
        write: &WordWrite,
    ) -> Result<(), Box<Raw>> {
        self.global.write(machine, at, write)
    }

    pub(crate) fn frame(&mut self, warp: u32, from: u32, to: u32) {
        let local = &mut self.local[warp as usize];
        if local.len() < to as usize {
            local.resize(to as usize, 0);
        }
        local[from as usize..to as usize].fill(0);
    }

    pub(crate) fn settle(&mut self) -> Result<(), (u32, u32, Box<Raw>)> {
        self.shared.settle()?;
        self.global.settle()
    }

    pub(crate) fn release(&mut self) {
        self.shared.barrier();
    }

    pub(crate) fn warp_sync(&mut self, warp: u32) {
        self.shared.warp_sync(warp);
    }

    pub(crate) fn fence(&mut self, block: u32) {
        self.global.fence(block);
    }
}
