//! Exercises and files: none without the other, and starters that are derived from solutions.

use crate::edited;
use harness::{Lab, starter};
use solutions::{labs, paths};
use std::collections::BTreeSet;
use std::path::Path;

fn stems(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let files = entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "cu"));
    files.map(|p| p.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

fn names(lab: &Lab) -> BTreeSet<String> {
    lab.exercises.iter().map(|e| e.name().to_owned()).collect()
}

#[test]
fn labs_are_numbered_in_order_and_named_by_their_number() {
    for (lab, number) in labs().iter().zip(1..) {
        assert_eq!(lab.number, number);
        assert_eq!(lab.package, format!("lab-{number}"));
        assert!(lab.folder.starts_with(&format!("lab-{number}-")), "{}", lab.folder);
    }
}

#[test]
fn every_exercise_has_a_starter_and_a_solution_and_there_are_no_others() {
    for lab in labs() {
        assert_eq!(stems(&paths().kernels.join(lab.folder)), names(&lab), "starters of {}", lab.package);
        let mut solutions = names(&lab);
        solutions.extend(lab.best.as_ref().map(|best| best.exercise.name().to_owned()));
        assert_eq!(stems(&paths().solutions.join(lab.folder)), solutions, "solutions of {}", lab.package);
    }
    let folders: BTreeSet<String> = labs().iter().map(|l| l.folder.to_owned()).collect();
    let found = std::fs::read_dir(&paths().kernels).unwrap().map(|e| e.unwrap().file_name());
    assert_eq!(found.map(|n| n.to_str().unwrap().to_owned()).collect::<BTreeSet<_>>(), folders);
}

each_exercise! { [starter_is_what_is_derived_from_the_solution] [] }

fn starter_is_what_is_derived_from_the_solution(lab: Lab, name: &str) {
    let solution = edited::text(&paths().solution(&lab, name));
    let starter = edited::text(&paths().kernel(&lab, name));
    if let Err(difference) = starter::check(&solution, &starter) {
        panic!("{difference}");
    }
}

#[test]
fn cases_cover_what_sizes_can_do_wrong() {
    for lab in labs() {
        for exercise in &lab.exercises {
            let name = format!("{}/{}", lab.package, exercise.name());
            let cases = exercise.cases();
            let labels: BTreeSet<_> = cases.iter().map(|c| c.label.clone()).collect();
            assert_eq!(labels.len(), cases.len(), "{name}: two cases of one label");
            assert_eq!(cases.iter().filter(|c| c.is_report).count(), 1, "{name}: report cases");
            let product = |c: &harness::Case| -> usize {
                let counted = ["n", "outputs", "height", "width", "m"];
                c.sizes.iter().filter(|(n, _)| counted.contains(&n.as_str())).map(|(_, v)| v).product()
            };
            assert!(cases.iter().any(|c| product(c) < 32), "{name}: no case smaller than a warp");
            assert!(
                cases.iter().any(|c| !product(c).is_multiple_of(32) && product(c) > 64),
                "{name}: no ragged case"
            );
            assert!(cases.iter().any(|c| product(c).is_multiple_of(1024)), "{name}: no case that divides");
        }
    }
}

#[test]
fn gates_and_published_tables_are_well_formed() {
    for lab in labs() {
        let chapter = solutions::paths().root.join(format!("docs/src/lab-{}.md", lab.number));
        let chapter = std::fs::read_to_string(chapter).unwrap();
        for exercise in &lab.exercises {
            let gates = exercise.gates();
            let ids: BTreeSet<_> = gates.iter().map(|g| g.id).collect();
            assert_eq!(ids.len(), gates.len(), "{}/{}", lab.package, exercise.name());
            let file = solutions::paths().solution(&lab, exercise.name());
            let text = edited::text(&file);
            let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//")).collect();
            let comment = words(&comment.join(" "));
            for gate in &gates {
                let line = words(&gate.line());
                let row = format!("| `{}` | {} |", gate.id, gate.asks);
                assert!(chapter.contains(&row), "docs/src/lab-{}.md does not say: {row}", lab.number);
                assert!(comment.contains(&line), "{} does not say: {line}", file.display());
                assert!(!gate.hint_text().is_empty(), "{}: no hint", gate.id);
            }
        }
        for table in &lab.published {
            assert!(!table.rows.is_empty() && table.rows.iter().all(|(_, v)| *v > 0.0), "{}", table.title);
        }
    }
}

/// A text with one blank between its words.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
