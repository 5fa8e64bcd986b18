//! Shapes for the parser: nests and chains of every construct, and what is left open.

use super::{Shape, chain, kernel, lines, repeated};

pub(super) const SHAPES: &[Shape] = &[
    ("open_parens", |n| kernel(&format!("o[0] = {}", "(".repeat(n)))),
    ("open_braces", |n| kernel(&"{".repeat(n))),
    ("open_brackets", |n| kernel(&format!("o{}", "[o".repeat(n)))),
    ("open_angles", |n| kernel(&format!("o[0] = {}", "a<".repeat(n)))),
    ("open_angles_declared", |n| format!("template <class T> struct A {{}};\n{}int", "A<".repeat(n))),
    ("open_templates", |n| "template <".repeat(n)),
    ("closers", |n| format!("{}{}{}", ")".repeat(n), "}".repeat(n), "]".repeat(n))),
    ("parens_nested", |n| kernel(&lines(n, |_| format!("o[0] = {}1{};", "(".repeat(200), ")".repeat(200))))),
    ("braces_nested", |n| kernel(&lines(n, |_| format!("{}{}", "{".repeat(100), "}".repeat(100))))),
    ("casts", |n| kernel(&format!("o[0] = {}1;", "(int)".repeat(n)))),
    ("casts_or_calls", |n| kernel(&lines(n, |_| format!("o[0] = {}1;", "(o[0])+(int)-".repeat(20))))),
    ("unary_chain", |n| kernel(&format!("o[0] = {}1;", "- ".repeat(n)))),
    ("not_chain", |n| kernel(&format!("o[0] = {}1;", "!~".repeat(n)))),
    ("address_chain", |n| kernel(&format!("o[0] = {}o[0];", "*&".repeat(n)))),
    ("sum_chain", |n| kernel(&format!("o[0] = {};", chain(n, "+", |i| format!("o[{i}]"))))),
    ("sums", |n| kernel(&lines(n, |_| format!("o[0] = {};", chain(100, "+", |i| format!("o[{i}]")))))),
    ("comma_chain", |n| kernel(&format!("{};", chain(n, ",", |i| format!("o[{i}] = 1"))))),
    ("assign_chain", |n| kernel(&format!("{} 1;", repeated(n, |i| format!("o[{i}] = "))))),
    ("conditional_chain", |n| kernel(&format!("o[0] = {} 0;", repeated(n, |i| format!("o[{i}] ? {i} : "))))),
    ("conditional_middle", |n| kernel(&format!("o[0] = {} 1 {};", "o[0] ? ".repeat(n), ": 0 ".repeat(n)))),
    ("index_chain", |n| kernel(&format!("o[0] = {}0{};", "o[".repeat(n), "]".repeat(n)))),
    ("index_suffixes", |n| kernel(&format!("o[0] = o{};", "[0]".repeat(n)))),
    ("call_chain", |n| {
        format!(
            "__device__ int f(int x) {{ return x; }}\n{}",
            kernel(&format!("o[0] = {}1{};", "f(".repeat(n), ")".repeat(n)))
        )
    }),
    ("member_chain", |n| {
        format!("struct S {{ int x; }};\n{}", kernel(&format!("S s; o[0] = s{};", ".x".repeat(n))))
    }),
    ("logical_chain", |n| {
        kernel(&lines(n, |_| {
            format!("if ({}) o[0] = 1;", chain(60, "&&", |i| format!("o[{i}] || o[0] < {i}")))
        }))
    }),
    ("shift_or_angle", |n| kernel(&lines(n, |i| format!("o[0] = o[{i}] < o[1] >> 1 < (o[2]) > (1);")))),
    ("multiplication_or_declaration", |n| kernel(&lines(n, |i| format!("a{i} * b{i};")))),
    ("statements", |n| kernel(&lines(n, |i| format!("o[{i}] = {i};")))),
    ("empty_statements", |n| kernel(&";".repeat(n))),
    ("empty_declarations", |n| ";".repeat(n)),
    ("missing_semicolons", |n| kernel(&lines(n, |i| format!("o[{i}] = {i}")))),
    ("missing_semicolons_between_functions", |n| {
        lines(n, |i| format!("__device__ int f{i}() {{ return 1 }}"))
    }),
    ("words", |n| lines(n, |i| format!("word{i} other"))),
    ("kernels_open", |n| "__global__ void k(int *o) { if (o) {".repeat(n)),
    ("functions", |n| lines(n, |i| format!("__device__ int f{i}(int x) {{ return x + {i}; }}"))),
    ("host_functions", |n| {
        lines(n, |i| {
            format!(
                "int h{i}(std::vector<int> &v) {{ for (auto x : v) {{ printf(\"%d\", x); }} return {i}; }}"
            )
        })
    }),
    ("host_function_long", |n| format!("int main() {{ {} }}\n", "k<<<1, 2>>>(a); foo(b); ".repeat(n))),
    ("host_braces", |n| format!("int main() {}{}\n", "{".repeat(n), "}".repeat(n))),
    ("launches_of_unknown", |n| {
        format!("__device__ int f(); int main() {{ {} }}\n", "f<<<1, 2>>>(); ".repeat(n))
    }),
    ("parameters", |n| {
        format!("__device__ int f({}) {{ return 0; }}\n", chain(n, ",", |i| format!("int p{i}")))
    }),
    ("kernel_parameters", |n| {
        format!("__global__ void k({}) {{ }}\n", chain(n, ",", |i| format!("int *p{i}")))
    }),
    ("pointers", |n| format!("__device__ int {}p;\n", "*".repeat(n))),
    ("pointers_const", |n| format!("__device__ int {}p;\n", "* const ".repeat(n))),
    ("references", |n| format!("__device__ int f(int {}p);\n", "&".repeat(n))),
    ("dimensions", |n| format!("__device__ int a{};\n", "[1]".repeat(n))),
    ("declarator_parens", |n| format!("__device__ int {}a{};\n", "(".repeat(n), ")".repeat(n))),
    ("declarator_functions", |n| format!("__device__ int (*{}f{})();\n", "(*".repeat(n), ")()".repeat(n))),
    ("declarators", |n| kernel(&format!("int {};", chain(n, ",", |i| format!("*a{i}"))))),
    ("specifiers", |n| format!("{} int x;\n", "static const __device__ ".repeat(n))),
    ("attributes", |n| {
        format!("{} __global__ void k() {{}}\n", "[[a]] __attribute__((b)) __launch_bounds__(1) ".repeat(n))
    }),
    ("if_chain", |n| {
        kernel(&format!("{} ;", repeated(n, |i| format!("if (o[0] == {i}) o[1] = {i}; else "))))
    }),
    ("if_nests", |n| kernel(&format!("{} ;", "if (o[0]) ".repeat(n)))),
    ("loop_nests", |n| kernel(&format!("{} ;", "while (o[0]) for (;;) do ".repeat(n)))),
    ("else_alone", |n| kernel(&"else ".repeat(n))),
    ("switch_cases", |n| {
        kernel(&format!("switch (o[0]) {{ {} }}", lines(n, |i| format!("case {i}: o[1] = {i}; break;"))))
    }),
    ("switch_cases_shared", |n| {
        kernel(&format!("switch (o[0]) {{ {} o[1] = 2; }}", lines(n, |i| format!("case {i}:"))))
    }),
    ("switch_fall_through", |n| {
        kernel(&format!("switch (o[0]) {{ {} }}", lines(n, |i| format!("case {i}: o[{i}] = {i};"))))
    }),
    ("switch_same_case", |n| kernel(&format!("switch (o[0]) {{ {} }}", "case 1: ".repeat(n)))),
    ("switches", |n| {
        kernel(&lines(n, |i| format!("switch (o[{i}]) {{ case 1: o[0] = 1; break; default: o[0] = 2; }}")))
    }),
    ("labels", |n| kernel(&lines(n, |i| format!("l{i}: o[{i}] = 1;")))),
    ("gotos_forward", |n| {
        kernel(&format!(
            "{}{}",
            lines(n, |i| format!("if (o[{i}]) goto l{i};")),
            lines(n, |i| format!("l{i}: o[{i}] = 1;"))
        ))
    }),
    ("gotos_backward", |n| {
        kernel(&format!(
            "{}{}",
            lines(n, |i| format!("l{i}: o[{i}] += 1;")),
            lines(n, |i| format!("if (o[{i}] < 3) goto l{i};"))
        ))
    }),
    ("gotos_nowhere", |n| kernel(&lines(n, |i| format!("goto l{i};")))),
    ("lambdas", |n| {
        kernel(&lines(n, |i| format!("auto l{i} = [=] (int x) {{ return x + {i}; }}; o[{i}] = l{i}(1);")))
    }),
    ("lambdas_nested", |n| kernel(&format!("o[0] = {} 1 {};", "[&] { return ".repeat(n), "; }()".repeat(n)))),
    ("lambdas_generic_nested", |n| {
        kernel(&format!("auto f = {} 1 {}; ", "[] (auto x) { return ".repeat(n), "; }".repeat(n)))
    }),
    ("namespaces", |n| lines(n, |i| format!("namespace a{i} {{ __device__ int x; }}"))),
    ("namespaces_nested", |n| format!("{}{}", "namespace a {".repeat(n), "}".repeat(n))),
    ("namespaces_nested_by_name", |n| {
        format!("namespace {} {{ int x; }}\n", chain(n, "::", |i| format!("a{i}")))
    }),
    ("path_long", |n| kernel(&format!("o[0] = {};", chain(n, "::", |i| format!("a{i}"))))),
    ("classes_nested", |n| format!("{}{}", "struct S {".repeat(n), "};".repeat(n))),
    ("classes_open", |n| "struct S { ".repeat(n)),
    ("template_headers", |n| format!("{} struct S {{}};\n", "template <class T> ".repeat(n))),
    ("template_parameters", |n| {
        format!("template <{}> struct S {{}};\n", chain(n, ",", |i| format!("class T{i}")))
    }),
    ("template_arguments_nested", |n| {
        format!(
            "template <class T> struct A {{}};\n{}\n",
            lines(n, |i| format!("{}int{} a{i};", "A<".repeat(30), ">".repeat(30)))
        )
    }),
    ("template_or_less", |n| kernel(&lines(n, |_| format!("o[0] = {} 1;", "o < o ".repeat(20))))),
    ("using_declarations", |n| format!("namespace a {{ __device__ int x; }}\n{}", "using a::x;\n".repeat(n))),
    ("using_namespaces", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("namespace a{i} {{}} using namespace a{i};")),
            kernel("o[0] = missing;")
        )
    }),
    ("typedef_chain", |n| {
        format!("typedef int T0;\n{}__device__ T{n} x;\n", lines(n, |i| format!("typedef T{i} T{};", i + 1)))
    }),
    ("typedef_pointers", |n| {
        format!("typedef int T0;\n{}__device__ T{n} x;\n", lines(n, |i| format!("typedef T{i} *T{};", i + 1)))
    }),
    ("initializers", |n| format!("__device__ int a[] = {{ {} }};\n", chain(n, ",", |i| i.to_string()))),
    ("initializers_of_locals", |n| {
        kernel(&format!("int a[] = {{ {} }}; o[0] = a[o[1]];", chain(n, ",", |i| i.to_string())))
    }),
    ("initializers_nested", |n| format!("__device__ int a[] = {}1{};\n", "{".repeat(n), "}".repeat(n))),
    ("initializers_of_pairs", |n| {
        format!(
            "struct P {{ int a, b; }};\n__device__ P a[] = {{ {} }};\n",
            chain(n, ",", |i| format!("{{ {i}, {i} }}"))
        )
    }),
    ("enumerators", |n| {
        format!("enum E {{ {} }};\n{}", chain(n, ",", |i| format!("e{i}")), kernel("o[0] = e0;"))
    }),
    ("enumerators_with_values", |n| {
        format!("enum E {{ {} }};\n", chain(n, ",", |i| format!("e{i} = {i} + 1")))
    }),
    ("asserts", |n| lines(n, |i| format!("static_assert({i} >= 0, \"message\");"))),
    ("asserts_that_fail", |n| lines(n, |i| format!("static_assert({i} < 0, \"message {i}\");"))),
    ("extern_c", |n| format!("{}{}", "extern \"C\" {".repeat(n), "}".repeat(n))),
    ("operators_as_names", |n| {
        format!("struct S {{}};\n{}", lines(n, |_| "__device__ S operator+(S a, S b);".into()))
    }),
    ("bit_fields", |n| format!("struct S {{ {} }};\n", lines(n, |i| format!("int b{i} : 3;")))),
    ("exceptions", |n| kernel(&"try { throw 1; } catch (int) {} ".repeat(n))),
    ("news", |n| kernel(&"int *p = new int[2]; delete p; ".repeat(n))),
];
