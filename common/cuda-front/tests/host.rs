//! Host code and the headers of libraries: skipped, and named where device code uses what they declare.
//!
//! `host/accept` has files that compile without a word, each with one kernel; `host/refuse` has those that do not, each
//! with what is said of it. NVRTC knows no host code, so these are not in the corpus.

use source::render;
use std::fs;
use std::path::{Path, PathBuf};

fn files(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host").join(kind);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|e| e.expect("a folder that can be read").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "cu"));
    files.sort();
    files
}

fn compile(path: &Path, options: &cuda_front::Options) -> (Option<usize>, String) {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    let compiled = cuda_front::compile(&name, &text, options);
    let said =
        compiled.diagnostics.iter().map(|d| render::full(&compiled.sources, d, false) + "\n").collect();
    (compiled.module.map(|m| m.kernels.len()), said)
}

#[test]
fn host_code_is_skipped() {
    for file in files("accept") {
        let (kernels, said) = compile(&file, &cuda_front::Options::default());
        assert_eq!((kernels, said.as_str()), (Some(1), ""), "{}", file.display());
    }
}

#[test]
fn what_device_code_uses_of_the_host_is_named() {
    for file in files("refuse") {
        let (kernels, said) = compile(&file, &cuda_front::Options::default());
        assert_eq!(kernels, None, "{} compiles", file.display());
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("host/refuse");
        settings.set_prepend_module_to_snapshot(false);
        let stem = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        settings.bind(|| insta::assert_snapshot!(stem, said));
    }
}

#[test]
fn a_header_is_found_where_its_path_leads_unless_confined() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("includes");
    fs::create_dir_all(root.join("kernels")).expect("a folder");
    fs::write(root.join("shared.h"), "#pragma once\n__device__ int twice(int x) { return 2 * x; }\n")
        .expect("a file");
    let text = "#include \"../shared.h\"\n#include \"../kernels/../shared.h\"\n\
                __global__ void k(int *out) { *out = twice(*out); }\n";
    let file = root.join("kernels/k.cu");
    let compile = |confined| {
        let options = cuda_front::Options { confined, ..cuda_front::Options::default() };
        cuda_front::compile(&file.display().to_string(), text, &options)
    };
    let free = compile(false);
    assert!(free.module.is_some(), "{:?}", free.diagnostics);
    let confined = compile(true);
    let outside = confined.diagnostics.iter().find(|d| d.code == "include-outside");
    let outside = outside.unwrap_or_else(|| panic!("{:?}", confined.diagnostics));
    assert_eq!(
        outside.verdict,
        source::Verdict::Program,
        "whoever hands in such a file is told to change it"
    );
}
