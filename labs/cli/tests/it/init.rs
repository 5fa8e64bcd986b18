//! The program outside a checkout: `lab init`, grading in the folder that it writes, and commands that need no folder.

use crate::support::{Answer, solution};
use std::process::{Command, Stdio};

/// A computer that has only the program: a folder to work in, and a data folder.
struct Elsewhere(tempfile::TempDir);

impl Elsewhere {
    fn new() -> Elsewhere {
        Elsewhere(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn lab(&self, folder: &str, arguments: &[&str]) -> Answer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        command.args(arguments).current_dir(self.path(folder)).stdin(Stdio::null());
        // Remove Cargo's variables, as in a shell; they would lead the program to the checkout.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO")) {
            command.env_remove(name);
        }
        command.env("WARPLAB_DATA", self.path("data")).env("LAB_DEVICE", "sim");
        Answer::of(command.output().unwrap())
    }
}

#[test]
fn a_students_folder_is_written_and_graded() {
    let elsewhere = Elsewhere::new();
    let answer = elsewhere.lab("", &["init", "work"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.out.contains("25 starters written"), "{}", answer.out);
    assert!(!elsewhere.path("work/solutions").exists(), "a student's folder has no solutions");
    let tasks = std::fs::read_to_string(elsewhere.path("work/.vscode/tasks.json")).unwrap();
    let tasks: serde_json::Value = serde_json::from_str(&tasks).unwrap();
    for task in tasks["tasks"].as_array().unwrap() {
        assert_eq!(task["command"], "lab");
        let command = task["args"][0].as_str().unwrap();
        assert_eq!(elsewhere.lab("work", &[command, "--help"]).status, 0, "{command}");
    }

    let naive = elsewhere.path("work/kernels/lab-1-stencil/naive.cu");
    let starter = std::fs::read_to_string(&naive).unwrap();
    assert!(starter.contains("TODO"));
    let answer = elsewhere.lab("work", &["run", "1", "naive"]);
    assert_eq!(answer.status, 1, "{}", answer.err);

    std::fs::write(&naive, solution("lab-1-stencil/naive.cu")).unwrap();
    // The program also finds the folder from a subfolder.
    let answer = elsewhere.lab("work/kernels/lab-1-stencil", &["run", "1", "naive"]);
    assert_eq!(answer.status, 0, "{}{}", answer.out, answer.err);
    let answer = elsewhere.lab("work", &[]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.out.contains("1 of 25"), "{}", answer.out);
    let answer = elsewhere.lab("work", &["hint"]);
    assert!(answer.out.contains("lab-1 shared: ") && answer.out.contains("hint 1 of 4"), "{}", answer.out);
    assert!(elsewhere.path("work/.warplab-progress.json").exists());
    // Hints for an exercise that is solved do not count.
    let answer = elsewhere.lab("work", &["hint", "1", "naive", "--all"]);
    assert!(answer.out.ends_with("That was the last one.\n"), "no page of a book: {}", answer.out);
    assert!(elsewhere.lab("work", &["hint", "1", "naive", "--again"]).out.contains("hint 4 of 4"));
    let overview = elsewhere.lab("work", &[]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(overview.contains("of 2500 points, 1 hint."), "{overview}");
    // There is no book in this folder.
    let explained = elsewhere.lab("work", &["explain", "out-of-bounds"]).out;
    assert!(explained.contains("See also") && !explained.contains("docs/src"), "{explained}");
    let readme = std::fs::read_to_string(elsewhere.path("work/README.md")).unwrap();
    assert!(readme.contains("The book") && readme.contains("`lab explain WORD`"), "{readme}");

    // A second `init` keeps the student's file and restores the missing one.
    std::fs::remove_file(elsewhere.path("work/kernels/lab-7-transpose/copy.cu")).unwrap();
    let answer = elsewhere.lab("", &["init", "work"]);
    assert!(answer.out.contains("1 starter written, 24 that were there"), "{}", answer.out);
    assert_eq!(std::fs::read_to_string(&naive).unwrap(), solution("lab-1-stencil/naive.cu"));
    let answer = elsewhere.lab("work", &["reset", "1", "naive", "--yes"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert_eq!(std::fs::read_to_string(&naive).unwrap(), starter);
}

#[test]
fn commands_that_need_no_folder_work_anywhere() {
    let elsewhere = Elsewhere::new();
    std::fs::create_dir_all(elsewhere.path("hand-in/lab-7")).unwrap();
    std::fs::write(elsewhere.path("hand-in/lab-7/copy.cu"), solution("lab-7-transpose/copy.cu")).unwrap();
    let answer = elsewhere.lab("", &["grade", "hand-in"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert!(answer.out.contains("\"score\":100"), "{}", answer.out);
    let answer = elsewhere.lab("", &["run", "7", "copy", "--solution"]);
    assert_eq!(answer.status, 0, "{}", answer.err);
    assert_eq!(elsewhere.lab("", &["doctor"]).status, 0);
    // Commands without a folder to work on say how to get one.
    for arguments in [
        &[][..],
        &["run", "1", "naive"],
        &["watch"],
        &["hint", "1", "naive"],
        &["compare", "1"],
        &["profile", "1"],
        &["reset", "1"],
    ] {
        let answer = elsewhere.lab("", arguments);
        assert_eq!(answer.status, 2, "{arguments:?}");
        assert!(
            answer.err.starts_with("error: there are no labs in this folder"),
            "{arguments:?}: {}",
            answer.err
        );
        assert!(answer.err.contains("lab init FOLDER"), "{arguments:?}: {}", answer.err);
    }
    assert_eq!(elsewhere.lab("", &["starters"]).status, 2);
}

#[test]
fn references_are_mended_and_a_file_is_no_folder() {
    let elsewhere = Elsewhere::new();
    std::fs::write(elsewhere.path("file"), "").unwrap();
    let answer = elsewhere.lab("", &["init", "file"]);
    assert_eq!((answer.status, answer.err.contains("file is a file")), (2, true), "{}", answer.err);
    assert_eq!(elsewhere.lab("", &["init", "work"]).status, 0);
    let unpacked = std::fs::read_dir(elsewhere.path("data")).unwrap().next().unwrap().unwrap().path();
    let reference = unpacked.join("lab-7-transpose/copy.cu");
    std::fs::write(&reference, "damaged").unwrap();
    assert_eq!(elsewhere.lab("", &["run", "7", "copy", "--solution"]).status, 0);
    assert_eq!(std::fs::read_to_string(reference).unwrap(), solution("lab-7-transpose/copy.cu"));
    // The program's data folder cannot be written.
    std::fs::remove_dir_all(elsewhere.path("data")).unwrap();
    std::fs::write(elsewhere.path("data"), "a file").unwrap();
    let answer = elsewhere.lab("work", &["run", "7", "copy"]);
    assert_eq!(answer.status, 2);
    assert!(answer.err.contains("set WARPLAB_DATA"), "{}", answer.err);
}
