//! A small register file: registers that are never named go.
//!
//! Those that are left do not share: what each of them holds is known best while it is the only one of its name. The machine
//! that runs the kernel decides which of them may lie in one place.

use crate::registers::{BitSet, assignments};
use simt_ir::{Kernel, Node, Operand, Reg, Region};

/// Takes registers that nothing names any more out of the file, and keeps the order of the others: what a pass keeps for
/// each register is then no larger than the code.
pub(crate) fn drop_unnamed(kernel: &mut Kernel) {
    let (_, named) = assignments(kernel);
    drop_others(kernel, &named);
}

/// The same where many registers have no name, and says which ones are written in one place then; see
/// [`crate::registers::single_assignment`].
pub(crate) fn drop_many_unnamed(kernel: &mut Kernel) -> BitSet {
    let (single, named) = assignments(kernel);
    // Other numbers for all that is left take longer than what they save where little goes.
    if named.len() * 2 > kernel.registers.len() {
        return single;
    }
    let names = drop_others(kernel, &named);
    let mut renamed = BitSet::default();
    single.iter().for_each(|reg| renamed.insert(names[reg.0 as usize]));
    renamed
}

/// Keeps these registers; gives the new name of each.
fn drop_others(kernel: &mut Kernel, named: &BitSet) -> Vec<Reg> {
    let count = kernel.registers.len();
    let mut names = vec![Reg(0); count];
    let (mut at, mut kept) = (0, 0);
    kernel.registers.retain(|_| {
        let stays = named.contains(Reg(at));
        names[at as usize] = Reg(kept);
        at += 1;
        kept += u32::from(stays);
        stays
    });
    if kernel.registers.len() < count {
        rename(&mut kernel.body, &names);
    }
    names
}

fn rename(block: &mut Region, names: &[Reg]) {
    let operand = |operand: &mut Operand| {
        if let Operand::Reg(reg) = operand {
            *reg = names[reg.0 as usize];
        }
    };
    for node in block {
        match node {
            Node::Inst(inst) => {
                inst.kind.for_each_use_mut(operand);
                inst.kind.for_each_def_mut(|dst| *dst = names[dst.0 as usize]);
            }
            Node::If { condition, then, otherwise, .. } => {
                operand(condition);
                rename(then, names);
                rename(otherwise, names);
            }
            Node::Loop { header, condition, body, step, .. } => {
                if let Some(condition) = condition {
                    operand(condition);
                }
                rename(header, names);
                rename(body, names);
                rename(step, names);
            }
            Node::Scope { body, .. } => rename(body, names),
            Node::Break(_) | Node::Continue(_) | Node::Return => {}
        }
    }
}
