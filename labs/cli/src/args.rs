//! The command line's grammar and help texts.

use crate::commands;
use crate::format::FormatArgs;
use crate::offered;
use clap::{Args, Parser, Subcommand, ValueHint};
use launch_line::{LaunchLimits, LaunchLine};
use std::path::PathBuf;

/// What the labs' words mean, for the help of every command that takes them.
const TARGETS: &str = "Labs and exercises: `1`, `stencil`, `1 naive`, `1/naive`, `register_tiled`, a kernel file, or `all`; in a lab's folder, that lab if none is named";

/// Which labs, for commands that are about whole labs.
const LABS: &str =
    "Labs by number or name (6, lab-6, tiled-matmul), or `all`; in a lab's folder, that lab if none is named";

/// CUDA memory-optimisation labs, graded on this computer.
///
/// Without a command: the labs, which exercises are solved, and what to do next.
#[derive(Debug, Parser)]
#[command(name = "lab", version, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do; nothing: show progress and the next step
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// When to colour: on a terminal unless NO_COLOR is set, always, or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub(crate) color: clap::ColorChoice,
}

const AFTER_HELP: &str = "\
Examples:
  cargo lab                            what is solved, and what is next
  cargo lab run 1 naive                grade your kernels/lab-1-stencil/naive.cu
  cargo lab compare 7                  all kernels of lab 7 in one table
  cargo lab grade submissions > grades.jsonl
  cargo lab compile my.cu              kernels and messages of any CUDA C++ file

Exit status: 0 all passed, 1 a kernel failed, 2 wrong use or a failure of the tool itself.";

const LAUNCH_HELP: &str = "\
A SPEC is one argument, in the order of the parameters:
  2048, 1.5, true                      a number, read by the parameter's type
  f32[4096]=FILL                       device memory; types f16 bf16 f32 f64 i8 u8 i16 u16 i32 u32 i64 u64, x2 x3 x4 of each
  @in.npy                              device memory of the type, shape and content of a NumPy file
  null                                 the null pointer
  arg:NAME                             the same memory as another parameter, by name or 0-based index
  tex1d:f32[32]=FILL                   a texture object for tex1Dfetch; tex2d:f32[H,W], tex3d:f32[D,H,W] over arrays, and
                                       after the size array (tex1D), border, wrap, mirror, linear, normalized, as :border,linear
  surf2d:f32[H,W]=FILL                 a surface object; surf1d, surf3d, and as for textures 1dlayered, 2dlayered, cube, cubelayered
  {1,2.5}                              the members of a struct
A FILL is zeros, ones, ramp (0, 1, 2 …), poison (not initialised), random:SEED, random:SEED:BELOW (integers), a number,
{1,2,3}, or @FILE.npy. The book's page on commands says what random numbers are made of.

Examples:
  cargo lab launch saxpy.cu --kernel saxpy --grid 16 --block 256 \\
    --arg 4096 --arg 2.0 --arg 'f32[4096]=ramp' \\
    --arg 'f32[4096]=random:1' --dump y=y.npy
  cargo lab launch tile.cu --kernel 'tile<16,32>' --grid 4,4 \\
    --block 16,16 --arg 'f32[64,64]=random:1' --arg 64 --json

Exit status: 0 it ran, 1 it was diagnosed, rejected or is not supported, 2 wrong use.";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Grade your kernels and print the reports
    #[command(after_help = "\
Examples:
  cargo lab run 1                      every exercise of lab 1
  cargo lab run stencil naive          one exercise, the lab by its name
  cargo lab run 1/naive 7/copy         several, of more than one lab
  cargo lab run my.cu                  a file elsewhere, if its path or its kernel says which exercise it is for
  cargo lab run 6 tiled --kernel my.cu another file for the same exercise
  cargo lab run 7 --model gtx260       times modelled on another device
  cargo lab run 1 naive --verbose      every check, all numbers, tables and lines
  cargo lab run 7 shared --show-access sectors and banks of one warp, drawn from the run
  cargo lab run 1 --format concise     one line per finding, for an editor
  cargo lab run all --solution         every reference solution
  cargo lab run 6 --best               the lab's kernel at the card's limit")]
    Run(RunArgs),
    /// Choose the tile sizes of a lab's best kernel for the card of this computer, by measuring
    #[command(after_help = "\
Each combination is first run on every case of the lab and must be right. The choice is kept for each card in the user's data
folder (WARPLAB_DATA, or warplab in XDG_DATA_HOME, LOCALAPPDATA or ~/.local/share), and `run --best` uses it.

Examples:
  cargo lab tune 6
  cargo lab tune all")]
    Tune(TuneArgs),
    /// Compare all kernels of a lab: the host's loop, the baseline, the bound, and published figures
    #[command(after_help = "\
Examples:
  cargo lab compare 6 --solution
  cargo lab compare 6 --solution --model gtx260")]
    Compare(CompareArgs),
    /// Grade files or folders of submissions; JSON to standard output, one object per line and exercise
    #[command(after_help = commands::grade::args::HELP)]
    Grade(commands::grade::args::GradeArgs),
    /// Sum up results for each student of a course: tables for a learning management system, and pages to hand back
    #[command(after_help = commands::gradebook::HELP)]
    Gradebook(commands::gradebook::GradebookArgs),
    /// Merge the results of several shards of `grade` to those of one run
    #[command(after_help = commands::merge::HELP)]
    Merge(commands::merge::MergeArgs),
    /// List pairs of submissions that are alike, so that you can read them
    #[command(after_help = commands::similar::HELP)]
    Similar(commands::similar::SimilarArgs),
    /// Compile any CUDA C++ file: messages, kernels, what each takes of the device, and its occupancy
    #[command(after_help = "\
Examples:
  cargo lab compile my.cu              every kernel, every message
  cargo lab compile my.cu --block 32,8 -D TILE=32 -I include
  cargo lab compile my.cu --kernel 'tile<16,32>' --json")]
    Compile(CompileArgs),
    /// Run one kernel of any CUDA C++ file, on the simulator, a GPU, or both
    #[command(after_help = LAUNCH_HELP)]
    Launch(LaunchArgs),
    /// Count what a kernel does: the simulator's counters beside the hardware's, through Nsight Compute where there is a GPU
    #[command(after_help = "\
Examples:
  cargo lab profile 7 shared           your kernel
  cargo lab profile 7 --solution       every reference of lab 7
  cargo lab profile 7 --on sim         the simulator's counters alone")]
    Profile(ProfileArgs),
    /// Run kernels on the GPU under compute-sanitizer: memory errors, races, uninitialised reads, barriers
    #[command(after_help = "\
Examples:
  cargo lab sanitize 1 shared          your kernel
  cargo lab sanitize 1 --solution      every reference of lab 1")]
    Sanitize(TargetArgs),
    /// Run an exercise's report case on the GPU once, for a tool that watches
    #[command(hide = true)]
    Once(OnceArgs),
    /// Write a folder with the starters of all labs, for work without a checkout of the project
    Init(crate::commands::init::InitArgs),
    /// Grade an exercise on each save of its kernel file, until you press q
    #[command(after_help = "\
While it runs: h shows a hint, n moves to the next exercise, l lists all, f shows the full report, e opens the file in VISUAL or
EDITOR, r restores the starter (after a question), Enter grades again, q ends. j and k, or Space and b, scroll. Saving the file of
another exercise switches to that one. If the input ends, so does the watch, with the exit status of the last grade.

Examples:
  cargo lab watch                      the first exercise that is not solved
  cargo lab watch 6                    the first of lab 6 that is not solved
  cargo lab watch 1 naive")]
    Watch(commands::watch::WatchArgs),
    /// Show a hint for an exercise, one more with each call
    #[command(after_help = "\
Examples:
  cargo lab hint 1 naive               the hints seen so far, and the next one
  cargo lab hint                       the next one for the first exercise that is not solved
  cargo lab hint 1 naive --again       those seen so far, and no new one")]
    Hint(commands::hint::HintArgs),
    /// Restore the starter file; your file is kept as NAME.cu.bak
    #[command(after_help = "\
Examples:
  cargo lab reset 1 naive              one exercise
  cargo lab reset 1 --yes              all of lab 1, without asking")]
    Reset(ResetArgs),
    /// Explain a diagnostic's code, a gate, a check, a counter, or a word of a report
    Explain(crate::commands::explain::ExplainArgs),
    /// Say what is installed, and how to get what is not
    Doctor(JsonArgs),
    /// List the device models that times can be modelled on, with their numbers and sources
    Models(JsonArgs),
    /// Print a script that completes commands, options, labs and exercises in a shell
    #[command(after_help = crate::commands::completions::HELP)]
    Completions(crate::commands::completions::CompletionsArgs),
    /// Print the manual page, or write the pages of all commands to a folder
    #[command(after_help = crate::commands::man::HELP)]
    Man(crate::commands::man::ManArgs),
    /// Make an autograder for Gradescope, Autolab or GitHub, ready to be uploaded, or job scripts for Slurm
    Autograder(crate::commands::autograder::AutograderArgs),
    /// Write a course as two folders: one for students, without solutions, and one for instructors
    ExportCourse(crate::commands::export_course::ExportCourseArgs),
    /// For developers: regenerate the starters under kernels/ from the solutions
    #[command(after_help = "\
A file under kernels/ that differs is kept as NAME.cu.bak.

Examples:
  cargo lab starters --check           exit status 1 if a starter differs from what its solution says")]
    Starters(StartersArgs),
}

/// How the kernels are run.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunOptions {
    /// Seed of the random inputs, and of one of the problem sizes
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Device model for the modelled times; `cargo lab models` lists them
    #[arg(long, value_name = "NAME", default_value = crate::devices::DEFAULT_MODEL, add = offered::models())]
    pub(crate) model: String,
    /// What to run on: the simulator, an NVIDIA GPU, or both and compare; both where there is a GPU, if left out
    #[arg(long, value_name = "DEVICE", value_parser = backend::NAMES)]
    pub(crate) on: Option<String>,
}

impl RunOptions {
    /// The device's name: chosen, from `LAB_DEVICE` as in the labs' tests, or by default.
    pub(crate) fn device(&self) -> String {
        device_name(self.on.as_deref(), &self.model)
    }
}

fn device_name(on: Option<&str>, model: &str) -> String {
    let set = || std::env::var("LAB_DEVICE").ok().filter(|name| !name.is_empty());
    let default = || backend::default_name(Some(model)).to_string();
    on.map(str::to_string).or_else(set).unwrap_or_else(default)
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[arg(value_name = "TARGET", help = TARGETS, add = offered::targets())]
    pub(crate) targets: Vec<String>,
    /// Grade the reference solution instead of your kernel
    #[arg(long, conflicts_with = "kernel")]
    pub(crate) solution: bool,
    /// Run the lab's best kernel, which is not graded: with the constants that `tune` chose for this card
    #[arg(long, conflicts_with_all = ["solution", "kernel"])]
    pub(crate) best: bool,
    /// Grade this file instead of the one under kernels/
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) kernel: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
    /// A course file (TOML) that says what the parts of the score are worth
    #[arg(long, value_name = "FILE")]
    pub(crate) course: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    /// Show every check, all numbers, tables and lines, in place of a summary
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Show what one warp of this run accesses, for each line that takes more sectors or passes than it needs or splits warps
    #[arg(long, conflicts_with = "best")]
    pub(crate) show_access: bool,
    /// Write the reports as a page for a browser too, one file without scripts; `-` prints it instead of the reports
    #[arg(long, value_name = "FILE", conflicts_with = "best")]
    pub(crate) html: Option<PathBuf>,
}

/// Which kernels.
#[derive(Args, Debug)]
pub(crate) struct TargetArgs {
    #[arg(value_name = "TARGET", help = TARGETS, add = offered::targets())]
    pub(crate) targets: Vec<String>,
    /// The reference solution instead of your kernel
    #[arg(long)]
    pub(crate) solution: bool,
    /// Seed of the random inputs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Arguments of `profile`.
#[derive(Args, Debug)]
pub(crate) struct ProfileArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Whose counters: the simulator's, the GPU's, or both; both where there is a GPU, if left out
    #[arg(long, value_name = "DEVICE", value_parser = backend::NAMES)]
    pub(crate) on: Option<String>,
}

/// Arguments of `once`.
#[derive(Args, Debug)]
pub(crate) struct OnceArgs {
    /// The lab
    pub(crate) lab: String,
    /// The exercise
    pub(crate) exercise: String,
    /// The kernel file
    pub(crate) file: PathBuf,
    /// Seed of the random inputs
    pub(crate) seed: u64,
}

/// Arguments of `tune`.
#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    #[arg(value_name = "LAB", help = LABS, add = offered::labs())]
    pub(crate) targets: Vec<String>,
    /// Seed of the random inputs
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) seed: u64,
}

/// Arguments of `compare`.
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    #[arg(value_name = "LAB", help = LABS, add = offered::labs())]
    pub(crate) targets: Vec<String>,
    /// Compare the reference solutions instead of your kernels
    #[arg(long)]
    pub(crate) solution: bool,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

/// Arguments of `reset`.
#[derive(Args, Debug)]
pub(crate) struct ResetArgs {
    #[arg(value_name = "TARGET", help = TARGETS, add = offered::targets())]
    pub(crate) targets: Vec<String>,
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
    /// Change nothing; exit status 1 if a starter differs from what its solution says
    #[arg(long)]
    pub(crate) check: bool,
}

/// A kernel file and how it is compiled.
#[derive(Args, Debug)]
pub(crate) struct FileArgs {
    /// A CUDA C++ file
    pub(crate) file: PathBuf,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) defines: Vec<String>,
    /// Look for included files here too, after the folder of the including file
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Device model for limits and modelled times; `cargo lab models` lists them
    #[arg(long, value_name = "NAME", default_value = crate::devices::DEFAULT_MODEL, add = offered::models())]
    pub(crate) model: String,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Arguments of `compile`.
#[derive(Args, Debug)]
pub(crate) struct CompileArgs {
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Threads of a block by axis, for the occupancy
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub(crate) block: Option<String>,
    /// Instantiate a kernel template; may be given several times
    #[arg(long, value_name = "NAME<ARGS>")]
    pub(crate) kernel: Vec<String>,
    /// Say what CUDA's own compiler gives each kernel: registers, stack, spills; needs NVRTC or nvcc, but no GPU
    #[arg(long)]
    pub(crate) ptxas: bool,
}

/// Arguments of `launch`.
#[derive(Args, Debug)]
pub(crate) struct LaunchArgs {
    #[command(flatten)]
    pub(crate) file: FileArgs,
    #[command(flatten)]
    pub(crate) line: LaunchLine,
    /// What to launch on: the simulator, an NVIDIA GPU, or both and compare; both where there is a GPU, if left out
    #[arg(long, value_name = "DEVICE", value_parser = backend::NAMES)]
    pub(crate) on: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LaunchLimits,
}

impl LaunchArgs {
    /// The device's name, as for `run`.
    pub(crate) fn device(&self) -> String {
        device_name(self.on.as_deref(), &self.file.model)
    }
}
