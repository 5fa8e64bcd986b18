//! What the formats hold, read with the parsers of others.

use crate::support::{check, diagnostic, error, report, written};
use figure::report::Status;
use gradebook::{Format, Options, Record};
use roxmltree::{Document, Node};
use serde_json::{Value, json};

/// A kernel that passed, one that failed, one of another exercise, and a file without a grade.
fn objects() -> Vec<Value> {
    let wrong = diagnostic("shared-memory-race", "ada/naive.cu", 3, "two threads use `tile[0]`");
    let checks = [
        check("compiles", "passed", ""),
        check("correct_n1", "failed", "wrong at 3\nof 4"),
        check("gate_loads", "skipped", "not every size is correct"),
    ];
    vec![
        report(
            0,
            "ada/naive.cu",
            json!({ "status": "failed", "score": 37, "checks": checks, "diagnostics": [wrong],
            "printed": "hello\n", "hint": "begin" }),
        ),
        report(1, "ada/shared.cu", json!({ "exercise": "shared" })),
        error(2, "ada/x.cu", "time limit of the system"),
        report(3, "ada/old/naive.cu", json!({ "score": 80, "status": "failed" })),
    ]
}

fn options() -> Options {
    Options {
        points: [("lab-1/shared".to_owned(), 20.0)].into(),
        names: [("lab-1/shared".to_owned(), "Shared (77)".to_owned())].into(),
        assignment: Vec::new(),
    }
}

#[test]
fn jsonl_is_the_lines_themselves() {
    let lines: String = objects().iter().map(|object| format!("{object}\n")).collect();
    assert_eq!(written(Format::Jsonl, &options(), &objects()), lines);
}

#[test]
fn csv_has_a_row_for_each_file() {
    let text = written(Format::Csv, &options(), &objects());
    assert!(text.ends_with("\r\n") && text.matches("\r\n").count() == 5, "{text}");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cell = |row: usize, name: &str| rows[row][headers.iter().position(|h| h == name).unwrap()].to_owned();
    let row =
        |row: usize| ["index", "status", "score", "failed_checks", "diagnostics"].map(|name| cell(row, name));
    assert_eq!(row(0), ["0", "failed", "37", "correct_n1", "shared-memory-race"]);
    assert_eq!(row(1), ["1", "passed", "100", "", ""]);
    // No score, and not a zero.
    assert_eq!(row(2), ["2", "error", "", "", ""]);
    assert_eq!(cell(2, "error"), "time limit of the system");
    assert_eq!(
        [cell(0, "passed"), cell(0, "failed"), cell(0, "skipped"), cell(2, "passed")],
        ["1", "1", "1", ""]
    );
}

/// An element of the schema.
struct XsdElement {
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    children: &'static [&'static str],
}

const fn element(
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    children: &'static [&'static str],
) -> XsdElement {
    XsdElement { name, required, optional, children }
}

/// The elements of `junit-10.xsd` of Jenkins's xUnit plugin: name, attributes, and children.
#[rustfmt::skip]
const XSD: [XsdElement; 10] = [
    element("testsuites", &[], &["name", "time", "tests", "failures", "disabled", "errors"], &["testsuite"]),
    element(
        "testsuite", &["tests"],
        &["name", "failures", "errors", "time", "disabled", "skipped", "skips", "timestamp", "hostname", "id", "package",
            "assertions", "file", "skip", "log", "url"],
        &["testsuite", "properties", "testcase", "system-out", "system-err"],
    ),
    element(
        "testcase", &["name"],
        &["assertions", "time", "timestamp", "classname", "status", "class", "file", "line", "log", "group", "url"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    element("failure", &[], &["type", "message"], &[]),
    element("error", &[], &["type", "message"], &[]),
    element("skipped", &[], &["type", "message"], &[]),
    element("properties", &[], &[], &["property"]),
    element("property", &["name", "value"], &[], &[]),
    element("system-out", &[], &[], &[]),
    element("system-err", &[], &[], &[]),
];

/// That a document follows the schema, and that the counts of each suite are those of its cases.
pub(crate) fn follows_junit_schema(document: &Document<'_>) {
    assert_eq!(document.root_element().tag_name().name(), "testsuites");
    for node in document.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        let XsdElement { required, optional, children, .. } = XSD
            .iter()
            .find(|known| known.name == name)
            .unwrap_or_else(|| panic!("<{name}> is not in the schema"));
        for attribute in node.attributes() {
            assert!(
                [*required, *optional].concat().contains(&attribute.name()),
                "<{name} {}>",
                attribute.name()
            );
        }
        assert!(required.iter().all(|attribute| node.has_attribute(*attribute)), "{node:?}");
        for child in node.children() {
            let mixed = !matches!(name, "testsuites" | "testsuite" | "testcase" | "properties" | "property");
            let fits = if child.is_element() { children.contains(&child.tag_name().name()) } else { mixed };
            assert!(fits || child.text().is_some_and(|text| text.trim().is_empty()), "{child:?} in <{name}>");
        }
        if name == "testsuite" {
            let cases: Vec<Node<'_, '_>> = node.children().filter(|n| n.has_tag_name("testcase")).collect();
            let with = |tag: &str| cases.iter().filter(|c| c.children().any(|n| n.has_tag_name(tag))).count();
            let counts = [cases.len(), with("failure"), with("error"), with("skipped")];
            let said: [usize; 4] = ["tests", "failures", "errors", "skipped"]
                .map(|n| node.attribute(n).unwrap().parse().unwrap());
            assert_eq!(counts, said);
        }
    }
}

#[test]
fn junit_follows_the_published_schema() {
    let text = written(Format::Junit, &options(), &objects());
    let document = Document::parse(&text).unwrap();
    follows_junit_schema(&document);
    let suites: Vec<Node<'_, '_>> = document.descendants().filter(|n| n.has_tag_name("testsuite")).collect();
    let shown = |n: &Node<'_, '_>| {
        ["name", "tests", "failures", "errors", "skipped"].map(|a| n.attribute(a).unwrap().to_owned())
    };
    assert_eq!(shown(&suites[0]), ["lab-1/naive: ada/naive.cu", "3", "1", "0", "1"]);
    assert_eq!(shown(&suites[2]), ["ada/x.cu", "1", "0", "1", "0"]);
    let failure = document.descendants().find(|n| n.has_tag_name("failure")).unwrap();
    assert_eq!(
        (failure.attribute("message"), failure.text()),
        (Some("wrong at 3"), Some("wrong at 3\nof 4"))
    );
    assert!(
        document
            .descendants()
            .any(|n| n.has_tag_name("system-err") && n.text().unwrap().contains("shared-memory-race"))
    );
}

fn gradescope(objects: &[Value]) -> Value {
    serde_json::from_str(&written(Format::Gradescope, &options(), objects)).unwrap()
}

#[test]
fn gradescope_gets_scores_and_texts() {
    let results = gradescope(&objects());
    let tests = results["tests"].as_array().unwrap();
    let shown =
        |at: usize| (&tests[at]["name"], &tests[at]["score"], &tests[at]["max_score"], &tests[at]["status"]);
    assert_eq!(shown(0), (&json!("lab-1/naive"), &json!(37), &json!(100), &json!("failed")));
    assert_eq!(shown(1), (&json!("lab-1/naive: correct_n1"), &Value::Null, &Value::Null, &json!("failed")));
    assert_eq!(shown(2), (&json!("Shared (77)"), &json!(20), &json!(20), &json!("passed")));
    assert_eq!(shown(3), (&json!("ada/x.cu"), &Value::Null, &Value::Null, &Value::Null));
    let output = tests[0]["output"].as_str().unwrap();
    assert!(
        ["Where to begin: begin", "wrong at 3", "shared-memory-race", "Next: edit"]
            .iter()
            .all(|t| output.contains(t))
    );
    // The better of the two files for `naive`, and what was not graded is said.
    assert_eq!(results["score"], 100);
    assert_eq!(results["extra_data"], json!({ "provisional": true, "not_graded": ["ada/x.cu"] }));
    let output = results["output"].as_str().unwrap();
    assert!(
        output.contains("provisional: ada/x.cu") && output.contains("several files for lab-1/naive"),
        "{output}"
    );
    assert_eq!(
        results["leaderboard"][1],
        json!({ "name": "Shared (77), µs modelled (h200)", "value": 15.0, "order": "asc" })
    );
    for key in ["output_format", "test_output_format", "test_name_format"] {
        assert_eq!(results[key], "text");
    }
    assert!(tests.iter().all(|t| t["output_format"] == "text" && t["visibility"] == "visible"));
}

#[test]
fn without_a_grade_gradescope_gets_no_score() {
    let results = gradescope(&objects()[2..3]);
    assert_eq!((results.get("score"), results.get("leaderboard")), (None, None));
    assert_eq!(results["tests"][0].get("score"), None);
    assert_eq!(gradescope(&[])["tests"], json!([]));
}

#[test]
fn autolab_gets_scores_on_the_last_line() {
    let text = written(Format::Autolab, &options(), &objects());
    let lines: Vec<&str> = text.lines().collect();
    let [feedback @ .., presentation, last] = &lines[..] else { panic!("{text}") };
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(
        last,
        json!({ "scores": { "lab-1/naive": 80, "Shared (77)": 20 }, "scoreboard": [100, 80, 20] })
    );
    let presentation: Value = serde_json::from_str(presentation).unwrap();
    assert_eq!(presentation["_presentation"], "semantic");
    assert_eq!(presentation["stages"], json!(["lab-1/naive", "Shared (77)", "ada/x.cu"]));
    assert_eq!(
        presentation["ada/x.cu"],
        json!({ "graded": { "passed": false, "hint": "time limit of the system" } })
    );
    assert_eq!(presentation["Shared (77)"]["compiles"], json!({ "passed": true }));
    assert!(feedback.iter().all(|line| line.starts_with("| ")), "{text}");
    assert!(
        feedback.iter().any(|line| line.contains("lab-1/naive: 37 of 100 points, ada/naive.cu")),
        "{text}"
    );
    assert!(text.contains("| The total is provisional: ada/x.cu could not be graded."), "{text}");
    let nothing = written(Format::Autolab, &options(), &objects()[2..3]);
    assert_eq!(nothing.lines().last(), Some("{\"scores\":{}}"));
}

/// An assignment of two exercises, 120 points in all.
fn assignment() -> Options {
    Options { assignment: ["lab-1/naive", "lab-1/shared"].map(str::to_owned).into(), ..options() }
}

fn autolab_scores(objects: &[Value]) -> (String, Value) {
    let text = written(Format::Autolab, &assignment(), objects);
    let last = text.lines().last().unwrap().to_owned();
    (text, serde_json::from_str(&last).unwrap())
}

#[test]
fn only_the_exercises_of_the_assignment_count() {
    let naive = report(0, "ada/naive.cu", json!({}));
    let other = report(1, "ada/tiled.cu", json!({ "lab": "lab-6", "exercise": "tiled" }));
    let objects = [naive, other];
    let results: Value = serde_json::from_str(&written(Format::Gradescope, &assignment(), &objects)).unwrap();
    assert_eq!(results["score"], 100, "the other file adds nothing");
    let tests = results["tests"].as_array().unwrap();
    let shown: Vec<_> =
        tests.iter().map(|test| (&test["name"], test.get("score"), test.get("max_score"))).collect();
    assert_eq!(
        shown,
        [
            (&json!("lab-1/naive"), Some(&json!(100)), Some(&json!(100))),
            (&json!("lab-6/tiled"), None, None),
            (&json!("Shared (77)"), Some(&json!(0)), Some(&json!(20))),
        ]
    );
    assert_eq!(tests[1]["output"], "not part of this assignment: ada/tiled.cu");
    let output = results["output"].as_str().unwrap();
    assert!(output.contains("Shared (77): not handed in, which counts 0."), "{output}");
    assert!(output.contains("not part of this assignment: ada/tiled.cu (lab-6/tiled)."), "{output}");
    let (text, scores) = autolab_scores(&objects);
    let expected = json!({ "scores": { "lab-1/naive": 100, "Shared (77)": 0 }, "scoreboard": [100, 100, 0] });
    assert_eq!(scores, expected);
    assert!(text.contains("| lab-6/tiled: not part of this assignment, ada/tiled.cu"), "{text}");
    // Every exercise with all points is all points of the assignment, and no more.
    let shared = report(2, "ada/shared.cu", json!({ "exercise": "shared" }));
    assert_eq!(autolab_scores(&[&objects[..], &[shared]].concat()).1["scoreboard"][0], 120);
}

#[test]
fn what_is_missing_is_zero_unless_a_file_may_be_for_it() {
    let gradescope = |objects: &[Value]| -> Value {
        serde_json::from_str(&written(Format::Gradescope, &assignment(), objects)).unwrap()
    };
    let nothing = gradescope(&[]);
    assert_eq!((&nothing["score"], nothing["tests"].as_array().map(Vec::len)), (&json!(0), Some(2)));
    assert!(nothing["output"].as_str().unwrap().starts_with("There is no kernel file"), "{nothing}");
    assert_eq!(autolab_scores(&[]).1["scores"], json!({ "lab-1/naive": 0, "Shared (77)": 0 }));
    // An archive may have either.
    let archive = error(0, "ada/all.zip", "`all.zip` is an archive");
    let unknown = gradescope(std::slice::from_ref(&archive));
    assert_eq!(unknown.get("score"), None);
    assert!(unknown["tests"].as_array().unwrap().iter().all(|test| test.get("score").is_none()), "{unknown}");
    assert_eq!(autolab_scores(std::slice::from_ref(&archive)).1, json!({ "scores": {} }));
    let both = autolab_scores(&[archive, report(1, "ada/naive.cu", json!({}))]);
    assert_eq!(both.1["scores"], json!({ "lab-1/naive": 100 }), "the other one is left to a person");
    assert!(both.0.contains("| Shared (77): no file is known to be for this exercise"), "{}", both.0);
}

#[test]
fn names_of_formats_are_read() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
    }
    assert_eq!(
        "xml".parse::<Format>().unwrap_err(),
        "there is no format `xml`; the formats are jsonl, csv, junit, gradescope, autolab"
    );
}

/// A text of a mebibyte stays readable in what people read, and whole in the lines.
#[test]
fn long_texts_are_cut_for_people() {
    let long = "µ".repeat(1 << 19);
    let object =
        report(0, "a.cu", json!({ "status": "failed", "checks": [check("clean", "failed", &long)] }));
    let record = Record::parse(&object.to_string()).unwrap();
    assert_eq!(record.checks(Status::Failed).next().unwrap().message, long);
    for format in [Format::Gradescope, Format::Autolab] {
        let text = written(format, &options(), std::slice::from_ref(&object));
        assert!(text.len() < 1 << 18 && text.contains("more bytes are not shown"), "{} bytes", text.len());
    }
}
