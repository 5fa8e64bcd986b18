//! Draws accesses of single warps, like the command line and pages of reports.

use figure::report::{Picture, Recorded};
use serde_json::{Value, json};

/// The pictures of a launch, from its JSON.
pub(crate) fn drawn(launched: &Value) -> Result<Value, String> {
    let recorded = Recorded::from_json(launched).map_err(|e| e.to_string())?;
    // Each picture is an object with its line, summary, SVG element and text.
    let object = |picture: Picture| {
        json!({
            "line": picture.line,
            "summary": picture.summary,
            "svg": picture.figure.fragment(),
            "text": picture.text.join("\n"),
        })
    };
    Ok(figure::report::recorded(&recorded).into_iter().map(object).collect())
}
