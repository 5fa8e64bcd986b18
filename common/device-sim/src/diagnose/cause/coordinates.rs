//! An index as coordinates, such as row and column: the terms of the address, grouped by what the source multiplies them by. Products of
//! names are compared as terms, because at small sizes different row lengths have the same value.

use super::trace::Term;
use super::value::Values;
use super::{Bound, Found, Indexed, is_same, leaves};
use simt_ir::{BinaryOp, Conversion, Special};
use std::ops::Range;
use std::rc::Rc;

/// Terms of an address, at most.
const MAX_ATOMS: usize = 64;

/// What a term of a sum is multiplied by: a number, and values that are the same in all threads.
#[derive(Clone)]
struct Key {
    number: i128,
    factors: Vec<Rc<Term>>,
}

/// A term of a sum that is neither a sum nor a product with a value that is the same in all threads.
struct Atom {
    key: Key,
    term: Rc<Term>,
    varies: bool,
}

/// A sum of atoms, and the terms that stand for ranges of them.
#[derive(Default)]
struct Expansion {
    atoms: Vec<Atom>,
    parts: Vec<(Rc<Term>, Key, Range<usize>)>,
}

/// One coordinate of an index: its own value and how many values of it lead to elements.
pub(super) struct Coordinate {
    atoms: Vec<usize>,
    /// Bytes from one value to the next.
    pub(super) stride: i128,
    pub(super) index: Option<Indexed>,
    pub(super) value: i128,
    pub(super) extent: Option<i128>,
    /// How the file names the extent, where the row length of the next slower coordinate says it.
    pub(super) extent_name: Option<String>,
    pub(super) factors: Vec<Rc<Term>>,
}

/// How a side of a comparison moves the address: the atoms it tests, and bytes per step.
pub(super) struct Cover {
    atoms: Vec<usize>,
    pub(super) step: i128,
}

impl Cover {
    pub(super) fn is_all_of(&self, coordinate: &Coordinate) -> bool {
        self.atoms.len() == coordinate.atoms.len() && self.is_in(coordinate)
    }

    pub(super) fn is_in(&self, coordinate: &Coordinate) -> bool {
        self.atoms.iter().all(|atom| coordinate.atoms.contains(atom))
    }

    pub(super) fn shares(&self, other: &Cover) -> bool {
        self.atoms.iter().any(|atom| other.atoms.contains(atom))
    }

    pub(super) fn is_apart_from(&self, coordinate: &Coordinate) -> bool {
        !self.atoms.iter().any(|atom| coordinate.atoms.contains(atom))
    }
}

impl Key {
    fn times(&self, factor: &Rc<Term>, values: &Values<'_>) -> Option<Key> {
        let mut key = self.clone();
        key.multiply(factor, values, 16)?;
        Some(key)
    }

    fn multiply(&mut self, factor: &Rc<Term>, values: &Values<'_>, fuel: u32) -> Option<()> {
        let fuel = fuel.checked_sub(1)?;
        match &**factor {
            Term::Integer { value, .. } => self.number = self.number.checked_mul(i128::from(*value))?,
            Term::Named(_, inner) | Term::Converted(_, inner) if !matches!(**inner, Term::Parameter(_)) => {
                self.multiply(inner, values, fuel)?;
            }
            Term::Binary { op: BinaryOp::Mul, operands, .. } => {
                operands.iter().try_for_each(|term| self.multiply(term, values, fuel))?;
            }
            _ => {
                values.of(factor, true)?;
                self.factors.push(factor.clone());
            }
        }
        Some(())
    }

    /// Bytes, or elements of what the sum counts.
    fn value(&self, values: &Values<'_>) -> Option<i128> {
        self.factors.iter().try_fold(self.number, |all, factor| all.checked_mul(values.of(factor, true)?))
    }

    fn is(&self, other: &Key) -> bool {
        self.number == other.number && self.has_factors_of(other)
    }

    fn has_factors_of(&self, other: &Key) -> bool {
        self.factors.len() == other.factors.len() && without(&self.factors, &other.factors).is_some()
    }
}

/// The factors that are left without others, if all of those are in it.
fn without(factors: &[Rc<Term>], others: &[Rc<Term>]) -> Option<Vec<Rc<Term>>> {
    let mut left = factors.to_vec();
    for other in others {
        let at = left.iter().position(|factor| is_same(factor, other, 64))?;
        left.remove(at);
    }
    Some(left)
}

/// Whether a sum is the place of a thread along one axis of the grid.
fn is_position(sides: [&Rc<Term>; 2]) -> bool {
    let axes = sides.map(|side| match &leaves(side)[..] {
        [Term::Special(Special::ThreadIdx(axis))] => Some((false, *axis)),
        [Term::Special(Special::BlockIdx(axis))] => Some((true, *axis)),
        _ => None,
    });
    matches!(axes, [Some((one, axis)), Some((other, same))] if one != other && axis == same)
}

impl Expansion {
    fn of(term: &Rc<Term>, values: &Values<'_>) -> Option<Expansion> {
        let mut expansion = Expansion::default();
        expansion.add(term, &Key { number: 1, factors: Vec::new() }, values)?;
        Some(expansion)
    }

    fn add(&mut self, term: &Rc<Term>, key: &Key, values: &Values<'_>) -> Option<()> {
        let start = self.atoms.len();
        if start >= MAX_ATOMS {
            return None;
        }
        let varies = |term: &Rc<Term>| !leaves(term).is_empty();
        let negated = || Key { number: -key.number, ..key.clone() };
        match &**term {
            Term::Named(_, inner)
            | Term::Converted(
                Conversion::SignExtend | Conversion::ZeroExtend | Conversion::Truncate,
                inner,
            ) => self.add(inner, key, values)?,
            Term::Negated(inner) => self.add(inner, &negated(), values)?,
            Term::Binary { op: BinaryOp::Add, operands: [lhs, rhs], .. } if !is_position([lhs, rhs]) => {
                self.add(lhs, key, values)?;
                self.add(rhs, key, values)?;
            }
            Term::Binary { op: BinaryOp::Sub, operands: [lhs, rhs], .. } => {
                self.add(lhs, key, values)?;
                self.add(rhs, &negated(), values)?;
            }
            Term::Binary { op: BinaryOp::Mul, operands: [lhs, rhs], .. } if !varies(rhs) => {
                self.add(lhs, &key.times(rhs, values)?, values)?;
            }
            Term::Binary { op: BinaryOp::Mul, operands: [lhs, rhs], .. } if !varies(lhs) => {
                self.add(rhs, &key.times(lhs, values)?, values)?;
            }
            Term::Binary { op: BinaryOp::Shl, operands: [lhs, rhs], .. } if !varies(rhs) => {
                let number = 1i128.checked_shl(u32::try_from(values.of(rhs, true)?).ok()?)?;
                self.add(lhs, &Key { number: key.number.checked_mul(number)?, ..key.clone() }, values)?;
            }
            Term::Integer { value: 0, .. } => {}
            _ if varies(term) => self.atoms.push(Atom { key: key.clone(), term: term.clone(), varies: true }),
            _ => {
                let one = Rc::new(Term::Integer { value: 1, wide: true });
                self.atoms.push(Atom { key: key.times(term, values)?, term: one, varies: false });
            }
        }
        self.parts.push((term.clone(), key.clone(), start..self.atoms.len()));
        Some(())
    }
}

/// The coordinates of an access, slowest first.
pub(super) struct Coordinates {
    whole: Expansion,
    pub(super) all: Vec<Coordinate>,
}

impl Coordinates {
    pub(super) fn of(found: &Found<'_>, bounds: &[Bound]) -> Option<Coordinates> {
        let whole = Expansion::of(&found.access.address, &found.values)?;
        let mut this = Coordinates { whole, all: Vec::new() };
        let groups = this.groups(found, bounds);
        for atoms in groups {
            this.all.push(this.coordinate(found, atoms)?);
        }
        this.all.sort_by_key(|one| std::cmp::Reverse((one.stride, one.factors.len())));
        this.measure(found)?;
        Some(this)
    }

    /// What a side of a comparison tests, where the address depends on all of it.
    pub(super) fn cover(&self, found: &Found<'_>, tested: &Rc<Term>) -> Option<Cover> {
        let tested = Expansion::of(tested, &found.values)?;
        let mut cover: Option<Cover> = None;
        for atom in tested.atoms.iter().filter(|atom| atom.varies) {
            let same = |own: &Atom| own.varies && is_same(&own.term, &atom.term, 64);
            let at = self.whole.atoms.iter().position(same)?;
            let by = atom.key.value(&found.values)?;
            let bytes = self.whole.atoms[at].key.value(&found.values)?;
            let step = bytes.checked_div(by).filter(|step| *step > 0 && step * by == bytes)?;
            match &mut cover {
                Some(cover) if cover.step == step => cover.atoms.push(at),
                Some(_) => return None,
                None => cover = Some(Cover { atoms: vec![at], step }),
            }
        }
        cover
    }

    /// What differs from thread to thread in a coordinate.
    pub(super) fn leaves(&self, one: &Coordinate) -> Vec<Term> {
        one.atoms.iter().flat_map(|at| leaves(&self.whole.atoms[*at].term)).collect()
    }

    fn groups(&self, found: &Found<'_>, bounds: &[Bound]) -> Vec<Vec<usize>> {
        let atoms = &self.whole.atoms;
        let most = atoms.iter().filter(|atom| atom.varies).map(|atom| atom.key.factors.len()).max();
        // Beside a row length that has a name, numbers are the sizes of tiles.
        let belongs = |one: &Atom, other: &Atom| match Some(one.key.factors.len()) < most {
            true => one.key.has_factors_of(&other.key),
            false => one.key.is(&other.key),
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for at in (0..atoms.len()).filter(|at| atoms[*at].varies) {
            match groups.iter_mut().find(|group| belongs(&atoms[group[0]], &atoms[at])) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        // A row length that is added moves to another row; anything else moves the fastest coordinate.
        for at in (0..atoms.len()).filter(|at| !atoms[*at].varies) {
            let own = &atoms[at].key;
            let fits = groups.iter_mut().filter(|group| {
                let key = &atoms[group[0]].key;
                own.number % key.number == 0 && without(&own.factors, &key.factors).is_some()
            });
            if let Some(group) = fits.max_by_key(|group| {
                let key = &atoms[group[0]].key;
                (key.factors.len(), key.number.abs())
            }) {
                group.push(at);
            }
        }
        for cover in bounds.iter().filter_map(|bound| self.cover(found, &bound.sides[0])) {
            let (met, mut others): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(|at| cover.atoms.contains(at)));
            if !met.is_empty() {
                others.push(met.concat());
            }
            groups = others;
        }
        groups
    }

    fn coordinate(&self, found: &Found<'_>, mut atoms: Vec<usize>) -> Option<Coordinate> {
        atoms.sort();
        let values = &found.values;
        let atom = |at: &usize| &self.whole.atoms[*at];
        let mut bytes = 0;
        for at in &atoms {
            bytes += atom(at).key.value(values)? * values.of(&atom(at).term, true)?;
        }
        let varying = atoms.iter().filter(|at| atom(at).varies);
        let key = &atom(varying.min_by_key(|at| atom(at).key.value(values).map(i128::abs))?).key;
        let stride = key.value(values)?.abs();
        if stride == 0 {
            return None;
        }
        let value = bytes.div_euclid(stride);
        let index = self.whole.parts.iter().rev().find_map(|(term, own, range)| {
            let is_it = range.clone().eq(atoms.iter().copied()) && own.is(key);
            let text = found.text(term).filter(|_| is_it && values.of(term, true) == Some(value))?;
            Some(Indexed { text, value })
        });
        let factors = key.factors.clone();
        atoms.retain(|at| atom(at).varies);
        Some(Coordinate { atoms, stride, index, value, extent: None, extent_name: None, factors })
    }

    /// How many values of each coordinate lead to elements.
    fn measure(&mut self, found: &Found<'_>) -> Option<()> {
        let offset = i128::from(found.outside.offset);
        let of_all: i128 = self.all.iter().map(|one| one.value * one.stride).sum();
        for at in 0..self.all.len() {
            let (extent, name) = match at.checked_sub(1) {
                None => {
                    let room = found.size() - (offset - of_all) - found.element;
                    (Some((room.div_euclid(self.all[at].stride) + 1).max(0)), None)
                }
                Some(slower) => {
                    let [slower, own] = [slower, at].map(|at| &self.all[at]);
                    let name = without(&slower.factors, &own.factors).and_then(|left| match &left[..] {
                        [one] if found.values.of(one, true) == Some(slower.stride / own.stride) => {
                            found.text(one)
                        }
                        _ => None,
                    });
                    ((slower.stride % own.stride == 0).then_some(slower.stride / own.stride), name)
                }
            };
            (self.all[at].extent, self.all[at].extent_name) = (extent, name);
        }
        Some(())
    }
}
