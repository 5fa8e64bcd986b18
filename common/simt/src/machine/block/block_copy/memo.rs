//! The block memo: blocks that the checker and the counters have seen, for all blocks that are like them.
//!
//! What the checker says of a block that is nothing but a block copy is the same for all blocks of a launch, and so is what is counted,
//! except that the sectors and lines of a row depend on where in a line it begins. So of all blocks whose copy runs begin at the same
//! places in lines, a worker runs one the usual way, and adds what it counted as many times as there are such blocks.

use crate::counters::Counters;
use crate::machine::context::Machine;
use crate::machine::observer::Observer;
use crate::plan::Plan;

/// Copy runs of a block copy that has a memo, at most.
pub(crate) const MAX_RUNS: usize = 4;
/// Entries of a memo, at most; blocks that are like none of them run the usual way.
const MAX_ENTRIES: usize = 256;

/// By copy run, the bytes from the start of a line at which its loads and its stores of global memory begin; zeros without counters.
pub(crate) type Alignment = [[u8; 2]; MAX_RUNS];

/// The memo of one worker.
pub(crate) struct BlockMemo<O: Observer> {
    entries: Vec<MemoEntry<O>>,
    /// The block that runs to become an entry.
    candidate: Option<Candidate<O>>,
}

struct MemoEntry<O: Observer> {
    alignment: Alignment,
    /// What one of these blocks counted.
    counted: Option<O::Counted>,
    /// How many blocks there were, the first one included.
    blocks: u64,
}

struct Candidate<O: Observer> {
    alignment: Alignment,
    /// What was counted before it.
    before: Option<O::Counted>,
}

impl<O: Observer> Default for BlockMemo<O> {
    fn default() -> BlockMemo<O> {
        BlockMemo { entries: Vec::new(), candidate: None }
    }
}

impl<O: Observer> BlockMemo<O> {
    /// Whether the memo has a block like this one, which then need not be seen. If not, it becomes an entry, if there is room.
    #[inline(never)]
    pub(crate) fn lookup(&mut self, machine: &Machine, observer: &mut O, alignment: Alignment) -> bool {
        // Neighbours are like each other, so it is probably one of the latest.
        if let Some(entry) = self.entries.iter_mut().rev().find(|entry| entry.alignment == alignment) {
            entry.blocks += 1;
            return true;
        }
        if self.entries.len() < MAX_ENTRIES {
            self.candidate = Some(Candidate { alignment, before: observer.take_counted(machine) });
        }
        false
    }

    /// A block that was seen has ended without a fault.
    pub(crate) fn done(&mut self, observer: &mut O) {
        if let Some(Candidate { alignment, before }) = self.candidate.take() {
            let counted = observer.restore_counted(before);
            self.entries.push(MemoEntry { alignment, counted, blocks: 1 });
        }
    }

    /// How many blocks each entry stands for.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> Vec<u64> {
        self.entries.iter().map(|entry| entry.blocks).collect()
    }

    /// Adds what all blocks of the memo have counted to what others have, by instruction.
    pub(crate) fn add_to(self, counts: &mut [Counters], plan: &Plan) {
        for MemoEntry { counted, blocks, .. } in self.entries {
            let one = counted.map_or(Vec::new(), |counted| O::by_instruction(counted, plan));
            counts.iter_mut().zip(&one).for_each(|(all, one)| all.add_times(blocks, one));
        }
    }
}
