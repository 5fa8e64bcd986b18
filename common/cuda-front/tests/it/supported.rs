//! The book's table of what is supported, `docs/src/supported.md`, from programs that are compiled here.
//!
//! `supported/features.txt` has a section for each `# ` and a feature for each `## `, with a right CUDA program under it.
//! What the front-end says of the program is what the table says of the feature, so the table cannot be out of date:
//! `UPDATE_DOCS=1 cargo test -p cuda-front --test it supported` writes it anew.

use source::{Verdict, render};
use std::fs;
use std::path::{Path, PathBuf};

struct Feature {
    section: String,
    name: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> PathBuf {
    root().join("../../docs/src/supported.md")
}

fn features() -> Vec<Feature> {
    let text = fs::read_to_string(root().join("tests/supported/features.txt")).expect("the features");
    let mut all: Vec<Feature> = Vec::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            all.push(Feature { section: section.clone(), name: name.to_owned(), text: String::new() });
        } else if let Some(name) = line.strip_prefix("# ") {
            name.clone_into(&mut section);
        } else if let Some(feature) = all.last_mut() {
            feature.text.push_str(line);
            feature.text.push('\n');
        }
    }
    all
}

/// The last column: nothing for what is supported, else what the front-end says.
fn verdict(feature: &Feature) -> Result<Option<String>, String> {
    let compiled = cuda_front::compile("feature.cu", &feature.text, &cuda_front::Options::default());
    let all = || -> String {
        compiled.diagnostics.iter().map(|d| render::full(&compiled.sources, d, false) + "\n").collect()
    };
    if compiled.module.is_some() {
        return if compiled.diagnostics.is_empty() { Ok(None) } else { Err(all()) };
    }
    let errors = || compiled.diagnostics.iter().filter(|d| d.severity == source::Severity::Error);
    match errors().next() {
        Some(first) if errors().all(|d| d.verdict == Verdict::Unsupported) => Ok(Some(first.title.clone())),
        _ => Err(all()),
    }
}

#[test]
fn the_table_says_what_the_front_end_does() {
    let mut text = "# What is supported\n\n\
        This page lists language and library features of kernels: \"yes\" means that the simulator's front-end accepts them, \
        \"not\nyet\" that it does not. CUDA's own compiler accepts all of them. A test compiles a program for each row, so the \
        tables\nshow what the front-end actually does. It rejects an unsupported feature by name: it never ignores it, and never \
        reports\nit as your mistake.\n"
        .to_owned();
    let (mut section, mut wrong) = ("", Vec::new());
    let all = features();
    for feature in &all {
        if feature.section != section {
            section = &feature.section;
            text.push_str(&format!("\n## {section}\n\n| Feature | Simulator | |\n|---|---|---|\n"));
        }
        let name = feature.name.replace('|', "\\|");
        match verdict(feature) {
            Ok(None) => text.push_str(&format!("| {name} | yes | |\n")),
            Ok(Some(title)) => text.push_str(&format!("| {name} | not yet | {title} |\n")),
            Err(said) => wrong.push(format!("{name}\n{said}")),
        }
    }
    assert!(wrong.is_empty(), "right programs are called wrong:\n{}", wrong.join("\n"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(page(), &text).expect("the page can be written");
    }
    let written = fs::read_to_string(page()).unwrap_or_default();
    assert_eq!(written.replace("\r\n", "\n"), text, "run with UPDATE_DOCS=1 to update the page");
}
