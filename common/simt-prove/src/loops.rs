//! Loops: once for any iteration, or one iteration after the other.

use crate::Refused;
use crate::classes::{Asked, Question, ask_all};
use crate::form::{Atom, AtomKind, Atoms, Facts, Form, LIMIT, Range};
use crate::value::{Condition, Consequence, Pointer, Value, range_of_type};
use crate::walk::{Falls, Frame, Here, Jump, Open, Walk};
use simt_ir::{Inst, InstKind, Label, Node, Operand, Reg, Type, for_each_inst, for_each_node};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

impl Walk<'_> {
    pub(crate) fn repetition(&mut self, node: &Node) -> Result<Falls, Refused> {
        let Node::Loop { label, header, condition, body, step, .. } = node else { return Ok(true) };
        let round = Round::of(*label, [header, body, step], condition.as_ref());
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
        let here = self.here();
        self.trial = true;
        let result = f(self);
        self.trial = false;
        self.undo(here.journal);
        self.facts.truncate(here.facts);
        (self.exact, self.returns) = (here.exact, here.returns);
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
            walk.frames.push(Frame::new(round.label, mark, false));
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
            walk.frames.push(Frame::new(round.label, mark, false));
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
        let (start, matters) = self.frames.last().map_or((mark, false), |frame| (frame.mark, frame.matters));
        let falls = self.join(falls, start, (continues, matters));
        Ok(falls && self.region(round.regions[2])?)
    }

    /// Walks a loop iteration by iteration.
    fn one_by_one(&mut self, round: &Round) -> Result<Falls, Refused> {
        let here = self.here();
        let matters = self.matters(&round.regions);
        self.frames.push(Frame::new(round.label, here.journal, matters));
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
            self.forget_path(&here);
        }
        Ok(self.join(falls, here.journal, (breaks, matters)))
    }

    /// Walks a loop once, for any of its iterations; and for the one after, if a barrier lies between the two.
    fn any_iteration(
        &mut self,
        round: &Round,
        assigned: &[Reg],
        steps: BTreeMap<Reg, Option<i64>>,
    ) -> Result<Falls, Refused> {
        let has_barrier = round.regions.iter().any(|region| contains(region, &is_barrier));
        // Those who leave in the middle of an iteration do not wait for the others, who go on.
        let mut is_shared =
            has_barrier && self.without_barriers == 0 && !round.leaves_early && round.passes_a_barrier();
        let here = self.here();
        let (stored, before, classes) = (self.stored.clone(), self.open.clone(), self.classes.clone());
        let mut known =
            Known { assigned, moved: BTreeMap::new(), kept: BTreeMap::new(), same: BTreeMap::new() };
        for (reg, step) in steps {
            match (self.registers[reg.index()].clone(), step) {
                (start, Some(step)) => _ = known.moved.insert(reg, (start, step)),
                (Value::Pointer(pointer), None) => _ = known.kept.insert(reg, pointer),
                _ => {}
            }
        }
        for reg in assigned.iter().filter(|reg| !known.moved.contains_key(reg)) {
            if let Some(questions) = self.atoms.questions_of(&self.registers[reg.index()]) {
                known.same.insert(*reg, questions);
            }
        }
        let matters = self.matters(&round.regions);
        let mut exits = BTreeMap::new();
        let counter = loop {
            let (counter, is_common) = self.count(round, &known, is_shared)?;
            if is_shared && !is_common {
                // Some threads may leave while others go on: their iterations have nothing to do with each other.
                is_shared = false;
                continue;
            }
            let is_without = has_barrier && !is_shared;
            self.without_barriers += u32::from(is_without);
            self.frames.push(Frame::new(round.label, here.journal, matters));
            let (failed, is_counted) = self.iterations(round, &known, counter, (&here, &mut exits))?;
            self.without_barriers -= u32::from(is_without);
            let jumps = self.frames.pop().map_or_else(Vec::new, |frame| frame.breaks);
            if failed.is_empty() {
                // Where threads leave is what these registers depend on, too.
                jumps.iter().for_each(|jump| known.depend(&self.atoms, jump));
            }
            jumps.into_iter().for_each(|jump| exits.extend(jump.open));
            if failed.is_empty() {
                self.undo(here.journal);
                // How often such a loop runs may depend on anything.
                if !matters {
                    known.same.clear();
                }
                self.leave(round, known, counter, is_counted);
                break counter;
            }
            // Some of them do not move as they seemed to.
            failed.into_iter().for_each(|failed| known.fails(&self.atoms, failed));
            self.undo(here.journal);
            self.open = before.clone();
            self.written.truncate(here.written);
            self.stored = stored.clone();
            self.classes = classes.clone();
        };
        self.forget_path(&here);
        // The next run of this loop is at another time.
        self.open = before;
        if is_shared {
            let past = Form::atom(self.atoms.add(AtomKind::Free, self.atoms.range(counter.atom)));
            for open in exits.values_mut() {
                let reach = &mut Rc::make_mut(open).reach;
                let facts: Option<Facts> =
                    reach.facts.iter().map(|fact| fact.with(counter.atom, &past)).collect();
                reach.facts = facts.unwrap_or_default();
                reach.form = reach.form.with(counter.atom, &past).unwrap_or_else(|| past.clone());
            }
        }
        self.open.extend(exits);
        Ok(round.condition.is_some() || round.leaves_early)
    }

    /// A counter of a loop's iterations, as far as its test says how many there are; and whether the test is the same for all threads of a
    /// block. Each attempt has a counter of its own: what is known of quotients of it depends on its range.
    fn count(&mut self, round: &Round, known: &Known, is_shared: bool) -> Result<(Counter, bool), Refused> {
        let kind = if is_shared { AtomKind::SharedCounter } else { AtomKind::Counter };
        let atom = self.atoms.add(kind, Range::new(0, LIMIT));
        let (last, is_common) = self.try_out(|walk| {
            let condition = walk.test(round, known, (atom, 0))?.unwrap_or_default();
            Ok((walk.last_iteration(atom, &condition), walk.is_common(&condition)))
        })?;
        let last = last.unwrap_or(LIMIT);
        self.atoms.set_range(atom, Range::new(0, last.saturating_add(1).max(0)));
        Ok((Counter { atom, last, is_shared }, is_common))
    }

    /// Walks to the test of an iteration, `copy` after the one that the counter counts; `None` if the test is not come to. A loop without a
    /// test has one that says nothing.
    fn test(
        &mut self,
        round: &Round,
        known: &Known,
        (counter, copy): (Atom, i64),
    ) -> Result<Option<Rc<Condition>>, Refused> {
        self.begin(known, counter, copy);
        if !self.region(round.regions[0])? {
            return Ok(None);
        }
        let condition = round.condition.map(|condition| self.condition(condition)).unwrap_or_default();
        Ok(Some(self.ended_by(counter, condition)))
    }

    /// Walks any iteration of a loop, and the next one if the iterations are shared. Gives the registers that an iteration does not leave as
    /// they should be, and whether all threads go on until the test says so of the counter alone. Adds to `exits` what is open where threads
    /// leave.
    fn iterations(
        &mut self,
        round: &Round,
        known: &Known,
        counter: Counter,
        (here, exits): (&Here, &mut BTreeMap<u32, Rc<Open>>),
    ) -> Result<(Vec<Failed>, bool), Refused> {
        let (mut failed, mut is_counted) = (Vec::new(), false);
        for copy in 0..=i64::from(counter.is_shared) {
            let (facts, own) = (self.facts.len(), self.own.len());
            // The test is made once more than the body runs.
            self.exact = false;
            let condition = self.test(round, known, (counter.atom, copy))?;
            exits.extend(self.open.clone());
            let is_reached = condition.is_some();
            let condition = condition.unwrap_or_default();
            if is_reached && condition.known.is_none() && round.condition.is_some() {
                self.parts(&condition.asked, &round.regions);
            }
            if copy == 0 && is_reached && counter.last < LIMIT {
                // Numbers have been looked at as if they did not wrap around; now it is known whether they do.
                let again = self.last_iteration(counter.atom, &condition);
                if again.is_none_or(|again| again > counter.last) {
                    failed.extend(known.moved.keys().map(|reg| (*reg, None)));
                }
                is_counted = counter.is_all_of(&condition) && !round.leaves_early;
            }
            let Consequence { facts: new, exact: says_all, .. } = &condition.sides[1];
            let is_monotonic = new.iter().all(|fact| fact.factor(counter.atom) <= 0);
            self.exact = here.exact && *says_all && is_monotonic && !round.leaves_early;
            self.facts.extend(new.iter().cloned());
            if counter.last < LIMIT {
                let left = Form::atom(counter.atom).times(-1);
                self.facts.extend(left.and_then(|left| left.plus_constant(counter.last - copy)));
            }
            let falls =
                is_reached && condition.known != Some(false) && counter.last >= 0 && self.body(round)?;
            if falls {
                failed.extend(known.broken(self, (counter.atom, copy + 1)));
            }
            self.facts.truncate(facts);
            self.own.truncate(own);
            self.exact = here.exact;
            if !counter.is_shared {
                exits.extend(self.open.clone());
            }
            if !falls {
                break;
            }
        }
        Ok((failed, is_counted))
    }

    /// The registers at the beginning of an iteration, `copy` after the one that the counter counts.
    fn begin(&mut self, known: &Known, counter: Atom, copy: i64) {
        self.forget(known.assigned);
        for (reg, (start, step)) in &known.moved {
            if let Some(value) = moved_by(start, *step, counter, copy) {
                self.set(*reg, value);
            }
        }
        for (reg, pointer) in &known.kept {
            let offset = self.free(Range::ALL);
            self.set(*reg, Value::Pointer(Pointer { offset, ..pointer.clone() }));
        }
        for (reg, questions) in &known.same {
            let ty = self.launch.kernel.registers[reg.index()].ty;
            let asked = Asked::these(questions);
            let value = match ty {
                Type::Bool => Value::Truth(Condition { asked, ..Condition::default() }.into()),
                _ => Value::Number(Form::atom(self.atoms.add(asked.kind(), range_of_type(ty)))),
            };
            self.set(*reg, value);
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

    /// The registers after a loop.
    fn leave(&mut self, round: &Round, known: Known, counter: Counter, is_counted: bool) {
        // What the test itself changes, or who leaves in the middle of an iteration brings along, is not looked at.
        let stays = |reg: &Reg| !round.leaves_early && !round.tests_change(*reg);
        let Known { assigned, mut moved, mut kept, mut same } = known;
        same.retain(|reg, _| !round.tests_change(*reg));
        kept.retain(|reg, _| stays(reg));
        moved.retain(|reg, _| stays(reg));
        self.begin(&Known { assigned, moved: BTreeMap::new(), kept, same }, counter.atom, 0);
        for (reg, (start, step)) in moved {
            let Some(value) = moved_by(&start, step, counter.atom, 0) else { continue };
            let count = Form::constant(counter.last.saturating_add(1).max(0));
            let at_end = |form: &Form| if is_counted { form.with(counter.atom, &count) } else { None };
            let range = self.range_of(&value);
            let value = match value {
                Value::Number(form) => Value::Number(at_end(&form).unwrap_or_else(|| self.free(range))),
                Value::Pointer(pointer) => {
                    let offset = at_end(&pointer.offset).unwrap_or_else(|| self.free(range));
                    Value::Pointer(Pointer { offset, ..pointer })
                }
                other => other,
            };
            self.set(reg, value);
        }
    }
}

/// What is known of the registers that a loop assigns, at the beginning of each iteration.
struct Known<'a> {
    assigned: &'a [Reg],
    /// What they were at first, and by how much each iteration moves them.
    moved: BTreeMap<Reg, (Value, i64)>,
    /// Pointers that stay in their allocation.
    kept: BTreeMap<Reg, Pointer>,
    /// Numbers and conditions that depend on no data, and on what else.
    same: BTreeMap<Reg, Vec<Question>>,
}

/// A register that does not hold what it should at the end of an iteration; and what it depends on, if not on data.
type Failed = (Reg, Option<Vec<Question>>);

/// What a register depends on, at most.
const MAX_QUESTIONS: usize = 12;

impl Known<'_> {
    /// The registers that do not hold what they should after so many iterations.
    fn broken(&self, walk: &Walk, (counter, iterations): (Atom, i64)) -> Vec<Failed> {
        let registers = &walk.registers;
        let is_moved = |(reg, (start, step)): &(&Reg, &(Value, i64))| {
            moved_by(start, *step, counter, iterations).as_ref() == Some(&registers[reg.index()])
        };
        let is_kept = |(reg, pointer): &(&Reg, &Pointer)| is_into(&registers[reg.index()], pointer);
        let moved = self.moved.iter().filter(|moved| !is_moved(moved)).map(|(reg, _)| (*reg, None));
        let kept = self.kept.iter().filter(|kept| !is_kept(kept)).map(|(reg, _)| (*reg, None));
        let same = self.same.iter().filter_map(|(reg, known)| {
            let Some(found) = walk.atoms.questions_of(&registers[reg.index()]) else {
                return Some((*reg, None));
            };
            let all = joined(known, &found);
            (all.len() > known.len()).then(|| (*reg, (all.len() <= MAX_QUESTIONS).then_some(all)))
        });
        moved.chain(kept).chain(same).collect()
    }

    /// Less is known of a register than it seemed.
    fn fails(&mut self, atoms: &Atoms, (reg, questions): Failed) {
        self.kept.remove(&reg);
        self.same.remove(&reg);
        let questions = match self.moved.remove(&reg) {
            Some((Value::Pointer(pointer), _)) => {
                self.kept.insert(reg, pointer);
                None
            }
            Some((start, _)) => atoms.questions_of(&start),
            None => questions,
        };
        self.same.extend(questions.map(|questions| (reg, questions)));
    }

    /// Threads leave the loop with other values than at the beginning of an iteration.
    fn depend(&mut self, atoms: &Atoms, jump: &Jump) {
        self.same.retain(|reg, known| {
            let Some((value, _)) = jump.changes.get(reg) else { return true };
            let found = atoms.questions_of(value);
            *known = joined(known, found.as_deref().unwrap_or_default());
            found.is_some()
        });
    }
}

fn joined(one: &[Question], other: &[Question]) -> Vec<Question> {
    let mut all = one.to_vec();
    ask_all(&mut all, other);
    all
}

/// The counter of a loop's iterations.
#[derive(Clone, Copy)]
struct Counter {
    atom: Atom,
    /// Its greatest value with which the test can hold; [`LIMIT`] if that is unknown.
    last: i64,
    /// Whether all threads of a block are at the same iteration between two barriers.
    is_shared: bool,
}

impl Counter {
    /// Whether a test says nothing else than how many iterations there are.
    fn is_all_of(self, test: &Condition) -> bool {
        let Consequence { facts, exact, .. } = &test.sides[1];
        let [fact] = &facts[..] else { return false };
        let [(atom, factor)] = fact.terms[..] else { return false };
        *exact && atom == self.atom && factor < 0 && fact.constant.div_euclid(-factor) == self.last
    }
}

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
    /// Whether threads may leave in the middle of an iteration.
    leaves_early: bool,
}

impl<'a> Round<'a> {
    fn of(label: Label, regions: [&'a [Node]; 3], condition: Option<&'a Operand>) -> Round<'a> {
        let mut inside = Vec::new();
        for region in regions {
            for_each_node(region, &mut |node| match node {
                Node::Loop { label, .. } | Node::Scope { label, .. } => inside.push(*label),
                _ => {}
            });
        }
        let leaves = |node: &Node| match node {
            Node::Break(to) => !inside.contains(to),
            Node::Continue(to) => *to != label && !inside.contains(to),
            Node::Return => true,
            _ => false,
        };
        let leaves_early = regions.iter().any(|region| contains(region, &leaves));
        Round { label, regions, condition, leaves_early }
    }

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
