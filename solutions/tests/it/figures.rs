//! The accesses that the book's figures of real kernels are drawn from: those of the solutions, recorded here.
//!
//! `FIGURES=write cargo test -p solutions --test it figures::` writes the file; the figures are then drawn by the command that
//! CONTRIBUTING.md names.

use device::{WarpAccess, WarpAccessKind};
use device_sim::{DeviceModel, SimDevice};
use serde_json::{Value, json};
use std::path::Path;

/// A figure's name, lab, exercise, kind of access and variable.
type Shown = (&'static str, &'static str, &'static str, WarpAccessKind, &'static str);

const SHOWN: [Shown; 7] = [
    ("run-stencil", "lab_1_stencil", "naive", WarpAccessKind::GlobalLoad, "in"),
    ("run-convolution", "lab_2_convolution", "naive", WarpAccessKind::GlobalLoad, "in"),
    ("run-product-a", "lab_6_tiled_matmul", "naive", WarpAccessKind::GlobalLoad, "a"),
    ("run-product-b", "lab_6_tiled_matmul", "naive", WarpAccessKind::GlobalLoad, "b"),
    ("run-transpose", "lab_7_transpose", "naive_read_rows", WarpAccessKind::GlobalStore, "out"),
    ("run-tile", "lab_7_transpose", "shared", WarpAccessKind::SharedLoad, "tile"),
    ("run-tile-padded", "lab_7_transpose", "padded", WarpAccessKind::SharedLoad, "tile"),
];

/// The access of a solution that a figure shows.
fn recorded(&(id, lab, exercise, kind, name): &Shown) -> Value {
    let lab = solutions::lab(lab);
    let path = solutions::paths().solution(&lab, exercise);
    let file = harness::read_kernel_file(&path, "solution").unwrap();
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    let recording = harness::record(lab.exercise(exercise).unwrap(), file, &mut device, 1).unwrap();
    let is_shown = |access: &&WarpAccess| access.kind == kind && access.name.as_deref() == Some(name);
    let mut shown = recording.accesses.iter().filter(is_shown);
    let access = shown.next().unwrap_or_else(|| panic!("{exercise} has no {kind:?} of `{name}`"));
    assert!(shown.next().is_none(), "{exercise} has another {kind:?} of `{name}`");
    let mut access = serde_json::to_value(access).unwrap();
    // A comment in the file may move them; the figure shows neither.
    for place in ["file", "column", "text"] {
        access.as_object_mut().unwrap().remove(place);
    }
    access["line"] = 1.into();
    json!({ "id": id, "lab": lab.package, "exercise": exercise, "access": access })
}

#[test]
fn accesses_of_the_books_figures_are_those_of_the_solutions() {
    let all: Vec<String> = SHOWN.iter().map(|shown| recorded(shown).to_string()).collect();
    let text = format!("{}\n", all.join("\n"));
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../common/figure/examples/book/runs.jsonl"));
    if std::env::var("FIGURES").is_ok_and(|what| what == "write") {
        std::fs::write(path, &text).unwrap();
    }
    let known = std::fs::read_to_string(path).unwrap();
    assert_eq!(known, text, "run `FIGURES=write cargo test -p solutions --test it figures::`");
}
