//! Renders diagnostics as JSON objects.

use crate::{Diagnostic, Edit, Place, Race, RaceAccess, SourceMap, Suggestion, Tried, bounded};

/// An object with `code`, `severity`, `verdict` and `message`, and, where they apply, `file`, `line`, `column`,
/// `end_line`, `end_column` (1-based, the end excluded), `thread`, `block`, `race`, `related`, `notes`, `help`,
/// `suggestions`.
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
    if let Some(race) = &diagnostic.race {
        object["race"] = self::race(map, race);
    }
    let related = diagnostic.labels.iter().skip(1).map(|label| {
        let position = map.position(label.span);
        let file = map.file(label.span.file).name();
        serde_json::json!({ "file": file, "line": position.line, "column": position.column, "message": label.message })
    });
    object["related"] = related.collect();
    object["suggestions"] = suggestions(map, diagnostic);
    object
}

/// The suggestions that were tried. Each has `edits` (a range as in [`Place`], and `replacement`), `message` in
/// words, and `tried` with `result` (`right`, `unknown` or `not-run`) and `message`.
pub fn suggestions(map: &SourceMap, diagnostic: &Diagnostic) -> serde_json::Value {
    let edit = |edit: &Edit| {
        let mut object = serde_json::to_value(Place::of(map, edit.span)).unwrap_or_default();
        object["replacement"] = edit.replacement.as_str().into();
        object
    };
    let one = |suggestion: &Suggestion, tried: Tried| {
        serde_json::json!({
            "edits": suggestion.edits.iter().map(edit).collect::<Vec<_>>(),
            "message": bounded(suggestion.words(map)),
            "tried": { "result": tried.result(), "message": tried.words() },
        })
    };
    diagnostic.suggestions.iter().filter_map(|s| Some(one(s, s.tried?))).collect()
}

/// A race: the element, and both accesses in the order of the run.
fn race(map: &SourceMap, race: &Race) -> serde_json::Value {
    let access = |access: &RaceAccess| {
        let mut object = serde_json::json!({
            "kind": access.kind,
            "thread": access.at.thread,
            "block": access.at.block,
        });
        if let Some(span) = access.span {
            object["file"] = map.file(span.file).name().into();
            object["line"] = map.position(span).line.into();
            object["code"] = bounded(map.text(span).to_owned()).into();
        }
        object
    };
    serde_json::json!({
        "element": race.element,
        "accesses": race.accesses.each_ref().map(access),
    })
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
