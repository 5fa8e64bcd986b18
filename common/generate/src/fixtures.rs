//! Kernel files as tests: each file of a folder is a test that is named after it.
//!
//! A test program with `harness = false` gives [`trials`] to `libtest_mimic::run`. Folders are given from the root of the crate whose
//! tests run, where Cargo starts them.

use libtest_mimic::Trial;
use std::fs;
use std::path::{Path, PathBuf};

/// A kernel file.
pub struct Fixture {
    /// Where it is.
    pub path: PathBuf,
    /// The file's name.
    pub name: String,
    /// The file's name without `.cu`.
    pub stem: String,
    /// What is in it.
    pub text: String,
}

impl Fixture {
    /// Reads a file.
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn open(path: &Path) -> Fixture {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        Fixture { path: path.to_owned(), name: part(path.file_name()), stem: part(path.file_stem()), text }
    }
}

/// Every kernel file below a folder, in order.
///
/// # Panics
/// If there is none, or the folder cannot be read.
pub fn below(folder: impl AsRef<Path>) -> Vec<Fixture> {
    let mut found = Vec::new();
    add_below(folder.as_ref(), &mut found);
    assert!(!found.is_empty(), "{} has no kernel file", folder.as_ref().display());
    found
}

fn add_below(folder: &Path, found: &mut Vec<Fixture>) {
    let all = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = all.map(|e| e.expect("a folder that can be read").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add_below(&path, found);
        } else if path.extension().is_some_and(|e| e == "cu") {
            found.push(Fixture::open(&path));
        }
    }
}

/// A test of each kernel file below `FOLDER`, named after the file's path in it: `run` panics if the file fails.
pub fn trials(folder: &str, run: fn(&Fixture)) -> Vec<Trial> {
    let root = folder.trim_start_matches("tests/").replace('/', "::");
    let trial = |fixture: Fixture| {
        let inner = fixture.path.strip_prefix(folder).unwrap_or(&fixture.path).with_extension("");
        let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
        Trial::test(format!("{root}::{}", parts.join("::")), move || {
            run(&fixture);
            Ok(())
        })
    };
    below(folder).into_iter().map(trial).collect()
}

/// Tests that are functions.
pub fn functions(tests: &[(&str, fn())]) -> Vec<Trial> {
    let trial = |(name, run): (&str, fn())| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    tests.iter().copied().map(trial).collect()
}
