//! Each solution passes everything; each starter compiles, and fails. On the simulator.

use crate::edited;
use crate::schema;
use crate::small::Small;
use harness::{ExerciseReport, Lab, Options, Status, grade};
use solutions::paths;

fn graded(lab: &Lab, exercise: &str, solution: bool) -> ExerciseReport {
    let file = match solution {
        true => paths().solution(lab, exercise),
        false => paths().kernel(lab, exercise),
    };
    let mut device = backend::open(Some("sim"), None).unwrap();
    let exercise = lab.exercise(exercise).unwrap();
    let options = Options { extras: solution, ..Options::default() };
    grade(lab, exercise, &file, &paths(), device.as_mut(), &options)
}

fn faults(report: &ExerciseReport) -> String {
    let failed = report.checks.iter().filter(|c| c.status != Status::Passed);
    failed.map(|c| format!("\n  {}: {}", c.name, c.message)).collect()
}

each_exercise! {
    [solution_passes starter_compiles_and_fails solution_passes_with_every_seed line_ends_make_no_difference] []
}

fn solution_passes(lab: Lab, name: &str) {
    let report = graded(&lab, name, true);
    schema::follows(&report);
    assert!(report.passed() && report.score == 100, "{}{}", report.score, faults(&report));
    // Every check was made and passed: none was skipped.
    assert!(report.checks.iter().all(|c| c.status == Status::Passed), "{}", faults(&report));
    // A kernel that is right and takes six times as many has to be graded, too.
    let instructions = report.counters.unwrap().warp_instructions;
    assert!(6 * instructions <= harness::INSTRUCTIONS, "{instructions} warp instructions");
    for extra in &report.extras {
        if let harness::Extra::Fact { name: what, value } = extra {
            assert_ne!(what, "more", "the report's extra rows failed: {value}");
        }
    }
    let exercise = lab.exercise(name).unwrap();
    assert!(exercise.host_reference_timed(report.case.as_ref().unwrap(), 1).is_some(), "no host row");
}

fn starter_compiles_and_fails(lab: Lab, name: &str) {
    let report = graded(&lab, name, false);
    schema::follows(&report);
    for check in ["compiles", "signature"] {
        let status = report.check(check).map(|c| c.status);
        assert_eq!(status, Some(Status::Passed), "{check}:{}", faults(&report));
    }
    assert_eq!(report.status, Status::Failed, "the starter passes");
    assert_eq!(report.score, 0, "a part of the starter is right already");
}

/// Gates hold at whatever size the seed chooses.
fn solution_passes_with_every_seed(lab: Lab, name: &str) {
    let file = paths().solution(&lab, name);
    let exercise = lab.exercise(name).unwrap();
    for seed in 2..8 {
        let mut device = backend::open(Some("sim"), None).unwrap();
        let options = Options { extras: false, seed, ..Options::default() };
        let report = grade(&lab, &Small { exercise, seed }, &file, &paths(), device.as_mut(), &options);
        assert_eq!(report.score, 100, "seed {seed}: {}", faults(&report));
    }
}

/// Line ends of Windows and a byte-order mark change nothing in the reports of the starter, of a file with an error, and of the
/// solution without barriers.
fn line_ends_make_no_difference(lab: Lab, name: &str) {
    let options = Options { extras: false, ..Options::default() };
    let exercise = Small { exercise: lab.exercise(name).unwrap(), seed: options.seed };
    let solution = edited::text(&paths().solution(&lab, name));
    let wrong = format!("{solution}\n__device__ int f() {{ return nothing; }}\n");
    let racing = solution.replace("__syncthreads();", "");
    for text in [&edited::text(&paths().kernel(&lab, name)), &wrong, &racing] {
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let [plain, windows] = [text, &windows].map(|text| {
            let report = edited::graded(&lab, &exercise, text, &options);
            format!("{report:#?}").replace(&report.file, name)
        });
        let first = plain.lines().zip(windows.lines()).find(|(plain, windows)| plain != windows);
        assert!(plain == windows, "{first:?}");
    }
}
