//! `naive`: image and filter in global memory.

use crate::problem::{self, Problem};
use harness::gates::blocks;
use harness::{
    Argument, Case, Context, Exercise, Expected, Extra, Failure, Gate, Parameter, Run, SeededSizes,
};
use std::time::Duration;

pub(crate) struct Naive;

impl Exercise for Naive {
    fn name(&self) -> &str {
        "naive"
    }

    fn title(&self) -> &str {
        "2D convolution from global memory"
    }

    fn summary(&self) -> &str {
        "One thread per output; filter and image in global memory; cells outside the image count as 0."
    }

    fn hints(&self) -> &'static str {
        include_str!("../hints/naive.md")
    }

    fn expects(&self) -> Expected {
        let parameters = [
            Parameter::input("in"),
            Parameter::input("filter"),
            Parameter::output("out"),
            Parameter::int("height"),
            Parameter::int("width"),
            Parameter::int("radius"),
        ];
        Expected::kernel("conv2d_naive", parameters)
            .constant("BLOCK_X", 1..=1024, "threads of a block along a row")
            .constant("BLOCK_Y", 1..=1024, "threads of a block along a column")
    }

    fn cases(&self) -> Vec<Case> {
        problem::exercise_cases()
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        Some(problem::case_of_seed(sizes))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let problem = Problem::new(case, cx.seed());
        let (x, y) = (cx.constant("BLOCK_X")?, cx.constant("BLOCK_Y")?);
        let image = cx.upload(&problem.image)?;
        let filter = cx.upload(&problem.filter)?;
        let out = cx.alloc_output(problem.image.len())?;
        let arguments = [
            Argument::Buffer(image),
            Argument::Buffer(filter),
            Argument::Buffer(out),
            Argument::I32(problem.height as i32),
            Argument::I32(problem.width as i32),
            Argument::I32(problem.radius as i32),
        ];
        let grid = [blocks(problem.width, x), blocks(problem.height, y), 1];
        cx.launch("conv2d_naive", grid, [x, y, 1], 0, &arguments)?;
        let got = cx.download(out, problem.image.len())?;
        problem.check(&got, (y as usize, x as usize))?;
        Ok(Run::new())
    }

    fn flops(&self, case: &Case) -> f64 {
        problem::flops(case)
    }

    fn bytes(&self, case: &Case) -> f64 {
        problem::bytes(case)
    }

    fn gates(&self) -> Vec<Gate> {
        problem::global_gates()
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, _: &Run) -> Result<Vec<Extra>, Failure> {
        let Some(counters) = &cx.tally().counters else { return Ok(Vec::new()) };
        let outputs = (case.size("height") * case.size("width")) as f64;
        let hits = counters.l1_load_sector_hits as f64 / counters.global_load_sectors.max(1) as f64;
        Ok(vec![
            Extra::fact(
                "loads per warp of outputs",
                format!("{:.1}", counters.global_load_requests as f64 * 32.0 / outputs),
            ),
            Extra::fact("load sectors found in L1", format!("{:.1} %", 100.0 * hits)),
        ])
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Some(problem::time_host(case, seed))
    }
}
