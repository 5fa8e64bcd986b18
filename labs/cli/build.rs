//! Generates the table of texts that the program contains so that it works outside a checkout: the reference kernels.
//! In a checkout that `lab export-course` wrote for students, these are the starters and the measured values of the
//! references instead.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it")).join("../..");
    let solutions = root.join("solutions");
    let mut files = Vec::new();
    if solutions.is_dir() {
        for lab in sorted(&solutions)?.into_iter().filter(|path| name(path).starts_with("lab-")) {
            collect(&lab, &name(&lab), &mut files)?;
        }
    } else {
        collect(&root.join("references"), "", &mut files)?;
    }
    let mut table = String::from("&[\n");
    for (name, path) in files {
        writeln!(table, "    ({name:?}, include_str!({path:?})),").expect("a string takes any text");
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    fs::write(out.join("references.rs"), table)
}

/// Collects every file below a folder, under its name with `prefix`.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for path in sorted(folder)? {
        let name = if prefix.is_empty() { name(&path) } else { format!("{prefix}/{}", name(&path)) };
        match path.is_dir() {
            true => collect(&path, &name, files)?,
            false => files.push((name, path)),
        }
    }
    Ok(())
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
