//! Breaks coloured lines. Each piece ends its own colours, so that they do not spill onto the indentation of the next
//! piece.

use crate::text::{char_width, color_length};

/// Minimum columns of text in a wrapped line; a deeper indentation is reduced to leave this room.
const MIN_ROOM: usize = 24;

/// The characters of a line, each with the index of its colour in `colors`.
pub(crate) struct Styled {
    cells: Vec<(char, usize)>,
    colors: Vec<String>,
}

impl Styled {
    pub(crate) fn of(line: &str) -> Styled {
        let mut styled = Styled { cells: Vec::new(), colors: vec![String::new()] };
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let length = color_length(rest);
            if length == 0 {
                styled.cells.push((c, styled.colors.len() - 1));
                rest = &rest[c.len_utf8()..];
                continue;
            }
            let (code, after) = rest.split_at(length);
            let before = styled.colors.last().cloned().unwrap_or_default();
            let is_reset = matches!(code, "\u{1b}[0m" | "\u{1b}[m");
            styled.colors.push(if is_reset { String::new() } else { before + code });
            rest = after;
        }
        styled
    }

    /// The characters without their colours.
    pub(crate) fn plain(&self) -> String {
        self.cells.iter().map(|(c, _)| *c).collect()
    }

    /// Wraps to lines of at most `columns`. Later lines repeat the first `prefix` characters and start their text at
    /// column `hang`, or further left if that leaves too little room.
    pub(crate) fn wrap(&self, columns: usize, prefix: usize, hang: usize) -> String {
        let hang = if hang + MIN_ROOM > columns { (prefix + 4).min(columns / 2) } else { hang };
        let mut lines = Vec::new();
        let mut start = 0;
        while start < self.cells.len() {
            let lead = if start == 0 { 0 } else { hang };
            let end =
                self.line_end(start, columns.saturating_sub(lead).max(1), if start == 0 { hang } else { 0 });
            let mut line = String::new();
            if start > 0 {
                line.push_str(&self.show(&self.cells[..prefix.min(start)]));
                line.push_str(&" ".repeat(hang.saturating_sub(prefix)));
            }
            line.push_str(&self.show(&self.cells[start..end]));
            lines.push(line.trim_end().to_owned());
            start = end;
            while start > 0 && self.cells.get(start).is_some_and(|(c, _)| *c == ' ') {
                start += 1;
            }
        }
        lines.join("\n")
    }

    /// The end of a line that starts at `start` and has `columns` columns: before the first word that does not fit,
    /// or inside it if it is the only word. Never breaks within the first `keep` characters.
    fn line_end(&self, start: usize, columns: usize, keep: usize) -> usize {
        let mut used = 0;
        let mut blank = None;
        for (at, (c, _)) in self.cells.iter().enumerate().skip(start) {
            used += char_width(*c);
            if used > columns {
                return blank.unwrap_or(at.max(start + 1));
            }
            if *c == ' ' && at > start + keep {
                blank = Some(at);
            }
        }
        self.cells.len()
    }

    /// Cuts the line to `columns`, with `...` instead of the rest.
    pub(crate) fn cut(&self, columns: usize) -> String {
        let mark = "...";
        let end = self.line_end(0, columns.saturating_sub(mark.len()), usize::MAX / 2);
        self.show(&self.cells[..end]) + mark
    }

    /// Writes characters with their colours, and ends the last colour.
    fn show(&self, cells: &[(char, usize)]) -> String {
        let mut out = String::new();
        let mut now = "";
        for (c, color) in cells {
            let color = self.colors[*color].as_str();
            if color != now {
                if !now.is_empty() {
                    out.push_str("\u{1b}[0m");
                }
                out.push_str(color);
                now = color;
            }
            out.push(*c);
        }
        if !now.is_empty() {
            out.push_str("\u{1b}[0m");
        }
        out
    }
}
