//! Accesses to shared memory of known shape whose epochs are not updated yet, as long as no other access asks for them.
//!
//! Between two barriers most kernels either only write shared memory, each word once, or only read it. Neither can be a
//! race, and no later access asks which thread it was, because the next barrier orders all. So such accesses are only noted here. The first
//! access that is unusual updates the epochs for all before it, and from then on until the next barrier each access updates its own.

use crate::index_vec::VecIndex;
use crate::machine::observer::{GroupLoad, GroupStore};
use crate::machine::warp::access::shape::{CoalescingShape, MaskWord, ShapeId};
use crate::plan::{GroupId, Plan};
use std::sync::Arc;

/// Accesses that are deferred at most.
const MAX_DEFERRED: usize = 4096;

/// What is deferred, and what is known of it.
#[derive(Default)]
pub(crate) struct DeferredAccesses {
    /// Groups of loads, or stores; never both.
    groups: Vec<DeferredGroup>,
    stores: Vec<DeferredStore>,
    /// Whether an access since the last barrier has updated cells.
    pub(crate) updated: bool,
    /// A bit for each word that was written since the last barrier, while there are `stores`.
    fresh: Vec<u64>,
    /// The shapes of what is deferred, by index.
    shapes: Vec<Option<Arc<CoalescingShape>>>,
}

/// A store.
struct DeferredStore {
    shape: ShapeId,
    /// First word.
    first: u32,
    warp: u32,
    tick: u32,
}

/// A group of loads.
struct DeferredGroup {
    shape: ShapeId,
    group: GroupId,
    start: i64,
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
        if !self.stores.is_empty() {
            self.fresh.fill(0);
        }
        self.updated = false;
        self.groups.clear();
        self.stores.clear();
    }

    /// Whether nothing is deferred.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.stores.is_empty()
    }

    /// Defers loads of words written before the last barrier; false if they are not such loads.
    #[inline(always)]
    pub(crate) fn loads(&mut self, written: &[u64], time: u32, load: &GroupLoad) -> bool {
        if !self.stores.is_empty() || self.updated || self.groups.len() == MAX_DEFERRED {
            return false;
        }
        let mut firsts = load.group.members.iter().map(|member| (load.start + member.distance) as usize / 4);
        if !firsts.all(|first| has_all(written, load.shape, first)) {
            return false;
        }
        self.keep(load.shape, load.shape_id);
        let (shape, group, start, warp) = (load.shape_id, load.id, load.start, load.warp);
        self.groups.push(DeferredGroup { shape, group, start, warp, tick: time });
        true
    }

    /// Defers a store of disjoint words that no thread has touched since the last barrier, and notes that they are written; false if it is not
    /// such a store.
    #[inline(always)]
    pub(crate) fn store(&mut self, written: &mut [u64], time: u32, store: &GroupStore) -> bool {
        if self.updated || self.has_loads() || self.stores.len() == MAX_DEFERRED {
            return false;
        }
        let warp = store.warp;
        let (shape, first) = (&**store.shape, store.start as usize / 4);
        if has_any(&self.fresh, shape, first) {
            return false;
        }
        set_all(&mut self.fresh, shape, first);
        set_all(written, shape, first);
        self.keep(store.shape, store.shape_id);
        let shape = store.shape_id;
        self.stores.push(DeferredStore { shape, first: first as u32, warp, tick: time });
        true
    }

    /// Whether loads are deferred.
    #[inline(always)]
    fn has_loads(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Gives all that was deferred, in any order, and forgets it.
    #[cold]
    pub(crate) fn take_all(&mut self, plan: &Plan, mut f: impl FnMut(DeferredEvent)) {
        for DeferredGroup { shape, group, start, warp, tick } in self.groups.drain(..) {
            let Some(shape) = &self.shapes[shape.index()] else { continue };
            for member in &plan.groups[group].members {
                let start = (start + member.distance) as u32;
                f(DeferredEvent { shape, start, warp, time: tick, stores: false });
            }
        }
        if !self.stores.is_empty() {
            self.fresh.fill(0);
        }
        for DeferredStore { shape, first, warp, tick, .. } in self.stores.drain(..) {
            let Some(shape) = &self.shapes[shape.index()] else { continue };
            f(DeferredEvent { shape, start: first * 4, warp, time: tick, stores: true });
        }
    }

    /// Keeps a shape that an entry names.
    #[inline(always)]
    fn keep(&mut self, shape: &Arc<CoalescingShape>, id: ShapeId) {
        if !matches!(self.shapes.get(id.index()), Some(Some(_))) {
            self.remember(shape, id);
        }
    }

    #[cold]
    fn remember(&mut self, shape: &Arc<CoalescingShape>, id: ShapeId) {
        let size = self.shapes.len().max(id.index() + 1);
        self.shapes.resize(size, None);
        self.shapes[id.index()] = Some(shape.clone());
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
