//! `cargo lab run`: grades exercises and prints their reports.

use crate::access;
use crate::args::RunArgs;
use crate::course;
use crate::finish;
use crate::format::{self, Format};
use crate::grading::{self, Detail};
use crate::html::{self, HtmlPage};
use crate::own;
use crate::progress::Progress;
use crate::registry;
use crate::screen::{Screen, progress};
use crate::selection::{Chosen, Selector};
use crate::workspace::Workspace;
use harness::ExerciseReport;
use harness::report::{self, Style};
use source::Failure;
use std::path::PathBuf;

/// Grades one exercise, a lab, or all.
pub(crate) fn run(screen: &Screen, workspace: &Workspace, args: &RunArgs) -> anyhow::Result<bool> {
    let format = args.format.format()?;
    let labs = registry::labs();
    let chosen = chosen(&Selector::new(&labs, workspace), args)?;
    if !args.solution && chosen.iter().any(|chosen| chosen.file.is_none()) {
        workspace.has_labs()?;
    }
    let files: Vec<PathBuf> = chosen
        .iter()
        .map(|chosen| match &chosen.file {
            Some(file) => Ok(file.clone()),
            None if args.solution => workspace.solution(chosen.target),
            None => Ok(workspace.kernel(chosen.target)),
        })
        .collect::<Result<_, _>>()?;
    missing(&files)?;
    let mut page = args
        .html
        .as_deref()
        .map(|path| HtmlPage::prepare(path, &files, format != Format::Full))
        .transpose()?;
    // If the page goes to standard output, print nothing else there.
    let page_alone = args.html.as_deref().is_some_and(html::is_stdout);
    let asked = course::asked(&labs, args.course.as_deref())?;
    let style = Style { verbose: args.verbose, ..screen.style() };
    let recording = args.show_access || args.html.is_some();
    let how = harness::Options { recording, ..grading::how(&args.options, Detail::Full, asked) };
    let mut first_passes = Vec::new();
    let bar = progress(chosen.len());
    let mut reports = Vec::new();
    for (Chosen { target, file: other }, file) in chosen.iter().zip(&files) {
        bar.set_message(target.name());
        let is_own = !args.solution && other.is_none() && args.course.is_none();
        let mut report = if is_own {
            let mut graded = own::grade(*target, workspace, &args.options, &how)?;
            if graded.is_first_pass {
                first_passes.push(*target);
                // The message about a first pass already names the next step, so the report omits it.
                graded.report.next = graded.report.next.filter(|_| format != Format::Full);
            }
            graded.report
        } else {
            grading::grade_with(*target, file, workspace, &args.options, &how)?
        };
        if args.solution && report.passed() && format == Format::Full {
            // After grading the reference, the next step is the user's own kernel.
            report.next = Some(match &chosen[..] {
                [_] => format!("your own kernel: {}", source::command(format!("run {}", target.words()))),
                _ => source::spelled("your own kernels: `cargo lab` lists them"),
            });
        }
        if let Some(page) = &mut page {
            page.add(&report, file)?;
        }
        if !page_alone {
            bar.suspend(|| print(screen, &report, format, style, chosen.len() > 1))?;
            if args.show_access && format == Format::Full {
                let text = access::text(&report)?;
                bar.suspend(|| screen.line(text))?;
            }
        }
        bar.inc(1);
        reports.push(report);
    }
    bar.finish_and_clear();
    if let Some(last) = first_passes.last().filter(|_| format == Format::Full && !page_alone) {
        screen.line("")?;
        screen.line(finish::lines(screen, &labs, *last, workspace, &Progress::of(workspace)))?;
    }
    match format {
        Format::Full if reports.len() > 1 && !page_alone => {
            screen.line(format!("\n{}", report::overview(&reports, style).trim_end()))?
        }
        Format::Ncu => screen.exact(&profiled(&reports)?)?,
        Format::Sarif => {
            let findings: Vec<_> = reports.iter().flat_map(report::findings).collect();
            screen.json(format::sarif(&findings)?)?;
        }
        _ => {}
    }
    if let Some(page) = page {
        page.write(screen)?;
    }
    Ok(reports.iter().all(|r| r.passed()))
}

/// The counters of each report's size as a table of the profiler. A kernel without counters is named.
fn profiled(reports: &[ExerciseReport]) -> Result<String, Failure> {
    let names: Vec<String> =
        reports.iter().map(|report| format!("{}/{}", report.lab, report.exercise)).collect();
    let rows = reports.iter().zip(&names).map(|(report, name)| {
        let counters = report.counters.as_ref().ok_or_else(|| {
            let what = format!("{name}: there are no counters, because its results are not correct");
            Failure::new(what, "`cargo lab run` says what is wrong")
        })?;
        Ok(device::ProfiledLaunch { kernel: name, block: None, grid: None, counters })
    });
    let rows = rows.collect::<Result<Vec<_>, Failure>>()?;
    Ok(device::profiler_csv(&rows))
}

/// Prints one report as soon as it is ready. A SARIF log is printed at the end instead.
pub(crate) fn print(
    screen: &Screen,
    report: &ExerciseReport,
    format: Format,
    style: Style,
    is_one_of_several: bool,
) -> anyhow::Result<()> {
    match format {
        Format::Full if is_one_of_several => screen.line(report::text_of_several(report, style))?,
        Format::Full => screen.line(report::text(report, style).trim_end())?,
        Format::Concise => screen.concise(report::concise(report))?,
        Format::Json => screen.json(grading::json(report)?)?,
        Format::Sarif | Format::Ncu => {}
    }
    Ok(())
}

/// The exercises to grade, with the file of `--kernel` in place of the exercise's own.
fn chosen<'a>(selector: &Selector<'a>, args: &RunArgs) -> Result<Vec<Chosen<'a>>, Failure> {
    let Some(kernel) = &args.kernel else {
        let chosen = selector.chosen(&args.targets)?;
        return match chosen.iter().find_map(|c| c.file.as_ref()).filter(|_| args.solution) {
            None => Ok(chosen),
            Some(file) => Err(Failure::new(
                format!("`--solution` grades the reference, and {} is another file", file.display()),
                "leave one of the two out",
            )),
        };
    };
    match selector.chosen(&args.targets)?.as_slice() {
        [one] if one.file.is_none() => Ok(vec![Chosen { file: Some(kernel.clone()), ..one.clone() }]),
        several => Err(Failure::new(
            format!("`--kernel` is for one exercise, and {} are named", several.len()),
            "name one: `cargo lab run LAB EXERCISE --kernel FILE`",
        )),
    }
}

/// Fails if a file is missing, before anything runs.
fn missing(files: &[PathBuf]) -> Result<(), Failure> {
    match files.iter().find(|file| !file.is_file()) {
        None => Ok(()),
        Some(file) => Err(Failure::new(
            format!("{} does not exist or is not a file", file.display()),
            "check the path; `cargo lab reset LAB EXERCISE` restores a starter",
        )),
    }
}
