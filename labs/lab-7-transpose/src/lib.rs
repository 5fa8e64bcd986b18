//! Lab 7: transpose. Without arithmetic, everything depends on coalescing on both sides, bank conflicts, and the
//! shape of blocks.

mod shapes;
mod transpose;

pub use transpose::transposed;

use harness::{Lab, Published};

/// The lab.
pub fn lab() -> Lab {
    Lab {
        number: 7,
        package: "lab-7",
        folder: "lab-7-transpose",
        title: "Matrix transpose",
        summary: "Move data only: coalesced loads and stores through a shared tile without bank conflicts.",
        exercises: transpose::exercises(),
        best: Some(transpose::best()),
        published: vec![
            Published {
                title: "4096x4096",
                device: "an older, unnamed card",
                model: None,
                unit: "ms",
                rows: vec![("copy", 1.44), ("naive_read_rows", 3.96), ("shared", 1.80), ("padded", 1.5)],
                note: "store transactions per request fall from 32 to 4; a 16-way bank conflict before padding",
            },
            Published {
                title: "4096x4096, measured",
                device: "NVIDIA H200",
                model: Some("h200"),
                unit: "ms",
                rows: vec![
                    ("copy", 0.0759),
                    ("naive_read_rows", 0.2592),
                    ("naive_read_columns", 0.1077),
                    ("shared", 0.0913),
                    ("padded", 0.0732),
                    ("32x8, four rows per thread", 0.0405),
                ],
                note: "3.3 TB/s, which a copy from device to device reaches at that size",
            },
        ],
    }
}
