//! Hints of an exercise: steps that are shown one after the other, and what the exercise has taught.
//!
//! The text of an exercise's hints is Markdown. Each heading of the first level begins a step, and the last one, `# Learned`, is for
//! those who have solved it:
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
//! A step says more than the one before, and the last one is still short of the solution: the tests of `solutions` compare them.

use crate::report::reflow;

/// The heading of what is said when the exercise is solved.
const LEARNED: &str = "Learned";

/// The hints of one exercise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// In the order in which they are shown.
    pub steps: Vec<Hint>,
    /// What the exercise has taught, one or two sentences, for those who have solved it; may be empty.
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
    /// Takes a text apart. An empty one has no steps, nor has one that does not begin with a heading.
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

    /// A step, counted from 0, under its number and title, in lines of at most `width` columns; `bold` emphasises the number. Nothing
    /// if there is no such step.
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
