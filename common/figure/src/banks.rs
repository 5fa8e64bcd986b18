//! What one access of a warp touches: banks of shared memory.
//!
//! It is computed from the lanes' addresses, as "CUDA C++ Programming Guide", compute capability 5.x and later, says: word i of shared memory
//! is in bank i % 32, and a bank gives one word per pass. Wide accesses are made in parts ([`BankAccess::parts`]).
//!
//! An access has two forms, one for pages and one of characters for terminals, from the same numbers.

use crate::cells::{Look, Sheet};
use crate::lanes::{LANES, lanes_named, middle};
use crate::svg::{Anchor, Point, Rect, TEXT, label, line};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Bytes of a word.
const WORD: u64 = 4;
/// Banks of shared memory.
const BANKS: u64 = 32;
/// Of more passes than this, the ones in the middle are no line of text.
const MOST_PASSES: usize = 8;

/// The words of each bank, each with how it looks.
type BankWords = BTreeMap<u64, BTreeMap<u64, Look>>;

/// Draws the words of each bank above each other.
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

/// How many words the fullest bank has: as many passes it takes to give them.
fn most<T>(banks: &BTreeMap<u64, BTreeMap<u64, T>>) -> usize {
    banks.values().map(BTreeMap::len).max().unwrap_or(0)
}

/// An access to shared memory of a word per lane: the index of the word that each accesses, and how it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedAccess {
    /// In the order of the lanes.
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

    /// How many passes it takes: as many as the fullest bank has words.
    pub fn wavefronts(&self) -> usize {
        most(&self.banks())
    }

    /// Draws the words of each bank above each other.
    pub fn draw(&self, sheet: &mut Sheet) {
        draw_banks(&self.banks(), sheet);
    }
}

/// An access to shared memory: which lanes access which bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankAccess {
    /// Lanes in ascending order, each with the first byte that it accesses, from the start of the block's shared memory.
    pub lanes: Vec<(u32, u64)>,
    /// Bytes that a lane accesses: 1, 2, 4, 8 or 16.
    pub bytes: u64,
}

/// Lanes of an access to shared memory that are served together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BankPart {
    /// The lanes.
    pub lanes: Vec<u32>,
    /// By bank and word, the lanes that access it.
    pub banks: BTreeMap<u64, BTreeMap<u64, Vec<u32>>>,
}

impl BankPart {
    /// How many passes it takes: as many as the fullest bank has words.
    pub fn wavefronts(&self) -> usize {
        most(&self.banks)
    }

    /// What the first of the fullest banks has to give.
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
    /// The parts that are served one after the other. An access of up to 4 bytes per lane has one. One of 8 bytes has a part for each half
    /// of the warp, and one of 16 bytes for each quarter; two of these are one where each lane accesses what the lane beside it does, or each
    /// what the next but one does. (The latter is not documented; the counters of an H200 say so.)
    pub fn parts(&self) -> Vec<BankPart> {
        let groups: Vec<Range<u32>> = match self.bytes {
            8 => self.halves(0..LANES).collect(),
            16 => self.halves(0..LANES / 2).chain(self.halves(LANES / 2..LANES)).collect(),
            _ => std::iter::once(0..LANES).collect(),
        };
        let parts = groups.iter().map(|group| self.part(group));
        parts.filter(|part| !part.lanes.is_empty()).collect()
    }

    /// The two halves of some lanes, or all of them, if neighbours share their words.
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

    /// How many passes it takes.
    pub fn wavefronts(&self) -> usize {
        self.parts().iter().map(BankPart::wavefronts).sum()
    }

    /// How many passes it would take without bank conflicts: one for each part.
    pub fn fewest(&self) -> usize {
        self.parts().len()
    }

    /// Draws the words of each bank above each other, for each part.
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

    /// The same in characters: a line for each pass.
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

/// What the looks of [`BankAccess::draw`] stand for.
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
