//! A kernel and its functions in one register file and one set of labels, so that the analyses and the flat code see one
//! program.
//!
//! A function's registers come after those of what is before it, then those that hold its arguments and results: reads of an argument
//! and results given become copies. The kernel's own registers keep their numbers, so without functions nothing changes.

use simt_ir::{
    Inst, InstKind, Kernel, Label, LocalArray, Location, Node, Operand, Reg, Region, Register, Type,
    for_each_inst,
};
use source::hash::Map;
use std::borrow::Cow;
use std::ops::Range;

/// The linked program.
pub(crate) struct Program<'a> {
    /// The kernel, with the registers of all functions behind its own.
    pub(crate) kernel: Cow<'a, Kernel>,
    /// In the order of [`Kernel::functions`].
    pub(crate) functions: Vec<Linked>,
}

/// A function in terms of the linked register file.
pub(crate) struct Linked {
    /// All of its registers.
    pub(crate) registers: Range<u32>,
    pub(crate) params: Vec<Reg>,
    pub(crate) results: Vec<Reg>,
    pub(crate) locals: Vec<LocalArray>,
    pub(crate) local_bytes: u32,
    pub(crate) stack_bytes: u32,
    pub(crate) body: Region,
    pub(crate) location: Location,
}

impl Program<'_> {
    /// The bodies of the kernel and of its functions.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Region> {
        std::iter::once(&self.kernel.body).chain(self.functions.iter().map(|f| &f.body))
    }
}

/// Links a valid kernel.
pub(crate) fn link(kernel: &Kernel) -> Program<'_> {
    if kernel.functions.is_empty() {
        return Program { kernel: Cow::Borrowed(kernel), functions: Vec::new() };
    }
    let mut linked = kernel.clone();
    let mut labels = label_count(&kernel.body);
    let functions = std::mem::take(&mut linked.functions).into_iter().map(|function| {
        let first = linked.registers.len() as u32;
        let local_bytes = function.local_bytes().next_multiple_of(16);
        let stack_bytes = FRAME_BYTES + local_bytes + kept_bytes(&function.body, &function.registers);
        linked.registers.extend(function.registers);
        let mut hold =
            |types: &[Type]| -> Vec<Reg> { types.iter().map(|ty| linked.add_register(*ty, None)).collect() };
        let (params, results) = (hold(&function.params), hold(&function.results));
        let names = Names { first, labels, params: &params, results: &results };
        labels += label_count(&function.body);
        Linked {
            registers: first..linked.registers.len() as u32,
            body: names.block(function.body),
            params,
            results,
            locals: function.locals,
            local_bytes,
            stack_bytes,
            location: function.location,
        }
    });
    let functions = functions.collect();
    Program { kernel: Cow::Owned(linked), functions }
}

fn label_count(block: &Region) -> u32 {
    let mut count = 0;
    for node in block {
        count = count.max(match node {
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => 0,
            Node::If { then, otherwise, .. } => label_count(then).max(label_count(otherwise)),
            Node::Loop { label, header, body, step, .. } => {
                let inner = label_count(header).max(label_count(body)).max(label_count(step));
                inner.max(label.0 + 1)
            }
            Node::Scope { label, body } => label_count(body).max(label.0 + 1),
        });
    }
    count
}

/// How a function's registers and labels are called in the linked program.
struct Names<'a> {
    first: u32,
    labels: u32,
    params: &'a [Reg],
    results: &'a [Reg],
}

impl Names<'_> {
    fn reg(&self, reg: &mut Reg) {
        reg.0 += self.first;
    }

    fn operand(&self, operand: &mut Operand) {
        if let Operand::Reg(reg) = operand {
            self.reg(reg);
        }
    }

    fn label(&self, label: Label) -> Label {
        Label(label.0 + self.labels)
    }

    fn block(&self, block: Region) -> Region {
        let mut out = Region::with_capacity(block.len());
        for mut node in block {
            match &mut node {
                Node::Inst(inst) => {
                    self.inst(inst, &mut out);
                    continue;
                }
                Node::If { condition, then, otherwise, .. } => {
                    self.operand(condition);
                    *then = self.block(std::mem::take(then));
                    *otherwise = self.block(std::mem::take(otherwise));
                }
                Node::Loop { label, header, condition, body, step, .. } => {
                    *label = self.label(*label);
                    condition.iter_mut().for_each(|c| self.operand(c));
                    for part in [header, body, step] {
                        *part = self.block(std::mem::take(part));
                    }
                }
                Node::Scope { label, body } => {
                    *label = self.label(*label);
                    *body = self.block(std::mem::take(body));
                }
                Node::Break(label) | Node::Continue(label) => *label = self.label(*label),
                Node::Return => {}
            }
            out.push(node);
        }
        out
    }

    fn inst(&self, inst: &mut Inst, out: &mut Region) {
        inst.kind.for_each_use_mut(|o| self.operand(o));
        inst.kind.for_each_def_mut(|r| self.reg(r));
        let mut push = |kind| out.push(Node::Inst(Inst { kind, location: inst.location }));
        match &inst.kind {
            InstKind::Argument { dst, index } => {
                push(InstKind::Copy { dst: *dst, src: self.params[index.index()].into() });
            }
            InstKind::Result { values } => {
                for (dst, src) in self.results.iter().zip(values) {
                    push(InstKind::Copy { dst: *dst, src: *src });
                }
            }
            kind => push(kind.clone()),
        }
    }
}

/// Bytes of a frame besides what it keeps: the return address and the caller's frame.
const FRAME_BYTES: u32 = 16;

/// Bytes of the registers that a frame must keep across a call in it: of those written before a call and read after it, as
/// the text has them, with lives stretched over loops; the most for any one call. A compiler keeps them on the stack too.
fn kept_bytes(body: &Region, registers: &[Register]) -> u32 {
    let mut lives = Lives::default();
    lives.block(body);
    let kept = |call: &u32| -> u32 {
        let across = lives.spans.iter().filter(|(_, (first, last))| first < call && call < last);
        across
            .map(|(reg, _)| match registers[reg.0 as usize].ty {
                Type::Bool => 0,
                Type::I32 | Type::F32 => 4,
                Type::I64 | Type::F64 | Type::Ptr => 8,
            })
            .sum()
    };
    lives.calls.iter().map(kept).max().unwrap_or(0)
}

#[derive(Default)]
struct Lives {
    position: u32,
    /// First and last mention of each register.
    spans: Map<Reg, (u32, u32)>,
    calls: Vec<u32>,
}

impl Lives {
    fn touch(&mut self, reg: Reg) {
        let at = self.position;
        self.spans.entry(reg).or_insert((at, at)).1 = at;
    }

    fn operand(&mut self, operand: &Operand) {
        if let Operand::Reg(reg) = operand {
            self.touch(*reg);
        }
    }

    fn block(&mut self, block: &Region) {
        for node in block {
            self.position += 1;
            match node {
                Node::Inst(inst) => {
                    inst.kind.for_each_use(|o| self.operand(o));
                    if let InstKind::Call { .. } = inst.kind {
                        // Its operands end before it and its results begin after it.
                        self.position += 1;
                        self.calls.push(self.position);
                        self.position += 1;
                    }
                    inst.kind.for_each_def(|r| self.touch(*r));
                }
                Node::If { condition, then, otherwise, .. } => {
                    self.operand(condition);
                    self.block(then);
                    self.block(otherwise);
                }
                Node::Loop { header, condition, body, step, .. } => {
                    let start = self.position;
                    self.block(header);
                    condition.iter().for_each(|c| self.operand(c));
                    self.block(body);
                    self.block(step);
                    self.position += 1;
                    let mut read = Vec::new();
                    for part in [header, body, step] {
                        for_each_inst(part, &mut |inst| {
                            inst.kind.for_each_use(|o| read.push(*o));
                        });
                    }
                    // What the loop reads of outside, each iteration reads.
                    for operand in read {
                        if let Operand::Reg(reg) = operand
                            && self.spans.get(&reg).is_some_and(|(first, _)| *first <= start)
                        {
                            self.touch(reg);
                        }
                    }
                }
                Node::Scope { body, .. } => self.block(body),
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
    }
}
