//! The trip count of a loop, found by running its counter and its test, as in LLVM's exhaustive evaluation of constant
//! trip counts. So shifts and multiplications of the counter need no algebra.
//!
//! The counter must hold a constant before the loop, be compared with a constant, and change in one place by an
//! operation with a constant. A loop with [`MAX_TRIPS`] or more iterations has no known trip count.

use super::loop_info::LoopInfo;
use crate::constant_folding;
use crate::def_use::{defines, for_each_reg_use};
use simt_ir::{BinaryOp, Constant, Inst, InstKind, Node, Operand, Reg, UnaryOp, for_each_node};
use std::slice::from_ref;

/// A trip count of at least this counts as unknown.
const MAX_TRIPS: usize = 1 << 16;

/// How often a loop's body runs.
pub(super) struct TripCount {
    pub(super) counter: Reg,
    /// The counter's value before the loop.
    pub(super) first: Constant,
    pub(super) count: usize,
}

/// The trip count of a loop that tests in its header. `before` has registers with known values before the loop.
pub(super) fn tested_in_header(
    before: &[(Reg, Constant)],
    info: &LoopInfo,
    condition: Reg,
) -> Option<TripCount> {
    let test = info.header.iter().rev().find(|node| node_defines(node, condition))?;
    let counter = tested_counter(test)?;
    if defines(info.header, counter) || defines(info.body, counter) {
        return None;
    }
    let step = sole_writer(info.step, counter)?;
    let first = initial_value(before, counter)?;
    let ends = |value| Some(!evaluate_test(test, value)?);
    let count = first_end(step, counter, first, 0, test, ends)?;
    Some(TripCount { counter, first, count })
}

/// After how many steps, at least `least`, `ends` is true for the first time of the counter's value.
fn first_end(
    step: &Inst,
    counter: Reg,
    first: Constant,
    least: usize,
    test: &Node,
    ends: impl Fn(Constant) -> Option<bool>,
) -> Option<usize> {
    if let Some(at) = progression(step, counter, first).filter(|_| is_order(test)) {
        // Of an arithmetic progression that wraps nowhere the test is true up to a place or from a place on.
        let last = MAX_TRIPS - 1;
        return match (ends(at(least))?, ends(at(last))?) {
            (true, _) => Some(least),
            (false, false) => None,
            (false, true) => {
                let (mut before, mut after) = (least, last);
                while after - before > 1 {
                    let middle = before.midpoint(after);
                    *if ends(at(middle))? { &mut after } else { &mut before } = middle;
                }
                Some(after)
            }
        };
    }
    let mut value = first;
    for count in 0..MAX_TRIPS {
        if count >= least && ends(value)? {
            return Some(count);
        }
        value = evaluate_step(step, counter, value)?;
    }
    None
}

/// Whether a test compares integers by order.
fn is_order(test: &Node) -> bool {
    use simt_ir::CompareOp::{LeS, LeU, LtS, LtU};
    matches!(test, Node::Inst(Inst { kind: InstKind::Compare { op: LeS | LeU | LtS | LtU, .. }, .. }))
}

/// The counter after so many steps, if a step adds a 32-bit constant to it and none of [`MAX_TRIPS`] leads to a value of another sign.
fn progression(step: &Inst, counter: Reg, first: Constant) -> Option<impl Fn(usize) -> Constant> {
    let InstKind::Binary { op: BinaryOp::Add, lhs: Operand::Reg(lhs), rhs: Operand::Const(by), .. } =
        &step.kind
    else {
        return None;
    };
    let (Constant::I32(first), Constant::I32(by), true) = (first, *by, *lhs == counter) else { return None };
    let (first, by) = (i64::from(first as i32), i64::from(by as i32));
    let last = first + by * MAX_TRIPS as i64;
    let same_sign = (first < 0) == (last < 0);
    (same_sign && i32::try_from(last).is_ok())
        .then_some(move |steps: usize| Constant::I32((first + by * steps as i64) as i32 as u32))
}

/// The trip count of a loop without condition whose step ends with `if (c) {} else { break }` or the reverse.
pub(super) fn tested_in_step(before: &[(Reg, Constant)], info: &LoopInfo) -> Option<TripCount> {
    let (last, rest) = info.step.split_last()?;
    let Node::If { condition: Operand::Reg(condition), then, otherwise, .. } = last else { return None };
    let exit = [Node::Break(info.label)];
    let stays_if = match (then.as_slice(), otherwise.as_slice()) {
        ([], side) if side == exit => true,
        (side, []) if side == exit => false,
        _ => return None,
    };
    let test = rest.iter().rev().find(|node| node_defines(node, *condition))?;
    let counter = tested_counter(test)?;
    if defines(info.header, counter) {
        return None;
    }
    // The counter may change in the body (as `i++` in a `do` does) or in the step, but before the test.
    let step = if defines(info.body, counter) {
        if defines(info.step, counter) || info.summary.continues {
            return None;
        }
        sole_writer(info.body, counter)?
    } else {
        let change = rest.iter().position(|node| node_defines(node, counter))?;
        let test = rest.iter().position(|node| node == test)?;
        if change > test {
            return None;
        }
        sole_writer(info.step, counter)?
    };
    let first = initial_value(before, counter)?;
    let ends = |value| Some(evaluate_test(test, value)? != stays_if);
    let count = first_end(step, counter, first, 1, test, ends)?;
    Some(TripCount { counter, first, count })
}

fn node_defines(node: &Node, reg: Reg) -> bool {
    defines(from_ref(node), reg)
}

/// The constant that a register holds before the loop.
fn initial_value(before: &[(Reg, Constant)], reg: Reg) -> Option<Constant> {
    before.iter().find(|(counter, _)| *counter == reg).map(|(_, constant)| *constant)
}

/// The only instruction of a region that writes a register, if it is at the top level.
fn sole_writer(region: &[Node], reg: Reg) -> Option<&Inst> {
    let mut writers = region.iter().filter(|node| node_defines(node, reg));
    match (writers.next(), writers.next()) {
        (Some(Node::Inst(inst)), None) => Some(inst),
        _ => None,
    }
}

/// The register of a comparison with a constant.
fn tested_counter(test: &Node) -> Option<Reg> {
    let Node::Inst(Inst { kind: InstKind::Compare { lhs, rhs, .. }, .. }) = test else { return None };
    match (lhs, rhs) {
        (Operand::Reg(counter), Operand::Const(_)) | (Operand::Const(_), Operand::Reg(counter)) => {
            Some(*counter)
        }
        _ => None,
    }
}

fn evaluate_test(test: &Node, value: Constant) -> Option<bool> {
    let Node::Inst(Inst { kind: InstKind::Compare { op, lhs, rhs, .. }, .. }) = test else { return None };
    let of = |operand: &Operand| match operand {
        Operand::Reg(_) => value,
        Operand::Const(constant) => *constant,
    };
    constant_folding::compare(*op, of(lhs), of(rhs))
}

/// The counter after a step, computed from the counter alone.
fn evaluate_step(step: &Inst, counter: Reg, value: Constant) -> Option<Constant> {
    let of = |operand: &Operand| match operand {
        Operand::Reg(reg) => (*reg == counter).then_some(value),
        Operand::Const(constant) => Some(*constant),
    };
    match &step.kind {
        InstKind::Binary { op, lhs, rhs, .. } => constant_folding::binary(*op, of(lhs)?, of(rhs)?),
        InstKind::Unary { op: op @ (UnaryOp::Neg | UnaryOp::Not), src, .. } => {
            constant_folding::unary(*op, of(src)?)
        }
        _ => None,
    }
}

/// The position in `step` of the addition of a constant to the counter, and the constant, if the step does not use the
/// counter otherwise.
pub(super) fn stride(step: &[Node], counter: Reg) -> Option<(usize, Constant)> {
    let mut uses = 0;
    for_each_node(step, &mut |node| for_each_reg_use(node, |reg| uses += usize::from(reg == counter)));
    let position = step.iter().position(|node| node_defines(node, counter)).filter(|_| uses == 1)?;
    match &step[position] {
        Node::Inst(Inst {
            kind:
                InstKind::Binary {
                    op: BinaryOp::Add, lhs: Operand::Reg(lhs), rhs: Operand::Const(stride), ..
                },
            ..
        }) if *lhs == counter && matches!(stride, Constant::I32(_) | Constant::I64(_)) => {
            Some((position, *stride))
        }
        _ => None,
    }
}
