//! `cargo lab reset`: restores starter files, and keeps the student's files beside them.

use crate::args::ResetArgs;
use crate::registry;
use crate::screen::{Screen, complain};
use crate::selection::Selector;
use crate::workspace::{Workspace, keep_aside, write_whole};
use source::Failure;
use std::io::{BufRead, IsTerminal, Write};

pub(crate) fn reset(screen: &Screen, workspace: &Workspace, args: &ResetArgs) -> anyhow::Result<bool> {
    workspace.has_labs()?;
    let labs = registry::labs();
    let targets = Selector::new(&labs, workspace).targets(&args.targets)?;
    let mut changed = Vec::new();
    for target in targets {
        let starter = workspace.starter(target)?;
        let path = workspace.kernel(target);
        if workspace.kernel_text(target).as_ref() == Some(&starter) {
            screen.line(format!("{} is already the starter", workspace.shown(&path)))?;
        } else {
            changed.push((path, starter));
        }
    }
    let edited: Vec<String> =
        changed.iter().filter(|(path, _)| path.exists()).map(|(path, _)| workspace.shown(path)).collect();
    if !edited.is_empty() && !args.yes && !confirmed(&edited)? {
        complain("nothing was changed");
        return Ok(true);
    }
    for (path, starter) in changed {
        let shown = workspace.shown(&path);
        match replace(&path, &starter)? {
            Some(backup) => screen.line(format!(
                "{shown} is the starter again; your file is now {}",
                workspace.shown(&backup)
            ))?,
            None => screen.line(format!("{shown} is restored"))?,
        }
    }
    Ok(true)
}

/// Replaces a file's text and keeps the old file aside; returns the path of the old file.
pub(crate) fn replace(path: &std::path::Path, text: &str) -> Result<Option<std::path::PathBuf>, Failure> {
    let fail = |e: std::io::Error| {
        Failure::new(format!("{}: cannot be replaced: {e}", path.display()), "check the folder's permissions")
    };
    let backup = if path.exists() { Some(keep_aside(path).map_err(fail)?) } else { None };
    write_whole(path, text).map_err(fail)?;
    Ok(backup)
}

fn confirmed(files: &[String]) -> anyhow::Result<bool> {
    let what = format!("this replaces {} with the starter (and keeps your files as .bak)", files.join(", "));
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new(what, "add `--yes` to do it without confirmation").into());
    }
    complain(&what);
    write!(std::io::stderr(), "Continue? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
