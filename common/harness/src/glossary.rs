//! What each word of a report means: diagnostic codes, checks, gates, counters, metrics and terms, each with an explanation.
//!
//! The terms are the book's glossary page, `docs/src/glossary.md`, which is compiled in and read here; the codes come from the table of [`source::Code`]. So there is one text
//! for the book and for `cargo lab explain`. Tests prove that every name that a report can print has an entry.
//!
//! The page's form: groups are headings of level 2, entries headings of level 3. Below its heading an entry may have a line `Also:` with other names, then
//! paragraphs and blocks of code, and at the end a line `See also:` with links to other entries, codes and pages. Anything else, such as a list or a table, is shown as it is
//! written.

use source::Code;
use std::collections::HashMap;

const PAGE: &str = include_str!("../../../docs/src/glossary.md");

/// An explained word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The word, such as `sectors/request` or `shared-memory-race`.
    pub name: &'static str,
    /// Other names of the entry.
    pub aliases: Vec<&'static str>,
    /// The heading that the entry stands under, such as `Counters`.
    pub group: &'static str,
    /// The diagnostic code that the entry explains; `None` for a term.
    pub code: Option<Code>,
    /// Markdown: paragraphs and blocks of code.
    pub text: &'static str,
    /// The names of other entries to look at.
    pub related: Vec<&'static str>,
    /// Pages of the book that contain the entry or tell more about it: title, and path below `docs/src` with an anchor, such as
    /// `lab-7.md#shared`.
    pub pages: Vec<(&'static str, String)>,
}

/// All entries, to be found by any spelling of their names.
pub struct Glossary {
    entries: Vec<Entry>,
    keys: HashMap<String, usize>,
}

impl Glossary {
    /// Reads the page and the table of codes.
    pub fn new() -> Glossary {
        let mut entries: Vec<Entry> = terms().collect();
        for entry in &mut entries {
            let metrics =
                device::PROFILER_METRICS.iter().filter(|metric| entry.names().any(|n| n == metric.counter));
            let names: Vec<_> = metrics.map(|metric| metric.name).collect();
            entry.aliases.extend(names);
        }
        entries.extend(Code::ALL.iter().map(|code| of_code(*code)));
        let mut keys = HashMap::new();
        for (i, entry) in entries.iter().enumerate() {
            for name in entry.names() {
                keys.entry(key(name)).or_insert(i);
            }
        }
        let mut glossary = Glossary { entries, keys };
        glossary.sort_links();
        glossary
    }

    /// All entries: first those of the page, then those of the table of codes, each in its order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry that a word, or several, name. Case, plural, articles, hyphens and the like make no difference; `error[CODE]`,
    /// `correct_33x17`, `gate_ID` and `16-way` are understood as reports print them.
    pub fn find(&self, words: &str) -> Option<&Entry> {
        let words = words.trim();
        let inside = words.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']')).unwrap_or(words);
        let gate = || inside.strip_prefix("gate_").and_then(|id| self.keys.get(&key(id)));
        let case = || inside.strip_prefix("correct_").and_then(|_| self.keys.get(&key("correct_SIZE")));
        let found = self.keys.get(&key(inside)).or_else(gate).or_else(case)?;
        Some(&self.entries[*found])
    }

    /// Each key by which [`Glossary::find`] finds an entry (see [`key`]), with the entry's name.
    pub fn keys(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.keys.iter().map(|(key, i)| (key.as_str(), self.entries[*i].name))
    }

    /// Splits the links of each entry: links to pages of the book move to `pages`, and in `related` the names of entries remain.
    fn sort_links(&mut self) {
        for i in 0..self.entries.len() {
            let links = std::mem::take(&mut self.entries[i].related);
            for link in links {
                let (text, target) = parts(link);
                match (target.filter(|_| !is_entry(link)), self.keys.get(&key(text))) {
                    (Some(page), _) => self.entries[i].pages.push((text, page.to_owned())),
                    (None, Some(found)) => {
                        let name = self.entries[*found].name;
                        self.entries[i].related.push(name);
                    }
                    // A name without an entry: a test rules it out.
                    (None, None) => {}
                }
            }
        }
    }
}

impl Default for Glossary {
    fn default() -> Glossary {
        Glossary::new()
    }
}

impl Entry {
    /// Its name and the other names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// The key of a name, which is equal for all its spellings: its words in lower case, without plural endings, articles, `of`, `per`, `and`
/// and numbers.
pub fn key(text: &str) -> String {
    let all: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| stem(&word.to_lowercase()))
        .collect();
    let skipped = |word: &&String| {
        ["a", "an", "the", "of", "per", "and"].contains(&word.as_str())
            || word.chars().all(|c| c.is_ascii_digit())
    };
    let told: Vec<&str> = all.iter().filter(|word| !skipped(word)).map(String::as_str).collect();
    if told.is_empty() { all.join(" ") } else { told.join(" ") }
}

/// A word without the ends that plurals change: `passes` and `pass`, `caches` and `cache`, `latencies` and `latency`.
fn stem(word: &str) -> String {
    let is_plural =
        word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|e| word.ends_with(e));
    let word = if is_plural { &word[..word.len() - 1] } else { word };
    let word = if word.len() > 3 { word.strip_suffix('e').unwrap_or(word) } else { word };
    match word.strip_suffix('y') {
        Some(rest) if word.len() > 3 => format!("{rest}i"),
        _ => word.to_owned(),
    }
}

fn terms() -> impl Iterator<Item = Entry> {
    let groups = PAGE.split("\n## ").skip(1).filter_map(|group| group.split_once('\n'));
    groups.flat_map(|(group, text)| {
        let sections = text.split("\n### ").skip(1).filter_map(|section| section.split_once('\n'));
        sections.map(move |(heading, text)| {
            let (aliases, text, related) = body(text);
            let pages = vec![("Glossary", format!("glossary.md#{}", anchor(heading)))];
            Entry { name: plain(heading), aliases, group, code: None, text, related, pages }
        })
    })
}

fn of_code(code: Code) -> Entry {
    let (aliases, text, related) = body(code.explanation());
    let title = match code.page().split('.').next() {
        Some("races") => "What counts as a race",
        Some("supported") => "What is supported",
        Some("simulator") => "How the simulator works",
        _ => "Messages",
    };
    let pages = vec![(title, code.page().to_owned())];
    Entry { name: code.as_str(), aliases, group: code.group(), code: Some(code), text, related, pages }
}

/// Splits the text below a heading into the other names (line `Also:`), the explanation and the links (line `See also:`).
fn body(text: &'static str) -> (Vec<&'static str>, &'static str, Vec<&'static str>) {
    let text = text.trim();
    let (aliases, text) = match text.strip_prefix("Also: ") {
        Some(rest) => rest.split_once('\n').unwrap_or((rest, "")),
        None => ("", text),
    };
    let (text, related) = text.rsplit_once("See also: ").unwrap_or((text, ""));
    let aliases = aliases.split(", ").map(plain).filter(|name| !name.is_empty());
    let related = related.split(", ").map(str::trim).filter(|link| !link.is_empty());
    (aliases.collect(), text.trim(), related.collect())
}

/// A name without its back quotes.
fn plain(name: &'static str) -> &'static str {
    name.trim().trim_matches('`')
}

/// The text and the target of a link. A plain name has no target.
fn parts(link: &'static str) -> (&'static str, Option<&'static str>) {
    let inner =
        link.strip_prefix('[').and_then(|rest| rest.strip_suffix(')')).and_then(|l| l.split_once("]("));
    inner.map_or((plain(link), None), |(text, target)| (plain(text), Some(target)))
}

/// Whether a link is to an entry, of the glossary or of the table of codes, and not to a page that tells more.
fn is_entry(link: &'static str) -> bool {
    let (text, target) = parts(link);
    target.is_none_or(|target| target.starts_with('#')) || Code::named(text).is_some()
}

/// The anchor that mdBook gives a heading.
pub fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || "_- ".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_have_one_key() {
        for (one, other) in [
            ("Bank conflicts", "bank-conflict"),
            ("sectors per request", "sectors/request"),
            ("load_sectors_per_request", "load sectors/request"),
            ("latencies", "latency"),
            ("caches", "cache"),
            ("constant passes", "constant pass"),
            ("loads a warp of outputs", "loads per warp of outputs"),
            ("16-way", "ways"),
        ] {
            assert_eq!(key(one), key(other));
        }
        assert_ne!(key("no-object"), key("not-an-object"));
        assert_ne!(key("in_registers"), key("registers"));
        assert_eq!(key("the"), "the");
    }

    #[test]
    fn each_name_leads_to_its_own_entry() {
        let glossary = Glossary::new();
        for entry in glossary.entries() {
            for name in entry.names() {
                assert_eq!(glossary.find(name).map(|e| e.name), Some(entry.name), "{name} is in two entries");
            }
        }
    }

    #[test]
    fn entries_have_text_and_related_ones() {
        for entry in Glossary::new().entries() {
            assert!(entry.text.len() > 30 && !entry.text.contains("]("), "{}: {:?}", entry.name, entry.text);
            assert!(!entry.group.is_empty() && !entry.pages.is_empty());
            assert!(!entry.related.contains(&entry.name), "{} is related to itself", entry.name);
            assert!(entry.code.is_some() || !entry.related.is_empty(), "{} has no related entry", entry.name);
        }
    }

    #[test]
    fn links_lead_to_entries_or_pages() {
        let glossary = Glossary::new();
        let explanations = Code::ALL.iter().map(|code| body(code.explanation()).2);
        let page = PAGE.lines().filter(|line| line.starts_with("See also: ")).map(|line| body(line).2);
        for link in explanations.chain(page).flatten() {
            assert!(!is_entry(link) || glossary.find(parts(link).0).is_some(), "{link} leads nowhere");
        }
    }

    #[test]
    fn words_are_found_as_reports_print_them() {
        let glossary = Glossary::new();
        let found = |words: &str| glossary.find(words).map(|e| e.name);
        assert_eq!(found("error[shared-memory-race]"), Some("shared-memory-race"));
        assert_eq!(found("Shared Memory Race"), Some("shared-memory-race"));
        assert_eq!(found("gate_coalesced_loads"), Some("coalesced_loads"));
        assert_eq!(found("correct_33x17"), Some("correct_SIZE"));
        assert_eq!(found("16-way"), Some("conflict degree"));
        assert_eq!(found("  of the roofline bound "), Some("roofline bound"));
        assert_eq!(found("correct"), Some("correct_SIZE"));
        assert_eq!(found("gate_no_such_gate"), None);
        assert_eq!(found(""), None);
    }
}
