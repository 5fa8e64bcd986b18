//! The words of an allocation, as loads and stores that are resolved reach them.

use crate::machine::context::{BufferView, Machine};
use crate::machine::event::LanePattern;
use crate::machine::mask::first;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::Lanes;
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Words to read, which other threads of the host may write or not.
#[derive(Clone, Copy)]
pub(crate) enum Words<'a> {
    Fixed(&'a [u32]),
    /// And whether it has to be noted who reads them.
    Relaxed(&'a [AtomicU32], bool),
}

impl Words<'_> {
    /// One word.
    #[inline(always)]
    pub(crate) fn get(self, number: usize) -> Option<u32> {
        match self {
            Words::Fixed(words) => words.get(number).copied(),
            Words::Relaxed(words, _) => words.get(number).map(|word| word.load(Relaxed)),
        }
    }

    /// Neighbours, one per lane, from this word on; `None`, as below, if not all are there.
    #[inline(always)]
    pub(crate) fn row<V: Vectors>(self, simd: V, from: usize) -> Option<V::Vector> {
        self.halves(simd, [from, from + 16])
    }

    /// Neighbours in each half of the lanes, from these words on.
    #[inline(always)]
    pub(crate) fn halves<V: Vectors>(self, simd: V, from: [usize; 2]) -> Option<V::Vector> {
        match self {
            Words::Fixed(words) => {
                Some(simd.load_halves(half_row(words, from[0])?, half_row(words, from[1])?))
            }
            Words::Relaxed(words, _) => {
                Some(simd.load_halves_relaxed(half_row(words, from[0])?, half_row(words, from[1])?))
            }
        }
    }

    /// Each lane's word, or the first of its words, of an access of known shape that begins with this word.
    #[inline(always)]
    pub(crate) fn gather<V: Vectors>(
        self,
        simd: V,
        from: usize,
        shape: &CoalescingShape,
    ) -> Option<V::Vector> {
        match self {
            Words::Fixed(words) => simd.gather(words.get(from..)?, shape),
            words if shape.is_row() => words.row(simd, from),
            words if shape.pattern == LanePattern::Uniform => Some(simd.splat(words.get(from)?)),
            Words::Relaxed(words, _) => simd.gather_bytes_relaxed(words.get(from..)?, &shape.offsets.0),
        }
    }

    /// The words that hold these bytes.
    #[inline(always)]
    pub(crate) fn gather_bytes<V: Vectors>(self, simd: V, bytes: &[u32; 32]) -> Option<V::Vector> {
        match self {
            Words::Fixed(words) => simd.gather_bytes(words, bytes),
            Words::Relaxed(words, _) => simd.gather_bytes_relaxed(words, bytes),
        }
    }
}

#[inline(always)]
fn half_row<T>(words: &[T], first: usize) -> Option<&[T; 16]> {
    words.get(first..)?.first_chunk()
}

/// Words to write: the block's own, or such as other threads of the host may write, too.
pub(crate) enum WordsMut<'a> {
    Own(&'a mut [u32]),
    Relaxed(&'a [AtomicU32]),
}

impl WordsMut<'_> {
    /// Writes neighbours, one per lane, from this word on; all are there.
    #[inline(always)]
    pub(crate) fn put_row<V: Vectors>(&mut self, simd: V, from: usize, row: &[u32; 32]) {
        self.put_halves(simd, [from, from + 16], row);
    }

    /// Writes neighbours in each half of the lanes, from these words on.
    #[inline(always)]
    pub(crate) fn put_halves<V: Vectors>(&mut self, simd: V, [low, high]: [usize; 2], row: &[u32; 32]) {
        match self {
            WordsMut::Own(words) => {
                words[low..low + 16].copy_from_slice(&row[..16]);
                words[high..high + 16].copy_from_slice(&row[16..]);
            }
            WordsMut::Relaxed(words) => {
                if let (Some(low), Some(high)) = (half_row(words, low), half_row(words, high)) {
                    simd.store_halves_relaxed(low, high, simd.load_row(row));
                }
            }
        }
    }

    /// Writes the words of each lane of `mask`, from its first on.
    #[inline(always)]
    pub(crate) fn put_each<const N: usize>(
        &mut self,
        mask: u32,
        from: impl Fn(usize) -> usize,
        values: impl Fn(usize) -> [u32; N],
    ) {
        let mut rest = mask;
        match self {
            WordsMut::Own(words) => {
                while rest != 0 {
                    let (word, values) = (from(first(rest)), values(first(rest)));
                    rest &= rest - 1;
                    words[word..word + N].copy_from_slice(&values);
                }
            }
            WordsMut::Relaxed(words) => {
                while rest != 0 {
                    let (word, values) = (from(first(rest)), values(first(rest)));
                    rest &= rest - 1;
                    for i in 0..N {
                        words[word + i].store(values[i], Relaxed);
                    }
                }
            }
        }
    }

    /// Writes the lanes of `mask`, all of which the shape has, that begins with this word.
    #[inline(always)]
    pub(crate) fn scatter<V: Vectors>(
        &mut self,
        simd: V,
        from: usize,
        shape: &CoalescingShape,
        values: &Lanes<u32>,
        mask: u32,
    ) {
        if shape.is_row() && mask == u32::MAX {
            return self.put_row(simd, from, &values.0);
        }
        let word = |lane: usize| from + shape.words.by_lane().0[lane] as usize;
        self.put_each(mask, word, |lane| [values.0[lane]]);
    }
}

/// The words that a load reads; `None` if they are for the slow path.
#[inline(always)]
pub(crate) fn readable<'w>(
    machine: &'w Machine,
    checks: bool,
    shared: &'w [u32],
    (space, allocation): (Space, u32),
) -> Option<Words<'w>> {
    match space {
        Space::Shared => Some(Words::Fixed(shared)),
        Space::Constant => machine.constant_words(allocation).map(Words::Fixed),
        Space::Global => match &machine.buffers[allocation as usize] {
            BufferView::ReadOnly { unwritten: Some(_), .. } if checks => None,
            BufferView::ReadOnly { words, .. } => Some(Words::Fixed(words)),
            BufferView::Written(view) if view.unwritten.is_some() && checks => None,
            BufferView::Written(view) => Some(Words::Relaxed(view.words, view.owners.reads())),
            BufferView::Freed => None,
        },
        Space::Local | Space::None => None,
    }
}

/// The words to which a store writes; `None` if they are for the slow path.
#[inline(always)]
pub(crate) fn writable<'w>(
    machine: &'w Machine,
    shared: &'w mut [u32],
    (space, allocation): (Space, u32),
) -> Option<WordsMut<'w>> {
    match space {
        Space::Shared => Some(WordsMut::Own(shared)),
        Space::Global => match &machine.buffers[allocation as usize] {
            BufferView::Written(view) => Some(WordsMut::Relaxed(view.words)),
            BufferView::ReadOnly { .. } | BufferView::Freed => None,
        },
        Space::Constant | Space::Local | Space::None => None,
    }
}
