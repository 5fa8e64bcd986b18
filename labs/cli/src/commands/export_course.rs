//! `cargo lab export-course FOLDER`: writes a course as one folder for students and one for instructors.

use crate::course;
use crate::export::{self, Course};
use crate::registry;
use crate::screen::Screen;
use crate::workspace::{Kind, Workspace};
use clap::{Args, ValueHint};
use source::Failure;
use std::path::PathBuf;

/// Arguments of `export-course`.
#[derive(Args, Debug)]
#[command(after_help = "\
FOLDER/student is a checkout for students: the program's sources, the starters, hints and the book, without solutions and
without history. FOLDER/instructor has the solutions, the course file, and a script that grades submissions.

Examples:
  cargo lab export-course ../gpu-course
  cargo lab export-course ../gpu-course --course weights.toml --seed 20260")]
pub(crate) struct ExportCourseArgs {
    /// The folder; it must not exist, or must be empty
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// A course file (TOML); students get its weights and nothing else of it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) course: Option<PathBuf>,
    /// The seed that submissions are graded with; students do not get it
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) seed: u64,
}

/// Writes the folders.
pub(crate) fn export_course(
    screen: &Screen,
    workspace: &Workspace,
    args: &ExportCourseArgs,
) -> anyhow::Result<bool> {
    if workspace.kind() != Kind::Checkout {
        let what = "this is not a checkout of the project, so there are no sources to make a course from";
        return Err(Failure::new(what, "run the command in a checkout; students then get its sources").into());
    }
    let labs = registry::labs();
    let text = course::text(&labs, args.course.as_deref())?;
    let course = Course { workspace, labs: &labs, file: text.as_deref(), seed: args.seed };
    let folder = std::path::absolute(&args.folder)?;
    export::export(&course, &folder)?;
    let shown = args.folder.display();
    screen.line(format!("{shown}/student: a checkout for students, without solutions"))?;
    screen.line(format!("{shown}/instructor: solutions, course file, and a script that grades"))?;
    screen.line(format!("Next: read {shown}/instructor/README.md, and hand out {shown}/student"))?;
    Ok(true)
}
