//! What an exercise is.

use crate::{Context, Expected, Failure, Gate, Lab, SeededSizes};
use device::Counters;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// One problem size of an exercise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// A short name without blanks, as `33x17`: it is in test names (`correct_33x17`). Unique within an exercise.
    pub label: String,
    /// Named sizes, as `[("height", 17), ("width", 33)]`.
    pub sizes: Vec<(String, usize)>,
    /// Whether the report is taken from it. One case of an exercise is.
    pub is_report: bool,
    /// Whether gates are taken from it: the report's case, the one that the seed chooses, and others that differ from these, as by
    /// their radius.
    pub is_gated: bool,
}

impl Case {
    /// A case for correctness alone.
    pub fn new(label: impl Into<String>, sizes: &[(&str, usize)]) -> Case {
        let sizes = sizes.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        Case { label: label.into(), sizes, is_report: false, is_gated: false }
    }

    /// The case that the report is taken from, and gates.
    pub fn report(label: impl Into<String>, sizes: &[(&str, usize)]) -> Case {
        Case::new(label, sizes).reported()
    }

    /// The same case, from which gates are taken as well.
    pub fn gated(self) -> Case {
        Case { is_gated: true, ..self }
    }

    /// The same case as the report's.
    pub fn reported(self) -> Case {
        Case { is_report: true, is_gated: true, ..self }
    }

    /// These cases with others before the report's, or at the end without one.
    pub fn before_report(mut cases: Vec<Case>, others: impl IntoIterator<Item = Case>) -> Vec<Case> {
        let at = cases.iter().position(|case| case.is_report).unwrap_or(cases.len());
        cases.splice(at..at, others);
        cases
    }

    /// A named size.
    ///
    /// # Panics
    /// If the case has no size of that name: an error in the lab, not in a student's file.
    pub fn size(&self, name: &str) -> usize {
        let found = self.sizes.iter().find(|(n, _)| n == name);
        found.unwrap_or_else(|| panic!("case `{}` has no size `{name}`", self.label)).1
    }
}

/// What a correct run has to tell beyond the counters that the context collects.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Named numbers for gates and the report, as `transfers saved`.
    pub values: BTreeMap<String, f64>,
    /// Further kernels of the exercise that were launched by themselves, with their counters: what gates limit is limited in each.
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

    /// Adds a kernel that was launched by itself.
    pub fn beside(mut self, kernel: &str, counters: Counters) -> Run {
        self.beside.push((kernel.into(), counters));
        self
    }
}

/// Something that an exercise adds to its report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Extra {
    /// One line: what, and how much.
    Fact {
        /// As `idle threads`.
        name: String,
        /// As `38.3 % (36 of 94 …)`.
        value: String,
    },
    /// A table, as of a sweep.
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
    /// Above it.
    pub title: String,
    /// Column names.
    pub header: Vec<String>,
    /// As many cells as columns each.
    pub rows: Vec<Vec<String>>,
    /// Below it.
    pub notes: Vec<String>,
}

/// An exercise: one kernel file.
///
/// A lab implements it; the harness does the rest (reading and compiling the file, checking signatures, running every
/// case, gates, scoring, rendering). Implementations must be deterministic in the seed.
pub trait Exercise: Send + Sync {
    /// The kernel file's stem, as `naive`. Unique within the lab.
    fn name(&self) -> &str;

    /// A title for people.
    fn title(&self) -> &str;

    /// What is to be written, one or two sentences.
    fn summary(&self) -> &str;

    /// The exercise's hints, as text of the form that [`Hints`](crate::Hints) describes; empty for a kernel that students do not write.
    fn hints(&self) -> &'static str {
        ""
    }

    /// Kernels, constants and symbols that the file must define.
    fn expects(&self) -> Expected;

    /// Instances of the file's kernel templates that its cases launch, as `tile<16>`: they are compiled with the file, all at once.
    fn instances(&self) -> Vec<String> {
        Vec::new()
    }

    /// Problem sizes: tiny, dividing, ragged, a dimension of 1, and one report size.
    fn cases(&self) -> Vec<Case>;

    /// One more problem size, of those that `sizes` gives: a kernel is also run at a size that the seed chooses, and gates hold there
    /// as they hold at the report's, so that one which is good at a known size alone does not pass. Large enough that edges are a few
    /// per cent of the work.
    fn case_of_seed(&self, sizes: &mut SeededSizes) -> Option<Case> {
        let _ = sizes;
        None
    }

    /// Runs one case on the device and compares the result: uploads, launches, downloads, and
    /// [`Comparison::check`](crate::Comparison::check).
    ///
    /// # Errors
    /// What the device refused, or a wrong result.
    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure>;

    /// The algorithm's own floating-point operations for a case (not what the kernel executes).
    fn flops(&self, case: &Case) -> f64;

    /// Compulsory bytes for a case: every input read once, every output written once.
    fn bytes(&self, case: &Case) -> f64;

    /// The exercise of this lab (or of [`Exercise::baseline_lab`]) that speed-up and load reduction are relative to; its *solution* is measured.
    fn baseline(&self) -> Option<&str> {
        None
    }

    /// The lab that has the baseline, if it is another one.
    fn baseline_lab(&self) -> Option<Lab> {
        None
    }

    /// What is asked of the counters at the gated sizes.
    fn gates(&self) -> Vec<Gate> {
        Vec::new()
    }

    /// More for the report, as sweeps. Runs after every case was correct; `case` is the report case, its run's results
    /// are in `run` and its counters in `cx.last()`.
    ///
    /// # Errors
    /// As [`Exercise::run`]; the report then shows the failure in place of the rows.
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
