//! Constant evaluation: an interpreter of the typed program for what the language wants as a constant.
//!
//! It knows scalars, arrays and structs of them, pointers to parts of these and to strings, locals, calls, loops and branches. What
//! it refuses: memory of the device, built-in functions other than arithmetic ones, and overflow of signed integers within a
//! function. A pointer to a local lives no longer than the evaluation.

use super::fold::{binary, compare, fold_unary};
use super::ty::{convert_const, truth, wrap};
use crate::hir::{
    Argument, BinaryOp, CompareOp, Const, Expr, ExprKind, Function, FunctionId, GlobalId, IntType, Intrinsic,
    Local, LocalId, Place, PlaceKind, Section, Stmt, StmtKind, Struct, Type,
};
use cuda_syntax::Text;
use cuda_syntax::budget::{Budget, Cost};
use source::Span;
use source::hash::Map;
use std::rc::Rc;

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
    /// The address of an object or of a part of one.
    Pointer(Pointer),
}

/// Where an object or a part of one is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointer {
    pub(super) root: Root,
    /// The fields and elements on the way to the part.
    pub(super) path: Vec<usize>,
    /// Whether the last step is an element, so that the pointer may be moved to the others.
    is_element: bool,
}

/// An object that has a name, or is a string literal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Root {
    /// A local of the call with this number.
    Local(u32, LocalId),
    Global(GlobalId),
    Text(Rc<Text>),
}

impl Value {
    /// How many values it is made of, itself among them.
    pub(super) fn scalars(&self) -> u64 {
        match self {
            Value::Aggregate(parts) => 1 + parts.iter().map(Value::scalars).sum::<u64>(),
            _ => 1,
        }
    }

    /// Whether it is, or has in it, the address of an object.
    pub(super) fn has_address(&self) -> bool {
        self.any_pointer(&mut |_| true)
    }

    pub(super) fn any_pointer(&self, is: &mut dyn FnMut(&Pointer) -> bool) -> bool {
        match self {
            Value::Pointer(pointer) => is(pointer),
            Value::Aggregate(parts) => parts.iter().any(|part| part.any_pointer(is)),
            _ => false,
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
    /// The calls in progress, each with its number.
    frames: Vec<(u32, Map<LocalId, Slot>)>,
    /// The number of the next call.
    calls: u32,
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
    /// A reference.
    Alias(Pointer),
}

/// Where a place is: an object or a part of one, or a value by itself.
enum Target {
    At(Pointer),
    Value(Value),
}

/// Whether two types of pointers differ in qualifiers alone.
fn is_same_pointer(a: &Type, b: &Type) -> bool {
    matches!((a, b), (Type::Pointer(a), Type::Pointer(b)) if a.ty == b.ty)
}

/// A pointer so many elements further. What it then points to is asked when it is read.
fn moved(pointer: Value, count: i64, span: Span) -> Eval<Value> {
    match pointer {
        pointer if count == 0 => Ok(pointer),
        Value::Pointer(mut pointer) => {
            let last = pointer.path.last_mut().filter(|_| pointer.is_element);
            let new = last.as_ref().and_then(|i| i64::try_from(**i).ok()?.checked_add(count));
            match (last, new.and_then(|new| usize::try_from(new).ok())) {
                (Some(last), Some(new)) => *last = new,
                _ => return not(span, "this pointer leaves its object"),
            }
            Ok(Value::Pointer(pointer))
        }
        _ => not(span, "this pointer points to nothing"),
    }
}

/// How many elements lie between two pointers into one array.
fn distance(l: &Value, r: &Value, span: Span) -> Eval<i64> {
    match (l, r) {
        (Value::Null, Value::Null) => Ok(0),
        (Value::Pointer(l), Value::Pointer(r)) if l == r => Ok(0),
        (Value::Pointer(l), Value::Pointer(r)) if l.root == r.root && l.is_element && r.is_element => {
            match (l.path.split_last(), r.path.split_last()) {
                (Some((i, own)), Some((j, other))) if own == other => Ok(*i as i64 - *j as i64),
                _ => not(span, "these pointers are not into one array"),
            }
        }
        _ => not(span, "these pointers are not into one array"),
    }
}

fn compare_pointers(op: CompareOp, l: &Value, r: &Value, span: Span) -> Eval<bool> {
    let known = |v: &Value| matches!(v, Value::Null | Value::Pointer(_));
    if !known(l) || !known(r) {
        return not(span, "this has no value");
    }
    match op {
        CompareOp::Eq | CompareOp::Ne => {
            // Whether equal literals are one object is not said.
            let is_text = |v: &Value| matches!(v, Value::Pointer(Pointer { root: Root::Text(_), .. }));
            match (is_text(l) && is_text(r), distance(l, r, span)) {
                (_, Ok(n)) => Ok((n == 0) == (op == CompareOp::Eq)),
                (false, Err(_)) => Ok((l == r) == (op == CompareOp::Eq)),
                (true, Err(e)) => Err(e),
            }
        }
        _ => Ok(compare(op, Const::Int(distance(l, r, span)?, IntType::Long), Const::Int(0, IntType::Long))),
    }
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
        let frames = vec![(0, Map::default())];
        Evaluator {
            structs,
            bodies,
            globals,
            locals,
            may_call,
            budget,
            frames,
            calls: 1,
            types: Vec::new(),
            steps: 0,
        }
    }

    /// The constant that an expression is.
    pub(super) fn constant(&mut self, e: &Expr) -> Eval<Value> {
        let value = self.expr(e)?;
        self.without_locals(value, e.span)
    }

    /// The constant object that leaves given by byte offsets make.
    pub(super) fn object(&mut self, ty: &Type, elements: &[(u64, Expr)]) -> Eval<Value> {
        let value = self.aggregate(ty, elements)?;
        self.without_locals(value, elements.first().map(|e| e.1.span).unwrap_or_default())
    }

    /// A pointer is no constant if what it points to ends with the evaluation, or is another object in each thread.
    fn without_locals(&self, value: Value, span: Span) -> Eval<Value> {
        match value.any_pointer(&mut |pointer| matches!(pointer.root, Root::Local(..))) {
            true => not(span, "the address of a local variable is not constant"),
            false => Ok(value),
        }
    }

    /// Gives a local of the function at hand its value.
    fn set_local(&mut self, local: LocalId, value: Value) {
        self.frames[0].1.insert(local, Slot::Value(value));
    }

    fn frame(&mut self) -> &mut Map<LocalId, Slot> {
        let last = self.frames.len() - 1;
        &mut self.frames[last].1
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
            ExprKind::PointerAssign { place, by } => {
                let (count, old) = (self.offset(&by.count, by.negative)?, self.load(place)?);
                let new = moved(old, count, e.span)?;
                self.store(place, new.clone())?;
                new
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
                    (l, r) => Value::Scalar(Const::Bool(compare_pointers(*op, &l, &r, e.span)?)),
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
            ExprKind::Str(text) => {
                let is_element = !matches!(&e.ty, Type::Pointer(to) if matches!(to.ty, Type::Array(_)));
                let path = if is_element { vec![0] } else { Vec::new() };
                Value::Pointer(Pointer { root: Root::Text(Rc::new(text.clone())), path, is_element })
            }
            ExprKind::Bits { operand } => match self.expr(operand)? {
                pointer @ (Value::Pointer(_) | Value::Null) if is_same_pointer(&operand.ty, &e.ty) => pointer,
                _ => return not(e.span, "the bits of a value as another type are not known at compile time"),
            },
            ExprKind::AddressOf(place) => match self.target(place)? {
                Target::At(mut pointer) => {
                    // An array decays to the address of its first element.
                    let pointee = match &e.ty {
                        Type::Pointer(to) => &to.ty,
                        _ => &Type::Void,
                    };
                    if matches!(&place.ty, Type::Array(_)) && *pointee != place.ty {
                        pointer.path.push(0);
                        pointer.is_element = true;
                    }
                    Value::Pointer(pointer)
                }
                Target::Value(_) => {
                    let what = "the address of a temporary in a constant evaluation";
                    return Err(Failure::Unsupported(e.span, what.into()));
                }
            },
            ExprKind::PointerAdd { pointer, count, negative } => {
                let (pointer, count) = (self.expr(pointer)?, self.offset(count, *negative)?);
                moved(pointer, count, e.span)?
            }
            ExprKind::PointerDifference { lhs, rhs } => {
                let (l, r) = (self.expr(lhs)?, self.expr(rhs)?);
                Value::Scalar(Const::Int(distance(&l, &r, e.span)?, IntType::Long))
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

    /// How many elements a pointer moves.
    fn offset(&mut self, count: &Expr, negative: bool) -> Eval<i64> {
        match self.scalar(count)? {
            Const::Int(n, _) => Ok(if negative { n.wrapping_neg() } else { n }),
            Const::Bool(b) => Ok(i64::from(b)),
            Const::Float(_) | Const::Double(_) => not(count.span, "this is not an integer"),
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
        if let Type::Pointer(_) = place.ty {
            let old = self.load(place)?;
            let new = moved(old.clone(), i64::from(by), span)?;
            self.store(place, new.clone())?;
            return Ok(if postfix { old } else { new });
        }
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
            (Const::Bool(_), one) => one,
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

    fn target(&mut self, place: &Place) -> Eval<Target> {
        let whole = |root| Target::At(Pointer { root, path: Vec::new(), is_element: false });
        match &place.kind {
            PlaceKind::Local(id) => {
                let frame = self.frames.len() - 1;
                let number = self.frames[frame].0;
                match self.frames[frame].1.get(id) {
                    Some(Slot::Alias(pointer)) => Ok(Target::At(pointer.clone())),
                    Some(Slot::Value(_)) => Ok(whole(Root::Local(number, *id))),
                    None if frame == 0
                        && let Some(known) = (self.locals)(*id) =>
                    {
                        let value = match known {
                            Known::Constant(value) => self.copy(value),
                            Known::Zero(ty) => self.zero(ty),
                        };
                        self.set_local(*id, value);
                        Ok(whole(Root::Local(number, *id)))
                    }
                    None => not(place.span, "the value of this variable is not known at compile time"),
                }
            }
            PlaceKind::Global(id) => Ok(whole(Root::Global(*id))),
            PlaceKind::Field { base, field } => self.sub(base, (*field as usize, false), place.span),
            PlaceKind::Index { base, index } => match self.scalar(index)? {
                Const::Int(i, _) if i >= 0 => self.sub(base, (i as usize, true), place.span),
                _ => not(index.span, "the index is out of bounds"),
            },
            PlaceKind::Temporary(e) => Ok(Target::Value(self.expr(e)?)),
            PlaceKind::After { first, place } => {
                self.expr(first)?;
                self.target(place)
            }
            PlaceKind::Deref(pointer) => match self.expr(pointer)? {
                Value::Pointer(pointer) => Ok(Target::At(pointer)),
                Value::Null => not(place.span, "this reads through a null pointer"),
                _ => not(place.span, "addresses are not known at compile time"),
            },
        }
    }

    fn sub(&mut self, base: &Place, (i, is_element): (usize, bool), span: Span) -> Eval<Target> {
        match self.target(base)? {
            Target::At(mut pointer) => {
                pointer.path.push(i);
                Ok(Target::At(Pointer { is_element, ..pointer }))
            }
            Target::Value(Value::Aggregate(mut parts)) if i < parts.len() => {
                Ok(Target::Value(parts.swap_remove(i)))
            }
            Target::Value(_) => not(span, "the index is out of bounds"),
        }
    }

    fn load(&mut self, place: &Place) -> Eval<Value> {
        let pointer = match self.target(place)? {
            Target::Value(v) => return Ok(v),
            Target::At(pointer) => pointer,
        };
        let found = match &pointer.root {
            Root::Text(text) => {
                let unit = match pointer.path.as_slice() {
                    [i] if *i < text.units.len() => Some(text.units[*i]),
                    [i] if *i == text.units.len() => Some(0),
                    _ => None,
                };
                return match unit {
                    Some(unit) => Ok(Value::Scalar(Const::Int(wrap(i64::from(unit), text.ty), text.ty))),
                    None => not(place.span, "the index is out of bounds"),
                };
            }
            Root::Global(id) => (self.globals)(*id),
            Root::Local(number, local) => match self.frame_at(*number).map(|at| self.frames[at].1.get(local))
            {
                Some(Some(Slot::Value(v))) => Some(v),
                _ => None,
            },
        };
        let Some(whole) = found else {
            return not(
                place.span,
                match pointer.root {
                    Root::Local(..) => "the variable that this means has ended",
                    _ => "the value of this variable is not known at compile time",
                },
            );
        };
        let part = pointer.path.iter().try_fold(whole, |at, i| match at {
            Value::Aggregate(parts) => parts.get(*i),
            _ => None,
        });
        match part {
            Some(v) => Ok(self.copy(v)),
            None => not(place.span, "the index is out of bounds"),
        }
    }

    /// Where the locals of a call are, as long as it is in progress.
    fn frame_at(&self, number: u32) -> Option<usize> {
        self.frames.binary_search_by_key(&number, |frame| frame.0).ok()
    }

    fn store(&mut self, place: &Place, value: Value) -> Eval<()> {
        let Target::At(Pointer { root: Root::Local(number, local), path, .. }) = self.target(place)? else {
            return not(place.span, "this cannot be changed while a constant is evaluated");
        };
        let slot = self.frame_at(number).and_then(|at| self.frames[at].1.get_mut(&local));
        let Some(Slot::Value(at)) = slot else {
            return not(place.span, "the variable that this means has ended");
        };
        let mut at = at;
        for i in path {
            let part = match at {
                Value::Aggregate(parts) => parts.get_mut(i),
                _ => None,
            };
            match part {
                Some(part) => at = part,
                None => return not(place.span, "the index is out of bounds"),
            }
        }
        *at = value;
        Ok(())
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
                let Some(layout) = self.structs.get(s.0 as usize) else {
                    return Value::Aggregate(Vec::new());
                };
                let mut parts: Vec<_> = layout.fields.iter().map(|f| self.zero_within(&f.ty)).collect();
                if layout.is_union {
                    parts.iter_mut().skip(1).for_each(|part| *part = Value::Unset);
                }
                Value::Aggregate(parts)
            }
            Type::Pointer(_) => Value::Null,
            scalar => match convert_const(Const::Int(0, IntType::Int), scalar) {
                Some(c) => Value::Scalar(c),
                None => Value::Unset,
            },
        }
    }

    /// Puts leaves given by byte offsets into a zeroed aggregate.
    fn aggregate(&mut self, ty: &Type, elements: &[(u64, Expr)]) -> Eval<Value> {
        let mut whole = self.zero(ty);
        for (offset, e) in elements {
            let v = self.expr(e)?;
            if !self.put(&mut whole, ty, (*offset, &e.ty), v) {
                return not(e.span, "this cannot be part of a constant");
            }
        }
        Ok(whole)
    }

    /// Puts a leaf, whose offset and type are given, into an object. Of the members of a union the others are unset then.
    fn put(&self, at: &mut Value, ty: &Type, (offset, of): (u64, &Type), v: Value) -> bool {
        if offset == 0 && !matches!(at, Value::Aggregate(_)) {
            *at = v;
            return true;
        }
        let Value::Aggregate(parts) = at else { return false };
        match ty {
            Type::Array(a) => {
                let size = a.of.bytes(self.structs).max(1);
                let i = (offset / size) as usize;
                parts.get_mut(i).is_some_and(|p| self.put(p, &a.of, (offset % size, of), v))
            }
            Type::Struct(s) => {
                let Some(layout) = self.structs.get(s.0 as usize) else { return false };
                if let (0, Value::Aggregate(new)) = (offset, &v)
                    && new.len() == parts.len()
                {
                    *parts = new.clone();
                    return true;
                }
                let found = match layout.is_union {
                    true => layout.fields.iter().position(|f| self.has_leaf(&f.ty, offset, of)),
                    false => layout.fields.iter().rposition(|f| f.offset <= offset),
                };
                let Some(i) = found else { return false };
                let field = &layout.fields[i];
                if layout.is_union && parts.get(i) == Some(&Value::Unset) {
                    parts.fill(Value::Unset);
                    parts[i] = self.zero_within(&field.ty);
                }
                parts.get_mut(i).is_some_and(|p| self.put(p, &field.ty, (offset - field.offset, of), v))
            }
            _ => false,
        }
    }

    /// Whether an object of a type has a part of type `of` at an offset.
    fn has_leaf(&self, ty: &Type, offset: u64, of: &Type) -> bool {
        if offset == 0 && ty == of {
            return true;
        }
        match ty {
            Type::Array(a) => {
                let size = a.of.bytes(self.structs).max(1);
                offset / size < a.count && self.has_leaf(&a.of, offset % size, of)
            }
            Type::Struct(s) => self.structs.get(s.0 as usize).is_some_and(|s| {
                let at = |f: &&crate::hir::Field| f.offset <= offset;
                s.fields.iter().filter(at).any(|f| self.has_leaf(&f.ty, offset - f.offset, of))
            }),
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
                Argument::Place(p) => self.slot(p)?,
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
        self.frames.push((self.calls, frame));
        self.calls += 1;
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

    /// What a reference to a place is: another name of it, or the temporary that it is.
    fn slot(&mut self, place: &Place) -> Eval<Slot> {
        Ok(match self.target(place)? {
            Target::At(pointer) => Slot::Alias(pointer),
            Target::Value(v) => Slot::Value(v),
        })
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
                let slot = self.slot(place)?;
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
