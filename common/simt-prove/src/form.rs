//! Whole numbers as sums of known quantities, each times a constant, and what is known of such sums.
//!
//! A [`Form`] is exact: it never wraps around. A register has one only if it is certain that it cannot wrap around either.

use crate::classes::{Choice, Question};
use smallvec::SmallVec;
use std::sync::Arc;

/// A quantity that a form may depend on: a coordinate of the thread or block, a loop's counter, or a number of which only a range is
/// known. It indexes [`Atoms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Atom(pub(crate) u32);

/// What a quantity is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AtomKind {
    /// A coordinate of a thread in its block, by axis.
    Thread,
    /// A coordinate of a block in the grid.
    Block { axis: usize },
    /// How many iterations of a loop came before; the same for all threads between two barriers.
    SharedCounter,
    /// The same for a loop without barriers, where threads are at any iteration.
    Counter,
    /// The quotient of a form that is never negative, by a positive constant.
    Quotient { of: Form, by: i64 },
    /// The remainder of the same division.
    Remainder { of: Form, by: i64 },
    /// One of two numbers. It may differ between threads, as all that follow.
    Chosen(Arc<Choice>),
    /// A number that is the same in all blocks of which these answers are.
    Same(Arc<[Question]>),
    /// Anything else; also what depends on data.
    Free,
}

/// The quantities of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Atoms {
    kinds: Vec<AtomKind>,
    ranges: Vec<Range>,
}

/// The least and the greatest value, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) least: i64,
    pub(crate) greatest: i64,
}

/// A least value of minus this, and a greatest value of this, stand for no limit at all. Products of two numbers below it fit 128 bits.
pub(crate) const LIMIT: i64 = 1 << 50;

impl Range {
    pub(crate) const I32: Range = Range { least: i32::MIN as i64, greatest: i32::MAX as i64 };
    pub(crate) const ALL: Range = Range { least: -LIMIT, greatest: LIMIT };

    pub(crate) fn new(least: i64, greatest: i64) -> Range {
        Range { least: least.clamp(-LIMIT, LIMIT - 1), greatest: greatest.clamp(1 - LIMIT, LIMIT) }
    }

    /// From 0 to one below a limit.
    pub(crate) fn below(limit: i64) -> Range {
        Range::new(0, limit - 1)
    }

    pub(crate) fn one(value: i64) -> Range {
        Range::new(value, value)
    }

    pub(crate) fn contains(self, other: Range) -> bool {
        self.least <= other.least && other.greatest <= self.greatest
    }

    pub(crate) fn hull(self, other: Range) -> Range {
        Range::new(self.least.min(other.least), self.greatest.max(other.greatest))
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(self) -> bool {
        self.least > self.greatest
    }

    /// The only number in it.
    pub(crate) fn single(self) -> Option<i64> {
        (self.least == self.greatest).then_some(self.least)
    }

    /// What it becomes if each of its numbers is multiplied.
    pub(crate) fn times(self, factor: i64) -> Range {
        let (a, b) = (self.least.saturating_mul(factor), self.greatest.saturating_mul(factor));
        Range::new(a.min(b), a.max(b))
    }

    pub(crate) fn plus(self, other: Range) -> Range {
        let has_least = self.least > -LIMIT && other.least > -LIMIT;
        let has_greatest = self.greatest < LIMIT && other.greatest < LIMIT;
        Range::new(
            if has_least { self.least + other.least } else { -LIMIT },
            if has_greatest { self.greatest + other.greatest } else { LIMIT },
        )
    }
}

impl Atoms {
    pub(crate) fn add(&mut self, kind: AtomKind, range: Range) -> Atom {
        self.kinds.push(kind);
        self.ranges.push(range);
        Atom(self.kinds.len() as u32 - 1)
    }

    /// The quantity of that kind that is there already, or a new one.
    pub(crate) fn find(&mut self, kind: AtomKind, range: Range) -> Atom {
        self.known(&kind).unwrap_or_else(|| self.add(kind, range))
    }

    /// The quantity of that kind, if there is one.
    pub(crate) fn known(&self, kind: &AtomKind) -> Option<Atom> {
        self.kinds.iter().position(|known| known == kind).map(|known| Atom(known as u32))
    }

    /// The coordinates of threads and blocks that have more than one value.
    pub(crate) fn coordinates(&self) -> impl Iterator<Item = Atom> {
        let is_one = |kind: &AtomKind| matches!(kind, AtomKind::Thread | AtomKind::Block { .. });
        let all =
            (0..).zip(&self.kinds).filter(move |(_, kind)| is_one(kind)).map(|(number, _)| Atom(number));
        all.filter(|atom| self.range(*atom).single().is_none())
    }

    pub(crate) fn kind(&self, atom: Atom) -> &AtomKind {
        &self.kinds[atom.0 as usize]
    }

    pub(crate) fn range(&self, atom: Atom) -> Range {
        self.ranges[atom.0 as usize]
    }

    pub(crate) fn set_range(&mut self, atom: Atom, range: Range) {
        self.ranges[atom.0 as usize] = range;
    }

    /// The range of a form whose quantities may each have any value of theirs.
    pub(crate) fn range_of(&self, form: &Form) -> Range {
        let terms = form.terms.iter().map(|(atom, factor)| self.range(*atom).times(*factor));
        terms.fold(Range::one(form.constant), Range::plus)
    }

    /// A form in which a quotient and a remainder of one division are what was divided, where they come together.
    pub(crate) fn simplified(&self, mut form: Form) -> Option<Form> {
        let whole = form.terms.iter().find_map(|(atom, factor)| {
            let AtomKind::Remainder { of, by } = self.kind(*atom) else { return None };
            let quotient = form.terms.iter().find(|(other, of_other)| {
                *of_other == factor.saturating_mul(*by)
                    && matches!(self.kind(*other), AtomKind::Quotient { of: same, by: also } if same == of && also == by)
            })?;
            Some((*atom, quotient.0, of.clone(), *factor))
        });
        let Some((remainder, quotient, of, factor)) = whole else { return Some(form) };
        form.terms.retain(|(atom, _)| *atom != remainder && *atom != quotient);
        self.simplified(form.plus(&of.times(factor)?)?)
    }
}

/// A constant plus quantities, each times a factor that is not 0, in the order of the quantities.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    pub(crate) terms: SmallVec<[(Atom, i64); 4]>,
    pub(crate) constant: i64,
}

impl Form {
    pub(crate) fn constant(constant: i64) -> Form {
        Form { constant, ..Form::default() }
    }

    pub(crate) fn atom(atom: Atom) -> Form {
        Form { terms: SmallVec::from_slice(&[(atom, 1)]), constant: 0 }
    }

    /// Its value, if it depends on nothing.
    pub(crate) fn value(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(crate) fn factor(&self, atom: Atom) -> i64 {
        self.terms.iter().find(|(of, _)| *of == atom).map_or(0, |(_, factor)| *factor)
    }

    /// A sum; `None` if it is beyond what is looked at.
    pub(crate) fn plus(&self, other: &Form) -> Option<Form> {
        let mut sum = Form::constant(within(self.constant.checked_add(other.constant)?)?);
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.0 == y.0 => {
                    let term = (x.0, within(x.1.checked_add(y.1)?)?);
                    a.next();
                    b.next();
                    term
                }
                (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => *a.next()?,
                (_, Some(_)) => *b.next()?,
                _ => break,
            };
            if next.1 != 0 {
                sum.terms.push(next);
            }
        }
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    pub(crate) fn times(&self, factor: i64) -> Option<Form> {
        if factor == 0 {
            return Some(Form::constant(0));
        }
        let mut product = self.clone();
        for number in std::iter::once(&mut product.constant).chain(product.terms.iter_mut().map(|t| &mut t.1))
        {
            *number = within(number.checked_mul(factor)?)?;
        }
        Some(product)
    }

    pub(crate) fn minus(&self, other: &Form) -> Option<Form> {
        self.plus(&other.times(-1)?)
    }

    pub(crate) fn plus_constant(&self, constant: i64) -> Option<Form> {
        self.plus(&Form::constant(constant))
    }

    /// The same with another form in place of a quantity.
    pub(crate) fn with(&self, atom: Atom, value: &Form) -> Option<Form> {
        let factor = self.factor(atom);
        if factor == 0 {
            return Some(self.clone());
        }
        let mut rest = self.clone();
        rest.terms.retain(|(of, _)| *of != atom);
        rest.plus(&value.times(factor)?)
    }
}

/// Forms of more terms are not looked at.
const MAX_TERMS: usize = 12;

fn within(number: i64) -> Option<i64> {
    (number.unsigned_abs() <= LIMIT as u64).then_some(number)
}

/// What is known on a path: forms that are not negative there.
pub(crate) type Facts = Vec<Form>;

/// How many facts are added up to bound a form.
const DEPTH: u32 = 3;

/// The least value of a form where the facts hold, or less.
fn least(atoms: &Atoms, facts: &[Form], form: &Form, depth: u32) -> i64 {
    let mut best = atoms.range_of(form).least;
    if depth == 0 || form.terms.is_empty() {
        return best;
    }
    // A quotient may have fewer values where the facts hold than elsewhere.
    let narrower = form.terms.iter().map(|(atom, factor)| match atoms.kind(*atom) {
        AtomKind::Quotient { of, by } => {
            let negative = of.times(-1).map_or(-LIMIT, |negative| least(atoms, facts, &negative, depth - 1));
            let from = least(atoms, facts, of, depth - 1).max(0) / by;
            let to = if negative <= -LIMIT { LIMIT } else { (-negative).div_euclid(*by) };
            Range::new(from, to.min(atoms.range(*atom).greatest)).times(*factor)
        }
        _ => atoms.range(*atom).times(*factor),
    });
    best = best.max(narrower.fold(Range::one(form.constant), Range::plus).least);
    // A fact, or what holds of a quotient: `of - by * q` is between 0 and `by - 1`.
    let divisions = form.terms.iter().filter_map(|(atom, _)| match atoms.kind(*atom) {
        AtomKind::Quotient { of, by } => {
            let rest = of.minus(&Form::atom(*atom).times(*by)?)?;
            let other = rest.times(-1)?.plus_constant(by - 1)?;
            Some([rest, other])
        }
        _ => None,
    });
    let divisions: SmallVec<[Form; 4]> = divisions.flatten().collect();
    for fact in facts.iter().chain(&divisions) {
        // So many times the fact as makes one term vanish.
        let mut tried = SmallVec::<[i64; 4]>::new();
        for (atom, of_fact) in &fact.terms {
            let factor = form.factor(*atom);
            if factor == 0
                || factor % of_fact != 0
                || factor / of_fact <= 0
                || tried.contains(&(factor / of_fact))
            {
                continue;
            }
            tried.push(factor / of_fact);
            let rest = fact.times(factor / of_fact).and_then(|times| form.minus(&times));
            if let Some(rest) = rest {
                best = best.max(least(atoms, facts, &rest, depth - 1));
            }
        }
    }
    best
}

/// A range of a form where the facts hold.
pub(crate) fn bound(atoms: &Atoms, facts: &[Form], form: &Form) -> Range {
    let Some(negative) = form.times(-1) else { return Range::ALL };
    Range::new(least(atoms, facts, form, DEPTH), -least(atoms, facts, &negative, DEPTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_bound_sums_of_what_they_bound() {
        let mut atoms = Atoms::default();
        let [row, col] = [0, 1].map(|_| atoms.add(AtomKind::Free, Range::below(64)));
        let form = Form::atom(row).times(50).unwrap().plus(&Form::atom(col)).unwrap();
        let below = |atom| Form::atom(atom).times(-1).unwrap().plus_constant(49).unwrap();
        assert_eq!(bound(&atoms, &[], &form), Range::new(0, 63 * 50 + 63));
        assert_eq!(bound(&atoms, &[below(row), below(col)], &form), Range::new(0, 2499));
    }

    #[test]
    fn quotient_and_remainder_together_are_what_was_divided() {
        let mut atoms = Atoms::default();
        let x = Form::atom(atoms.add(AtomKind::Free, Range::below(1000)));
        let (of, by) = (x.clone(), 7);
        let q = Form::atom(atoms.find(AtomKind::Quotient { of: of.clone(), by }, Range::below(143)));
        let r = Form::atom(atoms.find(AtomKind::Remainder { of, by }, Range::below(7)));
        let sum = q.times(7 * 4).unwrap().plus(&r.times(4).unwrap()).unwrap();
        assert_eq!(atoms.simplified(sum), x.times(4));
    }
}
