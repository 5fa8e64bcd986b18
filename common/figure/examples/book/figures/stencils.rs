//! Windows of stencils and convolutions, and what two buffers or two chunks hand over: labs 1, 2 and 5.

use figure::cells::{Grid, Look, Sheet};
use figure::svg::{Anchor, Figure, LINE, Point, TEXT, arrow, label, line, rect};

/// The window of lab 1: which elements one output is computed from.
pub(crate) fn window(mut sheet: Sheet) -> Figure {
    let (radius, cells) = (3_i64, 13_i64);
    let middle = cells / 2;
    let names = ["a", "b", "c", "D", "e", "f", "g"];
    let left = 30.0;
    let side = ((sheet.width() - left - 2.0) / cells as f64).min(40.0);
    let row = |y: f64| Grid { corner: Point::new(left, y), side };
    let (above, below) = (row(sheet.y() + 2.0), row(sheet.y() + 2.0 + side + 40.0));
    let is_read = |cell: i64| (middle - radius..=middle + radius).contains(&cell);
    for (grid, name) in [(above, "in"), (below, "out")] {
        let y = grid.area([0, 0], [1, 1]).center().y + 0.35 * TEXT;
        sheet.draw([label(Point::new(0.0, y), Anchor::Start, name)]);
    }
    sheet.draw(above.cells([1, cells], |[_, cell]| if is_read(cell) { Look::Tinted } else { Look::Unused }));
    sheet.draw(below.cells([1, cells], |[_, cell]| if cell == middle { Look::Strong } else { Look::Unused }));
    let output = below.area([0, middle], [1, 1]);
    for (cell, name) in (middle - radius..).zip(names) {
        let read = above.area([0, cell], [1, 1]);
        let end = Point::new(output.center().x + 2.0 * (cell - middle) as f64, output.y);
        sheet.draw([line(Point::new(read.center().x, read.bottom()), end).class("leader")]);
        sheet.draw([above.text([0, cell], [1, 1], name)]);
    }
    sheet.draw([below.text([0, middle], [1, 1], "D")]);
    sheet.skip(2.0 * side + 50.0);
    let terms = names.iter().enumerate().map(|(weight, name)| format!("w{weight}·{name}"));
    sheet.text(&format!("out[D] = {}", terms.collect::<Vec<_>>().join(" + ")));
    let description = format!(
        "With radius {radius}, the output at D is the sum of {} elements: D and {radius} on each side, each with its own weight.",
        names.len()
    );
    sheet.figure("window-1d", "The window of a stencil of radius 3", description)
}

/// The border of a grid, and its inner cells.
fn is_border([rows, columns]: [i64; 2], [row, column]: [i64; 2]) -> bool {
    row == 0 || column == 0 || row == rows - 1 || column == columns - 1
}

/// The two grids of lab 1's `relaxation`, in two steps.
pub(crate) fn relaxation(mut sheet: Sheet) -> Figure {
    let size = [5, 7];
    let center = [2, 3];
    let side = (sheet.width() / 19.0).min(24.0);
    let extent = side * size[1] as f64;
    sheet.key(&[(Look::Tinted, "read"), (Look::Strong, "written"), (Look::Hatched, "border, fixed")]);
    for step in 0..2_usize {
        let source = step % 2;
        let next = 1 - source;
        sheet.text(&format!("Step {}: from buffer {source} to buffer {next}", step + 1));
        let top = sheet.y() + LINE;
        let grids = [0.5, sheet.width() - extent - 0.5].map(|x| Grid { corner: Point::new(x, top), side });
        for (buffer, grid) in grids.iter().enumerate() {
            let name = format!("buffer {buffer}");
            sheet.draw([label(Point::new(grid.corner.x, top - 4.0), Anchor::Start, &name)]);
            let near = |[row, column]: [i64; 2]| (row - center[0]).abs() + (column - center[1]).abs();
            sheet.draw(grid.cells(size, |at| match near(at) {
                _ if is_border(size, at) => Look::Hatched,
                0 if buffer != source => Look::Strong,
                0 | 1 if buffer == source => Look::Tinted,
                _ => Look::Unused,
            }));
        }
        let y = top + side * size[0] as f64 / 2.0;
        let mut ends = [extent + 8.0, sheet.width() - extent - 8.0].map(|x| Point::new(x, y));
        if source == 1 {
            ends.reverse();
        }
        sheet.draw([arrow(ends[0], ends[1])]);
        sheet.skip(LINE + side * size[0] as f64 + 8.0);
    }
    sheet.caption("A step reads current and writes next. The host swaps the two pointers after each step, so step 2 reads what step 1 wrote, and no grid is copied.");
    let description = "There are two buffers. In each step, a thread reads its cell and the four neighbours in the current grid and writes its cell of \
                       the next one; the border stays fixed. Step 1 goes from buffer 0 to buffer 1, step 2 from buffer 1 to buffer 0.";
    sheet.figure("relaxation", "The two buffers of relaxation", description)
}

/// A chunk's buffer in lab 1's `streaming`, and what it hands to the next one.
pub(crate) fn streaming(mut sheet: Sheet) -> Figure {
    let halo = 6_i64;
    sheet.key(&[(Look::Hatched, "carried from the last chunk"), (Look::Tinted, "new elements")]);
    let side = ((sheet.width() - 2.0) / (halo + 12) as f64).min(32.0);
    let mut description = format!("The halo has {halo} elements.");
    let row = |sheet: &mut Sheet, count: i64| {
        let grid = Grid { corner: Point::new(1.0, sheet.y()), side };
        sheet.draw(
            grid.cells([1, halo + count], |[_, cell]| if cell < halo { Look::Hatched } else { Look::Tinted }),
        );
        sheet.skip(side);
        grid
    };
    for (name, count) in [("A chunk", 12_i64), ("A chunk shorter than the halo", 4)] {
        sheet.text(&format!("{name}: {count} new elements after {halo} carried ones"));
        let before = row(&mut sheet, count);
        let source = before.area([0, count], [1, halo]);
        sheet.draw([rect(source).class("outline")]);
        sheet.skip(34.0);
        let next = Grid { corner: Point::new(1.0, sheet.y()), side };
        for cell in 0..halo {
            let [from, to] = [before.area([0, count + cell], [1, 1]), next.area([0, cell], [1, 1])];
            sheet.draw([arrow(Point::new(from.center().x, from.bottom()), Point::new(to.center().x, to.y))]);
        }
        row(&mut sheet, 12);
        sheet.draw([rect(next.area([0, 0], [1, halo])).class("outline")]);
        sheet.skip(10.0);
        let shared = (halo - count).max(0);
        description.push_str(&format!(
            " {name} of {count}: cells {count} to {} go to cells 0 to {}; {shared} cells are both read and written.",
            count + halo - 1,
            halo - 1
        ));
    }
    sheet.caption("Thick border: the last 2 · radius cells of the buffer, which become the first ones of the next chunk: chunk[t] = chunk[count + t].");
    sheet.figure("streaming", "The halo that streaming carries on the device", description)
}

/// A window of an image, the filter, and the output: lab 2.
pub(crate) fn convolution(mut sheet: Sheet) -> Figure {
    let names = ["a", "b", "c", "d", "E", "f", "g", "h", "i"];
    let size = 5_i64;
    let side = (sheet.width() / 15.0).min(30.0);
    let taps = 1.2 * side;
    let widths = [5.0 * side, 3.0 * taps, 3.0 * side];
    let gap = (sheet.width() - widths.iter().sum::<f64>() - 2.0) / 2.0;
    let top = sheet.y() + LINE + 4.0;
    let middle = top + 2.5 * side;
    let image = Grid { corner: Point::new(1.0, top), side };
    let filter = Grid { corner: Point::new(1.0 + widths[0] + gap, middle - 1.5 * taps), side: taps };
    let out = Grid { corner: Point::new(sheet.width() - widths[2] - 1.0, middle - 1.5 * side), side };
    for (grid, name) in [(image, "in"), (filter, "filter"), (out, "out")] {
        sheet.draw([label(Point::new(grid.corner.x, grid.corner.y - 5.0), Anchor::Start, name)]);
    }
    for (x, sign) in [(filter.corner.x - gap / 2.0, "×"), (out.corner.x - gap / 2.0, "=")] {
        sheet.draw([label(Point::new(x, middle + 0.35 * TEXT), Anchor::Middle, sign)]);
    }
    let is_read = |at: [i64; 2]| !is_border([size, size], at);
    sheet.draw(image.cells([size, size], |at| if is_read(at) { Look::Tinted } else { Look::Unused }));
    sheet.draw(filter.cells([3, 3], |_| Look::Plain));
    sheet.draw(out.cells([3, 3], |at| if at == [1, 1] { Look::Strong } else { Look::Unused }));
    sheet.draw([out.text([1, 1], [1, 1], "E")]);
    let mut terms = Vec::new();
    for (name, at) in names.iter().zip((0..3).flat_map(|row| (0..3).map(move |column| [row, column]))) {
        let tap = format!("f{}{}", at[0], at[1]);
        sheet.draw([image.text(at.map(|n| n + 1), [1, 1], name), filter.text(at, [1, 1], &tap)]);
        terms.push(format!("{tap}·{name}"));
    }
    sheet.skip(LINE + 4.0 + side * size as f64 + 8.0);
    sheet.text(&format!("out[E] = {}", terms.join(" + ")));
    let description = "With a filter of radius 1, the output at E is the sum of 9 products: each cell of the 3 x 3 window around E with the cell of the \
                       filter at the same place.";
    sheet.figure("window-2d", "The window of a convolution of radius 1", description)
}

/// What lab 2's `boundary` reads around an image of two rows and three columns.
pub(crate) fn borders(mut sheet: Sheet) -> Figure {
    let (rows, columns) = (2_i64, 3_i64);
    let names = ["a", "b", "c", "d", "e", "f"];
    let side = (sheet.width() / 12.0).min(28.0);
    let top = sheet.y() + LINE + 4.0;
    let clamp = |row: i64, column: i64| row.clamp(0, rows - 1) * columns + column.clamp(0, columns - 1);
    let mut told = Vec::new();
    for (mode, x) in [("ghost, value g", 1.0), ("clamp", sheet.width() / 2.0)] {
        let grid = Grid { corner: Point::new(x + side, top + side), side };
        sheet.draw([label(Point::new(x, top - 5.0), Anchor::Start, mode)]);
        let mut text = Vec::new();
        for (row, column) in (-1..=rows).flat_map(|row| (-1..=columns).map(move |column| (row, column))) {
            let is_inside = (0..rows).contains(&row) && (0..columns).contains(&column);
            let name = if is_inside || mode == "clamp" { names[clamp(row, column) as usize] } else { "g" };
            let look = if is_inside { Look::Plain } else { Look::Tinted };
            sheet.draw([grid.cell([row, column], look), grid.text([row, column], [1, 1], name)]);
            text.push(name);
        }
        sheet.draw([rect(grid.area([0, 0], [rows, columns])).class("outline")]);
        let lines: Vec<String> = text.chunks(columns as usize + 2).map(|line| line.join(" ")).collect();
        told.push(format!("{mode}: {}.", lines.join(", ")));
    }
    sheet.skip(LINE + side * (rows + 2) as f64 + 10.0);
    sheet.caption(
        "Thick border: the image, of two rows and three columns. Around it: what a window reads there.",
    );
    sheet.figure("borders", "The two modes of the border", told.join(" "))
}

/// Where a window at the edge of lab 5's tile reads.
pub(crate) fn neighbours(mut sheet: Sheet) -> Figure {
    let (columns, edge, rows) = (12_i64, 4_i64, 8_i64);
    let (row, column) = (edge, 6);
    let side = (sheet.width() / columns as f64 - 1.0).min(22.0);
    let left = (sheet.width() - side * columns as f64) / 2.0;
    sheet.text_at(left, sheet.width() - left, "the neighbour's tile");
    let grid = Grid { corner: Point::new(left, sheet.y()), side };
    let mut found = [0; 2];
    for at in (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column])) {
        let is_read = (at[0] - row).abs() <= 1 && (at[1] - column).abs() <= 1;
        let is_own = at[0] >= edge;
        let look = match (is_read, is_own) {
            (false, _) => Look::Unused,
            (true, true) => Look::Tinted,
            (true, false) => Look::Strong,
        };
        sheet.draw([grid.cell(at, look)]);
        if is_read {
            found[usize::from(is_own)] += 1;
            sheet.draw([grid.text(at, [1, 1], if is_own { "s" } else { "g" })]);
        }
    }
    for (first, count) in [(0, edge), (edge, rows - edge)] {
        sheet.draw([rect(grid.area([first, 0], [count, columns])).class("outline")]);
    }
    sheet.skip(side * rows as f64 + 4.0);
    sheet.text_at(left, sheet.width() - left, "this block's tile");
    let [global, shared] = found;
    sheet.caption("s: from this block's tile. g: from global memory, most likely in a cache, because the neighbour has loaded it.");
    let description = format!(
        "The window of a thread in the first row of its block has {} cells: {shared} in the block's own tile, and {global} in the tile of the \
         block above, which it reads from global memory.",
        global + shared
    );
    sheet.figure("neighbours", "Where a window at the edge of a tile reads", description)
}
