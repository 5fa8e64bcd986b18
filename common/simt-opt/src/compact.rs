//! A small register file: registers that are never named go, and temporaries whose lives do not overlap share one.
//!
//! Only registers that are written once, before each read, share (with others of their type and name): a variable
//! that lives across iterations, or is read before it is written and so is zero, keeps its own. Lives are intervals of
//! the text (linear scan, Poletto and Sarkar 1999), stretched over a loop where a life reaches into one.

use crate::registers::{BitSet, for_each_node, own_uses, single_assignment};
use simt_ir::{Block, Kernel, Node, Operand, Reg, Type};
use std::collections::HashMap;

pub(crate) fn compact(kernel: &mut Kernel) {
    let single = single_assignment(kernel);
    let mut lives = Lives {
        position: 0,
        written: vec![None; kernel.registers.len()],
        last: vec![None; kernel.registers.len()],
        loops: Vec::new(),
    };
    lives.block(&kernel.body);
    let mut by_start: Vec<Reg> = (0..kernel.registers.len() as u32).map(Reg).collect();
    by_start.retain(|reg| lives.last[reg.0 as usize].is_some());
    by_start.sort_by_key(|reg| lives.written[reg.0 as usize].map_or(0, |(start, _)| start));

    let mut names: Vec<Reg> = vec![Reg(0); kernel.registers.len()];
    let mut registers = Vec::new();
    // The shared registers of each type and name.
    let mut pools: HashMap<(Type, Option<&str>), Vec<Slot>> = HashMap::new();
    for old in by_start {
        let register = &kernel.registers[old.0 as usize];
        let start = lives.written[old.0 as usize].map_or(0, |(start, _)| start);
        let end = lives.last[old.0 as usize].unwrap_or(0);
        let pool = pools.entry((register.ty, register.name.as_deref())).or_default();
        let free = pool.iter_mut().find(|slot| slot.free_from <= start).filter(|_| single.contains(old));
        names[old.0 as usize] = match free {
            Some(slot) => {
                slot.free_from = end + 1;
                slot.reg
            }
            None => {
                let new = Reg(registers.len() as u32);
                registers.push(register.clone());
                if single.contains(old) {
                    pool.push(Slot { free_from: end + 1, reg: new });
                }
                new
            }
        };
    }
    kernel.registers = registers;
    rename(&mut kernel.body, &names);
}

/// A new register that several old ones share, one after the other.
struct Slot {
    free_from: usize,
    reg: Reg,
}

struct Lives {
    position: usize,
    /// The first write, and how many loops were around it.
    written: Vec<Option<(usize, usize)>>,
    /// The last position in the text that may matter.
    last: Vec<Option<usize>>,
    /// For each loop around the current position, registers of outside that it reads.
    loops: Vec<Vec<Reg>>,
}

impl Lives {
    fn block(&mut self, block: &Block) {
        for node in block {
            self.position += 1;
            own_uses(node, |reg| self.read(reg));
            match node {
                Node::Inst(inst) => {
                    // Written after it is read: the result may not share with an operand that dies here, because the
                    // machine may write some lanes before it reads others.
                    let position = self.position;
                    inst.kind.for_each_def(|dst| {
                        self.written[dst.0 as usize].get_or_insert((position, self.loops.len()));
                        self.last[dst.0 as usize] = Some(position);
                    });
                }
                Node::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                Node::Loop { header, condition, body, step, .. } => {
                    self.loops.push(Vec::new());
                    self.block(header);
                    self.position += 1;
                    if let Some(Operand::Reg(condition)) = condition {
                        self.read(*condition);
                    }
                    self.block(body);
                    self.block(step);
                    self.position += 1;
                    // The next iteration reads them again.
                    for reg in self.loops.pop().unwrap_or_default() {
                        self.read(reg);
                    }
                }
                Node::Scope { body, .. } => self.block(body),
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
    }

    fn read(&mut self, reg: Reg) {
        self.last[reg.0 as usize] = Some(self.position);
        let depth = self.written[reg.0 as usize].map_or(0, |(_, depth)| depth);
        if depth < self.loops.len()
            && let Some(outside) = self.loops.last_mut()
        {
            outside.push(reg);
        }
    }
}

/// Takes registers that nothing names any more out of the file, and keeps the order of the others: what a pass keeps for
/// each register is then no larger than the code.
pub(crate) fn drop_unnamed(kernel: &mut Kernel) {
    let mut named = BitSet::default();
    for_each_node(&kernel.body, &mut |node| {
        own_uses(node, |reg| named.insert(reg));
        if let Node::Inst(inst) = node {
            inst.kind.for_each_def(|dst| named.insert(*dst));
        }
    });
    let mut names = vec![Reg(0); kernel.registers.len()];
    let mut kept = Vec::new();
    for reg in named.iter() {
        names[reg.0 as usize] = Reg(kept.len() as u32);
        kept.push(kernel.registers[reg.0 as usize].clone());
    }
    if kept.len() < kernel.registers.len() {
        kernel.registers = kept;
        rename(&mut kernel.body, &names);
    }
}

fn rename(block: &mut Block, names: &[Reg]) {
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
