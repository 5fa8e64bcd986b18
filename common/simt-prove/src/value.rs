//! What registers hold, as far as that is known before a launch begins: numbers as forms, conditions as facts, pointers as places.

use crate::classes::Asked;
use crate::form::{AtomKind, Atoms, Facts, Form, Range, bound};
use simt_ir::pointer::Space;
use simt_ir::{BinaryOp, CompareOp, Type};
use std::rc::Rc;

/// What a register holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// An integer, as a signed number.
    Number(Form),
    Truth(Rc<Condition>),
    Pointer(Pointer),
    /// A floating-point number, or anything else of which nothing is known.
    Other,
}

/// A pointer to a known allocation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pointer {
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// Bytes, from where the space counts.
    pub(crate) offset: Form,
}

/// What follows from a condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Condition {
    /// If it is false, and if it is true.
    pub(crate) sides: [Consequence; 2],
    /// Which of them it is, if that is known.
    pub(crate) known: Option<bool>,
    /// What it depends on.
    pub(crate) asked: Asked,
}

/// What follows if a condition has one of its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Consequence {
    pub(crate) facts: Facts,
    /// Whether the facts say all that the condition does.
    pub(crate) exact: bool,
    /// A form that is not 0 then, where that is all there is to say.
    pub(crate) unequal: Option<Form>,
}

impl Consequence {
    fn exactly(facts: impl IntoIterator<Item = Option<Form>>) -> Consequence {
        let facts: Option<Facts> = facts.into_iter().collect();
        facts.map_or_else(Consequence::default, |facts| Consequence { facts, exact: true, unequal: None })
    }

    fn and(&self, other: &Consequence) -> Consequence {
        let facts = self.facts.iter().chain(&other.facts).cloned().collect();
        Consequence { facts, exact: self.exact && other.exact, unequal: None }
    }

    /// Whether it holds anyway.
    fn holds(&self, atoms: &Atoms, facts: &[Form]) -> bool {
        self.exact && self.facts.iter().all(|fact| bound(atoms, facts, fact).least >= 0)
    }
}

impl Condition {
    pub(crate) fn constant(value: bool) -> Condition {
        Condition { known: Some(value), asked: Asked::these(&[]), ..Condition::default() }
    }

    /// What a comparison of integers says where the facts hold.
    pub(crate) fn compare(atoms: &Atoms, facts: &[Form], op: CompareOp, lhs: &Form, rhs: &Form) -> Condition {
        let asked = atoms.comparison(facts, op, [lhs, rhs]);
        let difference = rhs.minus(lhs);
        let at_least = |least: i64| difference.as_ref().and_then(|d| d.plus_constant(-least));
        let at_most = |most: i64| difference.as_ref().and_then(|d| d.times(-1)?.plus_constant(most));
        let is_positive = |form: &Form| bound(atoms, facts, form).least >= 0;
        let unequal = || {
            let range = difference.as_ref().map_or(Range::ALL, |d| bound(atoms, facts, d));
            match () {
                () if range.least >= 0 => Consequence::exactly([at_least(1)]),
                () if range.greatest <= 0 => Consequence::exactly([at_most(-1)]),
                () => Consequence { unequal: difference.clone(), ..Consequence::default() },
            }
        };
        let equal = || Consequence::exactly([at_least(0), at_most(0)]);
        let least = match op {
            CompareOp::LtS | CompareOp::LtU => 1,
            _ => 0,
        };
        let sides = match op {
            CompareOp::Eq => [unequal(), equal()],
            CompareOp::Ne => [equal(), unequal()],
            CompareOp::LtU | CompareOp::LeU if !is_positive(rhs) => Default::default(),
            // A negative number is a large one without a sign.
            CompareOp::LtU | CompareOp::LeU if !is_positive(lhs) => {
                [Consequence::default(), Consequence::exactly([Some(lhs.clone()), at_least(least)])]
            }
            CompareOp::LtS | CompareOp::LeS | CompareOp::LtU | CompareOp::LeU => {
                [Consequence::exactly([at_most(least - 1)]), Consequence::exactly([at_least(least)])]
            }
            CompareOp::LtF | CompareOp::LeF => return Condition::default(),
        };
        Condition { known: None, sides, asked }.decided(atoms, facts)
    }

    fn decided(mut self, atoms: &Atoms, facts: &[Form]) -> Condition {
        self.known = match () {
            () if self.sides[1].holds(atoms, facts) => Some(true),
            () if self.sides[0].holds(atoms, facts) => Some(false),
            () => None,
        };
        if self.known.is_some() {
            self.asked = Asked::these(&[]);
        }
        self
    }

    pub(crate) fn not(mut self) -> Condition {
        self.sides.swap(0, 1);
        self.known = self.known.map(|known| !known);
        self.asked = self.asked.not();
        self
    }

    pub(crate) fn and(self, other: Condition) -> Condition {
        match (self.known, other.known) {
            (Some(false), _) | (_, Some(false)) => Condition::constant(false),
            (Some(true), _) => other,
            (_, Some(true)) => self,
            (None, None) => {
                let both = self.sides[1].and(&other.sides[1]);
                let asked = self.asked.and(&other.asked);
                Condition { known: None, sides: [Consequence::default(), both], asked }
            }
        }
    }

    pub(crate) fn or(self, other: Condition) -> Condition {
        self.not().and(other.not()).not()
    }
}

/// The range of what an integer register can hold.
pub(crate) fn range_of_type(ty: Type) -> Range {
    if ty == Type::I32 { Range::I32 } else { Range::ALL }
}

/// The result of an operation on integers, as a number without a limit; `None` if it is no form.
pub(crate) fn binary(atoms: &mut Atoms, facts: &[Form], op: BinaryOp, a: &Form, b: &Form) -> Option<Form> {
    match op {
        BinaryOp::Add => atoms.simplified(a.plus(b)?),
        BinaryOp::Sub => atoms.simplified(a.minus(b)?),
        BinaryOp::Mul => match (a.value(), b.value()) {
            (_, Some(factor)) => atoms.simplified(a.times(factor)?),
            (Some(factor), _) => atoms.simplified(b.times(factor)?),
            _ => None,
        },
        BinaryOp::Shl => match b.value()? {
            by @ 0..=31 => atoms.simplified(a.times(1 << by)?),
            _ => None,
        },
        BinaryOp::DivS | BinaryOp::DivU => divide(atoms, facts, a, b.value()?).map(|[quotient, _]| quotient),
        BinaryOp::RemS | BinaryOp::RemU => divide(atoms, facts, a, b.value()?).map(|[_, rest]| rest),
        BinaryOp::ShrS | BinaryOp::ShrU => match b.value()? {
            by @ 0..=31 => divide(atoms, facts, a, 1 << by).map(|[quotient, _]| quotient),
            _ => None,
        },
        BinaryOp::And => {
            let (value, mask) = match (a.value(), b.value()) {
                (_, Some(mask)) => (a, mask),
                (Some(mask), _) => (b, mask),
                _ => return None,
            };
            // All but the lowest bits.
            if mask < 0
                && (-mask).count_ones() == 1
                && let Some([quotient, _]) = divide(atoms, facts, value, -mask)
            {
                return quotient.times(-mask);
            }
            if mask >= 0
                && (mask + 1).count_ones() == 1
                && let Some([_, rest]) = divide(atoms, facts, value, mask + 1)
            {
                return Some(rest);
            }
            (mask >= 0).then(|| {
                let kind = atoms.derived(facts, &[value]);
                Form::atom(atoms.add(kind, Range::below(mask + 1)))
            })
        }
        BinaryOp::MinS | BinaryOp::MaxS | BinaryOp::MinU | BinaryOp::MaxU => extreme(atoms, facts, op, a, b),
        _ => None,
    }
}

/// Quotient and remainder of a form that is not negative by a positive constant.
pub(crate) fn divide(atoms: &mut Atoms, facts: &[Form], of: &Form, by: i64) -> Option<[Form; 2]> {
    let range = bound(atoms, facts, of);
    if by <= 0 || range.least < 0 {
        return None;
    }
    if range.greatest < by {
        return Some([Form::constant(0), of.clone()]);
    }
    // What is a multiple of the divisor divides by itself.
    let is_multiple = |number: i64| number.rem_euclid(by) == 0;
    let mut whole = Form::constant(of.constant.div_euclid(by));
    let mut rest = Form::constant(of.constant.rem_euclid(by));
    for (atom, factor) in &of.terms {
        let (into, factor) =
            if is_multiple(*factor) { (&mut whole, factor / by) } else { (&mut rest, *factor) };
        *into = into.plus(&Form::atom(*atom).times(factor)?)?;
    }
    let range_of_rest = bound(atoms, facts, &rest);
    if range_of_rest.least >= 0 && range_of_rest.greatest < by {
        return Some([whole, rest]);
    }
    // The range of a division must hold wherever the same form is divided.
    let range = atoms.range_of(of);
    if range.least < 0 {
        // Below 0 it can be elsewhere; there the same quotient would be another.
        let all = bound(atoms, facts, of);
        let kind = atoms.derived(facts, &[of]);
        let quotient = atoms.add(kind.clone(), Range::new(0, all.greatest / by));
        let rest = atoms.add(kind, Range::below(by));
        return Some([Form::atom(quotient), Form::atom(rest)]);
    }
    let end = if range.greatest >= crate::form::LIMIT { range.greatest } else { range.greatest / by };
    let quotient = AtomKind::Quotient { of: of.clone(), by };
    let remainder = AtomKind::Remainder { of: of.clone(), by };
    Some([
        Form::atom(atoms.find(quotient, Range::new(0, end))),
        Form::atom(atoms.find(remainder, Range::below(by))),
    ])
}

/// The smaller or the larger of two numbers.
fn extreme(atoms: &mut Atoms, facts: &[Form], op: BinaryOp, a: &Form, b: &Form) -> Option<Form> {
    let [of_a, of_b] = [a, b].map(|form| bound(atoms, facts, form));
    if matches!(op, BinaryOp::MinU | BinaryOp::MaxU) && (of_a.least < 0 || of_b.least < 0) {
        return None;
    }
    let is_min = matches!(op, BinaryOp::MinS | BinaryOp::MinU);
    let difference = bound(atoms, facts, &b.minus(a)?);
    let (smaller, larger) = match () {
        () if difference.least >= 0 => (a, b),
        () if difference.greatest <= 0 => (b, a),
        () => {
            let of = if is_min { i64::min } else { i64::max };
            let range = Range::new(of(of_a.least, of_b.least), of(of_a.greatest, of_b.greatest));
            let asked = atoms.comparison(facts, CompareOp::LeS, [a, b]);
            let sides = if is_min { [b, a] } else { [a, b] };
            let kind = atoms.chosen_of(facts, &asked, (sides, range));
            return Some(Form::atom(atoms.add(kind, range)));
        }
    };
    Some(if is_min { smaller.clone() } else { larger.clone() })
}
