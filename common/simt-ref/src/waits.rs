//! Forward progress: what happens when threads wait in loops for what others will write.
//!
//! A loop *polls* if it holds an atomic, an access that is not weak, or a call ([`simt_ir::polls`]). A warp *spins* at the end of a
//! round of such a loop if the round has left everything that its lanes hold as an earlier one did, and nothing was stored since:
//! that is looked at after 32, 64 … 512, 1024, 2048 … rounds and the eight rounds that follow. It also counts as
//! spinning after 16384 rounds. A warp that spins is set aside.
//!
//! If no warp of a block can continue, those that spin have another turn, in which two rounds tell. If that changes nothing, the block is
//! *stalled*, and the other blocks have theirs ([`crate::grid`]). If no block gets anywhere, the lanes that wait for spinning lanes
//! of their own warp become a *part* of the warp that continues by itself. Parts come together again at barriers of the block, and
//! at warp functions that name lanes of both.

use crate::block::{Block, Group, LANES, State, Warp};
use crate::{Schedule, World};
use simt_ir::{Inst, InstKind, Node, Operand};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The first round after which is looked whether the warp spins.
const FIRST_LOOK: u32 = 32;
/// Rounds that are compared with it.
const COMPARED: u32 = 8;
/// Rounds between two looks, at most.
const MAX_DISTANCE: u32 = 1024;
/// Rounds after which a warp is set aside in any case.
const LONG_SPIN: u32 = 1 << 14;
/// Turns of warps that stay in the same loops, and hold something else there, after which other blocks have theirs.
const TURNS: u32 = 8;

/// What lanes held at the end of a round of a loop.
pub(crate) struct Probe<'m> {
    lanes: u32,
    round: &'m Node,
    values: Vec<Vec<u64>>,
}

/// The last time that all warps of a block waited.
#[derive(Clone, Copy, Default)]
pub(crate) struct LastWait {
    places: u64,
    values: u64,
    turns: u32,
}

impl<'m> Block<'m> {
    /// Whether lanes that begin another round of a loop are set aside.
    pub(crate) fn spins(&mut self, world: &mut World<'_, 'm>, group: Group, round: &'m Node) -> bool {
        let rounds = self.threads[group.first()].polls();
        if rounds < FIRST_LOOK || rounds % FIRST_LOOK > COMPARED || !world.polls(round) {
            return false;
        }
        let values = || group.threads().map(|t| self.threads[t].values()).collect::<Vec<_>>();
        let warp = &self.warps[group.part];
        let spins = rounds >= LONG_SPIN;
        if !spins && (rounds.is_power_of_two() || rounds.is_multiple_of(MAX_DISTANCE)) {
            let probe = Probe { lanes: group.lanes, round, values: values() };
            let warp = &mut self.warps[group.part];
            (warp.probe, warp.stored) = (Some(probe), false);
            return false;
        }
        let is_same = |probe: &Probe| {
            probe.lanes == group.lanes && std::ptr::eq(probe.round, round) && probe.values == values()
        };
        if !spins && (warp.stored || !warp.probe.as_ref().is_some_and(is_same)) {
            return false;
        }
        group.threads().for_each(|t| self.threads[t].set_polls(FIRST_LOOK - 1));
        match world.launch.schedule {
            Schedule::Lockstep => self.warps[group.part].state = State::Spinning(group.lanes, round),
            // The other threads of the warp go on.
            Schedule::Threads { .. } => {
                self.threads[group.first()].spins = true;
                self.warps[group.part].last = None;
                return false;
            }
        }
        true
    }

    /// What lanes wait for that are about to execute something: those of another part of their warp, or of their own that spin.
    pub(crate) fn waits_for_lanes(&self, group: Group) -> Option<State<'m>> {
        let thread = &self.threads[group.first()];
        let spinning = self.of_part(group.part).filter(|t| self.threads[*t].spins);
        let spinning = spinning.fold(0, |lanes, t| lanes | 1u32 << (t % LANES));
        let awaited = spinning | self.apart(group.part);
        if awaited == 0 {
            return None;
        }
        let Some(Node::Inst(inst)) = thread.node() else {
            return self.spinning(group, thread.spins, spinning);
        };
        let named = match self.members_of(group, inst) {
            Some(named) => named & awaited,
            None if matches!(inst.kind, InstKind::Barrier { .. } | InstKind::GridBarrier) => spinning,
            None => 0,
        };
        match () {
            () if thread.spins || named & spinning != 0 => self.spinning(group, true, spinning),
            () if named != 0 => Some(State::Meeting(named, inst)),
            () => None,
        }
    }

    fn spinning(&self, group: Group, waits: bool, spinning: u32) -> Option<State<'m>> {
        let lanes = if self.threads[group.first()].spins { group.lanes } else { spinning };
        let first = Group { lanes, ..group }.first();
        waits.then(|| State::Spinning(lanes, self.threads[first].around().unwrap_or(&Node::Return)))
    }

    /// The lanes that a warp function names; `None` for another instruction.
    fn members_of(&self, group: Group, inst: &Inst) -> Option<u32> {
        let named = |members: Operand| {
            group.threads().fold(0, |named, t| named | self.threads[t].get(members) as u32)
        };
        match inst.kind {
            InstKind::Shuffle { members, .. }
            | InstKind::Vote { members, .. }
            | InstKind::WarpBarrier { members } => Some(named(members)),
            InstKind::Matrix { .. } | InstKind::LoadMatrix { .. } => Some(u32::MAX),
            _ => None,
        }
    }

    /// Lanes of a part that have not ended.
    fn alive(&self, part: usize) -> u32 {
        let alive = self.of_part(part).filter(|t| !self.threads[*t].has_ended());
        alive.fold(0, |lanes, t| lanes | 1 << (t % LANES))
    }

    /// Lanes of the same warp that are in another part, and have not ended.
    fn apart(&self, part: usize) -> u32 {
        let others = self.warps.iter().enumerate();
        let others = others.filter(|(n, other)| *n != part && other.number == self.warps[part].number);
        others.fold(0, |lanes, (n, _)| lanes | self.alive(n))
    }

    /// Gives the warps that spin another turn; whether the last one has changed anything.
    pub(crate) fn wake_spinning(&mut self) -> bool {
        let before = self.last_wait;
        let (places, values) = (self.places(), self.values());
        let turns = if places == before.places { before.turns + 1 } else { 0 };
        self.last_wait = LastWait { places, values, turns };
        if turns > 0 && (values == before.values || turns >= TURNS) {
            self.last_wait.turns = 0;
            return false;
        }
        self.wake_all();
        true
    }

    /// Gives the warps that spin another turn.
    pub(crate) fn wake_all(&mut self) {
        for warp in &mut self.warps {
            if let State::Spinning(..) = warp.state {
                warp.state = State::Ready;
            }
        }
        self.threads.iter_mut().for_each(|thread| thread.spins = false);
    }

    /// A hash of where the warps are.
    pub(crate) fn places(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        for (part, warp) in self.warps.iter().enumerate() {
            (warp.lanes, self.alive(part)).hash(&mut hash);
            match warp.state {
                State::Ready => 0.hash(&mut hash),
                State::Barrier(inst) => (1, std::ptr::from_ref(inst)).hash(&mut hash),
                State::Phase(inst) => (2, std::ptr::from_ref(inst)).hash(&mut hash),
                State::Spinning(lanes, node) => (3, lanes, std::ptr::from_ref(node)).hash(&mut hash),
                State::Meeting(lanes, inst) => (4, lanes, std::ptr::from_ref(inst)).hash(&mut hash),
                State::Ended => 5.hash(&mut hash),
            }
        }
        hash.finish()
    }

    /// A hash of what the threads hold.
    fn values(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        for thread in &self.threads {
            (thread.values(), &thread.local.data).hash(&mut hash);
        }
        hash.finish()
    }

    /// A hash of all that decides what the block does next, but for global memory.
    pub(crate) fn state(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        (self.places(), self.values(), &self.shared.data, self.arrivals).hash(&mut hash);
        hash.finish()
    }

    /// Makes lanes that wait for spinning lanes of their warp a part of their own; whether there were any.
    pub(crate) fn split(&mut self) -> bool {
        let mut parts = Vec::new();
        for part in 0..self.warps.len() {
            let State::Spinning(spinning, _) = self.warps[part].state else { continue };
            if self.alive(part) & !spinning == 0 {
                continue;
            }
            let warp = &mut self.warps[part];
            let rest = warp.lanes & !spinning;
            warp.lanes = spinning;
            parts.push(Warp::part(warp.number, rest, warp.clock));
        }
        let found = !parts.is_empty();
        self.warps.extend(parts);
        found
    }

    /// Joins parts that wait for each other at a warp function, if all have come; whether any warp can continue.
    pub(crate) fn meet(&mut self) -> bool {
        let mut changed = false;
        let mut part = 0;
        while part < self.warps.len() {
            if let State::Meeting(awaited, inst) = self.warps[part].state {
                let awaited = awaited & self.apart(part);
                let parts = self.parts_at(self.warps[part].number, inst);
                let here = parts.iter().fold(0, |lanes, (_, group)| lanes | group.lanes);
                if awaited & !here == 0 {
                    self.join(&parts);
                    changed = true;
                }
            }
            part += 1;
        }
        changed
    }

    /// The parts of a warp that wait at a warp function, with the lanes that do.
    fn parts_at(&self, number: usize, inst: &Inst) -> Vec<(usize, Group)> {
        let is_here = |part: &usize| {
            let warp = &self.warps[*part];
            warp.number == number && matches!(warp.state, State::Meeting(_, at) if std::ptr::eq(at, inst))
        };
        let parts = (0..self.warps.len()).filter(is_here);
        parts.filter_map(|part| Some((part, self.lowest(part, |_| true)?))).collect()
    }

    /// Joins parts of a warp in the place of the first. Their lanes are at the same node, and are in the same rounds from now on.
    fn join(&mut self, parts: &[(usize, Group)]) {
        let [(lead, first), others @ ..] = parts else { return };
        let leader = first.first();
        let lanes: Vec<usize> = parts.iter().flat_map(|(_, group)| group.threads()).collect();
        if lanes.iter().all(|t| self.threads[*t].is_beside(&self.threads[leader])) {
            let mut rounds = self.threads[leader].rounds();
            for t in &lanes {
                let of_lane = self.threads[*t].rounds();
                rounds.iter_mut().zip(of_lane).for_each(|(most, rounds)| *most = rounds.max(*most));
            }
            lanes.iter().for_each(|t| self.threads[*t].set_rounds(&rounds));
            for (part, _) in others.iter().rev() {
                let part = self.warps.remove(*part);
                self.warps[*lead].lanes |= part.lanes;
                self.warps[*lead].clock = self.warps[*lead].clock.max(part.clock);
            }
        }
        self.warps[*lead].state = State::Ready;
    }

    /// All warps have passed a barrier: joins the parts of each.
    pub(crate) fn rejoin(&mut self) {
        let count = self.threads.len().div_ceil(LANES);
        if self.warps.len() == count {
            return;
        }
        for number in 0..count {
            let of_warp = |part: &usize| self.warps[*part].number == number;
            let parts = (0..self.warps.len()).filter(of_warp);
            let parts: Vec<_> = parts.filter_map(|part| Some((part, self.lowest(part, |_| true)?))).collect();
            if parts.len() > 1 {
                self.join(&parts);
            }
        }
    }

    /// The first thread that waits in a loop, or otherwise at a warp function, and where.
    pub(crate) fn waits_in_loop(&self, loops: bool) -> Option<(Group, simt_ir::Location)> {
        self.warps.iter().enumerate().find_map(|(part, warp)| match warp.state {
            State::Spinning(lanes, Node::Loop { location, .. }) if loops => {
                Some((Group { part, warp: warp.number, lanes }, *location))
            }
            State::Meeting(_, inst) if !loops => Some((self.lowest(part, |_| true)?, inst.location)),
            State::Ready
            | State::Barrier(_)
            | State::Phase(_)
            | State::Spinning(..)
            | State::Meeting(..)
            | State::Ended => None,
        })
    }
}
