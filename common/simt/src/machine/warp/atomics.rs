//! Atomics: lane by lane, in order.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::BufferView;
use crate::machine::event::{InstSite, LaneFault, ResolvedAccess, WordWrite};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, first};
use crate::plan::Atomic;
use crate::value;
use simt_ir::pointer::Space;
use std::sync::atomic::Ordering::Relaxed;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    pub(crate) fn atomic(
        &mut self,
        at: &InstSite,
        access: &Atomic,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let mut old = Lanes([0u64; 32]);
        let mut rest = active;
        while rest != 0 {
            let kind = AccessKind::Atomic;
            let (span, more) =
                machine.resolve(&self.warp.regs, &access.address, access.ty.bytes(), rest, kind)?;
            rest = more;
            if span.space == Space::Constant {
                let (target, _) = machine.target(span.space, span.allocation);
                return Err(LaneFault::of(FaultKind::WriteToConstant { target }, span.mask));
            }
            self.observe(at, &span, kind)?;
            let mut lanes = span.mask;
            while lanes != 0 {
                let lane = first(lanes);
                lanes &= lanes - 1;
                old.0[lane] = self.atomic_lane(at, access, &span, lane)?;
            }
        }
        if let Some(dst) = access.dst {
            self.warp.regs.put(dst, &old, active);
        }
        Ok(())
    }

    /// The update of one lane; gives the old value.
    fn atomic_lane(
        &mut self,
        at: &InstSite,
        access: &Atomic,
        span: &ResolvedAccess,
        lane: usize,
    ) -> Result<u64, Box<LaneFault>> {
        let machine = self.machine;
        let regs = &self.warp.regs;
        let wide = access.ty.bytes() == 8;
        let operand = regs.at(access.value, lane);
        let compare = access.compare.map_or(0, |compare| regs.at(compare, lane));
        let update = |old: u64| value::atomic(access.op, access.ty, old, operand, compare);
        let start = (span.offsets[lane] / 4) as usize;
        let count = if wide { 2 } else { 1 };
        let allocation = span.allocation;
        let write = |part: usize, old: u64, new: u64| WordWrite {
            lane,
            allocation,
            word: (start + part) as u32,
            first: 0,
            len: 4,
            old: (old >> (32 * part)) as u32,
            new: (new >> (32 * part)) as u32,
            atomic: true,
        };
        let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        match span.space {
            Space::Global => {
                let BufferView::Written(view) = &machine.buffers[allocation as usize] else {
                    let message = "an atomic reaches a buffer that dataflow says it cannot".into();
                    return Err(LaneFault::of(FaultKind::InvalidModule { message }, span.mask));
                };
                self.log.run(AccessKind::Atomic, (span.allocation, at.block + 1), start, count);
                machine.flush_if_full(self.log);
                let words = &view.words[start..start + count];
                if self.observer.checks() && machine.ordered {
                    let old = words.iter().rev().fold(0, |v, w| v << 32 | u64::from(w.load(Relaxed)));
                    for part in 0..count {
                        self.observer.global_write(machine, at, &write(part, old, update(old)))?;
                    }
                }
                if let [word] = words {
                    let result =
                        word.fetch_update(Relaxed, Relaxed, |old| Some(update(u64::from(old)) as u32));
                    return Ok(u64::from(result.unwrap_or_else(|old| old)));
                }
                // 64-bit atomics make the launch run its blocks in order, so nothing comes between.
                let old = join(words[0].load(Relaxed), words[1].load(Relaxed));
                let new = update(old);
                words[0].store(new as u32, Relaxed);
                words[1].store((new >> 32) as u32, Relaxed);
                Ok(old)
            }
            Space::Shared => {
                let old = join(self.shared[start], if wide { self.shared[start + 1] } else { 0 });
                let new = update(old);
                for part in 0..count {
                    let write = write(part, old, new);
                    self.observer.shared_write(machine, at, &write)?;
                    self.shared[start + part] = write.new;
                }
                Ok(old)
            }
            Space::Local => {
                let local = &mut self.warp.local;
                let old = join(local[start].0[lane], if wide { local[start + 1].0[lane] } else { 0 });
                let new = update(old);
                for part in 0..count {
                    local[start + part].0[lane] = (new >> (32 * part)) as u32;
                }
                Ok(old)
            }
            Space::Constant | Space::None => Ok(0),
        }
    }
}
