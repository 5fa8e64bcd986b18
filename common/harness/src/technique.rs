//! Techniques: whether results come the way that an exercise is about.
//!
//! Counters say how much takes a path, not what becomes of it: reads that nothing depends on count as well. So a kernel runs again at a
//! small size, and elements that reach threads on the path, in shared memory those that another thread has put there, are counted and reach
//! them changed. Outputs that do not change with them do not depend on them.

use crate::context::Probe;
use crate::gate::number;
use crate::report::thousands;
use crate::{Case, Context, Exercise, Failure, Gate, GateResult, GateSize, Limit};
use device::{Allowance, HandedOver, Handover, HandoverPath, LaunchOptions};

/// The gate's name.
const ID: &str = "technique";

/// How far an output must change with the elements that it depends on, relative to itself: further than by rounding.
const CHANGED: f64 = 0.01;

/// Arrays with fewer outputs that are not 0 are not judged.
const FEWEST_OUTPUTS: usize = 16;

/// By which the elements are changed.
const SEED: u64 = 0x7ec4_9173;

/// What to look at if threads get too few elements.
const BY_ITSELF: &str = "each thread should read all elements that it needs this way, by itself";

type Fewest = dyn Fn(&Case, &HandedOver) -> f64 + Send + Sync;

/// The way that elements should take to the threads that need them.
pub struct Technique {
    /// The path.
    pub path: HandoverPath,
    /// The elements, to complete "outputs that depend on": `cells that another thread has put into shared memory`.
    pub elements: &'static str,
    /// The kernels that it is asked of.
    pub kernels: &'static [&'static str],
    /// The kernel's arguments (0-based) whose elements they are, those of each; empty if it does not matter.
    pub from: &'static [usize],
    /// The share of the outputs, those that are 0 aside, that depend on such elements at least.
    pub share: f64,
    /// How many such elements of each of these arguments threads must get at least, each counted for each thread, if these threads store what they do.
    pub fewest: Box<Fewest>,
}

/// What two runs have shown.
struct Dependence {
    /// Outputs that are not 0, of the array with the smallest share of dependent ones.
    outputs: usize,
    /// Those of them that depend on the elements.
    dependent: usize,
    /// Elements that threads got, over the fewest: of the kernel where that is least.
    got: f64,
    /// The same for each thread that stores.
    each: [f64; 2],
}

impl Dependence {
    /// Per cent of the outputs that depend on the elements; less if threads get too few of these.
    fn value(&self) -> f64 {
        100.0 * self.dependent as f64 / self.outputs as f64 * self.got
    }
}

impl Technique {
    /// The gate that asks for it.
    pub fn gate(self) -> Gate {
        let percent = 100.0 * self.share;
        let asks = format!("outputs that depend on {}: at least {} %", self.elements, number(percent));
        let gate = Gate::custom(ID, asks, Limit::AtLeast(percent), |_| None);
        let mut gate = gate.unit("% of the outputs").hint(BY_ITSELF);
        gate.technique = Some(self);
        gate
    }

    /// Runs an exercise at a case, as it is and once for each buffer that the elements come from. `None` on a device that cannot say.
    fn dependence(
        &self,
        exercise: &dyn Exercise,
        cx: &mut Context<'_>,
        case: &Case,
    ) -> Result<Option<Dependence>, Failure> {
        let allowance = Some(Allowance::new(crate::INSTRUCTIONS));
        let options = LaunchOptions { allowance, ..LaunchOptions::default() };
        let mut run = |probe: Probe| cx.probed(probe, options, |cx| exercise.run(cx, case));
        let outputs = run(Probe::new(self.kernels, None))?.outputs;
        let mut found: Vec<Dependence> = Vec::new();
        for from in self.origins() {
            let handover = Handover { path: self.path, from, change: Some(SEED) };
            let mut probe = Probe::new(self.kernels, Some(handover));
            probe.shown = Some(outputs.clone());
            let changed = run(probe)?;
            let Some((got, each)) = self.least(case, &changed.found) else { return Ok(None) };
            let arrays = outputs.iter().zip(&changed.outputs).map(|(a, b)| dependent(a, b));
            let judged = arrays.filter(|(_, all)| *all >= FEWEST_OUTPUTS);
            let all = judged.map(|(dependent, outputs)| Dependence { outputs, dependent, got, each });
            found.extend(all);
        }
        Ok(found.into_iter().min_by(|a, b| a.value().total_cmp(&b.value())))
    }

    /// The buffers that elements come from, each judged by itself; one `None` if that does not matter.
    fn origins(&self) -> Vec<Option<usize>> {
        if self.from.is_empty() { vec![None] } else { self.from.iter().copied().map(Some).collect() }
    }

    /// Of the kernel whose threads get least of what they should: how much of it, and what each of its threads gets on average, and should.
    fn least(&self, case: &Case, found: &[(String, HandedOver)]) -> Option<(f64, [f64; 2])> {
        let of = |kernel: &&str| {
            let own = found.iter().filter(|(name, _)| name == kernel);
            let sum = own.fold(HandedOver::default(), |sum, (_, one)| HandedOver {
                words: sum.words + one.words,
                threads: sum.threads + one.threads,
                stored: sum.stored + one.stored,
            });
            let (words, fewest) = (sum.words as f64, (self.fewest)(case, &sum));
            let got = if fewest > 0.0 { (words / fewest).min(1.0) } else { 1.0 };
            let threads = sum.threads.max(1) as f64;
            (got, [words / threads, fewest / threads])
        };
        let all = self.kernels.iter().map(of);
        if found.is_empty() { None } else { all.min_by(|a, b| a.0.total_cmp(&b.0)) }
    }
}

/// How many elements of an array depend on what was changed, and how many are not 0.
fn dependent(before: &[f32], after: &[f32]) -> (usize, usize) {
    let pairs = before.iter().zip(after).map(|(a, b)| (f64::from(*a), f64::from(*b)));
    let judged: Vec<_> = pairs.filter(|(a, _)| *a != 0.0).collect();
    // NaN has changed, too.
    let changed = |(a, b): &&(f64, f64)| b.is_nan() || (b - a).abs() > CHANGED * a.abs();
    (judged.iter().filter(changed).count(), judged.len())
}

impl Gate {
    /// Judges a technique at a case; `None` on a device that cannot say.
    pub(crate) fn judge(
        &self,
        technique: &Technique,
        exercise: &dyn Exercise,
        cx: &mut Context<'_>,
        case: &Case,
    ) -> Option<GateResult> {
        let found = technique.dependence(exercise, cx, case);
        let limit = 100.0 * technique.share;
        let (value, message, hint) = match &found {
            Ok(None) => return None,
            Ok(Some(found)) => {
                let (message, hint) = technique.message(found);
                (Some(found.value()), message, hint)
            }
            Err(_) => {
                let message = format!(
                    "with other values in place of {} the kernel does not end well",
                    technique.elements
                );
                (
                    None,
                    message,
                    "the results should depend on these elements, and nothing else should".to_owned(),
                )
            }
        };
        let passed = value.is_some_and(|value| value >= limit);
        let message = format!("{message} (at {})", case.label);
        Some(GateResult {
            id: self.id.to_owned(),
            asks: self.asks.clone(),
            value,
            bound: "≥".to_owned(),
            limit,
            reference: None,
            unit: self.unit.to_owned(),
            passed,
            credit: value.map_or(0.0, |value| (value / limit).min(1.0)),
            message: if passed { message } else { format!("{message}; {hint}") },
            hint,
            line: None,
            sizes: vec![GateSize { case: case.label.clone(), value, limit, reference: None, passed }],
        })
    }
}

impl Technique {
    /// What was found, in words, and what to look at.
    fn message(&self, found: &Dependence) -> (String, String) {
        let Dependence { outputs, dependent, got, each: [got_each, asked_each] } = found;
        let (count, of) = (thousands(*dependent as f64), thousands(*outputs as f64));
        let least = thousands((self.share * *outputs as f64).ceil());
        let mut message =
            format!("of {of} outputs, {count} depend on {}; at least {least} should", self.elements);
        let mut hint = "the results should be computed from these elements, whatever else is read".to_owned();
        if *got < 1.0 {
            let (got, asked) = (number(*got_each), number(*asked_each));
            message = format!(
                "{message}; a thread that stores gets {got} of these elements on average, and needs {asked}"
            );
            hint = BY_ITSELF.to_owned();
        }
        (message, hint)
    }
}
