//! The students of a course, from a table (CSV) as learning management systems export it.

use crate::course::Columns;
use crate::moment::Moment;
use std::collections::BTreeMap;

/// A student of the roster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The identifier; the name if the roster has no column of identifiers.
    pub id: String,
    /// The name; may be empty.
    pub name: String,
    /// The e-mail address; may be empty.
    pub email: String,
    /// The name that the student logs in with; may be empty.
    pub login: String,
    /// The identifier within Canvas; may be empty.
    pub canvas_id: String,
    /// The section; may be empty.
    pub section: String,
    /// What else the student is known by, from columns that the course names.
    pub keys: Vec<String>,
    /// When the student submitted, if the roster says so for all files.
    pub time: Option<Moment>,
    /// Parts of the name, as the columns have them.
    pub parts: Vec<String>,
}

/// All students, and how to find them.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    entries: Vec<Entry>,
    /// By exact identifier, e-mail address or key, in lower case.
    exact: BTreeMap<String, Vec<usize>>,
    /// By letters and digits of the name, in lower case, in either order of its parts.
    named: BTreeMap<String, Vec<usize>>,
}

/// Why a name was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFound {
    /// No student is called so.
    Unknown,
    /// Several students are: their identifiers.
    Several(Vec<String>),
}

impl Roster {
    /// Reads a table. `columns` says which of its columns mean what, and `offset` is that of times without one, in seconds.
    ///
    /// # Errors
    /// The line, and what is wrong with it.
    pub fn parse(text: &str, columns: &Columns, offset: Option<i64>) -> Result<Roster, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let headers = reader.headers().map_err(|e| shown(&e))?.clone();
        let places = Places::of(columns, &headers)?;
        let mut roster = Roster::default();
        let mut lines: BTreeMap<String, u64> = BTreeMap::new();
        for row in reader.records() {
            let row = row.map_err(|e| shown(&e))?;
            let line = row.position().map_or(0, csv::Position::line);
            // An export of Canvas's gradebook has the most points of each assignment in its first row.
            if row.get(0) == Some("Points Possible") {
                continue;
            }
            let entry = places.entry(&row, offset).map_err(|e| format!("line {line}: {e}"))?;
            if let Some(first) = lines.insert(entry.id.to_lowercase(), line) {
                return Err(format!("line {line}: `{}` is on line {first} too", entry.id));
            }
            roster.add(entry);
        }
        Ok(roster)
    }

    fn add(&mut self, entry: Entry) {
        let at = self.entries.len();
        let exact = [&entry.id, &entry.email, &entry.login, &entry.canvas_id].into_iter().chain(&entry.keys);
        for key in exact.filter(|key| !key.is_empty()) {
            let known = self.exact.entry(key.to_lowercase()).or_default();
            if known.last() != Some(&at) {
                known.push(at);
            }
        }
        for name in names(&entry) {
            let known = self.named.entry(folded(&name)).or_default();
            if known.last() != Some(&at) {
                known.push(at);
            }
        }
        self.entries.push(entry);
    }

    /// Every student, in the order of the table.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The place of the student who has this identifier, address, key or name. A name may be written without blanks, in lower case,
    /// and with the last name first.
    ///
    /// # Errors
    /// If there is none or more than one.
    pub fn find(&self, key: &str) -> Result<usize, NotFound> {
        let exact = self.exact.get(&key.trim().to_lowercase());
        match exact.or_else(|| self.named.get(&folded(key))).map(Vec::as_slice) {
            Some([one]) => Ok(*one),
            Some(several) => {
                Err(NotFound::Several(several.iter().map(|at| self.entries[*at].id.clone()).collect()))
            }
            None => Err(NotFound::Unknown),
        }
    }
}

/// Letters and digits of a name in lower case, as Canvas names files.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The spellings of a name: as it is, and with the parts the other way round.
pub fn names(entry: &Entry) -> Vec<String> {
    let comma: Vec<String> = entry.name.splitn(2, ',').map(|part| part.trim().to_owned()).collect();
    let parts = if entry.parts.len() > 1 { &entry.parts } else { &comma };
    let reversed: Vec<&str> = parts.iter().rev().map(String::as_str).collect();
    let names = vec![parts.join(" "), reversed.join(" ")];
    names.into_iter().filter(|name| !folded(name).is_empty()).collect()
}

/// Where the columns are in a row.
struct Places {
    id: Option<usize>,
    name: Vec<usize>,
    email: Option<usize>,
    login: Option<usize>,
    canvas_id: Option<usize>,
    section: Option<usize>,
    keys: Vec<usize>,
    time: Option<usize>,
}

impl Places {
    fn of(columns: &Columns, headers: &csv::StringRecord) -> Result<Places, String> {
        let find = |name: &str| headers.iter().position(|header| header.eq_ignore_ascii_case(name));
        let needed = |name: &String| {
            find(name).ok_or_else(|| {
                let known: Vec<&str> = headers.iter().collect();
                format!("line 1: there is no column `{name}`; the columns are {}", known.join(", "))
            })
        };
        let several = |names: &[String]| names.iter().map(needed).collect::<Result<Vec<_>, _>>();
        // A column that the course names must be there; those that are looked for by default may be missing.
        let one = |named: &Option<String>, default: &str| match named {
            Some(name) => needed(name).map(Some),
            None => Ok(find(default)),
        };
        let name = match &columns.name {
            Some(names) => several(names)?,
            None => find("name").into_iter().collect(),
        };
        let keys = several(&columns.keys)?;
        let named = |column: &Option<String>| column.as_ref().map(needed).transpose();
        let places = Places {
            id: one(&columns.id, "id")?,
            name,
            email: one(&columns.email, "email")?,
            login: named(&columns.login)?,
            canvas_id: named(&columns.canvas_id)?,
            section: named(&columns.section)?,
            keys,
            time: named(&columns.time)?,
        };
        if places.id.is_none() && places.name.is_empty() {
            return Err("line 1: there is neither a column `id` nor `name`; [roster] of the course file names the columns".into());
        }
        Ok(places)
    }

    fn entry(&self, row: &csv::StringRecord, offset: Option<i64>) -> Result<Entry, String> {
        let cell = |at: usize| row.get(at).unwrap_or_default().to_owned();
        let optional = |at: Option<usize>| at.map(cell).unwrap_or_default();
        let parts: Vec<String> =
            self.name.iter().map(|at| cell(*at)).filter(|part| !part.is_empty()).collect();
        let name = parts.join(" ");
        let id = match self.id {
            Some(at) => cell(at),
            None => name.clone(),
        };
        if id.is_empty() {
            return Err("the student has no identifier".to_owned());
        }
        let time = match optional(self.time) {
            text if text.is_empty() => None,
            text => Some(Moment::parse(&text, offset)?),
        };
        let keys = self.keys.iter().map(|at| cell(*at)).filter(|key| !key.is_empty()).collect();
        Ok(Entry {
            id,
            name,
            email: optional(self.email),
            login: optional(self.login),
            canvas_id: optional(self.canvas_id),
            section: optional(self.section),
            keys,
            time,
            parts,
        })
    }
}

/// An error of the table with its line.
fn shown(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line}: the row has {len} cells, and the table has {expected_len} columns")
        }
        csv::ErrorKind::Utf8 { pos, .. } => {
            format!("line {}: this is not UTF-8 text", pos.as_ref().map_or(0, csv::Position::line))
        }
        _ => error.to_string(),
    }
}
