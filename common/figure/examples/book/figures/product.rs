//! Lab 6: an element of a matrix product, its tiles, what one thread keeps in registers, the phases with their barriers, and reuse at each level.

use super::device::field;
use figure::cells::{Grid, Look, Sheet};
use figure::number::{scaled, short};
use figure::svg::{Anchor, Figure, LINE, Marker, Point, Rect, TEXT, label, line, rect};

/// Largest side of a cell of a matrix.
const MOST_SIDE: f64 = 14.0;
/// The matrices with their sizes.
const NAMES: [&str; 3] = ["A (m x k)", "B (k x n)", "C (m x n)"];

/// Where the matrices stand: A at the left of C, B above it, with their names above them.
/// C has so many rows and columns, and A as many columns as there are steps.
fn matrices(sheet: &mut Sheet, [rows, columns, steps]: [i64; 3], names: [&str; 3]) -> [Grid; 3] {
    let gap = 24.0;
    let side = ((sheet.width() - gap - 2.0) / (steps + columns) as f64).min(MOST_SIDE);
    let extent = |cells: i64| side * cells as f64;
    let left = (sheet.width() - extent(steps + columns) - gap) / 2.0;
    let top = sheet.y() + LINE;
    let b = Grid { corner: Point::new(left + extent(steps) + gap, top), side };
    let a = Grid { corner: Point::new(left, top + extent(steps) + LINE + 8.0), side };
    let c = Grid { corner: Point::new(b.corner.x, a.corner.y), side };
    for (grid, name) in [a, b, c].iter().zip(names) {
        sheet.draw([label(Point::new(grid.corner.x, grid.corner.y - 5.0), Anchor::Start, name)]);
    }
    sheet.skip(a.corner.y + extent(rows) + 8.0 - sheet.y());
    [a, b, c]
}

/// The row of A and the column of B from which one element of C is computed.
pub(crate) fn element(mut sheet: Sheet) -> Figure {
    let size = 9;
    let (row, column) = (3, 5);
    let [a, b, c] = matrices(&mut sheet, [size; 3], NAMES);
    for grid in [a, b, c] {
        sheet.draw([Look::Unused.cell(grid.area([0, 0], [size, size]))]);
    }
    sheet.draw([
        Look::Tinted.cell(a.area([row, 0], [1, size])),
        Look::Tinted.cell(b.area([0, column], [size, 1])),
    ]);
    sheet.draw([Look::Strong.cell(c.area([row, column], [1, 1]))]);
    sheet.caption("Each element of C is the product of a row of A and a column of B.");
    let description = "Element (row, column) of C needs the k elements of that row of A and the k elements of that column of B.";
    sheet.figure("product-element", "One element of a matrix product", description)
}

/// Sides of a thread's part of the outputs in [`registers`], and steps along k of one `float4`.
const PART: i64 = 4;

/// What one thread of lab 6's `register_tiled` reads in four steps along k, and the outputs that it keeps.
pub(crate) fn registers(mut sheet: Sheet) -> Figure {
    let threads = 4;
    let (tx, ty) = (2, 1);
    let size = threads * PART;
    let [a, b, c] = matrices(&mut sheet, [size, size, PART], ["a_tile", "b_tile", "c"]);
    let looks = |inside: bool| if inside { Look::Tinted } else { Look::Unused };
    let of = |thread: i64, at: i64| at / PART == thread;
    for (grid, cells) in [
        (a, a.cells([size, PART], |[row, _]| looks(of(ty, row)))),
        (b, b.cells([PART, size], |[_, column]| looks(of(tx, column)))),
    ] {
        sheet.draw(cells);
        for (own, step) in (0..PART).flat_map(|own| (0..PART).map(move |step| (own, step))) {
            let at = if grid == a { [ty * PART + own, step] } else { [step, tx * PART + own] };
            sheet.draw([grid.text(at, [1, 1], &step.to_string())]);
        }
    }
    let is_own = |[row, column]: [i64; 2]| of(ty, row) && of(tx, column);
    sheet.draw(c.cells([size, size], |at| if is_own(at) { Look::Strong } else { Look::Unused }));
    sheet.draw([rect(c.area([ty * PART, tx * PART], [PART, PART])).class("outline")]);
    let (loads, outputs) = (2 * PART, PART * PART);
    sheet.caption(&format!(
        "The part of a block that {threads} x {threads} threads compute. Thick border: the {outputs} outputs that thread ({tx}, {ty}) keeps in \
         registers. The numbers are steps along k: in each, {PART} values of A and {PART} of B make {outputs} multiply-adds."
    ));
    let description = format!(
        "Thread ({tx}, {ty}) reads rows {} to {} of a_tile and columns {} to {} of b_tile: {loads} float4 for {PART} steps along k, which make \
         {} multiply-adds. It keeps {PART} x {PART} outputs, in the same rows and columns.",
        ty * PART,
        ty * PART + PART - 1,
        tx * PART,
        tx * PART + PART - 1,
        PART * outputs
    );
    sheet.figure("product-registers", "What one thread of register_tiled reads and keeps", description)
}

/// The tiles of A and B from which one tile of C is computed.
pub(crate) fn tiles(mut sheet: Sheet) -> Figure {
    let (tile, tiles) = (4, 3);
    let [block_row, block_column] = [1, 2];
    let [a, b, c] = matrices(&mut sheet, [tile * tiles; 3], NAMES);
    for grid in [a, b, c] {
        for (row, column) in (0..tiles).flat_map(|row| (0..tiles).map(move |column| (row, column))) {
            sheet.draw([Look::Unused.cell(grid.area([row * tile, column * tile], [tile, tile]))]);
        }
    }
    for phase in 0..tiles {
        for (grid, at) in [(a, [block_row * tile, phase * tile]), (b, [phase * tile, block_column * tile])] {
            sheet.draw([Look::Tinted.cell(grid.area(at, [tile, tile]))]);
            sheet.draw([grid.text(at, [tile, tile], &phase.to_string())]);
        }
    }
    let own = c.area([block_row * tile, block_column * tile], [tile, tile]);
    sheet.draw([Look::Strong.cell(own), rect(own).class("outline")]);
    sheet.caption("The numbers are those of the phases; the thick border is around the block's outputs.");
    let description = format!(
        "The block in row {block_row} and column {block_column} of the grid computes one tile of C. In phase p it loads tile p of the \
         same row of tiles of A, and tile p of the same column of tiles of B; k has {tiles} tiles, so there are {tiles} phases."
    );
    sheet.figure("product-tiles", "The tiles that one block multiplies", description)
}

/// Steps of one warp in [`phases`].
const STEPS: [&str; 2] = ["load", "sum"];

/// Two phases of three warps that take different times, and the barriers at which they wait.
pub(crate) fn phases(mut sheet: Sheet) -> Figure {
    // Units of time of each warp for each step; an example.
    let warps = [[4, 5, 6, 7], [5, 7, 4, 5], [6, 4, 5, 6]];
    let ends: Vec<i64> = (0..4)
        .scan(0, |end, step| {
            *end += warps.iter().map(|warp| warp[step]).max().unwrap_or(0);
            Some(*end)
        })
        .collect();
    let (left, high) = (46.0, 20.0);
    let unit = (sheet.width() - left - 4.0) / ends[3] as f64;
    let x = |time: i64| left + unit * time as f64;
    sheet.key(&[(Look::Tinted, "works"), (Look::Hatched, "waits")]);
    for (phase, begin) in [(0, 0), (1, ends[1])] {
        let at = Point::new(x(begin) + 3.0, sheet.y() + TEXT);
        sheet.draw([label(at, Anchor::Start, &format!("phase {phase}"))]);
    }
    sheet.skip(LINE + 4.0);
    let top = sheet.y();
    for (number, warp) in warps.iter().enumerate() {
        let y = sheet.y();
        sheet.draw([label(Point::new(0.0, y + 14.0), Anchor::Start, &format!("warp {number}"))]);
        for (step, time) in warp.iter().enumerate() {
            let begin = if step == 0 { 0 } else { ends[step - 1] };
            let (done, end) = (begin + time, ends[step]);
            let part = |from: i64, to: i64| Rect { x: x(from), y, width: x(to) - x(from), height: high };
            let area = part(begin, done);
            let at = Point::new(area.center().x, y + 14.0);
            sheet.draw([Look::Tinted.cell(area), label(at, Anchor::Middle, STEPS[step % 2])]);
            if done < end {
                sheet.draw([Look::Hatched.cell(part(done, end))]);
            }
        }
        sheet.skip(high + 5.0);
    }
    for (step, end) in ends.iter().enumerate() {
        let foot = Point::new(x(*end), sheet.y() + 2.0);
        sheet.draw([line(Point::new(foot.x, top - 3.0), foot).class("roof")]);
        let (anchor, name) =
            if step == 3 { (Anchor::End, "2") } else { (Anchor::Middle, ["1", "2"][step % 2]) };
        sheet.draw([label(Point::new(foot.x, foot.y + TEXT), anchor, name)]);
    }
    sheet.skip(LINE + 8.0);
    sheet.caption("Barrier 1: no warp sums before all have loaded.");
    sheet.caption("Barrier 2: no warp loads the next tiles before all have summed.");
    let description = "Two phases of three warps of one block. Each warp loads its part of the tiles, waits at barrier 1 until the slowest \
                       warp has loaded, sums, and waits at barrier 2 until the slowest has summed. The times are an example.";
    sheet.figure("product-phases", "Phases and barriers of the tiled product", description)
}

/// How often each loaded float is used, and how often it would have to be used to keep the arithmetic of an H200 busy.
pub(crate) fn reuse(mut sheet: Sheet, model: &str) -> Result<Figure, String> {
    let peak = field(model, "f32_flops")?;
    let lanes = field(model, "shared_banks")? * field(model, "sms")? * field(model, "clock_hz")?;
    let levels = [
        ("Device memory", field(model, "memory_bandwidth")?, [1.0, 16.0, 64.0]),
        ("L2 cache", field(model, "l2_bandwidth")?, [1.0, 16.0, 64.0]),
        ("Shared memory", 4.0 * lanes, [0.0, 1.0, 4.0]),
    ];
    let width = sheet.width();
    for (i, name) in ["naive", "tiled, TILE 16", "register_tiled"].iter().enumerate() {
        let y = sheet.y();
        sheet.draw([Marker::of(i).draw(Point::new(8.0, y + 8.0), 10.0)]);
        sheet.draw([label(Point::new(20.0, y + TEXT), Anchor::Start, name)]);
        sheet.skip(LINE + 2.0);
    }
    sheet.skip(4.0);
    let x = |uses: f64| 10.0 + (width - 20.0) * libm::log2(uses) / 7.0;
    let mut description = format!(
        "An H200 computes {}. A multiply-add is 2 operations and has 2 factors of 4 bytes.",
        scaled(peak, "FLOPS")
    );
    for (name, rate, kernels) in levels {
        // Each use of a float is one factor of a multiply-add, which counts as one operation.
        let needed = peak * 4.0 / rate;
        let text =
            format!("{name}, {}: {} uses per float needed", scaled(rate, "B/s"), short(libm::round(needed)));
        sheet.text(&text);
        description.push_str(&format!(" {text};"));
        let y = sheet.y() + 10.0;
        let enough = Rect { x: x(needed), y: y - 8.0, width: width - x(needed), height: 16.0 };
        sheet.draw([Look::Hatched.cell(enough)]);
        sheet.draw([line(Point::new(0.0, y), Point::new(width, y)).class("axis")]);
        for (i, uses) in kernels.iter().enumerate().filter(|(_, uses)| **uses > 0.0) {
            sheet.draw([Marker::of(i).draw(Point::new(x(*uses), y), 10.0)]);
            let at = Point::new(x(*uses), y + 10.0 + TEXT);
            sheet.draw([label(at, Anchor::Middle, &short(*uses)).class("muted")]);
        }
        let of = |i: usize, name: &str| match kernels[i] {
            0.0 => format!(" {name} does not use it"),
            uses => format!(" {name} has {}", short(uses)),
        };
        let has = [of(0, "naive"), of(1, "tiled"), of(2, "register_tiled")].join(",");
        description.push_str(&format!("{has}."));
        sheet.skip(10.0 + TEXT + 18.0);
    }
    sheet.caption("Uses of each loaded float, logarithmic, without hits in a cache. Hatched: enough to keep the arithmetic busy.");
    Ok(sheet.figure("reuse", "Reuse of each loaded float, by level of memory", description))
}
