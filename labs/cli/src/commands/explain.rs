//! `cargo lab explain`: explains a code, gate, check, counter or word of a report, from the glossary and the table of
//! codes contained in the program.
//!
//! For a gate it also lists the exercises that have it, with their limits, taken from the labs.

use crate::book;
use crate::registry;
use crate::screen::Screen;
use harness::Lab;
use harness::explanation::{self, Unknown, asked};
use harness::glossary::{Entry, Glossary};
use serde_json::{Value, json};
use source::Failure;
use source::Kind;
use source::text::wrap;

const HELP: &str = "\
Case, plural, hyphens and underscores make no difference.

Examples:
  cargo lab explain                    all entries by group
  cargo lab explain shared-memory-race
  cargo lab explain sectors per request
  cargo lab explain coalesced_loads    also which exercises have the gate, and what each asks";

/// Arguments of `explain`.
#[derive(clap::Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct ExplainArgs {
    /// A diagnostic's code, a gate, a check, a counter, or a word of a report; all entries if left out
    #[arg(value_name = "WORD", add = crate::offered::entries())]
    words: Vec<String>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the named entries, or a list of all.
///
/// # Errors
/// Says that a word has no entry, and suggests similar ones.
pub(crate) fn explain(screen: &Screen, args: &ExplainArgs) -> anyhow::Result<bool> {
    let glossary = Glossary::new();
    let labs = registry::labs();
    let found = match args.words.is_empty() {
        true => glossary.entries().iter().collect(),
        false => explanation::find(&glossary, &args.words).map_err(unknown)?,
    };
    if args.json {
        let entries: Vec<Value> = found.iter().map(|entry| as_json(entry, &labs)).collect();
        screen.json(serde_json::to_string_pretty(&json!({ "entries": entries }))?)?;
        return Ok(true);
    }
    let width = screen.width;
    if args.words.is_empty() {
        screen.line(list(&found, width, |text| screen.bold(text)))?;
        return Ok(true);
    }
    let has_book = book::is_here();
    let text = |entry: &&Entry| {
        let pages = if has_book { entry.pages.clone() } else { Vec::new() };
        let shown = Entry { pages, ..(*entry).clone() };
        explanation::text(&shown, &labs, width, |text| screen.bold(text)).trim_end().to_owned()
    };
    let texts: Vec<String> = found.iter().map(text).collect();
    screen.line(texts.join("\n\n"))?;
    Ok(true)
}

fn unknown(Unknown { word, near }: Unknown) -> Failure {
    let help = match near.as_slice() {
        [] => "`cargo lab explain` lists all entries".to_owned(),
        names => format!(
            "did you mean {}? `cargo lab explain` lists all entries",
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
        ),
    };
    Failure::new(format!("there is no entry `{word}`"), help)
}

/// A list of all entries by group.
fn list(entries: &[&Entry], width: usize, bold: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for group in entries.chunk_by(|a, b| a.group == b.group) {
        let names: Vec<&str> = group.iter().map(|entry| entry.name).collect();
        let names = wrap("  ", &names.join(", "), width);
        out.push_str(&format!("{}\n{names}\n", bold(group[0].group)));
    }
    format!("{out}{} explains one of them.", source::command("explain WORD"))
}

fn as_json(entry: &Entry, labs: &[Lab]) -> Value {
    let pages: Vec<Value> = entry
        .pages
        .iter()
        .map(|(title, page)| json!({ "title": title, "path": format!("docs/src/{page}") }))
        .collect();
    let mut object = json!({
        "name": entry.name,
        "aliases": entry.aliases,
        "group": entry.group,
        "text": entry.text,
        "related": entry.related,
        "pages": pages,
    });
    if let Some(code) = entry.code {
        let kind =
            |kind: &Kind| json!({ "severity": kind.severity().word(), "verdict": kind.verdict().word() });
        object["code"] = json!(code);
        object["title"] = json!(code.title());
        object["kinds"] = code.kinds().iter().map(kind).collect();
    }
    let asked = asked(entry, labs);
    if !asked.is_empty() {
        object["asked_of"] =
            asked.iter().map(|(exercise, asks)| json!({ "exercise": exercise, "asks": asks })).collect();
    }
    object
}
