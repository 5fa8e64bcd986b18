//! A long run: workers one after the other, and for what they find a file each, made as small as it gets.

use crate::coverage::Coverage;
use crate::limits::{End, Limits, Process};
use crate::minimise::{Minimise, minimise};
use crate::worker::{INPUT, PROGRESS, hash};
use crate::{Finding, Target};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What a long run is asked to do.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// How long it runs; `None` for as many cases as asked for.
    pub time: Option<Duration>,
    /// How many cases each job runs at most.
    pub cases: u64,
    /// The seed; each job has its own cases of it.
    pub seed: u64,
    /// Worker processes at one time.
    pub jobs: u64,
    /// Where inputs that reach new code are kept.
    pub corpus: Option<PathBuf>,
    /// Where findings are written.
    pub findings: PathBuf,
    /// How long one case may take.
    pub case_time: Duration,
    /// How long is spent on making what was found smaller.
    pub minimise_time: Duration,
}

/// Most cases per worker process. Workers are restarted so that a leak is not a finding.
const CASES_OF_A_WORKER: u64 = 50_000;

/// Inputs that are kept of one signature where it says little: any two hangs have the same.
const ALIKE: u64 = 5;

/// Runs workers and says on standard error what they do; gives the signatures of what was found, and how often.
///
/// # Errors
/// If a process or a file cannot be made.
pub fn run(target: &dyn Target, campaign: &Campaign) -> std::io::Result<BTreeMap<String, u64>> {
    std::fs::create_dir_all(&campaign.findings)?;
    if !Coverage::is_available() {
        eprintln!(
            "without counters of coverage, so that each case is as good as another; `.ci/fuzz` builds with them"
        );
    }
    let known = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..campaign.jobs)
            .map(|job| {
                scope.spawn({
                    let known = &known;
                    move || Job { target, campaign, known, job }.run()
                })
            })
            .collect();
        jobs.into_iter().try_for_each(|job| job.join().unwrap_or(Ok(())))
    })?;
    Ok(known.into_inner().unwrap_or_default())
}

struct Job<'c> {
    target: &'c dyn Target,
    campaign: &'c Campaign,
    known: &'c Mutex<BTreeMap<String, u64>>,
    job: u64,
}

impl Job<'_> {
    fn run(&self) -> std::io::Result<()> {
        let Campaign { time, cases, seed, case_time, .. } = self.campaign;
        let folder = tempfile::tempdir()?;
        let begin = Instant::now();
        let limits = Limits { case: *case_time };
        let mut next = 0;
        while next < *cases && time.is_none_or(|time| begin.elapsed() < time) {
            let end = next.saturating_add(CASES_OF_A_WORKER).min(*cases);
            let seed = seed.wrapping_add(self.job << 32);
            let mut worker = Process::start(folder.path(), &self.arguments(folder.path(), seed, next, end))?;
            let mut shown = Instant::now();
            let ended = loop {
                match worker.poll(limits)? {
                    End::Running if time.is_some_and(|time| begin.elapsed() > time) => {
                        worker.stop()?;
                        return Ok(());
                    }
                    End::Running => std::thread::sleep(Duration::from_millis(20)),
                    ended => break ended,
                }
                if shown.elapsed() > Duration::from_secs(10) {
                    shown = Instant::now();
                    self.show(folder.path(), begin);
                }
            };
            match ended {
                End::Found(finding) => {
                    let case = progress(folder.path()).first().copied().unwrap_or(next);
                    self.found(&finding, &std::fs::read(folder.path().join(INPUT))?)?;
                    next = case.max(next) + 1;
                }
                End::Done | End::Running => next = end,
            }
        }
        Ok(())
    }

    fn arguments(&self, state: &Path, seed: u64, first: u64, end: u64) -> Vec<std::ffi::OsString> {
        let mut arguments: Vec<std::ffi::OsString> = vec!["worker".into(), self.target.name().into()];
        for (name, value) in [("--seed", seed), ("--first", first), ("--end", end)] {
            arguments.extend([name.into(), value.to_string().into()]);
        }
        arguments.extend(["--state".into(), state.into()]);
        if let Some(corpus) = &self.campaign.corpus {
            arguments.extend(["--corpus".into(), corpus.into()]);
        }
        arguments
    }

    fn show(&self, state: &Path, begin: Instant) {
        if let [case, inputs, edges] = progress(state)[..] {
            let findings = self.known.lock().map_or(0, |known| known.len());
            let seconds = begin.elapsed().as_secs();
            eprintln!(
                "{} job {}: {seconds} s, case {case}, {inputs} inputs, {edges} edges, {findings} findings",
                self.target.name(),
                self.job
            );
        }
    }

    /// Writes a finding that is new, and a smaller input for it.
    fn found(&self, finding: &Finding, input: &[u8]) -> std::io::Result<()> {
        let signature = finding.signature();
        let times = {
            let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let times = known.entry(signature.clone()).or_insert(0);
            *times += 1;
            *times
        };
        let says_little = matches!(finding.kind.as_str(), "hang" | "memory" | "crash");
        if times > if says_little { ALIKE } else { 1 } {
            return Ok(());
        }
        let told_by = if says_little { input } else { signature.as_bytes() };
        let kind = finding.kind.replace(' ', "-");
        let name = format!("{}-{kind}-{:08x}", self.target.name(), hash(told_by) as u32);
        let path = self.campaign.findings.join(name).with_extension(self.target.extension());
        eprintln!("{}: {signature}", path.display());
        if path.exists() {
            return Ok(());
        }
        std::fs::write(&path, input)?;
        std::fs::write(path.with_extension("message"), format!("{finding}\n"))?;
        let Campaign { case_time, minimise_time: time, .. } = *self.campaign;
        let how = Minimise { case_time, time };
        let smaller = minimise(self.target, input, &signature, &how)?;
        std::fs::write(&path, smaller)
    }
}

/// The numbers that a worker has written.
fn progress(state: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(state.join(PROGRESS)).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}
