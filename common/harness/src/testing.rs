//! The test runner of a lab: `cargo test -p lab-N`.
//!
//! Every check of every exercise is a named test, `naive::compiles`, `naive::correct_33x17`, `naive::gate_…`; an exercise is
//! graded once, when the first of its tests runs. A check that could not be made, because an earlier one failed, is
//! shown as ignored with the reason. The report follows the tests, whether or not they pass.
//!
//! Environment variables: `LAB_KERNEL` is a file to grade instead of the one in `kernels/` (its exercise is the
//! file's stem, or `LAB_EXERCISE`), `LAB_SEED` is the inputs' seed, `LAB_DEVICE` (`sim`, `gpu`, `both`) and
//! `LAB_MODEL` select the device. An invalid value is always an error.

use crate::report::{self, Style};
use crate::{Check, ExerciseReport, Lab, Options, Paths, Status, grade};
use device::Device;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The requested device; names as the user gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceRequest {
    /// `LAB_DEVICE`: `sim`, `gpu`, …; `None` if not set.
    pub device: Option<String>,
    /// `LAB_MODEL`: a device model of the simulator; `None` if not set.
    pub model: Option<String>,
}

/// Creates the requested device, or says why it cannot.
pub type MakeDevice = fn(&DeviceRequest) -> Result<Box<dyn Device>, String>;

/// Exit code for wrong use (an environment variable, a missing folder), unlike failed tests.
const WRONG_USE: i32 = 2;

/// Runs a lab's tests and exits. Call it from a test target with `harness = false`. `manifest_dir` is
/// `env!("CARGO_MANIFEST_DIR")`, where the search for the workspace's root starts.
pub fn main(lab: Lab, manifest_dir: &str, make_device: MakeDevice) -> ! {
    run(lab, manifest_dir, make_device, std::env::args_os())
}

/// Does the work of [`main`] with explicit arguments, the program's name first.
pub fn run<T: Into<OsString> + Clone>(
    lab: Lab,
    manifest_dir: &str,
    make_device: MakeDevice,
    arguments: impl IntoIterator<Item = T>,
) -> ! {
    let arguments = Arguments::from_iter(arguments);
    let session = match Session::new(lab, manifest_dir, make_device, |name| std::env::var(name).ok()) {
        Ok(session) => Arc::new(session),
        Err(message) => {
            eprintln!("error: {message}");
            std::process::exit(WRONG_USE)
        }
    };
    let conclusion = libtest_mimic::run(&arguments, Session::trials(&session));
    let graded: Vec<ExerciseReport> =
        session.entries.iter().filter_map(|e| e.report.get().cloned()).collect();
    let style = Style::for_stdout();
    for graded in &graded {
        println!("{}", report::text_of_several(graded, style));
    }
    if !graded.is_empty() {
        println!("{}", report::overview(&graded, style));
    }
    conclusion.exit()
}

/// The files to grade, and the options.
struct Session {
    lab: Lab,
    paths: Paths,
    options: Options,
    request: DeviceRequest,
    make_device: MakeDevice,
    entries: Vec<Entry>,
}

/// An exercise to grade.
struct Entry {
    exercise: usize,
    file: PathBuf,
    report: OnceLock<ExerciseReport>,
}

impl Session {
    /// Creates a session; `variable` reads an environment variable.
    fn new(
        lab: Lab,
        manifest_dir: &str,
        make_device: MakeDevice,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Session, String> {
        let set = |name: &str| variable(name).filter(|v| !v.is_empty());
        let paths = Paths::find(Path::new(manifest_dir))
            .ok_or_else(|| format!("no folder above `{manifest_dir}` has `kernels/` and `solutions/`"))?;
        let mut options = Options::default();
        if let Some(seed) = set("LAB_SEED") {
            options.seed = seed
                .parse()
                .map_err(|_| format!("LAB_SEED is `{seed}`: expected a whole number from 0 to 2^64-1"))?;
        }
        let request = DeviceRequest { device: set("LAB_DEVICE"), model: set("LAB_MODEL") };
        // Create the device once here, so that a wrong name is reported once, not per test.
        make_device(&request)?;
        let entry = |exercise: usize, file: PathBuf| Entry { exercise, file, report: OnceLock::new() };
        let entries = match (set("LAB_KERNEL"), set("LAB_EXERCISE")) {
            (Some(file), name) => {
                let exercise = exercise_of(&lab, &file, name.as_deref())?;
                vec![entry(exercise, resolve(&paths, &file))]
            }
            (None, Some(name)) => {
                let exercise = index_of(&lab, &name).ok_or_else(|| unknown(&lab, "LAB_EXERCISE", &name))?;
                vec![entry(exercise, paths.kernel(&lab, lab.exercises[exercise].name()))]
            }
            (None, None) => {
                let files = lab.exercises.iter().map(|e| paths.kernel(&lab, e.name()));
                files.enumerate().map(|(i, file)| entry(i, file)).collect()
            }
        };
        Ok(Session { lab, paths, options, request, make_device, entries })
    }

    /// One test per check of each exercise.
    fn trials(session: &Arc<Session>) -> Vec<Trial> {
        let mut trials = Vec::new();
        for (at, entry) in session.entries.iter().enumerate() {
            let exercise = &*session.lab.exercises[entry.exercise];
            for (i, name) in grade::check_names(exercise, session.options.seed).into_iter().enumerate() {
                let shared = session.clone();
                let run = move || shared.outcome(at, i);
                trials.push(Trial::ignorable_test(format!("{}::{name}", exercise.name()), run));
            }
        }
        trials
    }

    fn outcome(&self, entry: usize, check: usize) -> Result<Completion, Failed> {
        let report = self.report(entry)?;
        match report.checks.get(check) {
            Some(Check { status: Status::Passed, .. }) => Ok(Completion::Completed),
            Some(Check { status: Status::Skipped, message, .. }) => Ok(Completion::ignored_with(message)),
            Some(Check { status: Status::Failed, .. }) => Err(Failed::from(report::brief(report, check))),
            None => Err(Failed::from("the check was not made")),
        }
    }

    fn report(&self, entry: usize) -> Result<&ExerciseReport, Failed> {
        let Entry { exercise, file, report } = &self.entries[entry];
        if let Some(report) = report.get() {
            return Ok(report);
        }
        let mut device = (self.make_device)(&self.request).map_err(Failed::from)?;
        let exercise = &*self.lab.exercises[*exercise];
        Ok(report.get_or_init(|| {
            grade::grade(&self.lab, exercise, file, &self.paths, &mut *device, &self.options)
        }))
    }
}

fn index_of(lab: &Lab, name: &str) -> Option<usize> {
    let name = lab.exercise_called(name)?.name();
    lab.exercises.iter().position(|e| e.name() == name)
}

fn unknown(lab: &Lab, variable: &str, name: &str) -> String {
    let names: Vec<&str> = lab.exercises.iter().map(|e| e.name()).collect();
    let near = crate::expect::near(name, &names);
    format!(
        "{variable} is `{name}`: {} has no such exercise (it has {}){near}",
        lab.package,
        names.join(", ")
    )
}

/// The exercise of a file: `LAB_EXERCISE`, or the file's stem.
fn exercise_of(lab: &Lab, file: &str, name: Option<&str>) -> Result<usize, String> {
    if let Some(name) = name {
        return index_of(lab, name).ok_or_else(|| unknown(lab, "LAB_EXERCISE", name));
    }
    let stem = Path::new(file).file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    index_of(lab, stem).ok_or_else(|| {
        let names: Vec<&str> = lab.exercises.iter().map(|e| e.name()).collect();
        format!(
            "LAB_KERNEL is `{file}`: name the exercise that it is for with LAB_EXERCISE ({} has {})",
            lab.package,
            names.join(", ")
        )
    })
}

/// Resolves the user's path relative to the workspace's root, because `cargo test` runs in the package's folder.
fn resolve(paths: &Paths, file: &str) -> PathBuf {
    let path = Path::new(file);
    let from_root = paths.root.join(path);
    if path.is_absolute() || (!from_root.exists() && path.exists()) { path.to_owned() } else { from_root }
}
