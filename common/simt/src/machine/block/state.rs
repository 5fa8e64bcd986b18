//! A block.

use crate::fault::{Fault, FaultKind};
use crate::machine::context::Machine;
use crate::machine::event::LaneFault;
use crate::machine::warp::async_state::AsyncState;
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::Pc;

/// A block at work, or at rest at a barrier of the grid.
pub(crate) struct Block {
    /// Its linear index.
    pub(crate) index: u32,
    pub(crate) warps: Vec<Warp>,
    pub(crate) shared: Vec<u32>,
    pub(crate) asyncs: AsyncState,
    /// Instructions executed, mask bookkeeping included.
    pub(crate) used: u64,
    /// Turns that all warps have had.
    pub(crate) round: u64,
    /// Printed and not yet taken.
    pub(crate) printed: String,
    /// Bytes up to which what it prints may still be kept; nothing is formatted beyond.
    pub(crate) room: usize,
}

/// What a block leaves besides memory.
pub(crate) struct BlockDone {
    /// Instructions executed, mask bookkeeping included.
    pub(crate) instructions: u64,
    pub(crate) printed: String,
}

/// Why a block stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockStop {
    /// It has ended.
    Done,
    /// All of its warps wait at a barrier of the grid.
    Grid,
}

impl Block {
    pub(crate) fn new(machine: &Machine) -> Block {
        let [x, y, z] = machine.launch.block;
        let local = machine.kernel.local_bytes();
        Block {
            index: 0,
            warps: (0..machine.warps()).map(|w| Warp::new(machine.plan, w, [x, y, z], local)).collect(),
            // And a bit more, so that the last words too can be read as one vector.
            shared: vec![0; machine.shared_bytes.div_ceil(4) as usize + 32],
            asyncs: AsyncState::default(),
            used: 0,
            round: 0,
            printed: String::new(),
            room: machine.options.printed_bytes,
        }
    }

    /// One without warps, in place of one that is elsewhere.
    pub(crate) fn empty() -> Block {
        Block {
            index: 0,
            warps: Vec::new(),
            shared: Vec::new(),
            asyncs: AsyncState::default(),
            used: 0,
            round: 0,
            printed: String::new(),
            room: 0,
        }
    }

    /// Puts it at the start of the block of that linear index, but for its warps, which start in their first round.
    pub(crate) fn start(&mut self, index: u32) {
        // Shared memory is whatever it was: here, NaNs.
        self.shared.fill(u32::MAX);
        self.asyncs.begin();
        (self.index, self.used, self.round) = (index, 0, 0);
        self.printed.clear();
    }

    /// Lets all warps pass the barrier at which they wait.
    pub(crate) fn pass(&mut self) {
        for warp in &mut self.warps {
            warp.pc += 1;
            warp.state = WarpState::Ready;
        }
    }

    /// A fault of the whole block, at the barrier where it waits.
    pub(crate) fn fault(&self, machine: &Machine, kind: FaultKind) -> Box<Fault> {
        let pc = self.warps.first().map_or(Pc::ENTRY, |w| w.pc);
        Box::new(machine.fault((self.index, 0, pc), *LaneFault::of(kind, 1)))
    }
}
