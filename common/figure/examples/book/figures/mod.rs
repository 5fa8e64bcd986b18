//! The figures of the book's chapters.
//!
//! Every figure is computed: sectors and banks from addresses, tiles and halos from their sizes, measured values from
//! raw results, and accesses of real kernels from recorded runs. A figure's id is the name of its file.

mod measured;
mod memory;
mod product;
mod runs;
mod tiles;

use figure::svg::Figure;
use std::path::Path;

/// Folder of the figures, relative to the repository's root.
pub(crate) const FOLDER: &str = "docs/src/figures";

/// Path of the style sheet for the playground's pictures, relative to the repository's root.
pub(crate) const SHEET: &str = "docs/src/playground/figure.css";

/// The content of that style sheet. The dark themes are mdBook's.
pub(crate) fn sheet() -> String {
    figure::theme::embedded("pg-picture", &["coal", "navy", "ayu"])
}

/// The files that measured figures use.
pub(crate) struct Sources {
    /// The reports of the exercises on an H200.
    labs: String,
    /// The page with the tables of the kernels at the card's limit.
    limit: String,
    /// The device model of an H200.
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
            model: read("common/device-sim/models/h200.toml")?,
            runs: read("common/figure/examples/book/runs.jsonl")?,
        })
    }
}

/// Every figure.
///
/// # Errors
/// Says which source lacks data for a figure.
pub(crate) fn figures(sources: &Sources) -> Result<Vec<Figure>, String> {
    let mut figures = vec![
        memory::sectors(),
        memory::sectors_of_a_block(),
        memory::banks(),
        tiles::halo_1d(),
        tiles::halo_2d(),
        tiles::overlap(),
        tiles::cached_halo(),
        product::tiles(),
        product::phases(),
        product::reuse(&sources.model)?,
    ];
    figures.extend(measured::rooflines(&sources.labs)?);
    figures.extend(runs::figures(&sources.runs)?);
    figures.extend(measured::ladders(&sources.limit)?);
    Ok(figures)
}
