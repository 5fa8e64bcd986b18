//! Additions to the reports of `naive` and `tiled`: the bound of a kernel without reuse, and the effect of the tile's
//! size.

use crate::matmul::{Matmul, Sizes};
use harness::{Case, Context, Extra, Failure, Table, Tally, bar};

/// The bound of `naive`: each multiply-add loads 8 bytes for 2 flops, so without caches it reaches at most bandwidth
/// / 4.
pub(crate) fn bandwidth_bound(cx: &mut Context<'_>, case: &Case) -> Extra {
    let seconds = cx.tally().seconds();
    let kind = if cx.tally().measured.is_some() { "measured" } else { "modelled" };
    let bandwidth = cx.device().info().memory_bandwidth;
    let bound = bandwidth / 4.0 / 1e9;
    let reached = seconds.map_or(String::new(), |s| {
        let gflops = Sizes::of(case).flops() / s / 1e9;
        format!("; this kernel: {gflops:.0} GFLOPS {kind}; caches account for anything above the bound")
    });
    Extra::fact(
        "bound without reuse",
        format!("8 bytes for 2 flops: {:.0} GB/s / 4 = {bound:.0} GFLOPS{reached}", bandwidth / 1e9),
    )
}

/// Sizes of the product in the sweep.
const SWEEP: Sizes = Sizes { m: 128, n: 192, k: 128 };

/// Runs the kernel with tiles of 4, 8, 16 and 32, except those whose blocks are too large for the device.
pub(crate) fn tile_sizes(exercise: &Matmul, cx: &mut Context<'_>) -> Result<Table, Failure> {
    let sizes = SWEEP;
    let mut measured = Vec::new();
    for tile in [4i64, 8, 16, 32] {
        let run = cx.measure(&[("TILE", tile)], |cx| exercise.launch(cx, sizes));
        if let Some(((), tally)) = harness::unless_too_large(run)? {
            measured.push((tile, tally));
        }
    }
    let rate = |tally: &Tally| tally.seconds_at_scale().0.map(|s| sizes.flops() / s / 1e9);
    let kind = measured.first().map_or("", |(_, tally)| tally.seconds_at_scale().1);
    let largest = measured.iter().filter_map(|(_, tally)| rate(tally)).fold(0.0, f64::max);
    let rows = measured.iter().map(|(tile, tally)| {
        let gflops = rate(tally);
        let loads = tally.counters.map(|c| c.global_load_requests);
        vec![
            format!("{tile} x {tile}"),
            loads.map_or("-".into(), |l| l.to_string()),
            gflops.map_or("-".into(), |g| format!("{g:.0}")),
            gflops.map_or(String::new(), |g| bar(g, largest, 30)),
        ]
    });
    Ok(Table {
        title: format!("Tile sizes, {} x {} x {}", sizes.m, sizes.n, sizes.k),
        header: ["tile", "global load requests", "GFLOPS", ""].map(String::from).into(),
        rows: rows.collect(),
        notes: vec![format!("GFLOPS from times {kind}; a block of 4 x 4 threads fills half a warp")],
    })
}
