//! Writes results: each complete result as soon as it is known, to standard output or a file, as JSON or in another
//! format of [`gradebook`].
//!
//! An interrupted file can be continued ([`Results::resume`]). A stored result is kept if it is a grade of the same
//! file with the same text and options. An incomplete line is dropped. A run locks its file, so that two runs cannot
//! write to the same one.

use crate::screen::{self, Screen, complain};
use crate::workspace;
use gradebook::{Format, Record, Writer};
use serde::Deserialize;
use source::Failure;
use std::collections::{BTreeMap, HashSet};
use std::fs::{File, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// The fields of a stored result that are read back.
#[derive(Deserialize)]
pub(super) struct Head {
    pub(super) index: usize,
    pub(super) status: Status,
    #[serde(default)]
    digest: String,
    file: String,
}

/// Outcome of a file.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Passed,
    Failed,
    Error,
}

/// The writer of results.
pub(super) struct Results<'a> {
    screen: &'a Screen,
    file: Option<(PathBuf, File)>,
    format: Format,
    writer: Box<dyn Writer + Send>,
    ordered: bool,
    /// Indices of the results still to come, in order, without stored results.
    to_come: Vec<usize>,
    /// Number of `to_come` already written.
    written: usize,
    /// Results that wait until earlier ones are written.
    waiting: BTreeMap<usize, String>,
    /// Numbers of files that passed, failed, and have no grade.
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) errors: usize,
}

/// What is known in advance about a result.
pub(super) struct Expected {
    pub(super) index: usize,
    /// The file's name in the result.
    pub(super) file: String,
    /// Hash of everything that the result depends on.
    pub(super) digest: String,
}

impl<'a> Results<'a> {
    /// Writes to standard output or to a new file.
    ///
    /// # Errors
    /// Says that the file or stream cannot be written.
    pub(super) fn new(
        screen: &'a Screen,
        output: Option<&Path>,
        (format, options): (Format, &gradebook::Options),
        ordered: bool,
        expected: &[Expected],
    ) -> anyhow::Result<Results<'a>> {
        let create = |path: &Path| Ok((path.to_owned(), created(path)?));
        let file = output.map(create).transpose().map_err(|e: Failure| e)?;
        let to_come = expected.iter().map(|e| e.index).collect();
        // Other formats are always ordered, so that their text is reproducible; lines of JSON may be in any order.
        let ordered = ordered || format != Format::Jsonl;
        let mut results = Results::of(screen, file, (format, options), ordered, to_come);
        let begin = results.writer.begin();
        results.put(&begin)?;
        Ok(results)
    }

    /// Continues a file of JSON lines; [`Results::to_come`] returns the missing indices.
    ///
    /// # Errors
    /// Says that the file cannot be read or written.
    pub(super) fn resume(
        screen: &'a Screen,
        output: &Path,
        ordered: bool,
        expected: &[Expected],
    ) -> Result<Results<'a>, Failure> {
        // Keeps the old file's lock until the new file is locked.
        let old = match File::options().read(true).append(true).open(output) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            old => Some(old.map_err(|e| uncontinued(output, &e.to_string()))?),
        };
        if let Some(old) = &old {
            if !old.metadata().is_ok_and(|data| data.is_file()) {
                return Err(uncontinued(output, "it is not a file"));
            }
            lock(output, old)?;
        }
        let read = |old: &File| kept(old, expected).map_err(|e| uncontinued(output, &e.to_string()));
        let kept = old.as_ref().map(read).transpose()?.unwrap_or_default();
        let text: String = kept.iter().map(|(line, _)| format!("{line}\n")).collect();
        // Write atomically, so that another interruption loses no stored result.
        workspace::write_whole(output, &text).map_err(workspace::unwritten(output, UNWRITTEN))?;
        let append =
            File::options().append(true).open(output).map_err(workspace::unwritten(output, UNWRITTEN))?;
        lock(output, &append)?;
        let has: HashSet<usize> = kept.iter().map(|(_, head)| head.index).collect();
        let to_come = expected.iter().map(|e| e.index).filter(|index| !has.contains(index)).collect();
        let file = Some((output.to_owned(), append));
        let format = (Format::Jsonl, &gradebook::Options::default());
        let mut results = Results::of(screen, file, format, ordered, to_come);
        kept.iter().for_each(|(_, head)| results.count(head.status));
        if !kept.is_empty() {
            complain(&format!("{} of {} results are there already", kept.len(), expected.len()));
        }
        Ok(results)
    }

    fn of(
        screen: &'a Screen,
        file: Option<(PathBuf, File)>,
        (format, options): (Format, &gradebook::Options),
        ordered: bool,
        to_come: Vec<usize>,
    ) -> Results<'a> {
        Results {
            screen,
            file,
            format,
            writer: format.writer(options),
            ordered,
            to_come,
            written: 0,
            waiting: BTreeMap::new(),
            passed: 0,
            failed: 0,
            errors: 0,
        }
    }

    /// Indices of the results still to come.
    pub(super) fn to_come(&self) -> Vec<usize> {
        self.to_come.clone()
    }

    fn count(&mut self, status: Status) {
        *match status {
            Status::Passed => &mut self.passed,
            Status::Failed => &mut self.failed,
            Status::Error => &mut self.errors,
        } += 1;
    }

    /// Adds a result, given as one line.
    ///
    /// # Errors
    /// The error of the stream.
    pub(super) fn add(&mut self, index: usize, status: Status, line: String) -> io::Result<()> {
        self.count(status);
        // A file is written unordered and sorted at the end, so that an interruption loses no known result.
        if !self.ordered || self.sorts_at_the_end() {
            return self.write(&line);
        }
        self.waiting.insert(index, line);
        while let Some(next) = self.to_come.get(self.written)
            && let Some(line) = self.waiting.remove(next)
        {
            self.written += 1;
            self.write(&line)?;
        }
        Ok(())
    }

    fn sorts_at_the_end(&self) -> bool {
        self.file.is_some() && self.format == Format::Jsonl
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        let line = screen::escaped(line);
        if self.format == Format::Jsonl {
            return self.put(&format!("{line}\n"));
        }
        let record = Record::parse(&line).map_err(io::Error::other)?;
        let text = self.writer.line(&line, &record);
        self.put_plainly(&text)
    }

    /// Writes text without characters that a terminal would interpret: JSON escapes them, other formats spell them
    /// out.
    fn put_plainly(&mut self, text: &str) -> io::Result<()> {
        match self.format {
            Format::Jsonl | Format::Gradescope | Format::Autolab => self.put(&screen::escaped(text)),
            Format::Csv | Format::Junit => self.put(text),
        }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        match &mut self.file {
            None => self.screen.exact(text),
            Some((_, file)) => file.write_all(text.as_bytes()),
        }
    }

    /// Finishes the output after the last result.
    ///
    /// # Errors
    /// The error of the file system.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let end = self.writer.end();
        self.put_plainly(&end)?;
        let sorts = self.ordered && self.sorts_at_the_end();
        let Some((path, _)) = self.file.filter(|_| sorts) else { return Ok(()) };
        let mut lines: Vec<(usize, String)> =
            heads(&File::open(&path)?)?.map(|(line, head)| (head.index, line)).collect();
        lines.sort_unstable_by_key(|(index, _)| *index);
        workspace::write_whole(&path, &lines.into_iter().map(|(_, line)| line + "\n").collect::<String>())
    }
}

/// What to do about a file that cannot be written.
const UNWRITTEN: &str = "name a file in a folder that you may write to";

fn uncontinued(path: &Path, why: &str) -> Failure {
    let what = format!("{}: the results in it cannot be continued: {why}", path.display());
    Failure::new(what, "check the file, or leave `--resume` out")
}

/// Creates an empty file for results and locks it.
///
/// # Errors
/// Says that the file cannot be written, or that another run is writing to it.
fn created(path: &Path) -> Result<File, Failure> {
    // Truncate only after locking, so that another run's results are safe.
    let open = File::options().write(true).create(true).truncate(false).open(path);
    let file = open.map_err(workspace::unwritten(path, UNWRITTEN))?;
    // Only regular files are locked and truncated; runs may share a device or a pipe.
    if file.metadata().is_ok_and(|data| data.is_file()) {
        lock(path, &file)?;
        file.set_len(0).map_err(workspace::unwritten(path, UNWRITTEN))?;
    }
    Ok(file)
}

/// Locks a file of results for as long as it is open.
///
/// # Errors
/// Says that another run has locked the file.
fn lock(path: &Path, file: &File) -> Result<(), Failure> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Failure::new(
            format!("{}: another run is writing to it", path.display()),
            "wait for that run, or name another file",
        )),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The complete, valid lines of a file of results.
fn heads(file: &File) -> io::Result<impl Iterator<Item = (String, Head)>> {
    let lines = BufReader::new(file).split(b'\n').collect::<Result<Vec<_>, _>>()?;
    Ok(lines.into_iter().filter_map(|line| {
        let line = String::from_utf8(line).ok()?;
        let head = serde_json::from_str(&line).ok()?;
        Some((line, head))
    }))
}

/// The stored results that are still valid, each once.
fn kept(file: &File, expected: &[Expected]) -> io::Result<Vec<(String, Head)>> {
    let wanted: BTreeMap<usize, &Expected> = expected.iter().map(|e| (e.index, e)).collect();
    let mut seen = HashSet::new();
    let is_wanted = |head: &Head| {
        let is_same = |e: &&Expected| e.file == head.file && e.digest == head.digest;
        head.status != Status::Error && wanted.get(&head.index).is_some_and(is_same)
    };
    Ok(heads(file)?.filter(|(_, head)| is_wanted(head) && seen.insert(head.index)).collect())
}
