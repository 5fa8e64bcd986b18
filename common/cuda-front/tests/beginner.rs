//! One beginner's mistake a file: `beginner/*.cu`. Each gets its own message, at the line that is marked with
//! `// EXPECT code`, with a help that says what to do; the whole text is kept in a snapshot.

use cuda_front::Options;
use source::{Severity, render};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn programs(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "cu") {
                let text = fs::read_to_string(&path).expect("text");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// The lines (1-based) and the codes that a file expects.
fn expected<'a>(path: &Path, text: &'a str) -> Vec<(u32, &'a str)> {
    let marks = (1..).zip(text.lines()).filter_map(|(n, line)| Some((n, line.split_once("// EXPECT ")?.1)));
    let marks: Vec<_> = marks.collect();
    assert!(!marks.is_empty(), "{}: no line has `// EXPECT code`", path.display());
    marks
}

#[test]
fn each_mistake_gets_its_message() {
    let all = programs(&root().join("tests/beginner"));
    assert!(all.len() >= 50, "{} mistakes", all.len());
    let mut wrong = Vec::new();
    for (path, text) in &all {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let expected = expected(path, text);
        let compiled = cuda_front::compile(&format!("{stem}.cu"), text, &Options::default());
        let full: String =
            compiled.diagnostics.iter().map(|d| render::full(&compiled.sources, d, false) + "\n").collect();
        let found: Vec<(u32, &str)> = compiled
            .diagnostics
            .iter()
            .map(|d| (d.span().map_or(0, |s| compiled.sources.position(s).line), d.code))
            .collect();
        if found != expected {
            wrong.push(format!("{stem}: expected {expected:?}, found {found:?}\n{full}"));
        } else if compiled.diagnostics[0].help.is_empty() {
            wrong.push(format!("{stem}: no help\n{full}"));
        } else {
            insta::with_settings!({ snapshot_path => "beginner", prepend_module_to_snapshot => false, omit_expression => true }, {
                insta::assert_snapshot!(stem.as_str(), full);
            });
        }
    }
    assert!(wrong.is_empty(), "{} of {} mistakes\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// Warnings that right programs get: file, and code.
const LISTED: &[(&str, &str)] = &[
    // They are about just this.
    ("accept/arithmetic/float_and_double.cu", "double-literal"),
    ("accept/arithmetic/float_and_double.cu", "integer-division"),
    ("accept/functions/missing_return_value.cu", "missing-return"),
    ("accept/classics/layer_norm.cu", "shared-initializer"),
];

#[test]
fn right_programs_get_no_warning() {
    let mut found = Vec::new();
    for folder in [
        "../../solutions",
        "../../kernels",
        "tests/corpus/accept",
        "tests/check/pass",
        "tests/kernels",
        "../device-sim/tests/classics",
    ] {
        let folder = root().join(folder);
        let all = programs(&folder);
        for (path, text) in &all {
            let name = path
                .strip_prefix(folder.parent().expect("not the root"))
                .expect("within")
                .to_string_lossy()
                .replace('\\', "/");
            let compiled = cuda_front::compile(&name, text, &Options::default());
            // A feature that is not supported yet stops the look at the rest.
            if compiled.has_errors() {
                continue;
            }
            for d in compiled.diagnostics.iter().filter(|d| d.severity == Severity::Warning) {
                if !LISTED.contains(&(name.as_str(), d.code)) {
                    found.push(render::full(&compiled.sources, d, false));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} warnings on right programs\n{}", found.len(), found.join("\n"));
}
