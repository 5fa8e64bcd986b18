//! Tables of words, each written as one text.

/// A list of words from a text in which white space separates them, made when the program is compiled.
///
/// ```
/// const UNITS: &[&str] = source::words!("sector wavefront
///     pass");
/// assert_eq!(UNITS, ["sector", "wavefront", "pass"]);
/// ```
#[macro_export]
macro_rules! words {
    ($text:expr) => {{
        const WORDS: [&str; $crate::words::count($text)] = $crate::words::split($text);
        &WORDS
    }};
}

/// How many words a text has.
pub const fn count(text: &str) -> usize {
    let (mut count, mut rest) = (0, text.trim_ascii_start());
    while !rest.is_empty() {
        rest = first(rest).1;
        count += 1;
    }
    count
}

/// The words of a text that has `N` of them.
pub const fn split<const N: usize>(text: &str) -> [&str; N] {
    let (mut words, mut at, mut rest) = ([""; N], 0, text.trim_ascii_start());
    while at < N {
        (words[at], rest) = first(rest);
        at += 1;
    }
    words
}

/// The first word of a text that begins with one, and what follows the white space after it.
const fn first(text: &str) -> (&str, &str) {
    let mut end = 0;
    while end < text.len() && !text.as_bytes()[end].is_ascii_whitespace() {
        end += 1;
    }
    let (word, rest) = text.split_at(end);
    (word, rest.trim_ascii_start())
}
