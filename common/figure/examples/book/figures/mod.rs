//! The figures of the book's chapters.
//!
//! What a figure shows is computed: sectors and banks from addresses, tiles and halos from their sizes, measured values from the raw
//! results, accesses of real kernels from what runs of them recorded. A figure's id is the name of its file.

mod measured;
mod memory;
mod product;
mod runs;
mod tiles;

use figure::svg::Figure;
use std::path::Path;

/// Where the figures are, from the root of the repository.
pub(crate) const FOLDER: &str = "docs/src/figures";

/// The style sheet of the playground's pictures.
pub(crate) const SHEET: &str = "docs/src/playground/figure.css";

/// What is in it. The dark themes are mdBook's.
pub(crate) fn sheet() -> String {
    figure::theme::embedded("pg-picture", &["coal", "navy", "ayu"])
}

/// What measured figures are drawn from.
pub(crate) struct Sources {
    /// The reports of the exercises on an H200.
    labs: String,
    /// The page with the tables of the kernels at the card's limit.
    limit: String,
    /// The numbers of an H200.
    model: String,
    /// Accesses of the solutions, recorded.
    runs: String,
}

impl Sources {
    /// Reads them from the repository.
    ///
    /// # Errors
    /// A file that cannot be read, with its name.
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
/// A source that lacks what a figure shows.
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
