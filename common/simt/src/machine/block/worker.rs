//! What one thread of the host needs to run blocks.

use crate::counters::Counters;
use crate::machine::block::state::Block;
use crate::machine::blockwise::state::Blockwise;
use crate::machine::context::Machine;
use crate::machine::memory::owners::log::AccessLog;
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::ShapeCache;
use crate::machine::warp::spin::SpinProbe;
use crate::plan::{Plan, Unit};

/// What one thread of the host needs to run blocks, one after the other.
pub(crate) struct Worker<O: Observer> {
    pub(crate) observer: O,
    pub(crate) block: Block,
    /// Whether lanes that wait for spinning lanes of their own warp become a part of their own at once: other blocks did not help before.
    pub(crate) splits_early: bool,
    pub(crate) texels: Vec<u64>,
    pub(crate) probe: SpinProbe,
    pub(crate) shapes: ShapeCache,
    /// In place of most of this, where blocks run as one.
    pub(crate) blockwise: Option<Box<Blockwise>>,
    /// What its blocks have accessed and the owner tables do not know yet.
    pub(crate) log: AccessLog,
}

impl<O: Observer> Worker<O> {
    pub(crate) fn new(machine: &Machine) -> Worker<O> {
        Worker {
            observer: O::new(machine),
            block: Block::new(machine),
            blockwise: (machine.plan.unit == Unit::Block).then(|| Box::new(Blockwise::new(machine))),
            splits_early: false,
            texels: Vec::new(),
            probe: SpinProbe::default(),
            shapes: ShapeCache::default(),
            log: AccessLog::default(),
        }
    }

    /// What was counted, by instruction; nothing without counters.
    pub(crate) fn by_instruction(mut self, plan: &Plan) -> Vec<Counters> {
        let of_classes = self.observer.counted_of_classes(plan);
        let counted = self.observer.counted();
        let mut counts = counted.map_or(Vec::new(), |counted| O::by_instruction(counted, plan));
        counts.iter_mut().zip(&of_classes).for_each(|(all, more)| all.add(more));
        counts
    }
}
