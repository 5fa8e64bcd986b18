//! Elements with escaped text and attributes.
//!
//! The output is both HTML and well-formed XML: every element is closed, void elements are written as `<br/>`, and
//! characters that XML forbids are replaced. So one writer serves pages and pictures, and an XML parser can check
//! both.
//!
//! No function takes raw markup. Names are `&'static str`, so text from a kernel cannot become an element or an
//! attribute. The only content without escapes is a style sheet of this crate.

use std::fmt::{self, Display, Write};

/// Elements that have no content in HTML and no end tag.
const VOID: [&str; 5] = ["br", "col", "hr", "img", "meta"];

/// An element: a name, attributes and content.
///
/// ```
/// use figure::markup::Element;
/// let cell = Element::new("td").class("code").text("a < b && \"c\"");
/// assert_eq!(cell.to_string(), "<td class=\"code\">a &lt; b &amp;&amp; \"c\"</td>");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    content: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Element(Element),
    Text(String),
    Sheet(String),
}

impl Element {
    /// An element without attributes and content.
    pub fn new(name: &'static str) -> Element {
        Element { name, attributes: Vec::new(), content: Vec::new() }
    }

    /// Sets an attribute; replaces an earlier value of the same name.
    #[must_use]
    pub fn attr(mut self, name: &'static str, value: impl Display) -> Element {
        self.attributes.retain(|(known, _)| *known != name);
        self.attributes.push((name, value.to_string()));
        self
    }

    /// Sets the `class` attribute: class names separated by blanks.
    #[must_use]
    pub fn class(self, names: &'static str) -> Element {
        self.attr("class", names)
    }

    /// Appends text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Element {
        self.push_text(text);
        self
    }

    /// Appends an element.
    #[must_use]
    pub fn child(mut self, child: Element) -> Element {
        self.push(child);
        self
    }

    /// Appends elements.
    #[must_use]
    pub fn children(mut self, children: impl IntoIterator<Item = Element>) -> Element {
        self.content.extend(children.into_iter().map(Node::Element));
        self
    }

    /// Appends an element in place.
    pub fn push(&mut self, child: Element) {
        self.content.push(Node::Element(child));
    }

    /// Appends text in place.
    pub fn push_text(&mut self, text: impl Into<String>) {
        self.content.push(Node::Text(text.into()));
    }

    /// Whether the element has neither child elements nor text.
    pub fn is_empty(&self) -> bool {
        self.content.iter().all(|node| matches!(node, Node::Text(text) if text.is_empty()))
    }

    /// A `style` element. Its content is not escaped, because HTML parsers read it as raw text; it must come from
    /// this crate.
    pub(crate) fn sheet(css: String) -> Element {
        debug_assert!(!css.contains(['<', '&']), "a style sheet that XML reads otherwise");
        Element { content: vec![Node::Sheet(css)], ..Element::new("style") }
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.name)?;
        for (name, value) in &self.attributes {
            write!(f, " {name}=\"")?;
            escape(f, value, true)?;
            f.write_char('"')?;
        }
        if VOID.contains(&self.name) && self.content.is_empty() {
            return f.write_str("/>");
        }
        f.write_char('>')?;
        for node in &self.content {
            match node {
                Node::Element(element) => write!(f, "{element}")?,
                Node::Text(text) => escape(f, text, false)?,
                Node::Sheet(css) => f.write_str(css)?,
            }
        }
        write!(f, "</{}>", self.name)
    }
}

/// Writes text with escapes so that HTML and XML parsers read the same; hidden characters become visible as in
/// [`visible`].
fn escape(out: &mut impl Write, text: &str, in_attribute: bool) -> fmt::Result {
    for c in text.chars() {
        match c {
            '&' => out.write_str("&amp;")?,
            '<' => out.write_str("&lt;")?,
            '>' => out.write_str("&gt;")?,
            '"' if in_attribute => out.write_str("&quot;")?,
            // An XML parser would turn line ends and tabs in attributes into blanks.
            '\n' if in_attribute => out.write_str("&#10;")?,
            '\t' if in_attribute => out.write_str("&#9;")?,
            _ => write_visible(out, c)?,
        }
    }
    Ok(())
}

/// Replaces hidden characters with visible ones; line ends and tabs stay.
///
/// Control characters appear as their symbols (U+2400 and following), because XML forbids them. Characters that
/// change the writing direction appear as their code points: in source text they can hide what a line does (Boucher
/// and Anderson, "Trojan Source: Invisible Vulnerabilities", 2021).
///
/// ```
/// assert_eq!(figure::markup::visible("a\u{7}b\u{202e}\n"), "a␇b⟦U+202E⟧\n");
/// ```
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // Writing to a string does not fail.
        let _ = write_visible(&mut out, c);
    }
    out
}

fn write_visible(out: &mut impl Write, c: char) -> fmt::Result {
    match c {
        '\n' | '\t' => out.write_char(c),
        '\0'..='\x1f' => out.write_char(symbol(c)),
        '\x7f' => out.write_char('\u{2421}'),
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.write_char(char::REPLACEMENT_CHARACTER),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            write!(out, "⟦U+{:04X}⟧", u32::from(c))
        }
        _ => out.write_char(c),
    }
}

/// The visible symbol of a control character below U+0020.
fn symbol(control: char) -> char {
    char::from_u32(0x2400 + u32::from(control)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Makes a name for `id` attributes from any text: keeps letters, digits, `-` and `_`, and replaces every other
/// character by `-`.
///
/// ```
/// assert_eq!(figure::markup::slug("lab-7/padded \"x\""), "lab-7-padded--x-");
/// ```
pub fn slug(text: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.chars().map(|c| if keep(c) { c } else { '-' }).collect()
}
