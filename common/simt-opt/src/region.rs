//! Queries and edits of regions that several passes need.

use simt_ir::{Node, Region, for_each_node};

/// Calls `f` with each node of a region, outer before inner, in textual order.
pub(crate) fn for_each_node_mut(region: &mut Region, f: &mut impl FnMut(&mut Node)) {
    for node in region {
        f(node);
        if !matches!(node, Node::Inst(_)) {
            node.regions_mut().for_each(|inner| for_each_node_mut(inner, f));
        }
    }
}

/// The number of nodes of a region, inner ones included.
pub(crate) fn node_count(region: &[Node]) -> usize {
    let mut count = 0;
    for_each_node(region, &mut |_| count += 1);
    count
}

/// Whether a region contains any jump, even one that stays inside.
pub(crate) fn has_jumps(region: &[Node]) -> bool {
    let mut found = false;
    for_each_node(region, &mut |node| found |= node.is_jump());
    found
}

/// Replaces single nodes by regions. `replacements` are in order of position.
pub(crate) fn replace_nodes(nodes: &mut Region, replacements: Vec<(usize, Region)>) {
    let added: usize = replacements.iter().map(|(_, region)| region.len()).sum();
    let mut replacements = replacements.into_iter().peekable();
    if added == 0 {
        if replacements.peek().is_some() {
            let mut position = 0..;
            nodes.retain(|_| {
                let position = position.next();
                replacements.next_if(|(at, _)| Some(*at) == position).is_none()
            });
        }
        return;
    }
    let old = std::mem::replace(nodes, Vec::with_capacity(nodes.len() + added));
    for (position, node) in old.into_iter().enumerate() {
        match replacements.next_if(|(at, _)| *at == position) {
            Some((_, mut region)) => nodes.append(&mut region),
            None => nodes.push(node),
        }
    }
}
