//! Asynchronous copies, and barriers in shared memory.
//!
//! A copy takes its source's bytes when it begins and puts them into shared memory when it is waited for. What the
//! destination holds until then is what it held before: that a program may not look is for the log's reader to say.

use crate::World;
use crate::block::{Block, Group, LANES, Next};
use crate::fault::FaultKind;
use crate::log::{AccessKind, Event, EventKind};
use simt_ir::pointer::Space;
use simt_ir::{Address, AsyncOp, Inst, Operand};
use std::collections::BTreeSet;

/// A copy in flight.
pub(crate) struct Copy {
    number: u64,
    /// First byte of the block's segment that it writes.
    to: usize,
    data: Vec<u8>,
    waits: Waits,
}

/// What ends a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// Nothing so far.
    Open,
    /// A wait of the thread for the group of that number.
    Group(u64),
    /// The end of a phase of that barrier.
    Barrier(u64),
}

/// A barrier in shared memory.
pub(crate) struct Phase {
    expected: u32,
    /// Arrivals that are missing in the phase in progress.
    pending: u32,
    /// Phases that have ended.
    ended: u64,
}

/// What the number of a named barrier is added to: no byte of a segment.
const NAMED: u64 = 1 << 32;

/// The most threads that a barrier can expect (PTX ISA, `mbarrier.init`).
const MAX_EXPECTED: u32 = (1 << 20) - 1;

impl<'m> Block<'m> {
    pub(crate) fn async_copy(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        [to, from]: [&Address; 2],
        (bytes, used): (u32, Operand),
    ) -> Result<(), FaultKind> {
        let thread = &self.threads[t];
        let (to, source, used) = (thread.address(to), thread.address(from), thread.get(used) as u32);
        if used > bytes {
            return Err(FaultKind::AsyncCopySize { used, bytes });
        }
        let mut data = vec![0; bytes as usize];
        let mut begin = None;
        if used > 0 {
            let from = self.locate_part(world, t, source, (bytes, used))?;
            if from.space != Space::Global {
                return Err(FaultKind::NotGlobal);
            }
            let range = from.bytes.start as usize..from.bytes.end as usize;
            let memory = self.bytes(world.memory, t, &from);
            data[..used as usize].copy_from_slice(&memory.data[range.clone()]);
            let missing = memory.written[range].iter().enumerate();
            let unwritten = missing.fold(0, |mask, (i, written)| mask | u16::from(!written) << i);
            begin = Some((from, unwritten));
        }
        let to = self.locate(world, t, to, bytes, AccessKind::Store)?;
        if to.space != Space::Shared {
            return Err(FaultKind::NotShared);
        }
        world.copies += 1;
        let number = world.copies;
        let copy = Copy { number, to: to.bytes.start as usize, data, waits: Waits::Open };
        self.threads[t].copies.push(copy);
        let nothing = crate::Place { space: Space::None, allocation: 0, bytes: 0..0 };
        let (from, unwritten) = begin.unwrap_or((nothing, 0));
        let kind = EventKind::CopyBegin { copy: number, from, unwritten, to };
        world.tell(|| Event { who: self.who(t, inst), kind });
        Ok(())
    }

    /// Where a copy of `bytes` reads, which uses the first `used` of them.
    fn locate_part(
        &self,
        world: &World<'_, 'm>,
        t: usize,
        pointer: u64,
        (bytes, used): (u32, u32),
    ) -> Result<crate::Place, FaultKind> {
        let access = AccessKind::Load;
        let mut place = self.locate(world, t, pointer, 1, access)?;
        place.bytes.end = place.bytes.start + u64::from(used);
        let last = simt_ir::pointer::add(pointer, u64::from(used) - 1);
        match self.locate(world, t, last, 1, access) {
            Err(_) => Err(FaultKind::OutOfBounds { pointer, bytes: used, access }),
            Ok(_) if place.bytes.start.is_multiple_of(bytes.into()) => Ok(place),
            Ok(_) => Err(FaultKind::Misaligned { pointer, bytes, access }),
        }
    }

    pub(crate) fn asynchronous(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        op: AsyncOp,
        args: &[Operand],
    ) -> Result<u64, FaultKind> {
        let value = |n: usize| args.get(n).map_or(0, |arg| self.threads[t].get(*arg));
        let (first, second) = (value(0), value(1) as u32);
        match op {
            AsyncOp::Commit => {
                self.threads[t].groups += 1;
                self.attach(t, Waits::Group(self.threads[t].groups));
                world.tell(|| Event { who: self.who(t, inst), kind: EventKind::CopyCommit });
            }
            AsyncOp::Wait => {
                // Groups count from 1, so all up to this one must have ended.
                let last = self.threads[t].groups.saturating_sub(first);
                let ends = |waits| matches!(waits, Waits::Group(group) if group <= last);
                self.end_copies(world, (t, inst), t, ends);
            }
            AsyncOp::Bind => {
                let barrier = self.barrier(world, t, first)?;
                for copy in self.attach(t, Waits::Barrier(barrier)) {
                    let kind = EventKind::CopyBind { copy, barrier };
                    world.tell(|| Event { who: self.who(t, inst), kind });
                }
            }
            AsyncOp::Init => self.init(world, (t, inst), first, second)?,
            AsyncOp::Arrive | AsyncOp::Drop => {
                return self.arrive_phase(world, (t, inst), first, (second, op == AsyncOp::Drop));
            }
            // A whole group waits; see `await_phase`, and for named barriers `arrive_named` and `await_named`.
            AsyncOp::Await | AsyncOp::ArriveNamed | AsyncOp::AwaitNamed => {}
        }
        Ok(0)
    }

    /// Says what the thread's copies wait for that wait for nothing yet; gives their numbers.
    fn attach(&mut self, t: usize, waits: Waits) -> Vec<u64> {
        let open = self.threads[t].copies.iter_mut().filter(|copy| copy.waits == Waits::Open);
        open.map(|copy| {
            copy.waits = waits;
            copy.number
        })
        .collect()
    }

    /// Ends the copies of thread `of` that wait for something; thread `t` is who has waited.
    fn end_copies(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        of: usize,
        ends: impl Fn(Waits) -> bool,
    ) {
        let copies = std::mem::take(&mut self.threads[of].copies);
        let (ended, rest): (Vec<_>, Vec<_>) = copies.into_iter().partition(|copy| ends(copy.waits));
        self.threads[of].copies = rest;
        for copy in ended {
            self.shared.copy(copy.to, &copy.data);
            let kind = EventKind::CopyEnd { copy: copy.number };
            world.tell(|| Event { who: self.who(t, inst), kind });
        }
    }

    /// The first byte of the place in shared memory that a pointer to a barrier means.
    fn barrier_place(
        &self,
        world: &World<'_, 'm>,
        t: usize,
        pointer: u64,
        access: AccessKind,
    ) -> Result<u64, FaultKind> {
        let place = self.locate(world, t, pointer, 8, access)?;
        if place.space == Space::Shared { Ok(place.bytes.start) } else { Err(FaultKind::NotShared) }
    }

    /// The same, of a barrier that was made.
    fn barrier(&self, world: &World<'_, 'm>, t: usize, pointer: u64) -> Result<u64, FaultKind> {
        let place = self.barrier_place(world, t, pointer, AccessKind::Load)?;
        if self.barriers.contains_key(&place) { Ok(place) } else { Err(FaultKind::BarrierNotMade) }
    }

    fn init(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        pointer: u64,
        expected: u32,
    ) -> Result<(), FaultKind> {
        let barrier = self.barrier_place(world, t, pointer, AccessKind::Store)?;
        if !(1..=MAX_EXPECTED).contains(&expected) {
            return Err(FaultKind::BarrierCount { count: expected });
        }
        self.shared.copy(barrier as usize, &[0; 8]);
        self.barriers.insert(barrier, Phase { expected, pending: expected, ended: 0 });
        world.tell(|| Event { who: self.who(t, inst), kind: EventKind::PhaseInit { barrier, expected } });
        Ok(())
    }

    /// Arrives, and ends the phase if nothing more is missing; gives the phase's parity.
    fn arrive_phase(
        &mut self,
        world: &mut World<'_, 'm>,
        (t, inst): (usize, &'m Inst),
        pointer: u64,
        (count, drops): (u32, bool),
    ) -> Result<u64, FaultKind> {
        let barrier = self.barrier(world, t, pointer)?;
        let Some(phase) = self.barriers.get_mut(&barrier) else { return Err(FaultKind::BarrierNotMade) };
        if !(1..=phase.pending).contains(&count) {
            return Err(FaultKind::BarrierCount { count });
        }
        let number = phase.ended;
        phase.pending -= count;
        phase.expected -= u32::from(drops);
        let ends = phase.pending == 0;
        if ends {
            phase.pending = phase.expected;
            phase.ended += 1;
        }
        self.arrivals += 1;
        let kind = EventKind::PhaseArrive { barrier, phase: number, count, ends };
        world.tell(|| Event { who: self.who(t, inst), kind });
        if ends {
            for of in 0..self.threads.len() {
                self.end_copies(world, (t, inst), of, |waits| waits == Waits::Barrier(barrier));
            }
        }
        Ok(number & 1)
    }

    /// Waits until the phases have ended for which the lanes wait.
    pub(crate) fn await_phase(
        &mut self,
        world: &mut World<'_, 'm>,
        (group, inst): (Group, &'m Inst),
        [barrier, parity]: [Operand; 2],
    ) -> Result<Next, Vec<(u32, FaultKind)>> {
        let mut under_way = Vec::new();
        self.each(group, |block, t| {
            let thread = &block.threads[t];
            let (pointer, parity) = (thread.get(barrier), thread.get(parity) & 1);
            let barrier = block.barrier(world, t, pointer)?;
            under_way.push((t, barrier, block.barriers[&barrier].ended, parity));
            Ok(())
        })?;
        let waits = under_way.iter().any(|(.., ended, parity)| ended & 1 == *parity);
        let awaits = waits.then_some(self.arrivals);
        group.threads().for_each(|t| self.threads[t].awaits = awaits);
        if waits {
            return Ok(Next::Stay);
        }
        for (t, barrier, phase, _) in under_way {
            let kind = EventKind::PhaseAwait { barrier, phase };
            world.tell(|| Event { who: self.who(t, inst), kind });
        }
        Ok(Next::Pass)
    }

    /// A warp arrives at a named barrier, with all its threads that have not ended, as 32 threads. Gives the phase.
    pub(crate) fn arrive_named(
        &mut self,
        world: &mut World<'_, 'm>,
        (group, inst): (Group, &'m Inst),
        [number, count]: [Operand; 2],
    ) -> Result<u64, Vec<(u32, FaultKind)>> {
        let left = self.of_part(group.part).filter(|t| !self.threads[*t].has_ended());
        if left.fold(0, |lanes, t| lanes | 1 << (t % LANES)) != group.lanes {
            return Err(group.fail(&FaultKind::PartOfWarp { active: group.lanes }));
        }
        let given = |t: usize| (self.threads[t].get(number), self.threads[t].get(count) as u32);
        let wanted: BTreeSet<(u64, u32)> = group.threads().map(given).collect();
        let one = wanted.first().copied().filter(|_| wanted.len() == 1);
        let one = one
            .filter(|(number, count)| *number < 16 && matches!(count, 32..=1024) && count.is_multiple_of(32));
        let barrier = one.map(|(number, _)| NAMED + number);
        let phase = barrier.and_then(|barrier| self.barriers.get(&barrier));
        let (pending, ended) = phase.map_or((0, 0), |phase| (phase.pending, phase.ended));
        let meets = |count: u32| pending == 0 || phase.is_some_and(|phase| phase.expected == count);
        let Some(((_, count), barrier)) = one.zip(barrier).filter(|((_, count), _)| meets(*count)) else {
            return Err(group.fail(&FaultKind::NamedBarrier));
        };
        let pending = if pending == 0 { count } else { pending } - 32;
        let ends = pending == 0;
        let phase = Phase { expected: count, pending, ended: ended + u64::from(ends) };
        self.barriers.insert(barrier, phase);
        self.arrivals += 1;
        self.warps[group.part].stored = true;
        let last = group.threads().last();
        for t in group.threads() {
            let kind =
                EventKind::PhaseArrive { barrier, phase: ended, count: 1, ends: ends && Some(t) == last };
            world.tell(|| Event { who: self.who(t, inst), kind });
        }
        Ok(ended)
    }

    /// Waits until a phase of a named barrier has ended.
    pub(crate) fn await_named(
        &mut self,
        world: &mut World<'_, 'm>,
        (group, inst): (Group, &'m Inst),
        [number, phase]: [Operand; 2],
    ) -> Next {
        let Some(first) = group.threads().next() else { return Next::Pass };
        let (barrier, phase) = (NAMED + self.threads[first].get(number), self.threads[first].get(phase));
        let waits = self.barriers.get(&barrier).is_some_and(|of| of.ended as u32 == phase as u32);
        let awaits = waits.then_some(self.arrivals);
        group.threads().for_each(|t| self.threads[t].awaits = awaits);
        if waits {
            return Next::Stay;
        }
        for t in group.threads() {
            let kind = EventKind::PhaseAwait { barrier, phase: phase + 1 };
            world.tell(|| Event { who: self.who(t, inst), kind });
        }
        Next::Pass
    }
}
