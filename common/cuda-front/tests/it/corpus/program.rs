//! The corpus: programs under `tests/corpus`, each with the truth about it.
//!
//! A file under `accept` is a right program; one under `reject` is wrong, and the comment `// ERROR` ends the line that
//! the first error is about. The truth is what CUDA's run-time compiler says (NVRTC 12, `sm_90`, C++17), and the test
//! `oracle` asks it again where it is installed. Where that compiler differs from nvcc because it has no host, a line
//! says so:
//!
//! * `// NVRTC: accepts (why)`: it does not refuse this program, or names no line.
//! * `// NVRTC: line 3 (why)`: it reports that line instead.
//! * `// NVRTC: options -x`: an option it needs for this program.

use crate::fixtures::{self, Fixture};
use crate::place;
use cuda_front::Compilation;
use source::{Diagnostic, Severity, Verdict};
use std::path::{Path, PathBuf};

/// What is true about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Accept,
    /// Its first error is on this line, 1-based; none where a compiler gives no line.
    Reject(Option<u32>),
}

/// A program of the corpus.
pub(crate) struct Program {
    /// `accept/AREA/NAME` or `reject/AREA/NAME`.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) truth: Truth,
    /// What NVRTC is expected to say.
    pub(crate) nvrtc: Truth,
    /// Options that NVRTC needs for this program.
    pub(crate) nvrtc_options: Vec<String>,
}

/// How the front-end's answer compares with the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Agree,
    /// It says that it does not support something, and names it.
    Unsupported(String),
    /// It says something else than the truth.
    Disagree(String),
}

impl Outcome {
    /// The word for it in `expected.txt`.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Outcome::Agree => "agree",
            Outcome::Unsupported(_) => "unsupported",
            Outcome::Disagree(_) => "disagree",
        }
    }

    /// What was said, if anything.
    pub(crate) fn detail(&self) -> &str {
        match self {
            Outcome::Agree => "",
            Outcome::Unsupported(detail) | Outcome::Disagree(detail) => detail,
        }
    }
}

/// The folder of the corpus.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// Every program of the corpus, in order of name.
pub(crate) fn all() -> Vec<Program> {
    let files = ["accept", "reject"].map(|kind| fixtures::below(&format!("tests/corpus/{kind}")));
    files.iter().flatten().map(Program::read).collect()
}

impl Program {
    pub(crate) fn read(file: &Fixture) -> Program {
        let name = file.path.strip_prefix(folder()).expect("a path in the corpus").with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        let marked =
            (1..).zip(file.text.lines()).filter(|(_, line)| line.ends_with("// ERROR")).map(|(n, _)| n);
        let marked: Vec<u32> = marked.collect();
        let truth = match (name.starts_with("reject/"), marked.as_slice()) {
            (false, []) => Truth::Accept,
            (true, [line]) => Truth::Reject(Some(*line)),
            (false, _) => panic!("{name}: a right program has no `// ERROR`"),
            (true, lines) => panic!("{name}: exactly one line ends with `// ERROR`, not {}", lines.len()),
        };
        let mut program =
            Program { name, text: file.text.clone(), truth, nvrtc: truth, nvrtc_options: Vec::new() };
        program.note_nvrtc();
        program
    }

    fn note_nvrtc(&mut self) {
        let Some(note) = self.text.lines().find_map(|line| line.strip_prefix("// NVRTC: ")) else { return };
        let words: Vec<&str> = note.split_whitespace().collect();
        match words.as_slice() {
            ["accepts", ..] => self.nvrtc = Truth::Reject(None),
            ["line", line, ..] => {
                let line = line.parse().unwrap_or_else(|_| panic!("{}: `{note}`", self.name));
                self.nvrtc = Truth::Reject(Some(line));
            }
            ["options", options @ ..] => {
                self.nvrtc_options = options.iter().map(|o| (*o).to_owned()).collect()
            }
            _ => panic!("{}: unknown note `{note}`", self.name),
        }
    }

    /// The file's name in messages.
    pub(crate) fn file(&self) -> String {
        format!("{}.cu", self.name)
    }

    /// Compiles the program with the front-end.
    pub(crate) fn compile(&self) -> Compilation {
        cuda_front::compile(&self.file(), &self.text, &cuda_front::Options::default())
    }

    /// Compares the front-end's answer with the truth.
    pub(crate) fn outcome(&self, compiled: &Compilation) -> Outcome {
        let errors: Vec<&Diagnostic> =
            compiled.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        let line = |d: &Diagnostic| place::line(&compiled.sources, d);
        if let Some(fault) = errors.iter().find(|d| d.code == "internal-error") {
            return Outcome::Disagree(format!("internal-error: {}", fault.notes.join("; ")));
        }
        let wrong = errors.iter().find(|d| d.verdict == Verdict::Program);
        match (self.truth, wrong, errors.first()) {
            (Truth::Accept, None, None) if compiled.module.is_some() => Outcome::Agree,
            (Truth::Accept, None, None) => Outcome::Disagree("no error, and no module".to_owned()),
            (_, None, Some(first)) => Outcome::Unsupported(first.title.clone()),
            (Truth::Accept, Some(wrong), _) => Outcome::Disagree(format!(
                "line {}: {}: {}",
                line(wrong).unwrap_or(0),
                wrong.code,
                wrong.title
            )),
            (Truth::Reject(_), None, None) => Outcome::Disagree("accepted".to_owned()),
            (Truth::Reject(expected), Some(wrong), _) => match line(wrong) {
                found if found == expected => Outcome::Agree,
                found => {
                    Outcome::Disagree(format!("line {}: {}: {}", found.unwrap_or(0), wrong.code, wrong.title))
                }
            },
        }
    }
}
