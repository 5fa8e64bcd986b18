//! Gates: limits on the counters of a kernel.
//!
//! A gate limits what a kernel moves per output, relative to what the *exercise* needs at that problem size. It is
//! never an average over the kernel's own requests. So neither idle lanes, nor harmless accesses beside bad ones, nor
//! the width of an access changes the verdict. Atomics count as both loads and stores.
//!
//! Gates never use times, and never judge a kernel whose results are wrong.

use crate::technique::{Asked, Technique};
use crate::{Case, GateResult, GateSize, Run, Tally};
use device::Counters;

/// The input of a gate: one gated case of a correct kernel.
pub struct Measured<'a> {
    /// Counters of all launches of the case.
    pub counters: &'a Counters,
    /// Everything that the context collected (launches, lines, occupancy).
    pub tally: &'a Tally,
    /// What the exercise's run returned.
    pub run: &'a Run,
    /// The case.
    pub case: &'a Case,
}

/// A quantity that a gate counts.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// Its name in reports, such as `floats loaded per output`.
    pub name: &'static str,
    /// Computes the total from the counters.
    pub of: fn(&Counters) -> u64,
    /// Units of `name` per count: floats per sector, threads per request.
    pub each: f64,
}

/// Floats per sector.
pub(crate) const SECTOR: usize = 8;

/// Threads per warp.
const WARP: f64 = 32.0;

impl Quantity {
    /// Sectors of global loads and atomics. The hardware always loads whole sectors.
    pub const LOAD_SECTORS: Quantity = Quantity {
        name: "floats loaded per output",
        of: |c| c.global_load_sectors + c.global_atomic_sectors,
        each: SECTOR as f64,
    };
    /// Sectors of global stores and atomics.
    pub const STORE_SECTORS: Quantity = Quantity {
        name: "floats stored per output",
        of: |c| c.global_store_sectors + c.global_atomic_sectors,
        each: SECTOR as f64,
    };
    /// Requests of global loads and atomics.
    pub const LOAD_REQUESTS: Quantity = Quantity {
        name: "global loads per output",
        of: |c| c.global_load_requests + c.global_atomic_requests,
        each: WARP,
    };
    /// Requests that read any memory except constant memory.
    pub const READS_BESIDE_CONSTANT: Quantity = Quantity {
        name: "other loads per output",
        of: |c| reads_of_arrays(c) + c.texture_requests,
        each: WARP,
    };
    /// Requests that read any memory except textures and constant memory.
    pub const READS_BESIDE_TEXTURE: Quantity = Quantity {
        name: "other loads per output",
        of: |c| reads_of_arrays(c) + c.constant_requests,
        each: WARP,
    };
    /// Requests of shared loads and atomics.
    pub const SHARED_LOAD_REQUESTS: Quantity = Quantity {
        name: "shared loads per output",
        of: |c| c.shared_load_requests + c.shared_atomic_requests,
        each: WARP,
    };
    /// Passes of shared loads and atomics without bank conflicts. A pass delivers at most 128 bytes, so wide loads
    /// count for all bytes that they read.
    pub const SHARED_LOADS: Quantity = Quantity {
        name: "shared loads per output",
        of: |c| {
            let passes = c.shared_load_wavefronts + c.shared_atomic_wavefronts;
            passes.saturating_sub(c.shared_load_bank_conflicts)
        },
        each: WARP,
    };
    /// Passes of shared loads, stores and atomics.
    pub const SHARED_WAVEFRONTS: Quantity = Quantity {
        name: "wavefronts per 32 outputs",
        of: |c| c.shared_load_wavefronts + c.shared_store_wavefronts + 2 * c.shared_atomic_wavefronts,
        each: WARP,
    };
    /// Wavefronts of shared loads and stores beyond the minimum for the same accesses.
    pub const BANK_CONFLICTS: Quantity = Quantity {
        name: "conflicts per 32 outputs",
        of: |c| c.shared_load_bank_conflicts + c.shared_store_bank_conflicts,
        each: WARP,
    };
    /// Passes over constant memory.
    pub const CONSTANT_PASSES: Quantity =
        Quantity { name: "constant passes per 32 outputs", of: |c| c.constant_passes, each: WARP };
    /// Texture requests, of eight threads each.
    pub const TEXTURE_REQUESTS: Quantity =
        Quantity { name: "texture reads per output", of: |c| c.texture_requests, each: 8.0 };
    /// Loads and stores of local memory, in requests.
    pub const LOCAL_REQUESTS: Quantity = Quantity {
        name: "local accesses per output",
        of: |c| c.local_load_requests + c.local_store_requests,
        each: WARP,
    };
    /// Arrivals of warps at block-wide barriers, including barriers in shared memory (`cuda::barrier`).
    pub const BARRIERS: Quantity =
        Quantity { name: "barriers per output", of: |c| c.barriers + c.phase_arrivals, each: WARP };

    /// What is counted, without what it is counted for: `floats stored`.
    fn noun(self) -> &'static str {
        self.name.split_once(" per ").map_or(self.name, |(noun, _)| noun)
    }

    /// So many of it, for each output of a case.
    fn per_output(self, count: f64, measured: &Measured<'_>) -> f64 {
        count * self.each / measured.tally.outputs.max(1) as f64
    }
}

fn reads_of_arrays(c: &Counters) -> u64 {
    c.global_load_requests
        + c.global_atomic_requests
        + c.shared_load_requests
        + c.shared_atomic_requests
        + c.local_load_requests
}

/// A limit and its direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// The value must not exceed the limit.
    AtMost(f64),
    /// The value must not fall below the limit.
    AtLeast(f64),
}

impl Limit {
    fn holds(self, value: f64) -> bool {
        match self {
            Limit::AtMost(limit) => value <= limit,
            Limit::AtLeast(limit) => value >= limit,
        }
    }

    /// The number without the direction.
    pub(crate) fn number(self) -> f64 {
        match self {
            Limit::AtMost(limit) | Limit::AtLeast(limit) => limit,
        }
    }

    /// The sign that reports show.
    pub(crate) fn bound(self) -> &'static str {
        match self {
            Limit::AtMost(_) => "≤",
            Limit::AtLeast(_) => "≥",
        }
    }

    /// The margin of a value: 1 at the limit, above 1 if the value is better, below 1 if it is worse; 0 if the limit
    /// is zero and missed.
    pub(crate) fn share(self, value: f64) -> f64 {
        match self {
            _ if self.holds(value) && value == 0.0 => f64::INFINITY,
            Limit::AtMost(limit) => limit / value,
            Limit::AtLeast(limit) => value / limit,
        }
    }
}

type Measure = dyn Fn(&Measured<'_>) -> Option<f64> + Send + Sync;
type Takes = dyn Fn(&Measured<'_>) -> f64 + Send + Sync;

/// A requirement on a kernel, in numbers.
pub struct Gate {
    /// Stable name, words with underscores; test names contain it (`gate_coalesced_stores`).
    pub id: &'static str,
    /// What is asked, in words: `store each output once (floats stored: at most 1.5x that)`.
    pub asks: String,
    /// The limit, relative to what the exercise needs if `takes` is known.
    limit: Limit,
    /// The unit after the number, such as `floats stored per output`; may be empty.
    pub unit: &'static str,
    /// Advice for a missed gate.
    hint: String,
    /// Message if there is nothing to measure.
    nothing: &'static str,
    /// Whether partly filled or unaligned warps increase the value.
    by_warp: bool,
    /// The counted quantity, to name the line with the largest part of it.
    quantity: Option<Quantity>,
    /// A technique, which is judged by additional runs instead of counters.
    pub(crate) technique: Option<(Technique, Asked)>,
    measure: Box<Measure>,
    /// What the exercise needs at a case, in the unit of the value.
    takes: Option<Box<Takes>>,
}

impl Gate {
    /// At most `limit` times what the exercise needs, in each kernel. `what` says what that is (`store each output once`), and `takes` how many
    /// of the quantity it needs at a case.
    pub fn at_most(
        id: &'static str,
        quantity: Quantity,
        limit: f64,
        what: &str,
        takes: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
    ) -> Gate {
        let asks = format!("{what} ({}: at most {}x that)", quantity.noun(), number(limit));
        let counted = move |m: &Measured<'_>| {
            let beside = m.run.beside.iter().map(|(_, counters)| (quantity.of)(counters));
            beside.fold((quantity.of)(m.counters), u64::max)
        };
        Gate::counted(id, quantity, asks, Limit::AtMost(limit), counted, takes)
    }

    /// At least what the technique needs, for what must come a certain way: the goal (`read the window from shared memory`), and what
    /// completes "at least" (`1 per element of the window`).
    pub fn at_least(
        id: &'static str,
        quantity: Quantity,
        (goal, what): (&str, &str),
        takes: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
    ) -> Gate {
        let asks = format!("{goal} ({}: at least {what})", quantity.noun());
        Gate::counted(id, quantity, asks, Limit::AtLeast(1.0), move |m| (quantity.of)(m.counters), takes)
    }

    /// None at all.
    pub fn none(id: &'static str, quantity: Quantity, goal: &str) -> Gate {
        let asks = format!("{goal} ({}: none)", quantity.noun());
        Gate::counted(id, quantity, asks, Limit::AtMost(0.0), move |m| (quantity.of)(m.counters), |_| 1.0)
    }

    fn counted(
        id: &'static str,
        quantity: Quantity,
        asks: String,
        limit: Limit,
        counted: impl Fn(&Measured<'_>) -> u64 + Send + Sync + 'static,
        takes: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
    ) -> Gate {
        let measure = move |m: &Measured<'_>| Some(quantity.per_output(counted(m) as f64, m));
        let takes = move |m: &Measured<'_>| quantity.per_output(takes(m), m);
        let gate = Gate::custom(id, asks, limit, measure).unit(quantity.name);
        Gate { quantity: Some(quantity), takes: Some(Box::new(takes)), ..gate }
    }

    /// A gate with its own measure. If the measure returns `None`, there is nothing to measure, and the gate is
    /// missed.
    pub fn custom(
        id: &'static str,
        asks: impl Into<String>,
        limit: Limit,
        measure: impl Fn(&Measured<'_>) -> Option<f64> + Send + Sync + 'static,
    ) -> Gate {
        Gate {
            id,
            asks: asks.into(),
            limit,
            unit: "",
            hint: String::new(),
            nothing: "there is nothing to measure",
            by_warp: false,
            quantity: None,
            technique: None,
            measure: Box::new(measure),
            takes: None,
        }
    }

    /// The limit at a case, in the unit of the measure.
    fn limit_at(&self, measured: &Measured<'_>) -> Limit {
        let takes = self.takes.as_ref().map_or(1.0, |takes| takes(measured));
        match self.limit {
            Limit::AtMost(limit) => Limit::AtMost(limit * takes),
            Limit::AtLeast(limit) => Limit::AtLeast(limit * takes),
        }
    }

    /// Replaces the wording of the requirement.
    pub fn asking(mut self, asks: &str) -> Gate {
        self.asks = asks.to_owned();
        self
    }

    /// Sets the unit.
    pub fn unit(mut self, unit: &'static str) -> Gate {
        self.unit = unit;
        self
    }

    /// The advice for a missed gate.
    pub fn hint_text(&self) -> &str {
        &self.hint
    }

    /// Sets the advice for a missed gate.
    pub fn hint(mut self, hint: impl Into<String>) -> Gate {
        self.hint = hint.into();
        self
    }

    /// Sets the message if there is nothing to measure.
    pub fn nothing(mut self, why: &'static str) -> Gate {
        self.nothing = why;
        self
    }

    /// Adds to the advice how unfavourable block sizes increase the value, because requests and sectors are counted
    /// per warp.
    pub fn by_warp(mut self) -> Gate {
        self.by_warp = true;
        self
    }

    /// The gate's name and requirement, as one line of an exercise's text.
    pub fn line(&self) -> String {
        format!("{}  {}", self.id, self.asks)
    }

    /// Measures and judges every gated case, each with the reference solution's value if known. The result shows the
    /// worst case.
    pub fn evaluate(&self, cases: &[(Measured<'_>, Option<f64>)]) -> GateResult {
        let limits: Vec<Limit> = cases.iter().map(|(own, _)| self.limit_at(own)).collect();
        let sizes: Vec<GateSize> = cases
            .iter()
            .zip(&limits)
            .map(|((own, reference), limit)| {
                let value = self.value(own);
                GateSize {
                    case: own.case.label.clone(),
                    value,
                    limit: Some(limit.number()),
                    reference: *reference,
                    passed: value.is_some_and(|v| limit.holds(v)),
                }
            })
            .collect();
        let share = |at: usize| sizes[at].value.map_or(0.0, |v| limits[at].share(v));
        let at = (0..sizes.len()).min_by(|a, b| share(*a).total_cmp(&share(*b)));
        let shown = at.map(|at| (&sizes[at], limits[at].number(), &cases[at].0));
        GateResult {
            id: self.id.to_owned(),
            asks: self.asks.clone(),
            value: shown.and_then(|(size, ..)| size.value),
            bound: self.limit.bound().to_owned(),
            limit: shown.map_or(self.limit.number(), |(_, limit, _)| limit),
            reference: shown.and_then(|(size, ..)| size.reference),
            unit: self.unit.to_owned(),
            passed: sizes.iter().all(|size| size.passed),
            credit: at.map_or(0.0, |at| share(at).min(1.0)),
            message: shown.map_or_else(String::new, |(size, limit, m)| self.message(size, limit, m)),
            hint: self.hint.clone(),
            line: shown.filter(|(size, ..)| !size.passed).and_then(|(.., m)| Some(self.most_at(m)?.0)),
            sizes,
        }
    }

    /// The measured value of a kernel; `None` if there is nothing to measure.
    pub(crate) fn value(&self, measured: &Measured<'_>) -> Option<f64> {
        (self.measure)(measured).filter(|v| !v.is_nan())
    }

    /// Whether a kernel passes the gate at this case.
    pub(crate) fn holds(&self, measured: &Measured<'_>) -> bool {
        self.value(measured).is_some_and(|value| self.limit_at(measured).holds(value))
    }

    fn message(&self, size: &GateSize, limit: f64, measured: &Measured<'_>) -> String {
        let Some(value) = size.value else { return format!("{} (at {})", self.nothing, size.case) };
        let have = in_unit(value, self.unit);
        let mut message = format!("{have}; {}", words(self.limit.bound(), limit, size.reference));
        message = format!("{message} (at {})", size.case);
        if size.passed {
            return message;
        }
        if let Some((line, percent)) = self.most_at(measured) {
            message = format!("{message}; line {line} has {percent:.0} % of them");
        }
        if !self.hint.is_empty() {
            message = format!("{message}; {}", self.hint);
        }
        match unlucky(measured.tally.block).filter(|_| self.by_warp) {
            Some(why) => format!("{message}; {why}"),
            None => message,
        }
    }

    /// The line with the largest part of the counted quantity, and that part in percent; only for gates with an upper
    /// limit.
    fn most_at(&self, measured: &Measured<'_>) -> Option<(u32, f64)> {
        let of = self.quantity.filter(|_| matches!(self.limit, Limit::AtMost(_)))?.of;
        let most = measured
            .tally
            .lines
            .iter()
            .max_by_key(|line| (of(&line.counters), std::cmp::Reverse(line.line)))?;
        let (most_of, all) = (of(&most.counters), of(measured.counters));
        (most_of > 0 && all > 0).then(|| (most.line, 100.0 * most_of as f64 / all as f64))
    }
}

/// A remark on how the block's size increases requests and sectors, independent of the kernel.
fn unlucky(block: [u32; 3]) -> Option<String> {
    let (x, threads): (u32, u32) = (block[0], block.iter().product());
    let last = threads % 32;
    let part = format!(
        "the last warp of a block of {threads} threads has {last}, but its requests count like those of 32: use a \
         multiple of 32 threads per block"
    );
    let rows = format!(
        "rows of {x} threads begin anywhere in the sectors of 8 floats: make them a multiple of 8 threads long"
    );
    let reasons = [(last != 0, part), (x % 8 != 0 && threads > x, rows)];
    let reasons: Vec<String> =
        reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// What is asked, and what the reference has: `limit: at most 1.2; reference: 0.62`.
pub(crate) fn words(bound: &str, limit: f64, reference: Option<f64>) -> String {
    let side = if bound == "≥" { "at least" } else { "at most" };
    let reference = reference.map(|r| format!("; reference: {}", number(r))).unwrap_or_default();
    format!("limit: {side} {}{reference}", number(limit))
}

/// A value with its unit, in the singular for one: `1 float loaded per output`.
pub(crate) fn in_unit(value: f64, unit: &str) -> String {
    let value = number(value);
    if value != "1" || unit.starts_with('%') {
        return format!("{value} {unit}").trim_end().to_owned();
    }
    let singular = |word: &str| match word.strip_suffix("sses") {
        Some(stem) => format!("{stem}ss"),
        None => word.trim_end_matches('s').to_owned(),
    };
    let mut words = unit.split(' ').map(str::to_owned).collect::<Vec<_>>();
    if let Some(plural) = words.iter_mut().find(|word| word.ends_with('s')) {
        *plural = singular(plural);
    }
    format!("1 {}", words.join(" "))
}

/// Formats a number: whole numbers without decimals, small ones with three digits.
pub(crate) fn number(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        return crate::report::thousands(value);
    }
    match value.abs() {
        a if a >= 100.0 => crate::report::thousands(value.round()),
        a if a >= 1.0 => trimmed(&format!("{value:.3}")),
        a if a >= 0.001 => trimmed(&format!("{value:.4}")),
        _ => format!("{value:.2e}"),
    }
}

/// Removes trailing zeros of the fraction.
fn trimmed(number: &str) -> String {
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}
