//! Techniques: checks whether results are computed in the way that an exercise teaches.
//!
//! Counters show how much data use a path, but not what for: a read whose value is never used also counts. So at each
//! gated case the simulator tracks elements of the inputs to the outputs ([`device::Handover`]) and reports how much
//! of an output comes from elements that use the path, in any encoding. Other reads and computations of the kernel do
//! not matter.

use crate::context::Probe;
use crate::gate::number;
use crate::{Case, Context, Exercise, Failure, Gate, GateResult, GateSize, Limit};
use device::{Allowance, HandedOver, Handover, HandoverPath, LaunchOptions};

/// Advice if too little of the output uses the path.
const OTHER_WAY: &str = "compute the outputs from these elements: reads that no output needs do not count, and neither do \
                         elements that come another way, such as by a shuffle";

/// Advice if one thread adds up too many values.
const ONE_BY_ONE: &str = "let half as many threads add in each step, so that no thread and no word gets many values one after the other";

/// The path that elements should take to the threads that need them.
#[derive(Clone, Copy)]
pub struct Technique {
    /// The path.
    pub path: HandoverPath,
    /// Description of the elements that completes "comes from", such as `cells that another thread has put into
    /// shared memory`.
    pub elements: &'static str,
    /// The kernels that must use it.
    pub kernels: &'static [&'static str],
    /// 0-based indices of the kernel's arguments that hold the elements, each judged separately; `None` for
    /// `__constant__` variables.
    pub from: &'static [Option<usize>],
    /// Index of the argument computed from the elements, and the exercise's name for it.
    pub output: (usize, &'static str),
    /// Minimum share of the output that must come from such elements, percent.
    pub share: f64,
    /// Maps a gated case to the case to judge, which must be large enough that a thread's own elements are a small
    /// part.
    pub at: fn(&Case) -> Case,
}

/// Requirement on a technique's elements.
#[derive(Clone, Copy)]
pub(crate) enum Asked {
    /// At least [`Technique::share`] percent of the output comes from them.
    Share,
    /// No thread takes more of them, one after another, than twice the square root of this constant of the kernel
    /// file.
    Most(&'static str),
}

/// Result at a case.
struct Found {
    /// NaN if the kernel fails.
    value: f64,
    limit: Limit,
}

impl Technique {
    /// A gate that requires the technique.
    pub fn gate(self, id: &'static str) -> Gate {
        let (name, least) = (self.output.1, number(self.share));
        let asks = format!("at least {least} % of `{name}` comes from {}", self.elements);
        let mut gate = Gate::custom(id, asks, Limit::AtLeast(self.share), |_| None).unit("%").hint(OTHER_WAY);
        gate.technique = Some((self, Asked::Share));
        gate
    }

    /// A gate against long sequential chains: a thread may take at most twice the square root of a constant of the
    /// kernel file, counted in elements.
    pub fn few_in_a_row(self, id: &'static str, constant: &'static str) -> Gate {
        let asks = format!(
            "add up {} in a tree (in a row in one thread or word: at most 2x the square root of {constant})",
            self.elements
        );
        let mut gate = Gate::custom(id, asks, Limit::AtMost(2.0), |_| None).hint(ONE_BY_ONE);
        gate.technique = Some((self, Asked::Most(constant)));
        gate
    }

    /// Runs the simulator's analysis of a kernel's first launch at a case, for elements of one argument.
    fn follow(
        &self,
        kernel: &'static str,
        (exercise, case): (&dyn Exercise, &Case),
        cx: &mut Context<'_>,
        from: Option<usize>,
    ) -> Result<Option<HandedOver>, Failure> {
        let handover = Handover { path: self.path, from, seed: cx.seed() };
        let allowance = Some(Allowance::new(crate::INSTRUCTIONS));
        let options = LaunchOptions { allowance, ..LaunchOptions::default() };
        let probe = Probe { kernel, handover, found: None };
        cx.probed(probe, options, |cx| exercise.run(cx, case))
    }

    /// Analyses every kernel with every source of elements (`from`) at one case, and returns the worst value. `None` if there is no value:
    /// the device cannot track elements, or the output depends on none of them.
    fn judge(
        &self,
        asked: Asked,
        of: (&dyn Exercise, &Case),
        cx: &mut Context<'_>,
    ) -> Result<Option<Found>, Failure> {
        let mut values = Vec::new();
        for from in self.from {
            for kernel in self.kernels {
                let Some(found) = self.follow(kernel, of, cx, *from)? else { continue };
                match asked {
                    Asked::Most(_) => values.push(-(found.most as f64)),
                    Asked::Share => values.extend(self.share_of(&found)),
                }
            }
        }
        let limit = match asked {
            Asked::Share => Limit::AtLeast(self.share),
            Asked::Most(constant) => Limit::AtMost((2.0 * f64::from(cx.constant(constant)?).sqrt()).floor()),
        };
        let worst = values.into_iter().min_by(f64::total_cmp);
        Ok(worst
            .map(|value| Found { value: if matches!(asked, Asked::Share) { value } else { -value }, limit }))
    }

    /// Percentage of the output that comes from the elements; `None` if the output does not depend on them.
    fn share_of(&self, found: &HandedOver) -> Option<f64> {
        let outputs = found.outputs.iter().filter(|output| output.argument == self.output.0);
        let (all, on_path) =
            outputs.fold((0.0, 0.0), |(all, on_path), output| (all + output.all, on_path + output.on_path));
        (all > 0.0).then(|| (100.0 * on_path / all).clamp(0.0, 100.0).round())
    }

    fn message(&self, asked: Asked, found: &Found) -> String {
        let (value, limit) = (number(found.value), number(found.limit.number()));
        match asked {
            Asked::Share => {
                format!(
                    "{value} % of `{}` comes from {}; limit: at least {limit} %",
                    self.output.1, self.elements
                )
            }
            Asked::Most(constant) => format!(
                "{value} {} one after the other; limit: at most {limit}, twice the square root of {constant}",
                self.elements
            ),
        }
    }
}

impl Gate {
    /// Judges a technique at gated cases; `None` on a device that cannot track elements.
    pub(crate) fn judge(
        &self,
        (technique, asked): (Technique, Asked),
        exercise: &dyn Exercise,
        cx: &mut Context<'_>,
        gated: &[Case],
    ) -> Option<GateResult> {
        let mut sizes = Vec::new();
        let mut worst: Option<(f64, Found, String)> = None;
        for case in gated {
            let case = (technique.at)(case);
            let found = match technique.judge(asked, (exercise, &case), cx) {
                Ok(None) => continue,
                Ok(Some(found)) => found,
                Err(_) => {
                    let limit = match asked {
                        Asked::Share => Limit::AtLeast(1.0),
                        Asked::Most(_) => Limit::AtMost(1.0),
                    };
                    Found { value: f64::NAN, limit }
                }
            };
            let credit = found.limit.share(found.value);
            let credit = if credit.is_nan() { 0.0 } else { credit };
            let value = Some(found.value).filter(|value| !value.is_nan());
            let (limit, passed) = (Some(found.limit.number()), credit >= 1.0);
            sizes.push(GateSize { case: case.label.clone(), value, limit, reference: None, passed });
            if worst.as_ref().is_none_or(|(least, ..)| credit < *least) {
                worst = Some((credit, found, case.label.clone()));
            }
        }
        let (credit, found, label) = worst?;
        let passed = credit >= 1.0;
        let message = if found.value.is_nan() {
            "with other values in the inputs the kernel does not end well".to_owned()
        } else {
            technique.message(asked, &found)
        };
        let message = format!("{message} (at {label})");
        Some(GateResult {
            id: self.id.to_owned(),
            asks: self.asks.clone(),
            value: Some(found.value).filter(|value| !value.is_nan()),
            bound: found.limit.bound().to_owned(),
            limit: found.limit.number(),
            reference: None,
            unit: self.unit.to_owned(),
            passed,
            credit: credit.min(1.0),
            message: if passed { message } else { format!("{message}; {}", self.hint_text()) },
            hint: self.hint_text().to_owned(),
            line: None,
            sizes,
        })
    }
}
