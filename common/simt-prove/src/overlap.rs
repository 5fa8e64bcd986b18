//! Whether two accesses of different threads can meet.
//!
//! Two places meet if their distance is less than an access is long. That is a linear constraint on the coordinates of both threads
//! and on the counters of their loops; so are the guards under which each is reached, and what divisions give. The ranges of all of them
//! are narrowed by one constraint after the other (bounds propagation) until nothing changes. Either a range becomes empty,
//! and the two never meet, or all coordinates of the threads are equal, and it is one thread.
//!
//! Sums of coordinates that a guard bounds, such as `blockIdx.x * 16 + threadIdx.x < n`, are variables of their own
//! beside their parts, because their range is smaller than what their parts' ranges give.

use crate::form::{Atom, AtomKind, Atoms, Facts, Form, LIMIT, Range, bound};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// What one access may touch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reach {
    /// The first byte.
    pub(crate) form: Form,
    pub(crate) bytes: i64,
    /// What holds where it is reached.
    pub(crate) facts: Facts,
}

/// Which threads are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// All of the grid, at any time.
    Grid,
    /// Those of one block, between two barriers.
    Block,
}

/// Rounds of narrowing, at most.
const ROUNDS: usize = 24;
/// Sums that are variables of their own, at most.
const MAX_SUMS: usize = 6;

/// A variable of the constraints: a part of one thread's access or the other's, or the difference between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    One,
    Other,
    Difference,
}

/// A part is a quantity or one of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Atom(Atom),
    Sum(usize),
}

type Variable = (Part, Side);

/// A sum of variables that lies in a range.
struct Constraint {
    terms: SmallVec<[(usize, i64); 8]>,
    within: Range,
}

#[derive(Default)]
struct System {
    numbers: BTreeMap<Variable, usize>,
    ranges: Vec<Range>,
    constraints: Vec<Constraint>,
}

/// Whether it is certain that no two threads meet by these accesses, one by the first and another by the second.
pub(crate) fn never_meet(atoms: &Atoms, one: &Reach, other: &Reach, between: Between) -> bool {
    let mut system = System::default();
    let sums = sums(one, other);
    let mut pending: Vec<Atom> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    let forms = [&one.form, &other.form].into_iter().chain(&one.facts).chain(&other.facts).chain(&sums);
    forms.for_each(|form| pending.extend(form.terms.iter().map(|(atom, _)| *atom)));
    pending.extend(atoms.coordinates());
    while let Some(atom) = pending.pop() {
        if !seen.insert(atom) {
            continue;
        }
        let form = Form::atom(atom);
        let ranges = [bound(atoms, &one.facts, &form), bound(atoms, &other.facts, &form)];
        let is_common = match atoms.kind(atom) {
            AtomKind::Block { .. } | AtomKind::SharedCounter => between == Between::Block,
            _ => false,
        };
        system.part(Part::Atom(atom), ranges, is_common);
        if let AtomKind::Quotient { of, .. } | AtomKind::Remainder { of, .. } = atoms.kind(atom) {
            pending.extend(of.terms.iter().map(|(atom, _)| *atom));
        }
        if let AtomKind::Remainder { of, by } = atoms.kind(atom) {
            pending.extend(atoms.known(&AtomKind::Quotient { of: of.clone(), by: *by }));
        }
    }
    for (number, sum) in sums.iter().enumerate() {
        let ranges = [bound(atoms, &one.facts, sum), bound(atoms, &other.facts, sum)];
        system.part(Part::Sum(number), ranges, false);
        for side in [Side::One, Side::Other, Side::Difference] {
            let mut terms = system.terms(sum, side);
            terms.push((system.number((Part::Sum(number), side)), -1));
            system.constraints.push(Constraint { terms, within: Range::one(0) });
        }
    }
    // What was divided is the divisor times the quotient plus a remainder.
    let none_or_all = [Vec::new(), (0..sums.len()).collect()];
    for (atom, chosen) in seen.iter().flat_map(|atom| none_or_all.iter().map(move |chosen| (atom, chosen))) {
        let AtomKind::Quotient { of, by } = atoms.kind(*atom) else { continue };
        let remainder = atoms.known(&AtomKind::Remainder { of: of.clone(), by: *by });
        let remainder = remainder.filter(|remainder| seen.contains(remainder));
        for side in [Side::One, Side::Other, Side::Difference] {
            let of_parts = parts(of, chosen, &sums);
            let mut terms: SmallVec<[(usize, i64); 8]> =
                of_parts.iter().map(|(part, factor)| (system.number((*part, side)), *factor)).collect();
            terms.push((system.number((Part::Atom(*atom), side)), -by));
            let (constant, rest) = match side {
                Side::Difference => (0, Range::new(1 - by, by - 1)),
                Side::One | Side::Other => (of.constant, Range::below(*by)),
            };
            let rest = match remainder {
                Some(remainder) => {
                    terms.push((system.number((Part::Atom(remainder), side)), -1));
                    Range::one(0)
                }
                None => rest,
            };
            system.constraints.push(Constraint { terms, within: rest.plus(Range::one(-constant)) });
        }
    }
    for (reach, side) in [(one, Side::One), (other, Side::Other)] {
        for fact in &reach.facts {
            let terms = system.terms(fact, side);
            let within = Range { least: -fact.constant, greatest: Range::ALL.greatest };
            system.constraints.push(Constraint { terms, within });
        }
    }
    // The places meet: the first byte of one is less than an access before or behind that of the other.
    let within = Range::new(1 - one.bytes, other.bytes - 1);
    let choices = (0..sums.len()).flat_map(|i| (i..sums.len()).map(move |j| vec![i, j]));
    for chosen in none_or_all.into_iter().chain(choices) {
        let (of_one, of_other) = (parts(&one.form, &chosen, &sums), parts(&other.form, &chosen, &sums));
        system.meet((of_one, one.form.constant), (of_other, other.form.constant), within);
    }
    match system.narrow() {
        Err(Empty) => true,
        Ok(()) => atoms.coordinates().all(|atom| {
            let is_same_block =
                between == Between::Block && matches!(atoms.kind(atom), AtomKind::Block { .. });
            is_same_block || system.range((Part::Atom(atom), Side::Difference)) == Range::one(0)
        }),
    }
}

/// The sums that guards bound, without constants, each divided by what its factors have in common.
fn sums(one: &Reach, other: &Reach) -> Vec<Form> {
    let mut sums: Vec<Form> = Vec::new();
    for fact in one.facts.iter().chain(&other.facts) {
        let common = fact.terms.iter().fold(0, |common, (_, factor)| gcd(common, *factor));
        if fact.terms.len() < 2 {
            continue;
        }
        let common = common * fact.terms[0].1.signum();
        let terms = fact.terms.iter().map(|(atom, factor)| (*atom, factor / common)).collect();
        let sum = Form { terms, constant: 0 };
        if !sums.contains(&sum) && sums.len() < MAX_SUMS {
            sums.push(sum);
        }
    }
    sums
}

pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// A form's terms, with the chosen sums in place of their parts where these come together.
fn parts(form: &Form, chosen: &[usize], sums: &[Form]) -> BTreeMap<Part, i64> {
    let mut rest = form.clone();
    let mut parts = BTreeMap::new();
    for number in chosen {
        let sum = &sums[*number];
        let times = rest.factor(sum.terms[0].0) / sum.terms[0].1;
        let is_there =
            times != 0 && sum.terms.iter().all(|(atom, factor)| rest.factor(*atom) == times * factor);
        if is_there {
            rest.terms.retain(|(atom, _)| sum.factor(*atom) == 0);
            parts.insert(Part::Sum(*number), times);
        }
    }
    parts.extend(rest.terms.iter().map(|(atom, factor)| (Part::Atom(*atom), *factor)));
    parts
}

/// The ends of a range; where it has none, far beyond all others.
fn ends(range: Range) -> [i128; 2] {
    [
        if range.least <= -LIMIT { -ENDLESS } else { range.least.into() },
        if range.greatest >= LIMIT { ENDLESS } else { range.greatest.into() },
    ]
}

/// More than any sum of products that are not endless.
const ENDLESS: i128 = 1 << 110;

/// A variable has no value.
struct Empty;

impl System {
    fn number(&self, variable: Variable) -> usize {
        self.numbers[&variable]
    }

    fn range(&self, variable: Variable) -> Range {
        self.ranges[self.number(variable)]
    }

    fn add(&mut self, variable: Variable, range: Range) -> usize {
        let number = self.ranges.len();
        self.numbers.insert(variable, number);
        self.ranges.push(range);
        number
    }

    /// Adds a part: its value in each thread, and the difference.
    fn part(&mut self, part: Part, [one, other]: [Range; 2], is_common: bool) {
        let difference = match is_common {
            true => Range::one(0),
            false => one.plus(other.times(-1)),
        };
        let a = self.add((part, Side::One), one);
        let b = self.add((part, Side::Other), other);
        let d = self.add((part, Side::Difference), difference);
        let terms = SmallVec::from_slice(&[(a, 1), (b, -1), (d, -1)]);
        self.constraints.push(Constraint { terms, within: Range::one(0) });
    }

    fn terms(&self, form: &Form, side: Side) -> SmallVec<[(usize, i64); 8]> {
        form.terms.iter().map(|(atom, factor)| (self.number((Part::Atom(*atom), side)), *factor)).collect()
    }

    /// Two sums of parts are equal but for what is in a range.
    fn meet(
        &mut self,
        (one, of_one): (BTreeMap<Part, i64>, i64),
        (other, of_other): (BTreeMap<Part, i64>, i64),
        within: Range,
    ) {
        let mut terms = SmallVec::new();
        for (part, factor) in &one {
            match other.get(part) {
                Some(same) if same == factor => {
                    terms.push((self.number((*part, Side::Difference)), *factor));
                }
                _ => terms.push((self.number((*part, Side::One)), *factor)),
            }
        }
        for (part, factor) in &other {
            if one.get(part) != Some(factor) {
                terms.push((self.number((*part, Side::Other)), -factor));
            }
        }
        let within = within.plus(Range::one(of_other - of_one));
        self.constraints.push(Constraint { terms, within });
    }

    /// Narrows all ranges by all constraints.
    fn narrow(&mut self) -> Result<(), Empty> {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for Constraint { terms, within } in &self.constraints {
                let common = terms.iter().fold(0, |common, (_, factor)| gcd(common, *factor));
                let has_multiple = match common {
                    0 => within.least <= 0 && within.greatest >= 0,
                    _ if within.least <= -LIMIT || within.greatest >= LIMIT => true,
                    common => within.greatest.div_euclid(common) * common >= within.least,
                };
                if within.is_empty() || !has_multiple {
                    return Err(Empty);
                }
                let times = |(variable, factor): &(usize, i64)| ends(self.ranges[*variable].times(*factor));
                let before: SmallVec<[[i128; 2]; 8]> = terms.iter().map(times).collect();
                let all =
                    before.iter().fold([0, 0], |[least, greatest], [from, to]| [least + from, greatest + to]);
                let [from, to] = ends(*within);
                for (at, (variable, factor)) in terms.iter().enumerate() {
                    let own = self.ranges[*variable];
                    let part = before[at];
                    // What the others leave for this term.
                    let least = from - (all[1] - part[1]);
                    let greatest = to - (all[0] - part[0]);
                    let factor = i128::from(*factor);
                    let (least, greatest) = match factor > 0 {
                        true => (least, greatest),
                        false => (-greatest, -least),
                    };
                    let size = factor.abs();
                    let least = -((-least).div_euclid(size));
                    let greatest = greatest.div_euclid(size);
                    let [own_least, own_greatest] = ends(own);
                    let (least, greatest) = (least.max(own_least), greatest.min(own_greatest));
                    if least > greatest {
                        return Err(Empty);
                    }
                    let limit = i128::from(LIMIT);
                    let [least, greatest] = [least, greatest].map(|end| end.clamp(-limit, limit) as i64);
                    let narrowed = Range::new(least, greatest);
                    if narrowed != own {
                        self.ranges[*variable] = narrowed;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }
}
