//! What a launch says of data that take a certain path if it is asked to ([`crate::Options::watch`]): how much of it threads get that way,
//! and, where that is asked for, other values in its place, so that it shows in the results what depends on it.

/// A path that data take to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedPath {
    /// Shared memory: words that another thread of the block has written last.
    Shared,
    /// `__constant__` variables.
    Constant,
    /// Textures.
    Texture,
    /// Read-only loads of global memory (`__ldg`).
    ReadOnly,
}

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// The path.
    pub path: WatchedPath,
    /// A buffer, by a pointer to it: only words count whose bits it has somewhere before the launch. `None` for all words.
    pub from: Option<u64>,
    /// Whether such a word reaches its thread changed: multiplied by a number from 1.5 to 2.5 that depends on this seed and on where the word
    /// is. Words that are no normal floats, as indices, stay.
    pub change: Option<u64>,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// Pairs of a word and a thread that got it on the path; in shared memory again once it is written again.
    pub words: u64,
    /// Threads that stored to global memory.
    pub threads: u64,
    /// Words that they stored, each time.
    pub stored: u64,
}

impl Watched {
    /// Adds what was found elsewhere.
    pub(crate) fn add(&mut self, other: &Watched) {
        self.words += other.words;
        self.threads += other.threads;
        self.stored += other.stored;
    }
}
