//! Conversions between C++ types, as the IR's conversions.

use super::builder::Lowerer;
use super::layout;
use crate::hir::{IntType, Type};
use simt_ir::{CompareOp, Constant, Conversion, Operand};

impl Lowerer<'_> {
    /// A scalar converted as C++ converts it.
    pub(super) fn convert(&mut self, value: Operand, from: &Type, to: &Type) -> Operand {
        if from == to {
            return value;
        }
        match (from, to) {
            (_, Type::Bool) => self.truth(value),
            (Type::Bool, Type::Int(_) | Type::Float | Type::Double | Type::Texture) => {
                let value = self.conversion(Conversion::BoolToI32, value);
                self.convert(value, &Type::Int(IntType::Int), to)
            }
            (Type::Int(from), Type::Int(to)) => self.int_to_int(value, *from, *to),
            (Type::Int(from), Type::Float | Type::Double) => {
                let op = int_to_float(*from, *to == Type::Double);
                self.conversion(op, value)
            }
            (Type::Float | Type::Double, Type::Int(to)) => {
                self.float_to_int(value, *from == Type::Double, *to)
            }
            (Type::Float, Type::Double) => self.conversion(Conversion::F32ToF64, value),
            (Type::Double, Type::Float) => self.conversion(Conversion::F64ToF32, value),
            (Type::Pointer(_), Type::Int(to)) => {
                let bits = self.conversion(Conversion::PtrToI64, value);
                self.int_to_int(bits, IntType::UnsignedLong, *to)
            }
            (Type::Int(from), Type::Pointer(_)) => {
                let bits = self.int_to_int(value, *from, IntType::UnsignedLong);
                self.conversion(Conversion::I64ToPtr, bits)
            }
            (Type::Texture, _) => self.convert(value, &Type::Int(IntType::UnsignedLongLong), to),
            (_, Type::Texture) => self.convert(value, from, &Type::Int(IntType::UnsignedLongLong)),
            _ => value,
        }
    }

    /// Whether the value is not zero (null).
    pub(super) fn truth(&mut self, value: Operand) -> Operand {
        let ty = self.type_of(value);
        if ty == simt_ir::Type::Bool {
            return value;
        }
        self.compare(CompareOp::Ne, ty, value, Constant::zero(ty).into())
    }

    fn int_to_int(&mut self, value: Operand, from: IntType, to: IntType) -> Operand {
        match (from.bits() == 64, to.bits() == 64) {
            (true, true) => value,
            (false, true) if from.is_signed() => self.conversion(Conversion::SignExtend, value),
            (false, true) => self.conversion(Conversion::ZeroExtend, value),
            (true, false) => {
                let low = self.conversion(Conversion::Truncate, value);
                self.narrow(low, to)
            }
            (false, false) if holds(to, from) => value,
            (false, false) => self.narrow(value, to),
        }
    }

    /// The low bits of an `I32`, extended by the type's sign.
    fn narrow(&mut self, value: Operand, to: IntType) -> Operand {
        let op = match (to.bits(), to.is_signed()) {
            (8, true) => Conversion::Sign8,
            (8, false) => Conversion::Zero8,
            (16, true) => Conversion::Sign16,
            (16, false) => Conversion::Zero16,
            _ => return value,
        };
        self.conversion(op, value)
    }

    fn float_to_int(&mut self, value: Operand, double: bool, to: IntType) -> Operand {
        let op = match (double, to.bits() == 64, to.is_signed()) {
            (false, false, true) => Conversion::F32ToS32,
            (false, false, false) => Conversion::F32ToU32,
            (false, true, true) => Conversion::F32ToS64,
            (false, true, false) => Conversion::F32ToU64,
            (true, false, true) => Conversion::F64ToS32,
            (true, false, false) => Conversion::F64ToU32,
            (true, true, true) => Conversion::F64ToS64,
            (true, true, false) => Conversion::F64ToU64,
        };
        let whole = self.conversion(op, value);
        if to.bits() < 32 { self.narrow(whole, to) } else { whole }
    }

    /// The same bits as another type.
    pub(super) fn bits(&mut self, value: Operand, from: &Type, to: &Type) -> Operand {
        use simt_ir::Type::{F32, F64, I32, I64, Ptr};
        let op = match (self.type_of(value), layout::register(to)) {
            (F32, I32) => Conversion::F32Bits,
            (I32, F32) => Conversion::BitsF32,
            (F64, I64) => Conversion::F64Bits,
            (I64, F64) => Conversion::BitsF64,
            (Ptr, I64) => Conversion::PtrToI64,
            (I64, Ptr) => Conversion::I64ToPtr,
            _ => return self.convert(value, from, to),
        };
        self.conversion(op, value)
    }
}

/// Whether every value of `from`, both of at most 32 bits, has the same register as a `to`.
fn holds(to: IntType, from: IntType) -> bool {
    let wider = to.bits() > from.bits() && (to.is_signed() || !from.is_signed());
    to.bits() == 32 || wider || to.bits() == from.bits() && to.is_signed() == from.is_signed()
}

fn int_to_float(from: IntType, double: bool) -> Conversion {
    // A narrow unsigned integer is zero-extended, so it is a positive signed one.
    let signed = from.is_signed() || from.bits() < 32;
    match (double, from.bits() == 64, signed) {
        (false, false, true) => Conversion::S32ToF32,
        (false, false, false) => Conversion::U32ToF32,
        (false, true, true) => Conversion::S64ToF32,
        (false, true, false) => Conversion::U64ToF32,
        (true, false, true) => Conversion::S32ToF64,
        (true, false, false) => Conversion::U32ToF64,
        (true, true, true) => Conversion::S64ToF64,
        (true, true, false) => Conversion::U64ToF64,
    }
}
