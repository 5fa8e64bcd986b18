//! Lab 2: two-dimensional convolution. Labs 3 to 5 use the same problem (sizes, host reference, comparison) with
//! filter and image in other memories.

mod best;
mod boundary;
mod constant_filter;
mod naive;
mod problem;

pub use best::{FilterPlace, best};
pub use constant_filter::{BlockShape, ConstantFilter, ExtraReport};
pub use problem::{
    Convolved, Ghost, Problem, bytes, cases, convolve, flops, output_sectors, time_host, window_in_shared,
    window_reads, window_sectors,
};

use harness::{Lab, Published};

/// The lab.
pub fn lab() -> Lab {
    Lab {
        number: 2,
        package: "lab-2",
        folder: "lab-2-convolution",
        title: "2D convolution",
        summary: "A window in two dimensions, and cells outside the image.",
        exercises: vec![Box::new(naive::Naive), Box::new(boundary::Boundary)],
        best: Some(best(FilterPlace::Pointer)),
        published: vec![Published {
            title: "2048x2048, 3x3, measured",
            device: "NVIDIA H200",
            model: Some("h200"),
            unit: "ms",
            rows: vec![("naive", 0.0245)],
            note: "1367 GB/s of compulsory bytes: the caches serve the eight other reads of each cell",
        }],
    }
}
