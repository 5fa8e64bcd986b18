//! Gates: what is asked of the counters.
//!
//! A gate limits what a kernel moves for each output, as a multiple of what the *exercise* takes at that problem size; it is never an average
//! over the kernel's own requests. So neither idle lanes nor harmless accesses beside bad ones nor the width of an access changes the verdict.
//! Atomics count as the loads and stores that they are.
//!
//! What a gate refuses to look at: times, and anything of a kernel whose results are wrong.

use crate::technique::{Asked, Technique};
use crate::{Case, GateResult, GateSize, Run, Tally};
use device::Counters;

/// What a gate may look at: one gated case of a correct kernel.
pub struct Measured<'a> {
    /// Counters of all launches of the case.
    pub counters: &'a Counters,
    /// All that the context collected (launches, lines, occupancy).
    pub tally: &'a Tally,
    /// What the exercise's run returned.
    pub run: &'a Run,
    /// The case.
    pub case: &'a Case,
}

/// What is counted for a gate.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// In the report's words, as `floats loaded per output`.
    pub name: &'static str,
    /// How many there are, all together.
    pub of: fn(&Counters) -> u64,
    /// How many of what `name` says each of them is: floats of a sector, threads of a request.
    pub each: f64,
}

/// Floats of a sector.
pub(crate) const SECTOR: usize = 8;

/// Threads of a warp.
const WARP: f64 = 32.0;

impl Quantity {
    /// Sectors of global loads and atomics. They are loaded whole.
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
    /// Requests that read anything but constant memory.
    pub const READS_BESIDE_CONSTANT: Quantity = Quantity {
        name: "other loads per output",
        of: |c| reads_of_arrays(c) + c.texture_requests,
        each: WARP,
    };
    /// Requests that read anything but textures and constant memory.
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
    /// Passes that shared loads and atomics take without bank conflicts: 128 bytes each at most, so that wide loads count for all they read.
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
    /// Wavefronts of shared loads and stores beyond the fewest that the same accesses take.
    pub const BANK_CONFLICTS: Quantity = Quantity {
        name: "conflicts per 32 outputs",
        of: |c| c.shared_load_bank_conflicts + c.shared_store_bank_conflicts,
        each: WARP,
    };
    /// Passes of constant memory.
    pub const CONSTANT_PASSES: Quantity =
        Quantity { name: "constant passes per 32 outputs", of: |c| c.constant_passes, each: WARP };
    /// Requests of textures: of eight threads each.
    pub const TEXTURE_REQUESTS: Quantity =
        Quantity { name: "texture reads per output", of: |c| c.texture_requests, each: 8.0 };
    /// Requests of local memory, loads and stores.
    pub const LOCAL_REQUESTS: Quantity = Quantity {
        name: "local accesses per output",
        of: |c| c.local_load_requests + c.local_store_requests,
        each: WARP,
    };
    /// Arrivals of warps at barriers of the block, those in shared memory (`cuda::barrier`) among them.
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

/// On which side of the limit is good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// The measure must not be above.
    AtMost(f64),
    /// The measure must not be below.
    AtLeast(f64),
}

impl Limit {
    fn holds(self, value: f64) -> bool {
        match self {
            Limit::AtMost(limit) => value <= limit,
            Limit::AtLeast(limit) => value >= limit,
        }
    }

    /// The number alone.
    pub(crate) fn number(self) -> f64 {
        match self {
            Limit::AtMost(limit) | Limit::AtLeast(limit) => limit,
        }
    }

    /// As reports write it.
    pub(crate) fn bound(self) -> &'static str {
        match self {
            Limit::AtMost(_) => "≤",
            Limit::AtLeast(_) => "≥",
        }
    }

    /// How far a value is on the good side: 1 at the limit, above 1 beyond it, 0 where the limit is nothing at all.
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

/// One thing asked of a kernel, in numbers.
pub struct Gate {
    /// Stable name, words with underscores: it is in the test's name (`gate_coalesced_stores`).
    pub id: &'static str,
    /// What is asked, in words: `store each output once (floats stored: at most 1.5x that)`.
    pub asks: String,
    /// The limit, a multiple of what the exercise takes where that is known.
    limit: Limit,
    /// After the number, as `floats stored per output`; may be empty.
    pub unit: &'static str,
    /// What to look at when it is missed.
    hint: String,
    /// What is said when there is nothing to measure.
    nothing: &'static str,
    /// Whether the measure grows where warps are not full, or begin anywhere in a row.
    by_warp: bool,
    /// What is counted, to name the line that has most of it.
    quantity: Option<Quantity>,
    /// What is judged by further runs, in place of a measure.
    pub(crate) technique: Option<(Technique, Asked)>,
    measure: Box<Measure>,
    /// What the exercise takes at a case, in the unit of the measure.
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

    /// A measure of another kind. It returns `None` where there is nothing to measure, which misses the gate.
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

    /// Asks for it in other words.
    pub fn asking(mut self, asks: &str) -> Gate {
        self.asks = asks.to_owned();
        self
    }

    /// Names the unit.
    pub fn unit(mut self, unit: &'static str) -> Gate {
        self.unit = unit;
        self
    }

    /// What is said when the gate is missed.
    pub fn hint_text(&self) -> &str {
        &self.hint
    }

    /// Says what to look at when the gate is missed.
    pub fn hint(mut self, hint: impl Into<String>) -> Gate {
        self.hint = hint.into();
        self
    }

    /// Says why there may be nothing to measure.
    pub fn nothing(mut self, why: &'static str) -> Gate {
        self.nothing = why;
        self
    }

    /// Says, when it is missed, what blocks of unlucky sizes have to do with it: requests and sectors are counted by warp.
    pub fn by_warp(mut self) -> Gate {
        self.by_warp = true;
        self
    }

    /// What is asked, after its name: a line of an exercise's text.
    pub fn line(&self) -> String {
        format!("{}  {}", self.id, self.asks)
    }

    /// Measures and judges every gated case: each with the reference solution's value there, where that is known. The result
    /// shows the case that is furthest on the wrong side.
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
                    limit: limit.number(),
                    reference: *reference,
                    passed: value.is_some_and(|v| limit.holds(v)),
                }
            })
            .collect();
        let share = |at: usize| sizes[at].value.map_or(0.0, |v| limits[at].share(v));
        let at = (0..sizes.len()).min_by(|a, b| share(*a).total_cmp(&share(*b)));
        let shown = at.map(|at| (&sizes[at], &cases[at].0));
        GateResult {
            id: self.id.to_owned(),
            asks: self.asks.clone(),
            value: shown.and_then(|(size, _)| size.value),
            bound: self.limit.bound().to_owned(),
            limit: shown.map_or(self.limit.number(), |(size, _)| size.limit),
            reference: shown.and_then(|(size, _)| size.reference),
            unit: self.unit.to_owned(),
            passed: sizes.iter().all(|size| size.passed),
            credit: at.map_or(0.0, |at| share(at).min(1.0)),
            message: shown.map_or_else(String::new, |(size, m)| self.message(size, m)),
            hint: self.hint.clone(),
            line: shown.filter(|(size, _)| !size.passed).and_then(|(_, m)| Some(self.most_at(m)?.0)),
            sizes,
        }
    }

    /// What the gate looks at, of a kernel that ran; nothing where there is nothing to measure.
    pub(crate) fn value(&self, measured: &Measured<'_>) -> Option<f64> {
        (self.measure)(measured).filter(|v| !v.is_nan())
    }

    /// Whether a kernel that ran holds it.
    pub(crate) fn holds(&self, measured: &Measured<'_>) -> bool {
        self.value(measured).is_some_and(|value| self.limit_at(measured).holds(value))
    }

    fn message(&self, size: &GateSize, measured: &Measured<'_>) -> String {
        let have = match size.value {
            Some(value) => in_unit(value, self.unit),
            None => self.nothing.to_owned(),
        };
        let mut message = format!("{have}; {}", words(self.limit.bound(), size.limit, size.reference));
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

    /// The line that has most of what is counted, and how many per cent of it, where there is to be less.
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

/// What a block's size adds to requests and sectors, whatever its kernel does.
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

/// A value and its unit, with one in the singular: `1 float loaded per output`.
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

/// A number with as many places as it needs: whole numbers with none, small ones with three digits.
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

/// Without zeros at the end of the fraction.
fn trimmed(number: &str) -> String {
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}
