//! Sets of a warp's lanes as bit masks: bit `i` stands for lane `i`.

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

/// The lanes of a mask for which `holds`.
#[inline(always)]
pub(crate) fn lanes_where(mask: u32, holds: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).filter(|lane| holds(*lane)).fold(0, |found, lane| found | 1 << lane)
}
