//! A smaller input that shows the same: lines are left out, then words, then bytes. Each try is a process with limits.

use crate::limits::{End, Limits, Process};
use crate::worker::INPUT;
use crate::{Finding, Target};
use generate::{reduce, words::words};
use std::path::Path;
use std::time::{Duration, Instant};

/// How much is spent on it.
#[derive(Clone, Copy, Debug)]
pub struct Minimise {
    /// How long it tries.
    pub time: Duration,
    /// How long one case may take.
    pub case_time: Duration,
}

impl Default for Minimise {
    fn default() -> Minimise {
        Minimise { time: Duration::from_secs(120), case_time: Duration::from_secs(20) }
    }
}

/// Makes an input smaller, as long as a finding of that signature remains.
///
/// # Errors
/// If a process or a file cannot be made.
pub fn minimise(
    target: &dyn Target,
    input: &[u8],
    signature: &str,
    how: &Minimise,
) -> std::io::Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let begin = Instant::now();
    let mut failed = Ok(());
    let mut same = |input: &[u8]| {
        if begin.elapsed() > how.time || failed.is_err() {
            return false;
        }
        match end_of(target, input, folder.path(), how.case_time) {
            Ok(End::Found(finding)) => finding.signature() == signature,
            Ok(End::Done | End::Running) => false,
            Err(error) => {
                failed = Err(error);
                false
            }
        }
    };
    let mut input = input.to_vec();
    let text = std::str::from_utf8(&input).ok().filter(|_| target.extension() == "cu");
    let is_text = text.is_some();
    if let Some(text) = text {
        let lines =
            reduce::list(text.split_inclusive('\n').collect(), |lines| same(lines.concat().as_bytes()));
        let text = lines.concat();
        let words = reduce::list(words(&text), |words| same(words.concat().as_bytes()));
        input = words.concat().into_bytes();
    }
    if !is_text {
        input = reduce::list(input, |bytes| same(bytes));
    }
    failed.map(|()| input)
}

/// What becomes of one case in a process of its own.
///
/// # Errors
/// If a process or a file cannot be made.
fn end_of(target: &dyn Target, input: &[u8], folder: &Path, time: Duration) -> std::io::Result<End> {
    let path = folder.join(INPUT);
    std::fs::write(&path, input)?;
    let arguments =
        ["check".as_ref(), target.name().as_ref(), path.as_os_str(), "--state".as_ref(), folder.as_os_str()];
    Process::start(folder, &arguments)?.wait(Limits { case: time })
}

/// What is found with one input, in a process of its own.
///
/// # Errors
/// If a process or a file cannot be made.
pub fn outcome(target: &dyn Target, input: &[u8], how: &Minimise) -> std::io::Result<Option<Finding>> {
    let folder = tempfile::tempdir()?;
    Ok(match end_of(target, input, folder.path(), how.case_time)? {
        End::Found(finding) => Some(finding),
        End::Done | End::Running => None,
    })
}
