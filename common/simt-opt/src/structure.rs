//! Early exits to nested choices: `if (c) continue; rest` becomes `if (c) {} else { rest }`, a jump to where control
//! goes anyway disappears, and so does code behind a jump. Unrolling and inlining then need no scopes for them.
//!
//! `return` of a kernel stays: a thread that has ended and one that waits differ at a barrier.

use simt_ir::{Kernel, Node, Region};

/// How deep choices may be nested by this pass; code with more early exits keeps its jumps.
const MAX_DEPTH: usize = 32;

pub(crate) fn tidy(kernel: &mut Kernel) {
    block(&mut kernel.body, &[], 0);
}

/// `tail` has the jumps that, at the end of the block, go where control goes anyway.
fn block(nodes: &mut Region, tail: &[Node], depth: usize) {
    if let Some(end) = nodes.iter().position(is_jump) {
        nodes.truncate(end + 1);
    }
    if depth < MAX_DEPTH {
        nest_early_exit(nodes, tail);
    }
    while nodes.last().is_some_and(|last| tail.contains(last)) {
        nodes.pop();
    }
    let count = nodes.len();
    for (position, node) in nodes.iter_mut().enumerate() {
        let tail = if position + 1 == count { tail } else { &[] };
        match node {
            Node::If { then, otherwise, .. } => {
                block(then, tail, depth + 1);
                block(otherwise, tail, depth + 1);
            }
            Node::Loop { label, header, body, step, .. } => {
                block(header, &[], 0);
                block(body, &[Node::Continue(*label)], 0);
                block(step, &[], 0);
            }
            Node::Scope { label, body } => {
                let mut inner = tail.to_vec();
                inner.push(Node::Break(*label));
                block(body, &inner, 0);
            }
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
}

/// Finds the first choice with a side that ends in a jump of `tail`, and moves what follows it into the other side.
fn nest_early_exit(nodes: &mut Region, tail: &[Node]) {
    let leaves = |side: &Region| side.last().is_some_and(|last| tail.contains(last));
    let found = nodes.iter().position(|node| match node {
        Node::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        _ => false,
    });
    let Some(position) = found.filter(|position| position + 1 < nodes.len()) else { return };
    let rest = nodes.split_off(position + 1);
    if let Some(Node::If { then, otherwise, .. }) = nodes.last_mut() {
        // A side that leaves takes nothing of the rest; if both do, the rest is never reached.
        if leaves(then) {
            if !otherwise.last().is_some_and(is_jump) {
                otherwise.extend(rest);
            }
        } else if !then.last().is_some_and(is_jump) {
            then.extend(rest);
        }
    }
}

fn is_jump(node: &Node) -> bool {
    matches!(node, Node::Break(_) | Node::Continue(_) | Node::Return)
}
