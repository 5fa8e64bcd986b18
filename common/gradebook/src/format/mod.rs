//! Results in the formats that other programs read.
//!
//! A [`Writer`] takes one result at a time and returns the text that follows from it, so a run can be written while it continues. What it
//! keeps grows at most with the number of exercises.

mod autolab;
mod csv;
mod gradescope;
mod jsonl;
mod junit;

use crate::record::{Outcome, Record};
use figure::markup::visible;
use std::collections::BTreeMap;
use std::str::FromStr;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The lines as they are.
    Jsonl,
    /// A table with a row for each file, RFC 4180.
    Csv,
    /// A test suite for each file and a test case for each check, after the schema of Jenkins's xUnit plugin.
    Junit,
    /// `results.json` of a Gradescope autograder, for the files of one student.
    Gradescope,
    /// Feedback and, on the last line, the scores as Autolab reads them, for the files of one student.
    Autolab,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 5] =
        [Format::Jsonl, Format::Csv, Format::Junit, Format::Gradescope, Format::Autolab];

    /// What it is called on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Jsonl => "jsonl",
            Format::Csv => "csv",
            Format::Junit => "junit",
            Format::Gradescope => "gradescope",
            Format::Autolab => "autolab",
        }
    }

    /// What it is, for a help text.
    pub fn description(self) -> &'static str {
        match self {
            Format::Jsonl => "One JSON object per line, with everything that is known",
            Format::Csv => "A table with one row per file",
            Format::Junit => "JUnit XML: one test suite per file, one test case per check",
            Format::Gradescope => "results.json of a Gradescope autograder, for one student's files",
            Format::Autolab => {
                "Feedback, and the scores on the last line, as Autolab reads them, for one student's files"
            }
        }
    }

    /// A writer of this format.
    pub fn writer(self, options: &Options) -> Box<dyn Writer + Send> {
        match self {
            Format::Jsonl => Box::new(jsonl::Jsonl),
            Format::Csv => Box::new(csv::Csv),
            Format::Junit => Box::new(junit::Junit),
            Format::Gradescope => Box::new(gradescope::Gradescope::new(options.clone())),
            Format::Autolab => Box::new(autolab::Autolab::new(options.clone())),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names = Format::ALL.map(Format::name).join(", ");
            format!("there is no format `{name}`; the formats are {names}")
        })
    }
}

/// Writes results one after the other. Each text has its own line ends, and may be empty.
pub trait Writer {
    /// What comes before the first result.
    fn begin(&mut self) -> String;

    /// What follows from a result. `text` is the line that the record was read from.
    fn line(&mut self, text: &str, record: &Record) -> String;

    /// What comes after the last result.
    fn end(&mut self) -> String;
}

/// What a course wants of the formats that have points.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The exercises of the assignment, such as `lab-6/tiled`: only these count, and one without a file counts 0. If there are none, those of
    /// the files count.
    pub assignment: Vec<String>,
    /// What an exercise such as `lab-6/tiled` is worth; 100 if it is not named.
    pub points: BTreeMap<String, f64>,
    /// What an exercise is called where the grades go; as here if it is not named.
    pub names: BTreeMap<String, String>,
}

impl Options {
    fn points(&self, id: &str) -> f64 {
        self.points.get(id).copied().unwrap_or(100.0)
    }

    fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.names.get(id).map_or(id, String::as_str)
    }
}

/// What a result is about: the exercise, or the file where the exercise is not known.
fn subject(record: &Record) -> String {
    record.id().unwrap_or_else(|| record.file.clone())
}

/// Longest text about one result, bytes: what a person reads, far above any report of a course.
const MAX_TEXT: usize = 1 << 16;

/// What a person is to read about a result: why it has no grade, or failed checks, diagnostics and the next step.
fn told(record: &Record) -> String {
    let mut parts: Vec<String> = Vec::new();
    match &record.outcome {
        Outcome::NotGraded { error, help } => {
            parts.push(format!("not graded: {error}"));
            parts.push(help.clone());
        }
        Outcome::Graded(report) => {
            parts.extend(report.hint.iter().map(|hint| format!("Where to begin: {hint}")));
            let failed = record.checks(figure::report::Status::Failed);
            parts.extend(failed.map(|check| format!("{}: {}", check.name, check.message)));
            parts.extend(report.diagnostics.iter().map(|message| message.text.clone()));
            parts.extend(report.next.iter().map(|next| format!("Next: {next}")));
        }
    }
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    cut(visible(&parts.join("\n\n")))
}

/// At most [`MAX_TEXT`] bytes of a text; one that is longer says so at its end.
fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        let more = text.len() - end;
        text.truncate(end);
        text.push_str(&format!("…\n({more} more bytes are not shown)"));
    }
    text
}

/// A number of JSON: whole where it is whole.
fn json_number(value: f64) -> serde_json::Value {
    let rounded = (value * 100.0).round() / 100.0;
    match rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        true => (rounded as i64).into(),
        false => rounded.into(),
    }
}

/// What a result adds to the points of a student.
enum Credit {
    /// Points, of how many.
    Points(f64, f64),
    /// It was not graded.
    NotGraded,
    /// Its exercise is not one of the assignment.
    Outside,
}

/// Points of the exercises of one student. Of several files for one exercise the best counts.
#[derive(Debug)]
struct Sum {
    options: Options,
    /// By exercise: points, of how many.
    best: BTreeMap<String, (f64, f64)>,
    /// Exercises with more than one file.
    several: Vec<String>,
    /// What was not graded: exercises, and files of which the exercise is not known.
    not_graded: Vec<String>,
    /// Whether there is a file of which the exercise is not known.
    has_unknown: bool,
    /// Files for other exercises than those of the assignment, each with its exercise.
    outside: Vec<String>,
}

/// What is said of a file for another exercise.
const OUTSIDE: &str = "not part of this assignment";

impl Sum {
    fn new(options: Options) -> Sum {
        Sum {
            options,
            best: BTreeMap::new(),
            several: Vec::new(),
            not_graded: Vec::new(),
            has_unknown: false,
            outside: Vec::new(),
        }
    }

    /// Adds a result, and returns its points.
    fn add(&mut self, record: &Record) -> Credit {
        let id = subject(record);
        let assignment = &self.options.assignment;
        if !assignment.is_empty() && record.id().is_some_and(|id| !assignment.contains(&id)) {
            self.outside.push(format!("{} ({id})", record.file));
            return Credit::Outside;
        }
        let Some(score) = record.score() else {
            self.has_unknown |= record.id().is_none();
            self.not_graded.push(id);
            return Credit::NotGraded;
        };
        let of = self.options.points(&id);
        let points = of * f64::from(score) / 100.0;
        match self.best.get_mut(&id) {
            None => _ = self.best.insert(id, (points, of)),
            Some(best) => {
                best.0 = best.0.max(points);
                if !self.several.contains(&id) {
                    self.several.push(id);
                }
            }
        }
        Credit::Points(points, of)
    }

    /// Whether nothing can be said of the total: there are files, and none was graded.
    fn is_open(&self) -> bool {
        self.best.is_empty() && (!self.not_graded.is_empty() || self.options.assignment.is_empty())
    }

    /// The exercises of the assignment without a file.
    fn missing(&self) -> Vec<&String> {
        let has_file = |id: &&String| self.best.contains_key(*id) || self.not_graded.contains(*id);
        self.options.assignment.iter().filter(|id| !has_file(id)).collect()
    }

    /// Whether the exercises without a file are 0: not if a file that was not graded may be for one of them.
    fn missing_are_zero(&self) -> bool {
        !self.has_unknown && !self.is_open()
    }

    /// What is said of an exercise without a file.
    fn not_handed_in(&self) -> &'static str {
        match (self.has_unknown, self.missing_are_zero()) {
            (true, _) => "no file is known to be for this exercise; one that could not be graded may be",
            (false, true) => "not handed in, which counts 0",
            (false, false) => "not handed in",
        }
    }

    /// Points by exercise.
    fn points(&self) -> BTreeMap<&String, f64> {
        let missing = if self.missing_are_zero() { self.missing() } else { Vec::new() };
        let best = self.best.iter().map(|(id, (points, _))| (id, *points));
        best.chain(missing.into_iter().map(|id| (id, 0.0))).collect()
    }

    /// All points; `None` if nothing was graded.
    fn total(&self) -> Option<f64> {
        (!self.is_open()).then(|| self.points().values().sum())
    }

    /// What a reader of the total must know, one sentence each.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let missing: Vec<&str> = self.missing().into_iter().map(|id| self.options.name(id)).collect();
        if self.best.is_empty() && self.not_graded.is_empty() && !missing.is_empty() {
            remarks.push(NO_KERNEL.to_owned());
        }
        if !self.not_graded.is_empty() {
            let names = self.not_graded.join(", ");
            remarks.push(format!("The total is provisional: {names} could not be graded."));
        }
        if !missing.is_empty() {
            remarks.push(format!("{}: {}.", missing.join(", "), self.not_handed_in()));
        }
        if !self.outside.is_empty() {
            remarks.push(format!(
                "Files that do not count, because their exercise is {OUTSIDE}: {}.",
                self.outside.join(", ")
            ));
        }
        if !self.several.is_empty() {
            let names = self.several.join(", ");
            remarks.push(format!("There are several files for {names}: the best one counts."));
        }
        remarks.iter().map(|remark| cut(visible(remark))).collect()
    }
}

/// What is said of a submission without a kernel file of the assignment.
const NO_KERNEL: &str = "There is no kernel file of this assignment in the submission. Hand in your kernel files, whose names end in .cu, such as \
    naive.cu: the files themselves, a folder of them, or an archive that your course's platform unpacks.";
