//! Tables of grades, read with a reader of RFC 4180.

use crate::rollup::{ROSTER, graded, scored};
use crate::support::{HOSTILE, error};
use gradebook::course::Lms;
use gradebook::grades;
use gradebook::rollup::Gradebook;
use serde_json::json;

const COURSE: &str = "title = 'GPUs'\npaths = ['in/{student}/{file}.cu']\n[exercise.'lab-1/naive']\ncolumn = 'Naive (12)'\n\
    [exercise.'lab-1/shared']\npoints = 25\n";

/// Ada has all, Bob one that was not graded, Grace nothing.
fn gradebook() -> Gradebook {
    let mut broken = error(2, "in/Bob Noyce/naive.cu", "memory limit");
    (broken["lab"], broken["exercise"]) = ("lab-1".into(), "naive".into());
    let objects = [
        scored("in/Ada Lovelace/naive.cu", "naive", 80),
        scored("in/Ada Lovelace/shared.cu", "shared", 100),
        broken,
        scored("in/Bob Noyce/shared.cu", "shared", 50),
    ];
    graded(COURSE, Some(ROSTER), &objects).unwrap()
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[test]
fn the_text_says_what_is_provisional() {
    let text = grades::text(&gradebook());
    let expected = "\
GPUs: 3 students, 2 exercises, 125 points

  student       points    % passed failed missing ungraded late
  Hopper, Grace    0    0.0      0      0       2        0    0
  Lovelace, Ada  105   84.0      1      1       0        0    0
  Noyce, Bob    12.5 * 50.0      0      1       0        1    0

* provisional: without the files that could not be graded

1 total is provisional, because a file could not be graded.

To be looked at:
  Noyce, Bob, lab-1/naive: not graded: memory limit (in/Bob Noyce/naive.cu)
";
    assert_eq!(text, expected);
}

/// Rows fit into a terminal of 80 columns: names of 25 letters are whole, longer ones are cut, and wide letters count twice.
#[test]
fn rows_of_the_text_do_not_wrap() {
    let course = "paths = ['in/{student}/{file}.cu']\n[exercise.'lab-1/naive']\npoints = 12345.67\n[exercise.'lab-1/shared']\n";
    let name = "Wolfeschlegelsteinhausenb";
    let roster = format!("id,name\n1,{name}\n2,{}\n3,{}\n", "x".repeat(300), "山".repeat(40));
    let mut objects: Vec<_> =
        (1..4).map(|student| scored(&format!("in/{student}/naive.cu"), "naive", 100)).collect();
    objects.push(error(0, "in/1/x.cu", "killed"));
    let gradebook = graded(course, Some(&roster), &objects).unwrap();
    let text = grades::text(&gradebook);
    let table: Vec<&str> = text.lines().skip(2).take(4).collect();
    assert!(table.iter().all(|row| source::text::width(row) <= 80), "{text}");
    assert!(
        table.iter().any(|row| row.contains(&format!("  {name} "))) && text.contains("12345.67 *"),
        "{text}"
    );
}

#[test]
fn json_has_everything() {
    let object = grades::json(&gradebook());
    let bob = &object["students"][2];
    assert_eq!((&bob["provisional"], &bob["points"], &bob["of"]), (&json!(true), &json!(12.5), &json!(25.0)));
    let mark = &bob["exercises"][0];
    assert_eq!((&mark["status"], &mark["counted"]), (&json!("not_graded"), &json!(null)));
    assert_eq!(mark["submissions"][0]["error"], "memory limit");
    assert_eq!(object["students"][0]["exercises"][0]["status"], "missing");
    assert_eq!(object["students"][1]["exercises"][0]["submissions"][0]["failed"], json!(["clean"]));
}

#[test]
fn csv_leaves_what_was_not_graded_empty() {
    let rows = rows(&grades::csv(&gradebook()));
    assert_eq!(
        rows[0],
        [
            "id",
            "name",
            "email",
            "points",
            "of",
            "percent",
            "provisional",
            "lab-1/naive",
            "lab-1/shared",
            "problems",
            "comments"
        ]
    );
    assert_eq!(rows[1], ["3", "Hopper, Grace", "", "0", "125", "0", "no", "0", "0", "", ""]);
    assert_eq!(
        rows[2],
        ["1", "Lovelace, Ada", "ada@example.org", "105", "125", "84", "no", "80", "25", "", ""]
    );
    assert_eq!(
        rows[3],
        [
            "2",
            "Noyce, Bob",
            "bob@example.org",
            "12.5",
            "25",
            "50",
            "yes",
            "",
            "12.5",
            "lab-1/naive: not graded: memory limit",
            ""
        ]
    );
}

#[test]
fn learning_management_systems_get_no_provisional_total() {
    let lms = Lms { total: Some("Labs (99)".to_owned()) };
    let canvas = rows(&grades::canvas(&gradebook(), &lms));
    assert_eq!(
        canvas[0],
        [
            "Student",
            "ID",
            "SIS User ID",
            "SIS Login ID",
            "Section",
            "Naive (12)",
            "lab-1/shared",
            "Labs (99)"
        ]
    );
    assert_eq!(canvas[1], ["    Points Possible", "", "", "", "", "100", "25", "125"]);
    assert_eq!(canvas[3], ["Lovelace, Ada", "", "1", "", "", "80", "25", "105"]);
    assert_eq!(canvas[4], ["Noyce, Bob", "", "2", "", "", "", "12.5", ""]);
    let moodle = rows(&grades::moodle(&gradebook(), &lms));
    assert_eq!(
        moodle[0],
        ["ID number", "Full name", "Username", "Email address", "Naive (12)", "lab-1/shared", "Labs (99)"]
    );
    assert_eq!(moodle[2], ["1", "Lovelace, Ada", "", "ada@example.org", "80", "25", "105"]);
    assert_eq!(moodle[3], ["2", "Noyce, Bob", "", "bob@example.org", "", "12.5", ""]);
    let without = rows(&grades::moodle(&gradebook(), &Lms::default()));
    assert_eq!(without[0].len(), 6);
}

/// Moodle would give the points of a row without an identifier that it knows to the student of the row before.
#[test]
fn learning_management_systems_get_only_students_on_the_roster() {
    let objects = [
        scored("in/Ada Lovelace/naive.cu", "naive", 80),
        scored("in/Eve/naive.cu", "naive", 100),
        error(2, "in/Mallory/naive.cu", "memory limit"),
        error(3, "elsewhere", "is a symbolic link"),
    ];
    let gradebook = graded(COURSE, Some(ROSTER), &objects).unwrap();
    for text in [grades::moodle(&gradebook, &Lms::default()), grades::canvas(&gradebook, &Lms::default())] {
        assert!(text.contains("Lovelace") && !text.contains("Eve") && !text.contains("Mallory"), "{text}");
    }
    let told: Vec<String> = gradebook.problems().iter().map(ToString::to_string).collect();
    let out = "not on the roster, so the tables for Canvas and Moodle leave this student out";
    let expected = [
        format!("Eve: {out} (in/Eve/naive.cu)"),
        format!("Mallory: {out} (in/Mallory/naive.cu)"),
        "Mallory, lab-1/naive: not graded: memory limit (in/Mallory/naive.cu)".to_owned(),
        "nothing says whose this file is, and it was not graded: is a symbolic link (elsewhere)".to_owned(),
    ];
    assert_eq!(told, expected);
    let problem = &grades::json(&gradebook)["problems"][0];
    let shown = json!({ "student": "Eve", "exercise": null, "files": ["in/Eve/naive.cu"], "reason": out });
    assert_eq!(problem, &shown);
    assert!(grades::text(&gradebook).contains(&format!("\n  {}\n", expected[0])));
}

/// Names that are formulas, or have line ends and control characters, stay in their cells.
#[test]
fn hostile_names_stay_text() {
    let names: Vec<&str> = HOSTILE.iter().copied().filter(|name| !name.contains('/')).collect();
    let objects: Vec<_> =
        names.iter().map(|name| scored(&format!("in/{name}/naive.cu"), "naive", 80)).collect();
    let gradebook = graded(COURSE, None, &objects).unwrap();
    assert_eq!(gradebook.students.len(), names.len());
    for text in [
        grades::csv(&gradebook),
        grades::canvas(&gradebook, &Lms::default()),
        grades::moodle(&gradebook, &Lms::default()),
    ] {
        let rows = rows(&text);
        assert!(rows.iter().all(|row| row.len() == rows[0].len()));
        let cells = rows.iter().flatten();
        let formula =
            cells.clone().find(|cell| cell.trim_start().starts_with(['=', '+', '-', '@', '\t', '\r']));
        assert_eq!(formula, None);
        assert!(!cells.clone().any(|cell| cell.contains('\u{1b}') || cell.contains('\u{202e}')));
    }
    let text = grades::text(&gradebook);
    assert_eq!(text.lines().filter(|line| line.contains("  80  ")).count(), names.len(), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
}
