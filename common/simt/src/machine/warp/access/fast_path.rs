//! The short way of loads and stores: those whose layout over the lanes is known (see `layout`), of whole words.
//!
//! It does all that the long way in `access` does, the checks and counts included, or nothing at all: whatever is unusual,
//! a fault above all, it leaves to the long way. So there is one place where faults are made. Most of it is done once for a
//! group of loads (see [`AccessGroup`]); the rest is moving words.

use crate::fault::AccessKind;
use crate::machine::context::BufferView;
use crate::machine::event::{InstSite, LanePattern};
use crate::machine::memory::owners::log::AccessLog;
use crate::machine::observer::{GlobalAccess, GroupLoad, GroupStore, Observer};
use crate::machine::warp::access::placement::{
    GroupBounds, NO_SHAPE, ResolvedGroup, bounds, is_aligned, placement_of,
};
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::{Lanes, first};
use crate::plan::{
    AccessGroup, AnyOperand, BLOCK_INDEX, GroupId, GroupIndex, Lane32, LoadId, Operand32, Pc, StoreId,
    UniformPart, UniformSlot,
};
use simt_ir::IndexKind;
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Where a group lies, if its layout is known and all of it is inside its allocation.
    #[inline(always)]
    fn resolve_group(
        &mut self,
        (group, number): (&AccessGroup, GroupId),
        mask: u32,
    ) -> Option<ResolvedGroup> {
        if self.warp.placements[number].mask != mask {
            self.find_placement(number, mask);
        }
        let placement = &self.warp.placements[number];
        if placement.shape == NO_SHAPE {
            return None;
        }
        let regs = &self.warp.regs;
        let part = match group.index {
            Some(GroupIndex { part: UniformPart::Slot(slot), kind: IndexKind::Wide }) => regs.u[slot] as i64,
            Some(GroupIndex { part: UniformPart::Slot(slot), .. }) => i64::from(regs.u[slot] as u32 as i32),
            _ => {
                let (mut part, axes) = placement.ahead;
                for (slot, factor) in BLOCK_INDEX.into_iter().zip(axes) {
                    part = part.wrapping_add(factor.wrapping_mul(regs.u[slot] as u32));
                }
                i64::from(part as i32)
            }
        };
        let at = |bounds: &GroupBounds| {
            (bounds.least <= part && part <= bounds.greatest).then(|| ResolvedGroup {
                shape: placement.shape,
                space: bounds.space,
                allocation: bounds.allocation,
                start: bounds.origin + part * group.scale,
            })
        };
        // GroupBounds that are known ahead are those of a group that is aligned wherever it lies.
        if let Some(bounds) = &placement.bounds {
            return at(bounds);
        }
        let extent = &self.shapes.extents[placement.extent as usize];
        let bounds = bounds(self.machine, group, extent, regs.u[group.base])?;
        at(&bounds).filter(|located| is_aligned(group, extent, located.start))
    }

    #[cold]
    fn find_placement(&mut self, number: GroupId, mask: u32) {
        self.warp.placements[number] = placement_of(self.machine, self.shapes, (number, self.index), mask);
    }

    /// Gets a group of loads ready, with all that is checked and counted once for it.
    #[inline(always)]
    pub(crate) fn resolve_loads(&mut self, number: GroupId, mask: u32) {
        let group = &self.machine.plan.groups[number];
        let mut found = ResolvedGroup::UNRESOLVED;
        if let Some(located) = self.resolve_group((group, number), mask)
            && self.may_load(number, group, &located)
        {
            found = located;
        }
        self.located[number] = found;
    }

    /// Whether nothing is to be said of a group's loads; notes and counts them if so.
    #[inline(always)]
    fn may_load(&mut self, number: GroupId, group: &AccessGroup, located: &ResolvedGroup) -> bool {
        let machine = self.machine;
        let shape = &self.shapes.known[located.shape as usize];
        match located.space {
            Space::Shared => {}
            Space::Constant => {
                if machine.constants[located.allocation as usize].is_none() {
                    return false;
                }
            }
            Space::Global => {
                return match &machine.buffers[located.allocation as usize] {
                    BufferView::ReadOnly { unwritten, .. } => unwritten.is_none() || !self.observer.checks(),
                    BufferView::Written(view) => {
                        (view.unwritten.is_none() || !self.observer.checks()) && !machine.ordered
                    }
                    BufferView::Freed => false,
                };
            }
            Space::Local | Space::None => return false,
        }
        let load = GroupLoad {
            group: (group, number),
            shape: (shape, located.shape),
            start: located.start,
            warp: self.index,
            shared: located.space == Space::Shared,
        };
        self.observer.group_load(machine.plan, &load)
    }

    /// The words of shared or constant memory from a member of a group on.
    #[inline(always)]
    fn near_words(&self, located: &ResolvedGroup, distance: i32) -> Option<&[u32]> {
        if located.shape == NO_SHAPE {
            return None;
        }
        let words: &[u32] = match located.space {
            Space::Shared => self.shared,
            Space::Constant => self.machine.constants[located.allocation as usize]?.0,
            _ => return None,
        };
        words.get(located.at(i64::from(distance)) as usize / 4..)
    }

    /// As [`WarpExecutor::fetch`], one word for all lanes.
    #[inline(always)]
    pub(crate) fn load_member_uniform(&mut self, dst: UniformSlot, group: GroupId, distance: i32) -> bool {
        let Some([word, ..]) = self.near_words(&self.located[group], distance) else { return false };
        self.warp.regs.u[dst] = u64::from(*word);
        true
    }

    /// Loads a word a lane as a member of a group in shared or constant memory, or does nothing and says so.
    #[inline(always)]
    pub(crate) fn load_member<V: Vectors>(
        &mut self,
        simd: V,
        dst: Lane32,
        group: GroupId,
        distance: i32,
        active: u32,
    ) -> bool {
        let located = &self.located[group];
        let Some(words) = self.near_words(located, distance) else { return false };
        let Some(words) = simd.gather(words, &self.shapes.known[located.shape as usize]) else {
            return false;
        };
        simd.put(&mut self.warp.regs.l32[dst], words, active);
        true
    }

    /// Loads, or does nothing and says so.
    #[inline(always)]
    pub(crate) fn load_fast<V: Vectors>(&mut self, simd: V, pc: Pc, load: LoadId, active: u32) -> bool {
        let machine = self.machine;
        let load = &machine.plan.records[load];
        let Some(member) = load.access.member else { return false };
        if member.leader {
            self.resolve_loads(member.group, active);
        }
        let located = &self.located[member.group];
        if located.shape == NO_SHAPE {
            return false;
        }
        let shape = &self.shapes.known[located.shape as usize];
        let start = located.at(member.distance);
        let from = start as usize / 4;
        let words: &[u32] = match located.space {
            Space::Shared => &self.shared[from..],
            Space::Constant => match machine.constants[located.allocation as usize] {
                Some((words, _)) => &words[from..],
                None => return false,
            },
            _ => {
                let at = InstSite { pc, warp: self.index, block: self.block };
                self.observer.global_load(&GlobalAccess { at, shape, allocation: located.allocation, start });
                match &machine.buffers[located.allocation as usize] {
                    BufferView::ReadOnly { words, .. } => &words[from..],
                    BufferView::Written(view) => {
                        if view.owners.reads() {
                            let who = (located.allocation, self.block + 1);
                            log_shape(self.log, AccessKind::Load, who, shape, from);
                            machine.flush_if_full(self.log);
                        }
                        self.copied.clear();
                        let words = &view.words[from..from + shape.span as usize];
                        self.copied.extend(words.iter().map(|w| w.load(Relaxed)));
                        self.copied.as_slice()
                    }
                    BufferView::Freed => return false,
                }
            }
        };
        let regs = &mut self.warp.regs;
        for (part, dst) in load.dst.iter().enumerate() {
            match *dst {
                AnyOperand::Bits32(Operand32::Lanes(slot)) => {
                    let Some(words) = simd.gather(&words[part..], shape) else { return false };
                    simd.put(&mut regs.l32[slot], words, active);
                }
                AnyOperand::Bits32(Operand32::Uniform(slot)) => regs.u[slot] = u64::from(words[part]),
                AnyOperand::Bits64(dst) => {
                    let [mut low, mut high] = [Lanes([0; 32]); 2];
                    for (half, out) in [&mut low, &mut high].into_iter().enumerate() {
                        let Some(words) = simd.gather(&words[part * 2 + half..], shape) else { return false };
                        simd.store(&mut out.0, words);
                    }
                    let mut wide = Lanes([0; 32]);
                    for i in 0..32 {
                        wide.0[i] = u64::from(low.0[i]) | u64::from(high.0[i]) << 32;
                    }
                    regs.put64(dst, &wide, active);
                }
                // What is loaded is not affine, and truth values have no shape.
                AnyOperand::Bits32(Operand32::Affine(..)) | AnyOperand::Mask(_) => return false,
            }
        }
        true
    }

    /// Finds out where a group of stores lies.
    #[inline(always)]
    pub(crate) fn resolve_stores(&mut self, number: GroupId, mask: u32) {
        let group = &self.machine.plan.groups[number];
        let located = self.resolve_group((group, number), mask);
        self.located[number] = located.unwrap_or(ResolvedGroup::UNRESOLVED);
    }

    /// Stores, or does nothing and says so.
    #[inline(always)]
    pub(crate) fn store_fast<V: Vectors>(&mut self, simd: V, pc: Pc, store: StoreId, active: u32) -> bool {
        let machine = self.machine;
        let store = &machine.plan.records[store];
        let Some(member) = store.access.member else { return false };
        // First of all, for those that follow it.
        if member.leader {
            self.resolve_stores(member.group, active);
        }
        if store.access.ty.bytes() != 4 || !self.asyncs.idle() {
            return false;
        }
        let located = self.located[member.group];
        if located.shape == NO_SHAPE {
            return false;
        }
        let shape = &self.shapes.known[located.shape as usize];
        if !shape.disjoint {
            return false;
        }
        let start = located.at(member.distance);
        let from = start as usize / 4;
        let stores = store.src.iter().enumerate();
        match located.space {
            Space::Shared => {
                let known = (shape, located.shape);
                if !self.observer.group_store(&GroupStore { pc, shape: known, start, warp: self.index }) {
                    return false;
                }
                let words = &mut self.shared[from..];
                for (part, src) in stores {
                    let AnyOperand::Bits32(src) = *src else { continue };
                    let values = self.warp.regs.lanes32(src);
                    scatter(&mut words[part..], shape, &values);
                }
            }
            Space::Global => {
                let BufferView::Written(view) = &machine.buffers[located.allocation as usize] else {
                    return false;
                };
                if machine.ordered && self.observer.checks() {
                    return false;
                }
                let at = InstSite { pc, warp: self.index, block: self.block };
                self.observer.global_store(&GlobalAccess {
                    at,
                    shape,
                    allocation: located.allocation,
                    start,
                });
                let who = (located.allocation, self.block + 1);
                log_shape(self.log, AccessKind::Store, who, shape, from);
                machine.flush_if_full(self.log);
                let words = &view.words[from..];
                for (part, src) in stores {
                    let AnyOperand::Bits32(src) = *src else { continue };
                    let copy;
                    let values = match src {
                        Operand32::Lanes(slot) => &self.warp.regs.l32[slot],
                        Operand32::Uniform(_) | Operand32::Affine(..) => {
                            copy = self.warp.regs.lanes32(src);
                            &copy
                        }
                    };
                    if shape.pattern == LanePattern::Contiguous && store.src.len() == 1 {
                        if let Some(words) = words.first_chunk() {
                            simd.store_relaxed(words, simd.load(values));
                        }
                        continue;
                    }
                    scatter_relaxed(&words[part..], shape, values);
                }
            }
            _ => return false,
        }
        true
    }
}

/// Notes the words of an access of known layout that begins at the word `from`.
#[inline(always)]
pub(crate) fn log_shape(
    log: &mut AccessLog,
    touch: AccessKind,
    who: (u32, u32),
    shape: &CoalescingShape,
    from: usize,
) {
    match shape.pattern {
        LanePattern::Contiguous => log.run(touch, who, from, shape.span as usize),
        _ => log.words(touch, who, shape.distinct.iter().map(|w| from + *w as usize)),
    }
}

/// Writes each active lane's value where other threads of the host may write, too.
#[inline(always)]
pub(crate) fn scatter_relaxed(words: &[AtomicU32], shape: &CoalescingShape, values: &Lanes<u32>) {
    let mut rest = shape.mask;
    while rest != 0 {
        let lane = first(rest);
        rest &= rest - 1;
        words[shape.words.0[lane] as usize].store(values.0[lane], Relaxed);
    }
}

/// Writes each active lane's value.
#[inline(always)]
pub(crate) fn scatter(words: &mut [u32], shape: &CoalescingShape, values: &Lanes<u32>) {
    if shape.is_row() {
        words[..32].copy_from_slice(&values.0);
        return;
    }
    let mut rest = shape.mask;
    while rest != 0 {
        let lane = first(rest);
        rest &= rest - 1;
        words[shape.words.0[lane] as usize] = values.0[lane];
    }
}
