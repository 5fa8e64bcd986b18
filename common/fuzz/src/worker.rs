//! A worker: runs cases until it finds something, and keeps inputs that reach new code.
//!
//! It is a process of its own, so that a crash, a hang or too much memory end only it. Before each case it writes the input to a file,
//! which is what remains then.

use crate::coverage::Coverage;
use crate::{Finding, Random, Target, check, seeds};
use std::path::PathBuf;

/// What a worker is asked to do.
#[derive(Clone, Debug)]
pub struct Work {
    /// The seed of its cases.
    pub seed: u64,
    /// The number of its first case.
    pub first: u64,
    /// The number of cases after its last.
    pub end: u64,
    /// Where inputs that reach new code are kept, and read from at the beginning.
    pub corpus: Option<PathBuf>,
    /// The folder for the input, the finding and the progress.
    pub state: PathBuf,
}

/// The file with the input of the case that runs.
pub(crate) const INPUT: &str = "input";
/// The file with what was found.
pub(crate) const FINDING: &str = "finding";
/// The file with the number of the case that runs, of inputs, and of edges.
pub(crate) const PROGRESS: &str = "progress";

/// The file with what was reached, for the next worker.
const COVERAGE: &str = "coverage";
/// Cases after which it is written again.
const SAVED_EVERY: u64 = 200;

/// Inputs that are kept at most, so that a run of days stays small.
const MOST_INPUTS: usize = 20_000;

/// Runs cases up to the first finding.
///
/// # Errors
/// The finding, which is in the state folder as well.
pub fn work(target: &dyn Target, work: &Work) -> Result<(), Finding> {
    let mut inputs = target.seeds();
    inputs.extend(seeds::corpus(target.name()).into_iter().map(|(_, input)| input));
    if let Some(corpus) = &work.corpus {
        inputs.extend(seeds::files(corpus).iter().filter_map(|path| std::fs::read(path).ok()));
    }
    let mut coverage = Coverage::read(&work.state.join(COVERAGE));
    let write = |name: &str, bytes: &[u8]| std::fs::write(work.state.join(name), bytes).map_err(full);
    let seeds = inputs.len();
    for case in work.first..work.end {
        let mut random = Random::of(work.seed, case);
        // What reached new code lately is tried more often.
        let recent = inputs.len().saturating_sub(50);
        let at = match inputs.len() > seeds && random.one_in(3) {
            true => recent + random.below(inputs.len() - recent),
            false => random.below(inputs.len()),
        };
        let Some(parent) = inputs.get(at) else {
            return Err(Finding::new("no inputs", "the target has no seeds and no corpus"));
        };
        // The first cases are the inputs themselves.
        let input = match inputs.get(case as usize).filter(|_| case < seeds as u64) {
            Some(input) => input.clone(),
            None => target.mutate(parent, &inputs, &mut random),
        };
        write(INPUT, &input)?;
        write(PROGRESS, format!("{case} {} {}", inputs.len(), coverage.edges).as_bytes())?;
        Coverage::reset();
        if let Err(finding) = check(target, &input) {
            write(FINDING, format!("{}\n{}", finding.kind, finding.message).as_bytes())?;
            write(COVERAGE, coverage.bytes())?;
            return Err(finding);
        }
        if case % SAVED_EVERY == 0 {
            write(COVERAGE, coverage.bytes())?;
        }
        if coverage.add() && case >= seeds as u64 && inputs.len() < MOST_INPUTS {
            if let Some(corpus) = &work.corpus {
                let name = format!("{:016x}.{}", hash(&input), target.extension());
                std::fs::create_dir_all(corpus)
                    .and_then(|()| std::fs::write(corpus.join(name), &input))
                    .map_err(full)?;
            }
            inputs.push(input);
        }
    }
    Ok(())
}

/// 64-bit FNV-1a, for names of files.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

fn full(error: std::io::Error) -> Finding {
    Finding::new("no file", error.to_string())
}
