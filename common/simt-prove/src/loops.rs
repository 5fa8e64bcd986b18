//! Loops: once for any iteration, or one iteration after the other.

use crate::Refused;
use crate::form::{Atom, AtomKind, Facts, Form, LIMIT, Range};
use crate::value::{Condition, Consequence, Pointer, Value};
use crate::walk::{Falls, Frame, Walk};
use simt_ir::{Inst, InstKind, Label, Node, Operand, Reg, Type, for_each_inst, for_each_node};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

impl Walk<'_> {
    pub(crate) fn repetition(&mut self, node: &Node) -> Result<Falls, Refused> {
        let Node::Loop { label, header, condition, body, step, .. } = node else { return Ok(true) };
        let round = Round { label: *label, regions: [header, body, step], condition: condition.as_ref() };
        let assigned = self.assigned(&round);
        if self.trial {
            // What it leaves is not worth a trial of its own.
            self.forget(&assigned);
            return Ok(true);
        }
        let steps = self.steps_of(&round, &assigned)?;
        let is_irregular = steps.values().any(Option::is_none);
        if is_irregular && self.launch.unrolled > 0 && self.is_short(&round)? {
            return self.one_by_one(&round);
        }
        self.any_iteration(&round, &assigned, steps)
    }

    /// The registers that a loop assigns and that may matter to another iteration or behind the loop.
    fn assigned(&self, round: &Round) -> Vec<Reg> {
        let mut all = BTreeSet::new();
        for region in round.regions {
            for_each_inst(region, &mut |inst| inst.kind.for_each_def(|reg| _ = all.insert(*reg)));
        }
        all.into_iter().filter(|reg| !self.is_local[reg.index()]).collect()
    }

    /// Makes registers hold what nothing is known of.
    pub(crate) fn forget(&mut self, registers: &[Reg]) {
        for reg in registers {
            let value = self.unknown(self.launch.kernel.registers[reg.index()].ty);
            self.set(*reg, value);
        }
    }

    /// Walks something only to see what it does to registers.
    fn try_out<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, Refused>) -> Result<T, Refused> {
        let (mark, facts, exact, returns) = (self.journal.len(), self.facts.len(), self.exact, self.returns);
        self.trial = true;
        let result = f(self);
        self.trial = false;
        self.undo(mark);
        self.facts.truncate(facts);
        (self.exact, self.returns) = (exact, returns);
        result
    }

    /// By how much an iteration moves each register that matters to the next one; `None` if it does anything else to it.
    fn steps_of(&mut self, round: &Round, assigned: &[Reg]) -> Result<BTreeMap<Reg, Option<i64>>, Refused> {
        self.try_out(|walk| {
            let mut before = Vec::new();
            for reg in assigned {
                let ty = walk.launch.kernel.registers[reg.index()].ty;
                let atom = walk.atoms.add(AtomKind::Free, Range::ALL);
                let value = match (ty, &walk.registers[reg.index()]) {
                    (Type::I32 | Type::I64, _) => Value::Number(Form::atom(atom)),
                    (Type::Ptr, Value::Pointer(pointer)) => {
                        Value::Pointer(Pointer { offset: Form::atom(atom), ..pointer.clone() })
                    }
                    (Type::Ptr, _) => Value::Other,
                    _ => continue,
                };
                before.push((*reg, atom));
                walk.set(*reg, value);
            }
            let mark = walk.journal.len();
            walk.frames.push(Frame::new(round.label, mark));
            if walk.region(round.regions[0])? {
                walk.body(round)?;
            }
            walk.frames.pop();
            let mut steps = BTreeMap::new();
            for (reg, atom) in before {
                let end = match &walk.registers[reg.index()] {
                    Value::Number(form) | Value::Pointer(Pointer { offset: form, .. }) => Some(form),
                    _ => None,
                };
                let step = end.and_then(|end| end.minus(&Form::atom(atom))?.value());
                if step.is_some() || round.uses_first(reg) {
                    steps.insert(reg, step);
                }
            }
            Ok(steps)
        })
    }

    /// Whether it is known before each iteration whether there is one, and there are few.
    fn is_short(&mut self, round: &Round) -> Result<bool, Refused> {
        self.try_out(|walk| {
            let mark = walk.journal.len();
            walk.frames.push(Frame::new(round.label, mark));
            let mut is_short = false;
            for _ in 0..=walk.launch.unrolled {
                walk.region(round.regions[0])?;
                let Some(condition) = round.condition else { break };
                match walk.condition(condition).known {
                    Some(true) => {}
                    Some(false) => is_short = true,
                    None => break,
                }
                if is_short || !walk.body(round)? {
                    break;
                }
            }
            walk.frames.pop();
            Ok(is_short)
        })
    }

    /// The body and the step of an iteration. Returns whether another one may follow.
    fn body(&mut self, round: &Round) -> Result<Falls, Refused> {
        let (facts, own) = (self.facts.len(), self.own.len());
        let mark = self.journal.len();
        // What `continue` brings is in terms of changes in this iteration; `break` counts from the loop's beginning.
        let before = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.continues));
        let falls = self.region(round.regions[1])?;
        let frame = self.frames.last_mut();
        let continues = frame.map_or_else(Vec::new, |frame| {
            std::mem::replace(&mut frame.continues, before.unwrap_or_default())
        });
        if !continues.is_empty() {
            self.facts.truncate(facts);
            self.own.truncate(own);
        }
        let start = self.frames.last().map_or(mark, |frame| frame.mark);
        let falls = self.join(falls, start, continues);
        Ok(falls && self.region(round.regions[2])?)
    }

    /// Walks a loop iteration by iteration.
    fn one_by_one(&mut self, round: &Round) -> Result<Falls, Refused> {
        let (mark, facts, exact, own) = (self.journal.len(), self.facts.len(), self.exact, self.own.len());
        let returns = self.returns;
        self.frames.push(Frame::new(round.label, mark));
        let mut falls = true;
        while falls {
            falls = self.region(round.regions[0])?;
            let condition = round.condition.map(|condition| self.condition(condition).known);
            falls = match condition {
                _ if !falls => false,
                Some(Some(true)) => self.body(round)?,
                Some(Some(false)) => break,
                Some(None) | None => return Err(Refused::Unclear),
            };
        }
        let breaks = self.frames.pop().map_or_else(Vec::new, |frame| frame.breaks);
        if !breaks.is_empty() {
            self.facts.truncate(facts);
            self.own.truncate(own);
            self.exact = exact && self.returns == returns;
        }
        Ok(self.join(falls, mark, breaks))
    }

    /// Walks a loop once, for any of its iterations; and for the one after, if a barrier lies between the two.
    fn any_iteration(
        &mut self,
        round: &Round,
        assigned: &[Reg],
        steps: BTreeMap<Reg, Option<i64>>,
    ) -> Result<Falls, Refused> {
        let has_barrier = round.regions.iter().any(|region| contains(region, &is_barrier));
        let breaks_out = round.leaves_early();
        // Those who leave in the middle of an iteration do not wait for the others, who go on.
        let mut is_shared =
            has_barrier && self.without_barriers == 0 && !breaks_out && round.passes_a_barrier();
        let (mark, facts, exact, returns) = (self.journal.len(), self.facts.len(), self.exact, self.returns);
        let (own, written, stored) = (self.own.len(), self.written.len(), self.stored.clone());
        let before = self.open.clone();
        let mut moved: BTreeMap<Reg, (Value, i64)> = BTreeMap::new();
        let mut kept: BTreeMap<Reg, Pointer> = BTreeMap::new();
        for (reg, step) in steps {
            let start = self.registers[reg.index()].clone();
            match (start, step) {
                (start, Some(step)) => _ = moved.insert(reg, (start, step)),
                (Value::Pointer(pointer), None) => _ = kept.insert(reg, pointer),
                _ => {}
            }
        }
        let mut exits = BTreeMap::new();
        let counter = loop {
            // A counter of its own for each attempt: what is known of quotients of it depends on its range.
            let kind = if is_shared { AtomKind::SharedCounter } else { AtomKind::Counter };
            let counter = self.atoms.add(kind, Range::new(0, LIMIT));
            // How many there are, by what the test says of the counter.
            let (last, is_common) = self.try_out(|walk| {
                walk.begin((&moved, &kept), assigned, counter, 0);
                let falls = walk.region(round.regions[0])?;
                let Some(condition) = round.condition.filter(|_| falls) else { return Ok((None, false)) };
                let condition = walk.condition(condition);
                let condition = walk.ended_by(counter, condition);
                Ok((walk.last_iteration(counter, &condition), walk.is_common(&condition)))
            })?;
            if is_shared && !is_common {
                // Some threads may leave while others go on: their iterations have nothing to do with each other.
                is_shared = false;
                continue;
            }
            let last = last.unwrap_or(LIMIT);
            self.atoms.set_range(counter, Range::new(0, last.saturating_add(1).max(0)));
            let is_without = has_barrier && !is_shared;
            self.without_barriers += u32::from(is_without);
            self.frames.push(Frame::new(round.label, mark));
            let mut failed = Vec::new();
            for copy in 0..=i64::from(is_shared) {
                let (facts_here, own_here) = (self.facts.len(), self.own.len());
                self.begin((&moved, &kept), assigned, counter, copy);
                // The test is made once more than the body runs.
                self.exact = false;
                let mut falls = self.region(round.regions[0])?;
                let condition =
                    round.condition.map(|condition| self.condition(condition)).unwrap_or_default();
                let condition = self.ended_by(counter, condition);
                exits.extend(self.open.clone());
                if copy == 0 && falls && last < LIMIT {
                    // Numbers have been looked at as if they did not wrap around; now it is known whether they do.
                    let again = self.last_iteration(counter, &condition);
                    if again.is_none_or(|again| again > last) {
                        failed.extend(moved.keys().copied());
                    }
                }
                let Consequence { facts: new, exact: says_all, .. } = &condition.sides[1];
                let is_monotonic = new.iter().all(|fact| fact.factor(counter) <= 0);
                self.exact = exact && *says_all && is_monotonic && !breaks_out && round.condition.is_some();
                self.facts.extend(new.iter().cloned());
                if last < LIMIT {
                    let left = Form::atom(counter).times(-1).and_then(|form| form.plus_constant(last - copy));
                    self.facts.extend(left);
                }
                falls = falls && condition.known != Some(false) && last >= 0 && self.body(round)?;
                if falls {
                    for (reg, (start, step)) in &moved {
                        let next = moved_by(start, *step, counter, copy + 1);
                        if next.as_ref() != Some(&self.registers[reg.index()]) {
                            failed.push(*reg);
                        }
                    }
                    for (reg, pointer) in &kept {
                        if !is_into(&self.registers[reg.index()], pointer) {
                            failed.push(*reg);
                        }
                    }
                }
                self.facts.truncate(facts_here);
                self.own.truncate(own_here);
                self.exact = exact;
                if !is_shared {
                    exits.extend(self.open.clone());
                }
                if !falls {
                    break;
                }
            }
            self.without_barriers -= u32::from(is_without);
            let jumps = self.frames.pop().map_or_else(Vec::new, |frame| frame.breaks);
            jumps.into_iter().for_each(|jump| exits.extend(jump.open));
            if failed.is_empty() {
                let is_counted = last < LIMIT
                    && !breaks_out
                    && self.is_exact_count(round, (&moved, &kept), assigned, (counter, last))?;
                self.undo(mark);
                // What the test itself changes, or who leaves in the middle of an iteration brings along, is not looked at.
                let stays = |reg: &Reg| !breaks_out && !round.tests_change(*reg);
                moved.retain(|reg, _| stays(reg));
                kept.retain(|reg, _| stays(reg));
                self.leave((&moved, &kept), assigned, (counter, last, is_counted));
                break counter;
            }
            // Some of them do not move as they seemed to.
            for reg in &failed {
                kept.remove(reg);
                if let Some((Value::Pointer(pointer), _)) = moved.remove(reg) {
                    kept.insert(*reg, pointer);
                }
            }
            self.undo(mark);
            self.open = before.clone();
            self.written.truncate(written);
            self.stored = stored.clone();
        };
        self.facts.truncate(facts);
        self.own.truncate(own);
        self.exact = exact && self.returns == returns;
        // The next run of this loop is at another time.
        self.open = before;
        if is_shared {
            let past = Form::atom(self.atoms.add(AtomKind::Free, self.atoms.range(counter)));
            for open in exits.values_mut() {
                let reach = &mut Rc::make_mut(open).reach;
                let facts: Option<Facts> = reach.facts.iter().map(|fact| fact.with(counter, &past)).collect();
                reach.facts = facts.unwrap_or_default();
                reach.form = reach.form.with(counter, &past).unwrap_or_else(|| past.clone());
            }
        }
        self.open.extend(exits);
        Ok(round.condition.is_some() || breaks_out)
    }

    /// The registers at the beginning of an iteration, `copy` after the one that the counter counts.
    fn begin(&mut self, (moved, kept): Known, assigned: &[Reg], counter: Atom, copy: i64) {
        self.forget(assigned);
        for (reg, (start, step)) in moved {
            if let Some(value) = moved_by(start, *step, counter, copy) {
                self.set(*reg, value);
            }
        }
        for (reg, pointer) in kept {
            let offset = self.free(Range::ALL);
            self.set(*reg, Value::Pointer(Pointer { offset, ..pointer.clone() }));
        }
    }

    /// The test of a loop that goes on until two numbers are equal: if they come together by equal steps and meet, the first is
    /// below the second until then.
    fn ended_by(&self, counter: Atom, mut condition: Rc<Condition>) -> Rc<Condition> {
        let Some(distance) = condition.sides[1].unequal.clone() else { return condition };
        let step = distance.factor(counter);
        let sign = -step.signum();
        let limit = distance.times(sign).filter(|_| step != 0).and_then(|distance| {
            let step = step.abs();
            let start = distance.plus(&Form::atom(counter).times(step)?)?;
            // All of it is known before the loop begins, and stays.
            let meets = start.constant % step == 0
                && start.terms.iter().all(|(atom, factor)| *atom < counter && factor % step == 0);
            (meets && self.bound(&start).least >= 0).then(|| distance.plus_constant(-step))?
        });
        if let Some(limit) = limit {
            Rc::make_mut(&mut condition).sides[1] =
                Consequence { facts: vec![limit], exact: true, unequal: None };
        }
        condition
    }

    /// The greatest value of the counter with which the test can hold.
    fn last_iteration(&self, counter: Atom, condition: &Condition) -> Option<i64> {
        let limit = |fact: &Form| {
            let factor = fact.factor(counter);
            let rest = fact.plus(&Form::atom(counter).times(-factor)?)?;
            let most = self.bound(&rest).greatest;
            (factor < 0 && most < LIMIT).then(|| most.div_euclid(-factor))
        };
        condition.sides[1].facts.iter().filter_map(limit).min()
    }

    /// Whether all threads leave after that iteration: its test says nothing else than that.
    fn is_exact_count(
        &mut self,
        round: &Round,
        known: Known,
        assigned: &[Reg],
        (counter, last): (Atom, i64),
    ) -> Result<bool, Refused> {
        self.try_out(|walk| {
            walk.begin(known, assigned, counter, 0);
            let falls = walk.region(round.regions[0])?;
            let Some(condition) = round.condition.filter(|_| falls) else { return Ok(false) };
            let condition = walk.condition(condition);
            let Consequence { facts, exact, .. } = &walk.ended_by(counter, condition).sides[1];
            let [fact] = &facts[..] else { return Ok(false) };
            let [(atom, factor)] = fact.terms[..] else { return Ok(false) };
            Ok(*exact && atom == counter && factor < 0 && fact.constant.div_euclid(-factor) == last)
        })
    }

    /// The registers after a loop.
    fn leave(
        &mut self,
        (moved, kept): Known,
        assigned: &[Reg],
        (counter, last, is_counted): (Atom, i64, bool),
    ) {
        self.begin((&BTreeMap::new(), kept), assigned, counter, 0);
        for (reg, (start, step)) in moved {
            let Some(value) = moved_by(start, *step, counter, 0) else { continue };
            let count = Form::constant(last.saturating_add(1).max(0));
            let at_end = |form: &Form| if is_counted { form.with(counter, &count) } else { None };
            let range = self.range_of(&value);
            let value = match value {
                Value::Number(form) => Value::Number(at_end(&form).unwrap_or_else(|| self.free(range))),
                Value::Pointer(pointer) => {
                    let offset = at_end(&pointer.offset).unwrap_or_else(|| self.free(range));
                    Value::Pointer(Pointer { offset, ..pointer })
                }
                other => other,
            };
            self.set(*reg, value);
        }
    }
}

/// What is known of registers at the beginning of each iteration: what they were at first and by how much each iteration moves them; and
/// pointers that stay in their allocation.
type Known<'a> = (&'a BTreeMap<Reg, (Value, i64)>, &'a BTreeMap<Reg, Pointer>);

/// Whether a value is a pointer to the allocation of another.
fn is_into(value: &Value, pointer: &Pointer) -> bool {
    matches!(value, Value::Pointer(other)
        if (other.space, other.allocation) == (pointer.space, pointer.allocation))
}

/// What a register that moves by so much with each iteration holds `copy` iterations after those that the counter counts.
fn moved_by(start: &Value, step: i64, counter: Atom, copy: i64) -> Option<Value> {
    let by = Form::atom(counter).plus_constant(copy)?.times(step)?;
    Some(match start {
        Value::Number(form) => Value::Number(form.plus(&by)?),
        Value::Pointer(pointer) => {
            Value::Pointer(Pointer { offset: pointer.offset.plus(&by)?, ..pointer.clone() })
        }
        _ => return None,
    })
}

/// The parts of a loop.
struct Round<'a> {
    label: Label,
    /// What runs before the test, after it, and then.
    regions: [&'a [Node]; 3],
    condition: Option<&'a Operand>,
}

impl Round<'_> {
    /// Whether each iteration comes to a barrier that is under no condition.
    fn passes_a_barrier(&self) -> bool {
        let continues = |node: &Node| matches!(node, Node::Continue(label) if *label == self.label);
        !self.regions.iter().any(|region| contains(region, &continues))
            && self.regions.iter().any(|region| region.iter().any(is_barrier))
    }

    /// Whether what runs before the test assigns a register.
    fn tests_change(&self, reg: Reg) -> bool {
        let mut changes = false;
        for_each_inst(self.regions[0], &mut |inst| inst.kind.for_each_def(|dst| changes |= *dst == reg));
        changes
    }

    /// Whether threads may leave in the middle of an iteration.
    fn leaves_early(&self) -> bool {
        let mut inside = Vec::new();
        for region in self.regions {
            for_each_node(region, &mut |node| match node {
                Node::Loop { label, .. } | Node::Scope { label, .. } => inside.push(*label),
                _ => {}
            });
        }
        let leaves = |node: &Node| match node {
            Node::Break(label) => !inside.contains(label),
            Node::Continue(label) => *label != self.label && !inside.contains(label),
            Node::Return => true,
            _ => false,
        };
        self.regions.iter().any(|region| contains(region, &leaves))
    }

    /// Whether an iteration may look at what the one before has left in a register.
    fn uses_first(&self, reg: Reg) -> bool {
        let is_it = |operand: &Operand| *operand == Operand::Reg(reg);
        for (number, region) in self.regions.iter().enumerate() {
            for node in *region {
                let mut uses = false;
                for_each_inst(std::slice::from_ref(node), &mut |inst| {
                    inst.kind.for_each_use(|operand| uses |= is_it(operand));
                });
                let is_condition = |node: &Node| match node {
                    Node::If { condition, .. } => is_it(condition),
                    Node::Loop { condition: Some(condition), .. } => is_it(condition),
                    _ => false,
                };
                if uses || contains(std::slice::from_ref(node), &is_condition) {
                    return true;
                }
                let mut defines = false;
                if let Node::Inst(inst) = node {
                    inst.kind.for_each_def(|dst| defines |= *dst == reg);
                }
                if defines {
                    return false;
                }
            }
            if number == 0 && self.condition.is_some_and(is_it) {
                return true;
            }
        }
        false
    }
}

/// Whether a region or anything in it is of a kind.
pub(crate) fn contains(region: &[Node], is_it: &dyn Fn(&Node) -> bool) -> bool {
    region.iter().any(|node| is_it(node) || node.regions().any(|inner| contains(inner, is_it)))
}

pub(crate) fn is_barrier(node: &Node) -> bool {
    matches!(node, Node::Inst(Inst { kind: InstKind::Barrier { .. }, .. }))
}
