//! Which worker runs which blocks of a grid, and how far all of them have come.
//!
//! Each worker begins with a part of the grid of its own, the same neighbouring blocks in each launch, and takes blocks of the others
//! when it has no more: so it finds in its core's caches what it has touched before.

use source::hash::Map;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// What the workers of a launch tell each other.
pub(crate) struct GridProgress {
    /// By worker: the blocks that are its own.
    pub(crate) parts: Vec<BlockQueue>,
    /// Work of the chunks from the first on, as far as all of them are finished.
    pub(crate) spent: AtomicU64,
    finished: Mutex<FinishedChunks>,
    /// The lowest block that has faulted.
    pub(crate) first_fault: AtomicU32,
}

/// BlockQueue of a worker; alone in its lines of the host's caches.
#[repr(align(128))]
pub(crate) struct BlockQueue {
    /// The next to take.
    next: AtomicU64,
    end: u64,
}

/// Chunks that are finished.
#[derive(Default)]
struct FinishedChunks {
    /// The first block of the next one to add to [`GridProgress::spent`].
    next: u64,
    /// Those that come after it, by first block.
    waiting: Map<u64, FinishedBlocks>,
}

/// Adjacent blocks that are finished.
#[derive(Default)]
pub(crate) struct FinishedBlocks {
    pub(crate) blocks: Range<u64>,
    /// What they did of the budget's work.
    pub(crate) work: u64,
}

impl GridProgress {
    /// A grid of so many blocks, none of which has run, for so many workers.
    pub(crate) fn new(blocks: u64, workers: u64) -> GridProgress {
        GridProgress {
            parts: GridProgress::parts(blocks, workers),
            spent: AtomicU64::new(0),
            finished: Mutex::default(),
            first_fault: AtomicU32::new(u32::MAX),
        }
    }

    /// Equal parts of a grid, each of neighbouring blocks.
    fn parts(blocks: u64, workers: u64) -> Vec<BlockQueue> {
        let from = |worker| blocks * worker / workers;
        (0..workers).map(|worker| BlockQueue { next: from(worker).into(), end: from(worker + 1) }).collect()
    }

    /// The next blocks for a worker: of its own part, and when that is gone, of another's. Many, so that it stays in one part of
    /// memory, and ever fewer, so that workers end together.
    pub(crate) fn take(&self, worker: usize) -> Option<Range<u64>> {
        let (before, from) = self.parts.split_at(worker);
        from.iter().chain(before).find_map(|BlockQueue { next, end: last }| {
            let end = |start: u64| start + ((last - start) / 8).clamp(1, 64);
            let start = next.fetch_update(Relaxed, Relaxed, |start| (start < *last).then(|| end(start)));
            start.ok().map(|start| start..end(start))
        })
    }

    /// Notes finished chunks and their work.
    pub(crate) fn finish(&self, FinishedBlocks { blocks, work }: FinishedBlocks) {
        if blocks.is_empty() {
            return;
        }
        let mut finished = self.finished.lock().unwrap_or_else(|e| e.into_inner());
        let FinishedChunks { next, waiting } = &mut *finished;
        waiting.insert(blocks.start, FinishedBlocks { blocks, work });
        while let Some(chunk) = waiting.remove(next) {
            self.spent.fetch_add(chunk.work, Relaxed);
            *next = chunk.blocks.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_is_taken_once_whoever_asks() {
        for (blocks, workers) in [(1, 1), (2, 2), (7, 3), (1000, 4), (100_000, 16)] {
            for asks in [vec![0], vec![workers as usize - 1], (0..workers as usize).collect()] {
                let progress = GridProgress::new(blocks, workers);
                let mut taken = vec![0; blocks as usize];
                for worker in asks.iter().cycle() {
                    let Some(chunk) = progress.take(*worker) else { break };
                    assert!(chunk.start < chunk.end && chunk.end - chunk.start <= 64, "{chunk:?}");
                    chunk.for_each(|block| taken[block as usize] += 1);
                }
                assert!(taken.iter().all(|times| *times == 1), "{blocks} blocks, asked by {asks:?}");
            }
        }
    }

    #[test]
    fn a_worker_begins_with_its_own_part_and_goes_on_with_the_others() {
        let progress = GridProgress::new(9, 3);
        let taken: Vec<_> = std::iter::from_fn(|| progress.take(1)).flatten().collect();
        assert_eq!(taken, [3, 4, 5, 6, 7, 8, 0, 1, 2]);
    }

    #[test]
    fn instructions_are_added_up_in_block_order() {
        let progress = GridProgress::new(10, 2);
        progress.finish(FinishedBlocks { blocks: 5..10, work: 7 });
        assert_eq!(progress.spent.load(Relaxed), 0, "blocks 0 to 4 are not finished");
        progress.finish(FinishedBlocks { blocks: 0..3, work: 20 });
        assert_eq!(progress.spent.load(Relaxed), 20);
        progress.finish(FinishedBlocks { blocks: 3..5, work: 300 });
        assert_eq!(progress.spent.load(Relaxed), 327);
    }
}
