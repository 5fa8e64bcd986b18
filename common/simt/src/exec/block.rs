//! A block: its warps take turns from barrier to barrier.

use super::asynchronous::{self, Asyncs};
use super::lanes::{Lanes, first};
use super::warp::{Cpu, State, Warp};
use super::{Machine, Observer, Raw};
use crate::fault::{Fault, FaultKind};
use simt_ir::ReduceMode;

/// What one thread of the host needs to run blocks; used for one after the other.
pub(crate) struct Worker<O> {
    pub(crate) observer: O,
    pub(crate) warps: Vec<Warp>,
    shared: Vec<u32>,
    asyncs: Asyncs,
    touched: Vec<u64>,
}

/// What a block leaves besides memory.
pub(crate) struct BlockDone {
    /// Instructions executed, mask bookkeeping included.
    pub(crate) instructions: u64,
    pub(crate) printed: String,
}

impl<O: Observer> Worker<O> {
    pub(crate) fn new(machine: &Machine, observer: O) -> Worker<O> {
        let [x, y, z] = machine.launch.block;
        let warps = (x * y * z).div_ceil(32);
        let local = machine.kernel.local_bytes();
        Worker {
            observer,
            warps: (0..warps).map(|w| Warp::new(machine.plan, w, [x, y, z], local)).collect(),
            shared: vec![0; machine.shared_bytes.div_ceil(4) as usize],
            asyncs: Asyncs::default(),
            touched: Vec::new(),
        }
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
    while gcd(step, count) != 1 {
        step += 1;
    }
    (0..count).map(move |i| (start + i * step) % count)
}

/// Runs a block to its end.
pub(crate) fn run_block<O: Observer>(
    machine: &Machine,
    worker: &mut Worker<O>,
    block: u32,
) -> Result<BlockDone, Box<Fault>> {
    let index = machine.block(block);
    worker.observer.begin(machine, block);
    worker.warps.iter_mut().for_each(|w| w.start(machine.plan, index));
    // Shared memory is whatever it was: here, NaNs.
    worker.shared.fill(u32::MAX);
    worker.asyncs.begin();
    let mut printed = String::new();
    let (mut used, mut round) = (0u64, 0u64);
    loop {
        for w in order(worker.warps.len(), machine.options.schedule_seed, round) {
            let warp = &mut worker.warps[w];
            if warp.state != State::Ready {
                continue;
            }
            let before = warp.clock;
            let mut cpu = Cpu {
                machine,
                observer: &mut worker.observer,
                warp,
                shared: &mut worker.shared,
                asyncs: &mut worker.asyncs,
                printed: &mut printed,
                touched: std::mem::take(&mut worker.touched),
                index: w as u32,
                block,
                budget: machine.block_budget.saturating_sub(used),
            };
            let result = cpu.run();
            worker.touched = std::mem::take(&mut cpu.touched);
            if let Err((pc, raw)) = result {
                // What was read before anybody wrote it may be why.
                let explained = matches!(
                    raw.kind,
                    FaultKind::SharedMemoryRace { .. } | FaultKind::AsyncNotAwaited { .. }
                );
                if !explained {
                    settle(machine, worker, block)?;
                }
                let fault = fault(machine, (block, w as u32, pc), *raw);
                return Err(Box::new(asynchronous::complete(fault, &worker.asyncs)));
            }
            used += worker.warps[w].clock - before;
        }
        round += 1;
        if worker.warps.iter().all(|w| w.state == State::Done) {
            settle(machine, worker, block)?;
            return Ok(BlockDone { instructions: used, printed });
        }
        if worker.warps.iter().any(|w| w.state == State::Ready) {
            continue;
        }
        if worker.warps.iter().any(|w| w.state == State::Waiting) {
            if worker.asyncs.stirred() {
                let waiting = worker.warps.iter_mut().filter(|w| w.state == State::Waiting);
                waiting.for_each(|w| w.state = State::Ready);
                continue;
            }
            settle(machine, worker, block)?;
            if let Some((warp, pc, raw)) = asynchronous::stuck(machine, &worker.warps, &worker.asyncs) {
                return Err(Box::new(fault(machine, (block, warp, pc), *raw)));
            }
        }
        meet(machine, &mut worker.warps, block)?;
        settle(machine, worker, block)?;
        worker.observer.release();
    }
}

/// A fault that the observer has held back.
fn settle<O: Observer>(machine: &Machine, worker: &mut Worker<O>, block: u32) -> Result<(), Box<Fault>> {
    let held = worker.observer.settle();
    held.map_err(|(warp, pc, raw)| Box::new(fault(machine, (block, warp, pc), *raw)))
}

/// No warp can go on alone: all that have not ended are at a barrier. Lets them pass if it is the same for all.
fn meet(machine: &Machine, warps: &mut [Warp], block: u32) -> Result<(), Box<Fault>> {
    let waiting = |w: &Warp| w.state == State::Barrier;
    let Some(lead) = warps.iter().position(waiting) else { return Ok(()) };
    let pc = warps[lead].pc;
    let thread = |w: usize| machine.thread(w as u32 * 32);
    if let Some(gone) = warps.iter().position(|w| w.state == State::Done) {
        let count = |f: &dyn Fn(&&Warp) -> bool| warps.iter().filter(f).map(|w| w.present.count_ones()).sum();
        let kind = FaultKind::BarrierDivergence {
            missing: thread(gone),
            exited: true,
            waiting: count(&|w| waiting(w)),
            absent: count(&|w| !waiting(w)),
        };
        let mut raw = Raw::lanes(kind, 1);
        raw.other = machine.plan.locations[warps[gone].exit_pc as usize].filter(|_| warps[gone].exit_pc != 0);
        return Err(Box::new(fault(machine, (block, lead as u32, pc), *raw)));
    }
    if let Some(other) = warps.iter().position(|w| w.pc != pc) {
        let mut raw = Raw::lanes(FaultKind::BarrierMismatch { thread: thread(other) }, 1);
        raw.other = machine.plan.locations[warps[other].pc as usize];
        return Err(Box::new(fault(machine, (block, lead as u32, pc), *raw)));
    }
    if let crate::plan::Op::Barrier(index) = machine.plan.code[pc as usize]
        && let Some((dst, mode, predicate)) = machine.plan.barriers[index as usize].reduce
    {
        let holds = warps.iter().map(|w| (w.regs.m[predicate as usize] & w.present, w.present));
        let result = match mode {
            ReduceMode::Count => holds.map(|(m, _)| m.count_ones()).sum(),
            ReduceMode::And => holds.fold(1, |all, (m, p)| all & u32::from(m == p)),
            ReduceMode::Or => holds.fold(0, |any, (m, _)| any | u32::from(m != 0)),
        };
        for warp in &mut *warps {
            let present = warp.present;
            warp.regs.put32(dst, &Lanes([result; 32]), present);
        }
    }
    for warp in warps {
        warp.pc += 1;
        warp.state = State::Ready;
    }
    Ok(())
}

/// A fault in terms of threads and blocks.
fn fault(machine: &Machine, (block, warp, pc): (u32, u32, u32), raw: Raw) -> Fault {
    let lane = first(1 << raw.lane) as u32;
    Fault {
        kind: raw.kind,
        location: machine.plan.locations[pc as usize],
        other: raw.other,
        thread: machine.thread(warp * 32 + lane),
        block: machine.block(block),
        further: raw.further,
    }
}
