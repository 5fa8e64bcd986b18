//! What is not supported never makes a right program a wrong one.
//!
//! Of each right program of the corpus one part (an expression, a type, a statement, a declaration, a header) is marked as not
//! supported, each in turn: no error may then say that the program is wrong. And a mistake that has nothing to do with the marked
//! part is still reported as one.

use crate::program::{self, Program};
use crate::support::{on_all_cores, show};
use cuda_front::{Compilation, Marked, Options};
use source::{Severity, Verdict};

/// A kernel with one mistake, whose operands are all known.
const MISTAKE: &str = "\n__global__ void wrong_by_itself(int *wrong_out) { int *wrong_value = 1.5f; *wrong_out = *wrong_value; }\n";

/// How many parts of a program are tried, if `UNKNOWN_PARTS` does not say it.
const PARTS: usize = 6;

fn compile(program: &Program, text: &str, marked: Marked) -> Compilation {
    cuda_front::compile(&program.file(), text, &Options { marked, ..Options::default() })
}

/// The errors that call the program wrong, with their lines.
fn wrong(compiled: &Compilation) -> Vec<String> {
    let errors = compiled.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors
        .filter(|d| d.verdict == Verdict::Program)
        .map(|d| {
            let line = crate::place::line(&compiled.sources, d).unwrap_or(0);
            format!("line {line}: {}: {}", d.code, d.title)
        })
        .collect()
}

/// What can be marked, spread over the program.
fn marks(program: &Program, most: usize) -> Vec<Marked> {
    let listed = compile(program, &program.text, Marked::List);
    let own = |span: &&source::Span| {
        span.file == listed.sources.files().next().expect("the file").0 && span.end > span.start
    };
    let mut parts: Vec<_> = listed.parts.iter().filter(own).map(|s| s.start..s.end).collect();
    parts.sort_by_key(|part| (part.start, part.end));
    parts.dedup();
    // Another rest for each program, so that all kinds of parts are met.
    let step = parts.len().div_ceil(most).max(1);
    let first = program.text.len() % step;
    let mut marks: Vec<Marked> = parts.into_iter().skip(first).step_by(step).map(Marked::Part).collect();
    let headers =
        program.text.lines().filter_map(|line| line.trim().strip_prefix("#include <")?.strip_suffix('>'));
    marks.extend(headers.map(|header| Marked::Header(header.to_owned())));
    marks
}

#[test]
fn what_is_not_supported_makes_no_program_wrong() {
    let most = std::env::var("UNKNOWN_PARTS").ok().and_then(|n| n.parse().ok()).unwrap_or(PARTS);
    let programs: Vec<Program> = program::all()
        .into_iter()
        .filter(|p| p.truth == program::Truth::Accept && wrong(&p.compile()).is_empty())
        .collect();
    let found = on_all_cores(programs.len(), |n| {
        let program = &programs[n];
        let mut failures = Vec::new();
        let marks = marks(program, most);
        let count = marks.len();
        for marked in marks {
            let part = match &marked {
                Marked::Part(bytes) => {
                    let line = program.text[..bytes.start as usize].lines().count().max(1);
                    format!("line {line}: `{}`", &program.text[bytes.start as usize..bytes.end as usize])
                }
                other => format!("{other:?}"),
            };
            let part: String = part.chars().take(80).collect();
            for error in wrong(&compile(program, &program.text, marked.clone())) {
                failures.push(format!("{}, without {part}: {error}", program.name));
            }
            let errors = wrong(&compile(program, &format!("{}{MISTAKE}", program.text), marked));
            if !errors.iter().any(|e| e.contains("int *") || e.contains("float")) {
                failures.push(format!("{}, without {part}: the mistake is not reported", program.name));
            }
        }
        (count, failures)
    });
    let marked: usize = found.iter().map(|f| f.0).sum();
    let failures: Vec<&String> = found.iter().flat_map(|f| &f.1).collect();
    show(&format!("{marked} parts marked in {} programs, {} failures", programs.len(), failures.len()));
    let lines: Vec<&str> = failures.iter().map(|f| f.as_str()).collect();
    assert!(failures.is_empty(), "{}", lines.join("\n"));
}
