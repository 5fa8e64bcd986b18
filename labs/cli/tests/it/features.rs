//! `cargo lab`, `cargo test -p lab-N` and `cargo test` share one set of features, so that none rebuilds the others'
//! packages.
//!
//! Cargo builds a dependency with the features that the selected packages request. If two commands select different
//! features, the package is built twice. This test compares Cargo's plans for each command; `.ci/run fresh` builds.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The features of each package of a build, by name and version. A package is listed with every set of features with
/// which it is built, because build scripts may use another set.
fn features(selection: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "--locked", "--prefix", "none", "--format", "{p}|{f}"]).args(selection);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = cargo.current_dir(root).output().expect("Cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut packages = BTreeMap::<String, BTreeSet<String>>::new();
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.is_empty()) {
        let (package, features) = line.split_once('|').expect("the format has a bar");
        let features = features.trim_end_matches(" (*)");
        packages.entry(package.to_string()).or_default().insert(features.to_string());
    }
    packages
}

#[test]
fn commands_share_what_is_built() {
    let program = features(&["-p", "lab", "--edges", "normal,build"]);
    assert!(program.len() > 50, "Cargo lists {} packages", program.len());
    let labs = labs::all().into_iter().map(|lab| vec!["-p".to_string(), lab.package.to_string()]);
    let mut wrong = BTreeSet::new();
    for selection in labs.chain([vec![]]) {
        let mut arguments: Vec<&str> = selection.iter().map(String::as_str).collect();
        arguments.extend(["--edges", "normal,build,dev"]);
        for (package, theirs) in features(&arguments) {
            match program.get(&package) {
                Some(ours) if *ours != theirs => {
                    wrong.insert(format!(
                        "{package}: {ours:?} for `cargo lab`, {theirs:?} for `cargo test {}`",
                        selection.join(" ")
                    ));
                }
                _ => {}
            }
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "mend the list in common/harness/Cargo.toml:\n{}", wrong.join("\n"));
}
