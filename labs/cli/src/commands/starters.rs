//! `cargo lab starters`: regenerates the files under `kernels/` from the solutions, for developers.

use super::reset::replace;
use crate::registry;
use crate::screen::Screen;
use crate::workspace::{Kind, Workspace};
use source::Failure;

/// Writes every starter that differs; with `check` only lists them. Returns whether none differs at the end.
pub(crate) fn starters(screen: &Screen, workspace: &Workspace, check: bool) -> anyhow::Result<bool> {
    if workspace.kind() != Kind::Checkout {
        let what = "this is not a checkout of the project, so there are no solutions to derive starters from";
        return Err(Failure::new(what, "`lab init FOLDER` writes starters; `lab reset` restores one").into());
    }
    workspace.has_solutions()?;
    let labs = registry::labs();
    let (mut same, mut different) = (0, 0);
    for target in registry::every(&labs) {
        let starter = workspace.starter(target)?;
        let path = workspace.kernel(target);
        let shown = workspace.shown(&path);
        if workspace.kernel_text(target).as_ref() == Some(&starter) {
            same += 1;
            continue;
        }
        different += 1;
        if check {
            screen.line(format!("{shown} differs from what its solution says"))?;
        } else if let Some(backup) = replace(&path, &starter)? {
            screen.line(format!("{shown} written; the previous file is {}", workspace.shown(&backup)))?;
        } else {
            screen.line(format!("{shown} written"))?;
        }
    }
    match (check, different) {
        (true, 0) => screen.line(format!("all {same} starters match their solutions"))?,
        (true, _) => screen.line(format!(
            "{different} of {} differ; {} writes them",
            same + different,
            source::command("starters")
        ))?,
        (false, _) => screen.line(format!("{different} written, {same} unchanged"))?,
    }
    Ok(!check || different == 0)
}
