//! Which reads a thread polls with: strong ones on whose value it depends whether a loop ends.
//!
//! A backward slice (Weiser, ICSE 1981) of the conditions under which each loop ends, over registers, without regard to the order of
//! instructions. Of a function that is called in a loop, and whose result such a condition depends on, all strong reads count. Values that go through
//! memory are not followed.

use crate::{
    AccessOrder, FunctionIndex, InstKind, Kernel, Location, Node, Operand, Reg, for_each_inst, for_each_node,
};
use std::collections::BTreeSet;

/// The positions of a kernel's reads with which a thread polls.
pub fn polling_reads(kernel: &Kernel) -> BTreeSet<Location> {
    let mut found = BTreeSet::new();
    for body in kernel.bodies() {
        for_each_node(body, &mut |node| {
            if let Node::Loop { header, body, step, .. } = node {
                slice(kernel, node, [header, body, step], &mut found);
            }
        });
    }
    found
}

/// Adds the reads of one loop.
fn slice(kernel: &Kernel, node: &Node, regions: [&Vec<Node>; 3], found: &mut BTreeSet<Location>) {
    let mut needed: BTreeSet<Reg> = BTreeSet::new();
    let mut need = |condition: &Operand| {
        if let Operand::Reg(reg) = condition {
            needed.insert(*reg);
        }
    };
    if let Node::Loop { condition: Some(condition), .. } = node {
        need(condition);
    }
    for region in regions {
        for_each_node(region, &mut |inner| {
            if let Node::If { condition, then, otherwise, .. } = inner
                && [then, otherwise].into_iter().any(|branch| leaves(branch))
            {
                need(condition);
            }
        });
    }
    let mut called: BTreeSet<FunctionIndex> = BTreeSet::new();
    loop {
        let before = needed.len();
        for region in regions {
            for_each_inst(region, &mut |inst| {
                let mut is_needed = false;
                inst.kind.for_each_def(|dst| is_needed |= needed.contains(dst));
                if !is_needed {
                    return;
                }
                inst.kind.for_each_use(|operand| {
                    if let Operand::Reg(reg) = operand {
                        needed.insert(*reg);
                    }
                });
                if let InstKind::Call { function, .. } = &inst.kind {
                    called.insert(*function);
                }
                if is_strong_read(&inst.kind) {
                    found.insert(inst.location);
                }
            });
        }
        if needed.len() == before {
            break;
        }
    }
    for function in called {
        let Some(function) = kernel.functions.get(function.index()) else { continue };
        for_each_inst(&function.body, &mut |inst| {
            if is_strong_read(&inst.kind) {
                found.insert(inst.location);
            }
        });
    }
}

/// Whether control may leave a loop from here.
fn leaves(region: &[Node]) -> bool {
    let mut found = false;
    for_each_node(region, &mut |node| found |= matches!(node, Node::Break(_) | Node::Return));
    found
}

fn is_strong_read(kind: &InstKind) -> bool {
    match kind {
        InstKind::Load { order, .. } => *order != AccessOrder::Weak,
        InstKind::Atomic { .. } => true,
        _ => false,
    }
}
