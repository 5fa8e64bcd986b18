//! What people read is plain English: the phrases of `phrases.txt` appear in nothing that is printed, in no page and in no comment.
//!
//! Files are searched as they are, so that messages, help, comments and expected output are covered alike. The list holds phrases,
//! not grammar: a reader finds what the list does not name.

use fuzz::seeds::{files, root};
use std::path::Path;

/// The phrases, each with what to write instead.
fn phrases() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("phrases.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once(" | ").unwrap_or_else(|| panic!("no ` | ` in {line:?}")))
}

/// Whether a file below the root is a text of the project: source, kernel, page, or what tests expect to be printed.
fn is_text(path: &Path) -> bool {
    let left_out = ["target", "results", "node_modules", "corpus", "bank"];
    let is_known = |ending| ["rs", "cu", "md", "snap", "toml"].iter().any(|known| ending == *known);
    path.extension().is_some_and(is_known)
        && !path.iter().any(|part| left_out.iter().any(|name| part == *name))
}

/// The words of a file in lower case, one blank between two: markers of comments and of string continuations are no words.
fn words(text: &str) -> String {
    let words = text
        .split_whitespace()
        .filter(|word| !matches!(*word, "//" | "///" | "//!" | "|" | "\\" | "*" | ">"));
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The phrases in a text.
fn found(text: &str) -> Vec<(&'static str, &'static str)> {
    let words = words(text);
    let begins = |at: usize| !words[..at].ends_with(char::is_alphanumeric);
    let holds = |phrase: &str| words.match_indices(phrase).any(|(at, _)| begins(at));
    phrases().filter(|(phrase, _)| holds(phrase)).collect()
}

#[test]
fn prose_is_plain_english() {
    let mut paths = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)).to_vec();
    for folder in ["docs/src", "solutions", "kernels", "labs", "common", "benches"] {
        paths.extend(files(&root().join(folder)));
    }
    paths.retain(|path| is_text(path.strip_prefix(root()).unwrap()));
    assert!(paths.len() > 1000, "only {} files: is this test still looking at the project?", paths.len());
    let mut complaints = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display();
        // This file has phrases as examples.
        if path.ends_with("english.rs") {
            continue;
        }
        complaints.extend(
            found(&text).into_iter().map(|(phrase, write)| format!("{name}: “{phrase}”: write “{write}”")),
        );
    }
    assert!(complaints.is_empty(), "{} phrases:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn phrases_are_found_across_lines_and_markers() {
    let of = |text: &str| found(text).into_iter().map(|(phrase, _)| phrase).collect::<Vec<_>>();
    assert_eq!(of("    /// Mind\n    /// that it waits."), ["mind that"]);
    assert_eq!(of("\"4 bytes behind \\\n     the last byte\""), ["behind the last byte"]);
    assert_eq!(of("Remind that; behind the caches"), [""; 0]);
}
