//! Helpers of several tests: an XML parser, random numbers, and checks of labels.

use figure::svg::{Figure, Rect, TEXT, text_width};
use roxmltree::{Document, Node, ParsingOptions};

/// Hostile text that tries to become markup, to close its element, or to break a parser.
pub(crate) const HOSTILE: &str = "</script><img src=x onerror=alert(1)>&amp;<!-- ]]> \"'><svg onload=x>\0\u{1}\u{8}\u{b}\u{1b}[31m\u{7f}\u{85}\r\
    \u{202e}\u{2066}\u{fffe}\u{ffff}\u{10ffff} `<b>` µ";

/// Parses text as XML.
///
/// # Panics
/// Panics if the text is not well-formed.
pub(crate) fn parse(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .unwrap_or_else(|e| panic!("{e} in\n{}", text.chars().take(4000).collect::<String>()))
}

/// All text below a node.
pub(crate) fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect()
}

/// The element with this `id`.
pub(crate) fn by_id<'a, 'input>(document: &'a Document<'input>, id: &str) -> Node<'a, 'input> {
    let found = document.descendants().find(|n| n.attribute("id") == Some(id));
    found.unwrap_or_else(|| panic!("there is no element with the id {id}"))
}

/// SplitMix64 (Steele, Lea and Flood, 2014) with a fixed seed, so that every run tests the same cases.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }

    /// A uniform number in 0..1, without 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A positive number whose logarithm is uniform.
    pub(crate) fn decimal(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(low + (high - low) * self.unit())
    }
}

/// The numeric value of an attribute.
pub(crate) fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
}

/// The area that an upright label covers; `None` for a rotated label.
fn covered(node: Node<'_, '_>) -> Option<Rect> {
    let width = text_width(&text_of(node));
    let x = match node.attribute("text-anchor") {
        Some("middle") => number(node, "x") - width / 2.0,
        Some("end") => number(node, "x") - width,
        _ => number(node, "x"),
    };
    let area = Rect { x, y: number(node, "y") - 0.75 * TEXT, width, height: TEXT };
    node.attribute("transform").is_none().then_some(area)
}

pub(crate) fn named<'a, 'input>(document: &'a Document<'input>, tag: &'static str) -> Vec<Node<'a, 'input>> {
    document.descendants().filter(|node| node.has_tag_name(tag)).collect()
}

/// The upright labels, each with the area that it covers.
pub(crate) fn labels(document: &Document<'_>) -> Vec<(Rect, String)> {
    let all = named(document, "text").into_iter();
    all.filter_map(|node| Some((covered(node)?, text_of(node)))).collect()
}

/// Asserts that labels do not overlap and stay inside the figure; returns the labels.
pub(crate) fn legible(figure: Figure) -> Vec<(Rect, String)> {
    let (id, width, height) = (figure.id.clone(), figure.width, figure.height);
    let text = figure.document();
    let document = parse(&text);
    let whole = Rect { x: -0.5, y: -0.5, width: width + 1.0, height: height + 1.0 };
    let labels = labels(&document);
    for (i, (area, text)) in labels.iter().enumerate() {
        assert!(whole.contains(area), "{id}: {text:?} at {area:?}");
        for (other, with) in &labels[..i] {
            assert!(!area.overlaps(other), "{id}: {text:?} covers {with:?}");
        }
    }
    for node in named(&document, "rect").into_iter().filter(|n| n.attribute("class") != Some("back")) {
        let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(node, name));
        assert!(whole.contains(&Rect { x, y, width, height }), "{id}: a rectangle at {x}, {y}");
    }
    labels
}
