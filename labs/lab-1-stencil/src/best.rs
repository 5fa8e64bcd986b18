//! `best`: the stencil at the speed of a copy.

use crate::stencil::{self, Stencil, case, check, sizes};
use harness::gates::{blocks, warps};
use harness::{Argument, Best, Case, Context, Exercise, Expected, Failure, Parameter, Run, Tuning};
use std::time::Duration;

/// The kernel, and the candidates for the constants that `tune` chooses for a card.
pub(crate) fn best() -> Best {
    let constants: [(_, &[i64]); 2] = [("BLOCK", &[64, 128, 256, 512]), ("GROUPS", &[1, 2, 4])];
    Best { exercise: Box::new(Limit), tunings: vec![Tuning::new(case(1 << 24, 3), &constants)] }
}

struct Limit;

impl Limit {
    /// Launches the kernel that switches on the radius at run time, or the instance for one radius.
    fn launch(
        &self,
        cx: &mut Context<'_>,
        (n, radius): (usize, usize),
        chooses: bool,
    ) -> Result<(), Failure> {
        let block = cx.constant("BLOCK")?;
        let outputs = 4 * cx.constant("GROUPS")? * block;
        let input = cx.input("in", n);
        let weights = cx.input("weights", 2 * radius + 1);
        let device_in = cx.upload(&input)?;
        let device_weights = cx.upload(&weights)?;
        let device_out = cx.alloc_output(n)?;
        let mut arguments = vec![
            Argument::Buffer(device_in),
            Argument::Buffer(device_weights),
            Argument::Buffer(device_out),
            Argument::I32(n as i32),
        ];
        let (grid, block) = ([blocks(n, outputs), 1, 1], [block, 1, 1]);
        if chooses {
            arguments.push(Argument::I32(radius as i32));
            cx.launch("stencil_best", grid, block, 0, &arguments)?;
        } else {
            cx.launch(&for_radius(radius), grid, block, 0, &arguments)?;
        }
        let got = cx.download(device_out, n)?;
        check(&got, &input, &weights, cx.seed(), outputs as usize)
    }
}

/// Name of the instance for one radius.
fn for_radius(radius: usize) -> String {
    format!("stencil_best_radius<{radius}>")
}

impl Exercise for Limit {
    fn name(&self) -> &str {
        "best"
    }

    fn title(&self) -> &str {
        "Stencil at the speed of a copy"
    }

    fn summary(&self) -> &str {
        "Four outputs per thread, float4 loads and stores, the window in registers."
    }

    fn expects(&self) -> Expected {
        let parameters = [
            Parameter::input("in"),
            Parameter::input("weights"),
            Parameter::output("out"),
            Parameter::int("n"),
            Parameter::int("radius"),
        ];
        Expected::kernel("stencil_best", parameters)
            .constant("BLOCK", 1..=1024, "threads of a block")
            .constant("GROUPS", 1..=64, "groups of four outputs per thread")
    }

    fn instances(&self) -> Vec<String> {
        (0..=16).map(for_radius).collect()
    }

    fn cases(&self) -> Vec<Case> {
        // Each radius compiles another instance, so there are few.
        let further = [(1000, 7), (2085, 16)].map(|(n, radius)| case(n, radius));
        let mut cases = Case::before_report(stencil::cases(), further);
        cases.extend([(3, 0), (33, 1), (511, 4), (513, 9)].map(|(n, radius)| case(n, radius)));
        cases
    }

    /// Only the instance for one radius is measured; the kernel that switches at run time is only checked.
    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let sizes = sizes(case);
        self.launch(cx, sizes, false)?;
        if sizes.0 < 1 << 20 {
            cx.measure(&[], |cx| self.launch(cx, sizes, true))?;
        }
        Ok(Run::new().with("warps", warps(sizes.0)))
    }

    fn flops(&self, case: &Case) -> f64 {
        Stencil::naive().flops(case)
    }

    fn bytes(&self, case: &Case) -> f64 {
        Stencil::naive().bytes(case)
    }

    fn baseline(&self) -> Option<&str> {
        Some("naive")
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        Stencil::naive().host_reference_timed(case, seed)
    }
}
