//! Requests as JSON.

use serde::Deserialize;

/// What a page asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Request {
    /// All labs.
    List,
    /// What the compiler says.
    Check(Text),
    /// A report.
    Grade(Submission),
    /// What single warps access in the report case.
    Access(Submission),
    /// Corrections of a file that fails, which were tried.
    Suggest(Submission),
    /// What a launch gives.
    Launch {
        /// The file's text.
        text: String,
        /// What messages call the file.
        #[serde(default = "unnamed")]
        file: String,
        /// The options, as after `lab launch FILE`.
        line: String,
        /// Whether what single warps access is drawn, too.
        #[serde(default)]
        access: bool,
        /// Whether corrections are tried, if the launch fails.
        #[serde(default)]
        suggest: bool,
    },
    /// A step of an exercise's hints.
    Hint {
        /// The lab's number.
        lab: u32,
        /// The exercise's name.
        exercise: String,
        /// 1-based.
        step: usize,
    },
    /// What a word means.
    Explain {
        /// A code or a word of a report.
        term: String,
    },
}

/// A kernel file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    /// Its text.
    pub(crate) text: String,
    /// What messages call it.
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
    /// Whether the exercise's own tables and sweeps are made too.
    #[serde(default = "yes")]
    pub(crate) extras: bool,
    /// Whether the text of the report has everything.
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
