//! What Autolab reads from an autograder's standard output: feedback, a line that describes its stages, and on the last line the scores
//! ("Guide for Lab Authors" and "Formatted Feedback" of Autolab's documentation).
//!
//! Every line of feedback begins with a bar, so no text of a student can pass for one of the last two lines.

use super::{Credit, OUTSIDE, Options, Sum, Writer, json_number, subject, told};
use crate::record::{Outcome, Record};
use figure::markup::visible;
use figure::report::Status;
use serde_json::{Map, Value, json};

pub(super) struct Autolab {
    sum: Sum,
    stages: Vec<String>,
    /// By stage, its tests.
    tests: Map<String, Value>,
}

impl Autolab {
    pub(super) fn new(options: Options) -> Autolab {
        Autolab { sum: Sum::new(options), stages: Vec::new(), tests: Map::new() }
    }
}

/// The name of an exercise's problem on Autolab, on one line: that of the course file, or the exercise itself if the
/// course file gives several exercises one name.
fn problem(options: &Options, id: &str) -> String {
    let name = options.name(id);
    let is_shared = options.names.iter().any(|(other, shared)| other != id && shared == name);
    visible(if is_shared { id } else { name }).replace(['\n', '\t'], " ")
}

/// Text in which each line begins with a bar.
fn barred(text: &str) -> String {
    text.lines().map(|line| format!("| {line}\n")).collect()
}

impl Writer for Autolab {
    fn begin(&mut self) -> String {
        String::new()
    }

    fn line(&mut self, _: &str, record: &Record) -> String {
        let credit = self.sum.add(record);
        let id = subject(record);
        let name = problem(&self.sum.options, &id);
        let file = visible(&record.file).replace(['\n', '\t'], " ");
        let score = match credit {
            Credit::Points(points, of) => format!("{} of {} points", json_number(points), json_number(of)),
            Credit::NotGraded => "not graded".to_owned(),
            Credit::Outside => return barred(&format!("{name}: {OUTSIDE}, {file}\n\n")),
        };
        let tests = match &record.outcome {
            Outcome::NotGraded { error, .. } => {
                json!({ "graded": { "passed": false, "hint": visible(error) } })
            }
            Outcome::Graded(report) => {
                let test = |check: &figure::report::Check| match check.status {
                    Status::Passed => (check.name.clone(), json!({ "passed": true })),
                    Status::Failed | Status::Skipped => {
                        let hint = super::cut(visible(&check.message));
                        (check.name.clone(), json!({ "passed": false, "hint": hint }))
                    }
                };
                Value::Object(report.checks.iter().map(test).collect())
            }
        };
        if !self.stages.contains(&name) {
            self.stages.push(name.clone());
        }
        self.tests.insert(name.clone(), tests);
        barred(&format!("{name}: {score}, {file}\n{}\n\n", told(record)))
    }

    fn end(&mut self) -> String {
        let mut presentation = std::mem::take(&mut self.tests);
        presentation.insert("_presentation".to_owned(), "semantic".into());
        presentation.insert("stages".to_owned(), json!(self.stages));
        let points = self.sum.points();
        let score = |(id, points): (&&String, &f64)| (problem(&self.sum.options, id), json_number(*points));
        let scores: Map<String, Value> = points.iter().map(score).collect();
        let mut result = json!({ "scores": scores });
        if let Some(total) = self.sum.total() {
            let columns = points.values().map(|points| json_number(*points));
            result["scoreboard"] = std::iter::once(json_number(total)).chain(columns).collect();
        }
        let remarks: String = self.sum.remarks().iter().map(|remark| barred(remark)).collect();
        format!("{remarks}{}\n{result}\n", Value::Object(presentation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exercise_has_a_problem_of_its_own() {
        let name = |id: &str, name: &str| (id.to_owned(), name.to_owned());
        let names = [name("a/x", "Lab"), name("b/x", "Lab"), name("c/x", "Third\tone")].into();
        let options = Options { names, ..Options::default() };
        let problems = ["a/x", "b/x", "c/x", "d/x"].map(|id| problem(&options, id));
        assert_eq!(problems, ["a/x", "b/x", "Third one", "d/x"]);
    }
}
