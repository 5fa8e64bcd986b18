//! Unrolling of loops, in the first place of those whose trip count is constant.
//!
//! A counter must be set to a constant in the block before the loop, tested against a constant in the header (or, for
//! `do … while`, at the end of the step), and changed in one place of the step by a constant. The trip count is then found
//! by running counter and test, which takes shifts and multiplications in its stride. All lanes take the same trips,
//! so copies of the loop's parts, one after the other, are the same program. Other loops: see `runtime`.

mod runtime;

use crate::fold;
use crate::registers::{
    BitSet, Copier, for_each_node, next_label, node_count, own_uses, single_assignment, writes_in,
};
use simt_ir::{
    BinaryOp, Block, Constant, Inst, InstKind, Kernel, Label, Node, Operand, Reg, Register, UnaryOp,
};
use std::slice::from_ref;

/// Without a pragma, a loop is unrolled fully up to this many iterations…
const AUTO_TRIPS: usize = 64;
/// … and this many nodes.
const AUTO_NODES: usize = 1024;
/// With `#pragma unroll`, up to this many nodes.
const PRAGMA_NODES: usize = 4096;
/// A loop too long for that is unrolled by this factor if its body is short.
const AUTO_FACTOR: usize = 4;
const AUTO_FACTOR_NODES: usize = 64;
/// A trip count above this is taken for unknown.
const MAX_TRIPS: usize = 1 << 16;
/// Nodes of a kernel beyond which nothing is unrolled.
const KERNEL_NODES: usize = 200_000;

/// Unrolls what can be; says whether anything was.
pub(crate) fn unroll(kernel: &mut Kernel) -> bool {
    let single = single_assignment(kernel);
    let next_label = next_label(kernel);
    let budget = KERNEL_NODES.saturating_sub(node_count(&kernel.body));
    let known = vec![None; kernel.registers.len()];
    let registers = &mut kernel.registers;
    let mut unroller =
        Unroller { registers, single, next_label, budget, names: Vec::new(), known, changed: false };
    unroller.block(&mut kernel.body);
    unroller.changed
}

struct Unroller<'k> {
    registers: &'k mut Vec<Register>,
    single: BitSet,
    next_label: u32,
    /// Nodes that may be added yet.
    budget: usize,
    names: Vec<Option<Reg>>,
    /// What each register is known to hold, by its number; a new register has no entry.
    known: Vec<Option<Constant>>,
    changed: bool,
}

/// The parts of a loop.
struct Parts<'n> {
    label: Label,
    header: &'n Block,
    body: &'n Block,
    step: &'n Block,
    /// What each iteration writes before it reads, and so has new names in each copy.
    renamed: Vec<Reg>,
}

/// A counter of a loop and how often the body runs.
struct Trips {
    counter: Reg,
    count: usize,
}

impl Unroller<'_> {
    fn block(&mut self, nodes: &mut Block) {
        let mut out = Vec::with_capacity(nodes.len());
        for mut node in std::mem::take(nodes) {
            match &mut node {
                Node::Inst(inst) => self.learn(&inst.kind),
                Node::If { then, otherwise, .. } => {
                    let sides = [then, otherwise];
                    for side in sides {
                        self.block(side);
                        self.forget(side);
                    }
                }
                Node::Scope { body, .. } => {
                    self.block(body);
                    self.forget(body);
                }
                Node::Loop { header, body, step, .. } => {
                    let before = self.known_counters(header, body, step);
                    for part in [&*header, &*body, &*step] {
                        self.forget(part);
                    }
                    for part in [header, body, step] {
                        self.block(part);
                        self.forget(part);
                    }
                    let new = self.a_loop(&before, &node);
                    self.names.clear();
                    if let Some(new) = new {
                        self.changed = true;
                        out.extend(new);
                        continue;
                    }
                }
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
            out.push(node);
        }
        *nodes = out;
    }

    fn learn(&mut self, kind: &InstKind) {
        let value = match kind {
            InstKind::Copy { src: Operand::Const(constant), .. } => Some(*constant),
            _ => None,
        };
        kind.for_each_def(|dst| {
            if let Some(known) = self.known.get_mut(dst.0 as usize) {
                *known = value;
            }
        });
    }

    /// What a block may have changed is known no more.
    fn forget(&mut self, block: &[Node]) {
        simt_ir::for_each_inst(block, &mut |inst| {
            inst.kind.for_each_def(|dst| {
                if let Some(known) = self.known.get_mut(dst.0 as usize) {
                    *known = None;
                }
            });
        });
    }

    /// The registers that the loop writes and that hold a constant before it.
    fn known_counters(&self, header: &[Node], body: &[Node], step: &[Node]) -> Vec<(Reg, Constant)> {
        let mut counters = Vec::new();
        for part in [header, body, step] {
            simt_ir::for_each_inst(part, &mut |inst| {
                inst.kind.for_each_def(|dst| {
                    if let Some(constant) = self.known.get(dst.0 as usize).copied().flatten() {
                        counters.push((*dst, constant));
                    }
                });
            });
        }
        counters
    }

    /// What replaces a loop, if it is to be unrolled. `before`: registers with known values where it starts.
    fn a_loop(&mut self, before: &[(Reg, Constant)], node: &Node) -> Option<Block> {
        let Node::Loop { label, header, condition, body, step, unroll, location } = node else { return None };
        if *unroll == Some(1) {
            return None;
        }
        let parts = Parts { label: *label, header, body, step, renamed: self.renamed(node) };
        let trips = match condition {
            Some(Operand::Reg(condition)) => match counted(before, &parts, *condition) {
                Some(trips) => trips,
                None => return self.at_run_time(node, &parts, *unroll),
            },
            Some(Operand::Const(_)) => return None,
            None => {
                // `do … while`: the copies keep their tests, which constants then decide.
                let trips = tested_in_step(before, &parts)?;
                let size = trips.count * iteration_size(&parts);
                let full = is_small(*unroll, trips.count, size) && size <= self.budget;
                return full.then(|| self.full(&parts, trips.count, false));
            }
        };
        let one = iteration_size(&parts);
        let size = trips.count.checked_mul(one)?;
        if is_small(*unroll, trips.count, size) {
            return (size <= self.budget).then(|| self.full(&parts, trips.count, true));
        }
        let factor = match unroll {
            Some(factor @ 2..) => *factor as usize,
            None if one <= AUTO_FACTOR_NODES
                && trips.count.is_multiple_of(AUTO_FACTOR)
                && is_innermost(&parts) =>
            {
                AUTO_FACTOR
            }
            _ => return None,
        };
        let rest = trips.count % factor;
        if factor > trips.count || (factor + rest).checked_mul(one)? > self.budget.min(PRAGMA_NODES) {
            return None;
        }
        if rest > 0 && jumps_to(&parts, Node::Break(*label)) {
            return None;
        }
        let mut out = self.iterations(&parts, rest);
        let (body, step) = self.partial(&parts, &trips, factor, false);
        let (label, header, condition) = (*label, header.clone(), *condition);
        out.push(Node::Loop { label, header, condition, body, step, unroll: Some(1), location: *location });
        Some(out)
    }

    /// The loop unrolled by a factor, and the loop itself, once and for all, for what is left.
    fn at_run_time(&mut self, node: &Node, parts: &Parts, factor: Option<u32>) -> Option<Block> {
        let Node::Loop { location, .. } = node else { return None };
        let factor = factor.filter(|factor| *factor != 0);
        let mut out = self.runtime(parts, factor, *location)?;
        let mut rest = node.clone();
        if let Node::Loop { unroll, .. } = &mut rest {
            *unroll = Some(1);
        }
        out.push(rest);
        Some(out)
    }

    /// The loop as straight-line code; `tested` if the header runs once more at the end.
    fn full(&mut self, parts: &Parts, trips: usize, tested: bool) -> Block {
        let exit = jumps_to(parts, Node::Break(parts.label)).then(|| self.fresh_label());
        let jumps = exit.map(|exit| (Node::Break(parts.label), Node::Break(exit)));
        let mut out = Block::new();
        for _ in 0..trips {
            self.rename(parts);
            self.iteration(parts, jumps.as_ref(), &mut out);
        }
        if tested {
            self.rename(parts);
            out.extend(self.copy(parts.header, jumps.as_ref()));
        }
        self.budget = self.budget.saturating_sub(node_count(&out));
        match exit {
            Some(label) => vec![Node::Scope { label, body: out }],
            None => out,
        }
    }

    /// The first iterations, for a loop without `Break`.
    fn iterations(&mut self, parts: &Parts, count: usize) -> Block {
        let mut out = Block::new();
        for _ in 0..count {
            self.rename(parts);
            self.iteration(parts, None, &mut out);
        }
        self.budget = self.budget.saturating_sub(node_count(&out));
        out
    }

    /// Body and step of the loop with `factor` iterations in one; between them nothing is tested. The first iteration
    /// belongs to the header, whose names it shares, unless `rename_first`.
    fn partial(&mut self, parts: &Parts, trips: &Trips, factor: usize, rename_first: bool) -> (Block, Block) {
        let stride = stride(parts.step, trips.counter).filter(|_| !jumps_to(parts, Node::Break(parts.label)));
        let mut body = Block::new();
        let mut step = Block::new();
        self.names.clear();
        self.names.resize(self.registers.len(), None);
        for iteration in 0..factor {
            if iteration > 0 || rename_first {
                self.rename(parts);
            }
            if iteration > 0 {
                body.extend(self.copy(parts.header, None));
            }
            body.extend(self.body(parts, None));
            step = self.copy(parts.step, None);
            if let Some((position, stride)) = stride {
                // Each copy computes its counter from the first one's, which changes only at the end.
                let last = iteration + 1 == factor;
                self.advance(trips.counter, &mut step[position], stride, iteration + 1, last);
            }
            if iteration + 1 < factor {
                body.append(&mut step);
            }
        }
        self.budget = self.budget.saturating_sub(node_count(&body));
        (body, step)
    }

    /// Makes the copied change of the counter `counter + count·stride`, into a register of its own unless `last`.
    fn advance(&mut self, counter: Reg, node: &mut Node, stride: Constant, count: usize, last: bool) {
        let of = |count: usize| match stride {
            Constant::I64(_) => Constant::I64(count as u64),
            _ => Constant::I32(count as u32),
        };
        let Some(distance) = fold::binary(BinaryOp::Mul, stride, of(count)) else { return };
        let dst = if last {
            counter
        } else {
            let fresh = self.fresh_register(counter);
            self.names[counter.0 as usize] = Some(fresh);
            fresh
        };
        if let Node::Inst(inst) = node {
            inst.kind =
                InstKind::Binary { dst, op: BinaryOp::Add, lhs: counter.into(), rhs: distance.into() };
        }
    }

    fn iteration(&mut self, parts: &Parts, exit: Option<&(Node, Node)>, out: &mut Block) {
        out.extend(self.copy(parts.header, exit));
        out.extend(self.body(parts, exit));
        out.extend(self.copy(parts.step, exit));
    }

    /// A copy of the body, in a scope of its own if it has a `Continue`.
    fn body(&mut self, parts: &Parts, exit: Option<&(Node, Node)>) -> Block {
        if !jumps_to(parts, Node::Continue(parts.label)) {
            return self.copy(parts.body, exit);
        }
        let label = self.fresh_label();
        let mut jumps: Vec<_> = exit.cloned().into_iter().collect();
        jumps.push((Node::Continue(parts.label), Node::Break(label)));
        let body =
            Copier { names: &mut self.names, jumps, next_label: &mut self.next_label }.block(parts.body);
        vec![Node::Scope { label, body }]
    }

    fn copy(&mut self, block: &[Node], exit: Option<&(Node, Node)>) -> Block {
        let jumps = exit.cloned().into_iter().collect();
        Copier { names: &mut self.names, jumps, next_label: &mut self.next_label }.block(block)
    }

    /// New names for a copy of an iteration.
    fn rename(&mut self, parts: &Parts) {
        self.names.resize(self.registers.len(), None);
        for reg in &parts.renamed {
            self.names[reg.0 as usize] = Some(self.fresh_register(*reg));
        }
    }

    /// The registers written in the loop whose copies may have names of their own.
    fn renamed(&self, node: &Node) -> Vec<Reg> {
        let mut regs = Vec::new();
        simt_ir::for_each_inst(from_ref(node), &mut |inst| {
            inst.kind.for_each_def(|dst| {
                if self.single.contains(*dst) {
                    regs.push(*dst);
                }
            });
        });
        regs
    }

    fn fresh_register(&mut self, like: Reg) -> Reg {
        let register = self.registers[like.0 as usize].clone();
        self.registers.push(register);
        let fresh = Reg(self.registers.len() as u32 - 1);
        // Copies of a register that is written once are written once each.
        self.single.insert(fresh);
        fresh
    }

    fn fresh_label(&mut self) -> Label {
        self.next_label += 1;
        Label(self.next_label - 1)
    }
}

fn iteration_size(parts: &Parts) -> usize {
    1 + node_count(parts.header) + node_count(parts.body) + node_count(parts.step)
}

/// Whether a loop is unrolled as a whole.
fn is_small(unroll: Option<u32>, trips: usize, size: usize) -> bool {
    match unroll {
        None => trips <= AUTO_TRIPS && size <= AUTO_NODES,
        Some(0) => size <= PRAGMA_NODES,
        Some(factor) => trips <= factor as usize && size <= PRAGMA_NODES,
    }
}

fn is_innermost(parts: &Parts) -> bool {
    let mut innermost = true;
    for_each_node(parts.body, &mut |node| innermost &= !matches!(node, Node::Loop { .. }));
    innermost
}

fn jumps_to(parts: &Parts, jump: Node) -> bool {
    let mut found = false;
    for block in [parts.header, parts.body, parts.step] {
        for_each_node(block, &mut |node| found |= *node == jump);
    }
    found
}

/// The trips of a loop that tests in its header.
fn counted(before: &[(Reg, Constant)], parts: &Parts, condition: Reg) -> Option<Trips> {
    let test = parts.header.iter().rev().find(|node| writes(node, condition))?;
    let counter = tested_counter(test)?;
    if writes_in(parts.header, counter) || writes_in(parts.body, counter) {
        return None;
    }
    let step = only_write(parts.step, counter)?;
    let mut value = initial(before, counter)?;
    for count in 0..MAX_TRIPS {
        if !evaluate_test(test, value)? {
            return Some(Trips { counter, count });
        }
        value = evaluate_step(step, counter, value)?;
    }
    None
}

/// The trips of a loop without condition whose step ends with `if (c) {} else { break }` or the reverse.
fn tested_in_step(before: &[(Reg, Constant)], parts: &Parts) -> Option<Trips> {
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
        if writes_in(parts.step, counter) || jumps_to(parts, Node::Continue(parts.label)) {
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
    let mut value = initial(before, counter)?;
    for count in 1..MAX_TRIPS {
        value = evaluate_step(step, counter, value)?;
        if evaluate_test(test, value)? != stays_if {
            return Some(Trips { counter, count });
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
fn stride(step: &[Node], counter: Reg) -> Option<(usize, Constant)> {
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
