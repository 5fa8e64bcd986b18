//! `best`: a matrix product limited only by its multiply-adds.

use crate::matmul::{Launch, Sizes, case, cases, time_host};
use harness::gates::warps;
use harness::{Best, Case, Context, Exercise, Expected, Failure, Parameter, Run, Tuning};
use std::time::Duration;

/// The kernel, and the candidates for the constants that `tune` chooses for a card.
pub(crate) fn best() -> Best {
    let constants: [(_, &[i64]); 5] = [
        ("TILE_M", &[64, 128]),
        ("TILE_N", &[128, 256]),
        ("STEP", &[8, 16]),
        ("LANES_M", &[4, 8]),
        ("BLOCKS_PER_MULTIPROCESSOR", &[2, 4]),
    ];
    let outputs: [(_, &[i64]); 2] = [("ROWS", &[4, 8]), ("COLUMNS", &[8, 16])];
    let at = |constants: &[(&'static str, &[i64])]| Tuning::new(case(4096, 4096, 512), constants);
    Best { exercise: Box::new(Limit), tunings: vec![at(&constants), at(&outputs)] }
}

struct Limit;

impl Exercise for Limit {
    fn name(&self) -> &str {
        "best"
    }

    fn title(&self) -> &str {
        "Matrix product at the card's limit"
    }

    fn summary(&self) -> &str {
        "8 x 16 outputs per thread in registers, tiles copied asynchronously, two stages."
    }

    fn expects(&self) -> Expected {
        let parameters = [
            Parameter::input("a"),
            Parameter::input("b"),
            Parameter::output("c"),
            Parameter::int("m"),
            Parameter::int("n"),
            Parameter::int("k"),
        ];
        Expected::kernel("matmul_best", parameters)
            .constant("TILE_M", 1..=1024, "rows of outputs of a block")
            .constant("TILE_N", 1..=1024, "columns of outputs of a block")
            .constant("STEP", 1..=64, "steps along k of a phase")
            .constant("ROWS", 1..=64, "rows of outputs of a thread")
            .constant("COLUMNS", 1..=64, "columns of outputs of a thread")
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = cases();
        // Exactly one block, one row and column more than a block, and aligned and unaligned rows of B.
        let more = [(64, 128, 8), (65, 129, 9), (63, 132, 1), (130, 257, 40), (1, 260, 77), (200, 1, 16)];
        cases.extend(more.map(|(m, n, k)| case(m, n, k)));
        cases
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (rows, columns) = (cx.constant("TILE_M")?, cx.constant("TILE_N")?);
        let outputs = cx.constant("ROWS")?.max(1) * cx.constant("COLUMNS")?.max(1);
        let launch = Launch {
            kernel: "matmul_best",
            rows,
            columns,
            block: [rows * columns / outputs, 1, 1],
            step: cx.constant("STEP")?,
        };
        let sizes = Sizes::of(case);
        launch.run(cx, sizes)?;
        Ok(Run::new().with("warps", warps(sizes.m * sizes.n)))
    }

    fn flops(&self, case: &Case) -> f64 {
        Sizes::of(case).flops()
    }

    fn bytes(&self, case: &Case) -> f64 {
        Sizes::of(case).bytes()
    }

    fn baseline(&self) -> Option<&str> {
        Some("naive")
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Some(time_host(Sizes::of(case), seed))
    }
}
