//! How often a loop runs, found by running its counter and its test.

use super::parts::{MAX_TRIPS, Parts};
use crate::fold;
use crate::registers::{for_each_node, own_uses, writes_in};
use simt_ir::{BinaryOp, Constant, Inst, InstKind, Node, Operand, Reg, UnaryOp};
use std::slice::from_ref;

/// A counter of a loop, what it is at first, and how often the body runs.
pub(super) struct Trips {
    pub(super) counter: Reg,
    pub(super) first: Constant,
    pub(super) count: usize,
}

/// The trips of a loop that tests in its header.
pub(super) fn counted(before: &[(Reg, Constant)], parts: &Parts, condition: Reg) -> Option<Trips> {
    let test = parts.header.iter().rev().find(|node| writes(node, condition))?;
    let counter = tested_counter(test)?;
    if writes_in(parts.header, counter) || writes_in(parts.body, counter) {
        return None;
    }
    let step = only_write(parts.step, counter)?;
    let first = initial(before, counter)?;
    let mut value = first;
    for count in 0..MAX_TRIPS {
        if !evaluate_test(test, value)? {
            return Some(Trips { counter, first, count });
        }
        value = evaluate_step(step, counter, value)?;
    }
    None
}

/// The trips of a loop without condition whose step ends with `if (c) {} else { break }` or the reverse.
pub(super) fn tested_in_step(before: &[(Reg, Constant)], parts: &Parts) -> Option<Trips> {
    let (last, rest) = parts.step.split_last()?;
    let Node::If { condition: Operand::Reg(condition), then, otherwise, .. } = last else { return None };
    let leave = [Node::Break(parts.label)];
    let stays_if = match (then.as_slice(), otherwise.as_slice()) {
        ([], side) if side == leave => true,
        (side, []) if side == leave => false,
        _ => return None,
    };
    let test = rest.iter().rev().find(|node| writes(node, *condition))?;
    let counter = tested_counter(test)?;
    if writes_in(parts.header, counter) {
        return None;
    }
    // The counter may change in the body (as `i++` in a `do` does) or in the step, but before the test.
    let step = if writes_in(parts.body, counter) {
        if writes_in(parts.step, counter) || parts.facts.continues {
            return None;
        }
        only_write(parts.body, counter)?
    } else {
        let change = rest.iter().position(|node| writes(node, counter))?;
        let test = rest.iter().position(|node| node == test)?;
        if change > test {
            return None;
        }
        only_write(parts.step, counter)?
    };
    let first = initial(before, counter)?;
    let mut value = first;
    for count in 1..MAX_TRIPS {
        value = evaluate_step(step, counter, value)?;
        if evaluate_test(test, value)? != stays_if {
            return Some(Trips { counter, first, count });
        }
    }
    None
}

fn writes(node: &Node, reg: Reg) -> bool {
    writes_in(from_ref(node), reg)
}

/// The constant that a register holds before the loop.
fn initial(before: &[(Reg, Constant)], reg: Reg) -> Option<Constant> {
    before.iter().find(|(counter, _)| *counter == reg).map(|(_, constant)| *constant)
}

/// The one node of a block, at its own level, that writes a register.
fn only_write(block: &[Node], reg: Reg) -> Option<&Inst> {
    let mut writers = block.iter().filter(|node| writes(node, reg));
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
    fold::compare(*op, of(lhs), of(rhs))
}

/// The counter after a step, from the counter alone.
fn evaluate_step(step: &Inst, counter: Reg, value: Constant) -> Option<Constant> {
    let of = |operand: &Operand| match operand {
        Operand::Reg(reg) => (*reg == counter).then_some(value),
        Operand::Const(constant) => Some(*constant),
    };
    match &step.kind {
        InstKind::Binary { op, lhs, rhs, .. } => fold::binary(*op, of(lhs)?, of(rhs)?),
        InstKind::Unary { op: op @ (UnaryOp::Neg | UnaryOp::Not), src, .. } => fold::unary(*op, of(src)?),
        _ => None,
    }
}

/// Where a step adds a constant to the counter, and which, if it does nothing else with it.
pub(super) fn stride(step: &[Node], counter: Reg) -> Option<(usize, Constant)> {
    let mut uses = 0;
    for_each_node(step, &mut |node| own_uses(node, |reg| uses += usize::from(reg == counter)));
    let position = step.iter().position(|node| writes(node, counter)).filter(|_| uses == 1)?;
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
