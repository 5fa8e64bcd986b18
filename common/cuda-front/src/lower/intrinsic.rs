//! Built-in functions.

use super::builder::{Lowerer, Target, Value};
use super::layout;
use super::place::InMemory;
use crate::hir::{Atomic, Expr, ExprKind, IntType, Intrinsic, Type};
use simt_ir::{
    AccessOrder, AsyncOp, AtomicOp, BarrierReduce, BinaryOp, CacheOp, CompareOp, Constant, Conversion,
    ElementType, InstKind, Operand, ScopedOrder, StringIndex, TextureFetch, UnaryOp,
};
use smallvec::smallvec;
use source::{Code, Diagnostic};
use std::borrow::Borrow;

impl Lowerer<'_> {
    /// A built-in function of result type `ty`. `wanted`: whether the result is used.
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        args: &[Expr],
        ty: &Type,
        wanted: bool,
    ) -> Value {
        let one = |s: &mut Self, op: BinaryOp| {
            let args = s.arguments(args);
            smallvec![s.binary(op, layout::register(ty), args[0], args[1])]
        };
        if !self.has_arguments(intrinsic, args) {
            return self.zeros(ty);
        }
        match intrinsic {
            Intrinsic::Math(function) => {
                let args = self.arguments(args);
                smallvec![self.computed(layout::register(ty), |dst| InstKind::Math { dst, function, args })]
            }
            Intrinsic::Fma => {
                let args = self.arguments(args);
                let fma = |dst| InstKind::Fma { dst, a: args[0], b: args[1], c: args[2] };
                smallvec![self.computed(layout::register(ty), fma)]
            }
            Intrinsic::Abs => smallvec![self.bitwise(UnaryOp::Abs, &args[0])],
            Intrinsic::Min => one(self, pick(ty, BinaryOp::MinF, BinaryOp::MinS, BinaryOp::MinU)),
            Intrinsic::Max => one(self, pick(ty, BinaryOp::MaxF, BinaryOp::MaxS, BinaryOp::MaxU)),
            Intrinsic::ExactAdd => one(self, BinaryOp::AddRn),
            Intrinsic::ExactSub => one(self, BinaryOp::SubRn),
            Intrinsic::ExactMul => one(self, BinaryOp::MulRn),
            Intrinsic::Divide => one(self, BinaryOp::DivF),
            Intrinsic::MulHigh => {
                one(self, pick(ty, BinaryOp::MulHighS, BinaryOp::MulHighS, BinaryOp::MulHighU))
            }
            Intrinsic::LeadingZeros => {
                let count = self.bitwise(UnaryOp::LeadingZeros, &args[0]);
                smallvec![self.as_int(count)]
            }
            Intrinsic::PopCount => {
                let count = self.bitwise(UnaryOp::PopCount, &args[0]);
                smallvec![self.as_int(count)]
            }
            Intrinsic::ReverseBits => smallvec![self.bitwise(UnaryOp::ReverseBits, &args[0])],
            Intrinsic::FindFirstSet => smallvec![self.find_first_set(&args[0])],
            Intrinsic::HalfToFloat | Intrinsic::ToHalf | Intrinsic::ToBrain => {
                let op = match (intrinsic, &args[0].ty) {
                    (Intrinsic::HalfToFloat, _) => Conversion::F16ToF32,
                    (Intrinsic::ToBrain, _) => Conversion::F64ToBf16,
                    (_, Type::Float) => Conversion::F32ToF16,
                    _ => Conversion::F64ToF16,
                };
                let value = self.scalar(&args[0]);
                smallvec![self.conversion(op, value)]
            }
            Intrinsic::IsNan | Intrinsic::IsInf | Intrinsic::IsFinite => {
                smallvec![self.classify(intrinsic, &args[0])]
            }
            Intrinsic::ReadOnlyLoad => {
                let memory = InMemory::plain(self.address(&args[0]));
                self.load_from(&memory, ty, CacheOp::ReadOnly)
            }
            Intrinsic::StrongLoad(order) => {
                let memory = InMemory::plain(self.address(&args[0])).ordered(order);
                self.load_from(&memory, ty, CacheOp::Default)
            }
            Intrinsic::StrongStore(order) => self.strong_store(order, args),
            Intrinsic::Atomic(atomic, order) => self.atomic((atomic, order), args, ty, wanted),
            Intrinsic::TextureElement | Intrinsic::TextureSample(_) => self.texture(intrinsic, args, ty),
            Intrinsic::SurfaceRead(shape, boundary) => self.surface_read(shape, boundary, args, ty),
            Intrinsic::SurfaceWrite(shape, boundary) => self.surface_write(shape, boundary, args),
            Intrinsic::Assert => {
                let condition = self.scalar(&args[0]);
                let condition = self.truth(condition);
                let message = self.text(&args[1]);
                self.emit(InstKind::Assert { condition, message });
                Value::new()
            }
            Intrinsic::Print => self.print(args),
            Intrinsic::Matrix(_)
            | Intrinsic::LoadMatrix(_)
            | Intrinsic::AsyncCopy(_)
            | Intrinsic::Async(_)
            | Intrinsic::SharedNumber
            | Intrinsic::SharedPointer => self.tensor(intrinsic, args, ty, wanted),
            Intrinsic::Shuffle(_)
            | Intrinsic::Vote(_)
            | Intrinsic::ActiveMask
            | Intrinsic::Barrier
            | Intrinsic::BarrierReduce(_)
            | Intrinsic::GridBarrier
            | Intrinsic::WarpBarrier
            | Intrinsic::Fence(..)
            | Intrinsic::Clock
            | Intrinsic::Malloc
            | Intrinsic::Free
            | Intrinsic::BadCall
            | Intrinsic::Trap => self.cooperate(intrinsic, args, ty),
        }
    }

    /// Functions of a warp or a block.
    fn cooperate(&mut self, intrinsic: Intrinsic, args: &[Expr], ty: &Type) -> Value {
        let args = self.arguments(args);
        match intrinsic {
            Intrinsic::Shuffle(mode) => {
                let (members, value, lane, width) = (args[0], args[1], args[2], args[3]);
                let shuffle = |dst| InstKind::Shuffle { dst, mode, value, lane, width, members };
                smallvec![self.computed(layout::register(ty), shuffle)]
            }
            Intrinsic::Vote(mode) => {
                let ballot = mode == simt_ir::VoteMode::Ballot;
                let dst = self.temporary(if ballot { simt_ir::Type::I32 } else { simt_ir::Type::Bool });
                let predicate = self.truth(args[1]);
                self.emit(InstKind::Vote { dst, mode, predicate, members: args[0] });
                let from = if ballot { Type::Int(IntType::UnsignedInt) } else { Type::Bool };
                smallvec![self.convert(dst.into(), &from, ty)]
            }
            Intrinsic::ActiveMask => {
                let value = simt_ir::Special::ActiveMask;
                smallvec![self.computed(simt_ir::Type::I32, |dst| InstKind::Special { dst, value })]
            }
            Intrinsic::BarrierReduce(mode) => {
                let dst = self.temporary(simt_ir::Type::I32);
                let predicate = self.truth(args[0]);
                self.emit(InstKind::Barrier { reduce: Some(BarrierReduce { dst, mode, predicate }) });
                smallvec![dst.into()]
            }
            Intrinsic::Clock => {
                let clock = self.computed(simt_ir::Type::I64, |dst| InstKind::Clock { dst });
                smallvec![self.convert(clock, &Type::Int(IntType::LongLong), ty)]
            }
            Intrinsic::WarpBarrier => self.statement(InstKind::WarpBarrier { members: args[0] }),
            Intrinsic::Fence(order, scope) => self.statement(InstKind::Fence { order, scope }),
            Intrinsic::GridBarrier => {
                // In the program, not in the header.
                self.location = self.call_site;
                self.statement(InstKind::GridBarrier)
            }
            Intrinsic::Malloc => {
                smallvec![self.computed(simt_ir::Type::Ptr, |dst| InstKind::Malloc { dst, bytes: args[0] })]
            }
            Intrinsic::Free => self.statement(InstKind::Free { pointer: args[0] }),
            Intrinsic::Trap => self.statement(InstKind::Trap),
            Intrinsic::BadCall => {
                // Where the program calls, not where the choice is written.
                self.location = self.call_site;
                self.statement(InstKind::BadCall { pointer: args[0] })
            }
            _ => self.statement(InstKind::Barrier { reduce: None }),
        }
    }

    pub(super) fn statement(&mut self, kind: InstKind) -> Value {
        self.emit(kind);
        Value::new()
    }

    /// All arguments, left to right.
    pub(super) fn arguments<E: Borrow<Expr>>(&mut self, args: &[E]) -> Value {
        let mut values = Value::new();
        let last_write = args.iter().rposition(|arg| super::visit::writes_variables(arg.borrow()));
        for (number, arg) in args.iter().map(E::borrow).enumerate() {
            let later = last_write > Some(number);
            let value = self.scalar(arg);
            values.push(if later { self.snapshot(value) } else { value });
        }
        values
    }

    /// Whether there are as many arguments as the function takes; reports it if not.
    fn has_arguments(&mut self, intrinsic: Intrinsic, args: &[Expr]) -> bool {
        let least = match intrinsic {
            Intrinsic::Math(function) => function.arity(),
            Intrinsic::Fma | Intrinsic::Atomic(Atomic::Is(AtomicOp::CompareSwap), _) => 3,
            Intrinsic::Shuffle(_) => 4,
            Intrinsic::SurfaceRead(shape, _) => 1 + shape.integers(),
            Intrinsic::SurfaceWrite(shape, _) => 2 + shape.integers(),
            Intrinsic::TextureSample(shape) => 1 + shape.coordinates() + usize::from(shape.has_integer()),
            Intrinsic::AsyncCopy(_) => 3,
            Intrinsic::Async(op) => match op {
                AsyncOp::Commit => 0,
                AsyncOp::Wait | AsyncOp::Bind => 1,
                AsyncOp::Init | AsyncOp::Arrive | AsyncOp::Drop | AsyncOp::Await => 2,
                AsyncOp::ArriveNamed | AsyncOp::AwaitNamed => 2,
            },
            Intrinsic::Min
            | Intrinsic::Max
            | Intrinsic::ExactAdd
            | Intrinsic::ExactSub
            | Intrinsic::ExactMul
            | Intrinsic::Divide
            | Intrinsic::MulHigh
            | Intrinsic::Atomic(..)
            | Intrinsic::StrongStore(_)
            | Intrinsic::TextureElement
            | Intrinsic::Vote(_)
            | Intrinsic::Assert => 2,
            Intrinsic::ActiveMask
            | Intrinsic::Barrier
            | Intrinsic::GridBarrier
            | Intrinsic::Fence(..)
            | Intrinsic::Clock
            | Intrinsic::Trap => 0,
            _ => 1,
        };
        let enough = args.len() >= least;
        if !enough {
            let span = self.span();
            let title = format!("a built-in function got {} arguments and takes {least}", args.len());
            self.fail(Diagnostic::new(Code::WrongArgumentCount, title).label(span, "in this call"));
        }
        enough
    }

    fn bitwise(&mut self, op: UnaryOp, arg: &Expr) -> Operand {
        let value = self.scalar(arg);
        self.unary(op, self.type_of(value), value)
    }

    /// A count of bits as an `int`.
    fn as_int(&mut self, value: Operand) -> Operand {
        match self.type_of(value) {
            simt_ir::Type::I64 => self.conversion(Conversion::Truncate, value),
            _ => value,
        }
    }

    /// The lowest one alone is `x & -x`; its 1-based index is the width minus its leading zeros, 0 for 0.
    fn find_first_set(&mut self, arg: &Expr) -> Operand {
        let value = self.scalar(arg);
        let ty = self.type_of(value);
        let negative = self.unary(UnaryOp::Neg, ty, value);
        let lowest = self.binary(BinaryOp::And, ty, value, negative);
        let zeros = self.unary(UnaryOp::LeadingZeros, ty, lowest);
        let width = if ty == simt_ir::Type::I64 { Constant::I64(64) } else { Constant::I32(32) };
        let index = self.binary(BinaryOp::Sub, ty, width.into(), zeros);
        self.as_int(index)
    }

    fn classify(&mut self, intrinsic: Intrinsic, arg: &Expr) -> Operand {
        let value = self.scalar(arg);
        let ty = self.type_of(value);
        if intrinsic == Intrinsic::IsNan {
            return self.compare(CompareOp::Ne, ty, value, value);
        }
        let size = self.unary(UnaryOp::Abs, ty, value);
        let infinity = match ty {
            simt_ir::Type::F64 => Constant::f64(f64::INFINITY),
            _ => Constant::f32(f32::INFINITY),
        };
        let op = if intrinsic == Intrinsic::IsInf { CompareOp::Eq } else { CompareOp::LtF };
        self.compare(op, ty, size, infinity.into())
    }

    /// The arguments are a pointer and what goes there.
    fn strong_store(&mut self, order: AccessOrder, args: &[Expr]) -> Value {
        let pointer = self.scalar(&args[0]);
        let pointer = if super::visit::writes_variables(&args[1]) { self.snapshot(pointer) } else { pointer };
        let value = self.expr(&args[1]);
        let target = Target::Memory(InMemory::strong(pointer, order));
        self.store(&target, &args[1].ty, &value);
        Value::new()
    }

    fn atomic(
        &mut self,
        (atomic, order): (Atomic, ScopedOrder),
        args: &[Expr],
        ty: &Type,
        wanted: bool,
    ) -> Value {
        let Some(memory) = layout::memory(ty) else { return Value::new() };
        let register = memory.register();
        let mut address = self.address(&args[0]);
        if args[1..].iter().any(super::visit::writes_variables) {
            let pointer = self.pointer(address);
            address = simt_ir::Address { base: self.snapshot(pointer), index: None, offset: 0 };
        }
        let operands = self.arguments(&args[1..]);
        let (mut value, mut compare) = (operands[0], None);
        let op = match atomic {
            Atomic::Is(op) => op,
            Atomic::Sub => {
                value = self.unary(UnaryOp::Neg, register, value);
                AtomicOp::Add
            }
            Atomic::Min if layout::is_signed(ty) => AtomicOp::MinS,
            Atomic::Min => AtomicOp::MinU,
            Atomic::Max if layout::is_signed(ty) => AtomicOp::MaxS,
            Atomic::Max => AtomicOp::MaxU,
        };
        if op == AtomicOp::CompareSwap {
            (compare, value) = (Some(operands[0]), operands[1]);
        }
        let dst = wanted.then(|| self.temporary(register));
        self.emit(InstKind::Atomic { dst, op, ty: memory, address, value, compare, order });
        dst.map(Operand::Reg).into_iter().collect()
    }

    /// A texture read: as many channels as the result has components, each converted to the component's type.
    fn texture(&mut self, intrinsic: Intrinsic, args: &[Expr], ty: &Type) -> Value {
        let args = self.arguments(args);
        let texture = args[0];
        let fetch = match intrinsic {
            Intrinsic::TextureSample(shape) => {
                let zero = Operand::Const(Constant::f32(0.0));
                let coordinate = |i: usize| if i < shape.coordinates() { args[1 + i] } else { zero };
                let layer = args.get(1 + shape.coordinates()).copied();
                TextureFetch::Sample {
                    shape,
                    at: [0, 1, 2].map(coordinate),
                    layer: layer.unwrap_or(Constant::I32(0).into()),
                }
            }
            _ => TextureFetch::Element { x: args[1] },
        };
        let leaves = layout::leaves(self.program, ty);
        let Some(first) = leaves.first() else { return Value::new() };
        let channel = if first.memory == ElementType::F32 { simt_ir::Type::F32 } else { simt_ir::Type::I32 };
        if first.memory.register() != channel || !matches!(leaves.len(), 1 | 2 | 4) {
            let span = self.span();
            let title = format!(
                "a texture read of `{}` is not supported by the simulator yet",
                layout::spell(self.program, ty)
            );
            let help = "read `float` or integers of up to 32 bits, with one, two or four components";
            self.fail(Diagnostic::new(Code::TextureType, title).label(span, "read here").help(help));
            return self.zeros(ty);
        }
        let types = leaves.iter().map(|_| channel);
        self.all_computed(types, |dst| InstKind::Texture { dst, texture, fetch, ty: channel })
    }

    fn print(&mut self, args: &[Expr]) -> Value {
        let ExprKind::Str(format) = &args[0].kind else {
            self.text(&args[0]);
            return smallvec![Constant::I32(0).into()];
        };
        let (format, rest) = with_literals(&format.utf8().unwrap_or_default(), &args[1..]);
        let format = self.tables.string(&format);
        let values = self.arguments(&rest);
        self.emit(InstKind::Print { format, args: values });
        smallvec![Constant::I32(args.len() as u32 - 1).into()]
    }

    /// The index of a string literal.
    fn text(&mut self, arg: &Expr) -> StringIndex {
        if let ExprKind::Str(text) = &arg.kind {
            return self.tables.string(&text.utf8().unwrap_or_default());
        }
        let title = "a `printf` format that is not a string literal is not supported by the simulator yet";
        self.fail(Diagnostic::new(Code::FormatNotLiteral, title).label(arg.span, "write the text here"));
        self.tables.string("")
    }
}

fn pick(ty: &Type, float: BinaryOp, signed: BinaryOp, unsigned: BinaryOp) -> BinaryOp {
    match ty {
        Type::Float | Type::Double => float,
        _ if layout::is_signed(ty) => signed,
        _ => unsigned,
    }
}

/// A `printf` format with literal strings for `%s` put in, and the arguments that are left.
fn with_literals<'e>(format: &str, args: &'e [Expr]) -> (String, Vec<&'e Expr>) {
    let mut text = String::new();
    let mut left = Vec::new();
    let mut args = args.iter();
    let mut rest = format;
    while let Some(start) = rest.find('%') {
        text.push_str(&rest[..start]);
        let spec = &rest[start..];
        let length = spec[1..].find(|c: char| c.is_ascii_alphabetic() && !"hlLjzt".contains(c) || c == '%');
        let end = length.map_or(spec.len(), |length| length + 2);
        let (spec, after) = spec.split_at(end);
        rest = after;
        if spec == "%%" {
            text.push_str(spec);
            continue;
        }
        match args.next() {
            Some(Expr { kind: ExprKind::Str(literal), .. })
                if spec == "%s"
                    && let Some(own) = literal.utf8() =>
            {
                text.push_str(&own.replace('%', "%%"));
            }
            other => {
                text.push_str(spec);
                left.extend(other);
            }
        }
    }
    text.push_str(rest);
    left.extend(args);
    (text, left)
}
