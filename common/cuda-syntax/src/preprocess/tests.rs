use super::*;

fn run(text: &str) -> (Preprocessed, Vec<Diagnostic>, SourceMap) {
    run_with(text, &Options::with_files(Vec::new()))
}

fn run_with(text: &str, options: &Options) -> (Preprocessed, Vec<Diagnostic>, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.add("k/a.cu", text);
    let mut diagnostics = Vec::new();
    let done = preprocess_file(&mut map, file, options, &Budget::default(), &mut diagnostics);
    (done, diagnostics, map)
}

fn spell(tokens: &[Token]) -> String {
    let words = tokens.iter().map(|t| match &t.kind {
        TokenKind::Ident(name) => name.to_string(),
        TokenKind::Int { value, .. } => value.to_string(),
        TokenKind::Float { value, .. } => format!("{value:?}"),
        TokenKind::BadNumber(_) | TokenKind::SuffixedNumber(_) => "?".into(),
        TokenKind::Char(c, _) => format!("'{c}'"),
        TokenKind::Str(s) => s.to_string(),
        TokenKind::Punct(p) => p.to_string(),
        TokenKind::Pack(n) => format!("<pack {n}>"),
        TokenKind::PragmaUnroll => "<unroll".into(),
        TokenKind::PragmaNoUnroll => "<nounroll".into(),
        TokenKind::PragmaEnd => "/>".into(),
        TokenKind::Eof => String::new(),
    });
    words.collect::<Vec<_>>().join(" ").trim_end().to_string()
}

fn expand(text: &str) -> String {
    let (done, diagnostics, _) = run(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    spell(&done.tokens)
}

fn codes(text: &str) -> Vec<&'static str> {
    run(text).1.iter().map(|d| d.code.as_str()).collect()
}

/// The value of a macro that is a constant.
fn value(done: &Preprocessed, name: &str) -> Option<MacroValue> {
    done.macro_constants().find(|(own, ..)| *own == name).map(|(_, value, _)| value)
}

#[test]
fn macros_expand_with_arguments_and_rescan() {
    assert_eq!(expand("#define N 4\n#define SQ(x) ((x)*(x))\nSQ(N+1)"), "( ( 4 + 1 ) * ( 4 + 1 ) )");
    assert_eq!(expand("#define f(x) x\n#define g f\ng(f)(2)"), "f ( 2 )", "an inner use is painted");
    assert_eq!(expand("#define EMPTY\n#define f() 1\nf ( ) f\nf EMPTY ()"), "1 f f ( )");
}

#[test]
fn recursion_stops_at_painted_names() {
    assert_eq!(expand("#define foo foo + 1\nfoo"), "foo + 1");
    assert_eq!(expand("#define a b\n#define b a\na b"), "a b");
}

#[test]
fn the_standards_own_example_of_strings_and_pastes() {
    // [cpp.rescan], [cpp.stringize]: the examples of the C++ standard.
    let text = "#define str(s) # s\n#define xstr(s) str(s)\n#define INCFILE(n) vers ## n\n\
                #define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n\
                #define LOW LOW \", world\"\nxstr(INCFILE(2).h) glue(HIGH, LOW); xglue(HIGH, LOW) str( a \"\\n\" )";
    assert_eq!(expand(text), r#""vers2.h" "hello" ; "hello" ", world" "a \"\\n\"""#);
    let hash = "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n\
                #define join(c, d) in_between(c hash_hash d)\njoin(x, y)";
    assert_eq!(expand(hash), r#""x ## y""#);
    let empty = "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };";
    assert_eq!(expand(empty), "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;");
}

#[test]
fn variadic_macros() {
    assert_eq!(
        expand("#define P(f, ...) printf(f, ##__VA_ARGS__)\nP(\"a\") P(\"b\", 1, 2)"),
        r#"printf ( "a" ) printf ( "b" , 1 , 2 )"#
    );
    assert_eq!(
        expand("#define P(f, ...) p(f __VA_OPT__(,) __VA_ARGS__)\nP(1) P(1, 2)"),
        "p ( 1 ) p ( 1 , 2 )"
    );
    assert_eq!(expand("#define S(...) #__VA_ARGS__\nS(a, b)"), r#""a, b""#);
}

#[test]
fn conditionals_choose() {
    assert_eq!(expand("#if defined(X) || 2 > 1 && !0\na\n#else\nb\n#endif"), "a");
    assert_eq!(expand("#ifdef X\na don't @\n#elif __CUDA_ARCH__ >= 800\nb\n#else\nc\n#endif d"), "b");
    assert_eq!(expand("#if 0\n#if 1\na\n#else\nb\n#endif\n#endif\nc"), "c");
    assert_eq!(expand("#if 0 && 1 / 0\na\n#endif\nb"), "b");
    assert_eq!(expand("#if -1 > 0u\na\n#endif"), "a");
    assert_eq!(expand("#if __has_include(<cuda_fp16.h>) && !__has_include(\"no.h\")\na\n#endif"), "a");
}

#[test]
fn includes_are_read_beside_the_file_and_once() {
    let files = vec![("k/b.h".into(), "#pragma once\nint b;\n".into()), ("inc/c.h".into(), "int c;".into())];
    let options = Options { include_dirs: vec!["inc".into()], ..Options::with_files(files) };
    let (done, diagnostics, _) = run_with(
        "#include <cuda_runtime.h>\n#include <vector>\n#include \"b.h\"\n#include \"b.h\"\n#include <c.h>",
        &options,
    );
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(spell(&done.tokens), "int b ; int c ;");
}

#[test]
fn an_include_cycle_is_one_error() {
    let options = Options::with_files(vec![("k/b.h".into(), "#include \"b.h\"\n#include \"b.h\"".into())]);
    let (_, diagnostics, _) = run_with("#include \"b.h\"", &options);
    assert_eq!(diagnostics.iter().map(|d| d.code.as_str()).collect::<Vec<_>>(), ["include-too-deep"]);
}

#[test]
fn pragmas_of_loops_are_tokens() {
    assert_eq!(
        expand(
            "#define N 4\n#pragma unroll\n#pragma unroll N\n#pragma unroll (8)\n#pragma omp x\n_Pragma(\"unroll 2\") for"
        ),
        "<unroll /> <unroll 4 /> <unroll ( 8 ) /> <unroll 2 /> for"
    );
}

#[test]
fn spans_of_expansions_are_the_users() {
    let (done, _, map) = run("#define ADD(a, b) a + b\nx = ADD(yy,\n 2);\n");
    let places: Vec<_> = done.tokens[2..5].iter().map(|t| map.text(t.span)).collect();
    assert_eq!(places, ["yy", "ADD(yy,\n 2)", "2"]);
}

#[test]
fn line_file_and_counter() {
    assert_eq!(expand("#define L __LINE__\n\nL __FILE__ __COUNTER__ __COUNTER__"), "3 \"k/a.cu\" 0 1");
}

#[test]
fn constants_are_readable() {
    let (done, _, map) =
        run("#define TILE 16\n#define W (TILE * 2 + 1)\n#define A 0.5f\n#define F(x) x\n#define T int");
    assert_eq!(value(&done, "TILE"), Some(MacroValue::Int(16)));
    assert_eq!(value(&done, "W"), Some(MacroValue::Int(33)));
    assert_eq!(value(&done, "A"), Some(MacroValue::Float(0.5)));
    assert_eq!((value(&done, "F"), value(&done, "T"), value(&done, "INT_MAX")), (None, None, None));
    assert_eq!(map.position(done.macro_constants().find(|(name, ..)| *name == "W").unwrap().2).line, 2);
}

#[test]
fn constants_of_the_options_stand_for_those_of_the_file() {
    let options = Options { defines: vec![("TILE".into(), "8".into())], ..Options::default() };
    let text = "#ifndef TILE\n#define TILE 16\n#endif\n#define PAD 1\n";
    let (result, _, _) = run_with(text, &options);
    assert_eq!(value(&result, "TILE"), Some(MacroValue::Int(8)));
    assert_eq!(value(&result, "PAD"), Some(MacroValue::Int(1)));
    assert_eq!(value(&result, "__CUDACC__"), None);
}

#[test]
fn each_fault_has_its_code() {
    for (text, expected) in [
        ("a /* b", "unterminated-comment"),
        ("a \"b\nc", "unterminated-string"),
        ("'b\nc", "unterminated-character"),
        ("a @ b", "stray-character"),
        ("x = “a;", "stray-character"),
        ("#defin X", "unknown-directive"),
        ("#if 1\nx", "unterminated-if"),
        ("#endif", "else-without-if"),
        ("#if 1\n#else\n#else\n#endif", "else-without-if"),
        ("#include \"no.h\"", "include-not-found"),
        ("#include <no.h>", "include-not-found"),
        ("#define F(a, b) a\nF(1)", "macro-argument-count"),
        ("#define F(a) a\nF(1", "unterminated-macro-call"),
        ("#error no", "error-directive"),
        ("#warning hm", "warning-directive"),
        ("#define A 1\n#define A 2", "macro-redefined"),
        ("#define F(a) a ## +\nF(x)", "invalid-paste"),
        ("#if 1 +\n#endif", "bad-condition"),
        ("#define 3", "bad-directive"),
    ] {
        assert_eq!(codes(text), [expected], "{text}");
    }
}

#[test]
fn an_if_without_end_is_marked_at_the_if() {
    let (_, diagnostics, map) = run("int a;\n#ifdef X\nint b;\n");
    assert_eq!(map.text(diagnostics[0].span().unwrap()), "#ifdef");
}

#[test]
fn bombs_are_one_error() {
    let mut laughs = String::from("#define L0 ha ha\n");
    for i in 1..60 {
        laughs += &format!("#define L{i} L{0} L{0}\n", i - 1);
    }
    assert_eq!(codes(&(laughs + "L59")), ["expansion-limit"]);
    let mut pastes = String::from("#define C(x, y) x##y\n#define D(x) C(x, x)\n#define P0 a\n");
    for i in 1..60 {
        pastes += &format!("#define P{i} D(P{})\n", i - 1);
    }
    assert_eq!(codes(&(pastes + "P59")), ["expansion-limit"]);
    let nest = format!("#define f(x) x\n{}1{}", "f(".repeat(3000), ")".repeat(3000));
    assert_eq!(codes(&nest), ["nesting-too-deep"]);
}

#[test]
fn a_huge_file_is_refused() {
    assert_eq!(codes(&" ".repeat(MAX_FILE_BYTES + 1)), ["file-too-large"]);
}

#[test]
fn errors_have_an_end() {
    assert_eq!(codes(&"@ ".repeat(5000)).len(), MAX_ERRORS + 1);
}

#[test]
fn alternative_spellings() {
    assert_eq!(expand("a and not b <% c <: 1 :> %>"), "a && ! b { c [ 1 ] }");
}

/// Tokens, places and messages are the same with line ends of Windows and a byte-order mark.
#[test]
fn line_ends_make_no_difference() {
    let read = |text: &str| {
        let (done, diagnostics, map) = run(text);
        let tokens: Vec<_> = done.tokens.iter().map(|t| (format!("{:?}", t.kind), t.span)).collect();
        let shown = |d: &Diagnostic| [source::render::full(&map, d, false), source::render::concise(&map, d)];
        (tokens, diagnostics.iter().flat_map(shown).collect::<Vec<_>>())
    };
    for text in [
        "#define N \\\n  4\nint x = N; // a comment \\\n that goes on\nint y;\n",
        "const char *s = \"a\\r\\n\\\nb\"; char c = '\\r';\n",
        "const char *s = \"a carriage return \r alone\";\nint x;\n",
        "const char *s = R\"(two\nlines)\";\nint x = __LINE__;\n",
        "fl\\\noat x; /* two\nlines */ @ int y;\n",
        "#if 0\n'\n#else\n#error that is it\n#endif\n#pragma unroll 4\nint x;",
        "const char *s = \"open\nchar c = 'o\nint é = “quoted\n”;\n#include \"missing.h\n#define\n/* open\n",
        "@ int x; // the first column\n",
    ] {
        let windows = text.replace('\n', "\r\n");
        assert_eq!(read(text), read(&windows), "{text:?}");
        assert_eq!(read(text), read(&format!("\u{feff}{windows}")), "{text:?}");
    }
}

#[test]
fn a_carriage_return_alone_ends_no_line_and_is_told_of_where_that_matters() {
    let marked = |text: &str| {
        let (done, diagnostics, _) = run(text);
        let at = diagnostics.iter().map(|d| (d.code.as_str(), d.span().unwrap().start)).collect::<Vec<_>>();
        (spell(&done.tokens), at)
    };
    // As NVRTC reads them.
    assert_eq!(marked("// a\rint x;\rint y;\r"), (String::new(), vec![("carriage-return", 4)]));
    assert_eq!(marked("#define N 4\rint x = N;\r"), (String::new(), vec![("carriage-return", 11)]));
    assert_eq!(
        marked("int x; // a\rint y;\nint z;"),
        ("int x ; int z ;".into(), vec![("carriage-return", 11)])
    );
    assert_eq!(marked("int x;\r#define N 4\n").1[0], ("carriage-return", 6));
    // Once a file.
    assert_eq!(marked("// a\rint x;\n// b\rint y;\n").1.len(), 1);
    // No harm is done by these.
    for text in [
        "int x;\rint y;\r",
        "int x; // a\r\nint y;\r\n",
        "int x; // a\r\r\nint y;",
        "int x; /* a\rb */ int y; // c\r",
    ] {
        assert_eq!(marked(text), ("int x ; int y ;".into(), vec![]), "{text:?}");
    }
}
