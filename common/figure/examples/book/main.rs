//! Writes the book's figures to `docs/src/figures`, and their style sheet: `cargo run -p figure --example book`.
//!
//! `cargo test -p figure` checks that the files equal the output of this program.

mod figures;

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join(figures::FOLDER);
    std::fs::create_dir_all(&folder)?;
    for figure in figures::figures(&figures::Sources::read(&root)?)? {
        std::fs::write(folder.join(figures::file(&figure)), figures::text(figure))?;
    }
    std::fs::write(root.join(figures::SHEET), figures::sheet())?;
    Ok(())
}
