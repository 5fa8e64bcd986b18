//! `results.json` of a Gradescope autograder, after Gradescope's "Autograder Specifications".
//!
//! Each file is a test with a score; each of its checks that failed is a test without one, which only shows. A file that could not be
//! graded is a test with neither score nor status, and so is one that is not part of the assignment. An exercise of the assignment without a file
//! is a test with the score 0. Everything is text (`output_format`), which Gradescope never takes as HTML. The keys that need all results, such as `score`, come last in the object.

use super::{Credit, OUTSIDE, Options, Sum, Writer, cut, json_number, subject, told};
use crate::record::Record;
use figure::markup::visible;
use figure::report::Status;
use serde_json::{Value, json};

pub(super) struct Gradescope {
    sum: Sum,
    /// Files that were written.
    files: usize,
    leaderboard: Vec<Value>,
}

impl Gradescope {
    pub(super) fn new(options: Options) -> Gradescope {
        Gradescope { sum: Sum::new(options), files: 0, leaderboard: Vec::new() }
    }

    fn test(&self, name: &str, number: String, output: String) -> Value {
        json!({
            "name": cut(visible(name)),
            "name_format": "text",
            "number": number,
            "output": output,
            "output_format": "text",
            "visibility": "visible",
        })
    }
}

impl Gradescope {
    /// A test for each exercise of the assignment without a file.
    fn missing(&self) -> Vec<Value> {
        let test = |(number, id): (usize, &String)| {
            let output = self.sum.not_handed_in().to_owned();
            let mut test = self.test(self.sum.options.name(id), number.to_string(), output);
            if self.sum.missing_are_zero() {
                test["score"] = json_number(0.0);
                test["max_score"] = json_number(self.sum.options.points(id));
                test["status"] = "failed".into();
            }
            test
        };
        (self.files + 1..).zip(self.sum.missing()).map(test).collect()
    }
}

impl Writer for Gradescope {
    fn begin(&mut self) -> String {
        "{\"tests\":[".to_owned()
    }

    fn line(&mut self, _: &str, record: &Record) -> String {
        let credit = self.sum.add(record);
        self.files += 1;
        let id = subject(record);
        let name = self.sum.options.name(&id).to_owned();
        let output = match credit {
            Credit::Outside => cut(visible(&format!("{OUTSIDE}: {}", record.file))),
            Credit::Points(..) | Credit::NotGraded => told(record),
        };
        let mut test = self.test(&name, self.files.to_string(), output);
        test["extra_data"] = json!({ "file": record.file, "status": record.status() });
        let before = if self.files == 1 { "\n" } else { ",\n" };
        match credit {
            Credit::Points(points, of) => {
                test["score"] = json_number(points);
                test["max_score"] = json_number(of);
                test["status"] = record.status().into();
            }
            Credit::NotGraded => {}
            Credit::Outside => return format!("{before}{test}"),
        }
        let mut tests = vec![test];
        for (number, check) in (1..).zip(record.checks(Status::Failed)) {
            let name = format!("{name}: {}", check.name);
            let mut test = self.test(&name, format!("{}.{number}", self.files), cut(visible(&check.message)));
            test["status"] = "failed".into();
            tests.push(test);
        }
        let passed = record.report().filter(|_| record.status() == "passed");
        if let Some(time) = passed.and_then(|report| report.metrics.time.as_ref()) {
            let column = cut(visible(&format!("{name}, µs {}", time.basis())));
            let entry = json!({ "name": column, "value": time.seconds * 1e6, "order": "asc" });
            self.leaderboard.retain(|known| known["name"] != entry["name"]);
            self.leaderboard.push(entry);
        }
        let texts: Vec<String> = tests.iter().map(Value::to_string).collect();
        format!("{before}{}", texts.join(",\n"))
    }

    fn end(&mut self) -> String {
        let total = self.sum.total();
        let missing: Vec<String> = self.missing().iter().map(|test| format!("\n{test}")).collect();
        let before = if self.files == 0 || missing.is_empty() { "" } else { "," };
        let missing = format!("{before}{}", missing.join(","));
        let mut rest = json!({
            "output": self.sum.remarks().join("\n"),
            "output_format": "text",
            "test_output_format": "text",
            "test_name_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "extra_data": { "provisional": !self.sum.not_graded.is_empty(), "not_graded": self.sum.not_graded },
        });
        // Without a score Gradescope reports that the autograder failed, which is the case if nothing was graded.
        if let Some(total) = total {
            rest["score"] = json_number(total);
            let score = json!({ "name": "score", "value": json_number(total) });
            rest["leaderboard"] = [vec![score], std::mem::take(&mut self.leaderboard)].concat().into();
        }
        let rest = rest.to_string();
        format!("{missing}\n],{}\n", rest.trim_start_matches('{'))
    }
}
