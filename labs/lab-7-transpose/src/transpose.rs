//! The six exercises: the same data moved in six ways.

use crate::shapes;
use harness::gates::{blocks, coalesced_loads, coalesced_stores, no_bank_conflicts, warps};
use harness::{
    Argument, Best, Case, Comparison, Context, Exercise, Expected, Extra, Failure, Gate, Parameter, Run,
    SeededSizes, Tuning,
};
use std::time::Duration;

/// The host reference: a matrix with rows of `width`, transposed.
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

/// An exercise of this lab.
pub(crate) struct Transpose {
    pub(crate) way: Way,
}

/// The exercises.
pub(crate) fn exercises() -> Vec<Box<dyn Exercise>> {
    [Way::Copy, Way::ReadRows, Way::ReadColumns, Way::Shared, Way::Padded, Way::Unrolled]
        .map(|way| -> Box<dyn Exercise> { Box::new(Transpose { way }) })
        .into()
}

/// The kernel at the card's limit, and what is chosen for a card.
pub(crate) fn best() -> Best {
    let constants: [(_, &[i64]); 2] = [("SIDE", &[32, 64]), ("THREADS", &[128, 256, 512, 1024])];
    Best {
        exercise: Box::new(Transpose { way: Way::Best }),
        tunings: vec![Tuning::new(case(4096, 4096), &constants)],
    }
}

/// Sectors for each request that count as coalesced: 4 with aligned rows, a little more with ragged ones.
const COALESCED: f64 = 4.5;

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

    /// Names of the constants that hold the block's shape; of `best`, the tile's side and the block's threads.
    fn block_names(&self) -> [&'static str; 2] {
        match self.way {
            Way::Copy | Way::ReadRows | Way::ReadColumns => ["BLOCK_X", "BLOCK_Y"],
            Way::Shared | Way::Padded | Way::Unrolled => ["TILE_X", "TILE_Y"],
            Way::Best => ["SIDE", "THREADS"],
        }
    }

    /// Launches the kernel and compares.
    pub(crate) fn launch(&self, cx: &mut Context<'_>, height: usize, width: usize) -> Result<(), Failure> {
        let [name_x, name_y] = self.block_names();
        let (x, y) = (cx.constant(name_x)?, cx.constant(name_y)?);
        // Rows and columns of `in` of a block, for `best`: a square, whatever its threads are.
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
        let input = cx.input("in", height * width);
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
                .candidate("the transposed matrix, where a plain copy is asked for", turned)
                .check()?;
        } else {
            let reference = harness::kept(&key("transposed"), 8 * input.len(), turned);
            Comparison::new("out", got, &reference)
                .shape(width, height)
                .tile(x, y)
                .candidate("the matrix as it was: nothing is transposed", input_as_it_is)
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
            Way::Unrolled => "Transpose of two tiles a block",
            Way::Best => "Transpose at the speed of a copy",
        }
    }

    fn summary(&self) -> &str {
        match self.way {
            Way::Copy => "A plain copy: what no transpose can beat.",
            Way::ReadRows => "Neighbouring threads read neighbours and write far apart.",
            Way::ReadColumns => "Neighbouring threads write neighbours and read far apart.",
            Way::Shared => "A rectangular tile is turned in shared memory: both sides are coalesced.",
            Way::Padded => "Unused columns in the tile spread its rows over the banks.",
            Way::Unrolled => "Each block moves two tiles: two loads under way in each thread.",
            Way::Best => {
                "Square tiles, loads and stores of a float4, all loads of a thread under way at once."
            }
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
        let sizes = [(1, 1), (3, 2), (1, 100), (75, 1), (16, 32), (64, 128), (33, 65), (100, 47), (17, 200)];
        let mut cases: Vec<_> = sizes.map(|(height, width)| case(height, width)).into();
        cases.push(Case { is_report: true, ..case(1024, 2048) });
        cases
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        Some(case(sizes.within(10..=250), sizes.within(10..=250)))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (height, width) = (case.size("height"), case.size("width"));
        self.launch(cx, height, width)?;
        Ok(Run::new().with("warps", warps(height * width)))
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
        let both = || vec![coalesced_loads(COALESCED, 4.0), coalesced_stores(COALESCED, 4.0)];
        match self.way {
            Way::Best => Vec::new(),
            Way::Copy | Way::Shared => both(),
            Way::ReadRows => vec![coalesced_loads(COALESCED, 4.0)],
            Way::ReadColumns => vec![coalesced_stores(COALESCED, 4.0)],
            Way::Padded => {
                let mut gates = both();
                gates.push(no_bank_conflicts());
                gates
            }
            Way::Unrolled => {
                let mut gates = both();
                gates.push(no_bank_conflicts());
                let asks = "one barrier serves two tiles: barriers for each warp of 32 elements";
                let barriers = Gate::at_most("half_the_barriers", asks, 0.5, 0.5, |m| {
                    Some(m.counters.barriers as f64 / m.run.values["warps"])
                });
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
