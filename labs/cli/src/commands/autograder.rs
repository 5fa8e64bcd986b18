//! `cargo lab autograder KIND`: writes an autograder for a course platform, ready for upload, or the scripts with
//! which a cluster grades.

use crate::autograder::Autograder;
use crate::course;
use crate::registry;
use crate::screen::Screen;
use crate::selection::Selector;
use crate::workspace::{Workspace, make_executable, unwritten, write_whole_bytes};
use clap::{Args, ValueEnum, ValueHint};
use source::Failure;
use std::path::{Path, PathBuf};

/// A platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A zip archive for Gradescope's "Configure Autograder"
    Gradescope,
    /// A folder with autograde.tar and autograde-Makefile for Autolab
    Autolab,
    /// A workflow for students' repositories on GitHub: .github/workflows/classroom.yml
    Classroom,
    /// A folder with job scripts for a cluster with Slurm, which grades a large course in parallel
    Slurm,
}

/// Arguments of `autograder`.
#[derive(Args, Debug)]
#[command(after_help = "\
For Gradescope and Autolab the program goes into the archive: this one, or another with --program. Both run Linux on
x86-64, and no network is needed. The workflow for GitHub builds the program in the student's repository. The folder for
Slurm has the program too; its script `submit` has the cluster grade a folder of submissions.

Examples:
  cargo lab autograder gradescope 1 -o gradescope.zip
  cargo lab autograder gradescope 6 tiled -o tiled.zip --course course.toml --seed 20260
  cargo lab autograder autolab 1 -o autolab
  cargo lab autograder classroom 1 2 -o classroom.yml
  cargo lab autograder slurm -o autograder --course course.toml")]
pub(crate) struct AutograderArgs {
    /// For which platform
    #[arg(value_enum)]
    pub(crate) kind: Kind,
    /// The exercises of the assignment, as for `run`; all, if left out
    #[arg(value_name = "TARGET", add = crate::offered::targets())]
    pub(crate) targets: Vec<String>,
    /// The file to write, or for Autolab and Slurm the folder; what is there is replaced
    #[arg(long, short, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) out: PathBuf,
    /// The program to put in, for Linux on x86-64, in place of this one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) program: Option<PathBuf>,
    /// A course file (TOML) that says what the parts of the score are worth
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) course: Option<PathBuf>,
    /// Seed of the random inputs, and of one of the problem sizes
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
}

/// Writes the autograder.
pub(crate) fn autograder(
    screen: &Screen,
    workspace: &Workspace,
    args: &AutograderArgs,
) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let named = match (args.targets.is_empty(), args.kind) {
        (true, Kind::Slurm) => Vec::new(),
        (true, _) => registry::every(&labs).collect(),
        (false, _) => Selector::new(&labs, workspace).targets(&args.targets)?,
    };
    let course = course::text(&labs, args.course.as_deref())?;
    let autograder = Autograder { course, seed: args.seed, targets: named };
    let shown = args.out.display();
    match args.kind {
        Kind::Gradescope => {
            write(&args.out, autograder.gradescope(program(args)?)?)?;
            screen.line(format!("{shown}: upload it under Configure Autograder"))?;
        }
        Kind::Autolab => {
            let (archive, makefile) = autograder.autolab(program(args)?)?;
            write(&args.out.join("autograde.tar"), archive)?;
            write(&args.out.join("autograde-Makefile"), makefile)?;
            screen.line(format!("{shown}: upload its two files as the assessment's autograder"))?;
        }
        Kind::Classroom => {
            is_public(args)?;
            write(&args.out, autograder.classroom())?;
            screen.line(format!(
                "{shown}: put it into the student's half of a course, under .github/workflows"
            ))?;
        }
        Kind::Slurm => {
            for entry in autograder.slurm(program(args)?)? {
                let path = args.out.join(&entry.name);
                write(&path, &entry.bytes)?;
                if entry.is_executable {
                    make_executable(&path).map_err(unwritten(&path, UNWRITTEN))?;
                }
            }
            screen.line(format!(
                "{shown}: on the cluster, {}/submit SUBMISSIONS RESULTS SHARDS",
                shown.to_string().trim_end_matches('/')
            ))?;
        }
    }
    Ok(true)
}

/// Refuses options that a workflow cannot use, because it lies in the student's repository and runs the program
/// there.
fn is_public(args: &AutograderArgs) -> Result<(), Failure> {
    let options = [
        ("--program", args.program.is_some()),
        ("--course", args.course.is_some()),
        ("--seed", args.seed.is_some()),
    ];
    let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    Err(Failure::new(
        format!("{option} cannot be used for a workflow, which runs what is in the student's repository"),
        "leave it out: the workflow uses the course.toml of the repository and the default seed",
    ))
}

/// The program to put into the archive.
fn program(args: &AutograderArgs) -> Result<Vec<u8>, Failure> {
    let path = args.program.clone().map_or_else(std::env::current_exe, Ok);
    let read = path.and_then(|path| {
        std::fs::read(&path).map_err(|e| std::io::Error::new(e.kind(), format!("{}: {e}", path.display())))
    });
    read.map_err(|e| {
        Failure::new(format!("the program cannot be read: {e}"), "name a built program with --program")
    })
}

/// What to do about a file that cannot be written.
const UNWRITTEN: &str = "choose a place that you may write to";

fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    write_whole_bytes(path, bytes.as_ref()).map_err(unwritten(path, UNWRITTEN))
}
