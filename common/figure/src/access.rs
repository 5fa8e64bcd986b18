//! Draws the sectors of global memory that one access of a warp touches.
//!
//! The sectors follow from the lanes' addresses by the rules of the "CUDA C++ Programming Guide" (compute capability
//! 5.x and later): global memory is fetched in sectors of 32 bytes, and a line of 128 bytes has four sectors.
//!
//! A request can be drawn for pages ([`Request::draw`]) and as text for terminals ([`Request::text`]), from the same
//! numbers.

use crate::cells::{Look, Sheet};
use crate::lanes::{HIGH, LANES, MOST_LINES, lane_list, lanes_named, middle};
use crate::markup::Element;
use crate::number::count;
use crate::svg::{Anchor, Point, Rect, TEXT, label, line, text_width};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Bytes per word.
const WORD: u64 = 4;
/// Bytes per sector.
const SECTOR: u64 = 32;
/// Bytes per memory line.
const MEMORY_LINE: u64 = 128;

/// Width left of a memory line, for its address.
const MARGIN: f64 = 54.0;
/// Space between two sectors.
const BETWEEN: f64 = 4.0;
/// Maximum columns that numbers of lanes take beside a line of text.
const LANE_COLUMNS: usize = 26;

/// A request to global memory: which lanes access which bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Active lanes in ascending order, each with the address of the first byte that it accesses.
    pub lanes: Vec<(u32, u64)>,
    /// Bytes per lane: 1, 2, 4, 8 or 16.
    pub bytes: u64,
}

impl Request {
    /// A request of one 4-byte word per lane; the first address is lane 0's.
    pub fn of_words(addresses: impl IntoIterator<Item = u64>) -> Request {
        Request { lanes: (0..).zip(addresses).collect(), bytes: WORD }
    }

    /// Number of sectors that the request touches.
    pub fn sectors(&self) -> usize {
        self.distinct(SECTOR).len()
    }

    /// Minimum number of sectors for as many used bytes.
    pub fn fewest(&self) -> u64 {
        self.used_bytes().div_ceil(SECTOR)
    }

    /// Number of distinct bytes that the lanes access.
    pub fn used_bytes(&self) -> u64 {
        self.distinct(1).len() as u64
    }

    /// Percentage of the touched sectors' bytes that lanes access.
    pub fn used_percent(&self) -> f64 {
        100.0 * self.used_bytes() as f64 / (SECTOR * self.sectors() as u64).max(1) as f64
    }

    /// The aligned pieces of `size` bytes that the request touches, as indices address / `size`.
    fn distinct(&self, size: u64) -> BTreeSet<u64> {
        self.lanes.iter().flat_map(|(_, address)| self.touched(*address, size)).collect()
    }

    /// The pieces of `size` bytes that a lane with this address touches.
    fn touched(&self, address: u64, size: u64) -> RangeInclusive<u64> {
        address / size..=(address + self.bytes.max(1) - 1) / size
    }

    /// The lanes that touch piece number `piece` of `size` bytes.
    fn lanes_at(&self, piece: u64, size: u64) -> Vec<u32> {
        let at = self.lanes.iter().filter(|(_, address)| self.touched(*address, size).contains(&piece));
        at.map(|(lane, _)| *lane).collect()
    }

    /// Draws each 128-byte line that the request touches, with its address and four sectors. If there is only one
    /// line, also draws the lanes, each connected to its word.
    pub fn draw(&self, sheet: &mut Sheet) {
        self.draw_lines(sheet, false);
    }

    /// Draws the same picture. If there is more than one line, also writes the lane numbers above each sector.
    pub fn draw_with_lanes(&self, sheet: &mut Sheet) {
        self.draw_lines(sheet, true);
    }

    fn draw_lines(&self, sheet: &mut Sheet, is_numbered: bool) {
        let lines: Vec<u64> = self.distinct(MEMORY_LINE).into_iter().collect();
        let hidden = middle(lines.len(), MOST_LINES);
        if lines.len() == 1 {
            self.draw_lanes(sheet);
        }
        for (i, number) in lines.iter().enumerate() {
            if i == hidden.start && !hidden.is_empty() {
                let text = format!("and {} lines like these", hidden.len());
                sheet.text_at(MARGIN, sheet.width() - MARGIN, &text);
            }
            if hidden.contains(&i) {
                continue;
            }
            if is_numbered && lines.len() > 1 {
                self.number_sectors(*number, sheet);
            }
            sheet.draw(self.memory_line(*number, sheet));
            sheet.skip(HIGH + 4.0);
        }
        sheet.skip(4.0);
    }

    fn draw_lanes(&self, sheet: &mut Sheet) {
        let top = sheet.y();
        let width = (sheet.width() - 2.0 - MARGIN) / f64::from(LANES);
        let area = |lane: u32| Rect { x: MARGIN + width * f64::from(lane), y: top, width, height: HIGH };
        sheet.draw([label(Point::new(0.0, top + TEXT - 1.0), Anchor::Start, "lanes")]);
        let is_idle = |lane: &u32| self.lanes.iter().all(|(active, _)| active != lane);
        sheet.draw((0..LANES).filter(is_idle).map(|lane| Look::Unused.cell(area(lane))));
        for (lane, address) in &self.lanes {
            let word = word_area(sheet, address % MEMORY_LINE / WORD, top + HIGH + 18.0);
            let from = area(*lane);
            let ends = [Point::new(from.center().x, from.bottom()), Point::new(word.center().x, word.y)];
            sheet.draw([line(ends[0], ends[1]).class("leader"), Look::Plain.cell(from)]);
        }
        sheet.skip(HIGH + 18.0);
    }

    /// Writes the lanes of each sector above the line.
    fn number_sectors(&self, number: u64, sheet: &mut Sheet) {
        let (per_line, per_sector) = (MEMORY_LINE / SECTOR, SECTOR / WORD);
        for sector in number * per_line..(number + 1) * per_line {
            let lanes = self.lanes_at(sector, SECTOR);
            let first = sector % per_line * per_sector;
            let [first, last] = [first, first + per_sector - 1].map(|word| word_area(sheet, word, 0.0));
            let (start, end) = (first.x, last.right());
            let texts = [lanes_named(&lanes), lane_list(&lanes), format!("{} lanes", lanes.len())];
            let fits = |text: &String| !lanes.is_empty() && text_width(text) <= end - start + BETWEEN - 1.0;
            if let Some(text) = texts.into_iter().find(fits) {
                let center = Point::new((start + end) / 2.0, sheet.y() + TEXT - 2.0);
                sheet.draw([label(center, Anchor::Middle, &text).class("muted")]);
            }
        }
        sheet.skip(TEXT + 1.0);
    }

    /// The look of each word of a line: used, fetched but not used, or not fetched.
    fn looks(&self, number: u64) -> Vec<Look> {
        let (words, sectors) = (self.distinct(WORD), self.distinct(SECTOR));
        let first = number * (MEMORY_LINE / WORD);
        let look = |word: u64| match word {
            word if words.contains(&word) => Look::Solid,
            word if sectors.contains(&(word * WORD / SECTOR)) => Look::Hatched,
            _ => Look::Unused,
        };
        (first..first + MEMORY_LINE / WORD).map(look).collect()
    }

    fn memory_line(&self, number: u64, sheet: &Sheet) -> Vec<Element> {
        let (address, top) = (count(number * MEMORY_LINE), sheet.y());
        let mut parts = vec![label(Point::new(0.0, top + TEXT - 1.0), Anchor::Start, &address)];
        let looks = (0..).zip(self.looks(number));
        parts.extend(looks.map(|(word, look)| look.cell(word_area(sheet, word, top))));
        parts
    }

    /// The picture as text: one row per 128-byte line with its first byte, sectors and lanes. The legend in the first
    /// row explains used words with `used` and the other words of touched sectors with `wasted`.
    pub fn text(&self, [used, wasted]: [&str; 2]) -> Vec<String> {
        let lines: Vec<u64> = self.distinct(MEMORY_LINE).into_iter().collect();
        let hidden = middle(lines.len(), MOST_LINES);
        let mut rows = vec![format!("{:>10}  four sectors of 8 words: # {used}, . {wasted}", "byte")];
        for (i, number) in lines.iter().enumerate() {
            if i == hidden.start && !hidden.is_empty() {
                rows.push(format!("{:>10}  and {} lines of 128 bytes like these", "", hidden.len()));
            }
            if hidden.contains(&i) {
                continue;
            }
            let mut words = String::new();
            for (word, look) in self.looks(*number).into_iter().enumerate() {
                words.push_str(if word % 8 == 0 { "|" } else { "" });
                words.push(match look {
                    Look::Solid => '#',
                    Look::Hatched => '.',
                    _ => ' ',
                });
            }
            let lanes = self.lanes_at(*number, MEMORY_LINE);
            let texts = [lanes_named(&lanes), format!("{} lanes", lanes.len())];
            let lanes = texts.into_iter().find(|text| text.chars().count() <= LANE_COLUMNS);
            rows.push(format!("{:>10}  {words}|  {}", number * MEMORY_LINE, lanes.unwrap_or_default()));
        }
        rows
    }
}

/// Legend for [`Request::draw`] of a load.
pub const REQUEST_KEY: [(Look, &str); 3] =
    [(Look::Solid, "used"), (Look::Hatched, "fetched, not used"), (Look::Unused, "not fetched")];

/// Legend for [`Request::draw`] of a store.
pub const WRITE_KEY: [(Look, &str); 3] =
    [(Look::Solid, "written"), (Look::Hatched, "in a sector, not written"), (Look::Unused, "not touched")];

/// Where a word of a line of memory is drawn.
fn word_area(sheet: &Sheet, word: u64, top: f64) -> Rect {
    let width = (sheet.width() - 2.0 - MARGIN - 3.0 * BETWEEN) / 32.0;
    let gaps = BETWEEN * (word / (SECTOR / WORD)) as f64;
    Rect { x: MARGIN + gaps + width * word as f64, y: top, width, height: HIGH }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(stride: u64, from: u64) -> Request {
        Request::of_words((0..32).map(|lane| from + WORD * stride * lane))
    }

    #[test]
    fn sectors_follow_from_addresses() {
        let cases = [(1, 0, 4), (1, 4, 5), (2, 0, 8), (8, 0, 32), (1024, 0, 32), (0, 64, 1)];
        for (stride, from, sectors) in cases {
            assert_eq!(request(stride, from).sectors(), sectors, "stride {stride} from {from}");
        }
        assert_eq!(request(8, 0).used_percent(), 12.5);
        assert_eq!(request(0, 0).used_bytes(), 4);
    }
}
