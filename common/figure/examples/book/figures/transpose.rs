//! Lab 7: a transposition, and the two halves of one through a tile.

use figure::access::Request;
use figure::cells::{Grid, Look, Sheet};
use figure::svg::{Anchor, Figure, LINE, Point, label};

/// A small matrix and its transpose.
pub(crate) fn matrix(mut sheet: Sheet) -> Figure {
    let (rows, columns) = (3_i64, 5_i64);
    let side = (sheet.width() / 12.0).min(26.0);
    let top = sheet.y() + LINE + 4.0;
    let letter = |row: i64, column: i64| char::from(b'a' + (row * columns + column) as u8).to_string();
    let pair = [
        ("in, 3 rows of 5", 1.0, [rows, columns]),
        ("out, 5 rows of 3", sheet.width() * 0.55, [columns, rows]),
    ];
    for (nth, (name, x, size)) in pair.into_iter().enumerate() {
        let grid = Grid { corner: Point::new(x, top), side };
        sheet.draw([label(Point::new(x, top - 5.0), Anchor::Start, name)]);
        // The first row of `in` is the first column of `out`.
        let is_first = |[row, column]: [i64; 2]| if nth == 0 { row == 0 } else { column == 0 };
        sheet.draw(grid.cells(size, |at| if is_first(at) { Look::Tinted } else { Look::Plain }));
        for [row, column] in (0..size[0]).flat_map(|row| (0..size[1]).map(move |column| [row, column])) {
            let name = if nth == 0 { letter(row, column) } else { letter(column, row) };
            sheet.draw([grid.text([row, column], [1, 1], &name)]);
        }
    }
    sheet.skip(LINE + side * columns as f64 + 8.0);
    sheet.caption("Tinted: a row of in, which is a column of out.");
    let description = "The rows of in are a b c d e, f g h i j and k l m n o. The rows of out are its columns: a f k, b g l, c h m, d i n and e j o.";
    sheet.figure("transposition", "A matrix and its transpose", description)
}

/// Rows and columns of lab 7's tile.
const TILE: [i64; 2] = [16, 32];
/// Lanes of a warp.
const WARP: i64 = 32;
/// Rows and columns of `in`.
const MATRIX: [i64; 2] = [1024, 2048];

/// The element of the tile that a thread stores, and the one that it reads.
fn stored(thread: i64) -> [i64; 2] {
    [thread / TILE[1], thread % TILE[1]]
}

/// The same, after the barrier.
fn read(thread: i64) -> [i64; 2] {
    [thread % TILE[0], thread / TILE[0]]
}

/// How one of its two rows or columns looks.
fn look(number: i64) -> Look {
    if number == 0 { Look::Solid } else { Look::Hatched }
}

/// What warp 0 does in both halves: along a row of the tile, and along two of its columns.
pub(crate) fn halves(mut sheet: Sheet) -> Figure {
    let is_wide = sheet.width() > 2.0 * 250.0;
    let across = if is_wide { (sheet.width() - 20.0) / 2.0 } else { sheet.width() - 2.0 };
    let side = across / TILE[1] as f64;
    // By address: a row of `in` is as long as the matrix is wide, and one of `out` as it is high.
    let loads = Request::of_words((0..WARP).map(|t| (4 * (stored(t)[0] * MATRIX[1] + stored(t)[1])) as u64));
    let stores = Request::of_words((0..WARP).map(|t| (4 * (read(t)[1] * MATRIX[0] + read(t)[0])) as u64));
    let sectors = [loads.sectors(), stores.sectors()];
    let [first, second] = [
        format!("Load: {WARP} adjacent floats of in, {} sectors", sectors[0]),
        format!("Store: {} and {} adjacent floats of out, {} sectors", TILE[0], TILE[0], sectors[1]),
    ];
    let top = sheet.y();
    let mut lowest = top;
    for (nth, text) in [&first, &second].into_iter().enumerate() {
        let (x, y) = if is_wide { (nth as f64 * (across + 18.0) + 1.0, top) } else { (1.0, lowest) };
        let mut half = Sheet::of(sheet.width());
        half.skip(y);
        half.text_at(x, across, text);
        let strips = if nth == 0 { 1 } else { 2 };
        for strip in 0..strips {
            let grid = Grid { corner: Point::new(x, half.y()), side };
            half.draw(grid.cells([1, WARP / strips], |_| look(strip)));
            half.skip(side + 4.0);
        }
        half.text_at(
            x,
            across,
            if nth == 0 { "to a row of the tile" } else { "from two columns of the tile" },
        );
        let grid = Grid { corner: Point::new(x, half.y()), side };
        let place = if nth == 0 { stored } else { read };
        let touched: Vec<[i64; 2]> = (0..WARP).map(place).collect();
        half.draw(grid.cells(TILE, |at| match touched.contains(&at) {
            true => look(if nth == 0 { at[0] } else { at[1] }),
            false => Look::Unused,
        }));
        half.skip(side * TILE[0] as f64 + 8.0);
        lowest = half.y().max(lowest);
        sheet.draw(half.into_body());
    }
    sheet.skip(lowest - top);
    sheet.caption(
        "Warp 0 of a block of 32 x 16 threads. Load: thread (tx, ty) stores tile[ty][tx]. Store: thread t = ty · 32 + tx reads tile[t % 16][t / 16].",
    );
    let description = format!(
        "{first}, which warp 0 stores to row 0 of the tile. After the barrier: {second}, which warp 0 reads from columns 0 and 1 of the tile."
    );
    sheet.figure("halves", "The two halves of a transposition through a tile", description)
}
