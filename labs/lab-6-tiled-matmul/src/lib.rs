//! Lab 6: matrix multiplication. From one output per thread and no reuse to tiles in shared memory and in registers.

mod best;
mod matmul;
mod sweep;

pub use matmul::{Product, multiply};

use harness::{Lab, Published};

/// The lab.
pub fn lab() -> Lab {
    Lab {
        number: 6,
        package: "lab-6",
        folder: "lab-6-tiled-matmul",
        title: "Tiled matrix multiplication",
        summary: "Load each element once per tile instead of once per product.",
        exercises: matmul::exercises(),
        best: Some(best::best()),
        published: vec![
            Published {
                title: "matrix product",
                device: "GeForce GTX 260 (GT200, 805 GFLOPS, 112 GB/s)",
                model: Some("gtx260"),
                unit: "GFLOPS",
                rows: vec![("naive", 10.7), ("bound of naive, bandwidth / 4", 28.0), ("tiled", 183.9)],
                note: "16x16 tiles: 17.2 times faster, for 44 instead of 20 source lines",
            },
            Published {
                title: "1024x1024x1024, measured",
                device: "NVIDIA H200",
                model: Some("h200"),
                unit: "GFLOPS",
                rows: vec![("naive", 5117.7), ("tiled", 7666.1), ("vendor library (cuBLAS)", 31374.0)],
                note: "caches lift `naive` far above bandwidth / 4; the vendor library shows how far registers go",
            },
        ],
    }
}
