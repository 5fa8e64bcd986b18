//! Merging shards.

use crate::support::{error, report};
use gradebook::Lines;
use gradebook::merge::merge;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::Cursor;

fn source(name: &str, objects: &[Value]) -> Lines<Cursor<Vec<u8>>> {
    let text: String = objects.iter().map(|object| format!("{object}\n")).collect();
    Lines::new(Cursor::new(text.into_bytes()), name)
}

fn merged(sources: Vec<Lines<Cursor<Vec<u8>>>>, files: Option<u64>) -> Result<String, String> {
    let mut text = String::new();
    let merged = merge(sources, files).map_err(|e| e.to_string())?;
    let count = merged.count();
    merged
        .write(|line| {
            text.push_str(line);
            text.push('\n');
            Ok(())
        })
        .map_err(|e| e.to_string())?;
    assert_eq!(text.lines().count(), count);
    Ok(text)
}

fn object(index: u64) -> Value {
    match index % 3 {
        0 => error(index, &format!("{index}.cu"), "killed"),
        _ => report(index, &format!("{index}.cu"), json!({ "printed": "µ\n".repeat(index as usize) })),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Dealt out in any way and order, the shards give the lines of one run.
    #[test]
    fn shards_give_one_run(dealt in prop::collection::vec(0_usize..4, 1..40), order in any::<u64>()) {
        let objects: Vec<Value> = (0..dealt.len() as u64).map(object).collect();
        let single: String = objects.iter().map(|object| format!("{object}\n")).collect();
        let mut shards = vec![Vec::new(); 4];
        for (object, shard) in objects.into_iter().zip(&dealt) {
            let at = (order as usize).wrapping_mul(7 + shards[*shard].len()) % (shards[*shard].len() + 1);
            shards[*shard].insert(at, object);
        }
        let sources = shards.iter().enumerate().map(|(i, shard)| source(&i.to_string(), shard)).collect();
        prop_assert_eq!(merged(sources, Some(dealt.len() as u64)), Ok(single));
    }
}

#[test]
fn what_does_not_make_one_run_is_named() {
    let a = |indices: &[u64]| source("a", &indices.iter().map(|i| object(*i)).collect::<Vec<_>>());
    let b = |indices: &[u64]| source("b", &indices.iter().map(|i| object(*i)).collect::<Vec<_>>());
    for (sources, files, message) in [
        (vec![a(&[0, 2]), b(&[1, 2])], None, "a:2 and b:2 both have index 2"),
        (vec![a(&[0, 9]), b(&[1, 5])], None, "no line has index 2 to 4, 6 to 8"),
        (vec![a(&[1])], None, "no line has index 0"),
        (vec![a(&[0]), b(&[1])], Some(4), "no line has index 2 to 3"),
        (vec![a(&[0]), b(&[1])], Some(1), "b:1: the object has index 1, but the run is said to have 1 files"),
        (vec![a(&[0, u64::MAX])], None, "no line has index 1 to 18446744073709551614"),
        (vec![source("a", &[])], None, "there are no results"),
        (vec![source("a", &[json!({ "schema": 3 })])], None, "a:1: "),
        (
            vec![source("a", &[report(0, "x", json!({ "index": null }))])],
            None,
            "a:1: the object has no `index`",
        ),
        (
            vec![a(&[0, 1]), source("b", &[report(2, "x", json!({ "seed": 2 }))])],
            None,
            "a:2 was graded with seed 1, and b:1 with seed 2",
        ),
    ] {
        let error = merged(sources, files).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    let many: Vec<u64> = (0..40).step_by(2).collect();
    let error = merged(vec![a(&many)], None).unwrap_err();
    assert!(error.ends_with("15 and 11 more ranges"), "{error}");
}

#[test]
fn a_cut_shard_is_said() {
    let mut text = format!("{}\n{}\n", object(0), object(1)).into_bytes();
    text.truncate(text.len() - 20);
    let cut = merge(vec![Lines::new(Cursor::new(text), "a")], None).unwrap();
    assert_eq!((cut.count(), &cut.cut[..]), (1, &[("a".to_owned(), 2)][..]));
}
