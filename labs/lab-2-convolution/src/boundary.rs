//! `boundary`: a parameter selects the values outside the image.

use crate::problem::{self, Ghost, Problem};
use harness::gates::blocks;
use harness::{Argument, Case, Context, Exercise, Expected, Failure, Gate, Parameter, Run, SeededSizes};
use std::time::Duration;

/// Values outside the image in the constant mode, used alternately; not 0, so that a forgotten one shows.
const GHOSTS: [f32; 2] = [0.625, -0.375];

/// The modes: the kernel's argument `mode` (`MODE_CONSTANT`, `MODE_CLAMP`) and its name in case labels.
const MODES: [(usize, &str); 2] = [(0, "ghost"), (1, "clamp")];

/// The case in one of the modes; `None` for the report case except in the clamping mode.
fn in_mode(case: &Case, (mode, name): &(usize, &str)) -> Option<Case> {
    let mut sizes: Vec<_> = case.sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    sizes.push(("mode", *mode));
    let label = format!("{}_{name}", case.label);
    match (case.is_report, *mode) {
        (false, _) => Some(Case::new(label, &sizes)),
        (true, 1) => Some(Case::report(label, &sizes)),
        (true, _) => None,
    }
}

pub(crate) struct Boundary;

impl Exercise for Boundary {
    fn name(&self) -> &str {
        "boundary"
    }

    fn title(&self) -> &str {
        "Boundaries"
    }

    fn summary(&self) -> &str {
        "Cells outside the image have a given value or that of the nearest cell: the caller chooses."
    }

    fn hints(&self) -> &'static str {
        include_str!("../hints/boundary.md")
    }

    fn expects(&self) -> Expected {
        let parameters = [
            Parameter::input("in"),
            Parameter::input("filter"),
            Parameter::output("out"),
            Parameter::int("height"),
            Parameter::int("width"),
            Parameter::int("radius"),
            Parameter::int("mode"),
            Parameter::float("ghost"),
        ];
        Expected::kernel("conv2d_boundary", parameters)
            .constant("BLOCK_X", 1..=1024, "threads of a block along a row")
            .constant("BLOCK_Y", 1..=1024, "threads of a block along a column")
    }

    /// Every case in both modes; the report case uses the clamping mode.
    fn cases(&self) -> Vec<Case> {
        let modes = |case: Case| MODES.iter().filter_map(|mode| in_mode(&case, mode)).collect::<Vec<_>>();
        problem::exercise_cases().into_iter().flat_map(modes).collect()
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        let case = problem::case_of_seed(sizes);
        in_mode(&case, &MODES[sizes.within(0..=MODES.len() - 1)])
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (mode, _) = MODES[case.size("mode")];
        let problem = Problem::new(case, cx.seed());
        let value = GHOSTS[(problem.height + problem.width) % 2];
        let ghost = if mode == 1 { Ghost::Clamp } else { Ghost::Value(value) };
        let problem = Problem { ghost, ..problem };
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
            Argument::I32(mode as i32),
            Argument::F32(value),
        ];
        let grid = [blocks(problem.width, x), blocks(problem.height, y), 1];
        cx.launch("conv2d_boundary", grid, [x, y, 1], 0, &arguments)?;
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

    fn baseline(&self) -> Option<&str> {
        Some("naive")
    }

    fn gates(&self) -> Vec<Gate> {
        problem::global_gates()
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Some(problem::time_host(case, seed))
    }
}
