//! Affine values: values that differ between the lanes of a warp in a way that is known before the launch begins.
//!
//! An index such as `(blockIdx.y * 16 + threadIdx.y) * n + t * 16 + threadIdx.x` is a part that depends on the
//! thread's place in its block and on the launch alone, plus a part that is the same in the whole warp. The first is an affine
//! *vector*, computed here once for all threads of a block; only the second is computed at run time, once per warp. What an
//! access with such an index costs (bank conflicts, how its sectors lie) depends on the vector too, and is looked up.
//! (Collange, Defour, Zhang: Dynamic detection of uniform and affine vectors in GPGPU computations, Euro-Par 2009 workshops; here
//! found before the launch, and with any vector, not only multiples of the lane.)
//!
//! Sums, differences, and products with constants keep the two parts apart modulo 2^32, and so does a selection by a condition that the
//! warp shares. Quotients and remainders by constants do where they cannot differ within a warp but by the lane. Any other operation does only if the uniform parts of its operands are constants of the launch; else its result is not
//! affine. Floating-point numbers and what memory holds are not affine.
//!
//! Numbers of 64 bits and pointers are affine in the same way if the elements of their vectors fit 32 bits. An index becomes 64 bits wide
//! by extension, which keeps the parts apart only if no lane wraps around. That depends on the uniform part, so the machine looks at
//! it each time; a launch in which a lane does wrap around is run again with a plan in which nothing of 64 bits is affine.

use crate::index_vec::IndexVec;
use crate::launch::{Launch, coordinates};
use crate::plan::analysis::relation::Relation;
use crate::plan::code::Unit;
use crate::plan::code::affine::AffineVectors;
use crate::plan::code::numbers::VectorId;
use crate::value::{Una, alu32, convert, una32};
use simt_ir::{Axis, BinaryOp, Constant, Conversion, InstKind, Kernel, Operand, Reg, Special, Type, UnaryOp};
use source::hash::Map;
use std::collections::BTreeSet;

/// Kernels with more than so many different vectors keep the rest of their values lane by lane.
const MAX_VECTORS: usize = 4096;

/// A value as an affine vector plus a uniform part, if that is a constant of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AffineValue {
    pub(crate) vector: VectorId,
    pub(crate) constant: Option<u64>,
    /// What else is known of the uniform part of a 32-bit value.
    part: Part,
}

impl AffineValue {
    fn new(vector: VectorId, constant: Option<u64>) -> AffineValue {
        AffineValue { vector, constant, part: constant.map_or(Part::UNKNOWN, |c| Part::constant(c as u32)) }
    }
}

/// What is known of a uniform part that is not a constant of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    /// It is a multiple of two to this power.
    zeros: u32,
    /// The least and the greatest value in the whole grid, as signed numbers.
    range: Option<[i64; 2]>,
}

impl Part {
    const UNKNOWN: Part = Part { zeros: 0, range: None };

    fn constant(value: u32) -> Part {
        Part { zeros: value.trailing_zeros(), range: Some([i64::from(value as i32); 2]) }
    }

    /// A number below a limit.
    fn below(limit: u32) -> Part {
        Part { zeros: if limit == 1 { 32 } else { 0 }, range: Some([0, i64::from(limit) - 1]) }
    }

    fn meet(self, other: Part) -> Part {
        let range = self.range.filter(|_| self.range == other.range);
        Part { zeros: self.zeros.min(other.zeros), range }
    }

    /// What is known of the result of an operation.
    fn after(op: BinaryOp, a: Part, b: Part) -> Part {
        let zeros = match op {
            BinaryOp::Add | BinaryOp::Sub => a.zeros.min(b.zeros),
            BinaryOp::Mul => (a.zeros + b.zeros).min(32),
            _ => return Part::UNKNOWN,
        };
        let range = a.range.zip(b.range).and_then(|([a, c], [b, d])| {
            let ends = match op {
                BinaryOp::Add => [a + b, c + d, a + b, c + d],
                BinaryOp::Sub => [a - d, c - b, a - d, c - b],
                _ => [a.checked_mul(b)?, a.checked_mul(d)?, c.checked_mul(b)?, c.checked_mul(d)?],
            };
            let range = [*ends.iter().min()?, *ends.iter().max()?];
            range.iter().all(|end| i32::try_from(*end).is_ok()).then_some(range)
        });
        Part { zeros, range }
    }
}

/// What is known of a register: an element of the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing has defined it yet.
    Undefined,
    Affine(AffineValue),
    /// It needs a value for each lane.
    Varying,
}

/// A uniform result that is not a constant.
const UNIFORM: State =
    State::Affine(AffineValue { vector: AffineVectors::ZERO, constant: None, part: Part::UNKNOWN });

fn meet(a: State, b: State) -> State {
    match (a, b) {
        (State::Undefined, other) | (other, State::Undefined) => other,
        (State::Affine(a), State::Affine(b)) if a.vector == b.vector => {
            let constant = a.constant.filter(|_| a.constant == b.constant);
            State::Affine(AffineValue { vector: a.vector, constant, part: a.part.meet(b.part) })
        }
        _ => State::Varying,
    }
}

/// An operation on vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum VectorOp {
    Binary(BinaryOp, Shifted, Shifted),
    Unary(UnaryOp, Shifted),
    Convert(Conversion, Shifted),
    /// The first vector plus a multiple of the second, of 64 bits.
    Wide(VectorId, VectorId, i64),
}

/// A vector plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Shifted {
    vector: VectorId,
    plus: u32,
}

impl Shifted {
    fn constant(plus: u32) -> Shifted {
        Shifted { vector: AffineVectors::ZERO, plus }
    }
}

/// A definition of a register that may be affine.
pub(crate) struct Definition<'a> {
    pub(crate) reg: Reg,
    pub(crate) inst: &'a InstKind,
    /// Whether the register is known to be the same in a whole warp.
    pub(crate) is_uniform: bool,
}

/// The affine vectors of a launch and the registers that are affine.
#[derive(Debug)]
pub(crate) struct AffineValues {
    /// Threads that have a uniform part in common.
    unit_threads: usize,
    pub(crate) vectors: AffineVectors,
    numbers: Map<Vec<u32>, VectorId>,
    computed: Map<VectorOp, Option<Shifted>>,
    states: IndexVec<Reg, State>,
    types: Vec<Type>,
    /// Whether each register is known to be the same in a whole warp.
    uniform: IndexVec<Reg, bool>,
}

impl AffineValues {
    /// Finds the affine registers of a kernel, given all definitions of those that may be; those of 64 bits only if they are asked for.
    pub(crate) fn find(
        kernel: &Kernel,
        (launch, unit): (&Launch, Unit),
        definitions: &[Definition],
        (varying, wide): (&IndexVec<Reg, bool>, bool),
    ) -> AffineValues {
        let [x, y, z] = launch.block;
        let threads = (x * y * z).next_multiple_of(32) as usize;
        let unit_threads = match unit {
            Unit::Warp => 32,
            Unit::Block => threads,
        };
        let mut values = AffineValues {
            unit_threads,
            vectors: AffineVectors::new(threads),
            numbers: Map::from_iter([(vec![0; threads], AffineVectors::ZERO)]),
            computed: Map::default(),
            states: IndexVec::filled(State::Varying, kernel.registers.len()),
            types: kernel.registers.iter().map(|register| register.ty).collect(),
            uniform: varying.iter().map(|varying| !varying).collect(),
        };
        for definition in definitions {
            let ty = values.types[definition.reg.index()];
            if ty == Type::I32 || wide && matches!(ty, Type::I64 | Type::Ptr) {
                values.states[definition.reg] = State::Undefined;
            }
        }
        let mut uses = Vec::new();
        for (at, definition) in definitions.iter().enumerate() {
            definition.inst.for_each_use(|operand| {
                if let Operand::Reg(reg) = operand {
                    uses.push((reg.0, at as u32));
                }
            });
        }
        let readers = Relation::of(kernel.registers.len(), &uses);
        // In the order of the text, over and over, but without those of which no operand has changed: values that a loop hands on from
        // one variable to the next would take as many walks as there are variables.
        let mut again = BTreeSet::new();
        for (at, definition) in definitions.iter().enumerate() {
            if values.define(launch, definition) {
                let earlier = readers.others(definition.reg.0).iter().filter(|reader| **reader <= at as u32);
                again.extend(earlier.copied());
            }
        }
        let mut at = 0;
        while let Some(next) = again.range(at..).next().or_else(|| again.first()).copied() {
            again.remove(&next);
            at = next + 1;
            let definition = &definitions[next as usize];
            if values.define(launch, definition) {
                again.extend(readers.others(definition.reg.0).iter().copied());
            }
        }
        values
    }

    /// Takes in a definition; whether that changes what is known of its register.
    fn define(&mut self, launch: &Launch, Definition { reg, inst, is_uniform }: &Definition) -> bool {
        let before = self.states[*reg];
        if before == State::Varying {
            return false;
        }
        let new = match self.evaluate(launch, inst) {
            // A uniform register stays so, whatever it is computed from.
            State::Varying if *is_uniform => UNIFORM,
            State::Affine(v) if *is_uniform && v.vector != AffineVectors::ZERO => UNIFORM,
            new => new,
        };
        self.states[*reg] = meet(before, new);
        self.states[*reg] != before
    }

    /// A register's value; `None` if it needs one for each lane.
    pub(crate) fn of(&self, reg: Reg) -> Option<AffineValue> {
        match self.states[reg] {
            State::Affine(value) => Some(value),
            State::Undefined | State::Varying => None,
        }
    }

    /// What an instruction gives, by the final knowledge of its operands.
    pub(crate) fn result(&mut self, launch: &Launch, inst: &InstKind) -> Option<AffineValue> {
        match self.evaluate(launch, inst) {
            State::Affine(value) => Some(value),
            State::Undefined | State::Varying => None,
        }
    }

    fn operand(&self, operand: &Operand) -> State {
        match operand {
            Operand::Reg(reg) => self.states[*reg],
            Operand::Const(value) => integer(*value),
        }
    }

    fn evaluate(&mut self, launch: &Launch, inst: &InstKind) -> State {
        match inst {
            InstKind::Copy { src, .. } => self.operand(src),
            InstKind::Param { index, .. } => {
                launch.args.get(index.index()).map_or(State::Varying, |v| integer(*v))
            }
            InstKind::Special { value, .. } => self.special(launch, *value),
            InstKind::Unary { op, src, dst } => match self.operand(src) {
                State::Affine(value) if self.is_wide(*dst) => self.unary_wide(*op, value),
                State::Affine(value) => self.unary(*op, value),
                other => other,
            },
            InstKind::Convert { op, src, .. } => match (op, self.operand(src)) {
                (
                    Conversion::Sign8 | Conversion::Zero8 | Conversion::Sign16 | Conversion::Zero16,
                    State::Affine(AffineValue { vector, constant: Some(plus), .. }),
                ) => {
                    let plus = plus as u32;
                    self.computed(VectorOp::Convert(*op, Shifted { vector, plus }), Some(0))
                }
                (Conversion::SignExtend | Conversion::ZeroExtend, State::Affine(value)) => {
                    self.extend(*op == Conversion::SignExtend, value)
                }
                // The elements of the vector have the same low bits.
                (Conversion::Truncate, State::Affine(AffineValue { vector, constant, .. })) => {
                    let constant = constant.map(|c| u64::from(c as u32));
                    State::Affine(AffineValue::new(vector, constant))
                }
                (_, State::Undefined) => State::Undefined,
                _ => State::Varying,
            },
            InstKind::Binary { op, lhs, rhs, dst } => match (self.operand(lhs), self.operand(rhs)) {
                (State::Affine(a), State::Affine(b)) if self.is_wide(*dst) => self.binary_wide(*op, a, b),
                (State::Affine(a), State::Affine(b)) => self.binary(*op, a, b),
                (State::Varying, _) | (_, State::Varying) => State::Varying,
                _ => State::Undefined,
            },
            InstKind::Select { condition, on_true, on_false, .. } if self.is_shared(condition) => {
                meet(self.operand(on_true), self.operand(on_false))
            }
            InstKind::Offset { address, .. } => {
                let index = address.index.as_ref().map_or(constant(0), |index| self.operand(&index.value));
                match (self.operand(&address.base), index) {
                    (State::Affine(base), State::Affine(index)) => {
                        let scale = address.index.as_ref().map_or(0, |index| i64::from(index.scale));
                        self.wide_sum(base.vector, index.vector, scale, None)
                    }
                    (State::Varying, _) | (_, State::Varying) => State::Varying,
                    _ => State::Undefined,
                }
            }
            _ => State::Varying,
        }
    }

    fn is_wide(&self, reg: Reg) -> bool {
        self.types[reg.index()] != Type::I32
    }

    /// Whether a condition is the same for all lanes.
    fn is_shared(&self, condition: &Operand) -> bool {
        match condition {
            Operand::Reg(reg) => self.uniform[*reg],
            Operand::Const(_) => true,
        }
    }

    fn special(&mut self, launch: &Launch, value: Special) -> State {
        let axis = |axis: Axis| axis as usize;
        let threads = 0..self.vectors.threads() as u32;
        match value {
            Special::ThreadIdx(a) => {
                self.vector(threads.map(|t| coordinates(t, launch.block)[axis(a)]).collect())
            }
            Special::LaneId => self.vector(threads.map(|t| t % 32).collect()),
            Special::BlockIdx(a) => {
                let part = Part::below(launch.grid[axis(a)]);
                State::Affine(AffineValue { vector: AffineVectors::ZERO, constant: None, part })
            }
            Special::BlockDim(a) => constant(launch.block[axis(a)]),
            Special::GridDim(a) => constant(launch.grid[axis(a)]),
            Special::ActiveMask | Special::Cooperative => State::Varying,
        }
    }

    /// A 32-bit value as a 64-bit one. Of one whose uniform part is a constant it is known here whether lanes wrap around.
    fn extend(&mut self, signed: bool, AffineValue { vector, constant, .. }: AffineValue) -> State {
        let Some(part) = constant.map(|c| c as u32) else {
            return State::Affine(AffineValue::new(vector, None));
        };
        let wide = |v: u32| if signed { i64::from(v as i32) } else { i64::from(v) };
        let fits = |thread: usize| {
            let element = self.vectors.at(vector, thread);
            wide(part.wrapping_add(element)) == wide(part) + i64::from(element as i32)
        };
        match (0..self.vectors.threads()).all(fits) {
            true => State::Affine(AffineValue::new(vector, Some(wide(part) as u64))),
            false => State::Varying,
        }
    }

    fn unary_wide(&mut self, op: UnaryOp, AffineValue { vector, constant, .. }: AffineValue) -> State {
        match op {
            UnaryOp::Neg => self.wide_sum(AffineVectors::ZERO, vector, -1, constant.map(u64::wrapping_neg)),
            _ if vector == AffineVectors::ZERO => UNIFORM,
            _ => State::Varying,
        }
    }

    fn binary_wide(&mut self, op: BinaryOp, a: AffineValue, b: AffineValue) -> State {
        let both = a.constant.zip(b.constant);
        let is_uniform = |of: AffineValue| of.vector == AffineVectors::ZERO;
        match (op, a.constant, b.constant) {
            (BinaryOp::Add, ..) => self.wide_sum(a.vector, b.vector, 1, both.map(|(a, b)| a.wrapping_add(b))),
            (BinaryOp::Sub, ..) => {
                self.wide_sum(a.vector, b.vector, -1, both.map(|(a, b)| a.wrapping_sub(b)))
            }
            (BinaryOp::Mul, _, Some(c)) if is_uniform(b) => {
                let constant = a.constant.map(|a| a.wrapping_mul(c));
                self.wide_sum(AffineVectors::ZERO, a.vector, c as i64, constant)
            }
            (BinaryOp::Mul, Some(c), _) if is_uniform(a) => {
                let constant = b.constant.map(|b| b.wrapping_mul(c));
                self.wide_sum(AffineVectors::ZERO, b.vector, c as i64, constant)
            }
            (BinaryOp::Shl, _, Some(c)) if is_uniform(b) && c < 32 => {
                self.wide_sum(AffineVectors::ZERO, a.vector, 1 << c, a.constant.map(|a| a << c))
            }
            _ if is_uniform(a) && is_uniform(b) => UNIFORM,
            _ => State::Varying,
        }
    }

    /// A 64-bit value whose vector is one vector plus a multiple of another.
    fn wide_sum(&mut self, a: VectorId, b: VectorId, factor: i64, constant: Option<u64>) -> State {
        match self.computed(VectorOp::Wide(a, b, factor), None) {
            State::Affine(AffineValue { vector, .. }) => State::Affine(AffineValue::new(vector, constant)),
            other => other,
        }
    }

    fn unary(&mut self, op: UnaryOp, AffineValue { vector, constant, .. }: AffineValue) -> State {
        match constant.map(|c| c as u32) {
            Some(plus) => self.computed(VectorOp::Unary(op, Shifted { vector, plus }), Some(0)),
            None if vector == AffineVectors::ZERO => UNIFORM,
            None if op == UnaryOp::Neg => {
                self.computed(VectorOp::Unary(op, Shifted { vector, plus: 0 }), None)
            }
            None => State::Varying,
        }
    }

    fn binary(&mut self, op: BinaryOp, a: AffineValue, b: AffineValue) -> State {
        let shifted = |of: AffineValue, plus: u32| Shifted { vector: of.vector, plus };
        let narrow = |of: AffineValue| of.constant.map(|c| c as u32);
        if let (Some(x), Some(y)) = (narrow(a), narrow(b)) {
            return self.computed(VectorOp::Binary(op, shifted(a, x), shifted(b, y)), Some(0));
        }
        let is_uniform = |of: AffineValue| of.vector == AffineVectors::ZERO;
        let part = match (op, narrow(b)) {
            (BinaryOp::Shl, Some(c)) if c < 32 => Part::after(BinaryOp::Mul, a.part, Part::constant(1 << c)),
            _ => Part::after(op, a.part, b.part),
        };
        if is_uniform(a) && is_uniform(b) {
            return State::Affine(AffineValue { vector: AffineVectors::ZERO, constant: None, part });
        }
        // The vectors alone; the uniform parts follow by the same operation.
        let result = match (op, narrow(a), narrow(b)) {
            (BinaryOp::Add | BinaryOp::Sub, ..) => {
                self.computed(VectorOp::Binary(op, shifted(a, 0), shifted(b, 0)), None)
            }
            (BinaryOp::Mul | BinaryOp::Shl, _, Some(c)) if is_uniform(b) => {
                self.computed(VectorOp::Binary(op, shifted(a, 0), Shifted::constant(c)), None)
            }
            (BinaryOp::Mul, Some(c), _) if is_uniform(a) => {
                self.computed(VectorOp::Binary(op, Shifted::constant(c), shifted(b, 0)), None)
            }
            (_, _, Some(c)) if is_uniform(b) => return self.divided(op, a, c),
            _ => State::Varying,
        };
        match result {
            State::Affine(value) => State::Affine(AffineValue { part, ..value }),
            other => other,
        }
    }

    /// A quotient or a remainder by a constant where no warp lies on both sides of a multiple of the divisor: the quotient is the same in
    /// each warp, and the remainder differs between lanes as the dividend does. That is so if warps begin at multiples of
    /// a power of two that the divisor is a multiple of, too, and are not longer than that.
    fn divided(&mut self, op: BinaryOp, a: AffineValue, by: u32) -> State {
        let (is_quotient, by, is_signed) = match op {
            BinaryOp::DivU | BinaryOp::DivS => (true, by, op == BinaryOp::DivS),
            BinaryOp::RemU | BinaryOp::RemS => (false, by, op == BinaryOp::RemS),
            BinaryOp::ShrU | BinaryOp::ShrS if by < 31 => (true, 1 << by, op == BinaryOp::ShrS),
            BinaryOp::And if by < u32::MAX >> 1 && (by + 1).is_power_of_two() => (false, by + 1, false),
            _ => return State::Varying,
        };
        let [least, greatest] = self.vectors.range(a.vector);
        let range = a.part.range.map(|[from, to]| [from + least, to + greatest]);
        let is_positive = range.is_some_and(|[from, to]| from >= 0 && to <= i64::from(i32::MAX));
        if by == 0 || is_signed && (!is_positive || by > i32::MAX as u32) {
            return State::Varying;
        }
        let zeros = a.part.zeros.min(by.trailing_zeros()).min(31);
        let at = |thread: usize| self.vectors.at(a.vector, thread);
        let start = |thread: usize| at(thread / self.unit_threads * self.unit_threads);
        let fits =
            |t: usize| start(t).trailing_zeros() >= zeros && at(t).wrapping_sub(start(t)) >> zeros == 0;
        if !(0..self.vectors.threads()).all(fits) {
            return State::Varying;
        }
        let vector = match is_quotient {
            true => Some(AffineVectors::ZERO),
            false => {
                let lanes = (0..self.vectors.threads()).map(|t| at(t).wrapping_sub(start(t))).collect();
                self.number(lanes).map(|shifted| shifted.vector)
            }
        };
        let part =
            if is_quotient { Part::UNKNOWN } else { Part { zeros, ..Part::below(by.min(i32::MAX as u32)) } };
        vector.map_or(State::Varying, |vector| State::Affine(AffineValue { vector, constant: None, part }))
    }

    /// The vector that an operation gives, with `constant` as the uniform part beside what the first thread has.
    fn computed(&mut self, op: VectorOp, constant: Option<u32>) -> State {
        let result = match self.computed.get(&op) {
            Some(result) => *result,
            None => {
                let result = self.compute(&op).and_then(|lanes| self.number(lanes));
                self.computed.insert(op, result);
                result
            }
        };
        match result {
            Some(Shifted { vector, plus }) => {
                State::Affine(AffineValue::new(vector, constant.map(|c| u64::from(c.wrapping_add(plus)))))
            }
            None => State::Varying,
        }
    }

    fn compute(&self, op: &VectorOp) -> Option<Vec<u32>> {
        let threads = self.vectors.threads();
        let at = |of: Shifted, thread: usize| self.vectors.at(of.vector, thread).wrapping_add(of.plus);
        match *op {
            VectorOp::Unary(op, a) => {
                let op = Una::of(op, Type::I32);
                Some((0..threads).map(|t| una32(op, at(a, t))).collect())
            }
            VectorOp::Convert(op, a) => {
                Some((0..threads).map(|t| convert(op, u64::from(at(a, t))) as u32).collect())
            }
            VectorOp::Wide(a, b, factor) => {
                let element = |of: VectorId, thread: usize| i64::from(self.vectors.at(of, thread) as i32);
                let sum = |t: usize| element(a, t).checked_add(element(b, t).checked_mul(factor)?);
                let narrow = |t: usize| i32::try_from(sum(t)?).ok().map(|v| v as u32);
                (0..threads).map(narrow).collect()
            }
            VectorOp::Binary(op, a, b) => {
                if op.is_float() {
                    return None;
                }
                // Left to the machine, which refuses it.
                if op.divides() && (0..threads).any(|t| at(b, t) == 0) {
                    return None;
                }
                Some((0..threads).map(|t| alu32(op, at(a, t), at(b, t))).collect())
            }
        }
    }

    fn vector(&mut self, lanes: Vec<u32>) -> State {
        match self.number(lanes) {
            Some(Shifted { vector, plus }) => State::Affine(AffineValue::new(vector, Some(u64::from(plus)))),
            None => State::Varying,
        }
    }

    /// A vector of any first element as one whose first element is zero, and that element.
    fn number(&mut self, mut lanes: Vec<u32>) -> Option<Shifted> {
        let plus = lanes[0];
        lanes.iter_mut().for_each(|v| *v = v.wrapping_sub(plus));
        if let Some(vector) = self.numbers.get(&lanes) {
            return Some(Shifted { vector: *vector, plus });
        }
        if self.vectors.len() == MAX_VECTORS {
            return None;
        }
        let vector = self.vectors.push(lanes.clone());
        self.numbers.insert(lanes, vector);
        Some(Shifted { vector, plus })
    }
}

fn constant(constant: u32) -> State {
    State::Affine(AffineValue::new(AffineVectors::ZERO, Some(u64::from(constant))))
}

/// A constant, if it is an integer or a pointer.
fn integer(value: Constant) -> State {
    match value {
        Constant::I32(v) => constant(v),
        Constant::I64(v) | Constant::Ptr(v) => State::Affine(AffineValue::new(AffineVectors::ZERO, Some(v))),
        Constant::Bool(_) | Constant::F32(_) | Constant::F64(_) => State::Varying,
    }
}
