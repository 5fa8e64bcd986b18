//! The six exercises: the same data moved in six ways.

use crate::shapes;
use harness::gates::{blocks, coalesced_loads, coalesced_stores, sectors, through_shared, warps};
use harness::{
    Argument, Best, Case, Comparison, Context, Exercise, Expected, Extra, Failure, Gate, Measured, Parameter,
    Quantity, Run, SeededSizes, Tuning,
};
use harness::{HandoverPath, Technique};
use std::time::Duration;

/// The host reference: transposes a matrix with rows of length `width`.
pub fn transposed<T: Copy>(matrix: &[T], width: usize) -> Vec<T> {
    let mut turned = Vec::with_capacity(matrix.len());
    for column in 0..width {
        turned.extend(matrix.iter().skip(column).step_by(width));
    }
    turned
}

/// How a kernel moves the data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Copy,
    ReadRows,
    ReadColumns,
    Shared,
    Padded,
    Unrolled,
    Best,
}

pub(crate) struct Transpose {
    pub(crate) way: Way,
}

pub(crate) fn exercises() -> Vec<Box<dyn Exercise>> {
    [Way::Copy, Way::ReadRows, Way::ReadColumns, Way::Shared, Way::Padded, Way::Unrolled]
        .map(|way| -> Box<dyn Exercise> { Box::new(Transpose { way }) })
        .into()
}

/// The best kernel, and the candidates for the constants that `tune` chooses for a card.
pub(crate) fn best() -> Best {
    let constants: [(_, &[i64]); 2] = [("SIDE", &[32, 64]), ("THREADS", &[128, 256, 512, 1024])];
    Best {
        exercise: Box::new(Transpose { way: Way::Best }),
        tunings: vec![Tuning::new(case(4096, 4096), &constants)],
    }
}

/// Accesses count as coalesced up to this multiple of the minimum sectors.
const COALESCED: f64 = 1.1;

/// The input, with some zeros and large and small numbers, so that an omitted store of a 0 or a conversion to another
/// type than `float` shows.
fn matrix(seed: u64, len: usize) -> Vec<f32> {
    let mut values = harness::input(seed, "in", len).to_vec();
    values.iter_mut().skip(3).step_by(11).for_each(|v| *v = 0.0);
    values.iter_mut().skip(5).step_by(17).for_each(|v| *v *= 1e30);
    values.iter_mut().skip(7).step_by(19).for_each(|v| *v *= 1e-30);
    values
}

fn elements(m: &Measured<'_>) -> usize {
    m.case.size("height") * m.case.size("width")
}

/// Number of elements of all tiles, including the parts beyond the matrix.
fn in_whole_tiles(m: &Measured<'_>) -> usize {
    let [rows, columns] = ["tile_rows", "tile_columns"].map(|name| m.run.values[name] as usize);
    m.case.size("height").next_multiple_of(rows) * m.case.size("width").next_multiple_of(columns)
}

fn no_bank_conflicts() -> Gate {
    Gate::at_most(
        "no_bank_conflicts",
        Quantity::SHARED_WAVEFRONTS,
        1.05,
        "store and load each element of the tiles once, with no bank conflicts",
        |m| 2.0 * warps(in_whole_tiles(m)),
    )
    .hint("in which banks (index % 32) are the floats that a warp reads or writes together in that line?")
}

fn case(height: usize, width: usize) -> Case {
    Case::new(format!("{height}x{width}"), &[("height", height), ("width", width)])
}

impl Transpose {
    fn kernel(&self) -> &'static str {
        match self.way {
            Way::Copy => "transpose_copy",
            Way::ReadRows => "transpose_naive_read_rows",
            Way::ReadColumns => "transpose_naive_read_columns",
            Way::Shared => "transpose_shared",
            Way::Padded => "transpose_padded",
            Way::Unrolled => "transpose_unrolled",
            Way::Best => "transpose_best",
        }
    }

    /// Names of the constants with the block's shape; for `best`, the tile's side and the threads per block.
    fn block_names(&self) -> [&'static str; 2] {
        match self.way {
            Way::Copy | Way::ReadRows | Way::ReadColumns => ["BLOCK_X", "BLOCK_Y"],
            Way::Shared | Way::Padded | Way::Unrolled => ["TILE_X", "TILE_Y"],
            Way::Best => ["SIDE", "THREADS"],
        }
    }

    /// The technique: shared memory transposes the elements. Elements on a tile's diagonal may stay with their
    /// thread.
    fn technique(&self) -> Technique {
        Technique {
            path: HandoverPath::Shared,
            elements: "elements that another thread put in shared memory",
            kernels: match self.way {
                Way::Shared => &["transpose_shared"],
                Way::Padded => &["transpose_padded"],
                _ => &["transpose_unrolled"],
            },
            from: &[Some(0)],
            output: (1, "out"),
            share: 80.0,
            at: Case::clone,
        }
    }

    /// Launches the kernel and compares the output with the host reference.
    pub(crate) fn launch(&self, cx: &mut Context<'_>, height: usize, width: usize) -> Result<(), Failure> {
        let [name_x, name_y] = self.block_names();
        let (x, y) = (cx.constant(name_x)?, cx.constant(name_y)?);
        // Rows and columns of `in` per block; for `best` a square, independent of its threads.
        let (tile, block) = match self.way {
            Way::Best => ([x, x], [y, 1, 1]),
            _ => ([x, y], [x, y, 1]),
        };
        let grid = match self.way {
            Way::Best => [blocks(width, x), blocks(height, x), 1],
            Way::Copy | Way::ReadRows | Way::Shared | Way::Padded => [blocks(width, x), blocks(height, y), 1],
            Way::ReadColumns => [blocks(height, x), blocks(width, y), 1],
            Way::Unrolled => [blocks(width, 2 * x), blocks(height, y), 1],
        };
        let input = matrix(cx.seed(), height * width);
        let device_in = cx.upload(&input)?;
        let device_out = cx.alloc_output(height * width)?;
        let arguments = [
            Argument::Buffer(device_in),
            Argument::Buffer(device_out),
            Argument::I32(height as i32),
            Argument::I32(width as i32),
        ];
        cx.launch(self.kernel(), grid, block, 0, &arguments)?;
        let got = cx.download(device_out, height * width)?;
        self.check(&got, &input, cx.seed(), (height, width), (tile[0] as usize, tile[1] as usize))
    }

    fn check(
        &self,
        got: &[f32],
        input: &[f32],
        seed: u64,
        (height, width): (usize, usize),
        (x, y): (usize, usize),
    ) -> Result<(), Failure> {
        let wide = |values: &[f32]| -> Vec<f64> { values.iter().map(|v| f64::from(*v)).collect() };
        let key = |what: &str| format!("{what} {seed} {height} {width}");
        let input_as_it_is = || wide(input);
        let turned = || wide(&transposed(input, width));
        if self.way == Way::Copy {
            let reference = harness::kept(&key("copied"), 8 * input.len(), input_as_it_is);
            Comparison::new("out", got, &reference)
                .shape(height, width)
                .tile(y, x)
                .candidate("the transposed matrix, where a plain copy is required", turned)
                .check()?;
        } else {
            let reference = harness::kept(&key("transposed"), 8 * input.len(), turned);
            Comparison::new("out", got, &reference)
                .shape(width, height)
                .tile(x, y)
                .candidate("the original matrix: nothing is transposed", input_as_it_is)
                .check()?;
        }
        Ok(())
    }
}

impl Exercise for Transpose {
    fn name(&self) -> &str {
        match self.way {
            Way::Copy => "copy",
            Way::ReadRows => "naive_read_rows",
            Way::ReadColumns => "naive_read_columns",
            Way::Shared => "shared",
            Way::Padded => "padded",
            Way::Unrolled => "unrolled",
            Way::Best => "best",
        }
    }

    fn title(&self) -> &str {
        match self.way {
            Way::Copy => "Copy, the bound",
            Way::ReadRows => "Transpose that reads rows",
            Way::ReadColumns => "Transpose that reads columns",
            Way::Shared => "Transpose through a shared tile",
            Way::Padded => "Transpose without bank conflicts",
            Way::Unrolled => "Transpose of two tiles per block",
            Way::Best => "Transpose at the speed of a copy",
        }
    }

    fn summary(&self) -> &str {
        match self.way {
            Way::Copy => "A plain copy: what no transpose can beat.",
            Way::ReadRows => "Adjacent threads read adjacent elements and write far apart.",
            Way::ReadColumns => "Adjacent threads write adjacent elements and read far apart.",
            Way::Shared => "A rectangular tile is turned in shared memory: both sides are coalesced.",
            Way::Padded => "Unused columns in the tile spread its rows over the banks.",
            Way::Unrolled => "Each block moves two tiles: two loads in flight in each thread.",
            Way::Best => "Square tiles, float4 loads and stores, all loads of a thread in flight at once.",
        }
    }

    fn hints(&self) -> &'static str {
        match self.way {
            Way::Copy => include_str!("../hints/copy.md"),
            Way::ReadRows => include_str!("../hints/naive_read_rows.md"),
            Way::ReadColumns => include_str!("../hints/naive_read_columns.md"),
            Way::Shared => include_str!("../hints/shared.md"),
            Way::Padded => include_str!("../hints/padded.md"),
            Way::Unrolled => include_str!("../hints/unrolled.md"),
            Way::Best => "",
        }
    }

    fn expects(&self) -> Expected {
        let parameters = [
            Parameter::input("in"),
            Parameter::output("out"),
            Parameter::int("height"),
            Parameter::int("width"),
        ];
        let [x, y] = self.block_names();
        let expected = Expected::kernel(self.kernel(), parameters);
        if self.way == Way::Best {
            return expected.constant(x, 1..=1024, "rows and columns of a tile").constant(
                y,
                1..=1024,
                "threads of a block",
            );
        }
        expected.constant(x, 1..=1024, "threads of a block along x").constant(
            y,
            1..=1024,
            "threads of a block along y",
        )
    }

    fn cases(&self) -> Vec<Case> {
        let sizes = [
            (1, 1),
            (3, 2),
            (1, 100),
            (75, 1),
            (16, 32),
            (64, 128),
            (33, 65),
            (63, 31),
            (100, 47),
            (17, 200),
        ];
        let mut cases: Vec<_> = sizes.map(|(height, width)| case(height, width)).into();
        cases.push(case(1024, 2048).reported());
        cases
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        // Rows of whole sectors, and sizes that are not multiples of a tile.
        let mut ragged = || 16 * sizes.within(14..=30) + 8;
        Some(case(ragged(), ragged()))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (height, width) = (case.size("height"), case.size("width"));
        self.launch(cx, height, width)?;
        let [x, y] = self.block_names();
        let (x, y) = (f64::from(cx.constant(x)?), f64::from(cx.constant(y)?));
        let columns = if self.way == Way::Unrolled { 2.0 * x } else { x };
        Ok(Run::new().with("tile_rows", y).with("tile_columns", columns))
    }

    fn flops(&self, _: &Case) -> f64 {
        0.0
    }

    fn bytes(&self, case: &Case) -> f64 {
        8.0 * (case.size("height") * case.size("width")) as f64
    }

    fn baseline(&self) -> Option<&str> {
        (!matches!(self.way, Way::Copy | Way::ReadRows)).then_some("naive_read_rows")
    }

    fn gates(&self) -> Vec<Gate> {
        let loads = || coalesced_loads(COALESCED, "load each element once", |m| sectors(elements(m)));
        let stores = || coalesced_stores(COALESCED, "store each element once", |m| sectors(elements(m)));
        let apart = "one sector per element";
        let shared = || {
            let through = through_shared(("read each element from shared memory", "1 per element"), |m| {
                warps(elements(m))
            });
            vec![loads(), stores(), through, self.technique().gate("technique")]
        };
        let once = |id, quantity| {
            Gate::at_most(id, quantity, COALESCED, apart, |m| elements(m) as f64)
                .hint("is each element moved once?")
        };
        match self.way {
            Way::Best => Vec::new(),
            Way::Copy => vec![loads(), stores()],
            Way::ReadRows => vec![loads(), once("stores_once", Quantity::STORE_SECTORS)],
            Way::ReadColumns => vec![stores(), once("loads_once", Quantity::LOAD_SECTORS)],
            Way::Shared => shared(),
            Way::Padded => {
                let mut gates = shared();
                gates.push(no_bank_conflicts());
                gates
            }
            Way::Unrolled => {
                let mut gates = shared();
                gates.push(no_bank_conflicts());
                let barriers = Gate::at_most(
                    "half_the_barriers",
                    Quantity::BARRIERS,
                    1.05,
                    "wait once per two tiles",
                    |m| warps(in_whole_tiles(m)) / 2.0,
                );
                gates.push(barriers.hint("load both tiles, wait once, store both"));
                gates
            }
        }
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, _: &Run) -> Result<Vec<Extra>, Failure> {
        match self.way {
            Way::Copy | Way::ReadRows | Way::ReadColumns | Way::Unrolled | Way::Best => Ok(Vec::new()),
            Way::Shared => Ok(shapes::conflicts_of_rectangle(cx)),
            Way::Padded => {
                let mut sweep = shapes::Sweep::new(self, cx, case);
                Ok(vec![
                    Extra::Table(shapes::paddings(&mut sweep, cx)?),
                    Extra::Table(shapes::block_shapes(&mut sweep, cx)?),
                ])
            }
        }
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        let (height, width) = (case.size("height"), case.size("width"));
        let input = harness::input(seed, "in", height * width);
        let mut out = vec![0.0f32; input.len()];
        let copies = self.way == Way::Copy;
        Some(harness::time_host(|| {
            for (y, row) in input.chunks(width).enumerate() {
                for (x, value) in row.iter().enumerate() {
                    let to = if copies { y * width + x } else { x * height + y };
                    out[to] = *value;
                }
            }
            out[input.len() / 2]
        }))
    }
}
