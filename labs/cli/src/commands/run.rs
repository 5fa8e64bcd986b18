//! `cargo lab run`: grades exercises and prints their reports.

use crate::args::RunArgs;
use crate::course;
use crate::failure::Failure;
use crate::finish;
use crate::grading::{self, Detail};
use crate::html::{self, HtmlPage};
use crate::own;
use crate::progress::Progress;
use crate::registry;
use crate::screen::{Screen, progress};
use crate::workspace::Workspace;
use std::path::PathBuf;

/// Grades one exercise, a lab, or all.
pub(crate) fn run(screen: &Screen, workspace: &Workspace, args: &RunArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let targets = registry::select(&labs, &args.lab, args.exercise.as_deref())?;
    let files: Vec<PathBuf> = targets
        .iter()
        .map(|target| match &args.kernel {
            Some(file) => file.clone(),
            None if args.solution => workspace.solution(*target),
            None => workspace.kernel(*target),
        })
        .collect();
    missing(&files)?;
    let mut page = args.html.as_deref().map(|path| HtmlPage::prepare(path, &files, args.json)).transpose()?;
    // Standard output has the page then, and nothing else.
    let page_alone = args.html.as_deref().is_some_and(html::is_stdout);
    let weights = course::weights(&labs, args.course.as_deref())?;
    let how = grading::how(&args.options, Detail::Full, weights);
    let is_own = !args.solution && args.kernel.is_none() && args.course.is_none();
    let mut first_passes = Vec::new();
    let bar = progress(targets.len());
    let mut reports = Vec::new();
    for (target, file) in targets.iter().zip(&files) {
        bar.set_message(target.name());
        let report = if is_own {
            let graded = own::grade(*target, workspace, &args.options, &how)?;
            first_passes.extend(graded.is_first_pass.then_some(*target));
            graded.report
        } else {
            grading::grade_with(*target, file, workspace, &args.options, &how)?
        };
        if let Some(page) = &mut page {
            page.add(&report, file)?;
        }
        let text = if args.json {
            grading::json_line(&report)?
        } else {
            harness::report::text(&report, screen.style())
        };
        if !page_alone {
            bar.suspend(|| screen.line(text))?;
        }
        bar.inc(1);
        reports.push(report);
    }
    bar.finish_and_clear();
    if reports.len() > 1 && !args.json && !page_alone {
        screen.line(harness::report::overview(&reports, screen.style()))?;
    }
    if let Some(last) = first_passes.last().filter(|_| !args.json && !page_alone) {
        screen.line("")?;
        screen.line(finish::lines(screen, &labs, *last, workspace, &Progress::of(workspace)))?;
    }
    if let Some(page) = page {
        page.write(screen)?;
    }
    Ok(reports.iter().all(|r| r.passed()))
}

/// Fails on the first file that is not there, before anything is run.
fn missing(files: &[PathBuf]) -> Result<(), Failure> {
    match files.iter().find(|file| !file.is_file()) {
        None => Ok(()),
        Some(file) => Err(Failure::new(
            format!("{} does not exist or is not a file", file.display()),
            "check the path; `cargo lab reset LAB EXERCISE` restores a starter, and outside a labs' folder `lab init FOLDER` writes them all",
        )),
    }
}
