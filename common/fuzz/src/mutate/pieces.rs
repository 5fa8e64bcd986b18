//! Changes of the pieces that a program is made of: items, statements, expressions, types.
//!
//! Pieces are found by brackets, commas and semicolons, not by the parser under test: so they are found in a broken text too, and a defect
//! of the parser does not decide what is tried. Comments and literals are not looked into.

use crate::Random;
use std::ops::Range;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A function, a structure, a variable or a directive at file scope.
    Item,
    /// A statement with its semicolon or its block, or a member of a structure.
    Statement,
    /// What stands between brackets and commas, or a name with its calls and subscripts.
    Expression,
    /// Words that name a type.
    Type,
}

/// A piece: what it is, and its bytes in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub bytes: Range<usize>,
}

/// A word, a literal, a mark or a directive, with its bytes. Blanks and comments are left out.
struct Token<'t> {
    text: &'t str,
    start: usize,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let up_to = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
        let (length, is_token) = match first {
            c if c.is_whitespace() => (c.len_utf8(), false),
            '/' if rest.starts_with("//") => (rest.find('\n').unwrap_or(rest.len()), false),
            '/' if rest.starts_with("/*") => (up_to("*/"), false),
            '#' => (rest.find('\n').unwrap_or(rest.len()), true),
            '"' | '\'' => {
                let mut is_escaped = false;
                let end = rest[1..].find(|c: char| {
                    let ends = c == '\n' || (c == first && !is_escaped);
                    is_escaped = c == '\\' && !is_escaped;
                    ends
                });
                (end.map_or(rest.len(), |end| end + 2), true)
            }
            c if in_word(c) => (rest.find(|c| !in_word(c)).unwrap_or(rest.len()), true),
            c => (c.len_utf8(), true),
        };
        if is_token {
            tokens.push(Token { text: &rest[..length], start });
        }
        start += length;
    }
    tokens
}

/// The pieces of a text, in no particular order.
pub fn pieces(text: &str) -> Vec<Piece> {
    let tokens = tokens(text);
    let mut finder = Finder { tokens: &tokens, at: 0, pieces: Vec::new() };
    while finder.at < tokens.len() {
        finder.group(Kind::Item);
        // A bracket that closes nothing.
        finder.at += 1;
    }
    finder.types();
    finder.pieces
}

struct Finder<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    pieces: Vec<Piece>,
}

const TYPE_WORDS: [&str; 24] = [
    "int", "float", "double", "bool", "char", "short", "long", "unsigned", "signed", "void", "auto", "half",
    "size_t", "float2", "float4", "int2", "int4", "double2", "uchar4", "dim3", "T", "const", "*", "&",
];

impl Finder<'_> {
    fn add(&mut self, kind: Kind, first: usize, end: usize) {
        if first < end {
            let bytes = self.tokens[first].start..self.tokens[end - 1].end();
            self.pieces.push(Piece { kind, bytes });
        }
    }

    /// Pieces up to the bracket that closes the group, which is not taken.
    fn group(&mut self, kind: Kind) {
        let mut first = self.at;
        // A name with the calls, subscripts and members after it.
        let mut chain: Option<usize> = None;
        while let Some(token) = self.tokens.get(self.at) {
            let here = self.at;
            let opens = matches!(token.text, "(" | "[" | "{");
            let continues = opens || matches!(token.text, "." | "-" | ">") || token.text.starts_with(in_word);
            if !continues && let Some(chain) = chain.take() {
                self.add(Kind::Expression, chain, here);
            }
            match token.text {
                "(" | "[" | "{" => {
                    self.at += 1;
                    let inner = if token.text == "{" { Kind::Statement } else { Kind::Expression };
                    self.group(inner);
                    let is_block = token.text == "{" && kind != Kind::Expression;
                    let next = self.tokens.get(self.at + 1).map_or("", |next| next.text);
                    if is_block && !matches!(next, ";" | "," | ")" | "else" | "while" | "=") {
                        self.add(kind, first, (self.at + 1).min(self.tokens.len()));
                        first = self.at + 1;
                        chain = None;
                    }
                }
                ")" | "]" | "}" => break,
                ";" => {
                    let with_it = usize::from(kind != Kind::Expression);
                    self.add(kind, first, here + with_it);
                    first = here + 1;
                }
                "," if kind == Kind::Expression => {
                    self.add(kind, first, here);
                    first = here + 1;
                }
                directive if directive.starts_with('#') => {
                    self.add(Kind::Item, here, here + 1);
                    first = if first == here { here + 1 } else { first };
                }
                word if word.starts_with(in_word) && chain.is_none() => chain = Some(here),
                _ => {}
            }
            self.at += 1;
        }
        let end = self.at.min(self.tokens.len());
        if let Some(chain) = chain {
            self.add(Kind::Expression, chain, end);
        }
        self.add(kind, first, end);
    }

    fn types(&mut self) {
        let is_type = |token: &Token<'_>| TYPE_WORDS.contains(&token.text);
        let mut at = 0;
        while at < self.tokens.len() {
            let length = self.tokens[at..].iter().take_while(|token| is_type(token)).count();
            if length > 0 && self.tokens[at].text.starts_with(in_word) {
                self.add(Kind::Type, at, at + length);
            }
            at += length.max(1);
        }
    }
}

const AROUND_STATEMENTS: [[&str; 2]; 10] = [
    ["{ ", " }"],
    ["if (threadIdx.x < 5) { ", " }"],
    ["if (threadIdx.x % 2) ", " else { }"],
    ["for (int q = 0; q < 3; q += 1) { ", " }"],
    ["#pragma unroll\nfor (int q = 0; q < 4; ++q) { ", " }"],
    ["while (threadIdx.x == 40) { ", " break; }"],
    ["do { ", " } while (0);"],
    ["switch (threadIdx.x & 3) { case 0: ", " break; default: ; }"],
    ["[&]() { ", " }();"],
    ["for (int q = threadIdx.x; q < 70; q += blockDim.x) { if (q == 40) continue; ", " }"],
];
const AROUND_EXPRESSIONS: [[&str; 2]; 14] = [
    ["(", ")"],
    ["-(", ")"],
    ["!(", ")"],
    ["*&(", ")"],
    ["(int)(", ")"],
    ["(float)(", ")"],
    ["(unsigned char)(", ")"],
    ["static_cast<long long>(", ")"],
    ["(threadIdx.x & 1 ? (", ") : 1)"],
    ["(0, (", "))"],
    ["__shfl_xor_sync(0xffffffff, ", ", 1)"],
    ["[=] { return ", "; }()"],
    ["max(", ", 2)"],
    ["sizeof(", ")"],
];
const AROUND_ITEMS: [[&str; 2]; 5] = [
    ["namespace n { ", " }"],
    ["template <typename T> ", ""],
    ["extern \"C\" { ", " }"],
    ["#if 1\n", "\n#endif\n"],
    ["struct W { ", " };"],
];

/// Changes a piece: for one of the same kind from the donor or from the text itself, or by putting something around it.
pub fn change(text: &str, donor: &str, random: &mut Random) -> String {
    let own = pieces(text);
    if own.is_empty() {
        return donor.to_owned();
    }
    let Piece { kind, bytes } = random.pick(&own).clone();
    let of =
        |from: &[Piece]| from.iter().filter(|p| p.kind == kind).map(|p| p.bytes.clone()).collect::<Vec<_>>();
    let alike = of(&own);
    let replaced = |by: &str| [&text[..bytes.start], by, &text[bytes.end..]].concat();
    let piece = &text[bytes.clone()];
    match random.below(9) {
        0 | 1 => {
            let theirs = of(&pieces(donor));
            match theirs.is_empty() {
                true => replaced(""),
                false => replaced(&donor[random.pick(&theirs).clone()]),
            }
        }
        2 => {
            let theirs = of(&pieces(donor));
            match theirs.is_empty() {
                true => replaced(&[piece, " ", piece].concat()),
                false => replaced(&[piece, "\n", &donor[random.pick(&theirs).clone()]].concat()),
            }
        }
        3 => replaced(&text[random.pick(&alike).clone()]),
        4 => {
            let other = random.pick(&alike).clone();
            let (a, b) =
                if bytes.start < other.start { (bytes.clone(), other) } else { (other, bytes.clone()) };
            if a.end > b.start {
                return replaced("");
            }
            [&text[..a.start], &text[b.clone()], &text[a.end..b.start], &text[a], &text[b.end..]].concat()
        }
        5 => replaced(&[piece, " ", piece].concat()),
        6 => replaced(""),
        _ => {
            let [before, after] = match kind {
                Kind::Item => *random.pick(&AROUND_ITEMS),
                Kind::Statement => *random.pick(&AROUND_STATEMENTS),
                Kind::Expression => *random.pick(&AROUND_EXPRESSIONS),
                Kind::Type => ["const ", " *"],
            };
            let times = if random.one_in(30) { 1 + random.below(300) } else { 1 };
            replaced(&[&before.repeat(times), piece, &after.repeat(times)].concat())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, text: &str) -> Vec<&str> {
        let found = pieces(text).into_iter().filter(|p| p.kind == kind);
        found.map(|p| &text[p.bytes]).collect()
    }

    #[test]
    fn a_program_is_cut_where_its_grammar_is() {
        let text = "#include <x>\n__device__ int f(int a, const float *b) { return a; }\nint y = g(1, \"),\");\n\
                    struct S { int x; };\n__global__ void k() { if (f(1, p[2])) { a.b(c)[d] = 1; } else { } // ; {\n for (;;) x++; }";
        let items = of(Kind::Item, text);
        assert_eq!(items.len(), 5, "{items:?}");
        assert_eq!(items[0], "#include <x>");
        assert!(items[1].starts_with("__device__") && items[1].ends_with("return a; }"));
        assert_eq!(items[2..4], ["int y = g(1, \"),\");", "struct S { int x; };"]);
        let statements = of(Kind::Statement, text);
        assert!(statements.contains(&"return a;") && statements.contains(&"int x;"), "{statements:?}");
        assert!(
            statements.iter().any(|s| s.starts_with("if (f") && s.ends_with("else { }")),
            "{statements:?}"
        );
        let expressions = of(Kind::Expression, text);
        for wanted in ["const float *b", "p[2]", "a.b(c)[d]", "\"),\"", "f(1, p[2])"] {
            assert!(expressions.contains(&wanted), "{wanted}: {expressions:?}");
        }
        assert!(of(Kind::Type, text).contains(&"const float *"));
    }

    #[test]
    fn any_text_has_pieces_or_none() {
        for text in ["", ")", "(((", "}}};", "\"", "/*", "#", "a b c", "'\\", "{[(])}", "é(ü)"] {
            for piece in pieces(text) {
                assert!(text.get(piece.bytes).is_some());
            }
        }
    }
}
