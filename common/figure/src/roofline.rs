//! Draws a roofline: attainable rate over arithmetic intensity, with kernels as points below it.
//!
//! After Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for multicore
//! architectures" (2009). Intensity is floating-point operations of the algorithm per compulsory byte. So all
//! versions of one algorithm stand above each other, and the distance of a kernel to the roof is lost time. One
//! picture never mixes modelled and measured times.

use crate::chart::{Decades, LogLog, turned};
use crate::markup::Element;
use crate::number::{scaled, short};
use crate::place::{self, Request};
use crate::svg::{
    Anchor, Figure, LINE, Marker, Point, Rect, TEXT, WIDTH, fit, label, line, polyline, text_width,
};

/// A kernel in the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The text of its label.
    pub name: String,
    /// Floating-point operations per byte.
    pub intensity: f64,
    /// Floating-point operations per second.
    pub rate: f64,
}

/// The data of a roofline: the device's two limits, and kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// Part of `id` attributes: unique within a page.
    pub id: String,
    /// The device's name.
    pub device: String,
    /// Source of the device's numbers.
    pub source: String,
    /// Bandwidth of device memory in bytes per second.
    pub bandwidth: f64,
    /// Single-precision operations per second.
    pub peak: f64,
    /// Kind of time behind the rates, such as `modelled (h200)` or `measured`.
    pub basis: String,
    /// The kernels; their order determines their markers.
    pub kernels: Vec<Kernel>,
}

/// Height of the plot.
const HEIGHT: f64 = 190.0;

/// Width of a marker.
const MARKER: f64 = 10.0;

impl Roofline {
    /// Maximum rate of the device at an intensity: the lower of the two roofs.
    pub fn attainable(&self, intensity: f64) -> f64 {
        (intensity * self.bandwidth).min(self.peak)
    }

    /// The intensity at which the bandwidth roof meets the peak.
    pub fn ridge(&self) -> f64 {
        self.peak / self.bandwidth
    }

    /// The kernels with positive finite values, which a logarithmic scale can show, with their indices.
    fn shown(&self) -> impl Iterator<Item = (usize, &Kernel)> {
        let positive = |v: f64| v.is_finite() && v > 0.0;
        self.kernels.iter().enumerate().filter(move |(_, k)| positive(k.intensity) && positive(k.rate))
    }

    /// The picture; `None` if there is no kernel or no valid roof.
    pub fn figure(&self) -> Option<Figure> {
        self.figure_of(WIDTH)
    }

    /// The same, of another width.
    pub fn figure_of(&self, width: f64) -> Option<Figure> {
        let ridge = Some(self.ridge()).filter(|r| r.is_finite() && *r > 0.0 && self.bandwidth > 0.0)?;
        self.shown().next()?;
        // Extend the axis so that each roof is visible for at least half a decade.
        let x = Decades::around(self.shown().map(|(_, k)| k.intensity).chain([ridge / 3.0, ridge * 3.0]))?;
        let y = Decades::around(
            self.shown().map(|(_, k)| k.rate * 1e-9).chain([self.peak * 1e-9, self.peak * 2e-10]),
        )?;
        let frame = LogLog::new((x, "FLOP per byte"), (y, "GFLOPS"), [width, HEIGHT]);
        let mut body = frame.draw();
        let mut obstacles = self.roofs(&frame, &mut body);
        self.points(&frame, width, &mut obstacles, &mut body);
        Some(Figure {
            id: format!("{}-roofline", self.id),
            title: format!("Roofline of {}, {}", self.device, self.basis),
            description: self.description(),
            caption: String::new(),
            width,
            height: frame.height(),
            body,
        })
    }

    /// Draws the roofs with their labels, and returns the areas that other labels must keep clear.
    fn roofs(&self, frame: &LogLog, body: &mut Vec<Element>) -> Vec<Rect> {
        let area = frame.area();
        let ridge = frame.at(self.ridge(), self.peak * 1e-9);
        let lowest = frame.y.decades.lowest();
        // Where the bandwidth roof enters the plot: at its left edge or at its bottom.
        let first = (lowest * 1e9 / self.bandwidth).max(frame.x.decades.lowest());
        let foot = frame.at(first, first * self.bandwidth * 1e-9);
        body.push(polyline(&[foot, ridge, Point::new(area.right(), ridge.y)]).class("roof"));
        let peak = scaled(self.peak, "FLOPS");
        let at = Point::new(area.right(), ridge.y - 5.0);
        body.push(label(at, Anchor::End, &peak));
        let (width, height) = (text_width(&peak), TEXT);
        let mut obstacles = vec![Rect { x: at.x - width, y: at.y - height, width, height }];
        let bandwidth = scaled(self.bandwidth, "B/s");
        let (rise, run) = (foot.y - ridge.y, ridge.x - foot.x);
        let length = libm::sqrt(rise * rise + run * run);
        let half = text_width(&bandwidth) / 2.0;
        // Centre of the label as a fraction of the line, far enough from the axis.
        let middle = 0.5_f64.max((half + 14.0) / length).min(1.0);
        let up = Point::new(-rise / length, -run / length);
        let along = |share: f64, off: f64| {
            Point::new(foot.x + share * run + off * up.x, foot.y - share * rise + off * up.y)
        };
        let base = along(middle, 5.0);
        let turn = -libm::atan2(rise, run).to_degrees();
        body.push(turned(label(base, Anchor::Middle, &bandwidth), base, turn));
        obstacles.extend(along_line(foot, ridge).chain(along_line(ridge, Point::new(area.right(), ridge.y))));
        let steps = 12;
        obstacles.extend((0..=steps).map(|i| {
            let share = middle + (f64::from(i) / f64::from(steps) * 2.0 - 1.0) * half / length;
            Rect::around(along(share, 5.0 + TEXT / 2.0), TEXT, TEXT)
        }));
        obstacles
    }

    /// Draws the kernels with labels.
    fn points(&self, frame: &LogLog, width: f64, obstacles: &mut Vec<Rect>, body: &mut Vec<Element>) {
        let at = |kernel: &Kernel| frame.at(kernel.intensity, kernel.rate * 1e-9);
        let name = |kernel: &Kernel| fit(&kernel.name, 0.5 * width);
        obstacles.extend(self.shown().map(|(_, k)| Rect::around(at(k), MARKER + 4.0, MARKER + 4.0)));
        let requests: Vec<Request> = self
            .shown()
            .map(|(_, k)| Request { point: at(k), width: text_width(&name(k)), height: LINE })
            .collect();
        let bounds = Rect { width: width - frame.area().x, ..frame.area() };
        let places = place::place(&requests, obstacles, bounds);
        for (request, end) in requests.iter().zip(&places).filter_map(|(r, p)| Some((r, (*p)?.leader?))) {
            body.push(line(request.point, end).class("leader"));
        }
        for ((i, kernel), placed) in self.shown().zip(&places) {
            body.push(Marker::of(i).draw(at(kernel), MARKER));
            if let Some(placed) = placed {
                let base = Point::new(placed.area.x, placed.area.bottom() - 0.25 * TEXT);
                body.push(label(base, Anchor::Start, &name(kernel)).class("halo"));
            }
        }
    }

    fn description(&self) -> String {
        let mut text = format!(
            "Both axes are logarithmic. The bound rises with {} of device memory up to {} FLOP per byte, and is {} from there on. \
             Numbers of the device: {}.",
            scaled(self.bandwidth, "B/s"),
            short(self.ridge()),
            scaled(self.peak, "FLOPS"),
            self.source
        );
        for (_, kernel) in self.shown() {
            text.push(' ');
            text.push_str(&self.sentence(kernel));
        }
        text
    }

    /// A sentence about a kernel: its rate, intensity and attainable rate.
    pub fn sentence(&self, kernel: &Kernel) -> String {
        let bound = self.attainable(kernel.intensity);
        format!(
            "{}: {} {} at {} FLOP per byte, {:.1} % of the bound of {}.",
            kernel.name,
            scaled(kernel.rate, "FLOPS"),
            self.basis,
            short(kernel.intensity),
            100.0 * kernel.rate / bound,
            scaled(bound, "FLOPS"),
        )
    }

    /// The legend: a list item per kernel with its marker and sentence.
    pub fn key(&self) -> Vec<Element> {
        let item = |(i, kernel): (usize, &Kernel)| {
            Element::new("li").child(Marker::of(i).key()).text(format!(" {}", self.sentence(kernel)))
        };
        self.shown().map(item).collect()
    }
}

/// Small squares that cover a line, to test overlaps.
fn along_line(from: Point, to: Point) -> impl Iterator<Item = Rect> {
    let (right, down) = (to.x - from.x, to.y - from.y);
    let steps = libm::ceil(right.abs().max(down.abs()) / 4.0).max(1.0) as u32;
    (0..=steps).map(move |i| {
        let share = f64::from(i) / f64::from(steps);
        Rect::around(Point::new(from.x + share * right, from.y + share * down), 4.0, 4.0)
    })
}
