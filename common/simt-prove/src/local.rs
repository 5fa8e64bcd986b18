//! Registers that matter only where they are: what one region assigns once and only reads afterwards, in itself or in what is inside it.
//!
//! Most registers of a kernel are of this kind. Whatever leaves the region need not say what they hold, and they are not compared where ways
//! come together.

use simt_ir::{Inst, Kernel, Node, Operand, Reg};

/// By register, whether no other region reads it and none assigns it again.
pub(crate) fn local_registers(kernel: &Kernel) -> Vec<bool> {
    let count = kernel.registers.len();
    let mut search =
        Search { is_local: vec![true; count], is_known: vec![false; count], is_assigned: vec![false; count] };
    search.region(&kernel.body);
    search.is_local
}

struct Search {
    is_local: Vec<bool>,
    /// Whether it was assigned before, in this region or one around it.
    is_known: Vec<bool>,
    is_assigned: Vec<bool>,
}

impl Search {
    fn region(&mut self, region: &[Node]) {
        let assigned = self.nodes(region);
        self.forget(assigned);
    }

    /// Returns what the nodes assign.
    fn nodes(&mut self, region: &[Node]) -> Vec<Reg> {
        let mut assigned = Vec::new();
        for node in region {
            match node {
                Node::Inst(inst) => self.instruction(inst, &mut assigned),
                Node::If { condition, then, otherwise, .. } => {
                    self.reads(condition);
                    self.region(then);
                    self.region(otherwise);
                }
                // What comes before the test is done in each iteration that comes to the rest.
                Node::Loop { header, condition, body, step, .. } => {
                    let before_test = self.nodes(header);
                    condition.iter().for_each(|condition| self.reads(condition));
                    self.region(body);
                    self.region(step);
                    self.forget(before_test);
                }
                Node::Scope { body, .. } => self.region(body),
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
        assigned
    }

    fn instruction(&mut self, inst: &Inst, assigned: &mut Vec<Reg>) {
        inst.kind.for_each_use(|operand| self.reads(operand));
        inst.kind.for_each_def(|reg| {
            let number = reg.index();
            self.is_local[number] &= !self.is_assigned[number];
            self.is_assigned[number] = true;
            self.is_known[number] = true;
            assigned.push(*reg);
        });
    }

    fn reads(&mut self, operand: &Operand) {
        if let Operand::Reg(reg) = operand {
            self.is_local[reg.index()] &= self.is_known[reg.index()];
        }
    }

    fn forget(&mut self, assigned: Vec<Reg>) {
        assigned.into_iter().for_each(|reg| self.is_known[reg.index()] = false);
    }
}
