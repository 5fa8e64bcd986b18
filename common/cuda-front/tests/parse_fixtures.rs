//! Programs under `tests/parse`: those in `pass` parse without a word, and those in `fail` give the messages of their
//! snapshot. Trees are compared in the short form of `tree/mod.rs`.

mod tree;

use cuda_front::ast::File;
use cuda_front::parse::parse;
use cuda_front::preprocess::{Options, preprocess};
use source::{Diagnostic, SourceMap, render};
use std::path::{Path, PathBuf};

fn read(path: &Path) -> (File, Vec<Diagnostic>, SourceMap) {
    let text = std::fs::read_to_string(path).expect("a fixture can be read");
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_string();
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let mut diagnostics = Vec::new();
    let tokens = preprocess(&mut map, file, &Options::with_files(Vec::new()), &mut diagnostics);
    let tree = parse(&tokens, &mut diagnostics);
    (tree, diagnostics, map)
}

fn fixtures(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parse").join(kind);
    let entries = std::fs::read_dir(folder).expect("the folder of fixtures exists");
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    files.sort();
    assert!(!files.is_empty());
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_string()
}

#[test]
fn passing_programs_parse() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("parse/pass");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for path in fixtures("pass") {
            let (file, diagnostics, map) = read(&path);
            let messages: Vec<_> = diagnostics.iter().map(|d| render::concise(&map, d)).collect();
            assert!(messages.is_empty(), "{}: {messages:#?}", path.display());
            // The two long ones are only to parse; their trees would say nothing new.
            if !matches!(stem(&path).as_str(), "everything" | "lab_like") {
                insta::assert_snapshot!(stem(&path), tree::file(&file));
            }
        }
    });
}

#[test]
fn failing_programs_get_their_messages() {
    let mut messages = String::new();
    for path in fixtures("fail") {
        let (_, diagnostics, map) = read(&path);
        assert!(!diagnostics.is_empty(), "{} has no message", path.display());
        for d in &diagnostics {
            messages += &render::concise(&map, d);
            messages += "\n";
            for label in d.labels.iter().filter(|l| !l.message.is_empty()) {
                let at = map.position(label.span);
                messages += &format!("  {}:{} {}\n", at.line, at.column, label.message);
            }
            for help in &d.help {
                messages += &format!("  help: {help}\n");
            }
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("parse");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("messages", messages));
}

#[test]
fn the_many_constructs_of_one_file_are_all_there() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parse/pass/everything.cu");
    let text = tree::file(&read(&path).0);
    for part in [
        "kernel kernel<int BLOCK> launch_bounds(256, 2)",
        "kernel ck(",
        "kernel ck2(",
        "skipped main(",
        "instantiate",
        "#unroll(4)",
        "(tex2D<float>)(tex,",
        "cooperative_groups::this_thread_block",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}
