//! What several tests need: a parser of what was written, and random numbers.

use roxmltree::{Document, Node, ParsingOptions};

/// Text that tries to become markup, to end the element it is in, or to break a parser.
pub(crate) const HOSTILE: &str = "</script><img src=x onerror=alert(1)>&amp;<!-- ]]> \"'><svg onload=x>\0\u{1}\u{8}\u{b}\u{1b}[31m\u{7f}\u{85}\r\
    \u{202e}\u{2066}\u{fffe}\u{ffff}\u{10ffff} `<b>` µ";

/// The document that an XML parser reads.
///
/// # Panics
/// If it is not well-formed.
pub(crate) fn parse(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .unwrap_or_else(|e| panic!("{e} in\n{}", text.chars().take(4000).collect::<String>()))
}

/// All text below a node.
pub(crate) fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect()
}

/// The element of that `id`.
pub(crate) fn by_id<'a, 'input>(document: &'a Document<'input>, id: &str) -> Node<'a, 'input> {
    let found = document.descendants().find(|n| n.attribute("id") == Some(id));
    found.unwrap_or_else(|| panic!("there is no element with the id {id}"))
}

/// SplitMix64 (Steele, Lea and Flood, 2014), so that each run tries the same cases.
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

    /// From 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A positive number whose logarithm is uniform.
    pub(crate) fn decimal(&mut self, low: f64, high: f64) -> f64 {
        10_f64.powf(low + (high - low) * self.unit())
    }
}
