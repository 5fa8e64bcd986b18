//! The measuring of the suite. Contestants of a spelling take turns, one repetition each per round; the others wait for input.

use super::manifest::{Manifest, Row};
use super::record::{Mode, SuiteEntry, SuiteRecord, Timed};
use super::reference::{Inputs, reference};
use super::values::{Element, Tolerance, Values, split};
use crate::contestants::{NO_POCL, POCL, Start, kept};
use crate::measure::launches;
use crate::opencl;
use crate::record::Outcome;
use crate::session::Session;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// What commands call a contestant's process.
const WORKER: &str = "suite-worker";

/// What to measure.
pub(crate) struct Plan<'m> {
    pub(crate) rows: Vec<&'m Row>,
    /// Repetitions of each contestant; with none, results are compared and nothing is timed.
    pub(crate) repetitions: usize,
    /// Worker threads.
    pub(crate) threads: usize,
    /// The small sizes.
    pub(crate) tiny: bool,
}

/// All spellings of all rows.
pub(crate) fn all(plan: &Plan<'_>, manifest: &Manifest, record: &mut SuiteRecord) -> anyhow::Result<()> {
    let pocl = opencl::is_installed(opencl::POCL_PLATFORM);
    let folder = tempfile::tempdir()?;
    for row in &plan.rows {
        let inputs = Inputs::new(row, plan.tiny)?;
        let expected =
            row.reference.as_ref().map(|name| anyhow::Ok(reference(name)?(&inputs))).transpose()?;
        for spelling in 0..row.spellings.len() {
            let case = Case { plan, manifest, row, spelling, folder: folder.path() };
            let entry = case.measure(expected.clone(), pocl, record)?;
            eprintln!("{}", super::table::progress(&entry));
            record.suite.push(entry);
        }
    }
    Ok(())
}

/// A spelling of a row.
struct Case<'p> {
    plan: &'p Plan<'p>,
    manifest: &'p Manifest,
    row: &'p Row,
    spelling: usize,
    /// For results and messages.
    folder: &'p Path,
}

impl Case<'_> {
    /// All contestants. Without expected values, the first that has some says what the others are compared with.
    fn measure(
        &self,
        mut expected: Option<Vec<Values>>,
        pocl: bool,
        record: &mut SuiteRecord,
    ) -> anyhow::Result<SuiteEntry> {
        let threads = self.plan.threads;
        let check = Check { arrays: self.row.results(self.plan.tiny)?, tolerance: self.row.tolerance() };
        let peer = if pocl {
            let start = Start::pocl(WORKER, threads, &kept().join("pocl"))?;
            Runner::start(self, &start, POCL, &check, &mut expected)
        } else {
            Runner::missing(NO_POCL)
        };
        let mut runners = vec![peer];
        for mode in Mode::ALL {
            let start = Start::ours(WORKER, mode.id(), threads)?;
            runners.push(Runner::start(self, &start, &mode.contestant(), &check, &mut expected));
        }
        for _ in 0..self.plan.repetitions {
            runners.iter_mut().for_each(Runner::repeat);
        }
        for (runner, tool) in runners.iter().zip([POCL, "warplab"]) {
            if let Ok(Some(session)) = &runner.session {
                record.setting.versions.insert(tool.into(), session.version.clone());
            }
        }
        let mut outcomes = runners.into_iter().map(Runner::outcome);
        let mut next = || outcomes.next().context("a contestant is missing");
        let (pocl, full, fast) = (next()?, next()?, next()?);
        let (kernel, title) = (self.row.name.clone(), self.row.title.clone());
        let spelling = self.row.spellings[self.spelling].function.clone();
        Ok(SuiteEntry { kernel, title, spelling, full, fast, pocl })
    }
}

/// How results are compared.
struct Check {
    /// Types and lengths of what is written.
    arrays: Vec<(Element, usize)>,
    tolerance: Tolerance,
}

impl Check {
    /// Where a result differs, if it does; the first result of all is kept as the one expected.
    fn compare(&self, out: &Path, expected: &mut Option<Vec<Values>>) -> anyhow::Result<()> {
        let found = split(&std::fs::read(out)?, &self.arrays)?;
        let Some(expected) = expected else {
            *expected = Some(found);
            return Ok(());
        };
        for (index, (expected, found)) in expected.iter().zip(&found).enumerate() {
            if let Some(wrong) = self.tolerance.difference(expected, found) {
                bail!("the result is wrong: array {index}: {wrong}");
            }
        }
        Ok(())
    }
}

/// A contestant at work.
struct Runner {
    missing: String,
    session: anyhow::Result<Option<Session>>,
    timed: Timed,
}

impl Runner {
    fn missing(how: &str) -> Runner {
        let timed = Timed { launches: 1, seconds: Vec::new(), memory: None };
        Runner { missing: how.into(), session: Ok(None), timed }
    }

    /// Starts a process, compares its result, and finds out how many launches a repetition has.
    fn start(
        case: &Case<'_>,
        start: &Start,
        name: &str,
        check: &Check,
        expected: &mut Option<Vec<Values>>,
    ) -> Runner {
        let mut runner = Runner::missing("");
        runner.session = Runner::session(case, start, name).and_then(|(mut session, out)| {
            check.compare(&out, expected)?;
            runner.timed.memory = session.memory;
            if case.plan.repetitions > 0 {
                // The second launch still warms up: what is kept from launch to launch is there from now on.
                session.time(1)?;
                runner.timed.launches = launches(session.time(1)?);
            }
            Ok(Some(session))
        });
        runner
    }

    fn session(case: &Case<'_>, start: &Start, name: &str) -> anyhow::Result<(Session, PathBuf)> {
        let file = |ending: &str| case.folder.join(format!("{}.{ending}", name.replace(':', "-")));
        let (out, log) = (file("out"), file("log"));
        let mut command = start.command();
        if case.plan.tiny {
            command.arg("--tiny");
        }
        command.arg(case.manifest.folder()).arg(&case.row.name).arg(case.spelling.to_string()).arg(&out);
        Ok((Session::open(command, log)?, out))
    }

    fn repeat(&mut self) {
        let Ok(Some(session)) = &mut self.session else { return };
        match session.time(self.timed.launches) {
            Ok(seconds) => self.timed.seconds.push(seconds / f64::from(self.timed.launches)),
            Err(error) => self.session = Err(error),
        }
    }

    fn outcome(self) -> Outcome<Timed> {
        match self.session {
            Ok(Some(_)) => Outcome::Measured(self.timed),
            Ok(None) => Outcome::Missing(self.missing),
            Err(error) => Outcome::Failed(format!("{error:#}")),
        }
    }
}
