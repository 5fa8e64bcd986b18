//! Register allocation: which registers of a warp share a slot. Temporaries whose live intervals do not overlap do, so that the values
//! of a warp stay in the host's first-level cache.
//!
//! Only registers that are written once, before each read, share: a variable that lives across iterations, or is read
//! before it is written and so is zero, keeps its own slot. Live intervals are of the text (linear scan; Poletto, Sarkar: Linear
//! Scan Register Allocation, TOPLAS 1999), extended over a loop where one reaches into it. Slots never run out, so nothing is spilled.

use crate::table::Table;
use simt_ir::{Node, Operand, Reg, Region, for_each_inst};

/// The register files in which registers share slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SharedFile {
    Masks,
    Lanes32,
    Lanes64,
}

/// For each register the one whose slot it takes: itself, or another one of its file. `file` gives the file of a register that may
/// share a slot.
pub(crate) fn slot_owners<'a>(
    bodies: impl Iterator<Item = &'a Region>,
    exposed: &Table<Reg, bool>,
    file: &dyn Fn(Reg) -> Option<SharedFile>,
) -> Table<Reg, Reg> {
    let mut owners: Table<Reg, Reg> = exposed.numbers().collect();
    let mut writes = Table::filled(0u32, exposed.len());
    let bodies: Vec<_> = bodies.collect();
    for body in &bodies {
        for_each_inst(body, &mut |inst| inst.kind.for_each_def(|reg| writes[*reg] += 1));
    }
    for body in bodies {
        let mut live = LiveIntervals::new(exposed.len());
        live.region(body);
        let interval = |reg: Reg| {
            let (start, end) = (live.written[reg]?, live.last[reg]?);
            let file = file(reg).filter(|_| writes[reg] == 1 && !exposed[reg])?;
            Some(LiveInterval { start, end, reg, file })
        };
        let mut intervals: Vec<_> = exposed.numbers().filter_map(interval).collect();
        intervals.sort_unstable();
        scan(&intervals, &mut owners);
    }
    owners
}

/// From where a register is written to where it may be read last, as positions in the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LiveInterval {
    start: usize,
    end: usize,
    reg: Reg,
    file: SharedFile,
}

/// A slot that several registers share, one after the other.
struct Slot {
    free_from: usize,
    file: SharedFile,
    owner: Reg,
}

/// Gives each interval, in the order of their starts, a slot that is free there.
fn scan(intervals: &[LiveInterval], owners: &mut Table<Reg, Reg>) {
    let mut slots: Vec<Slot> = Vec::new();
    for LiveInterval { start, end, reg, file } in intervals.iter().copied() {
        // The last that became free is the warmest.
        let free = slots.iter_mut().filter(|slot| slot.file == file && slot.free_from <= start);
        match free.max_by_key(|slot| slot.free_from) {
            Some(slot) => {
                owners[reg] = slot.owner;
                slot.free_from = end + 1;
            }
            None => slots.push(Slot { free_from: end + 1, file, owner: reg }),
        }
    }
}

struct LiveIntervals {
    position: usize,
    /// Where a register is first written.
    written: Table<Reg, Option<usize>>,
    /// The last position at which its value may matter.
    last: Table<Reg, Option<usize>>,
    /// The loops around the current position.
    loops: Vec<EnclosingLoop>,
}

struct EnclosingLoop {
    start: usize,
    /// Registers written before the loop that it reads.
    reads: Vec<Reg>,
}

impl LiveIntervals {
    fn new(registers: usize) -> LiveIntervals {
        let none = Table::filled(None, registers);
        LiveIntervals { position: 0, written: none.clone(), last: none, loops: Vec::new() }
    }

    fn region(&mut self, region: &Region) {
        for node in region {
            self.position += 1;
            match node {
                Node::Inst(inst) => {
                    inst.kind.for_each_use(|operand| self.read(operand));
                    // Written after it is read: the result may not share with an operand whose interval ends here, because the
                    // machine may write some lanes before it reads others.
                    let position = self.position;
                    inst.kind.for_each_def(|reg| {
                        self.written[*reg].get_or_insert(position);
                        self.last[*reg] = Some(position);
                    });
                }
                Node::If { condition, then, otherwise, .. } => {
                    self.read(condition);
                    self.region(then);
                    self.region(otherwise);
                }
                Node::Loop { header, condition, body, step, .. } => {
                    self.loops.push(EnclosingLoop { start: self.position, reads: Vec::new() });
                    self.region(header);
                    self.position += 1;
                    condition.iter().for_each(|condition| self.read(condition));
                    self.region(body);
                    self.region(step);
                    self.position += 1;
                    // The next iteration reads them again.
                    for reg in self.loops.pop().map_or(Vec::new(), |enclosing| enclosing.reads) {
                        self.read_register(reg);
                    }
                }
                Node::Scope { body, .. } => self.region(body),
                Node::Break(_) | Node::Continue(_) | Node::Return => {}
            }
        }
    }

    fn read(&mut self, operand: &Operand) {
        if let Operand::Reg(reg) = operand {
            self.read_register(*reg);
        }
    }

    fn read_register(&mut self, reg: Reg) {
        self.last[reg] = Some(self.position);
        let written = self.written[reg].unwrap_or(0);
        if let Some(enclosing) = self.loops.last_mut()
            && written <= enclosing.start
        {
            enclosing.reads.push(reg);
        }
    }
}
