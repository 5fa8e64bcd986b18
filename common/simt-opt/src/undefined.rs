//! Removes [`InstKind::Undefined`] where every use of its register comes after an assignment, as in nearly all programs:
//! `float v; if (c) v = a; else v = b;`. What is left would cost a register its one definition, and has to be followed when the
//! program runs.
//!
//! A forward data-flow analysis over the tree (Aho, Lam, Sethi, Ullman, *Compilers*, 9.2, "possibly uninitialized variables"):
//! which of these registers may hold nothing where they are read. It is repeated until what loops begin with is known;
//! loops nested deeper than that takes keep theirs.

use crate::def_use::for_each_reg_use;
use crate::reg_set::RegSet;
use simt_ir::{Inst, InstKind, Kernel, Label, Node, Region, for_each_inst};
use source::hash::Map;

/// Walks over the body, at most.
const MAX_WALKS: usize = 8;

/// Removes what no use may see; returns whether there was any.
pub(crate) fn remove_unseen(kernel: &mut Kernel) -> bool {
    let mut declared = RegSet::default();
    for_each_inst(&kernel.body, &mut |inst| {
        if let InstKind::Undefined { dst, .. } = inst.kind {
            declared.insert(dst);
        }
    });
    if declared.is_empty() {
        return false;
    }
    let mut walk = UndefinedWalk::default();
    let mut walks = 0;
    loop {
        let before = walk.begins.clone();
        walk.current = Some(RegSet::default());
        walk.leaves.clear();
        walk.region(&kernel.body);
        walks += 1;
        if walk.begins == before {
            break;
        }
        if walks == MAX_WALKS {
            return false;
        }
    }
    declared.subtract(&walk.seen);
    if declared.is_empty() {
        return false;
    }
    remove(&mut kernel.body, &declared);
    true
}

fn remove(region: &mut Region, registers: &RegSet) {
    region.retain_mut(|node| {
        node.regions_mut().for_each(|region| remove(region, registers));
        !matches!(node, Node::Inst(Inst { kind: InstKind::Undefined { dst, .. }, .. }) if registers.contains(*dst))
    });
}

/// The analysis. Sets are of registers that may hold nothing.
#[derive(Default)]
struct UndefinedWalk {
    /// Here; `None` where no lane comes.
    current: Option<RegSet>,
    /// At each loop's test, and at its step.
    begins: Map<(Label, bool), RegSet>,
    /// After each loop and scope.
    leaves: Map<Label, RegSet>,
    /// Where something reads them.
    seen: RegSet,
}

impl UndefinedWalk {
    fn region(&mut self, region: &[Node]) {
        region.iter().for_each(|node| self.node(node));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Inst(inst) => {
                self.uses(node);
                let Some(current) = &mut self.current else { return };
                if let InstKind::Undefined { dst, .. } = inst.kind {
                    current.insert(dst);
                } else {
                    inst.kind.for_each_def(|dst| current.remove(*dst));
                }
            }
            Node::If { then, otherwise, .. } => {
                self.uses(node);
                let before = self.current.clone();
                self.region(then);
                let after = std::mem::replace(&mut self.current, before);
                self.region(otherwise);
                self.join(after.as_ref());
            }
            Node::Loop { label, header, condition, body, step, .. } => {
                self.begin(*label, false);
                self.region(header);
                self.uses(node);
                if condition.is_some() {
                    self.leave(*label);
                }
                self.region(body);
                self.begin(*label, true);
                self.region(step);
                add(self.current.as_ref(), self.begins.entry((*label, false)).or_default());
                self.current = self.leaves.get(label).cloned();
            }
            Node::Scope { label, body } => {
                self.region(body);
                let leaves = self.leaves.get(label).cloned();
                self.join(leaves.as_ref());
            }
            Node::Break(label) => {
                self.leave(*label);
                self.current = None;
            }
            Node::Continue(label) => {
                add(self.current.as_ref(), self.begins.entry((*label, true)).or_default());
                self.current = None;
            }
            Node::Return => self.current = None,
        }
    }

    fn uses(&mut self, node: &Node) {
        let Some(current) = &self.current else { return };
        for_each_reg_use(node, |reg| {
            if current.contains(reg) {
                self.seen.insert(reg);
            }
        });
    }

    /// A loop's test or step, to which other iterations come too.
    fn begin(&mut self, label: Label, step: bool) {
        let all = self.begins.entry((label, step)).or_default();
        add(self.current.as_ref(), all);
        self.current = Some(all.clone());
    }

    fn leave(&mut self, label: Label) {
        add(self.current.as_ref(), self.leaves.entry(label).or_default());
    }

    fn join(&mut self, other: Option<&RegSet>) {
        if let Some(other) = other {
            self.current.get_or_insert_default().union(other);
        }
    }
}

fn add(from: Option<&RegSet>, to: &mut RegSet) {
    if let Some(from) = from {
        to.union(from);
    }
}
