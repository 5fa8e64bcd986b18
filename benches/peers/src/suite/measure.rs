//! The measuring of the suite. Contestants of a spelling take turns, one repetition each per round; the others wait for input.

use super::manifest::{Manifest, Row};
use super::record::{Mode, SuiteEntry, SuiteRecord, Timed};
use super::reference::{Inputs, reference};
use super::values::{Element, Tolerance, Values, split};
use crate::contestants::{NO_POCL, POCL, Start, kept};
use crate::measure::launches;
use crate::opencl;
use crate::record::{Outcome, cores};
use crate::session::Session;
use anyhow::{Context, bail};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// All spellings of all rows: one after the other where times count, and otherwise one per core at once.
pub(crate) fn all(plan: &Plan<'_>, manifest: &Manifest, record: &mut SuiteRecord) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let pocl = opencl::is_installed(opencl::POCL_PLATFORM);
    let measured = Mutex::new(record);
    let next = Mutex::new(plan.rows.iter());
    let work = || -> anyhow::Result<()> {
        loop {
            let Some(row) = locked(&next).next() else { return Ok(()) };
            let inputs = Inputs::new(row, plan.tiny)?;
            let expected =
                row.reference.as_ref().map(|name| anyhow::Ok(reference(name)?(&inputs))).transpose()?;
            for spelling in 0..row.spellings.len() {
                let case = Case { plan, manifest, row, spelling, folder: folder.path(), pocl };
                let (entry, versions) = case.measure(expected.clone())?;
                eprintln!("{}", super::table::progress(&entry));
                let mut record = locked(&measured);
                record.suite.push(entry);
                record.setting.versions.extend(versions);
            }
        }
    };
    let workers = if plan.repetitions == 0 { cores() } else { 1 };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        // A panic of a worker is one of this thread.
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    let place = |entry: &SuiteEntry| plan.rows.iter().position(|row| row.name == entry.kernel);
    locked(&measured).suite.sort_by_key(place);
    Ok(())
}

/// What a lock holds; a panic elsewhere ends the program anyhow.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A spelling of a row.
struct Case<'p> {
    plan: &'p Plan<'p>,
    manifest: &'p Manifest,
    row: &'p Row,
    spelling: usize,
    /// For results and messages.
    folder: &'p Path,
    /// Whether there is PoCL.
    pocl: bool,
}

impl Case<'_> {
    /// All contestants, and the versions that they say, by tool. Without expected values, the first result is what the others are
    /// compared with.
    fn measure(
        &self,
        mut expected: Option<Vec<Values>>,
    ) -> anyhow::Result<(SuiteEntry, Vec<(String, String)>)> {
        let threads = self.plan.threads;
        let check = Check { arrays: self.row.results(self.plan.tiny)?, tolerance: self.row.tolerance() };
        let peer = if self.pocl {
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
        let version = |(runner, tool): (&Runner, &str)| match &runner.session {
            Ok(Some(session)) => Some((tool.to_owned(), session.version.clone())),
            Ok(None) | Err(_) => None,
        };
        let versions = runners.iter().zip([POCL, "warplab"]).filter_map(version).collect();
        let mut outcomes = runners.into_iter().map(Runner::outcome);
        let mut next = || outcomes.next().context("a contestant is missing");
        let (pocl, full, fast) = (next()?, next()?, next()?);
        let (kernel, title) = (self.row.name.clone(), self.row.title.clone());
        let spelling = self.row.spellings[self.spelling].function.clone();
        Ok((SuiteEntry { kernel, title, spelling, full, fast, pocl }, versions))
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
        let Case { row, spelling, .. } = case;
        let name = format!("{}-{spelling}-{}", row.name, name.replace(':', "-"));
        let file = |ending: &str| case.folder.join(format!("{name}.{ending}"));
        let (out, log) = (file("out"), file("log"));
        let mut command = start.command();
        if case.plan.tiny {
            command.arg("--tiny");
        }
        command.arg(case.manifest.folder()).arg(&row.name).arg(spelling.to_string()).arg(&out);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_reference_the_first_result_is_expected_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let tolerance = Tolerance { ulps: 0, absolute: 0.0, differing: 0.0 };
        let check = Check { arrays: vec![(Element::I32, 2)], tolerance };
        let mut expected = None;
        let mut compare = |values: Vec<i32>| {
            let out = folder.path().join("out");
            std::fs::write(&out, Values::from(values).to_bytes()).unwrap();
            check.compare(&out, &mut expected).map_err(|error| error.to_string())
        };
        assert_eq!(compare(vec![1, 2]), Ok(()));
        assert_eq!(compare(vec![1, 2]), Ok(()));
        let wrong = "the result is wrong: array 0: element 1 is 3, expected 2; 1 of 2 differ";
        assert_eq!(compare(vec![1, 3]), Err(wrong.into()));
        assert_eq!(compare(vec![1]), Err("the result is too short".into()));
    }
}
