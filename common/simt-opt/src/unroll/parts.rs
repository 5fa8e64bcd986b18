//! A loop as unrolling sees it: its regions, and what is known of them.

use simt_ir::{Label, Region};

/// A trip count above this is taken for unknown.
pub(super) const MAX_TRIPS: usize = 1 << 16;

/// The parts of a loop.
pub(super) struct Parts<'n> {
    pub(super) label: Label,
    pub(super) header: &'n Region,
    pub(super) body: &'n Region,
    pub(super) step: &'n Region,
    /// Nodes that loops inside would have, had they been copied as a whole.
    pub(super) elided: usize,
    pub(super) facts: Facts,
}

/// What is known of a loop's parts.
#[derive(Clone, Copy, Default)]
pub(super) struct Facts {
    pub(super) nodes: usize,
    /// Whether there is a `Break` or `Continue` of the loop.
    pub(super) breaks: bool,
    pub(super) continues: bool,
    /// Whether there is any jump at all, or `Return`.
    pub(super) jumps: bool,
    pub(super) has_loops: bool,
}
