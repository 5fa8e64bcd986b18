//! The user's data folder, for data that the program keeps between runs outside the project's folder.

use source::Failure;
use std::path::PathBuf;

/// `WARPLAB_DATA`, or `warplab` in `XDG_DATA_HOME`, `LOCALAPPDATA` or `~/.local/share`; the first that is set. The
/// folder may not exist yet.
///
/// # Errors
/// Says that the environment defines no such folder.
pub(crate) fn folder() -> Result<PathBuf, Failure> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let user = || set("XDG_DATA_HOME").or_else(|| set("LOCALAPPDATA"));
    let home = || set("HOME").map(|home| home.join(".local/share"));
    set("WARPLAB_DATA")
        .or_else(|| user().or_else(home).map(|folder| folder.join("warplab")))
        .ok_or_else(|| Failure::new("there is no folder for the user's data", "set WARPLAB_DATA to a folder"))
}
