//! Places that name every lab or exercise, against the one list of labs. CONTRIBUTING.md says which these are for a new exercise.

use fuzz::seeds::root;
use harness::Lab;

#[track_caller]
fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The first cells of a lab's row in the README's table.
fn row(lab: &Lab) -> String {
    let names: Vec<String> = lab.exercises.iter().map(|e| format!("`{}`", e.name())).collect();
    format!("| [`{}`](docs/src/lab-{}.md) | {} | ", lab.folder, lab.number, names.join(" "))
}

#[test]
fn the_readme_has_a_row_for_each_lab_with_its_exercises() {
    let readme = read("README.md");
    for lab in labs::all() {
        let row = row(&lab);
        assert!(
            readme.lines().any(|line| line.starts_with(&row)),
            "README.md needs this row in the table of labs:\n{row}… |"
        );
    }
    let rows = readme.lines().filter(|line| line.starts_with("| [`lab-")).count();
    assert_eq!(rows, labs::all().len(), "README.md has a row for a lab that is not there");
}

#[test]
fn the_book_has_a_chapter_for_each_lab_and_shows_every_exercise_in_it() {
    let (summary, introduction) = (read("docs/src/SUMMARY.md"), read("docs/src/introduction.md"));
    for lab in labs::all() {
        let page = format!("lab-{}.md", lab.number);
        assert!(summary.contains(&format!("]({page})")), "docs/src/SUMMARY.md does not list {page}");
        assert!(
            introduction.contains(&format!("]({page})")),
            "docs/src/introduction.md has no row for {page}"
        );
        let chapter = read(&format!("docs/src/{page}"));
        let headings: String = chapter.lines().filter(|line| line.starts_with('#')).collect();
        for exercise in &lab.exercises {
            let name = exercise.name();
            let is_explained = headings.contains(name) || chapter.contains(&format!("`{name}`"));
            assert!(is_explained, "docs/src/{page} needs a section on `{name}`");
            for folder in ["kernels", "solutions"] {
                let include = format!("{{{{#include ../../{folder}/{}/{name}.cu}}}}", lab.folder);
                assert!(chapter.contains(&include), "docs/src/{page}, The code, needs {include}");
            }
        }
    }
}

/// Each exercise can be edited and run in its chapter, and says there what to do without the playground.
#[test]
fn every_exercise_has_its_playground_in_its_chapter() {
    for lab in labs::all() {
        let page = format!("docs/src/lab-{}.md", lab.number);
        let chapter = read(&page);
        for exercise in &lab.exercises {
            let (number, name) = (lab.number, exercise.name());
            let place = format!(
                "<div class=\"lab-playground\" data-lab=\"{number}\" data-exercise=\"{name}\">\n\n\
                 On your computer: `cargo lab run {number} {name}`.\n\n</div>\n"
            );
            assert!(chapter.contains(&place), "{page} needs, in the section on `{name}`:\n{place}");
        }
        let places = chapter.matches("lab-playground").count();
        assert_eq!(places, lab.exercises.len(), "{page} has a playground of no exercise, or two of one");
    }
}

/// The places that CONTRIBUTING.md gives for a new exercise, with `N`, `TOPIC` and `NAME` in them.
fn places() -> Vec<String> {
    let text = read("CONTRIBUTING.md");
    let section = text.split("### Adding an exercise").nth(1).expect("CONTRIBUTING.md has the section");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    rows.map(str::to_owned).collect()
}

/// The text of a file, or of all Rust files in a folder.
fn text(path: &str) -> String {
    let entries = match std::fs::read_dir(root().join(path)) {
        Err(_) => return read(path),
        Ok(entries) => entries.map(|entry| entry.unwrap().path()),
    };
    let files = entries.filter(|file| file.extension().is_some_and(|e| e == "rs"));
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// What CONTRIBUTING.md says of a new exercise was done for each of the old ones: its file is there, or the place has its name.
#[test]
fn every_exercise_is_in_every_place_that_contributing_names() {
    let places = places();
    assert!(places.len() >= 7, "{places:?}");
    for lab in labs::all() {
        for exercise in &lab.exercises {
            let name = exercise.name();
            for place in &places {
                let path = place.replace("lab-N-TOPIC", lab.folder).replace("lab-N", lab.package);
                let path = path.replace("NAME", name);
                assert!(root().join(&path).exists(), "{}/{name}: there is no {path}", lab.package);
                let is_named = place.contains("NAME") || text(&path).contains(name);
                assert!(is_named, "{}/{name} is not in {path}", lab.package);
            }
        }
    }
}
