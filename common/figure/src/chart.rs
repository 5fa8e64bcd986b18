//! Logarithmic axes whose tick labels do not collide, log-log plots, and bars against a limit.

use crate::markup::Element;
use crate::number;
use crate::svg::{self, Anchor, LINE, Point, Rect, TEXT, WIDTH, coordinate, fit, label, text_width};

/// A range of whole decades for a logarithmic axis, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decades {
    /// Exponent of the lower end.
    low: i32,
    /// Exponent of the upper end, above `low`.
    high: i32,
}

impl Decades {
    /// The smallest range that covers every positive finite value. Ignores other values; `None` if no value is left.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Option<Decades> {
        let logs = values.into_iter().filter(|v| v.is_finite() && *v > 0.0).map(libm::log10);
        let (low, high) = logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = (libm::floor(low) as i32, libm::ceil(high) as i32);
        (low <= high).then(|| Decades { low, high: high.max(low + 1) })
    }

    /// The value at the lower end.
    pub fn lowest(self) -> f64 {
        libm::exp10(f64::from(self.low)).max(f64::MIN_POSITIVE)
    }

    fn count(self) -> f64 {
        f64::from(self.high - self.low)
    }
}

/// A logarithmic axis from one coordinate to another.
#[derive(Clone, Copy, Debug)]
pub struct LogAxis {
    /// The range of values.
    pub decades: Decades,
    /// Coordinate of the lower end.
    pub start: f64,
    /// Coordinate of the upper end; smaller than `start` on an axis that points up.
    pub end: f64,
}

/// A labelled position on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Its coordinate.
    pub at: f64,
    /// Its text.
    pub label: String,
}

/// Densities of labels, densest first: which digits of a decade are labelled, and every how many decades.
const LEVELS: [(&[u32], i32); 9] = [
    (&[1, 2, 5], 1),
    (&[1], 1),
    (&[1], 2),
    (&[1], 3),
    (&[1], 5),
    (&[1], 10),
    (&[1], 20),
    (&[1], 50),
    (&[1], 100),
];

impl LogAxis {
    /// The coordinate of a positive value.
    pub fn position(&self, value: f64) -> f64 {
        self.at(libm::log10(value))
    }

    /// The coordinate of a power of ten.
    fn at(&self, exponent: f64) -> f64 {
        let share = (exponent - f64::from(self.decades.low)) / self.decades.count();
        self.start + share * (self.end - self.start)
    }

    /// Coordinates of the powers of ten; empty if they are too close to distinguish.
    pub fn powers(&self) -> Vec<f64> {
        let Decades { low, high } = self.decades;
        let apart = (self.end - self.start).abs() / self.decades.count();
        if apart < 5.0 {
            return Vec::new();
        }
        (low..=high).map(|exponent| self.at(f64::from(exponent))).collect()
    }

    /// Labelled ticks at the densest level that fits, with at least `gap` between labels. `extent` returns a label's
    /// length along the axis.
    pub fn ticks(&self, gap: f64, extent: impl Fn(&str) -> f64) -> Vec<Tick> {
        let fits = |ticks: &Vec<Tick>| {
            let apart = ticks.windows(2).all(|pair| {
                let room = (extent(&pair[0].label) + extent(&pair[1].label)) / 2.0 + gap;
                (pair[1].at - pair[0].at).abs() >= room
            });
            apart && !ticks.is_empty()
        };
        let mut levels = LEVELS.iter().map(|(digits, step)| self.level(digits, *step));
        levels.find(fits).unwrap_or_else(|| vec![self.tick(1, self.decades.low)])
    }

    fn tick(&self, digit: u32, exponent: i32) -> Tick {
        let at = self.at(f64::from(exponent) + libm::log10(f64::from(digit)));
        Tick { at, label: number::decimal(digit, exponent) }
    }

    fn level(&self, digits: &[u32], step: i32) -> Vec<Tick> {
        let Decades { low, high } = self.decades;
        let exponents = (low..=high).filter(|e| e.rem_euclid(step) == 0);
        let ticks = exponents.flat_map(|exponent| {
            let last = exponent == high;
            let shown = if last { 1 } else { digits.len() };
            digits.iter().take(shown).map(move |digit| self.tick(*digit, exponent))
        });
        ticks.collect()
    }
}

/// Space between tick labels along an axis.
const GAP: f64 = 6.0;

/// A frame of two logarithmic axes with grid, ticks and titles.
#[derive(Clone, Debug)]
pub struct LogLog {
    /// From left to right.
    pub x: LogAxis,
    /// From bottom to top.
    pub y: LogAxis,
    x_title: String,
    y_title: String,
    width: f64,
}

/// Height above the plot, for the title of the y axis and for a label at a point that touches the top.
const TOP: f64 = 36.0;

impl LogLog {
    /// A frame for a figure of a width, `height` high from the first to the last power of ten.
    pub fn new(x: (Decades, &str), y: (Decades, &str), [width, height]: [f64; 2]) -> LogLog {
        let y_axis = LogAxis { decades: y.0, start: TOP + height, end: TOP };
        let widest = y_axis.ticks(GAP, |_| TEXT).iter().map(|t| text_width(&t.label)).fold(0.0, f64::max);
        let (start, most) = (widest + 8.0, width - 8.0);
        // The last label is centred at the axis's end and must stay within the figure.
        let axis = |end| LogAxis { decades: x.0, start, end };
        let last = axis(most).ticks(GAP, text_width).pop().map_or(0.0, |t| text_width(&t.label));
        let x_axis = axis(most.min(width - last / 2.0));
        LogLog { x: x_axis, y: y_axis, x_title: x.1.to_owned(), y_title: y.1.to_owned(), width }
    }

    /// The plot area between the axes.
    pub fn area(&self) -> Rect {
        let (width, height) = (self.x.end - self.x.start, self.y.start - self.y.end);
        Rect { x: self.x.start, y: self.y.end, width, height }
    }

    /// The height of a figure that holds the frame.
    pub fn height(&self) -> f64 {
        self.y.start + 2.5 * LINE
    }

    /// The point of two positive values.
    pub fn at(&self, x: f64, y: f64) -> Point {
        Point::new(self.x.position(x), self.y.position(y))
    }

    /// Labels of the x axis with the area that each covers.
    pub fn x_labels(&self) -> Vec<(Rect, Tick)> {
        let line = self.y.start + 0.9 * LINE;
        let ticks = self.x.ticks(GAP, text_width).into_iter();
        ticks.map(|t| (Rect::around(Point::new(t.at, line), text_width(&t.label), TEXT), t)).collect()
    }

    /// Labels of the y axis with the area that each covers.
    pub fn y_labels(&self) -> Vec<(Rect, Tick)> {
        let cover = |t: &Tick| {
            let width = text_width(&t.label);
            Rect { x: self.x.start - 6.0 - width, y: t.at - TEXT / 2.0, width, height: TEXT }
        };
        self.y.ticks(GAP, |_| TEXT).into_iter().map(|t| (cover(&t), t)).collect()
    }

    /// Draws grid, axes, labels and titles.
    pub fn draw(&self) -> Vec<Element> {
        let area = self.area();
        let (left, right, top, bottom) = (area.x, area.right(), area.y, area.bottom());
        let mut parts = Vec::new();
        let vertical = |x: f64| svg::line(Point::new(x, top), Point::new(x, bottom)).class("grid");
        let level = |y: f64| svg::line(Point::new(left, y), Point::new(right, y)).class("grid");
        parts.extend(self.x.powers().into_iter().map(vertical));
        parts.extend(self.y.powers().into_iter().map(level));
        parts.push(
            svg::polyline(&[Point::new(left, top), Point::new(left, bottom), Point::new(right, bottom)])
                .class("axis"),
        );
        for (area, tick) in self.x_labels() {
            parts.push(
                svg::line(Point::new(tick.at, bottom), Point::new(tick.at, bottom + 4.0)).class("axis"),
            );
            let base = Point::new(tick.at, area.bottom() - 0.15 * TEXT);
            parts.push(label(base, Anchor::Middle, &tick.label).class("muted"));
        }
        for (area, tick) in self.y_labels() {
            parts.push(svg::line(Point::new(left - 4.0, tick.at), Point::new(left, tick.at)).class("axis"));
            let base = Point::new(area.right(), area.bottom() - 0.15 * TEXT);
            parts.push(label(base, Anchor::End, &tick.label).class("muted"));
        }
        parts.push(label(Point::new(0.0, TEXT), Anchor::Start, &self.y_title));
        let base = Point::new(self.width, self.y.start + 2.2 * LINE);
        parts.push(label(base, Anchor::End, &self.x_title));
        parts
    }
}

/// A bar with its name and value.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The name, written above the bar.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// The value with its unit.
    pub text: String,
    /// Whether to draw it hollow, as the baseline that other bars are compared with.
    pub is_hollow: bool,
}

/// Draws horizontal bars from zero and a line at `limit`. Returns the elements and their height.
pub fn bars(bars: &[Bar], limit: f64, limit_text: &str) -> (Vec<Element>, f64) {
    let largest = bars.iter().map(|b| b.value).fold(limit, f64::max);
    let length =
        |value: f64| if largest > 0.0 { (WIDTH - 4.0) * (value / largest).clamp(0.0, 1.0) } else { 0.0 };
    let each = 2.9 * LINE;
    let top = 1.5 * LINE;
    let height = top + each * bars.len() as f64;
    let mut parts = Vec::new();
    for (i, bar) in bars.iter().enumerate() {
        let y = top + each * i as f64;
        let room = WIDTH - text_width(&bar.text) - text_width(": ");
        let text = format!("{}: {}", fit(&bar.name, room), bar.text);
        parts.push(label(Point::new(0.0, y + LINE), Anchor::Start, &text));
        let area = Rect { x: 1.0, y: y + 1.4 * LINE, width: length(bar.value), height: LINE };
        parts.push(svg::rect(area).class(if bar.is_hollow { "bar-2" } else { "bar-1" }));
    }
    let x = 1.0 + length(limit);
    parts.push(svg::line(Point::new(x, top), Point::new(x, height)).class("limit"));
    let anchor = if x > WIDTH / 2.0 { Anchor::End } else { Anchor::Start };
    parts.push(label(Point::new(x, TEXT), anchor, limit_text).class("muted"));
    (parts, height)
}

/// Height of the highest column of a histogram.
const COLUMN: f64 = 100.0;

/// Draws a histogram: columns side by side with the count above each, over an axis with a label at each end. Returns
/// the elements and their height.
pub fn histogram(counts: &[u64], ends: [&str; 2]) -> (Vec<Element>, f64) {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let each = WIDTH / counts.len().max(1) as f64;
    let base = LINE + COLUMN;
    let mut parts = Vec::new();
    for (i, count) in counts.iter().enumerate() {
        let height = COLUMN * (*count as f64 / most as f64);
        let (x, y) = (each * i as f64, base - height);
        parts.push(svg::rect(Rect { x: x + 1.0, y, width: each - 2.0, height }).class("bar-1"));
        let number = fit(&number::count(*count), each);
        parts.push(label(Point::new(x + each / 2.0, y - 3.0), Anchor::Middle, &number));
    }
    parts.push(svg::line(Point::new(0.0, base), Point::new(WIDTH, base)).class("axis"));
    let below = base + 1.1 * LINE;
    parts.push(label(Point::new(0.0, below), Anchor::Start, ends[0]).class("muted"));
    parts.push(label(Point::new(WIDTH, below), Anchor::End, ends[1]).class("muted"));
    (parts, below + 0.3 * LINE)
}

/// Rotates a label about its base point, for text along a line.
pub(crate) fn turned(element: Element, at: Point, degrees: f64) -> Element {
    let turn = format!("rotate({} {} {})", coordinate(degrees), coordinate(at.x), coordinate(at.y));
    element.attr("transform", turn)
}
