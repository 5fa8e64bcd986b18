//! Types as written to types as meant.

use super::ids::TemplateName;
use super::scopes::{Found, Symbol};
use super::ty::{self, DeclTy, QTy, Ref, Ty, UNSIZED};
use super::value::{Node, Value};
use super::{BrokenAlias, Checker, ClassInfo, FieldInfo, ScopeId, TArg};
use crate::hir::{self, Const, ExprKind, Place, PlaceKind, StructId};
use cuda_syntax::ast::{self, BuiltinType, TypeKind, TypeName};
use cuda_syntax::budget::Cost;
use source::{Code, Diagnostic, Span};
use std::fmt::Write;
use std::rc::Rc;

pub(super) fn builtin_type(b: BuiltinType) -> Ty {
    match b {
        BuiltinType::Void => Ty::Void,
        BuiltinType::Bool => Ty::Bool,
        BuiltinType::Int(t) => Ty::Int(t),
        BuiltinType::Float => Ty::Float,
        BuiltinType::Double => Ty::Double,
    }
}

/// Pointers and arrays that a type may be made of, one within the other.
const MAX_TYPE_DEPTH: usize = 256;

impl<'a> Checker<'a> {
    /// Whether a type has no more levels than it may have.
    fn is_shallow(&self, t: &Ty) -> bool {
        let mut at = t;
        for _ in 0..=MAX_TYPE_DEPTH {
            at = match at {
                Ty::Pointer(to) => &to.ty,
                Ty::Array(of, _) => of,
                _ => return true,
            };
        }
        false
    }

    /// The type of a declaration. `auto` is an error here: callers that allow it look first. Functions and references to
    /// functions are pointers here, which can do the same.
    pub(super) fn decl_type(&mut self, t: &'a TypeName) -> DeclTy {
        without_functions(self.exact_type(t))
    }

    /// `decltype(auto)`, the type of a declaration.
    pub(super) fn decltype_auto(&mut self, e: &'a ast::Expr) -> DeclTy {
        without_functions(self.decltype(e))
    }

    /// A type as template arguments and aliases have it: functions are no pointers.
    pub(super) fn exact_type(&mut self, t: &'a TypeName) -> DeclTy {
        if !self.sink.charge(Cost::Checks, 1, t.span) {
            return Ty::Error.into();
        }
        if self.sink.is_marked(t.span) {
            return Ty::Error.into();
        }
        let mut decl = match &t.kind {
            TypeKind::Builtin(b) => self.known_scalar(builtin_type(*b)).into(),
            TypeKind::Named(path) => self.named_type(path),
            TypeKind::Member { class, to, is_const } => self.member_pointer_type(class, to, *is_const),
            TypeKind::Auto(_) | TypeKind::DecltypeAuto(_) => {
                self.sink.report(
                    Code::AutoNotAllowed,
                    "`auto` cannot be used here",
                    t.span,
                    "write the type",
                );
                Ty::Error.into()
            }
            TypeKind::Decltype(e) => self.decltype(e),
            TypeKind::Typeof(e) => DeclTy { reference: None, ..self.decltype(e) },
            TypeKind::Pointer { to, .. } => {
                self.indirect += 1;
                let pointer = self.pointer_type(to);
                self.indirect -= 1;
                pointer
            }
            TypeKind::Reference { to, rvalue } => {
                self.indirect += 1;
                let inner = self.exact_type(to);
                self.indirect -= 1;
                if inner.q.ty == Ty::Void {
                    self.sink.wrong(Code::VoidVariable, "there are no references to `void`", t.span);
                    return Ty::Error.into();
                }
                let reference = match inner.reference {
                    Some(Ref::Left) => Ref::Left,
                    _ if *rvalue => Ref::Right,
                    _ => Ref::Left,
                };
                return DeclTy { q: inner.q, reference: Some(reference) };
            }
            TypeKind::Array { of, length } => {
                let n = match length {
                    Some(e) => self.array_length(e),
                    None => UNSIZED,
                };
                let element = self.decl_type(of);
                self.array_of(element, n, t.span)
            }
            TypeKind::Function { qualified: true, .. } => {
                self.sink.unsupported("a qualified type of functions", t.span);
                Ty::Error.into()
            }
            TypeKind::Function { result, parameters, .. } => self.function_type(result, parameters).into(),
            TypeKind::Pack(inner) => self.exact_type(inner),
        };
        if !self.is_shallow(&decl.q.ty) {
            let title = format!("this type has more than {MAX_TYPE_DEPTH} levels of pointers and arrays");
            self.sink.stop(Diagnostic::new(Code::NestingTooDeep, title).label(t.span, ""));
            return Ty::Error.into();
        }
        if decl.reference.is_none() && !matches!(decl.q.ty, Ty::Callee(_)) {
            decl.q.is_const |= t.is_const;
            decl.q.is_volatile |= t.is_volatile;
        }
        decl
    }

    /// A type that is no reference.
    pub(super) fn object_type(&mut self, t: &'a TypeName) -> QTy {
        self.decl_type(t).q
    }

    fn pointer_type(&mut self, to: &'a TypeName) -> DeclTy {
        let inner = self.exact_type(to);
        if inner.reference.is_some() {
            self.sink.wrong(Code::PointerToReference, "there are no pointers to references", to.span);
            return Ty::Error.into();
        }
        match inner.q.ty {
            Ty::Callee(at) => Ty::Function(at).into(),
            _ => Ty::pointer(inner.q).into(),
        }
    }

    fn array_of(&mut self, element: DeclTy, n: u64, span: Span) -> DeclTy {
        let bad = match &element.q.ty {
            _ if element.reference.is_some() => Some("there are no arrays of references"),
            Ty::Void => Some("there are no arrays of `void`"),
            Ty::Array(_, UNSIZED) => Some("only the first dimension of an array may be left out"),
            _ => None,
        };
        if let Some(title) = bad {
            self.sink.wrong(Code::InvalidArray, title, span);
            return Ty::Error.into();
        }
        if n != UNSIZED {
            let bytes = self.types.size_of(&element.q.ty).saturating_mul(n);
            if bytes > 1 << 40 {
                self.sink.wrong(Code::ArrayTooLarge, "this array is larger than any memory", span);
                return Ty::Error.into();
            }
        }
        DeclTy { q: QTy { ty: Ty::Array(Rc::new(element.q.ty.clone()), n), ..element.q }, reference: None }
    }

    /// The constant length of an array.
    fn array_length(&mut self, e: &'a ast::Expr) -> u64 {
        let Some(c) = self.integer_constant(e, "the length of an array", Code::VariableLengthArray) else {
            return 1;
        };
        if c <= 0 {
            self.sink.wrong(
                Code::InvalidArray,
                format!("an array needs a positive length, but this one has {c}"),
                e.span,
            );
            return 1;
        }
        c as u64
    }

    fn decltype(&mut self, e: &'a ast::Expr) -> DeclTy {
        let v = self.unevaluated(|c| c.expr(e));
        // What names a function, and `*p` of a pointer to one, is no pointer.
        if let Ty::Function(at) = v.ty.ty {
            let named = self.names_function(e);
            if named || matches!(e.kind, ast::ExprKind::Unary { op: ast::UnaryOp::Deref, .. }) {
                let reference = (!matches!(e.kind, ast::ExprKind::Path(_))).then_some(Ref::Left);
                return DeclTy { q: QTy::plain(Ty::Callee(at)), reference };
            }
        }
        let reference = match &e.kind {
            ast::ExprKind::Path(_) | ast::ExprKind::Member { .. } => self.declared_reference(&v),
            _ if v.is_expiring() => Some(Ref::Right),
            _ => (v.is_place() || (!v.is_error() && self.is_lvalue(e))).then_some(Ref::Left),
        };
        let mut q = v.ty;
        // A member is of the type that it is declared with, whatever its object is.
        if let (Node::Place(place), ast::ExprKind::Path(_) | ast::ExprKind::Member { .. }) =
            (&v.node, &e.kind)
            && let PlaceKind::Field { base, field } = &place.kind
            && let hir::Type::Struct(class) = base.ty
            && let Some(declared) = self.types.class(class).fields.get(*field as usize)
        {
            (q.is_const, q.is_volatile) = (declared.q.is_const, declared.q.is_volatile);
        }
        DeclTy { q, reference }
    }

    /// Whether an expression whose value needs no place is an lvalue all the same: an assignment to a scalar or its `++`, `?:` of two lvalues of one type.
    fn is_lvalue(&mut self, e: &'a ast::Expr) -> bool {
        match &e.kind {
            ast::ExprKind::Paren(inner) => self.is_lvalue(inner),
            // Those of a class are calls, whose result says it.
            ast::ExprKind::Unary { op: ast::UnaryOp::PreIncrement | ast::UnaryOp::PreDecrement, operand } => {
                let of = self.unevaluated(|c| c.expr(operand));
                of.is_place() && !of.ty.ty.is_struct()
            }
            ast::ExprKind::Binary { op: ast::BinaryOp::Comma, sides, .. } => self.is_lvalue(&sides[1]),
            ast::ExprKind::Assign { sides, .. } => {
                let to = self.unevaluated(|c| c.expr(&sides[0]));
                // An assignment of the class's own says it, too.
                let is_own = matches!(to.ty.ty, Ty::Struct(s)
                    if self.scopes.scope(self.types.class(s).scope).names.contains("operator="));
                to.is_place() && !is_own
            }
            ast::ExprKind::Conditional(parts) => {
                let (then, otherwise) = self.unevaluated(|c| (c.expr(&parts[1]), c.expr(&parts[2])));
                then.is_place()
                    && otherwise.is_place()
                    && !then.is_expiring()
                    && !otherwise.is_expiring()
                    && then.ty == otherwise.ty
            }
            _ => false,
        }
    }

    fn names_function(&mut self, e: &'a ast::Expr) -> bool {
        match &e.kind {
            ast::ExprKind::Paren(inner) => self.names_function(inner),
            ast::ExprKind::Path(path) => matches!(
                self.lookup_value_path(path),
                Ok((Found::Entry(super::scopes::Entry { symbol: Symbol::Functions(_), .. }), _))
            ),
            _ => false,
        }
    }

    /// As what reference the variable or member is declared that a name means.
    fn declared_reference(&self, v: &Value) -> Option<Ref> {
        let Node::Place(place) = &v.node else { return None };
        match &place.kind {
            PlaceKind::Local(local) => self.body.infos[local.0 as usize].reference,
            // What a reference refers to that is a member: see [`super::FieldInfo::is_reference`].
            PlaceKind::Deref(pointer) => match &pointer.kind {
                // A capture by reference is a member too, but names the variable itself.
                ExprKind::Load(Place { kind: PlaceKind::Field { base, .. }, .. }) => match base.ty {
                    hir::Type::Struct(class) if !self.types.class(class).is_lambda => Some(Ref::Left),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// The type that a path names; an error if it names none.
    pub(super) fn named_type(&mut self, path: &'a ast::Path) -> DeclTy {
        if path.lacks_typename {
            self.sink.push(cuda_syntax::parse::lacking_typename(path));
            return Ty::Error.into();
        }
        match self.opt_named_type(path) {
            Some(t) => t,
            None => {
                let name = &path.last.name;
                let is_of_cuda = cuda_syntax::parse::is_of_cuda(&name.text);
                let is_standard = path.qualifiers.first().is_some_and(|q| q.name.text == "std");
                if let Ok(Found::Entry(entry)) = self.lookup_path(path) {
                    self.sink.push(
                        Diagnostic::new(Code::NotAType, format!("`{}` is not a type", name.text))
                            .label(name.span, "expected a type")
                            .label(entry.span, "declared here"),
                    );
                } else if !self.is_elsewhere(path, is_of_cuda, is_standard) {
                    self.undeclared(&name.text, path.span, "a type");
                }
                Ty::Error.into()
            }
        }
    }

    /// The type that a path names, or `None` if it names something else or nothing.
    pub(super) fn opt_named_type(&mut self, path: &'a ast::Path) -> Option<DeclTy> {
        let found = self.opt_type_of_path(path);
        if let Some(DeclTy { q: QTy { ty: Ty::Struct(class), .. }, .. }) = &found
            && self.indirect == 0
        {
            self.use_class(*class);
        }
        found
    }

    /// Whether a type is written as one of the standard library or of one that is not read.
    pub(super) fn is_of_library(&self, t: &ast::TypeName) -> bool {
        let TypeKind::Named(path) = &t.kind else { return false };
        let Some(first) = path.qualifiers.first().map(|q| q.name.text.as_str()) else { return false };
        first == "std" || self.is_library(first)
    }

    /// Whether a name is the namespace of a library that is not read.
    pub(super) fn is_library(&self, name: &str) -> bool {
        self.skipped.iter().any(|s| s.origin.namespaces.contains(&name))
    }

    /// Whether a scope is of a library that is declared only in part, so that it may have more names and overloads.
    pub(super) fn is_declared_in_part(&self, scope: ScopeId) -> bool {
        self.scopes.scope(scope).prefix.split_once("::").is_some_and(|(first, _)| self.is_library(first))
    }

    /// Reports the alias's type, which is not known.
    pub(super) fn broken_alias(&mut self, id: usize) -> DeclTy {
        let BrokenAlias { ty, scope, order, is_open } = self.templates.broken[id];
        if is_open {
            self.sink.unsupported("an alias that names itself", ty.span);
            return Ty::Error.into();
        }
        self.templates.broken[id].is_open = true;
        let outer = std::mem::replace(&mut self.scopes.here.order, order.saturating_sub(1));
        self.in_scope(scope, |c| c.decl_type(ty));
        self.scopes.here.order = outer;
        self.templates.broken[id].is_open = false;
        Ty::Error.into()
    }

    fn opt_type_of_path(&mut self, path: &'a ast::Path) -> Option<DeclTy> {
        let Ok((found, qualifiers)) = self.lookup_path_in(path) else { return Some(Ty::Error.into()) };
        self.check_named(path, qualifiers);
        let arguments = path.last.arguments.as_deref();
        match found {
            Found::Entry(entry) => match entry.symbol {
                Symbol::Type(t) => Some(t),
                Symbol::ClassTemplate(id) => {
                    let arguments = arguments.unwrap_or(&[]);
                    Some(self.class_instance(id, arguments, path.span).into())
                }
                Symbol::AliasTemplate(id) => {
                    Some(self.alias_instance(id, arguments.unwrap_or(&[]), path.span))
                }
                Symbol::BrokenAlias(id) => Some(self.broken_alias(id)),
                // `struct NAME` of a name that is a variable's or function's too: the parser lets no other through.
                _ => match qualifiers {
                    Some(scope) => self.scopes.type_in(scope, &path.last.name.text),
                    None => self.scopes.tag_named(self.scopes.here.scope, &path.last.name.text),
                },
            },
            // The parser takes a name for a type before its declaration only in `struct NAME`.
            Found::Later(_) if qualifiers.is_none() => {
                self.scopes.tag_named(self.scopes.here.scope, &path.last.name.text)
            }
            Found::Later(_) | Found::Ambiguous(..) | Found::Nothing => self.known_type(path),
        }
    }

    /// Types that CUDA and the standard library bring.
    fn known_type(&mut self, path: &'a ast::Path) -> Option<DeclTy> {
        let name = path.last.name.text.as_str();
        if let Some(t) = ty::named_scalar(name) {
            return Some(self.known_scalar(t).into());
        }
        if ty::is_handle(name) {
            return Some(Ty::pointer(QTy::plain(Ty::Void)).into());
        }
        if ty::vector_type(name).is_some() {
            return self.vector(name).map(DeclTy::from);
        }
        self.standard_trait(path)
    }

    /// `std::remove_const_t` and the like, which templates use.
    fn standard_trait(&mut self, path: &'a ast::Path) -> Option<DeclTy> {
        let arguments = path.last.arguments.as_deref()?;
        let name = path.last.name.text.as_str();
        let of = |c: &mut Checker<'a>, i: usize| match arguments.get(i) {
            Some(a) => match c.template_argument(a, None) {
                Some(TArg::Type(t)) => Some(t),
                _ => None,
            },
            None => None,
        };
        match name {
            "remove_const_t" | "remove_cv_t" => {
                let mut t = of(self, 0)?;
                t.q.is_const = false;
                t.q.is_volatile &= name == "remove_const_t";
                Some(t)
            }
            "remove_reference_t" => Some(of(self, 0)?.q.into()),
            "remove_cvref_t" => Some(QTy::plain(of(self, 0)?.q.ty).into()),
            "decay_t" => Some(QTy::plain(Ty::decayed(&of(self, 0)?.q)).into()),
            "__underlying_type" => {
                let Ty::Enum(e) = of(self, 0)?.q.ty else {
                    self.sink.wrong(Code::NotAType, "only an enumeration has an underlying type", path.span);
                    return Some(Ty::Error.into());
                };
                Some(self.types.enums[e.0 as usize].underlying.clone().into())
            }
            "conditional_t" => {
                let condition = match self.template_argument(arguments.first()?, Some(&Ty::Bool))? {
                    TArg::Value(c) => ty::truth(c),
                    _ => return None,
                };
                of(self, if condition { 1 } else { 2 })
            }
            _ => None,
        }
    }

    /// A CUDA vector type by name.
    pub(super) fn vector(&mut self, name: &str) -> Option<Ty> {
        if let Some(id) = self.types.vectors.get(name) {
            return Some(Ty::Struct(*id));
        }
        let (element, count, align) = ty::vector_type(name)?;
        let id = StructId(self.types.structs.len() as u32);
        let size = self.types.size_of(&element);
        let hir_element = self.types.hir_type(&element);
        let names = ["x", "y", "z", "w"];
        let fields = (0..count as usize).map(|i| hir::Field {
            name: names[i].to_owned(),
            ty: hir_element.clone(),
            offset: size * i as u64,
        });
        self.types.structs.push(hir::Struct {
            name: name.to_owned(),
            fields: fields.collect(),
            bytes: (size * u64::from(count)).next_multiple_of(u64::from(align)),
            align,
            is_union: false,
            is_vector: true,
        });
        let scope = self.scopes.new_scope(super::ids::FILE);
        self.scopes.scope_mut(scope).class = Some(id);
        let fields = (0..count).map(|_| FieldInfo::public(element.clone().into())).collect();
        self.types.classes.push(ClassInfo {
            fields,
            complete: true,
            parts: count as usize,
            vector: Some((element, count)),
            ..ClassInfo::new(scope)
        });
        self.types.vectors.insert(name.to_owned(), id);
        Some(Ty::Struct(id))
    }

    /// Template arguments as `<16, float>`.
    pub(super) fn spell_arguments(&self, arguments: &[TArg]) -> String {
        let mut text = String::from("<");
        for a in arguments {
            match a {
                TArg::Pack(inner) => inner.iter().for_each(|a| self.add_argument(a, &mut text)),
                one => self.add_argument(one, &mut text),
            }
        }
        text + ">"
    }

    /// Adds an argument to a list that began with `<`.
    fn add_argument(&self, a: &TArg, text: &mut String) {
        if text.len() > 1 {
            text.push_str(", ");
        }
        match a {
            TArg::Value(Const::Int(v, t)) if t.is_signed() => {
                let _ = write!(text, "{v}");
            }
            _ => text.push_str(&self.spell_argument(a)),
        }
    }

    fn spell_argument(&self, a: &TArg) -> String {
        match a {
            TArg::Type(t) => self.types.spell_decl(t),
            TArg::Value(c) | TArg::Typed(c, _) => spell_const(*c),
            TArg::Object(var) => format!("&{}", self.variables.all[var.0 as usize].name),
            TArg::Template(TemplateName::Class(id)) => {
                let name = self.templates.classes[*id].ast.name.as_ref();
                name.map(|p| p.last.name.text.to_string()).unwrap_or_default()
            }
            TArg::Template(TemplateName::Alias(id)) => self.templates.aliases[*id].ast.name.text.to_string(),
            TArg::Pack(_) => self.spell_arguments(std::slice::from_ref(a)),
        }
    }
}

/// A pointer instead of a function or a reference to one.
fn without_functions(t: DeclTy) -> DeclTy {
    match t.q.ty {
        Ty::Callee(at) => Ty::Function(at).into(),
        _ => t,
    }
}

/// A constant as C++ writes it.
pub(super) fn spell_const(c: Const) -> String {
    match c {
        Const::Bool(b) => b.to_string(),
        Const::Int(v, t) if t.is_signed() => v.to_string(),
        Const::Int(v, _) => (v as u64).to_string(),
        Const::Float(v) => format!("{v}f"),
        Const::Double(v) => v.to_string(),
    }
}
