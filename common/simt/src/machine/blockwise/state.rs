//! What a worker keeps from block to block, where blocks run as one.

use crate::machine::blockwise::active::MAX_WARPS;
use crate::machine::blockwise::indexed::Offsets;
use crate::machine::blockwise::registers::BlockRegs;
use crate::machine::blockwise::shapes::BlockShapes;
use crate::machine::context::Machine;
use crate::machine::warp::registers::Lanes;
use simt_ir::pointer::Space;

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
        let records = &machine.plan.records;
        Blockwise {
            regs: BlockRegs::new(machine),
            shapes: BlockShapes::new(machine),
            offsets: Box::new([Lanes([0; 32]); MAX_WARPS]),
            frames: vec![AccessFrame::UNKNOWN; records.loads.len() + records.stores.len()],
            entered: Vec::new(),
        }
    }
}

/// What is known of an affine access while its base pointer stays the same.
#[derive(Clone, Copy)]
pub(crate) struct AccessFrame {
    /// The base pointer, or what all threads share of it.
    pub(super) base: u64,
    pub(super) space: Space,
    pub(super) allocation: u32,
    /// The byte of the block's lowest thread if the uniform part of the index is 0, and bytes from there to the next.
    pub(super) origin: i64,
    pub(super) scale: i64,
    /// The uniform parts for which no index wraps around, and those for which all threads' bytes are inside; least and greatest.
    pub(super) valid: [i64; 2],
    pub(super) inside: [i64; 2],
    /// The first byte of the allocation, and the one past its end.
    pub(super) within: [i64; 2],
}

impl AccessFrame {
    /// Of no pointer that there is: for none an access lies anywhere.
    pub(crate) const UNKNOWN: AccessFrame = AccessFrame {
        base: u64::MAX,
        space: Space::None,
        allocation: 0,
        origin: 0,
        scale: 0,
        valid: [1, 0],
        inside: [1, 0],
        within: [0, 0],
    };
}
