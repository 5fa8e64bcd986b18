//! Accesses of surface objects: `surf2Dread<float>(surface, x * sizeof(float), y)`, `surf2Dread(&value, surface, …)`,
//! `surf2Dwrite(value, surface, …)`, with a boundary mode that is a constant.

use super::super::Checker;
use super::super::ty::{self, QTy, Ty};
use super::super::value::Value;
use super::converted;
use super::memory::count;
use super::texture::store;
use crate::hir::{Const, ExprKind, Intrinsic};
use cuda_syntax::ast::TemplateArgument;
use simt_ir::{BoundaryMode, TextureShape as Shape};
use source::{Code, Diagnostic, Span};

const SHAPES: &[(&str, Shape)] = &[
    ("surf1D", Shape::D1),
    ("surf2D", Shape::D2),
    ("surf3D", Shape::D3),
    ("surf1DLayered", Shape::Layered1),
    ("surf2DLayered", Shape::Layered2),
    ("surfCubemap", Shape::Cube),
    ("surfCubemapLayered", Shape::CubeLayered),
];

/// The shape, and whether it is a write.
fn access(name: &str) -> Option<(Shape, bool)> {
    let (stem, write) = match name.strip_suffix("write") {
        Some(stem) => (stem, true),
        None => (name.strip_suffix("read")?, false),
    };
    SHAPES.iter().find(|(n, _)| *n == stem).map(|(_, s)| (*s, write))
}

/// Whether a function reads or writes a surface.
pub(super) fn is_access(name: &str) -> bool {
    name.starts_with("surf") && access(name).is_some()
}

pub(super) fn call<'a>(
    c: &mut Checker<'a>,
    name: &str,
    explicit: &'a [TemplateArgument],
    mut arguments: Vec<Value>,
    span: Span,
) -> Value {
    let Some((shape, write)) = access(name) else { return Value::error(span) };
    let given = c.type_argument(explicit, 0);
    if given.is_none() && !explicit.is_empty() {
        return Value::error(span);
    }
    let first = arguments.first().map(|a| Ty::decayed(&a.ty));
    let (ty, head) = match (write, given, first) {
        (true, given, Some(first)) => (given.unwrap_or(first), Some(arguments.remove(0))),
        (false, Some(given), _) => (given, None),
        (false, None, Some(Ty::Pointer(to))) => (to.ty.clone(), Some(arguments.remove(0))),
        _ => {
            c.sink.push(
                Diagnostic::new(Code::TemplateArgument, format!("`{name}` needs the type that it accesses"))
                    .label(span, "")
                    .help(format!("write `{name}<float>(…)`")),
            );
            return Value::error(span);
        }
    };
    let places = 1 + shape.integers();
    let boundary = if arguments.len() == places + 1 { arguments.pop() } else { None };
    if !count(c, name, &arguments, places, span) {
        return Value::error(span);
    }
    let Some(boundary) = boundary.map_or(Some(BoundaryMode::Trap), |v| mode(c, v)) else {
        return Value::error(span);
    };
    let wanted = std::iter::once((&Ty::Texture, "the surface"));
    let wanted = wanted.chain(std::iter::repeat((&ty::INT, "for this coordinate")));
    let Some(mut converted) = converted(c, arguments, wanted) else { return Value::error(span) };
    match (write, head) {
        (true, Some(value)) => {
            let value = c.convert(value, &QTy::plain(ty), "for the value to write");
            if value.is_error() {
                return value;
            }
            converted.insert(0, c.plain_expr(value));
            let intrinsic = Intrinsic::SurfaceWrite(shape, boundary);
            c.make(ExprKind::Intrinsic { intrinsic, arguments: converted }, Ty::Void, span)
        }
        (_, head) => {
            let intrinsic = Intrinsic::SurfaceRead(shape, boundary);
            let value = c.make(ExprKind::Intrinsic { intrinsic, arguments: converted }, ty.clone(), span);
            match head {
                Some(pointer) => {
                    let pointer = c.rvalue(pointer);
                    store(c, pointer, ty, value, span)
                }
                None => value,
            }
        }
    }
}

/// A boundary mode, which must be known when the file is compiled.
fn mode(c: &mut Checker, v: Value) -> Option<BoundaryMode> {
    let span = v.span;
    let v = c.rvalue(v);
    if v.is_error() {
        return None;
    }
    match c.plain_expr(v).kind {
        ExprKind::Const(Const::Int(0, _)) => Some(BoundaryMode::Zero),
        ExprKind::Const(Const::Int(1, _)) => Some(BoundaryMode::Clamp),
        ExprKind::Const(Const::Int(2, _)) => Some(BoundaryMode::Trap),
        _ => {
            let title = "a boundary mode that is not a constant is not supported by the simulator yet";
            c.sink.push(
                Diagnostic::new(Code::UnsupportedFeature, title)
                    .label(span, "")
                    .help("write `cudaBoundaryModeTrap`, `cudaBoundaryModeClamp` or `cudaBoundaryModeZero`"),
            );
            None
        }
    }
}
