//! Transcripts in the book and in the README are what the program prints: pages are replayed, at 80 columns, in a checkout of their own.
//!
//! A page's ```` ```console ```` blocks hold commands after `$ `, continued after a backslash at the end
//! of a line, and what each of them printed. The block after a line
//! `<!-- write FILE NAME -->` replaces the first line of the file with `TODO` in it, as a student would; after `<!-- change FILE NAME -->`
//! it replaces what a block wrote under that name. The block after `<!-- file FILE -->` is a file, and the one after
//! `<!-- fields of FILE -->` has some fields of a JSON file. Without a block, `<!-- copy FILE to FILE -->`
//! copies one, and `<!-- run cargo lab … > FILE -->` runs a command that the page shows elsewhere. `UPDATE_TRANSCRIPTS=1 cargo test -p lab --test it transcript` puts the program's answers into the pages.
//!
//! Only `cargo lab` runs, with its output shown or written to a file (`> FILE`), and `grep -v TEXT FILE > FILE`,
//! which the test performs itself. Results that depend on the computer, such as a measured time, must not appear in a
//! transcript.

use crate::support::Project;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Columns of the terminal.
const WIDTH: usize = 80;

/// The checkout in which a page's commands run.
struct Reader {
    project: Project,
    /// The last text written under each name.
    written: HashMap<String, String>,
}

impl Reader {
    /// Runs a command; returns its output, then its errors.
    fn run(&self, line: &str) -> String {
        let words = line.split_whitespace().filter(|word| *word != "\\");
        let words: Vec<&str> = words.map(|word| word.trim_matches('\'')).collect();
        if let ["grep", "-v", text, from, ">", to] = words[..] {
            let kept = self.project.read(from);
            let kept = kept.lines().filter(|line| !line.contains(text)).map(|line| format!("{line}\n"));
            self.project.write(to, kept.collect::<String>());
            return String::new();
        }
        let (words, file) = match words[..] {
            [ref command @ .., ">", file] => (command, Some(file)),
            ref command => (command, None),
        };
        let Some(arguments) = words.strip_prefix(&["cargo", "lab"]) else {
            panic!(
                "`{line}`: a transcript runs `cargo lab` and `grep -v TEXT FILE > FILE`, and nothing else"
            );
        };
        let mut command = self.project.command(arguments);
        let output = command.env("COLUMNS", WIDTH.to_string()).env("NO_COLOR", "1").output().unwrap();
        if let Some(file) = file {
            self.project.write(file, output.stdout);
            return String::from_utf8(output.stderr).unwrap();
        }
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        let wide = text.lines().find(|line| line.chars().count() > WIDTH);
        assert_eq!(wide, None, "`{line}` prints more than {WIDTH} columns");
        text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
    }

    /// Executes a directive that applies to the block after it.
    fn edit(&mut self, directive: &str, block: &str) {
        let words: Vec<&str> = directive.split(' ').collect();
        if let ["file", file] = words[..] {
            return self.project.write(file, block);
        }
        if let ["fields", "of", file] = words[..] {
            let (shown, all) = (serde_json::from_str(block).unwrap(), self.project.read(file));
            let all: Value = serde_json::from_str(&all).unwrap();
            return assert!(is_part(&shown, &all), "{file} has other values than\n{block}\nit has\n{all}");
        }
        let [verb, file, name] = words[..] else {
            panic!(
                "`{directive}` is not `write FILE NAME`, `change FILE NAME`, `file FILE` or `fields of FILE`"
            )
        };
        let text = self.project.read(file);
        let before = match verb {
            "write" => text.lines().find(|line| line.contains("TODO")).map(|line| format!("{line}\n")),
            "change" => self.written.get(name).cloned(),
            _ => panic!("`{verb}` is neither `write` nor `change`"),
        };
        let before = before.unwrap_or_else(|| panic!("{file} has nothing to {verb} for `{directive}`"));
        assert_eq!(text.matches(&before).count(), 1, "{file} does not have this once:\n{before}");
        self.project.write(file, text.replace(&before, block));
        self.written.insert(name.to_string(), block.to_string());
    }
}

impl Reader {
    /// Executes a directive without a block; returns whether it is one.
    fn prepare(&self, directive: &str) -> bool {
        if let Some((from, to)) = directive.strip_prefix("copy ").and_then(|files| files.split_once(" to ")) {
            self.project.write(to, self.project.read(from));
            return true;
        }
        let command = directive.strip_prefix("run ");
        command.inspect(|command| drop(self.run(command))).is_some()
    }
}

/// Whether a value has the same fields as another, or fewer.
fn is_part(shown: &Value, all: &Value) -> bool {
    match (shown, all) {
        (Value::Object(shown), Value::Object(all)) => {
            shown.iter().all(|(name, value)| all.get(name).is_some_and(|all| is_part(value, all)))
        }
        (Value::Array(shown), Value::Array(all)) => {
            shown.len() == all.len() && shown.iter().zip(all).all(|(shown, all)| is_part(shown, all))
        }
        // 1 is 1.0.
        (Value::Number(shown), Value::Number(all)) => shown.as_f64() == all.as_f64(),
        _ => shown == all,
    }
}

/// The commands of a block, each with the lines that continue it after a backslash.
fn commands(block: &[&str]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(command.to_owned()),
            (None, Some(command)) if command.ends_with('\\') => command.push_str(&format!("\n{line}")),
            (None, _) => {}
        }
    }
    commands
}

/// Replays a page; returns it with the program's current answers.
fn replay(page: &str) -> String {
    let mut reader = Reader { project: Project::new(), written: HashMap::new() };
    let mut made = String::new();
    let mut directive = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        made.push_str(&format!("{line}\n"));
        if let Some(fence) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let mut text: String = block.iter().map(|line| format!("{line}\n")).collect();
            if fence == "console" {
                let commands = commands(&block);
                text =
                    commands.iter().map(|command| format!("$ {command}\n{}", reader.run(command))).collect();
            } else if let Some(directive) = directive.take() {
                reader.edit(directive, &text);
            }
            made.push_str(&format!("{text}```\n"));
        }
        let comment = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        // `SOLUTION` comments mark text that students do not get (`lab export-course`).
        let comment = comment.filter(|text| !text.ends_with(" SOLUTION") && !reader.prepare(text));
        directive = comment.or(directive);
    }
    assert_eq!(directive, None, "a directive without a block");
    made
}

fn pages() -> [PathBuf; 6] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    [
        "README.md",
        "docs/src/primer.md",
        "docs/src/first-minutes.md",
        "docs/src/watch.md",
        "docs/src/command-line.md",
        "docs/src/gradebook.md",
    ]
    .map(|page| root.join(page))
}

#[test]
fn transcripts_of_the_book_are_what_the_program_prints() {
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(page.contains("```console\n$ "), "{}: there is no transcript", path.display());
        // Blocks without `console` are not compared; they are allowed only for measured times.
        let mut unseen = page.split("```\n$ ").skip(1).filter_map(|rest| rest.split("```").next());
        let unseen = unseen.find(|block| !block.contains("simulated in"));
        assert_eq!(unseen, None, "{}: a transcript is not marked as `console`", path.display());
        let made = replay(&page);
        if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
            std::fs::write(&path, made).unwrap();
        } else if made != page {
            let differing = made.lines().zip(page.lines()).find(|(made, page)| made != page);
            let (made, page) = differing.unwrap_or(("(an end)", "(more lines, or fewer)"));
            panic!(
                "{}: the program prints\n  {made}\nand the page says\n  {page}\n\
                 `UPDATE_TRANSCRIPTS=1 cargo test -p lab --test it transcript` writes it anew",
                path.display()
            );
        }
    }
}
