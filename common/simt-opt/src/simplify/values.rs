//! Value numbers: equal numbers mean equal values, in each lane for itself.

use crate::fold;
use simt_ir::{
    Axis, BinaryOp, Cache, CompareOp, Constant, Conversion, IndexKind, MathFunction, Memory, Object, Special,
    Type, UnaryOp,
};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The number of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Value(pub(super) u32);

/// What a value is, in terms of others. Equal expressions are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    Param(u32),
    AddressOf(Object),
    Offset(Place),
    /// An element of a load (0-based) while memory is of that version.
    Load {
        ty: Memory,
        width: u8,
        element: u8,
        place: Place,
        cache: Cache,
        version: u32,
    },
}

/// An address in terms of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) base: Value,
    pub(super) index: Option<(Value, IndexKind, u32)>,
    pub(super) offset: i64,
}

struct Entry {
    expr: Expr,
    /// The value's largest unsigned reading; integers alone.
    max: u64,
    /// What the value is known to be here.
    constant: Option<Constant>,
}

/// Multiplicative hashing as in rustc's `FxHasher`: keys are small and nobody attacks them.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}

/// All values seen so far.
#[derive(Default)]
pub(super) struct Values {
    entries: Vec<Entry>,
    numbers: HashMap<Expr, Value, BuildHasherDefault<Mixer>>,
}

impl Values {
    pub(super) fn opaque(&mut self) -> Value {
        let number = self.entries.len() as u32;
        self.add(Expr::Opaque(number), u64::MAX)
    }

    pub(super) fn constant(&mut self, constant: Constant) -> Value {
        self.number(Expr::Const(constant))
    }

    /// The number of an expression, new if it is.
    pub(super) fn number(&mut self, expr: Expr) -> Value {
        let expr = self.in_order(expr);
        if let Some(value) = self.numbers.get(&expr) {
            return *value;
        }
        let max = self.bound(expr);
        let value = self.add(expr, max);
        self.numbers.insert(expr, value);
        value
    }

    /// The number of an expression that was numbered before.
    pub(super) fn find(&self, expr: Expr) -> Option<Value> {
        self.numbers.get(&self.in_order(expr)).copied()
    }

    fn add(&mut self, expr: Expr, max: u64) -> Value {
        let constant = match expr {
            Expr::Const(constant) => Some(constant),
            _ => None,
        };
        self.entries.push(Entry { expr, max, constant });
        Value(self.entries.len() as u32 - 1)
    }

    pub(super) fn expr(&self, value: Value) -> Expr {
        self.entries[value.0 as usize].expr
    }

    pub(super) fn as_constant(&self, value: Value) -> Option<Constant> {
        self.entries[value.0 as usize].constant
    }

    /// Says what a condition is in the code that it guards; returns what was known before, for [`Values::restore`].
    pub(super) fn assume(&mut self, value: Value, truth: bool) -> Option<Constant> {
        self.entries[value.0 as usize].constant.replace(Constant::Bool(truth))
    }

    pub(super) fn restore(&mut self, value: Value, before: Option<Constant>) {
        self.entries[value.0 as usize].constant = before;
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
            Expr::Load { ty: Memory::U8, .. } => 0xff,
            Expr::Load { ty: Memory::U16, .. } => 0xffff,
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
        let rank = |value: Value| (matches!(self.expr(value), Expr::Const(_)), value);
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
