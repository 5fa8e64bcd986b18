//! Finds the files to grade and their exercises.
//!
//! Archives are unpacked in memory ([`archives`]). A folder or an archive may contain submissions that cannot be graded: a
//! link, an archive in an archive, a kernel with a wrong name ([`Flaw`]). Each still gets an object with the reason; without one, the submission would be missing and count 0.

use super::archives::{self, Member};
use crate::identify;
use crate::registry::{self, Target};
use crate::screen::complain;
use device::KernelFile;
use harness::Lab;
use source::Failure;
use source::hash::Mixer;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file to grade.
pub(crate) struct Submission<'a> {
    /// 0-based index among the files of the command.
    pub(super) index: usize,
    /// Its path; for a member of an archive, the archive's path and the member's inside.
    pub(crate) path: PathBuf,
    /// Its exercise, or why the exercise is unknown.
    pub(crate) target: Result<Target<'a>, Failure>,
    /// Why it is not graded, even if its exercise is known.
    pub(crate) refused: Option<Failure>,
    member: Option<InArchive>,
}

/// Where a submission is that is a member of an archive. Its bytes are unpacked again when they are needed, because
/// those of all submissions together may not fit into memory.
struct InArchive {
    archive: PathBuf,
    /// Its path inside.
    path: PathBuf,
    /// A hash of its bytes.
    hash: u64,
}

impl Submission<'_> {
    /// Reads the kernel file; `name` is the file's name in messages.
    ///
    /// # Errors
    /// Says why it is no kernel file.
    pub(crate) fn read(&self, name: &str) -> Result<KernelFile, String> {
        let Some(InArchive { archive, path, .. }) = &self.member else {
            return harness::read_kernel_file(&self.path, name);
        };
        let members = archives::members(archive)?;
        let member = members.into_iter().find(|member| member.path == *path);
        let gone = || format!("`{name}` is no longer in the archive");
        harness::kernel_file(member.ok_or_else(gone)?.content?, name)
    }

    /// The file on the disk: itself, or its archive.
    pub(super) fn file(&self) -> &Path {
        self.member.as_ref().map_or(&self.path, |member| &member.archive)
    }

    /// What changes with the file's text, for a digest: at most as many bytes as a kernel file may have; empty if the
    /// file cannot be read.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.target.is_err() || self.refused.is_some() {
            return bytes;
        }
        if let Some(member) = &self.member {
            return member.hash.to_le_bytes().to_vec();
        }
        if let Ok(file) = File::open(&self.path) {
            // Ignore read errors: an unreadable file has no stored grade.
            let _ = file.take(harness::LARGEST_FILE + 1).read_to_end(&mut bytes);
        }
        bytes
    }

    /// Checks that the file is still readable; an unreadable file gets no grade.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) fn check(&self) -> Result<(), Failure> {
        File::open(self.file()).map(drop).map_err(|e| unreadable(&self.path, &e))
    }
}

/// Why a submitted file in a folder is not graded.
enum Flaw {
    Link,
    Archive,
    /// A kernel file with a wrong name; holds the correct name.
    Named(String),
}

/// Finds the files that the paths refer to, in the order of the command line, and within a folder by path.
/// `assignment` lists the exercises that count; if it is not empty, a folder may contain no file.
///
/// # Errors
/// Says that a folder cannot be read or has no kernel file.
pub(crate) fn find<'a>(
    labs: &'a [Lab],
    exercise: Option<Target<'a>>,
    paths: &[PathBuf],
    assignment: &[String],
) -> Result<Vec<Submission<'a>>, Failure> {
    let mut finder = Finder { labs, exercise, assignment, found: Vec::new() };
    paths.iter().try_for_each(|path| finder.collect(path))?;
    Ok(finder.found)
}

/// Whether to skip a folder's entry: hidden files, and metadata that macOS puts into archives.
fn is_passed_over(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "__MACOSX"
}

/// File name extensions of archives.
const ARCHIVES: [&str; 13] =
    ["zip", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "tzst", "7z", "rar", "lz"];

/// Extensions of other C and C++ files; such a file is a kernel file if it defines a kernel.
const C_FILES: [&str; 8] = ["c", "cc", "cpp", "cxx", "c++", "cuh", "h", "hpp"];

/// The flaw of a file whose name does not end in `.cu`; `None` if it is no submission, such as a readme.
fn flaw(labs: &[Lab], path: &Path, text: impl Fn() -> String) -> Option<Flaw> {
    let name = path.file_name()?.to_string_lossy();
    let (stem, end) = name.rsplit_once('.').map_or((&*name, ""), |(stem, end)| (stem, end.trim()));
    let end = end.to_ascii_lowercase();
    if ARCHIVES.contains(&&*end) {
        return Some(Flaw::Archive);
    }
    if let Some(stem) = before_cu(&name) {
        return Some(Flaw::Named(format!("{stem}.cu")));
    }
    let should_be = format!("{}.cu", stem.trim());
    let is_exercise =
        || registry::every(labs).any(|target| identify::is_named(&target, Path::new(&should_be)));
    let has_kernel = || text().contains("__global__");
    let is_kernel = match &*end {
        "" | "txt" => is_exercise(),
        end if C_FILES.contains(&end) => is_exercise() || has_kernel(),
        _ => false,
    };
    is_kernel.then_some(Flaw::Named(should_be))
}

/// The part before `.cu` in the name of a copy or a renamed file: `x.cu.txt`, `x.cu~`, `x.cu `, `x.cu (1)`, `x.cuh`.
fn before_cu(name: &str) -> Option<&str> {
    let lower = name.to_ascii_lowercase();
    let at = lower.find(".cu")?;
    let rest = &lower[at + 3..];
    let is_end = !rest.starts_with(|c: char| c.is_alphanumeric()) || rest == "h";
    (is_end && at > 0).then(|| name[..at].trim())
}

/// Whether a file is a kernel file by its name.
fn is_kernel_file(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("cu"))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let help = match error.kind() {
        io::ErrorKind::InvalidFilename => "its path is too long: move it up",
        _ => "check that it is there, and its permissions",
    };
    Failure::new(format!("{}: cannot be read: {error}", path.display()), help)
}

/// Collects submissions.
struct Finder<'a, 'b> {
    labs: &'a [Lab],
    /// The exercise of all files, if given.
    exercise: Option<Target<'a>>,
    /// The exercises that count; empty if all do.
    assignment: &'b [String],
    found: Vec<Submission<'a>>,
}

impl<'a> Finder<'a, '_> {
    /// Collects the file itself, or every submission below a folder in the order of paths.
    fn collect(&mut self, path: &Path) -> Result<(), Failure> {
        if !path.is_dir() {
            match archives::folder(path).filter(|_| path.is_file() && !path.is_symlink()) {
                Some(folder) => self.unpack(path, &folder),
                None => self.file(path.to_path_buf()),
            }
            return Ok(());
        }
        let before = self.found.len();
        self.below(path).map_err(|e| unreadable(path, &e))?;
        if self.found.len() == before && self.assignment.is_empty() {
            let what = format!("{}: there is no .cu file in this folder", path.display());
            return Err(Failure::new(what, "name a folder of submissions, or the files themselves"));
        }
        Ok(())
    }

    /// Collects what is below a folder. An unreadable subfolder becomes an entry with a failure, so that its object says
    /// so and other files are graded.
    fn below(&mut self, path: &Path) -> io::Result<()> {
        let mut entries: Vec<_> = std::fs::read_dir(path)?.collect::<Result<_, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        entries.retain(|entry| !is_passed_over(&entry.file_name()));
        for entry in entries {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let path = entry.path();
            if is_folder {
                if let Err(error) = self.below(&path) {
                    self.refuse(path.clone(), unreadable(&path, &error), None);
                }
            } else if is_kernel_file(&path) {
                // This includes links and pipes with such a name, which are refused later.
                self.file(path);
            } else if path.is_symlink() {
                self.flawed(path, Flaw::Link);
            } else if path.is_file() {
                match (archives::folder(&path), flaw(self.labs, &path, || text(&path))) {
                    (Some(folder), _) => self.unpack(&path, &folder),
                    (None, Some(flaw)) => self.flawed(path, flaw),
                    (None, None) => {}
                }
            }
        }
        Ok(())
    }

    /// Adds a file to grade.
    fn file(&mut self, path: PathBuf) {
        let target = regular(&path).and_then(|()| self.target(&path, &text(&path)));
        self.add(path, target, None, None);
    }

    fn add(
        &mut self,
        path: PathBuf,
        target: Result<Target<'a>, Failure>,
        refused: Option<Failure>,
        member: Option<InArchive>,
    ) {
        let index = self.found.len();
        self.found.push(Submission { index, path, target, refused, member });
    }

    /// Adds a file that is not graded; `named` is the exercise that it would count for.
    fn refuse(&mut self, path: PathBuf, failure: Failure, named: Option<Target<'a>>) {
        let target = self.exercise.or(named).ok_or_else(|| failure.clone());
        self.add(path, target, Some(failure), None);
    }

    /// Adds a file on the disk that is not graded. Skips a copy beside the kernel file itself, such as `x.cu.bak`.
    fn flawed(&mut self, path: PathBuf, flaw: Flaw) {
        let named = flaw.named(&path);
        if let Some(named) = named.as_ref().filter(|named| named.exists()) {
            skip(&path, named);
            return;
        }
        let target = named.and_then(|named| identify::identify(self.labs, &named, &text(&path)).ok());
        self.refuse(path.clone(), flaw.failure(&path), target);
    }

    /// Adds the submissions in an archive. `folder` is where its members would usually be unpacked, which may name their
    /// lab.
    fn unpack(&mut self, archive: &Path, folder: &Path) {
        let name = archive.file_name().unwrap_or_default().to_string_lossy();
        let before = self.found.len();
        let members = match archives::members(archive) {
            Ok(members) => members,
            Err(why) => {
                let help = "hand in a new archive, or the files themselves";
                let what = format!("`{name}` cannot be unpacked: {why}; {help}");
                return self.refuse(archive.to_path_buf(), Failure::new(what, help), None);
            }
        };
        let paths: BTreeSet<PathBuf> = members.iter().map(|member| member.path.clone()).collect();
        for member in members {
            if !member.path.iter().any(is_passed_over) {
                self.member(archive, folder, member, &paths);
            }
        }
        if self.found.len() == before {
            let help = "hand in your `.cu` files";
            let failure = Failure::new(format!("`{name}` has no kernel file; {help}"), help);
            self.refuse(archive.to_path_buf(), failure, None);
        }
    }

    fn member(&mut self, archive: &Path, folder: &Path, member: Member, others: &BTreeSet<PathBuf>) {
        let (shown, place) = (archive.join(&member.path), folder.join(&member.path));
        let bytes = match member.content {
            Ok(bytes) => bytes,
            Err(why) => {
                let name = member.path.file_name().unwrap_or_default().to_string_lossy();
                let help = "hand in the files themselves";
                let failure = Failure::new(format!("`{name}` is not unpacked: {why}; {help}"), help);
                let target = identify::identify(self.labs, &place, "").ok();
                return self.refuse(shown, failure, target);
            }
        };
        let mut hash = Mixer::default();
        hash.write(&bytes);
        let text = || harness::kernel_file(bytes.clone(), "").map(|file| file.text).unwrap_or_default();
        if is_kernel_file(&place) {
            let target = self.target(&place, &text());
            let archive = archive.to_path_buf();
            let member = InArchive { archive, path: member.path, hash: hash.finish() };
            return self.add(shown, target, None, Some(member));
        }
        let Some(flaw) = flaw(self.labs, &place, text) else { return };
        if let Some(named) = flaw.named(&member.path).filter(|named| others.contains(named)) {
            return skip(&shown, &named);
        }
        let named = flaw.named(&place);
        let target = named.and_then(|named| identify::identify(self.labs, &named, &text()).ok());
        self.refuse(shown, flaw.failure(&place), target);
    }

    /// The exercise of a file with this text.
    fn target(&self, file: &Path, text: &str) -> Result<Target<'a>, Failure> {
        let told = || identify::identify(self.labs, file, text);
        match self.exercise {
            // If the assignment is one exercise, any file counts for it, unless it clearly belongs to another exercise.
            Some(target) if !self.assignment.is_empty() && !identify::has_kernels(&target, text) => {
                Ok(told().ok().filter(|told| !self.assignment.contains(&told.name())).unwrap_or(target))
            }
            Some(target) => Ok(target),
            None => told(),
        }
    }
}

fn skip(path: &Path, beside: &Path) {
    let beside = beside.file_name().unwrap_or_default().to_string_lossy();
    complain(&format!("{}: skipped, because {beside} is beside it", path.display()));
}

impl Flaw {
    /// The path with the correct name, if the name is the flaw.
    fn named(&self, path: &Path) -> Option<PathBuf> {
        match self {
            Flaw::Named(should_be) => Some(path.with_file_name(should_be)),
            Flaw::Link | Flaw::Archive => None,
        }
    }

    /// Why the file is not graded.
    fn failure(&self, path: &Path) -> Failure {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (what, help) = match self {
            Flaw::Link => (format!("`{name}` is a symbolic link"), "hand in the files themselves".to_owned()),
            Flaw::Archive => {
                (format!("`{name}` is an archive"), "unpack it, and hand in its files".to_owned())
            }
            Flaw::Named(should_be) => {
                (format!("`{name}` is not a `.cu` file"), format!("rename it to `{should_be}`"))
            }
        };
        // Put the help into the reason, because rows of tables show only the reason.
        Failure::new(format!("{what}; {help}"), help)
    }
}

/// Checks that a file on the disk may be graded.
fn regular(file: &Path) -> Result<(), Failure> {
    if file.is_symlink() {
        // Refuse links: a submission could link to the solution or to another person's file.
        let what = format!("{} is a symbolic link", file.display());
        return Err(Failure::new(what, "submit the file itself"));
    }
    if !file.is_file() {
        let what = format!("{} is neither a file nor a folder", file.display());
        return Err(Failure::new(what, "check the path"));
    }
    Ok(())
}

/// The text that identifies the exercise. A file that is not text is identified by its path alone, and refused during
/// grading.
fn text(file: &Path) -> String {
    harness::read_kernel_file(file, "").map(|f| f.text).unwrap_or_default()
}
