//! The pictures of a report: accesses and branches of single warps, and races.

use crate::html::{prose, span};
use crate::markup::Element;
use crate::svg::Figure;
use crate::warp::Pictured;
use report::{Diagnostic, Recorded, Report, WarpAccess, WarpBranch};

/// Maximum number of pictures per report.
const MAX_PICTURES: usize = 100;

/// A picture of what the kernel did in one source line.
#[derive(Clone, Debug)]
pub struct Picture {
    /// 1-based line; for a race, the line of the later access. `None` if it is in another file.
    pub line: Option<u32>,
    /// A sentence about the picture, without the full stop.
    pub summary: String,
    /// The picture.
    pub figure: Figure,
    /// The picture as text, in lines of at most [`crate::warp::COLUMNS`] columns.
    pub text: Vec<String>,
}

impl Picture {
    /// The picture as a standalone SVG file, for light and dark themes.
    pub fn svg(&self) -> String {
        self.figure.clone().document()
    }

    /// The picture as a foldable part of a page.
    pub(super) fn element(self) -> Element {
        let summary = prose(Element::new("summary"), &self.summary);
        let figure = Element::new("figure").class("picture").child(self.figure.inline());
        Element::new("details").class("access").attr("open", "").child(summary).child(figure)
    }
}

/// The pictures of a report: first races in the order of the diagnostics, then accesses and branches in the order of
/// lines. Accesses and branches are present only if grading recorded them.
///
/// ```
/// use figure::report::{Error, Report, pictures};
///
/// /// The SVG of each picture of a report, with its line.
/// fn drawn(report: &serde_json::Value) -> Result<Vec<(Option<u32>, String)>, Error> {
///     let report = Report::from_json(report)?;
///     Ok(pictures(&report).iter().map(|picture| (picture.line, picture.svg())).collect())
/// }
/// # assert!(drawn(&serde_json::json!({})).is_err());
/// ```
pub fn pictures(report: &Report) -> Vec<Picture> {
    let diagnostics = report.diagnostics.iter().map(|message| &message.json);
    let mut pictures = races(&report.file, diagnostics);
    pictures.extend(of_lines(&report.accesses, &report.branches, "warp"));
    pictures
}

/// The pictures of a launch, in the same order.
pub fn recorded(launch: &Recorded) -> Vec<Picture> {
    let mut pictures = races(&launch.file, launch.diagnostics.iter());
    pictures.extend(of_lines(&launch.accesses, &launch.branches, "warp"));
    pictures
}

fn races<'a>(file: &str, diagnostics: impl Iterator<Item = &'a Diagnostic>) -> Vec<Picture> {
    let drawn = diagnostics.enumerate().filter_map(|(i, one)| race(file, one, &format!("race-{i}")));
    drawn.take(MAX_PICTURES).collect()
}

/// The picture of a diagnostic's race. `file` is the file whose lines the page shows.
pub(super) fn race(file: &str, diagnostic: &Diagnostic, id: &str) -> Option<Picture> {
    let place = diagnostic.places().into_iter().next().filter(|place| place.file == file);
    picture(diagnostic.race.as_ref()?, place.map(|place| place.line), id)
}

fn picture(of: &impl Pictured, line: Option<u32>, id: &str) -> Option<Picture> {
    Some(Picture { line, summary: of.summary(), figure: of.figure(id)?, text: of.text()? })
}

/// The pictures of accesses and branches, in the order of lines; their `id`s start with `id`.
pub(super) fn of_lines(accesses: &[WarpAccess], branches: &[WarpBranch], id: &str) -> Vec<Picture> {
    let accesses = accesses.iter().enumerate().take(MAX_PICTURES);
    let accesses = accesses.map(|(i, one)| picture(one, Some(one.line), &format!("{id}-access-{i}")));
    let branches = branches.iter().enumerate().take(MAX_PICTURES);
    let branches = branches.map(|(i, one)| picture(one, Some(one.line), &format!("{id}-branch-{i}")));
    let mut pictures: Vec<Picture> = accesses.chain(branches).flatten().collect();
    pictures.sort_by_key(|picture| picture.line);
    pictures
}

/// Pictures, each under the name of its line, for a page without a listing.
pub(super) fn list(pictures: Vec<Picture>) -> impl Iterator<Item = Element> {
    pictures.into_iter().map(|picture| {
        let line = picture.line.map_or(String::new(), |line| format!("line {line}"));
        Element::new("div").child(span(line).class("muted")).child(picture.element())
    })
}
