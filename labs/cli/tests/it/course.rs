//! `lab export-course`: the student's half contains no part of a solution, and works.

use crate::support::{Answer, Project, solution};
use fuzz::seeds::{files, root};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Lines that appear in many programs and reveal nothing.
const COMMON: [&str; 2] = ["__syncthreads();", "#pragma unroll 1"];

/// A line of a solution up to this length, without blanks, reveals nothing.
const SHORT: usize = 12;

/// Runs the program as an instructor does in the checkout, without the variables that Cargo sets for tests.
fn lab(folder: &Path, arguments: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO")) {
        command.env_remove(name);
    }
    command.args(arguments).current_dir(folder).env("LAB_DEVICE", "sim").env("COLUMNS", "200");
    Answer::of(command.output().unwrap())
}

/// A course exported from this checkout with a course file with weights and a seed; created once for all tests.
static COURSE: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("course");
    // Remove the result of an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("course.toml");
    std::fs::write(&file, "# The instructor's notes.\n[weights]\ncorrect = 60\n").unwrap();
    let [course, out] = [&file, &folder].map(|path| path.to_str().unwrap());
    let answer = lab(&root(), &["export-course", out, "--course", course, "--seed", "20260"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    folder
});

/// A line without blanks, so that a changed indentation does not matter.
fn compact(line: &str) -> String {
    line.split_whitespace().collect()
}

/// The kernels of a folder's labs.
fn kernels(folder: &Path) -> Vec<PathBuf> {
    let mut found = files(folder);
    found.retain(|path| path.extension().is_some_and(|kind| kind == "cu"));
    found
}

/// Lines that occur only in solutions, not in starters or hints, each with its file.
fn telling() -> BTreeMap<String, String> {
    let mut lines = BTreeMap::new();
    let mut told: Vec<String> = COMMON.map(str::to_owned).to_vec();
    for path in kernels(&root().join("solutions")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        lines.extend(text.lines().map(compact).filter(|l| l.len() > SHORT).map(|line| (line, name.clone())));
        // Derive the starters, because the files under kernels/ may be a student's. The best kernels have no starter.
        told.extend(harness::starter::derive(&text));
    }
    let mut hints = files(&root().join("labs"));
    hints.retain(|path| path.parent().is_some_and(|folder| folder.ends_with("hints")));
    assert_eq!((told.len() - COMMON.len(), hints.len()), (25, 25));
    told.extend(hints.iter().map(|path| std::fs::read_to_string(path).unwrap()));
    for line in told.iter().flat_map(|text| text.lines()).map(compact) {
        lines.remove(&line);
    }
    lines.retain(|line, _| !line.starts_with("//BEGINSOLUTION") && !line.starts_with("//ENDSOLUTION"));
    assert!(lines.len() > 500, "only {} lines: are the solutions read?", lines.len());
    lines
}

/// Lines of a file, and hidden lines in it: in strings, in code of a page, and in text with line ends written as
/// `\n`.
fn parts(text: &str) -> BTreeSet<String> {
    let lines = text.split('\n').flat_map(|line| line.split("\\n"));
    let within = |line: &str| {
        let whole = std::iter::once(compact(line));
        whole.chain(line.split(['`', '"', '\0']).map(compact)).collect::<Vec<_>>()
    };
    lines.flat_map(within).collect()
}

/// The lines of solutions that are in a file.
fn shown(telling: &BTreeMap<String, String>, bytes: &[u8]) -> Vec<String> {
    let parts = parts(&String::from_utf8_lossy(bytes));
    let found = telling.iter().filter(|(line, _)| parts.contains(*line));
    found.map(|(line, file)| format!("{line} of {file}")).collect()
}

#[test]
fn no_line_of_a_solution_is_in_the_students_half() {
    let telling = telling();
    let student = COURSE.join("student");
    let all = files(&student);
    assert!(all.len() > 500, "only {} files", all.len());
    for path in &all {
        let found = shown(&telling, &std::fs::read(path).unwrap());
        assert!(found.is_empty(), "{} has {found:#?}", path.strip_prefix(&student).unwrap().display());
    }
    // Check that the search itself works.
    let text = solution("lab-6-tiled-matmul/register_tiled.cu");
    assert!(shown(&telling, text.as_bytes()).len() > 5);
    assert!(shown(&telling, format!("{text:?}").as_bytes()).len() > 5);
    for name in ["solutions", ".git", "benches", "common/simt/tests", "labs/cli/tests"] {
        assert!(!student.join(name).exists(), "{name}");
    }
}

/// The readable texts in a program's binary, one per line.
fn texts(bytes: &[u8]) -> Vec<u8> {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || b" \t\n".contains(byte);
    let runs = bytes.split(|byte| !is_text(byte)).filter(|run| run.len() > SHORT);
    runs.collect::<Vec<_>>().join(&b'\n')
}

/// A program built in the student's half contains no solution; `.ci/run course` builds one.
#[test]
#[ignore = "STUDENTS_PROGRAM must name a program that was built in the student's half"]
fn no_line_of_a_solution_is_in_the_students_program() {
    let telling = telling();
    let program = std::env::var("STUDENTS_PROGRAM").expect("STUDENTS_PROGRAM names a program");
    let found = shown(&telling, &texts(&std::fs::read(program).unwrap()));
    assert!(found.is_empty(), "{found:#?}");
    let full = shown(&telling, &texts(&std::fs::read(env!("CARGO_BIN_EXE_lab")).unwrap()));
    assert!(full.len() > 500, "the full program has only {} lines of the solutions", full.len());
}

/// The report of a student's or an instructor's program on a file, without the file's name.
fn graded(folder: &Path, file: &Path, exercise: &str, more: &[&str]) -> Value {
    let file = file.to_str().unwrap();
    let answer = lab(folder, &[&["grade", file, "--exercise", exercise], more].concat());
    assert!(answer.status < 2, "{}", answer.err);
    answer.json_lines().remove(0)
}

#[test]
fn the_students_half_grades_as_the_checkout_does() {
    let student = COURSE.join("student");
    let starter = student.join("kernels/lab-1-stencil/shared.cu");
    let solution = root().join("solutions/lab-1-stencil/shared.cu");
    for (file, score) in [(&starter, 0), (&solution, 100)] {
        let theirs = graded(&student, file, "lab-1/shared", &[]);
        let mut ours = graded(&root(), file, "lab-1/shared", &[]);
        assert_eq!(ours["score"], score);
        // The checkout's program shows paths relative to its own folder.
        let [theirs_text, ours_text] =
            [&theirs, &ours].map(|report| report["file"].as_str().unwrap().to_owned());
        let text = ours.to_string().replace(&ours_text, &theirs_text);
        ours = serde_json::from_str(&text).unwrap();
        let text = theirs.to_string().replace(starter.to_str().unwrap(), &theirs_text);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), ours, "{}", file.display());
    }
    // With another seed, the references' values are unknown, and the score stays the same.
    let other = graded(&student, &solution, "lab-1/shared", &["--seed", "5"]);
    assert_eq!((&other["score"], &other["gates"][0]["reference"]), (&Value::from(100), &Value::Null));
}

#[test]
fn the_students_half_is_complete_for_a_student() {
    let student = COURSE.join("student");
    let answer = lab(&student, &[]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.out.contains("0 of 25 exercises solved"), "{}", answer.out);
    for arguments in
        [&["run", "1", "naive", "--solution"][..], &["run", "6", "--best"], &["compare", "7", "--solution"]]
    {
        let answer = lab(&student, arguments);
        assert_eq!((answer.status, answer.out.as_str()), (2, ""), "{arguments:?}");
        assert!(answer.err.contains("edition of a course for students"), "{}", answer.err);
    }
    let kernel = student.join("kernels/lab-7-transpose/copy.cu");
    let starter = std::fs::read(&kernel).unwrap();
    std::fs::write(&kernel, "changed").unwrap();
    assert_eq!(lab(&student, &["reset", "7", "copy", "--yes"]).status, 0);
    assert_eq!(std::fs::read(&kernel).unwrap(), starter);
    // Cargo accepts the workspace without changes, so the lock file fits the packages.
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "-p", "lab", "--depth", "0"]).current_dir(&student);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Every file that the sources include exists.
    let mut sources = files(&student);
    sources.retain(|path| path.extension().is_some_and(|kind| kind == "rs"));
    let mut included = 0;
    for source in sources {
        let text = std::fs::read_to_string(&source).unwrap();
        for name in text.split("include_str!(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            included += 1;
            assert!(source.with_file_name(name).is_file(), "{} includes {name}", source.display());
        }
    }
    assert!(included > 30, "only {included}");
    // The book has all pages in its summary, and no link leads out of it.
    let pages = student.join("docs/src");
    let summary = std::fs::read_to_string(pages.join("SUMMARY.md")).unwrap();
    assert!(summary.contains("](lab-7.md)") && !summary.contains("](architecture.md)"), "{summary}");
    let mut all = files(&pages);
    all.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
    for page in all.iter().chain([&student.join("README.md")]) {
        let text = std::fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let is_there = file.contains("://") || file.is_empty() || page.with_file_name(file).exists();
            assert!(is_there, "{}: {link} leads nowhere", page.display());
        }
        assert!(!text.contains("../../solutions/"), "{}", page.display());
    }
    // The playground is complete, including the licences of its parts.
    for name in ["editor.js", "panel.js", "simulator.js", "verdict.js", "worker.js", "LICENCES.txt"] {
        assert!(pages.join("playground").join(name).is_file(), "docs/src/playground/{name} is missing");
    }
    let book = std::fs::read_to_string(student.join("docs/book.toml")).unwrap();
    for name in ["playground/playground.js", "playground/playground.css"] {
        assert!(book.contains(name) && student.join("docs").join(name).is_file(), "docs/{name} is missing");
    }
}

#[test]
fn the_instructors_half_has_the_rest() {
    let instructor = COURSE.join("instructor");
    let read = |name: &str| std::fs::read_to_string(instructor.join(name)).unwrap();
    assert_eq!(read("solutions/lab-1-stencil/naive.cu"), solution("lab-1-stencil/naive.cu"));
    assert!(read("course.toml").contains("The instructor's notes"));
    assert!(read("grade.sh").contains("--seed 20260"));
    // A workflow in the student's repository has no seed of its own.
    let readme = read("README.md");
    let commands = readme.lines().filter(|l| l.starts_with("lab autograder") && !l.contains("classroom"));
    assert!(
        commands.clone().count() > 1 && commands.clone().all(|l| l.ends_with("--seed 20260")),
        "{readme}"
    );
    let hidden = read("hidden.toml");
    let seed = hidden.lines().find_map(|line| line.strip_prefix("seeds = [")?.strip_suffix(']')).unwrap();
    assert!(seed.parse::<u64>().is_ok_and(|seed| seed != 20260), "{hidden}");
    let public = std::fs::read_to_string(COURSE.join("student/course.toml")).unwrap();
    assert!(public.contains("\"correct\" = 60") && !public.contains("notes"), "{public}");
    let mut all = files(&COURSE.join("student"));
    let secret = |path: &&PathBuf| String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains("20260");
    // The help's example of the command contains the number, so skip it.
    all.retain(|path| {
        !path.ends_with("labs/cli/src/commands/export_course.rs")
            && !path.ends_with("labs/cli/src/commands/autograder.rs")
    });
    assert_eq!(all.iter().find(secret), None);
    #[cfg(unix)]
    {
        let submission = instructor.join("solutions/lab-7-transpose/copy.cu");
        let mut script = Command::new(instructor.join("grade.sh"));
        let output = script
            .arg(submission)
            .arg("--hidden")
            .arg(instructor.join("hidden.toml"))
            .env("LAB", env!("CARGO_BIN_EXE_lab"))
            .env("LAB_DEVICE", "sim")
            .output();
        let answer = Answer::of(output.unwrap());
        assert_eq!(answer.status, 0, "{}", answer.err);
        assert_eq!(
            (&answer.json_lines()[0]["score"], &answer.json_lines()[0]["seed"]),
            (&100.into(), &20260.into())
        );
        let hidden = &answer.json_lines()[0]["hidden"];
        assert_eq!(
            (&hidden["passed"], &hidden["runs"][0]["seed"].to_string()),
            (&true.into(), &seed.to_owned())
        );
    }
}

#[test]
fn a_folder_that_is_there_is_refused_and_nothing_is_left() {
    let project = Project::new();
    project.write("full/file", "kept");
    project.refused(&["export-course", "full"], "is not an empty folder");
    project.refused(&["export-course", "full/file"], "is not an empty folder");
    project.refused(&["export-course", "new", "--course", "missing.toml"], "missing.toml: cannot be read");
    // This one is a folder of kernels and solutions, and not a complete checkout.
    project.refused(&["export-course", "new"], "run this in a complete checkout");
    let left: Vec<_> =
        std::fs::read_dir(project.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("new")), "{left:?}");
    let answer = lab(&COURSE.join("student"), &["export-course", "again"]);
    assert_eq!(answer.status, 2);
    assert!(answer.err.contains("edition of a course for students"), "{}", answer.err);
}
