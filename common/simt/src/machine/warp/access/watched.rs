//! Loads on a path that is watched: each word goes through the observer's hands.

use crate::machine::context::BufferView;
use crate::machine::event::{InstSite, LanePattern, LoadedWord, ResolvedAccess};
use crate::machine::mask::lanes;
use crate::machine::observer::Observer;
use crate::machine::warp::access::slow_path::load_elements;
use crate::machine::warp::executor::WarpExecutor;
use crate::plan::{Access, Load};
use crate::watch::WatchedPath;
use simt_ir::pointer::Space;
use simt_ir::{CacheOp, ElementType};

/// The path on which a load is.
fn path(space: Space, cache: CacheOp) -> Option<WatchedPath> {
    match space {
        Space::Shared => Some(WatchedPath::Shared),
        Space::Constant => Some(WatchedPath::Constant),
        Space::Global if cache == CacheOp::ReadOnly => Some(WatchedPath::ReadOnly),
        Space::Global | Space::Local | Space::None => None,
    }
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Executes a resolved load, if it is on the path that is watched; whether it was.
    pub(crate) fn load_watched(&mut self, at: &InstSite, load: &Load, access: &ResolvedAccess) -> bool {
        let Access { ty, cache, .. } = load.access;
        if !path(access.space, cache).is_some_and(|path| self.observer.watches(path)) {
            return false;
        }
        // Addresses are no numbers, and neither is a part of a word.
        let is_number = ty.bytes() >= 4 && ty != ElementType::Ptr;
        let allocation = access.allocation;
        let mut got = vec![[0; 32]; access.bytes.div_ceil(4) as usize];
        for lane in lanes(access.mask) {
            let first = access.offsets[lane] / 4;
            for (part, got) in (0..).zip(&mut got) {
                let word = first + part;
                let bits = self.read_watched(access, word as usize);
                let word = LoadedWord { lane, allocation, word: word.into(), bits, is_number };
                got[lane] = self.observer.give(self.machine, at, word);
            }
        }
        // What lanes get of one word may differ.
        let apart = ResolvedAccess { pattern: LanePattern::Irregular, ..access.clone() };
        let word_of = |lane: usize, word: usize| got[word - apart.offsets[lane] as usize / 4][lane];
        load_elements(&mut self.warp.regs, load, &apart, word_of);
        true
    }

    fn read_watched(&mut self, access: &ResolvedAccess, word: usize) -> u32 {
        match access.space {
            Space::Shared => self.shared[word],
            Space::Constant => self.machine.constant_words(access.allocation).map_or(0, |words| words[word]),
            Space::Global => match &self.machine.buffers[access.allocation as usize] {
                BufferView::ReadOnly { words, .. } => words[word],
                BufferView::Written(_) | BufferView::Freed => self.read_global(access.allocation, word),
            },
            Space::Local | Space::None => 0,
        }
    }
}
