//! Lines of a kernel's definition that are neither blank nor comment only.

/// A file's text without its comments, which are looked for once for all of its kernels.
pub(crate) struct CodeLines(String);

impl CodeLines {
    pub(crate) fn of(text: &str) -> CodeLines {
        CodeLines(without_comments(text))
    }

    /// Counts from the declaration's first line (the one with `template` or `__global__`) to the closing brace. `at` is a
    /// byte offset within the declaration; 0 if there is no body after it.
    pub(crate) fn count(&self, at: usize) -> u32 {
        let code = &self.0;
        let at = at.min(code.len());
        let Some(open) = code[at..].find('{').map(|i| at + i) else { return 0 };
        let Some(close) = closing(code, open) else { return 0 };
        // What precedes the name belongs to it back to the end of the last declaration.
        let start = code[..at].rfind([';', '}', '#']).map_or(0, |i| match code.as_bytes()[i] {
            b'#' => i + code[i..].find('\n').unwrap_or(0),
            _ => i + 1,
        });
        let lines = code[start.min(open)..=close].lines();
        lines.filter(|line| !line.trim().is_empty()).count() as u32
    }
}

/// The offset of the brace that closes the one at `open`.
fn closing(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(i),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The text with every byte of comments, strings and characters replaced by a blank; line ends stay. Blanked strings keep
/// their quotes, so that their lines still count as code.
fn without_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let end = match (bytes[i], bytes.get(i + 1)) {
            (b'/', Some(b'/')) => text[i..].find('\n').map_or(bytes.len(), |n| i + n),
            (b'/', Some(b'*')) => text[i + 2..].find("*/").map_or(bytes.len(), |n| i + n + 4),
            (quote @ (b'"' | b'\''), _) => {
                out.push(quote);
                i += 1;
                string_end(bytes, i, quote)
            }
            (byte, _) => {
                out.push(if byte.is_ascii() { byte } else { b'x' });
                i += 1;
                continue;
            }
        };
        out.extend(bytes[i..end].iter().map(|b| if *b == b'\n' { b'\n' } else { b' ' }));
        i = end;
    }
    // Every byte that was written is ASCII.
    String::from_utf8(out).unwrap_or_default()
}

/// Where a string that began before `from` ends: at its quote or the end of its line.
fn string_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut i = from;
    while i < bytes.len() && bytes[i] != b'\n' {
        match bytes[i] {
            b'\\' => i += 2,
            b if b == quote => return i + 1,
            _ => i += 1,
        }
    }
    i.min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, name: &str) -> u32 {
        CodeLines::of(text).count(text.find(name).unwrap())
    }

    #[test]
    fn blank_and_comment_lines_do_not_count() {
        let text = "#define N 4
// a comment { with a brace
__global__ void first(float *x)
{
    // nothing

    /* two
       lines */ x[0] = 1; // code
    if (x) { x[1] = 2; }
}

__global__ void second(int n) { }
";
        assert_eq!(count(text, "first"), 5);
        assert_eq!(count(text, "second"), 1);
    }

    #[test]
    fn templates_and_strings_count_and_unclosed_text_does_not_panic() {
        let text = "int a;\ntemplate <int N>\n__global__ void k() {\n  printf(\"}\\\"{µ\");\n}\n";
        assert_eq!(count(text, "k()"), 4);
        assert_eq!(count("void k() { /* ", "k()"), 0);
        assert_eq!(count("void k() { \"\\", "k()"), 0);
        assert_eq!(CodeLines::of("µ").count(7), 0);
    }
}
