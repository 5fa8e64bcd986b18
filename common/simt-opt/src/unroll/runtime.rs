//! Loops whose trip count is known only at run time: `for (i = a; i < n; i += s)` becomes a loop of four iterations in
//! one, while that many are left, and the loop as it was for the rest.
//!
//! Lanes with different trip counts meet at the rest, as with nvcc; a loop in which lanes talk to each other is left, and
//! so is one with a long step, in which the threads of a block take turns: it runs once or twice.

use super::parts::Parts;
use super::trips::stride;
use super::{AUTO_FACTOR, Unroller, iteration_size};
use crate::registers::{for_each_node, writes_in};
use simt_ir::{
    BinaryOp, CompareOp, Constant, Inst, InstKind, Location, Node, Operand, Reg, Region, Type, UnrollHint,
    for_each_inst,
};

/// Nodes of an iteration, at most.
const MAX_NODES: usize = 48;
/// The counter's step, at most.
const MAX_STEP: u32 = 8;

impl Unroller<'_> {
    /// What replaces such a loop; `hint` is the pragma's.
    pub(super) fn runtime(
        &mut self,
        parts: &Parts,
        hint: Option<UnrollHint>,
        location: Location,
    ) -> Option<Region> {
        let factor = match hint {
            Some(UnrollHint::Factor(factor)) => factor as usize,
            Some(UnrollHint::Full) | None => AUTO_FACTOR,
        };
        let (counter, limit, inclusive) = test(parts)?;
        let (_, Constant::I32(step)) = stride(parts.step, counter)? else { return None };
        let ahead = u32::try_from(factor - 1).ok()?.checked_mul(step).filter(|ahead| *ahead < 1 << 20)?;
        let size = iteration_size(parts);
        if !(1..=MAX_STEP).contains(&step)
            || factor < 2
            || size > MAX_NODES
            || size * factor > self.budget
            || parts.facts.has_loops
            || parts.facts.breaks
            || lanes_meet(parts)
        {
            return None;
        }
        // i + ahead < n, without overflow: i < max(n, MIN + ahead) - ahead. For `<=`, one more.
        let ahead = ahead - u32::from(inclusive);
        let mut out = Region::new();
        let clamped = self.temporary(Type::I32);
        let last = self.temporary(Type::I32);
        let more = self.temporary(Type::Bool);
        let push = |out: &mut Region, kind| out.push(Node::Inst(Inst { kind, location }));
        let least = Constant::i32(i32::MIN.wrapping_add_unsigned(ahead));
        push(&mut out, InstKind::Binary { dst: clamped, op: BinaryOp::MaxS, lhs: limit, rhs: least.into() });
        let ahead = Constant::I32(ahead).into();
        push(&mut out, InstKind::Binary { dst: last, op: BinaryOp::Sub, lhs: clamped.into(), rhs: ahead });
        let mut header = Region::new();
        let (lhs, rhs) = (counter.into(), last.into());
        push(&mut header, InstKind::Compare { dst: more, op: CompareOp::LtS, ty: Type::I32, lhs, rhs });
        let untested = Parts { header: &Region::new(), ..*parts };
        let (body, step) = self.partial(&untested, counter, factor, true);
        self.elided += factor * parts.elided;
        let label = self.fresh_label();
        out.push(Node::Loop {
            label,
            header,
            condition: Some(more.into()),
            body,
            step,
            unroll: Some(UnrollHint::Factor(1)),
            location,
        });
        Some(out)
    }

    fn temporary(&mut self, ty: Type) -> Reg {
        self.registers.push(simt_ir::Register { ty, name: None });
        let reg = Reg(self.registers.len() as u32 - 1);
        self.single.insert(reg);
        reg
    }
}

/// Counter and bound of a header that is nothing but `counter < bound`, with a bound that the loop keeps, and whether it
/// is `<=`.
fn test(parts: &Parts) -> Option<(Reg, Operand, bool)> {
    let [Node::Inst(inst)] = parts.header.as_slice() else { return None };
    let InstKind::Compare { op, ty: Type::I32, lhs: Operand::Reg(counter), rhs, .. } = inst.kind else {
        return None;
    };
    let inclusive = match op {
        CompareOp::LtS => false,
        CompareOp::LeS => true,
        _ => return None,
    };
    let written = |reg| writes_in(parts.body, reg) || writes_in(parts.step, reg);
    let bound_changes = matches!(rhs, Operand::Reg(bound) if bound == counter || written(bound));
    (!bound_changes && !writes_in(parts.body, counter)).then_some((counter, rhs, inclusive))
}

/// Whether lanes wait for each other in the loop or look at each other.
fn lanes_meet(parts: &Parts) -> bool {
    let mut found = false;
    for block in [parts.body, parts.step] {
        for_each_inst(block, &mut |inst| found |= inst.kind.depends_on_lanes());
        for_each_node(block, &mut |node| found |= matches!(node, Node::Return));
    }
    found
}
