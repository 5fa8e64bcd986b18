//! How fast the simulator is beside other ways to run kernels without a GPU: PoCL (a compiler for the CPU), Oclgrind (an interpreter
//! that checks), numba's CUDA simulator (threads of Python), and plain C.
//!
//! `cargo run --release -p peers` runs the four kernels of `kernels/` on all that this machine has, and prints rates and ratios;
//! what is missing is a row that says how to get it. Every result is compared with the host's before anything is timed.
//!
//! `cargo run --release -p peers -- suite` runs the many kernels of `suite/` on the simulator and PoCL alone.

#![expect(clippy::disallowed_methods, reason = "predicted times, of which no bit matters")]

mod contestants;
mod measure;
mod memory;
mod opencl;
mod opencl_library;
mod ours;
mod page;
mod plain;
mod problem;
mod record;
mod session;
mod suite;
mod tables;
mod task;
mod worker;

use anyhow::ensure;
use clap::{Parser, Subcommand};
use contestants::Tools;
use measure::Plan;
use problem::Kernel;
use record::{Kept, Outcome, Record};
use std::path::PathBuf;
use std::process::ExitCode;

/// The simulator beside PoCL, Oclgrind, numba and plain C.
#[derive(Debug, Parser)]
#[command(name = "peers", max_term_width = 100, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Repetitions of each contestant; the median is shown
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    repetitions: u16,
    /// Worker threads of each contestant that has any; 0: one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Only these kernels
    #[arg(long, value_enum, num_args = 1..)]
    kernels: Vec<Kernel>,
    /// Also the simulator at n = 64 to 4096 and on 1, 2, 4 ... threads
    #[arg(long)]
    scaling: bool,
    /// Everything at the smallest sizes, once: only to see that it works
    #[arg(long)]
    tiny: bool,
    /// The Python that has numba; otherwise target/peers/bin/python, then python3
    #[arg(long)]
    python: Option<PathBuf>,
    /// JSON with all raw times instead of tables
    #[arg(long)]
    json: bool,
    /// Also the scaling; keep all in benches/peers/results, and write the book's tables from it
    #[arg(long, conflicts_with_all = ["tiny", "kernels"])]
    save: bool,
    /// Measure nothing: write the book's tables from the latest kept results
    #[arg(long, conflicts_with_all = ["tiny", "kernels", "save", "scaling", "json"])]
    page: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Many kernels of courses, each written in several ways, on the simulator and on PoCL
    Suite(suite::SuiteArgs),
    /// A contestant's process
    #[command(hide = true)]
    Worker(worker::WorkerArgs),
    /// A contestant's process for a kernel of the suite
    #[command(hide = true)]
    SuiteWorker(suite::WorkerArgs),
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    match &arguments.command {
        Some(Command::Worker(args)) => return worker::run(args),
        Some(Command::SuiteWorker(args)) => return suite::work(args),
        Some(Command::Suite(args)) => return suite::run(args),
        None => {}
    }
    if arguments.page {
        return write_page();
    }
    let folder = tempfile::tempdir()?;
    let tools = Tools::find(folder.path(), arguments.python.as_deref())?;
    let plan = Plan {
        repetitions: if arguments.tiny { 1 } else { arguments.repetitions.into() },
        threads: if arguments.threads == 0 { record::cores() } else { arguments.threads },
        tiny: arguments.tiny,
        kernels: arguments.kernels,
    };
    let mut record = Record::new(plan.threads)?;
    record.setting.warn_if_busy();
    measure::comparison(&plan, &tools, folder.path(), &mut record)?;
    if arguments.scaling || arguments.save {
        record.scaling = Some(measure::scaling(&plan, &tools, folder.path())?);
    }
    record.setting.finish();
    if arguments.json {
        println!("{}", record.json()?);
    } else {
        print(&record);
    }
    let failed = record.comparison.iter().filter(|e| matches!(e.outcome, Outcome::Failed(_))).count();
    ensure!(failed == 0, "{failed} of {} rows failed; the table says why", record.comparison.len());
    if arguments.save {
        println!("\nkept: {}", record.save()?.display());
        write_page()?;
    }
    Ok(())
}

fn print(record: &Record) {
    println!(
        "{}\n{}\n{}",
        tables::machine(&record.setting),
        tables::comparison(record),
        tables::targets(record)
    );
    if let Some(scaling) = &record.scaling {
        println!("{}\n{}", tables::sizes(&scaling.sizes), tables::threads(&scaling.threads));
    }
}

/// Writes what is generated of the book from the latest kept results.
pub(crate) fn write_page() -> anyhow::Result<()> {
    let file = page::generated()?;
    if file.is != file.should_be {
        std::fs::write(&file.path, &file.should_be)?;
    }
    Ok(())
}
