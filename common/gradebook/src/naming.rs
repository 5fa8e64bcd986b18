//! Whose a file is: patterns of paths.
//!
//! A pattern is a path with fields in braces. It must match the whole path that a result names, so a student cannot pass for another one
//! with folders inside the own folder.
//!
//! | field | what it matches |
//! |---|---|
//! | `{student}` | a name: any characters but `/` |
//! | `{id}` | an identifier: no `/`, `_` or blank |
//! | `{email}` | an identifier with `@` in it |
//! | `{attempt}` | digits: the larger number is the later attempt |
//! | `{time}` | the time of submission ([`moment`](crate::moment)) |
//! | `{late}` | the word `late`, which Canvas writes |
//! | `{number}` | digits that say nothing |
//! | `{lab}`, `{exercise}`, `{file}`, `{any}` | any characters but `/`; what `lab grade` found out about the file counts |
//! | `**/` | any folders, or none |
//! | `[…]` | what may be missing |
//!
//! Each field takes as little as it can. Letters match in upper and lower case.

use crate::moment::Moment;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// A field of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // Named as in patterns.
pub enum Field {
    Student,
    Id,
    Email,
    Attempt,
    Time,
    Late,
    Number,
    Lab,
    Exercise,
    File,
    Any,
    Folders,
}

impl Field {
    const NAMED: [(&str, Field); 11] = [
        ("student", Field::Student),
        ("id", Field::Id),
        ("email", Field::Email),
        ("attempt", Field::Attempt),
        ("time", Field::Time),
        ("late", Field::Late),
        ("number", Field::Number),
        ("lab", Field::Lab),
        ("exercise", Field::Exercise),
        ("file", Field::File),
        ("any", Field::Any),
    ];

    /// How many bytes of a text the field can take at most.
    fn reach(self, text: &str) -> usize {
        let until = |ends: fn(char) -> bool| text.find(ends).unwrap_or(text.len());
        match self {
            Field::Folders => text.len(),
            Field::Student | Field::Lab | Field::Exercise | Field::File | Field::Any => until(|c| c == '/'),
            Field::Id => until(|c| matches!(c, '/' | '_') || c.is_whitespace()),
            Field::Email => until(|c| c == '/' || c.is_whitespace()),
            // What is too large for a number is no attempt of a person.
            Field::Attempt | Field::Number => until(|c| !c.is_ascii_digit()).min(19),
            Field::Time => until(|c| c == '/').min(40),
            Field::Late => until(|c| c == '/').min(4),
        }
    }

    /// Whether a text within that reach can be this field.
    fn takes(self, text: &str) -> bool {
        match self {
            Field::Folders => text.is_empty() || text.ends_with('/'),
            Field::Email => text.contains('@'),
            Field::Time => Moment::parse(text, Some(0)).is_ok(),
            Field::Late => text.eq_ignore_ascii_case("late"),
            _ => !text.is_empty(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Field(Field),
    Optional(Vec<Part>),
}

/// A pattern of paths.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    /// With and without each optional part, those with more parts first.
    variants: Vec<Vec<Part>>,
}

/// Most optional parts, because each doubles the variants.
const MAX_OPTIONAL: usize = 4;

/// Longest path that is matched, bytes: what systems allow.
const MAX_PATH: usize = 4096;

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        let composed: String = text.nfc().collect();
        let parts = parts(&mut composed.as_str(), false)?;
        let fields = fields(&parts);
        for (at, field) in fields.iter().enumerate() {
            let may_repeat = matches!(field, Field::Any | Field::Number | Field::Folders);
            if !may_repeat && fields[..at].contains(field) {
                let name =
                    Field::NAMED.iter().find(|(_, known)| known == field).map_or("", |(name, _)| *name);
                return Err(format!(
                    "`{{{name}}}` appears twice; write `{{any}}` where the text says nothing"
                ));
            }
        }
        if !fields.iter().any(|field| matches!(field, Field::Student | Field::Id | Field::Email)) {
            return Err("it needs `{student}`, `{id}` or `{email}`, to say whose a file is".to_owned());
        }
        let optional = parts.iter().filter(|part| matches!(part, Part::Optional(_))).count();
        if optional > MAX_OPTIONAL {
            return Err(format!("it has {optional} parts in brackets, and may have {MAX_OPTIONAL}"));
        }
        let mut variants = vec![Vec::new()];
        for part in parts {
            match part {
                Part::Optional(inner) => {
                    let with = variants.iter().map(|variant| [variant.clone(), inner.clone()].concat());
                    variants = with.chain(variants.iter().cloned()).collect();
                }
                part => variants.iter_mut().for_each(|variant| variant.push(part.clone())),
            }
        }
        Ok(Pattern { text: text.to_owned(), variants })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the fields are in a path, if it matches.
    pub fn find(&self, path: &str) -> Option<BTreeMap<Field, String>> {
        // A path of Windows, where no name has a slash.
        let path = if path.contains('/') { path.to_owned() } else { path.replace('\\', "/") };
        // macOS decomposes letters with accents in the names of files.
        let path: String = path.trim_start_matches("./").nfc().collect();
        let path = path.as_str();
        if path.len() > MAX_PATH {
            return None;
        }
        self.variants.iter().find_map(|variant| {
            let mut failed = vec![false; (variant.len() + 1) * (path.len() + 1)];
            let mut found = Vec::new();
            matches(variant, path, 0, &mut failed, &mut found).then(|| found.into_iter().collect())
        })
    }
}

/// Whether the parts match the path from byte `at` on. `failed` has what was tried in vain, so the time is bounded whatever the path is.
fn matches(
    parts: &[Part],
    path: &str,
    at: usize,
    failed: &mut [bool],
    found: &mut Vec<(Field, String)>,
) -> bool {
    let state = parts.len() * (path.len() + 1) + at;
    if failed[state] {
        return false;
    }
    let rest = &path[at..];
    let is_match = match parts.split_first() {
        None => rest.is_empty(),
        Some((Part::Text(text), after)) => {
            let head = rest.get(..text.len()).filter(|head| head.eq_ignore_ascii_case(text));
            head.is_some() && matches(after, path, at + text.len(), failed, found)
        }
        Some((Part::Field(field), after)) => {
            let mut ends = (0..=field.reach(rest)).filter(|end| rest.is_char_boundary(*end));
            ends.any(|end| {
                if !field.takes(&rest[..end]) {
                    return false;
                }
                found.push((*field, rest[..end].to_owned()));
                let is_match = matches(after, path, at + end, failed, found);
                if !is_match {
                    found.pop();
                }
                is_match
            })
        }
        // `Pattern::parse` has resolved them.
        Some((Part::Optional(_), _)) => false,
    };
    failed[state] = !is_match;
    is_match
}

/// The fields of parts, in order.
fn fields(parts: &[Part]) -> Vec<Field> {
    let of = |part: &Part| match part {
        Part::Text(_) => Vec::new(),
        Part::Field(field) => vec![*field],
        Part::Optional(inner) => fields(inner),
    };
    parts.iter().flat_map(of).collect()
}

/// The parts up to the end of the text, or of the brackets.
fn parts(rest: &mut &str, in_brackets: bool) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    loop {
        let end = rest.find(['{', '[', ']', '}', '*']).unwrap_or(rest.len());
        if end > 0 {
            parts.push(Part::Text(rest[..end].to_owned()));
        }
        *rest = &rest[end..];
        let Some(next) = rest.chars().next() else {
            return if in_brackets { Err("a `]` is missing".to_owned()) } else { Ok(parts) };
        };
        if let Some(after) = rest.strip_prefix("**/") {
            parts.push(Part::Field(Field::Folders));
            *rest = after;
            continue;
        }
        *rest = &rest[1..];
        match next {
            '{' => parts.push(Part::Field(field(rest)?)),
            '[' if in_brackets => return Err("there are brackets within brackets".to_owned()),
            '[' => parts.push(Part::Optional(self::parts(rest, true)?)),
            ']' if in_brackets => return Ok(parts),
            '*' => return Err("`*` stands only in `**/`; write `{any}` for a part of a name".to_owned()),
            other => return Err(format!("there is a `{other}` with nothing that it closes")),
        }
    }
}

fn field(rest: &mut &str) -> Result<Field, String> {
    let (name, after) = rest.split_once('}').ok_or("a `}` is missing")?;
    *rest = after;
    Field::NAMED.iter().find(|(known, _)| *known == name).map(|(_, field)| *field).ok_or_else(|| {
        let names: Vec<&str> = Field::NAMED.iter().map(|(name, _)| *name).collect();
        format!("there is no field `{{{name}}}`; the fields are {}", names.join(", "))
    })
}
