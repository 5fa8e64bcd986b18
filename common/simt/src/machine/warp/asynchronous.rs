//! Asynchronous copies, and barriers in shared memory (CUDA C++ Programming Guide, "Asynchronous Data Copies" and "Asynchronous
//! Barrier").
//!
//! A copy reads its bytes when it begins and writes them to shared memory when a thread waits for it, so that a missing wait
//! shows in the results; the checker knows of each copy in flight. What waits for a barrier is written when the phase of that
//! barrier completes. A phase orders what threads did before they arrived at it before what threads do that have waited for it.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::{BufferView, Machine};
use crate::machine::event::{
    AccessClass, InstSite, LaneFault, PhaseEvent, PhaseUse, ResolvedAccess, WarpFault, WordWrite,
};
use crate::machine::mask::{first, lanes, lanes_where};
use crate::machine::observer::Observer;
use crate::machine::warp::async_state::{
    AsyncState, Completion, CopySource, PhaseBarrier, WarpCopy, named_key,
};
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::{AddressOperand, AsyncCopy, Operand32, Operand64};
use simt_ir::pointer::Space;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes that lanes read at once, as a part of what they copy.
#[derive(Clone, Copy)]
struct Piece {
    /// The first byte of what is copied.
    start: u32,
    bytes: u32,
    mask: u32,
}

/// How lanes arrive at a barrier.
pub(crate) struct Arrival {
    /// Whether the barrier expects one thread less from then on.
    pub(crate) drops: bool,
    /// Whether the barrier is a number, at which the whole warp arrives.
    pub(crate) named: bool,
    /// For the phase that the lanes have arrived at.
    pub(crate) dst: Option<Operand32>,
    pub(crate) barrier: Operand64,
    pub(crate) count: Operand32,
}

/// What lanes have read for a copy.
#[derive(Default)]
struct CopyData {
    words: [[u32; 4]; 32],
    sources: Vec<CopySource>,
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Refuses a store to global memory that a copy in flight reads.
    pub(crate) fn check_copy_sources(&self, access: &ResolvedAccess) -> Result<(), Box<LaneFault>> {
        if self.asyncs.is_idle() || access.space != Space::Global {
            return Ok(());
        }
        let Some((lane, pc)) = self.asyncs.reader_of(access) else { return Ok(()) };
        let target = self.machine.target(access.space, access.allocation);
        let offset = i64::from(access.offsets[lane]);
        let mut fault = LaneFault::of(FaultKind::AsyncSourceWritten { target, offset }, 1 << lane);
        fault.other = self.machine.plan.locations[pc];
        Err(fault)
    }

    /// Begins a copy.
    pub(crate) fn async_copy(
        &mut self,
        at: &InstSite,
        copy: &AsyncCopy,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let (machine, bytes) = (self.machine, copy.bytes);
        let data = self.read_sources(at, copy, active)?;
        let mut rest = active;
        while rest != 0 {
            let access = machine.resolve_shared(&self.warp.regs, &copy.to, bytes, rest, AccessKind::Store)?;
            rest &= !access.mask;
            self.observer.access(machine, at, &access, AccessClass::STORE)?;
            for lane in lanes(access.mask) {
                let first = access.offsets[lane] / 4;
                for (word, new) in (first..first + bytes / 4).zip(data.words[lane]) {
                    let old = self.shared[word as usize];
                    let write = WordWrite::whole(access.allocation, lane, word, old, new);
                    self.observer.copy_begins(machine, at, &write)?;
                }
            }
            let mine = |source: &CopySource| CopySource { mask: source.mask & access.mask, ..*source };
            self.asyncs.open += 1;
            self.stored = true;
            self.asyncs.queues.entry(at.warp).or_default().copies.push(WarpCopy {
                pc: at.pc,
                lanes: access.mask,
                allocation: access.allocation,
                to: access.offsets,
                sources: data.sources.iter().map(mine).collect(),
                bytes,
                data: data.words,
                completion: [Completion::Open; 32],
            });
        }
        Ok(())
    }

    /// Reads what a copy copies. A lane may use fewer bytes than it writes; the others are zero.
    fn read_sources(
        &mut self,
        at: &InstSite,
        copy: &AsyncCopy,
        active: u32,
    ) -> Result<CopyData, Box<LaneFault>> {
        let bytes = copy.bytes;
        let used = self.warp.regs.lanes32(copy.used);
        let over = lanes_where(active, |lane| used.0[lane] > bytes);
        if over != 0 {
            let used = used.0[first(over)];
            return Err(LaneFault::of(FaultKind::AsyncCopySize { used, bytes }, over));
        }
        let mut data = CopyData::default();
        let mut rest = active;
        while rest != 0 {
            let size = used.0[first(rest)];
            let mask = lanes_where(rest, |lane| used.0[lane] == size);
            rest &= !mask;
            // The hardware reads no more than it needs: here in pieces that are aligned.
            let piece = if size == 0 { continue } else { bytes.min(1 << size.trailing_zeros()) };
            for start in (0..size).step_by(piece as usize) {
                let offset = copy.from.offset.wrapping_add(u64::from(start));
                let address = AddressOperand { offset, ..copy.from };
                self.read_piece(at, &address, Piece { start, bytes: piece, mask }, &mut data)?;
            }
        }
        Ok(data)
    }

    fn read_piece(
        &mut self,
        at: &InstSite,
        address: &AddressOperand,
        piece: Piece,
        data: &mut CopyData,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let mut rest = piece.mask;
        while rest != 0 {
            let access = machine.resolve(&self.warp.regs, address, piece.bytes, rest, AccessKind::Load)?;
            rest &= !access.mask;
            if access.space != Space::Global {
                let target = machine.target(access.space, access.allocation);
                return Err(LaneFault::of(FaultKind::NotGlobal { target }, access.mask));
            }
            self.observe(at, &access, AccessClass::LOAD)?;
            let ResolvedAccess { allocation, offsets, mask, .. } = access;
            if piece.start == 0 {
                data.sources.push(CopySource { allocation, offsets, mask });
            }
            for lane in lanes(mask) {
                for byte in (0..piece.bytes).step_by(piece.bytes.min(4) as usize) {
                    let source = offsets[lane] + byte;
                    let word = self.read_global(allocation, source as usize / 4);
                    let value = match piece.bytes {
                        4.. => word,
                        bytes => word >> (source % 4 * 8) & ((1 << (8 * bytes)) - 1),
                    };
                    let to = piece.start + byte;
                    data.words[lane][to as usize / 4] |= value << (to % 4 * 8);
                }
            }
        }
        Ok(())
    }

    /// A word of a buffer.
    pub(crate) fn read_global(&mut self, buffer: u32, word: usize) -> u32 {
        match &self.machine.buffers[buffer as usize] {
            BufferView::ReadOnly { words, .. } => words[word],
            BufferView::Written(view) => {
                let read = self.buffer_access(AccessKind::Load, buffer);
                self.log.run(read, word..word + 1);
                self.machine.flush_if_full(self.log);
                view.words[word].load(Relaxed)
            }
            BufferView::Freed => 0,
        }
    }

    /// Makes a group of a thread's copies since its last group.
    pub(crate) fn async_commit(&mut self, at: &InstSite, active: u32) {
        let queue = self.asyncs.queues.entry(at.warp).or_default();
        for lane in lanes(active) {
            queue.complete_open_by(lane, Completion::Group(queue.committed[lane]));
            queue.committed[lane] += 1;
        }
    }

    /// Waits until at most `groups` of a thread's last groups are in flight.
    pub(crate) fn async_wait(
        &mut self,
        at: &InstSite,
        groups: Operand32,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let left = self.warp.regs.lanes32(groups);
        let Some(queue) = self.asyncs.queues.get(&at.warp) else { return Ok(()) };
        let committed = queue.committed;
        let is_awaited = |completion: Completion, lane: usize| match completion {
            Completion::Group(group) => {
                u64::from(group) + u64::from(left.0[lane]) < u64::from(committed[lane])
            }
            Completion::Open | Completion::Barrier(_) => false,
        };
        self.complete_copies(at, (at.warp, active), None, is_awaited)
    }

    /// Makes a barrier wait for a thread's copies of no group.
    pub(crate) fn async_bind(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let barriers = self.resolve_barriers(at, barrier, active, AccessKind::Load)?;
        let Some(queue) = self.asyncs.queues.get_mut(&at.warp) else { return Ok(()) };
        lanes(active).for_each(|lane| queue.complete_open_by(lane, Completion::Barrier(barriers[lane])));
        Ok(())
    }

    /// The bytes of the shared segment at which the lanes' barriers are. Storing makes them; loading needs them made.
    fn resolve_barriers(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        active: u32,
        kind: AccessKind,
    ) -> Result<[u32; 32], Box<LaneFault>> {
        let machine = self.machine;
        let address = AddressOperand::of(barrier);
        let mut offsets = [0; 32];
        let mut rest = active;
        while rest != 0 {
            let access = machine.resolve_shared(&self.warp.regs, &address, 8, rest, kind)?;
            rest &= !access.mask;
            if kind == AccessKind::Load {
                let unmade = self.asyncs.without_barrier(access.mask, &access.offsets);
                if unmade != 0 {
                    let target = machine.target(access.space, access.allocation);
                    return Err(LaneFault::of(FaultKind::BarrierNotMade { target }, unmade));
                }
                self.observer.barrier_use(machine, at, &access)?;
            }
            for lane in lanes(access.mask) {
                offsets[lane] = access.offsets[lane];
                if kind == AccessKind::Store {
                    let first = access.offsets[lane] / 4;
                    for word in [first, first + 1] {
                        let old = self.shared[word as usize];
                        let write = WordWrite::whole(access.allocation, lane, word, old, 0);
                        self.observer.shared_write(machine, at, &write)?;
                        self.shared[word as usize] = 0;
                    }
                }
            }
        }
        Ok(offsets)
    }

    /// Makes barriers that each expect `count` arrivals.
    pub(crate) fn barrier_init(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        count: Operand32,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let counts = self.warp.regs.lanes32(count);
        let offsets = self.resolve_barriers(at, barrier, active, AccessKind::Store)?;
        for lane in lanes(active) {
            let expected = counts.0[lane];
            if expected == 0 || expected >= 1 << 20 {
                return Err(LaneFault::of(FaultKind::BarrierCount { count: expected }, 1 << lane));
            }
            self.asyncs.barriers.insert(offsets[lane], PhaseBarrier::new(expected));
            let of = PhaseUse { barrier: offsets[lane], phase: 0 };
            self.observer.phase(at, lane, PhaseEvent::Made, of);
        }
        Ok(())
    }

    /// Arrives at barriers, whose phases complete with the last arrival that they expect.
    pub(crate) fn barrier_arrive(
        &mut self,
        at: &InstSite,
        arrival: Arrival,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        if arrival.named {
            return self.named_arrive(at, arrival, active);
        }
        let counts = self.warp.regs.lanes32(arrival.count);
        let offsets = self.resolve_barriers(at, arrival.barrier, active, AccessKind::Load)?;
        self.observer.arrive_at_phase(at.pc);
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
            self.stored = true;
            let of = PhaseUse { barrier: offsets[lane], phase: barrier.phase };
            self.observer.phase(at, lane, PhaseEvent::Arrives, of);
            if barrier.pending == 0 {
                barrier.phase = barrier.phase.wrapping_add(1);
                barrier.pending = barrier.expected;
                self.complete_phase(at, of)?;
            }
        }
        if let Some(dst) = arrival.dst {
            self.warp.regs.put32(dst, &Lanes(tokens), active);
        }
        Ok(())
    }

    /// The warp arrives at a named barrier.
    fn named_arrive(&mut self, at: &InstSite, arrival: Arrival, active: u32) -> Result<(), Box<LaneFault>> {
        let missing = self.warp.present & !self.warp.exited & !active;
        if missing != 0 {
            return Err(LaneFault::of(FaultKind::PartOfWarp { active, missing }, active));
        }
        let numbers = self.warp.regs.lanes64(arrival.barrier);
        let counts = self.warp.regs.lanes32(arrival.count);
        let first = first(active);
        let (number, count) = (numbers.0[first], counts.0[first]);
        let differs = lanes(active).find(|lane| numbers.0[*lane] != number || counts.0[*lane] != count);
        if let Some(lane) = differs {
            return Err(LaneFault::of(FaultKind::NamedBarrier { number, count }, 1 << lane));
        }
        let key = named_key(number);
        let begun = self.asyncs.barriers.get(&key).filter(|b| b.pending != b.expected).map(|b| b.expected);
        if number > 15 || count == 0 || count % 32 != 0 || count > 1024 || begun.is_some_and(|n| n != count) {
            return Err(LaneFault::of(FaultKind::NamedBarrier { number, count }, active));
        }
        self.observer.arrive_at_phase(at.pc);
        self.asyncs.arrivals += 1;
        self.stored = true;
        let barrier = self.asyncs.barriers.entry(key).or_insert_with(|| PhaseBarrier::new(count));
        if begun.is_none() {
            (barrier.expected, barrier.pending) = (count, count);
        }
        let of = PhaseUse { barrier: key, phase: barrier.phase };
        barrier.pending -= 32;
        let waiting = if barrier.pending == 0 {
            barrier.phase = barrier.phase.wrapping_add(1);
            barrier.pending = count;
            std::mem::take(&mut barrier.waiting)
        } else {
            Vec::new()
        };
        lanes(active).for_each(|lane| self.observer.phase(at, lane, PhaseEvent::Arrives, of));
        for (warp, lane) in
            waiting.into_iter().flat_map(|(warp, mask)| lanes(mask).map(move |lane| (warp, lane)))
        {
            self.observer.phase(&InstSite { warp, ..*at }, lane, PhaseEvent::Awaited, of);
        }
        if let Some(dst) = arrival.dst {
            self.warp.regs.put32(dst, &Lanes([of.phase; 32]), active);
        }
        Ok(())
    }

    /// Whether the phase of a named barrier has completed at which the warp has arrived. If not, it is told as awaited when it completes:
    /// the barrier may be some phases further before the warp runs again.
    pub(crate) fn named_completed(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        phase: Operand32,
        active: u32,
    ) -> bool {
        let lane = first(active);
        let key = named_key(self.warp.regs.lanes64(barrier).0[lane]);
        let phase = self.warp.regs.lanes32(phase).0[lane];
        let Some(barrier) = self.asyncs.barriers.get_mut(&key) else { return true };
        let completed = barrier.phase != phase;
        if completed {
            let of = PhaseUse { barrier: key, phase };
            lanes(active).for_each(|lane| self.observer.phase(at, lane, PhaseEvent::Awaited, of));
        } else if !barrier.waiting.contains(&(at.warp, active)) {
            barrier.waiting.push((at.warp, active));
        }
        completed
    }

    /// A phase of the barrier at this byte has completed: so do the copies that wait for it.
    fn complete_phase(&mut self, at: &InstSite, of: PhaseUse) -> Result<(), Box<LaneFault>> {
        let mut warps: Vec<u32> = self.asyncs.queues.keys().copied().collect();
        warps.sort_unstable();
        for warp in warps {
            let is_bound = |completion: Completion, _| completion == Completion::Barrier(of.barrier);
            self.complete_copies(at, (warp, u32::MAX), Some(of), is_bound)?;
        }
        Ok(())
    }

    /// Whether the phases have completed for which the active lanes wait.
    pub(crate) fn phase_completed(
        &mut self,
        at: &InstSite,
        barrier: Operand64,
        phase: Operand32,
        active: u32,
    ) -> Result<bool, Box<LaneFault>> {
        let phases = self.warp.regs.lanes32(phase);
        let offsets = self.resolve_barriers(at, barrier, active, AccessKind::Load)?;
        let completed = |lane: usize| {
            let barrier = self.asyncs.barriers.get(&offsets[lane]);
            barrier
                .map_or(Some(0), |barrier| (barrier.phase & 1 != phases.0[lane] & 1).then_some(barrier.phase))
        };
        if !lanes(active).all(|lane| completed(lane).is_some()) {
            return Ok(false);
        }
        for lane in lanes(active) {
            let phase = completed(lane).unwrap_or_default().wrapping_sub(1);
            let of = PhaseUse { barrier: offsets[lane], phase };
            self.observer.phase(at, lane, PhaseEvent::Awaited, of);
        }
        Ok(true)
    }

    /// Completes copies of a warp: writes what the lanes of `mask` have copied, where `is_ready` holds for what it waits for.
    fn complete_copies(
        &mut self,
        at: &InstSite,
        (warp, mask): (u32, u32),
        phase: Option<PhaseUse>,
        is_ready: impl Fn(Completion, usize) -> bool,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        let Some(queue) = self.asyncs.queues.get_mut(&warp) else { return Ok(()) };
        let before = queue.copies.len();
        for copy in &mut queue.copies {
            let ready = lanes_where(copy.lanes & mask, |lane| is_ready(copy.completion[lane], lane));
            let begun = InstSite { pc: copy.pc, warp, block: at.block };
            for lane in lanes(ready) {
                let first = copy.to[lane] / 4;
                for (word, new) in (first..first + copy.bytes / 4).zip(copy.data[lane]) {
                    let old = self.shared[word as usize];
                    let write = WordWrite::whole(copy.allocation, lane, word, old, new);
                    self.observer.copy_ends(machine, &begun, &write, phase)?;
                    self.shared[word as usize] = new;
                }
            }
            copy.lanes &= !ready;
        }
        queue.copies.retain(|copy| copy.lanes != 0);
        self.asyncs.open -= before - queue.copies.len();
        Ok(())
    }
}

/// The fault of a block in deadlock, if one of its warps waits at a barrier in shared memory.
pub(crate) fn deadlock(machine: &Machine, warps: &[Warp], asyncs: &AsyncState) -> Option<WarpFault> {
    let index = warps.iter().position(|w| w.state == WarpState::Waiting)?;
    let warp = &warps[index];
    let away = warp.present & !warp.exited & !warp.active;
    let begun = asyncs.barriers.values().find(|barrier| barrier.pending != barrier.expected);
    let (arrived, expected) = begun.map_or((0, 0), |b| (b.expected - b.pending, b.expected));
    let kind = FaultKind::BarrierPhase { arrived, expected, same_warp: away != 0 };
    let mut fault = LaneFault::of(kind, warp.active);
    let at_barrier = warps.iter().find(|w| w.state == WarpState::Barrier);
    fault.other = at_barrier.and_then(|w| machine.plan.locations[w.pc]);
    Some(WarpFault { warp: warp.index, pc: warp.pc, fault })
}

/// Completes a fault with what only the copies in flight know.
pub(crate) fn complete_fault(fault: &mut LaneFault, asyncs: &AsyncState) {
    if let (FaultKind::AsyncNotAwaited { committed, .. }, Some(copier)) = (&mut fault.kind, fault.copier) {
        *committed = asyncs.is_committed(copier);
    }
}
