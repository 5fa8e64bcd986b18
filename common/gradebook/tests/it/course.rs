//! Course files.

use gradebook::course::{Count, Course};
use gradebook::moment::Moment;

/// In place of the weights of `lab grade`.
#[derive(Debug, Default, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Weights {
    #[serde(default)]
    gates: u32,
}

pub(crate) fn known() -> Vec<String> {
    ["lab-1/naive", "lab-1/shared", "lab-6/naive", "lab-6/tiled"].map(str::to_owned).into()
}

fn parse(text: &str) -> Result<Course<Weights>, String> {
    Course::parse(text, &known())
}

#[test]
fn files_with_weights_alone_stay_valid() {
    let course = parse("[weights]\ngates = 7\n").unwrap();
    assert_eq!((course.weights.gates, course.exercises.len(), course.count), (7, 0, Count::Best));
    assert!(parse("").unwrap().paths.is_empty());
}

#[test]
fn rules_of_an_exercise_override_those_of_its_lab() {
    let text = "\
title = 'GPUs'
deadline = 2026-11-30T22:59:00Z
count = 'last'
paths = ['{student}/{file}.cu']
utc_offset = '+01:00'

[late]
percent_per_day = 10

[lab.lab-6]
points = 50
deadline = 2026-12-01T00:00:00

[exercise.'lab-6/tiled']
points = 200
column = 'Tiled (7)'

[exercise.'lab-1/naive']
";
    let course = parse(text).unwrap();
    let shown: Vec<_> =
        course.exercises.iter().map(|e| (&*e.id, e.points, e.deadline.unwrap().0, &*e.column)).collect();
    let (all, later) = (1_796_079_540, 1_796_079_600);
    let expected = [
        ("lab-1/naive", 100.0, all, "lab-1/naive"),
        ("lab-6/naive", 50.0, later, "lab-6/naive"),
        ("lab-6/tiled", 200.0, later, "Tiled (7)"),
    ];
    assert_eq!(shown, expected);
    assert_eq!(
        (course.deadline, course.late.percent_per_day, course.utc_offset),
        (Some(Moment(all)), 10.0, Some(3600))
    );
    let options = course.options();
    assert_eq!((options.points["lab-6/tiled"], options.names["lab-6/tiled"].as_str()), (200.0, "Tiled (7)"));
}

/// Each mistake is named with its line.
#[test]
fn mistakes_have_a_line() {
    for (text, line, message) in [
        ("\nfoo = 1", 2, "unknown field `foo`"),
        ("[weights]\nfoo = 1", 2, "unknown field `foo`"),
        ("[late]\nfoo = 1", 2, "unknown field `foo`"),
        ("[roster]\nfoo = 1", 2, "unknown field `foo`"),
        ("[roster]\nname = 1", 2, "a text or a list of texts"),
        ("[lab.lab-6]\nfoo = 1", 2, "unknown field `foo`"),
        ("\n[lab.lab-7]\n", 2, "there is no lab `lab-7`; the labs are lab-1, lab-6"),
        (
            "\n[exercise.'lab-6/tild']\n",
            2,
            "there is no exercise `lab-6/tild`; write one such as lab-6/naive, lab-6/tiled",
        ),
        ("\n\n[exercise]\ntiled = { points = 1 }", 4, "there is no exercise `tiled`"),
        ("[lab.lab-6]\ncolumn = 'x'", 2, "a column belongs to one exercise"),
        ("[lab.lab-6]\npoints = -1", 2, "the points are -1, not 0 to 1000000"),
        ("[lab.lab-6]\npoints = nan", 2, "the points are NaN"),
        ("title = 'x'\ndeadline = 2026-11-30T22:59:00", 2, "has no offset from UTC"),
        ("title = 'x'\ndeadline = 2026-11-30", 2, "is not a time"),
        ("deadline = 'soon'", 1, "deadline"),
        ("paths = [\n'{student}',\n'{file}']", 3, "`{file}` is not a pattern: it needs `{student}`"),
        ("utc_offset = '1 h'", 1, "`1 h` is not an offset such as +01:00"),
        ("count = 'first'", 1, "unknown variant `first`"),
        ("[late]\npercent_per_day = 101", 1, "percent_per_day is 101, not 0 to 100"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(message) && error.contains(&format!("line {line}")), "{text}:\n{error}");
    }
    assert_eq!(parse("[lab.lab-6]\npoints = 0").unwrap_err(), "no exercise is worth any points");
}
