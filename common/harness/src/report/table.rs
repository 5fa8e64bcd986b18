//! Plain aligned columns, cut to the report's width.

use super::text::WIDTH;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table in the making. Numbers stand right, everything else left, unless said otherwise.
pub(super) struct Columns {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    text: Vec<usize>,
    gap: u16,
}

impl Columns {
    pub(super) fn new(header: &[String]) -> Columns {
        Columns { header: header.to_vec(), rows: Vec::new(), text: Vec::new(), gap: 2 }
    }

    /// The column is text, whatever its cells begin with.
    pub(super) fn text(&mut self, column: usize) {
        self.text.push(column);
    }

    /// One blank between columns instead of two.
    pub(super) fn narrow(&mut self) {
        self.gap = 1;
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Whether every cell of a column begins as a number does.
    fn numeric(&self, column: usize) -> bool {
        let starts = |s: &String| s.is_empty() || s.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        self.rows.iter().filter_map(|r| r.get(column)).all(starts)
    }

    pub(super) fn render(&self) -> String {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(&self.header);
        table.add_rows(&self.rows);
        for (i, column) in table.column_iter_mut().enumerate() {
            let right = !self.text.contains(&i) && self.numeric(i);
            column.set_cell_alignment(if right { CellAlignment::Right } else { CellAlignment::Left });
            column.set_padding((0, self.gap));
        }
        table.lines().map(|line| cut(&format!("  {}", line.trim_end())) + "\n").collect()
    }
}

fn cut(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    line.chars().take(WIDTH - 1).chain(['…']).collect()
}
