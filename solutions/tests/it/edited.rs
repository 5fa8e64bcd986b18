//! Kernels that are made of others by edits, and their grades.

use harness::{Exercise, ExerciseReport, Lab, Options, grade};
use solutions::paths;
use std::path::Path;

/// The text of a kernel file, whatever its line ends.
pub(crate) fn text(path: &Path) -> String {
    harness::read_kernel_file(path, &paths().display(path)).unwrap().text
}

/// A text in which each `from`, which must be there, is replaced. `what` is what the test calls it.
pub(crate) fn edited<'a>(
    what: &str,
    text: &str,
    edits: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    edits.into_iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{what}: `{from}` is not there");
        text.replace(from, to)
    })
}

/// Grades a text as the kernel file of an exercise, on the simulator.
pub(crate) fn graded(lab: &Lab, exercise: &dyn Exercise, text: &str, options: &Options) -> ExerciseReport {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format!("{}.cu", exercise.name()));
    std::fs::write(&file, text).unwrap();
    let mut device = backend::open(Some("sim"), None).unwrap();
    grade(lab, exercise, &file, &paths(), device.as_mut(), options)
}
