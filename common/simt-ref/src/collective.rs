//! Functions that look at other lanes of the warp: shuffles, votes and the warp's barrier.

use crate::World;
use crate::block::{Block, Group, LANES};
use crate::fault::FaultKind;
use crate::log::{Event, EventKind};
use simt_ir::{Inst, Operand, Reg, ShuffleMode, VoteMode};

type Failed = Vec<(u32, FaultKind)>;

impl<'m> Block<'m> {
    /// The members that each lane names, in the order of the group's threads. Each lane must be one of its own, and all that are
    /// threads of the block must be in the group: a mask may be longer than a last warp.
    fn members(&mut self, group: Group, members: Operand) -> Result<Vec<u32>, Failed> {
        let present = self.of_warp(group.warp).fold(0, |mask, t| mask | 1u32 << (t % LANES));
        let mut all = Vec::new();
        self.each(group, |block, t| {
            let (members, active) = (block.threads[t].get(members) as u32, group.lanes);
            all.push(members);
            let fits = members & present & !active == 0 && members >> (t % LANES) & 1 == 1;
            if fits { Ok(()) } else { Err(FaultKind::WarpMembers { members, active }) }
        })?;
        Ok(all)
    }

    pub(crate) fn warp_barrier(
        &mut self,
        world: &mut World<'_, 'm>,
        (group, inst): (Group, &'m Inst),
        members: Operand,
    ) -> Result<(), Failed> {
        let masks = self.members(group, members)?;
        for (n, (t, members)) in group.threads().zip(&masks).enumerate() {
            if !masks[..n].contains(members) {
                let kind = EventKind::WarpBarrier { members: members & group.lanes };
                world.tell(|| Event { who: self.who(t, inst), kind });
            }
        }
        Ok(())
    }

    pub(crate) fn vote(
        &mut self,
        group: Group,
        (dst, mode): (Reg, VoteMode),
        predicate: Operand,
        members: Operand,
    ) -> Result<(), Failed> {
        let masks = self.members(group, members)?;
        let holds = group.threads().filter(|t| self.threads[*t].get(predicate) != 0);
        let ballot = holds.fold(0, |mask, t| mask | 1u32 << (t % LANES));
        for (t, members) in group.threads().zip(masks) {
            let result = match mode {
                VoteMode::Ballot => ballot & members,
                VoteMode::Any => (ballot & members != 0).into(),
                VoteMode::All => (members & group.lanes & !ballot == 0).into(),
            };
            self.threads[t].set(dst, result.into());
        }
        Ok(())
    }

    pub(crate) fn shuffle(
        &mut self,
        group: Group,
        (dst, mode): (Reg, ShuffleMode),
        value: Operand,
        [lane, width, members]: [Operand; 3],
    ) -> Result<(), Failed> {
        self.members(group, members)?;
        let first = group.warp * LANES;
        let mut values = Vec::new();
        self.each(group, |block, t| {
            let thread = &block.threads[t];
            let (own, width) = ((t % LANES) as u32, thread.get(width) as u32);
            if !matches!(width, 2 | 4 | 8 | 16 | 32) {
                return Err(FaultKind::ShuffleWidth { width });
            }
            let source = source(mode, own, thread.get(lane) as u32, width);
            if group.lanes >> source & 1 == 0 {
                return Err(FaultKind::InactiveShuffleLane { lane: source });
            }
            values.push(block.threads[first + source as usize].value(value));
            Ok(())
        })?;
        for (t, value) in group.threads().zip(values) {
            self.threads[t].put(dst, value);
        }
        Ok(())
    }
}

/// The lane that a lane reads from. Of `lane` only the lowest 5 bits count, as in the PTX instruction.
fn source(mode: ShuffleMode, own: u32, lane: u32, width: u32) -> u32 {
    let (start, lane) = (own / width * width, lane % LANES as u32);
    let (wanted, fits) = match mode {
        ShuffleMode::Index => (start + lane % width, true),
        ShuffleMode::Up => (own.wrapping_sub(lane), own >= start + lane),
        ShuffleMode::Down => (own + lane, own + lane < start + width),
        // A segment below may be read, one above not.
        ShuffleMode::Xor => (own ^ lane, own ^ lane < start + width),
    };
    if fits { wanted } else { own }
}
