//! Grading: one kernel file in, one report out.
//!
//! # The score
//!
//! 0 to 100. A file that does not compile or has another signature gets 0. Correctness gives up to 60, the share of
//! cases with a right result. Only when every case is right, `clean` gives 10 and the gates share 30 evenly; an
//! exercise without gates gives these 30 for correctness, so 90. What the device cannot judge (a real GPU has no
//! counters and checks no accesses) is left out of both sides of the sum.

use crate::{
    Case, Check, Context, Exercise, ExerciseReport, Failure, Lab, Measured, Message, Paths, Run, SCHEMA,
    SeededSizes, Status, Tally, metrics,
};
use device::{Device, DeviceError, KernelFile, Messages};
use source::{Severity, Verdict};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

/// Largest kernel file that is read, bytes.
pub const LARGEST_FILE: u64 = 1 << 20;

/// Warp instructions that all launches of one submission's cases may execute together: some eight times what the most demanding
/// reference needs, so that a kernel that is right and slow is graded, and one that wastes everybody's time is stopped.
pub const INSTRUCTIONS: u64 = 200_000_000;

/// How to grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The inputs' seed.
    pub seed: u64,
    /// Whether the exercise's extra rows (sweeps) are made too.
    pub extras: bool,
    /// Values for constants of the kernel file, in place of the file's own.
    pub defines: crate::Setting,
}

impl Default for Options {
    fn default() -> Options {
        Options { seed: 1, extras: true, defines: Vec::new() }
    }
}

/// Reads a kernel file; `name` is what messages call it.
///
/// # Errors
/// One message for a file that is missing, a directory, unreadable, empty, too large or not text. Bytes that are not UTF-8
/// become U+FFFD: nvcc takes them in comments, and elsewhere the compiler says on which line they are.
pub fn read_kernel_file(path: &Path, name: &str) -> Result<KernelFile, String> {
    let metadata = std::fs::metadata(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!("`{name}` does not exist"),
        _ => format!("`{name}` cannot be read: {e}"),
    })?;
    if metadata.is_dir() {
        return Err(format!("`{name}` is a directory, not a kernel file"));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(format!(
            "`{name}` has {} bytes: a kernel file may have up to {LARGEST_FILE} (1 MiB)",
            metadata.len()
        ));
    }
    let bytes = std::fs::read(path).map_err(|e| format!("`{name}` cannot be read: {e}"))?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(format!("`{name}` is UTF-16 text: save it as UTF-8"));
    }
    let text = match String::from_utf8(bytes) {
        Err(e) if e.as_bytes().contains(&0) => {
            return Err(format!("`{name}` is not text: is it a compiled file or an archive?"));
        }
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
        Ok(text) => text,
    };
    if text.trim().is_empty() {
        return Err(format!("`{name}` is empty"));
    }
    Ok(KernelFile { name: name.to_owned(), text })
}

/// The names of an exercise's checks, in the order in which they are made.
pub fn check_names(exercise: &dyn Exercise, seed: u64) -> Vec<String> {
    let mut names = vec!["compiles".to_owned(), "signature".to_owned()];
    names.extend(cases(exercise, seed).iter().map(correct));
    names.push("clean".to_owned());
    names.extend(exercise.gates().iter().map(|g| format!("gate_{}", g.id)));
    names
}

/// The cases that a kernel is graded by: with another seed than the default, one more that nobody knows before.
fn cases(exercise: &dyn Exercise, seed: u64) -> Vec<Case> {
    let mut cases = exercise.cases();
    if seed != Options::default().seed {
        let further = exercise.case_of_seed(&mut SeededSizes::of(seed, exercise.name()));
        let further = further.filter(|new| cases.iter().all(|case| case.label != new.label));
        let before = cases.iter().position(|case| case.is_report).unwrap_or(cases.len());
        cases.splice(before..before, further);
    }
    cases
}

fn correct(case: &Case) -> String {
    format!("correct_{}", case.label)
}

/// Grades a kernel file. Never fails: what goes wrong is in the report.
pub fn grade(
    lab: &Lab,
    exercise: &dyn Exercise,
    file: &Path,
    paths: &Paths,
    device: &mut dyn Device,
    options: &Options,
) -> ExerciseReport {
    let mut grading =
        Grading { exercise, report: empty_report(lab, exercise, paths.display(file), device, options) };
    grading.run(lab, file, paths, device, options);
    grading.finish()
}

/// Compiles a kernel file and runs its exercise's report case.
///
/// # Errors
/// As [`Exercise::run`]; a file that cannot be read.
pub fn measure(
    exercise: &dyn Exercise,
    file: KernelFile,
    device: &mut dyn Device,
    seed: u64,
) -> Result<(Run, Tally), Failure> {
    run_report_case(exercise, file, device, seed, true)
}

/// The same; with or without repeating each launch for its time on a device that measures.
///
/// # Errors
/// As [`measure`].
pub fn run_report_case(
    exercise: &dyn Exercise,
    file: KernelFile,
    device: &mut dyn Device,
    seed: u64,
    timed: bool,
) -> Result<(Run, Tally), Failure> {
    let case = report_case(exercise).ok_or_else(|| Failure::Other("no report case".into()))?;
    let options = Options { seed, ..Options::default() };
    let mut cx = Context::new(device, file, exercise, &options)?;
    cx.reset()?;
    cx.device().set_timing(timed);
    let run = exercise.run(&mut cx, &case);
    cx.device().set_timing(false);
    let run = run?;
    let tally = cx.tally().clone();
    Ok((run, tally))
}

fn report_case(exercise: &dyn Exercise) -> Option<Case> {
    exercise.cases().into_iter().find(|c| c.is_report)
}

fn empty_report(
    lab: &Lab,
    exercise: &dyn Exercise,
    file: String,
    device: &dyn Device,
    options: &Options,
) -> ExerciseReport {
    ExerciseReport {
        schema: SCHEMA,
        lab: lab.package.to_owned(),
        exercise: exercise.name().to_owned(),
        title: exercise.title().to_owned(),
        file,
        device: device.info().clone(),
        seed: options.seed,
        status: Status::Failed,
        score: 0,
        hint: None,
        checks: Vec::new(),
        gates: Vec::new(),
        case: report_case(exercise),
        counters: None,
        metrics: crate::Metrics::default(),
        extras: Vec::new(),
        lines: Vec::new(),
        diagnostics: Vec::new(),
        printed: String::new(),
    }
}

struct Grading<'a> {
    exercise: &'a dyn Exercise,
    report: ExerciseReport,
}

impl Grading<'_> {
    fn run(&mut self, lab: &Lab, file: &Path, paths: &Paths, device: &mut dyn Device, options: &Options) {
        let file = match read_kernel_file(file, &self.report.file) {
            Ok(file) => file,
            Err(message) => return self.stop("compiles", &message, "the file could not be read"),
        };
        let mut cx = match Context::new(device, file.clone(), self.exercise, options) {
            Ok(cx) => cx,
            Err(error) => {
                let message = self.describe(&error);
                return self.stop("compiles", &message, "the file does not compile");
            }
        };
        self.add_messages(&cx.program().warnings.clone());
        self.add("compiles", Status::Passed, "");
        if let Err(message) = self.exercise.expects().check(cx.program()) {
            return self.stop("signature", &message, "the file does not define what is expected");
        }
        self.add("signature", Status::Passed, "");
        let solution = read_kernel_file(&paths.solution(lab, self.exercise.name()), "solution").ok();
        cx.device().allow_instructions(Some(INSTRUCTIONS));
        let ran = self.cases(&mut cx, &file.text, solution.as_ref().map(|s| s.text.as_str()));
        cx.device().allow_instructions(None);
        self.clean(cx.device().checks_accesses());
        let Some((case, run, tally)) = ran else {
            return self.skip_rest("not every result is correct");
        };
        if options.defines.is_empty() && solution.is_some_and(|s| s.text == file.text) {
            // Another exercise may have this one as its baseline.
            let name = self.exercise.name();
            let key = Baseline::key(cx.device(), lab, name, options.seed, &file.text);
            Baseline { exercise: name.to_owned(), case: case.clone(), tally: tally.clone() }.keep(key);
        }
        let baseline = self.baseline(lab, paths, cx.device(), options.seed);
        match cx.device().counts_by_todays_rules() {
            true => self.gates(&case, &run, &tally, baseline.as_deref()),
            false => self.skip_rest(
                "gates are set for 32-byte sectors and 32 banks, and this device model counts by others",
            ),
        }
        metrics::fill(&mut self.report, self.exercise, &case, &tally, &cx, baseline.as_deref(), &file);
        if options.extras {
            cx.device().set_timing(true);
            let extras = self.exercise.extra_report(&mut cx, &case, &run);
            cx.device().set_timing(false);
            match extras {
                Ok(extras) => self.report.extras = extras,
                Err(error) => {
                    let text = self.describe_failure(&error);
                    self.report.extras.push(crate::Extra::fact("more", format!("could not be made: {text}")));
                }
            }
        }
    }

    /// Runs every case; the report case's results if all were right.
    fn cases(
        &mut self,
        cx: &mut Context<'_>,
        text: &str,
        solution: Option<&str>,
    ) -> Option<(Case, Run, Tally)> {
        let mut reported = None;
        let mut all_right = true;
        let mut stored = false;
        let mut stopped: Option<String> = None;
        for case in cases(self.exercise, self.report.seed) {
            let name = correct(&case);
            if let Some(at) = &stopped {
                let why = format!("not run: the launch of case {at} was stopped");
                self.add(&name, Status::Skipped, &why);
                continue;
            }
            // Only the report's case is timed: repeating every launch of the others would tell nothing.
            cx.device().set_timing(case.is_report);
            let result = cx.reset().and_then(|()| self.exercise.run(cx, &case));
            cx.device().set_timing(false);
            let warnings: Vec<Messages> = cx.tally().warnings.clone();
            warnings.iter().for_each(|w| self.add_messages(w));
            match result {
                Ok(run) => {
                    stored = true;
                    self.add(&name, Status::Passed, "");
                    if case.is_report {
                        reported = Some((case, run, cx.tally().clone()));
                    }
                }
                Err(failure) => {
                    all_right = false;
                    stored |= stores(&failure, cx.tally());
                    let message = self.describe_failure(&failure);
                    self.add(&name, Status::Failed, &message);
                    if ends_the_run(&failure, cx) {
                        stopped = Some(case.label.clone());
                    }
                }
            }
        }
        if !stored {
            self.report.hint = Some(where_to_begin(&self.report.file, text, solution));
        }
        reported.filter(|_| all_right)
    }

    /// Whether the runs had no diagnosis. Of the compiler's warnings only that of a variable without a value counts: what
    /// the runs computed with it is nothing that another device would.
    fn clean(&mut self, checks_accesses: bool) {
        if !checks_accesses {
            let why = "this device does not check accesses: grade on the simulator";
            return self.add("clean", Status::Skipped, why);
        }
        let counts = |m: &&Message| {
            m.json["run"] == true && m.json["verdict"] == "program" && m.json["severity"] == "error"
                || m.json["code"] == "uninitialized-variable"
        };
        let found: Vec<String> =
            self.report.diagnostics.iter().filter(counts).map(|m| m.concise.clone()).collect();
        let unsupported = self.report.diagnostics.iter().any(|m| m.json["verdict"] == "unsupported");
        match (found.is_empty(), unsupported) {
            (false, _) => self.add("clean", Status::Failed, &found.join("\n")),
            (true, true) => {
                self.add("clean", Status::Skipped, "the simulator could not run the kernel to its end")
            }
            (true, false) => self.add("clean", Status::Passed, ""),
        }
    }

    fn gates(&mut self, case: &Case, run: &Run, tally: &Tally, baseline: Option<&Baseline>) {
        for gate in self.exercise.gates() {
            let name = format!("gate_{}", gate.id);
            let Some(counters) = &tally.counters else {
                self.add(&name, Status::Skipped, "this device has no counters: grade on the simulator");
                continue;
            };
            let baseline = baseline.and_then(|b| b.tally.counters.as_ref());
            let result = gate.evaluate(&Measured { counters, tally, run, case, baseline });
            let status = if result.passed { Status::Passed } else { Status::Failed };
            self.add(&name, status, &format!("{}: {}", result.asks, result.message));
            self.report.gates.push(result);
        }
    }

    fn baseline(
        &self,
        lab: &Lab,
        paths: &Paths,
        device: &mut dyn Device,
        seed: u64,
    ) -> Option<Arc<Baseline>> {
        let name = self.exercise.baseline()?;
        let other = self.exercise.baseline_lab();
        let lab = other.as_ref().unwrap_or(lab);
        let exercise = lab.exercise(name)?;
        let path = paths.solution(lab, name);
        let file = read_kernel_file(&path, &paths.display(&path)).ok()?;
        let key = Baseline::key(device, lab, name, seed, &file.text);
        let known = BASELINES.lock().ok().and_then(|known| known.get(&key).cloned());
        if known.is_some() {
            return known;
        }
        let (_, tally) = measure(exercise, file, device, seed).ok()?;
        let case = report_case(exercise)?;
        Some(Baseline { exercise: name.to_owned(), case, tally }.keep(key))
    }

    fn add(&mut self, name: &str, status: Status, message: &str) {
        self.report.checks.push(Check { name: name.to_owned(), status, message: message.to_owned() });
    }

    /// One check failed, and the others cannot be made.
    fn stop(&mut self, name: &str, message: &str, why: &str) {
        self.add(name, Status::Failed, message);
        self.skip_rest(why);
    }

    fn skip_rest(&mut self, why: &str) {
        for name in check_names(self.exercise, self.report.seed).into_iter().skip(self.report.checks.len()) {
            self.add(&name, Status::Skipped, &format!("not checked: {why}"));
        }
    }

    fn describe_failure(&mut self, failure: &Failure) -> String {
        match failure {
            Failure::Device(error) => self.describe(error),
            Failure::Wrong(mismatch) => mismatch.to_string(),
            Failure::Other(text) => text.clone(),
        }
    }

    /// Keeps a device error's diagnostics and says in short what it was.
    fn describe(&mut self, error: &DeviceError) -> String {
        let (messages, run) = match error {
            DeviceError::Compile(messages) => (messages, false),
            DeviceError::Launch(messages) => (messages, true),
            DeviceError::OutOfMemory { .. } | DeviceError::Use(_) => return error.to_string(),
        };
        self.add_diagnostics(messages, run);
        let errors: Vec<_> = messages.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        let mut text: Vec<String> =
            errors.iter().map(|d| source::render::concise(&messages.sources, d)).collect();
        if errors.iter().any(|d| d.verdict == Verdict::Unsupported) {
            text.push(
                "this may be right CUDA: the simulator cannot do it yet; see the message for another way"
                    .into(),
            );
        }
        if text.is_empty() {
            return error.to_string();
        }
        text.join("\n")
    }

    fn add_messages(&mut self, messages: &Messages) {
        let run = self.report.check("compiles").is_some();
        self.add_diagnostics(messages, run);
    }

    /// Adds rendered diagnostics, each once, whichever thread of whichever size it is of.
    fn add_diagnostics(&mut self, messages: &Messages, run: bool) {
        for diagnostic in &messages.diagnostics {
            let message = render(messages, diagnostic, run);
            let told = ["code", "message", "file", "line", "column"];
            let same = |m: &Message| told.iter().all(|field| m.json[field] == message.json[field]);
            if !self.report.diagnostics.iter().any(same) {
                self.report.diagnostics.push(message);
            }
        }
    }

    fn finish(mut self) -> ExerciseReport {
        let failed = self.report.checks.iter().any(|c| c.status == Status::Failed);
        let right = |c: &Check| c.name.starts_with("correct_") && c.status == Status::Passed;
        let correct = self.report.checks.iter().filter(|c| right(c)).count();
        let all = correct == cases(self.exercise, self.report.seed).len();
        self.report.status = if !failed && all { Status::Passed } else { Status::Failed };
        self.report.score = score(&self.report.checks);
        self.report
    }
}

/// Whether a failed case is the last one: a GPU runs nothing more after a fault, and what a limit stopped would reach it
/// again.
fn ends_the_run(failure: &Failure, cx: &mut Context<'_>) -> bool {
    let Failure::Device(error) = failure else { return false };
    let DeviceError::Launch(messages) = error else { return true };
    let at_limit = |d: &source::Diagnostic| {
        ["instruction-budget", "deadlock"].contains(&d.code) || d.verdict == Verdict::Unsupported
    };
    !cx.device().info().simulated || messages.diagnostics.iter().any(at_limit)
}

/// Whether a kernel of a failed case stored anything, or did not come far enough to tell.
fn stores(failure: &Failure, tally: &Tally) -> bool {
    let Failure::Wrong(mismatch) = failure else { return true };
    let counted = tally.counters.is_some_and(|c| c.global_store_requests == 0);
    !counted && mismatch.unwritten < mismatch.total
}

/// For a file whose kernels store nothing. `solution` is the text of the reference.
fn where_to_begin(file: &str, text: &str, solution: Option<&str>) -> String {
    let starter = solution.and_then(|s| crate::starter::derive(s).ok());
    if starter.as_deref() != Some(text) {
        return "the kernel stores no result: does every thread that has an output store it, and do its conditions let \
                it?"
        .into();
    }
    let open = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("// TODO"));
    let lines: Vec<String> = open.map(|(i, _)| (i + 1).to_string()).collect();
    let place = match lines.as_slice() {
        [] => file.to_owned(),
        [line] => format!("the part marked TODO in {file} (line {line})"),
        [head @ .., last] => {
            format!("the parts marked TODO in {file} (lines {} and {last})", head.join(", "))
        }
    };
    format!(
        "nothing is written yet: this is the starter. Next: write {place}; the comment at its top says what is given"
    )
}

fn render(messages: &Messages, diagnostic: &source::Diagnostic, run: bool) -> Message {
    let mut json = source::render::json(&messages.sources, diagnostic);
    json["run"] = run.into();
    Message {
        text: source::render::full(&messages.sources, diagnostic, false),
        colored: source::render::full(&messages.sources, diagnostic, true),
        concise: source::render::concise(&messages.sources, diagnostic),
        json,
    }
}

/// The score of a list of checks; the rule is on this module's page.
pub fn score(checks: &[Check]) -> u32 {
    let of = |prefix: &str| checks.iter().filter(|c| c.name.starts_with(prefix)).collect::<Vec<_>>();
    let passed = |list: &[&Check]| list.iter().filter(|c| c.status == Status::Passed).count() as f64;
    let (cases, gates, clean) = (of("correct_"), of("gate_"), of("clean"));
    if cases.is_empty() || passed(&of("signature")) == 0.0 {
        return 0;
    }
    let correctness = if gates.is_empty() { 90.0 } else { 60.0 };
    let share = passed(&cases) / cases.len() as f64;
    if share < 1.0 {
        return (correctness * share).floor() as u32;
    }
    let judged = |list: &[&Check]| list.iter().filter(|c| c.status != Status::Skipped).count() as f64;
    let mut reached = correctness;
    let mut possible = correctness;
    for (list, worth) in [(&clean, 10.0), (&gates, 30.0)] {
        if judged(list) > 0.0 {
            possible += worth;
            reached += worth * passed(list) / judged(list);
        }
    }
    (100.0 * reached / possible).floor() as u32
}

/// The baseline's solution, measured on the same device.
pub(crate) struct Baseline {
    /// The exercise.
    pub(crate) exercise: String,
    /// Its report case.
    pub(crate) case: Case,
    /// What its launches added up to.
    pub(crate) tally: Tally,
}

/// The baselines that were measured, by [`Baseline::key`].
static BASELINES: LazyLock<Mutex<HashMap<String, Arc<Baseline>>>> = LazyLock::new(Mutex::default);

impl Baseline {
    fn key(device: &dyn Device, lab: &Lab, exercise: &str, seed: u64, text: &str) -> String {
        let text = crate::random::fnv1a(text.as_bytes());
        format!("{:?} {} {exercise} {seed} {text:x}", device.info(), lab.package)
    }

    fn keep(self, key: String) -> Arc<Baseline> {
        let baseline = Arc::new(self);
        if let Ok(mut known) = BASELINES.lock() {
            known.insert(key, baseline.clone());
        }
        baseline
    }
}
