//! `t = a + b; v = t` becomes `v = a + b`, if nothing else reads `t` and nothing between looks at `v`.

use crate::registers::{BitSet, block_defs, block_uses, has_jumps, use_counts};
use simt_ir::{InstKind, Kernel, Node, Operand, Reg, Region};
use std::slice::from_ref;

/// How far before its copy a value may be computed; bounds the search in long blocks.
const WINDOW: usize = 32;

/// Sinks what can be; says whether anything was.
pub(crate) fn sink_copies(kernel: &mut Kernel, single: &BitSet) -> bool {
    let counts = use_counts(kernel);
    block(&mut kernel.body, &|reg| single.contains(reg) && counts[reg.0 as usize] == 1)
}

fn block(nodes: &mut Region, only_copied: &dyn Fn(Reg) -> bool) -> bool {
    let (mut removed, mut within) = (false, false);
    for position in 0..nodes.len() {
        match &mut nodes[position] {
            Node::Inst(inst) => {
                if let InstKind::Copy { dst, src: Operand::Reg(src) } = inst.kind
                    && only_copied(src)
                    && let Some(origin) = origin(&nodes[..position], src, dst)
                    && let Node::Inst(origin) = &mut nodes[origin]
                {
                    origin.kind.for_each_def_mut(|def| {
                        if *def == src {
                            *def = dst;
                        }
                    });
                    // The copy is a copy of itself now, which the sweep below takes out.
                    if let Node::Inst(inst) = &mut nodes[position] {
                        inst.kind = InstKind::Copy { dst, src: dst.into() };
                    }
                    removed = true;
                }
            }
            Node::If { then, otherwise, .. } => {
                within |= block(then, only_copied);
                within |= block(otherwise, only_copied);
            }
            Node::Loop { header, body, step, .. } => {
                within |= block(header, only_copied);
                within |= block(body, only_copied);
                within |= block(step, only_copied);
            }
            Node::Scope { body, .. } => within |= block(body, only_copied),
            Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
    if removed {
        nodes.retain(|node| !is_self_copy(node));
    }
    removed || within
}

fn is_self_copy(node: &Node) -> bool {
    match node {
        Node::Inst(inst) => matches!(inst.kind, InstKind::Copy { dst, src: Operand::Reg(src) } if dst == src),
        _ => false,
    }
}

/// Where in `before` `src` is written, if `dst` may be written there instead.
fn origin(before: &[Node], src: Reg, dst: Reg) -> Option<usize> {
    for position in (before.len().saturating_sub(WINDOW)..before.len()).rev() {
        let node = &before[position];
        if let Node::Inst(inst) = node {
            let (mut writes_src, mut writes_dst, mut reads_dst) = (false, false, false);
            inst.kind.for_each_def(|def| {
                writes_src |= *def == src;
                writes_dst |= *def == dst;
            });
            if writes_src {
                // Another result of the same instruction may not go to the same register.
                return (!writes_dst).then_some(position);
            }
            inst.kind.for_each_use(|operand| reads_dst |= *operand == Operand::Reg(dst));
            if writes_dst || reads_dst {
                return None;
            }
        } else {
            let mut touched = BitSet::default();
            block_defs(from_ref(node), &mut touched);
            block_uses(from_ref(node), &mut touched);
            // A jump may lead to where the old value of `dst` is read.
            if touched.contains(dst) || has_jumps(from_ref(node)) {
                return None;
            }
        }
    }
    None
}
