//! The playground's answers: the same as the program's, and one to every request, whatever it is.
//!
//! All requests and answers are kept in a file, `answers.jsonl` in Cargo's folder for tests' files: `.ci/playground check` asks the
//! WebAssembly module the same, and compares.

mod expected;
mod launches;
mod pictures;
mod requests;

use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

/// What was asked and answered.
static KEPT: LazyLock<Mutex<File>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("answers.jsonl");
    Mutex::new(File::create(path).expect("a file in Cargo's folder"))
});

/// What is asked, and the text that is answered.
fn answer(request: &Value) -> String {
    let answer = playground::answer(request.to_string().as_bytes());
    let line = format!("{{\"answer\":{answer},\"request\":{request}}}\n");
    KEPT.lock()
        .expect("no test fails with the file in hand")
        .write_all(line.as_bytes())
        .expect("a line is kept");
    answer
}

/// What is asked, and the object that is answered.
fn ask(request: &Value) -> Value {
    serde_json::from_str(&answer(request)).expect("an answer is JSON")
}

/// What is answered to a request that is in order.
fn ok(request: &Value) -> Value {
    let answer = ask(request);
    assert!(answer["error"].is_null(), "{answer}");
    answer["ok"].clone()
}

/// The message that a request is refused with.
fn error(request: &Value) -> String {
    let answer = ask(request);
    answer["error"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn grade(lab: u32, exercise: &str, text: &str) -> Value {
    json!({ "do": "grade", "lab": lab, "exercise": exercise, "text": text })
}
