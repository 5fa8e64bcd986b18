//! Grades of a course: the results of each student, with deadlines, several submissions, and what is missing.
//!
//! An exercise for which a student has no file counts 0. One whose file could not be graded has no grade: the total is then that of the
//! other exercises, and is provisional. What a person has to look at is a [`Problem`].

use crate::course::{Count, Course, Exercise};
use crate::lines::Line;
use crate::moment::{DAY, Moment};
use crate::naming::Field;
use crate::record::{Outcome, Record};
use crate::roster::{Entry, NotFound, Roster, names};
use figure::report::Status;
use std::collections::{BTreeMap, BTreeSet};

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
}

impl Mark {
    /// The submission that counts.
    pub fn counting(&self) -> Option<&Submission> {
        self.submissions.first()
    }

    /// 0 to 100: 0 without a submission, `None` if it was not graded.
    pub fn counted(&self) -> Option<f64> {
        match self.counting() {
            Some(submission) => submission.counted,
            None => (!self.may_be_unknown).then_some(0.0),
        }
    }

    /// Whether nothing was submitted, as far as is known.
    pub fn is_missing(&self) -> bool {
        self.submissions.is_empty() && !self.may_be_unknown
    }

    /// Whether there is no grade, which is something else than 0.
    pub fn is_not_graded(&self) -> bool {
        self.counted().is_none()
    }

    /// Whether a submission that was not graded could still give more.
    pub fn is_provisional(&self) -> bool {
        let best = self.counted().is_some_and(|counted| counted >= 100.0);
        self.may_be_unknown || !best && self.submissions.iter().any(|submission| submission.score.is_none())
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

/// What a person has to look at: a file without a grade, or a student who is not on the roster.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The student's name, or the identifier without one; `None` if nothing says whose the files are.
    pub student: Option<String>,
    /// The exercise, if it is about one.
    pub exercise: Option<String>,
    /// The files.
    pub files: Vec<String>,
    /// What is wrong.
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
    remarks: Vec<String>,
    /// Files without a grade of which nothing says whose they are.
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
        let Entry { id, name, .. } = &student.entry;
        let name = Some(if name.is_empty() { id } else { name }.clone());
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

    /// A student's total. What was not graded is left out of both numbers.
    pub fn total(&self, student: &Student) -> Total {
        let graded = self.exercises.iter().zip(&student.marks);
        let graded = graded.filter_map(|(exercise, mark)| Some((exercise.points, mark.counted()?)));
        let (points, of) = graded.fold((0.0, 0.0), |(points, of), (worth, counted)| {
            (points + worth * counted / 100.0, of + worth)
        });
        let is_provisional = !student.unknown.is_empty() || student.marks.iter().any(Mark::is_provisional);
        Total { points, of, is_provisional }
    }
}

/// Collects results of students.
pub struct Builder<'a, W> {
    course: &'a Course<W>,
    roster: Option<&'a Roster>,
    /// All exercises that there are, in teaching order.
    known: &'a [String],
    students: BTreeMap<Key, Collected>,
    /// Every file and exercise that was added.
    seen: BTreeSet<(String, Option<String>)>,
    /// Files with a deadline and without a time.
    timeless: usize,
    /// Files of exercises that the course does not have.
    others: BTreeMap<String, usize>,
    /// Files without a grade of which nothing says whose they are.
    unowned: Vec<Problem>,
}

/// Which student: by the place on the roster, or by what the file says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Known(usize),
    Unknown(String),
}

#[derive(Default)]
struct Collected {
    /// As the files have it.
    name: Option<String>,
    by_exercise: BTreeMap<String, Vec<Submission>>,
    unknown: Vec<Submission>,
}

impl<'a, W> Builder<'a, W> {
    /// For a course. `known` are all exercises that there are, such as `lab-6/tiled`, in teaching order.
    pub fn new(course: &'a Course<W>, roster: Option<&'a Roster>, known: &'a [String]) -> Builder<'a, W> {
        Builder {
            course,
            roster,
            known,
            students: BTreeMap::new(),
            seen: BTreeSet::new(),
            timeless: 0,
            others: BTreeMap::new(),
            unowned: Vec::new(),
        }
    }

    /// Adds a result of stream `source`.
    ///
    /// # Errors
    /// If nothing says whose the file is, or if the results have it already.
    pub fn add(&mut self, source: usize, line: &Line) -> Result<(), String> {
        let record = &line.record;
        if !self.seen.insert((record.file.clone(), record.id())) {
            let file = &record.file;
            return Err(format!("{file} appears twice in the results: name each file of results once"));
        }
        let Some(fields) = self.fields(record) else { return self.unmatched(record) };
        let key = self.student(&record.file, &fields)?;
        let exercise = record.id().or_else(|| self.exercise_of(&fields));
        let failed = record.checks(Status::Failed).map(|check| check.name.clone()).collect();
        let error = match &record.outcome {
            Outcome::Graded(_) => String::new(),
            Outcome::NotGraded { error, .. } => error.clone(),
        };
        let time = match fields.get(&Field::Time) {
            Some(text) => Some(
                Moment::parse(text, self.course.utc_offset)
                    .map_err(|e| format!("{}: {e}; `utc_offset` in the course file says it", record.file))?,
            ),
            None => self.entry(&key).and_then(|entry| entry.time),
        };
        let mut submission = Submission {
            source,
            offset: line.offset,
            length: line.text.len(),
            file: record.file.clone(),
            score: record.score(),
            passed: record.status() == "passed",
            failed,
            error,
            attempt: fields.get(&Field::Attempt).and_then(|text| text.parse().ok()),
            time,
            days_late: 0,
            counted: None,
        };
        let collected = self.students.entry(key.clone()).or_default();
        collected.name = collected.name.take().or_else(|| fields.get(&Field::Student).cloned());
        let Some(exercise) = exercise else {
            collected.unknown.push(submission);
            return Ok(());
        };
        let rule = self.course.exercises.iter().find(|known| known.id == exercise);
        if rule.is_none() && !self.course.exercises.is_empty() {
            *self.others.entry(exercise).or_default() += 1;
            return Ok(());
        }
        let deadline = rule.map_or(self.course.deadline, |rule| rule.deadline);
        self.weigh(&mut submission, deadline, fields.contains_key(&Field::Late));
        self.students.entry(key).or_default().by_exercise.entry(exercise).or_default().push(submission);
        Ok(())
    }

    /// The fields of a path, by the first pattern that matches it. A file that was not graded may lack the `.cu` in which patterns end, or be a
    /// folder.
    fn fields(&self, record: &Record) -> Option<BTreeMap<Field, String>> {
        let file = &record.file;
        let mut spellings = vec![file.clone()];
        if record.report().is_none() {
            spellings.extend([format!("{file}.cu"), format!("{file}/_.cu")]);
        }
        spellings.iter().find_map(|file| self.course.paths.iter().find_map(|pattern| pattern.find(file)))
    }

    /// A result whose path no pattern matches. One without a grade does not stop the others: a folder of submissions may have anything in it.
    fn unmatched(&mut self, record: &Record) -> Result<(), String> {
        let file = &record.file;
        let Outcome::NotGraded { error, .. } = &record.outcome else {
            let patterns: Vec<&str> = self.course.paths.iter().map(|pattern| pattern.text()).collect();
            return Err(format!(
                "{file} matches none of the paths of the course file ({})",
                patterns.join(", ")
            ));
        };
        self.unowned.push(Problem {
            student: None,
            exercise: record.id(),
            files: vec![file.clone()],
            reason: format!("nothing says whose this file is, and it was not graded: {error}"),
        });
        Ok(())
    }

    fn student(&self, file: &str, fields: &BTreeMap<Field, String>) -> Result<Key, String> {
        let named: Vec<&String> =
            [Field::Id, Field::Email, Field::Student].iter().filter_map(|field| fields.get(field)).collect();
        let Some(roster) = self.roster else {
            // A pattern has one of the three at least.
            return Ok(Key::Unknown(named.first().map(|name| (*name).clone()).unwrap_or_default()));
        };
        for name in &named {
            match roster.find(name) {
                Ok(at) => return Ok(Key::Known(at)),
                Err(NotFound::Unknown) => {}
                Err(NotFound::Several(ids)) => {
                    return Err(format!(
                        "{file}: `{name}` is the name of several students: {}",
                        ids.join(", ")
                    ));
                }
            }
        }
        Ok(Key::Unknown(named.last().map(|name| (*name).clone()).unwrap_or_default()))
    }

    fn entry(&self, key: &Key) -> Option<&Entry> {
        match key {
            Key::Known(at) => self.roster?.entries().get(*at),
            Key::Unknown(_) => None,
        }
    }

    /// The exercise that the path names, for a file of which grading did not find it out: with its lab, or by a name that only one
    /// exercise of the course has.
    fn exercise_of(&self, fields: &BTreeMap<Field, String>) -> Option<String> {
        let name = fields.get(&Field::Exercise).or_else(|| fields.get(&Field::File))?;
        if let Some(lab) = fields.get(&Field::Lab) {
            let id = format!("{lab}/{name}");
            return self.known.contains(&id).then_some(id);
        }
        let own: Vec<&String> = self.course.exercises.iter().map(|exercise| &exercise.id).collect();
        let all = if own.is_empty() { self.known.iter().collect() } else { own };
        let mut named = all.into_iter().filter(|id| id.split_once('/').is_some_and(|(_, own)| own == name));
        let only = named.next().cloned();
        only.filter(|_| named.next().is_none())
    }

    /// Sets how late a submission is, and what counts of it.
    fn weigh(&mut self, submission: &mut Submission, deadline: Option<Moment>, is_marked: bool) {
        let late = &self.course.late;
        if let Some(Moment(deadline)) = deadline {
            match submission.time {
                Some(Moment(time)) => {
                    let seconds = time - deadline - i64::from(late.grace_minutes) * 60;
                    let days = if seconds > 0 { (time - deadline + DAY - 1) / DAY } else { 0 };
                    submission.days_late = u32::try_from(days).unwrap_or(u32::MAX);
                }
                // How late is not known: at least a day has begun.
                None if is_marked => submission.days_late = 1,
                None => self.timeless += 1,
            }
        }
        let is_cut_off = late.cut_off_days.is_some_and(|days| submission.days_late > days);
        let share = 1.0 - late.percent_per_day / 100.0 * f64::from(submission.days_late);
        let share = if is_cut_off { 0.0 } else { share.max(0.0) };
        submission.counted = submission.score.map(|score| f64::from(score) * share);
    }

    /// The grades of all students: of those on the roster, and of those who have a file.
    ///
    /// # Errors
    /// If the last of several submissions is asked for, and nothing says which it is.
    pub fn finish(mut self) -> Result<Gradebook, String> {
        let exercises = self.exercises();
        let mut students = Vec::new();
        let mut collected = std::mem::take(&mut self.students);
        let on_roster = self.roster.map_or(0, |roster| roster.entries().len());
        for at in 0..on_roster {
            collected.entry(Key::Known(at)).or_default();
        }
        for (key, mut collected) in collected {
            let (entry, is_known) = match (&key, self.entry(&key)) {
                (_, Some(entry)) => (entry.clone(), true),
                (Key::Unknown(id), None) => {
                    let name = collected.name.take().unwrap_or_else(|| id.clone());
                    (Entry { id: id.clone(), name, ..Entry::default() }, self.roster.is_none())
                }
                (Key::Known(_), None) => continue,
            };
            let mark = |exercise: &Exercise| {
                let submissions = collected.by_exercise.remove(&exercise.id).unwrap_or_default();
                let may_be_unknown = submissions.is_empty() && !collected.unknown.is_empty();
                Ok(Mark { submissions: self.ordered(submissions)?, may_be_unknown })
            };
            let marks = exercises.iter().map(mark).collect::<Result<_, String>>()?;
            students.push(Student { entry, is_known, marks, unknown: collected.unknown });
        }
        let key = |student: &Student| (sort_name(&student.entry).to_lowercase(), student.entry.id.clone());
        students.sort_by_cached_key(key);
        let title = self.course.title.clone().unwrap_or_default();
        let unowned = std::mem::take(&mut self.unowned);
        Ok(Gradebook { title, exercises, students, remarks: self.remarks(), unowned })
    }

    /// The course's exercises; if it names none, those that have a file.
    fn exercises(&self) -> Vec<Exercise> {
        if !self.course.exercises.is_empty() {
            return self.course.exercises.clone();
        }
        let has_file = |id: &&String| self.students.values().any(|s| s.by_exercise.contains_key(*id));
        let exercise = |id: &String| Exercise {
            id: id.clone(),
            points: 100.0,
            deadline: self.course.deadline,
            column: id.clone(),
        };
        let found = self.students.values().flat_map(|s| s.by_exercise.keys());
        let mut all: Vec<&String> = self.known.iter().filter(has_file).collect();
        // An exercise of another version of the labs comes last.
        let mut more: Vec<&String> = found.filter(|id| !self.known.contains(id)).collect();
        more.sort();
        more.dedup();
        all.extend(more);
        all.into_iter().map(exercise).collect()
    }

    /// Puts the submission that counts first.
    fn ordered(&self, mut submissions: Vec<Submission>) -> Result<Vec<Submission>, String> {
        match self.course.count {
            // What was not graded comes after what was; of equal ones the earlier one counts.
            Count::Best => submissions
                .sort_by(|a, b| b.counted.partial_cmp(&a.counted).unwrap_or(std::cmp::Ordering::Equal)),
            Count::Last => {
                let order = |s: &Submission| (s.time, s.attempt);
                submissions.sort_by_key(|submission| std::cmp::Reverse(order(submission)));
                if let Some(pair) = submissions.windows(2).find(|pair| order(&pair[0]) == order(&pair[1])) {
                    return Err(format!(
                        "nothing says which of {} and {} is the last one: the course's paths need {{time}} or {{attempt}}, or `count = \"best\"`",
                        pair[0].file, pair[1].file
                    ));
                }
            }
        }
        Ok(submissions)
    }

    fn remarks(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.course.exercises.is_empty() {
            notes.push("The exercises are those of the results: the course file names none.".to_owned());
        }
        if self.timeless > 0 {
            let files = files(self.timeless);
            notes.push(format!(
                "No time of submission is known for {files}, so lateness is not counted there."
            ));
        }
        for (exercise, count) in &self.others {
            let files = files(*count);
            notes.push(format!("Left out: {files} for {exercise}, which the course file does not name."));
        }
        notes
    }
}

/// `1 file`, or `7 files`.
fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// The name as a list of students is sorted: the last name first, where the roster says which it is.
fn sort_name(entry: &Entry) -> String {
    let mut names = names(entry);
    match names.len() {
        2 if !entry.name.contains(',') => names.swap_remove(1),
        0 => entry.id.clone(),
        _ => names.swap_remove(0),
    }
}
