//! Draws elements of memory, threads and banks as cells, and builds pictures from top to bottom.

use crate::markup::Element;
use crate::svg::{
    Anchor, Figure, LINE, Point, Rect, TEXT, WIDTH, group, hatching, label, rect, text_width, wrap,
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

    /// Writes a short text in the middle of the area of cells.
    pub fn text(&self, at: [i64; 2], size: [i64; 2], text: &str) -> Element {
        let center = self.area(at, size).center();
        label(Point::new(center.x, center.y + 0.35 * TEXT), Anchor::Middle, text)
    }
}

/// A picture that grows from top to bottom.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    body: Vec<Element>,
    y: f64,
}

impl Sheet {
    /// The height used so far; the next part starts here.
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
        self.text_at(0.0, WIDTH, text);
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
            if x > 0.0 && x + width > WIDTH {
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
            height: self.y + 4.0,
            body: self.body,
        }
    }
}
