//! Sweeps over paddings of the 16 × 32 tile and over shapes of blocks.

use crate::transpose::Transpose;
use harness::{
    Argument, Case, Context, Counters, Extra, Failure, KernelFile, LaunchRequest, LaunchShape, Table, Tally,
    bar, gates::blocks,
};
use std::collections::BTreeMap;

/// Table cells: shared load wavefronts per request, and the maximum of any request.
fn conflict_cells(counters: Option<&Counters>) -> [String; 2] {
    counters.map_or(["-".into(), "-".into()], |c| {
        let average = c.shared_load_wavefronts as f64 / c.shared_load_requests.max(1) as f64;
        [format!("{average:.2}"), format!("{}-way", c.shared_load_max_degree)]
    })
}

/// One line about the cost of the unpadded tile.
pub(crate) fn conflicts_of_rectangle(cx: &Context<'_>) -> Vec<Extra> {
    let Some(counters) = &cx.tally().counters else { return Vec::new() };
    let [average, worst] = conflict_cells(Some(counters));
    vec![Extra::fact(
        "shared-load bank conflicts",
        format!(
            "{worst}: {average} wavefronts per request, {} in excess",
            counters.shared_load_bank_conflicts
        ),
    )]
}

/// Runs of the student's kernel with different tiles and paddings; each combination runs once.
pub(crate) struct Sweep<'a> {
    exercise: &'a Transpose,
    height: usize,
    width: usize,
    /// Results by `TILE_X`, `TILE_Y` and `PAD`.
    runs: BTreeMap<[i64; 3], Tally>,
}

impl Sweep<'_> {
    /// Starts a sweep at the size of `case`, whose own run is the first result.
    pub(crate) fn new<'a>(exercise: &'a Transpose, cx: &Context<'_>, case: &Case) -> Sweep<'a> {
        let own = NAMES.map(|name| cx.program().integer(name));
        let own = if let [Some(x), Some(y), Some(pad)] = own { Some([x, y, pad]) } else { None };
        let runs = own.map(|own| (own, cx.tally().clone())).into_iter().collect();
        Sweep { exercise, height: case.size("height"), width: case.size("width"), runs }
    }

    fn run(&mut self, cx: &mut Context<'_>, values: [i64; 3]) -> Result<Tally, Failure> {
        if let Some(tally) = self.runs.get(&values) {
            return Ok(tally.clone());
        }
        let defines: Vec<_> = NAMES.into_iter().zip(values).collect();
        let ((), tally) = cx.measure(&defines, |cx| self.exercise.launch(cx, self.height, self.width))?;
        self.runs.insert(values, tally.clone());
        Ok(tally)
    }
}

/// The constants that a sweep varies.
const NAMES: [&str; 3] = ["TILE_X", "TILE_Y", "PAD"];

/// Table of the student's kernel with 0, 1 and 2 padding columns.
pub(crate) fn paddings(sweep: &mut Sweep<'_>, cx: &mut Context<'_>) -> Result<Table, Failure> {
    let mut rows = Vec::new();
    let mut kind = "modelled";
    for pad in [0i64, 1, 2] {
        let tally = sweep.run(cx, [32, 16, pad])?;
        let [average, worst] = conflict_cells(tally.counters.as_ref());
        if tally.measured.is_some() {
            kind = "measured";
        }
        rows.push(vec![
            pad.to_string(),
            average,
            worst,
            tally.seconds().map_or("-".into(), |s| format!("{:.2}", s * 1e6)),
        ]);
    }
    Ok(Table {
        title: "Padding of the 16 x 32 tile: shared loads".into(),
        header: ["PAD", "wavefronts/request", "conflict", "time, µs"].map(String::from).into(),
        rows,
        notes: vec![
            format!("times are {kind}"),
            "a row of 32 + PAD floats puts element (r, c) into bank (r * PAD + c) % 32; a warp reads r = 0 to 15 of two \
             neighbouring c"
                .into(),
        ],
    })
}

/// A block shape of the sweep.
struct Shape {
    name: &'static str,
    tile_x: i64,
    tile_y: i64,
}

/// Shapes for the student's kernel, each with one padding column.
const SHAPES: [Shape; 4] = [
    Shape { name: "32 x 32", tile_x: 32, tile_y: 32 },
    Shape { name: "32 x 16", tile_x: 32, tile_y: 16 },
    Shape { name: "16 x 16", tile_x: 16, tile_y: 16 },
    Shape { name: "8 x 8", tile_x: 8, tile_y: 8 },
];

/// Table of the student's kernel with several block shapes, and of the lab's own kernel with four rows per thread.
pub(crate) fn block_shapes(sweep: &mut Sweep<'_>, cx: &mut Context<'_>) -> Result<Table, Failure> {
    let (height, width) = (sweep.height, sweep.width);
    let mut results = Vec::new();
    let mut kind = "modelled";
    for shape in SHAPES {
        let run = sweep.run(cx, [shape.tile_x, shape.tile_y, 1]);
        let Some(tally) = harness::unless_too_large(run)? else { continue };
        if tally.measured.is_some() {
            kind = "measured";
        }
        results.push((shape.name, tally.seconds(), tally.counters));
    }
    let (seconds, counters) = four_rows(cx, height, width)?;
    results.push(("32 x 8, four rows per thread", seconds, counters));
    let bytes = 8.0 * (height * width) as f64;
    let rate = |seconds: Option<f64>| seconds.map(|s| bytes / s / 1e9);
    let largest = results.iter().filter_map(|r| rate(r.1)).fold(0.0, f64::max);
    let rows = results.iter().map(|(name, seconds, counters)| {
        let [_, worst] = conflict_cells(counters.as_ref());
        let gbps = rate(*seconds);
        vec![
            (*name).to_owned(),
            worst,
            gbps.map_or("-".into(), |g| format!("{g:.0}")),
            gbps.map_or(String::new(), |g| bar(g, largest, 30)),
        ]
    });
    Ok(Table {
        title: "Block shapes, tiles with one unused column".into(),
        header: ["block", "conflict", "GB/s", ""].map(String::from).into(),
        rows: rows.collect(),
        notes: vec![format!("GB/s from {kind} times; the last row is a kernel that belongs to the lab")],
    })
}

/// Runs the lab's own kernel with four rows per thread; returns seconds and counters.
fn four_rows(
    cx: &mut Context<'_>,
    height: usize,
    width: usize,
) -> Result<(Option<f64>, Option<Counters>), Failure> {
    let file = KernelFile { name: "four_rows.cu".into(), text: include_str!("four_rows.cu").into() };
    let input = cx.input("in", height * width);
    let device_in = cx.upload(&input)?;
    let device_out = cx.alloc_output(height * width)?;
    let arguments = [
        Argument::Buffer(device_in),
        Argument::Buffer(device_out),
        Argument::I32(height as i32),
        Argument::I32(width as i32),
    ];
    let options = cx.options();
    let device = cx.device();
    let program = device.compile(&file, &Default::default())?;
    let grid = [blocks(width, 32), blocks(height, 32), 1];
    let shape = LaunchShape { grid, block: [32, 8, 1], dynamic_shared: 0 };
    let launch = LaunchRequest::new(program.id, "transpose_four_rows", shape, &arguments);
    let report = device.launch(&launch.with(options))?;
    let measured = report.measured.map(|t| t.seconds);
    Ok((measured.or(report.modelled.map(|t| t.seconds)), report.counters))
}
