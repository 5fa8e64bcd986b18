//! Shapes, markers and labels, and figures with a title and a description.
//!
//! Lengths are user units of the figure's view box, and text has the same size in all figures. A figure of [`WIDTH`] fills a phone's
//! screen, where a unit is about a pixel. One of [`WIDE`] fills the column of a page on a larger screen; the page's style sheet says
//! which of the two is shown.

use crate::markup::{Element, slug};
use crate::theme;

/// Width of figures: a phone's screen of 320 CSS pixels (WCAG 2.2, success criterion 1.4.10) minus the page's
/// margins.
pub const WIDTH: f64 = 300.0;

/// Width of figures that fill a column of text: in one of 750 CSS pixels, their text is as large as that of the page.
pub const WIDE: f64 = 560.0;

/// Background around a figure that stands alone: a page of another colour does not touch its text.
const BORDER: f64 = 4.0;

/// CSS pixels per unit of a standalone figure, which makes its text slightly larger than a page's text.
const ENLARGED: f64 = 1.5;

/// Distance between the lines of a [`hatching`] along both axes.
const HATCHING: f64 = 4.5;

/// Font size in figures; `figure.css` sets the same size.
pub const TEXT: f64 = 12.0;

/// A point in a figure; y grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The fields are the coordinates.
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Point {
    /// Creates a point.
    pub const fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }
}

/// An axis-parallel rectangle, given by its upper left corner and size.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The fields are corner and size.
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// A rectangle centred at a point.
    pub fn around(center: Point, width: f64, height: f64) -> Rect {
        Rect { x: center.x - width / 2.0, y: center.y - height / 2.0, width, height }
    }

    /// x of the right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// y of the lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The centre.
    pub fn center(&self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Whether the interiors overlap; touching edges do not count.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Whether `other` lies inside this rectangle.
    pub fn contains(&self, other: &Rect) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }
}

/// Formats a coordinate for an attribute: at most two decimals, the same text on every computer.
pub fn coordinate(value: f64) -> String {
    // Adding zero turns negative zero into zero.
    let rounded = libm::round(value * 100.0) / 100.0 + 0.0;
    if rounded.is_finite() { rounded.to_string() } else { "0".to_owned() }
}

/// A line between two points.
pub fn line(from: Point, to: Point) -> Element {
    let ends = Element::new("line").attr("x1", coordinate(from.x)).attr("y1", coordinate(from.y));
    ends.attr("x2", coordinate(to.x)).attr("y2", coordinate(to.y))
}

/// A line with a head at its end.
pub fn arrow(from: Point, to: Point) -> Element {
    let (right, down) = (to.x - from.x, to.y - from.y);
    let length = libm::sqrt(right * right + down * down).max(f64::MIN_POSITIVE);
    let at = |back: f64, aside: f64| {
        let (along, across) = (-back / length, aside / length);
        Point::new(to.x + along * right - across * down, to.y + along * down + across * right)
    };
    let head = polygon(&[to, at(7.0, 3.5), at(7.0, -3.5)]).class("head");
    group([line(from, at(6.0, 0.0)).class("axis"), head])
}

/// A line through points.
pub fn polyline(points: &[Point]) -> Element {
    Element::new("polyline").attr("points", list(points))
}

/// An area with these corners.
pub fn polygon(points: &[Point]) -> Element {
    Element::new("polygon").attr("points", list(points))
}

fn list(points: &[Point]) -> String {
    let pairs: Vec<String> =
        points.iter().map(|p| format!("{},{}", coordinate(p.x), coordinate(p.y))).collect();
    pairs.join(" ")
}

/// A rectangle.
pub fn rect(area: Rect) -> Element {
    let corner = Element::new("rect").attr("x", coordinate(area.x)).attr("y", coordinate(area.y));
    corner.attr("width", coordinate(area.width)).attr("height", coordinate(area.height))
}

/// Parallel diagonals that fill an area, a look that is distinct without colour.
pub fn hatching(area: Rect) -> Element {
    let Rect { x, y, width, height } = area;
    let count = libm::ceil((width + height) / HATCHING) as u32;
    // On each diagonal, the distances from the left edge and from the upper edge add up to `sum`.
    let diagonal = |sum: f64| {
        let (low, high) = ((sum - height).max(0.0), sum.min(width));
        let [from, to] = [low, high].map(|right| (coordinate(x + right), coordinate(y + sum - right)));
        format!("M{} {}L{} {}", from.0, from.1, to.0, to.1)
    };
    let path: String = (0..count).map(|i| diagonal(HATCHING * (f64::from(i) + 0.5))).collect();
    Element::new("path").attr("d", path).class("hatching")
}

/// Groups elements.
pub fn group(children: impl IntoIterator<Item = Element>) -> Element {
    Element::new("g").children(children)
}

/// Which part of a label lies at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

/// Text whose base line starts, ends or is centred at `at`.
pub fn label(at: Point, anchor: Anchor, text: &str) -> Element {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let element = Element::new("text").attr("x", coordinate(at.x)).attr("y", coordinate(at.y));
    element.attr("text-anchor", anchor).text(text)
}

/// Estimated width of text of size [`TEXT`]. The estimate is rather too large, because fonts differ between systems.
pub fn text_width(text: &str) -> f64 {
    let of = |c: char| match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | '\'' | '|' | '\u{202f}' => 0.36,
        'm' | 'w' | 'M' | 'W' => 0.95,
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻' => 0.45,
        _ if c.is_ascii_uppercase() => 0.74,
        _ if c.is_ascii() => 0.63,
        _ => 1.0,
    };
    TEXT * text.chars().map(of).sum::<f64>()
}

/// Cuts text to a width.
pub fn fit(text: &str, width: f64) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        cut.push(c);
        if text_width(&cut) + text_width("…") > width {
            cut.pop();
            break;
        }
    }
    cut + "…"
}

/// Breaks text at blanks into lines of at most `width`; cuts a single word that is wider.
///
/// ```
/// assert_eq!(figure::svg::wrap("one two  three", 60.0), ["one two", "three"]);
/// ```
pub fn wrap(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = fit(word, width);
        match lines.last_mut() {
            Some(line) if text_width(line) + text_width(" ") + text_width(&word) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// Height of a line of text.
pub const LINE: f64 = 1.2 * TEXT;

/// Marker of a series. Markers differ in shape and fill, in addition to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A filled disc, series 1.
    Disc,
    /// A hollow square, series 2.
    Square,
    /// A filled triangle, series 3.
    Triangle,
    /// A hollow diamond, series 4.
    Diamond,
    /// A cross, series 5.
    Cross,
    /// A hollow triangle on its tip, series 6.
    Wedge,
}

impl Marker {
    /// Every marker, in the order of series.
    pub const ALL: [Marker; 6] =
        [Marker::Disc, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross, Marker::Wedge];

    /// The marker of a series (0-based). The seventh series reuses the first marker.
    pub fn of(series: usize) -> Marker {
        Marker::ALL[series % Marker::ALL.len()]
    }

    /// Draws the marker at a point, `size` wide.
    pub fn draw(self, at: Point, size: f64) -> Element {
        let half = size / 2.0;
        let corner = |x: f64, y: f64| Point::new(at.x + x * half, at.y + y * half);
        match self {
            Marker::Disc => {
                let center = Element::new("circle").attr("cx", coordinate(at.x)).attr("cy", coordinate(at.y));
                center.attr("r", coordinate(half)).class("marker series-1")
            }
            Marker::Square => rect(Rect::around(at, 0.88 * size, 0.88 * size)).class("marker series-2"),
            Marker::Triangle => {
                polygon(&[corner(0.0, -1.0), corner(1.0, 0.8), corner(-1.0, 0.8)]).class("marker series-3")
            }
            Marker::Diamond => {
                polygon(&[corner(0.0, -1.2), corner(1.2, 0.0), corner(0.0, 1.2), corner(-1.2, 0.0)])
                    .class("marker series-4")
            }
            Marker::Cross => group([
                line(corner(-1.0, -1.0), corner(1.0, 1.0)),
                line(corner(-1.0, 1.0), corner(1.0, -1.0)),
            ])
            .class("marker series-1"),
            Marker::Wedge => {
                polygon(&[corner(0.0, 1.0), corner(1.0, -0.8), corner(-1.0, -0.8)]).class("marker series-2")
            }
        }
    }

    /// The marker as a small picture of its own, to put before a series' name in text.
    pub fn key(self) -> Element {
        let picture = Element::new("svg").class("figure key").attr("viewBox", "0 0 16 16");
        picture.attr("aria-hidden", "true").child(self.draw(Point::new(8.0, 8.0), 10.0))
    }
}

/// The XML namespace of SVG, which a standalone picture must declare.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// A picture with a title and a description in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Part of `id` attributes: unique within a page.
    pub id: String,
    /// A short title.
    pub title: String,
    /// Description for screen readers: the picture's numbers in sentences.
    pub description: String,
    /// What a reader of the picture needs beside its title: what its lines and numbers stand for. It is not in the drawing.
    pub caption: String,
    /// Width in user units.
    pub width: f64,
    /// Height in user units.
    pub height: f64,
    /// The drawn elements, from back to front.
    pub body: Vec<Element>,
}

impl Figure {
    /// Converts to an element of an HTML page whose style sheet defines the colours.
    pub fn inline(self) -> Element {
        let id = slug(&self.id);
        let (title, description) = (format!("{id}-title"), format!("{id}-description"));
        Element::new("svg")
            .class("figure")
            .attr("viewBox", format!("0 0 {} {}", coordinate(self.width), coordinate(self.height)))
            .attr("role", "img")
            .attr("aria-labelledby", format!("{title} {description}"))
            .child(Element::new("title").attr("id", title).text(self.title))
            .child(Element::new("desc").attr("id", description).text(self.description))
            .children(self.body)
    }

    /// Converts to a standalone SVG file.
    pub fn document(mut self) -> String {
        self.body.insert(0, theme::figure_sheet());
        let (width, height) = (self.width + 2.0 * BORDER, self.height + 2.0 * BORDER);
        let back = rect(Rect { x: -BORDER, y: -BORDER, width, height }).class("back");
        self.body.insert(1, back);
        let [x, y, across, down] = [-BORDER, -BORDER, width, height].map(coordinate);
        let sized = self.inline().attr("viewBox", format!("{x} {y} {across} {down}"));
        let sized =
            sized.attr("width", coordinate(ENLARGED * width)).attr("height", coordinate(ENLARGED * height));
        format!("{}\n", sized.attr("xmlns", NAMESPACE))
    }

    /// Converts to the text of an element for a page that includes the style sheet [`theme::embedded`]. The text is
    /// also well-formed XML.
    pub fn fragment(self) -> String {
        self.inline().attr("xmlns", NAMESPACE).to_string()
    }
}
