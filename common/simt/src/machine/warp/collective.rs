//! Warp-level functions: shuffles, votes and `__syncwarp` (CUDA C++ Programming Guide, "Warp Shuffle Functions" and "Warp Vote
//! Functions").
//!
//! Lanes that a mask names have to execute the function together; a mask that names others is a fault, not a wait.

use crate::fault::FaultKind;
use crate::machine::event::{InstSite, LaneFault, LoadedWords, WordSource};
use crate::machine::mask::{first, lanes, lanes_where};
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{Lanes, WarpRegs, WarpRegsMut};
use crate::plan::{MaskSlot, Operand32, Shuffle};
use crate::watch::WatchedPath;
use simt_ir::ShuffleMode;

/// Whether a predicate is true in all members, or in any.
pub(crate) struct Vote {
    pub(crate) all: bool,
    pub(crate) dst: MaskSlot,
    pub(crate) predicate: MaskSlot,
    pub(crate) members: Operand32,
}

/// The lane whose value a lane gets, as the PTX instruction `shfl` computes it: what leaves the segment of `width` lanes, a power of two, keeps its
/// own value.
#[inline]
pub(crate) fn source_lane(mode: ShuffleMode, own: u32, step: u32, width: u32) -> u32 {
    let segment = own & !(width - 1);
    match mode {
        ShuffleMode::Index => segment | (step & (width - 1)),
        ShuffleMode::Up => own.checked_sub(step & 31).filter(|s| *s >= segment).unwrap_or(own),
        ShuffleMode::Down => Some(own + (step & 31)).filter(|s| *s < segment + width).unwrap_or(own),
        ShuffleMode::Xor => Some(own ^ (step & 31)).filter(|s| *s < segment + width).unwrap_or(own),
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// The lanes' member masks, each of which has to name its own lane and only active ones.
    fn members(&self, members: Operand32, active: u32) -> Result<Lanes<u32>, Box<LaneFault>> {
        let masks = self.warp.regs.lanes32(members);
        // The full mask means all threads there are, also in a last warp that is not full.
        let present = self.warp.threads;
        let wrong = lanes_where(active, |i| {
            let named = masks.0[i] & present;
            named & !active != 0 || named >> i & 1 == 0
        });
        if wrong != 0 {
            let members = masks.0[first(wrong)];
            return Err(LaneFault::of(FaultKind::WarpMembers { members, active }, wrong));
        }
        Ok(masks)
    }

    pub(crate) fn warp_barrier(
        &mut self,
        at: &InstSite,
        members: Operand32,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let masks = self.members(members, active)?;
        let present = self.warp.threads;
        // Lanes may name different groups, of which each synchronizes by itself.
        let mut rest = active;
        while rest != 0 {
            let members = masks.0[first(rest)] & present;
            self.observer.warp_sync(at, members, present);
            rest &= !lanes_where(rest, |lane| masks.0[lane] & present == members);
        }
        Ok(())
    }

    pub(crate) fn ballot(
        &mut self,
        dst: Operand32,
        predicate: MaskSlot,
        members: Operand32,
        active: u32,
    ) -> Result<(), Box<LaneFault>> {
        let members = self.members(members, active)?;
        let bits = self.warp.regs.m[predicate] & active;
        self.warp.regs.put32(dst, &Lanes(members.0.map(|m| bits & m)), active);
        Ok(())
    }

    pub(crate) fn vote(&mut self, vote: Vote, active: u32) -> Result<(), Box<LaneFault>> {
        let members = self.members(vote.members, active)?;
        let bits = self.warp.regs.m[vote.predicate] & active;
        let holds = |m: u32| if vote.all { bits & m == m & active } else { bits & m != 0 };
        let new = (0..32).fold(0u32, |n, i| n | u32::from(holds(members.0[i])) << i);
        self.warp.regs.put_mask(vote.dst, new, active);
        Ok(())
    }

    pub(crate) fn shuffle(&mut self, at: &InstSite, op: &Shuffle, active: u32) -> Result<(), Box<LaneFault>> {
        self.members(op.members, active)?;
        let regs = &self.warp.regs;
        let (lane, width) = (regs.lanes32(op.lane), regs.lanes32(op.width));
        let mut from = [0usize; 32];
        for i in lanes(active) {
            let width = width.0[i];
            if !matches!(width, 2 | 4 | 8 | 16 | 32) {
                return Err(LaneFault::of(FaultKind::ShuffleWidth { width }, 1 << i));
            }
            let source = source_lane(op.mode, i as u32, lane.0[i], width);
            if active >> source & 1 == 0 {
                return Err(LaneFault::of(FaultKind::InactiveShuffleLane { lane: source }, 1 << i));
            }
            from[i] = source as usize;
        }
        let values = regs.lanes(op.value);
        let mut taken = from.map(|lane| values.0[lane]);
        if self.observer.watches(WatchedPath::Shared) {
            let halves = [0, 32].map(|shift| {
                let bits = taken.map(|value| (value >> shift) as u32);
                let mut words =
                    LoadedWords { lanes: active, bits, unit: 16, source: WordSource::Lanes(from) };
                self.observer.give(self.machine, at, &mut words);
                words.bits.map(|bits| u64::from(bits) << shift)
            });
            taken = std::array::from_fn(|lane| halves[0][lane] | halves[1][lane]);
        }
        self.warp.regs.put(op.dst, &Lanes(taken), active);
        Ok(())
    }
}
