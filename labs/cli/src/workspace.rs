//! Where the files are that the program works on, and careful writing of them.
//!
//! There are three kinds of places: a checkout of the project, which has the references too; a student's folder, which `lab init`
//! wrote and which has only kernels; and any other folder, where a command that needs no kernels of the user's still works. A checkout
//! that `lab export-course` wrote for students, and the program that is built in it, have no solutions ([`harness::reference`]).

use crate::references;
use crate::registry::{self, Target};
use crate::user_data;
use harness::Paths;
use source::Failure;
use std::path::{Path, PathBuf};

/// The folder that a command works in.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    paths: Paths,
    kind: Kind,
}

/// What kind of folder it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A checkout of the project.
    Checkout,
    /// A student's folder.
    Student,
    /// Another one, without kernels.
    Elsewhere,
}

impl Workspace {
    /// Finds the folder: the nearest above the current one that is a checkout or a student's. If there is none: under
    /// `cargo run`, the checkout that the program was built in; otherwise the current folder.
    ///
    /// # Errors
    /// If the references, outside a checkout, cannot be unpacked.
    pub(crate) fn find() -> Result<Workspace, Failure> {
        let here = std::env::current_dir().unwrap_or_default();
        for folder in here.ancestors() {
            if Paths::is_root(folder) {
                return Ok(Workspace { paths: Paths::new(folder), kind: Kind::Checkout });
            }
            if registry::labs().iter().any(|lab| folder.join("kernels").join(lab.folder).is_dir()) {
                return Workspace::outside(folder, Kind::Student);
            }
        }
        // Cargo sets this for what it runs, as in `cargo lab --manifest-path …` from anywhere.
        let built = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        match built.as_deref().and_then(Paths::find) {
            Some(paths) => Ok(Workspace { paths, kind: Kind::Checkout }),
            None => Workspace::outside(&here, Kind::Elsewhere),
        }
    }

    /// With the references that the program carries.
    fn outside(root: &Path, kind: Kind) -> Result<Workspace, Failure> {
        let paths =
            Paths { root: root.into(), kernels: root.join("kernels"), solutions: references::unpack()? };
        Ok(Workspace { paths, kind })
    }

    /// A student's folder that is to be.
    ///
    /// # Errors
    /// As [`Workspace::find`].
    pub(crate) fn student(root: &Path) -> Result<Workspace, Failure> {
        Workspace::outside(root, Kind::Student)
    }

    /// What kind of folder it is.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// That there are kernels of the user's to work on.
    ///
    /// # Errors
    /// What to do where there are none.
    pub(crate) fn has_labs(&self) -> Result<(), Failure> {
        if self.kind == Kind::Elsewhere {
            return Err(Failure::new(
                "there are no labs in this folder, nor in one above it",
                "`lab init FOLDER` writes a folder with the starters of all labs; change into it and run `lab` again",
            ));
        }
        Ok(())
    }

    /// The files' places, for the harness.
    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The student's file of an exercise.
    pub(crate) fn kernel(&self, target: Target<'_>) -> PathBuf {
        self.paths.kernel(target.lab, target.exercise.name())
    }

    /// The text of the student's file, whatever its line ends; nothing if it cannot be read as text.
    pub(crate) fn kernel_text(&self, target: Target<'_>) -> Option<String> {
        harness::read_kernel_file(&self.kernel(target), "").map(|file| file.text).ok()
    }

    /// The reference of an exercise.
    ///
    /// # Errors
    /// In an edition for students, which has none.
    pub(crate) fn solution(&self, target: Target<'_>) -> Result<PathBuf, Failure> {
        self.has_solutions()?;
        Ok(self.paths.solution(target.lab, target.exercise.name()))
    }

    /// That the reference kernels are there.
    ///
    /// # Errors
    /// In an edition for students, which has none.
    pub(crate) fn has_solutions(&self) -> Result<(), Failure> {
        if self.paths.has_solutions() {
            return Ok(());
        }
        let what = "this is the edition of a course for students, which has no reference kernels";
        let help =
            "run the command on your own kernel; reports show what the references were measured to have";
        Err(Failure::new(what, help))
    }

    /// Where the tool keeps what it can make again: in a checkout with what Cargo builds, otherwise in the user's data folder.
    pub(crate) fn cache(&self) -> PathBuf {
        let built = || std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        match self.kind {
            Kind::Checkout => built().unwrap_or_else(|| self.paths.root.join("target")).join("lab"),
            // `outside` has found the folder.
            Kind::Student | Kind::Elsewhere => user_data::folder().unwrap_or_default().join("cache"),
        }
    }

    /// Where the tool keeps what the user has done. It lies beside the kernels that it is about, and outlives `cargo clean`.
    pub(crate) fn progress(&self) -> PathBuf {
        self.paths.root.join(".warplab-progress.json")
    }

    /// The path as the user would type it: from the project's folder if it is inside.
    pub(crate) fn shown(&self, path: &Path) -> String {
        self.paths.display(path)
    }

    /// The starter of an exercise.
    ///
    /// # Errors
    /// If the file that it comes from cannot be read, or is a solution without a part to be left out.
    pub(crate) fn starter(&self, target: Target<'_>) -> Result<String, Failure> {
        let starter = self.paths.starter(target.lab, target.exercise.name());
        starter.map_err(|e| Failure::new(e, "restore it from the project's repository"))
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
    write_whole_bytes(path, text.as_bytes())
}

/// The same for a file that is not text.
///
/// # Errors
/// The file system's.
pub(crate) fn write_whole_bytes(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let partial = path.with_extension(format!("partial-{}", std::process::id()));
    std::fs::write(&partial, bytes)?;
    std::fs::rename(&partial, path)
}

/// Lets everyone run a file.
///
/// # Errors
/// The file system's.
#[cfg(unix)]
pub(crate) fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

/// Files have no such permission on other systems.
#[cfg(not(unix))]
pub(crate) fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
