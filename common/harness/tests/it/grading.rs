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
pub(crate) fn graded(content: &[u8]) -> ExerciseReport {
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
fn accesses_are_recorded_at_the_report_case_and_only_if_asked_for() {
    let (_root, paths, kernel) = workspace(b"kernel twice\n  out[i] = 2 * in[i];\n");
    let lab = fake::lab();
    let grade = |recording| {
        let (mut device, options) = (FakeDevice::new(), Options { recording, ..Options::default() });
        let report = grade(&lab, &*lab.exercises[0], &kernel, &paths, &mut device, &options);
        (report, device)
    };
    let (plain, device) = grade(false);
    assert_eq!((device.recorded.as_slice(), plain.accesses.len(), plain.branches.len()), (&[][..], 0, 0));
    let (asked, device) = grade(true);
    assert_eq!(device.recorded, [4096]);
    // Of the graded file, what takes more than the fewest.
    assert_eq!(asked.accesses.iter().map(|access| access.line).collect::<Vec<_>>(), [2]);
    assert_eq!(asked.branches.iter().map(|branch| branch.line).collect::<Vec<_>>(), [1]);
    assert_eq!((asked.status, asked.score, asked.counters), (plain.status, plain.score, plain.counters));
    assert_eq!((asked.checks, asked.metrics), (plain.checks, plain.metrics));
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
        "load each element once (floats loaded: at most 1.125x that): 8 floats loaded per output; limit: at most 1.125; \
         reference: 8 (at 4096); line 2 has 100 % of them; neighbouring threads should read neighbouring elements"
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
                    found `twize`; did you mean `twize`?";
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

const VERBOSE: Style = Style { verbose: true, ..Style::PLAIN };

/// What the reports are made of that the tests below look at.
const CONTENTS: [(&str, &[u8]); 5] = [
    ("passed", b"kernel twice\n  out[i] = 2 * in[i];\n"),
    ("wrong", b"kernel last-missing\n"),
    ("crash", b"kernel crash\n"),
    ("slow", b"kernel slow\nx\n"),
    ("rejected", b"kernal\n"),
];

#[test]
fn the_text_report_says_what_matters_and_which_kind_of_time() {
    for (name, content) in CONTENTS {
        insta::assert_snapshot!(name, report::text(&graded(content), Style::PLAIN));
    }
}

#[test]
fn the_verbose_report_has_every_check_and_number() {
    for (name, content) in CONTENTS {
        insta::assert_snapshot!(format!("verbose_{name}"), report::text(&graded(content), VERBOSE));
    }
}

#[test]
fn reports_fit_every_width_and_end_with_the_verdict_and_the_next_step() {
    for (name, content) in CONTENTS {
        let report = graded(content);
        for width in [40, 60, 80, 120] {
            for verbose in [false, true] {
                let text = report::text(&report, Style { width, verbose, ..Style::PLAIN });
                assert!(text.lines().all(|l| source::text::width(l) <= width), "{name} at {width}:\n{text}");
                let verdict = format!(
                    "{} {}/100\nNext: ",
                    if report.passed() { "passed" } else { "FAILED" },
                    report.score
                );
                let ending = text
                    .rsplit_once(&verdict)
                    .unwrap_or_else(|| panic!("{verdict:?} is missing in\n{text}"))
                    .1;
                assert!(ending.lines().count() <= 6, "{text}");
            }
        }
    }
}

#[test]
fn each_failure_has_a_first_step() {
    let next = |content: &[u8]| graded(content).next.unwrap();
    let file = "kernels/lab-9-twice/twice.cu";
    assert_eq!(next(b"kernel twice\nx\n"), "the lab is done; compare its kernels: `cargo lab compare 9`");
    assert_eq!(
        next(b"kernal\n"),
        format!("fix {file}:1:1; `cargo lab explain undeclared-name` says what the error means")
    );
    assert_eq!(
        next(b"kernel crash\n"),
        format!("fix {file}:1:1; `cargo lab explain out-of-bounds` says what the error means")
    );
    assert_eq!(next(b"kernel slow\nx\n"), format!("edit {file}:2; `cargo lab hint 9 twice` gives a hint"));
    assert_eq!(
        next(b"kernel last-missing\n"),
        format!(
            "edit {file}: begin with size 3, the first that fails; `cargo lab hint 9 twice` gives a hint"
        )
    );
    assert_eq!(next(b"kernel nothing\n"), format!("edit {file}; `cargo lab hint 9 twice` gives a hint"));
    assert_eq!(next(b" "), "restore the file: `cargo lab reset 9 twice`");
}

#[test]
fn concise_has_a_line_per_finding_and_the_verdict() {
    let file = "kernels/lab-9-twice/twice.cu";
    let crash = report::concise(&graded(b"kernel crash\n"));
    assert_eq!(
        crash,
        format!(
            "{file}:1:1: error[out-of-bounds]: `out[4]` is outside `out`\n{file}:1:1: note[verdict]: lab-9/twice: FAILED 16/100"
        )
    );
    let wrong = report::concise(&graded(b"kernel last-missing\n"));
    let expected = format!(
        "{file}:1:1: error[correct_3]: `out` is wrong in 1 of 3 elements, 1 never written\n\
         {file}:1:1: note[verdict]: lab-9/twice: FAILED 26/100"
    );
    assert_eq!(wrong, expected, "one line for all sizes");
    let slow = report::concise(&graded(b"kernel slow\nx\n"));
    assert!(
        slow.starts_with(&format!(
            "{file}:2:1: error[gate_coalesced]: required: load each element once (floats loaded: at most"
        )),
        "{slow}"
    );
    let passed = format!("{file}:1:1: note[verdict]: lab-9/twice: passed 100/100");
    assert_eq!(report::concise(&graded(b"kernel twice\nx\n")), passed);
}

#[test]
fn a_kernels_own_text_cannot_reach_the_terminal() {
    let mut report = graded(b"kernel twice\nx\n");
    report.printed = "\u{1b}[2J\u{1b}[31mpassed\n".into();
    report.printed_at = Some("3".into());
    report.file = "a\u{1b}]0;b.cu".into();
    for verbose in [false, true] {
        let text = report::text(&report, Style { verbose, ..Style::PLAIN });
        assert!(!text.contains('\u{1b}') && text.contains("\\x1b[2J\\x1b[31mpassed"), "{text}");
        let colored = report::text(&report, Style { color: true, verbose, ..Style::PLAIN });
        assert!(colored.contains("\\x1b[31mpassed") && colored.contains("a\\x1b]0;b.cu"), "{colored}");
    }
}

#[test]
fn comparison_begins_with_the_host_and_ends_with_what_was_published() {
    let reports = [graded(b"kernel slow\nx\n"), graded(b"kernel twice\nx\n")];
    let host = std::time::Duration::from_micros(100);
    for width in [40, 60, 80, 120] {
        let style = Style { width, ..Style::PLAIN };
        for text in
            [report::compare(&fake::lab(), &reports, Some(host), style), report::overview(&reports, style)]
        {
            assert!(text.lines().all(|l| source::text::width(l) <= width), "{width}:\n{text}");
        }
    }
    insta::assert_snapshot!("compare", report::compare(&fake::lab(), &reports, Some(host), Style::PLAIN));
    insta::assert_snapshot!("overview", report::overview(&reports, Style::PLAIN));
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
    let colored = report::text(&report, Style { color: true, ..Style::PLAIN });
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
