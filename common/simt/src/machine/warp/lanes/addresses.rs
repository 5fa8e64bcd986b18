//! Addresses of a warp: pointers of all lanes, and the byte offsets that a 32-bit index means in one allocation.
//!
//! Addresses are only computed here; [`super::super::access`] checks them.

use crate::isa::per_isa;
use crate::machine::event::LanePattern;
use crate::machine::mask::{first, lanes};
use crate::machine::warp::registers::{Lanes, Regs, UniformValues, WarpRegs, WarpRegsMut, blend};
use crate::plan::{AddressOperand, AffineVectors, IndexOperand, Operand32, Operand64};
use crate::value::cmp64;
use simt_ir::{CompareOp, pointer};

/// The pointer of an address all of whose parts are uniform.
#[inline(always)]
pub(crate) fn uniform_address(u: &UniformValues, address: &AddressOperand) -> Option<u64> {
    let Operand64::Uniform(base) = address.base else { return None };
    let index = match address.index {
        None => 0,
        Some(IndexOperand::Signed32(Operand32::Uniform(slot))) => u[slot] as i32 as i64 as u64,
        Some(IndexOperand::Unsigned32(Operand32::Uniform(slot))) => u64::from(u[slot] as u32),
        Some(IndexOperand::Wide(Operand64::Uniform(slot))) => u[slot],
        Some(IndexOperand::Signed32(_) | IndexOperand::Unsigned32(_) | IndexOperand::Wide(_)) => return None,
    };
    Some(pointer::add(u[base], index.wrapping_mul(address.scale).wrapping_add(address.offset)))
}

/// Writes a pointer whose uniform part and affine vector stay apart; whether they do: an index that a lane extends must not wrap around.
#[inline(always)]
pub(crate) fn put_pointer(
    r: &mut Regs,
    vectors: &AffineVectors,
    dst: Operand64,
    address: &AddressOperand,
    mask: u32,
) -> bool {
    let (Some(base), Some(slot)) = (address.base.uniform(), dst.uniform()) else { return false };
    let index = match address.index {
        None => Some(0),
        Some(IndexOperand::Signed32(index)) => extended_part(&r.u, vectors, index, true),
        Some(IndexOperand::Unsigned32(index)) => extended_part(&r.u, vectors, index, false),
        Some(IndexOperand::Wide(index)) => index.uniform().map(|slot| r.u[slot]),
    };
    if let Some(index) = index {
        let bytes = index.wrapping_mul(address.scale).wrapping_add(address.offset);
        r.u[slot] = pointer::add(r.u[base], bytes);
        return true;
    }
    let pointers = address_lanes_in(r, address);
    put_if_affine(r, dst, &pointers, mask)
}

/// Writes an affine value that is extended to 64 bits; whether it stays affine.
#[inline(always)]
pub(crate) fn put_extended(
    r: &mut Regs,
    vectors: &AffineVectors,
    dst: Operand64,
    (src, signed): (Operand32, bool),
    mask: u32,
) -> bool {
    let Some(slot) = dst.uniform() else { return false };
    if let Some(part) = extended_part(&r.u, vectors, src, signed) {
        r.u[slot] = part;
        return true;
    }
    let index = if signed { IndexOperand::Signed32(src) } else { IndexOperand::Unsigned32(src) };
    let values = index_lanes(r, index);
    put_if_affine(r, dst, &values, mask)
}

/// The uniform part of an affine value, extended to 64 bits; `None` if some lane perhaps wraps around.
#[inline(always)]
pub(crate) fn extended_part(
    u: &UniformValues,
    vectors: &AffineVectors,
    src: Operand32,
    signed: bool,
) -> Option<u64> {
    let part = u[src.uniform()?] as u32;
    let [least, greatest] = vectors.range(src.vector()?);
    let (part, [lowest, highest]) = match signed {
        true => (i64::from(part as i32), [i64::from(i32::MIN), i64::from(i32::MAX)]),
        false => (i64::from(part), [0, i64::from(u32::MAX)]),
    };
    (part + least >= lowest && part + greatest <= highest).then_some(part as u64)
}

/// What a comparison gives for all lanes, if it is clear from what they share.
#[inline(always)]
pub(crate) fn compare_parts(
    u: &UniformValues,
    vectors: &AffineVectors,
    op: CompareOp,
    [a, b]: [Operand64; 2],
) -> Option<bool> {
    let [x, y] = [range_of(u, vectors, a)?, range_of(u, vectors, b)?];
    if a.vector() == b.vector() {
        // Nothing wraps around, so numbers are in the order of their uniform parts.
        return Some(cmp64(op, false, x[0], y[0]));
    }
    let (below, above) = (x[1] < y[0], x[0] > y[1]);
    match op {
        CompareOp::Eq | CompareOp::Ne if below || above => Some(op == CompareOp::Ne),
        CompareOp::LtS | CompareOp::LtU | CompareOp::LeS | CompareOp::LeU if below => Some(true),
        CompareOp::LtS | CompareOp::LtU | CompareOp::LeS | CompareOp::LeU if above => Some(false),
        _ => None,
    }
}

/// The same of 32-bit integers.
#[inline(always)]
pub(crate) fn compare_parts32(
    u: &UniformValues,
    vectors: &AffineVectors,
    op: CompareOp,
    [a, b]: [Operand32; 2],
) -> Option<bool> {
    let is_signed = matches!(op, CompareOp::LtS | CompareOp::LeS);
    let range = |operand: Operand32| {
        let part = u[operand.uniform()?] as u32;
        let ([least, greatest], [lowest, highest]) = match is_signed {
            true => (vectors.range(operand.vector()?), [i64::from(i32::MIN), i64::from(i32::MAX)]),
            false => (vectors.range(operand.vector()?), [0, i64::from(u32::MAX)]),
        };
        let part = if is_signed { i64::from(part as i32) } else { i64::from(part) };
        (part + least >= lowest && part + greatest <= highest).then_some([part + least, part + greatest])
    };
    let [x, y] = [range(a)?, range(b)?];
    if a.vector() == b.vector() {
        // Nothing wraps around, so numbers are in the order of their uniform parts.
        return Some(cmp64(op, false, x[0] as u64, y[0] as u64));
    }
    match op {
        CompareOp::Eq | CompareOp::Ne if x[1] < y[0] || x[0] > y[1] => Some(op == CompareOp::Ne),
        CompareOp::LtS | CompareOp::LtU if x[1] < y[0] => Some(true),
        CompareOp::LtS | CompareOp::LtU if x[0] >= y[1] => Some(false),
        CompareOp::LeS | CompareOp::LeU if x[1] <= y[0] => Some(true),
        CompareOp::LeS | CompareOp::LeU if x[0] > y[1] => Some(false),
        _ => None,
    }
}

/// The least and the greatest value of an operand in any lane, if none wraps around or is negative.
#[inline(always)]
fn range_of(u: &UniformValues, vectors: &AffineVectors, operand: Operand64) -> Option<[u64; 2]> {
    let part = u[operand.uniform()?];
    let [least, greatest] = vectors.range(operand.vector()?);
    let from = match operand {
        Operand64::Pointer(..) => pointer::offset(part) as i64,
        _ => i64::try_from(part).ok()?,
    };
    let fits = match operand {
        Operand64::Pointer(..) => {
            part >> 63 == 0 && from + least >= 0 && from + greatest <= pointer::OFFSET_MASK as i64
        }
        _ => from + least >= 0 && from.checked_add(greatest).is_some(),
    };
    fits.then(|| [least, greatest].map(|by| part.wrapping_add(by as u64)))
}

/// Writes values to an affine destination if they are such a value in all active lanes; whether they are.
#[cold]
fn put_if_affine(r: &mut Regs, dst: Operand64, values: &Lanes<u64>, mask: u32) -> bool {
    r.put64(dst, values, mask);
    lanes(mask).all(|lane| r.at64(dst, lane) == values.0[lane])
}

/// The index of an address as a 64-bit count, for each lane.
#[inline(always)]
fn index_lanes(r: &impl WarpRegs, index: IndexOperand) -> Lanes<u64> {
    let (index, signed) = match index {
        IndexOperand::Wide(index) => return r.lanes64(index),
        IndexOperand::Signed32(index) => (index, true),
        IndexOperand::Unsigned32(index) => (index, false),
    };
    let (narrow, mut out) = (r.lanes32(index), Lanes([0; 32]));
    for i in 0..32 {
        let index = narrow.0[i];
        out.0[i] = if signed { index as i32 as i64 as u64 } else { u64::from(index) };
    }
    out
}

per_isa! {
    /// An index as 32-bit numbers of its sign; of a 64-bit index only if each active lane's fits a signed one.
    pub(crate) fn narrow_index(_isa; r: &Regs, index: IndexOperand, mask: u32) -> Option<Lanes<u32>> {
        narrow_index_in(r, index, mask)
    }
}

#[inline(always)]
fn narrow_index_in(r: &Regs, index: IndexOperand, mask: u32) -> Option<Lanes<u32>> {
    let mut out = Lanes([0; 32]);
    match index {
        IndexOperand::Wide(index) => {
            let (wide, mut differ) = (r.lanes64(index), 0);
            for i in 0..32 {
                out.0[i] = wide.0[i] as u32;
                let is_active = u64::from(mask >> i & 1).wrapping_neg();
                differ |= (wide.0[i] ^ wide.0[i] as i32 as i64 as u64) & is_active;
            }
            (differ == 0).then_some(out)
        }
        IndexOperand::Signed32(index) | IndexOperand::Unsigned32(index) => Some(r.lanes32(index)),
    }
}

per_isa! {
    /// The lanes whose pointers have a tag.
    pub(crate) fn lanes_with_tag(_isa; pointers: &Lanes<u64>, tag: u64) -> u32 {
        let mut same = [0u32; 32];
        for i in 0..32 {
            same[i] = u32::from(pointers.0[i] & !pointer::OFFSET_MASK == tag) << i;
        }
        same.iter().fold(0, |lanes, lane| lanes | lane)
    }
}

per_isa! {
    /// The pointers of an address, for each lane.
    pub(crate) fn address_lanes(_isa; r: &Regs, address: &AddressOperand) -> Lanes<u64> {
        address_lanes_in(r, address)
    }
}

#[inline(always)]
pub(crate) fn address_lanes_in(r: &impl WarpRegs, address: &AddressOperand) -> Lanes<u64> {
    let mut out = r.lanes64(address.base);
    match address.index {
        None => {
            for p in &mut out.0 {
                *p = pointer::add(*p, address.offset);
            }
        }
        Some(index) => {
            let index = index_lanes(r, index);
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
