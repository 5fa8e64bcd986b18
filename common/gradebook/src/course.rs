//! The course file: what an instructor sets for all submissions and grades.
//!
//! ```toml
//! title = "GPU programming"
//! deadline = 2026-11-30T23:59:00+01:00    # of every exercise that sets no other
//! count = "best"                          # or "last": which of several submissions
//! paths = ["submissions/{student}/**/{file}.cu"]
//! utc_offset = "+01:00"                   # of times that have none
//! printf = false                          # reports without what kernels print: it can reveal hidden inputs
//!
//! [late]
//! grace_minutes = 10
//! percent_per_day = 10                    # of the score, for each day that has begun
//! cut_off_days = 5                        # later submissions count 0
//!
//! [lab.lab-6]                             # all exercises of the lab
//! points = 50
//!
//! [exercise."lab-6/tiled"]                # overrides that of the lab
//! points = 200                            # of the total; 100 if not named
//! deadline = 2026-12-07T23:59:00+01:00
//! column = "Tiled matmul (12345)"         # its name in the learning management system
//!
//! [roster]
//! file = "roster.csv"                     # beside the course file
//! id = "SID"
//! name = ["First Name", "Last Name"]
//!
//! [lms]
//! total = "GPU labs (777)"
//!
//! [[group]]                               # a submission of one member counts for all
//! students = ["s1", "s2"]
//!
//! [[exception]]                           # of a student, by identifier, address or name
//! student = "s4"
//! exercise = "lab-6/tiled"                # or a lab; all exercises if left out
//! extension = 3                           # days, or a deadline; or excused = true, or points = 17.5
//! comment = "ill"
//! ```
//!
//! All of it may be left out. The table `[weights]` belongs to `lab grade`; its type is a parameter here. A name that is not known is an
//! error with its line, never ignored.

use crate::exception::{self, Exception, Group};
use crate::format::Options;
use crate::moment::{Moment, offset};
use crate::naming::Pattern;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::value::Datetime;

/// Most points of an exercise.
const MAX_POINTS: f64 = 1e6;

/// Which of several submissions for one exercise counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Count {
    /// The one with the most points.
    #[default]
    Best,
    /// The last one.
    Last,
}

/// What a late submission costs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Late {
    /// Minutes after the deadline that are not late.
    #[serde(default)]
    pub grace_minutes: u32,
    /// Per cent of the score for each day that has begun.
    #[serde(default)]
    pub percent_per_day: f64,
    /// Days after which a submission counts 0.
    pub cut_off_days: Option<u32>,
}

/// Which columns of the roster mean what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    /// The table's file, beside the course file.
    pub file: Option<String>,
    /// The identifier; `id` if left out.
    pub id: Option<String>,
    /// The name, in one column or more; `name` if left out.
    #[serde(default, deserialize_with = "one_or_more")]
    pub name: Option<Vec<String>>,
    /// The e-mail address; `email` if left out.
    pub email: Option<String>,
    /// The name that the student logs in with.
    pub login: Option<String>,
    /// The identifier within Canvas, for its gradebook.
    pub canvas_id: Option<String>,
    /// The section, for Canvas's gradebook.
    pub section: Option<String>,
    /// Other columns that names of files may have.
    #[serde(default)]
    pub keys: Vec<String>,
    /// When the student submitted.
    pub time: Option<String>,
}

/// Names in the learning management system that are not those of an exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lms {
    /// The column of the total; there is none if it is left out.
    pub total: Option<String>,
}

/// An exercise of the course.
#[derive(Clone, Debug, PartialEq)]
pub struct Exercise {
    /// Such as `lab-6/tiled`.
    pub id: String,
    /// What it is worth.
    pub points: f64,
    /// After it, submissions are late.
    pub deadline: Option<Moment>,
    /// Its name in the learning management system.
    pub column: String,
}

/// A course.
#[derive(Clone, Debug)]
pub struct Course<W> {
    /// Its title.
    pub title: Option<String>,
    /// What `lab grade` is asked for.
    pub weights: W,
    /// Whether its reports have what kernels print.
    pub printf: bool,
    /// The exercises that the file names, in teaching order; empty if it names none.
    pub exercises: Vec<Exercise>,
    /// What holds for exercises that it does not name.
    pub deadline: Option<Moment>,
    /// Which submission counts.
    pub count: Count,
    /// What a late one costs.
    pub late: Late,
    /// Whose a file is; tried in order.
    pub paths: Vec<Pattern>,
    /// Offset from UTC of times that have none, in seconds.
    pub utc_offset: Option<i64>,
    /// The roster's columns.
    pub roster: Columns,
    /// Names elsewhere.
    pub lms: Lms,
    /// Students who submit together.
    pub groups: Vec<Group>,
    /// What is different for single students.
    pub exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "W: DeserializeOwned + Default")]
struct File<W> {
    title: Option<String>,
    #[serde(default)]
    weights: W,
    #[serde(default = "yes")]
    printf: bool,
    deadline: Option<Spanned<Datetime>>,
    #[serde(default)]
    count: Count,
    #[serde(default)]
    late: Option<Spanned<Late>>,
    #[serde(default)]
    paths: Vec<Spanned<String>>,
    utc_offset: Option<Spanned<String>>,
    #[serde(default)]
    lab: BTreeMap<Spanned<String>, Rule>,
    #[serde(default)]
    exercise: BTreeMap<Spanned<String>, Rule>,
    #[serde(default)]
    roster: Columns,
    #[serde(default)]
    lms: Lms,
    #[serde(default)]
    group: Vec<exception::GroupTable>,
    #[serde(default)]
    exception: Vec<exception::ExceptionTable>,
}

/// What holds for a lab or an exercise.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    points: Option<Spanned<f64>>,
    deadline: Option<Spanned<Datetime>>,
    column: Option<Spanned<String>>,
}

fn yes() -> bool {
    true
}

/// A text, or a list of texts.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a text or a list of texts")]
pub(crate) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub(crate) fn list(&self) -> &[String] {
        match self {
            OneOrMore::One(text) => std::slice::from_ref(text),
            OneOrMore::More(texts) => texts,
        }
    }
}

fn one_or_more<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(Option::<OneOrMore>::deserialize(deserializer)?.map(|names| names.list().to_vec()))
}

/// A line of the course file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line's number, from 1.
    pub line: usize,
    text: String,
}

impl Place {
    /// An error at this place, as the parser of TOML gives its own.
    pub fn error(&self, what: impl std::fmt::Display) -> String {
        let Place { line, text } = self;
        format!("line {line}: {what}\n{line} | {text}")
    }
}

/// The text of a course file, to say where something is.
pub(crate) struct Source<'a>(&'a str);

impl Source<'_> {
    pub(crate) fn place<T>(&self, spanned: &Spanned<T>) -> Place {
        let line = self.0[..spanned.span().start.min(self.0.len())].matches('\n').count();
        Place { line: line + 1, text: self.0.lines().nth(line).unwrap_or_default().to_owned() }
    }

    pub(crate) fn at<T>(&self, spanned: &Spanned<T>, what: impl std::fmt::Display) -> String {
        self.place(spanned).error(what)
    }

    fn moment(&self, time: &Spanned<Datetime>, offset: Option<i64>) -> Result<Moment, String> {
        Moment::parse(&time.get_ref().to_string(), offset)
            .map_err(|e| self.at(time, format!("{e}; write it as 2026-11-30T23:59:00+01:00")))
    }

    /// The points of a table.
    pub(crate) fn points(&self, points: &Spanned<f64>) -> Result<f64, String> {
        let number = *points.get_ref();
        match (0.0..=MAX_POINTS).contains(&number) {
            true => Ok(number),
            false => Err(self.at(points, format!("the points are {number}, not 0 to {MAX_POINTS}"))),
        }
    }
}

impl<W: DeserializeOwned + Default> Course<W> {
    /// Reads a course file. `known` are all exercises that there are, such as `lab-6/tiled`, in teaching order.
    ///
    /// # Errors
    /// The line, and what is wrong with it.
    pub fn parse(text: &str, known: &[String]) -> Result<Course<W>, String> {
        let file: File<W> = toml::from_str(text).map_err(|e| e.to_string().trim_end().to_owned())?;
        let source = Source(text);
        let utc_offset = match &file.utc_offset {
            None => None,
            Some(text) => Some(offset(text.get_ref()).ok_or_else(|| {
                source.at(text, format!("`{}` is not an offset such as +01:00", text.get_ref()))
            })?),
        };
        let pattern = |text: &Spanned<String>| {
            Pattern::parse(text.get_ref())
                .map_err(|e| source.at(text, format!("`{}` is not a pattern: {e}", text.get_ref())))
        };
        let late = match &file.late {
            None => Late::default(),
            Some(late) if (0.0..=100.0).contains(&late.get_ref().percent_per_day) => late.get_ref().clone(),
            Some(late) => {
                let percent = late.get_ref().percent_per_day;
                return Err(source.at(late, format!("percent_per_day is {percent}, not 0 to 100")));
            }
        };
        let deadline = file.deadline.as_ref().map(|time| source.moment(time, utc_offset)).transpose()?;
        let exercises = exercises(&source, &file, known, deadline, utc_offset)?;
        // What an exception may name.
        let mut covered: Vec<(&str, Option<Moment>)> =
            exercises.iter().map(|exercise| (exercise.id.as_str(), exercise.deadline)).collect();
        if covered.is_empty() {
            covered = known.iter().map(|id| (id.as_str(), deadline)).collect();
        }
        let tables = exception::Tables { source: &source, exercises: &covered, utc_offset };
        Ok(Course {
            groups: file.group.iter().map(|group| tables.group(group)).collect::<Result<_, _>>()?,
            exceptions: file.exception.iter().map(|one| tables.exception(one)).collect::<Result<_, _>>()?,
            exercises,
            paths: file.paths.iter().map(pattern).collect::<Result<_, _>>()?,
            title: file.title,
            weights: file.weights,
            printf: file.printf,
            deadline,
            count: file.count,
            late,
            utc_offset,
            roster: file.roster,
            lms: file.lms,
        })
    }
}

/// The exercises that the file names, one by one or by their lab.
fn exercises<W>(
    source: &Source<'_>,
    file: &File<W>,
    known: &[String],
    deadline: Option<Moment>,
    offset: Option<i64>,
) -> Result<Vec<Exercise>, String> {
    let lab_of = |id: &str| id.split('/').next().unwrap_or_default().to_owned();
    for lab in file.lab.keys() {
        if !known.iter().any(|id| lab_of(id) == *lab.get_ref()) {
            let mut labs: Vec<String> = known.iter().map(|id| lab_of(id)).collect();
            labs.dedup();
            let labs = labs.join(", ");
            return Err(source.at(lab, format!("there is no lab `{}`; the labs are {labs}", lab.get_ref())));
        }
    }
    for id in file.exercise.keys() {
        if !known.contains(id.get_ref()) {
            let lab = lab_of(id.get_ref());
            let near: Vec<&str> =
                known.iter().filter(|known| lab_of(known) == lab).map(String::as_str).collect();
            let near = if near.is_empty() { "lab-6/tiled".to_owned() } else { near.join(", ") };
            let what = format!("there is no exercise `{}`; write one such as {near}", id.get_ref());
            return Err(source.at(id, what));
        }
    }
    let rule = |rules: &BTreeMap<Spanned<String>, Rule>, name: &str| {
        rules.iter().find(|(key, _)| key.get_ref() == name).map(|(_, rule)| rule.clone())
    };
    let mut exercises = Vec::new();
    for id in known {
        let (lab, own) = (rule(&file.lab, &lab_of(id)), rule(&file.exercise, id));
        if lab.is_none() && own.is_none() {
            continue;
        }
        let (lab, own) = (lab.unwrap_or_default(), own.unwrap_or_default());
        if let Some(column) = &lab.column {
            return Err(source.at(column, "a column belongs to one exercise, not to a lab"));
        }
        let points = match own.points.or(lab.points) {
            None => 100.0,
            Some(points) => source.points(&points)?,
        };
        let own_deadline = own.deadline.or(lab.deadline);
        let deadline = match own_deadline {
            Some(time) => Some(source.moment(&time, offset)?),
            None => deadline,
        };
        let column = own.column.map_or_else(|| id.clone(), Spanned::into_inner);
        exercises.push(Exercise { id: id.clone(), points, deadline, column });
    }
    if !exercises.is_empty() && exercises.iter().all(|exercise| exercise.points == 0.0) {
        return Err("no exercise is worth any points".to_owned());
    }
    Ok(exercises)
}

impl<W> Course<W> {
    /// What the formats of results take from the course.
    pub fn options(&self) -> Options {
        let points = self.exercises.iter().map(|e| (e.id.clone(), e.points)).collect();
        let names = self.exercises.iter().map(|e| (e.id.clone(), e.column.clone())).collect();
        Options { points, names, ..Options::default() }
    }
}
