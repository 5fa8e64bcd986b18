//! A text as words.

/// Words and marks of a text; blanks and ends of lines are words of their own.
pub fn words(text: &str) -> Vec<&str> {
    const MARKS: [&str; 20] = [
        "<<=", ">>=", "...", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
        "-=", "*=", "&=", "|=",
    ];
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let in_number = |c: char| in_word(c) || c == '.' || c == '\'';
        let length = if first.is_ascii_digit() {
            rest.find(|c| !in_number(c)).unwrap_or(rest.len())
        } else if in_word(first) {
            rest.find(|c| !in_word(c)).unwrap_or(rest.len())
        } else if let Some(mark) = MARKS.iter().find(|m| rest.starts_with(**m)) {
            mark.len()
        } else if first == ' ' {
            rest.find(|c| c != ' ').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        words.push(&rest[..length]);
        rest = &rest[length..];
    }
    words
}
