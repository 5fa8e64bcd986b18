//! The arithmetic of tiles: idle threads and overlap, for several tile sizes and radii.

use harness::{Case, Context, Extra, Failure, Table};
use lab_2::{BlockShape, ConstantFilter, Problem};

/// Rows and columns of the image in the sweep.
const SIDE: usize = 192;

/// The share of a block's threads that only load; 0 if the block is as large as its outputs.
pub fn idle_share(shape: BlockShape, tile: usize, radius: usize) -> f64 {
    match shape {
        BlockShape::Inputs => 1.0 - squared(tile - 2 * radius) / squared(tile),
        BlockShape::Outputs | BlockShape::Free => 0.0,
    }
}

/// Cells that a block loads per output, away from the image's edges; 1 is ideal.
pub fn loads_per_output(shape: BlockShape, tile: usize, radius: usize) -> f64 {
    match shape {
        BlockShape::Inputs => squared(tile) / squared(tile - 2 * radius),
        BlockShape::Outputs => squared(tile + 2 * radius) / squared(tile),
        BlockShape::Free => squared(2 * radius + 1),
    }
}

fn squared(n: usize) -> f64 {
    (n * n) as f64
}

/// Idle threads and overlap of this kernel, and a sweep over tile sizes and radii.
pub(crate) fn report(
    exercise: &ConstantFilter,
    cx: &mut Context<'_>,
    case: &Case,
) -> Result<Vec<Extra>, Failure> {
    let (tile, radius) = (cx.constant("TILE")? as usize, case.size("radius"));
    let idle = idle_share(exercise.shape, tile, radius);
    let overlap = loads_per_output(exercise.shape, tile, radius);
    Ok(vec![
        Extra::fact(
            "threads that only load",
            format!("{:.1} % (TILE {tile}, radius {radius})", 100.0 * idle),
        ),
        Extra::fact("tile overlap", format!("{overlap:.3} loads per output (ideal 1)")),
        Extra::Table(sweep(exercise, cx)?),
    ])
}

fn sweep(exercise: &ConstantFilter, cx: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    let mut kind = "";
    for tile in [8usize, 16, 32] {
        for radius in [1usize, 2, 3] {
            let sizes = [("height", SIDE), ("width", SIDE), ("radius", radius)];
            let problem = Problem::new(&Case::new("sweep", &sizes), cx.seed());
            let run = cx.measure(&[("TILE", tile as i64)], |cx| exercise.launch(cx, &problem));
            let Some(((), tally)) = harness::unless_too_large(run)? else { continue };
            let (time, of) = tally.seconds_at_scale();
            kind = of;
            let sectors = tally.counters.map(|c| c.global_load_sectors as f64 / (squared(SIDE) / 8.0));
            rows.push(vec![
                tile.to_string(),
                radius.to_string(),
                format!("{:.1} %", 100.0 * idle_share(exercise.shape, tile, radius)),
                format!("{:.2}", loads_per_output(exercise.shape, tile, radius)),
                sectors.map_or("-".into(), |s| format!("{s:.2}")),
                time.map_or("-".into(), |s| format!("{:.2}", s * 1e6)),
            ]);
        }
    }
    Ok(Table {
        title: format!("Tile sizes and radii, {SIDE} x {SIDE}"),
        header: ["TILE", "radius", "idle threads", "loads/output", "load sectors (ideal 1)", "time, µs"]
            .map(String::from)
            .into(),
        rows,
        notes: vec![format!("times are {kind}; loads per output are those of a block inside the image")],
    })
}
