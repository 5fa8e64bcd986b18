//! The help of an access out of bounds names the guard that lets the index through, or the coordinate that has none.

use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};

/// A launch of 8 by 8 threads, twice along each axis, with arrays of `elements` floats.
struct Run<'a> {
    elements: u64,
    integers: &'a [(&'a str, i32)],
}

impl Run<'_> {
    /// The help of the first message about a kernel that begins with `x`, `y` and `i`.
    fn help(&self, body: &str) -> String {
        let list: String = self.integers.iter().map(|(name, _)| format!(", int {name}")).collect();
        let text = format!(
            "__global__ void k(const float *a, float *out{list}) {{\n    int x = blockIdx.x * blockDim.x + threadIdx.x;\n    \
             int y = blockIdx.y * blockDim.y + threadIdx.y;\n    int z = blockIdx.z;\n    int i = x;\n{body}\n}}"
        );
        let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
        let file = KernelFile { name: "k.cu".into(), text };
        let program = match device.compile(&file, &CompileOptions::default()) {
            Ok(program) => program,
            Err(DeviceError::Compile(m)) => panic!("{body}: {}", m.diagnostics[0].title),
            Err(error) => panic!("{error}"),
        };
        let mut arguments: Vec<_> = (0..2)
            .map(|_| {
                let buffer = device.alloc(self.elements * 4).unwrap();
                device.write(buffer, 0, &vec![0; self.elements as usize * 4]).unwrap();
                Argument::Buffer(buffer)
            })
            .collect();
        arguments.extend(self.integers.iter().map(|(_, value)| Argument::I32(*value)));
        let shape = LaunchShape { grid: [2, 2, 2], block: [8, 8, 1], dynamic_shared: 0 };
        match device.launch(&LaunchRequest::new(program.id, "k", shape, &arguments)) {
            Err(DeviceError::Launch { messages, .. }) => {
                let first = messages
                    .diagnostics
                    .iter()
                    .find(|d| matches!(d.code, source::Code::OutOfBounds | source::Code::InstructionBudget));
                first.unwrap_or_else(|| panic!("{body}: {:?}", messages.diagnostics[0])).help.join("\n")
            }
            Ok(_) => panic!("no fault: {body}"),
            Err(error) => panic!("{error}"),
        }
    }

    /// Bodies, each with parts of its help; a part after `!` must be missing.
    fn all(&self, cases: &[(&str, &[&str])]) {
        let mut wrong = String::new();
        for (body, parts) in cases {
            let help = self.help(body);
            let is_right = parts.iter().all(|part| match part.strip_prefix('!') {
                Some(part) => !help.contains(part),
                None => help.contains(part),
            });
            if !is_right {
                wrong += &format!("{body}\n  {parts:?}\n  {help}\n");
            }
        }
        assert!(wrong.is_empty(), "\n{wrong}");
    }
}

const FILTER: &str = "
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = -radius; i <= radius; i++)
        for (int j = -radius; j <= radius; j++) {
            int r = y + i, c = x + j;
            GUARD
            sum += a[r * width + c];
        }
    out[y * width + x] = sum;";

#[test]
fn a_guard_of_a_neighbour_is_named_and_not_the_loop_over_the_window() {
    for (height, width) in [(1, 1), (1, 4), (3, 1), (3, 5)] {
        let integers = [("height", height), ("width", width), ("radius", 1)];
        let run = Run { elements: (height * width) as u64, integers: &integers };
        for (guard, name) in [
            ("if (r < 0 || r > height || c < 0 || c > width) continue;", ">="),
            ("if (r >= 0 && r <= height && c >= 0 && c <= width)", "`<`"),
            ("if (r < 0 || c < 0) continue; if (r > height || c >= width) continue;", "`r > height`"),
            ("if (c < 0 || c >= width) continue; if (r >= 0 && r <= height)", "`r <= height`"),
            ("if (c < 0 || c >= width || r < 0 || r > height - 1 + 1) continue;", "`r > height - 1 + 1`"),
        ] {
            let body = FILTER.replace("GUARD", guard);
            run.all(&[(&body, &[name, "one too far", "!radius`", "!`j", "!`i "])]);
        }
    }
}

#[test]
fn a_column_that_is_one_too_far_is_named_even_where_the_row_is_right() {
    let integers = [("height", 3), ("width", 5), ("radius", 1)];
    Run { elements: 15, integers: &integers }.all(&[
        ("if (x <= width && y < height) out[y * width + x] = 1;", &["`x <= width`", "`x` is 5"]),
        ("if (y >= height || x > width) return; out[y * width + x] = 1;", &["`x > width`", "`>=`"]),
        ("if (x < width && y <= height) out[y * width + x] = 1;", &["`y <= height`", "`y` is 3"]),
        ("if (x < width) if (y <= height) { int p = y * width + x; out[p] = 1; }", &["`y <= height`"]),
        (
            "for (int r = 0; r <= height; r++) if (x < width) out[r * width + x] = 1;",
            &["`r <= height`", "loop"],
        ),
        ("int r = 0; do { if (x < width) out[r * width + x] = 1; ++r; } while (r <= height);", &["!`x"]),
        (
            "if (x >= width) return; if (y < height) out[y * width + x + width] = 1;",
            &["`y < height`", "!`x "],
        ),
    ]);
}

#[test]
fn the_guard_in_front_of_the_store_is_named_and_not_one_that_ends_before() {
    for (n, radius) in [(1, 1), (5, 2), (9, 0)] {
        let integers = [("n", n), ("radius", radius)];
        let run = Run { elements: n as u64, integers: &integers };
        let inner = "float s = 0; if (i >= radius && i < n - radius) { for (int j = 0; j <= 2 * radius; j++) s += a[i - \
                     radius + j]; }";
        let rest = format!("{inner} out[i] = s;");
        run.all(&[
            (&format!("if (i > n) return; {rest}"), &["`i > n`", "`>=` instead of `>`"]),
            (&format!("if (i <= n) {{ {rest} }}"), &["`i <= n`", "`<` instead of `<=`"]),
            (&format!("if (!(i <= n)) return; {rest}"), &["`i <= n`", "one too far"]),
            (&format!("if (n < i) return; {rest}"), &["`n < i`", "`<=` instead of `<`"]),
            (&format!("if (i > n + 1) return; {rest}"), &["`i > n + 1`", "!ends before"]),
        ]);
    }
}

#[test]
fn a_guard_of_a_window_that_is_one_too_wide() {
    for (n, radius) in [(5, 2), (7, 1)] {
        let integers = [("n", n), ("radius", radius)];
        let run = Run { elements: n as u64, integers: &integers };
        let window = "for (int j = 0; j <= 2 * radius; j++) s += a[i - radius + j];";
        let head = "float s = 0; if (i >= n) return;";
        run.all(&[
            (&format!("{head} if (i >= radius && i <= n - radius) {{ {window} }} out[i] = s;"), &["`i <= n - radius`", "`<`"]),
            (
                &format!("{head} if (i < radius || i > n - radius) {{ out[i] = 0; return; }} {window} out[i] = s;"),
                &["`i > n - radius`", "`>=`"],
            ),
            (
                &format!("{head} if (i >= radius && i <= n - radius) {{ for (int j = -radius; j <= radius; j++) s += a[i + j]; }} out[i] = s;"),
                &["`i <= n - radius`", "`<`"],
            ),
            (
                &format!("{head} if (radius <= i && n - radius >= i) {{ const float *p = a + i - radius; for (int j = 0; j < 2 * radius + 1; ++j) s += p[j]; }} out[i] = s;"),
                &["`n - radius >= i`", "`>`"],
            ),
            (
                &format!("{head} if (i >= radius && i <= n - radius) s = a[i + radius]; out[i] = s;"),
                &["`i <= n - radius`", "`<`"],
            ),
            (&format!("{head} if (i >= radius) {{ {window} }} out[i] = s;"), &["`i - radius + j`", "!instead of", "!inside"]),
            (&format!("{head} {} out[i] = s;", window.replace("- radius", "")), &["`i + j`", "!instead of"]),
        ]);
    }
}

#[test]
fn a_missing_guard_is_proposed_with_a_name_for_each_coordinate() {
    let run = |integers| Run { elements: 12, integers };
    run(&[("m", 3), ("n", 4)]).all(&[
        ("out[y * n + x] = 0;", &["`x` is 4", "`if (x < n)`", "!12"]),
        ("if (x < n) out[y * n + x] = 0;", &["`if (y < m)`", "!tests `x`"]),
        ("if (x >= n) return; int p = n * y + x; out[p] = 0;", &["`if (y < m)`"]),
        ("if (x < n) { const float *row = a + y * n; out[x] = row[x]; }", &["`if (y < m)`"]),
        ("for (int p = 0; p < n; p++) out[x] = a[y * n + p];", &["`y` is 3", "`if (y < m)`", "!`p"]),
        ("float s = 0; int p = 0; while (p < n) { s += a[y * n + p]; p++; } out[0] = s;", &["`if (y < m)`"]),
    ]);
    run(&[("n", 12)]).all(&[
        ("out[i] = 0;", &["`if (i < n)`"]),
        ("out[x] = 0;", &["< n)`"]),
        ("if (y == 0) out[i] = 0;", &["`if (i < n)`"]),
        ("if (i >= 0) out[i] = 0;", &["`if (i < n)`"]),
        ("float *p = out + i; *p = 0;", &["n"]),
    ]);
    Run { elements: 1, integers: &[("n", 1), ("radius", 1)] }.all(&[
        ("out[i] = 0;", &["less than the number of elements", "!< 1"]),
        ("for (int j = 0; j < radius; j++) out[i] = 0;", &["less than the number of elements", "!< 1"]),
    ]);
    Run { elements: 1, integers: &[("m", 1), ("n", 1), ("k", 1)] }.all(&[
        ("for (int p = 0; p < k; p++) out[x] = a[y * k + p];", &["!`p", "!< 1"]),
        ("if (x < n) for (int p = 0; p < k; p++) out[0] = a[y * k + p];", &["`y` is 1", "!`p", "!< 1"]),
        ("if (y < m) for (int p = 0; p < k; p++) out[0] = a[p * n + x];", &["`x` is 1", "`if (x < n)`"]),
        ("if (x < n) out[y * n + x] = 0;", &["`y` is 1", "!`x", "!< 1"]),
    ]);
    Run { elements: 10, integers: &[] }
        .all(&[("out[i] = 0;", &["less than the number of elements", "!< 10"])]);
    Run { elements: 24, integers: &[("depth", 2), ("height", 3), ("width", 4)] }.all(&[
        ("if (x < width && z < depth) out[(z * height + y) * width + x] = 0;", &["`y`", "!`x", "!`z "]),
        ("if (x < width && y < height) out[((z + 1) * height + y) * width + x] = 0;", &["`z", "!`x", "!`y"]),
        (
            "if (x < width && y < height && z <= depth) out[((z + 1) * height + y) * width + x] = 0;",
            &["`z", "!`x <", "!`y <"],
        ),
        (
            "if (x < width && z < depth && y <= height) out[(z * height + y) * width + x] = 0;",
            &["`y <= height`", "`<`"],
        ),
    ]);
}

#[test]
fn a_wrong_row_length_is_told_by_the_limits_of_row_and_column() {
    Run { elements: 6, integers: &[("m", 3), ("n", 5), ("k", 2)] }.all(&[
        (
            "if (y >= m || x >= n) return; for (int p = 0; p < k; p++) out[0] = a[y * n + p];",
            &["`y * n + p`", "`n` (5)", "`k`"],
        ),
        ("if (y < m) for (int p = 0; p < k; p++) out[0] = a[p + n * y];", &["multiply `y` by `k`"]),
        (
            "if (y < m) { const float *row = a + y * n; for (int p = 0; p < k; p++) out[0] = row[p]; }",
            &["!room"],
        ),
    ]);
    Run { elements: 6, integers: &[("height", 3), ("width", 2)] }.all(&[
        ("if (x < width && y < height) out[x] = a[y * height + x];", &["multiply `y` by `width`", "!room"]),
        (
            "if (x >= width) return; if (y >= height) return; int at = y * height + x; out[at] = 0;",
            &["multiply `y` by `width`"],
        ),
        ("if (x < width && y < height) out[(y * height) + x] = a[0];", &["multiply `y` by `width`"]),
    ]);
    Run { elements: 24, integers: &[("depth", 2), ("height", 3), ("width", 4)] }.all(&[(
        "if (x < width && y < height && z < depth) out[(z * width + y) * width + x] = 0;",
        &["!room", "!instead of"],
    )]);
}

#[test]
fn a_loop_without_end_names_the_variable_that_never_changes_and_waits_for_no_thread() {
    Run { elements: 12, integers: &[("n", 12)] }.all(&[
        ("float s = 0; for (int j = 0; j < n;) s += a[0]; out[0] = s;", &["`j` never changes", "!volatile"]),
        (
            "float s = 0; for (int j = 0; j <= n; i++) s += a[0]; out[0] = s;",
            &["`j` never changes", "!volatile"],
        ),
        (
            "float s = 0; int j = 0; while (j < n) { s += a[j]; } out[0] = s;",
            &["`j` never changes", "!volatile"],
        ),
        (
            "float s = 0; int k = 0; do { s += a[k]; } while (k < n); out[0] = s;",
            &["`k` never changes", "!volatile"],
        ),
        (
            "float s = 0; int k = 0; do { if (i > 3) s += a[k]; } while (k >= 0 && k < n); out[0] = s;",
            &["`k` never changes", "!volatile"],
        ),
        ("while (a[0] == 0) {} out[0] = 1;", &["volatile"]),
        ("do {} while (a[0] == 0); out[0] = 1;", &["volatile"]),
    ]);
}
