//! Gates: what is asked of the counters at the report size.

use crate::{Case, GateResult, Run, Tally};
use device::Counters;

/// What a gate may look at: the report case of a correct kernel.
pub struct Measured<'a> {
    /// Counters of all launches of the case.
    pub counters: &'a Counters,
    /// All that the context collected (launches, times, occupancy).
    pub tally: &'a Tally,
    /// What the exercise's run returned.
    pub run: &'a Run,
    /// The case.
    pub case: &'a Case,
    /// Counters of the baseline's solution for the baseline's report case, if the exercise has a baseline.
    pub baseline: Option<&'a Counters>,
}

/// On which side of the limit is good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// The measure must not be above.
    AtMost(f64),
    /// The measure must not be below.
    AtLeast(f64),
}

type Measure = dyn Fn(&Measured<'_>) -> Option<f64> + Send + Sync;

/// One thing asked of a kernel, in numbers.
pub struct Gate {
    /// Stable name, words with underscores: it is in the test's name (`gate_coalesced_stores`).
    pub id: &'static str,
    /// What is asked, in words: `global stores are coalesced: sectors per store request`.
    pub asks: String,
    /// The limit.
    pub limit: Limit,
    /// What the reference solution reaches.
    pub reference: f64,
    /// After the number, as `sectors/request`; may be empty.
    pub unit: &'static str,
    /// What to look at when it is missed.
    pub hint: String,
    /// What is said when there is nothing to measure.
    pub nothing: &'static str,
    /// Whether the measure grows where warps are not full, or begin anywhere in a row.
    by_warp: bool,
    measure: Box<Measure>,
}

impl Gate {
    /// A gate whose measure must not be above `limit`. The measure returns `None` where there is nothing to measure (no
    /// load at all, say), which misses the gate.
    pub fn at_most(
        id: &'static str,
        asks: impl Into<String>,
        limit: f64,
        reference: f64,
        measure: impl Fn(&Measured<'_>) -> Option<f64> + Send + Sync + 'static,
    ) -> Gate {
        Gate::new(id, asks.into(), Limit::AtMost(limit), reference, Box::new(measure))
    }

    /// A gate whose measure must not be below `limit`.
    pub fn at_least(
        id: &'static str,
        asks: impl Into<String>,
        limit: f64,
        reference: f64,
        measure: impl Fn(&Measured<'_>) -> Option<f64> + Send + Sync + 'static,
    ) -> Gate {
        Gate::new(id, asks.into(), Limit::AtLeast(limit), reference, Box::new(measure))
    }

    fn new(id: &'static str, asks: String, limit: Limit, reference: f64, measure: Box<Measure>) -> Gate {
        Gate {
            id,
            asks,
            limit,
            reference,
            unit: "",
            hint: String::new(),
            nothing: NO_ACCESS,
            by_warp: false,
            measure,
        }
    }

    /// Names the unit.
    pub fn unit(mut self, unit: &'static str) -> Gate {
        self.unit = unit;
        self
    }

    /// Says what to look at when the gate is missed.
    pub fn hint(mut self, hint: impl Into<String>) -> Gate {
        self.hint = hint.into();
        self
    }

    /// Says why there may be nothing to measure, where it is not that the kernel makes no such access.
    pub fn nothing(mut self, why: &'static str) -> Gate {
        self.nothing = why;
        self
    }

    /// Says, when it is missed, what blocks of unlucky sizes have to do with it: requests and sectors are counted by warp.
    pub fn by_warp(mut self) -> Gate {
        self.by_warp = true;
        self
    }

    /// Measures and judges.
    pub fn evaluate(&self, measured: &Measured<'_>) -> GateResult {
        let value = (self.measure)(measured).filter(|v| !v.is_nan());
        let (passed, bound, limit) = match self.limit {
            Limit::AtMost(limit) => (value.is_some_and(|v| v <= limit), "≤", limit),
            Limit::AtLeast(limit) => (value.is_some_and(|v| v >= limit), "≥", limit),
        };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let have = match value {
            Some(value) => format!("you have {}{unit}", number(value)),
            None => self.nothing.to_owned(),
        };
        let mut message = format!(
            "{have}, asked {bound} {}, the reference reaches {}",
            number(limit),
            number(self.reference)
        );
        if !passed && !self.hint.is_empty() {
            message = format!("{message}; {}", self.hint);
        }
        if !passed
            && self.by_warp
            && let Some(why) = unlucky(measured.tally.block)
        {
            message = format!("{message}; {why}");
        }
        GateResult {
            id: self.id.to_owned(),
            asks: self.asks.clone(),
            value,
            bound: bound.to_owned(),
            limit,
            reference: self.reference,
            unit: self.unit.to_owned(),
            passed,
            message,
        }
    }
}

const NO_ACCESS: &str = "there is nothing to measure (the kernel makes no such access)";

/// What a block's size adds to requests and sectors, whatever its kernel does.
fn unlucky(block: [u32; 3]) -> Option<String> {
    let (x, threads): (u32, u32) = (block[0], block.iter().product());
    let last = threads % 32;
    let part = format!(
        "the last warp of a block of {threads} threads has {last}, and its requests count as those of 32 do: make blocks of a \
         multiple of 32 threads"
    );
    let rows = format!(
        "rows of {x} threads begin anywhere in the sectors of 8 floats: make them a multiple of 8 threads long"
    );
    let reasons = [(last != 0, part), (x % 8 != 0 && threads > x, rows)];
    let reasons: Vec<String> =
        reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// A number with as many places as it needs: whole numbers with none, small ones with three digits.
pub(crate) fn number(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        return crate::report::thousands(value);
    }
    match value.abs() {
        a if a >= 100.0 => crate::report::thousands(value.round()),
        a if a >= 1.0 => format!("{value:.2}"),
        a if a >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}
