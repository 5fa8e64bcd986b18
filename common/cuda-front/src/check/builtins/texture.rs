//! Reads of texture objects: `tex2D<float4>(texture, x, y)`, and `tex2D(&value, texture, x, y)`.
//!
//! A texture has one level here, so the level and the gradients of `…Lod` and `…Grad` are computed and choose it. Forms
//! that say whether a texel is resident are refused by their number of arguments.

use super::super::Checker;
use super::super::ty::{self, QTy, Ty};
use super::super::value::{Node, Value};
use super::memory::count;
use crate::hir::{self, ExprKind, Intrinsic, PlaceKind};
use cuda_syntax::ast::TemplateArgument;
use simt_ir::TextureShape as Shape;
use source::{Code, Diagnostic, Span};

/// Every function but `tex1Dfetch`: its name without `Lod` or `Grad`, and its shape.
const SHAPES: &[(&str, Shape)] = &[
    ("tex1D", Shape::D1),
    ("tex2D", Shape::D2),
    ("tex3D", Shape::D3),
    ("tex1DLayered", Shape::Layered1),
    ("tex2DLayered", Shape::Layered2),
    ("texCubemap", Shape::Cube),
    ("texCubemapLayered", Shape::CubeLayered),
    ("tex2Dgather", Shape::Gather),
];

/// What a function reads, and the types of what follows the coordinates and chooses a level.
fn shape(name: &str) -> Option<(Option<Shape>, Vec<Ty>, Option<&'static str>)> {
    if name == "tex1Dfetch" {
        return Some((None, Vec::new(), None));
    }
    let find = |stem: &str| SHAPES.iter().find(|(n, _)| *n == stem).map(|(_, s)| *s);
    if let Some(shape) = find(name) {
        return Some((Some(shape), Vec::new(), None));
    }
    let of_levels = |s: &Shape| *s != Shape::Gather;
    if let Some(shape) = name.strip_suffix("Lod").and_then(find).filter(of_levels) {
        return Some((Some(shape), vec![Ty::Float], None));
    }
    let shape = name.strip_suffix("Grad").and_then(find).filter(of_levels)?;
    Some(match shape {
        Shape::D1 | Shape::Layered1 => (Some(shape), vec![Ty::Float, Ty::Float], None),
        Shape::D2 | Shape::Layered2 => (Some(shape), Vec::new(), Some("float2")),
        _ => (Some(shape), Vec::new(), Some("float4")),
    })
}

/// Whether a function reads a texture.
pub(super) fn is_read(name: &str) -> bool {
    name.starts_with("tex") && shape(name).is_some()
}

pub(super) fn call<'a>(
    c: &mut Checker<'a>,
    name: &str,
    explicit: &'a [TemplateArgument],
    mut arguments: Vec<Value>,
    span: Span,
) -> Value {
    let Some((shape, mut levels, gradient)) = shape(name) else { return Value::error(span) };
    if let Some(vector) = gradient {
        let Some(t) = c.vector(vector) else { return Value::error(span) };
        levels = vec![t.clone(), t];
    }
    let (result, target) = match (c.type_argument(explicit, 0), arguments.first().map(|a| Ty::decayed(&a.ty)))
    {
        (None, Some(Ty::Pointer(to))) if explicit.is_empty() => {
            let target = arguments.remove(0);
            (to.ty.clone(), Some(c.rvalue(target)))
        }
        (Some(Ty::Enum(_) | Ty::Bool | Ty::Double), _) => {
            let title = format!("`{name}` reads integers and floats of up to 32 bits, and vectors of them");
            c.sink.report(Code::TemplateArgument, title, span, "not a type that a texture holds");
            return Value::error(span);
        }
        (Some(result), _) => (result, None),
        (None, _) => {
            if explicit.is_empty() {
                c.sink.push(
                    Diagnostic::new(Code::TemplateArgument, format!("`{name}` needs the type that it reads"))
                        .label(span, "")
                        .help(format!("write `{name}<float>(…)`")),
                );
            }
            return Value::error(span);
        }
    };
    let mut wanted = vec![(Ty::Texture, "the texture")];
    match shape {
        None => wanted.push((ty::INT, "for this coordinate")),
        Some(shape) => {
            wanted.extend((0..shape.coordinates()).map(|_| (Ty::Float, "for this coordinate")));
            match shape {
                Shape::Gather if arguments.len() == 3 => arguments.push(c.make_int(0, span)),
                _ => {}
            }
            if shape.has_integer() {
                let at = if shape == Shape::Gather { "for the component" } else { "for the layer" };
                wanted.push((ty::INT, at));
            }
        }
    }
    let coordinates = wanted.len();
    wanted.extend(levels.into_iter().map(|t| (t, "for the level")));
    if !count(c, name, &arguments, wanted.len(), span) {
        return Value::error(span);
    }
    let mut converted = Vec::new();
    let mut effects = Vec::new();
    for (i, (v, (to, what))) in arguments.into_iter().zip(wanted).enumerate() {
        let v = c.convert(v, &QTy::plain(to), what);
        if v.is_error() {
            return v;
        }
        if i < coordinates {
            converted.push(c.plain_expr(v));
        } else {
            effects.push(c.rvalue_for_effect(v));
        }
    }
    let intrinsic = shape.map_or(Intrinsic::TextureElement, Intrinsic::TextureSample);
    let mut value = c.make(ExprKind::Intrinsic { intrinsic, arguments: converted }, result.clone(), span);
    for effect in effects.into_iter().rev() {
        value = c.comma(effect, value, span);
    }
    match target {
        Some(pointer) => store(c, pointer, result, value, span),
        None => value,
    }
}

/// `*pointer = value`, of no value itself.
pub(super) fn store(c: &mut Checker, pointer: Value, to: Ty, value: Value, span: Span) -> Value {
    let pointer = c.plain_expr(pointer);
    let place = c.make_place(PlaceKind::Deref(Box::new(pointer)), QTy::plain(to.clone()), span);
    let Node::Place(place) = place.node else { return Value::error(span) };
    let value = Box::new(c.plain_expr(value));
    let stored = c.make(ExprKind::Assign { place, value }, to, span);
    let e = c.plain_expr(stored);
    let e = super::convert(e, hir::Type::Void);
    Value { node: Node::Rvalue(Box::new(e)), ty: QTy::plain(Ty::Void), span }
}
