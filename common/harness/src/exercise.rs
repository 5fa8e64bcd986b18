//! The [`Exercise`] trait and its problem sizes.

use crate::{Context, Expected, Failure, Gate, Lab, SeededSizes};
use device::Counters;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// One problem size of an exercise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// Results of a correct run in addition to the context's counters.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Named numbers for gates and the report, such as `transfers saved`.
    pub values: BTreeMap<String, f64>,
    /// Kernels of the exercise that were launched separately, with their counters. [`Gate::at_most`] limits each of them, too; other gates
    /// see only the main kernel, unless their own measure reads this field.
    pub beside: Vec<(String, Counters)>,
}

impl Run {
    /// A run with nothing to add.
    pub fn new() -> Run {
        Run::default()
    }

    /// Adds a number.
    pub fn with(mut self, name: &str, value: f64) -> Run {
        self.values.insert(name.into(), value);
        self
    }

    /// Adds a kernel that was launched separately.
    pub fn beside(mut self, kernel: &str, counters: Counters) -> Run {
        self.beside.push((kernel.into(), counters));
        self
    }
}

/// An addition of an exercise to its report.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

/// A small table of text; draw with [`crate::bar`] in a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// An exercise: one kernel file.
///
/// A lab implements it; the harness does the rest (reading and compiling the file, checking signatures, running every
/// case, gates, scoring, rendering). Implementations must be deterministic in the seed.
pub trait Exercise: Send + Sync {
    /// The kernel file's stem, such as `naive`. Unique within the lab.
    fn name(&self) -> &str;

    /// A title to show.
    fn title(&self) -> &str;

    /// What the student has to write, in one or two sentences.
    fn summary(&self) -> &str;

    /// The exercise's hints, as text of the form that [`Hints`](crate::Hints) describes; empty for a kernel that students do not write.
    fn hints(&self) -> &'static str {
        ""
    }

    /// Kernels, constants and symbols that the file must define.
    fn expects(&self) -> Expected;

    /// Instances of the file's kernel templates that its cases launch, such as `tile<16>`. They are all compiled with
    /// the file.
    fn instances(&self) -> Vec<String> {
        Vec::new()
    }

    /// Problem sizes: tiny, dividing, ragged, a dimension of 1, and one report size.
    fn cases(&self) -> Vec<Case>;

    /// An additional problem size, chosen with `sizes`. Kernels also run at this size, and gates apply as at the
    /// report size, so that a kernel tuned to a known size alone does not pass. It must be large enough that edges
    /// are a few percent of the work.
    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        let _ = sizes;
        None
    }

    /// Runs one case on the device and compares the result: uploads, launches, downloads, and
    /// [`Comparison::check`](crate::Comparison::check).
    ///
    /// # Errors
    /// Says what the device refused, or that the result is wrong.
    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure>;

    /// The algorithm's own floating-point operations for a case (not what the kernel executes).
    fn flops(&self, case: &Case) -> f64;

    /// Compulsory bytes for a case: every input read once, every output written once.
    fn bytes(&self, case: &Case) -> f64;

    /// The exercise of this lab (or of [`Exercise::baseline_lab`]) that speed-up and load reduction are relative to.
    /// Its *solution* is measured.
    fn baseline(&self) -> Option<&str> {
        None
    }

    /// The lab that has the baseline, if it is another one.
    fn baseline_lab(&self) -> Option<Lab> {
        None
    }

    /// The gates, which limit the counters at the gated sizes.
    fn gates(&self) -> Vec<Gate> {
        Vec::new()
    }

    /// Additions to the report, such as sweeps. Called after every case was correct. `case` is the report case, `run`
    /// holds its results, and [`Context::tally`] its counters.
    ///
    /// # Errors
    /// The errors of [`Exercise::run`]; the report then shows the failure instead of the additions.
    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, run: &Run) -> Result<Vec<Extra>, Failure> {
        let _ = (cx, case, run);
        Ok(Vec::new())
    }

    /// The time of the plain single-threaded loop on the host for a case (see [`crate::time_host`]); `None` without one.
    fn host_reference_timed(&self, case: &Case, seed: u64) -> Option<Duration> {
        let _ = (case, seed);
        None
    }
}
