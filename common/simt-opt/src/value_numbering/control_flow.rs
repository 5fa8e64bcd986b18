//! Value numbering through control flow: what holds in the sides of a conditional, at join points, and around loops.
//!
//! A condition is known to be true in the code that it guards. A conditional on a constant is replaced by the side
//! that is taken, a scope without `Break` by its body, and a loop that never repeats by its header.

use super::value_table::ValueId;
use super::{Edit, ValueNumberer};
use crate::def_use::add_region_defs;
use crate::reg_set::RegSet;
use simt_ir::{Constant, Label, Node, Reg, Region};
use std::slice::from_ref;

impl ValueNumberer<'_> {
    pub(super) fn conditional(&mut self, node: &mut Node) -> (Edit, bool) {
        let Node::If { condition, then, otherwise, .. } = node else { return (Edit::Keep, true) };
        let value = self.value_of(*condition);
        if let Some(Constant::Bool(truth)) = self.table.as_constant(value) {
            self.changed = true;
            let mut taken = std::mem::take(if truth { then } else { otherwise });
            let reaches_end = self.region(&mut taken);
            return (Edit::Replace(taken), reaches_end);
        }
        *condition = self.replace_operand(*condition, value);
        let mark = self.trail.len();
        let before = self.table.assume(value, true);
        let then_continues = self.region(then);
        let after_then = self.roll_back(mark);
        self.table.assume(value, false);
        let otherwise_continues = self.region(otherwise);
        let after_otherwise = self.roll_back(mark);
        self.table.restore(value, before);
        match (then_continues, otherwise_continues) {
            (true, false) => self.redefine(after_then),
            (false, true) => self.redefine(after_otherwise),
            (true, true) => self.join(after_then, after_otherwise),
            (false, false) => {}
        }
        let empty = then.is_empty() && otherwise.is_empty();
        self.changed |= empty;
        (if empty { Edit::Remove } else { Edit::Keep }, then_continues || otherwise_continues)
    }

    /// Applies the changes of the only path that arrives at a join point, given newest first.
    fn redefine(&mut self, changes: Vec<(Reg, ValueId)>) {
        latest(changes).into_iter().for_each(|(reg, value)| self.define(reg, value));
    }

    /// Joins two paths, given the changes on each, newest first.
    fn join(&mut self, mut left: Vec<(Reg, ValueId)>, mut right: Vec<(Reg, ValueId)>) {
        // Nothing after the join reads an SSA register that was defined on one of the paths.
        left.retain(|(reg, _)| !self.ssa.contains(*reg));
        right.retain(|(reg, _)| !self.ssa.contains(*reg));
        let (left, right) = (latest(left), latest(right));
        let find = |path: &[(Reg, ValueId)], reg: Reg| {
            path.binary_search_by_key(&reg, |(reg, _)| *reg).ok().map(|position| path[position].1)
        };
        for (reg, value) in &left {
            let other = find(&right, *reg).unwrap_or(self.current[reg.index()]);
            let joined = if other == *value { other } else { self.table.opaque() };
            self.define(*reg, joined);
        }
        for (reg, value) in &right {
            if find(&left, *reg).is_none() && *value != self.current[reg.index()] {
                let joined = self.table.opaque();
                self.define(*reg, joined);
            }
        }
    }

    pub(super) fn scope(&mut self, node: &mut Node) -> (Edit, bool) {
        let Node::Scope { label, body } = node else { return (Edit::Keep, true) };
        let mut defs = RegSet::default();
        add_region_defs(body, &mut defs);
        let reaches_end = self.region(body);
        if self.breaks[label.0 as usize] == 0 {
            self.changed = true;
            return (Edit::Replace(std::mem::take(body)), reaches_end);
        }
        self.invalidate(&defs);
        (Edit::Keep, true)
    }

    pub(super) fn visit_loop(&mut self, node: &mut Node) -> (Edit, bool) {
        let (mut defs, mut clobbers) = (RegSet::default(), Vec::new());
        add_region_defs(from_ref(node), &mut defs);
        self.aliases.clobbers_of(from_ref(node), &mut clobbers);
        let Node::Loop { label, header, condition, body, step, .. } = node else {
            return (Edit::Keep, true);
        };
        let label = *label;
        clobbers.into_iter().for_each(|clobber| self.memory.change(&self.aliases, clobber));
        self.invalidate(&defs);
        let reaches_test = self.region(header);
        let value = condition.map(|condition| self.value_of(condition));
        let known = value.and_then(|value| self.table.as_constant(value));
        if !reaches_test || known == Some(Constant::Bool(false)) {
            self.changed = true;
            let header = std::mem::take(header);
            return self.header_only(node, label, header, reaches_test, &defs);
        }
        *condition = match (known, value, *condition) {
            (None, Some(value), Some(old)) => Some(self.replace_operand(old, value)),
            (Some(_), ..) | (_, None, _) | (.., None) => {
                self.changed |= condition.is_some();
                None
            }
        };
        let mark = self.trail.len();
        let assumed =
            value.filter(|_| condition.is_some()).map(|value| (value, self.table.assume(value, true)));
        let mut reaches_step = self.region(body);
        if self.continues[label.0 as usize] > 0 {
            self.invalidate(&defs);
            reaches_step = true;
        }
        if reaches_step {
            self.region(step);
        } else {
            self.changed |= !step.is_empty();
            step.clear();
        }
        if let Some((value, before)) = assumed {
            self.table.restore(value, before);
        }
        self.roll_back(mark);
        let has_breaks = self.breaks[label.0 as usize] > 0;
        if has_breaks {
            self.invalidate(&defs);
        }
        (Edit::Keep, has_breaks || condition.is_some())
    }

    /// A loop that runs its header once and nothing else: its test fails at once, or is unreachable.
    fn header_only(
        &mut self,
        node: &mut Node,
        label: Label,
        header: Region,
        reaches_end: bool,
        defs: &RegSet,
    ) -> (Edit, bool) {
        if self.breaks[label.0 as usize] == 0 {
            return (Edit::Replace(header), reaches_end);
        }
        self.invalidate(defs);
        *node = Node::Scope { label, body: header };
        (Edit::Keep, true)
    }
}

/// The latest value of each register, in order of registers; `changes` are newest first.
fn latest(mut changes: Vec<(Reg, ValueId)>) -> Vec<(Reg, ValueId)> {
    // The sort is stable, so the newest change stays the first of its register.
    changes.sort_by_key(|(reg, _)| *reg);
    changes.dedup_by_key(|(reg, _)| *reg);
    changes
}
