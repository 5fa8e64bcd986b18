//! Loads and stores of a block as one.
//!
//! An affine access has one place for the whole block: it is resolved once, with one bounds check, and what is left is to move each warp's
//! words. Of an access whose index has lanes, each warp resolves its own. What is neither, and whatever may be a fault, a warp does by
//! itself ([`super::bridge`]).

use crate::fault::AccessKind;
use crate::index_vec::VecIndex;
use crate::machine::BufferView;
use crate::machine::blockwise::active::{Active, LiveWarps};
use crate::machine::blockwise::compute::pointer_rows;
use crate::machine::blockwise::executor::BlockExecutor;
use crate::machine::blockwise::indexed::{IndexRows, load_indexed, store_indexed};
use crate::machine::blockwise::moves::{
    Parts, load_half_rows, load_one, load_parts, load_run, store_half_rows, store_parts, store_run,
};
use crate::machine::blockwise::shapes::{BlockLayout, BlockShape};
use crate::machine::blockwise::state::BlockWithdrawn;
use crate::machine::event::{AccessClass, LanePattern, ResolvedAccess};
use crate::machine::mask::lanes;
use crate::machine::memory::owners::log::BufferAccess;
use crate::machine::observer::Observer;
use crate::machine::trace::{TraceEvent, TracedPlace};
use crate::machine::warp::access::fast_path::log_shape;
use crate::machine::warp::access::placement::{AccessFrame, ShapeCache, uniform_part};
use crate::machine::warp::access::words::{Words, readable, writable};
use crate::machine::warp::cost::{STORE_COST, access_cost};
use crate::machine::warp::lanes::indices::IndexRange;
use crate::plan::{
    Access, AccessShapeId, AddressOperand, AnyOperand, IndexOperand, Load, LoadId, Op, Operand32, Operand64,
    Store, StoreId,
};
use simt_ir::pointer::{self, Space};

/// Where an affine access of a block lies.
#[derive(Clone, Copy)]
struct BlockPlace {
    space: Space,
    allocation: u32,
    /// Where the block's lowest thread is, active or not; may be outside the allocation if it is not.
    start: i64,
    /// The warps whose parts are inside the allocation, and those of them all of whose threads are active.
    warps: u32,
    whole: u32,
}

impl BlockPlace {
    /// As it is kept.
    fn traced(&self) -> TracedPlace {
        TracedPlace { space: self.space, allocation: self.allocation, start: self.start as u32 }
    }

    /// As the parts of its warps.
    fn parts<'p>(&self, shape: &'p BlockShape, shapes: &'p ShapeCache, active: &'p Active) -> Parts<'p> {
        Parts { shape, shapes, start: self.start as u32, warps: self.warps, masks: &active.masks }
    }
}

impl<'a, O: Observer> BlockExecutor<'a, '_, O> {
    /// Executes a load.
    pub(super) fn load(&mut self, id: LoadId) -> Result<(), BlockWithdrawn> {
        let load = &self.machine.plan.records[id];
        let mut rest = self.active.live;
        if load.access.may_be_local && self.load_local(load) {
            return Ok(());
        }
        if let Some(shape) = load.access.shape
            && let Some(place) = self.place(shape, &load.access, id.index())
        {
            rest &= !self.load_placed(load, shape, &place);
        }
        if rest != 0 {
            rest &= !self.load_indexed(load, rest);
        }
        self.each_by_itself(rest, Op::Load { load: id })
    }

    /// Executes a store.
    pub(super) fn store(&mut self, id: StoreId) -> Result<(), BlockWithdrawn> {
        let store = &self.machine.plan.records[id];
        self.stores += 1;
        self.extra_cost += STORE_COST * self.active.count();
        let mut rest = self.active.live;
        if store.access.may_be_local && self.store_local(store) {
            return Ok(());
        }
        if let Some(shape) = store.access.shape
            && let Some(place) =
                self.place(shape, &store.access, self.machine.plan.records.loads.len() + id.index())
        {
            rest &= !self.store_placed(store, shape, &place);
        }
        if rest != 0 {
            rest &= !self.store_indexed(store, rest);
        }
        self.each_by_itself(rest, Op::Store { store: id })
    }

    /// Executes an operation in some warps, in each by itself.
    #[inline(always)]
    fn each_by_itself(&mut self, warps: u32, op: Op) -> Result<(), BlockWithdrawn> {
        LiveWarps(warps).try_for_each(|warp| self.in_warp(&op, warp))
    }

    /// Where an affine access lies; `None` if an index wraps around, or nothing is inside the allocation.
    #[inline(always)]
    fn place(&mut self, id: AccessShapeId, access: &Access, number: usize) -> Option<BlockPlace> {
        let base = self.regs.u[access.address.base.uniform()?];
        let part = uniform_part(&self.regs.u, &access.address)?;
        if self.frames[number].base != base {
            self.frames[number] = self.frame(id, access, base);
        }
        let frame = &self.frames[number];
        let AccessFrame { space, allocation, .. } = *frame;
        // May wrap around for a part that is not valid, and is not used then.
        let start = frame.origin.wrapping_add(part.wrapping_mul(frame.scale));
        let live = self.active.live;
        if self.active.all && part >= frame.inside[0] && part <= frame.inside[1] {
            return Some(BlockPlace { space, allocation, start, warps: live, whole: live });
        }
        if part < frame.valid[0] || part > frame.valid[1] {
            return None;
        }
        let mut whole = live;
        for warp in LiveWarps(live) {
            let is_whole = self.active.masks[warp] == self.regs.present[warp];
            whole &= !(u32::from(!is_whole) << warp);
        }
        let mut place = BlockPlace { space, allocation, start, warps: live, whole };
        if part < frame.inside[0] || part > frame.inside[1] {
            let shape = self.block_shapes.known(id)?;
            for warp in LiveWarps(live) {
                let part = shape.warps[warp];
                let start = start + i64::from(part.start);
                let fits = start >= frame.within[0] && start + i64::from(part.bytes) <= frame.within[1];
                place.warps &= !(u32::from(!fits) << warp);
            }
            place.whole &= place.warps;
        }
        (place.warps != 0).then_some(place)
    }

    /// What is known of an access from its base pointer alone.
    #[cold]
    fn frame(&mut self, id: AccessShapeId, access: &Access, base: u64) -> AccessFrame {
        let nowhere = AccessFrame { base, ..AccessFrame::UNKNOWN };
        let Some(shape) = self.block_shapes.get(self.machine, self.shapes, &self.regs.present, id) else {
            return nowhere;
        };
        let frame = AccessFrame::of(self.machine, &access.address, &shape.extent, base);
        frame.filter(|frame| frame.is_aligned(&shape.extent)).unwrap_or(nowhere)
    }

    /// Notes who accesses a buffer that blocks may write.
    #[inline(always)]
    fn log_place(&mut self, kind: AccessKind, id: AccessShapeId, place: &BlockPlace) {
        let (machine, buffer) = (self.machine, place.allocation);
        if place.space != Space::Global {
            return;
        }
        let BufferView::Written(view) = &machine.buffers[buffer as usize] else { return };
        if kind == AccessKind::Load && !view.owners.reads() {
            return;
        }
        let Some(of_block) = self.block_shapes.known(id) else { return };
        let access = BufferAccess { kind, buffer, block: self.index };
        for warp in LiveWarps(place.warps) {
            let part = of_block.warps[warp];
            let start = (place.start as u32).wrapping_add(part.start);
            let (shape, start) = self.shapes.shape(part.shape).from(start);
            if place.whole >> warp & 1 == 1 {
                log_shape(self.log, access, shape, start as usize / 4);
            } else if (shape.pattern, shape.mask, shape.span) == (LanePattern::Contiguous, u32::MAX, 32) {
                // A word of each lane.
                let from = start / 4;
                let words = u64::from(self.active.masks[warp]) << (from % 32);
                self.log.line(access, from / 32, words as u32);
                self.log.line(access, from / 32 + 1, (words >> 32) as u32);
            } else {
                let lanes = shape.at(place.space, buffer, start).of(self.active.masks[warp]);
                self.log.words(access, lanes.words());
            }
            machine.flush_if_full(self.log);
        }
    }

    /// Keeps an access of known shape.
    #[inline(always)]
    fn trace_place(&mut self, shape: AccessShapeId, place: &BlockPlace) {
        let (pc, at) = (self.pc, place.traced());
        let trace = self.observer.trace();
        if !trace.is_kept {
            return;
        }
        if place.whole != 0 {
            trace.push(pc, TraceEvent::Block { shape, warps: place.whole, at });
        }
        for warp in LiveWarps(place.warps & !place.whole) {
            let mask = self.active.masks[warp];
            trace.push(pc, TraceEvent::Lanes { warp: warp as u32, mask, shape, at });
        }
    }

    /// Loads what is placed; gives the warps that have their values.
    #[inline(always)]
    fn load_placed(&mut self, load: &Load, id: AccessShapeId, place: &BlockPlace) -> u32 {
        let (machine, size) = (self.machine, load.access.ty.bytes());
        // Their conflicts depend on where in a word each of them begins.
        if size < 4 && matches!(place.space, Space::Shared | Space::Constant) {
            return 0;
        }
        let (checks, at) = (self.observer.checks(), (place.space, place.allocation));
        let Some(words) = readable(machine, checks, &self.block.shared, at) else { return 0 };
        let Some(shape) = self.block_shapes.known(id) else { return 0 };
        let from = place.start as usize / 4;
        let isa = machine.isa;
        let is_inside = place.warps == self.active.live;
        let loaded = match (&shape.layout, &load.dst[..]) {
            (BlockLayout::Run, [dst]) if self.active.all && size >= 4 => {
                load_run(isa, self.regs, words, from, *dst)
            }
            (BlockLayout::Uniform, [dst]) if size >= 4 => load_one(self.regs, words, from, *dst),
            (BlockLayout::HalfRows(rows), [AnyOperand::Bits32(Operand32::Lanes(dst))]) if is_inside => {
                load_half_rows(isa, self.regs, words, (from, rows), *dst, &self.active)
            }
            _ => false,
        };
        let parts = place.parts(shape, self.shapes, &self.active);
        if !loaded && !load_parts(machine.isa, self.regs, words, load, parts) {
            return 0;
        }
        self.log_place(AccessKind::Load, id, place);
        self.trace_place(id, place);
        place.warps
    }

    /// Stores what is placed; gives the warps whose values are there.
    #[inline(always)]
    fn store_placed(&mut self, store: &Store, id: AccessShapeId, place: &BlockPlace) -> u32 {
        let (machine, size) = (self.machine, store.access.ty.bytes());
        let Some(shape) = self.block_shapes.known(id).filter(|shape| shape.is_disjoint) else { return 0 };
        if size < 4 && place.space == Space::Shared {
            return 0;
        }
        let at = (place.space, place.allocation);
        let Some(words) = writable(machine, &mut self.block.shared, at) else { return 0 };
        let from = place.start as usize / 4;
        let isa = machine.isa;
        let is_whole = self.active.all && place.warps == self.active.live;
        match (&shape.layout, &store.src[..]) {
            (BlockLayout::Run, [src @ (AnyOperand::Bits32(_) | AnyOperand::Bits64(_))])
                if is_whole && size >= 4 =>
            {
                store_run(isa, self.regs, words, from, *src);
            }
            (BlockLayout::HalfRows(rows), [AnyOperand::Bits32(src)]) if is_whole => {
                store_half_rows(isa, self.regs, words, (from, rows), *src);
            }
            _ => {
                store_parts(isa, self.regs, words, store, place.parts(shape, self.shapes, &self.active));
            }
        }
        self.log_place(AccessKind::Store, id, place);
        self.trace_place(id, place);
        place.warps
    }

    /// Where an access lies whose index has lanes: its allocation, and which indices are inside.
    pub(super) fn indexed(
        &mut self,
        address: &AddressOperand,
        bytes: u32,
    ) -> Option<((Space, u32), (IndexRows, IndexRange))> {
        let allocation_of = |pointer: u64| (pointer::space(pointer), pointer::allocation(pointer));
        if let (Operand64::Uniform(base), Some(index)) = (address.base, address.index) {
            let base = self.regs.u[base];
            let (space, allocation) = allocation_of(base);
            let within = self.machine.extent(space, allocation)?;
            let range = IndexRange::of(base, address, bytes, within)?;
            let rows = match index {
                IndexOperand::Signed32(index) | IndexOperand::Unsigned32(index) => {
                    IndexRows::Narrow(self.regs.rows32(index, 0))
                }
                IndexOperand::Wide(index) => IndexRows::Wide(self.regs.rows64(index, 0)),
            };
            return Some(((space, allocation), (rows, range)));
        }
        let rows = pointer_rows(self.machine.isa, self.regs, address, &self.active);
        let (warp, lane) = self.active.first();
        let lead = self.regs.l64[rows.of(warp)].0[lane];
        let (space, allocation) = allocation_of(lead);
        let within = self.machine.extent(space, allocation)?;
        let range = IndexRange::of_pointers(lead, bytes, within)?;
        Some(((space, allocation), (IndexRows::Wide(rows), range)))
    }

    /// Loads in these warps by an index that has lanes; gives those that could.
    fn load_indexed(&mut self, load: &Load, warps: u32) -> u32 {
        let machine = self.machine;
        let Some((place, at)) = self.indexed(&load.access.address, load.access.bytes) else { return 0 };
        let checks = self.observer.checks();
        let Some(words) = readable(machine, checks, &self.block.shared, place) else { return 0 };
        let is_logged = matches!(words, Words::Relaxed(_, true));
        let (space, allocation) = place;
        let done = load_indexed(machine.isa, self.regs, words, load, at, (&self.active, warps), self.offsets);
        if is_logged {
            self.log_offsets(AccessKind::Load, (allocation, load.access.bytes), done);
        }
        let class = AccessClass { unused: load.access.unused, ..AccessClass::LOAD };
        self.trace_offsets((space, allocation, load.access.bytes), class, done);
        done
    }

    /// Stores in these warps by an index that has lanes; gives those that could.
    fn store_indexed(&mut self, store: &Store, warps: u32) -> u32 {
        let machine = self.machine;
        if store.access.ty.bytes() < 4 {
            return 0;
        }
        let Some((place, at)) = self.indexed(&store.access.address, store.access.bytes) else { return 0 };
        let Some(words) = writable(machine, &mut self.block.shared, place) else { return 0 };
        let (space, allocation) = place;
        let done =
            store_indexed(machine.isa, self.regs, words, store, at, (&self.active, warps), self.offsets);
        if space == Space::Global {
            self.log_offsets(AccessKind::Store, (allocation, store.access.bytes), done);
        }
        self.trace_offsets((space, allocation, store.access.bytes), AccessClass::STORE, done);
        done
    }

    /// Notes an access to a buffer that blocks may write, where the lanes are that were found last.
    pub(super) fn log_offsets(&mut self, kind: AccessKind, (allocation, bytes): (u32, u32), warps: u32) {
        let noted = BufferAccess { kind, buffer: allocation, block: self.index };
        for warp in LiveWarps(warps) {
            let words = |lane: usize| {
                let first = self.offsets[warp].0[lane];
                (first / 4..(first + bytes).div_ceil(4)).map(|word| word as usize)
            };
            self.log.words(noted, lanes(self.active.masks[warp]).flat_map(words));
            self.machine.flush_if_full(self.log);
        }
    }

    /// Keeps an access of each of these warps where the lanes are that were found last, if that is looked at.
    pub(super) fn trace_offsets(
        &mut self,
        (space, allocation, bytes): (Space, u32, u32),
        class: AccessClass,
        warps: u32,
    ) {
        let is_weighted = self.machine.options.weighted;
        let pc = self.pc;
        let is_kept = self.observer.asks_for_lanes() && self.observer.trace().is_kept;
        if !is_kept && !is_weighted {
            return;
        }
        for warp in LiveWarps(warps) {
            let (offsets, mask) = (&self.offsets[warp].0, self.active.masks[warp]);
            let pattern = LanePattern::of(offsets, mask, bytes);
            if is_weighted {
                let access = ResolvedAccess { space, allocation, offsets: *offsets, mask, pattern, bytes };
                self.extra_cost += access_cost(&access, class.kind, false);
            }
            if is_kept {
                let (access, of) = self.observer.trace().push_span(pc, warp as u32);
                access.offsets.copy_from_slice(offsets);
                (access.space, access.allocation, access.bytes) = (space, allocation, bytes);
                (access.mask, access.pattern) = (mask, pattern);
                *of = class;
            }
        }
    }
}
