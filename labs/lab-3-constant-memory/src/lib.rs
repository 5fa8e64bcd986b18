//! Lab 3: constant memory, and the other paths on which small read-only data reach a multiprocessor.

mod best;
mod fir;
mod probe;

pub use fir::{Filtered, fir};

use harness::gates::{coalesced_loads, coalesced_stores};
use harness::{Case, Gate, HandoverPath, Lab, Measured, Published, Quantity, Technique};
use lab_2::{BlockShape, ConstantFilter};

/// The lab.
pub fn lab() -> Lab {
    let convolution = ConstantFilter {
        name: "conv2d_constant",
        title: "2D convolution, filter in constant memory",
        summary: "The filter is a __constant__ array that the host sets before the launch.",
        hints: include_str!("../hints/conv2d_constant.md"),
        kernel: "conv2d_constant",
        shape: BlockShape::Free,
        gates: || {
            let mut gates = constant_gates(|m| lab_2::window_reads(m.case));
            gates.push(coalesced_loads(1.5, "read each window, adjacent cells in adjacent threads", |m| {
                lab_2::window_sectors(m.case)
            }));
            gates.push(coalesced_stores(1.5, "store each output once", |m| lab_2::output_sectors(m.case)));
            gates.push(technique(HandoverPath::Constant, &["conv2d_constant"], (1, "out")));
            gates
        },
        extra: |_, _, _| Ok(Vec::new()),
    };
    let mut exercises: Vec<Box<dyn harness::Exercise>> = vec![Box::new(convolution)];
    exercises.extend(fir::exercises());
    Lab {
        number: 3,
        package: "lab-3",
        folder: "lab-3-constant-memory",
        title: "Constant memory",
        summary: "One loop, five ways for its small read-only operand: global, constant, read-only, texture, shared.",
        exercises,
        best: Some(best::best()),
        published: published(),
    }
}

/// The gates of a loop whose small operand lies in constant memory; `reads` is how often warps read an element of it.
pub(crate) fn constant_gates(reads: fn(&Measured<'_>) -> f64) -> Vec<Gate> {
    vec![
        Gate::at_least(
            "through_constant",
            Quantity::CONSTANT_PASSES,
            ("read the small array from constant memory", "0.95 per element of the array"),
            move |m| 0.95 * reads(m),
        )
        .hint("read the __constant__ array in the loop"),
        Gate::at_most("uniform_index", Quantity::CONSTANT_PASSES, 1.15, "read one element of the array per warp at a time, each once", reads)
            .hint("the index of the constant array must not depend on the thread, and nothing should be read that is \
            not needed")
            .by_warp(),
        fewer_reads(Quantity::READS_BESIDE_CONSTANT, reads),
    ]
}

/// The technique: each output is computed from elements of the small operand that its thread reads on `path`.
pub(crate) fn technique(
    path: HandoverPath,
    kernels: &'static [&'static str],
    output: (usize, &'static str),
) -> Gate {
    let from: &[Option<usize>] = match path {
        // One of the kernels also reads the samples on this path.
        HandoverPath::ReadOnly | HandoverPath::Texture => &[Some(1)],
        HandoverPath::Shared | HandoverPath::Sums => &[Some(0), Some(1)],
        HandoverPath::Constant => &[None],
    };
    let elements = match path {
        HandoverPath::Constant => "elements of the __constant__ array that its thread reads itself",
        HandoverPath::Texture => "elements of the texture that its thread reads itself",
        HandoverPath::ReadOnly => "taps that its thread reads itself through __ldg",
        HandoverPath::Shared | HandoverPath::Sums => {
            "samples, and from taps, that another thread put in shared memory"
        }
    };
    let (share, at): (_, fn(&Case) -> Case) = match path {
        HandoverPath::Shared => (50.0, fir::with_window),
        _ => (90.0, Case::clone),
    };
    Technique { path, elements, kernels, from, output, share, at }.gate("technique")
}

/// The gate that only one operand of the loop is still read through `quantity`'s path.
pub(crate) fn fewer_reads(quantity: Quantity, reads: fn(&Measured<'_>) -> f64) -> Gate {
    Gate::at_most("fewer_loads", quantity, 1.2, "load each element of the large array once per output", reads)
        .hint("only the large array may come from elsewhere, and each element of it once")
        .by_warp()
}

fn published() -> Vec<Published> {
    vec![
        Published {
            title: "32 taps, 2048 x 2048 samples, 100 launches",
            device: "GeForce GTX 980",
            model: Some("gtx980"),
            unit: "ms",
            rows: vec![
                ("fir_global", 513.0),
                ("fir_constant", 132.0),
                ("read-only taps alone", 128.0),
                ("fir_readonly", 95.0),
                ("fir_texture", 170.0),
                ("fir_shared", 85.0),
            ],
            note: "this card does not keep plain global loads in L1; current cards do, and the rows are close together",
        },
        Published {
            title: "32 taps, 2048 x 2048 samples, 1 launch, measured",
            device: "NVIDIA H200",
            model: Some("h200"),
            unit: "ms",
            rows: vec![
                ("fir_global", 0.0462),
                ("fir_constant", 0.0468),
                ("fir_readonly", 0.0440),
                ("fir_texture", 0.0891),
            ],
            note: "L1 answers 24.05 of 24.64 million load sectors of `fir_global`",
        },
        Published {
            title: "2D convolution 2048x2048, 3x3, measured",
            device: "NVIDIA H200",
            model: Some("h200"),
            unit: "ms",
            rows: vec![("naive (lab 2)", 0.0245), ("conv2d_constant", 0.0216)],
            note: "",
        },
    ]
}
