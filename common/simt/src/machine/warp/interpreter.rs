//! A warp's interpreter loop.

use crate::fault::FaultKind;
use crate::machine::event::{InstSite, LaneFault};
use crate::machine::observer::Observer;
use crate::machine::warp::basic_block::{BasicBlockEnd, run_basic_block, zero_divisors};
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::print;
use crate::machine::warp::registers::{Lanes, first};
use crate::machine::warp::state::WarpState;
use crate::plan::{Access, NONE, Op, Src};
use crate::value::alu32;
use simt_ir::Location;

/// Instructions after which a warp lets the others of its block go on, so that one may wait for another's store.
const TIME_SLICE: u64 = 1 << 16;

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Runs until the warp ends, reaches a barrier, or has had its turn. A fault comes with its program counter.
    ///
    /// This is compiled once for each instruction set, as part of `turns_with`.
    #[inline(always)]
    pub(crate) fn run<V: Vectors>(&mut self, simd: V) -> Result<(), (u32, Box<LaneFault>)> {
        let machine = self.machine;
        let plan = machine.plan;
        let code = plan.code.as_slice();
        let (mut pc, mut active, mut clock) = (self.warp.pc, self.warp.active, self.warp.clock);
        let slice = clock + TIME_SLICE.min(self.budget);
        loop {
            let from = pc;
            loop {
                match run_basic_block(simd, self, pc, active) {
                    BasicBlockEnd::Other(next) => pc = next,
                    BasicBlockEnd::ZeroDivisor(at) => {
                        let lanes = zero_divisors(&self.warp.regs, &code[at as usize], active);
                        return Err((at, LaneFault::of(FaultKind::DivisionByZero, lanes)));
                    }
                }
                let op = plan.plain(pc);
                if op.is_control() {
                    break;
                }
                self.warp.active = active;
                self.effect(op, pc, active, clock + u64::from(pc - from) + 1).map_err(|fault| (pc, fault))?;
                pc += 1;
            }
            clock += u64::from(pc - from) + 1;
            self.observer.executed(from, active);
            let masks = &mut self.warp.regs.m;
            match code[pc as usize] {
                Op::If { condition, other, target } => {
                    let taken = active & masks[condition as usize];
                    let rest = active & !taken;
                    masks[other as usize] = rest;
                    if taken != 0 && rest != 0 {
                        self.observer.diverged(pc);
                    }
                    active = taken;
                    pc = if taken == 0 { target } else { pc + 1 };
                }
                Op::Else { other, target } => {
                    std::mem::swap(&mut active, &mut masks[other as usize]);
                    pc = if active == 0 { target } else { pc + 1 };
                }
                Op::EndIf { other, target } => {
                    active |= masks[other as usize];
                    pc = if active == 0 { target } else { pc + 1 };
                }
                Op::LoopEnter { out, again } => {
                    masks[out as usize] = 0;
                    masks[again as usize] = 0;
                    pc += 1;
                }
                Op::LoopTest { condition, out, target } => {
                    let stay = active & masks[condition as usize];
                    masks[out as usize] |= active & !stay;
                    if stay != 0 && stay != active {
                        self.observer.diverged(pc);
                    }
                    active = stay;
                    pc = if stay == 0 { target } else { pc + 1 };
                }
                Op::LoopStep { again, target } => {
                    active |= std::mem::take(&mut masks[again as usize]);
                    pc = if active == 0 { target } else { pc + 1 };
                }
                Op::LoopBack { target, info } => {
                    if active == 0 {
                        pc += 1;
                        continue;
                    }
                    if clock >= slice {
                        let used = clock - self.warp.clock;
                        (self.warp.pc, self.warp.active, self.warp.clock) = (target, active, clock);
                        return self.end_slice(pc, info, used < self.budget);
                    }
                    pc = target;
                }
                Op::Leave { out, target } => {
                    active |= masks[out as usize];
                    pc = if active == 0 { target } else { pc + 1 };
                }
                Op::ScopeEnter { out } => {
                    masks[out as usize] = 0;
                    pc += 1;
                }
                Op::Break { out: slot, target } | Op::Continue { again: slot, target } => {
                    masks[slot as usize] |= active;
                    active = 0;
                    pc = target;
                }
                Op::Return { target } => {
                    self.warp.exited |= active;
                    self.warp.exit_pc = pc;
                    active = 0;
                    pc = target;
                }
                Op::Call(call) => {
                    let entered = self.warp.enter(machine, call, pc, active);
                    let (entry, from, to) = entered.map_err(|fault| (pc, fault))?;
                    self.observer.frame(self.index, from, to);
                    // A recursion may go on for as long as a loop.
                    if clock >= slice {
                        let used = clock - self.warp.clock;
                        (self.warp.pc, self.warp.active, self.warp.clock) = (entry, active, clock);
                        return if used < self.budget { Ok(()) } else { Err((pc, self.over_budget())) };
                    }
                    pc = entry;
                }
                Op::Back => match self.warp.leave(machine) {
                    Some((call, lanes)) => (pc, active) = (call + 1, lanes),
                    None => return Err((pc, LaneFault::of(FaultKind::Trap, active))),
                },
                Op::Exit => {
                    self.warp.state = WarpState::Done;
                    self.warp.exited = self.warp.present;
                    (self.warp.pc, self.warp.active, self.warp.clock) = (pc, 0, clock);
                    return Ok(());
                }
                Op::Barrier(index) => {
                    if plan.barriers[index as usize].grid && machine.launch.cooperative.is_none() {
                        return Err((pc, LaneFault::of(FaultKind::NotCooperative, active)));
                    }
                    self.observer.arrive(pc);
                    (self.warp.pc, self.warp.active, self.warp.clock) = (pc, active, clock);
                    self.warp.state = WarpState::Barrier;
                    if active != self.warp.present {
                        return Err((pc, self.divergent_barrier(index, active)));
                    }
                    return Ok(());
                }
                Op::Await(index) => {
                    (self.warp.pc, self.warp.active, self.warp.clock) = (pc, active, clock);
                    let at = InstSite { pc, warp: self.index, block: self.block };
                    let plan = &plan.asyncs[index as usize];
                    if !self.phase_ended(&at, plan, active).map_err(|fault| (pc, fault))? {
                        self.warp.state = WarpState::Waiting;
                        return Ok(());
                    }
                    pc += 1;
                }
                _ => return Err((pc, LaneFault::of(FaultKind::Trap, active))),
            }
        }
    }

    /// Instructions with an effect beyond registers, and those that look at other lanes.
    #[inline(never)]
    fn effect(&mut self, op: Op, pc: u32, active: u32, clock: u64) -> Result<(), Box<LaneFault>> {
        let plan = self.machine.plan;
        let at = InstSite { pc, warp: self.index, block: self.block };
        match op {
            Op::Load(i) | Op::Fetch { load: i, .. } | Op::FetchUniform { load: i, .. } => {
                let access = &plan.loads[i as usize];
                self.compute_deferred(access);
                self.load(&at, access, active)
            }
            Op::Store(i) => {
                let access = &plan.stores[i as usize];
                self.compute_deferred(access);
                self.store(&at, access, active)
            }
            Op::Atomic(i) => self.atomic(&at, &plan.atomics[i as usize], active),
            Op::Texture(i) => self.texture(&at, &plan.textures[i as usize], active),
            Op::Surface(i) => self.surface(&plan.surfaces[i as usize], active),
            Op::Shuffle(i) => self.shuffle(&at, &plan.shuffles[i as usize], active),
            Op::Vote { mode, dst, predicate, members } => {
                self.vote(&at, (mode, dst), predicate, members, active)
            }
            Op::Matrix(i) => self.matrix(&at, &plan.matrices[i as usize], active),
            Op::LoadMatrix(i) => self.load_matrix(&at, &plan.matrix_loads[i as usize], active),
            Op::AsyncCopy(i) => self.async_copy(&at, &plan.copies[i as usize], active),
            Op::Async(i) => self.asynchronous(&at, &plan.asyncs[i as usize], active),
            Op::WarpBarrier { members } => self.warp_barrier(&at, members, active),
            Op::FrameAddress { dst, array } => {
                let pointer = self.warp.frame_address(self.machine, array);
                self.warp.regs.put64(dst, &Lanes([pointer; 32]), active);
                Ok(())
            }
            Op::Fence => {
                self.observer.fence();
                Ok(())
            }
            Op::Clock { dst } => {
                self.warp.regs.put64(dst, &Lanes([clock; 32]), active);
                Ok(())
            }
            Op::Assert { condition, message } => {
                let failed = active & !self.warp.regs.m[condition as usize];
                if failed == 0 {
                    return Ok(());
                }
                let message = self.machine.module.strings[message as usize].clone();
                Err(LaneFault::of(FaultKind::Assert { message }, failed))
            }
            Op::HasValue { condition, declared, stops } => {
                let failed = active & !self.warp.regs.m[condition as usize];
                if failed == 0 || !self.machine.options.checks {
                    return Ok(());
                }
                let fault = LaneFault::of(FaultKind::NoValue { declared: Location(declared) }, failed);
                if stops {
                    return Err(fault);
                }
                self.machine.warn(&at, *fault);
                Ok(())
            }
            Op::BadCall { pointer } => {
                let pointer = self.warp.regs.at64(pointer, first(active));
                Err(LaneFault::of(FaultKind::BadCall { pointer }, active))
            }
            Op::Print(i) => {
                self.print(i, active);
                Ok(())
            }
            _ => Err(LaneFault::of(FaultKind::Trap, active)),
        }
    }

    /// Backup an access goes the long way: computes the indices that nobody has needed until now.
    fn compute_deferred(&mut self, access: &Access) {
        let plan = self.machine.plan;
        if access.group == NONE || !plan.groups[access.group as usize].is_ahead() {
            return;
        }
        let u = &mut self.warp.regs.u;
        for op in &plan.deferred {
            match *op {
                Op::Mov32 { dst: Src::U(dst), src: Src::U(src) } => {
                    u[dst as usize] = u64::from(u[src as usize] as u32);
                }
                Op::Alu32 { op, dst: Src::U(dst), a: Src::U(a), b: Src::U(b) } => {
                    u[dst as usize] = u64::from(alu32(op, u[a as usize] as u32, u[b as usize] as u32));
                }
                _ => {}
            }
        }
    }

    fn print(&mut self, index: u32, active: u32) {
        let op = &self.machine.plan.prints[index as usize];
        let format = &self.machine.module.strings[op.format as usize];
        for lane in (0..32).filter(|i| active >> i & 1 == 1) {
            if self.printed.len() >= self.room {
                return;
            }
            let args: Vec<_> = op.args.iter().map(|(ty, src)| (*ty, self.value(*ty, *src, lane))).collect();
            let machine = self.machine;
            print::format(self.printed, format, &args, &|p| machine.string_literal(p));
        }
    }

    fn value(&self, ty: simt_ir::Type, src: Src, lane: usize) -> u64 {
        use simt_ir::Type;
        let regs = &self.warp.regs;
        match (ty, src) {
            (Type::Bool, Src::L(m) | Src::U(m) | Src::A(m, _)) => u64::from(regs.m[m as usize] >> lane & 1),
            (Type::I64 | Type::F64 | Type::Ptr, src) => regs.at64(src, lane),
            (Type::I32 | Type::F32, src) => u64::from(regs.at32(src, lane)),
        }
    }

    /// At the end of a warp's turn in a loop: whether the block may still go on.
    #[cold]
    fn end_slice(&self, pc: u32, info: u32, may_go_on: bool) -> Result<(), (u32, Box<LaneFault>)> {
        if may_go_on {
            return Ok(());
        }
        let active = self.warp.active;
        let waiting = self.warp.present & !self.warp.exited & !active;
        let kind = if waiting != 0 && self.machine.plan.loops[info as usize].polls {
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
    fn divergent_barrier(&self, index: u32, active: u32) -> Box<LaneFault> {
        let missing = self.warp.present & !active;
        let elsewhere = missing & !self.warp.exited;
        let absent = if elsewhere != 0 { elsewhere } else { missing };
        let plan = self.machine.plan;
        let caller = self.warp.stack.outermost().map(|call| &plan.calls[call as usize].enclosing);
        let parted = plan.barriers[index as usize]
            .enclosing
            .iter()
            .chain(caller.into_iter().flatten())
            .find(|(slot, _)| self.warp.regs.m[*slot as usize] & absent != 0)
            .map(|(_, location)| *location);
        let kind = FaultKind::BarrierDivergence {
            missing: self.machine.thread(self.index * 32 + first(absent) as u32),
            exited: elsewhere == 0,
            waiting: active.count_ones(),
            absent: missing.count_ones(),
        };
        let mut fault = LaneFault::of(kind, active);
        let exit = plan.locations[self.warp.exit_pc as usize];
        fault.other = parted.or(exit.filter(|_| elsewhere == 0));
        fault
    }
}
