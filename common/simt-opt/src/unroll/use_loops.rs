//! The loop of uses of each register: a counter that only its own loop reads need not be written when that loop is
//! unrolled.

use crate::def_use::for_each_reg_use;
use simt_ir::{Kernel, Label, Node, Reg};

/// For each register, the innermost loop that contains all of its uses: the lowest common ancestor of their loops.
/// Loops are numbered from 1 in textual order, and 0 is the kernel.
pub(super) struct UseLoops {
    /// By the register's number; `None` for one that nothing reads.
    of_register: Vec<Option<u32>>,
    /// For each loop, the loop around it.
    parent: Vec<u32>,
    /// For each label, its loop; 0 for a scope, and for a label that several loops share.
    of_label: Vec<u32>,
}

impl UseLoops {
    /// Those of a kernel whose labels are below `labels`.
    pub(super) fn of(kernel: &Kernel, labels: u32) -> UseLoops {
        let mut loops = UseLoops {
            of_register: vec![None; kernel.registers.len()],
            parent: vec![0],
            of_label: vec![0; labels as usize],
        };
        loops.region(&kernel.body, 0);
        loops
    }

    /// Whether all uses of a register are in the loop of that label.
    pub(super) fn are_within(&self, reg: Reg, label: Label) -> bool {
        let (Some(of_uses), Some(number)) =
            (self.of_register.get(reg.index()), self.of_label.get(label.0 as usize))
        else {
            return false;
        };
        of_uses.is_none_or(|of_uses| *number != 0 && self.common_ancestor(of_uses, *number) == *number)
    }

    fn common_ancestor(&self, mut left: u32, mut right: u32) -> u32 {
        // A loop's number is greater than those of the loops around it.
        while left != right {
            let inner = if left > right { &mut left } else { &mut right };
            *inner = self.parent[*inner as usize];
        }
        left
    }

    fn region(&mut self, nodes: &[Node], enclosing: u32) {
        for node in nodes {
            let current = match node {
                Node::Loop { label, .. } => self.add_loop(*label, enclosing),
                Node::Inst(_)
                | Node::If { .. }
                | Node::Scope { .. }
                | Node::Break(_)
                | Node::Continue(_)
                | Node::Return => enclosing,
            };
            for_each_reg_use(node, |reg| {
                let earlier = self.of_register[reg.index()];
                let common = earlier.map_or(current, |earlier| self.common_ancestor(earlier, current));
                self.of_register[reg.index()] = Some(common);
            });
            node.regions().for_each(|region| self.region(region, current));
        }
    }

    fn add_loop(&mut self, label: Label, enclosing: u32) -> u32 {
        self.parent.push(enclosing);
        let number = self.parent.len() as u32 - 1;
        let is_first = self.of_label[label.0 as usize] == 0;
        self.of_label[label.0 as usize] = if is_first { number } else { 0 };
        number
    }
}
