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

use crate::form::{AtomKind, Atoms, Form, LIMIT, Range, bound};
use simt_ir::pointer::Space;
use simt_ir::{CompareOp, Node};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of a cache line.
const LINE: i64 = 128;

/// Questions that are asked of a block, at most.
const MAX_QUESTIONS: usize = 48;

/// A sum of quantities that a block has one of, each times a factor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Origin(Vec<(Quantity, i64)>);

#[derive(Clone, Debug, PartialEq)]
enum Quantity {
    /// A coordinate of the block, which has so many values.
    Axis(usize, i64),
    /// An origin divided by a positive constant, rounded down.
    Quotient(Origin, i64),
    /// The second of the origins if a test holds for all threads, the first if it holds for none, 0 if for some.
    Chosen(Box<Test>, [Origin; 2]),
}

/// Whether an origin and a rest, which lies in a range, are together at least a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    origin: Origin,
    rest: Range,
    least: i64,
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
    /// A test, and how it comes out where the condition is true, if the condition says nothing else.
    test: Option<(Test, bool)>,
}

impl Asked {
    pub(crate) fn nothing() -> Asked {
        Asked { questions: Some(Arc::default()), test: None }
    }

    pub(crate) fn not(self) -> Asked {
        Asked { test: self.test.map(|(test, holds)| (test, !holds)), ..self }
    }

    /// Of two conditions together.
    pub(crate) fn and(&self, other: &Asked) -> Asked {
        let (Some(one), Some(other)) = (&self.questions, &other.questions) else { return Asked::default() };
        let mut questions = one.to_vec();
        other.iter().for_each(|question| ask(&mut questions, question.clone()));
        Asked { questions: Some(questions.into()), test: None }
    }

    /// What a number is that follows from the condition.
    pub(crate) fn kind(&self) -> AtomKind {
        self.questions.clone().map_or(AtomKind::Free, AtomKind::Same)
    }
}

/// A number, split.
pub(crate) struct Split {
    pub(crate) origin: Origin,
    rest: Range,
    pub(crate) questions: Vec<Question>,
}

/// A number that is one of two, as a test says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    test: Test,
    origins: [Origin; 2],
    /// Where the number without its origin is.
    rest: Range,
    questions: Vec<Question>,
}

impl Origin {
    fn add(&mut self, other: &Origin, factor: i64) {
        for (quantity, of) in &other.0 {
            match self.0.iter_mut().find(|(known, _)| known == quantity) {
                Some((_, known)) => *known += of * factor,
                None => self.0.push((quantity.clone(), of * factor)),
            }
        }
        self.0.retain(|(_, factor)| *factor != 0);
    }

    fn minus(&self, other: &Origin) -> Origin {
        let mut difference = self.clone();
        difference.add(other, -1);
        difference
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// What it is less than, with either sign; `None` if that is beyond what is added up without a look.
    fn limit(&self) -> Option<i64> {
        let quantity = |quantity: &Quantity| match quantity {
            Quantity::Axis(_, count) => Some(*count),
            Quantity::Quotient(of, _) => of.limit(),
            Quantity::Chosen(_, [no, yes]) => Some(no.limit()?.max(yes.limit()?)),
        };
        let limits = self.0.iter().map(|(of, factor)| quantity(of)?.checked_mul(factor.abs()));
        let sum = limits.sum::<Option<i64>>()?;
        (sum < LIMIT).then_some(sum)
    }

    fn of(&self, block: [u32; 3]) -> i64 {
        let quantity = |quantity: &Quantity| match quantity {
            Quantity::Axis(axis, _) => i64::from(block[*axis]),
            Quantity::Quotient(of, by) => of.of(block).div_euclid(*by),
            Quantity::Chosen(test, [no, yes]) => match test.holds(test.origin.of(block)) {
                Some(true) => yes.of(block),
                Some(false) => no.of(block),
                None => 0,
            },
        };
        self.0.iter().map(|(of, factor)| factor * quantity(of)).sum()
    }
}

impl Test {
    /// Whether it holds for all threads of a block, or for none; `None` if for some.
    fn holds(&self, origin: i64) -> Option<bool> {
        match () {
            () if origin + self.rest.least >= self.least => Some(true),
            () if origin + self.rest.greatest < self.least => Some(false),
            () => None,
        }
    }
}

impl Question {
    fn answer(&self, block: [u32; 3]) -> i64 {
        match self {
            Question::Value(origin) => origin.of(block),
            Question::Remainder(origin, by) => origin.of(block).rem_euclid(*by),
            Question::Test(test) => {
                let origin = test.origin.of(block);
                match test.holds(origin) {
                    Some(true) => i64::MAX,
                    Some(false) => i64::MIN,
                    None => origin,
                }
            }
            Question::Mixed(test, origin) => match test.holds(test.origin.of(block)) {
                Some(_) => 0,
                None => origin.of(block),
            },
        }
    }
}

impl Atoms {
    /// Splits a number, where the facts hold; `None` if it depends on data.
    pub(crate) fn split(&self, facts: &[Form], form: &Form) -> Option<Split> {
        let mut split = Split { origin: Origin::default(), rest: Range::one(0), questions: Vec::new() };
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
                    let count = self.range(*atom).greatest + 1;
                    (Origin(vec![(Quantity::Axis(*axis, count), 1)]), Range::one(0))
                }
                AtomKind::Chosen(choice) => {
                    split.questions.extend(choice.questions.iter().cloned());
                    split.questions.push(Question::Test(choice.test.clone()));
                    let mixed = choice.origins.iter().filter(|origin| !origin.is_zero());
                    let mixed = mixed.map(|origin| Question::Mixed(choice.test.clone(), origin.clone()));
                    split.questions.extend(mixed);
                    let chosen = Quantity::Chosen(choice.test.clone().into(), choice.origins.clone());
                    (Origin(vec![(chosen, 1)]), choice.rest)
                }
                AtomKind::Quotient { of, by } | AtomKind::Remainder { of, by } => {
                    let parts = self.split(facts, of)?;
                    split.questions.extend(parts.questions);
                    if parts.origin.is_zero() {
                        continue;
                    }
                    split.questions.push(Question::Remainder(parts.origin.clone(), *by));
                    if let AtomKind::Remainder { .. } = self.kind(*atom) {
                        continue;
                    }
                    let Range { least, greatest } = parts.rest;
                    let rest = Range::new(least.div_euclid(*by), (greatest + by - 1).div_euclid(*by));
                    (Origin(vec![(Quantity::Quotient(parts.origin, *by), 1)]), rest)
                }
            };
            rest.terms.retain(|(of, _)| of != atom);
            split.origin.add(&origin, *factor);
            split.rest = split.rest.plus(range.times(*factor));
        }
        split.rest = split.rest.plus(bound(self, facts, &rest));
        split.origin.limit().map(|_| split)
    }

    /// On what a number depends that is no sum of what these are, but is known where they are.
    pub(crate) fn from_all(&self, facts: &[Form], forms: &[&Form]) -> AtomKind {
        let mut questions = Vec::new();
        for form in forms {
            let Some(split) = self.split(facts, form) else { return AtomKind::Free };
            questions.extend(split.questions);
            ask(&mut questions, Question::Value(split.origin));
        }
        AtomKind::Same(questions.into())
    }

    /// On what a number depends that is the second of two if a condition holds, or the first.
    pub(crate) fn from_either(
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
        let [rest_no, rest_yes] = [no.rest, yes.rest];
        let mut questions = no.questions;
        yes.questions.into_iter().for_each(|question| ask(&mut questions, question));
        conditions.iter().for_each(|question| ask(&mut questions, question.clone()));
        // Where both have one origin, it does not matter which of them it is.
        let any = || Test { origin: Origin::default(), rest: Range::one(0), least: 0 };
        let same = || (no.origin == yes.origin).then(|| (any(), true));
        if let Some((test, holds)) = same().or(asked.test.clone()) {
            let origins = if holds { [no.origin, yes.origin] } else { [yes.origin, no.origin] };
            let rest = rest_no.hull(rest_yes).hull(range);
            return AtomKind::Chosen(Choice { test, origins, rest, questions }.into());
        }
        ask(&mut questions, Question::Value(no.origin));
        ask(&mut questions, Question::Value(yes.origin));
        AtomKind::Same(questions.into())
    }

    /// On what the comparison of two numbers depends.
    pub(crate) fn comparison(&self, facts: &[Form], op: CompareOp, [lhs, rhs]: [&Form; 2]) -> Asked {
        self.compared(facts, op, [lhs, rhs]).unwrap_or_default()
    }

    fn compared(&self, facts: &[Form], op: CompareOp, [lhs, rhs]: [&Form; 2]) -> Option<Asked> {
        let mut questions = Vec::new();
        let test = |questions: &mut Vec<Question>, form: &Form, least: i64| {
            let split = self.split(facts, form)?;
            questions.extend(split.questions);
            let test = Test { origin: split.origin, rest: split.rest, least };
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
                only = Some((test(&mut questions, &difference, least)?, true));
                // A negative number is a large one without a sign.
                if matches!(op, CompareOp::LtU | CompareOp::LeU) && !is_positive(lhs) {
                    test(&mut questions, lhs, 0)?;
                    only = None;
                }
            }
            CompareOp::LtF | CompareOp::LeF => return None,
        }
        Some(Asked { questions: Some(questions.into()), test: only })
    }
}

/// Adds a question whose answer is not the same for all blocks.
fn ask(questions: &mut Vec<Question>, question: Question) {
    let (Question::Value(origin)
    | Question::Remainder(origin, _)
    | Question::Mixed(_, origin)
    | Question::Test(Test { origin, .. })) = &question;
    if !origin.is_zero() && !questions.contains(&question) {
        questions.push(question);
    }
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

    /// By how many bytes a block's accesses to a buffer have moved from those of another block of its class.
    pub fn moved(&self, buffer: u32, [from, to]: [[u32; 3]; 2]) -> i64 {
        self.buffers.get(&buffer).map_or(0, |origin| origin.of(to) - origin.of(from))
    }

    /// Notes what decides whether threads come to something.
    pub(crate) fn ask(&mut self, questions: &[Question]) -> Option<()> {
        questions.iter().for_each(|question| ask(&mut self.questions, question.clone()));
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
            let apart = origin.minus(known);
            return self.ask(&[Question::Value(apart)]);
        }
        self.buffers.insert(allocation, origin.clone());
        self.ask(&[Question::Remainder(origin, LINE)])
    }
}

/// Whether it matters to a block's accesses which threads execute a region: it accesses, waits, or leaves.
pub(crate) fn matters(region: &[Node]) -> bool {
    let mut inside = Vec::new();
    simt_ir::for_each_node(region, &mut |node| match node {
        Node::Loop { label, .. } | Node::Scope { label, .. } => inside.push(*label),
        _ => {}
    });
    crate::loops::contains(region, &|node| match node {
        Node::Inst(inst) => !inst.kind.is_pure(),
        Node::Break(label) | Node::Continue(label) => !inside.contains(label),
        Node::Return => true,
        Node::If { .. } | Node::Loop { .. } | Node::Scope { .. } => false,
    })
}
