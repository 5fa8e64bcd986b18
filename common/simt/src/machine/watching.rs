//! What the blocks of a launch that is watched share: which words count, and what was found.

use crate::watch::Watched;
use source::hash::KeyedSet;
use std::sync::{Mutex, PoisonError};

/// What is found in a launch.
pub(crate) struct Watching {
    /// The words that count; `None` for all.
    origin: Option<KeyedSet<u32>>,
    found: Mutex<Watched>,
}

impl Watching {
    /// Of a launch where only these words count.
    pub(crate) fn new(origin: Option<KeyedSet<u32>>) -> Watching {
        Watching { origin, found: Mutex::default() }
    }

    /// Whether a word counts.
    pub(crate) fn is_of_origin(&self, bits: u32) -> bool {
        self.origin.as_ref().is_none_or(|origin| origin.contains(&bits))
    }

    /// Adds what was found in a block.
    pub(crate) fn add(&self, found: &Watched) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).add(found);
    }

    /// All that was found.
    pub(crate) fn found(&self) -> Watched {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
