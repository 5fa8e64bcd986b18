//! What the program is called in its own messages.
//!
//! Texts are written with `cargo lab`, which is how the project's folder is worked in. Where the program is installed and called as `lab`,
//! it says so once ([`set_program`]), and [`spelled`] turns what it prints. [`Diagnostic`](crate::Diagnostic) does so for its notes and help; a
//! text that is made elsewhere names a command by [`command`].

use std::fmt::Display;
use std::sync::OnceLock;

/// The name in the texts.
const WRITTEN: &str = "cargo lab";

static NAME: OnceLock<&'static str> = OnceLock::new();

/// Says what the program is called from now on; only the first call counts.
pub fn set_program(name: &'static str) {
    let _ = NAME.set(name);
}

/// What a user types to call the program: `cargo lab`, unless [`set_program`] said otherwise.
pub fn program() -> &'static str {
    NAME.get().copied().unwrap_or(WRITTEN)
}

/// A command in back quotes, such as `cargo lab doctor` for `doctor`.
pub fn command(arguments: impl Display) -> String {
    format!("`{} {arguments}`", program())
}

/// A text of this project, with the program's name in place of `cargo lab`.
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
