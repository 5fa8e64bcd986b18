//! Converts a request's bytes to an answer's text.

use crate::request::Request;
use crate::{exercises, kernels, launch, words};
use serde_json::{Value, json};

/// Answers any bytes: `{"ok": …}` for a valid request, `{"error": "…"}` otherwise.
pub fn answer(request: &[u8]) -> String {
    source::set_page();
    let answered = match serde_json::from_slice(request) {
        Ok(request) => given(request),
        Err(e) => Err(format!("the request is not one that the playground knows: {e}")),
    };
    let answer = match answered {
        Ok(value) => json!({ "ok": value }),
        Err(error) => json!({ "error": error }),
    };
    answer.to_string()
}

fn given(request: Request) -> Result<Value, String> {
    match request {
        Request::List => Ok(exercises::list()),
        Request::Check(text) => kernels::check(text),
        Request::Grade(submission) => exercises::grade(submission),
        Request::Access(submission) => exercises::access(submission),
        Request::Suggest(submission) => exercises::suggest(submission),
        Request::Launch { text, file, line, access, suggest } => {
            launch::launch(text, &file, &line, [access, suggest])
        }
        Request::Hint { lab, exercise, step } => words::hint(lab, &exercise, step),
        Request::Explain { term } => words::explain(&term),
    }
}
