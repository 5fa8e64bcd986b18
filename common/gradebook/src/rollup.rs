//! Grades of a course: the results of each student, with deadlines, several submissions, and what is missing.
//!
//! An exercise for which a student has no file counts 0. One whose file could not be graded has no grade: the total is then that of the
//! other exercises, and is provisional. What a person has to look at is a [`Problem`].
//!
//! The points of an exercise are rounded to hundredths, a half up, and a total is the sum of these. Computed points are at most what the
//! exercise is worth; points that the course file sets can be more.

use crate::course::Exercise;
use crate::exception::Hand;
use crate::moment::Moment;
use crate::roster::Entry;

/// A number of points, rounded to hundredths. What binary fractions miss of a half is far below a millionth.
pub fn hundredths(points: f64) -> f64 {
    (points * 100.0 + 1e-6).round() / 100.0
}

/// A submission: one result, with where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// Which of the streams of results, from 0.
    pub source: usize,
    /// Where its line begins there, in bytes.
    pub offset: u64,
    /// How long the line is, in bytes.
    pub length: usize,
    /// The file.
    pub file: String,
    /// The identifier of the student who submitted it: another member of the group, too.
    pub by: String,
    /// 0 to 100; `None` if it was not graded.
    pub score: Option<u32>,
    /// Whether every check passed.
    pub passed: bool,
    /// Checks that failed.
    pub failed: Vec<String>,
    /// Why it was not graded; empty if it was.
    pub error: String,
    /// The number of the attempt, from the file's name.
    pub attempt: Option<u64>,
    /// When it was submitted.
    pub time: Option<Moment>,
    /// Whether its path says that it is late.
    pub marked_late: bool,
    /// Days after the deadline, each that has begun.
    pub days_late: u32,
    /// Score after what lateness costs, 0 to 100; `None` if it was not graded.
    pub counted: Option<f64>,
}

impl Submission {
    /// Why it has no grade.
    pub fn not_graded(&self) -> String {
        format!("not graded: {}", self.error)
    }
}

/// A student's grade for an exercise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// All submissions; the first is the one that counts.
    pub submissions: Vec<Submission>,
    /// Whether there is none, but the student has a file of which grading could not find out the exercise: it may be for this one.
    pub may_be_unknown: bool,
    /// The exceptions of the course file.
    pub hand: Hand,
}

impl Mark {
    /// The submission that counts.
    pub fn counting(&self) -> Option<&Submission> {
        self.submissions.first()
    }

    /// What the submissions are worth, 0 to 100: 0 without a submission, `None` if it was not graded.
    pub fn counted(&self) -> Option<f64> {
        match self.counting() {
            Some(submission) => submission.counted,
            None => (!self.may_be_unknown).then_some(0.0),
        }
    }

    /// Points of an exercise that is worth so much; `None` if it is excused or has no grade.
    pub fn points(&self, worth: f64) -> Option<f64> {
        if self.hand.excused {
            return None;
        }
        self.hand.points.or_else(|| Some(hundredths(worth * self.counted()? / 100.0)))
    }

    /// `excused`, `passed`, `failed`, `manual` if only the course file has points, `missing`, or `not_graded`.
    pub fn status(&self) -> &'static str {
        match self.counting().filter(|submission| submission.score.is_some()) {
            _ if self.hand.excused => "excused",
            Some(submission) if submission.passed => "passed",
            Some(_) => "failed",
            None if self.hand.points.is_some() => "manual",
            None if self.counting().is_none() && !self.may_be_unknown => "missing",
            None => "not_graded",
        }
    }

    /// Whether no submission could give more.
    fn is_settled(&self) -> bool {
        self.hand.is_final() || self.counted().is_some_and(|counted| counted >= 100.0)
    }

    /// Whether a submission that was not graded could still give more.
    pub fn is_provisional(&self) -> bool {
        !self.is_settled()
            && (self.may_be_unknown || self.submissions.iter().any(|submission| submission.score.is_none()))
    }
}

/// A student with all grades.
#[derive(Clone, Debug, Default)]
pub struct Student {
    /// As on the roster, or the name that the files have.
    pub entry: Entry,
    /// Whether the roster has the student; true without a roster.
    pub is_known: bool,
    /// One for each exercise of the gradebook.
    pub marks: Vec<Mark>,
    /// Files that could not be graded and of which not even the exercise is known.
    pub unknown: Vec<Submission>,
    /// A remark of the course file about the student.
    pub comment: Option<String>,
}

impl Student {
    /// The name; the identifier without one.
    pub fn name(&self) -> &str {
        if self.entry.name.is_empty() { &self.entry.id } else { &self.entry.name }
    }
}

/// What a student has in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total {
    /// Points of the exercises that have a grade, or none for want of a file.
    pub points: f64,
    /// Points that these exercises are worth.
    pub of: f64,
    /// Whether anything was not graded.
    pub is_provisional: bool,
}

impl Total {
    /// 0 to 100; `None` if nothing has a grade.
    pub fn percent(&self) -> Option<f64> {
        (self.of > 0.0).then(|| 100.0 * self.points / self.of)
    }
}

/// What a person has to look at: a file without a grade or an owner, a student who is not on the roster, or a row of the roster.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The student's name, or the identifier without one; `None` if nothing says whose the files are.
    pub student: Option<String>,
    /// The exercise, if it is about one.
    pub exercise: Option<String>,
    /// The files.
    pub files: Vec<String>,
    /// What is wrong. Without a student, the text before a colon has no names.
    pub reason: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let about: Vec<&str> =
            [&self.student, &self.exercise].into_iter().flatten().map(String::as_str).collect();
        if !about.is_empty() {
            write!(f, "{}: ", about.join(", "))?;
        }
        f.write_str(&self.reason)?;
        let files: Vec<&str> =
            self.files.iter().map(String::as_str).filter(|file| !self.reason.contains(file)).collect();
        match files.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", files.join(", ")),
        }
    }
}

/// The grades of a course.
#[derive(Clone, Debug, Default)]
pub struct Gradebook {
    /// The course's title; may be empty.
    pub title: String,
    /// In teaching order.
    pub exercises: Vec<Exercise>,
    /// By name.
    pub students: Vec<Student>,
    /// What a reader must know, one sentence each; without names.
    pub(crate) remarks: Vec<String>,
    /// Files of which nothing says whose they are, and rows of the roster.
    pub(crate) unowned: Vec<Problem>,
}

impl Gradebook {
    /// What a reader must know, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.remarks.clone();
        let provisional = self.students.iter().filter(|student| self.total(student).is_provisional).count();
        if provisional > 0 {
            let totals =
                if provisional == 1 { "1 total is".into() } else { format!("{provisional} totals are") };
            notes.push(format!("{totals} provisional, because a file could not be graded."));
        }
        notes
    }

    /// What a person has to look at, student by student.
    pub fn problems(&self) -> Vec<Problem> {
        let of_students = self.students.iter().flat_map(|student| self.problems_of(student));
        of_students.chain(self.unowned.iter().cloned()).collect()
    }

    /// What a person has to look at of one student.
    pub fn problems_of(&self, student: &Student) -> Vec<Problem> {
        let name = Some(student.name().to_owned());
        let mut problems = Vec::new();
        if !student.is_known {
            let all = student.marks.iter().flat_map(|mark| &mark.submissions).chain(&student.unknown);
            problems.push(Problem {
                student: name.clone(),
                exercise: None,
                files: all.map(|submission| submission.file.clone()).collect(),
                reason: "not on the roster, so the tables for Canvas and Moodle leave this student out"
                    .to_owned(),
            });
        }
        let marks = self.exercises.iter().zip(&student.marks).filter(|(_, mark)| mark.is_provisional());
        let known = marks.flat_map(|(exercise, mark)| {
            mark.submissions.iter().map(|submission| (Some(exercise.id.clone()), submission))
        });
        let all = known.chain(student.unknown.iter().map(|submission| (None, submission)));
        problems.extend(all.filter(|(_, submission)| submission.score.is_none()).map(
            |(exercise, submission)| Problem {
                student: name.clone(),
                exercise,
                files: vec![submission.file.clone()],
                reason: submission.not_graded(),
            },
        ));
        problems
    }

    /// A student's total. What is excused or was not graded is left out of both numbers.
    pub fn total(&self, student: &Student) -> Total {
        let marks = self.exercises.iter().zip(&student.marks);
        let graded =
            marks.filter_map(|(exercise, mark)| Some((exercise.points, mark.points(exercise.points)?)));
        let (points, of) = graded.fold((0.0, 0.0), |(sum, of), (worth, points)| (sum + points, of + worth));
        let is_settled = !student.marks.is_empty() && student.marks.iter().all(Mark::is_settled);
        let is_provisional =
            !student.unknown.is_empty() && !is_settled || student.marks.iter().any(Mark::is_provisional);
        Total { points: hundredths(points), of, is_provisional }
    }
}
