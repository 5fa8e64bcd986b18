//! The value of an expression while it is being checked.

use super::ty::{INT, QTy, Ty};
use super::types::{Piece, Types};
use crate::hir::{self, Const, Expr, ExprKind, Place, PlaceKind};
use cuda_syntax::Text;
use source::Span;

/// A checked expression.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) node: Node,
    pub(crate) ty: QTy,
    pub(crate) span: Span,
}

/// Whether it is an object or a value.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Place(Place),
    Rvalue(Box<Expr>),
    /// A bit-field.
    Bits(Box<Bits>),
    /// Reported already.
    Error,
}

/// The bit-field that a value is: its units as places, with what of them it is.
#[derive(Clone, Debug)]
pub(crate) struct Bits {
    pub(crate) pieces: Vec<(Place, Piece)>,
    pub(crate) width: u32,
}

impl Value {
    pub(crate) fn error(span: Span) -> Value {
        Value { node: Node::Error, ty: QTy::plain(Ty::Error), span }
    }

    pub(crate) fn is_error(&self) -> bool {
        matches!(self.node, Node::Error) || self.ty.ty.has_error()
    }

    pub(crate) fn is_place(&self) -> bool {
        matches!(self.node, Node::Place(_))
    }

    /// Whether it is an object, an assignment among them.
    pub(crate) fn is_object(&self) -> bool {
        match &self.node {
            Node::Place(_) => true,
            Node::Rvalue(e) => assigned(e).is_some() || choice(e).is_some(),
            Node::Bits(_) | Node::Error => false,
        }
    }

    /// The constant that it is, without any evaluation.
    pub(crate) fn constant(&self) -> Option<Const> {
        match &self.node {
            Node::Rvalue(e) => e.constant(),
            _ => None,
        }
    }

    /// `0`, which converts to a null pointer.
    pub(crate) fn is_zero(&self) -> bool {
        matches!(self.constant(), Some(Const::Int(0, _)))
    }
}

impl Expr {
    /// What stands for an expression with an error.
    pub(crate) fn stand_in(span: Span) -> Box<Expr> {
        let (c, ty) = (Const::Int(0, hir::IntType::Int), hir::Type::Int(hir::IntType::Int));
        Box::new(Expr { kind: ExprKind::Const(c), ty, span })
    }

    /// The constant that it is, without any evaluation.
    pub(crate) fn constant(&self) -> Option<Const> {
        match self.kind {
            ExprKind::Const(c) => Some(c),
            _ => None,
        }
    }
}

/// The global at the root of a place that is not behind a pointer.
pub(crate) fn root_global(place: &Place) -> Option<hir::GlobalId> {
    match &place.kind {
        PlaceKind::Global(id) => Some(*id),
        PlaceKind::Index { base, .. }
        | PlaceKind::Field { base, .. }
        | PlaceKind::After { place: base, .. } => root_global(base),
        PlaceKind::Local(_) | PlaceKind::Deref(_) | PlaceKind::Temporary(_) => None,
    }
}

/// The object that an assignment or a prefix step leaves behind, if the expression is one.
pub(crate) fn assigned(e: &Expr) -> Option<&hir::Place> {
    match &e.kind {
        ExprKind::Assign { place, .. }
        | ExprKind::CompoundAssign { place, .. }
        | ExprKind::PointerAssign { place, .. }
        | ExprKind::Step { place, postfix: false, .. } => Some(place),
        _ => None,
    }
}

/// The condition and the two objects of `c ? a : b`.
pub(crate) fn choice(e: &hir::Expr) -> Option<(&hir::Expr, &hir::Place, &hir::Place)> {
    let ExprKind::Conditional { condition, then, otherwise } = &e.kind else { return None };
    match (&then.kind, &otherwise.kind) {
        (ExprKind::Load(a), ExprKind::Load(b)) if a.ty == b.ty && a.ty == e.ty => Some((condition, a, b)),
        _ => None,
    }
}

/// The condition and the two places of which a place is one: that of `c ? a : b` itself, or a part of it.
pub(crate) fn one_of_two(place: &Place) -> Option<(Expr, Place, Place)> {
    let with = |kind, of: &Place| Place { kind, ..of.clone() };
    match &place.kind {
        PlaceKind::Deref(e) => match &e.kind {
            ExprKind::Conditional { condition, then, otherwise } => match (&then.kind, &otherwise.kind) {
                (ExprKind::AddressOf(a), ExprKind::AddressOf(b)) => {
                    Some(((**condition).clone(), a.clone(), b.clone()))
                }
                _ => None,
            },
            _ => None,
        },
        PlaceKind::Field { base, field } => {
            let (condition, a, b) = one_of_two(base)?;
            let part = |of| with(PlaceKind::Field { base: Box::new(of), field: *field }, place);
            Some((condition, part(a), part(b)))
        }
        _ => None,
    }
}

impl<'a> Types<'a> {
    pub(crate) fn make_bool(&self, v: bool, span: Span) -> Value {
        self.make_const(Const::Bool(v), Ty::Bool, span)
    }

    pub(crate) fn make_int(&self, v: i64, span: Span) -> Value {
        self.make_const(Const::Int(v, hir::IntType::Int), INT, span)
    }

    pub(crate) fn make_const(&self, c: Const, ty: Ty, span: Span) -> Value {
        let kind = match ty {
            Ty::Pointer(_) | Ty::NullPtr => ExprKind::Null,
            _ => ExprKind::Const(c),
        };
        self.make(kind, ty, span)
    }

    /// A string literal: an array of constant characters ([lex.string]).
    pub(crate) fn text_object(&self, text: &Text, span: Span) -> Value {
        let array = Ty::Array(Ty::Int(text.ty).into(), text.count());
        let q = QTy::constant(array);
        let address = self.make(ExprKind::Str(text.clone()), Ty::pointer(q.clone()), span);
        match address.node {
            Node::Rvalue(address) => self.make_place(PlaceKind::Deref(address), q, span),
            _ => address,
        }
    }

    /// An object.
    pub(crate) fn make_place(&self, kind: PlaceKind, ty: QTy, span: Span) -> Value {
        let place = Place { kind, ty: self.hir_type(&ty.ty), is_volatile: ty.is_volatile, span };
        Value { node: Node::Place(place), ty, span }
    }

    /// A value of an expression kind.
    pub(crate) fn make(&self, kind: ExprKind, ty: Ty, span: Span) -> Value {
        let expr = Expr { kind, ty: self.hir_type(&ty), span };
        Value { node: Node::Rvalue(Box::new(expr)), ty: QTy::plain(ty), span }
    }
}
