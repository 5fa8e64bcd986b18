//! Programs of one feature each, whose constants CUDA's own compiler folds: the front-end must come to the same ones.
//!
//! A few programs are compared with the answers in `tests/constants.txt`, which were NVRTC's. Where there is an NVRTC,
//! `CONSTANTS=2400 cargo test -p cuda-front --test it constants::` compares that many with it, `CONSTANTS_REPORT=FILE` writes the
//! differences to a file, and `CONSTANTS=write` records the answers anew.

use crate::reference;
use crate::support::{on_all_cores, show};
use generate::feature::{self, Case, FEATURES, VALUES};
use nvrtc::{Nvrtc, Request, messages};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use source::{Severity, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

/// Programs in one file for the other compiler.
const IN_A_FILE: usize = 48;

/// What a compiler makes of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    /// The stored values; `None` for one that was not folded.
    Values(Vec<Option<i64>>),
    /// Why it is not supported.
    Unsupported(String),
    /// How the run ended, if a thread failed.
    Fails(String),
    /// The error.
    Refused(String),
}

/// The programs, the same ones in each run: `count` of each feature.
fn cases(count: usize) -> Vec<(usize, Case)> {
    let mut runner =
        TestRunner::new_with_rng(ProptestConfig::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let numbers = prop::collection::vec(any::<u32>(), 300);
    let mut next = || numbers.new_tree(&mut runner).expect("a list").current();
    (0..count)
        .flat_map(|_| 0..FEATURES.len())
        .map(|feature| (feature, feature::case(feature, &next())))
        .collect()
}

fn kernel(calls: &str) -> String {
    format!("extern \"C\" __global__ void kernel(long long *out) {{\n{calls}}}\n")
}

fn ours(case: &Case) -> Answer {
    let text = format!("{}{}", case.text("p"), kernel("p::run(out);\n"));
    let compiled = cuda_front::compile("constants.cu", &text, &cuda_front::Options::default());
    let mut errors: Vec<_> = compiled.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    errors.sort_by_key(|d| d.verdict != Verdict::Program);
    if let Some(d) = errors.first() {
        let what = format!("{}: {}", d.code, d.title);
        return if d.verdict == Verdict::Program { Answer::Refused(what) } else { Answer::Unsupported(what) };
    }
    let Some(module) = &compiled.module else { return Answer::Unsupported("no module".to_owned()) };
    let buffers = vec![vec![0; 8 * VALUES]];
    let out = match reference::try_run(module, "kernel", [1, 1, 1], &[reference::buffer(0)], buffers) {
        Ok(out) => out,
        Err(end) => return Answer::Fails(end),
    };
    let values = out[0].chunks_exact(8).map(|b| Some(i64::from_le_bytes(b.try_into().expect("8 bytes"))));
    Answer::Values(values.take(case.count()).collect())
}

/// What the other compiler makes of programs that share a file, without those that it refuses.
fn theirs(nvrtc: &Nvrtc, cases: &[(usize, Case)]) -> Vec<Answer> {
    let mut answers: Vec<Option<Answer>> = vec![None; cases.len()];
    loop {
        let left: Vec<usize> = (0..cases.len()).filter(|n| answers[*n].is_none()).collect();
        let mut text = String::new();
        let mut ends = Vec::new();
        let mut calls = String::new();
        for n in &left {
            text += &cases[*n].1.text(&format!("p{n}"));
            ends.push((text.lines().count(), *n));
            writeln!(calls, "p{n}::run(out + {});", n * VALUES).expect("a string takes all");
        }
        text += &kernel(&calls);
        let request = Request {
            name: "constants.cu".to_owned(),
            text,
            architecture: "compute_90".to_owned(),
            relaxed: true,
            options: ["-w"].map(str::to_owned).to_vec(),
            ..Request::default()
        };
        let answer = nvrtc.compile(&request).expect("NVRTC can be used");
        if answer.accepted {
            let stored = stored(&answer.ptx);
            for n in left {
                let value = |i: usize| stored.get(&(n * VALUES + i)).copied();
                answers[n] = Some(Answer::Values((0..cases[n].1.count()).map(value).collect()));
            }
            break;
        }
        let mut any = false;
        for m in messages(&answer.log).into_iter().filter(|m| m.is_error) {
            let line = m.line.unwrap_or(0) as usize;
            if let Some((_, n)) = ends.iter().find(|(end, _)| line <= *end) {
                answers[*n].get_or_insert(Answer::Refused(m.text));
                any = true;
            }
        }
        assert!(any, "{}", answer.log);
    }
    answers.into_iter().map(|a| a.expect("each has an answer")).collect()
}

/// The constants that a kernel's PTX stores, by the element of its parameter.
fn stored(ptx: &str) -> BTreeMap<usize, i64> {
    let mut constants: BTreeMap<&str, i64> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for line in ptx.lines() {
        let line = line.trim().trim_end_matches(';');
        let Some((operation, operands)) = line.split_once([' ', '\t']) else { continue };
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        match (operation, &operands[..]) {
            ("mov.u64" | "mov.b64" | "mov.s64", [to, value]) => {
                if let Ok(value) = value.parse() {
                    constants.insert(to, value);
                }
            }
            (op, [place, value]) if op.starts_with("st.") && op.ends_with("64") => {
                let Some(place) = place.strip_prefix('[').and_then(|p| p.strip_suffix(']')) else { continue };
                let offset = place.split_once('+').map_or(Some(0), |(_, n)| n.parse::<usize>().ok());
                let value = constants.get(value).copied().or_else(|| value.parse().ok());
                if let (Some(offset), Some(value), true) = (offset, value, op.contains("volatile")) {
                    found.insert(offset / 8, value);
                }
            }
            _ => {}
        }
    }
    found
}

/// How many programs of one feature came out how.
#[derive(Default)]
struct Count {
    agree: usize,
    unfolded: usize,
    both_refuse: usize,
    unsupported: usize,
    wrong_refusal: usize,
    missed: usize,
    silent: usize,
}

/// The answers side by side: figures for each feature, and the programs whose answers differ.
#[derive(Default)]
struct Comparison {
    counts: BTreeMap<usize, Count>,
    differences: String,
    reasons: BTreeMap<String, usize>,
}

fn compare(cases: &[(usize, Case)], ours: &[Answer], theirs: &[Answer]) -> Comparison {
    let mut all = Comparison::default();
    for (((feature, case), a), b) in cases.iter().zip(ours).zip(theirs) {
        let count = all.counts.entry(*feature).or_default();
        let mut reason = |what: &String| *all.reasons.entry(what.clone()).or_default() += 1;
        let different = match (a, b) {
            (Answer::Unsupported(what), _) => {
                count.unsupported += 1;
                reason(what);
                continue;
            }
            (Answer::Refused(_), Answer::Refused(why)) => {
                count.both_refuse += 1;
                reason(why);
                continue;
            }
            (Answer::Values(x), Answer::Values(y)) if x.iter().zip(y).all(|(x, y)| y.is_none() || x == y) => {
                count.agree += 1;
                count.unfolded += usize::from(y.contains(&None));
                continue;
            }
            (Answer::Refused(_), _) => {
                count.wrong_refusal += 1;
                "REFUSED"
            }
            (_, Answer::Refused(_)) => {
                count.missed += 1;
                "MISSED"
            }
            _ => {
                count.silent += 1;
                "SILENT"
            }
        };
        let (name, text) = (FEATURES[*feature].0, case.text("p"));
        writeln!(all.differences, "==== {name} {different}\nours:   {a:?}\ntheirs: {b:?}\n{text}")
            .expect("a string takes all");
    }
    all
}

#[test]
fn constants_are_what_cuda_folds() {
    let Some(nvrtc) = Nvrtc::find() else {
        show(
            "skipped: NVRTC not found, see the test `oracle`; constants are compared with recorded ones only",
        );
        return;
    };
    let asked = std::env::var("CONSTANTS").ok().and_then(|n| n.parse::<usize>().ok());
    let cases = cases(asked.unwrap_or(240).div_ceil(FEATURES.len()));
    let files: Vec<&[(usize, Case)]> = cases.chunks(IN_A_FILE).collect();
    let theirs = on_all_cores(files.len(), |n| theirs(&nvrtc, files[n])).concat();
    let ours = on_all_cores(cases.len(), |n| ours(&cases[n].1));
    let Comparison { counts, differences, reasons } = compare(&cases, &ours, &theirs);
    let (major, minor) = nvrtc.version();
    show(&format!("constants: {} programs against NVRTC {major}.{minor}", cases.len()));
    for (feature, c) in &counts {
        show(&format!(
            "  {}: {} agree ({} not all folded), {} refused by both, {} not supported, {} called wrong, {} missed, \
             {} silently different",
            FEATURES[*feature].0,
            c.agree,
            c.unfolded,
            c.both_refuse,
            c.unsupported,
            c.wrong_refusal,
            c.missed,
            c.silent
        ));
    }
    for (what, n) in reasons {
        show(&format!("  {n} not supported or refused by both: {what}"));
    }
    if let Some(path) = std::env::var_os("CONSTANTS_REPORT") {
        std::fs::write(path, &differences).expect("the report can be written");
    }
    let silent: usize = counts.values().map(|c| c.silent).sum();
    assert_eq!(silent, 0, "silently different:\n{differences}");
}

/// Programs of each feature whose answers are recorded.
const RECORDED: usize = 4;

/// An answer as a line of the file: the program's feature, a number that changes with its text, and the values.
fn line(feature: usize, case: &Case, answer: &Answer) -> String {
    let mut hasher = std::hash::DefaultHasher::new();
    case.text("p").hash(&mut hasher);
    let values = match answer {
        Answer::Values(values) => {
            values.iter().map(|v| v.map_or("?".to_owned(), |v| v.to_string())).collect()
        }
        _ => vec!["refused".to_owned()],
    };
    format!("{}, {:08x}: {}", FEATURES[feature].0, hasher.finish() as u32, values.join(" "))
}

fn answer(line: &str) -> Answer {
    let values = line.split_once(": ").map_or("", |(_, values)| values);
    match values {
        "refused" => Answer::Refused("as recorded".to_owned()),
        _ => Answer::Values(values.split(' ').map(|v| v.parse().ok()).collect()),
    }
}

#[test]
fn constants_are_the_recorded_ones() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/constants.txt");
    let cases = cases(RECORDED);
    if std::env::var("CONSTANTS").is_ok_and(|asked| asked == "write") {
        let nvrtc = Nvrtc::find().expect("NVRTC is there");
        let answers = theirs(&nvrtc, &cases);
        let lines =
            cases.iter().zip(&answers).map(|((feature, case), answer)| line(*feature, case, answer) + "\n");
        std::fs::write(path, lines.collect::<String>()).expect("the file can be written");
    }
    let text = std::fs::read_to_string(path).expect("the file is there");
    let recorded: Vec<Answer> = text.lines().map(answer).collect();
    let expected = |((feature, case), answer): (&(usize, Case), &Answer)| line(*feature, case, answer);
    let lines: Vec<String> = cases.iter().zip(&recorded).map(expected).collect();
    assert!(lines.iter().eq(text.lines()), "other programs than recorded: see this module's head");
    let ours = on_all_cores(cases.len(), |n| ours(&cases[n].1));
    let Comparison { counts, differences, .. } = compare(&cases, &ours, &recorded);
    assert!(counts.values().all(|c| c.silent == 0), "silently different:\n{differences}");
}
