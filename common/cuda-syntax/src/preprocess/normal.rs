//! A text in the form in which texts are compared with each other: renaming, comments, layout, types, literals and
//! qualifiers make no difference.
//!
//! The tokens are those of the lexer. Macros are not expanded, because a name of a macro is a name like any other.
//! Directives are left out, except for the replacement of a `#define`, which may have code.

use super::lexer::lex;
use super::token::{PpKind, PpToken};
use source::hash::Mixer;
use source::{FileId, words};
use std::hash::Hasher;

/// A token without the properties that a comparison ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NormalToken {
    /// A hash of what remains; equal in every process.
    pub code: u64,
    /// Its line, from 1.
    pub line: u32,
}

/// Words that shape a program; they are kept as they are.
const KEPT: &[&str] = words!(
    "if else for while do return switch case default break continue goto struct class union template using \
     namespace operator sizeof asm and or"
);

/// Words that can be added to most declarations without an effect on the program.
const DROPPED: [&str; 9] =
    ["const", "constexpr", "static", "inline", "volatile", "register", "extern", "mutable", "typename"];

/// Attributes of the same kind, in CUDA's spelling.
const DROPPED_ATTRIBUTES: [&str; 4] = ["__restrict__", "__restrict", "__forceinline__", "__noinline__"];

const TYPES: &[&str] = words!(
    "void bool char short int long float double unsigned signed auto half size_t ptrdiff_t int32_t uint32_t \
     int64_t uint64_t uint dim3 int8_t uint8_t"
);

/// Variables that tell a thread where it is.
const POSITIONS: [&str; 5] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

/// Splits a text into statements: the tokens between semicolons and braces, the head of a loop as one.
pub fn statements(text: &str) -> Vec<Vec<NormalToken>> {
    let mut statements = Statements { text, line: 1, read: 0, ..Statements::default() };
    let tokens = lex(text, FileId(0));
    let mut at = 0;
    while at < tokens.len() {
        at = match tokens[at].first_on_line && tokens[at].is("#") {
            true => statements.directive(&tokens, at),
            false => statements.token(&tokens, at),
        };
    }
    statements.end();
    statements.done
}

#[derive(Default)]
struct Statements<'a> {
    text: &'a str,
    /// Line of the byte up to which lines have been counted.
    line: u32,
    read: usize,
    /// Depth of open parentheses.
    depth: usize,
    current: Vec<NormalToken>,
    done: Vec<Vec<NormalToken>>,
    /// An increment that stands before its operand, so that `++i` and `i++` are the same.
    pending: Option<&'static str>,
    last_is_type: bool,
}

impl Statements<'_> {
    /// Reads a directive; returns the index of the token after it.
    fn directive(&mut self, tokens: &[PpToken], at: usize) -> usize {
        let length = tokens[at + 1..].iter().take_while(|token| !token.first_on_line).count();
        let line = &tokens[at + 1..][..length];
        let is_define = line.first().is_some_and(|token| token.is_ident("define"));
        if is_define && line.len() > 2 {
            self.end();
            let has_parameters = line[2].is("(") && !line[2].space;
            let parameters = || line.iter().position(|token| token.is(")")).map_or(line.len(), |end| end + 1);
            let body = if has_parameters { parameters() } else { 2 };
            (body..line.len()).for_each(|index| _ = self.token(line, index));
            self.end();
        }
        at + 1 + length
    }

    /// Reads a token; returns the index of the next.
    fn token(&mut self, tokens: &[PpToken], at: usize) -> usize {
        let token = &tokens[at];
        let was_type = std::mem::take(&mut self.last_is_type);
        let text = token.punct().unwrap_or(&token.text);
        match token.kind {
            PpKind::Ident if DROPPED.contains(&text) || DROPPED_ATTRIBUTES.contains(&text) => {
                self.last_is_type = was_type;
            }
            PpKind::Ident if TYPES.contains(&text) || is_vector(text) => {
                if !was_type {
                    self.add(token, "type");
                }
                self.last_is_type = true;
            }
            PpKind::Ident => {
                let is_member = |of: &PpToken| POSITIONS.contains(&&*of.text);
                let is_fixed = KEPT.contains(&text)
                    || POSITIONS.contains(&text)
                    || text.starts_with("__")
                    || at >= 2 && tokens[at - 1].is(".") && is_member(&tokens[at - 2]);
                let is_called = tokens.get(at + 1).is_some_and(|next| next.is("("));
                match (is_fixed, is_called) {
                    (true, _) => self.add(token, text),
                    (false, true) => self.add(token, "call"),
                    (false, false) => self.add(token, "name"),
                }
                if let Some(increment) = self.pending.take() {
                    self.add(token, increment);
                }
            }
            PpKind::Number => self.add(token, "number"),
            PpKind::Str | PpKind::Char => self.add(token, "text"),
            PpKind::Punct => self.punctuator(tokens, at),
            _ => {}
        }
        at + 1
    }

    fn punctuator(&mut self, tokens: &[PpToken], at: usize) {
        let token = &tokens[at];
        let text = token.punct().unwrap_or_default();
        match text {
            "(" => self.depth += 1,
            ")" => self.depth = self.depth.saturating_sub(1),
            "{" | "}" => {
                self.depth = 0;
                return self.end();
            }
            ";" if self.depth == 0 => return self.end(),
            "++" | "--" => {
                let ends_operand =
                    |before: &PpToken| before.kind == PpKind::Ident || before.is(")") || before.is("]");
                if at == 0 || !ends_operand(&tokens[at - 1]) {
                    self.pending = Some(text);
                    return;
                }
            }
            _ => {}
        }
        self.add(token, text);
    }

    fn add(&mut self, token: &PpToken, text: &str) {
        let begin = token.span.start as usize;
        let passed = self.text.as_bytes().get(self.read..begin).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u32;
        self.read = self.read.max(begin);
        let mut hash = Mixer::default();
        hash.write(text.as_bytes());
        self.current.push(NormalToken { code: hash.finish(), line: self.line });
    }

    fn end(&mut self) {
        self.pending = None;
        self.last_is_type = false;
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
    }
}

/// Whether a name is that of a vector type, such as `float4`.
fn is_vector(name: &str) -> bool {
    let base = name.strip_suffix(['1', '2', '3', '4']);
    base.is_some_and(|base| {
        ["float", "int", "uint", "double", "half", "char", "uchar", "short"].contains(&base)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<Vec<u64>> {
        statements(text).iter().map(|tokens| tokens.iter().map(|token| token.code).collect()).collect()
    }

    #[test]
    fn names_comments_layout_types_and_literals_make_no_difference() {
        let one = "const int sum = a[i + 1]; // the sum\nfor (int j = 0; j < n; j++) { f(x); }";
        let other = "unsigned long q\n  = zz[k+20] ; for(auto t=7;t<m;++t)\n{ /* g */ g(y)\n; }";
        assert_eq!(codes(one), codes(other));
        assert_ne!(codes("a[i] = threadIdx.x;"), codes("a[i] = threadIdx.y;"));
        assert_ne!(codes("a = b + c;"), codes("a = b * c;"));
    }

    #[test]
    fn directives_are_left_out_but_for_the_replacements_of_macros() {
        let text = "#include <a.h>\n#pragma unroll\n#ifdef X\n#define ADD(a, b) a + b\n#endif\nx = y;";
        assert_eq!(codes(text), codes("a + b; x = y;"));
        assert_eq!(codes("#define N"), Vec::<Vec<u64>>::new());
    }

    #[test]
    fn lines_are_those_of_the_text_and_any_text_has_statements() {
        let lines: Vec<u32> = statements("a\n\n= b;\n#if 1\nc;").iter().flatten().map(|t| t.line).collect();
        assert_eq!(lines, [1, 3, 3, 5]);
        for text in ["", "#", "# define", "}}))((", "++", "\"", "/*", "#define A( b", "\\\n", "é\u{2028};"] {
            statements(text);
        }
    }
}
