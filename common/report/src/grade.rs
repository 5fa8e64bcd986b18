//! What grading found: checks, gates, and an exercise's own results.

use crate::Counters;
use serde::{Deserialize, Serialize};

/// Outcome of a check or an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The requirement is met.
    Passed,
    /// The requirement is not met.
    Failed,
    /// Not judged; the message says why.
    Skipped,
}

/// One check of an exercise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// `compiles`, `signature`, `correct_<case>`, `clean`, `contract` or `gate_<id>`.
    pub name: String,
    /// Its outcome.
    pub status: Status,
    /// The reason; may be empty if passed, and may have several lines.
    pub message: String,
    /// Share of its points, 0 to 1: 1 if passed, 0 if skipped.
    pub credit: f64,
}

impl Check {
    /// Whether the check compares the outputs of one problem size.
    pub fn is_case(&self) -> bool {
        self.name.starts_with("correct_")
    }
}

/// Result of a gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateResult {
    /// The gate's name.
    pub id: String,
    /// The requirement in words.
    pub asks: String,
    /// The kernel's value at its worst size; `None` if there was nothing to measure.
    pub value: Option<f64>,
    /// `≤` or `≥`.
    pub bound: String,
    /// The limit.
    pub limit: f64,
    /// The reference solution's value at that size; `None` if unknown.
    pub reference: Option<f64>,
    /// The unit; may be empty.
    pub unit: String,
    /// Whether the kernel passes at every gated size.
    pub passed: bool,
    /// Share of the points, 0 to 1: limit / value for an upper limit, value / limit for a lower one.
    pub credit: f64,
    /// `2.1 floats loaded per output; limit: at most 1.2; reference: 0.62 (at 1024x1024)`.
    pub message: String,
    /// Advice for a missed gate; may be empty.
    #[serde(default)]
    pub hint: String,
    /// For a missed gate with an upper limit: the 1-based line with the largest part of the counted quantity.
    pub line: Option<u32>,
    /// Results at every gated size.
    pub sizes: Vec<GateSize>,
}

/// Result of a gate at one problem size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateSize {
    /// The case's label.
    pub case: String,
    /// The kernel's value.
    pub value: Option<f64>,
    /// The limit at this size; `None` in older reports, where the gate's limit holds.
    pub limit: Option<f64>,
    /// The reference solution's value; `None` if unknown.
    pub reference: Option<f64>,
    /// Whether the kernel passes at this size.
    pub passed: bool,
}

/// One problem size of an exercise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// A short name without blanks, such as `33x17`; test names contain it (`correct_33x17`). Unique within an
    /// exercise.
    pub label: String,
    /// Named sizes, such as `[("height", 17), ("width", 33)]`.
    pub sizes: Vec<(String, usize)>,
    /// Whether the report describes this case; true for exactly one case per exercise.
    pub is_report: bool,
    /// Whether gates are judged at this case: the report case, the case that the seed chooses, and others that
    /// differ, for example in radius.
    pub is_gated: bool,
}

impl Case {
    /// A case that checks only correctness.
    pub fn new(label: impl Into<String>, sizes: &[(&str, usize)]) -> Case {
        let sizes = sizes.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        Case { label: label.into(), sizes, is_report: false, is_gated: false }
    }

    /// The case that the report describes; gates are judged there, too.
    pub fn report(label: impl Into<String>, sizes: &[(&str, usize)]) -> Case {
        Case::new(label, sizes).reported()
    }

    /// Also judges gates at this case.
    pub fn gated(self) -> Case {
        Case { is_gated: true, ..self }
    }

    /// Makes this the report case.
    pub fn reported(self) -> Case {
        Case { is_report: true, is_gated: true, ..self }
    }

    /// Inserts `others` before the report case, or at the end if there is none.
    pub fn before_report(mut cases: Vec<Case>, others: impl IntoIterator<Item = Case>) -> Vec<Case> {
        let at = cases.iter().position(|case| case.is_report).unwrap_or(cases.len());
        cases.splice(at..at, others);
        cases
    }

    /// A named size.
    ///
    /// # Panics
    /// Panics if the case has no size with this name: a bug in the lab, not in a student's file.
    pub fn size(&self, name: &str) -> usize {
        let found = self.sizes.iter().find(|(n, _)| n == name);
        found.unwrap_or_else(|| panic!("case `{}` has no size `{name}`", self.label)).1
    }
}

/// An addition of an exercise to its report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extra {
    /// A name and a value on one line.
    Fact {
        /// The name, such as `idle threads`.
        name: String,
        /// The value, such as `38.3 % (36 of 94 …)`.
        value: String,
    },
    /// A table, for example of a sweep.
    Table(Table),
}

impl Extra {
    /// A fact.
    pub fn fact(name: impl Into<String>, value: impl Into<String>) -> Extra {
        Extra::Fact { name: name.into(), value: value.into() }
    }
}

/// A small table of text; a column whose cells contain only `#` is a column of bars.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The title above the table.
    pub title: String,
    /// Column names.
    pub header: Vec<String>,
    /// Rows, each with as many cells as columns.
    pub rows: Vec<Vec<String>>,
    /// Notes below the table.
    pub notes: Vec<String>,
}

/// A source line with the counters of its instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HotLine {
    /// 1-based line.
    pub line: u32,
    /// The line's text.
    pub text: String,
    /// Its memory work, the sort key of lines: sectors plus four times the shared memory wavefronts and constant
    /// passes.
    #[serde(default)]
    pub work: u64,
    /// Counters of its instructions.
    pub counters: Counters,
}
