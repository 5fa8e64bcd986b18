//! Constraints: whether template arguments satisfy them, and which of two is stricter ([temp.constr]).
//!
//! A constraint is evaluated once all template arguments are known. A failure within an atomic constraint makes it false, as a failed
//! substitution makes a function no candidate. Which of two constraints is stricter is decided for the arguments at hand: atomic
//! constraints are the same if they are the same text of one concept with the same arguments.

use super::ids::ScopeId;
use super::scopes::{Entry, Found, Symbol};
use super::value::Value;
use super::{Checker, TArg};
use crate::check::consteval::Value as ConstValue;
use crate::check::ty::Ty;
use crate::hir::Const;
use cuda_syntax::ast::{self, BinaryOp, Expr, ExprKind as E, Requirement, TemplateParameter};
use cuda_syntax::budget::Cost;
use source::{Code, Diagnostic, Span};
use std::rc::Rc;

/// Steps of a comparison of two constraints, at most.
const MAX_STEPS: u32 = 10_000;

/// A constraint down to what cannot be taken apart.
pub(super) enum Normal {
    And(Box<Normal>, Box<Normal>),
    Or(Box<Normal>, Box<Normal>),
    /// By its text, and the arguments of the concept that it stands in.
    Atom(*const Expr, Rc<[TArg]>),
}

impl Normal {
    /// Whether the first constraint subsumes the second.
    pub(super) fn subsumes(a: Option<&Normal>, b: Option<&Normal>) -> bool {
        match (a, b) {
            (_, None) => true,
            (None, _) => false,
            (Some(a), Some(b)) => b.follows(&mut vec![a], &mut Vec::new(), &mut { MAX_STEPS }),
        }
    }

    /// Whether this holds wherever all of `open` and `atoms` do. It takes apart every combination of alternatives, so after so many steps
    /// the answer is no.
    fn follows<'n>(&self, open: &mut Vec<&'n Normal>, atoms: &mut Vec<&'n Normal>, steps: &mut u32) -> bool {
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        match open.pop() {
            None => self.is_made_of(atoms),
            Some(Normal::And(a, b)) => {
                open.extend([&**a, &**b]);
                self.follows(open, atoms, steps)
            }
            Some(Normal::Or(a, b)) => [a, b].into_iter().all(|side| {
                let mut open = open.clone();
                open.push(side);
                self.follows(&mut open, &mut atoms.clone(), steps)
            }),
            Some(atom @ Normal::Atom(..)) => {
                atoms.push(atom);
                self.follows(open, atoms, steps)
            }
        }
    }

    fn is_made_of(&self, atoms: &[&Normal]) -> bool {
        match self {
            Normal::And(a, b) => a.is_made_of(atoms) && b.is_made_of(atoms),
            Normal::Or(a, b) => a.is_made_of(atoms) || b.is_made_of(atoms),
            Normal::Atom(text, with) => {
                atoms.iter().any(|a| matches!(a, Normal::Atom(t, w) if t == text && w == with))
            }
        }
    }
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
                        self.sink.push(Diagnostic::new(Code::TemplateArgument, title).label(e.span, ""));
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
        self.body.unevaluated += 1;
        let parameters = self.tentatively(|c| {
            let parameters = c.in_scope(scope, |c| c.parameters(&r.parameters, scope));
            c.name_parameters(&parameters, scope);
        });
        let holds = parameters.is_some() && r.requirements.iter().all(|one| self.is_met(one));
        self.body.unevaluated -= 1;
        self.scopes.here.scope = outer;
        self.types.make_bool(holds, span)
    }

    fn is_met(&mut self, requirement: &'a Requirement) -> bool {
        match requirement {
            Requirement::Nested(e) => self.is_satisfied(e),
            Requirement::Type(t) => self.tentatively(|c| !c.exact_type(t).q.ty.has_error()) == Some(true),
            Requirement::Expr { value, noexcept } => {
                let fits = self.tentatively(|c| {
                    let v = c.expr_or_function(value);
                    let quiet = !*noexcept || !c.noexcept(value, value.span).is_error();
                    !v.is_error() && quiet && !matches!(v.ty.ty, Ty::Error)
                });
                fits == Some(true)
            }
        }
    }

    /// What the constraints of a template come down to for the arguments that `scope` binds.
    pub(super) fn normal_form(
        &mut self,
        template: &'a [TemplateParameter],
        scope: ScopeId,
    ) -> Option<Rc<Normal>> {
        let none: Rc<[TArg]> = Rc::new([]);
        let mut all = None;
        for e in of(template) {
            let one = self.in_scope(scope, |c| c.normal(e, &none));
            all = Some(match all {
                None => one,
                Some(before) => Normal::And(Box::new(before), Box::new(one)),
            });
        }
        all.map(Rc::new)
    }

    fn normal(&mut self, e: &'a Expr, with: &Rc<[TArg]>) -> Normal {
        // A concept that names another one twice, which does the same, is exponentially long.
        if !self.sink.charge(Cost::Checks, 1, e.span) {
            return Normal::Atom(e, with.clone());
        }
        match &e.kind {
            E::Paren(inner) => self.normal(inner, with),
            E::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), sides, .. } => {
                let [a, b] = [0, 1].map(|side| Box::new(self.normal(&sides[side], with)));
                if *op == BinaryOp::And { Normal::And(a, b) } else { Normal::Or(a, b) }
            }
            E::Path(path) => {
                let concept = self.quietly(|c| c.concept_scope(path)).0;
                match concept {
                    Some((inner, arguments, scope)) => {
                        let arguments: Rc<[TArg]> = arguments.into();
                        self.in_scope(scope, |c| c.normal(inner, &arguments))
                    }
                    None => Normal::Atom(e, with.clone()),
                }
            }
            _ => Normal::Atom(e, with.clone()),
        }
    }

    /// The constraint of a concept, its arguments, and the scope in which they are bound.
    fn concept_scope(&mut self, path: &'a ast::Path) -> Option<(&'a Expr, Vec<TArg>, ScopeId)> {
        let Ok(Found::Entry(Entry { symbol: Symbol::VariableTemplate(id), .. })) = self.lookup_path(path)
        else {
            return None;
        };
        let (ast, parent) = (self.templates.variables[id].ast, self.templates.variables[id].scope);
        let Some(ast::Initializer::Copy(inner)) = &ast.variables.first()?.initializer else { return None };
        if !ast.specifiers.concept {
            return None;
        }
        let written = self.written_arguments(path.last.arguments.as_deref().unwrap_or(&[]));
        let none = super::deduce::Bindings::default();
        let (arguments, scope) = self.template_arguments(&ast.template, parent, &written, &none)?;
        Some((inner, arguments, scope))
    }
}
