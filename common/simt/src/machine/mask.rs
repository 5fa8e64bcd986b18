//! Sets of a warp's lanes as bit masks: bit `i` stands for lane `i`.

use crate::plan::MaskOp;

/// The lanes of a mask, in ascending order.
#[inline(always)]
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// The lowest lane of a mask that is not empty.
#[inline(always)]
pub(crate) fn first(mask: u32) -> usize {
    (mask.trailing_zeros() & 31) as usize
}

/// The highest lane of a mask that is not empty.
#[inline(always)]
pub(crate) fn last(mask: u32) -> usize {
    (mask.leading_zeros() & 31) as usize ^ 31
}

/// The lanes of a mask for which `holds`.
#[inline(always)]
pub(crate) fn lanes_where(mask: u32, holds: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).filter(|lane| holds(*lane)).fold(0, |found, lane| found | 1 << lane)
}

/// Whether lanes are active in a way that a kernel's indices give again and again: the first of the warp, a few rows of neighbours, or
/// every so many. What data decide is seldom so.
pub(crate) fn is_recurrent(mask: u32) -> bool {
    let rows = (mask & !(mask << 1)).count_ones();
    rows <= 4 && mask.count_ones() >= 8 || is_of_indices(mask)
}

/// Whether it is certain enough that data did not choose these lanes: the first of the warp, or every so many.
pub(crate) fn is_of_indices(mask: u32) -> bool {
    let is_start = mask & mask.wrapping_add(1) == 0;
    is_start || [2, 4, 8, 16].into_iter().any(|period| mask == mask.rotate_left(period))
}

/// What an operation on masks gives.
#[inline(always)]
pub(crate) fn mask_op(op: MaskOp, a: u32, b: u32, c: u32) -> u32 {
    match op {
        MaskOp::Copy => a,
        MaskOp::Not => !a,
        MaskOp::And => a & b,
        MaskOp::Or => a | b,
        MaskOp::Xor => a ^ b,
        MaskOp::Equal => !(a ^ b),
        MaskOp::Select => (a & b) | (!a & c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_indices_recur_and_those_of_data_do_not() {
        let of_indices =
            [u32::MAX, 1, 0xff, 0x7fff_ffff, 0xffff_fffe, 0x7ffe_7ffe, 0x7e7e_7e7e, 0x5555_5555, 0x0001_0001];
        let of_data = [0x8000_0000, 0x0300_0010, 0x1234_5678, 0xdead_beef, 0xfdfb_7fbf];
        assert!(of_indices.into_iter().all(is_recurrent));
        assert!(!of_data.into_iter().any(is_recurrent));
    }
}
