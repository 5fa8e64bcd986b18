//! A warp's interpreter loop.

use crate::fault::FaultKind;
use crate::machine::event::{InstSite, LaneFault};
use crate::machine::observer::Observer;
use crate::machine::warp::asynchronous::Arrival;
use crate::machine::warp::basic_block::{BasicBlockEnd, run_basic_block, zero_divisors};
use crate::machine::warp::call::Entered;
use crate::machine::warp::collective::Vote;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::print;
use crate::machine::warp::registers::{Lanes, first};
use crate::machine::warp::state::WarpState;
use crate::plan::{
    Access, BarrierId, DeferredOp, Op, Pc, PrintId, compute, control, effect, memory, superinstruction,
};
use crate::value::alu32;

/// Instructions after which a warp lets the others of its block go on, so that one may wait for another's store.
const TIME_SLICE: u64 = 1 << 16;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Runs until the warp ends, reaches a barrier, or has had its turn. A fault comes with its program counter.
    ///
    /// This is compiled once for each instruction set, as part of `turns_with`.
    #[inline(always)]
    pub(crate) fn run<V: Vectors>(&mut self, simd: V) -> Result<(), (Pc, Box<LaneFault>)> {
        let machine = self.machine;
        let plan = machine.plan;
        let code = &plan.code;
        let (mut pc, mut active, mut clock) = (self.warp.pc, self.warp.active, self.warp.clock);
        let slice = clock + TIME_SLICE.min(self.budget);
        loop {
            let from = pc;
            loop {
                match run_basic_block(simd, self, pc, active) {
                    BasicBlockEnd::Other(next) => pc = next,
                    BasicBlockEnd::ZeroDivisor(at) => {
                        let lanes = zero_divisors(&self.warp.regs, &code[at], active);
                        return Err((at, LaneFault::of(FaultKind::DivisionByZero, lanes)));
                    }
                }
                let op = plan.plain(pc);
                if op.is_control() {
                    break;
                }
                self.warp.active = active;
                self.effect(op, pc, active, clock + u64::from(pc.since(from)) + 1)
                    .map_err(|fault| (pc, fault))?;
                pc += 1;
            }
            clock += u64::from(pc.since(from)) + 1;
            self.observer.executed(from, active);
            let masks = &mut self.warp.regs.m;
            match code[pc] {
                Op::If { condition, other, target } => {
                    let taken = active & masks[condition];
                    let rest = active & !taken;
                    masks[other] = rest;
                    if taken != 0 && rest != 0 {
                        self.observer.diverged(pc);
                    }
                    active = taken;
                    pc = if taken == 0 { target } else { pc + 1 };
                }
                Op::Else { other, target } => {
                    std::mem::swap(&mut active, &mut masks[other]);
                    pc = if active == 0 { target } else { pc + 1 };
                }
                Op::EndIf { other, target } => {
                    active |= masks[other];
                    pc = if active == 0 { target } else { pc + 1 };
                }
                Op::LoopEnter { out, again } => {
                    masks[out] = 0;
                    masks[again] = 0;
                    pc += 1;
                }
                Op::LoopTest { condition, out, target } => {
                    let stay = active & masks[condition];
                    masks[out] |= active & !stay;
                    if stay != 0 && stay != active {
                        self.observer.diverged(pc);
                    }
                    active = stay;
                    pc = if stay == 0 { target } else { pc + 1 };
                }
                Op::LoopStep { again, target } => {
                    active |= std::mem::take(&mut masks[again]);
                    pc = if active == 0 { target } else { pc + 1 };
                }
                Op::LoopBack { target, polls } => {
                    if active == 0 {
                        pc += 1;
                        continue;
                    }
                    if clock >= slice {
                        let used = clock - self.warp.clock;
                        (self.warp.pc, self.warp.active, self.warp.clock) = (target, active, clock);
                        return self.end_slice(pc, polls, used < self.budget);
                    }
                    pc = target;
                }
                Op::Leave { out, target } => {
                    active |= masks[out];
                    pc = if active == 0 { target } else { pc + 1 };
                }
                Op::ScopeEnter { out } => {
                    masks[out] = 0;
                    pc += 1;
                }
                Op::Break { out: slot, target } | Op::Continue { again: slot, target } => {
                    masks[slot] |= active;
                    active = 0;
                    pc = target;
                }
                Op::Return { target } => {
                    self.warp.exited |= active;
                    self.warp.exit_pc = Some(pc);
                    active = 0;
                    pc = target;
                }
                Op::Call { call } => {
                    let entered = self.warp.enter(machine, call, pc, active);
                    let Entered { entry, words } = entered.map_err(|fault| (pc, fault))?;
                    self.observer.frame(self.index, words.start, words.end);
                    // A recursion may go on for as long as a loop.
                    if clock >= slice {
                        let used = clock - self.warp.clock;
                        (self.warp.pc, self.warp.active, self.warp.clock) = (entry, active, clock);
                        return if used < self.budget { Ok(()) } else { Err((pc, self.over_budget())) };
                    }
                    pc = entry;
                }
                Op::Back => match self.warp.leave(machine) {
                    Some(frame) => (pc, active) = (frame.pc + 1, frame.active),
                    None => return Err((pc, LaneFault::of(FaultKind::Trap, active))),
                },
                Op::Exit => {
                    self.warp.state = WarpState::Done;
                    self.warp.exited = self.warp.present;
                    (self.warp.pc, self.warp.active, self.warp.clock) = (pc, 0, clock);
                    return Ok(());
                }
                Op::Barrier { barrier } => {
                    if plan.records[barrier].grid && machine.launch.cooperative.is_none() {
                        return Err((pc, LaneFault::of(FaultKind::NotCooperative, active)));
                    }
                    self.observer.arrive(pc);
                    (self.warp.pc, self.warp.active, self.warp.clock) = (pc, active, clock);
                    self.warp.state = WarpState::Barrier;
                    if active != self.warp.present {
                        return Err((pc, self.divergent_barrier(barrier, active)));
                    }
                    return Ok(());
                }
                Op::Await { barrier, phase } => {
                    (self.warp.pc, self.warp.active, self.warp.clock) = (pc, active, clock);
                    let at = InstSite { pc, warp: self.index, block: self.block };
                    if !self.phase_ended(&at, barrier, phase, active).map_err(|fault| (pc, fault))? {
                        self.warp.state = WarpState::Waiting;
                        return Ok(());
                    }
                    pc += 1;
                }
                compute!() | memory!() | effect!() | superinstruction!() => {
                    unreachable!("a block ends at an operation of control flow")
                }
            }
        }
    }

    /// Operations with an effect beyond registers, those that look at other lanes, and accesses that take the slow path.
    #[inline(never)]
    fn effect(&mut self, op: Op, pc: Pc, active: u32, clock: u64) -> Result<(), Box<LaneFault>> {
        let records = &self.machine.plan.records;
        let at = InstSite { pc, warp: self.index, block: self.block };
        match op {
            Op::Load { load } | Op::Fetch { load, .. } | Op::FetchUniform { load, .. } => {
                self.compute_deferred(&records[load].access);
                self.load(&at, &records[load], active)?;
            }
            Op::Store { store } => {
                self.compute_deferred(&records[store].access);
                self.store(&at, &records[store], active)?;
            }
            Op::Atomic { atomic } => self.atomic(&at, &records[atomic], active)?,
            Op::Texture { texture } => self.texture(&at, &records[texture], active)?,
            Op::Surface { surface } => self.surface(&records[surface], active)?,
            Op::Shuffle { shuffle } => self.shuffle(&at, &records[shuffle], active)?,
            Op::Ballot { dst, predicate, members } => self.ballot(&at, dst, predicate, members, active)?,
            Op::Vote { all, dst, predicate, members } => {
                self.vote(&at, Vote { all, dst, predicate, members }, active)?;
            }
            Op::Matrix { matrix } => self.matrix(&at, &records[matrix], active)?,
            Op::LoadMatrix { load } => self.load_matrix(&at, &records[load], active)?,
            Op::AsyncCopy { copy } => self.async_copy(&at, &records[copy], active)?,
            Op::AsyncCommit => self.async_commit(&at, active),
            Op::AsyncWait { groups } => self.async_wait(&at, groups, active)?,
            Op::AsyncBind { barrier } => self.async_bind(&at, barrier, active)?,
            Op::BarrierInit { barrier, count } => self.barrier_init(&at, barrier, count, active)?,
            Op::BarrierArrive { drops, dst, barrier, count } => {
                self.barrier_arrive(&at, Arrival { drops, dst, barrier, count }, active)?;
            }
            Op::WarpBarrier { members } => self.warp_barrier(&at, members, active)?,
            Op::FrameAddress { dst, array } => {
                let pointer = self.warp.frame_address(self.machine, array);
                self.warp.regs.put64(dst, &Lanes([pointer; 32]), active);
            }
            Op::Fence => self.observer.fence(),
            Op::Clock { dst } => self.warp.regs.put64(dst, &Lanes([clock; 32]), active),
            Op::Assert { condition, message } => {
                let failed = active & !self.warp.regs.m[condition];
                if failed != 0 {
                    let message = self.machine.module.strings[message.index()].clone();
                    return Err(LaneFault::of(FaultKind::Assert { message }, failed));
                }
            }
            Op::HasValue { condition, declared, stops } => {
                let failed = active & !self.warp.regs.m[condition];
                if failed != 0 && self.machine.options.checks {
                    let fault = LaneFault::of(FaultKind::NoValue { declared }, failed);
                    if stops {
                        return Err(fault);
                    }
                    self.machine.warn(&at, *fault);
                }
            }
            Op::BadCall { pointer } => {
                let pointer = self.warp.regs.at64(pointer, first(active));
                return Err(LaneFault::of(FaultKind::BadCall { pointer }, active));
            }
            Op::Print { print } => self.print(print, active),
            Op::Trap => return Err(LaneFault::of(FaultKind::Trap, active)),
            compute!() | control!() | superinstruction!() => {
                unreachable!("a block executes what it begins with, or ends")
            }
        }
        Ok(())
    }

    /// Before an access takes the slow path: computes the indices that nothing has needed until now.
    fn compute_deferred(&mut self, access: &Access) {
        let plan = self.machine.plan;
        if access.member.is_none_or(|member| !plan.groups[member.group].is_planned()) {
            return;
        }
        let u = &mut self.warp.regs.u;
        for op in &plan.deferred {
            match *op {
                DeferredOp::Mov { dst, src } => u[dst] = u64::from(u[src] as u32),
                DeferredOp::Alu { op, dst, a, b } => {
                    u[dst] = u64::from(alu32(op, u[a] as u32, u[b] as u32));
                }
            }
        }
    }

    fn print(&mut self, print: PrintId, active: u32) {
        let print = &self.machine.plan.records[print];
        let format = &self.machine.module.strings[print.format.index()];
        for lane in (0..32).filter(|i| active >> i & 1 == 1) {
            if self.printed.len() >= self.room {
                return;
            }
            let args = print.args.iter().map(|arg| (arg.ty, self.warp.regs.at(arg.value, lane)));
            let args: Vec<_> = args.collect();
            let machine = self.machine;
            print::format(self.printed, format, &args, &|p| machine.string_literal(p));
        }
    }

    /// At the end of a warp's turn in a loop: whether the block may still go on.
    #[cold]
    fn end_slice(&self, pc: Pc, polls: bool, may_go_on: bool) -> Result<(), (Pc, Box<LaneFault>)> {
        if may_go_on {
            return Ok(());
        }
        let active = self.warp.active;
        let waiting = self.warp.present & !self.warp.exited & !active;
        let kind = if waiting != 0 && polls {
            let waiting = self.machine.thread(self.index * 32 + first(waiting) as u32);
            FaultKind::SpinWait { spinning: active.count_ones(), waiting }
        } else {
            return Err((pc, self.over_budget()));
        };
        Err((pc, LaneFault::of(kind, active)))
    }

    #[cold]
    fn over_budget(&self) -> Box<LaneFault> {
        let kind = FaultKind::InstructionBudget { limit: self.machine.options.instruction_budget };
        LaneFault::of(kind, self.warp.active)
    }

    /// A barrier that part of the warp cannot reach.
    #[cold]
    fn divergent_barrier(&self, barrier: BarrierId, active: u32) -> Box<LaneFault> {
        let missing = self.warp.present & !active;
        let elsewhere = missing & !self.warp.exited;
        let absent = if elsewhere != 0 { elsewhere } else { missing };
        let plan = self.machine.plan;
        let caller = self.warp.stack.outermost().map(|call| &plan.records[call].enclosing);
        let parted = plan.records[barrier]
            .enclosing
            .iter()
            .chain(caller.into_iter().flatten())
            .find(|construct| self.warp.regs.m[construct.mask] & absent != 0)
            .map(|construct| construct.location);
        let kind = FaultKind::BarrierDivergence {
            missing: self.machine.thread(self.index * 32 + first(absent) as u32),
            exited: elsewhere == 0,
            waiting: active.count_ones(),
            absent: missing.count_ones(),
        };
        let mut fault = LaneFault::of(kind, active);
        let exit = self.warp.exit_pc.and_then(|pc| plan.locations[pc]);
        fault.other = parted.or(exit.filter(|_| elsewhere == 0));
        fault
    }
}
