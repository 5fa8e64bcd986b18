//! Texts for readers: hints and explanations of words.

use crate::exercises::{exercise, labs};
use harness::Hints;
use harness::explanation::{self, Unknown};
use harness::glossary::{Entry, Glossary};
use serde_json::{Value, json};
use source::text::DEFAULT_WIDTH;
use std::sync::LazyLock;

static GLOSSARY: LazyLock<Glossary> = LazyLock::new(Glossary::new);

/// One hint of an exercise; `step` is 1-based.
pub(crate) fn hint(lab: u32, name: &str, step: usize) -> Result<Value, String> {
    let (lab, exercise) = exercise(lab, name)?;
    let hints = Hints::of(exercise.hints());
    let steps = hints.steps.len();
    match step.checked_sub(1).filter(|index| *index < steps) {
        Some(index) => {
            Ok(json!({ "text": hints.shown(index, DEFAULT_WIDTH, str::to_owned), "steps": steps }))
        }
        None => {
            Err(format!("{}/{name} has {steps} hints, numbered from 1; {step} is none of them", lab.package))
        }
    }
}

/// Explains a code or a word of a report. The text leaves out related entries and pages of the book, because the page
/// shows them as links.
pub(crate) fn explain(term: &str) -> Result<Value, String> {
    let words: Vec<String> = term.split_whitespace().map(str::to_owned).collect();
    let entries = explanation::find(&GLOSSARY, &words).map_err(unknown)?;
    let text = |entry: &&Entry| {
        let alone = Entry { related: Vec::new(), pages: Vec::new(), ..(*entry).clone() };
        explanation::text(&alone, labs(), DEFAULT_WIDTH, str::to_owned).trim_end().to_owned()
    };
    let texts: Vec<String> = entries.iter().map(text).collect();
    let related: Vec<&str> = entries.iter().flat_map(|entry| entry.related.iter().copied()).collect();
    let pages = entries.iter().flat_map(|entry| &entry.pages);
    let pages: Vec<Value> = pages
        .map(|(title, page)| json!({ "title": title, "page": page.replacen(".md", ".html", 1) }))
        .collect();
    Ok(json!({ "text": texts.join("\n\n"), "related": related, "pages": pages }))
}

fn unknown(Unknown { word, near }: Unknown) -> String {
    match near.as_slice() {
        [] => format!("there is no entry `{word}`"),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("there is no entry `{word}`; did you mean {}?", names.join(" or "))
        }
    }
}
