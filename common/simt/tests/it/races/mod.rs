//! The race detectors on the kernels of `simt-ref/tests/races`, whose first lines say what the race oracle says of them.

mod compare;
mod generated;
mod graphs;
pub(crate) mod program;
mod random;

use crate::support::{Device, ptr};
use simt::{FaultKind, KernelRef, Launch};
use simt_ir::{Constant, ParamKind, ValidModule};
use std::path::Path;

/// Races that the detectors miss, with the reason. Nothing else may be missed, and no kernel without a race may be accused.
const MISSED: &[(&str, &str)] = &[
    ("case_36_lock_race", BY_BLOCK),
    ("case_36_two_locks_race", BY_BLOCK),
    ("case_40_read_only_own_race", READ_ONLY),
    ("case_40_read_only_race", READ_ONLY),
    ("rule_o10_store_ends_chain_race", BY_BLOCK),
    ("rule_o12_weaker_fences_race", BY_BLOCK),
    ("rule_p3_other_comparand_race", COMPARAND),
    ("rule_p5_two_looks_race", READER),
    ("rule_second_release_race", BY_BLOCK),
];
const BY_BLOCK: &str = "what fences order between blocks is known by block, not by word, thread and scope";
const READ_ONLY: &str = "reads by the read-only path count as plain ones";
const COMPARAND: &str = "a guess is a read before any compare-and-swap of the word";
const READER: &str = "whether the reader of a volatile flag polls or fences is not looked at";

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

/// Whether a race is reported, in each launch of the file; `definition`: by the definition of races, too.
fn has_race(name: &str, text: &str, definition: bool) -> bool {
    let module: Option<ValidModule> = cuda_front::compile(name, text, &cuda_front::Options::default()).module;
    let mut device = Device::of((*module.unwrap()).clone());
    device.options.definition = definition;
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

#[test]
fn the_detectors_say_what_the_oracle_says() {
    let (missed, accused) = compared(false);
    assert_eq!(accused, [""; 0]);
    assert_eq!(missed, MISSED.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

#[test]
fn small_launches_are_as_the_definition_says() {
    let missed = vec![String::from("rule_p5_two_looks_race")];
    assert_eq!(compared(true), (missed, vec![]), "missed and accused");
}

/// The kernels whose races are missed, and those that are accused of one that they do not have.
fn compared(definition: bool) -> (Vec<String>, Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../simt-ref/tests/races");
    let (mut missed, mut accused, mut files) = (Vec::new(), Vec::new(), 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        // The definition is asked about the descending order, too.
        let descending = header(&text, "expect descending: ").into_iter().filter(|_| definition);
        let mut expected = header(&text, "expect: ").into_iter().chain(descending);
        let expected = expected.any(|expected| expected.starts_with("race"));
        match (expected, has_race(name, &text, definition)) {
            (true, false) => missed.push(name.to_owned()),
            (false, true) => accused.push(name.to_owned()),
            _ => {}
        }
        files += 1;
    }
    assert!(files > 90, "{files}");
    missed.sort();
    accused.sort();
    (missed, accused)
}
