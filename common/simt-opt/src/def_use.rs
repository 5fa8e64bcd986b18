//! Definitions and uses: which registers a node or a region writes and reads.

use crate::reg_set::RegSet;
use simt_ir::{InstKind, Kernel, Node, Operand, Reg, for_each_inst, for_each_node};

/// Calls `f` with each register that the node itself reads: an instruction's operands or a condition.
#[inline]
pub(crate) fn for_each_reg_use(node: &Node, mut f: impl FnMut(Reg)) {
    node.for_each_use(|operand| {
        if let Operand::Reg(reg) = operand {
            f(*reg);
        }
    });
}

/// Adds all registers that a region writes.
pub(crate) fn add_region_defs(region: &[Node], defs: &mut RegSet) {
    for_each_inst(region, &mut |inst| inst.kind.for_each_def(|dst| defs.insert(*dst)));
}

/// Adds all registers that a region reads.
pub(crate) fn add_region_uses(region: &[Node], uses: &mut RegSet) {
    for_each_node(region, &mut |node| for_each_reg_use(node, |reg| uses.insert(reg)));
}

/// Whether a region writes a register.
pub(crate) fn defines(region: &[Node], reg: Reg) -> bool {
    let mut found = false;
    for_each_inst(region, &mut |inst| inst.kind.for_each_def(|dst| found |= *dst == reg));
    found
}

/// For each register, the number of places in the kernel's text that read it.
pub(crate) fn use_counts(kernel: &Kernel) -> Vec<u32> {
    let mut counts = vec![0; kernel.registers.len()];
    for_each_node(&kernel.body, &mut |node| for_each_reg_use(node, |reg| counts[reg.index()] += 1));
    counts
}

/// The destination of an instruction that has exactly one.
pub(crate) fn sole_def(kind: &InstKind) -> Option<Reg> {
    let mut found = None;
    let mut count = 0;
    kind.for_each_def(|dst| {
        found = Some(*dst);
        count += 1;
    });
    found.filter(|_| count == 1)
}
