//! The parts of expressions and types, and the names in them.

use crate::ast::{Expr, ExprKind, Initializer, Path, PathPart, TemplateArgument, TypeKind, TypeName};
use crate::word::Word;

/// A part of an expression, a type or a path.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // Named as in the tree.
pub enum Part<'a> {
    Expr(&'a Expr),
    Type(&'a TypeName),
    Path(&'a Path),
    /// What stands behind `.` or `->`.
    Member(&'a PathPart),
    /// The names in the body of a lambda or in a `requires` expression, or one that is no path.
    Words(&'a [Word]),
}

/// Which names [`Part::names`] finds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Each one.
    All,
    /// Those that an expansion of the whole may expand: neither of members nor in an expansion inside it ([temp.variadic]).
    Unexpanded,
}

type Visitor<'v, 'a> = &'v mut dyn FnMut(Part<'a>);

fn exprs<'a>(list: impl IntoIterator<Item = &'a Expr>, f: Visitor<'_, 'a>) {
    list.into_iter().for_each(|e| f(Part::Expr(e)));
}

fn arguments<'a>(part: &'a PathPart, f: Visitor<'_, 'a>) {
    part.arguments.iter().flatten().for_each(|a| match a {
        TemplateArgument::Type(t) => f(Part::Type(t)),
        TemplateArgument::Value(e) => f(Part::Expr(e)),
    });
}

impl Expr {
    /// Calls `f` with each part, in source order.
    pub fn parts<'a>(&'a self, f: Visitor<'_, 'a>) {
        match &self.kind {
            ExprKind::Paren(e)
            | ExprKind::Unary { operand: e, .. }
            | ExprKind::Postfix { operand: e, .. }
            | ExprKind::Noexcept(e)
            | ExprKind::Designated { value: e, .. }
            | ExprKind::Delete { operand: e, .. }
            | ExprKind::SizeofExpr(e)
            | ExprKind::Offsetof(e)
            | ExprKind::PackExpansion(e) => f(Part::Expr(e)),
            ExprKind::CCast { ty, operand, .. } | ExprKind::NamedCast { ty, operand, .. } => {
                f(Part::Type(ty));
                f(Part::Expr(operand));
            }
            ExprKind::Member { base, class, member, .. } => {
                f(Part::Expr(base));
                class.iter().for_each(|class| f(Part::Path(class)));
                f(Part::Member(member));
            }
            ExprKind::MemberPointer { base, pointer, .. } => exprs([&**base, &**pointer], f),
            ExprKind::Binary { sides, .. } | ExprKind::Assign { sides, .. } | ExprKind::Index(sides) => {
                exprs(&sides[..], f);
            }
            ExprKind::Conditional(parts) => exprs(&parts[..], f),
            ExprKind::New(new) => {
                exprs(&new.place, f);
                f(Part::Type(&new.ty));
                exprs(&new.count, f);
                new.initializer.iter().for_each(|i| exprs(i.values(), f));
            }
            ExprKind::Call { callee, arguments } => {
                f(Part::Expr(callee));
                exprs(arguments, f);
            }
            ExprKind::Construct { ty, arguments } | ExprKind::ConstructList { ty, arguments } => {
                f(Part::Type(ty));
                exprs(arguments, f);
            }
            ExprKind::Braces(values) => exprs(values, f),
            ExprKind::Path(path) => f(Part::Path(path)),
            ExprKind::OwnLiteral(literal) => f(Part::Expr(&literal.literal)),
            ExprKind::Trait { types, .. } => types.iter().for_each(|t| f(Part::Type(t))),
            ExprKind::SizeofType(t) | ExprKind::Alignof(t) => f(Part::Type(t)),
            ExprKind::SizeofPack(name) => f(Part::Words(std::slice::from_ref(&name.text))),
            ExprKind::Lambda(lambda) => {
                for (_, name, value) in &lambda.captures {
                    match value {
                        Some(value) => f(Part::Expr(value)),
                        None => f(Part::Words(std::slice::from_ref(&name.text))),
                    }
                }
                lambda.parameters.iter().for_each(|p| f(Part::Type(&p.ty)));
                lambda.result.iter().for_each(|t| f(Part::Type(t)));
                f(Part::Words(&lambda.words));
            }
            ExprKind::Requires(requires) => f(Part::Words(&requires.words)),
            ExprKind::Fold { left, right, .. } => exprs(left.iter().chain(right).map(|e| &**e), f),
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Char(..)
            | ExprKind::Str(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Error => {}
        }
    }
}

impl Initializer {
    /// The values as written.
    pub fn values(&self) -> &[Expr] {
        match self {
            Initializer::Copy(e) => std::slice::from_ref(e),
            Initializer::Direct(values) | Initializer::List(values) => values,
        }
    }
}

impl TypeName {
    /// Calls `f` with each part, in source order.
    pub fn parts<'a>(&'a self, f: Visitor<'_, 'a>) {
        match &self.kind {
            TypeKind::Named(path) => f(Part::Path(path)),
            TypeKind::Auto(concept) | TypeKind::DecltypeAuto(concept) => {
                concept.iter().for_each(|concept| f(Part::Path(concept)));
            }
            TypeKind::Decltype(e) | TypeKind::Typeof(e) => f(Part::Expr(e)),
            TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Pack(to) => {
                f(Part::Type(to))
            }
            TypeKind::Array { of, length } => {
                f(Part::Type(of));
                exprs(length.as_deref(), f);
            }
            TypeKind::Member { class, to, .. } => {
                f(Part::Path(class));
                f(Part::Type(to));
            }
            TypeKind::Function { result, parameters, .. } => {
                f(Part::Type(result));
                parameters.iter().for_each(|p| f(Part::Type(&p.ty)));
            }
            TypeKind::Builtin(_) => {}
        }
    }
}

impl<'a> Part<'a> {
    /// Calls `f` with the names in it.
    pub fn names(self, which: Names, f: &mut dyn FnMut(&'a Word)) {
        let all = which == Names::All;
        match self {
            Part::Expr(Expr { kind: ExprKind::PackExpansion(_) | ExprKind::SizeofPack(_), .. })
            | Part::Expr(Expr { kind: ExprKind::Fold { .. }, .. })
            | Part::Type(TypeName { kind: TypeKind::Pack(_), .. })
                if !all => {}
            Part::Expr(e) => e.parts(&mut |part| part.names(which, f)),
            Part::Type(t) => t.parts(&mut |part| part.names(which, f)),
            Part::Path(path) => {
                for (i, part) in path.qualifiers.iter().chain([&path.last]).enumerate() {
                    if all || i == 0 {
                        f(&part.name.text);
                    }
                    arguments(part, &mut |part| part.names(which, f));
                }
            }
            Part::Member(part) => {
                arguments(part, &mut |part| part.names(which, f));
                if all {
                    f(&part.name.text);
                }
            }
            Part::Words(words) => words.iter().for_each(f),
        }
    }

    /// Whether one of its names is this one.
    pub fn mentions(self, name: &str) -> bool {
        let mut found = false;
        self.names(Names::All, &mut |word| found |= **word == *name);
        found
    }
}
