//! Asks the user to choose among several exercises.

use crate::registry::Target;
use std::io::{self, BufRead, IsTerminal, Write};

/// Whether the user can be asked: standard input and standard error are terminals.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks on the terminal; `None` without an answer.
pub(super) fn which<'a>(word: &str, candidates: &[Target<'a>]) -> Option<Target<'a>> {
    answer(word, candidates, &mut io::stdin().lock(), &mut io::stderr().lock()).ok().flatten()
}

/// Lists the candidates with numbers and repeats the question until the answer is one of them. An empty line or the
/// end of the input means no answer.
fn answer<'a>(
    word: &str,
    candidates: &[Target<'a>],
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Option<Target<'a>>> {
    writeln!(output, "`{word}` is an exercise of several labs:")?;
    for (number, target) in (1..).zip(candidates) {
        writeln!(output, "  {number}  {:<28} {}", target.name(), target.exercise.title())?;
    }
    loop {
        write!(output, "Which one? [1-{}] ", candidates.len())?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 || line.trim().is_empty() {
            return Ok(None);
        }
        let number = line.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(target) = number.and_then(|at| candidates.get(at)) {
            return Ok(Some(*target));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn answered(typed: &str) -> (Option<String>, String) {
        let labs = registry::labs();
        let candidates: Vec<Target<'_>> =
            registry::every(&labs).filter(|t| t.exercise.name() == "naive").collect();
        let mut output = Vec::new();
        let target = answer("naive", &candidates, &mut typed.as_bytes(), &mut output).unwrap();
        (target.map(|t| t.name()), String::from_utf8(output).unwrap())
    }

    #[test]
    fn a_number_chooses_and_anything_else_is_asked_again() {
        let (target, output) = answered("2\n");
        assert_eq!(target.as_deref(), Some("lab-2/naive"));
        assert!(output.contains("  1  lab-1/naive") && output.contains("Which one? [1-3] "), "{output}");
        let (target, output) = answered("0\nnaive\n4\n-1\n3\n");
        assert_eq!(target.as_deref(), Some("lab-6/naive"));
        assert_eq!(output.matches("Which one?").count(), 5, "{output}");
    }

    #[test]
    fn no_answer_chooses_nothing() {
        assert_eq!(answered("").0, None);
        assert_eq!(answered("\n1\n").0, None);
    }
}
