//! Variables that have a value on some paths only: told where the value matters, and only in a run that takes such a path.

use crate::programs::attempt_warned;

const THREADS: u32 = 40;

/// Runs a body over `in` (0, 1, 2 … of 30 elements) and gives `out`, of which each of 40 threads may write its element.
fn run(functions: &str, body: &str) -> Result<(Vec<f32>, String), String> {
    let text = format!(
        "{functions}\n__global__ void k(const float *in, float *out) {{\n    const int n = 30, i = \
         threadIdx.x;\n{body}\n}}\n"
    );
    let input: Vec<u8> = (0..30).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let (out, warnings) = attempt_warned(&text, [1, THREADS], &[input, vec![0; 4 * THREADS as usize]])?;
    let out = out.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
    Ok((out, warnings))
}

/// What the right programs give, element by element.
type Expected = fn(usize) -> f32;

#[test]
fn a_register_that_assembly_does_not_write_has_no_value() {
    let wrong = [
        ("float v; asm volatile(\"\" : \"=f\"(v)); out[i] = v;", "%0"),
        ("float v; asm(\"{ .reg .f32 t; mov.f32 %0, t; }\" : \"=f\"(v)); out[i] = v;", "t"),
        (
            "float v; asm(\"{ .reg .pred p; setp.gt.s32 p, %1, 30; @p mov.f32 %0, 1.0; }\" : \"=f\"(v) : \"r\"(i)); out[i] = v;",
            "%0",
        ),
    ];
    for (body, name) in wrong {
        let told = run("", body).map_or_else(|stopped| stopped, |(_, warnings)| warnings);
        assert!(told.contains(&format!("`{name}` is used before it has a value")), "{body}: {told}");
    }
    let right = "float v = 1; asm(\"{ .reg .f32 t; mov.f32 t, %1; add.f32 %0, %0, t; }\" : \"+f\"(v) : \"f\"(2.0f)); out[i] = v;";
    assert_eq!(run("", right), Ok((vec![3.0; THREADS as usize], String::new())));
}

#[test]
fn a_value_that_is_missing_where_it_does_not_matter_is_no_mistake() {
    let pick = "__device__ float pick(int i, int n) { float r; if (i < n) r = 2; return r; }\n\
                struct Pair { float key; int value; };";
    let right: [(&str, Expected); 11] = [
        // Threads beyond the end compute with what they do not have.
        ("float v; if (i < n) v = in[i]; float w = v * 2 + 1; if (i < n) out[i] = w;", |i| {
            if i < 30 { 2.0 * i as f32 + 1.0 } else { 0.0 }
        }),
        ("float v = pick(i, n) * 3; if (i < n) out[i] = v;", |i| if i < 30 { 6.0 } else { 0.0 }),
        // The condition that guards the value decides first.
        ("bool have = i < n; float v; if (have) v = in[i]; if (have && v > 5) out[i] = v;", |i| {
            if i > 5 && i < 30 { i as f32 } else { 0.0 }
        }),
        (
            "float v; if (i < n) v = in[i]; if (i >= n || v > 5) out[i] = 7;",
            |i| if i > 5 { 7.0 } else { 0.0 },
        ),
        ("float v; if (i < n) v = in[i]; out[i] = i < n ? v : -1;", |i| if i < 30 { i as f32 } else { -1.0 }),
        (
            "int at; bool found = false;\n    for (int j = 0; j < i; j++) if (in[j % n] == 3) { at = j; found = true; break; }\n    \
             if (found) out[i] = at;",
            |i| if i > 3 { 3.0 } else { 0.0 },
        ),
        // Every path gives one.
        (
            "float s; switch (i & 3) { case 0: s = 1; break; case 1: s = 2; break; default: s = 3; }\n    out[i] = s;",
            |i| [1.0, 2.0, 3.0, 3.0][i & 3],
        ),
        ("int a; do { a = i; } while (a < 0); out[i] = a;", |i| i as f32),
        ("int a; for (int j = 0; j < 3; j++) { if (j == 0) a = i; else a += j; }\n    out[i] = a;", |i| {
            i as f32 + 3.0
        }),
        // A part of a structure goes along when it is copied.
        ("Pair p; p.key = i; Pair q = p; out[i] = q.key;", |i| i as f32),
        (
            "__shared__ Pair pairs[40]; Pair p; p.value = i; pairs[i] = p; __syncthreads();\n    out[i] = pairs[39 - i].value;",
            |i| 39.0 - i as f32,
        ),
    ];
    for (body, expected) in right {
        let (out, warnings) = run(pick, body).unwrap_or_else(|why| panic!("{body}\n{why}"));
        let expected: Vec<f32> = (0..THREADS as usize).map(expected).collect();
        assert_eq!((out, warnings.as_str()), (expected, ""), "{body}");
    }
}

#[test]
fn a_value_that_is_missing_where_it_matters_is_told() {
    let functions =
        "__device__ float pick(int i) { float r; if (i == 1) r = 1; else if (i == 2) r = 2; return r; }";
    // The body, the variable, where it is used, and the first thread that lacks it.
    for (body, name, used, thread) in [
        ("float v; if (i < 5) v = 1;\n    out[i] = v;", "v", "out[i] = v", 5),
        ("float v; if (i < 5) v = 1;\n    out[i] += v * 2;", "v", "out[i] += v * 2", 5),
        (
            "float best; for (int j = 0; j < i - 3; j++) best = j;\n    out[i] = best;",
            "best",
            "out[i] = best",
            0,
        ),
        ("int k; if (i > 2) k = 1;\n    if (k == 0) out[i] = 1;", "k", "k == 0", 0),
        ("int k; if (i > 2) k = 3;\n    for (int j = 0; j < k; j++) out[i] += 1;", "k", "j < k", 0),
        ("int k; if (i > 2) k = i;\n    out[k] = 1;", "k", "out[k] = 1", 0),
        ("int k; if (i != 7) k = 2;\n    out[i] = i / k;", "k", "i / k", 7),
        ("out[i] = pick(i);", "r", "out[i] = pick(i)", 0),
        (
            "int k; switch (i) { case 0: k = 1; case 1: k = 2; break; case 5: k = 3; }\n    out[i] = k;",
            "k",
            "out[i] = k",
            2,
        ),
        // Each round of a loop declares it anew, and what is made of it is none either.
        (
            "int last; for (int j = 0; j < i; j++) { int x; if (j == 0) x = 3; last = x; }\n    out[i] = i > 0 ? last : 0;",
            "x",
            "out[i] = i > 0 ? last : 0",
            2,
        ),
        (
            "float4 v; if (i > 1) v = make_float4(1, 2, 3, 4);\n    if (i < 10) ((float4 *)out)[i] = v;",
            "v.x",
            "[i] = v",
            0,
        ),
        ("int k; if (i > 2) k = 1;\n    if (__syncthreads_or(k)) out[i] = 1;", "k", "__syncthreads_or(k)", 0),
    ] {
        // What cannot go well without the value stops; else the run goes on.
        let (level, text) = match run(functions, body) {
            Err(text) => ("error", text),
            Ok((_, text)) => ("warning", text),
        };
        let stops = ["out[k]", "i / k"].contains(&used.trim_end_matches(" = 1"));
        assert_eq!(level == "error", stops, "{body}");
        let title = format!("{level}[uninitialized-variable]: `{name}` is used before it has a value");
        assert!(text.starts_with(&title), "{body}\n{text}");
        for part in ["declared here without a value", &format!("thread ({thread}, 0, 0)")] {
            assert!(text.contains(part), "{part:?} is missing for {body}\n{text}");
        }
        let mark = text.lines().find(|line| line.contains("^ used here")).unwrap_or_else(|| panic!("{text}"));
        let under = text.lines().take_while(|line| *line != mark).last().unwrap();
        let (from, to) = (mark.find('^').unwrap(), mark.rfind('^').unwrap() + 1);
        assert!(under.get(from..to).unwrap().contains(used), "{used:?} is not marked for {body}\n{text}");
    }
}

#[test]
fn a_variable_that_never_gets_a_value_is_told_of_once_by_the_compiler() {
    let (out, warnings) =
        run("", "    float sum;\n    for (int j = 0; j < 3; j++) sum += in[j];\n    out[i] = sum;").unwrap();
    assert_eq!((out, warnings.as_str()), (vec![3.0; THREADS as usize], ""));
}

/// Codes and threads of what a launch of twelve blocks of 64 threads warns of and stops with; `body` sees `v`, which has a
/// value in thread 5 alone.
fn told(body: &str) -> Vec<String> {
    let text = format!(
        "__global__ void k(const float *in, float *out, const int *zero) {{\n    __shared__ float s[64];\n    const int t \
         = threadIdx.x, b = blockIdx.x, i = b * 64 + t;\n    float v;\n    if (t == 5) v = 1;\n{body}\n}}\n"
    );
    let buffers = [1.0_f32.to_le_bytes().repeat(12 * 64), vec![0; 4 * 12 * 64], vec![0; 4]];
    let shown =
        attempt_warned(&text, [12, 64], &buffers).map_or_else(|stopped| stopped, |(_, warnings)| warnings);
    let parts = shown.lines().filter_map(|line| match line.split_once("]: ") {
        Some((code, _)) => Some(format!("{code}]")),
        None => line.trim().strip_prefix("= note: in ").map(str::to_owned),
    });
    parts.collect()
}

#[test]
fn a_launch_that_stops_tells_what_was_suspect_before_and_nothing_of_what_came_after() {
    for (fault, stopped) in [
        ("out[12 * 64 + t] = 1;", &["error[out-of-bounds]", "thread (0, 0, 0) of block (7, 0, 0)"][..]),
        ("out[0] = t / *zero;", &["error[division-by-zero]", "thread (0, 0, 0) of block (7, 0, 0)"]),
        ("out[t] = s[63 - t];", &["error[uninitialized-read]", "thread (0, 0, 0) of block (7, 0, 0)"]),
        (
            "s[t] = t; out[i] = s[63 - t];",
            &["error[shared-memory-race]", "thread (31, 0, 0) of block (7, 0, 0)"],
        ),
        (
            "if (t < 32) return; __syncthreads();",
            &["error[barrier-divergence]", "thread (32, 0, 0) of block (7, 0, 0)"],
        ),
        ("while (*zero == 0) out[i] = 2;", &["error[instruction-budget]"]),
    ] {
        for (body, suspect) in [
            (format!("if (b == 3) out[i] = v; if (b == 7) {{ {fault} }}"), Some(3)),
            (format!("if (b >= 6) out[i] = v; if (b == 7) {{ {fault} }}"), Some(6)),
            (format!("if (b == 7) {{ out[i] = v; {fault} }}"), Some(7)),
            (format!("if (b == 7) {{ {fault} __syncthreads(); out[i] = v; }}"), None),
            (format!("if (b == 7) {{ {fault} }} if (b > 7) out[i] = v;"), None),
        ] {
            let before = suspect.map(|block| format!("thread (0, 0, 0) of block ({block}, 0, 0)"));
            let before = before.into_iter().flat_map(|at| ["warning[uninitialized-variable]".to_owned(), at]);
            let expected: Vec<String> = before.chain(stopped.iter().map(|s| (*s).to_owned())).collect();
            assert_eq!(told(&body), expected, "{body}");
        }
    }
}

#[test]
fn what_is_suspect_in_a_loop_is_told_of_once() {
    let found = told("for (int j = t / 32; j < 32; j += 2) out[i] += v * j;");
    assert_eq!(found, ["warning[uninitialized-variable]", "thread (0, 0, 0) of block (0, 0, 0)"]);
    let found = told("#pragma unroll\n    for (int j = 0; j < 4; j++) out[i] += v;");
    assert_eq!(found, ["warning[uninitialized-variable]", "thread (0, 0, 0) of block (0, 0, 0)"]);
}
