//! Register allocation: which registers of a warp share a slot. Temporaries whose live intervals do not overlap do, so that the values
//! of a warp stay in the host's first-level cache.
//!
//! Only registers that are written once, before each read, share: a variable that lives across iterations, or is read
//! before it is written and so is zero, keeps its own slot. Slots are given in the order in which intervals start (linear scan; Poletto,
//! Sarkar: Linear Scan Register Allocation, TOPLAS 1999). They never run out, so nothing is spilled.

use crate::index_vec::IndexVec;
use crate::plan::analysis::live_intervals::{LiveInterval, LiveIntervals};
use simt_ir::{Reg, Region, for_each_inst};

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
    exposed: &IndexVec<Reg, bool>,
    file: &dyn Fn(Reg) -> Option<SharedFile>,
) -> IndexVec<Reg, Reg> {
    let mut owners: IndexVec<Reg, Reg> = exposed.numbers().collect();
    let mut writes = IndexVec::filled(0u32, exposed.len());
    let bodies: Vec<_> = bodies.collect();
    for body in &bodies {
        for_each_inst(body, &mut |inst| inst.kind.for_each_def(|reg| writes[*reg] += 1));
    }
    for body in bodies {
        let live = LiveIntervals::of(body, exposed.len());
        let may_share = |reg: Reg| file(reg).filter(|_| writes[reg] == 1 && !exposed[reg]);
        let intervals = live.of.enumerated();
        let intervals = intervals.filter_map(|(reg, live)| Some(((*live)?, reg, may_share(reg)?)));
        let mut intervals: Vec<_> = intervals.collect();
        intervals.sort_unstable();
        scan(&intervals, &mut owners);
    }
    owners
}

/// A slot that several registers share, one after the other.
struct SharedSlot {
    free_from: u32,
    file: SharedFile,
    owner: Reg,
}

/// Gives each interval, in the order of their starts, a slot that is free there.
fn scan(intervals: &[(LiveInterval, Reg, SharedFile)], owners: &mut IndexVec<Reg, Reg>) {
    let mut slots: Vec<SharedSlot> = Vec::new();
    for (LiveInterval { start, end }, reg, file) in intervals.iter().copied() {
        // A result may not share with an operand whose interval ends here, because the machine may write some lanes before it reads
        // others.
        // The last that became free is the warmest.
        let free = slots.iter_mut().filter(|slot| slot.file == file && slot.free_from <= start);
        match free.max_by_key(|slot| slot.free_from) {
            Some(slot) => {
                owners[reg] = slot.owner;
                slot.free_from = end + 1;
            }
            None => slots.push(SharedSlot { free_from: end + 1, file, owner: reg }),
        }
    }
}
