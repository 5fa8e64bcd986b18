//! The user's progress: hints seen, tries, scores, and when each exercise was first solved.
//!
//! Progress is one JSON file in the project's folder, beside the kernels. So another checkout starts with no
//! progress, and deleting a container deletes its progress. Keys have the form `lab-1/naive`; times are seconds since
//! 1970 (UTC). Fields unknown to this version are kept. A file that is not JSON is moved aside before the first
//! change, and unreadable fields count as unset.
//!
//! Only the user's own kernels count: `run`, `watch` and the overview record gradings, and `hint` records hints.
//! `grade`, which is for other people's kernels, `--solution`, `--kernel` and `--course` record nothing; neither does
//! an unchanged starter.

use crate::registry::Target;
use crate::screen::complain;
use crate::workspace::{Workspace, keep_aside, write_whole};
use harness::{ExerciseReport, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Version of the file; it increases when a field changes its meaning or is removed.
const SCHEMA: u32 = 1;

/// Progress in all exercises.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    exercises: BTreeMap<String, Record>,
    /// Fields unknown to this version.
    other: Map<String, Value>,
}

/// Progress in one exercise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Record {
    /// Number of hints shown before the exercise was solved; hints are shown in order.
    pub(crate) hints: usize,
    /// Number of hints shown, if more were shown after the exercise was solved.
    #[serde(skip_serializing_if = "is_zero")]
    hints_in_all: usize,
    /// Number of gradings, not counting repeated gradings of the same text.
    pub(crate) tries: u32,
    /// Time of the first try.
    pub(crate) first_try: Option<u64>,
    /// Time of the last try.
    pub(crate) last_try: Option<u64>,
    /// Highest score, 0 to 100.
    pub(crate) best_score: u32,
    /// Time when it was first solved.
    pub(crate) solved: Option<u64>,
    /// Hash of the last graded text.
    last_text: String,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl Record {
    /// Number of hints shown.
    pub(crate) fn hints_seen(&self) -> usize {
        self.hints.max(self.hints_in_all)
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Progress {
    /// Reads a workspace's progress; empty if there is no readable file.
    pub(crate) fn of(workspace: &Workspace) -> Progress {
        std::fs::read(workspace.progress()).ok().and_then(|bytes| parse(&bytes)).unwrap_or_default()
    }

    /// Applies `change` to the progress, saves it, and returns the result of `change`. If the file cannot be written,
    /// prints one warning and continues.
    pub(crate) fn change<T>(workspace: &Workspace, change: impl FnOnce(&mut Progress) -> T) -> T {
        let path = workspace.progress();
        let bytes = std::fs::read(&path).ok();
        let read = bytes.as_deref().and_then(parse);
        let damaged = bytes.is_some() && read.is_none();
        let before = read.unwrap_or_default();
        let mut after = before.clone();
        let result = change(&mut after);
        if after != before {
            let aside = if damaged { keep_aside(&path).map(|_| ()) } else { Ok(()) };
            if let Err(why) = aside.and_then(|()| write_whole(&path, &after.text())) {
                not_kept(&path, &why);
            }
        }
        result
    }

    /// The record of an exercise; empty if there is none.
    pub(crate) fn get(&self, target: Target<'_>) -> Record {
        self.exercises.get(&target.name()).cloned().unwrap_or_default()
    }

    /// Whether an exercise was ever solved.
    pub(crate) fn is_solved(&self, target: Target<'_>) -> bool {
        self.exercises.get(&target.name()).is_some_and(|record| record.solved.is_some())
    }

    /// Number of hints shown in all exercises before each was solved.
    pub(crate) fn hints(&self) -> usize {
        self.exercises.values().map(|record| record.hints).sum()
    }

    /// Records that one more hint of `of`, or all, was shown. Returns the number shown so far. Hints for an exercise
    /// that is solved do not count as help.
    pub(crate) fn reveal(&mut self, target: Target<'_>, of: usize, all: bool) -> usize {
        let record = self.exercises.entry(target.name()).or_default();
        let seen = if all { of } else { of.min(record.hints_seen() + 1) };
        match record.solved {
            None => record.hints = seen,
            Some(_) => record.hints_in_all = seen,
        }
        seen
    }

    /// Records a grading. Returns whether it is the first that solves the exercise.
    pub(crate) fn record(&mut self, target: Target<'_>, text: &str, report: &ExerciseReport) -> bool {
        // Without counters, or with a model whose counters follow other rules, gates are skipped, so the exercise
        // does not count as solved.
        let judged = report.checks.iter().all(|check| check.status != Status::Skipped);
        let score = if report.passed() && !judged { 0 } else { report.score };
        self.graded(target, text, score, report.passed() && judged, now())
    }

    /// Does the work of [`Progress::record`] at time `now`.
    fn graded(&mut self, target: Target<'_>, text: &str, score: u32, solves: bool, now: u64) -> bool {
        let record = self.exercises.entry(target.name()).or_default();
        let text = format!("{:016x}", source::hash::stable(&[text]));
        if record.last_text != text {
            record.last_text = text;
            record.tries = record.tries.saturating_add(1);
            record.first_try.get_or_insert(now);
            record.last_try = Some(now);
        }
        record.best_score = record.best_score.max(score);
        let first = solves && record.solved.is_none();
        if first {
            record.solved = Some(now);
        }
        first
    }

    fn text(&self) -> String {
        let mut file = self.other.clone();
        file.insert("schema".into(), SCHEMA.into());
        file.insert("exercises".into(), serde_json::to_value(&self.exercises).unwrap_or_default());
        format!("{:#}\n", Value::Object(file))
    }
}

/// Parses the file; `None` if it is not a JSON object.
fn parse(bytes: &[u8]) -> Option<Progress> {
    let Ok(Value::Object(mut file)) = serde_json::from_slice(bytes) else { return None };
    let exercises = match file.remove("exercises") {
        Some(Value::Object(exercises)) => exercises,
        _ => Map::new(),
    };
    file.remove("schema");
    let records = exercises.into_iter().map(|(name, value)| (name, record(value)));
    Some(Progress { exercises: records.collect(), other: file })
}

/// Parses a record and drops unreadable fields.
fn record(value: Value) -> Record {
    let Value::Object(fields) = value else { return Record::default() };
    let readable = |(name, value): &(String, Value)| {
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<Record>(Value::Object(alone)).is_ok()
    };
    let fields: Map<String, Value> = fields.into_iter().filter(readable).collect();
    serde_json::from_value(Value::Object(fields)).unwrap_or_default()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

fn not_kept(path: &Path, why: &std::io::Error) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        complain(&format!("warning: your progress is not kept: {} cannot be written: {why}", path.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn text_of(change: impl FnOnce(&mut Progress, &[Target<'_>])) -> String {
        let labs = registry::labs();
        let targets: Vec<Target<'_>> = registry::every(&labs).collect();
        let mut progress = Progress::default();
        change(&mut progress, &targets);
        progress.text()
    }

    #[test]
    fn a_first_pass_is_told_once_and_tries_are_of_different_texts() {
        let text = text_of(|progress, targets| {
            let mut graded = |text, score, solves, now| progress.graded(targets[0], text, score, solves, now);
            assert!(!graded("a", 20, false, 100));
            assert!(!graded("a", 20, false, 110), "the same text again is not a try");
            assert!(graded("b", 100, true, 120));
            assert!(!graded("b", 100, true, 130));
            assert!(!graded("a", 20, false, 140), "a worse text later takes nothing away");
            assert_eq!(progress.reveal(targets[0], 4, false), 1);
            assert_eq!(progress.reveal(targets[0], 4, false), 2);
            assert_eq!(progress.reveal(targets[1], 4, true), 4);
            assert_eq!(progress.reveal(targets[1], 4, false), 4, "there are no more");
            assert_eq!(progress.hints(), 4, "those of a solved exercise do not count");
        });
        let progress = parse(text.as_bytes()).unwrap();
        let record = &progress.exercises["lab-1/naive"];
        assert_eq!((record.tries, record.hints, record.hints_seen(), record.best_score), (3, 0, 2, 100));
        assert_eq!((record.first_try, record.last_try, record.solved), (Some(100), Some(140), Some(120)));
    }

    #[test]
    fn unknown_fields_are_kept_and_damaged_ones_count_as_nothing() {
        let text = r#"{"schema": 9, "teacher": "x", "exercises": {
            "lab-1/naive": {"hints": 2, "tries": "many", "solved": 5, "mood": "good"},
            "lab-1/shared": 7, "lab-9/new": {"tries": 3}}}"#;
        let progress = parse(text.as_bytes()).unwrap();
        let naive = &progress.exercises["lab-1/naive"];
        assert_eq!((naive.hints, naive.tries, naive.solved), (2, 0, Some(5)));
        assert_eq!(progress.exercises["lab-1/shared"], Record::default());
        let again: Value = serde_json::from_str(&progress.text()).unwrap();
        assert_eq!(again["teacher"], "x");
        assert_eq!(again["exercises"]["lab-1/naive"]["mood"], "good");
        assert_eq!(again["exercises"]["lab-9/new"]["tries"], 3);
        assert_eq!(parse(progress.text().as_bytes()).as_ref(), Some(&progress));
        for broken in ["", "{", "[]", "null", "{\"exercises\": "] {
            assert_eq!(parse(broken.as_bytes()), None, "{broken}");
        }
        assert_eq!(parse(b"{}"), Some(Progress::default()));
    }
}
