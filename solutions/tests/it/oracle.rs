//! CUDA's own compiler takes every solution and every starter, for each generation of devices from Turing on.
//!
//! Without NVRTC the tests say that they were skipped.

use harness::Lab;
use nvrtc::{Nvrtc, Request};
use solutions::paths;
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;

const ARCHITECTURES: [&str; 3] = ["sm_75", "sm_80", "sm_90"];

/// The compiler, looked for once.
static NVRTC: LazyLock<Option<Nvrtc>> = LazyLock::new(|| {
    let found = Nvrtc::find();
    if found.is_none() {
        // Past the test harness's capture.
        let why = "skipped: NVRTC not found; `cargo lab doctor` says how to get it";
        writeln!(std::io::stdout().lock(), "{why}").expect("standard output");
    }
    found
});

each_exercise! { [solution_compiles starter_compiles] [solution_compiles] }

fn solution_compiles(lab: Lab, name: &str) {
    compiles(&paths().solution(&lab, name));
}

fn starter_compiles(lab: Lab, name: &str) {
    compiles(&paths().kernel(&lab, name));
}

fn compiles(file: &Path) {
    let Some(nvrtc) = NVRTC.as_ref() else { return };
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    for architecture in ARCHITECTURES {
        let (name, text) = (paths().display(file), text.clone());
        let request = Request { name, text, architecture: architecture.into(), ..Request::default() };
        let answer = nvrtc.compile(&request).expect("NVRTC can be used");
        assert!(answer.accepted && !answer.cubin.is_empty(), "{architecture}: {}", answer.log);
    }
}
