//! Data on its way between memory and the rows of a block's registers.

use crate::isa::per_isa;
use crate::machine::blockwise::active::{Active, LiveWarps, WarpMasks};
use crate::machine::blockwise::registers::BlockRegs;
use crate::machine::blockwise::shapes::BlockShape;
use crate::machine::warp::access::elements::{WarpElements, load_elements, store_elements};
use crate::machine::warp::access::placement::ShapeCache;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::wide::words_of;
use crate::machine::warp::access::words::{Words, WordsMut};
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::plan::{AnyOperand, Lane32, Load, Operand32, Operand64, Store};

/// An affine access of some warps of a block.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) shape: &'a BlockShape,
    pub(super) shapes: &'a ShapeCache,
    /// The byte of the block's lowest thread, modulo 2^32.
    pub(super) start: u32,
    /// The warps, and by warp the active lanes.
    pub(super) warps: u32,
    pub(super) masks: &'a WarpMasks,
}

impl<'a> Parts<'a> {
    /// Each of the warps, its active lanes, the shape of all its threads, and the byte where that begins.
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = (usize, u32, &'a CoalescingShape, u32)> {
        LiveWarps(self.warps).map(move |warp| {
            let part = self.shape.warps[warp];
            let start = self.start.wrapping_add(part.start);
            let (shape, start) = self.shapes.shape(part.shape).from(start);
            (warp, self.masks[warp], &**shape, start)
        })
    }
}

per_isa! {
    /// Loads neighbours, one for each thread of the block, from a word on; whether it could.
    pub(super) fn load_run(simd; regs: &mut BlockRegs, words: Words<'_>, from: usize, dst: AnyOperand) -> bool {
        load_run_in(simd, regs, words, from, dst)
    }
}

#[inline(always)]
fn load_run_in<V: Vectors>(
    simd: V,
    regs: &mut BlockRegs,
    words: Words,
    from: usize,
    dst: AnyOperand,
) -> bool {
    for warp in regs.each_warp() {
        match dst {
            AnyOperand::Bits32(Operand32::Lanes(slot)) => {
                let Some(row) = words.row(simd, from + 32 * warp) else { return false };
                simd.put(regs.row32_mut(slot, warp), row, u32::MAX);
            }
            AnyOperand::Bits64(Operand64::Lanes(slot)) => {
                let Some(row) = words.wide_row(simd, from + 64 * warp) else { return false };
                *regs.warp_mut(warp).row64_mut(slot) = row;
            }
            _ => return false,
        }
    }
    true
}

per_isa! {
    /// Loads a word per lane, neighbours in each half of an active warp: by warp and half, words from the first to where its row begins.
    /// Whether all are there.
    pub(super) fn load_half_rows(
        simd; regs: &mut BlockRegs, words: Words<'_>, from: (usize, &[[u32; 2]]), dst: Lane32, active: &Active
    ) -> bool {
        let (first, rows) = from;
        let mut all = true;
        for warp in active.live() {
            let (low, high) = (first + rows[warp][0] as usize, first + rows[warp][1] as usize);
            match words.halves(simd, [low, high]) {
                Some(row) => simd.put(regs.row32_mut(dst, warp), row, active.masks[warp]),
                None => all = false,
            }
        }
        all
    }
}

per_isa! {
    /// Stores a word per lane, neighbours in each half of a warp, all of whose warps are active.
    pub(super) fn store_half_rows(
        simd; regs: &mut BlockRegs, words: WordsMut<'_>, from: (usize, &[[u32; 2]]), src: Operand32
    ) {
        let (first, rows) = from;
        let mut words = words;
        let values = regs.rows32(src, 0);
        for warp in regs.each_warp() {
            let row = &regs.l32[values.of(warp)];
            let (low, high) = (first + rows[warp][0] as usize, first + rows[warp][1] as usize);
            words.put_halves(simd, [low, high], &row.0);
        }
    }
}

/// Loads one value for all threads of the block, which share a register for it, from a word on; whether it could.
pub(super) fn load_one(regs: &mut BlockRegs, words: Words, from: usize, dst: AnyOperand) -> bool {
    let (slot, high) = match dst {
        AnyOperand::Bits32(Operand32::Uniform(slot)) => (slot, Some(0)),
        AnyOperand::Bits64(Operand64::Uniform(slot)) => (slot, words.get(from + 1)),
        AnyOperand::Bits32(_) | AnyOperand::Bits64(_) | AnyOperand::Mask(_) => return false,
    };
    let (Some(low), Some(high)) = (words.get(from), high) else { return false };
    regs.u[slot] = u64::from(low) | u64::from(high) << 32;
    true
}

per_isa! {
    /// Stores neighbours, one of each thread of the block, from a word on; all are there.
    pub(super) fn store_run(simd; regs: &mut BlockRegs, words: WordsMut<'_>, from: usize, src: AnyOperand) {
        store_run_in(simd, regs, words, from, src)
    }
}

#[inline(always)]
fn store_run_in<V: Vectors>(
    simd: V,
    regs: &mut BlockRegs,
    mut words: WordsMut,
    from: usize,
    src: AnyOperand,
) {
    match src {
        AnyOperand::Bits32(src) => {
            let rows = regs.rows32(src, 0);
            for warp in regs.each_warp() {
                words.put_row(simd, from + 32 * warp, &regs.l32[rows.of(warp)].0);
            }
        }
        AnyOperand::Bits64(src) => {
            let rows = regs.rows64(src, 0);
            for warp in regs.each_warp() {
                words.put_wide_row(simd, from + 64 * warp, &regs.l64[rows.of(warp)]);
            }
        }
        AnyOperand::Mask(_) => {}
    }
}

per_isa! {
    /// Loads the warps' parts of an access; `false`, and nothing is to be relied on, if words are missing.
    pub(super) fn load_parts(
        simd; regs: &mut BlockRegs, words: Words<'_>, load: &Load, parts: Parts<'_>
    ) -> bool {
        let mut all = true;
        for (warp, mask, shape, start) in parts.each() {
            let at = WarpElements::Shape(shape, start);
            all &= load_elements(simd, &mut regs.warp_mut(warp), (words, at), load, mask);
        }
        all
    }
}

/// Loads the elements at these bytes in one warp; whether all are there.
#[inline(always)]
pub(super) fn load_at<V: Vectors>(
    simd: V,
    regs: &mut BlockRegs,
    words: Words,
    load: &Load,
    at: &Lanes<u32>,
    (warp, mask): (usize, u32),
) -> bool {
    load_elements(simd, &mut regs.warp_mut(warp), (words, WarpElements::Offsets(at)), load, mask)
}

per_isa! {
    /// Stores the warps' parts of an access, in which no two lanes of a warp store to the same bytes. Elements of less than a word are stored to
    /// global memory only.
    pub(super) fn store_parts(simd; regs: &BlockRegs, words: WordsMut<'_>, store: &Store, parts: Parts<'_>) {
        let mut words = words;
        for (warp, mask, shape, start) in parts.each() {
            store_elements(simd, &regs.warp(warp), &mut words, store, (shape, start), mask);
        }
    }
}

/// Stores words or values of 64 bits at these bytes in one warp, lane by lane.
#[inline(always)]
pub(super) fn store_at(
    regs: &BlockRegs,
    words: &mut WordsMut,
    store: &Store,
    at: &Lanes<u32>,
    (warp, mask): (usize, u32),
) {
    for (element, src) in store.src.iter().enumerate() {
        match *src {
            AnyOperand::Bits64(src) => {
                let values = regs.warp(warp).lanes64(src);
                let word = |lane: usize| at.0[lane] as usize / 4 + 2 * element;
                words.put_each(mask, word, |lane| words_of(values.0[lane]));
            }
            src => {
                let values = regs.warp(warp).low_bits(src);
                words.put_each(mask, |lane| at.0[lane] as usize / 4 + element, |lane| [values.0[lane]]);
            }
        }
    }
}
