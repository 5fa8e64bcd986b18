//! A project of its own for each test: `kernels/` and `solutions/` copied to a temporary folder, in which `lab` is run.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) struct Project {
    folder: tempfile::TempDir,
}

pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Project {
    pub(crate) fn new() -> Project {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        copy(&root.join("solutions"), &folder.path().join("solutions"));
        for name in ["kernels", "docs/src"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let project = Project { folder };
        // Not the files under kernels/, which may be a student's: the starters as the solutions say.
        assert_eq!(project.lab(&["starters"]).status, 0);
        project
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Copies the reference to the student's file.
    pub(crate) fn solve(&self, exercise: &str) {
        self.write(&format!("kernels/{exercise}"), self.read(&format!("solutions/{exercise}")));
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        command.args(arguments).current_dir(self.root()).stdin(Stdio::null());
        command.env("CARGO_TARGET_DIR", self.path("target"));
        // Use the simulator even on a computer with a GPU; tests about a GPU pass `--on`.
        command.env("LAB_DEVICE", "sim");
        // A wide terminal, so that expected texts are not wrapped; tests of widths and colours set their own width.
        command
            .env("COLUMNS", "200")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE");
        // Set Cargo's variables, even if the tests run without Cargo.
        command.env("CARGO", "cargo").env("CARGO_PKG_NAME", "lab");
        command
    }

    pub(crate) fn lab(&self, arguments: &[&str]) -> Answer {
        Answer::of(self.command(arguments).output().unwrap())
    }

    /// Runs the program, and asserts that it refuses the arguments with `message`, without a panic or output.
    pub(crate) fn refused(&self, arguments: &[&str], message: &str) {
        let answer = self.lab(arguments);
        assert_eq!(answer.status, 2, "{arguments:?}: {}", answer.err);
        assert!(answer.err.contains(message), "{arguments:?} does not say {message:?}:\n{}", answer.err);
        assert_eq!(answer.out, "", "{arguments:?}");
        answer.is_calm();
    }
}

impl Answer {
    pub(crate) fn of(output: Output) -> Answer {
        Answer {
            status: output.status.code().expect("ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts that there was no panic, and no escape sequences without a terminal.
    pub(crate) fn is_calm(&self) {
        assert!(!self.err.contains("panicked"), "{}", self.err);
        assert!(!self.out.contains('\x1b') && !self.err.contains('\x1b'), "{}{}", self.out, self.err);
    }

    /// Standard output as JSON, one value per line.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.out.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e} in {l}"))).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.path().extension().is_some_and(|e| e == "cu") {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The text of a reference, such as `lab-1-stencil/naive.cu`.
pub(crate) fn solution(file: &str) -> String {
    let solutions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../solutions");
    std::fs::read_to_string(solutions.join(file)).unwrap()
}
