//! Which condition lets an index through: each one around an access is compared with the values of its coordinate that lead to elements.

use super::coordinates::{Coordinate, Coordinates, Cover};
use super::{Bound, Cause, Found, Indexed, bounds, leaves};
use simt_ir::Location;

/// An upper bound of a coordinate, or of a part of it, with its values in the thread that failed.
struct Tested<'b> {
    bound: &'b Bound,
    cover: Cover,
    value: i128,
    limit: i128,
    /// The first value that the condition does not let through.
    end: i128,
}

impl Found<'_> {
    /// The cause where the index is at the end of the array or after it.
    pub(super) fn past_the_end(&self) -> Option<Cause> {
        let around = self.bounds();
        let coordinates = Coordinates::of(self, &around)?;
        if coordinates.all.is_empty() {
            return Some(Cause::Uniform { index: self.index()? });
        }
        let tested: Vec<Tested<'_>> =
            around.iter().filter_map(|bound| self.compared(&coordinates, bound)).collect();
        let wrong_row = self.row_length(&coordinates, &tested);
        wrong_row.or_else(|| {
            let is_outside = |one: &&Coordinate| one.extent.is_some_and(|extent| one.value >= extent);
            let mut outside = coordinates.all.iter().filter(is_outside);
            outside.find_map(|one| self.let_through(&coordinates, one, &tested))
        })
    }

    fn compared<'b>(&self, coordinates: &Coordinates, bound: &'b Bound) -> Option<Tested<'b>> {
        let [lhs, rhs] = &bound.sides;
        let cover = coordinates.cover(self, lhs)?;
        let (value, limit) = (self.values.of(lhs, true)?, self.values.of(rhs, true)?);
        Some(Tested { bound, cover, value, limit, end: limit + i128::from(bound.is_inclusive) })
    }

    /// The cause where the conditions allow as many values as there are elements, and a coordinate is multiplied by something else than
    /// the number of values of the faster ones.
    fn row_length(&self, coordinates: &Coordinates, tested: &[Tested<'_>]) -> Option<Cause> {
        let limits: Option<Vec<&Tested<'_>>> =
            coordinates.all.iter().map(|one| tightest(one, tested)).collect();
        let limits = limits?;
        if coordinates.all.len() < 2 || limits.iter().any(|one| one.bound.is_inclusive) {
            return None;
        }
        let elements: i128 = limits.iter().try_fold(self.element, |all, one| all.checked_mul(one.limit))?;
        if elements != self.size() {
            return None;
        }
        let mut stride = self.element;
        for (at, one) in coordinates.all.iter().enumerate().rev() {
            if one.stride != stride {
                let faster = limits.get(at + 1)?;
                let [factor] = &one.factors[..] else { return None };
                let value = self.values.of(factor, true)?;
                return Some(Cause::RowLength {
                    index: self.index()?.text,
                    row: one.index.as_ref()?.text.clone(),
                    factor: Indexed { text: self.text(factor)?, value },
                    length: Indexed { text: self.text(&faster.bound.sides[1])?, value: faster.limit },
                    column: self.text(&faster.bound.sides[0])?,
                });
            }
            stride *= limits[at].limit;
        }
        None
    }

    /// The condition that lets a coordinate through, or that there is none.
    fn let_through(
        &self,
        coordinates: &Coordinates,
        one: &Coordinate,
        tested: &[Tested<'_>],
    ) -> Option<Cause> {
        if let Some(tightest) = tightest(one, tested) {
            return self.too_far(coordinates, one, tightest);
        }
        let partial: Vec<&Tested<'_>> = tested.iter().filter(|t| t.cover.is_in(one)).collect();
        if let Some(cause) = self.too_far_for_window(one, &partial) {
            return Some(cause);
        }
        if let Some(guard) = self.guard_that_ends(coordinates, one) {
            return Some(Cause::GuardEnds { guard });
        }
        let index = one.index.clone().or_else(|| self.index())?;
        let nearest = partial.iter().rev().find(|t| !t.bound.of_loop).or(partial.last());
        if let Some(nearest) = nearest {
            return self.tests_part(nearest, index);
        }
        let is_slowest = coordinates.all.len() == 1 || one.stride == coordinates.all[0].stride;
        (!self.is_tested_otherwise(coordinates, one)).then_some(())?;
        let limit =
            one.extent_name.clone().or_else(|| is_slowest.then(|| self.length_name(one.extent?, one))?);
        let words = match coordinates.all.len() {
            1 => "the number of elements",
            2 if is_slowest => "the number of rows",
            _ => "the array's size along that axis",
        };
        Some(Cause::NoGuard { index, limit, words })
    }

    fn tests_part(&self, tested: &Tested<'_>, index: Indexed) -> Option<Cause> {
        let Tested { bound, value, .. } = *tested;
        let tested = Indexed { text: self.text(&bound.sides[0])?, value };
        Some(Cause::TestsPart { condition: bound.location, tested: tested.text, value, index })
    }

    /// The cause where a condition tests a whole coordinate.
    fn too_far(&self, coordinates: &Coordinates, one: &Coordinate, tested: &Tested<'_>) -> Option<Cause> {
        let Tested { bound, value, limit, .. } = *tested;
        let (condition, of_loop, step) = (bound.location, bound.of_loop, tested.cover.step);
        let rest = one.value * one.stride - step * value;
        // How many values of the tested side, from 0, lead to elements.
        let elements = (((one.extent? - 1) * one.stride - rest).div_euclid(step) + 1).max(0);
        let text = self.text(&bound.sides[0])?;
        // A pointer counts bytes.
        let is_pointer = step < self.element;
        let shown = if is_pointer { value / self.element } else { value };
        let is_length = if is_pointer { rest == 0 && limit == self.size() } else { elements == limit };
        if bound.is_inclusive && value == limit && is_length {
            return Some(Cause::Inclusive { condition, tested: Indexed { text, value: shown }, of_loop });
        }
        let is_own_length = limit == self.size() / self.element || Some(limit) == one.extent;
        if (0..step).contains(&rest)
            && step >= self.element
            && (step == one.stride && step == self.element || !is_own_length)
        {
            let limit_text = self.text(&bound.sides[1])?;
            let tested = Indexed { text, value };
            return Some(Cause::Limit {
                condition,
                tested,
                limit: limit_text,
                value: limit,
                elements,
                of_loop,
            });
        }
        let own = one.index.clone().filter(|_| coordinates.all.len() > 1);
        self.tests_part(tested, own.or_else(|| self.index())?)
    }

    /// The cause where a guard of a window's centre goes one too far: with the window's other terms at their ends, all values below the
    /// limit stay inside, and the limit does not.
    fn too_far_for_window(&self, one: &Coordinate, partial: &[&Tested<'_>]) -> Option<Cause> {
        let is_guard = |t: &&&Tested<'_>| !t.bound.of_loop && t.bound.is_inclusive && t.value == t.limit;
        let mut guards = partial.iter().filter(is_guard);
        let (guard, None) = (guards.next()?, guards.next()) else { return None };
        let further: i128 = partial
            .iter()
            .filter(|t| !t.cover.shares(&guard.cover))
            .map(|t| (t.end - 1 - t.value).max(0) * t.cover.step)
            .sum();
        let last = one.value * one.stride + further - guard.cover.step;
        (last.div_euclid(one.stride) < one.extent?).then_some(())?;
        let tested = Indexed { text: self.text(&guard.bound.sides[0])?, value: guard.value };
        Some(Cause::Inclusive { condition: guard.bound.location, tested, of_loop: false })
    }

    /// A guard before the access that is false in this thread and lets all elements through, and nothing else.
    fn guard_that_ends(&self, coordinates: &Coordinates, one: &Coordinate) -> Option<Location> {
        let covers = |passed: &super::trace::Passed| {
            let mut found = Vec::new();
            let condition = super::Condition { term: passed.term.clone(), holds: true, of_loop: false };
            bounds(&condition, &mut found, 32);
            found.iter().filter_map(|bound| self.compared(coordinates, bound)).any(|t| {
                let rest = one.value * one.stride - t.cover.step * t.value;
                t.cover.is_all_of(one)
                    && rest == 0
                    && Some(t.end * t.cover.step) == one.extent.map(|e| e * one.stride)
            })
        };
        let ended = self.access.passed.iter().rev();
        ended.filter(|p| self.values.of(&p.term, true) == Some(0)).find(|p| covers(p)).map(|p| p.location)
    }

    /// Whether a condition has to do with a coordinate in a way that is not known.
    fn is_tested_otherwise(&self, coordinates: &Coordinates, one: &Coordinate) -> bool {
        let own = coordinates.leaves(one);
        own.contains(&super::Term::Unknown)
            || self.access.conditions.iter().any(|condition| {
                let mut found = Vec::new();
                bounds(condition, &mut found, 32);
                let is_of_others = !found.is_empty()
                    && found.iter().all(|bound| {
                        let [lhs, rhs] = bound.sides.each_ref().map(|side| coordinates.cover(self, side));
                        // What is on the right is tested for being too small.
                        rhs.is_some() || lhs.is_some_and(|cover| cover.is_apart_from(one))
                    });
                !is_of_others && leaves(&condition.term).iter().any(|leaf| own.contains(leaf))
            })
    }

    /// The parameter that is the number of a coordinate's values, if the values of the launch leave no choice.
    fn length_name(&self, extent: i128, one: &Coordinate) -> Option<String> {
        let parameters = self.case.launch.map_or(&[][..], |launch| &launch.integers);
        let is_factor =
            |name: &str| one.factors.iter().any(|f| self.text(f).is_some_and(|text| text == name));
        let mut named =
            parameters.iter().filter(|(name, value)| i128::from(*value) == extent && !is_factor(name));
        match (named.next(), named.next()) {
            (Some((name, _)), None) => Some(name.clone()),
            _ => None,
        }
    }
}

/// The bound of a whole coordinate that lets least through, and of equal ones the one nearest to the access.
fn tightest<'t, 'b>(one: &Coordinate, tested: &'t [Tested<'b>]) -> Option<&'t Tested<'b>> {
    let all = tested.iter().rev().filter(|t| t.cover.is_all_of(one));
    all.min_by_key(|t| (t.end - t.value) * t.cover.step)
}
