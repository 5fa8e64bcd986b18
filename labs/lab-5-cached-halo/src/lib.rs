//! Lab 5: convolution with a tile of the block's own size; the halo comes through the caches.

mod halo;

use harness::gates::reads_shared;
use harness::{Gate, Lab, Published};
use lab_2::{BlockShape, ConstantFilter};

/// The lab.
pub fn lab() -> Lab {
    let cached_halo = ConstantFilter {
        name: "cached_halo",
        title: "Tiled convolution, halo from the cache",
        summary: "The tile is the block's own cells; what the window needs beyond them comes from global memory.",
        kernel: "conv2d_cached_halo",
        shape: BlockShape::Outputs,
        gates,
        extra: halo::report,
    };
    Lab {
        number: 5,
        package: "lab-5",
        folder: "lab-5-cached-halo",
        title: "Cached-halo convolution",
        summary: "A tile without a halo: simpler loads, divergent reads at the tile's edge.",
        exercises: vec![Box::new(cached_halo)],
        // It is the same convolution with the same parameters as lab 4's.
        best: None,
        published: vec![Published {
            title: "2048x2048, 3x3, measured",
            device: "NVIDIA H200",
            model: Some("h200"),
            unit: "ms",
            rows: vec![
                ("naive (lab 2)", 0.0245),
                ("conv2d_constant (lab 3)", 0.0216),
                ("input_tile (lab 4)", 0.0217),
                ("cached_halo", 0.0418),
            ],
            note: "fewer sectors than without a tile, but twice the instructions: 20.5 of 32 lanes are active on average",
        }],
    }
}

fn gates() -> Vec<Gate> {
    let asks = "global load sectors, against those of lab 2's `naive`";
    let sectors = Gate::at_most("fewer_sectors", asks, 0.35, 0.19, |m| {
        let baseline = m.baseline?.global_load_sectors;
        (baseline > 0).then(|| m.counters.global_load_sectors as f64 / baseline as f64)
    })
    .unit("of the baseline's")
    .hint("cells of the block's own tile come from shared memory, and a larger tile has less halo for each output")
    .by_warp();
    vec![
        sectors,
        // Of the nine reads of an output at radius 1, nearly all hit the tile.
        reads_shared(|m| 5.0 * m.run.values["warps"]),
    ]
}
