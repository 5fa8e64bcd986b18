//! Why an index is out of bounds, from the typed program: the address of the access is followed back through its definitions, and
//! evaluated for the thread that failed. A cause is given only where that gives the very address of the fault.

mod coordinates;
mod guards;
mod trace;
mod value;
mod words;

use super::Case;
use super::bounds::Outside;
use simt_ir::{BinaryOp, CompareOp, Conversion, Location, Register, Special};
use std::rc::Rc;
use trace::{Access, Condition, Term};
use value::{Event, Place, Values};

/// Why an index is out of bounds. Locations are those of the expressions that a cure would change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cause {
    /// What an operation on integers gives does not fit their 32 bits.
    Overflow { op: BinaryOp, location: Location, exact: i128, signed: bool },
    /// More was subtracted from an unsigned number than it is.
    UnsignedWrap { location: Location, exact: i128 },
    /// `%` of a negative number.
    NegativeRemainder { location: Location, value: i128 },
    /// More is subtracted than the number is: a halo at the start of an array.
    Subtracted { location: Location, lhs: i128, rhs: i128 },
    /// A condition, of a loop or a guard, lets one more through, because it includes its limit.
    Inclusive { condition: Location, tested: Indexed, of_loop: bool },
    /// A condition's limit is more than the array has.
    Limit { condition: Location, tested: Indexed, limit: String, value: i128, elements: i128, of_loop: bool },
    /// A row number is multiplied by something else than the length of a row, which is the limit of the column.
    RowLength { index: String, row: String, factor: Indexed, length: Indexed, column: String },
    /// A condition tests a part of the index.
    TestsPart { condition: Location, tested: String, value: i128, index: Indexed },
    /// A guard ends before the access.
    GuardEnds { guard: Location },
    /// Nothing tests an index, or one coordinate of it, that depends on the thread. `limit` is a name, `words` say the same.
    NoGuard { index: Indexed, limit: Option<String>, words: &'static str },
    /// A loop begins where there is no element.
    LoopStart { variable: String, value: i128 },
    /// Several elements are accessed as one, and not all of them are left. `condition` tests the first.
    PartOfVector { condition: Option<Location>, index: String, scale: i128, elements: i64 },
    /// The index was read from memory.
    FromMemory { location: Location, value: i128 },
    /// The index is the same in all threads, and is this.
    Uniform { index: Indexed },
}

/// An index as the source names it, and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Indexed {
    pub(crate) text: String,
    value: i128,
}

/// `lhs < rhs`, or `<=`, that holds.
struct Bound {
    sides: [Rc<Term>; 2],
    is_inclusive: bool,
    location: Location,
    of_loop: bool,
}

/// An access whose address in this thread is that of the fault.
struct Found<'a> {
    case: &'a Case<'a>,
    outside: &'a Outside<'a>,
    element: i128,
    access: Access,
    values: Values<'a>,
    /// Of the kernel before it is optimised.
    registers: &'a [Register],
    /// Terms that the address is a sum of, each with its bytes per step; sums are in it, too, before their terms.
    parts: Vec<(i128, Rc<Term>)>,
}

/// The cause, where it is certain.
pub(super) fn find(case: &Case<'_>, outside: &Outside<'_>, element: i64) -> Option<Cause> {
    let (program, kernel) = case.program?;
    let place = place(case)?;
    let kernel = program.unoptimised(kernel)?;
    let address = i128::from(outside.offset);
    let mut causes = Vec::new();
    for access in trace::accesses(&kernel, case.fault.location?) {
        let mut values = Values::new(&place);
        if values.iterate(&access, address).is_none() {
            causes.extend(from_memory(&access, &mut values, address));
            continue;
        }
        let mut parts = Vec::new();
        add_parts(&access.address, 1, &values, &mut parts);
        let found = Found {
            case,
            outside,
            element: element.into(),
            access,
            values,
            registers: &kernel.registers,
            parts,
        };
        causes.push(found.cause()?);
    }
    causes.dedup();
    if causes.len() == 1 { causes.pop() } else { None }
}

fn place(case: &Case<'_>) -> Option<Place> {
    let launch = case.launch?;
    let value = |name: &str| launch.integers.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
    Some(Place {
        thread: case.fault.thread,
        block: case.fault.block,
        block_size: launch.block,
        grid: launch.grid,
        parameters: case.kernel?.params.iter().map(|p| value(&p.name)).collect(),
    })
}

/// The index that was read, where the address is known but for one value from memory.
fn from_memory(access: &Access, values: &mut Values<'_>, address: i128) -> Option<Cause> {
    let mut loads = Vec::new();
    for_each(&access.address, &mut |term| {
        if let Term::Loaded(location, _) = term {
            loads.push(*location);
        }
        !matches!(term, Term::Loaded(..))
    });
    loads.dedup();
    let [location] = *loads else { return None };
    let mut at = |value| {
        values.loaded = Some(value);
        values.of(&access.address, true)
    };
    let (zero, one) = (at(0)?, at(1)?);
    let value = (address - zero).checked_div(one - zero)?;
    (at(value)? == address).then_some(Cause::FromMemory { location, value })
}

/// Calls `f` with a term and those in it, as long as it gives true; each shared term once or a few times, at most `LIMIT` in all.
fn for_each(term: &Rc<Term>, f: &mut impl FnMut(&Term) -> bool) {
    const LIMIT: usize = 4096;
    let mut open = vec![term.clone()];
    let mut seen = 0;
    while let Some(term) = open.pop() {
        seen += 1;
        if seen > LIMIT || !f(&term) {
            continue;
        }
        match &*term {
            Term::Binary { operands, .. } | Term::Compare { operands, .. } => {
                open.extend(operands.iter().cloned())
            }
            Term::Select(operands) => open.extend(operands.iter().cloned()),
            Term::Negated(inner) | Term::Not(inner) | Term::Converted(_, inner) => open.push(inner.clone()),
            Term::Named(_, inner) | Term::Loaded(_, inner) => open.push(inner.clone()),
            Term::Integer { .. } | Term::Truth(_) | Term::Parameter(_) | Term::Special(_) => {}
            Term::Carried(..) | Term::Unknown => {}
        }
    }
}

/// Splits a sum, and products by what has a value, into terms that are multiplied by numbers.
fn add_parts(term: &Rc<Term>, scale: i128, values: &Values<'_>, parts: &mut Vec<(i128, Rc<Term>)>) {
    const MOST: usize = 64;
    if parts.len() >= MOST {
        return;
    }
    parts.push((scale, term.clone()));
    match &**term {
        Term::Named(_, inner) | Term::Converted(Conversion::SignExtend | Conversion::ZeroExtend, inner) => {
            add_parts(inner, scale, values, parts);
        }
        Term::Negated(inner) => add_parts(inner, -scale, values, parts),
        Term::Binary { op, operands: [lhs, rhs], .. } => {
            let mut times = |term: &Rc<Term>, by: Option<i128>| {
                if let Some(scale) = by.and_then(|by| scale.checked_mul(by)).filter(|scale| *scale != 0) {
                    add_parts(term, scale, values, parts);
                }
            };
            match op {
                BinaryOp::Add => [lhs, rhs].into_iter().for_each(|term| times(term, Some(1))),
                BinaryOp::Sub => {
                    times(lhs, Some(1));
                    times(rhs, Some(-1));
                }
                BinaryOp::Mul => {
                    times(lhs, values.of(rhs, true));
                    times(rhs, values.of(lhs, true));
                }
                BinaryOp::Shl => times(lhs, values.of(rhs, true).and_then(|by| 1i128.checked_shl(by as u32))),
                _ => {}
            }
        }
        _ => {}
    }
}

/// The same value, under any name and of any width.
fn is_same(one: &Rc<Term>, other: &Rc<Term>, fuel: u32) -> bool {
    let Some(fuel) = fuel.checked_sub(1) else { return false };
    if Rc::ptr_eq(one, other) {
        return !matches!(**one, Term::Unknown);
    }
    let all = |one: &[Rc<Term>], other: &[Rc<Term>]| one.iter().zip(other).all(|(a, b)| is_same(a, b, fuel));
    match (&**one, &**other) {
        (Term::Named(_, inner) | Term::Converted(_, inner), _) => is_same(inner, other, fuel),
        (_, Term::Named(_, inner) | Term::Converted(_, inner)) => is_same(one, inner, fuel),
        (Term::Integer { value: a, .. }, Term::Integer { value: b, .. }) => a == b,
        (Term::Binary { op: a, operands, .. }, Term::Binary { op: b, operands: others, .. }) => {
            a == b && all(operands, others)
        }
        (Term::Parameter(a), Term::Parameter(b)) => a == b,
        (Term::Special(a), Term::Special(b)) => a == b,
        (Term::Carried(a, x), Term::Carried(b, y)) => (a, x) == (b, y),
        _ => false,
    }
}

/// What differs from thread to thread or from iteration to iteration in a term.
fn leaves(term: &Rc<Term>) -> Vec<Term> {
    let mut leaves = Vec::new();
    for_each(term, &mut |term| {
        match term {
            Term::Special(Special::ThreadIdx(_) | Special::BlockIdx(_) | Special::LaneId)
            | Term::Carried(..)
            | Term::Unknown => leaves.push(term.clone()),
            _ => {}
        }
        true
    });
    leaves
}

/// The comparisons that hold because a condition does or does not.
fn bounds(condition: &Condition, found: &mut Vec<Bound>, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let Condition { term, holds, of_loop } = condition;
    let mut of = |term: &Rc<Term>, holds| {
        bounds(&Condition { term: term.clone(), holds, of_loop: *of_loop }, found, depth);
    };
    match (&**term, holds) {
        (Term::Named(_, inner) | Term::Converted(_, inner), _) => of(inner, *holds),
        (Term::Not(inner), _) => of(inner, !holds),
        (Term::Binary { op: BinaryOp::And, operands, .. }, true)
        | (Term::Binary { op: BinaryOp::Or, operands, .. }, false) => {
            operands.iter().for_each(|term| of(term, *holds))
        }
        (Term::Select([condition, then, otherwise]), true) if **otherwise == Term::Truth(false) => {
            [condition, then].into_iter().for_each(|term| of(term, true));
        }
        (Term::Select([condition, then, otherwise]), false) if **then == Term::Truth(true) => {
            [condition, otherwise].into_iter().for_each(|term| of(term, false));
        }
        (Term::Compare { op, operands: [lhs, rhs], location }, _) => {
            let is_inclusive = match op {
                CompareOp::LtS | CompareOp::LtU => !holds,
                CompareOp::LeS | CompareOp::LeU => *holds,
                CompareOp::Eq | CompareOp::Ne | CompareOp::LtF | CompareOp::LeF => return,
            };
            let sides = if *holds { [lhs, rhs] } else { [rhs, lhs] }.map(Rc::clone);
            found.push(Bound { sides, is_inclusive, location: *location, of_loop: *of_loop });
        }
        _ => {}
    }
}

impl Found<'_> {
    fn cause(&self) -> Option<Cause> {
        let (address, events) = self.values.explained(&self.access.address)?;
        if let Some(cause) = self.part_of_vector() {
            return Some(cause);
        }
        for event in &events {
            match *event {
                Event::Wrapped { op, location, exact, signed, bits: 32 } => {
                    return Some(match exact < 0 && !signed {
                        true => Cause::UnsignedWrap { location, exact },
                        false => Cause::Overflow { op, location, exact, signed },
                    });
                }
                Event::NegativeRemainder { location, value } if address < 0 => {
                    return Some(Cause::NegativeRemainder { location, value });
                }
                _ => {}
            }
        }
        if address != i128::from(self.outside.offset) {
            return None;
        }
        if address < 0 {
            return self.negative(&events);
        }
        self.loop_start().or_else(|| self.past_the_end())
    }

    fn size(&self) -> i128 {
        i128::from(self.outside.target.bytes)
    }

    fn part_of_vector(&self) -> Option<Cause> {
        let bytes = i128::from(self.outside.bytes);
        let begins_inside = (0..self.size()).contains(&i128::from(self.outside.offset));
        if !begins_inside || bytes <= self.element {
            return None;
        }
        let index = self.parts.iter().find(|(scale, term)| {
            *scale > 0 && scale % self.element == 0 && !leaves(term).is_empty() && self.text(term).is_some()
        });
        let (scale, term) = index?;
        let elements = (bytes / self.element) as i64;
        // The condition that lets the first element through.
        let condition =
            self.bounds().iter().find(|b| self.step_of(&b.sides[0]).is_some()).map(|b| b.location);
        Some(Cause::PartOfVector {
            condition,
            index: self.text(term)?,
            scale: scale / self.element,
            elements,
        })
    }

    fn negative(&self, events: &[Event]) -> Option<Cause> {
        let subtracted = events.iter().rev().find_map(|event| match *event {
            Event::BelowZero { location, lhs, rhs } if location.0 != u32::MAX => {
                Some(Cause::Subtracted { location, lhs, rhs })
            }
            _ => None,
        });
        subtracted.or_else(|| Some(Cause::Uniform { index: self.index()? }))
    }

    /// The index as the source has it.
    fn index(&self) -> Option<Indexed> {
        let mut named = self.parts.iter().filter(|(scale, _)| *scale == self.element);
        named.find_map(|(_, term)| {
            Some(Indexed { text: self.text(term)?, value: self.values.of(term, true)? })
        })
    }

    /// Bytes by which a step of that value moves the address, and the bytes that do not come from it.
    fn step_of(&self, tested: &Rc<Term>) -> Option<(i128, i128)> {
        let mut terms = Vec::new();
        add_parts(tested, 1, &self.values, &mut terms);
        let step = terms.iter().find_map(|(by, term)| {
            let varies = !leaves(term).is_empty();
            let same = |(_, part): &&(i128, Rc<Term>)| varies && is_same(term, part, 64);
            let (scale, _) = self.parts.iter().find(same)?;
            (scale % by == 0 && scale / by > 0).then_some(scale / by)
        })?;
        Some((step, i128::from(self.outside.offset) - step * self.values.of(tested, true)?))
    }

    fn bounds(&self) -> Vec<Bound> {
        let mut found = Vec::new();
        self.access.conditions.iter().for_each(|condition| bounds(condition, &mut found, 32));
        found
    }

    /// The loop whose first iteration has the index, and which has no upper bound for it.
    fn loop_start(&self) -> Option<Cause> {
        self.access.loops.iter().find_map(|around| {
            around.variables.iter().find_map(|(reg, first, next)| {
                let carried = Rc::new(Term::Carried(around.label, *reg));
                let value = self.values.of(&carried, true)?;
                let counts_down = self.values.of(next, true)? < value;
                let is_first = self.values.of(first, true)? == value;
                let is_used =
                    self.parts.iter().any(|(scale, term)| *scale > 0 && is_same(term, &carried, 64));
                let (step, _) = self.step_of(&carried)?;
                let cause = || Some(Cause::LoopStart { variable: self.register_name(*reg)?, value });
                (counts_down && is_first && is_used && step >= self.element).then(cause)?
            })
        })
    }
}
