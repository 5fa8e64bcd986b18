//! Short names for pieces of the typed program.

use crate::hir::*;
use source::Span;
use std::sync::Arc;

pub(super) fn int() -> Type {
    Type::Int(IntType::Int)
}

pub(super) fn pointer(ty: Type) -> Type {
    Type::Pointer(Arc::new(Pointee { ty, is_const: false, is_volatile: false }))
}

pub(super) fn local(name: &str, ty: Type) -> Local {
    Local { name: name.into(), ..Local::unnamed(ty, Span::default()) }
}

pub(super) fn function(
    name: &str,
    result: Type,
    parameters: u32,
    locals: Vec<Local>,
    body: Vec<Stmt>,
) -> Function {
    Function {
        name: name.to_owned(),
        result,
        parameters: (0..parameters).map(LocalId).collect(),
        parameter_spellings: Vec::new(),
        restrict: Vec::new(),
        locals,
        body,
        noinline: false,
        dispatches: false,
        span: Span::default(),
    }
}

/// A program whose first function is its one kernel.
pub(super) fn program(functions: Vec<Function>) -> Program {
    let kernel = Kernel { name: functions[0].name.clone(), function: FunctionId(0), max_threads: None };
    Program { functions, kernels: vec![kernel], ..Program::default() }
}

/// `struct P { float x, y; }`.
pub(super) fn pair() -> Struct {
    let field = |name: &str, offset: u64| Field { name: name.to_owned(), ty: Type::Float, offset };
    Struct {
        name: "P".to_owned(),
        fields: vec![field("x", 0), field("y", 4)],
        bytes: 8,
        align: 4,
        is_union: false,
        is_vector: false,
    }
}

pub(super) fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Span::default() }
}

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

pub(super) fn at(kind: PlaceKind, ty: Type) -> Place {
    Place { kind, ty, is_volatile: false, span: Span::default() }
}

pub(super) fn place(number: u32, ty: Type) -> Place {
    at(PlaceKind::Local(LocalId(number)), ty)
}

pub(super) fn load_place(place: Place) -> Expr {
    let ty = place.ty.clone();
    expr(ExprKind::Load(place), ty)
}

pub(super) fn load(number: u32, ty: Type) -> Expr {
    load_place(place(number, ty))
}

pub(super) fn num(value: i64) -> Expr {
    expr(ExprKind::Const(Const::Int(value, IntType::Int)), int())
}

pub(super) fn float(value: f32) -> Expr {
    expr(ExprKind::Const(Const::Float(value)), Type::Float)
}

pub(super) fn double(value: f64) -> Expr {
    expr(ExprKind::Const(Const::Double(value)), Type::Double)
}

pub(super) fn special() -> Expr {
    let value = simt_ir::Special::ThreadIdx(simt_ir::Axis::X);
    expr(ExprKind::Special(value), Type::Int(IntType::UnsignedInt))
}

pub(super) fn add(lhs: Expr, rhs: Expr, ty: Type) -> Expr {
    expr(ExprKind::Binary { op: BinaryOp::Add, lhs: Box::new(lhs), rhs: Box::new(rhs) }, ty)
}

pub(super) fn less(lhs: Expr, rhs: Expr) -> Expr {
    expr(ExprKind::Compare { op: CompareOp::Lt, lhs: Box::new(lhs), rhs: Box::new(rhs) }, Type::Bool)
}

/// `p[i]`.
pub(super) fn element(p: Expr, i: Expr) -> Place {
    let Type::Pointer(to) = p.ty.clone() else { panic!("{:?} is no pointer", p.ty) };
    let ty = p.ty.clone();
    let moved = ExprKind::PointerAdd { pointer: Box::new(p), count: Box::new(i), negative: false };
    at(PlaceKind::Deref(Box::new(expr(moved, ty))), to.ty.clone())
}

/// `a[i]` of an array.
pub(super) fn index(base: Place, index: Expr, ty: Type) -> Place {
    at(PlaceKind::Index { base: Box::new(base), index: Box::new(index) }, ty)
}

pub(super) fn effect(e: Expr) -> Stmt {
    stmt(StmtKind::Expr(Box::new(e)))
}

pub(super) fn assign(place: Place, value: Expr) -> Stmt {
    let ty = place.ty.clone();
    effect(expr(ExprKind::Assign { place, value: Box::new(value) }, ty))
}

pub(super) fn declare(number: u32, value: Expr) -> Stmt {
    stmt(StmtKind::Declare { local: LocalId(number), value: Some(Box::new(value)) })
}
