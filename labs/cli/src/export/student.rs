//! Writes the student's half of a course.

use super::tree::Tree;
use super::{Course, book, cargo};
use crate::commands::init;
use crate::devices;
use crate::registry::{self, Target};
use crate::screen::progress;
use harness::reference::{STARTERS, TABLE, Table, is_baseline};
use rayon::prelude::*;
use source::Failure;
use std::collections::BTreeSet;
use std::path::Path;

/// Files that are copied unchanged.
const FILES: [&str; 21] = [
    ".cargo/config.toml",
    ".ci/pack",
    ".ci/playground",
    ".devcontainer/devcontainer.json",
    ".gitattributes",
    ".github/workflows/release.yml",
    ".gitignore",
    ".vscode/tasks.json",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "docs/book.toml",
    "docs/figures.css",
    "docs/look.css",
    "docs/look.js",
    "docs/playground/playground.css",
    "docs/playground/playground.js",
    "docs/playground/policy.mjs",
    "docs/theme/fonts/fonts.css",
    "docs/theme/head.hbs",
    "rust-toolchain.toml",
];

/// Extensions of files to copy from packages.
const KINDS: [&str; 10] = ["cu", "css", "h", "md", "mk", "rs", "sbatch", "sh", "toml", "yml"];

/// Extensions of files to copy beside the book's pages: figures, and the playground with its style sheet and
/// licences. The playground's WebAssembly module contains no solution either.
const ATTACHED: [&str; 8] = ["css", "html", "js", "json", "png", "svg", "txt", "wasm"];

/// The default course file.
const COURSE: &str = include_str!("texts/course.toml");
const README: &str = include_str!("texts/student.md");
const EDITION: &str = include_str!("texts/edition.md");

/// The default seed of `run`; the table of measured values uses it.
const SEED: u64 = 1;

/// Writes the folder.
///
/// # Errors
/// Says which file cannot be read or written, or which solution is wrong.
pub(super) fn write(course: &Course<'_>, folder: &Path) -> Result<(), Failure> {
    let tree = Tree { from: &course.workspace.paths().root, to: folder };
    for file in FILES {
        tree.file(file)?;
    }
    for packages in ["common", "labs"] {
        tree.folder(packages, &is_source)?;
    }
    manifests(&tree)?;
    pages(&tree)?;
    for target in registry::every(course.labs) {
        let starter = course.workspace.starter(target)?;
        let name = format!("{}/{}.cu", target.lab.folder, target.exercise.name());
        for place in ["kernels", &format!("references/{STARTERS}")] {
            tree.write(&format!("{place}/{name}"), &starter)?;
        }
    }
    tree.write(&format!("references/{TABLE}"), measured(course)?.text())?;
    let targets: Vec<Target<'_>> = registry::every(course.labs).collect();
    tree.write("README.md", README.replace("LABS\n", &init::list(&targets)))?;
    tree.write("course.toml", public_file(course.file)?)
}

/// Whether to copy a file of a package: sources, and among tests only those that grade.
fn is_source(name: &Path) -> bool {
    let is_test = name.components().any(|part| part.as_os_str() == "tests") || name.ends_with("tests.rs");
    let grades = name.starts_with("labs") && name.ends_with("tests/lab.rs");
    let is_known = name.extension().is_some_and(|kind| KINDS.iter().any(|known| kind == *known));
    is_known && (grades || !is_test)
}

/// Writes the manifests and the lock file of the workspace.
fn manifests(tree: &Tree<'_>) -> Result<(), Failure> {
    tree.write("Cargo.toml", cargo::manifest(&tree.read("Cargo.toml")?)?)?;
    let mut own = BTreeSet::new();
    for folder in ["common", "labs"] {
        for package in tree.names(folder)? {
            let manifest = tree.read(&format!("{package}/Cargo.toml"))?;
            if !package.starts_with("labs/lab-") {
                tree.write(&format!("{package}/Cargo.toml"), cargo::without_tests(&manifest))?;
            }
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = \""));
            own.extend(name.map(|name| name.trim_end_matches('"').to_owned()));
        }
    }
    tree.write("Cargo.lock", cargo::lock(&tree.read("Cargo.lock")?, &own))
}

/// Writes the book.
fn pages(tree: &Tree<'_>) -> Result<(), Failure> {
    let (summary, mut files) =
        book::summary(&tree.read("docs/src/SUMMARY.md")?, &["[About this edition](edition.md)"]);
    let pages: Vec<String> = files.iter().cloned().collect();
    for page in pages {
        let text = tree.read(&format!("docs/src/{page}"))?;
        files.insert("edition.md".to_owned());
        tree.write(&format!("docs/src/{page}"), book::page(&page, &text, &files)?)?;
    }
    // Copy the files that pages show or link to.
    let is_attached =
        |name: &Path| name.extension().is_some_and(|kind| ATTACHED.iter().any(|known| kind == *known));
    tree.folder("docs/src", &is_attached)?;
    tree.write("docs/src/edition.md", EDITION)?;
    tree.write("docs/src/SUMMARY.md", summary)
}

/// Measures the solutions for the table.
fn measured(course: &Course<'_>) -> Result<Table, Failure> {
    let every: Vec<Target<'_>> = registry::every(course.labs).collect();
    let bar = progress(every.len());
    let measure = |target: &Target<'_>| {
        let mut device = devices::device("sim", devices::DEFAULT_MODEL)?;
        let mut table = Table::default();
        let solution = course.workspace.solution(*target)?;
        let is_baseline = is_baseline(course.labs, target.lab, target.exercise.name());
        let exercise = (target.lab, target.exercise);
        let added = table.measure(exercise, &solution, device.as_mut(), SEED, is_baseline);
        bar.inc(1);
        let help = "`cargo lab run all --solution` must pass before a course is exported";
        added.map(|()| table).map_err(|e| Failure::new(e, help))
    };
    let tables: Vec<Table> = every.par_iter().map(measure).collect::<Result<_, Failure>>()?;
    bar.finish_and_clear();
    Ok(tables.into_iter().collect())
}

/// The part of a course file that students may see: the weights. The rest is private to instructors.
fn public_file(file: Option<&str>) -> Result<String, Failure> {
    let Some(text) = file else { return Ok(COURSE.to_owned()) };
    let broken = |e: toml::de::Error| Failure::new(format!("the course file: {e}"), "mend the file");
    let course: toml::Table = toml::from_str(text).map_err(broken)?;
    let mut made = String::from(
        "# What the parts of the score are worth: `cargo lab run 1 naive --course course.toml`.\n",
    );
    let table = |name: &str, table: &toml::Table| {
        let number = |value: &toml::Value| match value {
            toml::Value::Integer(number) => Some(number.to_string()),
            toml::Value::Float(number) => Some(format!("{number:?}")),
            _ => None,
        };
        let lines = table.iter().filter_map(|(name, value)| Some(format!("{name:?} = {}\n", number(value)?)));
        let lines: String = lines.collect();
        format!("\n[{name}]\n{lines}")
    };
    if let Some(toml::Value::Table(weights)) = course.get("weights") {
        made.push_str(&table("weights", weights));
        if let Some(toml::Value::Table(gates)) = weights.get("gate") {
            made.push_str(&table("weights.gate", gates));
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_files_of_unknown_kinds_stay() {
        for name in
            ["common/simt/src/lib.rs", "common/figure/src/page.css", "labs/lab-1-stencil/tests/lab.rs"]
        {
            assert!(is_source(Path::new(name)), "{name}");
        }
        for name in [
            "common/simt/tests/it/main.rs",
            "labs/cli/tests/it/main.rs",
            "common/device-sim/src/diagnose/tests.rs",
            "common/simt/src/lib.rs.orig",
            "labs/notes",
        ] {
            assert!(!is_source(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn students_see_the_weights_alone() {
        let text = "secret = \"x\"\n[weights]\ngates = 30\ncorrect = 50.5\n[weights.gate]\n\"lab-6/tiled/tile_reuse\" = 3\n\
                    [hidden]\nseed = 7\n";
        let made = public_file(Some(text)).unwrap();
        assert!(!made.contains("secret") && !made.contains("seed"), "{made}");
        let read: toml::Table = toml::from_str(&made).unwrap();
        let original: toml::Table = toml::from_str(text).unwrap();
        assert_eq!(read["weights"], original["weights"]);
        assert!(toml::from_str::<toml::Table>(COURSE).is_ok());
    }
}
