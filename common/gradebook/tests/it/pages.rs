//! Pages to hand back.

use crate::rollup::{ROSTER, graded, scored};
use crate::support::{HOSTILE, diagnostic, error};
use figure::report::{Graded, Report};
use gradebook::pages::{self, Handed};
use gradebook::rollup::Gradebook;
use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use unicode_normalization::UnicodeNormalization;

const COURSE: &str = "title = 'GPUs'\npaths = ['in/{student}/{file}.cu']\n[lab.lab-1]\n";
const SOURCE: &str = "__global__ void k(float *out) {\n    out[0] = 1.0f;\n}\n";

fn parse(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).unwrap_or_else(|e| panic!("{e} in\n{text}"))
}

fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|n| n.text()).collect()
}

/// The page is one file: it loads nothing, runs nothing, and its links lead somewhere.
fn is_self_contained(html: &str, files: &[String]) {
    let document = parse(html);
    assert!(html.contains("default-src 'none'"));
    for node in document.descendants().filter(Node::is_element) {
        assert!(
            !["script", "iframe", "img", "link", "form", "object"].contains(&node.tag_name().name()),
            "{node:?}"
        );
        assert!(node.attributes().all(|a| !a.name().starts_with("on") && a.name() != "src"), "{node:?}");
        if let Some(link) = node.attribute("href") {
            let is_here = |id: &str| document.descendants().any(|n| n.attribute("id") == Some(id));
            assert!(
                link.strip_prefix('#').is_some_and(is_here) || files.iter().any(|file| file == link),
                "{link}"
            );
        }
    }
}

fn handed(exercise: usize, object: &Value, source: Option<&str>) -> Handed {
    let report = Report::from_json(object).unwrap();
    Handed { exercise, graded: Graded { report, source: source.map(str::to_owned) } }
}

fn race(file: &str) -> Value {
    let mut object = scored(file, "naive", 37);
    object["diagnostics"] = json!([diagnostic("shared-memory-race", file, 2, "two threads use `out[0]`")]);
    object["lines"] = json!([{ "line": 2, "text": "    out[0] = 1.0f;", "work": 8, "counters": {} }]);
    object
}

#[test]
fn a_student_gets_the_marks_and_the_source_with_what_was_found() {
    let mut broken = error(2, "in/Ada Lovelace/shared.cu", "memory limit");
    (broken["lab"], broken["exercise"]) = ("lab-1".into(), "shared".into());
    let object = race("in/Ada Lovelace/naive.cu");
    let gradebook = graded(COURSE, Some(ROSTER), &[object.clone(), broken]).unwrap();
    let ada = gradebook.students.iter().find(|s| s.entry.id == "1").unwrap();
    let html = pages::student(&gradebook, ada, vec![handed(0, &object, Some(SOURCE))]);
    is_self_contained(&html, &[]);
    let document = parse(&html);
    let text = text_of(document.root_element());
    for part in [
        "Lovelace, Ada: GPUs",
        "37 of 100 points, 37.0 %",
        "Provisional",
        "not graded",
        "memory limit",
        "error[shared-memory-race]",
        "out[0] = 1.0f;",
        "Next: edit kernels",
        "37/100",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    // Nothing of the others.
    assert!(!text.contains("Bob") && !text.contains("Grace"));
    let link = document.descendants().find(|n| n.has_tag_name("a") && text_of(*n) == "lab-1/naive").unwrap();
    assert_eq!(link.attribute("href"), Some("#lab-1-naive"));
}

#[test]
fn without_the_file_the_lines_of_the_findings_are_shown() {
    let object = race("in/Ada Lovelace/naive.cu");
    let gradebook = graded(COURSE, Some(ROSTER), std::slice::from_ref(&object)).unwrap();
    let ada = gradebook.students.iter().find(|s| s.entry.id == "1").unwrap();
    let html = pages::student(&gradebook, ada, vec![handed(0, &object, None)]);
    is_self_contained(&html, &[]);
    let text = text_of(parse(&html).root_element());
    for part in ["The file could not be read.", "in/Ada Lovelace/naive.cu:2:1", "out[0] = 1.0f;"] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

/// A file that was handed in again since is not shown with the findings of another.
#[test]
fn a_file_that_has_changed_is_known() {
    let report = Report::from_json(&race("a.cu")).unwrap();
    assert!(pages::is_of(&report, SOURCE));
    assert!(!pages::is_of(&report, &SOURCE.replace("1.0f", "2.0f")));
    assert!(!pages::is_of(&report, "x"));
}

#[test]
fn the_class_sees_the_distribution_and_what_fails() {
    let objects = [
        scored("in/Ada Lovelace/naive.cu", "naive", 100),
        scored("in/Ada Lovelace/shared.cu", "shared", 100),
        scored("in/Bob Noyce/naive.cu", "naive", 40),
    ];
    let gradebook = graded(COURSE, Some(ROSTER), &objects).unwrap();
    let files = pages::files(&gradebook);
    let html = pages::class(&gradebook, &files);
    is_self_contained(&html, &files);
    let document = parse(&html);
    let description = document.descendants().find(|n| n.has_tag_name("desc")).map(text_of).unwrap();
    assert!(description.starts_with("0 to 10 %: 1. 10 to 20 %: 0. 20 to 30 %: 1."), "{description}");
    assert!(description.ends_with("90 to 100 %: 1"), "{description}");
    let bars: Vec<f64> = document
        .descendants()
        .filter(|n| n.attribute("class") == Some("bar-1"))
        .map(|n| n.attribute("height").unwrap().parse().unwrap())
        .collect();
    assert_eq!(bars, [100.0, 0.0, 100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 100.0]);
    let rows: Vec<Vec<String>> = document
        .descendants()
        .filter(|n| n.has_tag_name("tr"))
        .map(|row| row.children().map(text_of).collect())
        .collect();
    assert!(rows.contains(&["lab-1/naive", "clean", "1", "50 % "].map(str::to_owned).into()), "{rows:?}");
    assert!(
        rows.contains(&["lab-1/naive", "100", "1", "1", "1", "0", "70"].map(str::to_owned).into()),
        "{rows:?}"
    );
    assert!(text_of(document.root_element()).contains("3 students, median 20.0 %"));
}

fn of_names(names: &[&str]) -> Gradebook {
    let roster: String = names
        .iter()
        .enumerate()
        .map(|(i, name)| format!("{i},\"{}\"\n", name.replace('"', "\"\"")))
        .collect();
    graded(COURSE, Some(&format!("id,name\n{roster}")), &[]).unwrap()
}

/// Names of files stay in their folder, on every system, and are all different.
#[test]
fn names_of_files_are_safe() {
    let long = "x".repeat(5000);
    let wide = "한".repeat(300);
    let names = [
        HOSTILE.as_slice(),
        &[
            "../../x",
            "..",
            "/etc/passwd",
            "C:\\x",
            "CON",
            "nul.txt",
            "ada",
            "Ada",
            "ADA",
            "Ａｄａ",
            "",
            " ",
            "a.html",
            "José",
            "Jose\u{301}",
            "JOSÉ",
            "José-2",
            "山田 太郎",
            "महात्मा",
            "Ἀρχιμήδης",
            &long,
            &wide,
        ],
    ]
    .concat();
    let gradebook = of_names(&names);
    let files = pages::files(&gradebook);
    let distinct: BTreeSet<String> = files.iter().map(|file| file.to_lowercase().nfkc().collect()).collect();
    assert_eq!(distinct.len(), names.len());
    for file in ["student-山田-太郎.html", "student-महात्मा.html", "student-josé.html"] {
        assert!(files.iter().any(|own| own == file), "{file}");
    }
    for file in &files {
        let stem = file.strip_suffix(".html").unwrap();
        assert!(stem.starts_with("student-") && file.len() < 255, "{file}");
        assert!(
            !stem.contains(|c: char| c.is_control() || c.is_whitespace() || "/\\:*?\"<>|.".contains(c)),
            "{file}"
        );
        assert_eq!(Path::new(file).components().count(), 1);
    }
    let html = pages::class(&gradebook, &files);
    is_self_contained(&html, &files);
}

/// Everything that a student can write, on all pages at once.
#[test]
fn hostile_texts_are_only_text() {
    for hostile in HOSTILE {
        let file = format!("in/{}/naive.cu", hostile.replace('/', "|"));
        let mut object = scored(&file, "naive", 12);
        object["diagnostics"] = json!([diagnostic("x", &file, 1, hostile)]);
        object["printed"] = hostile.into();
        object["next"] = hostile.into();
        object["hint"] = hostile.into();
        object["checks"] = json!([{ "name": format!("correct_{hostile}"), "status": "failed", "message": hostile, "credit": 0 }]);
        let gradebook = graded(COURSE, None, std::slice::from_ref(&object)).unwrap();
        let files = pages::files(&gradebook);
        for source in [Some(hostile), None] {
            let html = pages::student(&gradebook, &gradebook.students[0], vec![handed(0, &object, source)]);
            is_self_contained(&html, &files);
            assert!(!html.contains('\u{202e}') && !html.contains('\u{1b}'));
        }
        is_self_contained(&pages::class(&gradebook, &files), &files);
    }
}
