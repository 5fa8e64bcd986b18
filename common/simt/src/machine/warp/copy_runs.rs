//! Copy runs at work; what they are is said at [`CopyRun`](crate::plan::CopyRun).

use crate::fault::AccessKind;
use crate::isa::per_isa;
use crate::launch::MemoryRules;
use crate::machine::context::BufferView;
use crate::machine::event::InstSite;
use crate::machine::observer::Observer;
use crate::machine::observer::{GlobalAccess, GroupStore};
use crate::machine::warp::access::fast_path::{log_shape, scatter, scatter_relaxed};
use crate::machine::warp::access::placement::NO_SHAPE;
use crate::machine::warp::access::shape::GroupWords;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::{Rows, Vectors};
use crate::plan::{CopyRunId, LoadStorePair, Pc};
use simt_ir::pointer::Space;
use std::sync::atomic::AtomicU32;

/// Words of a buffer that is far larger than the caches next to a core of the host.
const FAR: usize = 1 << 21;

/// Asks the host for rows that a run will write to a large buffer, and for what lies behind rows that it reads from one, which
/// is what the neighbouring block probably reads. Measured with a transposition of 4096 x 4096 on one thread: 1.6 times as many
/// elements a second without checks, 1.4 times with run. Where caches have all words it would take time and gain nothing.
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
    #[cfg(target_arch = "x86_64")]
    for pair in pairs {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
        let row = |words: usize, byte: i64| (words > FAR).then(|| (byte as u32 as usize).min(words * 4));
        // SAFETY: any address may be asked for.
        unsafe {
            if let Some(byte) = row(read.len(), from + pair.from) {
                let row = read.as_ptr().cast::<i8>().wrapping_add(byte + 128);
                _mm_prefetch::<_MM_HINT_T0>(row);
                _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(64));
            }
            if let Some(byte) = row(written.len(), to + pair.to) {
                let row = written.as_ptr().cast::<i8>().wrapping_add(byte);
                _mm_prefetch::<_MM_HINT_ET0>(row);
                _mm_prefetch::<_MM_HINT_ET0>(row.wrapping_add(64));
            }
        }
    }
}

per_isa! {
    /// Executes loads and stores of a copy run and gives where to go on; or does nothing, because something is unusual.
    pub(crate) fn copy_run<O: Observer>(simd; executor: &mut WarpExecutor<O>, run: CopyRunId, active: u32) -> Option<Pc> {
        executor.copy_run_in(simd, run, active)
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Executes a copy run and gives where to go on, which is before its end if a store needs the long way; or does nothing,
    /// because one of the groups lies where a run cannot go.
    #[inline(always)]
    fn copy_run_in<V: Vectors>(&mut self, simd: V, run: CopyRunId, active: u32) -> Option<Pc> {
        let machine = self.machine;
        let run = &machine.plan.copy_runs[run];
        if self.observer.counts() && machine.options.rules != MemoryRules::Modern {
            return None;
        }
        if run.to.leads {
            self.resolve_stores(run.to.group, active);
        }
        let to = self.located[run.to.group];
        if to.shape == NO_SHAPE || !self.asyncs.idle() || !self.shapes.known[to.shape as usize].disjoint {
            return None;
        }
        let written = match to.space {
            Space::Shared => None,
            Space::Global => match &machine.buffers[to.allocation as usize] {
                BufferView::Written(view) if !machine.ordered || !self.observer.checks() => Some(view),
                _ => return None,
            },
            _ => return None,
        };
        if run.from.leads {
            self.resolve_loads(run.from.group, active);
        }
        let from = self.located[run.from.group];
        if from.shape == NO_SHAPE {
            return None;
        }
        // Where a load is noted when it is got ready, there is no way back from here.
        let read = match from.space {
            Space::Shared => &[],
            space => machine.fixed_words(space, from.allocation)?,
        };
        let known = &self.shapes.known;
        let (from_layout, to_layout) = (&known[from.shape as usize], &known[to.shape as usize]);
        let dst = &mut self.warp.regs.l32[run.dst];
        let (contiguous, who) = (to_layout.is_row(), (to.allocation, self.block + 1));
        let rows_written = written.filter(|_| contiguous).map_or(&[][..], |view| view.words);
        let source = GroupWords { words: read, shape: from_layout, start: from.start };
        prefetch_rows(&run.pairs, source, (rows_written, to.start));
        // All rows at once, if they are.
        let noted = match (written, run.step) {
            (Some(_), Some(step)) if contiguous => {
                let first = to.at(run.pairs[0].to) as usize / 4;
                self.log.rows(
                    AccessKind::Store,
                    who,
                    (first, 32),
                    (run.pairs.len() as u32, (step / 4) as u32),
                );
                machine.flush_if_full(self.log);
                true
            }
            _ => false,
        };
        let done = match written {
            _ if run.live_out || !contiguous || self.observer.counts() => 0,
            Some(view) if noted => {
                let words = if from.space == Space::Shared { &*self.shared } else { read };
                let rows = Rows { pairs: &run.pairs, from: GroupWords { words, ..source }, to: to.start };
                simd.copy_rows_relaxed(&rows, view.words)
            }
            None if !self.observer.checks() && from.space != Space::Shared => {
                let rows = Rows { pairs: &run.pairs, from: source, to: to.start };
                simd.copy_rows(&rows, self.shared)
            }
            _ => 0,
        };
        let mut last = None;
        for pair in &run.pairs[done..] {
            let start = from.at(pair.from);
            let source = if from.space == Space::Shared { &*self.shared } else { read };
            // All of the group is inside its allocation, so there is no else.
            let Some(words) = source.get(start as usize / 4..) else { return last.map(|_| pair.load) };
            let Some(vector) = simd.gather(words, from_layout) else { return last.map(|_| pair.load) };
            last = Some(vector);
            if from.space == Space::Global {
                let at = InstSite { pc: pair.load, warp: self.index, block: self.block };
                let (shape, allocation) = (&**from_layout, from.allocation);
                self.observer.global_load(&GlobalAccess { at, shape, allocation, start });
            }
            let start = to.at(pair.to);
            let first = start as usize / 4;
            if let Some(view) = written {
                let at = InstSite { pc: pair.store, warp: self.index, block: self.block };
                let (shape, allocation) = (&**to_layout, to.allocation);
                self.observer.global_store(&GlobalAccess { at, shape, allocation, start });
                if !noted {
                    log_shape(self.log, AccessKind::Store, who, to_layout, first);
                    machine.flush_if_full(self.log);
                }
                let words = &view.words[first..];
                match words.first_chunk() {
                    Some(words) if contiguous => simd.store_relaxed(words, vector),
                    _ => {
                        simd.put(dst, vector, active);
                        scatter_relaxed(words, to_layout, dst);
                    }
                }
                continue;
            }
            let shape = (to_layout, to.shape);
            if !self.observer.group_store(&GroupStore { pc: pair.store, shape, start, warp: self.index }) {
                simd.put(dst, vector, active);
                return Some(pair.store);
            }
            let words = &mut self.shared[first..];
            match words.first_chunk_mut() {
                Some(words) if contiguous => simd.store(words, vector),
                _ => {
                    simd.put(dst, vector, active);
                    scatter(words, to_layout, dst);
                }
            }
        }
        if let Some(vector) = last {
            simd.put(dst, vector, active);
        }
        Some(run.end)
    }
}
