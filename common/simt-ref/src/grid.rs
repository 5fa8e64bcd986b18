//! The blocks of a launch: which of them are resident, and whose turn it is.
//!
//! Blocks begin in order, each as soon as there is room for it, and run until they end or wait. In a pass all resident blocks
//! that are stalled have a turn, the last one first and in the next pass the first one first.

use crate::block::{Block, Pause};
use crate::fault::{Fault, FaultKind, Stop};
use crate::log::{Event, EventKind};
use crate::{Schedule, World};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The blocks of a launch that have begun and not ended.
#[derive(Default)]
struct Resident<'m> {
    /// In the order in which they began; whether each is stalled, and does not wait at a barrier of the grid.
    blocks: Vec<(Block<'m>, bool)>,
    /// Whether one has ended.
    has_ended: bool,
    /// Passes since one in which a block got anywhere, and the state after one of these.
    idle: u32,
    last_state: Option<u64>,
}

impl<'m> Resident<'m> {
    /// Runs a block until it ends or waits; whether it has got anywhere.
    fn run(&mut self, world: &mut World<'_, 'm>, mut block: Block<'m>) -> Result<bool, Stop> {
        let places = block.places();
        block.wake_all();
        match block.run(world)? {
            Pause::Ended => self.has_ended = true,
            Pause::Grid => self.blocks.push((block, false)),
            Pause::Stalled => {
                let moved = block.places() != places;
                self.blocks.push((block, true));
                return Ok(moved);
            }
        }
        Ok(true)
    }

    /// All wait at a barrier of the grid.
    fn release(&mut self, world: &mut World<'_, 'm>) -> Result<(), Stop> {
        let first = self.blocks.first().and_then(|(block, _)| Some((block, block.waits_at()?)));
        let Some((block, (thread, inst))) = first else { return Ok(()) };
        if self.has_ended {
            let (location, kind) = (inst.location, FaultKind::GridBarrierDivergence);
            let threads = vec![(thread as u32, kind)];
            return Err(Fault { location, block: block.index, threads }.into());
        }
        world.tell(|| Event { who: block.who(thread, inst), kind: EventKind::GridBarrier });
        for (block, stalled) in &mut self.blocks {
            block.release(world);
            *stalled = true;
        }
        Ok(())
    }

    /// No block has got anywhere in a pass: helps those that wait for lanes of their own warps, or finds that nothing can help, because
    /// the state comes back to what it was.
    fn help(&mut self, world: &mut World<'_, 'm>) -> Result<(), Stop> {
        if world.launch.independent_lanes && world.launch.schedule == Schedule::Lockstep {
            world.splits_early = true;
            let split = self.blocks.iter_mut().map(|(block, _)| block.split());
            if split.fold(false, |any, split| any | split) {
                return Ok(());
            }
        }
        self.idle += 1;
        let keeps = self.idle.is_power_of_two();
        if keeps || (self.idle - 1).is_power_of_two() {
            let state = self.state(world);
            if self.last_state == Some(state) {
                return Err(self.deadlock());
            }
            if keeps {
                self.last_state = Some(state);
            }
        }
        Ok(())
    }

    /// A hash of all that decides what happens next.
    fn state(&self, world: &World) -> u64 {
        let mut hash = DefaultHasher::new();
        self.blocks.iter().for_each(|(block, _)| block.state().hash(&mut hash));
        for buffer in world.memory.buffers.iter().flatten() {
            buffer.data.hash(&mut hash);
        }
        hash.finish()
    }

    fn deadlock(&self) -> Stop {
        let waits = |loops: bool| {
            self.blocks.iter().find_map(|(block, _)| Some((block.index, block.waits_in_loop(loops)?)))
        };
        match waits(true).or_else(|| waits(false)) {
            Some((block, (group, location))) => {
                Fault { location, block, threads: group.fail(&FaultKind::Deadlock) }.into()
            }
            None => Stop::OutOfSteps,
        }
    }
}

impl<'m> World<'_, 'm> {
    /// Runs all blocks.
    pub(crate) fn run_grid(&mut self, blocks: u32) -> Result<(), Stop> {
        let threads = self.launch.block.iter().map(|axis| u64::from(*axis)).product();
        let limit = if self.launch.cooperative { u64::MAX } else { self.launch.resident.max(1) };
        let mut resident = Resident::default();
        let (mut begun, mut descends) = (0, true);
        loop {
            let mut moved = false;
            let mut turns = std::mem::take(&mut resident.blocks);
            if descends {
                turns.reverse();
            }
            for (block, stalled) in turns {
                match stalled {
                    true => moved |= resident.run(self, block)?,
                    false => resident.blocks.push((block, false)),
                }
            }
            if descends {
                resident.blocks.reverse();
            }
            descends = !descends;
            while begun < blocks && (resident.blocks.len() as u64) < limit {
                self.spend(threads)?;
                let index = self.launch.schedule.pick(begun as usize, blocks as usize) as u32;
                resident.run(self, Block::new(self, index))?;
                (begun, moved) = (begun + 1, true);
            }
            if resident.blocks.is_empty() {
                return Ok(());
            }
            if begun == blocks && resident.blocks.iter().all(|(_, stalled)| !stalled) {
                resident.release(self)?;
                moved = true;
            }
            match moved {
                true => (resident.idle, resident.last_state) = (0, None),
                false => resident.help(self)?,
            }
        }
    }
}
