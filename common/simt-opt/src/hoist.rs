//! Moves pure instructions out of loops that do not change their operands, and the kernel's parameters, built-in
//! values and addresses of objects to its entry, where all later uses share them.

use crate::registers::{BitSet, block_defs, for_each_node, only_def, own_uses};
use simt_ir::{InstKind, Kernel, Node, Reg, Region};
use std::slice::from_ref;

/// Moves what depends on nothing to the entry; `None` if all is there, else whether there are equal ones now, to be merged.
pub(crate) fn to_entry(kernel: &mut Kernel, single: &BitSet) -> Option<bool> {
    let there = kernel.body.iter().take_while(|node| is_free(node, single)).count();
    let mut all = 0;
    let mut kinds: Vec<InstKind> = Vec::new();
    let mut twice = false;
    for_each_node(&kernel.body, &mut |node| {
        if let Node::Inst(inst) = node
            && inst.kind.is_invariant()
        {
            all += usize::from(is_free(node, single));
            if !twice {
                let mut kind = inst.kind.clone();
                kind.for_each_def_mut(|dst| *dst = Reg(0));
                twice = kinds.contains(&kind);
                kinds.push(kind);
            }
        }
    });
    if all == there {
        return None;
    }
    let mut entry = Region::new();
    let body = std::mem::take(&mut kernel.body);
    let rest = take(body, single, &mut entry);
    entry.extend(rest);
    kernel.body = entry;
    Some(twice)
}

/// Whether a node computes, once, what the kernel has throughout.
fn is_free(node: &Node, single: &BitSet) -> bool {
    let Node::Inst(inst) = node else { return false };
    inst.kind.is_invariant() && only_def(&inst.kind).is_some_and(|dst| single.contains(dst))
}

fn take(nodes: Region, single: &BitSet, entry: &mut Region) -> Region {
    let mut out = Vec::with_capacity(nodes.len());
    for mut node in nodes {
        match &mut node {
            Node::Inst(_) => {
                if is_free(&node, single) {
                    entry.push(node);
                    continue;
                }
            }
            Node::If { then, otherwise, .. } => {
                *then = take(std::mem::take(then), single, entry);
                *otherwise = take(std::mem::take(otherwise), single, entry);
            }
            Node::Loop { header, body, step, .. } => {
                *header = take(std::mem::take(header), single, entry);
                *body = take(std::mem::take(body), single, entry);
                *step = take(std::mem::take(step), single, entry);
            }
            Node::Scope { body, .. } => *body = take(std::mem::take(body), single, entry),
            Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
        out.push(node);
    }
    out
}

/// Moves invariants before their loops, inner loops first, so that they go out as far as they can; says whether
/// there were any.
pub(crate) fn out_of_loops(kernel: &mut Kernel, single: &BitSet) -> bool {
    block(&mut kernel.body, single)
}

fn block(nodes: &mut Region, single: &BitSet) -> bool {
    // What goes before which node.
    let mut moved: Vec<(usize, Region)> = Vec::new();
    let mut within = false;
    for (place, node) in nodes.iter_mut().enumerate() {
        let mut defs = BitSet::default();
        if matches!(node, Node::Loop { .. }) {
            block_defs(from_ref(node), &mut defs);
        }
        match node {
            Node::If { then, otherwise, .. } => {
                within |= block(then, single);
                within |= block(otherwise, single);
            }
            Node::Scope { body, .. } => within |= block(body, single),
            Node::Loop { header, body, step, .. } => {
                let mut before = Region::new();
                for part in [header, body, step] {
                    within |= block(part, single);
                    before.extend(part.extract_if(.., |node| {
                        let invariant = is_invariant(node, single, &defs);
                        if invariant && let Node::Inst(inst) = node {
                            inst.kind.for_each_def(|dst| defs.remove(*dst));
                        }
                        invariant
                    }));
                }
                if !before.is_empty() {
                    moved.push((place, before));
                }
            }
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
    let any = !moved.is_empty();
    for (place, before) in moved.into_iter().rev() {
        nodes.splice(place..place, before);
    }
    within || any
}

/// Whether an instruction at the top of a loop computes the same in each iteration; `defs`: what the loop writes.
fn is_invariant(node: &Node, single: &BitSet, defs: &BitSet) -> bool {
    let Node::Inst(inst) = node else { return false };
    let mut invariant = inst.kind.is_pure() && only_def(&inst.kind).is_some_and(|dst| single.contains(dst));
    own_uses(node, |reg| invariant &= !defs.contains(reg));
    invariant
}
