//! Addresses of a warp: pointers of all lanes, and the byte offsets that a 32-bit index means in one allocation.
//!
//! Addresses are only computed here; [`super::super::access`] checks them.

use crate::isa::per_isa;
use crate::machine::event::LanePattern;
use crate::machine::mask::first;
use crate::machine::warp::registers::{Lanes, Regs, blend};
use crate::plan::{AddressOperand, IndexOperand, Operand32, Operand64, UniformSlot};
use simt_ir::pointer;

/// The pointer of an address all of whose parts are uniform.
#[inline(always)]
pub(crate) fn uniform_address(r: &Regs, address: &AddressOperand) -> Option<u64> {
    let Operand64::Uniform(base) = address.base else { return None };
    let narrow = |slot: UniformSlot| (r.u[slot] as u32).wrapping_add(address.plus);
    let index = match address.index {
        None => 0,
        Some(IndexOperand::Signed32(Operand32::Uniform(slot))) => narrow(slot) as i32 as i64 as u64,
        Some(IndexOperand::Unsigned32(Operand32::Uniform(slot))) => u64::from(narrow(slot)),
        Some(IndexOperand::Wide(Operand64::Uniform(slot))) => r.u[slot],
        Some(IndexOperand::Signed32(_) | IndexOperand::Unsigned32(_) | IndexOperand::Wide(_)) => return None,
    };
    Some(pointer::add(r.u[base], index.wrapping_mul(address.scale).wrapping_add(address.offset)))
}

/// The index of an address as a 64-bit count, for each lane.
#[inline(always)]
fn index_lanes(r: &Regs, index: IndexOperand, plus: u32) -> Lanes<u64> {
    let (index, signed) = match index {
        IndexOperand::Wide(index) => return r.lanes64(index),
        IndexOperand::Signed32(index) => (index, true),
        IndexOperand::Unsigned32(index) => (index, false),
    };
    let (narrow, mut out) = (r.lanes32(index), Lanes([0; 32]));
    for i in 0..32 {
        let index = narrow.0[i].wrapping_add(plus);
        out.0[i] = if signed { index as i32 as i64 as u64 } else { u64::from(index) };
    }
    out
}

/// The pointers of an address, for each lane.
#[inline(always)]
pub(crate) fn address_lanes(r: &Regs, address: &AddressOperand) -> Lanes<u64> {
    let mut out = r.lanes64(address.base);
    match address.index {
        None => {
            for p in &mut out.0 {
                *p = pointer::add(*p, address.offset);
            }
        }
        Some(index) => {
            let index = index_lanes(r, index, address.plus);
            for i in 0..32 {
                let bytes = index.0[i].wrapping_mul(address.scale).wrapping_add(address.offset);
                out.0[i] = pointer::add(out.0[i], bytes);
            }
        }
    }
    out
}

/// The byte offsets that a 32-bit index means.
pub(crate) struct IndexedOffsets {
    pub(crate) offsets: [u32; 32],
    /// The least and the greatest index of an active lane, in the order that the bias gives.
    pub(crate) least: u32,
    pub(crate) greatest: u32,
    pub(crate) pattern: LanePattern,
}

/// How an index becomes an offset: `start + index * scale`.
#[derive(Clone, Copy)]
pub(crate) struct IndexScale {
    pub(crate) start: u32,
    pub(crate) scale: u32,
    /// Bytes per lane.
    pub(crate) bytes: u32,
    /// Exclusive-or of this and an index orders signed indices as unsigned numbers.
    pub(crate) bias: u32,
}

per_isa! {
    /// The offsets of an index; those of lanes not in `mask` repeat the first that is.
    pub(crate) fn index_offsets(_isa; index: &Lanes<u32>, scale: IndexScale, mask: u32) -> IndexedOffsets {
        index_offsets_in(index, scale, mask)
    }
}

#[inline(always)]
fn index_offsets_in(index: &Lanes<u32>, scale: IndexScale, mask: u32) -> IndexedOffsets {
    let lead = index.0[first(mask)];
    let mut lanes = Lanes([lead; 32]);
    blend(&mut lanes, index, mask);
    let (mut least, mut greatest, mut differ, mut skew) = (u32::MAX, 0, 0, 0);
    let mut offsets = [0; 32];
    let step = scale.bytes;
    for i in 0..32 {
        let v = lanes.0[i];
        least = least.min(v ^ scale.bias);
        greatest = greatest.max(v ^ scale.bias);
        differ |= v ^ lead;
        offsets[i] = v.wrapping_mul(scale.scale).wrapping_add(scale.start);
    }
    for i in 0..32 {
        skew |= offsets[i] ^ offsets[0].wrapping_add(i as u32 * step);
    }
    let pattern = match () {
        () if differ == 0 => LanePattern::Uniform,
        () if skew == 0 && mask == u32::MAX => LanePattern::Contiguous,
        () => LanePattern::Irregular,
    };
    IndexedOffsets { offsets, least, greatest, pattern }
}
