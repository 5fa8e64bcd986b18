//! The fast path: loads and stores whose coalescing shape is known.
//!
//! An access is done here completely, checks and counts included, or not at all: whatever is unusual, above all a fault, is left to the
//! slow path, so that faults are made in one place.

use crate::fault::AccessKind;
use crate::index_vec::VecIndex;
use crate::machine::event::{InstSite, LanePattern};
use crate::machine::memory::owners::log::{AccessLog, BufferAccess};
use crate::machine::observer::{AffineAccess, Observer};
use crate::machine::warp::access::elements::{WarpElements, load_elements, store_elements};
use crate::machine::warp::access::placement::{AccessPlace, PlacementKey, place_access, uniform_part};
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::words::{Words, WordsMut, readable, writable};
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::plan::{Access, LoadId, Pc, StoreId};
use simt_ir::pointer::Space;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Where an access lies, the `number`-th of all loads and then all stores, if its shape is known and all of it is inside its allocation.
    #[inline(always)]
    fn place(&mut self, number: usize, access: &Access, mask: u32) -> Option<AccessPlace> {
        let id = access.shape?;
        let address = &access.address;
        let base = self.warp.regs.u[address.base.uniform()?];
        let part = uniform_part(&self.warp.regs.u, address)?;
        let last = &mut self.warp.placements[number];
        if last.mask != mask || last.base != base {
            let key = PlacementKey { shape: id, warp: self.warp.index, mask };
            *last = place_access(self.machine, self.shapes, (address, base), (key, number), last);
        }
        if part < last.inside[0] || part > last.inside[1] {
            return None;
        }
        let (shape, space, allocation) = (last.placed?.shape, last.space, last.allocation);
        let start = (last.origin + part * address.scale as i64) as u32;
        let is_aligned = start & (access.bytes - 1) == 0;
        is_aligned.then_some(AccessPlace { shape, space, allocation, start })
    }

    /// Executes a load; whether it could.
    #[inline(always)]
    pub(crate) fn load_fast<V: Vectors>(&mut self, simd: V, pc: Pc, id: LoadId, active: u32) -> bool {
        let machine = self.machine;
        let load = &machine.plan.records[id];
        let Some(place) = self.place(id.index(), &load.access, active) else { return false };
        let AccessPlace { space, allocation, .. } = place;
        // Their conflicts depend on where in a word each of them begins.
        if load.access.bytes < 4 && space != Space::Global {
            return false;
        }
        let words = match readable(machine, self.observer.checks(), self.shared, (space, allocation)) {
            // Where blocks run in order, loads of what they write are told one by one.
            Some(Words::Relaxed(..)) if machine.ordered => return false,
            Some(words) => words,
            None => return false,
        };
        let (shape, start) = self.shapes.shape(place.shape).from(place.start);
        let access = AffineAccess { at: self.at(pc), shape, space, allocation, start };
        if !self.observer.affine(machine, &access, AccessKind::Load) {
            return false;
        }
        let from = start as usize / 4;
        if let Words::Relaxed(_, true) = words {
            let read = BufferAccess { kind: AccessKind::Load, buffer: allocation, block: self.block };
            log_shape(self.log, read, shape, from);
            machine.flush_if_full(self.log);
        }
        let at = WarpElements::Shape(shape, start);
        load_elements(simd, &mut self.warp.regs, (words, at), load, active)
    }

    /// Executes a store; whether it could.
    #[inline(always)]
    pub(crate) fn store_fast<V: Vectors>(&mut self, simd: V, pc: Pc, id: StoreId, active: u32) -> bool {
        let machine = self.machine;
        let store = &machine.plan.records[id];
        if !self.asyncs.is_idle() {
            return false;
        }
        let number = machine.plan.records.loads.len() + id.index();
        let Some(place) = self.place(number, &store.access, active) else { return false };
        let AccessPlace { space, allocation, .. } = place;
        let size = store.access.ty.bytes();
        let mut words = match writable(machine, self.shared, (space, allocation)) {
            Some(WordsMut::Own(_)) if size < 4 => return false,
            Some(WordsMut::Relaxed(_)) if machine.ordered && self.observer.checks() => return false,
            Some(words) => words,
            None => return false,
        };
        let (shape, start) = self.shapes.shape(place.shape).from(place.start);
        let access = AffineAccess {
            at: InstSite { pc, warp: self.warp.index, block: self.block },
            shape,
            space,
            allocation,
            start,
        };
        if !shape.disjoint || !self.observer.affine(machine, &access, AccessKind::Store) {
            return false;
        }
        if let WordsMut::Relaxed(_) = words {
            let write = BufferAccess { kind: AccessKind::Store, buffer: allocation, block: self.block };
            log_shape(self.log, write, shape, start as usize / 4);
            machine.flush_if_full(self.log);
        }
        store_elements(simd, &self.warp.regs, &mut words, store, (shape, start), active);
        true
    }
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
