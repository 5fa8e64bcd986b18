//! Block barriers.

use crate::fault::{Fault, FaultKind};
use crate::machine::block::round::WarpStates;
use crate::machine::block::state::Block;
use crate::machine::context::Machine;
use crate::machine::event::LaneFault;
use crate::machine::warp::registers::Lanes;
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::Op;
use simt_ir::ReduceMode;

/// No warp can go on alone: all that have not ended are at a barrier, which must be the same for all. Gives whether it is one
/// of the whole grid.
pub(crate) fn release_barrier(
    machine: &Machine,
    block: &mut Block,
    states: WarpStates,
) -> Result<bool, Box<Fault>> {
    let (warps, block) = (&mut block.warps[..], block.index);
    let waiting = |w: &Warp| w.state == WarpState::Barrier;
    let Some(lead) = warps.iter().position(waiting) else { return Ok(false) };
    let pc = warps[lead].pc;
    let thread = |w: usize| machine.thread(w as u32 * 32);
    if states.any_is(WarpState::Done)
        && let Some(gone) = warps.iter().position(|w| w.state == WarpState::Done)
    {
        let count = |f: &dyn Fn(&&Warp) -> bool| warps.iter().filter(f).map(|w| w.present.count_ones()).sum();
        let kind = FaultKind::BarrierDivergence {
            missing: thread(gone),
            exited: true,
            waiting: count(&|w| waiting(w)),
            absent: count(&|w| !waiting(w)),
        };
        let mut fault = LaneFault::of(kind, 1);
        fault.other = warps[gone].exit_pc.and_then(|pc| machine.plan.locations[pc]);
        return Err(Box::new(machine.fault((block, lead as u32, pc), *fault)));
    }
    let origins = &machine.plan.origins;
    let elsewhere = |w: &Warp| w.pc != pc && origins[w.pc] != origins[pc];
    if let Some(other) = warps.iter().position(elsewhere) {
        let mut fault = LaneFault::of(FaultKind::BarrierMismatch { thread: thread(other) }, 1);
        fault.other = machine.plan.locations[warps[other].pc];
        return Err(Box::new(machine.fault((block, lead as u32, pc), *fault)));
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
