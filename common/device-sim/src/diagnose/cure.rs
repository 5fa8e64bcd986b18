//! Which barrier is missing where two threads of a block race: found in the structure of the kernel, in which each loop is
//! followed through two turns.
//!
//! It knows nothing of who runs what: conditions and calls are read as if all threads ran them.

use simt_ir::{InstKind, Kernel, Location, Node, for_each_inst};

/// Nodes that are followed at most: nested loops are followed through two turns each.
const MAX_NODES: usize = 1 << 20;

/// Where a barrier is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Between the accesses: before this statement, which has the second one in it and not the first.
    Before(Location),
    /// At the end of a loop's body: one access is of a later turn. `has_other`: a barrier stands between the two otherwise.
    EndOfLoop { location: Option<Location>, has_other: bool },
    /// Nowhere that is known.
    Unknown,
}

/// Two accesses of a kernel, by their locations.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    /// The one that is earlier in the code.
    pub(super) first: Location,
    pub(super) second: Location,
    /// Whether both are on one line.
    pub(super) one_line: bool,
    /// Whether a barrier of a warp orders the threads.
    pub(super) one_warp: bool,
}

/// Whether an instruction there is in a node.
fn has(node: &Node, location: Location) -> bool {
    let mut found = false;
    for_each_inst(std::slice::from_ref(node), &mut |inst| found |= inst.location == location);
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    First,
    Second,
    Barrier,
}

impl Pair {
    /// Which barrier is missing between them.
    pub(super) fn missing(&self, kernel: &Kernel) -> Missing {
        let mut events = Vec::new();
        if self.follow(&kernel.body, &mut events, &mut 0).is_none() {
            return Missing::Unknown;
        }
        // Two accesses, the second after the first, without a barrier between.
        let meet = |one: Event, two: Event| {
            let mut seen = false;
            events.iter().any(|event| {
                let found = seen && *event == two;
                seen = *event == one || seen && *event != Event::Barrier;
                found
            })
        };
        let (first, second) =
            (Event::First, if self.first == self.second { Event::First } else { Event::Second });
        match (self.one_line, meet(first, second), meet(second, first)) {
            (false, true, _) => Missing::Before(self.outermost(&kernel.body).unwrap_or(self.second)),
            (one_line, _, true) => {
                let has_other = !one_line && events.contains(&Event::Barrier);
                Missing::EndOfLoop { location: self.innermost_loop(&kernel.body), has_other }
            }
            (_, _, false) => Missing::Unknown,
        }
    }

    /// The outermost statement that has the second access in it and not the first.
    fn outermost(&self, region: &[Node]) -> Option<Location> {
        let node = region.iter().find(|node| has(node, self.second))?;
        if has(node, self.first) {
            return node.regions().find_map(|region| self.outermost(region));
        }
        match node {
            Node::If { location, .. } | Node::Loop { location, .. } => Some(*location),
            Node::Scope { body, .. } => self.outermost(body),
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => Some(self.second),
        }
    }

    /// The innermost loop that has both accesses in it.
    fn innermost_loop(&self, region: &[Node]) -> Option<Location> {
        let node = region.iter().find(|node| has(node, self.first) && has(node, self.second))?;
        let inner = node.regions().find_map(|region| self.innermost_loop(region));
        match node {
            Node::Loop { location, .. } => inner.or(Some(*location)),
            _ => inner,
        }
    }

    /// The events of a region in order; nothing if there are too many.
    fn follow(&self, region: &[Node], events: &mut Vec<Event>, nodes: &mut usize) -> Option<()> {
        for node in region {
            *nodes += 1;
            if *nodes > MAX_NODES {
                return None;
            }
            match node {
                Node::Inst(inst) => {
                    events.extend((inst.location == self.first).then_some(Event::First));
                    let is_second = inst.location == self.second && self.second != self.first;
                    events.extend(is_second.then_some(Event::Second));
                    let is_barrier = match inst.kind {
                        InstKind::Barrier { .. } | InstKind::GridBarrier => true,
                        InstKind::WarpBarrier { .. } => self.one_warp,
                        _ => false,
                    };
                    events.extend(is_barrier.then_some(Event::Barrier));
                }
                Node::Loop { header, body, step, .. } => {
                    for _ in 0..2 {
                        for part in [header, body, step] {
                            self.follow(part, events, nodes)?;
                        }
                    }
                    self.follow(header, events, nodes)?;
                }
                Node::If { then, otherwise, .. } => {
                    self.follow(then, events, nodes)?;
                    self.follow(otherwise, events, nodes)?;
                }
                Node::Scope { body, .. } => self.follow(body, events, nodes)?,
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
        Some(())
    }
}
