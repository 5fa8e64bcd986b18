//! Requests as JSON.

use serde::Deserialize;

/// A request of a page.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Request {
    /// List all labs.
    List,
    /// Compile a file and return the diagnostics.
    Check(Text),
    /// Grade a file and return the report.
    Grade(Submission),
    /// Draw accesses of single warps in the report case.
    Access(Submission),
    /// Try suggestions for a failing file.
    Suggest(Submission),
    /// Launch a kernel.
    Launch {
        /// The file's text.
        text: String,
        /// Name of the file in messages.
        #[serde(default = "unnamed")]
        file: String,
        /// The options in the form of `lab launch FILE`.
        line: String,
        /// Whether to draw accesses of single warps.
        #[serde(default)]
        access: bool,
        /// Whether to try suggestions if the launch fails.
        #[serde(default)]
        suggest: bool,
    },
    /// Return one hint of an exercise.
    Hint {
        /// The lab's number.
        lab: u32,
        /// The exercise's name.
        exercise: String,
        /// 1-based number of the hint.
        step: usize,
    },
    /// Explain a word.
    Explain {
        /// A diagnostic's code or a word of a report.
        term: String,
    },
}

/// A kernel file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    /// Its text.
    pub(crate) text: String,
    /// Name of the file in messages.
    #[serde(default = "unnamed")]
    pub(crate) file: String,
}

/// A kernel file for an exercise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Submission {
    /// The lab's number.
    pub(crate) lab: u32,
    /// The exercise's name.
    pub(crate) exercise: String,
    /// The file's text.
    pub(crate) text: String,
    /// A device model's name.
    #[serde(default = "default_model")]
    pub(crate) model: String,
    /// The inputs' seed.
    #[serde(default = "first")]
    pub(crate) seed: u64,
    /// Whether to produce the exercise's own tables and sweeps.
    #[serde(default = "yes")]
    pub(crate) extras: bool,
    /// Whether the report's text contains every section.
    #[serde(default)]
    pub(crate) verbose: bool,
}

fn unnamed() -> String {
    "kernel.cu".to_owned()
}

fn default_model() -> String {
    device_sim::DEFAULT_MODEL.to_owned()
}

fn first() -> u64 {
    1
}

fn yes() -> bool {
    true
}
