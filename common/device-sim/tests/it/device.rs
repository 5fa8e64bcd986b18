//! The simulated device from text to report: what a user of the `Device` trait sees.

use device::{
    Allowance, Argument, BufferId, CompileOptions, Device, DeviceError, KernelFile, LaunchOptions,
    LaunchReport, LaunchRequest, LaunchShape, Messages, POISON, ProgramInfo,
};
use device_sim::{DeviceModel, SimDevice};

fn device_of(model: &str) -> SimDevice {
    let mut device = SimDevice::new(&DeviceModel::named(model).unwrap());
    device.options_mut().every_mode = true;
    // A loop without end is run in each mode.
    device.options_mut().instruction_budget = 2_000_000;
    device
}

fn compile(device: &mut SimDevice, text: &str) -> ProgramInfo {
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(m)) => panic!("{}", all(&m)),
        Err(error) => panic!("{error}"),
    }
}

fn all(messages: &Messages) -> String {
    let full = |d| source::render::full(&messages.sources, d, false) + "\n";
    messages.diagnostics.iter().map(full).collect()
}

fn floats(device: &mut SimDevice, values: &[f32]) -> BufferId {
    let buffer = device.alloc(values.len() as u64 * 4).unwrap();
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    device.write(buffer, 0, &bytes).unwrap();
    buffer
}

fn read(device: &mut SimDevice, buffer: BufferId, len: usize) -> Vec<f32> {
    let mut bytes = vec![0; len * 4];
    device.read(buffer, 0, &mut bytes).unwrap();
    bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn line(blocks: u32, threads: u32) -> LaunchShape {
    LaunchShape { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 }
}

/// Runs a kernel `k(const float *in, float *out, int n)` over 100 elements in blocks of 64.
fn run(text: &str) -> Result<LaunchReport, DeviceError> {
    let mut device = device_of("h200");
    let program = compile(&mut device, text);
    let input = floats(&mut device, &(0..100).map(|i| i as f32).collect::<Vec<_>>());
    let output = device.alloc(400).unwrap();
    let arguments = [Argument::Buffer(input), Argument::Buffer(output), Argument::I32(100)];
    device.launch(&LaunchRequest::new(program.id, "k", line(2, 64), &arguments))
}

/// The diagnosis of a launch that must fail: its code and full text.
fn diagnosis(body: &str) -> (&'static str, String) {
    let text = format!("__global__ void k(const float *in, float *out, int n) {{\n{body}\n}}\n");
    match run(&text) {
        Err(DeviceError::Launch { messages, .. }) => (messages.diagnostics[0].code.as_str(), all(&messages)),
        Err(error) => panic!("{error}"),
        Ok(report) => panic!("no diagnosis\n{text}{report:?}"),
    }
}

const INDEX: &str = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

#[test]
fn a_kernel_runs_and_reports() {
    let text = "constexpr int SCALE = 3;\n__global__ void k(const float *in, float *out, int n) {\n    // index\n    \
                int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = SCALE * in[i];\n}\n";
    let mut device = device_of("h200");
    let program = compile(&mut device, text);
    assert_eq!(program.integer("SCALE"), Some(3));
    let kernel = program.kernel("k").unwrap();
    assert_eq!((kernel.source_lines, kernel.line), (4, 2));
    let spellings: Vec<&str> = kernel.parameters.iter().map(|p| p.spelling.as_str()).collect();
    assert_eq!(spellings, ["const float *", "float *", "int"]);

    let input = floats(&mut device, &(0..100).map(|i| i as f32).collect::<Vec<_>>());
    let output = device.alloc(400).unwrap();
    let arguments = [Argument::Buffer(input), Argument::Buffer(output), Argument::I32(100)];
    let report = device.launch(&LaunchRequest::new(program.id, "k", line(2, 64), &arguments)).unwrap();
    let expected: Vec<f32> = (0..100).map(|i| 3.0 * i as f32).collect();
    assert_eq!(read(&mut device, output, 100), expected);

    let counters = report.counters.unwrap();
    assert_eq!((counters.global_load_requests, counters.global_load_sectors), (4, 13));
    let loads: Vec<(u32, u64)> = report
        .lines
        .iter()
        .filter(|l| l.counters.global_load_requests > 0)
        .map(|l| (l.line, l.counters.global_load_requests))
        .collect();
    assert_eq!(loads, [(5, 4)]);
    let modelled = report.modelled.unwrap();
    assert_eq!(modelled.model, "h200");
    assert!(modelled.seconds > 1e-6 && report.measured.is_none());
    assert_eq!(report.occupancy.unwrap().blocks, 32);
}

#[test]
fn faults_are_diagnosed_with_place_and_name() {
    let cases = [
        ("out[i] = in[i];", "out-of-bounds", "`in[100]` is outside `in`, which has 100 elements of 4 bytes"),
        ("if (i < n) out[i] = in[i - 1];", "out-of-bounds", "`in[-1]` is outside `in`"),
        ("if (i < n) out[i] = n / (i - 5);", "division-by-zero", "divided by zero"),
        ("if (i < n) out[0] = in[i];", "global-memory-race", "two threads of a block use `out[0]`"),
        (
            "if (i >= n) return;\n    __syncthreads();\n    out[i] = 0.0f;",
            "barrier-divergence",
            "has already returned",
        ),
        (
            "if (threadIdx.x < 32) __syncthreads();",
            "barrier-divergence",
            "all threads of the block must reach",
        ),
        ("while (n > 0) { if (i < n) out[i] = in[i]; }", "instruction-budget", "did not end"),
        ("if (i < n) out[i] = out[i] + 1.0f;", "uninitialized-read", "`out[0]` is read before"),
        ("float *p = nullptr; if (i < n) *p = 1.0f;", "null-pointer", "a null pointer is used"),
    ];
    for (body, code, part) in cases {
        let (found, text) = diagnosis(&format!("{INDEX}    {body}"));
        assert_eq!(found, code, "{body}\n{text}");
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
        assert!(text.contains("--> k.cu:"), "{text}");
    }
}

#[test]
fn a_missing_barrier_names_both_lines() {
    let body = format!(
        "{INDEX}    __shared__ float tile[64];\n    tile[threadIdx.x] = i < n ? in[i] : 0.0f;\n    \
         if (i < n) out[i] = tile[63 - threadIdx.x];"
    );
    let (code, text) = diagnosis(&body);
    assert_eq!(code, "shared-memory-race");
    for part in [
        "k.cu:5:",
        "4 |     tile[threadIdx.x] =",
        "- earlier write",
        "^ read",
        "write is by thread (32, 0, 0)",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

#[test]
fn launches_over_the_limits_are_refused() {
    let mut device = device_of("h200");
    let program = compile(&mut device, "__global__ void k() { }\n");
    let code = |result: Result<LaunchReport, DeviceError>| match result {
        Err(DeviceError::Launch { messages: m, .. }) => m.diagnostics[0].code.as_str(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        code(device.launch(&LaunchRequest::new(program.id, "k", line(1, 1025), &[]))),
        "block-too-large"
    );
    assert_eq!(code(device.launch(&LaunchRequest::new(program.id, "k", line(0, 32), &[]))), "empty-launch");
    let large = LaunchShape { dynamic_shared: 300_000, ..line(1, 32) };
    assert_eq!(code(device.launch(&LaunchRequest::new(program.id, "k", large, &[]))), "shared-memory-limit");
    let mut old = device_of("gtx260");
    let program = compile(&mut old, "__global__ void k() { }\n");
    assert_eq!(
        code(old.launch(&LaunchRequest::new(program.id, "k", line(1, 1024), &[]))),
        "block-too-large",
        "512 is its limit"
    );
}

#[test]
fn launches_share_what_they_may_execute() {
    let mut device = device_of("h200");
    let text = "__global__ void k(int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s = s * i + 7; x[threadIdx.x] += s; }\n";
    let program = compile(&mut device, text);
    let buffer = device.alloc(128).unwrap();
    device.write(buffer, 0, &[0; 128]).unwrap();
    let arguments = [Argument::Buffer(buffer), Argument::I32(1000)];
    let request = LaunchRequest::new(program.id, "k", line(1, 32), &arguments);
    let launch = |device: &mut SimDevice, allowance: Option<Allowance>| {
        device.launch(&request.clone().with(LaunchOptions { allowance, ..LaunchOptions::default() }))
    };
    // What one costs, which is no less than its instructions.
    let costs = (1..).map(|steps| 500 * steps);
    let one = { costs }.find(|total| launch(&mut device, Some(Allowance::new(*total))).is_ok()).unwrap();
    // With no common limit each has its own.
    assert!(one >= launch(&mut device, None).unwrap().counters.unwrap().warp_instructions);
    let mut shared = Allowance::new(3 * one + one / 2);
    for _ in 0..3 {
        let launched = launch(&mut device, Some(shared));
        shared.spend(&launched);
        assert!(launched.is_ok_and(|report| (1..=one).contains(&report.work)));
    }
    let fourth = launch(&mut device, Some(shared));
    shared.spend(&fourth);
    assert_eq!(shared.left, 0, "a launch that is stopped has spent the rest");
    let Err(DeviceError::Launch { messages: stopped, .. }) = fourth else {
        panic!("the fourth is one too many")
    };
    assert_eq!(stopped.diagnostics[0].code, "instruction-budget");
    let total = 3 * one + one / 2;
    let title = format!("the kernel was stopped: its launches together may cost {total} units of work");
    assert_eq!(stopped.diagnostics[0].title, title, "what all may execute, not what is left");
}

#[test]
fn wrong_uses_are_errors_and_never_panics() {
    let mut device = device_of("h200");
    let program = compile(&mut device, "__constant__ float c[4];\n__global__ void k(float *x, int n) { }\n");
    let buffer = device.alloc(16).unwrap();
    let x = Argument::Buffer(buffer);
    let is_use = |e: DeviceError| matches!(e, DeviceError::Use(_));
    let mut launch = |name: &str, arguments: &[Argument]| {
        device.launch(&LaunchRequest::new(program.id, name, line(1, 1), arguments))
    };
    assert!(is_use(launch("none", &[]).unwrap_err()));
    assert!(is_use(launch("k", &[x]).unwrap_err()));
    assert!(is_use(launch("k", &[x, x]).unwrap_err()));
    assert!(is_use(launch("k", &[x, Argument::F32(1.0)]).unwrap_err()));
    assert!(is_use(launch("k", &[Argument::Buffer(BufferId(99)), Argument::I32(1)]).unwrap_err()));
    launch("k", &[x, Argument::I32(1)]).unwrap();
    assert!(is_use(device.set_symbol(program.id, "d", &[0; 4]).unwrap_err()));
    assert!(is_use(device.set_symbol(program.id, "c", &[0; 20]).unwrap_err()));
    assert!(is_use(device.write(buffer, 8, &[0; 12]).unwrap_err()));
    let huge = device::TextureDescription {
        element: device::Element::F32,
        channels: 1,
        extent: [u32::MAX; 3],
        linear: false,
        layers: device::TextureLayers::None,
        normalized_read: false,
        address: device::AddressMode::Clamp,
        filter: device::FilterMode::Point,
        normalized: false,
    };
    assert!(is_use(device.create_texture(buffer, &huge).unwrap_err()));
    device.free(buffer).unwrap();
    assert!(is_use(device.free(buffer).unwrap_err()));
    assert!(matches!(device.alloc(u64::MAX).unwrap_err(), DeviceError::OutOfMemory { .. }));
}

#[test]
fn memory_is_poisoned_limited_and_accounted() {
    let mut device = device_of("h200");
    let buffer = device.alloc(8).unwrap();
    let mut bytes = [0; 8];
    device.read(buffer, 0, &mut bytes).unwrap();
    assert_eq!(bytes[..4], POISON.to_le_bytes());
    device.write(buffer, 0, &[1; 8]).unwrap();
    device.poison(buffer).unwrap();
    device.read(buffer, 0, &mut bytes).unwrap();
    assert_eq!(bytes[4..], POISON.to_le_bytes());
    let transfers = device.transfers();
    assert_eq!((transfers.to_device, transfers.to_host, transfers.peak_allocated), (8, 16, 8));
    device.limit_memory(Some(1024));
    let error = device.alloc(1020).unwrap_err();
    assert!(matches!(error, DeviceError::OutOfMemory { asked: 1020, free: 1016, total: 1024 }), "{error:?}");
    device.reset_transfers();
    assert_eq!(device.transfers().to_host, 0);
}

#[test]
fn defines_override_constants_of_the_file() {
    let text =
        "#ifndef TILE\n#define TILE 16\n#endif\n__global__ void k(int *x) { x[threadIdx.x] = TILE; }\n";
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let mut device = device_of("h200");
    let options = CompileOptions { defines: vec![("TILE".into(), "8".into())], ..CompileOptions::default() };
    assert_eq!(device.compile(&file, &options).unwrap().integer("TILE"), Some(8));
    assert_eq!(device.compile(&file, &CompileOptions::default()).unwrap().integer("TILE"), Some(16));
}

#[test]
fn every_error_of_a_file_is_reported() {
    let text = "__global__ void k(float *x) {\n    x[0] = y;\n    x[1] = z;\n}\n";
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let error = device_of("h200").compile(&file, &CompileOptions::default()).unwrap_err();
    let DeviceError::Compile(messages) = error else { panic!("{error}") };
    let lines: Vec<String> =
        messages.diagnostics.iter().map(|d| source::render::concise(&messages.sources, d)).collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("k.cu:2:") && lines[1].starts_with("k.cu:3:"),
        "{lines:?}"
    );
}

#[test]
fn an_older_device_pays_for_uncoalesced_access() {
    let text = "__global__ void k(const float *in, float *out, int stride) {\n    \
                int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = in[i * stride];\n}\n";
    let time = |model: &str, stride: usize| {
        let mut device = device_of(model);
        let program = compile(&mut device, text);
        let threads = 64 * 256;
        let input = floats(&mut device, &vec![1.0; threads * stride]);
        let output = device.alloc(threads as u64 * 4).unwrap();
        let arguments = [Argument::Buffer(input), Argument::Buffer(output), Argument::I32(stride as i32)];
        let report = device.launch(&LaunchRequest::new(program.id, "k", line(64, 256), &arguments)).unwrap();
        report.modelled.unwrap().seconds
    };
    let slowdown = |model: &str| time(model, 16) / time(model, 1);
    assert!(slowdown("gtx260") > 2.0 * slowdown("h200"), "{} {}", slowdown("gtx260"), slowdown("h200"));
}

#[test]
fn only_read_only_loads_use_the_l1_of_an_older_device() {
    // The second load's sectors are among the first's.
    let kernel = |load: &str| {
        let (a, b) = (load.replace('@', "i / 2"), load.replace('@', "i / 4"));
        format!(
            "__global__ void k(const float *in, float *out, int n) {{\n{INDEX}    if (i < n) out[i] = {a} + {b};\n}}\n"
        )
    };
    let hits = |model: &str, load: &str| {
        let mut device = device_of(model);
        let program = compile(&mut device, &kernel(load));
        let (input, output) = (floats(&mut device, &[1.0; 256]), device.alloc(1024).unwrap());
        let arguments = [Argument::Buffer(input), Argument::Buffer(output), Argument::I32(255)];
        let report = device.launch(&LaunchRequest::new(program.id, "k", line(4, 64), &arguments)).unwrap();
        report.counters.unwrap().l1_load_sector_hits
    };
    assert!(hits("h200", "in[@]") > 0);
    assert_eq!(hits("gtx980", "in[@]"), 0);
    assert!(hits("gtx980", "__ldg(in + @)") > 0);
}

#[test]
fn cooperative_groups_of_blocks_and_tiles() {
    let text = include_str!("../../../cuda-front/tests/kernels/groups.cu");
    let mut device = device_of("h200");
    let program = compile(&mut device, text);
    let values: Vec<i32> = (0..64).map(|i| (i * 7) % 11).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let input = device.alloc(256).unwrap();
    device.write(input, 0, &bytes).unwrap();
    let output = device.alloc(1024).unwrap();
    let arguments = [Argument::Buffer(input), Argument::Buffer(output)];
    let shape = LaunchShape { grid: [1, 1, 1], block: [8, 4, 2], dynamic_shared: 0 };
    device.launch(&LaunchRequest::new(program.id, "tiles", shape, &arguments)).unwrap();
    let mut bytes = vec![0; 1024];
    device.read(output, 0, &mut bytes).unwrap();
    let got: Vec<i32> = bytes.chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).collect();
    for rank in 0..64 {
        let (tile, warp) = (&values[rank / 8 * 8..][..8], &values[rank / 32 * 32..][..32]);
        let votes: i32 = tile.iter().enumerate().map(|(i, v)| i32::from(*v > 3) << i).sum();
        let any = i32::from(warp.contains(&9));
        let want = [
            tile.iter().sum(),
            *warp.iter().max().unwrap(),
            votes * 100 + (rank % 8) as i32 * 10 + (rank / 8) as i32,
            any + 2 + 640,
        ];
        assert_eq!(got[4 * rank..][..4], want, "thread {rank}");
    }
}

#[test]
fn rarer_functions_of_the_math_library() {
    let text = "__global__ void k(const float *in, float *out, int n) {\n    int i = threadIdx.x;\n    float x = in[i];\n    \
                switch (i) {\n    case 0: x = asinhf(x); break;\n    case 1: x = acoshf(x); break;\n    case 2: x = \
                atanhf(x); break;\n    case 3: x = remainderf(x, 2.0f); break;\n    case 4: x = lgammaf(x); break;\n    \
                case 5: x = tgammaf(x); break;\n    case 6: x = normcdff(x); break;\n    case 7: x = ldexpf(x, n); \
                break;\n    case 8: x = scalbnf(x, -n * 1000); break;\n    case 9: x = norm4df(x, 1.0f, 2.0f, 4.0f); \
                break;\n    }\n    out[i] = x;\n}\n";
    let mut device = device_of("h200");
    let program = compile(&mut device, text);
    let input = floats(&mut device, &[0.75, 2.5, 0.5, 7.0, 0.25, 4.5, 1.0, 3.0, 1e30, 2.0]);
    let output = device.alloc(40).unwrap();
    let arguments = [Argument::Buffer(input), Argument::Buffer(output), Argument::I32(3)];
    device.launch(&LaunchRequest::new(program.id, "k", line(1, 10), &arguments)).unwrap();
    // Values of Python's math module, to 9 digits.
    let ln_2 = std::f64::consts::LN_2;
    let want: [f64; 10] =
        [ln_2, 1.56679924, 0.549306144, -1.0, 1.2880225, 11.6317284, 0.841344746, 24.0, 0.0, 5.0];
    for (got, want) in read(&mut device, output, 10).into_iter().map(f64::from).zip(want) {
        assert!((got - want).abs() <= want.abs() * 2e-7, "{got} for {want}");
    }
}

#[test]
fn managed_variables_are_shared_with_the_host() {
    let text = "__managed__ int total; __managed__ float table[3] = {1, 2, 4};
        __global__ void k() { atomicAdd(&total, (int)table[threadIdx.x]); if (threadIdx.x == 2) table[2] = 9; }";
    let mut device = device_of("h200");
    let program = compile(&mut device, text);
    device.set_symbol(program.id, "total", &100i32.to_le_bytes()).unwrap();
    device.launch(&LaunchRequest::new(program.id, "k", line(1, 3), &[])).unwrap();
    let mut total = [0; 4];
    device.read_symbol(program.id, "total", &mut total).unwrap();
    assert_eq!(i32::from_le_bytes(total), 107);
    let mut table = [0; 12];
    device.read_symbol(program.id, "table", &mut table).unwrap();
    assert_eq!(table[8..], 9f32.to_le_bytes());
    assert!(device.read_symbol(program.id, "total", &mut [0; 5]).is_err());
    assert!(device.read_symbol(program.id, "none", &mut []).is_err());
    assert_eq!(device.variable(program.id, "table").unwrap().spelling, "float");
}

/// A kernel in which each of so many lines stores what other threads have stored.
fn many_equal_stores(lines: usize) -> String {
    let stores = "    out[0] = 1;\n".repeat(lines);
    format!(
        "__global__ void k(const float *in, float *out, int n) {{\n{stores}    float v;\n    if (n < 0) v = 1;\n    out[1] = v;\n}}\n"
    )
}

#[test]
fn warnings_of_a_kind_end_and_hide_none_of_another_kind() {
    let codes = |text: &str| -> Vec<&'static str> {
        let messages = run(text).unwrap().warnings;
        messages.diagnostics.iter().map(|d| d.code.as_str()).collect()
    };
    // A line is told once for each line whose store it finds there.
    let few = codes(&many_equal_stores(4));
    assert!(few.contains(&"same-value") && few.contains(&"uninitialized-variable"), "{few:?}");
    assert!(!few.contains(&"too-many-errors"), "{few:?}");
    let many = codes(&many_equal_stores(500));
    assert_eq!(many.iter().filter(|code| **code == "same-value").count(), 32);
    assert!(many.contains(&"uninitialized-variable"), "{many:?}");
    assert_eq!(many.last(), Some(&"too-many-errors"));
    assert_eq!(many.len(), 32 + 1 + 1);
}

#[test]
fn a_file_that_is_not_supported_still_says_how_its_kernels_are_called() {
    let mut device = device_of("h200");
    let text = "struct Pair { int a; float b; };\n\
                __device__ auto twice(int x) { return 2 * x; }\n\
                template <typename T> __device__ T one() { int Pair::*m = &Pair::a; return T(m != 0); }\n\
                __global__ void k(float *out, Pair pair, int n) { int Pair::*p = &Pair::a; out[0] = twice(one<int>() + pair.*p) + pair.b; }\n\
                __constant__ float table[4];\n";
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    assert!(matches!(device.compile(&file, &CompileOptions::default()), Err(DeviceError::Compile(_))));
    let program = match device.declarations(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(messages)) => panic!("{}", all(&messages)),
        Err(error) => panic!("{error}"),
    };
    let bytes: Vec<u64> = program.kernels[0].arguments.iter().map(|a| a.bytes).collect();
    assert_eq!((program.kernels[0].name.as_str(), bytes), ("k", vec![8, 8, 4]));
    assert_eq!(program.symbols[0].name, "table");
}
