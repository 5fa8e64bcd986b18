//! `cargo lab watch`: the current exercise is graded at once and after each save, and keys do the rest.
//!
//! One thread waits for keys, one grades, and the main thread polls the files, decides (`state`) and draws (`view`).
//! On a terminal a page replaces the previous one, from its head, and keys scroll it; otherwise whole pages follow each
//! other as plain text. No content or absence of a file ends the watch.

mod files;
mod state;
mod terminal;
mod view;

use super::hint;
use super::reset::replace;
use crate::args::RunOptions;
use crate::cache::Cache;
use crate::course::Asked;
use crate::devices;
use crate::finish;
use crate::grading::{self, Detail};
use crate::offered;
use crate::own;
use crate::progress::Progress;
use crate::registry::{self, Target};
use crate::screen::Screen;
use crate::selection::Selector;
use crate::workspace::Workspace;
use clap::Args;
use files::Files;
use harness::report::Style;
use harness::{ExerciseReport, Hints, Lab};
use source::{Failure, text};
use state::{Effect, Event, Index, Key, Page, State};
use std::io::IsTerminal;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};
use terminal::{Input, Restore};
use view::Window;

/// Interval between polls of the files. A save is noticed after two polls.
const LOOK: Duration = Duration::from_millis(100);

/// The note after a key without a meaning.
const KEYS: &str = "That key does nothing here. Keys: h, n, l, f, e, r, Enter and q; j, k, Space and b scroll; Esc goes back.";

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub(crate) struct WatchArgs {
    /// The exercise to begin with, or a lab for its first exercise that is not solved; all labs if left out
    #[arg(value_name = "TARGET", add = offered::targets())]
    pub(crate) targets: Vec<String>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

/// Watches until a key or the end of standard input ends it. After a key, unsolved exercises are not a failure; after
/// the end of the input the last grade counts, because a program that gives no keys wants it.
pub(crate) fn watch(screen: &Screen, workspace: &Workspace, args: &WatchArgs) -> anyhow::Result<bool> {
    workspace.has_labs()?;
    let labs = registry::labs();
    let chosen = Selector::new(&labs, workspace).targets_or_all(&args.targets)?;
    devices::device(&args.options.device(), &args.options.model)?;
    let first = chosen[own::in_hand(&chosen, workspace, &args.options)].name();
    let targets: Vec<Target<'_>> = registry::every(&labs).collect();
    let hand = targets.iter().position(|target| target.name() == first).unwrap_or(0);

    let restore = Restore::new();
    let (sender, receiver) = mpsc::channel();
    let input = sender.clone();
    let (resume, resumed) = mpsc::channel();
    let has_keys = terminal::read_keys(move |key| input.send(Message::Input(key)).is_ok(), resumed);
    let jobs = grade_in_thread(workspace, &args.options, sender);
    // Record the files before the first grading starts, so that no save is missed.
    let mut files = Files::new(targets.iter().map(|target| workspace.kernel(*target)));
    let (state, effects) = State::begin(hand);
    let mut session = Session {
        screen,
        workspace,
        options: &args.options,
        labs: &labs,
        outcomes: targets.iter().map(|_| None).collect(),
        targets,
        state,
        jobs,
        note: None,
        drawn: String::new(),
        first: 0,
        rows: usize::MAX,
        last_run: None,
        status: None,
        has_keys,
        clears: std::io::stdout().is_terminal(),
    };
    let mut goes_on = session.apply(&effects)?;
    let (mut looked, mut size) = (Instant::now(), screen.size());
    let mut has_ended = false;
    while goes_on {
        let event = match receiver.recv_timeout(LOOK) {
            Ok(Message::Input(Input::Pressed(key))) => {
                goes_on = session.pressed(key)?;
                if key.to_ascii_lowercase() == terminal::EDIT {
                    let _ = resume.send(());
                }
                None
            }
            Ok(Message::Input(Input::Ended)) => {
                has_ended = true;
                Some(Event::Ended)
            }
            Ok(Message::Graded(index, outcome)) => {
                session.outcomes[index] = Some(outcome);
                session.last_run = Some(Instant::now());
                Some(Event::Graded)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if let Some(event) = event {
            goes_on = session.handle(&event)?;
        }
        if goes_on && looked.elapsed() >= LOOK {
            looked = Instant::now();
            let saved = files.saved();
            if !saved.is_empty() {
                goes_on = session.handle(&Event::Saved(saved))?;
            } else if size != screen.size() {
                size = screen.size();
                goes_on = session.handle(&Event::Resized)?;
            } else if session.clears && session.status() != session.status {
                session.draw()?;
            }
        }
    }
    drop(restore);
    if !has_ended {
        return Ok(true);
    }
    screen.line(format!(
        "\nThe input ended, so {} ends, too; in a terminal it waits for the next save.",
        source::command("watch")
    ))?;
    Ok(session.has_passed())
}

/// A message from another thread.
enum Message {
    Input(Input),
    Graded(Index, Outcome),
}

/// Outcome of a grading.
enum Outcome {
    /// The report, and whether it is the exercise's first pass.
    Report(Box<ExerciseReport>, bool),
    /// A defect of the tool, or a lost device.
    Failed(String),
}

/// Starts the grading thread, which grades the exercises that it receives one at a time. Each grading may use the
/// whole computer, and later ones reuse the reference's measurements in memory.
fn grade_in_thread(workspace: &Workspace, options: &RunOptions, done: Sender<Message>) -> Sender<Index> {
    let (jobs, orders) = mpsc::channel::<Index>();
    let (workspace, options) = (workspace.clone(), options.clone());
    thread::spawn(move || {
        let labs = registry::labs();
        let targets: Vec<Target<'_>> = registry::every(&labs).collect();
        let how = grading::how(&options, Detail::Verdict, Asked::default());
        for index in orders {
            let target = targets[index];
            let outcome = match own::grade(target, &workspace, &options, &how) {
                Ok(mut graded) => {
                    // The message about a first pass already names the next step, so the report omits it.
                    graded.report.next = graded.report.next.filter(|_| !graded.is_first_pass);
                    Outcome::Report(Box::new(graded.report), graded.is_first_pass)
                }
                Err(failure) => Outcome::Failed(failure.to_string()),
            };
            if done.send(Message::Graded(index, outcome)).is_err() {
                return;
            }
        }
    });
    jobs
}

/// The state machine with everything that it acts on.
struct Session<'a> {
    screen: &'a Screen,
    workspace: &'a Workspace,
    options: &'a RunOptions,
    labs: &'a [Lab],
    targets: Vec<Target<'a>>,
    /// Outcome of the last grading of each exercise.
    outcomes: Vec<Option<Outcome>>,
    state: State,
    jobs: Sender<Index>,
    /// A note on what the last key did, if the page does not show it.
    note: Option<String>,
    /// The last page drawn.
    drawn: String,
    /// The first line shown of the page, 0-based.
    first: usize,
    /// Number of lines of the page that the terminal shows.
    rows: usize,
    /// When the last grading ended.
    last_run: Option<Instant>,
    /// The last status line drawn.
    status: Option<String>,
    has_keys: bool,
    clears: bool,
}

impl Session<'_> {
    /// Handles an event. Returns whether to continue.
    fn handle(&mut self, event: &Event) -> anyhow::Result<bool> {
        if matches!(event, Event::Key(_)) {
            self.note = None;
        }
        if *event != Event::Resized {
            self.first = 0;
        }
        let effects = self.state.handle(event);
        self.apply(&effects)
    }

    /// Handles a typed character, which scrolls the page or is an event. Returns whether to continue.
    fn pressed(&mut self, key: char) -> anyhow::Result<bool> {
        let is_question = self.state.page == Page::Question;
        let first = match key.to_ascii_lowercase() {
            _ if is_question || !self.clears => None,
            'j' => Some(self.first + 1),
            'k' => Some(self.first.saturating_sub(1)),
            ' ' => Some(self.first + self.rows),
            'b' => Some(self.first.saturating_sub(self.rows)),
            'g' => Some(0),
            _ => None,
        };
        let Some(first) = first else { return self.handle(&Event::Key(self.key(key))) };
        self.first = first;
        self.draw()?;
        Ok(true)
    }

    fn apply(&mut self, effects: &[Effect]) -> anyhow::Result<bool> {
        for effect in effects {
            match effect {
                Effect::Grade(index) => self.jobs.send(*index)?,
                Effect::Reveal(index) => {
                    let hints = Hints::of(self.targets[*index].exercise.hints());
                    hint::reveal(self.targets[*index], self.workspace, &hints, false);
                }
                Effect::Restore(index) => self.note = Some(self.restore(self.targets[*index])),
                Effect::Edit(index) => self.note = self.edit(self.targets[*index]),
                Effect::ListKeys => self.note = Some(KEYS.to_owned()),
                Effect::Draw => self.draw()?,
                Effect::Quit => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Maps a typed character to its meaning.
    fn key(&self, key: char) -> Key {
        match key.to_ascii_lowercase() {
            key if terminal::quits(key) => Key::Quit,
            '\n' | '\r' => Key::Again,
            'h' => Key::Hint,
            'n' => Key::Next(self.next()),
            'l' => Key::List,
            'f' => Key::Full,
            'r' => Key::Reset,
            'y' => Key::Yes,
            terminal::EDIT => Key::Edit,
            terminal::ESCAPE => Key::Back,
            _ => Key::Other,
        }
    }

    /// The next exercise that was never solved; if all were, simply the next one.
    fn next(&self) -> Index {
        let progress = Progress::of(self.workspace);
        let count = self.targets.len();
        let others = || (1..count).map(|step| (self.state.hand + step) % count);
        let unsolved = others().find(|index| !progress.is_solved(self.targets[*index]));
        unsolved.or_else(|| others().next()).unwrap_or(self.state.hand)
    }

    /// Restores a starter, and returns a note. The next poll notices the changed file.
    fn restore(&self, target: Target<'_>) -> String {
        let path = self.workspace.kernel(target);
        let restored = self.workspace.starter(target).and_then(|starter| replace(&path, &starter));
        let shown = self.workspace.shown(&path);
        match restored {
            Ok(Some(backup)) => {
                format!("{shown} is the starter again; your file is now {}", self.workspace.shown(&backup))
            }
            Ok(None) => format!("{shown} is restored"),
            Err(failure) => failure.to_string(),
        }
    }

    /// Opens the file in the user's editor and waits for its end. Returns a note if that fails.
    fn edit(&self, target: Target<'_>) -> Option<String> {
        let path = self.workspace.kernel(target);
        let set = ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|v| !v.trim().is_empty()));
        let Some(editor) = set else {
            return Some(format!(
                "No editor is set. Set VISUAL or EDITOR, such as `export EDITOR=nano`; the file is {}.",
                self.workspace.shown(&path)
            ));
        };
        let mut words = editor.split_whitespace();
        let mut command = Command::new(words.next()?);
        command.args(words).arg(&path);
        if !self.has_keys {
            command.stdin(Stdio::null());
        }
        match command.status() {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("The editor `{editor}` ended with {status}.")),
            Err(error) => Some(format!("The editor `{editor}` cannot be started: {error}")),
        }
    }

    /// Whether the current exercise passed at its last grading.
    fn has_passed(&self) -> bool {
        let outcome = self.outcomes[self.state.hand].as_ref();
        outcome.is_some_and(|outcome| matches!(outcome, Outcome::Report(report, _) if report.passed()))
    }

    /// What is graded, or when the last grading ended.
    fn status(&self) -> Option<String> {
        match self.state.grading {
            Some(_) => Some(self.grading()),
            None => self.last_run.map(|time| format!("last run {}", view::ago(time.elapsed()))),
        }
    }

    fn grading(&self) -> String {
        let target = self.targets[self.state.hand];
        format!("Grading {} …", self.workspace.shown(&self.workspace.kernel(target)))
    }

    fn draw(&mut self) -> Result<(), Failure> {
        let page = self.page();
        let drawn = if self.clears {
            self.draw_window(&page)
        } else if page == self.drawn {
            Ok(())
        } else {
            let gap = if self.drawn.is_empty() { "" } else { "\n" };
            self.screen.line(format!("{gap}{}", page.trim_end()))
        };
        self.drawn = page;
        drawn.map_err(|e| Failure::new(format!("cannot draw: {e}"), "run it in a terminal"))
    }

    /// Draws the part of the page that fits above the status line and the keys.
    fn draw_window(&mut self, page: &str) -> std::io::Result<()> {
        self.status = self.status();
        let page = self.screen.fitted(page.trim_end());
        let lines: Vec<&str> = page.lines().collect();
        let mut footer = String::new();
        if self.has_keys {
            let hints = Hints::of(self.targets[self.state.hand].exercise.hints()).steps.len();
            let seen = Progress::of(self.workspace).get(self.targets[self.state.hand]).hints_seen();
            footer = self.screen.fitted(&view::keys(self.screen, self.state.page, (seen, hints)));
        }
        // A blank line and the status line are drawn above the keys, and the cursor stands below them.
        let taken = footer.lines().count() + 3;
        let rows = self.screen.size().map_or(usize::MAX, |(rows, _)| usize::from(rows).saturating_sub(taken));
        let window = Window::new(self.first, rows, lines.len());
        (self.first, self.rows) = (window.first, window.rows);
        let shown = lines.iter().skip(window.first).take(window.rows).copied().collect::<Vec<_>>().join("\n");
        let status: Vec<String> = self.status.iter().cloned().chain(window.position()).collect();
        let status = text::cut(&status.join("; "), self.screen.width);
        self.screen.page(&format!("{shown}\n\n{status}\n{footer}"))
    }

    fn page(&self) -> String {
        let target = self.targets[self.state.hand];
        let mut page = match self.state.page {
            Page::Hints => self.hints(target),
            Page::List => self.list(),
            Page::Question => {
                let shown = self.workspace.shown(&self.workspace.kernel(target));
                format!("Restore the starter of {shown}? Your file is kept beside it as .bak. [y/N]\n")
            }
            Page::Report => self.report(target),
        };
        if let Some(note) = &self.note {
            // On a terminal, the end of the page may be out of sight.
            page = if self.clears { format!("{note}\n\n{page}") } else { format!("{page}\n{note}\n") };
        }
        page
    }

    /// The report on the current exercise; while it is graded, the one before is left standing on a terminal.
    fn report(&self, target: Target<'_>) -> String {
        let is_grading = self.state.grading.is_some();
        let outcome = self.outcomes[self.state.hand].as_ref().filter(|_| self.clears || !is_grading);
        let mut page = match outcome {
            Some(Outcome::Report(report, is_first_pass)) => {
                let verbose = self.state.is_full;
                let mut text = harness::report::text(report, Style { verbose, ..self.screen.style() });
                if *is_first_pass && !is_grading {
                    let progress = Progress::of(self.workspace);
                    let finish = finish::lines(self.screen, self.labs, target, self.workspace, &progress);
                    text.push_str(&format!("\n{finish}\n"));
                }
                text
            }
            Some(Outcome::Failed(failure)) => format!("{failure}\n"),
            None => String::new(),
        };
        if is_grading && !self.clears {
            page.push_str(&format!("\n{}\n", self.screen.bold(&self.grading())));
        }
        page
    }

    fn hints(&self, target: Target<'_>) -> String {
        let hints = Hints::of(target.exercise.hints());
        let seen = Progress::of(self.workspace).get(target).hints_seen();
        hint::text(self.screen, target, &hints, seen)
    }

    fn list(&self) -> String {
        let cache = Cache::new(self.workspace);
        let state = |target: &Target<'_>| own::state(*target, self.workspace, &cache, self.options);
        let all: Vec<_> = self.targets.iter().map(|target| (*target, state(target))).collect();
        let solved = all.iter().filter(|(_, state)| state.is_solved()).count();
        let mut page = view::list(self.screen, &all, self.state.hand, &Progress::of(self.workspace));
        page.push_str(&format!("\n{solved} of {} exercises solved.\n", registry::every(self.labs).count()));
        page
    }
}
