//! Copy runs: loads that are each followed by a store of what they have loaded, executed from memory to memory.
//!
//! The planner found the load-store pairs (`plan::transform::copy_runs`). A run is executed here if both of its access groups take the fast
//! path; else its instructions are executed one by one. Where possible all rows are copied in one loop that no observer has to see.

use crate::fault::AccessKind;
use crate::isa::per_isa;
use crate::launch::MemoryRules;
use crate::machine::context::BufferView;
use crate::machine::event::InstSite;
use crate::machine::memory::owners::log::WordRows;
use crate::machine::observer::{GlobalAccess, GroupStore, Observer};
use crate::machine::warp::access::fast_path::{log_shape, scatter, scatter_relaxed};
use crate::machine::warp::access::shape::GroupWords;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::{Rows, Vectors};
use crate::plan::{CopyRunId, LoadStorePair, Pc};
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;

/// Words of a buffer that is far larger than the caches next to a core of the host.
const FAR: usize = 1 << 21;

/// Prefetches rows that a copy run writes to a large buffer, and what follows the rows that it reads from one, which
/// is what the neighbouring block probably reads. Measured with a transposition of 4096 x 4096 on one thread: 1.6 times as many
/// elements per second without checks, 1.4 times with all. Where caches hold all words it would take time and gain nothing.
#[inline(always)]
pub(crate) fn prefetch_rows(pairs: &[LoadStorePair], from: GroupWords, (written, to): (&[AtomicU32], i64)) {
    let read = if from.shape.is_row() { from.words } else { &[] };
    if read.len().max(written.len()) > FAR {
        prefetch(pairs, (read, from.start), (written, to));
    }
}

#[cold]
#[inline(never)]
fn prefetch(pairs: &[LoadStorePair], (read, from): (&[u32], i64), (written, to): (&[AtomicU32], i64)) {
    for pair in pairs {
        let row = |words: usize, byte: i64| (words > FAR).then(|| (byte as u32 as usize).min(words * 4));
        if let Some(byte) = row(read.len(), from + pair.from) {
            let row = read.as_ptr().cast::<u8>().wrapping_add(byte + 128);
            prefetch_line(row);
            prefetch_line(row.wrapping_add(64));
        }
        if let Some(byte) = row(written.len(), to + pair.to) {
            let row = written.as_ptr().cast::<u8>().wrapping_add(byte);
            prefetch_line_to_write(row);
            prefetch_line_to_write(row.wrapping_add(64));
        }
    }
}

/// Asks for a cache line that will be read; nothing where the standard library has no such hint.
#[inline(always)]
fn prefetch_line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and cannot fault, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks for a cache line that will be written; nothing where the standard library has no such hint.
#[inline(always)]
fn prefetch_line_to_write(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint and cannot fault, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_ET0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

per_isa! {
    /// Executes a copy run, and gives the next instruction, which is inside the run if a store needs the
    /// slow path; `None`, and nothing was done, if a group does not take the fast path.
    pub(crate) fn copy_run<O: Observer>(
        simd; executor: &mut WarpExecutor<O>, run: CopyRunId, active: u32
    ) -> Option<Pc> {
        executor.copy_run_in(simd, run, active)
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    #[inline(always)]
    fn copy_run_in<V: Vectors>(&mut self, simd: V, run: CopyRunId, active: u32) -> Option<Pc> {
        let machine = self.machine;
        let run = &machine.plan.copy_runs[run];
        if self.observer.counts() && machine.options.limits.rules != MemoryRules::Modern {
            return None;
        }
        if run.to.leads {
            self.resolve_stores(run.to.group, active);
        }
        let to = self.resolved[run.to.group]?;
        if !self.asyncs.is_idle() || !self.shapes.shape(to.shape).disjoint {
            return None;
        }
        let written = match to.space {
            Space::Shared => None,
            Space::Global => match &machine.buffers[to.allocation as usize] {
                BufferView::Written(view) if !machine.ordered || !self.observer.checks() => Some(view),
                _ => return None,
            },
            Space::Constant | Space::Local | Space::None => return None,
        };
        if run.from.leads {
            self.resolve_loads(run.from.group, active);
        }
        let from = self.resolved[run.from.group]?;
        // If the observer was told of the loads, there is no way back from here.
        let read = match from.space {
            Space::Shared => &[],
            space => machine.fixed_words(space, from.allocation)?,
        };
        let (from_shape, to_shape) = (self.shapes.shape(from.shape), self.shapes.shape(to.shape));
        let (rows, write) = (to_shape.is_row(), self.buffer_access(AccessKind::Store, to.allocation));
        let source = GroupWords { words: read, shape: from_shape, start: from.start };
        let rows_written = written.filter(|_| rows).map_or(&[][..], |view| view.words);
        prefetch_rows(&run.pairs, source, (rows_written, to.start));
        // One entry for all rows, if they are at equal distances.
        let logged = match (written, run.step) {
            (Some(_), Some(step)) if rows => {
                let (first, step) = (to.at(run.pairs[0].to) / 4, (step / 4) as u32);
                self.log.rows(write, WordRows { first, width: 32, rows: run.pairs.len() as u32, step });
                machine.flush_if_full(self.log);
                true
            }
            _ => false,
        };
        let done = match written {
            _ if run.live_out || !rows || self.observer.counts() => 0,
            Some(view) if logged && !self.observer.checks() => {
                let words = if from.space == Space::Shared { &*self.shared } else { read };
                let rows = Rows { pairs: &run.pairs, from: GroupWords { words, ..source }, to: to.start };
                simd.copy_rows_relaxed(&rows, view.words)
            }
            None if !self.observer.checks() && from.space != Space::Shared => {
                simd.copy_rows(&Rows { pairs: &run.pairs, from: source, to: to.start }, self.shared)
            }
            _ => 0,
        };
        let site = self.at(run.end);
        let dst = &mut self.warp.regs.l32[run.dst];
        let mut last = None;
        for pair in &run.pairs[done..] {
            let words = if from.space == Space::Shared { &*self.shared } else { read };
            // All of the group is inside its allocation, so there is no else.
            let Some(words) = (GroupWords { words, ..source }).at(pair.from) else {
                return last.map(|_| pair.load);
            };
            let Some(vector) = simd.gather(words, from_shape) else { return last.map(|_| pair.load) };
            last = Some(vector);
            if from.space == Space::Global {
                let (at, start) = (InstSite { pc: pair.load, ..site }, from.at(pair.from));
                let allocation = from.allocation;
                self.observer.global_load(&GlobalAccess { at, shape: from_shape, allocation, start });
            }
            let start = to.at(pair.to);
            let first = start as usize / 4;
            let Some(view) = written else {
                let (pc, shape, shape_id, warp) = (pair.store, to_shape, to.shape, self.warp.index);
                if !self.observer.group_store(self.machine, &GroupStore { pc, shape, shape_id, start, warp })
                {
                    simd.put(dst, vector, active);
                    return Some(pair.store);
                }
                let words = &mut self.shared[first..];
                match words.first_chunk_mut() {
                    Some(row) if rows => simd.store(row, vector),
                    _ => {
                        simd.put(dst, vector, active);
                        scatter(words, to_shape, dst, to_shape.mask);
                    }
                }
                continue;
            };
            let (at, allocation) = (InstSite { pc: pair.store, ..site }, to.allocation);
            let access = GlobalAccess { at, shape: to_shape, allocation, start };
            if self.observer.checks() {
                simd.put(dst, vector, active);
                if !self.observer.block_store(&access) {
                    return Some(pair.store);
                }
            }
            self.observer.global_store(&access);
            if !logged {
                log_shape(self.log, write, to_shape, first);
                machine.flush_if_full(self.log);
            }
            let words = &view.words[first..];
            match words.first_chunk() {
                Some(row) if rows => simd.store_relaxed(row, vector),
                _ => {
                    simd.put(dst, vector, active);
                    scatter_relaxed(words, to_shape, dst, to_shape.mask);
                }
            }
        }
        if let Some(vector) = last {
            simd.put(dst, vector, active);
        }
        Some(run.end)
    }
}
