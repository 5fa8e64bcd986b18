//! Text in a table that a spreadsheet may open.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` as a formula, and a student chooses names of files. A formula can read
//! other cells and send them elsewhere, so such a text gets an apostrophe before it, which spreadsheets take as "this is text" (OWASP,
//! "CSV Injection"). Numbers that this crate writes are no text and stay as they are.

use figure::markup::visible;

/// First characters that make a formula of a cell, with their wide forms, and what an import may drop before them.
const BEGINS_FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A text as a cell: control characters are spelled out, and no spreadsheet takes it as a formula.
///
/// ```
/// use gradebook::cell::text;
/// assert_eq!(text("=HYPERLINK(\"x\")"), "'=HYPERLINK(\"x\")");
/// assert_eq!(text("ada/naive.cu"), "ada/naive.cu");
/// ```
pub fn text(text: &str) -> String {
    let shown = visible(text);
    match text.trim_start_matches([' ', '\u{a0}', '\u{feff}', '\'']).starts_with(BEGINS_FORMULA) {
        true => format!("'{shown}"),
        false => shown,
    }
}

/// A row in the form of RFC 4180, with its end.
pub fn row<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    // Writing to memory does not fail, and a row of one writer has the length that it has.
    let written = writer.write_record(cells).ok().and_then(|()| writer.into_inner().ok());
    String::from_utf8(written.unwrap_or_default()).unwrap_or_default()
}

/// A number without a fraction that says nothing: `87`, `87.5`, at most two digits after the point.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
