//! Hidden tests: seeds and problem sizes from an instructor's file, which students never see.
//!
//! ```toml
//! seeds = [4711, 90125]          # each file is graded once more with each
//!
//! [[size]]                       # correctness there is checked, too
//! exercise = "lab-1/naive"
//! n = 777
//! radius = 3
//! ```
//!
//! Their results are reported separately in `hidden`, and change neither score nor status. A size uses the names of
//! the exercise's own sizes, and the reference must pass there, because an exercise may not be defined for every
//! size.

use crate::course;
use crate::registry::{self, Target};
use harness::{Case, Check, ExerciseReport, Lab, Status};
use serde::{Deserialize, Serialize};
use source::Failure;
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum size of the file, bytes.
const LARGEST: u64 = 1 << 16;

/// Maximum number of seeds and of sizes; each is another run per submission.
const MOST: usize = 32;

/// The hidden seeds and sizes.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    seeds: Vec<u64>,
    /// Sizes by exercise, such as `lab-1/naive`.
    sizes: BTreeMap<String, Vec<Case>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    seeds: Vec<u64>,
    #[serde(default)]
    size: Vec<Size>,
}

#[derive(Deserialize)]
struct Size {
    exercise: String,
    #[serde(flatten)]
    values: BTreeMap<String, u32>,
}

/// Results of the hidden tests for a file.
#[derive(Serialize)]
pub(super) struct Verdict {
    passed: bool,
    runs: Vec<Run>,
}

/// One grading with another seed.
#[derive(Serialize)]
struct Run {
    seed: u64,
    status: Status,
    score: u32,
    /// The checks that failed.
    failed: Vec<Check>,
}

impl Verdict {
    pub(super) fn of(reports: Vec<ExerciseReport>) -> Verdict {
        let run = |report: ExerciseReport| {
            let (seed, status, score) = (report.seed, report.status, report.score);
            let failed = report.checks.into_iter().filter(|check| check.status == Status::Failed).collect();
            Run { seed, status, score, failed }
        };
        let runs: Vec<Run> = reports.into_iter().map(run).collect();
        Verdict { passed: runs.iter().all(|run| run.status == Status::Passed), runs }
    }
}

impl Hidden {
    /// Reads a file of hidden tests.
    ///
    /// # Errors
    /// Says what is wrong with the file, and where.
    pub(super) fn read(labs: &[Lab], path: &Path) -> Result<Hidden, Failure> {
        let help =
            "a file of hidden tests is TOML with `seeds` and tables [[size]]; docs/src/grading.md shows one";
        let fail = |what: String| Failure::new(format!("{}: {what}", path.display()), help);
        let text = course::small_text(path, "a file of hidden tests", LARGEST).map_err(fail)?;
        let File { seeds, size } =
            toml::from_str(&text).map_err(|e| fail(e.to_string().trim_end().replace('\n', "\n  ")))?;
        if seeds.len().max(size.len()) > MOST {
            return Err(fail(format!("there may be up to {MOST} seeds and {MOST} sizes")));
        }
        let mut hidden = Hidden { seeds, ..Hidden::default() };
        for size in size {
            let target = registry::every(labs).find(|target| target.name() == size.exercise);
            let target = target.ok_or_else(|| fail(format!("there is no exercise `{}`", size.exercise)))?;
            let case = case(target, &size.values).map_err(fail)?;
            hidden.sizes.entry(size.exercise).or_default().push(case);
        }
        if hidden.seeds.is_empty() && hidden.sizes.is_empty() {
            return Err(fail("it has neither seeds nor sizes".to_owned()));
        }
        Ok(hidden)
    }

    /// The options of each additional grading of an exercise; `usual` are those of the normal run.
    pub(super) fn runs(&self, target: Target<'_>, usual: &harness::Options) -> Vec<harness::Options> {
        let further = self.sizes.get(&target.name()).cloned().unwrap_or_default();
        let with = |seed| harness::Options { seed, further: further.clone(), ..usual.clone() };
        match (self.seeds.is_empty(), further.is_empty()) {
            (true, true) => Vec::new(),
            (true, false) => vec![with(usual.seed)],
            (false, _) => self.seeds.iter().copied().map(with).collect(),
        }
    }
}

/// Creates a case with these sizes.
fn case(target: Target<'_>, values: &BTreeMap<String, u32>) -> Result<Case, String> {
    let cases = target.exercise.cases();
    let names: Vec<&str> =
        cases.first().iter().flat_map(|c| &c.sizes).map(|(name, _)| name.as_str()).collect();
    let unknown = values.keys().find(|name| !names.contains(&name.as_str()));
    let missing = names.iter().find(|name| !values.contains_key(**name));
    if let Some(name) = unknown.map(String::as_str).or(missing.copied()) {
        let (name, is) = (name, if unknown.is_some() { "has no size" } else { "needs the size" });
        return Err(format!("{} {is} `{name}`: its sizes are {}", target.name(), names.join(", ")));
    }
    let sizes: Vec<(&str, usize)> = names.iter().map(|name| (*name, values[*name] as usize)).collect();
    let label: Vec<String> = sizes.iter().map(|(name, value)| format!("{name}{value}")).collect();
    let label = label.join("_");
    match cases.iter().any(|case| case.label == label) {
        true => Err(format!("{} is tested at {label} anyway", target.name())),
        false => Ok(Case::new(label, &sizes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Hidden, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Hidden::read(&registry::labs(), file.path()).map_err(|e| e.what)
    }

    #[test]
    fn seeds_and_sizes_become_runs() {
        let labs = registry::labs();
        let find = |name: &str| registry::every(&labs).find(|t| t.name() == name).unwrap();
        let usual = harness::Options::default();
        let text = "seeds = [7, 8]\n[[size]]\nexercise = \"lab-1/adjacent_difference\"\nn = 777\n";
        let hidden = read(text).unwrap();
        let runs = hidden.runs(find("lab-1/adjacent_difference"), &usual);
        assert_eq!(runs.iter().map(|run| run.seed).collect::<Vec<_>>(), [7, 8]);
        assert!(runs.iter().all(|run| run.further.len() == 1 && run.further[0].label == "n777"));
        let others = hidden.runs(find("lab-6/tiled"), &usual);
        assert!(others.len() == 2 && others.iter().all(|run| run.further.is_empty()));
        let sizes = read(&text["seeds = [7, 8]\n".len()..]).unwrap();
        assert_eq!(sizes.runs(find("lab-1/adjacent_difference"), &usual)[0].seed, usual.seed);
        assert!(sizes.runs(find("lab-6/tiled"), &usual).is_empty());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let size = |rest: &str| format!("[[size]]\nexercise = \"lab-1/adjacent_difference\"\n{rest}");
        for (text, said) in [
            (String::new(), "neither seeds nor sizes"),
            ("sedes = [1]".to_owned(), "sedes"),
            ("seeds = [-1]".to_owned(), "line 1"),
            (size(""), "needs the size `n`"),
            (size("n = 5\nm = 6"), "has no size `m`"),
            (size("n = 1024"), "tested at n1024 anyway"),
            ("[[size]]\nexercise = \"lab-9/x\"".to_owned(), "no exercise `lab-9/x`"),
        ] {
            let what = read(&text).unwrap_err();
            assert!(what.contains(said), "{text}: {what}");
        }
    }
}
