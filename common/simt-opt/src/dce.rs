//! Dead-code elimination: removes pure instructions whose results nothing reads, and empty control flow (Cooper,
//! Torczon, *Engineering a Compiler*, 10.2.1).
//!
//! Two analyses decide together. Marking finds the registers on which some effect depends; a counter that only
//! counts itself is not among them. Liveness, backwards over the tree, finds definitions that are overwritten
//! before they are read.
//!
//! A loop is walked once, without iterating: every register that the loop reads counts as live at its end. Excepted
//! are SSA registers, because an iteration that defines one does so before it reads it. So the pass may keep too
//! much, never too little. It removes no load whose result is dead: the fault of a load is a lesson.

use crate::def_use::{for_each_reg_use, sole_def};
use crate::reg_set::RegSet;
use simt_ir::{InstKind, Kernel, Label, Node, Operand, Reg, Region, for_each_node};
use std::slice::from_ref;

/// Removes dead code; returns whether there was any.
pub(crate) fn eliminate_dead_code(kernel: &mut Kernel, ssa: &RegSet) -> bool {
    let useful = mark_useful(kernel);
    let mut walk = DeadCodeEliminator { ssa, useful, targets: Vec::new(), changed: false };
    walk.region(&mut kernel.body, &mut RegSet::default());
    walk.changed
}

/// The registers on which some effect depends, directly or indirectly.
fn mark_useful(kernel: &Kernel) -> RegSet {
    let mut useful = RegSet::default();
    let mut worklist = Vec::new();
    // What a register's pure definitions read: for each register a linked list in `sources`, from the latest to the
    // first.
    let mut heads = vec![u32::MAX; kernel.registers.len()];
    let mut sources: Vec<(Reg, u32)> = Vec::new();
    for_each_node(&kernel.body, &mut |node| {
        let pure_def = match node {
            Node::Inst(inst) if inst.kind.is_pure() => sole_def(&inst.kind),
            _ => None,
        };
        match pure_def {
            Some(dst) => for_each_reg_use(node, |reg| {
                let next = std::mem::replace(&mut heads[dst.index()], sources.len() as u32);
                sources.push((reg, next));
            }),
            None => for_each_reg_use(node, |reg| worklist.push(reg)),
        }
    });
    while let Some(reg) = worklist.pop() {
        if !useful.contains(reg) {
            useful.insert(reg);
            let mut position = heads[reg.index()];
            while let Some((source, next)) = sources.get(position as usize) {
                worklist.push(*source);
                position = *next;
            }
        }
    }
    useful
}

struct DeadCodeEliminator<'k> {
    ssa: &'k RegSet,
    useful: RegSet,
    /// The constructs around, innermost last.
    targets: Vec<LiveAtLabel>,
    changed: bool,
}

/// What is live where a jump to a label goes.
struct LiveAtLabel {
    label: Label,
    at_break: RegSet,
    at_continue: RegSet,
}

impl DeadCodeEliminator<'_> {
    /// Removes what is dead. `live` has the registers that are live after the region, and then those before it.
    fn region(&mut self, nodes: &mut Region, live: &mut RegSet) {
        // Positions of dead nodes, last first.
        let mut dead = Vec::new();
        for (position, node) in nodes.iter_mut().enumerate().rev() {
            if !self.is_live(node, live) {
                dead.push(position);
            }
        }
        if !dead.is_empty() {
            self.changed = true;
            let mut position = 0;
            nodes.retain(|_| {
                let is_dead = dead.pop_if(|dead| *dead == position).is_some();
                position += 1;
                !is_dead
            });
        }
    }

    /// Whether a node stays; removes what is dead inside it.
    fn is_live(&mut self, node: &mut Node, live: &mut RegSet) -> bool {
        match node {
            Node::Inst(inst) => {
                if inst.kind.is_pure()
                    && sole_def(&inst.kind)
                        .is_none_or(|dst| !live.contains(dst) || !self.useful.contains(dst))
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
                self.region(then, live);
                self.region(otherwise, &mut other);
                live.union(&other);
                if then.is_empty() && otherwise.is_empty() {
                    return false;
                }
            }
            Node::Loop { .. } => self.visit_loop(node, live),
            Node::Scope { label, body } => {
                self.enter(*label, live);
                self.region(body, live);
                self.targets.pop();
                if body.is_empty() {
                    return false;
                }
            }
            Node::Break(label) => {
                if let Some(target) = self.target(*label) {
                    live.clone_from(&target.at_break);
                }
            }
            Node::Continue(label) => {
                if let Some(target) = self.target(*label) {
                    live.clone_from(&target.at_continue);
                }
            }
            Node::Return => *live = RegSet::default(),
        }
        for_each_reg_use(node, |reg| live.insert(reg));
        true
    }

    /// Enters a construct, given what is live after it.
    fn enter(&mut self, label: Label, live: &RegSet) {
        self.targets.push(LiveAtLabel { label, at_break: live.clone(), at_continue: RegSet::default() });
    }

    fn target(&self, label: Label) -> Option<&LiveAtLabel> {
        self.targets.iter().rev().find(|target| target.label == label)
    }

    fn visit_loop(&mut self, node: &mut Node, live: &mut RegSet) {
        // What this or a later iteration may read, and what is live where an iteration may exit to.
        let (mut at_head, mut at_exits) = (RegSet::default(), live.clone());
        for_each_node(from_ref(node), &mut |inner| {
            for_each_reg_use(inner, |reg| at_head.insert(reg));
            // Any iteration may jump to a construct further out.
            match inner {
                Node::Break(label) => {
                    if let Some(target) = self.target(*label) {
                        at_exits.union(&target.at_break);
                    }
                }
                Node::Continue(label) => {
                    if let Some(target) = self.target(*label) {
                        at_exits.union(&target.at_continue);
                    }
                }
                Node::Inst(_) | Node::If { .. } | Node::Loop { .. } | Node::Scope { .. } | Node::Return => {}
            }
        });
        at_head.subtract(self.ssa);
        at_head.union(&at_exits);
        let Node::Loop { label, header, condition, body, step, .. } = node else { return };
        self.enter(*label, live);
        let mut at_step = at_head.clone();
        self.region(step, &mut at_step);
        if let Some(target) = self.targets.last_mut() {
            target.at_continue.clone_from(&at_step);
        }
        let mut at_test = at_step;
        self.region(body, &mut at_test);
        at_test.union(live);
        if let Some(Operand::Reg(condition)) = condition {
            at_test.insert(*condition);
        }
        self.region(header, &mut at_test);
        self.targets.pop();
        *live = at_test;
        live.union(&at_head);
    }
}
