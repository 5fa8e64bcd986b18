//! Grades one kernel file and produces one report. The module [`mod@crate::score`] explains the score.

use crate::reference::{Reference, References};
use crate::suggest::Trials;
use crate::{
    Case, Check, Context, Exercise, ExerciseReport, Failure, GateResult, Lab, Measured, Message, Mismatch,
    Paths, Run, SCHEMA, SeededSizes, Status, Tally, Weights, metrics, score,
};
use device::{Allowance, Device, DeviceError, Includes, KernelFile, LaunchOptions, Messages, Recording};
use source::hash::KeyedSet;
use source::{Code, Severity, Verdict};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

/// Maximum size of a kernel file, bytes.
pub const LARGEST_FILE: u64 = 1 << 20;

/// Budget of all launches of a submission's cases, which at a small case is less. A warp instruction costs one unit; slow ones (uncoalesced
/// accesses, atomics, library functions) cost more. The budget is nine times what the most demanding reference needs,
/// so that a correct but slow kernel is graded and an endless one is stopped.
pub const INSTRUCTIONS: u64 = 1_000_000_000;

/// Budget of one case's launches: so many units, and so many for each floating-point operation and byte of the algorithm. That is over a
/// hundred times what a reference executes, so only an endless loop reaches it at a small size, and is stopped soon.
const CASE_INSTRUCTIONS: (u64, u64) = (100_000_000, 100);

/// Options of grading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The inputs' seed.
    pub seed: u64,
    /// Whether to produce the exercise's additions (sweeps).
    pub extras: bool,
    /// Values that replace constants of the kernel file.
    pub defines: crate::Setting,
    /// Weights of the parts of the score.
    pub weights: Weights,
    /// Additional problem sizes, which only check correctness.
    pub further: Vec<Case>,
    /// Budget of all launches of the cases, see [`INSTRUCTIONS`].
    pub instructions: u64,
    /// Folders that the kernel file may include files from; none by default.
    pub includes: Includes,
    /// Whether to record accesses and branches of single warps ([`ExerciseReport::accesses`]), which runs the kernels
    /// once more in the report case. Verdict and score do not depend on it.
    pub recording: bool,
    /// Whether to try suggested edits for the first error, once verdict and score are final.
    pub suggestions: bool,
    /// Whether the report has what the kernel printed. It can reveal hidden inputs.
    pub printed: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 1,
            extras: true,
            defines: Vec::new(),
            weights: Weights::default(),
            further: Vec::new(),
            instructions: INSTRUCTIONS,
            includes: Includes::default(),
            recording: false,
            suggestions: true,
            printed: true,
        }
    }
}

/// Reads a kernel file; `name` is its name in messages.
///
/// # Errors
/// One message for a file that is missing, a directory, unreadable, empty, too large or not text. Bytes that are not UTF-8
/// become U+FFFD: nvcc takes them in comments, and elsewhere the compiler says on which line they are. Line ends and a byte-order mark
/// make no difference ([`source::normalized`]).
pub fn read_kernel_file(path: &Path, name: &str) -> Result<KernelFile, String> {
    let metadata = std::fs::metadata(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!("`{name}` does not exist"),
        _ => format!("`{name}` cannot be read: {e}"),
    })?;
    if metadata.is_dir() {
        return Err(format!("`{name}` is a directory, not a kernel file"));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(too_large(name, metadata.len()));
    }
    // The file may grow between the check of its size and this read, so limit the read, too.
    let read = File::open(path).and_then(|file| {
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    kernel_file(read.map_err(|e| format!("`{name}` cannot be read: {e}"))?, name)
}

/// Creates a kernel file from bytes; `name` is its name in messages.
///
/// # Errors
/// The errors of [`read_kernel_file`] for bytes that are empty, too large or not text.
pub fn kernel_file(bytes: Vec<u8>, name: &str) -> Result<KernelFile, String> {
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(too_large(name, bytes.len() as u64));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(format!("`{name}` is UTF-16 text: save it as UTF-8"));
    }
    let text = match String::from_utf8(bytes) {
        Err(e) if e.as_bytes().contains(&0) => {
            return Err(format!("`{name}` is not text: is it a compiled file or an archive?"));
        }
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
        Ok(text) if text.contains('\0') => {
            return Err(format!("`{name}` is not text: it has zero bytes"));
        }
        Ok(text) => text,
    };
    let text = source::normalized(text);
    if text.trim().is_empty() {
        return Err(format!("`{name}` is empty"));
    }
    Ok(KernelFile { name: name.to_owned(), text })
}

fn too_large(name: &str, bytes: u64) -> String {
    format!("`{name}` has {bytes} bytes: a kernel file may have up to {LARGEST_FILE} (1 MiB)")
}

/// The names of an exercise's checks, in the order of execution.
pub fn check_names(exercise: &dyn Exercise, seed: u64) -> Vec<String> {
    names_of_checks(exercise, &cases(exercise, seed))
}

fn names_of_checks(exercise: &dyn Exercise, cases: &[Case]) -> Vec<String> {
    let mut names = vec!["compiles".to_owned(), "signature".to_owned()];
    names.extend(cases.iter().map(correct));
    names.extend(["clean".to_owned(), "contract".to_owned()]);
    names.extend(exercise.gates().iter().map(|g| format!("gate_{}", g.id)));
    names
}

/// The cases for grading a kernel: the exercise's cases, and one that the seed chooses.
pub fn cases(exercise: &dyn Exercise, seed: u64) -> Vec<Case> {
    let cases = exercise.cases();
    let further = exercise.case_of_seed(&mut SeededSizes::of(seed, exercise.name()));
    let further = further.filter(|new| cases.iter().all(|case| case.label != new.label));
    Case::before_report(cases, further.map(Case::gated))
}

fn correct(case: &Case) -> String {
    format!("correct_{}", case.label)
}

/// Grades a kernel file. Never fails: errors are part of the report.
pub fn grade(
    lab: &Lab,
    exercise: &dyn Exercise,
    file: &Path,
    paths: &Paths,
    device: &mut dyn Device,
    options: &Options,
) -> ExerciseReport {
    let name = paths.display(file);
    let file = read_kernel_file(file, &name);
    grade_text(lab, exercise, (&name, file), paths, device, options)
}

/// Grades a kernel file given as text, or as the reason why there is none. `references` may come from files or from
/// the program; `name` is the file's name in messages.
pub fn grade_text(
    lab: &Lab,
    exercise: &dyn Exercise,
    (name, file): (&str, Result<KernelFile, String>),
    references: &dyn References,
    device: &mut dyn Device,
    options: &Options,
) -> ExerciseReport {
    let mut grading = Grading::new(lab, exercise, name, device, options);
    grading.run(lab, file.clone(), references, device, options);
    let failed = grading.report.checks.iter().any(|c| c.status == Status::Failed);
    if let (true, true, Ok(file)) = (failed, options.suggestions, &file) {
        let mended = Trials { lab, exercise, references, options }.mended(&grading, device, file);
        mended.into_iter().for_each(|(at, message)| grading.report.diagnostics[at] = message);
    }
    grading.finish(lab)
}

/// Compiles a kernel file and runs its exercise's report case.
///
/// # Errors
/// The errors of [`Exercise::run`]; also says if the file cannot be read.
pub fn measure(
    exercise: &dyn Exercise,
    file: KernelFile,
    device: &mut dyn Device,
    seed: u64,
) -> Result<(Run, Tally), Failure> {
    run_report_case(exercise, file, device, seed, true)
}

/// Does the work of [`measure`]; `timed` says whether a measuring device repeats each launch to time it.
///
/// # Errors
/// The errors of [`measure`].
pub fn run_report_case(
    exercise: &dyn Exercise,
    file: KernelFile,
    device: &mut dyn Device,
    seed: u64,
    timed: bool,
) -> Result<(Run, Tally), Failure> {
    let case = report_case(exercise).ok_or_else(|| Failure::Other("no report case".into()))?;
    run_case(exercise, &case, file, device, seed, timed)
}

/// Compiles a kernel file, runs its exercise's report case, and records accesses of single warps in every line,
/// wasteful or not.
///
/// # Errors
/// The errors of [`measure`].
pub fn record(
    exercise: &dyn Exercise,
    file: KernelFile,
    device: &mut dyn Device,
    seed: u64,
) -> Result<Recording, Failure> {
    let case = report_case(exercise).ok_or_else(|| Failure::Other("no report case".into()))?;
    let mut cx = Context::new(device, file, exercise, &Options { seed, ..Options::default() })?;
    cx.reset()?;
    let allowance = Some(Allowance::new(INSTRUCTIONS));
    let options = LaunchOptions { recorded: true, allowance, ..LaunchOptions::default() };
    exercise.run(cx.with_options(options), &case)?;
    Ok(cx.tally().recording.clone())
}

pub(crate) fn run_case(
    exercise: &dyn Exercise,
    case: &Case,
    file: KernelFile,
    device: &mut dyn Device,
    seed: u64,
    timed: bool,
) -> Result<(Run, Tally), Failure> {
    let options = Options { seed, ..Options::default() };
    let mut cx = Context::new(device, file, exercise, &options)?;
    cx.reset()?;
    let run = exercise.run(cx.with_options(LaunchOptions { timed, ..LaunchOptions::default() }), case)?;
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
        next: None,
        checks: Vec::new(),
        gates: Vec::new(),
        case: report_case(exercise),
        counters: None,
        profiler: None,
        metrics: crate::Metrics::default(),
        extras: Vec::new(),
        lines: Vec::new(),
        accesses: Vec::new(),
        branches: Vec::new(),
        diagnostics: Vec::new(),
        kernel_line: None,
        printed: String::new(),
        printed_at: None,
        printed_is_cut: false,
    }
}

pub(crate) struct Grading<'a> {
    exercise: &'a dyn Exercise,
    pub(crate) cases: Vec<Case>,
    weights: Weights,
    pub(crate) report: ExerciseReport,
    /// Whether the report case records accesses.
    records: bool,
    /// Whether the report has what kernels printed.
    prints: bool,
    /// What kernels wrote that they must not: at which case, and in words.
    trespasses: Vec<(String, String)>,
    /// Whether a launch was stopped because the budget of all launches was spent.
    is_spent: bool,
    /// Keys of the diagnostics already in the report, to avoid duplicates.
    told: KeyedSet<String>,
}

/// How often to repeat a correct case with another order of a block's warps, another order of an atomic's lanes and
/// another clock, if the device supports it. A result that depends on these is wrong, even if atomics prevent a race.
const OTHER_SCHEDULES: u64 = 1;

/// Message for a case that is correct in the default order only.
const OTHER_ORDER: &str = "correct only in one order of a block's warps and of the lanes of atomic operations, and with one clock, which a GPU \
    does not guarantee; in another";

/// Message for a case that is wrong in the second run even in the default order.
const SECOND_RUN: &str = "correct only the first time: something keeps its value from one run to the next, as a `__device__` variable does; in \
    the second";

/// Result of running a case.
struct Attempt {
    result: Result<(), Failure>,
    /// Result of the run in the default order, if it was correct.
    run: Option<Run>,
    /// The fraction of correct results.
    right: f64,
}

/// Measurements of a correct kernel at one case.
#[derive(Clone)]
pub(crate) struct Ran {
    pub(crate) case: Case,
    pub(crate) run: Run,
    pub(crate) tally: Tally,
}

impl<'a> Grading<'a> {
    /// Starts a grading.
    pub(crate) fn new(
        lab: &Lab,
        exercise: &'a dyn Exercise,
        name: &str,
        device: &dyn Device,
        options: &Options,
    ) -> Grading<'a> {
        Grading {
            exercise,
            cases: Case::before_report(cases(exercise, options.seed), options.further.iter().cloned()),
            weights: options.weights.clone(),
            report: empty_report(lab, exercise, name.to_owned(), device, options),
            records: options.recording,
            prints: options.printed,
            trespasses: Vec::new(),
            is_spent: false,
            told: KeyedSet::default(),
        }
    }

    /// Performs all checks; returns what is left of the cases' budget.
    pub(crate) fn run(
        &mut self,
        lab: &Lab,
        file: Result<KernelFile, String>,
        references: &dyn References,
        device: &mut dyn Device,
        options: &Options,
    ) -> u64 {
        let mut left = options.instructions;
        self.checks((lab, references), file, device, options, &mut left);
        left
    }

    fn checks(
        &mut self,
        (lab, references): (&Lab, &dyn References),
        file: Result<KernelFile, String>,
        device: &mut dyn Device,
        options: &Options,
        left: &mut u64,
    ) {
        let file = match file {
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
        if let Some(note) = cx.program().host_code_note() {
            self.add_messages(&note);
        }
        self.add("compiles", Status::Passed, "");
        let expected = self.exercise.expects();
        let own = expected.kernels.iter().find_map(|kernel| cx.program().kernel(kernel.name));
        self.report.kernel_line = own.or(cx.program().kernels.first()).map(|kernel| kernel.line);
        if let Err(message) = expected.check(cx.program()) {
            return self.stop("signature", &message, "the file does not define what is expected");
        }
        self.add("signature", Status::Passed, "");
        let solution = references.solution_text(lab, self.exercise.name());
        let starter = || references.starter_text(lab, self.exercise.name());
        let allowance = Some(Allowance::new(options.instructions));
        let launches = LaunchOptions { allowance, ..LaunchOptions::default() };
        let ran = self.cases(cx.with_options(launches), &file.text, &starter);
        *left = cx.options().allowance.map_or(0, |allowance| allowance.left);
        self.clean(cx.device().checks_accesses());
        self.contract();
        let Some(gated) = ran else {
            return self.skip_rest("not every result is correct");
        };
        let solutions = Solutions { lab, references, seed: options.seed };
        if options.defines.is_empty() && solution.as_ref().is_some_and(|s| s.text == file.text) {
            // A solution is its own reference, and another exercise may use it as its baseline.
            gated.iter().for_each(|ran| {
                solutions.keep(cx.device(), self.exercise, &file.text, ran.clone());
            });
        }
        match cx.device().counts_by_todays_rules() {
            true => {
                let of_solutions: Vec<_> = gated
                    .iter()
                    .map(|own| {
                        own.tally.counters?;
                        let device = cx.device_alone().ok()?;
                        match &solution {
                            Some(solution) => solutions
                                .measured(device, self.exercise, solution, &own.case)
                                .map(Reference::Measured),
                            None => solutions.kept(device, self.exercise, &own.case),
                        }
                    })
                    .collect();
                self.gates(&mut cx, &gated, &of_solutions);
            }
            false => self.skip_rest(
                "gates are set for 32-byte sectors and 32 banks, and this device model counts by others",
            ),
        }
        let Some(Ran { case, run, tally }) = gated.into_iter().find(|ran| ran.case.is_report) else { return };
        let baseline = solutions.baseline(cx.device(), self.exercise);
        let baseline = baseline.as_ref().map(|(name, ran)| (name.as_str(), &**ran));
        metrics::fill(&mut self.report, self.exercise, &case, &tally, &cx, baseline, &file);
        if options.extras {
            let launches = LaunchOptions { timed: true, ..LaunchOptions::default() };
            match self.exercise.extra_report(cx.with_options(launches), &case, &run) {
                Ok(extras) => self.report.extras = extras,
                Err(error) => {
                    let text = self.describe_failure(&error);
                    self.report.extras.push(crate::Extra::fact("more", format!("could not be made: {text}")));
                }
            }
        }
    }

    /// Runs every case. If all cases within the budget are correct, returns the measurements of the gated cases among
    /// them, or, if there are none, of the largest other case. `starter` returns the text of the exercise's starter.
    fn cases(
        &mut self,
        cx: &mut Context<'_>,
        text: &str,
        starter: &dyn Fn() -> Option<String>,
    ) -> Option<Vec<Ran>> {
        let (mut gated, mut largest) = (Vec::new(), None);
        let mut stored = false;
        let mut stopped: Option<String> = None;
        let mut wrong: Vec<(usize, Box<Mismatch>)> = Vec::new();
        let mut trespasses = Vec::new();
        for case in self.cases.clone() {
            let name = correct(&case);
            if let Some(at) = &stopped {
                let why = format!("not run: the launch of case {at} was stopped");
                self.add(&name, Status::Skipped, &why);
                continue;
            }
            let of_all = cx.options().allowance;
            let allowance = of_all.map(|all| all.part(case_budget(self.exercise, &case)));
            cx.with_options(LaunchOptions { allowance, ..cx.options() });
            let mut tried = self.attempt(cx, &case, 0);
            let other = LaunchOptions { schedule: 1, ..LaunchOptions::default() };
            let has_others = !case.is_report && cx.device().supports(&other).is_ok();
            let others = if has_others { OTHER_SCHEDULES } else { 0 };
            let tally = cx.tally().clone();
            trespasses.extend(cx.take_trespasses().into_iter().map(|what| (case.label.clone(), what)));
            let mut once = OTHER_ORDER;
            for schedule in 1..=others {
                if tried.result.is_ok() {
                    tried = Attempt { run: tried.run, ..self.attempt(cx, &case, schedule) };
                    let differs = matches!(tried.result, Err(Failure::Wrong(_)));
                    if differs && self.attempt(cx, &case, 0).result.is_err() {
                        once = SECOND_RUN;
                    }
                }
            }
            let Attempt { result, run, right } = tried;
            if result.is_err() || case.is_report {
                self.keep_printed(&case, &tally);
            }
            match result {
                Ok(()) => {
                    stored = true;
                    self.add(&name, Status::Passed, "");
                    let ran = Ran { case, run: run.unwrap_or_default(), tally };
                    if ran.case.is_gated {
                        gated.push(ran);
                    } else if largest.as_ref().is_none_or(|l: &Ran| l.tally.outputs <= ran.tally.outputs) {
                        largest = Some(ran);
                    }
                }
                Err(failure) => {
                    stored |= run.is_some() || stores(&failure, &tally);
                    let message = self.describe_failure(&failure);
                    let message = match run {
                        Some(_) if !is_at_limit(&failure) => format!("{once}: {message}"),
                        _ => message,
                    };
                    self.add(&name, Status::Failed, &message);
                    if let Some(check) = self.report.checks.last_mut() {
                        check.credit = score::HALF_RIGHT * right;
                    }
                    if ends_the_run(&failure, cx) {
                        self.is_spent = is_spent_by(&failure, cx);
                        stopped = Some(case.label.clone());
                    }
                    if let (Failure::Wrong(mismatch), None) = (failure, run) {
                        wrong.push((self.report.checks.len() - 1, mismatch));
                    }
                }
            }
            let allowance = of_all.zip(cx.options().allowance).map(|(all, of_case)| all.without(of_case));
            cx.with_options(LaunchOptions { allowance, ..cx.options() });
        }
        self.wrong(&wrong);
        if !stored {
            self.report.checks.iter_mut().filter(|c| c.is_case()).for_each(|c| c.credit = 0.0);
            self.report.hint = Some(where_to_begin(&self.report.file, text, starter().as_deref()));
        }
        self.trespasses = trespasses;
        // If cases failed only because the budget was spent, the remaining cases decide.
        let failed = self.report.checks.iter().filter(|c| c.status == Status::Failed).count();
        if gated.is_empty() && self.is_spent {
            gated.extend(largest);
        }
        Some(gated).filter(|_| failed == usize::from(self.is_spent))
    }

    /// Keeps what kernels printed at a case, unless an earlier one was wrong.
    fn keep_printed(&mut self, case: &Case, tally: &Tally) {
        let is_first = self.report.checks.iter().all(|check| check.status != Status::Failed);
        if self.prints && is_first && !tally.printed.text.is_empty() {
            let crate::Printed { text, is_cut } = tally.printed.clone();
            (self.report.printed, self.report.printed_is_cut) = (text, is_cut);
            self.report.printed_at = Some(case.label.clone());
        }
    }

    /// Runs a case with a block's warps, an atomic's lanes and the clock in some order.
    fn attempt(&mut self, cx: &mut Context<'_>, case: &Case, schedule: u64) -> Attempt {
        let options = LaunchOptions {
            schedule,
            // Only the report case is timed; times of other cases are not used.
            timed: case.is_report,
            recorded: self.records && case.is_report,
            keep_recovered: true,
            ..cx.options()
        };
        let result = cx.reset().and_then(|()| self.exercise.run(cx.with_options(options), case));
        let warnings: Vec<Messages> = cx.tally().warnings.clone();
        warnings.iter().for_each(|w| self.add_messages(w));
        let right = share_right(&result);
        match (result, cx.take_failed()) {
            (Ok(run), None) => Attempt { result: Ok(()), run: Some(run), right },
            (Ok(_), Some(failed)) => Attempt { result: Err(failed.into()), run: None, right },
            (Err(failure), failed) => {
                Attempt { result: Err(failed.map_or(failure, Failure::from)), run: None, right }
            }
        }
    }

    /// Adds a guess of what all wrong results have in common.
    fn wrong(&mut self, wrong: &[(usize, Box<Mismatch>)]) {
        let mismatches: Vec<&Mismatch> = wrong.iter().map(|(_, mismatch)| &**mismatch).collect();
        let guesses = Mismatch::guess(&mismatches);
        for (i, (at, _)) in wrong.iter().enumerate() {
            let check = &mut self.report.checks[*at];
            if let Some(guess) = guesses.as_ref().and_then(|g| g.get(i)) {
                check.message = format!("{}\n  looks like: {guess}", check.message);
            }
        }
    }

    /// Check `contract`: kernels wrote only their outputs.
    fn contract(&mut self) {
        let Some((case, what)) = self.trespasses.first() else {
            return self.add("contract", Status::Passed, "");
        };
        let others = match self.trespasses.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more like it)"),
        };
        let message = format!("at {case}: {what}{others}; a kernel writes its outputs and nothing else");
        self.add("contract", Status::Failed, &message);
    }

    /// Check `clean`: the runs produced no diagnostics. Of the compiler's warnings only the one about an
    /// uninitialised variable counts, because another device may compute other results with it.
    fn clean(&mut self, checks_accesses: bool) {
        if !checks_accesses {
            let why = "this device does not check accesses: grade on the simulator";
            return self.add("clean", Status::Skipped, why);
        }
        let is_spent = self.is_spent;
        let counts = |m: &&Message| {
            !(is_spent && m.json.code == Code::InstructionBudget.as_str())
                && m.json.run == Some(true)
                && m.json.verdict == "program"
                && m.json.severity == "error"
                || m.json.code == Code::UninitializedVariable.as_str()
        };
        let found: Vec<String> =
            self.report.diagnostics.iter().filter(counts).map(|m| m.concise.clone()).collect();
        let unsupported = self.report.diagnostics.iter().any(|m| m.json.verdict == "unsupported");
        match (found.is_empty(), unsupported) {
            (false, _) => self.add("clean", Status::Failed, &found.join("\n")),
            (true, _) if is_spent => {
                self.add("clean", Status::Skipped, "a launch was stopped for its work before its end")
            }
            (true, true) => {
                self.add("clean", Status::Skipped, "the simulator could not run the kernel to completion")
            }
            (true, false) => self.add("clean", Status::Passed, ""),
        }
    }

    /// Evaluates the gates. `references` are the reference solution's values at each of the gated cases.
    fn gates(&mut self, cx: &mut Context<'_>, gated: &[Ran], references: &[Option<Reference>]) {
        for gate in self.exercise.gates() {
            let name = format!("gate_{}", gate.id);
            if let Some(technique) = gate.technique {
                let cases: Vec<Case> = gated.iter().map(|ran| ran.case.clone()).collect();
                let judged =
                    cx.device().info().simulated.then(|| gate.judge(technique, self.exercise, cx, &cases));
                match judged.flatten() {
                    Some(result) => self.add_gate(&name, result),
                    None => self.add(&name, Status::Skipped, "only the simulator can tell: grade on it"),
                }
                continue;
            }
            let sizes: Option<Vec<_>> = gated
                .iter()
                .zip(references)
                .map(|(own, reference)| {
                    Some((own.measured()?, reference.as_ref().and_then(|r| r.value(&gate))))
                })
                .collect();
            let fits = |(own, reference): (&Ran, &Option<Reference>)| {
                own.case.is_gated || reference.as_ref().is_some_and(|reference| reference.holds(&gate))
            };
            if !gated.iter().zip(references).all(fits) {
                self.add(
                    &name,
                    Status::Skipped,
                    "not checked: no size was finished that it can be judged at",
                );
                continue;
            }
            let Some(sizes) = sizes else {
                self.add(&name, Status::Skipped, "this device has no counters: grade on the simulator");
                continue;
            };
            self.add_gate(&name, gate.evaluate(&sizes));
        }
    }

    fn add_gate(&mut self, name: &str, result: GateResult) {
        let status = if result.passed { Status::Passed } else { Status::Failed };
        self.add(name, status, &format!("{}: {}", result.asks, result.message));
        if let Some(check) = self.report.checks.last_mut() {
            check.credit = result.credit;
        }
        self.report.gates.push(result);
    }

    fn add(&mut self, name: &str, status: Status, message: &str) {
        let credit = if status == Status::Passed { 1.0 } else { 0.0 };
        self.report.checks.push(Check { name: name.to_owned(), status, message: message.to_owned(), credit });
    }

    /// Records a failed check that prevents all other checks.
    fn stop(&mut self, name: &str, message: &str, why: &str) {
        self.add(name, Status::Failed, message);
        self.skip_rest(why);
    }

    fn skip_rest(&mut self, why: &str) {
        for name in names_of_checks(self.exercise, &self.cases).into_iter().skip(self.report.checks.len()) {
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

    /// Adds a device error's diagnostics to the report; returns a short description.
    fn describe(&mut self, error: &DeviceError) -> String {
        let (messages, run) = match error {
            DeviceError::Compile(messages) => (messages, false),
            DeviceError::Launch { messages, .. } => (messages, true),
            DeviceError::OutOfMemory { .. } | DeviceError::Use(_) => return error.to_string(),
        };
        self.add_diagnostics(messages, run);
        let errors: Vec<_> = messages.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        let mut text: Vec<String> =
            errors.iter().map(|d| source::render::concise(&messages.sources, d)).collect();
        if errors.iter().any(|d| d.verdict == Verdict::Unsupported) {
            text.push(
                "this may be correct CUDA: the simulator cannot do it yet; see the message for an alternative"
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

    /// Adds rendered diagnostics, each once, even if several threads or sizes report it.
    fn add_diagnostics(&mut self, messages: &Messages, run: bool) {
        for diagnostic in &messages.diagnostics {
            let message = Message::new(&messages.sources, diagnostic, run);
            let report::Diagnostic { code, message: title, file, line, column, .. } = &message.json;
            if self.told.insert(format!("{code}\n{title}\n{file:?}\n{line:?}\n{column:?}")) {
                self.report.diagnostics.push(message);
            }
        }
    }

    fn finish(mut self, lab: &Lab) -> ExerciseReport {
        let failed = self.report.checks.iter().any(|c| c.status == Status::Failed);
        let right = |c: &Check| c.is_case() && c.status == Status::Passed;
        let correct = self.report.checks.iter().filter(|c| right(c)).count();
        let all = correct == self.cases.len();
        self.report.status = if !failed && all { Status::Passed } else { Status::Failed };
        let exercise = &self.report.exercise;
        self.report.score = score::score(&self.weights, lab.package, exercise, &self.report.checks);
        self.report.next = crate::report::next_step(&self.report, lab);
        self.report
    }
}

impl Ran {
    /// The input of the gates; `None` without counters.
    pub(crate) fn measured(&self) -> Option<Measured<'_>> {
        let Ran { case, run, tally } = self;
        Some(Measured { counters: tally.counters.as_ref()?, tally, run, case })
    }
}

/// The fraction of correct results of a case.
fn share_right(result: &Result<Run, Failure>) -> f64 {
    match result {
        Ok(_) => 1.0,
        Err(Failure::Wrong(mismatch)) => mismatch.share_right(),
        Err(Failure::Device(_) | Failure::Other(_)) => 0.0,
    }
}

/// What all launches of a case together may cost.
pub(crate) fn case_budget(exercise: &dyn Exercise, case: &Case) -> u64 {
    let (least, each) = CASE_INSTRUCTIONS;
    least.saturating_add(each.saturating_mul((exercise.flops(case) + exercise.bytes(case)) as u64))
}

/// Whether to stop after a failed case: a GPU runs nothing after a fault, and a case that reached a limit would reach
/// it again.
fn ends_the_run(failure: &Failure, cx: &mut Context<'_>) -> bool {
    let Failure::Device(error) = failure else { return false };
    let DeviceError::Launch { messages, .. } = error else { return true };
    let stops = |d: &source::Diagnostic| d.code == Code::Deadlock || d.verdict == Verdict::Unsupported;
    !cx.device().info().simulated || is_at_limit(failure) || messages.diagnostics.iter().any(stops)
}

/// The label of the first case that failed, if one did.
pub(crate) fn failed_case(report: &ExerciseReport) -> Option<&str> {
    let failed = report.checks.iter().find(|c| c.is_case() && c.status == Status::Failed);
    failed.and_then(|check| check.name.strip_prefix("correct_"))
}

/// Whether a case failed because the budget of its launches is spent, and not because of a detected endless loop.
fn is_spent_by(failure: &Failure, cx: &Context<'_>) -> bool {
    is_at_limit(failure) && cx.options().allowance.is_some_and(|allowance| allowance.left == 0)
}

/// Whether a launch was stopped at its budget.
pub(crate) fn is_at_limit(failure: &Failure) -> bool {
    let Failure::Device(DeviceError::Launch { messages, .. }) = failure else { return false };
    messages.diagnostics.iter().any(|d| d.code == Code::InstructionBudget)
}

/// Whether a kernel of a failed case stored anything, or did not come far enough to tell.
fn stores(failure: &Failure, tally: &Tally) -> bool {
    let Failure::Wrong(mismatch) = failure else { return true };
    let counted = tally.counters.is_some_and(|c| c.global_store_requests == 0);
    !counted && mismatch.unwritten < mismatch.total
}

/// Advice for a file whose kernels store nothing. `starter` is the text of the exercise's starter.
fn where_to_begin(file: &str, text: &str, starter: Option<&str>) -> String {
    if starter != Some(text) {
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
        "nothing is written yet: this is the starter. Write {place}; the comment at its top says what is given"
    )
}

/// The reference solutions, measured on the device in use.
struct Solutions<'a> {
    lab: &'a Lab,
    references: &'a dyn References,
    seed: u64,
}

/// Measurements, by [`Solutions::key`].
static MEASURED: LazyLock<Mutex<HashMap<String, Arc<Ran>>>> = LazyLock::new(Mutex::default);

impl Solutions<'_> {
    /// Stored reference values for the gates of a case, in an edition without solutions.
    fn kept(&self, device: &dyn Device, exercise: &dyn Exercise, case: &Case) -> Option<Reference> {
        self.references.measured().reference((self.lab, exercise), &device.info().name, self.seed, case)
    }

    /// Measures the solution of an exercise at a case.
    fn measured(
        &self,
        device: &mut dyn Device,
        exercise: &dyn Exercise,
        file: &KernelFile,
        case: &Case,
    ) -> Option<Arc<Ran>> {
        let key = self.key(device, exercise, &file.text, case);
        let known = MEASURED.lock().ok().and_then(|known| known.get(&key).cloned());
        if known.is_some() {
            return known;
        }
        let (run, tally) = run_case(exercise, case, file.clone(), device, self.seed, case.is_report).ok()?;
        Some(self.keep(device, exercise, &file.text, Ran { case: case.clone(), run, tally }))
    }

    /// Measurements of the baseline's solution at its report case, with the baseline's name.
    fn baseline(&self, device: &mut dyn Device, exercise: &dyn Exercise) -> Option<(String, Arc<Ran>)> {
        let name = exercise.baseline()?;
        let other = exercise.baseline_lab();
        let of = Solutions { lab: other.as_ref().unwrap_or(self.lab), ..*self };
        let exercise = of.lab.exercise(name)?;
        let case = report_case(exercise)?;
        let ran = match self.references.solution_text(of.lab, name) {
            Some(file) => of.measured(device, exercise, &file, &case)?,
            None => {
                let table = self.references.measured();
                Arc::new(table.baseline((of.lab, exercise), &device.info().name, self.seed, case)?)
            }
        };
        Some((name.to_owned(), ran))
    }

    fn keep(&self, device: &dyn Device, exercise: &dyn Exercise, text: &str, ran: Ran) -> Arc<Ran> {
        let key = self.key(device, exercise, text, &ran.case);
        let ran = Arc::new(ran);
        if let Ok(mut known) = MEASURED.lock() {
            known.insert(key, ran.clone());
        }
        ran
    }

    fn key(&self, device: &dyn Device, exercise: &dyn Exercise, text: &str, case: &Case) -> String {
        let text = crate::random::fnv1a(text.as_bytes());
        let (lab, name, seed) = (self.lab.package, exercise.name(), self.seed);
        format!("{:?} {lab} {name} {seed} {} {text:x}", device.info(), case.label)
    }
}
