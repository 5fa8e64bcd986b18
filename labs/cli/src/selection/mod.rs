//! Maps the words after a command to labs, exercises and files, with one grammar for every command.
//!
//! ```text
//! words    = { "all" | lab { exercise } | exercise | path }
//! lab      = "1" | "lab-1" | "lab1" | "lab 1" | "lab-1-stencil" | "stencil"
//! exercise = "naive" | "naive.cu" | "register-tiled"
//! path     = lab "/" [ exercise ] | the exercise's file | the lab's folder | a file elsewhere
//! ```
//!
//! Case does not matter, `_` and `-` are equivalent, and a path may use either slash. Without words, a command
//! applies to the lab in whose folder it runs; there, a bare name means an exercise of that lab first. Elsewhere, if
//! several labs have an exercise with the name, a terminal asks for one, and without a terminal the error lists
//! commands to copy. A file outside the kernels folder is identified as by `grade`.
//!
//! The program does not guess: an unknown word is an error with the most similar name as a suggestion.

mod ask;
mod unknown;

#[cfg(test)]
mod tests;

use crate::identify;
use crate::registry::{self, Target};
use crate::workspace::Workspace;
use harness::Lab;
use source::Failure;
use std::path::{Component, Path, PathBuf};

/// A selected exercise.
#[derive(Clone)]
pub(crate) struct Chosen<'a> {
    pub(crate) target: Target<'a>,
    /// The named file, if it is not the exercise's own.
    pub(crate) file: Option<PathBuf>,
}

/// Meaning of one item.
enum Named<'a> {
    All,
    Lab(&'a Lab),
    Exercise(Target<'a>),
    /// A file outside the kernels folder, with its exercise.
    File(Target<'a>, PathBuf),
}

/// Interprets the words of a command line.
pub(crate) struct Selector<'a> {
    labs: &'a [Lab],
    /// The project's folder.
    root: PathBuf,
    /// The folder of the student's files.
    kernels: PathBuf,
    /// The current folder.
    here: PathBuf,
    /// The command line after the program's name, for suggested commands.
    line: Vec<String>,
    /// Whether the user can be asked.
    asks: bool,
}

impl<'a> Selector<'a> {
    /// Creates the selector for this process's command line.
    pub(crate) fn new(labs: &'a [Lab], workspace: &Workspace) -> Selector<'a> {
        let paths = workspace.paths();
        Selector {
            labs,
            root: paths.root.clone(),
            kernels: paths.kernels.clone(),
            here: std::env::current_dir().unwrap_or_else(|_| paths.root.clone()),
            line: std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
            asks: ask::is_possible(),
        }
    }

    /// The named exercises, each once, with the files named for them.
    ///
    /// # Errors
    /// Says which word is unknown or ambiguous.
    pub(crate) fn chosen(&self, words: &[String]) -> Result<Vec<Chosen<'a>>, Failure> {
        let mut chosen: Vec<Chosen<'a>> = Vec::new();
        for named in self.named(words)? {
            let more: Vec<Chosen<'a>> = match named {
                Named::All => registry::every(self.labs).map(own).collect(),
                Named::Lab(lab) => registry::exercises(lab).map(own).collect(),
                Named::Exercise(target) => vec![own(target)],
                Named::File(target, file) => vec![Chosen { target, file: Some(file) }],
            };
            for one in more {
                let is_same = |c: &Chosen<'_>| c.target.name() == one.target.name() && c.file == one.file;
                if !chosen.iter().any(is_same) {
                    chosen.push(one);
                }
            }
        }
        Ok(chosen)
    }

    /// The named exercises, for a command that works on their own files.
    ///
    /// # Errors
    /// The errors of [`Selector::chosen`]; also refuses files outside the kernels folder.
    pub(crate) fn targets(&self, words: &[String]) -> Result<Vec<Target<'a>>, Failure> {
        let target = |chosen: Chosen<'a>| match chosen.file {
            None => Ok(chosen.target),
            Some(file) => Err(Failure::new(
                format!("{} is not the file of an exercise under kernels", file.display()),
                format!("name the exercise: {}", self.command(&chosen.target.words())),
            )),
        };
        self.chosen(words)?.into_iter().map(target).collect()
    }

    /// Like [`Selector::targets`], but without words and outside a lab's folder selects all exercises.
    ///
    /// # Errors
    /// The errors of [`Selector::targets`].
    pub(crate) fn targets_or_all(&self, words: &[String]) -> Result<Vec<Target<'a>>, Failure> {
        if words.is_empty() && self.lab_of_here().is_none() {
            return Ok(registry::every(self.labs).collect());
        }
        self.targets(words)
    }

    /// The named labs, each once, for a command that works on whole labs.
    ///
    /// # Errors
    /// The errors of [`Selector::chosen`]; also refuses exercises.
    pub(crate) fn labs(&self, words: &[String]) -> Result<Vec<&'a Lab>, Failure> {
        let mut labs: Vec<&'a Lab> = Vec::new();
        for named in self.named(words)? {
            match named {
                Named::All => labs.extend(self.labs),
                Named::Lab(lab) => labs.push(lab),
                Named::Exercise(target) | Named::File(target, _) => {
                    let what = format!("this is done with whole labs, and {} is one exercise", target.name());
                    let command = self.instead_of(words, &target.lab.number.to_string());
                    return Err(Failure::new(what, format!("name the lab: {command}")));
                }
            }
        }
        labs.sort_by_key(|lab| lab.number);
        labs.dedup_by_key(|lab| lab.number);
        Ok(labs)
    }

    /// The exercise named by one word, such as the value of an option.
    ///
    /// # Errors
    /// Says that the word names no exercise or several.
    pub(crate) fn one(&self, word: &str) -> Result<Target<'a>, Failure> {
        let named = self.named(&[word.to_owned()])?;
        match named.as_slice() {
            [Named::Exercise(target)] => Ok(*target),
            [Named::Lab(lab)] if lab.exercises.len() == 1 => {
                Ok(Target { lab, exercise: lab.exercises[0].as_ref() })
            }
            _ => Err(Failure::new(
                format!("`{word}` does not name one exercise"),
                "write it as LAB/NAME, such as `lab-1/naive`",
            )),
        }
    }

    /// The meaning of the words, in order. A lab followed by its exercises stands for those exercises only.
    fn named(&self, words: &[String]) -> Result<Vec<Named<'a>>, Failure> {
        if words.is_empty() {
            return self.lab_of_here().map(|lab| vec![Named::Lab(lab)]).ok_or_else(|| self.nothing_named());
        }
        let words = joined(words);
        if let Some(all) = words.iter().position(|w| w.eq_ignore_ascii_case("all"))
            && words.len() > 1
        {
            let other = &words[usize::from(all == 0)];
            let what = format!("`all` cannot be combined with `{other}`");
            return Err(Failure::new(what, "name labs and exercises, or `all` alone"));
        }
        let mut named = Vec::new();
        // The last named lab, while only its exercises follow.
        let mut context: Option<&'a Lab> = None;
        for word in &words {
            if let Some(lab) = context
                && let Some(exercise) = lab.exercise_called(word)
            {
                named.pop_if(|last| matches!(last, Named::Lab(_)));
                named.push(Named::Exercise(Target { lab, exercise }));
                continue;
            }
            let one = self.item(word, context)?;
            context = if let Named::Lab(lab) = one { Some(lab) } else { None };
            named.push(one);
        }
        Ok(named)
    }

    fn item(&self, word: &str, context: Option<&'a Lab>) -> Result<Named<'a>, Failure> {
        if word.eq_ignore_ascii_case("all") {
            return Ok(Named::All);
        }
        if let Some(lab) = self.lab_called(word) {
            return Ok(Named::Lab(lab));
        }
        // Accept backslashes, as on Windows, on every system.
        let text = word.replace('\\', "/");
        if text.contains('/') || text == "." || text == ".." || harness::is_kernel_file(&text) {
            return match (self.path(word, &text)?, context) {
                (Some(Named::File(_, file)), Some(lab)) => Err(self.file_after_lab(lab, &file)),
                (Some(named), _) => Ok(named),
                (None, _) => self.exercise(word, context),
            };
        }
        self.exercise(word, context)
    }

    /// The meaning of a path; `None` for a bare file name without a file.
    fn path(&self, word: &str, text: &str) -> Result<Option<Named<'a>>, Failure> {
        if let Some(named) = self.inside(text) {
            return Ok(Some(named));
        }
        if let Some(file) = [word, text].into_iter().find(|path| self.here.join(path).is_file()) {
            return self.identified(PathBuf::from(file)).map(Some);
        }
        let all: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let parts = all.strip_prefix(&["kernels"]).unwrap_or(&all);
        match parts {
            [lab] if text.contains('/') => match self.lab_called(lab) {
                Some(lab) => Ok(Some(Named::Lab(lab))),
                None => Err(self.no_path(word, parts)),
            },
            [_] => Ok(None),
            [lab, name] => match self.lab_called(lab) {
                Some(lab) => match lab.exercise_called(name) {
                    Some(exercise) => Ok(Some(Named::Exercise(Target { lab, exercise }))),
                    None => Err(self.no_exercise(lab, name, word)),
                },
                None => Err(self.no_path(word, parts)),
            },
            _ => Err(self.no_path(word, parts)),
        }
    }

    /// The meaning of a path into the kernels folder: all labs, a lab, or an exercise, even if the file does not
    /// exist.
    fn inside(&self, text: &str) -> Option<Named<'a>> {
        let lexical = lexical(&self.here.join(text));
        let inside = match lexical.strip_prefix(&self.kernels) {
            Ok(inside) => inside.to_path_buf(),
            // The path goes through a link. Resolve only the folder, because the file itself may be a link to the
            // place where a student keeps it.
            Err(_) => {
                let folder = lexical.parent()?.canonicalize().ok()?;
                let path = folder.join(lexical.file_name()?);
                path.strip_prefix(self.kernels.canonicalize().ok()?).ok()?.to_path_buf()
            }
        };
        let parts: Vec<_> = inside.components().map(|c| c.as_os_str().to_string_lossy()).collect();
        match parts.as_slice() {
            [] => Some(Named::All),
            [folder] => self.lab_called(folder).map(Named::Lab),
            [folder, name] => {
                let lab = self.lab_called(folder)?;
                let exercise = lab.exercise_called(name)?;
                Some(Named::Exercise(Target { lab, exercise }))
            }
            _ => None,
        }
    }

    /// Identifies a file outside the kernels folder by its path, its name or its kernels.
    fn identified(&self, file: PathBuf) -> Result<Named<'a>, Failure> {
        let shown = file.display().to_string();
        // A file that is not text is identified by its path alone, and refused during grading.
        let text =
            harness::read_kernel_file(&self.here.join(&file), &shown).map(|f| f.text).unwrap_or_default();
        match identify::identify(self.labs, &file, &text) {
            Ok(target) => Ok(Named::File(target, file)),
            Err(unclear) => Err(Failure::new(
                unclear.what,
                format!(
                    "to run a kernel of your own, `cargo lab launch {shown}`; to grade the file for an exercise, `cargo lab run LAB EXERCISE --kernel {shown}`"
                ),
            )),
        }
    }

    /// A bare name: an exercise of the current folder's lab, or of the only lab that has it.
    fn exercise(&self, word: &str, context: Option<&'a Lab>) -> Result<Named<'a>, Failure> {
        if let Some(lab) = context {
            return Err(self.no_exercise(lab, word, word));
        }
        let candidates = self.exercises_called(word);
        if let Some(here) = self.lab_of_here()
            && let Some(target) = candidates.iter().find(|t| t.lab.number == here.number)
        {
            return Ok(Named::Exercise(*target));
        }
        match candidates.as_slice() {
            [target] => Ok(Named::Exercise(*target)),
            [] => Err(self.unknown(word)),
            _ if self.asks => match ask::which(word, &candidates) {
                Some(target) => Ok(Named::Exercise(target)),
                None => Err(self.ambiguous(word, &candidates)),
            },
            _ => Err(self.ambiguous(word, &candidates)),
        }
    }

    fn exercises_called(&self, word: &str) -> Vec<Target<'a>> {
        let of = |lab: &'a Lab| lab.exercise_called(word).map(|exercise| Target { lab, exercise });
        self.labs.iter().filter_map(of).collect()
    }

    fn lab_called(&self, word: &str) -> Option<&'a Lab> {
        self.labs.iter().find(|lab| lab.is_called(word))
    }

    /// The lab of the current folder: `kernels/lab-1-stencil`, or another folder with the lab's name.
    fn lab_of_here(&self) -> Option<&'a Lab> {
        let inside = self.here.strip_prefix(&self.root).ok()?;
        inside.components().find_map(|c| self.labs.iter().find(|lab| c.as_os_str() == lab.folder))
    }
}

fn own(target: Target<'_>) -> Chosen<'_> {
    Chosen { target, file: None }
}

/// Joins `lab 1` into one word.
fn joined(words: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for word in words {
        let is_number = word.bytes().all(|b| b.is_ascii_digit());
        match joined.last_mut() {
            Some(last) if is_number && last.eq_ignore_ascii_case("lab") => *last = format!("lab-{word}"),
            _ => joined.push(word.clone()),
        }
    }
    joined
}

/// Removes `.` and `..` from a path without looking at the file system.
fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}
