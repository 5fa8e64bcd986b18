//! Members and elements.

use super::names::nearest;
use super::scopes::{Entry, Found, Symbol};
use super::ty::{QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, Types, warn};
use crate::hir::{Expr, ExprKind, PlaceKind, StructId};
use cuda_syntax::ast;
use source::{Code, Diagnostic, Span};

/// Calls of `operator->` that one `->` may stand for.
const MAX_ARROWS: u32 = 64;

impl<'a> Checker<'a> {
    /// `a[i]`.
    pub(super) fn index(&mut self, base: &'a ast::Expr, index: &'a ast::Expr, span: Span) -> Value {
        let b = self.expr(base);
        let i = self.expr(index);
        super::suspect::index(self, index);
        if b.is_error() || i.is_error() {
            return Value::error(span);
        }
        if b.ty.ty.is_struct()
            && let Some(v) = self.user_operator("operator[]", &[&b, &i], span)
        {
            return v;
        }
        let b = self.as_built_in(b, Ty::is_pointer);
        if b.ty.ty.is_struct() {
            let name = self.types.spell(&b.ty);
            self.sink.wrong(Code::InvalidOperands, format!("`{name}` cannot be indexed"), span);
            return Value::error(span);
        }
        let (b, i) =
            if b.ty.ty.decays_to_pointer() { (b, i) } else { (self.as_built_in(i, Ty::is_pointer), b) };
        if !b.ty.ty.decays_to_pointer() {
            let name = self.types.spell(&i.ty);
            let mut d = Diagnostic::new(
                Code::NotIndexable,
                format!("only arrays and pointers can be indexed, but this is `{name}`"),
            )
            .label(base.span, "");
            if matches!(base.kind, ast::ExprKind::Index(_)) {
                let help = "a pointer takes one index: for row `i` and column `j` write `[i * width + j]`";
                d = d.help(help);
            }
            if name.contains("cudaTextureObject_t") {
                d = d.help("a texture is read by a function: `tex1Dfetch<float>(texture, i)`");
            }
            self.sink.push(d);
            return Value::error(span);
        }
        let i = self.as_built_in(i, Ty::is_integral);
        let countable =
            i.ty.ty.is_integral() || matches!(i.ty.ty, Ty::Enum(e) if !self.types.enums[e.0 as usize].scoped);
        if !countable {
            let name = self.types.spell(&i.ty);
            let mut d = Diagnostic::new(
                Code::InvalidIndex,
                format!("an index must be an integer, but this is `{name}`"),
            )
            .label(i.span, "");
            if i.ty.ty.is_floating() {
                d = d.help("convert it with `(int)`, after rounding as intended");
            }
            self.sink.push(d);
            return Value::error(span);
        }
        if !matches!((&b.ty.ty, &b.node), (Ty::Array(..), Node::Place(_))) {
            let p = self.pointer_add(b, i, false, span);
            return if p.is_error() { p } else { self.deref(p, span) };
        }
        let to = super::operators::index_type(&i.ty.ty);
        let index = self.convert(i, &QTy::plain(to), "");
        if index.is_error() {
            return index;
        }
        let (Ty::Array(of, n), Node::Place(place)) = (&b.ty.ty, b.node) else { return Value::error(span) };
        warn::bounds(self, &index, *n, &place);
        let q = QTy { ty: (**of).clone(), ..b.ty };
        let (base, index) = (Box::new(place), self.expr_of(index));
        self.types.make_place(PlaceKind::Index { base, index }, q, span)
    }

    /// `a.m` or `a->m`, of a field.
    pub(super) fn member(
        &mut self,
        (base, arrow, through): (&'a ast::Expr, bool, Option<&'a ast::Path>),
        member: &'a ast::PathPart,
        span: Span,
    ) -> Value {
        let object = self.member_object(base, arrow, member.name.span);
        let Some((object, class)) = object.and_then(|(v, class)| self.through_class(v, class, through))
        else {
            return Value::error(span);
        };
        let name = &member.name.text;
        if let Some(path) = self.types.field_path(class, name) {
            self.check_steps(class, &path, name, member.name.span);
            return path.into_iter().fold(object, |v, field| self.field_of(v, field, span));
        }
        if let Some(v) = self.opt_bit_field(&object, class, name, span) {
            return v;
        }
        let scope = self.types.class(class).scope;
        match self.scopes.lookup_in(scope, name) {
            Found::Entry(Entry { symbol: Symbol::Var(var), .. }) => self.variable(var, span),
            Found::Entry(Entry { symbol: Symbol::Constant(c, ty), .. }) => self.types.make_const(c, ty, span),
            Found::Entry(Entry { symbol: Symbol::Functions(_), .. }) => {
                self.sink.report(
                    Code::MethodNotCalled,
                    format!("the method `{name}` must be called"),
                    member.name.span,
                    "write `()` after it",
                );
                Value::error(span)
            }
            _ => {
                self.no_member(class, name, member.name.span);
                Value::error(span)
            }
        }
    }

    /// The object whose member is named, and its class.
    pub(super) fn member_object(
        &mut self,
        base: &'a ast::Expr,
        arrow: bool,
        span: Span,
    ) -> Option<(Value, StructId)> {
        let mut b = self.expr(base);
        // `x->m` of a class means `(x.operator->())->m` ([over.ref]).
        let mut steps = 0;
        while arrow
            && b.ty.ty.is_struct()
            && let Some(next) = self.user_operator("operator->", &[&b], span)
        {
            b = next;
            steps += 1;
            if steps > MAX_ARROWS {
                self.sink.unsupported("so many calls of `operator->` in a row", span);
                return None;
            }
        }
        if b.is_error() {
            return None;
        }
        let decayed = Ty::decayed(&b.ty);
        let object = match (&decayed, arrow) {
            (Ty::Pointer(_), true) => self.deref(b, base.span),
            (Ty::Pointer(_), false) => {
                let name = self.types.spell(&b.ty);
                let d = Diagnostic::new(Code::NotAClass, format!("`.` does not take the pointer `{name}`"))
                    .label(base.span, "");
                let has_members = matches!(&decayed, Ty::Pointer(to) if to.ty.is_struct());
                self.sink.push(match has_members {
                    true => d.help("use `->`"),
                    false => d.help("a pointer has no members and does not know its length: pass the number of elements as a parameter"),
                });
                return None;
            }
            (_, true) => {
                let name = self.types.spell(&b.ty);
                let d =
                    Diagnostic::new(Code::NotAPointer, format!("`->` needs a pointer, but this is `{name}`"))
                        .label(base.span, "");
                self.sink.push(match b.ty.ty.is_struct() {
                    true => d.help("use `.`"),
                    false => d.help(format!("`{name}` has no members: use the value itself")),
                });
                return None;
            }
            (_, false) => self.as_object(b),
        };
        if let Ty::Struct(class) = object.ty.ty {
            self.use_class(class);
        }
        match object.ty.ty {
            Ty::Struct(class) if self.types.class(class).complete => Some((object, class)),
            Ty::Error => None,
            _ => {
                let name = self.types.spell(&object.ty);
                self.sink.wrong(Code::NotAClass, format!("`{name}` has no members"), span);
                None
            }
        }
    }

    pub(super) fn no_member(&mut self, class: StructId, name: &str, span: Span) {
        let layout = self.types.layout(class);
        let type_name = layout.name.clone();
        if self.is_declared_in_part(self.types.class(class).scope) {
            return self.sink.unsupported(&format!("{type_name}::{name}"), span);
        }
        let mut names: Vec<String> = layout.fields.iter().map(|f| f.name.clone()).collect();
        names.extend(
            self.scopes.scope(self.types.class(class).scope).names.iter().map(|(name, _)| name.to_string()),
        );
        names.sort();
        let near = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        let mut d = Diagnostic::new(Code::NoSuchMember, format!("`{type_name}` has no member `{name}`"))
            .label(span, "");
        if let Some(near) = near {
            d = d.mean(span, &near);
        } else if self.types.class(class).vector.is_some() {
            let fields: Vec<_> =
                self.types.layout(class).fields.iter().map(|f| format!("`{}`", f.name)).collect();
            d = d.help(format!("it has {}", fields.join(", ")));
        }
        self.sink.push(d);
    }

    /// A field of an object or a value; of a reference what it refers to.
    pub(super) fn field_of(&mut self, v: Value, field: u32, span: Span) -> Value {
        let Ty::Struct(class) = v.ty.ty else { return Value::error(span) };
        let is_reference = self.types.class(class).fields[field as usize].is_reference;
        let result = self.types.raw_field(v, field, span);
        if is_reference && !result.is_error() {
            return self.deref(result, span);
        }
        result
    }
}

/// Whether it is a structure made of built-in values and constants.
fn has_plain_parts(e: &Expr) -> bool {
    let is_plain = |e: &Expr| matches!(e.kind, ExprKind::Special(_) | ExprKind::Const(_));
    matches!(&e.kind, ExprKind::Struct(values) if values.iter().all(is_plain))
}

impl<'a> Types<'a> {
    /// A field of an object or a value; of a reference the pointer that it is.
    pub(super) fn raw_field(&mut self, v: Value, field: u32, span: Span) -> Value {
        let Ty::Struct(class) = v.ty.ty else { return Value::error(span) };
        let info = &self.class(class).fields[field as usize];
        let (mut q, is_reference) = (info.q.clone(), info.is_reference);
        if !is_reference {
            q.is_const |= v.ty.is_const && !info.is_mutable;
            q.is_volatile |= v.ty.is_volatile;
        }
        match v.node {
            Node::Place(place) => self.make_place(PlaceKind::Field { base: Box::new(place), field }, q, span),
            Node::Rvalue(e) if has_plain_parts(&e) => {
                let ExprKind::Struct(values) = e.kind else { return Value::error(span) };
                match values.into_iter().nth(field as usize) {
                    Some(e) => Value { node: Node::Rvalue(Box::new(Expr { span, ..e })), ty: q, span },
                    None => Value::error(span),
                }
            }
            Node::Rvalue(value) if matches!(q.ty, Ty::Array(..)) => {
                let ty = QTy::plain(Ty::Struct(class));
                let base = self.make_place(PlaceKind::Temporary(value), ty, span);
                let Node::Place(base) = base.node else { return Value::error(span) };
                self.make_place(PlaceKind::Field { base: Box::new(base), field }, q, span)
            }
            Node::Rvalue(value) => self.make(ExprKind::Field { value, field }, q.ty, span),
            Node::Bits(_) | Node::Error => Value::error(span),
        }
    }
}
