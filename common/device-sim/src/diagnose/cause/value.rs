//! What an expression is in one thread, as the machine has it and as it would be without wrapping around.

use super::trace::{Access, Around, Term};
use simt_ir::{Axis, BinaryOp, CompareOp, Conversion, Label, Location, Reg, Special};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Maximum number of evaluations of an access, plus iterations of the loops around it.
const MAX_ITERATIONS: u32 = 60_000;

/// Maximum number of terms evaluated for one fault.
const MAX_STEPS: u32 = 4_000_000;

/// A thread in its launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) thread: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) block_size: [u32; 3],
    pub(super) grid: [u32; 3],
    /// Integers among the kernel's parameters.
    pub(super) parameters: Vec<Option<i64>>,
}

/// Something about a value that readers do not expect.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// What the operands give does not fit the type.
    Wrapped { op: BinaryOp, location: Location, exact: i128, signed: bool, bits: u32 },
    /// The remainder of a negative number.
    NegativeRemainder { location: Location, value: i128 },
    /// More is subtracted than there is.
    BelowZero { location: Location, lhs: i128, rhs: i128 },
}

/// The values of a thread at an access.
pub(super) struct Values<'p> {
    place: &'p Place,
    carried: HashMap<(Label, Reg), i128>,
    events: RefCell<Vec<Event>>,
    /// What is taken for a value from memory.
    pub(super) loaded: Option<i128>,
    /// Terms that may still be evaluated.
    steps: Cell<u32>,
}

impl<'p> Values<'p> {
    pub(super) fn new(place: &'p Place) -> Values<'p> {
        Values {
            place,
            carried: HashMap::new(),
            events: RefCell::default(),
            loaded: None,
            steps: Cell::new(MAX_STEPS),
        }
    }

    /// The value, and what happens on the way to it.
    pub(super) fn explained(&self, term: &Term) -> Option<(i128, Vec<Event>)> {
        self.events.borrow_mut().clear();
        let value = self.of(term, true)?;
        Some((value, self.events.take()))
    }

    /// As the machine has it; integers of 32 bits with a sign or without.
    pub(super) fn of(&self, term: &Term, signed: bool) -> Option<i128> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        Some(match term {
            Term::Integer { value, wide: false } if !signed => i128::from(*value as u32),
            Term::Integer { value, .. } => i128::from(*value),
            Term::Truth(value) => i128::from(*value),
            Term::Parameter(index) => {
                let value = (*self.place.parameters.get(index.index())?)?;
                if signed || value >= 0 { i128::from(value) } else { i128::from(value as u32) }
            }
            Term::Special(special) => self.special(*special)?,
            Term::Carried(label, reg) => match *self.carried.get(&(*label, *reg))? {
                value if value < 0 && !signed => wrap(value, 32, false),
                value => value,
            },
            Term::Named(_, term) => self.of(term, signed)?,
            Term::Negated(term) => -self.of(term, signed)?,
            Term::Not(term) => match self.of(term, true)? {
                value @ (0 | 1) => 1 - value,
                _ => return None,
            },
            Term::Select([condition, then, otherwise]) => match self.quietly(condition, true) {
                Some(0) => self.of(otherwise, signed)?,
                Some(_) => self.of(then, signed)?,
                None => return None,
            },
            Term::Converted(Conversion::SignExtend, term) => self.of(term, true)?,
            Term::Converted(Conversion::ZeroExtend, term) => self.of(term, false)?,
            Term::Converted(Conversion::Truncate, term) => wrap(self.of(term, signed)?, 32, signed),
            Term::Converted(_, term) => self.of(term, signed)?,
            Term::Compare { op, operands, .. } => self.compare(*op, operands)?,
            Term::Binary { op, wide, operands, location } => {
                self.binary(*op, if *wide { 64 } else { 32 }, operands, *location, signed)?
            }
            Term::Loaded(..) => self.loaded?,
            Term::Unknown => return None,
        })
    }

    /// The value, without what happens on the way.
    fn quietly(&self, term: &Term, signed: bool) -> Option<i128> {
        let events = self.events.borrow().len();
        let value = self.of(term, signed);
        self.events.borrow_mut().truncate(events);
        value
    }

    fn special(&self, special: Special) -> Option<i128> {
        let of = |triple: [u32; 3], axis| {
            i128::from(match axis {
                Axis::X => triple[0],
                Axis::Y => triple[1],
                Axis::Z => triple[2],
            })
        };
        let Place { thread, block, block_size, grid, .. } = self.place;
        Some(match special {
            Special::ThreadIdx(axis) => of(*thread, axis),
            Special::BlockIdx(axis) => of(*block, axis),
            Special::BlockDim(axis) => of(*block_size, axis),
            Special::GridDim(axis) => of(*grid, axis),
            Special::LaneId => {
                i128::from((thread[2] * block_size[1] + thread[1]) * block_size[0] + thread[0]) % 32
            }
            Special::ActiveMask | Special::Cooperative => return None,
        })
    }

    fn compare(&self, op: CompareOp, operands: &[Rc<Term>; 2]) -> Option<i128> {
        let signed = !matches!(op, CompareOp::LtU | CompareOp::LeU);
        let [lhs, rhs] = operands.each_ref().map(|term| self.quietly(term, signed));
        let (lhs, rhs) = (lhs?, rhs?);
        Some(i128::from(match op {
            CompareOp::Eq => lhs == rhs,
            CompareOp::Ne => lhs != rhs,
            CompareOp::LtS | CompareOp::LtU => lhs < rhs,
            CompareOp::LeS | CompareOp::LeU => lhs <= rhs,
            CompareOp::LtF | CompareOp::LeF => return None,
        }))
    }

    fn binary(
        &self,
        op: BinaryOp,
        bits: u32,
        operands: &[Rc<Term>; 2],
        location: Location,
        signed: bool,
    ) -> Option<i128> {
        let sign = match op {
            BinaryOp::DivS | BinaryOp::RemS | BinaryOp::ShrS | BinaryOp::MinS | BinaryOp::MaxS => true,
            BinaryOp::DivU | BinaryOp::RemU | BinaryOp::ShrU | BinaryOp::MinU | BinaryOp::MaxU => false,
            _ => signed,
        };
        let goes_on = matches!(
            op,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl | BinaryOp::MinS | BinaryOp::MaxS
        );
        let value = |term: &Rc<Term>| if goes_on { self.of(term, sign) } else { self.quietly(term, sign) };
        if let BinaryOp::And | BinaryOp::Or = op {
            // One side may decide alone.
            let sides = operands.each_ref().map(value);
            let alone = i128::from(op == BinaryOp::Or);
            let truth =
                |term: &Rc<Term>| matches!(**term, Term::Compare { .. } | Term::Truth(_) | Term::Not(_));
            if sides.contains(&Some(alone)) && operands.iter().all(truth) {
                return Some(alone);
            }
        }
        let (lhs, rhs) = (value(&operands[0])?, value(&operands[1])?);
        let shift = || u32::try_from(rhs).ok().filter(|count| *count < bits);
        let exact = match op {
            BinaryOp::Add => lhs + rhs,
            BinaryOp::Sub => lhs - rhs,
            BinaryOp::Mul => lhs.checked_mul(rhs)?,
            BinaryOp::Shl => lhs << shift()?,
            BinaryOp::ShrS | BinaryOp::ShrU => lhs >> shift()?,
            BinaryOp::DivS | BinaryOp::DivU => lhs.checked_div(rhs)?,
            BinaryOp::RemS | BinaryOp::RemU => lhs.checked_rem(rhs)?,
            BinaryOp::And => lhs & rhs,
            BinaryOp::Or => lhs | rhs,
            BinaryOp::Xor => lhs ^ rhs,
            BinaryOp::MinS | BinaryOp::MinU => lhs.min(rhs),
            BinaryOp::MaxS | BinaryOp::MaxU => lhs.max(rhs),
            _ => return None,
        };
        let wrapped = wrap(exact, bits, sign);
        let mut events = self.events.borrow_mut();
        if op == BinaryOp::RemS && exact < 0 {
            events.push(Event::NegativeRemainder { location, value: lhs });
        } else if lhs >= 0 && exact < 0 && (op == BinaryOp::Sub || op == BinaryOp::Add) {
            events.push(Event::BelowZero {
                location,
                lhs,
                rhs: if op == BinaryOp::Sub { rhs } else { -rhs },
            });
        }
        // A large operand without a sign is a negative number that is added.
        let is_negative = !sign && [lhs, rhs].iter().any(|v| *v >= 1 << (bits - 1));
        if wrapped != exact && !is_negative {
            events.push(Event::Wrapped { op, location, exact, signed: sign, bits });
        }
        Some(if sign == signed { wrapped } else { wrap(wrapped, bits, signed) })
    }

    /// Sets what the loops around an access change to the first iterations in which the thread gets to the access and its address is
    /// that one. `None` if there are none, or if it cannot be known.
    pub(super) fn iterate(&mut self, access: &Access, address: i128) -> Option<()> {
        let mut budget = MAX_ITERATIONS;
        self.iterations(access, &access.loops, address, &mut budget)
    }

    fn iterations(
        &mut self,
        access: &Access,
        loops: &[Around],
        address: i128,
        budget: &mut u32,
    ) -> Option<()> {
        *budget = budget.checked_sub(1)?;
        let Some((around, inner)) = loops.split_first() else {
            let reached = access.conditions.iter().all(|condition| {
                self.of(&condition.term, true).is_none_or(|value| (value != 0) == condition.holds)
            });
            // Optimised code may wrap around elsewhere.
            let away = self.of(&access.address, true)? - address;
            return (reached && away % (1 << 32) == 0).then_some(());
        };
        let label = around.label;
        let set = |values: &mut Self, next: Vec<(Reg, Option<i128>)>| {
            for (reg, value) in next {
                match value {
                    Some(value) => values.carried.insert((label, reg), value),
                    None => values.carried.remove(&(label, reg)),
                };
            }
        };
        let first = around.variables.iter().map(|(reg, first, _)| (*reg, self.of(first, true))).collect();
        set(self, first);
        loop {
            if around.test.as_ref().is_some_and(|test| self.of(test, true) == Some(0)) {
                return None;
            }
            if self.iterations(access, inner, address, budget).is_some() {
                return Some(());
            }
            let next = around.variables.iter().map(|(reg, _, next)| (*reg, self.of(next, true))).collect();
            set(self, next);
            *budget = budget.checked_sub(1)?;
        }
    }
}

/// The value of so many bits, with a sign or without.
fn wrap(value: i128, bits: u32, signed: bool) -> i128 {
    let low = value & ((1 << bits) - 1);
    if signed && low >> (bits - 1) != 0 { low - (1 << bits) } else { low }
}
