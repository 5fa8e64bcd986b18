//! A round: each warp of a block that is ready runs for one time slice.

use crate::isa::per_isa;
use crate::machine::block::block_copy::BlockCopy;
use crate::machine::block::worker::Worker;
use crate::machine::context::Machine;
use crate::machine::event::LaneFault;
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::state::WarpState;
use crate::plan::Pc;

/// A set of states.
#[derive(Clone, Copy)]
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

/// The order in which warps take their turns in a round: by index, or permuted by a seed.
fn order(count: usize, seed: u64, round: u64) -> impl Iterator<Item = usize> {
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
    /// A turn for each warp that is ready; gives the states in which warps then are. A fault comes with its warp and program
    /// counter.
    pub(crate) fn run_round<O: Observer>(
        simd; machine: &Machine, worker: &mut Worker<O>
    ) -> Result<WarpStates, (u32, Pc, Box<LaneFault>)> {
        run_round_in(simd, machine, worker)
    }
}

#[inline(always)]
fn run_round_in<V: Vectors, O: Observer>(
    simd: V,
    machine: &Machine,
    worker: &mut Worker<O>,
) -> Result<WarpStates, (u32, Pc, Box<LaneFault>)> {
    let block = &mut worker.block;
    let mut states = WarpStates(0);
    if block.round == 0 {
        let position = machine.block(block.index);
        let memory = (&mut block.shared[..], &mut worker.log);
        let mut at = (Pc::ENTRY, 0);
        if let Some(block_copy) = &mut worker.block_copy
            && block_copy.run(simd, machine, &mut worker.observer, memory, (block.index, position))
        {
            let BlockCopy { barriers, clock, next, .. } = block_copy;
            (block.used, block.round) = (*clock * block.warps.len() as u64, *barriers);
            let Some(next) = next else {
                states.add(WarpState::Done);
                return Ok(states);
            };
            at = (*next, *clock);
        }
        for warp in &mut block.warps {
            warp.start(machine.plan, position);
            (warp.pc, warp.clock) = at;
        }
    }
    for w in order(block.warps.len(), machine.options.schedule_seed, block.round) {
        let warp = &mut block.warps[w];
        if warp.state != WarpState::Ready {
            states.add(warp.state);
            continue;
        }
        let before = warp.clock;
        let mut executor = WarpExecutor {
            machine,
            observer: &mut worker.observer,
            warp,
            shared: &mut block.shared,
            asyncs: &mut block.asyncs,
            shapes: &mut worker.shapes,
            located: &mut worker.located,
            copied: &mut worker.copied,
            log: &mut worker.log,
            printed: &mut block.printed,
            room: block.room,
            touched: &mut worker.touched,
            index: w as u32,
            block: block.index,
            budget: machine.block_budget.saturating_sub(block.used),
        };
        executor.run(simd).map_err(|(pc, fault)| (w as u32, pc, fault))?;
        let warp = &block.warps[w];
        block.used += warp.clock - before;
        states.add(warp.state);
    }
    Ok(states)
}
