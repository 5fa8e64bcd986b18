//! Pointers to functions: numbers of the functions whose address the program takes.
//!
//! A call through one is a direct call where the number is known, otherwise a call of a function that this file writes: it
//! compares the number with those of all functions of the type and calls the one, as a device's linker might. Virtual calls
//! ([`super::virtuals`]) are made by the same [`Dispatcher`]. What is not here: pointers to methods.

use super::builtins::{compare, int};
use super::ids::FILE;
use super::scopes::{Entry, Found, Symbol};
use super::ty::{DeclTy, QTy, Ty};
use super::value::Value;
use super::{Checker, FuncIdx, Param, Source};
use crate::hir::{self, Argument, Const, Expr, ExprKind, FunctionId, IntType, LocalId, Stmt, StmtKind};
use cuda_syntax::Word;
use cuda_syntax::ast;
use cuda_syntax::parts::Part;
use source::{Code, Span};

/// The type of the numbers.
const NUMBER: IntType = IntType::UnsignedLong;

impl<'a> Checker<'a> {
    /// The type `R(A, B)`.
    pub(super) fn function_type(
        &mut self,
        result: &'a ast::TypeName,
        parameters: &'a [ast::Parameter],
    ) -> Ty {
        let result = self.decl_type(result);
        let parameters: Vec<DeclTy> = parameters.iter().flat_map(|p| self.parameter_types(&p.ty)).collect();
        if result.q.ty.has_error() || parameters.iter().any(|p| p.q.ty.has_error()) {
            return Ty::Error;
        }
        match self.types.known_function_type(result, parameters) {
            Ty::Function(at) => Ty::Callee(at),
            other => other,
        }
    }

    /// The types of a parameter, which may be a pack.
    fn parameter_types(&mut self, t: &'a ast::TypeName) -> Vec<DeclTy> {
        match &t.kind {
            ast::TypeKind::Pack(pattern) => self
                .for_each_element(Part::Type(pattern), pattern.span, |c| c.parameter_type(pattern))
                .unwrap_or_default(),
            _ => vec![self.parameter_type(t)],
        }
    }

    /// A function's name as a value; `None` where it is not one plain function.
    pub(super) fn function_value(&mut self, list: &[FuncIdx], span: Span) -> Option<Value> {
        let [f] = list else { return None };
        let func = self.functions.func(*f);
        if func.is_template || (func.class.is_some() && !func.is_static) {
            return None;
        }
        func.signature.as_ref()?.result.as_ref()?;
        // A variable at file scope is read before the functions that come after it.
        let unseen =
            matches!(func.source, Source::Function(f) if matches!(f.body, ast::FunctionBody::Declared));
        if unseen {
            self.functions.unseen_targets.push((*f, span));
        } else if !self.may_call(*f, span) {
            return Some(Value::error(span));
        }
        let pick = self.functions.plain(*f)?;
        let (ty, id) = self.pointed_to(pick)?;
        Some(self.pointer_to(&ty, id, span))
    }

    /// The function that a lambda without captures converts to a pointer to ([expr.prim.lambda.closure]), and the type of the
    /// pointer; a generic lambda's is deduced from the type that is wanted.
    pub(super) fn invoker(&mut self, class: hir::StructId, to: Option<&Ty>) -> Option<(Ty, FunctionId)> {
        let scope = self.types.class(class).scope;
        let Found::Entry(Entry { symbol: Symbol::Functions(list), .. }) =
            self.scopes.lookup_in(scope, &*super::lambda::INVOKER)
        else {
            return None;
        };
        let f = list[0];
        let pick = match to {
            Some(to) if self.functions.func(f).is_template => {
                let deduced = self.deduced_from(f, to)?;
                self.quietly(|c| c.instance_pick(f, &[], deduced)).0?
            }
            _ => self.functions.plain(f)?,
        };
        self.pointed_to(pick)
    }

    /// A pointer to a function of the type `at`.
    pub(super) fn target(&mut self, at: u32, id: FunctionId, span: Span) -> Value {
        let number = match self.functions.targets.iter().position(|t| *t == (at, id)) {
            Some(number) => number,
            None => {
                self.functions.targets.push((at, id));
                self.functions.targets.len() - 1
            }
        };
        self.types.make_const(Const::Int(number as i64 + 1, NUMBER), Ty::Function(at), span)
    }

    /// A built-in function's name as a value: of a function that calls it.
    pub(super) fn builtin_value(&mut self, name: &str, span: Span) -> Value {
        let Some((result, parameters)) = super::builtins::only_signature(name) else {
            self.sink.unsupported(&format!("{name} as a value"), span);
            return Value::error(span);
        };
        let types = parameters.iter().cloned().map(DeclTy::from).collect();
        let ty = self.types.known_function_type(result.clone().into(), types);
        let Ty::Function(at) = ty else { return Value::error(span) };
        let known = self
            .functions
            .targets
            .iter()
            .find(|t| t.0 == at && self.functions.instances[t.1.0 as usize].name == name);
        if let Some((_, id)) = known.copied() {
            return self.target(at, id, span);
        }
        let id = self.helper(name, FILE, (&parameters, &result), span, |c, locals| {
            let values = locals.iter().map(|l| c.local_place(*l, span)).collect();
            let value = super::builtins::call(c, name, &[], values, span);
            let value = c.expr_of(value);
            let kind = match result {
                Ty::Void => StmtKind::Expr(value),
                _ => StmtKind::Return(Some(value)),
            };
            vec![Stmt { kind, span }]
        });
        self.target(at, id, span)
    }

    /// A call through a pointer of the function type `at`.
    pub(super) fn call_pointer(&mut self, f: Value, at: u32, values: Vec<Value>, span: Span) -> Value {
        let wants = self.types.function_types[at as usize].parameters.clone();
        if wants.len() != values.len() {
            let (n, spelled) = (values.len(), self.types.spell_ty(&Ty::Function(at)));
            let title = format!("`{spelled}` takes {} arguments, but this call has {n}", wants.len());
            self.sink.wrong(Code::WrongArgumentCount, title, span);
            return Value::error(span);
        }
        let f = self.rvalue(f);
        if f.is_error() {
            return f;
        }
        let known = match f.constant() {
            Some(Const::Int(number, _)) => {
                usize::try_from(number - 1).ok().and_then(|i| self.functions.targets.get(i)).map(|t| t.1)
            }
            _ => None,
        };
        let mut arguments = Vec::new();
        let id = match known {
            Some(id) => id,
            None => {
                arguments.push(Argument::Value(self.expr_of(f)));
                self.dispatcher(at)
            }
        };
        for (v, ty) in values.into_iter().zip(wants) {
            let p = Param { name: Word::default(), ty, restrict: false, default: None, span, scope: FILE };
            match self.argument(v, &p) {
                Some(a) => arguments.push(a),
                None => return Value::error(span),
            }
        }
        self.call_result(id, arguments, span)
    }

    /// The function that calls the function of a number; its body is written when all are known.
    fn dispatcher(&mut self, at: u32) -> FunctionId {
        if let Some(id) = self.types.function_types[at as usize].dispatcher {
            return id;
        }
        let result = Some(self.types.function_types[at as usize].result.clone());
        let id = self.functions.new_function("call through a function pointer".to_owned(), result);
        self.types.function_types[at as usize].dispatcher = Some(id);
        id
    }

    /// A function of the device that has no text, and that `body` writes with the parameters' locals. Names and access are those of `scope`.
    pub(super) fn helper(
        &mut self,
        name: &str,
        scope: super::ids::ScopeId,
        (parameters, result): (&[Ty], &Ty),
        span: Span,
        body: impl FnOnce(&mut Checker<'a>, &[LocalId]) -> Vec<Stmt>,
    ) -> FunctionId {
        let outer = self.enter_body(scope, u32::MAX);
        self.body.on_device = true;
        self.body.function = outer.body.function;
        self.body.instance_depth = outer.body.instance_depth;
        self.sink.body.instance = outer.reports.instance.clone();
        let each = parameters.iter();
        let locals: Vec<_> =
            each.map(|t| self.new_local("", &QTy::plain(t.clone()), hir::Storage::Automatic, span)).collect();
        let body = body(self, &locals);
        let body = self.with_temporaries(body);
        let inner = self.leave_body(outer);
        self.sink.body.failed |= inner.reports.failed;
        let function = hir::Function {
            name: name.to_owned(),
            result: self.types.hir_type(result),
            parameters: locals,
            parameter_spellings: Vec::new(),
            restrict: Vec::new(),
            locals: inner.body.locals,
            body,
            noinline: false,
            dispatches: false,
            span,
        };
        let id = self.functions.new_function(name.to_owned(), Some(result.clone().into()));
        self.functions.bodies[id.0 as usize] = Some(function);
        id
    }

    /// Writes the bodies of all dispatchers.
    pub(super) fn finish_dispatchers(&mut self) {
        for (f, span) in std::mem::take(&mut self.functions.unseen_targets) {
            self.may_call(f, span);
        }
        self.finish_virtual_calls();
        for at in 0..self.types.function_types.len() {
            if let Some(id) = self.types.function_types[at].dispatcher {
                self.write_dispatcher(at, id);
            }
        }
    }

    fn write_dispatcher(&mut self, at: usize, id: FunctionId) {
        let span = self.functions.all.first().map(|f| f.span).unwrap_or_default();
        let outer = self.enter_body(FILE, u32::MAX);
        let number = self.new_local("target", &QTy::plain(super::ty::ULONG), hir::Storage::Automatic, span);
        let mut dispatcher = Dispatcher::new(self, id, span);
        let parameters = self.types.function_types[at].parameters.clone();
        dispatcher.pass(self, &parameters);
        for (k, (_, function)) in
            self.functions.targets.iter().enumerate().filter(|(_, t)| t.0 as usize == at)
        {
            let kind = ExprKind::Call { function: *function, arguments: dispatcher.arguments() };
            let call = Expr { kind, ty: dispatcher.result.clone(), span };
            dispatcher.targets.push((k as i64 + 1, call));
        }
        let number = self.local_place(number, span);
        let number = self.expr_of(number);
        let locals = self.leave_body(outer).body.locals;
        self.functions.bodies[id.0 as usize] = Some(dispatcher.body(locals, &[], number));
    }
}

/// A function in the making that calls one of several by a number. Its first parameter is where the number is.
pub(super) struct Dispatcher {
    name: String,
    result: hir::Type,
    /// The parameters after the first, and whether each stands for an object of the caller.
    passed: Vec<(LocalId, hir::Type, bool)>,
    /// Each number with what is done then.
    targets: Vec<(i64, Expr)>,
    /// What is added to a number that none of them has, for the message.
    pub(super) unknown: i64,
    span: Span,
}

impl Dispatcher {
    /// A dispatcher without targets.
    pub(super) fn new(c: &Checker, id: FunctionId, span: Span) -> Dispatcher {
        let instance = &c.functions.instances[id.0 as usize];
        let result = match &instance.result {
            Some(t) if t.reference.is_some() => c.types.hir_type(&Ty::pointer(t.q.clone())),
            Some(t) => c.types.hir_type(&t.q.ty),
            None => hir::Type::Void,
        };
        Dispatcher {
            name: instance.name.clone(),
            result,
            passed: Vec::new(),
            targets: Vec::new(),
            unknown: 0,
            span,
        }
    }

    /// Adds the parameters that it passes on.
    pub(super) fn pass(&mut self, c: &mut Checker, parameters: &[DeclTy]) {
        for p in parameters {
            let (by_address, ty) = (c.by_address(p), c.types.hir_type(&p.q.ty));
            let local = c.new_local("", &p.q, hir::Storage::Automatic, self.span);
            c.body.locals[local.0 as usize].is_reference = by_address;
            self.passed.push((local, ty, by_address));
        }
    }

    /// What it passes on.
    pub(super) fn arguments(&self) -> Vec<Argument> {
        let argument = |(local, ty, by_address): &(LocalId, hir::Type, bool)| {
            let (ty, span) = (ty.clone(), self.span);
            let place =
                hir::Place { kind: hir::PlaceKind::Local(*local), ty: ty.clone(), is_volatile: false, span };
            match by_address {
                true => Argument::Place(place),
                false => Argument::Value(Box::new(Expr { kind: ExprKind::Load(place), ty, span })),
            }
        };
        self.passed.iter().map(argument).collect()
    }

    /// Adds what is done for a number.
    pub(super) fn add(&mut self, number: i64, target: Expr) {
        self.targets.push((number, target));
    }

    /// The whole, once it has all targets. `locals` begin with the parameters.
    pub(super) fn body(
        self,
        mut locals: Vec<hir::Local>,
        temporaries: &[LocalId],
        number: Box<Expr>,
    ) -> hir::Function {
        let Dispatcher { name, result, passed, targets, unknown, span } = self;
        let stmt = |kind| Stmt { kind, span };
        let ty = hir::Type::Int(NUMBER);
        let kept = LocalId(locals.len() as u32);
        locals.push(hir::Local::unnamed(ty.clone(), span));
        let place =
            || hir::Place { kind: hir::PlaceKind::Local(kept), ty: ty.clone(), is_volatile: false, span };
        let load = || Expr { kind: ExprKind::Load(place()), ty: ty.clone(), span };
        let mut body = vec![stmt(StmtKind::Declare { local: kept, value: Some(number) })];
        body.extend(temporaries.iter().map(|t| stmt(StmtKind::Declare { local: *t, value: None })));
        for (own, target) in targets {
            let condition = compare(hir::CompareOp::Eq, load(), int(own, NUMBER, span), span);
            let then = match result {
                hir::Type::Void => vec![stmt(StmtKind::Expr(Box::new(target))), stmt(StmtKind::Return(None))],
                _ => vec![stmt(StmtKind::Return(Some(Box::new(target))))],
            };
            body.push(stmt(StmtKind::If { condition: Box::new(condition), then, otherwise: Vec::new() }));
        }
        // No function has this number: a null pointer, or what never was one.
        let bad = match unknown {
            0 => load(),
            _ => super::builtins::binary(hir::BinaryOp::Or, load(), int(unknown, NUMBER, span)),
        };
        let trap = ExprKind::Intrinsic { intrinsic: hir::Intrinsic::BadCall, arguments: vec![bad] };
        body.push(stmt(StmtKind::Expr(Box::new(Expr { kind: trap, ty: hir::Type::Void, span }))));
        hir::Function {
            name,
            result,
            parameters: (0..=passed.len() as u32).map(LocalId).collect(),
            parameter_spellings: Vec::new(),
            restrict: Vec::new(),
            locals,
            body,
            noinline: false,
            dispatches: true,
            span,
        }
    }
}
