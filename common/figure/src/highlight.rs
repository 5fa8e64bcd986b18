//! Classifies tokens of CUDA C++, for colours in a listing.
//!
//! This is a lexer, not a parser: it recognises comments, strings (also raw strings), numbers, keywords, CUDA's
//! qualifiers and built-in names, and preprocessor lines. It accepts any text and reports no errors. Its run time is
//! linear in the length of the text.

use std::ops::Range;

/// Class of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `// …` and `/* … */`.
    Comment,
    /// Strings and characters.
    String,
    /// Numbers with their suffixes.
    Number,
    /// Keywords of C++ and names of its fundamental types.
    Keyword,
    /// `__global__`, `__shared__`, `__launch_bounds__` and other qualifiers.
    Qualifier,
    /// `threadIdx`, `__syncthreads`, `atomicAdd` and other built-in names.
    Builtin,
    /// A preprocessor line, without its comments.
    Directive,
}

impl Class {
    /// The name of the class in the style sheet.
    pub fn name(self) -> &'static str {
        match self {
            Class::Comment => "comment",
            Class::String => "string",
            Class::Number => "number",
            Class::Keyword => "keyword",
            Class::Qualifier => "qualifier",
            Class::Builtin => "builtin",
            Class::Directive => "directive",
        }
    }
}

/// The tokens that have a class, as byte ranges in order. Text between them has no class.
///
/// ```
/// use figure::highlight::{Class, tokens};
/// let text = "__global__ void k();";
/// assert_eq!(tokens(text), [(0..10, Class::Qualifier), (11..15, Class::Keyword)]);
/// ```
pub fn tokens(text: &str) -> Vec<(Range<usize>, Class)> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, tokens: Vec::new() };
    let mut first_of_line = true;
    while let Some(&byte) = lexer.bytes.get(lexer.at) {
        match byte {
            b'\n' => {
                lexer.at += 1;
                first_of_line = true;
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                lexer.at += 1;
                continue;
            }
            b'#' if first_of_line => lexer.directive(),
            _ => lexer.token(),
        }
        first_of_line = false;
    }
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<(Range<usize>, Class)>,
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Adds a token that reaches to `end`, which must be a character boundary.
    fn take(&mut self, end: usize, class: Class) {
        self.tokens.push((self.at..end, class));
        self.at = end;
    }

    fn token(&mut self) {
        let rest = self.rest();
        let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        match rest[0] {
            b'/' if matches!(rest.get(1), Some(b'/' | b'*')) => self.comment(),
            b'"' => self.quoted(self.at, b'"'),
            b'\'' => self.quoted(self.at, b'\''),
            b'.' if digit(rest.get(1)) => self.number(),
            b'0'..=b'9' => self.number(),
            b if is_name(b) => self.name(),
            _ => self.at += 1,
        }
    }

    fn comment(&mut self) {
        let end = match self.rest()[1] {
            b'/' => self.end_of_line(self.at),
            _ => self.text[self.at + 2..].find("*/").map_or(self.text.len(), |n| self.at + 2 + n + 2),
        };
        self.take(end, Class::Comment);
    }

    /// The end of the line at `from`, including lines that a backslash joins to it.
    fn end_of_line(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            let Some(n) = self.bytes[at..].iter().position(|b| *b == b'\n') else { return self.bytes.len() };
            let line = self.bytes[from..at + n].strip_suffix(b"\r").unwrap_or(&self.bytes[from..at + n]);
            if !line.ends_with(b"\\") {
                return at + n;
            }
            at += n + 1;
        }
    }

    /// Lexes a string or character literal. The lexer is at the opening quote; `start` is earlier if the literal has
    /// a prefix.
    fn quoted(&mut self, start: usize, quote: u8) {
        let mut end = self.at + 1;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' => break,
                _ if byte == quote => {
                    end += 1;
                    break;
                }
                _ => {}
            }
            end += 1;
        }
        let mut end = end.min(self.bytes.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        self.at = start;
        self.take(end, Class::String);
    }

    /// `R"d(…)d"`, the lexer's place being at the quote.
    fn raw_string(&mut self, start: usize) {
        let text = &self.text[self.at + 1..];
        let open = text.find('(').filter(|n| *n <= 16 && !text[..*n].contains(['"', '\\', ' ', '\n']));
        let Some(open) = open else { return self.quoted(start, b'"') };
        let close = format!("){}\"", &text[..open]);
        let end = text[open..].find(&close).map_or(self.text.len(), |n| self.at + 1 + open + n + close.len());
        self.at = start;
        self.take(end, Class::String);
    }

    fn number(&mut self) {
        let mut end = self.at;
        while let Some(&byte) = self.bytes.get(end) {
            let exponent = end > self.at && matches!(self.bytes[end - 1], b'e' | b'E' | b'p' | b'P');
            let hexadecimal = self.rest().starts_with(b"0x") || self.rest().starts_with(b"0X");
            let sign = matches!(byte, b'+' | b'-')
                && exponent
                && (!hexadecimal || matches!(self.bytes[end - 1], b'p' | b'P'));
            let separator = byte == b'\'' && self.bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || sign || separator) {
                break;
            }
            end += 1;
        }
        self.take(end, Class::Number);
    }

    fn name(&mut self) {
        let start = self.at;
        let length = self.rest().iter().position(|b| !is_name(*b) && !b.is_ascii_digit());
        let end = length.map_or(self.bytes.len(), |n| start + n);
        let name = &self.text[start..end];
        let next = self.bytes.get(end);
        let prefix = matches!(name, "u8" | "u" | "U" | "L");
        if next == Some(&b'"') && matches!(name, "R" | "u8R" | "uR" | "UR" | "LR") {
            self.at = end;
            return self.raw_string(start);
        }
        if let Some(quote @ (b'"' | b'\'')) = next.filter(|_| prefix) {
            self.at = end;
            return self.quoted(start, *quote);
        }
        match class_of(name) {
            Some(class) => self.take(end, class),
            None => self.at = end,
        }
    }

    /// Lexes a preprocessor line with the lines joined to it; comments inside it keep their own class.
    fn directive(&mut self) {
        let end = self.end_of_line(self.at);
        while self.at < end {
            let comment = self.comment_before(end);
            let stop = comment.unwrap_or(end);
            if stop > self.at {
                self.take(stop, Class::Directive);
            }
            if comment.is_some() {
                // A block comment may continue after the end of the line.
                self.comment();
            }
        }
    }

    /// Start of the next comment before `end` that is not inside a string.
    fn comment_before(&self, end: usize) -> Option<usize> {
        let mut quoted = false;
        let mut at = self.at;
        while at < end {
            match (self.bytes[at], self.bytes.get(at + 1)) {
                (b'\\', Some(b'"')) if quoted => at += 1,
                (b'"', _) => quoted = !quoted,
                (b'/', Some(b'/' | b'*')) if !quoted => return Some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// Whether a byte may begin a name. All bytes of non-ASCII characters count, so that a token never splits a
/// character.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// Whether a blank-separated list contains a word.
fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|own| own == word)
}

fn class_of(name: &str) -> Option<Class> {
    if has(QUALIFIERS, name) {
        return Some(Class::Qualifier);
    }
    if has(KEYWORDS, name) {
        return Some(Class::Keyword);
    }
    is_builtin(name).then_some(Class::Builtin)
}

fn is_builtin(name: &str) -> bool {
    const PREFIXES: &str =
        "__sync __shfl __ldg __ldc __st __threadfence __ballot __any __all __activemask __popc __match_
     __reduce_ atomic cudaTextureObject";
    has(BUILTINS, name) || PREFIXES.split_ascii_whitespace().any(|p| name.starts_with(p)) || is_vector(name)
}

/// Whether a name is a vector type, such as `float4` or `uchar2`.
fn is_vector(name: &str) -> bool {
    let Some((element, lanes)) = name.split_at_checked(name.len().saturating_sub(1)) else { return false };
    let elements = ["char", "short", "int", "long", "longlong", "float", "double"];
    matches!(lanes, "1" | "2" | "3" | "4")
        && (elements.contains(&element)
            || element.strip_prefix('u').is_some_and(|e| elements[..5].contains(&e)))
}

const QUALIFIERS: &str =
    "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __restrict
     __launch_bounds__ __cluster_dims__ __maxnreg__ __grid_constant__ __forceinline__ __noinline__ __align__";

const BUILTINS: &str =
    "threadIdx blockIdx blockDim gridDim warpSize dim3 size_t int8_t int16_t int32_t int64_t uint8_t
     uint16_t uint32_t uint64_t half __half __half2 __nv_bfloat16 tex1D tex2D tex3D tex1Dfetch fmaf printf
     assert";

const KEYWORDS: &str =
    "alignas alignof asm auto bool break case catch char class concept const const_cast consteval constexpr
     constinit continue decltype default delete do double dynamic_cast else enum explicit export extern
     false float for friend goto if inline int long mutable namespace new noexcept nullptr operator private
     protected public register reinterpret_cast requires return short signed sizeof static static_assert
     static_cast struct switch template this throw true try typedef typename union unsigned using virtual
     void while";
