//! The program's name in its own messages, and where they are read.
//!
//! The source code writes commands as `cargo lab …`, which works inside the project's folder. An installed program is
//! called `lab`: it calls [`set_program`] once, and [`spelled`] then replaces the name in texts.
//! [`Diagnostic`](crate::Diagnostic) does this for its notes and help; other code uses [`command`] to name a command.
//!
//! A page of the book has no command line: it calls [`set_page`] once. Texts that name a command or an option have other
//! words for a page, which name what the page has instead; [`worded`] chooses.

use std::fmt::Display;
use std::sync::OnceLock;

/// The name in the source code's texts.
const WRITTEN: &str = "cargo lab";

static NAME: OnceLock<&'static str> = OnceLock::new();

/// Sets the program's name; only the first call has an effect.
pub fn set_program(name: &'static str) {
    let _ = NAME.set(name);
}

/// The name that users type: `cargo lab`, unless [`set_program`] set another.
pub fn program() -> &'static str {
    NAME.get().copied().unwrap_or(WRITTEN)
}

static PAGE: OnceLock<()> = OnceLock::new();

/// Says that texts are read in a page, which has no command line.
pub fn set_page() {
    let _ = PAGE.set(());
}

/// Whether texts are read in a page.
pub fn is_page() -> bool {
    PAGE.get().is_some()
}

/// Chooses between the words for a terminal and those for a page.
pub fn worded<T>(terminal: T, page: T) -> T {
    if is_page() { page } else { terminal }
}

/// The command with these arguments in back quotes; for `doctor` it is `` `cargo lab doctor` ``.
pub fn command(arguments: impl Display) -> String {
    format!("`{} {arguments}`", program())
}

/// Replaces `cargo lab` in a text by the program's name.
pub fn spelled(text: impl Into<String>) -> String {
    replaced(text.into(), program())
}

fn replaced(text: String, name: &str) -> String {
    if name == WRITTEN { text } else { text.replace(WRITTEN, name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_the_program_as_it_is_called() {
        let text = "`cargo lab doctor` says more, and cargo test is another program".to_owned();
        assert_eq!(replaced(text.clone(), "cargo lab"), text);
        assert_eq!(replaced(text, "lab"), "`lab doctor` says more, and cargo test is another program");
        assert_eq!(command("run 1"), "`cargo lab run 1`");
    }
}
