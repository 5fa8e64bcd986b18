//! Implicit conversions: their ranks, and making them explicit.

use super::conversion::{Conversion, Init};
use super::rank::{CONVERSION, EXACT, Rank};
use super::ty::{self, DeclTy, QTy, Ref, Ty};
use super::types::Steps;
use super::value::{Node, Value};
use super::{Checker, FuncIdx, Types};
use crate::hir::{self, Const, Expr, ExprKind, Place, PlaceKind};
use source::{Code, Diagnostic, Span};
use std::cmp::Ordering;

/// How a temporary that a reference binds to is initialised: always as a copy ([dcl.init.ref]).
fn of_temporary(init: Init) -> Init {
    match init {
        Init::Copy | Init::Direct => Init::Copy,
        Init::Standard => Init::Standard,
    }
}

impl<'a> Checker<'a> {
    /// The implicit conversion of a value to a type, or `None` if there is none.
    pub(super) fn conversion(&mut self, v: &Value, to: &QTy, init: Init) -> Option<Conversion<'a>> {
        if v.is_error() || to.ty.has_error() {
            return Some(Conversion::Standard(EXACT));
        }
        if let Ty::Braces(list) = v.ty.ty {
            return self.list_conversion(list, &to.ty);
        }
        if let (Ty::Overloads(n), Ty::Function(_)) = (&v.ty.ty, &to.ty) {
            return self.overload_of_type(*n, &to.ty).map(|_| Conversion::Standard(EXACT));
        }
        if let (Ty::Pointer(_) | Ty::NullPtr | Ty::Function(_), true) = (&to.ty, v.is_zero()) {
            return Some(Conversion::Standard(CONVERSION));
        }
        match self.types.rank_types(&Ty::decayed(&v.ty), &to.ty) {
            Some(standard) => Some(Conversion::Standard(standard)),
            None if drops_const(v, &to.ty) => Some(Conversion::Standard(CONVERSION)),
            None => self.user_conversion(v, to, init).map(Conversion::User),
        }
    }

    /// The rank of the implicit conversion of a value to a type, or `None` if there is none.
    pub(super) fn rank(&mut self, v: &Value, to: &QTy) -> Option<Rank> {
        self.conversion(v, to, Init::Copy).map(|c| c.rank())
    }

    /// Whether a braced list makes a value of a type, by the number of its parts.
    fn list_conversion(&mut self, list: u32, to: &Ty) -> Option<Conversion<'a>> {
        let count = self.lists[list as usize].len();
        if let Some(element) = self.list_element(to) {
            let values = self.list_values(self.lists[list as usize])?;
            let mut worst = Rank::EXACT;
            for v in &values {
                let rank = self.rank(v, &element)?;
                if rank.compare(&worst) == Ordering::Greater {
                    worst = rank;
                }
            }
            return Some(Conversion::Elements(worst));
        }
        let standard = |fits: bool| fits.then_some(Conversion::Standard(EXACT));
        match to {
            Ty::Braces(other) => standard(*other == list),
            Ty::Struct(s) => {
                if self.list_constructor(*s, list).is_some() {
                    return Some(Conversion::List);
                }
                let class = self.types.class(*s);
                let takes = |f: &FuncIdx| {
                    let Some(signature) = &self.functions.func(*f).signature else { return true };
                    let required = signature.parameters.iter().filter(|p| p.default.is_none()).count();
                    (required..=signature.parameters.len()).contains(&count)
                };
                let fits = match self.constructors_of(*s).as_slice() {
                    [] => count <= class.fields.len().max(1) || class.template.is_some(),
                    list => count <= 1 || list.iter().any(takes),
                };
                fits.then_some(Conversion::List)
            }
            Ty::Array(_, n) => standard(count as u64 <= *n),
            _ => standard(count <= 1),
        }
    }

    /// Converts implicitly; an error if there is no such conversion. `why` completes the label.
    pub(super) fn convert(&mut self, v: Value, to: &QTy, why: &str) -> Value {
        self.convert_by(v, to, why, Init::Copy)
    }

    /// Converts as an initialisation of that kind does.
    pub(super) fn convert_by(&mut self, v: Value, to: &QTy, why: &str, init: Init) -> Value {
        // By far the most conversions are none.
        if ty::same_scalar(&v.ty.ty, &to.ty) && !matches!(v.node, Node::Error) {
            let mut v = self.rvalue(v);
            if !why.is_empty() {
                self.goes_to(&v, &to.ty);
            }
            (v.ty.is_const, v.ty.is_volatile) = (false, false);
            return v;
        }
        let span = v.span;
        if v.is_error() || to.ty.has_error() {
            return Value::error(span);
        }
        if let Ty::Braces(list) = v.ty.ty {
            let items = self.lists[list as usize];
            return self.list_value(to, items, span, Init::Copy);
        }
        if let (Ty::Overloads(n), Ty::Function(_)) = (&v.ty.ty, &to.ty) {
            return match self.overload_of_type(*n, &to.ty) {
                Some(id) => self.pointer_to(&to.ty, id, span),
                None => {
                    self.cannot_convert(&v, to, why);
                    Value::error(span)
                }
            };
        }
        match self.conversion(&v, to, init) {
            Some(Conversion::Standard(_) | Conversion::List | Conversion::Elements(_)) => {}
            Some(Conversion::User(by)) => {
                let v = self.converted_by(by, v, to);
                return self.convert_by(v, to, why, Init::Standard);
            }
            None => {
                self.cannot_convert(&v, to, why);
                return Value::error(span);
            }
        }
        // A value of the class itself becomes the object; of a derived class it is an object of which a part is copied.
        if let (Ty::Struct(s), Ty::Struct(from)) = (&to.ty, &v.ty.ty)
            && (v.is_place() || from != s)
            && self.needs_copy(*s)
        {
            let v = match &v.node {
                Node::Rvalue(_) => {
                    let ty = v.ty.clone();
                    Value { ty, span, node: Node::Place(self.made_object(v)) }.expiring()
                }
                _ => v,
            };
            let v = self.base_object(v, &to.ty);
            return self.copied(v, *s);
        }
        if let (Ty::Pointer(from), Ty::Pointer(base), false) = (&v.ty.ty, &to.ty, why.is_empty())
            && let (Ty::Struct(from), Ty::Struct(base)) = (&from.ty, &base.ty)
            && let Some(steps) = self.types.base_path(*from, *base)
        {
            let name = self.types.layout(*base).name.clone();
            self.check_steps(*from, &steps, &name, span);
        }
        let v = self.rvalue(v);
        if v.is_error() {
            return v;
        }
        if drops_const(&v, &to.ty) {
            let title = "a string literal is constant, but this pointer lets the program write to it";
            let d = Diagnostic::new(Code::WritableString, title).label(span, why);
            self.sink.push(d.help("write `const char *`: a store through the pointer is undefined"));
        }
        // An operand is converted without a reason that a message could give.
        if !why.is_empty() {
            self.goes_to(&v, &to.ty);
        }
        self.warn_conversion(&v, &to.ty);
        self.apply(v, &to.ty)
    }

    /// An operand of arithmetic converted to the typed program's expression; `None` after an error.
    pub(super) fn operand(&mut self, v: Value, to: &QTy) -> Option<Box<Expr>> {
        if ty::same_scalar(&v.ty.ty, &to.ty) {
            return match v.node {
                Node::Rvalue(e) => Some(e),
                Node::Place(place) => self.load(place, &to.ty, v.span),
                Node::Bits(_) | Node::Error => {
                    let v = self.rvalue(v);
                    if let Node::Rvalue(e) = v.node { Some(e) } else { None }
                }
            };
        }
        let v = self.convert(v, to, "");
        (!v.is_error()).then(|| self.expr_of(v))
    }

    /// Converts to the typed program's expression.
    pub(super) fn convert_expr(&mut self, v: Value, to: &QTy, why: &str) -> Box<Expr> {
        let v = self.convert(v, to, why);
        self.expr_of(v)
    }

    pub(super) fn cannot_convert(&mut self, v: &Value, to: &QTy, why: &str) {
        let from = QTy { ty: Ty::decayed(&v.ty), is_const: false, is_volatile: false };
        let (a, b) = (self.types.spell(&from), self.types.spell_ty(&to.ty));
        let mut d =
            Diagnostic::new(Code::CannotConvert, format!("cannot convert `{a}` to `{b}`")).label(v.span, why);
        match (&from.ty, &to.ty) {
            (Ty::Pointer(x), Ty::Pointer(y)) if x.ty == y.ty => {
                d = d.note("this would drop `const` or `volatile` from what the pointer points to");
            }
            (Ty::Pointer(x), Ty::Pointer(_)) if x.ty == Ty::Void => {
                d = d.help("C++ requires a cast from `void *`: use `static_cast`");
            }
            (Ty::Pointer(x), Ty::Pointer(y)) if x.is_const && !y.is_const => {
                d = d.note("this would also drop `const` from what the pointer points to");
            }
            (Ty::Pointer(x), Ty::Pointer(y)) => d = self.other_pointer(d, v, (x, y), (&a, &b)),
            (Ty::NullPtr, Ty::Bool | Ty::Int(_) | Ty::Float | Ty::Double) => {
                d = d.help("`NULL` and `nullptr` are pointers: the number is `0`").edit(v.span, "0");
            }
            (Ty::Pointer(x), t) if *t == x.ty => d = d.help("dereference the pointer with `*`, or index it"),
            (t, Ty::Pointer(x)) if *t == x.ty && why == "in this assignment" => {
                d = d.help(
                    "an element is written with an index, as in `out[i] = …`; an address is taken with `&`",
                );
            }
            (t, Ty::Pointer(x)) if *t == x.ty && is_object(v) => d = d.help("take the address with `&`"),
            (Ty::Struct(s), Ty::Bool | Ty::Int(_) | Ty::Float | Ty::Double) => {
                let field = self.types.layout(*s).fields.first().map(|f| f.name.to_string());
                // Those of the headers' own classes are not for use.
                if let Some(field) = field.filter(|name| !name.is_empty() && !name.starts_with('_')) {
                    d = d.help(format!(
                        "a structure is not a number: use one of its members, such as `.{field}`"
                    ));
                }
            }
            (Ty::Enum(_), _) => d = d.help("a scoped enumeration needs a `static_cast`"),
            _ => {}
        }
        self.sink.push(d);
    }

    /// The help where one pointer is wanted and another given, both spelled in `names`.
    fn other_pointer(
        &self,
        d: Diagnostic,
        v: &Value,
        (x, y): (&QTy, &QTy),
        names: (&str, &str),
    ) -> Diagnostic {
        let (from, to) = names;
        let is_level_less = match &x.ty {
            Ty::Pointer(inner) => inner.ty == y.ty,
            Ty::Array(inner, _) => **inner == y.ty,
            _ => false,
        };
        let sign = Span::new(v.span.file, v.span.start, v.span.start + 1);
        if is_level_less && self.map.text(sign) == "&" {
            return d.help(format!("it is a `{to}` already: remove the `&`")).edit(sign, "");
        }
        if x.ty.is_struct() || y.ty.is_struct() {
            return d.help(format!("if the other type is intended, write `reinterpret_cast<{to}>(…)`"));
        }
        match d.labels.first().is_some_and(|l| l.message == "for this initial value") {
            true => d.help(format!("declare it as `{from}`, the type of its initial value")),
            false => d.help("both pointers must point to the same type: change one of the two declarations"),
        }
    }

    /// Applies a conversion that exists to an rvalue.
    pub(super) fn apply(&mut self, v: Value, to: &Ty) -> Value {
        let Node::Rvalue(e) = v.node else { return v };
        let span = v.span;
        let from = v.ty.ty;
        if from == *to {
            return Value { node: Node::Rvalue(e), ty: QTy::plain(from), span };
        }
        match (&from, to) {
            (_, Ty::Void) => self.types.make(ExprKind::Convert { operand: e }, Ty::Void, span),
            (_, Ty::Pointer(_) | Ty::NullPtr) if !from.is_pointer() => {
                self.types.make(ExprKind::Null, to.clone(), span)
            }
            (Ty::NullPtr | Ty::Bool | Ty::Int(_), Ty::Function(_)) => {
                self.types.make_const(Const::Int(0, hir::IntType::UnsignedLong), to.clone(), span)
            }
            (Ty::NullPtr, Ty::Bool) => self.types.make_bool(false, span),
            (Ty::Pointer(_), Ty::Bool) => {
                let null = Expr { kind: ExprKind::Null, ty: e.ty.clone(), span };
                let kind = ExprKind::Compare { op: hir::CompareOp::Ne, lhs: e, rhs: Box::new(null) };
                self.types.make(kind, Ty::Bool, span)
            }
            (Ty::Pointer(a), Ty::Pointer(b)) => self.apply_pointer(e, a, b, to, span),
            (Ty::Struct(a), Ty::Struct(b)) if self.types.base_path(*a, *b).is_some() => {
                let path = self.types.base_path(*a, *b).unwrap_or_default();
                let mut v = Value { node: Node::Rvalue(e), ty: QTy::plain(from.clone()), span };
                for field in path {
                    v = self.field_of(v, field, span);
                }
                v
            }
            _ if from.is_wide() != to.is_wide() => self.apply_wide(e, &from, to, span),
            _ => self.types.apply_scalar(e, &from, to, span),
        }
    }

    /// What `convert` makes of a pointer, where it `moves` one; a null pointer stays null ([conv.ptr]).
    pub(super) fn unless_null(
        &mut self,
        v: Value,
        moves: bool,
        target: &Ty,
        convert: impl FnOnce(&mut Checker<'a>, Box<Expr>) -> Value,
    ) -> Value {
        let (span, ty) = (v.span, v.ty.ty.clone());
        let e = self.expr_of(v);
        // The address of an object is never null.
        if !moves || matches!(e.kind, ExprKind::AddressOf(_)) {
            return convert(self, e);
        }
        let kept = self.new_temporary(&QTy::plain(ty.clone()), span);
        let Node::Place(place) = self.local_place(kept, span).node else { return Value::error(span) };
        let first = self.types.make(ExprKind::Assign { place: place.clone(), value: e }, ty.clone(), span);
        let load = self.types.make(ExprKind::Load(place), ty, span);
        let condition = self.apply(load.clone(), &Ty::Bool);
        let (condition, load) = (self.expr_of(condition), self.expr_of(load));
        let then = convert(self, load);
        let null = self.types.make(ExprKind::Null, target.clone(), span);
        let (then, otherwise) = (self.expr_of(then), self.expr_of(null));
        let chosen = ExprKind::Conditional { condition, then, otherwise };
        let chosen = self.types.make(chosen, target.clone(), span);
        self.comma(first, chosen, span)
    }

    fn apply_pointer(&mut self, e: Box<Expr>, from: &QTy, to: &QTy, target: &Ty, span: Span) -> Value {
        if let (Ty::Struct(a), Ty::Struct(b)) = (&from.ty, &to.ty)
            && a != b
            && let Some(path) = self.types.base_path(*a, *b)
        {
            let of = Value { node: Node::Rvalue(e), ty: QTy::plain(Ty::pointer(from.clone())), span };
            return self.unless_null(of, self.types.base_offset(*a, &path) > 0, target, |c, e| {
                let mut v = c.types.make_place(PlaceKind::Deref(e), from.clone(), span);
                for field in &path {
                    v = c.field_of(v, *field, span);
                }
                let Node::Place(place) = v.node else { return Value::error(span) };
                c.types.make(ExprKind::AddressOf(place), target.clone(), span)
            });
        }
        if e.ty == self.types.hir_type(target) {
            return Value { node: Node::Rvalue(e), ty: QTy::plain(target.clone()), span };
        }
        self.types.make(ExprKind::Bits { operand: e }, target.clone(), span)
    }

    /// The value as a condition.
    pub(super) fn condition(&mut self, v: Value) -> Box<Expr> {
        let span = v.span;
        let v = self.convert_by(v, &QTy::plain(Ty::Bool), "expected a condition", Init::Direct);
        if v.is_error() {
            return Box::new(Expr { kind: ExprKind::Const(Const::Bool(true)), ty: hir::Type::Bool, span });
        }
        self.expr_of(v)
    }

    /// The rank of passing a value to a parameter.
    pub(super) fn rank_parameter(&mut self, v: &Value, to: &DeclTy) -> Option<Rank> {
        self.rank_bound(v, to, Init::Copy)
    }

    /// The rank of initialising a variable, which may be a reference, with a value ([over.ics.ref]).
    pub(super) fn rank_bound(&mut self, v: &Value, to: &DeclTy, init: Init) -> Option<Rank> {
        let Some(reference) = to.reference else { return self.conversion(v, &to.q, init).map(|c| c.rank()) };
        if v.is_error() || to.q.ty.has_error() {
            return Some(Rank::EXACT);
        }
        if let Ty::Overloads(_) = v.ty.ty {
            return self.conversion(v, &to.q, init).map(|c| c.rank());
        }
        let moved = v.is_expiring() || !v.is_object();
        let of_rvalue = moved.then_some(reference);
        let compatible = self.types.reference_compatible(&v.ty.ty, &to.q.ty);
        if compatible && !moved && reference == Ref::Right {
            return None;
        }
        if v.is_expiring() && compatible && reference == Ref::Left && !to.q.is_const {
            return None;
        }
        if v.is_object() && compatible {
            let dropped = (v.ty.is_const && !to.q.is_const) || (v.ty.is_volatile && !to.q.is_volatile);
            if dropped {
                return None;
            }
            let standard = match self.types.rank_types(&v.ty.ty, &to.q.ty) {
                None | Some(EXACT) => EXACT,
                Some(base) => base,
            };
            return Some(Rank::standard(standard).bound(&to.q, of_rvalue));
        }
        if let Some(c) = self.reference_conversion(v, to, init) {
            return Some(Conversion::User(c).rank().bound(&to.q, None));
        }
        if reference == Ref::Left && !to.q.is_const {
            return None;
        }
        if let Ty::Array(..) = to.q.ty {
            return None;
        }
        let rank = self.conversion(v, &QTy::plain(to.q.ty.clone()), of_temporary(init))?.rank();
        Some(rank.bound(&to.q, Some(reference)))
    }

    /// The object that a value of a class is, or the part of it that a value is, as a place.
    pub(super) fn temporary_place(&mut self, e: Box<Expr>) -> Place {
        let (ty, span) = (e.ty.clone(), e.span);
        let kind = match (self.body.prvalue(&e), e.kind) {
            (Some(t), ExprKind::Comma { first, .. }) => {
                let kind = PlaceKind::Local(t);
                let place = Box::new(Place { kind, ty: ty.clone(), is_volatile: false, span });
                PlaceKind::After { first, place }
            }
            (_, ExprKind::Field { value, field }) => {
                PlaceKind::Field { base: Box::new(self.temporary_place(value)), field }
            }
            (_, kind) => PlaceKind::Temporary(Box::new(Expr { kind, ty: ty.clone(), span })),
        };
        Place { kind, ty, is_volatile: false, span }
    }

    /// The place that a reference binds to: the object itself, or a temporary for a reference to `const`.
    pub(super) fn bind_reference(&mut self, v: Value, to: &DeclTy, why: &str) -> Option<Place> {
        self.bind_by(v, to, why, Init::Copy)
    }

    /// The same, as an initialisation of that kind does.
    pub(super) fn bind_by(&mut self, v: Value, to: &DeclTy, why: &str, init: Init) -> Option<Place> {
        let span = v.span;
        let v = self.as_object(v);
        if v.is_error() || to.q.ty.has_error() {
            return None;
        }
        let v = match v.ty.ty {
            Ty::Overloads(_) => self.convert(v, &to.q, why),
            _ => v,
        };
        if self.rank_bound(&v, to, init).is_none() {
            self.cannot_bind(&v, to, why);
            return None;
        }
        let folds = match &v.node {
            Node::Place(place) => {
                super::value::root_global(place).is_some() && self.folded_place(place).is_some()
            }
            _ => true,
        };
        if !folds && self.types.reference_compatible(&v.ty.ty, &to.q.ty) {
            let v = self.base_object(v, &to.q.ty);
            let Node::Place(place) = v.node else { return None };
            return Some(place);
        }
        if let Some(by) = self.reference_conversion(&v, to, init) {
            let object = self.converted_by(by, v, &to.q);
            return self.bind_by(object, to, why, Init::Standard);
        }
        // A temporary of a derived class stays the object that it is.
        let q = match (&v.ty.ty, &to.q.ty) {
            (Ty::Struct(a), Ty::Struct(b)) if self.types.base_path(*a, *b).is_some() => v.ty.ty.clone(),
            _ => to.q.ty.clone(),
        };
        let v = self.convert_by(v, &QTy::plain(q.clone()), why, of_temporary(init));
        let object =
            Value { ty: QTy { ty: q, ..to.q.clone() }, span, node: Node::Place(self.made_object(v)) };
        match self.base_object(object, &to.q.ty).node {
            Node::Place(place) => Some(place),
            Node::Rvalue(_) | Node::Bits(_) | Node::Error => None,
        }
    }

    /// The object that a value is, or a temporary that holds it.
    fn made_object(&mut self, v: Value) -> Place {
        let value = self.expr_of(v);
        self.temporary_place(value)
    }

    /// An object as the part of it that is of a base class, or as it is.
    pub(super) fn base_object(&mut self, v: Value, to: &Ty) -> Value {
        let span = v.span;
        let path = match (&v.ty.ty, to) {
            (Ty::Struct(a), Ty::Struct(b)) => self.types.base_path(*a, *b).unwrap_or_default(),
            _ => Steps::new(),
        };
        path.into_iter().fold(v, |v, field| self.field_of(v, field, span))
    }

    fn cannot_bind(&mut self, v: &Value, to: &DeclTy, why: &str) {
        let (a, b) = (self.types.spell(&v.ty), self.types.spell_decl(to));
        let mut d = Diagnostic::new(Code::CannotBindReference, format!("`{b}` cannot refer to this `{a}`"))
            .label(v.span, why);
        if !v.is_place() && self.rank(v, &to.q).is_some() {
            d = d.note("this is a temporary value; a reference that is not `const` needs a variable");
        } else if v.ty.is_const && !to.q.is_const && v.ty.ty == to.q.ty {
            d = d.note("this would drop `const`");
        }
        self.sink.push(d);
    }
}

/// Whether a value is that of an object, which has an address.
fn is_object(v: &Value) -> bool {
    match &v.node {
        Node::Place(_) => true,
        Node::Rvalue(e) => matches!(e.kind, ExprKind::Load(_)),
        Node::Bits(_) | Node::Error => false,
    }
}

impl<'a> Types<'a> {
    /// Between arithmetic types, enumerations and textures.
    pub(super) fn apply_scalar(&mut self, e: Box<Expr>, from: &Ty, to: &Ty, span: Span) -> Value {
        let (a, b) = (self.hir_type(from), self.hir_type(to));
        if a == b {
            return Value { node: Node::Rvalue(e), ty: QTy::plain(to.clone()), span };
        }
        if let ExprKind::Const(c) = e.kind
            && let Some(folded) = ty::convert_const(c, &b)
        {
            return self.make_const(folded, to.clone(), span);
        }
        if *from == Ty::Texture || *to == Ty::Texture {
            // A handle has 64 bits: through `unsigned long long` where the integer is another.
            let e = if *to == Ty::Texture && a != self.hir_type(&ty::ULLONG) {
                Box::new(Expr {
                    ty: self.hir_type(&ty::ULLONG),
                    kind: ExprKind::Convert { operand: e },
                    span,
                })
            } else {
                e
            };
            let wide = self.make(ExprKind::Bits { operand: e }, to.clone(), span);
            if *to == Ty::Texture || b == self.hir_type(&ty::ULLONG) {
                return wide;
            }
            let Node::Rvalue(mut inner) = wide.node else { return wide };
            inner.ty = self.hir_type(&ty::ULLONG);
            return self.make(ExprKind::Convert { operand: inner }, to.clone(), span);
        }
        self.make(ExprKind::Convert { operand: e }, to.clone(), span)
    }
}

/// Whether a string literal is to become a pointer to what is not constant, which C++ no longer allows and CUDA's compiler does.
fn drops_const(v: &Value, to: &Ty) -> bool {
    let e = match &v.node {
        Node::Rvalue(e) | Node::Place(Place { kind: PlaceKind::Deref(e), .. }) => e,
        Node::Place(_) | Node::Bits(_) | Node::Error => return false,
    };
    matches!((&e.kind, to), (ExprKind::Str(text), Ty::Pointer(q)) if q.q == QTy::plain(Ty::Int(text.ty)))
}
