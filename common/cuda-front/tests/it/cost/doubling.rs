//! A file of twice as many parts costs about twice as much, counted in steps and not in seconds, or a budget ends it; and what is said of
//! it stays short.

use super::{parts, shapes};
use crate::support::on_all_cores;
use cuda_front::budget::Cost;
use cuda_front::{Options, compile};
use source::render;

/// Bytes of the smaller file.
const BYTES: usize = 2500;

/// Bytes of everything that is rendered of a file, in all formats.
const MAX_RENDERED: usize = 256 << 10;

/// Shapes whose meaning has more than twice as much in it, such as each of `n` lists in each of `n` others.
const GROWING: &[&str] = &[];

/// What each kind of work came to, and whether the file was refused because of a limit.
fn spent(text: &str) -> Result<([u64; Cost::ALL.len()], bool), String> {
    let compiled = compile("shape.cu", text, &Options::default());
    let mut rendered = 0;
    for d in &compiled.diagnostics {
        let json = render::json(&compiled.sources, d).to_string();
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
#[ignore = "takes minutes, and some shapes are not within it yet"]
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
        let more = (0..once.len()).find(|at| twice[*at] > once[*at] * 5 / 2 + 500);
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
