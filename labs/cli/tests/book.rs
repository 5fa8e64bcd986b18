//! The book and the README against the code: links lead somewhere, and messages that they explain exist.

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

#[test]
fn no_page_has_a_placeholder() {
    for page in pages() {
        let text = read(&page);
        for marker in ["@@", "TBD", "FIXME", "lorem"] {
            assert!(!text.contains(marker), "{} has {marker}", page.display());
        }
    }
}
