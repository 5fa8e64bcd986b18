//! What a launch did, in the profiler's terms.

use serde::{Deserialize, Serialize};

/// Counters of a launch or of one source line, defined as Nsight Compute defines them.
///
/// A *request* is one warp-level memory instruction, a *sector* is 32 bytes of memory that it touches, a *wavefront*
/// is one pass of shared memory, a *bank conflict* is a wavefront beyond the fewest that the access needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // Named as the profiler's metrics; units in the name or in the type's page.
pub struct Counters {
    pub warp_instructions: u64,
    /// Sum over warp instructions of active lanes.
    pub thread_instructions: u64,
    pub global_load_requests: u64,
    pub global_load_sectors: u64,
    pub global_store_requests: u64,
    pub global_store_sectors: u64,
    /// Bytes that the lanes of global loads asked for. The basis of [`Counters::coalesced_load_sectors`], and not a counter of reports.
    #[serde(skip)]
    pub global_load_bytes: u64,
    /// The same of global stores.
    #[serde(skip)]
    pub global_store_bytes: u64,
    /// Load sectors found in the modelled L1 cache (cold at each block's start).
    pub l1_load_sector_hits: u64,
    pub local_load_requests: u64,
    pub local_load_sectors: u64,
    pub local_store_requests: u64,
    pub local_store_sectors: u64,
    pub shared_load_requests: u64,
    pub shared_load_wavefronts: u64,
    pub shared_load_bank_conflicts: u64,
    pub shared_store_requests: u64,
    pub shared_store_wavefronts: u64,
    pub shared_store_bank_conflicts: u64,
    /// Most wavefronts that one 32-bit shared load took: n for an n-way conflict, 1 for none, 0 without loads.
    pub shared_load_max_degree: u64,
    /// The same for stores.
    pub shared_store_max_degree: u64,
    pub constant_requests: u64,
    /// Passes of constant memory: one for each distinct address of a request.
    pub constant_passes: u64,
    pub texture_requests: u64,
    pub texture_sectors: u64,
    /// Those of the global load requests that go through the read-only path (`__ldg`).
    pub readonly_load_requests: u64,
    /// Their sectors.
    pub readonly_load_sectors: u64,
    pub global_atomic_requests: u64,
    pub global_atomic_sectors: u64,
    pub shared_atomic_requests: u64,
    /// Passes that they take, as loads of the same words would.
    pub shared_atomic_wavefronts: u64,
    /// Thread-level single-precision fused multiply-adds (2 flops each).
    pub ffma: u64,
    pub fadd: u64,
    pub fmul: u64,
    /// Thread-level double-precision fused multiply-adds (2 flops each).
    pub dfma: u64,
    pub dadd: u64,
    pub dmul: u64,
    /// Operations of tensor cores: for each product of an m x k and a k x n matrix, 2 m n k.
    pub tensor_operations: u64,
    /// Thread-level calls of math functions, roots and divisions.
    pub special_functions: u64,
    /// Warp-level two-way branches.
    pub branches: u64,
    /// Those of them that split a warp.
    pub divergent_branches: u64,
    /// Shuffles, votes, matches and reductions among the lanes of a warp, and reads of its mask of active lanes: once per warp.
    pub warp_exchanges: u64,
    /// Warp-level barriers of the block.
    pub barriers: u64,
    /// Warp-level arrivals at barriers in shared memory (`cuda::barrier`).
    pub phase_arrivals: u64,
}

impl Counters {
    /// Floating-point operations that were executed: 2 for a fused multiply-add, 1 for the others.
    pub fn flops(&self) -> u64 {
        2 * (self.ffma + self.dfma) + self.fadd + self.fmul + self.dadd + self.dmul
    }

    /// Sectors per global load request; `None` without loads. 4 is a coalesced 32-bit access, 32 the worst.
    pub fn load_sectors_per_request(&self) -> Option<f64> {
        ratio(self.global_load_sectors, self.global_load_requests)
    }

    /// Sectors per global store request; `None` without stores.
    pub fn store_sectors_per_request(&self) -> Option<f64> {
        ratio(self.global_store_sectors, self.global_store_requests)
    }

    /// Sectors per global load request if the lanes of each request had loaded the same bytes from consecutive addresses: 4 for
    /// a warp of `float`, 16 for `float4`. `None` without loads.
    pub fn coalesced_load_sectors(&self) -> Option<f64> {
        ratio(self.global_load_bytes, SECTOR * self.global_load_requests)
    }

    /// The same of global stores.
    pub fn coalesced_store_sectors(&self) -> Option<f64> {
        ratio(self.global_store_bytes, SECTOR * self.global_store_requests)
    }

    /// Active lanes per warp instruction; `None` if nothing was executed.
    pub fn threads_per_instruction(&self) -> Option<f64> {
        ratio(self.thread_instructions, self.warp_instructions)
    }

    /// Adds another launch's or line's counters; degrees keep the larger.
    pub fn add(&mut self, other: &Counters) {
        macro_rules! sum {
            ($($field:ident)*) => { $(self.$field += other.$field;)* };
        }
        sum!(warp_instructions thread_instructions global_load_bytes global_store_bytes global_load_requests global_load_sectors global_store_requests
            global_store_sectors l1_load_sector_hits local_load_requests local_load_sectors local_store_requests
            local_store_sectors shared_load_requests shared_load_wavefronts shared_load_bank_conflicts
            shared_store_requests shared_store_wavefronts shared_store_bank_conflicts constant_requests
            constant_passes texture_requests texture_sectors readonly_load_requests readonly_load_sectors global_atomic_requests
            global_atomic_sectors shared_atomic_requests shared_atomic_wavefronts
            ffma fadd fmul dfma dadd dmul tensor_operations special_functions branches divergent_branches
            warp_exchanges barriers
            phase_arrivals);
        self.shared_load_max_degree = self.shared_load_max_degree.max(other.shared_load_max_degree);
        self.shared_store_max_degree = self.shared_store_max_degree.max(other.shared_store_max_degree);
    }
}

/// Bytes of a sector.
const SECTOR: u64 = 32;

fn ratio(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

/// Counters of one source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineCounters {
    /// The file's name.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// What its instructions did.
    pub counters: Counters,
}
