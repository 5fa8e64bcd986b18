//! A page has no command line: no text that it can show names a command, an option of one, or a folder.

use crate::{answer, grade, ok};
use serde_json::{Value, json};
use std::path::Path;

/// Words that only a terminal understands.
const OF_A_TERMINAL: [&str; 11] = [
    "cargo ",
    "lab run",
    "lab hint",
    "lab explain",
    "lab launch",
    "lab compile",
    "lab compare",
    "lab reset",
    "kernels/",
    " -v",
    "solutions/",
];

/// All texts of an answer. What stands in the starters and in markup is not from the program.
fn texts<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => all.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, all)),
        Value::Object(fields) => {
            fields.iter().filter(|(name, _)| *name != "svg").for_each(|(_, v)| texts(v, all));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Fails if an answer has words of a terminal.
pub(crate) fn has_no_command(answer: &str) {
    let answer: Value = serde_json::from_str(answer).expect("an answer is JSON");
    let mut all = Vec::new();
    texts(&answer, &mut all);
    for text in all {
        for line in text.lines() {
            // A code span begins at every second back quote.
            let is_option = |at: usize| {
                line[..at].matches('`').count() % 2 == 0
                    && line[at + 1..].trim_start_matches('-').starts_with(|c: char| c.is_ascii_lowercase())
            };
            let option = line.match_indices("`-").any(|(at, _)| is_option(at)).then_some("`-");
            // A command, and not the beginning of another word, as in "lab reset" and "lab resets".
            let is_command = |word: &str, at: usize| {
                let goes_on = line[at + word.len()..].starts_with(|c: char| c.is_ascii_lowercase());
                !(word.starts_with("lab ") && goes_on)
            };
            let stands = |word: &&str| line.match_indices(*word).any(|(at, _)| is_command(word, at));
            let found = OF_A_TERMINAL.into_iter().find(stands).or(option);
            assert!(found.is_none(), "{found:?} stands in a text of a page: {line}");
        }
    }
}

#[test]
fn explanations_and_hints_name_no_command() {
    for code in source::Code::ALL {
        answer(&json!({ "do": "explain", "term": code.to_string() }));
    }
    let glossary = harness::glossary::Glossary::new();
    for entry in glossary.entries() {
        answer(&json!({ "do": "explain", "term": entry.name }));
    }
    for lab in labs::all() {
        for exercise in &lab.exercises {
            for step in 1..=harness::Hints::of(exercise.hints()).steps.len() {
                ok(&json!({ "do": "hint", "lab": lab.number, "exercise": exercise.name(), "step": step }));
            }
        }
    }
}

/// A solution with a statement before the first of its kernel, and with a declaration above it.
fn changed(solution: &str, declaration: &str, statement: &str) -> String {
    let kernel = solution.find("__global__").expect("a kernel");
    let body = kernel + solution[kernel..].find(") {").expect("a body") + 3;
    format!("{}{declaration}{}{statement}{}", &solution[..kernel], &solution[kernel..body], &solution[body..])
}

#[test]
fn reports_of_every_kind_of_failure_name_no_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let waste = "for (int q = 0; q < 16; q++) if (waste[threadIdx.x % 32] != 0.0f) return;";
    // A crash, a wrong result, a missed gate, a kernel that is missing, a text that does not compile, and none.
    let kinds = [
        ("", "*(volatile int *)8 = 1;"),
        ("", "return;"),
        ("__device__ volatile float waste[32];\n", waste),
        ("", "no_such_name;"),
    ];
    for lab in labs::all() {
        for exercise in &lab.exercises {
            let name = exercise.name();
            let solution =
                std::fs::read_to_string(root.join("solutions").join(lab.folder).join(format!("{name}.cu")));
            let solution = solution.expect("a solution");
            let texts = kinds.map(|(declaration, statement)| changed(&solution, declaration, statement));
            let others = [String::new(), "int x;\n".to_owned()];
            for text in texts.iter().chain(&others) {
                let mut request = grade(lab.number, name, text);
                request["extras"] = false.into();
                let report = ok(&request);
                // Not every exercise has a gate that counts these loads.
                let may_pass = text.contains("waste");
                assert!(may_pass || report["status"] != "passed", "{}/{name}: {text}", lab.package);
            }
        }
    }
}

#[test]
fn launches_that_fail_name_no_command() {
    let endless = "__global__ void k(volatile int *x) { while (true) x[0] += 1; }\n";
    let sync = "#include <cooperative_groups.h>\n__global__ void k(int *x) { cooperative_groups::this_grid().sync(); }\n";
    let deep = "__device__ int f(int n) { int a[100]; a[n % 100] = n; return n == 0 ? 0 : a[n % 100] + f(n - 1); }\n\
        __global__ void k(int *x) { x[0] = f(1000); }\n";
    let line = "--kernel k --grid 1 --block 1 --arg i32[1]=zeros";
    for (text, line) in [
        (endless, format!("{line} --budget 1000")),
        (sync, line.to_owned()),
        (deep, line.to_owned()),
        (deep, "--kernel none --grid 1 --block 1".to_owned()),
        (deep, "--kernel k --grid 1 --block 1 --arg what".to_owned()),
        (deep, "--kernel k --grid 1 --block 1".to_owned()),
    ] {
        answer(&json!({ "do": "launch", "text": text, "file": "k.cu", "line": line }));
    }
}
