//! Text to preprocessing tokens: line splices, comments, and the longest-match rule.
//!
//! Lexical faults become tokens, so that text in a group that `#if` leaves out is never complained about.

use super::composed;
use super::token::{PpKind, PpToken, Punctuator, Text};
use crate::word::{Key, Word};
use hashbrown::HashTable;
use source::{FileId, Span, words};
use std::sync::LazyLock;

/// Operators and punctuators; each with what it means, and behind those that it is the beginning of.
static PUNCTUATORS: [Punctuator; 59] = {
    // Digraphs are other spellings.
    let (digraphs, meanings) = (words!("%:%: <% %> <: :> %:"), words!("## { } [ ] #"));
    let others = words!(
        "<<< <<= <=> >>= ... ->* :: -> ++ -- << >> <= >= == != && || += -= *= /= %= &= |= ^= ## .* { } [ ] \
         ( ) ; : ? . , + - * / % ^ & | ~ ! = < > #"
    );
    let mut table = [("", ""); 59];
    let mut at = 0;
    while at < table.len() {
        table[at] = match at < digraphs.len() {
            true => (digraphs[at], meanings[at]),
            false => (others[at - digraphs.len()], others[at - digraphs.len()]),
        };
        at += 1;
    }
    table
};

/// [`PUNCTUATORS`] by their first byte, in the same order.
static BY_FIRST: LazyLock<Vec<Vec<&Punctuator>>> = LazyLock::new(|| {
    let mut table = vec![Vec::new(); 128];
    for punctuator in &PUNCTUATORS {
        table[usize::from(punctuator.0.as_bytes()[0])].push(punctuator);
    }
    table
});

/// Those of one byte.
static SHORTEST: [Option<&Punctuator>; 256] = {
    let mut table = [None; 256];
    let mut at = 0;
    while at < PUNCTUATORS.len() {
        let spelling = PUNCTUATORS[at].0.as_bytes();
        if spelling.len() == 1 {
            table[spelling[0] as usize] = Some(&PUNCTUATORS[at]);
        }
        at += 1;
    }
    table
};

/// Bytes of words and numbers.
static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// Whether a punctuator may continue with that byte, or with one behind it.
fn goes_on(byte: u8) -> bool {
    matches!(byte, b'<' | b'>' | b'=' | b'.' | b'*' | b':' | b'+' | b'-' | b'&' | b'|' | b'#' | b'%' | b'\\')
}

/// All tokens of a text.
pub(crate) fn lex(text: &str, file: FileId) -> Vec<PpToken> {
    let tokens = Vec::with_capacity(text.len() / 4);
    let mut lexer = Lexer { text, pos: 0, file, words: HashTable::new(), tokens };
    let mut line_start = true;
    loop {
        let before = lexer.pos;
        let (space, newline) = match lexer.skip_blank() {
            Ok(found) => found,
            Err(start) => {
                lexer.pos = start + 2;
                let begin = Begin { start, space: true, first_on_line: line_start };
                lexer.add(begin, PpKind::UnterminatedComment, "".into());
                return lexer.tokens;
            }
        };
        line_start |= newline;
        let start = lexer.skip_splices(lexer.pos);
        lexer.pos = start;
        if start >= text.len() {
            return lexer.tokens;
        }
        lexer.scan(Begin { start, space, first_on_line: line_start });
        debug_assert!(lexer.pos > before, "the lexer must progress");
        line_start = false;
    }
}

struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    file: FileId,
    /// Those read so far, short numbers among them.
    words: HashTable<Word>,
    tokens: Vec<PpToken>,
}

/// What is known of a token when its first character is met.
#[derive(Clone, Copy)]
struct Begin {
    start: usize,
    space: bool,
    first_on_line: bool,
}

impl<'a> Lexer<'a> {
    fn word(&mut self, text: &str) -> Word {
        let hash = text.hashed();
        if let Some(known) = self.words.find(hash, |known| **known == *text) {
            return known.clone();
        }
        let word = Word::marked(text, composed::marks(text));
        self.words.insert_unique(hash, word.clone(), |word| word.hashed());
        word
    }

    /// Adds a token that ends here.
    #[inline]
    fn add(&mut self, begin: Begin, kind: PpKind, text: Text) {
        let Begin { start, space, first_on_line } = begin;
        let span = Span::new(self.file, start as u32, self.pos as u32);
        self.tokens.push(PpToken { kind, text, span, space, first_on_line, painted: false });
    }

    /// Past any backslash-newline pairs at `at`.
    fn skip_splices(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while bytes[at..].starts_with(b"\\\n") {
            at += 2;
        }
        at
    }

    /// The next byte, if it is a character of its own and begins no splice.
    fn plain(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied().filter(|byte| byte.is_ascii() && *byte != b'\\')
    }

    /// Continues to the next of two bytes, or the end.
    fn skip_to(&mut self, one: u8, other: u8) {
        let rest = &self.text.as_bytes()[self.pos..];
        self.pos += rest.iter().position(|byte| *byte == one || *byte == other).unwrap_or(rest.len());
    }

    fn peek(&self) -> Option<char> {
        if let Some(byte) = self.plain() {
            return Some(char::from(byte));
        }
        self.text[self.skip_splices(self.pos)..].chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        let at = self.skip_splices(self.pos);
        let first = self.text[at..].chars().next()?;
        self.text[self.skip_splices(at + first.len_utf8())..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        if let Some(byte) = self.plain() {
            self.pos += 1;
            return Some(char::from(byte));
        }
        let at = self.skip_splices(self.pos);
        let c = self.text[at..].chars().next()?;
        self.pos = at + c.len_utf8();
        Some(c)
    }

    /// Skips white space and comments: whether there was any, and whether a line ended. `Err` is where a comment
    /// began that never ends.
    fn skip_blank(&mut self) -> Result<(bool, bool), usize> {
        let (mut space, mut newline) = (false, false);
        loop {
            match self.text.as_bytes().get(self.pos) {
                Some(b' ') => {
                    space = true;
                    self.pos += 1;
                    continue;
                }
                Some(b'\n') => {
                    (space, newline) = (true, true);
                    self.pos += 1;
                    continue;
                }
                Some(byte) if byte.is_ascii_graphic() && !matches!(byte, b'/' | b'\\') => break,
                _ => {}
            }
            let Some(c) = self.peek() else { break };
            match c {
                '\n' => newline = true,
                ' ' | '\t' | '\r' | '\u{b}' | '\u{c}' | '\u{feff}' => {}
                '/' if self.peek_second() == Some('/') => {
                    self.skip_to(b'\n', b'\\');
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.bump();
                        self.skip_to(b'\n', b'\\');
                    }
                    space = true;
                    continue;
                }
                '/' if self.peek_second() == Some('*') => {
                    self.skip_comment()?;
                    space = true;
                    continue;
                }
                _ => break,
            }
            space = true;
            self.bump();
        }
        Ok((space, newline))
    }

    fn skip_comment(&mut self) -> Result<(), usize> {
        let start = self.skip_splices(self.pos);
        self.bump();
        self.bump();
        loop {
            self.skip_to(b'*', b'\\');
            match self.bump() {
                None => return Err(start),
                Some('*') if self.peek() == Some('/') => {
                    self.bump();
                    return Ok(());
                }
                Some(_) => {}
            }
        }
    }

    fn scan(&mut self, begin: Begin) {
        let byte = self.plain();
        if byte.is_some_and(|byte| byte.is_ascii_digit())
            && let Some(number) = self.plain_number()
        {
            let number = self.word(number);
            return self.add(begin, PpKind::Number, Text::Word(number));
        }
        let c = byte.map(char::from).or_else(|| self.peek()).unwrap_or('\0');
        let (kind, text) = match c {
            '"' => self.scan_quoted(String::new(), '"'),
            '\'' => self.scan_quoted(String::new(), '\''),
            _ if is_ident_start(c) || self.opt_universal_name().is_some() => match self.plain_word() {
                Some(word) => {
                    let word = self.word(word);
                    return self.add(begin, PpKind::Ident, Text::Word(word));
                }
                None => self.scan_word(),
            },
            _ if c.is_ascii_digit() || c == '.' && self.peek_second().is_some_and(|d| d.is_ascii_digit()) => {
                (PpKind::Number, self.scan_number())
            }
            _ => return self.scan_punctuator(begin),
        };
        let text = if kind == PpKind::Ident { Text::Word(self.word(&text)) } else { text.into() };
        self.add(begin, kind, text);
    }

    /// Reads a word of letters, digits and underscores that ends at another plain character but a quote.
    fn plain_word(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.pos..];
        let length = rest.bytes().position(|byte| !IN_WORD[usize::from(byte)]).unwrap_or(rest.len());
        let ends = |byte: u8| byte.is_ascii() && !matches!(byte, b'\\' | b'$' | b'"' | b'\'');
        if !rest.as_bytes().get(length).is_none_or(|byte| ends(*byte)) {
            return None;
        }
        self.pos += length;
        Some(&rest[..length])
    }

    /// Reads a number of letters, digits and points that ends at another plain character but a quote and has no exponent.
    fn plain_number(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.pos..];
        let in_number = |byte: u8| IN_WORD[usize::from(byte)] || byte == b'.';
        let length = rest.bytes().position(|byte| !in_number(byte)).unwrap_or(rest.len());
        let number = &rest[..length];
        let ends = |byte: u8| byte.is_ascii() && !matches!(byte, b'\\' | b'$' | b'\'');
        let whole = rest.as_bytes().get(length).is_none_or(|byte| ends(*byte));
        if !whole || number.contains(['e', 'E', 'p', 'P']) {
            return None;
        }
        self.pos += length;
        Some(number)
    }

    fn scan_word(&mut self) -> (PpKind, String) {
        let mut word = String::new();
        loop {
            if let Some((c, length)) = self.opt_universal_name() {
                word.push(c);
                self.pos += length;
            } else if let Some(c) = self.peek().filter(|&c| is_ident_continue(c)) {
                word.push(c);
                self.bump();
            } else {
                break;
            }
        }
        match (word.as_str(), self.peek()) {
            ("R" | "LR" | "uR" | "UR" | "u8R", Some('"')) => self.scan_raw_string(word),
            ("L" | "u" | "U" | "u8", Some(quote @ ('"' | '\''))) => self.scan_quoted(word, quote),
            _ => (PpKind::Ident, word),
        }
    }

    /// `\u00e9` or `\U000000e9` where a name may have that letter ([lex.charset]), and the length of this spelling in bytes.
    fn opt_universal_name(&self) -> Option<(char, usize)> {
        let rest = &self.text[self.pos..];
        let length = match rest.as_bytes().get(..2)? {
            b"\\u" => 6,
            b"\\U" => 10,
            _ => return None,
        };
        let code = u32::from_str_radix(rest.get(2..length)?, 16).ok()?;
        let letter = char::from_u32(code).filter(|c| !c.is_ascii() && is_ident_continue(*c))?;
        Some((letter, length))
    }

    fn scan_number(&mut self) -> String {
        let mut number = String::new();
        while let Some(c) = self.peek() {
            let exponent_sign =
                matches!(c, '+' | '-') && number.ends_with(['e', 'E', 'p', 'P']) && !is_hex_e(&number);
            let separator = c == '\'' && self.peek_second().is_some_and(|d| d.is_ascii_alphanumeric());
            if !(is_ident_continue(c) || c == '.' || exponent_sign || separator) {
                break;
            }
            number.push(c);
            self.bump();
        }
        number
    }

    /// A string or character literal; its spelling keeps prefix, quotes and escapes.
    fn scan_quoted(&mut self, prefix: String, quote: char) -> (PpKind, String) {
        let mut text = prefix;
        text.extend(self.bump());
        loop {
            match self.peek() {
                None | Some('\n') => {
                    let kind =
                        if quote == '"' { PpKind::UnterminatedString } else { PpKind::UnterminatedChar };
                    return (kind, text);
                }
                Some(c) => {
                    text.push(c);
                    self.bump();
                    if c == quote {
                        return (if quote == '"' { PpKind::Str } else { PpKind::Char }, text);
                    }
                    if c == '\\' && self.peek().is_some_and(|c| c != '\n') {
                        text.extend(self.bump());
                    }
                }
            }
        }
    }

    /// `R"delimiter(…)delimiter"`: no splices, no escapes.
    fn scan_raw_string(&mut self, prefix: String) -> (PpKind, String) {
        let open = self.skip_splices(self.pos);
        let rest = &self.text[open..];
        let Some(paren) = rest.find('(').filter(|&p| p <= 17) else {
            self.pos = open + 1;
            return (PpKind::UnterminatedString, prefix + "\"");
        };
        let closer = format!("){}\"", &rest[1..paren]);
        match rest[paren..].find(&closer) {
            Some(length) => {
                let end = paren + length + closer.len();
                self.pos = open + end;
                (PpKind::Str, prefix + &rest[..end])
            }
            None => {
                self.pos = self.text.len();
                (PpKind::UnterminatedString, prefix + "\"")
            }
        }
    }

    fn scan_punctuator(&mut self, begin: Begin) {
        let start = self.pos;
        let rest = &self.text.as_bytes()[start..];
        // Most are of one byte and stand alone.
        if let [first, next, ..] = rest
            && let Some(punctuator) = SHORTEST[usize::from(*first)]
            && !goes_on(*next)
        {
            self.pos = start + 1;
            return self.add(begin, PpKind::Punct, Text::Punct(punctuator));
        }
        let candidates = self.peek().and_then(|c| BY_FIRST.get(c as usize)).map_or(&[][..], Vec::as_slice);
        let spliced = rest.iter().take(4).any(|byte| *byte == b'\\');
        'candidates: for punctuator in candidates {
            let (spelling, _) = punctuator;
            if !spliced && *spelling != "<:" {
                if rest.starts_with(spelling.as_bytes()) {
                    self.pos = start + spelling.len();
                    return self.add(begin, PpKind::Punct, Text::Punct(punctuator));
                }
                continue;
            }
            self.pos = start;
            for expected in spelling.chars() {
                if self.peek() != Some(expected) {
                    continue 'candidates;
                }
                self.bump();
            }
            // `<::` is `<` and `::`, as in `vector<::T>`, unless it is `<:::` or `<::>`.
            if *spelling == "<:" && self.peek() == Some(':') && !matches!(self.peek_second(), Some(':' | '>'))
            {
                continue;
            }
            return self.add(begin, PpKind::Punct, Text::Punct(punctuator));
        }
        self.pos = start;
        let mut text = self.bump().map(String::from).unwrap_or_default();
        // A string between typographic quotes is one fault, not one a word.
        if matches!(text.as_str(), "“" | "”" | "„") {
            let line = self.text[self.skip_splices(self.pos)..].lines().next().unwrap_or("");
            let length = line
                .char_indices()
                .find(|(_, c)| matches!(c, '“' | '”' | '"'))
                .map(|(at, _)| line[..at].chars().count() + 1);
            for _ in 0..length.unwrap_or(0) {
                text.extend(self.bump());
            }
        }
        self.add(begin, PpKind::Stray, text.into());
    }
}

/// `0xe+1` is a sum, not an exponent; `p` is the exponent of hexadecimal numbers.
fn is_hex_e(number: &str) -> bool {
    number.starts_with(['0']) && number[1..].starts_with(['x', 'X']) && number.ends_with(['e', 'E'])
}

fn is_ident_start(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphabetic()
}

fn is_ident_continue(c: char) -> bool {
    is_ident_start(c) || c.is_ascii_digit() || (!c.is_ascii() && c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(text: &str) -> Vec<String> {
        lex(text, FileId(0)).into_iter().map(|t| t.text.to_string()).collect()
    }

    #[test]
    fn splices_vanish_inside_and_between_tokens() {
        assert_eq!(spell("fl\\\noat \\\n x"), ["float", "x"]);
        assert_eq!(spell("a +\\\n= b"), ["a", "+=", "b"]);
    }

    #[test]
    fn numbers_follow_the_preprocessing_number_rule() {
        assert_eq!(
            spell("1'000'000 0xe+1 1e+5f 0x1p-3 .5"),
            ["1'000'000", "0xe", "+", "1", "1e+5f", "0x1p-3", ".5"]
        );
    }

    #[test]
    fn comments_separate_and_line_starts_are_marked() {
        let tokens = lex("a/* x\n */b\n// c\n  d", FileId(0));
        let marks: Vec<_> = tokens.iter().map(|t| (&*t.text, t.space, t.first_on_line)).collect();
        assert_eq!(marks, [("a", false, true), ("b", true, false), ("d", true, true)]);
    }

    #[test]
    fn raw_strings_keep_everything() {
        assert_eq!(spell("R\"x(a\\\n)\" )x\" y"), ["R\"x(a\\\n)\" )x\"", "y"]);
    }

    #[test]
    fn faults_are_tokens() {
        let kinds: Vec<_> = lex("\"ab\n'c\n@ /* x", FileId(0)).into_iter().map(|t| t.kind).collect();
        assert_eq!(
            kinds,
            [
                PpKind::UnterminatedString,
                PpKind::UnterminatedChar,
                PpKind::Stray,
                PpKind::UnterminatedComment
            ]
        );
    }
}
