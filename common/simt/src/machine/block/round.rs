//! A round of a block: each warp that is ready runs for one time slice.
//!
//! This is where the machine is entered once per round, and compiled once per instruction set. The order of the warps decides nothing that
//! a program may rely on; [`crate::Options::schedule_seed`] permutes it to show programs that do.

use crate::isa::per_isa;
use crate::machine::block::state::WarpStates;
use crate::machine::block::worker::Worker;
use crate::machine::context::{Machine, ThreadOrder};
use crate::machine::event::WarpFault;
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::state::WarpState;

/// The order in which warps get their time slices in a round: by index, or permuted by a seed.
fn schedule(count: usize, seed: u64, round: u64) -> impl Iterator<Item = usize> {
    // A multiplicative step through the indices is a permutation if it is coprime to their number; an offset and a
    // direction more make the schedules differ enough, and nothing is stored.
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ round.wrapping_mul(0xd134_2543_de82_ef95);
    state ^= state >> 29;
    let (start, mut step) =
        if seed == 0 { (0, 1) } else { (state as usize % count, (state >> 32) as usize % count) };
    let gcd = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    while step != 1 && gcd(step, count) != 1 {
        step += 1;
    }
    let (mut at, step) = (start, step % count);
    (0..count).map(move |_| {
        let next = at + step;
        std::mem::replace(&mut at, if next < count { next } else { next - count })
    })
}

per_isa! {
    /// Runs each warp that is ready for one time slice; gives the states in which warps then are.
    pub(crate) fn run_round<O: Observer>(
        simd; machine: &Machine, worker: &mut Worker<O>
    ) -> Result<WarpStates, WarpFault> {
        run_round_in(simd, machine, worker)
    }
}

#[inline(always)]
fn run_round_in<V: Vectors, O: Observer>(
    simd: V,
    machine: &Machine,
    worker: &mut Worker<O>,
) -> Result<WarpStates, WarpFault> {
    let block = &mut worker.block;
    let mut states = WarpStates::default();
    if block.round == 0 {
        let position = machine.block(block.index);
        block.warps.iter_mut().for_each(|warp| warp.start(machine.plan, position));
        if machine.thread_order == ThreadOrder::LanesDescending {
            block.split_lanes();
        }
    }
    let (count, round) = (block.warps.len(), block.round);
    let descends = machine.thread_order != ThreadOrder::Ascending;
    for w in schedule(count, machine.options.schedule_seed, round) {
        let w = if descends { count - 1 - w } else { w };
        let budget = machine.options.instruction_budget.saturating_sub(block.work());
        let warp = &mut block.warps[w];
        if warp.state != WarpState::Ready {
            states.add(warp.state);
            continue;
        }
        let before = warp.clock;
        worker.probe.forget();
        let mut executor = WarpExecutor {
            machine,
            observer: &mut worker.observer,
            warp,
            shared: &mut block.shared,
            asyncs: &mut block.asyncs,
            shapes: &mut worker.shapes,
            log: &mut worker.log,
            printed: &mut block.printed,
            room: block.room,
            texels: &mut worker.texels,
            probe: &mut worker.probe,
            stored: false,
            block: block.index,
            budget,
            effects: 0,
            extra_cost: 0,
            max_effects: machine.options.effect_budget().saturating_sub(block.effects),
        };
        let ended = executor.run_time_slice(simd);
        block.effects += executor.effects;
        if machine.options.weighted {
            block.extra_cost += executor.extra_cost;
        }
        let warp = &block.warps[w];
        block.used += warp.clock - before;
        ended?;
        states.add(warp.state);
    }
    Ok(states)
}
