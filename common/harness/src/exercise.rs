//! The [`Exercise`] trait and its problem sizes.

use crate::{Case, Context, Expected, Extra, Failure, Gate, Lab, SeededSizes};
use device::Counters;
use std::collections::BTreeMap;
use std::time::Duration;

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
