//! `run --html FILE`: the reports of a run as one page.
//!
//! `figure` builds the page from the reports' JSON. The file is written in one step at the end. Before grading
//! starts, the program checks that it can write the file, and that the file is not one to be graded.

use crate::screen::{Screen, complain};
use crate::workspace::write_whole;
use figure::report::{Graded, Report};
use harness::ExerciseReport;
use source::Failure;
use std::io;
use std::path::{Path, PathBuf};

/// A page under construction.
pub(crate) struct HtmlPage {
    /// The output file; `None` for standard output.
    path: Option<PathBuf>,
    graded: Vec<Graded>,
}

/// Whether `path` means standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl HtmlPage {
    /// Prepares a page for `path`. `graded` are the files that the run reads; `for_programs` says whether the run
    /// prints a format for programs.
    ///
    /// # Errors
    /// Says why the page cannot be written to `path`.
    pub(crate) fn prepare(path: &Path, graded: &[PathBuf], for_programs: bool) -> Result<HtmlPage, Failure> {
        if is_stdout(path) {
            if for_programs {
                return Err(Failure::new(
                    "--html - and --json, or another --format, both write to standard output",
                    "name a file for the page, such as report.html",
                ));
            }
            return Ok(HtmlPage { path: None, graded: Vec::new() });
        }
        let shown = path.display();
        let is_graded = path.canonicalize().is_ok_and(|path| {
            graded.iter().filter_map(|file| file.canonicalize().ok()).any(|file| file == path)
        });
        if is_graded || path.extension().is_some_and(|e| e.eq_ignore_ascii_case("cu")) {
            return Err(Failure::new(
                format!("--html {shown}: this is a kernel file, and the page would replace it"),
                "name another file, such as report.html",
            ));
        }
        let is_folder = path.to_string_lossy().ends_with(std::path::is_separator);
        if is_folder || path.exists() && !path.is_file() {
            return Err(Failure::new(
                format!("--html {shown}: this is not a file"),
                "name a file, such as report.html, or `-` for standard output",
            ));
        }
        write_trial(path).map_err(|e| cannot_write(path, &e))?;
        Ok(HtmlPage { path: Some(path.to_owned()), graded: Vec::new() })
    }

    /// Adds the report of a file.
    ///
    /// # Errors
    /// Says that the report's own JSON cannot be drawn, which is a defect.
    pub(crate) fn add(&mut self, report: &ExerciseReport, file: &Path) -> Result<(), Failure> {
        let read = drawable(report)?;
        // The page omits the next step; the terminal shows it, in words that depend on the format.
        let read = Report { next: None, ..read };
        let source = harness::read_kernel_file(file, &report.file).ok().map(|file| file.text);
        self.graded.push(Graded { report: read, source });
        Ok(())
    }

    /// Writes the page.
    ///
    /// # Errors
    /// The error of the system.
    pub(crate) fn write(self, screen: &Screen) -> anyhow::Result<()> {
        let text = figure::report::page(&self.graded);
        match &self.path {
            Some(path) => {
                write_whole(path, &text).map_err(|e| cannot_write(path, &e))?;
                complain(&format!("wrote {}", path.display()));
            }
            None => screen.document(text.trim_end())?,
        }
        Ok(())
    }
}

/// Converts a report to `figure`'s type.
///
/// # Errors
/// Says that `figure` cannot read the report's JSON, which is a defect.
pub(crate) fn drawable(report: &ExerciseReport) -> Result<Report, Failure> {
    let object = serde_json::to_value(report).map_err(|e| e.to_string());
    let read = object.and_then(|object| Report::from_json(&object).map_err(|e| e.to_string()));
    read.map_err(|e| {
        Failure::new(format!("nothing can be drawn of the report of {}: {e}", report.file), "report it")
    })
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format!("--html {}: the page cannot be written: {error}", path.display()),
        "name a file in a folder that you may write to",
    )
}

/// Writes an empty file beside the path and removes it, to check that the folder is writable.
fn write_trial(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    let trial = path.with_extension(format!("trial-{}", std::process::id()));
    std::fs::write(&trial, "")?;
    std::fs::remove_file(&trial)
}
