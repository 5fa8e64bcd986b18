//! `relaxation`: an iterative solver; two device buffers change places, nothing is copied between steps.

use harness::gates::{blocks, coalesced_loads};
use harness::{
    Argument, BufferId, Case, Comparison, Context, Exercise, Expected, Extra, Failure, Gate, Parameter, Run,
    SeededSizes,
};
use std::time::Duration;

/// How far a step goes toward the neighbours' mean.
const OMEGA: f32 = 0.8;

/// The fixed values of a grid's border.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // Named by side.
pub struct Rim {
    pub top: f32,
    pub bottom: f32,
    pub left: f32,
    pub right: f32,
}

/// Four values that differ, so that a mixed-up side shows.
const RIM: Rim = Rim { top: 1.0, bottom: -0.5, left: 0.25, right: -0.75 };

/// The host reference: sets the border, then `steps` times moves each inner cell toward the mean of its neighbours. The
/// grid is row-major; rows win corners, `top` wins over `bottom`, `left` over `right`.
pub fn relax(grid: &[f32], height: usize, width: usize, steps: usize, omega: f32, rim: Rim) -> Vec<f64> {
    let mut current: Vec<f64> = grid.iter().map(|v| f64::from(*v)).collect();
    let at = |y: usize, x: usize| y * width + x;
    for y in 0..height {
        current[at(y, width - 1)] = f64::from(rim.right);
        current[at(y, 0)] = f64::from(rim.left);
    }
    for x in 0..width {
        current[at(height - 1, x)] = f64::from(rim.bottom);
        current[at(0, x)] = f64::from(rim.top);
    }
    let mut next = current.clone();
    for _ in 0..steps {
        for y in 1..height.saturating_sub(1) {
            for x in 1..width.saturating_sub(1) {
                let sum = current[at(y - 1, x)]
                    + current[at(y + 1, x)]
                    + current[at(y, x - 1)]
                    + current[at(y, x + 1)];
                let here = current[at(y, x)];
                next[at(y, x)] = here + f64::from(omega) * (0.25 * sum - here);
            }
        }
        std::mem::swap(&mut current, &mut next);
    }
    current
}

/// The exercise.
pub(crate) struct Relaxation;

fn sizes(case: &Case) -> (usize, usize, usize) {
    (case.size("height"), case.size("width"), case.size("steps"))
}

fn case(height: usize, width: usize, steps: usize) -> Case {
    let sizes = [("height", height), ("width", width), ("steps", steps)];
    Case::new(format!("{height}x{width}_steps{steps}"), &sizes)
}

fn launch_boundary(cx: &mut Context<'_>, grid: BufferId, height: usize, width: usize) -> Result<(), Failure> {
    let threads = cx.constant("BLOCK_X")? * cx.constant("BLOCK_Y")?;
    let arguments = [
        Argument::Buffer(grid),
        Argument::I32(height as i32),
        Argument::I32(width as i32),
        Argument::F32(RIM.top),
        Argument::F32(RIM.bottom),
        Argument::F32(RIM.left),
        Argument::F32(RIM.right),
    ];
    cx.launch("relax_boundary", [blocks(height.max(width), threads), 1, 1], [threads, 1, 1], 0, &arguments)
}

fn launch_step(
    cx: &mut Context<'_>,
    [current, next]: [BufferId; 2],
    height: usize,
    width: usize,
) -> Result<(), Failure> {
    let (x, y) = (cx.constant("BLOCK_X")?, cx.constant("BLOCK_Y")?);
    let arguments = [
        Argument::Buffer(current),
        Argument::Buffer(next),
        Argument::I32(height as i32),
        Argument::I32(width as i32),
        Argument::F32(OMEGA),
    ];
    cx.launch("relax_step", [blocks(width, x), blocks(height, y), 1], [x, y, 1], 0, &arguments)
}

impl Exercise for Relaxation {
    fn name(&self) -> &str {
        "relaxation"
    }

    fn title(&self) -> &str {
        "Relaxation on a grid"
    }

    fn summary(&self) -> &str {
        "One kernel for a relaxation step, one for the border; the host swaps two device buffers between steps."
    }

    fn expects(&self) -> Expected {
        let step = [
            Parameter::input("current"),
            Parameter::output("next"),
            Parameter::int("height"),
            Parameter::int("width"),
            Parameter::float("omega"),
        ];
        let boundary = [
            Parameter::output("grid"),
            Parameter::int("height"),
            Parameter::int("width"),
            Parameter::float("top"),
            Parameter::float("bottom"),
            Parameter::float("left"),
            Parameter::float("right"),
        ];
        Expected::kernel("relax_step", step)
            .and_kernel("relax_boundary", boundary)
            .constant("BLOCK_X", 1..=1024, "threads of a block along a row")
            .constant("BLOCK_Y", 1..=1024, "threads of a block along a column")
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<_> =
            [(1, 1, 2), (2, 3, 3), (1, 50, 2), (50, 1, 3), (32, 64, 4), (37, 45, 5), (9, 300, 1)]
                .map(|(height, width, steps)| case(height, width, steps))
                .into();
        cases.push(Case { is_report: true, ..case(896, 1280, 5) });
        cases
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        Some(case(sizes.within(10..=90), sizes.within(10..=90), sizes.within(2..=5)))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (height, width, steps) = sizes(case);
        let grid = cx.input("grid", height * width);
        let mut current = cx.upload(&grid)?;
        let mut next = cx.alloc_output(height * width)?;
        launch_boundary(cx, current, height, width)?;
        for _ in 0..steps {
            launch_step(cx, [current, next], height, width)?;
            launch_boundary(cx, next, height, width)?;
            std::mem::swap(&mut current, &mut next);
        }
        let got = cx.download(current, height * width)?;
        let reference = relax(&grid, height, width, steps, OMEGA, RIM);
        // A step adds six terms whose magnitudes sum to at most 1 + 2·omega (no cell is above 1), and passes on older
        // errors with a factor of at most 1.
        Comparison::new("grid", &got, &reference)
            .shape(height, width)
            .terms(6 * steps, 1.0 + 2.0 * f64::from(OMEGA))
            .halo(1)
            .candidate("one step too few", || relax(&grid, height, width, steps - 1, OMEGA, RIM))
            .check()?;
        let moved = cx.device().transfers();
        Ok(Run::new().with("moved", (moved.to_device + moved.to_host) as f64))
    }

    /// Three additions for the neighbours, a product, a difference, and a product and sum for the step.
    fn flops(&self, case: &Case) -> f64 {
        let (height, width, steps) = sizes(case);
        (7 * height.saturating_sub(2) * width.saturating_sub(2) * steps) as f64
    }

    /// Each step reads and writes the grid.
    fn bytes(&self, case: &Case) -> f64 {
        let (height, width, steps) = sizes(case);
        (8 * height * width * steps) as f64
    }

    fn gates(&self) -> Vec<Gate> {
        vec![coalesced_loads(6.0, 4.4)]
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, run: &Run) -> Result<Vec<Extra>, Failure> {
        let (height, width, steps) = sizes(case);
        let grid = (4 * height * width) as f64;
        let moved = run.values["moved"];
        let saved = 2.0 * steps as f64 * grid - moved;
        let link = cx.device().info().host_link_bandwidth;
        Ok(vec![
            Extra::fact("host/device transfers", format!("{:.0} KiB in {steps} steps", moved / 1024.0)),
            Extra::fact(
                "transfers saved",
                format!(
                    "{:.0} KiB, {:.3} ms of the host link at best (against a copy in and out for each step)",
                    saved / 1024.0,
                    saved / link * 1e3
                ),
            ),
        ])
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        let (height, width, steps) = sizes(case);
        let mut current = harness::input(seed, "grid", height * width).to_vec();
        let mut next = current.clone();
        Some(harness::time_host(|| {
            for _ in 0..steps {
                for y in 1..height - 1 {
                    let (up, rest) = current[(y - 1) * width..(y + 2) * width].split_at(width);
                    let (here, down) = rest.split_at(width);
                    let row = &mut next[y * width..(y + 1) * width];
                    for x in 1..width - 1 {
                        let mean = 0.25 * (up[x] + down[x] + here[x - 1] + here[x + 1]);
                        row[x] = here[x] + OMEGA * (mean - here[x]);
                    }
                }
                std::mem::swap(&mut current, &mut next);
            }
            current[height / 2 * width + width / 2]
        }))
    }
}
