//! Finds glossary entries by the user's words, and formats them as text.

use crate::Lab;
use crate::glossary::{Entry, Glossary, key};
use source::Kind;
use source::text::wrap;
use std::collections::HashSet;

/// Maximum number of names suggested for an unknown word.
const PROPOSED: usize = 4;

/// A word that has no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The word as the user wrote it.
    pub word: String,
    /// Similar names, the most similar first.
    pub near: Vec<&'static str>,
}

/// The entry that all words together name; if there is none, the entries that the single words name.
///
/// # Errors
/// A word that has no entry.
pub fn find<'g>(glossary: &'g Glossary, words: &[String]) -> Result<Vec<&'g Entry>, Unknown> {
    let together = words.join(" ");
    if let Some(entry) = glossary.find(&together) {
        return Ok(vec![entry]);
    }
    let each: Vec<_> = words.iter().map(|word| (word.as_str(), glossary.find(word))).collect();
    let unknown = match each.iter().any(|(_, entry)| entry.is_some()) {
        true => each.iter().find(|(_, entry)| entry.is_none()).map(|(word, _)| *word),
        false => Some(together.as_str()),
    };
    let Some(unknown) = unknown else {
        let mut entries: Vec<&Entry> = each.into_iter().filter_map(|(_, entry)| entry).collect();
        let mut seen = HashSet::new();
        entries.retain(|entry| seen.insert(entry.name));
        return Ok(entries);
    };
    Err(Unknown { word: unknown.to_owned(), near: nearest(glossary, unknown) })
}

/// The names of entries similar to a misspelled word, the most similar first.
fn nearest(glossary: &Glossary, word: &str) -> Vec<&'static str> {
    let wanted = key(word);
    let far = wanted.chars().count() / 3 + 1;
    let mut near: Vec<(usize, &'static str)> = glossary
        .keys()
        .filter_map(|(known, name)| {
            let distance = strsim::damerau_levenshtein(&wanted, known);
            // A word that is part of a longer name ranks below a misspelled name.
            let is_part = || wanted.len() > 2 && known.split(' ').any(|part| part == wanted);
            (distance <= far).then_some(distance).or_else(|| is_part().then_some(far + 1)).map(|d| (d, name))
        })
        .collect();
    near.sort_unstable();
    let mut seen = HashSet::new();
    let names = near.into_iter().map(|(_, name)| name).filter(|name| seen.insert(*name));
    names.take(PROPOSED).collect()
}

/// One entry in full, in lines of at most `width` columns; `bold` emphasises its heading.
pub fn text(entry: &Entry, labs: &[Lab], width: usize, bold: impl Fn(&str) -> String) -> String {
    let mut head = bold(wrap("", &heading(entry), width).trim_end());
    if !entry.aliases.is_empty() {
        head = format!("{head}\n{}", wrap("Also: ", &entry.aliases.join(", "), width).trim_end());
    }
    let mut blocks = vec![head];
    if entry.code.is_some_and(|code| code.kinds()[0] == Kind::Unsupported) {
        let whose = "The program may be correct: the simulator cannot do this yet.";
        blocks.push(wrap("", whose, width).trim_end().to_owned());
    }
    blocks.extend(parts(entry.text).map(|part| match part {
        Part::Prose(text) => wrap("", &text, width).trim_end().to_owned(),
        Part::Code(lines) => {
            let lines = lines.iter().map(|line| format!("    {line}").trim_end().to_owned());
            lines.collect::<Vec<_>>().join("\n")
        }
    }));
    let asked = asked(entry, labs);
    if !asked.is_empty() {
        let lines = asked.iter().map(|(exercise, asks)| wrap(&format!("  {exercise}: "), asks, width));
        blocks.push(format!("Exercises with this gate\n{}", lines.collect::<String>().trim_end()));
    }
    blocks.push(references(entry, width));
    blocks.join("\n\n")
}

/// Related entries, and the pages of the book that explain this one.
fn references(entry: &Entry, width: usize) -> String {
    let mut lines = Vec::new();
    if !entry.related.is_empty() {
        lines.push(wrap("See also: ", &entry.related.join(", "), width).trim_end().to_owned());
    }
    lines.extend(entry.pages.iter().map(|(title, page)| format!("In the book: {title}, docs/src/{page}")));
    lines.join("\n")
}

/// The heading: the name, and for a diagnostic's code its form in messages with its title.
fn heading(entry: &Entry) -> String {
    let Some(code) = entry.code else { return entry.name.to_owned() };
    let severity = match code.kinds()[0] {
        Kind::Error | Kind::Unsupported => "error",
        Kind::Warning => "warning",
    };
    format!("{severity}[{code}]: {}", code.title())
}

/// A part of an explanation.
enum Part {
    /// A paragraph, to be wrapped.
    Prose(String),
    /// Lines of code, to be shown as they are.
    Code(Vec<&'static str>),
}

/// The paragraphs and blocks of code of a Markdown text.
fn parts(text: &'static str) -> impl Iterator<Item = Part> {
    text.split("```").enumerate().flat_map(|(i, part)| -> Vec<Part> {
        // Every second part is a code block; the word after its fence names the language.
        if i % 2 == 1 {
            return vec![Part::Code(part.lines().skip(1).collect())];
        }
        let paragraphs = part.split("\n\n").map(|p| p.split_whitespace().collect::<Vec<_>>().join(" "));
        paragraphs.filter(|p| !p.is_empty()).map(Part::Prose).collect()
    })
}

/// For a gate: the exercises that have it, with their requirements.
pub fn asked(entry: &Entry, labs: &[Lab]) -> Vec<(String, String)> {
    let exercises = labs.iter().flat_map(|lab| lab.exercises.iter().map(move |exercise| (lab, exercise)));
    let gates = exercises.flat_map(|(lab, exercise)| {
        let name = format!("{}/{}", lab.package, exercise.name());
        exercise.gates().into_iter().map(move |gate| (name.clone(), gate))
    });
    gates.filter(|(_, gate)| gate.id == entry.name).map(|(exercise, gate)| (exercise, gate.asks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'g>(glossary: &'g Glossary, word: &str) -> &'g Entry {
        glossary.find(word).unwrap()
    }

    #[test]
    fn lines_keep_to_the_width_but_for_code() {
        let glossary = Glossary::new();
        for width in [40, 80, 100] {
            for entry in glossary.entries() {
                let text = text(entry, &[], width, str::to_owned);
                let prose =
                    text.lines().skip(1).filter(|l| !l.starts_with("    ") && !l.starts_with("In the book"));
                for line in prose {
                    let is_one_word = !line.trim().contains(' ');
                    assert!(line.chars().count() <= width || is_one_word, "{width}: {line}");
                }
            }
        }
    }

    #[test]
    fn code_is_shown_as_it_is_written() {
        let glossary = Glossary::new();
        let text = text(entry(&glossary, "out-of-bounds"), &[], 40, str::to_owned);
        assert!(text.contains("\n    if (i < n) out[i] = in[i];      // right\n"), "{text}");
        assert!(!text.contains("```"), "{text}");
    }

    #[test]
    fn misspelled_words_have_near_ones() {
        let glossary = Glossary::new();
        assert_eq!(nearest(&glossary, "wavefornt").first(), Some(&"wavefront"));
        assert_eq!(nearest(&glossary, "shared-memory-rase").first(), Some(&"shared-memory-race"));
        assert!(nearest(&glossary, "overlap").contains(&"tile overlap"));
        assert!(nearest(&glossary, "xylophone orchestra").is_empty());
    }
}
