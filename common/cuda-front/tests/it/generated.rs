//! Generated programs: right ones compile, are valid IR and compute the same before and after optimisation; wrong ones are
//! refused where CUDA's own compiler refuses them. `PROPTEST_CASES` sets how many, and the programs are the same in each run.
//!
//! Without NVRTC the part that compares is skipped, and says so.

use crate::support::{on_all_cores, show};
use crate::{place, reference};
use generate::grammar::{self, Choices, LENGTH, Program, mutate};
use generate::{reduce, words::words};
use nvrtc::{Nvrtc, Request};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use source::{Severity, SourceMap, Verdict};
use std::cell::Cell;
use std::collections::BTreeMap;

/// What a compiler says: nothing, or the first error.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Accepts,
    Unsupported(String),
    /// The line, 1-based, and what kind of error: our code, or the other's words without names.
    Refuses(u32, String),
}

/// How many lists of numbers are asked for.
fn cases(usual: u32) -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    asked.unwrap_or(usual)
}

/// Lists of numbers, the same ones in each run.
fn lists(count: u32) -> Vec<Vec<u32>> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let numbers = prop::collection::vec(any::<u32>(), 100..1200);
    (0..count).map(|_| numbers.new_tree(&mut runner).expect("a list").current()).collect()
}

fn ours(text: &str) -> Answer {
    let compiled = cuda_front::compile("generated.cu", text, &cuda_front::Options::default());
    let errors = compiled.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let mut unsupported = None;
    for d in errors {
        if d.verdict == Verdict::Program {
            return Answer::Refuses(place::line(&compiled.sources, d).unwrap_or(0), d.code.to_string());
        }
        unsupported.get_or_insert_with(|| format!("{}: {}", d.code, d.title));
    }
    unsupported.map_or(Answer::Accepts, Answer::Unsupported)
}

/// What the other compiler says, and how many errors it has found.
fn theirs(nvrtc: &Nvrtc, text: &str) -> (Answer, usize) {
    let request = Request {
        name: "generated.cu".to_owned(),
        text: text.to_owned(),
        architecture: "sm_90".to_owned(),
        options: ["-w", "-fdevice-syntax-only", "--std=c++17"].map(str::to_owned).to_vec(),
        ..Request::default()
    };
    let answer = nvrtc.compile(&request).expect("NVRTC can be used");
    let errors = answer.log.matches(": error: ").count();
    (if answer.accepted { Answer::Accepts } else { refusal(&answer.log, text) }, errors)
}

/// The first error of a log.
fn refusal(log: &str, text: &str) -> Answer {
    for line in log.lines() {
        if let Some(message) = line.strip_prefix("At end of source: error: ") {
            return Answer::Refuses(u32::try_from(text.lines().count()).unwrap_or(0), kind(message));
        }
        if let Some((place, message)) = line.split_once("): error: ") {
            // One in the compiler's own headers has no line of the program.
            let line = place.strip_prefix("generated.cu(").and_then(|n| n.parse().ok());
            return Answer::Refuses(line.unwrap_or(0), kind(message));
        }
    }
    Answer::Refuses(0, log.to_owned())
}

/// A message without the names in it.
fn kind(message: &str) -> String {
    let parts = message.split('"').step_by(2);
    parts.collect::<Vec<_>>().join("…")
}

/// How the two answers differ, as a name for this kind of difference.
fn difference(ours: Answer, theirs: Answer) -> Option<String> {
    match (ours, theirs) {
        (Answer::Unsupported(what), _) if what.starts_with("internal-error") => Some(what),
        // Host code, which that compiler has none of and ours does not look at.
        (_, Answer::Refuses(_, b)) if b.contains("in JIT mode") => None,
        (Answer::Unsupported(_), _) | (Answer::Accepts, Answer::Accepts) => None,
        (Answer::Refuses(a, _), Answer::Refuses(b, _)) if a == b || b == 0 => None,
        (Answer::Refuses(_, a), Answer::Refuses(_, b)) => Some(format!("other line: ours {a}, theirs {b}")),
        (Answer::Refuses(_, a), _) => Some(format!("only ours refuses: {a}")),
        (_, Answer::Refuses(_, b)) => Some(format!("only theirs refuses: {b}")),
        (Answer::Accepts, Answer::Unsupported(_)) => None,
    }
}

/// What is wrong with the answers about a program; `right` says whether the generator thinks it right.
fn compared(text: &str, theirs: Answer, right: Option<bool>) -> Option<String> {
    match (right, theirs) {
        (Some(true), Answer::Refuses(line, what)) => {
            Some(format!("a right program is refused: line {line}: {what}"))
        }
        (Some(false), Answer::Accepts) => Some("a wrong program is accepted".to_owned()),
        (_, theirs) => difference(ours(text), theirs),
    }
}

/// How often the other compiler is asked to make one program smaller.
const REDUCING_TRIES: u32 = 150;

/// Takes away lines, then words, as long as the same difference stays.
fn reduced(nvrtc: &Nvrtc, text: &str, what: &str) -> String {
    let tries = Cell::new(REDUCING_TRIES);
    let same = |text: &str| {
        tries.set(tries.get().saturating_sub(1));
        tries.get() > 0
            && match theirs(nvrtc, text) {
                // With further errors it would soon be about something else.
                (theirs, 0 | 1) => compared(text, theirs, None).as_deref() == Some(what),
                _ => false,
            }
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let lines = reduce::list(lines, |lines| same(&lines.concat()));
    let text = lines.concat();
    let words = reduce::list(words(&text), |words| same(&words.concat()));
    words.concat()
}

/// What a program's IR computes, if the front-end takes it: before and after optimisation.
fn outputs(program: &Program) -> Option<[Vec<Vec<u8>>; 2]> {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = map.add("generated.cu", &*program.text);
    let options = cuda_syntax::preprocess::Options::default();
    let tokens = cuda_syntax::preprocess::preprocess(&mut map, file, &options, &mut diagnostics);
    let tree = cuda_syntax::parse::parse(&tokens, &mut diagnostics);
    let checked = cuda_front::check::check(&tree, &map, &mut diagnostics, &[]);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return None;
    }
    let lowered = cuda_front::lower::lower(&checked, &mut diagnostics);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return None;
    }
    simt_ir::validate(&lowered).unwrap_or_else(|e| panic!("{e}\n{}", program.text));
    let mut optimised = lowered.clone();
    simt_opt::optimise(&mut optimised);
    simt_ir::validate(&optimised).unwrap_or_else(|e| panic!("optimised: {e}\n{}", program.text));
    Some([lowered, optimised].map(|module| {
        let floats: Vec<u8> = (0..LENGTH).flat_map(|n| (n as f32 * 0.75 - 3.0).to_le_bytes()).collect();
        let buffers = vec![vec![0; 4 * LENGTH], vec![0; 4 * LENGTH], floats];
        let params = [reference::buffer(0), reference::buffer(1), reference::buffer(2), 11, 0];
        reference::run(&module, "kernel", [2, 1, 1], &params, buffers)
    }))
}

#[test]
fn right_programs_compile_and_optimise_to_the_same() {
    let lists = lists(cases(200));
    let mut unsupported = BTreeMap::new();
    let (mut ran, mut outcomes) = (0, std::collections::HashSet::new());
    let answers = on_all_cores(lists.len(), |n| {
        let program = grammar::program(&lists[n], false);
        let answer = ours(&program.text);
        let out = if program.plain && answer == Answer::Accepts { outputs(&program) } else { None };
        (program, answer, out)
    });
    for (program, answer, out) in answers {
        match answer {
            Answer::Accepts => {}
            Answer::Unsupported(what) => *unsupported.entry(what).or_insert(0) += 1,
            Answer::Refuses(line, code) => panic!("line {line}: {code}\n{}", program.text),
        }
        if let Some([lowered, optimised]) = out {
            assert_eq!(lowered, optimised, "{}", program.text);
            ran += 1;
            outcomes.insert(lowered);
        }
    }
    show(&format!("generated: {} right programs, {ran} executed; unsupported: {unsupported:?}", lists.len()));
    assert!(outcomes.len() * 5 > ran, "programs do things: {} results of {ran}", outcomes.len());
}

#[test]
fn the_front_end_agrees_with_cuda_on_generated_programs() {
    let Some(nvrtc) = Nvrtc::find() else {
        show("skipped: NVRTC not found, see the test `oracle`; generated programs are not compared with it");
        return;
    };
    let lists = lists(cases(50));
    // A right program, one with a mistake, and two with a word changed.
    let text = |n: usize| {
        let numbers = &lists[n / 4];
        let program = grammar::program(numbers, n % 4 == 1);
        let mut text = program.text;
        if n % 4 >= 2 {
            let reversed: Vec<u32> = numbers.iter().rev().map(|v| v.rotate_left(n as u32 % 4 * 8)).collect();
            let mut choices = Choices::new(&reversed);
            text = mutate::mutate(&text, &mut choices);
        }
        (text, program.mistake)
    };
    let right = |n: usize| (n % 4 < 2).then_some(n.is_multiple_of(4));
    let differences = on_all_cores(lists.len() * 4, |n| {
        let text = text(n).0;
        compared(&text, theirs(&nvrtc, &text).0, right(n))
    });
    let mut kinds: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (n, what) in differences.iter().enumerate() {
        if let Some(what) = what {
            kinds.entry(what.clone()).or_default().push(n);
        }
    }
    let agree = differences.iter().filter(|what| what.is_none()).count();
    show(&format!("generated, against NVRTC: {agree} of {} programs agree", differences.len()));
    let kinds: Vec<(String, Vec<usize>)> = kinds.into_iter().collect();
    let reports = on_all_cores(kinds.len(), |n| {
        let (what, programs) = &kinds[n];
        let shortest =
            programs.iter().map(|n| text(*n)).min_by_key(|(text, _)| text.len()).expect("one at least");
        let small = reduced(&nvrtc, &shortest.0, what);
        format!("== {} × {what} ({:?})\n{small}\n", programs.len(), shortest.1)
    });
    assert!(kinds.is_empty(), "{} kinds of differences\n{}", kinds.len(), reports.concat());
}
