//! Unrolling of loops, in the first place of those whose trip count is constant.
//!
//! A counter must be set to a constant in the block before the loop, tested against a constant in the header (or, for
//! `do … while`, at the end of the step), and changed in one place of the step by a constant. The trip count is then found
//! by running counter and test, which takes shifts and multiplications in its stride. All lanes take the same trips,
//! so copies of the loop's parts, one after the other, are the same program. Other loops: see `runtime`.

mod homes;
mod parts;
mod runtime;
mod trips;

use crate::copy::{Copier, Folding, Names};
use crate::fold;
use crate::registers::{BitSet, for_each_node, next_label, node_count, replace_nodes};
use homes::Homes;
use parts::{Facts, Parts};
use simt_ir::{
    BinaryOp, Constant, Inst, InstKind, Kernel, Label, Node, Operand, Reg, Region, Register, UnrollHint,
};
use trips::{Trips, counted, stride, tested_in_step};

/// Without a pragma, a loop is unrolled fully up to this many iterations…
const AUTO_TRIPS: usize = 64;
/// … and this many nodes.
const AUTO_NODES: usize = 1024;
/// With `#pragma unroll`, up to this many nodes.
const PRAGMA_NODES: usize = 4096;
/// A loop too long for that is unrolled by this factor if its body is short.
const AUTO_FACTOR: usize = 4;
const AUTO_FACTOR_NODES: usize = 64;
/// Nodes of a kernel beyond which nothing is unrolled.
const KERNEL_NODES: usize = 200_000;

/// Unrolls what can be; says whether anything was. Most is unrolled the `first` time.
pub(crate) fn unroll(kernel: &mut Kernel, single: &mut BitSet, first: bool) -> bool {
    let next_label = next_label(kernel);
    let budget = KERNEL_NODES.saturating_sub(node_count(&kernel.body));
    let known = vec![None; kernel.registers.len()];
    let homes = first.then(|| Homes::of(kernel, next_label));
    let registers = &mut kernel.registers;
    let mut unroller = Unroller {
        registers,
        single,
        homes,
        next_label,
        budget,
        names: Names::default(),
        known,
        written: Vec::new(),
        elided: 0,
        unread: BitSet::default(),
        changed: false,
    };
    unroller.block(&mut kernel.body);
    unroller.changed
}

/// Whether there is a loop that may be unrolled.
pub(crate) fn has_candidates(block: &[Node]) -> bool {
    block.iter().any(|node| match node {
        Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => false,
        Node::If { then, otherwise, .. } => has_candidates(then) || has_candidates(otherwise),
        Node::Scope { body, .. } => has_candidates(body),
        Node::Loop { header, body, step, unroll, .. } => {
            *unroll != Some(UnrollHint::Factor(1))
                || [header, body, step].into_iter().any(|part| has_candidates(part))
        }
    })
}

struct Unroller<'k> {
    registers: &'k mut Vec<Register>,
    single: &'k mut BitSet,
    /// Not known where little is to be unrolled; counters are then kept.
    homes: Option<Homes>,
    next_label: u32,
    /// Nodes that may be added yet.
    budget: usize,
    names: Names,
    /// What each register is known to hold, by its number; a new register has no entry.
    known: Vec<Option<Constant>>,
    /// The registers of `known` that were written, in the order of the text.
    written: Vec<Reg>,
    /// Nodes that were not copied because they are constant. What is unrolled goes by the sizes of whole copies.
    elided: usize,
    /// Counters of loops that are straight-line code now, which nothing reads any more.
    unread: BitSet,
    changed: bool,
}

impl Facts {
    fn of(label: Label, parts: [&[Node]; 3]) -> Facts {
        let mut facts = Facts::default();
        for part in parts {
            for_each_node(part, &mut |node| {
                facts.nodes += 1;
                match node {
                    Node::Inst(_) | Node::If { .. } | Node::Scope { .. } => {}
                    Node::Loop { .. } => facts.has_loops = true,
                    Node::Break(to) => (facts.jumps, facts.breaks) = (true, facts.breaks || *to == label),
                    Node::Continue(to) => {
                        (facts.jumps, facts.continues) = (true, facts.continues || *to == label);
                    }
                    Node::Return => facts.jumps = true,
                }
            });
        }
        facts
    }
}

impl Unroller<'_> {
    fn block(&mut self, nodes: &mut Region) {
        let mut replaced: Vec<(usize, Region)> = Vec::new();
        for (place, node) in nodes.iter_mut().enumerate() {
            match node {
                Node::Inst(inst) => self.learn(&inst.kind),
                Node::If { then, otherwise, .. } => {
                    self.part(then);
                    self.part(otherwise);
                }
                Node::Scope { body, .. } => self.part(body),
                Node::Loop { header, body, step, .. } => {
                    let before = self.forget_counters([header, body, step]);
                    let elided = self.elided;
                    for part in [header, body, step] {
                        self.part(part);
                    }
                    if let Some(new) = self.a_loop(&before, node, elided) {
                        replaced.push((place, new));
                    }
                }
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
        if !replaced.is_empty() {
            self.changed = true;
            self.drop_unread(nodes, &mut replaced);
            replace_nodes(nodes, replaced);
        }
    }

    /// Takes out what sets counters that nothing reads any more.
    fn drop_unread(&mut self, nodes: &[Node], replaced: &mut Vec<(usize, Region)>) {
        if self.unread.is_empty() {
            return;
        }
        let loops = replaced.len();
        for (place, node) in nodes.iter().enumerate() {
            if let Node::Inst(Inst { kind: InstKind::Copy { dst, src: Operand::Const(_) }, .. }) = node
                && self.unread.contains(*dst)
            {
                replaced.push((place, Region::new()));
            }
        }
        self.elided += replaced.len() - loops;
        replaced.sort_by_key(|(place, _)| *place);
    }

    /// A block that may not run, or run again: nothing is known behind it of what it writes.
    fn part(&mut self, nodes: &mut Region) {
        let before = self.written.len();
        self.block(nodes);
        for reg in self.written.drain(before..) {
            self.known[reg.0 as usize] = None;
        }
    }

    fn learn(&mut self, kind: &InstKind) {
        let value = match kind {
            InstKind::Copy { src: Operand::Const(constant), .. } => Some(*constant),
            _ => None,
        };
        kind.for_each_def(|dst| {
            self.known[dst.0 as usize] = value;
            self.written.push(*dst);
        });
    }

    /// The registers that a loop writes and that hold a constant before it; in it they are not known any more.
    fn forget_counters(&mut self, parts: [&Region; 3]) -> Vec<(Reg, Constant)> {
        let mut counters = Vec::new();
        for part in parts {
            simt_ir::for_each_inst(part, &mut |inst| {
                inst.kind.for_each_def(|dst| {
                    if let Some(constant) = self.known[dst.0 as usize].take() {
                        counters.push((*dst, constant));
                        self.written.push(*dst);
                    }
                });
            });
        }
        counters
    }

    /// What replaces a loop, if it is to be unrolled. `before`: registers with known values where it starts; `elided`: what
    /// had been elided there.
    fn a_loop(&mut self, before: &[(Reg, Constant)], node: &Node, elided: usize) -> Option<Region> {
        let Node::Loop { label, header, condition, body, step, unroll, location } = node else { return None };
        if *unroll == Some(UnrollHint::Factor(1)) {
            return None;
        }
        let facts = Facts::of(*label, [header, body, step]);
        let parts = Parts { label: *label, header, body, step, elided: self.elided - elided, facts };
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
                return full.then(|| self.full(&parts, &trips, false));
            }
        };
        let one = iteration_size(&parts);
        let size = trips.count.checked_mul(one)?;
        if is_small(*unroll, trips.count, size) {
            return (size <= self.budget).then(|| self.full(&parts, &trips, true));
        }
        let factor = match unroll {
            Some(UnrollHint::Factor(factor @ 2..)) => *factor as usize,
            None if one <= AUTO_FACTOR_NODES
                && trips.count.is_multiple_of(AUTO_FACTOR)
                && !parts.facts.has_loops =>
            {
                AUTO_FACTOR
            }
            _ => return None,
        };
        let rest = trips.count % factor;
        if factor > trips.count || (factor + rest).checked_mul(one)? > self.budget.min(PRAGMA_NODES) {
            return None;
        }
        if rest > 0 && facts.breaks {
            return None;
        }
        let mut out = self.iterations(&parts, rest);
        let (body, step) = self.partial(&parts, trips.counter, factor, false);
        self.elided += (factor + rest - 1) * parts.elided;
        let (label, header, condition) = (*label, header.clone(), *condition);
        out.push(Node::Loop {
            label,
            header,
            condition,
            body,
            step,
            unroll: Some(UnrollHint::Factor(1)),
            location: *location,
        });
        Some(out)
    }

    /// The loop unrolled by a factor, and the loop itself, once and for all, for what is left.
    fn at_run_time(&mut self, node: &Node, parts: &Parts, hint: Option<UnrollHint>) -> Option<Region> {
        let Node::Loop { location, .. } = node else { return None };
        let mut out = self.runtime(parts, hint, *location)?;
        let mut rest = node.clone();
        if let Node::Loop { unroll, .. } = &mut rest {
            *unroll = Some(UnrollHint::Factor(1));
        }
        out.push(rest);
        Some(out)
    }

    /// The loop as straight-line code; `tested` if the header runs once more at the end.
    fn full(&mut self, parts: &Parts, trips: &Trips, tested: bool) -> Region {
        let exit = parts.facts.breaks.then(|| self.fresh_label());
        let jumps = exit.map(|exit| (Node::Break(parts.label), Node::Break(exit)));
        let Facts { continues, jumps: leaves, .. } = parts.facts;
        let each = iteration_size(parts) - 1;
        let mut out = Region::with_capacity(each);
        self.names.clear();
        self.names.set(trips.counter, Some(trips.first.into()));
        let last = trips.count;
        let read = !self.homes.as_ref().is_some_and(|homes| homes.within(trips.counter, parts.label));
        if !read {
            self.unread.insert(trips.counter);
        }
        for trip in 0..last + usize::from(tested) {
            let body_exit = (continues && trip < last).then(|| self.fresh_label());
            let mut copier = Copier {
                names: &mut self.names,
                jumps: jumps.iter().cloned().collect(),
                next_label: &mut self.next_label,
                folding: Some(Folding {
                    registers: self.registers,
                    single: self.single,
                    counter: trips.counter,
                    // Where control may leave before the end, the counter must be what it is there.
                    keeps_counter: read && (leaves || trip + 1 == last),
                }),
            };
            copier.append(parts.header, &mut out);
            if trip == last {
                break;
            }
            match body_exit {
                None => copier.append(parts.body, &mut out),
                Some(label) => {
                    copier.jumps.push((Node::Continue(parts.label), Node::Break(label)));
                    let body = copier.block(parts.body);
                    copier.jumps.pop();
                    out.push(Node::Scope { label, body });
                }
            }
            copier.append(parts.step, &mut out);
            if trip == 0 {
                out.reserve(out.len() * last);
            }
        }
        let whole =
            trips.count * (each + usize::from(continues)) + if tested { node_count(parts.header) } else { 0 };
        self.budget = self.budget.saturating_sub(whole);
        // The loop's own parts are counted in `parts.elided`, of which there are as many now as there are copies.
        self.elided = (self.elided + whole).saturating_sub(parts.elided + node_count(&out));
        match exit {
            Some(label) => vec![Node::Scope { label, body: out }],
            None => out,
        }
    }

    /// The first iterations, for a loop without `Break`.
    fn iterations(&mut self, parts: &Parts, count: usize) -> Region {
        let mut out = Region::new();
        let renamed = self.renamed(parts);
        self.names.clear();
        for _ in 0..count {
            self.rename(&renamed);
            self.iteration(parts, None, &mut out);
        }
        self.budget = self.budget.saturating_sub(node_count(&out));
        out
    }

    /// Body and step of the loop with `factor` iterations in one; between them nothing is tested. The first iteration
    /// belongs to the header, whose names it shares, unless `rename_first`.
    fn partial(
        &mut self,
        parts: &Parts,
        counter: Reg,
        factor: usize,
        rename_first: bool,
    ) -> (Region, Region) {
        let stride = stride(parts.step, counter).filter(|_| !parts.facts.breaks);
        let renamed = self.renamed(parts);
        let mut body = Region::new();
        let mut step = Region::new();
        self.names.clear();
        for iteration in 0..factor {
            if iteration > 0 || rename_first {
                self.rename(&renamed);
            }
            if iteration > 0 {
                body.extend(self.copy(parts.header, None));
            }
            body.extend(self.body(parts, None));
            step = self.copy(parts.step, None);
            if let Some((position, stride)) = stride {
                // Each copy computes its counter from the first one's, which changes only at the end.
                let last = iteration + 1 == factor;
                self.advance(counter, &mut step[position], stride, iteration + 1, last);
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
            self.names.set(counter, Some(fresh.into()));
            fresh
        };
        if let Node::Inst(inst) = node {
            inst.kind =
                InstKind::Binary { dst, op: BinaryOp::Add, lhs: counter.into(), rhs: distance.into() };
        }
    }

    fn iteration(&mut self, parts: &Parts, exit: Option<&(Node, Node)>, out: &mut Region) {
        out.extend(self.copy(parts.header, exit));
        out.extend(self.body(parts, exit));
        out.extend(self.copy(parts.step, exit));
    }

    /// A copy of the body, in a scope of its own if it has a `Continue`.
    fn body(&mut self, parts: &Parts, exit: Option<&(Node, Node)>) -> Region {
        if !parts.facts.continues {
            return self.copy(parts.body, exit);
        }
        let label = self.fresh_label();
        let mut jumps: Vec<_> = exit.cloned().into_iter().collect();
        jumps.push((Node::Continue(parts.label), Node::Break(label)));
        let body = self.copier(jumps).block(parts.body);
        vec![Node::Scope { label, body }]
    }

    fn copy(&mut self, block: &[Node], exit: Option<&(Node, Node)>) -> Region {
        self.copier(exit.cloned().into_iter().collect()).block(block)
    }

    fn copier(&mut self, jumps: Vec<(Node, Node)>) -> Copier<'_> {
        Copier { names: &mut self.names, jumps, next_label: &mut self.next_label, folding: None }
    }

    /// New names for a copy of an iteration.
    fn rename(&mut self, renamed: &[Reg]) {
        for reg in renamed {
            let fresh = self.fresh_register(*reg);
            self.names.set(*reg, Some(fresh.into()));
        }
    }

    /// What each iteration writes before it reads, and so may have new names in each copy.
    fn renamed(&self, parts: &Parts) -> Vec<Reg> {
        let mut regs = Vec::new();
        for part in [parts.header, parts.body, parts.step] {
            simt_ir::for_each_inst(part, &mut |inst| {
                inst.kind.for_each_def(|dst| {
                    if self.single.contains(*dst) {
                        regs.push(*dst);
                    }
                });
            });
        }
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
    1 + parts.facts.nodes + parts.elided
}

/// Whether a loop is unrolled as a whole.
fn is_small(unroll: Option<UnrollHint>, trips: usize, size: usize) -> bool {
    match unroll {
        None => trips <= AUTO_TRIPS && size <= AUTO_NODES,
        Some(UnrollHint::Full) => size <= PRAGMA_NODES,
        Some(UnrollHint::Factor(factor)) => trips <= factor as usize && size <= PRAGMA_NODES,
    }
}
