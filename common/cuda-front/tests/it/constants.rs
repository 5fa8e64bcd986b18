//! Programs of one feature each, whose constants CUDA's own compiler folds: the front-end must come to the same ones.
//!
//! The tests of [`FEATURES`] are here, those of look-up in [`crate::lookup`]. Some programs are compared with answers of
//! NVRTC that a file in `tests` has. Where there is an NVRTC, `CONSTANTS=2400 cargo test -p cuda-front --test it constants::`
//! compares that many with it, `CONSTANTS_REPORT=FILE` writes the differences to a file, and `CONSTANTS=write` records the
//! answers anew.

use crate::reference;
use crate::support::{on_all_cores, show};
use generate::feature::{self, Case, FEATURES, Feature, VALUES};
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
    /// The lines of the errors, counted from the program's first one, and the first error.
    Refused(Vec<u32>, String),
}

/// The programs, the same ones in each run: `count` of each feature.
fn cases(features: &[Feature], count: usize) -> Vec<(usize, Case)> {
    let mut runner =
        TestRunner::new_with_rng(ProptestConfig::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let numbers = prop::collection::vec(any::<u32>(), 300);
    let mut next = || numbers.new_tree(&mut runner).expect("a list").current();
    (0..count)
        .flat_map(|_| 0..features.len())
        .map(|feature| (feature, feature::case(&features[feature], &next())))
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
        if d.verdict != Verdict::Program {
            return Answer::Unsupported(what);
        }
        let spans = errors.iter().filter_map(|d| d.span());
        return Answer::Refused(spans.map(|s| compiled.sources.position(s).line).collect(), what);
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
            options: ["-w", "--std=c++17"].map(str::to_owned).to_vec(),
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
            if let Some(at) = ends.iter().position(|(end, _)| line <= *end) {
                let start = if at == 0 { 0 } else { ends[at - 1].0 };
                answers[ends[at].1].get_or_insert(Answer::Refused(vec![(line - start) as u32], m.text));
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
    other_line: usize,
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

fn compare(features: &[Feature], cases: &[(usize, Case)], ours: &[Answer], theirs: &[Answer]) -> Comparison {
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
            (Answer::Refused(ours, _), Answer::Refused(theirs, _))
                if theirs.iter().all(|l| ours.contains(l)) =>
            {
                count.both_refuse += 1;
                continue;
            }
            (Answer::Refused(..), Answer::Refused(..)) => {
                count.other_line += 1;
                "OTHER LINE"
            }
            (Answer::Values(x), Answer::Values(y)) if x.iter().zip(y).all(|(x, y)| y.is_none() || x == y) => {
                count.agree += 1;
                count.unfolded += usize::from(y.contains(&None));
                continue;
            }
            (Answer::Refused(..), _) => {
                count.wrong_refusal += 1;
                "REFUSED"
            }
            (_, Answer::Refused(..)) => {
                count.missed += 1;
                "MISSED"
            }
            _ => {
                count.silent += 1;
                "SILENT"
            }
        };
        let (name, text) = (features[*feature].0, case.text("p"));
        writeln!(all.differences, "==== {name} {different}\nours:   {a:?}\ntheirs: {b:?}\n{text}")
            .expect("a string takes all");
    }
    all
}

/// Compares programs with what NVRTC makes of them, if it is there.
pub(crate) fn compare_with_nvrtc(name: &str, features: &[Feature]) {
    let Some(nvrtc) = Nvrtc::find() else {
        show(
            "skipped: NVRTC not found, see the test `oracle`; constants are compared with recorded ones only",
        );
        return;
    };
    let asked = std::env::var("CONSTANTS").ok().and_then(|n| n.parse::<usize>().ok());
    let cases = cases(features, asked.unwrap_or(240).div_ceil(features.len()));
    let files: Vec<&[(usize, Case)]> = cases.chunks(IN_A_FILE).collect();
    let theirs = on_all_cores(files.len(), |n| theirs(&nvrtc, files[n])).concat();
    let ours = on_all_cores(cases.len(), |n| ours(&cases[n].1));
    let Comparison { counts, differences, reasons } = compare(features, &cases, &ours, &theirs);
    let (major, minor) = nvrtc.version();
    show(&format!("{name}: {} programs against NVRTC {major}.{minor}", cases.len()));
    for (feature, c) in &counts {
        show(&format!(
            "  {}: {} agree ({} not all folded), {} refused by both, {} on different lines, {} not supported, {} called wrong, \
             {} missed, {} silently different",
            features[*feature].0,
            c.agree,
            c.unfolded,
            c.both_refuse,
            c.other_line,
            c.unsupported,
            c.wrong_refusal,
            c.missed,
            c.silent
        ));
    }
    for (what, n) in reasons {
        show(&format!("  {n} not supported: {what}"));
    }
    if let Some(path) = std::env::var_os("CONSTANTS_REPORT") {
        std::fs::write(path, &differences).expect("the report can be written");
    }
    let silent: usize = counts.values().map(|c| c.silent).sum();
    assert_eq!(silent, 0, "silently different:\n{differences}");
}

/// An answer as a line of the file: the program's feature, a number that changes with its text, and the values.
fn line(feature: &Feature, case: &Case, answer: &Answer) -> String {
    let mut hasher = std::hash::DefaultHasher::new();
    case.text("p").hash(&mut hasher);
    let values = match answer {
        Answer::Values(values) => {
            values.iter().map(|v| v.map_or("?".to_owned(), |v| v.to_string())).collect()
        }
        Answer::Refused(lines, _) => vec![format!("refused {}", lines[0])],
        Answer::Unsupported(_) | Answer::Fails(_) => unreachable!("NVRTC runs nothing"),
    };
    format!("{}, {:08x}: {}", feature.0, hasher.finish() as u32, values.join(" "))
}

fn answer(line: &str) -> Answer {
    let values = line.split_once(": ").map_or("", |(_, values)| values);
    match values.strip_prefix("refused ") {
        Some(line) => Answer::Refused(vec![line.parse().expect("a line")], "as recorded".to_owned()),
        None => Answer::Values(values.split(' ').map(|v| v.parse().ok()).collect()),
    }
}

/// Compares `count` programs of each feature with the answers in a file.
pub(crate) fn compare_with_recorded(path: &str, features: &[Feature], count: usize) {
    let cases = cases(features, count);
    if std::env::var("CONSTANTS").is_ok_and(|asked| asked == "write") {
        let nvrtc = Nvrtc::find().expect("NVRTC is there");
        let answers: Vec<Answer> = cases.chunks(IN_A_FILE).flat_map(|file| theirs(&nvrtc, file)).collect();
        let lines = cases
            .iter()
            .zip(&answers)
            .map(|((feature, case), answer)| line(&features[*feature], case, answer) + "\n");
        std::fs::write(path, lines.collect::<String>()).expect("the file can be written");
    }
    let text = std::fs::read_to_string(path).expect("the file is there");
    let recorded: Vec<Answer> = text.lines().map(answer).collect();
    let expected =
        |((feature, case), answer): (&(usize, Case), &Answer)| line(&features[*feature], case, answer);
    let lines: Vec<String> = cases.iter().zip(&recorded).map(expected).collect();
    assert!(lines.iter().eq(text.lines()), "other programs than recorded: see this module's head");
    let ours = on_all_cores(cases.len(), |n| ours(&cases[n].1));
    let Comparison { counts, differences, .. } = compare(features, &cases, &ours, &recorded);
    assert!(counts.values().all(|c| c.silent == 0), "silently different:\n{differences}");
}

#[test]
fn constants_are_what_cuda_folds() {
    compare_with_nvrtc("constants", &FEATURES);
}

#[test]
fn constants_are_the_recorded_ones() {
    compare_with_recorded(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/constants.txt"), &FEATURES, 4);
}
