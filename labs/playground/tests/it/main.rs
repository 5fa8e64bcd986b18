//! Tests the playground's answers: they equal the program's, and every request gets an answer.
//!
//! All requests and answers are written to `answers.jsonl` in Cargo's folder for test files: `.ci/playground check`
//! sends the same requests to the WebAssembly module and compares the answers.

mod expected;
mod launches;
mod pictures;
mod requests;
mod terminal;

use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

/// The file of requests and answers.
static KEPT: LazyLock<Mutex<File>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("answers.jsonl");
    Mutex::new(File::create(path).expect("a file in Cargo's folder"))
});

/// Sends a request; returns the answer's text.
fn answer(request: &Value) -> String {
    let answer = playground::answer(request.to_string().as_bytes());
    terminal::has_no_command(&answer);
    let line = format!("{{\"answer\":{answer},\"request\":{request}}}\n");
    KEPT.lock()
        .expect("no test fails with the file in hand")
        .write_all(line.as_bytes())
        .expect("a line is kept");
    answer
}

/// Sends a request; returns the answer's object.
fn ask(request: &Value) -> Value {
    serde_json::from_str(&answer(request)).expect("an answer is JSON")
}

/// Sends a valid request; returns the content of `ok`.
fn ok(request: &Value) -> Value {
    let answer = ask(request);
    assert!(answer["error"].is_null(), "{answer}");
    answer["ok"].clone()
}

/// Sends an invalid request; returns the error message.
fn error(request: &Value) -> String {
    let answer = ask(request);
    answer["error"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn grade(lab: u32, exercise: &str, text: &str) -> Value {
    json!({ "do": "grade", "lab": lab, "exercise": exercise, "text": text })
}
