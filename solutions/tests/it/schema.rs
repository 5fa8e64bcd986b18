//! Reports against the published schema of results, `docs/src/grade.schema.json`: every field is described, and none may go.
//!
//! The reports of the solutions and starters are checked where they are graded, in [`crate::grades`].

use crate::edited;
use crate::json_schema::{errors, published, strict};
use crate::small::Small;
use harness::{ExerciseReport, Options};
use serde_json::Value;
use std::sync::OnceLock;

/// That a report is as the schema says, and has no field that it does not describe.
pub(crate) fn follows(report: &ExerciseReport) {
    static STRICT: OnceLock<Value> = OnceLock::new();
    let value = serde_json::to_value(report).unwrap();
    let wrong = errors(STRICT.get_or_init(strict), &value);
    assert!(wrong.is_empty(), "docs/src/grade.schema.json does not fit: {wrong:#?}");
}

/// The report of an exercise of lab 1 after an edit of its solution.
fn edited_report(name: &str, from: &str, to: &str) -> Value {
    let lab = solutions::lab("lab_1_stencil");
    let options = Options { extras: false, recording: true, ..Options::default() };
    let exercise = Small { exercise: lab.exercise(name).unwrap(), seed: options.seed };
    let solution = edited::text(&solutions::paths().solution(&lab, name));
    let text = if from.is_empty() { solution } else { solution.replace(from, to) };
    let report = edited::graded(&lab, &exercise, &text, &options);
    follows(&report);
    serde_json::to_value(report).unwrap()
}

/// A report with diagnostics that have a thread and labels, and gates that were not reached.
fn racing() -> Value {
    edited_report("adjacent_difference", "__syncthreads();", "")
}

/// Pointers to every field of every object.
fn fields(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let at = format!("{at}/{name}");
                fields(value, &at, found);
                found.push(at);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| fields(item, &format!("{at}/{i}"), found));
        }
        _ => {}
    }
}

/// Fields of a diagnostic that it has only where it is about a place, a thread or a race; and of the accesses of a race.
const OPTIONAL: [&str; 9] =
    ["file", "line", "column", "end_line", "end_column", "thread", "block", "race", "suggestions"];
const OPTIONAL_IN_RACE: [&str; 3] = ["file", "line", "code"];

#[test]
fn a_field_that_goes_or_is_renamed_is_noticed() {
    let (published, strict) = (published(), strict());
    let mut count = 0;
    let has_race = |report: &Value| !report["diagnostics"][0]["json"]["race"].is_null();
    let has_warps = |report: &Value| ["accesses", "branches"].iter().all(|name| !report[name][0].is_null());
    assert!(has_race(&racing()) && has_warps(&edited_report("naive", "", "")));
    // What passes has gates, counters, lines and accesses.
    for report in [racing(), edited_report("naive", "", "")] {
        let mut all = Vec::new();
        fields(&report, "", &mut all);
        count += all.len();
        for pointer in all {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            // Its fields are the profiler's names.
            if parent.ends_with("/profiler") {
                continue;
            }
            let mut changed = report.clone();
            let object = changed.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            let value = object.remove(name).unwrap();
            let may_go = parent.ends_with("/json") && OPTIONAL.contains(&name)
                || parent.contains("/race/accesses/") && OPTIONAL_IN_RACE.contains(&name);
            assert_eq!(errors(&published, &changed).is_empty(), may_go, "without {pointer}");
            let object = changed.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            object.insert(format!("{name}_"), value);
            assert!(!errors(&strict, &changed).is_empty(), "{pointer} renamed");
        }
    }
    assert!(count > 500, "only {count} fields");
}

#[test]
fn values_of_another_kind_are_noticed() {
    let report = racing();
    let schema = published();
    for (pointer, value) in [
        ("/schema", 1.into()),
        ("/score", 101.into()),
        ("/score", Value::Null),
        ("/score", 0.5.into()),
        ("/status", "skipped".into()),
        ("/checks/0/status", "error".into()),
        ("/checks/0/credit", 2.into()),
        ("/case/sizes/0", Value::Array(vec!["n".into()])),
        ("/diagnostics/0/json/thread", Value::Array(vec![0.into()])),
        ("/diagnostics/0/json/labels/0/line", "3".into()),
        ("/metrics", Value::Null),
        ("/seed", (-1).into()),
    ] {
        let mut changed = report.clone();
        *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("there is no {pointer}")) = value.clone();
        assert!(!errors(&schema, &changed).is_empty(), "{pointer} is {value}");
    }
    assert!(errors(&schema, &report).is_empty());
}

/// Every field has a description: its own, or that of what it refers to.
#[test]
fn every_field_is_described() {
    fn described(root: &Value, schema: &Value, at: &str) {
        let target = schema["$ref"].as_str().map(|path| root.pointer(&path[1..]).unwrap());
        let has_words =
            |schema: &Value| schema["description"].as_str().is_some_and(|text| text.ends_with('.'));
        assert!(has_words(schema) || target.is_some_and(has_words), "{at} has no description");
    }
    let schema = published();
    let mut count = 0;
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        described(&schema, definition, name);
        for (field, of_field) in definition["properties"].as_object().into_iter().flatten() {
            described(&schema, of_field, &format!("{name}/{field}"));
            count += 1;
        }
    }
    assert!(count > 120, "only {count} fields");
}
