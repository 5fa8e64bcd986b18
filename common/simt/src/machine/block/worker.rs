//! What one thread of the host needs to run blocks.

use crate::counters::Counters;
use crate::machine::block::state::Block;
use crate::machine::block::sweep::Sweep;
use crate::machine::context::Machine;
use crate::machine::memory::owners::log::Log;
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::{Layouts, Located};
use crate::plan::Plan;

/// What one thread of the host needs to run blocks; used for one after the other.
pub(crate) struct Worker<O: Observer> {
    pub(crate) observer: O,
    pub(crate) block: Block,
    pub(crate) touched: Vec<u64>,
    pub(crate) copied: Vec<u32>,
    pub(crate) layouts: Layouts,
    pub(crate) located: Vec<Located>,
    /// What each block begins with.
    pub(crate) sweep: Option<Sweep<O>>,
    /// What its blocks have touched and others do not know yet.
    pub(crate) log: Log,
}

impl<O: Observer> Worker<O> {
    pub(crate) fn new(machine: &Machine) -> Worker<O> {
        let mut layouts = Layouts::default();
        Worker {
            observer: O::new(machine),
            block: Block::new(machine),
            touched: Vec::new(),
            copied: Vec::new(),
            sweep: Sweep::of(machine, &mut layouts),
            layouts,
            located: vec![Located::NOWHERE; machine.plan.groups.len()],
            log: Log::default(),
        }
    }

    /// What was counted, by instruction; nothing if nobody counts.
    pub(crate) fn by_instruction(self, plan: &Plan) -> Vec<Counters> {
        let counted = self.observer.counted();
        let mut counts = counted.map_or(Vec::new(), |counted| O::by_instruction(counted, plan));
        if let Some(sweep) = self.sweep {
            sweep.add_to(&mut counts, plan);
        }
        counts
    }
}
