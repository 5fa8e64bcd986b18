//! Addresses: constant parts go into the offset, conversions into the kind of index, steps of a pointer into the access.

use super::Simplifier;
use super::values::{Expr, Place, Value};
use crate::fold;
use simt_ir::{Address, BinaryOp, Constant, Conversion, Index, IndexKind, Operand};

impl Simplifier<'_> {
    /// The address with as much in its constant part as can be.
    pub(super) fn fold_address(&mut self, mut address: Address) -> Address {
        while let Some(simpler) = self.fold_base(address).or_else(|| self.fold_index(address)) {
            address = simpler;
            self.changed = true;
        }
        address
    }

    pub(super) fn place(&mut self, address: &Address) -> Place {
        Place {
            base: self.value(address.base),
            index: address.index.map(|index| (self.value(index.value), index.kind, index.scale)),
            offset: address.offset,
        }
    }

    /// The step that made the base, taken into the address.
    fn fold_base(&mut self, address: Address) -> Option<Address> {
        let base = self.value(address.base);
        let Expr::Offset(step) = self.values.expr(base) else { return None };
        let index = match (address.index, step.index) {
            (index, None) => index,
            (None, Some((value, kind, scale))) => Some(Index { value: self.operand(value)?, kind, scale }),
            (Some(_), Some(_)) => return None,
        };
        let offset = address.offset.checked_add(step.offset)?;
        Some(Address { base: self.operand(step.base)?, index, offset })
    }

    fn fold_index(&mut self, address: Address) -> Option<Address> {
        let index = address.index?;
        if index.scale == 0 {
            return Some(Address { index: None, ..address });
        }
        let value = self.value(index.value);
        if let Some(constant) = self.values.as_constant(value) {
            let offset = fold::advance(address.offset, constant, index.kind, index.scale)?;
            return Some(Address { index: None, offset, ..address });
        }
        match self.values.expr(value) {
            Expr::Convert(op, narrow) if index.kind == IndexKind::Wide => {
                let kind = match op {
                    Conversion::SignExtend => IndexKind::Signed32,
                    Conversion::ZeroExtend => IndexKind::Unsigned32,
                    _ => return None,
                };
                let index = Index { value: self.operand(narrow)?, kind, ..index };
                Some(Address { index: Some(index), ..address })
            }
            Expr::Binary(BinaryOp::Add, ..) => {
                let (core, summand) = self.values.split(value)?;
                if !self.sum_is_exact(core, summand, index.kind) {
                    return None;
                }
                let offset = fold::advance(address.offset, summand, index.kind, index.scale)?;
                let index = Index { value: self.operand(core)?, ..index };
                Some(Address { index: Some(index), offset, ..address })
            }
            Expr::Binary(BinaryOp::Mul, core, factor) => {
                let factor = match self.values.as_constant(factor)? {
                    Constant::I32(factor) => u64::from(factor),
                    Constant::I64(factor) => factor,
                    _ => return None,
                };
                let exact = match index.kind {
                    IndexKind::Wide => true,
                    IndexKind::Signed32 | IndexKind::Unsigned32 => {
                        self.values.max(core).checked_mul(factor).is_some_and(|max| max <= i32::MAX as u64)
                    }
                };
                let scale = u32::try_from(factor.checked_mul(u64::from(index.scale))?).ok()?;
                let value: Operand = self.operand(core).filter(|_| exact)?;
                Some(Address { index: Some(Index { value, scale, ..index }), ..address })
            }
            _ => None,
        }
    }

    /// Whether widening `core + summand` is widening both and adding.
    fn sum_is_exact(&self, core: Value, summand: Constant, kind: IndexKind) -> bool {
        match (kind, summand) {
            // Signed overflow is undefined in C++, and 64 bits wrap alike before and after scaling.
            (IndexKind::Signed32 | IndexKind::Wide, _) => true,
            (IndexKind::Unsigned32, Constant::I32(summand)) => {
                let max = self.values.max(core).checked_add(u64::from(summand));
                max.is_some_and(|max| max <= u64::from(u32::MAX))
            }
            (IndexKind::Unsigned32, _) => false,
        }
    }
}
