//! Copy coalescing: `t = a + b; v = t` becomes `v = a + b` (Chaitin et al., *Register allocation via coloring*, 1981).
//!
//! The copy must be the only use of `t`, and nothing between the two instructions may read or write `v`, or jump to
//! where its old value might be read. Both must be in one region, at most [`MAX_DISTANCE`] nodes apart.

use crate::def_use::{add_region_defs, add_region_uses, use_counts};
use crate::reg_set::RegSet;
use crate::region::has_jumps;
use simt_ir::{InstKind, Kernel, Node, Operand, Reg, Region};
use std::slice::from_ref;

/// How many nodes before its copy a value may be computed. Bounds the search in long regions.
const MAX_DISTANCE: usize = 32;

/// Coalesces copies; returns whether there were any.
pub(crate) fn coalesce_copies(kernel: &mut Kernel, ssa: &RegSet) -> bool {
    let counts = use_counts(kernel);
    coalesce_in_region(&mut kernel.body, &|reg| ssa.contains(reg) && counts[reg.index()] == 1)
}

fn coalesce_in_region(nodes: &mut Region, has_one_use: &dyn Fn(Reg) -> bool) -> bool {
    let (mut changed, mut changed_inside) = (false, false);
    for position in 0..nodes.len() {
        let (before, rest) = nodes.split_at_mut(position);
        let node = &mut rest[0];
        node.regions_mut().for_each(|region| changed_inside |= coalesce_in_region(region, has_one_use));
        if let Node::Inst(copy) = node
            && let InstKind::Copy { dst, src: Operand::Reg(src) } = copy.kind
            && has_one_use(src)
            && let Some(def) = find_def(before, src, dst)
            && let Node::Inst(def) = &mut before[def]
        {
            def.kind.for_each_def_mut(|def| {
                if *def == src {
                    *def = dst;
                }
            });
            // A copy to itself now, which is removed below.
            copy.kind = InstKind::Copy { dst, src: dst.into() };
            changed = true;
        }
    }
    if changed {
        nodes.retain(|node| !is_self_copy(node));
    }
    changed || changed_inside
}

fn is_self_copy(node: &Node) -> bool {
    match node {
        Node::Inst(inst) => matches!(inst.kind, InstKind::Copy { dst, src: Operand::Reg(src) } if dst == src),
        _ => false,
    }
}

/// The position in `before` of the definition of `src`, if it may define `dst` instead.
fn find_def(before: &[Node], src: Reg, dst: Reg) -> Option<usize> {
    for position in (before.len().saturating_sub(MAX_DISTANCE)..before.len()).rev() {
        let node = &before[position];
        if let Node::Inst(inst) = node {
            let (mut writes_src, mut writes_dst, mut reads_dst) = (false, false, false);
            inst.kind.for_each_def(|def| {
                writes_src |= *def == src;
                writes_dst |= *def == dst;
            });
            if writes_src {
                // Two results of one instruction must not go to the same register.
                return (!writes_dst).then_some(position);
            }
            inst.kind.for_each_use(|operand| reads_dst |= *operand == Operand::Reg(dst));
            if writes_dst || reads_dst {
                return None;
            }
        } else {
            let mut accessed = RegSet::default();
            add_region_defs(from_ref(node), &mut accessed);
            add_region_uses(from_ref(node), &mut accessed);
            // A jump may lead to where the old value of `dst` is read.
            if accessed.contains(dst) || has_jumps(from_ref(node)) {
                return None;
            }
        }
    }
    None
}
