//! Removes pure instructions whose results nobody reads, by liveness over the tree, backwards.
//!
//! Around a loop the analysis is one pass without iteration: whatever the loop reads is taken to be live at its head,
//! but for registers that are written before each read anyway. So it may keep too much, never too little.

use crate::registers::{BitSet, for_each_node, only_def, own_uses};
use simt_ir::{InstKind, Kernel, Label, Node, Operand, Reg, Region};
use std::slice::from_ref;

/// Removes what can be; says whether anything was.
pub(crate) fn remove_dead(kernel: &mut Kernel, single: &BitSet) -> bool {
    let needed = needed(kernel);
    let mut walk = Liveness { single, needed, targets: Vec::new(), changed: false };
    walk.block(&mut kernel.body, &mut BitSet::default());
    walk.changed
}

/// The registers that some effect depends on, however indirectly; a counter that only counts itself is not among them.
fn needed(kernel: &Kernel) -> BitSet {
    let mut needed = BitSet::default();
    let mut work = Vec::new();
    // What a register's pure definitions read: a list for each register, from the last one found to the first.
    let mut lists = vec![u32::MAX; kernel.registers.len()];
    let mut sources: Vec<(Reg, u32)> = Vec::new();
    for_each_node(&kernel.body, &mut |node| {
        let pure = match node {
            Node::Inst(inst) if inst.kind.is_pure() => only_def(&inst.kind),
            _ => None,
        };
        match pure {
            Some(dst) => own_uses(node, |reg| {
                let before = std::mem::replace(&mut lists[dst.0 as usize], sources.len() as u32);
                sources.push((reg, before));
            }),
            None => own_uses(node, |reg| work.push(reg)),
        }
    });
    while let Some(reg) = work.pop() {
        if !needed.contains(reg) {
            needed.insert(reg);
            let mut at = lists[reg.0 as usize];
            while let Some((source, next)) = sources.get(at as usize) {
                work.push(*source);
                at = *next;
            }
        }
    }
    needed
}

struct Liveness<'k> {
    single: &'k BitSet,
    needed: BitSet,
    /// What is live where a jump goes, for each construct around: at its exit, and at its step.
    targets: Vec<(Label, BitSet, BitSet)>,
    changed: bool,
}

impl Liveness<'_> {
    /// Removes what is dead, given what is live behind the block, and leaves in `live` what is live before it.
    fn block(&mut self, nodes: &mut Region, live: &mut BitSet) {
        // Places of what goes, last first.
        let mut dead = Vec::new();
        for (place, node) in nodes.iter_mut().enumerate().rev() {
            if !self.is_needed(node, live) {
                dead.push(place);
            }
        }
        let mut place = 0;
        if !dead.is_empty() {
            self.changed = true;
            nodes.retain(|_| {
                let goes = dead.pop_if(|dead| *dead == place).is_some();
                place += 1;
                !goes
            });
        }
    }

    /// Whether a node stays; removes what is dead inside of it.
    fn is_needed(&mut self, node: &mut Node, live: &mut BitSet) -> bool {
        match node {
            Node::Inst(inst) => {
                if inst.kind.is_pure()
                    && only_def(&inst.kind)
                        .is_none_or(|dst| !live.contains(dst) || !self.needed.contains(dst))
                {
                    return false;
                }
                if let InstKind::Atomic { dst, .. } = &mut inst.kind
                    && dst.is_some_and(|dst| !live.contains(dst))
                {
                    *dst = None;
                    self.changed = true;
                }
                inst.kind.for_each_def(|dst| live.remove(*dst));
            }
            Node::If { then, otherwise, .. } => {
                let mut other = live.clone();
                self.block(then, live);
                self.block(otherwise, &mut other);
                live.union(&other);
                if then.is_empty() && otherwise.is_empty() {
                    return false;
                }
            }
            Node::Loop { .. } => self.a_loop(node, live),
            Node::Scope { label, body } => {
                self.targets.push((*label, live.clone(), BitSet::default()));
                self.block(body, live);
                self.targets.pop();
                if body.is_empty() {
                    return false;
                }
            }
            Node::Break(label) => {
                if let Some((_, exit, _)) = self.target(*label) {
                    live.clone_from(exit);
                }
            }
            Node::Continue(label) => {
                if let Some((.., step)) = self.target(*label) {
                    live.clone_from(step);
                }
            }
            Node::Return => *live = BitSet::default(),
        }
        own_uses(node, |reg| live.insert(reg));
        true
    }

    fn target(&self, label: Label) -> Option<&(Label, BitSet, BitSet)> {
        self.targets.iter().rev().find(|(inner, ..)| *inner == label)
    }

    fn a_loop(&mut self, node: &mut Node, live: &mut BitSet) {
        // What may be read in this or a later iteration, or behind the loop.
        let (mut carried, mut left_for) = (BitSet::default(), live.clone());
        for_each_node(from_ref(node), &mut |inner| {
            own_uses(inner, |reg| carried.insert(reg));
            // Any iteration may leave for a construct further out.
            match inner {
                Node::Break(label) => {
                    self.target(*label).iter().for_each(|(_, exit, _)| left_for.union(exit))
                }
                Node::Continue(label) => {
                    self.target(*label).iter().for_each(|(.., step)| left_for.union(step))
                }
                _ => {}
            }
        });
        carried.subtract(self.single);
        carried.union(&left_for);
        let Node::Loop { label, header, condition, body, step, .. } = node else { return };
        self.targets.push((*label, live.clone(), BitSet::default()));
        let mut at_step = carried.clone();
        self.block(step, &mut at_step);
        if let Some(target) = self.targets.last_mut() {
            target.2.clone_from(&at_step);
        }
        let mut at_test = at_step;
        self.block(body, &mut at_test);
        at_test.union(live);
        if let Some(Operand::Reg(condition)) = condition {
            at_test.insert(*condition);
        }
        self.block(header, &mut at_test);
        self.targets.pop();
        *live = at_test;
        live.union(&carried);
    }
}
