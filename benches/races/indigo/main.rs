//! How many of the races of a published suite the simulator reports: Indigo, as the artifact of HiRace (SC 2024) holds and runs it.
//!
//! `cargo run --release -p benches --bin indigo -- FOLDER` runs each kernel of the suite on each of its graphs and compares what is
//! reported with the kernel's name, which says which mistakes were put into it. `--oracle` asks the race oracle of `simt_ref`, too,
//! because a name belongs to the code: on a small graph a racy kernel may have no race. The suite is not part of this project:
//! FOLDER is a checkout of `github.com/JohnJacobsonIII/HiRace-Artifact-SC24`.
//!
//! The kernel files are compiled as they are, with their header; their host code is skipped, and [`benches::indigo`] makes the same graph,
//! arrays and launch.

mod oracle;
mod run;
mod table;

use anyhow::{Context, ensure};
use benches::indigo::{BLOCKS, Graph, KernelName, Shape, Suite, THREADS};
use clap::Parser;
use run::Outcome;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The simulator on the kernels of the Indigo suite.
#[derive(Debug, Parser)]
#[command(name = "indigo", max_term_width = 100)]
struct Arguments {
    /// A checkout of HiRace-Artifact-SC24
    folder: PathBuf,
    /// Graphs (.egr) in place of the artifact's four larger ones
    #[arg(long, num_args = 1..)]
    graph: Vec<PathBuf>,
    /// Only kernels whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// Also ask the race oracle about each run, and list where it says otherwise
    #[arg(long)]
    oracle: bool,
    /// Blocks of each launch
    #[arg(long, default_value_t = BLOCKS)]
    blocks: u32,
    /// Threads of a block
    #[arg(long, default_value_t = THREADS)]
    block_threads: u32,
    /// Host threads; 0: one per core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Write each run to this file
    #[arg(long)]
    json: Option<PathBuf>,
}

/// One kernel on one graph.
#[derive(Debug, Serialize)]
struct Run {
    kernel: KernelName,
    graph: String,
    outcome: Outcome,
    /// What the oracle says, if it was asked.
    oracle: Option<oracle::Answer>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("indigo: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let suite = Suite::find(&arguments.folder)?;
    let graphs = match &arguments.graph[..] {
        [] => suite.graphs(),
        given => given.to_vec(),
    };
    let graphs = graphs.iter().map(|path| Graph::read(path)).collect::<anyhow::Result<Vec<Graph>>>()?;
    let only = arguments.only.as_deref().unwrap_or("");
    let kernels = suite.kernels()?;
    let kernels: Vec<&PathBuf> =
        kernels.iter().filter(|path| KernelName::of(path).text.contains(only)).collect();
    ensure!(!kernels.is_empty(), "no kernel's name contains `{only}`");

    let cores = thread::available_parallelism()?.get();
    let threads = if arguments.threads == 0 { cores } else { arguments.threads };
    let next = AtomicUsize::new(0);
    let shape = Shape { blocks: arguments.blocks, threads: arguments.block_threads };
    let work = || -> anyhow::Result<Vec<Run>> {
        let mut runs = Vec::new();
        while let Some(path) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
            runs.extend(runs_of(&suite, path, &graphs, shape, arguments.oracle)?);
        }
        Ok(runs)
    };
    let done = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
        done.collect::<anyhow::Result<Vec<_>>>()
    })?;
    let mut runs: Vec<Run> = done.into_iter().flatten().collect();
    let place = |name: &str| graphs.iter().position(|graph| graph.name == name);
    runs.sort_by(|a, b| (&a.kernel.text, place(&a.graph)).cmp(&(&b.kernel.text, place(&b.graph))));

    let names: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
    print!("{}", table::page(&runs, &names));
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&runs)?;
        std::fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// A kernel on all graphs.
fn runs_of(
    suite: &Suite,
    path: &Path,
    graphs: &[Graph],
    shape: Shape,
    ask: bool,
) -> anyhow::Result<Vec<Run>> {
    let kernel = KernelName::of(path);
    let file = suite.read(path)?;
    let outcomes = graphs.iter().map(|graph| {
        let outcome = run::run(suite, &file, graph, shape)?;
        let oracle = if ask { Some(oracle::ask(suite, &file, graph, shape)?) } else { None };
        Ok(Run { kernel: kernel.clone(), graph: graph.name.clone(), outcome, oracle })
    });
    outcomes.collect()
}
