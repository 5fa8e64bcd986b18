//! Grades as text, JSON, and tables that learning management systems import.
//!
//! In every table an exercise without a file is 0, and one that was not graded is an empty cell, which no system takes as 0. A system
//! gets no total that is provisional, and no row of a student who is not on the roster, because it could give the grades to another student.
//! What every student has at most is one number there, so the total of a student with an excused exercise is scaled to it.

use crate::cell;
use crate::course::{Exercise, Lms};
use crate::exception::Extension;
use crate::rollup::{Gradebook, Mark, Problem, Student, Submission, hundredths};
use figure::markup::visible;
use serde_json::{Value, json};
use source::text::{cut, width};

/// The version of the JSON; it increases when a field changes its meaning or is removed.
pub const SCHEMA: u32 = 1;

/// Width of a table for people, columns; names are cut to what the numbers leave, within these limits.
const WIDTH: usize = 80;
const NAME: std::ops::RangeInclusive<usize> = 12..=32;

/// A table for people.
pub fn text(gradebook: &Gradebook) -> String {
    let Gradebook { title, exercises, students, .. } = gradebook;
    let heading = if title.is_empty() { String::new() } else { format!("{}: ", visible(title)) };
    let (many, worth) = (students.len(), cell::number(most(gradebook)));
    let mut lines = vec![format!("{heading}{many} students, {} exercises, {worth} points", exercises.len())];
    let columns = ["student", "points", "%", "passed", "failed", "missing", "ungraded", "late"];
    let mut rows = vec![columns.map(str::to_owned)];
    rows.extend(students.iter().map(|student| row(gradebook, student)));
    let widest = |rows: &[[String; 8]], at: usize| rows.iter().map(|row| width(&row[at])).max().unwrap_or(0);
    let numbers: usize = (1..columns.len()).map(|at| 1 + widest(&rows, at)).sum();
    let most = (WIDTH - 2).saturating_sub(numbers).clamp(*NAME.start(), *NAME.end());
    rows.iter_mut().for_each(|row| row[0] = cut(&row[0], most));
    let widths: Vec<usize> = (0..columns.len()).map(|at| widest(&rows, at)).collect();
    lines.push(String::new());
    for row in &rows {
        let pad = |at: usize| " ".repeat(widths[at] - width(&row[at]));
        let rest = (1..columns.len()).map(|at| format!(" {}{}", pad(at), row[at]));
        lines.push(format!("  {}{}{}", row[0], pad(0), rest.collect::<String>()));
    }
    if students.iter().any(|student| gradebook.total(student).is_provisional) {
        lines.push(String::new());
        lines.push("* provisional: without the files that could not be graded".to_owned());
    }
    let notes = gradebook.notes();
    lines.extend((!notes.is_empty()).then(String::new));
    lines.extend(notes.iter().map(|note| visible(note)));
    let problems = gradebook.problems();
    lines.extend((!problems.is_empty()).then(|| "\nTo be looked at:".to_owned()));
    lines.extend(
        problems
            .iter()
            .map(|problem| format!("  {}", visible(&problem.to_string()).replace(['\n', '\t'], " "))),
    );
    lines.join("\n") + "\n"
}

fn row(gradebook: &Gradebook, student: &Student) -> [String; 8] {
    let total = gradebook.total(student);
    let count =
        |status: &str| student.marks.iter().filter(|mark| mark.status() == status).count().to_string();
    let late = student
        .marks
        .iter()
        .filter(|mark| !mark.hand.is_final() && mark.counting().is_some_and(|s| s.days_late > 0));
    let star = if total.is_provisional { " *" } else { "  " };
    [
        visible(student.name()).replace(['\n', '\t'], " "),
        format!("{}{star}", cell::number(total.points)),
        total.percent().map_or("-".to_owned(), |percent| format!("{percent:.1}")),
        count("passed"),
        count("failed"),
        count("missing"),
        count("not_graded"),
        late.count().to_string(),
    ]
}

/// Everything, as a JSON object.
pub fn json(gradebook: &Gradebook) -> Value {
    let exercise = |exercise: &Exercise| json!({ "id": exercise.id, "points": exercise.points });
    let student = |student: &Student| {
        let total = gradebook.total(student);
        let marks = gradebook.exercises.iter().zip(&student.marks);
        json!({
            "id": student.entry.id,
            "name": student.entry.name,
            "email": student.entry.email,
            "on_roster": student.is_known,
            "points": total.points,
            "of": hundredths(total.of),
            "percent": total.percent().map(hundredths),
            "provisional": total.is_provisional,
            "comment": student.comment,
            "exercises": marks.map(|(exercise, mark)| mark_json(exercise, mark)).collect::<Vec<_>>(),
            "unknown": student.unknown.iter().map(submission_json).collect::<Vec<_>>(),
        })
    };
    json!({
        "schema": SCHEMA,
        "title": gradebook.title,
        "exercises": gradebook.exercises.iter().map(exercise).collect::<Vec<_>>(),
        "students": gradebook.students.iter().map(student).collect::<Vec<_>>(),
        "notes": gradebook.notes(),
        "problems": gradebook.problems().iter().map(problem_json).collect::<Vec<_>>(),
    })
}

fn problem_json(problem: &Problem) -> Value {
    json!({
        "student": problem.student,
        "exercise": problem.exercise,
        "files": problem.files,
        "reason": problem.reason,
    })
}

fn mark_json(exercise: &Exercise, mark: &Mark) -> Value {
    let extension = mark.hand.extension.as_ref().map(|extension| match extension {
        Extension::Days(days) => json!(days),
        Extension::Until(_, text) => json!(text),
    });
    json!({
        "id": exercise.id,
        "status": mark.status(),
        "counted": mark.counted().filter(|_| !mark.hand.excused).map(hundredths),
        "points": mark.points(exercise.points),
        "provisional": mark.is_provisional(),
        "excused": mark.hand.excused,
        "manual": mark.hand.points.is_some(),
        "extension": extension,
        "comment": mark.hand.comment,
        "submissions": mark.submissions.iter().map(submission_json).collect::<Vec<_>>(),
    })
}

fn submission_json(submission: &Submission) -> Value {
    json!({
        "file": submission.file,
        "by": submission.by,
        "score": submission.score,
        "counted": submission.counted.map(hundredths),
        "days_late": submission.days_late,
        "attempt": submission.attempt,
        "failed": submission.failed,
        "error": (!submission.error.is_empty()).then_some(&submission.error),
    })
}

/// A table with a row per student and a column per exercise, which has its points or `excused`. The last columns
/// say what a person has to look at, and the comments of the course file.
pub fn csv(gradebook: &Gradebook) -> String {
    let mut head: Vec<String> =
        ["id", "name", "email", "points", "of", "percent", "provisional"].map(str::to_owned).into();
    head.extend(gradebook.exercises.iter().map(|exercise| cell::text(&exercise.id)));
    head.extend(["problems", "comments"].map(str::to_owned));
    let mut out = cell::row(head.iter().map(String::as_str));
    for student in &gradebook.students {
        let total = gradebook.total(student);
        let mut row = vec![
            cell::text(&student.entry.id),
            cell::text(&student.entry.name),
            cell::text(&student.entry.email),
            cell::number(total.points),
            cell::number(total.of),
            total.percent().map(cell::number).unwrap_or_default(),
            if total.is_provisional { "yes" } else { "no" }.to_owned(),
        ];
        row.extend(points(gradebook, student, "excused"));
        let of_student =
            |problem: Problem| Problem { student: None, files: Vec::new(), ..problem }.to_string();
        let problems: Vec<String> = gradebook.problems_of(student).into_iter().map(of_student).collect();
        row.push(cell::text(&problems.join("; ")));
        row.push(cell::text(&comments(gradebook, student).join("; ")));
        out.push_str(&cell::row(row.iter().map(String::as_str)));
    }
    out
}

/// The comments of the course file about a student, each with its exercise.
fn comments(gradebook: &Gradebook, student: &Student) -> Vec<String> {
    let marks = gradebook.exercises.iter().zip(&student.marks);
    let own = marks
        .filter_map(|(exercise, mark)| Some(format!("{}: {}", exercise.id, mark.hand.comment.as_ref()?)));
    student.comment.iter().cloned().chain(own).collect()
}

/// Points for each exercise; empty where it was not graded, and the word `excused` where it is that.
fn points(gradebook: &Gradebook, student: &Student, excused: &str) -> impl Iterator<Item = String> {
    let marks = gradebook.exercises.iter().zip(&student.marks);
    marks.map(move |(exercise, mark)| match mark.points(exercise.points).filter(|_| !mark.is_provisional()) {
        _ if mark.hand.excused => excused.to_owned(),
        points => points.map(cell::number).unwrap_or_default(),
    })
}

/// The total for a learning management system, where the course asks for it; empty while it is provisional, or if all is excused.
fn total(gradebook: &Gradebook, student: &Student, lms: &Lms) -> Option<String> {
    let total = gradebook.total(student);
    lms.total.as_ref()?;
    let most = most(gradebook);
    let scaled =
        (total.of > 0.0 && !total.is_provisional).then(|| hundredths(total.points * most / total.of));
    Some(scaled.map(cell::number).unwrap_or_default())
}

/// What all exercises are worth.
fn most(gradebook: &Gradebook) -> f64 {
    gradebook.exercises.iter().map(|exercise| exercise.points).sum()
}

/// The students whom a learning management system knows.
fn on_roster(gradebook: &Gradebook) -> impl Iterator<Item = &Student> {
    gradebook.students.iter().filter(|student| student.is_known)
}

fn names<'a>(gradebook: &'a Gradebook, lms: &'a Lms) -> impl Iterator<Item = String> {
    let columns = gradebook.exercises.iter().map(|exercise| &exercise.column);
    columns.chain(&lms.total).map(|name| cell::text(name))
}

/// A table for the import of Canvas's gradebook: five columns about the student, then the assignments, and a row with their points.
pub fn canvas(gradebook: &Gradebook, lms: &Lms) -> String {
    let about = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"].map(str::to_owned);
    let head: Vec<String> = about.into_iter().chain(names(gradebook, lms)).collect();
    let possible = gradebook.exercises.iter().map(|exercise| cell::number(exercise.points));
    let possible = possible.chain(lms.total.iter().map(|_| cell::number(most(gradebook))));
    let blank = ["    Points Possible", "", "", "", ""].map(str::to_owned);
    let mut rows = vec![head, blank.into_iter().chain(possible).collect()];
    rows.extend(on_roster(gradebook).map(|student| {
        let entry = &student.entry;
        let about =
            [&entry.name, &entry.canvas_id, &entry.id, &entry.login, &entry.section].map(|t| cell::text(t));
        about
            .into_iter()
            .chain(points(gradebook, student, "EX"))
            .chain(total(gradebook, student, lms))
            .collect()
    }));
    rows.iter().map(|row| cell::row(row.iter().map(String::as_str))).collect()
}

/// A table for Moodle's grade import (CSV): students are found by `ID number` or `Email address`, and each other column is a grade item. Moodle
/// takes a row without the identifier for the student of the previous row.
pub fn moodle(gradebook: &Gradebook, lms: &Lms) -> String {
    let about = ["ID number", "Full name", "Username", "Email address"].map(str::to_owned);
    let mut rows: Vec<Vec<String>> = vec![about.into_iter().chain(names(gradebook, lms)).collect()];
    rows.extend(on_roster(gradebook).map(|student| {
        let entry = &student.entry;
        let about = [&entry.id, &entry.name, &entry.login, &entry.email].map(|t| cell::text(t));
        about
            .into_iter()
            .chain(points(gradebook, student, ""))
            .chain(total(gradebook, student, lms))
            .collect()
    }));
    rows.iter().map(|row| cell::row(row.iter().map(String::as_str))).collect()
}
