//! Moves pure instructions out of loops that do not change their operands, and the kernel's parameters, built-in
//! values and addresses of objects to its entry, where all later uses share them.

use crate::registers::{BitSet, block_defs, is_pure, only_def, own_uses, single_assignment};
use simt_ir::{Block, InstKind, Kernel, Node};
use std::slice::from_ref;

/// Moves what depends on nothing to the entry.
pub(crate) fn to_entry(kernel: &mut Kernel) {
    let single = single_assignment(kernel);
    let mut entry = Block::new();
    let body = std::mem::take(&mut kernel.body);
    let rest = take(body, &single, &mut entry);
    entry.extend(rest);
    kernel.body = entry;
}

fn take(nodes: Block, single: &BitSet, entry: &mut Block) -> Block {
    let mut out = Vec::with_capacity(nodes.len());
    for mut node in nodes {
        match &mut node {
            Node::Inst(inst) => {
                let free = matches!(
                    inst.kind,
                    InstKind::Param { .. } | InstKind::AddressOf { .. } | InstKind::Special { .. }
                );
                if free && is_pure(&inst.kind) && only_def(&inst.kind).is_some_and(|dst| single.contains(dst))
                {
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

/// Moves invariants before their loops, inner loops first, so that they go out as far as they can.
pub(crate) fn out_of_loops(kernel: &mut Kernel) {
    let single = single_assignment(kernel);
    let body = std::mem::take(&mut kernel.body);
    kernel.body = block(body, &single);
}

fn block(nodes: Block, single: &BitSet) -> Block {
    let mut out = Vec::with_capacity(nodes.len());
    for mut node in nodes {
        let mut defs = BitSet::default();
        if matches!(node, Node::Loop { .. }) {
            block_defs(from_ref(&node), &mut defs);
        }
        match &mut node {
            Node::If { then, otherwise, .. } => {
                *then = block(std::mem::take(then), single);
                *otherwise = block(std::mem::take(otherwise), single);
            }
            Node::Scope { body, .. } => *body = block(std::mem::take(body), single),
            Node::Loop { header, body, step, .. } => {
                for part in [header, body, step] {
                    *part = block(std::mem::take(part), single);
                    part.retain(|node| {
                        let invariant = is_invariant(node, single, &defs);
                        if invariant {
                            if let Node::Inst(inst) = node {
                                inst.kind.for_each_def(|dst| defs.remove(*dst));
                            }
                            out.push(node.clone());
                        }
                        !invariant
                    });
                }
            }
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
        out.push(node);
    }
    out
}

/// Whether an instruction at the top of a loop computes the same in each iteration; `defs`: what the loop writes.
fn is_invariant(node: &Node, single: &BitSet, defs: &BitSet) -> bool {
    let Node::Inst(inst) = node else { return false };
    let mut invariant = is_pure(&inst.kind) && only_def(&inst.kind).is_some_and(|dst| single.contains(dst));
    own_uses(node, |reg| invariant &= !defs.contains(reg));
    invariant
}
