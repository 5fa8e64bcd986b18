//! `return`: the result's type, the object that becomes the result, and what ends before.

use super::conversion::Init;
use super::ty::{DeclTy, QTy, Ref, Ty};
use super::value::{Node, Value};
use super::{Body, Checker, suspect};
use crate::hir::{self, LocalId, PlaceKind, Stmt, StmtKind, Storage};
use cuda_syntax::Word;
use cuda_syntax::ast::{self, StmtKind as S};
use source::{Code, Diagnostic, Span};

/// The variable that every `return` of a body names. A compiler makes it where the caller wants the result, so it is never
/// copied or moved.
pub(super) fn variable(body: &[ast::Stmt]) -> Option<Word> {
    let mut names = Vec::new();
    body.iter().for_each(|s| returned(s, &mut names));
    let first = names.first()?.clone()?;
    names.iter().all(|n| n.as_ref() == Some(&first)).then_some(first)
}

/// What each `return` names; `None` for one that names no variable.
fn returned(s: &ast::Stmt, names: &mut Vec<Option<Word>>) {
    if let S::Return(Some(e)) = &s.kind {
        names.push(match &e.kind {
            ast::ExprKind::Path(path) if path.qualifiers.is_empty() => Some(path.last.name.text.clone()),
            _ => None,
        });
    }
    parts(s).for_each(|s| returned(s, names));
}

/// The statements that a statement is made of, without those that a `for` or `if` begins with: those are neither
/// labels nor returns.
fn parts(s: &ast::Stmt) -> impl Iterator<Item = &ast::Stmt> {
    let (block, one, other): (&[ast::Stmt], _, _) = match &s.kind {
        S::Block(b) => (&b.statements, None, None),
        S::If { then, otherwise, .. } => (&[], Some(&**then), otherwise.as_deref()),
        S::While { body, .. }
        | S::DoWhile { body, .. }
        | S::For { body, .. }
        | S::RangeFor { body, .. }
        | S::Switch { body, .. } => (&[], Some(&**body), None),
        S::Empty
        | S::Expr(_)
        | S::Declaration(_)
        | S::Alias(_)
        | S::Item(_)
        | S::StaticAssert(_)
        | S::Case(_)
        | S::Default
        | S::Break
        | S::Continue
        | S::Return(_)
        | S::Goto(_)
        | S::Label(_)
        | S::Asm(_) => (&[], None, None),
    };
    block.iter().chain(one).chain(other)
}

impl<'a> Checker<'a> {
    pub(super) fn return_stmt(&mut self, value: Option<&'a ast::Expr>, span: Span, out: &mut Vec<Stmt>) {
        let Some(e) = value else {
            match &self.body.result {
                Some(t) if t.q.ty != Ty::Void && !t.q.ty.is_error() => {
                    let name = self.types.spell_decl(&t.clone());
                    self.sink.report(
                        Code::MissingReturnValue,
                        format!("this function returns `{name}`"),
                        span,
                        "a value is missing",
                    );
                }
                Some(_) => {}
                None => {
                    self.body.result = Some(Ty::Void.into());
                    self.body.deduced = true;
                }
            }
            out.push(Stmt { kind: StmtKind::Return(None), span });
            return;
        };
        if let (ast::ExprKind::Braces(items), Some(t)) = (&e.kind, self.body.result.clone()) {
            let v = self.list_value(&t.q, items, e.span, Init::Copy);
            return self.return_value(v, &t, span, out);
        }
        let v = self.expr_or_overloads(e);
        let v = if self.body.result.is_none() { self.one_meaning(v) } else { v };
        if v.is_error() {
            if self.body.result.is_none() {
                self.body.result = Some(Ty::Error.into());
            }
            return;
        }
        let t = match self.body.result.clone() {
            Some(t) => {
                // An `auto &` and its like are not compared: only the value's own type is looked at here.
                let plain = self.body.deduced && t.reference.is_none() && self.body.auto_result.is_none();
                if plain && t.q.ty != Ty::decayed(&v.ty) {
                    return self.conflicting_result(&t, &v);
                }
                t
            }
            None => {
                let t = self.deduced_result(e, &v);
                if let Some(pattern) = self.body.auto_result {
                    self.check_placeholder(pattern, &t, e.span);
                }
                self.body.result = Some(t.clone());
                self.body.deduced = true;
                t
            }
        };
        self.return_value(v, &t, span, out);
    }

    /// Two `return`s of a lambda, or of a function whose result is `auto`, with two types.
    fn conflicting_result(&mut self, earlier: &DeclTy, v: &Value) {
        if earlier.q.ty.is_error() {
            return;
        }
        let (first, now) = (self.types.spell_decl(earlier), self.types.spell(&v.ty));
        let title = format!("this returns `{now}`, but an earlier `return` gave `{first}`");
        self.sink.push(
            Diagnostic::new(Code::ConflictingResult, title)
                .label(v.span, format!("`{now}`"))
                .help("state the result type: `-> type` after the parameters, or convert one of the values"),
        );
    }

    /// What `auto` in a function's result stands for.
    fn deduced_result(&mut self, e: &'a ast::Expr, v: &Value) -> DeclTy {
        let decayed = DeclTy::from(Ty::decayed(&v.ty));
        let Some(pattern) = self.body.auto_result else { return decayed };
        match &pattern.kind {
            ast::TypeKind::DecltypeAuto(_) => self.decltype_auto(e),
            ast::TypeKind::Reference { to, rvalue } => {
                let reference = if *rvalue && !v.is_left() { Ref::Right } else { Ref::Left };
                let q = QTy { is_const: v.ty.is_const || to.is_const, ..v.ty.clone() };
                DeclTy { q, reference: Some(reference) }
            }
            ast::TypeKind::Pointer { to, .. } => match decayed.q.ty {
                Ty::Pointer(q) => {
                    Ty::pointer(QTy { is_const: q.is_const || to.is_const, ..q.q.clone() }).into()
                }
                _ => decayed,
            },
            _ => decayed,
        }
    }

    fn return_value(&mut self, v: Value, t: &DeclTy, span: Span, out: &mut Vec<Stmt>) {
        if t.q.ty.is_pointer() || t.reference.is_some() {
            suspect::returned(self, &v, t.reference.is_some());
        }
        if t.q.ty == Ty::Void {
            if v.ty.ty == Ty::Void && !v.is_error() {
                let e = self.expr_of(v);
                out.push(Stmt { kind: StmtKind::Expr(e), span });
                out.push(Stmt { kind: StmtKind::Return(None), span });
            } else if !v.is_error() {
                let what = if self.body.is_kernel { "a kernel" } else { "a `void` function" };
                let title = format!("{what} cannot return a value");
                let d = Diagnostic::new(Code::UnexpectedReturnValue, title).label(v.span, "");
                let ty = self.types.spell_ty(&Ty::decayed(&v.ty));
                self.sink.push(match self.body.is_kernel {
                    true => d,
                    false => d.help(format!(
                        "to return it, write `{ty}` in place of `void` before the function's name"
                    )),
                });
            }
            return;
        }
        if t.reference.is_none() {
            let variable = self.body.returned_variable(&v, t);
            let made_there = variable.filter(|local| {
                self.body.result_variable.as_ref() == Some(&self.body.locals[local.0 as usize].name)
                    && !self.body.parameters.contains(&local.0)
            });
            let v = match (made_there, variable) {
                (Some(_), _) => self.rvalue(v),
                (None, Some(_)) => v.expiring(),
                (None, None) => v,
            };
            let v = self.convert(v, &QTy::plain(t.q.ty.clone()), "the function's result");
            if !v.is_error() {
                let e = self.owned(v);
                self.body.lives.results.extend(made_there);
                out.push(Stmt { kind: StmtKind::Return(Some(e)), span });
            }
            return;
        }
        let Some(place) = self.bind_reference(v, t, "the function's result") else { return };
        if matches!(place.kind, PlaceKind::Temporary(_)) {
            self.sink.wrong(Code::DanglingReference, "this returns a reference to a temporary value", span);
            return;
        }
        let place = Value { ty: t.q.clone(), span: place.span, node: Node::Place(place) };
        let pointer = self.address_of(place, span);
        if !pointer.is_error() {
            let e = self.expr_of(pointer);
            out.push(Stmt { kind: StmtKind::Return(Some(e)), span });
        }
    }
}

impl<'a> Body<'a> {
    /// The object that a `return` names, if it is a variable of this function that ends here.
    fn returned_variable(&self, v: &Value, t: &DeclTy) -> Option<LocalId> {
        let Node::Place(hir::Place { kind: PlaceKind::Local(local), .. }) = v.node else { return None };
        let info = &self.locals[local.0 as usize];
        let own = !info.is_reference && info.storage == Storage::Automatic && !info.is_volatile;
        (own && v.ty.ty == t.q.ty && t.q.ty.is_struct()).then_some(local)
    }
}
