//! Compares pictures of single warps with the program's, for exercises and launches.

use crate::{error, grade, ok};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use figure::report::{Picture, Report, pictures};
use harness::{Options, Paths};
use serde_json::{Value, json};
use std::path::Path;

/// Pictures as the JSON objects that a page receives.
pub(crate) fn objects(pictures: Vec<Picture>) -> Value {
    let object = |picture: Picture| {
        json!({
            "line": picture.line,
            "summary": picture.summary,
            "svg": picture.figure.fragment(),
            "text": picture.text.join("\n"),
        })
    };
    pictures.into_iter().map(object).collect()
}

fn paths() -> Paths {
    Paths::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// The pictures that `lab run --show-access` draws of a solution.
fn of_the_program(number: u32, exercise: &str) -> Value {
    let labs = labs::all();
    let lab = labs.iter().find(|lab| lab.number == number).unwrap();
    let file = paths().solution(lab, exercise);
    let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL).unwrap());
    let options = Options { recording: true, ..Options::default() };
    let report = harness::grade(lab, lab.exercise(exercise).unwrap(), &file, &paths(), &mut device, &options);
    objects(pictures(&Report::from_json(&serde_json::to_value(&report).unwrap()).unwrap()))
}

fn solution(number: u32, exercise: &str) -> String {
    let labs = labs::all();
    let lab = labs.iter().find(|lab| lab.number == number).unwrap();
    std::fs::read_to_string(paths().solution(lab, exercise)).unwrap()
}

fn access(number: u32, exercise: &str, text: &str) -> Value {
    let mut request = grade(number, exercise, text);
    request["do"] = "access".into();
    request
}

#[test]
fn an_exercise_has_the_pictures_of_the_program() {
    // The number of pictures; efficient lines have none.
    for (number, exercise, count) in [
        (7, "naive_read_rows", 1),
        (7, "naive_read_columns", 1),
        (7, "shared", 1),
        (7, "padded", 0),
        (1, "naive", 2),
        (3, "fir_constant", 2),
    ] {
        let ours = ok(&access(number, exercise, &solution(number, exercise)));
        let theirs = of_the_program(number, exercise);
        assert_eq!(ours, json!({ "pictures": theirs }), "lab {number} {exercise}");
        assert_eq!(theirs.as_array().unwrap().len(), count, "lab {number} {exercise}: {theirs:#}");
    }
}

#[test]
fn what_is_wrong_has_no_accesses() {
    let padded = solution(7, "padded");
    let wrong = padded.replace("tile[threadIdx.y][threadIdx.x] =", "tile[threadIdx.y][threadIdx.x] = 1 +");
    assert_ne!(padded, wrong);
    for text in [wrong, padded.replace("__global__", "__globe__")] {
        let refused = error(&access(7, "padded", &text));
        assert!(refused.contains("results are correct"), "{refused}");
    }
    assert!(error(&access(8, "padded", &padded)).contains("there is no lab 8"));
}

#[test]
fn a_race_is_drawn_with_the_report() {
    let text = solution(1, "adjacent_difference");
    let text: String =
        text.lines().filter(|line| !line.contains("__syncthreads")).map(|line| format!("{line}\n")).collect();
    let report = ok(&grade(1, "adjacent_difference", &text));
    let [race] = report["pictures"].as_array().unwrap().as_slice() else { panic!("{report:#}") };
    assert_eq!(race["line"], report["diagnostics"][0]["json"]["line"]);
    assert!(race["svg"].as_str().unwrap().contains("no `__syncthreads()` between"), "{race:#}");
    assert!(race["text"].as_str().unwrap().contains("no `__syncthreads()` between"), "{race:#}");
}

const STRIDED: &str = "__global__ void k(float *x) {
    if (threadIdx.x < 20) x[2 * threadIdx.x] = 1.0f;
}
";
const LINE: &str = "--kernel k --grid 1 --block 32 --arg f32[64]=zeros";

fn launch(text: &str, line: &str, access: bool) -> Value {
    json!({ "do": "launch", "text": text, "file": "k.cu", "line": line, "access": access })
}

#[test]
fn a_launch_has_pictures_if_they_are_asked_for() {
    let [with, without] = [true, false].map(|access| ok(&launch(STRIDED, LINE, access)));
    let [store, branch] = with["pictures"].as_array().unwrap().as_slice() else { panic!("{with:#}") };
    // 20 lanes, 8 bytes apart: 160 bytes are 5 sectors, and 80 bytes without gaps are 3.
    assert_eq!((&store["line"], &branch["line"]), (&2.into(), &2.into()));
    assert_eq!(store["summary"], "One warp's global store of `x`: 5 sectors, at least 3");
    assert!(branch["text"].as_str().unwrap().contains("lanes 0–19"), "{branch:#}");
    for picture in [store, branch] {
        let svg = picture["svg"].as_str().unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains(" xmlns=\"http://www.w3.org/2000/svg\""), "{svg}");
    }
    assert_eq!(without["pictures"], json!([]));
    assert_eq!(without["accesses"], json!([]));
    // All else is the same, and so is what the launch line asks for.
    let [mut with, mut without] = [with, without];
    let asked = ok(&launch(STRIDED, &format!("{LINE} --show-access"), false));
    assert_eq!(asked, with);
    for recorded in ["pictures", "accesses", "branches"] {
        (with[recorded], without[recorded]) = (Value::Null, Value::Null);
    }
    assert_eq!(with, without);
    let lines = with["lines"].as_array().unwrap();
    let store = lines.iter().find(|line| line["line"] == 2).unwrap();
    assert_eq!(store["counters"]["global_store_sectors"], 5, "{lines:#?}");
}

#[test]
fn a_launch_with_a_race_has_its_picture() {
    let text = "__global__ void k(float *x) {
    __shared__ float a[32];
    a[threadIdx.x] = 1.0f;
    x[threadIdx.x] = a[31 - threadIdx.x];
}
";
    let raced = ok(&launch(text, LINE, false));
    let [race] = raced["pictures"].as_array().unwrap().as_slice() else { panic!("{raced:#}") };
    assert_eq!(race["line"], raced["diagnostics"][0]["line"]);
    assert_eq!(raced["lines"], json!([]));
}

/// Names and texts of a kernel appear in a picture as text, never as markup.
#[test]
fn hostile_texts_stay_text() {
    let text = STRIDED
        .replace("1.0f;", "1.0f; /* ]]> <script>alert(1)</script><img src=x> &amp; \u{1b}[31m \u{202e} */");
    let with = ok(&launch(&text, LINE, true));
    assert_eq!(with["pictures"].as_array().unwrap().len(), 2, "{with:#}");
    for picture in with["pictures"].as_array().unwrap() {
        let svg = picture["svg"].as_str().unwrap();
        assert!(!svg.contains("<script") && !svg.contains("<img") && !svg.contains('\u{1b}'), "{svg}");
    }
}
