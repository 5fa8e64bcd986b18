//! FMA reductions: sums of products, `sum += a * b` over and over, executed with the sum in the host's registers.
//!
//! The planner found the steps (`plan::transform::fma_reductions`). Factors come from registers, or straight from the words of access
//! groups. A reduction is executed here if all of these groups take the fast path to memory that no block writes; else its
//! instructions are executed one by one.

use crate::isa::per_isa;
use crate::launch::MemoryRules;
use crate::machine::context::BufferView;
use crate::machine::observer::{GlobalAccess, Observer};
use crate::machine::warp::access::shape::GroupWords;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::Regs;
use crate::plan::{Factor, FmaReduction, FmaReductionId, GroupId, MAX_SOURCES, Pc};
use simt_ir::pointer::Space;

/// A factor of a product.
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
    /// Executes an FMA reduction, and gives the next instruction; `None`, and nothing was done, if not all
    /// of its words can be read like this.
    pub(crate) fn fma_reduction<O: Observer>(
        simd; executor: &mut WarpExecutor<O>, reduction: FmaReductionId, active: u32
    ) -> Option<Pc> {
        executor.fma_reduction_in(simd, reduction, active)
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    #[inline(always)]
    fn fma_reduction_in<V: Vectors>(
        &mut self,
        simd: V,
        reduction: FmaReductionId,
        active: u32,
    ) -> Option<Pc> {
        let reduction = &self.machine.plan.reductions[reduction];
        let mut sources = [self.reduction_source(reduction.sources[0])?; MAX_SOURCES];
        for (source, group) in sources.iter_mut().zip(&reduction.sources).skip(1) {
            *source = self.reduction_source(*group)?;
        }
        let regs = &self.warp.regs;
        let mut sum = simd.load(&regs.lanes32(reduction.start));
        for [a, b] in &reduction.steps {
            sum = simd.fma(factor(simd, regs, &sources, *a)?, factor(simd, regs, &sources, *b)?, sum);
        }
        self.count_loads(reduction);
        // A NaN stays a NaN, so it is enough to make it canonical once.
        simd.put(&mut self.warp.regs.l32[reduction.dst], simd.canonical(sum), active);
        Some(reduction.end)
    }

    /// The words of a group, if a reduction may read them.
    #[inline(always)]
    fn reduction_source(&self, group: GroupId) -> Option<GroupWords<'_>> {
        let group = self.resolved[group].as_ref()?;
        let words = match group.space {
            Space::Shared => &*self.shared,
            Space::Constant => self.machine.constant_words(group.allocation)?,
            Space::Global if self.machine.options.limits.rules == MemoryRules::Modern => {
                match &self.machine.buffers[group.allocation as usize] {
                    BufferView::ReadOnly { words, .. } => words,
                    BufferView::Written(_) | BufferView::Freed => return None,
                }
            }
            _ => return None,
        };
        Some(GroupWords { words, shape: self.shapes.shape(group.shape), start: group.start })
    }

    /// Counts the loads from global memory; those from other memories were counted with their group.
    #[inline(always)]
    fn count_loads(&mut self, reduction: &FmaReduction) {
        if !self.observer.counts() {
            return;
        }
        let is_global =
            |group: GroupId| self.resolved[group].as_ref().filter(|group| group.space == Space::Global);
        if !reduction.sources.iter().any(|group| is_global(*group).is_some()) {
            return;
        }
        for word in &reduction.words {
            if let Some(group) = is_global(reduction.sources[word.source as usize]) {
                let (shape, allocation) = (self.shapes.shape(group.shape), group.allocation);
                let start = group.at(i64::from(word.distance));
                let at = self.at(word.pc);
                self.observer.global_load(&GlobalAccess { at, shape, allocation, start });
            }
        }
    }
}
