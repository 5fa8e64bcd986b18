//! A cooperative launch: all blocks are resident, and run one after the other from one barrier of the grid to the next.
//!
//! The outcome is that of blocks in order, phase by phase. Each block
//! keeps its registers, local and shared memory while it is suspended; [`state_bytes`] bounds what that takes. A block that waits for
//! another one in any other way, such as a loop that reads what the other will write, waits forever.

use crate::counters::Counters;
use crate::fault::{Fault, FaultKind};
use crate::machine::block::run::run_until_grid_barrier;
use crate::machine::block::state::{Block, BlockStop};
use crate::machine::block::worker::Worker;
use crate::machine::context::Machine;
use crate::machine::observer::Observer;

/// Host memory that suspended blocks may take, in bytes.
pub(crate) const MAX_STATE_BYTES: u64 = 2 << 30;

/// What a grid leaves besides memory.
pub(crate) struct GridDone {
    /// By instruction; nothing without counters.
    pub(crate) counted: Vec<Counters>,
    /// In the order of phases, and of blocks in each.
    pub(crate) printed: String,
    /// Whether the launch's budget was used up.
    pub(crate) over_budget: bool,
}

/// A block that is suspended, with what the observer knows of it.
struct SuspendedBlock<O: Observer> {
    block: Block,
    observed: O::Suspended,
}

/// Host memory that all blocks of the launch take while they are suspended, in bytes.
pub(crate) fn state_bytes(machine: &Machine, blocks: u32) -> u64 {
    let plan = machine.plan;
    let local = u64::from(machine.kernel.local_bytes().div_ceil(4)) * 33 * 4;
    let files = plan.files;
    let lanes = u64::from(files.lanes32) * 128 + u64::from(files.lanes64) * 256;
    let registers = lanes + u64::from(files.masks) * 4 + plan.uniforms.initial.len() as u64 * 8;
    let warp = local + registers;
    let block = u64::from(machine.warps()) * warp + u64::from(machine.shared_bytes) * 2;
    u64::from(blocks).saturating_mul(block)
}

/// Runs all blocks to their ends.
pub(crate) fn run_grid<O: Observer>(machine: &Machine, blocks: u32) -> Result<GridDone, Box<Fault>> {
    let mut worker = Worker::<O>::new(machine);
    let done = |mut worker: Worker<O>, printed, over_budget| {
        machine.flush(&mut worker.log);
        Ok(GridDone { counted: worker.by_instruction(machine.plan), printed, over_budget })
    };
    let (mut printed, mut spent) = (String::new(), 0u64);
    let mut suspended: Vec<SuspendedBlock<O>> = Vec::new();
    let mut first = true;
    loop {
        let blocks_left: Vec<_> = match std::mem::replace(&mut first, false) {
            true => (0..blocks).map(|index| (index, None)).collect(),
            false => suspended.drain(..).map(|s| (s.block.index, Some(s))).collect(),
        };
        let mut ended = None;
        for (index, suspension) in blocks_left {
            match suspension {
                None => {
                    worker.observer.begin(machine);
                    worker.block = Block::new(machine);
                    worker.block.start(index);
                }
                Some(SuspendedBlock { block, observed }) => {
                    worker.observer.resume(machine, observed);
                    worker.block = block;
                    worker.block.pass_barrier();
                }
            }
            let before = worker.block.used;
            let stop = run_until_grid_barrier(machine, &mut worker)?;
            let text = std::mem::take(&mut worker.block.printed);
            if printed.len() < machine.options.printed_bytes {
                printed.push_str(&text);
            }
            spent += worker.block.used - before;
            if spent > machine.options.instruction_budget {
                return done(worker, printed, true);
            }
            if stop == BlockStop::Done {
                ended = ended.or(Some(index));
                continue;
            }
            let block = std::mem::take(&mut worker.block);
            suspended.push(SuspendedBlock { block, observed: worker.observer.suspend() });
        }
        match (ended, suspended.first()) {
            (_, None) => return done(worker, printed, false),
            (Some(missing), Some(first)) => {
                let kind = FaultKind::GridBarrierDivergence {
                    missing: machine.block(missing),
                    waiting: suspended.len() as u32,
                    absent: blocks - suspended.len() as u32,
                };
                return Err(first.block.fault(machine, kind));
            }
            (None, Some(_)) => worker.observer.release_grid(),
        }
    }
}
