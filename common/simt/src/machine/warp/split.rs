//! Parts of a warp that continue by themselves: independent thread scheduling, as devices have it since Volta.
//!
//! Lanes run in lockstep as long as that does. Only if a warp spins, no other warp can help it, and lanes of its own wait for the loop to
//! end, those lanes are made a part of the warp of their own: a copy of the warp with a set of lanes that no other part has. Each
//! part follows the same control flow with its own masks, so nothing else has to know of parts but where lanes come together:
//!
//! * At a barrier of the block each part waits; after it, the parts of a warp are joined.
//! * At a warp function (a shuffle, a vote, `__syncwarp`) a part waits for the other parts that have lanes among its members, and is joined
//!   with them ([`WarpState::Meeting`]).
//!
//! Uniform registers have one value per part. Parts that differ in those that are still needed cannot be joined: see [`Warp::can_join`].
//!
//! Compare ElTantawy and Aamodt, MIMD Synchronization on SIMT Architectures, MICRO 2016, where the lanes that leave such a loop continue
//! while the others wait for them.

use crate::machine::context::Machine;
use crate::machine::mask::{first, lanes};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, WarpRegs, blend};
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::{FALSE, Op, Pc, Plan, TRUE, UniformSlot, collective};
use source::hash::Mixer;

impl Warp {
    /// Lanes that have not returned, and are in this part.
    pub(crate) fn alive(&self) -> u32 {
        match self.state {
            WarpState::Done => 0,
            WarpState::Ready
            | WarpState::Barrier
            | WarpState::Waiting
            | WarpState::Spinning
            | WarpState::Meeting => self.present & !self.exited,
        }
    }

    /// Lanes of this part that wait for the active ones.
    pub(crate) fn inactive(&self) -> u32 {
        self.alive() & !self.active
    }

    /// Where it waits, if it does: the end of a loop, or what it waits at.
    pub(crate) fn place(&self) -> Pc {
        if self.state == WarpState::Spinning { self.spins_at } else { self.pc }
    }

    /// `threadIdx` of the first of these lanes.
    pub(crate) fn thread(&self, machine: &Machine, lanes: u32) -> [u32; 3] {
        machine.thread(self.index * 32 + first(lanes) as u32)
    }

    /// Takes the lanes out that wait for those that spin: a part of their own, at the end of the loop.
    pub(crate) fn split(&mut self) -> Warp {
        let mut rest = self.clone();
        rest.keep_only(self.inactive() | self.exited);
        (rest.pc, rest.state) = (self.spins_at, WarpState::Ready);
        self.keep_only(self.active);
        rest
    }

    /// A part for each lane that has not returned; the warp as it is, if there is none.
    pub(crate) fn lanes_apart(&self) -> impl Iterator<Item = Warp> {
        let mut rest = self.alive();
        let mut is_first = true;
        std::iter::from_fn(move || {
            let lane = rest & rest.wrapping_neg();
            if lane == 0 && !is_first {
                return None;
            }
            is_first = false;
            rest &= !lane;
            let mut part = self.clone();
            // Lanes that have returned stay with the last one.
            let kept = if rest == 0 { self.exited } else { 0 };
            part.keep_only(lane | kept);
            Some(part)
        })
    }

    fn keep_only(&mut self, lanes: u32) {
        self.present &= lanes;
        self.active &= lanes;
        self.exited &= lanes;
        for slot in self.regs.m.numbers().filter(|slot| *slot != TRUE && *slot != FALSE) {
            self.regs.m[slot] &= lanes;
        }
        self.stack.keep_only(lanes);
    }

    /// Whether this part and another one of its warp are at the same place, called from the same places, and have the same in all uniform
    /// registers that are read from there on.
    pub(crate) fn can_join(&self, other: &Warp, plan: &Plan) -> bool {
        let is_same = |slot: &UniformSlot| self.regs.u[*slot] == other.regs.u[*slot];
        let frames = &self.stack.frames;
        let places = || frames.iter().map(|frame| frame.pc + 1).chain([self.pc]);
        self.pc == other.pc
            && self.state == other.state
            && self.regs.stack == other.regs.stack
            && self.stack.is_like(&other.stack)
            && self.regs.u.numbers().all(|slot| is_same(&slot) || !plan.is_live(slot, places()))
    }

    /// Takes the lanes of another part in.
    pub(crate) fn join(&mut self, other: &Warp) {
        let lanes = other.present;
        let pairs = self.regs.l32.iter_mut().zip(other.regs.l32.iter());
        pairs.for_each(|(own, new)| blend(own, new, lanes));
        let pairs = self.regs.l64.iter_mut().zip(other.regs.l64.iter());
        pairs.for_each(|(own, new)| blend(own, new, lanes));
        let pairs = self.regs.m.iter_mut().zip(other.regs.m.iter());
        pairs.for_each(|(own, new)| *own = *own & !lanes | new & lanes);
        (self.regs.m[TRUE], self.regs.m[FALSE]) = (u32::MAX, 0);
        let words = self.local.len().max(other.local.len());
        self.local.resize(words, Lanes([u32::MAX; 32]));
        self.local.iter_mut().zip(&other.local).for_each(|(own, new)| blend(own, new, lanes));
        self.stack.join(&other.stack, lanes);
        self.present |= other.present;
        self.active |= other.active;
        self.exited |= other.exited;
        self.clock = self.clock.max(other.clock);
        self.exit_pc = self.exit_pc.or(other.exit_pc);
        self.polls.iter_mut().zip(other.polls.iter()).for_each(|(own, other)| *own = (*own).max(*other));
    }

    /// Takes in where the warp is, and which lanes are where.
    pub(crate) fn mix_place(&self, hash: &mut Mixer) {
        hash.mix(u64::from(self.pc.0) << 32 | u64::from(self.state as u8));
        hash.mix(u64::from(self.active) << 32 | u64::from(self.exited));
        hash.mix(u64::from(self.spins_at.0) << 32 | u64::from(self.present));
    }

    /// Takes in what the warp's threads hold.
    pub(crate) fn mix_values(&self, hash: &mut Mixer) {
        let regs = &self.regs;
        let mut words = |lanes: &Lanes<u32>| {
            lanes
                .0
                .as_chunks::<2>()
                .0
                .iter()
                .for_each(|[a, b]| hash.mix(u64::from(*a) << 32 | u64::from(*b)));
        };
        regs.l32.iter().for_each(&mut words);
        self.local.iter().for_each(&mut words);
        regs.l64.iter().for_each(|lanes| lanes.0.iter().for_each(|value| hash.mix(*value)));
        regs.u.iter().for_each(|value| hash.mix(*value));
        regs.m.iter().for_each(|mask| hash.mix(u64::from(*mask)));
        self.stack.mix(hash);
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Whether the active lanes have to wait at an operation for lanes that are in another part of the warp.
    #[cold]
    pub(crate) fn meets(&mut self, op: Op, active: u32) -> bool {
        let members = match op {
            Op::Shuffle { shuffle } => Some(self.machine.plan.records[shuffle].members),
            Op::Ballot { members, .. } | Op::Vote { members, .. } | Op::WarpBarrier { members } => {
                Some(members)
            }
            Op::BarrierArrive { named: true, .. } => None,
            _ if matches!(op, collective!()) => None,
            _ => return false,
        };
        let named = match members {
            Some(members) => {
                let masks = self.warp.regs.lanes32(members);
                lanes(active).fold(0, |named, lane| named | masks.0[lane])
            }
            None => u32::MAX,
        };
        let meets = named & self.warp.apart != 0;
        if meets {
            self.warp.state = WarpState::Meeting;
            self.warp.awaited = named & self.warp.threads;
        }
        meets
    }
}
