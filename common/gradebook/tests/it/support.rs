//! Results as `lab grade` writes them, with any texts in them.

use gradebook::{Format, Options, Record};
use serde_json::{Value, json};

/// Texts that try to be markup, formulas, other lines of a format, or commands of a terminal.
pub(crate) const HOSTILE: [&str; 12] = [
    "=HYPERLINK(\"http://x/?\"&A1,\"x\")",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1,1)",
    "\t=1",
    "\r\n=1,\"2\"\r\n",
    " '=1",
    "</failure><script>alert(1)</script>]]>&amp;<!--",
    "\"},{\"score\":100,\"x\":\"",
    "{\"scores\":{\"lab-1/naive\":100}}\n{\"_presentation\":\"semantic\"}",
    "\0\u{1}\u{1b}[2J\u{7f}\u{85}\u{202e}\u{2066}\u{fffe}\u{ffff}\u{10ffff}\u{feff}",
    "../../etc/passwd",
];

/// The report of a kernel that passed with `lab-1/naive`, or what the fields say instead.
pub(crate) fn report(index: u64, file: &str, fields: Value) -> Value {
    let mut report = json!({
        "schema": 3, "index": index, "lab": "lab-1", "exercise": "naive", "title": "Naive stencil", "file": file,
        "device": { "id": "sim", "name": "simulator (model: NVIDIA H200 SXM)", "simulated": true,
            "memory_bandwidth": 4.8e12, "f32_rate": 66.9e12, "host_link_bandwidth": 6.3e10, "source": "device model `h200`" },
        "seed": 1, "status": "passed", "score": 100, "hint": null, "next": "edit kernels/lab-1-stencil/shared.cu",
        "checks": [check("compiles", "passed", ""), check("correct_n1", "passed", "")],
        "gates": [], "case": null, "counters": null, "metrics": metrics(), "extras": [], "lines": [], "diagnostics": [], "printed": "",
    });
    for (name, value) in fields.as_object().unwrap() {
        report[name] = value.clone();
    }
    report
}

pub(crate) fn check(name: &str, status: &str, message: &str) -> Value {
    json!({ "name": name, "status": status, "message": message, "credit": 0.5 })
}

fn metrics() -> Value {
    json!({
        "time": { "seconds": 1.5e-5, "kind": "modelled", "model": "h200", "limit": "latency", "spread": null, "confidence": null,
            "warm_cache": null },
        "modelled": null, "flops": 1.0, "bytes": 1.0, "gflops": null, "gbps": 1.0, "arithmetic_intensity": null,
        "roofline_percent": 1.0, "load_sectors_per_request": 4.0, "coalesced_sectors": 4, "store_sectors_per_request": 4.0,
        "conflict_degree": 1, "occupancy": null, "baseline": null, "speedup": null, "share_of_full": null, "full_speedup": null,
        "load_reduction": null, "source_lines": 9, "speedup_per_line": null, "launches": 1, "notes": [],
    })
}

/// A diagnostic with its text.
pub(crate) fn diagnostic(code: &str, file: &str, line: u32, message: &str) -> Value {
    let text = format!("error[{code}]: {message}\n --> {file}:{line}:1\n");
    let label = json!({ "file": file, "line": line, "column": 1, "end_line": line, "end_column": 3, "message": "here" });
    json!({ "text": text, "concise": format!("{file}:{line}:1: error[{code}]: {message}"), "json": {
        "code": code, "severity": "error", "verdict": "program", "message": message, "notes": [], "help": [], "file": file,
        "line": line, "column": 1, "end_line": line, "end_column": 3, "related": [], "run": true, "labels": [label],
    } })
}

/// A file that could not be graded.
pub(crate) fn error(index: u64, file: &str, what: &str) -> Value {
    json!({ "schema": 3, "index": index, "file": file, "status": "error", "score": null, "error": what, "help": "grade it again" })
}

/// All that a format makes of these objects.
pub(crate) fn written(format: Format, options: &Options, objects: &[Value]) -> String {
    let mut writer = format.writer(options);
    let mut text = writer.begin();
    for object in objects {
        let line = object.to_string();
        text.push_str(&writer.line(&line, &Record::parse(&line).unwrap()));
    }
    text + &writer.end()
}
