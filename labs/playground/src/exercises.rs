//! Lists the labs' exercises, and grades them.

use crate::kernels;
use crate::pictures::drawn;
use crate::request::Submission;
use device::Recording;
use harness::reference::{Carried, References};
use harness::report::{self, Style};
use harness::{Exercise, Lab, Options};
use serde_json::{Value, json};
use std::sync::LazyLock;

static LABS: LazyLock<Vec<Lab>> = LazyLock::new(labs::all);

/// The measured values of the references, which kernels are compared with.
static CARRIED: LazyLock<Carried> = LazyLock::new(|| {
    Carried::new(
        include!(concat!(env!("OUT_DIR"), "/starters.rs")),
        include_str!(concat!(env!("OUT_DIR"), "/measured.json")),
    )
});

/// All labs in order.
pub(crate) fn labs() -> &'static [Lab] {
    &LABS
}

/// Finds an exercise by the number of its lab and its name.
///
/// # Errors
/// Lists the labs or exercises that exist.
pub(crate) fn exercise(number: u32, name: &str) -> Result<(&'static Lab, &'static dyn Exercise), String> {
    let lab = labs().iter().find(|lab| lab.number == number).ok_or_else(|| {
        let numbers: Vec<String> = labs().iter().map(|lab| lab.number.to_string()).collect();
        format!("there is no lab {number}; there are {}", numbers.join(", "))
    })?;
    let exercise = lab.exercise(name).ok_or_else(|| {
        let names: Vec<&str> = lab.exercises.iter().map(|exercise| exercise.name()).collect();
        let near = source::did_you_mean(name, names.iter().copied());
        format!("lab {number} has no exercise `{name}`{near}; it has {}", names.join(", "))
    })?;
    Ok((lab, exercise))
}

/// Name of the student's file in messages: a page has no folders.
fn file(exercise: &dyn Exercise) -> String {
    format!("{}.cu", exercise.name())
}

/// Every lab with its exercises.
pub(crate) fn list() -> Value {
    let exercise = |lab: &Lab, exercise: &dyn Exercise| {
        let kernels = exercise.expects().kernels;
        json!({
            "name": exercise.name(),
            "title": exercise.title(),
            "file": file(exercise),
            "kernel": kernels.first().map(|kernel| kernel.name),
            "starter": CARRIED.starter_text(lab, exercise.name()),
            "hints": harness::Hints::of(exercise.hints()).steps.len(),
        })
    };
    let lab = |lab: &Lab| {
        let exercises: Value = lab.exercises.iter().map(|e| exercise(lab, e.as_ref())).collect();
        json!({ "number": lab.number, "package": lab.package, "title": lab.title, "exercises": exercises })
    };
    labs().iter().map(lab).collect()
}

/// The report on a kernel file.
pub(crate) fn grade(submission: Submission) -> Result<Value, String> {
    let Submission { lab, exercise: name, text, model, seed, extras, verbose } = submission;
    let (lab, exercise) = exercise(lab, &name)?;
    let name = file(exercise);
    let mut device = kernels::device(&model)?;
    // Trying suggestions may take as long as grading, so a page requests them separately with `suggest`.
    let options = Options { seed, extras, suggestions: false, ..Options::default() };
    let text = harness::kernel_file(text.into_bytes(), &name);
    let report = harness::grade_text(lab, exercise, (&name, text), &*CARRIED, &mut device, &options);
    let rendered = report::text(&report, Style { verbose, ..Style::PLAIN });
    let mut answer =
        serde_json::to_value(&report).map_err(|e| format!("the report has no JSON form: {e}"))?;
    answer["rendered"] = rendered.into();
    answer["rendered_in_full"] = report::text(&report, Style { verbose: true, ..Style::PLAIN }).into();
    let diagnostics: Vec<_> = report.diagnostics.iter().map(|message| &message.json).collect();
    answer["pictures"] = drawn(&json!({ "file": report.file, "diagnostics": diagnostics }))?;
    Ok(answer)
}

/// The diagnostics of a failing kernel file. The first has suggestions, if one was tried and works.
pub(crate) fn suggest(submission: Submission) -> Result<Value, String> {
    let Submission { lab, exercise: name, text, model, seed, .. } = submission;
    let (lab, exercise) = exercise(lab, &name)?;
    let name = file(exercise);
    let mut device = kernels::device(&model)?;
    let options = Options { seed, extras: false, ..Options::default() };
    let text = harness::kernel_file(text.into_bytes(), &name);
    let report = harness::grade_text(lab, exercise, (&name, text), &*CARRIED, &mut device, &options);
    let diagnostics: Vec<_> = report.diagnostics.iter().map(|message| &message.json).collect();
    Ok(json!({ "diagnostics": diagnostics }))
}

/// Pictures of accesses of single warps in the report case, for lines that take more than the minimum or split warps.
pub(crate) fn access(submission: Submission) -> Result<Value, String> {
    let Submission { lab, exercise: name, text, model, seed, .. } = submission;
    let (_, exercise) = exercise(lab, &name)?;
    let name = file(exercise);
    let mut device = kernels::device(&model)?;
    let text = harness::kernel_file(text.into_bytes(), &name)?;
    let recording = harness::record(exercise, text, &mut device, seed)
        .map_err(|_| "accesses are drawn of a kernel whose results are correct at the report's size")?;
    let Recording { accesses, branches } = recording.in_excess(&name);
    let pictures = drawn(&json!({ "file": name, "accesses": accesses, "branches": branches }))?;
    Ok(json!({ "pictures": pictures }))
}
