//! BlockMemo: blocks that the checker and the counters have seen, for all those that are like them.
//!
//! What the checker says of a block that is a sweep is the same for all of its launch, and so is what is counted, but for one thing:
//! which sectors and lines a row of words is in depends on where in a line it begins. So of all blocks whose moves begin at the same
//! places in lines a worker runs one the usual way, and takes what it counted as many times as there are such blocks.

use crate::counters::Counters;
use crate::machine::context::Machine;
use crate::machine::observer::Observer;
use crate::plan::Plan;

/// Moves of a sweep, at most.
pub(crate) const MAX_RUNS: usize = 4;
/// BlockMemo of a worker, at most; blocks that are like none of them go the usual way.
const MOST: usize = 256;

/// By move, the bytes from the start of a line at which its loads and its stores of global memory begin; zeros where nobody counts.
pub(crate) type Alignment = [[u8; 2]; MAX_RUNS];

/// The samples of one worker.
pub(crate) struct BlockMemo<O: Observer> {
    known: Vec<MemoEntry<O>>,
    /// Of what a sample is being taken, and what was counted before.
    taken: Option<(Alignment, Option<O::Counted>)>,
}

struct MemoEntry<O: Observer> {
    alignment: Alignment,
    counted: Option<O::Counted>,
    /// Blocks like it, itself included.
    times: u64,
}

impl<O: Observer> Default for BlockMemo<O> {
    fn default() -> BlockMemo<O> {
        BlockMemo { known: Vec::new(), taken: None }
    }
}

impl<O: Observer> BlockMemo<O> {
    /// Whether nobody needs to see a block, because one like it was seen. If not, it becomes the sample, if there may be another.
    #[inline(never)]
    pub(crate) fn lookup(&mut self, machine: &Machine, observer: &mut O, alignment: Alignment) -> bool {
        // Neighbours are like each other, so it is probably one of the latest.
        if let Some(sample) = self.known.iter_mut().rev().find(|sample| sample.alignment == alignment) {
            sample.times += 1;
            return true;
        }
        if self.known.len() < MOST {
            self.taken = Some((alignment, observer.take_counted(machine)));
        }
        false
    }

    /// The block has ended, and nothing was to be said of it.
    pub(crate) fn done(&mut self, observer: &mut O) {
        if let Some((alignment, before)) = self.taken.take() {
            let counted = observer.restore_counted(before);
            self.known.push(MemoEntry { alignment, counted, times: 1 });
        }
    }

    /// How many blocks each stands for.
    #[cfg(test)]
    pub(crate) fn times(&self) -> Vec<u64> {
        self.known.iter().map(|sample| sample.times).collect()
    }

    /// Adds what was counted by all blocks that are like a sample, and by the samples, to what others have, all by instruction.
    pub(crate) fn add_to(self, counts: &mut [Counters], plan: &Plan) {
        for MemoEntry { counted, times, .. } in self.known {
            let sample = counted.map_or(Vec::new(), |counted| O::by_instruction(counted, plan));
            counts.iter_mut().zip(&sample).for_each(|(all, sample)| all.add_times(times, sample));
        }
    }
}
