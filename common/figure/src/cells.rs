//! Draws elements of memory, threads and banks as cells, and builds pictures from top to bottom.

use crate::markup::Element;
use crate::svg::{
    Anchor, Figure, LINE, Point, Rect, TEXT, WIDTH, coordinate, group, hatching, label, rect, text_width,
    wrap,
};

/// How a cell is filled. The looks can be distinguished without colour: empty, filled, hatched, or with a number
/// inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A faint border, empty inside.
    Unused,
    /// A border, empty inside.
    Plain,
    /// Filled with a strong colour; text on it would not be legible.
    Solid,
    /// Filled with parallel lines; text on it would not be legible.
    Hatched,
    /// Filled with a light colour; text on it is legible.
    Tinted,
    /// Filled with another light colour; text on it is legible.
    Strong,
}

impl Look {
    /// Draws a cell with this look.
    pub fn cell(self, area: Rect) -> Element {
        match self {
            Look::Unused => rect(area).class("unused"),
            Look::Plain => rect(area).class("cell"),
            Look::Solid => rect(area).class("solid"),
            Look::Tinted => rect(area).class("tint"),
            Look::Strong => rect(area).class("strong"),
            Look::Hatched => group([hatching(area), rect(area).class("cell")]),
        }
    }
}

/// A grid of square cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Its upper left corner.
    pub corner: Point,
    /// Length of a cell's side.
    pub side: f64,
}

impl Grid {
    /// The area of `rows` × `columns` cells whose upper left cell is at `row`, `column`. Both may be negative, for
    /// cells left of or above `corner`.
    pub fn area(&self, [row, column]: [i64; 2], [rows, columns]: [i64; 2]) -> Rect {
        let [x, y] = [column, row].map(|n| self.side * n as f64);
        let [width, height] = [columns, rows].map(|n| self.side * n as f64);
        Rect { x: self.corner.x + x, y: self.corner.y + y, width, height }
    }

    /// Draws one cell.
    pub fn cell(&self, at: [i64; 2], look: Look) -> Element {
        look.cell(self.area(at, [1, 1]))
    }

    /// Some cells from the first one on, each with the look that it has.
    pub fn cells(&self, size: [i64; 2], look: impl Fn([i64; 2]) -> Look) -> Vec<Element> {
        let all = (0..size[0]).flat_map(|row| (0..size[1]).map(move |column| [row, column]));
        let looks: Vec<([i64; 2], Look)> = all.map(|at| (at, look(at))).collect();
        let is_unused = |(_, look): &&([i64; 2], Look)| *look == Look::Unused;
        // One path for the borders of all unused cells, which may be hundreds.
        let borders = looks.iter().find(is_unused).map(|_| self.borders(size));
        let others = looks.iter().filter(|one| !is_unused(one)).map(|(at, look)| self.cell(*at, *look));
        borders.into_iter().chain(others).collect()
    }

    /// Faint lines around each of some cells.
    fn borders(&self, [rows, columns]: [i64; 2]) -> Element {
        let area = self.area([0, 0], [rows, columns]);
        let [left, top, right, bottom] = [area.x, area.y, area.right(), area.bottom()].map(coordinate);
        let at = |start: f64, nth: i64| coordinate(start + self.side * nth as f64);
        let across = (0..=rows).map(|row| format!("M{left} {}H{right}", at(area.y, row)));
        let down = (0..=columns).map(|column| format!("M{} {top}V{bottom}", at(area.x, column)));
        Element::new("path").attr("d", across.chain(down).collect::<String>()).class("unused")
    }

    /// A short text in the middle of some cells.
    pub fn text(&self, at: [i64; 2], size: [i64; 2], text: &str) -> Element {
        let center = self.area(at, size).center();
        label(Point::new(center.x, center.y + 0.35 * TEXT), Anchor::Middle, text)
    }
}

/// A box with lines of text in its middle.
pub fn boxed(area: Rect, look: Look, lines: &[impl AsRef<str>]) -> Vec<Element> {
    let center = area.center();
    let first = center.y - LINE * lines.len() as f64 / 2.0 + 0.95 * TEXT;
    let at = |number: usize| Point::new(center.x, first + LINE * number as f64);
    let texts = lines.iter().enumerate();
    let texts = texts.map(|(number, text)| label(at(number), Anchor::Middle, text.as_ref()));
    std::iter::once(look.cell(area)).chain(texts).collect()
}

/// A picture that grows from top to bottom.
#[derive(Clone, Debug)]
pub struct Sheet {
    body: Vec<Element>,
    caption: String,
    width: f64,
    y: f64,
}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet::of(WIDTH)
    }
}

impl Sheet {
    /// An empty one of a width.
    pub fn of(width: f64) -> Sheet {
        Sheet { body: Vec::new(), caption: String::new(), width, y: 0.0 }
    }

    /// Its width.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// The height that is taken so far, where the next part begins.
    pub fn y(&self) -> f64 {
        self.y
    }

    /// Moves the start of the next part down by `height`.
    pub fn skip(&mut self, height: f64) {
        self.y += height;
    }

    /// Adds elements without moving the start of the next part.
    pub fn draw(&mut self, elements: impl IntoIterator<Item = Element>) {
        self.body.extend(elements);
    }

    /// Returns the drawn elements and drops the height.
    pub fn into_body(self) -> Vec<Element> {
        self.body
    }

    /// Adds a paragraph over the whole width.
    pub fn text(&mut self, text: &str) {
        self.text_at(0.0, self.width, text);
    }

    /// A sentence of the caption.
    pub fn caption(&mut self, text: &str) {
        self.caption.push_str(if self.caption.is_empty() { "" } else { " " });
        self.caption.push_str(text);
    }

    /// Adds a paragraph that starts at `x` and is at most `width` wide.
    pub fn text_at(&mut self, x: f64, width: f64, text: &str) {
        for line in wrap(text, width) {
            self.body.push(label(Point::new(x, self.y + TEXT), Anchor::Start, &line));
            self.y += LINE;
        }
        self.y += 3.0;
    }

    /// Adds a legend: each look with its meaning, as many beside each other as fit.
    pub fn key(&mut self, entries: &[(Look, &str)]) {
        let mut x = 0.0;
        for (look, text) in entries {
            let width = TEXT + 5.0 + text_width(text);
            if x > 0.0 && x + width > self.width {
                (x, self.y) = (0.0, self.y + 1.2 * LINE);
            }
            let area = Rect { x: x + 1.0, y: self.y + 2.0, width: TEXT - 2.0, height: TEXT - 2.0 };
            self.body.push(look.cell(area));
            self.body.push(label(Point::new(x + TEXT + 5.0, self.y + TEXT - 1.0), Anchor::Start, text));
            x += width + 10.0;
        }
        self.y += 1.4 * LINE;
    }

    /// Finishes the picture as a [`Figure`].
    pub fn figure(self, id: &str, title: &str, description: impl Into<String>) -> Figure {
        Figure {
            id: id.to_owned(),
            title: title.to_owned(),
            description: description.into(),
            caption: self.caption,
            width: self.width,
            height: self.y + 4.0,
            body: self.body,
        }
    }
}
