//! What a message suggests mends the mistake: from right kernels each barrier is taken away by itself, and what is suggested is applied.

use device::{
    Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchOptions, LaunchRequest, LaunchShape,
    Messages, Remedy, Trial, try_corrections, try_suggestions,
};
use device_sim::{DeviceModel, SimDevice};
use serde_json::Value;
use source::{Severity, Suggestion, Tried};

/// Kernels of `int` buffers `a` and `b` of 256 elements, for one block of 64 threads or one of 32. Each barrier has a line of its own.
const KERNELS: &[(&str, &str)] = &[
    (
        "stencil",
        "__shared__ int s[64];
s[t] = a[t];
__syncthreads();
b[t] = s[t] + s[(t + 1) % n];",
    ),
    (
        "two steps",
        "__shared__ int s[64];
s[t] = a[t];
__syncthreads();
int v = s[n - 1 - t];
__syncthreads();
s[t] = v + 1 + t;
__syncthreads();
b[t] = s[(t + 5) % n];",
    ),
    (
        "tiles",
        "__shared__ int s[64];
int sum = 0;
for (int i = 0; i < 4; i++) {
s[t] = a[64 * i + t] + i + t;
__syncthreads();
for (int k = 0; k < n; k++) sum += s[k];
__syncthreads();
}
b[t] = sum;",
    ),
    (
        "tiles in while",
        "__shared__ int s[64];
int sum = 0, i = 0;
while (true) {
if (i == 4) break;
s[t] = a[64 * i + t] + i + t;
__syncthreads();
sum += s[(t + 7) % n];
i++;
__syncthreads();
}
b[t] = sum;",
    ),
    (
        "unrolled tiles",
        "__shared__ int s[64];
int sum = 0;
#pragma unroll
for (int i = 0; i < 3; i++) {
s[t] = a[64 * i + t] + t + i;
__syncthreads();
sum += s[n - 1 - t];
__syncthreads();
}
b[t] = sum;",
    ),
    (
        "tree",
        "__shared__ int s[64];
s[t] = a[t] + 1;
__syncthreads();
for (int d = n / 2; d > 0; d /= 2) {
if (t < d) s[t] += s[t + d];
__syncthreads();
}
if (t == 0) b[0] = s[0];",
    ),
    (
        "tree with continue",
        "__shared__ int s[64];
s[t] = a[t] + 1;
for (int d = n / 2; d > 0; d /= 2) {
__syncthreads();
if (t >= d) continue;
s[t] += s[t + d];
}
if (t == 0) b[0] = s[0];",
    ),
    (
        "scan",
        "__shared__ int s[64];
s[t] = a[t] + t;
__syncthreads();
for (int d = 1; d < n; d *= 2) {
int v = t >= d ? s[t - d] : 0;
__syncthreads();
s[t] += v;
__syncthreads();
}
b[t] = s[t];",
    ),
    (
        "two buffers",
        "__shared__ int s[2][64];
s[0][t] = t;
__syncthreads();
for (int i = 0; i < 5; i++) {
s[1 - i % 2][t] = s[i % 2][(t + 1) % n] + 1;
__syncthreads();
}
b[t] = s[1][(t + 3) % n];",
    ),
    (
        "sort",
        "__shared__ int s[64];
s[t] = (t * 37) % 64;
__syncthreads();
for (int i = 0; i < n; i++) {
int l = 2 * t + i % 2;
if (l + 1 < n && s[l] > s[l + 1]) { int x = s[l]; s[l] = s[l + 1]; s[l + 1] = x; }
__syncthreads();
}
b[t] = s[t];",
    ),
    (
        "broadcast",
        "__shared__ int first;
for (int i = 0; i < 3; i++) {
if (t == 0) first = a[i] + i;
__syncthreads();
b[64 * i + t] = first;
__syncthreads();
}",
    ),
    (
        "histogram",
        "__shared__ int s[64];
s[t] = 0;
__syncthreads();
atomicAdd(&s[(t * t) % n], 1);
__syncthreads();
b[t] = s[n - 1 - t];",
    ),
    (
        "global steps",
        "for (int i = 0; i < 3; i++) {
int v = b[(t + 1) % n];
__syncthreads();
b[t] = v + 1 + t;
__syncthreads();
}",
    ),
    (
        "nested",
        "__shared__ int s[64];
for (int r = 0; r < 2; r++) {
s[t] = a[t] + r;
__syncthreads();
for (int d = 1; d < n; d *= 2) {
int v = s[t ^ d];
__syncthreads();
s[t] = v + t;
__syncthreads();
}
b[t] += s[n - 1 - t];
__syncthreads();
}",
    ),
];

/// The lines before the body.
const HEAD: &str = "__global__ void k(int *a, int *b) {\nint t = threadIdx.x, n = blockDim.x;\n";

fn text(body: &[&str]) -> String {
    format!("{HEAD}{}\n}}\n", body.join("\n"))
}

/// What a kernel of buffers `a` and `b` of 256 elements leaves in them.
pub(super) type Gave = Result<[Vec<u8>; 2], Messages>;

/// Runs it; what it was warned of is kept apart.
pub(super) fn launched(text: &str, [blocks, threads]: [u32; 2], suggest: bool) -> (Gave, Messages) {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(messages)) => return (Err(messages), Messages::default()),
        Err(error) => panic!("{error}"),
    };
    let buffers = [1, 0].map(|value: u32| {
        let buffer = device.alloc(1024).unwrap();
        let bytes: Vec<u8> = (0..256).flat_map(|i: u32| (i * value).to_le_bytes()).collect();
        device.write(buffer, 0, &bytes).unwrap();
        buffer
    });
    let shape = LaunchShape { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 };
    let mut arguments = buffers.map(Argument::Buffer).to_vec();
    arguments.extend(text.contains(", int m)").then_some(Argument::I32(256)));
    arguments.extend(text.contains(", int rows)").then_some(Argument::I32(255)));
    arguments
        .extend(text.contains(", int w, int h)").then_some([Argument::I32(16); 2]).into_iter().flatten());
    let request = LaunchRequest::new(program.id, "k", shape, &arguments).with(LaunchOptions {
        suggest,
        cooperative: text.contains("// cooperative"),
        ..LaunchOptions::default()
    });
    match device.launch(&request) {
        Ok(report) => {
            let read = buffers.map(|buffer| {
                let mut bytes = vec![0; 1024];
                device.read(buffer, 0, &mut bytes).unwrap();
                bytes
            });
            (Ok(read), report.warnings)
        }
        Err(DeviceError::Launch { messages, .. }) => (Err(messages), Messages::default()),
        Err(error) => panic!("{error}"),
    }
}

/// What is found in a kernel.
fn found(text: &str, shape: [u32; 2]) -> Option<Messages> {
    launched(text, shape, false).0.err()
}

/// What is suggested for the first mistake of a kernel, tried without knowing what the kernel should give.
pub(super) fn suggested(text: &str, shape: [u32; 2]) -> (Messages, Option<Suggestion>) {
    let messages = launched(text, shape, true).0.expect_err(text);
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let mut attempt = |file: &KernelFile| match launched(&file.text, shape, true) {
        (Ok(_), warnings) => Trial::Ran(Tried::Ran, vec![warnings]),
        (Err(messages), _) => Trial::Failed(vec![messages]),
    };
    let error = messages.diagnostics.iter().find(|d| d.severity == Severity::Error).unwrap();
    let told = std::slice::from_ref(&messages);
    let found = match try_suggestions(&file, (&messages.sources, error), told, &mut attempt) {
        Some(Remedy::Edit(suggestion)) => Some(suggestion),
        Some(Remedy::Help(_)) | None => None,
    };
    (messages, found)
}

pub(super) fn in_words(messages: &Messages, suggestion: Option<&Suggestion>) -> String {
    suggestion.map_or_else(String::new, |s| s.words(&messages.sources))
}

/// Of a kernel with a barrier too few, what is suggested gives what the kernel gave before, which the trials do not compare.
#[test]
fn what_is_suggested_for_a_race_mends_it() {
    let mut races = 0;
    for (name, kernel) in KERNELS {
        let body: Vec<&str> = kernel.lines().collect();
        for threads in [64, 32] {
            let right = launched(&text(&body), [1, threads], false).0.unwrap_or_else(|_| panic!("{name}"));
            let barriers = (0..body.len()).filter(|i| body[*i] == "__syncthreads();");
            for missing in barriers {
                let without: Vec<&str> = [&body[..missing], &body[missing + 1..]].concat();
                let without = text(&without);
                if found(&without, [1, threads]).is_none() {
                    continue;
                }
                races += 1;
                let (messages, suggestion) = suggested(&without, [1, threads]);
                let told = format!("{name}, {threads} threads, barrier {missing}:\n{without}");
                let suggestion = suggestion.unwrap_or_else(|| panic!("nothing is suggested: {told}"));
                let words = suggestion.words(&messages.sources);
                let mended = suggestion.apply(&without).unwrap();
                let now = launched(&mended, [1, threads], false).0;
                assert!(now.is_ok_and(|gave| gave == right), "{words} does not mend it: {told}\n{mended}");
            }
        }
    }
    assert!(races > 40, "{races}");
}

fn json(messages: &Messages) -> Vec<Value> {
    messages
        .diagnostics
        .iter()
        .map(|d| serde_json::json!(report::Diagnostic::of(&messages.sources, d)))
        .collect()
}

/// The data of a race say what its message says.
#[test]
fn the_data_of_a_race_agree_with_its_message() {
    let mut races = 0;
    for (name, kernel) in KERNELS {
        let body: Vec<&str> = kernel.lines().collect();
        let barriers = (0..body.len()).filter(|i| body[*i] == "__syncthreads();");
        for (missing, threads) in barriers.flat_map(|i| [(i, 64), (i, 32)]) {
            let without: Vec<&str> = [&body[..missing], &body[missing + 1..]].concat();
            let Some(messages) = found(&text(&without), [1, threads]) else { continue };
            let is_race =
                |object: &Value| object["code"].as_str().is_some_and(|code| code.ends_with("-race"));
            for object in json(&messages).into_iter().filter(is_race) {
                let (race, told) = (&object["race"], format!("{name}, barrier {missing}: {object}"));
                assert!(race.is_object(), "{told}");
                races += 1;
                let [first, second] = [0, 1].map(|i| &race["accesses"][i]);
                assert_eq!(
                    (&second["thread"], &second["block"]),
                    (&object["thread"], &object["block"]),
                    "{told}"
                );
                assert_eq!(second["line"], object["line"], "{told}");
                assert!(first["thread"] != second["thread"] || first["block"] != second["block"], "{told}");
                assert!([first, second].iter().any(|access| access["kind"] != "read"), "{told}");
                let element = format!("`{}`", race["element"].as_str().unwrap());
                assert!(object["message"].as_str().unwrap().contains(&element), "{told}");
                for access in [first, second] {
                    let line = access["line"].as_u64().unwrap() as usize;
                    let code = access["code"].as_str().unwrap();
                    assert!(text(&without).lines().nth(line - 1).unwrap().contains(code), "{told}");
                }
            }
        }
    }
    assert!(races > 40, "{races}");
}

/// Kernels with one mistake: what the suggestion says, and the body of a right kernel that does the same; nothing where none is certain.
#[test]
fn every_suggestion_gives_what_a_right_kernel_gives() {
    let tile = "__shared__ int s[64];\ns[t] = a[t];\n__syncthreads();\n";
    let count = "__shared__ int c;\nif (t == 0) c = 0;\n__syncthreads();\n";
    let out = "\n__syncthreads();\nif (t == 0) b[0] = c;";
    let same = |body: &str| body.to_owned();
    let cases: Vec<(String, &str, String)> = vec![
        // Both branches: the barrier comes between them.
        (
            format!("{tile}if (t < 32)\nb[t] = s[63 - t];\nelse\ns[t] = 0;"),
            "if (!(t < 32))",
            format!("{tile}if (t < 32) b[t] = s[63 - t];"),
        ),
        (
            format!("{tile}if (t < 32) {{\nb[t] = s[63 - t];\n}} else {{\ns[t] = 0;\n}}"),
            "if (!(t < 32))",
            format!("{tile}if (t < 32) b[t] = s[63 - t];"),
        ),
        // In a branch that some threads take: the branch is cut in two.
        (
            same("__shared__ int s[64];\nif (t < 48) {\ns[t] = a[t];\nb[t] = s[47 - t];\n}"),
            "} __syncthreads(); if (t < 48) {",
            format!("{tile}if (t < 48) b[t] = s[47 - t];"),
        ),
        (
            same(
                "__shared__ int s[64];\nif (t < 48) {\nint v = a[t] + 1;\ns[t] = v;\nb[t] = s[47 - t] + v;\n}",
            ),
            "insert `int v = 0;` before line 4",
            format!("{tile}s[t]++;\n__syncthreads();\nif (t < 48) b[t] = s[47 - t] + a[t] + 1;"),
        ),
        // A place that only some threads reach, whatever the sizes.
        (
            same("__shared__ int s[64];\ns[t] = a[t];\nif (t > 60) return;\nb[t] = s[60 - t];"),
            "after line 4",
            format!("{tile}if (t <= 60) b[t] = s[60 - t];"),
        ),
        (
            same("__shared__ int s[64];\nfor (int i = 0; i < t; i++) {\ns[t] = a[t];\nb[t] = s[63 - t];\n}"),
            "",
            String::new(),
        ),
        // One element is updated by several threads.
        (
            format!("{count}c += a[t];{out}"),
            "`atomicAdd(&c, a[t])`",
            same("int sum = 0;\nfor (int i = 0; i < n; i++) sum += a[i];\nif (t == 0) b[0] = sum;"),
        ),
        (
            format!("{count}c -= a[t];{out}"),
            "`atomicSub(&c, a[t])`",
            same("int sum = 0;\nfor (int i = 0; i < n; i++) sum -= a[i];\nif (t == 0) b[0] = sum;"),
        ),
        (format!("{count}c++;{out}"), "`atomicAdd(&c, 1)`", same("if (t == 0) b[0] = n;")),
        (format!("{count}--c;{out}"), "`atomicSub(&c, 1)`", same("if (t == 0) b[0] = -n;")),
        (
            format!("{count}c = max(c, a[t]);{out}"),
            "`atomicMax(&c, a[t])`",
            same("if (t == 0) b[0] = n - 1;"),
        ),
        (
            format!("{count}c = min(-a[t], c);{out}"),
            "`atomicMin(&c, -a[t])`",
            same("if (t == 0) b[0] = 1 - n;"),
        ),
        (
            format!("{count}if (a[t] > c) c = a[t];{out}"),
            "`atomicMax(&c, a[t]);`",
            same("if (t == 0) b[0] = n - 1;"),
        ),
        (
            format!("{count}if (c < a[t]) {{ c = a[t]; }}{out}"),
            "`atomicMax(&c, a[t]);`",
            same("if (t == 0) b[0] = n - 1;"),
        ),
        (format!("{count}c = c + 1;{out}"), "`atomicAdd(&c, 1)`", same("if (t == 0) b[0] = n;")),
        (format!("{count}c = 2 + c;{out}"), "`atomicAdd(&c, 2)`", same("if (t == 0) b[0] = 2 * n;")),
        (format!("{count}c |= t;{out}"), "`atomicOr(&c, t)`", same("if (t == 0) b[0] = n - 1;")),
        (
            same("b[t % 4] += t;"),
            "`atomicAdd(&b[t % 4], t)`",
            same("if (t < 4) for (int i = t; i < n; i += 4) b[t] += i;"),
        ),
        (
            same("int *p = b + t % 4;\n*p += t;"),
            "`atomicAdd(p, t)`",
            same("if (t < 4) for (int i = t; i < n; i += 4) b[t] += i;"),
        ),
        (
            format!("{count}int v = c;\nv += a[t];\nc = v;{out}"),
            "`atomicAdd(&c, a[t]);` in place of `int v = c; v += a[t]; c = v;`",
            same("int sum = 0;\nfor (int i = 0; i < n; i++) sum += a[i];\nif (t == 0) b[0] = sum;"),
        ),
        (
            format!("{count}int v = c;\nc = v + 1;\nb[64 + v] = v;{out}"),
            "write `atomicAdd(&c, 1)` in place of `c`",
            same("b[64 + t] = t;\nif (t == 0) b[0] = n;"),
        ),
        // Updates that no one operation makes: a barrier would hide the race and lose them.
        (format!("{count}int v = c;\nif (v < 9) v += 1;\nc = v;{out}"), "", String::new()),
        (format!("{count}c = 3 * c + t;{out}"), "", String::new()),
        (format!("{count}c *= 2;{out}"), "", String::new()),
        // A fraction that each addition would lose, and a condition that is another one behind the barrier.
        (format!("{count}c += -1.5f;{out}"), "", String::new()),
        (format!("{count}c -= 0.5f * a[t];{out}"), "", String::new()),
        (
            same(
                "__shared__ int s[64];\nint m = t;\nif (m < 48) {\ns[t] = a[t];\nm += 64;\nb[t] = s[47 - t];\n}",
            ),
            "",
            String::new(),
        ),
        // A loop's only statement: what is moved may not leave the loop.
        (
            same(
                "__shared__ int s[64];\nfor (int i = 0; i < 3; i++)\nif (t < 48) {\ns[t] = a[t] + i;\n__syncthreads();\nb[t] += s[47 - t];\n}",
            ),
            "",
            String::new(),
        ),
        // Each element has one writer.
        (
            format!("{tile}if (t >= 1) s[t] += s[t - 1];\n__syncthreads();\nb[t] = s[t];"),
            "int value = 0; if (t >= 1) value = s[t] + s[t - 1]; __syncthreads(); if (t >= 1) s[t] = value;",
            format!("{tile}b[t] = s[t] + (t >= 1 ? s[t - 1] : 0);"),
        ),
        (
            format!("{tile}s[t] = s[t] + s[(t + 1) % 64];\n__syncthreads();\nb[t] = s[t];"),
            "const int value = s[t] + s[(t + 1) % 64];",
            format!("{tile}b[t] = s[t] + s[(t + 1) % 64];"),
        ),
        // The line is the statement's, which may have begun before the access.
        (
            same(
                "__shared__ int s[64];\nif (t == 0) {\ns[0] = 0;\nfor (int i = 1; i < 64; i++) s[i] = i;\n}\nb[t] =\ns[t];",
            ),
            "before line 8, after the `if`",
            same("b[t] = t;"),
        ),
        (
            same(
                "__shared__ int s[64];\ns[t] = 0;\nfor (int i = 0; i < 4; i++)\ns[t] += a[64 * i + t];\nb[t] = s[63 - t];",
            ),
            "before line 7, after the loop",
            same("for (int i = 0; i < 4; i++) b[t] += a[64 * i + 63 - t];"),
        ),
        (
            same("__shared__ int s[64]; s[t] = a[t]; b[t] = s[63 - t];"),
            "in line 3, insert `__syncthreads();`",
            format!("{tile}b[t] = s[63 - t];"),
        ),
        // Two mistakes: one suggestion mends both.
        (
            same(
                "__shared__ int s[64];\ns[t] = a[t];\nint v = s[63 - t];\ns[t] = v + t;\nb[t] = s[(t + 1) % n];",
            ),
            "insert `__syncthreads();` before line 5",
            same("b[t] = 63 - (t + 1) % n + (t + 1) % n;"),
        ),
        // A barrier in a branch.
        (
            same(
                "__shared__ int s[64];\nif (t < 48) {\ns[t] = a[t];\n__syncthreads();\n}\nif (t < 48) b[t] = s[47 - t];",
            ),
            "remove `__syncthreads();` in line 6",
            format!("{tile}if (t < 48) b[t] = s[47 - t];"),
        ),
        (
            same(
                "__shared__ int s[64];\nif (t < 48) {\ns[t] = a[t];\n__syncthreads();\nb[t] = s[47 - t];\n}",
            ),
            "} __syncthreads(); if (t < 48) {",
            format!("{tile}if (t < 48) b[t] = s[47 - t];"),
        ),
    ];
    for (body, says, twin) in cases {
        let kernel = text(&body.lines().collect::<Vec<_>>());
        let (messages, suggestion) = suggested(&kernel, [1, 64]);
        let words = in_words(&messages, suggestion.as_ref());
        assert_eq!(suggestion.is_some(), !says.is_empty(), "of\n{body}\n{words}");
        assert!(words.contains(says), "`{says}` is not in `{words}` of\n{body}");
        if let Some(suggestion) = suggestion {
            let mended = suggestion.apply(&kernel).unwrap();
            let of = |text: &str| launched(text, [1, 64], false).0.map_err(|m| json(&m)).unwrap()[1].clone();
            assert_eq!(of(&mended), of(&text(&twin.lines().collect::<Vec<_>>())), "{mended}");
        }
    }
}

/// Accesses out of bounds, in a launch of more threads than there are elements or in a loop: what is suggested does what a right kernel does.
#[test]
fn suggestions_for_an_index_out_of_bounds_follow_its_cause() {
    let head = "__global__ void k(int *a, int *b, int m) {\nint t = blockIdx.x * blockDim.x + threadIdx.x;\n";
    let of = |body: &str| format!("{head}{body}\n}}\n");
    let right = "if (t < m) b[t] = a[t] + 1;";
    for (body, says, twin) in [
        ("b[t] = a[t] + 1;", "insert `if (t < m)`", right),
        ("if (t <= m) b[t] = a[t] + 1;", "write `<` in place of `<=`", right),
        ("if (m >= t) b[t] = a[t] + 1;", "write `>` in place of `>=`", right),
        ("if (t > m) return;\nb[t] = a[t] + 1;", "write `>=` in place of `>`", right),
        (
            "if (t == 0)\nfor (int i = 0; i <= m; i++) b[i] = a[i];",
            "write `<` in place of `<=`",
            "if (t < m) b[t] = a[t];",
        ),
        ("int v = 0;\nif (t < m)\n    v = a[t];\n    b[t] = v + 1;", "insert `{`", right),
        (
            "if (t < m) b[t] = a[(t - 5) % m];",
            "((t - 5) % m + m) % m",
            "if (t < m) b[t] = a[t < 5 ? m + t - 5 : t - 5];",
        ),
        ("if (t < m / 2) b[t] = a[t + 129];", "", ""),
        (
            "__shared__ int s[64];\ns[threadIdx.x] = a[t];\nif (t < m) b[t] = s[threadIdx.x] + 1;",
            "insert `if (t >= m) return;`",
            right,
        ),
        ("if (m > 0) b[t] = a[t] + 1;\nelse b[t] = 7;", "`{ if (t < m)`", right),
        ("if (2 * t < 255)\nreinterpret_cast<int2 *>(b + 1)[t] = make_int2(a[2 * t], 0);", "", ""),
    ] {
        let (messages, suggestion) = suggested(&of(body), [5, 64]);
        let words = in_words(&messages, suggestion.as_ref());
        assert!(words.contains(says) && words.is_empty() == says.is_empty(), "{body}: {words}");
        if let Some(suggestion) = suggestion {
            let gave =
                |text: &str| launched(text, [5, 64], false).0.map_err(|m| json(&m)).unwrap()[1].clone();
            let mended = suggestion.apply(&of(body)).unwrap();
            assert_eq!(gave(&mended), gave(&of(twin)), "{mended}");
        }
    }
}

/// Blocks of which each should have its own elements, and what no change of one place mends.
#[test]
fn races_of_blocks_get_the_index_of_the_block_or_an_atomic() {
    for (body, says) in [
        ("b[t] = t + blockIdx.x;", "blockIdx.x * blockDim.x + threadIdx.x"),
        ("b[threadIdx.x] = t + blockIdx.x;", "blockIdx.x * blockDim.x + threadIdx.x"),
        ("b[0] += t;", "`atomicAdd(&b[0], t)`"),
        ("atomicAdd_block(&b[t], t);", "`atomicAdd` in place of `atomicAdd_block`"),
        ("if (t == 0) b[0] = blockIdx.x;", ""),
    ] {
        let kernel = text(&[body]);
        let (messages, suggestion) = suggested(&kernel, [2, 32]);
        let words = in_words(&messages, suggestion.as_ref());
        assert!(words.contains(says) && words.is_empty() == says.is_empty(), "{body}: {words}");
    }
}

/// With the header, unless it is there, before whatever the file begins with.
#[test]
fn blocks_of_a_cooperative_launch_get_a_barrier_of_the_grid() {
    let body = ["int i = blockIdx.x * n + t; // cooperative", "int v = a[i + 1];", "a[i] = v;"];
    let right = ["int i = blockIdx.x * n + t; // cooperative", "int v = a[i + 1];", GRID, "a[i] = v;"];
    const GRID: &str = "cooperative_groups::this_grid().sync();";
    const INCLUDE: &str = "#include <cooperative_groups.h>\n";
    let right = launched(&format!("{INCLUDE}{}", text(&right)), [2, 32], false).0.unwrap();
    for head in ["", "#include <cuda.h>\n", "// what it does\n", INCLUDE] {
        let kernel = format!("{head}{}", text(&body));
        let (messages, suggestion) = suggested(&kernel, [2, 32]);
        let words = in_words(&messages, suggestion.as_ref());
        let mended = suggestion.unwrap_or_else(|| panic!("{kernel}")).apply(&kernel).unwrap();
        assert!(mended.contains(GRID) && mended.matches("cooperative_groups.h").count() == 1, "{words}");
        assert!(launched(&mended, [2, 32], false).0.is_ok_and(|gave| gave == right), "{words}");
    }
    // Another launch has no such barrier.
    let (messages, suggestion) = suggested(&text(&body).replace("// cooperative", ""), [2, 32]);
    assert_eq!(in_words(&messages, suggestion.as_ref()), "");
}

/// A statement of a function is reached by all threads only if each call is.
#[test]
fn functions_are_mended_where_all_their_callers_reach_the_barrier() {
    let of = |call: &str| {
        let text = format!(
            "__device__ void turn(int *s, int *b, int t) {{\ns[t] = t;\nb[t] = s[t ^ 7];\n}}\n\
             __global__ void k(int *a, int *b) {{\n__shared__ int s[64];\nint t = threadIdx.x;\n{call}\n}}\n"
        );
        let (messages, suggestion) = suggested(&text, [1, 64]);
        in_words(&messages, suggestion.as_ref())
    };
    assert!(of("turn(s, b, t);").contains("before line 3"), "{}", of("turn(s, b, t);"));
    assert_eq!(of("if (t < 8) turn(s, b + 64, t);"), "");
    let text = "__device__ int share(int v, int *slot) {\nif (threadIdx.x == 0) *slot = v;\n__syncthreads();\nreturn *slot;\n}\n\
        __global__ void k(int *a, int *b) {\n__shared__ int slot;\nb[threadIdx.x] = share(a[0], &slot);\nb[threadIdx.x + 64] = share(a[1], &slot);\n}\n";
    let (messages, suggestion) = suggested(text, [1, 64]);
    let words = in_words(&messages, suggestion.as_ref());
    assert!(words.contains("before line 2"), "{words}");
}

/// Nothing is edited in a macro's definition.
#[test]
fn macros_are_not_edited() {
    let define = "#define STEP(s) \\\n  s[t] = a[t]; \\\n  b[t] = s[63 - t]\n";
    let kernel = format!("{define}{}", text(&["__shared__ int s[64];", "STEP(s);"]));
    let (messages, suggestion) = suggested(&kernel, [1, 64]);
    assert_eq!(in_words(&messages, suggestion.as_ref()), "");
}

/// Errors of the compiler that one edit removes, with what is left; nothing is corrected where that is not certain.
#[test]
fn corrections_of_errors_compile() {
    let correct = |text: &str| {
        let file = KernelFile { name: "k.cu".into(), text: text.into() };
        let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
        let mut compile = |file: &KernelFile| match device.compile(file, &CompileOptions::default()) {
            Ok(_) => Some(Vec::new()),
            Err(DeviceError::Compile(messages)) => Some(messages.diagnostics),
            Err(_) => None,
        };
        let told = compile(&file).unwrap();
        let found = try_corrections(&file, &told, &mut compile);
        let texts = found.iter().map(|(_, s)| (s.apply(text).unwrap(), s.tried.unwrap()));
        texts.collect::<Vec<_>>()
    };
    let kernel = |body: &str| format!("__global__ void k(float *a, int n) {{\n{body}\n}}\n");
    let compiles = |text: String| vec![(text, Tried::Compiled)];
    for (wrong, right) in [
        ("int i = thredIdx.x; a[i] = n;", "int i = threadIdx.x; a[i] = n;"),
        ("flaot f = 1; a[0] = f;", "float f = 1; a[0] = f;"),
        ("int i = threadIdx.x\na[i] = n;", "int i = threadIdx.x;\na[i] = n;"),
        ("a[0] = sqrtff(a[0]);", "a[0] = sqrtf(a[0]);"),
        ("a[0] = 1; _syncthreads();", "a[0] = 1; __syncthreads();"),
    ] {
        assert_eq!(correct(&kernel(wrong)), compiles(kernel(right)), "{wrong}");
    }
    // Two errors: each edit removes its own.
    let both = correct(&kernel("int i = thredIdx.x; flot f = i; a[i] = f;"));
    assert_eq!(both.len(), 0, "a type that is missing hides the names after it: {both:?}");
    let both = correct(&kernel("int i = thredIdx.x; a[i] = blokIdx.x;"));
    assert_eq!(both.iter().map(|(_, tried)| *tried).collect::<Vec<_>>(), [Tried::Removed; 2]);
    for unsure in ["a[j] = 1;", "a[0] = 1 2;", "undefined_thing(a);"] {
        assert_eq!(correct(&kernel(unsure)), [], "{unsure}");
    }
}
