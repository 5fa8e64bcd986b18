//! A launch by the IR's executable definition, [`simt_ref`], and how what it gives compares with what the machine gave.
//!
//! The definition runs in lockstep, which is the machine's own order, so even a program with a race must have the same outcome. It
//! has nothing to say about counters, or about what only the checks find. What it cannot run the same way is not compared, and
//! [`Comparisons`] counts why.

mod fault;
mod memory;
mod subject;
#[cfg(test)]
mod tests;
mod textures;

use crate::fault::{FaultKind, LaunchFailure};
use crate::launch::{LaunchOutcome, Options};
use crate::machine::memory::device::DeviceMemory;
use crate::machine::warp::print;
use simt_ir::{InstKind, Kernel, for_each_inst};
use simt_ref::{End, Host, Report, Schedule};
use std::collections::BTreeMap;
pub(crate) use subject::Subject;

/// Nodes that all threads of a launch may execute together before the definition gives up: a fraction of a second.
const MAX_STEPS: u64 = 2_000_000;
/// Bytes of global memory beyond which a launch is not compared: the definition keeps every byte by itself.
const MAX_BYTES: u64 = 64 << 20;

/// How many launches with [`Options::every_mode`] were compared with the IR's executable definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparisons {
    /// Launches that were compared.
    pub compared: u64,
    /// Launches that were not, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
}

/// What the definition says of a launch.
pub(crate) struct Reference<'a> {
    subject: Subject<'a>,
    report: Report,
    memory: simt_ref::Memory,
}

impl<'a> Subject<'a> {
    /// Runs the launch on memory as it was before.
    ///
    /// # Errors
    /// Why the definition has nothing to compare with.
    pub(crate) fn run(self, before: &DeviceMemory, options: &Options) -> Result<Reference<'a>, &'static str> {
        let kernel = &self.module.kernels[self.index];
        if options.schedule_seed != 0 {
            return Err("warps in another order than by index");
        }
        if before.used() > MAX_BYTES {
            return Err("much memory");
        }
        if reads_clock(kernel) {
            return Err("a clock, which counts the machine's own operations");
        }
        let launch = self.launch_of(options, MAX_STEPS, Schedule::Lockstep);
        let mut memory = memory::copy_of(before, self.symbols);
        let textures = textures::Textures(before);
        let host = Host { textures: Some(&textures), observer: None };
        let report = simt_ref::run(self.module, self.index, &launch, &mut memory, host)
            .map_err(|_| "a launch that the definition refuses")?;
        match &report.end {
            End::OutOfSteps => Err("too long, or without end"),
            End::Done | End::Fault(_) if report.sliced => Err("a warp's time slice ends"),
            End::Done | End::Fault(_) => Ok(Reference { subject: self, report, memory }),
        }
    }
}

fn reads_clock(kernel: &Kernel) -> bool {
    let mut found = false;
    for body in kernel.bodies() {
        for_each_inst(body, &mut |inst| found |= matches!(inst.kind, InstKind::Clock { .. }));
    }
    found
}

impl Reference<'_> {
    /// What the machine did otherwise, if it did: `after` is memory after the launch.
    pub(crate) fn differs(
        &self,
        outcome: &Result<LaunchOutcome, Box<LaunchFailure>>,
        after: &DeviceMemory,
        options: &Options,
    ) -> Option<String> {
        let subject = self.subject;
        match (&self.report.end, outcome) {
            (End::Fault(fault), Err(failure)) => fault::differs(subject, fault, &failure.fault),
            (End::Fault(fault), Ok(_)) => Some(format!("no fault, where there should be {fault:?}")),
            (_, Err(failure)) => Some(format!("{:?}, where there should be no fault", failure.fault)),
            (_, Ok(outcome)) => memory::differs(&self.memory, after)
                .or_else(|| self.prints_differ(outcome, options))
                .or_else(|| self.warnings_differ(outcome, options)),
        }
    }

    fn prints_differ(&self, outcome: &LaunchOutcome, options: &Options) -> Option<String> {
        let Subject { module, symbols, launch, .. } = self.subject;
        let mut printed: Vec<_> = self.report.printed.iter().collect();
        if launch.cooperative.is_none() {
            printed.sort_by_key(|line| line.block);
        }
        let mut text = String::new();
        for line in printed {
            let format = &module.strings[line.format.index()];
            print::format(&mut text, format, &line.args, &|pointer| {
                memory::string_literal(module, symbols, pointer)
            });
        }
        let same = match outcome.printed.len() < options.printed_bytes {
            true => text == outcome.printed,
            false => text.starts_with(&outcome.printed),
        };
        (!same).then(|| format!("it prints {:?} instead of {text:?}", outcome.printed))
    }

    /// Uses of variables without a value, which are what checks and definition both find.
    fn warnings_differ(&self, outcome: &LaunchOutcome, options: &Options) -> Option<String> {
        if !options.checks {
            return None;
        }
        let warned = outcome.warnings.iter().filter_map(|warning| match &warning.kind {
            FaultKind::NoValue { variable } => Some((warning.location?, &variable.name)),
            _ => None,
        });
        let mut found: Vec<_> = warned.collect();
        let used = self.report.no_value.iter().filter(|warning| !warning.kept);
        let mut expected: Vec<_> = used.map(|w| (w.location, &w.variable.name)).collect();
        found.sort_unstable();
        expected.sort_unstable();
        (found != expected).then(|| format!("it warns of {found:?} instead of {expected:?}"))
    }
}
