//! One thread: its registers, its calls, its local memory, and its place in the tree of nodes.
//!
//! The place is a *path*: from the outside in, the index of a node in its block, and for what is inside of that node which part
//! of it (a side of an `If`; round and part of a `Loop`; nothing for a `Scope` or the body of a called function). The rest of
//! the tree is what is still to do. Paths compare as lists do. What a thread does moves its path upwards only, so no path occurs
//! twice, and a thread at the lower one of two paths can still come to the higher one, never the other way round.

use crate::asynchronous::Copy;
use crate::memory::Bytes;
use simt_ir::{Constant, Function, Kernel, Label, LocalArray, Location, Node, Operand, Reg, Register, Type};
use std::cmp::Ordering;
use std::ops::Range;

/// One level of a path: a block of nodes, and the node at which the thread is.
#[derive(Clone, Copy)]
struct Level<'m> {
    /// Of a loop: how often it has begun again.
    round: u64,
    /// Of an `If`: [`THEN`] or [`OTHERWISE`]; of a loop: [`HEADER`], [`BODY`] or [`STEP`].
    part: u8,
    /// Of a loop: rounds since the thread came to it, or was last set aside there.
    polls: u32,
    /// May be the block's length: then the thread is at its end.
    index: usize,
    block: &'m [Node],
}

const THEN: u8 = 0;
const OTHERWISE: u8 = 1;
const HEADER: u8 = 0;
const BODY: u8 = 1;
const STEP: u8 = 2;

/// What a register holds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Value {
    pub(crate) bits: u64,
    /// If it is undefined, the number of the variable because of which, from 1; else 0.
    pub(crate) origin: u32,
}

impl From<u64> for Value {
    /// A defined value.
    fn from(bits: u64) -> Value {
        Value { bits, origin: 0 }
    }
}

/// A call at work, or the kernel itself.
struct Frame<'m> {
    registers: Vec<Value>,
    types: &'m [Register],
    arguments: Vec<Value>,
    results: Vec<Value>,
    /// The caller's registers for the results.
    dst: &'m [Reg],
    /// Levels of the path, local arrays and bytes of local memory that are the callers'.
    levels: usize,
    arrays: usize,
    local: usize,
}

/// A thread.
pub(crate) struct Thread<'m> {
    levels: Vec<Level<'m>>,
    /// Calls at work, innermost last; none once the thread has ended.
    frames: Vec<Frame<'m>>,
    pub(crate) local: Bytes,
    /// What its bytes hold that nothing has written.
    unwritten: u8,
    /// The local arrays there are, by the number that pointers carry: bytes of `local`.
    pub(crate) arrays: Vec<Range<u64>>,
    /// Their declarations.
    pub(crate) declared: Vec<&'m LocalArray>,
    /// Its asynchronous copies in flight, in the order in which they began.
    pub(crate) copies: Vec<Copy>,
    /// Groups of copies that it has made.
    pub(crate) groups: u64,
    /// The arrivals of the block that it saw when it last waited for a phase in vain.
    pub(crate) awaits: Option<u64>,
    /// Whether it goes round in a loop and waits. Only where threads run by themselves.
    pub(crate) spins: bool,
}

/// Where a frame's local memory begins is aligned to as many bytes.
const FRAME_ALIGN: usize = 16;

impl<'m> Thread<'m> {
    /// At the start of a kernel.
    pub(crate) fn new(kernel: &'m Kernel, unwritten: u8) -> Thread<'m> {
        let mut thread = Thread {
            levels: Vec::new(),
            frames: Vec::new(),
            local: Bytes::default(),
            unwritten,
            arrays: Vec::new(),
            declared: Vec::new(),
            copies: Vec::new(),
            groups: 0,
            awaits: None,
            spins: false,
        };
        thread.enter(&kernel.body, &kernel.registers, &kernel.locals, (Vec::new(), 0), &[]);
        thread
    }

    /// Begins a call, or the kernel: `results` are how many values it gives.
    fn enter(
        &mut self,
        body: &'m [Node],
        types: &'m [Register],
        locals: &'m [LocalArray],
        (arguments, results): (Vec<Value>, usize),
        dst: &'m [Reg],
    ) {
        let start = self.local.data.len().next_multiple_of(FRAME_ALIGN);
        self.frames.push(Frame {
            registers: vec![Value::default(); types.len()],
            types,
            arguments,
            results: vec![Value::default(); results],
            dst,
            levels: self.levels.len(),
            arrays: self.arrays.len(),
            local: self.local.data.len(),
        });
        let mut end = start;
        for array in locals {
            let first = start as u64 + u64::from(array.offset);
            let bytes = first..first + u64::from(array.bytes);
            end = end.max(bytes.end as usize);
            self.arrays.push(bytes);
            self.declared.push(array);
        }
        self.local.resize(end, self.unwritten);
        self.open(body, 0, 0);
    }

    /// Calls a function. The caller stays at the call until it ends.
    pub(crate) fn call(&mut self, function: &'m Function, arguments: Vec<Value>, dst: &'m [Reg]) {
        let values = (arguments, function.results.len());
        self.enter(&function.body, &function.registers, &function.locals, values, dst);
    }

    /// Calls in one another.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.frames.is_empty()
    }

    /// The bytes of local memory that belong to the innermost call.
    pub(crate) fn frame_bytes(&self) -> Range<u64> {
        let start = self.frames.last().map_or(0, |frame| frame.local);
        start as u64..self.local.data.len() as u64
    }

    /// The number of a local array of the call at hand, as pointers carry it.
    pub(crate) fn array(&self, index: u32) -> u32 {
        self.frames.last().map_or(0, |frame| frame.arrays as u32) + index
    }

    pub(crate) fn argument(&self, index: usize) -> Value {
        let frame = self.frames.last();
        frame.and_then(|frame| frame.arguments.get(index)).copied().unwrap_or_default()
    }

    pub(crate) fn give(&mut self, results: Vec<Value>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.results = results;
        }
    }

    pub(crate) fn value(&self, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => {
                let frame = self.frames.last();
                frame.and_then(|frame| frame.registers.get(reg.0 as usize)).copied().unwrap_or_default()
            }
            Operand::Const(Constant::Bool(value)) => u64::from(value).into(),
            Operand::Const(Constant::I32(value) | Constant::F32(value)) => u64::from(value).into(),
            Operand::Const(Constant::I64(value) | Constant::F64(value) | Constant::Ptr(value)) => {
                value.into()
            }
        }
    }

    pub(crate) fn get(&self, operand: Operand) -> u64 {
        self.value(operand).bits
    }

    pub(crate) fn put(&mut self, reg: Reg, value: Value) {
        let frame = self.frames.last_mut();
        if let Some(register) = frame.and_then(|frame| frame.registers.get_mut(reg.0 as usize)) {
            *register = value;
        }
    }

    /// Gives a register a defined value.
    pub(crate) fn set(&mut self, reg: Reg, bits: u64) {
        self.put(reg, bits.into());
    }

    pub(crate) fn type_of(&self, operand: Operand) -> Type {
        match operand {
            Operand::Reg(reg) => {
                let frame = self.frames.last();
                frame.and_then(|frame| frame.types.get(reg.0 as usize)).map_or(Type::Bool, |r| r.ty)
            }
            Operand::Const(constant) => constant.ty(),
        }
    }

    /// How its path compares with another thread's.
    pub(crate) fn compare_path(&self, other: &Thread<'m>) -> Ordering {
        fn path<'t>(thread: &'t Thread) -> impl Iterator<Item = (u64, u8, usize)> + 't {
            thread.levels.iter().map(|l| (l.round, l.part, l.index))
        }
        path(self).cmp(path(other))
    }

    /// A number for the path; for different paths different ones, but for collisions.
    pub(crate) fn path_hash(&self, seed: (u32, u32)) -> u64 {
        // FNV-1a, 64 bits at a time.
        let numbers = self.levels.iter().flat_map(|l| [l.round, l.part.into(), l.index as u64]);
        let all = [seed.0.into(), seed.1.into()].into_iter().chain(numbers);
        all.fold(0xcbf2_9ce4_8422_2325, |hash: u64, n| (hash ^ n).wrapping_mul(0x0100_0000_01b3))
    }

    /// The node at which it is; `None` at the end of a block.
    pub(crate) fn node(&self) -> Option<&'m Node> {
        let level = self.levels.last()?;
        level.block.get(level.index)
    }

    /// Goes to the next node of the block.
    pub(crate) fn pass(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.index += 1;
        }
    }

    fn open(&mut self, block: &'m [Node], round: u64, part: u8) {
        self.open_again(block, (round, 0), part);
    }

    fn open_again(&mut self, block: &'m [Node], (round, polls): (u64, u32), part: u8) {
        self.levels.push(Level { block, index: 0, round, polls, part });
    }

    /// The rounds of the loop at hand since the thread came to it, or was last set aside there.
    pub(crate) fn polls(&self) -> u32 {
        self.levels.last().map_or(0, |level| level.polls)
    }

    pub(crate) fn set_polls(&mut self, polls: u32) {
        if let Some(level) = self.levels.last_mut() {
            level.polls = polls;
        }
    }

    /// The construct around the node at which it is.
    pub(crate) fn around(&self) -> Option<&'m Node> {
        let [.., around, _] = &self.levels[..] else { return None };
        around.block.get(around.index)
    }

    /// Whether it is at the same node as another thread, called from the same places, in whichever rounds of the loops around.
    pub(crate) fn is_beside(&self, other: &Thread<'m>) -> bool {
        let place = |level: &Level<'m>| (level.part, level.index, std::ptr::from_ref(level.block));
        self.levels.iter().map(place).eq(other.levels.iter().map(place))
    }

    /// The rounds of the loops around.
    pub(crate) fn rounds(&self) -> Vec<u64> {
        self.levels.iter().map(|level| level.round).collect()
    }

    /// Counts the rounds of the loops around from these on, which must not be fewer.
    pub(crate) fn set_rounds(&mut self, rounds: &[u64]) {
        self.levels.iter_mut().zip(rounds).for_each(|(level, round)| level.round = *round);
    }

    /// All that its instructions can see of it besides memory.
    pub(crate) fn values(&self) -> Vec<u64> {
        let frames = self.frames.iter();
        frames
            .flat_map(|frame| frame.registers.iter().chain(&frame.arguments).chain(&frame.results))
            .map(|value| value.bits)
            .collect()
    }

    /// The condition that [`Thread::control`] goes by, if there is one, and its position.
    pub(crate) fn condition(&self) -> Option<(Operand, Location)> {
        match self.node() {
            Some(Node::If { condition, location, .. }) => Some((*condition, *location)),
            Some(_) => None,
            None => {
                let [.., around, last] = self.levels.as_slice() else { return None };
                match around.block.get(around.index) {
                    Some(Node::Loop { condition: Some(condition), location, .. }) if last.part == HEADER => {
                        Some((*condition, *location))
                    }
                    _ => None,
                }
            }
        }
    }

    /// Does what a node other than an instruction says, or what the end of a block means. Gives the loop of which another round begins.
    pub(crate) fn control(&mut self) -> Option<&'m Node> {
        match self.node() {
            Some(Node::If { condition, then, otherwise, .. }) => match self.get(*condition) {
                0 => self.open(otherwise, 0, OTHERWISE),
                _ => self.open(then, 0, THEN),
            },
            Some(Node::Loop { header, .. }) => self.open(header, 0, HEADER),
            Some(Node::Scope { body, .. }) => self.open(body, 0, 0),
            Some(Node::Break(label)) => {
                self.leave_to(*label);
                self.pass();
            }
            Some(Node::Continue(label)) => {
                if let (rounds, Some(Node::Loop { step, .. })) = self.leave_to(*label) {
                    self.open_again(step, rounds, STEP);
                }
            }
            Some(Node::Return) => self.leave_frame(),
            Some(Node::Inst(_)) => self.pass(),
            None => return self.end_block(),
        }
        None
    }

    /// Leaves the blocks inside of the construct of that label; gives its rounds and the construct, at which the thread then is.
    fn leave_to(&mut self, label: Label) -> ((u64, u32), Option<&'m Node>) {
        while let Some(left) = self.levels.pop() {
            let around = self.node();
            if let Some(Node::Loop { label: this, .. } | Node::Scope { label: this, .. }) = around
                && *this == label
            {
                return ((left.round, left.polls), around);
            }
        }
        ((0, 0), None)
    }

    /// The end of a block: the construct around it continues, or the function ends. Gives the loop of which another round begins.
    fn end_block(&mut self) -> Option<&'m Node> {
        if self.frames.last().is_none_or(|frame| self.levels.len() == frame.levels + 1) {
            self.leave_frame();
            return None;
        }
        let Level { round, part, polls, .. } = self.levels.pop()?;
        let around = self.node();
        match around {
            Some(Node::Loop { condition, body, header, step, .. }) => match part {
                HEADER if condition.is_none_or(|condition| self.get(condition) != 0) => {
                    self.open_again(body, (round, polls), BODY);
                }
                HEADER => self.pass(),
                BODY => self.open_again(step, (round, polls), STEP),
                _ => {
                    self.open_again(header, (round + 1, polls.saturating_add(1)), HEADER);
                    return around;
                }
            },
            Some(
                Node::Inst(_)
                | Node::If { .. }
                | Node::Scope { .. }
                | Node::Break(_)
                | Node::Continue(_)
                | Node::Return,
            )
            | None => self.pass(),
        }
        None
    }

    /// Ends the innermost call, or the thread.
    fn leave_frame(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.levels.truncate(frame.levels);
        self.arrays.truncate(frame.arrays);
        self.declared.truncate(frame.arrays);
        self.local.resize(frame.local, self.unwritten);
        for (reg, value) in frame.dst.iter().zip(frame.results) {
            self.put(*reg, value);
        }
        self.pass();
    }
}
