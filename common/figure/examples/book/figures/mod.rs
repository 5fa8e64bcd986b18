//! The figures of the book's chapters.
//!
//! Every figure is computed: sectors and banks from addresses, tiles and halos from their sizes, measured values from
//! raw results, and accesses of real kernels from recorded runs. A figure's id is the name of its file.

mod device;
mod measured;
mod memory;
mod primer;
mod product;
mod runs;
mod scaling;
mod stencils;
mod structure;
mod tiles;
mod transpose;

use figure::cells::Sheet;
use figure::markup::Element;
use figure::svg::{Figure, WIDE, WIDTH};
use std::path::Path;

/// Folder of the figures, relative to the repository's root.
pub(crate) const FOLDER: &str = "docs/src/figures";

/// The style sheet of the book's figures and of the playground's pictures.
pub(crate) const SHEET: &str = "docs/figures.css";

/// The content of that style sheet. The dark themes are mdBook's.
pub(crate) fn sheet() -> String {
    let colours = figure::theme::embedded(":is(.drawn,.pg-picture)", &["coal", "navy", "ayu"]);
    format!("{colours}{}", include_str!("book.css"))
}

/// A figure as the book has it: drawn for a phone and for a wide column, of which the style sheet shows one, with its title and
/// caption below.
pub(crate) fn text([narrow, wide]: [Figure; 2]) -> String {
    let title = Element::new("strong").text(format!("{}.", narrow.title));
    let caption = Element::new("figcaption").child(title).text(format!(" {}", narrow.caption).trim_end());
    let wide = Figure { id: format!("{}-wide", wide.id), ..wide };
    let drawings = [narrow.inline().class("figure narrow"), wide.inline().class("figure wide")];
    format!("{}\n", Element::new("figure").class("drawn").children(drawings).child(caption))
}

/// The name of a figure's file.
pub(crate) fn file([figure, _]: &[Figure; 2]) -> String {
    format!("{}.html", figure.id)
}

/// The files that measured figures use.
pub(crate) struct Sources {
    /// The reports of the exercises on an H200.
    labs: String,
    /// The page with the tables of the kernels at the card's limit.
    limit: String,
    /// The page with the tables of the simulator's speed.
    speed: String,
    /// The numbers of an H200.
    model: String,
    /// Recorded accesses of the solutions.
    runs: String,
}

impl Sources {
    /// Reads the files from the repository.
    ///
    /// # Errors
    /// Names a file that cannot be read.
    pub(crate) fn read(root: &Path) -> Result<Sources, String> {
        let read = |name: &str| std::fs::read_to_string(root.join(name)).map_err(|e| format!("{name}: {e}"));
        Ok(Sources {
            labs: read("benches/gpu/results/labs.json")?,
            limit: read("docs/src/limit.md")?,
            speed: read("docs/src/speed.md")?,
            model: read("common/device-sim/models/h200.toml")?,
            runs: read("common/figure/examples/book/runs.jsonl")?,
        })
    }
}

/// Every figure, each drawn for a phone and for a wide column.
///
/// # Errors
/// A source that lacks what a figure shows.
pub(crate) fn figures(sources: &Sources) -> Result<Vec<[Figure; 2]>, String> {
    let [narrow, wide] = [WIDTH, WIDE].map(|width| drawn(&Sheet::of(width), sources));
    Ok(narrow?.into_iter().zip(wide?).map(|(narrow, wide)| [narrow, wide]).collect())
}

/// Every figure, on sheets like this one.
fn drawn(sheet: &Sheet, sources: &Sources) -> Result<Vec<Figure>, String> {
    let drawings: [fn(Sheet) -> Figure; 24] = [
        structure::crates,
        structure::simulator,
        structure::scripts,
        primer::grid,
        primer::warp,
        stencils::window,
        stencils::relaxation,
        stencils::streaming,
        stencils::convolution,
        stencils::borders,
        stencils::neighbours,
        transpose::matrix,
        transpose::halves,
        product::element,
        product::registers,
        memory::sectors,
        memory::sectors_of_a_block,
        memory::banks,
        tiles::halo_1d,
        tiles::halo_2d,
        tiles::overlap,
        tiles::cached_halo,
        product::tiles,
        product::phases,
    ];
    let mut figures: Vec<Figure> = drawings.iter().map(|draw| draw(sheet.clone())).collect();
    figures.push(device::hierarchy(sheet.clone(), &sources.model)?);
    figures.push(product::reuse(sheet.clone(), &sources.model)?);
    figures.push(scaling::sizes(sheet.clone(), &sources.speed)?);
    figures.extend(measured::rooflines(sheet.width(), &sources.labs)?);
    figures.extend(runs::figures(sheet, &sources.runs)?);
    figures.extend(measured::ladders(sheet, &sources.limit)?);
    Ok(figures)
}
