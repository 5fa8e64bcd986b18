//! Patterns: values that differ between the lanes of a warp in a way that is known before the launch begins.
//!
//! An index such as `(blockIdx.y * 16 + threadIdx.y) * n + t * 16 + threadIdx.x` is a part that depends on the
//! thread's place in its block and on the launch alone, plus a part that is the same in the whole warp. The first is a
//! *pattern*, computed here once for all threads of a block; only the second is computed at run time, once a warp. What an
//! access with such an index costs (bank conflicts, how its sectors lie) depends on the pattern too, and is looked up.
//! (Affine values after Collange, Defour, Zhang: Dynamic detection of uniform and affine vectors in GPGPU computations,
//! Euro-Par 2009 workshops; here found before the launch, and with any pattern, not only multiples of the lane.)
//!
//! Sums, differences, and products with constants keep the two parts apart modulo 2^32. Any other operation does only if
//! the uniform parts of its operands are constants of the launch; else its result has no pattern.

use crate::launch::Launch;
use crate::plan::code::affine::{AffineVectors, SAME};
use crate::value::{Alu, Una, alu32, convert, una32};
use simt_ir::{Axis, BinaryOp, Constant, Conversion, InstKind, Kernel, Operand, Special, Type, UnaryOp};
use source::hash::Map;

/// Kernels with more than so many different patterns keep the rest of their values lane by lane.
const MOST: usize = 4096;

/// A value as a pattern, known by its number, plus a uniform part, if that is a constant of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) pattern: u32,
    pub(crate) fixed: Option<u32>,
}

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing has defined it yet.
    Unseen,
    Known(Value),
    /// It needs a value for each lane.
    Varying,
}

/// Operations that make patterns of patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Make {
    Binary(BinaryOp, Part, Part),
    Unary(UnaryOp, Part),
    Convert(Conversion, Part),
}

/// An operand: a pattern and a constant.
type Part = (u32, u32);

/// The patterns of a launch and the registers that have one.
#[derive(Debug)]
pub(crate) struct Patterns {
    pub(crate) vectors: AffineVectors,
    numbers: Map<Vec<u32>, u32>,
    made: Map<Make, Option<(u32, u32)>>,
    states: Vec<State>,
}

/// A definition that may be a pattern.
pub(crate) struct Definition<'a> {
    pub(crate) register: u32,
    pub(crate) inst: &'a InstKind,
}

impl Patterns {
    /// Finds the patterns of a kernel. `candidates` are all definitions of the registers that may have one, `uniform` says
    /// which other registers are the same in a whole warp.
    pub(crate) fn find(
        kernel: &Kernel,
        launch: &Launch,
        candidates: &[Definition],
        uniform: &dyn Fn(usize) -> bool,
        is_candidate: &dyn Fn(usize) -> bool,
    ) -> Patterns {
        let [x, y, z] = launch.block;
        let threads = (x * y * z).next_multiple_of(32) as usize;
        let same = vec![0; threads];
        let states = (0..kernel.registers.len()).map(|register| {
            let narrow = kernel.registers[register].ty == Type::I32;
            if narrow && is_candidate(register) { State::Unseen } else { State::Varying }
        });
        let mut patterns = Patterns {
            vectors: AffineVectors::new(threads),
            numbers: Map::from_iter([(same, SAME)]),
            made: Map::default(),
            states: states.collect(),
        };
        loop {
            let mut changed = false;
            for Definition { register, inst } in candidates {
                let register = *register as usize;
                if patterns.states[register] == State::Varying {
                    continue;
                }
                let new = match patterns.evaluate(launch, inst) {
                    // A uniform register stays so, whatever it is computed from.
                    State::Varying if uniform(register) => UNIFORM,
                    State::Known(v) if uniform(register) && v.pattern != SAME => UNIFORM,
                    new => new,
                };
                let met = meet(patterns.states[register], new);
                changed |= met != patterns.states[register];
                patterns.states[register] = met;
            }
            if !changed {
                return patterns;
            }
        }
    }

    /// The pattern of a register; `None` for one that needs a value for each lane.
    pub(crate) fn of(&self, register: usize) -> Option<u32> {
        match self.states[register] {
            State::Known(value) => Some(value.pattern),
            State::Unseen | State::Varying => None,
        }
    }

    /// The uniform part of a register, if it is a constant of the launch.
    pub(crate) fn fixed(&self, register: usize) -> Option<u32> {
        match self.states[register] {
            State::Known(value) => value.fixed,
            State::Unseen | State::Varying => None,
        }
    }

    /// What an instruction gives, by the final knowledge of its operands.
    pub(crate) fn value(&mut self, launch: &Launch, inst: &InstKind) -> Option<Value> {
        match self.evaluate(launch, inst) {
            State::Known(value) => Some(value),
            State::Unseen | State::Varying => None,
        }
    }

    fn operand(&self, operand: &Operand) -> State {
        match operand {
            Operand::Reg(reg) => self.states[reg.0 as usize],
            Operand::Const(Constant::I32(v)) => State::Known(Value { pattern: SAME, fixed: Some(*v) }),
            Operand::Const(_) => State::Varying,
        }
    }

    fn evaluate(&mut self, launch: &Launch, inst: &InstKind) -> State {
        let fixed = |v: u32| State::Known(Value { pattern: SAME, fixed: Some(v) });
        let axis = |axis: Axis| axis as usize;
        match inst {
            InstKind::Copy { src, .. } => self.operand(src),
            InstKind::Param { index, .. } => match launch.args.get(index.index()) {
                Some(Constant::I32(v)) => fixed(*v),
                _ => State::Varying,
            },
            InstKind::Special { value, .. } => match value {
                Special::ThreadIdx(a) => self.thread_index(launch, axis(*a)),
                Special::LaneId => self.intern((0..self.vectors.threads() as u32).map(|t| t % 32).collect()),
                Special::BlockIdx(_) => UNIFORM,
                Special::BlockDim(a) => fixed(launch.block[axis(*a)]),
                Special::GridDim(a) => fixed(launch.grid[axis(*a)]),
                Special::ActiveMask | Special::Cooperative => State::Varying,
            },
            InstKind::Unary { op, src, .. } => match self.operand(src) {
                State::Known(Value { pattern, fixed: None }) if *op == UnaryOp::Neg && pattern != SAME => {
                    self.made(Make::Unary(*op, (pattern, 0)), None)
                }
                State::Known(Value { pattern, fixed: Some(c) }) => {
                    self.made(Make::Unary(*op, (pattern, c)), Some(0))
                }
                State::Known(value) if value.pattern == SAME => UNIFORM,
                State::Known(_) => State::Varying,
                other => other,
            },
            InstKind::Convert { op, src, .. } => match (op, self.operand(src)) {
                (
                    Conversion::Sign8 | Conversion::Zero8 | Conversion::Sign16 | Conversion::Zero16,
                    State::Known(Value { pattern, fixed: Some(c) }),
                ) => self.made(Make::Convert(*op, (pattern, c)), Some(0)),
                (_, State::Unseen) => State::Unseen,
                _ => State::Varying,
            },
            InstKind::Binary { op, lhs, rhs, .. } => match (self.operand(lhs), self.operand(rhs)) {
                (State::Known(a), State::Known(b)) => self.binary(*op, a, b),
                (State::Varying, _) | (_, State::Varying) => State::Varying,
                _ => State::Unseen,
            },
            _ => State::Varying,
        }
    }

    fn thread_index(&mut self, launch: &Launch, axis: usize) -> State {
        let [x, y, _] = launch.block;
        let threads = self.vectors.threads() as u32;
        self.intern((0..threads).map(|t| [t % x, t / x % y, t / x / y][axis]).collect())
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> State {
        if let (Some(x), Some(y)) = (a.fixed, b.fixed) {
            return self.made(Make::Binary(op, (a.pattern, x), (b.pattern, y)), Some(0));
        }
        if a.pattern == SAME && b.pattern == SAME {
            return UNIFORM;
        }
        // The patterns alone; the uniform parts follow by the same operation.
        match (op, a, b) {
            (BinaryOp::Add | BinaryOp::Sub, ..) => {
                self.made(Make::Binary(op, (a.pattern, 0), (b.pattern, 0)), None)
            }
            (BinaryOp::Mul | BinaryOp::Shl, _, Value { pattern: SAME, fixed: Some(c) }) => {
                self.made(Make::Binary(op, (a.pattern, 0), (SAME, c)), None)
            }
            (BinaryOp::Mul, Value { pattern: SAME, fixed: Some(c) }, _) => {
                self.made(Make::Binary(op, (SAME, c), (b.pattern, 0)), None)
            }
            _ => State::Varying,
        }
    }

    /// The pattern that an operation makes, with `fixed` as the uniform part beside what the first thread has.
    fn made(&mut self, make: Make, fixed: Option<u32>) -> State {
        let made = match self.made.get(&make) {
            Some(made) => *made,
            None => {
                let made = self.compute(&make).and_then(|lanes| self.number(lanes));
                self.made.insert(make, made);
                made
            }
        };
        match made {
            Some((pattern, first)) => {
                State::Known(Value { pattern, fixed: fixed.map(|c| c.wrapping_add(first)) })
            }
            None => State::Varying,
        }
    }

    fn compute(&self, make: &Make) -> Option<Vec<u32>> {
        let threads = self.vectors.threads();
        let at = |part: Part, thread: usize| self.vectors.at(part.0, thread).wrapping_add(part.1);
        match *make {
            Make::Unary(op, a) => {
                let op = match op {
                    UnaryOp::Neg => Una::Neg,
                    UnaryOp::Not => Una::Not,
                    UnaryOp::Abs => Una::Abs,
                    UnaryOp::LeadingZeros => Una::LeadingZeros,
                    UnaryOp::PopCount => Una::PopCount,
                    UnaryOp::ReverseBits => Una::ReverseBits,
                };
                Some((0..threads).map(|t| una32(op, at(a, t))).collect())
            }
            Make::Convert(op, a) => {
                Some((0..threads).map(|t| convert(op, u64::from(at(a, t))) as u32).collect())
            }
            Make::Binary(op, a, b) => {
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

    fn intern(&mut self, lanes: Vec<u32>) -> State {
        match self.number(lanes) {
            Some((pattern, first)) => State::Known(Value { pattern, fixed: Some(first) }),
            None => State::Varying,
        }
    }

    /// The number of a pattern, and the first thread's value, which is not part of it.
    fn number(&mut self, mut lanes: Vec<u32>) -> Option<(u32, u32)> {
        let first = lanes[0];
        lanes.iter_mut().for_each(|v| *v = v.wrapping_sub(first));
        if let Some(number) = self.numbers.get(&lanes) {
            return Some((*number, first));
        }
        if self.vectors.len() == MOST {
            return None;
        }
        let number = self.vectors.push(lanes.clone());
        self.numbers.insert(lanes, number);
        Some((number, first))
    }
}

/// A uniform result that is not a constant.
const UNIFORM: State = State::Known(Value { pattern: SAME, fixed: None });

fn meet(a: State, b: State) -> State {
    match (a, b) {
        (State::Unseen, other) | (other, State::Unseen) => other,
        (State::Known(a), State::Known(b)) if a.pattern == b.pattern => {
            State::Known(Value { pattern: a.pattern, fixed: a.fixed.filter(|_| a.fixed == b.fixed) })
        }
        _ => State::Varying,
    }
}
