//! Pictures of what single warps do, drawn as on the command line and in pages of reports.

use figure::report::{Picture, Recorded};
use serde_json::{Value, json};

/// The pictures of what a launch recorded, by its JSON.
pub(crate) fn drawn(launched: &Value) -> Result<Value, String> {
    let recorded = Recorded::from_json(launched).map_err(|e| e.to_string())?;
    // Each is an object: the SVG element, the same as text, and where it belongs.
    let object = |picture: Picture| {
        json!({
            "line": picture.line,
            "summary": picture.summary,
            "svg": picture.figure.fragment(),
            "text": picture.text.join("\n"),
        })
    };
    Ok(recorded.pictures().into_iter().map(object).collect())
}
