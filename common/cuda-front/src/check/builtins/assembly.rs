//! Inline PTX: reads of special registers, `asm("mov.u32 %0, %%laneid;" : "=r"(lane))`. Any other instruction is refused by
//! its name. So are registers whose value the simulator has no truth for, such as `%smid`.

use super::super::value::{Node, Value};
use super::{Checker, QTy, Ty, binary, convert, int, intrinsic_call};
use crate::ast::Asm;
use crate::hir::{self, BinaryOp, Expr, ExprKind, IntType, Intrinsic, Stmt, StmtKind};
use simt_ir::{Axis, Special};
use source::Span;

const UNSIGNED: hir::Type = hir::Type::Int(IntType::UnsignedInt);

impl<'a> Checker<'a> {
    /// One `asm` statement.
    pub(in super::super) fn assembly(&mut self, asm: &'a Asm, span: Span, out: &mut Vec<Stmt>) {
        let words: Vec<&str> =
            asm.template.split([' ', '\t', '\n', ',', ';']).filter(|w| !w.is_empty()).collect();
        let what = match words.as_slice() {
            [] => return,
            [first, ..] => format!("asm: {first}"),
        };
        let ([mov, "%0", register], [(constraint, output)], []) =
            (words.as_slice(), asm.outputs.as_slice(), asm.inputs.as_slice())
        else {
            return self.unsupported(&what, span);
        };
        let bits = match (*mov, constraint.as_str()) {
            ("mov.u32" | "mov.s32" | "mov.b32", "=r") => 32,
            ("mov.u64" | "mov.s64" | "mov.b64", "=l") => 64,
            _ => return self.unsupported(&what, span),
        };
        let Some(value) = special(register, span).filter(|(_, width)| *width == bits).map(|(e, _)| e) else {
            return self.unsupported(&format!("asm: {mov} {}", register.trim_start_matches('%')), span);
        };
        let place = self.expr(output);
        if place.is_error() {
            return;
        }
        let fits = matches!(&place.ty.ty, Ty::Int(t) if t.bits() == bits);
        if !fits {
            let title = format!("`\"{constraint}\"` needs an integer of {bits} bits");
            return self.error("asm-operand", title, place.span, "");
        }
        let Ty::Int(t) = place.ty.ty else { return };
        let value = convert(value, hir::Type::Int(t));
        let value = Value { node: Node::Rvalue(value), ty: QTy::plain(Ty::Int(t)), span };
        let assigned = self.assign_values(None, span, place, value, span);
        if !assigned.is_error() {
            let e = self.expr_of(assigned);
            out.push(Stmt { kind: StmtKind::Expr(e), span });
        }
    }
}

/// The value of a special register and its width in bits (PTX ISA, special registers).
fn special(register: &str, span: Span) -> Option<(Expr, u32)> {
    let name = register.strip_prefix("%%")?;
    let read = |s| Expr { kind: ExprKind::Special(s), ty: UNSIGNED, span };
    let one = |v| int(v, IntType::UnsignedInt, span);
    let lane = || read(Special::LaneId);
    let shifted = |from: i64| binary(BinaryOp::Shl, one(from), lane());
    let clock = |ty| intrinsic_call(Intrinsic::Clock, Vec::new(), ty, span);
    let wide = hir::Type::Int(IntType::LongLong);
    let value = match name {
        "laneid" => lane(),
        "warpid" => binary(BinaryOp::Div, thread(&read), one(32)),
        "clock" => convert(clock(wide), UNSIGNED),
        "clock64" => return Some((clock(wide), 64)),
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
