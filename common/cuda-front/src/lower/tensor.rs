//! Tensor cores, asynchronous copies, barriers in shared memory, and shared addresses as numbers.

use super::builder::{Lowerer, Value};
use super::layout;
use crate::hir::{Expr, Intrinsic, Type};
use simt_ir::{Address, AsyncOp, Conversion, InstKind, Operand, RegList};
use smallvec::smallvec;

impl Lowerer<'_> {
    pub(super) fn tensor(&mut self, intrinsic: Intrinsic, args: &[Expr], ty: &Type, wanted: bool) -> Value {
        match intrinsic {
            Intrinsic::Matrix(op) => {
                let args = self.arguments(args);
                let dst = self.results(ty);
                self.matrix_result(dst, |dst| InstKind::Matrix { dst, op, args })
            }
            Intrinsic::LoadMatrix(transpose) => {
                let address = self.address(&args[0]);
                let dst = self.results(ty);
                self.matrix_result(dst, |dst| InstKind::LoadMatrix { dst, address, transpose })
            }
            Intrinsic::AsyncCopy(bytes) => {
                let to = self.fixed_address(&args[0], &args[1..]);
                let from = self.fixed_address(&args[1], &args[2..]);
                let used = self.scalar(&args[2]);
                self.statement(InstKind::AsyncCopy { to, from, bytes, used })
            }
            Intrinsic::Async(op) => {
                let args = self.arguments(args);
                let arrives = matches!(op, AsyncOp::Arrive | AsyncOp::Drop);
                let dst = (wanted && arrives).then(|| self.temporary(simt_ir::Type::I32));
                self.emit(InstKind::Async { dst, op, args });
                dst.map(Operand::Reg).into_iter().collect()
            }
            Intrinsic::SharedPointer => {
                let number = self.scalar(&args[0]);
                smallvec![self.conversion(Conversion::SharedToPtr, number)]
            }
            _ => {
                let pointer = self.scalar(&args[0]);
                smallvec![self.conversion(Conversion::PtrToShared, pointer)]
            }
        }
    }

    /// A register for each scalar of a type.
    fn results(&mut self, ty: &Type) -> RegList {
        let leaves = layout::leaves(self.program, ty);
        leaves.iter().map(|leaf| self.temporary(leaf.memory.register())).collect()
    }

    fn matrix_result(&mut self, dst: RegList, kind: impl FnOnce(RegList) -> InstKind) -> Value {
        let value = dst.iter().map(|r| Operand::Reg(*r)).collect();
        self.emit(kind(dst));
        value
    }

    /// An address that what is evaluated later does not change.
    fn fixed_address(&mut self, arg: &Expr, later: &[Expr]) -> Address {
        let address = self.address(arg);
        if !later.iter().any(super::visit::writes_variables) {
            return address;
        }
        let pointer = self.pointer(address);
        Address { base: self.snapshot(pointer), index: None, offset: 0 }
    }
}
