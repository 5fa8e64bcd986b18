//! Address folding, as instruction selection does it for addressing modes: constants move into the offset,
//! conversions into the kind of index, constant factors into the scale, and pointer arithmetic into the access that
//! uses it.
//!
//! A 32-bit index is only split where the sum is exact after widening. For a signed one it is, because C++ leaves
//! signed overflow undefined.

use super::ValueNumberer;
use super::value_table::{AddressExpr, Expr, ValueId};
use crate::constant_folding;
use simt_ir::{Address, BinaryOp, Constant, Conversion, Index, IndexKind, Operand};

impl ValueNumberer<'_> {
    /// The simplest form of an address.
    pub(super) fn fold_address(&mut self, mut address: Address) -> Address {
        while let Some(simpler) = self.fold_base(address).or_else(|| self.fold_index(address)) {
            address = simpler;
            self.changed = true;
        }
        address
    }

    pub(super) fn address_expr(&mut self, address: &Address) -> AddressExpr {
        AddressExpr {
            base: self.value_of(address.base),
            index: address.index.map(|index| (self.value_of(index.value), index.kind, index.scale)),
            offset: address.offset,
        }
    }

    /// Folds the `Offset` instruction that computed the base into the address.
    fn fold_base(&mut self, address: Address) -> Option<Address> {
        let base = self.value_of(address.base);
        let Expr::Offset(inner) = self.table.expr(base) else { return None };
        let index = match (address.index, inner.index) {
            (index, None) => index,
            (None, Some((value, kind, scale))) => {
                Some(Index { value: self.operand_for(value)?, kind, scale })
            }
            (Some(_), Some(_)) => return None,
        };
        let offset = address.offset.checked_add(inner.offset)?;
        Some(Address { base: self.operand_for(inner.base)?, index, offset })
    }

    fn fold_index(&mut self, address: Address) -> Option<Address> {
        let index = address.index?;
        if index.scale == 0 {
            return Some(Address { index: None, ..address });
        }
        let value = self.value_of(index.value);
        if let Some(constant) = self.table.as_constant(value) {
            let offset = constant_folding::add_index(address.offset, constant, index.kind, index.scale)?;
            return Some(Address { index: None, offset, ..address });
        }
        match self.table.expr(value) {
            Expr::Convert(op, narrow) if index.kind == IndexKind::Wide => {
                let kind = match op {
                    Conversion::SignExtend => IndexKind::Signed32,
                    Conversion::ZeroExtend => IndexKind::Unsigned32,
                    _ => return None,
                };
                let index = Index { value: self.operand_for(narrow)?, kind, ..index };
                Some(Address { index: Some(index), ..address })
            }
            Expr::Binary(BinaryOp::Add, ..) => {
                let (core, summand) = self.table.split_constant(value)?;
                if !self.sum_is_exact(core, summand, index.kind) {
                    return None;
                }
                let offset = constant_folding::add_index(address.offset, summand, index.kind, index.scale)?;
                let index = Index { value: self.operand_for(core)?, ..index };
                Some(Address { index: Some(index), offset, ..address })
            }
            Expr::Binary(BinaryOp::Mul, core, factor) => {
                let factor = self.table.as_constant(factor)?.bits();
                let exact = match index.kind {
                    IndexKind::Wide => true,
                    IndexKind::Signed32 | IndexKind::Unsigned32 => {
                        self.table.max(core).checked_mul(factor).is_some_and(|max| max <= i32::MAX as u64)
                    }
                };
                let scale = u32::try_from(factor.checked_mul(u64::from(index.scale))?).ok()?;
                let value: Operand = self.operand_for(core).filter(|_| exact)?;
                Some(Address { index: Some(Index { value, scale, ..index }), ..address })
            }
            _ => None,
        }
    }

    /// Whether widening `core + summand` equals the sum of both after widening.
    fn sum_is_exact(&self, core: ValueId, summand: Constant, kind: IndexKind) -> bool {
        match (kind, summand) {
            // Signed overflow is undefined in C++, and 64-bit arithmetic wraps alike before and after scaling.
            (IndexKind::Signed32 | IndexKind::Wide, _) => true,
            (IndexKind::Unsigned32, Constant::I32(summand)) => {
                let max = self.table.max(core).checked_add(u64::from(summand));
                max.is_some_and(|max| max <= u64::from(u32::MAX))
            }
            (IndexKind::Unsigned32, _) => false,
        }
    }
}
