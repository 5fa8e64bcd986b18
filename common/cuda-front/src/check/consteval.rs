//! Constant evaluation: an interpreter of the typed program for what the language wants as a constant.
//!
//! It knows scalars, arrays and structs of them, locals, calls, loops and branches. What it refuses: pointers, memory of
//! the device, built-in functions other than arithmetic ones, and overflow of signed integers within a function.

use super::fold::{binary, compare, fold_unary, type_bytes};
use super::ty::{convert_const, truth, wrap};
use crate::hir::{
    Argument, BinaryOp, CompareOp, Const, Expr, ExprKind, Function, FunctionId, GlobalId, IntType, Intrinsic,
    Local, LocalId, Place, PlaceKind, Section, Stmt, StmtKind, Struct, Type,
};
use cuda_syntax::budget::{Budget, Cost};
use source::Span;
use source::hash::Map;

/// A constant of any type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Declared but without a value.
    Unset,
    /// A scalar.
    Scalar(Const),
    /// The null pointer.
    Null,
    /// A struct's fields or an array's elements.
    Aggregate(Vec<Value>),
}

impl Value {
    /// How many values it is made of, itself among them.
    pub(super) fn scalars(&self) -> u64 {
        match self {
            Value::Aggregate(parts) => 1 + parts.iter().map(Value::scalars).sum::<u64>(),
            _ => 1,
        }
    }
}

/// Why something is not a constant.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// With the place and what is wrong there.
    Not(Span, String),
    /// With the place and the feature.
    Unsupported(Span, String),
    /// The body of this function is needed first.
    Needs(FunctionId),
}

/// Steps that one evaluation may take.
const MAX_STEPS: u32 = 1_000_000;
/// Calls inside each other.
const MAX_CALLS: usize = 100;

pub(super) type Eval<T> = Result<T, Failure>;

enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

/// An evaluation in progress.
pub(super) struct Evaluator<'p> {
    pub(super) structs: &'p [Struct],
    pub(super) bodies: &'p [Option<Function>],
    /// Constants at file scope.
    pub(super) globals: &'p dyn Fn(GlobalId) -> Option<&'p Value>,
    /// Constants of the function at hand, and its temporaries, which begin as zero.
    pub(super) locals: &'p dyn Fn(LocalId) -> Option<Known<'p>>,
    /// Whether a constant may call a function.
    may_call: &'p dyn Fn(FunctionId) -> bool,
    budget: &'p Budget,
    frames: Vec<Map<LocalId, Slot>>,
    /// The locals of the functions in progress.
    types: Vec<&'p [Local]>,
    steps: u32,
}

/// What is known of a local of the function at hand.
pub(super) enum Known<'p> {
    Constant(&'p Value),
    Zero(&'p Type),
}

enum Slot {
    Value(Value),
    /// A reference: the frame it points into, the local there and the path to the part.
    Alias(usize, LocalId, Vec<usize>),
}

/// Where a place is: a local of a frame, a constant or part of one, or a value by itself.
enum Target<'p> {
    Local(usize, LocalId, Vec<usize>),
    Constant(&'p Value),
    Value(Value),
}

pub(super) fn not<T>(span: Span, why: impl Into<String>) -> Eval<T> {
    Err(Failure::Not(span, why.into()))
}

impl<'p> Evaluator<'p> {
    pub(super) fn new(
        structs: &'p [Struct],
        bodies: &'p [Option<Function>],
        globals: &'p dyn Fn(GlobalId) -> Option<&'p Value>,
        locals: &'p dyn Fn(LocalId) -> Option<Known<'p>>,
        may_call: &'p dyn Fn(FunctionId) -> bool,
        budget: &'p Budget,
    ) -> Evaluator<'p> {
        let frames = vec![Map::default()];
        Evaluator { structs, bodies, globals, locals, may_call, budget, frames, types: Vec::new(), steps: 0 }
    }

    /// Gives a local of the function at hand its value.
    fn set_local(&mut self, local: LocalId, value: Value) {
        self.frames[0].insert(local, Slot::Value(value));
    }

    fn frame(&mut self) -> &mut Map<LocalId, Slot> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn step(&mut self, span: Span) -> Eval<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return not(span, format!("the evaluation takes more than {MAX_STEPS} steps"));
        }
        if !self.budget.charge(Cost::Evaluation, 1) {
            return not(span, "the constants of this file take too many steps");
        }
        Ok(())
    }

    /// A copy of a value, which costs as much as it has scalars.
    fn copy(&self, v: &Value) -> Value {
        // The next step finds that the budget is spent.
        match self.budget.charge(Cost::Evaluation, v.scalars()) {
            true => v.clone(),
            false => Value::Unset,
        }
    }

    /// Charges the value of a type that is to be made; whether the budget had it.
    fn may_make(&self, ty: &Type) -> bool {
        self.budget.charge(Cost::Evaluation, self.scalars(ty))
    }

    fn scalars(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(a) => self.scalars(&a.of).saturating_mul(a.count),
            Type::Struct(s) => {
                let fields = self.structs.get(s.0 as usize).map(|s| s.fields.as_slice()).unwrap_or(&[]);
                fields.iter().fold(1, |sum, f| self.scalars(&f.ty).saturating_add(sum))
            }
            _ => 1,
        }
    }

    /// The value of an expression.
    pub(super) fn expr(&mut self, e: &Expr) -> Eval<Value> {
        self.step(e.span)?;
        Ok(match &e.kind {
            ExprKind::Const(c) => Value::Scalar(*c),
            ExprKind::Null => Value::Null,
            ExprKind::Load(place) => self.load(place)?,
            ExprKind::Assign { place, value } => {
                let value = self.expr(value)?;
                self.store(place, self.copy(&value))?;
                value
            }
            ExprKind::CompoundAssign { place, by } => {
                let rhs = self.scalar(&by.value)?;
                let old = self.load_scalar(place)?;
                let Some(old) = convert_const(old, &by.compute) else { return not(e.span, "a pointer") };
                let new = binary(by.op, old, rhs, self.wraps(), e.span)?;
                let Some(new) = convert_const(new, &place.ty) else { return not(e.span, "a pointer") };
                self.store(place, Value::Scalar(new))?;
                Value::Scalar(new)
            }
            ExprKind::Step { place, by, postfix } => self.step_place(place, *by, *postfix, e.span)?,
            ExprKind::Unary { op, operand } => {
                let c = self.scalar(operand)?;
                match fold_unary(*op, c, self.wraps()) {
                    Some(c) => Value::Scalar(c),
                    None => return not(e.span, "this overflows"),
                }
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (l, r) = (self.scalar(lhs)?, self.scalar(rhs)?);
                Value::Scalar(binary(*op, l, r, self.wraps(), e.span)?)
            }
            ExprKind::Compare { op, lhs, rhs } => {
                let (l, r) = (self.expr(lhs)?, self.expr(rhs)?);
                match (l, r) {
                    (Value::Scalar(l), Value::Scalar(r)) => Value::Scalar(Const::Bool(compare(*op, l, r))),
                    (Value::Null, Value::Null) => Value::Scalar(Const::Bool(*op == CompareOp::Eq)),
                    _ => return not(e.span, "pointers are not constants here"),
                }
            }
            ExprKind::And { lhs, rhs } => {
                Value::Scalar(Const::Bool(truth(self.scalar(lhs)?) && truth(self.scalar(rhs)?)))
            }
            ExprKind::Or { lhs, rhs } => {
                Value::Scalar(Const::Bool(truth(self.scalar(lhs)?) || truth(self.scalar(rhs)?)))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let c = truth(self.scalar(condition)?);
                self.expr(if c { then } else { otherwise })?
            }
            ExprKind::Comma { first, second } => {
                self.expr(first)?;
                self.expr(second)?
            }
            ExprKind::Convert { operand } => self.convert(operand, &e.ty)?,
            ExprKind::Struct(values) => {
                let values: Eval<Vec<_>> = values.iter().map(|v| self.expr(v)).collect();
                Value::Aggregate(values?)
            }
            ExprKind::Field { value, field } => match self.expr(value)? {
                Value::Aggregate(mut parts) if (*field as usize) < parts.len() => {
                    parts.swap_remove(*field as usize)
                }
                _ => return not(e.span, "this has no value"),
            },
            ExprKind::Call { function, arguments } => self.call(*function, arguments, e.span)?,
            ExprKind::Intrinsic { intrinsic, arguments } => self.intrinsic(*intrinsic, arguments, e)?,
            ExprKind::Special(_) => {
                return not(e.span, "it differs from thread to thread or launch to launch");
            }
            ExprKind::Str(_) => {
                return Err(Failure::Unsupported(e.span, "a string in a constant evaluation".into()));
            }
            ExprKind::Bits { operand } => {
                self.expr(operand)?;
                return not(e.span, "addresses are not known at compile time");
            }
            ExprKind::AddressOf(place) => match self.target(place)? {
                Target::Local(..) => {
                    let what = "the address of a variable in a constant evaluation";
                    return Err(Failure::Unsupported(e.span, what.into()));
                }
                Target::Constant(_) | Target::Value(_) => {
                    return not(e.span, "addresses are not known at compile time");
                }
            },
            ExprKind::PointerAdd { pointer, count, .. } => match (self.expr(pointer)?, self.scalar(count)?) {
                (Value::Null, Const::Int(0, _)) => Value::Null,
                _ => return not(e.span, "addresses are not known at compile time"),
            },
            ExprKind::PointerAssign { .. } | ExprKind::PointerDifference { .. } => {
                return not(e.span, "addresses are not known at compile time");
            }
        })
    }

    /// Whether signed integers that overflow wrap: to CUDA's compiler, the result is a constant except within a function that a
    /// constant calls.
    fn wraps(&self) -> bool {
        self.frames.len() == 1
    }

    fn convert(&mut self, operand: &Expr, to: &Type) -> Eval<Value> {
        let v = self.expr(operand)?;
        match (v, to) {
            (_, Type::Void) => Ok(Value::Unset),
            (Value::Scalar(c), to) => match convert_const(c, to) {
                Some(c) => Ok(Value::Scalar(c)),
                None => not(operand.span, "this conversion is not constant"),
            },
            (v, _) => Ok(v),
        }
    }

    fn scalar(&mut self, e: &Expr) -> Eval<Const> {
        match self.expr(e)? {
            Value::Scalar(c) => Ok(c),
            Value::Unset => not(e.span, "it is read before it has a value"),
            _ => not(e.span, "this is not a number"),
        }
    }

    fn step_place(&mut self, place: &Place, by: i32, postfix: bool, span: Span) -> Eval<Value> {
        let old = self.load_scalar(place)?;
        let one = match convert_const(Const::Int(i64::from(by), IntType::Int), &place.ty) {
            Some(one) => one,
            None => return not(span, "pointers are not constants here"),
        };
        let new = match (old, one) {
            // Narrower ones are promoted, and converted back.
            (Const::Int(a, t), Const::Int(b, _)) if t.bits() < 32 => {
                Const::Int(wrap(a.wrapping_add(b), t), t)
            }
            (a, b) => binary(BinaryOp::Add, a, b, self.wraps(), span)?,
        };
        self.store(place, Value::Scalar(new))?;
        Ok(Value::Scalar(if postfix { old } else { new }))
    }

    fn load_scalar(&mut self, place: &Place) -> Eval<Const> {
        match self.load(place)? {
            Value::Scalar(c) => Ok(c),
            Value::Unset => not(place.span, "it is read before it has a value"),
            _ => not(place.span, "this is not a number"),
        }
    }

    fn target(&mut self, place: &Place) -> Eval<Target<'p>> {
        match &place.kind {
            PlaceKind::Local(id) => {
                let frame = self.frames.len() - 1;
                match self.frames[frame].get(id) {
                    Some(Slot::Alias(f, l, path)) => Ok(Target::Local(*f, *l, path.clone())),
                    Some(Slot::Value(_)) => Ok(Target::Local(frame, *id, Vec::new())),
                    None if frame == 0
                        && let Some(known) = (self.locals)(*id) =>
                    {
                        let value = match known {
                            Known::Constant(value) => self.copy(value),
                            Known::Zero(ty) => self.zero(ty),
                        };
                        self.set_local(*id, value);
                        Ok(Target::Local(frame, *id, Vec::new()))
                    }
                    None => not(place.span, "the value of this variable is not known at compile time"),
                }
            }
            PlaceKind::Global(id) => match (self.globals)(*id) {
                Some(v) => Ok(Target::Constant(v)),
                None => not(place.span, "the value of this variable is not known at compile time"),
            },
            PlaceKind::Field { base, field } => self.sub(base, *field as usize, place.span),
            PlaceKind::Index { base, index } => match self.scalar(index)? {
                Const::Int(i, _) if i >= 0 => self.sub(base, i as usize, place.span),
                _ => not(index.span, "the index is out of bounds"),
            },
            PlaceKind::Temporary(e) => Ok(Target::Value(self.expr(e)?)),
            PlaceKind::After { first, place } => {
                self.expr(first)?;
                self.target(place)
            }
            PlaceKind::Deref(pointer) => {
                self.expr(pointer)?;
                not(place.span, "addresses are not known at compile time")
            }
        }
    }

    fn sub(&mut self, base: &Place, i: usize, span: Span) -> Eval<Target<'p>> {
        match self.target(base)? {
            Target::Local(frame, local, mut path) => {
                path.push(i);
                Ok(Target::Local(frame, local, path))
            }
            Target::Value(Value::Aggregate(mut parts)) if i < parts.len() => {
                Ok(Target::Value(parts.swap_remove(i)))
            }
            Target::Constant(Value::Aggregate(parts)) if i < parts.len() => Ok(Target::Constant(&parts[i])),
            Target::Constant(_) | Target::Value(_) => not(span, "the index is out of bounds"),
        }
    }

    fn load(&mut self, place: &Place) -> Eval<Value> {
        match self.target(place)? {
            Target::Value(v) => Ok(v),
            Target::Constant(v) => Ok(self.copy(v)),
            Target::Local(frame, local, path) => match self.part(frame, local, &path) {
                Some(v) => Ok(self.copy(v)),
                None => not(place.span, "the index is out of bounds"),
            },
        }
    }

    fn part(&self, frame: usize, local: LocalId, path: &[usize]) -> Option<&Value> {
        let Some(Slot::Value(v)) = self.frames[frame].get(&local) else { return None };
        path.iter().try_fold(v, |at, i| match at {
            Value::Aggregate(parts) => parts.get(*i),
            _ => None,
        })
    }

    fn part_mut(&mut self, frame: usize, local: LocalId, path: &[usize]) -> Option<&mut Value> {
        let Some(Slot::Value(v)) = self.frames[frame].get_mut(&local) else { return None };
        let mut at = v;
        for i in path {
            let Value::Aggregate(parts) = at else { return None };
            at = parts.get_mut(*i)?;
        }
        Some(at)
    }

    fn store(&mut self, place: &Place, value: Value) -> Eval<()> {
        match self.target(place)? {
            Target::Local(frame, local, path) => match self.part_mut(frame, local, &path) {
                Some(at) => {
                    *at = value;
                    Ok(())
                }
                None => not(place.span, "the index is out of bounds"),
            },
            Target::Constant(_) | Target::Value(_) => {
                not(place.span, "this cannot be changed while a constant is evaluated")
            }
        }
    }

    /// The value of a type that has not been initialised.
    fn unset(&self, ty: &Type, depth: u32) -> Value {
        match ty {
            Type::Array(a) if a.count <= 1 << 16 && depth < 8 && (depth > 0 || self.may_make(ty)) => {
                Value::Aggregate(vec![self.unset(&a.of, depth + 1); a.count as usize])
            }
            Type::Struct(s) if depth < 8 && (depth > 0 || self.may_make(ty)) => {
                let fields = self.structs.get(s.0 as usize).map(|s| s.fields.as_slice()).unwrap_or(&[]);
                Value::Aggregate(fields.iter().map(|f| self.unset(&f.ty, depth + 1)).collect())
            }
            _ => Value::Unset,
        }
    }

    /// All zero.
    pub(super) fn zero(&self, ty: &Type) -> Value {
        if self.may_make(ty) { self.zero_within(ty) } else { Value::Unset }
    }

    fn zero_within(&self, ty: &Type) -> Value {
        match ty {
            Type::Array(a) if a.count <= 1 << 20 => {
                Value::Aggregate(vec![self.zero_within(&a.of); a.count as usize])
            }
            Type::Struct(s) => {
                let fields = self.structs.get(s.0 as usize).map(|s| s.fields.as_slice()).unwrap_or(&[]);
                Value::Aggregate(fields.iter().map(|f| self.zero_within(&f.ty)).collect())
            }
            Type::Pointer(_) => Value::Null,
            scalar => match convert_const(Const::Int(0, IntType::Int), scalar) {
                Some(c) => Value::Scalar(c),
                None => Value::Unset,
            },
        }
    }

    /// Puts leaves given by byte offsets into a zeroed aggregate.
    pub(super) fn aggregate(&mut self, ty: &Type, elements: &[(u64, Expr)]) -> Eval<Value> {
        let mut whole = self.zero(ty);
        for (offset, e) in elements {
            let v = self.expr(e)?;
            if !self.put(&mut whole, ty, *offset, v) {
                return not(e.span, "this cannot be part of a constant");
            }
        }
        Ok(whole)
    }

    fn put(&self, at: &mut Value, ty: &Type, offset: u64, v: Value) -> bool {
        if offset == 0 && (matches!(at, Value::Scalar(_) | Value::Null | Value::Unset)) {
            *at = v;
            return true;
        }
        let Value::Aggregate(parts) = at else { return false };
        match ty {
            Type::Array(a) => {
                let size = type_bytes(&a.of, self.structs).max(1);
                let i = (offset / size) as usize;
                parts.get_mut(i).is_some_and(|p| self.put(p, &a.of, offset % size, v))
            }
            Type::Struct(s) => {
                let Some(layout) = self.structs.get(s.0 as usize) else { return false };
                if let (0, Value::Aggregate(new)) = (offset, &v)
                    && new.len() == parts.len()
                {
                    *parts = new.clone();
                    return true;
                }
                let Some(i) = layout.fields.iter().rposition(|f| f.offset <= offset) else { return false };
                let field = &layout.fields[i];
                parts.get_mut(i).is_some_and(|p| self.put(p, &field.ty, offset - field.offset, v))
            }
            _ => false,
        }
    }

    fn call(&mut self, function: FunctionId, arguments: &[Argument], span: Span) -> Eval<Value> {
        if self.frames.len() > MAX_CALLS {
            return not(span, "the calls are nested too deeply");
        }
        if !(self.may_call)(function) {
            return not(span, "this function is not `constexpr`");
        }
        let bodies = self.bodies;
        let Some(Some(f)) = bodies.get(function.0 as usize) else { return Err(Failure::Needs(function)) };
        let mut frame = Map::default();
        for (argument, parameter) in arguments.iter().zip(&f.parameters) {
            let slot = match argument {
                Argument::Value(e) => Slot::Value(self.expr(e)?),
                Argument::Place(p) => match self.target(p)? {
                    Target::Local(frame, local, path) => Slot::Alias(frame, local, path),
                    Target::Constant(v) => Slot::Value(self.copy(v)),
                    Target::Value(v) => Slot::Value(v),
                },
            };
            frame.insert(*parameter, slot);
        }
        for (i, local) in f.locals.iter().enumerate() {
            self.step(span)?;
            let id = LocalId(i as u32);
            if !frame.contains_key(&id) && !local.is_reference {
                frame.insert(id, Slot::Value(self.unset(&local.ty, 0)));
            }
        }
        self.frames.push(frame);
        self.types.push(&f.locals);
        let flow = self.block(&f.body);
        self.types.pop();
        self.frames.pop();
        match flow? {
            Flow::Return(v) => Ok(v),
            _ if f.result == Type::Void => Ok(Value::Unset),
            _ => not(span, "the function ends without a value"),
        }
    }

    fn block(&mut self, body: &[Stmt]) -> Eval<Flow> {
        for s in body {
            match self.stmt(s)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, s: &Stmt) -> Eval<Flow> {
        self.step(s.span)?;
        match &s.kind {
            StmtKind::Expr(e) => {
                self.expr(e)?;
            }
            StmtKind::Declare { local, value } => {
                if let Some(e) = value {
                    let v = self.expr(e)?;
                    self.frame().insert(*local, Slot::Value(v));
                }
            }
            StmtKind::DeclareAggregate { local, elements } => self.declare_aggregate(*local, elements)?,
            StmtKind::Bind { local, place } => {
                let slot = match self.target(place)? {
                    Target::Local(frame, l, path) => Slot::Alias(frame, l, path),
                    Target::Constant(v) => Slot::Value(self.copy(v)),
                    Target::Value(v) => Slot::Value(v),
                };
                self.frame().insert(*local, slot);
            }
            StmtKind::Block(body) => return self.block(body),
            StmtKind::If { condition, then, otherwise } => {
                let c = truth(self.scalar(condition)?);
                return self.block(if c { then } else { otherwise });
            }
            StmtKind::Loop { condition, step, body, .. } => {
                return self.repeat(condition.as_deref(), step.as_deref(), body, s.span);
            }
            StmtKind::DoWhile { body, condition, .. } => loop {
                self.step(s.span)?;
                match self.block(body)? {
                    Flow::Break => break,
                    Flow::Return(v) => return Ok(Flow::Return(v)),
                    Flow::Next | Flow::Continue => {}
                }
                if !truth(self.scalar(condition)?) {
                    break;
                }
            },
            StmtKind::Switch { value, sections } => {
                let Const::Int(v, _) = self.scalar(value)? else { return not(value.span, "not an integer") };
                return self.switch(v, sections);
            }
            StmtKind::Label(_)
            | StmtKind::Labelled { .. }
            | StmtKind::Dispatch { .. }
            | StmtKind::Goto(_) => {
                return not(s.span, "a `goto`");
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Return(None) => return Ok(Flow::Return(Value::Unset)),
            StmtKind::Return(Some(e)) => return Ok(Flow::Return(self.expr(e)?)),
        }
        Ok(Flow::Next)
    }

    fn declare_aggregate(&mut self, local: LocalId, elements: &[(u64, Expr)]) -> Eval<()> {
        let ty = self.types.last().and_then(|locals| locals.get(local.0 as usize)).map(|l| l.ty.clone());
        let span = elements.first().map(|e| e.1.span).unwrap_or_default();
        let Some(ty) = ty else { return not(span, "this array is not constant") };
        let v = self.aggregate(&ty, elements)?;
        self.frame().insert(local, Slot::Value(v));
        Ok(())
    }

    fn repeat(
        &mut self,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &[Stmt],
        span: Span,
    ) -> Eval<Flow> {
        loop {
            self.step(span)?;
            if let Some(c) = condition
                && !truth(self.scalar(c)?)
            {
                return Ok(Flow::Next);
            }
            match self.block(body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return(v) => return Ok(Flow::Return(v)),
                Flow::Next | Flow::Continue => {}
            }
            if let Some(step) = step {
                self.expr(step)?;
            }
        }
    }

    fn switch(&mut self, v: i64, sections: &[Section]) -> Eval<Flow> {
        // The next step finds that the budget is spent.
        let compared: usize = sections.iter().map(|section| 1 + section.cases.len() / 8).sum();
        let _ = self.budget.charge(Cost::Evaluation, compared as u64 / 8);
        let start = sections
            .iter()
            .position(|s| s.cases.contains(&v))
            .or_else(|| sections.iter().position(|s| s.is_default));
        for section in sections.iter().skip(start.unwrap_or(sections.len())) {
            match self.block(&section.body)? {
                Flow::Next => {}
                Flow::Break => return Ok(Flow::Next),
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, arguments: &[Expr], e: &Expr) -> Eval<Value> {
        let unsupported = || not(e.span, "this built-in function is not evaluated at compile time");
        if !matches!(
            intrinsic,
            Intrinsic::Min
                | Intrinsic::Max
                | Intrinsic::Abs
                | Intrinsic::Assert
                | Intrinsic::PopCount
                | Intrinsic::LeadingZeros
        ) {
            return unsupported();
        }
        if intrinsic == Intrinsic::Assert {
            return match arguments.first().map(|a| self.scalar(a)) {
                Some(Ok(c)) if truth(c) => Ok(Value::Unset),
                _ => not(e.span, "the assertion fails"),
            };
        }
        let values: Eval<Vec<Const>> = arguments.iter().map(|a| self.scalar(a)).collect();
        let values = values?;
        let bits = match arguments.first().map(|a| &a.ty) {
            Some(Type::Int(t)) => t.bits(),
            _ => 32,
        };
        let result = match (intrinsic, values.as_slice()) {
            (Intrinsic::Min, [a, b]) => Some(if compare(CompareOp::Lt, *b, *a) { *b } else { *a }),
            (Intrinsic::Max, [a, b]) => Some(if compare(CompareOp::Gt, *b, *a) { *b } else { *a }),
            (Intrinsic::Abs, [Const::Int(v, t)]) => Some(Const::Int(wrap(v.wrapping_abs(), *t), *t)),
            (Intrinsic::Abs, [Const::Float(v)]) => Some(Const::Float(v.abs())),
            (Intrinsic::Abs, [Const::Double(v)]) => Some(Const::Double(v.abs())),
            (Intrinsic::PopCount, [Const::Int(v, _)]) => {
                let v = if bits == 64 { *v as u64 } else { u64::from(*v as u32) };
                Some(Const::Int(i64::from(v.count_ones()), IntType::Int))
            }
            (Intrinsic::LeadingZeros, [Const::Int(v, _)]) => {
                let n = if bits == 64 { v.leading_zeros() } else { (*v as u32).leading_zeros() };
                Some(Const::Int(i64::from(n), IntType::Int))
            }
            _ => None,
        };
        result.map_or_else(unsupported, |c| Ok(Value::Scalar(c)))
    }
}
