//! Aligned columns that fit a width.
//!
//! A table that is too wide first narrows its column of free text, then continues below itself: what does not fit follows with the
//! first column repeated, as in a paged spreadsheet. Numbers are never broken.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use source::text::{cut, printable, width};

/// Minimum width of the column of free text.
const MIN_TEXT: usize = 20;

/// Blanks before each line.
const INDENT: usize = 2;

/// A table that is being built. A column of numbers is aligned right, any other column left; [`Columns::text`] makes a column of numbers a
/// column of text.
pub struct Columns {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    text: Vec<usize>,
    flexible: Option<usize>,
    gap: usize,
}

impl Columns {
    /// A table without rows.
    pub fn new<S: AsRef<str>>(header: &[S]) -> Columns {
        let header = header.iter().map(|name| name.as_ref().to_owned()).collect();
        Columns { header, rows: Vec::new(), text: Vec::new(), flexible: None, gap: 2 }
    }

    /// Aligns a column left as text, even if its cells begin like numbers.
    pub fn text(&mut self, column: usize) {
        self.text.push(column);
    }

    /// Makes a column the free text, which is narrowed and cut if the table is too wide.
    pub fn flexible(&mut self, column: usize) {
        self.text(column);
        self.flexible = Some(column);
    }

    /// One blank between columns instead of two.
    pub fn narrow(&mut self) {
        self.gap = 1;
    }

    /// Adds a row; tabs and control characters of its cells are made visible.
    pub fn row(&mut self, cells: Vec<String>) {
        let show = |cell: String| printable(&cell.replace(['\t', '\n'], " ")).into_owned();
        self.rows.push(cells.into_iter().map(show).collect());
    }

    /// Leaves out the columns that have nothing but `-` in their rows; the first stays.
    pub fn drop_empty(&mut self) {
        let used = |column: &usize| *column == 0 || self.rows.iter().any(|row| row[*column] != "-");
        let keep: Vec<usize> = (0..self.header.len()).filter(used).collect();
        let new = |column: usize| keep.iter().position(|k| *k == column);
        self.header = keep.iter().map(|k| self.header[*k].clone()).collect();
        self.rows = self.rows.iter().map(|row| keep.iter().map(|k| row[*k].clone()).collect()).collect();
        self.text = self.text.iter().filter_map(|c| new(*c)).collect();
        self.flexible = self.flexible.and_then(new);
    }

    /// Whether nothing but the first column is left.
    pub fn has_names_only(&self) -> bool {
        self.header.len() < 2
    }

    /// What columns mean, each given by its name: of those that the table shows.
    pub fn legend(&self, all: &[(&str, &str)]) -> String {
        let shown = all.iter().filter(|(name, _)| self.header.iter().any(|own| own == name));
        shown.map(|(name, text)| format!("{name}: {text}")).collect::<Vec<_>>().join("; ")
    }

    /// Whether every cell of a column is empty or begins with a digit or `-`.
    fn numeric(&self, column: usize) -> bool {
        let starts = |s: &String| s.is_empty() || s.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        self.rows.iter().filter_map(|r| r.get(column)).all(starts)
    }

    /// The table as lines of at most `columns` columns, each with a line end.
    pub fn render(&self, columns: usize) -> String {
        let mut widths: Vec<usize> = (0..self.header.len()).map(|c| self.natural(c)).collect();
        let room = columns.saturating_sub(INDENT);
        if let Some(text) = self.flexible {
            let excess = self.total(&widths).saturating_sub(room);
            widths[text] = widths[text].saturating_sub(excess).max(MIN_TEXT.min(widths[text]));
        }
        // No column may be so wide that it does not fit beside the first one.
        if let Some(first) = widths.first_mut() {
            *first = (*first).min(room / 2);
        }
        let first = widths.first().copied().unwrap_or(0);
        for width in widths.iter_mut().skip(1) {
            *width = (*width).min(room.saturating_sub(first + self.gap));
        }
        self.blocks(&widths, room).iter().map(|block| self.block(block, &widths)).collect()
    }

    /// Groups the columns into blocks that fit `room`; every block starts with the first column.
    fn blocks(&self, widths: &[usize], room: usize) -> Vec<Vec<usize>> {
        let first = widths.first().copied().unwrap_or(0);
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut used = room + 1;
        for (column, width) in widths.iter().enumerate().skip(1) {
            if used + self.gap + width > room {
                blocks.push(vec![0]);
                used = first;
            }
            if let Some(block) = blocks.last_mut() {
                block.push(column);
            }
            used += self.gap + width;
        }
        if blocks.is_empty() { vec![vec![0]] } else { blocks }
    }

    fn natural(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).chain(self.header.get(column));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    }

    fn total(&self, widths: &[usize]) -> usize {
        widths.iter().sum::<usize>() + self.gap * widths.len().saturating_sub(1)
    }

    fn block(&self, block: &[usize], widths: &[usize]) -> String {
        let pick = |row: &[String]| -> Vec<String> {
            block.iter().map(|c| cut(row.get(*c).map_or("", String::as_str), widths[*c])).collect()
        };
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(pick(&self.header));
        table.add_rows(self.rows.iter().map(|row| pick(row)));
        for (column, i) in table.column_iter_mut().zip(block) {
            let right = !self.text.contains(i) && self.numeric(*i);
            column.set_cell_alignment(if right { CellAlignment::Right } else { CellAlignment::Left });
            column.set_padding((0, self.gap as u16));
        }
        table.lines().map(|line| format!("{}{}\n", " ".repeat(INDENT), line.trim_end())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Columns {
        let mut columns = Columns::new(&["kernel", "time", "GB/s", "ways", "source"]);
        columns.row(
            ["naive_read_columns", "11.74 µs", "1429.5", "-", "out[y] = in[x];"].map(String::from).to_vec(),
        );
        columns.row(
            ["copy", "8.93 µs", "1878.1", "-", "\tout[i] = a_long_name[i] + another;"]
                .map(String::from)
                .to_vec(),
        );
        columns.flexible(4);
        columns
    }

    #[test]
    fn a_wide_table_gives_up_text_and_then_goes_on_below() {
        let wide = table().render(120);
        assert_eq!(wide.lines().count(), 3, "{wide}");
        let cut = table().render(72);
        assert_eq!(cut.lines().count(), 3, "{cut}");
        assert!(cut.contains('…'), "{cut}");
        let split = table().render(40);
        assert!(split.lines().count() > 3 && split.contains("1429.5"), "{split}");
        assert!(split.matches("naive_read_columns").count() > 1, "{split}");
        for columns in [40, 50, 60, 80] {
            let text = table().render(columns);
            assert!(text.lines().all(|line| width(line) <= columns), "{columns}:\n{text}");
        }
    }

    #[test]
    fn a_column_without_a_value_can_be_left_out() {
        let mut columns = table();
        columns.drop_empty();
        let text = columns.render(80);
        assert!(!text.contains("ways") && text.contains("source"), "{text}");
    }
}
