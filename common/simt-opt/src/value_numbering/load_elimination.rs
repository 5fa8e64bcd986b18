//! Redundant-load elimination: a load whose value is in registers already becomes copies of them.
//!
//! An earlier load of the same address, type and width must dominate it, with no instruction between them that may
//! change that memory. Stored values are not forwarded to loads, and volatile and other strong loads stay.

use super::value_table::{Expr, ValueId};
use super::{Edit, ValueNumberer};
use simt_ir::{AccessOrder, Inst, InstKind, Node, Operand, Reg, Region};
use smallvec::SmallVec;

impl ValueNumberer<'_> {
    pub(super) fn load(&mut self, inst: &mut Inst) -> Edit {
        let InstKind::Load { dst, ty, address, cache, order: AccessOrder::Weak, .. } = &mut inst.kind else {
            return Edit::Keep;
        };
        let version = self.memory.of(self.aliases.of_pointer(address.base));
        let address = self.address_expr(address);
        let width = dst.len() as u8;
        let element =
            |n: usize| Expr::Load { ty: *ty, width, element: n as u8, address, cache: *cache, version };
        // All elements were loaded before if the first one was.
        let sources: Option<SmallVec<[Operand; 4]>> = self.table.find(element(0)).and_then(|_| {
            let values = (0..dst.len()).map(|n| self.table.find(element(n)));
            values.map(|value| self.operand_for(value?)).collect()
        });
        let values: SmallVec<[ValueId; 4]> = (0..dst.len()).map(|n| self.table.number(element(n))).collect();
        let Some(sources) = sources.filter(|sources| can_copy_in_order(dst, sources)) else {
            dst.iter().zip(values).for_each(|(reg, value)| self.define(*reg, value));
            return Edit::Keep;
        };
        self.changed = true;
        let mut copies = Region::new();
        let dst = std::mem::take(dst);
        for ((dst, src), value) in dst.into_iter().zip(sources).zip(values) {
            if self.current[dst.index()] != value {
                self.define(dst, value);
                copies.push(Node::Inst(Inst { kind: InstKind::Copy { dst, src }, location: inst.location }));
            }
        }
        Edit::Replace(copies)
    }
}

/// Whether the copies `dst = sources` can be made one after the other: none overwrites what a later one reads.
fn can_copy_in_order(dst: &[Reg], sources: &[Operand]) -> bool {
    sources.iter().enumerate().all(|(n, src)| dst[..n].iter().all(|written| *src != Operand::Reg(*written)))
}
