//! The help of an access out of bounds says where its index came from, in any spelling; and nothing where that is not known.

use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};

/// What the first message says of a kernel `k(a, out, n, w)` whose arrays have `n` = 16 elements of `bytes` bytes; `w` is 4.
fn said(body: &str, element: &str, n: i32) -> String {
    let text = format!(
        "#include <cuda_fp16.h>\n__global__ void k(const {element} *a, {element} *out, int n, int w) {{\n{body}\n}}"
    );
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    let file = KernelFile { name: "k.cu".into(), text };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(m)) => panic!("{body}: {}", m.diagnostics[0].title),
        Err(error) => panic!("{error}"),
    };
    let bytes = n as u64
        * if element == "half" {
            2
        } else if element == "double" {
            8
        } else {
            4
        };
    let mut arguments: Vec<_> = (0..2)
        .map(|_| {
            let buffer = device.alloc(bytes).unwrap();
            device.write(buffer, 0, &vec![0; bytes as usize]).unwrap();
            Argument::Buffer(buffer)
        })
        .collect();
    arguments.extend([Argument::I32(n), Argument::I32(4)]);
    let shape = LaunchShape { grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared: 0 };
    match device.launch(&LaunchRequest::new(program.id, "k", shape, &arguments)) {
        Err(DeviceError::Launch { messages, .. }) => {
            let first = messages.diagnostics.iter().find(|d| d.code == source::Code::OutOfBounds).unwrap();
            format!("{}\n{}", first.title, first.help.join("\n"))
        }
        Ok(_) => panic!("no fault: {body}"),
        Err(error) => panic!("{error}"),
    }
}

/// Bodies, each with what is said of it.
fn all(cases: &[(&str, &[&str])]) {
    for (body, wanted) in cases {
        let body = format!("int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}");
        let said = said(&body, "float", 16);
        assert!(wanted.iter().all(|part| said.contains(part)), "{body}\n{said}");
    }
}

#[test]
fn a_condition_that_goes_one_too_far() {
    all(&[
        (
            "float s = 0; for (int j = 0; j <= n; j++) s += a[j]; out[0] = s;",
            &["`j <= n`", "loop", "`j` is 16", "`<` instead"],
        ),
        (
            "float s = 0; int j = 0; while (n >= j) { s += a[j]; ++j; } out[0] = s;",
            &["`n >= j`", "`>` instead of `>=`"],
        ),
        ("if (i <= n) out[i] = a[0];", &["`i <= n`", "`i` is 16", "`<` instead of `<=`"]),
        ("if (i > n) return; out[i] = a[0];", &["`i > n`", "`>=` instead of `>`"]),
        ("if (i >= 0 && i <= n) out[i] = a[0];", &["`i <= n`", "one too far"]),
        (
            "int x = i % w, y = i / w; if (x < w && y <= n / w) out[y * w + x] = a[0];",
            &["`y <= n / w`", "`y` is 4"],
        ),
        ("float *p = out + i; if (i <= n) *p = 1.0f;", &["`i <= n`"]),
    ]);
}

#[test]
fn a_limit_that_is_more_than_the_array_has() {
    all(&[
        (
            "float s = 0; for (int j = 0; j < 32; j++) s += a[j]; out[0] = s;",
            &["`j < 32`", "while `j` is 16", "only values below 16"],
        ),
        ("if (i < n + 2) out[i] = a[0];", &["`i < n + 2`", "18", "only values below 16"]),
        ("float s = 0; for (int j = n; j >= 0; --j) s += a[j]; out[0] = s;", &["begins with `j` at 16"]),
        ("out[0] = a[n];", &["`n` is 16"]),
    ]);
}

#[test]
fn a_guard_that_is_missing_or_does_not_cover_the_access() {
    all(&[
        ("out[i] = 1.0f;", &["`i` is 16", "no condition", "`if (i < n)`"]),
        ("float v = 0;\nif (i < n)\nv = a[i];\nout[i] = v;", &["`i < n` in line 5 ends before this access"]),
        ("float v = 0;\nif (i < n) { v = a[i]; }\nout[i] = v;", &["ends before this access"]),
        ("if (i < n) out[i + 1] = a[i];", &["tests `i`, which is 15", "`i + 1`, which is 16"]),
        ("if (i < n) out[2 * i] = a[i];", &["tests `i`", "`2 * i`, which is 16"]),
    ]);
}

#[test]
fn arithmetic_that_wraps_around_or_goes_below_zero() {
    all(&[
        (
            "int big = 1 << 20; if (i < n) out[(i + 1) * big * 2048] = 1;",
            &["does not fit in a 32-bit `int`", "64 bits"],
        ),
        ("int big = 2000000000 + (n << 24); if (i < n) out[big + i] = 1;", &["does not fit", "`int`"]),
        ("if (i < n) out[i] = a[threadIdx.x - 1];", &["`threadIdx.x - 1` is unsigned", "-1 wraps"]),
        ("unsigned u = threadIdx.x; if (i < n) out[i] = a[u - n];", &["unsigned", "-16 wraps"]),
        ("if (i < n) out[i] = a[(i - 3) % n];", &["`(i - 3) % n` is negative", "(-3)"]),
        ("int j = i - 3; j %= n; if (i < n) out[i] = a[j];", &["is negative in this thread: the remainder"]),
        ("if (i < n) out[i] = a[i - 1];", &["`i - 1` is 0 - 1", "`>= 0`"]),
        (
            "float s = 0; for (int d = -2; d <= 2; d++) if (i < n) s += a[i + d]; out[0] = s;",
            &["`i + d` is 0 - 2"],
        ),
    ]);
}

#[test]
fn an_index_from_memory() {
    let said = said("if (threadIdx.x < n) out[a[threadIdx.x] + n] = 1;", "int", 16);
    assert!(said.contains("`a[threadIdx.x]`, which was read from memory and is 0 here"), "{said}");
}

#[test]
fn a_wider_type() {
    let half =
        "int i = threadIdx.x; if (2 * i < n) reinterpret_cast<half2 *>(out)[i] = ((const half2 *)a)[i];";
    let said_half = said(half, "half", 7);
    assert!(
        said_half
            .contains("an access of 4 bytes at `a[6]` extends outside `a`, which has 7 elements of 2 bytes"),
        "{said_half}"
    );
    assert!(said_half.contains("`if (2 * i + 1 < n)`"), "{said_half}");
    let double = "int i = 2 * threadIdx.x; if (i < n) *(double2 *)&out[i] = make_double2(0, 0);";
    let said_double = said(double, "double", 7);
    assert!(said_double.contains("an access of 16 bytes at `out[6]`"), "{said_double}");
    assert!(said_double.contains("`if (i + 1 < n)`"), "{said_double}");
    let four = "int i = threadIdx.x; if (i * 4 < n) ((float4 *)out)[i] = make_float4(0, 0, 0, 0);";
    let said_four = said(four, "float", 15);
    assert!(said_four.contains("at `out[12]`") && said_four.contains("`if (4 * i + 3 < n)`"), "{said_four}");
}

#[test]
fn no_halo_where_nothing_is_subtracted_and_no_thread_where_the_index_is_that_of_a_loop() {
    let negative = said("int m = -n; if (threadIdx.x < n) out[m + threadIdx.x % 2] = 1;", "float", 16);
    assert!(!negative.contains("halo"), "{negative}");
    let counted = said("for (int j = 0; j < 99; j += 3) out[j] = a[0];", "float", 16);
    assert!(counted.contains("`j < 99`") && !counted.contains("thread"), "{counted}");
    let mixed = said("unsigned h = threadIdx.x * 2654435761u; out[h % 64] = 1;", "float", 16);
    assert!(!mixed.contains("does not fit"), "{mixed}");
}
