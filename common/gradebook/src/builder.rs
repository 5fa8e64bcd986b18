//! Collects results into the grades of a course: whose each file is, how late it is, and which submission counts.

use crate::course::{Count, Course, Exercise};
use crate::exception::{Exception, Group, Hand, Scope};
use crate::lines::Line;
use crate::moment::{DAY, Moment};
use crate::naming::Field;
use crate::record::{Outcome, Record};
use crate::rollup::{Gradebook, Mark, Problem, Student, Submission};
use crate::roster::{Entry, NotFound, Roster, folded, names};
use figure::report::Status;
use std::collections::{BTreeMap, BTreeSet};

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
    timeless: BTreeSet<String>,
    /// Files of exercises that the course does not have.
    others: BTreeMap<String, usize>,
    /// Files of which nothing says whose they are.
    unowned: Vec<Problem>,
}

/// Which student: by the place on the roster, or by what the file says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Known(usize),
    Unknown(String),
}

/// The exceptions of a student, the general ones first.
type Exceptions<'a> = Vec<(&'a Scope, &'a Exception)>;

#[derive(Clone, Default)]
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
            timeless: BTreeSet::new(),
            others: BTreeMap::new(),
            unowned: Vec::new(),
        }
    }

    /// Adds a result of stream `source`.
    ///
    /// # Errors
    /// If the results have the file already, or if its time of submission has no offset.
    pub fn add(&mut self, source: usize, line: &Line) -> Result<(), String> {
        let record = &line.record;
        if !self.seen.insert((record.file.clone(), record.id())) {
            let file = &record.file;
            return Err(format!("{file} appears twice in the results: name each file of results once"));
        }
        let found = self.fields(record).ok_or("it matches none of the `paths` of the course file".to_owned());
        let (fields, key) = match found.and_then(|fields| Ok((self.student(&fields)?, fields))) {
            Ok((key, fields)) => (fields, key),
            Err(why) => {
                self.unowned.push(unowned(record, &why));
                return Ok(());
            }
        };
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
        let by = match (self.entry(&key), &key) {
            (Some(entry), _) => entry.id.clone(),
            (None, Key::Unknown(id)) => id.clone(),
            (None, Key::Known(_)) => String::new(),
        };
        let submission = Submission {
            source,
            offset: line.offset,
            length: line.text.len(),
            file: record.file.clone(),
            by,
            score: record.score(),
            passed: record.status() == "passed",
            failed,
            error,
            attempt: fields.get(&Field::Attempt).and_then(|text| text.parse().ok()),
            time,
            marked_late: fields.contains_key(&Field::Late),
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
        collected.by_exercise.entry(exercise).or_default().push(submission);
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

    /// The student whom a path names.
    fn student(&self, fields: &BTreeMap<Field, String>) -> Result<Key, String> {
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
                Err(several) => return Err(format!("`{name}` {several}")),
            }
        }
        Ok(Key::Unknown(named.last().map(|name| (*name).clone()).unwrap_or_default()))
    }

    /// The student whom the course file names.
    fn named(&self, name: &str) -> Result<Key, String> {
        match self.roster.map(|roster| roster.find(name)) {
            Some(Ok(at)) => return Ok(Key::Known(at)),
            Some(Err(several @ NotFound::Several(_))) => return Err(format!("`{name}` {several}")),
            Some(Err(NotFound::Unknown)) | None => {}
        }
        let (own, wanted) = (Key::Unknown(name.to_owned()), folded(name));
        if self.students.contains_key(&own) {
            return Ok(own);
        }
        let is_called = |(key, collected): &(&Key, &Collected)| match key {
            Key::Known(_) => false,
            Key::Unknown(id) => {
                let mut names = [Some(id), collected.name.as_ref()].into_iter().flatten();
                !wanted.is_empty() && names.any(|own| folded(own) == wanted)
            }
        };
        let mut called = self.students.iter().filter(is_called).map(|(key, _)| key.clone());
        match (called.next(), called.next()) {
            (Some(key), None) => Ok(key),
            (Some(_), Some(_)) => {
                Err(format!("`{name}` is the name of several students; write the identifier"))
            }
            (None, _) if self.roster.is_some() => Err(format!("there is no student `{name}` on the roster")),
            (None, _) => {
                Err(format!("there is no student `{name}` in the results, and the course has no roster"))
            }
        }
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
    fn weigh(&mut self, submission: &mut Submission, deadline: Option<Moment>) {
        let late = &self.course.late;
        submission.days_late = 0;
        if let Some(Moment(deadline)) = deadline {
            match submission.time {
                Some(Moment(time)) => {
                    let seconds = time - deadline - i64::from(late.grace_minutes) * 60;
                    let days = if seconds > 0 { (time - deadline + DAY - 1) / DAY } else { 0 };
                    submission.days_late = u32::try_from(days).unwrap_or(u32::MAX);
                }
                // How late is not known: at least a day has begun.
                None if submission.marked_late => submission.days_late = 1,
                None => {
                    self.timeless.insert(submission.file.clone());
                }
            }
        }
        let is_cut_off = late.cut_off_days.is_some_and(|days| submission.days_late > days);
        let share = 1.0 - late.percent_per_day / 100.0 * f64::from(submission.days_late);
        let share = if is_cut_off { 0.0 } else { share.max(0.0) };
        submission.counted = submission.score.map(|score| f64::from(score) * share);
    }

    /// Gives each member of a group the submissions of all.
    fn share(&mut self, exercises: &[Exercise]) -> Result<(), String> {
        let own = self.students.clone();
        let mut taken: BTreeMap<(Key, &str), usize> = BTreeMap::new();
        for group in &self.course.groups {
            let members = self.members(group).map_err(|e| group.place.error(e))?;
            let is_covered = |id: &str| group.scopes.iter().any(|scope| scope.has(id));
            let of_all = |of: &dyn Fn(&Collected) -> Vec<Submission>| -> Vec<Submission> {
                members.iter().filter_map(|key| own.get(key)).flat_map(of).collect()
            };
            for Exercise { id, .. } in exercises.iter().filter(|exercise| is_covered(&exercise.id)) {
                let all = of_all(&|one| one.by_exercise.get(id).cloned().unwrap_or_default());
                for (member, name) in members.iter().zip(&group.students) {
                    if let Some(line) = taken.insert((member.clone(), id), group.place.line) {
                        let what = format!("`{name}` is already in the group of line {line} for {id}");
                        return Err(group.place.error(what));
                    }
                    let collected = self.students.entry(member.clone()).or_default();
                    if !all.is_empty() {
                        collected.by_exercise.insert(id.clone(), all.clone());
                    }
                }
            }
            for member in &members {
                let others =
                    members.iter().filter(|other| *other != member).filter_map(|other| own.get(other));
                let unknown = others.flat_map(|other| other.unknown.clone());
                self.students.entry(member.clone()).or_default().unknown.extend(unknown);
            }
        }
        Ok(())
    }

    /// The students of a group. Without a roster, those who submitted nothing are known from the group only.
    fn members(&self, group: &Group) -> Result<Vec<Key>, String> {
        let found: Vec<Result<Key, String>> = group.students.iter().map(|name| self.named(name)).collect();
        let may_be_new = self.roster.is_none() && found.iter().any(Result::is_ok);
        let member = |(found, name): (Result<Key, String>, &String)| match found {
            Err(_) if may_be_new => Ok(Key::Unknown(name.clone())),
            found => found,
        };
        let members = found.into_iter().zip(&group.students).map(member).collect::<Result<Vec<Key>, _>>()?;
        match (1..members.len()).find(|at| members[..*at].contains(&members[*at])) {
            Some(at) => Err(format!("`{}` is in the group twice", group.students[at])),
            None => Ok(members),
        }
    }

    /// The exceptions of each student.
    fn exceptions(&self) -> Result<BTreeMap<Key, Exceptions<'a>>, String> {
        let mut all: BTreeMap<Key, Exceptions<'a>> = BTreeMap::new();
        for exception in &self.course.exceptions {
            for name in &exception.students {
                let own = all.entry(self.named(name).map_err(|e| exception.place.error(e))?).or_default();
                for scope in &exception.scopes {
                    if let Some((_, first)) = own.iter().find(|(known, _)| *known == scope) {
                        let line = first.place.line;
                        let what = format!("`{name}` already has an exception for {scope} on line {line}");
                        return Err(exception.place.error(what));
                    }
                    own.push((scope, exception));
                }
            }
        }
        all.values_mut().for_each(|own| own.sort_by_key(|(scope, _)| *scope));
        Ok(all)
    }

    /// The grades of all students: of those on the roster, and of those who have a file.
    ///
    /// # Errors
    /// The line of the course file with a group or an exception that cannot be; or if the last of several submissions is asked for, and
    /// nothing says which it is.
    pub fn finish(mut self) -> Result<Gradebook, String> {
        let exercises = self.exercises();
        for at in 0..self.roster.map_or(0, |roster| roster.entries().len()) {
            self.students.entry(Key::Known(at)).or_default();
        }
        self.share(&exercises)?;
        let exceptions = self.exceptions()?;
        let mut students = Vec::new();
        for (key, collected) in std::mem::take(&mut self.students) {
            let own = exceptions.get(&key).map(Vec::as_slice).unwrap_or_default();
            students.extend(self.graded(&key, collected, &exercises, own)?);
        }
        let key = |student: &Student| (sort_name(&student.entry).to_lowercase(), student.entry.id.clone());
        students.sort_by_cached_key(key);
        let title = self.course.title.clone().unwrap_or_default();
        let mut unowned = self.roster.map(|roster| roster.problems().to_vec()).unwrap_or_default();
        unowned.append(&mut self.unowned);
        Ok(Gradebook { title, exercises, students, remarks: self.remarks(), unowned })
    }

    /// A student with the marks of all exercises.
    fn graded(
        &mut self,
        key: &Key,
        mut collected: Collected,
        exercises: &[Exercise],
        exceptions: &[(&Scope, &Exception)],
    ) -> Result<Option<Student>, String> {
        let (entry, is_known) = match (key, self.entry(key)) {
            (_, Some(entry)) => (entry.clone(), true),
            (Key::Unknown(id), None) => {
                let name = collected.name.take().unwrap_or_else(|| id.clone());
                (Entry { id: id.clone(), name, ..Entry::default() }, self.roster.is_none())
            }
            (Key::Known(_), None) => return Ok(None),
        };
        let mut marks = Vec::new();
        for exercise in exercises {
            let hand = Hand::of(exceptions, &exercise.id)?;
            let extended = |deadline| hand.extension.as_ref().map_or(deadline, |e| e.deadline(deadline));
            let deadline = exercise.deadline.map(extended);
            let mut submissions = collected.by_exercise.remove(&exercise.id).unwrap_or_default();
            submissions.iter_mut().for_each(|submission| self.weigh(submission, deadline));
            let may_be_unknown = submissions.is_empty() && !collected.unknown.is_empty();
            marks.push(Mark { submissions: self.ordered(submissions)?, may_be_unknown, hand });
        }
        let comment = Exception::general_comment(exceptions);
        Ok(Some(Student { entry, is_known, marks, unknown: collected.unknown, comment }))
    }

    /// The course's exercises; if it names none, those that have a file or points set by hand.
    fn exercises(&self) -> Vec<Exercise> {
        if !self.course.exercises.is_empty() {
            return self.course.exercises.clone();
        }
        let has_points =
            |id: &String| self.course.exceptions.iter().any(|exception| exception.sets_points(id));
        let is_graded =
            |id: &&String| self.students.values().any(|s| s.by_exercise.contains_key(*id)) || has_points(id);
        let exercise = |id: &String| Exercise {
            id: id.clone(),
            points: 100.0,
            deadline: self.course.deadline,
            column: id.clone(),
        };
        let found = self.students.values().flat_map(|s| s.by_exercise.keys());
        let mut all: Vec<&String> = self.known.iter().filter(is_graded).collect();
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
                // The attempts of two members of a group are counted separately.
                let is_open = |pair: &&[Submission]| {
                    let is_timed = pair.iter().all(|submission| submission.time.is_some());
                    order(&pair[0]) == order(&pair[1]) || pair[0].by != pair[1].by && !is_timed
                };
                if let Some([last, other]) = submissions.windows(2).find(is_open).and_then(<[_]>::as_array) {
                    let need = match last.by == other.by {
                        true => "the course's paths need {time} or {attempt}, or `count = \"best\"`",
                        false => "the paths of a group need {time}, or `count = \"best\"`",
                    };
                    let (last, other) = (&last.file, &other.file);
                    return Err(format!("nothing says which of {last} and {other} is the last one: {need}"));
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
        if !self.timeless.is_empty() {
            let files = files(self.timeless.len());
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

/// A file of which nothing says whose it is. It does not stop the others: a folder of submissions may have anything in it.
fn unowned(record: &Record, why: &str) -> Problem {
    let reason = match &record.outcome {
        Outcome::Graded(_) => format!("nothing says whose this file is: {why}"),
        Outcome::NotGraded { error, .. } => {
            format!("nothing says whose this file is, and it was not graded: {error}")
        }
    };
    Problem { student: None, exercise: record.id(), files: vec![record.file.clone()], reason }
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
