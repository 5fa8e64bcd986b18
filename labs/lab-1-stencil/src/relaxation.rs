//! `relaxation`: an iterative solver. Two device buffers swap roles after each step, and nothing is copied between
//! steps.

use harness::gates::{blocks, coalesced_loads, coalesced_stores, sectors, window_sectors};
use harness::{
    Argument, BufferId, Case, Comparison, Context, Exercise, Expected, Extra, Failure, Gate, Parameter, Run,
    SeededSizes,
};
use std::time::Duration;

/// Relaxation factors, used alternately by the cases so that a kernel with a hard-coded factor fails.
const OMEGAS: [f32; 2] = [0.8, 1.25];

/// The fixed values of a grid's border.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The fields are the sides.
pub struct Rim {
    pub top: f32,
    pub bottom: f32,
    pub left: f32,
    pub right: f32,
}

/// Border values that all differ, so that swapped sides show; used alternately by the cases.
const RIMS: [Rim; 2] = [
    Rim { top: 1.0, bottom: -0.5, left: 0.25, right: -0.75 },
    Rim { top: -0.375, bottom: 0.875, left: -1.0, right: 0.5 },
];

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

pub(crate) struct Relaxation;

/// Sizes and parameters of a case.
#[derive(Clone, Copy)]
struct Problem {
    height: usize,
    width: usize,
    steps: usize,
    omega: f32,
    rim: Rim,
}

impl Problem {
    fn of(case: &Case) -> Problem {
        let [height, width, steps] = ["height", "width", "steps"].map(|name| case.size(name));
        let turn = (height + width + steps) % 2;
        Problem { height, width, steps, omega: OMEGAS[turn], rim: RIMS[turn] }
    }

    fn cells(self) -> usize {
        self.height * self.width
    }

    /// Whether a cell is not on the border.
    fn is_inner(self, at: usize) -> bool {
        let (y, x) = (at / self.width, at % self.width);
        y > 0 && y + 1 < self.height && x > 0 && x + 1 < self.width
    }

    /// The host's grid after `steps` steps.
    fn relaxed(self, grid: &[f32], steps: usize) -> Vec<f64> {
        relax(grid, self.height, self.width, steps, self.omega, self.rim)
    }

    fn launch_boundary(self, cx: &mut Context<'_>, grid: BufferId) -> Result<(), Failure> {
        let threads = cx.constant("BLOCK_X")? * cx.constant("BLOCK_Y")?;
        let arguments = [
            Argument::Buffer(grid),
            Argument::I32(self.height as i32),
            Argument::I32(self.width as i32),
            Argument::F32(self.rim.top),
            Argument::F32(self.rim.bottom),
            Argument::F32(self.rim.left),
            Argument::F32(self.rim.right),
        ];
        let shape = ([blocks(self.height.max(self.width), threads), 1, 1], [threads, 1, 1]);
        cx.launch_writing("relax_boundary", shape, &arguments, |_, at| !self.is_inner(at))
    }

    fn launch_step(self, cx: &mut Context<'_>, [current, next]: [BufferId; 2]) -> Result<(), Failure> {
        let (x, y) = (cx.constant("BLOCK_X")?, cx.constant("BLOCK_Y")?);
        let arguments = [
            Argument::Buffer(current),
            Argument::Buffer(next),
            Argument::I32(self.height as i32),
            Argument::I32(self.width as i32),
            Argument::F32(self.omega),
        ];
        let shape = ([blocks(self.width, x), blocks(self.height, y), 1], [x, y, 1]);
        cx.launch_writing("relax_step", shape, &arguments, |grid, at| grid == next && self.is_inner(at))
    }

    /// Launches both kernels for all steps. After each launch calls `after` with the kernel's name, the grid that it
    /// wrote and the number of steps so far. Returns the last grid.
    fn launch(
        self,
        cx: &mut Context<'_>,
        grid: &[f32],
        after: impl Fn(&mut Context<'_>, &'static str, BufferId, usize) -> Result<(), Failure>,
    ) -> Result<BufferId, Failure> {
        let mut current = cx.upload_to_change(grid)?;
        let mut next = cx.alloc_output(self.cells())?;
        self.launch_boundary(cx, current)?;
        after(cx, "relax_boundary", current, 0)?;
        for step in 1..=self.steps {
            self.launch_step(cx, [current, next])?;
            after(cx, "relax_step", next, step)?;
            self.launch_boundary(cx, next)?;
            after(cx, "relax_boundary", next, step)?;
            std::mem::swap(&mut current, &mut next);
        }
        Ok(current)
    }

    /// Compares a grid after `steps` steps with the host's.
    fn compare(self, grid: &[f32], got: &[f32], steps: usize, kernel: Option<&str>) -> Result<(), Failure> {
        let reference = self.relaxed(grid, steps);
        // Error bound: a step adds six terms, whose magnitudes sum to at most 1 + 2·omega if no cell exceeds 1. A
        // step multiplies earlier errors, and the cells, by at most |1 - omega| + omega, which is 1 without
        // over-relaxation.
        let omega = f64::from(self.omega);
        let growth: f64 = std::iter::repeat_n((1.0 - omega).abs() + omega, steps).product();
        let mut comparison = Comparison::new("grid", got, &reference)
            .shape(self.height, self.width)
            .terms(6 * steps, (1.0 + 2.0 * omega) * growth)
            .halo(1);
        if let Some(kernel) = kernel {
            comparison = comparison.kernel(kernel);
        }
        if let Some(fewer) = steps.checked_sub(1) {
            comparison = comparison.candidate("one step too few", move || self.relaxed(grid, fewer));
            let whole = Problem { omega: 1.0, ..self };
            comparison = comparison.candidate("steps without `omega`", move || whole.relaxed(grid, steps));
        }
        Ok(comparison.check()?)
    }

    /// Launches `relax_boundary` on an uninitialised grid, so that the simulator reports any read: the kernel only
    /// needs to write the border.
    fn boundary_alone(self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let alone = |cx: &mut Context<'_>| {
            let grid = cx.alloc_output(self.cells())?;
            self.launch_boundary(cx, grid)
        };
        cx.measure(&[], alone).map(|_| ())
    }

    /// Finds which of the two kernels is wrong by comparing after each launch.
    fn find_wrong_kernel(self, cx: &mut Context<'_>, grid: &[f32]) -> Result<(), Failure> {
        self.launch(cx, grid, |cx, kernel, buffer, steps| {
            let mut got = cx.peek(buffer, self.cells())?;
            if kernel == "relax_step" {
                // `relax_step` may leave anything in the border, because `relax_boundary` overwrites it.
                let reference = self.relaxed(grid, steps);
                let border = (0..got.len()).filter(|at| !self.is_inner(*at));
                border.for_each(|at| got[at] = reference[at] as f32);
            }
            self.compare(grid, &got, steps, Some(kernel))
        })?;
        Ok(())
    }
}

fn case(height: usize, width: usize, steps: usize) -> Case {
    let sizes = [("height", height), ("width", width), ("steps", steps)];
    Case::new(format!("{height}x{width}_steps{steps}"), &sizes)
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

    fn hints(&self) -> &'static str {
        include_str!("../hints/relaxation.md")
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
        let mut cases: Vec<_> = [
            (1, 1, 2),
            (2, 3, 3),
            (1, 50, 2),
            (50, 1, 3),
            (32, 64, 4),
            (37, 45, 5),
            (33, 65, 3),
            (13, 30, 3),
            (22, 27, 2),
            (9, 300, 1),
        ]
        .map(|(height, width, steps)| case(height, width, steps))
        .into();
        cases.push(case(896, 1280, 5).reported());
        cases
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        Some(case(sizes.within(100..=300), 8 * sizes.within(20..=40), sizes.within(2..=5)))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let problem = Problem::of(case);
        let grid = cx.input("grid", problem.cells());
        let last = problem.launch(cx, &grid, |_, _, _, _| Ok(()))?;
        let got = cx.download(last, problem.cells())?;
        let moved = cx.moved();
        if let Err(wrong) = problem.compare(&grid, &got, problem.steps, None) {
            problem.find_wrong_kernel(cx, &grid)?;
            return Err(wrong);
        }
        problem.boundary_alone(cx)?;
        Ok(Run::new().with("moved", moved as f64))
    }

    /// Per cell: three additions for the neighbours, one product, one difference, and a product and a sum for the
    /// step.
    fn flops(&self, case: &Case) -> f64 {
        let Problem { height, width, steps, .. } = Problem::of(case);
        (7 * height.saturating_sub(2) * width.saturating_sub(2) * steps) as f64
    }

    /// Each step reads and writes the grid.
    fn bytes(&self, case: &Case) -> f64 {
        let Problem { height, width, steps, .. } = Problem::of(case);
        (8 * height * width * steps) as f64
    }

    fn gates(&self) -> Vec<Gate> {
        vec![
            coalesced_loads(
                1.5,
                "read each cell and its four neighbours, adjacent cells in adjacent threads",
                |m| {
                    let Problem { height, width, steps, .. } = Problem::of(m.case);
                    // Sectors of the cells above and below, and of the window within the row.
                    let row = 2.0 * sectors(width) + window_sectors(width, 1);
                    (steps * (height - 2)) as f64 * row
                },
            ),
            coalesced_stores(
                1.5,
                "store each inner cell once per step, and each border cell once per grid",
                |m| {
                    let Problem { height, width, steps, .. } = Problem::of(m.case);
                    let inner = (steps * (height - 2)) as f64 * sectors(width);
                    inner + (steps + 1) as f64 * 2.0 * (sectors(width) + (height - 2) as f64)
                },
            ),
        ]
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, run: &Run) -> Result<Vec<Extra>, Failure> {
        let Problem { height, width, steps, .. } = Problem::of(case);
        let grid = (4 * height * width) as f64;
        let moved = run.values["moved"];
        let saved = 2.0 * steps as f64 * grid - moved;
        let link = cx.device().info().host_link_bandwidth;
        Ok(vec![
            Extra::fact("host/device transfers", format!("{:.0} KiB in {steps} steps", moved / 1024.0)),
            Extra::fact(
                "transfers saved",
                format!(
                    "{:.0} KiB, {:.3} ms of the host link at best (compared with a copy in and out for each step)",
                    saved / 1024.0,
                    saved / link * 1e3
                ),
            ),
        ])
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        let Problem { height, width, steps, omega, .. } = Problem::of(case);
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
                        row[x] = here[x] + omega * (mean - here[x]);
                    }
                }
                std::mem::swap(&mut current, &mut next);
            }
            current[height / 2 * width + width / 2]
        }))
    }
}
