//! Asynchronous copies, and barriers in shared memory.
//!
//! A copy takes its bytes when it begins and puts them into shared memory when it is waited for, so that a missing wait
//! shows in the results; the checker knows of each copy under way. What a barrier waits for is put there when its phase
//! completes, which ends an interval of the race checker for the whole block: what a barrier orders is never called a
//! race, though what a thread does that did not wait for it may go unseen.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::{BufferView, Machine};
use crate::machine::event::{InstSite, LaneFault, ResolvedAccess, WordWrite};
use crate::machine::observer::Observer;
use crate::machine::warp::async_state::{AsyncState, Copy, OPEN, PhaseBarrier, UNBOUND};
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, first};
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::{AddressOperand, AsyncCopy, Operand32, Operand64, Pc};
use simt_ir::Location;
use simt_ir::pointer::Space;
use std::sync::atomic::Ordering::Relaxed;

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |i| mask >> i & 1 == 1)
}

/// An arrival at a barrier in shared memory.
pub(crate) struct Arrival {
    /// Whether the barrier expects one thread less from then on.
    pub(crate) drops: bool,
    /// Where the phase goes.
    pub(crate) dst: Option<Operand32>,
    pub(crate) barrier: Operand64,
    /// How many arrivals this is.
    pub(crate) count: Operand32,
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Refuses a store to global memory that a copy under way reads.
    pub(crate) fn keep_sources(&self, span: &ResolvedAccess) -> Result<(), Box<LaneFault>> {
        if self.asyncs.idle() || span.space != Space::Global {
            return Ok(());
        }
        let Some((lane, pc)) = self.asyncs.source(span) else { return Ok(()) };
        let (target, _) = self.machine.target(span.space, span.allocation);
        let copy = self.machine.plan.locations[pc];
        let offset = i64::from(span.offsets[lane]);
        let mut fault = LaneFault::of(FaultKind::AsyncSourceWritten { target, offset }, 1 << lane);
        fault.other = copy;
        Err(fault)
    }

    pub(crate) fn async_copy(
        &mut self,
        at: &InstSite,
        copy: &AsyncCopy,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let bytes = copy.bytes;
        let used = self.warp.regs.lanes32(copy.used);
        let over = lanes(active).filter(|i| used.0[*i] > bytes).fold(0u32, |m, i| m | 1 << i);
        if over != 0 {
            let used = used.0[first(over)];
            return Err(LaneFault::of(FaultKind::AsyncCopySize { used, bytes }, over));
        }
        let mut data = [[0u32; 4]; 32];
        let mut from = Vec::new();
        let mut rest = active;
        while rest != 0 {
            let size = used.0[first(rest)];
            let alike = lanes(rest).filter(|i| used.0[*i] == size).fold(0u32, |m, i| m | 1 << i);
            rest &= !alike;
            // The hardware reads no more than it needs; so much in pieces that are aligned.
            let piece = if size == 0 { continue } else { bytes.min(1 << size.trailing_zeros()) };
            for start in (0..size).step_by(piece as usize) {
                let offset = copy.from.offset.wrapping_add(u64::from(start));
                let source = AddressOperand { offset, ..copy.from };
                self.async_read(at, &source, (start, piece, alike), &mut data, &mut from)?;
            }
        }
        let mut rest = active;
        while rest != 0 {
            let (span, more) = machine.resolve(&self.warp.regs, &copy.to, bytes, rest, AccessKind::Store)?;
            rest = more;
            if span.space != Space::Shared {
                let (target, _) = machine.target(span.space, span.allocation);
                return Err(LaneFault::of(FaultKind::NotShared { target }, span.mask));
            }
            self.observer.access(machine, at, &span, AccessKind::Store)?;
            for lane in lanes(span.mask) {
                for part in 0..bytes / 4 {
                    let word = span.offsets[lane] / 4 + part;
                    let write =
                        write(&span, lane, word, self.shared[word as usize], data[lane][part as usize]);
                    self.observer.async_begin(machine, at, &write)?;
                }
            }
            let mine = from.iter().map(|(a, off, mask)| (*a, *off, mask & span.mask)).collect();
            self.asyncs.open += 1;
            let queue = self.asyncs.queues.entry(at.warp).or_default();
            queue.copies.push(Copy {
                pc: at.pc,
                lanes: span.mask,
                allocation: span.allocation,
                to: span.offsets,
                from: mine,
                bytes,
                data,
                group: [OPEN; 32],
                barrier: [UNBOUND; 32],
            });
        }
        Ok(())
    }

    /// Reads `piece` bytes for the lanes of a mask, to byte `start` of what is copied.
    fn async_read(
        &mut self,
        at: &InstSite,
        addr: &AddressOperand,
        (start, piece, mask): (u32, u32, u32),
        data: &mut [[u32; 4]; 32],
        from: &mut Vec<(u32, [u32; 32], u32)>,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let mut rest = mask;
        while rest != 0 {
            let (span, more) = machine.resolve(&self.warp.regs, addr, piece, rest, AccessKind::Load)?;
            rest = more;
            if span.space != Space::Global {
                let (target, _) = machine.target(span.space, span.allocation);
                return Err(LaneFault::of(FaultKind::NotGlobal { target }, span.mask));
            }
            self.observe(at, &span, AccessKind::Load)?;
            if start == 0 {
                from.push((span.allocation, span.offsets, span.mask));
            }
            let view = &machine.buffers[span.allocation as usize];
            for lane in lanes(span.mask) {
                for byte in (0..piece).step_by(piece.min(4) as usize) {
                    let source = span.offsets[lane] + byte;
                    let word = match view {
                        BufferView::ReadOnly { words, .. } => words[source as usize / 4],
                        BufferView::Written(view) => {
                            let who = (span.allocation, at.block + 1);
                            self.log.run(AccessKind::Load, who, source as usize / 4, 1);
                            machine.flush_if_full(self.log);
                            view.words[source as usize / 4].load(Relaxed)
                        }
                        BufferView::Freed => 0,
                    };
                    let to = start + byte;
                    let value =
                        if piece >= 4 { word } else { word >> (source % 4 * 8) & ((1 << (8 * piece)) - 1) };
                    data[lane][to as usize / 4] |= value << (to % 4 * 8);
                }
            }
        }
        Ok(())
    }

    /// Makes a group of a thread's copies since its last group.
    pub(crate) fn async_commit(&mut self, at: &InstSite, active: u32) {
        let queue = self.asyncs.queues.entry(at.warp).or_default();
        for lane in lanes(active) {
            let group = queue.committed[lane];
            queue.open(lane).for_each(|copy| copy.group[lane] = group);
            queue.committed[lane] += 1;
        }
    }

    /// Waits until at most `groups` of a thread's last groups are under way.
    pub(crate) fn async_wait(
        &mut self,
        at: &InstSite,
        groups: Operand32,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let left = self.warp.regs.lanes32(groups);
        let Some(queue) = self.asyncs.queues.get(&at.warp) else { return Ok(()) };
        let committed = queue.committed;
        let done = |c: &Copy, lane: usize| {
            c.group[lane] != OPEN
                && u64::from(c.group[lane]) + u64::from(left.0[lane]) < u64::from(committed[lane])
        };
        self.finish(at, at.warp, active, done)
    }

    /// Makes a barrier wait for a thread's copies of no group.
    pub(crate) fn async_bind(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let barriers = self.barrier(at, barrier, active, AccessKind::Load)?;
        let Some(queue) = self.asyncs.queues.get_mut(&at.warp) else { return Ok(()) };
        for lane in lanes(active) {
            queue.open(lane).for_each(|copy| copy.barrier[lane] = barriers[lane]);
        }
        Ok(())
    }

    /// The bytes in the segment at which an operation's barriers are, checked.
    fn barrier(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        active: u32,
        kind: AccessKind,
    ) -> Result<[u32; 32], Box<LaneFault>> {
        let machine = self.machine;
        let addr = AddressOperand::of(barrier);
        let mut offsets = [0; 32];
        let mut rest = active;
        while rest != 0 {
            let (span, more) = machine.resolve(&self.warp.regs, &addr, 8, rest, kind)?;
            rest = more;
            if span.space != Space::Shared {
                let (target, _) = machine.target(span.space, span.allocation);
                return Err(LaneFault::of(FaultKind::NotShared { target }, span.mask));
            }
            if kind == AccessKind::Load {
                let unmade =
                    lanes(span.mask).filter(|i| !self.asyncs.barriers.contains_key(&span.offsets[*i]));
                let unmade = unmade.fold(0u32, |m, i| m | 1 << i);
                if unmade != 0 {
                    let (target, _) = machine.target(span.space, span.allocation);
                    return Err(LaneFault::of(FaultKind::BarrierNotMade { target }, unmade));
                }
                self.observer.barrier_use(machine, at, &span)?;
            }
            for lane in lanes(span.mask) {
                offsets[lane] = span.offsets[lane];
                if kind == AccessKind::Store {
                    for part in 0..2 {
                        let word = span.offsets[lane] / 4 + part;
                        let write = write(&span, lane, word, self.shared[word as usize], 0);
                        self.observer.shared_write(machine, at, &write)?;
                        self.shared[word as usize] = 0;
                    }
                }
            }
        }
        Ok(offsets)
    }

    pub(crate) fn barrier_init(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        count: Operand32,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let counts = self.warp.regs.lanes32(count);
        let offsets = self.barrier(at, barrier, active, AccessKind::Store)?;
        for lane in lanes(active) {
            let expected = counts.0[lane];
            if expected == 0 || expected >= 1 << 20 {
                return Err(LaneFault::of(FaultKind::BarrierCount { count: expected }, 1 << lane));
            }
            self.asyncs
                .barriers
                .insert(offsets[lane], PhaseBarrier { expected, pending: expected, phase: 0 });
        }
        Ok(())
    }

    pub(crate) fn barrier_arrive(
        &mut self,
        at: &InstSite,
        arrival: Arrival,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let counts = self.warp.regs.lanes32(arrival.count);
        let offsets = self.barrier(at, arrival.barrier, active, AccessKind::Load)?;
        let mut tokens = [0; 32];
        for lane in lanes(active) {
            let Some(barrier) = self.asyncs.barriers.get_mut(&offsets[lane]) else { continue };
            let count = counts.0[lane];
            if count == 0 || count > barrier.pending {
                return Err(LaneFault::of(FaultKind::BarrierCount { count }, 1 << lane));
            }
            tokens[lane] = barrier.phase & 1;
            barrier.pending -= count;
            barrier.expected -= u32::from(arrival.drops);
            self.asyncs.arrivals += 1;
            if barrier.pending != 0 {
                continue;
            }
            let own = offsets[lane];
            barrier.phase = barrier.phase.wrapping_add(1);
            barrier.pending = barrier.expected;
            let mut warps: Vec<u32> = self.asyncs.queues.keys().copied().collect();
            warps.sort_unstable();
            for warp in warps {
                self.finish(at, warp, u32::MAX, |c, other| c.barrier[other] == own)?;
            }
            self.observer.release();
        }
        if let Some(dst) = arrival.dst {
            self.warp.regs.put32(dst, &Lanes(tokens), active);
        }
        Ok(())
    }

    /// Whether the phases have ended for which the active lanes wait.
    pub(crate) fn phase_ended(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        phase: Operand32,
        active: u32,
    ) -> Result<bool, Box<LaneFault>> {
        let phases = self.warp.regs.lanes32(phase);
        let offsets = self.barrier(at, barrier, active, AccessKind::Load)?;
        let ended = |lane: usize| {
            let barrier = self.asyncs.barriers.get(&offsets[lane]);
            barrier.is_none_or(|b| b.phase & 1 != phases.0[lane] & 1)
        };
        Ok(lanes(active).all(ended))
    }

    /// Puts what is copied into shared memory: the lanes of `mask` of a warp's copies for which `done` holds.
    fn finish(
        &mut self,
        at: &InstSite,
        warp: u32,
        mask: u32,
        done: impl Fn(&Copy, usize) -> bool,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let Some(queue) = self.asyncs.queues.get_mut(&warp) else { return Ok(()) };
        let before = queue.copies.len();
        for copy in &mut queue.copies {
            let ready = lanes(copy.lanes & mask).filter(|i| done(copy, *i)).fold(0u32, |m, i| m | 1 << i);
            let begun = InstSite { pc: copy.pc, warp, block: at.block };
            for lane in lanes(ready) {
                for part in 0..copy.bytes / 4 {
                    let word = copy.to[lane] / 4 + part;
                    let old = self.shared[word as usize];
                    let new = copy.data[lane][part as usize];
                    let write = WordWrite {
                        lane,
                        allocation: copy.allocation,
                        word,
                        first: 0,
                        len: 4,
                        old,
                        new,
                        atomic: false,
                    };
                    self.observer.async_end(&write);
                    self.observer.shared_write(machine, &begun, &write)?;
                    self.shared[word as usize] = new;
                }
            }
            copy.lanes &= !ready;
        }
        queue.copies.retain(|c| c.lanes != 0);
        self.asyncs.open -= before - queue.copies.len();
        Ok(())
    }
}

fn write(span: &ResolvedAccess, lane: usize, word: u32, old: u32, new: u32) -> WordWrite {
    WordWrite { lane, allocation: span.allocation, word, first: 0, len: 4, old, new, atomic: false }
}

/// The fault of a block none of whose warps can go on, one of which waits at a barrier in shared memory.
pub(crate) fn stuck(
    machine: &Machine,
    warps: &[Warp],
    asyncs: &AsyncState,
) -> Option<(u32, Pc, Box<LaneFault>)> {
    let index = warps.iter().position(|w| w.state == WarpState::Waiting)?;
    let warp = &warps[index];
    let location = |w: &Warp| -> Option<Location> { machine.plan.locations[w.pc] };
    let away = warp.present & !warp.exited & !warp.active;
    let open: Vec<&PhaseBarrier> = asyncs.barriers.values().filter(|b| b.pending != b.expected).collect();
    let (arrived, expected) = open.first().map_or((0, 0), |b| (b.expected - b.pending, b.expected));
    let kind = FaultKind::BarrierPhase { arrived, expected, same_warp: away != 0 };
    let mut fault = LaneFault::of(kind, warp.active);
    fault.other = warps.iter().find(|w| w.state == WarpState::Barrier).and_then(location);
    Some((index as u32, warp.pc, fault))
}

/// A fault with what only the copies under way know.
pub(crate) fn complete(mut fault: LaneFault, asyncs: &AsyncState) -> LaneFault {
    if let (FaultKind::AsyncNotAwaited { committed, .. }, Some((thread, pc))) = (&mut fault.kind, fault.copy)
    {
        *committed = asyncs.is_committed(thread, pc);
    }
    fault
}
