//! Operations with an effect beyond registers, those that look at other lanes, and accesses that take the slow path: each is sent to the
//! module that executes it.

use crate::fault::FaultKind;
use crate::machine::event::FenceEvent;
use crate::machine::event::{InstSite, LaneFault};
use crate::machine::mask::{first, lanes, lanes_where};
use crate::machine::memory::heap::NoBlock;
use crate::machine::observer::Observer;
use crate::machine::warp::asynchronous::Arrival;
use crate::machine::warp::collective::Vote;
use crate::machine::warp::cost::effect_cost;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::print;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::plan::{Op, Operand32, Operand64, Pc, PrintId, compute, control, dead};
use source::hash::Mixer;
use std::hash::Hasher;
use std::sync::atomic::Ordering::Relaxed;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Executes an operation; `clock` is what it is for `clock()`.
    #[inline(never)]
    pub(crate) fn effect(&mut self, op: Op, pc: Pc, active: u32, clock: u64) -> Result<(), Box<LaneFault>> {
        let records = &self.machine.plan.records;
        self.effects += 1;
        self.extra_cost += effect_cost(&op);
        let at = self.at(pc);
        match op {
            Op::Load { load } => {
                self.load_slow(&at, &records[load], active)?;
            }
            Op::Store { store } => {
                self.store_slow(&at, &records[store], active)?;
            }
            Op::Atomic { atomic } => self.atomic(&at, &records[atomic], active)?,
            Op::Texture { texture } => self.texture(&at, &records[texture], active)?,
            Op::Surface { surface } => self.surface(&records[surface], active)?,
            Op::Shuffle { shuffle } => self.shuffle(&at, &records[shuffle], active)?,
            Op::Ballot { dst, predicate, members } => self.ballot(dst, predicate, members, active)?,
            Op::Vote { all, dst, predicate, members } => {
                self.vote(Vote { all, dst, predicate, members }, active)?;
            }
            Op::Matrix { matrix } => self.matrix(&records[matrix], active)?,
            Op::LoadMatrix { load } => self.load_matrix(&at, &records[load], active)?,
            Op::AsyncCopy { copy } => self.async_copy(&at, &records[copy], active)?,
            Op::AsyncCommit => self.async_commit(&at, active),
            Op::AsyncWait { groups } => self.async_wait(&at, groups, active)?,
            Op::AsyncBind { barrier } => self.async_bind(&at, barrier, active)?,
            Op::BarrierInit { barrier, count } => self.barrier_init(&at, barrier, count, active)?,
            Op::BarrierArrive { drops, named, dst, barrier, count } => {
                self.barrier_arrive(&at, Arrival { drops, named, dst, barrier, count }, active)?;
            }
            Op::WarpBarrier { members } => self.warp_barrier(&at, members, active)?,
            Op::FrameAddress { dst, array } => {
                let pointer = self.warp.frame_address(self.machine, array);
                self.warp.regs.put64(dst, &Lanes([pointer; 32]), active);
            }
            Op::Fence { order, scope } => {
                self.observer.fence(&at, FenceEvent { order, scope, active });
            }
            Op::Clock { dst } => {
                let clock = shown_clock(clock, self.machine.options.schedule_seed, self.block);
                self.warp.regs.put64(dst, &Lanes([clock; 32]), active);
            }
            Op::Assert { condition, message } => {
                let failed = active & !self.warp.regs.m[condition];
                if failed != 0 {
                    let message = self.machine.module.strings[message.index()].clone();
                    return Err(LaneFault::of(FaultKind::Assert { message }, failed));
                }
            }
            Op::CheckDefined { origin, stops } => self.check_defined(&at, origin, stops, active)?,
            Op::BadCall { pointer } => {
                let pointer = self.warp.regs.at64(pointer, first(active));
                return Err(LaneFault::of(FaultKind::BadCall { pointer }, active));
            }
            Op::Malloc { dst, bytes } => self.malloc(&at, (dst, bytes), active)?,
            Op::Free { pointer } => self.free(&at, pointer, active)?,
            Op::Print { print } => self.print(print, active),
            Op::Trap => return Err(LaneFault::of(FaultKind::Trap, active)),
            compute!() => {
                // The fault is never seen: the launch is run again with another plan.
                self.machine.misfit.store(true, Relaxed);
                return Err(LaneFault::of(FaultKind::Trap, active));
            }
            control!() | dead!() => {
                unreachable!("a block executes what it begins with, or ends")
            }
        }
        Ok(())
    }

    /// Warns of each variable because of which a value is undefined that is used next, or stops.
    fn check_defined(
        &mut self,
        at: &InstSite,
        origin: Operand32,
        stops: bool,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let origins = self.warp.regs.lanes32(origin);
        let mut rest = lanes_where(active, |lane| origins.0[lane] != 0);
        while rest != 0 {
            let number = origins.0[first(rest)];
            let failed = lanes_where(rest, |lane| origins.0[lane] == number);
            rest &= !failed;
            let Some(variable) = self.machine.plan.undefined.get(number as usize - 1) else { continue };
            let fault = LaneFault::of(FaultKind::NoValue { variable: variable.clone() }, failed);
            if stops {
                return Err(fault);
            }
            self.machine.warn(at, *fault);
        }
        Ok(())
    }

    /// Lanes get their blocks one after the other.
    fn malloc(
        &mut self,
        at: &InstSite,
        (dst, bytes): (Operand64, Operand64),
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        self.stored = true;
        let Some(heap) = &self.machine.heap else { return Err(LaneFault::of(FaultKind::HeapSpent, active)) };
        let mut pointers = Lanes([0; 32]);
        for lane in lanes(active) {
            let bytes = self.warp.regs.at64(bytes, lane);
            pointers.0[lane] = heap.allocate(bytes, self.machine.plan.locations[at.pc]).map_err(|none| {
                if let NoBlock::Outgrown = none {
                    // The fault is never seen: the launch is run again with more memory.
                    self.machine.misfit.store(true, Relaxed);
                }
                LaneFault::of(FaultKind::HeapSpent, 1 << lane)
            })?;
        }
        self.warp.regs.put64(dst, &pointers, active);
        Ok(())
    }

    fn free(&mut self, at: &InstSite, pointer: Operand64, active: u32) -> Result<(), Box<LaneFault>> {
        self.stored = true;
        let Some(heap) = &self.machine.heap else { return Ok(()) };
        for lane in lanes(active) {
            let pointer = self.warp.regs.at64(pointer, lane);
            if pointer != 0 {
                heap.free(pointer, self.machine.plan.locations[at.pc])
                    .map_err(|fault| LaneFault { other: fault.1, ..*LaneFault::of(fault.0, 1 << lane) })?;
            }
        }
        Ok(())
    }

    fn print(&mut self, print: PrintId, active: u32) {
        self.stored = true;
        let print = &self.machine.plan.records[print];
        let format = &self.machine.module.strings[print.format.index()];
        for lane in lanes(active) {
            if self.printed.len() >= self.room {
                return;
            }
            let args = print.args.iter().map(|arg| (arg.ty, self.warp.regs.at(arg.value, lane)));
            let args: Vec<_> = args.collect();
            print::format(self.printed, format, &args, &|pointer| self.machine.string_literal(pointer));
        }
    }
}

/// What `clock()` gives where `clock` instructions have been executed. It counts cycles of a length that nothing guarantees since a moment that is
/// different for each multiprocessor: with a seed, as many for each instruction, and from where on, as that says.
fn shown_clock(clock: u64, seed: u64, block: u32) -> u64 {
    if seed == 0 {
        return clock;
    }
    let mut hash = Mixer::default();
    hash.mix(seed);
    hash.mix(u64::from(block));
    (clock * (17 + seed % 7)).wrapping_add(hash.finish() >> 20)
}
