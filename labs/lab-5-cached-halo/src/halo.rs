//! Computes and measures the cost of reading the halo through the cache, by tile size.

use harness::{Case, Context, Extra, Failure, Table};
use lab_2::{ConstantFilter, Problem};

/// Rows and columns of the image in the sweep.
const SIDE: usize = 192;

/// Minimum sectors of the exercise with tiles of `tile` × `tile` outputs: the tile's own cells once, plus, for each
/// window cell and row of the tile, the cells beyond the tile. Rows of the image start at a sector boundary.
pub(crate) fn sectors(case: &Case, tile: usize) -> f64 {
    let [height, width, radius] = ["height", "width", "radius"].map(|name| case.size(name));
    let of = |from: usize, to: usize| if from < to { to.div_ceil(8) - from / 8 } else { 0 };
    let mut sum = 0;
    for left in (0..width).step_by(tile) {
        let right = (left + tile).min(width);
        for row in 0..height {
            sum += of(left, right);
            let top = row - row % tile;
            for read in row.saturating_sub(radius)..(row + radius + 1).min(height) {
                let in_tile = (top..top + tile).contains(&read);
                for shift in 0..=2 * radius {
                    let from = (left + shift).saturating_sub(radius);
                    let to = (right + shift).saturating_sub(radius).min(width);
                    sum += match in_tile {
                        false => of(from, to),
                        true => of(from, to.min(left)) + of(from.max(right), to),
                    };
                }
            }
        }
    }
    sum as f64
}

/// Lanes and L1 hits of this kernel, and a sweep over tile sizes.
pub(crate) fn report(
    exercise: &ConstantFilter,
    cx: &mut Context<'_>,
    _: &Case,
) -> Result<Vec<Extra>, Failure> {
    let mut extras = Vec::new();
    if let Some(counters) = &cx.tally().counters {
        let hits = counters.l1_load_sector_hits as f64 / counters.global_load_sectors.max(1) as f64;
        extras.push(Extra::fact("load sectors found in L1", format!("{:.1} %", 100.0 * hits)));
        if let Some(lanes) = counters.threads_per_instruction() {
            extras.push(Extra::fact("active lanes/instruction", format!("{lanes:.1} of 32")));
        }
    }
    extras.push(Extra::Table(sweep(exercise, cx)?));
    Ok(extras)
}

fn sweep(exercise: &ConstantFilter, cx: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    let mut kind = "";
    for tile in [8usize, 16, 32] {
        for radius in [1usize, 3] {
            let sizes = [("height", SIDE), ("width", SIDE), ("radius", radius)];
            let problem = Problem::new(&Case::new("sweep", &sizes), cx.seed());
            let run = cx.measure(&[("TILE", tile as i64)], |cx| exercise.launch(cx, &problem));
            let Some(((), tally)) = harness::unless_too_large(run)? else { continue };
            let (time, of) = tally.seconds_at_scale();
            kind = of;
            let seconds = time.map_or("-".into(), |s| format!("{:.2}", s * 1e6));
            let counted = tally.counters.map_or(["-".into(), "-".into()], |c| {
                let warps = (SIDE * SIDE / 32) as f64;
                [
                    format!("{:.2}", c.global_load_requests as f64 / warps),
                    format!("{:.2}", c.global_load_sectors as f64 / warps),
                ]
            });
            let [requests, sectors] = counted;
            rows.push(vec![tile.to_string(), radius.to_string(), requests, sectors, seconds]);
        }
    }
    Ok(Table {
        title: format!("Tile sizes, {SIDE} x {SIDE}; loads per warp of 32 outputs"),
        header: ["TILE", "radius", "load requests", "load sectors", "time, µs"].map(String::from).into(),
        rows,
        notes: vec![format!(
            "times are {kind}; one lane at the tile's edge is enough to make a request for its warp"
        )],
    })
}
