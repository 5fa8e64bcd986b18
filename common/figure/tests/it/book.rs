//! Checks the book's figures: each file is up to date, appears in the book, and is legible.

#[path = "../../examples/book/figures/mod.rs"]
mod figures;

use crate::support::{labels, legible, named, number, parse};
use figure::svg::{Figure, Rect};
use roxmltree::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn pairs() -> Vec<[Figure; 2]> {
    figures::figures(&figures::Sources::read(root()).unwrap()).unwrap()
}

/// Both drawings of each figure.
fn all() -> Vec<Figure> {
    pairs().into_iter().flatten().collect()
}

#[test]
fn files_are_what_the_command_writes() {
    let should_be: BTreeMap<String, String> =
        pairs().into_iter().map(|figure| (figures::file(&figure), figures::text(figure))).collect();
    let files = std::fs::read_dir(root().join(figures::FOLDER)).unwrap();
    let read = |file: std::io::Result<std::fs::DirEntry>| {
        let path = file.unwrap().path();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(path).unwrap())
    };
    let are: BTreeMap<String, String> = files.map(read).collect();
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<BTreeSet<String>>();
    let help = "run `cargo run -p figure --example book`, and delete files of figures that are no more";
    assert_eq!(names(&are), names(&should_be), "{help}");
    for (name, text) in &should_be {
        assert!(are[name] == *text, "{}/{name} is out of date: {help}", figures::FOLDER);
    }
    let sheet = std::fs::read_to_string(root().join(figures::SHEET)).unwrap_or_default();
    assert!(sheet == figures::sheet(), "{} is out of date: {help}", figures::SHEET);
}

#[test]
fn each_figure_is_in_the_book_once() {
    let pages = std::fs::read_dir(root().join("docs/src")).unwrap();
    let pages: String = pages
        .map(|page| page.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let figures = pairs();
    for figure in &figures {
        // Between empty lines, so that Markdown reads all of it as HTML.
        let include = format!("\n\n{{{{#include figures/{}}}}}\n\n", figures::file(figure));
        assert_eq!(pages.matches(&include).count(), 1, "{include}");
    }
    assert_eq!(pages.matches("figures/").count(), figures.len(), "a figure that is not generated");
}

#[test]
fn nothing_leaves_a_figure_and_no_label_covers_another() {
    for figure in all() {
        let id = figure.id.clone();
        let labels = legible(figure);
        assert!(!labels.is_empty(), "{id}");
        assert!(labels.iter().all(|(_, text)| !text.ends_with('…')), "{id}: a label is cut");
    }
}

/// Text is legible only on light cells, so filled areas carry none.
#[test]
fn no_label_stands_on_a_filled_or_hatched_cell() {
    for figure in all() {
        let id = figure.id.clone();
        let text = figure.document();
        let document = parse(&text);
        let is_filled = |node: &Node<'_, '_>| {
            let is_hatched = node.parent().is_some_and(|group| {
                group.children().any(|part| part.attribute("class") == Some("hatching"))
            });
            node.attribute("class") == Some("solid") || is_hatched
        };
        let labels = labels(&document);
        for cell in named(&document, "rect").into_iter().filter(is_filled) {
            let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(cell, name));
            // Shrink the cell, so that a label may touch its border.
            let inner = Rect { x: x + 1.0, y: y + 1.0, width: width - 2.0, height: height - 2.0 };
            for (area, text) in &labels {
                assert!(!area.overlaps(&inner), "{id}: {text:?} is on a filled cell");
            }
        }
    }
}

/// Compares numbers in the chapters with what the figures compute.
#[test]
fn figures_say_in_words_what_the_chapters_say() {
    let figures = all();
    let told = |id: &str| &figures.iter().find(|figure| figure.id == id).unwrap().description;
    for (id, parts) in [
        (
            "sectors",
            &[
                "Adjacent floats: 4 sectors, 100 %",
                "start: 5 sectors, 80 %",
                "second float: 8 sectors, 50 %",
                "apart: 32 sectors, 12.5 %",
            ][..],
        ),
        ("grid", &["4 blocks, each with threads 0 to 255", "In block 3, i is 768 to 1023"]),
        (
            "warp-sectors",
            &[
                "256 threads has 8 warps",
                "threads 32 to 63",
                "bytes 128 to 255: 4 sectors of 32 bytes",
                "by 8 lanes",
            ],
        ),
        (
            "memory",
            &[
                "132 multiprocessors has registers (65\u{202f}536 of 4 bytes, 256 KiB)",
                "up to 228 KiB in 32 banks",
                "the rest of 256 KiB",
                "L2 cache of 50 MiB",
                "141 GiB, 4.8 TB/s and a latency of 479 cycles",
            ],
        ),
        ("window-1d", &["radius 3, the output at D is the sum of 7 elements"]),
        ("relaxation", &["its cell and the four neighbours", "step 2 from buffer 1 to buffer 0"]),
        (
            "streaming",
            &[
                "cells 12 to 17 go to cells 0 to 5; 0 cells",
                "cells 4 to 9 go to cells 0 to 5; 2 cells are both",
            ],
        ),
        (
            "borders",
            &["ghost, value g: g g g g g, g a b c g", "clamp: a a b c c, a a b c c, d d e f f, d d e f f"],
        ),
        ("neighbours", &["9 cells: 6 in the block's own tile, and 3 in the tile of the block above"]),
        (
            "product-registers",
            &["rows 4 to 7 of a_tile and columns 8 to 11 of b_tile: 8 float4", "64 multiply-adds"],
        ),
        (
            "halves",
            &[
                "32 adjacent floats of in, 4 sectors",
                "16 and 16 adjacent floats of out, 4 sectors",
                "columns 0 and 1",
            ],
        ),
        ("sectors-block", &["threadIdx.x: 4 sectors", "threadIdx.y: 16 sectors, 25 %"]),
        ("banks", &["PAD 0: 2 banks, 16 wavefronts", "PAD 1: 17 banks, 2", "PAD 2: 32 banks, 1 wavefront."]),
        ("halo-1d", &["22 cells for 16 outputs", "Load 2: threads 0 to 5, cells 16 to 21"]),
        (
            "halo-2d",
            &["64 cells loaded for 36 outputs; 28 of 64", "100 cells loaded for 64 outputs; 0 of 64"],
        ),
        ("tile-overlap", &["64 cells for 36 outputs"]),
        ("cached-halo", &["484 of 576 reads"]),
        ("reuse", &["4.8 TB/s: 56 uses", "register_tiled has 64", "naive does not use it"]),
        ("ladder-transpose", &["best: 512 threads: 0.5220 ms, 97.3 %"]),
        ("speed", &["tiled matmul, all checks and counters: 130.00 µs at n = 64, 30.540 s at n = 4096"]),
        ("roofline-labs", &["register_tiled: 12.05 TFLOPS measured"]),
        ("run-stencil", &["5 sectors for 128 different bytes; they fit into 4"]),
        ("run-convolution", &["6 sectors for 128 different bytes"]),
        ("run-product-a", &["2 sectors for 8 different bytes"]),
        ("run-product-b", &["2 sectors for 64 different bytes, the fewest. 100 %"]),
        ("run-transpose", &["32 sectors for 128", "12.5 % of the bytes of these sectors are written"]),
        (
            "run-tile",
            &["16 wavefronts; without bank conflicts 1", "together 1\u{202f}048\u{202f}576 wavefronts"],
        ),
        ("run-tile-padded", &["1 wavefront; there is no bank conflict", "none takes more than needed"]),
    ] {
        for part in parts {
            assert!(told(id).contains(part), "{part:?} is not in: {}", told(id));
        }
    }
}
