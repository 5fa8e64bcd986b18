//! The architecture: crates, the parts of the simulator, and the scripts of a page, as boxes with arrows between them.

use figure::cells::{Look, Sheet, boxed};
use figure::svg::{Figure, LINE, Point, Rect, arrow, wrap};

/// A box: its first column, how many columns it takes, and its text, of which each line begins a new one.
type Part<'a> = (f64, f64, &'a str);

/// The row of a box, and which it is there.
type Place = [usize; 2];

/// Space between boxes beside each other.
const BETWEEN: f64 = 14.0;

/// Draws rows of boxes, and arrows from box to box.
fn draw(sheet: &mut Sheet, columns: f64, rows: &[&[Part]], arrows: &[(Place, Place)]) {
    let each = (sheet.width() + BETWEEN) / columns;
    let mut areas: Vec<Vec<Rect>> = Vec::new();
    for row in rows {
        let width = |part: &Part| each * part.1 - BETWEEN;
        let lines = |part: &Part| part.2.lines().flat_map(|line| wrap(line, width(part) - 4.0)).collect();
        let texts: Vec<Vec<String>> = row.iter().map(lines).collect();
        let most = texts.iter().map(Vec::len).max().unwrap_or(0);
        let (y, height) = (sheet.y() + 1.0, LINE * most as f64 + 8.0);
        let area = |part: &Part| Rect { x: each * part.0, y, width: width(part), height };
        areas.push(row.iter().map(area).collect());
        for (part, lines) in row.iter().zip(&texts) {
            sheet.draw(boxed(area(part), Look::Plain, lines));
        }
        sheet.skip(height + 22.0);
    }
    sheet.skip(-16.0);
    for (from, to) in arrows {
        let [a, b] = [from, to].map(|[row, nth]| areas[*row][*nth]);
        let ends = match from[0] == to[0] {
            true if a.x < b.x => [Point::new(a.right(), a.center().y), Point::new(b.x, b.center().y)],
            true => [Point::new(a.x, a.center().y), Point::new(b.right(), b.center().y)],
            false if from[0] < to[0] => {
                let x = a.center().x;
                [Point::new(x, a.bottom()), Point::new(x.clamp(b.x + 10.0, b.right() - 10.0), b.y)]
            }
            false => [Point::new(b.center().x, a.y), Point::new(b.center().x, b.bottom())],
        };
        sheet.draw([arrow(ends[0], ends[1])]);
    }
}

/// The crates from the text of a kernel to what a person starts.
pub(crate) fn crates(mut sheet: Sheet) -> Figure {
    let rows: [&[Part]; 10] = [
        &[(0.0, 1.0, "kernel file")],
        &[(0.0, 1.0, "cuda-syntax"), (1.0, 1.0, "cuda-front")],
        &[(0.0, 1.0, "simt-ir"), (1.0, 1.0, "simt-ref")],
        &[(0.0, 1.0, "simt-opt")],
        &[(0.0, 1.0, "simt")],
        &[(0.0, 1.0, "device-sim"), (1.0, 1.0, "device-gpu"), (2.0, 1.0, "nvrtc,\ncuda-driver")],
        &[(0.0, 2.0, "device (trait)"), (2.0, 1.0, "report")],
        &[(0.0, 2.0, "harness"), (2.0, 1.0, "figure")],
        &[(0.0, 1.0, "labs/lab-N"), (1.0, 1.0, "launch-line"), (2.0, 1.0, "gradebook")],
        &[(0.0, 3.0, "labs/cli, labs/playground, tests of lab-N")],
    ];
    let mut arrows: Vec<(Place, Place)> =
        [0, 2, 3, 4, 6].iter().map(|row| ([*row, 0], [row + 1, 0])).collect();
    arrows.extend([
        ([1, 0], [1, 1]),
        ([1, 1], [2, 0]),
        ([2, 0], [2, 1]),
        ([5, 0], [5, 1]),
        ([5, 2], [5, 1]),
        ([6, 1], [6, 0]),
        ([6, 1], [7, 1]),
        ([7, 1], [8, 2]),
    ]);
    arrows.extend([0, 1].map(|nth| ([6, 0], [5, nth])));
    arrows.extend([0, 1].map(|nth| ([7, 0], [8, nth])));
    arrows.extend([0, 1, 2].map(|nth| ([8, nth], [9, 0])));
    draw(&mut sheet, 3.0, &rows, &arrows);
    let description = "A kernel file goes to cuda-syntax, from there to cuda-front and on to simt-ir, which simt-ref interprets too, to simt-opt, simt and device-sim. device-gpu \
                       is above device-sim and above nvrtc and cuda-driver. Both devices implement the trait device, which harness uses; above harness are \
                       labs/lab-N and launch-line. report is beside device, which uses it, and below figure, which is below gradebook. On top are labs/cli, labs/playground and the tests of lab-N.";
    sheet.figure("crates", "From text to a report", description)
}

/// The parts of `simt`.
pub(crate) fn simulator(mut sheet: Sheet) -> Figure {
    let rows: [&[Part]; 3] = [
        &[(0.0, 1.0, "simt-ir"), (2.0, 1.0, "simt-ref")],
        &[
            (0.0, 1.0, "plan\nanalysis, transform, select"),
            (1.0, 1.0, "machine\nmemory, warp, block"),
            (2.0, 1.0, "observe\nrace, init, count"),
        ],
        &[(0.0, 1.0, "launch description"), (1.0, 1.0, "driver"), (2.0, 1.0, "report")],
    ];
    let arrows = [
        ([0, 0], [0, 1]),
        ([0, 0], [1, 0]),
        ([1, 0], [1, 1]),
        ([1, 2], [1, 1]),
        ([1, 0], [2, 1]),
        ([1, 1], [2, 1]),
        ([1, 2], [2, 1]),
        ([1, 0], [1, 1]),
        ([1, 1], [2, 0]),
        ([2, 0], [2, 1]),
        ([2, 1], [2, 2]),
    ];
    draw(&mut sheet, 3.0, &rows, &arrows);
    sheet.caption(
"The driver stands on all three, and can compare their results with those of simt-ref, a scalar interpreter that says what the IR means.",
    );
    let description = "simt-ir goes to plan, with its parts analysis, transform and select, and from there to machine, with memory, warp and block, which \
                       observe watches: race, init and count. The driver takes the launch description, uses all three, and gives the report.";
    sheet.figure("simulator", "The parts of the simulator", description)
}

/// The scripts of a page of the book.
pub(crate) fn scripts(mut sheet: Sheet) -> Figure {
    let rows: [&[Part]; 5] = [
        &[(0.0, 1.0, "playground.js\non each page")],
        &[(0.0, 1.0, "panel.js")],
        &[(0.0, 1.0, "simulator.js"), (1.0, 1.0, "verdict.js, picture.js, editor.js (CodeMirror)")],
        &[(0.0, 1.0, "worker.js")],
        &[(0.0, 1.0, "playground.wasm")],
    ];
    let mut arrows: Vec<(Place, Place)> = (0..4).map(|row| ([row, 0], [row + 1, 0])).collect();
    arrows.push(([1, 0], [2, 1]));
    draw(&mut sheet, 2.0, &rows, &arrows);
    let description = "playground.js, which is on each page, loads panel.js. That loads verdict.js, picture.js, editor.js with CodeMirror, and simulator.js, \
                       whose worker.js runs playground.wasm.";
    sheet.figure("scripts", "Which script loads which", description)
}
