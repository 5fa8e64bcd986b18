//! `cargo lab grade`: grades submissions, and writes one JSON object per file.
//!
//! On the simulator each file is graded in a worker process ([`isolation`]), which inherits the inputs, references
//! and baselines in memory, because they are computed before the first worker starts. Verdicts depend only on the
//! budgets of simulator and front-end, which count the same on every computer; a worker stopped by the system yields
//! no verdict. A GPU's driver does not survive a fork, so on a GPU the files are graded one after another in this
//! process.

mod archives;
pub(crate) mod args;
mod hidden;
mod results;
pub(crate) mod submissions;

use crate::course;
use crate::devices;
use crate::grading::{self, Detail};
use crate::registry::{self, Target};
use crate::screen::{Screen, complain, progress};
use crate::selection::Selector;
use crate::workspace::Workspace;
use args::GradeArgs;
use device::KernelFile;
use gradebook::Format;
use harness::{ExerciseReport, Includes};
use hidden::{Hidden, Verdict};
use isolation::{Limits, Stopped, Work};
use results::{Expected, Head, Results, Status};
use serde::Serialize;
use source::Failure;
use source::hash::Mixer;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use submissions::Submission;

/// Maximum bytes of a result. The parts of a report have their own limits; this one catches defects there.
const LARGEST_RESULT: usize = 4 << 20;

/// A worker's limit of elapsed time is this factor times its processor time, because other programs may use the
/// computer.
const WALL_FOR_CPU: u32 = 20;

/// Address space that the references and a stack for deeply nested programs need, bytes.
const LEAST_MEMORY: u64 = 768 << 20;

/// One line of the output: a report with its index.
#[derive(Serialize)]
struct Line<'a> {
    index: usize,
    digest: &'a str,
    #[serde(flatten)]
    report: &'a ExerciseReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<Verdict>,
}

/// Grades every file and prints the results as they are ready.
///
/// # Errors
/// Says which option is wrong, or, after all output, that a file could not be graded.
pub(crate) fn grade(screen: &Screen, workspace: &Workspace, args: &GradeArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    has_room()?;
    // Check the options here, so that a wrong one is reported once, not per file.
    devices::device(args.device(), &args.options.model)?;
    let option = args.exercise.as_ref();
    let exercise = option.map(|word| Selector::new(&labs, workspace).one(word)).transpose()?;
    let course =
        args.course.as_deref().map(|file| course::read(&labs, file)).transpose()?.map(|(course, _)| course);
    let mut options = course.as_ref().map(gradebook::course::Course::options).unwrap_or_default();
    let selector = Selector::new(&labs, workspace);
    for word in &args.assignment {
        options.assignment.push(selector.one(word)?.name());
    }
    let asked = course.map(course::Asked::of).unwrap_or_default();
    let format = format(args)?;
    let how = grading::how(&args.options, Detail::Verdict, asked);
    let how = harness::Options { includes: Includes::Only(args.include.clone()), ..how };
    let mut submissions = submissions::find(&labs, exercise, &args.files, &options.assignment)?;
    if args.list {
        for submission in &submissions {
            screen.json(grading::json(&submission.path.to_string_lossy())?)?;
        }
        return Ok(true);
    }
    let output = output(args)?;
    output.map_or(Ok(()), |output| is_apart(output, &submissions))?;
    submissions.retain(|s| args.shard.is_none_or(|shard| shard.has(s.index)));
    let hidden = args.hidden.as_deref().map(|file| Hidden::read(&labs, file)).transpose()?;
    let run = Run { workspace, args, how, hidden };
    let expected: Vec<Expected> = submissions.iter().map(|s| run.expected(s)).collect();
    let mut results = match output {
        Some(output) if args.resume => Results::resume(screen, output, args.ordered, &expected)?,
        output => Results::new(screen, output, (format, &options), args.ordered, &expected)?,
    };
    let todo: BTreeMap<usize, (&Submission, &str)> = {
        let wanted = results.to_come();
        let all = submissions.iter().zip(&expected).map(|(s, e)| (s.index, (s, e.digest.as_str())));
        all.filter(|(index, _)| wanted.binary_search(index).is_ok()).collect()
    };
    match args.device() {
        "sim" => backend::with_large_stack(|| run.in_workers(&todo, &mut results))?,
        _ => run.in_process(&todo, &mut results)?,
    }
    let (passed, failed, errors) = (results.passed, results.failed, results.errors);
    results.finish()?;
    let all = passed + failed + errors;
    complain(&format!("{passed} of {all} passed"));
    if errors > 0 {
        let what = format!("{errors} of {all} files could not be graded");
        return Err(Failure::new(what, "their objects have `\"status\":\"error\"` and say why").into());
    }
    Ok(passed == all)
}

/// Checks that there is memory for the references, because without it the process would end before the first result.
fn has_room() -> Result<(), Failure> {
    match isolation::address_space() {
        Some(bytes) if bytes < LEAST_MEMORY => {
            let what = format!(
                "grading needs {} MiB of address space, and this shell allows {}",
                LEAST_MEMORY >> 20,
                bytes >> 20
            );
            Err(Failure::new(what, "raise the limit: `ulimit -v unlimited`"))
        }
        _ => Ok(()),
    }
}

/// The format of the results.
///
/// # Errors
/// Says that the format is unknown, or cannot be continued with `--resume`.
fn format(args: &GradeArgs) -> Result<Format, Failure> {
    let format: Format = args
        .format
        .parse()
        .map_err(|what: String| Failure::new(what, "`cargo lab grade --help` describes them"))?;
    if args.resume && format != Format::Jsonl {
        let what = format!("results as {} cannot be continued", format.name());
        return Err(Failure::new(what, "leave `--resume` or `--format` out"));
    }
    Ok(format)
}

/// The file for the results. A path that leads to standard output is treated as no file, because [`Screen::apart`]
/// redirects that stream to receive the kernels' output.
///
/// # Errors
/// Says that standard output cannot be continued with `--resume`.
fn output(args: &GradeArgs) -> Result<Option<&Path>, Failure> {
    let output = args.output.as_deref();
    match output.is_some_and(|path| path == Path::new("/dev/stdout")) {
        false => Ok(output),
        true if args.resume => Err(Failure::new(
            "results on standard output cannot be continued",
            "leave `--resume` out, or name a file",
        )),
        true => Ok(None),
    }
}

/// Settings shared by all files of a command.
struct Run<'a> {
    workspace: &'a Workspace,
    args: &'a GradeArgs,
    how: harness::Options,
    hidden: Option<Hidden>,
}

impl Run<'_> {
    /// The parts of a submission's result that are known in advance.
    fn expected(&self, submission: &Submission) -> Expected {
        let file = self.workspace.paths().display(&submission.path);
        let mut hash = Mixer::default();
        let target = submission.target.as_ref().map(Target::name).unwrap_or_default();
        let options = (
            &self.how,
            &self.hidden,
            &self.args.options.model,
            self.args.device(),
            target,
            env!("CARGO_PKG_VERSION"),
        );
        hash.write(format!("{options:?}").as_bytes());
        hash.write(&submission.bytes());
        Expected { index: submission.index, file, digest: format!("{:016x}", hash.finish()) }
    }

    /// Grades each file in its own process.
    fn in_workers(
        &self,
        todo: &BTreeMap<usize, (&Submission, &str)>,
        results: &mut Results,
    ) -> anyhow::Result<()> {
        backend::run_launches_on_their_callers_thread();
        let jobs = self.args.jobs.or(thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let targets: BTreeMap<String, Target> =
            todo.values().filter_map(|(s, _)| s.target.as_ref().ok()).map(|t| (t.name(), *t)).collect();
        // Each hidden run is a complete grading, so the time limit is multiplied.
        let runs = 1 + targets.values().map(|t| self.runs(*t).len()).max().unwrap_or(0) as u32;
        self.prepare(targets.into_values().collect(), jobs)?;
        let cpu = Duration::from_secs(self.args.cpu_limit.into()) * runs;
        let limits = Limits {
            memory: u64::from(self.args.memory_limit) << 20,
            cpu,
            wall: cpu * WALL_FOR_CPU,
            output: LARGEST_RESULT,
            readable: self.readable(),
        };
        let bar = progress(todo.len());
        let work = |index| {
            let (submission, digest) = todo[&index];
            self.line(submission, digest).into_bytes()
        };
        let mut failed = None;
        // Do not let workers read the targets of refused links, which may be other people's files.
        let graded = |submission: &Submission| submission.refused.is_none();
        let reads = |index| {
            Some(todo[&index].0).filter(|s| graded(s)).map(|s| s.file().to_path_buf()).into_iter().collect()
        };
        let work = Work { run: &work, reads: &reads };
        isolation::run(jobs, &limits, &mut todo.keys().copied(), work, &mut |index, result| {
            let (submission, digest) = todo[&index];
            let (status, line) = result.and_then(read).unwrap_or_else(|stopped| {
                (Status::Error, self.error(submission, digest, &stopped_by(submission, &stopped)))
            });
            bar.inc(1);
            match bar.suspend(|| results.add(index, status, line)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        bar.finish_and_clear();
        failed.map_or(Ok(()), |error| Err(unwritten(&error).into()))
    }

    /// Grades one file after the other in this process.
    fn in_process(
        &self,
        todo: &BTreeMap<usize, (&Submission, &str)>,
        results: &mut Results,
    ) -> anyhow::Result<()> {
        complain(
            "warning: the files run on the GPU as this user, without the simulator's limits: grade only what you would run yourself",
        );
        let bar = progress(todo.len());
        for (index, (submission, digest)) in todo {
            let line = grading::caught(&submission.path, || self.line(submission, digest));
            let line = line.unwrap_or_else(|failure| self.error(submission, digest, &failure));
            let (status, line) = read(line.into_bytes()).map_err(|stopped| anyhow::anyhow!("{stopped}"))?;
            bar.inc(1);
            bar.suspend(|| results.add(*index, status, line)).map_err(|error| unwritten(&error))?;
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// Files that all workers may read: headers, and the files to compare with.
    fn readable(&self) -> Vec<PathBuf> {
        let headers = self.args.include.iter().cloned();
        headers.chain([self.workspace.paths().solutions.clone()]).collect()
    }

    /// The hidden runs of an exercise.
    fn runs(&self, target: Target) -> Vec<harness::Options> {
        self.hidden.as_ref().map_or_else(Vec::new, |hidden| hidden.runs(target, &self.how))
    }

    /// Computes in advance what all submissions of these exercises are compared with: inputs, results, and the
    /// measurements of references and baselines.
    ///
    /// # Errors
    /// Names a hidden size at which the reference fails.
    fn prepare(&self, targets: Vec<Target>, jobs: usize) -> Result<(), Failure> {
        let wrong = Mutex::new(None);
        let next = Mutex::new(targets.into_iter());
        let work = &|| {
            loop {
                let next = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(target) = next else { return };
                // Ignore a reference that cannot be graded here; grading reports it.
                let Ok(solution) = self.workspace.solution(target) else { continue };
                let name = self.workspace.shown(&solution);
                let report = |how: &harness::Options| {
                    let file = harness::read_kernel_file(&solution, &name);
                    grading::caught(&solution, || self.report(target, (&name, file), how))
                };
                let _ = report(&self.how);
                for how in self.runs(target) {
                    if !matches!(report(&how), Ok(Ok(report)) if report.passed()) {
                        let what =
                            format!("the reference of {} does not pass the hidden tests", target.name());
                        let help = "a size may be one for which the exercise is not defined: its own sizes show what they have in common";
                        *wrong.lock().unwrap_or_else(PoisonError::into_inner) =
                            Some(Failure::new(what, help));
                    }
                }
            }
        };
        // These threads end before the first worker is forked.
        thread::scope(|scope| {
            for _ in 1..jobs {
                // If a thread cannot be started, the other threads do its work.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        wrong.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Grades a file, given by its name in messages and its text.
    fn report(
        &self,
        target: Target,
        file: (&str, Result<KernelFile, String>),
        how: &harness::Options,
    ) -> Result<ExerciseReport, Failure> {
        let model = &self.args.options.model;
        let mut device = devices::device(self.args.device(), model)?;
        let paths = self.workspace.paths();
        Ok(harness::grade_text(target.lab, target.exercise, file, paths, device.as_mut(), how))
    }

    /// The result of a file.
    fn line(&self, submission: &Submission, digest: &str) -> String {
        let target = match &submission.refused {
            Some(failure) => Err(failure.clone()),
            None => submission.target.as_ref().map_err(Failure::clone),
        };
        let graded = target.and_then(|target| {
            submission.check()?;
            let name = self.workspace.shown(&submission.path);
            let file = submission.read(&name);
            let report = self.report(*target, (&name, file.clone()), &self.how)?;
            let hidden = self.runs(*target);
            let reports = hidden.iter().map(|how| self.report(*target, (&name, file.clone()), how));
            let reports: Vec<ExerciseReport> = reports.collect::<Result<_, _>>()?;
            let hidden = (!reports.is_empty()).then(|| Verdict::of(reports));
            grading::json(&Line { index: submission.index, digest, report: &report, hidden })
        });
        graded.unwrap_or_else(|failure| self.error(submission, digest, &failure))
    }

    /// The result of a file that could not be graded.
    fn error(&self, submission: &Submission, digest: &str, failure: &Failure) -> String {
        let mut object = serde_json::json!({
            "index": submission.index,
            "digest": digest,
            "schema": harness::SCHEMA,
            "file": self.workspace.paths().display(&submission.path),
            "status": "error",
            "score": null,
            "error": failure.what,
            "help": failure.help,
        });
        if let Ok(target) = &submission.target {
            object["lab"] = target.lab.package.into();
            object["exercise"] = target.exercise.name().into();
        }
        object.to_string()
    }
}

/// Converts an error while writing results. Here a closed pipe is an error, unlike for a report whose reader has seen
/// enough.
fn unwritten(error: &std::io::Error) -> Failure {
    Failure::new(
        format!("not all results could be written: {error}"),
        "write them to a file: `-o FILE`, and `--resume` to continue",
    )
}

/// Checks that the output file is not a submission.
fn is_apart(output: &Path, submissions: &[Submission]) -> Result<(), Failure> {
    let place = output.canonicalize().ok();
    match submissions.iter().find(|s| place.is_some() && s.file().canonicalize().ok() == place) {
        Some(_) => Err(Failure::new(
            format!("{} is one of the files to grade", output.display()),
            "write the results to another file",
        )),
        None => Ok(()),
    }
}

/// Parses a worker's result for its status.
fn read(bytes: Vec<u8>) -> Result<(Status, String), Stopped> {
    let broken = || Stopped::Ended { how: "a result that is no JSON object".to_owned() };
    let line = String::from_utf8(bytes).map_err(|_| broken())?;
    let head: Head = serde_json::from_str(&line).map_err(|_| broken())?;
    Ok((head.status, line))
}

/// The failure of a file whose worker was stopped.
fn stopped_by(submission: &Submission, stopped: &Stopped) -> Failure {
    let what = format!("{}: grading was stopped: {stopped}", submission.path.display());
    let help = match stopped {
        Stopped::Panicked { .. } | Stopped::Output { .. } => "report it with the kernel file",
        Stopped::NotStarted { .. } => {
            "raise the system's limits on processes and open files, and use `--resume`"
        }
        _ => "grade it by hand, or with a higher `--cpu-limit` or `--memory-limit`",
    };
    Failure::new(what, help)
}
