//! Constraints: whether template arguments satisfy them, and which of two is stricter ([temp.constr]).
//!
//! A constraint is evaluated once all template arguments are known. A failure within an atomic constraint makes it false, as a failed
//! substitution makes a function no candidate. Which of two constraints is stricter does not depend on the arguments: for that, stand-ins
//! take the place of the template's own parameters. Atomic constraints are the same if they are the same text of one concept with the
//! same arguments ([temp.constr.atomic]). Equal constraints are one object, so that concepts which name each other twice stay small.

use super::ids::{FILE, ScopeId};
use super::scopes::{Entry, Found, Symbol};
use super::template::{TArgSource, parameter_name};
use super::ty::{DeclTy, QTy, Ref};
use super::value::Value;
use super::{Checker, TArg};
use crate::check::consteval::Value as ConstValue;
use crate::check::ty::Ty;
use crate::hir::{Const, StructId};
use cuda_syntax::ast::{self, BinaryOp, Expr, ExprKind as E, Requirement, TemplateParameter, TypeKind};
use cuda_syntax::budget::{Budget, Cost};
use source::hash::{Map, Set};
use source::{Code, Diagnostic, Span};
use std::rc::Rc;

/// The first value that stands for a template parameter that is a number; few programs have it.
const STAND_IN: i64 = 1_000_003;

/// A constraint down to what cannot be taken apart.
enum Kind {
    And(Rc<Kind>, Rc<Kind>),
    Or(Rc<Kind>, Rc<Kind>),
    /// A text with the arguments of the concept that it stands in.
    Atom(Rc<[TArg]>),
}

/// A constraint that can be compared with others.
#[derive(Clone)]
pub(super) struct Normal<'a> {
    kind: Rc<Kind>,
    budget: &'a Budget,
}

impl Normal<'_> {
    /// Whether the first constraint subsumes the second.
    pub(super) fn subsumes(a: Option<&Normal>, b: Option<&Normal>) -> bool {
        match (a, b) {
            (_, None) => true,
            (None, _) => false,
            (Some(a), Some(b)) => {
                let search = Search { goal: &b.kind, budget: a.budget };
                search.follows(vec![&a.kind], Vec::new(), Set::default())
            }
        }
    }

    /// Whether the first subsumes the second, and not the other way round.
    pub(super) fn is_stricter(a: Option<&Normal>, b: Option<&Normal>) -> bool {
        Normal::subsumes(a, b) && !Normal::subsumes(b, a)
    }
}

/// The proof that a constraint follows from another one: by cases, one for each alternative of that ([temp.constr.order]).
struct Search<'n> {
    goal: &'n Rc<Kind>,
    budget: &'n Budget,
}

impl<'n> Search<'n> {
    /// Whether the goal holds where all of `open`, `known` and one of each of `alternatives` do. If the budget is spent, the checker's
    /// next charge reports it.
    fn follows(
        &self,
        mut open: Vec<&'n Rc<Kind>>,
        mut alternatives: Vec<[&'n Rc<Kind>; 2]>,
        mut known: Set<*const Kind>,
    ) -> bool {
        while let Some(one) = open.pop() {
            if !self.budget.charge(Cost::Checks, 1) {
                return false;
            }
            if !known.insert(Rc::as_ptr(one)) {
                continue;
            }
            match &**one {
                Kind::And(a, b) => open.extend([a, b]),
                Kind::Or(a, b) => alternatives.push([a, b]),
                Kind::Atom(..) => {}
            }
        }
        if self.holds(self.goal, &known, &mut Map::default()) {
            return true;
        }
        alternatives.retain(|sides| !sides.iter().any(|side| known.contains(&Rc::as_ptr(side))));
        let Some(sides) = alternatives.pop() else { return false };
        sides.into_iter().all(|side| self.follows(vec![side], alternatives.clone(), known.clone()))
    }

    fn holds(&self, one: &Rc<Kind>, known: &Set<*const Kind>, before: &mut Map<*const Kind, bool>) -> bool {
        let key = Rc::as_ptr(one);
        if known.contains(&key) {
            return true;
        }
        if let Some(held) = before.get(&key) {
            return *held;
        }
        let held = self.budget.charge(Cost::Checks, 1)
            && match &**one {
                Kind::And(a, b) => self.holds(a, known, before) && self.holds(b, known, before),
                Kind::Or(a, b) => self.holds(a, known, before) || self.holds(b, known, before),
                Kind::Atom(..) => false,
            };
        before.insert(key, held);
        held
    }
}

/// A concept and its arguments: the stand-ins, and those at hand.
type OfConcept = (usize, Rc<[TArg]>, Rc<[TArg]>);

/// All constraints that were compared, each once.
#[derive(Default)]
pub(super) struct Normals {
    atoms: Map<*const Expr, Vec<Rc<Kind>>>,
    joined: Map<(bool, *const Kind, *const Kind), Rc<Kind>>,
    concepts: Vec<(OfConcept, Rc<Kind>)>,
    /// Classes that stand for types.
    stand_ins: Vec<StructId>,
}

impl Normals {
    fn atom(&mut self, text: &Expr, with: &Rc<[TArg]>) -> Rc<Kind> {
        let known = self.atoms.entry(text).or_default();
        let is_same = |k: &&Rc<Kind>| matches!(&***k, Kind::Atom(w) if w == with);
        if let Some(known) = known.iter().find(is_same) {
            return known.clone();
        }
        let atom = Rc::new(Kind::Atom(with.clone()));
        known.push(atom.clone());
        atom
    }

    fn join(&mut self, both: bool, a: Rc<Kind>, b: Rc<Kind>) -> Rc<Kind> {
        let key = (both, Rc::as_ptr(&a), Rc::as_ptr(&b));
        let join = || Rc::new(if both { Kind::And(a, b) } else { Kind::Or(a, b) });
        self.joined.entry(key).or_insert_with(join).clone()
    }
}

/// Where the parameters of a template or concept are bound: to the stand-ins, and to the arguments at hand.
#[derive(Clone, Copy)]
struct Bound {
    to_stand_ins: ScopeId,
    to_arguments: ScopeId,
}

/// The constraints among template parameters.
pub(super) fn of(template: &[TemplateParameter]) -> impl Iterator<Item = &Expr> {
    template.iter().filter_map(|p| if let TemplateParameter::Constraint(e) = p { Some(e) } else { None })
}

impl<'a> Checker<'a> {
    /// Runs something that may fail; an unsupported thing that it failed at is reported, since it may not have failed elsewhere.
    pub(super) fn tentatively<T>(&mut self, run: impl FnOnce(&mut Checker<'a>) -> T) -> Option<T> {
        let before = self.sink.swap_unsupported(None);
        let (result, clean) = self.quietly(run);
        let unsupported = self.sink.swap_unsupported(before);
        if !clean && let Some(unsupported) = unsupported {
            self.sink.push(unsupported);
        }
        clean.then_some(result)
    }

    /// Whether a constraint is satisfied where it stands.
    pub(super) fn is_satisfied(&mut self, e: &'a Expr) -> bool {
        match &e.kind {
            E::Paren(inner) => self.is_satisfied(inner),
            E::Binary { op: BinaryOp::And, sides, .. } => sides.iter().all(|side| self.is_satisfied(side)),
            E::Binary { op: BinaryOp::Or, sides, .. } => sides.iter().any(|side| self.is_satisfied(side)),
            _ => {
                let value = self.tentatively(|c| {
                    let v = c.constant_expr(e);
                    let ty = v.ty.ty.clone();
                    (c.scalar_constant(v, "a constraint", Code::NotConstant, e.span), ty)
                });
                match value {
                    Some((Some(Const::Bool(b)), _)) => b,
                    Some((Some(_), ty)) => {
                        let title = format!(
                            "a constraint must be `bool`, but this is `{}`",
                            self.types.spell_ty(&ty)
                        );
                        // Wrong for every argument, so no reason to pass over what it constrains.
                        let silent = self.sink.speak();
                        self.sink.wrong(Code::TemplateArgument, title, e.span);
                        self.sink.silence(silent);
                        false
                    }
                    _ => false,
                }
            }
        }
    }

    /// The value of a variable template that is a concept, in the scope of its arguments.
    pub(super) fn concept_value(&mut self, variable: &'a ast::Variable) -> Option<ConstValue> {
        let Some(ast::Initializer::Copy(e)) = &variable.initializer else { return None };
        Some(ConstValue::Scalar(Const::Bool(self.is_satisfied(e))))
    }

    /// `requires (parameters) { … }`.
    pub(super) fn requires(&mut self, r: &'a ast::Requires, span: Span) -> Value {
        let outer = self.scopes.here.scope;
        let scope = self.scopes.new_scope(outer);
        // What is invalid is false only where template arguments may make it so.
        let is_templated = self.scopes.outwards(outer).any(|s| self.scopes.scope(s).is_template);
        let holds = self.unevaluated(|c| {
            let parameters = c.tried(is_templated, |c| {
                let parameters = c.in_scope(scope, |c| c.parameters(&r.parameters, scope));
                c.name_parameters(&parameters, scope);
            });
            parameters.is_some() && r.requirements.iter().all(|one| c.is_met(one, is_templated))
        });
        self.scopes.here.scope = outer;
        self.types.make_bool(holds, span)
    }

    /// Runs something, tentatively or not.
    fn tried<T>(&mut self, tentatively: bool, run: impl FnOnce(&mut Checker<'a>) -> T) -> Option<T> {
        if tentatively { self.tentatively(run) } else { Some(run(self)) }
    }

    fn is_met(&mut self, requirement: &'a Requirement, is_templated: bool) -> bool {
        match requirement {
            Requirement::Nested(e) => self.is_satisfied(e),
            Requirement::Type(t) => {
                self.tried(is_templated, |c| !c.exact_type(t).q.ty.has_error()) == Some(true)
            }
            Requirement::Expr { value, noexcept } => {
                let fits = self.tried(is_templated, |c| {
                    let v = c.expr_or_function(value);
                    let quiet = !*noexcept || !c.noexcept(value, value.span).is_error();
                    !v.is_error() && quiet && !matches!(v.ty.ty, Ty::Error)
                });
                fits == Some(true)
            }
        }
    }

    /// What the constraints of a template come down to; `scope` binds its arguments.
    pub(super) fn normal_form(
        &mut self,
        template: &'a [TemplateParameter],
        scope: ScopeId,
    ) -> Option<Normal<'a>> {
        of(template).next()?;
        let bound = Bound { to_stand_ins: self.stand_ins(template, scope), to_arguments: scope };
        let none: Rc<[TArg]> = Rc::new([]);
        let parts: Vec<_> = of(template).map(|e| self.normal(e, &none, bound)).collect();
        let kind = parts.into_iter().reduce(|a, b| self.normals.join(true, a, b))?;
        Some(Normal { kind, budget: self.sink.budget })
    }

    /// A scope in which the parameters of a template are stand-ins. What stands for a pack is one of its elements; templates, and values
    /// that are no numbers, stand for themselves.
    fn stand_ins(&mut self, template: &'a [TemplateParameter], scope: ScopeId) -> ScopeId {
        let parent = self.scopes.scope(scope).parent.unwrap_or(scope);
        let to = self.scopes.new_scope(parent);
        for (i, p) in template.iter().enumerate() {
            let Some(name) = parameter_name(p) else { continue };
            let Some(at_hand) = self.scopes.scope(scope).names.get(&name.text).map(|e| e.symbol.clone())
            else {
                continue;
            };
            let symbol = match (p, at_hand) {
                (TemplateParameter::Type { .. }, _) => Symbol::Type(Ty::Struct(self.stand_in(i)).into()),
                (_, Symbol::Constant(Const::Int(_, t), ty)) => {
                    Symbol::Constant(Const::Int(STAND_IN + i as i64, t), ty)
                }
                (_, at_hand) => at_hand,
            };
            self.scopes.bind_silently(to, &name.text, symbol, 0, name.span);
        }
        to
    }

    fn stand_in(&mut self, i: usize) -> StructId {
        while self.normals.stand_ins.len() <= i {
            let class = self.new_class("", FILE);
            self.normals.stand_ins.push(class);
        }
        self.normals.stand_ins[i]
    }

    fn normal(&mut self, e: &'a Expr, with: &Rc<[TArg]>, bound: Bound) -> Rc<Kind> {
        if !self.sink.charge(Cost::Checks, 1, e.span) {
            return self.normals.atom(e, with);
        }
        match &e.kind {
            E::Paren(inner) => self.normal(inner, with, bound),
            E::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), sides, .. } => {
                let [a, b] = [0, 1].map(|side| self.normal(&sides[side], with, bound));
                self.normals.join(*op == BinaryOp::And, a, b)
            }
            // All elements of a pack satisfy it: one stands for them.
            E::Fold { op: BinaryOp::And, left: Some(one), right: None }
            | E::Fold { op: BinaryOp::And, left: None, right: Some(one) } => self.normal(one, with, bound),
            E::Path(path) => self.normal_concept(path, bound).unwrap_or_else(|| self.normals.atom(e, with)),
            _ => self.normals.atom(e, with),
        }
    }

    /// What a concept with arguments comes down to.
    fn normal_concept(&mut self, path: &'a ast::Path, bound: Bound) -> Option<Rc<Kind>> {
        let of = |c: &mut Checker<'a>, scope| c.quietly(|c| c.in_scope(scope, |c| c.concept(path, None))).0;
        let at_hand = of(self, bound.to_arguments);
        // An argument such as `typename T::x` says something of the arguments at hand alone.
        let concept = of(self, bound.to_stand_ins).or_else(|| at_hand.clone())?;
        let at_hand = at_hand.unwrap_or_else(|| concept.clone());
        let key = (concept.id, concept.arguments.clone(), at_hand.arguments);
        self.sink.charge_scan(16 * self.normals.concepts.len());
        if let Some((_, known)) = self.normals.concepts.iter().find(|(k, _)| *k == key) {
            return Some(known.clone());
        }
        let inner = Bound { to_stand_ins: concept.scope, to_arguments: at_hand.scope };
        let kind = self.normal(concept.constraint, &concept.arguments, inner);
        self.normals.concepts.push((key, kind.clone()));
        Some(kind)
    }

    /// A concept with its arguments; `first` comes before those that are written.
    fn concept(&mut self, path: &'a ast::Path, first: Option<TArg>) -> Option<Concept<'a>> {
        let Ok(Found::Entry(Entry { symbol: Symbol::VariableTemplate(id), .. })) = self.lookup_path(path)
        else {
            return None;
        };
        let (ast, parent) = (self.templates.variables[id].ast, self.templates.variables[id].scope);
        let Some(ast::Initializer::Copy(constraint)) = &ast.variables.first()?.initializer else {
            return None;
        };
        if !ast.specifiers.concept {
            return None;
        }
        let mut written: Vec<_> = first.into_iter().map(TArgSource::Known).collect();
        written.extend(self.written_arguments(path.last.arguments.as_deref().unwrap_or(&[])));
        let none = super::deduce::Bindings::default();
        let (arguments, scope) = self.template_arguments(&ast.template, parent, &written, &none)?;
        Some(Concept { id, constraint, arguments: arguments.into(), scope })
    }

    /// Reports a placeholder type with a concept that what it stands for does not satisfy ([dcl.type.auto.deduct]).
    pub(super) fn check_placeholder(&mut self, pattern: &'a ast::TypeName, deduced: &DeclTy, span: Span) {
        let Some((path, ty)) = placeholder(pattern, deduced.clone()).filter(|(_, ty)| !ty.q.ty.has_error())
        else {
            return;
        };
        let Some(concept) = self.concept(path, Some(TArg::Type(ty.clone()))) else { return };
        let unsupported = self.sink.swap_unsupported(None);
        let holds = self.in_scope(concept.scope, |c| c.is_satisfied(concept.constraint));
        let is_known = self.sink.swap_unsupported(unsupported).is_none() && !self.sink.body.failed;
        if !holds && is_known {
            let (name, ty) = (&path.last.name.text, self.types.spell_decl(&ty));
            let title = format!("`auto` is `{ty}` here, which does not satisfy `{name}`");
            let d = Diagnostic::new(Code::TemplateArgument, title).label(path.span, "the constraint");
            self.sink.push(d.label(span, format!("this is `{ty}`")));
        }
    }
}

/// A concept with arguments, which are bound in a scope.
#[derive(Clone)]
struct Concept<'a> {
    id: usize,
    constraint: &'a Expr,
    arguments: Rc<[TArg]>,
    scope: ScopeId,
}

/// The concept in a type with a placeholder, and what the placeholder stands for if all of it is `ty`.
fn placeholder(pattern: &ast::TypeName, ty: DeclTy) -> Option<(&ast::Path, DeclTy)> {
    match &pattern.kind {
        TypeKind::DecltypeAuto(concept) => Some((concept.as_deref()?, ty)),
        TypeKind::Auto(concept) => {
            let q = QTy {
                is_const: ty.q.is_const && !pattern.is_const,
                is_volatile: ty.q.is_volatile && !pattern.is_volatile,
                ..ty.q
            };
            Some((concept.as_deref()?, DeclTy { q, ..ty }))
        }
        TypeKind::Reference { to, rvalue } => {
            let reference = ty.reference.filter(|r| *rvalue && *r == Ref::Left);
            placeholder(to, DeclTy { reference, ..ty })
        }
        TypeKind::Pointer { to, .. } => match &ty.q.ty {
            Ty::Pointer(of) => placeholder(to, of.q.clone().into()),
            _ => None,
        },
        _ => None,
    }
}
