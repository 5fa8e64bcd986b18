//! A course file: what an instructor sets for all submissions.
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

use crate::failure::Failure;
use harness::{Lab, Weights};
use serde::Deserialize;
use std::path::Path;

/// Largest course file that is read, bytes.
const LARGEST: u64 = 1 << 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Course {
    #[serde(default)]
    weights: Weights,
}

/// The weights of a course file; the project's own without one.
///
/// # Errors
/// A file that cannot be read, is no course file, or names a gate that no exercise has.
pub(crate) fn weights(labs: &[Lab], file: Option<&Path>) -> Result<Weights, Failure> {
    Ok(read(labs, file)?.map_or_else(Weights::default, |(weights, _)| weights))
}

/// The text of a course file that is valid.
///
/// # Errors
/// As [`weights`].
pub(crate) fn text(labs: &[Lab], file: Option<&Path>) -> Result<Option<String>, Failure> {
    Ok(read(labs, file)?.map(|(_, text)| text))
}

fn read(labs: &[Lab], file: Option<&Path>) -> Result<Option<(Weights, String)>, Failure> {
    let Some(file) = file else { return Ok(None) };
    let help = "a course file is TOML with a table [weights]; docs/src/grading.md shows one";
    let fail = |what: String| Failure::new(format!("{}: {what}", file.display()), help);
    let size = std::fs::metadata(file).map_err(|e| fail(format!("cannot be read: {e}")))?.len();
    if size > LARGEST {
        return Err(fail(format!("has {size} bytes, but a course file may have at most {LARGEST}")));
    }
    let text = std::fs::read_to_string(file).map_err(|e| fail(format!("cannot be read: {e}")))?;
    let course: Course =
        toml::from_str(&text).map_err(|e| fail(e.to_string().trim_end().replace('\n', "\n  ")))?;
    course.weights.check().map_err(fail)?;
    let unknown = course.weights.gate.keys().find(|name| !names(labs, name));
    match unknown {
        Some(name) => Err(fail(format!("no exercise has the gate `{name}`"))),
        None => Ok(Some((course.weights, text))),
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
