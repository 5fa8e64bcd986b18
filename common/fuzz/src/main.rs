//! `cargo run -p fuzz -- run TARGET`: fuzzing for a while, on this computer, without a network. `.ci/fuzz` builds it so that it counts
//! what it reaches.

use clap::{Args, Parser, Subcommand};
use fuzz::{Campaign, FOUND, Finding, Minimise, Target, Work, check, minimise, run, targets, work};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Runs the compiler, the simulator and the command line on texts that no programmer wrote.
///
/// Targets: compile, launch, ir, grade, inputs.
#[derive(Debug, Parser)]
#[command(name = "fuzz")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fuzz a target, and write what is found to a folder; status 1 if anything is
    Run(RunArgs),
    /// Run single files, and say what is wrong with what they do; status 1 if anything is
    Check(CheckArgs),
    /// Make a file smaller that shows something
    Minimise(MinimiseArgs),
    /// Run cases in this process (used by `run`)
    #[command(hide = true)]
    Worker(WorkerArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    #[arg(value_parser = target)]
    target: &'static dyn Target,
    /// How long
    #[arg(long)]
    seconds: Option<u64>,
    /// How many cases for each job
    #[arg(long, default_value_t = u64::MAX, hide_default_value = true)]
    cases: u64,
    /// Another seed makes other cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes at one time
    #[arg(long, default_value_t = 1)]
    jobs: u64,
    /// Folder for inputs that reach new code; those in it are used
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Folder for what is found
    #[arg(long, default_value = "target/fuzz/findings")]
    findings: PathBuf,
    /// How long one case may take, seconds
    #[arg(long, default_value_t = 20)]
    case_seconds: u64,
    /// How long to make what is found smaller, seconds
    #[arg(long, default_value_t = 120)]
    minimise_seconds: u64,
}

#[derive(Debug, Args)]
struct CheckArgs {
    #[arg(value_parser = target)]
    target: &'static dyn Target,
    /// The files
    files: Vec<PathBuf>,
    /// Folder for the finding, for the program itself
    #[arg(long, hide = true)]
    state: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct MinimiseArgs {
    #[arg(value_parser = target)]
    target: &'static dyn Target,
    /// The file, which is replaced
    file: PathBuf,
    /// How long, seconds
    #[arg(long, default_value_t = 120)]
    seconds: u64,
}

#[derive(Debug, Args)]
struct WorkerArgs {
    #[arg(value_parser = target)]
    target: &'static dyn Target,
    #[arg(long)]
    seed: u64,
    #[arg(long)]
    first: u64,
    #[arg(long)]
    end: u64,
    #[arg(long)]
    corpus: Option<PathBuf>,
    #[arg(long)]
    state: PathBuf,
}

fn target(name: &str) -> Result<&'static dyn Target, String> {
    let names = targets::ALL.map(|target| target.name()).join(", ");
    targets::named(name).ok_or_else(|| format!("the targets are {names}"))
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => run_for(args),
        Command::Check(args) => check_files(&args),
        Command::Minimise(args) => make_smaller(&args),
        Command::Worker(args) => {
            let WorkerArgs { target, seed, first, end, corpus, state } = args;
            Ok(work(target, &Work { seed, first, end, corpus, state })
                .map_or(FOUND.into(), |()| ExitCode::SUCCESS))
        }
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn run_for(args: RunArgs) -> std::io::Result<ExitCode> {
    let RunArgs { target, seconds, cases, seed, jobs, corpus, findings, case_seconds, minimise_seconds } =
        args;
    if seconds.is_none() && cases == u64::MAX {
        return Err(std::io::Error::other("say how long: --seconds N or --cases N"));
    }
    let campaign = Campaign {
        time: seconds.map(Duration::from_secs),
        cases,
        seed,
        jobs,
        corpus,
        findings,
        case_time: Duration::from_secs(case_seconds),
        minimise_time: Duration::from_secs(minimise_seconds),
    };
    let found = run(target, &campaign)?;
    for (signature, times) in &found {
        println!("{times} × {signature}");
    }
    println!("{}: {} kinds of findings in {}", target.name(), found.len(), campaign.findings.display());
    Ok(ExitCode::from(u8::from(!found.is_empty())))
}

fn check_files(args: &CheckArgs) -> std::io::Result<ExitCode> {
    let mut status = ExitCode::SUCCESS;
    for file in &args.files {
        let Err(Finding { kind, message }) = check(args.target, &std::fs::read(file)?) else { continue };
        match &args.state {
            Some(state) => {
                std::fs::write(state.join("finding"), format!("{kind}\n{message}"))?;
                status = FOUND.into();
            }
            None => {
                println!("{}: {kind}: {message}", file.display());
                status = 1.into();
            }
        }
    }
    Ok(status)
}

fn make_smaller(args: &MinimiseArgs) -> std::io::Result<ExitCode> {
    let input = std::fs::read(&args.file)?;
    let how = Minimise { time: Duration::from_secs(args.seconds), ..Minimise::default() };
    let Some(finding) = fuzz::outcome(args.target, &input, &how)? else {
        println!("{}: nothing is wrong with what it does", args.file.display());
        return Ok(1.into());
    };
    let smaller = minimise(args.target, &input, &finding.signature(), &how)?;
    std::fs::write(&args.file, &smaller)?;
    println!("{}: {} bytes of {}: {finding}", args.file.display(), smaller.len(), input.len());
    Ok(ExitCode::SUCCESS)
}
