//! `adjacent_difference`: why a barrier.

use crate::stencil;
use harness::gates::{
    blocks, coalesced_loads, coalesced_stores, sectors, through_shared, warps, warps_in_blocks,
};
use harness::{
    Argument, Case, Comparison, Context, Exercise, Expected, Failure, Gate, Measured, Parameter, Quantity,
    Run, SeededSizes, Technique,
};
use std::time::Duration;

/// The host reference: `out[0] = input[0]`, `out[i] = input[i] - input[i - 1]`.
pub fn adjacent_difference(input: &[f32]) -> Vec<f64> {
    let before = std::iter::once(0.0).chain(input.iter().map(|x| f64::from(*x)));
    input.iter().zip(before).map(|(x, before)| f64::from(*x) - before).collect()
}

pub(crate) struct AdjacentDifference;

impl Exercise for AdjacentDifference {
    fn name(&self) -> &str {
        "adjacent_difference"
    }

    fn title(&self) -> &str {
        "Adjacent difference"
    }

    fn summary(&self) -> &str {
        "Each thread loads one element into shared memory and reads its neighbour's from there, after a barrier."
    }

    fn hints(&self) -> &'static str {
        include_str!("../hints/adjacent_difference.md")
    }

    fn expects(&self) -> Expected {
        let parameters = [Parameter::input("in"), Parameter::output("out"), Parameter::int("n")];
        Expected::kernel("adjacent_difference", parameters).constant("BLOCK", 1..=1024, "threads of a block")
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<_> = [1, 2, 31, 1024, 1000, 1003, 1022, 1025, 2049]
            .map(|n| Case::new(format!("n{n}"), &[("n", n)]))
            .into();
        let n = 1 << 21;
        cases.push(Case::report(format!("n{n}"), &[("n", n)]));
        cases
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        let n = sizes.within(20_000..=60_000);
        Some(Case::new(format!("n{n}"), &[("n", n)]))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let n = case.size("n");
        let block = cx.constant("BLOCK")?;
        let input = cx.input("in", n);
        let device_in = cx.upload(&input)?;
        let device_out = cx.alloc_output(n)?;
        let grid = blocks(n, block);
        let arguments = [Argument::Buffer(device_in), Argument::Buffer(device_out), Argument::I32(n as i32)];
        cx.launch("adjacent_difference", [grid, 1, 1], [block, 1, 1], 0, &arguments)?;
        let got = cx.download(device_out, n)?;
        let reference = adjacent_difference(&input);
        let negated = || reference.iter().map(|d| -d).collect();
        Comparison::new("out", &got, &reference)
            .terms(2, 2.0)
            .tile(1, block as usize)
            .halo(1)
            .candidate("the difference with its sign changed (in[i - 1] - in[i])", negated)
            .candidate("the sum of both elements in place of their difference", || {
                let before = [0.0].into_iter().chain(input.iter().copied());
                before.zip(input.iter()).map(|(before, own)| f64::from(before) + f64::from(*own)).collect()
            })
            .candidate("the elements themselves: nothing is subtracted", || {
                input.iter().map(|own| f64::from(*own)).collect()
            })
            .check()?;
        let run = Run::new().with("blocks", f64::from(grid));
        Ok(run.with("warps_in_blocks", warps_in_blocks(n, block)))
    }

    fn flops(&self, case: &Case) -> f64 {
        case.size("n") as f64
    }

    fn bytes(&self, case: &Case) -> f64 {
        8.0 * case.size("n") as f64
    }

    fn gates(&self) -> Vec<Gate> {
        let elements = |m: &Measured<'_>| sectors(m.case.size("n"));
        let loads = Gate::at_most(
            "loads_once",
            Quantity::LOAD_REQUESTS,
            1.02,
            "load one element per thread, and one more per block",
            |m| m.run.values["warps_in_blocks"] + m.run.values["blocks"],
        );
        vec![
            loads.hint("is anything loaded twice? Only the first thread of a block needs its neighbour from global memory"),
            coalesced_loads(1.5, "load each element once", elements),
            through_shared(("read the neighbour from shared memory", "1 per two outputs"), |m| warps(m.case.size("n")) / 2.0),
            coalesced_stores(1.5, "store each output once", elements),
            Technique { share: 40.0, ..stencil::technique(&["adjacent_difference"], 1, Case::clone) }.gate("technique"),
        ]
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        let input = harness::input(seed, "in", case.size("n"));
        let mut out = vec![0.0f32; input.len()];
        Some(harness::time_host(|| {
            let mut before = 0.0;
            for (out, x) in out.iter_mut().zip(input.iter()) {
                *out = x - before;
                before = *x;
            }
            out[out.len() / 2]
        }))
    }
}
