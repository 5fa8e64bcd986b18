//! Releases a block barrier: checks that all warps wait at the same one, and computes what it reduces.
//!
//! A barrier that part of the block cannot reach is a fault here; one that part of a warp cannot reach was a fault when the warp arrived.

use crate::fault::{Fault, FaultKind};
use crate::machine::block::state::{Block, WarpStates};
use crate::machine::context::Machine;
use crate::machine::event::{LaneFault, WarpFault};
use crate::machine::warp::registers::{Lanes, WarpRegsMut};
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::{Op, Pc};
use simt_ir::ReduceMode;

/// All warps that have not ended wait at a barrier. Gives whether it is one of the whole grid.
pub(crate) fn release_barrier(
    machine: &Machine,
    block: &mut Block,
    states: WarpStates,
) -> Result<bool, Box<Fault>> {
    let (warps, index) = (&mut block.warps[..], block.index);
    let waits = |w: &Warp| w.state == WarpState::Barrier;
    let Some(lead) = warps.iter().position(waits) else { return Ok(false) };
    let pc = warps[lead].pc;
    if let Some(fault) = divergence(machine, warps, pc, states) {
        return Err(machine.warp_fault(index, WarpFault { warp: warps[lead].index, pc, fault }));
    }
    let Op::Barrier { barrier } = machine.plan.code[pc] else { return Ok(false) };
    let barrier = &machine.plan.records[barrier];
    if let Some(reduction) = &barrier.reduction {
        let holds = warps.iter().map(|w| (w.regs.m[reduction.predicate] & w.present, w.present));
        let result = match reduction.mode {
            ReduceMode::Count => holds.map(|(m, _)| m.count_ones()).sum(),
            ReduceMode::And => holds.fold(1, |all, (m, p)| all & u32::from(m == p)),
            ReduceMode::Or => holds.fold(0, |any, (m, _)| any | u32::from(m != 0)),
        };
        for warp in warps {
            let present = warp.present;
            warp.regs.put32(reduction.dst, &Lanes([result; 32]), present);
        }
    }
    Ok(barrier.grid)
}

/// The fault of a barrier at `pc` at which not all warps wait.
fn divergence(machine: &Machine, warps: &[Warp], pc: Pc, states: WarpStates) -> Option<Box<LaneFault>> {
    let plan = machine.plan;
    let thread = |w: usize| warps[w].thread(machine, warps[w].present);
    if states.any_is(WarpState::Done)
        && let Some(ended) = warps.iter().position(|w| w.state == WarpState::Done)
    {
        let count = |waits: bool| {
            let warps = warps.iter().filter(|w| (w.state == WarpState::Barrier) == waits);
            warps.map(|w| w.present.count_ones()).sum()
        };
        let mut fault = LaneFault::of(
            FaultKind::BarrierDivergence {
                missing: thread(ended),
                exited: true,
                waiting: count(true),
                absent: count(false),
            },
            1,
        );
        fault.other = warps[ended].exit_pc.and_then(|pc| plan.locations[pc]);
        return Some(fault);
    }
    let other = warps.iter().position(|w| w.pc != pc)?;
    let mut fault = LaneFault::of(FaultKind::BarrierMismatch { thread: thread(other) }, 1);
    fault.other = plan.locations[warps[other].pc];
    Some(fault)
}
