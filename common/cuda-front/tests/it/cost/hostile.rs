//! Shapes that were chosen to hurt: several things at once, each small by itself, and things of the greatest size that is allowed.

use super::{Shape, chain, kernel, lines, repeated};

/// The header of a loop that is unrolled fully.
fn unrolled(counter: &str, trips: usize) -> String {
    format!("_Pragma(\"unroll\") for (int {counter} = 0; {counter} < {trips}; {counter}++) ")
}

pub(super) const SHAPES: &[Shape] = &[
    ("one_line", |n| kernel(&repeated(n, |i| format!("o[{i}] = o[{}] * 3; ", i + 1)))),
    ("one_line_of_errors", |n| kernel(&repeated(n, |i| format!("o[{i}] = a{i}; ")))),
    ("one_line_of_warnings", |n| kernel(&repeated(n, |i| format!("{{ int a{i}; o[0] = a{i}; }} ")))),
    ("text_beyond_ascii", |n| {
        kernel(&lines(n, |i| {
            format!("o[0] = \u{feff}\u{200b}\u{202e}\u{1d54f}{i}\u{301}\u{fffd}\u{0}\u{85}\u{2028};")
        }))
    }),
    ("comments_between_tokens", |n| kernel(&lines(n, |i| format!("o/**/[/*\\\n*/{i}]/\\\n/ x\\\n y\n= 1;")))),
    ("macro_paste_chain", |n| {
        format!(
            "#define P(a) {}\nint P(x);\n",
            chain(n, "##", |i| if i == 0 { "a".into() } else { "b".into() })
        )
    }),
    ("macro_rescans", |n| {
        format!(
            "#define E(x) x\n#define N()\n#define D(x) x N()\n#define R(x) x D(R_)()(x x)\n#define R_() R\n{}",
            lines(n, |_| format!("{}R(a){};", "E(".repeat(9), ")".repeat(9)))
        )
    }),
    ("macro_strings_of_strings", |n| {
        format!(
            "#define S(...) #__VA_ARGS__\n#define T(x) S(x)\n__device__ const char *s = {}\"\\\"\"{};\n",
            "T(".repeat(n.min(150)),
            ")".repeat(n.min(150))
        )
    }),
    ("line_directives_far", |n| lines(n, |i| format!("#line {}\nint a{i} = b;", 2_000_000_000 - i))),
    ("initializers_deep", |n| {
        format!("__device__ int a{} = {}1{};\n", "[1]".repeat(n), "{".repeat(n), "}".repeat(n))
    }),
    ("initializers_of_texts", |n| {
        format!("__device__ char a[][9] = {{ {} }};\n", chain(n, ",", |i| format!("\"{i}\"")))
    }),
    ("initializers_of_long_rows", |n| {
        format!("__device__ int a[][100000] = {{ {} }};\n", chain(n, ",", |i| format!("{{ {i} }}")))
    }),
    ("unions_in_unions", |n| {
        format!(
            "union U0 {{ int a; float b; }};\n{}{}",
            lines(n, |i| format!("union U{} {{ U{i} u; int a; }};", i + 1)),
            kernel(&format!("U{n} u; u.a = 1; o[0] = u.u.a;"))
        )
    }),
    ("classes_without_names", |n| {
        format!(
            "struct S {{ {} int a; {} }};\n{}",
            "union { struct { ".repeat(n),
            "}; };".repeat(n),
            kernel("S s; o[0] = s.a;")
        )
    }),
    ("templates_in_templates", |n| {
        format!(
            "{}int x;{}\n",
            repeated(n, |i| format!("template <class T{i}> struct S{i} {{ ")),
            "};".repeat(n)
        )
    }),
    ("concepts_doubling", |n| {
        constrained(
            &format!(
                "template <class T> concept C0 = sizeof(T) > 0;\n{}",
                lines(n, |i| format!("template <class T> concept C{} = C{i}<T> && C{i}<T>;", i + 1))
            ),
            n,
        )
    }),
    ("concepts_of_alternatives", |n| {
        let some = chain(n, " && ", |i| format!("(A{i}<T> || A{}<T>)", (i + 1) % n));
        constrained(
            &format!(
                "{}template <class T> concept C{n} = {some};\ntemplate <class T> concept D = {some} && sizeof(T) > 1;\n\
             template <class T> requires D<T> __device__ int f(T) {{ return 3; }}\n",
                lines(n, |i| format!("template <class T> concept A{i} = sizeof(T) > {};", i % 4))
            ),
            n,
        )
    }),
    ("constraints_in_parentheses", |n| {
        format!("template <class T> requires {}true{} __device__ int f(T);\n", "(".repeat(n), ")".repeat(n))
    }),
    ("requires_in_requires", |n| {
        format!(
            "template <class T> concept C = {}true{};\nstatic_assert(C<int>);\n",
            "requires { requires ".repeat(n),
            "; }".repeat(n)
        )
    }),
    ("comparisons_by_members", |n| {
        format!(
            "#include <compare>\nstruct S {{ {} __device__ auto operator<=>(const S &) const = default; }};\n{}",
            lines(n, |i| format!("int m{i};")),
            kernel("S a{}, b{}; o[0] = a < b;")
        )
    }),
    ("overloads_of_many_parameters", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!(
                "__device__ int f({}) {{ return {i}; }}",
                chain(12, ",", |bit| if i >> bit & 1 == 1 { "float".into() } else { "int".into() })
            )),
            kernel(&lines(n, |i| format!("o[{i}] = f({});", chain(12, ",", |_| "n".into()))))
        )
    }),
    ("operators_of_operators", |n| {
        format!(
            "struct S {{ int x; }}; __device__ S operator<<(S a, int b) {{ return S{{ a.x + b }}; }}\n{}",
            kernel(&lines(n, |_| format!("{{ S s{{}}; o[0] = (s{}).x; }}", " << 1".repeat(100))))
        )
    }),
    ("lambdas_capturing", |n| {
        kernel(&format!(
            "{}{}",
            lines(n, |i| format!("int v{i} = o[{i}];")),
            lines(n, |i| format!("auto l{i} = [=] {{ return v{i} + v{}; }}; o[{i}] = l{i}();", n - 1 - i))
        ))
    }),
    ("lambdas_doubling", |n| {
        kernel(&format!(
            "auto l0 = [=] (int x) {{ return x + n; }};\n{}o[0] = l{n}(1);",
            lines(n, |i| format!("auto l{} = [=] (int x) {{ return l{i}(x) + l{i}(x + 1); }};", i + 1))
        ))
    }),
    ("function_instances_doubling", |n| {
        format!(
            "template <int N> __device__ int f(int x) {{ return f<N * 2>(x) + f<N * 2 + 1>(x); }}\n{}",
            kernel(&lines(n, |i| format!("o[0] = f<{}>(1);", i + 1)))
        )
    }),
    ("switch_nested", |n| {
        kernel(&lines(n, |_| {
            format!(
                "{} o[1] = 2; {}",
                "switch (o[0]) { case 1: o[3] = 1; default: ".repeat(30),
                "}".repeat(30)
            )
        }))
    }),
    ("switch_in_loop", |n| {
        kernel(&format!(
            "for (int i = 0; i < 64; i++) switch (o[i]) {{ {} }}",
            lines(n, |i| format!("case {i}: if (o[{i}]) break; o[0] = {i}; continue;"))
        ))
    }),
    ("cases_of_equal_hash", |n| {
        // Multiples of a power of two: all alike to a table that looks at few bits.
        kernel(&format!(
            "switch ((long long)o) {{ {} }}",
            lines(n, |i| format!("case {i}ll << 40: o[1] = 1; break;"))
        ))
    }),
    ("gotos_crossing", |n| {
        kernel(&lines(n, |i| {
            format!("l{i}: if (o[{i}]) goto l{}; if (o[0]) goto l{};", (i + 1) % n, (i + n / 2) % n)
        }))
    }),
    ("gotos_out_of_loops", |n| {
        kernel(&format!(
            "{} end: o[0] = 1;",
            lines(n, |i| format!("for (int i = 0; i < 4; i++) {{ if (o[{i}]) goto end; o[i] = 1; }}"))
        ))
    }),
    ("globals_used", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("__device__ int g{i};")),
            kernel(&lines(n, |i| format!("o[0] += g{i};")))
        )
    }),
    ("names_used_by_all", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("__device__ int a{i}(int x);")),
            lines(n, |i| format!("__global__ void k{i}(int *o) {{ o[0] = a{i}(a{}(1)); }}", n - 1 - i))
        )
    }),
    ("kernels_calling_a_cycle", |n| {
        format!(
            "{}{}{}",
            lines(n, |i| format!("__device__ int f{i}(int x);")),
            lines(n, |i| format!(
                "__device__ int f{i}(int x) {{ return x < 1 ? 0 : f{}(x - 1); }}",
                (i + 1) % n
            )),
            lines(n, |i| format!("__global__ void k{i}(int *o) {{ o[0] = f{i}(3); }}"))
        )
    }),
    ("calls_of_many_arguments", |n| {
        format!(
            "__device__ int f({}) {{ return p0; }}\n{}",
            chain(200, ",", |i| format!("int p{i}")),
            kernel(&lines(n, |_| format!("o[0] = f({});", chain(200, ",", |i| format!("{i}")))))
        )
    }),
    ("values_swapped", |n| {
        format!(
            "struct S {{ {} }};\n{}",
            repeated(1000, |i| format!("int m{i};")),
            kernel(&format!(
                "S a = *(S *)o, b = a, c; {} *(S *)o = a;",
                lines(n, |_| "c = a; a = b; b = c;".into())
            ))
        )
    }),
    ("arrays_in_registers", |n| {
        kernel(&lines(n, |i| format!("int a{i}[250]; a{i}[{}] = o[{i}]; o[0] = a{i}[3];", i % 250)))
    }),
    ("arrays_in_registers_large", |n| {
        kernel(&lines(n, |i| format!("int a{i}[100000]; a{i}[{i}] = o[{i}]; o[0] = a{i}[3];")))
    }),
    ("arrays_in_registers_huge", |n| {
        kernel(&lines(n, |i| format!("{{ char a[2000000000]; a[{i}] = o[{i}]; o[0] = a[3]; }}")))
    }),
    ("arrays_in_registers_in_loops", |n| {
        kernel(&lines(n, |i| {
            format!(
                "{{ float a[64]; {} a[i] = g[i + {i}]; {} g[i] = a[63 - i]; }}",
                unrolled("i", 64),
                unrolled("i", 64)
            )
        }))
    }),
    ("loops_unrolled_with_bodies", |n| {
        kernel(&format!(
            "{} {{ {} }}",
            unrolled("i", 64),
            lines(n, |i| format!("o[i * {i}] = o[i + {i}] * i;"))
        ))
    }),
    ("loops_unrolled_one_by_one", |n| {
        kernel(&lines(n, |_| {
            "for (int i = 0; i < 4; i++) for (int j = i; j < 4; j++) for (int k = j; k < 4; k++) for (int l = k; l < 4; l++) o[i + j] += k * l;".into()
        }))
    }),
    ("loops_unrolled_in_loops", |n| {
        kernel(&lines(n, |i| {
            format!(
                "for (int a = 0; a < o[{i}]; a++) for (int b = 0; b < o[a]; b++) {{ {} o[b + i] += a * i; }}",
                unrolled("i", 100)
            )
        }))
    }),
    ("loops_unrolled_at_run_time", |n| {
        kernel(&lines(n, |i| format!("for (int i = 0; i < n; i++) g[i + {i}] += g[i] * g[i + 1];")))
    }),
    ("loops_in_one_another", |n| {
        let depth = n.min(90);
        let inside = lines(n, |i| format!("o[{i}]++;"));
        kernel(&format!(
            "{} {{ {inside} }}",
            repeated(depth, |i| format!("for (int i{i} = 0; i{i} < o[{i}]; i{i}++) "))
        ))
    }),
    ("loops_in_one_another_counted", |n| {
        let depth = n.min(90);
        let inside = lines(n, |i| format!("o[{i}]++;"));
        kernel(&format!(
            "{} {{ {inside} }}",
            repeated(depth, |i| format!("for (int i{i} = 0; i{i} < 100; i{i}++) "))
        ))
    }),
    ("branches_in_one_another", |n| {
        let depth = n.min(90);
        let inside = lines(n, |i| format!("float v{i} = g[{i}] * g[0]; g[{i}] = v{i} + 1;"));
        let opened = repeated(depth, |i| {
            format!("{} if (o[{i}]) {{ ", repeated(20, |k| format!("float p{i}_{k} = g[{k}] * g[{i}];")))
        });
        let closed = repeated(depth, |i| {
            let i = depth - 1 - i;
            format!("}} {}", repeated(20, |k| format!("g[{k}] = p{i}_{k} + g[1];")))
        });
        kernel(&format!("{opened} {inside} {closed}"))
    }),
    ("branches_writing_many", |n| {
        kernel(&format!(
            "{}{}{}",
            lines(n, |i| format!("int v{i} = o[{i}];")),
            lines(n, |i| format!("if (o[{i}]) {{ v{i} = g[0]; v{} = o[1]; }}", n - 1 - i)),
            lines(n, |i| format!("o[{i}] = v{i};"))
        ))
    }),
    ("scopes_with_breaks", |n| {
        kernel(&lines(n, |i| {
            format!("do {{ if (o[{i}]) break; o[1] = {i}; if (o[2]) break; o[3] = 1; }} while (0);")
        }))
    }),
    ("pointers_to_pointers", |n| {
        kernel(&format!(
            "int *p0 = o; {} o[0] = *p{n};",
            lines(n, |i| format!("int *p{} = p{i} + o[{i}];", i + 1))
        ))
    }),
    ("same_value_in_many", |n| {
        kernel(&format!(
            "int v0 = o[0]; {} {}",
            lines(n, |i| format!("int v{} = v{i};", i + 1)),
            lines(n, |i| format!("v{i} = o[{i}]; o[{i}] = v{n} + 1;"))
        ))
    }),
];

/// Calls of two functions, one of which has the constraint `Cn` and the other a stricter one.
fn constrained(concepts: &str, n: usize) -> String {
    format!(
        "{concepts}template <class T> requires C{n}<T> __device__ int f(T) {{ return 1; }}\n\
         template <class T> requires C{n}<T> && (sizeof(T) > 2) __device__ int f(T) {{ return 2; }}\n{}",
        kernel("o[0] = f(1);")
    )
}
