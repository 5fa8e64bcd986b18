//! `lab gradebook`: sums up the results of a course for each student.
//!
//! The grades need one pass over the results, line by line. Pages need a second look at the lines of the submissions
//! that count, one student at a time.

use super::{feedback, merge};
use crate::course;
use crate::registry;
use crate::screen::{Screen, complain, incomplete, progress};
use crate::workspace::{Workspace, unwritten, write_whole};
use clap::{Args, ValueEnum};
use figure::report::Graded;
use gradebook::alias::{Salt, Scrubber, anonymise};
use gradebook::builder::Builder;
use gradebook::course::Course;
use gradebook::lines::reread;
use gradebook::pages::{self, Handed};
use gradebook::rollup::Gradebook;
use gradebook::roster::Roster;
use gradebook::{Outcome, Record, grades};
use harness::{Lab, Weights};
use rand::TryRng;
use rand::rngs::SysRng;
use source::Failure;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// Help text after the options.
pub(crate) const HELP: &str = "\
The course file says whose a file is, what exercises are worth, and when they are due; the book's page on grades shows all that it may
have. A file that could not be graded never counts as 0: the total is then provisional.

Examples:
  cargo lab gradebook grades.jsonl --course course.toml
  cargo lab gradebook grades.jsonl --course course.toml --format canvas --out canvas.csv
  cargo lab gradebook grades.jsonl --course course.toml --pages hand-back
  cargo lab gradebook grades.jsonl --course course.toml --feedback feedback.zip
  cargo lab gradebook grades.jsonl --course course.toml --format csv --anonymise salt.txt";

/// Maximum size of a roster, bytes.
const LARGEST_ROSTER: u64 = 16 << 20;

/// How to print the grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    Text,
    /// One JSON object
    Json,
    /// A table with one row per student
    Csv,
    /// A table that Canvas's gradebook imports
    Canvas,
    /// A table that Moodle's gradebook imports
    Moodle,
}

/// Arguments of `gradebook`.
#[derive(Args, Debug)]
pub(crate) struct GradebookArgs {
    /// Results of `lab grade`
    #[arg(required = true, value_name = "RESULTS", value_hint = clap::ValueHint::FilePath)]
    results: Vec<PathBuf>,
    /// The course file (TOML)
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    course: PathBuf,
    /// How to print the grades
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Write a page for each student and one for the class to this folder too
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    pages: Option<PathBuf>,
    /// Write each student's page to an archive for Moodle too, which takes it under "Upload multiple feedback files in a zip"
    #[arg(long, value_name = "ZIP", conflicts_with = "anonymise", value_hint = clap::ValueHint::FilePath)]
    feedback: Option<PathBuf>,
    /// Replace names by hashes that depend on the salt in this file, which is made if it is not there
    #[arg(long, visible_alias = "anonymize", value_name = "SALT", value_hint = clap::ValueHint::FilePath)]
    anonymise: Option<PathBuf>,
}

/// Sums up and prints grades, and writes pages.
///
/// # Errors
/// Says which file cannot be read or written, or which results cannot be assigned to a student.
pub(crate) fn gradebook(
    screen: &Screen,
    workspace: &Workspace,
    args: &GradebookArgs,
) -> anyhow::Result<bool> {
    if args.anonymise.is_some() && matches!(args.format, Format::Canvas | Format::Moodle) {
        let what = "--anonymise leaves no names by which Canvas or Moodle could find students";
        return Err(Failure::new(what, "choose --format text, json or csv").into());
    }
    let labs = registry::labs();
    let (course, _) = course::read(&labs, &args.course)?;
    let roster = roster(&args.course, &course)?;
    let (mut gradebook, mut sources) = collect(&labs, &course, roster.as_ref(), args)?;
    let scrubber = args.anonymise.as_deref().map(|path| without_names(&mut gradebook, path)).transpose()?;
    if let Some(path) = &args.feedback {
        feedback::write(&gradebook, path, |at| page(&gradebook, &mut sources, None, workspace, at))?;
    }
    print(screen, &course, &gradebook, args)?;
    if let Some(folder) = &args.pages {
        let count = write_pages(&gradebook, &mut sources, scrubber.as_ref(), workspace, folder)?;
        complain(&format!(
            "{count} pages are in {}; {} is that of the class",
            folder.display(),
            pages::CLASS
        ));
    }
    Ok(true)
}

/// The roster that the course file names.
fn roster(file: &Path, course: &Course<Weights>) -> Result<Option<Roster>, Failure> {
    let Some(name) = &course.roster.file else { return Ok(None) };
    let path = file.parent().unwrap_or(Path::new("")).join(name);
    let fail = |what: String| {
        let what = format!("{}: {what}", path.display());
        Failure::new(what, "a roster is a table (CSV) whose columns [roster] of the course file names")
    };
    let bytes = course::small(&path, "a roster", LARGEST_ROSTER).map_err(fail)?;
    Roster::parse(bytes, &course.roster, course.utc_offset).map(Some).map_err(fail)
}

/// Reads all results. Returns the open files, so that parts can be read again.
fn collect(
    labs: &[Lab],
    course: &Course<Weights>,
    roster: Option<&Roster>,
    args: &GradebookArgs,
) -> Result<(Gradebook, Vec<BufReader<File>>), Failure> {
    if course.paths.is_empty() {
        return Err(Failure::new(
            format!("{}: `paths` is missing, so nothing says whose a file is", args.course.display()),
            "add a line such as paths = [\"submissions/{student}/**/{file}.cu\"]",
        ));
    }
    let known = course::exercises(labs);
    let mut builder = Builder::new(course, roster, &known);
    let mut sources = Vec::new();
    for (source, path) in args.results.iter().enumerate() {
        let mut lines = merge::open(path)?;
        for line in lines.by_ref() {
            let line =
                line.map_err(|e| Failure::new(e.to_string(), "remove the line, or grade its file again"))?;
            let help = "name each file of results once, and set `utc_offset` in the course file";
            builder.add(source, &line).map_err(|e| Failure::new(e, help))?;
        }
        if let Some(line) = lines.cut() {
            complain(&format!("{}:{line}: the last line is cut, and is left out", lines.name()));
        }
        sources.push(lines.into_inner());
    }
    let gradebook = builder.finish().map_err(|e| {
        let what = format!("{}: {}", args.course.display(), e.replace('\n', "\n  "));
        Failure::new(what, "the book's page on grades shows groups, exceptions and `count`")
    })?;
    Ok((gradebook, sources))
}

/// Replaces names by hashes; creates the salt file if it is missing.
fn without_names(gradebook: &mut Gradebook, path: &Path) -> Result<Scrubber, Failure> {
    let fail = |what: String| {
        let what = format!("--anonymise {}: {what}", path.display());
        Failure::new(what, "name a file that this command has written, or one that is not there yet")
    };
    let salt = match std::fs::read_to_string(path) {
        Ok(text) => Salt::parse(&text).map_err(fail)?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let mut bytes = [0; 16];
            SysRng.try_fill_bytes(&mut bytes).map_err(|e| fail(format!("no random numbers for it: {e}")))?;
            let salt = Salt::new(bytes);
            keep_secret(path, &salt.text()).map_err(|e| fail(format!("cannot be written: {e}")))?;
            complain(&format!("{}: made; who has it can find names by trying them", path.display()));
            salt
        }
        Err(e) => return Err(fail(format!("cannot be read: {e}"))),
    };
    anonymise(gradebook, &salt).map_err(fail)
}

/// Writes a new file that only its owner can read, if the system supports that.
fn keep_secret(path: &Path, text: &str) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

fn print(
    screen: &Screen,
    course: &Course<Weights>,
    gradebook: &Gradebook,
    args: &GradebookArgs,
) -> anyhow::Result<()> {
    let text = match args.format {
        Format::Text => grades::text(gradebook),
        Format::Json => serde_json::to_string_pretty(&grades::json(gradebook))? + "\n",
        Format::Csv => grades::csv(gradebook),
        Format::Canvas => grades::canvas(gradebook, &course.lms),
        Format::Moodle => grades::moodle(gradebook, &course.lms),
    };
    match (&args.out, args.format) {
        (Some(path), _) => write_whole(path, &text).map_err(unwritten(path, UNWRITTEN))?,
        (None, Format::Text) => screen.line(text.trim_end()).map_err(incomplete)?,
        (None, Format::Json) => screen.json(text.trim_end())?,
        (None, Format::Csv | Format::Canvas | Format::Moodle) => screen.exact(&text)?,
    }
    if args.format != Format::Text {
        gradebook.notes().iter().for_each(|note| complain(note));
        gradebook.problems().iter().for_each(|problem| complain(&problem.to_string()));
    }
    Ok(())
}

/// Writes the pages; returns their number.
fn write_pages(
    gradebook: &Gradebook,
    sources: &mut [BufReader<File>],
    scrubber: Option<&Scrubber>,
    workspace: &Workspace,
    folder: &Path,
) -> Result<usize, Failure> {
    let files = pages::files(gradebook);
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        write_whole(&path, text).map_err(unwritten(&path, UNWRITTEN))
    };
    let bar = progress(files.len());
    for (at, file) in files.iter().enumerate() {
        write(file, &page(gradebook, sources, scrubber, workspace, at)?)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    write(pages::CLASS, &pages::class(gradebook, &files))?;
    Ok(files.len() + 1)
}

/// The page of a student.
fn page(
    gradebook: &Gradebook,
    sources: &mut [BufReader<File>],
    scrubber: Option<&Scrubber>,
    workspace: &Workspace,
    at: usize,
) -> Result<String, Failure> {
    let student = &gradebook.students[at];
    let mut handed = Vec::new();
    for (exercise, mark) in student.marks.iter().enumerate() {
        let Some(counting) = mark.counting().filter(|submission| submission.score.is_some()) else {
            continue;
        };
        let read = reread(&mut sources[counting.source], counting.offset, counting.length);
        let changed = |e: String| {
            Failure::new(format!("the results have changed while they were read: {e}"), "start again")
        };
        let record = read.map_err(|e| changed(e.to_string()))?;
        let record = Record::parse(&record).map_err(changed)?;
        handed.extend(graded(record, workspace).map(|graded| Handed { exercise, graded }));
    }
    if let Some(scrubber) = scrubber {
        for Handed { graded, .. } in &mut handed {
            graded.report.map_texts(|text| scrubber.scrub(at, text));
            graded.source = graded.source.as_deref().map(|text| scrubber.scrub(at, text));
        }
    }
    Ok(pages::student(gradebook, student, handed))
}

/// A report with its source, if the file still exists and still has the graded text.
fn graded(record: Record, workspace: &Workspace) -> Option<Graded> {
    let Outcome::Graded(report) = record.outcome else { return None };
    let root = &workspace.paths().root;
    let places = [PathBuf::from(&report.file), root.join(&report.file)];
    let file = places.into_iter().find(|path| path.is_file() && !path.is_symlink());
    let text =
        file.and_then(|path| harness::read_kernel_file(&path, &report.file).ok()).map(|file| file.text);
    let source = text.filter(|text| pages::is_of(&report, text));
    Some(Graded { report: *report, source })
}

/// What to do about a file that cannot be written.
pub(super) const UNWRITTEN: &str = "name a place that you may write to";
