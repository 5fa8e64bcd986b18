//! `best`: the FIR filter close to the speed of a copy.

use crate::fir::{self, MAX_TAPS, case, check, sizes};
use harness::gates::{blocks, warps};
use harness::{Argument, Best, Case, Context, Exercise, Expected, Failure, Parameter, Run, Tuning};
use std::time::Duration;

/// The kernel, and the candidates for the constants that `tune` chooses for a card.
pub(crate) fn best() -> Best {
    let constants: [(_, &[i64]); 2] = [("BLOCK", &[64, 128, 256, 512]), ("OUTPUTS", &[4, 8, 16])];
    Best { exercise: Box::new(Limit), tunings: vec![Tuning::new(case(1 << 22, MAX_TAPS), &constants)] }
}

struct Limit;

impl Exercise for Limit {
    fn name(&self) -> &str {
        "best"
    }

    fn title(&self) -> &str {
        "FIR filter near the speed of a copy"
    }

    fn summary(&self) -> &str {
        "Eight outputs per thread, their window in registers, taps as operands from constant memory."
    }

    fn expects(&self) -> Expected {
        let parameters =
            [Parameter::input("x"), Parameter::output("y"), Parameter::int("n"), Parameter::int("taps")];
        Expected::kernel("fir_best", parameters)
            .constant("BLOCK", 1..=1024, "threads of a block")
            .constant("OUTPUTS", 4..=64, "outputs of a thread, a multiple of 4")
            .symbol("TAPS", "__constant__ float TAPS[32]", 4 * MAX_TAPS as u64)
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = fir::cases();
        // One to four groups of eight taps, with complete and incomplete groups.
        let more = [(40, 16), (41, 24), (100, 9), (333, 17), (2050, 25), (4096, 1)];
        cases.extend(more.map(|(n, taps)| case(n, taps)));
        cases
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (n, taps) = sizes(case);
        let block = cx.constant("BLOCK")?;
        let outputs = block * cx.constant("OUTPUTS")?;
        let x = cx.input("x", n);
        let f = cx.input("taps", taps);
        let device_x = cx.upload(&x)?;
        let device_y = cx.alloc_output(n)?;
        cx.set_constant("TAPS", &f)?;
        let arguments = [
            Argument::Buffer(device_x),
            Argument::Buffer(device_y),
            Argument::I32(n as i32),
            Argument::I32(taps as i32),
        ];
        cx.launch("fir_best", [blocks(n, outputs), 1, 1], [block, 1, 1], 0, &arguments)?;
        let got = cx.download(device_y, n)?;
        check("fir_best", &got, &x, &f, cx.seed(), outputs as usize)?;
        Ok(Run::new().with("warps", warps(n)))
    }

    fn flops(&self, case: &Case) -> f64 {
        fir::flops(case)
    }

    fn bytes(&self, case: &Case) -> f64 {
        8.0 * case.size("n") as f64
    }

    fn baseline(&self) -> Option<&str> {
        Some("fir_global")
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Some(fir::time_host(case, seed))
    }
}
