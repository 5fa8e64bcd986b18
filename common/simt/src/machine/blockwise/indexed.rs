//! Accesses of a block at indices that only the lanes know: which bytes they mean, checked against the allocation, for all warps at once.

use crate::isa::per_isa;
use crate::machine::blockwise::active::{Active, LiveWarps, MAX_WARPS};
use crate::machine::blockwise::moves::{load_at, store_at};
use crate::machine::blockwise::registers::{BlockRegs, BlockRows};
use crate::machine::warp::access::words::{Words, WordsMut};
use crate::machine::warp::lanes::indices::{IndexRange, Indices};
use crate::machine::warp::registers::Lanes;
use crate::plan::{Load, Store};

/// The bytes of each lane's access, by warp; those of lanes that are not active are those of one that is.
pub(super) type Offsets = [Lanes<u32>; MAX_WARPS];

/// The rows of an index, or of pointers.
#[derive(Clone, Copy)]
pub(super) enum IndexRows {
    Narrow(BlockRows),
    Wide(BlockRows),
}

/// Does something in each of these warps whose indices are inside, where its lanes are; gives the warps in which that was possible.
#[inline(always)]
fn each_inside(
    regs: &mut BlockRegs,
    (rows, range): (IndexRows, IndexRange),
    (active, warps): (&Active, u32),
    offsets: &mut Offsets,
    mut act: impl FnMut(&mut BlockRegs, &Lanes<u32>, (usize, u32)) -> bool,
) -> u32 {
    let mut done = 0;
    for warp in LiveWarps(warps) {
        let here = (warp, active.masks[warp]);
        let index = match rows {
            IndexRows::Narrow(rows) => Indices::Narrow(&regs.l32[rows.of(warp)]),
            IndexRows::Wide(rows) => Indices::Wide(&regs.l64[rows.of(warp)]),
        };
        if let Some(found) = range.offsets(index, here.1)
            && act(regs, &found, here)
        {
            offsets[warp] = found;
            done |= 1 << warp;
        }
    }
    done
}

per_isa! {
    /// Finds where the lanes of these warps are; gives the warps whose indices are inside.
    pub(super) fn find_offsets(
        _isa; regs: &mut BlockRegs, at: (IndexRows, IndexRange), active: (&Active, u32), offsets: &mut Offsets
    ) -> u32 {
        each_inside(regs, at, active, offsets, |_, _, _| true)
    }
}

per_isa! {
    /// Loads in each of these warps whose indices are inside; gives these warps, and where their lanes are.
    pub(super) fn load_indexed(
        simd; regs: &mut BlockRegs, words: Words<'_>, load: &Load, at: (IndexRows, IndexRange), active: (&Active, u32),
        offsets: &mut Offsets
    ) -> u32 {
        each_inside(regs, at, active, offsets, |regs, found, here| {
            load_at(simd, regs, words, load, found, here)
        })
    }
}

per_isa! {
    /// Stores in each of these warps whose indices are inside, lane by lane; gives these warps, and where their lanes are.
    pub(super) fn store_indexed(
        _isa; regs: &mut BlockRegs, words: WordsMut<'_>, store: &Store, at: (IndexRows, IndexRange), active: (&Active, u32),
        offsets: &mut Offsets
    ) -> u32 {
        let mut words = words;
        each_inside(regs, at, active, offsets, |regs, found, here| {
            store_at(regs, &mut words, store, found, here);
            true
        })
    }
}
