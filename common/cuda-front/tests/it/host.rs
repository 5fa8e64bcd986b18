//! Host code and the headers of libraries: skipped, and named where device code uses what they declare.
//!
//! `host/accept` has files that compile without a word, each with one kernel; `host/refuse` has those that do not, each
//! with what is said of it. NVRTC knows no host code, so these are not in the corpus.

use crate::fixtures::Fixture;
use source::render;
use std::fs;
use std::path::Path;

/// The number of kernels, if the file compiles, and what is said of it.
fn compile(file: &Fixture) -> (Option<usize>, String) {
    let compiled = cuda_front::compile(&file.name, &file.text, &cuda_front::Options::default());
    let said =
        compiled.diagnostics.iter().map(|d| render::full(&compiled.sources, d, false) + "\n").collect();
    (compiled.module.map(|m| m.kernels.len()), said)
}

mod accept {
    fixtures! { crate::host::accepted, "tests/host/accept";
        cute_configuration integer_constants libraries library_brings_halves members_of_an_unknown_base
        shared_class
    }
}

fn accepted(file: &Fixture) {
    let (kernels, said) = compile(file);
    assert_eq!((kernels, said.as_str()), (Some(1), ""));
}

mod refuse {
    fixtures! { crate::host::refused, "tests/host/refuse";
        alias_of_host_type hip host_class_in_kernel library_in_kernel missing_header removed_shuffle
        statement_expression type_of_skipped_header
    }
}

fn refused(file: &Fixture) {
    let (kernels, said) = compile(file);
    assert_eq!(kernels, None, "it compiles");
    insta::with_settings!({ snapshot_path => "../host/refuse", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(file.stem.as_str(), said);
    });
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
