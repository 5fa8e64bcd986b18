//! Shapes for lowering and the optimiser: long code, much control flow, many variables, calls, loops.

use super::{Shape, chain, kernel, lines, repeated};

pub(super) const SHAPES: &[Shape] = &[
    ("straight_line", |n| kernel(&lines(n, |i| format!("o[{i}] = o[{}] * 3 + {i};", i + 1)))),
    ("straight_line_of_floats", |n| {
        kernel(&lines(n, |i| format!("g[{i}] = g[{}] * g[{}] + g[{i}];", i + 1, i + 2)))
    }),
    ("one_variable", |n| {
        kernel(&format!("int x = o[0]; {} o[0] = x;", lines(n, |i| format!("x = x * {i} + 1;"))))
    }),
    ("dependent_sum", |n| {
        kernel(&format!("float s = 0; {} g[0] = s;", lines(n, |i| format!("s += g[{i}] * g[{}];", i + 7))))
    }),
    ("live_variables", |n| {
        kernel(&format!(
            "{}__syncthreads();{}",
            lines(n, |i| format!("int v{i} = o[{i}];")),
            lines(n, |i| format!("o[v{i}] = v{};", n - 1 - i))
        ))
    }),
    ("live_variables_in_loop", |n| {
        kernel(&format!(
            "{} for (int i = 0; i < o[0]; i++) {{ {} }} {}",
            lines(n, |i| format!("int v{i} = o[{i}];")),
            lines(n, |i| format!("v{i} += v{};", (i + 1) % n)),
            lines(n, |i| format!("o[{i}] = v{i};"))
        ))
    }),
    ("same_expressions", |n| kernel(&lines(n, |i| format!("o[{i}] = (o[0] + threadIdx.x * 5) / 3;")))),
    ("stores_and_loads", |n| kernel(&lines(n, |i| format!("o[0] = {i}; o[1] = o[0];")))),
    ("branches", |n| kernel(&lines(n, |i| format!("if (o[{i}] > 1) o[{i}] = 2; else o[0] = {i};")))),
    ("branches_assigning", |n| {
        kernel(&format!(
            "int x = 0, y = 1; {} o[0] = x + y;",
            lines(n, |i| format!("if (o[{i}] > x) {{ x += {i}; }} else {{ y -= x; }}"))
        ))
    }),
    ("branches_nested", |n| {
        kernel(&lines(n, |_| format!("{} o[0] = 1; {}", "if (o[0]) { o[1] = 2; ".repeat(40), "}".repeat(40))))
    }),
    ("returns", |n| kernel(&lines(n, |i| format!("if (o[{i}] > 1) return;")))),
    ("loops", |n| kernel(&lines(n, |i| format!("for (int i = 0; i < o[{i}]; i++) o[i] += {i};")))),
    ("loops_constant", |n| kernel(&lines(n, |i| format!("for (int i = 0; i < 8; i++) o[i] += {i};")))),
    ("loops_of_invariants", |n| {
        kernel(&lines(n, |i| format!("for (int i = 0; i < o[0]; i++) o[i] = o[1] * {i} + n * {i};")))
    }),
    ("loops_nested", |n| {
        kernel(&lines(n, |_| {
            format!("{} o[i0]++;", repeated(30, |i| format!("for (int i{i} = 0; i{i} < o[{i}]; i{i}++) ")))
        }))
    }),
    ("loops_nested_constant", |n| {
        kernel(&lines(n, |_| {
            format!("{} o[i0]++;", repeated(6, |i| format!("for (int i{i} = 0; i{i} < 4; i{i}++) ")))
        }))
    }),
    ("loops_nested_unrolled", |n| {
        kernel(&lines(n, |_| {
            format!(
                "{} o[i0] += i1 * i2;",
                repeated(6, |i| format!("_Pragma(\"unroll\") for (int i{i} = 0; i{i} < 8; i{i}++) "))
            )
        }))
    }),
    ("loops_unrolled", |n| {
        kernel(&lines(n, |i| format!("_Pragma(\"unroll\") for (int i = 0; i < 1000; i++) o[i] += {i};")))
    }),
    ("loops_long", |n| kernel(&lines(n, |i| format!("for (int i = 0; i < 65536; i++) o[0] += i * {i};")))),
    ("loops_with_bodies", |n| {
        kernel(&format!(
            "for (int i = 0; i < 64; i++) {{ {} }}",
            lines(n, |i| format!("o[i + {i}] = o[i * {i}];"))
        ))
    }),
    ("loops_with_breaks", |n| {
        kernel(&format!("for (;;) {{ {} }}", lines(n, |i| format!("if (o[{i}]) break; if (o[1]) continue;"))))
    }),
    ("loops_phi", |n| {
        kernel(&format!(
            "int a = 0, b = 1, c = 2; {} o[0] = a + b + c;",
            lines(n, |_| "while (o[a] > b) { int t = a; a = b; b = c; c = t; }".into())
        ))
    }),
    ("loops_handing_on", |n| {
        kernel(&format!(
            "{} for (int i = 0; i < o[0]; i++) {{ {} v{} = threadIdx.x; }} o[0] = v0;",
            lines(n, |i| format!("int v{i} = {i};")),
            lines(n - 1, |i| format!("v{i} = v{};", i + 1)),
            n - 1
        ))
    }),
    ("loops_handing_on_pointers", |n| {
        kernel(&format!(
            "{} for (int i = 0; i < o[0]; i++) {{ {} v{} = (int *)g; }} *v0 = 1;",
            lines(n, |i| format!("int *v{i} = o + {i};")),
            lines(n - 1, |i| format!("v{i} = v{};", i + 1)),
            n - 1
        ))
    }),
    ("stores_of_one_value", |n| kernel(&"o[0] = 1;\n".repeat(n))),
    ("locks", |n| {
        kernel(&lines(n, |i| {
            format!("while (atomicCAS(&o[{i}], 0, 1)) ; o[0]++; __threadfence(); atomicExch(&o[{i}], 0);")
        }))
    }),
    ("calls_recursive_in_calls", |n| {
        format!(
            "__device__ int f(int x) {{ if (x < 1) return 0; {} return {}; }}\n{}",
            lines(n, |i| format!("int v{i} = f(x - {});", i + 1)),
            chain(n, "+", |i| format!("v{i}")),
            kernel("o[0] = f(n & 1);")
        )
    }),
    ("calls", |n| {
        format!(
            "__device__ int f(int x) {{ return x > 2 ? x * 3 : x + 1; }}\n{}",
            kernel(&lines(n, |i| format!("o[{i}] = f(o[{i}]);")))
        )
    }),
    ("calls_with_returns", |n| {
        format!(
            "__device__ int f(int x) {{ if (x) return 1; while (x < 3) {{ if (x == 2) return 4; x++; }} return x; }}\n{}",
            kernel(&lines(n, |i| format!("o[{i}] = f(o[{i}]);")))
        )
    }),
    ("calls_chain", |n| {
        format!(
            "__device__ int f0(int x) {{ return x; }}\n{}{}",
            lines(n, |i| format!("__device__ int f{}(int x) {{ return f{i}(x) + 1; }}", i + 1)),
            kernel(&format!("o[0] = f{n}(1);"))
        )
    }),
    ("calls_doubling", |n| {
        format!(
            "__device__ int f0(int x) {{ return x * 3; }}\n{}{}",
            lines(n, |i| format!("__device__ int f{}(int x) {{ return f{i}(x) + f{i}(x + 1); }}", i + 1)),
            kernel(&format!("o[0] = f{}(o[0]);", n.min(60)))
        )
    }),
    ("calls_doubling_of_empty", |n| {
        format!(
            "__device__ void f0() {{ }}\n{}{}",
            lines(n, |i| format!("__device__ void f{}() {{ f{i}(); f{i}(); }}", i + 1)),
            kernel(&format!("f{}();", n.min(60)))
        )
    }),
    ("calls_recursive", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("__device__ int f{i}(int x) {{ return x < 1 ? 0 : f{i}(x - 1) + 1; }}")),
            kernel(&lines(n, |i| format!("o[{i}] = f{i}(3);")))
        )
    }),
    ("calls_mutual", |n| {
        format!(
            "{}{}{}",
            lines(n, |i| format!("__device__ int f{i}(int x);")),
            lines(n, |i| format!(
                "__device__ int f{i}(int x) {{ return x < 1 ? 0 : f{}(x - 1) + 1; }}",
                (i + 1) % n
            )),
            kernel("o[0] = f0(3);")
        )
    }),
    ("kernels", |n| lines(n, |i| format!("__global__ void k{i}(int *o) {{ o[{i}] = {i}; }}"))),
    ("kernels_long", |n| {
        format!(
            "__device__ int f0(int x) {{ return x * 3; }}\n{}{}",
            lines(14, |i| format!("__device__ int f{}(int x) {{ return f{i}(x) + f{i}(x + 1); }}", i + 1)),
            lines(n, |i| format!("__global__ void k{i}(int *o) {{ o[0] = f14(o[1]); }}"))
        )
    }),
    ("kernels_calling_many", |n| {
        format!(
            "{}{}",
            lines(n, |i| format!("__device__ int f{i}(int x) {{ return {i}; }}")),
            lines(n, |i| format!("__global__ void k{i}(int *o) {{ o[0] = f{i}(1) + f{}(2); }}", n - 1 - i))
        )
    }),
    ("reference_chain", |n| {
        format!(
            "__device__ void f0(int &x) {{ int *p = &x; *p = 1; }}\n{}{}",
            lines(n, |i| format!("__device__ void f{}(int &x) {{ f{i}(x); }}", i + 1)),
            kernel(&format!("int x; f{n}(x); o[0] = x;"))
        )
    }),
    ("reference_chain_backwards", |n| {
        format!(
            "{}{}__device__ void f{n}(int &x) {{ int *p = &x; *p = 1; }}\n{}",
            lines(n + 1, |i| format!("__device__ void f{i}(int &x);")),
            lines(n, |i| format!("__device__ void f{i}(int &x) {{ f{}(x); }}", i + 1)),
            kernel("int x; f0(x); o[0] = x;")
        )
    }),
    ("local_arrays", |n| kernel(&lines(n, |i| format!("int a{i}[4]; a{i}[o[0]] = 1; o[{i}] = a{i}[o[1]];")))),
    ("local_array_in_registers", |n| {
        kernel(&format!(
            "int a[64]; for (int i = 0; i < 64; i++) a[i] = o[i]; {} o[0] = a[5];",
            lines(n, |i| format!("a[{}] += a[{}];", i % 64, (i * 7) % 64))
        ))
    }),
    ("local_array_large", |n| {
        kernel(&lines(n, |i| format!("{{ char a[100000]; a[o[0]] = {i}; o[1] = a[o[2]]; }}")))
    }),
    ("shared_arrays", |n| kernel(&lines(n, |i| format!("__shared__ int s{i}; s{i} = o[{i}];")))),
    ("shared_array_large", |n| {
        kernel(&lines(n, |i| format!("__shared__ int s{i}[1000000000]; s{i}[0] = o[{i}];")))
    }),
    ("large_values", |n| {
        format!(
            "struct S {{ int a[1000]; }};\n{}",
            kernel(&format!("S *p = (S *)o; {}", lines(n, |i| format!("p[{i}] = p[{}];", i + 1))))
        )
    }),
    ("large_values_of_fields", |n| {
        format!(
            "struct S {{ {} }};\n{}",
            repeated(250, |i| format!("int m{i};")),
            kernel(&lines(n, |i| format!("S s{i} = *(S *)o; S t{i} = s{i}; o[0] = t{i}.m3;")))
        )
    }),
    ("large_parameters", |n| {
        format!(
            "struct S {{ int a[900]; }};\n{}",
            lines(n, |i| format!("__global__ void k{i}(S s, int *o) {{ o[0] = s.a[3]; }}"))
        )
    }),
    ("local_lists", |n| kernel(&lines(n, |i| format!("int a{i}[250] = {{ {i} }}; o[0] += a{i}[o[1]];")))),
    ("conditionals", |n| {
        kernel(&lines(n, |i| format!("o[{i}] = o[0] > {i} ? o[1] ? 2 : o[3] : o[2] && o[3] || o[4];")))
    }),
    ("divisions", |n| kernel(&lines(n, |i| format!("o[{i}] = o[0] / {} + o[1] % {};", i + 1, i + 3)))),
    ("pointer_steps", |n| kernel(&format!("int *p = o; {}", "*p++ = 1; ".repeat(n)))),
    ("barriers", |n| kernel(&"__syncthreads(); o[0]++; ".repeat(n))),
    ("atomics", |n| kernel(&lines(n, |i| format!("atomicAdd(&o[{i}], 1);")))),
    ("shuffles", |n| kernel(&lines(n, |i| format!("o[{i}] = __shfl_xor_sync(0xffffffffu, o[{i}], 1);")))),
    ("functions_of_mathematics", |n| {
        kernel(&lines(n, |i| format!("g[{i}] = sinf(g[{i}]) + expf(g[0]) + powf(g[1], 2.5f);")))
    }),
    ("assembly", |n| {
        kernel(&lines(n, |i| format!("asm volatile(\"add.s32 %0, %1, {i};\" : \"=r\"(o[{i}]) : \"r\"(n));")))
    }),
    ("assembly_long", |n| {
        kernel(&format!(
            "int x = n; asm volatile({} : \"+r\"(x)); o[0] = x;",
            lines(n, |i| format!("\"add.s32 %0, %0, {i};\\n\""))
        ))
    }),
    ("assembly_unknown", |n| {
        kernel(&lines(n, |i| format!("asm volatile(\"foo{i}.s32 %0;\" : \"=r\"(o[0]));")))
    }),
    ("prints", |n| kernel(&lines(n, |i| format!("printf(\"%d of {i}\\n\", n);")))),
    ("print_arguments", |n| kernel(&format!("printf(\"{}\"{});", "%d ".repeat(n), ", n".repeat(n)))),
    ("print_texts", |n| kernel(&lines(n, |i| format!("const char *t{i} = \"text {i}\"; o[0] += t{i}[n];")))),
    ("asserts", |n| kernel(&lines(n, |i| format!("assert(o[{i}] > 0);")))),
    ("volatile", |n| kernel(&format!("volatile int *v = o; {}", lines(n, |i| format!("v[{i}] = v[0];"))))),
    ("destructors", |n| {
        format!(
            "struct S {{ int *p; __device__ ~S() {{ *p = 1; }} }};\n{}",
            kernel(&lines(n, |i| format!("S s{i}{{ o + {i} }}; if (o[{i}]) return;")))
        )
    }),
    ("temporaries", |n| {
        format!(
            "struct S {{ int x; __device__ S(int x) : x(x) {{}} __device__ S operator+(S b) const {{ return S(x + b.x); }} __device__ ~S() {{}} }};\n{}",
            kernel(&lines(n, |i| format!("o[{i}] = ({}).x;", chain(8, "+", |_| "S(n)".into()))))
        )
    }),
    ("classes_with_values", |n| {
        format!(
            "struct V {{ float x, y, z, w; __device__ V operator+(V b) const {{ return V{{ x + b.x, y + b.y, z + b.z, w + b.w }}; }} }};\n{}",
            kernel(&format!(
                "V v{{}}; {} g[0] = v.x;",
                lines(n, |i| format!("v = v + V{{ g[{i}], 1, 2, 3 }};"))
            ))
        )
    }),
    ("matrices_unrolled", |n| {
        kernel(&format!(
            "float a[8][8]; {}",
            lines(n, |_| {
                "_Pragma(\"unroll\") for (int i = 0; i < 8; i++) _Pragma(\"unroll\") for (int j = 0; j < 8; j++) a[i][j] = a[j][i] * g[i] + g[j]; g[3] = a[2][3];".into()
            })
        ))
    }),
];
