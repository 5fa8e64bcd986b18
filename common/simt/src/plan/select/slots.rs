//! Which registers of a warp lie in one slot: temporaries whose lives do not overlap share, so that the values of a warp
//! stay in the host's first-level cache.
//!
//! Only registers that are written once, before each read, share: a variable that lives across iterations, or is read
//! before it is written and so is zero, keeps its own slot. Lives are intervals of the text (linear scan, Poletto and
//! Sarkar 1999), stretched over a loop where a life reaches into one.

use simt_ir::{Node, Operand, Reg, Region, for_each_inst};

/// For each register the one whose slot it takes: its own number, or that of another one of its file.
/// `file` gives the file of a register that may share.
pub(crate) fn share<'a>(
    bodies: impl Iterator<Item = &'a Region>,
    registers: usize,
    exposed: &[bool],
    file: &dyn Fn(usize) -> Option<u32>,
) -> Vec<u32> {
    let mut owners: Vec<u32> = (0..registers as u32).collect();
    let mut writes = vec![0u32; registers];
    let bodies: Vec<_> = bodies.collect();
    for body in &bodies {
        for_each_inst(body, &mut |inst| inst.kind.for_each_def(|reg| writes[reg.0 as usize] += 1));
    }
    for body in bodies {
        let none = vec![None; registers];
        let mut lives = Lives { position: 0, written: none, last: vec![None; registers], loops: Vec::new() };
        lives.block(body);
        let mut by_start: Vec<_> = (0..registers as u32)
            .filter_map(|reg| {
                let start = lives.written[reg as usize]?;
                let alone = writes[reg as usize] != 1 || exposed[reg as usize];
                Some((start, lives.last[reg as usize]?, reg, file(reg as usize).filter(|_| !alone)?))
            })
            .collect();
        by_start.sort_unstable();
        let mut slots: Vec<Slot> = Vec::new();
        for (start, end, reg, file) in by_start {
            // The last that became free is the warmest.
            let free = slots.iter_mut().filter(|s| s.file == file && s.free_from <= start);
            match free.max_by_key(|s| s.free_from) {
                Some(slot) => {
                    owners[reg as usize] = slot.owner;
                    slot.free_from = end + 1;
                }
                None => slots.push(Slot { free_from: end + 1, file, owner: reg }),
            }
        }
    }
    owners
}

/// A place that several registers share, one after the other.
struct Slot {
    free_from: usize,
    file: u32,
    owner: u32,
}

/// Calls `f` with each register that the node itself reads: an instruction's operands or a condition.
fn own_uses(node: &Node, mut f: impl FnMut(Reg)) {
    let mut operand = |operand: &Operand| {
        if let Operand::Reg(reg) = operand {
            f(*reg);
        }
    };
    match node {
        Node::Inst(inst) => inst.kind.for_each_use(operand),
        Node::If { condition, .. } => operand(condition),
        _ => {}
    }
}

struct Lives {
    position: usize,
    /// Where it is first written.
    written: Vec<Option<usize>>,
    /// The last position in the text that may matter.
    last: Vec<Option<usize>>,
    /// For each loop around the current position, where it begins, and the registers written before that it reads.
    loops: Vec<(usize, Vec<Reg>)>,
}

impl Lives {
    fn block(&mut self, block: &Region) {
        for node in block {
            self.position += 1;
            own_uses(node, |reg| self.read(reg));
            match node {
                Node::Inst(inst) => {
                    // Written after it is read: the result may not share with an operand that dies here, because the
                    // machine may write some lanes before it reads others.
                    let position = self.position;
                    inst.kind.for_each_def(|dst| {
                        self.written[dst.0 as usize].get_or_insert(position);
                        self.last[dst.0 as usize] = Some(position);
                    });
                }
                Node::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                Node::Loop { header, condition, body, step, .. } => {
                    self.loops.push((self.position, Vec::new()));
                    self.block(header);
                    self.position += 1;
                    if let Some(Operand::Reg(condition)) = condition {
                        self.read(*condition);
                    }
                    self.block(body);
                    self.block(step);
                    self.position += 1;
                    // The next iteration reads them again.
                    for reg in self.loops.pop().unwrap_or_default().1 {
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
        let written = self.written[reg.0 as usize].unwrap_or(0);
        if let Some((start, outside)) = self.loops.last_mut()
            && written <= *start
        {
            outside.push(reg);
        }
    }
}
