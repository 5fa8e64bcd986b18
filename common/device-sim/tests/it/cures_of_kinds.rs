//! Kinds of mistakes in many spellings: each wrong kernel has a right twin. What is suggested gives what the twin gives, also in launches
//! that it was not tried in, and most of the wrong kernels get a suggestion.

use super::cures::{in_words, launched, suggested};

/// A wrong kernel and its twin.
type Pair = (String, String);

/// Runs the pairs of a kind. At least `share` per cent get a suggestion.
fn most_are_mended(kind: &str, shape: [u32; 2], pairs: &[Pair], share: usize) {
    let (mut races, mut mended) = (0, 0);
    let mut wrong_ones = Vec::new();
    for (wrong, right) in pairs {
        let gave = |text: &str, shape: [u32; 2]| launched(text, shape, false).0.map(|gave| gave[1].clone());
        let Ok(expected) = gave(right, shape) else { panic!("the twin does not run:\n{right}") };
        assert!(gave(wrong, shape).is_err(), "nothing is found in\n{wrong}");
        races += 1;
        let (messages, suggestion) = suggested(wrong, shape);
        let Some(suggestion) = suggestion else {
            println!("nothing for a case of {kind}: {}\n{wrong}", messages.diagnostics[0].title);
            continue;
        };
        mended += 1;
        let words = in_words(&messages, Some(&suggestion));
        let text = suggestion.apply(wrong).unwrap();
        let mut is_right = gave(&text, shape).is_ok_and(|gave| gave == expected);
        for threads in [shape[1] / 2, 24] {
            let other = [shape[0], threads];
            if let Ok(expected) = gave(right, other) {
                is_right &= gave(&text, other).is_ok_and(|gave| gave == expected);
            }
        }
        if !is_right {
            wrong_ones.push(format!("{words} does not mend\n{wrong}\n{text}"));
        }
    }
    println!("{kind}: {mended} of {races} get a suggestion, {} are wrong", wrong_ones.len());
    assert!(wrong_ones.is_empty(), "{}", wrong_ones.join("\n\n"));
    assert!(mended * 100 >= races * share, "{kind}: {mended} of {races}");
}

fn kernel(ty: &str, body: &str) -> String {
    format!("__global__ void k(int *a, {ty} *b) {{\nint t = threadIdx.x, n = blockDim.x;\n{body}\n}}\n")
}

/// Bodies that update `c`, a word of a type that begins at 0, and the loop body of thread 0 that does the same for `i`.
const UPDATES: &[(&str, &str)] = &[
    ("c = c + a[t] - 1;", "c += a[i] - 1;"),
    ("c = a[t] + c - 1;", "c += a[i] - 1;"),
    ("c = c - a[t] + 3;", "c += 3 - a[i];"),
    ("c = a[t] - 1 + c;", "c += a[i] - 1;"),
    ("c = (c + a[t]) + 2;", "c += a[i] + 2;"),
    ("c = c + (a[t] - 1);", "c += a[i] - 1;"),
    ("c = c - (a[t] - 1);", "c -= a[i] - 1;"),
    ("c = c - a[t] - 1;", "c -= a[i] + 1;"),
    ("(c) += a[t];", "c += a[i];"),
    ("(c)++;", "c++;"),
    ("(c) = (c) + a[t];", "c += a[i];"),
    ("T w = c; w += a[t]; c = w;", "c += a[i];"),
    ("T w = c;\nw = w + a[t];\nc = w;", "c += a[i];"),
    ("T w = c;\nw++;\nc = w;", "c++;"),
    ("T old = c;\nc = old + a[t];", "c += a[i];"),
    ("const T old = c;\nc = old + 1;", "c += 1;"),
    ("T w = c + a[t];\nc = w;", "c += a[i];"),
    ("T v = a[t];\nT w = c;\nv = 2 * v;\nw = w + v;\nc = w;", "c += 2 * a[i];"),
    ("T w;\nw = c;\nw += a[t];\nc = w;", "c += a[i];"),
    ("if (t % 2 == 0) { T w = c; c = w + a[t]; }", "if (i % 2 == 0) c += a[i];"),
    ("if (t % 2 == 0) c = c + a[t];", "if (i % 2 == 0) c += a[i];"),
    ("if (t % 2 == 0)\nc += a[t];\nelse\nc += 1;", "c += i % 2 == 0 ? a[i] : 1;"),
    ("if (t % 2) c++; else c--;", "c += i % 2 ? 1 : -1;"),
    ("c += t % 2 ? a[t] : 1;", "c += i % 2 ? a[i] : 1;"),
    ("c += 1;\nc += a[t];", "c += 1 + a[i];"),
    ("for (int j = 0; j < 3; j++) c += a[t] + j;", "c += 3 * a[i] + 3;"),
    ("ADD(c, a[t]);", "c += a[i];"),
    ("c += ONE;", "c += 1;"),
    ("PLUS(c);", "c++;"),
    ("T *p = &c;\n*p += a[t];", "c += a[i];"),
    ("T *p = &c;\n(*p)++;", "c++;"),
    ("T &r = c;\nr += a[t];", "c += a[i];"),
];

/// The same for integers alone.
const UPDATES_OF_INTEGERS: &[(&str, &str)] = &[
    ("c = c > a[t] ? c : a[t];", "c = c > a[i] ? c : a[i];"),
    ("c = (a[t] > c) ? a[t] : c;", "c = c > a[i] ? c : a[i];"),
    ("c = c < a[t] ? a[t] : c;", "c = c > a[i] ? c : a[i];"),
    ("c = a[t] + 7 >= c ? a[t] + 7 : c;", "c = c > a[i] + 7 ? c : a[i] + 7;"),
    ("if (a[t] > c)\nc = a[t];", "if (a[i] > c) c = a[i];"),
    ("if (c < a[t]) { c = a[t]; }", "if (a[i] > c) c = a[i];"),
    ("if ((c) <= (a[t])) c = (a[t]);", "if (a[i] > c) c = a[i];"),
    ("T v = a[t];\nif (v > c) c = v;", "if (a[i] > c) c = a[i];"),
    ("T w = c;\nif (a[t] > w) c = a[t];", "if (a[i] > c) c = a[i];"),
    ("if (c < a[t]) atomicMax(&c, a[t]);", "if (a[i] > c) c = a[i];"),
    ("if (a[t] >= (c)) {\natomicMax((&c), a[t]);\n}", "if (a[i] > c) c = a[i];"),
    ("T v = a[t];\nif (c < v) c = max(c, v);", "if (a[i] > c) c = a[i];"),
    ("T v = a[t];\nif (c < v) c = c > v ? c : v;", "if (a[i] > c) c = a[i];"),
    ("T v = a[t];\nif (t % 2 && c < v) { c = max(v, c); }", "if (i % 2 && a[i] > c) c = a[i];"),
    ("T v = a[t];\nif (c <= v && (v > 3)) atomicMax(&c, v);", "if (a[i] > 3 && a[i] > c) c = a[i];"),
    ("T v = a[t];\nif (c < v) { if (t % 2) { c = v; } }", "if (i % 2 && a[i] > c) c = a[i];"),
    ("T v = a[t];\nT old = c;\nif (old < v) atomicMax(&c, v);", "if (a[i] > c) c = a[i];"),
    ("T v = a[t];\nif (c < v) { atomicMax(&c, v); a[t] = 0; }", "if (a[i] > c) c = a[i];"),
    (
        "T v = a[t];\nif (v > 3 && c < v) { a[t] = 0; c = v; } else a[t]++;",
        "if (a[i] > 3 && a[i] > c) c = a[i];",
    ),
    (
        "for (int j = 0; j < 3; j++) { if (c < a[t] + j) { atomicMax(&c, a[t] + j); } }",
        "if (a[i] + 2 > c) c = a[i] + 2;",
    ),
    ("c |= 1 << t % 8;", "c |= 1 << i % 8;"),
    ("c = c ^ a[t];", "c ^= a[i];"),
    ("c = ~a[t] & c;", "c = c & ~a[i];"),
    ("T w = c;\nw |= a[t];\nc = w;", "c |= a[i];"),
];

fn updates() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for ty in [
        "int",
        "unsigned",
        "float",
        "double",
        "long long",
        "unsigned long long",
        "volatile int",
        "volatile unsigned",
    ] {
        let plain = ty.trim_start_matches("volatile ");
        let both = [UPDATES, UPDATES_OF_INTEGERS];
        let of_type = both.iter().take(if matches!(ty, "float" | "double") { 1 } else { 2 });
        for (update, serial) in of_type.flat_map(|all| all.iter()) {
            if ty.starts_with("volatile") && update.contains(['*', '&']) {
                continue;
            }
            let update = update.replace('T', plain);
            let macros = "#define ADD(x, y) x += (y)\n#define ONE 1\n#define PLUS(x) (x)++\n";
            let of = |declared: &str, body: String| {
                let declared = format!("__shared__ {declared} c;\nif (t == 0) c = 0;\n__syncthreads();\n");
                let out = "\n__syncthreads();\nif (t == 0) b[0] = c;";
                format!("{macros}{}", kernel(plain, &format!("{declared}{body}{out}")))
            };
            let right = of(plain, format!("if (t == 0) for (int i = 0; i < n; i++) {{ {serial} }}"));
            pairs.push((of(ty, update), right));
        }
    }
    pairs
}

#[test]
fn updates_of_one_word_become_one_atomic() {
    most_are_mended("updates", [1, 64], &updates(), 85);
}

/// Barriers that not all threads reach. `SYNC` stands for the barrier.
fn divergences() -> Vec<Pair> {
    let tile = "__shared__ int s[64];\n";
    let reverse =
        format!("{tile}if (t < 20) s[t] = a[t] + 1;\n__syncthreads();\nif (t < 20) b[t] = s[19 - t];");
    let shared_by_all = format!("{tile}s[t] = a[t] + 1;\n__syncthreads();\nb[t] = s[n - 1 - t];");
    let both = |one: &str, two: &str, last: &str| {
        format!("{tile}if (t < 20) {{ {one} }} else {{ {two} }}\n__syncthreads();\n{last}")
    };
    let tree = |inner: &str, up: &str| {
        format!(
            "{tile}s[t] = a[t];\n__syncthreads();\nfor (int d = 16; d > 0; {up}) {{\n{inner}\n}}\n__syncthreads();\nif (t == 0) b[0] = s[0];"
        )
    };
    let right_tree = tree("if (t < d) s[t] += s[t + d];\n__syncthreads();", "d /= 2");
    let bodies: Vec<(String, String)> = vec![
        (
            format!("{tile}if (t >= 20) return;\ns[t] = a[t] + 1;\n__syncthreads();\nb[t] = s[19 - t];"),
            reverse.clone(),
        ),
        (
            format!("{tile}if (t >= 20)\n  return;\ns[t] = a[t] + 1;\n__syncthreads();\nb[t] = s[19 - t];"),
            reverse.clone(),
        ),
        (
            format!(
                "{tile}if (t >= 20) {{\n  return;\n}}\ns[t] = a[t] + 1;\n__syncthreads();\nb[t] = s[19 - t];"
            ),
            reverse.clone(),
        ),
        (
            format!(
                "{tile}if (!(t < 20)) return;\nint v = a[t];\ns[t] = v + 1;\n__syncthreads();\nb[t] = s[19 - t];"
            ),
            reverse.clone(),
        ),
        (
            format!(
                "{tile}if (t > 19) return;\nint v = a[t];\ns[t] = v + 1;\n__syncthreads();\nb[t] = s[19 - t] + v;"
            ),
            reverse.replace("s[19 - t];", "s[19 - t] + a[t];"),
        ),
        (
            format!(
                "{tile}if (t > 19) return;\ns[t] = a[t];\n__syncthreads();\nint v = s[19 - t];\n__syncthreads();\ns[t] = v + 1;\nb[t] = s[t];"
            ),
            reverse.clone(),
        ),
        (
            format!("{tile}s[t] = a[t] + 1;\nif (t >= 20) return;\n__syncthreads();\nb[t] = s[19 - t];"),
            reverse.clone(),
        ),
        (
            format!(
                "{tile}int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= 20) return;\ns[t] = a[i] + 1;\n__syncthreads();\nb[i] = s[19 - t];"
            ),
            reverse.clone(),
        ),
        (
            format!("{tile}s[t] = a[t] + 1;\nif (t < 20) __syncthreads();\nb[t] = s[n - 1 - t];"),
            shared_by_all.clone(),
        ),
        (
            format!("{tile}s[t] = a[t] + 1;\nif (t < 20)\n  __syncthreads();\nb[t] = s[n - 1 - t];"),
            shared_by_all.clone(),
        ),
        (
            format!("{tile}s[t] = a[t] + 1;\nif (t < 20) {{ __syncthreads(); }}\nb[t] = s[n - 1 - t];"),
            shared_by_all.clone(),
        ),
        (
            format!("{tile}s[t] = a[t] + 1;\nif (t < 20) {{\n__syncthreads();\n}}\nb[t] = s[n - 1 - t];"),
            shared_by_all.clone(),
        ),
        (format!("{tile}s[t] = a[t] + 1;\nif (t < 20) sync();\nb[t] = s[n - 1 - t];"), shared_by_all.clone()),
        (
            format!("{tile}if (t < 20) {{\ns[t] = a[t] + 1;\n__syncthreads();\nb[t] = s[19 - t];\n}}"),
            reverse.clone(),
        ),
        (format!("{tile}if (t < 20) {{\ns[t] = a[t] + 1;\nsync();\nb[t] = s[19 - t];\n}}"), reverse.clone()),
        (
            format!(
                "{tile}if (t < 20) {{\nint v = a[t];\ns[t] = v + 1;\n__syncthreads();\nb[t] = s[19 - t] + v;\n}}"
            ),
            reverse.replace("s[19 - t];", "s[19 - t] + a[t];"),
        ),
        (
            format!("{tile}if (a[t] < 20) {{\ns[t] = a[t] + 1;\n__syncthreads();\nb[t] = s[19 - t];\n}}"),
            reverse.clone(),
        ),
        (
            format!(
                "{tile}if (t < 20) {{\ns[t] = a[t];\n__syncthreads();\n}} else {{\ns[t] = 7;\n}}\nb[t] = s[t < 20 ? 19 - t : t];"
            ),
            both("s[t] = a[t];", "s[t] = 7;", "b[t] = s[t < 20 ? 19 - t : t];"),
        ),
        (
            format!(
                "{tile}if (t < 20) {{\ns[t] = a[t];\n__syncthreads();\n}} else\ns[t] = 7;\nb[t] = s[n - 1 - t];"
            ),
            both("s[t] = a[t];", "s[t] = 7;", "b[t] = s[n - 1 - t];"),
        ),
        (
            format!(
                "{tile}if (t < 20) {{\ns[t] = a[t];\n__syncthreads();\nb[t] = s[19 - t];\n}} else {{\nb[t] = 7;\n}}"
            ),
            both("s[t] = a[t];", "b[t] = 7;", "if (t < 20) b[t] = s[19 - t];"),
        ),
        (
            format!(
                "{tile}if (t < 20) {{\ns[t] = a[t];\n__syncthreads();\nb[t] = s[19 - t];\n}} else {{\ns[t] = 7;\n__syncthreads();\nb[t] = s[n + 19 - t];\n}}"
            ),
            both("s[t] = a[t];", "s[t] = 7;", "b[t] = s[t < 20 ? 19 - t : n + 19 - t];"),
        ),
        (
            format!(
                "{tile}if (t < 20) {{\ns[t] = a[t];\n__syncthreads();\n}} else {{\ns[t] = 7;\n__syncthreads();\n}}\nb[t] = s[n - 1 - t];"
            ),
            both("s[t] = a[t];", "s[t] = 7;", "b[t] = s[n - 1 - t];"),
        ),
        (tree("if (t >= d) continue;\ns[t] += s[t + d];\n__syncthreads();", "d /= 2"), right_tree.clone()),
        (tree("if (t >= d)\ncontinue;\ns[t] += s[t + d];\n__syncthreads();", "d >>= 1"), right_tree.clone()),
        (tree("if (t >= d) break;\ns[t] += s[t + d];\n__syncthreads();", "d /= 2"), right_tree.clone()),
        (tree("if (t < d) {\ns[t] += s[t + d];\n__syncthreads();\n}", "d /= 2"), right_tree.clone()),
        (tree("if (t < d) {\n__syncthreads();\ns[t] += s[t + d];\n}", "d /= 2"), right_tree.clone()),
        (tree("if (t >= d) return;\ns[t] += s[t + d];\n__syncthreads();", "d /= 2"), right_tree.clone()),
        (
            format!(
                "{tile}int sum = 0;\nif (t >= 20) return;\nfor (int i = 0; i < 3; i++) {{\ns[t] = a[64 * i + t];\n__syncthreads();\nsum += s[19 - t];\n__syncthreads();\n}}\nb[t] = sum;"
            ),
            format!(
                "{tile}int sum = 0;\nfor (int i = 0; i < 3; i++) {{\ns[t] = a[64 * i + t];\n__syncthreads();\nif (t < 20) sum += s[19 - t];\n__syncthreads();\n}}\nif (t < 20) b[t] = sum;"
            ),
        ),
    ];
    let function = "__device__ void sync() { __syncthreads(); }\n";
    let of = |body: &str| format!("{function}{}", kernel("int", body));
    bodies.iter().map(|(wrong, right)| (of(wrong), of(right))).collect()
}

#[test]
fn barriers_that_some_threads_miss_move_to_where_all_are() {
    most_are_mended("divergence", [1, 64], &divergences(), 85);
}

/// Accesses out of bounds: `a` and `b` have 256 elements, and the launch 320 threads.
fn overruns() -> Vec<Pair> {
    let bodies: &[(&str, &str)] = &[
        ("int x = a[i];\nb[i] = x + 1;", "if (i < m) b[i] = a[i] + 1;"),
        ("const int x = a[i], y = 2;\nb[i] = x + y;", "if (i < m) b[i] = a[i] + 2;"),
        ("int x;\nx = a[i];\nb[i] = x + 1;", "if (i < m) b[i] = a[i] + 1;"),
        (
            "int x = a[i];\nint y = x * x;\nif (y > 9) y = 9;\nb[i] = y;",
            "if (i < m) b[i] = a[i] > 2 ? 9 : a[i] * a[i];",
        ),
        ("b[i] = a[i];", "if (i < m) b[i] = a[i];"),
        ("b[i] = read(a, i, m);", "if (i < m) b[i] = a[i];"),
        ("int x = a[i];\natomicAdd(b, x);", "if (i < m) atomicAdd(b, a[i]);"),
        ("atomicAdd(b, a[i]);", "if (i < m) atomicAdd(b, a[i]);"),
        ("atomicAdd(&b[a[i] % 7], 1);", "if (i < m) atomicAdd(&b[i % 7], 1);"),
        ("if (i < m) b[i] = a[i - 3];", "if (i >= 3 && i < m) b[i] = a[i - 3];"),
        ("if (i < m) b[i] = a[i + 3];", "if (i + 3 < m) b[i] = a[i + 3];"),
        ("if (i < m) b[i] = a[i - 1] + a[i + 1];", "if (i >= 1 && i + 1 < m) b[i] = a[i - 1] + a[i + 1];"),
        (
            "int x = i < m ? a[i + 1] : 0;\nif (i < m) b[i] = x;",
            "int x = i + 1 < m ? a[i + 1] : 0;\nif (i < m) b[i] = x;",
        ),
        (
            "int x = i < m ? a[i - 1] : 0;\nif (i < m) b[i] = x;",
            "int x = i < m && i > 0 ? a[i - 1] : 0;\nif (i < m) b[i] = x;",
        ),
        (
            "__shared__ int s[64];\ns[threadIdx.x] = a[i];\n__syncthreads();\nif (i < m) b[i] = s[63 - threadIdx.x];",
            "__shared__ int s[64];\ns[threadIdx.x] = i < m ? a[i] : 0;\n__syncthreads();\nif (i < m) b[i] = s[63 - threadIdx.x];",
        ),
        (
            "__shared__ int s[64];\ns[threadIdx.x] = a[i];\n__syncthreads();\nfor (int d = 32; d > 0; d /= 2) {\nif (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n__syncthreads();\n}\nif (threadIdx.x == 0) b[blockIdx.x] = s[0];",
            "__shared__ int s[64];\ns[threadIdx.x] = i < m ? a[i] : 0;\n__syncthreads();\nfor (int d = 32; d > 0; d /= 2) {\nif (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n__syncthreads();\n}\nif (threadIdx.x == 0) b[blockIdx.x] = s[0];",
        ),
    ];
    let planes: &[(&str, &str)] = &[
        ("b[y * w + x] = a[y * w + x] + 1;", "if (x < w && y < h) b[y * w + x] = a[y * w + x] + 1;"),
        ("int at = y * w + x;\nb[at] = a[at] + 1;", "if (x < w && y < h) b[y * w + x] = a[y * w + x] + 1;"),
        (
            "int v = a[x + w * y];\nb[x + w * y] = v + 1;",
            "if (x < w && y < h) b[y * w + x] = a[y * w + x] + 1;",
        ),
        (
            "if (x < w) b[y * w + x] = a[y * w + x] + 1;",
            "if (x < w && y < h) b[y * w + x] = a[y * w + x] + 1;",
        ),
    ];
    // Row `i` is what lies between two elements; those of `b` are all empty.
    let rows: &[(&str, &str)] = &[
        (
            "int from = a[i], to = a[i + 1];\nfor (int j = from; j < to; j++) b[j] = j + 1;",
            "if (i < rows) for (int j = a[i]; j < a[i + 1]; j++) b[j] = j + 1;",
        ),
        (
            "int to = a[1 + i];\nint from = a[i];\nfor (int j = to - 1; j >= from; --j) atomicAdd(b, j);",
            "if (i < rows) for (int j = a[i]; j < a[i + 1]; j++) atomicAdd(b, j);",
        ),
        (
            "int from = a[i];\nint to = a[i + 1];\nif (from % 3 == 0) { b[to] = to; }",
            "if (i < rows && a[i] % 3 == 0) b[a[i + 1]] = a[i + 1];",
        ),
        (
            "int sum = 0;\nfor (int j = a[i]; j < a[i + 1]; j++)\nsum += j + 1;\nb[i] = sum;",
            "int sum = 0;\nfor (int j = i < rows ? a[i] : 0; j < (i < rows ? a[i + 1] : 0); j++) sum += j + 1;\nif (i < rows) b[i] = sum;",
        ),
        ("b[i] = a[i + 1] - a[i];", "if (i < rows) b[i] = a[i + 1] - a[i];"),
        (
            "if (i >= rows) return;\nint from = b[i], to = b[i + 1];\nint last = a[to - 1];\natomicAdd(&a[last], 1);",
            "if (i < rows) { int from = b[i], to = b[i + 1]; if (from < to) atomicAdd(&a[a[to - 1]], 1); }",
        ),
        (
            "for (int r = i; r < rows; r += gridDim.x * blockDim.x) {\nint from = b[r];\nint to = b[r + 1];\nint at = to - 1;\nint last = a[at];\nif (last > 3) a[last] = r;\n}",
            "for (int r = i; r < rows; r += gridDim.x * blockDim.x) { if (b[r] < b[r + 1]) a[a[b[r + 1] - 1]] = r; }",
        ),
    ];
    let of = |head: &str, body: &str| {
        format!(
            "__device__ int read(const int *p, int at, int size) {{\n  return p[at];\n}}\n__global__ void k(int *a, int *b, {head}\n{body}\n}}\n"
        )
    };
    let line = |body: &str| of("int m) {\nint i = blockIdx.x * blockDim.x + threadIdx.x;", body);
    let plane = |body: &str| {
        of("int w, int h) {\nint i = blockIdx.x * blockDim.x + threadIdx.x, x = i % 16, y = i / 16;", body)
    };
    let row = |body: &str| of("int rows) {\nint i = blockIdx.x * blockDim.x + threadIdx.x;", body);
    let twin = |text: String| text.replace("p[at]", "at < size ? p[at] : 0");
    let lines = bodies.iter().map(|(wrong, right)| (line(wrong), twin(line(right))));
    let planes = planes.iter().map(|(wrong, right)| (plane(wrong), twin(plane(right))));
    lines.chain(planes).chain(rows.iter().map(|(wrong, right)| (row(wrong), row(right)))).collect()
}

#[test]
fn accesses_out_of_bounds_get_their_guard() {
    most_are_mended("overruns", [5, 64], &overruns(), 75);
}

/// Missing barriers where only some threads are.
fn partial_races() -> Vec<Pair> {
    let tile = "__shared__ int s[64];\n";
    let reverse =
        format!("{tile}if (t < 20) s[t] = a[t] + 1;\n__syncthreads();\nif (t < 20) b[t] = s[19 - t];");
    let function = "__device__ void put(int *s, int t, int v) { s[t] = v; }\n__device__ int take(int *s, int t) { return s[t]; }\n__device__ void turn(int *s, int *b, int t, int v) {\ns[t] = v;\nb[t] = s[19 - t];\n}\n";
    let bodies: Vec<(String, String)> = vec![
        (format!("{tile}if (t >= 20) return;\ns[t] = a[t] + 1;\nb[t] = s[19 - t];"), reverse.clone()),
        (format!("{tile}if (t >= 20) {{ return; }}\ns[t] = a[t] + 1;\nb[t] = s[19 - t];"), reverse.clone()),
        (
            format!("{tile}if (t >= 20) return;\nint v = a[t];\ns[t] = v + 1;\nb[t] = s[19 - t] + v;"),
            reverse.replace("s[19 - t];", "s[19 - t] + a[t];"),
        ),
        (
            format!("{tile}if (t >= 20) return;\ns[t] = a[t];\ns[t] += 1;\nint r = s[19 - t];\nb[t] = r;"),
            reverse.clone(),
        ),
        (format!("{tile}if (t < 20) {{\ns[t] = a[t] + 1;\nb[t] = s[19 - t];\n}}"), reverse.clone()),
        (format!("{tile}if (t < 20) {{\nput(s, t, a[t] + 1);\nb[t] = take(s, 19 - t);\n}}"), reverse.clone()),
        (
            format!("{tile}if (t >= 20) return;\nput(s, t, a[t] + 1);\nb[t] = take(s, 19 - t);"),
            reverse.clone(),
        ),
        (
            format!("{tile}if (t < 20) put(s, t, a[t] + 1);\nif (t < 20) b[t] = take(s, 19 - t);"),
            reverse.clone(),
        ),
        (
            format!("{tile}put(s, t, a[t] + 1);\nb[t] = take(s, n - 1 - t);"),
            format!("{tile}s[t] = a[t] + 1;\n__syncthreads();\nb[t] = s[n - 1 - t];"),
        ),
        (
            format!("{tile}if (t < 20) s[t] = a[t] + 1; else s[t] = 0;\nb[t] = s[n - 1 - t];"),
            format!("{tile}s[t] = t < 20 ? a[t] + 1 : 0;\n__syncthreads();\nb[t] = s[n - 1 - t];"),
        ),
        (
            format!("{tile}for (int i = t; i < 128; i += n) {{\ns[t] = a[i];\nb[i] = s[t ^ 1];\n}}"),
            "for (int i = t; i < 128; i += n) b[i] = a[i ^ 1];".into(),
        ),
        (
            format!(
                "{tile}for (int i = t; i < 200; i += blockDim.x) {{\ns[t] = a[i];\nb[i] = s[t & ~1];\n}}"
            ),
            "for (int i = t; i < 200; i += n) b[i] = a[i & ~1];".into(),
        ),
        (
            format!(
                "{tile}int sum = 0;\nfor (int i = 0; i < 2 * n; i += n) {{\ns[t] = a[i + t];\nfor (int j = 0; j < n; j++) sum += s[j];\n}}\nb[t] = sum;"
            ),
            "int sum = 0;\nfor (int i = 0; i < 2 * n; i++) sum += a[i];\nb[t] = sum;".into(),
        ),
    ];
    let of = |body: &str| format!("{function}{}", kernel("int", body));
    bodies.iter().map(|(wrong, right)| (of(wrong), of(right))).collect()
}

#[test]
fn races_where_only_some_threads_are_get_a_barrier_for_all() {
    most_are_mended("partial races", [1, 64], &partial_races(), 75);
}

/// Data behind a counter or a flag of blocks.
fn fences() -> Vec<Pair> {
    let last = |fence: &str, after: &str| {
        format!(
            "__device__ unsigned count;\n{}",
            kernel(
                "int",
                &format!(
                    "__shared__ bool last;\nif (t == 0) {{\nb[blockIdx.x] = a[blockIdx.x] + 1;\n{fence}last = atomicAdd(&count, 1) == gridDim.x - 1;\n}}\n__syncthreads();\nif (last && t == 0) {{\n{after}int sum = 0;\nfor (int i = 0; i < gridDim.x; i++) sum += b[i];\nb[200] = sum;\n}}"
                )
            )
        )
    };
    let single = |fence: &str, after: &str| {
        format!(
            "__device__ unsigned count;\n{}",
            kernel(
                "int",
                &format!(
                    "if (t == 0) {{\nb[blockIdx.x] = a[blockIdx.x];\n{fence}if (atomicAdd(&count, 1) == gridDim.x - 1) {{\n{after}int sum = 0;\nfor (int i = 0; i < gridDim.x; i++)\nsum += b[i];\nb[200] = sum;\n}}\n}}"
                )
            )
        )
    };
    let flag = |fence: &str, after: &str| {
        format!(
            "__device__ volatile int flag;\n{}",
            kernel(
                "int",
                &format!(
                    "if (t == 0) {{\nif (blockIdx.x == 0) {{\nb[0] = a[5];\n{fence}flag = 1;\n}} else {{\nwhile (flag == 0) {{}}\n{after}b[blockIdx.x] = b[0] + 1;\n}}\n}}"
                )
            )
        )
    };
    let fence = "__threadfence();\n";
    let mut pairs = Vec::new();
    for of in [&last as &dyn Fn(&str, &str) -> String, &single, &flag] {
        for missing in [["", fence], ["", ""]] {
            pairs.push((of(missing[0], missing[1]), of(fence, fence)));
        }
    }
    pairs
}

#[test]
fn data_behind_a_flag_get_fences() {
    most_are_mended("fences", [4, 32], &fences(), 75);
}

/// A word that is looked at before it is set.
fn guards() -> Vec<Pair> {
    let of = |word: &str, declared: &str, body: &str| {
        let out = "\n__syncthreads();\nif (t == 0) b[blockIdx.x] = WORD;";
        let text = format!("{declared}if (t == 0) *P = 0;\n__syncthreads();\n{body}{out}");
        kernel("int", &text.replace("*P", word).replace("&P", &format!("&{word}")).replace("WORD", word))
    };
    let bodies = [
        ("if (*P == 0) atomicExch(&P, 1);", "if (t == 0) *P = 1;"),
        ("if (t % 2 && !*P) { atomicExch(&P, 1); }", "if (t == 0) *P = 1;"),
        ("if (0 == (*P & 4)) { atomicOr(&P, 4); }", "if (t == 0) *P = 4;"),
    ];
    let shared = bodies.iter().map(|(wrong, right)| {
        let declared = "__shared__ int c;\n";
        (of("c", declared, wrong), of("c", declared, right))
    });
    let elements = bodies.iter().map(|(wrong, right)| (of("b[99]", "", wrong), of("b[99]", "", right)));
    shared.chain(elements).collect()
}

#[test]
fn words_that_are_looked_at_before_they_are_set_are_read_atomically() {
    most_are_mended("guards", [1, 64], &guards(), 75);
}

/// Loads by the read-only path, and scopes that are too narrow.
fn paths() -> Vec<Pair> {
    let of = |body: &str| kernel("int", body);
    let read = |load: &str, plain: &str| {
        let body = |load: &str| {
            format!(
                "b[t] = t + 1;\n__syncthreads();\na[t] = {load};\nif (t == 3) b[200] = a[3] + 1;\nb[t + 64] = {load} - 1;"
            )
        };
        (of(&body(load)), of(&body(plain)))
    };
    let ptx = |path: &str| {
        let load = format!("asm volatile(\"ld.global{path}.s32 %0, [%1];\" : \"=r\"(x) : \"l\"(b + t));");
        of(&format!("b[t] = t + 1;\nint x;\n{load}\nb[t + 64] = x;"))
    };
    let scope = |scope: &str| {
        let body = format!(
            "if (t == 0) {{\nint seen = 0;\nif (blockIdx.x == 0) {{\nb[0] = 5;\nasm volatile(\"st.release.{scope}.s32 [%0], 1;\" :: \"l\"(b + 200) : \"memory\");\n}} else {{\nwhile (!seen) asm volatile(\"ld.acquire.{scope}.s32 %0, [%1];\" : \"=r\"(seen) : \"l\"(b + 200) : \"memory\");\nb[blockIdx.x] = b[0];\n}}\n}}"
        );
        of(&body)
    };
    vec![
        read("__ldg(&b[63 - t])", "b[63 - t]"),
        read("__ldg(b + (63 - t))", "b[63 - t]"),
        (ptx(".nc"), ptx("")),
        (scope("cta"), scope("gpu")),
        (scope("cta.global"), scope("gpu.global")),
    ]
}

#[test]
fn loads_take_the_path_and_the_scope_that_they_need() {
    most_are_mended("paths", [2, 64], &paths()[3..], 100);
    most_are_mended("paths", [1, 64], &paths()[..3], 60);
}

/// Asynchronous copies that nothing waits for, by the thread's own copy and by others'.
fn copies() -> Vec<Pair> {
    let of = |includes: &str, body: &str| {
        let head = "__shared__ int s[64];\n";
        format!("#include <{includes}.h>\n{}", kernel("int", &format!("{head}{body}")))
    };
    let pipeline = |wait: &str, read: &str| {
        let copy = "__pipeline_memcpy_async(&s[t], &a[t], 4);\n";
        of("cuda_pipeline", &format!("{copy}{wait}b[t] = s[{read}] + 1;"))
    };
    let group = |wait: &str| {
        let copy = "auto all = cooperative_groups::this_thread_block();\ncooperative_groups::memcpy_async(all, s, a, 4 * n);\n";
        of(
            "cooperative_groups.h>\n#include <cooperative_groups/memcpy_async",
            &format!("{copy}{wait}b[t] = s[n - 1 - t];"),
        )
    };
    let ptx = |wait: &str| {
        let copy = "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"((unsigned)__cvta_generic_to_shared(&s[t])), \"l\"(a + t));\n";
        of("cuda_pipeline", &format!("{copy}{wait}b[t] = s[n - 1 - t];"))
    };
    let commit = "__pipeline_commit();\n";
    let done = "__pipeline_commit();\n__pipeline_wait_prior(0);\n__syncthreads();\n";
    let all = "asm volatile(\"cp.async.wait_all;\" ::: \"memory\");\n";
    vec![
        (pipeline("", "t"), pipeline(done, "t")),
        (pipeline(commit, "t"), pipeline(done, "t")),
        (pipeline(commit, "n - 1 - t"), pipeline(done, "n - 1 - t")),
        (pipeline("", "n - 1 - t"), pipeline(done, "n - 1 - t")),
        (pipeline("__pipeline_commit();\n__syncthreads();\n", "t ^ 1"), pipeline(done, "t ^ 1")),
        (group(""), group("cooperative_groups::wait(all);\n")),
        (ptx(""), ptx(&format!("{all}__syncthreads();\n"))),
        (ptx(all), ptx(&format!("{all}__syncthreads();\n"))),
    ]
}

#[test]
fn copies_are_waited_for() {
    most_are_mended("copies", [1, 64], &copies(), 75);
}

/// Shared memory that is added to before it has a value.
fn unset() -> Vec<Pair> {
    let of = |declared: &str, set: &str, body: &str| {
        format!("#define BINS 100\n{}", kernel("int", &format!("{declared}\n{set}{body}")))
    };
    let one = "if (t == 0) c = 0;\n__syncthreads();\n";
    let all = "for (int j = t; j < 100; j += n) h[j] = 0;\n__syncthreads();\n";
    let part = "if (t < 50) h[t] = 0;\n__syncthreads();\n";
    let sum = "\n__syncthreads();\nif (t == 0) b[0] = c;";
    let bins = "\n__syncthreads();\nfor (int j = t; j < 100; j += n) b[j] = h[j];";
    let scalars = [
        ("__shared__ int c;", "atomicAdd(&c, a[t]);"),
        ("__shared__ unsigned c;", "if (t % 2) atomicAdd(&c, 1u);"),
        ("__shared__ int c;", "if (t == 5) c += 3;"),
        ("__shared__ int c;", "atomicOr(&c, 1 << t % 5);"),
        ("__shared__ float c;", "atomicAdd(&c, 1.0f);"),
    ];
    let arrays = [
        ("__shared__ int h[100];", "", "atomicAdd(&h[a[t] % 100], 1);"),
        ("__shared__ unsigned int h[BINS];", "", "atomicAdd(h + a[t] % BINS, 1);"),
        ("__shared__ int h[2 * 50];", "", "h[t] += a[t];"),
        ("__shared__ int h[BINS];", "", "h[t]++;"),
        ("__shared__ int h[BINS];", part, "atomicAdd(&h[a[t] % BINS], 1);"),
        ("__shared__ int h[BINS];", "h[t] = 0;\n__syncthreads();\n", "atomicAdd(&h[a[t] + 36], 1);"),
    ];
    let scalars = scalars.iter().map(|(declared, body)| {
        let body = format!("{body}{sum}");
        (of(declared, "", &body), of(declared, one, &body))
    });
    let arrays = arrays.iter().map(|(declared, set, body)| {
        // The wrong one may read what it has not set afterwards, too.
        let body = format!("{body}{bins}");
        (of(declared, set, &body), of(declared, all, &body))
    });
    scalars.chain(arrays).collect()
}

#[test]
fn shared_memory_that_is_added_to_begins_at_zero() {
    most_are_mended("unset", [1, 64], &unset(), 90);
}

/// In a block of one warp, a function that is not about warps gets the barrier of the block; beside a loop, not in it.
#[test]
fn barriers_fit_the_function() {
    let tiles = "__shared__ int s[32];\nint sum = 0;\nfor (int i = 0; i < 128; i += 32) {\ns[t] = a[i + t];\nfor (int j = 0; j < 32; j++) sum += s[j];\n}\nb[t] = sum;";
    let warp = "__shared__ int s[64];\nint lane = t % 32;\ns[t] = a[t];\nb[t] = s[t - lane + 31 - lane];";
    for (body, threads, says, lacks) in
        [(tiles, 32, "__syncthreads();", "__syncwarp"), (warp, 64, "__syncwarp();", "__syncthreads")]
    {
        let (messages, suggestion) = suggested(&kernel("int", body), [1, threads]);
        let words = in_words(&messages, suggestion.as_ref());
        assert!(words.contains(says) && !words.contains(lacks), "{words} for\n{body}");
        assert!(!words.contains("{ __sync"), "{words} for\n{body}");
    }
}
