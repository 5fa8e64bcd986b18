//! The fast path: loads and stores whose coalescing shape is known.
//!
//! An access is done here completely, checks and counts included, or not at all: whatever is unusual, above all a fault, is left to the
//! slow path, so that faults are made in one place. Accesses of a basic block whose addresses differ by constants form an access
//! group: the first of them, the leader, resolves where the group lies, with one bounds check for all; for loads it tells the
//! observer of all of them at once. What remains for each member is to move its words.

use crate::fault::AccessKind;
use crate::machine::context::BufferView;
use crate::machine::event::{AccessClass, LanePattern};
use crate::machine::mask::first;
use crate::machine::memory::owners::log::{AccessLog, BufferAccess};
use crate::machine::observer::{GlobalAccess, GroupLoad, GroupStore, Observer};
use crate::machine::warp::access::placement::{GroupBounds, ResolvedGroup, bounds, is_aligned, place_group};
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::slow_path::{self, LaneWrites};
use crate::machine::warp::access::wide::{
    gather_wide, gather_wide_relaxed, scatter_wide, scatter_wide_relaxed,
};
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::{Lanes, Regs};
use crate::plan::{
    AccessGroup, AnyOperand, GroupId, GroupIndex, Load, LoadId, Operand32, Pc, Store, StoreId, UniformPart,
};
use simt_ir::IndexKind;
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Where a group lies, if its shape is known and all of it is inside its allocation.
    #[inline(always)]
    fn resolve_group(&mut self, id: GroupId, mask: u32) -> Option<ResolvedGroup> {
        if self.warp.placements[id].mask != mask {
            self.find_placement(id, mask);
        }
        let group = &self.machine.plan.groups[id];
        let placement = &self.warp.placements[id];
        let placed = placement.placed?;
        let part = uniform_part(&self.warp.regs, group);
        let at = |bounds: &GroupBounds| {
            (bounds.least <= part && part <= bounds.greatest).then(|| ResolvedGroup {
                shape: placed.shape,
                space: bounds.space,
                allocation: bounds.allocation,
                start: bounds.origin + part * group.scale,
            })
        };
        // A group with bounds in its placement is aligned wherever it lies.
        if let Some(bounds) = &placement.bounds {
            return at(bounds);
        }
        let extent = self.shapes.extent(placed.extent);
        let bounds = bounds(self.machine, group, extent, self.warp.regs.u[group.base])?;
        at(&bounds).filter(|resolved| is_aligned(group, extent, resolved.start))
    }

    #[cold]
    fn find_placement(&mut self, id: GroupId, mask: u32) {
        self.warp.placements[id] = place_group(self.machine, self.shapes, id, self.warp.index, mask);
    }

    /// Resolves a group of loads, and tells the observer of all of them.
    #[inline(always)]
    pub(crate) fn resolve_loads(&mut self, id: GroupId, mask: u32) {
        let resolved = self.resolve_group(id, mask).filter(|_| self.machine.recovery.is_none());
        self.resolved[id] = match resolved {
            Some(group) if self.observe_loads(id, &group) => resolved,
            _ => None,
        };
    }

    /// Whether the fast path can read a group; tells the observer if so.
    #[inline(always)]
    fn observe_loads(&mut self, id: GroupId, resolved: &ResolvedGroup) -> bool {
        let machine = self.machine;
        let shape = self.shapes.shape(resolved.shape);
        match resolved.space {
            // Their conflicts depend on where in a word each of them begins.
            Space::Shared | Space::Constant if shape.bytes < 4 => return false,
            Space::Shared => {}
            Space::Constant => {
                if machine.constant_words(resolved.allocation).is_none() {
                    return false;
                }
            }
            Space::Global => {
                return match &machine.buffers[resolved.allocation as usize] {
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
            group: &machine.plan.groups[id],
            id,
            shape,
            shape_id: resolved.shape,
            start: resolved.start,
            warp: self.warp.index,
            shared: resolved.space == Space::Shared,
        };
        self.observer.group_load(machine, &load)
    }

    /// Executes a load; whether it could.
    #[inline(always)]
    pub(crate) fn load_fast<V: Vectors>(&mut self, simd: V, pc: Pc, load: LoadId, active: u32) -> bool {
        let machine = self.machine;
        let load = &machine.plan.records[load];
        let Some(member) = load.access.member else { return false };
        if member.leader {
            self.resolve_loads(member.group, active);
        }
        let Some(group) = self.resolved[member.group] else { return false };
        let (shape, start) = self.shapes.shape(group.shape).from(group.at(member.distance));
        let from = start as usize / 4;
        let narrow = load.access.ty.bytes() < 4;
        let words: &[u32] = match group.space {
            Space::Shared => &self.shared[from..],
            Space::Constant => match machine.constant_words(group.allocation) {
                Some(words) => &words[from..],
                None => return false,
            },
            _ => {
                let (at, allocation) = (self.at(pc), group.allocation);
                let access = GlobalAccess { at, shape, allocation, start };
                if matches!(machine.buffers[allocation as usize], BufferView::Written(_))
                    && !self.observer.block_load(&access)
                {
                    return false;
                }
                self.observer.global_load(&access);
                match &machine.buffers[allocation as usize] {
                    BufferView::ReadOnly { words, .. } => &words[from..],
                    BufferView::Written(view) => {
                        if view.owners.reads() {
                            let read = self.buffer_access(AccessKind::Load, allocation);
                            log_shape(self.log, read, shape, from);
                            machine.flush_if_full(self.log);
                        }
                        if narrow {
                            let word = |_: usize, word: usize| view.words[from + word].load(Relaxed);
                            let access = shape.at(group.space, allocation, 0);
                            slow_path::load_elements(&mut self.warp.regs, load, &access, word);
                            return true;
                        }
                        let part = |part: usize| gather_relaxed(simd, &view.words[from + part..], shape);
                        let wide = |part: usize| gather_wide_relaxed(&view.words[from + part..], shape);
                        return load_elements(simd, &mut self.warp.regs, load, (part, wide), active);
                    }
                    BufferView::Freed => return false,
                }
            }
        };
        if narrow {
            let access = shape.at(group.space, group.allocation, 0);
            slow_path::load_words(machine.isa, &mut self.warp.regs, load, &access, words);
            return true;
        }
        let part = |part: usize| simd.gather(&words[part..], shape);
        let wide = |part: usize| gather_wide(&words[part..], shape);
        load_elements(simd, &mut self.warp.regs, load, (part, wide), active)
    }

    /// Resolves a group of stores.
    #[inline(always)]
    pub(crate) fn resolve_stores(&mut self, id: GroupId, mask: u32) {
        self.resolved[id] = self.resolve_group(id, mask).filter(|_| self.machine.recovery.is_none());
    }

    /// Executes a store; whether it could.
    #[inline(always)]
    pub(crate) fn store_fast<V: Vectors>(&mut self, simd: V, pc: Pc, store: StoreId, active: u32) -> bool {
        let store = &self.machine.plan.records[store];
        let Some(member) = store.access.member else { return false };
        // In any case, because other members follow.
        if member.leader {
            self.resolve_stores(member.group, active);
        }
        if !self.asyncs.is_idle() {
            return false;
        }
        let Some(group) = self.resolved[member.group] else { return false };
        if !self.shapes.shape(group.shape).disjoint {
            return false;
        }
        match group.space {
            Space::Shared if store.access.ty.bytes() < 4 => false,
            Space::Shared => self.store_shared(pc, store, &group, group.at(member.distance)),
            Space::Global => self.store_global(simd, pc, store, &group, group.at(member.distance)),
            Space::Constant | Space::Local | Space::None => false,
        }
    }

    #[inline(always)]
    fn store_shared(&mut self, pc: Pc, store: &Store, group: &ResolvedGroup, start: u32) -> bool {
        let shape = self.shapes.shape(group.shape);
        let event = GroupStore { pc, shape, shape_id: group.shape, start, warp: self.warp.index };
        if !self.observer.group_store(self.machine, &event) {
            return false;
        }
        let words = &mut self.shared[start as usize / 4..];
        for (element, src) in store.src.iter().enumerate() {
            match *src {
                AnyOperand::Bits32(src) => {
                    scatter(&mut words[element..], shape, &self.warp.regs.lanes32(src), shape.mask);
                }
                AnyOperand::Bits64(src) => {
                    scatter_wide(&mut words[element * 2..], shape, &self.warp.regs.lanes64(src), shape.mask);
                }
                AnyOperand::Mask(_) => {}
            }
        }
        true
    }

    #[inline(always)]
    fn store_global<V: Vectors>(
        &mut self,
        simd: V,
        pc: Pc,
        store: &Store,
        group: &ResolvedGroup,
        start: u32,
    ) -> bool {
        let machine = self.machine;
        let allocation = group.allocation;
        let BufferView::Written(view) = &machine.buffers[allocation as usize] else { return false };
        if machine.ordered && self.observer.checks() {
            return false;
        }
        let (shape, start) = self.shapes.shape(group.shape).from(start);
        let at = self.at(pc);
        let access = GlobalAccess { at, shape, allocation, start };
        let from = start as usize / 4;
        let size = store.access.ty.bytes();
        if !self.observer.block_store(&access) {
            return false;
        }
        self.observer.global_store(&access);
        let write = self.buffer_access(AccessKind::Store, allocation);
        log_shape(self.log, write, shape, from);
        machine.flush_if_full(self.log);
        if size < 4 {
            let access = &shape.at(Space::Global, allocation, start);
            let class = AccessClass::store(store.access.order);
            for (element, src) in (0..).zip(&store.src) {
                let values = &self.warp.regs.low_bits(*src);
                LaneWrites { access, shift: element * size, len: size, values, class }.narrow(view.words);
            }
            return true;
        }
        let words = &view.words[from..];
        for (element, src) in store.src.iter().enumerate() {
            let src = match *src {
                AnyOperand::Bits32(src) => src,
                AnyOperand::Bits64(src) => {
                    let values = self.warp.regs.lanes64(src);
                    scatter_wide_relaxed(simd, &words[element * 2..], shape, &values, shape.mask);
                    continue;
                }
                AnyOperand::Mask(_) => continue,
            };
            let copy;
            let values = match src {
                Operand32::Lanes(slot) => &self.warp.regs.l32[slot],
                Operand32::Uniform(_) | Operand32::Affine(..) => {
                    copy = self.warp.regs.lanes32(src);
                    &copy
                }
            };
            match words.first_chunk() {
                Some(row) if shape.is_row() => simd.store_relaxed(row, simd.load(values)),
                _ => scatter_relaxed(&words[element..], shape, values, shape.mask),
            }
        }
        true
    }
}

/// The uniform part of a group's index.
#[inline(always)]
fn uniform_part(regs: &Regs, group: &AccessGroup) -> i64 {
    match group.index {
        Some(GroupIndex { part: UniformPart::Slot(slot), kind: IndexKind::Wide }) => regs.u[slot] as i64,
        Some(GroupIndex { part: UniformPart::Slot(slot), .. }) => i64::from(regs.u[slot] as u32 as i32),
        Some(GroupIndex { part: UniformPart::Constant, .. }) | None => 0,
    }
}

/// Loads each element of a load, of which `part` gives the words that are so many after the first, and `wide` the values of 64 bits; whether
/// they are there, which they are if the group was resolved.
#[inline(always)]
fn load_elements<V: Vectors>(
    simd: V,
    regs: &mut Regs,
    load: &Load,
    (part, wide): (impl Fn(usize) -> Option<V::Vector>, impl Fn(usize) -> Option<Lanes<u64>>),
    active: u32,
) -> bool {
    for (element, dst) in load.dst.iter().enumerate() {
        match *dst {
            AnyOperand::Bits32(Operand32::Lanes(slot)) => {
                let Some(words) = part(element) else { return false };
                simd.put(&mut regs.l32[slot], words, active);
            }
            AnyOperand::Bits32(Operand32::Uniform(slot)) => {
                let Some(words) = part(element) else { return false };
                let mut all = [0; 32];
                simd.store(&mut all, words);
                regs.u[slot] = u64::from(all[0]);
            }
            AnyOperand::Bits64(dst) => {
                let Some(values) = wide(element * 2) else { return false };
                regs.put64(dst, &values, active);
            }
            // What is loaded is not affine, and truth values have no shape.
            AnyOperand::Bits32(Operand32::Affine(..)) | AnyOperand::Mask(_) => return false,
        }
    }
    true
}

/// Notes an access of known shape that begins at the word `from`.
#[inline(always)]
pub(crate) fn log_shape(log: &mut AccessLog, access: BufferAccess, shape: &CoalescingShape, from: usize) {
    match shape.pattern {
        LanePattern::Contiguous => log.run(access, from..from + shape.span as usize),
        LanePattern::Uniform | LanePattern::Irregular => {
            for mask in shape.masks(from) {
                let line = (from / 64) as u32 * 2 + mask.index * 2;
                log.line(access, line, mask.bits as u32);
                log.line(access, line + 1, (mask.bits >> 32) as u32);
            }
        }
    }
}

/// Each lane's word of an access of known shape that begins with `words`, which other threads of the host may write meanwhile.
#[inline(always)]
pub(crate) fn gather_relaxed<V: Vectors>(
    simd: V,
    words: &[AtomicU32],
    shape: &CoalescingShape,
) -> Option<V::Vector> {
    if shape.is_row() {
        return Some(simd.load_relaxed(words.first_chunk()?));
    }
    if shape.pattern == LanePattern::Uniform {
        return Some(simd.splat(words.first()?.load(Relaxed)));
    }
    let mut out = Lanes([0; 32]);
    for (out, word) in out.0.iter_mut().zip(&shape.words.by_lane().0) {
        *out = words.get(*word as usize)?.load(Relaxed);
    }
    Some(simd.load(&out))
}

/// Writes the lanes of `mask`, all of which the shape has, where other threads of the host may write, too.
#[inline(always)]
pub(crate) fn scatter_relaxed(words: &[AtomicU32], shape: &CoalescingShape, values: &Lanes<u32>, mask: u32) {
    let mut rest = mask;
    while rest != 0 {
        let lane = first(rest);
        rest &= rest - 1;
        words[shape.words.by_lane().0[lane] as usize].store(values.0[lane], Relaxed);
    }
}

/// Writes the lanes of `mask`, all of which the shape has.
#[inline(always)]
pub(crate) fn scatter(words: &mut [u32], shape: &CoalescingShape, values: &Lanes<u32>, mask: u32) {
    if shape.is_row() && mask == u32::MAX {
        words[..32].copy_from_slice(&values.0);
        return;
    }
    let mut rest = mask;
    while rest != 0 {
        let lane = first(rest);
        rest &= rest - 1;
        words[shape.words.by_lane().0[lane] as usize] = values.0[lane];
    }
}
