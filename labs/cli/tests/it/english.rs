//! What people read is plain English: phrases that a native reader would not say are found here, with what to write instead.
//!
//! [`rules`] is the table of phrases; [`text`] takes the prose out of pages, of comments of kernels, and of doc comments and
//! string literals of Rust sources. Code blocks, code in back quotes and tests are not prose. A phrase is a sequence of words,
//! so it is found across line ends, and never across the end of a sentence.

mod rules;
mod text;

use rules::{ALLOWED, NOT_DONE, RULES};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use text::Token;

/// One place of a pattern: the words that may stand there.
struct Place {
    words: Vec<&'static str>,
    /// None of the words may stand there; the place takes no word.
    is_negative: bool,
}

/// The places of a pattern, as [`RULES`] describes them.
fn places(pattern: &'static str) -> Vec<Place> {
    let place = |text: &'static str| {
        let (is_negative, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        Place { words: text.split('|').collect(), is_negative }
    };
    pattern.split(' ').map(place).collect()
}

impl Place {
    fn takes(&self, token: Option<&Token>) -> bool {
        let word = token.map_or(".", |token| token.word.as_str());
        self.words.iter().any(|&known| match known {
            "#" => word.starts_with(|c: char| c.is_ascii_digit()),
            "." => word.len() == 1 && ".,;:!?()|".contains(word),
            known => known == word,
        })
    }
}

/// The number of tokens from `at` on that the places take, if they take any.
fn taken(places: &[Place], tokens: &[Token], at: usize) -> Option<usize> {
    let Some((place, rest)) = places.split_first() else { return Some(0) };
    if place.is_negative {
        return (!place.takes(tokens.get(at))).then(|| taken(rest, tokens, at))?;
    }
    place.takes(tokens.get(at)).then(|| taken(rest, tokens, at + 1))?.map(|further| 1 + further)
}

/// The rules, by the first word that each can begin with.
struct Checker {
    /// What must not come before, the phrase, and the rule's number.
    rules: Vec<(Option<Place>, Vec<Place>)>,
    by_word: HashMap<&'static str, Vec<usize>>,
}

impl Checker {
    fn new() -> Self {
        let mut checker = Self { rules: Vec::new(), by_word: HashMap::new() };
        for (number, rule) in RULES.iter().enumerate() {
            let mut phrase = places(rule.pattern);
            let before = phrase[0].is_negative.then(|| phrase.remove(0));
            for &word in &phrase[0].words {
                checker.by_word.entry(word).or_default().push(number);
            }
            checker.rules.push((before, phrase));
        }
        checker
    }

    /// Each phrase of a text: the place of its first token, the number of tokens, and the rule's number.
    fn phrases(&self, tokens: &[Token]) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            for &number in self.by_word.get(token.word.as_str()).into_iter().flatten() {
                let (before, phrase) = &self.rules[number];
                let previous = at.checked_sub(1).and_then(|at| tokens.get(at));
                if before.as_ref().is_some_and(|place| place.takes(previous)) {
                    continue;
                }
                if let Some(count) = taken(phrase, tokens, at) {
                    found.push((at, count, number));
                }
            }
        }
        found
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// The files below a folder, by path.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | "tests" | "results" | "snapshots" | "corpus") {
                files(&path, found);
            }
        } else if name == "tests.rs" {
            // As the folders of this name: not read by users.
        } else if name.ends_with(".rs") || name.ends_with(".cu") || name.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
}

/// Every file with something to read, relative to the project's folder, with its texts.
fn texts() -> Vec<(String, Vec<Vec<Token>>)> {
    let mut found = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)).to_vec();
    for folder in ["docs/src", "solutions", "kernels", "labs", "common", "benches"] {
        files(&root().join(folder), &mut found);
    }
    let mut texts = Vec::new();
    for path in found {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        let content = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let of_file = match path.extension().and_then(|e| e.to_str()) {
            Some("md") => text::of_page(&content),
            Some("cu") => text::of_kernel(&content),
            _ => text::of_rust(&content),
        };
        texts.push((name, of_file));
    }
    texts
}

#[test]
fn prose_is_plain_english() {
    let checker = Checker::new();
    let texts = texts();
    let words: usize = texts.iter().flat_map(|(_, of_file)| of_file).map(Vec::len).sum();
    assert!(words > 100_000, "only {words} words found: is this test still looking at the files?");
    let mut complaints = Vec::new();
    for (name, of_file) in
        texts.iter().filter(|(name, _)| !NOT_DONE.iter().any(|area| name.starts_with(area)))
    {
        for tokens in of_file {
            for (at, count, number) in checker.phrases(tokens) {
                let phrase: Vec<_> = tokens[at..at + count].iter().map(|token| token.word.as_str()).collect();
                let phrase = phrase.join(" ");
                if !ALLOWED.iter().any(|(file, words, _)| name == file && phrase == *words) {
                    let line = tokens[at].line;
                    complaints.push(format!("{name}:{line}: “{phrase}”: write “{}”", RULES[number].write));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{} phrases:\n{}", complaints.len(), complaints.join("\n"));
}

/// Every rule finds its own example and leaves its counterexample alone.
#[test]
fn rules_find_what_they_are_for() {
    let checker = Checker::new();
    for (number, rule) in RULES.iter().enumerate() {
        let finds = |text: &str| {
            let texts = text::of_page(text);
            texts.iter().any(|tokens| checker.phrases(tokens).iter().any(|found| found.2 == number))
        };
        assert!(finds(rule.hit), "{:?} does not find {:?}", rule.pattern, rule.hit);
        assert!(!finds(rule.miss), "{:?} finds {:?}", rule.pattern, rule.miss);
    }
}

#[test]
fn code_is_not_prose() {
    let words = |texts: Vec<Vec<Token>>| -> Vec<(String, usize)> {
        texts.into_iter().flatten().map(|token| (token.word, token.line)).collect()
    };
    let page = "One `two\nthree` [four](five.md#six)\n```\nseven\n```\n    eight\n<b id=\"nine\">10</b>\n";
    let of_page = words(text::of_page(page));
    let expected = [("one", 1), ("`", 1), ("four", 2), (".", 3), ("10", 7), (".", 8)];
    assert_eq!(of_page, expected.map(|(word, line)| (word.to_owned(), line)));
    let kernel = words(text::of_kernel("// One.\nint i; // two\n"));
    let expected = [("one", 1), (".", 1), (".", 2), ("two", 2), (".", 3)];
    assert_eq!(kernel, expected.map(|(word, line)| (word.to_owned(), line)));
    let rust = "/// One.\nfn f<'a>() -> char {\n    // not this\n    g(\"two \\\n       {three}\", r#\"four \"five\"\"#, '\"');\n    'x'\n}\n\
                #[cfg(test)]\nmod tests {\n/// Six.\n";
    let of_rust: Vec<String> = words(text::of_rust(rust)).into_iter().map(|(word, _)| word).collect();
    assert_eq!(of_rust, ["one", ".", ".", "two", "`", ".", "four", "five", "."]);
}
