//! Chains of multiply-adds at work (see `plan::chain`).

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
use crate::plan::{Chain, Factor, MOST_SOURCES};
use simt_ir::pointer::Space;

/// A factor of a product. No closure: those are not compiled for the instruction set of the function that they are in.
#[inline(always)]
fn factor<V: Vectors>(
    simd: V,
    regs: &Regs,
    sources: &[GroupWords; MOST_SOURCES],
    factor: Factor,
) -> Option<V::Vector> {
    match factor {
        Factor::Lanes(slot) => Some(simd.load(&regs.l32[slot as usize])),
        Factor::Uniform(slot) => Some(simd.splat(regs.u[slot as usize] as u32)),
        Factor::Word(word) => {
            let source = &sources[word.source as usize % MOST_SOURCES];
            simd.gather(source.at(i64::from(word.distance))?, source.shape)
        }
    }
}

per_isa! {
    /// Executes a chain and gives where to go on; or does nothing, because not all of its words can be read like this.
    pub(crate) fn fma_reduction<O: Observer>(simd; executor: &mut WarpExecutor<O>, number: u32, active: u32) -> Option<u32> {
        executor.fma_reduction_in(simd, number, active)
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Executes a chain and gives where to go on; or does nothing, because not all of its words can be read like this.
    #[inline(always)]
    fn fma_reduction_in<V: Vectors>(&mut self, simd: V, number: u32, active: u32) -> Option<u32> {
        let chain = &self.machine.plan.chains[number as usize];
        let mut sources = [self.source(chain.sources[0])?; MOST_SOURCES];
        for (source, group) in sources.iter_mut().zip(&chain.sources).skip(1) {
            *source = self.source(*group)?;
        }
        let regs = &self.warp.regs;
        let mut sum = simd.load(&regs.lanes32(chain.start));
        for [a, b] in &chain.products {
            sum = simd.fma(factor(simd, regs, &sources, *a)?, factor(simd, regs, &sources, *b)?, sum);
        }
        self.count_chain(chain);
        // A sum that is no number stays none, so it is enough to see to it once.
        simd.put(&mut self.warp.regs.l32[chain.dst as usize], simd.canonical(sum), active);
        Some(chain.end)
    }

    /// Where the words of a group are, if a chain may read them.
    #[inline(always)]
    fn source(&self, group: u32) -> Option<GroupWords<'_>> {
        let located = &self.located[group as usize];
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
    fn count_chain(&mut self, chain: &Chain) {
        if !self.observer.counts() {
            return;
        }
        let mut spaces = chain.sources.iter().map(|group| self.located[*group as usize].space);
        if !spaces.any(|space| space == Space::Global) {
            return;
        }
        for word in &chain.words {
            let located = &self.located[chain.sources[word.source as usize] as usize];
            if located.space == Space::Global {
                let shape = &self.shapes.known[located.shape as usize];
                let start = located.at(i64::from(word.distance));
                let at = InstSite { pc: word.pc, warp: self.index, block: self.block };
                self.observer.global_load(&GlobalAccess { at, shape, allocation: located.allocation, start });
            }
        }
    }
}
