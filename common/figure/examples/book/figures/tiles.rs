//! Figures of tiles and their halos: labs 1, 4 and 5.

use figure::cells::{Grid, Look, Sheet};
use figure::svg::{Anchor, Figure, LINE, Point, Rect, TEXT, label, rect};

/// Threads per block in [`halo_1d`].
const BLOCK: i64 = 16;
/// Radius in [`halo_1d`].
const RADIUS: i64 = 3;

/// The cells of a block's window in lab 1, who loads them, and what an output reads.
pub(crate) fn halo_1d(mut sheet: Sheet) -> Figure {
    let cells = BLOCK + 2 * RADIUS;
    let side = (sheet.width() - 8.0) / cells as f64;
    sheet.key(&[(Look::Tinted, "the block's elements"), (Look::Hatched, "halo")]);
    sheet.text(&format!("Shared memory, BLOCK {BLOCK}, radius {RADIUS}"));
    let grid = Grid { corner: Point::new(4.0, sheet.y()), side };
    for cell in 0..cells {
        let is_own = (RADIUS..RADIUS + BLOCK).contains(&cell);
        sheet.draw([grid.cell([0, cell], if is_own { Look::Tinted } else { Look::Hatched })]);
    }
    sheet.skip(side + 2.0);
    for cell in [0, RADIUS, RADIUS + BLOCK, cells] {
        let at = Point::new(grid.corner.x + side * cell as f64, sheet.y() + TEXT);
        let anchor = if cell == cells { Anchor::End } else { Anchor::Middle };
        let x = if cell == 0 { at.x + 2.0 } else { at.x };
        sheet.draw([label(Point::new(x, at.y), anchor, &cell.to_string()).class("muted")]);
    }
    sheet.skip(LINE + 4.0);
    let mut description = format!(
        "{cells} cells for {BLOCK} outputs: {RADIUS} cells of halo on the left, {BLOCK} elements of the block, {RADIUS} cells of halo on \
         the right."
    );
    let mut bracket = |sheet: &mut Sheet, from: i64, to: i64, text: &str| {
        sheet.text(text);
        let area = grid.area([0, from], [1, to - from]);
        let area = Rect { y: sheet.y(), height: 6.0, ..area };
        sheet.draw([rect(area).class("outline")]);
        sheet.skip(14.0);
        description.push_str(&format!(" {text}."));
    };
    for (round, from) in (0..cells).step_by(BLOCK as usize).enumerate() {
        let to = cells.min(from + BLOCK);
        let text = format!("Load {}: threads 0 to {}, cells {from} to {}", round + 1, to - from - 1, to - 1);
        bracket(&mut sheet, from, to, &text);
    }
    let thread = 5;
    let last = thread + 2 * RADIUS;
    let text = format!("Then thread {thread} reads cells {thread} to {last}");
    bracket(&mut sheet, thread, last + 1, &text);
    sheet.figure("halo-1d", "The cells that a block of a stencil loads", description)
}

/// Side of the tiles in [`halo_2d`] and [`overlap`].
const TILE: i64 = 8;

/// Lab 4's two kinds of tile, for the same number of threads.
pub(crate) fn halo_2d(mut sheet: Sheet) -> Figure {
    let radius = 1;
    sheet.key(&[(Look::Tinted, "cell with an output"), (Look::Hatched, "halo")]);
    let top = sheet.y();
    let mut lowest = top;
    let mut description = format!("Tiles of blocks of {TILE} x {TILE} threads, radius {radius}.");
    let half = sheet.width() / 2.0;
    let cell = (half / 10.5).min(20.0);
    let kinds = [("input_tile", 0.0, TILE), ("output_tile", half, TILE + 2 * radius)];
    for (name, x, side) in kinds {
        let (threads, outputs) = (TILE * TILE, (side - 2 * radius) * (side - 2 * radius));
        sheet.draw([label(Point::new(x, top + TEXT), Anchor::Start, name)]);
        let grid = Grid { corner: Point::new(x + 1.0, top + LINE + 6.0), side: cell };
        for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
            let is_inner = [row, column].iter().all(|n| (radius..side - radius).contains(n));
            sheet.draw([grid.cell([row, column], if is_inner { Look::Tinted } else { Look::Hatched })]);
        }
        let first = (side - TILE) / 2;
        sheet.draw([rect(grid.area([first, first], [TILE, TILE])).class("outline")]);
        let mut below = Sheet::default();
        below.skip(top + LINE + 6.0 + cell * (TILE + 2 * radius) as f64 + 4.0);
        let facts = format!(
            "{} cells loaded for {outputs} outputs; {} of {threads} threads compute none",
            side * side,
            threads - outputs
        );
        below.text_at(x, half - 5.0, &facts);
        lowest = below.y().max(lowest);
        description.push_str(&format!(" {name}: {facts}."));
        sheet.draw(below.into_body());
    }
    sheet.skip(lowest - top);
    sheet.caption("Thick border: the cells that the threads load first, one each.");
    sheet.figure("halo-2d", "The tiles of input_tile and output_tile", description)
}

/// How often the cells around a corner of lab 4's `input_tile` blocks are loaded.
pub(crate) fn overlap(mut sheet: Sheet) -> Figure {
    let radius = 1;
    let step = TILE - 2 * radius;
    let shown = step + radius;
    // Number of tiles that contain a cell, along one axis. Tile b starts `radius` before its first output.
    let tiles = |cell: i64| {
        (-3..=3).filter(|b| (b * step - radius..b * step - radius + TILE).contains(&cell)).count()
    };
    let grid = Grid { corner: Point::new(sheet.width() / 2.0, 4.0 + 20.0 * shown as f64), side: 20.0 };
    let mut found = [0_usize; 5];
    for (row, column) in (-shown..shown).flat_map(|row| (-shown..shown).map(move |column| (row, column))) {
        let loads = tiles(row) * tiles(column);
        found[loads] += 1;
        let look = match loads {
            1 => Look::Plain,
            2 => Look::Tinted,
            _ => Look::Strong,
        };
        let at = [row, column];
        sheet.draw([grid.cell(at, look), grid.text(at, [1, 1], &loads.to_string())]);
    }
    for (row, column) in [(-step, -step), (-step, 0), (0, -step), (0, 0)] {
        sheet.draw([rect(grid.area([row, column], [step, step])).class("outline")]);
    }
    sheet.draw([rect(grid.area([-radius, -radius], [TILE, TILE])).class("limit")]);
    sheet.skip(40.0 * shown as f64 + 12.0);
    sheet.caption(
        "Thick border: the outputs of four blocks. Dashed border: the cells that one of them loads.",
    );
    let description = format!(
        "Cells around the corner where four blocks of {TILE} x {TILE} threads meet, radius {radius}, each with the number of blocks that \
         load it. Of the {} cells shown, {} are loaded once, {} twice and {} four times. A block loads {} cells for {} outputs.",
        found.iter().sum::<usize>(),
        found[1],
        found[2],
        found[4],
        TILE * TILE,
        step * step
    );
    sheet.figure("tile-overlap", "How many blocks load each cell", description)
}

/// How many of its window's nine cells each thread of lab 5 finds in the tile.
pub(crate) fn cached_halo(mut sheet: Sheet) -> Figure {
    sheet.key(&[(Look::Hatched, "cells read from global memory")]);
    let side = 24.0;
    let left = (sheet.width() - side * (TILE + 2) as f64) / 2.0;
    let grid = Grid { corner: Point::new(left + side, sheet.y() + side), side };
    let mut total = 0;
    for (row, column) in (-1..=TILE).flat_map(|row| (-1..=TILE).map(move |column| (row, column))) {
        let is_in = |row: i64, column: i64| [row, column].iter().all(|n| (0..TILE).contains(n));
        if !is_in(row, column) {
            sheet.draw([grid.cell([row, column], Look::Hatched)]);
            continue;
        }
        let window = (-1..=1).flat_map(|y| (-1..=1).map(move |x| (y, x)));
        let hits = window.filter(|(y, x)| is_in(row + y, column + x)).count();
        total += hits;
        let look = if hits == 9 { Look::Plain } else { Look::Tinted };
        sheet.draw([grid.cell([row, column], look), grid.text([row, column], [1, 1], &hits.to_string())]);
    }
    sheet.draw([rect(grid.area([0, 0], [TILE, TILE])).class("outline")]);
    sheet.skip(side * (TILE + 2) as f64 + 6.0);
    sheet.caption("Each thread, with how many of the nine cells of its window are in the tile.");
    let description = format!(
        "A tile of {TILE} x {TILE} threads, radius 1. Threads inside find all nine cells in the tile, at an edge 6, at a corner 4: {total} \
         of {} reads. The others are reads of the ring of cells around the tile, from global memory.",
        9 * TILE * TILE
    );
    sheet.figure("cached-halo", "Reads that the tile serves, for each thread", description)
}
