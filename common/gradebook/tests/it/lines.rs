//! Reading results: both schemas, both kinds of objects, lines that are bad or cut.

use crate::support::{error, report};
use gradebook::lines::MAX_LINE;
use gradebook::{Lines, Record};
use serde_json::{Value, json};
use std::io::{BufReader, Read};

fn read(text: &[u8]) -> (Vec<Record>, Option<String>, Option<u64>) {
    let mut lines = Lines::new(text, "grades.jsonl");
    let mut records = Vec::new();
    let mut failure = None;
    for line in lines.by_ref() {
        match line {
            Ok(line) => records.push(line.record),
            Err(e) => failure = Some(e.to_string()),
        }
    }
    (records, failure, lines.cut())
}

fn refused(object: Value) -> String {
    let text = format!("{}\n{object}\n", report(0, "a.cu", json!({})));
    let (records, failure, cut) = read(text.as_bytes());
    assert_eq!((records.len(), cut), (1, None), "{object}");
    failure.unwrap_or_else(|| panic!("{object} is read"))
}

#[test]
fn reports_and_errors_of_both_schemas_are_read() {
    let old = report(
        0,
        "a.cu",
        json!({ "schema": 2, "score": 12, "status": "failed", "index": null, "next": null }),
    );
    let old_error =
        json!({ "schema": 2, "file": "b.cu", "status": "error", "score": 0, "error": "no", "help": "do" });
    let known = json!({ "schema": 3, "index": 9, "file": "c.cu", "status": "error", "score": null, "error": "killed", "help": "",
        "lab": "lab-1", "exercise": "naive", "more": [1] });
    let objects = [old, old_error, report(7, "d.cu", json!({})), known];
    let text: String = objects.iter().map(|object| format!("{object}\n\n")).collect();
    let (records, failure, cut) = read(text.as_bytes());
    assert_eq!((failure, cut), (None, None));
    let seen: Vec<_> = records.iter().map(|r| (r.index, r.status(), r.score(), r.id())).collect();
    let id = || Some("lab-1/naive".to_owned());
    let expected = [
        (None, "failed", Some(12), id()),
        // The zero of schema 2 is no score either.
        (None, "error", None, None),
        (Some(7), "passed", Some(100), id()),
        (Some(9), "error", None, id()),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_bad_line_is_named() {
    for (object, message) in [
        (json!(7), "grades.jsonl:2: this is not an object of `lab grade`"),
        (json!({}), "it has no `schema`"),
        (report(1, "b.cu", json!({ "schema": 1 })), "schema 1; this program reads schemas 2 to 4"),
        (report(1, "b.cu", json!({ "schema": 5 })), "schema 5"),
        (report(1, "b.cu", json!({ "score": null })), "`score` is null, not a whole number from 0 to 100"),
        (report(1, "b.cu", json!({ "score": 101 })), "`score` is 101"),
        (report(1, "b.cu", json!({ "checks": "x" })), "invalid type"),
        (report(1, "b.cu", json!({ "index": -1 })), "`index` is -1"),
        (json!({ "schema": 3, "status": "error", "error": "x" }), "the object has no `file`"),
        (json!({ "schema": 3, "status": "error", "file": "x" }), "the object has no `error`"),
        (json!({ "schema": 3, "status": "error", "file": "x", "error": 3 }), "`error` is 3, not a text"),
    ] {
        let failure = refused(object);
        assert!(failure.contains(message), "{failure}");
    }
    let (_, failure, _) = read(b"{\"schema\":3}x\n");
    assert!(failure.unwrap().contains("grades.jsonl:1: this is not JSON"));
    let (_, failure, _) = read(b"\xff\n");
    assert!(failure.unwrap().contains("not UTF-8"));
    let (_, failure, _) = read(format!("{}1{}\n", "[".repeat(100_000), "]".repeat(100_000)).as_bytes());
    assert!(failure.unwrap().contains("recursion limit"));
}

/// Wherever an interrupted run stopped, what is whole is read, and what is cut is said and skipped.
#[test]
fn a_cut_last_line_is_skipped_and_said() {
    let first = format!("{}\n", report(0, "a.cu", json!({})));
    let text = format!("{first}{}\n", error(1, "µ.cu", "killed µ"));
    for end in 0..text.len() {
        let (records, failure, cut) = read(&text.as_bytes()[..end]);
        assert_eq!(failure, None, "{end}");
        let whole = usize::from(end >= first.len() - 1) + usize::from(end >= text.len() - 1);
        let starts_one = end > 0 && end < first.len() - 1 || end > first.len() && end < text.len() - 1;
        assert_eq!((records.len(), cut.is_some()), (whole, starts_one), "{end}");
    }
    // In the middle it is an error.
    let (_, failure, cut) = read(format!("{}\n{first}", &first[..40]).as_bytes());
    assert!(failure.unwrap().contains("grades.jsonl:1: this is not JSON") && cut.is_none());
}

/// Memory is bounded: a line without an end is given up at the limit.
#[test]
fn a_line_without_an_end_is_refused() {
    let endless = BufReader::new(std::io::repeat(b' ').take(2 * MAX_LINE));
    let mut lines = Lines::new(endless, "x");
    let failure = lines.next().unwrap().unwrap_err().to_string();
    assert!(failure.contains("x:1: the line has more than"), "{failure}");
    assert!(lines.next().is_none());
}
