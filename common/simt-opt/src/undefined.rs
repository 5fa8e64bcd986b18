//! Removes [`InstKind::Undefined`] where every use of its register comes after an assignment, as in nearly all programs:
//! `float v; if (c) v = a; else v = b;`. What is left would cost a register its one definition, and has to be followed when the
//! program runs.
//!
//! A forward data-flow analysis ([`ForwardFlow`]) of which of these registers may hold nothing where they are read. Loops that are
//! nested too deeply for it keep theirs.

use crate::def_use::for_each_reg_use;
use crate::reg_set::RegSet;
use simt_ir::{ForwardFlow, Inst, InstKind, Kernel, Node, Region, for_each_inst};

/// Walks over the body, at most.
const MAX_WALKS: usize = 8;

/// Removes what no use may see; returns whether there was any.
pub(crate) fn remove_unseen(kernel: &mut Kernel) -> bool {
    let mut declared = RegSet::default();
    for_each_inst(&kernel.body, &mut |inst| {
        if let InstKind::Undefined { dst, .. } = inst.kind {
            declared.insert(dst);
        }
    });
    if declared.is_empty() {
        return false;
    }
    let mut flow = ForwardFlow::default();
    let mut seen = RegSet::default();
    let grows =
        (0..MAX_WALKS).all(|_| flow.walk(&kernel.body, |node, unset| transfer(node, unset, &mut seen)));
    if grows {
        return false;
    }
    declared.subtract(&seen);
    if declared.is_empty() {
        return false;
    }
    remove(&mut kernel.body, &declared);
    true
}

fn remove(region: &mut Region, registers: &RegSet) {
    region.retain_mut(|node| {
        node.regions_mut().for_each(|region| remove(region, registers));
        !matches!(node, Node::Inst(Inst { kind: InstKind::Undefined { dst, .. }, .. }) if registers.contains(*dst))
    });
}

/// Notes which of the registers that may hold nothing a node reads, and takes in which it writes.
fn transfer(node: &Node, unset: &mut RegSet, seen: &mut RegSet) {
    for_each_reg_use(node, |reg| {
        if unset.contains(reg) {
            seen.insert(reg);
        }
    });
    if let Node::Inst(Inst { kind, .. }) = node {
        match kind {
            InstKind::Undefined { dst, .. } => unset.insert(*dst),
            kind => kind.for_each_def(|dst| unset.remove(*dst)),
        }
    }
}
