//! Atomic operations: lane by lane, in the order of the lanes, or in the opposite one for odd seeds of the schedule, as no program may rely on it.
//!
//! Operations on global memory are atomic for other threads of the host, too, if they are of 32 bits. Those of 64 bits make a launch run
//! its blocks in order.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::BufferView;
use crate::machine::event::{AccessClass, InstSite, LaneFault, ResolvedAccess, WordWrite};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, Regs};
use crate::plan::Atomic;
use crate::value;
use simt_ir::pointer::Space;
use std::sync::atomic::Ordering::Relaxed;

/// The operation of one lane.
struct LaneAtomic<'a> {
    atomic: &'a Atomic,
    class: AccessClass,
    lane: usize,
    operand: u64,
    compare: u64,
    /// Its first word, and how many words it changes.
    start: usize,
    words: usize,
}

fn class_of(atomic: &Atomic) -> AccessClass {
    AccessClass::atomic(atomic.order, atomic.dst.is_some(), atomic.op)
}

impl LaneAtomic<'_> {
    fn new<'a>(regs: &Regs, atomic: &'a Atomic, access: &ResolvedAccess, lane: usize) -> LaneAtomic<'a> {
        LaneAtomic {
            atomic,
            class: class_of(atomic),
            lane,
            operand: regs.at(atomic.value, lane),
            compare: atomic.compare.map_or(0, |compare| regs.at(compare, lane)),
            start: (access.offsets[lane] / 4) as usize,
            words: atomic.ty.bytes() as usize / 4,
        }
    }

    /// What it leaves in memory.
    fn update(&self, old: u64) -> u64 {
        value::atomic(self.atomic.op, self.atomic.ty, old, self.operand, self.compare)
    }

    /// The old value; `word` gives each of its words.
    fn old(&self, word: impl Fn(usize) -> u32) -> u64 {
        let words = self.start..self.start + self.words;
        words.rev().fold(0, |value, at| value << 32 | u64::from(word(at)))
    }

    /// What it writes to each of its words.
    fn writes(&self, allocation: u32, old: u64) -> impl Iterator<Item = WordWrite> {
        let new = self.update(old);
        (0..self.words).map(move |part| {
            let [old, new, compare] = [old, new, self.compare].map(|value| (value >> (32 * part)) as u32);
            let word = (self.start + part) as u32;
            WordWrite {
                compare,
                class: self.class,
                ..WordWrite::whole(allocation, self.lane, word, old, new)
            }
        })
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    pub(crate) fn atomic(
        &mut self,
        at: &InstSite,
        atomic: &Atomic,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let (machine, kind, bytes) = (self.machine, AccessKind::Atomic, atomic.ty.bytes());
        let mut old = Lanes([0u64; 32]);
        let mut rest = active;
        while rest != 0 {
            let access = machine.resolve(&self.warp.regs, &atomic.address, bytes, rest, kind)?;
            rest &= !access.mask;
            if access.space == Space::Constant {
                let target = machine.target(access.space, access.allocation);
                return Err(LaneFault::of(FaultKind::WriteToConstant { target }, access.mask));
            }
            self.observe(at, &access, class_of(atomic))?;
            for lane in machine.atomic_lanes(access.mask) {
                let operation = LaneAtomic::new(&self.warp.regs, atomic, &access, lane);
                old.0[lane] = self.atomic_lane(at, &access, &operation)?;
                self.stored |= operation.update(old.0[lane]) != old.0[lane];
            }
        }
        if let Some(dst) = atomic.dst {
            self.warp.regs.put(dst, &old, active);
        }
        Ok(())
    }

    /// Executes the operation of one lane; gives the old value.
    fn atomic_lane(
        &mut self,
        at: &InstSite,
        access: &ResolvedAccess,
        atomic: &LaneAtomic,
    ) -> Result<u64, Box<LaneFault>> {
        match access.space {
            Space::Global => self.atomic_global(at, access, atomic),
            Space::Shared => {
                let old = atomic.old(|word| self.shared[word]);
                for write in atomic.writes(access.allocation, old) {
                    if self.observer.asks_for_words() && self.warp.taint.access.silent >> write.lane & 1 == 0
                    {
                        let result = self.observer.shared_write(self.machine, at, &write);
                        self.machine.tolerate(at, result)?;
                    }
                    self.shared[write.word as usize] = write.new;
                }
                Ok(old)
            }
            Space::Local => {
                let local = &mut self.warp.local;
                let old = atomic.old(|word| local[word].0[atomic.lane]);
                for write in atomic.writes(access.allocation, old) {
                    local[write.word as usize].0[atomic.lane] = write.new;
                }
                Ok(old)
            }
            Space::Constant | Space::None => Ok(0),
        }
    }

    fn atomic_global(
        &mut self,
        at: &InstSite,
        access: &ResolvedAccess,
        atomic: &LaneAtomic,
    ) -> Result<u64, Box<LaneFault>> {
        let (machine, allocation) = (self.machine, access.allocation);
        let BufferView::Written(view) = &machine.buffers[allocation as usize] else {
            let message = "an atomic reaches a buffer that dataflow says it cannot".into();
            return Err(LaneFault::of(FaultKind::InvalidModule { message }, access.mask));
        };
        // To other blocks an atomic at block scope is a store like any other.
        let kind = if atomic.class.is_of_block() { AccessKind::Store } else { AccessKind::Atomic };
        let log_entry = self.buffer_access(kind, allocation);
        self.log.run(log_entry, atomic.start..atomic.start + atomic.words);
        machine.flush_if_full(self.log);
        let load = |word: usize| view.words[word].load(Relaxed);
        if self.observer.asks_for_words() && self.warp.taint.access.silent >> atomic.lane & 1 == 0 {
            for write in atomic.writes(allocation, atomic.old(load)) {
                machine.tolerate(at, self.observer.global_write(machine, at, &write))?;
            }
        }
        if atomic.words == 1 {
            let update = |old| Some(atomic.update(u64::from(old)) as u32);
            let result = view.words[atomic.start].fetch_update(Relaxed, Relaxed, update);
            return Ok(u64::from(result.unwrap_or_else(|old| old)));
        }
        // 64-bit atomics make the launch run its blocks in order, so no other thread of the host comes between.
        let old = atomic.old(load);
        for write in atomic.writes(allocation, old) {
            view.words[write.word as usize].store(write.new, Relaxed);
        }
        Ok(old)
    }
}
