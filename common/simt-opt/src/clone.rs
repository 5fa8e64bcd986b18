//! Cloning of code under new names, for unrolling, with constant propagation and folding on the way.
//!
//! With folding, what is constant in a clone is not written: a constant result replaces its uses, of a conditional on a
//! constant only the taken side is cloned, and a constant index becomes part of the address. Value numbering and
//! dead-code elimination would remove all of it anyway, and of an unrolled loop it is the greater part.

use crate::constant_folding;
use crate::reg_set::RegSet;
use crate::ssa::clone_register;
use simt_ir::{Address, Constant, Inst, InstKind, Label, Node, Operand, Reg, Region, Register};
use source::hash::Map;

/// For each register, the operand that replaces it in a clone (compare LLVM's `ValueMap`).
#[derive(Default)]
pub(crate) struct RegMap {
    /// By the register's number.
    operands: Vec<Option<Operand>>,
    /// The registers with an entry, some more than once.
    entries: Vec<Reg>,
    /// Pointers that clones have computed, each as another pointer and the distance in bytes. Both are SSA
    /// registers, so this stays true and is kept by [`RegMap::clear`].
    offsets: Map<Reg, (Operand, i64)>,
}

impl RegMap {
    pub(crate) fn get(&self, reg: Reg) -> Option<Operand> {
        self.operands.get(reg.index()).copied().flatten()
    }

    pub(crate) fn set(&mut self, reg: Reg, operand: Option<Operand>) {
        let position = reg.index();
        if position >= self.operands.len() {
            self.operands.resize(position + 1, None);
        }
        if self.operands[position].is_none() && operand.is_some() {
            self.entries.push(reg);
        }
        self.operands[position] = operand;
    }

    pub(crate) fn clear(&mut self) {
        for reg in self.entries.drain(..) {
            self.operands[reg.index()] = None;
        }
    }
}

/// Clones code, with new names for the registers in `map` and for all labels inside.
pub(crate) struct Cloner<'c> {
    /// What replaces registers; one without an entry stays as it is.
    pub(crate) map: &'c mut RegMap,
    /// Jumps out of the cloned code, and what replaces each.
    pub(crate) jumps: Vec<(Node, Node)>,
    /// The next free label.
    pub(crate) next_label: &'c mut u32,
    /// For a clone with folding. Without it everything is cloned, and `map` alone gives new names.
    pub(crate) folding: Option<Folding<'c>>,
}

/// What a clone with folding needs.
pub(crate) struct Folding<'c> {
    pub(crate) registers: &'c mut Vec<Register>,
    /// The SSA registers; each definition in a clone gets a register of its own.
    pub(crate) ssa: &'c mut RegSet,
    /// The loop's counter, whose value is constant in each clone.
    pub(crate) counter: Reg,
    /// Whether the counter must be written, because something may read it after the clone.
    pub(crate) writes_counter: bool,
}

impl Cloner<'_> {
    fn operand(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Reg(reg) => self.map.get(reg).unwrap_or(operand),
            Operand::Const(_) => operand,
        }
    }

    /// The constant that an operand is in the clone.
    fn constant(&self, operand: Operand) -> Option<Constant> {
        match self.operand(operand) {
            Operand::Const(constant) => Some(constant),
            Operand::Reg(_) => None,
        }
    }

    /// A new label for the clone of a construct; jumps to the old one are replaced.
    fn new_label(&mut self, old: Label) -> Label {
        let new = Label(*self.next_label);
        *self.next_label += 1;
        self.jumps.push((Node::Break(old), Node::Break(new)));
        self.jumps.push((Node::Continue(old), Node::Continue(new)));
        new
    }

    /// A clone of the region.
    pub(crate) fn region(&mut self, region: &[Node]) -> Region {
        let mut out = Vec::with_capacity(region.len());
        self.append(region, &mut out);
        out
    }

    /// Appends a clone of the region.
    pub(crate) fn append(&mut self, region: &[Node], out: &mut Region) {
        for node in region {
            self.node(node, out);
        }
    }

    fn node(&mut self, node: &Node, out: &mut Region) {
        let clone = match node {
            Node::Inst(inst) => {
                if let Some((dst, value)) = self.folded(&inst.kind) {
                    self.map.set(dst, Some(value.into()));
                    if self.folding.as_ref().is_some_and(|f| f.counter == dst && f.writes_counter) {
                        let kind = InstKind::Copy { dst, src: value.into() };
                        out.push(Node::Inst(Inst { kind, location: inst.location }));
                    }
                    return;
                }
                let mut inst = inst.clone();
                inst.kind.for_each_use_mut(|operand| *operand = self.operand(*operand));
                if self.folding.is_some() {
                    self.fold_address(&mut inst.kind);
                }
                inst.kind.for_each_def_mut(|dst| *dst = self.new_def(*dst));
                if self.folding.is_some() {
                    self.record_offset(&inst.kind);
                }
                Node::Inst(inst)
            }
            Node::If { condition, then, otherwise, location } => {
                let condition = self.operand(*condition);
                if let (Some(_), Operand::Const(Constant::Bool(truth))) = (&self.folding, condition) {
                    return self.append(if truth { then } else { otherwise }, out);
                }
                let (then, otherwise) = (self.region(then), self.region(otherwise));
                Node::If { condition, then, otherwise, location: *location }
            }
            Node::Loop { label, header, condition, body, step, unroll, location } => {
                let outer = self.jumps.len();
                let new = Node::Loop {
                    label: self.new_label(*label),
                    header: self.region(header),
                    condition: condition.map(|condition| self.operand(condition)),
                    body: self.region(body),
                    step: self.region(step),
                    unroll: *unroll,
                    location: *location,
                };
                self.jumps.truncate(outer);
                new
            }
            Node::Scope { label, body } => {
                let outer = self.jumps.len();
                let new = Node::Scope { label: self.new_label(*label), body: self.region(body) };
                self.jumps.truncate(outer);
                new
            }
            Node::Break(_) | Node::Continue(_) => {
                self.jumps.iter().find(|(old, _)| old == node).map_or(node, |(_, new)| new).clone()
            }
            Node::Return => Node::Return,
        };
        out.push(clone);
    }

    /// The register that the clone writes instead of `dst`.
    fn new_def(&mut self, dst: Reg) -> Reg {
        if let Some(folding) = &mut self.folding {
            let is_ssa = folding.ssa.contains(dst);
            let new = is_ssa.then(|| clone_register(folding.registers, folding.ssa, dst));
            self.map.set(dst, new.map(Operand::Reg));
            return new.unwrap_or(dst);
        }
        match self.map.get(dst) {
            Some(Operand::Reg(new)) => new,
            Some(Operand::Const(_)) | None => dst,
        }
    }

    /// Folds constants into the offset of an address.
    fn fold_address(&self, kind: &mut InstKind) {
        let (InstKind::Load { address, .. }
        | InstKind::Store { address, .. }
        | InstKind::Offset { address, .. }) = kind
        else {
            return;
        };
        if let Operand::Reg(base) = address.base
            && let Some((base, distance)) = self.map.offsets.get(&base)
            && let Some(offset) = address.offset.checked_add(*distance)
        {
            *address = Address { base: *base, offset, ..*address };
        }
        if let Some(index) = address.index
            && let Operand::Const(constant) = index.value
            && let Some(offset) =
                constant_folding::add_index(address.offset, constant, index.kind, index.scale)
        {
            *address = Address { index: None, offset, ..*address };
        }
    }

    /// Records a pointer that is a constant distance from another one, if both are in SSA registers.
    fn record_offset(&mut self, kind: &InstKind) {
        let InstKind::Offset { dst, address: Address { base: base @ Operand::Reg(of), index: None, offset } } =
            kind
        else {
            return;
        };
        if self.folding.as_ref().is_some_and(|f| f.ssa.contains(*dst) && f.ssa.contains(*of)) {
            self.map.offsets.insert(*dst, (*base, *offset));
        }
    }

    /// The constant result of an instruction, and its register, if that is the counter or an SSA register.
    fn folded(&self, kind: &InstKind) -> Option<(Reg, Constant)> {
        let folding = self.folding.as_ref()?;
        let (dst, value) = match *kind {
            InstKind::Copy { dst, src } => (dst, self.constant(src)?),
            InstKind::Unary { dst, op, src } => (dst, constant_folding::unary(op, self.constant(src)?)?),
            InstKind::Binary { dst, op, lhs, rhs } => {
                (dst, constant_folding::binary(op, self.constant(lhs)?, self.constant(rhs)?)?)
            }
            InstKind::Compare { dst, op, lhs, rhs, .. } => (
                dst,
                Constant::Bool(constant_folding::compare(op, self.constant(lhs)?, self.constant(rhs)?)?),
            ),
            InstKind::Convert { dst, op, src } => (dst, constant_folding::convert(op, self.constant(src)?)?),
            InstKind::Select { dst, condition, on_true, on_false } => match self.constant(condition)? {
                Constant::Bool(truth) => (dst, self.constant(if truth { on_true } else { on_false })?),
                _ => return None,
            },
            _ => return None,
        };
        (dst == folding.counter || folding.ssa.contains(dst)).then_some((dst, value))
    }
}
