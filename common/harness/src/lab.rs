//! Labs, and where their files are.

use crate::{Best, Exercise, read_kernel_file, reference, starter};
use std::path::{Path, PathBuf};

/// A lab: what it is called and its exercises in teaching order.
pub struct Lab {
    /// 1 to 7.
    pub number: u32,
    /// The package's name, as `lab-6`.
    pub package: &'static str,
    /// The folder's name below `kernels/` and `solutions/`, as `lab-6-tiled-matmul`.
    pub folder: &'static str,
    /// A title, as `Tiled matrix multiplication`.
    pub title: &'static str,
    /// What it teaches, one sentence.
    pub summary: &'static str,
    /// In teaching order.
    pub exercises: Vec<Box<dyn Exercise>>,
    /// The kernel at the card's limit: not graded, no starter.
    pub best: Option<Best>,
    /// Published results to show beside ours.
    pub published: Vec<Published>,
}

impl Lab {
    /// The exercise of that name (its file's stem).
    pub fn exercise(&self, name: &str) -> Option<&dyn Exercise> {
        self.exercises.iter().find(|e| e.name() == name).map(|e| &**e)
    }

    /// The exercise that a user means by `register_tiled`, `register-tiled`, `Register_Tiled` or `register_tiled.cu`.
    pub fn exercise_called(&self, word: &str) -> Option<&dyn Exercise> {
        let stem = if is_kernel_file(word) { &word[..word.len() - ".cu".len()] } else { word };
        let word = hyphenated(stem);
        self.exercises.iter().find(|e| hyphenated(e.name()) == word).map(|e| &**e)
    }

    /// Whether a user means this lab by a word: its number or one of its [`names`](Lab::names), in any case and with `_` for `-`.
    pub fn is_called(&self, word: &str) -> bool {
        word == self.number.to_string() || self.names().contains(&hyphenated(word))
    }

    /// What the lab is called, the number alone aside: `lab-6`, `lab6`, `lab-6-tiled-matmul` and `tiled-matmul`.
    pub fn names(&self) -> [String; 4] {
        let short = format!("lab{}", self.number);
        [self.package.to_owned(), short, self.folder.to_owned(), self.topic().to_owned()]
    }

    /// The folder's name without the number, as `tiled-matmul`.
    pub fn topic(&self) -> &'static str {
        self.folder.strip_prefix(self.package).map_or(self.folder, |rest| rest.trim_start_matches('-'))
    }
}

/// Whether a folder has the references of an edition for students. Its solutions, if it has them, take precedence.
fn has_references(folder: &Path) -> bool {
    !folder.join("solutions").is_dir() && folder.join("references").join(reference::TABLE).is_file()
}

/// A name in lower case with hyphens between its words, as names of labs, exercises and files are compared.
pub fn hyphenated(name: &str) -> String {
    name.to_lowercase().replace(['_', ' ', '.'], "-")
}

/// Whether a name ends in `.cu`, in any case.
pub fn is_kernel_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("cu"))
}

/// A published table, for orientation.
#[derive(Clone, Debug)]
pub struct Published {
    /// What and where, as `4096x4096, ms`.
    pub title: &'static str,
    /// The device, as `GeForce GTX 260`.
    pub device: &'static str,
    /// The device model's name that comes nearest, as `gtx260`.
    pub model: Option<&'static str>,
    /// The unit of the values, as `ms`.
    pub unit: &'static str,
    /// Exercise name (or another label, as `CPU`) and value.
    pub rows: Vec<(&'static str, f64)>,
    /// What to bear in mind; may be empty.
    pub note: &'static str,
}

/// Where a lab's files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The workspace's root; messages name files relative to it.
    pub root: PathBuf,
    /// The folder of starters, which students edit.
    pub kernels: PathBuf,
    /// The folder of solutions, or of what an edition for students has in their place ([`crate::reference`]).
    pub solutions: PathBuf,
}

impl Paths {
    /// `kernels` below a workspace's root, and `solutions`, or `references` in an edition for students.
    pub fn new(root: impl Into<PathBuf>) -> Paths {
        let root = root.into();
        let solutions = if has_references(&root) { "references" } else { "solutions" };
        Paths { kernels: root.join("kernels"), solutions: root.join(solutions), root }
    }

    /// Whether a folder is a workspace's root: it has `kernels/`, and `solutions/` or what an edition for students has in their place.
    pub fn is_root(folder: &Path) -> bool {
        folder.join("kernels").is_dir() && (folder.join("solutions").is_dir() || has_references(folder))
    }

    /// Looks from a folder upwards for a workspace's root.
    pub fn find(from: &Path) -> Option<Paths> {
        from.ancestors().find(|folder| Paths::is_root(folder)).map(Paths::new)
    }

    /// Whether the solutions are there, and not only what [`crate::reference`] has of them.
    pub fn has_solutions(&self) -> bool {
        !self.solutions.join(reference::TABLE).is_file()
    }

    /// The starter of an exercise: derived from its solution, or, without solutions, read.
    ///
    /// # Errors
    /// A file that cannot be read, or a solution without a part to be left out; the message names the file.
    pub fn starter(&self, lab: &Lab, exercise: &str) -> Result<String, String> {
        if !self.has_solutions() {
            let starters = Paths { kernels: self.solutions.join(reference::STARTERS), ..self.clone() };
            let path = starters.kernel(lab, exercise);
            return Ok(read_kernel_file(&path, &self.display(&path))?.text);
        }
        let path = self.solution(lab, exercise);
        let name = self.display(&path);
        let solution = read_kernel_file(&path, &name)?;
        starter::derive(&solution.text).map_err(|e| format!("{name}: no starter can be derived from it: {e}"))
    }

    /// The file that the student edits.
    pub fn kernel(&self, lab: &Lab, exercise: &str) -> PathBuf {
        self.kernels.join(lab.folder).join(format!("{exercise}.cu"))
    }

    /// The reference solution.
    pub fn solution(&self, lab: &Lab, exercise: &str) -> PathBuf {
        self.solutions.join(lab.folder).join(format!("{exercise}.cu"))
    }

    /// A path as messages show it: relative to the root where it lies below it.
    pub fn display(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}
