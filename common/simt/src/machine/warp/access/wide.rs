//! Accesses of known shape to values of 64 bits: neighbours as the rows of words that they are, others value by value.

use crate::machine::event::LanePattern;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::words::{Words, WordsMut};
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::Lanes;
use std::sync::atomic::Ordering::Relaxed;

/// Values of 64 bits, by their low and their high words.
#[inline(always)]
pub(crate) fn wide_lanes<V: Vectors>(simd: V, low: V::Vector, high: V::Vector) -> Lanes<u64> {
    let ([mut first, mut second], mut out) = ([[0; 32]; 2], Lanes([0; 32]));
    simd.store(&mut first, low);
    simd.store(&mut second, high);
    for i in 0..32 {
        out.0[i] = u64::from(first[i]) | u64::from(second[i]) << 32;
    }
    out
}

/// The words of a value of 64 bits, as memory has them.
#[inline(always)]
pub(crate) fn words_of(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// Whether each lane's value of 64 bits follows that of the lane before.
#[inline(always)]
fn is_wide_row(shape: &CoalescingShape) -> bool {
    shape.pattern == LanePattern::Contiguous && shape.bytes == 8
}

impl Words<'_> {
    /// Neighbours of 64 bits, one per lane, from this word on.
    #[inline(always)]
    pub(crate) fn wide_row<V: Vectors>(self, simd: V, from: usize) -> Option<Lanes<u64>> {
        let (mut words, mut out) = ([0; 64], Lanes([0; 32]));
        for (i, row) in words.as_chunks_mut().0.iter_mut().enumerate() {
            simd.store(row, self.row(simd, from + 32 * i)?);
        }
        for (out, [low, high]) in out.0.iter_mut().zip(words.as_chunks().0) {
            *out = u64::from(*low) | u64::from(*high) << 32;
        }
        Some(out)
    }

    /// Each lane's value of 64 bits of an access of known shape that begins with this word.
    #[inline(always)]
    pub(crate) fn gather_wide<V: Vectors>(
        self,
        simd: V,
        from: usize,
        shape: &CoalescingShape,
    ) -> Option<Lanes<u64>> {
        if is_wide_row(shape) {
            return self.wide_row(simd, from);
        }
        match self {
            Words::Fixed(words) => gather_pairs(words.get(from..)?, shape, |word| *word),
            Words::Relaxed(words, _) => gather_pairs(words.get(from..)?, shape, |word| word.load(Relaxed)),
        }
    }
}

#[inline(always)]
fn gather_pairs<T>(words: &[T], shape: &CoalescingShape, get: impl Fn(&T) -> u32) -> Option<Lanes<u64>> {
    let mut out = Lanes([0; 32]);
    for (out, word) in out.0.iter_mut().zip(&shape.words.by_lane().0) {
        let [low, high] = words.get(*word as usize..)?.first_chunk()?;
        *out = u64::from(get(low)) | u64::from(get(high)) << 32;
    }
    Some(out)
}

impl WordsMut<'_> {
    /// Writes neighbours of 64 bits, one per lane, from this word on.
    #[inline(always)]
    pub(crate) fn put_wide_row<V: Vectors>(&mut self, simd: V, from: usize, values: &Lanes<u64>) {
        for (i, values) in values.0.as_chunks::<16>().0.iter().enumerate() {
            let mut row = [0; 32];
            for (words, value) in row.as_chunks_mut().0.iter_mut().zip(values) {
                *words = words_of(*value);
            }
            self.put_row(simd, from + 32 * i, &row);
        }
    }

    /// Writes 64 bits for each lane of `mask`, all of which the shape has, that begins with this word.
    #[inline(always)]
    pub(crate) fn scatter_wide<V: Vectors>(
        &mut self,
        simd: V,
        from: usize,
        shape: &CoalescingShape,
        values: &Lanes<u64>,
        mask: u32,
    ) {
        if is_wide_row(shape) && mask == u32::MAX {
            return self.put_wide_row(simd, from, values);
        }
        let word = |lane: usize| from + shape.words.by_lane().0[lane] as usize;
        self.put_each(mask, word, |lane| words_of(values.0[lane]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Portable;
    use crate::launch::MemoryRules;
    use crate::machine::warp::access::shape::ShapeId;
    use proptest::prelude::*;
    use std::sync::atomic::AtomicU32;

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
            let loaded = [Words::Fixed(&words), Words::Relaxed(&relaxed, false)]
                .map(|words| words.gather_wide(Portable, 2 * lead, &shape).unwrap());
            for lane in &active {
                let expected = before[places[*lane] as usize];
                prop_assert_eq!(loaded.each_ref().map(|loaded| loaded.0[*lane]), [expected; 2]);
            }
            let mut after = before;
            for lane in &active {
                after[places[*lane] as usize] = values[*lane];
            }
            let mut stored = words;
            WordsMut::Own(&mut stored).scatter_wide(Portable, 2 * lead, &shape, &Lanes(values), mask);
            prop_assert_eq!(&stored, &words_of_all(&after));
            WordsMut::Relaxed(&relaxed).scatter_wide(Portable, 2 * lead, &shape, &Lanes(values), mask);
            let stored: Vec<u32> = relaxed.into_iter().map(AtomicU32::into_inner).collect();
            prop_assert_eq!(stored, words_of_all(&after));
        }

        /// Not if not all words are there.
        #[test]
        fn what_is_not_there_is_not_loaded(places in places(), mask in 1..=u32::MAX, missing in 1..4usize) {
            let (_, shape) = shape(&places, mask);
            let words = vec![0; (shape.span as usize).saturating_sub(missing)];
            let relaxed: Vec<AtomicU32> = words.iter().map(|word| AtomicU32::new(*word)).collect();
            for words in [Words::Fixed(&words), Words::Relaxed(&relaxed, false)] {
                prop_assert!(words.gather_wide(Portable, 0, &shape).is_none());
            }
        }
    }
}
