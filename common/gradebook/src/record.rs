//! One line of results: the report of a file, or why there is none.

use figure::report::{Check, OLDEST_SCHEMA, Report, SCHEMA, Status};
use serde_json::Value;

/// What `lab grade` says about one file.
#[derive(Clone, Debug)]
pub struct Record {
    /// The file's place among all that were graded, from 0; `None` in results of schema 2.
    pub index: Option<u64>,
    /// The file.
    pub file: String,
    /// The lab, such as `lab-6`, where it is known.
    pub lab: Option<String>,
    /// The exercise, where it is known.
    pub exercise: Option<String>,
    /// The report, or why there is none.
    pub outcome: Outcome,
}

/// How grading a file ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With a verdict and a score.
    Graded(Box<Report>),
    /// Without: the limits of the system were reached, or the file could not be read. This says nothing about the program.
    NotGraded {
        /// What was wrong.
        error: String,
        /// What to do; may be empty.
        help: String,
    },
}

impl Record {
    /// The record of a line's text.
    ///
    /// # Errors
    /// What is wrong with it, and the field where it is about one.
    pub fn parse(text: &str) -> Result<Record, String> {
        let object: Value = serde_json::from_str(text).map_err(|e| format!("this is not JSON: {e}"))?;
        Record::from_json(&object)
    }

    /// The record of a JSON object.
    ///
    /// # Errors
    /// As [`Record::parse`].
    pub fn from_json(object: &Value) -> Result<Record, String> {
        if !object.is_object() {
            return Err("this is not an object of `lab grade`".to_owned());
        }
        schema(object)?;
        let index = match &object["index"] {
            Value::Null => None,
            value => Some(value.as_u64().ok_or_else(|| format!("`index` is {value}, not a whole number"))?),
        };
        if object["status"] == "error" {
            return Ok(Record {
                index,
                file: required(object, "file")?,
                lab: optional(object, "lab")?,
                exercise: optional(object, "exercise")?,
                outcome: Outcome::NotGraded {
                    error: required(object, "error")?,
                    help: optional(object, "help")?.unwrap_or_default(),
                },
            });
        }
        if object["score"].as_u64().is_none_or(|score| score > 100) {
            return Err(format!("`score` is {}, not a whole number from 0 to 100", object["score"]));
        }
        let report = Report::from_json(object).map_err(|e| e.to_string())?;
        Ok(Record {
            index,
            file: report.file.clone(),
            lab: Some(report.lab.clone()),
            exercise: Some(report.exercise.clone()),
            outcome: Outcome::Graded(Box::new(report)),
        })
    }

    /// The exercise with its lab, such as `lab-6/tiled`.
    pub fn id(&self) -> Option<String> {
        Some(format!("{}/{}", self.lab.as_ref()?, self.exercise.as_ref()?))
    }

    /// The report.
    pub fn report(&self) -> Option<&Report> {
        match &self.outcome {
            Outcome::Graded(report) => Some(report),
            Outcome::NotGraded { .. } => None,
        }
    }

    /// 0 to 100; `None` if the file was not graded.
    pub fn score(&self) -> Option<u32> {
        self.report().map(|report| report.score)
    }

    /// `passed`, `failed` or `error`.
    pub fn status(&self) -> &'static str {
        match &self.outcome {
            Outcome::Graded(report) if report.status == Status::Passed => "passed",
            Outcome::Graded(_) => "failed",
            Outcome::NotGraded { .. } => "error",
        }
    }

    /// The checks that ended so.
    pub fn checks(&self, status: Status) -> impl Iterator<Item = &Check> {
        let checks = self.report().map(|report| report.checks.as_slice()).unwrap_or_default();
        checks.iter().filter(move |check| check.status == status)
    }
}

fn schema(object: &Value) -> Result<(), String> {
    match object["schema"].as_u64() {
        Some(schema) if (u64::from(OLDEST_SCHEMA)..=u64::from(SCHEMA)).contains(&schema) => Ok(()),
        Some(schema) => Err(format!(
            "the object has schema {schema}; this program reads schemas {OLDEST_SCHEMA} to {SCHEMA}"
        )),
        None => Err("this is not an object of `lab grade`: it has no `schema`".to_owned()),
    }
}

/// A text that may be missing or null.
fn optional(object: &Value, field: &str) -> Result<Option<String>, String> {
    match &object[field] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        other => Err(format!("`{field}` is {other}, not a text")),
    }
}

fn required(object: &Value, field: &str) -> Result<String, String> {
    optional(object, field)?.ok_or_else(|| format!("the object has no `{field}`"))
}
