//! Runs the autograders' entry points as the platforms do: on the unpacked archives, in separate folders.

use crate::support::{Answer, Project, solution};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The start of a Linux program for x86-64, for tests that never run the program.
const PROGRAM: [u8; 20] = *b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0";

/// A file name that breaks unquoted shell commands: blanks, quotes, a line end, commands, and a leading dash.
const ODD: &str = "-rf * '$(touch touched)' \"`touch touched`\"\n; touch touched";

/// A folder that imitates the platform, and the project that creates the autograder.
struct Platform {
    project: Project,
}

impl Platform {
    fn new() -> Platform {
        let project = Project::new();
        project.write("program", PROGRAM);
        Platform { project }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project.path(name)
    }

    /// Creates an autograder.
    fn make(&self, arguments: &[&str]) -> Answer {
        let answer = self.project.lab(&[&["autograder"], arguments].concat());
        assert_eq!(answer.status, 0, "{}", answer.err);
        answer
    }

    /// Runs a command of the platform in a folder.
    fn run(&self, folder: &str, command: &[&str]) -> Answer {
        let mut run = Command::new(command[0]);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO")) {
            run.env_remove(name);
        }
        run.args(&command[1..]).current_dir(self.path(folder)).env("LAB_DEVICE", "sim");
        run.env("AUTOGRADER_ROOT", self.path("autograder"));
        Answer::of(run.output().unwrap_or_else(|e| panic!("{command:?}: {e}")))
    }

    /// Replaces the archive's program by the program under test.
    fn install(&self, place: &str) {
        let path = self.path(place);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_lab"), &path).unwrap();
    }

    /// Whether a shell executed the command in [`ODD`].
    fn is_touched(&self) -> bool {
        let found = self.run(".", &["find", ".", "-name", "touched"]);
        !found.out.is_empty()
    }
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// An image of Gradescope with the autograder of lab 7.
fn gradescope() -> Platform {
    let platform = Platform::new();
    platform.project.write("course.toml", "[weights]\ncorrect = 60\n");
    let options = ["gradescope", "7", "-o", "autograder.zip", "--program", "program"];
    platform.make(&[&options[..], &["--course", "course.toml", "--seed", "3"]].concat());
    // Python's reader of the format also compares checksums.
    let unpacked =
        platform.run(".", &["python3", "-m", "zipfile", "-e", "autograder.zip", "autograder/source"]);
    assert_eq!(unpacked.status, 0, "{}", unpacked.err);
    assert_eq!(std::fs::read(platform.path("autograder/source/lab")).unwrap(), PROGRAM);
    platform.install("autograder/source/lab");
    let setup = platform.run(".", &["sh", "autograder/source/setup.sh"]);
    assert_eq!(setup.status, 0, "{}", setup.err);
    std::fs::copy(
        platform.path("autograder/source/run_autograder"),
        platform.path("autograder/run_autograder"),
    )
    .unwrap();
    platform
}

/// Runs the autograder on a submission with these files; returns the result that the platform reads.
fn submitted(platform: &Platform, files: &[(&str, &str)]) -> (Answer, Option<Value>) {
    let _ = std::fs::remove_dir_all(platform.path("autograder/submission"));
    std::fs::create_dir_all(platform.path("autograder/submission")).unwrap();
    // A stale result of an earlier submission, which must not count for this one.
    platform.project.write("autograder/results/results.json", "stale");
    for (name, text) in files {
        platform.project.write(&format!("autograder/submission/{name}"), text);
    }
    let answer = platform.run("autograder", &["./run_autograder"]);
    let results = std::fs::read(platform.path("autograder/results/results.json")).ok();
    (answer, results.map(|bytes| serde_json::from_slice(&bytes).unwrap()))
}

#[test]
fn gradescope_gets_results_of_every_file() {
    let platform = gradescope();
    let (copy, rows) = (solution("lab-7-transpose/copy.cu"), solution("lab-7-transpose/naive_read_rows.cu"));
    let wrong = copy.replace("[", "[0 * ");
    let odd = format!("{ODD}/naive_read_rows.cu");
    // Folders `solutions` and `kernels` in a submission must not make it a checkout.
    let files = [
        ("lab-7/copy.cu", copy.as_str()),
        (&odd, &rows),
        ("solutions/lab-7-transpose/shared.cu", &wrong),
        ("kernels/x", ""),
    ];
    let (answer, results) = submitted(&platform, &files);
    assert_eq!(answer.status, 0, "{}", answer.err);
    let results = results.unwrap();
    let score = |name: &str| {
        let tests = results["tests"].as_array().unwrap();
        tests.iter().find(|test| test["name"] == name).unwrap_or_else(|| panic!("{results}"))["score"]
            .as_f64()
    };
    assert_eq!(score("lab-7/copy"), Some(100.0));
    assert_eq!(score("lab-7/naive_read_rows"), Some(100.0));
    assert_eq!(score("lab-7/shared"), Some(0.0));
    assert_eq!(results["score"], 200);
    assert_eq!(score("lab-7/padded"), Some(0.0), "not handed in");
    assert!(!platform.is_touched());
}

/// A file for another exercise adds no points, and a file that cannot be graded does not count as 0.
#[test]
fn only_the_assignment_counts_on_gradescope() {
    let platform = gradescope();
    let copy = solution("lab-7-transpose/copy.cu");
    let other = solution("lab-1-stencil/adjacent_difference.cu");
    let (_, results) =
        submitted(&platform, &[("lab-7/copy.cu", &copy), ("lab-1/adjacent_difference.cu", &other)]);
    let results = results.unwrap();
    assert_eq!(results["score"], 100);
    let output = results["output"].as_str().unwrap();
    assert!(output.contains("lab-7/padded, lab-7/unrolled: not handed in, which counts 0."), "{output}");
    assert!(
        output.contains("not part of this assignment: submission/lab-1/adjacent_difference.cu"),
        "{output}"
    );
    let tests = results["tests"].as_array().unwrap();
    let most: f64 = tests.iter().filter_map(|test| test["max_score"].as_f64()).sum();
    assert_eq!(most, 600.0, "the points of the assignment");
    for name in ["copy.cu.txt", "copy.cu ", "all.zip", "copy.cpp"] {
        let (_, results) = submitted(&platform, &[(name, &copy)]);
        let results = results.unwrap();
        assert_eq!(results.get("score"), None, "{name}");
        assert!(results["tests"][0]["output"].as_str().unwrap().contains(&format!("not graded: `{name}` ")));
    }
}

#[test]
fn gradescope_gets_a_message_where_there_is_nothing_to_grade() {
    let platform = gradescope();
    let hidden = [(".copy.cu", "x"), ("__MACOSX/copy.cu", "x"), ("a/readme", "x")];
    for files in [&[][..], &hidden] {
        let (answer, results) = submitted(&platform, files);
        assert_eq!(answer.status, 0, "{}", answer.err);
        let results = results.unwrap();
        assert_eq!(results["score"], 0);
        assert!(results["output"].as_str().unwrap().contains("no kernel file"), "{results}");
    }
    // If the autograder fails, there is no score, even if an old one existed.
    let copy = solution("lab-7-transpose/copy.cu");
    // Remove the link first, so that writing does not replace the program under test.
    std::fs::remove_file(platform.path("autograder/source/lab")).unwrap();
    for fails in ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho '{' >\"$4\"; kill -9 $$\n", "#!/bin/sh\nexit 0\n"] {
        platform.project.write("autograder/source/lab", fails);
        executable(&platform.path("autograder/source/lab"));
        let (answer, results) = submitted(&platform, &[("copy.cu", &copy)]);
        assert_eq!((answer.status, results), (1, None), "{fails}");
    }
    platform.project.write("autograder/source/lab", "no program");
    let setup = platform.run(".", &["sh", "autograder/source/setup.sh"]);
    assert!(setup.status == 1 && setup.err.contains("Choose a newer base image"), "{}", setup.err);
}

/// Tests Autolab's files completely: unpacks the archive with this program and runs `make`.
#[test]
fn autolab_gets_scores_on_the_last_line() {
    let platform = Platform::new();
    platform.make(&["autolab", "7", "copy", "-o", "autolab"]);
    let copy = solution("lab-7-transpose/copy.cu");
    let graded = |name: &str, bytes: &[u8]| {
        let _ = std::fs::remove_dir_all(platform.path("job"));
        platform.project.write(&format!("job/{name}"), bytes);
        std::fs::copy(platform.path("autolab/autograde-Makefile"), platform.path("job/Makefile")).unwrap();
        std::fs::copy(platform.path("autolab/autograde.tar"), platform.path("job/autograde.tar")).unwrap();
        // Unpack as `make` does, then replace the program by this one.
        platform.run("job", &["tar", "-xf", "autograde.tar"]);
        assert!(std::fs::metadata(platform.path("job/autograde/lab")).unwrap().len() > 1 << 20);
        platform.install("job/autograde/lab");
        let makefile = platform.project.read("job/Makefile").replace("@tar -xf autograde.tar", "@true");
        platform.project.write("job/Makefile", makefile);
        let answer = platform.run("job", &["make"]);
        assert_eq!(answer.status, 0, "{name}: {}{}", answer.out, answer.err);
        let last = answer.out.lines().last().unwrap().to_owned();
        let scores: Value = serde_json::from_str(&last).unwrap_or_else(|e| panic!("{e} in {last}"));
        (scores["scores"]["lab-7/copy"].clone(), answer.out)
    };
    assert_eq!(graded(&format!("{}.cu", ODD.replace('/', "")), copy.as_bytes()).0, 100);
    // An archive, with folders.
    platform.project.write("hand-in/lab 7/copy.cu", &copy);
    let other = solution("lab-1-stencil/adjacent_difference.cu");
    platform.project.write("hand-in/adjacent_difference.cu", other);
    platform.run(".", &["tar", "-czf", "hand-in.tgz", "hand-in"]);
    let archive = std::fs::read(platform.path("hand-in.tgz")).unwrap();
    let (score, text) = graded("hand-in.tgz", &archive);
    assert_eq!(score, 100);
    let outside = "| lab-1/adjacent_difference: not part of this assignment, submission/hand-in.tgz/hand-in/";
    assert!(text.contains(outside), "{text}");
    let (score, text) = graded("readme", b"x");
    assert_eq!(score, 0);
    assert!(text.contains("no kernel file") && text.contains("lab-7/copy: not handed in"), "{text}");
    // These submissions need a person to decide, and must not count as 0.
    for (name, bytes, message) in [
        (
            "copy.cu.txt",
            copy.as_bytes(),
            "not graded: `copy.cu.txt` is not a `.cu` file; rename it to `copy.cu`",
        ),
        (
            "hand-in.tar",
            b"no archive",
            "not graded: `hand-in.tar` cannot be unpacked: it is not a tar archive",
        ),
        ("hand-in.7z", b"7z", "not graded: `hand-in.7z` is an archive"),
    ] {
        let (score, text) = graded(name, bytes);
        assert_eq!(score, Value::Null, "{text}");
        assert!(text.contains(message), "{text}");
    }
    assert!(!platform.is_touched());
}

/// Runs the workflow's commands from the YAML. A script replaces Cargo and puts this program where Cargo would.
#[test]
fn the_workflow_of_github_reports_points() {
    let platform = Platform::new();
    platform.make(&["classroom", "7", "copy", "naive_read_rows", "-o", ".github/workflows/classroom.yml"]);
    let workflow: serde_yaml_ng::Value =
        serde_yaml_ng::from_str(&platform.project.read(".github/workflows/classroom.yml")).unwrap();
    assert_eq!(workflow["name"], "Autograding Tests");
    let job = &workflow["jobs"]["run-autograding-tests"];
    assert_eq!(job["defaults"]["run"]["shell"], "bash");
    let steps: Vec<&str> =
        job["steps"].as_sequence().unwrap().iter().filter_map(|step| step["run"].as_str()).collect();
    assert_eq!(steps.len(), 3);
    assert!(steps.iter().all(|step| !step.contains("${{")), "what GitHub puts in is not there");
    let cargo = format!(
        "#!/bin/sh\n[ \"$*\" = 'build --package lab' ] && mkdir -p target/debug && ln -sf {:?} target/debug/lab\n",
        env!("CARGO_BIN_EXE_lab")
    );
    platform.project.write("bin/cargo", cargo);
    executable(&platform.path("bin/cargo"));
    platform.project.write("course.toml", "[weights]\n");
    let path = format!("{}:{}", platform.path("bin").display(), std::env::var("PATH").unwrap());
    let pushed = || {
        platform.project.write("temp/summary", "");
        let mut out = String::new();
        for step in &steps {
            platform.project.write("temp/step", step);
            let mut bash = Command::new("bash");
            bash.args(["--noprofile", "--norc", "-eo", "pipefail", "temp/step"])
                .current_dir(platform.project.root());
            bash.env("PATH", &path).env("RUNNER_TEMP", platform.path("temp")).env("LAB_DEVICE", "sim");
            bash.env("GITHUB_STEP_SUMMARY", platform.path("temp/summary"));
            let answer = Answer::of(bash.output().unwrap());
            out.push_str(&answer.out);
            if answer.status != 0 {
                return (answer.status, out);
            }
        }
        (0, out)
    };
    let points = |points: u32| {
        format!("::notice title=Autograding report::{{\"totalPoints\":{points},\"maxPoints\":200}}\n")
    };
    platform.project.solve("lab-7-transpose/copy.cu");
    let (status, out) = pushed();
    assert_eq!(status, 1, "{out}");
    assert!(out.contains(&points(100)) && out.contains("::Points 100/200\n"), "{out}");
    assert!(platform.project.read("temp/summary").contains("| lab-7/copy | 100 |"));
    platform.project.solve("lab-7-transpose/naive_read_rows.cu");
    let (status, out) = pushed();
    assert_eq!(status, 0, "{out}");
    assert!(out.contains(&points(200)), "{out}");
    // A link that leads out of the repository is not a kernel file, and without a kernel file there are no points.
    for name in ["copy", "naive_read_rows"] {
        let file = platform.path(&format!("kernels/lab-7-transpose/{name}.cu"));
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    }
    let (status, out) = pushed();
    assert_eq!(status, 1);
    assert!(out.contains(&points(0)) && out.contains("::warning::"), "{out}");
}

#[test]
fn autograders_are_the_same_bytes_each_time() {
    let platform = Platform::new();
    let made = |name: &str| {
        platform.make(&["gradescope", "1", "naive", "-o", name, "--program", "program"]);
        std::fs::read(platform.path(name)).unwrap()
    };
    let archive = made("a.zip");
    assert_eq!(archive, made("b.zip"));
    platform.run(".", &["python3", "-m", "zipfile", "-e", "a.zip", "a"]);
    let script = platform.project.read("a/grade.sh");
    assert!(script.contains("grade --exercise lab-1/naive --assignment lab-1/naive --format"), "{script}");
    let project = &platform.project;
    project.write("text", "#!/bin/sh\n");
    project.refused(&["autograder", "gradescope", "-o", "c.zip", "--program", "text"], "Linux on x86-64");
    project.refused(&["autograder", "gradescope", "-o", "c.zip", "--program", "none"], "none: No such file");
    project.refused(&["autograder", "classroom", "-o", "c.yml", "--seed", "3"], "--seed cannot be used");
    project.refused(&["autograder", "gradescope", "8", "-o", "c.zip"], "8");
    assert!(!platform.path("c.zip").exists());
}
