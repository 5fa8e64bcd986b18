//! Checks the book and the README: links have targets, and the explained messages exist.

use crate::support::Project;
use fuzz::seeds::{files, root};
use harness::glossary::anchor;
use source::Code;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn pages() -> Vec<PathBuf> {
    let mut pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|p| root().join(p)).to_vec();
    pages.extend(files(&root().join("docs/src")));
    pages.retain(|path| path.extension().is_some_and(|e| e == "md"));
    pages
}

/// Targets of links within a page: headings as mdBook spells them, and anchors.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings =
        page.lines().filter_map(|line| line.strip_prefix('#')).map(|l| anchor(l.trim_start_matches('#')));
    let named = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    headings.chain(named).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut links = 0;
    for page in pages() {
        let text = read(&page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            if file.contains("://") {
                continue;
            }
            links += 1;
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            let is_there = place.is_empty() || anchors(&read(&target)).contains(place);
            assert!(is_there, "{}: {link} leads to no place of that page", page.display());
        }
    }
    assert!(links > 30, "only {links} links found: is this test still looking at the pages?");
}

/// The messages page has a heading or a table row for every code, and for no other.
#[test]
fn the_book_lists_exactly_the_codes_of_the_table() {
    let page = read(&root().join("docs/src/messages.md"));
    let listed = page.lines().filter(|line| line.starts_with("### ") || line.starts_with("| `"));
    let listed = listed.flat_map(|line| {
        let cell = line.split(" | ").next().unwrap_or_default();
        cell.split('`').skip(1).step_by(2)
    });
    let listed: BTreeSet<&str> = listed.collect();
    let codes: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let missing: Vec<_> = codes.difference(&listed).collect();
    assert!(missing.is_empty(), "docs/src/messages.md has no entry for {missing:?}");
    let unknown: Vec<_> = listed.difference(&codes).collect();
    assert!(unknown.is_empty(), "docs/src/messages.md lists {unknown:?}, which no message has");
}

#[test]
fn places_of_the_book_that_codes_name_exist() {
    for code in Code::ALL {
        let (file, place) = code.page().split_once('#').expect("a page and a place on it");
        let page = read(&root().join("docs/src").join(file));
        assert!(anchors(&page).contains(place), "`{code}`: docs/src/{file} has no place {place}");
    }
}

/// The codes in the book's search: each code with its place and title. A table row of the messages page is an anchor
/// named after the code.
fn searched() -> String {
    let page = read(&root().join("docs/src/messages.md"));
    let rows: BTreeSet<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .flat_map(|line| line.split(" | ").next().unwrap_or_default().split('`').skip(1).step_by(2))
        .collect();
    let line = |code: &Code| {
        let place = match rows.contains(code.as_str()) {
            true => format!("messages.html#{code}"),
            false => code.page().replacen(".md", ".html", 1),
        };
        format!("{},\n", serde_json::json!([code.as_str(), place, code.title().replace('`', "")]))
    };
    let lines: String = Code::ALL.iter().map(line).collect();
    let head = "// The diagnostic codes for the book's search, each with its place and its title.\n// `CODES=write cargo test -p lab --test it book::` writes this file.";
    format!("{head}\nwindow.diagnosticCodes = [\n{lines}];\n")
}

#[test]
fn the_search_knows_every_code() {
    let path = root().join("docs/src/codes.js");
    let text = searched();
    if std::env::var("CODES").is_ok_and(|what| what == "write") {
        std::fs::write(&path, &text).unwrap();
    }
    assert!(
        read(&path) == text,
        "docs/src/codes.js is out of date: `CODES=write cargo test -p lab --test it book::`"
    );
}

/// Every code is used somewhere outside the table of codes.
#[test]
fn every_code_is_reported_somewhere() {
    let packages = ["cuda-syntax", "cuda-front", "device", "device-sim", "device-gpu", "backend"];
    let sources = packages.iter().flat_map(|name| files(&root().join("common").join(name).join("src")));
    let sources: String =
        sources.filter(|p| p.extension().is_some_and(|e| e == "rs")).map(|p| read(&p)).collect();
    let used: BTreeSet<&str> = sources
        .split("Code::")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next())
        .collect();
    let unused: Vec<_> =
        Code::ALL.iter().filter(|code| !used.contains(format!("{code:?}").as_str())).collect();
    assert!(unused.is_empty(), "no crate reports {unused:?}");
}

/// The examples of a page: each with its message's code and its lines.
fn examples(page: &str) -> Vec<(&str, Vec<&str>)> {
    let blocks = page.split("```cuda\n// ").skip(1).filter_map(|rest| rest.split("\n```").next());
    let parts = blocks.filter_map(|block| block.split_once('\n'));
    parts.map(|(code, lines)| (code, lines.lines().collect())).collect()
}

/// An example as a file, without the lines marked `without`.
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

/// The examples of the explanations; each is in the section of its code.
fn explained() -> Vec<(&'static str, Vec<&'static str>)> {
    let blocks = |code: &Code| {
        let blocks =
            code.explanation().split("```cuda\n").skip(1).filter_map(|rest| rest.split("\n```").next());
        let code = code.as_str();
        blocks.map(move |block| (code, block.lines().collect())).collect::<Vec<_>>()
    };
    Code::ALL.iter().flat_map(blocks).collect()
}

/// The wrong form of each example first reports the example's message, and the correct form reports none.
#[test]
fn examples_of_messages_get_them() {
    let project = Project::new();
    let page = read(&root().join("docs/src/messages.md"));
    let mut examples = examples(&page);
    assert!(examples.len() >= 20, "only {} examples found", examples.len());
    let explained = explained();
    assert!(explained.len() >= 20, "only {} examples of explanations found", explained.len());
    // Most examples also appear on the page.
    examples.extend(explained.into_iter().filter(|example| !examples.contains(example)).collect::<Vec<_>>());
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
