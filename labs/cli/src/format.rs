//! The output formats of `run`, `compile` and `launch`, and the SARIF log.

use crate::workspace::Workspace;
use clap::{Args, ValueEnum};
use source::Failure;
use source::render::sarif::{self, Rule, Tool};
use source::{Code, Finding};

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Full,
    /// One line per finding, `file:line:column: error[code]: title`, and one per verdict
    Concise,
    /// JSON
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Counters as a table of Nsight Compute (`ncu --csv --page raw`), under the profiler's names
    Ncu,
}

/// Which format is asked for.
#[derive(Args, Clone, Debug)]
pub(crate) struct FormatArgs {
    /// How to print the result
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,
    /// The same as --format json
    #[arg(long)]
    json: bool,
}

impl FormatArgs {
    /// The selected format.
    ///
    /// # Errors
    /// Says that `--format` and `--json` contradict each other.
    pub(crate) fn format(&self) -> Result<Format, Failure> {
        match (self.format, self.json) {
            (None | Some(Format::Json), true) => Ok(Format::Json),
            (Some(other), true) => {
                let name = other.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
                let what = format!("--json and --format {name} contradict each other");
                Err(Failure::new(what, "leave one of them out"))
            }
            (format, false) => Ok(format.unwrap_or(Format::Full)),
        }
    }

    /// Whether the output is meant for programs.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.format().is_ok_and(|format| format != Format::Full)
    }
}

/// A SARIF log of the findings, as one line of JSON.
///
/// # Errors
/// Says that the project's folder was not found.
pub(crate) fn sarif(findings: &[Finding]) -> Result<String, Failure> {
    let root = Workspace::find()?.paths().root.clone();
    // The book is missing in a student's folder.
    let book = Some(root.join("docs/src")).filter(|book| book.is_dir());
    let book = book.map(|book| book.display().to_string());
    let tool = Tool { name: "warplab", version: env!("CARGO_PKG_VERSION") };
    Ok(sarif::log(&tool, findings, |code| rule(book.as_deref(), code)).to_string())
}

/// The SARIF rule of a diagnostic's code (words with hyphens) or of a check (words with underscores), with its page
/// in the book.
fn rule(book: Option<&str>, code: &str) -> Rule {
    let (page, description) = match (Code::named(code), code.split_once('_')) {
        (Some(known), _) => (known.page(), known.title().to_string()),
        (None, Some(("gate", id))) => ("grading.md", format!("Gate: {}", id.replace('_', " "))),
        (None, Some(("correct", size))) => ("grading.md", format!("Correct result at size {size}")),
        (None, _) => ("grading.md", format!("Check: {code}")),
    };
    let help_uri = book.map(|book| {
        let (file, anchor) = page.split_once('#').unwrap_or((page, ""));
        let uri = sarif::uri(&format!("{book}/{file}"));
        if anchor.is_empty() { uri } else { format!("{uri}#{anchor}") }
    });
    Rule { description, help_uri }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_words_and_lead_to_the_book() {
        let found = rule(Some("/my labs/docs/src"), "shared-memory-race");
        assert_eq!(found.description, Code::SharedMemoryRace.title());
        #[cfg(unix)]
        assert_eq!(
            found.help_uri.as_deref(),
            Some("file:///my%20labs/docs/src/messages.md#shared-memory-race")
        );
        assert_eq!(rule(None, "gate_coalesced_loads").description, "Gate: coalesced loads");
        assert_eq!(rule(None, "correct_n5_r2").description, "Correct result at size n5_r2");
    }

    #[test]
    fn json_is_an_alias_and_contradicts_other_formats() {
        let format = |format, json| FormatArgs { format, json }.format();
        assert_eq!(format(None, false).unwrap(), Format::Full);
        assert_eq!(format(None, true).unwrap(), Format::Json);
        assert_eq!(format(Some(Format::Json), true).unwrap(), Format::Json);
        assert!(format(Some(Format::Sarif), true).unwrap_err().what.contains("--format sarif"));
    }
}
