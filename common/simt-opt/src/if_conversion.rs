//! If-conversion: a short conditional becomes selects, as nvcc predicates it (Allen et al., *Conversion of control
//! dependence to data dependence*, 1983). `if (x > m) m = x` then costs no branch.
//!
//! Both sides must be short, pure and cheap, because all lanes execute them afterwards. Loads, stores, divisions and
//! transcendental functions therefore stay under their condition.

use crate::def_use::sole_def;
use crate::reg_set::RegSet;
use crate::region::replace_nodes;
use crate::ssa::add_ssa_register;
use simt_ir::{Inst, InstKind, Kernel, Node, Operand, Reg, Region, Register};

/// Instructions per side, at most.
const MAX_SIDE: usize = 4;
/// Variables that the conditional writes, at most; each costs a select.
const MAX_VARIABLES: usize = 3;

/// Converts conditionals; returns whether there were any.
pub(crate) fn convert_ifs(kernel: &mut Kernel, ssa: &mut RegSet) -> bool {
    let mut converter = IfConverter { registers: &mut kernel.registers, ssa, changed: false };
    converter.region(&mut kernel.body);
    converter.changed
}

struct IfConverter<'k> {
    registers: &'k mut Vec<Register>,
    ssa: &'k mut RegSet,
    changed: bool,
}

impl IfConverter<'_> {
    fn region(&mut self, nodes: &mut Region) {
        let mut replacements: Vec<(usize, Region)> = Vec::new();
        for (position, node) in nodes.iter_mut().enumerate() {
            node.regions_mut().for_each(|region| self.region(region));
            replacements.extend(self.converted(node).map(|selects| (position, selects)));
        }
        if !replacements.is_empty() {
            self.changed = true;
            replace_nodes(nodes, replacements);
        }
    }

    /// What replaces a conditional, if it can be converted.
    fn converted(&mut self, node: &Node) -> Option<Region> {
        let Node::If { condition, then, otherwise, location } = node else { return None };
        let (then, otherwise) = (speculatable(then)?, speculatable(otherwise)?);
        let mut variables: Vec<Reg> = Vec::new();
        for inst in then.iter().chain(&otherwise) {
            if let Some(dst) = sole_def(&inst.kind)
                && !self.ssa.contains(dst)
                && !variables.contains(&dst)
            {
                variables.push(dst);
            }
        }
        if variables.len() > MAX_VARIABLES {
            return None;
        }
        // If the condition itself is one of them, it must be the last to change.
        variables.sort_by_key(|reg| Operand::Reg(*reg) == *condition);
        let mut out = Region::new();
        let on_true = self.speculate(&then, &variables, &mut out);
        let on_false = self.speculate(&otherwise, &variables, &mut out);
        for ((dst, on_true), on_false) in variables.into_iter().zip(on_true).zip(on_false) {
            let kind = InstKind::Select { dst, condition: *condition, on_true, on_false };
            out.push(Node::Inst(Inst { kind, location: *location }));
        }
        Some(out)
    }

    /// Computes a side without writing the variables; returns what each would hold afterwards.
    fn speculate(&mut self, side: &[&Inst], variables: &[Reg], out: &mut Region) -> Vec<Operand> {
        let mut current: Vec<Operand> = variables.iter().map(|reg| Operand::Reg(*reg)).collect();
        let find = |operand| variables.iter().position(|reg| Operand::Reg(*reg) == operand);
        for inst in side {
            let mut inst = (*inst).clone();
            inst.kind.for_each_use_mut(|operand| {
                if let Some(position) = find(*operand) {
                    *operand = current[position];
                }
            });
            if let Some(position) = sole_def(&inst.kind).and_then(|dst| find(dst.into())) {
                if let InstKind::Copy { src, .. } = inst.kind
                    && find(src).is_none()
                {
                    current[position] = src;
                    continue;
                }
                // A copy of another variable needs a register too, because the selects overwrite one after the other.
                let ty = self.registers[variables[position].index()].ty;
                let new = add_ssa_register(self.registers, self.ssa, Register { ty, name: None });
                inst.kind.for_each_def_mut(|dst| *dst = new);
                current[position] = new.into();
            }
            out.push(Node::Inst(inst));
        }
        current
    }
}

/// The instructions of a side, if all lanes may execute them.
fn speculatable(side: &Region) -> Option<Vec<&Inst>> {
    if side.len() > MAX_SIDE {
        return None;
    }
    side.iter()
        .map(|node| match node {
            Node::Inst(inst) if inst.kind.is_pure() && !inst.kind.is_expensive() => Some(inst),
            _ => None,
        })
        .collect()
}
