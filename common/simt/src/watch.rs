//! What [`crate::Simulator::follow`] says of a launch: how much of the data that outputs are computed from comes to threads on a path.

/// A path that data take to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedPath {
    /// Elements in shared memory, which another thread of the block has written last.
    Shared,
    /// What is computed from several elements and comes from another thread of the block: in shared memory or by a shuffle.
    Sums,
    /// `__constant__` variables, which the thread reads itself.
    Constant,
    /// Textures, which the thread reads itself.
    Texture,
    /// Read-only loads of global memory (`__ldg`) by the thread itself.
    ReadOnly,
}

/// What is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// The path.
    pub path: WatchedPath,
    /// The number of the buffer of floats whose elements are followed; `None` for all `__constant__` variables.
    pub from: Option<u32>,
    /// Chooses the blocks that run and the other values of the elements.
    pub seed: u64,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// By number, each buffer that the launch computes from the elements.
    pub outputs: Vec<(u32, OutputChange)>,
    /// Of [`WatchedPath::Sums`]: the most that one thread takes from others one after the other, or that threads add to one word of shared
    /// memory.
    pub most: u64,
}

/// How an output buffer changes with the elements: with those that come on the path, and with all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutputChange {
    /// Sum of the squares of both changes: with the elements on the path, and from there to that with all elements.
    pub all: f64,
    /// Sum of the squares of the changes with the elements on the path.
    pub on_path: f64,
}
