//! Walks over the typed program, and the questions that a walk answers: side effects, cost, calls.

use crate::hir::{Argument, Expr, ExprKind, Intrinsic, LocalId, Place, PlaceKind, Stmt, StmtKind};

/// What a walk meets, each before its parts.
pub(crate) enum Item<'h> {
    Stmt(&'h Stmt),
    Expr(&'h Expr),
    Place(&'h Place),
}

type Visitor<'v, 'h> = &'v mut dyn FnMut(Item<'h>);

/// Calls `f` with everything in `list`, in source order.
pub(crate) fn stmts<'h>(list: &'h [Stmt], f: Visitor<'_, 'h>) {
    for one in list {
        stmt(one, f);
    }
}

fn stmt<'h>(one: &'h Stmt, f: Visitor<'_, 'h>) {
    f(Item::Stmt(one));
    match &one.kind {
        StmtKind::Expr(e) => expr(e, f),
        StmtKind::Declare { local: _, value } => optional(value, f),
        StmtKind::DeclareAggregate { local: _, elements } => {
            for (_, value) in elements {
                expr(value, f);
            }
        }
        StmtKind::Bind { local: _, place: p } => place(p, f),
        StmtKind::Block(body) | StmtKind::Labelled { label: _, body } => stmts(body, f),
        StmtKind::Dispatch { parts } => parts.iter().for_each(|(_, body)| stmts(body, f)),
        StmtKind::If { condition, then, otherwise } => {
            expr(condition, f);
            stmts(then, f);
            stmts(otherwise, f);
        }
        StmtKind::Loop { condition, step, body, unroll: _ } => {
            optional(condition, f);
            stmts(body, f);
            optional(step, f);
        }
        StmtKind::DoWhile { body, condition, unroll: _ } => {
            stmts(body, f);
            expr(condition, f);
        }
        StmtKind::Switch { value, sections } => {
            expr(value, f);
            for section in sections {
                stmts(&section.body, f);
            }
        }
        StmtKind::Break | StmtKind::Continue | StmtKind::Label(_) | StmtKind::Goto(_) => {}
        StmtKind::Return(value) => optional(value, f),
    }
}

fn optional<'h>(value: &'h Option<Box<Expr>>, f: Visitor<'_, 'h>) {
    if let Some(value) = value {
        expr(value, f);
    }
}

/// Calls `f` with an expression and all its parts.
pub(crate) fn expr<'h>(one: &'h Expr, f: Visitor<'_, 'h>) {
    f(Item::Expr(one));
    parts(one, &mut |part| inner(part, f));
}

fn place<'h>(one: &'h Place, f: Visitor<'_, 'h>) {
    f(Item::Place(one));
    place_parts(one, &mut |part| inner(part, f));
}

fn inner<'h>(part: Part<'h>, f: Visitor<'_, 'h>) {
    match part {
        Part::Expr(e) => expr(e, f),
        Part::Place(p) => place(p, f),
    }
}

/// The local at the root of a place that is not behind a pointer.
pub(crate) fn root_local(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Local(id) => Some(*id),
        PlaceKind::Index { base, .. }
        | PlaceKind::Field { base, .. }
        | PlaceKind::After { place: base, .. } => root_local(base),
        PlaceKind::Global(_) | PlaceKind::Deref(_) | PlaceKind::Temporary(_) => None,
    }
}

/// The parts of expressions and places, to be read or to be changed.
macro_rules! parts {
    ($Part:ident, $parts:ident, $place_parts:ident, $($mut:tt)?) => {
        /// A direct part of an expression or a place.
        pub(crate) enum $Part<'h> {
            Expr(&'h $($mut)? Expr),
            Place(&'h $($mut)? Place),
        }

        /// Calls `f` with each direct part of an expression, in the order in which they are evaluated.
        pub(crate) fn $parts<'h>(one: &'h $($mut)? Expr, f: &mut dyn FnMut($Part<'h>)) {
            match &$($mut)? one.kind {
                ExprKind::Const(_) | ExprKind::Null | ExprKind::Str(_) | ExprKind::Special(_) => {}
                ExprKind::Load(p) | ExprKind::AddressOf(p) | ExprKind::Step { place: p, .. } => f($Part::Place(p)),
                ExprKind::Assign { place: p, value } => {
                    f($Part::Expr(value));
                    f($Part::Place(p));
                }
                ExprKind::CompoundAssign { place: p, by } => {
                    f($Part::Expr(&$($mut)? by.value));
                    f($Part::Place(p));
                }
                ExprKind::PointerAssign { place: p, by } => {
                    f($Part::Expr(&$($mut)? by.count));
                    f($Part::Place(p));
                }
                ExprKind::Unary { operand, .. }
                | ExprKind::Convert { operand }
                | ExprKind::Bits { operand }
                | ExprKind::Field { value: operand, .. } => f($Part::Expr(operand)),
                ExprKind::Binary { lhs, rhs, .. }
                | ExprKind::Compare { lhs, rhs, .. }
                | ExprKind::And { lhs, rhs }
                | ExprKind::Or { lhs, rhs }
                | ExprKind::Comma { first: lhs, second: rhs }
                | ExprKind::PointerAdd { pointer: lhs, count: rhs, .. }
                | ExprKind::PointerDifference { lhs, rhs } => {
                    f($Part::Expr(lhs));
                    f($Part::Expr(rhs));
                }
                ExprKind::Conditional { condition, then, otherwise } => {
                    [condition, then, otherwise].into_iter().for_each(|e| f($Part::Expr(e)));
                }
                ExprKind::Struct(values) | ExprKind::Intrinsic { arguments: values, .. } => {
                    for value in values {
                        f($Part::Expr(value));
                    }
                }
                ExprKind::Call { function: _, arguments } => {
                    for argument in arguments {
                        match argument {
                            Argument::Value(value) => f($Part::Expr(value)),
                            Argument::Place(p) => f($Part::Place(p)),
                        }
                    }
                }
            }
        }

        /// Calls `f` with each direct part of a place, in the order in which they are evaluated.
        pub(crate) fn $place_parts<'h>(one: &'h $($mut)? Place, f: &mut dyn FnMut($Part<'h>)) {
            match &$($mut)? one.kind {
                PlaceKind::Local(_) | PlaceKind::Global(_) => {}
                PlaceKind::Deref(e) | PlaceKind::Temporary(e) => f($Part::Expr(e)),
                PlaceKind::Index { base, index } => {
                    f($Part::Place(base));
                    f($Part::Expr(index));
                }
                PlaceKind::Field { base, .. } => f($Part::Place(base)),
                PlaceKind::After { first, place } => {
                    f($Part::Expr(first));
                    f($Part::Place(place));
                }
            }
        }
    };
}

parts!(Part, parts, place_parts,);
parts!(PartMut, parts_mut, place_parts_mut, mut);

/// How often an expression names a local, and how often only a field of it, but for one.
pub(crate) fn uses(one: &Expr, local: LocalId, except: Option<u32>) -> (u32, u32) {
    let (mut all, mut fields) = (0, 0);
    let is_it = |place: &Place| matches!(place.kind, PlaceKind::Local(id) if id == local);
    expr(one, &mut |item| {
        let Item::Place(place) = item else { return };
        all += u32::from(is_it(place));
        if let PlaceKind::Field { base, field } = &place.kind {
            fields += u32::from(is_it(base) && Some(*field) != except);
        }
    });
    (all, fields)
}

/// Puts another object in the place of a local.
pub(crate) fn substitute(one: &mut Expr, local: LocalId, object: &Place) {
    parts_mut(one, &mut |part| substitute_in(part, local, object));
}

fn substitute_in(part: PartMut<'_>, local: LocalId, object: &Place) {
    match part {
        PartMut::Expr(e) => substitute(e, local, object),
        PartMut::Place(place) if matches!(place.kind, PlaceKind::Local(id) if id == local) => {
            place.kind = object.kind.clone();
        }
        PartMut::Place(place) => place_parts_mut(place, &mut |part| substitute_in(part, local, object)),
    }
}

fn writes(item: &Item<'_>) -> bool {
    let Item::Expr(e) = item else { return false };
    matches!(
        e.kind,
        ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::PointerAssign { .. }
            | ExprKind::Step { .. }
            | ExprKind::Call { .. }
    )
}

/// Whether evaluating the expression may change a variable.
pub(crate) fn writes_variables(one: &Expr) -> bool {
    let mut found = false;
    expr(one, &mut |item| found |= writes(&item));
    found
}

/// Whether evaluating the place's subexpressions may change a variable.
pub(crate) fn place_writes_variables(one: &Place) -> bool {
    let mut found = false;
    place(one, &mut |item| found |= writes(&item));
    found
}

/// Whether evaluating the expression does something, or may give another value each time: it changes a variable, calls
/// a function, or accesses what is `volatile`.
pub(crate) fn acts(one: &Expr) -> bool {
    let mut found = false;
    expr(one, &mut |item| {
        found |= writes(&item)
            || match item {
                Item::Expr(e) => matches!(e.kind, ExprKind::Intrinsic { .. }),
                Item::Place(p) => p.is_volatile,
                Item::Stmt(_) => false,
            }
    });
    found
}

/// Nodes of an expression up to which it is worth evaluating even where its value is not wanted.
const CHEAP_NODES: u32 = 12;

/// Whether the expression may be evaluated without need: it is small, touches no memory (`in_registers` says which places do
/// not), cannot fail, and has no effect.
pub(crate) fn is_cheap(one: &Expr, in_registers: &dyn Fn(&Place) -> bool) -> bool {
    let (mut cheap, mut nodes) = (true, 0);
    expr(one, &mut |item| {
        let Item::Expr(e) = item else { return };
        nodes += 1;
        cheap &= match &e.kind {
            ExprKind::Load(place) => in_registers(place),
            ExprKind::Binary { op, .. } => {
                !matches!(op, crate::hir::BinaryOp::Div | crate::hir::BinaryOp::Rem)
                    || matches!(e.ty, crate::hir::Type::Float | crate::hir::Type::Double)
            }
            ExprKind::Intrinsic { intrinsic, .. } => matches!(
                intrinsic,
                Intrinsic::Abs
                    | Intrinsic::Min
                    | Intrinsic::Max
                    | Intrinsic::Fma
                    | Intrinsic::IsNan
                    | Intrinsic::IsInf
                    | Intrinsic::IsFinite
            ),
            ExprKind::Const(_)
            | ExprKind::Null
            | ExprKind::Special(_)
            | ExprKind::Unary { .. }
            | ExprKind::Compare { .. }
            | ExprKind::And { .. }
            | ExprKind::Or { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Convert { .. }
            | ExprKind::Bits { .. }
            | ExprKind::PointerAdd { .. } => true,
            ExprKind::Str(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::PointerAssign { .. }
            | ExprKind::Step { .. }
            | ExprKind::Comma { .. }
            | ExprKind::PointerDifference { .. }
            | ExprKind::Struct(_)
            | ExprKind::Field { .. }
            | ExprKind::Call { .. } => false,
        };
    });
    cheap && nodes <= CHEAP_NODES
}

/// Whether `list` ends in a statement of a kind, in both branches where it ends in an `if`.
fn ends_in(list: &[Stmt], fits: fn(&StmtKind) -> bool) -> bool {
    list.last().is_some_and(|last| match &last.kind {
        StmtKind::Block(body) => ends_in(body, fits),
        StmtKind::If { then, otherwise, .. } => ends_in(then, fits) && ends_in(otherwise, fits),
        kind => fits(kind),
    })
}

/// Whether control never goes past the end of `list`.
pub(crate) fn ends(list: &[Stmt]) -> bool {
    use StmtKind::{Break, Continue, Goto, Return};
    ends_in(list, |kind| matches!(kind, Break | Continue | Goto(_) | Return(_)))
}

/// Whether `list` always ends in a `return`.
pub(crate) fn returns(list: &[Stmt]) -> bool {
    ends_in(list, |kind| matches!(kind, StmtKind::Return(_)))
}

/// Whether the only `return` of a body is its last statement (or there is none).
pub(crate) fn returns_at_end_only(body: &[Stmt]) -> bool {
    let mut count = 0;
    stmts(body, &mut |item| {
        if let Item::Stmt(Stmt { kind: StmtKind::Return(_), .. }) = item {
            count += 1;
        }
    });
    count == 0 || count == 1 && returns(body)
}
