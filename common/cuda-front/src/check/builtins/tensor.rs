//! What the built-in headers of tensor cores and asynchronous copies are made of: products and transposes of matrices,
//! copies, groups and barriers, and addresses of shared memory as numbers. [`simt_ir`] says what each means.

use super::super::Checker;
use super::super::ty::Ty;
use super::super::value::Value;
use super::Action::{Build, Is};
use super::{Row, convert, converted, intrinsic_call};
use crate::hir::{self, Expr, ExprKind, IntType, Intrinsic};
use simt_ir::{AsyncOp, MatrixElement, MatrixOp, MatrixProduct, MatrixSum};
use source::{Code, Span};

pub(super) const ROWS: &[Row] = &[
    ("__async_copy_4", "v:*v&vu", Is(Intrinsic::AsyncCopy(4))),
    ("__async_copy_8", "v:*v&vu", Is(Intrinsic::AsyncCopy(8))),
    ("__async_copy_16", "v:*v&vu", Is(Intrinsic::AsyncCopy(16))),
    ("__async_commit", "v:", Is(Intrinsic::Async(AsyncOp::Commit))),
    ("__async_wait", "v:u", Is(Intrinsic::Async(AsyncOp::Wait))),
    ("__async_bind", "v:*v", Is(Intrinsic::Async(AsyncOp::Bind))),
    ("__phase_init", "v:*vu", Is(Intrinsic::Async(AsyncOp::Init))),
    ("__phase_arrive", "u:*vu", Is(Intrinsic::Async(AsyncOp::Arrive))),
    ("__phase_drop", "u:*vu", Is(Intrinsic::Async(AsyncOp::Drop))),
    ("__phase_await", "v:*vu", Is(Intrinsic::Async(AsyncOp::Await))),
    ("__named_arrive", "u:Lu", Is(Intrinsic::Async(AsyncOp::ArriveNamed))),
    ("__named_await", "v:Lu", Is(Intrinsic::Async(AsyncOp::AwaitNamed))),
    ("__matrix_tile_1", "v:&vu", Is(Intrinsic::Matrix(MatrixOp::Tile(1)))),
    ("__matrix_tile_2", "v:&vu", Is(Intrinsic::Matrix(MatrixOp::Tile(2)))),
    ("__matrix_tile_4", "v:&vu", Is(Intrinsic::Matrix(MatrixOp::Tile(4)))),
    ("__matrix_tile_8", "v:&vu", Is(Intrinsic::Matrix(MatrixOp::Tile(8)))),
    ("__cvta_generic_to_shared", "L:&v", Build(to_shared)),
    ("__cvta_shared_to_generic", "*v:L", Build(from_shared)),
];

fn to_shared(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let number =
        intrinsic_call(Intrinsic::SharedNumber, arguments, hir::Type::Int(IntType::UnsignedInt), span);
    convert(number, ty)
}

fn from_shared(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let number = arguments.into_iter().map(|a| convert(a, hir::Type::Int(IntType::UnsignedInt))).collect();
    intrinsic_call(Intrinsic::SharedPointer, number, ty, span)
}

const fn product(rows: u8, depth: u8, element: MatrixElement, sum: MatrixSum) -> MatrixOp {
    MatrixOp::Product(MatrixProduct {
        rows,
        depth,
        a: element,
        b: element,
        sum,
        packed: false,
        saturate: false,
    })
}

/// Functions whose result is a vector: name, result, operation.
const VECTORS: &[(&str, &str, MatrixOp)] = &[
    ("__matrix_f16_f32", "float4", product(16, 16, MatrixElement::F16, MatrixSum::F32)),
    ("__matrix_f16_f16", "ushort4", product(16, 16, MatrixElement::F16, MatrixSum::F16)),
    ("__matrix_bf16_f32", "float4", product(16, 16, MatrixElement::Bf16, MatrixSum::F32)),
    ("__matrix_tf32_f32", "float4", product(16, 8, MatrixElement::Tf32, MatrixSum::F32)),
    ("__matrix_s8_s32", "int4", product(16, 16, MatrixElement::S8, MatrixSum::I32)),
    ("__matrix_u8_s32", "int4", product(16, 16, MatrixElement::U8, MatrixSum::I32)),
    ("__matrix_f64_f64", "double2", product(8, 4, MatrixElement::F64, MatrixSum::F64)),
    ("__matrix_transpose", "ushort2", MatrixOp::Transpose),
];

/// Whether a function is one of this file's that no table holds.
pub(super) fn is_vector(name: &str) -> bool {
    VECTORS.iter().any(|(own, ..)| *own == name)
}

/// A call of one of them: the factors' elements one by one, then the sum's.
pub(super) fn call(c: &mut Checker, name: &str, arguments: Vec<Value>, span: Span) -> Value {
    let Some((_, result, op)) = VECTORS.iter().find(|(own, ..)| *own == name) else {
        return Value::error(span);
    };
    let Some(result) = c.vector(result) else { return Value::error(span) };
    let (factors, wanted) = match op {
        MatrixOp::Product(product) => {
            let [a, b, d] = product.registers();
            ((a + b) as usize, (a + b + d) as usize)
        }
        _ => (2, 2),
    };
    if arguments.len() != wanted {
        c.sink.wrong(Code::WrongArgumentCount, format!("`{name}` takes {wanted} arguments"), span);
        return Value::error(span);
    }
    let types = [true, false].map(|factor| operand(op, factor));
    let types = (0..wanted).map(|i| (&types[usize::from(i >= factors)], "for this element"));
    let Some(arguments) = converted(c, arguments, types) else { return Value::error(span) };
    c.types.make(ExprKind::Intrinsic { intrinsic: Intrinsic::Matrix(*op), arguments }, result, span)
}

/// The type of an operand that is an element of a factor, or of the sum.
fn operand(op: &MatrixOp, factor: bool) -> Ty {
    let MatrixOp::Product(product) = op else { return Ty::Int(IntType::UnsignedShort) };
    match (factor, product.a, product.sum) {
        (true, MatrixElement::F16 | MatrixElement::Bf16, _) => Ty::Int(IntType::UnsignedShort),
        (true, MatrixElement::Tf32, _) => Ty::Float,
        (true, MatrixElement::F64, _) => Ty::Double,
        (true, MatrixElement::S8 | MatrixElement::U8, _) => Ty::Int(IntType::Int),
        (false, _, MatrixSum::F16) => Ty::Int(IntType::UnsignedShort),
        (false, _, MatrixSum::F32) => Ty::Float,
        (false, _, MatrixSum::F64) => Ty::Double,
        (false, _, MatrixSum::I32) => Ty::Int(IntType::Int),
    }
}
