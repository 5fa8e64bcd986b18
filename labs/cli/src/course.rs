//! The course file: what an instructor sets for all submissions. [`gradebook::course`] describes it; here are its gates' weights, and the
//! names of exercises that there are.
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
//! What it does not name is as without it. A name that no exercise has is an error, never ignored.

use crate::registry;
use gradebook::course::Course;
use harness::{Lab, Weights};
use source::Failure;
use std::path::Path;

/// Largest course file that is read, bytes.
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
/// As [`read`].
pub(crate) fn text(labs: &[Lab], file: Option<&Path>) -> Result<Option<String>, Failure> {
    file.map(|file| Ok(read(labs, file)?.1)).transpose()
}

/// All exercises, such as `lab-6/tiled`, in teaching order.
pub(crate) fn exercises(labs: &[Lab]) -> Vec<String> {
    registry::every(labs).map(|target| target.name()).collect()
}

/// The text of a file of the instructor's; `kind` is what it is, as `a course file`.
///
/// # Errors
/// A file that cannot be read, or has more bytes than it may; the message does not name it.
pub(crate) fn small_text(file: &Path, kind: &str, largest: u64) -> Result<String, String> {
    let unreadable = |e: std::io::Error| format!("cannot be read: {e}");
    let size = std::fs::metadata(file).map_err(unreadable)?.len();
    if size > largest {
        return Err(format!("has {size} bytes, but {kind} may have at most {largest}"));
    }
    std::fs::read_to_string(file).map_err(unreadable)
}

/// A course file, and its text.
///
/// # Errors
/// A file that cannot be read, is no course file, or names a lab, an exercise or a gate that there is not.
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

/// Whether some exercise has a gate of that name: an id, or `lab-6/tiled/id`.
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
