//! Checks pictures of single warps: for any record they are well-formed and legible, and agree with their text form.

use crate::support::{HOSTILE, Random, legible, parse, text_of};
use figure::lanes::{lane_list, lanes_of};
use figure::svg::Figure;
use figure::warp::{COLUMNS, Pictured};
use report::{Race, WarpAccess, WarpBranch};
use serde_json::{Value, json};

/// A random access that a run could record.
fn random_access(random: &mut Random) -> Value {
    let kinds = [
        "global-load",
        "global-store",
        "global-atomic",
        "shared-load",
        "shared-store",
        "shared-atomic",
        "constant-load",
    ];
    let bytes = [1, 2, 4, 8, 16][random.below(5) as usize];
    let masks = [u32::MAX, 1, 0x8000_0000, 0xffff, 0x5555_5555, random.bits() as u32 | 1];
    let mask = masks[random.below(6) as usize];
    let (stride, from) = ([0, 1, 2, 17, 32, 33, 100_000][random.below(7) as usize], random.below(40));
    let offset = |lane: u32, random: &mut Random| match random.below(8) {
        0 => bytes * random.below(1000),
        _ => bytes * (from + stride * u64::from(lane)),
    };
    let offsets: Vec<u64> = lanes_of(mask).map(|lane| offset(lane, random)).collect();
    json!({
        "line": 1 + random.below(100_000), "text": "sum += a[i];", "kind": kinds[random.below(7) as usize], "name": "a",
        "block": [random.below(70_000), random.below(70_000), 0], "warp": random.below(32), "mask": mask, "bytes": bytes,
        "start": bytes * random.below(9), "offsets": offsets, "taken": 8, "fewest": 4,
        "all": { "requests": random.below(3), "wasteful": random.below(2), "taken": random.bits() >> 30, "fewest": 4 },
    })
}

fn access(value: &Value) -> WarpAccess {
    serde_json::from_value(value.clone()).unwrap()
}

/// Checks that hold for the text form of every picture.
fn is_plain(text: &[String]) {
    for line in text {
        assert!(line.chars().count() <= COLUMNS, "{line}");
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

/// Checks that the playground's script can copy the picture: it uses only elements and attributes that the script
/// lists, and the script gives `id`s and references new names.
fn made_again(figure: &Figure) {
    let script = include_str!("../../../../docs/src/playground/picture.js");
    let list = |name: &str| -> Vec<&str> {
        let after = script.split_once(&format!("const {name} = new Set([")).unwrap().1;
        after.split_once(']').unwrap().0.split('"').skip(1).step_by(2).collect()
    };
    let (elements, mut attributes) = (list("ELEMENTS"), list("ATTRIBUTES"));
    attributes.extend(["id", "aria-labelledby"]);
    let text = figure.clone().fragment();
    for node in parse(&text).descendants().filter(|node| node.is_element()) {
        assert_eq!(node.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
        assert!(elements.contains(&node.tag_name().name()), "{}", node.tag_name().name());
        node.attributes().for_each(|one| assert!(attributes.contains(&one.name()), "{}", one.name()));
    }
}

fn is_well_made(figure: Figure, is_bounded: bool) {
    if is_bounded {
        legible(figure.clone());
    }
    let description = figure.description.clone();
    made_again(&figure);
    let text = figure.document();
    let document = parse(&text);
    assert!(
        !description.is_empty() && text_of(document.root_element()).contains("prefers-color-scheme:dark")
    );
}

#[test]
fn every_access_has_a_picture_and_a_text() {
    let mut random = Random(3);
    for _ in 0..400 {
        let value = random_access(&mut random);
        let access = access(&value);
        let figure = access.figure("one").unwrap_or_else(|| panic!("{value}"));
        let text = access.text().unwrap();
        is_plain(&text);
        // Both the description and the text form name the number of lanes and the cost.
        let lanes = format!("{} lane", access.mask.count_ones());
        assert!(figure.description.contains(&lanes) && text.join(" ").contains(&lanes), "{value}");
        is_well_made(figure, true);
    }
}

#[test]
fn numbers_of_a_picture_are_those_of_the_addresses() {
    let column: Vec<u32> = (0..32).map(|lane| 4096 * lane).collect();
    let of = |kind: &str, bytes: u32, offsets: &[u32]| {
        access(&json!({
            "line": 7, "text": "x", "kind": kind, "name": null, "block": [0, 0, 0], "warp": 0, "mask": u32::MAX,
            "bytes": bytes, "start": 0, "offsets": offsets, "taken": 0, "fewest": 0,
            "all": { "requests": 1, "wasteful": 0, "taken": 0, "fewest": 0 },
        }))
    };
    let row = |bytes: u32| (0..32).map(|lane| bytes * lane).collect::<Vec<u32>>();
    for (access, told) in [
        (of("global-load", 4, &column), "32 sectors for 128 different bytes; they fit into 4. 12.5 %"),
        (of("global-load", 16, &row(16)), "16 sectors for 512 different bytes, the fewest. 100 %"),
        (of("global-load", 1, &row(1)), "1 sector for 32 different bytes, the fewest."),
        (of("global-atomic", 4, &[0; 32]), "Up to 32 lanes update the same address"),
        (of("shared-load", 4, &column), "32 wavefronts; without bank conflicts 1. Bank 0 has 32 words"),
        (of("shared-load", 4, &[0; 32]), "1 wavefront; there is no bank conflict."),
        (of("shared-load", 8, &row(8)), "2 wavefronts; there is no bank conflict."),
        (of("shared-load", 16, &row(16)), "4 wavefronts; there is no bank conflict."),
        (of("shared-load", 16, &[0; 32]), "2 wavefronts; there is no bank conflict."),
        (of("constant-load", 4, &row(4)), "32 passes, one for each different word"),
    ] {
        let description = access.figure("one").unwrap().description;
        assert!(description.contains(told), "{told:?} is not in {description:?}");
        let text = access.text().unwrap().join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(told), "{told:?} is not in {text:?}");
    }
    let text = of("global-load", 4, &column).text().unwrap();
    assert_eq!(text[5], "         0  |#.......|        |        |        |  lane 0");
    assert_eq!(text[7], "            and 29 lines of 128 bytes like these");
}

#[test]
fn what_contradicts_itself_has_no_picture() {
    let good = random_access(&mut Random(1));
    assert!(access(&good).figure("one").is_some());
    let changes: [(&str, Value); 6] = [
        ("bytes", 3.into()),
        ("bytes", 0.into()),
        ("bytes", u32::MAX.into()),
        ("mask", 0.into()),
        ("offsets", json!([1, 2])),
        ("kind", "texture-load".into()),
    ];
    for (field, value) in changes {
        let mut bad = good.clone();
        bad[field] = value.clone();
        let access = access(&bad);
        assert!(access.figure("one").is_none() && access.text().is_none(), "{field}: {value}");
    }
    let branch = |taken: u32, other: u32| -> WarpBranch {
        serde_json::from_value(json!({
            "line": 1, "text": "", "block": [0, 0, 0], "warp": 0, "taken": taken, "other": other, "is_loop": false, "times": 1,
        }))
        .unwrap()
    };
    for (taken, other) in [(0, 1), (1, 0), (3, 1)] {
        assert!(branch(taken, other).figure("one").is_none() && branch(taken, other).text().is_none());
    }
    assert!(branch(1, 2).figure("one").is_some());
    let race: Race =
        serde_json::from_value(json!({ "element": "s[0]", "accesses": [], "barrier": { "place": "none" } }))
            .unwrap();
    assert!(race.figure("one").is_none() && race.text().is_none());
}

#[test]
fn branches_and_loops_name_their_lanes() {
    for is_loop in [false, true] {
        for (taken, other) in
            [(1u32, u32::MAX - 1), (0xffff, 0xffff_0000), (1, 2), (0x5555_5555, 0xaaaa_aaaa)]
        {
            let branch: WarpBranch = serde_json::from_value(json!({
                "line": 12, "text": "if (i < n) {", "block": [1, 2, 3], "warp": 4, "taken": taken, "other": other,
                "is_loop": is_loop, "times": 5000,
            }))
            .unwrap();
            let text = branch.text().unwrap();
            is_plain(&text);
            assert!(text[1].contains("warp 4 of block (1, 2, 3)"), "{text:?}");
            let row: String = (0..32).map(|lane| if taken >> lane & 1 == 1 { '#' } else { '.' }).collect();
            assert!(text[2].contains(&row), "{text:?}");
            let figure = branch.figure("one").unwrap();
            let list = lane_list(&lanes_of(other).collect::<Vec<_>>());
            let named = if other == 0xaaaa_aaaa { "16 lanes".into() } else { list };
            assert!(figure.description.contains(&named), "{}", figure.description);
            is_well_made(figure, true);
        }
    }
}

fn race(place: &str, code: &str) -> Race {
    serde_json::from_value(json!({
        "element": "tile[3][0]",
        "accesses": [
            { "kind": "write", "thread": [0, 1, 0], "block": [2, 0, 0], "next_iteration": true, "line": 30, "code": code },
            { "kind": "read", "thread": [31, 1, 0], "block": [2, 0, 0], "next_iteration": false, "line": 34, "code": code },
        ],
        "barrier": { "place": place, "after": 30, "before": 34 },
    }))
    .unwrap()
}

#[test]
fn a_race_is_a_time_line_with_the_missing_barrier() {
    for (place, told) in [
        ("between", "no `__syncthreads()` between lines 30 and 34"),
        ("loop-end", "no `__syncthreads()` at the end of the loop's body"),
        ("loop-start", "no `__syncthreads()` at the start of the loop's body"),
        ("none", "nothing orders threads of different blocks"),
        ("unknown", "no `__syncthreads()` between the two"),
        ("a word of a later version", "no `__syncthreads()` between the two"),
        ("", "no `__syncthreads()` between the two"),
    ] {
        let mut race = race(place, "tile[ty][tx]");
        // Current reports do not have the place of the barrier.
        race.barrier = race.barrier.filter(|_| !place.is_empty());
        let text = race.text().unwrap();
        is_plain(&text);
        let at = |part: &str| text.iter().position(|line| line.contains(part)).unwrap();
        let (first, gap, second) = (at("[write, line 30, next iteration]"), at(told), at("[read, line 34]"));
        assert!(first < gap && gap < second, "{text:?}");
        let figure = race.figure("one").unwrap();
        let order = [
            "thread (0, 1, 0) of block (2, 0, 0) first: write, line 30, next iteration",
            "then thread (31, 1, 0) of block (2, 0, 0): read, line 34",
        ];
        assert!(order.iter().all(|part| figure.description.contains(part)), "{}", figure.description);
        is_well_made(figure, true);
    }
}

#[test]
fn hostile_texts_stay_text() {
    let mut value = random_access(&mut Random(5));
    (value["name"], value["text"]) = (HOSTILE.into(), HOSTILE.into());
    let access = access(&value);
    is_plain(&access.text().unwrap());
    is_well_made(access.figure(HOSTILE).unwrap(), false);
    let hostile = Race { element: HOSTILE.into(), ..race(HOSTILE, HOSTILE) };
    is_plain(&hostile.text().unwrap());
    is_well_made(hostile.figure(HOSTILE).unwrap(), false);
}
