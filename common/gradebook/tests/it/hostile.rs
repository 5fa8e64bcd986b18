//! Whatever texts students write, other parsers read back what was meant, and no program takes it for more than text.

use crate::formats::follows_junit_schema;
use crate::support::{HOSTILE, check, diagnostic, error, report, written};
use figure::markup::visible;
use gradebook::{Format, Options, cell};
use proptest::prelude::*;
use roxmltree::Document;
use serde_json::{Value, json};

/// Any text; one time in two a hostile one with any text after it.
fn text() -> impl Strategy<Value = String> {
    let hostile = (prop::sample::select(&HOSTILE[..]), any::<String>())
        .prop_map(|(text, more)| format!("{text}{more}"));
    prop_oneof![any::<String>(), hostile]
}

/// A report, or an error, in which every text of a student is hostile.
fn object() -> impl Strategy<Value = Value> {
    (text(), text(), text(), text(), any::<bool>()).prop_map(|(file, message, printed, code, is_graded)| {
        match is_graded {
            false => error(0, &file, &message),
            true => report(
                0,
                &file,
                json!({
                    "status": "failed", "score": 12, "printed": printed, "hint": message, "next": message,
                    "checks": [check("clean", "failed", &message), check("contract", "skipped", &message)],
                    "diagnostics": [diagnostic(&code, &file, 1, &message)],
                }),
            ),
        }
    })
}

/// What a spreadsheet computes, or an import might.
fn is_formula(cell: &str) -> bool {
    cell.trim_start().starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_cell_is_text(text in text()) {
        let cell = cell::text(&text);
        prop_assert!(!is_formula(&cell), "{cell:?}");
        prop_assert!(cell == visible(&text) || cell.strip_prefix('\'') == Some(&visible(&text)), "{cell:?}");
        prop_assert!(!cell.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')));
    }

    /// A reader of RFC 4180 reads the cells that were written.
    #[test]
    fn rows_are_read_back(cells in prop::collection::vec(text(), 1..6)) {
        let row = cell::row(cells.iter().map(String::as_str));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(row.as_bytes());
        let read: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(read.len(), 1, "{:?}", row);
        prop_assert_eq!(read[0].iter().collect::<Vec<_>>(), cells);
    }

    #[test]
    fn csv_stays_a_table(objects in prop::collection::vec(object(), 0..4)) {
        let text = written(Format::Csv, &Options::default(), &objects);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(rows.len(), objects.len());
        for (row, object) in rows.iter().zip(&objects) {
            let expected = cell::text(object["file"].as_str().unwrap());
            prop_assert_eq!(&row[1], expected.as_str());
            prop_assert!(row.iter().all(|cell| !is_formula(cell)), "{:?}", row);
            prop_assert_eq!(&row[5], if object["status"] == "error" { "" } else { "12" });
        }
    }

    /// An XML parser finds the elements that the schema allows, with the texts as they are shown.
    #[test]
    fn junit_stays_well_formed(objects in prop::collection::vec(object(), 0..3)) {
        let text = written(Format::Junit, &Options::default(), &objects);
        let document = Document::parse(&text).unwrap();
        follows_junit_schema(&document);
        let suites: Vec<_> = document.descendants().filter(|n| n.has_tag_name("testsuite")).collect();
        prop_assert_eq!(suites.len(), objects.len());
        for (suite, object) in suites.iter().zip(&objects) {
            let file = visible(object["file"].as_str().unwrap());
            prop_assert_eq!(suite.attribute("file"), Some(file.as_str()));
        }
    }

    #[test]
    fn gradescope_stays_json_and_text(objects in prop::collection::vec(object(), 0..3)) {
        let text = written(Format::Gradescope, &Options::default(), &objects);
        let results: Value = serde_json::from_str(&text).unwrap();
        let tests = results["tests"].as_array().unwrap();
        let graded = objects.iter().filter(|object| object["status"] != "error").count();
        prop_assert_eq!(tests.len(), objects.len() + graded);
        prop_assert_eq!(results.get("score").is_some(), graded > 0);
        prop_assert!(tests.iter().all(|test| test["output_format"] == "text" && test["name_format"] == "text"));
    }

    /// No text of a student is the last line, or looks like one.
    #[test]
    fn autolab_has_one_line_of_scores(objects in prop::collection::vec(object(), 1..3)) {
        let text = written(Format::Autolab, &Options::default(), &objects);
        let lines: Vec<&str> = text.lines().collect();
        let ours = lines.iter().filter(|line| !line.starts_with('|')).count();
        prop_assert_eq!(ours, 2, "{}", text);
        let scores: Value = serde_json::from_str(lines[lines.len() - 1]).unwrap();
        let graded = objects.iter().any(|object| object["status"] != "error");
        prop_assert_eq!(&scores["scores"], &if graded { json!({ "lab-1/naive": 12 }) } else { json!({}) });
        let stages: Value = serde_json::from_str(lines[lines.len() - 2]).unwrap();
        prop_assert_eq!(&stages["_presentation"], "semantic");
    }
}
