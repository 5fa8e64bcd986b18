//! Counters of a launch, defined as Nsight Compute defines them.

use serde::{Deserialize, Serialize};

/// Counters of a launch or of one source line, defined as Nsight Compute defines them.
///
/// A *request* is one warp-level memory instruction. A *sector* is 32 bytes of memory that it touches. A *wavefront*
/// is one pass over shared memory. A *bank conflict* is a wavefront beyond the minimum that the access needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // The names are those of the profiler's metrics; the type's page explains the units.
pub struct Counters {
    pub warp_instructions: u64,
    /// Active lanes, summed over all warp instructions.
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
    /// Load sectors that hit the modelled L1 cache, which is empty when a block starts.
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
    /// Maximum number of wavefronts of one 32-bit shared load: n for an n-way conflict, 1 without conflicts, 0
    /// without loads.
    pub shared_load_max_degree: u64,
    /// Maximum number of wavefronts of one 32-bit shared store, counted in the same way.
    pub shared_store_max_degree: u64,
    pub constant_requests: u64,
    /// Passes over constant memory: one per distinct address of a request.
    pub constant_passes: u64,
    pub texture_requests: u64,
    pub texture_sectors: u64,
    /// Global load requests that go through the read-only path (`__ldg`). `global_load_requests` counts them, too.
    pub readonly_load_requests: u64,
    /// Sectors of the read-only load requests.
    pub readonly_load_sectors: u64,
    pub global_atomic_requests: u64,
    pub global_atomic_sectors: u64,
    pub shared_atomic_requests: u64,
    /// Wavefronts of shared atomics: as many as a load of the same words takes.
    pub shared_atomic_wavefronts: u64,
    /// Thread-level single-precision fused multiply-adds (2 flops each).
    pub ffma: u64,
    pub fadd: u64,
    pub fmul: u64,
    /// Thread-level double-precision fused multiply-adds (2 flops each).
    pub dfma: u64,
    pub dadd: u64,
    pub dmul: u64,
    /// Operations of tensor cores: 2 m n k for the product of an m × k and a k × n matrix.
    pub tensor_operations: u64,
    /// Thread-level calls of math functions, roots and divisions.
    pub special_functions: u64,
    /// Warp-level two-way branches.
    pub branches: u64,
    /// Branches that some active lanes of a warp took and others did not.
    pub divergent_branches: u64,
    /// Warp-level instructions that exchange data among lanes: shuffles, votes, matches, reductions, and reads of the
    /// mask of active lanes.
    pub warp_exchanges: u64,
    /// Block-wide barriers (`__syncthreads`), counted once per warp.
    pub barriers: u64,
    /// Warp-level arrivals at barriers in shared memory (`cuda::barrier`).
    pub phase_arrivals: u64,
}

impl Counters {
    /// Executed floating-point operations: a fused multiply-add counts 2, an addition or multiplication 1.
    pub fn flops(&self) -> u64 {
        2 * (self.ffma + self.dfma) + self.fadd + self.fmul + self.dadd + self.dmul
    }

    /// Sectors per global load request; `None` without loads. A coalesced 32-bit access takes 4, the worst access 32.
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

    /// What the launch did that a modelled time leaves out, in words; the modelled time is too short where there is any.
    pub fn not_modelled(&self) -> Vec<&'static str> {
        let all = [
            (
                self.global_atomic_requests + self.shared_atomic_requests,
                "waits of atomics for the same address",
            ),
            (self.tensor_operations, "operations of tensor cores"),
        ];
        all.into_iter().filter(|(count, _)| *count > 0).map(|(_, what)| what).collect()
    }

    /// Adds the counters of another launch or line. The two `max_degree` fields take the larger value instead.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounters {
    /// The file's name.
    pub file: String,
    /// 1-based line.
    pub line: u32,
    /// Counters of the instructions in this line.
    pub counters: Counters,
}
