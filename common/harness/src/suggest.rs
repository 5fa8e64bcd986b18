//! Tries what the first message of a report suggests, once verdict and score are final.
//!
//! Each changed text is compiled and runs the first case that failed, the smallest; one that comes through runs everything that is graded,
//! gates included. A suggestion is kept if the changed file passes all of it. Trials have an allowance of their own, which is the same on
//! every machine; a file that passes costs nothing.

use crate::grade::{Grading, Options, failed_case, is_at_limit};
use crate::reference::References;
use crate::{Case, Context, Exercise, Failure, Lab, Message, Status};
use device::{Allowance, Device, DeviceError, KernelFile, LaunchOptions, Messages, Trial, try_suggestions};
use source::{Severity, Tried, Verdict};

/// What all trials of one file may cost together, in the units of [`crate::INSTRUCTIONS`].
const TRIALS: u64 = 250_000_000;

/// What changed files are graded by.
pub(crate) struct Trials<'a> {
    pub(crate) lab: &'a Lab,
    pub(crate) exercise: &'a dyn Exercise,
    pub(crate) references: &'a dyn References,
    pub(crate) options: &'a Options,
}

impl Trials<'_> {
    /// The message of a report with the suggestion that mends it, and its place among the messages; nothing if none is known.
    pub(crate) fn mended(
        &self,
        grading: &Grading<'_>,
        device: &mut dyn Device,
        file: &KernelFile,
    ) -> Option<(usize, Message)> {
        let report = &grading.report;
        let is_first = |m: &&Message| {
            let diagnostic = &m.origin.diagnostic;
            diagnostic.severity == Severity::Error && diagnostic.verdict == Verdict::Program
        };
        let first = report.diagnostics.iter().find(is_first)?;
        let at = report.diagnostics.iter().position(|m| std::ptr::eq(m, first))?;
        let mut allowance = Allowance::new(TRIALS);
        let case = failed_case(report).and_then(|name| grading.cases.iter().find(|case| case.label == name));
        // With proposals, which launches of the grading did not ask for.
        let told = match case {
            Some(case) => match self.run(device, file, case, &mut allowance) {
                Trial::Failed(messages) => messages,
                Trial::Ran(..) | Trial::Wrong | Trial::Spent => return None,
            },
            None => vec![Messages {
                sources: first.origin.sources.clone(),
                diagnostics: report.diagnostics.iter().map(|m| m.origin.diagnostic.clone()).collect(),
            }],
        };
        let same = |d: &&source::Diagnostic| {
            d.code == first.origin.diagnostic.code && d.span() == first.origin.diagnostic.span()
        };
        let (sources, diagnostic) =
            told.iter().find_map(|m| Some((&m.sources, m.diagnostics.iter().find(same)?)))?;
        let mut attempt = |file: &KernelFile| match case {
            Some(case) => match self.run(device, file, case, &mut allowance) {
                Trial::Ran(..) => self.grade(device, file, &mut allowance),
                other => other,
            },
            None => self.compile(device, file),
        };
        let own = Messages { sources: sources.clone(), diagnostics: report_codes(report) };
        let all = [told.as_slice(), &[own]].concat();
        let suggestion = try_suggestions(file, (sources, diagnostic), &all, &mut attempt)?;
        let mut diagnostic = first.origin.diagnostic.clone();
        diagnostic.suggestions = vec![suggestion];
        let run = first.json["run"] == true;
        Some((at, Message::new(&first.origin.sources, &diagnostic, run)))
    }

    /// Whether a changed file compiles.
    fn compile(&self, device: &mut dyn Device, file: &KernelFile) -> Trial {
        match Context::new(device, file.clone(), self.exercise, self.options) {
            Ok(cx) => Trial::Ran(Tried::Compiled, vec![cx.program().warnings.clone()]),
            Err(DeviceError::Compile(messages)) => Trial::Failed(vec![messages]),
            Err(_) => Trial::Spent,
        }
    }

    /// One case, in two orders of a block's warps.
    fn run(
        &self,
        device: &mut dyn Device,
        file: &KernelFile,
        case: &Case,
        allowance: &mut Allowance,
    ) -> Trial {
        let mut cx = match Context::new(device, file.clone(), self.exercise, self.options) {
            Ok(cx) => cx,
            Err(DeviceError::Compile(messages)) => return Trial::Failed(vec![messages]),
            Err(_) => return Trial::Spent,
        };
        for schedule in 0..2 {
            let options = LaunchOptions {
                suggest: true,
                allowance: Some(*allowance),
                schedule,
                ..LaunchOptions::default()
            };
            let result = cx.reset().and_then(|()| self.exercise.run(cx.with_options(options), case));
            allowance.left = cx.options().allowance.map_or(0, |a| a.left);
            match result {
                Ok(_) => {}
                Err(failure) if is_at_limit(&failure) => return Trial::Spent,
                Err(Failure::Device(DeviceError::Launch { messages, .. })) => {
                    return Trial::Failed(vec![messages]);
                }
                Err(_) => return Trial::Wrong,
            }
        }
        let mut said = vec![cx.program().warnings.clone()];
        said.extend(cx.tally().warnings.iter().cloned());
        Trial::Ran(Tried::Right, said)
    }

    /// All cases and gates.
    fn grade(&self, device: &mut dyn Device, file: &KernelFile, allowance: &mut Allowance) -> Trial {
        let options = Options {
            extras: false,
            recording: false,
            suggestions: false,
            instructions: allowance.left,
            ..self.options.clone()
        };
        let mut grading = Grading::new(self.lab, self.exercise, &file.name, device, &options);
        allowance.left = grading.run(self.lab, Ok(file.clone()), self.references, device, &options);
        let report = &grading.report;
        let said = Messages {
            sources: report.diagnostics.first().map(|m| m.origin.sources.clone()).unwrap_or_default(),
            diagnostics: report_codes(report),
        };
        let passed = report.checks.iter().all(|check| check.status != Status::Failed);
        let complete = report.checks.iter().all(|check| !check.is_case() || check.status == Status::Passed);
        if passed && complete { Trial::Ran(Tried::Right, vec![said]) } else { Trial::Wrong }
    }
}

fn report_codes(report: &crate::ExerciseReport) -> Vec<source::Diagnostic> {
    report.diagnostics.iter().map(|m| m.origin.diagnostic.clone()).collect()
}
