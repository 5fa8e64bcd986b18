//! Each solution passes everything; each starter compiles, and fails. On the simulator.

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

fn solutions_pass(lab: &Lab) {
    for exercise in &lab.exercises {
        let report = graded(lab, exercise.name(), true);
        let name = format!("{}/{}", lab.package, exercise.name());
        assert!(report.passed() && report.score == 100, "{name}: {}{}", report.score, faults(&report));
        // Every check was made and passed: none was skipped.
        assert!(report.checks.iter().all(|c| c.status == Status::Passed), "{name}:{}", faults(&report));
        // A kernel that is right and takes six times as many has to be graded, too.
        let instructions = report.counters.unwrap().warp_instructions;
        assert!(6 * instructions <= harness::INSTRUCTIONS, "{name}: {instructions} warp instructions");
        for extra in &report.extras {
            if let harness::Extra::Fact { name: what, value } = extra {
                assert_ne!(what, "more", "{name}: the report's extra rows failed: {value}");
            }
        }
        assert!(
            exercise.host_reference_timed(report.case.as_ref().unwrap(), 1).is_some(),
            "{name}: host row"
        );
    }
}

fn starters_compile_and_fail(lab: &Lab) {
    for exercise in &lab.exercises {
        let report = graded(lab, exercise.name(), false);
        let name = format!("{}/{}", lab.package, exercise.name());
        for check in ["compiles", "signature"] {
            let status = report.check(check).map(|c| c.status);
            assert_eq!(status, Some(Status::Passed), "{name}: {check}:{}", faults(&report));
        }
        assert_eq!(report.status, Status::Failed, "{name}: the starter passes");
        assert_eq!(report.score, 0, "{name}: a part of the starter is right already");
    }
}

macro_rules! grades {
    ($($name:ident: $lab:expr;)*) => {$(
        mod $name {
            #[test]
            fn solutions_pass() {
                super::solutions_pass(&$lab);
            }

            #[test]
            fn starters_compile_and_fail() {
                super::starters_compile_and_fail(&$lab);
            }
        }
    )*};
}

grades! {
    lab_1_stencil: lab_1::lab();
    lab_2_convolution: lab_2::lab();
    lab_3_constant_memory: lab_3::lab();
    lab_4_tiled_convolution: lab_4::lab();
    lab_5_cached_halo: lab_5::lab();
    lab_6_tiled_matmul: lab_6::lab();
    lab_7_transpose: lab_7::lab();
}
