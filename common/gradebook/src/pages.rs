//! Pages to hand back: one for each student, and one for the class.
//!
//! They are made by `figure`, which escapes every text, loads nothing and runs no script. A student's page has nothing of the others, so it
//! can be handed out; the page of the class has all, and is for who teaches.

use crate::cell;
use crate::exception::Extension;
use crate::rollup::{Gradebook, Mark, Student, Submission};
use crate::roster::folded;
use figure::chart;
use figure::html::{Align, Page, Table, link, prose, share_bar, span};
use figure::listing::percent;
use figure::markup::Element;
use figure::report::{self, Graded, Report};
use figure::svg::{Figure, WIDTH};
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The file of the page of the class.
pub const CLASS: &str = "index.html";

/// Most bytes of a name in the name of a file; systems allow 255 for all of it.
const MAX_NAME: usize = 200;

/// The checks of all problem sizes, in the list of what failed.
const SIZES: &str = "correct (any size)";

/// Columns of the distribution.
const BINS: usize = 10;

/// Names of files for the pages of all students, each once. They have letters and digits of any script, `-`, `_` and one dot, and begin with
/// `student-`, so they stay in their folder and are not reserved on any system. Two names differ in more than case and composition, which
/// some file systems ignore.
pub fn files(gradebook: &Gradebook) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let file = |student: &Student| {
        let keep = |c: char| c.is_alphanumeric() || is_combining_mark(c) || c == '-' || c == '_';
        let mut stem: String =
            student.name().to_lowercase().nfc().map(|c| if keep(c) { c } else { '-' }).collect();
        // An alias says already that it is of a student.
        if !stem.starts_with("student-") {
            stem.insert_str(0, "student-");
        }
        stem.truncate(stem.floor_char_boundary(MAX_NAME));
        let numbers = std::iter::once(String::new()).chain((2..).map(|number: u64| format!("-{number}")));
        let mut names = numbers.map(|number| format!("{stem}{number}.html"));
        names.find(|name| taken.insert(folded(name))).unwrap_or_default()
    };
    gradebook.students.iter().map(file).collect()
}

/// A report with the exercise of the gradebook that it is for.
pub struct Handed {
    /// Which exercise, from 0.
    pub exercise: usize,
    /// The report and the source.
    pub graded: Graded,
}

/// Whether a text is that of which a report was made, as far as the report's source lines show. A file may have been handed in again since.
pub fn is_of(report: &Report, text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    report.lines.iter().all(|line| {
        let at = (line.line as usize).wrapping_sub(1);
        lines.get(at).is_some_and(|own| own.trim() == line.text.trim())
    })
}

/// The page of a student. `handed` has the reports of the submissions that count, in the order of the exercises.
pub fn student(gradebook: &Gradebook, student: &Student, handed: Vec<Handed>) -> String {
    let (exercises, graded): (Vec<usize>, Vec<Graded>) =
        handed.into_iter().map(|handed| (handed.exercise, handed.graded)).unzip();
    let ids: BTreeMap<usize, String> = exercises.into_iter().zip(report::ids(&graded)).collect();
    let total = gradebook.total(student);
    let name = student.name();
    let title =
        if gradebook.title.is_empty() { name.to_owned() } else { format!("{name}: {}", gradebook.title) };
    let points = format!("{} of {} points", cell::number(total.points), cell::number(total.of));
    let of = total.percent().map(|percent| format!(", {percent:.1} %")).unwrap_or_default();
    let mut before =
        vec![Element::new("p").class("facts").child(span(format!("{points}{of}")).class("verdict"))];
    if total.is_provisional {
        let text = "Provisional: a file could not be graded, which says nothing about the program in it.";
        before.push(Element::new("p").class("annotation warning").text(text));
    }
    if let Some(comment) = &student.comment {
        before.push(Element::new("p").class("annotation").text(comment));
    }
    before.push(marks(gradebook, student, &ids));
    for submission in &student.unknown {
        let text = format!("{} could not be graded: {}", submission.file, submission.error);
        before.push(Element::new("p").class("annotation warning").text(text));
    }
    report::handout(&title, before, &graded)
}

/// A row for each exercise, with a link to its section.
fn marks(gradebook: &Gradebook, student: &Student, ids: &BTreeMap<usize, String>) -> Element {
    let columns = [
        ("exercise", Align::Left),
        ("result", Align::Left),
        ("score", Align::Right),
        ("points", Align::Right),
        ("remarks", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for (at, (exercise, mark)) in gradebook.exercises.iter().zip(&student.marks).enumerate() {
        let name = match ids.get(&at) {
            Some(id) => link(id, &exercise.id),
            None => span(&exercise.id),
        };
        let score = mark.counting().and_then(|submission| submission.score);
        let points = mark.points(exercise.points);
        let points = points.map(|own| format!("{} of {}", cell::number(own), cell::number(exercise.points)));
        let points = span(points.unwrap_or_else(|| "–".to_owned()));
        let score = span(score.map_or("–".to_owned(), |score| score.to_string()));
        table.row([name, result(mark), score, points, span(remarks(student, mark)).class("message")]);
    }
    table.element()
}

fn result(mark: &Mark) -> Element {
    let (class, word) = match mark.status() {
        "passed" => ("good", "passed"),
        "failed" => ("bad", "FAILED"),
        "not_graded" => ("caution", "not graded"),
        "manual" => ("muted", "by hand"),
        "excused" => ("muted", "excused"),
        other => ("caution", other),
    };
    span(word).class(class)
}

/// What is to be said of a mark: the comment, exceptions, lateness, other submissions, why there is no grade.
fn remarks(student: &Student, mark: &Mark) -> String {
    let mut remarks: Vec<String> = mark.hand.comment.iter().cloned().collect();
    remarks.extend(mark.hand.points.map(|_| "points set by hand".to_owned()));
    remarks.extend(mark.hand.extension.as_ref().map(|extension| match extension {
        Extension::Days(1) => "deadline extended by 1 day".to_owned(),
        Extension::Days(days) => format!("deadline extended by {days} days"),
        Extension::Until(_, text) => format!("deadline extended to {text}"),
    }));
    let Some(submission) = mark.counting() else {
        let unknown = student.unknown.iter().filter(|_| mark.status() == "not_graded");
        remarks.extend(unknown.map(Submission::not_graded));
        return remarks.join("; ");
    };
    match submission.days_late {
        0 => {}
        1 => remarks.push("1 day late".to_owned()),
        days => remarks.push(format!("{days} days late")),
    }
    if mark.submissions.len() > 1 {
        remarks.push(format!("{} submissions, of which {} counts", mark.submissions.len(), submission.file));
    }
    if submission.by != student.entry.id {
        remarks.push(format!("submitted by {}", submission.by));
    }
    if mark.is_provisional() && submission.score.is_some() {
        remarks.push("provisional: another submission could not be graded".to_owned());
    }
    let all = mark.submissions.iter().filter(|_| mark.is_provisional());
    remarks.extend(all.filter(|submission| submission.score.is_none()).map(Submission::not_graded));
    remarks.join("; ")
}

/// The page of the class; `files` has those of the students' pages.
pub fn class(gradebook: &Gradebook, files: &[String]) -> String {
    let title = if gradebook.title.is_empty() { "Grades" } else { &gradebook.title };
    let mut body = vec![Element::new("h1").text(title)];
    body.extend(gradebook.notes().into_iter().map(|note| Element::new("p").class("muted").text(note)));
    let problems = gradebook.problems();
    if !problems.is_empty() {
        body.push(Element::new("h2").text("To be looked at"));
        let items = problems.iter().map(|problem| Element::new("li").text(problem.to_string()));
        body.push(Element::new("ul").children(items));
    }
    body.push(Element::new("h2").text("Distribution"));
    body.push(distribution(gradebook));
    body.push(Element::new("h2").text("Exercises"));
    body.push(exercises(gradebook));
    body.push(Element::new("h2").text("Checks that failed"));
    body.push(checks(gradebook));
    body.push(Element::new("h2").text("Students"));
    body.push(students(gradebook, files));
    Page { title: title.to_owned(), body }.document()
}

/// How many students have which share of the points.
fn distribution(gradebook: &Gradebook) -> Element {
    let mut counts = [0; BINS];
    let percents: Vec<f64> =
        gradebook.students.iter().filter_map(|student| gradebook.total(student).percent()).collect();
    for percent in &percents {
        counts[((percent / 100.0 * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let (body, height) = chart::histogram(&counts, ["0 %", "100 % of the points"]);
    let width = 100 / BINS;
    let told = counts.iter().enumerate();
    let told = told.map(|(bin, count)| format!("{} to {} %: {count}", bin * width, (bin + 1) * width));
    let figure = Figure {
        id: "distribution".to_owned(),
        title: "Students by their share of the points".to_owned(),
        description: told.collect::<Vec<_>>().join(". "),
        caption: String::new(),
        width: WIDTH,
        height,
        body,
    };
    let caption = match median(&percents) {
        Some(median) => format!("{} students, median {median:.1} %", percents.len()),
        None => "There are no grades yet.".to_owned(),
    };
    let caption = Element::new("figcaption").text(caption);
    Element::new("figure").class("picture").child(figure.inline()).child(caption)
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// The submissions for an exercise that count.
fn counting(gradebook: &Gradebook, at: usize) -> impl Iterator<Item = &Submission> {
    gradebook.students.iter().filter_map(move |student| student.marks[at].counting())
}

fn exercises(gradebook: &Gradebook) -> Element {
    let columns = [
        ("exercise", Align::Left),
        ("points", Align::Right),
        ("passed", Align::Right),
        ("failed", Align::Right),
        ("missing", Align::Right),
        ("not graded", Align::Right),
        ("median score", Align::Right),
    ];
    let mut table = Table::new(&columns);
    for (at, exercise) in gradebook.exercises.iter().enumerate() {
        let count = |status| gradebook.students.iter().filter(|one| one.marks[at].status() == status).count();
        let scores: Vec<f64> = counting(gradebook, at).filter_map(|s| s.score).map(f64::from).collect();
        table.row([
            span(&exercise.id),
            span(cell::number(exercise.points)),
            span(count("passed").to_string()),
            span(count("failed").to_string()),
            span(count("missing").to_string()),
            span(count("not_graded").to_string()),
            span(median(&scores).map_or("–".to_owned(), cell::number)),
        ]);
    }
    table.element()
}

/// How often each check failed, the most frequent one of each exercise first.
fn checks(gradebook: &Gradebook) -> Element {
    let columns = [
        ("exercise", Align::Left),
        ("check", Align::Left),
        ("failed", Align::Right),
        ("of the graded", Align::Left),
    ];
    let mut table = Table::new(&columns);
    let mut is_empty = true;
    for (at, exercise) in gradebook.exercises.iter().enumerate() {
        let graded = counting(gradebook, at).filter(|s| s.score.is_some()).count();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for submission in counting(gradebook, at) {
            // A kernel that is wrong is mostly wrong at several sizes.
            let names = submission.failed.iter().map(String::as_str);
            let families = names.map(|name| if name.starts_with("correct_") { SIZES } else { name });
            families
                .collect::<BTreeSet<_>>()
                .into_iter()
                .for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (name, count) in counts {
            let share = count as f64 / graded.max(1) as f64;
            let bar = span(percent(share)).text(" ").child(share_bar(share));
            let name = Element::new("code").text(name);
            table.row([span(&exercise.id), name, span(count.to_string()), bar]);
            is_empty = false;
        }
    }
    if is_empty { Element::new("p").text("No check failed.") } else { table.element() }
}

/// Every student with a link to the page.
fn students(gradebook: &Gradebook, files: &[String]) -> Element {
    let columns = [
        ("student", Align::Left),
        ("points", Align::Right),
        ("%", Align::Right),
        ("passed", Align::Right),
        ("missing", Align::Right),
        ("remarks", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for (student, file) in gradebook.students.iter().zip(files) {
        let total = gradebook.total(student);
        let name = student.name();
        let count = |status| student.marks.iter().filter(|mark| mark.status() == status).count();
        let mut remarks = Vec::new();
        remarks.extend(total.is_provisional.then_some("provisional"));
        remarks.extend((!student.is_known).then_some("not on the roster"));
        table.row([
            Element::new("a").attr("href", file).text(name),
            span(cell::number(total.points)),
            span(total.percent().map_or("–".to_owned(), |percent| format!("{percent:.1}"))),
            span(count("passed").to_string()),
            span(count("missing").to_string()),
            prose(span(""), &remarks.join(", ")),
        ]);
    }
    table.element()
}
