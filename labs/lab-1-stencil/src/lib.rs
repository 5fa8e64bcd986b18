//! Lab 1: stencils. From global memory to shared memory, and two programs around a stencil: an iterative solver whose
//! data stay on the device, and a stream that does not fit into it.

mod best;
mod difference;
mod relaxation;
mod stencil;
mod streaming;

pub use difference::adjacent_difference;
pub use relaxation::{Rim, relax};
pub use stencil::{Window, stencil};

use harness::{Lab, Published};

/// The lab.
pub fn lab() -> Lab {
    Lab {
        number: 1,
        package: "lab-1",
        folder: "lab-1-stencil",
        title: "Stencils",
        summary: "Load shared data once, into shared memory, and keep data where it is used.",
        exercises: vec![
            Box::new(stencil::Stencil::naive()),
            Box::new(stencil::Stencil::shared()),
            Box::new(difference::AdjacentDifference),
            Box::new(relaxation::Relaxation),
            Box::new(streaming::Streaming),
        ],
        best: Some(best::best()),
        published: vec![
            Published {
                title: "bandwidth, a course slide",
                device: "a GT200-class card",
                model: Some("gtx260"),
                unit: "GB/s",
                rows: vec![("host link", 6.0), ("device memory", 160.0)],
                note: "for orientation: data that the host sends is about 25 times slower than data that stays on the \
                device",
            },
            Published {
                title: "16 Mi elements, radius 3, measured",
                device: "NVIDIA H200",
                model: Some("h200"),
                unit: "ms",
                rows: vec![("naive", 0.0824), ("shared", 0.0934)],
                note: "a large L1 cache does for `naive` what shared memory does by hand",
            },
        ],
    }
}
