//! What the project's own kernel files need, and how far from that the limits are.

use crate::support::on_all_cores;
use cuda_front::{Includes, Options, compile};
use cuda_syntax::budget::Cost;
use std::fs;
use std::path::{Path, PathBuf};

/// Kernel files of the labs, their solutions, and the corpora of this crate and of the simulator.
const FOLDERS: &[&str] =
    &["kernels", "solutions", "common/cuda-front/tests", "common/device-sim/tests", "benches"];

/// How many times what any file needs a limit is.
const MARGIN: u64 = 20;

/// The same of nodes, because one file of the benchmarks instantiates a hundred kernels, and of steps of the optimiser, because the best
/// kernel of lab 4 is unrolled as far as that goes.
const NODES_MARGIN: u64 = 3;

fn kernel_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            kernel_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "cu") {
            found.push(path);
        }
    }
}

#[test]
fn limits_are_far_from_what_the_projects_files_need() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| kernel_files(&root.join(folder), &mut files));
    assert!(files.len() > 500, "{} files", files.len());
    // What needs most is among the longest.
    files.sort_by_cached_key(|path| std::cmp::Reverse(fs::metadata(path).map_or(0, |data| data.len())));
    files.truncate(60);
    let spent = on_all_cores(files.len(), |n| {
        let text = fs::read_to_string(&files[n]).unwrap_or_default();
        let options = Options { includes: Includes::Anywhere, ..Options::default() };
        let compiled = compile(&files[n].display().to_string(), &text, &options);
        Cost::ALL.map(|cost| compiled.spent.spent(cost))
    });
    for (number, cost) in Cost::ALL.into_iter().enumerate() {
        let (most, file) = spent.iter().map(|s| s[number]).zip(&files).max().expect("there are files");
        println!("{cost:?}: {most} of {} by {}", cost.limit(), file.display());
        let margin = if matches!(cost, Cost::Nodes | Cost::Optimisation) { NODES_MARGIN } else { MARGIN };
        assert!(most * margin <= cost.limit(), "{cost:?}: {most} of {} by {}", cost.limit(), file.display());
    }
}
