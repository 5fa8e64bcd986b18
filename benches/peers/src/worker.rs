//! A contestant's process: prepares one problem, writes what its first launch computed, then launches as often as it is asked to and
//! says how long that took. [`crate::session`] is the other end.

use crate::problem::{Kernel, Problem};
use crate::{opencl, ours, plain};
use anyhow::Context;
use serde_json::json;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Instant;

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

/// What the process is told.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WorkerArgs {
    /// Who runs it
    #[arg(long, value_enum)]
    pub(crate) runner: Runner,
    /// The simulator's mode, the OpenCL platform's name or the library of plain C
    #[arg(long)]
    pub(crate) which: String,
    /// Threads of the simulator; others are told by their environment
    #[arg(long, default_value_t = 0)]
    pub(crate) threads: usize,
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

/// Something that has a problem ready to run.
pub(crate) trait Contestant {
    /// Its name and version.
    fn version(&self) -> String;

    /// Runs the kernel once and waits for it.
    fn launch(&mut self) -> anyhow::Result<()>;

    /// What the last launch wrote.
    fn result(&mut self) -> anyhow::Result<Vec<f32>>;
}

/// The process: answers each line of its standard input, a number of launches, with one of JSON. An error is such a line too.
pub(crate) fn run(args: &WorkerArgs) -> anyhow::Result<()> {
    serve(args).inspect_err(|error| println!("{}", json!({ "error": format!("{error:#}") })))
}

fn serve(args: &WorkerArgs) -> anyhow::Result<()> {
    let problem = Problem::load(args.kernel, args.n, &args.folder).context("the inputs cannot be read")?;
    let mut contestant: Box<dyn Contestant> = match args.runner {
        Runner::Ours => Box::new(ours::Ours::new(&problem, &args.which, args.threads)?),
        Runner::OpenCl => Box::new(opencl::OpenCl::new(&problem, &args.which)?),
        Runner::Plain => Box::new(plain::Plain::new(problem, args.which.as_ref())?),
    };
    contestant.launch()?;
    let bytes: Vec<u8> = contestant.result()?.iter().flat_map(|v| v.to_ne_bytes()).collect();
    std::fs::write(&args.out, bytes).context("the result cannot be written")?;
    answer(&json!({ "version": contestant.version() }))?;
    for line in std::io::stdin().lock().lines() {
        let launches: u32 = line?.trim().parse().context("expected a number of launches")?;
        let begin = Instant::now();
        for _ in 0..launches {
            contestant.launch()?;
        }
        answer(&json!({ "seconds": begin.elapsed().as_secs_f64() }))?;
    }
    Ok(())
}

fn answer(value: &serde_json::Value) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{value}")?;
    Ok(out.flush()?)
}
