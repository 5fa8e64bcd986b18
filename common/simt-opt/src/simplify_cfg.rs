//! Simplification of control flow: early exits become nested conditionals, so that unrolled and inlined code needs
//! no scopes for them.
//!
//! * `if (c) continue; rest` becomes `if (c) {} else { rest }`.
//! * A jump to where control goes anyway is removed, and so is unreachable code after a jump (Muchnick, *Advanced
//!   Compiler Design and Implementation*, 18.1 to 18.3).
//!
//! `return` of a kernel stays: at a barrier, a thread that has ended differs from one that waits.

use simt_ir::{Kernel, Node, Region};

/// The depth to which conditionals may be nested by this pass; code with more early exits keeps its jumps.
const MAX_DEPTH: usize = 32;

/// Simplifies the control flow of a kernel.
pub(crate) fn simplify_cfg(kernel: &mut Kernel) {
    simplify_region(&mut kernel.body, &[], 0);
}

/// `fallthrough` has the jumps that, at the end of the region, go where control goes anyway.
fn simplify_region(nodes: &mut Region, fallthrough: &[Node], depth: usize) {
    if let Some(end) = nodes.iter().position(Node::is_jump) {
        nodes.truncate(end + 1);
    }
    if depth < MAX_DEPTH {
        nest_early_exit(nodes, fallthrough);
    }
    while nodes.last().is_some_and(|last| fallthrough.contains(last)) {
        nodes.pop();
    }
    let count = nodes.len();
    for (position, node) in nodes.iter_mut().enumerate() {
        let fallthrough = if position + 1 == count { fallthrough } else { &[] };
        match node {
            Node::If { then, otherwise, .. } => {
                simplify_region(then, fallthrough, depth + 1);
                simplify_region(otherwise, fallthrough, depth + 1);
            }
            Node::Loop { label, header, body, step, .. } => {
                simplify_region(header, &[], 0);
                simplify_region(body, &[Node::Continue(*label)], 0);
                simplify_region(step, &[], 0);
            }
            Node::Scope { label, body } => {
                let mut inner = fallthrough.to_vec();
                inner.push(Node::Break(*label));
                simplify_region(body, &inner, 0);
            }
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
}

/// Finds the first conditional with a side that ends in a jump of `fallthrough`, and moves what follows it into the
/// other side.
fn nest_early_exit(nodes: &mut Region, fallthrough: &[Node]) {
    let exits = |side: &Region| side.last().is_some_and(|last| fallthrough.contains(last));
    let found = nodes.iter().position(|node| match node {
        Node::If { then, otherwise, .. } => exits(then) || exits(otherwise),
        _ => false,
    });
    let Some(position) = found.filter(|position| position + 1 < nodes.len()) else { return };
    let rest = nodes.split_off(position + 1);
    if let Some(Node::If { then, otherwise, .. }) = nodes.last_mut() {
        // A side that exits takes nothing of the rest; if both do, the rest is unreachable.
        let other = if exits(then) { otherwise } else { then };
        if !other.last().is_some_and(Node::is_jump) {
            other.extend(rest);
        }
    }
}
