//! Renumbering of registers: those that nothing names are removed from the register file, so that what a pass keeps
//! for each register is no larger than the code.
//!
//! This is not register allocation: no two registers are merged, because analyses know more of a register that
//! stands for one value. The machine that runs the kernel decides which registers share a slot.

use crate::reg_set::RegSet;
use crate::region::for_each_node_mut;
use crate::ssa::ssa_and_used_registers;
use simt_ir::{Kernel, Node, Operand, Reg};

/// Removes all unused registers, and keeps the order of the others.
pub(crate) fn remove_unused_registers(kernel: &mut Kernel) {
    let (_, used) = ssa_and_used_registers(kernel);
    keep_registers(kernel, &used);
}

/// Does the same if at least half of the registers are unused; returns the SSA registers afterwards (see
/// [`crate::ssa`]).
pub(crate) fn remove_many_unused_registers(kernel: &mut Kernel) -> RegSet {
    let (ssa, used) = ssa_and_used_registers(kernel);
    // Renumbering the whole body takes longer than it saves where few are unused.
    if used.len() * 2 > kernel.registers.len() {
        return ssa;
    }
    let new = keep_registers(kernel, &used);
    let mut renumbered = RegSet::default();
    ssa.iter().for_each(|reg| renumbered.insert(new[reg.index()]));
    renumbered
}

/// Keeps only these registers; returns the new name of each.
fn keep_registers(kernel: &mut Kernel, kept: &RegSet) -> Vec<Reg> {
    let count = kernel.registers.len();
    let mut new = vec![Reg(0); count];
    let (mut old, mut next) = (0, 0);
    kernel.registers.retain(|_| {
        let stays = kept.contains(Reg(old));
        new[old as usize] = Reg(next);
        old += 1;
        next += u32::from(stays);
        stays
    });
    if kernel.registers.len() < count {
        for_each_node_mut(&mut kernel.body, &mut |node| {
            node.for_each_use_mut(|operand| {
                if let Operand::Reg(reg) = operand {
                    *reg = new[reg.index()];
                }
            });
            if let Node::Inst(inst) = node {
                inst.kind.for_each_def_mut(|dst| *dst = new[dst.index()]);
            }
        });
    }
    new
}
