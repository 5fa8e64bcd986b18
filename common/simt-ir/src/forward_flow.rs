//! The walk of a forward data-flow analysis over the tree of a body.
//!
//! What may hold at a place is the union of what may hold on all paths to it (Aho, Lam, Sethi, Ullman, *Compilers*, 9.2 and 9.3).
//! The walk knows which paths there are; what instructions and conditions do with the facts, the analysis says. A loop's test
//! and step are reached from below, too, so an analysis walks again until no loop begins with anything new. It does not say
//! what holds on every path, and walks neither backwards nor into functions that are called.

use crate::{Label, Node, Reg};
use source::hash::Map;
use std::collections::BTreeSet;

/// A set of what may hold at a place; of nothing by default.
pub trait Facts: Clone + Default {
    /// Adds what may hold on another path to the same place. Returns whether there was anything new.
    fn join(&mut self, other: &Self) -> bool;
}

impl Facts for BTreeSet<Reg> {
    fn join(&mut self, other: &Self) -> bool {
        let before = self.len();
        self.extend(other);
        self.len() > before
    }
}

/// What is known of a body from one walk to the next.
#[derive(Clone, Debug, Default)]
pub struct ForwardFlow<F> {
    /// At each loop's test, and at its step.
    begins: Map<(Label, bool), F>,
}

impl<F: Facts> ForwardFlow<F> {
    /// Walks over a body once, from a place where nothing holds. `transfer` gets each instruction and, where its condition is
    /// read, each [`Node::If`] and [`Node::Loop`], with what may hold there, which it changes to what may hold after; it gets none
    /// that no path leads to. Returns whether a loop begins with more than was known, so that another walk may find more.
    pub fn walk(&mut self, body: &[Node], transfer: impl FnMut(&Node, &mut F)) -> bool {
        self.walk_from(F::default(), body, transfer)
    }

    /// The same from a place where these hold.
    pub fn walk_from(&mut self, start: F, body: &[Node], transfer: impl FnMut(&Node, &mut F)) -> bool {
        let here = Some(start);
        let mut walk = Walk { begins: &mut self.begins, leaves: Map::default(), here, grew: false, transfer };
        walk.region(body);
        walk.grew
    }
}

/// One walk.
struct Walk<'a, F, T> {
    begins: &'a mut Map<(Label, bool), F>,
    /// What may hold after each loop and scope.
    leaves: Map<Label, F>,
    /// What may hold here; `None` where no path leads.
    here: Option<F>,
    /// Whether there is anything new in `begins`.
    grew: bool,
    transfer: T,
}

impl<F: Facts, T: FnMut(&Node, &mut F)> Walk<'_, F, T> {
    fn region(&mut self, region: &[Node]) {
        region.iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Inst(_) => self.transfer(node),
            Node::If { then, otherwise, .. } => {
                self.transfer(node);
                let before = self.here.clone();
                self.region(then);
                let after = std::mem::replace(&mut self.here, before);
                self.region(otherwise);
                self.join(after.as_ref());
            }
            Node::Loop { label, header, condition, body, step, .. } => {
                self.begin(*label, false);
                self.region(header);
                self.transfer(node);
                if condition.is_some() {
                    self.leave(*label);
                }
                self.region(body);
                self.begin(*label, true);
                self.region(step);
                self.go_to(*label, false);
                self.here = self.leaves.get(label).cloned();
            }
            Node::Scope { label, body } => {
                self.region(body);
                let leaves = self.leaves.get(label).cloned();
                self.join(leaves.as_ref());
            }
            Node::Break(label) => {
                self.leave(*label);
                self.here = None;
            }
            Node::Continue(label) => {
                self.go_to(*label, true);
                self.here = None;
            }
            Node::Return => self.here = None,
        }
    }

    fn transfer(&mut self, node: &Node) {
        if let Some(here) = &mut self.here {
            (self.transfer)(node, here);
        }
    }

    /// A path leads from here to a loop's test or step.
    fn go_to(&mut self, label: Label, step: bool) {
        if let Some(here) = &self.here {
            self.grew |= self.begins.entry((label, step)).or_default().join(here);
        }
    }

    /// A loop's test or step, to which other iterations come too.
    fn begin(&mut self, label: Label, step: bool) {
        self.go_to(label, step);
        self.here = self.begins.get(&(label, step)).cloned();
    }

    fn leave(&mut self, label: Label) {
        if let Some(here) = &self.here {
            self.leaves.entry(label).or_default().join(here);
        }
    }

    fn join(&mut self, other: Option<&F>) {
        if let Some(other) = other {
            self.here.get_or_insert_default().join(other);
        }
    }
}
