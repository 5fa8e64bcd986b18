//! The course file: an instructor's settings for all submissions. [`gradebook::course`] describes the format; this
//! module adds the weights of gates and checks the names of exercises.
//!
//! ```toml
//! [weights]
//! correct = 40
//! clean = 10
//! contract = 10
//! gates = 40
//!
//! [weights.gate]                  # among the gates of an exercise; 1 if not named
//! no_bank_conflicts = 2           # wherever an exercise has it
//! "lab-6/tiled/tile_reuse" = 3    # there alone
//! ```
//!
//! Settings that the file omits keep their defaults. A name that no exercise has is always an error.

use crate::registry;
use gradebook::course::Course;
use harness::{Lab, Weights};
use source::Failure;
use std::path::Path;

/// Maximum size of a course file, bytes.
const LARGEST: u64 = 1 << 16;

/// What a course file says of grading; without one, the project's own weights and what kernels print.
///
/// # Errors
/// As [`read`].
pub(crate) fn asked(labs: &[Lab], file: Option<&Path>) -> Result<Asked, Failure> {
    match file {
        None => Ok(Asked::default()),
        Some(file) => Ok(Asked::of(read(labs, file)?.0)),
    }
}

/// What is asked of the harness.
pub(crate) struct Asked {
    /// What the parts of the score are worth.
    pub(crate) weights: Weights,
    /// Whether reports have what kernels printed.
    pub(crate) printf: bool,
}

impl Default for Asked {
    fn default() -> Asked {
        Asked { weights: Weights::default(), printf: true }
    }
}

impl Asked {
    /// What a course asks for.
    pub(crate) fn of(course: Course<Weights>) -> Asked {
        Asked { weights: course.weights, printf: course.printf }
    }
}

/// The text of a course file that is valid.
///
/// # Errors
/// The errors of [`read`].
pub(crate) fn text(labs: &[Lab], file: Option<&Path>) -> Result<Option<String>, Failure> {
    file.map(|file| Ok(read(labs, file)?.1)).transpose()
}

/// All exercises, such as `lab-6/tiled`, in teaching order.
pub(crate) fn exercises(labs: &[Lab]) -> Vec<String> {
    registry::every(labs).map(|target| target.name()).collect()
}

/// Reads a small file of the instructor; `kind` describes it in messages, such as `a course file`.
///
/// # Errors
/// Says that the file cannot be read or is larger than `largest`. The message does not name the file.
pub(crate) fn small(file: &Path, kind: &str, largest: u64) -> Result<Vec<u8>, String> {
    let unreadable = |e: std::io::Error| format!("cannot be read: {e}");
    let size = std::fs::metadata(file).map_err(unreadable)?.len();
    if size > largest {
        return Err(format!("has {size} bytes, but {kind} may have at most {largest}"));
    }
    std::fs::read(file).map_err(unreadable)
}

/// Reads a small text file of the instructor.
///
/// # Errors
/// The errors of [`small`], and that the file is not UTF-8.
pub(crate) fn small_text(file: &Path, kind: &str, largest: u64) -> Result<String, String> {
    String::from_utf8(small(file, kind, largest)?).map_err(|e| format!("cannot be read: {e}"))
}

/// Reads a course file; returns it with its text.
///
/// # Errors
/// Says that the file cannot be read, is not a course file, or names an unknown lab, exercise or gate.
pub(crate) fn read(labs: &[Lab], file: &Path) -> Result<(Course<Weights>, String), Failure> {
    let help = "a course file is TOML; docs/src/grading.md and docs/src/gradebook.md show what it may have";
    let fail = |what: String| Failure::new(format!("{}: {what}", file.display()), help);
    let text = small_text(file, "a course file", LARGEST).map_err(fail)?;
    let course: Course<Weights> =
        Course::parse(&text, &exercises(labs)).map_err(|e| fail(e.replace('\n', "\n  ")))?;
    course.weights.check().map_err(fail)?;
    let unknown = course.weights.gate.keys().find(|name| !names(labs, name));
    match unknown {
        Some(name) => Err(fail(format!("no exercise has the gate `{name}`"))),
        None => Ok((course, text)),
    }
}

/// Whether any exercise has the gate `name`: an id, or `lab-6/tiled/id`.
fn names(labs: &[Lab], name: &str) -> bool {
    let of = |lab: &Lab| {
        lab.exercises.iter().any(|exercise| {
            let place = format!("{}/{}/", lab.package, exercise.name());
            let id = name.strip_prefix(&place).unwrap_or(name);
            exercise.gates().iter().any(|gate| gate.id == id)
        })
    };
    labs.iter().any(of)
}
