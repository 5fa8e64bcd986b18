//! A block: whose turn it is, and the barriers of the block.

use crate::asynchronous::Phase;
use crate::fault::{Fault, FaultKind, Stop};
use crate::log::{Event, EventKind, Who};
use crate::memory::Bytes;
use crate::thread::Thread;
use crate::{Schedule, World};
use simt_ir::{BarrierReduce, Inst, InstKind, Node, ReduceMode, Special};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// Nodes after which a warp that does not wait lets the others go on, so that it may wait for what another one stores.
const SLICE: u64 = 1 << 16;

/// A block at work.
pub(crate) struct Block<'m> {
    /// Linear index in the grid.
    pub(crate) index: u32,
    /// By linear index in the block.
    pub(crate) threads: Vec<Thread<'m>>,
    pub(crate) warps: Vec<Warp<'m>>,
    pub(crate) shared: Bytes,
    /// Barriers in shared memory, by first byte.
    pub(crate) barriers: BTreeMap<u64, Phase>,
    /// Arrivals at them, and how many there were when warps that wait for one were last woken.
    pub(crate) arrivals: u64,
    woken: u64,
}

pub(crate) struct Warp<'m> {
    state: State<'m>,
    /// Nodes executed.
    pub(crate) clock: u64,
    /// The thread that went on alone last.
    last: Option<usize>,
}

/// What a warp waits for.
#[derive(Clone, Copy)]
enum State<'m> {
    /// Nothing.
    Ready,
    /// All other threads of the block, or of the grid, at that barrier.
    Barrier(&'m Inst),
    /// The end of a phase of a barrier in shared memory.
    Phase(&'m Inst),
    /// Nothing any more.
    Ended,
}

/// Why a block stops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// All of its threads have ended.
    Ended,
    /// All of them wait for the other blocks.
    Grid,
}

/// What becomes of the lanes that have executed an instruction.
pub(crate) enum Next {
    /// They go to the next node.
    Pass,
    /// They stay: in a function that they have called, or at what they wait for.
    Stay,
    /// They wait at this barrier.
    Barrier,
}

/// Lanes of a warp that execute something together; at least one.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) warp: usize,
    pub(crate) lanes: u32,
}

impl Group {
    /// Their linear indices in the block, in order.
    pub(crate) fn threads(mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let next = (self.lanes != 0).then(|| self.first());
            self.lanes &= self.lanes.wrapping_sub(1);
            next
        })
    }

    pub(crate) fn first(self) -> usize {
        self.warp * LANES + self.lanes.trailing_zeros() as usize
    }

    /// The same failure in each of them.
    pub(crate) fn fail(self, kind: &FaultKind) -> Vec<(u32, FaultKind)> {
        self.threads().map(|t| (t as u32, kind.clone())).collect()
    }
}

/// Whether lanes have to come together for an instruction, because it looks at who is there.
fn gathers(inst: &Inst) -> bool {
    matches!(
        inst.kind,
        InstKind::Shuffle { .. }
            | InstKind::Vote { .. }
            | InstKind::Barrier { .. }
            | InstKind::GridBarrier
            | InstKind::WarpBarrier { .. }
            | InstKind::Matrix { .. }
            | InstKind::LoadMatrix { .. }
            | InstKind::Special { value: Special::ActiveMask, .. }
    )
}

fn is_grid(inst: &Inst) -> bool {
    matches!(inst.kind, InstKind::GridBarrier)
}

impl<'m> Block<'m> {
    /// A block at the start of the kernel.
    pub(crate) fn new(world: &World<'_, 'm>, index: u32) -> Block<'m> {
        let count = world.launch.block.iter().product::<u32>() as usize;
        let warp = || Warp { state: State::Ready, clock: 0, last: None };
        Block {
            index,
            threads: (0..count).map(|_| Thread::new(world.kernel, world.launch.unwritten)).collect(),
            warps: (0..count.div_ceil(LANES)).map(|_| warp()).collect(),
            shared: Bytes::unwritten(world.shared_bytes, world.launch.unwritten),
            barriers: BTreeMap::new(),
            arrivals: 0,
            woken: 0,
        }
    }

    /// The threads of a warp.
    pub(crate) fn of_warp(&self, warp: usize) -> std::ops::Range<usize> {
        warp * LANES..((warp + 1) * LANES).min(self.threads.len())
    }

    /// Who executes an instruction, for the log.
    pub(crate) fn who(&self, thread: usize, instruction: &'m Inst) -> Who<'m> {
        let warp = (thread / LANES) as u32;
        let instance = self.threads[thread].path_hash((self.index, warp));
        Who { block: self.index, thread: thread as u32, instruction, instance }
    }

    /// Runs until all threads have ended or wait for other blocks.
    pub(crate) fn run(&mut self, world: &mut World<'_, 'm>) -> Result<Pause, Stop> {
        loop {
            for number in 0..self.warps.len() {
                let warp = world.launch.schedule.pick(number, self.warps.len());
                if let State::Ready = self.warps[warp].state {
                    self.run_warp(world, warp)?;
                }
            }
            let any = |holds: fn(&State) -> bool| self.warps.iter().any(|warp| holds(&warp.state));
            if any(|state| matches!(state, State::Ready)) {
                continue;
            }
            if any(|state| matches!(state, State::Phase(_))) {
                self.wake()?;
            } else if any(|state| matches!(state, State::Barrier(_))) {
                if self.check_barrier()? {
                    return Ok(Pause::Grid);
                }
                self.release(world);
            } else {
                return Ok(Pause::Ended);
            }
        }
    }

    /// Lets a warp go on until it waits or ends, or has had its turn.
    fn run_warp(&mut self, world: &mut World<'_, 'm>, warp: usize) -> Result<(), Stop> {
        for _ in 0..SLICE {
            let Some(group) = self.group(world.launch.schedule, warp) else {
                self.warps[warp].state = State::Ended;
                return Ok(());
            };
            let leader = &self.threads[group.first()];
            let node = leader.node();
            let Some(Node::Inst(inst)) = node else {
                self.step(world, group)?;
                group.threads().for_each(|t| self.threads[t].control());
                continue;
            };
            if leader.awaits == Some(self.arrivals) {
                self.warps[warp].state = State::Phase(inst);
                return Ok(());
            }
            self.step(world, group)?;
            match self.execute(world, group, inst)? {
                Next::Pass => group.threads().for_each(|t| self.threads[t].pass()),
                Next::Stay => {}
                Next::Barrier => {
                    self.warps[warp].state = State::Barrier(inst);
                    return Ok(());
                }
            }
        }
        world.report.sliced = true;
        Ok(())
    }

    fn step(&mut self, world: &mut World<'_, 'm>, group: Group) -> Result<(), Stop> {
        self.warps[group.warp].clock += 1;
        world.spend(group.lanes.count_ones().into())
    }

    /// The lanes that go on next; `None` if all have ended.
    fn group(&mut self, schedule: Schedule, warp: usize) -> Option<Group> {
        if let Schedule::Threads { .. } = schedule {
            let lanes = self.of_warp(warp);
            let in_turn = (0..lanes.len()).map(|number| lanes.start + schedule.pick(number, lanes.len()));
            let alone = |t: &usize| {
                let thread = &self.threads[*t];
                let waits = thread.awaits == Some(self.arrivals)
                    || matches!(thread.node(), Some(Node::Inst(inst)) if gathers(inst));
                !thread.has_ended() && !waits
            };
            if let Some(thread) = self.warps[warp].last.into_iter().chain(in_turn).find(alone) {
                self.warps[warp].last = Some(thread);
                return Some(Group { warp, lanes: 1 << (thread % LANES) });
            }
        }
        self.lowest(warp)
    }

    /// The lanes with the lowest path.
    fn lowest(&self, warp: usize) -> Option<Group> {
        let mut lowest: Option<(usize, u32)> = None;
        for t in self.of_warp(warp).filter(|t| !self.threads[*t].has_ended()) {
            let lane = 1 << (t % LANES);
            let order = lowest.map(|(first, _)| self.threads[t].compare_path(&self.threads[first]));
            match order {
                None | Some(Ordering::Less) => lowest = Some((t, lane)),
                Some(Ordering::Equal) => lowest = lowest.map(|(first, lanes)| (first, lanes | lane)),
                Some(Ordering::Greater) => {}
            }
        }
        lowest.map(|(_, lanes)| Group { warp, lanes })
    }

    /// No warp can go on, and some wait for a phase: they try again if there were arrivals since they last did.
    fn wake(&mut self) -> Result<(), Stop> {
        let index = self.index;
        if self.arrivals == self.woken {
            for (number, warp) in self.warps.iter().enumerate() {
                if let (State::Phase(inst), Some(group)) = (warp.state, self.lowest(number)) {
                    let threads = group.fail(&FaultKind::BarrierPhase);
                    return Err(Fault { location: inst.location, block: index, threads }.into());
                }
            }
        }
        self.woken = self.arrivals;
        for warp in &mut self.warps {
            if let State::Phase(_) = warp.state {
                warp.state = State::Ready;
            }
        }
        Ok(())
    }

    /// Lanes have come to a barrier of the block or grid: all lanes of the warp must.
    pub(crate) fn arrive(&self, group: Group) -> Result<Next, Vec<(u32, FaultKind)>> {
        if group.threads().count() == self.of_warp(group.warp).len() {
            Ok(Next::Barrier)
        } else {
            Err(group.fail(&FaultKind::BarrierDivergence))
        }
    }

    /// No warp can go on alone: each has ended or waits at a barrier, which must be the same for all. Barriers of the grid
    /// are all alike. Gives whether it is one of these.
    fn check_barrier(&self) -> Result<bool, Stop> {
        let inst = |warp: &Warp<'m>| match warp.state {
            State::Barrier(inst) => Some(inst),
            State::Ready | State::Phase(_) | State::Ended => None,
        };
        let Some((lead, here)) = self.warps.iter().enumerate().find_map(|(n, w)| Some((n, inst(w)?))) else {
            return Ok(false);
        };
        let kind = self.warps.iter().find_map(|warp| match inst(warp) {
            None => Some(FaultKind::BarrierDivergence),
            Some(other) if std::ptr::eq(here, other) || is_grid(here) && is_grid(other) => None,
            Some(_) => Some(FaultKind::BarrierMismatch),
        });
        let Some(kind) = kind else { return Ok(is_grid(here)) };
        let threads = self.of_warp(lead).map(|t| (t as u32, kind.clone())).collect();
        Err(Fault { location: here.location, block: self.index, threads }.into())
    }

    /// Where the block waits, if it does.
    pub(crate) fn waits_at(&self) -> Option<(usize, &'m Inst)> {
        self.warps.iter().enumerate().find_map(|(number, warp)| match warp.state {
            State::Barrier(inst) => Some((self.of_warp(number).start, inst)),
            State::Ready | State::Phase(_) | State::Ended => None,
        })
    }

    /// All threads pass the barrier at which they wait.
    pub(crate) fn release(&mut self, world: &mut World<'_, 'm>) {
        let Some((first, inst)) = self.waits_at() else { return };
        if !is_grid(inst) {
            world.tell(|| Event { who: self.who(first, inst), kind: EventKind::BlockBarrier });
        }
        if let InstKind::Barrier { reduce: Some(BarrierReduce { dst, mode, predicate }) } = &inst.kind {
            let holds = self.threads.iter().filter(|thread| thread.get(*predicate) != 0).count();
            let result = match mode {
                ReduceMode::Count => holds as u64,
                ReduceMode::And => (holds == self.threads.len()).into(),
                ReduceMode::Or => (holds > 0).into(),
            };
            self.threads.iter_mut().for_each(|thread| thread.set(*dst, result));
        }
        self.threads.iter_mut().for_each(Thread::pass);
        self.warps.iter_mut().for_each(|warp| warp.state = State::Ready);
    }
}
