//! Compares reports of every starter and solution: the playground's report equals the program's, including its text.

use crate::pictures::objects;
use crate::{answer, grade};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use figure::report::{Report, pictures};
use harness::report::{self, Style};
use harness::{Options, Paths};
use serde_json::{Value, json};
use std::path::Path;

/// Advice for a report that differs.
const HELP: &str =
    "if it is about what the reference has, `cargo run -p playground --example measure` measures it";

fn paths() -> Paths {
    Paths::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// The report of `lab run LAB EXERCISE` in a folder whose file has this text, and its text.
fn of_the_program(number: u32, exercise: &str, text: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let solutions = paths().solutions;
    let kernels = folder.path().join("kernels");
    let labs = labs::all();
    let lab = labs.iter().find(|lab| lab.number == number).unwrap();
    // A page names files without their folders.
    let paths = Paths { root: kernels.join(lab.folder), kernels, solutions };
    let file = paths.kernel(lab, exercise);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL).unwrap());
    let exercise = lab.exercise(exercise).unwrap();
    let report = harness::grade(lab, exercise, &file, &paths, &mut device, &Options::default());
    let mut value = serde_json::to_value(&report).unwrap();
    value["pictures"] = objects(pictures(&Report::from_json(&value).unwrap()));
    value["rendered"] = report::text(&report, Style::PLAIN).into();
    value["rendered_in_full"] = report::text(&report, Style { verbose: true, ..Style::PLAIN }).into();
    value
}

/// Compares the playground's and the program's reports for every exercise of a lab.
fn lab(number: u32) {
    let labs = labs::all();
    let lab = labs.iter().find(|lab| lab.number == number).unwrap();
    for exercise in &lab.exercises {
        let name = exercise.name();
        let starter = paths().starter(lab, name).unwrap();
        let solution = std::fs::read_to_string(paths().solution(lab, name)).unwrap();
        for (text, passes) in [(starter, false), (solution, true)] {
            let ours = answer(&grade(number, name, &text));
            let theirs = json!({ "ok": of_the_program(number, name, &text) }).to_string();
            let [our_object, their_object] =
                [&ours, &theirs].map(|text| serde_json::from_str::<Value>(text).unwrap());
            same(&format!("{}/{name}", lab.package), &our_object, &their_object);
            assert_eq!(our_object["ok"]["status"] == "passed", passes, "{our_object:#}");
            // Parsing may round a number's last digit.
            assert!(ours == theirs, "{}/{name}: a last digit differs; {HELP}", lab.package);
        }
    }
}

/// Fails at the first field that differs.
fn same(place: &str, ours: &Value, theirs: &Value) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()) {
                same(&format!("{place}.{key}"), &ours[key], &theirs[key]);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(i, (a, b))| same(&format!("{place}[{i}]"), a, b));
        }
        _ => assert_eq!(ours, theirs, "{place} differs; {HELP}"),
    }
}

macro_rules! labs {
    ($($name:ident: $number:expr,)*) => {
        $(#[test]
        fn $name() {
            lab($number);
        })*

        #[test]
        fn every_lab_is_compared() {
            let compared = [$($number),*];
            assert!(labs::all().iter().map(|lab| lab.number).eq(compared));
        }
    };
}

labs! {
    lab_1: 1,
    lab_2: 2,
    lab_3: 3,
    lab_4: 4,
    lab_5: 5,
    lab_6: 6,
    lab_7: 7,
}
