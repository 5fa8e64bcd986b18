//! A deadlock as a fault: which threads wait in which loop, what they read there, and what the others wait for.

use crate::fault::{AccessKind, Fault, FaultKind, PolledElement, WaitPlace, WaitingThread};
use crate::machine::block::state::Block;
use crate::machine::context::Machine;
use crate::machine::event::{LaneFault, WarpFault};
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::{AddressOperand, Op};
use simt_ir::AccessOrder;

/// What becomes of the blocks of a launch in deadlock.
#[derive(Clone, Copy)]
pub(crate) struct BlockCounts {
    /// Blocks that wait.
    pub(crate) waiting: u64,
    /// Blocks that cannot begin before one of these ends.
    pub(crate) not_begun: u64,
    /// Blocks that the device can have resident.
    pub(crate) limit: u64,
}

/// The fault of blocks that all wait, of which one at least waits in a loop or at a warp function.
pub(crate) fn fault(machine: &Machine, blocks: &[Block], counts: BlockCounts) -> Box<Fault> {
    let waits = |state| {
        let mut warps = blocks.iter().flat_map(|block| block.warps.iter().map(move |warp| (block, warp)));
        warps.find(move |(_, warp)| warp.state == state)
    };
    let Some((block, warp)) = waits(WarpState::Spinning).or_else(|| waits(WarpState::Meeting)) else {
        let message = "blocks wait for each other, and none of them in a loop".into();
        return Box::new(Fault::launch(FaultKind::InvalidModule { message }, None));
    };
    let pc = warp.place();
    let other = other_wait(blocks, (block, warp));
    let kind = FaultKind::Deadlock {
        spinning: warp.active.count_ones(),
        place: wait_place(machine, warp),
        polled: polled(machine, warp),
        other: other.map(|(other_block, other, lanes)| WaitingThread {
            thread: other.thread(machine, lanes),
            block: machine.block(other_block.index),
            place: match lanes == other.active {
                true => wait_place(machine, other),
                false => WaitPlace::Lanes,
            },
        }),
        waiting: counts.waiting,
        not_begun: counts.not_begun,
        limit: counts.limit,
    };
    let mut fault = LaneFault::of(kind, warp.active);
    fault.other = other.and_then(|(_, other, _)| machine.plan.locations[other.place()]);
    machine.warp_fault(block.index, WarpFault { warp: warp.index, pc, fault })
}

/// The fault of a block in which every warp that spins does so in a loop that does not poll. Other blocks cannot be waited for so: what
/// is read by a plain load the compiler may read once.
pub(crate) fn endless_loop(machine: &Machine, block: &Block) -> Option<Box<Fault>> {
    let polls = |warp: &Warp| matches!(machine.plan.code[warp.spins_at], Op::PollBack { .. });
    let mut spinning = block.warps.iter().filter(|warp| warp.state == WarpState::Spinning).peekable();
    let first = *spinning.peek()?;
    if spinning.any(polls) {
        return None;
    }
    let fault = LaneFault::of(FaultKind::EndlessLoop, first.active);
    Some(machine.warp_fault(block.index, WarpFault { warp: first.index, pc: first.spins_at, fault }))
}

/// Other threads that wait: of the same warp, of the same block at another place, of another block, or of the same block at the same
/// place.
fn other_wait<'a>(
    blocks: &'a [Block],
    (block, warp): (&'a Block, &'a Warp),
) -> Option<(&'a Block, &'a Warp, u32)> {
    if warp.inactive() != 0 {
        return Some((block, warp, warp.inactive()));
    }
    let here = (block.index, warp.index, warp.present);
    let others = || {
        let warps = blocks.iter().flat_map(|block| block.warps.iter().map(move |warp| (block, warp)));
        warps.filter(move |(block, warp)| {
            warp.state != WarpState::Done && (block.index, warp.index, warp.present) != here
        })
    };
    let is_elsewhere = |other: &Warp| (other.state, other.place()) != (warp.state, warp.place());
    others()
        .find(|(of, other)| of.index == block.index && is_elsewhere(other))
        .or_else(|| others().find(|(_, other)| is_elsewhere(other)))
        .or_else(|| others().find(|(of, _)| of.index != block.index))
        .or_else(|| others().next())
        .map(|(block, warp)| (block, warp, warp.active))
}

fn wait_place(machine: &Machine, warp: &Warp) -> WaitPlace {
    match warp.state {
        WarpState::Ready | WarpState::Spinning | WarpState::Done => WaitPlace::Loop,
        WarpState::Waiting => WaitPlace::Phase,
        WarpState::Meeting => WaitPlace::WarpFunction,
        WarpState::Barrier => match machine.plan.code[warp.pc] {
            Op::Barrier { barrier } if machine.plan.records[barrier].grid => WaitPlace::GridBarrier,
            _ => WaitPlace::Barrier,
        },
    }
}

/// What a spinning warp reads: the first element that its first lane polls.
fn polled(machine: &Machine, warp: &Warp) -> Option<PolledElement> {
    if warp.state != WarpState::Spinning {
        return None;
    }
    let plan = machine.plan;
    let Op::PollBack { target, .. } = plan.code[warp.spins_at] else { return None };
    let (address, bytes): (AddressOperand, u32) =
        target.to(warp.spins_at).find_map(|pc| match plan.code[pc] {
            Op::Load { load } => {
                let access = &plan.records[load].access;
                (access.order != AccessOrder::Weak).then_some((access.address, access.bytes))
            }
            Op::Atomic { atomic } => {
                let atomic = &plan.records[atomic];
                Some((atomic.address, atomic.ty.bytes()))
            }
            _ => None,
        })?;
    let lane = warp.active & warp.active.wrapping_neg();
    let access = machine.resolve(&warp.regs, &address, bytes, lane, AccessKind::Load).ok()?;
    let byte = i64::from(access.offsets[lane.trailing_zeros() as usize & 31]);
    let (target, offset) = machine.target_at(access.space, access.allocation, byte);
    Some(PolledElement { target, offset })
}
