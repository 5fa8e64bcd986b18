//! Affine values: values that differ between the lanes of a warp in a way that is known before the launch begins.
//!
//! An index such as `(blockIdx.y * 16 + threadIdx.y) * n + t * 16 + threadIdx.x` is a part that depends on the
//! thread's place in its block and on the launch alone, plus a part that is the same in the whole warp. The first is an affine
//! *vector*, computed here once for all threads of a block; only the second is computed at run time, once per warp. What an
//! access with such an index costs (bank conflicts, how its sectors lie) depends on the vector too, and is looked up.
//! (Collange, Defour, Zhang: Dynamic detection of uniform and affine vectors in GPGPU computations, Euro-Par 2009 workshops; here
//! found before the launch, and with any vector, not only multiples of the lane.)
//!
//! Sums, differences, and products with constants keep the two parts apart modulo 2^32. Any other operation does only if
//! the uniform parts of its operands are constants of the launch; else its result is not affine. Values of 64 bits, floating-point
//! numbers, and what memory holds are not affine.

use crate::index_vec::IndexVec;
use crate::launch::{Launch, coordinates};
use crate::plan::code::affine::AffineVectors;
use crate::plan::code::numbers::VectorId;
use crate::value::{Alu, Una, alu32, convert, una32};
use simt_ir::{Axis, BinaryOp, Constant, Conversion, InstKind, Kernel, Operand, Reg, Special, Type, UnaryOp};
use source::hash::Map;

/// Kernels with more than so many different vectors keep the rest of their values lane by lane.
const MAX_VECTORS: usize = 4096;

/// A value as an affine vector plus a uniform part, if that is a constant of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AffineValue {
    pub(crate) vector: VectorId,
    pub(crate) constant: Option<u32>,
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
const UNIFORM: State = State::Affine(AffineValue { vector: AffineVectors::ZERO, constant: None });

fn meet(a: State, b: State) -> State {
    match (a, b) {
        (State::Undefined, other) | (other, State::Undefined) => other,
        (State::Affine(a), State::Affine(b)) if a.vector == b.vector => {
            let constant = a.constant.filter(|_| a.constant == b.constant);
            State::Affine(AffineValue { vector: a.vector, constant })
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
    pub(crate) vectors: AffineVectors,
    numbers: Map<Vec<u32>, VectorId>,
    computed: Map<VectorOp, Option<Shifted>>,
    states: IndexVec<Reg, State>,
}

impl AffineValues {
    /// Finds the affine registers of a kernel, given all definitions of those that may be.
    pub(crate) fn find(kernel: &Kernel, launch: &Launch, definitions: &[Definition]) -> AffineValues {
        let [x, y, z] = launch.block;
        let threads = (x * y * z).next_multiple_of(32) as usize;
        let mut values = AffineValues {
            vectors: AffineVectors::new(threads),
            numbers: Map::from_iter([(vec![0; threads], AffineVectors::ZERO)]),
            computed: Map::default(),
            states: IndexVec::filled(State::Varying, kernel.registers.len()),
        };
        for definition in definitions {
            if kernel.registers[definition.reg.index()].ty == Type::I32 {
                values.states[definition.reg] = State::Undefined;
            }
        }
        loop {
            let mut changed = false;
            for Definition { reg, inst, is_uniform } in definitions {
                let before = values.states[*reg];
                if before == State::Varying {
                    continue;
                }
                let new = match values.evaluate(launch, inst) {
                    // A uniform register stays so, whatever it is computed from.
                    State::Varying if *is_uniform => UNIFORM,
                    State::Affine(v) if *is_uniform && v.vector != AffineVectors::ZERO => UNIFORM,
                    new => new,
                };
                values.states[*reg] = meet(before, new);
                changed |= values.states[*reg] != before;
            }
            if !changed {
                return values;
            }
        }
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
            Operand::Const(Constant::I32(v)) => constant(*v),
            Operand::Const(_) => State::Varying,
        }
    }

    fn evaluate(&mut self, launch: &Launch, inst: &InstKind) -> State {
        match inst {
            InstKind::Copy { src, .. } => self.operand(src),
            InstKind::Param { index, .. } => match launch.args.get(index.index()) {
                Some(Constant::I32(v)) => constant(*v),
                _ => State::Varying,
            },
            InstKind::Special { value, .. } => self.special(launch, *value),
            InstKind::Unary { op, src, .. } => match self.operand(src) {
                State::Affine(value) => self.unary(*op, value),
                other => other,
            },
            InstKind::Convert { op, src, .. } => match (op, self.operand(src)) {
                (
                    Conversion::Sign8 | Conversion::Zero8 | Conversion::Sign16 | Conversion::Zero16,
                    State::Affine(AffineValue { vector, constant: Some(plus) }),
                ) => self.computed(VectorOp::Convert(*op, Shifted { vector, plus }), Some(0)),
                (_, State::Undefined) => State::Undefined,
                _ => State::Varying,
            },
            InstKind::Binary { op, lhs, rhs, .. } => match (self.operand(lhs), self.operand(rhs)) {
                (State::Affine(a), State::Affine(b)) => self.binary(*op, a, b),
                (State::Varying, _) | (_, State::Varying) => State::Varying,
                _ => State::Undefined,
            },
            _ => State::Varying,
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
            Special::BlockIdx(_) => UNIFORM,
            Special::BlockDim(a) => constant(launch.block[axis(a)]),
            Special::GridDim(a) => constant(launch.grid[axis(a)]),
            Special::ActiveMask | Special::Cooperative => State::Varying,
        }
    }

    fn unary(&mut self, op: UnaryOp, AffineValue { vector, constant }: AffineValue) -> State {
        match constant {
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
        if let (Some(x), Some(y)) = (a.constant, b.constant) {
            return self.computed(VectorOp::Binary(op, shifted(a, x), shifted(b, y)), Some(0));
        }
        let is_uniform = |of: AffineValue| of.vector == AffineVectors::ZERO;
        if is_uniform(a) && is_uniform(b) {
            return UNIFORM;
        }
        // The vectors alone; the uniform parts follow by the same operation.
        match (op, a.constant, b.constant) {
            (BinaryOp::Add | BinaryOp::Sub, ..) => {
                self.computed(VectorOp::Binary(op, shifted(a, 0), shifted(b, 0)), None)
            }
            (BinaryOp::Mul | BinaryOp::Shl, _, Some(c)) if is_uniform(b) => {
                self.computed(VectorOp::Binary(op, shifted(a, 0), Shifted::constant(c)), None)
            }
            (BinaryOp::Mul, Some(c), _) if is_uniform(a) => {
                self.computed(VectorOp::Binary(op, Shifted::constant(c), shifted(b, 0)), None)
            }
            _ => State::Varying,
        }
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
                State::Affine(AffineValue { vector, constant: constant.map(|c| c.wrapping_add(plus)) })
            }
            None => State::Varying,
        }
    }

    fn compute(&self, op: &VectorOp) -> Option<Vec<u32>> {
        let threads = self.vectors.threads();
        let at = |of: Shifted, thread: usize| self.vectors.at(of.vector, thread).wrapping_add(of.plus);
        match *op {
            VectorOp::Unary(op, a) => {
                let op = Una::of(op, false);
                Some((0..threads).map(|t| una32(op, at(a, t))).collect())
            }
            VectorOp::Convert(op, a) => {
                Some((0..threads).map(|t| convert(op, u64::from(at(a, t))) as u32).collect())
            }
            VectorOp::Binary(op, a, b) => {
                let op = Alu::of(op, false);
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
            Some(Shifted { vector, plus }) => State::Affine(AffineValue { vector, constant: Some(plus) }),
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
    State::Affine(AffineValue { vector: AffineVectors::ZERO, constant: Some(constant) })
}
