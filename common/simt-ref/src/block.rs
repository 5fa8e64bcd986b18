//! A block: whose turn it is, and the barriers of the block.

use crate::asynchronous::Phase;
use crate::fault::{Fault, FaultKind, Stop};
use crate::log::{Event, EventKind, Who};
use crate::memory::Bytes;
use crate::thread::Thread;
use crate::waits::{LastWait, Probe};
use crate::{Schedule, World};
use simt_ir::{BarrierReduce, Inst, InstKind, Node, ReduceMode, Special};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// Nodes after which a warp that does not wait lets the others continue, so that it may wait for what another one stores.
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
    /// The last time that all warps waited.
    pub(crate) last_wait: LastWait,
}

/// A warp, or the part of one whose lanes go in lockstep.
pub(crate) struct Warp<'m> {
    /// Its number in the block.
    pub(crate) number: usize,
    /// The lanes that are in this part, also those that have ended.
    pub(crate) lanes: u32,
    pub(crate) state: State<'m>,
    /// Nodes executed.
    pub(crate) clock: u64,
    /// The thread that continued alone last.
    pub(crate) last: Option<usize>,
    /// What its lanes held at the end of a round of a loop.
    pub(crate) probe: Option<Probe<'m>>,
    /// Whether it may have changed memory since.
    pub(crate) stored: bool,
}

/// What a warp waits for.
#[derive(Clone, Copy)]
pub(crate) enum State<'m> {
    /// Nothing.
    Ready,
    /// All other threads of the block, or of the grid, at that barrier.
    Barrier(&'m Inst),
    /// The end of a phase of a barrier in shared memory.
    Phase(&'m Inst),
    /// What another thread will write: those lanes go round in that loop.
    Spinning(u32, &'m Node),
    /// Those lanes of it, at a warp function: lanes of its own warp that are in another part.
    Meeting(u32, &'m Inst),
    /// Nothing any more.
    Ended,
}

/// Why a block stops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pause {
    /// All of its threads have ended.
    Ended,
    /// All of them wait at a barrier for the other blocks.
    Grid,
    /// All of them wait, some in loops.
    Stalled,
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
    /// Index of the warp, or part of one, in [`Block::warps`].
    pub(crate) part: usize,
    /// The number of the warp.
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

impl Warp<'_> {
    /// A warp, or a part of one, that can continue.
    pub(crate) fn part(number: usize, lanes: u32, clock: u64) -> Self {
        let (state, last, probe) = (State::Ready, None, None);
        Warp { number, lanes, state, clock, last, probe, stored: false }
    }
}

impl<'m> Block<'m> {
    /// A block at the start of the kernel.
    pub(crate) fn new(world: &World<'_, 'm>, index: u32) -> Block<'m> {
        let count = world.launch.block.iter().product::<u32>() as usize;
        let warp = |number: usize| {
            let left = count - number * LANES;
            let lanes = if left < LANES { (1 << left) - 1 } else { u32::MAX };
            Warp::part(number, lanes, 0)
        };
        Block {
            index,
            threads: (0..count).map(|_| Thread::new(world.kernel, world.launch.unwritten)).collect(),
            warps: (0..count.div_ceil(LANES)).map(warp).collect(),
            shared: Bytes::unwritten(world.shared_bytes, world.launch.unwritten),
            barriers: BTreeMap::new(),
            arrivals: 0,
            woken: 0,
            last_wait: LastWait::default(),
        }
    }

    /// The threads of a warp.
    pub(crate) fn of_warp(&self, number: usize) -> std::ops::Range<usize> {
        number * LANES..((number + 1) * LANES).min(self.threads.len())
    }

    /// The threads of a warp or part of one, by its index in [`Block::warps`].
    pub(crate) fn of_part(&self, part: usize) -> impl Iterator<Item = usize> + use<> {
        let Warp { number: warp, lanes, .. } = self.warps[part];
        Group { part, warp, lanes }.threads()
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
            let phases = any(|state| matches!(state, State::Phase(_)));
            let spins = any(|state| matches!(state, State::Spinning(..)));
            let meets = any(|state| matches!(state, State::Meeting(..)));
            if phases && self.wake() || meets && self.meet() {
                continue;
            }
            if spins || meets {
                if spins && self.wake_spinning() || world.splits_early && self.split() {
                    continue;
                }
                return Ok(Pause::Stalled);
            }
            let any = |holds: fn(&State) -> bool| self.warps.iter().any(|warp| holds(&warp.state));
            if phases {
                return Err(self.phase_without_end());
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

    /// Lets a warp continue until it waits or ends, or has had its turn.
    fn run_warp(&mut self, world: &mut World<'_, 'm>, warp: usize) -> Result<(), Stop> {
        self.warps[warp].probe = None;
        for _ in 0..SLICE {
            let Some(group) = self.group(world.launch.schedule, warp) else {
                self.warps[warp].state = State::Ended;
                return Ok(());
            };
            if let Some(state) = self.waits_for_lanes(group) {
                self.warps[warp].state = state;
                return Ok(());
            }
            let leader = &self.threads[group.first()];
            let node = leader.node();
            let Some(Node::Inst(inst)) = node else {
                self.step(world, group)?;
                self.check_condition(world, group);
                let rounds: Vec<_> = group.threads().map(|t| self.threads[t].control()).collect();
                if let Some(Some(round)) = rounds.first()
                    && self.spins(world, group, round)
                {
                    return Ok(());
                }
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
        self.warps[group.part].clock += 1;
        world.spend(group.lanes.count_ones().into())
    }

    /// The lanes that continue next; `None` if all have ended.
    fn group(&mut self, schedule: Schedule, part: usize) -> Option<Group> {
        if let Schedule::Threads { .. } = schedule {
            let warp = self.warps[part].number;
            let lanes = self.of_warp(warp);
            let in_turn = (0..lanes.len()).map(|number| lanes.start + schedule.pick(number, lanes.len()));
            let alone = |t: &usize| {
                let thread = &self.threads[*t];
                let waits = thread.awaits == Some(self.arrivals)
                    || matches!(thread.node(), Some(Node::Inst(inst)) if gathers(inst));
                !thread.has_ended() && !thread.spins && !waits
            };
            if let Some(thread) = self.warps[part].last.into_iter().chain(in_turn).find(alone) {
                self.warps[part].last = Some(thread);
                return Some(Group { part, warp, lanes: 1 << (thread % LANES) });
            }
            let spinning = |t: &usize| self.threads[*t].spins;
            return self.lowest(part, |t| !spinning(t)).or_else(|| self.lowest(part, spinning));
        }
        self.lowest(part, |_| true)
    }

    /// Of some lanes those with the lowest path.
    pub(crate) fn lowest(&self, part: usize, is_one: impl Fn(&usize) -> bool) -> Option<Group> {
        let mut lowest: Option<(usize, u32)> = None;
        for t in self.of_part(part).filter(|t| !self.threads[*t].has_ended()).filter(is_one) {
            let lane = 1 << (t % LANES);
            let order = lowest.map(|(first, _)| self.threads[t].compare_path(&self.threads[first]));
            match order {
                None | Some(Ordering::Less) => lowest = Some((t, lane)),
                Some(Ordering::Equal) => lowest = lowest.map(|(first, lanes)| (first, lanes | lane)),
                Some(Ordering::Greater) => {}
            }
        }
        lowest.map(|(_, lanes)| Group { part, warp: self.warps[part].number, lanes })
    }

    /// No warp can continue, and some wait for a phase: they try again if there were arrivals since they last did.
    fn wake(&mut self) -> bool {
        if self.arrivals == self.woken {
            return false;
        }
        self.woken = self.arrivals;
        for warp in &mut self.warps {
            if let State::Phase(_) = warp.state {
                warp.state = State::Ready;
            }
        }
        true
    }

    /// No warp can continue, and the first of those that wait for a phase does so for ever.
    fn phase_without_end(&self) -> Stop {
        let waits = self.warps.iter().enumerate().find_map(|(part, warp)| match warp.state {
            State::Phase(inst) => Some((inst.location, self.lowest(part, |_| true)?)),
            _ => None,
        });
        let Some((location, group)) = waits else { return Stop::OutOfSteps };
        Fault { location, block: self.index, threads: group.fail(&FaultKind::BarrierPhase) }.into()
    }

    /// Lanes have reached a barrier of the block or grid: all lanes of the warp must.
    pub(crate) fn arrive(&self, group: Group) -> Result<Next, Vec<(u32, FaultKind)>> {
        if group.lanes == self.warps[group.part].lanes {
            Ok(Next::Barrier)
        } else {
            Err(group.fail(&FaultKind::BarrierDivergence))
        }
    }

    /// No warp can continue alone: each has ended or waits at a barrier, which must be the same for all. Barriers of the grid
    /// are all alike. Gives whether it is one of these.
    fn check_barrier(&self) -> Result<bool, Stop> {
        let inst = |warp: &Warp<'m>| match warp.state {
            State::Barrier(inst) => Some(inst),
            State::Ready | State::Phase(_) | State::Spinning(..) | State::Meeting(..) | State::Ended => None,
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
        let threads = self.of_part(lead).map(|t| (t as u32, kind.clone())).collect();
        Err(Fault { location: here.location, block: self.index, threads }.into())
    }

    /// Where the block waits, if it does.
    pub(crate) fn waits_at(&self) -> Option<(usize, &'m Inst)> {
        self.warps.iter().enumerate().find_map(|(number, warp)| match warp.state {
            State::Barrier(inst) => Some((self.of_part(number).next()?, inst)),
            State::Ready | State::Phase(_) | State::Spinning(..) | State::Meeting(..) | State::Ended => None,
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
        self.rejoin();
    }
}
