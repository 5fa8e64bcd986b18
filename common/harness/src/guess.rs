//! What a wrong result looks like: each guess is tried against the data and named only if it explains it.

use crate::Comparison;

/// The share of wrong elements that a guess must explain.
const SHARE: f64 = 0.95;

/// The first guess that explains the wrong elements.
pub(crate) fn guess(c: &Comparison<'_>, wrong: &[usize]) -> Option<String> {
    if c.got.len() != c.reference.len() {
        return Some(format!("{} elements instead of {}", c.got.len(), c.reference.len()));
    }
    let written: Vec<usize> = wrong.iter().copied().filter(|i| !c.is_unwritten(*i)).collect();
    if written.is_empty() {
        return Some(unwritten(c, wrong));
    }
    all_zero(c, &written)
        .or_else(|| from_lab(c, &written))
        .or_else(|| transposed(c, &written))
        .or_else(|| shifted(c, &written))
        .or_else(|| scaled(c, &written))
        .or_else(|| last_tile_only(c, wrong))
        .or_else(|| border_only(c, wrong))
        .or_else(|| tile_edges_only(c, wrong))
        .or_else(|| nan(c, &written))
}

fn place(c: &Comparison<'_>, index: usize) -> (usize, usize) {
    (index / c.columns.max(1), index % c.columns.max(1))
}

fn unwritten(c: &Comparison<'_>, wrong: &[usize]) -> String {
    if wrong.len() == c.reference.len() {
        return "nothing was written: does every thread store its result?".into();
    }
    let row = wrong.iter().map(|i| place(c, *i).0).min().unwrap_or(0);
    let column = wrong.iter().map(|i| place(c, *i).1).min().unwrap_or(0);
    let ask = "does the grid cover the whole array, and does every thread in range store?";
    match (row, column) {
        (0, 0) => format!("some elements were never written: {ask}"),
        (0, column) if c.rows == 1 => format!("never written from index {column} on: {ask}"),
        (0, column) => format!("never written in columns from {column} on: {ask}"),
        (row, 0) => format!("never written in rows from {row} on: {ask}"),
        (row, column) => format!("never written from row {row} and column {column} on: {ask}"),
    }
}

fn all_zero(c: &Comparison<'_>, written: &[usize]) -> Option<String> {
    let zero = written.len() > 1 && written.iter().all(|i| c.got[*i] == 0.0);
    zero.then(|| match written.len() == c.reference.len() {
        true => "everything is zero".into(),
        false => "the wrong elements are all zero".to_owned(),
    })
}

/// Whether `candidate(i)` (value and tolerance) is what was got in nearly all wrong elements.
fn explains(c: &Comparison<'_>, written: &[usize], candidate: impl Fn(usize) -> Option<(f64, f64)>) -> bool {
    let (mut comparable, mut hits) = (0, 0);
    for i in written {
        let Some((value, tolerance)) = candidate(*i) else { continue };
        let tolerance = tolerance.max(c.tolerance(*i)).max(value.abs() * 1e-7);
        comparable += 1;
        hits += usize::from((f64::from(c.got[*i]) - value).abs() <= tolerance);
    }
    comparable >= 2 && comparable * 2 >= written.len() && hits as f64 >= SHARE * comparable as f64
}

fn from_lab(c: &Comparison<'_>, written: &[usize]) -> Option<String> {
    let found = c.candidates.iter().find(|(_, compute)| {
        let values = compute();
        explains(c, written, |i| values.get(i).map(|v| (*v, c.tolerance(i))))
    });
    found.map(|(what, _)| format!("{what} (the wrong elements are what that gives)"))
}

fn transposed(c: &Comparison<'_>, written: &[usize]) -> Option<String> {
    if c.rows < 2 || c.columns < 2 {
        return None;
    }
    // The transposed array lies row-major with rows and columns swapped; for square arrays that is [column][row].
    let source = |i: usize| (i % c.rows) * c.columns + i / c.rows;
    let yes = explains(c, written, |i| Some((c.reference[source(i)], c.tolerance(source(i)))));
    yes.then(|| "row and column swapped (the result is transposed)".into())
}

fn shifted(c: &Comparison<'_>, written: &[usize]) -> Option<String> {
    let shifts: [(isize, isize, &str); 4] = [
        (0, 1, "holds the value of the next column"),
        (0, -1, "holds the value of the column before"),
        (1, 0, "holds the value of the next row"),
        (-1, 0, "holds the value of the row before"),
    ];
    let is_shifted = |by: isize, (dr, dc, _): &(isize, isize, &str)| {
        explains(c, written, |i| {
            let (row, column) = place(c, i);
            let row = row.checked_add_signed(by * dr).filter(|r| *r < c.rows)?;
            let column = column.checked_add_signed(by * dc).filter(|x| *x < c.columns)?;
            let j = row * c.columns + column;
            Some((c.reference[j], c.tolerance(j)))
        })
    };
    let usable = || shifts.iter().filter(|(dr, _, _)| *dr == 0 || c.rows > 1);
    let Some(found) = usable().find(|shift| is_shifted(1, shift)) else {
        let halo = isize::try_from(c.halo).ok().filter(|halo| *halo > 1)?;
        let (dr, dc, _) = usable().find(|shift| is_shifted(halo, shift))?;
        let axis = match (dr, c.rows) {
            (0, ..=1) => "elements",
            (0, _) => "columns",
            _ => "rows",
        };
        let from = if dr + dc > 0 { "behind" } else { "before" };
        return Some(format!(
            "shifted by the radius (each element holds the value from {halo} {axis} {from} it)"
        ));
    };
    let text = if c.rows > 1 { found.2.to_owned() } else { found.2.replace("column", "element") };
    let text = text.replace("the element before", "the element before it").replace("the next", "its next");
    Some(format!("shifted by one (each element {text})"))
}

fn scaled(c: &Comparison<'_>, written: &[usize]) -> Option<String> {
    let largest =
        written.iter().copied().max_by(|a, b| c.reference[*a].abs().total_cmp(&c.reference[*b].abs()))?;
    let factor = f64::from(c.got[largest]) / c.reference[largest];
    if written.len() < 3 || !factor.is_finite() || factor == 0.0 {
        return None;
    }
    let yes =
        explains(c, written, |i| Some((c.reference[i] * factor, c.tolerance(i) * (factor.abs() + 1.0))));
    let rounded = (factor * 1000.0).round() / 1000.0;
    yes.then(|| match rounded {
        -1.0 => "the sign is flipped".into(),
        _ => format!("every wrong element is {rounded} times what is expected"),
    })
}

fn last_tile_only(c: &Comparison<'_>, wrong: &[usize]) -> Option<String> {
    let (tile_rows, tile_columns) = c.tile?;
    let whole_rows = c.rows / tile_rows.max(1) * tile_rows;
    let whole_columns = c.columns / tile_columns.max(1) * tile_columns;
    let partial = |i: &usize| {
        let (row, column) = place(c, *i);
        row >= whole_rows || column >= whole_columns
    };
    let yes = whole_rows > 0 && whole_columns > 0 && wrong.iter().all(partial);
    yes.then(|| {
        "wrong only in the last, partial tiles: are sizes that the tile does not divide handled?".into()
    })
}

fn border_only(c: &Comparison<'_>, wrong: &[usize]) -> Option<String> {
    let reach = c.halo;
    let near = |at: usize, len: usize| at < reach || at + reach >= len;
    let border = |i: &usize| {
        let (row, column) = place(c, *i);
        (c.rows > 1 && near(row, c.rows)) || near(column, c.columns)
    };
    let interior = c.columns > 2 * reach && (c.rows == 1 || c.rows > 2 * reach);
    let yes = reach > 0 && interior && wrong.iter().all(border);
    yes.then(|| {
        format!(
            "wrong only within {reach} of the array's border: are the ghost cells outside the array right?"
        )
    })
}

fn tile_edges_only(c: &Comparison<'_>, wrong: &[usize]) -> Option<String> {
    let (tile_rows, tile_columns) = c.tile?;
    let reach = c.halo.max(1);
    let near = |at: usize, tile: usize| at % tile < reach || at % tile + reach >= tile;
    let edge = |i: usize| {
        let (row, column) = place(c, i);
        (c.rows > 1 && near(row, tile_rows.max(1))) || near(column, tile_columns.max(1))
    };
    // With small tiles nearly everything is an edge, and the guess would say nothing.
    let inner = (0..c.reference.len()).filter(|i| !edge(*i)).count();
    let yes = inner * 5 >= c.reference.len() && wrong.iter().all(|i| edge(*i));
    yes.then(|| {
        format!("tile edges only (within {reach} of a tile's edge): is the halo missing or loaded wrongly?")
    })
}

fn nan(c: &Comparison<'_>, written: &[usize]) -> Option<String> {
    let all = written.iter().all(|i| c.got[*i].is_nan());
    all.then(|| "the wrong elements are NaN: is memory read that was never written?".into())
}
