//! Which registers are in static single assignment form.
//!
//! The IR is not in SSA form: a variable of the source is one register that several instructions write. Most registers
//! are temporaries, though, with one definition that dominates every use (Cytron et al., *Efficiently computing static
//! single assignment form and the control dependence graph*, 1991). A pass may rename such a register, or move its
//! definition up, without any further analysis.
//!
//! Dominance is approximated by the tree: a definition dominates what follows it in its own region, inner regions
//! included. Definitions in both sides of an `If` therefore never count as one.

use crate::def_use::for_each_reg_use;
use crate::reg_set::RegSet;
use simt_ir::{Kernel, Node, Reg, Register};

/// The registers with one definition whose region, from there on, contains every use.
pub(crate) fn ssa_registers(kernel: &Kernel) -> RegSet {
    ssa_and_used_registers(kernel).0
}

/// As [`ssa_registers`], and the registers that are read or written anywhere.
pub(crate) fn ssa_and_used_registers(kernel: &Kernel) -> (RegSet, RegSet) {
    let mut walk = DefDominance { state: vec![UNUSED; kernel.registers.len()], open: vec![false, false] };
    walk.region(&kernel.body);
    let above = |state: u32| RegSet::from_fn(walk.state.len(), |number| walk.state[number] > state);
    (above(NOT_SSA), above(UNUSED))
}

/// Adds a register for a copy of `like`'s definition. Copies of an SSA register are written once each.
pub(crate) fn clone_register(registers: &mut Vec<Register>, ssa: &mut RegSet, like: Reg) -> Reg {
    let register = registers[like.index()].clone();
    add_ssa_register(registers, ssa, register)
}

/// Adds a register that the caller defines once.
pub(crate) fn add_ssa_register(registers: &mut Vec<Register>, ssa: &mut RegSet, register: Register) -> Reg {
    registers.push(register);
    let new = Reg(registers.len() as u32 - 1);
    ssa.insert(new);
    new
}

/// The state of a register that was neither read nor written yet.
const UNUSED: u32 = 0;

/// The state of a register with several definitions, or with a use that its definition does not dominate.
const NOT_SSA: u32 = 1;

struct DefDominance {
    /// For each register, the number of the region with its definition, counted from 2, or one of the states above.
    state: Vec<u32>,
    /// For each region, whether the walk is still in it; false for the two states above.
    open: Vec<bool>,
}

impl DefDominance {
    fn region(&mut self, region: &[Node]) {
        let id = self.enter(region);
        self.open[id] = false;
    }

    /// Walks a region and leaves it open, for uses that follow it.
    fn enter(&mut self, region: &[Node]) -> usize {
        let id = self.open.len();
        self.open.push(true);
        for node in region {
            self.node(node, id as u32);
        }
        id
    }

    fn node(&mut self, node: &Node, id: u32) {
        match node {
            Node::Inst(inst) => {
                self.uses(node);
                inst.kind.for_each_def(|dst| {
                    let state = &mut self.state[dst.index()];
                    *state = if *state == UNUSED { id } else { NOT_SSA };
                });
            }
            Node::Loop { header, body, step, .. } => {
                // The header dominates the condition, the body and the step.
                let header = self.enter(header);
                self.uses(node);
                self.region(body);
                self.region(step);
                self.open[header] = false;
            }
            Node::If { .. } | Node::Scope { .. } | Node::Break(_) | Node::Continue(_) | Node::Return => {
                self.uses(node);
                node.regions().for_each(|region| self.region(region));
            }
        }
    }

    #[inline]
    fn uses(&mut self, node: &Node) {
        for_each_reg_use(node, |reg| {
            let state = &mut self.state[reg.index()];
            if !self.open[*state as usize] {
                *state = NOT_SSA;
            }
        });
    }
}
