//! Shapes for the preprocessor: comments, macros, conditionals, includes, tokens of all lengths.

use super::{Shape, chain, kernel, lines, repeated};

pub(super) const SHAPES: &[Shape] = &[
    ("line_comment", |n| format!("//{}\n", "x".repeat(n))),
    ("block_comment", |n| format!("/*{}*/\n", "* /".repeat(n))),
    ("many_comments", |n| lines(n, |_| "/* a */ // b".into())),
    ("line_splices", |n| format!("int a\\\n{};\n", "\\\n".repeat(n))),
    ("spliced_identifier", |n| format!("int {};\n", "a\\\n".repeat(n))),
    ("blank_lines", |n| "\n".repeat(n)),
    ("carriage_returns", |n| "\r".repeat(n)),
    ("macros", |n| lines(n, |i| format!("#define M{i} {i}"))),
    ("macros_without_value", |n| lines(n, |i| format!("#define M{i} (a{i} b)"))),
    ("macro_uses", |n| {
        format!(
            "#define M 1 +\n__device__ int f() {{ return {} 1; }}\n",
            repeated(n, |i| match i % 50 {
                0 => "0; M ".into(),
                _ => "M ".into(),
            })
        )
    }),
    ("macro_chain", |n| {
        format!("#define M0 1\n{}\nint x = M{n};\n", lines(n, |i| format!("#define M{} M{i}", i + 1)))
    }),
    ("macro_chain_of_calls", |n| {
        format!(
            "#define M0(x) x\n{}\nint x = M{n}(1);\n",
            lines(n, |i| format!("#define M{}(x) M{i}(x)", i + 1))
        )
    }),
    ("macro_doubling", |n| {
        format!("#define M0 1+\n{}\nint x = M{n} 0;\n", lines(n, |i| format!("#define M{} M{i} M{i}", i + 1)))
    }),
    ("macro_squares", |n| {
        format!("#define L {}\n{}\n", repeated(n, |_| "a ".into()), lines(n, |_| "L".into()))
    }),
    ("macro_parameters", |n| {
        format!(
            "#define M({}) 0\nint x = M({});\n",
            chain(n, ",", |i| format!("p{i}")),
            chain(n, ",", |i| i.to_string())
        )
    }),
    ("macro_parameters_used", |n| {
        format!(
            "#define M({0}) {0}\nint x[] = {{ M({1}) }};\n",
            chain(n, ",", |i| format!("p{i}")),
            chain(n, ",", |i| i.to_string())
        )
    }),
    ("macro_arguments_nested", |n| {
        format!("#define F(x) x\nint x = {}1{};\n", "F(".repeat(n), ")".repeat(n))
    }),
    ("macro_arguments_doubling", |n| {
        format!("#define F(x) x x\nint x = {}1{};\n", "F(".repeat(n), ")".repeat(n))
    }),
    ("macro_variadic", |n| {
        format!("#define F(...) __VA_ARGS__\nint x[] = {{ F({}) }};\n", chain(n, ",", |i| i.to_string()))
    }),
    ("macro_stringify", |n| {
        format!(
            "#define S(x) #x\n#define T(x) S(x x)\n{}",
            lines(n, |i| format!("const char *s{i} = T(a b \"c\" d);"))
        )
    }),
    ("macro_stringify_doubling", |n| {
        format!(
            "#define S(x) #x\n#define A0(x) S(x x)\n{}const char *s = A{n}(a);\n",
            lines(n, |i| format!("#define A{}(x) A{i}(x x)", i + 1))
        )
    }),
    ("macro_paste", |n| format!("#define P(a, b) a##b\n{}", lines(n, |i| format!("int P(x, {i});")))),
    ("macro_paste_growing", |n| {
        format!(
            "#define P0(a) a##a\n{}int P{n}(x);\n",
            lines(n, |i| format!("#define C{i}(a) P{i}(a)\n#define P{}(a) C{i}(a##a)", i + 1))
        )
    }),
    ("macro_redefined", |n| lines(n, |i| format!("#undef M\n#define M {i}\nint x{i} = M;"))),
    ("macro_redefined_wrongly", |n| lines(n, |i| format!("#define M {i}"))),
    ("macro_never_closed", |n| format!("#define F(x) x\n{}", "F(".repeat(n))),
    ("macro_names_without_calls", |n| format!("#define F(x) x\nint {};\n", chain(n, "+", |_| "F ".into()))),
    ("macro_self_reference", |n| format!("#define A A B\n#define B B A\n{}\n", "A ".repeat(n))),
    ("macro_va_opt", |n| {
        format!("#define F(x, ...) x __VA_OPT__({} __VA_ARGS__)\nint a = F(1, +2);\n", "+1".repeat(n))
    }),
    ("counters", |n| lines(n, |i| format!("int c{i} = __COUNTER__ + __LINE__;"))),
    ("file_names", |n| lines(n, |i| format!("const char *f{i} = __FILE__;"))),
    ("elif_chain", |n| format!("#if 0\n{}#endif\n", lines(n, |i| format!("#elif {i} == -1\nint a;")))),
    ("if_nests", |n| format!("{}{}", "#if 1\n".repeat(n), "#endif\n".repeat(n))),
    ("if_not_ended", |n| "#ifdef A\n".repeat(n)),
    ("if_expression", |n| format!("#if {}\n#endif\n", chain(n, "+", |i| i.to_string()))),
    ("if_parens", |n| format!("#if {}1{}\n#endif\n", "(".repeat(n), ")".repeat(n))),
    ("if_unary", |n| format!("#if {}1\n#endif\n", "!".repeat(n))),
    ("if_conditional", |n| format!("#if {}1\n#endif\n", "1?1:".repeat(n))),
    ("ifs", |n| lines(n, |i| format!("#if defined(A{i}) && 1 < 2\n#else\nint a{i};\n#endif"))),
    ("includes_of_one_header", |n| "#include <cuda_fp16.h>\n".repeat(n)),
    ("includes_of_nothing", |n| lines(n, |i| format!("#include \"missing{i}.h\""))),
    ("includes_of_libraries", |n| "#include <cub/cub.cuh>\n#include <vector>\n".repeat(n)),
    ("includes_of_itself", |n| format!("#include __FILE__\n{}", "int a;\n".repeat(n))),
    ("has_include", |n| lines(n, |i| format!("#if __has_include(\"a{i}.h\")\n#endif"))),
    ("error_directives", |n| lines(n, |i| format!("#error number {i}"))),
    ("error_directive_long", |n| format!("#error {}\n", "long ".repeat(n))),
    ("warning_directives", |n| lines(n, |i| format!("#warning number {i}"))),
    ("unknown_directives", |n| lines(n, |i| format!("#unknown{i}"))),
    ("pragmas", |n| "#pragma once\n#pragma unroll\n_Pragma(\"unroll\")\n".repeat(n)),
    ("line_directives", |n| lines(n, |i| format!("#line {i} \"a.h\""))),
    ("strings", |n| lines(n, |i| format!("const char *s{i} = \"text \\n {i}\";"))),
    ("string_long", |n| format!("__device__ const char *s() {{ return \"{}\"; }}\n", "ab\\x41".repeat(n))),
    ("string_joined", |n| format!("__device__ const char *s() {{ return {}; }}\n", "\"ab\" ".repeat(n))),
    ("string_not_ended", |n| lines(n, |_| "const char *s = \"abc".into())),
    ("string_raw", |n| format!("const char *s = R\"x({})x\";\n", ")y\" \n".repeat(n))),
    ("string_raw_not_ended", |n| "R\"a(\n".repeat(n)),
    ("characters_not_ended", |n| lines(n, |_| "char c = 'a".into())),
    ("characters_long", |n| format!("char c = '{}';\n", "a".repeat(n))),
    ("comments_not_ended", |n| "/* /* \n".repeat(n)),
    ("identifier_long", |n| format!("__device__ int f() {{ return {}; }}\n", "x".repeat(n))),
    ("identifiers_long_undeclared", |n| kernel(&lines(n, |i| format!("o[0] = {}{i};", "y".repeat(900))))),
    ("number_long", |n| format!("__device__ int f() {{ return {}; }}\n", "7".repeat(n))),
    ("number_long_float", |n| format!("__device__ double f() {{ return 1.{}e-1; }}\n", "7".repeat(n))),
    ("number_exponent", |n| {
        kernel(&lines(n, |i| format!("g[0] = 1e{}; g[1] = 1e-999999{i}f; g[2] = 0x1p-{i};", i % 400)))
    }),
    ("number_malformed", |n| lines(n, |i| format!("int a{i} = 0x{i}zz;"))),
    ("stray_characters", |n| "`@\u{1} ".repeat(n)),
    ("stray_line", |n| "@".repeat(n)),
    ("control_characters", |n| lines(n, |_| "\u{1b}[2J \u{7f} \u{202e}".into())),
    ("universal_names", |n| "int \u{e4}\u{6f22}; ".repeat(n)),
    ("defined_macros_doubling_values", |n| {
        format!("#define V0 1\n{}", lines(n, |i| format!("#define V{} (V{i} + V{i})", i + 1)))
    }),
];
