//! The fast path: loads and stores whose coalescing shape is known.
//!
//! An access is done here completely, checks and counts included, or not at all: whatever is unusual, above all a fault, is left to the
//! slow path, so that faults are made in one place.

use crate::fault::AccessKind;
use crate::index_vec::VecIndex;
use crate::machine::event::{AccessClass, InstSite, LanePattern};
use crate::machine::mask::first;
use crate::machine::memory::owners::log::{AccessLog, BufferAccess};
use crate::machine::observer::{AffineAccess, Observer};
use crate::machine::warp::access::placement::{AccessPlace, PlacementKey, place_access, uniform_part};
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::warp::access::slow_path::{self, LaneWrites};
use crate::machine::warp::access::wide::{scatter_wide, scatter_wide_relaxed};
use crate::machine::warp::access::words::{Words, WordsMut, readable, writable};
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::{Lanes, Regs, WarpRegs, WarpRegsMut};
use crate::plan::{Access, AnyOperand, Load, LoadId, Operand32, Pc, Store, StoreId};
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

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
        let narrow = load.access.ty.bytes() < 4;
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
        let regs = &mut self.warp.regs;
        if !narrow {
            return load_elements(simd, regs, load, (words, from, shape), active);
        }
        let access = shape.at(space, allocation, 0);
        match words {
            Words::Fixed(words) => slow_path::load_words(machine.isa, regs, load, &access, &words[from..]),
            Words::Relaxed(words, _) => {
                let word = |_: usize, word: usize| words[from + word].load(Relaxed);
                slow_path::load_elements(regs, load, &access, word);
            }
        }
        true
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
        let words = match writable(machine, self.shared, (space, allocation)) {
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
        let from = start as usize / 4;
        let words = match words {
            WordsMut::Own(words) => {
                store_own(&self.warp.regs, store, shape, &mut words[from..]);
                return true;
            }
            WordsMut::Relaxed(words) => words,
        };
        let write = BufferAccess { kind: AccessKind::Store, buffer: allocation, block: self.block };
        log_shape(self.log, write, shape, from);
        machine.flush_if_full(self.log);
        if size < 4 {
            let access = &shape.at(space, allocation, start);
            let class = AccessClass::store(store.access.order);
            for (element, src) in (0..).zip(&store.src) {
                let values = &self.warp.regs.low_bits(*src);
                LaneWrites { access, shift: element * size, len: size, values, class }.narrow(words);
            }
            return true;
        }
        store_relaxed(simd, &self.warp.regs, store, shape, &words[from..]);
        true
    }
}

/// Stores to the block's own memory.
#[inline(always)]
fn store_own(regs: &Regs, store: &Store, shape: &CoalescingShape, words: &mut [u32]) {
    for (element, src) in store.src.iter().enumerate() {
        match *src {
            AnyOperand::Bits32(src) => {
                scatter(&mut words[element..], shape, &regs.lanes32(src), shape.mask);
            }
            AnyOperand::Bits64(src) => {
                scatter_wide(&mut words[element * 2..], shape, &regs.lanes64(src), shape.mask);
            }
            AnyOperand::Mask(_) => {}
        }
    }
}

/// Stores where other threads of the host may write, too.
#[inline(always)]
fn store_relaxed<V: Vectors>(
    simd: V,
    regs: &Regs,
    store: &Store,
    shape: &CoalescingShape,
    words: &[AtomicU32],
) {
    for (element, src) in store.src.iter().enumerate() {
        let src = match *src {
            AnyOperand::Bits32(src) => src,
            AnyOperand::Bits64(src) => {
                let values = regs.lanes64(src);
                scatter_wide_relaxed(simd, &words[element * 2..], shape, &values, shape.mask);
                continue;
            }
            AnyOperand::Mask(_) => continue,
        };
        let copy;
        let values = match src {
            Operand32::Lanes(slot) => &regs.l32[slot],
            Operand32::Uniform(_) | Operand32::Affine(..) => {
                copy = regs.lanes32(src);
                &copy
            }
        };
        match words.first_chunk() {
            Some(row) if shape.is_row() => simd.store_relaxed(row, simd.load(values)),
            _ => scatter_relaxed(&words[element..], shape, values, shape.mask),
        }
    }
}

/// Loads each element of a load of known shape that begins at the word `from`; whether they are there, which they are if the group was
/// resolved.
#[inline(always)]
fn load_elements<V: Vectors>(
    simd: V,
    regs: &mut Regs,
    load: &Load,
    (words, from, shape): (Words, usize, &CoalescingShape),
    active: u32,
) -> bool {
    for (element, dst) in load.dst.iter().enumerate() {
        match *dst {
            AnyOperand::Bits32(Operand32::Lanes(slot)) => {
                let Some(row) = words.gather(simd, from + element, shape) else { return false };
                simd.put(&mut regs.l32[slot], row, active);
            }
            AnyOperand::Bits32(Operand32::Uniform(slot)) => {
                let Some(row) = words.gather(simd, from + element, shape) else { return false };
                let mut all = [0; 32];
                simd.store(&mut all, row);
                regs.u[slot] = u64::from(all[0]);
            }
            AnyOperand::Bits64(dst) => {
                let Some(values) = words.gather_wide(from + element * 2, shape) else { return false };
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
