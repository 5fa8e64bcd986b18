//! Warps of a block that wait in loops, and parts of a warp: who has another turn when no warp can simply continue.
//!
//! In this order, which is the same on every host:
//!
//! 1. Parts of a warp that have all come to a warp function are joined.
//! 2. Warps that [spin](super::super::warp::spin) have another turn. If none of them gets anywhere, the block is *stalled*.
//! 3. Lanes that wait for spinning lanes of their own warp become a [part of their own](super::super::warp::split). In a block that
//!    other blocks may help this comes last, when they all have had their turn.

use crate::fault::FaultKind;
use crate::machine::block::state::{Block, LastWait};
use crate::machine::context::Machine;
use crate::machine::event::{LaneFault, WarpFault};
use crate::machine::warp::state::{Warp, WarpState};
use crate::plan::Plan;
use source::hash::Mixer;
use std::hash::Hasher;

/// Turns of warps that stay in the same loops, and whose registers change there, after which other blocks have theirs.
const TURNS: u32 = 8;

impl Block {
    /// Gives the spinning warps another turn; `false` if the last one has not changed anything for them.
    pub(crate) fn wake_spinning(&mut self) -> bool {
        let before = self.last_wait;
        let (places, values) = (self.places(), self.values());
        let turns = if places == before.places { before.turns + 1 } else { 0 };
        self.last_wait = LastWait { places, values, turns };
        if turns > 0 && (values == before.values || turns >= TURNS) {
            self.last_wait.turns = 0;
            return false;
        }
        self.wake();
        true
    }

    /// Gives the spinning warps another turn.
    pub(crate) fn wake(&mut self) {
        let spinning = self.warps.iter_mut().filter(|warp| warp.state == WarpState::Spinning);
        spinning.for_each(|warp| warp.state = WarpState::Ready);
    }

    /// A hash of where all warps are.
    pub(crate) fn places(&self) -> u64 {
        let mut hash = Mixer::default();
        self.warps.iter().for_each(|warp| warp.mix_place(&mut hash));
        hash.finish()
    }

    /// A hash of what the threads of all warps hold.
    fn values(&self) -> u64 {
        let mut hash = Mixer::default();
        self.warps.iter().for_each(|warp| warp.mix_values(&mut hash));
        hash.finish()
    }

    /// A hash of all that decides what the block does next, but for global memory.
    pub(crate) fn state(&self) -> u64 {
        let mut hash = Mixer::default();
        hash.mix(self.places());
        hash.mix(self.values());
        self.shared.iter().for_each(|word| hash.mix(u64::from(*word)));
        hash.mix(self.asyncs.arrivals);
        hash.finish()
    }

    /// Makes lanes that wait for spinning lanes of their warp a part of their own; whether there were any.
    pub(crate) fn split(&mut self) -> bool {
        let parts: Vec<Warp> = self.warps.iter_mut().filter(|w| is_splittable(w)).map(Warp::split).collect();
        let found = !parts.is_empty();
        self.warps.extend(parts);
        self.is_split |= found;
        self.find_apart();
        found
    }

    /// Makes each lane that has not returned a part of its own, in order.
    pub(crate) fn split_lanes(&mut self) {
        let warps = std::mem::take(&mut self.warps);
        self.warps = warps.iter().flat_map(Warp::lanes_apart).collect();
        self.is_split = true;
        self.find_apart();
    }

    /// Notes of each part which lanes the others have.
    fn find_apart(&mut self) {
        let mut alive = [0; 32];
        self.warps.iter().for_each(|warp| alive[warp.index as usize] |= warp.alive());
        // Parts of a warp have no lanes in common.
        self.warps.iter_mut().for_each(|warp| warp.apart = alive[warp.index as usize] & !warp.alive());
    }

    /// Joins parts that wait for each other at a warp function, if all have come; whether any warp can continue.
    ///
    /// # Errors
    /// If they cannot be joined.
    pub(crate) fn meet(&mut self, machine: &Machine) -> Result<bool, WarpFault> {
        self.find_apart();
        let mut changed = false;
        let mut number = 0;
        while number < self.warps.len() {
            let warp = &self.warps[number];
            if warp.state == WarpState::Meeting {
                if warp.awaited & warp.apart == 0 {
                    // The lanes that it waited for have returned.
                    self.warps[number].state = WarpState::Ready;
                    changed = true;
                } else if let Some(parts) = self.company(number) {
                    self.join(machine, &parts)?;
                    changed = true;
                }
            }
            number += 1;
        }
        Ok(changed)
    }

    /// The parts that wait at the same warp function as this one, in order, if these are all for which it waits there.
    fn company(&self, number: usize) -> Option<Vec<usize>> {
        let warp = &self.warps[number];
        let is_here = |n: &usize| {
            let other = &self.warps[*n];
            other.index == warp.index && other.state == WarpState::Meeting && other.pc == warp.pc
        };
        let parts: Vec<usize> = (0..self.warps.len()).filter(is_here).collect();
        let here = parts.iter().fold(0, |lanes, n| lanes | self.warps[*n].active);
        (warp.awaited & warp.apart & !here == 0).then_some(parts)
    }

    /// Joins parts of a warp, in the place of the first.
    fn join(&mut self, machine: &Machine, parts: &[usize]) -> Result<(), WarpFault> {
        let [lead, others @ ..] = parts else { return Ok(()) };
        for other in others.iter().rev() {
            if !self.warps[*lead].can_join(&self.warps[*other], machine.plan) {
                let Warp { index, pc, active, .. } = self.warps[*lead];
                let other = &self.warps[*other];
                let kind = FaultKind::LanesApart { other: other.thread(machine, other.active) };
                return Err(WarpFault { warp: index, pc, fault: LaneFault::of(kind, active) });
            }
            let other = self.warps.remove(*other);
            self.warps[*lead].join(&other);
        }
        self.warps[*lead].state = WarpState::Ready;
        self.find_apart();
        Ok(())
    }

    /// All warps have passed a barrier: joins the parts of each that are at the same place.
    pub(crate) fn rejoin(&mut self, plan: &Plan) {
        let mut number = 0;
        while number < self.warps.len() {
            let mut other = number + 1;
            while other < self.warps.len() {
                let (one, two) = (&self.warps[number], &self.warps[other]);
                if one.index == two.index && one.can_join(two, plan) {
                    let two = self.warps.remove(other);
                    self.warps[number].join(&two);
                } else {
                    other += 1;
                }
            }
            number += 1;
        }
        self.find_apart();
    }
}

/// Whether lanes of a warp wait for lanes of their own that spin.
fn is_splittable(warp: &Warp) -> bool {
    warp.state == WarpState::Spinning && warp.inactive() != 0
}
