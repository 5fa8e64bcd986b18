//! A warp of a launch that continues after faults (see [`crate::machine::recovery`]).
//!
//! An operation whose lanes fail is executed again without these lanes. So the operations themselves need not know of it.

use crate::machine::event::{AccessClass, InstSite, LaneFault, ResolvedAccess};
use crate::machine::mask::lanes;
use crate::machine::observer::Observer;
use crate::machine::recovery::{AccessTaint, Recovery};
use crate::machine::warp::asynchronous::complete_fault;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{WarpRegs, WarpRegsMut};
use crate::plan::{Op, Pc, Role, Slot, collective};
use crate::value::{alu32, alu64};

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Executes an operation, and suppresses what fails.
    ///
    /// # Errors
    /// A fault after which the launch cannot continue.
    #[cold]
    pub(crate) fn effect_recovering(
        &mut self,
        op: Op,
        pc: Pc,
        active: u32,
        clock: u64,
    ) -> Result<(), Box<LaneFault>> {
        let (plan, at) = (self.machine.plan, self.at(pc));
        let taint = &mut self.warp.taint;
        let distrusted = taint.distrusted & active;
        let read = taint.read_by(plan, &op) & active;
        // Of an access: the lanes whose address is tainted, and those whose value is.
        let access = match op {
            Op::Load { load } => Some((taint.of(&plan.records[load].access), 0)),
            Op::Store { store } => {
                let store = &plan.records[store];
                Some((taint.of(&store.access), taint.of(&store.src)))
            }
            Op::Atomic { atomic } => {
                let atomic = &plan.records[atomic];
                Some((taint.of(&atomic.address), taint.of(&atomic.value) | taint.of(&atomic.compare)))
            }
            _ => None,
        };
        let (address, value) = access.unwrap_or((0, read));
        taint.access = AccessTaint { silent: distrusted, stored: value, loaded: 0 };
        let untrusted = if access.is_some() { distrusted } else { distrusted | read };
        let mut suppressed = address & active;
        // Those that are not trusted by themselves, so that faults are of lanes of one kind; but what lanes do together needs all.
        let parts = match access {
            Some(_) => [active & !address & !distrusted, distrusted & !address],
            None => [active, 0],
        };
        for mut rest in parts {
            while rest != 0 {
                let Err(fault) = self.effect(op, pc, rest, clock) else { break };
                let failed = fault.lanes & rest;
                if failed == 0 || !fault.kind.is_recoverable() {
                    return Err(fault);
                }
                if failed & !untrusted != 0 {
                    self.machine.keep(&at, fault)?;
                }
                suppressed |= failed;
                rest &= !failed;
            }
        }
        let loaded = std::mem::take(&mut self.warp.taint.access).loaded;
        self.give_zero(&op, active, suppressed);
        let mut tainted = (suppressed | loaded | value) & active;
        if matches!(op, collective!()) && tainted != 0 {
            tainted = active;
        }
        self.warp.taint.write(plan, &op, active, tainted);
        Ok(())
    }

    /// Divides in the lanes whose divisor is not zero. In the others all bits are set, as they are on devices.
    #[cold]
    pub(crate) fn divide_recovering(
        &mut self,
        pc: Pc,
        active: u32,
        fault: Box<LaneFault>,
    ) -> Result<(), Box<LaneFault>> {
        let (plan, at, zero) = (self.machine.plan, self.at(pc), fault.lanes);
        let op = plan.code[pc];
        let read = self.warp.taint.read_by(plan, &op) & active;
        if zero & !(read | self.warp.taint.distrusted) != 0 {
            self.machine.keep(&at, fault)?;
        }
        let regs = &mut self.warp.regs;
        match op {
            Op::Alu32 { op, dst, a, b } => {
                for lane in lanes(active) {
                    let divides = zero >> lane & 1 == 0;
                    let quotient =
                        if divides { alu32(op, regs.at32(a, lane), regs.at32(b, lane)) } else { u32::MAX };
                    regs.put_one32(dst, quotient, lane);
                }
            }
            Op::Alu64 { op, dst, a, b } => {
                let mut quotients = regs.lanes64(a);
                for lane in lanes(active) {
                    let divides = zero >> lane & 1 == 0;
                    quotients.0[lane] =
                        if divides { alu64(op, quotients.0[lane], regs.at64(b, lane)) } else { u64::MAX };
                }
                regs.put64(dst, &quotients, active);
            }
            _ => {}
        }
        self.warp.taint.write(plan, &op, active, (read | zero) & active);
        Ok(())
    }

    /// Tells the observer of an access, but for lanes that are not trusted or read what is tainted.
    #[cold]
    pub(crate) fn observe_recovering(
        &mut self,
        recovery: &Recovery,
        at: &InstSite,
        access: &ResolvedAccess,
        class: AccessClass,
    ) -> Result<(), Box<LaneFault>> {
        let taint = self.warp.taint.access;
        let mut loaded = recovery.follow(at, access, class, taint);
        let mut seen = access.mask & !(taint.silent | loaded);
        while seen != 0 {
            let access = access.of(seen);
            let result = self.observer.access(self.machine, at, &access, class);
            loaded |= recovery.take_unwritten();
            let Err(fault) = result else { break };
            loaded |= fault.lanes;
            seen &= !fault.lanes;
            let mut fault = self.with_stack_array(&access, fault);
            complete_fault(&mut fault, self.asyncs);
            self.machine.keep(at, fault)?;
        }
        self.warp.taint.access.loaded |= loaded;
        Ok(())
    }

    /// Gives zero where an operation was suppressed.
    fn give_zero(&mut self, op: &Op, active: u32, suppressed: u32) {
        if suppressed == 0 {
            return;
        }
        let regs = &mut self.warp.regs;
        op.visit(&self.machine.plan.records, &mut |role, slot| {
            if role != Role::Writes {
                return;
            }
            match slot {
                Slot::Lane32(slot) => lanes(suppressed).for_each(|lane| regs.l32[slot].0[lane] = 0),
                Slot::Lane64(slot) => lanes(suppressed).for_each(|lane| regs.l64[slot].0[lane] = 0),
                Slot::Mask(slot) => regs.m[slot] &= !suppressed,
                Slot::Uniform(slot) if suppressed & active == active => regs.u[slot] = 0,
                Slot::Uniform(_) => {}
            }
        });
    }
}
