//! Register allocation: which registers of a warp share a slot. Temporaries whose live intervals do not overlap do, so that the values
//! of a warp stay in the host's first-level cache.
//!
//! Only registers that are written once, before each read, share: a variable that lives across iterations, or is read
//! before it is written and so is zero, keeps its own slot. Slots are given in the order in which intervals start (linear scan; Poletto,
//! Sarkar: Linear Scan Register Allocation, TOPLAS 1999). They never run out, so nothing is spilled.

use crate::index_vec::IndexVec;
use crate::plan::analysis::live_intervals::{LiveInterval, LiveIntervals};
use simt_ir::{Reg, Region, for_each_inst};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The register files in which registers share slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SharedFile {
    Masks,
    Lanes32,
    Lanes64,
}

/// For each register the one whose slot it takes: itself, or another one of its file. Bodies come with the registers that they may name;
/// `file` gives the file of a register that may share a slot.
pub(crate) fn slot_owners<'a>(
    bodies: impl Iterator<Item = (&'a Region, Range<u32>)>,
    exposed: &IndexVec<Reg, bool>,
    file: &dyn Fn(Reg) -> Option<SharedFile>,
) -> IndexVec<Reg, Reg> {
    let mut owners: IndexVec<Reg, Reg> = exposed.numbers().collect();
    let mut writes = IndexVec::filled(0u32, exposed.len());
    let bodies: Vec<_> = bodies.collect();
    for (body, _) in &bodies {
        for_each_inst(body, &mut |inst| inst.kind.for_each_def(|reg| writes[*reg] += 1));
    }
    for (body, registers) in bodies {
        let live = LiveIntervals::of(body, registers);
        let may_share = |reg: Reg| file(reg).filter(|_| writes[reg] == 1 && !exposed[reg]);
        let intervals = live.named().filter_map(|(reg, live)| Some((live, reg, may_share(reg)?)));
        let mut intervals: Vec<_> = intervals.collect();
        intervals.sort_unstable();
        scan(&intervals, &mut owners);
    }
    owners
}

/// The slots of a file that registers share, one after the other, in the order in which they become free.
#[derive(Default)]
struct SharedSlots {
    /// From where a slot is free, and its number.
    free_from: BTreeSet<(u32, usize)>,
    /// By the number of a slot: the first register that took it.
    owners: Vec<Reg>,
}

impl SharedSlots {
    /// The owner of a slot that is free at the start of a register's interval, which takes it; the register itself if there is none.
    fn take(&mut self, LiveInterval { start, end }: LiveInterval, reg: Reg) -> Reg {
        // A result may not share with an operand whose interval ends here, because the machine may write some lanes before it reads
        // others.
        // The last that became free is the warmest.
        let free = self.free_from.range(..=(start, usize::MAX)).next_back().copied();
        let slot = match free {
            Some(free) => {
                self.free_from.remove(&free);
                free.1
            }
            None => {
                self.owners.push(reg);
                self.owners.len() - 1
            }
        };
        self.free_from.insert((end + 1, slot));
        self.owners[slot]
    }
}

/// Gives each interval, in the order of their starts, a slot that is free there.
fn scan(intervals: &[(LiveInterval, Reg, SharedFile)], owners: &mut IndexVec<Reg, Reg>) {
    let mut slots: BTreeMap<SharedFile, SharedSlots> = BTreeMap::new();
    for (live, reg, file) in intervals.iter().copied() {
        owners[reg] = slots.entry(file).or_default().take(live, reg);
    }
}
