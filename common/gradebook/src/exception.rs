//! What is different for single students: groups and exceptions of the course file.
//!
//! ```toml
//! [[group]]
//! students = ["s1", "Bob Noyce"]
//! exercise = "lab-7"
//!
//! [[exception]]
//! student = "ada@example.org"
//! exercise = "lab-7/copy"
//! extension = 2026-12-07T23:59:00+01:00
//! ```
//!
//! Several exceptions can cover one exercise of a student. Each setting comes from the most specific one: that of the exercise before that
//! of the lab, and that of the lab before that of all exercises.
//!
//! The first of these that holds decides the points: the exercise is excused; the points are set by hand; the computed points, late after
//! the extended deadline; the computed points, late after the deadline of the exercise.

use crate::course::{OneOrMore, Place, Source};
use crate::moment::{DAY, Moment};
use crate::rollup::hundredths;
use serde::Deserialize;
use toml::{Spanned, Value};

/// The exercises that a table is about; the more general scope comes first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All exercises.
    All,
    /// Those of a lab, such as `lab-6`.
    Lab(String),
    /// One, such as `lab-6/tiled`.
    Exercise(String),
}

impl Scope {
    /// Whether the scope has an exercise.
    pub fn has(&self, id: &str) -> bool {
        match self {
            Scope::All => true,
            Scope::Lab(lab) => id.split('/').next() == Some(lab),
            Scope::Exercise(exercise) => exercise == id,
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scope::All => f.write_str("all exercises"),
            Scope::Lab(name) | Scope::Exercise(name) => f.write_str(name),
        }
    }
}

/// Students who submit together.
#[derive(Clone, Debug)]
pub struct Group {
    /// Where the course file has it.
    pub place: Place,
    /// Identifiers, addresses or names.
    pub students: Vec<String>,
    /// The exercises that they submit together.
    pub scopes: Vec<Scope>,
}

/// An extended deadline.
#[derive(Clone, Debug, PartialEq)]
pub enum Extension {
    /// Days after the deadline of the exercise.
    Days(u32),
    /// A new deadline, with its text in the course file.
    Until(Moment, String),
}

impl Extension {
    /// The deadline of a student; an extension never makes it earlier.
    pub fn deadline(&self, Moment(deadline): Moment) -> Moment {
        match self {
            Extension::Days(days) => Moment(deadline + i64::from(*days) * DAY),
            Extension::Until(Moment(until), _) => Moment(deadline.max(*until)),
        }
    }
}

/// What is different for students.
#[derive(Clone, Debug)]
pub struct Exception {
    /// Where the course file has it.
    pub place: Place,
    /// Identifiers, addresses or names.
    pub students: Vec<String>,
    /// The exercises.
    pub scopes: Vec<Scope>,
    excused: Option<bool>,
    points: Option<f64>,
    extension: Option<Extension>,
    comment: Option<String>,
}

impl Exception {
    /// Whether it sets the points of an exercise.
    pub(crate) fn sets_points(&self, id: &str) -> bool {
        self.points.is_some() && self.scopes.iter().any(|scope| scope.has(id))
    }

    /// The comment of an exception that is about all exercises: it is about the student.
    pub fn general_comment(exceptions: &[(&Scope, &Exception)]) -> Option<String> {
        exceptions.iter().find(|(scope, _)| **scope == Scope::All)?.1.comment.clone()
    }
}

/// What the exceptions say about one exercise of a student.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hand {
    /// Whether the exercise does not count: neither its points nor what it is worth.
    pub excused: bool,
    /// Points instead of the computed ones.
    pub points: Option<f64>,
    /// An extended deadline.
    pub extension: Option<Extension>,
    /// A remark for the student.
    pub comment: Option<String>,
}

impl Hand {
    /// For an exercise, from all exceptions of a student, the general ones first.
    ///
    /// # Errors
    /// If one excuses the exercise and another one sets its points.
    pub fn of(exceptions: &[(&Scope, &Exception)], id: &str) -> Result<Hand, String> {
        let mut hand = Hand::default();
        let covering = || exceptions.iter().filter(|(scope, _)| scope.has(id));
        for (scope, exception) in covering() {
            hand.excused = exception.excused.unwrap_or(hand.excused);
            hand.points = exception.points.or(hand.points);
            hand.extension = exception.extension.clone().or(hand.extension);
            hand.comment = exception.comment.clone().filter(|_| **scope != Scope::All).or(hand.comment);
        }
        if hand.excused && hand.points.is_some() {
            let line = |is: fn(&Exception) -> bool| covering().rfind(|(_, e)| is(e)).map(|(_, e)| &e.place);
            let excused = line(|exception| exception.excused == Some(true));
            if let (Some(excused), Some(points)) = (excused, line(|exception| exception.points.is_some())) {
                let what =
                    format!("{id} gets points, but line {} excuses this student from it", excused.line);
                return Err(points.error(what));
            }
        }
        Ok(hand)
    }

    /// Whether the results do not matter.
    pub fn is_final(&self) -> bool {
        self.excused || self.points.is_some()
    }
}

/// `[[group]]` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupTable {
    students: Spanned<Vec<String>>,
    exercise: Option<Spanned<OneOrMore>>,
}

/// `[[exception]]` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExceptionTable {
    student: Spanned<OneOrMore>,
    exercise: Option<Spanned<OneOrMore>>,
    excused: Option<bool>,
    points: Option<Spanned<f64>>,
    extension: Option<Spanned<Value>>,
    comment: Option<String>,
}

/// Reads the tables of a course file.
pub(crate) struct Tables<'a> {
    pub(crate) source: &'a Source<'a>,
    /// The exercises of the course with their deadlines.
    pub(crate) exercises: &'a [(&'a str, Option<Moment>)],
    pub(crate) utc_offset: Option<i64>,
}

impl Tables<'_> {
    pub(crate) fn group(&self, table: &GroupTable) -> Result<Group, String> {
        let students = table.students.get_ref().clone();
        if students.len() < 2 {
            return Err(self.source.at(&table.students, "a group needs two students at least"));
        }
        Ok(Group {
            place: self.source.place(&table.students),
            students,
            scopes: self.scopes(table.exercise.as_ref())?,
        })
    }

    pub(crate) fn exception(&self, table: &ExceptionTable) -> Result<Exception, String> {
        let fail = |what: &str| Err(self.source.at(&table.student, what));
        let students = table.student.get_ref().list().to_vec();
        if students.is_empty() {
            return fail("the exception names no student");
        }
        let scopes = self.scopes(table.exercise.as_ref())?;
        let extension =
            table.extension.as_ref().map(|extension| self.extension(extension, &scopes)).transpose()?;
        let points = table.points.as_ref().map(|points| self.source.points(points)).transpose()?;
        if let Some(points) = &table.points {
            if table.excused == Some(true) {
                return Err(self.source.at(points, "an exercise is excused or has points, but not both"));
            }
            if !scopes.iter().all(|scope| matches!(scope, Scope::Exercise(_))) {
                let what = "points are those of an exercise; write one such as exercise = \"lab-6/tiled\"";
                return Err(self.source.at(points, what));
            }
        }
        let comment = table.comment.clone().filter(|comment| !comment.trim().is_empty());
        if table.excused.is_none() && points.is_none() && extension.is_none() && comment.is_none() {
            return fail("the exception needs `extension`, `excused`, `points` or `comment`");
        }
        Ok(Exception {
            place: self.source.place(&table.student),
            students,
            scopes,
            excused: table.excused,
            points: points.map(hundredths),
            extension,
            comment,
        })
    }

    fn scopes(&self, names: Option<&Spanned<OneOrMore>>) -> Result<Vec<Scope>, String> {
        let Some(names) = names else { return Ok(vec![Scope::All]) };
        let scope = |name: &String| {
            let scope = match name.contains('/') {
                true => Scope::Exercise(name.clone()),
                false => Scope::Lab(name.clone()),
            };
            if self.exercises.iter().any(|(id, _)| scope.has(id)) {
                return Ok(scope);
            }
            let all: Vec<&str> = self.exercises.iter().map(|(id, _)| *id).collect();
            let what =
                format!("the course has no exercise or lab `{name}`; its exercises are {}", all.join(", "));
            Err(self.source.at(names, what))
        };
        match names.get_ref().list() {
            [] => Err(self.source.at(names, "the list names no exercise; leave it out for all exercises")),
            names => names.iter().map(scope).collect(),
        }
    }

    /// The value of `extension`, which must make a deadline later.
    fn extension(&self, value: &Spanned<Value>, scopes: &[Scope]) -> Result<Extension, String> {
        let fail = |what: String| self.source.at(value, what);
        let extension = match value.get_ref() {
            Value::Integer(days) if (1..=3650).contains(days) => {
                Extension::Days(u32::try_from(*days).unwrap_or_default())
            }
            Value::Datetime(time) => {
                let text = time.to_string();
                Extension::Until(Moment::parse(&text, self.utc_offset).map_err(fail)?, text)
            }
            other => {
                let what = format!("the extension is {}", other.type_str());
                let what = other.as_integer().map_or(what, |days| format!("the extension is {days} days"));
                return Err(fail(format!(
                    "{what}; write 1 to 3650 days, or a new deadline without quotation marks"
                )));
            }
        };
        let covered = self.exercises.iter().filter(|(id, _)| scopes.iter().any(|scope| scope.has(id)));
        let deadlines: Vec<Moment> = covered.filter_map(|(_, deadline)| *deadline).collect();
        if deadlines.is_empty() {
            return Err(fail("there is no deadline to extend".to_owned()));
        }
        if deadlines.iter().all(|deadline| extension.deadline(*deadline) == *deadline) {
            return Err(fail("the new deadline is not after the one that it extends".to_owned()));
        }
        Ok(extension)
    }
}
