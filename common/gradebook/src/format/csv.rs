//! A table with a row for each file (RFC 4180): line ends are CR LF, and the first row names the columns.

use super::Writer;
use crate::cell;
use crate::record::{Outcome, Record};
use figure::report::Status;

/// The columns. New ones may come at the end.
const COLUMNS: [&str; 13] = [
    "index",
    "file",
    "lab",
    "exercise",
    "status",
    "score",
    "passed",
    "failed",
    "skipped",
    "failed_checks",
    "diagnostics",
    "next",
    "error",
];

pub(super) struct Csv;

impl Writer for Csv {
    fn begin(&mut self) -> String {
        cell::row(COLUMNS)
    }

    fn line(&mut self, _: &str, record: &Record) -> String {
        let count = |status| match record.report() {
            Some(_) => record.checks(status).count().to_string(),
            None => String::new(),
        };
        let failed: Vec<&str> = record.checks(Status::Failed).map(|check| check.name.as_str()).collect();
        let report = record.report();
        let codes = report.map(|r| &r.diagnostics[..]).unwrap_or_default().iter().map(|m| &*m.json.code);
        let error = match &record.outcome {
            Outcome::Graded(_) => "",
            Outcome::NotGraded { error, .. } => error,
        };
        let text = |text: Option<&String>| cell::text(text.map(String::as_str).unwrap_or_default());
        let cells: [String; COLUMNS.len()] = [
            record.index.map(|index| index.to_string()).unwrap_or_default(),
            cell::text(&record.file),
            text(record.lab.as_ref()),
            text(record.exercise.as_ref()),
            record.status().to_owned(),
            record.score().map(|score| score.to_string()).unwrap_or_default(),
            count(Status::Passed),
            count(Status::Failed),
            count(Status::Skipped),
            cell::text(&failed.join(" ")),
            cell::text(&codes.collect::<Vec<_>>().join(" ")),
            text(report.and_then(|report| report.next.as_ref())),
            cell::text(error),
        ];
        cell::row(cells.iter().map(String::as_str))
    }

    fn end(&mut self) -> String {
        String::new()
    }
}
