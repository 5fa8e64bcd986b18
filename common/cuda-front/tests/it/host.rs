//! Host code and the headers of libraries: skipped, and named where device code uses what they declare.
//!
//! `host/accept` has files that compile without a word, each with one kernel; `host/refuse` has those that do not, each
//! with what is said of it. NVRTC knows no host code, so these are not in the corpus.

use crate::fixtures::Fixture;
use cuda_front::Includes;
use source::render;
use std::fs;
use std::path::Path;

/// The number of kernels, if the file compiles, and what is said of it.
fn compile(file: &Fixture) -> (Option<usize>, String) {
    let options = cuda_front::Options { includes: Includes::Anywhere, ..cuda_front::Options::default() };
    let compiled = cuda_front::compile(&file.name, &file.text, &options);
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
fn a_header_is_found_where_its_path_leads_unless_that_is_outside() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("includes");
    fs::create_dir_all(root.join("kernels")).expect("a folder");
    fs::write(root.join("shared.h"), "#pragma once\n__device__ int twice(int x) { return 2 * x; }\n")
        .expect("a file");
    let text = "#include \"../shared.h\"\n#include \"../kernels/../shared.h\"\n\
                __global__ void k(int *out) { *out = twice(*out); }\n";
    let file = root.join("kernels/k.cu");
    let compile = |includes| {
        let options = cuda_front::Options { includes, ..cuda_front::Options::default() };
        cuda_front::compile(&file.display().to_string(), text, &options)
    };
    for found in [Includes::Anywhere, Includes::Only(vec![root.clone()])] {
        let compiled = compile(found);
        assert!(compiled.module.is_some(), "{:?}", compiled.diagnostics);
    }
    assert!(compile(Includes::default()).module.is_none());
    let refused = compile(Includes::Only(vec![root.join("kernels")]));
    let outside = refused.diagnostics.iter().find(|d| d.code == "include-outside");
    let outside = outside.unwrap_or_else(|| panic!("{:?}", refused.diagnostics));
    assert_eq!(
        outside.verdict,
        source::Verdict::Program,
        "whoever hands in such a file is told to change it"
    );
}

#[test]
fn what_is_there_and_what_is_not_look_the_same_from_outside() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("includes-outside");
    fs::create_dir_all(root.join("course")).expect("a folder");
    fs::write(root.join("course/course.h"), "#include \"more.h\"\n").expect("a file");
    fs::write(root.join("course/more.h"), "#define MORE 3\n").expect("a file");
    fs::write(root.join("neighbour.h"), "#define SECRET 3\n").expect("a file");
    #[cfg(unix)]
    if !root.join("course/link.h").exists() {
        std::os::unix::fs::symlink(root.join("neighbour.h"), root.join("course/link.h")).expect("a link");
    }
    let options = cuda_front::Options {
        includes: Includes::Only(vec![root.join("course")]),
        ..cuda_front::Options::default()
    };
    let compile = |include: &str| {
        let text = format!("#include {include}\n#if __has_include({include})\n#define IS_THERE 1\n#endif\n");
        let compiled = cuda_front::compile(&root.join("k.cu").display().to_string(), &text, &options);
        let codes: Vec<&str> = compiled.diagnostics.iter().map(|d| d.code.as_str()).collect();
        (codes.join(" "), compiled.constant("IS_THERE").is_some())
    };
    assert_eq!(compile("\"course.h\""), (String::new(), true), "it may include what is beside it");
    assert_eq!(compile("<cuda_fp16.h>"), (String::new(), true));
    let absolute = format!("\"{}\"", root.join("neighbour.h").display());
    for name in [
        "\"neighbour.h\"",
        "\"missing.h\"",
        "\"../neighbour.h\"",
        "\"../missing.h\"",
        "\"link.h\"",
        "<../neighbour.h>",
        &absolute,
    ] {
        assert_eq!(compile(name), ("include-outside".to_owned(), false), "{name}");
    }
}
