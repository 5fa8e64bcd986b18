//! A page: one file with everything in it, and nothing that it loads or runs.
//!
//! The page's own policy (`Content-Security-Policy`) forbids scripts, frames, forms and every request. It would hold even if text
//! could become markup, which [`markup`](crate::markup) rules out before.

use crate::markup::Element;
use crate::theme;

/// What the page may do: apply its own style sheet, and show images that are part of it.
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Layout and colours of pages.
const SHEET: &str = include_str!("page.css");

/// A page in the making.
#[derive(Clone, Debug)]
pub struct Page {
    /// The window's title.
    pub title: String,
    /// What is in it.
    pub body: Vec<Element>,
}

impl Page {
    /// The file's text.
    pub fn document(self) -> String {
        let head = Element::new("head").children([
            Element::new("meta").attr("charset", "utf-8"),
            Element::new("meta").attr("http-equiv", "Content-Security-Policy").attr("content", POLICY),
            Element::new("meta")
                .attr("name", "viewport")
                .attr("content", "width=device-width, initial-scale=1"),
            Element::new("meta").attr("name", "referrer").attr("content", "no-referrer"),
            Element::new("title").text(self.title),
            Element::sheet(format!("{}{}{SHEET}", theme::properties(), theme::FIGURE)),
        ]);
        let body = Element::new("body").child(Element::new("main").children(self.body));
        let html = Element::new("html").attr("lang", "en").child(head).child(body);
        format!("<!DOCTYPE html>\n{html}\n")
    }
}

/// An element with text in which what stands between back quotes is code: `` `a[i]` is not declared ``.
pub fn prose(mut element: Element, text: &str) -> Element {
    let mut rest = text;
    while let Some((before, code, after)) = next_code(rest) {
        element.push_text(before);
        element.push(Element::new("code").text(code));
        rest = after;
    }
    element.text(rest)
}

/// The text before a pair of back quotes, between them, and after them.
fn next_code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    Some((before, code, after))
}

/// Which way a column's cells stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table with a header row. Each row's first cell names the row; rows may be shorter than the header.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    head: Element,
    rows: Vec<Element>,
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Table {
        let cell = |(name, align): &(&str, Align)| {
            aligned(Element::new("th"), *align).attr("scope", "col").text(*name)
        };
        let head = Element::new("tr").children(columns.iter().map(cell));
        let columns = columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Table { columns, head, rows: Vec::new() }
    }

    /// Adds a row. What is given for each cell is its content, in an element of any name that is not `th` or `td`. A narrow screen
    /// shows a row as a block, in which each cell has its column's name before it.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Element>) {
        let nameless = (String::new(), Align::Left);
        let columns = self.columns.iter().chain(std::iter::repeat(&nameless));
        let cell = |(i, (content, (name, align))): (usize, (Element, &(String, Align)))| {
            let cell = match (i, name.as_str()) {
                (0, _) => Element::new("th").attr("scope", "row"),
                // A column's name before nothing says nothing.
                (_, "") => Element::new("td"),
                _ if content.is_empty() => return Element::new("td"),
                (_, name) => Element::new("td").attr("data-column", name),
            };
            aligned(cell, *align).child(content)
        };
        let cells = cells.into_iter().zip(columns).enumerate().map(cell);
        self.rows.push(Element::new("tr").children(cells));
    }

    /// The table, which can be scrolled sideways where it is wider than the screen.
    pub fn element(self) -> Element {
        let body = Element::new("tbody").children(self.rows);
        let table = Element::new("table").child(Element::new("thead").child(self.head)).child(body);
        Element::new("div").class("scroll").attr("tabindex", "0").child(table)
    }
}

fn aligned(cell: Element, align: Align) -> Element {
    match align {
        Align::Left => cell,
        Align::Right => cell.class("right"),
    }
}

/// Text in a `span`.
pub fn span(text: impl Into<String>) -> Element {
    Element::new("span").text(text)
}

/// A link within the page.
pub fn link(id: &str, text: impl Into<String>) -> Element {
    Element::new("a").attr("href", format!("#{id}")).text(text)
}

/// A bar that shows a share from 0 to 1 beside the number that says the same.
pub fn share_bar(share: f64) -> Element {
    use crate::svg::{Rect, rect};
    let width = 40.0 * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let bar = |width: f64| rect(Rect { x: 0.0, y: 0.0, width, height: 8.0 });
    let picture = Element::new("svg").class("share").attr("viewBox", "0 0 40 8").attr("aria-hidden", "true");
    picture.child(bar(40.0).class("whole")).child(bar(width).class("part"))
}
