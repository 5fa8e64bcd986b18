//! Which barrier is missing where two threads of a block race: found in the structure of the kernel, in which each loop is
//! followed through two iterations.
//!
//! Only places that all threads of the block reach are given ([`super::reach`]). Nothing is said where the accesses are in a function that is
//! called, or where no single place is known to order them.

use super::reach::Reach;
use simt_ir::{InstKind, Kernel, Location, Node, for_each_inst, for_each_node};
use std::mem::discriminant;

/// Nodes that are followed at most: nested loops are followed through two iterations each.
const MAX_NODES: usize = 1 << 20;

/// Where a barrier is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Between the accesses: before this statement, which has the second one in it and not the first.
    Before(Location),
    /// At the end of a loop's body, or at its start: one access is of a later iteration. `at_end`: whether all threads reach the end;
    /// they all begin each iteration. `has_other`: a barrier stands between the two otherwise.
    InLoop { at_end: bool, has_other: bool },
    /// In code in which the second access is followed by the first: that of a loop which is unrolled, if the source has a loop around both.
    InUnrolledLoop { has_other: bool },
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

/// Whether this holds for a statement and all others that are made of the same source, as those of a function that is inlined in several
/// places; not if one is in a function that is called.
fn for_each_copy(kernel: &Kernel, statement: &Node, holds: impl Fn(&Node) -> bool) -> bool {
    let location = |node: &Node| match node {
        Node::Inst(inst) => Some(inst.location),
        Node::If { location, .. } | Node::Loop { location, .. } => Some(*location),
        Node::Scope { .. } | Node::Break(_) | Node::Continue(_) | Node::Return => None,
    };
    let is_copy =
        |node: &Node| discriminant(node) == discriminant(statement) && location(node) == location(statement);
    let (mut all, mut inside, mut anywhere) = (true, 0, 0);
    for_each_node(&kernel.body, &mut |node| {
        if is_copy(node) {
            inside += 1;
            all &= holds(node);
        }
    });
    for body in kernel.bodies() {
        for_each_node(body, &mut |node| anywhere += u32::from(is_copy(node)));
    }
    all && inside == anywhere
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
        let (mut events, mut once) = (Vec::new(), Vec::new());
        if self.follow((&kernel.body, 2), &mut events, &mut 0).is_none()
            || self.follow((&kernel.body, 1), &mut once, &mut 0).is_none()
        {
            return Missing::Unknown;
        }
        let reach = Reach::of(kernel);
        // Two accesses, the second after the first, without a barrier between.
        let meet = |events: &[Event], one: Event, two: Event| {
            let mut seen = false;
            events.iter().any(|event| {
                let found = seen && *event == two;
                seen = *event == one || seen && *event != Event::Barrier;
                found
            })
        };
        let (first, second) =
            (Event::First, if self.first == self.second { Event::First } else { Event::Second });
        // Of one iteration alone, no barrier at the end of a loop orders them.
        let is_of_two = |one, two| meet(&events, one, two) && (self.one_line || !meet(&once, one, two));
        match (self.one_line, meet(&events, first, second)) {
            (false, true) => {
                let is_reached = |node: &Node| for_each_copy(kernel, node, |node| reach.is_before(node));
                let place = self.outermost(&kernel.body).filter(|(node, _)| is_reached(node));
                place.map_or(Missing::Unknown, |(_, location)| Missing::Before(location))
            }
            (one_line, _) if meet(&events, second, first) => {
                let has_other = !one_line && events.contains(&Event::Barrier);
                match self.innermost_loop(&kernel.body) {
                    Some(_) if !is_of_two(second, first) => Missing::Unknown,
                    Some(node) if for_each_copy(kernel, node, |node| reach.is_start_of(node)) => {
                        let at_end = for_each_copy(kernel, node, |node| reach.is_end_of(node));
                        Missing::InLoop { at_end, has_other }
                    }
                    None if self.follow_each_other(&kernel.body, &reach) => {
                        Missing::InUnrolledLoop { has_other }
                    }
                    _ => Missing::Unknown,
                }
            }
            _ => Missing::Unknown,
        }
    }

    /// The outermost statement that has the second access in it and not the first: its first node, and where it is in the source.
    fn outermost<'k>(&self, region: &'k [Node]) -> Option<(&'k Node, Location)> {
        let node = region.iter().find(|node| has(node, self.second))?;
        if has(node, self.first) {
            return node.regions().find_map(|region| self.outermost(region));
        }
        match node {
            Node::If { location, .. } | Node::Loop { location, .. } => Some((node, *location)),
            Node::Scope { body, .. } => self.outermost(body),
            Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => Some((node, self.second)),
        }
    }

    /// The innermost loop that has both accesses in it.
    fn innermost_loop<'k>(&self, region: &'k [Node]) -> Option<&'k Node> {
        let node = region.iter().find(|node| has(node, self.first) && has(node, self.second))?;
        let inner = node.regions().find_map(|region| self.innermost_loop(region));
        match node {
            Node::Loop { .. } => inner.or(Some(node)),
            _ => inner,
        }
    }

    /// Whether all threads reach a first access that comes after a second one.
    fn follow_each_other(&self, region: &[Node], reach: &Reach) -> bool {
        let after = region.iter().position(|node| has(node, self.second)).map_or(region.len(), |at| at + 1);
        let next = region[after..].iter().find(|node| has(node, self.first));
        match next {
            Some(node) => reach.is_before(node),
            None => {
                let inner = region.iter().filter(|node| has(node, self.first) && has(node, self.second));
                inner.flat_map(|node| node.regions()).any(|region| self.follow_each_other(region, reach))
            }
        }
    }

    /// The events of a region in order, with so many iterations of each loop; nothing if there are too many.
    fn follow(
        &self,
        (region, iterations): (&[Node], u32),
        events: &mut Vec<Event>,
        nodes: &mut usize,
    ) -> Option<()> {
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
                    for _ in 0..iterations {
                        for part in [header, body, step] {
                            self.follow((part, iterations), events, nodes)?;
                        }
                    }
                    self.follow((header, iterations), events, nodes)?;
                }
                Node::If { then, otherwise, .. } => {
                    self.follow((then, iterations), events, nodes)?;
                    self.follow((otherwise, iterations), events, nodes)?;
                }
                Node::Scope { body, .. } => self.follow((body, iterations), events, nodes)?,
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
        Some(())
    }
}
