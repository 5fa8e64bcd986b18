//! What optimising costs, found out before each pass: a pass that would take too long does not begin.
//!
//! A pass visits each node, and what is in loops again for each loop around it. Where control flow splits, it copies and joins sets of
//! registers. A kernel of a few hundred kilobytes can have very much of both, and nothing here looks at a clock.

use simt_ir::{Kernel, Location, Node};

/// Registers whose sets are copied and joined in the time that a node takes.
const REGISTERS_PER_NODE: u64 = 400;

/// Optimising would take more steps than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuchWork {
    /// The loop with most of the work, or the kernel if it has none.
    pub location: Location,
}

/// The steps that optimising may take, and those that it has taken.
pub(crate) struct Work {
    limit: u64,
    spent: u64,
    stopped: Option<TooMuchWork>,
}

impl Work {
    pub(crate) fn within(limit: u64) -> Work {
        Work { limit, spent: 0, stopped: None }
    }

    /// Charges one pass over a kernel; whether it may run.
    pub(crate) fn charge(&mut self, kernel: &Kernel) -> bool {
        if self.stopped.is_some() {
            return false;
        }
        let splits = 1 + kernel.registers.len() as u64 / REGISTERS_PER_NODE;
        let (mut steps, mut largest) = (0, (0, kernel.location));
        for node in &kernel.body {
            let inside = steps_of(node, 1, splits);
            steps += inside;
            if let Node::Loop { location, .. } = node
                && inside > largest.0
            {
                largest = (inside, *location);
            }
        }
        self.spent += steps;
        if self.spent > self.limit {
            self.stopped = Some(TooMuchWork { location: largest.1 });
        }
        self.stopped.is_none()
    }

    /// The steps that were taken.
    pub(crate) fn finish(self) -> Result<u64, TooMuchWork> {
        self.stopped.map_or(Ok(self.spent), Err)
    }
}

/// The steps for a node, which is visited so many times.
fn steps_of(node: &Node, visits: u64, splits: u64) -> u64 {
    let (here, inside) = match node {
        Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => return visits,
        Node::If { .. } | Node::Scope { .. } => (visits + splits, visits),
        Node::Loop { .. } => (visits + splits, visits + 1),
    };
    here + node.regions().flatten().map(|node| steps_of(node, inside, splits)).sum::<u64>()
}
