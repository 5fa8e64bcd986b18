//! What is in a buffer after a launch, in short: its first and last elements, and which elements the launch changed.

use crate::arguments::{Bound, PIECE, next_piece, pieces};
use crate::arrays::Arrays;
use crate::spec::Buffer;
use crate::spec::element::NotFinite;
use crate::spec::fill::Fill;
use crate::values::{self, Values};
use device::{Device, POISON};
use serde_json::{Value, json};
use source::Failure;
use std::ops::Range;

/// Number of elements kept from each end of a buffer.
const ENDS: u64 = 4;

/// Maximum number of ranges of changed elements that are kept.
const MAX_RANGES: usize = 8;

/// A buffer after a launch.
#[derive(Clone, Debug)]
pub(crate) struct Overview {
    /// The first elements, at most [`ENDS`].
    first: Values,
    /// The last elements, at most [`ENDS`]; those of a small buffer may also be in `first`.
    last: Values,
    changes: Changes,
    elements: u64,
}

/// How a buffer differs from its initial content.
#[derive(Clone, Debug, Default)]
struct Changes {
    /// How many numbers were compared.
    numbers: u64,
    /// How many elements have other bytes than before the launch.
    changed: u64,
    /// The first ranges of changed elements, at most [`MAX_RANGES`].
    ranges: Vec<Range<u64>>,
    /// Index of the last changed element so far, to count an element with several changed numbers once.
    latest: Option<u64>,
    nan: Special,
    infinite: Special,
}

/// Where a buffer has NaN, or where it has infinity.
#[derive(Clone, Copy, Debug, Default)]
struct Special {
    /// How many such numbers there are.
    count: u64,
    /// Index of the element that holds the first one; 0 if there is none.
    first: u64,
}

impl Special {
    fn add(&mut self, element: u64) {
        if self.count == 0 {
            self.first = element;
        }
        self.count += 1;
    }

    fn json(self) -> Value {
        json!({ "count": self.count, "first": (self.count > 0).then_some(self.first) })
    }

    /// A line such as `NaN       3, the first at [17]`; `None` if there is no such number.
    fn line(self, name: &str) -> Option<String> {
        let Special { count, first } = self;
        let at = if count == 1 { format!(", at [{first}]") } else { format!(", the first at [{first}]") };
        (count > 0).then(|| format!("{name:<9} {count}{at}"))
    }
}

impl Overview {
    /// Compares a buffer with its initial content.
    ///
    /// # Errors
    /// The error of the device, or what is wrong with the file that holds the initial content.
    pub(crate) fn of(
        device: &mut dyn Device,
        arrays: &dyn Arrays,
        bound: &Bound,
    ) -> Result<Overview, Failure> {
        let what = &bound.what;
        let mut changes = Changes::default();
        // Pieces of the initial content and pieces read from the device differ in length: `after` keeps bytes that were read but not yet
        // compared.
        let (mut offset, mut after) = (0, Vec::new());
        let mut compare = |before: &[u8]| {
            while after.len() < before.len() {
                after.extend(next_piece(device, bound, &mut offset).map_err(|e| e.to_string())?);
            }
            changes.compare(what, before, &after[..before.len()]);
            after.drain(..before.len());
            Ok(())
        };
        let compared = match what.fill {
            Fill::Poison => poison(what.bytes(), &mut compare),
            _ => pieces(arrays, what, &mut compare),
        };
        compared.map_err(|what| {
            Failure::new(format!("`{}`: {what}", bound.name), "do not change files during the run")
        })?;
        let elements = what.elements();
        let ends = elements.min(ENDS);
        let first = Values::of_buffer(device, bound, 0..ends)?;
        let last = Values::of_buffer(device, bound, elements - ends..elements)?;
        Ok(Overview { first, last, changes, elements })
    }

    /// The overview as JSON, for a field of the buffer.
    pub(crate) fn json(&self) -> Value {
        let ranges = self.changes.ranges.iter().map(|range| [range.start, range.end]);
        json!({
            "elements": self.elements,
            "first": self.first.json(),
            "last": self.last.json(),
            "changed": self.changes.changed,
            "changed_ranges": ranges.collect::<Vec<_>>(),
            "nan": self.changes.nan.json(),
            "infinite": self.changes.infinite.json(),
        })
    }

    /// Which elements changed, as text; it names ranges only as far as they fit `room` columns.
    pub(crate) fn changed(&self, what: &Buffer, room: usize) -> String {
        let Changes { changed, ranges, .. } = &self.changes;
        let is_new = what.fill == Fill::Poison;
        if *changed == 0 {
            return if is_new { "nothing written" } else { "unchanged" }.to_owned();
        }
        let elements = if self.elements == 1 { "element" } else { "elements" };
        let verb = if is_new { "written" } else { "changed" };
        let mut text = format!("{changed} of {} {elements} {verb}", self.elements);
        let mut left = *changed;
        for (at, range) in ranges.iter().enumerate() {
            let part = format!("{} {}", if at == 0 { ":" } else { "" }, values::shown(range));
            let after = left - (range.end - range.start);
            let rest = if after > 0 { format!(" and {after} more") } else { String::new() };
            if text.len() + part.len() + rest.len() > room {
                break;
            }
            text.push_str(&part);
            left = after;
        }
        match left {
            _ if left == 0 || left == *changed => text,
            _ => format!("{text} and {left} more"),
        }
    }

    /// Whether the launch changed anything.
    pub(crate) fn is_changed(&self) -> bool {
        self.changes.changed > 0
    }

    /// Its first and last elements, and numbers that are not finite, each in a line of `room` columns.
    pub(crate) fn lines(&self, room: usize) -> Vec<String> {
        let room = room.saturating_sub(10);
        let mut lines = Vec::new();
        let (first, last) = (self.first.texts(), self.last.texts());
        // If `first` and `last` together hold all elements, and these fit in one line, show them all. `middle` elements are in both.
        let middle = (2 * ENDS).saturating_sub(self.elements).min(self.elements).min(ENDS) as usize;
        let all = [&first[..], &last[middle..]].concat().join(", ");
        if self.elements <= 2 * ENDS && all.chars().count() <= room {
            lines.push(format!("{:<9} {all}", "values"));
        } else {
            let count = (1..=first.len()).rev().find(|count| {
                let fits = |texts: &[String]| texts.join(", ").chars().count() <= room;
                fits(&first[..*count]) && fits(&last[last.len() - count..])
            });
            let count = count.unwrap_or(1);
            lines.push(format!("{:<9} {}", "first", first[..count].join(", ")));
            lines.push(format!("{:<9} {}", "last", last[last.len() - count..].join(", ")));
        }
        lines.extend(self.changes.nan.line("NaN"));
        lines.extend(self.changes.infinite.line("infinite"));
        lines
    }
}

impl Changes {
    /// Compares the next numbers: their bytes before and after the launch.
    fn compare(&mut self, what: &Buffer, before: &[u8], after: &[u8]) {
        let width = what.scalar.bytes() as usize;
        for (before, after) in before.chunks_exact(width).zip(after.chunks_exact(width)) {
            let element = self.numbers / what.lanes;
            self.numbers += 1;
            if before != after && self.latest != Some(element) {
                self.add(element);
            }
            match what.scalar.not_finite(after).filter(|_| !what.is_unwritten(after)) {
                Some(NotFinite::Nan) => self.nan.add(element),
                Some(NotFinite::Infinite) => self.infinite.add(element),
                None => {}
            }
        }
    }

    fn add(&mut self, element: u64) {
        self.latest = Some(element);
        self.changed += 1;
        let kept = self.ranges.len();
        match self.ranges.last_mut() {
            Some(last) if last.end == element => last.end += 1,
            _ if kept < MAX_RANGES => self.ranges.push(element..element + 1),
            _ => {}
        }
    }
}

/// Calls `take` with `left` bytes of the pattern of poisoned memory, piece by piece.
fn poison(mut left: u64, take: &mut dyn FnMut(&[u8]) -> Result<(), String>) -> Result<(), String> {
    let pattern = POISON.to_le_bytes().repeat((PIECE / 4) as usize);
    while left > 0 {
        let length = left.min(PIECE);
        take(&pattern[..length as usize])?;
        left -= length;
    }
    Ok(())
}
