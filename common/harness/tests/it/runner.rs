//! The lab test runner, as `cargo test` sees it: this program calls itself as the runner of a fake lab and reads what it
//! prints.

use crate::fake::{self, FakeDevice};
use harness::testing::DeviceRequest;
use std::path::Path;
use std::process::{Command, Output};

/// The folder of the lab's package; set only in the child.
const CHILD: &str = "RUNNER_MANIFEST_DIR";
/// What the runner is called with, an argument a line.
const ARGUMENTS: &str = "RUNNER_ARGUMENTS";
/// The line after which the child's output is the runner's.
const BEGIN: &str = "the runner begins\n";

fn make_device(request: &DeviceRequest) -> Result<Box<dyn device::Device>, String> {
    match request.model.as_deref() {
        None | Some("fake") => Ok(Box::new(FakeDevice::new())),
        Some(other) => Err(format!("LAB_MODEL is `{other}`: known models are fake")),
    }
}

/// The runner; nothing but in the child.
#[test]
fn child() {
    if let (Ok(folder), Ok(arguments)) = (std::env::var(CHILD), std::env::var(ARGUMENTS)) {
        print!("{BEGIN}");
        // As in `main`, the first argument is the program's name.
        let arguments = std::iter::once("runner").chain(arguments.lines());
        harness::testing::run(fake::lab(), &folder, make_device, arguments);
    }
}

/// A workspace with `kernel` as what the student wrote.
fn workspace(kernel: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (folder, text) in [("kernels", kernel), ("solutions", "kernel slow\nx\n")] {
        let folder = root.path().join(folder).join("lab-9-twice");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("twice.cu"), text).unwrap();
    }
    std::fs::create_dir_all(root.path().join("labs/lab-9-twice")).unwrap();
    root
}

fn run(root: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (Output, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for name in ["LAB_KERNEL", "LAB_EXERCISE", "LAB_SEED", "LAB_DEVICE", "LAB_MODEL"] {
        command.env_remove(name);
    }
    let output = command
        .args(["--exact", "runner::child", "--nocapture"])
        .envs(variables.iter().copied())
        .env(ARGUMENTS, arguments.join("\n"))
        .env(CHILD, root.join("labs/lab-9-twice"))
        .current_dir(root.join("labs/lab-9-twice"))
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let (_, printed) = printed.split_once(BEGIN).expect("the runner was called");
    let text = printed.to_owned() + &String::from_utf8_lossy(&output.stderr);
    (output, text)
}

#[test]
fn solved_and_unsolved() {
    let (output, text) = run(workspace("kernel twice\nx\n").path(), &[], &[]);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("test twice::correct_100") && text.contains("8 passed; 0 failed"), "{text}");
    assert!(text.contains("passed 100/100") && text.contains("modelled (fake)"), "{text}");

    let (output, text) = run(workspace("kernel nothing\n").path(), &[], &[]);
    assert_eq!(output.status.code(), Some(101), "{text}");
    assert!(text.contains("stores no result"), "{text}");
    assert!(text.contains("FAILED 0/100"), "the report follows failed tests too\n{text}");
    assert!(text.contains("not checked: not every result is correct"), "{text}");
}

#[test]
fn filters_and_lists() {
    let root = workspace("kernel slow\n");
    let (output, text) = run(root.path(), &["twice::gate_"], &[]);
    assert!(!output.status.success() && text.contains("running 1 test"), "{text}");
    let (output, text) = run(root.path(), &["--list"], &[]);
    assert!(output.status.success() && text.contains("twice::gate_coalesced: test"), "{text}");
    assert!(!text.contains("/100"), "a list grades nothing\n{text}");
}

#[test]
fn another_file() {
    let root = workspace("kernel nothing\n");
    std::fs::write(root.path().join("mine.cu"), "kernel twice\nx\n").unwrap();
    let (output, text) = run(root.path(), &[], &[("LAB_KERNEL", "mine.cu")]);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("name the exercise that it is for with LAB_EXERCISE"), "{text}");
    let (output, text) = run(root.path(), &[], &[("LAB_KERNEL", "mine.cu"), ("LAB_EXERCISE", "twice")]);
    assert!(output.status.success(), "from the workspace's root\n{text}");
    assert!(text.contains("mine.cu on simulator"), "{text}");
    let (output, text) = run(root.path(), &[], &[("LAB_KERNEL", "gone/twice.cu")]);
    assert!(!output.status.success() && text.contains("`gone/twice.cu` does not exist"), "{text}");
}

#[test]
fn wrong_values() {
    let root = workspace("kernel twice\nx\n");
    for (name, value, message) in [
        ("LAB_SEED", "x1", "LAB_SEED is `x1`: expected a whole number"),
        ("LAB_MODEL", "h2000", "LAB_MODEL is `h2000`: known models are fake"),
        ("LAB_EXERCISE", "twise", "lab-9 has no such exercise (it has twice); did you mean `twice`?"),
    ] {
        let (output, text) = run(root.path(), &[], &[(name, value)]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(message), "{text}");
    }
}
