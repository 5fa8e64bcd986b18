//! Copies of code under new names, for unrolling.
//!
//! What is constant in a copy is not copied: an operation on constants gives its value to who reads it, and of a choice
//! on a constant only the side that is taken is there, and a constant index is a part of its address. It would all be taken
//! out again by `simplify` and `dce`, and of an unrolled loop it is the greater part.

use crate::fold;
use crate::registers::BitSet;
use simt_ir::{Address, Constant, InstKind, Label, Node, Operand, Reg, Region, Register};
use source::hash::Map;

/// What stands for registers in a copy.
#[derive(Default)]
pub(crate) struct Names {
    /// By the register's number.
    of: Vec<Option<Operand>>,
    /// The registers with an entry, some more than once.
    entries: Vec<Reg>,
    /// Pointers that copies have made, each as another one and the bytes from there. Both have names of their own, so what is
    /// said here stays true.
    steps: Map<Reg, (Operand, i64)>,
}

impl Names {
    pub(crate) fn get(&self, reg: Reg) -> Option<Operand> {
        self.of.get(reg.0 as usize).copied().flatten()
    }

    pub(crate) fn set(&mut self, reg: Reg, name: Option<Operand>) {
        let place = reg.0 as usize;
        if place >= self.of.len() {
            self.of.resize(place + 1, None);
        }
        if self.of[place].is_none() && name.is_some() {
            self.entries.push(reg);
        }
        self.of[place] = name;
    }

    pub(crate) fn clear(&mut self) {
        for reg in self.entries.drain(..) {
            self.of[reg.0 as usize] = None;
        }
    }
}

/// Copies code, giving new names to the registers in `names` and to all labels inside.
pub(crate) struct Copier<'c> {
    /// What stands for registers; one without an entry stands for itself.
    pub(crate) names: &'c mut Names,
    /// Labels outside of the copied code, and what a jump to them becomes.
    pub(crate) jumps: Vec<(Node, Node)>,
    /// The next free label.
    pub(crate) next_label: &'c mut u32,
    /// For a copy in which constants are followed; else all is copied, and `names` alone gives new names.
    pub(crate) folding: Option<Folding<'c>>,
}

/// What a copy needs in which constants are followed.
pub(crate) struct Folding<'c> {
    pub(crate) registers: &'c mut Vec<Register>,
    /// The registers whose copies get names of their own, where they are written. See `single_assignment`.
    pub(crate) single: &'c mut BitSet,
    /// The counter of the loop, whose value is known in each copy.
    pub(crate) counter: Reg,
    /// Whether the counter need not be written, because nothing reads it before it is written again.
    pub(crate) keeps_counter: bool,
}

impl Copier<'_> {
    fn operand(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Reg(reg) => self.names.get(reg).unwrap_or(operand),
            Operand::Const(_) => operand,
        }
    }

    fn constant(&self, operand: Operand) -> Option<Constant> {
        match self.operand(operand) {
            Operand::Const(constant) => Some(constant),
            Operand::Reg(_) => None,
        }
    }

    fn fresh(&mut self, old: Label) -> Label {
        let new = Label(*self.next_label);
        *self.next_label += 1;
        self.jumps.push((Node::Break(old), Node::Break(new)));
        self.jumps.push((Node::Continue(old), Node::Continue(new)));
        new
    }

    /// A copy of the block.
    pub(crate) fn block(&mut self, block: &[Node]) -> Region {
        let mut out = Vec::with_capacity(block.len());
        self.append(block, &mut out);
        out
    }

    /// Appends a copy of the block.
    pub(crate) fn append(&mut self, block: &[Node], out: &mut Region) {
        for node in block {
            self.node(node, out);
        }
    }

    fn node(&mut self, node: &Node, out: &mut Region) {
        let copied = match node {
            Node::Inst(inst) => {
                if let Some(value) = self.folded(&inst.kind) {
                    return self.known(node, value, out);
                }
                let mut inst = inst.clone();
                inst.kind.for_each_use_mut(|operand| *operand = self.operand(*operand));
                if self.folding.is_some() {
                    self.fold_address(&mut inst.kind);
                }
                inst.kind.for_each_def_mut(|dst| *dst = self.written(*dst));
                if self.folding.is_some() {
                    self.note_step(&inst.kind);
                }
                Node::Inst(inst)
            }
            Node::If { condition, then, otherwise, location } => {
                let condition = self.operand(*condition);
                if let (Some(_), Operand::Const(Constant::Bool(truth))) = (&self.folding, condition) {
                    return self.append(if truth { then } else { otherwise }, out);
                }
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                Node::If { condition, then, otherwise, location: *location }
            }
            Node::Loop { label, header, condition, body, step, unroll, location } => {
                let outer = self.jumps.len();
                let new = Node::Loop {
                    label: self.fresh(*label),
                    header: self.block(header),
                    condition: condition.map(|condition| self.operand(condition)),
                    body: self.block(body),
                    step: self.block(step),
                    unroll: *unroll,
                    location: *location,
                };
                self.jumps.truncate(outer);
                new
            }
            Node::Scope { label, body } => {
                let outer = self.jumps.len();
                let new = Node::Scope { label: self.fresh(*label), body: self.block(body) };
                self.jumps.truncate(outer);
                new
            }
            Node::Break(_) | Node::Continue(_) => {
                self.jumps.iter().find(|(old, _)| old == node).map_or(node, |(_, new)| new).clone()
            }
            Node::Return => Node::Return,
        };
        out.push(copied);
    }

    /// The name under which a copy writes a register.
    fn written(&mut self, dst: Reg) -> Reg {
        if let Some(folding) = &mut self.folding {
            let fresh = folding.single.contains(dst).then(|| folding.fresh(dst));
            self.names.set(dst, fresh.map(Operand::Reg));
            return fresh.unwrap_or(dst);
        }
        match self.names.get(dst) {
            Some(Operand::Reg(name)) => name,
            _ => dst,
        }
    }

    /// Takes constants into the address of an access or a step.
    fn fold_address(&self, kind: &mut InstKind) {
        let (InstKind::Load { address, .. }
        | InstKind::Store { address, .. }
        | InstKind::Offset { address, .. }) = kind
        else {
            return;
        };
        if let Operand::Reg(base) = address.base
            && let Some((base, distance)) = self.names.steps.get(&base)
            && let Some(offset) = address.offset.checked_add(*distance)
        {
            *address = Address { base: *base, offset, ..*address };
        }
        if let Some(index) = address.index
            && let Operand::Const(constant) = index.value
            && let Some(offset) = fold::advance(address.offset, constant, index.kind, index.scale)
        {
            *address = Address { index: None, offset, ..*address };
        }
    }

    /// Notes a pointer that is a constant distance from another one, where both keep what they hold.
    fn note_step(&mut self, kind: &InstKind) {
        let InstKind::Offset { dst, address: Address { base: base @ Operand::Reg(of), index: None, offset } } =
            kind
        else {
            return;
        };
        if self.folding.as_ref().is_some_and(|f| f.single.contains(*dst) && f.single.contains(*of)) {
            self.names.steps.insert(*dst, (*base, *offset));
        }
    }

    /// What an instruction is known to give, to a register whose readers can be told.
    fn folded(&self, kind: &InstKind) -> Option<(Reg, Constant)> {
        let folding = self.folding.as_ref()?;
        let (dst, value) = match *kind {
            InstKind::Copy { dst, src } => (dst, self.constant(src)?),
            InstKind::Unary { dst, op, src } => (dst, fold::unary(op, self.constant(src)?)?),
            InstKind::Binary { dst, op, lhs, rhs } => {
                (dst, fold::binary(op, self.constant(lhs)?, self.constant(rhs)?)?)
            }
            InstKind::Compare { dst, op, lhs, rhs, .. } => {
                (dst, Constant::Bool(fold::compare(op, self.constant(lhs)?, self.constant(rhs)?)?))
            }
            InstKind::Convert { dst, op, src } => (dst, fold::convert(op, self.constant(src)?)?),
            InstKind::Select { dst, condition, on_true, on_false } => match self.constant(condition)? {
                Constant::Bool(truth) => (dst, self.constant(if truth { on_true } else { on_false })?),
                _ => return None,
            },
            _ => return None,
        };
        (dst == folding.counter || folding.single.contains(dst)).then_some((dst, value))
    }

    /// Notes what an instruction gives, and writes it only where a register that lives on needs it.
    fn known(&mut self, node: &Node, (dst, value): (Reg, Constant), out: &mut Region) {
        self.names.set(dst, Some(value.into()));
        let counts =
            self.folding.as_ref().is_some_and(|folding| folding.counter == dst && folding.keeps_counter);
        if counts && let Node::Inst(inst) = node {
            let mut inst = inst.clone();
            inst.kind = InstKind::Copy { dst, src: value.into() };
            out.push(Node::Inst(inst));
        }
    }
}

impl Folding<'_> {
    fn fresh(&mut self, like: Reg) -> Reg {
        let register = self.registers[like.0 as usize].clone();
        self.registers.push(register);
        let fresh = Reg(self.registers.len() as u32 - 1);
        // Copies of a register that is written once are written once each.
        self.single.insert(fresh);
        fresh
    }
}
