//! Checks which crate of the project may depend on which, as the architecture page says.

use fuzz::seeds::root;
use std::collections::{BTreeMap, BTreeSet};

/// Allowed dependencies on crates of this project, except for tests. A new dependency must also be added to
/// `docs/src/architecture.md`.
const ARROWS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("simt-ir", &["source"]),
    ("simt-ref", &["simt-ir"]),
    ("simt-prove", &["source", "simt-ir"]),
    ("generate", &["source", "simt-ir"]),
    ("simt-opt", &["source", "simt-ir"]),
    ("simt", &["source", "simt-ir", "simt-prove", "simt-ref"]),
    ("cuda-syntax", &["source"]),
    ("cuda-front", &["source", "cuda-syntax", "simt-ir", "simt-opt"]),
    ("report", &["source"]),
    ("device", &["source", "report"]),
    ("device-sim", &["source", "device", "cuda-syntax", "cuda-front", "simt-ir", "simt"]),
    ("find_cuda_helper", &[]),
    ("cuda-driver", &[]),
    ("nvrtc", &[]),
    ("device-gpu", &["source", "device", "device-sim", "cuda-driver", "nvrtc"]),
    ("backend", &["source", "device", "device-sim", "device-gpu"]),
    ("harness", &["source", "device", "report"]),
    ("launch-line", &["device", "harness", "report", "source"]),
    ("figure", &["cuda-syntax", "report"]),
    ("isolation", &[]),
    ("gradebook", &["source", "figure"]),
    (
        "fuzz",
        &[
            "cuda-front",
            "device",
            "device-sim",
            "generate",
            "harness",
            "report",
            "simt",
            "simt-ir",
            "simt-opt",
            "source",
        ],
    ),
    ("lab-1", &["device", "harness"]),
    ("lab-2", &["device", "harness"]),
    ("lab-3", &["device", "harness", "lab-2"]),
    ("lab-4", &["device", "harness", "lab-2"]),
    ("lab-5", &["device", "harness", "lab-2"]),
    ("lab-6", &["device", "harness"]),
    ("lab-7", &["device", "harness"]),
    ("playground", &["device", "device-sim", "figure", "harness", "labs", "launch-line", "report", "source"]),
    ("labs", &["harness", "lab-1", "lab-2", "lab-3", "lab-4", "lab-5", "lab-6", "lab-7"]),
];

/// Name and dependencies of each package below a folder.
fn packages(folder: &str) -> BTreeMap<String, Vec<String>> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let manifests = entries.map(|e| e.unwrap().path().join("Cargo.toml")).filter(|p| p.exists());
    let read = |path: std::path::PathBuf| {
        let manifest: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        let keys = manifest.get("dependencies").and_then(|d| d.as_table());
        (name, keys.map(|d| d.keys().cloned().collect()).unwrap_or_default())
    };
    manifests.map(read).collect()
}

#[test]
fn crates_depend_only_downwards() {
    let allowed: BTreeMap<_, _> = ARROWS.iter().copied().collect();
    let mut all = packages("common");
    all.extend(packages("labs"));
    let own: Vec<String> = all.keys().cloned().collect();
    all.remove("lab").expect("the command line is a package of the project");
    for (name, dependencies) in &all {
        let arrows =
            allowed.get(name.as_str()).unwrap_or_else(|| panic!("`{name}` is not in the list of arrows"));
        for dependency in dependencies.iter().filter(|d| own.contains(d)) {
            assert!(arrows.contains(&dependency.as_str()), "`{name}` must not depend on `{dependency}`");
        }
    }
    assert_eq!(all.len(), ARROWS.len(), "the list of arrows names a crate that is not there");
}

/// Each package with its features, as Cargo builds it for tests of `packages`.
fn built(packages: &[&str]) -> BTreeSet<String> {
    let mut command = std::process::Command::new(env!("CARGO"));
    command.current_dir(root()).args([
        "tree",
        "--offline",
        "--edges",
        "normal,build,dev",
        "--prefix",
        "none",
    ]);
    command.args(["--format", "{p} {f}", "--no-dedupe"]);
    let output = command.args(packages.iter().flat_map(|p| ["-p", p])).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// After `cargo test`, `cargo test -p lab-N` compiles only the lab itself, because no dependency has other features.
#[test]
fn labs_are_built_with_the_features_of_the_workspace() {
    let all = built(&[]);
    for lab in packages("labs").keys().filter(|name| name.starts_with("lab-")) {
        let anew: Vec<_> = built(&[lab]).difference(&all).filter(|p| !p.contains("labs/")).cloned().collect();
        assert!(anew.is_empty(), "`cargo test -p {lab}` would build these anew: {anew:#?}");
    }
}
