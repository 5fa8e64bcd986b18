//! Adapts the workspace's manifests and lock file to a checkout with only some packages and few of their tests.

use source::Failure;
use std::collections::{BTreeMap, BTreeSet};

/// The workspace members in a students' checkout.
const MEMBERS: &str = r#"["common/*", "labs/*"]"#;
/// The packages that plain `cargo test` runs; they grade the student's kernels.
const DEFAULT_MEMBERS: &str = r#"["labs/lab-*"]"#;

/// Replaces the members in the workspace's manifest.
///
/// # Errors
/// Says that the manifest does not have the expected form.
pub(super) fn manifest(text: &str) -> Result<String, Failure> {
    let mut made = String::new();
    let mut replaced = 0;
    for line in text.lines() {
        let value = match line.split(" = ").next() {
            Some("members") => Some(MEMBERS),
            Some("default-members") => Some(DEFAULT_MEMBERS),
            _ => None,
        };
        match value {
            Some(value) => {
                replaced += 1;
                made.push_str(&format!("{} = {value}\n", line.split(" = ").next().unwrap_or_default()));
            }
            // Drop the comment about members that students do not get.
            None if replaced == 1 && line.starts_with('#') => {}
            None => made.push_str(&format!("{line}\n")),
        }
    }
    if replaced != 2 || text.matches("\"solutions\"").count() != made.matches("\"solutions\"").count() + 2 {
        let what = "Cargo.toml: the workspace's members are not where they are looked for";
        return Err(Failure::new(what, "bring labs/cli/src/export/cargo.rs up to date with the manifest"));
    }
    Ok(made)
}

/// Removes `[[test]]` sections from a package's manifest, because their files are missing.
pub(super) fn without_tests(text: &str) -> String {
    let mut is_test = false;
    let kept = text.lines().filter(|line| {
        if line.starts_with('[') {
            is_test = line.trim() == "[[test]]";
        }
        !is_test
    });
    kept.map(|line| format!("{line}\n")).collect()
}

/// Reduces the lock file to what the packages `own` of the workspace need, as Cargo would write it.
pub(super) fn lock(text: &str, own: &BTreeSet<String>) -> String {
    let mut blocks = text.split("[[package]]\n");
    let head = blocks.next().unwrap_or_default();
    let packages: Vec<Package<'_>> = blocks.map(Package::of).collect();
    let mut by_name = BTreeMap::<&str, Vec<usize>>::new();
    for (at, package) in packages.iter().enumerate() {
        by_name.entry(package.name).or_default().push(at);
    }
    let is_root = |package: &Package<'_>| !package.is_published && own.contains(package.name);
    let mut open: Vec<usize> = (0..packages.len()).filter(|at| is_root(&packages[*at])).collect();
    let mut needed: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(at) = open.pop() {
        for (name, version) in &packages[at].dependencies {
            for other in by_name.get(name).into_iter().flatten() {
                let is_meant = version.is_none_or(|version| version == packages[*other].version);
                if is_meant && needed.insert(*other) {
                    open.push(*other);
                }
            }
        }
    }
    let kept: Vec<String> =
        needed.iter().map(|at| format!("[[package]]\n{}", packages[*at].text.trim_end())).collect();
    format!("{head}{}\n", kept.join("\n\n"))
}

/// A package of a lock file.
struct Package<'a> {
    text: &'a str,
    name: &'a str,
    version: &'a str,
    /// Whether it comes from a registry.
    is_published: bool,
    /// Names, with versions if several packages share the name.
    dependencies: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Package<'a> {
    fn of(text: &'a str) -> Package<'a> {
        let value = |key: &str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            lines.map(|rest| rest.trim_end_matches('"')).next().unwrap_or_default()
        };
        let listed = text.lines().filter_map(|line| line.strip_prefix(" \"")?.strip_suffix("\","));
        let dependency = |line: &'a str| {
            let mut words = line.split(' ');
            (words.next().unwrap_or_default(), words.next())
        };
        Package {
            text,
            name: value("name"),
            version: value("version"),
            is_published: !value("source").is_empty(),
            dependencies: listed.map(dependency).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_keeps_what_is_needed() {
        let package = |name: &str, version: &str, source: &str, needs: &[&str]| {
            let needs: String = needs.iter().map(|n| format!(" \"{n}\",\n")).collect();
            format!(
                "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}dependencies = [\n{needs}]\n"
            )
        };
        let published = "source = \"registry\"\n";
        let [a, b, c, d, one, two] = [
            package("a", "0.1.0", "", &["b", "d 2.0.0"]),
            package("b", "0.1.0", "", &[]),
            package("bench", "0.1.0", "", &["c", "d 1.0.0"]),
            package("c", "1.0.0", published, &[]),
            package("d", "1.0.0", published, &["c"]),
            package("d", "2.0.0", published, &["a"]),
        ];
        let text = format!("version = 4\n\n{}", [&a, &b, &c, &d, &one, &two].map(String::as_str).join("\n"));
        let own = BTreeSet::from(["a".to_owned()]);
        assert_eq!(lock(&text, &own), format!("version = 4\n\n{}", [&*a, &b, &two].join("\n")));
        let own = BTreeSet::from(["a".to_owned(), "bench".to_owned()]);
        assert_eq!(lock(&text, &own), text);
    }

    #[test]
    fn tests_are_taken_out_of_a_package() {
        let text = "[package]\nname = \"a\"\n\n[[test]]\nname = \"it\"\nharness = false\n\n[lints]\nworkspace = true\n";
        let expected = "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n";
        assert_eq!(without_tests(text), expected);
        assert_eq!(without_tests(expected), expected);
    }

    #[test]
    fn another_manifest_is_refused() {
        assert!(manifest("[workspace]\nmembers = [\"a\"]\n").is_err());
        let text =
            "members = [\"common/*\", \"solutions\"]\n# Why.\ndefault-members = [\"solutions\"]\n\n# Kept.\n";
        let expected = format!("members = {MEMBERS}\ndefault-members = {DEFAULT_MEMBERS}\n\n# Kept.\n");
        assert_eq!(manifest(text).unwrap(), expected);
    }
}
