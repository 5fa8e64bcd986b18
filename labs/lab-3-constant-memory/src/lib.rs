//! Lab 3: constant memory, and the other ways that small read-only data can take to a multiprocessor.

mod best;
mod fir;
mod probe;

pub use fir::{Filtered, fir};

use harness::gates::loads_of_baseline;
use harness::{Gate, Lab, Published};
use lab_2::{BlockShape, ConstantFilter};

/// The lab.
pub fn lab() -> Lab {
    let convolution = ConstantFilter {
        name: "conv2d_constant",
        title: "2D convolution, filter in constant memory",
        summary: "The filter is a __constant__ array that the host sets before the launch.",
        kernel: "conv2d_constant",
        shape: BlockShape::Free,
        gates: || {
            let mut gates = constant_gates(9.0);
            gates.push(loads_of_baseline(0.55, 0.5, "only the image may come from global memory"));
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

/// At least `requests` constant requests for each warp of outputs, and one pass for each: all lanes read the same element.
pub(crate) fn constant_gates(requests: f64) -> Vec<Gate> {
    let asks = "the small operand comes through constant memory: constant requests for each warp of outputs";
    let through = Gate::at_least("through_constant", asks, 0.95 * requests, requests, |m| {
        Some(m.counters.constant_requests as f64 / m.run.values["warps"])
    })
    .unit("requests/warp")
    .hint("read the __constant__ array in the loop");
    let asks = "all lanes of a warp read the same element: passes per constant request";
    let uniform = Gate::at_most("uniform_index", asks, 1.0, 1.0, |m| {
        let requests = m.counters.constant_requests;
        (requests > 0).then(|| m.counters.constant_passes as f64 / requests as f64)
    })
    .unit("passes/request")
    .hint("the index of the constant array must not depend on the thread");
    vec![through, uniform]
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
            note: "this card does not keep plain global loads in L1; cards of today do, and the rows come close",
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
