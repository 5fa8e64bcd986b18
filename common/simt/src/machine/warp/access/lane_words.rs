//! The words with which the lanes of an access begin: what gathers without bounds checks rely on.
//!
//! The fields are private and set by one constructor, so each invariant holds for every value of the type.

use crate::machine::warp::registers::Lanes;

/// For each lane, the word with which it begins, counted from the word with the access's first byte.
#[derive(Clone, Copy)]
pub(crate) struct LaneWords {
    /// Invariant: each is below `reach`, and below 2^30, so that it is not negative as the signed index of a gather.
    words: Lanes<u32>,
    /// Invariant: one more than the greatest of `words`, those of inactive lanes included.
    reach: u32,
    /// Invariant: if given, lane `i` begins with word `i * stride`, so `31 * stride` is below `reach`.
    stride: Option<u32>,
}

impl LaneWords {
    /// Of lanes that begin at these bytes.
    pub(crate) fn of(offsets: &Lanes<u32>) -> LaneWords {
        let words = Lanes(offsets.0.map(|offset| offset / 4));
        let stride = words.0[1];
        let is_strided = (0..).zip(&words.0).all(|(i, word)| u32::checked_mul(i, stride) == Some(*word));
        LaneWords {
            words,
            reach: words.0.iter().fold(0, |reach, word| reach.max(word + 1)),
            stride: is_strided.then_some(stride),
        }
    }

    /// The words by lane.
    #[inline(always)]
    pub(crate) fn by_lane(&self) -> &Lanes<u32> {
        &self.words
    }

    /// How many words there are from the first to the last with which a lane begins.
    #[inline(always)]
    pub(crate) fn reach(&self) -> usize {
        self.reach as usize
    }

    /// Words from each lane to the next, where the distances are equal and lane 0 begins with the first word.
    #[inline(always)]
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "only gathers of the vector units use it")
    )]
    pub(crate) fn stride(&self) -> Option<usize> {
        self.stride.map(|stride| stride as usize)
    }
}
