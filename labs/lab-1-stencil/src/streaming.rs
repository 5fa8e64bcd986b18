//! `streaming`: processes an input larger than the device memory that the lab provides.

use crate::stencil::{self, Window};
use harness::gates::{blocks, coalesced_stores, sectors};
use harness::{
    Argument, BufferId, Case, Comparison, Context, Exercise, Expected, Extra, Failure, Gate, HandoverPath,
    Measured, Parameter, Run, SeededSizes, Technique,
};
use std::time::Duration;

/// Threads of the block that copies the halo to the next chunk: twice the largest radius.
const CARRY_THREADS: u32 = 32;

/// Extra bytes that the lab provides beyond the buffers' own, because allocators round up.
const SLACK: u64 = 64 * 1024;

pub(crate) struct Streaming;

/// Sizes of a case: number of outputs, radius, maximum outputs per chunk.
fn sizes(case: &Case) -> (usize, usize, usize) {
    (case.size("outputs"), case.size("radius"), case.size("chunk"))
}

fn case(outputs: usize, radius: usize, chunk: usize) -> Case {
    let sizes = [("outputs", outputs), ("radius", radius), ("chunk", chunk)];
    Case::new(format!("n{outputs}_r{radius}_chunk{chunk}"), &sizes)
}

/// The device's buffers.
struct Buffers {
    chunk: BufferId,
    weights: BufferId,
    out: BufferId,
    partial: BufferId,
}

impl Buffers {
    /// Allocates the buffers under a memory limit that leaves no room for the whole input.
    fn new(cx: &mut Context<'_>, weights: &[f32], chunk: usize, blocks: usize) -> Result<Buffers, Failure> {
        let floats = (chunk + weights.len() - 1) + weights.len() + chunk + blocks;
        cx.device().limit_memory(Some(4 * floats as u64 + SLACK));
        let buffers = Buffers {
            chunk: cx.alloc_output(chunk + weights.len() - 1)?,
            weights: cx.upload(weights)?,
            out: cx.alloc_output(chunk)?,
            partial: cx.upload_to_change(&vec![0.0; blocks])?,
        };
        Ok(buffers)
    }

    fn compute(&self, cx: &mut Context<'_>, count: usize, radius: usize, block: u32) -> Result<(), Failure> {
        let arguments = [
            Argument::Buffer(self.chunk),
            Argument::Buffer(self.weights),
            Argument::Buffer(self.out),
            Argument::Buffer(self.partial),
            Argument::I32(count as i32),
            Argument::I32(radius as i32),
        ];
        let (grid, out, partial) = (blocks(count, block), self.out, self.partial);
        let shape = ([grid, 1, 1], [block, 1, 1]);
        cx.launch_writing("stencil_chunk", shape, &arguments, |buffer, at| {
            buffer == out && at < count || buffer == partial && at < grid as usize
        })
    }

    fn carry(&self, cx: &mut Context<'_>, count: usize, radius: usize) -> Result<(), Failure> {
        let arguments =
            [Argument::Buffer(self.chunk), Argument::I32(count as i32), Argument::I32(radius as i32)];
        let shape = ([1, 1, 1], [CARRY_THREADS, 1, 1]);
        cx.launch_writing("carry_halo", shape, &arguments, |_, at| at < 2 * radius)
    }
}

/// Expected sums: for each block index, the sum of that block's outputs over all chunks.
fn partial_sums(outputs: &[f64], chunk: usize, block: usize) -> Vec<f64> {
    let mut sums = vec![0.0; outputs.len().min(chunk).div_ceil(block)];
    for chunk in outputs.chunks(chunk) {
        for (sum, block) in sums.iter_mut().zip(chunk.chunks(block)) {
            *sum += block.iter().sum::<f64>();
        }
    }
    sums
}

/// Only the windows that lie inside the input: the stencil without its ends.
fn valid(window: &Window, radius: usize) -> Window {
    let inner = |v: &[f64]| v[radius..v.len() - radius].to_vec();
    Window { values: inner(&window.values), scales: inner(&window.scales) }
}

fn compare(
    window: &Window,
    got: &[f32],
    partial: &[f32],
    (radius, chunk, block): (usize, usize, usize),
) -> Result<(), Failure> {
    Comparison::new("out", got, &window.values)
        .kernel("stencil_chunk")
        .terms_each(2 * radius + 1, &window.scales)
        .tile(1, block)
        .halo(radius)
        .check()?;
    let sums = partial_sums(&window.values, chunk, block);
    let scales = partial_sums(&window.scales, chunk, block);
    let chunks = window.values.len().div_ceil(chunk);
    // For each block index, the sum of the last chunk that has this block: the result of a kernel that overwrites
    // instead of adding.
    let last = || {
        let mut last = vec![0.0; sums.len()];
        for part in window.values.chunks(chunk) {
            let of_part = partial_sums(part, chunk, block);
            last[..of_part.len()].copy_from_slice(&of_part);
        }
        last
    };
    Comparison::new("partial", partial, &sums)
        .kernel("stencil_chunk")
        .terms_each((2 * radius + 1) * block * chunks, &scales)
        .candidate("the sums of the last chunk only: add to `partial`, do not overwrite it", last)
        .check()?;
    Ok(())
}

impl Exercise for Streaming {
    fn name(&self) -> &str {
        "streaming"
    }

    fn title(&self) -> &str {
        "A stencil in chunks"
    }

    fn summary(&self) -> &str {
        "An input larger than the memory granted, in chunks with carried halos; partial sums stay on the device."
    }

    fn hints(&self) -> &'static str {
        include_str!("../hints/streaming.md")
    }

    fn expects(&self) -> Expected {
        let chunk = [
            Parameter::input("chunk"),
            Parameter::input("weights"),
            Parameter::output("out"),
            Parameter::output("partial"),
            Parameter::int("count"),
            Parameter::int("radius"),
        ];
        let carry = [Parameter::output("chunk"), Parameter::int("count"), Parameter::int("radius")];
        Expected::kernel("stencil_chunk", chunk).and_kernel("carry_halo", carry).constant(
            "BLOCK",
            1..=1024,
            "threads of a block, a power of two",
        )
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<_> = [
            (1, 1, 8),
            (40, 3, 10),
            (37, 16, 5),
            (100, 0, 33),
            (2048, 2, 512),
            (1500, 16, 600),
            (1003, 4, 333),
            (3001, 7, 700),
        ]
        .map(|(outputs, radius, chunk)| case(outputs, radius, chunk))
        .into();
        cases.push(case(12_000, 8, 4096).gated());
        cases.push(case(3 << 19, 3, 1 << 19).reported());
        cases
    }

    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        Some(case(sizes.within(20_000..=60_000), sizes.within(1..=6), 8 * sizes.within(600..=900)))
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let (outputs, radius, chunk) = sizes(case);
        let block = cx.constant("BLOCK")?;
        if !block.is_power_of_two() {
            return Err(Failure::Other(format!(
                "BLOCK must be a power of two (it is {block}): sums are halved"
            )));
        }
        let input = cx.input("in", outputs + 2 * radius);
        let weights = cx.input("weights", 2 * radius + 1);
        let partials = blocks(chunk.min(outputs), block) as usize;
        let buffers = Buffers::new(cx, &weights, chunk, partials)?;
        let mut got = Vec::with_capacity(outputs);
        cx.write(buffers.chunk, 0, &input[..2 * radius])?;
        let mut carried = 0;
        while got.len() < outputs {
            let count = chunk.min(outputs - got.len());
            let new = got.len() + 2 * radius;
            cx.write(buffers.chunk, 2 * radius, &input[new..new + count])?;
            buffers.compute(cx, count, radius, block)?;
            got.extend(cx.download(buffers.out, count)?);
            if got.len() < outputs {
                buffers.carry(cx, count, radius)?;
                let halo = cx.peek(buffers.chunk, 2 * radius)?;
                let expected = input[got.len()..][..2 * radius].iter().map(|x| f64::from(*x));
                let expected: Vec<f64> = expected.collect();
                Comparison::new("chunk", &halo, &expected).kernel("carry_halo").check()?;
                carried += 1;
            }
        }
        let partial = cx.download(buffers.partial, partials)?;
        let moved = cx.moved();
        // Each chunk stores its blocks' sums again.
        let of_chunk = |from| blocks(chunk.min(outputs - from), block) as usize;
        let sums: usize = (0..outputs).step_by(chunk).map(of_chunk).sum();
        let peak = cx.device().transfers().peak_allocated;
        let window = valid(&stencil::reference(cx.seed(), &input, &weights), radius);
        compare(&window, &got, &partial, (radius, chunk, block as usize))?;
        Ok(Run::new()
            .with("carried", f64::from(carried))
            .with("moved", moved as f64)
            .with("sums", sums as f64)
            .with("peak", peak as f64))
    }

    /// Without the one addition per output for the block's sums.
    fn flops(&self, case: &Case) -> f64 {
        let (outputs, radius, _) = sizes(case);
        (2 * (2 * radius + 1) * outputs) as f64
    }

    fn bytes(&self, case: &Case) -> f64 {
        8.0 * case.size("outputs") as f64
    }

    fn gates(&self) -> Vec<Gate> {
        let mut gates = stencil::tiled_gates("outputs", (12.0, ", and add up the block's outputs"));
        let outputs = |m: &Measured<'_>| sectors(m.case.size("outputs")) + m.run.values["sums"];
        let stores = coalesced_stores(1.2, "store each output once, and one sum per block", outputs);
        gates.push(stores.hint("one thread of each block adds its sum to `partial`"));
        let of_window = stencil::technique(&["stencil_chunk"], 2, |of| {
            let (outputs, radius, chunk) = sizes(of);
            case(outputs.min(chunk), radius.max(4), chunk)
        });
        let of_sums = Technique {
            path: HandoverPath::Sums,
            elements: "sums from other threads",
            output: (3, "partial"),
            share: 10.0,
            ..of_window
        };
        gates.push(of_window.gate("technique"));
        gates.push(of_sums.gate("sum_of_threads"));
        gates.push(of_sums.few_in_a_row("sum_in_a_tree", "BLOCK"));
        gates
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, run: &Run) -> Result<Vec<Extra>, Failure> {
        let (outputs, radius, _) = sizes(case);
        let input = 4.0 * (outputs + 2 * radius) as f64;
        let info = cx.device().info().clone();
        let kib = |bytes: f64| format!("{:.0} KiB", bytes / 1024.0);
        let carried = run.values["carried"];
        Ok(vec![
            Extra::fact("input", kib(input)),
            Extra::fact("device memory, at most", kib(run.values["peak"])),
            Extra::fact("chunks", format!("{:.0}", carried + 1.0)),
            Extra::fact(
                "halos carried on device",
                format!("{carried:.0}, {:.0} bytes that were not sent again", carried * (8 * radius) as f64),
            ),
            Extra::fact(
                "host/device transfers",
                format!(
                    "{}, {:.1} µs at the link's {:.0} GB/s; the kernels' {} at the memory's {:.0} GB/s take {:.1} µs",
                    kib(run.values["moved"]),
                    run.values["moved"] / info.host_link_bandwidth * 1e6,
                    info.host_link_bandwidth / 1e9,
                    kib(self.bytes(case)),
                    info.memory_bandwidth / 1e9,
                    self.bytes(case) / info.memory_bandwidth * 1e6,
                ),
            ),
        ])
    }

    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        let (outputs, radius, _) = sizes(case);
        let input = harness::input(seed, "in", outputs + 2 * radius);
        let weights = harness::input(seed, "weights", 2 * radius + 1);
        let mut out = vec![0.0f32; outputs];
        Some(harness::time_host(|| {
            let mut total = 0.0;
            for (out, window) in out.iter_mut().zip(input.windows(2 * radius + 1)) {
                *out = window.iter().zip(weights.iter()).map(|(x, w)| x * w).sum();
                total += *out;
            }
            total
        }))
    }
}
