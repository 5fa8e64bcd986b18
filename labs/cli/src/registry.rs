//! Exercises with their labs. [`crate::selection`] maps the user's words to them.

use harness::{Best, Exercise, Lab};
use source::Failure;

pub(crate) use labs::all as labs;

/// An exercise with its lab.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) lab: &'a Lab,
    /// One of its exercises.
    pub(crate) exercise: &'a dyn Exercise,
}

impl Target<'_> {
    /// The full name, such as `lab-1/naive`.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.lab.package, self.exercise.name())
    }

    /// The name in the form of a command line, such as `1 naive`.
    pub(crate) fn words(&self) -> String {
        format!("{} {}", self.lab.number, self.exercise.name())
    }
}

/// The best kernel of a lab.
///
/// # Errors
/// Lists the labs that have a best kernel, if this lab has none.
pub(crate) fn best<'a>(labs: &'a [Lab], lab: &'a Lab) -> Result<(Target<'a>, &'a Best), Failure> {
    best_if_any(lab).ok_or_else(|| {
        let have: Vec<String> =
            labs.iter().filter(|l| l.best.is_some()).map(|l| l.number.to_string()).collect();
        Failure::new(
            format!("{} has no best kernel of its own", lab.package),
            format!("labs {} have one; lab 4's is the best convolution for lab 5 too", have.join(", ")),
        )
    })
}

/// The best kernel of a lab; `None` if it has none.
pub(crate) fn best_if_any(lab: &Lab) -> Option<(Target<'_>, &Best)> {
    lab.best.as_ref().map(|best| (Target { lab, exercise: best.exercise.as_ref() }, best))
}

/// All exercises of all labs.
pub(crate) fn every(labs: &[Lab]) -> impl Iterator<Item = Target<'_>> {
    labs.iter().flat_map(exercises)
}

/// All exercises of a lab.
pub(crate) fn exercises(lab: &Lab) -> impl Iterator<Item = Target<'_>> {
    lab.exercises.iter().map(move |exercise| Target { lab, exercise: exercise.as_ref() })
}
