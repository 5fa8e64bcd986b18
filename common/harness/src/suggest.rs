//! Tries the suggestions of a report's first error, once verdict and score are final.
//!
//! Each changed text is compiled and runs the smallest failed case. If it passes, it runs everything that is graded,
//! including gates. A suggestion is kept only if the changed file passes everything. Trials have their own budget,
//! which is equal on every machine; a file that passes needs no trials.

use crate::grade::{Grading, Options, case_budget, failed_case, is_at_limit};
use crate::reference::References;
use crate::result::Origin;
use crate::{Case, Context, Exercise, Failure, Lab, Message, Status};
use device::{
    Allowance, Device, DeviceError, KernelFile, LaunchOptions, Messages, Remedy, Trial, try_corrections,
    try_suggestions,
};
use source::{Diagnostic, Severity, Tried, Verdict};

/// Budget of all trials of one file, in the units of [`crate::INSTRUCTIONS`].
const TRIALS: u64 = 250_000_000;

/// How to grade changed files.
pub(crate) struct Trials<'a> {
    pub(crate) lab: &'a Lab,
    pub(crate) exercise: &'a dyn Exercise,
    pub(crate) references: &'a dyn References,
    pub(crate) options: &'a Options,
}

impl Trials<'_> {
    /// The report's messages that now have a tried suggestion, each with its index among the messages.
    pub(crate) fn mended(
        &self,
        grading: &Grading<'_>,
        device: &mut dyn Device,
        file: &KernelFile,
    ) -> Vec<(usize, Message)> {
        let report = &grading.report;
        let compiles = report.check("compiles").is_some_and(|check| check.status == Status::Passed);
        let found: Vec<_> = match compiles {
            true => self.mended_run(grading, device, file).into_iter().collect(),
            false => {
                let tried =
                    try_corrections(file, &report_codes(report), &mut |file| self.compile(device, file));
                tried.into_iter().map(|(at, suggestion)| (at, Remedy::Edit(suggestion))).collect()
            }
        };
        let shown = |(at, remedy): (usize, Remedy)| {
            let message = &report.diagnostics[at];
            let Origin { sources, diagnostic } = &message.origin;
            let mut diagnostic = Diagnostic { suggestions: Vec::new(), ..diagnostic.clone() };
            remedy.put_into(&mut diagnostic);
            (at, Message::new(sources, &diagnostic, message.json.run == Some(true)))
        };
        found.into_iter().map(shown).collect()
    }

    /// For a file that compiles but fails a case: finds what helps with the first error, or else with the first warning
    /// that has suggestions. A suggested edit is one with which the file passes everything that is graded. Returns it
    /// with the index of its message.
    fn mended_run(
        &self,
        grading: &Grading<'_>,
        device: &mut dyn Device,
        file: &KernelFile,
    ) -> Option<(usize, Remedy)> {
        let report = &grading.report;
        let of = |m: &&Message, severity| {
            let diagnostic = &m.origin.diagnostic;
            diagnostic.severity == severity && diagnostic.verdict == Verdict::Program
        };
        let case = failed_case(report).and_then(|name| grading.cases.iter().find(|case| case.label == name));
        // A warning may explain a wrong result.
        let explains = |m: &&Message| {
            case.is_some() && of(m, Severity::Warning) && !m.origin.diagnostic.suggestions.is_empty()
        };
        let first = report.diagnostics.iter().find(|m| of(m, Severity::Error));
        let first = first.or_else(|| report.diagnostics.iter().find(explains))?;
        let at = report.diagnostics.iter().position(|m| std::ptr::eq(m, first))?;
        let mut allowance = Allowance::new(TRIALS);
        // Launch again with suggestions, which the launches of the grading did not request.
        let case = case?;
        let told = match first.json.run == Some(true) {
            true => match self.run(device, file, case, &mut allowance) {
                Trial::Failed(messages) => messages,
                Trial::Ran(..) | Trial::Wrong | Trial::Spent => return None,
            },
            false => {
                vec![Messages { sources: first.origin.sources.clone(), diagnostics: report_codes(report) }]
            }
        };
        let same = |d: &&Diagnostic| {
            d.code == first.origin.diagnostic.code && d.span() == first.origin.diagnostic.span()
        };
        let (sources, diagnostic) =
            told.iter().find_map(|m| Some((&m.sources, m.diagnostics.iter().find(same)?)))?;
        let mut attempt = |file: &KernelFile| match self.run(device, file, case, &mut allowance) {
            Trial::Ran(..) => self.grade(device, file, &mut allowance),
            other => other,
        };
        let own = Messages { sources: sources.clone(), diagnostics: report_codes(report) };
        let all = [told.as_slice(), &[own]].concat();
        Some((at, try_suggestions(file, (sources, diagnostic), &all, &mut attempt)?))
    }

    /// The diagnostics of a changed file.
    fn compile(&self, device: &mut dyn Device, file: &KernelFile) -> Option<Vec<Diagnostic>> {
        match Context::new(device, file.clone(), self.exercise, self.options) {
            Ok(_) => Some(Vec::new()),
            Err(DeviceError::Compile(messages)) => Some(messages.diagnostics),
            Err(_) => None,
        }
    }

    /// Runs one case in two orders of a block's warps.
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
            let part = allowance.part(case_budget(self.exercise, case));
            let options =
                LaunchOptions { suggest: true, allowance: Some(part), schedule, ..LaunchOptions::default() };
            let result = cx.reset().and_then(|()| self.exercise.run(cx.with_options(options), case));
            *allowance = allowance.without(cx.options().allowance.unwrap_or(part));
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

    /// Grades all cases and gates.
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

fn report_codes(report: &crate::ExerciseReport) -> Vec<Diagnostic> {
    report.diagnostics.iter().map(|m| m.origin.diagnostic.clone()).collect()
}
