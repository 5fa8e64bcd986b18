//! All labs, and how a user names one.

use crate::failure::Failure;
use harness::{Best, Exercise, Lab};

/// The seven labs in order.
pub(crate) fn labs() -> Vec<Lab> {
    vec![lab_1::lab(), lab_2::lab(), lab_3::lab(), lab_4::lab(), lab_5::lab(), lab_6::lab(), lab_7::lab()]
}

/// An exercise with its lab.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The lab.
    pub(crate) lab: &'a Lab,
    /// One of its exercises.
    pub(crate) exercise: &'a dyn Exercise,
}

impl Target<'_> {
    /// As `lab-1/naive`.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.lab.package, self.exercise.name())
    }
}

/// The lab that a user means by `1`, `lab-1`, `lab-1-stencil` or `stencil`.
pub(crate) fn find_lab<'a>(labs: &'a [Lab], name: &str) -> Result<&'a Lab, Failure> {
    let wanted = name.trim_end_matches('/').to_lowercase().replace('_', "-");
    labs.iter().find(|lab| names(lab).contains(&wanted)).ok_or_else(|| {
        let known: Vec<String> = labs.iter().map(|lab| format!("{} ({})", lab.number, topic(lab))).collect();
        Failure::new(
            format!("there is no lab `{name}`"),
            format!("the labs are {}, or `all`", known.join(", ")),
        )
    })
}

/// The exercise of that name in a lab; `tiled.cu` and `register-tiled` are understood.
pub(crate) fn find_exercise<'a>(lab: &'a Lab, name: &str) -> Result<Target<'a>, Failure> {
    let wanted = name.strip_suffix(".cu").unwrap_or(name).to_lowercase().replace('-', "_");
    match lab.exercise(&wanted) {
        Some(exercise) => Ok(Target { lab, exercise }),
        None => {
            let known: Vec<&str> = lab.exercises.iter().map(|e| e.name()).collect();
            let what = format!("{} has no exercise `{name}`", lab.package);
            Err(Failure::new(what, format!("its exercises are {}", known.join(", "))))
        }
    }
}

/// What `lab` and `exercise` on the command line name; `all` is every lab.
pub(crate) fn select<'a>(
    labs: &'a [Lab],
    lab: &str,
    exercise: Option<&str>,
) -> Result<Vec<Target<'a>>, Failure> {
    let all = lab.eq_ignore_ascii_case("all");
    if let Some(exercise) = exercise {
        if all {
            return Err(Failure::new(
                format!("`all` cannot be combined with the exercise `{exercise}`"),
                "name the exercise's lab instead of `all`",
            ));
        }
        return Ok(vec![find_exercise(find_lab(labs, lab)?, exercise)?]);
    }
    Ok(if all { every(labs).collect() } else { exercises(find_lab(labs, lab)?).collect() })
}

/// The best kernels that `lab` on the command line names; `all` is every lab that has one.
pub(crate) fn best<'a>(labs: &'a [Lab], lab: &str) -> Result<Vec<(Target<'a>, &'a Best)>, Failure> {
    let of = |lab: &'a Lab| {
        let target = |best: &'a Best| (Target { lab, exercise: best.exercise.as_ref() }, best);
        lab.best.as_ref().map(target)
    };
    if lab.eq_ignore_ascii_case("all") {
        return Ok(labs.iter().filter_map(of).collect());
    }
    let lab = find_lab(labs, lab)?;
    of(lab).map(|found| vec![found]).ok_or_else(|| {
        let have: Vec<String> =
            labs.iter().filter(|l| l.best.is_some()).map(|l| l.number.to_string()).collect();
        Failure::new(
            format!("{} has no best kernel of its own", lab.package),
            format!("labs {} have one; lab 4's is the best convolution for lab 5 too", have.join(", ")),
        )
    })
}

/// All exercises of all labs.
pub(crate) fn every(labs: &[Lab]) -> impl Iterator<Item = Target<'_>> {
    labs.iter().flat_map(exercises)
}

/// All exercises of a lab.
pub(crate) fn exercises(lab: &Lab) -> impl Iterator<Item = Target<'_>> {
    lab.exercises.iter().map(move |exercise| Target { lab, exercise: exercise.as_ref() })
}

/// Whether a part of a path, as `lab-1-stencil`, `Lab1` or `lab_1`, names the lab.
pub(crate) fn is_named_by(lab: &Lab, part: &str) -> bool {
    let part = part.to_lowercase().replace('_', "-");
    names(lab).iter().skip(1).any(|name| *name == part) || part == format!("lab{}", lab.number)
}

/// `1`, `lab-1`, `lab-1-stencil`, `stencil`.
fn names(lab: &Lab) -> [String; 4] {
    [lab.number.to_string(), lab.package.to_string(), lab.folder.to_string(), topic(lab).to_string()]
}

/// The folder's name without the number, as `stencil`.
fn topic(lab: &Lab) -> &str {
    lab.folder.strip_prefix(lab.package).map_or(lab.folder, |rest| rest.trim_start_matches('-'))
}
