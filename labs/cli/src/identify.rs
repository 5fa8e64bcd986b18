//! Identifies the exercise of a submitted file by its path, its name, or the kernels that it defines.

use crate::registry::{self, Target};
use harness::{Lab, hyphenated};
use source::Failure;
use std::path::Path;

/// The exercise of a file.
///
/// # Errors
/// Says that no exercise or more than one fits; the help names the option that selects one.
pub(crate) fn identify<'a>(labs: &'a [Lab], path: &Path, text: &str) -> Result<Target<'a>, Failure> {
    let mut candidates: Vec<Target<'a>> = registry::every(labs).collect();
    narrow(&mut candidates, |t| lab_is_in_path(t, path));
    narrow(&mut candidates, |t| is_named(t, path));
    if candidates.len() > 1 {
        // Unlike [`narrow`], this may remove all candidates: a file without any of the kernels belongs to no
        // exercise.
        candidates.retain(|t| has_kernels(t, text));
    }
    match candidates.as_slice() {
        [one] => Ok(*one),
        several => {
            let names: Vec<String> = several.iter().map(Target::name).collect();
            let what = match several {
                [] => format!("{}: cannot tell which exercise this file is for", path.display()),
                _ => format!("{}: may be for {}", path.display(), names.join(" or ")),
            };
            let example = names.first().map_or("lab-1/naive", String::as_str);
            Err(Failure::new(
                what,
                format!("specify it with `--exercise {example}`, or name the file lab-N/EXERCISE.cu"),
            ))
        }
    }
}

/// Whether a file defines the kernels of an exercise.
pub(crate) fn has_kernels(target: &Target<'_>, text: &str) -> bool {
    let kernels = kernels_of(text);
    target.exercise.expects().kernels.iter().all(|kernel| kernels.contains(&kernel.name))
}

/// Keeps the candidates that fit, unless none fits.
fn narrow<'a>(candidates: &mut Vec<Target<'a>>, fits: impl Fn(&Target<'a>) -> bool) {
    if candidates.iter().any(&fits) {
        candidates.retain(fits);
    }
}

/// Whether a folder of the path, or the file's name, names the lab.
fn lab_is_in_path(target: &Target<'_>, path: &Path) -> bool {
    let stem = normal(path.file_stem());
    let names = target.lab.names();
    let [package, short, ..] = &names;
    let in_name = [package, short].iter().any(|name| has_word(&stem, name));
    // A bare number does not count: a folder `1` may be a student's.
    let mut folders = path.parent().into_iter().flat_map(Path::components);
    in_name || folders.any(|c| names.contains(&normal(Some(c.as_os_str()))))
}

/// Whether the file's name is the exercise's name, or ends in it (`lab-1_shared`, `ada-naive`).
pub(crate) fn is_named(target: &Target<'_>, path: &Path) -> bool {
    let stem = normal(path.file_stem());
    let name = hyphenated(target.exercise.name());
    let longer = target.lab.exercises.iter().map(|e| hyphenated(e.name())).any(|other| {
        // `fir_shared` also ends in `shared`, so the longest matching name counts.
        other.len() > name.len() && ends_in_word(&stem, &other)
    });
    ends_in_word(&stem, &name) && !longer
}

fn ends_in_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('-'))
}

fn has_word(text: &str, word: &str) -> bool {
    format!("-{text}-").contains(&format!("-{word}-"))
}

fn normal(name: Option<&std::ffi::OsStr>) -> String {
    hyphenated(&name.unwrap_or_default().to_string_lossy())
}

/// Names of `__global__` functions, found without the parser so that files with errors can be identified, too.
fn kernels_of(text: &str) -> Vec<&str> {
    text.split("__global__").skip(1).filter_map(kernel_name).collect()
}

/// The name before the first parenthesis, skipping the one of `__launch_bounds__`.
fn kernel_name(declaration: &str) -> Option<&str> {
    let mut rest = declaration;
    loop {
        let open = rest.find('(')?;
        let head = rest[..open].trim_end();
        let begin = head.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let name = &head[begin..];
        if name != "__launch_bounds__" {
            return (!name.is_empty()).then_some(name);
        }
        rest = &rest[open + rest[open..].find(')')? + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identified(path: &str, text: &str) -> Result<String, String> {
        let labs = registry::labs();
        identify(&labs, Path::new(path), text).map(|t| t.name()).map_err(|e| e.what)
    }

    #[test]
    fn path_and_name_tell_the_exercise() {
        for (path, expected) in [
            ("kernels/lab-1-stencil/naive.cu", "lab-1/naive"),
            ("ada/lab-6/naive.cu", "lab-6/naive"),
            ("ada/Lab7/copy.cu", "lab-7/copy"),
            ("cached_halo.cu", "lab-5/cached_halo"),
            ("lab-3_fir_shared.cu", "lab-3/fir_shared"),
            ("ada-lab1-shared.cu", "lab-1/shared"),
        ] {
            assert_eq!(identified(path, ""), Ok(expected.to_string()), "{path}");
        }
    }

    #[test]
    fn an_ambiguous_name_is_settled_by_the_kernel_or_refused() {
        let labs = registry::labs();
        let tiled = labs[5].exercise("tiled").unwrap();
        let kernel = tiled.expects().kernels[0].name;
        let text = format!("__global__ void __launch_bounds__(256) {kernel}(int n) {{}}");
        assert_eq!(kernels_of(&text), [kernel]);
        assert!(identified("x.cu", "int x;").unwrap_err().contains("cannot tell"));
        assert!(identified("naive.cu", "").is_err());
    }

    #[test]
    fn kernel_names_are_found_without_a_parser() {
        let text = "template <int N> __global__ void\n  a (float *p) {}\n__global__ void b(); __global__";
        assert_eq!(kernels_of(text), ["a", "b"]);
        assert_eq!(kernels_of("__global__ __launch_bounds__(256"), Vec::<&str>::new());
    }
}
