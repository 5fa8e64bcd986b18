//! The program's name in its own messages.
//!
//! The source code writes commands as `cargo lab …`, which works inside the project's folder. An installed program is
//! called `lab`: it calls [`set_program`] once, and [`spelled`] then replaces the name in texts.
//! [`Diagnostic`](crate::Diagnostic) does this for its notes and help; other code uses [`command`] to name a command.

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
