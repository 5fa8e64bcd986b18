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
use crate::plan::{CallId, Pc};
use simt_ir::pointer::{self, Space};
use simt_ir::{LocalIndex, Location};
use std::ops::Range;

/// Callers that a diagnosis of too deep a recursion names.
const CHAIN: usize = 8;

/// A function that a warp has entered.
pub(crate) struct Entered {
    /// Its first operation.
    pub(crate) entry: Pc,
    /// The words of local memory that the frame has.
    pub(crate) words: Range<u32>,
}

impl Warp {
    /// Enters the function of a call.
    pub(crate) fn enter(
        &mut self,
        machine: &Machine,
        call: CallId,
        pc: Pc,
        active: u32,
    ) -> Result<Entered, Box<LaneFault>> {
        let plan = machine.plan;
        let op = &plan.records[call];
        let function = &plan.functions[op.function];
        let stack = &mut self.stack;
        stack.bytes += u64::from(function.stack_bytes);
        let saved = stack.live[op.function] > 0;
        let limit = u64::from(machine.options.stack_bytes);
        if stack.bytes > limit || stack.saved32.len() * 128 + stack.saved64.len() * 256 > SAVED_BYTES {
            return Err(self.overflow(machine, pc, active));
        }
        let regs = &mut self.regs;
        stack.gather(regs, &op.args);
        if saved {
            stack.save(regs, &function.frame);
        }
        stack.live[op.function] += 1;
        regs.zero(&function.zeroed);
        stack.scatter(regs, &op.args, active);
        let base = stack.top;
        stack.top += function.local_bytes;
        let arrays = (0..).map(LocalIndex).zip(&function.locals).map(|(array, local)| StackArray {
            start: base + local.offset,
            bytes: local.bytes,
            function: op.function,
            array,
        });
        regs.stack.extend(arrays);
        stack.frames.push(Frame { pc, active, call, saved, base });
        let words = base / 4..stack.top / 4;
        if self.local.len() < words.end as usize {
            self.local.resize(words.end as usize, Lanes([u32::MAX; 32]));
        }
        self.local[words.start as usize..words.end as usize].fill(Lanes([u32::MAX; 32]));
        Ok(Entered { entry: function.entry, words })
    }

    /// Leaves the innermost call, and gives its frame.
    pub(crate) fn leave(&mut self, machine: &Machine) -> Option<Frame> {
        let plan = machine.plan;
        let stack = &mut self.stack;
        let frame = stack.frames.pop()?;
        let op = &plan.records[frame.call];
        let function = &plan.functions[op.function];
        let regs = &mut self.regs;
        stack.gather(regs, &op.results);
        if frame.saved {
            stack.restore(regs, &function.frame);
        }
        stack.live[op.function] -= 1;
        stack.scatter(regs, &op.results, frame.active);
        regs.stack.truncate(regs.stack.len() - function.locals.len());
        stack.top = frame.base;
        stack.bytes -= u64::from(function.stack_bytes);
        Some(frame)
    }

    /// The pointer to a local array of the innermost frame.
    pub(crate) fn frame_address(&self, machine: &Machine, array: LocalIndex) -> u64 {
        let Some(frame) = self.stack.frames.last() else { return 0 };
        let op = &machine.plan.records[frame.call];
        let locals = &machine.plan.functions[op.function].locals;
        let first = machine.kernel.locals.len() + self.regs.stack.len() - locals.len();
        let offset = frame.base + locals[array.index()].offset;
        pointer::pack(Space::Local, first as u32 + array.0, u64::from(offset))
    }

    #[cold]
    fn overflow(&self, machine: &Machine, pc: Pc, active: u32) -> Box<LaneFault> {
        let frames = &self.stack.frames;
        let site = |pc: Pc| machine.plan.locations[pc];
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
        let local = &self.plan.functions[array.function].locals[array.array.index()];
        let (name, bytes) = (Some(local.name.clone()), u64::from(array.bytes));
        Some((Target { space, allocation, name, bytes }, u64::from(array.start)))
    }
}
