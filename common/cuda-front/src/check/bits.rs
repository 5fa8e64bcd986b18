//! Bit-fields: layout as the Itanium C++ ABI has it, reading and writing through the units that hold them.
//!
//! The typed program has no bit-fields. A class has unsigned integers (units) in their place, which overlap nothing else, and
//! a bit-field is one piece of a unit or several.

use super::builtins::binary;
use super::layout::Types;
use super::place::Steps;
use super::ty::{self, QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, FieldInfo};
use crate::hir::{self, Const, Expr, ExprKind, IntType, Place, StructId};
use cuda_syntax::ast::{self, BinaryOp};
use source::{Code, Span};

/// A part of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The unit, among the class's fields.
    pub(super) unit: u32,
    /// Its lowest bit there.
    pub(super) shift: u32,
    /// How many bits.
    pub(super) width: u32,
    /// Which bit of the bit-field is its lowest.
    pub(super) at: u32,
}

/// A bit-field of a class.
#[derive(Clone, Debug)]
pub(super) struct BitField {
    /// Empty for padding.
    pub(super) name: String,
    pub(super) q: QTy,
    pub(super) width: u32,
    /// How many of the class's other fields come before it.
    pub(super) before: usize,
    pub(super) pieces: Vec<Piece>,
}

/// The bit-field that a value is: its units as places, with what of them it is.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    pub(super) pieces: Vec<(Place, Piece)>,
    pub(super) width: u32,
}

const WIDE: IntType = IntType::UnsignedLongLong;

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn unit_type(bytes: u64) -> IntType {
    match bytes {
        1 => IntType::UnsignedChar,
        2 => IntType::UnsignedShort,
        4 => IntType::UnsignedInt,
        _ => WIDE,
    }
}

fn wide(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, ty: hir::Type::Int(WIDE), span }
}

fn number(v: u64, span: Span) -> Expr {
    wide(ExprKind::Const(Const::Int(v as i64, WIDE)), span)
}

impl<'a> Checker<'a> {
    /// Registers a bit-field; where it lies is known when the class is laid out.
    pub(super) fn add_bit_field(&mut self, id: StructId, v: &'a ast::Variable, width: &'a ast::Expr) {
        let q = self.object_type(&v.ty);
        let Some(n) = self.integer_constant(width, "the width of a bit-field", Code::NotConstant) else {
            return;
        };
        let integral = q.ty.is_integral() || matches!(q.ty, Ty::Enum(_));
        if !integral && !q.ty.has_error() {
            let spelled = self.types.spell(&q);
            self.sink.report(
                Code::InvalidBitField,
                format!("a bit-field cannot be `{spelled}`"),
                v.ty.span,
                "",
            );
            return;
        }
        let most = (self.types.size_of(&q.ty) * 8) as i64;
        let unnamed = v.name.text.is_empty();
        if n > most {
            self.sink.unsupported("a bit-field wider than its type", width.span);
        } else if n < 0 || (n == 0 && !unnamed) {
            let title = format!("a bit-field of this type has 1 to {most} bits, but this one has {n}");
            self.sink.report(Code::InvalidBitField, title, width.span, "");
            return;
        }
        if let Some(init) = &v.initializer {
            let span = match init {
                ast::Initializer::Copy(e) => e.span,
                ast::Initializer::Direct(_) | ast::Initializer::List(_) => v.name.span,
            };
            self.sink.report(
                Code::BitFieldInitializer,
                "in C++17 a bit-field cannot have a default value",
                span,
                "",
            );
        }
        let before = self.types.class(id).fields.len();
        let field = BitField {
            name: v.name.text.to_string(),
            q,
            width: n.min(most) as u32,
            before,
            pieces: Vec::new(),
        };
        self.types.classes[id.0 as usize].bit_fields.push(field);
    }

    /// A bit-field of an object, if the class has one of the name.
    pub(super) fn opt_bit_field(
        &mut self,
        object: &Value,
        class: StructId,
        name: &str,
        span: Span,
    ) -> Option<Value> {
        let (path, i) = self.types.bit_path(class, name)?;
        let object = match &object.node {
            Node::Rvalue(e) => {
                let place = self.temporary_place(e.clone());
                Value { node: Node::Place(place), ..object.clone() }
            }
            _ => object.clone(),
        };
        let object = path.into_iter().fold(object, |v, f| self.field_of(v, f, span));
        let Ty::Struct(owner) = object.ty.ty else { return None };
        let object = self.once(object);
        let field = self.types.class(owner).bit_fields[i].clone();
        let mut pieces = Vec::new();
        for piece in field.pieces {
            let Node::Place(place) = self.raw_field(object.clone(), piece.unit, span).node else {
                return None;
            };
            pieces.push((place, piece));
        }
        let q = QTy { is_const: field.q.is_const || object.ty.is_const, ..field.q };
        Some(Value { node: Node::Bits(Box::new(Bits { pieces, width: field.width })), ty: q, span })
    }

    /// The value of a bit-field, promoted where its bits fit into an `int`.
    pub(super) fn read_bits(&mut self, bits: &Bits, q: &QTy, span: Span) -> Value {
        let under = match &q.ty {
            Ty::Enum(e) => self.types.enums[e.0 as usize].underlying.clone(),
            other => other.clone(),
        };
        let mut sum: Option<Expr> = None;
        for (place, piece) in &bits.pieces {
            let load = Expr { kind: ExprKind::Load(place.clone()), ty: place.ty.clone(), span };
            let unit = wide(ExprKind::Convert { operand: Box::new(load) }, span);
            let low = binary(hir::BinaryOp::Shr, unit, number(u64::from(piece.shift), span));
            let cut = binary(hir::BinaryOp::And, low, number(mask(piece.width), span));
            let part = binary(hir::BinaryOp::Shl, cut, number(u64::from(piece.at), span));
            sum = Some(match sum {
                Some(before) => binary(hir::BinaryOp::Or, before, part),
                None => part,
            });
        }
        let Some(mut e) = sum else { return Value::error(span) };
        if matches!(&under, Ty::Int(i) if i.is_signed()) {
            // The highest bit is the sign.
            let up = u64::from(64 - bits.width);
            e = binary(hir::BinaryOp::Shl, e, number(up, span));
            let signed = hir::Type::Int(IntType::LongLong);
            let kind = ExprKind::Convert { operand: Box::new(e) };
            let operand = Expr { kind, ty: signed.clone(), span };
            let kind = ExprKind::Binary {
                op: hir::BinaryOp::Shr,
                lhs: Box::new(operand),
                rhs: Box::new(number(up, span)),
            };
            e = Expr { kind, ty: signed, span };
        }
        let to = match (&q.ty, bits.width) {
            (Ty::Int(_), width) if width < 32 => ty::INT,
            (other, _) => other.clone(),
        };
        let kind = ExprKind::Convert { operand: Box::new(e) };
        self.make(kind, to, span)
    }

    /// `b = v` of a bit-field; gives the new value.
    pub(super) fn write_bits(&mut self, bits: &Bits, q: &QTy, v: Value, span: Span) -> Value {
        if q.is_const {
            self.sink.report(
                Code::AssignToConst,
                "this bit-field is `const`: it cannot be changed",
                span,
                "",
            );
            return Value::error(span);
        }
        let v = self.convert(v, &QTy::plain(q.ty.clone()), "in this assignment");
        if v.is_error() {
            return v;
        }
        let value = self.expr_of(v);
        let value = wide(ExprKind::Convert { operand: value }, span);
        let t = self.new_temporary(&QTy::plain(Ty::Int(WIDE)), span);
        let Node::Place(kept) = self.local_place(t, span).node else { return Value::error(span) };
        let first = ExprKind::Assign { place: kept.clone(), value: Box::new(value) };
        let mut all = self.make(first, Ty::Int(WIDE), span);
        for (place, piece) in &bits.pieces {
            let unit_ty = place.ty.clone();
            let load = Expr { kind: ExprKind::Load(place.clone()), ty: unit_ty.clone(), span };
            let old = wide(ExprKind::Convert { operand: Box::new(load) }, span);
            let hole = !(mask(piece.width) << piece.shift);
            let old = binary(hir::BinaryOp::And, old, number(hole, span));
            let new = wide(ExprKind::Load(kept.clone()), span);
            let new = binary(hir::BinaryOp::Shr, new, number(u64::from(piece.at), span));
            let new = binary(hir::BinaryOp::And, new, number(mask(piece.width), span));
            let new = binary(hir::BinaryOp::Shl, new, number(u64::from(piece.shift), span));
            let both = binary(hir::BinaryOp::Or, old, new);
            let unit =
                Expr { kind: ExprKind::Convert { operand: Box::new(both) }, ty: unit_ty.clone(), span };
            let kind = ExprKind::Assign { place: place.clone(), value: Box::new(unit) };
            let store = Expr { kind, ty: unit_ty, span };
            let store = Value { node: Node::Rvalue(Box::new(store)), ty: QTy::plain(Ty::Int(WIDE)), span };
            all = self.comma(all, store, span);
        }
        let now = self.read_bits(bits, q, span);
        self.comma(all, now, span)
    }

    /// `b op= v`.
    pub(super) fn assign_bits(
        &mut self,
        op: Option<BinaryOp>,
        op_span: Span,
        l: Value,
        r: Value,
        span: Span,
    ) -> Value {
        let Node::Bits(bits) = &l.node else { return Value::error(span) };
        let v = match op {
            Some(op) => {
                let old = self.read_bits(bits, &l.ty, span);
                self.binary_values(op, op_span, old, r, span)
            }
            None => r,
        };
        if v.is_error() { v } else { self.write_bits(bits, &l.ty, v, span) }
    }

    /// `++b` and `b++`.
    pub(super) fn step_bits(&mut self, v: Value, by: i32, postfix: bool, span: Span) -> Value {
        let Node::Bits(bits) = &v.node else { return Value::error(span) };
        let old = self.read_bits(bits, &v.ty, span);
        let one = self.make_int(i64::from(by), span);
        if !postfix {
            let new = self.binary_values(BinaryOp::ADD, span, old, one, span);
            return self.write_bits(bits, &v.ty, new, span);
        }
        let t = self.new_temporary(&old.ty, span);
        let Node::Place(place) = self.local_place(t, span).node else { return Value::error(span) };
        let ty = old.ty.ty.clone();
        let value = self.expr_of(old);
        let keep = self.make(ExprKind::Assign { place, value }, ty, span);
        let kept = self.local_place(t, span);
        let new = self.binary_values(BinaryOp::ADD, span, kept.clone(), one, span);
        let write = self.write_bits(bits, &v.ty, new, span);
        let both = self.comma(keep, write, span);
        self.comma(both, kept, span)
    }

    /// A bit-field's share of a unit's initial value.
    pub(super) fn bits_share(&mut self, v: Value, field: &BitField, piece: &Piece) -> Option<Expr> {
        let span = v.span;
        let v = self.convert(v, &QTy::plain(field.q.ty.clone()), "for this initial value");
        if v.is_error() {
            return None;
        }
        let value = wide(ExprKind::Convert { operand: self.expr_of(v) }, span);
        let value = binary(hir::BinaryOp::And, value, number(mask(piece.width), span));
        Some(binary(hir::BinaryOp::Shl, value, number(u64::from(piece.shift), span)))
    }
}

impl<'a> Types<'a> {
    /// The fields that lead to the class of a bit-field, and which of it.
    pub(super) fn bit_path(&self, class: StructId, name: &str) -> Option<(Steps, usize)> {
        if let Some(i) = self.class(class).bit_fields.iter().position(|b| b.name == name) {
            return Some((Steps::new(), i));
        }
        self.layout(class).fields.iter().enumerate().filter(|(_, f)| f.name.is_empty()).find_map(|(i, _)| {
            let Ty::Struct(inner) = self.class(class).fields[i].q.ty else { return None };
            let (mut rest, found) = self.bit_path(inner, name)?;
            rest.insert(0, i as u32);
            Some((rest, found))
        })
    }

    /// The bit-fields that begin in a unit, which is field `i` of the class.
    pub(super) fn bit_fields_of(&self, s: StructId, i: u32) -> Vec<BitField> {
        let begins = |b: &&BitField| b.pieces.first().is_some_and(|p| p.unit == i);
        self.class(s).bit_fields.iter().filter(begins).cloned().collect()
    }

    /// Offsets, size and alignment of a class with bit-fields; makes their units.
    pub(super) fn lay_out_bits(&mut self, id: StructId, align: u32) {
        let shapes = self.shapes(id);
        let fields = std::mem::take(&mut self.classes[id.0 as usize].fields);
        let layout = std::mem::take(&mut self.structs[id.0 as usize].fields);
        let is_union = self.structs[id.0 as usize].is_union;
        let mut bits = std::mem::take(&mut self.classes[id.0 as usize].bit_fields);
        let (mut end, mut whole, mut last) = (0u64, align, 0u64);
        // For each bit-field its first bit; for each other field its offset in bytes.
        let (mut firsts, mut offsets) = (Vec::new(), Vec::new());
        for i in 0..=fields.len() {
            for b in bits.iter().filter(|b| b.before == i) {
                let size = self.size_of(&b.q.ty) * 8;
                let start = if is_union { 0 } else { end };
                let crosses = b.width == 0 || start / size != (start + u64::from(b.width) - 1) / size;
                let first = if crosses { start.next_multiple_of(size) } else { start };
                if !b.name.is_empty() {
                    whole = whole.max(self.align_of(&b.q.ty));
                }
                firsts.push(first);
                end = first + u64::from(b.width);
                last = last.max(end);
            }
            let Some((size, align)) = shapes.get(i).copied() else { break };
            whole = whole.max(align);
            let start = if is_union { 0 } else { end.div_ceil(8).next_multiple_of(u64::from(align)) };
            offsets.push(start);
            end = if size == 0 { end } else { (start + size) * 8 };
            last = last.max(end);
        }
        let bytes = last.div_ceil(8).max(1).next_multiple_of(u64::from(whole));
        let (mut new_fields, mut new_layout) = (Vec::new(), Vec::new());
        let mut fields = fields.into_iter().zip(layout);
        for i in 0..=offsets.len() {
            let run: Vec<usize> = (0..bits.len()).filter(|b| bits[*b].before == i).collect();
            let limit = offsets.get(i).copied().filter(|_| !is_union).unwrap_or(bytes);
            let runs = if is_union { run.into_iter().map(|b| vec![b]).collect() } else { vec![run] };
            for run in runs {
                let named = || run.iter().filter(|b| bits[**b].width > 0);
                let Some(start) = named().map(|b| firsts[*b] / 8).min() else { continue };
                let stop = named()
                    .map(|b| (firsts[*b] + u64::from(bits[*b].width)).div_ceil(8))
                    .max()
                    .unwrap_or(start);
                let mut at = start;
                while at < stop {
                    let fits =
                        |u: u64| at.is_multiple_of(u) && at + u <= limit && (u == 1 || at + u / 2 < stop);
                    let unit = [8, 4, 2].into_iter().find(|u| fits(*u)).unwrap_or(1);
                    let number = new_fields.len() as u32;
                    let ty = Ty::Int(unit_type(unit));
                    let name = format!("#bits{number}");
                    new_layout.push(hir::Field { name, ty: self.hir_type(&ty), offset: at });
                    new_fields.push(FieldInfo {
                        q: QTy::plain(ty),
                        default: None,
                        span: Span::default(),
                        is_reference: false,
                        align: 0,
                        access: ast::Access::Public,
                        is_mutable: false,
                    });
                    for b in &run {
                        let (lo, hi) = (firsts[*b], firsts[*b] + u64::from(bits[*b].width));
                        let (from, to) = (lo.max(at * 8), hi.min((at + unit) * 8));
                        if from < to {
                            let shift = (from - at * 8) as u32;
                            let (width, at) = ((to - from) as u32, (from - lo) as u32);
                            bits[*b].pieces.push(Piece { unit: number, shift, width, at });
                        }
                    }
                    at += unit;
                }
            }
            if let Some((info, mut field)) = fields.next() {
                field.offset = offsets[i];
                new_fields.push(info);
                new_layout.push(field);
            }
        }
        bits.retain(|b| !b.name.is_empty());
        self.classes[id.0 as usize].fields = new_fields;
        self.classes[id.0 as usize].bit_fields = bits;
        let layout = &mut self.structs[id.0 as usize];
        layout.fields = new_layout;
        layout.align = whole;
        layout.bytes = bytes;
        self.classes[id.0 as usize].data_bytes = last.div_ceil(8);
    }
}
