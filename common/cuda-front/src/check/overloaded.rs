//! Names of several functions, or of a function template, as values ([over.over]): which is meant shows the type that they are
//! converted to. What is not here: the more specialised of two templates that both fit, and pointers to members.

use super::deduce::Deduction;
use super::ids::ScopeId;
use super::resolve::Pick;
use super::ty::{DeclTy, QTy, Ty};
use super::value::Value;
use super::{Checker, FuncIdx, Source};
use crate::hir::FunctionId;
use cuda_syntax::ast::{self, TypeKind, TypeName};
use source::{Code, Diagnostic, Span};
use std::rc::Rc;

/// Functions of which one will be meant.
#[derive(Clone)]
pub(super) struct Overloads<'a> {
    list: Vec<FuncIdx>,
    path: &'a ast::Path,
    /// Where the template arguments are looked up.
    scope: ScopeId,
}

impl<'a> Checker<'a> {
    /// The name of functions as a value; `None` if one of them is a method of objects.
    pub(super) fn overloads(&mut self, list: &[FuncIdx], path: &'a ast::Path) -> Option<Value> {
        let of_object = |f: &FuncIdx| {
            let func = self.functions.func(*f);
            func.class.is_some() && !func.is_static
        };
        if list.iter().any(of_object) {
            return None;
        }
        let written = path.last.arguments.as_deref().unwrap_or(&[]);
        let arguments = self.written_arguments(written);
        if let ([f], false) = (list, written.is_empty())
            && let (Some(pick), true) = self.quietly(|c| c.instance_pick(*f, &arguments, Deduction::of(&[])))
        {
            let (ty, id) = self.pointed_to(pick)?;
            return Some(self.pointer_to(&ty, id, path.span));
        }
        let scope = self.scopes.here.scope;
        self.overloads.push(Overloads { list: list.to_vec(), path, scope });
        let zero = self.types.make_int(0, path.span);
        Some(Value { ty: QTy::plain(Ty::Overloads(self.overloads.len() as u32 - 1)), ..zero })
    }

    /// A value where nothing says which of several functions is meant.
    pub(super) fn one_meaning(&mut self, v: Value) -> Value {
        let Ty::Overloads(n) = v.ty.ty else { return v };
        let Overloads { list, path, .. } = &self.overloads[n as usize];
        let name = &path.last.name.text;
        let title = format!("`{name}` as a value (a function pointer) is not supported by the simulator yet");
        let mut d = Diagnostic::new(Code::UnsupportedFeature, title).label(v.span, "");
        if let Some(f) = list.first() {
            d = d.label(self.functions.func(*f).span, "declared here");
        }
        self.sink.push(d.help("to call it, write `(…)` after the name"));
        Value::error(v.span)
    }

    /// What a cast converts, which may say which of several functions is meant.
    pub(super) fn operand_of_cast(&mut self, e: &'a ast::Expr, to: &DeclTy) -> Value {
        let v = self.expr_or_overloads(e);
        match (&v.ty.ty, &to.q.ty) {
            (Ty::Overloads(_), Ty::Function(_)) => self.convert(v, &to.q, "in this cast"),
            _ => self.one_meaning(v),
        }
    }

    /// The one of several functions that has a type.
    pub(super) fn overload_of_type(&mut self, n: u32, to: &Ty) -> Option<FunctionId> {
        let Overloads { list, path, scope } = self.overloads[n as usize].clone();
        let written = path.last.arguments.as_deref().unwrap_or(&[]);
        let mut found: Option<(bool, FunctionId)> = None;
        for f in list {
            let is_template = self.functions.func(f).is_template;
            if !is_template && (!written.is_empty() || found.is_some_and(|(template, _)| !template)) {
                continue;
            }
            let (id, clean) = self.quietly(|c| {
                let arguments = c.in_scope(scope, |c| c.written_arguments(written));
                let pick = match is_template {
                    true => {
                        let deduced = c.deduced_from(f, to)?;
                        c.in_scope(scope, |c| c.instance_pick(f, &arguments, deduced))?
                    }
                    false => c.functions.plain(f)?,
                };
                let (ty, id) = c.pointed_to(pick)?;
                (ty == *to).then_some(id)
            });
            let Some(id) = id.filter(|_| clean) else { continue };
            match found {
                Some((false, _)) => {}
                Some((true, _)) if is_template => return None,
                _ => found = Some((is_template, id)),
            }
        }
        found.map(|(_, id)| id)
    }

    /// What a type of functions says about the arguments of a function template or a generic lambda.
    pub(super) fn deduced_from(&mut self, f: FuncIdx, to: &Ty) -> Option<Deduction<'a>> {
        let Ty::Function(at) = to else { return None };
        let (parent, own) = (self.functions.func(f).scope, self.functions.own_template(f));
        let source = self.functions.func(f).source;
        let wanted = self.types.function_types[*at as usize].clone();
        let result = match source {
            Source::Function(f) => f.result.as_ref(),
            Source::Lambda(l) => l.result.as_ref(),
        };
        let mut found = Deduction::of(own);
        let patterns = source.parameters().iter().map(|p| (&p.ty, false)).chain(result.map(|r| (r, true)));
        let types = wanted.parameters.iter().chain([&wanted.result]);
        let bare = |pattern: &'a TypeName| match &pattern.kind {
            TypeKind::Reference { to, .. } => &**to,
            _ => pattern,
        };
        let fits = source.parameters().len() == wanted.parameters.len()
            && patterns.zip(types).all(|((pattern, is_result), t)| {
                (is_result && pattern.is_deduced())
                    || self.in_scope(parent, |c| c.unify(bare(pattern), &t.q, &mut found))
            });
        fits.then_some(found)
    }

    /// A function template with the arguments that are written, and for the rest what was deduced.
    pub(super) fn instance_pick(
        &mut self,
        f: FuncIdx,
        written: &[super::template::TArgSource<'a>],
        deduced: Deduction<'a>,
    ) -> Option<Pick<'a>> {
        let (parent, own, source) =
            (self.functions.func(f).scope, self.functions.own_template(f), self.functions.func(f).source);
        let (arguments, scope) = self.template_arguments(own, parent, written, &deduced.bindings)?;
        Some(Pick { func: f, arguments, scope, signature: Rc::new(self.signature(source, scope)) })
    }

    /// The instance of a function that a pointer can point to, and the pointer's type.
    pub(super) fn pointed_to(&mut self, pick: Pick<'a>) -> Option<(Ty, FunctionId)> {
        let parameters = pick.signature.parameters.iter().map(|p| p.ty.clone()).collect();
        let known = pick.signature.result.clone();
        let id = self.instance(pick.func, pick.arguments, pick.scope, pick.signature, None);
        let result = match known {
            Some(result) => result,
            None => {
                self.ensure_checked(id);
                self.functions.instances[id.0 as usize].result.clone()?
            }
        };
        Some((self.types.known_function_type(result, parameters), id))
    }

    /// A pointer to an instance of a function.
    pub(super) fn pointer_to(&mut self, ty: &Ty, id: FunctionId, span: Span) -> Value {
        match ty {
            Ty::Function(at) => self.target(*at, id, span),
            _ => Value::error(span),
        }
    }

    /// Deduction from the name of several functions: by the one of them that fits, if there is one and none is a template
    /// ([temp.deduct.call]).
    pub(super) fn deduce_overloads(
        &mut self,
        pattern: &'a TypeName,
        n: u32,
        into: &mut Deduction<'a>,
    ) -> bool {
        let Overloads { list, .. } = self.overloads[n as usize].clone();
        if list.iter().any(|f| self.functions.func(*f).is_template) {
            return true;
        }
        let mut fitting = Vec::new();
        for f in list {
            let Some((ty, _)) = self.functions.plain(f).and_then(|pick| self.pointed_to(pick)) else {
                continue;
            };
            let v = Value { ty: QTy::plain(ty), ..self.types.make_int(0, Span::default()) };
            let mut attempt = into.clone();
            if self.deduce_one(pattern, &v, &mut attempt) {
                fitting.push(attempt);
            }
        }
        if let [_] = fitting.as_slice() {
            *into = fitting.remove(0);
        }
        true
    }
}
