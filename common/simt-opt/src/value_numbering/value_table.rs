//! The table of value numbers: equal numbers mean equal values, in each lane by itself.
//!
//! An expression over numbered values is looked up by its hash (Muchnick, *Advanced Compiler Design and
//! Implementation*, 12.4). Besides, the table knows for each value which registers have held it and the range of
//! integers. It knows nothing of control flow: its owner records what holds where, and takes it back.

use crate::constant_folding;
use hashbrown::HashTable;
use simt_ir::{
    Axis, BinaryOp, CacheOp, CompareOp, Constant, Conversion, ElementType, IndexKind, MathFunction,
    ParamIndex, Reg, Special, Type, UnaryOp, VariableRef,
};
use source::hash::Keyed;
use std::hash::{Hash, Hasher};

/// The number of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ValueId(pub(super) u32);

/// Stands for the value of a register that nothing has read yet. The first read gives it a number.
pub(super) const UNNUMBERED: ValueId = ValueId(u32::MAX);

/// How a value is computed from others. Equal expressions are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Expr {
    /// Nothing is known about it; the number makes it differ from all others.
    Opaque(u32),
    Const(Constant),
    Unary(UnaryOp, ValueId),
    Binary(BinaryOp, ValueId, ValueId),
    Fma(ValueId, ValueId, ValueId),
    Compare(CompareOp, Type, ValueId, ValueId),
    Select(ValueId, ValueId, ValueId),
    Convert(Conversion, ValueId),
    Math(MathFunction, ValueId, Option<ValueId>),
    Special(Special),
    Param(ParamIndex),
    AddressOf(VariableRef),
    Offset(AddressExpr),
    /// An element of a load (0-based), from memory of that version.
    Load {
        ty: ElementType,
        width: u8,
        element: u8,
        address: AddressExpr,
        cache: CacheOp,
        version: u32,
    },
}

/// An address in terms of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AddressExpr {
    pub(super) base: ValueId,
    pub(super) index: Option<(ValueId, IndexKind, u32)>,
    pub(super) offset: i64,
}

struct Entry {
    expr: Expr,
    hash: u64,
    /// For integers, an upper bound of the value as an unsigned number.
    max: u64,
}

/// What is looked up for every operand; apart from [`Entry`], so that the table is small and stays in the cache.
struct ValueState {
    /// The constant that the value is known to be at this point.
    constant: Option<Constant>,
    holders: HolderList,
    /// Whether it is a constant everywhere.
    is_constant: bool,
}

/// A register in a doubly linked list, with the positions of its neighbours.
struct HolderLink {
    reg: Reg,
    prev: u32,
    next: u32,
}

/// A list in [`ValueTable::links`], oldest register first; [`NIL`] if it is empty.
#[derive(Clone, Copy)]
struct HolderList {
    first: u32,
    last: u32,
}

/// No link.
const NIL: u32 = u32::MAX;

const NO_HOLDERS: HolderList = HolderList { first: NIL, last: NIL };

fn hash_of(expr: &Expr) -> u64 {
    let mut mixer = Keyed::default();
    expr.hash(&mut mixer);
    mixer.finish()
}

/// All values numbered so far, and the registers that have held them.
#[derive(Default)]
pub(super) struct ValueTable {
    entries: Vec<Entry>,
    /// For each entry, its state.
    states: Vec<ValueState>,
    numbers: HashTable<ValueId>,
    /// The links of all [`ValueState::holders`], newest last.
    links: Vec<HolderLink>,
}

impl ValueTable {
    /// Removes all values, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.states.clear();
        self.numbers.clear();
        self.links.clear();
    }

    /// A new value of which nothing is known.
    pub(super) fn opaque(&mut self) -> ValueId {
        let number = self.entries.len() as u32;
        self.add(Expr::Opaque(number), 0, u64::MAX)
    }

    /// Records that a register holds a value.
    pub(super) fn add_holder(&mut self, value: ValueId, reg: Reg) {
        let new = self.links.len() as u32;
        let holders = &mut self.states[value.0 as usize].holders;
        let prev = std::mem::replace(&mut holders.last, new);
        match self.links.get_mut(prev as usize) {
            Some(link) => link.next = new,
            None => holders.first = new,
        }
        self.links.push(HolderLink { reg, prev, next: NIL });
    }

    /// Takes back the latest record, which must be of this value.
    pub(super) fn remove_holder(&mut self, value: ValueId) {
        let Some(HolderLink { prev, .. }) = self.links.pop() else { return };
        let holders = &mut self.states[value.0 as usize].holders;
        holders.last = prev;
        match self.links.get_mut(prev as usize) {
            Some(link) => link.next = NIL,
            None => holders.first = NIL,
        }
    }

    /// The registers that have held a value, oldest first, some more than once.
    pub(super) fn holders(&self, value: ValueId) -> impl Iterator<Item = Reg> {
        let mut position = self.states[value.0 as usize].holders.first;
        std::iter::from_fn(move || {
            let link = self.links.get(position as usize)?;
            position = link.next;
            Some(link.reg)
        })
    }

    pub(super) fn constant(&mut self, constant: Constant) -> ValueId {
        self.number(Expr::Const(constant))
    }

    /// The number of an expression, a new one if it has none yet.
    pub(super) fn number(&mut self, expr: Expr) -> ValueId {
        let expr = self.canonical(expr);
        let hash = hash_of(&expr);
        if let Some(value) = self.find_hashed(&expr, hash) {
            return value;
        }
        let max = self.upper_bound(expr);
        let value = self.add(expr, hash, max);
        let ValueTable { numbers, entries, .. } = self;
        numbers.insert_unique(hash, value, |value| entries[value.0 as usize].hash);
        value
    }

    fn find_hashed(&self, expr: &Expr, hash: u64) -> Option<ValueId> {
        self.numbers.find(hash, |value| self.entries[value.0 as usize].expr == *expr).copied()
    }

    /// The number of an expression that was numbered before.
    pub(super) fn find(&self, expr: Expr) -> Option<ValueId> {
        let expr = self.canonical(expr);
        self.find_hashed(&expr, hash_of(&expr))
    }

    fn add(&mut self, expr: Expr, hash: u64, max: u64) -> ValueId {
        let constant = match expr {
            Expr::Const(constant) => Some(constant),
            _ => None,
        };
        self.entries.push(Entry { expr, hash, max });
        let is_constant = constant.is_some();
        self.states.push(ValueState { constant, holders: NO_HOLDERS, is_constant });
        ValueId(self.entries.len() as u32 - 1)
    }

    pub(super) fn expr(&self, value: ValueId) -> Expr {
        self.entries[value.0 as usize].expr
    }

    /// The constant that a value is known to be at this point.
    pub(super) fn as_constant(&self, value: ValueId) -> Option<Constant> {
        self.states[value.0 as usize].constant
    }

    /// Whether a value is a constant everywhere, not only at this point.
    pub(super) fn is_constant(&self, value: ValueId) -> bool {
        self.states[value.0 as usize].is_constant
    }

    /// Assumes an outcome of a condition, for the code that it guards; returns what was known before, for
    /// [`ValueTable::restore`].
    pub(super) fn assume(&mut self, value: ValueId, truth: bool) -> Option<Constant> {
        self.states[value.0 as usize].constant.replace(Constant::Bool(truth))
    }

    pub(super) fn restore(&mut self, value: ValueId, before: Option<Constant>) {
        self.states[value.0 as usize].constant = before;
    }

    /// An upper bound of an integer as an unsigned number.
    pub(super) fn max(&self, value: ValueId) -> u64 {
        self.entries[value.0 as usize].max
    }

    /// Whether an `I32` is certainly not negative as a signed number.
    pub(super) fn is_non_negative(&self, value: ValueId) -> bool {
        self.max(value) <= i32::MAX as u64
    }

    fn upper_bound(&self, expr: Expr) -> u64 {
        let max = |value: ValueId| self.max(value);
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
            Expr::Binary(op, l, r) => self.upper_bound_binary(op, max(l), max(r)),
            Expr::Select(_, l, r) => max(l).max(max(r)),
            Expr::Convert(op, src) => match op {
                Conversion::Zero8 => max(src).min(0xff),
                Conversion::Zero16 => max(src).min(0xffff),
                Conversion::BoolToI32 => 1,
                Conversion::ZeroExtend => max(src).min(u64::from(u32::MAX)),
                Conversion::SignExtend if self.is_non_negative(src) => max(src),
                Conversion::Truncate if max(src) <= u64::from(u32::MAX) => max(src),
                _ => u64::MAX,
            },
            Expr::Load { ty: ElementType::U8, .. } => 0xff,
            Expr::Load { ty: ElementType::U16, .. } => 0xffff,
            _ => u64::MAX,
        }
    }

    /// The upper bound of an operation on two integers, given theirs. It is `u64::MAX` if the result may wrap at 32
    /// bits, which is correct for 64 bits too.
    fn upper_bound_binary(&self, op: BinaryOp, l: u64, r: u64) -> u64 {
        let non_negative = |x: u64| x <= i32::MAX as u64;
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
            BinaryOp::MinS if non_negative(l) && non_negative(r) => l.min(r),
            BinaryOp::MaxS if non_negative(l) && non_negative(r) => l.max(r),
            BinaryOp::DivS | BinaryOp::ShrS if non_negative(l) && non_negative(r) => l,
            BinaryOp::RemS if non_negative(l) && non_negative(r) => l.min(r.saturating_sub(1)),
            _ => u64::MAX,
        }
    }

    /// An integer as the sum of another value and a constant of its type.
    pub(super) fn split_constant(&self, value: ValueId) -> Option<(ValueId, Constant)> {
        match self.expr(value) {
            Expr::Binary(BinaryOp::Add, core, summand) => match self.as_constant(summand)? {
                constant @ (Constant::I32(_) | Constant::I64(_)) => Some((core, constant)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The result of an expression whose operands are all constant.
    pub(super) fn fold(&self, expr: Expr) -> Option<Constant> {
        let constant = |value| self.as_constant(value);
        match expr {
            Expr::Unary(op, src) => constant_folding::unary(op, constant(src)?),
            Expr::Binary(op, l, r) => constant_folding::binary(op, constant(l)?, constant(r)?),
            Expr::Fma(a, b, c) => constant_folding::fma(constant(a)?, constant(b)?, constant(c)?),
            Expr::Compare(op, _, l, r) => {
                constant_folding::compare(op, constant(l)?, constant(r)?).map(Constant::Bool)
            }
            Expr::Convert(op, src) => constant_folding::convert(op, constant(src)?),
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

    /// The operands of a commutative operation in canonical order, so that `a + b` equals `b + a`. A constant comes
    /// last.
    fn canonical(&self, expr: Expr) -> Expr {
        let rank = |value: ValueId| (self.is_constant(value), value);
        match expr {
            Expr::Binary(op, l, r) if is_commutative(op) && rank(r) < rank(l) => Expr::Binary(op, r, l),
            Expr::Compare(op @ (CompareOp::Eq | CompareOp::Ne), ty, l, r) if rank(r) < rank(l) => {
                Expr::Compare(op, ty, r, l)
            }
            _ => expr,
        }
    }
}

/// Whether `a op b` equals `b op a`, to the bit.
pub(super) fn is_commutative(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | AddRn | Mul | MulRn | MulHighS | MulHighU | And | Or | Xor | MinS | MaxS | MinU | MaxU)
}
