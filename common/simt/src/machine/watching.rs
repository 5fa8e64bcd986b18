//! What the blocks of a launch that is followed share: which blocks run, and what words threads get in it and in other runs.

use crate::plan::Pc;
use crate::watch::Watch;
use source::hash::{KeyedMap, KeyedSet, Mixer};
use std::hash::Hasher;
use std::sync::{Mutex, PoisonError};

/// Threads of the blocks that run, roughly.
const THREADS: u32 = 2048;

/// Words that the lanes of a warp get.
#[derive(Clone)]
pub(crate) struct LoggedWords {
    pub(crate) pc: Pc,
    pub(crate) bits: [u32; 32],
}

/// By block and warp: the words that it gets, in order.
pub(crate) type WordLog = KeyedMap<(u32, u32), Vec<LoggedWords>>;

/// The words of other runs of the same blocks.
#[derive(Default)]
pub(crate) struct WordLogs {
    /// As the launch is.
    pub(crate) plain: WordLog,
    /// With other values for a part of the elements.
    pub(crate) parts: Vec<WordLog>,
    /// With other values for all of them.
    pub(crate) all: WordLog,
}

/// One run of a launch that is followed.
pub(crate) struct Watching<'a> {
    pub(crate) watch: Watch,
    /// Set if threads are to get words of other runs.
    pub(crate) others: Option<&'a WordLogs>,
    blocks: KeyedSet<u32>,
    found: Mutex<(WordLog, u64)>,
}

impl<'a> Watching<'a> {
    /// A run of a launch with so many blocks and threads in each.
    pub(crate) fn new(
        watch: Watch,
        (blocks, threads): (u32, u32),
        others: Option<&'a WordLogs>,
    ) -> Watching<'a> {
        let several = (THREADS / threads.max(1)).clamp(2, 64);
        let chosen = |number: u32| {
            let mut hash = Mixer::default();
            hash.mix(watch.seed);
            hash.mix(u64::from(number) + 1);
            (((hash.finish() >> 32) * u64::from(blocks)) >> 32) as u32
        };
        let blocks =
            if blocks <= several { (0..blocks).collect() } else { (0..several).map(chosen).collect() };
        Watching { watch, others, blocks, found: Mutex::default() }
    }

    /// Whether a block runs.
    pub(crate) fn runs(&self, block: u32) -> bool {
        self.blocks.contains(&block)
    }

    /// Adds what was found in a block: what each of its warps got, and [`crate::Watched::most`].
    pub(crate) fn add(&self, block: u32, warps: Vec<Vec<LoggedWords>>, most: u64) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.0.extend((0..).zip(warps).map(|(warp, words)| ((block, warp), words)));
        found.1 = found.1.max(most);
    }

    /// All that was found.
    pub(crate) fn into_found(self) -> (WordLog, u64) {
        self.found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
