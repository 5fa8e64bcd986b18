//! Figures of one access of a warp: sectors of global memory (labs 2 and 7), banks of shared memory (lab 7).

use figure::access::{REQUEST_KEY, Request};
use figure::banks::SharedAccess;
use figure::cells::{Look, Sheet};
use figure::number::short;
use figure::svg::Figure;

/// Floats per row of the image or matrix.
const WIDTH: u64 = 2048;

/// Requests with a name each, and what follows for each.
fn requests(mut sheet: Sheet, id: &str, title: &str, requests: &[(&str, Request)]) -> Figure {
    sheet.key(&REQUEST_KEY);
    let rows = "Each row is a line of 128 bytes: its address, and four sectors of eight floats.";
    sheet.caption(rows);
    let mut description = rows.to_owned();
    for (name, request) in requests {
        let result =
            format!("{} sectors, {} % of the bytes used", request.sectors(), short(request.used_percent()));
        sheet.text(&format!("{name}: {result}"));
        request.draw(&mut sheet);
        description.push_str(&format!(" {name}: {result}."));
    }
    sheet.figure(id, title, description)
}

/// Adjacent, shifted, strided, and a row apart.
pub(crate) fn sectors(sheet: Sheet) -> Figure {
    let strided =
        |first: u64, stride: u64| Request::of_words((0..32).map(|lane| 4 * (first + stride * lane)));
    requests(
        sheet,
        "sectors",
        "Sectors that one request of a warp touches",
        &[
            ("Adjacent floats", strided(0, 1)),
            ("Adjacent floats, not from a sector's start", strided(3, 1)),
            ("Every second float", strided(0, 2)),
            ("A column: floats that are a row of 2048 apart", strided(0, WIDTH)),
        ],
    )
}

/// The first warp of a block of 16 x 16 threads, with `threadIdx.x` as the column and as the row.
pub(crate) fn sectors_of_a_block(sheet: Sheet) -> Figure {
    let request = |element: fn(u64, u64) -> u64| {
        let address = |lane: u64| 4 * element(lane % 16, lane / 16);
        Request::of_words((0..32).map(address))
    };
    requests(
        sheet,
        "sectors-block",
        "Sectors that a warp of a 16 x 16 block touches",
        &[
            ("x from threadIdx.x", request(|tx, ty| ty * WIDTH + tx)),
            ("x from threadIdx.y", request(|tx, ty| tx * WIDTH + ty)),
        ],
    )
}

/// Rows 0 to 15 of two adjacent columns of lab 7's tile, for three lengths of its rows.
pub(crate) fn banks(mut sheet: Sheet) -> Figure {
    sheet.key(&[(Look::Solid, "column 0"), (Look::Hatched, "column 1")]);
    let mut description = "The words that one request of a warp reads from each of the 32 banks.".to_owned();
    for pad in 0..3 {
        let word = |lane: u64| {
            let (row, column) = (lane % 16, lane / 16);
            (row * (32 + pad) + column, if column == 0 { Look::Solid } else { Look::Hatched })
        };
        let access = SharedAccess { words: (0..32).map(word).collect() };
        let (used, wavefronts) = (access.banks().len(), access.wavefronts());
        let plural = if wavefronts == 1 { "" } else { "s" };
        let result = format!("{used} banks, {wavefronts} wavefront{plural}");
        sheet.text(&format!("PAD {pad}: {result}"));
        access.draw(&mut sheet);
        description.push_str(&format!(" PAD {pad}: {result}."));
    }
    sheet.figure("banks", "Banks that a warp reads from a tile with PAD 0, 1 and 2", description)
}
