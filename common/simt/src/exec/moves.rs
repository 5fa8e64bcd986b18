//! Moves at work (see `plan::moves`).

use super::fast::{Located, log_layout, scatter};
use super::layout::NO_LAYOUT;
use super::vectors::Vectors;
use super::warp::Cpu;
use super::{Shape, View};
use crate::check::KnownStore;
use crate::launch::MemoryRules;
use crate::memory::marks::Touch;
use simt_ir::pointer::Space;
use std::sync::atomic::Ordering::Relaxed;

impl Cpu<'_, '_> {
    /// Executes a move and gives where to go on, which is before its end if a store needs the long way; or does nothing,
    /// because one of the groups lies where a move cannot go.
    #[inline(always)]
    pub(super) fn move_words<G: Vectors>(&mut self, number: u32, active: u32) -> Option<u32> {
        let machine = self.machine;
        let all = &machine.plan.moves[number as usize];
        let [from_group, to_group] = all.groups;
        if self.observer.counting.is_some() && machine.options.rules != MemoryRules::Modern {
            return None;
        }
        if all.leads[1] {
            let group = &machine.plan.groups[to_group as usize];
            let located = self.locate_group((group, to_group), active);
            self.located[to_group as usize] = located.unwrap_or(Located::NOWHERE);
        }
        let to = self.located[to_group as usize];
        if to.layout == NO_LAYOUT || !self.asyncs.idle() || !self.layouts.known[to.layout as usize].disjoint {
            return None;
        }
        let written = match to.space {
            Space::Shared => None,
            Space::Global => match &machine.buffers[to.allocation as usize] {
                View::Written(view) if !machine.ordered || self.observer.checks.is_none() => Some(view),
                _ => return None,
            },
            _ => return None,
        };
        if all.leads[0] {
            self.prepare(from_group, active);
        }
        let from = self.located[from_group as usize];
        if from.layout == NO_LAYOUT {
            return None;
        }
        // Where a load is noted when it is got ready, there is no way back from here.
        let read = match from.space {
            Space::Global => match &machine.buffers[from.allocation as usize] {
                View::Plain { words, .. } => *words,
                View::Written(_) | View::None => return None,
            },
            Space::Constant => machine.constants[from.allocation as usize]?.0,
            _ => &[],
        };
        let layouts = [from.layout, to.layout].map(|layout| &self.layouts.known[layout as usize]);
        let [from_layout, to_layout] = layouts;
        let dst = &mut self.warp.regs.l32[all.dst as usize];
        let mut last = None;
        for pair in &all.pairs {
            let start = from.at(pair.from);
            let source = if from.space == Space::Shared { &*self.shared } else { read };
            let words = source.get(start as usize / 4..);
            let Some(vector) = words.and_then(|words| G::pick(words, from_layout)) else {
                // All of the group is inside its allocation, so this is not reached.
                return last.map(|_| pair.load);
            };
            last = Some(vector);
            if from.space == Space::Global
                && let Some(counting) = &mut self.observer.counting
            {
                counting.load_known(pair.load, from_layout, from.allocation, start);
            }
            let start = to.at(pair.to);
            let first = start as usize / 4;
            let Some(view) = written else {
                if let Some(checks) = &mut self.observer.checks {
                    let layout = (to_layout, to.layout);
                    let known = KnownStore { pc: pair.store, layout, start, warp: self.index };
                    if !checks.write_known(&known) {
                        G::put(dst, vector, active);
                        return Some(pair.store);
                    }
                }
                if let Some(counting) = &mut self.observer.counting {
                    counting.store_shared(pair.store, to_layout);
                }
                if to_layout.shape == Shape::Contiguous
                    && let Some(words) = self.shared[first..].first_chunk_mut()
                {
                    G::lay(words, vector);
                } else {
                    G::put(dst, vector, active);
                    scatter(&mut self.shared[first..], to_layout, dst);
                }
                continue;
            };
            if let Some(counting) = &mut self.observer.counting {
                counting.store_known(pair.store, to_layout, start);
            }
            log_layout(self.log, Touch::Write, (to.allocation, self.block + 1), to_layout, first);
            machine.tidy(self.log);
            if to_layout.shape == Shape::Contiguous
                && let Some(words) = view.words[first..].first_chunk()
            {
                G::publish(words, vector);
            } else {
                G::put(dst, vector, active);
                let mut rest = to_layout.mask;
                while rest != 0 {
                    let lane = super::lanes::first(rest);
                    rest &= rest - 1;
                    view.words[first + to_layout.words.0[lane] as usize].store(dst.0[lane], Relaxed);
                }
            }
        }
        if let Some(vector) = last {
            G::put(dst, vector, active);
        }
        Some(all.end)
    }
}
