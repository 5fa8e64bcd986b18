//! Prepares text for a terminal: removes unsafe characters, measures columns and wraps lines.
//!
//! Kernel files, the output of kernels and file names may come from other people. An escape sequence in them could
//! hide a verdict or change the window's title, so [`printable`] spells out control characters. Widths are Unicode
//! widths (UAX 11) in columns; colours have no width.

use crate::styled::Styled;
use std::borrow::Cow;
use std::fmt::Write;
use unicode_width::UnicodeWidthChar;

/// Minimum width that layouts support, in columns.
pub const MIN_WIDTH: usize = 40;

/// Width in columns if the terminal's width is unknown.
pub const DEFAULT_WIDTH: usize = 80;

/// Maximum columns of prose: longer lines are hard to read, even on a wide terminal.
const PROSE_WIDTH: usize = 100;

/// Spells out control characters and characters that change the writing direction, for example as `\x1b`. Line ends
/// and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\r' => out.push_str("\\r"),
            c if is_unsafe(c) && c.is_ascii() => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c if is_unsafe(c) => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The text in ASCII, for a terminal whose character set has nothing else: signs that this program writes get the spelling that people
/// type, and other characters, which are from files and names, are spelled out as `\u{e9}`.
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match spelling(c) {
            Some(spelling) => out.push_str(spelling),
            None if c.is_ascii() => out.push(c),
            None => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
        }
    }
    Cow::Owned(out)
}

/// How a sign is spelled in ASCII; `None` for letters of other languages and for ASCII.
fn spelling(c: char) -> Option<&'static str> {
    Some(match c {
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '≈' => "~",
        '±' => "+-",
        '×' => "x",
        '·' | '•' | '∙' => "*",
        '÷' => "/",
        '−' | '–' | '‐' | '‑' => "-",
        '—' => "--",
        'µ' | 'μ' => "u",
        '…' => "...",
        '→' => "->",
        '←' => "<-",
        '↑' => "^",
        '↓' => "v",
        '✓' | '✔' => "ok",
        '✗' | '✘' => "x",
        '²' => "^2",
        '³' => "^3",
        '⁹' => "^9",
        '°' => " deg",
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        '\u{a0}' | '\u{2009}' | '\u{202f}' => " ",
        '─' | '━' | '╌' | '┄' => "-",
        '│' | '┃' | '╎' | '┆' => "|",
        '\u{2500}'..='\u{257f}' => "+",
        '░' => " ",
        '\u{2580}'..='\u{259f}' | '■' => "#",
        '●' | '○' => "o",
        '▶' | '▸' | '›' | '❯' => ">",
        '◀' | '‹' => "<",
        _ => return None,
    })
}

/// Whether the environment names a locale whose character set is not UTF-8: of `LC_ALL`, `LC_CTYPE` and `LANG`, the first that is not empty
/// decides (POSIX, "Environment Variables"). Where none is set, text is UTF-8, as on a system that has no locales.
pub fn is_ascii_locale(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &&str| variable(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set);
    locale.is_some_and(|locale| !locale.to_lowercase().replace('-', "").contains("utf8"))
}

/// Whether a terminal would interpret the character instead of showing it.
fn is_unsafe(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

/// Like [`printable`], but keeps colours (`ESC [ … m`): for text that this program coloured itself.
pub fn printable_colored(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return printable(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&printable(&rest[..at]));
        let length = color_length(&rest[at..]);
        match length {
            0 => out.push_str("\\x1b"),
            _ => out.push_str(&rest[at..at + length]),
        }
        rest = &rest[at + length.max(1)..];
    }
    out.push_str(&printable(rest));
    Cow::Owned(out)
}

/// Length in bytes of the colour sequence at the start of the text; 0 if there is none.
pub(crate) fn color_length(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\u{1b}[") else { return 0 };
    let parameters = rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b';').count();
    if rest.as_bytes().get(parameters) == Some(&b'm') { parameters + 3 } else { 0 }
}

/// Width of a character in columns; a tab counts 4, because renderers expand it to four blanks.
pub(crate) fn char_width(c: char) -> usize {
    if c == '\t' { 4 } else { c.width().unwrap_or(0) }
}

/// Width of one line in columns; colours have no width.
pub fn width(line: &str) -> usize {
    let mut columns = 0;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        match color_length(rest) {
            0 => {
                columns += char_width(c);
                rest = &rest[c.len_utf8()..];
            }
            length => rest = &rest[length..],
        }
    }
    columns
}

/// Cuts a line without colours to `columns`; `…` replaces the rest.
pub fn cut(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let (head, _) = split_at_width(line, columns.saturating_sub(1));
    format!("{}…", head.trim_end())
}

/// Wraps a text, possibly with colours and several lines, to at most `columns`. Two-column layouts stay: the rest of
/// a long line goes below the second column, which starts after the line's first gap of two blanks.
pub fn fold(text: &str, columns: usize) -> String {
    let lines = text.split('\n').map(|line| match width(line) <= columns {
        true => line.to_owned(),
        false => {
            let styled = Styled::of(line);
            styled.wrap(columns, 0, second_column(&styled.plain()))
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The column after the line's first gap of two blanks. Without such a gap, an indented line continues two blanks
/// deeper.
fn second_column(plain: &str) -> usize {
    let blanks = plain.chars().take_while(|c| *c == ' ').count();
    let body: String = plain.chars().skip(blanks).collect();
    let gap = body.find("  ").map(|at| at + body[at..].chars().take_while(|c| *c == ' ').count());
    let indented = if blanks > 0 { 2 } else { 0 };
    blanks + gap.map_or(indented, |at| body[..at].chars().map(char_width).sum())
}

/// Splits a text without colours into the part that fits into `columns`, and the rest.
fn split_at_width(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += char_width(c);
        if used > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// Wraps a text to lines of at most `columns` columns, each with a line end. `first` goes before the first line, and
/// as many blanks before the others.
///
/// A command in back quotes, or a number with blanks between thousands, stays on one line if it fits. If `first`
/// takes more than half of the width, the text starts on its own line.
pub fn wrap(first: &str, text: &str, columns: usize) -> String {
    let columns = columns.min(PROSE_WIDTH);
    let lead = width(first);
    let mut out = String::new();
    let (mut line, indent) = match lead * 2 > columns && !first.trim().is_empty() {
        false => (first.to_owned(), " ".repeat(lead)),
        true => {
            let _ = writeln!(out, "{}", first.trim_end());
            ("    ".to_owned(), "    ".to_owned())
        }
    };
    let room = columns.saturating_sub(width(&indent)).max(1);
    let mut used = 0;
    let mut place = |word: &str| {
        let mut word = word;
        if used > 0 && used + 1 + width(word) > room {
            let _ = writeln!(out, "{}", line.trim_end());
            line.clone_from(&indent);
            used = 0;
        } else if used > 0 {
            line.push(' ');
            used += 1;
        }
        // Breaks a word, such as a path, that is longer than a line.
        while used == 0 && width(word) > room {
            let (head, rest) = split_at_width(word, room);
            let (head, rest) = if head.is_empty() { first_char(word) } else { (head, rest) };
            if rest.is_empty() {
                break;
            }
            let _ = writeln!(out, "{line}{head}");
            line.clone_from(&indent);
            word = rest;
        }
        line.push_str(word);
        used += width(word);
    };
    for word in words(text) {
        // Keep the parts of a command or number together, unless they are longer than a line.
        match width(&word) > room {
            true => word.split(' ').for_each(&mut place),
            false => place(&word),
        }
    }
    let _ = writeln!(out, "{}", line.trim_end());
    out
}

fn first_char(text: &str) -> (&str, &str) {
    text.split_at(text.chars().next().map_or(0, char::len_utf8))
}

/// Splits a text into words; quoted commands and grouped digits count as one word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut quoted = false;
    for part in text.split(' ') {
        let digits = |s: &str| s.len() >= 3 && s.as_bytes()[..3].iter().all(u8::is_ascii_digit);
        let is_group = digits(part) && !part.as_bytes().get(3).is_some_and(u8::is_ascii_digit);
        match words.last_mut() {
            Some(last) if quoted || (is_group && last.ends_with(|c: char| c.is_ascii_digit())) => {
                last.push(' ');
                last.push_str(part);
            }
            _ => words.push(part.to_owned()),
        }
        quoted ^= part.matches('`').count() % 2 == 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(printable("a\tb\n"), "a\tb\n");
        assert_eq!(
            printable("\u{1b}]0;owned\u{7}\r\u{9b}2J\u{202e}"),
            "\\x1b]0;owned\\x07\\r\\u{9b}2J\\u{202e}"
        );
        assert_eq!(printable_colored("\u{1b}[31mred\u{1b}[0m \u{1b}[2J"), "\u{1b}[31mred\u{1b}[0m \\x1b[2J");
    }

    #[test]
    fn signs_have_a_spelling_in_ascii_and_letters_are_spelled_out() {
        assert_eq!(ascii("a <= b"), "a <= b");
        assert_eq!(ascii("✓ 8.93 µs ≤ 9 … │─┐"), "ok 8.93 us <= 9 ... |-+");
        assert_eq!(ascii("é漢"), "\\u{e9}\\u{6f22}");
    }

    #[test]
    fn the_first_variable_that_is_set_names_the_locale() {
        let is_ascii = |set: &[(&str, &str)]| {
            is_ascii_locale(|name| Some(set.iter().find(|(n, _)| *n == name)?.1.to_owned()))
        };
        assert!(!is_ascii(&[]));
        assert!(is_ascii(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]));
        assert!(!is_ascii(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")]));
        assert!(is_ascii(&[("LC_CTYPE", "de_DE.ISO-8859-1"), ("LANG", "C.UTF-8")]));
        assert!(is_ascii(&[("LANG", "POSIX")]));
    }

    #[test]
    fn width_counts_columns_and_no_colours() {
        assert_eq!(width("\u{1b}[1;31mµs\u{1b}[0m"), 2);
        assert_eq!(width("漢字"), 4);
        assert_eq!(cut("漢字漢字", 6), "漢字…");
    }

    #[test]
    fn lines_fit_and_keep_commands_and_numbers_whole() {
        let text = "run `cargo lab run 1 naive` on 16 777 216 bytes";
        assert_eq!(wrap("  ", text, 26), "  run\n  `cargo lab run 1 naive`\n  on 16 777 216 bytes\n");
        for columns in 1..60 {
            let most = wrap("  name  ", text, columns).lines().map(width).max().unwrap();
            assert!(most <= columns.max(16), "{columns}: {most}");
        }
    }

    #[test]
    fn folded_lines_keep_their_columns_and_end_their_colours() {
        let line = "  \u{1b}[31mfound\u{1b}[0m    nvcc 12.9 in a folder whose name has several words";
        let expected = "  \u{1b}[31mfound\u{1b}[0m    nvcc 12.9 in a folder\n           whose name has several\n           words";
        assert_eq!(fold(line, 36), expected);
        let bold = "\u{1b}[1mone two three four five six seven eight nine\u{1b}[0m";
        assert_eq!(
            fold(bold, 30),
            "\u{1b}[1mone two three four five six\u{1b}[0m\n\u{1b}[1mseven eight nine\u{1b}[0m"
        );
    }

    #[test]
    fn a_word_that_is_too_long_is_broken() {
        assert_eq!(wrap("", "see /tmp/abcdefghij", 8), "see\n/tmp/abc\ndefghij\n");
    }

    #[test]
    fn a_long_name_stands_on_a_line_of_its_own() {
        assert_eq!(
            wrap("  a name that is long  ", "and a value", 30),
            "  a name that is long\n    and a value\n"
        );
    }
}
