//! Tensor cores, asynchronous copies, barriers in shared memory, and shared addresses as numbers.

use super::builder::{Lowerer, Value};
use crate::hir::{Expr, Intrinsic, Type};
use simt_ir::{Address, AsyncOp, Conversion, InstKind, Operand};
use smallvec::smallvec;

impl Lowerer<'_> {
    pub(super) fn tensor(&mut self, intrinsic: Intrinsic, args: &[Expr], ty: &Type, wanted: bool) -> Value {
        match intrinsic {
            Intrinsic::Matrix(op) => {
                let args = self.arguments(args);
                self.all_computed(self.leaf_types(ty), |dst| InstKind::Matrix { dst, op, args })
            }
            Intrinsic::LoadMatrix(transpose) => {
                let address = self.address(&args[0]);
                self.all_computed(self.leaf_types(ty), |dst| InstKind::LoadMatrix { dst, address, transpose })
            }
            Intrinsic::AsyncCopy(bytes) => {
                let to = self.fixed_address(&args[0], &args[1..]);
                let from = self.fixed_address(&args[1], &args[2..]);
                let used = self.scalar(&args[2]);
                self.statement(InstKind::AsyncCopy { to, from, bytes, used })
            }
            Intrinsic::Async(op) => {
                let args = self.arguments(args);
                let arrives = matches!(op, AsyncOp::Arrive | AsyncOp::Drop | AsyncOp::ArriveNamed);
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
