//! Loads in a launch whose elements are followed: each word goes through the observer's hands.

use crate::machine::context::BufferView;
use crate::machine::event::{InstSite, LanePattern, LoadedWords, ResolvedAccess, WordSource};
use crate::machine::mask::lanes;
use crate::machine::observer::Observer;
use crate::machine::warp::access::slow_path::load_elements;
use crate::machine::warp::executor::WarpExecutor;
use crate::plan::Load;
use crate::watch::WatchedPath;
use simt_ir::CacheOp;
use simt_ir::pointer::Space;

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
    /// Executes a resolved load, if it is on a path that is watched; whether it was.
    pub(crate) fn load_watched(&mut self, at: &InstSite, load: &Load, access: &ResolvedAccess) -> bool {
        let path = path(access.space, load.access.cache).filter(|path| self.observer.watches(*path));
        let Some(path) = path else { return false };
        let unit = if load.access.ty.bytes() == 1 { 8 } else { 16 };
        let got: Vec<[u32; 32]> = (0..access.bytes.div_ceil(4))
            .map(|part| {
                let places = access.offsets.map(|offset| offset / 4 + part);
                let mut bits = [0; 32];
                lanes(access.mask)
                    .for_each(|lane| bits[lane] = self.read_watched(access, places[lane] as usize));
                let source = match path {
                    WatchedPath::Shared => WordSource::Shared(places),
                    _ => WordSource::Path,
                };
                let mut words = LoadedWords { lanes: access.mask, bits, unit, source };
                self.observer.give(self.machine, at, &mut words);
                words.bits
            })
            .collect();
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
