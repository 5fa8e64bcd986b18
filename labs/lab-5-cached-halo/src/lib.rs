//! Lab 5: convolution with a tile of the block's own size; the halo comes through the caches.

mod halo;

use harness::gates::{coalesced_stores, shared_wavefronts, through_shared};
use harness::{Gate, Lab, Published, Quantity};
use lab_2::{BlockShape, ConstantFilter};

/// The lab.
pub fn lab() -> Lab {
    let cached_halo = ConstantFilter {
        name: "cached_halo",
        title: "Tiled convolution, halo from the cache",
        summary: "The tile holds the block's own cells; window cells outside it come from global memory.",
        hints: include_str!("../hints/cached_halo.md"),
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
        // Lab 4's best kernel computes the same convolution with the same parameters.
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
    let tile = Gate::at_most(
        "fewer_sectors",
        Quantity::LOAD_SECTORS,
        1.2,
        "load own cells once and halo cells at each use, as tiles of 16 x 16 would",
        |m| halo::sectors(m.case, 16),
    );
    let halo = Gate::at_most(
        "halo_only",
        Quantity::LOAD_SECTORS,
        1.3,
        "load the own cells of your tiles once, and halo cells at each use",
        |m| halo::sectors(m.case, m.run.values["tile_columns"] as usize),
    );
    let from_global = Gate::at_least(
        "halo_from_global",
        Quantity::LOAD_SECTORS,
        ("read halo cells from global memory", "0.75x of own cells once plus halo cells at each use"),
        |m| 0.75 * halo::sectors(m.case, m.run.values["tile_columns"] as usize),
    );
    vec![
        tile.hint("a larger tile has less halo per output").by_warp(),
        halo.hint("cells of the block's own tile come from shared memory, the others from global memory, each read once").by_warp(),
        from_global.hint("the tile has no halo: cells outside it are read from global memory, and found in the cache"),
        through_shared(("read own cells from shared memory", "1 per four cells of the window"), |m| lab_2::window_reads(m.case) / 4.0),
        shared_wavefronts(2.5, "read each cell of the window once", |m| lab_2::window_reads(m.case)),
        coalesced_stores(1.5, "store each output once", |m| lab_2::output_sectors(m.case)),
        lab_2::window_in_shared(&["conv2d_cached_halo"], 40.0).gate("technique"),
    ]
}
