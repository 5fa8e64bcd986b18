//! Loops whose trip count is known only at run time: `for (i = a; i < n; i += s)` becomes a loop with several
//! iterations in one, while that many are left, and the original loop for the remainder.
//!
//! Lanes with different trip counts reconverge at the remainder, as with nvcc. Three kinds of loops stay as they
//! are: those in which lanes communicate; those with inner loops or a `Break`; and those with a long step, where
//! the threads of a block share the iterations and each makes one or two.

use super::loop_info::LoopInfo;
use super::trip_count::stride;
use super::{AUTO_FACTOR, Unroller};
use crate::def_use::defines;
use crate::ssa::add_ssa_register;
use simt_ir::{
    BinaryOp, CompareOp, Constant, Inst, InstKind, Location, Node, Operand, Reg, Region, Register, Type,
    UnrollHint, for_each_node,
};

/// Nodes per iteration, at most.
const MAX_ITERATION_NODES: usize = 48;
/// The counter's step, at most.
const MAX_STEP: u32 = 8;
/// How far the counter advances in the iterations after the first, at most.
const MAX_ADVANCE: u32 = 1 << 20;

/// The test `counter < bound`, or `counter <= bound` if it is inclusive, with a bound that the loop does not change.
struct BoundTest {
    counter: Reg,
    bound: Operand,
    inclusive: bool,
}

impl Unroller<'_> {
    /// The unrolled loop, to be followed by the original one; `hint` is the pragma's.
    pub(super) fn runtime_unrolled(
        &mut self,
        info: &LoopInfo,
        hint: Option<UnrollHint>,
        location: Location,
    ) -> Option<Region> {
        let factor = match hint {
            Some(UnrollHint::Factor(factor)) => factor as usize,
            Some(UnrollHint::Full) | None => AUTO_FACTOR,
        };
        let test = bound_test(info)?;
        let (_, Constant::I32(step)) = stride(info.step, test.counter)? else { return None };
        let advance = u32::try_from(factor - 1).ok()?.checked_mul(step).filter(|sum| *sum < MAX_ADVANCE)?;
        let size = info.iteration_size();
        if !(1..=MAX_STEP).contains(&step)
            || factor < 2
            || size > MAX_ITERATION_NODES
            || size * factor > self.budget
            || info.summary.has_loops
            || info.summary.breaks
            || depends_on_lanes(info)
        {
            return None;
        }
        let push = |out: &mut Region, kind| out.push(Node::Inst(Inst { kind, location }));
        // i + advance < n, without overflow: i < max(n, MIN + advance) - advance. For `<=`, one more.
        let advance = advance - u32::from(test.inclusive);
        let mut out = Region::new();
        let clamped = self.new_temporary(Type::I32);
        let last = self.new_temporary(Type::I32);
        let condition = self.new_temporary(Type::Bool);
        let min = Constant::i32(i32::MIN.wrapping_add_unsigned(advance)).into();
        push(&mut out, InstKind::Binary { dst: clamped, op: BinaryOp::MaxS, lhs: test.bound, rhs: min });
        let advance = Constant::I32(advance).into();
        push(&mut out, InstKind::Binary { dst: last, op: BinaryOp::Sub, lhs: clamped.into(), rhs: advance });
        let mut header = Region::new();
        let (lhs, rhs) = (test.counter.into(), last.into());
        push(&mut header, InstKind::Compare { dst: condition, op: CompareOp::LtS, ty: Type::I32, lhs, rhs });
        let untested = LoopInfo { header: &Region::new(), ..*info };
        let (body, step) = self.unrolled_regions(&untested, test.counter, factor, true);
        self.elided += factor * info.elided;
        out.push(Node::Loop {
            label: self.new_label(),
            header,
            condition: Some(condition.into()),
            body,
            step,
            unroll: Some(UnrollHint::Factor(1)),
            location,
        });
        Some(out)
    }

    fn new_temporary(&mut self, ty: Type) -> Reg {
        add_ssa_register(self.registers, self.ssa, Register { ty, name: None })
    }
}

/// The test of a loop whose header is nothing else.
fn bound_test(info: &LoopInfo) -> Option<BoundTest> {
    let [Node::Inst(inst)] = info.header.as_slice() else { return None };
    let InstKind::Compare { op, ty: Type::I32, lhs: Operand::Reg(counter), rhs: bound, .. } = inst.kind
    else {
        return None;
    };
    let inclusive = match op {
        CompareOp::LtS => false,
        CompareOp::LeS => true,
        _ => return None,
    };
    let changes = |reg| defines(info.body, reg) || defines(info.step, reg);
    let bound_changes = matches!(bound, Operand::Reg(bound) if bound == counter || changes(bound));
    (!bound_changes && !defines(info.body, counter)).then_some(BoundTest { counter, bound, inclusive })
}

/// Whether lanes wait for each other in the loop or communicate, or whether some may end there.
fn depends_on_lanes(info: &LoopInfo) -> bool {
    let mut found = false;
    for region in [info.body, info.step] {
        for_each_node(region, &mut |node| {
            found |= match node {
                Node::Inst(inst) => inst.kind.depends_on_lanes(),
                Node::Return => true,
                Node::If { .. }
                | Node::Loop { .. }
                | Node::Scope { .. }
                | Node::Break(_)
                | Node::Continue(_) => false,
            };
        });
    }
    found
}
