//! CUDA's own compiler takes every solution and every starter, for each generation of devices from Turing on.
//!
//! Without NVRTC the test is shown as ignored, with how to get it.

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use nvrtc::{Nvrtc, Request};
use solutions::paths;
use std::path::PathBuf;
use std::sync::Arc;

const ARCHITECTURES: [&str; 3] = ["sm_75", "sm_80", "sm_90"];

/// Every kernel file of a folder of the project, below its labs.
fn files(folder: &str) -> Vec<PathBuf> {
    let read = |dir: PathBuf| std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
    let labs = read(paths().root.join(folder));
    let mut files: Vec<PathBuf> =
        labs.flat_map(read).filter(|f| f.extension().is_some_and(|e| e == "cu")).collect();
    files.sort();
    files
}

fn compiles(nvrtc: &Nvrtc, file: &PathBuf, architecture: &str) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let name = paths().display(file);
    let request = Request { name, text, architecture: architecture.into(), ..Request::default() };
    let answer = nvrtc.compile(&request)?;
    if answer.accepted && !answer.cubin.is_empty() { Ok(()) } else { Err(answer.log.into()) }
}

fn main() {
    let nvrtc = Arc::new(Nvrtc::find());
    let mut trials = Vec::new();
    for (folder, file) in
        ["solutions", "kernels"].iter().flat_map(|f| files(f).into_iter().map(move |p| (f, p)))
    {
        for architecture in ARCHITECTURES {
            let lab = file.parent().and_then(|p| p.file_name()).unwrap_or_default().to_string_lossy();
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{folder}::{lab}::{stem}::{architecture}");
            let (nvrtc, file) = (nvrtc.clone(), file.clone());
            trials.push(Trial::ignorable_test(name, move || match nvrtc.as_ref() {
                Some(nvrtc) => compiles(nvrtc, &file, architecture).map(|()| Completion::Completed),
                None => Ok(Completion::ignored_with(
                    "skipped: NVRTC not found; `cargo lab doctor` says how to get it",
                )),
            }));
        }
    }
    assert!(trials.len() >= 2 * 25 * ARCHITECTURES.len(), "only {} kernel files were found", trials.len());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
