//! Checks tokens and listings with real and hostile text.

use crate::support::{HOSTILE, Random, by_id, parse, text_of};
use figure::highlight::{Class, tokens};
use figure::listing::{Emphasis, Listing, MAX_COLUMNS, MAX_LINES, MAX_TOKENS, Mark, Remarks, Tint, line_id};
use figure::markup::Element;
use std::collections::BTreeMap;

fn classes(text: &str) -> Vec<(&str, Class)> {
    tokens(text).into_iter().map(|(range, class)| (&text[range], class)).collect()
}

#[test]
fn tokens_of_cuda_have_their_classes() {
    use Class::{Builtin, Comment, Directive, Keyword, Number, Qualifier, String};
    let cases: [(&str, &[(&str, Class)]); 12] = [
        (
            "__global__ void k(float *out)",
            &[("__global__", Qualifier), ("void", Keyword), ("float", Keyword)],
        ),
        ("int i = threadIdx.x;", &[("int", Keyword), ("threadIdx", Builtin)]),
        (
            "__syncthreads(); atomicAdd(p, 1u);",
            &[("__syncthreads", Builtin), ("atomicAdd", Builtin), ("1u", Number)],
        ),
        (
            "float4 v; uchar2 w; longlong2 l; my4 m;",
            &[("float4", Builtin), ("uchar2", Builtin), ("longlong2", Builtin)],
        ),
        (
            "x = 1.5e-3f + 0x1fp+2 + 1'000 - .5;",
            &[("1.5e-3f", Number), ("0x1fp+2", Number), ("1'000", Number), (".5", Number)],
        ),
        ("0x1e+2", &[("0x1e", Number), ("2", Number)]),
        ("a /* b\nc */ d // e \\\n f\ng", &[("/* b\nc */", Comment), ("// e \\\n f", Comment)]),
        (
            r#"s = "a\"b" 'c' u8"d" L'e';"#,
            &[("\"a\\\"b\"", String), ("'c'", String), ("u8\"d\"", String), ("L'e'", String)],
        ),
        ("R\"x(a)\" )x\" y", &[("R\"x(a)\" )x\"", String)]),
        (
            "#define N 4 /* c */ \\\n + 1\nN",
            &[("#define N 4", Directive), ("/* c */", Comment), ("+ 1", Directive)],
        ),
        ("#define U \"http://x\" // y", &[("#define U \"http://x\"", Directive), ("// y", Comment)]),
        ("int größe = a#b;", &[("int", Keyword)]),
    ];
    for (text, expected) in cases {
        assert_eq!(classes(text), expected, "{text}");
    }
}

#[test]
fn tokens_of_any_text_are_in_order_and_on_characters() {
    let pieces = [
        "\"",
        "'",
        "\\",
        "\n",
        "/*",
        "*/",
        "//",
        "R\"(",
        ")\"",
        "R\"ab(",
        "#",
        "0x",
        "1e+",
        "µ",
        "\u{10ffff}",
        " ",
        "int",
        "__global__",
        "u8",
        "'",
        "\r\n",
        "e",
        "1'",
        ".",
        "\0",
    ];
    let mut random = Random(4);
    for _ in 0..10_000 {
        let text: String =
            (0..random.below(14)).map(|_| pieces[random.below(pieces.len() as u64) as usize]).collect();
        let mut last = 0;
        for (range, _) in tokens(&text) {
            assert!(range.start >= last && range.start < range.end, "{range:?} after {last} in {text:?}");
            assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
            last = range.end;
        }
    }
}

fn listing(text: &str, remarks: BTreeMap<u32, Remarks>) -> String {
    Listing { id: "k", label: "source".into(), text, remarks }.element().to_string()
}

/// The code of a line, as text.
fn code(html: &str, line: u32) -> String {
    let document = parse(html);
    let row = by_id(&document, &line_id("k", line));
    text_of(row.children().find(|n| n.attribute("class") == Some("code")).unwrap())
}

#[test]
fn lines_are_whole_whatever_is_marked() {
    let mut random = Random(5);
    let text = "int größe = x[i]; // \"a\" µ\n\n\tfor (;;) { y = 'c'; }";
    let lines: Vec<&str> = text.lines().collect();
    for _ in 0..500 {
        let mut remarks: BTreeMap<u32, Remarks> = BTreeMap::new();
        for _ in 0..random.below(5) {
            let start = random.below(40) as u32;
            let end = (start + random.below(9) as u32).saturating_sub(2);
            let emphasis = if random.below(2) == 0 { Emphasis::Primary } else { Emphasis::Secondary };
            let mark = Mark { columns: start..end, emphasis };
            remarks.entry(1 + random.below(3) as u32).or_default().marks.push(mark);
        }
        let html = listing(text, remarks.clone());
        for (number, line) in (1..).zip(&lines) {
            assert_eq!(code(&html, number), *line, "{remarks:?}");
        }
    }
}

#[test]
fn marks_tints_and_heat_are_on_their_lines() {
    let mark = |columns, emphasis| Mark { columns, emphasis };
    let below = vec![Element::new("div").text("told")];
    let marks = vec![mark(9..13, Emphasis::Primary), mark(1..4, Emphasis::Secondary)];
    let remarks = Remarks { marks, tint: Some(Tint::Error), heat: Some(0.714), below };
    let html = listing(
        "a\nint x = y[i];\r\n",
        BTreeMap::from([(2, remarks), (9, Remarks { heat: Some(0.004), ..Remarks::default() })]),
    );
    let document = parse(&html);
    let row = by_id(&document, "k-L2");
    assert_eq!(row.attribute("class"), Some("has-error"));
    let marked: Vec<_> = row
        .descendants()
        .filter(|n| n.has_tag_name("mark"))
        .map(|n| (n.attribute("class"), text_of(n)))
        .collect();
    assert_eq!(marked, [(Some("secondary"), "int".to_owned()), (Some("primary"), "y[i]".to_owned())]);
    assert!(text_of(row).contains("71 %"));
    assert_eq!(text_of(row.next_sibling_element().unwrap()), "told");
    // The text has no line 9; its remark appears at the end.
    assert!(text_of(by_id(&document, "k-L9")).contains("<1 %"));
    assert!(!html.contains('\r') && !html.contains("k-L3"));
}

#[test]
fn hostile_text_stays_text() {
    let html = listing(&format!("a\n{HOSTILE}\n__global__"), BTreeMap::new());
    let document = parse(&html);
    let names: std::collections::BTreeSet<&str> =
        document.descendants().filter(|n| n.is_element()).map(|n| n.tag_name().name()).collect();
    assert_eq!(names, ["span", "table", "tbody", "td", "th", "tr"].into());
    let shown = code(&html, 2);
    assert!(
        shown.starts_with(
            "</script><img src=x onerror=alert(1)>&amp;<!-- ]]> \"'><svg onload=x>␀␁␈␋␛[31m␡\u{fffd}␍"
        ),
        "{shown}"
    );
    assert!(shown.contains("⟦U+202E⟧⟦U+2066⟧\u{fffd}\u{fffd}\u{10ffff} `<b>` µ"), "{shown}");
}

#[test]
fn huge_files_are_cut_and_say_so() {
    let line = "x".repeat(1 << 20);
    let html = listing(&line, BTreeMap::new());
    assert!(html.len() < 3 * MAX_COLUMNS, "{} bytes", html.len());
    assert!(
        code(&html, 1).ends_with(&format!(" … {} more characters are not shown", (1 << 20) - MAX_COLUMNS))
    );
    let lines = "\n".repeat(MAX_LINES + 7);
    let html = listing(
        &lines,
        BTreeMap::from([(MAX_LINES as u32 + 3, Remarks { tint: Some(Tint::Note), ..Remarks::default() })]),
    );
    assert!(
        html.contains("7 more lines are not shown") && html.contains(&line_id("k", MAX_LINES as u32 + 3))
    );
    let numbers = "1\n".repeat(MAX_TOKENS + 1);
    assert!(!listing(&numbers, BTreeMap::new()).contains("class=\"number\""));
    // Texts that take quadratic time if each token scans the rest of the text.
    for piece in ["/**/\\\n", "R\"(", "\"", "#\\\n", "'\\", "/*"] {
        let text = format!("#{}", piece.repeat((1 << 20) / piece.len()));
        parse(&listing(&text, BTreeMap::new()));
    }
}
