//! Rendering of reports: [`text()`] for people, [`concise`] for problem matchers, [`json`] for programs; [`findings`] is what SARIF is made from.

mod brief;
mod compact;
mod compare;
mod findings;
mod next;
mod performance;
mod reflow;
mod style;
mod table;
mod text;
mod verbose;

pub use brief::brief;
pub use compare::{compare, overview};
pub use findings::{concise, findings};
pub(crate) use next::step as next_step;
pub use reflow::reflow;
pub use style::{Style, When, columns};
pub use table::Columns;
pub use text::{more_information, text, text_of_several};

use crate::ExerciseReport;

/// JSON of any number of reports: an object with `schema` and `exercises`.
pub fn json(reports: &[ExerciseReport]) -> serde_json::Value {
    serde_json::json!({ "schema": crate::SCHEMA, "exercises": reports })
}

/// A bar of `#` for `value`: `width` characters for the largest value of its column, fewer in proportion, and at least one for any value
/// above zero.
pub fn bar(value: f64, largest: f64, width: usize) -> String {
    let share = if largest > 0.0 { (value / largest).clamp(0.0, 1.0) } else { 0.0 };
    let cells = (share * width as f64).round() as usize;
    "#".repeat(if value > 0.0 { cells.max(1) } else { 0 })
}

/// A whole number with blanks between thousands: `1 048 576`.
pub(crate) fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    if value < 0.0 { format!("-{text}") } else { text }
}
