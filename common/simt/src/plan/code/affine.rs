//! Vectors that many values of a warp share but for a uniform part.

/// The vectors of a launch.
#[derive(Debug, Default)]
pub(crate) struct AffineVectors {
    /// By vector and thread of a block, whole warps; the first thread's is zero.
    lanes: Vec<Vec<u32>>,
}

/// The vector of a value that all lanes share.
pub(crate) const SAME: u32 = 0;

impl AffineVectors {
    /// Only [`SAME`], for blocks of so many threads, whole warps.
    pub(crate) fn new(threads: usize) -> AffineVectors {
        AffineVectors { lanes: vec![vec![0; threads]] }
    }

    /// Adds a vector, whose first thread has zero, and gives its number.
    pub(crate) fn push(&mut self, lanes: Vec<u32>) -> u32 {
        self.lanes.push(lanes);
        self.lanes.len() as u32 - 1
    }

    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Threads of a block, whole warps.
    pub(crate) fn threads(&self) -> usize {
        self.lanes[0].len()
    }

    /// The vector's values in one warp.
    pub(crate) fn warp(&self, vector: u32, warp: u32) -> [u32; 32] {
        let from = warp as usize * 32;
        std::array::from_fn(|lane| self.lanes[vector as usize][from + lane])
    }

    /// The vector's value in one thread of a block.
    pub(crate) fn at(&self, vector: u32, thread: usize) -> u32 {
        self.lanes[vector as usize][thread]
    }
}
