//! The checker on whole programs: `check/pass` must give no diagnostic, `check/fail` those of its snapshot.

use cuda_front::hir::Program;
use source::{Diagnostic, Severity, SourceMap, render};
use std::path::{Path, PathBuf};

fn check(name: &str, text: &str, requests: &[&str]) -> (SourceMap, Vec<Diagnostic>, Program) {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = map.add(name, text);
    let options = cuda_front::preprocess::Options::default();
    let tokens = cuda_front::preprocess::preprocess(&mut map, file, &options, &mut diagnostics);
    let ast = cuda_front::parse::parse(&tokens, &mut diagnostics);
    let requests: Vec<String> = requests.iter().map(|r| (*r).to_owned()).collect();
    let program = cuda_front::check::check(&ast, &map, &mut diagnostics, &requests);
    (map, diagnostics, program)
}

fn programs(folder: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "cu") {
                found.push((path.clone(), std::fs::read_to_string(&path).expect("text")));
            }
        }
    }
    found.sort();
    found
}

fn concise(map: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| render::concise(map, d) + "\n").collect()
}

#[test]
fn right_programs_pass_without_a_word() {
    let all = programs("tests/check/pass");
    assert!(!all.is_empty());
    for (path, text) in all {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let (map, diagnostics, program) = check(&name, &text, &[]);
        assert!(diagnostics.is_empty(), "{}", concise(&map, &diagnostics));
        assert!(!program.kernels.is_empty(), "{name} has no kernel");
    }
}

#[test]
fn wrong_programs_get_their_diagnostics() {
    let all = programs("tests/check/fail");
    assert!(!all.is_empty());
    for (path, text) in all {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let (map, diagnostics, _) = check(&name, &text, &[]);
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => "check/fail", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(stem, concise(&map, &diagnostics));
        });
    }
}

#[test]
fn the_projects_own_kernels_pass() {
    for folder in ["../../solutions", "../../kernels"] {
        for (path, text) in programs(folder) {
            let (map, diagnostics, program) = check(&path.to_string_lossy(), &text, &[]);
            let errors: Vec<_> =
                diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
            assert!(errors.is_empty(), "{}", concise(&map, &errors));
            assert!(!program.kernels.is_empty(), "{} has no kernel", path.display());
        }
    }
}

#[test]
fn what_passes_can_be_lowered() {
    for folder in ["tests/check/pass", "../../solutions"] {
        for (path, text) in programs(folder) {
            let (map, mut diagnostics, program) = check(&path.to_string_lossy(), &text, &[]);
            let module = cuda_front::lower::lower(&program, &mut diagnostics);
            diagnostics.retain(|d| d.severity == Severity::Error);
            assert!(diagnostics.is_empty(), "{}", concise(&map, &diagnostics));
            assert_eq!(module.kernels.len(), program.kernels.len());
        }
    }
}
