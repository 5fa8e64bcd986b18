//! A contestant's process: prepares one problem, writes what its first launch computed, then launches as often as it is asked to and
//! says how long that took. [`crate::session`] is the other end.

use crate::problem::{Kernel, Problem};
use crate::task::Task;
use crate::{memory, opencl, ours, plain};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Who runs a problem in a process of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Runner {
    /// The simulator
    Ours,
    /// The first device of the first OpenCL platform of a name
    OpenCl,
    /// Plain C, from a library
    Plain,
}

/// Who runs it, and how.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RunnerArgs {
    /// Who runs it
    #[arg(long, value_enum)]
    pub(crate) runner: Runner,
    /// The simulator's mode, the OpenCL platform's name or the library of plain C
    #[arg(long)]
    pub(crate) which: String,
    /// Threads of the simulator; others are told by their environment
    #[arg(long, default_value_t = 0)]
    pub(crate) threads: usize,
}

/// What the process is told.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    pub(crate) runner: RunnerArgs,
    /// The kernel
    #[arg(value_enum)]
    pub(crate) kernel: Kernel,
    /// The problem's size
    pub(crate) n: usize,
    /// Where its inputs are
    pub(crate) folder: PathBuf,
    /// Where the result goes
    pub(crate) out: PathBuf,
}

/// How much of a launch's accesses was proved right before it began.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Share {
    /// Loads and stores in the code, and those that are certainly in bounds.
    pub(crate) accesses: usize,
    pub(crate) in_bounds: usize,
    /// Parameters and variables that are accessed, and those on which threads certainly do not race.
    pub(crate) names: usize,
    pub(crate) no_races: usize,
}

/// Something that has a problem ready to run.
pub(crate) trait Contestant {
    /// Its name and version.
    fn version(&self) -> String;

    /// Gives what the kernel changes its first content again.
    fn restore(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    /// What it has proved of the last launch before that began, if it does such a thing.
    fn proved(&self) -> Option<Share> {
        None
    }

    /// Runs the kernel once and waits for it.
    fn launch(&mut self) -> anyhow::Result<()>;

    /// What the last launch wrote, in order of the arguments and this machine's byte order.
    fn result(&mut self) -> anyhow::Result<Vec<u8>>;
}

impl RunnerArgs {
    /// The task, ready to run, unless plain C runs it.
    pub(crate) fn contestant(&self, task: &Task) -> anyhow::Result<Box<dyn Contestant>> {
        Ok(match self.runner {
            Runner::Ours => Box::new(ours::Ours::new(task, &self.which, self.threads)?),
            Runner::OpenCl => Box::new(opencl::OpenCl::new(task, &self.which)?),
            Runner::Plain => bail!("plain C runs only kernels.c"),
        })
    }
}

/// The process of a problem.
pub(crate) fn run(args: &WorkerArgs) -> anyhow::Result<()> {
    let contestant = || {
        let problem =
            Problem::load(args.kernel, args.n, &args.folder).context("the inputs cannot be read")?;
        match args.runner.runner {
            Runner::Plain => {
                Ok(Box::new(plain::Plain::new(problem, args.runner.which.as_ref())?) as Box<dyn Contestant>)
            }
            Runner::Ours | Runner::OpenCl => args.runner.contestant(&problem.task()),
        }
    };
    serve(contestant, &args.out)
}

/// Answers each line of the standard input, a number of launches, with one of JSON. An error is such a line too.
pub(crate) fn serve(
    contestant: impl FnOnce() -> anyhow::Result<Box<dyn Contestant>>,
    out: &Path,
) -> anyhow::Result<()> {
    let serve = || {
        let mut contestant = contestant()?;
        let memory = memory::Growth::start();
        contestant.launch()?;
        let memory = memory.bytes();
        std::fs::write(out, contestant.result()?).context("the result cannot be written")?;
        answer(&json!({ "version": contestant.version(), "memory": memory, "proved": contestant.proved() }))?;
        for line in std::io::stdin().lock().lines() {
            let launches: u32 = line?.trim().parse().context("expected a number of launches")?;
            let mut time = Duration::ZERO;
            for _ in 0..launches {
                contestant.restore()?;
                let begin = Instant::now();
                contestant.launch()?;
                time += begin.elapsed();
            }
            answer(&json!({ "seconds": time.as_secs_f64() }))?;
        }
        Ok(())
    };
    serve().inspect_err(|error: &anyhow::Error| println!("{}", json!({ "error": format!("{error:#}") })))
}

fn answer(value: &serde_json::Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")?;
    Ok(out.flush()?)
}
