//! The interpreter of a warp: runs basic blocks, and between them follows the structured control flow with masks of active lanes.
//!
//! Control constructs keep the lanes that are elsewhere in mask slots: those that take the other way of an `If`, those that have left a
//! loop. Lanes join again where the construct ends, as the structure of the code says, so nothing is searched at run time. A warp runs
//! until it ends, waits, or has used up its time slice; who runs next is decided in [`super::super::block`].

use crate::fault::FaultKind;
use crate::machine::event::{LaneFault, LaneSplit, WarpFault};
use crate::machine::mask::first;
use crate::machine::observer::Observer;
use crate::machine::warp::basic_block::{BasicBlockEnd, run_basic_block, zero_divisors};
use crate::machine::warp::call::Entered;
use crate::machine::warp::cost::call_cost;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::spin::{Compared, FIRST_LOOK, may_look, reads_what_changes};
use crate::machine::warp::state::WarpState;
use crate::plan::{BarrierId, CallId, Op, Pc, PollId, collective, compute, dead, effect, memory};

/// Instructions after which a warp lets the others of its block continue, so that one may wait for another's store.
const TIME_SLICE: u64 = 1 << 16;

/// Where a warp is: its next instruction, its active lanes, and the instructions executed, mask bookkeeping included.
struct Cursor {
    pc: Pc,
    active: u32,
    clock: u64,
    /// The clock at which the time slice ends.
    slice_end: u64,
    /// The clock at which the block's budget is used up.
    budget_end: u64,
}

impl Cursor {
    /// Continues with these lanes at the next instruction; at `target` if there are none.
    #[inline(always)]
    fn continue_with(&mut self, active: u32, target: Pc) {
        self.active = active;
        self.pc = if active == 0 { target } else { self.pc + 1 };
    }
}

/// Whether a warp continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    Stop,
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Runs until the warp ends, waits, or has used up its time slice.
    ///
    /// This is compiled once per instruction set, as part of a block's round.
    #[inline(always)]
    pub(crate) fn run_time_slice<V: Vectors>(&mut self, simd: V) -> Result<(), WarpFault> {
        let clock = self.warp.clock;
        let slice = if std::mem::take(&mut self.warp.slice_is_short) { 0 } else { TIME_SLICE };
        let mut at = Cursor {
            pc: self.warp.pc,
            active: self.warp.active,
            clock,
            slice_end: clock + slice.min(self.budget),
            budget_end: clock + self.budget,
        };
        if let Some(from) = self.warp.stopped_since.take() {
            // Counted as the lanes go on that have met: what is dead may be computed before or after they have.
            self.observer.executed_up_to(from, at.pc, at.active);
        }
        let result = loop {
            match self.run_to_control(simd, &mut at) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => break Ok(()),
                Err(fault) => break Err(fault),
            }
            match self.control(&mut at) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        (self.warp.pc, self.warp.active, self.warp.clock) = (at.pc, at.active, at.clock);
        result.map_err(|fault| WarpFault { warp: self.warp.index, pc: at.pc, fault })
    }

    /// Executes the instructions up to the next one of control flow, and counts that one, too. Stops before one for which other parts of
    /// the warp have to come.
    #[inline(always)]
    fn run_to_control<V: Vectors>(&mut self, simd: V, at: &mut Cursor) -> Result<Flow, Box<LaneFault>> {
        let plan = self.machine.plan;
        let from = at.pc;
        loop {
            match run_basic_block(simd, self, at.pc, at.active) {
                BasicBlockEnd::Other(next) => self.follow_taint(at, next),
                BasicBlockEnd::ZeroDivisor(pc) => {
                    self.follow_taint(at, pc);
                    self.divide_by_zero(at)?;
                    continue;
                }
            }
            let op = plan.code[at.pc];
            if op.is_control() {
                break;
            }
            if self.warp.apart != 0 && self.meets(op, at.active) {
                at.clock += plan.clock_between(from, at.pc);
                self.warp.stopped_since = Some(from);
                return Ok(Flow::Stop);
            }
            self.warp.active = at.active;
            let clock = at.clock + plan.clock_between(from, at.pc) + 1;
            match self.machine.recovery {
                None => self.effect(op, at.pc, at.active, clock)?,
                Some(_) => self.effect_recovering(op, at.pc, at.active, clock)?,
            }
            at.pc += 1;
        }
        at.clock += plan.clock_between(from, at.pc) + 1;
        self.observer.executed(from, at.active);
        if self.machine.recovery.is_some() {
            self.warp.taint.branch(plan, &plan.code[at.pc], at.active);
        }
        Ok(Flow::Continue)
    }

    /// Moves on to an instruction of the same basic block. Tainted values are followed through those in between.
    #[inline(always)]
    fn follow_taint(&mut self, at: &mut Cursor, next: Pc) {
        if self.machine.recovery.is_some() {
            self.warp.taint.follow(self.machine.plan, at.pc, next, at.active);
        }
        at.pc = next;
    }

    /// The fault of a division here, some of whose divisors are zero; none if the launch continues after it.
    #[cold]
    fn divide_by_zero(&mut self, at: &mut Cursor) -> Result<(), Box<LaneFault>> {
        let lanes = zero_divisors(&self.warp.regs, &self.machine.plan.code[at.pc], at.active);
        let fault = LaneFault::of(FaultKind::DivisionByZero, lanes);
        if self.machine.recovery.is_none() {
            return Err(fault);
        }
        self.divide_recovering(at.pc, at.active, fault)?;
        at.pc += 1;
        Ok(())
    }

    /// Executes an instruction of control flow.
    #[inline(always)]
    fn control(&mut self, at: &mut Cursor) -> Result<Flow, Box<LaneFault>> {
        let masks = &mut self.warp.regs.m;
        match self.machine.plan.code[at.pc] {
            Op::If { condition, other, target } => {
                let taken = at.active & masks[condition];
                masks[other] = at.active & !taken;
                if taken != 0 && taken != at.active {
                    let split = LaneSplit { taken, other: at.active & !taken, is_loop: false };
                    self.observer.diverged(&self.at(at.pc), split);
                }
                at.continue_with(taken, target);
            }
            Op::Else { other, target } => {
                let active = std::mem::replace(&mut masks[other], at.active);
                at.continue_with(active, target);
            }
            Op::EndIf { other: slot, target } | Op::Leave { out: slot, target } => {
                at.continue_with(at.active | masks[slot], target);
            }
            Op::LoopEnter { out, again } => {
                masks[out] = 0;
                masks[again] = 0;
                at.pc += 1;
            }
            Op::LoopTest { condition, out, target } => {
                let stay = at.active & masks[condition];
                masks[out] |= at.active & !stay;
                if stay != 0 && stay != at.active {
                    let split = LaneSplit { taken: stay, other: at.active & !stay, is_loop: true };
                    self.observer.diverged(&self.at(at.pc), split);
                }
                at.continue_with(stay, target);
            }
            Op::LoopStep { again, target } => {
                let active = at.active | std::mem::take(&mut masks[again]);
                at.continue_with(active, target);
            }
            Op::LoopBack { .. } | Op::PollBack { .. } if at.active == 0 => at.pc += 1,
            Op::LoopBack { target } => {
                if at.clock >= at.slice_end {
                    return self.end_slice(at, target);
                }
                at.pc = target;
            }
            Op::PollEnter { poll } => {
                self.warp.polls[poll] = 0;
                at.pc += 1;
            }
            Op::PollBack { poll, target } => {
                let iterations = &mut self.warp.polls[poll];
                *iterations += 1;
                if may_look(*iterations) || at.clock >= at.slice_end {
                    return self.poll(at, poll, target);
                }
                at.pc = target;
            }
            Op::ScopeEnter { out } => {
                masks[out] = 0;
                at.pc += 1;
            }
            Op::Break { out: slot, target } | Op::Continue { again: slot, target } => {
                masks[slot] |= at.active;
                (at.active, at.pc) = (0, target);
            }
            Op::Return { target } => {
                self.warp.exited |= at.active;
                self.warp.exit_pc = Some(at.pc);
                (at.active, at.pc) = (0, target);
            }
            Op::Call { call } => return self.call(at, call),
            Op::Back => match self.warp.leave(self.machine) {
                Some(frame) => (at.pc, at.active) = (frame.pc + 1, frame.active),
                None => return Err(LaneFault::of(FaultKind::Trap, at.active)),
            },
            Op::Exit => {
                self.warp.state = WarpState::Done;
                self.warp.exited = self.warp.present;
                at.active = 0;
                return Ok(Flow::Stop);
            }
            Op::Barrier { barrier } => return self.barrier(at, barrier),
            Op::Await { named, barrier, phase } => {
                let site = self.at(at.pc);
                let completed = if named {
                    self.named_completed(&site, barrier, phase, at.active)
                } else {
                    self.phase_completed(&site, barrier, phase, at.active)?
                };
                if !completed {
                    self.warp.state = WarpState::Waiting;
                    return Ok(Flow::Stop);
                }
                at.pc += 1;
            }
            compute!() | memory!() | effect!() | collective!() | dead!() => {
                unreachable!("a block ends at an operation of control flow")
            }
        }
        Ok(Flow::Continue)
    }

    fn call(&mut self, at: &mut Cursor, call: CallId) -> Result<Flow, Box<LaneFault>> {
        let Entered { entry, words } = self.warp.enter(self.machine, call, at.pc, at.active)?;
        self.extra_cost += call_cost(&words);
        self.observer.frame(self.warp.index, words);
        // A recursion may last as long as a loop.
        self.check_budget(at)?;
        at.pc = entry;
        Ok(if at.clock >= at.slice_end { Flow::Stop } else { Flow::Continue })
    }

    /// Arrives at a block barrier.
    fn barrier(&mut self, at: &mut Cursor, barrier: BarrierId) -> Result<Flow, Box<LaneFault>> {
        let machine = self.machine;
        if machine.plan.records[barrier].grid && machine.launch.cooperative.is_none() {
            return Err(LaneFault::of(FaultKind::NotCooperative, at.active));
        }
        self.observer.arrive(at.pc);
        self.warp.state = WarpState::Barrier;
        if at.active != self.warp.present {
            return Err(self.divergent_barrier(barrier, at.active));
        }
        Ok(Flow::Stop)
    }

    /// The time slice ends at the end of an iteration of a loop that does not poll. If the next iterations change nothing, it has no end.
    #[cold]
    fn end_slice(&mut self, at: &mut Cursor, target: Pc) -> Result<Flow, Box<LaneFault>> {
        self.check_budget(at)?;
        match self.probe.compare((at.pc, at.active), &self.warp.regs, &mut self.stored) {
            Compared::Go => {
                at.pc = target;
                Ok(Flow::Continue)
            }
            Compared::Different => {
                at.pc = target;
                Ok(Flow::Stop)
            }
            Compared::Same => {
                if !reads_what_changes(self.machine.plan, target, at.pc) {
                    return Err(LaneFault::of(FaultKind::EndlessLoop, at.active));
                }
                if std::mem::take(&mut self.stored) {
                    // Perhaps what was there before.
                    let memory = self.memory();
                    if !self.probe.is_same_memory(memory) {
                        at.pc = target;
                        return Ok(Flow::Continue);
                    }
                }
                self.warp.state = WarpState::Spinning;
                self.warp.spins_at = at.pc;
                self.warp.slice_is_short = true;
                at.pc = target;
                Ok(Flow::Stop)
            }
        }
    }

    /// The active lanes end an iteration of a loop that polls: continues, or sets the warp aside if it waits there.
    fn poll(&mut self, at: &mut Cursor, poll: PollId, target: Pc) -> Result<Flow, Box<LaneFault>> {
        self.check_budget(at)?;
        let warp = &mut *self.warp;
        let end = std::mem::replace(&mut at.pc, target);
        if self.probe.is_spinning(warp.polls[poll], (end, at.active), &warp.regs, &mut self.stored) {
            warp.state = WarpState::Spinning;
            warp.spins_at = end;
            // If nothing has changed when its turn comes again, one iteration and another one will tell.
            warp.polls[poll] = FIRST_LOOK - 1;
            return Ok(Flow::Stop);
        }
        Ok(if at.clock >= at.slice_end { Flow::Stop } else { Flow::Continue })
    }

    /// A loop or a recursion continues: whether the block may.
    fn check_budget(&self, at: &Cursor) -> Result<(), Box<LaneFault>> {
        let options = self.machine.options;
        let extra_cost = if options.weighted { self.extra_cost } else { 0 };
        let kind = if at.clock + extra_cost >= at.budget_end {
            FaultKind::InstructionBudget { limit: options.instruction_budget }
        } else if self.effects >= self.max_effects {
            FaultKind::EffectBudget { limit: options.effect_budget() }
        } else {
            return Ok(());
        };
        Err(LaneFault::of(kind, at.active))
    }

    /// The fault of a barrier that part of the warp cannot reach.
    #[cold]
    fn divergent_barrier(&self, barrier: BarrierId, active: u32) -> Box<LaneFault> {
        let missing = self.warp.present & !active;
        let elsewhere = missing & !self.warp.exited;
        let absent = if elsewhere != 0 { elsewhere } else { missing };
        let plan = self.machine.plan;
        let caller = self.warp.stack.frames.first().map(|frame| &plan.records[frame.call].enclosing);
        let diverged = plan.records[barrier]
            .enclosing
            .iter()
            .chain(caller.into_iter().flatten())
            .find(|construct| self.warp.regs.m[construct.mask] & absent != 0)
            .map(|construct| construct.location);
        let kind = FaultKind::BarrierDivergence {
            missing: self.machine.thread(self.warp.index * 32 + first(absent) as u32),
            exited: elsewhere == 0,
            waiting: active.count_ones(),
            absent: missing.count_ones(),
        };
        let mut fault = LaneFault::of(kind, active);
        let exit = self.warp.exit_pc.and_then(|pc| plan.locations[pc]);
        fault.other = diverged.or(exit.filter(|_| elsewhere == 0));
        fault
    }
}
