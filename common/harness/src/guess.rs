//! Guesses the cause of wrong results from their pattern.
//!
//! A guess covers all failing sizes together. It is reported only if it explains *every* wrong element of every size
//! that provides evidence, and if at least one size has enough such elements, in more than one row and column.
//! Guesses are tried from the simplest on; a guess is reported only if no simpler one fits.
//!
//! The module never guesses from a single element, row or column, or from most but not all wrong elements.

use crate::{Comparison, Mismatch};
use std::collections::BTreeMap;

/// Minimum number of wrong elements of a size that count as evidence.
const ENOUGH: usize = 8;

/// A guess about one mismatch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clue {
    /// Kind of mistake, equal at all sizes.
    pub(crate) kind: Kind,
    /// The guess in words, for this size.
    pub(crate) text: String,
    pub(crate) fit: Fit,
}

/// How well a guess fits the wrong elements of one size. A guess that contradicts them is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Too few elements provide evidence.
    Silent,
    /// It explains all wrong elements.
    Explains,
    /// It explains all wrong elements, and there are enough of them.
    Evident,
}

/// Kinds of mistakes, the simplest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    NothingWritten,
    AllZero,
    SomeZero,
    /// A typical mistake of the exercise, as an index into the comparison's candidates.
    Candidate(usize),
    Transposed,
    /// The same mistake, and its result stored with rows and columns swapped.
    TransposedCandidate(usize),
    /// Shift in rows and columns.
    ShiftedByOne(i8, i8),
    ShiftedByRadius(i8, i8),
    /// Factor in thousandths.
    Scaled(i64),
    /// Significant bits of the results.
    Rounded(u32),
    NotANumber,
    /// Exactly the first elements are correct, the same number at each size.
    RightUpTo(usize),
    UnwrittenFrom,
    LastTiles,
    Border,
    TileEdges,
}

/// The guess that explains all mismatches, if there is one.
pub(crate) fn common(mismatches: &[&Mismatch]) -> Option<Kind> {
    let mut fits: BTreeMap<&Kind, Vec<Fit>> = BTreeMap::new();
    for clue in mismatches.iter().flat_map(|m| &m.clues) {
        fits.entry(&clue.kind).or_default().push(clue.fit);
    }
    let enough = |kind: &Kind, fits: &[Fit]| match kind {
        // The same count at two sizes suggests that it comes from the kernel.
        Kind::RightUpTo(_) => fits.iter().filter(|fit| **fit == Fit::Evident).count() >= 2,
        _ => fits.contains(&Fit::Evident),
    };
    let mut common = fits.iter().filter(|(kind, fits)| fits.len() == mismatches.len() && enough(kind, fits));
    common.next().map(|(kind, _)| (*kind).clone())
}

/// All guesses that do not contradict the wrong elements.
pub(crate) fn clues(c: &Comparison<'_>, wrong: &[usize]) -> Vec<Clue> {
    let written: Vec<usize> = wrong.iter().copied().filter(|i| !c.is_unwritten(*i)).collect();
    let mut clues = Vec::new();
    if c.got.len() != c.reference.len() {
        return clues;
    }
    let mut add =
        |kind, fit: Option<Fit>, text: String| clues.extend(fit.map(|fit| Clue { kind, text, fit }));
    unwritten(c, wrong, &written, &mut add);
    if written.len() == wrong.len() {
        values(c, wrong, &mut add);
    }
    places(c, wrong, &mut add);
    clues
}

fn place(c: &Comparison<'_>, index: usize) -> (usize, usize) {
    (index / c.columns.max(1), index % c.columns.max(1))
}

/// Whether these elements are enough evidence: from more than one row and column, if the array has several.
fn evidence(c: &Comparison<'_>, elements: &[usize]) -> Fit {
    let spread = |at: fn((usize, usize)) -> usize, of: usize| {
        let mut places = elements.iter().map(|i| at(place(c, *i)));
        let first = places.next();
        of < 2 || places.any(|p| Some(p) != first)
    };
    match elements.len() >= ENOUGH && spread(|p| p.0, c.rows) && spread(|p| p.1, c.columns) {
        true => Fit::Evident,
        false => Fit::Explains,
    }
}

type Add<'a> = dyn FnMut(Kind, Option<Fit>, String) + 'a;

fn unwritten(c: &Comparison<'_>, wrong: &[usize], written: &[usize], add: &mut Add<'_>) {
    if written.is_empty() && wrong.len() == c.reference.len() {
        let text = "nothing was written: does every thread store its result?";
        add(Kind::NothingWritten, Some(Fit::Evident), text.into());
    }
    if written.is_empty() {
        let row = wrong.iter().map(|i| place(c, *i).0).min().unwrap_or(0);
        let column = wrong.iter().map(|i| place(c, *i).1).min().unwrap_or(0);
        let ask = "does every thread that has an element store it, and do the conditions fit the sizes?";
        let text = match (row, column) {
            (0, 0) => format!("some elements were never written: {ask}"),
            (0, column) if c.rows == 1 => format!("never written from index {column} on: {ask}"),
            (0, column) => format!("never written in columns from {column} on: {ask}"),
            (row, 0) => format!("never written in rows from {row} on: {ask}"),
            (row, column) => format!("never written from row {row} and column {column} on: {ask}"),
        };
        add(Kind::UnwrittenFrom, Some(Fit::Evident), text);
    }
    // Correct up to some element, and wrong from there on.
    let first = wrong.first().copied().unwrap_or(0);
    // The first element is often correct by accident, because it has no neighbour before it.
    if first > 1 && first + wrong.len() == c.reference.len() {
        let text = format!(
            "only the first {first} elements are correct, at more than one size: is a count or size written as a \
             number in the kernel, or `blockIdx` missing from the index?"
        );
        let fit = if wrong.len() >= ENOUGH { Fit::Evident } else { Fit::Explains };
        add(Kind::RightUpTo(first), Some(fit), text);
    }
}

/// How well `candidate` fits the wrong elements. `candidate(i)` returns value and tolerance, or `None` if it predicts
/// nothing for element i.
fn fit(c: &Comparison<'_>, wrong: &[usize], candidate: impl Fn(usize) -> Option<(f64, f64)>) -> Option<Fit> {
    let mut explained = Vec::new();
    for i in wrong {
        let Some((value, tolerance)) = candidate(*i) else { continue };
        let tolerance = tolerance.max(c.tolerance(*i)).max(value.abs() * 1e-7);
        if (f64::from(c.got[*i]) - value).abs().partial_cmp(&tolerance).is_none_or(|o| o.is_gt()) {
            return None;
        }
        explained.push(*i);
    }
    Some(match explained.len() < 2 || explained.len() * 2 < wrong.len() {
        true => Fit::Silent,
        false => evidence(c, &explained),
    })
}

fn values(c: &Comparison<'_>, wrong: &[usize], add: &mut Add<'_>) {
    if wrong.iter().all(|i| c.got[*i] == 0.0) {
        let fit = Some(evidence(c, wrong));
        add(Kind::SomeZero, fit, "the wrong elements are all zero".into());
        if wrong.len() == c.reference.len() {
            add(Kind::AllZero, fit, "everything is zero".into());
        }
    }
    for (at, (what, compute)) in c.candidates.iter().enumerate() {
        let values = compute();
        let fit = fit(c, wrong, |i| values.get(i).map(|v| (*v, c.tolerance(i))));
        add(Kind::Candidate(at), fit, format!("{what} (this explains the wrong elements)"));
        let fit = fit_transposed(c, wrong, |i| values.get(i).copied());
        let text = format!(
            "{what}, and the result stored with rows and columns swapped (this explains the wrong elements)"
        );
        add(Kind::TransposedCandidate(at), fit, text);
    }
    transposed(c, wrong, add);
    shifted(c, wrong, add);
    scaled(c, wrong, add);
    rounded(c, wrong, add);
    if wrong.iter().all(|i| c.got[*i].is_nan()) {
        let text = "the wrong elements are NaN: is memory read that was never written?";
        add(Kind::NotANumber, Some(evidence(c, wrong)), text.into());
    }
}

fn transposed(c: &Comparison<'_>, wrong: &[usize], add: &mut Add<'_>) {
    let fit = fit_transposed(c, wrong, |i| Some(c.reference[i]));
    add(Kind::Transposed, fit, "row and column swapped (the result is transposed)".into());
}

/// How well an array fits that is stored with rows and columns swapped; `values(i)` is its element i.
fn fit_transposed(c: &Comparison<'_>, wrong: &[usize], values: impl Fn(usize) -> Option<f64>) -> Option<Fit> {
    if c.rows < 2 || c.columns < 2 {
        return Some(Fit::Silent);
    }
    // The transposed array lies row-major with rows and columns swapped; for square arrays that is [column][row].
    let source = |i: usize| (i % c.rows) * c.columns + i / c.rows;
    fit(c, wrong, |i| Some((values(source(i))?, c.tolerance(source(i)))))
}

fn shifted(c: &Comparison<'_>, wrong: &[usize], add: &mut Add<'_>) {
    for (dr, dc, where_from) in [
        (0, 1, "the next column"),
        (0, -1, "the previous column"),
        (1, 0, "the next row"),
        (-1, 0, "the previous row"),
    ] {
        let by = |distance: isize| match (dr, c.rows) {
            (0, _) | (_, 2..) => fit(c, wrong, |i| {
                let (row, column) = place(c, i);
                let row = row.checked_add_signed(distance * dr).filter(|r| *r < c.rows)?;
                let column = column.checked_add_signed(distance * dc).filter(|x| *x < c.columns)?;
                let j = row * c.columns + column;
                Some((c.reference[j], c.tolerance(j)))
            }),
            _ => Some(Fit::Silent),
        };
        let where_from = match c.rows {
            0 | 1 => where_from.replace("column before", "element before it").replace("column", "element"),
            _ => where_from.to_owned(),
        };
        let one = format!("shifted by one (each element holds the value of {where_from})");
        add(Kind::ShiftedByOne(dr as i8, dc as i8), by(1), one);
        let Some(halo) = isize::try_from(c.halo).ok().filter(|halo| *halo > 0) else { continue };
        let axis = match (dr, c.rows) {
            (0, ..=1) => "elements",
            (0, _) => "columns",
            _ => "rows",
        };
        let from = if dr + dc > 0 { "after" } else { "before" };
        let text =
            format!("shifted by the radius (each element holds the value from {halo} {axis} {from} it)");
        add(Kind::ShiftedByRadius(dr as i8, dc as i8), by(halo), text);
    }
}

fn scaled(c: &Comparison<'_>, wrong: &[usize], add: &mut Add<'_>) {
    let largest =
        wrong.iter().copied().max_by(|a, b| c.reference[*a].abs().total_cmp(&c.reference[*b].abs()));
    let Some(largest) = largest else { return };
    let factor = f64::from(c.got[largest]) / c.reference[largest];
    // If all expected values are equal, a factor proves nothing.
    let size = |i: &usize| c.reference[*i].abs();
    let alike = wrong.iter().all(|i| size(i) > 0.9 * size(&largest));
    let thousandths = (factor * 1000.0).round();
    if !factor.is_finite() || factor == 0.0 || alike || thousandths == 1000.0 {
        return;
    }
    let fit = fit(c, wrong, |i| Some((c.reference[i] * factor, c.tolerance(i) * (factor.abs() + 1.0))));
    let text = match thousandths {
        -1000.0 => "the sign is flipped".to_owned(),
        _ => format!("every wrong element is {} times the expected value", thousandths / 1000.0),
    };
    add(Kind::Scaled(thousandths as i64), fit, text);
}

/// Detects results with no more significant bits than a narrower type; a `float` rarely has so few by chance.
fn rounded(c: &Comparison<'_>, wrong: &[usize], add: &mut Add<'_>) {
    for (bits, ty) in [(8, "__nv_bfloat16"), (11, "half")] {
        let fits = |i: usize| {
            let value = c.got[i];
            value.is_finite() && value.to_bits().trailing_zeros() >= 24 - bits
        };
        // Far from the correct result, it is another mistake.
        let near = |i: usize| (f64::from(c.got[i]) - c.reference[i]).abs() <= 0.1 * c.reference[i].abs();
        let precise =
            |i: usize| c.reference[i] != 0.0 && (c.reference[i] as f32).to_bits().trailing_zeros() < 12;
        let tells = wrong.iter().any(|i| precise(*i));
        let many = wrong.iter().filter(|i| near(**i)).count() * 10 >= wrong.len() * 9;
        let fit = (tells && many && (0..c.got.len()).all(fits)).then(|| evidence(c, wrong));
        let text =
            format!("every result has the precision of a `{ty}`: is the sum kept in one, not in a `float`?");
        add(Kind::Rounded(bits), fit, text);
    }
}

/// Guesses about the position of wrong elements. A size without other positions provides no evidence.
fn places(c: &Comparison<'_>, wrong: &[usize], add: &mut Add<'_>) {
    let among = |inside: &dyn Fn(usize) -> bool, tells: bool| match (tells, wrong.iter().all(|i| inside(*i)))
    {
        (false, _) => Some(Fit::Silent),
        (true, true) => Some(if wrong.len() >= 2 { Fit::Evident } else { Fit::Explains }),
        (true, false) => None,
    };
    if let Some((tile_rows, tile_columns)) = c.tile {
        let (tile_rows, tile_columns) = (tile_rows.max(1), tile_columns.max(1));
        let whole_rows = c.rows / tile_rows * tile_rows;
        let whole_columns = c.columns / tile_columns * tile_columns;
        let partial = |i: usize| place(c, i).0 >= whole_rows || place(c, i).1 >= whole_columns;
        let text =
            "wrong only in the last, partial tiles: are sizes handled that are not multiples of the tile?";
        add(Kind::LastTiles, among(&partial, whole_rows > 0 && whole_columns > 0), text.into());
        let reach = c.halo.max(1);
        let near = |at: usize, tile: usize| at % tile < reach || at % tile + reach >= tile;
        let edge = |i: usize| {
            let (row, column) = place(c, i);
            (c.rows > 1 && near(row, tile_rows)) || near(column, tile_columns)
        };
        // With small tiles nearly every element lies at an edge, so the guess would prove nothing.
        let inner = (0..c.reference.len()).filter(|i| !edge(*i)).count();
        let text = format!(
            "tile edges only (within {reach} of a tile's edge): is the halo missing or loaded wrongly?"
        );
        add(Kind::TileEdges, among(&edge, inner * 5 >= c.reference.len()), text);
    }
    let reach = c.halo;
    let near = |at: usize, len: usize| at < reach || at + reach >= len;
    let border = |i: usize| {
        let (row, column) = place(c, i);
        (c.rows > 1 && near(row, c.rows)) || near(column, c.columns)
    };
    if reach > 0 {
        let interior = c.columns > 2 * reach && (c.rows == 1 || c.rows > 2 * reach);
        let text = format!(
            "wrong only within {reach} of the array's border: are the border itself and cells outside the array \
            handled as required?"
        );
        add(Kind::Border, among(&border, interior), text);
    }
}
