//! Keys, one at a time, and a terminal that is as before afterwards.
//!
//! `console` reads them, which the progress bar has brought along already; `crossterm` with its events would be nine crates more.
//! It takes line editing and echo off while it waits for a key, but leaves what is printed alone, so that a report needs no carriage returns and
//! a panic's message can be read. Ctrl-C is a key then, too. If the program ends while `console` waits, [`Restore`] restores the modes.
//!
//! Where standard input is not a terminal, its characters are the keys, and its end ends the watch, so editors and tests can drive it.

use console::{Key, Term};
use std::io::{self, IsTerminal, Read};
use std::thread;

/// What Ctrl-C is read as.
pub(super) const INTERRUPT: char = '\x03';

/// What Ctrl-D is read as.
pub(super) const END_OF_TRANSMISSION: char = '\x04';

/// Whether a key ends the watch on every page. The thread that reads keys ends with it.
pub(super) fn quits(key: char) -> bool {
    matches!(key, 'q' | 'Q' | INTERRUPT | END_OF_TRANSMISSION)
}

/// What comes from standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A key; Enter is a line end, and keys without a character are a zero.
    Pressed(char),
    /// There are no more.
    Ended,
}

/// Reads keys in a thread of its own and gives them to `take`, until it refuses one. Whether they come from a terminal.
pub(super) fn read_keys(take: impl Fn(Input) -> bool + Send + 'static) -> bool {
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
    // A `Term` whose output is not a terminal reads nothing. With none at all there are no keys, and Ctrl-C is a signal.
    let Some(term) = [Term::stdout(), Term::stderr()].into_iter().find(Term::is_term) else { return false };
    thread::spawn(move || {
        loop {
            let key = match term.read_key_raw() {
                Ok(Key::Char(c)) => c,
                Ok(Key::Enter) => '\n',
                Ok(Key::CtrlC) => INTERRUPT,
                Ok(_) => '\0',
                Err(_) => {
                    take(Input::Ended);
                    return;
                }
            };
            if !take(Input::Pressed(key)) || quits(key) {
                return;
            }
        }
    });
    true
}

/// Restores the terminal's modes when it is dropped, in a panic, too.
pub(super) struct Restore {
    #[cfg(unix)]
    modes: Option<rustix::termios::Termios>,
}

impl Restore {
    /// Remembers the modes, if standard input is a terminal.
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
            // If the terminal has gone, there is nothing to restore.
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, modes);
        }
    }
}
