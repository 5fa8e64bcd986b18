//! Loop unrolling (Cooper, Torczon, *Engineering a Compiler*, 8.5.2), above all of loops with a constant trip count.
//!
//! A counter must be set to a constant in the region before the loop, tested against a constant in the header (or,
//! for `do … while`, at the end of the step), and changed in one place of the step by a constant. All lanes then
//! take the same number of iterations, so clones of the loop's regions, one after the other, are the same program.
//! Other loops: see `runtime`.
//!
//! A loop stays as it is under `#pragma unroll 1`, if it is beyond the limits below, and if its trip count depends
//! on more than its own counter.

mod factor;
mod full;
mod loop_info;
mod runtime;
mod trip_count;
mod use_loops;

use crate::clone::{Cloner, RegMap};
use crate::reg_set::RegSet;
use crate::region::{node_count, replace_nodes};
use loop_info::{LoopInfo, LoopSummary};
use simt_ir::{
    Constant, Inst, InstKind, Kernel, Label, Node, Operand, Reg, Region, Register, UnrollHint, for_each_inst,
    label_count,
};
use trip_count::{tested_in_header, tested_in_step};
use use_loops::UseLoops;

/// Without a pragma, a loop is fully unrolled up to this many iterations…
const MAX_AUTO_TRIPS: usize = 64;
/// … and this many nodes.
const MAX_AUTO_NODES: usize = 1024;
/// With `#pragma unroll`, up to this many nodes.
const MAX_PRAGMA_NODES: usize = 4096;
/// A loop beyond these limits is unrolled by this factor…
const AUTO_FACTOR: usize = 4;
/// … if an iteration has at most this many nodes.
const MAX_AUTO_FACTOR_NODES: usize = 64;
/// Nodes of a kernel beyond which nothing is unrolled.
const MAX_KERNEL_NODES: usize = 200_000;

/// Unrolls loops; returns whether there were any. The `first` time, counters that nothing reads afterwards are
/// removed with their loops.
pub(crate) fn unroll(kernel: &mut Kernel, ssa: &mut RegSet, first: bool) -> bool {
    let next_label = label_count(&kernel.body);
    let budget = MAX_KERNEL_NODES.saturating_sub(node_count(&kernel.body));
    let mut unroller = Unroller {
        use_loops: first.then(|| UseLoops::of(kernel, next_label)),
        constants: vec![None; kernel.registers.len()],
        registers: &mut kernel.registers,
        ssa,
        next_label,
        budget,
        map: RegMap::default(),
        trail: Vec::new(),
        elided: 0,
        dead_counters: RegSet::default(),
        changed: false,
    };
    unroller.region(&mut kernel.body);
    unroller.changed
}

/// Whether there is a loop that may be unrolled.
pub(crate) fn has_candidates(region: &[Node]) -> bool {
    region.iter().any(|node| {
        matches!(node, Node::Loop { unroll, .. } if *unroll != Some(UnrollHint::Factor(1)))
            || node.regions().any(|region| has_candidates(region))
    })
}

struct Unroller<'k> {
    registers: &'k mut Vec<Register>,
    ssa: &'k mut RegSet,
    /// `None` where little is left to unroll; all counters are then written.
    use_loops: Option<UseLoops>,
    next_label: u32,
    /// Nodes that may still be added.
    budget: usize,
    map: RegMap,
    /// For each register, the constant that it is known to hold; a new register has no entry.
    constants: Vec<Option<Constant>>,
    /// The registers whose entry in `constants` has changed, oldest first.
    trail: Vec<Reg>,
    /// Nodes that clones would have without folding. All limits apply to the sizes without folding.
    elided: usize,
    /// Counters of fully unrolled loops that nothing reads any more.
    dead_counters: RegSet,
    changed: bool,
}

impl Unroller<'_> {
    fn region(&mut self, nodes: &mut Region) {
        let mut replacements: Vec<(usize, Region)> = Vec::new();
        for (position, node) in nodes.iter_mut().enumerate() {
            match node {
                Node::Inst(inst) => self.propagate_constant(&inst.kind),
                Node::Loop { header, body, step, .. } => {
                    let before = self.take_constants([header, body, step]);
                    let elided = self.elided;
                    for region in [header, body, step] {
                        self.inner_region(region);
                    }
                    let unrolled = self.unrolled(&before, node, elided);
                    replacements.extend(unrolled.map(|region| (position, region)));
                }
                Node::If { .. } | Node::Scope { .. } | Node::Break(_) | Node::Continue(_) | Node::Return => {
                    node.regions_mut().for_each(|region| self.inner_region(region));
                }
            }
        }
        if !replacements.is_empty() {
            self.changed = true;
            self.remove_dead_counters(nodes, &mut replacements);
            replace_nodes(nodes, replacements);
        }
    }

    /// Removes the initialisation of counters that nothing reads any more.
    fn remove_dead_counters(&mut self, nodes: &[Node], replacements: &mut Vec<(usize, Region)>) {
        if self.dead_counters.is_empty() {
            return;
        }
        let loops = replacements.len();
        for (position, node) in nodes.iter().enumerate() {
            if let Node::Inst(Inst { kind: InstKind::Copy { dst, src: Operand::Const(_) }, .. }) = node
                && self.dead_counters.contains(*dst)
            {
                replacements.push((position, Region::new()));
            }
        }
        self.elided += replacements.len() - loops;
        replacements.sort_by_key(|(position, _)| *position);
    }

    /// A region that may run any number of times: nothing is known afterwards of the registers that it writes.
    fn inner_region(&mut self, nodes: &mut Region) {
        let before = self.trail.len();
        self.region(nodes);
        for reg in self.trail.drain(before..) {
            self.constants[reg.index()] = None;
        }
    }

    fn propagate_constant(&mut self, kind: &InstKind) {
        let value = match kind {
            InstKind::Copy { src: Operand::Const(constant), .. } => Some(*constant),
            _ => None,
        };
        kind.for_each_def(|dst| {
            self.constants[dst.index()] = value;
            self.trail.push(*dst);
        });
    }

    /// The registers that a loop writes and that hold a constant before it. Inside it they are not known any more.
    fn take_constants(&mut self, regions: [&Region; 3]) -> Vec<(Reg, Constant)> {
        let mut taken = Vec::new();
        for region in regions {
            for_each_inst(region, &mut |inst| {
                inst.kind.for_each_def(|dst| {
                    if let Some(constant) = self.constants[dst.index()].take() {
                        taken.push((*dst, constant));
                        self.trail.push(*dst);
                    }
                });
            });
        }
        taken
    }

    /// What replaces a loop, if it is to be unrolled. `before` has registers with known values before the loop, and
    /// `elided` is the number of nodes that had been elided there.
    fn unrolled(&mut self, before: &[(Reg, Constant)], node: &Node, elided: usize) -> Option<Region> {
        let Node::Loop { label, header, condition, body, step, unroll, location } = node else { return None };
        if *unroll == Some(UnrollHint::Factor(1)) {
            return None;
        }
        let summary = LoopSummary::of(*label, [header, body, step]);
        let info = LoopInfo { label: *label, header, body, step, elided: self.elided - elided, summary };
        let trips = match condition {
            Some(Operand::Reg(condition)) => tested_in_header(before, &info, *condition),
            Some(Operand::Const(_)) => return None,
            // `do … while`: the clones keep their tests, which constants then decide.
            None => Some(tested_in_step(before, &info)?),
        };
        let Some(trips) = trips else {
            let mut out = self.runtime_unrolled(&info, *unroll, *location)?;
            out.push(never_unrolled(node.clone()));
            return Some(out);
        };
        let size = trips.count.checked_mul(info.iteration_size())?;
        if is_small(*unroll, trips.count, size) {
            return (size <= self.budget).then(|| self.fully_unrolled(&info, &trips, condition.is_some()));
        }
        // A `do … while` is unrolled fully or not at all.
        if condition.is_none() {
            return None;
        }
        self.unrolled_by_factor(&info, &trips, node)
    }

    fn cloner(&mut self, jumps: Vec<(Node, Node)>) -> Cloner<'_> {
        Cloner { map: &mut self.map, jumps, next_label: &mut self.next_label, folding: None }
    }

    fn new_label(&mut self) -> Label {
        self.next_label += 1;
        Label(self.next_label - 1)
    }
}

/// A loop with the mark that it is not to be unrolled.
fn never_unrolled(mut node: Node) -> Node {
    if let Node::Loop { unroll, .. } = &mut node {
        *unroll = Some(UnrollHint::Factor(1));
    }
    node
}

/// Whether a loop is within the limits of full unrolling.
fn is_small(unroll: Option<UnrollHint>, trips: usize, size: usize) -> bool {
    match unroll {
        None => trips <= MAX_AUTO_TRIPS && size <= MAX_AUTO_NODES,
        Some(UnrollHint::Full) => size <= MAX_PRAGMA_NODES,
        Some(UnrollHint::Factor(factor)) => trips <= factor as usize && size <= MAX_PRAGMA_NODES,
    }
}
