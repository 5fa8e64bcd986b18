//! Reads single keys, and restores the terminal afterwards.
//!
//! It uses `console`, already a dependency of the progress bar; `crossterm` would add nine crates. While it waits for
//! a key, `console` turns line editing and echo off but leaves output processing on, so reports need no carriage
//! returns and panic messages stay legible. Ctrl-C arrives as a key. If the program ends while `console` waits,
//! [`Restore`] restores the terminal's modes.
//!
//! If standard input is not a terminal, its characters are the keys and its end ends the watch, so that editors and
//! tests can control it.

use console::{Key, Term};
use std::io::{self, IsTerminal, Read};
use std::sync::mpsc;
use std::thread;

/// The character of Ctrl-C.
pub(super) const INTERRUPT: char = '\x03';

/// The character of Ctrl-D.
pub(super) const END_OF_TRANSMISSION: char = '\x04';

/// Whether a key ends the watch on every page. The thread that reads keys also stops at it.
pub(super) fn quits(key: char) -> bool {
    matches!(key, 'q' | 'Q' | INTERRUPT | END_OF_TRANSMISSION)
}

/// The key that opens an editor. The thread that reads keys waits then, because the editor reads the same terminal.
pub(super) const EDIT: char = 'e';

/// The key Escape.
pub(super) const ESCAPE: char = '\x1b';

/// Input from standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A key; Enter is a line end, and keys without a character are zero.
    Pressed(char),
    /// The input ended.
    Ended,
}

/// Starts a thread that reads keys and passes them to `take` until it returns false. After [`EDIT`] it waits for
/// `resume`. Returns whether the keys come from a terminal.
pub(super) fn read_keys(take: impl Fn(Input) -> bool + Send + 'static, resume: mpsc::Receiver<()>) -> bool {
    if !io::stdin().is_terminal() {
        thread::spawn(move || {
            let pressed = |byte: u8| take(Input::Pressed(char::from(byte)));
            let ended = io::stdin().lock().bytes().map_while(Result::ok).all(pressed);
            if ended {
                take(Input::Ended);
            }
        });
        return false;
    }
    // A `Term` reads nothing unless its output is a terminal. Without a terminal there are no keys, and Ctrl-C is a
    // signal.
    let Some(term) = [Term::stdout(), Term::stderr()].into_iter().find(Term::is_term) else { return false };
    thread::spawn(move || {
        loop {
            let key = match term.read_key_raw() {
                Ok(Key::Char(c)) => c,
                Ok(Key::Enter) => '\n',
                Ok(Key::CtrlC) => INTERRUPT,
                Ok(Key::Escape) => ESCAPE,
                Ok(Key::ArrowDown) => 'j',
                Ok(Key::ArrowUp) => 'k',
                Ok(Key::PageDown) => ' ',
                Ok(Key::PageUp) => 'b',
                Ok(Key::Home) => 'g',
                Ok(_) => '\0',
                Err(_) => {
                    take(Input::Ended);
                    return;
                }
            };
            if !take(Input::Pressed(key)) || quits(key) {
                return;
            }
            if key.to_ascii_lowercase() == EDIT && resume.recv().is_err() {
                return;
            }
        }
    });
    true
}

/// Restores the terminal's modes when dropped, also during a panic.
pub(super) struct Restore {
    #[cfg(unix)]
    modes: Option<rustix::termios::Termios>,
}

impl Restore {
    /// Saves the modes, if standard input is a terminal.
    pub(super) fn new() -> Restore {
        Restore {
            #[cfg(unix)]
            modes: rustix::termios::tcgetattr(io::stdin()).ok(),
        }
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(modes) = &self.modes {
            // If the terminal is gone, there is nothing to restore.
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, modes);
        }
    }
}
