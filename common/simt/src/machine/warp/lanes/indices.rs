//! Indices that only the lanes know: which bytes of an allocation they mean, checked against its bounds.

use crate::isa::per_isa;
use crate::machine::context::Extent;
use crate::machine::mask::first;
use crate::machine::warp::registers::{Lanes, blend};
use crate::plan::{AddressOperand, IndexOperand};
use simt_ir::pointer;

/// A warp's indices, or its pointers, whose index is their number.
#[derive(Clone, Copy)]
pub(crate) enum Indices<'a> {
    Narrow(&'a Lanes<u32>),
    Wide(&'a Lanes<u64>),
}

/// Which indices are inside an allocation, and the bytes that they mean.
#[derive(Clone, Copy)]
pub(crate) struct IndexRange {
    /// The least index that is inside, and how many follow it.
    least: u64,
    count: u32,
    /// The byte of the least, and bytes from one index to the next.
    first: u32,
    step: u32,
    /// Bits of an index that have to be clear.
    unaligned: u64,
}

impl IndexRange {
    /// Of elements of so many bytes at `base` plus an index; `None` if no index is inside, or not all are aligned.
    pub(crate) fn of(base: u64, address: &AddressOperand, bytes: u32, within: Extent) -> Option<IndexRange> {
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
        Some(IndexRange { least: least as u64, count, first, step: scale as u32, unaligned: 0 })
    }

    /// Of pointers to the allocation to which `lead` points, to elements of so many bytes.
    pub(crate) fn of_pointers(lead: u64, bytes: u32, within: Extent) -> Option<IndexRange> {
        let count = u32::try_from(within.bytes.checked_sub(u64::from(bytes))?).ok()?;
        let least = lead & !pointer::OFFSET_MASK | within.start;
        let (first, unaligned) = (within.start as u32, u64::from(bytes - 1));
        Some(IndexRange { least, count, first, step: 1, unaligned })
    }

    /// The bytes that a warp's indices mean, those of lanes that are not active repeat the first that is; `None` if an active lane's is outside.
    /// A 32-bit index is counted modulo 2^32, as is the least one.
    #[inline(always)]
    pub(crate) fn offsets(&self, index: Indices, mask: u32) -> Option<Lanes<u32>> {
        let mut distances = Lanes([0; 32]);
        let mut outside = [0u32; 32];
        match index {
            Indices::Narrow(row) => {
                for i in 0..32 {
                    distances.0[i] = row.0[i].wrapping_sub(self.least as u32);
                    outside[i] = u32::from(distances.0[i] > self.count) << i;
                }
            }
            Indices::Wide(row) => {
                for i in 0..32 {
                    let distance = row.0[i].wrapping_sub(self.least);
                    distances.0[i] = distance as u32;
                    let is_outside = distance > u64::from(self.count) || row.0[i] & self.unaligned != 0;
                    outside[i] = u32::from(is_outside) << i;
                }
            }
        }
        let outside = outside.iter().fold(0, |all, bit| all | bit);
        if outside & mask != 0 {
            return None;
        }
        for distance in &mut distances.0 {
            *distance = distance.wrapping_mul(self.step).wrapping_add(self.first);
        }
        if mask != u32::MAX {
            let mut lead = Lanes([distances.0[first(mask)]; 32]);
            blend(&mut lead, &distances, mask);
            distances = lead;
        }
        Some(distances)
    }
}

per_isa! {
    /// The bytes that pointers to one allocation mean, as above.
    pub(crate) fn pointer_offsets(_isa; pointers: &Lanes<u64>, range: IndexRange, mask: u32) -> Option<[u32; 32]> {
        Some(range.offsets(Indices::Wide(pointers), mask)?.0)
    }
}
