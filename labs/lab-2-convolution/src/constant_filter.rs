//! Convolutions whose filter is the constant array `FILTER`: the exercises of labs 3, 4 and 5.

use crate::problem::{self, Problem};
use harness::gates::blocks;
use harness::{
    Argument, Case, Context, Exercise, Expected, Extra, Failure, Gate, Lab, Parameter, Run, SeededSizes,
};
use std::time::Duration;

/// Elements of `FILTER`: the largest radius is 7.
const FILTER_LEN: usize = 15 * 15;

/// How threads of a block map to outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockShape {
    /// One thread per output, blocks of BLOCK_X x BLOCK_Y.
    Free,
    /// One thread per output, blocks of TILE x TILE.
    Outputs,
    /// Blocks of TILE × TILE threads that compute (TILE - 2·radius)² outputs.
    Inputs,
}

/// Function that computes an exercise's additions to its report.
pub type ExtraReport = fn(&ConstantFilter, &mut Context<'_>, &Case) -> Result<Vec<Extra>, Failure>;

/// An exercise with parameters `(in, out, height, width, radius)` and the filter in constant memory.
pub struct ConstantFilter {
    /// Name of the kernel file without `.cu`.
    pub name: &'static str,
    /// Title to show.
    pub title: &'static str,
    /// What the student has to write.
    pub summary: &'static str,
    /// The exercise's hints.
    pub hints: &'static str,
    /// The kernel.
    pub kernel: &'static str,
    /// How its threads map to outputs.
    pub shape: BlockShape,
    /// The gates. The run values `tile_rows` and `tile_columns` are the outputs per block.
    pub gates: fn() -> Vec<Gate>,
    /// Additions to the report.
    pub extra: ExtraReport,
}

impl ConstantFilter {
    /// Threads per block and outputs per block, each along x and y.
    fn block(&self, cx: &Context<'_>, radius: usize) -> Result<([u32; 2], [u32; 2]), Failure> {
        if self.shape == BlockShape::Free {
            let block = [cx.constant("BLOCK_X")?, cx.constant("BLOCK_Y")?];
            return Ok((block, block));
        }
        let tile = cx.constant("TILE")?;
        if self.shape == BlockShape::Outputs {
            return Ok(([tile, tile], [tile, tile]));
        }
        let halo = 2 * radius as u32;
        let outputs = tile.checked_sub(halo).filter(|o| *o > 0).ok_or_else(|| {
            Failure::Other(format!(
                "TILE is {tile}, but a tile of inputs must be larger than its halo, 2 * radius = {halo}"
            ))
        })?;
        Ok(([tile, tile], [outputs, outputs]))
    }

    /// Launches the kernel and compares the output with the host reference.
    ///
    /// # Errors
    /// The errors of [`Exercise::run`].
    pub fn launch(&self, cx: &mut Context<'_>, problem: &Problem) -> Result<(), Failure> {
        let (block, outputs) = self.block(cx, problem.radius)?;
        let image = cx.upload(&problem.image)?;
        let out = cx.alloc_output(problem.image.len())?;
        cx.set_constant("FILTER", &problem.filter)?;
        let arguments = [
            Argument::Buffer(image),
            Argument::Buffer(out),
            Argument::I32(problem.height as i32),
            Argument::I32(problem.width as i32),
            Argument::I32(problem.radius as i32),
        ];
        let grid = [blocks(problem.width, outputs[0]), blocks(problem.height, outputs[1]), 1];
        cx.launch(self.kernel, grid, [block[0], block[1], 1], 0, &arguments)?;
        let got = cx.download(out, problem.image.len())?;
        problem.check(&got, (outputs[1] as usize, outputs[0] as usize))
    }
}

impl Exercise for ConstantFilter {
    fn name(&self) -> &str {
        self.name
    }

    fn title(&self) -> &str {
        self.title
    }

    fn summary(&self) -> &str {
        self.summary
    }

    fn hints(&self) -> &'static str {
        self.hints
    }

    fn expects(&self) -> Expected {
        let parameters = [
            Parameter::input("in"),
            Parameter::output("out"),
            Parameter::int("height"),
            Parameter::int("width"),
            Parameter::int("radius"),
        ];
        let expected = Expected::kernel(self.kernel, parameters).symbol(
            "FILTER",
            "__constant__ float FILTER[15 * 15]",
            4 * FILTER_LEN as u64,
        );
        match self.shape {
            BlockShape::Free => expected
                .constant("BLOCK_X", 1..=1024, "threads of a block along a row")
                .constant("BLOCK_Y", 1..=1024, "threads of a block along a column"),
            BlockShape::Outputs => expected.constant("TILE", 1..=32, "rows and columns of a tile of outputs"),
            BlockShape::Inputs => expected.constant("TILE", 1..=32, "rows and columns of a tile of inputs"),
        }
    }

    /// The cases of every convolution, and one with a larger radius at which gates also apply.
    fn cases(&self) -> Vec<Case> {
        Case::before_report(problem::exercise_cases(), [problem::case(104, 168, 3).gated()])
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        Some(problem::case_of_seed(sizes))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let problem = Problem::new(case, cx.seed());
        self.launch(cx, &problem)?;
        let (_, [columns, rows]) = self.block(cx, problem.radius)?;
        Ok(Run::new().with("tile_rows", f64::from(rows)).with("tile_columns", f64::from(columns)))
    }

    fn flops(&self, case: &Case) -> f64 {
        problem::flops(case)
    }

    fn bytes(&self, case: &Case) -> f64 {
        problem::bytes(case)
    }

    fn baseline(&self) -> Option<&str> {
        Some("naive")
    }

    fn baseline_lab(&self) -> Option<Lab> {
        Some(crate::lab())
    }

    fn gates(&self) -> Vec<Gate> {
        (self.gates)()
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, _: &Run) -> Result<Vec<Extra>, Failure> {
        (self.extra)(self, cx, case)
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Some(problem::time_host(case, seed))
    }
}
