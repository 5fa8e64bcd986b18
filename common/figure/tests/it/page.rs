//! Checks pages of reports: they are well-formed and self-contained, and every link has a target, whatever texts the
//! report contains.

use crate::support::{HOSTILE, by_id, parse, text_of};
use figure::html::{POLICY, link};
use figure::markup::Element;
use figure::report::{Graded, Report, handout, ids, page, pictures};
use roxmltree::Document;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SOURCE: &str =
    "__global__ void k(float *out) {\n    __shared__ float tile[16];\n    out[0] = tile[threadIdx.x];\n}\n";

/// A report of a kernel that passed, with every field that a page shows.
fn passed() -> Value {
    let line = |line: u32, work: u64, sectors: u64, shared: u64| {
        json!({ "line": line, "text": "", "work": work, "counters": {
            "global_load_requests": sectors / 4, "global_load_sectors": sectors,
            "shared_load_wavefronts": shared, "shared_load_bank_conflicts": shared / 2, "constant_passes": 3,
        } })
    };
    json!({
        "schema": 2, "lab": "lab-6", "exercise": "tiled", "title": "Tiled matrix product", "file": "tiled.cu",
        "device": { "id": "sim", "name": "simulator (model: H200)", "simulated": true, "memory_bandwidth": 4.8e12,
            "f32_rate": 66.9e12, "host_link_bandwidth": 6.3e10, "source": "device model `h200`" },
        "seed": 1, "status": "passed", "score": 100, "hint": null,
        "checks": [check("compiles", "passed", ""), check("correct_n1", "passed", ""), check("gate_reuse", "passed", "said in the table")],
        "gates": [{ "id": "reuse", "asks": "load each element once (floats loaded: at most 1.2x that)", "value": 1.0625, "bound": "≤", "limit": 1.2,
            "reference": 1.0, "unit": "floats loaded per output", "passed": true, "credit": 1.0, "message": "", "sizes": [
                { "case": "n7", "value": 1.0625, "reference": 1.0, "passed": true }, { "case": "n9", "value": null, "reference": null, "passed": false }] }],
        "case": { "label": "64x64", "sizes": [["m", 64]], "is_report": true, "is_gated": true },
        "counters": { "constant_requests": 2, "constant_passes": 3 },
        "metrics": metrics("modelled"),
        "extras": [{ "fact": { "name": "idle threads", "value": "38 %" } }, { "table": { "title": "Tile sizes", "header": ["tile", "GFLOPS", ""],
            "rows": [["4 x 4", "1533", "###"], ["8 x 8", "5560", "######"]], "notes": ["modelled"] } }],
        "lines": [line(3, 300, 100, 50), line(2, 100, 0, 25)],
        "accesses": [access(3, "shared-load", "tile"), access(3, "global-store", "out")],
        "branches": [{ "file": "tiled.cu", "line": 2, "column": 1, "text": "if", "block": [0, 0, 0], "warp": 1, "taken": 7, "other": 8,
            "is_loop": false, "times": 3 }],
        "diagnostics": [], "printed": "hello\n",
    })
}

fn access(line: u32, kind: &str, name: &str) -> Value {
    let offsets: Vec<u32> = (0..32).map(|lane| 128 * lane).collect();
    json!({ "file": "tiled.cu", "line": line, "column": 5, "text": "out[0] = tile[threadIdx.x];", "kind": kind, "name": name,
        "block": [0, 0, 0], "warp": 0, "mask": u32::MAX, "bytes": 4, "start": 0, "offsets": offsets, "taken": 32, "fewest": 4,
        "all": { "requests": 9, "wasteful": 9, "taken": 288, "fewest": 36 } })
}

fn check(name: &str, status: &str, message: &str) -> Value {
    json!({ "name": name, "status": status, "message": message, "credit": 1.0 })
}

fn metrics(kind: &str) -> Value {
    let model = (kind == "modelled").then_some("h200");
    json!({
        "time": { "seconds": 1.5944e-5, "kind": kind, "model": model, "limit": "latency", "spread": null, "confidence": null, "warm_cache": null },
        "modelled": null, "flops": 94_371_840.0, "bytes": 3_391_488.0, "gflops": 5918.8, "gbps": 212.7, "arithmetic_intensity": 27.826,
        "roofline_percent": 8.85, "load_sectors_per_request": 4.0, "coalesced_sectors": 4, "store_sectors_per_request": 4.0,
        "conflict_degree": 2, "occupancy": { "fraction": 1.0, "blocks": 8, "limit": "threads" }, "baseline": "naive", "speedup": 1.184,
        "share_of_full": 1.48e-5, "full_speedup": 1.198, "load_reduction": 16.0, "source_lines": 22, "speedup_per_line": 0.05,
        "launches": 1, "notes": ["limited by latency"],
    })
}

fn race_access(kind: &str, thread: u32) -> Value {
    json!({ "kind": kind, "thread": [thread, 0, 0], "block": [2, 0, 0], "next_iteration": false, "file": "tiled.cu", "line": 3,
        "code": "tile[threadIdx.x]" })
}

/// A report of a kernel with a race.
fn failed() -> Value {
    let label = |line: u32, start: u32, end: u32, message: &str| json!({ "file": "tiled.cu", "line": line, "column": start, "end_line": line, "end_column": end, "message": message });
    let race = json!({ "code": "shared-memory-race", "severity": "error", "verdict": "program", "message": "two threads use `tile[0]`",
        "file": "tiled.cu", "line": 3, "column": 14, "thread": [1, 0, 0], "block": [2, 0, 0], "notes": ["a note"],
        "help": ["put `__syncthreads()` between"], "related": [], "labels": [label(3, 14, 31, "read"), label(2, 22, 26, "`tile` is declared here")],
        "race": { "element": "tile[0]", "accesses": [race_access("write", 0), race_access("read", 1)],
            "barrier": { "place": "between", "after": 2, "before": 3 } } });
    let elsewhere = json!({ "code": "unused", "severity": "warning", "verdict": "unsupported", "message": "in a header", "notes": [], "help": [],
        "labels": [{ "file": "other.h", "line": 7, "column": 1, "end_line": 7, "end_column": 2, "message": "there" }] });
    let mut report = passed();
    report["status"] = "failed".into();
    report["score"] = 25.into();
    let why = "tiled.cu:3:14: error[shared-memory-race]: two threads";
    let skipped = "not checked: not every result is correct";
    report["checks"] = json!([
        check("compiles", "passed", ""),
        check("correct_n1", "failed", why),
        check("correct_n2", "failed", why),
        check("gate_reuse", "skipped", skipped)
    ]);
    report["gates"] = json!([]);
    report["metrics"]["launches"] = 0.into();
    report["metrics"]["time"] = Value::Null;
    for none in ["lines", "accesses", "branches"] {
        report[none] = json!([]);
    }
    report["diagnostics"] = json!([{ "text": "", "concise": "", "json": race }, { "text": "", "concise": "", "json": elsewhere }]);
    report
}

fn graded(report: &Value) -> Graded {
    Graded { report: Report::from_json(report).unwrap(), source: Some(SOURCE.into()) }
}

/// Checks that hold for every page.
fn well_made<'a>(document: &Document<'a>) {
    let mut ids = BTreeSet::new();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        if let Some(id) = node.attribute("id") {
            assert!(ids.insert(id), "the id {id} is there twice");
        }
        let name = node.tag_name().name();
        assert!(
            !["script", "iframe", "object", "embed", "link", "form", "base", "img"].contains(&name),
            "a {name} element"
        );
        assert!(
            node.attributes()
                .all(|a| !a.name().starts_with("on") && a.name() != "style" && a.name() != "src")
        );
        if name == "svg" {
            let named = node.attribute("role") == Some("img") && node.attribute("aria-labelledby").is_some();
            assert!(named || node.attribute("aria-hidden") == Some("true"), "a picture without a name");
        }
    }
    for node in document.descendants() {
        if let Some(href) = node.attribute("href") {
            assert!(
                ids.contains(href.strip_prefix('#').expect("a link within the page")),
                "{href} leads nowhere"
            );
        }
        for id in node.attribute("aria-labelledby").unwrap_or_default().split_whitespace() {
            assert!(ids.contains(id), "nothing has the id {id}");
        }
    }
    let policy =
        document.descendants().find(|n| n.attribute("http-equiv") == Some("Content-Security-Policy"));
    assert_eq!(policy.unwrap().attribute("content"), Some(POLICY));
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

#[test]
fn a_page_says_what_the_report_says() {
    let html = page(&[graded(&passed())]);
    let document = parse(&html);
    well_made(&document);
    let text = text_of(document.root_element());
    contains(
        &text,
        &[
            "lab-6 tiled: Tiled matrix product",
            "✓ passed 100/100",
            "compiles, correct_n1",
            "reuse: load each element once (floats loaded: at most 1.2x that)",
            "n71.062at most 1.2 floats loaded per output1✓ passed",
            "n9–at most 1.2 floats loaded per output–✗ FAILED",
            "15.94 µs, limited by latencymodelled (h200)",
            "5919 GFLOPS (94\u{202f}371\u{202f}840 FLOP)modelled (h200)",
            "2-way (wavefronts of the worst access)counted",
            "1.5 (1 is a broadcast)",
            "tiled: 5.919 TFLOPS modelled (h200)",
            "naive (baseline): 4.999 TFLOPS modelled (h200)",
            "device model `h200`",
            "38 %",
            "Tile sizes",
            "line 3 (75 %), line 2 (25 %)",
            "25 requests, 100 sectors (4 per request) · 50 shared wavefronts, 25 bank conflicts · 3 constant passes",
            "The kernel printed",
            "hello",
        ],
    );
    assert!(!text.contains("said in the table") && !text.contains("measured"), "{text}");
    assert_eq!(html, page(&[graded(&passed())]), "not the same bytes again");
}

#[test]
fn diagnostics_are_on_their_lines_and_in_a_list_of_links() {
    let html = page(&[graded(&failed())]);
    let document = parse(&html);
    well_made(&document);
    let row = by_id(&document, "lab-6-tiled-source-L3");
    assert_eq!(row.attribute("class"), Some("has-error"));
    let mark = row.descendants().find(|n| n.attribute("class") == Some("primary")).unwrap();
    assert_eq!(text_of(mark), "tile[threadIdx.x]");
    let below = text_of(row.next_sibling_element().unwrap());
    contains(
        &below,
        &[
            "1 error[shared-memory-race]: two threads use tile[0]",
            "here: read",
            "note: in thread (1, 0, 0) of block (2, 0, 0)",
            "note: a note",
            "help: put __syncthreads() between",
        ],
    );
    let declared = by_id(&document, "lab-6-tiled-source-L2");
    assert_eq!(
        text_of(declared.descendants().find(|n| n.attribute("class") == Some("secondary")).unwrap()),
        "tile"
    );
    assert_eq!(text_of(declared.next_sibling_element().unwrap()), "1 tile is declared here");
    let text = text_of(document.root_element());
    contains(
        &text,
        &[
            "– line 3, line 2",
            "2 warning[unused]: in a header",
            "at: other.h:7:1: there",
            "it may be correct CUDA",
            "correct_n1, correct_n2tiled.cu:3:14",
            "– skipped",
        ],
    );
    assert!(!text.contains("Performance at") && !text.contains("Roofline"));
}

/// Old stored grades, whose labels have no ends and whose lines have no work, still produce marks.
#[test]
fn places_alone_are_enough_for_marks() {
    let mut old = failed();
    let race = &mut old["diagnostics"][0]["json"];
    race.as_object_mut().unwrap().remove("labels");
    race["related"] = json!([{ "file": "tiled.cu", "line": 2, "column": 22, "message": "declared" }]);
    old["lines"] = json!([{ "line": 3, "text": "", "counters": { "global_load_requests": 1, "global_load_sectors": 4 } }]);
    let html = page(&[graded(&old)]);
    let document = parse(&html);
    let row = by_id(&document, "lab-6-tiled-source-L3");
    assert_eq!(text_of(row.descendants().find(|n| n.attribute("class") == Some("primary")).unwrap()), "t");
    contains(&text_of(document.root_element()), &["declared", "1 requests, 4 sectors"]);
    assert!(!html.contains("class=\"heat\""));
}

#[test]
fn several_reports_have_an_overview_and_ids_of_their_own() {
    let mut transpose = passed();
    transpose["lab"] = "lab-7".into();
    for name in ["gflops", "arithmetic_intensity"] {
        transpose["metrics"][name] = Value::Null;
    }
    let mut other = transpose.clone();
    other["exercise"] = "padded".into();
    let mut measured = passed();
    measured["metrics"] = metrics("measured");
    let all = [passed(), failed(), passed(), measured, transpose, other].map(|r| graded(&r));
    let html = page(&all);
    let document = parse(&html);
    well_made(&document);
    contains(
        &text_of(document.root_element()),
        &["6 exercises, 5 passed", "25/100", "15.94 µs measured", "lab-7 padded", "FLOP per byte"],
    );
    for id in ["lab-6-tiled", "lab-6-tiled.2", "lab-6-tiled.4", "lab-7-tiled", "lab-7-padded"] {
        by_id(&document, id);
    }
    // No picture mixes kinds of time, so the only measured kernel appears only in its own section.
    let is_access =
        |n: &roxmltree::Node<'_, '_>| n.parent().and_then(|n| n.attribute("class")) == Some("access");
    for node in document.descendants().filter(|n| n.has_tag_name("figure") && !is_access(n)) {
        let text = text_of(node);
        assert!(text.contains("modelled") != text.contains("measured"), "{text}");
    }
    parse(&page(&[]));
}

/// Replaces every string of a report by a hostile text, except a few fixed words.
fn poison(value: &mut Value, key: &str) {
    match value {
        Value::String(text) if !["status", "kind", "bound"].contains(&key) => {
            *text = format!("{text}{HOSTILE}")
        }
        Value::Array(values) => values.iter_mut().for_each(|v| poison(v, key)),
        Value::Object(fields) => fields.iter_mut().for_each(|(k, v)| poison(v, k)),
        _ => {}
    }
}

#[test]
fn hostile_texts_of_a_report_stay_texts() {
    for mut report in [passed(), failed()] {
        let plain = page(&[graded(&report)]);
        poison(&mut report, "");
        let html = page(&[Graded { source: Some(HOSTILE.repeat(50)), ..graded(&report) }]);
        let document = parse(&html);
        well_made(&document);
        let names = |document: &Document<'_>| -> BTreeSet<String> {
            let elements = document.descendants().filter(roxmltree::Node::is_element);
            elements.map(|n| n.tag_name().name().to_owned()).collect()
        };
        let mut known = names(&parse(&plain));
        known.extend(["mark", "ol", "li", "a"].map(str::to_owned));
        let unknown: Vec<String> = names(&document).difference(&known).cloned().collect();
        assert!(unknown.is_empty(), "text became {unknown:?}");
        contains(&text_of(document.root_element()), &["</script><img src=x onerror=alert(1)>&amp;<!--"]);
    }
}

/// Impossible numbers and line numbers still produce a page.
#[test]
fn absurd_numbers_make_a_page() {
    let mut report = failed();
    report["metrics"] = metrics("modelled");
    for (name, value) in [
        ("gflops", 1e300),
        ("arithmetic_intensity", 1e-300),
        ("gbps", -1.0),
        ("speedup", 1e-200),
        ("share_of_full", 1e99),
    ] {
        report["metrics"][name] = value.into();
    }
    report["lines"] = json!([{ "line": u32::MAX, "text": "", "work": u64::MAX / 2, "counters": { "global_load_requests": u64::MAX / 8 } }]);
    let label = &mut report["diagnostics"][0]["json"]["labels"][0];
    for (name, value) in [("line", 0), ("column", 0), ("end_line", u32::MAX), ("end_column", u32::MAX)] {
        label[name] = value.into();
    }
    let html = page(&[graded(&report)]);
    well_made(&parse(&html));
    assert!(html.len() < 200_000, "{} bytes", html.len());
}

#[test]
fn what_is_no_report_is_refused_by_name() {
    let refused = |value: Value| Report::from_json(&value).unwrap_err().to_string();
    assert!(refused(json!({})).contains("has no `schema`"));
    assert!(refused(json!({ "schema": 1 })).contains("schema 1"));
    assert!(refused(json!({ "schema": 2, "error": "is empty" })).contains("the file has no grade: is empty"));
    let mut report = passed();
    report.as_object_mut().unwrap().remove("gates");
    assert!(refused(report).contains("`gates`"));
}

/// The page shows the advice for the next step and the hints of missed gates.
#[test]
fn a_page_says_what_to_try() {
    let mut report = passed();
    report["next"] = "`cargo lab run 6 register_tiled`".into();
    report["gates"][0]["hint"] = "is each element read once?".into();
    let hint = "reuse: is each element read once?";
    let html = page(&[graded(&report)]);
    assert!(!text_of(parse(&html).root_element()).contains(hint), "the gate holds");
    report["gates"][0]["passed"] = false.into();
    let html = page(&[graded(&report)]);
    let document = parse(&html);
    well_made(&document);
    contains(&text_of(document.root_element()), &[hint, "Next: cargo lab run 6 register_tiled"]);
}

/// Without the file, the page shows the lines that the report quotes, and links only to those.
#[test]
fn without_a_source_its_quoted_lines_are_shown() {
    let mut report = failed();
    report["diagnostics"][0]["text"] = "error: two threads\n3 |     out[0] = tile[threadIdx.x];\n".into();
    report["lines"] = json!([{ "line": 3, "text": "    out[0] = x;", "work": 4, "counters": { "global_store_requests": 1, "global_store_sectors": 4 } }]);
    let html = page(&[Graded { source: None, ..graded(&report) }]);
    let document = parse(&html);
    well_made(&document);
    contains(
        &text_of(document.root_element()),
        &[
            "The file could not be read.",
            "3 |     out[0] = tile[threadIdx.x];",
            "out[0] = x;",
            "1 requests, 4 sectors",
            "– line 3, line 2",
        ],
    );
}

/// The foldable parts of a page: its pictures of single warps.
fn drawn<'a>(document: &'a Document<'a>) -> Vec<roxmltree::Node<'a, 'a>> {
    let is_picture = |node: &roxmltree::Node<'_, '_>| node.attribute("class") == Some("access");
    document.descendants().filter(is_picture).collect()
}

#[test]
fn what_a_run_recorded_is_drawn_on_its_line() {
    let html = page(&[graded(&passed())]);
    let document = parse(&html);
    well_made(&document);
    let told: Vec<String> =
        drawn(&document).iter().map(|node| text_of(node.first_element_child().unwrap())).collect();
    let expected = [
        "One warp's branch: 3 lanes one way, 1 the other",
        "One warp's shared load of tile: 32 wavefronts, at least 4",
        "One warp's global store of out: 32 sectors, at least 4",
    ];
    assert_eq!(told, expected);
    // Each picture stands below its line: after the row of that line and before the row of the next.
    let place = |part: &str| html.find(part).unwrap();
    let [second, third, fourth] = [2, 3, 4].map(|line| place(&format!("id=\"lab-6-tiled-source-L{line}\"")));
    let [branch, store] = [place("branch: 3 lanes"), place("<code>out</code>: 32 sectors")];
    assert!(second < branch && branch < third && third < store && store < fourth);
    // Without the file, the pictures form a list.
    let html = page(&[Graded { source: None, ..graded(&passed()) }]);
    let document = parse(&html);
    well_made(&document);
    assert_eq!(drawn(&document).len(), 3);
}

#[test]
fn a_race_is_drawn_where_it_is_described() {
    for source in [Some(SOURCE.to_owned()), None] {
        let html = page(&[Graded { source, ..graded(&failed()) }]);
        let document = parse(&html);
        well_made(&document);
        let [race] = drawn(&document)[..] else { panic!("{html}") };
        contains(&text_of(race), &["No `__syncthreads()` between lines 2 and 3", "write", "read"]);
    }
}

#[test]
fn pictures_of_a_report_are_files_and_text() {
    let mut both = passed();
    both["diagnostics"] = failed()["diagnostics"].clone();
    let pictures = pictures(&Report::from_json(&both).unwrap());
    let lines: Vec<Option<u32>> = pictures.iter().map(|picture| picture.line).collect();
    assert_eq!(lines, [Some(3), Some(2), Some(3), Some(3)]);
    for picture in &pictures {
        let svg = picture.svg();
        let document = parse(&svg);
        assert!(document.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")));
        assert!(!picture.text.is_empty() && !picture.summary.is_empty());
    }
    // An old report without pictures.
    let mut old = passed();
    for field in ["accesses", "branches"] {
        old.as_object_mut().unwrap().remove(field);
    }
    assert!(figure::report::pictures(&Report::from_json(&old).unwrap()).is_empty());
}

#[test]
fn a_handout_has_a_heading_and_a_section_for_each_report() {
    let all = [graded(&passed()), graded(&failed())];
    let before = Element::new("p").children(ids(&all).iter().map(|id| link(id, id.as_str())));
    let html = handout("Ada <1>", vec![before], &all);
    let document = parse(&html);
    well_made(&document);
    let headings: Vec<String> =
        document.descendants().filter(|n| n.has_tag_name("h1")).map(text_of).collect();
    assert_eq!(headings, ["Ada <1>"]);
    assert_eq!(ids(&all), ["lab-6-tiled", "lab-6-tiled.2"]);
}

/// `map_texts` replaces every text of a student and leaves the page's own words.
#[test]
fn texts_of_a_report_can_be_replaced() {
    let mut report = failed();
    report["hint"] = "a hint".into();
    report["next"] = "go there".into();
    let with = text_of(parse(&page(&[Graded { source: None, ..graded(&report) }])).root_element());
    let mut replaced = Graded { source: None, ..graded(&report) };
    replaced.report.map_texts(|_| "#".to_owned());
    let text = text_of(parse(&page(&[replaced])).root_element());
    for gone in [
        "tiled.cu",
        "two threads",
        "put __syncthreads",
        "tile[0]",
        "tile[threadIdx.x]",
        "a note",
        "hello",
        "a hint",
        "go there",
        "other.h",
        "in a header",
    ] {
        assert!(with.contains(gone), "{gone}");
        let body = text.split("FAILED").nth(1).unwrap();
        assert!(!body.contains(gone), "{gone} is in\n{body}");
    }
    contains(&text, &["shared-memory-race", "correct_n1", "FAILED"]);
}
