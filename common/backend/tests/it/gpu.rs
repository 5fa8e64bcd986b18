//! What a GPU must do besides giving correct results.

use crate::{open, words};
use device::{
    AddressMode, Argument, BufferId, CompileOptions, Device, DeviceError, Element, FilterMode, KernelFile,
    LaunchOptions, LaunchReport, LaunchRequest, LaunchShape, ProgramInfo, TextureDescription, TextureLayers,
};
use libtest_mimic::Failed;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Test = fn() -> Result<(), Failed>;

pub(crate) const TESTS: &[(&str, Test)] = &[
    ("a_fault_is_diagnosed", || child("fault")),
    ("a_kernel_that_does_not_end_is_told_and_the_process_ends", || child("endless")),
    ("what_is_written_beside_a_buffer_is_found", guard_zones),
    ("a_large_allocation_is_out_of_memory", out_of_memory),
    ("a_block_that_is_too_large_is_named", block_too_large),
    ("timing_leaves_what_one_launch_wrote", timing_leaves_one_launch),
    ("a_measured_copy_is_no_faster_than_the_memory", copy_is_bounded),
    ("results_that_differ_between_launches_are_told", differing_results),
    ("textures_read_as_on_the_simulator", textures),
    ("registers_are_those_of_the_compiler", registers),
    ("a_cooperative_launch_waits_for_all_blocks", cooperative),
    ("variables_are_read_back", variables),
    ("what_a_kernel_prints_is_in_the_report", printed),
    ("variables_that_no_kernel_uses_are_no_errors", unused_variables),
    ("what_the_simulator_does_not_support_runs_all_the_same", not_supported),
];

fn said(error: DeviceError) -> Failed {
    words(&error).into()
}

fn compile(device: &mut dyn Device, text: &str) -> Result<ProgramInfo, Failed> {
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    device.compile(&file, &CompileOptions::default()).map_err(said)
}

fn launch(
    device: &mut dyn Device,
    program: &ProgramInfo,
    shape: [u32; 2],
    arguments: &[Argument],
) -> Result<LaunchReport, DeviceError> {
    launch_with(device, program, shape, arguments, LaunchOptions::default())
}

fn launch_timed(
    device: &mut dyn Device,
    program: &ProgramInfo,
    shape: [u32; 2],
    arguments: &[Argument],
) -> Result<LaunchReport, DeviceError> {
    let options = LaunchOptions { timed: true, ..LaunchOptions::default() };
    launch_with(device, program, shape, arguments, options)
}

fn launch_with(
    device: &mut dyn Device,
    program: &ProgramInfo,
    [grid, block]: [u32; 2],
    arguments: &[Argument],
    options: LaunchOptions,
) -> Result<LaunchReport, DeviceError> {
    let shape = LaunchShape { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared: 0 };
    let request = LaunchRequest::new(program.id, &program.kernels[0].name, shape, arguments);
    device.launch(&request.with(options))
}

fn zeros(device: &mut dyn Device, bytes: u64) -> Result<BufferId, Failed> {
    let buffer = device.alloc(bytes).map_err(said)?;
    device.write(buffer, 0, &vec![0; bytes as usize]).map_err(said)?;
    Ok(buffer)
}

fn word(device: &mut dyn Device, buffer: BufferId) -> Result<u32, Failed> {
    let mut bytes = [0; 4];
    device.read(buffer, 0, &mut bytes).map_err(said)?;
    Ok(u32::from_le_bytes(bytes))
}

fn expect(condition: bool, what: impl Into<String>) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(what.into().into()) }
}

const COUNT: &str = "__global__ void count(unsigned *p) { atomicAdd(p, 1u); }";

fn fault() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let count = compile(device, COUNT)?;
    let wild = compile(device, "__global__ void wild(int *p, int far) { p[(long long)far * far] = 1; }")?;
    let buffer = zeros(device, 64)?;
    let arguments = [Argument::Buffer(buffer), Argument::I32(2_000_000)];
    let Err(error) = launch(device, &wild, [1, 1], &arguments) else {
        return Err("a wild store went unnoticed".into());
    };
    let text = words(&error);
    expect(text.contains("gpu-illegal-address"), text.clone())?;
    expect(text.contains("out-of-bounds") && text.contains("k.cu:1"), format!("no diagnosis in\n{text}"))?;
    // The driver may or may not let the process go on: either the device works, or it says that it cannot.
    match device.write(buffer, 0, &[0; 64]) {
        Err(error) => expect(words(&error).contains("no more work from this process"), words(&error)),
        Ok(()) => {
            launch(device, &count, [4, 32], &[Argument::Buffer(buffer)]).map_err(said)?;
            expect(word(device, buffer)? == 128, "the device does not go on after a fault")
        }
    }
}

/// A store just outside of a buffer is no fault of the GPU's; the guard zones show it, and the simulator names the line.
fn guard_zones() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let beside = compile(device, "__global__ void beside(int *p, int at) { p[at + (int)threadIdx.x] = 1; }")?;
    let buffer = zeros(device, 40)?;
    let arguments = |at| [Argument::Buffer(buffer), Argument::I32(at)];
    launch(device, &beside, [1, 10], &arguments(0)).map_err(said)?;
    for (at, side) in [(8, "behind"), (-3, "before"), (7, "behind")] {
        let Err(error) = launch(device, &beside, [1, 4], &arguments(at)) else {
            return Err(format!("stores from element {at} on went unnoticed").into());
        };
        let text = words(&error);
        expect(text.contains(&format!("`beside` writes {side} `p`, which has 40 bytes")), text.clone())?;
        expect(
            text.contains("out-of-bounds") && text.contains("k.cu:1"),
            format!("no diagnosis in\n{text}"),
        )?;
    }
    launch(device, &beside, [1, 10], &arguments(0)).map_err(said)?;
    expect(word(device, buffer)? == 1, "the device does not go on")
}

fn endless() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let endless =
        compile(device, "__global__ void endless(volatile int *p) { while (p[0] == 0) p[1] = 1; }")?;
    let buffer = zeros(device, 8)?;
    let error = launch(device, &endless, [1, 1], &[Argument::Buffer(buffer)]).err();
    let text = error.map(|e| words(&e)).unwrap_or_default();
    expect(text.contains("gpu-time-limit"), text)?;
    let after = device.read(buffer, 0, &mut [0; 4]).err().map(|e| words(&e)).unwrap_or_default();
    expect(after.contains("still runs"), format!("after it: {after}"))
}

/// Names the test that a child process runs: a fault takes the whole process.
pub(crate) const CHILD: &str = "CONFORMANCE_CHILD";

/// What a child process is for.
pub(crate) fn run_as_child(name: &str) -> Result<(), Failed> {
    match name {
        "fault" => fault(),
        "endless" => endless(),
        other => Err(format!("{CHILD} is `{other}`").into()),
    }
}

/// How long a child may take, from making a context to its end.
const CHILD_LIMIT: Duration = Duration::from_secs(60);

fn child(name: &str) -> Result<(), Failed> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut child = Command::new(program);
    child.env(CHILD, name).env("LAB_TIME_LIMIT", "2").stderr(Stdio::piped());
    let mut child = child.spawn().map_err(|e| e.to_string())?;
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if begin.elapsed() > CHILD_LIMIT => {
                child.kill().map_err(|e| e.to_string())?;
                return Err("the process did not end".into());
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    let mut text = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut text).map_err(|e| e.to_string())?;
    }
    expect(status.success(), text)
}

fn out_of_memory() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    match device.alloc(1 << 50) {
        Err(DeviceError::OutOfMemory { asked, free, total }) => {
            expect(asked == 1 << 50 && free <= total && total > 0, "numbers of memory")
        }
        Err(other) => Err(said(other)),
        Ok(_) => Err("a petabyte was allocated".into()),
    }
}

fn block_too_large() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    let count = compile(device.as_mut(), COUNT)?;
    let buffer = zeros(device.as_mut(), 4)?;
    let error = launch(device.as_mut(), &count, [1, 2048], &[Argument::Buffer(buffer)]).err();
    let text = error.map(|e| words(&e)).unwrap_or_default();
    expect(text.contains("block-too-large"), text)
}

fn timing_leaves_one_launch() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let text = "__device__ unsigned total;
        __global__ void count(unsigned *p) { atomicAdd(p, 1u); if (threadIdx.x == 0) p[1] = atomicAdd(&total, 1u); }";
    let count = compile(device, text)?;
    let buffer = zeros(device, 8)?;
    for launches in 1..=2_u32 {
        let report = launch_timed(device, &count, [1, 64], &[Argument::Buffer(buffer)]).map_err(said)?;
        let time = report.measured.ok_or("no measured time")?;
        let seconds = time.seconds;
        expect(seconds > 0.0 && seconds < 1e-3, format!("{seconds} s for a tiny kernel"))?;
        expect(time.launches >= 100 && !time.cold_cache, format!("{time:?}"))?;
        expect(word(device, buffer)? == 64 * launches, "launches that only timed left their traces")?;
        let mut bytes = [0; 4];
        device.read(buffer, 4, &mut bytes).map_err(said)?;
        expect(u32::from_le_bytes(bytes) == launches - 1, "a variable kept what timing did to it")?;
    }
    Ok(())
}

fn copy_is_bounded() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let text = "__global__ void copy(float4 *to, const float4 *from, unsigned n) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) to[i] = from[i];
    }";
    let copy = compile(device, text)?;
    for mib in [16_u64, 1024] {
        let bytes = mib << 20;
        let (to, from) = (device.alloc(bytes).map_err(said)?, device.alloc(bytes).map_err(said)?);
        let elements = (bytes / 16) as u32;
        let arguments = [Argument::Buffer(to), Argument::Buffer(from), Argument::U32(elements)];
        let report = launch_timed(device, &copy, [elements / 256, 256], &arguments).map_err(said)?;
        let time = report.measured.ok_or("no measured time")?;
        let (rate, bound) = (2.0 * bytes as f64 / time.seconds, device.info().memory_bandwidth);
        println!("a copy of {mib} MiB: {:.1} GB/s of {:.1} ({time:?})", rate / 1e9, bound / 1e9);
        expect(time.cold_cache, "the copies do not go past the cache")?;
        expect(rate < bound, format!("{rate} bytes/s are more than the memory's {bound}"))?;
        expect(rate > 0.4 * bound, format!("{rate} bytes/s are far from the memory's {bound}"))?;
        device.free(to).and_then(|()| device.free(from)).map_err(said)?;
    }
    Ok(())
}

fn differing_results() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let clock = compile(device, "__global__ void now(long long *p) { *p = clock64(); }")?;
    let buffer = device.alloc(8).map_err(said)?;
    let report = launch_timed(device, &clock, [1, 1], &[Argument::Buffer(buffer)]).map_err(said)?;
    let codes: Vec<&str> = report.warnings.diagnostics.iter().map(|d| d.code.as_str()).collect();
    expect(codes == ["results-differ-between-launches"], format!("{codes:?}"))
}

fn textures() -> Result<(), Failed> {
    let texel = |address, linear, extent| TextureDescription {
        element: Element::F32,
        channels: 1,
        extent,
        linear,
        layers: TextureLayers::None,
        normalized_read: false,
        address,
        filter: FilterMode::Point,
        normalized: false,
    };
    let fetch = "__global__ void k(float *out, cudaTextureObject_t t) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = tex1Dfetch<float>(t, i % 100);
    }";
    let planar = "__global__ void k(float *out, cudaTextureObject_t t) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = tex2D<float>(t, (float)(i % 20) - 2.5f, (float)(i / 20) - 1.5f);
    }";
    let cases = [
        (fetch, texel(AddressMode::Clamp, true, [128, 0, 0])),
        (planar, texel(AddressMode::Clamp, false, [16, 8, 0])),
        (planar, texel(AddressMode::Border, false, [16, 8, 0])),
    ];
    for (text, what) in cases {
        let mut results = Vec::new();
        for name in ["sim", "gpu"] {
            let mut device = open(name)?;
            let device = device.as_mut();
            let program = compile(device, text)?;
            let values: Vec<u8> = (0..128).flat_map(|i| (i as f32 + 0.5).to_le_bytes()).collect();
            let (texels, out) = (zeros(device, 512)?, zeros(device, 1024)?);
            device.write(texels, 0, &values).map_err(said)?;
            let texture = device.create_texture(texels, &what).map_err(said)?;
            let arguments = [Argument::Buffer(out), Argument::Texture(texture)];
            launch(device, &program, [8, 32], &arguments).map_err(said)?;
            let mut bytes = vec![0; 1024];
            device.read(out, 0, &mut bytes).map_err(said)?;
            results.push(bytes);
        }
        expect(results[0] == results[1], format!("the devices read otherwise through {what:?}"))?;
        expect(results[0].iter().any(|b| *b != 0), "only zeros were read")?;
    }
    Ok(())
}

fn registers() -> Result<(), Failed> {
    let mut device = open("gpu")?;
    let program = compile(device.as_mut(), COUNT)?;
    let registers = device.resources(program.id, &program.kernels[0].name).map_err(said)?.registers;
    expect((1..=255).contains(&registers), format!("{registers} registers"))
}

fn cooperative() -> Result<(), Failed> {
    let text = "#include <cooperative_groups.h>
        __global__ void sum(unsigned *p) {
            p[1 + blockIdx.x] = blockIdx.x + 1;
            cooperative_groups::this_grid().sync();
            if (blockIdx.x == 0) for (unsigned i = 0; i < gridDim.x; i++) p[0] += p[1 + i];
        }";
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let options = LaunchOptions { cooperative: true, stack_bytes: Some(2048), ..LaunchOptions::default() };
    let sum = compile(device, text)?;
    let buffer = zeros(device, 4 * 65)?;
    launch_with(device, &sum, [64, 1], &[Argument::Buffer(buffer)], options).map_err(said)?;
    let total = word(device, buffer)?;
    expect(total == 64 * 65 / 2, format!("{total} after the barrier of the grid"))?;
    let large = zeros(device, 4)?;
    let error = launch_with(device, &sum, [1 << 20, 1], &[Argument::Buffer(large)], options).err();
    let text = error.map(|e| words(&e)).unwrap_or_default();
    expect(text.contains("cooperative-launch-too-large"), text)?;
    let budget = LaunchOptions { instruction_budget: Some(10), ..LaunchOptions::default() };
    let refused = device.supports(&budget).err().map(|e| words(&e)).unwrap_or_default();
    expect(refused.contains("LAB_TIME_LIMIT"), refused)
}

fn variables() -> Result<(), Failed> {
    let text = "__device__ unsigned total; __constant__ unsigned step[2];
        __global__ void add(unsigned *p) { total = total + step[1]; p[0] = total; }";
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let add = compile(device, text)?;
    let buffer = zeros(device, 4)?;
    device.set_symbol(add.id, "total", &40_u32.to_le_bytes()).map_err(said)?;
    device.set_symbol(add.id, "step", &[0, 0, 0, 0, 2, 0, 0, 0]).map_err(said)?;
    launch(device, &add, [1, 1], &[Argument::Buffer(buffer)]).map_err(said)?;
    let mut bytes = [0; 4];
    device.read_symbol(add.id, "total", &mut bytes).map_err(said)?;
    expect(bytes == 42_u32.to_le_bytes(), format!("{bytes:?}"))?;
    let spelling = device.variable(add.id, "step").map(|v| v.spelling.clone()).unwrap_or_default();
    expect(spelling.contains("unsigned"), spelling)?;
    expect(device.read_symbol(add.id, "total", &mut [0; 5]).is_err(), "more bytes than it has were read")
}

/// Which variables stay is the compiler's choice: one that does not is named when it is asked for, and not before.
fn unused_variables() -> Result<(), Failed> {
    let text = "#include <cassert>
        __device__ const unsigned folded[2] = {3, 4};
        static __device__ unsigned unused = 7;
        __device__ unsigned calls() { static unsigned n = 5; return atomicAdd(&n, 1u); }
        __global__ void k(unsigned *p) { assert(p && \"no memory\"); p[0] = folded[1] + calls(); }";
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let program = compile(device, text)?;
    let buffer = zeros(device, 4)?;
    for expected in [9, 10] {
        launch(device, &program, [1, 1], &[Argument::Buffer(buffer)]).map_err(said)?;
        let found = word(device, buffer)?;
        expect(found == expected, format!("{found} for {expected}"))?;
    }
    match device.read_symbol(program.id, "unused", &mut [0; 4]) {
        Ok(()) => Ok(()),
        Err(error) => expect(words(&error).contains("no kernel uses the variable `unused`"), words(&error)),
    }
}

fn not_supported() -> Result<(), Failed> {
    let text = "__global__ void k(int *out) {
            struct Pair { int first, second; } pair = {5, 13};
            int Pair::*member = &Pair::second;
            out[0] = pair.*member;
        }";
    let mut device = open("gpu")?;
    let device = device.as_mut();
    let program = compile(device, text)?;
    let notes = &program.warnings.diagnostics;
    expect(notes.iter().any(|d| d.severity == source::Severity::Note), format!("{notes:?}"))?;
    let buffer = zeros(device, 4)?;
    launch(device, &program, [1, 1], &[Argument::Buffer(buffer)]).map_err(said)?;
    let found = word(device, buffer)?;
    expect(found == 13, format!("{found} for 13"))
}

/// One thread prints in an order that both devices keep.
fn printed() -> Result<(), Failed> {
    let text = "__global__ void say(int *p, int n) {
            for (int i = 0; i < n; i++) printf(\"line %d of %d: %5.2f %s\\n\", i, n, i * 0.25, \"100% é\");
        }
        __global__ void quiet(int *p, int n) { p[0] = n; }";
    let mut reports = Vec::new();
    for name in ["sim", "gpu"] {
        let mut device = open(name)?;
        let device = device.as_mut();
        let program = compile(device, text)?;
        let buffer = zeros(device, 4)?;
        for (lines, kernel) in [(3, 0), (2000, 0), (1, 1)] {
            let shape = LaunchShape { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
            let arguments = [Argument::Buffer(buffer), Argument::I32(lines)];
            let report = device.launch(&LaunchRequest::new(
                program.id,
                &program.kernels[kernel].name,
                shape,
                &arguments,
            ));
            reports.push(report.map_err(said)?.printed);
        }
    }
    let [sim, gpu] = [&reports[..3], &reports[3..]];
    expect(sim[0].lines().count() == 3 && sim[2].is_empty(), sim[0].clone())?;
    expect(sim == gpu, format!("the simulator printed\n{}and the GPU\n{}", sim[0], gpu[0]))
}
