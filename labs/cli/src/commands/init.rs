//! `lab init FOLDER`: writes a student's folder with the starters of all labs, for an installed program without a
//! checkout.
//!
//! It writes missing files and never replaces existing ones, so a second call restores deleted files.

use crate::book;
use crate::registry::{self, Target};
use crate::screen::Screen;
use crate::workspace::{Workspace, unwritten, write_whole};
use clap::Args;
use harness::Paths;
use source::Failure;
use std::path::{Path, PathBuf};

/// Arguments of `init`.
#[derive(Args, Debug)]
#[command(after_help = "\
Files that are there already are left as they are.

Examples:
  lab init warplab                     then: cd warplab, and lab")]
pub(crate) struct InitArgs {
    /// The folder; it is made if it does not exist
    pub(crate) folder: PathBuf,
}

/// Writes the folder.
pub(crate) fn init(screen: &Screen, args: &InitArgs) -> anyhow::Result<bool> {
    let shown = args.folder.display();
    if args.folder.exists() && !args.folder.is_dir() {
        let help = "give the name of a folder, which need not exist";
        return Err(Failure::new(format!("{shown} is a file"), help).into());
    }
    if Paths::is_root(&args.folder) {
        let what = format!("{shown} is a checkout of the project, which has the starters already");
        return Err(Failure::new(what, "give another folder; `lab reset` restores a starter file").into());
    }
    let workspace = Workspace::student(&std::path::absolute(&args.folder)?)?;
    let labs = registry::labs();
    let (mut written, mut kept) = (0, 0);
    for target in registry::every(&labs) {
        let path = workspace.kernel(target);
        if path.exists() {
            kept += 1;
        } else {
            write(&path, &workspace.starter(target)?)?;
            written += 1;
        }
    }
    let readme = args.folder.join("README.md");
    if !readme.exists() {
        write(&readme, &readme_text(&registry::every(&labs).collect::<Vec<_>>()))?;
    }
    let tasks = args.folder.join(TASKS);
    if !tasks.exists() {
        write(&tasks, &editor_tasks())?;
    }
    let left = if kept == 0 { String::new() } else { format!(", {kept} that were there left as they are") };
    let starters = if written == 1 { "1 starter".to_owned() } else { format!("{written} starters") };
    screen.line(format!("{shown}: {starters} written{left}"))?;
    let change = if args.folder == Path::new(".") { String::new() } else { format!("`cd {shown}`, then ") };
    screen.line(format!("Next: {change}`lab`, which says what to do first."))?;
    Ok(true)
}

/// Where Visual Studio Code looks for tasks.
const TASKS: &str = ".vscode/tasks.json";

/// The project's own tasks, which call the installed program instead of Cargo.
fn editor_tasks() -> String {
    let cargo = "\"command\": \"cargo\",\n      \"args\": [\"lab\", ";
    include_str!("../../../../.vscode/tasks.json").replace(cargo, "\"command\": \"lab\",\n      \"args\": [")
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_whole(path, text).map_err(unwritten(path, "choose a folder that you may write to"))
}

/// The text of the folder's README.
fn readme_text(targets: &[Target<'_>]) -> String {
    let text = String::from(
        "# warplab\n\n\
         Labs on GPU memory optimisation. Edit the kernels under `kernels/`; each starter says what to do.\n\n\
         ```\n\
         lab                # what is solved, and what to do next\n\
         lab run 1 naive    # grade kernels/lab-1-stencil/naive.cu\n\
         lab hint 1 naive   # a hint, one step at a time\n\
         lab watch          # grade on every save\n\
         ```\n",
    );
    format!("{text}\n{}\n\n{}", book::whereabouts(), list(targets))
}

/// The labs, with their kernel files.
pub(crate) fn list(targets: &[Target<'_>]) -> String {
    let mut text = String::new();
    let mut folder = "";
    for target in targets {
        if target.lab.folder != folder {
            folder = target.lab.folder;
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!(
                "{gap}## Lab {}: {}\n\n{}\n\n",
                target.lab.number, target.lab.title, target.lab.summary
            ));
        }
        let (name, title) = (target.exercise.name(), target.exercise.title());
        text.push_str(&format!("- `kernels/{folder}/{name}.cu`: {title}\n"));
    }
    text
}
