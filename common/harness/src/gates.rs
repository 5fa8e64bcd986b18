//! Gates that several labs ask for, and the launch arithmetic that goes with them.

use crate::{Gate, Measured};

/// Blocks of `block` threads that cover `len` elements along one axis.
pub fn blocks(len: usize, block: u32) -> u32 {
    len.div_ceil(block as usize) as u32
}

/// Warps of 32 that cover `len` elements.
pub fn warps(len: usize) -> f64 {
    len.div_ceil(32) as f64
}

/// Warps with an element, of blocks of `block` threads that cover `len` elements.
pub fn warps_in_blocks(len: usize, block: u32) -> f64 {
    let block = block as usize;
    (len / block * block.div_ceil(32) + (len % block).div_ceil(32)) as f64
}

/// Global loads touch at most `limit` sectors a request.
pub fn coalesced_loads(limit: f64, reference: f64) -> Gate {
    let asks = "global loads are coalesced: sectors per load request";
    Gate::at_most("coalesced_loads", asks, limit, reference, |m| m.counters.load_sectors_per_request())
        .unit("sectors/request")
        .hint("do neighbouring threads (threadIdx.x) read neighbouring elements?")
        .by_warp()
}

/// Global stores touch at most `limit` sectors a request.
pub fn coalesced_stores(limit: f64, reference: f64) -> Gate {
    let asks = "global stores are coalesced: sectors per store request";
    Gate::at_most("coalesced_stores", asks, limit, reference, |m| m.counters.store_sectors_per_request())
        .unit("sectors/request")
        .hint("do neighbouring threads (threadIdx.x) write neighbouring elements?")
        .by_warp()
}

/// Global load requests are at most `limit` times those of the baseline's solution.
pub fn loads_of_baseline(limit: f64, reference: f64, hint: &str) -> Gate {
    let asks = "global load requests, against those of the baseline";
    Gate::at_most("fewer_loads", asks, limit, reference, |m| {
        let baseline = m.baseline?.global_load_requests;
        (baseline > 0).then(|| m.counters.global_load_requests as f64 / baseline as f64)
    })
    .unit("of the baseline's")
    .hint(hint)
    .by_warp()
}

/// Shared memory is read at least once for each of the `warps` that `count` gives.
pub fn reads_shared(count: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static) -> Gate {
    let asks = "results come through shared memory: shared load requests for each warp of outputs";
    Gate::at_least("through_shared", asks, 1.0, 1.0, move |m| {
        Some(m.counters.shared_load_requests as f64 / count(m))
    })
    .unit("requests/warp")
    .hint("neighbours take their values from shared memory, not from global memory again")
}

/// No shared access takes more wavefronts than it needs.
pub fn no_bank_conflicts() -> Gate {
    let asks = "shared memory without bank conflicts: wavefronts beyond the fewest, loads and stores";
    Gate::at_most("no_bank_conflicts", asks, 0.0, 0.0, |m| {
        let c = m.counters;
        let any = c.shared_load_requests + c.shared_store_requests > 0;
        any.then_some((c.shared_load_bank_conflicts + c.shared_store_bank_conflicts) as f64)
    })
    .unit("wavefronts")
    .hint("in which banks (index % 32) are the floats that a warp reads together?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_warps_round_up() {
        assert_eq!(blocks(1, 256), 1);
        assert_eq!(blocks(256, 256), 1);
        assert_eq!(blocks(257, 256), 2);
        assert_eq!(warps(33), 2.0);
        assert_eq!(warps_in_blocks(1024, 256), 32.0);
        assert_eq!(warps_in_blocks(300, 100), 12.0);
        assert_eq!(warps_in_blocks(333, 100), 14.0);
        assert_eq!(warps_in_blocks(1, 256), 1.0);
    }
}
