//! The book and the README against the code: links lead somewhere, and messages that they explain exist.

use crate::support::Project;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

fn pages() -> Vec<PathBuf> {
    let mut pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|p| root().join(p)).to_vec();
    files(&root().join("docs/src"), "md", &mut pages);
    pages
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut links = 0;
    for page in pages() {
        let text = read(&page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            links += 1;
            assert!(page.with_file_name(file).exists(), "{}: {link} leads nowhere", page.display());
        }
    }
    assert!(links > 30, "only {links} links found: is this test still looking at the pages?");
}

/// Every name in back quotes in a heading of the messages page is a code that some crate can report.
#[test]
fn messages_that_the_book_explains_exist() {
    let mut sources = Vec::new();
    files(&root().join("common"), "rs", &mut sources);
    let sources: String = sources.iter().map(|p| read(p)).collect();
    let page = read(&root().join("docs/src/messages.md"));
    let explained = |line: &&str| line.starts_with("### ") || line.starts_with("| `");
    let cell = |line: &str| line.split(" | ").next().unwrap_or_default().to_string();
    let mut codes = 0;
    for line in page.lines().filter(explained).map(cell) {
        for code in line.split('`').skip(1).step_by(2) {
            codes += 1;
            assert!(sources.contains(&format!("\"{code}\"")), "no crate reports `{code}`");
        }
    }
    assert!(codes > 20, "only {codes} codes found");
}

/// The code that each report in a text is made with: the string after the bracket of what makes one.
fn reported(text: &str) -> Vec<&str> {
    let makers =
        ["Diagnostic::error(", "Diagnostic::warning(", "Diagnostic::unsupported(", ".error(", ".warning("];
    let codes = makers.iter().flat_map(|maker| text.split(maker).skip(1)).filter_map(|rest| {
        let (code, _) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        let is_code = code.contains('-') && code.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        is_code.then_some(code)
    });
    codes.collect()
}

#[test]
fn the_book_explains_every_message_of_front_end_and_machine() {
    let mut sources = Vec::new();
    for package in ["cuda-front", "simt", "simt-opt", "device-sim", "device"] {
        files(&root().join("common").join(package).join("src"), "rs", &mut sources);
    }
    let sources: Vec<String> = sources.iter().map(|p| read(p)).collect();
    let page = read(&root().join("docs/src/messages.md"));
    let codes: std::collections::BTreeSet<&str> = sources.iter().flat_map(|text| reported(text)).collect();
    assert!(codes.len() > 100, "only {} codes found", codes.len());
    let missing: Vec<_> = codes.iter().filter(|code| !page.contains(&format!("`{code}`"))).collect();
    assert!(missing.is_empty(), "docs/src/messages.md has no entry for {missing:?}");
}

/// The examples of a page: the code of the message, and the lines.
fn examples(page: &str) -> Vec<(&str, Vec<&str>)> {
    let blocks = page.split("```cuda\n// ").skip(1).filter_map(|rest| rest.split("\n```").next());
    let parts = blocks.filter_map(|block| block.split_once('\n'));
    parts.map(|(code, lines)| (code, lines.lines().collect())).collect()
}

/// An example without the lines marked `without`, as a file.
fn program(lines: &[&str], without: &str) -> String {
    let kept =
        lines.iter().filter(|line| !line.split_once("// ").is_some_and(|(_, c)| c.starts_with(without)));
    let text: String = kept.map(|line| format!("{line}\n")).collect();
    if text.contains("__global__") {
        return text;
    }
    let index = "int i = blockIdx.x * blockDim.x + threadIdx.x;";
    format!("__global__ void k(const float *in, float *out, int n) {{\n{index}\n{text}}}\n")
}

/// Each example's wrong form gets the message that it is about before any other, and its right form none.
#[test]
fn examples_of_messages_get_them() {
    let project = Project::new();
    let page = read(&root().join("docs/src/messages.md"));
    let examples = examples(&page);
    assert!(examples.len() >= 20, "only {} examples found", examples.len());
    let codes = |text: &str| -> (String, Vec<String>) {
        project.write("k.cu", text);
        let buffers = ["--arg", "f32[100]=ramp", "--arg", "f32[100]=poison", "--arg", "100"];
        let launch = ["launch", "k.cu", "--kernel", "k", "--grid", "2", "--block", "64", "--json"];
        let answer = project.lab(&[&launch[..], &buffers].concat());
        let object = &answer.json_lines()[0];
        let diagnostics = object["diagnostics"].as_array().unwrap();
        let codes = diagnostics.iter().map(|d| d["code"].as_str().unwrap().to_owned()).collect();
        (object["verdict"].as_str().unwrap().to_owned(), codes)
    };
    for (code, lines) in &examples {
        let wrong = program(lines, "right");
        let (_, found) = codes(&wrong);
        assert_eq!(found.first().map(String::as_str), Some(*code), "{found:?} of\n{wrong}");
        let right = program(lines, "wrong");
        assert_ne!(right, wrong, "nothing is marked in\n{right}");
        assert_eq!(codes(&right), ("ok".to_owned(), vec![]), "{code}\n{right}");
    }
}

#[test]
fn no_page_has_a_placeholder() {
    for page in pages() {
        let text = read(&page);
        for marker in ["@@", "TBD", "FIXME", "lorem"] {
            assert!(!text.contains(marker), "{} has {marker}", page.display());
        }
    }
}
