//! Where the project's files are, and careful writing of them.

use crate::failure::Failure;
use crate::registry::Target;
use harness::Paths;
use std::path::{Path, PathBuf};

/// The project's folder.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    paths: Paths,
}

impl Workspace {
    /// Finds the project: the folder above the current one that has `kernels/` and `solutions/`, or else where this
    /// program was compiled.
    ///
    /// # Errors
    /// If neither is there.
    pub(crate) fn find() -> Result<Workspace, Failure> {
        let here = std::env::current_dir().ok();
        let found = here.as_deref().and_then(Paths::find);
        match found.or_else(|| Paths::find(Path::new(env!("CARGO_MANIFEST_DIR")))) {
            Some(paths) => Ok(Workspace { paths }),
            None => Err(Failure::new(
                "cannot find the project's folder (the one with `kernels` and `solutions` in it)",
                "change into it and run the command again",
            )),
        }
    }

    /// The files' places, for the harness.
    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The student's file of an exercise.
    pub(crate) fn kernel(&self, target: Target<'_>) -> PathBuf {
        self.paths.kernel(target.lab, target.exercise.name())
    }

    /// The reference of an exercise.
    pub(crate) fn solution(&self, target: Target<'_>) -> PathBuf {
        self.paths.solution(target.lab, target.exercise.name())
    }

    /// Where the tool keeps what it can make again.
    pub(crate) fn cache(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.paths.root.join("target"), PathBuf::from)
            .join("lab")
    }

    /// The path as the user would type it: from the project's folder if it is inside.
    pub(crate) fn shown(&self, path: &Path) -> String {
        self.paths.display(path)
    }

    /// The starter of an exercise, made from its solution.
    ///
    /// # Errors
    /// If the solution cannot be read or has no part to be left out.
    pub(crate) fn starter(&self, target: Target<'_>) -> Result<String, Failure> {
        let path = self.solution(target);
        let name = self.shown(&path);
        let remedy = "restore it from the project's repository";
        let solution = harness::read_kernel_file(&path, &name).map_err(|e| Failure::new(e, remedy))?;
        harness::starter::derive(&solution.text)
            .map_err(|e| Failure::new(format!("{name}: no starter can be made of it: {e}"), remedy))
    }
}

/// Moves a file aside to `NAME.bak`, or `NAME.bak.2`, `NAME.bak.3` …, whichever is free, and says where to.
///
/// # Errors
/// The file system's.
pub(crate) fn keep_aside(path: &Path) -> std::io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1;
    loop {
        let backup = path.with_file_name(if number == 1 {
            format!("{name}.bak")
        } else {
            format!("{name}.bak.{number}")
        });
        // A hard link fails if the name is taken, so no other file can be overwritten, not even in a race.
        match std::fs::hard_link(path, &backup) {
            Ok(()) => {
                std::fs::remove_file(path)?;
                return Ok(backup);
            }
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            // A file system without hard links.
            Err(_) if !backup.exists() => {
                std::fs::rename(path, &backup)?;
                return Ok(backup);
            }
            Err(_) => number += 1,
        }
    }
}

/// Writes a file as a whole or not at all: beside it first, then renamed over it.
///
/// # Errors
/// The file system's.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let partial = path.with_extension(format!("partial-{}", std::process::id()));
    std::fs::write(&partial, text)?;
    std::fs::rename(&partial, path)
}
