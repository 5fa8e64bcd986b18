//! `launch` with textures, surfaces, halves, variables of the file and cooperative grids.

use crate::support::Project;
use serde_json::Value;
use std::path::Path;

const KERNELS: &str = "\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
__constant__ float mask[4];
__device__ unsigned counter = 7;
__managed__ double managed[2] = {1.0, 2.0};
__device__ bool flag;
__device__ __half small;
struct Pair { int a; float b; };
__device__ Pair pair;
__global__ void layered1(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1DLayered<float>(t, 0.5f, threadIdx.x); }
__global__ void layered2(unsigned long long t, float *out) { out[threadIdx.x] = tex2DLayered<float>(t, 1.5f, 0.5f, threadIdx.x); }
__global__ void cube(cudaTextureObject_t t, float *out) {
    float s = threadIdx.x & 1 ? -1.f : 1.f;
    float v[3] = {0.f, 0.f, 0.f};
    v[threadIdx.x / 2] = s;
    out[threadIdx.x] = texCubemap<float>(t, v[0], v[1], v[2]);
}
__global__ void cubes(cudaTextureObject_t t, float *out) { out[threadIdx.x] = texCubemapLayered<float>(t, 1.f, 0.f, 0.f, threadIdx.x); }
__global__ void flat(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f); }
__global__ void two(cudaTextureObject_t a, cudaTextureObject_t b, float *out) { out[0] = tex1Dfetch<float>(a, 0) + tex1Dfetch<float>(b, 1); }
__global__ void s1(cudaSurfaceObject_t s) { surf1Dwrite(2.f, s, threadIdx.x * 4); }
__global__ void s2(cudaSurfaceObject_t s) { float v; surf2Dread(&v, s, threadIdx.x * 4, threadIdx.y); surf2Dwrite(2.f * v, s, threadIdx.x * 4, threadIdx.y); }
__global__ void s3(unsigned long long s) { surf3Dwrite((unsigned char)threadIdx.z, s, threadIdx.x, threadIdx.y, threadIdx.z); }
__global__ void sl(cudaSurfaceObject_t s) { surf2DLayeredwrite(make_float2(threadIdx.x, threadIdx.z), s, threadIdx.x * 8, threadIdx.y, threadIdx.z); }
__global__ void halves(__half a, __nv_bfloat16 b, __half2 c, const __half *x, const __nv_bfloat162 *y, float *out) {
    out[0] = __half2float(a); out[1] = __bfloat162float(b); out[2] = __half2float(c.x); out[3] = __half2float(c.y);
    out[4] = __half2float(x[1]); out[5] = __bfloat162float(y[0].y);
}
__global__ void variables(float *out) {
    counter += 1;
    managed[1] = 3.5;
    small = __float2half(0.25f);
    pair.a = 1;
    out[0] = mask[threadIdx.x] + flag;
}
__global__ void sum(unsigned *part, unsigned *out) {
    part[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    unsigned all = 0;
    for (unsigned b = 0; b < gridDim.x; b++) all += part[b];
    out[blockIdx.x] = all;
}
";

struct Bench(Project);

impl Bench {
    fn new() -> Bench {
        let project = Project::new();
        project.write("k.cu", KERNELS);
        Bench(project)
    }

    fn json(&self, line: &str) -> Value {
        let line = format!("launch k.cu --json --kernel {line}");
        let answer = self.0.lab(&line.split_whitespace().collect::<Vec<_>>());
        answer.is_calm();
        let [object] = &answer.json_lines()[..] else { panic!("{}{}", answer.out, answer.err) };
        object.clone()
    }

    /// Type and data of what was dumped to `out.npy`.
    fn dumped(&self, line: &str) -> (String, Vec<u8>) {
        let object = self.json(line);
        assert_eq!(object["verdict"], "ok", "{object}");
        npy(&self.0.path("out.npy"))
    }

    fn floats(&self, line: &str) -> Vec<f32> {
        let (descr, data) = self.dumped(line);
        assert_eq!(descr, "<f4");
        data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
    }

    fn refused(&self, line: &str, message: &str) {
        let line = format!("launch k.cu --kernel {line}");
        self.0.refused(&line.split_whitespace().collect::<Vec<_>>(), message);
    }
}

fn npy(path: &Path) -> (String, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8(bytes[10..start].to_vec()).unwrap();
    (header.split('\'').nth(3).unwrap().to_owned(), bytes[start..].to_vec())
}

#[test]
fn textures_of_layers_and_cubes() {
    let bench = Bench::new();
    let run = |kernel: &str, spec: &str, n: u32| {
        bench.floats(&format!(
            "{kernel} --grid 1 --block {n} --arg {spec} --arg f32[{n}]=poison --dump out=out.npy"
        ))
    };
    assert_eq!(run("layered1", "tex1dlayered:f32[3,2]=ramp", 3), [0.0, 2.0, 4.0]);
    assert_eq!(
        run("layered2", "tex2dlayered:f32[2,1,2]=ramp", 2),
        [1.0, 3.0],
        "an unsigned long long takes it"
    );
    assert_eq!(run("cube", "texcube:f32[6,1,1]=ramp", 6), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(run("cubes", "texcubelayered:f32[12,1,1]=ramp", 2), [0.0, 6.0]);
    assert_eq!(run("flat", "tex2d:f32[1,3]:pitch,border={1,2,3}", 4), [1.0, 2.0, 3.0, 0.0]);
    assert_eq!(run("flat", "tex2d:u8[1,2]:asfloat={255,51}", 2), [1.0, 0.2]);
    let twice =
        "two --grid 1 --block 1 --arg tex1d:f32[2]={3,4} --arg arg:a --arg f32[1]=0 --dump out=out.npy";
    assert_eq!(bench.floats(twice), [7.0], "one object for two parameters");
    for (kernel, spec, message) in [
        ("cube", "texcube:f32[5,1,1]=ramp", "square faces, six per cube"),
        ("cube", "texcube:f32[6,2,1]=ramp", "square faces"),
        ("cubes", "texcubelayered:f32[13,1,1]=ramp", "square faces"),
        ("layered1", "tex1dlayered:f32[3]=ramp", "tex1dlayered has 2 sizes, [LAYERS,W], but 1 are given"),
        ("layered1", "tex1dlayered:f32[3,2]:pitch=ramp", "pitch is for tex2d"),
        ("flat", "tex2d:f32x3[1,2]=ramp", "channels"),
        ("flat", "tex2d:f64[1,2]=ramp", "is not a valid type for a texture channel"),
        ("flat", "f32[2]=ramp", "a buffer, but the parameter is a texture"),
        ("flat", "7", "`7` is not a texture"),
    ] {
        bench.refused(&format!("{kernel} --grid 1 --block 1 --arg {spec} --arg f32[1]=0"), message);
    }
}

#[test]
fn surfaces_are_written_and_dumped() {
    let bench = Bench::new();
    let line = "s2 --grid 1 --block 3,2 --arg surf2d:f32[2,3]=ramp --dump s=out.npy";
    assert_eq!(bench.floats(line), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(
        bench.floats("s1 --grid 1 --block 2 --arg surf1d:f32[3]=ones --dump 0=out.npy"),
        [2.0, 2.0, 1.0]
    );
    let volume = bench.dumped("s3 --grid 1 --block 2,1,3 --arg surf3d:u8[3,1,2]=zeros --dump s=out.npy");
    assert_eq!(volume, ("|u1".into(), vec![0, 0, 1, 1, 2, 2]));
    let layers = "sl --grid 1 --block 2,1,2 --arg surf2dlayered:f32x2[2,1,2]=poison --dump s=out.npy";
    assert_eq!(bench.floats(layers), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let texture = bench.json("s1 --grid 1 --block 1 --arg tex1d:f32[3]=ones");
    assert_eq!(texture["diagnostics"][0]["code"], "invalid-surface");
    let outside = bench.json("s1 --grid 1 --block 4 --arg surf1d:f32[3]=ones");
    assert_eq!(outside["diagnostics"][0]["code"], "out-of-bounds");
    for (spec, message) in [
        ("surf2d:f32x3[2,2]=zeros", "12 bytes; a surface's have 1, 2, 4, 8 or 16"),
        ("surf2d:f64x4[2,2]=zeros", "32 bytes; a surface's have"),
        ("surf2d:f32[2]=zeros", "surf2d has 2 sizes, [H,W], but 1 are given"),
        ("surf4d:f32[2]=zeros", "there is no `surf4d`; expected surf1d:, surf2d:"),
        ("surf2d:f32[2,2]:border=zeros", "a surface has no options"),
        ("surf2d:f32[2,2]", "its initial content is missing"),
        ("f32[2]=zeros", "a buffer, but the parameter is a texture or surface"),
        ("7", "`7` is not a texture or surface"),
    ] {
        bench.refused(&format!("s2 --grid 1 --block 1 --arg {spec}"), message);
    }
}

#[test]
fn halves_are_numbers_and_buffers() {
    let bench = Bench::new();
    let line = "halves --grid 1 --block 1 --arg 1.5 --arg -2.5 --arg {0.1,3} --arg f16[2]={1,0.5} --arg bf16x2[1]={1,0.1} \
                --arg f32[6]=poison --dump out=out.npy";
    // The binary16 and the bfloat16 nearest to 0.1.
    let tenth = (0.099_975_586_f32, 0.100_097_656_f32);
    assert_eq!(bench.floats(line), [1.5, -2.5, tenth.0, 3.0, 0.5, tenth.1]);
    let dumped = bench.dumped(&line.replace("--dump out=", "--dump y="));
    assert_eq!(dumped, ("<V2".into(), vec![0x80, 0x3f, 0xcd, 0x3d]));
    std::fs::copy(bench.0.path("out.npy"), bench.0.path("y.npy")).unwrap();
    assert_eq!(bench.floats(&line.replace("bf16x2[1]={1,0.1}", "@y.npy"))[5], tenth.1, "it is read again");
    bench.refused(&line.replace("f16[2]", "f32[2]"), "a buffer of f32, but the parameter points to f16");
    bench.refused(&line.replace("bf16x2[1]", "f16[2]"), "a buffer of f16, but the parameter points to bf16");
    bench.refused(&line.replace("--arg 1.5", "--arg x"), "`x` is not a number");
    let bits = line.replace("f16[2]={1,0.5}", "u16[2]={0,0x3800}");
    assert_eq!(bench.floats(&bits)[4], 0.5, "or by its bits");
}

#[test]
fn variables_are_set_and_dumped() {
    let bench = Bench::new();
    let launch = |more: &str| format!("variables --grid 1 --block 1 --arg f32[1]=0 {more}");
    assert_eq!(bench.dumped(&launch("--dump counter=out.npy")), ("<u4".into(), vec![8, 0, 0, 0]));
    assert_eq!(bench.dumped(&launch("--set counter=4294967295 --dump counter=out.npy")).1, [0; 4]);
    assert_eq!(
        bench.floats(
            &launch("--set mask={1,2}")
                .replace("--set mask={1,2}", "--set mask=f32[2]={1,2} --set flag=true --dump out=out.npy")
        ),
        [2.0]
    );
    assert_eq!(bench.floats(&launch("--set mask=f32[4]=ramp --dump mask=out.npy")), [0.0, 1.0, 2.0, 3.0]);
    let (descr, data) = bench.dumped(&launch("--set managed=f64[1]=9 --dump managed=out.npy"));
    assert_eq!(
        (descr.as_str(), &data[..8], &data[8..]),
        ("<f8", &9f64.to_le_bytes()[..], &3.5f64.to_le_bytes()[..])
    );
    assert_eq!(bench.dumped(&launch("--dump small=out.npy")), ("<f2".into(), vec![0, 0x34]));
    assert_eq!(bench.dumped(&launch("--dump pair=out.npy")).0, "|u1", "bytes of a structure");
    for (set, message) in [
        ("counter=-1", "-1 is outside `unsigned int`: 0 to 4294967295"),
        ("counter=1.5", "`1.5` is not an integer"),
        ("counter=f32[1]=1", "f32[1], but `counter` is made of u32"),
        ("counter=i32[2]=1", "8 bytes, but `counter` has 4"),
        ("mask=2", "`mask` has 4 numbers; write mask=f32[4]=2"),
        ("mask=i32[4]=1", "i32[4], but `mask` is made of f32"),
        ("pair=1", "`pair` is not a number"),
        ("flag=2", "neither true nor false"),
        ("none=1", "the file has mask, counter, managed, flag, small, pair"),
        ("mask", "expected SYMBOL="),
        ("mask=tex1d:f32[4]=1", "a variable is set like a number or a buffer"),
        ("mask=f32[4]=poison", "cannot be poisoned"),
    ] {
        bench.refused(&launch(&format!("--set {set}")), message);
    }
    bench.refused(&launch("--dump none=out.npy"), "the file has mask, counter");
}

#[test]
fn cooperative_grids_and_worst_shapes() {
    let bench = Bench::new();
    let sum = |more: &str| format!("sum --block 1 --arg u32[5]=zeros --arg u32[5]=poison {more}");
    let (_, data) = bench.dumped(&sum("--grid 5 --cooperative --dump out=out.npy"));
    assert_eq!(data, [15, 0, 0, 0].repeat(5));
    assert_eq!(bench.json(&sum("--grid 5 --cooperative"))["cooperative"], true);
    assert_eq!(bench.json(&sum("--grid 5"))["diagnostics"][0]["code"], "not-cooperative");
    for grid in ["2147483647", "65535,65535", "100000"] {
        let large = bench.json(&sum(&format!("--grid {grid} --cooperative")));
        assert_eq!(large["diagnostics"][0]["code"], "cooperative-launch-too-large", "{grid}");
    }
    assert_eq!(bench.json(&sum("--grid 0"))["diagnostics"][0]["code"], "empty-launch");
    for grid in ["-1", "4294967296", "1.5", ""] {
        bench.refused(&sum(&format!("--grid={grid}")), "--grid");
    }
}
