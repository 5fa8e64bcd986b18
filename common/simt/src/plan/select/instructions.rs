//! Selection of instructions that only compute.

use crate::plan::code::Class;
use crate::plan::code::affine::AffineVectors;
use crate::plan::code::operands::{AnyOperand, BLOCK_INDEX, LANE_INDEX, Operand32, Operand64, THREAD_INDEX};
use crate::plan::code::operation::{MaskOp, Op};
use crate::plan::select::selector::{SameType, Selector};
use crate::value::Una;
use simt_ir::{
    Axis, BinaryOp, CompareOp, Constant, Conversion, Inst, InstKind, MathFunction, Operand, Reg, Special,
    Type, UnaryOp, VariableRef, pointer,
};

impl Selector<'_> {
    /// `wide`: what the counters call it, if that follows from its neighbours.
    pub(crate) fn inst(&mut self, inst: &Inst, wide: Option<Class>) {
        let (op, class) = self.select_inst(&inst.kind);
        let op = self.uniform_part(&inst.kind, op);
        let added = self.input.program.is_added(&inst.kind);
        let class = if added { Class::Added } else { wide.unwrap_or(class) };
        self.emit(op, Some(inst.location), class);
    }

    fn select_inst(&mut self, kind: &InstKind) -> (Op, Class) {
        match kind {
            InstKind::Copy { dst, src } => {
                let src = self.operand(src);
                (self.mov(*dst, src), Class::Other)
            }
            InstKind::Undefined { dst, .. } => {
                let zero = self.constant_operand(Constant::zero(self.register_type(*dst)));
                (self.mov(*dst, zero), Class::None)
            }
            InstKind::Unary { dst, op, src } => self.unary(*dst, *op, src),
            InstKind::Binary { dst, op, lhs, rhs } => self.binary(*dst, *op, lhs, rhs),
            InstKind::Fma { dst, a, b, c } => self.fma(*dst, [a, b, c]),
            InstKind::Compare { dst, op, ty, lhs, rhs } => {
                (self.compare(*dst, *op, *ty, lhs, rhs), Class::Other)
            }
            InstKind::Select { dst, condition, on_true, on_false } => {
                (self.select_value(*dst, condition, on_true, on_false), Class::Other)
            }
            InstKind::Convert { dst, op, src } => (self.convert(*dst, *op, src), Class::Other),
            InstKind::Math { dst, function, args } => (self.math(*dst, *function, args), Class::Special),
            InstKind::Special { dst, value: value @ Special::ActiveMask } => {
                (self.special(*dst, *value), Class::Exchange)
            }
            InstKind::Special { dst, value } => (self.special(*dst, *value), Class::Other),
            InstKind::Param { dst, index } => {
                let src = self.constant_operand(self.input.launch.args[index.index()]);
                (self.mov(*dst, src), Class::Other)
            }
            InstKind::AddressOf { dst, variable } => (self.address_of(*dst, *variable), Class::Other),
            InstKind::Offset { dst, address } => {
                let address = self.address(address);
                let address = self.plan.records.addresses.push(address);
                (Op::Offset { dst: self.register(*dst).bits64(), address }, Class::Other)
            }
            effect => self.effect(effect),
        }
    }

    /// For an instruction whose result is affine, the operation that computes the uniform part. What extends an index keeps its
    /// operands: the machine has to see that no lane wraps around.
    fn uniform_part(&mut self, kind: &InstKind, op: Op) -> Op {
        let dst = match op {
            Op::Mov32 { dst, .. }
            | Op::Una32 { dst, .. }
            | Op::Alu32 { dst, .. }
            | Op::Sel32 { dst, .. }
            | Op::Conv32 { dst, .. }
            | Op::Conv64To32 { dst, .. } => AnyOperand::Bits32(dst),
            Op::Mov64 { dst, .. }
            | Op::Una64 { dst, .. }
            | Op::Alu64 { dst, .. }
            | Op::Sel64 { dst, .. }
            | Op::Conv32To64 { dst, .. } => AnyOperand::Bits64(dst),
            _ => return op,
        };
        let Some(value) = self.input.uniformity.affine.result(self.input.launch, kind) else { return op };
        match dst {
            AnyOperand::Bits32(Operand32::Lanes(_)) | AnyOperand::Bits64(Operand64::Lanes(_)) => return op,
            // Of a register that is uniform for another reason, such as the block's shape.
            AnyOperand::Bits32(Operand32::Uniform(_)) | AnyOperand::Bits64(Operand64::Uniform(_))
                if value.vector != AffineVectors::ZERO =>
            {
                return op;
            }
            _ => {}
        }
        // The same operation with the uniform parts of its operands.
        macro_rules! parts {
            ($op:ident { $($with:ident)? ; $($operand:ident)* }) => {
                Op::$op { $($with,)? $($operand: $operand.without_vector()),* }
            };
        }
        match (value.constant.map(|value| self.constant(value)), dst, op) {
            (Some(slot), AnyOperand::Bits32(dst), _) => {
                Op::Mov32 { dst: dst.without_vector(), src: Operand32::Uniform(slot) }
            }
            (Some(slot), AnyOperand::Bits64(dst), _) => {
                Op::Mov64 { dst: dst.without_vector(), src: Operand64::Uniform(slot) }
            }
            // Of a quotient or a remainder the machine computes what one lane has.
            (_, _, Op::Alu32 { op: alu, a: Operand32::Affine(..), .. })
                if !matches!(alu, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl) =>
            {
                op
            }
            (_, _, Op::Mov32 { dst, src }) => parts!(Mov32 { ; dst src }),
            (_, _, Op::Mov64 { dst, src }) => parts!(Mov64 { ; dst src }),
            (_, _, Op::Una32 { op, dst, a }) => parts!(Una32 { op ; dst a }),
            (_, _, Op::Una64 { op, dst, a }) => parts!(Una64 { op ; dst a }),
            (_, _, Op::Alu32 { op, dst, a, b }) => parts!(Alu32 { op ; dst a b }),
            (_, _, Op::Alu64 { op, dst, a, b }) => parts!(Alu64 { op ; dst a b }),
            (_, _, Op::Sel32 { dst, cond, a, b }) => parts!(Sel32 { cond ; dst a b }),
            (_, _, Op::Sel64 { dst, cond, a, b }) => parts!(Sel64 { cond ; dst a b }),
            (_, _, Op::Conv64To32 { op, dst, src }) => parts!(Conv64To32 { op ; dst src }),
            _ => op,
        }
    }

    fn mov(&self, dst: Reg, src: AnyOperand) -> Op {
        match SameType::of([self.register(dst), src]) {
            SameType::Bits32([dst, src]) => Op::Mov32 { dst, src },
            SameType::Bits64([dst, src]) => Op::Mov64 { dst, src },
            SameType::Mask([dst, a]) => Op::Mask { op: MaskOp::Copy, dst, a, b: a, c: a },
        }
    }

    fn unary(&mut self, dst: Reg, op: UnaryOp, src: &Operand) -> (Op, Class) {
        let alu = Una::of(op, self.ty(src));
        let op = match SameType::of([self.register(dst), self.operand(src)]) {
            SameType::Bits32([dst, a]) => Op::Una32 { op: alu, dst, a },
            SameType::Bits64([dst, a]) => Op::Una64 { op: alu, dst, a },
            SameType::Mask([dst, a]) => Op::Mask { op: MaskOp::Not, dst, a, b: a, c: a },
        };
        (op, Class::Other)
    }

    fn binary(&mut self, dst: Reg, op: BinaryOp, lhs: &Operand, rhs: &Operand) -> (Op, Class) {
        let ty = self.register_type(dst);
        let alu = op.of(ty);
        let class = match (alu, ty) {
            (BinaryOp::AddRn | BinaryOp::SubRn, Type::F32) => Class::FAdd,
            (BinaryOp::MulRn, Type::F32) => Class::FMul,
            (BinaryOp::AddRn | BinaryOp::SubRn, _) => Class::DAdd,
            (BinaryOp::MulRn, _) => Class::DMul,
            (BinaryOp::DivF, _) => Class::Special,
            _ => Class::Other,
        };
        let op = match SameType::of([self.register(dst), self.operand(lhs), self.operand(rhs)]) {
            SameType::Bits32([dst, a, b]) => Op::Alu32 { op: alu, dst, a, b },
            SameType::Bits64([dst, a, b]) => Op::Alu64 { op: alu, dst, a, b },
            SameType::Mask([dst, a, b]) => {
                let op = match op {
                    BinaryOp::And => MaskOp::And,
                    BinaryOp::Or => MaskOp::Or,
                    _ => MaskOp::Xor,
                };
                Op::Mask { op, dst, a, b, c: a }
            }
        };
        (op, class)
    }

    fn fma(&mut self, dst: Reg, [a, b, c]: [&Operand; 3]) -> (Op, Class) {
        match SameType::of([self.register(dst), self.operand(a), self.operand(b), self.operand(c)]) {
            SameType::Bits32([dst, a, b, c]) => (Op::Fma32 { dst, a, b, c }, Class::FFma),
            SameType::Bits64([dst, a, b, c]) => (Op::Fma64 { dst, a, b, c }, Class::DFma),
            SameType::Mask(_) => unreachable!("a product of truth values"),
        }
    }

    fn compare(&mut self, dst: Reg, op: CompareOp, ty: Type, lhs: &Operand, rhs: &Operand) -> Op {
        let (dst, float) = (self.register(dst).mask(), ty.is_float());
        match SameType::of([self.operand(lhs), self.operand(rhs)]) {
            SameType::Bits32([a, b]) => Op::Cmp32 { op, float, dst, a, b },
            SameType::Bits64([a, b]) => Op::Cmp64 { op, float, dst, a, b },
            SameType::Mask([a, b]) => {
                let op = if op == CompareOp::Eq { MaskOp::Equal } else { MaskOp::Xor };
                Op::Mask { op, dst, a, b, c: a }
            }
        }
    }

    fn select_value(&mut self, dst: Reg, condition: &Operand, a: &Operand, b: &Operand) -> Op {
        let cond = self.mask(condition);
        match SameType::of([self.register(dst), self.operand(a), self.operand(b)]) {
            SameType::Bits32([dst, a, b]) => Op::Sel32 { dst, cond, a, b },
            SameType::Bits64([dst, a, b]) => Op::Sel64 { dst, cond, a, b },
            SameType::Mask([dst, b, c]) => Op::Mask { op: MaskOp::Select, dst, a: cond, b, c },
        }
    }

    fn convert(&mut self, dst: Reg, op: Conversion, src: &Operand) -> Op {
        match (self.register(dst), self.operand(src)) {
            (AnyOperand::Bits32(dst), AnyOperand::Mask(src)) => Op::MaskToI32 { dst, src },
            (AnyOperand::Bits32(dst), AnyOperand::Bits32(src)) => Op::Conv32 { op, dst, src },
            (AnyOperand::Bits64(dst), AnyOperand::Bits32(src)) => Op::Conv32To64 { op, dst, src },
            (AnyOperand::Bits32(dst), AnyOperand::Bits64(src)) => Op::Conv64To32 { op, dst, src },
            (AnyOperand::Bits64(dst), AnyOperand::Bits64(src)) => Op::Conv64 { op, dst, src },
            (dst, src) => unreachable!("{op:?} from {src:?} to {dst:?}"),
        }
    }

    fn math(&mut self, dst: Reg, function: MathFunction, args: &[Operand]) -> Op {
        // A function of fewer arguments ignores the others.
        let [a, b, c] = [0, 1, 2].map(|i| self.operand(args.get(i).unwrap_or(&args[0])));
        match SameType::of([self.register(dst), a, b, c]) {
            SameType::Bits32([dst, a, b, c]) => Op::Math32 { function, dst, a, b, c },
            SameType::Bits64([dst, a, b, c]) => Op::Math64 { function, dst, a, b, c },
            SameType::Mask(_) => unreachable!("{function:?} of truth values"),
        }
    }

    fn special(&mut self, dst: Reg, value: Special) -> Op {
        let (dst, launch) = (self.register(dst).bits32(), self.input.launch);
        let axis = |axis: Axis| axis as usize;
        let mut constant = |value: u32| Operand32::Uniform(self.constant(u64::from(value)));
        let src = match value {
            Special::ThreadIdx(a) => Operand32::Lanes(THREAD_INDEX[axis(a)]),
            Special::LaneId => Operand32::Lanes(LANE_INDEX),
            Special::BlockIdx(a) => Operand32::Uniform(BLOCK_INDEX[axis(a)]),
            Special::BlockDim(a) => constant(launch.block[axis(a)]),
            Special::GridDim(a) => constant(launch.grid[axis(a)]),
            Special::Cooperative => constant(u32::from(launch.cooperative.is_some())),
            Special::ActiveMask => return Op::ActiveMask { dst },
        };
        Op::Mov32 { dst, src }
    }

    fn address_of(&mut self, dst: Reg, variable: VariableRef) -> Op {
        let kernel = &*self.input.program.kernel;
        let pointer = match variable {
            VariableRef::Local(array) if self.function.is_some() => {
                return Op::FrameAddress { dst: self.register(dst).bits64(), array };
            }
            VariableRef::Global(index) => (self.input.global)(index),
            VariableRef::Shared(index) => {
                let offset = kernel.shared[index.index()].offset;
                pointer::pack(pointer::Space::Shared, index.0, u64::from(offset))
            }
            VariableRef::Local(index) => {
                let offset = kernel.locals[index.index()].offset;
                pointer::pack(pointer::Space::Local, index.0, u64::from(offset))
            }
        };
        Op::Mov64 { dst: self.register(dst).bits64(), src: Operand64::Uniform(self.constant(pointer)) }
    }
}
