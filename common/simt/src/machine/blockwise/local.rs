//! Local memory of a block as one, where all threads access theirs at one place: each word is a row per warp.

use crate::machine::blockwise::executor::BlockExecutor;
use crate::machine::context::Extent;
use crate::machine::event::{AccessClass, InstSite, LanePattern, ResolvedAccess};
use crate::machine::observer::Observer;
use crate::machine::warp::access::slow_path::{LaneWrites, load_rows};
use crate::machine::warp::lanes::addresses::uniform_address;
use crate::machine::warp::registers::{Lanes, WarpRegs, blend};
use crate::plan::{Access, AnyOperand, Load, Store};
use simt_ir::pointer::{self, Space};

/// Where all threads access their local memory.
struct LocalPlace {
    allocation: u32,
    byte: u32,
    bytes: u32,
}

impl LocalPlace {
    fn access(&self, mask: u32) -> ResolvedAccess {
        let LocalPlace { allocation, byte, bytes } = *self;
        let pattern = LanePattern::Uniform;
        ResolvedAccess { space: Space::Local, allocation, offsets: [byte; 32], mask, pattern, bytes }
    }
}

impl<O: Observer> BlockExecutor<'_, '_, O> {
    /// Where an access lies, if that is one place in local memory, inside its array.
    fn local_place(&self, access: &Access) -> Option<LocalPlace> {
        let at = uniform_address(&self.regs.u, &access.address)?;
        let (space, allocation) = (pointer::space(at), pointer::allocation(at));
        if space != Space::Local {
            return None;
        }
        let Extent { start, bytes } = self.machine.extent(space, allocation)?;
        let (from, byte) = (start as i64, pointer::signed_offset(at));
        let fits = byte >= from && byte + i64::from(access.bytes) <= from + bytes as i64;
        let is_aligned = byte & i64::from(access.bytes - 1) == 0;
        (fits && is_aligned).then_some(LocalPlace { allocation, byte: byte as u32, bytes: access.bytes })
    }

    /// Loads from one place in local memory; whether it could.
    pub(super) fn load_local(&mut self, load: &Load) -> bool {
        let Some(place) = self.local_place(&load.access) else { return false };
        let class = AccessClass { unused: load.access.unused, ..AccessClass::LOAD };
        if !self.tell_local(&place, class) {
            return false;
        }
        for warp in self.active.live() {
            let (access, local) = (place.access(self.active.masks[warp]), &self.block.warps[warp].local);
            load_rows(&mut self.regs.warp_mut(warp), load, &access, local);
        }
        true
    }

    /// Stores to one place in local memory; whether it could.
    pub(super) fn store_local(&mut self, store: &Store) -> bool {
        let Some(place) = self.local_place(&store.access) else { return false };
        if !self.tell_local(&place, AccessClass::STORE) {
            return false;
        }
        let size = store.access.ty.bytes();
        for warp in self.active.live() {
            let mask = self.active.masks[warp];
            for (element, src) in (0..).zip(&store.src) {
                let word = (place.byte + element * size) as usize / 4;
                let local = &mut self.block.warps[warp].local;
                match *src {
                    AnyOperand::Bits64(src) => {
                        let wide = self.regs.warp(warp).lanes64(src);
                        for half in 0..2 {
                            let row = Lanes(wide.0.map(|value| (value >> (32 * half)) as u32));
                            blend(&mut local[word + half], &row, mask);
                        }
                    }
                    AnyOperand::Bits32(src) if size == 4 => {
                        blend(&mut local[word], &self.regs.warp(warp).lanes32(src), mask);
                    }
                    src => {
                        let (access, values) = (&place.access(mask), &self.regs.warp(warp).low_bits(src));
                        let (shift, class) = (element * size, AccessClass::STORE);
                        LaneWrites { access, shift, len: size, values, class }.row(local);
                    }
                }
            }
        }
        true
    }

    /// Tells the observer of an access to one place; `false` if it finds something.
    fn tell_local(&mut self, place: &LocalPlace, class: AccessClass) -> bool {
        if !self.observer.asks_for_lanes() {
            return true;
        }
        let (machine, pc, block) = (self.machine, self.pc, self.index);
        self.active.live().all(|warp| {
            let access = place.access(self.active.masks[warp]);
            let at = InstSite { pc, warp: warp as u32, block };
            self.observer.access(machine, &at, &access, class).is_ok()
        })
    }
}
