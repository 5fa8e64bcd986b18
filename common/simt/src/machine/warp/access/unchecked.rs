//! The unchecked path: accesses of one word per lane at indices that only the lanes know, where no observer has to see them.
//!
//! An access is done here completely or not at all. Whatever might be a fault, is narrower than a word, or accesses words that blocks share
//! takes the slow path.

use crate::machine::context::BufferView;
use crate::machine::event::{LanePattern, ResolvedAccess};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::plan::Operand32::Lanes;
use crate::plan::{Access, AnyOperand, IndexOperand, LoadId, Operand64, StoreId};
use simt_ir::pointer::Space;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Where an access of one word per lane lies, if its index is a 32-bit register of the lanes.
    #[inline(always)]
    fn resolve_words(&self, access: &Access, active: u32) -> Option<ResolvedAccess> {
        let (
            Operand64::Uniform(base),
            Some(IndexOperand::Signed32(Lanes(index)) | IndexOperand::Unsigned32(Lanes(index))),
        ) = (access.address.base, access.address.index)
        else {
            return None;
        };
        if access.bytes != 4 || access.ty.bytes() != 4 {
            return None;
        }
        let regs = &self.warp.regs;
        self.machine.resolve_indexed(regs.u[base], &access.address, &regs.l32[index], 4, active)
    }

    /// Executes a load; whether it could.
    #[inline(always)]
    pub(crate) fn load_unchecked<V: Vectors>(&mut self, simd: V, load: LoadId, active: u32) -> bool {
        let machine = self.machine;
        let load = &machine.plan.records[load];
        let [AnyOperand::Bits32(Lanes(dst))] = load.dst[..] else { return false };
        if self.observer.counts() || machine.recovery.is_some() {
            return false;
        }
        let Some(resolved) = self.resolve_words(&load.access, active) else { return false };
        let unchecked = !self.observer.checks();
        let words = match resolved.space {
            Space::Shared if unchecked => &*self.shared,
            Space::Global => match &machine.buffers[resolved.allocation as usize] {
                BufferView::ReadOnly { words, unwritten, .. } if unchecked || unwritten.is_none() => words,
                _ => return false,
            },
            _ => return false,
        };
        let Some(words) = simd.gather_bytes(words, &resolved.offsets) else { return false };
        simd.put(&mut self.warp.regs.l32[dst], words, active);
        true
    }

    /// Executes a store to shared memory; whether it could.
    #[inline(always)]
    pub(crate) fn store_unchecked(&mut self, store: StoreId, active: u32) -> bool {
        let store = &self.machine.plan.records[store];
        let [AnyOperand::Bits32(src)] = store.src[..] else { return false };
        if self.observer.checks() || self.observer.counts() || !self.asyncs.is_idle() {
            return false;
        }
        let Some(resolved) = self.resolve_words(&store.access, active) else { return false };
        if resolved.space != Space::Shared || resolved.pattern != LanePattern::Contiguous {
            return false;
        }
        let values = self.warp.regs.lanes32(src);
        let first = resolved.offsets[0] as usize / 4;
        let Some(to) = self.shared.get_mut(first..first + 32) else { return false };
        to.copy_from_slice(&values.0);
        true
    }
}
