//! Value numbers: equal numbers mean equal values, in each lane for itself.

use crate::fold;
use hashbrown::HashTable;
use simt_ir::{
    Axis, BinaryOp, CacheOp, CompareOp, Constant, Conversion, ElementType, IndexKind, MathFunction,
    ParamIndex, Reg, Special, Type, UnaryOp, VariableRef,
};
use source::hash::Mixer;
use std::hash::{Hash, Hasher};

/// The number of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value(pub(super) u32);

/// What a register holds whose value was not looked at yet; its number is given when it is.
pub(super) const UNREAD: Value = Value(u32::MAX);

/// What a value is, in terms of others. Equal expressions are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expr {
    /// Nothing is known; the number makes it differ from all others.
    Opaque(u32),
    Const(Constant),
    Unary(UnaryOp, Value),
    Binary(BinaryOp, Value, Value),
    Fma(Value, Value, Value),
    Compare(CompareOp, Type, Value, Value),
    Select(Value, Value, Value),
    Convert(Conversion, Value),
    Math(MathFunction, Value, Option<Value>),
    Special(Special),
    Param(ParamIndex),
    AddressOf(VariableRef),
    Offset(Place),
    /// An element of a load (0-based) while memory is of that version.
    Load {
        ty: ElementType,
        width: u8,
        element: u8,
        place: Place,
        cache: CacheOp,
        version: u32,
    },
}

/// An address in terms of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) base: Value,
    pub(super) index: Option<(Value, IndexKind, u32)>,
    pub(super) offset: i64,
}

struct Entry {
    expr: Expr,
    hash: u64,
    /// The value's largest unsigned reading; integers alone.
    max: u64,
}

/// What every operand asks of its value; by itself, because what is asked often should be near.
struct Known {
    /// What the value is known to be here.
    constant: Option<Constant>,
    holders: List,
    /// Whether it is a constant wherever it is read.
    always: bool,
}

/// A register in a list, with the places of its neighbours.
struct Link {
    reg: Reg,
    before: u32,
    after: u32,
}

/// Registers in a list of [`Values::links`], oldest first; [`END`] if there is none.
#[derive(Clone, Copy)]
struct List {
    first: u32,
    last: u32,
}

/// The end of a list.
const END: u32 = u32::MAX;

const NO_HOLDERS: List = List { first: END, last: END };

/// Mixes in two small numbers at once.
fn pair(mixer: &mut Mixer, one: u32, other: u32) {
    mixer.mix(u64::from(one) | u64::from(other) << 32);
}

fn mix_place(mixer: &mut Mixer, place: &Place) {
    if let Some((value, kind, scale)) = place.index {
        pair(mixer, value.0, scale << 2 | kind as u32);
    }
    pair(mixer, place.base.0, place.offset as u32);
}

/// Equal expressions have equal hashes, and others rarely.
fn hash_of(expr: &Expr) -> u64 {
    let mut mixer = Mixer::default();
    match *expr {
        Expr::Opaque(number) => pair(&mut mixer, 1, number),
        Expr::Const(constant) => {
            let (kind, bits) = match constant {
                Constant::Bool(truth) => (2, u64::from(truth)),
                Constant::I32(bits) => (3, u64::from(bits)),
                Constant::I64(bits) => (4, bits),
                Constant::F32(bits) => (5, u64::from(bits)),
                Constant::F64(bits) => (6, bits),
                Constant::Ptr(bits) => (7, bits),
            };
            mixer.mix(kind);
            mixer.mix(bits);
        }
        Expr::Unary(op, value) => pair(&mut mixer, 8 | (op as u32) << 8, value.0),
        Expr::Binary(op, l, r) => {
            mixer.mix(9 | (op as u64) << 8);
            pair(&mut mixer, l.0, r.0);
        }
        Expr::Fma(a, b, c) => {
            pair(&mut mixer, 10, a.0);
            pair(&mut mixer, b.0, c.0);
        }
        Expr::Compare(op, ty, l, r) => {
            mixer.mix(11 | (op as u64) << 8 | (ty as u64) << 16);
            pair(&mut mixer, l.0, r.0);
        }
        Expr::Select(condition, l, r) => {
            pair(&mut mixer, 12, condition.0);
            pair(&mut mixer, l.0, r.0);
        }
        Expr::Convert(op, value) => pair(&mut mixer, 13 | (op as u32) << 8, value.0),
        Expr::Math(function, x, y) => {
            function.hash(&mut mixer);
            pair(&mut mixer, x.0, y.map_or(u32::MAX, |y| y.0));
        }
        Expr::Special(special) => special.hash(&mut mixer),
        Expr::Param(index) => pair(&mut mixer, 16, index.0),
        Expr::AddressOf(variable) => {
            let (kind, number) = match variable {
                VariableRef::Global(number) => (17, number.0),
                VariableRef::Shared(number) => (18, number.0),
                VariableRef::Local(number) => (19, number.0),
            };
            pair(&mut mixer, kind, number);
        }
        Expr::Offset(place) => {
            mixer.mix(20);
            mix_place(&mut mixer, &place);
        }
        Expr::Load { ty, width, element, place, version, cache: _ } => {
            let access = (ty as u32) << 8 | u32::from(width) << 16 | u32::from(element) << 24;
            pair(&mut mixer, 21 | access, version);
            mix_place(&mut mixer, &place);
        }
    }
    mixer.finish()
}

/// All values seen so far, and the registers that held them.
#[derive(Default)]
pub(super) struct Values {
    entries: Vec<Entry>,
    /// Of each entry.
    known: Vec<Known>,
    numbers: HashTable<Value>,
    /// The links of all [`Known::holders`], newest last.
    links: Vec<Link>,
}

impl Values {
    /// Forgets all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.known.clear();
        self.numbers.clear();
        self.links.clear();
    }

    pub(super) fn opaque(&mut self) -> Value {
        let number = self.entries.len() as u32;
        self.add(Expr::Opaque(number), 0, u64::MAX)
    }

    /// Says that a register holds a value from now on, or until something else is said of it.
    pub(super) fn add_holder(&mut self, value: Value, reg: Reg) {
        let new = self.links.len() as u32;
        let holders = &mut self.known[value.0 as usize].holders;
        let before = std::mem::replace(&mut holders.last, new);
        match self.links.get_mut(before as usize) {
            Some(link) => link.after = new,
            None => holders.first = new,
        }
        self.links.push(Link { reg, before, after: END });
    }

    /// Takes back what was said last, which was of that value.
    pub(super) fn remove_holder(&mut self, value: Value) {
        let Some(Link { before, .. }) = self.links.pop() else { return };
        let holders = &mut self.known[value.0 as usize].holders;
        holders.last = before;
        match self.links.get_mut(before as usize) {
            Some(link) => link.after = END,
            None => holders.first = END,
        }
    }

    /// The registers that held a value, oldest first, some more than once.
    pub(super) fn holders(&self, value: Value) -> impl Iterator<Item = Reg> {
        let mut at = self.known[value.0 as usize].holders.first;
        std::iter::from_fn(move || {
            let link = self.links.get(at as usize)?;
            at = link.after;
            Some(link.reg)
        })
    }

    pub(super) fn constant(&mut self, constant: Constant) -> Value {
        self.number(Expr::Const(constant))
    }

    /// The number of an expression, new if it is.
    pub(super) fn number(&mut self, expr: Expr) -> Value {
        let expr = self.in_order(expr);
        let hash = hash_of(&expr);
        if let Some(value) = self.find_hashed(&expr, hash) {
            return value;
        }
        let max = self.bound(expr);
        let value = self.add(expr, hash, max);
        let Values { numbers, entries, .. } = self;
        numbers.insert_unique(hash, value, |value| entries[value.0 as usize].hash);
        value
    }

    fn find_hashed(&self, expr: &Expr, hash: u64) -> Option<Value> {
        self.numbers.find(hash, |value| self.entries[value.0 as usize].expr == *expr).copied()
    }

    /// The number of an expression that was numbered before.
    pub(super) fn find(&self, expr: Expr) -> Option<Value> {
        let expr = self.in_order(expr);
        self.find_hashed(&expr, hash_of(&expr))
    }

    fn add(&mut self, expr: Expr, hash: u64, max: u64) -> Value {
        let constant = match expr {
            Expr::Const(constant) => Some(constant),
            _ => None,
        };
        self.entries.push(Entry { expr, hash, max });
        self.known.push(Known { constant, holders: NO_HOLDERS, always: constant.is_some() });
        Value(self.entries.len() as u32 - 1)
    }

    pub(super) fn expr(&self, value: Value) -> Expr {
        self.entries[value.0 as usize].expr
    }

    pub(super) fn as_constant(&self, value: Value) -> Option<Constant> {
        self.known[value.0 as usize].constant
    }

    /// Whether it is a constant wherever it is read.
    pub(super) fn is_constant(&self, value: Value) -> bool {
        self.known[value.0 as usize].always
    }

    /// Says what a condition is in the code that it guards; returns what was known before, for [`Values::restore`].
    pub(super) fn assume(&mut self, value: Value, truth: bool) -> Option<Constant> {
        self.known[value.0 as usize].constant.replace(Constant::Bool(truth))
    }

    pub(super) fn restore(&mut self, value: Value, before: Option<Constant>) {
        self.known[value.0 as usize].constant = before;
    }

    /// The largest that an integer can be, read without sign.
    pub(super) fn max(&self, value: Value) -> u64 {
        self.entries[value.0 as usize].max
    }

    /// Whether an `I32` is surely not negative when read with sign.
    pub(super) fn is_natural(&self, value: Value) -> bool {
        self.max(value) <= i32::MAX as u64
    }

    fn bound(&self, expr: Expr) -> u64 {
        let max = |value: Value| self.max(value);
        match expr {
            Expr::Const(Constant::I32(x)) => u64::from(x),
            Expr::Const(Constant::I64(x)) => x,
            Expr::Special(special) => match special {
                Special::ThreadIdx(Axis::X | Axis::Y) => 1023,
                Special::ThreadIdx(Axis::Z) => 63,
                Special::BlockDim(Axis::X | Axis::Y) => 1024,
                Special::BlockDim(Axis::Z) => 64,
                Special::BlockIdx(Axis::X) | Special::GridDim(Axis::X) => i32::MAX as u64,
                Special::BlockIdx(_) | Special::GridDim(_) => 65_535,
                Special::LaneId => 31,
                Special::Cooperative => 1,
                Special::ActiveMask => u64::MAX,
            },
            Expr::Binary(op, l, r) => self.bound_binary(op, max(l), max(r)),
            Expr::Select(_, l, r) => max(l).max(max(r)),
            Expr::Convert(op, src) => match op {
                Conversion::Zero8 => max(src).min(0xff),
                Conversion::Zero16 => max(src).min(0xffff),
                Conversion::BoolToI32 => 1,
                Conversion::ZeroExtend => max(src).min(u64::from(u32::MAX)),
                Conversion::SignExtend if self.is_natural(src) => max(src),
                Conversion::Truncate if max(src) <= u64::from(u32::MAX) => max(src),
                _ => u64::MAX,
            },
            Expr::Load { ty: ElementType::U8, .. } => 0xff,
            Expr::Load { ty: ElementType::U16, .. } => 0xffff,
            _ => u64::MAX,
        }
    }

    /// The bound of an operation on two integers; `u64::MAX` if it may wrap at 32 bits, which is right for 64 too.
    fn bound_binary(&self, op: BinaryOp, l: u64, r: u64) -> u64 {
        let natural = |x: u64| x <= i32::MAX as u64;
        let fits = |x: Option<u64>| x.filter(|x| *x <= u64::from(u32::MAX)).unwrap_or(u64::MAX);
        match op {
            BinaryOp::Add => fits(l.checked_add(r)),
            BinaryOp::Mul => fits(l.checked_mul(r)),
            BinaryOp::And => l.min(r),
            BinaryOp::Or | BinaryOp::Xor => {
                (l | r).checked_next_power_of_two().map_or(u64::MAX, |p| p | (p - 1))
            }
            BinaryOp::MinU => l.min(r),
            BinaryOp::DivU | BinaryOp::ShrU => l,
            BinaryOp::RemU => l.min(r.saturating_sub(1)),
            BinaryOp::MaxU => l.max(r),
            BinaryOp::MinS if natural(l) && natural(r) => l.min(r),
            BinaryOp::MaxS if natural(l) && natural(r) => l.max(r),
            BinaryOp::DivS | BinaryOp::ShrS if natural(l) && natural(r) => l,
            BinaryOp::RemS if natural(l) && natural(r) => l.min(r.saturating_sub(1)),
            _ => u64::MAX,
        }
    }

    /// The integer `value` as a sum of another value and a constant that is not 0 (of the value's type).
    pub(super) fn split(&self, value: Value) -> Option<(Value, Constant)> {
        match self.expr(value) {
            Expr::Binary(BinaryOp::Add, core, summand) => match self.as_constant(summand)? {
                constant @ (Constant::I32(_) | Constant::I64(_)) => Some((core, constant)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A constant operation, if all operands are known.
    pub(super) fn fold(&self, expr: Expr) -> Option<Constant> {
        let constant = |value| self.as_constant(value);
        match expr {
            Expr::Unary(op, src) => fold::unary(op, constant(src)?),
            Expr::Binary(op, l, r) => fold::binary(op, constant(l)?, constant(r)?),
            Expr::Fma(a, b, c) => fold::fma(constant(a)?, constant(b)?, constant(c)?),
            Expr::Compare(op, _, l, r) => fold::compare(op, constant(l)?, constant(r)?).map(Constant::Bool),
            Expr::Convert(op, src) => fold::convert(op, constant(src)?),
            Expr::Opaque(_)
            | Expr::Const(_)
            | Expr::Select(..)
            | Expr::Math(..)
            | Expr::Special(_)
            | Expr::Param(_)
            | Expr::AddressOf(_)
            | Expr::Offset(_)
            | Expr::Load { .. } => None,
        }
    }

    /// Operands of commutative operations in one order, so that `a + b` and `b + a` are one; a constant comes last.
    fn in_order(&self, expr: Expr) -> Expr {
        use BinaryOp::*;
        let rank = |value: Value| (self.is_constant(value), value);
        match expr {
            Expr::Binary(
                op @ (Add | AddRn | Mul | MulRn | MulHighS | MulHighU | And | Or | Xor | MinS | MaxS | MinU
                | MaxU),
                l,
                r,
            ) if rank(r) < rank(l) => Expr::Binary(op, r, l),
            Expr::Compare(op @ (CompareOp::Eq | CompareOp::Ne), ty, l, r) if rank(r) < rank(l) => {
                Expr::Compare(op, ty, r, l)
            }
            _ => expr,
        }
    }
}
