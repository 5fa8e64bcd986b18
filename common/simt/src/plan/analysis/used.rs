//! Which registers anything uses, but for copies and stores of members of structures: a member that goes along when its structure
//! is copied need not have been written (C11, 6.2.6.1, lets structures be copied whole whatever their members hold).

use crate::index_vec::IndexVec;
use crate::plan::link::Program;
use simt_ir::{InstKind, Node, ObjectPart, Operand, Reg, for_each_node};

/// For each register, whether its value is used.
pub(crate) fn used_registers(program: &Program) -> IndexVec<Reg, bool> {
    let mut used = IndexVec::filled(false, program.kernel.registers.len());
    let mut copies = Vec::new();
    for body in program.bodies() {
        for_each_node(body, &mut |node| {
            let kind = if let Node::Inst(inst) = node { Some(&inst.kind) } else { None };
            if let Some(InstKind::Copy { dst, src: Operand::Reg(src) }) = kind {
                copies.push((*dst, *src));
                return;
            }
            let members = match kind {
                Some(InstKind::Store { src, part: ObjectPart::Member, .. }) => src.as_slice(),
                Some(_) | None => &[],
            };
            let mut kept = members.iter().peekable();
            node.for_each_use(|operand| {
                // The values stored are the first of a store's operands, in order.
                if kept.next_if(|kept| *kept == operand).is_none()
                    && let Operand::Reg(reg) = operand
                {
                    used[*reg] = true;
                }
            });
        });
    }
    loop {
        let mut changed = false;
        for (dst, src) in &copies {
            changed |= used[*dst] && !std::mem::replace(&mut used[*src], true);
        }
        if !changed {
            return used;
        }
    }
}
