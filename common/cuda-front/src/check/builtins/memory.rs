//! Functions whose types or arguments follow no table: loads, `make_float4`, `printf`, `assert`.

use super::super::Checker;
use super::super::ty::{self, QTy, Ty};
use super::super::value::{Node, Value};
use super::{binary, compare, convert, converted, int, intrinsic_call, surface, texture};
use crate::hir::{self, Const, Expr, ExprKind, IntType, Intrinsic, PlaceKind};
use cuda_syntax::Text;
use cuda_syntax::ast::TemplateArgument;
use simt_ir::MathFunction;
use simt_ir::pointer::Space;
use source::{Code, Diagnostic, Span, words};
use std::sync::Arc;

pub(super) const SPECIAL: &[&str] = words!(
    "__ldg __ldca __ldcg __ldcs __ldlu __ldcv __stcg __stcs __stwb __stwt printf assert __assert_fail
     __builtin_assume __assume swap sincosf sincos __sincosf sincospi sincospif nan nanf __isGlobal
     __isShared __isConstant __isLocal __builtin_unreachable"
);

/// Whether a function is one of this file.
pub(super) fn is_special(name: &str) -> bool {
    SPECIAL.contains(&name) || vector_of(name).is_some() || texture::is_read(name) || surface::is_access(name)
}

/// `float4` of `make_float4`.
fn vector_of(name: &str) -> Option<&str> {
    let vector = name.strip_prefix("make_")?;
    (vector != "dim3" && ty::vector_type(vector).is_some()).then_some(vector)
}

pub(super) fn call<'a>(
    c: &mut Checker<'a>,
    name: &str,
    explicit: &'a [TemplateArgument],
    arguments: Vec<Value>,
    span: Span,
) -> Value {
    if let Some(vector) = vector_of(name) {
        return make_vector(c, name, vector, arguments, span);
    }
    if surface::is_access(name) {
        return surface::call(c, name, explicit, arguments, span);
    }
    if texture::is_read(name) {
        return texture::call(c, name, explicit, arguments, span);
    }
    match name {
        "__ldg" => load(c, name, arguments, true, span),
        "__ldca" | "__ldcg" | "__ldcs" | "__ldlu" | "__ldcv" => load(c, name, arguments, false, span),
        "__stcg" | "__stcs" | "__stwb" | "__stwt" => store(c, name, arguments, span),
        "printf" => printf(c, arguments, span),
        "assert" => assert(c, name, arguments, span),
        "__assert_fail" => assert_fail(c, name, arguments, span),
        "swap" => swap(c, arguments, span),
        "sincosf" | "sincos" | "__sincosf" | "sincospi" | "sincospif" => sincos(c, name, arguments, span),
        "nan" | "nanf" => not_a_number(c, name, arguments, span),
        "__isGlobal" | "__isShared" | "__isConstant" | "__isLocal" => points_into(c, name, arguments, span),
        // Hints to the optimiser, without effect.
        _ => {
            let zero = c.types.make_int(0, span);
            c.rvalue_for_effect(zero)
        }
    }
}

pub(super) fn count(c: &mut Checker, name: &str, arguments: &[Value], wants: usize, span: Span) -> bool {
    let n = arguments.len();
    if n != wants {
        c.sink.push(super::wrong_count(name, wants, wants, n).label(span, ""));
    }
    n == wants
}

fn make_vector(c: &mut Checker, name: &str, vector: &str, arguments: Vec<Value>, span: Span) -> Value {
    let Some((element, n, _)) = ty::vector_type(vector) else { return Value::error(span) };
    if !count(c, name, &arguments, n as usize, span) {
        return Value::error(span);
    }
    let wanted = std::iter::repeat((&element, "for this component"));
    let Some(parts) = converted(c, arguments, wanted) else { return Value::error(span) };
    match c.vector(vector) {
        Some(t) => c.types.make(ExprKind::Struct(parts), t, span),
        None => Value::error(span),
    }
}

/// The pointer and what it points to, if that is a scalar or vector.
fn pointed(c: &mut Checker, name: &str, v: Value) -> Option<(Value, QTy)> {
    let to =
        match Ty::decayed(&v.ty) {
            Ty::Pointer(q) => q.q.clone(),
            _ => {
                let spelled = c.types.spell(&v.ty);
                let title = format!("`{name}` needs a pointer, but this is `{spelled}`");
                let diagnostic = Diagnostic::new(Code::WrongArgumentType, title).label(v.span, "");
                c.sink.push(diagnostic.help(format!(
                    "pass the address of the element, as in `{name}(&a[i])` or `{name}(a + i)`"
                )));
                return None;
            }
        };
    let fits = match &to.ty {
        t if t.is_wide() => false,
        Ty::Int(_) | Ty::Float | Ty::Double => true,
        Ty::Struct(s) => c.types.class(*s).vector.as_ref().is_some_and(|(_, n)| *n != 3),
        _ => false,
    };
    if !fits {
        let spelled = c.types.spell_ty(&to.ty);
        let d = Diagnostic::new(Code::WrongArgumentType, format!("`{name}` does not load `{spelled}`"))
            .label(v.span, "")
            .note("it takes numbers, and vectors of two or four of them");
        c.sink.push(d);
        return None;
    }
    Some((c.rvalue(v), to))
}

fn load(c: &mut Checker, name: &str, mut arguments: Vec<Value>, read_only: bool, span: Span) -> Value {
    if !count(c, name, &arguments, 1, span) {
        return Value::error(span);
    }
    let Some((pointer, to)) = pointed(c, name, arguments.remove(0)) else { return Value::error(span) };
    if pointer.is_error() {
        return pointer;
    }
    if !read_only {
        let place = c.deref(pointer, span);
        return c.rvalue(place);
    }
    let pointer = c.plain_expr(pointer);
    let kind = ExprKind::Intrinsic { intrinsic: Intrinsic::ReadOnlyLoad, arguments: vec![pointer] };
    c.types.make(kind, to.ty, span)
}

fn store(c: &mut Checker, name: &str, mut arguments: Vec<Value>, span: Span) -> Value {
    if !count(c, name, &arguments, 2, span) {
        return Value::error(span);
    }
    let value = arguments.remove(1);
    let Some((pointer, to)) = pointed(c, name, arguments.remove(0)) else { return Value::error(span) };
    let place = c.deref(pointer, span);
    let value = c.convert(value, &QTy::plain(to.ty.clone()), "for the value to store");
    let Some(place) = c.assignable(place, span) else { return Value::error(span) };
    let value = Box::new(c.plain_expr(value));
    let stored = c.types.make(ExprKind::Assign { place, value }, to.ty, span);
    c.rvalue_for_effect(stored)
}

fn printf(c: &mut Checker, arguments: Vec<Value>, span: Span) -> Value {
    let mut converted = Vec::new();
    let mut promoted = Vec::new();
    for (i, v) in arguments.into_iter().enumerate() {
        if v.ty.ty.is_struct() || v.ty.ty == Ty::Void {
            let spelled = c.types.spell(&v.ty);
            let title = format!("`printf` cannot print `{spelled}`");
            let d = Diagnostic::new(Code::WrongArgumentType, title).label(v.span, "");
            let field = match v.ty.ty {
                Ty::Struct(class) => c.types.layout(class).fields.first().map(|f| f.name.clone()),
                _ => None,
            };
            c.sink.push(match field.filter(|name| !name.is_empty()) {
                Some(field) => d
                    .help(format!("a structure is printed member by member: write `.{field}` after it"))
                    .edit(v.span.after(), &format!(".{field}")),
                None => d.help("print a number, a pointer or a string"),
            });
            return Value::error(span);
        }
        let v = c.rvalue(v);
        if v.is_error() {
            return v;
        }
        let v = match &v.ty.ty {
            Ty::Float => c.apply(v, &Ty::Double),
            Ty::Enum(e) => {
                let to = c.types.enums[e.0 as usize].underlying.promoted();
                c.apply(v, &to)
            }
            t if t.is_wide() => {
                c.sink.unsupported("`printf` of an integer of 128 bits", v.span);
                return Value::error(span);
            }
            t if t.is_integral() => {
                let to = t.promoted();
                c.apply(v, &to)
            }
            _ => v,
        };
        if i > 0 {
            promoted.push(v.clone());
        }
        let e = c.plain_expr(v.clone());
        if i == 0
            && !matches!(&e.kind, ExprKind::Str(text) if text.ty == IntType::Char && text.utf8().is_some())
        {
            let text = Ty::pointer(QTy { is_const: true, ..QTy::plain(Ty::Int(IntType::Char)) });
            if c.convert(v, &QTy::plain(text), "the format of `printf`").is_error() {
                return Value::error(span);
            }
            c.sink.push(
                Diagnostic::new(
                    Code::UnsupportedFeature,
                    "`printf` with a format that is not a string literal is not supported by the simulator yet",
                )
                .label(e.span, ""),
            );
            return Value::error(span);
        }
        converted.push(e);
    }
    if converted.is_empty() {
        c.sink.wrong(Code::WrongArgumentCount, "`printf` needs a format", span);
        return Value::error(span);
    }
    if let ExprKind::Str(format) = &converted[0].kind
        && let Some(format) = format.utf8()
    {
        super::format::check(c, &format, &promoted, span);
    }
    c.types.make(ExprKind::Intrinsic { intrinsic: Intrinsic::Print, arguments: converted }, ty::INT, span)
}

fn assert(c: &mut Checker, name: &str, mut arguments: Vec<Value>, span: Span) -> Value {
    if !count(c, name, &arguments, 1, span) {
        return Value::error(span);
    }
    let v = arguments.remove(0);
    let text = Text::narrow(c.map.text(v.span));
    let at = v.span;
    let condition = c.condition(v);
    failing_unless(c, *condition, text, at, span)
}

/// `__assert_fail(text, file, line, function)`, to which `assert` of the host's header expands.
fn assert_fail(c: &mut Checker, name: &str, arguments: Vec<Value>, span: Span) -> Value {
    if !count(c, name, &arguments, 4, span) {
        return Value::error(span);
    }
    let texts = arguments.into_iter().map(|v| c.rvalue(v)).collect::<Vec<_>>();
    let text = match &texts[0].node {
        Node::Rvalue(e) => match &e.kind {
            ExprKind::Str(text) => text.clone(),
            _ => Text::narrow(c.map.text(e.span)),
        },
        _ => return Value::error(span),
    };
    let never = c.types.make_const(Const::Bool(false), Ty::Bool, span);
    let never = c.expr_of(never);
    failing_unless(c, *never, text, span, span)
}

fn failing_unless(c: &mut Checker, condition: Expr, text: Text, at: Span, span: Span) -> Value {
    let pointer = hir::Pointee { ty: hir::Type::Int(IntType::Char), is_const: true, is_volatile: false };
    let message = Expr { kind: ExprKind::Str(text), ty: hir::Type::Pointer(Arc::new(pointer)), span: at };
    let arguments = vec![condition, message];
    c.types.make(ExprKind::Intrinsic { intrinsic: Intrinsic::Assert, arguments }, Ty::Void, span)
}

/// `nanf("")`: the device's own NaN. A payload in the text is refused.
fn not_a_number(c: &mut Checker, name: &str, mut arguments: Vec<Value>, span: Span) -> Value {
    if !count(c, name, &arguments, 1, span) {
        return Value::error(span);
    }
    let text = c.rvalue(arguments.remove(0));
    let empty = match c.plain_expr(text).kind {
        ExprKind::Str(text) => text.units.is_empty(),
        _ => false,
    };
    if !empty {
        let title = format!("`{name}` with a text other than \"\" is not supported by the simulator yet");
        c.sink.wrong(Code::UnsupportedFeature, title, span);
        return Value::error(span);
    }
    let (value, ty) = if name == "nan" {
        (Const::Double(f64::from_bits(0x7ff8_0000_0000_0000)), Ty::Double)
    } else {
        (Const::Float(f32::from_bits(0x7fff_ffff)), Ty::Float)
    };
    c.types.make(ExprKind::Const(value), ty, span)
}

/// `__isShared(p)` and the like: the space in the pointer's upper four bits (see `simt_ir::pointer`).
fn points_into(c: &mut Checker, name: &str, mut arguments: Vec<Value>, span: Span) -> Value {
    if !count(c, name, &arguments, 1, span) {
        return Value::error(span);
    }
    let space = match name {
        "__isGlobal" => Space::Global,
        "__isShared" => Space::Shared,
        "__isConstant" => Space::Constant,
        _ => Space::Local,
    };
    let anything = QTy { is_const: true, ..QTy::plain(Ty::Void) };
    let pointer = c.convert(arguments.remove(0), &QTy::plain(Ty::pointer(anything)), "for this argument");
    if pointer.is_error() {
        return pointer;
    }
    let wide = hir::Type::Int(IntType::UnsignedLongLong);
    let bits = convert(c.plain_expr(pointer), wide);
    let tag = binary(hir::BinaryOp::Shr, bits, int(60, IntType::Int, span));
    let wanted = int(space as i64, IntType::UnsignedLongLong, span);
    let truth = compare(hir::CompareOp::Eq, tag, wanted, span);
    Value {
        node: Node::Rvalue(Box::new(convert(truth, hir::Type::Int(IntType::UnsignedInt)))),
        ty: QTy::plain(ty::UINT),
        span,
    }
}

/// `std::swap(a, b)` through a temporary.
fn swap(c: &mut Checker, mut arguments: Vec<Value>, span: Span) -> Value {
    if !count(c, "swap", &arguments, 2, span) {
        return Value::error(span);
    }
    let (b, a) = (arguments.remove(1), arguments.remove(0));
    if a.ty.ty != b.ty.ty || matches!(a.ty.ty, Ty::Array(..)) {
        let types = c.types.argument_types(&[a, b]);
        c.sink.wrong(Code::NoMatchingFunction, format!("no function `swap` takes {types}"), span);
        return Value::error(span);
    }
    let ty = a.ty.ty.clone();
    let (Some(x), Some(y)) = (c.assignable(a.clone(), span), c.assignable(b.clone(), span)) else {
        return Value::error(span);
    };
    let local = c.new_temporary(&QTy::plain(ty.clone()), span);
    let assign = |c: &mut Checker, place: hir::Place, v: Value| {
        let value = Box::new(c.plain_expr(v));
        c.types.make(ExprKind::Assign { place, value }, ty.clone(), span)
    };
    let kept = c.local_place(local, span);
    let Node::Place(kept_place) = kept.node.clone() else { return Value::error(span) };
    let steps = [assign(c, kept_place, a), assign(c, x, b), assign(c, y, kept)];
    let [first, second, third] = steps;
    let both = c.comma(first, second, span);
    let all = c.comma(both, third, span);
    c.rvalue_for_effect(all)
}

/// `sincosf(x, &s, &c)`.
fn sincos(c: &mut Checker, name: &str, mut arguments: Vec<Value>, span: Span) -> Value {
    if !count(c, name, &arguments, 3, span) {
        return Value::error(span);
    }
    let t = if matches!(name, "sincos" | "sincospi") { Ty::Double } else { Ty::Float };
    let functions = match name {
        "sincospi" | "sincospif" => (MathFunction::SinPi, MathFunction::CosPi),
        _ => (MathFunction::Sin, MathFunction::Cos),
    };
    let target = QTy::plain(Ty::pointer(QTy::plain(t.clone())));
    let (cosine, sine, x) = (arguments.remove(2), arguments.remove(1), arguments.remove(0));
    let kept = c.new_temporary(&QTy::plain(t.clone()), span);
    let x = c.convert(x, &QTy::plain(t.clone()), "for the angle");
    let sine = c.convert(sine, &target, "for the sine");
    let cosine = c.convert(cosine, &target, "for the cosine");
    if x.is_error() || sine.is_error() || cosine.is_error() {
        return Value::error(span);
    }
    let place = c.local_place(kept, span);
    let Node::Place(kept_place) = place.node.clone() else { return Value::error(span) };
    let value = Box::new(c.plain_expr(x));
    let mut all = c.types.make(ExprKind::Assign { place: kept_place, value }, t.clone(), span);
    for (pointer, m) in [(sine, functions.0), (cosine, functions.1)] {
        let pointer = c.plain_expr(pointer);
        let target = c.types.make_place(PlaceKind::Deref(Box::new(pointer)), QTy::plain(t.clone()), span);
        let Node::Place(target) = target.node else { return Value::error(span) };
        let angle = c.plain_expr(place.clone());
        let value = Box::new(intrinsic_call(Intrinsic::Math(m), vec![angle], c.types.hir_type(&t), span));
        let store = c.types.make(ExprKind::Assign { place: target, value }, t.clone(), span);
        all = c.comma(all, store, span);
    }
    let e = c.plain_expr(all);
    let e = convert(e, hir::Type::Void);
    Value { node: Node::Rvalue(Box::new(e)), ty: QTy::plain(Ty::Void), span }
}
