//! Where inputs begin: the corpus of this crate, and programs that the tests have.

use std::path::{Path, PathBuf};

/// Programs that compile.
pub const ACCEPTED: &[&str] = &[
    "common/cuda-front/tests/corpus/accept",
    "common/cuda-front/tests/kernels",
    "common/cuda-front/tests/language",
    "common/cuda-front/tests/host/accept",
    "common/cuda-front/tests/check/pass",
    "common/device-sim/tests",
    "solutions",
];

/// Programs that compile and wait for other threads, which takes its time in every mode.
pub const WAITING: &[&str] = &["common/simt-ref/tests/races"];

/// Programs that do not.
pub const REFUSED: &[&str] = &[
    "common/cuda-front/tests/beginner",
    "common/cuda-front/tests/check/fail",
    "common/cuda-front/tests/corpus/reject",
    "common/cuda-front/tests/host/refuse",
    "common/cuda-syntax/tests/parse",
    "common/cuda-front/tests/supported",
];

/// The root of the repository.
pub fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_owned()
}

/// The files of a folder and below, in order of path.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => found.push(path),
        }
    }
    found.retain(|path| path.is_file());
    found.sort();
    found
}

/// The programs below some folders of the repository.
pub fn programs(folders: &[&str]) -> Vec<Vec<u8>> {
    let root = root();
    let paths = folders.iter().flat_map(|folder| files(&root.join(folder)));
    let programs = paths.filter(|path| path.extension().is_some_and(|e| e == "cu" || e == "cuh"));
    programs.filter_map(|path| std::fs::read(path).ok()).collect()
}

/// The corpus of a target in this crate.
pub fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    files(&folder).into_iter().filter_map(|path| Some((path.clone(), std::fs::read(&path).ok()?))).collect()
}
