//! Implicit conversions: their ranks, and making them explicit.

use super::place::Steps;
use super::ty::{self, DeclTy, QTy, Ref, Ty};
use super::value::{Node, Value};
use super::{Checker, FuncIdx};
use crate::hir::{self, Const, Expr, ExprKind, Place, PlaceKind, StructId};
use source::{Diagnostic, Span};

/// How good a conversion is; smaller is better.
pub(super) type Rank = u8;
pub(super) const EXACT: Rank = 0;
/// Only qualifiers are added.
pub(super) const QUALIFIED: Rank = 1;
pub(super) const PROMOTION: Rank = 2;
pub(super) const CONVERSION: Rank = 3;
/// To the base that many classes up, and whether a qualifier is added: the nearer base is better.
const fn to_base(up: usize, qualified: bool) -> Rank {
    let up = if up < 50 { up as Rank } else { 50 };
    CONVERSION + 2 * up - !qualified as Rank
}
/// A pointer to `void *`: worse than to a base.
const TO_VOID: Rank = 110;
/// A pointer to `bool`: worse than other conversions.
pub(super) const TO_BOOL: Rank = 111;
/// Through a constructor.
pub(super) const USER: Rank = 112;

impl<'a> Checker<'a> {
    /// The rank of the implicit conversion of a value to a type, or `None` if there is none.
    pub(super) fn rank(&self, v: &Value, to: &QTy) -> Option<Rank> {
        if v.is_error() || to.ty.has_error() {
            return Some(EXACT);
        }
        let from = Ty::decayed(&v.ty);
        if let (Ty::Pointer(_) | Ty::NullPtr | Ty::Function(_), true) = (&to.ty, v.is_zero()) {
            return Some(CONVERSION);
        }
        self.rank_types(&from, &to.ty)
    }

    /// The rank between types, without what depends on the value.
    pub(super) fn rank_types(&self, from: &Ty, to: &Ty) -> Option<Rank> {
        if from == to {
            return Some(EXACT);
        }
        match (from, to) {
            (Ty::Braces(list), _) => self.rank_list(*list, to),
            (Ty::Enum(e), _) => self.rank_enum(e.0, to),
            (Ty::Texture, Ty::Int(_)) | (Ty::Int(_), Ty::Texture) => Some(CONVERSION),
            (Ty::Double, _) | (Ty::Float, _) if to.is_arithmetic() => {
                Some(if *from == Ty::Float && *to == Ty::Double { PROMOTION } else { CONVERSION })
            }
            (Ty::Bool | Ty::Int(_), _) if to.is_arithmetic() => {
                Some(if from.promoted() == *to { PROMOTION } else { CONVERSION })
            }
            (Ty::NullPtr, Ty::Pointer(_) | Ty::Function(_)) => Some(CONVERSION),
            (Ty::Pointer(_) | Ty::Function(_), Ty::Bool) => Some(TO_BOOL),
            (Ty::Pointer(a), Ty::Pointer(b)) => self.rank_pointers(a, b),
            (Ty::Struct(a), Ty::Struct(b)) if self.base_path(*a, *b).is_some() => {
                self.base_path(*a, *b).map(|path| to_base(path.len(), false))
            }
            (Ty::Struct(s), _) if self.conversion_function(*s, to).is_some() => Some(USER),
            (_, Ty::Struct(s)) => self.converting_constructor(from, *s).map(|_| USER),
            _ => None,
        }
    }

    /// How well a braced list makes a value of a type, by the number of its parts.
    fn rank_list(&self, list: u32, to: &Ty) -> Option<Rank> {
        let count = self.lists[list as usize].len();
        match to {
            Ty::Struct(s) => {
                let class = self.class(*s);
                let takes = |f: &FuncIdx| {
                    let Some(signature) = &self.func(*f).signature else { return true };
                    let required = signature.parameters.iter().filter(|p| p.default.is_none()).count();
                    (required..=signature.parameters.len()).contains(&count)
                };
                let fits = match self.constructors_of(*s).as_slice() {
                    [] => count <= class.fields.len().max(1) || class.template.is_some(),
                    list => count <= 1 || list.iter().any(takes),
                };
                fits.then_some(USER)
            }
            Ty::Array(_, n) => (count as u64 <= *n).then_some(EXACT),
            _ => (count <= 1).then_some(EXACT),
        }
    }

    /// The functions `operator T()` of a class and its bases.
    fn conversion_functions(&self, class: StructId) -> Vec<FuncIdx> {
        let names = &self.scope(self.class(class).scope).names;
        let mut found: Vec<FuncIdx> = names
            .iter()
            .filter(|(name, _)| name.starts_with("operator "))
            .filter_map(|(_, entry)| match &entry.symbol {
                super::scope::Symbol::Functions(list) => Some(list.clone()),
                _ => None,
            })
            .flatten()
            .collect();
        found.sort_by_key(|f| f.0);
        // `explicit` asks for a cast, or for a place that is a condition.
        let direct = self.cx.direct;
        found.retain(|f| {
            direct || !matches!(self.func(*f).source, super::Source::Function(ast) if ast.specifiers.explicit)
        });
        found.sort_by_key(|f| f.0);
        for base in &self.class(class).bases {
            found.extend(self.conversion_functions(*base));
        }
        found
    }

    /// The function `operator T()` that converts a class to a type: of that very type, or the only one to a number.
    pub(super) fn conversion_function(&self, class: StructId, to: &Ty) -> Option<FuncIdx> {
        let found = self.conversion_functions(class);
        let result = |f: &FuncIdx| {
            self.func(*f).signature.as_ref().and_then(|s| s.result.as_ref()).map(|r| r.q.ty.clone())
        };
        if let Some(f) = found.iter().find(|f| result(f).as_ref() == Some(to)) {
            return Some(*f);
        }
        // `template <typename T> operator T()` converts to anything.
        let open = |f: &&FuncIdx| {
            self.func(**f).is_template
                && matches!(self.func(**f).source, super::Source::Function(ast) if ast.template.len() == 1)
        };
        if let Some(f) = found.iter().find(open) {
            return Some(*f);
        }
        if !to.is_arithmetic() {
            return None;
        }
        let mut numbers: Vec<FuncIdx> =
            found.into_iter().filter(|f| result(f).is_some_and(|t| t.is_arithmetic())).collect();
        if numbers.len() > 1 {
            // `operator bool` is for conditions, and nearly always `explicit`.
            numbers.retain(|f| result(f) != Some(Ty::Bool));
        }
        match numbers.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// An object as the number that its only conversion gives; anything else as it is.
    pub(super) fn as_number(&mut self, v: Value) -> Value {
        let Ty::Struct(class) = v.ty.ty else { return v };
        match self.conversion_function(class, &Ty::Double) {
            Some(f) => self.call_conversion(f, v, &Ty::Double),
            None => v,
        }
    }

    /// The function `operator T &()` that gives what a reference may refer to.
    fn reference_conversion(&self, v: &Value, to: &DeclTy) -> Option<FuncIdx> {
        let Ty::Struct(s) = v.ty.ty else { return None };
        if to.q.ty == v.ty.ty {
            return None;
        }
        self.conversion_functions(s).into_iter().find(|f| {
            let result = self.func(*f).signature.as_ref().and_then(|s| s.result.clone());
            result.is_some_and(|r| {
                r.reference == Some(Ref::Left) && r.q.ty == to.q.ty && (to.q.is_const || !r.q.is_const)
            })
        })
    }

    fn call_conversion(&mut self, f: FuncIdx, object: Value, to: &Ty) -> Value {
        let span = object.span;
        if self.func(f).is_template {
            let given = [super::TArg::Type(DeclTy::from(to.clone()))];
            return match self.pick_with(f, &given, &[]) {
                Some(pick) => self.call_function(pick, Vec::new(), Some(object), span),
                None => Value::error(span),
            };
        }
        let Some(signature) = self.func(f).signature.clone() else { return Value::error(span) };
        let scope = self.func(f).scope;
        let pick = super::resolve::Pick { func: f, arguments: Vec::new(), scope, signature };
        self.call_function(pick, Vec::new(), Some(object), span)
    }

    fn rank_enum(&self, e: u32, to: &Ty) -> Option<Rank> {
        let info = &self.enums[e as usize];
        if info.scoped || !to.is_arithmetic() {
            return None;
        }
        Some(if info.underlying.promoted() == *to { PROMOTION } else { CONVERSION })
    }

    fn rank_pointers(&self, from: &QTy, to: &QTy) -> Option<Rank> {
        if (from.is_const && !to.is_const) || (from.is_volatile && !to.is_volatile) {
            return None;
        }
        if from.ty == to.ty {
            return Some(QUALIFIED);
        }
        match (&from.ty, &to.ty) {
            (_, Ty::Void) => Some(TO_VOID),
            (Ty::Struct(a), Ty::Struct(b)) => {
                self.base_path(*a, *b).map(|path| to_base(path.len(), from.is_const != to.is_const))
            }
            // `T **` to `T * const *` and deeper: qualifiers may only be added where all outer levels are const.
            (Ty::Pointer(a), Ty::Pointer(b)) if to.is_const => self.rank_pointers(a, b).map(|_| QUALIFIED),
            _ => None,
        }
    }

    /// The fields that lead from a class to one of its bases (empty if they are the same).
    pub(super) fn base_path(&self, from: StructId, to: StructId) -> Option<Steps> {
        if from == to {
            return Some(Steps::new());
        }
        self.class(from).bases.iter().enumerate().find_map(|(i, base)| {
            let mut rest = self.base_path(*base, to)?;
            rest.insert(0, i as u32);
            Some(rest)
        })
    }

    /// The constructor that converts from a type; `dim3` has one for integers (given as `None`).
    pub(super) fn converting_constructor(&self, from: &Ty, to: StructId) -> Option<Option<FuncIdx>> {
        if self.layout(to).name == "dim3" && from.is_arithmetic() {
            return Some(None);
        }
        self.constructors_of(to).into_iter().find_map(|f| {
            let signature = self.func(f).signature.as_ref()?;
            if let super::Source::Function(ast) = self.func(f).source
                && ast.specifiers.explicit
            {
                return None;
            }
            let first = signature.parameters.first()?;
            let rest = signature.parameters.iter().skip(1).all(|p| p.default.is_some());
            if !rest || matches!(first.ty.q.ty, Ty::Struct(s) if s == to) {
                return None;
            }
            let rank = match from {
                Ty::Struct(_) => (first.ty.q.ty == *from).then_some(EXACT)?,
                other if !first.ty.q.ty.is_struct() => self.rank_types(other, &first.ty.q.ty)?,
                _ => return None,
            };
            (rank < USER).then_some(Some(f))
        })
    }

    /// Converts implicitly; an error if there is no such conversion. `why` completes the label.
    pub(super) fn convert(&mut self, v: Value, to: &QTy, why: &str) -> Value {
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
            return self.list_value(to, items, span);
        }
        if self.rank(&v, to).is_none() {
            self.cannot_convert(&v, to, why);
            return Value::error(span);
        }
        if let (Ty::Struct(s), Ty::Struct(from), true) = (&to.ty, &v.ty.ty, v.is_place())
            && self.base_path(*from, *s).is_some()
            && self.needs_copy(*s)
        {
            let path = self.base_path(*from, *s).unwrap_or_default();
            let v = path.into_iter().fold(v, |v, field| self.field_of(v, field, span));
            return self.copied(v, *s);
        }
        let v = self.rvalue(v);
        if v.is_error() {
            return v;
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
        let (a, b) = (self.spell(&from), self.spell_ty(&to.ty));
        let mut d =
            Diagnostic::error("cannot-convert", format!("cannot convert `{a}` to `{b}`")).label(v.span, why);
        match (&from.ty, &to.ty) {
            (Ty::Pointer(x), Ty::Pointer(y)) if x.ty == y.ty => {
                d = d.note("this would drop `const` or `volatile` from what the pointer points to");
            }
            (Ty::Pointer(x), Ty::Pointer(_)) if x.ty == Ty::Void => {
                d = d.help("C++ wants a cast from `void *`: use `static_cast`");
            }
            (Ty::Pointer(_), Ty::Pointer(_)) => {
                d = d.help(format!("if the other type is meant, write `reinterpret_cast<{b}>(…)`"));
            }
            (Ty::Pointer(x), t) if *t == x.ty => d = d.help("dereference the pointer with `*`, or index it"),
            (t, Ty::Pointer(x)) if *t == x.ty && why == "in this assignment" => {
                d = d.help(
                    "an element is written with an index, as in `out[i] = …`; an address is taken with `&`",
                );
            }
            (t, Ty::Pointer(x)) if *t == x.ty => d = d.help("take the address with `&`"),
            (Ty::Enum(_), _) => d = d.help("a scoped enumeration needs a `static_cast`"),
            _ => {}
        }
        self.push(d);
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
            (_, Ty::Void) => self.make(ExprKind::Convert { operand: e }, Ty::Void, span),
            (_, Ty::Pointer(_) | Ty::NullPtr) if !from.is_pointer() => {
                self.make(ExprKind::Null, to.clone(), span)
            }
            (Ty::NullPtr | Ty::Bool | Ty::Int(_), Ty::Function(_)) => {
                self.make_const(Const::Int(0, hir::IntType::UnsignedLong), to.clone(), span)
            }
            (Ty::NullPtr, Ty::Bool) => self.make_bool(false, span),
            (Ty::Pointer(_), Ty::Bool) => {
                let null = Expr { kind: ExprKind::Null, ty: e.ty.clone(), span };
                let kind = ExprKind::Compare { op: hir::CompareOp::Ne, lhs: e, rhs: Box::new(null) };
                self.make(kind, Ty::Bool, span)
            }
            (Ty::Pointer(a), Ty::Pointer(b)) => self.apply_pointer(e, a, b, to, span),
            (Ty::Struct(a), Ty::Struct(b)) if self.base_path(*a, *b).is_some() => {
                let path = self.base_path(*a, *b).unwrap_or_default();
                let mut v = Value { node: Node::Rvalue(e), ty: QTy::plain(from.clone()), span };
                for field in path {
                    v = self.field_of(v, field, span);
                }
                v
            }
            (Ty::Struct(s), _) if self.conversion_function(*s, to).is_some() => {
                let Some(f) = self.conversion_function(*s, to) else { return Value::error(span) };
                let v = Value { node: Node::Rvalue(e), ty: QTy::plain(from.clone()), span };
                let v = self.call_conversion(f, v, to);
                let v = self.rvalue(v);
                if v.is_error() { v } else { self.apply(v, to) }
            }
            (_, Ty::Struct(s)) => {
                let v = Value { node: Node::Rvalue(e), ty: QTy::plain(from.clone()), span };
                self.construct_converted(v, *s, span)
            }
            _ => self.apply_scalar(e, &from, to, span),
        }
    }

    fn apply_pointer(&mut self, e: Box<Expr>, from: &QTy, to: &QTy, target: &Ty, span: Span) -> Value {
        if let (Ty::Struct(a), Ty::Struct(b)) = (&from.ty, &to.ty)
            && a != b
            && let Some(path) = self.base_path(*a, *b)
        {
            let mut v = self.make_place(PlaceKind::Deref(e), from.clone(), span);
            for field in path {
                v = self.field_of(v, field, span);
            }
            let Node::Place(place) = v.node else { return Value::error(span) };
            return self.make(ExprKind::AddressOf(place), target.clone(), span);
        }
        if e.ty == self.hir_type(target) {
            return Value { node: Node::Rvalue(e), ty: QTy::plain(target.clone()), span };
        }
        self.make(ExprKind::Bits { operand: e }, target.clone(), span)
    }

    /// Between arithmetic types, enumerations and textures.
    fn apply_scalar(&mut self, e: Box<Expr>, from: &Ty, to: &Ty, span: Span) -> Value {
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

    /// Runs something that may convert by functions declared `explicit`.
    pub(super) fn directly<T>(&mut self, run: impl FnOnce(&mut Checker<'a>) -> T) -> T {
        let outer = std::mem::replace(&mut self.cx.direct, true);
        let result = run(self);
        self.cx.direct = outer;
        result
    }

    /// The value as a condition.
    pub(super) fn condition(&mut self, v: Value) -> Box<Expr> {
        let span = v.span;
        let v = self.directly(|c| c.convert(v, &QTy::plain(Ty::Bool), "expected a condition"));
        if v.is_error() {
            return Box::new(Expr { kind: ExprKind::Const(Const::Bool(true)), ty: hir::Type::Bool, span });
        }
        self.expr_of(v)
    }

    /// The rank of passing a value to a parameter.
    pub(super) fn rank_parameter(&self, v: &Value, to: &DeclTy) -> Option<Rank> {
        let Some(reference) = to.reference else { return self.rank(v, &to.q) };
        if v.is_error() || to.q.ty.has_error() {
            return Some(EXACT);
        }
        let moved = v.is_expiring() || !v.is_object();
        if !moved && reference == Ref::Right && self.reference_compatible(&v.ty.ty, &to.q.ty) {
            return None;
        }
        if v.is_expiring() && reference == Ref::Left && !to.q.is_const {
            return None;
        }
        if v.is_object() && self.reference_compatible(&v.ty.ty, &to.q.ty) {
            let dropped = (v.ty.is_const && !to.q.is_const) || (v.ty.is_volatile && !to.q.is_volatile);
            if dropped {
                return None;
            }
            let added = v.ty.is_const != to.q.is_const || (moved && reference == Ref::Left);
            let up = match (&v.ty.ty, &to.q.ty) {
                (Ty::Struct(a), Ty::Struct(b)) => self.base_path(*a, *b).map_or(0, |path| path.len()),
                _ => 0,
            };
            return Some(match up {
                0 if added => QUALIFIED,
                0 => EXACT,
                _ => to_base(up, added),
            });
        }
        if self.reference_conversion(v, to).is_some() {
            return Some(USER);
        }
        if reference == Ref::Left && !to.q.is_const {
            return None;
        }
        if let Ty::Array(..) = to.q.ty {
            return None;
        }
        // What is about to end goes rather to `T &&`.
        let rank = self.rank(v, &to.q)?;
        Some(if reference == Ref::Left { rank.max(QUALIFIED) } else { rank })
    }

    /// The object that a value of a class is, as a place.
    pub(super) fn temporary_place(&mut self, e: Box<Expr>) -> Place {
        let (ty, span) = (e.ty.clone(), e.span);
        let kind = match (self.prvalue(&e), e.kind) {
            (Some(t), ExprKind::Comma { first, .. }) => {
                let kind = PlaceKind::Local(t);
                let place = Box::new(Place { kind, ty: ty.clone(), is_volatile: false, span });
                PlaceKind::After { first, place }
            }
            (_, kind) => PlaceKind::Temporary(Box::new(Expr { kind, ty: ty.clone(), span })),
        };
        Place { kind, ty, is_volatile: false, span }
    }

    fn reference_compatible(&self, from: &Ty, to: &Ty) -> bool {
        match (from, to) {
            (Ty::Struct(a), Ty::Struct(b)) => self.base_path(*a, *b).is_some(),
            _ => from == to,
        }
    }

    /// The place that a reference binds to: the object itself, or a temporary for a reference to `const`.
    pub(super) fn bind_reference(&mut self, v: Value, to: &DeclTy, why: &str) -> Option<Place> {
        let span = v.span;
        let v = if to.q.is_const { v } else { self.as_object(v) };
        if v.is_error() || to.q.ty.has_error() {
            return None;
        }
        if self.rank_parameter(&v, to).is_none() {
            self.cannot_bind(&v, to, why);
            return None;
        }
        let folds = match &v.node {
            Node::Place(place) => {
                super::value::root_global(place).is_some() && self.folded_place(place).is_some()
            }
            _ => true,
        };
        if !folds && self.reference_compatible(&v.ty.ty, &to.q.ty) {
            let v = match (&v.ty.ty, &to.q.ty) {
                (Ty::Struct(a), Ty::Struct(b)) => {
                    let path = self.base_path(*a, *b).unwrap_or_default();
                    path.into_iter().fold(v, |v, field| self.field_of(v, field, span))
                }
                _ => v,
            };
            let Node::Place(place) = v.node else { return None };
            if !to.q.is_const {
                self.note_write(&place);
            }
            return Some(place);
        }
        if let Some(f) = self.reference_conversion(&v, to) {
            let Node::Place(place) = self.call_conversion(f, v, &to.q.ty).node else { return None };
            return Some(place);
        }
        let value = self.convert_expr(v, &to.q, why);
        Some(self.temporary_place(value))
    }

    fn cannot_bind(&mut self, v: &Value, to: &DeclTy, why: &str) {
        let (a, b) = (self.spell(&v.ty), self.spell_decl(to));
        let mut d = Diagnostic::error("cannot-bind-reference", format!("`{b}` cannot refer to this `{a}`"))
            .label(v.span, why);
        if !v.is_place() && self.rank(v, &to.q).is_some() {
            d = d.note("this is a temporary value; a reference that is not `const` needs a variable");
        } else if v.ty.is_const && !to.q.is_const && v.ty.ty == to.q.ty {
            d = d.note("this would drop `const`");
        }
        self.push(d);
    }
}
