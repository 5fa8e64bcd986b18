//! Bit-fields: layout as the Itanium C++ ABI has it, reading and writing through the units that hold them.
//!
//! The typed program has no bit-fields. A class has unsigned integers (units) in their place, which overlap nothing else, and
//! a bit-field is one piece of a unit or several.

use super::Checker;
use super::Types;
use super::builtins::binary;
use super::ty::{self, QTy, Ty};
use super::types::{BitField, Piece};
use super::value::{Bits, Node, Value};
use crate::hir::{self, Const, Expr, ExprKind, IntType, StructId};
use cuda_syntax::ast::{self, BinaryOp};
use source::{Code, Span};

const WIDE: IntType = IntType::UnsignedLongLong;

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
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
            self.sink.wrong(Code::InvalidBitField, format!("a bit-field cannot be `{spelled}`"), v.ty.span);
            return;
        }
        if q.ty.is_wide() {
            return self.sink.unsupported("a bit-field of 128 bits", v.ty.span);
        }
        let most = (self.types.size_of(&q.ty) * 8) as i64;
        let unnamed = v.name.text.is_empty();
        if n > most {
            self.sink.unsupported("a bit-field wider than its type", width.span);
        } else if n < 0 || (n == 0 && !unnamed) {
            let title = format!("a bit-field of this type has 1 to {most} bits, but this one has {n}");
            self.sink.wrong(Code::InvalidBitField, title, width.span);
            return;
        }
        let before = self.types.class(id).fields.len();
        let field = BitField {
            name: v.name.text.to_string(),
            q,
            width: n.min(most) as u32,
            default: v.initializer.as_ref(),
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
            let Node::Place(place) = self.types.raw_field(object.clone(), piece.unit, span).node else {
                return None;
            };
            pieces.push((place, piece));
        }
        let q = QTy { is_const: field.q.is_const || object.ty.is_const, ..field.q };
        Some(Value { node: Node::Bits(Box::new(Bits { pieces, width: field.width })), ty: q, span })
    }

    /// `b = v` of a bit-field; gives the new value.
    pub(super) fn write_bits(&mut self, bits: &Bits, q: &QTy, v: Value, span: Span) -> Value {
        if q.is_const {
            self.sink.wrong(Code::AssignToConst, "this bit-field is `const`: it cannot be changed", span);
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
        let mut all = self.types.make(first, Ty::Int(WIDE), span);
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
        let now = self.types.read_bits(bits, q, span);
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
                let old = self.types.read_bits(bits, &l.ty, span);
                self.binary_values(op, op_span, old, r, span)
            }
            None => r,
        };
        if v.is_error() { v } else { self.write_bits(bits, &l.ty, v, span) }
    }

    /// `++b` and `b++`.
    pub(super) fn step_bits(&mut self, v: Value, by: i32, postfix: bool, span: Span) -> Value {
        let Node::Bits(bits) = &v.node else { return Value::error(span) };
        let old = self.types.read_bits(bits, &v.ty, span);
        let one = self.types.make_int(i64::from(by), span);
        if !postfix {
            let new = self.binary_values(BinaryOp::ADD, span, old, one, span);
            return self.write_bits(bits, &v.ty, new, span);
        }
        let Some((keep, kept)) = self.kept(old, span) else { return Value::error(span) };
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
    /// The value of a bit-field, promoted where its bits fit into an `int`.
    pub(super) fn read_bits(&mut self, bits: &Bits, q: &QTy, span: Span) -> Value {
        let under = match &q.ty {
            Ty::Enum(e) => self.enums[e.0 as usize].underlying.clone(),
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
}
