//! JUnit XML after `junit-10.xsd` of Jenkins's xUnit plugin, which GitLab, Azure and others read too: a test suite for each file, a test
//! case for each check. A check that was not judged is skipped, and a file that could not be graded is one test case with an error.

use super::Writer;
use crate::record::{Outcome, Record};
use figure::markup::Element;
use figure::report::{Check, Report, Status};

pub(super) struct Junit;

impl Writer for Junit {
    fn begin(&mut self) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lab grade\">\n".to_owned()
    }

    fn line(&mut self, _: &str, record: &Record) -> String {
        let suite = match &record.outcome {
            Outcome::Graded(report) => graded(record, report),
            Outcome::NotGraded { error, help } => {
                let class = record.id().map_or("lab".to_owned(), |id| id.replace('/', "."));
                let error =
                    Element::new("error").attr("type", "not-graded").attr("message", error).text(help);
                let case = Element::new("testcase").attr("classname", class).attr("name", "graded");
                suite(record, [1, 0, 1, 0]).child(case.child(error))
            }
        };
        format!("{suite}\n")
    }

    fn end(&mut self) -> String {
        "</testsuites>\n".to_owned()
    }
}

/// A suite with its numbers of tests, failures, errors and skipped tests.
fn suite(record: &Record, [tests, failures, errors, skipped]: [usize; 4]) -> Element {
    let name = record.id().map_or(record.file.clone(), |id| format!("{id}: {}", record.file));
    let suite = Element::new("testsuite").attr("name", name).attr("file", &record.file);
    let suite = suite.attr("tests", tests).attr("failures", failures);
    suite.attr("errors", errors).attr("skipped", skipped)
}

fn graded(record: &Record, report: &Report) -> Element {
    let count = |status| record.checks(status).count();
    let counts = [report.checks.len(), count(Status::Failed), 0, count(Status::Skipped)];
    let property =
        |(name, value): (&str, String)| Element::new("property").attr("name", name).attr("value", value);
    let known = [
        ("score", report.score.to_string()),
        ("seed", report.seed.to_string()),
        ("device", report.device.name.clone()),
    ];
    let properties = Element::new("properties").children(known.into_iter().map(property));
    let class = format!("{}.{}", report.lab, report.exercise);
    let cases = report.checks.iter().map(|check| case(check, &class));
    let mut suite = suite(record, counts).child(properties).children(cases);
    if !report.printed.is_empty() {
        suite.push(Element::new("system-out").text(&report.printed));
    }
    let diagnostics: Vec<&str> = report.diagnostics.iter().map(|message| &*message.text).collect();
    if !diagnostics.is_empty() {
        suite.push(Element::new("system-err").text(diagnostics.join("\n")));
    }
    suite
}

fn case(check: &Check, class: &str) -> Element {
    let case = Element::new("testcase").attr("classname", class).attr("name", &check.name);
    let first = check.message.lines().next().unwrap_or_default();
    match check.status {
        Status::Passed => case,
        Status::Skipped => case.child(Element::new("skipped").attr("message", first)),
        Status::Failed => {
            let failure = Element::new("failure").attr("type", "check").attr("message", first);
            case.child(failure.text(&check.message))
        }
    }
}
