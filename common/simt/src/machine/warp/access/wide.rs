//! Accesses of known shape to values of 64 bits: neighbours as the rows of words that they are, others value by value.

use crate::machine::event::LanePattern;
use crate::machine::mask::first;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::Lanes;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The words of 64-bit values, as memory has them.
#[inline(always)]
fn words_of(values: &Lanes<u64>) -> [Lanes<u32>; 2] {
    let mut rows = [Lanes([0; 32]); 2];
    for (row, values) in rows.iter_mut().zip(values.0.as_chunks::<16>().0) {
        for (i, value) in values.iter().enumerate() {
            (row.0[2 * i], row.0[2 * i + 1]) = (*value as u32, (*value >> 32) as u32);
        }
    }
    rows
}

/// A value of 64 bits, by its low and its high word.
#[inline(always)]
fn wide_value(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Whether each lane's value of 64 bits follows that of the lane before.
#[inline(always)]
fn is_wide_row(shape: &CoalescingShape) -> bool {
    shape.pattern == LanePattern::Contiguous && shape.bytes == 8
}

/// Each lane's value of 64 bits of an access of known shape that begins with `words`.
#[inline(always)]
pub(crate) fn gather_wide(words: &[u32], shape: &CoalescingShape) -> Option<Lanes<u64>> {
    let mut out = Lanes([0; 32]);
    if is_wide_row(shape) {
        for (out, [low, high]) in out.0.iter_mut().zip(words.first_chunk::<64>()?.as_chunks().0) {
            *out = wide_value(*low, *high);
        }
        return Some(out);
    }
    for (out, word) in out.0.iter_mut().zip(&shape.words.by_lane().0) {
        let [low, high] = *words.get(*word as usize..)?.first_chunk()?;
        *out = wide_value(low, high);
    }
    Some(out)
}

/// The same where other threads of the host may write meanwhile.
#[inline(always)]
pub(crate) fn gather_wide_relaxed(words: &[AtomicU32], shape: &CoalescingShape) -> Option<Lanes<u64>> {
    let mut out = Lanes([0; 32]);
    for (out, word) in out.0.iter_mut().zip(&shape.words.by_lane().0) {
        let [low, high]: &[AtomicU32; 2] = words.get(*word as usize..)?.first_chunk()?;
        *out = wide_value(low.load(Relaxed), high.load(Relaxed));
    }
    Some(out)
}

/// Writes 64 bits for each lane of `mask`, all of which the shape has.
#[inline(always)]
pub(crate) fn scatter_wide(words: &mut [u32], shape: &CoalescingShape, values: &Lanes<u64>, mask: u32) {
    if is_wide_row(shape) && mask == u32::MAX {
        let rows = words_of(values);
        words[..32].copy_from_slice(&rows[0].0);
        words[32..64].copy_from_slice(&rows[1].0);
        return;
    }
    let mut rest = mask;
    while rest != 0 {
        let lane = first(rest);
        rest &= rest - 1;
        let word = shape.words.by_lane().0[lane] as usize;
        words[word..word + 2].copy_from_slice(&[values.0[lane] as u32, (values.0[lane] >> 32) as u32]);
    }
}

/// The same where other threads of the host may write, too.
#[inline(always)]
pub(crate) fn scatter_wide_relaxed<V: Vectors>(
    simd: V,
    words: &[AtomicU32],
    shape: &CoalescingShape,
    values: &Lanes<u64>,
    mask: u32,
) {
    if is_wide_row(shape)
        && mask == u32::MAX
        && let [low, high, ..] = words.as_chunks().0
    {
        let rows = words_of(values);
        simd.store_relaxed(low, simd.load(&rows[0]));
        simd.store_relaxed(high, simd.load(&rows[1]));
        return;
    }
    let mut rest = mask;
    while rest != 0 {
        let lane = first(rest);
        rest &= rest - 1;
        let word = shape.words.by_lane().0[lane] as usize;
        words[word].store(values.0[lane] as u32, Relaxed);
        words[word + 1].store((values.0[lane] >> 32) as u32, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Portable;
    use crate::launch::MemoryRules;
    use crate::machine::warp::access::shape::ShapeId;
    use proptest::prelude::*;

    /// Which of 100 values each lane has, no two the same: neighbours from one on, every so many, or any.
    fn places() -> impl Strategy<Value = [u32; 32]> {
        let all: Vec<u32> = (0..100).collect();
        let step =
            (1..3u32, 0..30u32).prop_map(|(step, from)| std::array::from_fn(|i| from + step * i as u32));
        let any = Just(all).prop_shuffle().prop_map(|all| std::array::from_fn(|i| all[i]));
        prop_oneof![step, any]
    }

    /// The place where the lowest lane's value is, and the shape from there on.
    fn shape(places: &[u32; 32], mask: u32) -> (usize, CoalescingShape) {
        let is_active = |i: &usize| mask >> i & 1 == 1;
        let lead = (0..32).filter(is_active).map(|i| places[i]).min().unwrap();
        let offset = |i: usize| if is_active(&i) { (places[i] - lead) * 8 } else { 0 };
        let shape = CoalescingShape::new(
            ShapeId(0),
            Lanes(std::array::from_fn(offset)),
            mask,
            8,
            MemoryRules::Modern,
        );
        (lead as usize, shape)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn each_lane_has_its_value(
            places in places(),
            mask in prop_oneof![Just(u32::MAX), 1..=u32::MAX],
            values: [u64; 32],
            before in prop::collection::vec(any::<u64>(), 100),
        ) {
            let (lead, shape) = shape(&places, mask);
            let words_of_all = |values: &[u64]| -> Vec<u32> {
                values.iter().flat_map(|value| [*value as u32, (*value >> 32) as u32]).collect()
            };
            let active: Vec<usize> = (0..32).filter(|i| mask >> i & 1 == 1).collect();
            let words = words_of_all(&before);
            let relaxed: Vec<AtomicU32> = words.iter().map(|word| AtomicU32::new(*word)).collect();
            let loaded = [
                gather_wide(&words[2 * lead..], &shape).unwrap(),
                gather_wide_relaxed(&relaxed[2 * lead..], &shape).unwrap(),
            ];
            for lane in &active {
                let expected = before[places[*lane] as usize];
                prop_assert_eq!(loaded.each_ref().map(|loaded| loaded.0[*lane]), [expected; 2]);
            }
            let mut after = before;
            for lane in &active {
                after[places[*lane] as usize] = values[*lane];
            }
            let mut stored = words;
            scatter_wide(&mut stored[2 * lead..], &shape, &Lanes(values), mask);
            prop_assert_eq!(&stored, &words_of_all(&after));
            scatter_wide_relaxed(Portable, &relaxed[2 * lead..], &shape, &Lanes(values), mask);
            let stored: Vec<u32> = relaxed.into_iter().map(AtomicU32::into_inner).collect();
            prop_assert_eq!(stored, words_of_all(&after));
        }

        /// Not if not all words are there.
        #[test]
        fn what_is_not_there_is_not_loaded(places in places(), mask in 1..=u32::MAX, missing in 1..4usize) {
            let (_, shape) = shape(&places, mask);
            let words = vec![0; (shape.span as usize).saturating_sub(missing)];
            let relaxed: Vec<AtomicU32> = words.iter().map(|word| AtomicU32::new(*word)).collect();
            prop_assert!(gather_wide(&words, &shape).is_none());
            prop_assert!(gather_wide_relaxed(&relaxed, &shape).is_none());
        }
    }
}
