//! The race engine on the kernels of `simt-ref/tests/races`, whose first lines say what the race oracle says of them.

mod compare;
mod generated;
mod graphs;
mod large;
mod locks;
pub(crate) mod program;
mod random;

use crate::support::{Device, ptr};
use simt::{FaultKind, KernelRef, Launch, NoteReason};
use simt_ir::{Constant, ParamKind, ValidModule};
use std::collections::BTreeSet;
use std::path::Path;

/// The values of a header line's key.
fn header<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let lines = text.lines().map_while(|line| line.strip_prefix("// "));
    lines.filter_map(|line| line.strip_prefix(key)).collect()
}

/// `cooperative <<<2, 64>>> 0 1`, with buffers of 4096 zeros.
fn launch(device: &mut Device, text: &str) -> Launch {
    let shape = text.strip_prefix("cooperative ");
    let cooperative = shape.map(|_| 1 << 20);
    let (shape, values) = shape.unwrap_or(text).strip_prefix("<<<").unwrap().split_once(">>>").unwrap();
    let (grid, block) = shape.split_once(", ").unwrap();
    let number = |text: &str| text.parse::<u32>().unwrap();
    let mut values = values.split_whitespace().map(number);
    let kinds: Vec<ParamKind> = device.module.kernels[0].params.iter().map(|param| param.kind).collect();
    let args = kinds.into_iter().map(|kind| match kind {
        ParamKind::Pointer { .. } => ptr(device.words(&[0; 1024])),
        ParamKind::Scalar(_) => Constant::I32(values.next().unwrap()),
        ParamKind::Texture => panic!("there are no textures here"),
    });
    let args = args.collect();
    Launch { grid: [number(grid), 1, 1], block: [number(block), 1, 1], dynamic_shared: 0, cooperative, args }
}

/// Whether a race is reported, in any launch of the file.
fn has_race(name: &str, text: &str) -> bool {
    let module: Option<ValidModule> = cuda_front::compile(name, text, &cuda_front::Options::default()).module;
    let mut device = Device::of((*module.unwrap()).clone());
    let launches: Vec<Launch> =
        header(text, "launch: ").into_iter().map(|line| launch(&mut device, line)).collect();
    launches.into_iter().any(|launch| {
        let kernel = KernelRef { module: &device.module, symbols: device.id, index: 0 };
        match device.simulator.run(kernel, &launch, &device.options).map_err(|failure| failure.fault.kind) {
            Ok(_) => false,
            Err(
                FaultKind::SharedMemoryRace { .. }
                | FaultKind::GlobalRace { .. }
                | FaultKind::ReadOnlyWritten { .. }
                | FaultKind::AsyncNotAwaited { .. }
                | FaultKind::AsyncSourceWritten { .. },
            ) => true,
            Err(other) => panic!("{name}: {other:?}"),
        }
    })
}

/// In the machine's order, and if that uses what fences, locks or flags order, with the last threads first.
#[test]
fn the_engine_says_what_the_oracle_says() {
    let (mut missed, mut accused) = (Vec::new(), Vec::new());
    for (name, text) in fixtures() {
        let expected = [header(&text, "expect: "), header(&text, "expect descending: ")].concat();
        let expected = expected.iter().any(|expected| expected.starts_with("race"));
        match (expected, has_race(&name, &text)) {
            (true, false) => missed.push(name),
            (false, true) => accused.push(name),
            _ => {}
        }
    }
    assert_eq!((missed, accused), (vec![], vec![]), "missed and accused");
}

/// The notes that the oracle has on a kernel are given as warnings, and no others are.
#[test]
fn what_is_no_error_is_a_warning() {
    let reasons = |expected: &str| -> BTreeSet<NoteReason> {
        let notes = expected.split_once("note (").map_or("", |(_, notes)| notes.trim_end_matches(')'));
        let reason = |rule: &str| match rule {
            "P2" => NoteReason::SameValue,
            "P3n" => NoteReason::CasGuess,
            "O9" => NoteReason::MissingAcquire,
            "P8" => NoteReason::MixedSizes,
            _ => panic!("{rule}"),
        };
        notes.split(", ").filter(|rule| !rule.is_empty()).map(reason).collect()
    };
    let mut noted = 0;
    for (name, text) in fixtures() {
        let expected: Vec<&str> = header(&text, "expect: ");
        let descending = header(&text, "expect descending: ");
        if expected.iter().chain(&descending).any(|expected| expected.starts_with("race")) {
            continue;
        }
        let expected: BTreeSet<NoteReason> = expected.into_iter().flat_map(reasons).collect();
        assert_eq!(notes(&name, &text), expected, "{name}");
        noted += usize::from(!expected.is_empty());
    }
    assert!(noted > 8, "{noted}");
}

/// Why a kernel's launches are warned of.
fn notes(name: &str, text: &str) -> BTreeSet<NoteReason> {
    let module: Option<ValidModule> = cuda_front::compile(name, text, &cuda_front::Options::default()).module;
    let mut device = Device::of((*module.unwrap()).clone());
    let launches: Vec<Launch> =
        header(text, "launch: ").into_iter().map(|line| launch(&mut device, line)).collect();
    let warnings = launches.into_iter().flat_map(|launch| {
        let kernel = KernelRef { module: &device.module, symbols: device.id, index: 0 };
        let outcome = device.simulator.run(kernel, &launch, &device.options);
        outcome.unwrap_or_else(|failure| panic!("{name}: {failure:?}")).warnings
    });
    warnings
        .map(|warning| match warning.kind {
            FaultKind::RaceNote { reason, .. } => reason,
            other => panic!("{name}: {other:?}"),
        })
        .collect()
}

/// The names and texts of the kernels.
fn fixtures() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../simt-ref/tests/races");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 90, "{}", files.len());
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    files.into_iter().map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect()
}
