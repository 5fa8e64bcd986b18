//! Accesses, atomics and fences of any order and scope, for the text of `<cuda/atomic>`: `__ordered_load(p, order, scope)` and the
//! like. Order and scope are constants: the numbers of `cuda::std::memory_order` and `cuda::thread_scope`.
//!
//! What is sequentially consistent is a fence of that kind before an access that acquires and releases, as far as it
//! reads and writes (PTX ISA, memory consistency model). In the scope of one thread an access is a weak one. Read-modify-writes take types of 4 and
//! 8 bytes; what is no integer is exchanged as the bits that it is.

use super::super::Checker;
use super::super::ty::{QTy, Ty};
use super::super::value::{Node, Value};
use super::{converted, intrinsic_call, memory::count};
use crate::hir::{self, Atomic, Expr, ExprKind, IntType, Intrinsic};
use simt_ir::{AccessOrder, AtomicOp, FenceOrder, MemoryOrder, MemoryScope, ScopedOrder};
use source::{Code, Span};
use std::sync::Arc;

/// The number of `memory_order_seq_cst`.
const SEQUENTIALLY_CONSISTENT: i64 = 5;

/// What one of the functions does.
#[derive(Clone, Copy)]
enum Operation {
    Load,
    Store,
    Fence,
    Change(Atomic),
}

fn operation(name: &str) -> Option<Operation> {
    Some(match name.strip_prefix("__ordered_")? {
        "load" => Operation::Load,
        "store" => Operation::Store,
        "fence" => Operation::Fence,
        "exchange" => Operation::Change(Atomic::Is(AtomicOp::Exchange)),
        "cas" => Operation::Change(Atomic::Is(AtomicOp::CompareSwap)),
        "add" => Operation::Change(Atomic::Is(AtomicOp::Add)),
        "min" => Operation::Change(Atomic::Min),
        "max" => Operation::Change(Atomic::Max),
        "and" => Operation::Change(Atomic::Is(AtomicOp::And)),
        "or" => Operation::Change(Atomic::Is(AtomicOp::Or)),
        "xor" => Operation::Change(Atomic::Is(AtomicOp::Xor)),
        _ => return None,
    })
}

impl Operation {
    /// How many arguments come before order and scope.
    fn operands(self) -> usize {
        match self {
            Operation::Fence => 0,
            Operation::Load => 1,
            Operation::Store => 2,
            Operation::Change(Atomic::Is(AtomicOp::CompareSwap)) => 3,
            Operation::Change(_) => 2,
        }
    }

    fn reads(self) -> bool {
        !matches!(self, Operation::Store)
    }

    fn writes(self) -> bool {
        !matches!(self, Operation::Load)
    }
}

/// Whether a function is one of this file.
pub(super) fn is_ordered(name: &str) -> bool {
    operation(name).is_some()
}

/// The scope of a number of `cuda::thread_scope`; none of a single thread.
fn scope_of(number: i64) -> Option<MemoryScope> {
    match number {
        0 => Some(MemoryScope::System),
        1 => Some(MemoryScope::Device),
        2 => Some(MemoryScope::Block),
        _ => None,
    }
}

/// The order of a number of `memory_order` for an operation that reads, writes or does both; `None` if it has no such order.
fn order_of(number: i64, operation: Operation) -> Option<MemoryOrder> {
    let both = match (operation.reads(), operation.writes()) {
        (true, false) => MemoryOrder::Acquire,
        (false, true) => MemoryOrder::Release,
        _ => MemoryOrder::AcquireRelease,
    };
    match number {
        0 => Some(MemoryOrder::Relaxed),
        1 | 2 if operation.reads() => Some(MemoryOrder::Acquire),
        3 if operation.writes() => Some(MemoryOrder::Release),
        4 if operation.reads() && operation.writes() => Some(MemoryOrder::AcquireRelease),
        SEQUENTIALLY_CONSISTENT => Some(both),
        _ => None,
    }
}

pub(super) fn call(c: &mut Checker, name: &str, mut arguments: Vec<Value>, span: Span) -> Value {
    let Some(operation) = operation(name) else { return Value::error(span) };
    let operands = operation.operands();
    if !count(c, name, &arguments, operands + 2, span) {
        return Value::error(span);
    }
    let numbers: Vec<Option<i64>> = arguments.drain(operands..).map(|v| number(&v)).collect();
    let known = match numbers[..] {
        [Some(number), Some(scope)] => {
            order_of(number, operation).map(|order| (number, order, scope_of(scope)))
        }
        _ => None,
    };
    let Some((number, order, scope)) = known else {
        let title =
            format!("the order and scope of `{name}` must be constants, and the order one that it supports");
        c.sink.wrong(Code::NotConstant, title, span);
        return Value::error(span);
    };
    let fence = (number == SEQUENTIALLY_CONSISTENT).then_some(FenceOrder::SequentiallyConsistent);
    let done = match operation {
        Operation::Fence => {
            let order = fence.or((order != MemoryOrder::Relaxed).then_some(FenceOrder::AcquireRelease));
            return fenced(c, order.zip(scope), None, span);
        }
        Operation::Load | Operation::Store => access(c, operation, (order, scope), arguments, span),
        Operation::Change(atomic) => {
            let scope = scope.unwrap_or(MemoryScope::Block);
            change(c, (name, atomic), ScopedOrder { order, scope }, arguments, span)
        }
    };
    fenced(c, fence.zip(scope), Some(done), span)
}

fn number(v: &Value) -> Option<i64> {
    match v.constant() {
        Some(hir::Const::Int(n, _)) => Some(n),
        _ => None,
    }
}

/// What comes after a fence, or the fence alone.
fn fenced(
    c: &mut Checker,
    fence: Option<(FenceOrder, MemoryScope)>,
    then: Option<Value>,
    span: Span,
) -> Value {
    let Some((order, scope)) = fence else {
        let nothing = c.types.make_int(0, span);
        return then.unwrap_or_else(|| c.rvalue_for_effect(nothing));
    };
    let intrinsic = Intrinsic::Fence(order, scope);
    let fence = c.types.make(ExprKind::Intrinsic { intrinsic, arguments: Vec::new() }, Ty::Void, span);
    match then {
        Some(then) => c.comma(fence, then, span),
        None => fence,
    }
}

/// The pointer, and the type of what it points to.
fn pointed(c: &mut Checker, v: Value, fits: impl Fn(u64) -> bool) -> Option<(Expr, Ty)> {
    let to = match Ty::decayed(&v.ty) {
        Ty::Pointer(q) => q.ty.clone(),
        _ => Ty::Error,
    };
    let scalar = matches!(
        to,
        Ty::Bool | Ty::Int(_) | Ty::Float | Ty::Double | Ty::Enum(_) | Ty::Pointer(_) | Ty::Function(_)
    );
    if !scalar || to.is_wide() || !fits(c.types.size_of(&to)) {
        if !v.is_error() && !to.is_error() {
            let spelled = c.types.spell_ty(&to);
            c.sink.unsupported(&format!("atomic access to {spelled}"), v.span);
        }
        return None;
    }
    let v = c.rvalue(v);
    (!v.is_error()).then(|| (c.plain_expr(v), to))
}

fn access(
    c: &mut Checker,
    operation: Operation,
    (order, scope): (MemoryOrder, Option<MemoryScope>),
    mut arguments: Vec<Value>,
    span: Span,
) -> Value {
    let strong = scope.map_or(AccessOrder::Weak, |scope| AccessOrder::Strong(ScopedOrder { order, scope }));
    let value = arguments.drain(1..).next();
    let Some((pointer, to)) = pointed(c, arguments.remove(0), |_| true) else { return Value::error(span) };
    let (intrinsic, arguments, result) = match (operation, value) {
        (Operation::Store, Some(value)) => {
            let value = c.convert(value, &QTy::plain(to), "for the value to store");
            if value.is_error() {
                return value;
            }
            (Intrinsic::StrongStore(strong), vec![pointer, c.plain_expr(value)], Ty::Void)
        }
        _ => (Intrinsic::StrongLoad(strong), vec![pointer], to),
    };
    c.types.make(ExprKind::Intrinsic { intrinsic, arguments }, result, span)
}

/// A read-modify-write; gives the old value.
fn change(
    c: &mut Checker,
    (name, atomic): (&str, Atomic),
    order: ScopedOrder,
    mut arguments: Vec<Value>,
    span: Span,
) -> Value {
    let values = arguments.split_off(1);
    let Some((pointer, to)) = pointed(c, arguments.remove(0), |bytes| matches!(bytes, 4 | 8)) else {
        return Value::error(span);
    };
    let ty = c.types.hir_type(&to);
    let native = match ty {
        hir::Type::Int(_) => true,
        hir::Type::Float | hir::Type::Double => atomic == Atomic::Is(AtomicOp::Add),
        _ => false,
    };
    if !native && !matches!(atomic, Atomic::Is(AtomicOp::Exchange | AtomicOp::CompareSwap)) {
        let spelled = c.types.spell_ty(&to);
        c.sink.wrong(Code::NoMatchingFunction, format!("`{name}` does not take `{spelled}`"), span);
        return Value::error(span);
    }
    let word = match (native, c.types.size_of(&to)) {
        (true, _) => ty.clone(),
        (false, 4) => hir::Type::Int(IntType::UnsignedInt),
        (false, _) => hir::Type::Int(IntType::UnsignedLongLong),
    };
    let bits = |e: Expr, to: &hir::Type| match e.ty == *to {
        true => e,
        false => Expr { ty: to.clone(), span: e.span, kind: ExprKind::Bits { operand: Box::new(e) } },
    };
    let pointee = hir::Pointee { ty: word.clone(), is_const: false, is_volatile: false };
    let mut operands = vec![bits(pointer, &hir::Type::Pointer(Arc::new(pointee)))];
    let Some(values) = converted(c, values, std::iter::repeat((&to, "for this argument"))) else {
        return Value::error(span);
    };
    operands.extend(values.into_iter().map(|e| bits(e, &word)));
    let old = intrinsic_call(Intrinsic::Atomic(atomic, order), operands, word, span);
    let old = bits(old, &ty);
    Value { node: Node::Rvalue(Box::new(old)), ty: QTy::plain(to), span }
}
