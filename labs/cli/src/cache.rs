//! A cache of grades by content, so that the overview does not run a kernel again.
//!
//! The key covers everything that a verdict depends on: the exercise, the file's text, the seed, the device and its
//! model, and the build of this program. If an entry is damaged or missing, the file is graded again.

use crate::args::RunOptions;
use crate::registry::Target;
use crate::workspace::{Workspace, write_whole};
use harness::ExerciseReport;
use serde::{Deserialize, Serialize};
use source::hash::stable;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

/// The part of a grade that the overview shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// Whether the exercise is solved.
    pub(crate) passed: bool,
    /// 0 to 100.
    pub(crate) score: u32,
    /// The first check that failed, if one did.
    pub(crate) failed_check: Option<String>,
}

impl Entry {
    /// Extracts the entry from a report.
    pub(crate) fn of(report: &ExerciseReport) -> Entry {
        let failed = report.checks.iter().find(|c| c.status == harness::Status::Failed);
        Entry { passed: report.passed(), score: report.score, failed_check: failed.map(|c| c.name.clone()) }
    }
}

/// The cached grades.
pub(crate) struct Cache {
    folder: PathBuf,
    program: String,
}

impl Cache {
    /// The cache of a workspace.
    pub(crate) fn new(workspace: &Workspace) -> Cache {
        Cache { folder: workspace.cache(), program: program_identity() }
    }

    /// The cached grade; `None` if there is none.
    pub(crate) fn get(&self, target: Target<'_>, text: &str, options: &RunOptions) -> Option<Entry> {
        let bytes = std::fs::read(self.file(target, text, options)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Stores a grade. If the cache cannot be written, later runs only take longer.
    pub(crate) fn put(&self, target: Target<'_>, text: &str, options: &RunOptions, report: &ExerciseReport) {
        if let Ok(json) = serde_json::to_string(&Entry::of(report)) {
            let _ = write_whole(&self.file(target, text, options), &json);
        }
    }

    fn file(&self, target: Target<'_>, text: &str, options: &RunOptions) -> PathBuf {
        let (seed, device) = (options.seed.to_string(), options.device());
        let key = stable(&[&self.program, &target.name(), text, &seed, &options.model, &device]);
        self.folder.join(format!("{}-{key:016x}.json", target.exercise.name()))
    }
}

/// A text that changes with every build of this program.
fn program_identity() -> String {
    let file = std::env::current_exe().and_then(std::fs::metadata).ok();
    let built = file.as_ref().and_then(|meta| meta.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    let (length, built) = (file.map_or(0, |meta| meta.len()), built.unwrap_or_default().as_nanos());
    format!("{} {length} {built}", env!("CARGO_PKG_VERSION"))
}
