//! Hints of an exercise: steps that are shown one after another, and a summary of what the exercise taught.
//!
//! The hints are Markdown. Each first-level heading starts a step; the last heading, `# Learned`, is shown after the
//! exercise is solved:
//!
//! ```text
//! # Which elements does your thread touch?
//!
//! Thread `i` makes one output …
//!
//! # Learned
//!
//! Each element is loaded by …
//! ```
//!
//! Each step reveals more than the previous one, but even the last does not give the solution; the tests of
//! `solutions` check this.

use crate::report::reflow;

/// Heading of the text shown when the exercise is solved.
const LEARNED: &str = "Learned";

/// The hints of one exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The steps, in the order shown.
    pub steps: Vec<Hint>,
    /// What the exercise taught, in one or two sentences, shown after it is solved; may be empty.
    pub learned: &'static str,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The heading's text.
    pub title: &'static str,
    /// Markdown: paragraphs, and items that begin with `- `.
    pub text: &'static str,
}

impl Hints {
    /// Parses a text. An empty text, or one that does not start with a heading, has no steps.
    pub fn of(text: &'static str) -> Hints {
        let mut hints = Hints::default();
        let sections = text.strip_prefix("# ").map(|rest| rest.split("\n# "));
        for section in sections.into_iter().flatten() {
            let (title, text) = section.split_once('\n').unwrap_or((section, ""));
            let (title, text) = (title.trim(), text.trim());
            if title == LEARNED {
                hints.learned = text;
            } else {
                hints.steps.push(Hint { title, text });
            }
        }
        hints
    }

    /// Formats a 0-based step with its number and title, in lines of at most `width` columns; `bold` emphasises the
    /// number. Empty if there is no such step.
    pub fn shown(&self, step: usize, width: usize, bold: impl Fn(&str) -> String) -> String {
        let Some(Hint { title, text }) = self.steps.get(step) else { return String::new() };
        let number = bold(&format!("hint {} of {}", step + 1, self.steps.len()));
        format!("{number}: {title}\n{}", reflow(text, 2, width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_begin_steps_and_the_last_one_is_for_later() {
        let hints = Hints::of("# Look\n\nfirst\n\n- item\n# Plan\nsecond\n\n# Learned\n\nthat\nis it\n");
        let steps =
            vec![Hint { title: "Look", text: "first\n\n- item" }, Hint { title: "Plan", text: "second" }];
        assert_eq!(hints, Hints { steps, learned: "that\nis it" });
    }

    #[test]
    fn a_step_is_shown_under_its_number_and_title() {
        let hints = Hints::of("# Look\n\nat the\nfirst\n# Plan\nahead\n");
        assert_eq!(
            hints.shown(0, 80, |number| format!("*{number}*")),
            "*hint 1 of 2*: Look\n  at the first\n"
        );
        assert_eq!(hints.shown(2, 80, str::to_owned), "");
    }

    #[test]
    fn a_text_without_headings_has_no_steps() {
        assert_eq!(Hints::of(""), Hints::default());
        assert_eq!(Hints::of("words"), Hints::default());
        assert_eq!(Hints::of("# Alone").steps, [Hint { title: "Alone", text: "" }]);
    }
}
