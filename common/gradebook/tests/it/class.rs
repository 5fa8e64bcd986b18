//! A generated class: every exception, groups, late and several submissions, files without a grade, strangers, and rows of the roster that
//! are wrong. The tables are compared with integer arithmetic on what was generated.

use crate::rollup::{graded, scored};
use crate::support::error;
use gradebook::course::Lms;
use gradebook::grades;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

const STUDENTS: usize = 40;
/// Hundredths of points.
const WORTH: [i64; 3] = [10_000, 2_500, 1_250];
const EXERCISES: [(&str, &str); 3] = [("lab-1", "naive"), ("lab-1", "shared"), ("lab-6", "tiled")];

const COURSE: &str = "\
title = 'Class'
deadline = 2026-11-10T12:00:00Z
paths = ['in/{student}/{time}_{file}.cu']
[late]
grace_minutes = 10
percent_per_day = 10
cut_off_days = 3
[lab.lab-1]
[exercise.'lab-1/shared']
points = 25
[exercise.'lab-6/tiled']
points = 12.5
";

/// Exceptions by student: text of the table, with what it says for each exercise.
const HAND: [(usize, &str, [Hand; 3]); 9] = [
    (1, "exercise = 'lab-1/shared'\nexcused = true", [NONE, Hand { excused: true, ..NONE }, NONE]),
    (2, "exercise = 'lab-1/shared'\npoints = 17.5", [NONE, Hand { points: Some(1_750), ..NONE }, NONE]),
    (3, "exercise = 'lab-1/shared'\npoints = 30", [NONE, Hand { points: Some(3_000), ..NONE }, NONE]),
    (4, "extension = 3", [Hand { days: 3, ..NONE }; 3]),
    (5, "exercise = 'lab-6'\nextension = 2026-11-12T12:00:00Z", [NONE, NONE, Hand { days: 2, ..NONE }]),
    (
        6,
        "exercise = 'lab-1'\nexcused = true",
        [Hand { excused: true, ..NONE }, Hand { excused: true, ..NONE }, NONE],
    ),
    (7, "comment = 'see me'", [NONE; 3]),
    (11, "exercise = 'lab-1/naive'\nextension = 1", [Hand { days: 1, ..NONE }, NONE, NONE]),
    (15, "exercise = 'lab-1/naive'\npoints = 50", [Hand { points: Some(5_000), ..NONE }, NONE, NONE]),
];

/// Groups with the exercises that they share.
const GROUPS: [(&[usize], &str, [bool; 3]); 2] =
    [(&[10, 11], "", [true; 3]), (&[12, 13, 14], "exercise = 'lab-1'\n", [true, true, false])];

#[derive(Clone, Copy)]
struct Hand {
    excused: bool,
    points: Option<i64>,
    days: i64,
}

const NONE: Hand = Hand { excused: false, points: None, days: 0 };

/// A submission: the score, if it has one, and minutes after the deadline.
#[derive(Clone, Copy)]
struct Sent {
    score: Option<i64>,
    minutes: i64,
}

/// Numbers that look random (Knuth, "The Art of Computer Programming", volume 2, MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A student's mark: hundredths, or `None` if there is no grade; and whether it is settled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Excused,
    Points(i64),
    Provisional(Option<i64>),
}

/// By the rules of the book.
fn expected(sent: &[Sent], hand: Hand, worth: i64) -> Expected {
    let best = sent.iter().filter_map(|one| {
        let minutes = one.minutes - hand.days * 1440;
        let days = if minutes <= 10 { 0 } else { (minutes + 1439) / 1440 };
        Some(one.score? * if days > 3 { 0 } else { 100 - 10 * days })
    });
    let best = best.max();
    let is_open = sent.iter().any(|one| one.score.is_none()) && best != Some(10_000);
    let points = best.map(|share| (worth * share + 5_000) / 10_000);
    match (hand.excused, hand.points) {
        (true, _) => Expected::Excused,
        (false, Some(points)) => Expected::Points(points),
        _ if is_open => Expected::Provisional(points),
        _ => Expected::Points(points.unwrap_or(0)),
    }
}

/// Hundredths as a cell.
fn cell(hundredths: i64) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn name(student: usize) -> (&'static str, &'static str) {
    let first = ["Zoë", "Ἑλένη", "太郎", "Олег", "محمد", "किरण", "Ngọc", "Łucja"][student % 8];
    (first, ["Müller", "Παπαδόπουλος", "山田", "Ó Briain", "Ångström"][student / 8])
}

/// A path that names the student by identifier, by name in either order, or decomposed.
fn path(student: usize, sent: Sent, exercise: usize) -> String {
    let (first, last) = name(student);
    let who = match student % 4 {
        0 => format!("s{student}"),
        1 => format!("{first} {last}"),
        2 => format!("{last} {first}").nfd().collect(),
        _ => format!("{last}_{first}").to_uppercase(),
    };
    let at = 9 * 1440 + 720 + sent.minutes;
    let (day, hour, minute) = (1 + at / 1440, at / 60 % 24, at % 60);
    format!("in/{who}/202611{day:02}T{hour:02}{minute:02}00Z_{}.cu", EXERCISES[exercise].1)
}

fn object(path: &str, exercise: usize, score: Option<i64>) -> Value {
    let (lab, name) = EXERCISES[exercise];
    let mut object = match score {
        Some(score) => scored(path, name, u32::try_from(score).unwrap()),
        None => error(0, path, "memory limit"),
    };
    (object["lab"], object["exercise"]) = (lab.into(), name.into());
    object
}

fn generated(random: &mut Random) -> Vec<[Vec<Sent>; 3]> {
    let one = |random: &mut Random, student: usize| Sent {
        score: match random.below(6) {
            0 => Some(100),
            1 if (15..20).contains(&student) => None,
            _ => Some(random.below(101) as i64),
        },
        minutes: random.below(7 * 1440) as i64 - 1440,
    };
    let mut some = |student| -> Vec<Sent> { (0..random.below(4)).map(|_| one(random, student)).collect() };
    (0..STUDENTS).map(|student| [some(student), some(student), some(student)]).collect()
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn course() -> String {
    let mut course = COURSE.to_owned();
    for (members, scope, _) in GROUPS {
        let members: Vec<String> = members.iter().map(|student| format!("'s{student}'")).collect();
        course.push_str(&format!("[[group]]\nstudents = [{}]\n{scope}", members.join(", ")));
    }
    for (student, text, _) in HAND {
        course.push_str(&format!("[[exception]]\nstudent = 's{student}'\n{text}\n"));
    }
    course
}

/// The marks of each student.
fn oracle(class: &[[Vec<Sent>; 3]]) -> Vec<[Expected; 3]> {
    let mark = |student: usize, exercise: usize| {
        let group = GROUPS.iter().find(|(members, _, shared)| members.contains(&student) && shared[exercise]);
        let members = group.map_or(std::slice::from_ref(&student), |(members, ..)| members).iter();
        let sent: Vec<Sent> = members.flat_map(|member| class[*member][exercise].clone()).collect();
        let hand = HAND.iter().find(|(of, ..)| *of == student).map_or(NONE, |(_, _, hand)| hand[exercise]);
        expected(&sent, hand, WORTH[exercise])
    };
    (0..STUDENTS).map(|student| [0, 1, 2].map(|exercise| mark(student, exercise))).collect()
}

#[test]
fn the_tables_of_a_class_are_those_of_plain_arithmetic() {
    for seed in 1..6 {
        compare(seed);
    }
}

fn compare(seed: u64) {
    let class = generated(&mut Random(seed));
    let mut objects = vec![
        object("in/Stranger/20261110T120000Z_naive.cu", 0, Some(100)),
        object("in/naive.cu", 0, Some(100)),
        object("elsewhere/naive.cu", 0, None),
    ];
    let mut seen = std::collections::BTreeSet::new();
    let mut class = class;
    for (student, exercise) in (0..STUDENTS).flat_map(|student| [0, 1, 2].map(|exercise| (student, exercise)))
    {
        // Two submissions in one minute would be one file.
        class[student][exercise].retain(|sent| seen.insert(path(student, *sent, exercise)));
        objects.extend(
            class[student][exercise]
                .iter()
                .map(|sent| object(&path(student, *sent, exercise), exercise, sent.score)),
        );
    }
    let mut roster = "id;name;email\n;No Number;\n".to_owned();
    for student in 0..STUDENTS {
        let (first, last) = name(student);
        roster.push_str(&format!("s{student};{last}, {first};s{student}@example.org\n"));
    }
    roster.push_str("s7;Twice;\ns99\n");
    let gradebook = graded(&course(), Some(&roster), &objects).unwrap();
    let problems = gradebook.problems();
    for what in
        ["row 2 of", "row 43 of", "row 44 of", "not on the roster", "`paths`", "and it was not graded"]
    {
        assert_eq!(problems.iter().filter(|problem| problem.reason.contains(what)).count(), 1, "{what}");
    }
    let lms = Lms { total: Some("Total".to_owned()) };
    let json = grades::json(&gradebook);
    let [csv, canvas, moodle] =
        [grades::csv(&gradebook), grades::canvas(&gradebook, &lms), grades::moodle(&gradebook, &lms)]
            .map(|text| rows(&text));
    assert_eq!([csv.len(), canvas.len(), moodle.len()], [STUDENTS + 2, STUDENTS + 2, STUDENTS + 1]);
    for (student, marks) in oracle(&class).iter().enumerate() {
        let id = format!("s{student}");
        let row = |table: &[Vec<String>], column: usize| {
            table.iter().find(|row| row[column] == id).unwrap().clone()
        };
        let graded = || {
            marks.iter().zip(WORTH).filter_map(|(mark, worth)| match mark {
                Expected::Points(points) | Expected::Provisional(Some(points)) => Some((*points, worth)),
                Expected::Excused | Expected::Provisional(None) => None,
            })
        };
        let (points, of) = graded().fold((0, 0), |(sum, of), (points, worth)| (sum + points, of + worth));
        let is_provisional = marks.iter().any(|mark| matches!(mark, Expected::Provisional(_)));
        let cells = |excused: &str| {
            marks.map(|mark| match mark {
                Expected::Excused => excused.to_owned(),
                Expected::Points(points) => cell(points),
                Expected::Provisional(_) => String::new(),
            })
        };
        let all: i64 = WORTH.iter().sum();
        let total = if is_provisional { String::new() } else { cell((2 * points * all + of) / (2 * of)) };
        let own = row(&csv, 0);
        let context = format!("seed {seed}, {id}: {marks:?}");
        assert_eq!(own[3..5], [cell(points), cell(of)], "{context}");
        assert_eq!((own[6] == "yes", &own[7..10]), (is_provisional, &cells("excused")[..]), "{context}");
        assert_eq!(own[11], if student == 7 { "see me" } else { "" });
        let own = row(&canvas, 2);
        assert_eq!((&own[5..8], &own[8]), (&cells("EX")[..], &total), "{context}");
        let own = row(&moodle, 0);
        assert_eq!((&own[4..7], &own[7]), (&cells("")[..], &total), "{context}");
        let object = json["students"].as_array().unwrap().iter().find(|one| one["id"] == *id).unwrap();
        assert_eq!(object["points"].as_f64(), Some(points as f64 / 100.0), "{context}");
        assert_eq!(object["of"].as_f64(), Some(of as f64 / 100.0), "{context}");
    }
    // A regrade: other results with the same course file keep the points that the file sets.
    let again: Vec<Value> = (0..STUDENTS)
        .map(|student| object(&path(student, Sent { score: None, minutes: 0 }, 1), 1, Some(40)))
        .collect();
    let gradebook = graded(&course(), Some(&roster), &again).unwrap();
    let manual = rows(&grades::csv(&gradebook));
    let of = |id: &str| manual.iter().find(|row| row[0] == id).unwrap()[8].clone();
    assert_eq!([of("s1"), of("s2"), of("s3"), of("s8")], ["excused", "17.5", "30", "10"]);
}
