//! Deduction of template arguments from call arguments.

use super::declare::mentions_expression;
use super::scopes::{Found, Symbol};
use super::template::{is_pack, parameter_name};
use super::ty::{DeclTy, QTy, Ref, Ty};
use super::value::Value;
use super::{Checker, FuncIdx, Source, TArg};
use crate::hir::{Const, IntType};
use cuda_syntax::ast::{self, ExprKind, TemplateArgument, TemplateParameter, TypeKind, TypeName};
use cuda_syntax::parts::Part;
use cuda_syntax::{Key, Table, Word};

pub(super) type Bindings = Table<TArg>;

/// The template parameter that a path names by itself.
fn parameter<'p>(path: &ast::Path, template: &'p [TemplateParameter]) -> Option<&'p TemplateParameter> {
    if !path.qualifiers.is_empty() || path.last.arguments.is_some() || path.global {
        return None;
    }
    template.iter().find(|p| parameter_name(p).is_some_and(|n| n.text == path.last.name.text))
}

/// Whether one of these template parameters is named.
pub(super) fn mentions_any(part: Part<'_>, template: &[TemplateParameter]) -> bool {
    template.iter().any(|p| parameter_name(p).is_some_and(|n| part.mentions(&n.text)))
}

/// What is deduced of a template's arguments.
#[derive(Clone)]
pub(super) struct Deduction<'a> {
    template: &'a [TemplateParameter],
    /// By the names of the parameters.
    pub(super) bindings: Bindings,
}

impl<'a> Deduction<'a> {
    /// Nothing so far, of these parameters.
    pub(super) fn of(template: &'a [TemplateParameter]) -> Deduction<'a> {
        Deduction { template, bindings: Bindings::default() }
    }

    /// Whether the parameter may mean this, too.
    fn bind<K: Key + ?Sized>(&mut self, name: &K, a: TArg) -> bool {
        match self.bindings.get(name) {
            Some(TArg::Value(Const::Int(old, _))) if matches!(a, TArg::Value(Const::Int(new, _)) if new == *old) => {
                true
            }
            Some(old) => *old == a,
            None => {
                self.bindings.insert(name, a);
                true
            }
        }
    }
}

/// Whether what is before `::` depends on one of the template's parameters.
fn is_member_of_any(path: &ast::Path, template: &[TemplateParameter]) -> bool {
    path.qualifiers.iter().any(|q| mentions_any(Part::Member(q), template))
}

impl<'a> Checker<'a> {
    /// Matches call arguments with parameters as written. False if a template argument would have two meanings.
    pub(super) fn deduce(
        &mut self,
        parameters: &'a [ast::Parameter],
        arguments: &[Value],
        into: &mut Deduction<'a>,
    ) -> bool {
        for (i, p) in parameters.iter().enumerate() {
            if let TypeKind::Pack(inner) = &p.ty.kind {
                return self.deduce_pack(inner, arguments.get(i..).unwrap_or(&[]), into);
            }
            let Some(a) = arguments.get(i) else { break };
            // Nothing is deduced from `I<sizeof(a)>` of an earlier parameter; it is compared when all else is known.
            let names =
                |q: &ast::Parameter| q.name.as_ref().is_some_and(|n| Part::Type(&p.ty).mentions(&n.text));
            let is_dependent = mentions_expression(&p.ty) && parameters[..i].iter().any(names);
            if (!is_dependent || mentions_any(Part::Type(&p.ty), into.template))
                && !self.deduce_one(&p.ty, a, into)
            {
                return false;
            }
        }
        true
    }

    /// The function's own pack parameter: one binding a call argument.
    fn deduce_pack(&mut self, pattern: &'a TypeName, arguments: &[Value], into: &mut Deduction<'a>) -> bool {
        self.for_pack(pattern, into, arguments.len(), |c, i, one| c.deduce_one(pattern, &arguments[i], one))
    }

    /// Matches the pattern of a pack with each of `count` elements, which bind the packs that it names one by one.
    fn for_pack(
        &mut self,
        pattern: &TypeName,
        into: &mut Deduction<'a>,
        count: usize,
        mut fits: impl FnMut(&mut Checker<'a>, usize, &mut Deduction<'a>) -> bool,
    ) -> bool {
        let named = into.template.iter().filter_map(|p| Some((&parameter_name(p)?.text, is_pack(p))));
        let named: Vec<(&Word, bool)> =
            named.filter(|(name, _)| Part::Type(pattern).mentions(name)).collect();
        let mut packs = vec![Vec::new(); named.len()];
        for i in 0..count {
            let mut one = Deduction::of(into.template);
            if !fits(self, i, &mut one) {
                return false;
            }
            for ((name, is_pack), items) in named.iter().zip(&mut packs) {
                let Some(found) = one.bindings.remove(*name) else { continue };
                if *is_pack {
                    items.push(found);
                } else if !into.bind(*name, found) {
                    return false;
                }
            }
        }
        named
            .iter()
            .zip(packs)
            .all(|((name, is_pack), items)| !is_pack || into.bind(*name, TArg::Pack(items)))
    }

    /// Matches the pattern of a pack with the types or templates that are left.
    fn unify_pack(&mut self, pattern: &'a TypeName, rest: &[TArg], into: &mut Deduction<'a>) -> bool {
        match &pattern.kind {
            TypeKind::Named(path) if parameter(path, into.template).is_some() && !pattern.is_const => {
                into.bind(&path.last.name.text, TArg::Pack(rest.to_vec()))
            }
            _ => self.for_pack(pattern, into, rest.len(), |c, i, one| {
                c.unify_type(pattern, &rest[i], one).unwrap_or(true)
            }),
        }
    }

    pub(super) fn deduce_one(&mut self, pattern: &'a TypeName, a: &Value, into: &mut Deduction<'a>) -> bool {
        if let Ty::Braces(list) = a.ty.ty {
            return self.deduce_list(pattern, list, into);
        }
        if let Ty::Overloads(n) = a.ty.ty {
            return self.deduce_overloads(pattern, n, into);
        }
        if a.is_error() {
            return true;
        }
        let TypeKind::Reference { to, rvalue } = &pattern.kind else {
            let array_pointer = match &pattern.kind {
                // A parameter of array type is a pointer.
                TypeKind::Array { of, .. } => {
                    let Ty::Pointer(q) = Ty::decayed(&a.ty) else { return true };
                    return self.unify(of, &q, into);
                }
                _ => QTy::plain(Ty::decayed(&a.ty)),
            };
            return self.unify(pattern, &array_pointer, into);
        };
        let actual = if a.is_object() { a.ty.clone() } else { QTy::plain(a.ty.ty.clone()) };
        // `T &&` of a template parameter: an lvalue makes `T` a reference.
        let bare = match &to.kind {
            TypeKind::Named(path) => parameter(path, into.template),
            _ => None,
        };
        // A function is bound by reference, and no pointer to it.
        if let (Ty::Function(at), false, false) = (&a.ty.ty, *rvalue, a.is_place()) {
            return self.unify(to, &QTy::plain(Ty::Callee(*at)), into);
        }
        if let (true, Some(name)) = (*rvalue && !to.is_const, bare.and_then(parameter_name))
            && a.is_left()
        {
            let t = DeclTy { q: actual, reference: Some(Ref::Left) };
            return into.bind(&name.text, TArg::Type(t));
        }
        self.unify(to, &actual, into)
    }

    /// A braced list says what a `std::initializer_list<P>` is of, by each of its elements, and nothing else
    /// ([temp.deduct.call]).
    fn deduce_list(&mut self, pattern: &'a TypeName, list: u32, into: &mut Deduction<'a>) -> bool {
        let pattern = match &pattern.kind {
            TypeKind::Reference { to, .. } => to,
            _ => pattern,
        };
        let TypeKind::Named(path) = &pattern.kind else { return true };
        let Some([TemplateArgument::Type(of)]) = path.last.arguments.as_deref() else { return true };
        if !self.is_list_template(pattern) {
            return true;
        }
        let Some(values) = self.list_values(self.lists[list as usize]) else { return false };
        values.iter().all(|v| self.deduce_one(of, v, into))
    }

    /// Matches a type as written with a type. Where nothing can be deduced it fits: conversions are looked at later.
    pub(super) fn unify(&mut self, pattern: &'a TypeName, actual: &QTy, into: &mut Deduction<'a>) -> bool {
        let mut actual = actual.clone();
        actual.is_const &= !pattern.is_const;
        actual.is_volatile &= !pattern.is_volatile;
        match (&pattern.kind, &actual.ty) {
            (TypeKind::Named(path), _) if is_member_of_any(path, into.template) => true,
            (TypeKind::Named(path), _) if parameter(path, into.template).is_some() => {
                into.bind(&path.last.name.text, TArg::Type(actual.into()))
            }
            (TypeKind::Named(path), _) if let Some((id, patterns)) = self.named_alias(path) => {
                self.unify_alias(id, patterns, &actual, into)
            }
            (TypeKind::Named(path), Ty::Struct(s)) => self.unify_class(path, *s, into),
            (TypeKind::Function { qualified: true, .. }, _) => false,
            (TypeKind::Function { result, parameters, .. }, Ty::Function(at) | Ty::Callee(at)) => {
                let f = &self.types.function_types[*at as usize];
                let (wanted, types) = (f.result.clone(), f.parameters.clone());
                let result = self.unify_type(result, &TArg::Type(wanted), into);
                result.unwrap_or(true) && self.unify_parameters(parameters, &types, into)
            }
            (TypeKind::Function { .. }, _) => !mentions_any(Part::Type(pattern), into.template),
            (TypeKind::Pointer { to, .. }, Ty::Function(at)) => {
                self.unify(to, &QTy::plain(Ty::Callee(*at)), into)
            }
            (TypeKind::Pointer { to, .. }, Ty::Pointer(q)) => {
                let q = (**q).clone();
                self.unify(to, &q, into)
            }
            (TypeKind::Array { of, length }, Ty::Array(element, n)) => {
                if let Some(length) = length
                    && let ExprKind::Path(path) = &length.kind
                    && parameter(path, into.template).is_some()
                    && !into
                        .bind(&path.last.name.text, TArg::Value(Const::Int(*n as i64, IntType::UnsignedLong)))
                {
                    return false;
                }
                let element = QTy { ty: (**element).clone(), ..actual.clone() };
                self.unify(of, &element, into)
            }
            (TypeKind::Pointer { to, .. }, _) => !mentions_any(Part::Type(to), into.template),
            (TypeKind::Array { of, .. }, _) => !mentions_any(Part::Type(of), into.template),
            (TypeKind::Reference { to, .. }, _) => self.unify(to, &actual, into),
            _ => true,
        }
    }

    /// Matches the parameters of a type of functions.
    fn unify_parameters(
        &mut self,
        patterns: &'a [ast::Parameter],
        types: &[DeclTy],
        into: &mut Deduction<'a>,
    ) -> bool {
        let types: Vec<TArg> = types.iter().cloned().map(TArg::Type).collect();
        for (i, p) in patterns.iter().enumerate() {
            if let TypeKind::Pack(inner) = &p.ty.kind {
                return self.unify_pack(inner, types.get(i..).unwrap_or(&[]), into);
            }
            let Some(a) = types.get(i) else { return false };
            if !self.unify_type(&p.ty, a, into).unwrap_or(true) {
                return false;
            }
        }
        patterns.len() == types.len()
    }

    /// Matches `C<…>` with a class.
    fn unify_class(
        &mut self,
        path: &'a ast::Path,
        s: crate::hir::StructId,
        into: &mut Deduction<'a>,
    ) -> bool {
        let Some(patterns) = path.last.arguments.as_deref() else { return true };
        let by_name = |p: &&TemplateParameter| matches!(p, TemplateParameter::Template { name: Some(n), .. } if n.text == path.last.name.text);
        if path.qualifiers.is_empty() && into.template.iter().any(|p| by_name(&p)) {
            let Some((id, arguments)) = self.types.class(s).template.clone() else { return false };
            let name = TArg::Template(super::ids::TemplateName::Class(id));
            return into.bind(&path.last.name.text, name) && self.unify_arguments(patterns, &arguments, into);
        }
        let id = match self.lookup_path(path) {
            Ok(Found::Entry(super::scopes::Entry { symbol: Symbol::ClassTemplate(id), .. })) => id,
            _ => return true,
        };
        // A class derived from an instance fits too.
        let mut at = Some(s);
        while let Some(class) = at {
            if let Some((t, arguments)) = self.types.class(class).template.clone()
                && t == id
            {
                return self.unify_with_defaults(id, patterns, &arguments, into);
            }
            at = self.types.class(class).bases.first().copied();
        }
        false
    }

    /// Matches `A<…>` of an alias template with a type: what the alias's own parameters mean is matched with the arguments.
    fn unify_alias(
        &mut self,
        id: usize,
        patterns: &'a [TemplateArgument],
        actual: &QTy,
        into: &mut Deduction<'a>,
    ) -> bool {
        let (alias, scope) = (self.templates.aliases[id].ast, self.templates.aliases[id].scope);
        let mut own = Deduction::of(&alias.template);
        // No type of functions is `const`.
        if alias.ty.is_const && matches!(actual.ty, Ty::Callee(_)) {
            return false;
        }
        if !self.in_scope(scope, |c| c.unify(&alias.ty, actual, &mut own)) {
            return false;
        }
        let meant = |p: &TemplateParameter| own.bindings.get(&parameter_name(p)?.text).cloned();
        if let Some(arguments) = alias.template.iter().map(meant).collect::<Option<Vec<_>>>() {
            return self.unify_arguments(patterns, &arguments, into);
        }
        // Nothing is deduced through a member of a class, or for a parameter that the alias does not use.
        let known = patterns.iter().zip(&alias.template).filter(|(_, p)| !is_pack(p));
        let known: Vec<_> = known.filter_map(|(pattern, p)| Some((pattern, meant(p)?))).collect();
        known.iter().all(|(pattern, argument)| self.unify_argument(pattern, argument, into))
    }

    /// The alias template of which a path names an instance.
    fn named_alias(&mut self, path: &'a ast::Path) -> Option<(usize, &'a [TemplateArgument])> {
        let arguments = path.last.arguments.as_deref()?;
        match self.lookup_path(path) {
            Ok(Found::Entry(super::scopes::Entry { symbol: Symbol::AliasTemplate(id), .. })) => {
                Some((id, arguments))
            }
            _ => None,
        }
    }

    /// Matches `C<…>` as written with an instance's arguments; what is left out must be what the template has there.
    pub(super) fn unify_with_defaults(
        &mut self,
        id: usize,
        patterns: &'a [TemplateArgument],
        arguments: &[TArg],
        into: &mut Deduction<'a>,
    ) -> bool {
        let pack = patterns.iter().any(|p| match p {
            TemplateArgument::Type(t) => matches!(t.kind, TypeKind::Pack(_)),
            TemplateArgument::Value(e) => matches!(e.kind, ExprKind::PackExpansion(_)),
        });
        let Some((given, rest)) = arguments.split_at_checked(patterns.len()) else {
            return self.unify_arguments(patterns, arguments, into);
        };
        let plain = !arguments.iter().any(|a| matches!(a, TArg::Pack(_)));
        if rest.is_empty() || pack || !plain {
            return self.unify_arguments(patterns, arguments, into);
        }
        let (own, parent) = (self.templates.classes[id].ast, self.templates.classes[id].scope);
        let known: Vec<_> = given.iter().cloned().map(super::template::TArgSource::Known).collect();
        let (all, clean) =
            self.quietly(|c| c.template_arguments(&own.template, parent, &known, &Bindings::default()));
        clean && all.is_some_and(|(all, _)| all == arguments) && self.unify_arguments(patterns, given, into)
    }

    /// Matches all template arguments as written with arguments; a pack at the end takes the rest.
    pub(super) fn unify_arguments(
        &mut self,
        patterns: &'a [TemplateArgument],
        arguments: &[TArg],
        into: &mut Deduction<'a>,
    ) -> bool {
        let flat = super::template::flattened(arguments);
        for (i, pattern) in patterns.iter().enumerate() {
            let rest = flat.get(i..).unwrap_or(&[]);
            match pattern {
                TemplateArgument::Type(TypeName { kind: TypeKind::Pack(inner), .. }) => {
                    return self.unify_pack(inner, rest, into);
                }
                TemplateArgument::Value(ast::Expr { kind: ExprKind::PackExpansion(inner), .. }) => {
                    let ExprKind::Path(path) = &inner.kind else { return true };
                    return into.bind(&path.last.name.text, TArg::Pack(rest.to_vec()));
                }
                _ => {}
            }
            let Some(a) = flat.get(i) else { return false };
            if !self.unify_argument(pattern, a, into) {
                return false;
            }
        }
        patterns.len() == flat.len()
    }

    /// Matches a template argument as written with an argument. Here the rest must be equal too.
    pub(super) fn unify_argument(
        &mut self,
        pattern: &'a TemplateArgument,
        actual: &TArg,
        into: &mut Deduction<'a>,
    ) -> bool {
        match pattern {
            TemplateArgument::Type(t) if let Some(fits) = self.unify_type(t, actual, into) => fits,
            TemplateArgument::Value(ast::Expr { kind: ExprKind::Path(path), .. })
                if parameter(path, into.template).is_some() =>
            {
                into.bind(&path.last.name.text, actual.clone())
            }
            // Nothing is deduced from `N + 1`; it is compared when all else is known.
            TemplateArgument::Value(e) if mentions_any(Part::Expr(e), into.template) => true,
            _ => {
                let (found, clean) = self.quietly(|c| {
                    let value = match actual {
                        TArg::Value(v) => Some(super::template::const_ty(*v)),
                        _ => None,
                    };
                    c.template_argument(pattern, value.as_ref())
                });
                clean && found.as_ref() == Some(actual)
            }
        }
    }

    /// Matches a type as written with an argument; `None` if it names no template parameter.
    fn unify_type(&mut self, t: &'a TypeName, actual: &TArg, into: &mut Deduction<'a>) -> Option<bool> {
        if !mentions_any(Part::Type(t), into.template) {
            return None;
        }
        Some(match (&t.kind, actual) {
            (TypeKind::Named(path), _)
                if parameter(path, into.template).is_some() && !t.is_const && !t.is_volatile =>
            {
                into.bind(&path.last.name.text, actual.clone())
            }
            // Nothing is deduced from `typename X<T>::type`; it is compared when all else is known.
            (TypeKind::Named(path), _) if is_member_of_any(path, into.template) => true,
            (TypeKind::Decltype(_) | TypeKind::Typeof(_), _) => true,
            (kind, TArg::Type(a)) => {
                let fits = match (kind, &a.q.ty) {
                    (TypeKind::Pointer { .. }, x) => x.is_pointer() || matches!(x, Ty::Function(_)),
                    // No supported type is so qualified.
                    (TypeKind::Function { qualified: true, .. }, _) => false,
                    (TypeKind::Function { .. }, x) => matches!(x, Ty::Callee(_)) && a.reference.is_none(),
                    (TypeKind::Member { .. }, _) => false,
                    (TypeKind::Reference { .. }, _) => a.reference.is_some(),
                    (TypeKind::Array { .. }, x) => matches!(x, Ty::Array(..)),
                    _ => (!t.is_const || a.q.is_const) && (!t.is_volatile || a.q.is_volatile),
                };
                fits && self.unify(t, &a.q, into)
            }
            _ => false,
        })
    }

    /// The arguments for which a specialisation of so many parameters stands.
    pub(super) fn specialized_arguments(
        &mut self,
        template: FuncIdx,
        count: usize,
        f: &'a ast::Function,
    ) -> Option<Vec<TArg>> {
        let (found, clean) = self.quietly(|c| c.specialized_arguments_of(template, f));
        let arguments = found.filter(|_| clean)?;
        let Source::Function(ast) = self.functions.func(template).source else { return None };
        (ast.parameters.len() == count).then_some(arguments)
    }

    /// The template arguments that a declaration such as `f<16>(float *)` or `f(float *)` means.
    pub(super) fn specialized_arguments_of(
        &mut self,
        template: FuncIdx,
        f: &'a ast::Function,
    ) -> Option<Vec<TArg>> {
        let Source::Function(ast) = self.functions.func(template).source else { return None };
        let pack = match ast.parameters.last().map(|p| &p.ty.kind) {
            Some(TypeKind::Pack(inner)) => Some(&**inner),
            _ => None,
        };
        let fixed = ast.parameters.len() - usize::from(pack.is_some());
        let (given, rest) = f.parameters.split_at_checked(fixed)?;
        if pack.is_none() && !rest.is_empty() {
            return None;
        }
        let written = f.name.last.arguments.as_deref().unwrap_or(&[]);
        let sources = self.written_arguments(written);
        let mut found = Deduction::of(&ast.template);
        for (pattern, actual) in ast.parameters.iter().zip(given) {
            let actual = self.parameter_type(&actual.ty);
            let pattern = match (&pattern.ty.kind, actual.reference) {
                (TypeKind::Reference { to, .. }, Some(_)) => to,
                (TypeKind::Reference { .. }, None) | (_, Some(_)) => return None,
                (TypeKind::Array { .. }, None) => continue,
                _ => &pattern.ty,
            };
            if !self.unify(pattern, &actual.q, &mut found) {
                return None;
            }
        }
        if let Some(pattern) = pack {
            let types: Vec<_> = rest.iter().map(|p| TArg::Type(self.parameter_type(&p.ty))).collect();
            if !self.unify_pack(pattern, &types, &mut found) {
                return None;
            }
        }
        // `template <> int f(float)` of `template <class R> R f(float)`.
        if let (Some(pattern), Some(actual)) = (&ast.result, &f.result)
            && !matches!(pattern.kind, TypeKind::Auto(_) | TypeKind::Reference { .. })
            && written.is_empty()
        {
            let actual = self.decl_type(actual);
            let fits = self.unify(pattern, &actual.q, &mut found);
            if !fits && actual.reference.is_none() {
                return None;
            }
        }
        let (parent, own) = (self.functions.func(template).scope, self.functions.own_template(template));
        self.template_arguments(own, parent, &sources, &found.bindings).map(|found| found.0)
    }
}
