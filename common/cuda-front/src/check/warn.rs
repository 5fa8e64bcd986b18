//! Warnings: right C++, but certainly not meant.

use super::ty::{QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, written::spell_const};
use crate::hir::{BinaryOp, CompareOp, Const, Expr, ExprKind, Intrinsic, Place, PlaceKind, Type};
use cuda_syntax::ast::{self, BinaryOp as A, BuiltinType, ExprKind as E};
use source::{Code, Diagnostic, Kind, Span};

/// The double literal that an expression is, sign and parentheses aside.
fn double_literal_of(e: &ast::Expr) -> Option<&ast::Expr> {
    match &e.kind {
        E::Float { ty: BuiltinType::Double, .. } => Some(e),
        E::Paren(inner) | E::Unary { op: ast::UnaryOp::Minus | ast::UnaryOp::Plus, operand: inner } => {
            double_literal_of(inner)
        }
        _ => None,
    }
}

/// `x * 0.5` with a float `x` computes in double precision.
pub(super) fn double_literal<'a>(
    c: &mut Checker<'a>,
    lhs: (&'a ast::Expr, &Value),
    rhs: (&'a ast::Expr, &Value),
    op_span: Span,
) {
    if c.body.unevaluated > 0 || c.body.constant > 0 {
        return;
    }
    for ((e, _), (_, other)) in [(lhs, rhs), (rhs, lhs)] {
        let Some(literal) = double_literal_of(e) else { continue };
        if other.ty.ty != Ty::Float {
            continue;
        }
        let text = c.map.text(literal.span).to_owned();
        c.sink.push(
            Diagnostic::new(
                Code::DoubleLiteral,
                format!("`{text}` is a `double`, so this is computed in double precision"),
            )
            .label(literal.span, "a `double`")
            .label(op_span, "in double precision")
            .help(format!("write `{text}f` for a `float`")),
        );
    }
}

/// The result goes to a `double`: the literals of its arithmetic are meant as they are.
fn double_is_wanted(c: &mut Checker, e: &Expr) {
    match &e.kind {
        ExprKind::Const(_) => c.sink.reported().retain(|d| {
            let literal = d.labels.first().map(|label| label.span);
            d.code != Code::DoubleLiteral || !literal.is_some_and(|literal| e.span.contains(literal))
        }),
        ExprKind::Unary { operand, .. } => double_is_wanted(c, operand),
        ExprKind::Binary { lhs, rhs, .. } => {
            double_is_wanted(c, lhs);
            double_is_wanted(c, rhs);
        }
        ExprKind::Conditional { then, otherwise, .. } => {
            double_is_wanted(c, then);
            double_is_wanted(c, otherwise);
        }
        _ => {}
    }
}

/// Division by a constant zero, shift counts that are too large. `ty` is the result's type, `r` the right operand if it is a
/// constant.
pub(super) fn arithmetic(c: &mut Checker, op: BinaryOp, ty: &Ty, r: Option<Const>, op_span: Span) {
    divisor(c, op, r, op_span);
    if let (BinaryOp::Shl | BinaryOp::Shr, Some(Const::Int(n, _)), Ty::Int(t)) = (op, r, ty)
        && !(0..i64::from(t.bits())).contains(&n)
    {
        let bits = t.bits();
        c.sink.wrong(
            Code::ShiftCount,
            format!("a shift by {n} of a value of {bits} bits is undefined"),
            op_span,
        );
    }
}

pub(super) fn divisor(c: &mut Checker, op: BinaryOp, r: Option<Const>, op_span: Span) {
    if let (BinaryOp::Div | BinaryOp::Rem, Some(Const::Int(0, _))) = (op, r)
        && c.body.constant == 0
    {
        c.sink.push(
            Diagnostic::new(Code::DivisionByZero, "this divides an integer by zero")
                .with_kind(Kind::Warning)
                .label(op_span, ""),
        );
    }
}

/// `u < 0` and `u >= 0` of an unsigned value.
pub(super) fn comparison(c: &mut Checker, op: CompareOp, l: &Value, r: &Value, op_span: Span) {
    let unsigned = |v: &Value| v.ty.ty.is_unsigned() && v.constant().is_none();
    let zero = |v: &Value| matches!(v.constant(), Some(Const::Int(0, _)));
    let always = match op {
        CompareOp::Lt if unsigned(l) && zero(r) => Some((l, false)),
        CompareOp::Ge if unsigned(l) && zero(r) => Some((l, true)),
        CompareOp::Gt if zero(l) && unsigned(r) => Some((r, false)),
        CompareOp::Le if zero(l) && unsigned(r) => Some((r, true)),
        _ => None,
    };
    if let Some((value, truth)) = always
        && c.sink.body.instance.is_none()
        && c.body.constant == 0
    {
        let name = c.types.spell(&value.ty);
        let side = if truth { "always true" } else { "always false" };
        c.sink.push(
            Diagnostic::new(Code::UnsignedComparison, format!("this is {side}: `{name}` is never below 0"))
                .label(op_span, "")
                .label(value.span, "unsigned")
                .help("compute with signed integers where a difference can be negative"),
        );
    }
}

/// The division of two integers, with remainder, that a value is: of constants if it gives 0, and otherwise of literals, because constants
/// with names are also rounded down on purpose.
fn lossy_quotient(c: &Checker, v: &Value, of_literals: bool) -> Option<(i64, i64)> {
    let Node::Rvalue(e) = &v.node else { return None };
    let ExprKind::Binary { op: BinaryOp::Div, lhs, rhs } = &e.kind else { return None };
    let (ExprKind::Const(Const::Int(a, _)), ExprKind::Const(Const::Int(b, _))) = (&lhs.kind, &rhs.kind)
    else {
        return None;
    };
    let is_literal = |e: &Expr| c.map.text(e.span).starts_with(|first: char| first.is_ascii_digit());
    let is_suspect =
        a.checked_rem(*b)? != 0 && (is_literal(lhs) && is_literal(rhs) || !of_literals && a / b == 0);
    is_suspect.then_some((*a, *b))
}

/// `float x = 1 / 2` is 0, and `7 / 2` is 3.
pub(super) fn integer_quotient(c: &mut Checker, v: &Value) {
    if let Some((a, b)) = lossy_quotient(c, v, false) {
        let title = format!("the integer division {a} / {b} gives {}", a / b);
        c.sink.push(
            Diagnostic::new(Code::IntegerDivision, title)
                .label(v.span, "computed with integers, then converted")
                .help(format!("write `{a}.0f / {b}.0f`")),
        );
    }
}

/// Whether a text is a name, a number, an element or a call, or has parentheses around it.
fn is_one_operand(text: &str) -> bool {
    let mut depth = 0;
    text.chars().all(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.' | ')' | ']')
    })
}

/// `1 / 2 * i` of integers is 0. `100 / 32 * 32`, which rounds down, is meant.
pub(super) fn multiplied_quotient(c: &mut Checker, l: &Value, r: &Value) {
    if !l.ty.ty.is_integral() || !r.ty.ty.is_integral() || c.body.unevaluated > 0 {
        return;
    }
    for (quotient, other) in [(l, r), (r, l)] {
        let Some((a, b)) = lossy_quotient(c, quotient, true) else { continue };
        if matches!(other.constant(), Some(Const::Int(n, _)) if n == b) {
            continue;
        }
        let factor = c.map.text(other.span);
        let factor = if is_one_operand(factor) { factor.to_owned() } else { format!("({factor})") };
        let product = if a == 1 { factor } else { format!("{a} * {factor}") };
        let title = format!("the integer division {a} / {b} gives {}", a / b);
        c.sink.push(
            Diagnostic::new(Code::IntegerDivision, title)
                .label(quotient.span, "divided before it is multiplied")
                .help(format!(
                    "divide last, as in `{product} / {b}`; for a fraction, write `{a}.0f / {b}.0f`"
                )),
        );
        return;
    }
}

/// Whether a floating-point value is certainly a whole number.
fn is_whole(e: &Expr) -> bool {
    use simt_ir::MathFunction as M;
    match &e.kind {
        ExprKind::Const(constant) => match constant {
            Const::Float(x) => x.fract() == 0.0,
            Const::Double(x) => x.fract() == 0.0,
            Const::Int(..) | Const::Bool(_) => true,
        },
        ExprKind::Convert { operand } => {
            !matches!(operand.ty, Type::Float | Type::Double) || is_whole(operand)
        }
        ExprKind::Intrinsic {
            intrinsic: Intrinsic::Math(M::Floor | M::Ceil | M::Trunc | M::Round | M::RoundEven),
            ..
        } => true,
        ExprKind::Unary { operand, .. } => is_whole(operand),
        ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, lhs, rhs } => {
            is_whole(lhs) && is_whole(rhs)
        }
        ExprKind::Conditional { then, otherwise, .. } => is_whole(then) && is_whole(otherwise),
        _ => false,
    }
}

/// `sum += a[i] * b[i]` of an integer and floats loses the fraction of each term.
pub(super) fn added_fraction(c: &mut Checker, op_span: Span, to: &QTy, value: &Expr) {
    // A template may be used with an integer and with a float.
    if !matches!(value.ty, Type::Float | Type::Double) || is_whole(value) || c.sink.body.instance.is_some() {
        return;
    }
    let ty = if value.ty == Type::Float { "float" } else { "double" };
    let name = c.types.spell(to);
    c.sink.push(
        Diagnostic::new(
            Code::FractionLost,
            format!("a `{ty}` is added to an integer (`{name}`): the fraction is lost"),
        )
        .label(op_span, "rounded toward zero each time")
        .label(value.span, format!("a `{ty}`"))
        .help(format!("declare the variable as `{ty}`, or convert the value if whole numbers are meant")),
    );
}

/// The same as [`added_fraction`], spelled `sum = sum + a[i] * b[i]`.
pub(super) fn assigned_fraction(c: &mut Checker, op_span: Span, place: &Place, value: &Expr) {
    let PlaceKind::Local(id) = &place.kind else { return };
    let (ExprKind::Convert { operand: sum }, Type::Int(_)) = (&value.kind, &value.ty) else { return };
    let ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } = &sum.kind else { return };
    let is_own = |e: &Expr| match &e.kind {
        ExprKind::Convert { operand } => {
            matches!(&operand.kind, ExprKind::Load(from) if matches!(&from.kind, PlaceKind::Local(own) if own == id))
        }
        _ => false,
    };
    let added = match (is_own(lhs), is_own(rhs)) {
        (true, _) => rhs,
        (_, true) => lhs,
        _ => return,
    };
    let to = c.body.infos[id.0 as usize].q.clone();
    added_fraction(c, op_span, &to, added);
}

impl<'a> Checker<'a> {
    /// A value goes to a target of this type: a variable, a parameter, a result.
    pub(super) fn goes_to(&mut self, v: &Value, target: &Ty) {
        if let (Ty::Double, Node::Rvalue(e)) = (target, &v.node) {
            double_is_wanted(self, e);
        }
    }

    /// What an implicit conversion may lose.
    pub(super) fn warn_conversion(&mut self, v: &Value, to: &Ty) {
        if to.is_floating() && v.ty.ty.is_integral() {
            integer_quotient(self, v);
        }
    }
}

/// A constant index outside its array.
pub(super) fn bounds(c: &mut Checker, index: &Value, n: u64, array: &Place) {
    let Some(Const::Int(i, _)) = index.constant() else { return };
    if n == super::ty::UNSIZED || c.body.unevaluated > 0 || (i >= 0 && (i as u64) < n) {
        return;
    }
    let mut d =
        Diagnostic::new(Code::IndexOutOfBounds, format!("the index {i} is outside an array of {n} elements"))
            .label(index.span, "");
    if let Some(local) = crate::visit::root_local(array) {
        d = d.label(c.body.locals[local.0 as usize].span, "declared here");
    }
    c.sink.push(d);
}

/// `if (a = b)`.
pub(super) fn assigned_condition(c: &mut Checker, e: &ast::Expr) {
    if let E::Assign { op: None, op_span, .. } = &e.kind {
        let of_const = |d: &&mut Diagnostic| {
            d.code == Code::AssignToConst && d.help.is_empty() && d.span().is_some_and(|s| e.span.contains(s))
        };
        if let Some(d) = c.sink.reported().iter_mut().rev().find(of_const) {
            d.help.push("a comparison is written `==`; a single `=` assigns".into());
        }
        c.sink.push(
            Diagnostic::new(Code::AssignmentInCondition, "this assigns where a comparison is expected")
                .label(*op_span, "")
                .help("write `==`, or put the assignment into another pair of parentheses")
                .edit(*op_span, "=="),
        );
    }
}

/// `a =+ b`.
pub(super) fn assigned_sign(c: &mut Checker, op_span: Span, rhs: &ast::Expr) {
    let touches = rhs.span.file == op_span.file && rhs.span.start == op_span.end;
    let text = c.map.text(rhs.span);
    let Some(sign) = text.chars().next().filter(|sign| matches!(sign, '+' | '-')) else { return };
    if touches && text[1..].starts_with(' ') {
        let does = if sign == '+' { "adds" } else { "subtracts" };
        c.sink.push(
            Diagnostic::new(Code::AssignedSign, format!("`={sign}` assigns, and {does} nothing"))
                .label(op_span, format!("as `= {sign}`"))
                .help(format!(
                    "write `{sign}=`; if the sign is intended, write a space before it and none after it"
                )),
        );
    }
}

/// `a == b;`
pub(super) fn unused_result(c: &mut Checker, e: &ast::Expr, v: &Value) {
    let E::Binary { op, op_span, .. } = &e.kind else {
        if let (E::Path(_) | E::Int { .. } | E::Float { .. } | E::Index(_) | E::Member { .. }, false) =
            (&e.kind, v.is_error())
        {
            let text = v.constant().map(spell_const).unwrap_or_else(|| c.map.text(e.span).to_owned());
            c.sink.report(
                Code::UnusedResult,
                format!("the value of `{text}` is not used"),
                e.span,
                "this does nothing",
            );
        }
        return;
    };
    if v.is_error() || v.ty.ty.is_struct() || matches!(op, A::Comma | A::And | A::Or) {
        return;
    }
    let mut d = Diagnostic::new(Code::UnusedResult, "the result of this expression is not used")
        .label(*op_span, "this does nothing");
    if *op == A::EQUAL {
        d = d.help("write `=` to assign").edit(*op_span, "=");
    }
    c.sink.push(d);
}
