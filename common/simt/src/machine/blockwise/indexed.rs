//! Accesses of a block at indices that only the lanes know: which bytes they mean, checked against the allocation, for all warps at once.

use crate::isa::per_isa;
use crate::machine::blockwise::active::{Active, LiveWarps, MAX_WARPS};
use crate::machine::blockwise::moves::{load_at, store_at};
use crate::machine::blockwise::registers::{BlockRegs, BlockRows};
use crate::machine::context::Extent;
use crate::machine::warp::access::words::{Words, WordsMut};
use crate::machine::warp::registers::{Lanes, blend};
use crate::plan::{AddressOperand, IndexOperand, Load, Store};
use simt_ir::pointer;

/// The bytes of each lane's access, by warp; those of lanes that are not active are those of one that is.
pub(super) type Offsets = [Lanes<u32>; MAX_WARPS];

/// Which indices are inside an allocation, and the bytes that they mean.
#[derive(Clone, Copy)]
pub(super) struct IndexRange {
    /// The least index that is inside, and how many follow it.
    least: u64,
    count: u32,
    /// The byte of the least, and bytes from one index to the next.
    first: u32,
    step: u32,
}

impl IndexRange {
    /// Of elements of so many bytes at `base` plus an index; `None` if no index is inside, or not all are aligned.
    pub(super) fn of(base: u64, address: &AddressOperand, bytes: u32, within: Extent) -> Option<IndexRange> {
        let from = pointer::signed_offset(base).checked_add(address.offset as i64)?;
        let scale = i64::try_from(address.scale).ok().filter(|scale| (1..=1 << 20).contains(scale))?;
        if (from | scale) & i64::from(bytes - 1) != 0 || from.unsigned_abs() > 1 << 41 {
            return None;
        }
        let (lowest, highest) = match address.index? {
            IndexOperand::Signed32(_) => (i64::from(i32::MIN), i64::from(i32::MAX)),
            IndexOperand::Unsigned32(_) => (0, i64::from(u32::MAX)),
            IndexOperand::Wide(_) => (-1 << 42, 1 << 42),
        };
        let last = (within.start + within.bytes) as i64 - i64::from(bytes);
        let least = lowest.max(-(from - within.start as i64).div_euclid(scale));
        let greatest = highest.min((last - from).div_euclid(scale));
        let count = u32::try_from(greatest.checked_sub(least).filter(|count| *count >= 0)?).ok()?;
        let first = u32::try_from(from + least * scale).ok()?;
        Some(IndexRange { least: least as u64, count, first, step: scale as u32 })
    }

    /// Of pointers to the allocation to which `lead` points, to elements of so many bytes.
    pub(super) fn of_pointers(lead: u64, bytes: u32, within: Extent) -> Option<IndexRange> {
        let count = u32::try_from(within.bytes.checked_sub(u64::from(bytes))?).ok()?;
        let least = lead & !pointer::OFFSET_MASK | within.start;
        Some(IndexRange { least, count, first: within.start as u32, step: 1 })
    }
}

/// The rows of an index, or of pointers, whose index is their number.
#[derive(Clone, Copy)]
pub(super) enum IndexRows {
    Narrow(BlockRows),
    Wide(BlockRows),
    Pointers(BlockRows),
}

impl IndexRows {
    pub(super) fn of(regs: &mut BlockRegs, index: IndexOperand) -> IndexRows {
        match index {
            IndexOperand::Signed32(index) | IndexOperand::Unsigned32(index) => {
                IndexRows::Narrow(regs.rows32(index, 0))
            }
            IndexOperand::Wide(index) => IndexRows::Wide(regs.rows64(index, 0)),
        }
    }
}

/// The bytes that a warp's indices mean; `None` if an active lane's is outside. A 32-bit index is counted modulo 2^32, as is the least one.
#[inline(always)]
fn offsets_of(
    regs: &BlockRegs,
    (index, range): (IndexRows, &IndexRange),
    bytes: u32,
    (warp, mask): (usize, u32),
) -> Option<Lanes<u32>> {
    let mut distances = Lanes([0; 32]);
    let mut outside = [0u32; 32];
    match index {
        IndexRows::Narrow(rows) => {
            let row = &regs.l32[rows.of(warp)];
            for i in 0..32 {
                distances.0[i] = row.0[i].wrapping_sub(range.least as u32);
                outside[i] = u32::from(distances.0[i] > range.count) << i;
            }
        }
        IndexRows::Wide(rows) => {
            let row = &regs.l64[rows.of(warp)];
            for i in 0..32 {
                let distance = row.0[i].wrapping_sub(range.least);
                distances.0[i] = distance as u32;
                outside[i] = u32::from(distance > u64::from(range.count)) << i;
            }
        }
        IndexRows::Pointers(rows) => {
            let (row, unaligned) = (&regs.l64[rows.of(warp)], u64::from(bytes - 1));
            for i in 0..32 {
                let distance = row.0[i].wrapping_sub(range.least);
                distances.0[i] = distance as u32;
                outside[i] = u32::from(distance > u64::from(range.count) || row.0[i] & unaligned != 0) << i;
            }
        }
    }
    let outside = outside.iter().fold(0, |all, bit| all | bit);
    if outside & mask != 0 {
        return None;
    }
    for distance in &mut distances.0 {
        *distance = distance.wrapping_mul(range.step).wrapping_add(range.first);
    }
    if mask != u32::MAX {
        let mut lead = Lanes([distances.0[(mask.trailing_zeros() & 31) as usize]; 32]);
        blend(&mut lead, &distances, mask);
        distances = lead;
    }
    Some(distances)
}

/// Does something in each of these warps whose indices are inside, where its lanes are; gives the warps in which that was possible.
#[inline(always)]
fn each_inside(
    regs: &mut BlockRegs,
    at: (IndexRows, &IndexRange),
    bytes: u32,
    (active, warps): (&Active, u32),
    offsets: &mut Offsets,
    mut act: impl FnMut(&mut BlockRegs, &Lanes<u32>, (usize, u32)) -> bool,
) -> u32 {
    let mut done = 0;
    for warp in LiveWarps(warps) {
        let here = (warp, active.masks[warp]);
        if let Some(found) = offsets_of(regs, at, bytes, here)
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
        _isa; regs: &mut BlockRegs, at: (IndexRows, &IndexRange), bytes: u32, active: (&Active, u32), offsets: &mut Offsets
    ) -> u32 {
        each_inside(regs, at, bytes, active, offsets, |_, _, _| true)
    }
}

per_isa! {
    /// Loads in each of these warps whose indices are inside; gives these warps, and where their lanes are.
    pub(super) fn load_indexed(
        simd; regs: &mut BlockRegs, words: Words<'_>, load: &Load, at: (IndexRows, &IndexRange), active: (&Active, u32),
        offsets: &mut Offsets
    ) -> u32 {
        each_inside(regs, at, load.access.bytes, active, offsets, |regs, found, here| {
            load_at(simd, regs, words, load, found, here)
        })
    }
}

per_isa! {
    /// Stores in each of these warps whose indices are inside, lane by lane; gives these warps, and where their lanes are.
    pub(super) fn store_indexed(
        _isa; regs: &mut BlockRegs, words: WordsMut<'_>, store: &Store, at: (IndexRows, &IndexRange), active: (&Active, u32),
        offsets: &mut Offsets
    ) -> u32 {
        let mut words = words;
        each_inside(regs, at, store.access.bytes, active, offsets, |regs, found, here| {
            store_at(regs, &mut words, store, found, here);
            true
        })
    }
}
