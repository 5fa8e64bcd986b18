//! Special registers. Those whose value the simulator has no truth for, such as `%smid`, are not here.

use super::super::{binary, convert, int, intrinsic_call};
use crate::hir::{self, BinaryOp, Expr, ExprKind, IntType, Intrinsic};
use simt_ir::{Axis, Special};
use source::Span;

const UNSIGNED: hir::Type = hir::Type::Int(IntType::UnsignedInt);

/// The value of a special register and its width in bits (PTX ISA, special registers).
pub(super) fn special(register: &str, span: Span) -> Option<(Expr, u32)> {
    let name = register.trim_start_matches('%');
    let read = |s| Expr { kind: ExprKind::Special(s), ty: UNSIGNED, span };
    let one = |v| int(v, IntType::UnsignedInt, span);
    let lane = || read(Special::LaneId);
    let shifted = |from: i64| binary(BinaryOp::Shl, one(from), lane());
    let clock = |ty| intrinsic_call(Intrinsic::Clock, Vec::new(), ty, span);
    let wide = hir::Type::Int(IntType::LongLong);
    let value = match name {
        "laneid" => lane(),
        "clock" => convert(clock(wide), UNSIGNED),
        "clock64" => return Some((clock(wide), 64)),
        "warpid" => binary(BinaryOp::Div, thread(&read), one(32)),
        "lanemask_eq" => shifted(1),
        "lanemask_lt" => binary(BinaryOp::Sub, shifted(1), one(1)),
        "lanemask_le" => binary(BinaryOp::Sub, shifted(2), one(1)),
        "lanemask_ge" => shifted(0xffff_ffff),
        "lanemask_gt" => shifted(0xffff_fffe),
        _ => {
            let (kind, axis) = name.split_once('.')?;
            let axis = match axis {
                "x" => Axis::X,
                "y" => Axis::Y,
                "z" => Axis::Z,
                _ => return None,
            };
            read(match kind {
                "tid" => Special::ThreadIdx(axis),
                "ntid" => Special::BlockDim(axis),
                "ctaid" => Special::BlockIdx(axis),
                "nctaid" => Special::GridDim(axis),
                _ => return None,
            })
        }
    };
    Some((value, 32))
}

/// The thread's number in its block, x fastest.
fn thread(read: &impl Fn(Special) -> Expr) -> Expr {
    let row = |z, y| binary(BinaryOp::Add, z, y);
    let depth = binary(BinaryOp::Mul, read(Special::ThreadIdx(Axis::Z)), read(Special::BlockDim(Axis::Y)));
    let rows = row(depth, read(Special::ThreadIdx(Axis::Y)));
    row(binary(BinaryOp::Mul, rows, read(Special::BlockDim(Axis::X))), read(Special::ThreadIdx(Axis::X)))
}
