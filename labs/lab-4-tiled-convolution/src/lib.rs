//! Lab 4: tiled convolution, with the image's tile in shared memory and two ways to map a block to it.

mod tiles;

pub use tiles::{idle_share, loads_per_output};

use harness::gates::{coalesced_stores, fewer_loads, shared_wavefronts, through_shared, tile_sectors};
use harness::{Gate, Lab, Measured, Published, Quantity};
use lab_2::{BlockShape, ConstantFilter};

/// The lab.
pub fn lab() -> Lab {
    let input_tile = ConstantFilter {
        name: "input_tile",
        title: "Tiled convolution, block as large as the input tile",
        summary: "Every thread loads one cell of the tile; only the inner ones compute.",
        hints: include_str!("../hints/input_tile.md"),
        kernel: "conv2d_input_tile",
        shape: BlockShape::Inputs,
        gates: || gates(&["conv2d_input_tile"], 2.0),
        extra: tiles::report,
    };
    let output_tile = ConstantFilter {
        name: "output_tile",
        title: "Tiled convolution, block as large as the output tile",
        summary: "Every thread computes; the larger tile of inputs is loaded in a loop.",
        hints: include_str!("../hints/output_tile.md"),
        kernel: "conv2d_output_tile",
        shape: BlockShape::Outputs,
        gates: || gates(&["conv2d_output_tile"], 1.5),
        extra: tiles::report,
    };
    Lab {
        number: 4,
        package: "lab-4",
        folder: "lab-4-tiled-convolution",
        title: "Tiled convolution",
        summary: "A shared tile with a halo: what it saves, and what idle threads and overlap cost.",
        exercises: vec![Box::new(input_tile), Box::new(output_tile)],
        best: Some(lab_2::best(lab_2::FilterPlace::Constant)),
        published: vec![
            Published {
                title: "2048x2048, 3x3, the whole application",
                device: "not stated",
                model: None,
                unit: "s",
                rows: vec![
                    ("CPU", 0.0607),
                    ("naive", 0.009_44),
                    ("constant", 0.009_16),
                    ("constant and tiled", 0.009_39),
                ],
                note: "no gain from the tile, to its author's surprise: see which loads reach the memory",
            },
            Published {
                title: "2048x2048, 3x3, measured",
                device: "NVIDIA H200",
                model: Some("h200"),
                unit: "ms",
                rows: vec![
                    ("naive (lab 2)", 0.0245),
                    ("conv2d_constant (lab 3)", 0.0216),
                    ("input_tile", 0.0217),
                ],
                note: "the tile asks L1 for a sixth of the sectors; memory sends the same bytes",
            },
        ],
    }
}

/// The gates. `stores` is the allowance for stores, because the rows of a block's outputs may start within a sector.
fn gates(kernels: &'static [&'static str], stores: f64) -> Vec<Gate> {
    let size = |m: &Measured<'_>| ["height", "width"].map(|name| m.case.size(name));
    let once = Gate::at_most(
        "loads_once",
        Quantity::LOAD_SECTORS,
        1.5,
        "load each cell of your tiles once",
        move |m| {
            let tile = ["tile_rows", "tile_columns"].map(|name| m.run.values[name] as usize);
            tile_sectors(size(m), tile, m.case.size("radius"))
        },
    );
    vec![
        fewer_loads(
            1.5,
            "load no more than tiles of 8 x 8 outputs would",
            "is each cell of the tile loaded once, and is the tile large compared with its halo?",
            move |m| tile_sectors(size(m), [8, 8], m.case.size("radius")),
        ),
        once.hint(
            "each cell of the tile should be loaded once, by one thread, adjacent cells by adjacent threads",
        )
        .by_warp(),
        through_shared(("read the window from shared memory", "1 per four cells of the window"), |m| {
            lab_2::window_reads(m.case) / 4.0
        }),
        shared_wavefronts(3.0, "read each cell of the window from shared memory once", |m| {
            lab_2::window_reads(m.case)
        }),
        coalesced_stores(stores, "store each output once", |m| lab_2::output_sectors(m.case)),
        lab_2::window_in_shared(kernels, 50.0).gate("technique"),
    ]
}
