//! Draws the banks of shared memory that one access of a warp touches.
//!
//! The banks follow from the lanes' addresses by the rules of the "CUDA C++ Programming Guide" (compute capability
//! 5.x and later): word i of shared memory is in bank i % 32, and a bank delivers one word per pass. The hardware
//! splits accesses of more than 4 bytes per lane into parts ([`BankAccess::parts`]).
//!
//! An access can be drawn for pages ([`BankAccess::draw`]) and as text for terminals ([`BankAccess::text`]), from the
//! same numbers.

use crate::cells::{Look, Sheet};
use crate::lanes::{LANES, lanes_named, middle};
use crate::svg::{Anchor, Point, Rect, TEXT, label, line};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Bytes per word.
const WORD: u64 = 4;
/// Number of banks.
const BANKS: u64 = 32;
/// Maximum passes per part shown as text; the passes in the middle are left out.
const MOST_PASSES: usize = 8;

/// For each bank, its words and the look of each word.
type BankWords = BTreeMap<u64, BTreeMap<u64, Look>>;

/// Draws a column per bank, with one cell per word.
fn draw_banks(banks: &BankWords, sheet: &mut Sheet) {
    let (left, width, high) = (6.0, (sheet.width() - 12.0) / BANKS as f64, 7.0);
    let base = sheet.y() + high * most(banks) as f64;
    for (bank, words) in banks {
        for (pass, look) in words.values().enumerate() {
            let at = Point::new(left + width * *bank as f64, base - high * (pass + 1) as f64);
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
    sheet.draw([line(Point::new(left, base), Point::new(sheet.width() - left, base)).class("axis")]);
    sheet.skip(base - sheet.y() + TEXT + 12.0);
}

/// Number of words in the fullest bank, which is the number of passes.
fn most<T>(banks: &BTreeMap<u64, BTreeMap<u64, T>>) -> usize {
    banks.values().map(BTreeMap::len).max().unwrap_or(0)
}

/// An access to shared memory of one word per lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// For each lane in order: the index of its word, and the look of the word's cell.
    pub words: Vec<(u64, Look)>,
}

impl SharedAccess {
    /// The distinct words in each bank.
    pub fn banks(&self) -> BTreeMap<u64, BTreeMap<u64, Look>> {
        let mut banks = BankWords::new();
        for (word, look) in &self.words {
            banks.entry(word % BANKS).or_default().insert(*word, *look);
        }
        banks
    }

    /// Number of passes: the number of words in the fullest bank.
    pub fn wavefronts(&self) -> usize {
        most(&self.banks())
    }

    /// Draws a column per bank, with one cell per word.
    pub fn draw(&self, sheet: &mut Sheet) {
        draw_banks(&self.banks(), sheet);
    }
}

/// An access to shared memory of any width: which lanes access which bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankAccess {
    /// Active lanes in ascending order, each with the first byte that it accesses, from the start of the block's
    /// shared memory.
    pub lanes: Vec<(u32, u64)>,
    /// Bytes per lane: 1, 2, 4, 8 or 16.
    pub bytes: u64,
}

/// Lanes whose accesses to shared memory the hardware serves together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankPart {
    /// The lanes.
    pub lanes: Vec<u32>,
    /// The lanes that access each word, by bank and word.
    pub banks: BTreeMap<u64, BTreeMap<u64, Vec<u32>>>,
}

impl BankPart {
    /// Number of passes: the number of words in the fullest bank.
    pub fn wavefronts(&self) -> usize {
        most(&self.banks)
    }

    /// A sentence about the first of the fullest banks: how many words it delivers, and to which lanes.
    pub fn told(&self) -> String {
        let passes = self.wavefronts();
        let Some((bank, words)) = self.banks.iter().find(|(_, words)| words.len() == passes) else {
            return String::new();
        };
        let lanes: BTreeSet<u32> = words.values().flatten().copied().collect();
        let lanes = lanes_named(&lanes.into_iter().collect::<Vec<_>>());
        match passes {
            1 => "No bank has more than one word to give.".to_owned(),
            n => format!("Bank {bank} has {n} words to give, one per pass, to {lanes}."),
        }
    }
}

impl BankAccess {
    /// The parts of the access, which the hardware serves one after another: the whole warp for up to 4 bytes per
    /// lane, the halves of the warp for 8 bytes, and its quarters for 16 bytes. The two halves, or the two quarters
    /// of one half, merge if each of their active lanes `i` accesses the same address as lane `i ^ 1`, or each the
    /// same as lane `i ^ 2`. An inactive lane counts as the same. (The `^ 2` case is not documented; counters of an
    /// H200 show it.)
    pub fn parts(&self) -> Vec<BankPart> {
        let groups: Vec<Range<u32>> = match self.bytes {
            8 => self.halves(0..LANES).collect(),
            16 => self.halves(0..LANES / 2).chain(self.halves(LANES / 2..LANES)).collect(),
            _ => std::iter::once(0..LANES).collect(),
        };
        let parts = groups.iter().map(|group| self.part(group));
        parts.filter(|part| !part.lanes.is_empty()).collect()
    }

    /// Splits a range of lanes into halves, unless its lanes share words so that it stays one part.
    fn halves(&self, lanes: Range<u32>) -> impl Iterator<Item = Range<u32>> + use<> {
        let middle = lanes.start.midpoint(lanes.end);
        let shared = self.neighbours_share(&lanes);
        let halves = if shared { [lanes.clone(), 0..0] } else { [lanes.start..middle, middle..lanes.end] };
        halves.into_iter()
    }

    fn neighbours_share(&self, among: &Range<u32>) -> bool {
        let of = |lane: u32| self.lanes.iter().find(|(other, _)| *other == lane).map(|(_, byte)| *byte);
        [1, 2].into_iter().any(|distance| {
            let mut among = self.lanes.iter().filter(|(lane, _)| among.contains(lane));
            among.all(|(lane, byte)| of(lane ^ distance).is_none_or(|other| other == *byte))
        })
    }

    fn part(&self, group: &Range<u32>) -> BankPart {
        let mut part = BankPart::default();
        for (lane, byte) in self.lanes.iter().filter(|(lane, _)| group.contains(lane)) {
            part.lanes.push(*lane);
            for word in byte / WORD..=(byte + self.bytes.max(1) - 1) / WORD {
                part.banks.entry(word % BANKS).or_default().entry(word).or_default().push(*lane);
            }
        }
        part
    }

    /// Number of passes of all parts together.
    pub fn wavefronts(&self) -> usize {
        self.parts().iter().map(BankPart::wavefronts).sum()
    }

    /// Number of passes without bank conflicts: one per part.
    pub fn fewest(&self) -> usize {
        self.parts().len()
    }

    /// Draws a column per bank with one cell per word, separately for each part.
    pub fn draw(&self, sheet: &mut Sheet) {
        let parts = self.parts();
        let look = |pass: usize| if pass == 0 { Look::Tinted } else { Look::Solid };
        for part in &parts {
            if parts.len() > 1 {
                sheet.text(&format!("{}:", lanes_named(&part.lanes)));
            }
            let mut banks = BankWords::new();
            for (bank, words) in &part.banks {
                let words = words.keys().enumerate().map(|(pass, word)| (*word, look(pass)));
                banks.insert(*bank, words.collect());
            }
            draw_banks(&banks, sheet);
        }
    }

    /// The picture as text, one row per pass.
    pub fn text(&self) -> Vec<String> {
        let parts = self.parts();
        let mut rows = Vec::new();
        for part in &parts {
            let of = if parts.len() > 1 { format!(", {}", lanes_named(&part.lanes)) } else { String::new() };
            rows.push(format!("{:>10}  banks 0 to 31, # gives a word{of}", "pass"));
            let passes = part.wavefronts();
            let hidden = middle(passes, MOST_PASSES);
            for pass in 0..passes {
                if pass == hidden.start && !hidden.is_empty() {
                    rows.push(format!("{:>10}  and {} passes between these", "", hidden.len()));
                }
                if hidden.contains(&pass) {
                    continue;
                }
                let gives = |bank: u64| part.banks.get(&bank).is_some_and(|words| words.len() > pass);
                let row: String = (0..BANKS).map(|bank| if gives(bank) { '#' } else { '.' }).collect();
                rows.push(format!("{:>10}  |{row}|", pass + 1));
            }
        }
        rows
    }
}

/// Legend for [`BankAccess::draw`].
pub const BANK_KEY: [(Look, &str); 2] = [(Look::Tinted, "first pass"), (Look::Solid, "a further pass each")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wavefronts_are_the_words_of_the_fullest_bank() {
        let strided =
            |stride: u64| SharedAccess { words: (0..32).map(|lane| (stride * lane, Look::Solid)).collect() };
        for (stride, wavefronts) in [(0, 1), (1, 1), (2, 2), (16, 16), (32, 32), (33, 1)] {
            assert_eq!(strided(stride).wavefronts(), wavefronts, "stride {stride}");
        }
    }
}
