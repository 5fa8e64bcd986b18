//! A file of twice as many parts costs about twice as much, counted in steps and not in seconds, or a budget ends it; and what is said of
//! it stays short.

use super::{kernel, parts, shapes};
use crate::support::on_all_cores;
use cuda_front::{Options, compile};
use cuda_syntax::budget::{Cost, Limits};
use source::render;

/// Bytes of the smaller file.
const BYTES: usize = 1000;

/// The part of each limit that a file may have here, so that what a budget ends is ended soon.
const SHARE: u64 = 40;

/// Bytes of everything that is rendered of a file, in all formats.
const MAX_RENDERED: usize = 256 << 10;

/// Shapes whose work grows faster, until a budget ends it.
const GROWING: &[&str] = &[
    // The value of each macro is found through all before it.
    "text::macro_chain",
    // A line of words that begins nothing is read again for each place where a declaration might begin.
    "syntax::words",
    // Labels of a block are looked through one by one.
    // Each instance has a longer array than the one before it.
    "names::class_instances",
    // Each condition has code of its own, and sets of twice as many registers are joined after it.
    "syntax::logical_chain",
    // Each `return` ends all objects before it.
    "code::destructors",
    // Twice as many loops, each around all that is inside.
    "hostile::loops_in_one_another",
    // Twice as many calls for each function.
    "code::calls_doubling",
    // Each paste makes a longer word.
    "hostile::macro_paste_chain",
];

/// What each kind of work came to, and whether the file was refused because of a limit.
fn spent(text: &str) -> Result<([u64; Cost::ALL.len()], bool), String> {
    let options = Options { limits: Limits::divided(SHARE), ..Options::default() };
    let compiled = compile("shape.cu", text, &options);
    let mut rendered = 0;
    for d in &compiled.diagnostics {
        let json = serde_json::to_string(&report::Diagnostic::of(&compiled.sources, d)).unwrap();
        rendered += json.len() + render::full(&compiled.sources, d, false).len();
        rendered += render::concise(&compiled.sources, d).len();
        if let Some(c) = json.chars().find(|c| c.is_control()) {
            return Err(format!("{c:?} in {json}"));
        }
    }
    if rendered > MAX_RENDERED {
        return Err(format!("{rendered} bytes are rendered"));
    }
    if compiled.module.is_none() && !compiled.has_errors() {
        return Err("no module and no error".to_owned());
    }
    let limited = compiled.diagnostics.iter().any(|d| {
        let code = d.code.as_str();
        assert_ne!(code, "internal-error", "{:?}", d.notes);
        ["too-", "nesting", "limit", "template-depth", "calls-", "kernel-too-long"]
            .iter()
            .any(|part| code.contains(part))
    });
    Ok((Cost::ALL.map(|cost| compiled.spent.spent(cost)), limited))
}

#[test]
fn twice_as_many_parts_cost_twice_as_much() {
    let all: Vec<_> = shapes().collect();
    let faults = on_all_cores(all.len(), |number| {
        let (name, text) = &all[number];

        let n = parts(*text, BYTES);
        let (once, twice) = match (spent(&text(n)), spent(&text(2 * n))) {
            (Ok((once, false)), Ok((twice, false))) => (once, twice),
            (Ok(_), Ok(_)) => return None,
            (Err(fault), _) | (_, Err(fault)) => return Some(format!("{name}: {fault}")),
        };
        let more = (0..once.len()).find(|at| twice[*at] > once[*at] * 23 / 10 + 500);
        match (more, GROWING.contains(&name.as_str())) {
            (Some(at), false) => {
                Some(format!("{name}: {:?} from {} to {}", Cost::ALL[at], once[at], twice[at]))
            }
            (None, true) => Some(format!("{name} does not grow any more")),
            _ => None,
        }
    });
    let faults: Vec<String> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn what_takes_too_long_to_optimise_is_refused_at_its_loop() {
    let nest: String = (0..40).map(|i| format!("for (int i{i} = 0; i{i} < o[{i}]; i{i}++) ")).collect();
    let body: String = (0..200).map(|i| format!("o[{i}]++;")).collect();
    let text = kernel(&format!("o[0] = 1;\n{nest} {{ {body} }}"));
    let options = Options { limits: Limits::divided(200), ..Options::default() };
    let compiled = compile("nest.cu", &text, &options);
    let [refused] = compiled.diagnostics.as_slice() else { panic!("{:?}", compiled.diagnostics) };
    assert_eq!(refused.code.as_str(), "kernel-too-long");
    let line = refused.span().map(|span| compiled.sources.position(span).line);
    assert_eq!(line, Some(3), "the loop's, not the kernel's");
    assert!(compile("nest.cu", &text, &Options::default()).module.is_some());
}
