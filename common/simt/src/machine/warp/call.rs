//! Calls: a frame a call, for the lanes that are active in it.
//!
//! A function's slots in the register files hold its innermost frame. A call of a function that is at work already saves
//! them beside the stack of frames, and the return puts them back; nothing here recurses on the host's stack. Since
//! the lanes of a frame share their chain of callers, the frame's place in local memory is one for all of them.

use crate::fault::{AccessKind, FaultKind, Target};
use crate::machine::Observer;
use crate::machine::memory::marks::Touch;
use crate::machine::warp::access::words;
use crate::machine::warp::lanes::{Lanes, Regs, StackArray};
use crate::machine::warp::{Cpu, Warp};
use crate::machine::{Machine, Raw, Site, Span, View};
use crate::plan::{FunctionPlan, Src};
use simt_ir::pointer::{self, Space};
use simt_ir::{Location, Type};

/// A call at work.
pub(crate) struct Frame {
    /// Where it was called.
    pc: u32,
    /// The lanes that called.
    active: u32,
    call: u32,
    /// Whether the function's slots were saved.
    saved: bool,
    /// First byte of its local arrays.
    base: u32,
}

/// The frames of a warp and what they have saved.
#[derive(Default)]
pub(crate) struct Stack {
    frames: Vec<Frame>,
    saved32: Vec<Lanes<u32>>,
    saved64: Vec<Lanes<u64>>,
    saved_masks: Vec<u32>,
    /// By function: frames of it.
    live: Vec<u32>,
    /// Values on their way into a frame or out of it.
    moving32: Vec<Lanes<u32>>,
    moving64: Vec<Lanes<u64>>,
    moving_masks: Vec<u32>,
    /// Bytes of the thread's stack in use.
    bytes: u64,
    /// End of the local memory in use, in bytes.
    top: u32,
}

/// Bytes of saved registers that a warp may have, far beyond what a device's stack could hold.
const SAVED_BYTES: usize = 256 << 20;
/// Callers that a diagnosis of too deep a recursion names.
const CHAIN: usize = 8;

impl Stack {
    pub(crate) fn clear(&mut self, functions: usize, local_bytes: u32) {
        self.frames.clear();
        self.saved32.clear();
        self.saved64.clear();
        self.saved_masks.clear();
        self.live.clear();
        self.live.resize(functions, 0);
        self.bytes = 0;
        self.top = local_bytes.next_multiple_of(16);
    }

    /// The outermost call at work, and the mask slots and positions of the constructs around it.
    pub(crate) fn outermost(&self) -> Option<u32> {
        self.frames.first().map(|frame| frame.call)
    }

    fn save(&mut self, regs: &Regs, function: &FunctionPlan) {
        let range = |r: &std::ops::Range<u32>| r.start as usize..r.end as usize;
        self.saved32.extend_from_slice(&regs.l32[range(&function.lanes32)]);
        self.saved64.extend_from_slice(&regs.l64[range(&function.lanes64)]);
        for masks in &function.masks {
            self.saved_masks.extend_from_slice(&regs.m[range(masks)]);
        }
    }

    fn restore(&mut self, regs: &mut Regs, function: &FunctionPlan) {
        fn back<T: Copy>(file: &mut [T], slots: &std::ops::Range<u32>, saved: &mut Vec<T>) {
            let file = &mut file[slots.start as usize..slots.end as usize];
            let from = saved.len().saturating_sub(file.len());
            file.copy_from_slice(&saved[from..]);
            saved.truncate(from);
        }
        back(&mut regs.l32, &function.lanes32, &mut self.saved32);
        back(&mut regs.l64, &function.lanes64, &mut self.saved64);
        for masks in function.masks.iter().rev() {
            back(&mut regs.m, masks, &mut self.saved_masks);
        }
    }

    /// Reads values, all before the first is written elsewhere.
    fn gather(&mut self, regs: &Regs, values: &[(Type, Src, Src)]) {
        self.moving32.clear();
        self.moving64.clear();
        self.moving_masks.clear();
        for (ty, from, _) in values {
            match (ty, *from) {
                (Type::Bool, Src::L(m) | Src::U(m) | Src::A(m, _)) => {
                    self.moving_masks.push(regs.m[m as usize])
                }
                (Type::I32 | Type::F32, from) => self.moving32.push(regs.lanes32(from)),
                (Type::I64 | Type::F64 | Type::Ptr, from) => self.moving64.push(regs.lanes64(from)),
            }
        }
    }

    /// Writes them in the active lanes.
    fn scatter(&self, regs: &mut Regs, values: &[(Type, Src, Src)], active: u32) {
        let (mut m, mut narrow, mut wide) = (0, 0, 0);
        for (ty, _, to) in values {
            match (ty, *to) {
                (Type::Bool, Src::L(slot) | Src::U(slot) | Src::A(slot, _)) => {
                    regs.put_mask(slot, self.moving_masks[m], active);
                    m += 1;
                }
                (Type::I32 | Type::F32, to) => {
                    regs.put32(to, &self.moving32[narrow], active);
                    narrow += 1;
                }
                (Type::I64 | Type::F64 | Type::Ptr, to) => {
                    regs.put64(to, &self.moving64[wide], active);
                    wide += 1;
                }
            }
        }
    }
}

impl Warp {
    /// Enters the function of a call; gives its first instruction.
    pub(crate) fn enter(
        &mut self,
        machine: &Machine,
        call: u32,
        pc: u32,
        active: u32,
    ) -> Result<(u32, u32, u32), Box<Raw>> {
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
    fn overflow(&self, machine: &Machine, pc: u32, active: u32) -> Box<Raw> {
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
        let mut raw = Raw::lanes(kind, active);
        raw.other = frames.first().and_then(|frame| site(frame.pc)).filter(|first| Some(*first) != site(pc));
        raw
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

impl<O: Observer> Cpu<'_, '_, O> {
    /// Tells the observer of an access. What it says of a frame's array it says without the array's name and start.
    #[inline]
    pub(crate) fn observe(&mut self, at: &Site, span: &Span, kind: AccessKind) -> Result<(), Box<Raw>> {
        let machine = self.machine;
        // Whether the block has written what it reads is asked of the tables; and if nobody has, another block that writes it
        // later makes the fault depend on which came first.
        let fresh = match machine.buffers.get(span.allocation as usize) {
            Some(View::Written(view)) if span.space == Space::Global && kind == AccessKind::Load => {
                self.observer.checks() && view.unwritten.is_some()
            }
            _ => false,
        };
        if fresh && !self.log.is_empty() {
            machine.empty(self.log);
        }
        let result = self.observer.access(machine, at, span, kind);
        if fresh && result.is_err() {
            self.log.words(Touch::Read, (span.allocation, at.block + 1), words(span));
        }
        result.map_err(|raw| self.named(span, raw))
    }

    #[cold]
    fn named(&self, span: &Span, mut raw: Box<Raw>) -> Box<Raw> {
        if let FaultKind::UninitialisedRead { target, offset } = &mut raw.kind
            && let Some((known, start)) =
                self.machine.stack_target(&self.warp.regs, span.space, span.allocation)
        {
            *target = known;
            *offset -= start as i64;
        }
        raw
    }
}
