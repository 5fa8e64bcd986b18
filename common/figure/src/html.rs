//! An HTML page in one file that loads nothing and runs no script.
//!
//! The page's own policy (`Content-Security-Policy`) forbids scripts, frames, forms and every request. It is a second
//! defence: [`markup`](crate::markup) already prevents that text becomes markup.

use crate::markup::Element;
use crate::theme;

/// The policy: the page may apply its own style sheet and show images embedded in it, and nothing else.
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Layout and colours of pages.
const SHEET: &str = include_str!("page.css");

/// The parts of a page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The window's title.
    pub title: String,
    /// Its elements, in order.
    pub body: Vec<Element>,
}

impl Page {
    /// The page as HTML text.
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

/// Adds text to an element. Text between back quotes becomes `code` elements: `` `a[i]` is not declared ``.
pub fn prose(mut element: Element, text: &str) -> Element {
    let mut rest = text;
    while let Some((before, code, after)) = next_code(rest) {
        element.push_text(before);
        element.push(Element::new("code").text(code));
        rest = after;
    }
    element.text(rest)
}

/// Splits text at its first pair of back quotes: the text before, between and after them.
fn next_code(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    Some((before, code, after))
}

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// For text.
    Left,
    /// For numbers.
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

    /// Adds a row. Each element of `cells` holds the content of one cell; its own name must not be `th` or `td`. On a
    /// narrow screen a row becomes a block, and each cell shows its column's name before the content.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Element>) {
        let nameless = (String::new(), Align::Left);
        let columns = self.columns.iter().chain(std::iter::repeat(&nameless));
        let cell = |(i, (content, (name, align))): (usize, (Element, &(String, Align)))| {
            let cell = match (i, name.as_str()) {
                (0, _) => Element::new("th").attr("scope", "row"),
                // An empty cell does not show its column's name.
                (_, "") => Element::new("td"),
                _ if content.is_empty() => return Element::new("td"),
                (_, name) => Element::new("td").attr("data-column", name),
            };
            aligned(cell, *align).child(content)
        };
        let cells = cells.into_iter().zip(columns).enumerate().map(cell);
        self.rows.push(Element::new("tr").children(cells));
    }

    /// The table. If it is wider than the screen, it scrolls sideways.
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

/// A `span` element with this text.
pub fn span(text: impl Into<String>) -> Element {
    Element::new("span").text(text)
}

/// A link to the element with this `id` in the page.
pub fn link(id: &str, text: impl Into<String>) -> Element {
    Element::new("a").attr("href", format!("#{id}")).text(text)
}

/// A bar for a share from 0 to 1, drawn beside the number.
pub fn share_bar(share: f64) -> Element {
    use crate::svg::{Rect, rect};
    let width = 40.0 * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let bar = |width: f64| rect(Rect { x: 0.0, y: 0.0, width, height: 8.0 });
    let picture = Element::new("svg").class("share").attr("viewBox", "0 0 40 8").attr("aria-hidden", "true");
    picture.child(bar(40.0).class("whole")).child(bar(width).class("part"))
}
