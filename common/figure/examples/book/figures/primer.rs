//! The primer: the threads of a grid, and what a warp is to memory.

use figure::access::Request;
use figure::cells::{Look, Sheet, boxed};
use figure::svg::{Anchor, Figure, LINE, Point, Rect, TEXT, label, line};

/// Threads of a block.
const BLOCK: u64 = 256;
/// Blocks of the grid.
const BLOCKS: u64 = 4;
/// Lanes of a warp.
const WARP: u64 = 32;
/// Bytes of a float.
const FLOAT: u64 = 4;

/// The blocks of a grid, their threads, and the index that each computes.
pub(crate) fn grid(mut sheet: Sheet) -> Figure {
    let each = sheet.width() / BLOCKS as f64;
    let center = |block: u64| each * (block as f64 + 0.5);
    let texts = |sheet: &mut Sheet, text: &dyn Fn(u64) -> String| {
        let y = sheet.y() + TEXT;
        sheet
            .draw((0..BLOCKS).map(|block| label(Point::new(center(block), y), Anchor::Middle, &text(block))));
        sheet.skip(LINE + 3.0);
    };
    sheet.text("blockIdx.x");
    texts(&mut sheet, &|block| block.to_string());
    sheet.text("threadIdx.x");
    let y = sheet.y();
    for block in 0..BLOCKS {
        let area = Rect { x: center(block) - each / 2.0 + 3.0, y, width: each - 6.0, height: 26.0 };
        sheet.draw(boxed(area, Look::Tinted, &[format!("0 to {}", BLOCK - 1)]));
    }
    sheet.skip(32.0);
    sheet.text("i = blockIdx.x · blockDim.x + threadIdx.x");
    texts(&mut sheet, &|block| format!("{} to", block * BLOCK));
    texts(&mut sheet, &|block| (block * BLOCK + BLOCK - 1).to_string());
    sheet.caption(&format!("A grid of {BLOCKS} blocks, each of {BLOCK} threads."));
    let indices = (0..BLOCKS)
        .map(|block| format!("In block {block}, i is {} to {}.", block * BLOCK, block * BLOCK + BLOCK - 1));
    let description = format!(
        "{BLOCKS} blocks, each with threads 0 to {}. {}",
        BLOCK - 1,
        indices.collect::<Vec<_>>().join(" ")
    );
    sheet.figure("grid", "The index of each thread", description)
}

/// The lanes of a warp, whose first thread is `first`, above the words that they load, which fill so many sectors.
fn lanes_and_sectors(sheet: &mut Sheet, first: u64, sectors: u64) {
    let (width, per_sector) = (sheet.width(), WARP / sectors);
    let side = (width - 2.0) / WARP as f64;
    let lane = |nth: u64, y: f64| Rect { x: 1.0 + side * nth as f64, y, width: side, height: 12.0 };
    let y = sheet.y();
    sheet.draw((0..WARP).map(|nth| Look::Tinted.cell(lane(nth, y))));
    sheet.skip(12.0);
    let gap = 4.0;
    let word = (width - 2.0 - gap * (sectors - 1) as f64) / WARP as f64;
    let below = sheet.y() + 22.0;
    for nth in 0..WARP {
        let x = 1.0 + gap * (nth / per_sector) as f64 + word * nth as f64;
        let area = Rect { x, y: below, width: word, height: 12.0 };
        let from = lane(nth, y);
        let ends = [Point::new(from.center().x, from.bottom()), Point::new(area.center().x, below)];
        sheet.draw([line(ends[0], ends[1]).class("leader"), Look::Solid.cell(area)]);
    }
    sheet.skip(22.0 + 12.0);
    let bytes = FLOAT * per_sector;
    for sector in 0..sectors {
        let x = (word * per_sector as f64 + gap) * (sector as f64 + 0.5) - gap / 2.0 + 1.0;
        let from = FLOAT * first + bytes * sector;
        for (nth, text) in [format!("{bytes} bytes"), format!("from {from}")].iter().enumerate() {
            let y = sheet.y() + TEXT + 2.0 + LINE * nth as f64;
            sheet.draw([label(Point::new(x, y), Anchor::Middle, text)]);
        }
    }
    sheet.skip(2.0 * LINE + 6.0);
}

/// A block's warps, the lanes of one of them, and the sectors that these load from.
pub(crate) fn warp(mut sheet: Sheet) -> Figure {
    let (number, warps) = (1, BLOCK / WARP);
    let first = number * WARP;
    let high = 22.0;
    let width = sheet.width();
    sheet.text(&format!("A block of {BLOCK} threads: {warps} warps"));
    let each = width / warps as f64;
    let warp = |nth: u64| Rect { x: each * nth as f64 + 1.0, y: 0.0, width: each - 2.0, height: high };
    let y = sheet.y();
    for nth in 0..warps {
        let look = if nth == number { Look::Tinted } else { Look::Plain };
        sheet.draw(boxed(Rect { y, ..warp(nth) }, look, &[nth.to_string()]));
    }
    sheet.skip(high);
    let chosen = warp(number);
    for (from, to) in [(chosen.x, 1.0), (chosen.right(), width - 1.0)] {
        let ends = [Point::new(from, sheet.y()), Point::new(to, sheet.y() + 2.0 * LINE + 8.0)];
        sheet.draw([line(ends[0], ends[1]).class("leader")]);
    }
    sheet.skip(2.0 * LINE + 8.0);
    let request = Request::of_words((first..first + WARP).map(|thread| FLOAT * thread));
    let sectors = request.sectors() as u64;
    let per_sector = WARP / sectors;
    let bytes = FLOAT * per_sector;
    lanes_and_sectors(&mut sheet, first, sectors);
    sheet.caption(&format!(
        "Warp {number} of the first block is threads {first} to {}, its lanes 0 to {}. Each lane loads the float in[i]; the warp touches \
         {sectors} sectors of {bytes} bytes.",
        first + WARP - 1,
        WARP - 1
    ));
    let description = format!(
        "A block of {BLOCK} threads has {warps} warps. The {WARP} lanes of warp {number} are threads {first} to {}. Together they load the \
         bytes {} to {}: {sectors} sectors of {bytes} bytes, each read by {per_sector} lanes.",
        first + WARP - 1,
        FLOAT * first,
        FLOAT * (first + WARP) - 1
    );
    sheet.figure("warp-sectors", "From a warp to its lanes to sectors", description)
}
