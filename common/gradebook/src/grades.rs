//! Grades as text, JSON, and tables that learning management systems import.
//!
//! In every table an exercise without a file is 0, and one that was not graded is an empty cell, which no system takes as 0. A system
//! gets no total that is provisional, and no row of a student who is not on the roster, because it could give the grades to another student.

use crate::cell;
use crate::course::{Exercise, Lms};
use crate::rollup::{Gradebook, Mark, Problem, Student, Submission};
use figure::markup::visible;
use serde_json::{Value, json};
use source::text::{cut, width};

/// The version of the JSON; it increases when a field changes its meaning or is removed.
pub const SCHEMA: u32 = 1;

/// Widest name in a table for people, columns.
const NAME: usize = 32;

/// A table for people.
pub fn text(gradebook: &Gradebook) -> String {
    let Gradebook { title, exercises, students, .. } = gradebook;
    let points: f64 = exercises.iter().map(|exercise| exercise.points).sum();
    let heading = if title.is_empty() { String::new() } else { format!("{}: ", visible(title)) };
    let (many, worth) = (students.len(), cell::number(points));
    let mut lines = vec![format!("{heading}{many} students, {} exercises, {worth} points", exercises.len())];
    let columns = ["student", "points", "%", "passed", "failed", "missing", "not graded", "late"];
    let mut rows = vec![columns.map(str::to_owned)];
    rows.extend(students.iter().map(|student| row(gradebook, student)));
    let widths: Vec<usize> =
        (0..columns.len()).map(|at| rows.iter().map(|row| width(&row[at])).max().unwrap_or(0)).collect();
    lines.push(String::new());
    for row in &rows {
        let pad = |at: usize| " ".repeat(widths[at] - width(&row[at]));
        let rest = (1..columns.len()).map(|at| format!("  {}{}", pad(at), row[at]));
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
    let counting: Vec<&Submission> = student.marks.iter().filter_map(Mark::counting).collect();
    let count = |is: &dyn Fn(&Submission) -> bool| counting.iter().filter(|s| is(s)).count();
    let star = if total.is_provisional { " *" } else { "  " };
    let name = visible(&student.entry.name).replace(['\n', '\t'], " ");
    let name = if name.is_empty() { visible(&student.entry.id) } else { name };
    [
        cut(&name, NAME),
        format!("{}{star}", cell::number(total.points)),
        total.percent().map_or("-".to_owned(), |percent| format!("{percent:.1}")),
        count(&|s| s.passed).to_string(),
        count(&|s| s.score.is_some() && !s.passed).to_string(),
        student.marks.iter().filter(|mark| mark.is_missing()).count().to_string(),
        student.marks.iter().filter(|mark| mark.is_not_graded()).count().to_string(),
        count(&|s| s.days_late > 0).to_string(),
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
            "points": rounded(total.points),
            "of": rounded(total.of),
            "percent": total.percent().map(rounded),
            "provisional": total.is_provisional,
            "exercises": marks.map(|(exercise, mark)| mark_json(&exercise.id, mark)).collect::<Vec<_>>(),
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

fn mark_json(id: &str, mark: &Mark) -> Value {
    let status = match mark.counting() {
        None if mark.is_missing() => "missing",
        None => "not_graded",
        Some(submission) if submission.score.is_none() => "not_graded",
        Some(submission) if submission.passed => "passed",
        Some(_) => "failed",
    };
    json!({
        "id": id,
        "status": status,
        "counted": mark.counted().map(rounded),
        "provisional": mark.is_provisional(),
        "submissions": mark.submissions.iter().map(submission_json).collect::<Vec<_>>(),
    })
}

fn submission_json(submission: &Submission) -> Value {
    json!({
        "file": submission.file,
        "score": submission.score,
        "counted": submission.counted.map(rounded),
        "days_late": submission.days_late,
        "attempt": submission.attempt,
        "failed": submission.failed,
        "error": (!submission.error.is_empty()).then_some(&submission.error),
    })
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A table with a row per student and a column per exercise, which has its points. The last column says what a person has to look at.
pub fn csv(gradebook: &Gradebook) -> String {
    let mut head: Vec<String> =
        ["id", "name", "email", "points", "of", "percent", "provisional"].map(str::to_owned).into();
    head.extend(gradebook.exercises.iter().map(|exercise| cell::text(&exercise.id)));
    head.push("problems".to_owned());
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
        row.extend(points(gradebook, student));
        let of_student =
            |problem: Problem| Problem { student: None, files: Vec::new(), ..problem }.to_string();
        let problems: Vec<String> = gradebook.problems_of(student).into_iter().map(of_student).collect();
        row.push(cell::text(&problems.join("; ")));
        out.push_str(&cell::row(row.iter().map(String::as_str)));
    }
    out
}

/// Points for each exercise; empty where it was not graded.
fn points(gradebook: &Gradebook, student: &Student) -> impl Iterator<Item = String> {
    let marks = gradebook.exercises.iter().zip(&student.marks);
    marks.map(|(exercise, mark)| {
        let settled = mark.counted().filter(|_| !mark.is_provisional());
        settled.map(|counted| cell::number(exercise.points * counted / 100.0)).unwrap_or_default()
    })
}

/// The total for a learning management system, where the course asks for it; empty while it is provisional.
fn total(gradebook: &Gradebook, student: &Student, lms: &Lms) -> Option<String> {
    let total = gradebook.total(student);
    lms.total.as_ref()?;
    Some(if total.is_provisional { String::new() } else { cell::number(total.points) })
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
    let most: f64 = gradebook.exercises.iter().map(|exercise| exercise.points).sum();
    let possible = gradebook.exercises.iter().map(|exercise| cell::number(exercise.points));
    let possible = possible.chain(lms.total.iter().map(|_| cell::number(most)));
    let blank = ["    Points Possible", "", "", "", ""].map(str::to_owned);
    let mut rows = vec![head, blank.into_iter().chain(possible).collect()];
    rows.extend(on_roster(gradebook).map(|student| {
        let entry = &student.entry;
        let about =
            [&entry.name, &entry.canvas_id, &entry.id, &entry.login, &entry.section].map(|t| cell::text(t));
        about.into_iter().chain(points(gradebook, student)).chain(total(gradebook, student, lms)).collect()
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
        about.into_iter().chain(points(gradebook, student)).chain(total(gradebook, student, lms)).collect()
    }));
    rows.iter().map(|row| cell::row(row.iter().map(String::as_str))).collect()
}
