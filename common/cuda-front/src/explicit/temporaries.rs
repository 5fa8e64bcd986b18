//! Full expressions: which temporaries they make, and their ends.

use super::{Object, Pass};
use crate::hir::{Const, Expr, ExprKind, Local, LocalId, Place, PlaceKind, Stmt, StmtKind, Type};
use crate::visit::{PartMut, parts_mut, place_parts_mut};
use source::Span;

/// The temporary that a place is, or is a part of.
pub(super) fn extended(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Field { base, .. } | PlaceKind::Index { base, .. } => extended(base),
        PlaceKind::After { place, .. } => match place.kind {
            PlaceKind::Local(t) => Some(t),
            _ => extended(place),
        },
        PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Deref(_) | PlaceKind::Temporary(_) => None,
    }
}

/// An expression without a value, evaluated if a flag is so.
pub(super) fn only_if((flag, when): (LocalId, bool), e: Expr) -> Expr {
    let span = e.span;
    let condition = Box::new(load(flag, Type::Bool, span));
    let (e, nothing) = (Box::new(e), Box::new(nothing(span)));
    let (then, otherwise) = if when { (e, nothing) } else { (nothing, e) };
    Expr { kind: ExprKind::Conditional { condition, then, otherwise }, ty: Type::Void, span }
}

fn nothing(span: Span) -> Expr {
    let operand = Box::new(Expr { kind: ExprKind::Const(Const::Bool(false)), ty: Type::Bool, span });
    Expr { kind: ExprKind::Convert { operand }, ty: Type::Void, span }
}

fn load(local: LocalId, ty: Type, span: Span) -> Expr {
    let place = Place { kind: PlaceKind::Local(local), ty: ty.clone(), is_volatile: false, span };
    Expr { kind: ExprKind::Load(place), ty, span }
}

fn comma(first: Box<Expr>, second: Expr) -> Box<Expr> {
    let (ty, span) = (second.ty.clone(), first.span);
    Box::new(Expr { kind: ExprKind::Comma { first, second: Box::new(second) }, ty, span })
}

impl Pass<'_> {
    /// A full expression: its value, after the temporaries that it makes are destroyed.
    pub(super) fn full(&mut self, mut e: Box<Expr>) -> Box<Expr> {
        self.find(&mut e);
        if self.made.is_empty() {
            return e;
        }
        let calls = self.ended();
        if e.ty == Type::Void {
            return calls.into_iter().fold(e, comma);
        }
        // The value is kept while the destructors run.
        let (first, second) = self.keep(e);
        comma(calls.into_iter().fold(first, comma), *second)
    }

    /// After a statement that is a full expression.
    pub(super) fn end_statement(&mut self, span: Span, out: &mut Vec<Stmt>) {
        let calls = self.ended();
        out.extend(calls.into_iter().map(|e| Stmt { kind: StmtKind::Expr(Box::new(e)), span }));
    }

    fn ended(&mut self) -> Vec<Expr> {
        let made = std::mem::take(&mut self.made);
        made.iter().rev().flat_map(|object| self.destroyed(object)).collect()
    }

    /// Keeps a value in a local: what does that, and the value again.
    pub(super) fn keep(&mut self, value: Box<Expr>) -> (Box<Expr>, Box<Expr>) {
        let (ty, span) = (value.ty.clone(), value.span);
        let local = LocalId(self.locals.len() as u32);
        self.locals.push(Local::unnamed(ty.clone(), span));
        let place = Place { kind: PlaceKind::Local(local), ty: ty.clone(), is_volatile: false, span };
        let kind = ExprKind::Assign { place, value };
        (Box::new(Expr { kind, ty: ty.clone(), span }), Box::new(load(local, ty, span)))
    }

    /// Finds the temporaries that an expression makes, in the order in which it makes them. A condition on which some depend is kept.
    pub(super) fn find(&mut self, e: &mut Expr) {
        if self.lives.temporaries.is_empty() {
            return;
        }
        match &mut e.kind {
            ExprKind::Conditional { condition, then, otherwise } => {
                self.find(condition);
                let mark = self.made.len();
                self.find(then);
                let first = self.made.split_off(mark);
                self.find(otherwise);
                let second = self.made.split_off(mark);
                self.guard(condition, [(first, true), (second, false)]);
            }
            ExprKind::And { lhs, rhs } => self.find_right(lhs, rhs, true),
            ExprKind::Or { lhs, rhs } => self.find_right(lhs, rhs, false),
            _ => parts_mut(e, &mut |part| match part {
                PartMut::Expr(e) => self.find(e),
                PartMut::Place(place) => self.find_in(place),
            }),
        }
        if let ExprKind::Comma { second, .. } = &e.kind
            && let ExprKind::Load(Place { kind: PlaceKind::Local(t), .. }) = second.kind
        {
            self.note(t);
        }
    }

    /// The same for a place.
    pub(super) fn find_in(&mut self, place: &mut Place) {
        if self.lives.temporaries.is_empty() {
            return;
        }
        place_parts_mut(place, &mut |part| match part {
            PartMut::Expr(e) => self.find(e),
            PartMut::Place(place) => self.find_in(place),
        });
        if let PlaceKind::After { place, .. } = &place.kind
            && let PlaceKind::Local(t) = place.kind
        {
            self.note(t);
        }
    }

    fn find_right(&mut self, lhs: &mut Box<Expr>, rhs: &mut Expr, when: bool) {
        self.find(lhs);
        let mark = self.made.len();
        self.find(rhs);
        let made = self.made.split_off(mark);
        self.guard(lhs, [(made, when)]);
    }

    fn note(&mut self, t: LocalId) {
        if self.lives.temporaries.contains(&t) && self.known.insert(t) {
            self.made.push(Object::always(t));
        }
    }

    /// Keeps a condition until the full expression ends: whether the objects of a branch were made.
    fn guard<const N: usize>(&mut self, condition: &mut Box<Expr>, branches: [(Vec<Object>, bool); N]) {
        if branches.iter().all(|(made, _)| made.is_empty()) {
            return;
        }
        let placeholder = Box::new(nothing(condition.span));
        let (assigned, kept) = self.keep(std::mem::replace(condition, placeholder));
        let ExprKind::Load(Place { kind: PlaceKind::Local(flag), .. }) = kept.kind else { return };
        *condition = assigned;
        for (made, when) in branches {
            for mut object in made {
                object.flags.push((flag, when));
                self.made.push(object);
            }
        }
    }
}
