//! The results of several shards as those of one run, by `index`.
//!
//! The first pass reads every line and keeps only its place; the second copies the lines in order. So memory grows with the number of
//! files that were graded, not with the size of their reports. The lines are copied as they are: what comes out has the bytes of a single
//! run with `--ordered`.

use crate::lines::{Lines, ReadError, reread};
use crate::record::{Outcome, Record};
use std::io::{self, BufRead, Seek};
use thiserror::Error;

/// Why results cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// A line that is not a result.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A result without a place: schema 2 has none.
    #[error("{place}: the object has no `index`, so its place among the files is not known")]
    NoIndex {
        /// File and line.
        place: String,
    },
    /// Two results for one place.
    #[error("{first} and {second} both have index {index}")]
    Twice {
        /// The index.
        index: u64,
        /// File and line.
        first: String,
        /// File and line.
        second: String,
    },
    /// Results are missing.
    #[error("no line has index {}", listed(.missing, *.more))]
    Gaps {
        /// The first ones, as ranges with both ends.
        missing: Vec<(u64, u64)>,
        /// How many more ranges there are.
        more: usize,
    },
    /// Results of different runs.
    #[error("{first} was graded with {one}, and {second} with {other}: these are not shards of one run")]
    Differ {
        /// File and line.
        first: String,
        /// Its seed or device.
        one: String,
        /// File and line.
        second: String,
        /// Its seed or device.
        other: String,
    },
    /// A result past the last file.
    #[error("{place}: the object has index {index}, but the run is said to have {files} files")]
    Beyond {
        /// File and line.
        place: String,
        /// The index.
        index: u64,
        /// How many files there are.
        files: u64,
    },
    /// Nothing to merge.
    #[error("there are no results in these files")]
    Empty,
    /// A stream that cannot be read again, or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Ranges that an error names.
const NAMED: usize = 8;

fn listed(missing: &[(u64, u64)], more: usize) -> String {
    let range = |(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    };
    let mut text = missing.iter().map(range).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more ranges"));
    }
    text
}

/// Where a line is.
#[derive(Clone, Copy, Debug)]
struct Place {
    index: u64,
    source: usize,
    number: u64,
    offset: u64,
    length: usize,
}

/// What all results of one run have in common.
struct Common {
    place: String,
    seed: String,
    device: String,
}

/// Sources, read once, whose results are complete.
#[derive(Debug)]
pub struct Merged<R> {
    sources: Vec<R>,
    places: Vec<Place>,
    /// Names of sources whose last line is cut, with the line's number. The line is left out.
    pub cut: Vec<(String, u64)>,
}

/// Reads all results and finds the order of their lines. With `files`, so many results must be there; without it, nothing says whether
/// any are missing after the last index.
///
/// # Errors
/// Lines that are not results, or that have no place, the same place, or another seed or device; places without a line.
pub fn merge<R: BufRead + Seek>(sources: Vec<Lines<R>>, files: Option<u64>) -> Result<Merged<R>, MergeError> {
    let names: Vec<String> = sources.iter().map(|lines| lines.name().to_owned()).collect();
    let mut merged = Merged { sources: Vec::new(), places: Vec::new(), cut: Vec::new() };
    let mut common = None;
    for (source, mut lines) in sources.into_iter().enumerate() {
        for line in lines.by_ref() {
            let line = line?;
            let place = format!("{}:{}", names[source], line.number);
            let index = line.record.index.ok_or_else(|| MergeError::NoIndex { place: place.clone() })?;
            agrees(&mut common, place, &line.record)?;
            let (number, offset, length) = (line.number, line.offset, line.text.len());
            merged.places.push(Place { index, source, number, offset, length });
        }
        merged.cut.extend(lines.cut().map(|line| (names[source].clone(), line)));
        merged.sources.push(lines.into_inner());
    }
    // Stable: of two with one index, the one named first comes first.
    merged.places.sort_by_key(|place| place.index);
    let named = |place: &Place| format!("{}:{}", names[place.source], place.number);
    if let Some(pair) = merged.places.windows(2).find(|pair| pair[0].index == pair[1].index) {
        let (first, second) = (named(&pair[0]), named(&pair[1]));
        return Err(MergeError::Twice { index: pair[0].index, first, second });
    }
    if let (Some(files), Some(last)) = (files, merged.places.last().filter(|p| Some(p.index) >= files)) {
        return Err(MergeError::Beyond { place: named(last), index: last.index, files });
    }
    match gaps(&merged.places, files) {
        missing if !missing.is_empty() => {
            let more = missing.len().saturating_sub(NAMED);
            Err(MergeError::Gaps { missing: missing.into_iter().take(NAMED).collect(), more })
        }
        _ if merged.places.is_empty() => Err(MergeError::Empty),
        _ => Ok(merged),
    }
}

/// That a report has the seed and the device of those before it.
fn agrees(common: &mut Option<Common>, place: String, record: &Record) -> Result<(), MergeError> {
    let Outcome::Graded(report) = &record.outcome else { return Ok(()) };
    let own = Common {
        place,
        seed: format!("seed {}", report.seed),
        device: format!("the device {}", report.device.name),
    };
    let Some(common) = common else {
        *common = Some(own);
        return Ok(());
    };
    let pairs = [(&common.seed, &own.seed), (&common.device, &own.device)];
    match pairs.into_iter().find(|(one, other)| one != other) {
        None => Ok(()),
        Some((one, other)) => Err(MergeError::Differ {
            first: common.place.clone(),
            one: one.clone(),
            second: own.place.clone(),
            other: other.clone(),
        }),
    }
}

/// Ranges of indices that no place has; `places` are sorted.
fn gaps(places: &[Place], files: Option<u64>) -> Vec<(u64, u64)> {
    let mut missing = Vec::new();
    let mut next = 0;
    for place in places {
        if place.index > next {
            missing.push((next, place.index - 1));
        }
        next = place.index.saturating_add(1);
    }
    if let Some(files) = files.filter(|files| *files > next) {
        missing.push((next, files - 1));
    }
    missing
}

impl<R: BufRead + Seek> Merged<R> {
    /// How many results there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Gives `write` each line, without its end, in the order of their indices.
    ///
    /// # Errors
    /// What the streams or `write` say.
    pub fn write(mut self, mut write: impl FnMut(&str) -> io::Result<()>) -> Result<(), MergeError> {
        for place in &self.places {
            write(&reread(&mut self.sources[place.source], place.offset, place.length)?)?;
        }
        Ok(())
    }
}
