//! A block: its warps take turns from barrier to barrier.

pub(crate) mod grid;
pub(crate) mod sweep;

use crate::counters::Counters;
use crate::fault::{Fault, FaultKind};
use crate::machine::block::sweep::Sweep;
use crate::machine::dispatch;
use crate::machine::memory::marks::Log;
use crate::machine::warp::access::known::Located;
use crate::machine::warp::access::shape::Layouts;
use crate::machine::warp::asynchronous::{self, Asyncs};
use crate::machine::warp::lanes::Lanes;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::{Cpu, State, Warp};
use crate::machine::{Machine, Observer, Raw};
use crate::plan::Plan;
use simt_ir::ReduceMode;

/// What one thread of the host needs to run blocks; used for one after the other.
pub(crate) struct Worker<O: Observer> {
    pub(crate) observer: O,
    pub(crate) block: Block,
    touched: Vec<u64>,
    copied: Vec<u32>,
    layouts: Layouts,
    located: Vec<Located>,
    /// What each block begins with.
    pub(crate) sweep: Option<Sweep<O>>,
    /// What its blocks have touched and others do not know yet.
    pub(crate) log: Log,
}

/// A block at work, or at rest at a barrier of the grid.
pub(crate) struct Block {
    /// Its linear index.
    index: u32,
    warps: Vec<Warp>,
    shared: Vec<u32>,
    asyncs: Asyncs,
    /// Instructions executed, mask bookkeeping included.
    pub(crate) used: u64,
    /// Turns that all warps have had.
    round: u64,
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
pub(crate) enum Stop {
    /// It has ended.
    Done,
    /// All of its warps wait at a barrier of the grid.
    Grid,
}

impl<O: Observer> Worker<O> {
    pub(crate) fn new(machine: &Machine) -> Worker<O> {
        let mut layouts = Layouts::default();
        Worker {
            observer: O::new(machine),
            block: Block::new(machine),
            touched: Vec::new(),
            copied: Vec::new(),
            sweep: Sweep::of(machine, &mut layouts),
            layouts,
            located: vec![Located::NOWHERE; machine.plan.groups.len()],
            log: Log::default(),
        }
    }

    /// What was counted, by instruction; nothing if nobody counts.
    pub(crate) fn by_instruction(self, plan: &Plan) -> Vec<Counters> {
        let counted = self.observer.counted();
        let mut counts = counted.map_or(Vec::new(), |counted| O::by_instruction(counted, plan));
        if let Some(sweep) = self.sweep {
            sweep.add_to(&mut counts, plan);
        }
        counts
    }
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
            asyncs: Asyncs::default(),
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
            asyncs: Asyncs::default(),
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
            warp.state = State::Ready;
        }
    }

    /// A fault of the whole block, at the barrier where it waits.
    pub(crate) fn fault(&self, machine: &Machine, kind: FaultKind) -> Box<Fault> {
        let pc = self.warps.first().map_or(0, |w| w.pc);
        Box::new(machine.fault((self.index, 0, pc), *Raw::lanes(kind, 1)))
    }
}

/// A set of states.
#[derive(Clone, Copy)]
pub(crate) struct States(u8);

impl States {
    fn add(&mut self, state: State) {
        self.0 |= 1 << state as u8;
    }

    fn any_is(self, state: State) -> bool {
        self.0 >> state as u8 & 1 == 1
    }

    fn all_are(self, state: State) -> bool {
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

/// Runs a block to its end, where no barrier of the grid can stop it.
pub(crate) fn run_block<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
    block: u32,
) -> Result<BlockDone, Box<Fault>> {
    worker.observer.begin(machine, block);
    worker.block.start(block);
    advance(machine, worker)?;
    let Block { used, printed, .. } = &mut worker.block;
    Ok(BlockDone { instructions: *used, printed: std::mem::take(printed) })
}

/// A turn for each warp that is ready; gives the states in which warps then are. A fault comes with its warp and program
/// counter.
///
/// This is compiled once for each instruction set; see [`dispatch::turns`].
#[inline(always)]
pub(crate) fn turns_with<G: Vectors, O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
) -> Result<States, (u32, u32, Box<Raw>)> {
    let block = &mut worker.block;
    let mut states = States(0);
    if block.round == 0 {
        let position = machine.block(block.index);
        let memory = (&mut block.shared[..], &mut worker.log);
        let mut at = (0, 0);
        if let Some(sweep) = &mut worker.sweep
            && sweep.run::<G>(machine, &mut worker.observer, memory, (block.index, position))
        {
            let Sweep { barriers, clock, next, .. } = sweep;
            (block.used, block.round) = (*clock * block.warps.len() as u64, *barriers);
            let Some(next) = next else {
                states.add(State::Done);
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
        if warp.state != State::Ready {
            states.add(warp.state);
            continue;
        }
        let before = warp.clock;
        let mut cpu = Cpu {
            machine,
            observer: &mut worker.observer,
            warp,
            shared: &mut block.shared,
            asyncs: &mut block.asyncs,
            layouts: &mut worker.layouts,
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
        cpu.run::<G>().map_err(|(pc, raw)| (w as u32, pc, raw))?;
        let warp = &block.warps[w];
        block.used += warp.clock - before;
        states.add(warp.state);
    }
    Ok(states)
}

/// Runs a block until it ends or waits for the other blocks.
pub(crate) fn advance<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<Stop, Box<Fault>> {
    let index = worker.block.index;
    loop {
        let states = match dispatch::turns(machine, worker) {
            Ok(states) => states,
            Err((w, pc, raw)) => {
                // What was read before anybody wrote it may be why.
                let explained = matches!(
                    raw.kind,
                    FaultKind::SharedMemoryRace { .. } | FaultKind::AsyncNotAwaited { .. }
                );
                if !explained {
                    settle(machine, worker)?;
                }
                let raw = asynchronous::complete(*raw, &worker.block.asyncs);
                return Err(Box::new(machine.fault((index, w, pc), raw)));
            }
        };
        worker.block.round += 1;
        if states.all_are(State::Done) {
            settle(machine, worker)?;
            if let Some(sweep) = &mut worker.sweep {
                sweep.done(&mut worker.observer);
            }
            return Ok(Stop::Done);
        }
        if states.any_is(State::Ready) {
            continue;
        }
        if states.any_is(State::Waiting) {
            let block = &mut worker.block;
            if block.asyncs.stirred() {
                let waiting = block.warps.iter_mut().filter(|w| w.state == State::Waiting);
                waiting.for_each(|w| w.state = State::Ready);
                continue;
            }
            settle(machine, worker)?;
            let Block { warps, asyncs, .. } = &worker.block;
            if let Some((warp, pc, raw)) = asynchronous::stuck(machine, warps, asyncs) {
                return Err(Box::new(machine.fault((index, warp, pc), *raw)));
            }
        }
        let grid = meet(machine, &mut worker.block, states)?;
        settle(machine, worker)?;
        if grid {
            return Ok(Stop::Grid);
        }
        worker.block.pass();
        worker.observer.release();
    }
}

/// A fault that the observer has held back.
fn settle<O: Observer>(machine: &Machine, worker: &mut Worker<O>) -> Result<(), Box<Fault>> {
    let block = worker.block.index;
    let held = worker.observer.settle();
    held.map_err(|(warp, pc, raw)| Box::new(machine.fault((block, warp, pc), *raw)))
}

/// No warp can go on alone: all that have not ended are at a barrier, which must be the same for all. Gives whether it is one
/// of the whole grid.
fn meet(machine: &Machine, block: &mut Block, states: States) -> Result<bool, Box<Fault>> {
    let (warps, block) = (&mut block.warps[..], block.index);
    let waiting = |w: &Warp| w.state == State::Barrier;
    let Some(lead) = warps.iter().position(waiting) else { return Ok(false) };
    let pc = warps[lead].pc;
    let thread = |w: usize| machine.thread(w as u32 * 32);
    if states.any_is(State::Done)
        && let Some(gone) = warps.iter().position(|w| w.state == State::Done)
    {
        let count = |f: &dyn Fn(&&Warp) -> bool| warps.iter().filter(f).map(|w| w.present.count_ones()).sum();
        let kind = FaultKind::BarrierDivergence {
            missing: thread(gone),
            exited: true,
            waiting: count(&|w| waiting(w)),
            absent: count(&|w| !waiting(w)),
        };
        let mut raw = Raw::lanes(kind, 1);
        raw.other = machine.plan.locations[warps[gone].exit_pc as usize].filter(|_| warps[gone].exit_pc != 0);
        return Err(Box::new(machine.fault((block, lead as u32, pc), *raw)));
    }
    let origins = &machine.plan.origins;
    let elsewhere = |w: &Warp| w.pc != pc && origins[w.pc as usize] != origins[pc as usize];
    if let Some(other) = warps.iter().position(elsewhere) {
        let mut raw = Raw::lanes(FaultKind::BarrierMismatch { thread: thread(other) }, 1);
        raw.other = machine.plan.locations[warps[other].pc as usize];
        return Err(Box::new(machine.fault((block, lead as u32, pc), *raw)));
    }
    let crate::plan::Op::Barrier(index) = machine.plan.code[pc as usize] else { return Ok(false) };
    let barrier = &machine.plan.barriers[index as usize];
    if let Some((dst, mode, predicate)) = barrier.reduce {
        let holds = warps.iter().map(|w| (w.regs.m[predicate as usize] & w.present, w.present));
        let result = match mode {
            ReduceMode::Count => holds.map(|(m, _)| m.count_ones()).sum(),
            ReduceMode::And => holds.fold(1, |all, (m, p)| all & u32::from(m == p)),
            ReduceMode::Or => holds.fold(0, |any, (m, _)| any | u32::from(m != 0)),
        };
        for warp in warps {
            let present = warp.present;
            warp.regs.put32(dst, &Lanes([result; 32]), present);
        }
    }
    Ok(barrier.grid)
}
