//! Contraction of a product and a sum to one operation with one rounding, as nvcc does by default (`-fmad=true`):
//! a·b + c, c - a·b as (-a)·b + c, and a·b - c as a·b + (-c). The product must be used there alone and in the same
//! block. `MulRn`, `AddRn` and `SubRn` are left as they are.

use crate::fold;
use crate::registers::{BitSet, use_counts, writes_in};
use simt_ir::{
    BinaryOp, Inst, InstKind, Kernel, Node, Operand, Reg, Region, Register, Type, UnaryOp, for_each_inst,
};
use std::slice::from_ref;

/// Contracts what can be; `None` if nothing, else whether that made negations, which may be equal and merged. (Other fused
/// operations are not equal: two products of the same factors were one, with two uses.)
pub(crate) fn contract(kernel: &mut Kernel, single: &BitSet) -> Option<bool> {
    let counts = use_counts(kernel);
    let mut candidates = BitSet::default();
    for_each_inst(&kernel.body, &mut |inst| match inst.kind {
        InstKind::Binary { dst, op: BinaryOp::Mul, .. }
            if single.contains(dst) && counts[dst.0 as usize] == 1 =>
        {
            candidates.insert(dst);
        }
        _ => {}
    });
    let mut contractor =
        Contractor { registers: &mut kernel.registers, candidates, changed: false, negated: false };
    contractor.block(&mut kernel.body);
    contractor.changed.then_some(contractor.negated)
}

/// How far before its sum a product may be; bounds the search in long blocks.
const WINDOW: usize = 128;

struct Contractor<'k> {
    registers: &'k mut Vec<Register>,
    /// Products that are written once and read once.
    candidates: BitSet,
    changed: bool,
    negated: bool,
}

impl Contractor<'_> {
    fn block(&mut self, nodes: &mut Region) {
        let mut out: Region = Vec::with_capacity(nodes.len());
        let mut dead = Vec::new();
        for mut node in std::mem::take(nodes) {
            match &mut node {
                Node::Inst(inst) => {
                    if let InstKind::Binary { dst, op, lhs, rhs } = inst.kind
                        && matches!(op, BinaryOp::Add | BinaryOp::Sub)
                        && matches!(self.registers[dst.0 as usize].ty, Type::F32 | Type::F64)
                        && let Some((product, kind)) = self.fused(&mut out, inst, dst, op, lhs, rhs)
                    {
                        inst.kind = kind;
                        dead.push(product);
                    }
                }
                Node::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                Node::Loop { header, body, step, .. } => {
                    self.block(header);
                    self.block(body);
                    self.block(step);
                }
                Node::Scope { body, .. } => self.block(body),
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
            out.push(node);
        }
        if !dead.is_empty() {
            self.changed = true;
            out.retain(|node| !matches!(node, Node::Inst(Inst { kind: InstKind::Binary { dst, op: BinaryOp::Mul, .. }, .. }) if dead.contains(dst)));
        }
        *nodes = out;
    }

    /// The product that goes into a sum or difference, and the fused operation. Negations go to `out`.
    fn fused(
        &mut self,
        out: &mut Region,
        inst: &Inst,
        dst: Reg,
        op: BinaryOp,
        lhs: Operand,
        rhs: Operand,
    ) -> Option<(Reg, InstKind)> {
        let left = self.product(out, lhs);
        let (product, a, b, other, left) = match left {
            Some((product, a, b)) => (product, a, b, rhs, true),
            None => self.product(out, rhs).map(|(product, a, b)| (product, a, b, lhs, false))?,
        };
        let (mut a, mut b, mut c) = (a, b, other);
        if op == BinaryOp::Sub {
            if left {
                c = self.negate(out, inst, dst, c);
            } else if matches!(b, Operand::Const(_)) {
                b = self.negate(out, inst, dst, b);
            } else {
                a = self.negate(out, inst, dst, a);
            }
        }
        Some((product, InstKind::Fma { dst, a, b, c }))
    }

    /// The factors, if the operand is a product that may go and whose factors are unchanged since.
    fn product(&self, before: &[Node], operand: Operand) -> Option<(Reg, Operand, Operand)> {
        let Operand::Reg(reg) = operand else { return None };
        if !self.candidates.contains(reg) {
            return None;
        }
        let near = &before[before.len().saturating_sub(WINDOW)..];
        let place = near.iter().rposition(|node| writes_in(from_ref(node), reg))?;
        let Node::Inst(Inst { kind: InstKind::Binary { op: BinaryOp::Mul, lhs, rhs, .. }, .. }) = near[place]
        else {
            return None;
        };
        let unchanged = |operand| match operand {
            Operand::Reg(factor) => !writes_in(&near[place + 1..], factor),
            Operand::Const(_) => true,
        };
        (unchanged(lhs) && unchanged(rhs)).then_some((reg, lhs, rhs))
    }

    fn negate(&mut self, out: &mut Region, inst: &Inst, like: Reg, operand: Operand) -> Operand {
        if let Operand::Const(constant) = operand
            && let Some(negated) = fold::unary(UnaryOp::Neg, constant)
        {
            return negated.into();
        }
        self.negated = true;
        let dst = Reg(self.registers.len() as u32);
        self.registers.push(Register { ty: self.registers[like.0 as usize].ty, name: None });
        let kind = InstKind::Unary { dst, op: UnaryOp::Neg, src: operand };
        out.push(Node::Inst(Inst { kind, location: inst.location }));
        dst.into()
    }
}
