//! The user's data folder: what the program keeps between runs and cannot find in a project's folder.

use source::Failure;
use std::path::PathBuf;

/// `WARPLAB_DATA`, or `warplab` in `XDG_DATA_HOME`, `LOCALAPPDATA` or `~/.local/share`, whichever is set first. It need not exist.
///
/// # Errors
/// If the environment names no folder of the user.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = || set("XDG_DATA_HOME").or_else(|| set("LOCALAPPDATA"));
    let home = || set("HOME").map(|home| home.join(".local/share"));
    set("WARPLAB_DATA")
        .or_else(|| user().or_else(home).map(|folder| folder.join("warplab")))
        .ok_or_else(|| Failure::new("there is no folder for the user's data", "set WARPLAB_DATA to a folder"))
}
