//! Groups and exceptions of the course file.

use crate::course::known;
use crate::rollup::{NoWeights, ROSTER, graded, scored};
use crate::support::error;
use gradebook::alias::{Salt, anonymise};
use gradebook::course::Course;
use gradebook::rollup::{Gradebook, Student};
use gradebook::{grades, pages};
use serde_json::json;

const COURSE: &str = "deadline = 2026-11-10T12:00:00Z\npaths = ['in/{student}/{time}_{file}.cu', 'in/{student}/{file}.cu']\n\
    [late]\npercent_per_day = 10\n[lab.lab-1]\n[exercise.'lab-1/shared']\npoints = 25\n[exercise.'lab-6/tiled']\n";

fn student<'a>(gradebook: &'a Gradebook, id: &str) -> &'a Student {
    gradebook.students.iter().find(|student| student.entry.id == id).unwrap()
}

fn points(gradebook: &Gradebook, id: &str) -> Vec<Option<f64>> {
    let marks = gradebook.exercises.iter().zip(&student(gradebook, id).marks);
    marks.map(|(exercise, mark)| mark.points(exercise.points)).collect()
}

/// Mistakes that need neither a roster nor results, with their line in the added text.
#[test]
fn mistakes_in_the_file_have_a_line() {
    let lines = COURSE.lines().count();
    for (text, line, message) in [
        ("[[exception]]\nexcused = true", 1, "missing field `student`"),
        (
            "[[exception]]\nstudent = '1'",
            2,
            "the exception needs `extension`, `excused`, `points` or `comment`",
        ),
        ("[[exception]]\nstudent = []\nexcused = true", 2, "the exception names no student"),
        ("[[exception]]\nstudent = '1'\nexcuse = true", 3, "unknown field `excuse`"),
        (
            "[[exception]]\nstudent = '1'\nexercise = 'lab-6/naive'\nexcused = true",
            3,
            "the course has no exercise or lab `lab-6/naive`; its exercises are lab-1/naive, lab-1/shared, lab-6/tiled",
        ),
        ("[[exception]]\nstudent = '1'\nexercise = ['lab-1', 'lab-2']\nexcused = true", 3, "lab `lab-2`"),
        (
            "[[exception]]\nstudent = '1'\nexercise = 'lab-1/naive'\nexcused = true\npoints = 3",
            5,
            "an exercise is excused or has points, but not both",
        ),
        (
            "[[exception]]\nstudent = '1'\nexercise = 'lab-1'\npoints = 3",
            4,
            "points are those of an exercise",
        ),
        ("[[exception]]\nstudent = '1'\npoints = 3", 3, "points are those of an exercise"),
        ("[[exception]]\nstudent = '1'\nexercise = 'lab-1/naive'\npoints = -1", 4, "the points are -1"),
        ("[[exception]]\nstudent = '1'\nextension = 0", 3, "the extension is 0 days; write 1 to 3650 days"),
        ("[[exception]]\nstudent = '1'\nextension = '3 days'", 3, "the extension is string; write"),
        ("[[exception]]\nstudent = '1'\nextension = 2026-11-12T00:00:00", 3, "has no offset from UTC"),
        (
            "[[exception]]\nstudent = '1'\nextension = 2026-11-10T12:00:00Z",
            3,
            "the new deadline is not after",
        ),
        ("[[group]]\nstudents = ['1']", 2, "a group needs two students at least"),
        ("[[group]]\nstudents = ['1', '2']\nexercise = []", 3, "the list names no exercise"),
    ] {
        let error = Course::<NoWeights>::parse(&format!("{COURSE}{text}"), &known()).unwrap_err();
        let place = format!("line {}", lines + line);
        assert!(error.contains(message) && error.contains(&place), "{text}:\n{error}");
    }
    let timeless = "paths = ['{student}']\n[[exception]]\nstudent = '1'\nextension = 3";
    let error = Course::<NoWeights>::parse(timeless, &known()).unwrap_err();
    assert!(error.starts_with("line 4: there is no deadline to extend"), "{error}");
}

/// Mistakes about students, which the roster and the results show.
#[test]
fn mistakes_about_students_have_a_line() {
    let lines = COURSE.lines().count();
    let objects = [scored("in/1/naive.cu", "naive", 80)];
    let roster = format!("{ROSTER}4,\"Noyce, Bob\",\n");
    for (text, line, message) in [
        ("[[exception]]\nstudent = '9'\nexcused = true", 2, "there is no student `9` on the roster"),
        ("[[exception]]\nstudent = 'Bob Noyce'\nexcused = true", 2, "is the name of several students: 2, 4"),
        (
            "[[exception]]\nstudent = '1'\nexcused = true\n[[exception]]\nstudent = 'ada lovelace'\ncomment = 'x'",
            5,
            "`ada lovelace` already has an exception for all exercises on line",
        ),
        (
            "[[exception]]\nstudent = ['1', '1']\nexcused = true",
            2,
            "`1` already has an exception for all exercises on line",
        ),
        (
            "[[exception]]\nstudent = '1'\nexercise = 'lab-1/naive'\npoints = 3\n[[exception]]\nstudent = '1'\nexcused = true",
            2,
            "lab-1/naive gets points, but line",
        ),
        ("[[group]]\nstudents = ['1', '9']", 2, "there is no student `9` on the roster"),
        ("[[group]]\nstudents = ['1', 'Ada Lovelace']", 2, "`Ada Lovelace` is in the group twice"),
        (
            "[[group]]\nstudents = ['1', '2']\n[[group]]\nstudents = ['3', '2']\nexercise = 'lab-6'",
            4,
            "`2` is already in the group of line",
        ),
    ] {
        let error = graded(&format!("{COURSE}{text}"), Some(&roster), &objects).unwrap_err();
        let place = format!("line {}: ", lines + line);
        assert!(error.contains(message) && error.starts_with(&place), "{text}:\n{error}");
    }
    let text = format!("{COURSE}[[exception]]\nstudent = '2'\nexcused = true");
    let error = graded(&text, None, &objects).unwrap_err();
    assert!(
        error.contains("there is no student `2` in the results, and the course has no roster"),
        "{error}"
    );
}

/// The setting of an exercise before that of its lab, and that before the one of all; each setting by itself.
#[test]
fn the_most_specific_setting_counts() {
    let text = format!(
        "{COURSE}[[exception]]\nstudent = 'Ada@example.org'\nextension = 1\ncomment = 'ill'\n\
         [[exception]]\nstudent = '1'\nexercise = 'lab-1'\nexcused = true\ncomment = 'away'\n\
         [[exception]]\nstudent = '1'\nexercise = 'lab-1/naive'\nexcused = false\nextension = 3\n\
         [[exception]]\nstudent = ['2', '3']\nexercise = ['lab-1/shared', 'lab-6/tiled']\npoints = 27.456\n"
    );
    let mut tiled = scored("in/1/20261112T110000Z_tiled.cu", "tiled", 100);
    tiled["lab"] = "lab-6".into();
    let objects = [
        scored("in/1/20261113T120000Z_naive.cu", "naive", 70),
        tiled,
        scored("in/2/20261112T110000Z_shared.cu", "shared", 10),
    ];
    let gradebook = graded(&text, Some(ROSTER), &objects).unwrap();
    // In time with three days; excused; one day after the extended deadline.
    assert_eq!(points(&gradebook, "1"), [Some(70.0), None, Some(90.0)]);
    assert_eq!(points(&gradebook, "2"), [Some(0.0), Some(27.46), Some(27.46)]);
    let total = gradebook.total(student(&gradebook, "1"));
    assert_eq!((total.points, total.of, total.is_provisional), (160.0, 200.0, false));
    let object = grades::json(&gradebook);
    let ada = object["students"].as_array().unwrap().iter().find(|one| one["id"] == "1").unwrap();
    assert_eq!((&ada["comment"], &ada["of"]), (&json!("ill"), &json!(200.0)));
    let shown = |at: usize, name: &str| ada["exercises"][at][name].clone();
    assert_eq!((shown(0, "extension"), shown(2, "extension")), (json!(3), json!(1)));
    assert_eq!(
        (shown(1, "status"), shown(1, "points"), shown(1, "comment")),
        (json!("excused"), json!(null), json!("away"))
    );
    let html = pages::student(&gradebook, student(&gradebook, "1"), Vec::new());
    assert!(
        html.contains("ill")
            && html.contains("away")
            && html.contains("excused")
            && html.contains("extended by 3 days")
    );
    let html = pages::student(&gradebook, student(&gradebook, "3"), Vec::new());
    assert!(html.contains("by hand") && html.contains("27.46 of 25") && html.contains("points set by hand"));
}

/// An exercise that the course file decides needs nothing from the results.
#[test]
fn what_is_decided_is_not_provisional() {
    let broken = |file: &str| {
        let mut object = error(0, file, "memory limit");
        (object["lab"], object["exercise"]) = ("lab-1".into(), "naive".into());
        object
    };
    let hand = "[[exception]]\nstudent = '1'\nexercise = 'lab-1/naive'\nexcused = true\n\
        [[exception]]\nstudent = '2'\nexercise = 'lab-1/naive'\npoints = 60\n";
    let objects = [broken("in/1/naive.cu"), broken("in/2/naive.cu"), broken("in/3/naive.cu")];
    let gradebook = graded(&format!("{COURSE}{hand}"), Some(ROSTER), &objects).unwrap();
    let shown = |id| {
        let total = gradebook.total(student(&gradebook, id));
        (total.points, total.of, total.is_provisional)
    };
    assert_eq!(
        [shown("1"), shown("2"), shown("3")],
        [(0.0, 125.0, false), (60.0, 225.0, false), (0.0, 125.0, true)]
    );
    assert_eq!(gradebook.problems().len(), 1);
}

/// Each member has the best of all submissions, late by the member's own deadline.
#[test]
fn a_submission_counts_for_the_group() {
    let hand = "[[group]]\nstudents = ['ada', 'bob', 'cy']\nexercise = 'lab-1'\n[[exception]]\nstudent = 'cy'\nextension = 2\n";
    let objects = [
        scored("in/ada/20261110T110000Z_naive.cu", "naive", 70),
        scored("in/bob/20261111T110000Z_naive.cu", "naive", 75),
        scored("in/dee/naive.cu", "naive", 10),
    ];
    let text = format!("{COURSE}{hand}");
    let gradebook = graded(&text, None, &objects).unwrap();
    let first = |id| points(&gradebook, id)[0];
    assert_eq!(
        [first("ada"), first("bob"), first("cy"), first("dee")],
        [Some(70.0), Some(70.0), Some(75.0), Some(10.0)]
    );
    let by = |id| student(&gradebook, id).marks[0].counting().unwrap().by.clone();
    assert_eq!([by("bob"), by("cy")], ["ada", "bob"]);
    let last = graded(&format!("count = 'last'\n{text}"), None, &objects).unwrap();
    assert_eq!(points(&last, "ada")[0], Some(67.5));
    // Attempts of two members have no common order.
    let attempts = "count = 'last'\npaths = ['in/{student}/{attempt}_{file}.cu']\n[lab.lab-1]\n[[group]]\nstudents = ['ada', 'bob']\n";
    let objects = [scored("in/ada/1_naive.cu", "naive", 70), scored("in/bob/2_naive.cu", "naive", 75)];
    assert!(graded(attempts, None, &objects).unwrap_err().contains("the paths of a group need {time}"));
}

/// Without a roster, each student that a path names is known; without exercises in the course file, points by hand make one.
#[test]
fn a_course_file_may_have_little_more_than_paths() {
    let text = "paths = ['in/{student}/{file}.cu']\n[[exception]]\nstudent = 'Ada'\nexercise = 'lab-6/tiled'\npoints = 80\n\
        [[exception]]\nstudent = '***'\ncomment = 'Who?'\n";
    let objects = ["Ada", "ada", "***"].map(|name| scored(&format!("in/{name}/naive.cu"), "naive", 50));
    let gradebook = graded(text, None, &objects).unwrap();
    assert_eq!(points(&gradebook, "Ada"), [Some(50.0), Some(80.0)]);
    assert_eq!(points(&gradebook, "ada"), [Some(50.0), Some(0.0)]);
    assert_eq!(student(&gradebook, "***").comment.as_deref(), Some("Who?"));
    let error = graded(&text.replace("'Ada'", "'ADA'"), None, &objects).unwrap_err();
    assert!(error.contains("`ADA` is the name of several students"), "{error}");
}

/// A file of which not even the exercise is known may be the group's.
#[test]
fn an_unknown_file_is_of_all_members() {
    let hand = "[[group]]\nstudents = ['1', '2']\n";
    let gradebook =
        graded(&format!("{COURSE}{hand}"), Some(ROSTER), &[error(0, "in/1/x.cu", "unreadable")]).unwrap();
    let provisional = |id| gradebook.total(student(&gradebook, id)).is_provisional;
    assert_eq!([provisional("1"), provisional("2"), provisional("3")], [true, true, false]);
}

#[test]
fn comments_and_members_have_no_names_under_an_alias() {
    let hand =
        "[[group]]\nstudents = ['1', '2']\n[[exception]]\nstudent = '1'\ncomment = 'Ada Lovelace was ill'\n";
    let objects = [scored("in/1/naive.cu", "naive", 70), scored("in/Eve Ng/x/y.cu", "naive", 1)];
    let mut gradebook =
        graded(&format!("{COURSE}{hand}"), Some(&format!("{ROSTER},Eve Ng,\n")), &objects).unwrap();
    anonymise(&mut gradebook, &Salt::new([7; 16])).unwrap();
    let text = grades::json(&gradebook).to_string();
    assert!(text.contains("was ill") && text.contains("has no identifier"), "{text}");
    for name in ["Ada", "Lovelace", "Eve", "in/", "\"1\""] {
        assert!(!text.contains(name), "{name} in {text}");
    }
}

/// Half a hundredth is rounded up, whatever its binary fraction is, and a total is the sum of what the table shows.
#[test]
fn points_are_rounded_to_hundredths() {
    let course = "paths = ['in/{student}/{file}.cu']\n[exercise.'lab-1/naive']\npoints = 1.5\n[exercise.'lab-1/shared']\npoints = 0.7\n";
    let objects = [scored("in/ada/naive.cu", "naive", 67), scored("in/ada/shared.cu", "shared", 15)];
    let gradebook = graded(course, None, &objects).unwrap();
    // 1.005 and 0.105.
    assert_eq!(points(&gradebook, "ada"), [Some(1.01), Some(0.11)]);
    assert_eq!(gradebook.total(&gradebook.students[0]).points, 1.12);
}
