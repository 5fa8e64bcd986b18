//! `run --show-access`: what single warps of the run access, in characters.

use crate::html;
use figure::report::pictures;
use harness::ExerciseReport;
use source::Failure;

/// The pictures of a report for a terminal, or why there are none.
///
/// # Errors
/// If nothing can be drawn of the report: a defect.
pub(crate) fn text(report: &ExerciseReport) -> Result<String, Failure> {
    let mut text = String::from("\nWhat one warp accesses\n");
    for picture in pictures(&html::drawable(report)?) {
        text.push('\n');
        picture.text.iter().for_each(|line| text.extend([line, "\n"]));
    }
    if report.accesses.is_empty() && report.branches.is_empty() {
        text.push('\n');
        text.push_str(match &report.counters {
            Some(_) => "  no line takes more sectors or passes than it needs, and no branch splits a warp\n",
            None => {
                "  accesses are recorded by the simulator, in a kernel whose results are correct at every size\n"
            }
        });
    }
    Ok(text.trim_end().to_owned())
}
