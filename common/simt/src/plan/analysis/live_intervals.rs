//! Live intervals: from where to where in the text of a body a register's value may matter.
//!
//! As in linear scan (Poletto, Sarkar: Linear Scan Register Allocation, TOPLAS 1999), an interval has no holes, and is extended over a
//! loop that reads a value from outside, because each iteration reads it again. A register that may be read before it is written
//! is not followed around loops.

use crate::index_vec::IndexVec;
use simt_ir::{InstKind, Node, Operand, Reg, Region};
use std::ops::Range;

/// Positions in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LiveInterval {
    /// The first mention.
    pub(crate) start: u32,
    /// The last one that may matter.
    pub(crate) end: u32,
}

/// The intervals of a body's registers, and where its calls are.
pub(crate) struct LiveIntervals {
    /// By the body's own registers, numbered from the first of them.
    of: IndexVec<Reg, Option<LiveInterval>>,
    /// The first register of the body: it names no earlier one.
    first: u32,
    /// Operands of a call end before it, and results begin after it.
    pub(crate) calls: Vec<u32>,
    position: u32,
    /// The loops around the current position.
    loops: Vec<EnclosingLoop>,
}

struct EnclosingLoop {
    start: u32,
    /// Registers mentioned before the loop that it reads.
    reads: Vec<Reg>,
}

impl LiveIntervals {
    /// Those of a body that names none but these registers.
    pub(crate) fn of(body: &Region, registers: Range<u32>) -> LiveIntervals {
        let of = IndexVec::filled(None, registers.len());
        let first = registers.start;
        let mut live = LiveIntervals { of, first, calls: Vec::new(), position: 0, loops: Vec::new() };
        live.region(body);
        live
    }

    /// The registers that the body names, in order, each with its interval.
    pub(crate) fn named(&self) -> impl Iterator<Item = (Reg, LiveInterval)> {
        self.of.enumerated().filter_map(|(own, live)| Some((Reg(self.first + own.0), (*live)?)))
    }

    /// A mention at the current position; gives where the interval starts.
    fn extend(&mut self, reg: Reg) -> u32 {
        let at = self.position;
        let interval = self.of[Reg(reg.0 - self.first)].get_or_insert(LiveInterval { start: at, end: at });
        interval.end = at;
        interval.start
    }

    fn read(&mut self, reg: Reg) {
        let start = self.extend(reg);
        if let Some(enclosing) = self.loops.last_mut()
            && start <= enclosing.start
        {
            enclosing.reads.push(reg);
        }
    }

    fn operand(&mut self, operand: &Operand) {
        if let Operand::Reg(reg) = operand {
            self.read(*reg);
        }
    }

    fn region(&mut self, region: &Region) {
        for node in region {
            self.position += 1;
            match node {
                Node::Inst(inst) => {
                    inst.kind.for_each_use(|operand| self.operand(operand));
                    if let InstKind::Call { .. } = inst.kind {
                        self.calls.push(self.position + 1);
                        self.position += 2;
                    }
                    inst.kind.for_each_def(|reg| {
                        self.extend(*reg);
                    });
                }
                Node::If { condition, then, otherwise, .. } => {
                    self.operand(condition);
                    self.region(then);
                    self.region(otherwise);
                }
                Node::Loop { header, condition, body, step, .. } => {
                    self.loops.push(EnclosingLoop { start: self.position, reads: Vec::new() });
                    self.region(header);
                    self.position += 1;
                    condition.iter().for_each(|condition| self.operand(condition));
                    self.region(body);
                    self.region(step);
                    self.position += 1;
                    for reg in self.loops.pop().map_or(Vec::new(), |enclosing| enclosing.reads) {
                        self.read(reg);
                    }
                }
                Node::Scope { body, .. } => self.region(body),
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
    }
}
