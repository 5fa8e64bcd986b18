//! What one access of a warp touches: sectors of global memory, banks of shared memory.
//!
//! Both are computed from the lanes' addresses, as "CUDA C++ Programming Guide", compute capability 5.x and later, says: global memory
//! is fetched in sectors of 32 bytes, of which a line of 128 bytes has four, and word i of shared memory is in bank i % 32. Accesses
//! here are of one word of 4 bytes per lane, at multiples of 4.

use crate::cells::{Look, Sheet};
use crate::markup::Element;
use crate::number::count;
use crate::svg::{Anchor, Point, Rect, TEXT, WIDTH, label, line};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a word.
const WORD: u64 = 4;
/// Bytes of a sector.
const SECTOR: u64 = 32;
/// Bytes of a line.
const MEMORY_LINE: u64 = 128;
/// Banks of shared memory.
const BANKS: u64 = 32;

/// Room to the left of a line, for its address.
const MARGIN: f64 = 54.0;
/// Space between two sectors.
const BETWEEN: f64 = 4.0;
/// Width of a word.
const CELL: f64 = (WIDTH - 2.0 - MARGIN - 3.0 * BETWEEN) / 32.0;
/// Height of a word.
const HIGH: f64 = 12.0;
/// Of more lines than this, the ones in the middle are not drawn.
const MOST_LINES: usize = 4;

/// A request to global memory: the byte address that each lane accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// In the order of the lanes.
    pub addresses: Vec<u64>,
}

impl Request {
    /// How many sectors it touches.
    pub fn sectors(&self) -> usize {
        self.distinct(SECTOR).len()
    }

    /// How many different bytes its lanes use.
    pub fn used_bytes(&self) -> u64 {
        WORD * self.distinct(WORD).len() as u64
    }

    /// The share of the fetched bytes that lanes use, in per cent.
    pub fn used_percent(&self) -> f64 {
        100.0 * self.used_bytes() as f64 / (SECTOR * self.sectors() as u64).max(1) as f64
    }

    fn distinct(&self, size: u64) -> BTreeSet<u64> {
        self.addresses.iter().map(|address| address / size).collect()
    }

    /// Draws the lines of 128 bytes that it touches, each with its address and its four sectors. Where it is only one, lines lead from
    /// the lanes to their words.
    pub fn draw(&self, sheet: &mut Sheet) {
        let lines: Vec<u64> = self.distinct(MEMORY_LINE).into_iter().collect();
        let hidden = match lines.len() {
            n if n > MOST_LINES => 2..n - 1,
            _ => 0..0,
        };
        if lines.len() == 1 {
            self.lanes(sheet);
        }
        for (i, number) in lines.iter().enumerate() {
            if i == hidden.start && !hidden.is_empty() {
                let text = format!("and {} lines like these", hidden.len());
                sheet.text_at(MARGIN, WIDTH - MARGIN, &text);
            }
            if !hidden.contains(&i) {
                sheet.draw(self.memory_line(*number, sheet.y()));
                sheet.skip(HIGH + 4.0);
            }
        }
        sheet.skip(4.0);
    }

    fn lanes(&self, sheet: &mut Sheet) {
        let top = sheet.y();
        let width = (WIDTH - 2.0 - MARGIN) / self.addresses.len().max(1) as f64;
        sheet.draw([label(Point::new(0.0, top + TEXT - 1.0), Anchor::Start, "lanes")]);
        for (lane, address) in self.addresses.iter().enumerate() {
            let area = Rect { x: MARGIN + width * lane as f64, y: top, width, height: HIGH };
            let word = word_area(address % MEMORY_LINE / WORD, top + HIGH + 18.0);
            let ends = [Point::new(area.center().x, area.bottom()), Point::new(word.center().x, word.y)];
            sheet.draw([line(ends[0], ends[1]).class("leader"), Look::Plain.cell(area)]);
        }
        sheet.skip(HIGH + 18.0);
    }

    fn memory_line(&self, number: u64, top: f64) -> Vec<Element> {
        let (words, sectors) = (self.distinct(WORD), self.distinct(SECTOR));
        let address = number * MEMORY_LINE;
        let mut parts = vec![label(Point::new(0.0, top + TEXT - 1.0), Anchor::Start, &count(address))];
        for word in 0..MEMORY_LINE / WORD {
            let look = match address + WORD * word {
                at if words.contains(&(at / WORD)) => Look::Solid,
                at if sectors.contains(&(at / SECTOR)) => Look::Hatched,
                _ => Look::Unused,
            };
            parts.push(look.cell(word_area(word, top)));
        }
        parts
    }
}

/// What the looks of [`Request::draw`] stand for.
pub const REQUEST_KEY: [(Look, &str); 3] =
    [(Look::Solid, "used"), (Look::Hatched, "fetched, not used"), (Look::Unused, "not fetched")];

fn word_area(word: u64, top: f64) -> Rect {
    let gaps = BETWEEN * (word / (SECTOR / WORD)) as f64;
    Rect { x: MARGIN + gaps + CELL * word as f64, y: top, width: CELL, height: HIGH }
}

/// An access to shared memory: the index of the word that each lane accesses, and how it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// In the order of the lanes.
    pub words: Vec<(u64, Look)>,
}

impl SharedAccess {
    /// The distinct words in each bank.
    pub fn banks(&self) -> BTreeMap<u64, BTreeMap<u64, Look>> {
        let mut banks: BTreeMap<u64, BTreeMap<u64, Look>> = BTreeMap::new();
        for (word, look) in &self.words {
            banks.entry(word % BANKS).or_default().insert(*word, *look);
        }
        banks
    }

    /// How many passes it takes: as many as the fullest bank has words.
    pub fn wavefronts(&self) -> usize {
        self.banks().values().map(BTreeMap::len).max().unwrap_or(0)
    }

    /// Draws the words of each bank above each other.
    pub fn draw(&self, sheet: &mut Sheet) {
        let (left, width, high) = (6.0, (WIDTH - 12.0) / BANKS as f64, 7.0);
        let base = sheet.y() + high * self.wavefronts() as f64;
        for (bank, words) in self.banks() {
            for (pass, look) in words.values().enumerate() {
                let at = Point::new(left + width * bank as f64, base - high * (pass + 1) as f64);
                sheet.draw([look.cell(Rect { x: at.x, y: at.y, width, height: high })]);
            }
        }
        for bank in 0..BANKS {
            let center = left + width * (bank as f64 + 0.5);
            let (from, to) = (Point::new(center, base), Point::new(center, base + 3.0));
            sheet.draw([line(from, to).class("axis")]);
            if bank % 8 == 0 || bank == BANKS - 1 {
                let at = Point::new(center, base + 3.0 + TEXT);
                sheet.draw([label(at, Anchor::Middle, &bank.to_string()).class("muted")]);
            }
        }
        sheet.draw([line(Point::new(left, base), Point::new(WIDTH - left, base)).class("axis")]);
        sheet.skip(base - sheet.y() + TEXT + 12.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(stride: u64, from: u64) -> Request {
        Request { addresses: (0..32).map(|lane| from + WORD * stride * lane).collect() }
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

    #[test]
    fn wavefronts_are_the_words_of_the_fullest_bank() {
        let strided =
            |stride: u64| SharedAccess { words: (0..32).map(|lane| (stride * lane, Look::Solid)).collect() };
        for (stride, wavefronts) in [(0, 1), (1, 1), (2, 2), (16, 16), (32, 32), (33, 1)] {
            assert_eq!(strided(stride).wavefronts(), wavefronts, "stride {stride}");
        }
    }
}
