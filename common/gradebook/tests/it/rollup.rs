//! Grades: deadlines, several submissions, what is missing, and what was not graded.

use crate::course::known;
use crate::support::{check, error, report};
use gradebook::Lines;
use gradebook::builder::Builder;
use gradebook::course::{Columns, Course};
use gradebook::rollup::{Gradebook, Mark, Student};
use gradebook::roster::Roster;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct NoWeights {}

pub(crate) const ROSTER: &str = "id,name,email\n1,\"Lovelace, Ada\",ada@example.org\n2,\"Noyce, Bob\",bob@example.org\n3,\"Hopper, Grace\",\n";

/// The grades of objects, by a course file and a roster.
pub(crate) fn graded(course: &str, roster: Option<&str>, objects: &[Value]) -> Result<Gradebook, String> {
    let known = known();
    let course: Course<NoWeights> = Course::parse(course, &known)?;
    let roster =
        roster.map(|text| Roster::parse(text, &Columns::default(), course.utc_offset)).transpose()?;
    let mut builder = Builder::new(&course, roster.as_ref(), &known);
    let text: String = objects.iter().map(|object| format!("{object}\n")).collect();
    for line in Lines::new(text.as_bytes(), "grades.jsonl") {
        builder.add(0, &line.map_err(|e| e.to_string())?)?;
    }
    builder.finish()
}

/// A kernel with a score for an exercise of lab 1.
pub(crate) fn scored(file: &str, exercise: &str, score: u32) -> Value {
    let status = if score == 100 { "passed" } else { "failed" };
    let checks = [check("compiles", "passed", ""), check("clean", status, "a race")];
    report(0, file, json!({ "exercise": exercise, "score": score, "status": status, "checks": checks }))
}

fn student<'a>(gradebook: &'a Gradebook, name: &str) -> &'a Student {
    gradebook.students.iter().find(|s| s.entry.name == name).unwrap_or_else(|| panic!("{name} is missing"))
}

fn counted(student: &Student) -> Vec<Option<f64>> {
    student.marks.iter().map(Mark::counted).collect()
}

const PLAIN: &str = "paths = ['in/{student}/{file}.cu']\n[lab.lab-1]\n";

#[test]
fn missing_is_zero_and_not_graded_is_not() {
    let mut broken = error(2, "in/bob/naive.cu", "memory limit");
    broken["lab"] = "lab-1".into();
    broken["exercise"] = "naive".into();
    let objects = [scored("in/ada/naive.cu", "naive", 80), broken, scored("in/bob/shared.cu", "shared", 60)];
    let gradebook = graded(PLAIN, None, &objects).unwrap();
    let (ada, bob) = (student(&gradebook, "ada"), student(&gradebook, "bob"));
    assert_eq!((counted(ada), counted(bob)), (vec![Some(80.0), Some(0.0)], vec![None, Some(60.0)]));
    let shown = |student| {
        let total = gradebook.total(student);
        (total.points, total.of, total.is_provisional)
    };
    assert_eq!((shown(ada), shown(bob)), ((80.0, 200.0, false), (60.0, 100.0, true)));
    assert_eq!(gradebook.notes(), ["1 total is provisional, because a file could not be graded."]);
}

/// A file of which not even the exercise is known makes the total provisional; the path may name the exercise.
#[test]
fn an_error_counts_for_the_student_whose_it_is() {
    let named = "paths = ['in/{student}/{lab}/{exercise}.cu', 'in/{student}/{file}.cu']\n[lab.lab-1]\n";
    let objects = [
        error(0, "in/ada/lab-1/naive.cu", "killed"),
        error(1, "in/bob/x.cu", "killed"),
        error(2, "in/bob/lab-9/y.cu", "killed"),
    ];
    let gradebook = graded(named, None, &objects).unwrap();
    let (ada, bob) = (student(&gradebook, "ada"), student(&gradebook, "bob"));
    assert_eq!((counted(ada), ada.unknown.len()), (vec![None, Some(0.0)], 0));
    // Either exercise may be what could not be graded, so neither is 0.
    assert_eq!((counted(bob), bob.unknown.len()), (vec![None, None], 2));
    assert_eq!((gradebook.total(bob).is_provisional, gradebook.total(bob).percent()), (true, None));
    let named = graded(PLAIN, None, &[error(0, "in/ada/naive.cu", "killed")]).unwrap();
    assert_eq!(
        counted(&named.students[0]),
        [None, Some(0.0)],
        "the file has the name of one exercise of the course"
    );
}

#[test]
fn a_file_that_could_give_nothing_more_leaves_the_total_final() {
    let all = |score| {
        [
            scored("in/ada/naive.cu", "naive", 100),
            scored("in/ada/shared.cu", "shared", score),
            error(2, "in/ada/x.cu", "killed"),
        ]
    };
    for (score, provisional) in [(100, false), (99, true)] {
        let gradebook = graded(PLAIN, None, &all(score)).unwrap();
        assert_eq!(gradebook.total(&gradebook.students[0]).is_provisional, provisional, "{score}");
        assert_eq!(gradebook.problems().len(), 1);
    }
}

/// Names of files that are no kernel files lack the `.cu` of the patterns, and a folder that is a link has no file below it.
#[test]
fn a_file_that_was_not_graded_is_its_students() {
    let objects = [
        error(0, "in/ada/naive.cu.txt", "is not a `.cu` file"),
        error(1, "in/bob/all.zip", "is an archive"),
        error(2, "in/cy", "is a symbolic link"),
    ];
    let gradebook = graded(PLAIN, None, &objects).unwrap();
    for name in ["ada", "bob", "cy"] {
        assert_eq!(counted(student(&gradebook, name)), [None, None], "{name}");
    }
    assert_eq!(gradebook.problems().len(), 3);
}

#[test]
fn lateness_costs_what_the_course_says() {
    let course = "paths = ['in/{student}_{time}_{file}.cu', 'in/{student}_{late}_{file}.cu', 'in/{student}_{file}.cu']\n\
        deadline = 2026-11-30T23:59:00Z\n[late]\ngrace_minutes = 10\npercent_per_day = 25\ncut_off_days = 3\n[exercise.'lab-1/naive']\n";
    let objects: Vec<Value> = [
        "a_20261130T235900Z",
        "b_20261201T000900Z",
        "c_20261201T000901Z",
        "d_20261201T235900Z",
        "e_20261201T235901Z",
        "f_20261203T235900Z",
        "g_20261203T235901Z",
        "h_LATE",
        "i",
    ]
    .iter()
    .map(|name| scored(&format!("in/{name}_naive.cu"), "naive", 80))
    .collect();
    let gradebook = graded(course, None, &objects).unwrap();
    let found: Vec<_> = gradebook
        .students
        .iter()
        .map(|s| (s.marks[0].counting().unwrap().days_late, counted(s)[0].unwrap()))
        .collect();
    let expected =
        [(0, 80.0), (0, 80.0), (1, 60.0), (1, 60.0), (2, 40.0), (3, 20.0), (4, 0.0), (1, 60.0), (0, 80.0)];
    assert_eq!(found, expected);
    assert_eq!(
        gradebook.notes(),
        ["No time of submission is known for 1 file, so lateness is not counted there."]
    );
}

#[test]
fn the_best_or_the_last_submission_counts() {
    let objects = [
        scored("in/ada_1_naive.cu", "naive", 70),
        scored("in/ada_3_naive.cu", "naive", 40),
        scored("in/ada_2_naive.cu", "naive", 90),
    ];
    let course = |count: &str| {
        format!(
            "count = '{count}'\npaths = ['in/{{student}}_{{attempt}}_{{file}}.cu']\n[exercise.'lab-1/naive']\n"
        )
    };
    let files = |count: &str| -> Vec<String> {
        let gradebook = graded(&course(count), None, &objects).unwrap();
        gradebook.students[0].marks[0].submissions.iter().map(|s| s.file.clone()).collect()
    };
    assert_eq!(files("best"), ["in/ada_2_naive.cu", "in/ada_1_naive.cu", "in/ada_3_naive.cu"]);
    assert_eq!(files("last"), ["in/ada_3_naive.cu", "in/ada_2_naive.cu", "in/ada_1_naive.cu"]);
    let unordered = "count = 'last'\npaths = ['in/{student}_{number}_{file}.cu']\n";
    let error = graded(unordered, None, &objects).unwrap_err();
    assert!(
        error.contains("nothing says which of in/ada_1_naive.cu and in/ada_3_naive.cu is the last one"),
        "{error}"
    );
}

/// A submission that was not graded could be better than the best, but not better than all points.
#[test]
fn a_better_submission_may_be_among_those_not_graded() {
    let failed = |attempt: u32| {
        let mut object = error(9, &format!("in/ada_{attempt}_naive.cu"), "killed");
        (object["lab"], object["exercise"]) = ("lab-1".into(), "naive".into());
        object
    };
    let course = "paths = ['in/{student}_{attempt}_{file}.cu']\n[exercise.'lab-1/naive']\n";
    for (score, is_provisional) in [(70, true), (100, false)] {
        let objects = [failed(1), scored("in/ada_2_naive.cu", "naive", score), failed(3)];
        let gradebook = graded(course, None, &objects).unwrap();
        let total = gradebook.total(&gradebook.students[0]);
        assert_eq!((total.points, total.is_provisional), (f64::from(score), is_provisional));
    }
    let last = format!("count = 'last'\n{course}");
    let gradebook = graded(&last, None, &[scored("in/ada_2_naive.cu", "naive", 70), failed(3)]).unwrap();
    assert_eq!(counted(&gradebook.students[0]), [None]);
}

#[test]
fn the_roster_has_everyone_and_strangers_are_named() {
    let objects = [
        scored("in/noycebob/naive.cu", "naive", 80),
        scored("in/ADA@example.org/naive.cu", "naive", 90),
        scored("in/eve/naive.cu", "naive", 100),
    ];
    let gradebook = graded(PLAIN, Some(ROSTER), &objects).unwrap();
    let shown: Vec<_> =
        gradebook.students.iter().map(|s| (&*s.entry.name, s.is_known, counted(s)[0])).collect();
    let expected = [
        ("eve", false, Some(100.0)),
        ("Hopper, Grace", true, Some(0.0)),
        ("Lovelace, Ada", true, Some(90.0)),
        ("Noyce, Bob", true, Some(80.0)),
    ];
    assert_eq!(shown, expected);
    let problems = gradebook.problems();
    assert_eq!((problems.len(), problems[0].student.as_deref()), (1, Some("eve")));
}

#[test]
fn what_cannot_be_attributed_is_an_error_or_said() {
    let twice = "id,name\n1,Ada Li\n2,Ada Li\n";
    let objects = [
        scored("other/naive.cu", "naive", 1),
        scored("in/adali/naive.cu", "naive", 1),
        scored("in/1/naive.cu", "naive", 70),
    ];
    let gradebook = graded(PLAIN, Some(twice), &objects).unwrap();
    let told: Vec<String> = gradebook.problems().iter().map(ToString::to_string).collect();
    let expected = [
        "lab-1/naive: nothing says whose this file is: it matches none of the `paths` of the course file (other/naive.cu)",
        "lab-1/naive: nothing says whose this file is: `adali` is the name of several students: 1, 2 (in/adali/naive.cu)",
    ];
    assert_eq!(told, expected);
    assert_eq!(counted(&gradebook.students[0]), [Some(70.0), Some(0.0)]);
    let gradebook =
        graded(PLAIN, None, &[report(0, "in/ada/x.cu", json!({ "lab": "lab-6", "exercise": "tiled" }))])
            .unwrap();
    assert_eq!(gradebook.notes(), ["Left out: 1 file for lab-6/tiled, which the course file does not name."]);
    let twice = [scored("in/ada/naive.cu", "naive", 1), scored("in/ada/naive.cu", "naive", 2)];
    assert!(
        graded(PLAIN, None, &twice).unwrap_err().starts_with("in/ada/naive.cu appears twice in the results")
    );
    let local = "paths = ['in/{student}_{time}_{file}.cu']\n";
    let error = graded(local, None, &[scored("in/ada_2026-01-01-00-00_x.cu", "naive", 1)]).unwrap_err();
    assert!(error.contains("has no offset from UTC, such as +01:00; `utc_offset`"), "{error}");
}

#[test]
fn without_exercises_in_the_course_those_of_the_results_count() {
    let objects = [scored("in/ada/shared.cu", "shared", 80), scored("in/bob/naive.cu", "naive", 90)];
    let gradebook = graded("paths = ['in/{student}/{file}.cu']", None, &objects).unwrap();
    let ids: Vec<_> = gradebook.exercises.iter().map(|e| e.id.as_str()).collect();
    assert_eq!(ids, ["lab-1/naive", "lab-1/shared"]);
    assert_eq!(gradebook.notes(), ["The exercises are those of the results: the course file names none."]);
}
