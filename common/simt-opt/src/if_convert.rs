//! Short choices between pure values become selections, as nvcc predicates them: `if (x > m) m = x` costs no branch.

use crate::registers::{BitSet, only_def, replace_nodes};
use simt_ir::{Inst, InstKind, Kernel, Node, Operand, Reg, Region, Register};

/// Instructions of a side, at most; it is executed by all lanes then.
const MAX_SIDE: usize = 4;
/// Variables that the choice writes, at most; each costs a selection.
const MAX_WRITTEN: usize = 3;

/// Converts what can be; says whether anything was.
pub(crate) fn convert_ifs(kernel: &mut Kernel, single: &mut BitSet) -> bool {
    let mut converter = Converter { registers: &mut kernel.registers, single, changed: false };
    converter.block(&mut kernel.body);
    converter.changed
}

struct Converter<'k> {
    registers: &'k mut Vec<Register>,
    single: &'k mut BitSet,
    changed: bool,
}

impl Converter<'_> {
    fn block(&mut self, nodes: &mut Region) {
        let mut converted: Vec<(usize, Region)> = Vec::new();
        for (place, node) in nodes.iter_mut().enumerate() {
            match node {
                Node::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                    let mut out = Region::new();
                    if self.choice(node, &mut out) {
                        converted.push((place, out));
                    }
                }
                Node::Loop { header, body, step, .. } => {
                    self.block(header);
                    self.block(body);
                    self.block(step);
                }
                Node::Scope { body, .. } => self.block(body),
                Node::Inst(_) | Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
        if !converted.is_empty() {
            self.changed = true;
            replace_nodes(nodes, converted);
        }
    }

    fn choice(&mut self, node: &Node, out: &mut Region) -> bool {
        let Node::If { condition, then, otherwise, location } = node else { return false };
        let (Some(one), Some(other)) = (cheap(then), cheap(otherwise)) else { return false };
        let mut written: Vec<Reg> = Vec::new();
        for inst in one.iter().chain(&other) {
            if let Some(dst) = only_def(&inst.kind)
                && !self.single.contains(dst)
                && !written.contains(&dst)
            {
                written.push(dst);
            }
        }
        if written.len() > MAX_WRITTEN {
            return false;
        }
        // The condition itself, if it is written, must be the last to change.
        written.sort_by_key(|reg| Operand::Reg(*reg) == *condition);
        let new_one = self.side(&one, &written, out);
        let new_other = self.side(&other, &written, out);
        for (position, dst) in written.iter().enumerate() {
            let kind = InstKind::Select {
                dst: *dst,
                condition: *condition,
                on_true: new_one[position],
                on_false: new_other[position],
            };
            out.push(Node::Inst(Inst { kind, location: *location }));
        }
        true
    }

    /// Computes a side without writing the variables; returns what each would hold afterwards.
    fn side(&mut self, side: &[&Inst], written: &[Reg], out: &mut Region) -> Vec<Operand> {
        let mut now: Vec<Operand> = written.iter().map(|reg| Operand::Reg(*reg)).collect();
        for inst in side {
            let mut inst = (*inst).clone();
            inst.kind.for_each_use_mut(|operand| {
                if let Some(position) = written.iter().position(|reg| Operand::Reg(*reg) == *operand) {
                    *operand = now[position];
                }
            });
            if let Some(position) =
                only_def(&inst.kind).and_then(|dst| written.iter().position(|w| *w == dst))
            {
                if let InstKind::Copy { src, .. } = inst.kind
                    && !written.iter().any(|reg| Operand::Reg(*reg) == src)
                {
                    now[position] = src;
                    continue;
                }
                // A copy of another variable needs a register too: the selections overwrite one after the other.
                let fresh = Reg(self.registers.len() as u32);
                self.registers
                    .push(Register { ty: self.registers[written[position].0 as usize].ty, name: None });
                self.single.insert(fresh);
                inst.kind.for_each_def_mut(|dst| *dst = fresh);
                now[position] = fresh.into();
            }
            out.push(Node::Inst(inst));
        }
        now
    }
}

/// The instructions of a side, if all lanes may as well execute them.
fn cheap(side: &Region) -> Option<Vec<&Inst>> {
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
