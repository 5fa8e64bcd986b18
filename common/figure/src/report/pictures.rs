//! The pictures of a report: accesses and branches of single warps, and races.

use super::data::Report;
use crate::html::{prose, span};
use crate::markup::Element;
use crate::svg::Figure;

/// Most pictures of a report.
const MAX_PICTURES: usize = 100;

/// A picture of what a run did in a line.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The line, 1-based; of a race that of the access that came last. `None` if it is in another file.
    pub line: Option<u32>,
    /// What it shows, in a sentence without a full stop.
    pub summary: String,
    /// The picture.
    pub figure: Figure,
    /// The same in characters, in lines of at most [`crate::warp::COLUMNS`] columns.
    pub text: Vec<String>,
}

impl Picture {
    /// As an SVG file of its own, for light and dark.
    pub fn svg(&self) -> String {
        self.figure.clone().document()
    }

    /// As a part of a page that can be folded.
    pub(super) fn element(self) -> Element {
        let summary = prose(Element::new("summary"), &self.summary);
        let figure = Element::new("figure").class("picture").child(self.figure.inline());
        Element::new("details").class("access").attr("open", "").child(summary).child(figure)
    }
}

/// The pictures of a report: of its races, in the order of the diagnostics; then of accesses and branches, in the order of lines. Those
/// of accesses and branches are there if the report was made with them.
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
    let mut pictures = races(report);
    pictures.extend(of_lines(report, "warp"));
    pictures
}

fn races(report: &Report) -> Vec<Picture> {
    let race = |i: usize| race(report, i, &format!("race-{i}"));
    (0..report.diagnostics.len()).filter_map(race).take(MAX_PICTURES).collect()
}

/// The picture of the race of a diagnostic.
pub(super) fn race(report: &Report, diagnostic: usize, id: &str) -> Option<Picture> {
    let diagnostic = &report.diagnostics.get(diagnostic)?.json;
    let race = diagnostic.race.as_ref()?;
    let place = diagnostic.places().into_iter().next().filter(|place| place.file == report.file);
    Some(Picture {
        line: place.map(|place| place.line),
        summary: race.summary(),
        figure: race.figure(id)?,
        text: race.text()?,
    })
}

/// The pictures of accesses and branches, in the order of lines; their `id`s begin with `id`.
pub(super) fn of_lines(report: &Report, id: &str) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for (i, access) in report.accesses.iter().enumerate().take(MAX_PICTURES) {
        if let (Some(figure), Some(text)) = (access.figure(&format!("{id}-access-{i}")), access.text()) {
            pictures.push(Picture { line: Some(access.line), summary: access.summary(), figure, text });
        }
    }
    for (i, branch) in report.branches.iter().enumerate().take(MAX_PICTURES) {
        if let (Some(figure), Some(text)) = (branch.figure(&format!("{id}-branch-{i}")), branch.text()) {
            pictures.push(Picture { line: Some(branch.line), summary: branch.summary(), figure, text });
        }
    }
    pictures.sort_by_key(|picture| picture.line);
    pictures
}

/// Pictures under a name for each line, where there is no listing to put them into.
pub(super) fn list(pictures: Vec<Picture>) -> impl Iterator<Item = Element> {
    pictures.into_iter().map(|picture| {
        let line = picture.line.map_or(String::new(), |line| format!("line {line}"));
        Element::new("div").child(span(line).class("muted")).child(picture.element())
    })
}
