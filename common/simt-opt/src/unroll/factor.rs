//! Unrolling by a factor: several iterations become one. If the trip count is not a multiple of the factor, the
//! remaining iterations are peeled off in front of the loop.

use super::loop_info::LoopInfo;
use super::trip_count::{TripCount, stride};
use super::{AUTO_FACTOR, MAX_AUTO_FACTOR_NODES, MAX_PRAGMA_NODES, Unroller};
use crate::constant_folding;
use crate::region::node_count;
use crate::ssa::clone_register;
use simt_ir::{BinaryOp, Constant, InstKind, Node, Reg, Region, UnrollHint, for_each_inst};

impl Unroller<'_> {
    /// The loop `node` with several iterations in one, if the pragma or its size asks for it.
    pub(super) fn unrolled_by_factor(
        &mut self,
        info: &LoopInfo,
        trips: &TripCount,
        node: &Node,
    ) -> Option<Region> {
        let Node::Loop { label, header, condition, unroll, location, .. } = node else { return None };
        let iteration_size = info.iteration_size();
        let factor = match unroll {
            Some(UnrollHint::Factor(factor @ 2..)) => *factor as usize,
            None if iteration_size <= MAX_AUTO_FACTOR_NODES
                && trips.count.is_multiple_of(AUTO_FACTOR)
                && !info.summary.has_loops =>
            {
                AUTO_FACTOR
            }
            _ => return None,
        };
        let remainder = trips.count % factor;
        let size = (factor + remainder).checked_mul(iteration_size)?;
        if factor > trips.count || size > self.budget.min(MAX_PRAGMA_NODES) {
            return None;
        }
        if remainder > 0 && info.summary.breaks {
            return None;
        }
        let mut out = self.peeled(info, remainder);
        let (body, step) = self.unrolled_regions(info, trips.counter, factor, false);
        self.elided += (factor + remainder - 1) * info.elided;
        out.push(Node::Loop {
            label: *label,
            header: header.clone(),
            condition: *condition,
            body,
            step,
            unroll: Some(UnrollHint::Factor(1)),
            location: *location,
        });
        Some(out)
    }

    /// The first iterations of a loop without `Break`.
    fn peeled(&mut self, info: &LoopInfo, count: usize) -> Region {
        let mut out = Region::new();
        let renamed = self.ssa_defs(info);
        self.map.clear();
        for _ in 0..count {
            self.rename(&renamed);
            out.extend(self.clone_region(info.header));
            out.extend(self.clone_body(info));
            out.extend(self.clone_region(info.step));
        }
        self.budget = self.budget.saturating_sub(node_count(&out));
        out
    }

    /// Body and step of the loop with `factor` iterations in one, and no tests between them if the header is only a
    /// test. The first iteration belongs to the header and shares its names, unless `rename_first`.
    pub(super) fn unrolled_regions(
        &mut self,
        info: &LoopInfo,
        counter: Reg,
        factor: usize,
        rename_first: bool,
    ) -> (Region, Region) {
        let stride = stride(info.step, counter).filter(|_| !info.summary.breaks);
        let renamed = self.ssa_defs(info);
        let mut body = Region::new();
        let mut step = Region::new();
        self.map.clear();
        for iteration in 0..factor {
            if iteration > 0 || rename_first {
                self.rename(&renamed);
            }
            if iteration > 0 {
                body.extend(self.clone_region(info.header));
            }
            body.extend(self.clone_body(info));
            step = self.clone_region(info.step);
            if let Some((position, stride)) = stride {
                // Each clone computes its counter from that of the first iteration, which changes only at the end.
                let is_last = iteration + 1 == factor;
                self.advance_counter(counter, &mut step[position], stride, iteration + 1, is_last);
            }
            if iteration + 1 < factor {
                body.append(&mut step);
            }
        }
        self.budget = self.budget.saturating_sub(node_count(&body));
        (body, step)
    }

    /// Turns the clone of the counter's step into `counter + count·stride`, in a new register unless it `is_last`.
    fn advance_counter(
        &mut self,
        counter: Reg,
        node: &mut Node,
        stride: Constant,
        count: usize,
        is_last: bool,
    ) {
        let count = Constant::from_bits(stride.ty(), count as u64);
        let Some(distance) = constant_folding::binary(BinaryOp::Mul, stride, count) else { return };
        let dst = if is_last { counter } else { self.new_name(counter) };
        if let Node::Inst(inst) = node {
            inst.kind =
                InstKind::Binary { dst, op: BinaryOp::Add, lhs: counter.into(), rhs: distance.into() };
        }
    }

    /// A clone of the body, in a scope of its own if it has a `Continue`.
    fn clone_body(&mut self, info: &LoopInfo) -> Region {
        if !info.summary.continues {
            return self.clone_region(info.body);
        }
        let label = self.new_label();
        let jumps = vec![(Node::Continue(info.label), Node::Break(label))];
        let body = self.cloner(jumps).region(info.body);
        vec![Node::Scope { label, body }]
    }

    fn clone_region(&mut self, region: &[Node]) -> Region {
        self.cloner(Vec::new()).region(region)
    }

    /// Gives registers new names in the next clones.
    fn rename(&mut self, regs: &[Reg]) {
        for reg in regs {
            self.new_name(*reg);
        }
    }

    fn new_name(&mut self, reg: Reg) -> Reg {
        let new = clone_register(self.registers, self.ssa, reg);
        self.map.set(reg, Some(new.into()));
        new
    }

    /// The SSA registers that the loop defines. Each iteration writes them before it reads them, so each clone may
    /// give them new names.
    fn ssa_defs(&self, info: &LoopInfo) -> Vec<Reg> {
        let mut regs = Vec::new();
        for region in [info.header, info.body, info.step] {
            for_each_inst(region, &mut |inst| {
                inst.kind.for_each_def(|dst| {
                    if self.ssa.contains(*dst) {
                        regs.push(*dst);
                    }
                });
            });
        }
        regs
    }
}
