//! Alignment: by which power of two the value of each register is divisible, in all threads and in each launch.
//!
//! Flow-insensitive: what holds of a register holds for all its definitions (compare the known bits of LLVM, of which these
//! are the trailing zeros). It goes by what a compiler sees, so it knows nothing of arguments and dimensions.

use crate::index_vec::IndexVec;
use crate::plan::link::Program;
use simt_ir::{
    Address, BinaryOp, Constant, Conversion, InstKind, Kernel, Operand, Reg, VariableRef, for_each_inst,
};

/// The exponent of a value that every power of two divides.
const ZERO: u32 = 64;

/// Dynamic shared memory begins at a multiple of 2^4 bytes, wherever the static arrays end.
const DYNAMIC_SHARED: u32 = 4;

/// The exponent of the largest power of two that is known to divide each register.
pub(crate) struct Alignments(IndexVec<Reg, u32>);

impl Alignments {
    pub(crate) fn of(program: &Program) -> Alignments {
        let kernel = &*program.kernel;
        let mut alignments = Alignments(IndexVec::filled(ZERO, kernel.registers.len()));
        let mut changed = true;
        while changed {
            changed = false;
            for body in program.bodies() {
                for_each_inst(body, &mut |inst| {
                    let exponent = alignments.result(kernel, &inst.kind);
                    inst.kind.for_each_def(|dst| {
                        let known = &mut alignments.0[*dst];
                        changed |= exponent < *known;
                        *known = exponent.min(*known);
                    });
                });
            }
        }
        alignments
    }

    pub(crate) fn operand(&self, operand: &Operand) -> u32 {
        match operand {
            Operand::Reg(reg) => self.0[*reg],
            Operand::Const(Constant::I32(value)) if *value != 0 => value.trailing_zeros(),
            Operand::Const(Constant::I64(value) | Constant::Ptr(value)) => value.trailing_zeros(),
            Operand::Const(_) => ZERO,
        }
    }

    /// Of an address without its constant offset.
    pub(crate) fn base(&self, address: &Address) -> u32 {
        let index = address.index.as_ref();
        let index = index.map_or(ZERO, |index| self.operand(&index.value) + index.scale.trailing_zeros());
        self.operand(&address.base).min(index)
    }

    /// Of what an instruction computes.
    fn result(&self, kernel: &Kernel, kind: &InstKind) -> u32 {
        match kind {
            InstKind::Copy { src, .. } => self.operand(src),
            InstKind::Undefined { .. } => ZERO,
            InstKind::Convert { op, src, .. } => match op {
                Conversion::SignExtend | Conversion::ZeroExtend | Conversion::Truncate => self.operand(src),
                _ => 0,
            },
            InstKind::Select { on_true, on_false, .. } => self.operand(on_true).min(self.operand(on_false)),
            InstKind::Offset { address, .. } => self.base(address).min(address.offset.trailing_zeros()),
            InstKind::AddressOf { variable: VariableRef::Shared(index), .. } => {
                let shared = &kernel.shared[index.index()];
                if shared.dynamic { DYNAMIC_SHARED } else { shared.offset.trailing_zeros() }
            }
            InstKind::Binary { op, lhs, rhs, .. } => self.binary(*op, lhs, rhs),
            _ => 0,
        }
    }

    fn binary(&self, op: BinaryOp, lhs: &Operand, rhs: &Operand) -> u32 {
        let (l, r) = (self.operand(lhs), self.operand(rhs));
        let constant = match rhs {
            Operand::Const(Constant::I32(value)) => Some(*value),
            _ => None,
        };
        match (op, constant) {
            (BinaryOp::Mul, _) => (l + r).min(ZERO),
            (BinaryOp::Shl, Some(by)) => (l + by % 32).min(ZERO),
            (BinaryOp::ShrU | BinaryOp::ShrS, Some(by)) => l.saturating_sub(by % 32),
            (BinaryOp::And, _) => l.max(r),
            // x - (x / y) * y.
            (BinaryOp::RemU | BinaryOp::RemS, _) => l.min(r),
            (
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::MinS
                | BinaryOp::MinU
                | BinaryOp::MaxS
                | BinaryOp::MaxU,
                _,
            ) => l.min(r),
            _ => 0,
        }
    }
}
