//! Calls of functions that are not inlined: one frame per call, for the lanes that are active in it.
//!
//! A call of a function that has a frame already saves the registers of that frame, and the return restores them; nothing here recurses
//! on the host's stack. Because the lanes of a frame share their chain of callers, the frame lies at the same place of local memory for
//! all of them.

use crate::fault::{FaultKind, Target};
use crate::machine::context::Machine;
use crate::machine::event::LaneFault;
use crate::machine::warp::frames::Frame;
use crate::machine::warp::registers::{Lanes, Regs, StackArray};
use crate::machine::warp::state::Warp;
use crate::plan::{CallId, Pc};
use simt_ir::LocalIndex;
use simt_ir::pointer::{self, Space};
use std::ops::Range;

/// Callers that the diagnosis of a stack overflow names.
const MAX_CALLERS: usize = 8;

/// What a call leads to.
pub(crate) struct Entered {
    /// The function's first instruction.
    pub(crate) entry: Pc,
    /// The words of local memory that its frame got.
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
        if stack.bytes > u64::from(machine.options.limits.stack_bytes) || stack.is_full() {
            return Err(self.stack_overflow(machine, pc, active));
        }
        let regs = &mut self.regs;
        let live = &mut stack.live[op.function];
        let saved = *live > 0;
        *live += 1;
        stack.gather(regs, &op.args);
        if saved {
            stack.save(regs, &function.frame);
        }
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
    fn stack_overflow(&self, machine: &Machine, pc: Pc, active: u32) -> Box<LaneFault> {
        let frames = &self.stack.frames;
        let location = |pc: Pc| machine.plan.locations[pc];
        let callers = frames.iter().rev().take(MAX_CALLERS);
        let kind = FaultKind::StackOverflow {
            depth: frames.len() as u32 + 1,
            bytes: self.stack.bytes,
            limit: machine.options.limits.stack_bytes,
            chain: callers.filter_map(|frame| location(frame.pc)).collect(),
        };
        let mut fault = LaneFault::of(kind, active);
        let outermost = frames.first().and_then(|frame| location(frame.pc));
        fault.other = outermost.filter(|first| Some(*first) != location(pc));
        fault
    }
}

impl Machine<'_> {
    /// The local array of a frame that an allocation means.
    pub(crate) fn stack_array(&self, regs: &Regs, space: Space, allocation: u32) -> Option<StackArray> {
        let index = (allocation as usize).checked_sub(self.kernel.locals.len())?;
        regs.stack.get(index).filter(|_| space == Space::Local).copied()
    }

    /// A local array of a frame, for a message.
    pub(crate) fn stack_target(&self, array: StackArray, allocation: u32) -> Target {
        let local = &self.plan.functions[array.function].locals[array.array.index()];
        let (name, bytes) = (Some(local.name.clone()), u64::from(array.bytes));
        Target { space: Space::Local, allocation, name, bytes }
    }
}
