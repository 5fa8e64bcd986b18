//! The command line's grammar and help texts.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// CUDA memory-optimisation labs, graded on this computer.
///
/// Without a command: the labs, which exercises are solved, and what to do next.
#[derive(Debug, Parser)]
#[command(name = "lab", bin_name = "cargo lab", version, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do; nothing: show progress and the next step
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const AFTER_HELP: &str = "\
Examples:
  cargo lab                            what is solved, and what is next
  cargo lab run 1 naive                grade your kernels/lab-1-stencil/naive.cu
  cargo lab compare 7                  all kernels of lab 7 in one table
  cargo lab grade submissions > grades.jsonl

Exit status: 0 all passed, 1 a kernel failed, 2 wrong use or a failure of the tool itself.";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Grade your kernels and print the reports
    #[command(after_help = "\
Examples:
  cargo lab run 1                      every exercise of lab 1
  cargo lab run stencil naive          one exercise, the lab by its name
  cargo lab run 6 tiled --kernel my.cu another file for the same exercise
  cargo lab run 7 --model gtx260       times modelled on another device
  cargo lab run all --solution         every reference solution")]
    Run(RunArgs),
    /// Compare all kernels of a lab: the host's loop, the baseline, the bound, and published figures
    #[command(after_help = "\
Examples:
  cargo lab compare 6 --solution
  cargo lab compare 6 --solution --model gtx260")]
    Compare(CompareArgs),
    /// Grade files or folders of submissions; JSON to standard output, one object a line and an exercise
    #[command(after_help = "\
The exercise of a file is told from its path (lab-1-stencil/naive.cu, alice/lab-1/naive.cu), from its name where only one lab
has an exercise of that name (cached_halo.cu), or from the kernel that it defines. Folders are searched for .cu files.

Examples:
  cargo lab grade kernels/lab-1-stencil/naive.cu
  cargo lab grade submissions > grades.jsonl
  cargo lab grade hand-in-17.cu --exercise lab-1/naive")]
    Grade(GradeArgs),
    /// Put the starter back; your file is kept as NAME.cu.bak
    #[command(after_help = "\
Examples:
  cargo lab reset 1 naive              one exercise
  cargo lab reset 1 --yes              all of lab 1, without asking")]
    Reset(ResetArgs),
    /// Say what is installed, and how to get what is not
    Doctor(JsonArgs),
    /// List the device models that times can be modelled on, with their numbers and sources
    Models(JsonArgs),
    /// For developers: write the starters under kernels/ anew from the solutions
    #[command(after_help = "\
A file under kernels/ that differs is kept as NAME.cu.bak.

Examples:
  cargo lab starters --check           exit status 1 if a starter is not what its solution says")]
    Starters(StartersArgs),
}

/// How the kernels are run.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunOptions {
    /// Seed of the random inputs
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Device model for the modelled times; `cargo lab models` lists them
    #[arg(long, value_name = "NAME", default_value = crate::simulator::DEFAULT_MODEL)]
    pub(crate) model: String,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// A lab by number or name (1, lab-1, stencil), or `all`
    pub(crate) lab: String,
    /// One exercise of it; all if left out
    pub(crate) exercise: Option<String>,
    /// Grade the reference solution instead of your kernel
    #[arg(long, conflicts_with = "kernel")]
    pub(crate) solution: bool,
    /// Grade this file instead of the one under kernels/
    #[arg(long, value_name = "FILE", requires = "exercise")]
    pub(crate) kernel: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
    /// Print JSON, one object a line and an exercise, instead of the report
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// A lab by number or name (6, lab-6, tiled-matmul)
    pub(crate) lab: String,
    /// Compare the reference solutions instead of your kernels
    #[arg(long)]
    pub(crate) solution: bool,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

/// Arguments of `grade`.
#[derive(Args, Debug)]
pub(crate) struct GradeArgs {
    /// Kernel files, or folders that are searched for them
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The exercise of all files, as lab-1/naive, where it cannot be told from the file
    #[arg(long, value_name = "LAB/NAME")]
    pub(crate) exercise: Option<String>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

/// Arguments of `reset`.
#[derive(Args, Debug)]
pub(crate) struct ResetArgs {
    /// A lab by number or name, or `all`
    pub(crate) lab: String,
    /// One exercise of it; all if left out
    pub(crate) exercise: Option<String>,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Arguments of commands that only print.
#[derive(Args, Debug)]
pub(crate) struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `starters`.
#[derive(Args, Debug)]
pub(crate) struct StartersArgs {
    /// Change nothing; exit status 1 if a starter is not what its solution says
    #[arg(long)]
    pub(crate) check: bool,
}
