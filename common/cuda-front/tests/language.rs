//! The C++ language of device code, executed: each program under `tests/language` has a kernel `k` that fills an array of
//! `int`, and a line `// EXPECT: …` with its first values, which are those of g++ 13 for the same text (as C++17).

mod thread;

use cuda_front::{Options, compile};
use std::path::{Path, PathBuf};
use thread::{buffer, run};

/// Values that a kernel may write.
const LENGTH: usize = 64;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "cu"));
    paths.sort();
    paths
}

/// What is wrong with a program, if anything.
fn fault(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let line = text.lines().find_map(|l| l.strip_prefix("// EXPECT: ")).expect("a line `// EXPECT: …`");
    let want: Vec<i32> = line.split_whitespace().map(|w| w.parse().expect("a number")).collect();
    let result = compile(&path.file_name()?.to_string_lossy(), &text, &Options::default());
    let Some(module) = &result.module else {
        let shown = result.diagnostics.iter().map(|d| source::render::full(&result.sources, d, false));
        return Some(shown.collect::<Vec<_>>().join("\n"));
    };
    let mut params = vec![buffer(0)];
    // A second parameter is 1, which the front-end cannot know.
    let Some(kernel) = module.kernels.iter().find(|k| k.name == "k") else {
        return Some("there is no kernel `k`".to_owned());
    };
    params.resize(kernel.params.len(), 1);
    let out = run(module, "k", [1, 1, 1], &params, vec![vec![0; LENGTH * 4]]);
    let got: Vec<i32> = out[0]
        .chunks_exact(4)
        .map(|c| i32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .take(want.len())
        .collect();
    (got != want).then(|| format!("{want:?} expected, {got:?} computed"))
}

#[test]
fn programs_compute_what_cpp_means() {
    let faults = programs().into_iter().filter_map(|path| {
        let fault = std::panic::catch_unwind(|| fault(&path)).unwrap_or(Some("stopped".to_owned()))?;
        Some(format!("{}: {fault}", path.display()))
    });
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{} programs are wrong:\n{}", faults.len(), faults.join("\n"));
}
