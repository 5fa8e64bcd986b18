//! The words of an allocation, as loads and stores that are resolved reach them.

use crate::machine::context::{BufferView, Machine};
use crate::machine::event::LanePattern;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::wide::{gather_wide, gather_wide_relaxed};
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
        match self {
            Words::Fixed(words) => Some(simd.load_row(words.get(from..)?.first_chunk()?)),
            Words::Relaxed(words, _) => Some(simd.load_relaxed(words.get(from..)?.first_chunk()?)),
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

    /// Each lane's value of 64 bits.
    #[inline(always)]
    pub(crate) fn gather_wide(self, from: usize, shape: &CoalescingShape) -> Option<Lanes<u64>> {
        match self {
            Words::Fixed(words) => gather_wide(words.get(from..)?, shape),
            Words::Relaxed(words, _) => gather_wide_relaxed(words.get(from..)?, shape),
        }
    }
}

/// Words to write: the block's own, or such as other threads of the host may write, too.
pub(crate) enum WordsMut<'a> {
    Own(&'a mut [u32]),
    Relaxed(&'a [AtomicU32]),
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
