//! Sets of lanes of a warp, as lists in words and as drawn rows.

use crate::cells::{Look, Sheet};
use crate::svg::{Anchor, Point, Rect, TEXT, label};
use std::ops::Range;

/// Lanes per warp.
pub const LANES: u32 = 32;

/// Height of a cell.
pub(crate) const HIGH: f64 = 12.0;
/// Maximum lines or rows in a picture; the ones in the middle are left out.
pub(crate) const MOST_LINES: usize = 4;

/// Range of entries to leave out of a list of more than `most` entries: all but the first two and the last.
pub(crate) fn middle(len: usize, most: usize) -> Range<usize> {
    if len > most { 2..len - 1 } else { 0..0 }
}

/// Formats ascending lane numbers as ranges.
///
/// ```
/// assert_eq!(figure::lanes::lane_list(&[0, 1, 2, 9, 30, 31]), "0–2, 9, 30, 31");
/// ```
pub fn lane_list(lanes: &[u32]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = lanes;
    while let Some(first) = rest.first() {
        let run = rest.iter().zip(*first..).take_while(|(lane, next)| **lane == *next).count();
        let (part, after) = rest.split_at(run.max(1));
        match part {
            [first, .., last] if part.len() > 2 => parts.push(format!("{first}–{last}")),
            _ => parts.extend(part.iter().map(u32::to_string)),
        }
        rest = after;
    }
    parts.join(", ")
}

/// Lane numbers with the word "lane" or "lanes": `lane 3`, `lanes 0–7`.
pub fn lanes_named(lanes: &[u32]) -> String {
    format!("{} {}", if lanes.len() == 1 { "lane" } else { "lanes" }, lane_list(lanes))
}

/// The lanes of a mask, in ascending order.
pub fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    (0..LANES).filter(move |lane| mask >> lane & 1 == 1)
}

/// Sets of lanes, drawn as one row per set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneRows {
    /// Text of each row, and the mask of its lanes.
    pub rows: Vec<(String, u32)>,
}

impl LaneRows {
    /// Draws each row below its text. Lanes outside the set have a faint border.
    pub fn draw(&self, sheet: &mut Sheet) {
        // So that the last number stays in the figure.
        let (left, width) = (6.0, (sheet.width() - 12.0) / f64::from(LANES));
        let hidden = middle(self.rows.len(), MOST_LINES);
        for (i, (text, mask)) in self.rows.iter().enumerate() {
            if i == hidden.start && !hidden.is_empty() {
                sheet.text(&format!("and {} rows like these", hidden.len()));
            }
            if hidden.contains(&i) {
                continue;
            }
            sheet.text(text);
            let y = sheet.y();
            sheet.draw((0..LANES).map(|lane| {
                let look = if mask >> lane & 1 == 1 { Look::Solid } else { Look::Unused };
                look.cell(Rect { x: left + width * f64::from(lane), y, width, height: HIGH })
            }));
            sheet.skip(HIGH + 4.0);
        }
        for lane in [0, 8, 16, 24, LANES - 1] {
            let at = Point::new(left + width * (f64::from(lane) + 0.5), sheet.y() + TEXT - 2.0);
            sheet.draw([label(at, Anchor::Middle, &lane.to_string()).class("muted")]);
        }
        sheet.skip(TEXT + 6.0);
    }

    /// The rows as text: `#` is a lane of the set.
    pub fn text(&self) -> Vec<String> {
        let hidden = middle(self.rows.len(), MOST_LINES);
        let mut rows = Vec::new();
        for (i, (text, mask)) in self.rows.iter().enumerate() {
            if i == hidden.start && !hidden.is_empty() {
                rows.push(format!("    and {} rows like these", hidden.len()));
            }
            if !hidden.contains(&i) {
                let of = |lane: u32| if mask >> lane & 1 == 1 { '#' } else { '.' };
                rows.push(format!("    |{}|  {text}", (0..LANES).map(of).collect::<String>()));
            }
        }
        rows
    }
}
