//! A lab's best kernel ([`Best`]), and how its constants are chosen for a card ([`tune()`]).
//!
//! A best kernel is an exercise without a starter: it is run and checked like the others, but students never write
//! it. Its tile sizes are constants in the file. [`tune()`] measures every combination of their candidates on a
//! device. Only combinations with correct results on every case are timed, and another combination replaces the
//! file's own constants only if it is faster by more than both error bars. A device that does not measure is refused,
//! because a modelled time would optimise for the model.

use crate::{Case, Context, Exercise, Failure, KernelFile, Options, Tally};
use device::{Device, DeviceError, LaunchOptions};
use serde::Serialize;
use source::Code;

/// A lab's best kernel.
pub struct Best {
    /// The exercise that runs it; its name is the file's stem.
    pub exercise: Box<dyn Exercise>,
    /// Groups of constants to choose for a card, in this order; later groups are measured with the choices of earlier
    /// ones.
    pub tunings: Vec<Tuning>,
}

impl Best {
    /// Budget of all launches of a best kernel's cases, larger than an exercise's because the cases are more and
    /// larger.
    pub const INSTRUCTIONS: u64 = 8 * crate::INSTRUCTIONS;
}

/// A group of constants that are chosen together.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// The timed case, large enough to fill a card.
    pub case: Case,
    /// Names of the constants in the kernel file, each with its candidates.
    pub constants: Vec<(&'static str, Vec<i64>)>,
    /// A size, such as `radius`, if the constants matter only for its value in `case`: then only cases with that
    /// value are checked.
    pub only_at: Option<&'static str>,
}

impl Tuning {
    /// Creates a group of constants with candidates, timed at `case`.
    pub fn new(case: Case, constants: &[(&'static str, &[i64])]) -> Tuning {
        let constants = constants.iter().map(|(name, values)| (*name, values.to_vec())).collect();
        Tuning { case, constants, only_at: None }
    }

    /// Restricts the group: the constants matter only for cases with the same `size` as the timed case.
    pub fn only_at(self, size: &'static str) -> Tuning {
        Tuning { only_at: Some(size), ..self }
    }

    /// Whether the constants can affect this case.
    pub fn concerns(&self, case: &Case) -> bool {
        self.only_at.is_none_or(|size| case.size(size) == self.case.size(size))
    }

    /// All combinations; the last constant changes fastest.
    pub fn combinations(&self) -> Vec<Setting> {
        let grow = |settings: Vec<Setting>, (name, values): &(&'static str, Vec<i64>)| -> Vec<Setting> {
            let with = |setting: &Setting, value: &i64| {
                let mut setting = setting.clone();
                setting.push(((*name).to_owned(), *value));
                setting
            };
            settings.iter().flat_map(|s| values.iter().map(|v| with(s, v)).collect::<Vec<_>>()).collect()
        };
        self.constants.iter().fold(vec![Vec::new()], grow)
    }
}

/// Values of constants by name.
pub type Setting = Vec<(String, i64)>;

/// Outcome of a combination.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Correct on every case; with its time.
    Measured {
        /// Median time of a launch, seconds.
        seconds: f64,
        /// Half of the 95 % confidence interval of the median, seconds.
        confidence: f64,
    },
    /// The file does not compile with it, or the device cannot launch it; says why.
    Refused(String),
    /// A result is wrong, or a launch was stopped; says why.
    Wrong(String),
}

/// A tried combination.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// The case's label.
    pub case: String,
    /// The combination.
    pub setting: Setting,
    /// Whether these are the file's own values.
    pub is_default: bool,
    /// Outcome of the trial.
    pub outcome: Outcome,
}

/// The chosen constants.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuned {
    /// Constants that differ from the file's.
    pub setting: Setting,
    /// All tried combinations, in order.
    pub trials: Vec<Trial>,
}

/// A time of the best kernel at a size that fills a card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LargeRun {
    /// The case.
    pub case: Case,
    /// Median, seconds.
    pub seconds: f64,
    /// Half of the interquartile range, seconds.
    pub spread: f64,
    /// The algorithm's own flops per second, in units of 10⁹.
    pub gflops: f64,
    /// Compulsory bytes per second, in units of 10⁹.
    pub gbps: f64,
}

/// Chooses the constants of a best kernel for a device. Calls `tried` after each combination.
///
/// # Errors
/// Says that the device does not measure, that the unchanged file is wrong, or what the device refuses.
pub fn tune(
    best: &Best,
    file: &KernelFile,
    device: &mut dyn Device,
    seed: u64,
    mut tried: impl FnMut(&Trial),
) -> Result<Tuned, Failure> {
    let mut tuned = Tuned { setting: Vec::new(), trials: Vec::new() };
    for tuning in &best.tunings {
        // One context per group, so that the host reference of the large case is computed once.
        let options = Options { seed, defines: tuned.setting.clone(), ..Options::default() };
        let mut cx = Context::new(device, file.clone(), &*best.exercise, &options)?;
        let default = default_setting(&cx, tuning)?;
        let mut combinations = tuning.combinations();
        // Try the file's own values first, so that a wrong file ends the search at once.
        combinations.sort_by_key(|setting| *setting != default);
        let begin = tuned.trials.len();
        for setting in combinations {
            let is_default = setting == default;
            let outcome = attempt(best, tuning, &mut cx, &setting)?;
            if let (true, Outcome::Refused(why) | Outcome::Wrong(why)) = (is_default, &outcome) {
                return Err(Failure::Other(format!("{} is not correct as it is: {why}", file.name)));
            }
            let trial = Trial { case: tuning.case.label.clone(), setting, is_default, outcome };
            tried(&trial);
            tuned.trials.push(trial);
        }
        if let Some(better) = choose(&tuned.trials[begin..]) {
            tuned.setting.extend(better.into_iter().filter(|constant| !default.contains(constant)));
        }
    }
    Ok(tuned)
}

/// The group's constants with the file's own values.
fn default_setting(cx: &Context<'_>, tuning: &Tuning) -> Result<Setting, Failure> {
    let value = |name: &str| Ok((name.to_owned(), i64::from(cx.constant(name)?)));
    tuning.constants.iter().map(|(name, _)| value(name)).collect()
}

/// Checks every case except the report's, then times the large case.
fn attempt(
    best: &Best,
    tuning: &Tuning,
    cx: &mut Context<'_>,
    setting: &Setting,
) -> Result<Outcome, Failure> {
    let defines: Vec<(&str, i64)> = setting.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let small = |case: &Case| !case.is_report && tuning.concerns(case);
    for case in &best.exercise.cases().into_iter().filter(small).collect::<Vec<_>>() {
        let measured =
            cx.with_options(LaunchOptions::default()).measure(&defines, |cx| best.exercise.run(cx, case));
        if let Err(failure) = measured {
            return Ok(unusable(failure, &case.label));
        }
    }
    match timed(best, &tuning.case, cx, &defines) {
        Ok(tally) => Ok(Outcome::Measured { seconds: measured(&tally)?, confidence: tally.confidence }),
        Err(failure) => Ok(unusable(failure, &tuning.case.label)),
    }
}

fn timed(best: &Best, case: &Case, cx: &mut Context<'_>, defines: &[(&str, i64)]) -> Result<Tally, Failure> {
    let options = LaunchOptions { timed: true, ..LaunchOptions::default() };
    Ok(cx.with_options(options).measure(defines, |cx| best.exercise.run(cx, case))?.1)
}

fn measured(tally: &Tally) -> Result<f64, Failure> {
    tally.measured.ok_or_else(|| {
        Failure::Other(
            "this device does not measure times: constants are chosen by measurement, not by a model".into(),
        )
    })
}

fn unusable(failure: Failure, case: &str) -> Outcome {
    let first = |messages: &device::Messages| {
        let error = messages.diagnostics.iter().find(|d| d.severity == source::Severity::Error);
        error.map_or_else(|| "refused".to_owned(), |d| d.title.clone())
    };
    match &failure {
        Failure::Device(DeviceError::Compile(messages)) => Outcome::Refused(first(messages)),
        Failure::Device(DeviceError::Launch { messages, .. }) => {
            let too_large = messages.diagnostics.iter().any(|d| d.code == Code::BlockTooLarge);
            let why = format!("{case}: {}", first(messages));
            if too_large { Outcome::Refused(why) } else { Outcome::Wrong(why) }
        }
        Failure::Device(DeviceError::OutOfMemory { .. }) => Outcome::Refused(failure.to_string()),
        Failure::Device(DeviceError::Use(_)) | Failure::Wrong(_) | Failure::Other(_) => {
            Outcome::Wrong(format!("{case}: {failure}"))
        }
    }
}

/// The fastest combination, if it is faster than the default by more than both error bars.
fn choose(trials: &[Trial]) -> Option<Setting> {
    let time = |trial: &Trial| match trial.outcome {
        Outcome::Measured { seconds, confidence } => Some((seconds, confidence)),
        Outcome::Refused(_) | Outcome::Wrong(_) => None,
    };
    let (default, unsure) = trials.iter().find(|t| t.is_default).and_then(time)?;
    let timed = trials.iter().filter_map(|t| Some((t, time(t)?)));
    let (fastest, (seconds, confidence)) = timed.min_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    (seconds + confidence + unsure < default).then(|| fastest.setting.clone())
}

/// Times the best kernel at the cases of its tunings.
///
/// # Errors
/// Says that the device does not measure, that a result is wrong, or what the device refuses.
pub fn large_runs(
    best: &Best,
    file: &KernelFile,
    device: &mut dyn Device,
    options: &Options,
) -> Result<Vec<LargeRun>, Failure> {
    let mut cx = Context::new(device, file.clone(), &*best.exercise, options)?;
    let mut runs: Vec<LargeRun> = Vec::new();
    for Tuning { case, .. } in &best.tunings {
        // Several groups may use the same case; time it once.
        if runs.iter().any(|run| run.case == *case) {
            continue;
        }
        let tally = timed(best, case, &mut cx, &[])?;
        let seconds = measured(&tally)?;
        runs.push(LargeRun {
            case: case.clone(),
            seconds,
            spread: tally.spread,
            gflops: best.exercise.flops(case) / seconds * 1e-9,
            gbps: best.exercise.bytes(case) / seconds * 1e-9,
        });
    }
    Ok(runs)
}
