//! Which threads of a block are active: a mask per warp.

use crate::isa::{HostIsa, per_isa};

/// Warps that a block has at most.
pub(crate) const MAX_WARPS: usize = 32;

/// A mask of lanes for each warp of a block.
pub(crate) type WarpMasks = [u32; MAX_WARPS];

/// The active threads of a block.
#[derive(Clone)]
pub(crate) struct Active {
    pub(crate) masks: WarpMasks,
    /// A bit for each warp that has active threads.
    pub(crate) live: u32,
    /// Warps of the block.
    pub(crate) warps: usize,
    /// Whether all threads that the block has are active.
    pub(crate) all: bool,
}

impl Active {
    /// All of these, of which there are so many warps.
    pub(crate) fn all(present: &WarpMasks, warps: usize) -> Active {
        let live = u32::MAX >> (32 - warps);
        Active { masks: *present, live, warps, all: true }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.live == 0
    }

    /// The active threads become those of `masks` besides, or in place of these.
    #[inline(always)]
    pub(crate) fn set(&mut self, isa: HostIsa, masks: &mut [u32], present: &WarpMasks, how: MaskChange) {
        let changed = change_masks(isa, &mut self.masks, masks, present, how);
        (self.live, self.all) = (changed.live, changed.all);
    }

    /// Active threads for which a condition does not hold go to the mask `left`; those that it had stay there if `keeps`. Gives how many warps have
    /// threads of both kinds.
    #[inline(always)]
    pub(crate) fn split(
        &mut self,
        isa: HostIsa,
        holds: &[u32],
        (left, keeps): (&mut [u32], bool),
        present: &WarpMasks,
    ) -> u64 {
        let changed = split_masks(isa, &mut self.masks, holds, (left, keeps), present);
        (self.live, self.all) = (changed.live, changed.all);
        u64::from(changed.split)
    }

    /// No thread is active.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.masks[..self.warps].fill(0);
        (self.live, self.all) = (0, false);
    }

    /// The warps that have active threads.
    #[inline(always)]
    pub(crate) fn live(&self) -> LiveWarps {
        LiveWarps(self.live)
    }

    /// How many warps have active threads.
    #[inline(always)]
    pub(crate) fn count(&self) -> u64 {
        u64::from(self.live.count_ones())
    }

    /// How many threads are active.
    #[inline]
    pub(crate) fn threads(&self) -> u64 {
        self.masks[..self.warps].iter().map(|mask| u64::from(mask.count_ones())).sum()
    }

    /// The first active thread: its warp and its lane.
    #[inline(always)]
    pub(crate) fn first(&self) -> (usize, usize) {
        let warp = (self.live.trailing_zeros() & 31) as usize;
        (warp, (self.masks[warp].trailing_zeros() & 31) as usize)
    }
}

/// How [`Active::set`] changes masks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaskChange {
    /// Adds those of the other.
    Join,
    /// Exchanges them with the other.
    Swap,
}

/// What came of a change.
struct Changed {
    live: u32,
    all: bool,
    /// Warps that have threads on both sides.
    split: u32,
}

per_isa! {
    fn change_masks(_isa; masks: &mut WarpMasks, others: &mut [u32], present: &WarpMasks, how: MaskChange) -> Changed {
        let (mut live, mut missing) = (0, 0);
        let masks = masks.as_chunks_mut::<8>().0.iter_mut().zip(present.as_chunks::<8>().0);
        for (chunk, ((masks, present), others)) in masks.zip(others.as_chunks_mut::<8>().0).enumerate() {
            let (mut now, mut bits) = ([0u32; 8], [0u32; 8]);
            for i in 0..8 {
                now[i] = if how == MaskChange::Join { masks[i] | others[i] } else { others[i] };
            }
            if how == MaskChange::Swap {
                *others = *masks;
            }
            for i in 0..8 {
                bits[i] = u32::from(now[i] != 0) << i;
                missing |= now[i] ^ present[i];
            }
            *masks = now;
            live |= bits.iter().fold(0, |all, bit| all | bit) << (8 * chunk);
        }
        Changed { live, all: missing == 0, split: 0 }
    }
}

per_isa! {
    fn split_masks(_isa; masks: &mut WarpMasks, holds: &[u32], left: (&mut [u32], bool), present: &WarpMasks) -> Changed {
        let (left, keeps) = left;
        let (mut live, mut missing, mut split) = (0, 0, 0);
        let masks = masks.as_chunks_mut::<8>().0.iter_mut().zip(present.as_chunks::<8>().0);
        let others = holds.as_chunks::<8>().0.iter().zip(left.as_chunks_mut::<8>().0);
        for (chunk, ((masks, present), (holds, left))) in masks.zip(others).enumerate() {
            let (mut taken, mut other, mut bits, mut both) = ([0u32; 8], [0u32; 8], [0u32; 8], [0u32; 8]);
            for i in 0..8 {
                taken[i] = masks[i] & holds[i];
                other[i] = masks[i] & !holds[i];
                bits[i] = u32::from(taken[i] != 0) << i;
                both[i] = u32::from(taken[i] != 0 && other[i] != 0);
                missing |= taken[i] ^ present[i];
                left[i] = if keeps { left[i] | other[i] } else { other[i] };
            }
            *masks = taken;
            live |= bits.iter().fold(0, |all, bit| all | bit) << (8 * chunk);
            split += both.iter().sum::<u32>();
        }
        Changed { live, all: missing == 0, split }
    }
}

/// Warps, in ascending order.
pub(crate) struct LiveWarps(pub(crate) u32);

impl Iterator for LiveWarps {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let warp = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(warp)
    }
}
