//! Diagnostics as objects.

use crate::{Diagnostic, SourceMap};

/// An object with `code`, `severity`, `verdict`, `message`, and where they apply `file`, `line`, `column`, `end_line`, `end_column`
/// (1-based, the end excluded), `thread`, `block`, `related`, `notes`, `help`.
pub fn json(map: &SourceMap, diagnostic: &Diagnostic) -> serde_json::Value {
    let mut object = serde_json::json!({
        "code": diagnostic.code.as_str(),
        "severity": diagnostic.severity,
        "verdict": diagnostic.verdict,
        "message": diagnostic.title,
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    });
    if let Some(span) = diagnostic.span() {
        let (position, end) = (map.position(span), map.position(span.after()));
        object["file"] = map.file(span.file).name().into();
        object["line"] = position.line.into();
        object["column"] = position.column.into();
        object["end_line"] = end.line.into();
        object["end_column"] = end.column.into();
    }
    if let Some(at) = diagnostic.thread {
        object["thread"] = serde_json::json!(at.thread);
        object["block"] = serde_json::json!(at.block);
    }
    let related = diagnostic.labels.iter().skip(1).map(|label| {
        let position = map.position(label.span);
        let file = map.file(label.span.file).name();
        serde_json::json!({ "file": file, "line": position.line, "column": position.column, "message": label.message })
    });
    object["related"] = related.collect();
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::tests::sample;

    #[test]
    fn json_has_place_thread_and_related() {
        let (map, d) = sample();
        let value = json(&map, &d);
        assert_eq!((&value["line"], &value["end_line"]), (&1.into(), &1.into()));
        assert_eq!((&value["column"], &value["end_column"]), (&9.into(), &11.into()));
        assert_eq!(value["block"][0], 3);
        assert_eq!(value["related"][0]["line"], 2);
    }
}
