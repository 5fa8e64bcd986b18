//! Gates: what is asked of the counters.
//!
//! A gate compares what a kernel moved with the fewest that the *exercise* needs at that problem size: an excess for each output, never
//! an average over the kernel's own requests. So neither idle lanes nor harmless accesses beside bad ones nor the width of an access
//! changes the verdict. Atomics count as the loads and stores that they are.
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
    /// In the report's words, as `global load sectors`.
    pub name: &'static str,
    /// How many there are.
    pub of: fn(&Counters) -> u64,
}

impl Quantity {
    /// Sectors of global loads and atomics.
    pub const LOAD_SECTORS: Quantity =
        Quantity { name: "global load sectors", of: |c| c.global_load_sectors + c.global_atomic_sectors };
    /// Sectors of global stores and atomics.
    pub const STORE_SECTORS: Quantity =
        Quantity { name: "global store sectors", of: |c| c.global_store_sectors + c.global_atomic_sectors };
    /// Requests of global loads and atomics.
    pub const LOAD_REQUESTS: Quantity =
        Quantity { name: "global load requests", of: |c| c.global_load_requests + c.global_atomic_requests };
    /// Requests that read anything but constant memory.
    pub const READS_BESIDE_CONSTANT: Quantity = Quantity {
        name: "load requests beside those of constant memory",
        of: |c| reads_of_arrays(c) + c.texture_requests,
    };
    /// Requests that read anything but textures and constant memory.
    pub const READS_BESIDE_TEXTURE: Quantity = Quantity {
        name: "load requests beside those of the texture",
        of: |c| reads_of_arrays(c) + c.constant_requests,
    };
    /// Requests of shared loads and atomics.
    pub const SHARED_LOAD_REQUESTS: Quantity =
        Quantity { name: "shared load requests", of: |c| c.shared_load_requests + c.shared_atomic_requests };
    /// Passes of shared loads and atomics: 128 bytes each at most.
    pub const SHARED_LOADS: Quantity = Quantity {
        name: "shared load wavefronts",
        of: |c| c.shared_load_wavefronts + c.shared_atomic_wavefronts,
    };
    /// Passes of shared loads, stores and atomics.
    pub const SHARED_WAVEFRONTS: Quantity = Quantity {
        name: "shared memory wavefronts",
        of: |c| c.shared_load_wavefronts + c.shared_store_wavefronts + 2 * c.shared_atomic_wavefronts,
    };
    /// Wavefronts of shared loads and stores beyond the fewest that the same accesses take.
    pub const BANK_CONFLICTS: Quantity = Quantity {
        name: "bank conflicts",
        of: |c| c.shared_load_bank_conflicts + c.shared_store_bank_conflicts,
    };
    /// Passes of constant memory.
    pub const CONSTANT_PASSES: Quantity = Quantity { name: "constant passes", of: |c| c.constant_passes };
    /// Requests of textures.
    pub const TEXTURE_REQUESTS: Quantity = Quantity { name: "texture requests", of: |c| c.texture_requests };
    /// Requests of local memory, loads and stores.
    pub const LOCAL_REQUESTS: Quantity =
        Quantity { name: "local memory requests", of: |c| c.local_load_requests + c.local_store_requests };
    /// Arrivals of warps at barriers of the block, those in shared memory (`cuda::barrier`) among them.
    pub const BARRIERS: Quantity = Quantity { name: "barriers", of: |c| c.barriers + c.phase_arrivals };
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

    /// How far a value is on the good side: 1 at the limit, above 1 beyond it, 0 where the limit is nothing at all.
    fn share(self, value: f64) -> f64 {
        match self {
            _ if self.holds(value) && value == 0.0 => f64::INFINITY,
            Limit::AtMost(limit) => limit / value,
            Limit::AtLeast(limit) => value / limit,
        }
    }
}

type Measure = dyn Fn(&Measured<'_>) -> Option<f64> + Send + Sync;

/// One thing asked of a kernel, in numbers.
pub struct Gate {
    /// Stable name, words with underscores: it is in the test's name (`gate_coalesced_stores`).
    pub id: &'static str,
    /// What is asked, in words: `global store sectors: at most 1.5 times the fewest (each output once)`.
    pub asks: String,
    /// The limit.
    pub limit: Limit,
    /// After the number, as `times the fewest`; may be empty.
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
}

impl Gate {
    /// At most `limit` times the fewest that the exercise needs, in each kernel; `fewest` says how many these are, and `which` in words, as `each
    /// output once`.
    pub fn at_most(
        id: &'static str,
        quantity: Quantity,
        limit: f64,
        which: &str,
        fewest: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
    ) -> Gate {
        Gate::excess(id, quantity, Limit::AtMost(limit), which, fewest)
    }

    /// At least the fewest that the technique needs, for what must come a certain way.
    pub fn at_least(
        id: &'static str,
        quantity: Quantity,
        which: &str,
        fewest: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
    ) -> Gate {
        Gate::excess(id, quantity, Limit::AtLeast(1.0), which, fewest)
    }

    /// None at all.
    pub fn none(id: &'static str, quantity: Quantity) -> Gate {
        let asks = format!("no {}", quantity.name);
        let measure = move |m: &Measured<'_>| Some((quantity.of)(m.counters) as f64);
        Gate { quantity: Some(quantity), ..Gate::custom(id, asks, Limit::AtMost(0.0), measure) }
    }

    fn excess(
        id: &'static str,
        quantity: Quantity,
        limit: Limit,
        which: &str,
        fewest: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
    ) -> Gate {
        let asks = match limit {
            Limit::AtMost(limit) => {
                format!("{}: at most {} times the fewest ({which})", quantity.name, number(limit))
            }
            Limit::AtLeast(_) => format!("{}: at least the fewest ({which})", quantity.name),
        };
        let measure = move |m: &Measured<'_>| {
            let beside = m.run.beside.iter().map(|(_, counters)| (quantity.of)(counters));
            let own = (quantity.of)(m.counters);
            let counted = match limit {
                Limit::AtMost(_) => beside.fold(own, u64::max),
                Limit::AtLeast(_) => own,
            };
            Some(counted as f64 / fewest(m))
        };
        Gate { quantity: Some(quantity), unit: "times the fewest", ..Gate::custom(id, asks, limit, measure) }
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
        }
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
        let sizes: Vec<GateSize> = cases
            .iter()
            .map(|(own, reference)| {
                let value = self.value(own);
                GateSize {
                    case: own.case.label.clone(),
                    value,
                    reference: *reference,
                    passed: value.is_some_and(|v| self.limit.holds(v)),
                }
            })
            .collect();
        let share = |size: &GateSize| size.value.map_or(0.0, |v| self.limit.share(v));
        let at = (0..sizes.len()).min_by(|a, b| share(&sizes[*a]).total_cmp(&share(&sizes[*b])));
        let (bound, limit) = match self.limit {
            Limit::AtMost(limit) => ("≤", limit),
            Limit::AtLeast(limit) => ("≥", limit),
        };
        let shown = at.map(|at| (&sizes[at], &cases[at].0));
        GateResult {
            id: self.id.to_owned(),
            asks: self.asks.clone(),
            value: shown.and_then(|(size, _)| size.value),
            bound: bound.to_owned(),
            limit,
            reference: shown.and_then(|(size, _)| size.reference),
            unit: self.unit.to_owned(),
            passed: sizes.iter().all(|size| size.passed),
            credit: shown.map_or(0.0, |(size, _)| share(size).min(1.0)),
            message: shown.map_or_else(String::new, |(size, m)| self.message(size, m, bound, limit)),
            hint: self.hint.clone(),
            line: shown.filter(|(size, _)| !size.passed).and_then(|(_, m)| Some(self.most_at(m)?.0)),
            sizes,
        }
    }

    /// What the gate looks at, of a kernel that ran; nothing where there is nothing to measure.
    pub(crate) fn value(&self, measured: &Measured<'_>) -> Option<f64> {
        (self.measure)(measured).filter(|v| !v.is_nan())
    }

    fn message(&self, size: &GateSize, measured: &Measured<'_>, bound: &str, limit: f64) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let have = match size.value {
            Some(value) => format!("you have {}{unit}", number(value)),
            None => self.nothing.to_owned(),
        };
        let mut message = format!("{have}, asked {bound} {}", number(limit));
        if let Some(reference) = size.reference {
            message = format!("{message}, the reference reaches {}", number(reference));
        }
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
