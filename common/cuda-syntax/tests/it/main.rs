//! No text makes the preprocessor or the parser panic, hang, or overflow the stack.

use cuda_syntax::parse::parse;
use cuda_syntax::preprocess::{Options, Token, TokenKind, preprocess};
use proptest::prelude::*;
use source::{Diagnostic, SourceMap};

const KERNEL: &str = include_str!("../parse/pass/everything.cu");

fn tokens_of(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut map = SourceMap::new();
    let file = map.add("a.cu", text);
    let mut diagnostics = Vec::new();
    let tokens = preprocess(&mut map, file, &Options::with_files(Vec::new()), &mut diagnostics);
    (tokens, diagnostics)
}

/// The tokens of [`KERNEL`] itself: what stands in the built-in headers is ten times as much, and not what is edited here.
fn kernel_tokens() -> Vec<Token> {
    let (mut tokens, diagnostics) = tokens_of(KERNEL);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let file = tokens.last().expect("tokens end with one for the end").span.file;
    tokens.retain(|token| token.span.file == file);
    tokens
}

fn codes(text: &str) -> Vec<&'static str> {
    let (tokens, mut diagnostics) = tokens_of(text);
    parse(&tokens, &mut diagnostics);
    diagnostics.iter().map(|d| d.code.as_str()).collect()
}

#[derive(Clone, Debug)]
enum Edit {
    Delete(prop::sample::Index),
    Duplicate(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    Cut(prop::sample::Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => index().prop_map(Edit::Delete),
        4 => index().prop_map(Edit::Duplicate),
        4 => (index(), index()).prop_map(|(a, b)| Edit::Swap(a, b)),
        1 => index().prop_map(Edit::Cut),
    ]
}

fn apply(tokens: &mut Vec<Token>, edit: &Edit) {
    if tokens.is_empty() {
        return;
    }
    let length = tokens.len();
    match edit {
        Edit::Delete(at) => {
            tokens.remove(at.index(length));
        }
        Edit::Duplicate(at) => {
            let at = at.index(length);
            tokens.insert(at, tokens[at].clone());
        }
        Edit::Swap(a, b) => tokens.swap(a.index(length), b.index(length)),
        Edit::Cut(at) => tokens.truncate(at.index(length)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_text_finishes(text in "\\PC{0,200}") {
        codes(&text);
    }

    #[test]
    fn any_sequence_of_words_finishes(words in prop::collection::vec(prop::sample::select(vec![
        "template", "<", ">", ">>", "(", ")", "{", "}", "[", "]", ";", ",", "::", ":", "*", "&", "&&", "=", "...", "x", "T",
        "int", "float", "const", "struct", "class", "enum", "union", "operator", "~", "__global__", "__device__", "void",
        "if", "else", "for", "while", "do", "switch", "case", "default", "return", "sizeof", "decltype", "typename",
        "using", "namespace", "typedef", "extern", "\"C\"", "1", "2.0f", "'c'", "\n", "#pragma unroll\n", "#define x y\n",
        "#define F(a) a a\n", "F", "#if 1\n", "#endif\n", "#else\n", "static_cast", "std", "float4", "->", ".", "++", "+",
        "?", "asm", "goto", "static_assert", "alignas", "[[", "]]", "auto", "friend", "this", "new", "<<<",
    ]), 0..120)) {
        codes(&words.join(" "));
        codes(&format!("__global__ void k() {{ {} }}", words.join(" ")));
        codes(&format!("struct S {{ __device__ void f(); {} }};", words.join(" ")));
    }

    #[test]
    fn edited_kernels_finish(edits in prop::collection::vec(edit(), 1..12)) {
        let mut tokens = kernel_tokens();
        for edit in &edits {
            apply(&mut tokens, edit);
        }
        let mut diagnostics = Vec::new();
        parse(&tokens, &mut diagnostics);
        prop_assert!(diagnostics.len() <= 101);
    }

    #[test]
    fn cut_kernels_finish(at in any::<prop::sample::Index>()) {
        let mut at = at.index(KERNEL.len());
        while !KERNEL.is_char_boundary(at) {
            at -= 1;
        }
        codes(&KERNEL[..at]);
    }
}

#[test]
fn every_single_deletion_finishes_and_most_are_errors() {
    let tokens = kernel_tokens();
    let mut diagnostics = Vec::new();
    parse(&tokens, &mut diagnostics);
    assert!(diagnostics.is_empty(), "the kernel is right as it is: {diagnostics:?}");
    let mut silent = 0;
    let own = tokens.len() - 1;
    for at in 0..own {
        let mut edited = tokens.clone();
        edited.remove(at);
        let mut diagnostics = Vec::new();
        parse(&edited, &mut diagnostics);
        silent += usize::from(diagnostics.is_empty());
    }
    // Names, qualifiers and host code can go unnoticed here; the checker sees the former.
    assert!(silent * 2 < own, "{silent} of {own} deletions were not noticed");
}

#[test]
fn deep_nesting_is_one_error() {
    let n = 5000;
    let kernel = |body: String| format!("__global__ void k(int x) {{ {body} }}\n");
    for text in [
        kernel("(".repeat(n)),
        kernel(format!("x = {}1{};", "(".repeat(n), ")".repeat(n))),
        kernel(format!("x = {}x;", "-".repeat(n).replace("--", "- -"))),
        kernel(format!("x = {}x;", "(int)".repeat(n))),
        kernel(format!("x = {}1;", "x = ".repeat(n))),
        kernel(format!("x = {}1;", "x ? x : ".repeat(n))),
        kernel(format!("x = {}1;", "x + ".repeat(n))),
        kernel(format!("x{};", "[0]".repeat(n))),
        kernel(format!("x{};", ".a".repeat(n))),
        kernel("{".repeat(n) + &"}".repeat(n)),
        kernel("if (x) ".repeat(n) + ";"),
        kernel("if (x) ; else ".repeat(n) + ";"),
        kernel(format!("int {}p;", "*".repeat(n))),
        kernel(format!("int p{};", "[1]".repeat(n))),
        kernel(format!("int x = {}{};", "{".repeat(n), "}".repeat(n))),
        kernel(format!("auto f = {}{};", "[] { return ".repeat(n), "; }".repeat(n))),
        "namespace a { ".repeat(n) + &"}".repeat(n),
        "struct A { ".repeat(n) + &"};".repeat(n),
        format!("template <typename T> struct A {{}}; __device__ {}int{} x;", "A<".repeat(n), ">".repeat(n)),
        format!("__device__ int {}x{};", "(*".repeat(n), ")".repeat(n)),
        format!("__device__ void f{}int{};", "(int (*)".repeat(n), ")".repeat(n)),
    ] {
        let codes = codes(&text);
        let head: String = text.chars().take(80).collect();
        assert_eq!(codes.iter().filter(|c| **c == "nesting-too-deep").count(), 1, "{head}: {codes:?}");
        assert!(codes.len() <= 2, "{head}: {codes:?}");
    }
}

#[test]
fn ambiguous_text_costs_bounded_work() {
    for text in [
        format!("__global__ void k() {{ {} }}", "a < b < (c < ".repeat(2000)),
        format!("__global__ void k() {{ {} }}", "f<".repeat(20_000)),
        format!("template {}", "<".repeat(20_000)),
        "template <typename T = ".repeat(5_000),
        "struct A { int ".repeat(200),
        "x(".repeat(50_000),
    ] {
        assert!(!codes(&text).is_empty(), "{}", &text[..40]);
    }
}

#[test]
fn a_token_list_without_an_end_is_fine() {
    let (mut tokens, _) = tokens_of("__global__ void k() { int x = 1;");
    assert_eq!(tokens.pop().map(|t| t.kind), Some(TokenKind::Eof));
    let mut diagnostics = Vec::new();
    parse(&tokens, &mut diagnostics);
    assert_eq!(diagnostics.iter().map(|d| d.code.as_str()).collect::<Vec<_>>(), ["missing-closing-brace"]);
    parse(&[], &mut diagnostics);
    assert_eq!(diagnostics.len(), 1);
}
