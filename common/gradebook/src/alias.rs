//! Grades without names: each student has an alias, a keyed hash of the identifier.
//!
//! The hash is SipHash-2-4 with 128 bits (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) under a secret salt. Without the
//! salt, an alias cannot be computed from a name; with the same salt, a student has the same alias every time.
//!
//! Texts are searched for names too: what a kernel prints, comments, messages, and paths. A name found there is replaced by letters of the
//! alias, as many as it had, so that columns stay where they are. What is searched for: identifiers, addresses and full names of all
//! students, in either order and with any punctuation between, and single parts of the name of the student whose text it is. Parts of
//! fewer than [`MIN_PART`] letters, and identifiers of fewer than [`MIN_WHOLE`], would replace half of a program, and are not.

use crate::rollup::{Gradebook, Student, Submission};
use crate::roster::{Entry, names};
use siphasher::sip128::{Hasher128, SipHasher24};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use unicode_normalization::UnicodeNormalization;

/// Fewest letters of a part of a name that is searched for.
pub const MIN_PART: usize = 3;

/// Fewest letters of an identifier or a whole name that is searched for.
pub const MIN_WHOLE: usize = 5;

/// Most characters between two words of a name in a text.
const MAX_GAP: usize = 3;

/// The secret that aliases depend on.
#[derive(Clone, PartialEq, Eq)]
pub struct Salt([u8; 16]);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt(secret)")
    }
}

impl Salt {
    /// A salt of random bytes.
    pub fn new(bytes: [u8; 16]) -> Salt {
        Salt(bytes)
    }

    /// Reads what [`Salt::text`] gives.
    ///
    /// # Errors
    /// If the text is anything else.
    pub fn parse(text: &str) -> Result<Salt, String> {
        let digits = text.trim();
        let bytes =
            (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok());
        let bytes: Option<Vec<u8>> = bytes.collect();
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let salt = bytes.filter(|_| is_hex).and_then(|bytes| bytes.try_into().ok());
        salt.map(Salt).ok_or_else(|| "this is not a salt: 32 hexadecimal digits".to_owned())
    }

    /// As a file keeps it.
    pub fn text(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n"
    }

    /// 32 hexadecimal digits that depend on a text and the salt.
    fn digits(&self, text: &str) -> String {
        let mut hasher = SipHasher24::new_with_key(&self.0);
        hasher.write(text.to_lowercase().as_bytes());
        format!("{:032x}", hasher.finish128().as_u128())
    }
}

/// Digits of the hash in an alias: among a million students, two have the same with a probability below 1 in 500.
const ALIAS: usize = 12;

/// What is searched for, and whose it is.
#[derive(Clone, Debug)]
struct Name {
    /// Its words in lower case.
    words: Vec<String>,
    student: usize,
}

/// Finds names in texts.
#[derive(Clone, Debug, Default)]
pub struct Scrubber {
    /// The digits of each student.
    digits: Vec<String>,
    /// Names of all students by their first word, long ones first.
    whole: BTreeMap<String, Vec<Name>>,
    /// Parts of names by student.
    parts: Vec<BTreeSet<String>>,
    /// Paths by student, with what is shown instead.
    paths: Vec<Vec<(String, String)>>,
}

/// Replaces all names in a gradebook, and orders it by alias. What it returns finds the names in texts; it counts students in the new order.
///
/// # Errors
/// If two students get the same alias.
pub fn anonymise(gradebook: &mut Gradebook, salt: &Salt) -> Result<Scrubber, String> {
    let digits = |student: &Student| salt.digits(&student.entry.id);
    gradebook.students.sort_by_cached_key(digits);
    let mut scrubber =
        Scrubber { digits: gradebook.students.iter().map(digits).collect(), ..Scrubber::default() };
    if scrubber.digits.windows(2).any(|pair| pair[0][..ALIAS] == pair[1][..ALIAS]) {
        return Err("two students have the same alias with this salt: use another".to_owned());
    }
    for (at, student) in gradebook.students.iter().enumerate() {
        scrubber.learn(at, &student.entry);
    }
    for names in scrubber.whole.values_mut() {
        names.sort_by_key(|name| std::cmp::Reverse(name.words.len()));
    }
    let exercises: Vec<String> = gradebook.exercises.iter().map(|exercise| exercise.id.clone()).collect();
    for (at, student) in gradebook.students.iter_mut().enumerate() {
        let alias = alias_of(&scrubber.digits[at]);
        let mut paths = Vec::new();
        for (exercise, mark) in exercises.iter().zip(&mut student.marks) {
            rename(&mut mark.submissions, &format!("{alias}/{exercise}"), &mut paths);
        }
        rename(&mut student.unknown, &format!("{alias}/unknown"), &mut paths);
        // A path that another begins with must not be replaced within it.
        paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        scrubber.paths.push(paths);
        student.entry = Entry { id: alias.clone(), name: alias, ..Entry::default() };
        let comments =
            student.marks.iter_mut().map(|mark| &mut mark.hand.comment).chain([&mut student.comment]);
        for comment in comments.flatten() {
            *comment = scrubber.scrub(at, comment);
        }
        let all = student.marks.iter_mut().flat_map(|mark| &mut mark.submissions).chain(&mut student.unknown);
        for submission in all {
            submission.error = scrubber.scrub(at, &submission.error);
            submission.by = alias_of(&salt.digits(&submission.by));
        }
    }
    // Nothing says whose names these have; there are none before the colon.
    for problem in &mut gradebook.unowned {
        problem.files.clear();
        problem.student = None;
        problem.reason.truncate(problem.reason.find(": ").unwrap_or(problem.reason.len()));
    }
    Ok(scrubber)
}

fn alias_of(digits: &str) -> String {
    format!("student-{}", &digits[..ALIAS])
}

/// Gives submissions neutral paths.
fn rename(submissions: &mut [Submission], stem: &str, paths: &mut Vec<(String, String)>) {
    for (number, submission) in (1..).zip(submissions) {
        let path = if number == 1 { format!("{stem}.cu") } else { format!("{stem}.{number}.cu") };
        paths.push((std::mem::replace(&mut submission.file, path.clone()).nfc().collect(), path));
    }
}

/// Words of a text: runs of letters and digits, with where they are.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.map(|from| (from, text.len())));
    words
}

impl Scrubber {
    fn learn(&mut self, student: usize, entry: &Entry) {
        let spelled = names(entry);
        let squeezed = spelled.iter().map(|name| name.chars().filter(|c| c.is_alphanumeric()).collect());
        let single =
            [&entry.id, &entry.email, &entry.login, &entry.canvas_id].into_iter().chain(&entry.keys).cloned();
        let all: BTreeSet<String> = spelled.iter().cloned().chain(squeezed).chain(single).collect();
        let mut parts = BTreeSet::new();
        for name in all {
            let found: Vec<String> =
                words(&name).into_iter().map(|(from, to)| name[from..to].to_lowercase()).collect();
            let letters: usize = found.iter().map(|word| word.chars().count()).sum();
            if let Some(first) = found.first().filter(|_| letters >= MIN_WHOLE) {
                self.whole.entry(first.clone()).or_default().push(Name { words: found.clone(), student });
            }
        }
        // The end of an address is the school's, not the student's.
        let local = entry.email.split('@').next().unwrap_or_default();
        for name in spelled.iter().map(String::as_str).chain([local, &entry.login]) {
            let found = words(name).into_iter().map(|(from, to)| name[from..to].to_lowercase());
            parts.extend(found.filter(|part| part.chars().count() >= MIN_PART));
        }
        self.parts.push(parts);
    }

    /// The text of a student without names.
    pub fn scrub(&self, student: usize, text: &str) -> String {
        // The names of the roster are composed.
        let mut text: String = text.nfc().collect();
        for (path, shown) in self.paths.get(student).into_iter().flatten() {
            if !path.is_empty() {
                text = text.replace(path, shown);
            }
        }
        self.without_names(student, &text)
    }

    fn without_names(&self, student: usize, text: &str) -> String {
        let places = words(text);
        let mut out = String::with_capacity(text.len());
        let (mut at, mut copied) = (0, 0);
        while at < places.len() {
            let Some((count, whose)) = self.name_at(student, text, &places[at..]) else {
                at += 1;
                continue;
            };
            let (from, to) = (places[at].0, places[at + count - 1].1);
            out.push_str(&text[copied..from]);
            let digits = self.digits[whose].chars().cycle();
            out.extend(digits.take(text[from..to].chars().count()));
            copied = to;
            at += count;
        }
        out.push_str(&text[copied..]);
        out
    }

    /// How many words of the name begin here, and whose it is.
    fn name_at(&self, student: usize, text: &str, places: &[(usize, usize)]) -> Option<(usize, usize)> {
        let word = |(from, to): &(usize, usize)| text[*from..*to].to_lowercase();
        let first = word(places.first()?);
        let fits = |name: &&Name| {
            name.words.len() <= places.len()
                && name.words.iter().zip(places).all(|(known, place)| *known == word(place))
                && places[..name.words.len()].windows(2).all(|pair| {
                    let gap = &text[pair[0].1..pair[1].0];
                    gap.chars().count() <= MAX_GAP && !gap.contains('\n')
                })
        };
        if let Some(name) = self.whole.get(&first).and_then(|names| names.iter().find(fits)) {
            return Some((name.words.len(), name.student));
        }
        self.parts.get(student)?.contains(&first).then_some((1, student))
    }
}
