//! Tables of words, each written as one string.

/// Splits a string at white space into a list of words, at compile time.
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

/// The number of words in a text.
pub const fn count(text: &str) -> usize {
    let (mut count, mut rest) = (0, text.trim_ascii_start());
    while !rest.is_empty() {
        rest = first(rest).1;
        count += 1;
    }
    count
}

/// Splits a text that has exactly `N` words.
pub const fn split<const N: usize>(text: &str) -> [&str; N] {
    let (mut words, mut at, mut rest) = ([""; N], 0, text.trim_ascii_start());
    while at < N {
        (words[at], rest) = first(rest);
        at += 1;
    }
    words
}

/// The first word of a text that starts with a word, and the rest after the white space.
const fn first(text: &str) -> (&str, &str) {
    let mut end = 0;
    while end < text.len() && !text.as_bytes()[end].is_ascii_whitespace() {
        end += 1;
    }
    let (word, rest) = text.split_at(end);
    (word, rest.trim_ascii_start())
}
