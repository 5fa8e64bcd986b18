//! Diagnostics as objects.

use crate::{Diagnostic, MissingBarrier, Race, RaceAccess, SourceMap, bounded};

/// An object with `code`, `severity`, `verdict`, `message`, and where they apply `file`, `line`, `column`, `end_line`, `end_column`
/// (1-based, the end excluded), `thread`, `block`, `race`, `related`, `notes`, `help`.
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
    object
}

/// The element, both accesses in the order of the run, and where a barrier is missing: `between` two lines, at `loop-start` or `loop-end`,
/// `none` would help, or `unknown`.
fn race(map: &SourceMap, race: &Race) -> serde_json::Value {
    let access = |access: &RaceAccess| {
        let mut object = serde_json::json!({
            "kind": access.kind,
            "thread": access.at.thread,
            "block": access.at.block,
            "next_iteration": access.is_of_next_iteration,
        });
        if let Some(span) = access.span {
            object["file"] = map.file(span.file).name().into();
            object["line"] = map.position(span).line.into();
            object["code"] = bounded(map.text(span).to_owned()).into();
        }
        object
    };
    let barrier = match race.barrier {
        MissingBarrier::Between { after, before } => {
            serde_json::json!({ "place": "between", "after": after, "before": before })
        }
        MissingBarrier::LoopStart => serde_json::json!({ "place": "loop-start" }),
        MissingBarrier::LoopEnd => serde_json::json!({ "place": "loop-end" }),
        MissingBarrier::None => serde_json::json!({ "place": "none" }),
        MissingBarrier::Unknown => serde_json::json!({ "place": "unknown" }),
    };
    serde_json::json!({
        "element": race.element,
        "accesses": race.accesses.each_ref().map(access),
        "barrier": barrier,
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
