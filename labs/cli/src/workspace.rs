//! Locates the files that the program works on, and writes files safely.
//!
//! There are three kinds of folders: a checkout of the project, which also has the references; a student's folder,
//! which `lab init` wrote and which has only kernels; and any other folder, where commands that need no kernels still
//! work. A checkout that `lab export-course` wrote for students, and a program built there, have no solutions
//! ([`harness::reference`]).

use crate::references;
use crate::registry::{self, Target};
use crate::user_data;
use harness::Paths;
use source::Failure;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The folder that a command works in.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    paths: Paths,
    kind: Kind,
}

/// Kind of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A checkout of the project.
    Checkout,
    /// A student's folder.
    Student,
    /// Any other folder, without kernels.
    Elsewhere,
}

impl Workspace {
    /// Finds the folder: the current folder or its nearest ancestor that is a checkout or a student's folder. If
    /// there is none, the checkout in which the program was built (under `cargo run`), or the current folder.
    ///
    /// # Errors
    /// Says that the references could not be unpacked, outside a checkout.
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
        // Cargo sets this variable for programs that it runs, for example by `cargo lab --manifest-path …` from
        // another folder.
        let built = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        match built.as_deref().and_then(Paths::find) {
            Some(paths) => Ok(Workspace { paths, kind: Kind::Checkout }),
            None => Workspace::outside(&here, Kind::Elsewhere),
        }
    }

    /// A folder that uses the references contained in the program.
    fn outside(root: &Path, kind: Kind) -> Result<Workspace, Failure> {
        let paths =
            Paths { root: root.into(), kernels: root.join("kernels"), solutions: references::unpack()? };
        Ok(Workspace { paths, kind })
    }

    /// A student's folder that `init` is about to write.
    ///
    /// # Errors
    /// The errors of [`Workspace::find`].
    pub(crate) fn student(root: &Path) -> Result<Workspace, Failure> {
        Workspace::outside(root, Kind::Student)
    }

    /// The kind of the folder.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// Checks that the folder has kernels to work on.
    ///
    /// # Errors
    /// Says how to get kernels.
    pub(crate) fn has_labs(&self) -> Result<(), Failure> {
        if self.kind == Kind::Elsewhere {
            return Err(Failure::new(
                "there are no labs in this folder, nor in one above it",
                "`lab init FOLDER` writes a folder with the starters of all labs; for a kernel file of your own there is `cargo lab launch FILE.cu`",
            ));
        }
        Ok(())
    }

    /// The paths of all files, for the harness.
    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The path of the student's kernel file of an exercise.
    pub(crate) fn kernel(&self, target: Target<'_>) -> PathBuf {
        self.paths.kernel(target.lab, target.exercise.name())
    }

    /// The text of the student's kernel file with line ends normalized; `None` if it cannot be read as text.
    pub(crate) fn kernel_text(&self, target: Target<'_>) -> Option<String> {
        harness::read_kernel_file(&self.kernel(target), "").map(|file| file.text).ok()
    }

    /// The path of an exercise's reference.
    ///
    /// # Errors
    /// Says that a students' edition has no solutions.
    pub(crate) fn solution(&self, target: Target<'_>) -> Result<PathBuf, Failure> {
        self.has_solutions()?;
        Ok(self.paths.solution(target.lab, target.exercise.name()))
    }

    /// Checks that the reference kernels exist.
    ///
    /// # Errors
    /// Says that a students' edition has no solutions.
    pub(crate) fn has_solutions(&self) -> Result<(), Failure> {
        if self.paths.has_solutions() {
            return Ok(());
        }
        let what = "this is the edition of a course for students, which has no reference kernels";
        let help =
            "run the command on your own kernel; reports show what the references were measured to have";
        Err(Failure::new(what, help))
    }

    /// Folder for data that the tool can recreate: in a checkout, Cargo's target folder; otherwise in the user's data
    /// folder.
    pub(crate) fn cache(&self) -> PathBuf {
        let built = || std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        match self.kind {
            Kind::Checkout => built().unwrap_or_else(|| self.paths.root.join("target")).join("lab"),
            // `outside` has already found the data folder, so this does not fail.
            Kind::Student | Kind::Elsewhere => user_data::folder().unwrap_or_default().join("cache"),
        }
    }

    /// The file with the user's progress. It lies beside the kernels, and `cargo clean` does not delete it.
    pub(crate) fn progress(&self) -> PathBuf {
        self.paths.root.join(".warplab-progress.json")
    }

    /// The path as the user would type it: relative to the project's folder if it is inside.
    pub(crate) fn shown(&self, path: &Path) -> String {
        self.paths.display(path)
    }

    /// The text of an exercise's starter.
    ///
    /// # Errors
    /// Says that the file with the starter cannot be read, or that the solution marks no part to leave out.
    pub(crate) fn starter(&self, target: Target<'_>) -> Result<String, Failure> {
        let starter = self.paths.starter(target.lab, target.exercise.name());
        starter.map_err(|e| Failure::new(e, "restore it from the project's repository"))
    }
}

/// Renames a file to `NAME.bak`, or to the first free of `NAME.bak.2`, `NAME.bak.3` …, and returns the new path.
///
/// # Errors
/// The error of the file system.
pub(crate) fn keep_aside(path: &Path) -> std::io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 1;
    loop {
        let backup = path.with_file_name(if number == 1 {
            format!("{name}.bak")
        } else {
            format!("{name}.bak.{number}")
        });
        // A hard link fails if the name exists, so it cannot overwrite another file, not even in a race.
        match std::fs::hard_link(path, &backup) {
            Ok(()) => {
                std::fs::remove_file(path)?;
                return Ok(backup);
            }
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            // The file system has no hard links.
            Err(_) if !backup.exists() => {
                std::fs::rename(path, &backup)?;
                return Ok(backup);
            }
            Err(_) => number += 1,
        }
    }
}

/// Writes a text file atomically: writes a temporary file beside it, then renames that over it.
///
/// # Errors
/// The error of the file system.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    write_whole_bytes(path, text.as_bytes())
}

/// Makes a failure of the reason why a file cannot be written.
pub(crate) fn unwritten<E: Display>(path: &Path, help: &'static str) -> impl Fn(E) -> Failure + Copy {
    move |why| Failure::new(format!("{}: cannot be written: {why}", path.display()), help)
}

/// Writes a binary file atomically.
///
/// # Errors
/// The error of the file system.
pub(crate) fn write_whole_bytes(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let partial = path.with_extension(format!("partial-{}", std::process::id()));
    std::fs::write(&partial, bytes)?;
    std::fs::rename(&partial, path)
}

/// Makes a file executable for everyone.
///
/// # Errors
/// The error of the file system.
#[cfg(unix)]
pub(crate) fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

/// Other systems have no such permission.
#[cfg(not(unix))]
pub(crate) fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
