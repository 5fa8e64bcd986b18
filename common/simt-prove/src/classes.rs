//! Which blocks of a launch access memory alike, from their coordinates alone.
//!
//! Two blocks are alike if their threads come to the same accesses in the same order, and all accesses to one buffer have moved by
//! the same multiple of [`LINE`] bytes from one block to the other. Then they count the same: sectors, conflicts and hits of a cache that
//! is empty where a block begins depend on nothing else.
//!
//! Every number that decides where a thread goes or what it accesses is split into an [`Origin`], which each block has one of, and a rest
//! that is the same for all blocks that are alike. A comparison of such a number with a constant comes out in one of three ways: for all
//! threads of the block, for none, or for some; only in the last case it matters where the block is. The [`BlockClasses`] are the list of
//! all that matters. A launch in which anything that matters depends on data has none.

use crate::form::{Atom, AtomKind, Atoms, Form, LIMIT, Range, bound};
use crate::value::Value;
use simt_ir::pointer::Space;
use simt_ir::{CompareOp, Label, Node};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a cache line.
const LINE: i64 = 128;

/// Quantities that an origin is made of, at most.
const MAX_SIZE: usize = 48;

/// Questions that are asked of a block, at most.
const MAX_QUESTIONS: usize = 48;

/// A constant and quantities that a block has one of, each times a factor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Origin {
    terms: Vec<(Quantity, i64)>,
    constant: i64,
}

#[derive(Clone, Debug, PartialEq)]
enum Quantity {
    /// A coordinate of the block, which has so many values.
    Axis(usize, i64),
    /// An origin divided by a positive constant, rounded down.
    Quotient(Origin, i64),
    /// By how a test comes out: for no thread, for all, for some.
    Chosen(Box<Test>, [Origin; 3]),
}

/// Where a number without its origin is: from and to, both included, where there is such a limit.
type Rest = [Option<Origin>; 2];

/// Whether an origin and a rest are together at least a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    origin: Origin,
    rest: Rest,
    least: i64,
    /// A loop's counter that is to be added, times a factor, and its greatest value.
    counter: Option<(i64, i64)>,
}

/// How a test comes out in a block.
enum Outcome {
    Always,
    Never,
    /// It depends on the loop's counter alone, in the same way in all blocks with this number.
    Counted(i64),
    /// It depends on the thread in blocks with this origin.
    Mixed(i64),
}

/// What the class of a block depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Question {
    Value(Origin),
    Remainder(Origin, i64),
    /// How a test comes out; and where the block is, if it holds for some threads.
    Test(Test),
    /// What an origin is, if a test holds for some threads.
    Mixed(Test, Origin),
}

/// On what a condition depends besides thread and iteration.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    /// `None` if on data.
    pub(crate) questions: Option<Arc<[Question]>>,
    /// A test that holds where the condition is true, and only there.
    test: Option<Test>,
}

impl Asked {
    pub(crate) fn these(questions: &[Question]) -> Asked {
        Asked { questions: Some(questions.into()), test: None }
    }

    pub(crate) fn not(self) -> Asked {
        Asked { test: None, ..self }
    }

    /// Of two conditions together.
    pub(crate) fn and(&self, other: &Asked) -> Asked {
        let (Some(one), Some(other)) = (&self.questions, &other.questions) else { return Asked::default() };
        let mut questions = one.to_vec();
        ask_all(&mut questions, other);
        Asked { questions: few(questions), test: None }
    }

    /// What a number is that follows from the condition.
    pub(crate) fn kind(&self) -> AtomKind {
        self.questions.clone().map_or(AtomKind::Free, AtomKind::Same)
    }
}

/// A number, split.
pub(crate) struct Split {
    pub(crate) origin: Origin,
    rest: Rest,
    pub(crate) questions: Vec<Question>,
}

/// A number that is one of two, as a test says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// `None` if it does not matter, because the numbers have one origin; then the first of what follows holds.
    test: Option<Test>,
    origins: [Origin; 2],
    /// Where the number without its origin is, by how the test comes out.
    rests: [Rest; 3],
    questions: Vec<Question>,
}

impl Origin {
    fn constant(constant: i64) -> Origin {
        Origin { constant, ..Origin::default() }
    }

    fn of_one(quantity: Quantity) -> Origin {
        Origin { terms: vec![(quantity, 1)], constant: 0 }
    }

    /// Adds another, times a factor; `None` if the sum is beyond what is looked at.
    fn plus(mut self, other: &Origin, factor: i64) -> Option<Origin> {
        for (quantity, of) in &other.terms {
            let of = of.checked_mul(factor)?;
            match self.terms.iter_mut().find(|(known, _)| known == quantity) {
                Some((_, known)) => *known = known.checked_add(of)?,
                None => self.terms.push((quantity.clone(), of)),
            }
        }
        self.terms.retain(|(_, factor)| *factor != 0);
        self.constant = other.constant.checked_mul(factor)?.checked_add(self.constant)?;
        (self.size() <= MAX_SIZE).then_some(())?;
        self.limit().map(|_| self)
    }

    /// How many quantities it is made of.
    fn size(&self) -> usize {
        let quantity = |quantity: &Quantity| match quantity {
            Quantity::Axis(..) => 1,
            Quantity::Quotient(of, _) => 1 + of.size(),
            Quantity::Chosen(test, origins) => {
                let rest = test.rest.iter().flatten().chain(origins).map(Origin::size);
                1 + test.origin.size() + rest.sum::<usize>()
            }
        };
        self.terms.iter().map(|(of, _)| quantity(of)).sum()
    }

    /// Whether all blocks have the same.
    fn is_one(&self) -> bool {
        self.terms.is_empty()
    }

    /// What it is at most, with either sign; `None` if that is beyond what is looked at.
    fn limit(&self) -> Option<i64> {
        let quantity = |quantity: &Quantity| match quantity {
            Quantity::Axis(_, count) => Some(*count),
            Quantity::Quotient(of, _) => of.limit(),
            Quantity::Chosen(_, [no, yes, some]) => Some(no.limit()?.max(yes.limit()?).max(some.limit()?)),
        };
        let limits = self.terms.iter().map(|(of, factor)| quantity(of)?.checked_mul(factor.checked_abs()?));
        let sum = limits.sum::<Option<i64>>()?.checked_add(self.constant.checked_abs()?)?;
        (sum < LIMIT).then_some(sum)
    }

    fn divided(self, by: i64) -> Origin {
        match self.is_one() {
            true => Origin::constant(self.constant.div_euclid(by)),
            false => Origin::of_one(Quantity::Quotient(self, by)),
        }
    }

    /// What it is in a block.
    fn of(&self, block: [u32; 3]) -> i64 {
        let quantity = |quantity: &Quantity| match quantity {
            Quantity::Axis(axis, _) => i64::from(block[*axis]),
            Quantity::Quotient(of, by) => of.of(block).div_euclid(*by),
            Quantity::Chosen(test, [no, yes, some]) => match test.outcome(block) {
                Outcome::Never => no.of(block),
                Outcome::Always => yes.of(block),
                Outcome::Counted(_) | Outcome::Mixed(_) => some.of(block),
            },
        };
        self.terms.iter().map(|(of, factor)| factor * quantity(of)).sum::<i64>() + self.constant
    }
}

fn rest_of(Range { least, greatest }: Range) -> Rest {
    let has_limit = |limit: i64| limit.abs() < LIMIT;
    [least, greatest].map(|limit| has_limit(limit).then(|| Origin::constant(limit)))
}

fn plus(rest: Rest, other: &Rest, factor: i64) -> Rest {
    let [least, greatest] = rest;
    let [lower, upper] = if factor < 0 { [&other[1], &other[0]] } else { [&other[0], &other[1]] };
    [(least, lower), (greatest, upper)].map(|(one, other)| one?.plus(other.as_ref()?, factor))
}

impl Test {
    fn outcome(&self, block: [u32; 3]) -> Outcome {
        let origin = self.origin.of(block);
        let (step, last) = self.counter.unwrap_or((0, 0));
        // Until the counter is this, if it is added with a minus; from minus this on, otherwise.
        let ends = self.rest.each_ref().map(|rest| {
            let over = origin + rest.as_ref()?.of(block) - self.least;
            Some(if step == 0 { over } else { over.div_euclid(step.abs()) })
        });
        let (always, never) = if step < 0 { (last, 0) } else { (0, -last) };
        match ends {
            [Some(least), _] if least >= always => Outcome::Always,
            [_, Some(greatest)] if greatest < never => Outcome::Never,
            [Some(least), Some(greatest)] if least == greatest && step != 0 => Outcome::Counted(least),
            _ => Outcome::Mixed(origin),
        }
    }
}

impl Question {
    /// Whether the answer is the same for all blocks.
    fn is_idle(&self) -> bool {
        match self {
            Question::Value(origin) | Question::Remainder(origin, _) | Question::Mixed(_, origin) => {
                origin.is_one()
            }
            Question::Test(test) => test.origin.is_one() && test.rest.iter().flatten().all(Origin::is_one),
        }
    }

    fn answer(&self, block: [u32; 3]) -> i64 {
        match self {
            Question::Value(origin) => origin.of(block),
            Question::Remainder(origin, by) => origin.of(block).rem_euclid(*by),
            // Origins and counters are far below these numbers.
            Question::Test(test) => match test.outcome(block) {
                Outcome::Always => i64::MAX,
                Outcome::Never => i64::MIN,
                Outcome::Counted(end) => (1 << 60) + end,
                Outcome::Mixed(origin) => origin,
            },
            Question::Mixed(test, origin) => match test.outcome(block) {
                Outcome::Always | Outcome::Never => 0,
                Outcome::Counted(_) | Outcome::Mixed(_) => origin.of(block),
            },
        }
    }
}

impl Atoms {
    /// Splits a number, where the facts hold; `None` if it depends on data.
    pub(crate) fn split(&self, facts: &[Form], form: &Form) -> Option<Split> {
        let mut split =
            Split { origin: Origin::default(), rest: rest_of(Range::one(0)), questions: Vec::new() };
        let mut rest = form.clone();
        for (atom, factor) in &form.terms {
            let (origin, range) = match self.kind(*atom) {
                AtomKind::Thread | AtomKind::Counter | AtomKind::SharedCounter => continue,
                AtomKind::Free => return None,
                AtomKind::Same(questions) => {
                    split.questions.extend(questions.iter().cloned());
                    continue;
                }
                AtomKind::Block { axis } => {
                    let axis = Quantity::Axis(*axis, self.range(*atom).greatest + 1);
                    (Origin::of_one(axis), rest_of(Range::one(0)))
                }
                AtomKind::Chosen(choice) => {
                    let Choice { test, origins, rests, questions } = &**choice;
                    split.questions.extend(questions.iter().cloned());
                    if let Some(test) = test {
                        let mixed =
                            origins.iter().map(|origin| Question::Mixed(test.clone(), origin.clone()));
                        split.questions.extend(mixed);
                        let chosen = |of: [Origin; 3]| match of[0] == of[1] && of[1] == of[2] {
                            true => of[0].clone(),
                            false => Origin::of_one(Quantity::Chosen(test.clone().into(), of)),
                        };
                        let limits = [0, 1].map(|side| {
                            let [no, yes, some] = rests.each_ref().map(|rest| rest[side].clone());
                            Some(chosen([no?, yes?, some?]))
                        });
                        let [no, yes] = origins.clone();
                        (chosen([no, yes, Origin::default()]), limits)
                    } else {
                        (origins[0].clone(), rests[0].clone())
                    }
                }
                AtomKind::Quotient { of, by } | AtomKind::Remainder { of, by } => {
                    let Split { origin, rest, questions } = self.split(facts, of)?;
                    split.questions.extend(questions);
                    if origin.is_one() {
                        continue;
                    }
                    split.questions.push(Question::Remainder(origin.clone(), *by));
                    if let AtomKind::Remainder { .. } = self.kind(*atom) {
                        continue;
                    }
                    let [least, greatest] = rest;
                    let above = |origin: Origin| origin.plus(&Origin::constant(by - 1), 1);
                    let limits = [least, greatest.and_then(above)].map(|limit| Some(limit?.divided(*by)));
                    (origin.divided(*by), limits)
                }
            };
            rest.terms.retain(|(of, _)| of != atom);
            split.origin = split.origin.plus(&origin, *factor)?;
            split.rest = plus(split.rest, &range, *factor);
        }
        split.rest = plus(split.rest, &rest_of(bound(self, facts, &rest)), 1);
        split.questions.retain(|question| !question.is_idle());
        (split.questions.len() <= MAX_QUESTIONS).then_some(split)
    }

    /// On what a number depends that is no sum of what these are, but is known where they are.
    pub(crate) fn derived(&self, facts: &[Form], forms: &[&Form]) -> AtomKind {
        let mut questions = Vec::new();
        for form in forms {
            let Some(split) = self.split(facts, form) else { return AtomKind::Free };
            questions.extend(split.questions);
            ask(&mut questions, Question::Value(split.origin));
        }
        few(questions).map_or(AtomKind::Free, AtomKind::Same)
    }

    /// On what a number depends that is the second of two if a condition holds, or the first.
    pub(crate) fn chosen_of(
        &self,
        facts: &[Form],
        asked: &Asked,
        (sides, range): ([&Form; 2], Range),
    ) -> AtomKind {
        let (Some(conditions), [Some(no), Some(yes)]) =
            (&asked.questions, sides.map(|side| self.split(facts, side)))
        else {
            return AtomKind::Free;
        };
        let rests = [no.rest, yes.rest, rest_of(range)];
        let mut questions = no.questions;
        ask_all(&mut questions, &yes.questions);
        ask_all(&mut questions, conditions);
        // Where both have one origin, it does not matter which of them it is.
        let (origins, mut rests) = ([no.origin, yes.origin], rests);
        if origins[0] == origins[1] {
            let [no, yes, _] = &rests;
            rests[0] = if no == yes { no.clone() } else { Rest::default() };
            return AtomKind::Chosen(Choice { test: None, origins, rests, questions }.into());
        }
        if let Some(test) = asked.test.clone() {
            return AtomKind::Chosen(Choice { test: Some(test), origins, rests, questions }.into());
        }
        origins.into_iter().for_each(|origin| ask(&mut questions, Question::Value(origin)));
        few(questions).map_or(AtomKind::Free, AtomKind::Same)
    }

    /// On what a number or a condition depends; `None` if on data, or if it is neither.
    pub(crate) fn questions_of(&self, value: &Value) -> Option<Vec<Question>> {
        match value {
            Value::Number(form) => match self.derived(&[], &[form]) {
                AtomKind::Same(questions) => Some(questions.to_vec()),
                _ => None,
            },
            Value::Truth(condition) => Some(condition.asked.questions.as_ref()?.to_vec()),
            Value::Pointer(_) | Value::Other => None,
        }
    }

    /// On what the comparison of two numbers depends.
    pub(crate) fn comparison(&self, facts: &[Form], op: CompareOp, [lhs, rhs]: [&Form; 2]) -> Asked {
        self.compared(facts, op, [lhs, rhs]).unwrap_or_default()
    }

    fn compared(&self, facts: &[Form], op: CompareOp, [lhs, rhs]: [&Form; 2]) -> Option<Asked> {
        let mut questions = Vec::new();
        let test = |questions: &mut Vec<Question>, form: &Form, least: i64| {
            let is_counter = |(atom, _): &&(Atom, i64)| {
                matches!(self.kind(*atom), AtomKind::Counter | AtomKind::SharedCounter)
            };
            let mut rest = form.clone();
            let mut counters = form.terms.iter().filter(is_counter);
            let mut counter = None;
            if let (Some((atom, factor)), None) = (counters.next(), counters.next()) {
                rest.terms.retain(|(of, _)| of != atom);
                counter = Some((*factor, self.range(*atom).greatest));
            }
            let split = self.split(facts, &rest)?;
            questions.extend(split.questions);
            let test = Test { origin: split.origin, rest: split.rest, least, counter };
            ask(questions, Question::Test(test.clone()));
            Some(test)
        };
        let mut only = None;
        let difference = rhs.minus(lhs)?;
        let is_positive = |form: &Form| bound(self, facts, form).least >= 0;
        match op {
            CompareOp::Eq | CompareOp::Ne => {
                test(&mut questions, &difference, 0)?;
                test(&mut questions, &difference, 1)?;
            }
            CompareOp::LtU | CompareOp::LeU if !is_positive(rhs) => {
                for form in [lhs, rhs] {
                    let split = self.split(facts, form)?;
                    questions.extend(split.questions);
                    ask(&mut questions, Question::Value(split.origin));
                }
            }
            CompareOp::LtS | CompareOp::LeS | CompareOp::LtU | CompareOp::LeU => {
                let least = i64::from(matches!(op, CompareOp::LtS | CompareOp::LtU));
                only = Some(test(&mut questions, &difference, least)?);
                // A negative number is a large one without a sign.
                if matches!(op, CompareOp::LtU | CompareOp::LeU) && !is_positive(lhs) {
                    test(&mut questions, lhs, 0)?;
                    only = None;
                }
            }
            CompareOp::LtF | CompareOp::LeF => return None,
        }
        Some(Asked { questions: few(questions), test: only })
    }
}

/// A list of questions, if it is not too long to be looked at.
fn few(questions: Vec<Question>) -> Option<Arc<[Question]>> {
    (questions.len() <= MAX_QUESTIONS).then(|| questions.into())
}

/// Adds a question whose answer is not the same for all blocks.
fn ask(questions: &mut Vec<Question>, question: Question) {
    if !question.is_idle() && !questions.contains(&question) {
        questions.push(question);
    }
}

pub(crate) fn ask_all(questions: &mut Vec<Question>, more: &[Question]) {
    more.iter().for_each(|question| ask(questions, question.clone()));
}

/// The blocks of a launch that access memory alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockClasses {
    questions: Vec<Question>,
    /// By buffer, where a block's accesses to it begin, but for a constant.
    buffers: BTreeMap<u32, Origin>,
}

impl BlockClasses {
    /// The answers that all blocks of a class have in common, and no other block has, for the block with these coordinates.
    pub fn answers(&self, block: [u32; 3]) -> impl Iterator<Item = i64> {
        self.questions.iter().map(move |question| question.answer(block))
    }

    /// Notes what decides whether threads come to something.
    pub(crate) fn ask(&mut self, questions: &[Question]) -> Option<()> {
        ask_all(&mut self.questions, questions);
        (self.questions.len() <= MAX_QUESTIONS).then_some(())
    }

    /// Notes an access.
    pub(crate) fn access(
        &mut self,
        atoms: &Atoms,
        (space, allocation, form): (Space, u32, &Form),
    ) -> Option<()> {
        let Split { origin, questions, .. } = atoms.split(&[], form)?;
        self.ask(&questions)?;
        if space != Space::Global {
            return self.ask(&[Question::Value(origin)]);
        }
        if let Some(known) = self.buffers.get(&allocation) {
            let apart = origin.plus(known, -1)?;
            return self.ask(&[Question::Value(apart)]);
        }
        self.buffers.insert(allocation, origin.clone());
        self.ask(&[Question::Remainder(origin, LINE)])
    }
}

/// Whether it matters to a block's accesses which threads execute a region: it accesses, waits, or leaves regions that do.
pub(crate) fn matters(region: &[Node], leaves: &dyn Fn(Label) -> bool) -> bool {
    let mut inside = Vec::new();
    simt_ir::for_each_node(region, &mut |node| match node {
        Node::Loop { label, .. } | Node::Scope { label, .. } => inside.push(*label),
        _ => {}
    });
    crate::loops::contains(region, &|node| match node {
        Node::Inst(inst) => !inst.kind.is_pure(),
        Node::Break(label) | Node::Continue(label) => !inside.contains(label) && leaves(*label),
        Node::Return => true,
        Node::If { .. } | Node::Loop { .. } | Node::Scope { .. } => false,
    })
}
