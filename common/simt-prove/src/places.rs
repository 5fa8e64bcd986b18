//! Sets of places in shared memory that have certainly been written.

use crate::form::{Atom, AtomKind, Atoms, Form, LIMIT, Range, bound};
use crate::overlap::Reach;
use std::collections::BTreeMap;

/// The places `first + a * f + b * g + ...` with each of `a`, `b` from 0 to a limit of its own, so many bytes at each; of those, the ones whose
/// first byte is within limits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Places {
    first: i64,
    bytes: i64,
    /// Each factor with the limit of what it is multiplied with: ascending, and none that another continues.
    steps: Vec<(i64, i64)>,
    within: Range,
}

impl Places {
    /// The places that an access has certainly been made to if all threads, and all iterations of loops, have come by for which its facts
    /// hold.
    pub(crate) fn of(atoms: &Atoms, Reach { form, bytes, facts }: &Reach) -> Option<Places> {
        // The facts must be limits of single quantities, or of the place itself.
        let mut ranges: BTreeMap<Atom, Range> = BTreeMap::new();
        let mut within = Range::ALL;
        for fact in facts {
            match &fact.terms[..] {
                _ if bound(atoms, &[], fact).least >= 0 => {}
                [] => return None,
                [(atom, factor)] => {
                    let range = ranges.entry(*atom).or_insert(atoms.range(*atom));
                    match *factor > 0 {
                        true => range.least = range.least.max(-fact.constant.div_euclid(*factor)),
                        false => range.greatest = range.greatest.min(fact.constant.div_euclid(-factor)),
                    }
                }
                [(atom, factor), ..] => {
                    let of_place = form.factor(*atom);
                    if of_place == 0 || of_place % factor != 0 {
                        return None;
                    }
                    // The place is a multiple of the fact, plus a constant.
                    let times = of_place / factor;
                    let constant = form.minus(&fact.times(times)?)?.value()?;
                    match times > 0 {
                        true => within.least = within.least.max(constant),
                        false => within.greatest = within.greatest.min(constant),
                    }
                }
            }
        }
        // Quantities that have all of their values, whatever the others have.
        let mut free: BTreeMap<Atom, Range> = BTreeMap::new();
        for atom in form.terms.iter().map(|(atom, _)| *atom).chain(ranges.keys().copied()) {
            let all = atoms.range(atom);
            match atoms.kind(atom) {
                AtomKind::Thread | AtomKind::Counter => {}
                // What the first iteration has stored is there in all of them.
                AtomKind::SharedCounter
                    if form.factor(atom) == 0 && ranges.get(&atom).is_none_or(|range| range.least == 0) => {}
                // Quotient and remainder have all pairs of values if what is divided has all values, and nothing else depends on it.
                AtomKind::Quotient { of, by } | AtomKind::Remainder { of, by } => {
                    let count = count_of(atoms, of)?;
                    let is_apart = |other: Atom| of.factor(other) == 0;
                    let others = form.terms.iter().map(|(atom, _)| *atom).chain(ranges.keys().copied());
                    if count % by != 0 || !others.into_iter().all(is_apart) {
                        return None;
                    }
                    let same = |other: &Atom| match atoms.kind(*other) {
                        AtomKind::Quotient { of: also, by: other }
                        | AtomKind::Remainder { of: also, by: other } => {
                            also.terms.iter().any(|(atom, _)| of.factor(*atom) != 0)
                                && (also, other) != (of, by)
                        }
                        _ => false,
                    };
                    if form.terms.iter().map(|(atom, _)| atom).chain(ranges.keys()).any(same) {
                        return None;
                    }
                }
                _ => return None,
            }
            let range = ranges.get(&atom).copied().unwrap_or(all);
            if range.is_empty() || range.least <= -LIMIT || range.greatest >= LIMIT {
                return None;
            }
            free.insert(atom, range);
        }
        let mut first = form.constant;
        let mut steps = Vec::new();
        for (atom, factor) in &form.terms {
            let range = free.get(atom)?;
            let limit = range.greatest - range.least;
            first = first.checked_add(factor.checked_mul(if *factor > 0 {
                range.least
            } else {
                range.greatest
            })?)?;
            steps.push((factor.abs(), limit));
        }
        Some(Places { first, bytes: *bytes, steps, within }.simplified())
    }

    /// The same with as few steps as possible.
    fn simplified(mut self) -> Places {
        self.steps.retain(|(_, limit)| *limit > 0);
        self.steps.sort_unstable();
        let mut steps: Vec<(i64, i64)> = Vec::new();
        for (factor, limit) in std::mem::take(&mut self.steps) {
            match steps.last_mut() {
                // It goes on where the step before ends, or before that.
                Some((known, known_limit)) if factor % *known == 0 && factor / *known <= *known_limit + 1 => {
                    *known_limit += factor / *known * limit;
                }
                _ => steps.push((factor, limit)),
            }
        }
        // Elements after each other are one.
        if let Some((factor, limit)) = steps.first().copied()
            && factor <= self.bytes
            && self.within == Range::ALL
        {
            self.bytes += factor * limit;
            steps.remove(0);
        }
        self.steps = steps;
        self
    }

    /// The bytes from the first to the last, if all between are there.
    fn interval(&self) -> Option<Range> {
        let (least, greatest) = match self.steps[..] {
            [] => (self.first, self.first),
            [(factor, limit)] if factor <= self.bytes => (self.first, self.first + factor * limit),
            _ => return None,
        };
        let factor = self.steps.first().map_or(1, |(factor, _)| *factor);
        // The first and the last place that is within the limits.
        let skipped = (self.within.least - least).max(0);
        let over = (greatest - self.within.greatest).max(0);
        let least = least + skipped.checked_add(factor - 1)? / factor * factor;
        let greatest = greatest - over.checked_add(factor - 1)? / factor * factor;
        (least <= greatest).then(|| Range::new(least, greatest + self.bytes - 1))
    }

    /// Whether an access lies in one of the places, whatever its quantities are.
    fn hold(&self, atoms: &Atoms, Reach { form, bytes, facts }: &Reach) -> bool {
        let place = bound(atoms, facts, form);
        if self.within != Range::ALL || place.least < self.first {
            return false;
        }
        let Some(mut rest) = form.plus_constant(-self.first) else { return false };
        for (factor, limit) in self.steps.iter().rev() {
            let mut digit = Form::constant(rest.constant.div_euclid(*factor));
            let (of_digit, others): (Vec<_>, Vec<_>) = rest.terms.iter().partition(|(_, f)| f % factor == 0);
            digit.terms = of_digit.into_iter().map(|(atom, f)| (atom, f / factor)).collect();
            rest = Form { terms: others.into_iter().collect(), constant: rest.constant.rem_euclid(*factor) };
            let range = bound(atoms, facts, &digit);
            if range.least < 0 || range.greatest > *limit {
                return false;
            }
        }
        let within = bound(atoms, facts, &rest);
        within.least >= 0 && within.greatest + bytes <= self.bytes
    }
}

/// How many values a form has, if it has all of those from 0 on.
fn count_of(atoms: &Atoms, form: &Form) -> Option<i64> {
    let is_thread = |(atom, _): &(Atom, i64)| *atoms.kind(*atom) == AtomKind::Thread;
    if !form.terms.iter().all(is_thread) {
        return None;
    }
    let reach = Reach { form: form.clone(), bytes: 1, facts: Vec::new() };
    let places = Places::of(atoms, &reach)?;
    (places.first == 0 && places.steps.is_empty()).then_some(places.bytes)
}

/// Sets of places with those joined that differ only in where they begin, and follow each other by equal steps.
pub(crate) fn joined(mut all: Vec<(u32, Places)>) -> Vec<(u32, Places)> {
    let key = |(variable, places): &(u32, Places)| (*variable, places.bytes, places.steps.clone());
    all.sort_by(|a, b| key(a).cmp(&key(b)).then(a.1.first.cmp(&b.1.first)));
    let mut out = Vec::new();
    for alike in all.chunk_by(|a, b| key(a) == key(b)) {
        let is_whole = |(_, places): &(u32, Places)| places.within == Range::ALL;
        let step = alike.get(1).map_or(0, |second| second.1.first - alike[0].1.first);
        let follows = |pair: &[(u32, Places)]| pair[1].1.first - pair[0].1.first == step;
        out.extend(alike.iter().cloned());
        if step > 0 && alike.iter().all(is_whole) && alike.windows(2).all(follows) {
            let (variable, mut places) = alike[0].clone();
            places.steps.push((step, alike.len() as i64 - 1));
            out.push((variable, places.simplified()));
        }
    }
    out
}

/// Whether an access to a variable certainly lies in places of the variable that are in the list.
pub(crate) fn covered(atoms: &Atoms, written: &[(u32, Places)], variable: u32, reach: &Reach) -> bool {
    let of_variable = || written.iter().filter(|(of, _)| *of == variable).map(|(_, places)| places);
    if of_variable().any(|places| places.hold(atoms, reach)) {
        return true;
    }
    let place = bound(atoms, &reach.facts, &reach.form);
    if place.least <= -LIMIT || place.greatest >= LIMIT {
        return false;
    }
    let (mut from, to) = (place.least, place.greatest + reach.bytes - 1);
    while from <= to {
        let intervals = of_variable().filter_map(Places::interval);
        match intervals
            .filter(|bytes| bytes.least <= from && from <= bytes.greatest)
            .map(|b| b.greatest)
            .max()
        {
            Some(end) => from = end + 1,
            None => return false,
        }
    }
    true
}
