//! Generates the data that the playground contains: the starters, and the measured values of the solutions. It
//! contains no solution.
//!
//! In a checkout with solutions, the starters are derived from the solutions, and the measured values are
//! `measured.json` beside this file. In a checkout that `lab export-course` wrote for students, both are in its
//! references.

#[allow(dead_code, unreachable_pub, reason = "the module of a library, of which one function is needed here")]
#[path = "../../common/harness/src/starter.rs"]
mod starter;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Stack for the deepest nesting that the front-end allows, with a large margin.
const STACK_BYTES: u32 = 64 << 20;

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let root = own.join("../..");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    let solutions = root.join("solutions");
    let derives = solutions.is_dir();
    let (kernels, table) = match derives {
        true => (solutions, own.join("measured.json")),
        false => (root.join("references/starters"), root.join("references/measured.json")),
    };
    let mut starters = String::from("&[\n");
    for lab in sorted(&kernels)?.into_iter().filter(|path| name(path).starts_with("lab-")) {
        println!("cargo::rerun-if-changed={}", lab.display());
        for file in sorted(&lab)?.into_iter().filter(|file| file.extension().is_some_and(|e| e == "cu")) {
            println!("cargo::rerun-if-changed={}", file.display());
            let text = fs::read_to_string(&file)?.replace('\r', "");
            // A kernel without a part for students is not an exercise.
            let Ok(text) = (if derives { starter::derive(&text) } else { Ok(text) }) else { continue };
            writeln!(starters, "    ({:?}, {text:?}),", format!("{}/{}", name(&lab), name(&file)))
                .expect("a string takes any text");
        }
    }
    starters.push(']');
    println!("cargo::rerun-if-changed={}", kernels.display());
    println!("cargo::rerun-if-changed={}", table.display());
    // WebAssembly has no threads, so the front-end cannot create its own large stack there.
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={STACK_BYTES}");
    }
    fs::write(out.join("starters.rs"), starters)?;
    fs::copy(table, out.join("measured.json"))?;
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
