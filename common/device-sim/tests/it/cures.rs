//! What is said of a race mends it: from right kernels each barrier is taken away by itself, and put back where the message says.

use crate::programs::attempt_warned;
use device::{
    Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape, Messages,
};
use device_sim::{DeviceModel, SimDevice};
use serde_json::Value;

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

/// What is wrong with a kernel.
fn wrong(body: &[&str], threads: u32) -> Option<String> {
    let words = |value: u32| (0..256).flat_map(|i: u32| (i * value).to_le_bytes()).collect::<Vec<u8>>();
    attempt_warned(&text(body), [1, threads], &[words(1), words(0)]).err()
}

/// Puts a barrier where the first message says: before a line, or at the end or start of the body of the innermost loop that
/// has both.
fn mended<'t>(body: &[&'t str], message: &str) -> Option<Vec<&'t str>> {
    let first = message.split("\nerror").next().unwrap();
    let head = HEAD.lines().count();
    let mut body = body.to_vec();
    if let Some((_, line)) = first.split_once("put `__syncthreads()` before line ") {
        let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
        body.insert(digits.parse::<usize>().ok()? - 1 - head, "__syncthreads();");
        return Some(body);
    }
    let (_, place) = first.split_once("put `__syncthreads()` at the ")?;
    let marked =
        first.lines().filter(|line| line.contains(" | ") && !line.contains("^") && !line.contains("---"));
    let marked = marked.filter(|line| !line.contains("__shared__"));
    let numbers = marked.filter_map(|line| line.split('|').next()?.trim().parse::<usize>().ok());
    let last = numbers.max()? - 1 - head;
    let at = match place.starts_with("end of the loop's body") {
        true => last + body[last..].iter().position(|line| line.starts_with('}'))?,
        false => body[..last].iter().rposition(|line| line.ends_with('{'))? + 1,
    };
    body.insert(at, "__syncthreads();");
    Some(body)
}

#[test]
fn what_is_said_of_a_race_mends_it() {
    let mut races = 0;
    for (name, kernel) in KERNELS {
        let body: Vec<&str> = kernel.lines().collect();
        for threads in [64, 32] {
            assert_eq!(wrong(&body, threads), None, "{name}");
            for missing in
                body.iter().enumerate().filter(|(_, line)| **line == "__syncthreads();").map(|(i, _)| i)
            {
                let without: Vec<&str> = [&body[..missing], &body[missing + 1..]].concat();
                let Some(message) = wrong(&without, threads) else { continue };
                races += 1;
                assert!(
                    message.contains("-memory-race]"),
                    "{name}, {threads} threads, barrier {missing}: {message}"
                );
                let whole =
                    format!("{name}, {threads} threads, barrier {missing}:\n{}\n{message}", text(&without));
                let (mut now, mut body) = (Some(message), without);
                // One barrier may have stood for two.
                for _ in 0..2 {
                    let Some(message) = now else { break };
                    body = mended(&body, &message).unwrap_or_else(|| panic!("no cure: {whole}\n{message}"));
                    now = wrong(&body, threads);
                }
                assert_eq!(now, None, "the cure does not mend it: {whole}\n{}", text(&body));
            }
        }
    }
    assert!(races > 40, "{races}");
}

/// What is found in a kernel of buffers `a` and `b` of 256 elements.
fn found(text: &str, [blocks, threads]: [u32; 2]) -> Option<Messages> {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let program = device.compile(&file, &CompileOptions::default()).unwrap();
    let buffers = [1, 0].map(|value: u32| {
        let buffer = device.alloc(1024).unwrap();
        let bytes: Vec<u8> = (0..256).flat_map(|i: u32| (i * value).to_le_bytes()).collect();
        device.write(buffer, 0, &bytes).unwrap();
        Argument::Buffer(buffer)
    });
    let shape = LaunchShape { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 };
    match device.launch(&LaunchRequest::new(program.id, "k", shape, &buffers)) {
        Ok(_) => None,
        Err(DeviceError::Launch { messages, .. }) => Some(messages),
        Err(error) => panic!("{error}"),
    }
}

fn json(messages: &Messages) -> Vec<Value> {
    messages.diagnostics.iter().map(|d| source::render::json(&messages.sources, d)).collect()
}

/// The data of a race say what its message says.
#[test]
fn the_data_of_a_race_agree_with_its_message() {
    let (mut races, mut next) = (0, 0);
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
                let help = object["help"].to_string();
                let barrier = &race["barrier"];
                let cure = match barrier["place"].as_str().unwrap() {
                    "between" => format!("before line {}", barrier["before"]),
                    "loop-end" => "at the end of the loop's body".to_owned(),
                    "loop-start" => "at the start of the loop's body".to_owned(),
                    other => panic!("{other}: {told}"),
                };
                assert!(help.contains(&cure), "{told}");
                let is_next = [first, second].map(|access| access["next_iteration"] == true);
                if is_next != [false, false] {
                    // The one that comes first in the code.
                    next += 1;
                    let lines = [first, second].map(|access| access["line"].as_u64().unwrap());
                    assert_eq!(is_next, [lines[0] < lines[1], lines[1] < lines[0]], "{told}");
                    assert!(barrier["place"] != "between", "{told}");
                }
            }
        }
    }
    assert!(races > 40 && next > 5, "{races} races, {next} of two iterations");
}

/// No barrier orders threads of different blocks, and for two operands in one line no place for one is known.
#[test]
fn races_that_no_barrier_mends_say_so() {
    for (body, shape, place) in [
        ("b[t] = t + blockIdx.x;", [2, 32], "none"),
        ("__shared__ int s[1];\ns[0] = t;\nb[t] = s[0];", [1, 32], "unknown"),
        ("if (t < 2) b[0] = t;", [1, 32], "unknown"),
    ] {
        let messages = found(&text(&body.lines().collect::<Vec<_>>()), shape).unwrap();
        let object = &json(&messages)[0];
        assert_eq!(object["race"]["barrier"]["place"], place, "{body}: {object}");
    }
}

/// Where no place is certain to help, none is named; where several threads update one element, an atomic operation is.
#[test]
fn no_advice_is_given_that_does_not_help() {
    let tile = "__shared__ int s[64];\ns[t] = a[t];\n__syncthreads();\n";
    let (place, atomic, variable) =
        ("put `__syncthreads()`", "use an atomic operation", "read into a variable first");
    let cases = [
        // Both branches: no statement stands between them.
        (format!("{tile}if (t < 32)\nb[t] = s[63 - t];\nelse\ns[t] = 0;"), vec![], vec![place, atomic, variable]),
        (format!("{tile}if (t < 32) {{\nb[t] = s[63 - t];\n}} else {{\ns[t] = 0;\n}}"), vec![], vec![place, atomic, variable]),
        // In a branch, in a loop or behind a return that some threads take.
        ("__shared__ int s[64];\nif (t < 48) {\ns[t] = a[t];\nb[t] = s[47 - t];\n}".into(), vec![], vec![place]),
        ("__shared__ int s[64];\nif (a[t] * t < 48) {\ns[t] = a[t];\nb[t] = s[47 - t];\n}".into(), vec![], vec![place]),
        ("__shared__ int s[64];\ns[t] = a[t];\nif (t > 60) return;\nb[t] = s[60 - t];".into(), vec![], vec![place]),
        ("__shared__ int s[64];\nfor (int i = 0; i < t; i++) {\ns[t] = a[t];\nb[t] = s[63 - t];\n}".into(), vec![], vec![place]),
        // One element is updated by several threads.
        ("__shared__ int c;\nif (t == 0) c = 0;\n__syncthreads();\nc += a[t];".into(), vec![atomic], vec![place, variable]),
        ("__shared__ int c;\nif (t == 0) c = 0;\n__syncthreads();\nc++;".into(), vec![atomic], vec![place, variable]),
        ("__shared__ int c;\nif (t == 0) c = 0;\n__syncthreads();\nc = max(c, a[t]);".into(), vec![atomic], vec![place, variable]),
        ("__shared__ int c;\nif (t == 0) c = 0;\n__syncthreads();\nc = c + 1;".into(), vec![atomic], vec![place, variable]),
        (format!("{tile}s[t % 4] += t;"), vec![atomic], vec![place, variable]),
        ("b[t % 4] += t;".into(), vec![atomic], vec![place, variable]),
        ("__shared__ int c;\nif (t == 0) c = 0;\n__syncthreads();\nint v = c;\nv += t;\nc = v;".into(), vec![], vec![place, variable]),
        // Each element has one writer.
        (format!("{tile}if (t >= 1) s[t] += s[t - 1];"), vec![variable], vec![place, atomic]),
        (format!("{tile}s[t] = s[t] + s[(t + 1) % 64];"), vec![variable], vec![place, atomic]),
        // The line is the statement's, which may have begun before the access.
        ("__shared__ int s[64];\nif (t == 0) {\ns[0] = 0;\nfor (int i = 1; i < 64; i++) s[i] = i;\n}\nb[t] =\ns[t];".into(), vec!["before line 8,"], vec![atomic]),
        ("__shared__ int s[64];\ns[t] = 0;\nfor (int i = 0; i < 4; i++)\ns[t] += a[64 * i + t];\nb[t] = s[63 - t];".into(), vec!["before line 7,"], vec![atomic]),
        ("__shared__ int s[64]; s[t] = a[t]; b[t] = s[63 - t];".into(), vec![], vec![place, atomic]),
    ];
    for (body, says, does_not) in cases {
        let messages = found(&text(&body.lines().collect::<Vec<_>>()), [1, 64]);
        let messages = messages.unwrap_or_else(|| panic!("no race is found: {body}"));
        let help = json(&messages)[0]["help"].to_string();
        for (words, is_said) in says.iter().map(|w| (w, true)).chain(does_not.iter().map(|w| (w, false))) {
            assert_eq!(help.contains(words), is_said, "`{words}`, of\n{body}\n{help}");
        }
    }
    // A function's statement is reached by all threads only if each call is.
    let of = |call: &str| {
        let text = format!(
            "__device__ void turn(int *s, int *b, int t) {{\ns[t] = t;\nb[t] = s[t ^ 63];\n}}\n\
             __global__ void k(int *a, int *b) {{\n__shared__ int s[64];\nint t = threadIdx.x;\n{call}\n}}\n"
        );
        json(&found(&text, [1, 64]).unwrap())[0]["help"].to_string()
    };
    assert!(of("turn(s, b, t);").contains("before line 3,"), "{}", of("turn(s, b, t);"));
    let both = of("turn(s, b, t);\nif (t < 8) turn(s, b + 64, t);");
    assert!(!both.contains(place), "{both}");
    // A function that is called twice has no loop.
    let text = "__device__ int share(int v, int *slot) {\nif (threadIdx.x == 0) *slot = v;\n__syncthreads();\nreturn *slot;\n}\n\
        __global__ void k(int *a, int *b) {\n__shared__ int slot;\nb[threadIdx.x] = share(a[0], &slot);\nb[threadIdx.x + 64] = share(a[1], &slot);\n}\n";
    let help = json(&found(text, [1, 64]).unwrap())[0]["help"].to_string();
    assert!(!help.contains("loop"), "{help}");
}
