//! The measuring of the suite. All contestants with all spellings of a kernel take turns, one repetition each per round, so that a
//! machine that becomes slower does so for all; the others wait for input.

use super::manifest::{Manifest, Row, Spelling};
use super::record::{Mode, SuiteEntry, SuiteRecord, Timed};
use super::reference::{Inputs, reference};
use super::values::{Element, Tolerance, Values, split};
use crate::contestants::{NO_POCL, POCL, Start, kept};
use crate::measure::launches;
use crate::opencl;
use crate::record::{Outcome, cores};
use crate::session::Session;
use anyhow::bail;
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

/// All rows: one after the other where times count, and otherwise one per core at once.
pub(crate) fn all(plan: &Plan<'_>, manifest: &Manifest, record: &mut SuiteRecord) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let pocl = opencl::is_installed(opencl::POCL_PLATFORM);
    let measured = Mutex::new(record);
    let next = Mutex::new(plan.rows.iter());
    let work = || -> anyhow::Result<()> {
        loop {
            let Some(row) = locked(&next).next() else { return Ok(()) };
            let case = Case { plan, manifest, row, folder: folder.path(), pocl };
            let (entries, versions) = case.measure()?;
            entries.iter().for_each(|entry| eprintln!("{}", super::table::progress(entry)));
            let mut record = locked(&measured);
            record.suite.extend(entries);
            record.setting.versions.extend(versions);
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

/// Versions by tool, as the contestants say them.
type Versions = Vec<(String, String)>;

/// A row to measure.
struct Case<'p> {
    plan: &'p Plan<'p>,
    manifest: &'p Manifest,
    row: &'p Row,
    /// For results and messages.
    folder: &'p Path,
    /// Whether there is PoCL.
    pocl: bool,
}

/// The contestants with a spelling.
struct Runners {
    pocl: Runner,
    full: Runner,
    fast: Runner,
}

impl Case<'_> {
    /// All spellings, and the contestants' versions.
    fn measure(&self) -> anyhow::Result<(Vec<SuiteEntry>, Versions)> {
        let mut check = Check {
            arrays: self.row.results(self.plan.tiny)?,
            tolerance: self.row.tolerance(),
            expected: None,
        };
        if let Some(name) = &self.row.reference {
            check.expected = Some(reference(name)?(&Inputs::new(self.row, self.plan.tiny)?));
        }
        let mut all = Vec::new();
        for spelling in 0..self.row.spellings.len() {
            all.push(self.runners(spelling, &mut check)?);
        }
        for _ in 0..self.plan.repetitions {
            for Runners { pocl, full, fast } in &mut all {
                [pocl, full, fast].into_iter().for_each(Runner::repeat);
            }
        }
        let versions = all.iter().flat_map(|runners| [(POCL, &runners.pocl), ("warplab", &runners.full)]);
        let version = |(tool, runner): (&str, &Runner)| match &runner.session {
            Ok(Some(session)) => Some((tool.to_owned(), session.version.clone())),
            Ok(None) | Err(_) => None,
        };
        let versions = versions.filter_map(version).collect();
        let entry = |(runners, spelling): (Runners, &Spelling)| SuiteEntry {
            kernel: self.row.name.clone(),
            title: self.row.title.clone(),
            spelling: spelling.function.clone(),
            full: runners.full.outcome(),
            fast: runners.fast.outcome(),
            pocl: runners.pocl.outcome(),
        };
        Ok((all.into_iter().zip(&self.row.spellings).map(entry).collect(), versions))
    }

    /// Starts all contestants with a spelling.
    fn runners(&self, spelling: usize, check: &mut Check) -> anyhow::Result<Runners> {
        let threads = self.plan.threads;
        let pocl = if self.pocl {
            let start = Start::pocl(WORKER, threads, &kept().join("pocl"))?;
            Runner::start(self, spelling, &start, POCL, check)
        } else {
            Runner::missing(NO_POCL)
        };
        let mut ours = |mode: Mode| {
            let start = Start::ours(WORKER, mode.id(), threads)?;
            anyhow::Ok(Runner::start(self, spelling, &start, &mode.contestant(), check))
        };
        Ok(Runners { pocl, full: ours(Mode::Full)?, fast: ours(Mode::Fast)? })
    }
}

/// How results are compared.
struct Check {
    /// Types and lengths of what is written.
    arrays: Vec<(Element, usize)>,
    tolerance: Tolerance,
    /// What should be written; without a reference, what the first contestant has written.
    expected: Option<Vec<Values>>,
}

impl Check {
    /// Compares a result with what is expected, or keeps it as that.
    ///
    /// # Errors
    /// Where it differs.
    fn compare(&mut self, out: &Path) -> anyhow::Result<()> {
        let found = split(&std::fs::read(out)?, &self.arrays)?;
        let Some(expected) = &self.expected else {
            self.expected = Some(found);
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
        let timed = Timed { launches: 1, seconds: Vec::new(), memory: None, proved: None };
        Runner { missing: how.into(), session: Ok(None), timed }
    }

    /// Starts a process, compares its result, and finds out how many launches a repetition has.
    fn start(case: &Case<'_>, spelling: usize, start: &Start, name: &str, check: &mut Check) -> Runner {
        let mut runner = Runner::missing("");
        runner.session = Runner::session(case, spelling, start, name).and_then(|(mut session, out)| {
            check.compare(&out)?;
            runner.timed.memory = session.memory;
            runner.timed.proved = session.proved;
            if case.plan.repetitions > 0 {
                // The second launch still warms up: what is kept from launch to launch is there from now on.
                session.time(1)?;
                runner.timed.launches = launches(session.time(1)?);
            }
            Ok(Some(session))
        });
        runner
    }

    fn session(
        case: &Case<'_>,
        spelling: usize,
        start: &Start,
        name: &str,
    ) -> anyhow::Result<(Session, PathBuf)> {
        let row = case.row;
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
        let mut check = Check { arrays: vec![(Element::I32, 2)], tolerance, expected: None };
        let mut compare = |values: Vec<i32>| {
            let out = folder.path().join("out");
            std::fs::write(&out, Values::from(values).to_bytes()).unwrap();
            check.compare(&out).map_err(|error| error.to_string())
        };
        assert_eq!(compare(vec![1, 2]), Ok(()));
        assert_eq!(compare(vec![1, 2]), Ok(()));
        let wrong = "the result is wrong: array 0: element 1 is 3, expected 2; 1 of 2 differ";
        assert_eq!(compare(vec![1, 3]), Err(wrong.into()));
        assert_eq!(compare(vec![1]), Err("the result is too short".into()));
    }
}
