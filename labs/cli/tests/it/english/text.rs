//! The prose of a file, as texts of words with their lines. No phrase goes from one text to the next.

/// A word in lower case, a mark of punctuation, or a back quote for code or a value that is put in.
pub(super) struct Token {
    pub(super) word: String,
    /// 1-based.
    pub(super) line: usize,
}

/// Takes one text apart: its lines with their 1-based numbers.
fn tokens<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut is_code = false;
    let mut last = 0;
    for (line, content) in lines {
        last = line + 1;
        if content.trim().is_empty() {
            is_code = false;
            found.push(Token { word: ".".into(), line });
            continue;
        }
        let mut rest = content;
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            let mut word = None;
            if c == '`' {
                word = (!is_code).then(|| "`".to_owned());
                is_code = !is_code;
            } else if is_code || c.is_whitespace() || "*_\"[“”".contains(c) {
                // Marks of Markdown and quotes are no words.
            } else if rest.starts_with("](") {
                length = rest.find(')').map_or(2, |end| end + 1);
            } else if is_tag(rest) {
                length = rest.find('>').map_or(1, |end| end + 1);
            } else if c == '{' {
                length = rest.find('}').map_or(1, |end| end + 1);
                word = Some("`".to_owned());
            } else if c.is_alphanumeric() {
                let is_part = |c: char| c.is_alphanumeric() || "'’-_".contains(c);
                length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let text = rest[..length].trim_end_matches(['-', '_', '\'']);
                word = Some(text.to_lowercase().replace('’', "'"));
            } else if c != ']' {
                word = Some(c.to_string());
            }
            found.extend(word.map(|word| Token { word, line }));
            rest = &rest[length..];
        }
    }
    if !found.is_empty() {
        found.push(Token { word: ".".into(), line: last });
    }
    found
}

/// Whether a tag or a comment of HTML begins here.
fn is_tag(text: &str) -> bool {
    text.strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!".contains(c)))
}

/// The paragraphs of a page in Markdown, without blocks of code.
pub(super) fn of_page(page: &str) -> Vec<Vec<Token>> {
    let mut is_block = false;
    let mut texts = Vec::new();
    let mut paragraph: Vec<(usize, &str)> = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        let is_fence = line.trim_start().starts_with("```");
        let is_in_item = |&(_, last): &(usize, &str)| begins_item(last) || last.starts_with("  ");
        let is_indented = line.starts_with("    ") && !paragraph.last().is_some_and(is_in_item);
        let begins = begins_item(line) || line.starts_with(['|', '#']);
        if is_fence || is_block || is_indented || begins || line.trim().is_empty() {
            texts.push(tokens(paragraph.drain(..)));
        }
        if !is_fence && !is_block && !is_indented {
            paragraph.push((number, line));
        }
        is_block ^= is_fence;
    }
    texts.push(tokens(paragraph.drain(..)));
    texts.retain(|text| text.len() > 1);
    texts
}

/// Whether a line begins an item of a list.
fn begins_item(line: &str) -> bool {
    let text = line.trim_start();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with("- ") || (number.len() < text.len() && number.starts_with(". "))
}

/// The comments of a kernel file; lines of comment that follow each other are one text.
pub(super) fn of_kernel(content: &str) -> Vec<Vec<Token>> {
    comments(content, |line| line.split_once("//").map(|(code, text)| (code.trim().is_empty(), text)))
}

/// The doc comments and string literals of a Rust source, without its tests.
pub(super) fn of_rust(content: &str) -> Vec<Vec<Token>> {
    let content = content.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let is_doc = |line: &str| line.starts_with("///") || line.starts_with("//!");
    let mut texts = comments(content, |line| {
        let line = line.trim_start();
        is_doc(line).then(|| (true, &line[3..]))
    });
    texts.extend(literals(content));
    texts.retain(|text| text.len() > 1);
    texts
}

/// The comments that `comment` finds in lines: whether a line has nothing else, and the comment.
fn comments<'t>(content: &'t str, comment: impl Fn(&'t str) -> Option<(bool, &'t str)>) -> Vec<Vec<Token>> {
    let mut texts = Vec::new();
    let mut block: Vec<(usize, &str)> = Vec::new();
    let mut is_code = false;
    for (number, line) in (1..).zip(content.lines()) {
        let found = comment(line);
        if !found.is_some_and(|(is_whole, _)| is_whole) {
            texts.push(tokens(block.drain(..)));
            is_code = false;
        }
        if let Some((is_whole, text)) = found {
            let is_fence = text.trim_start().starts_with("```");
            is_code ^= is_fence;
            if !is_fence && !is_code {
                block.push((number, text));
            }
            if !is_whole {
                texts.push(tokens(block.drain(..)));
            }
        }
    }
    texts.push(tokens(block.drain(..)));
    texts.retain(|text| text.len() > 1);
    texts
}

/// The string literals of a Rust source, each a text of its own.
fn literals(content: &str) -> Vec<Vec<Token>> {
    let mut texts = Vec::new();
    let mut line = 1;
    let mut rest = content;
    while let Some(at) = rest.find(['"', '\'', '/', 'r']) {
        line += count_lines(&rest[..at]);
        let previous = rest[..at].chars().next_back();
        rest = &rest[at..];
        let is_word = previous.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inner) = rest.strip_prefix('"') {
            literal(inner, "\"", line, true, &mut texts)
        } else if let Some(marks) = raw_marks(rest).filter(|_| !is_word) {
            let end = format!("\"{}", "#".repeat(marks));
            1 + marks + literal(&rest[2 + marks..], &end, line, false, &mut texts)
        } else if rest.starts_with('\'') {
            character(rest)
        } else {
            1
        };
        line += count_lines(&rest[..length]);
        rest = &rest[length..];
    }
    texts
}

fn count_lines(text: &str) -> usize {
    text.matches('\n').count()
}

/// The number of `#` of the raw literal that begins here.
fn raw_marks(text: &str) -> Option<usize> {
    let text = text.strip_prefix('r')?;
    let marks = text.len() - text.trim_start_matches('#').len();
    text[marks..].starts_with('"').then_some(marks)
}

/// Adds the literal before `end`, and gives its length in bytes with both quotes.
fn literal(text: &str, end: &str, line: usize, has_escapes: bool, texts: &mut Vec<Vec<Token>>) -> usize {
    let mut length = 0;
    while let Some(found) = text[length..].find(['\\', '"']) {
        length += found;
        if has_escapes && text[length..].starts_with('\\') {
            length += 1 + text[length + 1..].chars().next().map_or(0, char::len_utf8);
        } else if text[length..].starts_with(end) {
            break;
        } else {
            length += 1;
        }
    }
    // An escape is a blank: line ends, and quotes within.
    let content = match has_escapes {
        true => text[..length].replace("\\n", "  ").replace(['\\', '"'], " "),
        false => text[..length].to_owned(),
    };
    texts.push(tokens((line..).zip(content.lines())));
    1 + length + end.len()
}

/// The length in bytes of a character literal, or of the quote of a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some(_)) => text[3..].find('\'').map_or(1, |end| end + 4),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}
