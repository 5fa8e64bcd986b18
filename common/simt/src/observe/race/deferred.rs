//! Accesses to shared memory of known shape whose epochs are not updated yet, as long as no other access asks for them.
//!
//! Between two barriers most kernels either only write shared memory, each word once, or only read it. Neither can be a
//! race, and no later access asks which thread it was, because the next barrier orders all. So such accesses are only noted here. The first
//! access that is unusual updates the epochs for all before it, and from then on until the next barrier each access updates its own.

use crate::fault::AccessKind;
use crate::index_vec::VecIndex;
use crate::machine::observer::AffineAccess;
use crate::machine::warp::access::shape::{CoalescingShape, MaskWord, ShapeId};
use std::sync::Arc;

/// Accesses that are deferred at most.
const MAX_DEFERRED: usize = 4096;

/// What is deferred, and what is known of it.
#[derive(Default)]
pub(crate) struct DeferredAccesses {
    entries: Vec<DeferredEntry>,
    /// Whether they are stores; else all of them are loads.
    are_stores: bool,
    /// Whether an access since the last barrier has updated cells.
    pub(crate) updated: bool,
    /// A bit for each word that was written since the last barrier, while there are stores.
    fresh: Vec<u64>,
    /// The shapes of what is deferred, by number.
    shapes: Vec<Option<Arc<CoalescingShape>>>,
}

/// An access, as it is kept.
struct DeferredEntry {
    shape: ShapeId,
    /// The byte where it begins.
    start: u32,
    warp: u32,
    tick: u32,
}

/// An access that was deferred.
pub(crate) struct DeferredEvent<'a> {
    pub(crate) shape: &'a CoalescingShape,
    /// The byte where it begins.
    pub(crate) start: u32,
    pub(crate) warp: u32,
    /// When it was, as it was told.
    pub(crate) time: u32,
    pub(crate) stores: bool,
}

impl DeferredAccesses {
    /// A block begins, with that many words of shared memory.
    pub(crate) fn begin(&mut self, words: usize) {
        self.barrier();
        self.fresh.clear();
        self.fresh.resize(words.div_ceil(64) + 1, 0);
    }

    /// All warps leave a barrier: no later access needs what is deferred.
    pub(crate) fn barrier(&mut self) {
        self.forget();
        self.updated = false;
    }

    fn forget(&mut self) {
        if self.are_stores && !self.entries.is_empty() {
            self.fresh.fill(0);
        }
        self.entries.clear();
    }

    /// Whether nothing is deferred.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Defers a load of words written before the last barrier, or a store of disjoint words that no thread has touched since then, which are
    /// noted as `written`; false if it is neither.
    #[inline(always)]
    pub(crate) fn defer(
        &mut self,
        written: &mut [u64],
        time: u32,
        access: &AffineAccess,
        kind: AccessKind,
    ) -> bool {
        let is_store = kind == AccessKind::Store;
        let is_other = self.are_stores != is_store && !self.entries.is_empty();
        if self.updated || is_other || self.entries.len() == MAX_DEFERRED {
            return false;
        }
        let AffineAccess { at, shape, start, .. } = *access;
        let first = start as usize / 4;
        if is_store {
            if has_any(&self.fresh, shape, first) {
                return false;
            }
            set_all(&mut self.fresh, shape, first);
            set_all(written, shape, first);
        } else if !has_all(written, shape, first) {
            return false;
        }
        if !matches!(self.shapes.get(shape.id.index()), Some(Some(_))) {
            self.remember(shape);
        }
        self.are_stores = is_store;
        self.entries.push(DeferredEntry { shape: shape.id, start, warp: at.warp, tick: time });
        true
    }

    /// Gives all that was deferred, in any order, and forgets it.
    #[cold]
    pub(crate) fn take_all(&mut self, mut f: impl FnMut(DeferredEvent)) {
        for DeferredEntry { shape, start, warp, tick } in &self.entries {
            let Some(shape) = &self.shapes[shape.index()] else { continue };
            f(DeferredEvent { shape, start: *start, warp: *warp, time: *tick, stores: self.are_stores });
        }
        self.forget();
    }

    #[cold]
    fn remember(&mut self, shape: &Arc<CoalescingShape>) {
        let size = self.shapes.len().max(shape.id.index() + 1);
        self.shapes.resize(size, None);
        self.shapes[shape.id.index()] = Some(shape.clone());
    }
}

/// The 64 bits from bit `first` on.
#[inline(always)]
fn bits_at(bits: &[u64], first: usize) -> Option<u64> {
    let (word, shift) = (first / 64, first % 64);
    let &[low, high] = bits.get(word..word + 2)? else { return None };
    Some(low >> shift | (high << 1) << (63 - shift))
}

/// The bits beside the mask of those that a shape which begins at word `first` has; `None` if it goes beyond them.
#[inline(always)]
fn masks(bits: &[u64], shape: &CoalescingShape, first: usize) -> Option<impl Iterator<Item = (u64, u64)>> {
    let masks = shape.masks(first);
    let bits = bits.get(first / 64..)?.get(..masks.last()?.index as usize + 1)?;
    Some(masks.iter().map(|mask| (bits[mask.index as usize], mask.bits)))
}

/// Whether all words of a shape that begins at word `first` have their bits.
#[inline(always)]
fn has_all(bits: &[u64], shape: &CoalescingShape, first: usize) -> bool {
    match shape.window {
        Some(window) => bits_at(bits, first).is_some_and(|found| found & window == window),
        None => {
            masks(bits, shape, first).is_some_and(|mut found| found.all(|(bits, mask)| bits & mask == mask))
        }
    }
}

/// Whether any word has.
#[inline(always)]
pub(crate) fn has_any(bits: &[u64], shape: &CoalescingShape, first: usize) -> bool {
    match shape.window {
        Some(window) => bits_at(bits, first).is_none_or(|found| found & window != 0),
        None => masks(bits, shape, first).is_none_or(|mut found| found.any(|(bits, mask)| bits & mask != 0)),
    }
}

/// Sets them. The bits go at least 64 beyond the last word.
#[inline(always)]
fn set_all(bits: &mut [u64], shape: &CoalescingShape, first: usize) {
    match shape.window {
        Some(window) => {
            let (word, shift) = (first / 64, first % 64);
            if let Some([low, high]) = bits.get_mut(word..word + 2) {
                *low |= window << shift;
                *high |= window >> 1 >> (63 - shift);
            }
        }
        None => {
            for MaskWord { index, bits: mask } in shape.masks(first) {
                if let Some(bits) = bits.get_mut(first / 64 + *index as usize) {
                    *bits |= mask;
                }
            }
        }
    }
}
