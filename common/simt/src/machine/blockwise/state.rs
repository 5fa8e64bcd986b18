//! What a worker keeps from block to block, where blocks run as one.

use crate::machine::blockwise::active::MAX_WARPS;
use crate::machine::blockwise::indexed::Offsets;
use crate::machine::blockwise::registers::BlockRegs;
use crate::machine::blockwise::shapes::BlockShapes;
use crate::machine::context::Machine;
use crate::machine::warp::access::placement::AccessFrame;
use crate::machine::warp::registers::Lanes;

/// The block withdraws: the launch has to run warp by warp.
#[derive(Debug)]
pub(crate) struct BlockWithdrawn;

/// What a worker keeps from block to block.
pub(crate) struct Blockwise {
    pub(super) regs: BlockRegs,
    pub(super) shapes: BlockShapes,
    pub(super) offsets: Box<Offsets>,
    /// By load, then by store.
    pub(super) frames: Vec<AccessFrame>,
    /// The constructs around the next operation of a block, innermost last.
    pub(super) entered: Vec<EnteredWarps>,
}

/// How many warps have entered a construct: each of them reaches its end, by itself even where none of its threads is active there.
#[derive(Clone, Copy)]
pub(super) struct EnteredWarps {
    pub(super) construct: u64,
    /// Of a loop, how many have come to this part of this iteration.
    pub(super) iteration: u64,
}

impl Blockwise {
    pub(crate) fn new(machine: &Machine) -> Blockwise {
        Blockwise {
            regs: BlockRegs::new(machine),
            shapes: BlockShapes::new(machine),
            offsets: Box::new([Lanes([0; 32]); MAX_WARPS]),
            frames: vec![AccessFrame::UNKNOWN; machine.plan.records.accesses()],
            entered: Vec::new(),
        }
    }
}
