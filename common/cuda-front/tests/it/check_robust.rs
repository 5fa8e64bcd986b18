//! The checker never panics and always ends, whatever is done to a program.

use proptest::prelude::*;
use source::SourceMap;

const PROGRAMS: [&str; 5] = [
    include_str!("../check/pass/language.cu"),
    include_str!("../check/pass/matmul.cu"),
    include_str!("../check/fail/types.cu"),
    include_str!("../check/fail/constants.cu"),
    include_str!("../check/fail/names.cu"),
];

/// How many diagnostics a text gets.
fn run(text: &str) -> usize {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = map.add("mutated.cu", text);
    let options = cuda_syntax::preprocess::Options::with_files(Vec::new());
    let tokens = cuda_syntax::preprocess::preprocess(&mut map, file, &options, &mut diagnostics);
    let ast = cuda_syntax::parse::parse(&tokens, &mut diagnostics);
    let program = cuda_front::check::check(&ast, &map, &mut diagnostics, &["tile<4, 4>".to_owned()]);
    for diagnostic in &diagnostics {
        assert!(!source::render::concise(&map, diagnostic).is_empty());
    }
    assert!(program.kernels.iter().all(|k| (k.function.0 as usize) < program.functions.len()));
    diagnostics.len()
}

/// Words and marks of a text, blanks left out.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let n = if is_word(c) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if c.is_whitespace() && c != '\n' {
            rest.find(|c: char| !c.is_whitespace() || c == '\n').unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        words.push(&rest[..n]);
        rest = &rest[n..];
    }
    words
}

#[test]
fn every_word_left_out_in_turn() {
    let words = words(PROGRAMS[0]);
    let mut wrong = 0;
    for skip in (0..words.len()).step_by(3) {
        let text: String = words.iter().enumerate().filter(|(i, _)| *i != skip).map(|(_, w)| *w).collect();
        wrong += usize::from(run(&text) > 0);
    }
    assert!(wrong > words.len() / 12, "most holes in a program are mistakes, {wrong} were seen");
}

#[test]
fn what_never_ends_is_an_error() {
    let kernel = |body: &str| format!("__global__ void k(int *p) {{ {body} }}\n");
    for text in [
        format!(
            "constexpr int f(int n) {{ return f(n + 1); }}\n{}",
            kernel("constexpr int x = f(0); p[0] = x;")
        ),
        format!(
            "constexpr int f() {{ while (true) {{}} return 1; }}\n{}",
            kernel("constexpr int x = f(); p[0] = x;")
        ),
        format!("template <int N> __device__ int f() {{ return f<N + 1>(); }}\n{}", kernel("p[0] = f<0>();")),
        format!(
            "template <int N> struct A {{ static constexpr int v = A<N + 1>::v; }};\n{}",
            kernel("p[0] = A<0>::v;")
        ),
        kernel("int a[1 << 30][1 << 30]; p[0] = a[0][0];"),
        kernel("__shared__ char a[0x7fffffffffffffff]; a[0] = 1;"),
        kernel("asm(\"mov.u32 %0, %%;\" : \"=r\"(p[0]));"),
        kernel("asm(\"{{{{{{\" ::);"),
    ] {
        assert!(run(&text) > 0, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_exchanged(which in 0usize..5, swaps in prop::collection::vec((any::<usize>(), any::<usize>()), 1..6)) {
        let mut words = words(PROGRAMS[which]);
        for (from, to) in swaps {
            let n = words.len();
            words[to % n] = words[from % n];
        }
        run(&words.concat());
    }
}
