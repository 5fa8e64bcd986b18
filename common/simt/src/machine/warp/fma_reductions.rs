//! Reductions by multiply-adds at work; what they are is said at [`FmaReduction`].

use crate::isa::per_isa;
use crate::launch::MemoryRules;
use crate::machine::context::BufferView;
use crate::machine::event::InstSite;
use crate::machine::observer::GlobalAccess;
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::NO_SHAPE;
use crate::machine::warp::access::shape::GroupWords;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::Regs;
use crate::plan::{Factor, FmaReduction, FmaReductionId, GroupId, MAX_SOURCES, Pc};
use simt_ir::pointer::Space;

/// A factor of a product. No closure: those are not compiled for the instruction set of the function that they are in.
#[inline(always)]
fn factor<V: Vectors>(
    simd: V,
    regs: &Regs,
    sources: &[GroupWords; MAX_SOURCES],
    factor: Factor,
) -> Option<V::Vector> {
    match factor {
        Factor::Lanes(slot) => Some(simd.load(&regs.l32[slot])),
        Factor::Uniform(slot) => Some(simd.splat(regs.u[slot] as u32)),
        Factor::Word(word) => {
            let source = &sources[word.source as usize % MAX_SOURCES];
            simd.gather(source.at(i64::from(word.distance))?, source.shape)
        }
    }
}

per_isa! {
    /// Executes a reduction and gives where to go on; or does nothing, because not all of its words can be read like this.
    pub(crate) fn fma_reduction<O: Observer>(simd; executor: &mut WarpExecutor<O>, reduction: FmaReductionId, active: u32) -> Option<Pc> {
        executor.fma_reduction_in(simd, reduction, active)
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Executes a reduction and gives where to go on; or does nothing, because not all of its words can be read like this.
    #[inline(always)]
    fn fma_reduction_in<V: Vectors>(
        &mut self,
        simd: V,
        reduction: FmaReductionId,
        active: u32,
    ) -> Option<Pc> {
        let reduction = &self.machine.plan.reductions[reduction];
        let mut sources = [self.source(reduction.sources[0])?; MAX_SOURCES];
        for (source, group) in sources.iter_mut().zip(&reduction.sources).skip(1) {
            *source = self.source(*group)?;
        }
        let regs = &self.warp.regs;
        let mut sum = simd.load(&regs.lanes32(reduction.start));
        for [a, b] in &reduction.steps {
            sum = simd.fma(factor(simd, regs, &sources, *a)?, factor(simd, regs, &sources, *b)?, sum);
        }
        self.count_reduction(reduction);
        // A sum that is no number stays none, so it is enough to see to it once.
        simd.put(&mut self.warp.regs.l32[reduction.dst], simd.canonical(sum), active);
        Some(reduction.end)
    }

    /// Where the words of a group are, if a reduction may read them.
    #[inline(always)]
    fn source(&self, group: GroupId) -> Option<GroupWords<'_>> {
        let located = &self.located[group];
        if located.shape == NO_SHAPE {
            return None;
        }
        let words = match located.space {
            Space::Shared => &*self.shared,
            Space::Constant => self.machine.constants[located.allocation as usize]?.0,
            Space::Global if self.machine.options.rules == MemoryRules::Modern => {
                match &self.machine.buffers[located.allocation as usize] {
                    BufferView::ReadOnly { words, .. } => words,
                    BufferView::Written(_) | BufferView::Freed => return None,
                }
            }
            _ => return None,
        };
        Some(GroupWords { words, shape: &self.shapes.known[located.shape as usize], start: located.start })
    }

    /// Counts the loads from global memory, which are not counted once for a group.
    #[inline(always)]
    fn count_reduction(&mut self, reduction: &FmaReduction) {
        if !self.observer.counts() {
            return;
        }
        let mut spaces = reduction.sources.iter().map(|group| self.located[*group].space);
        if !spaces.any(|space| space == Space::Global) {
            return;
        }
        for word in &reduction.words {
            let located = &self.located[reduction.sources[word.source as usize]];
            if located.space == Space::Global {
                let shape = &self.shapes.known[located.shape as usize];
                let start = located.at(i64::from(word.distance));
                let at = InstSite { pc: word.pc, warp: self.index, block: self.block };
                self.observer.global_load(&GlobalAccess { at, shape, allocation: located.allocation, start });
            }
        }
    }
}
