//! Writes a table of the reference kernels' texts, which the program carries so that it works outside a checkout.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let solutions = manifest.join("../../solutions");
    let mut table = String::from("&[\n");
    for lab in sorted(&solutions)? {
        if !lab.is_dir() || !name(&lab).starts_with("lab-") {
            continue;
        }
        println!("cargo::rerun-if-changed={}", lab.display());
        for file in sorted(&lab)? {
            writeln!(table, "    ({:?}, include_str!({file:?})),", format!("{}/{}", name(&lab), name(&file)))
                .expect("a string takes any text");
        }
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    fs::write(out.join("references.rs"), table)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries =
        fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
