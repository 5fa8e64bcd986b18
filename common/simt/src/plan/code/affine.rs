//! Affine vectors: what many values of a warp have in common but for a uniform part.

use crate::index_vec::IndexVec;
use crate::plan::code::numbers::VectorId;

/// The vectors of a launch.
#[derive(Debug, Default)]
pub(crate) struct AffineVectors {
    /// By thread of a block, whole warps; the first thread's is zero.
    lanes: IndexVec<VectorId, Vec<u32>>,
    /// The least and the greatest element of each, as signed numbers.
    ranges: IndexVec<VectorId, [i64; 2]>,
}

impl AffineVectors {
    /// The vector of a uniform value: zero in each lane.
    pub(crate) const ZERO: VectorId = VectorId(0);

    /// With [`AffineVectors::ZERO`] alone, for blocks of so many threads, whole warps.
    pub(crate) fn new(threads: usize) -> AffineVectors {
        AffineVectors { lanes: vec![vec![0; threads]].into(), ranges: vec![[0; 2]].into() }
    }

    /// Adds a vector, whose first element is zero.
    pub(crate) fn push(&mut self, lanes: Vec<u32>) -> VectorId {
        let signed = || lanes.iter().map(|v| i64::from(*v as i32));
        self.ranges.push([signed().min().unwrap_or(0), signed().max().unwrap_or(0)]);
        self.lanes.push(lanes)
    }

    /// The least and the greatest element, as signed numbers.
    #[inline(always)]
    pub(crate) fn range(&self, vector: VectorId) -> [i64; 2] {
        self.ranges[vector]
    }

    pub(crate) fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Threads of a block, whole warps.
    pub(crate) fn threads(&self) -> usize {
        self.lanes[AffineVectors::ZERO].len()
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = VectorId> + use<> {
        self.lanes.numbers()
    }

    /// The elements in one warp.
    pub(crate) fn warp(&self, vector: VectorId, warp: u32) -> [u32; 32] {
        let from = warp as usize * 32;
        std::array::from_fn(|lane| self.lanes[vector][from + lane])
    }

    /// The element of one thread of a block.
    pub(crate) fn at(&self, vector: VectorId, thread: usize) -> u32 {
        self.lanes[vector][thread]
    }
}
