//! Where registers are read: a counter that only its own loop reads need not be counted where that is unrolled.

use crate::registers::own_uses;
use simt_ir::{Kernel, Label, Node, Reg};

/// For each register the innermost loop that has every place where it is read. Loops are numbered from 1 in the order of the
/// text, and 0 is the kernel; a register that nothing reads is in no loop's way.
pub(super) struct Homes {
    /// By the register's number.
    of: Vec<Option<u32>>,
    /// The loop around each loop.
    outer: Vec<u32>,
    /// The loop of each label; 0 for those of scopes.
    numbers: Vec<u32>,
}

impl Homes {
    /// Of a kernel whose labels are below `labels`.
    pub(super) fn of(kernel: &Kernel, labels: u32) -> Homes {
        let mut homes = Homes {
            of: vec![None; kernel.registers.len()],
            outer: vec![0],
            numbers: vec![0; labels as usize],
        };
        homes.block(&kernel.body, 0);
        homes
    }

    /// Whether every place that reads a register is in the loop of that label.
    pub(super) fn within(&self, reg: Reg, label: Label) -> bool {
        let (Some(home), Some(number)) = (self.of.get(reg.0 as usize), self.numbers.get(label.0 as usize))
        else {
            return false;
        };
        home.is_none_or(|home| *number != 0 && self.common(home, *number) == *number)
    }

    /// The innermost loop around two, or one of them if it is around the other.
    fn common(&self, mut one: u32, mut other: u32) -> u32 {
        // A loop comes after those around it.
        while one != other {
            let inner = if one > other { &mut one } else { &mut other };
            *inner = self.outer[*inner as usize];
        }
        one
    }

    fn block(&mut self, nodes: &[Node], around: u32) {
        for node in nodes {
            let here = match node {
                Node::Loop { label, .. } => {
                    self.outer.push(around);
                    let number = self.outer.len() as u32 - 1;
                    // Of two loops with one label nothing is known.
                    let known = self.numbers[label.0 as usize] == 0;
                    self.numbers[label.0 as usize] = if known { number } else { 0 };
                    number
                }
                _ => around,
            };
            own_uses(node, |reg| {
                let home = self.of[reg.0 as usize].map_or(here, |home| self.common(home, here));
                self.of[reg.0 as usize] = Some(home);
            });
            match node {
                Node::If { then, otherwise, .. } => {
                    self.block(then, here);
                    self.block(otherwise, here);
                }
                Node::Loop { header, body, step, .. } => {
                    self.block(header, here);
                    self.block(body, here);
                    self.block(step, here);
                }
                Node::Scope { body, .. } => self.block(body, here),
                Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
    }
}
