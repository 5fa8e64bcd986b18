//! The simulator's time over the size, as an SVG with two logarithmic axes.

use crate::ours::FULL;
use crate::problem::Kernel;
use crate::record::{Point, PointTime, median};
use crate::tables::mode_title;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
/// Left, top, right and bottom of the axes.
const FRAME: [f64; 4] = [64.0, 24.0, 520.0, 392.0];
const COLORS: [(Kernel, &str); 3] =
    [(Kernel::MatmulTiled, "#1f5fa8"), (Kernel::Convolution, "#b3541e"), (Kernel::Transpose, "#2b7a3d")];

/// From a value to a place, by logarithms.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn place(&self, value: f64) -> f64 {
        self.from + (value / self.low).ln() / (self.high / self.low).ln() * (self.to - self.from)
    }
}

/// A kernel in a mode.
struct Line<'p> {
    kernel: Kernel,
    mode: &'p str,
    /// Measured sizes and their seconds.
    points: Vec<(f64, f64)>,
}

/// A line a kernel and mode, in the order of the points; what was left out is no point of a line.
fn lines(points: &[Point]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for point in points {
        let PointTime::Seconds(seconds) = &point.time else { continue };
        let (kernel, mode, at) = (point.kernel, point.mode.as_str(), (point.n as f64, median(seconds)));
        match lines.iter_mut().find(|line| (line.kernel, line.mode) == (kernel, mode)) {
            Some(line) => line.points.push(at),
            None => lines.push(Line { kernel, mode, points: vec![at] }),
        }
    }
    lines
}

/// The picture.
pub(crate) fn svg(points: &[Point]) -> String {
    let lines = lines(points);
    let all = || lines.iter().flat_map(|line| line.points.iter().copied());
    let bounds = |value: fn((f64, f64)) -> f64| {
        let fold = |(low, high): (f64, f64), v: f64| (low.min(v), high.max(v));
        all().map(value).fold((f64::INFINITY, 0.0), fold)
    };
    let (fastest, slowest) = bounds(|p| p.1);
    let (smallest, largest) = bounds(|p| p.0);
    let [left, top, right, bottom] = FRAME;
    let x = Axis { low: smallest, high: largest.max(2.0 * smallest), from: left, to: right };
    let decade = |v: f64| 10f64.powf(v);
    let (low, high) = (fastest.log10().floor(), slowest.log10().ceil());
    let y = Axis { low: decade(low), high: decade(high.max(low + 1.0)), from: bottom, to: top };

    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>Seconds of a launch over the size n, both logarithmic</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    grid(&mut text, &x, &y);
    for (index, Line { kernel, mode, points }) in lines.iter().enumerate() {
        let color = COLORS.iter().find(|(k, _)| k == kernel).map_or("black", |(_, color)| color);
        let dash = if *mode == FULL { "" } else { " stroke-dasharray=\"6 4\"" };
        let path: Vec<String> =
            points.iter().map(|(n, s)| format!("{:.1},{:.1}", x.place(*n), y.place(*s))).collect();
        let stroke = format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dash}");
        let _ = writeln!(text, "<polyline points=\"{}\" {stroke}/>", path.join(" "));
        for (n, s) in points {
            let _ = writeln!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\"/>",
                x.place(*n),
                y.place(*s)
            );
        }
        let at = top + 20.0 + 42.0 * index as f64;
        let (begin, end) = (right + 20.0, right + 52.0);
        let _ = writeln!(text, "<path d=\"M{begin} {at}H{end}\" {stroke}/>");
        let _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{}</text>", end + 8.0, at + 4.0, kernel.title());
        let mode = mode_title(mode);
        let _ = writeln!(text, "<text x=\"{}\" y=\"{}\" fill=\"#555\">{mode}</text>", end + 8.0, at + 20.0);
    }
    text + "</svg>\n"
}

/// A line at each power of two of the size and at each power of ten of the time.
fn grid(text: &mut String, x: &Axis, y: &Axis) {
    let [left, top, right, bottom] = FRAME;
    let mut size = x.low;
    while size <= x.high {
        let at = x.place(size);
        let _ = writeln!(text, "<path d=\"M{at:.1} {top}V{bottom}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            text,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{size}</text>",
            bottom + 18.0
        );
        size *= 2.0;
    }
    for exponent in y.low.log10().round() as i32..=y.high.log10().round() as i32 {
        let at = y.place(10f64.powi(exponent));
        let label = match exponent {
            ..=-4 => format!("{} µs", 10f64.powi(exponent + 6).round()),
            -3..=-1 => format!("{} ms", 10f64.powi(exponent + 3).round()),
            0.. => format!("{} s", 10f64.powi(exponent).round()),
        };
        let _ = writeln!(text, "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            left - 8.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">n</text>",
        (left + right) / 2.0,
        bottom + 38.0
    );
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn equal_factors_are_equal_distances() {
        let axis = Axis { low: 1.0, high: 100.0, from: 300.0, to: 100.0 };
        assert_eq!(axis.place(1.0), 300.0);
        assert!((axis.place(10.0) - 200.0).abs() < 1e-9);
        assert!((axis.place(100.0) - 100.0).abs() < 1e-9);
    }
}
