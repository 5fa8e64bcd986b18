//! FMA contraction: a product and a sum become one operation with one rounding, as nvcc does by default (`-fmad=true`;
//! `FP_CONTRACT` in the C standard). Contracted are a·b + c, c - a·b as (-a)·b + c, and a·b - c as a·b + (-c).
//!
//! The sum must be the only use of the product, and in the same region. `MulRn`, `AddRn` and `SubRn`, which the
//! program asked to be rounded, stay as they are.

use crate::change::Change;
use crate::constant_folding;
use crate::def_use::{defines, sole_def, use_counts};
use crate::reg_set::RegSet;
use simt_ir::{
    BinaryOp, Inst, InstKind, Kernel, Node, Operand, Reg, Region, Register, Type, UnaryOp, for_each_inst,
};

/// How many nodes before its sum a product may be. Bounds the search in long regions.
const MAX_DISTANCE: usize = 128;

/// Contracts products and sums. The change needs cleanup if it made negations, which may be equal. Fused operations
/// are never equal: two products of the same factors were one before, with two uses.
pub(crate) fn contract_fma(kernel: &mut Kernel, ssa: &RegSet) -> Change {
    let counts = use_counts(kernel);
    let mut candidates = RegSet::default();
    for_each_inst(&kernel.body, &mut |inst| match inst.kind {
        InstKind::Binary { dst, op: BinaryOp::Mul, .. } if ssa.contains(dst) && counts[dst.index()] == 1 => {
            candidates.insert(dst);
        }
        _ => {}
    });
    let mut contractor =
        FmaContractor { registers: &mut kernel.registers, candidates, change: Change::Nothing };
    contractor.region(&mut kernel.body);
    contractor.change
}

struct FmaContractor<'k> {
    registers: &'k mut Vec<Register>,
    /// Products in SSA registers with one use.
    candidates: RegSet,
    change: Change,
}

/// A product that an instruction defines.
struct FusibleProduct {
    dst: Reg,
    a: Operand,
    b: Operand,
}

impl FmaContractor<'_> {
    fn region(&mut self, nodes: &mut Region) {
        let mut out: Region = Vec::with_capacity(nodes.len());
        let mut fused = RegSet::default();
        for mut node in std::mem::take(nodes) {
            node.regions_mut().for_each(|region| self.region(region));
            if let Node::Inst(inst) = &mut node
                && let Some((product, kind)) = self.contracted(&mut out, inst)
            {
                inst.kind = kind;
                fused.insert(product);
            }
            out.push(node);
        }
        if !fused.is_empty() {
            if self.change == Change::Nothing {
                self.change = Change::Clean;
            }
            out.retain(|node| !matches!(node, Node::Inst(Inst { kind: InstKind::Binary { dst, op: BinaryOp::Mul, .. }, .. }) if fused.contains(*dst)));
        }
        *nodes = out;
    }

    /// The product that goes into a float sum or difference, and the fused operation. Negations go to `out`.
    fn contracted(&mut self, out: &mut Region, inst: &Inst) -> Option<(Reg, InstKind)> {
        let InstKind::Binary { dst, op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } = inst.kind else {
            return None;
        };
        if !matches!(self.registers[dst.index()].ty, Type::F32 | Type::F64) {
            return None;
        }
        let (product, mut c, is_left) = match self.product(out, lhs) {
            Some(product) => (product, rhs, true),
            None => (self.product(out, rhs)?, lhs, false),
        };
        let FusibleProduct { dst: product, mut a, mut b } = product;
        if op == BinaryOp::Sub {
            let negated = match (is_left, b) {
                (true, _) => &mut c,
                (false, Operand::Const(_)) => &mut b,
                (false, Operand::Reg(_)) => &mut a,
            };
            *negated = self.negate(out, inst, dst, *negated);
        }
        Some((product, InstKind::Fma { dst, a, b, c }))
    }

    /// The product that an operand is, if it may be removed and its factors have not changed since.
    fn product(&self, before: &[Node], operand: Operand) -> Option<FusibleProduct> {
        let Operand::Reg(reg) = operand else { return None };
        if !self.candidates.contains(reg) {
            return None;
        }
        let window = &before[before.len().saturating_sub(MAX_DISTANCE)..];
        // The one definition of a candidate dominates its use, so it is not inside another node.
        let position = window.iter().rposition(|node| is_defined_by(node, reg))?;
        let Node::Inst(Inst { kind: InstKind::Binary { op: BinaryOp::Mul, lhs, rhs, .. }, .. }) =
            window[position]
        else {
            return None;
        };
        let unchanged = |operand| match operand {
            Operand::Reg(factor) => !defines(&window[position + 1..], factor),
            Operand::Const(_) => true,
        };
        (unchanged(lhs) && unchanged(rhs)).then_some(FusibleProduct { dst: reg, a: lhs, b: rhs })
    }

    fn negate(&mut self, out: &mut Region, inst: &Inst, like: Reg, operand: Operand) -> Operand {
        if let Operand::Const(constant) = operand
            && let Some(negated) = constant_folding::unary(UnaryOp::Neg, constant)
        {
            return negated.into();
        }
        self.change = Change::NeedsCleanup;
        let dst = Reg(self.registers.len() as u32);
        self.registers.push(Register { ty: self.registers[like.index()].ty, name: None });
        let kind = InstKind::Unary { dst, op: UnaryOp::Neg, src: operand };
        out.push(Node::Inst(Inst { kind, location: inst.location }));
        dst.into()
    }
}

/// Whether a node is the instruction that computes a register, and nothing else.
fn is_defined_by(node: &Node, reg: Reg) -> bool {
    matches!(node, Node::Inst(inst) if sole_def(&inst.kind) == Some(reg))
}
