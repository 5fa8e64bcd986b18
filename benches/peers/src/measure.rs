//! The measuring: which problems, how often, in which order.
//!
//! Contestants of a case take turns, one repetition each per round, so that a machine that becomes slower does so for all. The others
//! wait for input and take no time.

use crate::contestants::{Contestant, Speed, Tools};
use crate::ours::{FAST, FULL};
use crate::problem::Kernel;
use crate::record::{Entry, Measured, Outcome, Point, PointTime, Record, Scaling, cores, median};
use crate::session::{Session, Stage};
use std::collections::BTreeMap;
use std::path::Path;

/// A problem that all solve.
#[derive(Clone, Copy)]
struct Case {
    kernel: Kernel,
    n: usize,
    /// The sizes for Oclgrind and for Python, whose rates depend little on it; `None` where the case before has them.
    small: Option<(usize, usize)>,
}

const CASES: [Case; 5] = [
    Case { kernel: Kernel::MatmulTiled, n: 256, small: Some((64, 32)) },
    Case { kernel: Kernel::MatmulTiled, n: 512, small: None },
    Case { kernel: Kernel::MatmulNaive, n: 256, small: Some((64, 32)) },
    Case { kernel: Kernel::Convolution, n: 1024, small: Some((128, 32)) },
    Case { kernel: Kernel::Transpose, n: 1024, small: Some((256, 64)) },
];

/// The smallest of everything, to see that it works.
const TINY: usize = 32;

/// The kernels whose cost is shown over the size.
const SCALED: [Kernel; 3] = [Kernel::MatmulTiled, Kernel::Convolution, Kernel::Transpose];
const SIZES: [usize; 7] = [64, 128, 256, 512, 1024, 2048, 4096];

/// Seconds that a launch may take; beyond, the size is left out.
pub(crate) const LONGEST: f64 = 60.0;

/// Seconds that a repetition takes at least.
const SAMPLE: f64 = 0.05;

/// What to measure.
pub(crate) struct Plan {
    /// Repetitions of each contestant.
    pub(crate) repetitions: usize,
    /// Worker threads.
    pub(crate) threads: usize,
    /// Small problems, once.
    pub(crate) tiny: bool,
    /// The kernels; all if empty.
    pub(crate) kernels: Vec<Kernel>,
}

impl Plan {
    fn is_asked(&self, kernel: Kernel) -> bool {
        self.kernels.is_empty() || self.kernels.contains(&kernel)
    }

    fn cases(&self) -> impl Iterator<Item = Case> {
        let tiny = |case: Case| Case { n: TINY, small: case.small.map(|_| (TINY, TINY)), ..case };
        CASES
            .into_iter()
            .filter(|case| self.is_asked(case.kernel))
            .filter(|case| !self.tiny || case.small.is_some())
            .map(move |case| if self.tiny { tiny(case) } else { case })
    }

    /// What takes long enough on one thread to be worth as many as there are.
    fn large(&self) -> Option<Case> {
        let kernel = Kernel::Transpose;
        (self.is_asked(kernel) && !self.tiny).then_some(Case {
            kernel,
            n: SIZES[SIZES.len() - 1],
            small: None,
        })
    }
}

/// Launches of a repetition, by what one takes.
pub(crate) fn launches(seconds: f64) -> u32 {
    (SAMPLE / seconds.max(1e-6)).ceil().clamp(1.0, 10_000.0) as u32
}

/// All contestants at all cases.
pub(crate) fn comparison(
    plan: &Plan,
    tools: &Tools,
    folder: &Path,
    record: &mut Record,
) -> anyhow::Result<()> {
    for case in plan.cases() {
        eprintln!("{} {}", case.kernel.title(), case.n);
        let all = tools.contestants(plan.threads);
        let mut stages = BTreeMap::new();
        let mut rows = Vec::new();
        for contestant in all {
            let n = match (contestant.speed, case.small) {
                (Speed::Full, _) => case.n,
                (Speed::Interpreted, Some((n, _))) | (Speed::Python, Some((_, n))) => n,
                (Speed::Interpreted | Speed::Python, None) => continue,
            };
            if let std::collections::btree_map::Entry::Vacant(place) = stages.entry(n) {
                place.insert(Stage::new(folder, case.kernel, n)?);
            }
            rows.push(Row::start(contestant, n, &stages[&n]));
        }
        for _ in 0..plan.repetitions {
            rows.iter_mut().for_each(Row::repeat);
        }
        for row in rows {
            if let Ok(Some(session)) = &row.session {
                record.setting.versions.insert(row.tool.into(), session.version.clone());
            }
            record.comparison.push(Entry {
                kernel: case.kernel,
                case: case.n,
                contestant: row.id.clone(),
                outcome: row.outcome(),
            });
        }
    }
    Ok(())
}

/// A contestant at work: its process, or none if it is missing, or what went wrong.
struct Row {
    id: String,
    tool: &'static str,
    missing: String,
    session: anyhow::Result<Option<Session>>,
    measured: Measured,
}

impl Row {
    fn start(contestant: Contestant, n: usize, stage: &Stage) -> Row {
        let Contestant { id, tool, start, .. } = contestant;
        let mut measured = Measured { n, launches: 1, seconds: Vec::new() };
        let (session, missing) = match start {
            Ok(start) => (Session::start(start.command(), &id, stage).map(Some), String::new()),
            Err(how) => (Ok(None), how),
        };
        let session = session.and_then(|mut session| {
            if let Some(session) = &mut session {
                measured.launches = launches(session.time(1)?);
            }
            Ok(session)
        });
        Row { id, tool, missing, session, measured }
    }

    fn repeat(&mut self) {
        let Ok(Some(session)) = &mut self.session else { return };
        match session.time(self.measured.launches) {
            Ok(seconds) => self.measured.seconds.push(seconds / f64::from(self.measured.launches)),
            Err(error) => self.session = Err(error),
        }
    }

    fn outcome(self) -> Outcome {
        match self.session {
            Ok(Some(_)) => Outcome::Measured(self.measured),
            Ok(None) => Outcome::Missing(self.missing),
            Err(error) => Outcome::Failed(format!("{error:#}")),
        }
    }
}

/// The simulator at growing sizes on all threads, and at the comparison's sizes and a large one on 1, 2, 4 … threads.
pub(crate) fn scaling(plan: &Plan, tools: &Tools, folder: &Path) -> anyhow::Result<Scaling> {
    let mut scaling = Scaling::default();
    let largest = if plan.tiny { 2 * SIZES[0] } else { SIZES[SIZES.len() - 1] };
    for kernel in SCALED.into_iter().filter(|kernel| plan.is_asked(*kernel)) {
        // Seconds at the size before, a mode.
        let mut before = BTreeMap::from([(FULL, 0.0), (FAST, 0.0)]);
        for n in SIZES.into_iter().take_while(|n| *n <= largest) {
            eprintln!("{} {n}, over the size", kernel.title());
            let mut stage = None;
            for (mode, last) in &mut before {
                let predicted = *last * 2f64.powi(kernel.power());
                let time = if predicted > LONGEST {
                    *last = predicted;
                    PointTime::TooLong(predicted)
                } else {
                    let stage = match &mut stage {
                        Some(stage) => stage,
                        none => none.insert(Stage::new(folder, kernel, n)?),
                    };
                    let repetitions = if predicted > 2.0 { 1 } else { plan.repetitions };
                    let seconds = ours(tools, stage, mode, &[plan.threads], repetitions)?.remove(0);
                    *last = median(&seconds);
                    PointTime::Seconds(seconds)
                };
                let (mode, threads) = (mode.to_string(), plan.threads);
                scaling.sizes.push(Point { kernel, mode, n, threads, time });
            }
        }
    }
    let counts = thread_counts(cores());
    for case in plan.cases().chain(plan.large()) {
        eprintln!("{} {}, over the threads", case.kernel.title(), case.n);
        let stage = Stage::new(folder, case.kernel, case.n)?;
        for mode in [FULL, FAST] {
            for (threads, seconds) in counts.iter().zip(ours(tools, &stage, mode, &counts, plan.repetitions)?)
            {
                let (mode, time) = (mode.to_owned(), PointTime::Seconds(seconds));
                scaling.threads.push(Point { kernel: case.kernel, mode, n: case.n, threads: *threads, time });
            }
        }
    }
    Ok(scaling)
}

/// Numbers of threads at which to look on a host of that many cores: powers of two, and all.
fn thread_counts(cores: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = (0..).map(|power| 1 << power).take_while(|count| *count < cores).collect();
    counts.push(cores);
    counts
}

/// Seconds of a launch of the simulator, by number of threads and repetition; the numbers take turns.
fn ours(
    tools: &Tools,
    stage: &Stage,
    mode: &str,
    threads: &[usize],
    repetitions: usize,
) -> anyhow::Result<Vec<Vec<f64>>> {
    let mut sessions = Vec::new();
    for count in threads {
        let name = format!("{mode} {count}");
        let mut session = Session::start(tools.ours(mode, *count)?.command(), &name, stage)?;
        // The repetition that finds out how many launches it takes is not for the record, unless one launch is long anyway.
        let first = session.time(1)?;
        sessions.push((session, launches(first), if repetitions == 1 { vec![first] } else { Vec::new() }));
    }
    for _ in 0..repetitions {
        for (session, launches, seconds) in sessions.iter_mut().filter(|(.., s)| s.len() < repetitions) {
            seconds.push(session.time(*launches)? / f64::from(*launches));
        }
    }
    Ok(sessions.into_iter().map(|(.., seconds)| seconds).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_powers_of_two_and_all() {
        for (cores, expected) in [(1, &[1][..]), (2, &[1, 2]), (6, &[1, 2, 4, 6]), (16, &[1, 2, 4, 8, 16])] {
            assert_eq!(thread_counts(cores), expected);
        }
    }
}
