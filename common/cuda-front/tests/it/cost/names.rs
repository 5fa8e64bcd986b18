//! Shapes for the checker: declarations, overloads, classes, templates, constants.

use super::{Shape, chain, kernel, lines, repeated};

pub(super) const SHAPES: &[Shape] = &[
    ("undeclared_names", |n| kernel(&lines(n, |i| format!("o[0] = name{i};")))),
    ("undeclared_names_among_many", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("__device__ int some{i};")),
            kernel(&lines(n, |i| format!("o[0] = same{i};")))
        )
    }),
    ("undeclared_types", |n| lines(n, |i| format!("__device__ Type{i} x{i};"))),
    ("undeclared_members", |n| {
        format!(
            "struct S {{ {} }};\n{}",
            lines(n, |i| format!("int some{i};")),
            kernel(&format!("S s; {}", lines(n, |i| format!("o[0] = s.same{i};"))))
        )
    }),
    ("wrong_types", |n| format!("struct S {{}};\n{}", kernel(&lines(n, |_| "{ S s; o[0] = s; }".into())))),
    ("wrong_arguments", |n| {
        format!("__device__ int f(int x);\n{}", kernel(&"o[0] = f(1, 2, 3); ".repeat(n)))
    }),
    ("uninitialized", |n| kernel(&lines(n, |i| format!("int a{i}; o[{i}] = a{i};")))),
    ("redeclared", |n| kernel(&"int a; ".repeat(n))),
    ("redefined_functions", |n| "__device__ int f() { return 1; }\n".repeat(n)),
    ("declared_functions", |n| "__device__ int f(int);\n".repeat(n)),
    ("host_calls", |n| format!("int h();\n{}", kernel(&"o[0] = h(); ".repeat(n)))),
    ("missing_returns", |n| lines(n, |i| format!("__device__ int f{i}() {{ }}"))),
    ("conversions_lossy", |n| kernel(&lines(n, |i| format!("g[{i}] = 1.0 / 3; o[{i}] = g[{i}];")))),
    ("empty_loops", |n| kernel(&"for (int i = 0; i < 3; i++); ".repeat(n))),
    ("assignments_as_conditions", |n| kernel(&"if (o[0] = 1) o[1] = 2; ".repeat(n))),
    ("overloads", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("struct T{i} {{}}; __device__ int f(T{i}) {{ return {i}; }}")),
            kernel("o[0] = f(T0());")
        )
    }),
    ("overloads_called", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("struct T{i} {{}}; __device__ int f(T{i}) {{ return {i}; }}")),
            kernel(&lines(n, |i| format!("o[0] = f(T{i}());")))
        )
    }),
    ("overloads_none_fits", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("struct T{i} {{}}; __device__ int f(T{i}) {{ return {i}; }}")),
            kernel(&"o[0] = f(1); ".repeat(n))
        )
    }),
    ("overloads_templates", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!(
                "template <class T> struct T{i} {{}}; template <class T> __device__ int f(T{i}<T>) {{ return {i}; }}"
            )),
            kernel(&lines(n, |i| format!("o[0] = f(T{i}<int>());")))
        )
    }),
    ("operators_overloaded", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!(
                "struct T{i} {{ int x; }}; __device__ int operator+(T{i} a, T{i} b) {{ return a.x; }}"
            )),
            kernel(&lines(n, |i| format!("{{ T{i} t{{}}; o[0] = t + t; }}")))
        )
    }),
    ("methods", |n| {
        format!(
            "struct S {{ {} }};\n{}",
            lines(n, |i| format!("__device__ int m{i}() {{ return {i}; }}")),
            kernel(&format!("S s; {}", lines(n, |i| format!("o[0] = s.m{i}();"))))
        )
    }),
    ("constructors", |n| {
        format!(
            "{}\nstruct S {{ int x; {} }};\n{}",
            lines(n, |i| format!("struct T{i} {{}};")),
            lines(n, |i| format!("__device__ S(T{i}) : x({i}) {{}}")),
            kernel(&lines(n, |i| format!("o[{i}] = S(T{i}()).x;")))
        )
    }),
    ("conversion_operators", |n| {
        format!(
            "{}\nstruct S {{ {} }};\n{}",
            lines(n, |i| format!("struct T{i} {{}};")),
            lines(n, |i| format!("__device__ operator T{i}() {{ return T{i}(); }}")),
            kernel(&format!("S s; {}", lines(n, |i| format!("{{ T{i} t = s; }}"))))
        )
    }),
    ("members", |n| {
        format!(
            "struct S {{ {} }};\n{}",
            lines(n, |i| format!("int m{i};")),
            kernel(&format!("S *s = (S *)o; {}", lines(n, |i| format!("s->m{i} = {i};"))))
        )
    }),
    ("structs", |n| lines(n, |i| format!("struct S{i} {{ int a; float b[{}]; }};", i + 1))),
    ("structs_doubling", |n| {
        format!(
            "struct S0 {{ int a; }};\n{}{}",
            lines(n, |i| format!("struct S{} {{ S{i} a, b; }};", i + 1)),
            kernel(&format!("S{n} *s = (S{n} *)o; *s = *s;"))
        )
    }),
    ("structs_in_structs", |n| {
        format!(
            "struct S0 {{ int a; }};\n{}{}",
            lines(n, |i| format!("struct S{} {{ S{i} a; }};", i + 1)),
            kernel(&format!("S{n} s; S{n} t = s;"))
        )
    }),
    ("arrays_doubling", |n| {
        format!(
            "typedef int T0[2];\n{}__device__ T{n} x;\n",
            lines(n, |i| format!("typedef T{i} T{}[2];", i + 1))
        )
    }),
    ("bases", |n| {
        format!(
            "struct S0 {{ int a; }};\n{}{}",
            lines(n, |i| format!("struct S{} : S{i} {{ int a{i}; }};", i + 1)),
            kernel(&format!("S{n} s{{}}; o[0] = s.a;"))
        )
    }),
    ("bases_many", |n| {
        format!(
            "{}struct D : {} {{}};\n{}",
            lines(n, |i| format!("struct B{i} {{ int b{i}; }};")),
            chain(n, ",", |i| format!("B{i}")),
            kernel(&format!("D d; o[0] = d.b{}; o[1] = d.missing;", n - 1))
        )
    }),
    ("bases_doubling", |n| {
        format!(
            "struct L0 {{ int a; }}; struct R0 {{ int b; }};\n{}{}",
            lines(n, |i| format!("struct L{0} : L{i}, R{i} {{}}; struct R{0} : L{i}, R{i} {{}};", i + 1)),
            kernel(&format!("L{n} l; o[0] = l.missing;"))
        )
    }),
    ("friends", |n| format!("class S {{ {} int x; }};\n", lines(n, |i| format!("friend class T{i};")))),
    ("globals", |n| lines(n, |i| format!("__device__ int g{i} = {i};"))),
    ("globals_of_host", |n| lines(n, |i| format!("const int g{i} = {i};"))),
    ("globals_extern", |n| "extern __device__ int g[];\n".repeat(n)),
    ("globals_constant", |n| lines(n, |i| format!("__constant__ int g{i}[8];"))),
    ("globals_large", |n| lines(n, |i| format!("__device__ char g{i}[4000000000];"))),
    ("globals_large_with_value", |n| lines(n, |i| format!("__device__ int g{i}[1000000] = {{ 1 }};"))),
    ("globals_structs_with_value", |n| {
        lines(n, |i| format!("struct S{i} {{ int a[100000]; }}; __device__ S{i} g{i} = {{}};"))
    }),
    ("globals_from_constants", |n| {
        lines(n, |i| format!("constexpr int c{i}[1000] = {{ {i} }}; __device__ int g{i} = c{i}[0];"))
    }),
    ("namespaced_names", |n| {
        format!(
            "namespace a {{ {} }}\n{}",
            lines(n, |i| format!("__device__ int x{i};")),
            kernel(&lines(n, |i| format!("o[0] = a::x{i};")))
        )
    }),
    ("locals", |n| kernel(&lines(n, |i| format!("int v{i} = o[{i}];")))),
    ("locals_shadowing", |n| kernel(&lines(n, |i| format!("{{ int v = o[{i}]; o[0] += v; }}")))),
    ("class_instances", |n| {
        format!(
            "template <int N> struct S {{ int a[N]; }};\n{}",
            lines(n, |i| format!("__device__ S<{}> s{i};", i + 1))
        )
    }),
    ("function_instances", |n| {
        format!(
            "template <int N> __device__ int f() {{ return N; }}\n{}",
            kernel(&lines(n, |i| format!("o[{i}] = f<{i}>();")))
        )
    }),
    ("kernel_instances", |n| {
        format!(
            "template <int N> __global__ void k(int *o) {{ o[0] = N; }}\n{}",
            lines(n, |i| format!("template __global__ void k<{i}>(int *);"))
        )
    }),
    ("kernel_instances_with_parameters", |n| {
        format!(
            "template <int N> __global__ void k({}) {{ }}\n{}",
            chain(100, ",", |i| format!("int *p{i}")),
            lines(n, |i| format!(
                "template __global__ void k<{i}>({});",
                chain(100, ",", |_| "int *".into())
            ))
        )
    }),
    ("variable_instances", |n| {
        format!(
            "template <int N> constexpr int v = N;\n{}",
            kernel(&lines(n, |i| format!("o[{i}] = v<{i}>;")))
        )
    }),
    ("specialisations", |n| {
        format!(
            "template <int N> struct S {{ static constexpr int v = 0; }};\n{}{}",
            lines(n, |i| format!("template <> struct S<{i}> {{ static constexpr int v = {i}; }};")),
            kernel(&lines(n, |i| format!("o[{i}] = S<{i}>::v;")))
        )
    }),
    ("specialisations_partial", |n| {
        format!(
            "template <class T, int N> struct S {{ static constexpr int v = 0; }};\n{}{}",
            lines(n, |i| format!("template <class T> struct S<T, {i}> {{ static constexpr int v = {i}; }};")),
            kernel(&lines(n, |i| format!("o[{i}] = S<int, {i}>::v;")))
        )
    }),
    ("specialisations_of_functions", |n| {
        format!(
            "template <int N> __device__ int f() {{ return 0; }}\n{}{}",
            lines(n, |i| format!("template <> __device__ int f<{i}>() {{ return {i}; }}")),
            kernel(&lines(n, |i| format!("o[{i}] = f<{i}>();")))
        )
    }),
    ("template_recursion", |n| {
        format!(
            "template <int N> __device__ int f() {{ return 1 + f<N - 1>(); }}\ntemplate <> __device__ int f<0>() {{ return 0; }}\n{}",
            kernel(&format!("o[0] = f<{n}>();"))
        )
    }),
    ("template_recursion_endless", |n| {
        format!(
            "template <int N> struct S {{ static constexpr int v = S<N + 1>::v; }};\n{}",
            kernel(&lines(n, |i| format!("o[0] = S<{i}000>::v;")))
        )
    }),
    ("template_recursion_doubling", |n| {
        format!(
            "template <int N> struct S {{ static constexpr int v = S<N - 1>::v + S<N - 2>::v; }};\ntemplate <> struct S<0> {{ static constexpr int v = 1; }}; template <> struct S<1> {{ static constexpr int v = 1; }};\n{}",
            kernel(&lines(n, |i| format!("o[0] = S<{}>::v;", i % 60)))
        )
    }),
    ("template_types_doubling", |n| {
        format!(
            "template <class A, class B> struct P {{}};\ntypedef int T0;\n{}__device__ T{n} x;\n",
            lines(n, |i| format!("typedef P<T{i}, T{i}> T{};", i + 1))
        )
    }),
    ("alias_chain", |n| {
        format!(
            "template <class T> using A0 = T;\n{}__device__ A{n}<int> x;\n",
            lines(n, |i| format!("template <class T> using A{} = A{i}<T>;", i + 1))
        )
    }),
    ("alias_doubling", |n| {
        format!(
            "template <class A, class B> struct P {{}};\ntemplate <class T> using A0 = T;\n{}__device__ A{n}<int> x;\n",
            lines(n, |i| format!("template <class T> using A{} = P<A{i}<T>, A{i}<T>>;", i + 1))
        )
    }),
    ("alias_doubling_pointers", |n| {
        format!(
            "template <class T> using A0 = T *;\n{}__device__ A{n}<int> x;\n",
            lines(n, |i| format!("template <class T> using A{} = A{i}<A{i}<T>>;", i + 1))
        )
    }),
    ("alias_growing_functions", |n| {
        format!(
            "typedef int T0();\n{}__device__ T{n} *x;\n",
            lines(n, |i| format!("typedef int T{}(T{i} *, T{i} *);", i + 1))
        )
    }),
    ("nested_template_doubling", |n| {
        format!(
            "template <class T> struct S {{ struct I {{}}; }};\ntypedef int T0;\n{}__device__ T{n} x;\n",
            lines(n, |i| format!("typedef S<T{i}>::I T{};", i + 1))
        )
    }),
    ("pack_recursion", |n| {
        format!(
            "template <class T> __device__ int f(T x) {{ return x; }}\ntemplate <class T, class... R> __device__ int f(T x, R... r) {{ return x + f(r...); }}\n{}",
            kernel(&format!("o[0] = f({});", chain(n, ",", |i| i.to_string())))
        )
    }),
    ("pack_doubling", |n| {
        format!(
            "template <int N, class... T> __device__ int f(T... t) {{ if constexpr (N > 0) return f<N - 1>(t..., t...); else return 0; }}\n{}",
            kernel(&format!("o[0] = f<{}>(1);", n.min(50)))
        )
    }),
    ("pack_doubling_of_values", |n| {
        format!(
            "template <int N, int... I> struct S {{ static constexpr int v = S<N - 1, I..., I...>::v; }};\ntemplate <int... I> struct S<0, I...> {{ static constexpr int v = sizeof...(I); }};\n{}",
            kernel(&format!("o[0] = S<{}, 1>::v;", n.min(50)))
        )
    }),
    ("pack_of_packs", |n| {
        format!(
            "template <class... T> struct L {{}};\ntemplate <class... T> using D = L<L<T...>, T...>;\ntypedef D<{}> X;\n__device__ X x;\n",
            chain(n, ",", |_| "int".into())
        )
    }),
    ("pack_squares", |n| {
        format!(
            "template <int... I> struct L {{}};\ntemplate <int... I> struct Q {{ {} }};\n__device__ Q<{}> x;\n",
            repeated(50, |i| format!("L<I...> a{i};")),
            chain(n, ",", |i| i.to_string())
        )
    }),
    ("pack_folds", |n| {
        format!(
            "template <class... T> __device__ int f(T... t) {{ return (t + ...); }}\n{}",
            kernel(&format!("o[0] = f({});", chain(n, ",", |i| i.to_string())))
        )
    }),
    ("pack_sizes", |n| {
        format!(
            "template <class... T> __device__ int f(T... t) {{ return {}; }}\n{}",
            chain(n.min(400), "+", |_| "sizeof...(T)".into()),
            kernel("o[0] = f(1, 2, 3);")
        )
    }),
    ("pack_values", |n| {
        format!(
            "template <int... I> __device__ int f() {{ return (I + ...); }}\n{}",
            kernel(&format!("o[0] = f<{}>();", chain(n, ",", |i| i.to_string())))
        )
    }),
    ("decltype_nested", |n| {
        format!("__device__ int x;\n__device__ {}x{} y;\n", "decltype(".repeat(n), ")".repeat(n))
    }),
    ("sizeof_nested", |n| kernel(&format!("o[0] = {}1{};", "sizeof(".repeat(n), ")".repeat(n)))),
    ("auto_chain", |n| {
        format!(
            "__device__ auto f0() {{ return 1; }}\n{}{}",
            lines(n, |i| format!("__device__ auto f{}() {{ return f{i}(); }}", i + 1)),
            kernel(&format!("o[0] = f{n}();"))
        )
    }),
    ("auto_chain_backwards", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("template <class T> __device__ auto g{i}(T x);")),
            kernel("o[0] = g0(1);")
        )
    }),
    ("default_arguments", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!(
                "__device__ int f{i}(int a = {i}, int b = a{i}) {{ return a; }}\n__device__ int a{i};"
            )),
            kernel("o[0] = f0();")
        )
    }),
    ("constexpr_loops", |n| {
        format!(
            "constexpr int f() {{ int s = 0; for (int i = 0; i < 190000; i++) s += i & 1; return s; }}\n{}",
            lines(n, |i| format!("constexpr int c{i} = f();"))
        )
    }),
    ("constexpr_endless", |n| {
        format!(
            "constexpr int f(int x) {{ while (true) x ^= 1; return x; }}\n{}",
            lines(n, |i| format!("constexpr int c{i} = f({i});"))
        )
    }),
    ("constexpr_recursion", |n| {
        format!(
            "constexpr int f(int n) {{ return n < 2 ? n : f(n - 1) + f(n - 2); }}\n{}",
            lines(n, |i| format!("constexpr int c{i} = f(20);"))
        )
    }),
    ("constexpr_arrays", |n| {
        format!(
            "struct A {{ int v[60000]; }};\nconstexpr A f(int x) {{ A a{{}}; for (int i = 0; i < 100; i++) a.v[i] = x; return a; }}\n{}",
            lines(n, |i| format!("constexpr A c{i} = f({i});"))
        )
    }),
    ("constexpr_array_copies", |n| {
        format!(
            "struct A {{ int v[60000]; }};\nconstexpr int f() {{ A a{{}}; for (int i = 0; i < 100000; i++) {{ A b = a; a = b; }} return 1; }}\n{}",
            lines(n, |i| format!("constexpr int c{i} = f();"))
        )
    }),
    ("constexpr_array_elements", |n| {
        format!(
            "constexpr int t[10000] = {{ 1 }};\nconstexpr int f() {{ int s = 0; for (int i = 0; i < 10000; i++) s += t[i]; return s; }}\n{}",
            lines(n, |i| format!("constexpr int c{i} = f();"))
        )
    }),
    ("constexpr_arrays_of_arrays", |n| {
        lines(n, |i| {
            format!("constexpr int f{i}() {{ int a[60000][60000]; return 1; }}\nconstexpr int c{i} = f{i}();")
        })
    }),
    ("constexpr_zeros", |n| lines(n, |i| format!("constexpr int a{i}[1000][1000] = {{}};"))),
    ("array_lengths", |n| {
        format!(
            "constexpr int f(int n) {{ int s = 0; for (int i = 0; i < n; i++) s++; return s; }}\n{}",
            kernel(&lines(n, |i| format!("int a{i}[f(1000) + {i}];")))
        )
    }),
    ("static_members", |n| {
        format!("struct S {{ {} }};\n", lines(n, |i| format!("static constexpr int m{i} = {i};")))
    }),
    ("function_pointers", |n| {
        format!(
            "{}__device__ int (*t[])(int) = {{ {} }};\n{}",
            lines(n, |i| format!("__device__ int f{i}(int x) {{ return {i}; }}")),
            chain(n, ",", |i| format!("f{i}")),
            kernel("o[0] = t[o[1]](2);")
        )
    }),
    ("function_pointer_calls", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("__device__ int f{i}(int x) {{ return {i}; }}")),
            kernel(&format!("int (*p)(int); {}", lines(n, |i| format!("p = f{i}; o[{i}] = p(1);"))))
        )
    }),
];
