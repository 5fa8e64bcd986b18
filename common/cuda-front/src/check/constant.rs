//! What must be a constant: evaluating it, and saying why it is none.

use super::consteval::{Evaluator, Failure, Known, Value as ConstValue};
use super::construct::Tree;
use super::conversion::Init;
use super::scopes::Symbol;
use super::ty::{QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, Source};
use crate::hir::{Const, Expr, ExprKind, FunctionId, GlobalId, IntType, LocalId};
use cuda_syntax::ast;
use cuda_syntax::budget::{Cost, refusal};
use source::{Code, Diagnostic, Span};

/// Why an expression is not a constant, and where.
pub(super) struct NotConstant {
    pub(super) span: Span,
    pub(super) why: String,
    /// Whether it is one all the same, by what `why` names.
    pub(super) is_unsupported: bool,
}

impl<'a> Checker<'a> {
    /// The value of a typed expression.
    pub(super) fn evaluate(&mut self, e: &Expr) -> Result<ConstValue, NotConstant> {
        match e.kind {
            ExprKind::Const(c) => Ok(ConstValue::Scalar(c)),
            _ => self.evaluate_with(|evaluator| evaluator.constant(e)),
        }
    }

    /// The value of what a variable of a type begins with.
    pub(super) fn tree_constant(&mut self, tree: &Tree, ty: &Ty) -> Result<ConstValue, NotConstant> {
        let aggregate = matches!(ty, Ty::Array(..) | Ty::Struct(_));
        if let (Tree::Leaf(e), false) = (tree, aggregate) {
            return self.evaluate(e);
        }
        let mut leaves = Vec::new();
        self.flatten(tree, ty, 0, &mut leaves);
        let ty = self.types.hir_type(ty);
        self.evaluate_with(|evaluator| {
            if aggregate {
                evaluator.object(&ty, &leaves)
            } else {
                match leaves.first() {
                    Some((_, e)) => evaluator.constant(e),
                    None => Ok(evaluator.zero(&ty)),
                }
            }
        })
    }

    /// Runs an evaluation, again whenever the body of a function that it calls had to be checked first.
    pub(super) fn evaluate_with<T>(
        &mut self,
        mut run: impl FnMut(&mut Evaluator) -> Result<T, Failure>,
    ) -> Result<T, NotConstant> {
        for _ in 0..64 {
            let result = {
                let globals = |id: GlobalId| {
                    let var = &self.variables.all[self.variables.by_global.get(&id)?.0 as usize];
                    let is_const = var.q.is_const || var.kind == super::VarKind::HostConstant;
                    var.value.as_ref().filter(|_| is_const)
                };
                // Temporaries are made in the order of their numbers.
                let locals = |id: LocalId| match self.body.temporaries.binary_search_by_key(&id.0, |t| t.0) {
                    Ok(_) => Some(Known::Zero(&self.body.locals[id.0 as usize].ty)),
                    Err(_) => {
                        let info = self.body.infos.get(id.0 as usize)?;
                        match &info.constant {
                            None if self.types.is_empty_class(&info.q.ty) => {
                                Some(Known::Zero(&self.body.locals[id.0 as usize].ty))
                            }
                            constant => constant.as_ref().map(Known::Constant),
                        }
                    }
                };
                let may_call = |id: FunctionId| match self
                    .functions
                    .func(self.functions.instances[id.0 as usize].func)
                    .source
                {
                    Source::Lambda(_) => true,
                    Source::Function(f) => {
                        let implicit = matches!(f.body, ast::FunctionBody::Defaulted);
                        f.specifiers.constexpr || implicit || f.name.last.name.text.starts_with('~')
                    }
                };
                let (structs, bodies) = (&self.types.structs, &self.functions.bodies);
                run(&mut Evaluator::new(structs, bodies, &globals, &locals, &may_call, self.sink.budget))
            };
            if self.sink.budget.is_exceeded(Cost::Evaluation) {
                let span = match &result {
                    Err(Failure::Not(span, _)) => *span,
                    _ => Span::default(),
                };
                self.sink.stop(refusal(Cost::Evaluation, span));
            }
            match result {
                Ok(v) => return Ok(v),
                Err(Failure::Not(span, why)) => return Err(NotConstant { span, why, is_unsupported: false }),
                Err(Failure::Unsupported(span, why)) => {
                    return Err(NotConstant { span, why, is_unsupported: true });
                }
                Err(Failure::Needs(function)) => {
                    if !self.ensure_checked(function) {
                        let name = self.functions.instances[function.0 as usize].name.clone();
                        return Err(NotConstant {
                            span: self
                                .functions
                                .func(self.functions.instances[function.0 as usize].func)
                                .span,
                            why: format!("`{name}` cannot be evaluated here"),
                            is_unsupported: false,
                        });
                    }
                }
            }
        }
        Err(NotConstant {
            span: Span::default(),
            why: "too many functions are involved".into(),
            is_unsupported: false,
        })
    }

    /// The scalar that a name stands for: an enumerator, a template argument, or a variable whose value is known.
    pub(super) fn named_constant(&self, symbol: &Symbol) -> Option<Const> {
        match symbol {
            Symbol::Constant(c, _) => Some(*c),
            Symbol::Var(var) => match self.variables.all[var.0 as usize].value {
                Some(ConstValue::Scalar(c)) => Some(c),
                _ => None,
            },
            _ => None,
        }
    }

    /// Checks an expression in a place where the language asks for a constant.
    pub(super) fn constant_expr(&mut self, e: &'a ast::Expr) -> Value {
        self.in_constant(|c| {
            let v = c.expr_or_function(e);
            c.rvalue(v)
        })
    }

    /// A constant of a scalar type.
    pub(super) fn constant(&mut self, e: &'a ast::Expr, to: &Ty, what: &str, code: Code) -> Option<Const> {
        let init = if *to == Ty::Bool { Init::Direct } else { Init::Copy };
        let v = self.in_constant(|c| {
            let v = c.expr_or_function(e);
            c.convert_by(v, &QTy::plain(to.clone()), what, init)
        });
        if v.is_error() {
            return None;
        }
        self.scalar_constant(v, what, code, e.span)
    }

    /// The scalar that a checked value is.
    pub(super) fn scalar_constant(&mut self, v: Value, what: &str, code: Code, span: Span) -> Option<Const> {
        if let Some(c) = v.constant() {
            return Some(c);
        }
        let is_wide = v.ty.ty.is_wide();
        let Node::Rvalue(expr) = &v.node else { return None };
        match self.evaluate(expr) {
            Ok(ConstValue::Scalar(c)) => Some(c),
            Ok(value) => {
                // An object may be a template argument, and any number of 128 bits a constant, but they are not here.
                let is_argument = what.ends_with("template argument");
                if let (Some(c), false) = (narrow_constant(&value, &v.ty.ty), is_argument) {
                    return Some(c);
                }
                let is_unsupported = is_argument || is_wide;
                let why = match () {
                    () if is_wide => "an integer of 128 bits here",
                    () if is_argument => "an object as a template argument",
                    () => "this is not a number",
                };
                let e = NotConstant { span, why: why.into(), is_unsupported };
                self.not_constant(e, what, code, span);
                None
            }
            Err(e) => {
                self.not_constant(e, what, code, span);
                None
            }
        }
    }

    /// A constant of any integer or enumeration type, at most the largest `long`.
    pub(super) fn integer_constant(&mut self, e: &'a ast::Expr, what: &str, code: Code) -> Option<i64> {
        match self.integral_constant(e, what, code)? {
            Const::Int(v, t) if t.is_signed() || v >= 0 => Some(v),
            Const::Int(..) => Some(i64::MAX),
            Const::Bool(b) => Some(i64::from(b)),
            Const::Float(_) | Const::Double(_) => None,
        }
    }

    /// A constant of any integer or enumeration type.
    pub(super) fn integral_constant(&mut self, e: &'a ast::Expr, what: &str, code: Code) -> Option<Const> {
        let v = self.in_constant(|c| {
            let v = c.expr_or_function(e);
            c.as_selector(v)
        });
        let v = self.rvalue(v);
        if v.is_error() {
            return None;
        }
        if !(v.ty.ty.is_integral() || matches!(v.ty.ty, Ty::Enum(_))) {
            let name = self.types.spell(&v.ty);
            self.sink.wrong(
                Code::NotAnInteger,
                format!("{what} must be an integer, but this is `{name}`"),
                e.span,
            );
            return None;
        }
        self.scalar_constant(v, what, code, e.span)
    }

    pub(super) fn not_constant(&mut self, e: NotConstant, what: &str, code: Code, span: Span) {
        if e.is_unsupported {
            return self.sink.unsupported(&e.why, e.span);
        }
        let mut d = Diagnostic::new(code, format!("{what} must be a constant")).label(span, "not a constant");
        if e.span == span || e.span == Span::default() {
            d = d.note(e.why);
        } else {
            d = d.label(e.span, e.why);
        }
        if code == Code::VariableLengthArray {
            d = d.help("CUDA has no variable-length arrays: use a `constexpr` size, or for shared memory whose size the launch gives, `extern __shared__ T name[];`");
        } else {
            d = d.help(match what {
                "a `case` label" => "values of the run are compared with `if`; a `case` takes a number or a `constexpr` variable",
                "the value of a `constexpr` variable" => "write `const` in place of `constexpr` if the value is known only when the kernel runs",
                _ => "a constant is a number, a `constexpr` variable or a template parameter",
            });
        }
        self.sink.push(d);
    }

    /// `static_assert`.
    pub(super) fn static_assert(&mut self, s: &'a ast::StaticAssert) {
        let Some(c) =
            self.constant(&s.condition, &Ty::Bool, "the condition of a `static_assert`", Code::NotConstant)
        else {
            return;
        };
        if !super::ty::truth(c) {
            // A header of this front-end says so of what exists, but not here.
            let own = self.map.is_built_in(s.condition.span.file);
            if let Some(limit) = s.message.as_deref().filter(|m| own && m.starts_with("the simulator ")) {
                self.sink.wrong(Code::UnsupportedFeature, limit, s.condition.span);
                return;
            }
            let message = s.message.as_deref().map(|m| format!(": {m}")).unwrap_or_default();
            self.sink.report(
                Code::StaticAssertion,
                format!("static assertion failed{message}"),
                s.condition.span,
                "this is false",
            );
        }
    }
}

/// A constant of 128 bits as one of 64, if that has its value.
fn narrow_constant(value: &ConstValue, ty: &Ty) -> Option<Const> {
    let ConstValue::Aggregate(halves) = value else { return None };
    let [ConstValue::Scalar(Const::Int(low, _)), ConstValue::Scalar(Const::Int(high, _))] = halves.as_slice()
    else {
        return None;
    };
    match ty {
        Ty::Int(IntType::Int128) if *high == low >> 63 => Some(Const::Int(*low, IntType::LongLong)),
        Ty::Int(IntType::UnsignedInt128) if *high == 0 => Some(Const::Int(*low, IntType::UnsignedLongLong)),
        _ => None,
    }
}
