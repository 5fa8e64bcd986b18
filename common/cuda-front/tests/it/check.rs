//! The checker on whole programs: `check/pass` must give no diagnostic, `check/fail` those of its snapshot.

use crate::fixtures::{self, Fixture};
use cuda_front::hir::Program;
use source::{Diagnostic, Severity, SourceMap, render};

fn check(name: &str, text: &str, requests: &[&str]) -> (SourceMap, Vec<Diagnostic>, Program) {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = map.add(name, text);
    let options = cuda_syntax::preprocess::Options::default();
    let tokens = cuda_syntax::preprocess::preprocess(&mut map, file, &options, &mut diagnostics);
    let ast = cuda_syntax::parse::parse(&tokens, &mut diagnostics);
    let requests: Vec<String> = requests.iter().map(|r| (*r).to_owned()).collect();
    let program = cuda_front::check::check(&ast, &map, &mut diagnostics, &requests);
    (map, diagnostics, program)
}

fn concise(map: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| render::concise(map, d) + "\n").collect()
}

mod pass {
    fixtures! { crate::check::passes, "tests/check/pass";
        doubles language matmul meant_roundings
    }
}

fn passes(file: &Fixture) {
    let (map, mut diagnostics, program) = check(&file.name, &file.text, &[]);
    assert!(diagnostics.is_empty(), "{}", concise(&map, &diagnostics));
    assert!(!program.kernels.is_empty(), "there is no kernel");
    assert_lowered(&map, &mut diagnostics, &program);
}

/// Fails unless what passes the checker can be lowered.
fn assert_lowered(map: &SourceMap, diagnostics: &mut Vec<Diagnostic>, program: &Program) {
    let module = cuda_front::lower::lower(program, diagnostics);
    diagnostics.retain(|d| d.severity == Severity::Error);
    assert!(diagnostics.is_empty(), "{}", concise(map, diagnostics));
    assert_eq!(module.kernels.len(), program.kernels.len());
}

mod fail {
    fixtures! { crate::check::fails, "tests/check/fail";
        constants double_literals failed_expressions names types warnings
    }
}

fn fails(file: &Fixture) {
    let (map, diagnostics, _) = check(&file.name, &file.text, &[]);
    insta::with_settings!({ snapshot_path => "../check/fail", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(file.stem.as_str(), concise(&map, &diagnostics));
    });
}

#[test]
fn the_projects_own_kernels_pass() {
    for folder in ["../../solutions", "../../kernels"] {
        for file in fixtures::below(folder) {
            let (map, mut diagnostics, program) = check(&file.path.to_string_lossy(), &file.text, &[]);
            let errors: Vec<_> =
                diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
            assert!(errors.is_empty(), "{}", concise(&map, &errors));
            assert!(!program.kernels.is_empty(), "{} has no kernel", file.path.display());
            if folder.ends_with("solutions") {
                assert_lowered(&map, &mut diagnostics, &program);
            }
        }
    }
}
