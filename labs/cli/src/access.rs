//! `run --show-access` and `launch --show-access`: prints accesses of single warps as text.

use crate::html;
use figure::report::{Picture, Recorded, pictures};
use harness::ExerciseReport;
use serde_json::Value;
use source::Failure;

/// The pictures of a report as text, or the reason why there are none.
///
/// # Errors
/// Says that the report's own JSON cannot be drawn, which is a defect.
pub(crate) fn text(report: &ExerciseReport) -> Result<String, Failure> {
    let none = match &report.counters {
        _ if !(report.accesses.is_empty() && report.branches.is_empty()) => None,
        Some(_) => Some(NO_WASTE),
        None => Some("no drawing yet: fix the wrong results first"),
    };
    Ok(section(&pictures(&html::drawable(report)?), none))
}

/// The pictures of a launch as text, from its JSON.
///
/// # Errors
/// Says that the launch's own JSON cannot be drawn, which is a defect.
pub(crate) fn of_launch(launched: &Value) -> Result<String, Failure> {
    let recorded = Recorded::from_json(launched)
        .map_err(|e| Failure::new(format!("nothing can be drawn of the launch: {e}"), "report it"))?;
    let none = match &launched["counters"] {
        _ if !(recorded.accesses.is_empty() && recorded.branches.is_empty()) => None,
        Value::Null => Some("no drawing: only a launch that the simulator ran to its end has one"),
        _ => Some(NO_WASTE),
    };
    Ok(section(&figure::report::recorded(&recorded), none))
}

const NO_WASTE: &str = "no line takes more sectors or passes than it needs, and no branch splits a warp";

/// Pictures under a heading; `none` says why accesses and branches are missing.
fn section(pictures: &[Picture], none: Option<&str>) -> String {
    let mut text = String::from("\nWhat one warp accesses\n");
    for picture in pictures {
        text.push('\n');
        picture.text.iter().for_each(|line| text.extend([line, "\n"]));
    }
    text.extend(none.map(|why| format!("\n  {why}\n")));
    text.trim_end().to_owned()
}
