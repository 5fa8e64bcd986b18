//! Checks the tasks for Visual Studio Code: their commands exist, and the problem matcher fits the output.

use crate::support::{Project, solution};
use regex::Regex;
use serde_json::Value;
use std::path::Path;

fn tasks() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.vscode/tasks.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(file["version"], "2.0.0");
    file["tasks"].as_array().unwrap().clone()
}

/// The pattern that all tasks with a problem matcher share.
fn pattern() -> (Regex, Value) {
    let tasks = tasks();
    let matchers: Vec<&Value> =
        tasks.iter().map(|t| &t["problemMatcher"]).filter(|m| m.is_object()).collect();
    for matcher in &matchers {
        assert_eq!(matcher["pattern"], matchers[0]["pattern"]);
        assert_eq!(matcher["fileLocation"], serde_json::json!(["relative", "${workspaceFolder}"]));
    }
    let pattern = matchers[0]["pattern"].clone();
    (Regex::new(pattern["regexp"].as_str().unwrap()).unwrap(), pattern)
}

/// File, line, column, severity, code and message of a line, if the matcher takes it.
fn matched(line: &str) -> Option<[String; 6]> {
    let (regex, pattern) = pattern();
    let groups = regex.captures(line)?;
    let part = |name: &str| groups[pattern[name].as_u64().unwrap() as usize].to_owned();
    Some(["file", "line", "column", "severity", "code", "message"].map(part))
}

#[test]
fn the_matcher_takes_findings_and_nothing_else() {
    let line = "kernels/lab-1-stencil/naive.cu:12:9: error[undeclared-name]: `foo` is not declared: did you mean `for`?";
    let parts = ["kernels/lab-1-stencil/naive.cu", "12", "9", "error", "undeclared-name"];
    let found = matched(line).unwrap();
    assert_eq!(found[..5], parts);
    assert_eq!(found[5], "`foo` is not declared: did you mean `for`?");
    let line = r"kernels\lab-7-transpose\copy.cu:3:1: warning[unused-result]: text [1]: 2";
    assert_eq!(matched(line).unwrap()[0], r"kernels\lab-7-transpose\copy.cu");
    assert!(matched("kernels/a.cu:3:1: note[some-note]: text").is_some());
    for other in ["", "error: there is no lab `9`", "lab-1/naive: passed 100/100", "12:9: error[x]: y"] {
        assert!(matched(other).is_none(), "{other}");
    }
}

/// Each task's command and options exist, and the command accepts the file or folder that the editor fills in for a
/// file of lab 1.
#[test]
fn the_tasks_are_understood() {
    let project = Project::new();
    for task in tasks() {
        assert_eq!(task["command"], "cargo");
        let args: Vec<&str> =
            task["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        assert_eq!(args[0], "lab");
        let help = project.lab(&[args[1], "--help"]);
        assert_eq!(help.status, 0, "{}", help.err);
        for option in args.iter().filter(|arg| arg.starts_with("--")) {
            assert!(help.out.contains(option), "{}: no {option} in\n{}", task["label"], help.out);
        }
        let named = args[2]
            .replace("${relativeFileDirname}", "kernels/lab-1-stencil")
            .replace("${relativeFile}", "kernels/lab-1-stencil/naive.cu");
        let answer = project.lab(&["reset", &named]);
        assert!(answer.out.starts_with("kernels/lab-1-stencil/naive.cu is "), "{named}: {}", answer.err);
    }
}

/// The matcher finds the messages about a wrong kernel, with the file as the editor expects it.
#[test]
fn the_matcher_takes_what_the_command_prints() {
    let project = Project::new();
    let file = "kernels/lab-1-stencil/naive.cu";
    project.write(file, "__global__ void stencil(float *out) {\n    out[0] = missing;\n}\n");
    let task = tasks().remove(0);
    let options = task["args"].as_array().unwrap().iter().skip(3).map(|arg| arg.as_str().unwrap());
    let answer = project.lab(&["run", file].into_iter().chain(options).collect::<Vec<_>>());
    assert_eq!(answer.status, 1, "{}", answer.err);
    let found = answer.out.lines().find_map(matched).unwrap_or_else(|| panic!("{}", answer.out));
    assert_eq!(found[..5], [file, "2", "14", "error", "undeclared-name"]);
    // A wrong result and a missed gate without a line both point to the kernel.
    let right = solution("lab-1-stencil/naive.cu");
    for (text, code) in [
        (right.replace("out[i] = sum;", "out[i] = sum + 1.0f;"), "correct_n1_r1"),
        (right.replace("LOADS_AT_RADIUS_3 14", "LOADS_AT_RADIUS_3 13"), "gate_loads_counted"),
    ] {
        assert_ne!(text, right);
        project.write(file, &text);
        let answer = project.lab(&["run", file, "--format", "concise"]);
        let found = answer.out.lines().find_map(matched).unwrap_or_else(|| panic!("{}", answer.out));
        let line = text.lines().position(|line| line.starts_with("__global__")).unwrap() + 1;
        assert_eq!(found[..5], [file, &line.to_string(), "1", "error", code]);
    }
}
