//! Files, spans, and lines and columns.
//!
//! Editors end lines with or without a carriage return, and some write a byte-order mark. [`SourceMap`] removes both
//! ([`normalized`]), so spans, columns and messages do not depend on the editor.

use std::sync::OnceLock;

/// A file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A range of bytes of one file: 0-based, `end` excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The file that the range lies in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range of `start..end` bytes in `file`.
    pub const fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }

    /// From the start of `self` to the end of `other`; `self` if they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether all of a range is in this one.
    pub fn contains(self, inner: Span) -> bool {
        self.file == inner.file && self.start <= inner.start && inner.end <= self.end
    }

    /// The empty range just after this one, where something missing is expected.
    pub const fn after(self) -> Span {
        Span { file: self.file, start: self.end, end: self.end }
    }
}

/// A position in a file, as editors show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
}

/// A file's name and text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Computed when a message first asks for a line, because most files never need it.
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// The name that messages show: a path as the user gave it, or a name in angle brackets for built-in text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text after [`normalized`].
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte offset at which each line starts.
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
            std::iter::once(0).chain(ends).collect()
        })
    }

    /// Line and column of a byte offset; offsets past the end count as the end.
    pub fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts().partition_point(|&start| start as usize <= offset);
        let start = self.line_starts()[line - 1] as usize;
        let column = self.text[start..offset].chars().count();
        Position { line: line as u32, column: column as u32 + 1 }
    }
}

/// Removes the byte-order mark and all carriage returns before line feeds. Other carriage returns stay.
pub fn normalized(text: String) -> String {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    if !text.contains('\r') && !text.starts_with(BYTE_ORDER_MARK) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    for line in text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text).split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => plain.extend([line.trim_end_matches('\r'), "\n"]),
            None => plain.push_str(line),
        }
    }
    plain
}

/// All files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Whether a file is a text of the program's own, whose name is in angle brackets: `<cuda_fp16.h>`.
    pub fn is_built_in(&self, file: FileId) -> bool {
        self.file(file).name().starts_with('<')
    }

    /// Adds a file and normalizes its text ([`normalized`]). The text must be shorter than 4 GiB; callers enforce far
    /// lower limits (see `cuda-syntax`).
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = normalized(text.into());
        self.files.push(SourceFile { name: name.into(), text, line_starts: OnceLock::new() });
        FileId(self.files.len() as u32 - 1)
    }

    /// The file with an id that this map returned.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files with their ids, in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// Line and column of a span's start.
    pub fn position(&self, span: Span) -> Position {
        self.file(span.file).position(span.start)
    }

    /// The text of a span, cut at the end of the file.
    pub fn text(&self, span: Span) -> &str {
        let text = self.file(span.file).text();
        text.get(span.start as usize..(span.end as usize).min(text.len())).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut map = SourceMap::new();
        let id = map.add("a.cu", "ab\nµx\r\n");
        let file = map.file(id);
        assert_eq!(file.position(0), Position { line: 1, column: 1 });
        assert_eq!(file.position(3), Position { line: 2, column: 1 });
        assert_eq!(file.position(5), Position { line: 2, column: 2 });
        assert_eq!(
            file.position(4),
            Position { line: 2, column: 1 },
            "inside a character counts as its start"
        );
        assert_eq!(file.position(999), Position { line: 3, column: 1 });
        assert_eq!(map.text(Span::new(id, 3, 999)), "µx\n");
    }

    #[test]
    fn line_ends_and_byte_order_marks_make_no_difference() {
        let normalized = |text: &str| normalized(text.to_owned());
        assert_eq!(normalized("\u{feff}a\r\n\r\nb"), "a\n\nb");
        assert_eq!(normalized("a\r\r\nb\n"), "a\nb\n");
        assert_eq!(normalized("a\rb\r"), "a\rb\r", "a carriage return alone is no line end");
        assert_eq!(normalized("a\u{feff}\n"), "a\u{feff}\n", "a mark elsewhere is a character");
        assert_eq!(normalized("\u{feff}"), "");
    }

    #[test]
    fn a_span_over_two_files_keeps_the_first() {
        let a = Span::new(FileId(0), 3, 5);
        assert_eq!(a.to(Span::new(FileId(1), 0, 9)), a);
        assert_eq!(a.to(Span::new(FileId(0), 8, 9)), Span::new(FileId(0), 3, 9));
    }
}
