//! Checks axes, label placement and rooflines with thousands of generated cases.

use crate::support::{HOSTILE, Random, by_id, parse, text_of};
use figure::chart::{Bar, Decades, LogLog, bars, histogram};
use figure::place::{Request, place};
use figure::roofline::{Kernel, Roofline};
use figure::svg::{Figure, Marker, Point, Rect, WIDTH, text_width};

fn apart(areas: &[Rect], what: impl Fn() -> String) {
    for (i, a) in areas.iter().enumerate() {
        for b in &areas[..i] {
            assert!(!a.overlaps(b), "{a:?} and {b:?} overlap: {}", what());
        }
    }
}

#[test]
fn tick_labels_never_collide_and_stay_in_the_figure() {
    let mut random = Random(1);
    let (mut most, mut least) = (0, usize::MAX);
    for case in 0..3000 {
        // Ranges from part of a decade to everything that an `f64` can hold.
        let reach = [1.0, 4.0, 12.0, 300.0][case % 4];
        let mut range = || [random.decimal(-reach, reach), random.decimal(-reach, reach)];
        let (x, y) = (range(), range());
        let height = 80.0 + 200.0 * random.unit();
        let frame = LogLog::new(
            (Decades::around(x).unwrap(), "x"),
            (Decades::around(y).unwrap(), "y"),
            [WIDTH, height],
        );
        let (across, up) = (frame.x_labels(), frame.y_labels());
        for labels in [&across, &up] {
            assert!(!labels.is_empty(), "an axis without labels: {x:?} {y:?}");
            most = most.max(labels.len());
            least = least.min(labels.len());
        }
        let areas: Vec<Rect> = across.iter().chain(&up).map(|(area, _)| *area).collect();
        apart(&areas, || format!("{x:?} {y:?} {height}"));
        let figure = Rect { x: -0.01, y: 0.0, width: WIDTH + 0.02, height: frame.height() };
        areas.iter().for_each(|area| assert!(figure.contains(area), "{area:?} of {x:?} {y:?}"));
        for (value, position, axis) in
            [(x[0], frame.at(x[0], y[0]).x, frame.x), (y[1], frame.at(x[0], y[1]).y, frame.y)]
        {
            let (low, high) = (axis.start.min(axis.end), axis.start.max(axis.end));
            assert!(
                (low - 1e-6..=high + 1e-6).contains(&position),
                "{value} is at {position} of {low} to {high}"
            );
        }
    }
    assert!(most > 6 && least >= 1, "{least} to {most} labels");
}

#[test]
fn decades_hold_their_values_and_pass_over_what_has_no_logarithm() {
    assert_eq!(Decades::around([0.0, -1.0, f64::NAN, f64::INFINITY]), None);
    let one = Decades::around([10.0, f64::NAN]).unwrap();
    assert_eq!(one.lowest(), 10.0);
    assert_eq!(Decades::around([0.2, 700.0]), Decades::around([0.1, 1000.0]));
    assert!(Decades::around([f64::MIN_POSITIVE / 4.0, f64::MAX]).is_some());
}

#[test]
fn placed_labels_overlap_nothing() {
    let mut random = Random(2);
    let bounds = Rect { x: 0.0, y: 0.0, width: 300.0, height: 200.0 };
    let mut left_out = 0;
    for _ in 0..2000 {
        let count = 1 + random.below(12);
        // In some cases all points have the same x, like versions of one algorithm.
        let column = (random.below(2) == 0).then(|| 300.0 * random.unit());
        let mut point = || Point::new(column.unwrap_or(300.0 * random.unit()), 200.0 * random.unit());
        let points: Vec<Point> = (0..count).map(|_| point()).collect();
        let markers: Vec<Rect> = points.iter().map(|p| Rect::around(*p, 14.0, 14.0)).collect();
        let requests: Vec<Request> = points
            .iter()
            .map(|p| Request { point: *p, width: 20.0 + 90.0 * random.unit(), height: 14.0 })
            .collect();
        let places = place(&requests, &markers, bounds);
        assert_eq!(places.len(), requests.len());
        left_out += places.iter().filter(|p| p.is_none()).count();
        let areas: Vec<Rect> = places.iter().flatten().map(|p| p.area).collect();
        apart(&areas, || format!("{points:?}"));
        for (point, end) in points.iter().zip(&places).filter_map(|(point, p)| Some((point, (*p)?.leader?))) {
            let middle = Point::new((point.x + end.x) / 2.0, (point.y + end.y) / 2.0);
            let middle = Rect::around(middle, 0.5, 0.5);
            assert!(!areas.iter().any(|area| area.overlaps(&middle)), "a leader crosses a label: {points:?}");
        }
        for area in &areas {
            assert!(bounds.contains(area), "{area:?}");
            assert!(!markers.iter().any(|m| m.overlaps(area)), "{area:?} covers a marker: {points:?}");
        }
    }
    assert!(left_out < 1500, "{left_out} labels had no place");
}

fn roofline(kernels: Vec<Kernel>) -> Roofline {
    Roofline {
        id: "a b".into(),
        device: "NVIDIA H200 SXM".into(),
        source: "device model `h200`".into(),
        bandwidth: 4.8e12,
        peak: 66.9e12,
        basis: "modelled (h200)".into(),
        kernels,
    }
}

fn kernel(name: &str, intensity: f64, rate: f64) -> Kernel {
    Kernel { name: name.into(), intensity, rate }
}

#[test]
fn a_roofline_says_in_words_what_it_shows() {
    let roofline = roofline(vec![kernel("tiled", 27.826, 5.9188e12), kernel("naive", 0.25, 0.6e12)]);
    let text = roofline.figure().unwrap().document();
    let document = parse(&text);
    let svg = document.root_element();
    assert_eq!((svg.tag_name().name(), svg.attribute("role")), ("svg", Some("img")));
    for id in svg.attribute("aria-labelledby").unwrap().split(' ') {
        by_id(&document, id);
    }
    let told = text_of(by_id(&document, "a-b-roofline-description"));
    for part in [
        "4.8 TB/s",
        "66.9 TFLOPS",
        "device model `h200`",
        "tiled: 5.919 TFLOPS modelled (h200) at 27.83 FLOP per byte, 8.8 % of the bound of 66.9 TFLOPS.",
        "naive: 600 GFLOPS modelled (h200) at 0.25 FLOP per byte, 50.0 % of the bound of 1.2 TFLOPS.",
    ] {
        assert!(told.contains(part), "{part:?} is missing in {told}");
    }
    assert_eq!(text, roofline.figure().unwrap().document(), "not the same bytes again");
}

#[test]
fn rooflines_of_any_numbers_are_well_formed_and_stay_in_their_frame() {
    let mut random = Random(3);
    for _ in 0..300 {
        let kernels = (0..1 + random.below(8)).map(|i| {
            kernel(&format!("kernel {i}{HOSTILE}"), random.decimal(-3.0, 4.0), random.decimal(3.0, 15.0))
        });
        let kernels: Vec<Kernel> = kernels.collect();
        let device = Roofline {
            bandwidth: random.decimal(9.0, 13.0),
            peak: random.decimal(9.0, 15.0),
            ..roofline(kernels)
        };
        let figure = device.figure().unwrap();
        let (height, text) = (figure.height, figure.document());
        let document = parse(&text);
        for (name, most) in
            [("x", WIDTH), ("cx", WIDTH), ("x1", WIDTH), ("y", height), ("cy", height), ("y1", height)]
        {
            for node in document.descendants().filter(|node| node.attribute("class") != Some("back")) {
                let Some(value) = node.attribute(name) else { continue };
                let value: f64 = value.parse().unwrap();
                assert!((-0.01..=most + 0.01).contains(&value), "{name} is {value} of {most} in {device:?}");
            }
        }
    }
}

#[test]
fn what_a_logarithm_cannot_show_is_left_out() {
    let nothing = [(0.0, 1e9), (1.0, 0.0), (f64::NAN, 1e9), (1.0, f64::INFINITY), (-1.0, 1e9)];
    assert!(roofline(nothing.map(|(i, r)| kernel("k", i, r)).to_vec()).figure().is_none());
    assert!(Roofline { bandwidth: 0.0, ..roofline(vec![kernel("k", 1.0, 1e9)]) }.figure().is_none());
    let some = roofline(vec![kernel("gone", 0.0, 1e9), kernel("there", 1.0, 1e9)]);
    assert_eq!(some.key().len(), 1);
    assert!(!some.figure().unwrap().document().contains("gone"));
}

#[test]
fn markers_are_told_apart_without_colour() {
    let colour = |i: u32| [format!("marker series-{i}"), format!("bar-{i}")];
    let shapes: std::collections::BTreeSet<String> = Marker::ALL
        .iter()
        .map(|marker| {
            let drawn = marker.draw(Point::new(0.0, 0.0), 10.0).to_string();
            (1..=4).flat_map(colour).fold(drawn, |text, class| text.replace(&class, ""))
        })
        .collect();
    assert_eq!(shapes.len(), Marker::ALL.len());
}

#[test]
fn bars_keep_names_limits_and_values_within_the_figure() {
    let bar =
        |name: &str, value| Bar { name: name.into(), value, text: format!("{value} GB/s"), is_hollow: false };
    let long = "a kernel with a very long name that does not fit on a line of the picture";
    let (body, height) = bars(
        &[bar(long, 1672.0), bar("faster than its limit", 9000.0), bar("none", f64::NAN)],
        4800.0,
        "4800 GB/s",
    );
    let figure = Figure {
        id: "b".into(),
        title: "t".into(),
        description: "d".into(),
        caption: String::new(),
        width: WIDTH,
        height,
        body,
    };
    let text = figure.document();
    let document = parse(&text);
    for node in document.descendants().filter(|n| n.has_tag_name("text")) {
        let width = text_width(node.text().unwrap());
        assert!(width <= WIDTH, "{:?} is {width} wide", node.text());
    }
    assert!(text_of(document.root_element()).contains("…: 1672 GB/s"));
}

/// Column heights are proportional to the counts, columns stand side by side, and nothing leaves the figure.
#[test]
fn a_histogram_shows_its_numbers() {
    for counts in [vec![], vec![0; 10], vec![3, 0, 1, 7, 7, 0, 0, 0, 0, 300], vec![u64::MAX; 10]] {
        let (body, height) = histogram(&counts, ["0 %", "100 %"]);
        let figure = Figure {
            id: "h".into(),
            title: "t".into(),
            description: "d".into(),
            caption: String::new(),
            width: WIDTH,
            height,
            body,
        };
        let svg = figure.document();
        let document = parse(&svg);
        let number =
            |n: roxmltree::Node<'_, '_>, name: &str| n.attribute(name).unwrap().parse::<f64>().unwrap();
        let columns: Vec<_> =
            document.descendants().filter(|n| n.attribute("class") == Some("bar-1")).collect();
        assert_eq!(columns.len(), counts.len());
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let areas: Vec<Rect> = columns
            .iter()
            .map(|n| {
                let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(*n, name));
                Rect { x, y, width, height }
            })
            .collect();
        apart(&areas, || format!("{counts:?}"));
        let whole = Rect { x: 0.0, y: 0.0, width: WIDTH, height };
        for (area, count) in areas.iter().zip(&counts) {
            assert!(whole.contains(area), "{area:?} of {counts:?}");
            assert!((area.height - 100.0 * *count as f64 / most as f64).abs() < 0.01, "{count}: {area:?}");
        }
    }
}
