//! Calls: a frame a call, for the lanes that are active in it.
//!
//! A function's slots in the register files hold its innermost frame. A call of a function that is at work already saves
//! them beside the stack of frames, and the return puts them back; nothing here recurses on the host's stack. Since
//! the lanes of a frame share their chain of callers, the frame's place in local memory is one for all of them.

use crate::fault::{FaultKind, Target};
use crate::machine::context::Machine;
use crate::machine::event::LaneFault;
use crate::machine::warp::frames::{Frame, SAVED_BYTES};
use crate::machine::warp::registers::{Lanes, Regs, StackArray};
use crate::machine::warp::state::Warp;
use simt_ir::Location;
use simt_ir::pointer::{self, Space};

/// Callers that a diagnosis of too deep a recursion names.
const CHAIN: usize = 8;

impl Warp {
    /// Enters the function of a call; gives its first instruction.
    pub(crate) fn enter(
        &mut self,
        machine: &Machine,
        call: u32,
        pc: u32,
        active: u32,
    ) -> Result<(u32, u32, u32), Box<LaneFault>> {
        let plan = machine.plan;
        let op = &plan.calls[call as usize];
        let function = &plan.functions[op.function as usize];
        let stack = &mut self.stack;
        stack.bytes += u64::from(function.stack_bytes);
        let saved = stack.live[op.function as usize] > 0;
        let limit = u64::from(machine.options.stack_bytes);
        if stack.bytes > limit || stack.saved32.len() * 128 + stack.saved64.len() * 256 > SAVED_BYTES {
            return Err(self.overflow(machine, pc, active));
        }
        let regs = &mut self.regs;
        stack.gather(regs, &op.args);
        if saved {
            stack.save(regs, function);
        }
        stack.live[op.function as usize] += 1;
        function.zero32.iter().for_each(|s| regs.l32[*s as usize] = Lanes([0; 32]));
        function.zero64.iter().for_each(|s| regs.l64[*s as usize] = Lanes([0; 32]));
        function.zero_masks.iter().for_each(|s| regs.m[*s as usize] = 0);
        stack.scatter(regs, &op.args, active);
        let base = stack.top;
        stack.top += function.local_bytes;
        let arrays = (0..).zip(&function.locals).map(|(array, local)| StackArray {
            start: base + local.offset,
            bytes: local.bytes,
            function: op.function,
            array,
        });
        regs.stack.extend(arrays);
        stack.frames.push(Frame { pc, active, call, saved, base });
        let (from, to) = (base / 4, stack.top / 4);
        if self.local.len() < to as usize {
            self.local.resize(to as usize, Lanes([u32::MAX; 32]));
        }
        self.local[from as usize..to as usize].fill(Lanes([u32::MAX; 32]));
        Ok((function.entry, from, to))
    }

    /// Leaves the innermost call; gives its instruction and the lanes that called.
    pub(crate) fn leave(&mut self, machine: &Machine) -> Option<(u32, u32)> {
        let plan = machine.plan;
        let stack = &mut self.stack;
        let frame = stack.frames.pop()?;
        let op = &plan.calls[frame.call as usize];
        let function = &plan.functions[op.function as usize];
        let regs = &mut self.regs;
        stack.gather(regs, &op.results);
        if frame.saved {
            stack.restore(regs, function);
        }
        stack.live[op.function as usize] -= 1;
        stack.scatter(regs, &op.results, frame.active);
        regs.stack.truncate(regs.stack.len() - function.locals.len());
        stack.top = frame.base;
        stack.bytes -= u64::from(function.stack_bytes);
        Some((frame.pc, frame.active))
    }

    /// The pointer to a local array of the innermost frame.
    pub(crate) fn frame_address(&self, machine: &Machine, array: u32) -> u64 {
        let Some(frame) = self.stack.frames.last() else { return 0 };
        let op = &machine.plan.calls[frame.call as usize];
        let locals = &machine.plan.functions[op.function as usize].locals;
        let first = machine.kernel.locals.len() + self.regs.stack.len() - locals.len();
        let offset = frame.base + locals[array as usize].offset;
        pointer::pack(Space::Local, first as u32 + array, u64::from(offset))
    }

    #[cold]
    fn overflow(&self, machine: &Machine, pc: u32, active: u32) -> Box<LaneFault> {
        let frames = &self.stack.frames;
        let site = |pc: u32| machine.plan.locations[pc as usize];
        let chain: Vec<Location> =
            frames.iter().rev().take(CHAIN).filter_map(|frame| site(frame.pc)).collect();
        let kind = FaultKind::StackOverflow {
            depth: frames.len() as u32 + 1,
            bytes: self.stack.bytes,
            limit: machine.options.stack_bytes,
            chain,
        };
        let mut fault = LaneFault::of(kind, active);
        fault.other =
            frames.first().and_then(|frame| site(frame.pc)).filter(|first| Some(*first) != site(pc));
        fault
    }
}

impl Machine<'_> {
    /// The local array of a frame that an allocation means.
    pub(crate) fn stack_array(&self, regs: &Regs, space: Space, allocation: u32) -> Option<StackArray> {
        let number = (allocation as usize).checked_sub(self.kernel.locals.len())?;
        regs.stack.get(number).filter(|_| space == Space::Local).copied()
    }

    /// The same for a message, with where it starts.
    pub(crate) fn stack_target(&self, regs: &Regs, space: Space, allocation: u32) -> Option<(Target, u64)> {
        let array = self.stack_array(regs, space, allocation)?;
        let local = &self.plan.functions[array.function as usize].locals[array.array as usize];
        let (name, bytes) = (Some(local.name.clone()), u64::from(array.bytes));
        Some((Target { space, allocation, name, bytes }, u64::from(array.start)))
    }
}
