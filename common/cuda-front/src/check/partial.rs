//! Which of two templates is more specialised ([temp.func.order], [temp.class.order]): the one whose types, as written, the other
//! could be deduced from, but not the other way round.
//!
//! Types are compared as the text has them, the template parameters of the one standing for types of their own. From
//! what no argument is deduced (`typename T::type`, `N + 1`) nothing follows either.

use super::template::parameter_name;
use cuda_syntax::Word;
use cuda_syntax::ast::{self, Expr, ExprKind as E, TemplateArgument, TemplateParameter, TypeKind, TypeName};
use std::cmp::Ordering;

/// What a template parameter stands for in the other template.
#[derive(Clone, Copy)]
enum Bound<'t> {
    /// A type, and whether it is `const` and `volatile` beyond what the pattern is.
    Type(&'t TypeName, [bool; 2]),
    Value(&'t Expr),
}

/// One direction of the comparison: the patterns with their parameters, and what these are bound to so far.
struct Match<'t> {
    parameters: &'t [TemplateParameter],
    bound: Vec<(&'t Word, Bound<'t>)>,
}

/// `Less` if the first function template is more specialised, by its parameters up to `count`.
pub(super) fn functions(
    (a, own_a): (&[ast::Parameter], &[TemplateParameter]),
    (b, own_b): (&[ast::Parameter], &[TemplateParameter]),
    count: usize,
) -> Ordering {
    let types = |list: &[ast::Parameter], i: usize| match list.last() {
        Some(last) if i >= list.len() && matches!(last.ty.kind, TypeKind::Pack(_)) => Some(list.len() - 1),
        _ => (i < list.len()).then_some(i),
    };
    let (mut to_b, mut to_a) = (Match::new(own_b), Match::new(own_a));
    let (mut a_fits, mut b_fits) = (true, true);
    for i in 0..count {
        let (Some(x), Some(y)) = (types(a, i), types(b, i)) else { return Ordering::Equal };
        let (x, y) = (&a[x].ty, &b[y].ty);
        let (fits_b, fits_a) = (to_b.parameter(y, x), to_a.parameter(x, y));
        let (over_b, over_a) = by_reference(x, y, fits_b && fits_a);
        a_fits &= fits_b && over_b;
        b_fits &= fits_a && over_a;
    }
    order(a_fits, b_fits)
}

/// The same of two lists of template arguments, those of partial specialisations.
pub(super) fn arguments(
    (a, own_a): (&[TemplateArgument], &[TemplateParameter]),
    (b, own_b): (&[TemplateArgument], &[TemplateParameter]),
) -> Ordering {
    order(Match::new(own_b).arguments(b, a), Match::new(own_a).arguments(a, b))
}

/// The same of two types, those to which conversion functions convert.
pub(super) fn types(
    (a, own_a): (&TypeName, &[TemplateParameter]),
    (b, own_b): (&TypeName, &[TemplateParameter]),
) -> Ordering {
    order(Match::new(own_b).parameter(b, a), Match::new(own_a).parameter(a, b))
}

fn order(a_fits: bool, b_fits: bool) -> Ordering {
    match (a_fits, b_fits) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

/// Of two references that fit each other, `T &` is more specialised than `T &&`, and the more qualified one than the other.
fn by_reference(a: &TypeName, b: &TypeName, both: bool) -> (bool, bool) {
    let (TypeKind::Reference { to: x, rvalue: right_a }, TypeKind::Reference { to: y, rvalue: right_b }) =
        (&a.kind, &b.kind)
    else {
        return (true, true);
    };
    if !both {
        return (true, true);
    }
    if right_a != right_b {
        return (*right_b, *right_a);
    }
    let adds = |x: &TypeName, y: &TypeName| (x.is_const && !y.is_const) || (x.is_volatile && !y.is_volatile);
    (!adds(y, x), !adds(x, y))
}

impl<'t> Match<'t> {
    fn new(parameters: &'t [TemplateParameter]) -> Match<'t> {
        Match { parameters, bound: Vec::new() }
    }

    /// The template parameter that a path is.
    fn named(&self, path: &ast::Path) -> Option<&'t Word> {
        if !path.qualifiers.is_empty() || path.last.arguments.is_some() || path.global {
            return None;
        }
        self.parameter_named(&path.last.name.text)
    }

    fn parameter_named(&self, name: &Word) -> Option<&'t Word> {
        let mut names = self.parameters.iter().filter_map(parameter_name).map(|n| &n.text);
        names.find(|n| *n == name)
    }

    /// A function's parameter: references and top-level qualifiers do not count.
    fn parameter(&mut self, pattern: &'t TypeName, actual: &'t TypeName) -> bool {
        let known = self.bound.len();
        let fits = self.plain_parameter(pattern, actual);
        // Each element of a pack is of its own type.
        if matches!(pattern.kind, TypeKind::Pack(_)) {
            self.bound.truncate(known);
        }
        fits
    }

    fn plain_parameter(&mut self, pattern: &'t TypeName, actual: &'t TypeName) -> bool {
        let (pattern, of_pack) = match &pattern.kind {
            TypeKind::Pack(inner) => (&**inner, true),
            _ => (pattern, false),
        };
        let actual = match &actual.kind {
            TypeKind::Pack(inner) if of_pack => inner,
            TypeKind::Pack(_) => return false,
            _ => actual,
        };
        let object = |t: &'t TypeName| match &t.kind {
            TypeKind::Reference { to, .. } => &**to,
            _ => t,
        };
        let (pattern, actual) = (object(pattern), object(actual));
        match &pattern.kind {
            TypeKind::Named(path) if let Some(name) = self.named(path) => {
                self.bind(name, Bound::Type(actual, [false; 2]))
            }
            TypeKind::Auto(_) => true,
            _ => self.shape(pattern, actual),
        }
    }

    fn bind(&mut self, name: &'t Word, to: Bound<'t>) -> bool {
        let known = self.bound.iter().find(|b| b.0 == name).map(|b| b.1);
        match (known, to) {
            (None, _) => {
                self.bound.push((name, to));
                true
            }
            (Some(Bound::Type(a, x)), Bound::Type(b, y)) => x == y && alike(a, b),
            (Some(Bound::Value(a)), Bound::Value(b)) => same_value(a, b),
            (Some(_), _) => false,
        }
    }

    /// A type within another.
    fn inner(&mut self, pattern: &'t TypeName, actual: &'t TypeName) -> bool {
        let lacks = (pattern.is_const && !actual.is_const) || (pattern.is_volatile && !actual.is_volatile);
        let bare = matches!(&pattern.kind, TypeKind::Named(path) if self.named(path).is_some());
        let adds = (actual.is_const && !pattern.is_const) || (actual.is_volatile && !pattern.is_volatile);
        if lacks || (adds && !bare) {
            return false;
        }
        match &pattern.kind {
            TypeKind::Named(path) if let Some(name) = self.named(path) => self.bind(
                name,
                Bound::Type(
                    actual,
                    [actual.is_const && !pattern.is_const, actual.is_volatile && !pattern.is_volatile],
                ),
            ),
            _ => self.shape(pattern, actual),
        }
    }

    fn shape(&mut self, pattern: &'t TypeName, actual: &'t TypeName) -> bool {
        match (&pattern.kind, &actual.kind) {
            // Nothing is deduced from `typename C<T>::type`.
            (TypeKind::Named(path), _) if !path.qualifiers.is_empty() && self.is_dependent(path) => true,
            (TypeKind::Decltype(_) | TypeKind::Typeof(_), _) => true,
            (TypeKind::Named(a), TypeKind::Named(b)) => {
                let template =
                    a.last.arguments.is_some() && self.parameter_named(&a.last.name.text).is_some();
                (template || a.last.name.text == b.last.name.text)
                    && match (&a.last.arguments, &b.last.arguments) {
                        (Some(x), Some(y)) => self.arguments(x, y),
                        (x, y) => x.is_none() && y.is_none(),
                    }
            }
            (TypeKind::Builtin(a), TypeKind::Builtin(b)) => a == b,
            (TypeKind::Pointer { to: a, .. }, TypeKind::Pointer { to: b, .. }) => self.inner(a, b),
            (TypeKind::Reference { to: a, rvalue: x }, TypeKind::Reference { to: b, rvalue: y }) => {
                x == y && self.inner(a, b)
            }
            (TypeKind::Array { of: a, length: x }, TypeKind::Array { of: b, length: y }) => {
                self.inner(a, b)
                    && match (x, y) {
                        (Some(x), Some(y)) => self.value(x, y),
                        (x, y) => x.is_none() && y.is_none(),
                    }
            }
            (
                TypeKind::Function { result: a, parameters: x, .. },
                TypeKind::Function { result: b, parameters: y, .. },
            ) => self.inner(a, b) && self.function_parameters(x, y),
            (TypeKind::Pack(a), TypeKind::Pack(b)) => self.inner(a, b),
            (TypeKind::Pack(a), _) => self.inner(a, actual),
            (TypeKind::Member { class: a, to: x, .. }, TypeKind::Member { class: b, to: y, .. }) => {
                (self.named(a).is_some() || a.last.name.text == b.last.name.text) && self.inner(x, y)
            }
            (TypeKind::Auto(_) | TypeKind::DecltypeAuto(_), _) => true,
            _ => false,
        }
    }

    fn is_dependent(&self, path: &ast::Path) -> bool {
        path.qualifiers.iter().any(|q| self.parameter_named(&q.name.text).is_some() || q.arguments.is_some())
    }

    fn function_parameters(&mut self, a: &'t [ast::Parameter], b: &'t [ast::Parameter]) -> bool {
        let pack = a.last().filter(|p| matches!(p.ty.kind, TypeKind::Pack(_)));
        let plain = a.len() - usize::from(pack.is_some());
        (a.len() == b.len() || (pack.is_some() && b.len() >= plain))
            && a.iter().zip(b).all(|(x, y)| self.inner(&x.ty, &y.ty))
    }

    fn arguments(&mut self, patterns: &'t [TemplateArgument], actual: &'t [TemplateArgument]) -> bool {
        for (i, pattern) in patterns.iter().enumerate() {
            let is_pack = |a: &TemplateArgument| match a {
                TemplateArgument::Type(t) => matches!(t.kind, TypeKind::Pack(_)),
                TemplateArgument::Value(e) => matches!(e.kind, E::PackExpansion(_)),
            };
            if is_pack(pattern) {
                return true;
            }
            // What is left out is the template's default: a parameter fits it.
            let Some(a) = actual.get(i) else { return self.names_parameter(pattern) };
            if is_pack(a) {
                return false;
            }
            let fits = match (pattern, a) {
                (TemplateArgument::Type(x), TemplateArgument::Type(y)) => self.inner(x, y),
                (TemplateArgument::Value(x), TemplateArgument::Value(y)) => self.value(x, y),
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        patterns.len() == actual.len()
    }

    fn names_parameter(&self, pattern: &TemplateArgument) -> bool {
        match pattern {
            TemplateArgument::Type(TypeName { kind: TypeKind::Named(path), .. }) => {
                self.named(path).is_some()
            }
            TemplateArgument::Value(Expr { kind: E::Path(path), .. }) => self.named(path).is_some(),
            _ => false,
        }
    }

    fn value(&mut self, pattern: &'t Expr, actual: &'t Expr) -> bool {
        match &pattern.kind {
            E::Path(path) if let Some(name) = self.named(path) => self.bind(name, Bound::Value(actual)),
            E::Path(_) | E::Int { .. } | E::Bool(_) | E::Char(..) | E::Paren(_) | E::Unary { .. } => {
                same_value(pattern, actual)
            }
            _ => true,
        }
    }
}

/// Whether two types are written alike, their own qualifiers aside.
fn alike(a: &TypeName, b: &TypeName) -> bool {
    std::ptr::eq(a, b) || Match::new(&[]).shape(a, b)
}

fn same_value(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (E::Paren(a), _) => same_value(a, b),
        (_, E::Paren(b)) => same_value(a, b),
        (E::Path(a), E::Path(b)) => a.last.name.text == b.last.name.text,
        (E::Unary { op: x, operand: a }, E::Unary { op: y, operand: b }) => x == y && same_value(a, b),
        (E::Int { value: a, .. }, E::Int { value: b, .. }) => a == b,
        (E::Bool(a), E::Bool(b)) => a == b,
        (E::Char(a, s), E::Char(b, t)) => (a, s) == (b, t),
        _ => false,
    }
}
