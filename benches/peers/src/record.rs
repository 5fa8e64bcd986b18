//! What a run leaves: raw seconds, on which machine, of which commit. Tables are made of nothing else.

use crate::contestants::root;
use crate::problem::Kernel;
use anyhow::Context;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Load average a core from which on times are doubtful.
const BUSY: f64 = 0.25;

/// When and where a run was, and who took part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Setting {
    /// When, UTC, as `2026-01-31T12:00:00Z`.
    pub(crate) date: String,
    /// Which commit was built; `-dirty` if files differed from it.
    pub(crate) commit: String,
    pub(crate) machine: Machine,
    /// Worker threads of each contestant that has any.
    pub(crate) threads: usize,
    /// Names and versions as the contestants say them, by tool.
    pub(crate) versions: BTreeMap<String, String>,
}

/// A run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    #[serde(flatten)]
    pub(crate) setting: Setting,
    /// The comparison, case by case.
    pub(crate) comparison: Vec<Entry>,
    /// The simulator at growing sizes, and at growing numbers of threads.
    pub(crate) scaling: Option<Scaling>,
}

/// Where it was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// As the system calls it.
    pub(crate) cpu: String,
    /// Of the process.
    pub(crate) cores: usize,
    /// Architecture and the extensions that matter here.
    pub(crate) isa: Vec<String>,
    /// Processes that wanted a core, averaged over a minute: before the measuring and after it. On a quiet machine the first is
    /// well below 1, and the second is at most the worker threads.
    pub(crate) load: [Option<f64>; 2],
}

/// A contestant at a problem.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) kernel: Kernel,
    /// The size of the case; the contestant's own may be smaller.
    pub(crate) case: usize,
    pub(crate) contestant: String,
    pub(crate) outcome: Outcome,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome<M = Measured> {
    Measured(M),
    /// It is not on this machine; how to get it.
    Missing(String),
    /// It does not run, or its result is wrong.
    Failed(String),
}

/// Times of a correct result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Its problem's size.
    pub(crate) n: usize,
    /// Launches that were timed together, a repetition.
    pub(crate) launches: u32,
    /// Seconds of one launch, a repetition.
    pub(crate) seconds: Vec<f64>,
}

/// How the simulator's cost grows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Scaling {
    /// With the size, on all threads.
    pub(crate) sizes: Vec<Point>,
    /// With the threads.
    pub(crate) threads: Vec<Point>,
}

/// The simulator at one size and number of threads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) kernel: Kernel,
    pub(crate) mode: String,
    pub(crate) n: usize,
    pub(crate) threads: usize,
    pub(crate) time: PointTime,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PointTime {
    /// Seconds of one launch, a repetition.
    Seconds(Vec<f64>),
    /// Left out: seconds that a launch would take by the one before.
    TooLong(f64),
}

/// The middle, or the mean of the two in the middle; NaN of none.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => f64::NAN,
        (len, half) if len % 2 == 1 => sorted[half],
        (_, half) => (sorted[half - 1] + sorted[half]) / 2.0,
    }
}

impl Setting {
    /// Now and here; there are no results yet.
    pub(crate) fn new(threads: usize) -> anyhow::Result<Setting> {
        let folder = root().to_string_lossy();
        let describe = ["-C", &folder, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
        Ok(Setting {
            date: said("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]).context("`date` does not say the date")?,
            commit: said("git", &describe).unwrap_or_else(|| "unknown".into()),
            machine: Machine::here(),
            threads,
            versions: BTreeMap::new(),
        })
    }

    /// Says on standard error if something else keeps the machine busy.
    pub(crate) fn warn_if_busy(&self) {
        if let [Some(load), _] = self.machine.load
            && load > BUSY * self.machine.cores as f64
        {
            eprintln!(
                "the machine is busy (load average {load:.2}): what is measured now is too slow, and not for all alike"
            );
        }
    }

    /// To be called when all is measured.
    pub(crate) fn finish(&mut self) {
        self.machine.load[1] = load();
    }
}

/// A run that can be kept: the latest of its kind, of which the book's tables are made.
pub(crate) trait Kept: Serialize + DeserializeOwned {
    /// The file's name among the results.
    const FILE: &str;

    /// It as JSON text, an element of a list to a line.
    fn json(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        lines(&serde_json::to_value(self)?, 0, &mut text)?;
        Ok(text)
    }

    /// Keeps it in place of the one before; gives its path.
    fn save(&self) -> anyhow::Result<PathBuf> {
        let path = results().join(Self::FILE);
        std::fs::write(&path, self.json()? + "\n")
            .with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(path)
    }

    /// The one that is kept.
    fn latest() -> anyhow::Result<Self> {
        let path = results().join(Self::FILE);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read; `--save` keeps a run there", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no record of a run", path.display()))
    }
}

/// JSON with a line for each field of the outer objects and for each object in a list of them.
fn lines(value: &Value, depth: usize, out: &mut String) -> anyhow::Result<()> {
    let has_objects = |v: &Value| v.as_array().is_some_and(|list| list.iter().any(Value::is_object));
    let (open, close, rows): (_, _, Vec<(String, &Value)>) = match value {
        Value::Object(fields) if depth == 0 || fields.values().any(has_objects) => {
            let rows = fields.iter().map(|(name, v)| Ok((serde_json::to_string(name)? + ": ", v)));
            ('{', '}', rows.collect::<anyhow::Result<_>>()?)
        }
        Value::Array(list) if has_objects(value) => {
            ('[', ']', list.iter().map(|v| (String::new(), v)).collect())
        }
        _ => {
            out.push_str(&serde_json::to_string(value)?);
            return Ok(());
        }
    };
    out.push(open);
    for (i, (name, v)) in rows.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write!(out, "{comma}\n{:1$}{name}", "", 2 * depth + 2)?;
        lines(v, depth + 1, out)?;
    }
    write!(out, "\n{:1$}{close}", "", 2 * depth)?;
    Ok(())
}

impl Record {
    /// An empty one, of now and here.
    pub(crate) fn new(threads: usize) -> anyhow::Result<Record> {
        Ok(Record { setting: Setting::new(threads)?, comparison: Vec::new(), scaling: None })
    }
}

impl Kept for Record {
    const FILE: &str = "comparison.json";
}

/// Where results are kept.
fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results")
}

impl Machine {
    fn here() -> Machine {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = info.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let flags = field("flags").unwrap_or_default();
        let matters = ["sse4_2", "avx2", "fma", "avx512f"];
        let found = matters.iter().filter(|m| flags.split(' ').any(|f| f == **m));
        let isa = std::iter::once(std::env::consts::ARCH).chain(found.copied()).map(str::to_owned);
        Machine {
            cpu: field("model name").unwrap_or_else(|| "unknown".into()),
            cores: cores(),
            isa: isa.collect(),
            load: [load(), None],
        }
    }
}

/// The system's load average over a minute, where it says one.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// Cores that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The first line that a command says, if it succeeds.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{lines, median};
    use serde_json::json;

    #[test]
    fn kept_text_is_the_value_line_by_line() {
        let run = json!({ "a": [1, 2], "list": [{ "x": 1 }, { "x": [] }], "in": { "of": [{ "y": "\n" }] }, "none": null });
        let mut text = String::new();
        lines(&run, 0, &mut text).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), run);
        assert_eq!(text.lines().filter(|line| line.contains("\"x\"")).count(), 2, "{text}");
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
