//! A loop as unrolling sees it: its regions, and a summary of what they contain.

use simt_ir::{Label, Node, Region, for_each_node};

/// A loop's regions.
pub(super) struct LoopInfo<'n> {
    pub(super) label: Label,
    pub(super) header: &'n Region,
    pub(super) body: &'n Region,
    pub(super) step: &'n Region,
    /// Nodes that inner loops would have, had nothing been folded when they were unrolled.
    pub(super) elided: usize,
    pub(super) summary: LoopSummary,
}

/// What a loop's regions contain.
#[derive(Clone, Copy, Default)]
pub(super) struct LoopSummary {
    pub(super) nodes: usize,
    /// Whether there is a `Break` or `Continue` of the loop itself.
    pub(super) breaks: bool,
    pub(super) continues: bool,
    /// Whether there is any jump.
    pub(super) jumps: bool,
    pub(super) has_loops: bool,
}

impl LoopInfo<'_> {
    /// Nodes of one iteration, without folding.
    pub(super) fn iteration_size(&self) -> usize {
        1 + self.summary.nodes + self.elided
    }
}

impl LoopSummary {
    pub(super) fn of(label: Label, regions: [&[Node]; 3]) -> LoopSummary {
        let mut summary = LoopSummary::default();
        for region in regions {
            for_each_node(region, &mut |node| {
                summary.nodes += 1;
                summary.jumps |= node.is_jump();
                match node {
                    Node::Loop { .. } => summary.has_loops = true,
                    Node::Break(to) => summary.breaks |= *to == label,
                    Node::Continue(to) => summary.continues |= *to == label,
                    Node::Inst(_) | Node::If { .. } | Node::Scope { .. } | Node::Return => {}
                }
            });
        }
        summary
    }
}
