//! CUDA's built-in functions and values: tables, one file per area, and choosing among their overloads.
//!
//! A signature is written `result:parameters`, a letter a type: `v` void, `b` bool, `c` char, `h` signed char, `C`
//! unsigned char, `s` short, `S` unsigned short, `i` int, `u` unsigned, `l` long, `L` unsigned long, `q` long long,
//! `Q` unsigned long long, `f` float, `d` double, `t` texture handle; `*` before a letter makes a pointer of it,
//! `&` one to what is `const`.
//! Overloads are separated by spaces.

mod assembly;
mod atomic;
mod bits;
mod conversions;
mod format;
mod math;
mod memory;
mod ordered;
mod surface;
mod tensor;
mod texture;
pub(super) mod unsupported;
pub(super) mod values;
mod warp;

use super::Checker;
use super::rank::{Rank, better};
use super::resolve::wrong_count;
use super::ty::{QTy, Ty};
use super::value::Value;
use crate::hir::{self, Const, Expr, ExprKind, IntType, Intrinsic};
use cuda_syntax::ast::TemplateArgument;
use source::hash::Map;
use source::{Code, Diagnostic, Span};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Makes the typed expression of a call from converted arguments.
type Build = fn(Vec<Expr>, hir::Type, Span) -> Expr;

/// What a call becomes.
#[derive(Clone, Copy)]
enum Action {
    /// The function itself.
    Is(Intrinsic),
    /// The argument converted to the result.
    Convert,
    /// The argument's bits as the result.
    Bits,
    /// Something put together.
    Build(Build),
}

/// A row: name, signatures, meaning.
type Row = (&'static str, &'static str, Action);

/// A result and parameters.
pub(super) type Signature = (Ty, Vec<Ty>);

struct Function {
    /// As in its row.
    signatures: &'static str,
    action: Action,
}

impl Function {
    fn signatures(&self) -> Vec<Signature> {
        let each = self.signatures.split(' ').map(|s| {
            let (result, parameters) = s.split_once(':').unwrap_or((s, ""));
            (types(result).remove(0), types(parameters))
        });
        each.collect()
    }
}

fn letter(c: char) -> Ty {
    use IntType::*;
    match c {
        'v' => Ty::Void,
        'b' => Ty::Bool,
        'c' => Ty::Int(Char),
        'h' => Ty::Int(SignedChar),
        'C' => Ty::Int(UnsignedChar),
        's' => Ty::Int(Short),
        'S' => Ty::Int(UnsignedShort),
        'i' => Ty::Int(Int),
        'u' => Ty::Int(UnsignedInt),
        'l' => Ty::Int(Long),
        'L' => Ty::Int(UnsignedLong),
        'q' => Ty::Int(LongLong),
        'Q' => Ty::Int(UnsignedLongLong),
        'f' => Ty::Float,
        'd' => Ty::Double,
        't' => Ty::Texture,
        _ => Ty::Error,
    }
}

fn types(text: &str) -> Vec<Ty> {
    let mut list = Vec::with_capacity(text.len());
    let mut pointer = None;
    for c in text.chars() {
        if matches!(c, '*' | '&') {
            pointer = Some(c == '&');
            continue;
        }
        let t = letter(c);
        list.push(match pointer.take() {
            Some(is_const) => Ty::pointer(QTy { is_const, ..QTy::plain(t) }),
            None => t,
        });
    }
    list
}

fn table() -> &'static Map<&'static str, Function> {
    static TABLE: OnceLock<Map<&'static str, Function>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let rows =
            [bits::ROWS, conversions::ROWS, conversions::TO_INTEGERS, atomic::ROWS, warp::ROWS, tensor::ROWS];
        let mut map = Map::default();
        for (name, signatures, action) in math::ROWS.iter().copied().chain(rows).flatten() {
            map.insert(*name, Function { signatures, action: *action });
        }
        map
    })
}

/// The name in the table: `atomicAdd_block` is `atomicAdd` here, as are the names of the standard library.
fn canonical(name: &str) -> &str {
    if name.starts_with("atomic") {
        return atomic::scope(name).0;
    }
    name.strip_prefix("__builtin_").filter(|n| table().contains_key(n)).unwrap_or(name)
}

/// Whether CUDA has a function of the name that is supported.
pub(super) fn is_known(name: &str) -> bool {
    table().contains_key(canonical(name))
        || memory::is_special(name)
        || tensor::is_vector(name)
        || ordered::is_ordered(name)
}

/// The result and the parameters of a function that is not overloaded.
pub(super) fn only_signature(name: &str) -> Option<Signature> {
    let [signature] = table().get(canonical(name))?.signatures().try_into().ok()?;
    Some(signature)
}

/// Every name, for suggestions.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = table().keys().copied().chain(memory::SPECIAL.iter().copied()).collect();
    names.extend(values::NAMES);
    names.sort_unstable();
    names
}

/// A call of a built-in function.
pub(super) fn call<'a>(
    c: &mut Checker<'a>,
    name: &str,
    explicit: &'a [TemplateArgument],
    arguments: Vec<Value>,
    span: Span,
) -> Value {
    if memory::is_special(name) {
        return memory::call(c, name, explicit, arguments, span);
    }
    if tensor::is_vector(name) {
        return tensor::call(c, name, arguments, span);
    }
    if ordered::is_ordered(name) {
        return ordered::call(c, name, arguments, span);
    }
    let Some(function) = table().get(canonical(name)) else { return Value::error(span) };
    if !c.body.on_device && c.body.constant == 0 && c.body.unevaluated == 0 && c.scopes.here.serial == 0 {
        c.sink.wrong(Code::MisplacedCall, format!("`{name}` can only be called in device code"), span);
        return Value::error(span);
    }
    let signatures = function.signatures();
    let Some(best) = choose(c, name, &signatures, &arguments, span) else { return Value::error(span) };
    let (result, parameters) = &signatures[best];
    // `max(float, double)` is computed in `double`.
    let wider = parameters.contains(&Ty::Float) && parameters.contains(&Ty::Double);
    let wanted = parameters.iter().map(|t| if wider && *t == Ty::Float { &Ty::Double } else { t });
    let Some(converted) = converted(c, arguments, wanted.map(|t| (t, "for this argument"))) else {
        return Value::error(span);
    };
    let ty = c.types.hir_type(result);
    let e = match function.action {
        Action::Is(intrinsic) => intrinsic_call(atomic::of_scope(intrinsic, name), converted, ty, span),
        Action::Convert => one(converted, |operand| ExprKind::Convert { operand }, ty, span),
        Action::Bits => one(converted, |operand| ExprKind::Bits { operand }, ty, span),
        Action::Build(build) => build(converted, ty, span),
    };
    Value { node: super::value::Node::Rvalue(Box::new(e)), ty: QTy::plain(result.clone()), span }
}

/// The overload that fits best; says why if there is none.
fn choose(
    c: &mut Checker,
    name: &str,
    signatures: &[Signature],
    arguments: &[Value],
    span: Span,
) -> Option<usize> {
    let mut fits: Vec<(usize, Vec<Rank>)> = Vec::new();
    for (i, (_, parameters)) in signatures.iter().enumerate() {
        if parameters.len() != arguments.len() {
            continue;
        }
        let ranks: Option<Vec<_>> =
            arguments.iter().zip(parameters).map(|(a, p)| c.rank(a, &QTy::plain(p.clone()))).collect();
        if let Some(ranks) = ranks {
            fits.push((i, ranks));
        }
    }
    let beats = |a: &[Rank], b: &[Rank]| better(a, b) == Ordering::Less;
    let best = fits.iter().position(|(i, a)| fits.iter().all(|(j, b)| i == j || beats(a, b)));
    if let Some(best) = best {
        return Some(fits[best].0);
    }
    // Integers given to a function of `float` and `double`: the standard library computes in `double`.
    let floating = signatures.iter().all(|(_, p)| p.first().is_some_and(Ty::is_floating));
    if floating && let Some((i, _)) = fits.iter().find(|(i, _)| signatures[*i].1.contains(&Ty::Double)) {
        return Some(*i);
    }
    if fits.is_empty()
        && matches!(name, "atomicCAS" | "atomicExch")
        && arguments.iter().any(|a| is_wide(&Ty::decayed(&a.ty)))
    {
        let types = c.types.argument_types(arguments);
        c.sink.unsupported(&format!("{name}{types}"), span);
        return None;
    }
    report(c, name, signatures, arguments, fits.is_empty(), span);
    None
}

/// Whether this points to something of which devices have atomics that the simulator has not: 128 bits.
fn is_wide(ty: &Ty) -> bool {
    matches!(ty, Ty::Pointer(to) if to.ty.is_struct() || to.ty.is_wide())
}

fn report(
    c: &mut Checker,
    name: &str,
    signatures: &[Signature],
    arguments: &[Value],
    none: bool,
    span: Span,
) {
    let spelled: Vec<String> = signatures
        .iter()
        .map(|(r, p)| {
            let p: Vec<_> = p.iter().map(|t| c.types.spell_ty(t)).collect();
            format!("`{} {name}({})`", c.types.spell_ty(r), p.join(", "))
        })
        .collect();
    let counts: Vec<usize> = signatures.iter().map(|(_, p)| p.len()).collect();
    let types = c.types.argument_types(arguments);
    let mut d = if !counts.contains(&arguments.len()) {
        let (least, most) = (counts.iter().min().unwrap_or(&0), counts.iter().max().unwrap_or(&0));
        wrong_count(name, *least, *most, arguments.len())
    } else if none {
        Diagnostic::new(Code::NoMatchingFunction, format!("no built-in `{name}` takes {types}"))
    } else {
        Diagnostic::new(Code::AmbiguousCall, format!("`{name}{types}` could mean several functions"))
            .help(format!("give all arguments one type: here they are {types}"))
    };
    d = d.label(span, "");
    let first_is_value = arguments.first().is_some_and(|a| !Ty::decayed(&a.ty).is_pointer());
    let to_const = arguments.first().is_some_and(|a| matches!(&a.ty.ty, Ty::Pointer(q) if q.is_const));
    if none && name.starts_with("atomic") && first_is_value {
        d = d.help("an atomic function takes the address: `atomicAdd(&sum[i], value)`");
    } else if none && name.starts_with("atomic") && to_const {
        d = d.help("what the pointer points to is `const`: it cannot be changed");
    } else if none
        && name.starts_with("atomic")
        && let Some(Ty::Pointer(to)) = arguments.first().map(|a| Ty::decayed(&a.ty))
        && to.ty.is_floating()
    {
        let ty = c.types.spell_ty(&to.ty);
        d = d.help(format!("there is no `{name}` for `{ty}`: reduce in the block first, or write a loop with `atomicCAS` on its bits"));
    }
    let shown = spelled.len().min(6);
    let more = match spelled.len() - shown {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    d = d.note(format!("it exists as {}{more}", spelled[..shown].join(", ")));
    c.sink.push(d);
}

/// The arguments converted to a type each; `None` where one does not convert, which has been reported.
fn converted<'t>(
    c: &mut Checker,
    arguments: impl IntoIterator<Item = Value>,
    wanted: impl IntoIterator<Item = (&'t Ty, &'t str)>,
) -> Option<Vec<Expr>> {
    let each = arguments.into_iter().zip(wanted).map(|(v, (to, what))| {
        let v = c.convert(v, &QTy::plain(to.clone()), what);
        (!v.is_error()).then(|| c.plain_expr(v))
    });
    each.collect()
}

/// A call of an intrinsic.
fn intrinsic_call(intrinsic: Intrinsic, arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Intrinsic { intrinsic, arguments }, ty, span }
}

fn one(arguments: Vec<Expr>, kind: impl Fn(Box<Expr>) -> ExprKind, ty: hir::Type, span: Span) -> Expr {
    match arguments.into_iter().next() {
        Some(e) if e.ty == ty => e,
        Some(e) => Expr { kind: kind(Box::new(e)), ty, span },
        None => int(0, IntType::Int, span),
    }
}

pub(super) fn int(v: i64, t: IntType, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(Const::Int(v, t)), ty: hir::Type::Int(t), span }
}

/// A floating constant of a type.
fn real(v: f64, ty: &hir::Type, span: Span) -> Expr {
    let c = if *ty == hir::Type::Float { Const::Float(v as f32) } else { Const::Double(v) };
    Expr { kind: ExprKind::Const(c), ty: ty.clone(), span }
}

pub(super) fn binary(op: hir::BinaryOp, l: Expr, r: Expr) -> Expr {
    let (ty, span) = (l.ty.clone(), l.span);
    Expr { kind: ExprKind::Binary { op, lhs: Box::new(l), rhs: Box::new(r) }, ty, span }
}

pub(super) fn compare(op: hir::CompareOp, l: Expr, r: Expr, span: Span) -> Expr {
    let kind = ExprKind::Compare { op, lhs: Box::new(l), rhs: Box::new(r) };
    Expr { kind, ty: hir::Type::Bool, span }
}

fn convert(e: Expr, ty: hir::Type) -> Expr {
    if e.ty == ty {
        return e;
    }
    let span = e.span;
    Expr { kind: ExprKind::Convert { operand: Box::new(e) }, ty, span }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_is_well_formed() {
        for (name, f) in table() {
            for (result, parameters) in &f.signatures() {
                assert!(!result.has_error(), "{name}");
                assert!(!parameters.iter().any(Ty::has_error), "{name}");
            }
        }
    }

    #[test]
    fn math_rows_have_the_arity_of_their_function() {
        for (name, f) in table() {
            if let Action::Is(Intrinsic::Math(m)) = f.action {
                assert!(f.signatures().iter().all(|(_, p)| p.len() == m.arity()), "{name}");
            }
        }
    }

    #[test]
    fn scopes_of_atomics_are_known() {
        assert!(is_known("atomicAdd_system") && is_known("atomicCAS_block") && is_known("__ldg"));
        assert!(!is_known("atomicFoo"));
    }
}
