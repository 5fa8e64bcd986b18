//! `compile` and `launch` on files of their own: verdicts, every kind of argument, JSON, hashes, and wrong use.

use crate::support::{Answer, Project};
use serde_json::Value;
use std::path::Path;

const KERNELS: &str = "\
__constant__ float mask[4];
__device__ int counter;
struct Pair { int count; float scale; };
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
template <typename T, int W> __global__ void reverse(const T *in, T *out) {
    __shared__ T tile[W];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[W - 1 - threadIdx.x];
}
__global__ void copy4(const float4 *in, float4 *out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void scale(Pair p, const double *in, double *out) {
    if (threadIdx.x < p.count) out[threadIdx.x] = in[threadIdx.x] * p.scale;
}
struct View { const float *data; Pair pair; char tag; double by; };
__global__ void inside(View v, float3 add, float *out) {
    if (threadIdx.x < v.pair.count) out[threadIdx.x] = v.data[threadIdx.x] * v.pair.scale + v.tag + v.by + add.z;
}
__global__ void masked(float *out) { out[threadIdx.x] = mask[threadIdx.x & 3]; if (threadIdx.x == 0) out[0] += counter; }
__global__ void fetch(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
__global__ void sample(cudaTextureObject_t t, float *out, int w) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x % w + 0.5f, threadIdx.x / w + 0.5f);
}
__global__ void volume(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex3D<float>(t, 0.5f, 0.5f, threadIdx.x + 0.5f); }
__global__ void add_one(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void flags(bool on, unsigned char small, long long wide, unsigned u, long long *out) {
    out[0] = on ? small + wide + u : -1;
}
__global__ void dynamic(float *out) {
    extern __shared__ float s[];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void bytes(const unsigned short *in, unsigned short *out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void endless(int *out) { while (true) out[0] = 1; }
__global__ void nothing() { printf(\"hello\\n\"); }
";

struct Bench(Project);

impl Bench {
    fn new() -> Bench {
        let project = Project::new();
        project.write("k.cu", KERNELS);
        Bench(project)
    }

    fn lab(&self, line: &str) -> Answer {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = self.0.lab(&words);
        answer.is_calm();
        answer
    }

    /// Launches a kernel of `k.cu` with `--json`; returns the object.
    fn json(&self, line: &str) -> Value {
        let answer = self.lab(&format!("launch k.cu --json {line}"));
        let [object] = &answer.json_lines()[..] else { panic!("{}{}", answer.out, answer.err) };
        let expected = i32::from(object["verdict"] != "ok");
        assert_eq!(answer.status, expected, "{}", answer.out);
        object.clone()
    }

    /// Launches; returns the data that `--dump` wrote to `out.npy`.
    fn data(&self, line: &str) -> Vec<u8> {
        let object = self.json(line);
        assert_eq!(object["verdict"], "ok", "{object}");
        npy_data(&self.0.path("out.npy")).1
    }

    fn floats(&self, line: &str) -> Vec<f32> {
        self.data(line).chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn refused(&self, line: &str, message: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        self.0.refused(&words, message);
    }
}

/// Header and data of a `.npy` file, parsed from the format's specification, independent of the tool's code.
fn npy_data(path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(start % 64, 0);
    (String::from_utf8(bytes[10..start].to_vec()).unwrap(), bytes[start..].to_vec())
}

fn npy_file(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// ChaCha8 from RFC 8439's description with 8 rounds and a 64-bit counter: words of the key `seed ‖ 0…`, nonce 0.
fn chacha8(seed: u64, words: usize) -> Vec<u32> {
    let mut out = Vec::new();
    for counter in 0u64.. {
        if out.len() >= words {
            break;
        }
        let mut state = [0u32; 16];
        state[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
        (state[4], state[5]) = (seed as u32, (seed >> 32) as u32);
        (state[12], state[13]) = (counter as u32, (counter >> 32) as u32);
        let mut s = state;
        for _ in 0..4 {
            for i in 0..4 {
                quarter(&mut s, i, i + 4, i + 8, i + 12);
            }
            for i in 0..4 {
                quarter(&mut s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
            }
        }
        out.extend(s.iter().zip(&state).map(|(a, b)| a.wrapping_add(*b)));
    }
    out.truncate(words);
    out
}

fn quarter(s: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    for (x, y, z, by) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        s[x] = s[x].wrapping_add(s[y]);
        s[z] = (s[z] ^ s[x]).rotate_left(by);
    }
}

fn fnv1a(bytes: &[u8]) -> String {
    let hash =
        bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
    format!("fnv1a64:{hash:016x}")
}

const SAXPY: &str = "--kernel saxpy --grid 4 --block 256 --arg 1000 --arg 2.5 --arg f32[1000]=random:7";

#[test]
fn random_numbers_are_what_the_book_says() {
    let bench = Bench::new();
    let words = chacha8(7, 1000);
    let x: Vec<f32> = words.iter().map(|w| (w >> 8) as f32 / 8_388_608.0 - 1.0).collect();
    let y = bench.floats(&format!("{SAXPY} --arg f32[1000]=ramp --dump y=out.npy"));
    let expected: Vec<f32> = x.iter().enumerate().map(|(i, x)| 2.5f32.mul_add(*x, i as f32)).collect();
    assert_eq!(y, expected);
    let kernel = |types: &str| format!("--kernel {types} --grid 1 --block 16 --arg arg:1");
    let ints = bench.data(&format!("{} --arg i32[16]=random:9 --dump 1=out.npy", kernel("add_one")));
    let expected: Vec<u8> = chacha8(9, 16).iter().flat_map(|w| w.wrapping_add(1).to_le_bytes()).collect();
    assert_eq!(ints, expected);
    let below = bench.data(&format!("{} --arg i32[16]=random:9:10 --dump 1=out.npy", kernel("add_one")));
    let ten = |w: &u32| (((u64::from(*w) * 10) >> 32) as u32 + 1).to_le_bytes();
    assert_eq!(below, chacha8(9, 16).iter().flat_map(ten).collect::<Vec<u8>>());
    let shorts = bench.data(&format!("{} --arg u16[16]=random:9 --dump 1=out.npy", kernel("bytes")));
    let upper = |w: &u32| ((w >> 16) as u16).to_le_bytes();
    assert_eq!(shorts, chacha8(9, 16).iter().flat_map(upper).collect::<Vec<u8>>());
    let doubles = bench.data(
        "--kernel scale --grid 1 --block 16 --arg {16,1} --arg f64[16]=random:3 --arg f64[16]=zeros --dump out=out.npy",
    );
    let double = |w: &u32| (f64::from(w >> 8) / 8_388_608.0 - 1.0).to_le_bytes();
    assert_eq!(doubles, chacha8(3, 16).iter().flat_map(double).collect::<Vec<u8>>());
    let halves = bench.data(&format!("{} --arg f16[16]=random:9 --dump 1=out.npy", kernel("bytes")));
    let values: Vec<f64> = halves.chunks_exact(2).map(|b| half(u16::from_le_bytes([b[0], b[1]]))).collect();
    let expected: Vec<f64> = chacha8(9, 16).iter().map(|w| f64::from(w >> 21) / 1024.0 - 1.0).collect();
    assert_eq!(values, expected);
}

/// The value of a finite binary16 number.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = ((bits >> 10) & 31, f64::from(bits & 1023) / 1024.0);
    let size = match exponent {
        0 => fraction / f64::from(1 << 14),
        _ => (1.0 + fraction) * f64::from(1u32 << exponent) / f64::from(1 << 15),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[test]
fn sixty_four_bit_integers_take_two_words_the_lower_first() {
    let bench = Bench::new();
    let out = bench.data(
        "--kernel flags --grid 1 --block 1 --arg true --arg 255 --arg -3 --arg 4000000000 --arg i64[4]=random:5 --dump out=out.npy",
    );
    let words = chacha8(5, 8);
    let value = |i: usize| u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32;
    assert_eq!(out[..8], (255i64 - 3 + 4_000_000_000).to_le_bytes());
    for i in 1..4 {
        assert_eq!(out[8 * i..8 * i + 8], value(i).to_le_bytes());
    }
}

#[test]
fn the_object_of_a_launch_has_all_that_the_book_lists() {
    let bench = Bench::new();
    let object = bench.json(&format!("{SAXPY} --arg f32[1000]=ones --repeat 3"));
    assert_eq!(
        (&object["verdict"], &object["kernel"], &object["file"]),
        (&"ok".into(), &"saxpy".into(), &"k.cu".into())
    );
    assert_eq!(object["grid"], serde_json::json!([4, 1, 1]));
    assert_eq!(object["diagnostics"], serde_json::json!([]));
    let counters = &object["counters"];
    assert_eq!(counters["global_load_requests"], 64);
    assert_eq!(counters["global_store_sectors"], 125);
    assert_eq!(counters["ffma"], 1000);
    assert_eq!(counters["theoretical_occupancy_pct"], 100.0);
    assert!(counters["threads_per_instruction"].as_f64().unwrap() > 30.0);
    for column in
        ["shared_load_instructions", "shared_store_wavefronts", "constant_requests", "texture_sectors"]
    {
        assert_eq!(counters[column], 0, "{column}");
    }
    assert!(object["simulation_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(object["repeat"], 3);
    assert_eq!(object["modelled"]["model"], "h200");
    let x: Vec<u8> =
        chacha8(7, 1000).iter().flat_map(|w| ((w >> 8) as f32 / 8_388_608.0 - 1.0).to_le_bytes()).collect();
    assert_eq!(object["buffers"][0]["hash"], fnv1a(&x), "a buffer that the kernel only reads");
    assert_eq!(object["buffers"][0]["type"], "f32[1000]");
    assert_eq!(object["buffers"][1]["name"], "y");
    assert_eq!(object["buffers"][1]["bytes"], 4000);
}

#[test]
fn repeated_launches_begin_with_fresh_buffers() {
    let bench = Bench::new();
    let hash = |repeat: &str| {
        bench.json(&format!("{SAXPY} --arg f32[1000]=ones {repeat}"))["buffers"][1]["hash"].clone()
    };
    assert_eq!(hash("--repeat 1"), hash("--repeat 4"));
    let line = "--kernel add_one --grid 1 --block 8 --arg i32[8]=ramp --arg i32[8]=poison --repeat 2";
    assert_eq!(bench.json(line)["verdict"], "ok");
}

#[test]
fn each_kind_of_argument_arrives() {
    let bench = Bench::new();
    let reversed = bench.floats("--kernel reverse<float,8> --grid 1 --block 8 --arg f32[8]=ramp --arg f32[8]=poison --dump out=out.npy");
    assert_eq!(reversed, [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
    let vectors = bench.floats(
        "--kernel copy4 --grid 1 --block 2 --arg f32x4[2]=ramp --arg f32x4[2]=zeros --dump out=out.npy",
    );
    assert_eq!(vectors, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert!(npy_data(&bench.0.path("out.npy")).0.contains("'shape': (2, 4)"));
    let scaled = bench.data("--kernel scale --grid 1 --block 4 --arg {3,0.5} --arg f64[4]={2,4,8,16} --arg f64[4]=9 --dump out=out.npy");
    let expected: Vec<u8> = [1.0f64, 2.0, 4.0, 9.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(scaled, expected);
    let inside = bench.floats("--kernel inside --grid 1 --block 4 --arg {f32[4]={2,4,8,16},{3,0.5},-3,0.25} --arg {1,2,4} --arg f32[4]=9 --dump out=out.npy");
    assert_eq!(inside, [2.25, 3.25, 5.25, 9.0]);
    let masked = bench.floats("--kernel masked --grid 1 --block 4 --arg f32[4]=zeros --set mask=f32[4]={1,2,3,4} --set counter=i32[1]=10 --dump 0=out.npy");
    assert_eq!(masked, [11.0, 2.0, 3.0, 4.0]);
    let dynamic = bench
        .floats("--kernel dynamic --grid 1 --block 4 --shared 16 --arg f32[4]=poison --dump out=out.npy");
    assert_eq!(dynamic, [3.0, 2.0, 1.0, 0.0]);
    let alias =
        bench.data("--kernel add_one --grid 1 --block 4 --arg i32[4]=ramp --arg arg:in --dump out=out.npy");
    assert_eq!(alias, [1, 2, 3, 4].map(i32::to_le_bytes).concat());
    let null = bench.json("--kernel add_one --grid 1 --block 4 --arg null --arg i32[4]=zeros");
    assert_eq!(null["diagnostics"][0]["code"], "null-pointer");
    let object = bench.json("--kernel add_one --grid 1 --block 4 --arg i32[4]=ramp --arg arg:in");
    assert_eq!(object["buffers"][0]["hash"], object["buffers"][1]["hash"]);
    assert_eq!(
        (&object["buffers"][0]["alias"], &object["buffers"][1]["alias"]),
        (&false.into(), &true.into())
    );
    assert_eq!(bench.json("--kernel nothing --grid 1 --block 1")["printed"], "hello\n");
}

#[test]
fn textures_of_each_dimension() {
    let bench = Bench::new();
    let linear = bench.floats(
        "--kernel fetch --grid 1 --block 4 --arg tex1d:f32[3]={5,6,7} --arg f32[4]=poison --dump out=out.npy",
    );
    assert_eq!(linear, [5.0, 6.0, 7.0, 0.0]);
    let line = "--kernel sample --grid 1 --block 6 --arg tex2d:f32[2,3]=ramp --arg f32[6]=poison --arg 3 --dump out=out.npy";
    assert_eq!(bench.floats(line), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "height, then width");
    let border = "--kernel sample --grid 1 --block 4 --arg tex2d:f32[1,2]:border=1 --arg f32[4]=poison --arg 4 --dump out=out.npy";
    assert_eq!(bench.floats(border), [1.0, 1.0, 0.0, 0.0]);
    let volume = "--kernel volume --grid 1 --block 2 --arg tex3d:f32[2,1,3]=ramp --arg f32[2]=poison --dump out=out.npy";
    assert_eq!(bench.floats(volume), [0.0, 3.0], "depth, height, width");
    let wrong =
        bench.json("--kernel fetch --grid 1 --block 4 --arg tex1d:f32[4]:array=ones --arg f32[4]=poison");
    assert_eq!(wrong["diagnostics"][0]["code"], "invalid-texture");
}

#[test]
fn files_go_in_and_out() {
    let bench = Bench::new();
    let data: Vec<u8> = [1.5f32, -2.0, 0.0, 1e30].iter().flat_map(|v| v.to_le_bytes()).collect();
    bench.0.write("in.npy", npy_file("<f4", "(2, 2)", &data));
    let kernel = "--kernel reverse<float,4> --grid 1 --block 4";
    for spec in ["@in.npy", "f32[4]=@in.npy"] {
        let out = bench.floats(&format!(
            "{kernel} --arg {spec} --arg f32[2,2]=zeros --dump out=out.npy --dump in=again.npy"
        ));
        assert_eq!(out, [1e30, 0.0, -2.0, 1.5]);
        assert_eq!(npy_data(&bench.0.path("again.npy")).1, data);
        assert!(
            npy_data(&bench.0.path("out.npy"))
                .0
                .contains("'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)")
        );
    }
    bench.0.write("empty.npy", npy_file("<f4", "(0, 7)", &[]));
    let none = bench.json(&format!("{kernel} --arg @empty.npy --arg f32[4]=zeros"));
    assert_eq!(none["diagnostics"][0]["code"], "out-of-bounds");
    let again = bench.floats(&format!("{kernel} --arg @out.npy --arg f32[4]=zeros --dump out=out.npy"));
    assert_eq!(again, [1.5, -2.0, 0.0, 1e30], "what was written is read");
    let launch = |spec: &str| format!("launch k.cu {kernel} --arg {spec} --arg f32[4]=zeros");
    bench.refused(&launch("f32[5]=@in.npy"), "in.npy has f32[2,2], which is not f32[5]");
    bench.refused(&launch("@none.npy"), "none.npy: ");
    for (name, bytes, message) in [
        ("short.npy", npy_file("<f4", "(5,)", &data), "16 bytes of data, but its header says 20"),
        ("huge.npy", npy_file("<f4", "(99999999999, 99999999999)", &data), "more than any computer holds"),
        ("big.npy", npy_file(">f4", "(4,)", &data), "big-endian"),
        ("text.npy", b"hello".to_vec(), "not a .npy file"),
        ("cut.npy", npy_file("<f4", "(4,)", &data)[..40].to_vec(), "not a .npy file"),
    ] {
        bench.0.write(name, bytes);
        bench.refused(&launch(&format!("@{name}")), message);
    }
}

/// The help names the least dynamic shared memory with which the kernel succeeds, if any size suffices.
#[test]
fn a_launch_with_too_little_shared_memory_says_how_much_is_enough() {
    let bench = Bench::new();
    let helps = |kernel: &str, given: &str| {
        let said = bench.json(&format!("--kernel {kernel} --grid 1 --block 24 {given} --arg f32[24]=zeros"));
        assert_eq!(said["diagnostics"][0]["code"], "out-of-bounds", "{said}");
        said["diagnostics"][0]["help"].to_string()
    };
    for given in ["", "--shared 8", "--shared 30", "--shared 95"] {
        let help = helps("dynamic", given);
        assert!(help.contains("`--shared 96`") && !help.contains("declare the array"), "{help}");
    }
    // An error in the kernel does not cause advice about the launch.
    let further = "__global__ void k(float *out) {\n  extern __shared__ float s[];\n  \
        for (int i = threadIdx.x; i <= blockDim.x; i += blockDim.x) s[i] = 1;\n  __syncthreads();\n  \
        out[threadIdx.x] = s[threadIdx.x];\n}\n";
    bench.0.write("k.cu", further);
    let said = bench.json("--kernel k --grid 1 --block 24 --shared 96 --arg f32[24]=zeros");
    assert!(said["diagnostics"][0]["suggestions"].to_string().contains("`<`"), "{said}");
    assert!(!said["diagnostics"][0]["help"].to_string().contains("--shared"), "{said}");
    let padded = "__global__ void two(float *out) {\n  extern __shared__ float s[];\n  float *u = s + blockDim.x + 1;\n  \
        s[threadIdx.x] = u[threadIdx.x] = 1;\n  out[threadIdx.x] = s[threadIdx.x];\n}\n\
        __global__ void wild(float *out) {\n  extern __shared__ float s[];\n  s[threadIdx.x << 20] = 1;\n  \
        out[threadIdx.x] = 1;\n}\n";
    bench.0.write("k.cu", padded);
    assert!(helps("two", "--shared 96").contains("`--shared 196`"));
    assert!(!helps("wild", "--shared 96").contains("--shared"));
}

#[test]
fn verdicts_tell_whose_fault_it_is() {
    let bench = Bench::new();
    let outside = bench.json(&format!("{SAXPY} --arg f32[999]=zeros"));
    assert_eq!(outside["verdict"], "diagnosed");
    let diagnostic = &outside["diagnostics"][0];
    assert_eq!((&diagnostic["code"], &diagnostic["severity"]), (&"out-of-bounds".into(), &"error".into()));
    assert_eq!((&diagnostic["line"], &diagnostic["file"]), (&6.into(), &"k.cu".into()));
    assert_eq!((&diagnostic["thread"][0], &diagnostic["block"][0]), (&231.into(), &3.into()));
    assert_eq!(outside["buffers"], serde_json::json!([]));
    assert!(outside["counters"].is_null());
    let poison = bench.json(&format!("{SAXPY} --arg f32[1000]=poison"));
    assert_eq!(poison["diagnostics"][0]["code"], "uninitialized-read");
    let endless = bench.json("--kernel endless --grid 1 --block 1 --arg i32[1]=zeros --budget 1000");
    assert_eq!(endless["diagnostics"][0]["code"], "instruction-budget");
    let big = bench
        .json("--kernel saxpy --grid 1 --block 2048 --arg 1 --arg 1 --arg f32[1]=ones --arg f32[1]=ones");
    assert_eq!(
        (&big["verdict"], &big["diagnostics"][0]["code"]),
        (&"diagnosed".into(), &"block-too-large".into())
    );
    bench.0.write("k.cu", "__global__ void k(int *a) { a[0] = b; c = 1; }");
    let rejected = bench.json("--kernel k --grid 1 --block 1 --arg i32[1]=zeros");
    assert_eq!(rejected["verdict"], "rejected");
    assert_eq!(rejected["diagnostics"].as_array().unwrap().len(), 2, "every error: {rejected}");
    assert!(rejected["simulation_seconds"].is_null());
    bench.0.write("k.cu", "__global__ void k(int *a) { asm volatile(\"nop;\"); a[0] = 1; }");
    let unsupported = bench.json("--kernel k --grid 1 --block 1 --arg i32[1]=zeros");
    assert_eq!(unsupported["verdict"], "unsupported", "{unsupported}");
    let text = bench.lab("launch k.cu --kernel k --grid 1 --block 1 --arg i32[1]=zeros");
    assert_eq!(text.status, 1);
    assert!(text.out.contains("is not supported by the simulator yet"), "{}", text.out);
}

#[test]
fn a_text_report_has_times_counters_and_values() {
    let bench = Bench::new();
    let answer = bench.lab(&format!("launch k.cu {SAXPY} --arg f32[1000]=ones"));
    assert_eq!(answer.status, 0, "{}", answer.err);
    for part in [
        "saxpy of k.cu, grid 4x1x1, block 256x1x1: ran",
        "modelled time",
        "global load requests        64",
        "  2 x  f32[1000], unchanged\n",
        "  3 y  f32[1000], 1000 of 1000 elements changed: [0..1000]\n",
    ] {
        assert!(answer.out.contains(part), "{part} is missing in\n{}", answer.out);
    }
    let stopped = bench.lab(&format!("launch k.cu {SAXPY} --arg f32[10]=ones"));
    assert_eq!(stopped.status, 1);
    assert!(
        stopped.out.contains("error[out-of-bounds]") && stopped.out.contains("was stopped"),
        "{}",
        stopped.out
    );
}

/// Addresses, fewest and taken sectors are those of the definition: 20 lanes, 8 bytes apart, are in 5 sectors; without gaps they would be in 3.
#[test]
fn a_launch_shows_what_single_warps_access() {
    let bench = Bench::new();
    let text = "__global__ void k(float *x) {\n    if (threadIdx.x < 20) x[2 * threadIdx.x] = 1.0f;\n}\n";
    bench.0.write("k.cu", text);
    let line = "--kernel k --grid 1 --block 32 --arg f32[64]=zeros --repeat 2";
    let plain = bench.json(line);
    let shown = bench.json(&format!("{line} --show-access"));
    let [access] = shown["accesses"].as_array().unwrap().as_slice() else { panic!("{shown}") };
    let offsets: Vec<u32> = (0..20).map(|lane| 8 * lane).collect();
    assert_eq!((&access["line"], &access["offsets"]), (&2.into(), &serde_json::json!(offsets)));
    assert_eq!((&access["taken"], &access["fewest"]), (&5.into(), &3.into()), "{access}");
    assert_eq!(shown["branches"].as_array().unwrap().len(), 1, "{shown}");
    assert_eq!((&plain["accesses"], &plain["branches"]), (&serde_json::json!([]), &serde_json::json!([])));
    for same in ["counters", "lines", "buffers", "modelled", "verdict", "repeat"] {
        assert_eq!(plain[same], shown[same], "{same}");
    }
    assert!(shown["simulation_seconds"].as_f64().unwrap() > 0.0);
    let lines = plain["lines"].as_array().unwrap();
    let store = lines.iter().find(|line| line["line"] == 2).unwrap();
    assert_eq!(store["counters"]["global_store_sectors"], 5);
    let printed = bench.lab(&format!("launch k.cu {line} --show-access"));
    for part in ["What one warp accesses", "global store of `x`", "5 sectors for 80 different bytes"] {
        assert!(printed.out.contains(part), "{part} is missing in\n{}", printed.out);
    }
    assert!(!bench.lab(&format!("launch k.cu {line}")).out.contains("What one warp"));
    // Without waste, and without an end, the reason is said.
    bench.0.write("k.cu", text.replace("2 * ", "").replace("< 20", "< 32"));
    let none = bench.lab(&format!("launch k.cu {line} --show-access"));
    assert!(none.out.contains("no line takes more sectors or passes than it needs"), "{}", none.out);
    bench.0.write("k.cu", text.replace("2 *", "200 *"));
    let stopped = bench.lab(&format!("launch k.cu {line} --show-access"));
    assert!(
        stopped.out.contains("no drawing: only a launch that the simulator ran to its end has one"),
        "{}",
        stopped.out
    );
}

#[test]
fn wrong_use_says_what_was_expected() {
    let bench = Bench::new();
    let saxpy = |rest: &str| format!("launch k.cu --kernel saxpy --grid 1 --block 32 {rest}");
    let three = "--arg 32 --arg 1.5 --arg f32[32]=ones";
    bench.refused(&saxpy("--arg 1"), "2  const float *x                   --arg 'f32[4096]=random:1'");
    bench.refused(&saxpy(&format!("{three} --arg f32[32]=ones --arg 1")), "4 parameters, but 5 arguments");
    bench.refused(
        &saxpy(&format!("{three} --arg i32[32]=ones")),
        "a buffer of i32, but the parameter points to f32",
    );
    bench.refused(&saxpy(&format!("{three} --arg 5")), "`5` is not a buffer");
    bench.refused(&saxpy(&format!("{three} --arg f32[32]=one")), "expected zeros, ones, ramp");
    bench.refused(
        &saxpy(&format!("{three} --arg f32[32]={{1,2}}")),
        "2 numbers are listed, but the size says 32",
    );
    bench.refused(
        &saxpy(&format!("{three} --arg f32[32]=random:1:5")),
        "a bound after the seed is for integers",
    );
    bench.refused(&saxpy(&format!("{three} --arg f32[4*1024*1024*1024]=zeros")), "out of device memory");
    bench.refused(&saxpy(&format!("{three} --arg arg:z")), "buffers are 2 (x)");
    bench.refused(&saxpy(&format!("{three} --arg arg:y")), "arg:y is not a buffer");
    bench.refused(
        &saxpy("--arg 1.5 --arg 1 --arg f32[1]=1 --arg f32[1]=1"),
        "argument 0 (`int n`): `1.5` is not an integer",
    );
    bench.refused(
        &saxpy("--arg 3000000000 --arg 1 --arg f32[1]=1 --arg f32[1]=1"),
        "outside `int`: -2147483648 to 2147483647",
    );
    bench.refused(&saxpy("--arg 1 --arg x --arg f32[1]=1 --arg f32[1]=1"), "`x` is not a number");
    bench.refused(&saxpy("--arg {1,2} --arg f32[1]=1 --arg f32[1]=1"), "this parameter is not one");
    bench.refused(&saxpy(&format!("{three} --arg arg:x --dump z=z.npy")), "no buffer of that name");
    bench.refused(&saxpy(&format!("{three} --arg arg:x --dump y")), "expected ARG=FILE.npy");
    bench.refused(&saxpy(&format!("{three} --arg arg:x --set none=f32[1]=1")), "the file has mask, counter");
    bench.refused(&saxpy(&format!("{three} --arg arg:x --set mask=f32[5]=1")), "20 bytes, but `mask` has 16");
    bench.refused(&saxpy(&format!("{three} --arg arg:x --set mask=2")), "write mask=f32[4]=2");
    bench.refused(
        "launch k.cu --kernel scale --grid 1 --block 1 --arg {1} --arg f64[1]=1 --arg f64[1]=1",
        "has 2: int p.count, float p.scale",
    );
    bench.refused("launch k.cu --kernel nosuch --grid 1 --block 1", "the file has `saxpy`");
    bench
        .refused("launch k.cu --kernel reverse --grid 1 --block 1", "a template is named with its arguments");
    bench.refused("launch k.cu --kernel nosuch<1> --grid 1 --block 1", "there is no kernel `nosuch`");
    bench.refused(
        "launch k.cu --kernel saxpy --grid 1,2,3,4 --block 1",
        "--grid 1,2,3,4: expected one to three",
    );
    bench.refused("launch k.cu --kernel saxpy --grid 1 --block x", "--block x: expected");
    bench.refused("launch none.cu --kernel saxpy --grid 1 --block 1 --json", "`none.cu` does not exist");
    bench.refused(
        "launch k.cu --kernel saxpy --grid 1 --block 1 --model h9000",
        "there is no device model `h9000`",
    );
    bench.refused("compile k.cu -D 1X=2", "`1X` is not the name of a macro");
    bench.refused("compile k.cu -I nowhere", "there is no such folder");
    bench.refused("compile k.cu --block 4294967295,4294967295,4294967295", "more than 2^32 threads");
    bench.refused("compile k.cu --block 0", "0 threads");
    let deep = "{".repeat(50_000) + &"}".repeat(50_000);
    bench.refused(&saxpy(&format!("--arg {deep}")), "braces are more than 16 deep");
    let wide =
        "launch k.cu --kernel nothing --grid 4294967295,65535,65535 --block 4294967295,4294967295,4294967295";
    assert_eq!(bench.lab(wide).status, 1);
    bench.refused("compile k.cu --block 33,32", "1056 threads; a block has 1 to 1024");
}

#[test]
fn compile_lists_kernels_and_what_they_take() {
    let bench = Bench::new();
    let answer =
        bench.0.lab(&["compile", "k.cu", "--json", "--kernel", "reverse<double, 64>", "--block", "64"]);
    assert_eq!(answer.status, 0, "{}{}", answer.out, answer.err);
    let [object] = &answer.json_lines()[..] else { panic!("{}", answer.out) };
    assert_eq!((&object["verdict"], &object["model"]), (&"ok".into(), &"h200".into()));
    let kernel =
        |name: &str| object["kernels"].as_array().unwrap().iter().find(|k| k["name"] == name).expect(name);
    let saxpy = kernel("saxpy");
    assert_eq!(saxpy["parameters"][2], serde_json::json!({ "name": "x", "type": "const float *" }));
    assert_eq!((&saxpy["line"], &saxpy["static_shared_bytes"]), (&4.into(), &0.into()));
    assert_eq!(kernel("reverse<double, 64>")["static_shared_bytes"], 512);
    assert_eq!(kernel("masked")["constant_bytes"], 16);
    assert_eq!(kernel("dynamic")["dynamic_shared"], true);
    let registers = saxpy["registers_estimate"].as_u64().unwrap();
    assert!((16..=255).contains(&registers), "{registers}");
    let expected =
        serde_json::json!({ "block": [64, 1, 1], "fraction": 1.0, "blocks_per_sm": 32, "limit": "threads" });
    assert_eq!(saxpy["occupancy"], expected);
    assert_eq!(object["symbols"][1], serde_json::json!({ "name": "counter", "bytes": 4, "space": "device" }));
    let text = bench.lab("compile k.cu");
    assert!(text.out.contains("parameters       int n, float a, const float *x, float *y"), "{}", text.out);
    assert!(text.out.contains("(an estimate)"), "{}", text.out);
}

#[test]
fn compile_takes_macros_and_folders_and_reports_every_error() {
    let bench = Bench::new();
    bench.0.write("include/sizes.h", "#define W 32\n");
    bench.0.write("m.cu", "#include <sizes.h>\n__global__ void k(float *o) { __shared__ float s[W * H]; s[0] = 1; o[0] = s[0]; }\n");
    let answer = bench.lab("compile m.cu -I include -DH=4 --json");
    assert_eq!(answer.status, 0, "{}{}", answer.out, answer.err);
    assert_eq!(answer.json_lines()[0]["kernels"][0]["static_shared_bytes"], 512);
    let missing = bench.lab("compile m.cu --json");
    assert_eq!(missing.status, 1);
    assert_eq!(missing.json_lines()[0]["verdict"], "rejected");
    bench
        .0
        .write("m.cu", "__global__ void k(int *a) { a[0] = b; }\n__global__ void l(int *a) { a[0] = c; }\n");
    let errors = bench.lab("compile m.cu");
    assert_eq!(errors.status, 1);
    assert!(errors.out.contains("m.cu:1:36") && errors.out.contains("m.cu:2:36"), "{}", errors.out);
    assert!(errors.out.contains("m.cu does not compile"), "{}", errors.out);
    let bounds = "__global__ void __launch_bounds__(128) k(int *a) { a[threadIdx.x] = 1; }\n";
    bench.0.write("m.cu", bounds);
    assert_eq!(bench.lab("compile m.cu --json").json_lines()[0]["kernels"][0]["occupancy"]["block"][0], 128);
    assert!(bench.lab("compile m.cu --block 256").out.contains("more than its `__launch_bounds__`"));
}

/// Splits words like a shell: single quotes, and backslashes at line ends.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars().filter(|c| *c != '\\' && *c != '\n') {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.into_iter().filter(|w| !w.is_empty()).collect()
}

/// Removes lines that differ from run to run.
fn stable(output: &str) -> Vec<String> {
    let line = |line: &str| match serde_json::from_str::<Value>(line) {
        Ok(mut object) if object.is_object() => {
            object["simulation_seconds"].take();
            object.to_string()
        }
        _ => line.trim_end().to_string(),
    };
    output.trim_end().lines().filter(|l| !l.starts_with("  simulated in")).map(line).collect()
}

#[test]
fn the_book_shows_what_the_commands_print() {
    let bench = Bench::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let page = std::fs::read_to_string(root.join("docs/src/commands.md")).unwrap();
    let blocks: Vec<&str> = page.split("```").skip(1).step_by(2).collect();
    let text = blocks.iter().find_map(|b| b.strip_prefix("cpp\n")).unwrap();
    bench.0.write("saxpy.cu", text);
    let mut commands = 0;
    for block in blocks.iter().filter_map(|b| b.strip_prefix("\n$ cargo lab ")) {
        let end = block.match_indices('\n').find(|(at, _)| !block[..*at].ends_with('\\')).unwrap().0;
        let (command, shown) = block.split_at(end);
        let arguments = words(command);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = Answer::of(bench.0.command(&arguments).env("COLUMNS", "80").output().unwrap());
        let printed = if answer.out.is_empty() { &answer.err } else { &answer.out };
        assert_eq!(stable(printed), stable(&shown[1..]), "{command}");
        commands += 1;
    }
    assert_eq!(commands, 7);
}

/// Everything that `--arg`, `--set` and `--dump` give a kernel, on the GPU as on the simulator; without one, why not.
#[test]
fn a_gpu_gives_the_same_hashes_and_is_named() {
    let bench = Bench::new();
    // A file that prints is not timed on a GPU.
    bench.0.write("k.cu", KERNELS.replace("printf(\"hello\\n\");", ""));
    let launches = [
        "--kernel saxpy --grid 4 --block 256 --arg 1000 --arg 2.5 --arg f32[1000]=random:7 --arg f32[1000]=ramp",
        "--kernel masked --grid 1 --block 32 --set mask=f32[4]=random:2 --set counter=3 --arg f32[32]=zeros",
        "--kernel sample --grid 1 --block 32 --arg tex2d:f32[4,8]:border=random:4 --arg f32[32]=zeros --arg 8",
        "--kernel scale --grid 1 --block 32 --arg {30,0.5} --arg f64[32]=ramp --arg f64[32]=ones",
        "--kernel inside --grid 1 --block 32 --arg {f32[32]=ramp,{30,0.5},-3,0.25} --arg {1,2,4} --arg f32[32]=ones",
    ];
    for launch in launches {
        let simulated = bench.json(&format!("{launch} --on sim"));
        assert_eq!((&simulated["device"], &simulated["measured"]), (&"sim".into(), &Value::Null));
        for device in ["gpu", "both"] {
            if backend::probe().is_err() {
                let answer = bench.lab(&format!("launch k.cu {launch} --on {device}"));
                assert_eq!(answer.status, 2, "{}", answer.out);
                assert!(answer.err.contains("driver") && answer.out.is_empty(), "{}", answer.err);
                continue;
            }
            let object = bench.json(&format!("{launch} --on {device}"));
            assert_eq!(object["device"], device);
            assert_eq!(object["buffers"], simulated["buffers"], "{device}: {launch}: {object}");
            assert!(object["measured"]["seconds"].as_f64().is_some_and(|s| s > 0.0), "{object}");
            assert!(
                object["simulation_seconds"].is_null() && object["registers_estimate"].is_null(),
                "{object}"
            );
        }
    }
}

/// Without checks and counters the results are the same, a race is not looked for, and what needs counters is not there.
#[test]
fn a_fast_launch_gives_the_same_results_and_counts_nothing() {
    let bench = Bench::new();
    let launch = "--kernel saxpy --grid 4 --block 256 --arg 1000 --arg 2.5 --arg f32[1000]=random:7 \
                  --arg f32[1000]=ramp --on sim";
    let (slow, fast) = (bench.json(launch), bench.json(&format!("{launch} --fast")));
    assert_eq!(fast["buffers"], slow["buffers"]);
    assert!(slow["counters"].is_object() && slow["modelled"].is_object(), "{slow}");
    assert!(fast["counters"].is_null() && fast["modelled"].is_null(), "{fast}");

    let race = "extern \"C\" __global__ void race(float *out) {\n  __shared__ float s[64];\n  s[threadIdx.x] = 1.0f;\n  \
                out[threadIdx.x] = s[63 - threadIdx.x];\n}\n";
    bench.0.write("k.cu", race);
    let launch = "--kernel race --grid 1 --block 64 --arg f32[64]=zeros --on sim";
    assert_eq!(bench.json(launch)["verdict"], "diagnosed");
    assert_eq!(bench.json(&format!("{launch} --fast"))["verdict"], "ok");
}

#[test]
fn what_a_gpu_cannot_bound_is_refused_by_name() {
    let bench = Bench::new();
    let answer = bench.lab("launch k.cu --kernel nothing --grid 1 --block 1 --budget 10 --on gpu");
    assert_eq!(answer.status, 2, "{}", answer.out);
    let expected = if backend::probe().is_ok() { "LAB_TIME_LIMIT" } else { "driver" };
    assert!(answer.err.contains(expected), "{}", answer.err);
    let object = bench.json("--kernel endless --grid 1 --block 1 --budget 1000 --arg i32[1]=zeros --on sim");
    assert_eq!(object["verdict"], "diagnosed");
}

/// Elements that two threads access need a record each, of which there are enough for 16 MiB.
#[test]
fn where_the_search_for_races_ends_is_told_once() {
    let project = Project::new();
    project.write(
        "k.cu",
        "__global__ void k(int *x, int n, int race) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = i;
    if (!race) __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int next = (i + 32) % n;
        x[next] += 1;
    }
}
",
    );
    let launch = |n: u32, race: u32| {
        let (buffer, n, race) = (format!("i32[{n}]=zeros"), n.to_string(), race.to_string());
        let shape = ["--kernel", "k", "--grid", "1", "--block", "256", "--format", "concise"];
        let arguments = ["--arg", &buffer, "--arg", &n, "--arg", &race];
        project.lab(&[&["launch", "k.cu"], &shape[..], &arguments].concat())
    };
    let limit = "race-search-limit";
    let [few, many, wrong] = [launch(100_000, 0), launch(4_400_000, 0), launch(100_000, 1)];
    assert_eq!((few.status, many.status, wrong.status), (0, 0, 1));
    assert!(!few.out.contains(limit), "{}", few.out);
    assert_eq!(many.out.matches("warning[race-search-limit]").count(), 1, "{}", many.out);
    assert_eq!(many.out.matches(limit).count(), 1, "{}", many.out);
    assert!(wrong.out.contains("error[global-memory-race]") && !wrong.out.contains(limit), "{}", wrong.out);
}

#[test]
fn a_race_that_a_warning_explains_has_no_repair_of_its_own() {
    let project = Project::new();
    let launch = |body: &str| {
        let text =
            format!("__global__ void k(int *x) {{\n    int i = threadIdx.x;\n    {body} x[3] = i;\n}}\n");
        project.write("k.cu", text);
        let line = ["launch", "k.cu", "--grid", "1", "--block", "32", "--arg", "i32[32]=zeros"];
        project.lab(&line).out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for body in ["if (i == 1 || 2)", "if (0 <= i < 7)", "if (i == 1 || 2)\n       "] {
        let out = launch(body);
        assert!(
            out.contains("global-memory-race") && out.contains("in line 3 may explain this error"),
            "{out}"
        );
        assert!(!out.contains("insert"), "{out}");
    }
    // The warning's own edit is tried, and it helps.
    let out = launch("if (i = 3 + i)");
    assert!(out.contains("`==`") && out.contains("tried") && !out.contains("insert"), "{out}");
    // An unexplained race keeps its repair.
    project.write(
        "k.cu",
        "__global__ void k(int *x) {\n    int i = threadIdx.x;\n    x[i] = i;\n    int v = x[31 - i];\n    __syncthreads();\n    x[i] = v;\n}\n",
    );
    let out = project.lab(&["launch", "k.cu", "--grid", "1", "--block", "32", "--arg", "i32[32]=zeros"]).out;
    assert!(out.contains("insert"), "{out}");
}
