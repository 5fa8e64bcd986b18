//! A block: its warps, its shared memory, and how far it has come.

use crate::fault::{Fault, FaultKind};
use crate::machine::context::{Machine, ThreadOrder};
use crate::machine::event::{LaneFault, WarpFault};
use crate::machine::warp::async_state::AsyncState;
use crate::machine::warp::cost::start_cost;
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::Pc;

/// A block that runs, or is suspended at a barrier of the grid.
#[derive(Default)]
pub(crate) struct Block {
    /// Its linear index.
    pub(crate) index: u32,
    pub(crate) warps: Vec<Warp>,
    pub(crate) shared: Vec<u32>,
    pub(crate) asyncs: AsyncState,
    /// The last time that all warps waited.
    pub(crate) last_wait: LastWait,
    /// Whether a warp may have several parts.
    pub(crate) is_split: bool,
    /// Instructions executed, mask bookkeeping included.
    pub(crate) used: u64,
    /// Accesses on the slow path and other effects so far.
    pub(crate) effects: u64,
    /// What they and others have cost of the launch's budget beside the instructions.
    pub(crate) extra_cost: u64,
    /// Rounds completed: in each, every warp that was ready had a time slice.
    pub(crate) round: u64,
    /// Printed and not yet taken.
    pub(crate) printed: String,
    /// Bytes that it may still print; nothing is formatted beyond.
    pub(crate) room: usize,
    /// What beginning a block costs of the launch's budget.
    pub(crate) start_cost: u64,
}

/// The last time that all warps of a block waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LastWait {
    /// A hash of where the warps were, and one of what they held.
    pub(crate) places: u64,
    pub(crate) values: u64,
    /// Turns since they came to these places.
    pub(crate) turns: u32,
}

/// What a block leaves besides memory.
pub(crate) struct BlockDone {
    /// What it has cost of the launch's budget.
    pub(crate) work: u64,
    pub(crate) printed: String,
}

/// Why a block stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockStop {
    /// It has ended.
    Done,
    /// All of its warps wait at a barrier of the grid.
    Grid,
    /// All of its warps wait, some of them in loops, and none can help another.
    Stalled,
}

/// A set of warp states.
#[derive(Clone, Copy, Default)]
pub(crate) struct WarpStates(u8);

impl WarpStates {
    pub(crate) fn add(&mut self, state: WarpState) {
        self.0 |= 1 << state as u8;
    }

    pub(crate) fn any_is(self, state: WarpState) -> bool {
        self.0 >> state as u8 & 1 == 1
    }

    pub(crate) fn all_are(self, state: WarpState) -> bool {
        self.0 == 1 << state as u8
    }
}

impl Block {
    pub(crate) fn new(machine: &Machine) -> Block {
        let (shape, local) = (machine.launch.block, machine.kernel.local_bytes());
        Block {
            warps: (0..machine.warps()).map(|w| Warp::new(machine.plan, w, shape, local)).collect(),
            // And a row more, so that the last words can be read as a vector, too.
            shared: vec![0; machine.shared_bytes.div_ceil(4) as usize + 32],
            room: machine.options.printed_bytes,
            start_cost: match machine.options.weighted {
                true => start_cost(machine),
                false => 0,
            },
            ..Block::default()
        }
    }

    /// What it has cost of the launch's budget.
    pub(crate) fn work(&self) -> u64 {
        self.used + self.extra_cost
    }

    /// Begins the block of this linear index. Its warps begin in their first round.
    pub(crate) fn start(&mut self, index: u32) {
        // The initial contents of shared memory are undefined: here, NaNs.
        self.shared.fill(u32::MAX);
        self.asyncs.begin();
        self.last_wait = LastWait::default();
        if std::mem::take(&mut self.is_split) {
            // The first part of each warp is where it began.
            self.warps.sort_by_key(|warp| warp.index);
            self.warps.dedup_by_key(|warp| warp.index);
        }
        (self.index, self.used, self.effects, self.extra_cost, self.round) =
            (index, 0, 0, self.start_cost, 0);
        self.printed.clear();
    }

    /// Lets all warps pass the barrier at which they wait.
    pub(crate) fn pass_barrier(&mut self, machine: &Machine) {
        for warp in &mut self.warps {
            warp.pc += 1;
            warp.state = WarpState::Ready;
        }
        if self.is_split {
            self.rejoin(machine.plan);
        }
        if machine.thread_order == ThreadOrder::LanesDescending {
            self.split_lanes();
        }
    }

    /// A fault of the whole block, where its first warp waits.
    pub(crate) fn fault(&self, machine: &Machine, kind: FaultKind) -> Box<Fault> {
        let pc = self.warps.first().map_or(Pc::ENTRY, Warp::place);
        machine.warp_fault(self.index, WarpFault { warp: 0, pc, fault: LaneFault::of(kind, 1) })
    }
}
