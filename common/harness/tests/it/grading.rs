//! Grading on a fake device: every way in which a file can fail, the score, and the rendered report.

use crate::fake::{self, FakeDevice};
use harness::report::{self, Style};
use harness::{ExerciseReport, Options, Paths, Status, grade};
use std::path::{Path, PathBuf};

/// A workspace of its own with that content as the student's file.
fn workspace(content: &[u8]) -> (tempfile::TempDir, Paths, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let paths = Paths::new(root.path());
    let lab = fake::lab();
    let (kernel, solution) = (paths.kernel(&lab, "twice"), paths.solution(&lab, "twice"));
    for (path, content) in [(&kernel, content), (&solution, &b"kernel slow\nx\n"[..])] {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    (root, paths, kernel)
}

/// Grades a file of that content.
fn graded(content: &[u8]) -> ExerciseReport {
    let (_root, paths, kernel) = workspace(content);
    grade_file(&paths, &kernel)
}

fn grade_file(paths: &Paths, file: &Path) -> ExerciseReport {
    let lab = fake::lab();
    grade(&lab, &*lab.exercises[0], file, paths, &mut FakeDevice::new(), &Options::default())
}

fn statuses(report: &ExerciseReport) -> Vec<(&str, Status)> {
    report.checks.iter().map(|c| (c.name.as_str(), c.status)).collect()
}

#[test]
fn a_right_kernel_passes_everything() {
    let report = graded(b"kernel twice\n  out[i] = 2 * in[i];\n");
    assert!(report.passed(), "{:?}", report.checks);
    assert_eq!(report.score, 100);
    let names: Vec<&str> = report.checks.iter().map(|c| c.name.as_str()).collect();
    let expected = [
        "compiles",
        "signature",
        "correct_3",
        "correct_100",
        "correct_4096",
        "clean",
        "contract",
        "gate_coalesced",
    ];
    assert_eq!(names, expected);
    assert_eq!(report.metrics.speedup, Some(8.0), "the baseline's solution reads 8 times the sectors");
    assert_eq!(report.metrics.load_reduction, Some(1.0));
    assert_eq!(report.extras.len(), 2);
}

#[test]
fn small_cases_run_in_another_order_where_the_device_can_choose_one() {
    let (_root, paths, kernel) = workspace(b"kernel twice\n");
    let lab = fake::lab();
    let options = Options { extras: false, ..Options::default() };
    for (schedules, times) in [(false, 1), (true, 2)] {
        let mut device = FakeDevice::new();
        device.schedules = schedules;
        let report = grade(&lab, &*lab.exercises[0], &kernel, &paths, &mut device, &options);
        assert!(report.passed(), "{:?}", report.checks);
        assert_eq!(device.launched.iter().filter(|n| **n == 100).count(), times, "{:?}", device.launched);
    }
}

#[test]
fn a_missed_gate_says_what_is_asked_and_fails_the_exercise() {
    let report = graded(b"kernel slow\nx\n");
    assert_eq!(report.status, Status::Failed);
    // 60 for the rest, and of 40 as much as 1.125 is of 8.
    assert_eq!(report.score, 65);
    let message = &report.check("gate_coalesced").unwrap().message;
    assert_eq!(
        message,
        "global load sectors: at most 1.125 times the fewest (each element once): you have 8 times the fewest, asked ≤ 1.125, \
         the reference reaches 8 (at 4096); line 2 has 100 % of them; neighbouring threads should read neighbouring elements"
    );
}

#[test]
fn a_kernel_that_does_nothing_is_named_so_and_gets_nothing() {
    let report = graded(b"kernel nothing\n");
    assert_eq!(report.score, 0);
    let message = &report.check("correct_3").unwrap().message;
    assert!(message.contains("3 never written") && message.contains("nothing was written"), "{message}");
    assert_eq!(report.check("gate_coalesced").unwrap().status, Status::Skipped);
    assert_eq!(report.check("clean").unwrap().status, Status::Passed);
}

#[test]
fn a_stopped_launch_fails_clean_and_the_other_cases_still_run() {
    let report = graded(b"kernel crash\n");
    let expected = [
        ("compiles", Status::Passed),
        ("signature", Status::Passed),
        ("correct_3", Status::Passed),
        ("correct_100", Status::Failed),
        ("correct_4096", Status::Failed),
        ("clean", Status::Failed),
        ("contract", Status::Passed),
        ("gate_coalesced", Status::Skipped),
    ];
    assert_eq!(statuses(&report), expected);
    assert!(report.check("clean").unwrap().message.contains("error[out-of-bounds]"));
    assert_eq!(report.score, 16, "one of three cases, and not clean");
    assert_eq!(report.diagnostics.len(), 1);
}

#[test]
fn a_launch_stopped_by_a_limit_is_the_last_one() {
    let report = graded(b"kernel endless\n");
    assert_eq!(report.check("correct_100").unwrap().status, Status::Failed);
    let skipped = report.check("correct_4096").unwrap();
    assert_eq!(skipped.status, Status::Skipped);
    assert_eq!(skipped.message, "not run: the launch of case 100 was stopped");
}

#[test]
fn a_file_that_does_not_compile_skips_everything_else() {
    let report = graded(b"kernal\n");
    assert_eq!(report.check("compiles").unwrap().status, Status::Failed);
    assert!(report.checks[1..].iter().all(|c| c.status == Status::Skipped));
    assert_eq!(report.checks[1].message, "not checked: the file does not compile");
    assert!(report.check("compiles").unwrap().message.contains("error[undeclared-name]"));
    assert_eq!(report.score, 0);
}

#[test]
fn a_misnamed_kernel_gets_the_near_name() {
    let report = graded(b"kernel misnamed\n");
    let message = &report.check("signature").unwrap().message;
    let expected = "kernel `twice` is missing: expected `__global__ void twice(const float *in, float *out, int n)`, \
                    found `twize`; is `twize` meant to be it?";
    assert_eq!(message, expected);
}

#[test]
fn gates_are_skipped_on_a_device_that_counts_otherwise() {
    let (_root, paths, kernel) = workspace(b"kernel slow\nx\n");
    let lab = fake::lab();
    let mut device = FakeDevice::new();
    device.old = true;
    let report = grade(&lab, &*lab.exercises[0], &kernel, &paths, &mut device, &Options::default());
    assert_eq!(report.check("gate_coalesced").unwrap().status, Status::Skipped);
    assert!(report.passed() && report.score == 100 && report.gates.is_empty());
}

#[test]
fn unreadable_files_get_one_clear_message_each() {
    let large = vec![b' '; (1 << 20) + 1];
    let cases: [(&[u8], &str); 4] = [
        (b" \n\t", "`kernels/lab-9-twice/twice.cu` is empty"),
        (b"\xff\xfea\0b\0", "`kernels/lab-9-twice/twice.cu` is UTF-16 text: save it as UTF-8"),
        (
            b"\x7fELF\0\xff",
            "`kernels/lab-9-twice/twice.cu` is not text: is it a compiled file or an archive?",
        ),
        (
            &large,
            "`kernels/lab-9-twice/twice.cu` has 1048577 bytes: a kernel file may have up to 1048576 (1 MiB)",
        ),
    ];
    for (content, message) in cases {
        assert_eq!(graded(content).check("compiles").unwrap().message, message);
    }
    // Another encoding in a comment is nothing to nvcc either.
    let latin = b"kernel twice\n  out[i] = 2 * in[i]; // gr\xf6\xdfer\n";
    assert_eq!(graded(latin).check("compiles").unwrap().status, Status::Passed);
    let root = tempfile::tempdir().unwrap();
    let paths = Paths::new(root.path());
    let message = |file: &Path| grade_file(&paths, file).check("compiles").unwrap().message.clone();
    assert_eq!(message(&root.path().join("no.cu")), "`no.cu` does not exist");
    std::fs::create_dir(root.path().join("dir.cu")).unwrap();
    assert_eq!(message(&root.path().join("dir.cu")), "`dir.cu` is a directory, not a kernel file");
}

#[test]
fn the_text_report_fits_and_says_which_kind_of_time() {
    for (name, content) in [
        ("passed", &b"kernel twice\n  out[i] = 2 * in[i];\n"[..]),
        ("wrong", b"kernel last-missing\n"),
        ("crash", b"kernel crash\n"),
    ] {
        let text = report::text(&graded(content), Style::PLAIN);
        assert!(text.lines().all(|l| l.chars().count() <= report::WIDTH), "{text}");
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn comparison_begins_with_the_host_and_ends_with_what_was_published() {
    let reports = [graded(b"kernel slow\nx\n"), graded(b"kernel twice\nx\n")];
    let host = std::time::Duration::from_micros(100);
    let text = report::compare(&fake::lab(), &reports, Some(host), Style::PLAIN);
    assert!(text.lines().all(|l| l.chars().count() <= report::WIDTH), "{text}");
    insta::assert_snapshot!("compare", text);
}

#[test]
fn json_has_the_schema_and_every_check() {
    let value = report::json(&[graded(b"kernel twice\nx\n")]);
    assert_eq!(value["schema"], harness::SCHEMA);
    let exercise = &value["exercises"][0];
    assert_eq!(exercise["status"], "passed");
    assert_eq!(exercise["checks"].as_array().unwrap().len(), 8);
    assert_eq!(exercise["metrics"]["time"]["kind"], "modelled");
}

#[test]
fn colour_only_adds_escapes() {
    let report = graded(b"kernel slow\nx\n");
    let colored = report::text(&report, Style { color: true });
    let mut plain = String::new();
    let mut rest = colored.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    assert_eq!(plain, report::text(&report, Style::PLAIN));
    assert_ne!(plain, colored);
}

#[test]
fn a_file_that_stores_nothing_says_once_where_to_begin() {
    let starter = b"kernel nothing\n  // TODO (0 lines): the sum\n  // TODO (0 lines): the store\n";
    let (_root, paths, kernel) = workspace(starter);
    let part = |hint: &str| format!("  // BEGIN SOLUTION: {hint}\n  // END SOLUTION\n");
    let solution = format!("kernel nothing\n{}{}", part("the sum"), part("the store"));
    std::fs::write(paths.solution(&fake::lab(), "twice"), solution).unwrap();
    let report = grade_file(&paths, &kernel);
    let hint = report.hint.as_deref().unwrap();
    assert!(hint.contains("kernels/lab-9-twice/twice.cu (lines 2 and 3)"), "{hint}");
    let text = report::text(&report, Style::PLAIN);
    assert_eq!(text.matches("nothing is written yet").count(), 1, "{text}");
    assert!(!text.contains("[0]:"), "no elements: {text}");
    assert_eq!(report::brief(&report, 3), "nothing is stored, as in correct_3");
    assert!(report.check("correct_100").unwrap().message.contains("[0]:"), "the object has it all");
    let written = graded(b"kernel nothing\nx\n").hint.unwrap();
    assert!(written.starts_with("the kernel stores no result"), "{written}");
    assert_eq!(graded(b"kernel last-missing\n").hint, None);
}

#[test]
fn the_same_mistake_is_told_once() {
    let report = graded(b"kernel crash\n");
    let at = report.checks.iter().position(|c| c.name == "clean").unwrap();
    assert_eq!(report::brief(&report, at), "what stopped correct_100");
}
