//! Errors about unknown or ambiguous words: they list the possible names, the most similar one, and commands to copy.

use super::Selector;
use crate::registry::{self, Target};
use harness::{Lab, hyphenated};
use source::Failure;
use std::path::Path;

impl<'a> Selector<'a> {
    /// There is no word, and the current folder is not a lab's.
    pub(super) fn nothing_named(&self) -> Failure {
        Failure::new(
            "no lab or exercise is named",
            format!(
                "write {} or {}; inside a lab's folder the lab need not be named",
                self.command("LAB"),
                self.command("LAB EXERCISE")
            ),
        )
    }

    /// Several labs have an exercise with this name.
    pub(super) fn ambiguous(&self, word: &str, candidates: &[Target<'a>]) -> Failure {
        let labs: Vec<String> = candidates.iter().map(|t| t.lab.number.to_string()).collect();
        Failure::new(
            format!("`{word}` is an exercise of labs {}", labs.join(", ")),
            format!("name the lab too:{}", self.commands(word, candidates)),
        )
    }

    /// The word is neither a lab nor an exercise.
    pub(super) fn unknown(&self, word: &str) -> Failure {
        let is_number =
            word.trim_start_matches("lab").trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
        let what = match word {
            _ if is_number => format!("there is no lab `{word}`"),
            _ if harness::is_kernel_file(word) => {
                format!("there is no file `{word}`, and no exercise of that name")
            }
            _ => format!("there is no lab or exercise `{word}`"),
        };
        let near = if is_number { None } else { self.suggestion(word) };
        Failure::new(what, near.unwrap_or_else(|| self.all_labs()))
    }

    /// The word after a lab is neither one of its exercises nor another lab.
    pub(super) fn no_exercise(&self, lab: &'a Lab, name: &str, word: &str) -> Failure {
        let what = format!("{} has no exercise `{name}`", lab.package);
        let names: Vec<String> = lab.exercises.iter().map(|e| hyphenated(e.name())).collect();
        let near = source::nearest(&stem(name), names.iter().map(String::as_str));
        let near = near.and_then(|near| lab.exercise_called(near));
        let elsewhere = self.exercises_called(name);
        let all: Vec<&str> = lab.exercises.iter().map(|e| e.name()).collect();
        let all = format!("its exercises are {}", all.join(", "));
        let help = match near {
            Some(exercise) => {
                let replacement =
                    if word == name { exercise.name().to_owned() } else { Target { lab, exercise }.words() };
                format!("{all}; did you mean `{}`?{}", exercise.name(), self.copied(word, &replacement))
            }
            None if !elsewhere.is_empty() => {
                let commands: Vec<String> = elsewhere.iter().map(|t| self.command(&t.words())).collect();
                format!("another lab has it: {}; {all}", commands.join(" or "))
            }
            None => all,
        };
        Failure::new(what, help)
    }

    /// The path does not exist: it is a misspelt lab or exercise, a folder, or a missing file.
    pub(super) fn no_path(&self, word: &str, parts: &[&str]) -> Failure {
        let path = self.here.join(word);
        if path.is_dir() {
            return Failure::new(
                format!("{word} is a folder, and not one under kernels"),
                format!("`cargo lab grade {word}` grades the kernel files in a folder; {}", self.all_labs()),
            );
        }
        let tail = &parts[parts.len().saturating_sub(2)..];
        let names: Vec<String> = self.labs.iter().flat_map(Lab::names).collect();
        let lab = tail.first().and_then(|first| {
            self.lab_called(first).or_else(|| {
                let near = source::nearest(&hyphenated(first), names.iter().map(String::as_str))?;
                self.lab_called(near)
            })
        });
        let exercise = lab.zip(tail.get(1)).and_then(|(lab, name)| lab.exercise_called(name));
        let replacement = match (lab, exercise) {
            (Some(lab), Some(exercise)) => Some(Target { lab, exercise }.words()),
            (Some(lab), None) if tail.len() == 1 => Some(lab.number.to_string()),
            _ => None,
        };
        let help = match replacement {
            Some(words) => format!("did you mean this?{}", self.copied(word, &words)),
            None => format!("check the path; {}", self.all_labs()),
        };
        Failure::new(format!("there is no file or exercise `{word}`"), help)
    }

    /// A file outside the kernels folder follows a lab.
    pub(super) fn file_after_lab(&self, lab: &Lab, file: &Path) -> Failure {
        let file = file.display();
        let number = lab.number;
        Failure::new(
            format!("{file} is no exercise of {}", lab.package),
            format!(
                "a file in place of an exercise's own is given as `cargo lab run {number} EXERCISE --kernel {file}`"
            ),
        )
    }

    /// A question that suggests the most similar lab or exercise, with the commands that name it.
    fn suggestion(&self, word: &str) -> Option<String> {
        let mut names: Vec<String> = self.labs.iter().flat_map(Lab::names).collect();
        names.extend(registry::every(self.labs).map(|t| hyphenated(t.exercise.name())));
        names.push("all".to_owned());
        let near = source::nearest(&stem(word), names.iter().map(String::as_str))?;
        let targets = self.exercises_called(near);
        let commands = match targets.as_slice() {
            [] => self.copied(word, near),
            several => self.commands(word, several),
        };
        let name = targets.first().map_or(near, |target| target.exercise.name());
        Some(format!("did you mean `{name}`?{commands}"))
    }

    fn all_labs(&self) -> String {
        let known: Vec<String> = self.labs.iter().map(|l| format!("{} ({})", l.number, l.topic())).collect();
        format!("the labs are {}, or `all`; `cargo lab` lists their exercises", known.join(", "))
    }

    /// One command per target, each on its own line.
    fn commands(&self, word: &str, targets: &[Target<'_>]) -> String {
        targets.iter().map(|target| self.copied(word, &target.words())).collect()
    }

    /// The command line with `word` replaced, on its own line. The value of an option stays one word.
    fn copied(&self, word: &str, words: &str) -> String {
        let one = words.replace(' ', "/");
        let mut replaced = false;
        let mut line = vec![source::program().to_owned()];
        for (at, part) in self.line.iter().enumerate() {
            let is_value = at > 0 && self.line[at - 1].starts_with("--");
            let new = match part.strip_suffix(word) {
                Some("") if is_value => Some(one.clone()),
                Some("") => Some(words.to_owned()),
                Some(option) if option.starts_with("--") && option.ends_with('=') => {
                    Some(format!("{option}{one}"))
                }
                _ => None,
            };
            line.push(new.filter(|_| !replaced).inspect(|_| replaced = true).unwrap_or_else(|| quoted(part)));
        }
        if !replaced {
            return format!("\n    {}", self.command(words).trim_matches('`'));
        }
        format!("\n    {}", line.join(" "))
    }

    /// The command line with the targets `words` replaced, in back quotes. Options stay.
    pub(super) fn instead_of(&self, words: &[String], new: &str) -> String {
        let mut rest = words.iter().peekable();
        let is_other = |part: &&String| rest.next_if(|word| word == part).is_none();
        let mut line: Vec<String> = self.line.iter().filter(is_other).map(|part| quoted(part)).collect();
        line.insert(line.len().min(1), new.to_owned());
        source::command(line.join(" "))
    }

    /// This command with other words, in back quotes.
    pub(super) fn command(&self, words: &str) -> String {
        let name = self.line.first().filter(|first| !first.starts_with('-')).map_or("run", String::as_str);
        source::command(format!("{name} {words}"))
    }
}

/// Normalizes a name for comparison; drops `.cu`.
fn stem(word: &str) -> String {
    let word = if harness::is_kernel_file(word) { &word[..word.len() - ".cu".len()] } else { word };
    hyphenated(word)
}

/// Quotes a word for a shell if needed.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=+/.,:@%\\".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
