//! The students of a course, from a table (CSV) as learning management systems and spreadsheets export it.
//!
//! The table is UTF-8, UTF-16 with a byte order mark, or Windows-1252, of which Latin-1 is a part. Its cells are separated by what the row
//! of headers has most of: commas, semicolons or tabs. A row that is wrong is a [`Problem`], and the others count.
//!
//! Names compare after compatibility normalization (NFKC) and case folding (Unicode, UAX 15; case folding as upper and then lower case).

use crate::course::Columns;
use crate::moment::Moment;
use crate::rollup::Problem;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

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
    /// Rows that are wrong.
    problems: Vec<Problem>,
    /// By exact identifier, e-mail address or key, in lower case.
    exact: BTreeMap<String, Vec<usize>>,
    /// By letters and digits of the name, folded, in either order of its parts.
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

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotFound::Unknown => f.write_str("is not on the roster"),
            NotFound::Several(ids) => write!(f, "is the name of several students: {}", ids.join(", ")),
        }
    }
}

impl Roster {
    /// Reads a table. `columns` says which of its columns mean what, and `offset` is that of times without one, in seconds.
    ///
    /// # Errors
    /// If the text cannot be decoded, or a column is missing.
    pub fn parse(bytes: impl AsRef<[u8]>, columns: &Columns, offset: Option<i64>) -> Result<Roster, String> {
        let text = decoded(bytes.as_ref())?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator(&text))
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let headers = reader.headers().map_err(|e| e.to_string())?.clone();
        let places = Places::of(columns, &headers)?;
        let mut roster = Roster::default();
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        let (mut counted, mut line) = (0, 1);
        for row in reader.records() {
            let row = row.map_err(|e| e.to_string())?;
            // The reader's own line is that of the line end before the row.
            let byte = row.position().map_or(0, |position| position.byte() as usize);
            let start = byte + text[byte..].len() - text[byte..].trim_start_matches('\n').len();
            line += text[counted..start].matches('\n').count();
            counted = start;
            // An export of Canvas's gradebook has the most points of each assignment in its first row, and spreadsheets write empty rows.
            if row.get(0) == Some("Points Possible") || row.iter().all(str::is_empty) {
                continue;
            }
            let (entry, time) = places.entry(&row, offset);
            let wrong = if row.len() != headers.len() {
                Some(format!("has {} cells, but the table has {} columns", row.len(), headers.len()))
            } else if entry.id.is_empty() {
                Some("has no identifier".to_owned())
            } else {
                let first = *lines.entry(exact(&entry.id)).or_insert(line);
                (first != line)
                    .then(|| format!("has an identifier that row {first} has already: {}", entry.id))
            };
            let mut add_problem = |what: String| {
                let student = Some(entry.name.clone()).filter(|name| !name.is_empty());
                let reason = format!("row {line} of the roster {what}");
                roster.problems.push(Problem { student, exercise: None, files: Vec::new(), reason });
            };
            if let Some(what) = wrong {
                add_problem(format!("{what}; it is left out"));
                continue;
            }
            if let Err(e) = time {
                add_problem(format!("has a time of submission that does not count: {e}"));
            }
            roster.add(entry);
        }
        Ok(roster)
    }

    /// Rows that are wrong, in the order of the table.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn add(&mut self, entry: Entry) {
        let at = self.entries.len();
        let keys = [&entry.id, &entry.email, &entry.login, &entry.canvas_id].into_iter().chain(&entry.keys);
        for key in keys.filter(|key| !key.is_empty()) {
            let known = self.exact.entry(exact(key)).or_default();
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
        let found = self.exact.get(&exact(key));
        match found.or_else(|| self.named.get(&folded(key))).map(Vec::as_slice) {
            Some([one]) => Ok(*one),
            Some(several) => {
                Err(NotFound::Several(several.iter().map(|at| self.entries[*at].id.clone()).collect()))
            }
            None => Err(NotFound::Unknown),
        }
    }
}

/// A text in which equal letters are spelled equally, without blanks around it.
fn exact(text: &str) -> String {
    let upper = text.trim().nfkc().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).nfkc().collect()
}

/// Letters and digits of a name, folded; Canvas names files so.
pub(crate) fn folded(name: &str) -> String {
    exact(name).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The text of a table, with `\n` as the only line end. What is neither UTF-8 nor marked as UTF-16 is Windows-1252.
fn decoded(bytes: &[u8]) -> Result<String, String> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let text: Result<String, _> = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
        let is_whole = rest.is_empty();
        text.ok().filter(|_| is_whole).ok_or("this begins like UTF-16 text, but is not")
    };
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        [0, _, ..] | [_, 0, ..] => return Err("a table in UTF-16 needs a byte order mark".to_owned()),
        [0xef, 0xbb, 0xbf, rest @ ..] | rest => match std::str::from_utf8(rest) {
            Ok(text) => text.to_owned(),
            Err(_) => rest.iter().map(|byte| windows_1252(*byte)).collect(),
        },
    };
    Ok(text.nfc().collect::<String>().replace("\r\n", "\n").replace('\r', "\n"))
}

/// A character of Windows-1252 (WHATWG, Encoding Standard, index windows-1252).
fn windows_1252(byte: u8) -> char {
    const FROM_80: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    match byte {
        0x80..=0x9f => FROM_80.chars().nth(usize::from(byte - 0x80)).unwrap_or_default(),
        _ => char::from(byte),
    }
}

/// What separates cells: of `,`, `;` and tabs, the one that the first row has most of outside quotation marks.
fn separator(text: &str) -> u8 {
    let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let outside: String = head.split('"').step_by(2).collect();
    let count = |separator: &u8| outside.bytes().filter(|byte| byte == separator).count();
    // Of equal counts, the last one is taken.
    b"\t;,".iter().copied().max_by_key(count).unwrap_or(b',')
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

    /// The student of a row, and what is wrong with the time of submission.
    fn entry(&self, row: &csv::StringRecord, offset: Option<i64>) -> (Entry, Result<(), String>) {
        let cell = |at: usize| row.get(at).unwrap_or_default().to_owned();
        let optional = |at: Option<usize>| at.map(cell).unwrap_or_default();
        let parts: Vec<String> =
            self.name.iter().map(|at| cell(*at)).filter(|part| !part.is_empty()).collect();
        let name = parts.join(" ");
        let id = self.id.map_or_else(|| name.clone(), cell);
        let (time, result) = match optional(self.time) {
            text if text.is_empty() => (None, Ok(())),
            text => match Moment::parse(&text, offset) {
                Ok(time) => (Some(time), Ok(())),
                Err(e) => (None, Err(e)),
            },
        };
        let keys = self.keys.iter().map(|at| cell(*at)).filter(|key| !key.is_empty()).collect();
        let entry = Entry {
            id,
            name,
            email: optional(self.email),
            login: optional(self.login),
            canvas_id: optional(self.canvas_id),
            section: optional(self.section),
            keys,
            time,
            parts,
        };
        (entry, result)
    }
}
