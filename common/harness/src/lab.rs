//! Labs, and the locations of their files.

use crate::{Best, Exercise, read_kernel_file, reference, starter};
use std::path::{Path, PathBuf};

/// A lab: its names, and its exercises in teaching order.
pub struct Lab {
    /// 1 to 7.
    pub number: u32,
    /// The package's name, such as `lab-6`.
    pub package: &'static str,
    /// The folder's name below `kernels/` and `solutions/`, such as `lab-6-tiled-matmul`.
    pub folder: &'static str,
    /// A title, such as `Tiled matrix multiplication`.
    pub title: &'static str,
    /// What it teaches, one sentence.
    pub summary: &'static str,
    /// In teaching order.
    pub exercises: Vec<Box<dyn Exercise>>,
    /// The best kernel: not graded, without a starter.
    pub best: Option<Best>,
    /// Published results to show beside ours.
    pub published: Vec<Published>,
}

impl Lab {
    /// The exercise with this name (its file's stem).
    pub fn exercise(&self, name: &str) -> Option<&dyn Exercise> {
        self.exercises.iter().find(|e| e.name() == name).map(|e| &**e)
    }

    /// The exercise that a user names by `register_tiled`, `register-tiled`, `Register_Tiled` or `register_tiled.cu`.
    pub fn exercise_called(&self, word: &str) -> Option<&dyn Exercise> {
        let stem = if is_kernel_file(word) { &word[..word.len() - ".cu".len()] } else { word };
        let word = hyphenated(stem);
        self.exercises.iter().find(|e| hyphenated(e.name()) == word).map(|e| &**e)
    }

    /// Whether a word names this lab: its number or one of its [`names`](Lab::names), ignoring case, with `_` equal
    /// to `-`.
    pub fn is_called(&self, word: &str) -> bool {
        word == self.number.to_string() || self.names().contains(&hyphenated(word))
    }

    /// The lab's names, without the bare number: `lab-6`, `lab6`, `lab-6-tiled-matmul` and `tiled-matmul`.
    pub fn names(&self) -> [String; 4] {
        let short = format!("lab{}", self.number);
        [self.package.to_owned(), short, self.folder.to_owned(), self.topic().to_owned()]
    }

    /// The folder's name without the number, such as `tiled-matmul`.
    pub fn topic(&self) -> &'static str {
        self.folder.strip_prefix(self.package).map_or(self.folder, |rest| rest.trim_start_matches('-'))
    }
}

/// Whether a folder has the references of a students' edition. Solutions take precedence if both exist.
fn has_references(folder: &Path) -> bool {
    !folder.join("solutions").is_dir() && folder.join("references").join(reference::TABLE).is_file()
}

/// Normalizes a name for comparison: lower case, with hyphens between words.
pub fn hyphenated(name: &str) -> String {
    name.to_lowercase().replace(['_', ' ', '.'], "-")
}

/// Whether a name ends in `.cu`, in any case.
pub fn is_kernel_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("cu"))
}

/// Published results, for orientation.
#[derive(Clone, Debug)]
pub struct Published {
    /// Problem and unit, such as `4096x4096, ms`.
    pub title: &'static str,
    /// The device, such as `GeForce GTX 260`.
    pub device: &'static str,
    /// The most similar device model, such as `gtx260`.
    pub model: Option<&'static str>,
    /// The unit of the values, such as `ms`.
    pub unit: &'static str,
    /// Exercise name (or another label, such as `CPU`) and value.
    pub rows: Vec<(&'static str, f64)>,
    /// A remark on how to read the values; may be empty.
    pub note: &'static str,
}

/// Locations of a lab's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The workspace's root; messages name files relative to it.
    pub root: PathBuf,
    /// The folder of starters, which students edit.
    pub kernels: PathBuf,
    /// The folder of solutions; in a students' edition, the folder of [`crate::reference`] data.
    pub solutions: PathBuf,
}

impl Paths {
    /// The paths below a workspace's root: `kernels`, and `solutions` or, in a students' edition, `references`.
    pub fn new(root: impl Into<PathBuf>) -> Paths {
        let root = root.into();
        let solutions = if has_references(&root) { "references" } else { "solutions" };
        Paths { kernels: root.join("kernels"), solutions: root.join(solutions), root }
    }

    /// Whether a folder is a workspace's root: it has `kernels/`, and `solutions/` or the references of a students'
    /// edition.
    pub fn is_root(folder: &Path) -> bool {
        folder.join("kernels").is_dir() && (folder.join("solutions").is_dir() || has_references(folder))
    }

    /// Searches a folder and its ancestors for a workspace's root.
    pub fn find(from: &Path) -> Option<Paths> {
        from.ancestors().find(|folder| Paths::is_root(folder)).map(Paths::new)
    }

    /// Whether the solutions exist, not only the data of [`crate::reference`].
    pub fn has_solutions(&self) -> bool {
        !self.solutions.join(reference::TABLE).is_file()
    }

    /// The starter of an exercise, derived from its solution, or read from the references if there are no solutions.
    ///
    /// # Errors
    /// Says which file cannot be read, or which solution marks no part to leave out.
    pub fn starter(&self, lab: &Lab, exercise: &str) -> Result<String, String> {
        if !self.has_solutions() {
            let starters = Paths { kernels: self.solutions.join(reference::STARTERS), ..self.clone() };
            let path = starters.kernel(lab, exercise);
            return Ok(read_kernel_file(&path, &self.display(&path))?.text);
        }
        let path = self.solution(lab, exercise);
        let name = self.display(&path);
        let solution = read_kernel_file(&path, &name)?;
        starter::derive(&solution.text)
            .map_err(|e| format!("{name}: a starter cannot be derived from this file: {e}"))
    }

    /// The file that the student edits.
    pub fn kernel(&self, lab: &Lab, exercise: &str) -> PathBuf {
        self.kernels.join(lab.folder).join(format!("{exercise}.cu"))
    }

    /// The reference solution.
    pub fn solution(&self, lab: &Lab, exercise: &str) -> PathBuf {
        self.solutions.join(lab.folder).join(format!("{exercise}.cu"))
    }

    /// A path for messages: relative to the root if it lies below.
    pub fn display(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}
