//! `best`: a convolution limited only by its bytes or multiply-adds. Lab 2 uses it, and lab 4 with the filter in
//! constant memory.

use crate::problem::{self, Problem, case};
use harness::gates::{blocks, warps};
use harness::{Argument, Best, Case, Context, Exercise, Expected, Failure, Lab, Parameter, Run, Tuning};
use std::time::Duration;

/// Memory that holds the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterPlace {
    /// Global memory, passed as a pointer.
    Pointer,
    /// The constant array `FILTER`.
    Constant,
}

/// Columns of outputs per warp: four per lane.
const COLUMNS: u32 = 128;

/// Elements of `FILTER`: the largest radius is 7.
const FILTER_LEN: u64 = 15 * 15;

/// The kernel, and the candidates for the constants that `tune` chooses for a card.
pub fn best(filter: FilterPlace) -> Best {
    let at = |radius, constants: &[(&'static str, &[i64])]| {
        Tuning::new(case(2048, 2048, radius), constants).only_at("radius")
    };
    // Constants that matter at every radius are checked at every radius.
    let shared =
        |radius, constants: &[(&'static str, &[i64])]| Tuning::new(case(2048, 2048, radius), constants);
    let tunings = match filter {
        FilterPlace::Pointer => vec![
            at(3, &[("ROWS_3", &[10, 12, 15, 16, 18]), ("AHEAD_3", &[1, 2])]),
            at(2, &[("ROWS_2", &[4, 6, 8, 12])]),
            at(1, &[("ROWS_1", &[2, 4, 6, 8])]),
            shared(1, &[("WARPS", &[2, 4, 8])]),
            at(5, &[("ROWS_WIDE", &[16, 24, 32, 48])]),
        ],
        FilterPlace::Constant => {
            let long: [(&str, &[i64]); 2] = [("ROWS_3", &[40, 48, 64]), ("LAST_3", &[1024, 2048])];
            vec![
                shared(3, &[("RING_PAIRS", &[4, 5])]),
                at(3, &[("ROWS_3_LAST", &[16, 22])]),
                Tuning::new(case(4096, 4096, 3), &long).only_at("radius"),
                at(2, &[("ROWS_2", &[8, 10, 12])]),
                at(1, &[("ROWS_1", &[8, 12])]),
                shared(5, &[("WARPS", &[4, 8])]),
                at(5, &[("ROWS_WIDE", &[24, 32, 48])]),
            ]
        }
    };
    Best { exercise: Box::new(Limit { filter }), tunings }
}

struct Limit {
    filter: FilterPlace,
}

/// How blocks cover the image.
struct Blocks {
    /// Warps per block.
    warps: u32,
    /// Columns of outputs per block.
    columns: u32,
    /// Rows of outputs per block; where the last blocks are shorter, those of the first blocks.
    rows: u32,
    /// Number of blocks from top to bottom.
    count: u32,
}

impl Limit {
    /// The warps of a block cover rows one above the other, or side by side if rows go through shared memory. At
    /// radius 3 the last rows of the image use shorter strips.
    fn blocks(&self, cx: &Context<'_>, problem: &Problem) -> Result<Blocks, Failure> {
        let strip = cx.constant(rows_of(problem.radius))?;
        if self.filter == FilterPlace::Constant && problem.radius <= 3 {
            let warps = cx.constant("RING_WARPS")?;
            let columns = COLUMNS * warps;
            if problem.radius < 3 {
                return Ok(Blocks { warps, columns, rows: strip, count: blocks(problem.height, strip) });
            }
            // The same computation as in the kernel's `conv2d_walk`.
            let height = problem.height as u32;
            let last = cx.constant("LAST_3")?;
            let (rows, last) =
                if height < 8192 { (strip, last) } else { (cx.constant("ROWS_3_LARGE")?, last / 2) };
            let long = if height > 2048 { height.saturating_sub(last) / rows } else { 0 };
            let short = blocks((height - long * rows) as usize, cx.constant("ROWS_3_LAST")?);
            return Ok(Blocks { warps, columns, rows, count: long + short });
        }
        let warps = cx.constant("WARPS")?;
        let rows = warps * strip;
        Ok(Blocks { warps, columns: COLUMNS, rows, count: blocks(problem.height, rows) })
    }

    /// Launches the kernel that switches on the radius at run time, or the instance for one radius.
    fn launch(&self, cx: &mut Context<'_>, problem: &Problem, chooses: bool) -> Result<(), Failure> {
        let Blocks { warps, columns, rows, count } = self.blocks(cx, problem)?;
        let image = cx.upload(&problem.image)?;
        let mut arguments = vec![Argument::Buffer(image)];
        if self.filter == FilterPlace::Pointer {
            arguments.push(Argument::Buffer(cx.upload(&problem.filter)?));
        }
        let out = cx.alloc_output(problem.image.len())?;
        arguments.extend([
            Argument::Buffer(out),
            Argument::I32(problem.height as i32),
            Argument::I32(problem.width as i32),
        ]);
        let (grid, block) = ([blocks(problem.width, columns), count, 1], [32, warps, 1]);
        if self.filter == FilterPlace::Constant {
            cx.set_constant("FILTER", &problem.filter)?;
        }
        let kernel = if chooses {
            arguments.push(Argument::I32(problem.radius as i32));
            "conv2d_best".to_owned()
        } else {
            for_radius(problem.radius)
        };
        cx.launch(&kernel, grid, block, 0, &arguments)?;
        let got = cx.download(out, problem.image.len())?;
        problem.check(&got, (rows as usize, columns as usize))
    }
}

/// Name of the instance for one radius.
fn for_radius(radius: usize) -> String {
    format!("conv2d_best_radius<{radius}>")
}

/// Name of the constant with the rows per warp's strip.
fn rows_of(radius: usize) -> &'static str {
    match radius {
        1 => "ROWS_1",
        2 => "ROWS_2",
        3 => "ROWS_3",
        _ => "ROWS_WIDE",
    }
}

impl Exercise for Limit {
    fn name(&self) -> &str {
        "best"
    }

    fn title(&self) -> &str {
        "2D convolution at the card's limit"
    }

    fn summary(&self) -> &str {
        "Four columns of a strip of rows per thread, sums in registers, nothing but multiply-adds and wide loads."
    }

    fn expects(&self) -> Expected {
        let mut parameters = vec![Parameter::input("in")];
        if self.filter == FilterPlace::Pointer {
            parameters.push(Parameter::input("filter"));
        }
        parameters.extend([
            Parameter::output("out"),
            Parameter::int("height"),
            Parameter::int("width"),
            Parameter::int("radius"),
        ]);
        let mut expected =
            Expected::kernel("conv2d_best", parameters).constant("WARPS", 1..=32, "warps of a block");
        for rows in [1, 2, 3, 4].map(rows_of) {
            expected = expected.constant(rows, 1..=1024, "rows of outputs of a warp");
        }
        match self.filter {
            FilterPlace::Pointer => expected,
            FilterPlace::Constant => {
                let expected = expected
                    .constant("RING_WARPS", 1..=32, "warps of a block side by side, up to radius 3")
                    .constant("ROWS_3_LARGE", 6..=1024, "rows of a strip of a large image, at radius 3")
                    .constant("ROWS_3_LAST", 6..=1024, "rows of the last strips, at radius 3")
                    .constant("LAST_3", 0..=1 << 20, "rows of the image in them");
                expected.symbol("FILTER", "__constant__ float FILTER[15 * 15]", 4 * FILTER_LEN)
            }
        }
    }

    fn instances(&self) -> Vec<String> {
        (1..=7).map(for_radius).collect()
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = problem::cases();
        // Strips that end inside and outside the image, with aligned and unaligned rows.
        let more = [
            (7, 128, 2),
            (130, 260, 3),
            (140, 1100, 3),
            (2200, 132, 3),
            (2147, 130, 3),
            (2192, 512, 3),
            (8200, 132, 3),
            (96, 1024, 3),
            (15, 520, 1),
            (24, 516, 2),
            (49, 132, 1),
            (51, 271, 2),
            (33, 36, 4),
            (20, 129, 5),
            (70, 140, 6),
        ];
        cases.extend(more.map(|(height, width, radius)| case(height, width, radius)));
        cases
    }

    /// Only the instance for one radius is measured; the kernel that switches at run time is only checked.
    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let problem = Problem::new(case, cx.seed());
        self.launch(cx, &problem, false)?;
        if problem.image.len() < 1 << 16 {
            cx.measure(&[], |cx| self.launch(cx, &problem, true))?;
        }
        Ok(Run::new().with("warps", warps(problem.image.len())))
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
        (self.filter == FilterPlace::Constant).then(crate::lab)
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Some(problem::time_host(case, seed))
    }
}
