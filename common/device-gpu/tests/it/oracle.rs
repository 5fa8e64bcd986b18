//! Compares the front-end's layout of kernel parameters with CUDA's own compiler, which needs no GPU. The size of
//! each parameter must equal the size in the cubin, and each scalar of a structure must lie where the compiler puts
//! it.
//!
//! Without a compiler the test prints that it was skipped.

use device::{CompileOptions, Device, KernelFile, KernelInfo};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use nvrtc::{Compiler, Request};

const TEXT: &str = "\
struct Pair { int count; float scale; };
struct Empty {};
struct Mixed { char c; double d; short s[3]; bool on; };
struct View { const float *data; Pair pair; unsigned char tag; long long wide; };
struct alignas(16) Wide { float4 v; char last; };
struct Bits { unsigned low : 3; unsigned high : 20; char after; };
union Either { float f; unsigned char bytes[6]; };
struct Derived : Pair { double more; };
template <typename T, int N> struct Array { T at[N]; };
__global__ void scale(Pair p, const double *in, double *out) { out[threadIdx.x] = in[threadIdx.x] * p.scale; }
__global__ void scalars(bool a, char b, short c, int d, long long e, float f, double g, unsigned char h, float *out) {
    out[0] = a + b + c + d + e + f + g + h;
}
__global__ void structures(Mixed m, Empty e, View v, Wide w, Bits b, Either u, Derived r, Array<float, 5> x, float *out) {
    out[0] = m.d + v.data[0] + w.last + b.high + u.f + r.more + x.at[2] + r.count;
}
__global__ void vectors(char3 a, float3 b, float4 c, double2 d, short4 e, uchar2 f, int2 g, float *out, dim3 h) {
    out[0] = a.z + b.z + c.w + d.y + e.w + f.y + g.x + h.z;
}
__global__ void objects(cudaTextureObject_t t, float *out) { out[0] = tex1Dfetch<float>(t, 0); }
__global__ void none() {}
";

/// A replacement for `offsetof`. NVRTC has no such macro, only the built-in on which `offsetof` is based.
const PLACE: &str = "\
typedef Array<float, 5> Array5;
#ifdef __CUDACC_RTC__
#define PLACE(type, member) __INTADDR__(&((type *)0)->member)
#else
#define PLACE(type, member) __builtin_offsetof(type, member)
#endif";

/// Each structure parameter: kernel, parameter, type.
const TYPES: &[(&str, &str, &str)] = &[
    ("scale", "p", "Pair"),
    ("structures", "m", "Mixed"),
    ("structures", "v", "View"),
    ("structures", "w", "Wide"),
    ("structures", "r", "Derived"),
    ("structures", "x", "Array5"),
    ("vectors", "a", "char3"),
    ("vectors", "b", "float3"),
    ("vectors", "c", "float4"),
    ("vectors", "d", "double2"),
    ("vectors", "e", "short4"),
    ("vectors", "f", "uchar2"),
    ("vectors", "g", "int2"),
    ("vectors", "h", "dim3"),
];

fn kernels() -> Vec<KernelInfo> {
    let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL).expect("the default model"));
    let file = KernelFile { name: "k.cu".into(), text: TEXT.into() };
    device.compile(&file, &CompileOptions::default()).expect("the front-end takes the file").kernels
}

/// The source of static assertions, one per scalar of a parameter in [`TYPES`], that check the front-end's offsets.
fn assertions(kernels: &[KernelInfo]) -> Vec<String> {
    let mut all = vec![PLACE.to_owned()];
    for kernel in kernels {
        let places = kernel.arguments.iter().flat_map(|a| &a.places);
        for (parameter, place) in kernel.parameters.iter().zip(places) {
            let Some((name, member)) = parameter.name.split_once('.') else { continue };
            let Some((_, _, ty)) = TYPES.iter().find(|(k, p, _)| (*k, *p) == (&kernel.name, name)) else {
                continue;
            };
            let (start, bytes) = (place.start, place.end - place.start);
            all.push(format!("static_assert(PLACE({ty}, {member}) == {start}, \"{ty}.{member}\");"));
            all.push(format!("static_assert(sizeof((({ty} *)0)->{member}) == {bytes}, \"{ty}.{member}\");"));
        }
    }
    all
}

#[test]
fn every_scalar_has_one_place() {
    for kernel in kernels() {
        let places: usize = kernel.arguments.iter().map(|a| a.places.len()).sum();
        assert_eq!(places, kernel.parameters.len(), "{}", kernel.name);
        for argument in &kernel.arguments {
            assert!(
                argument.places.iter().all(|p| p.start < p.end && p.end <= argument.bytes),
                "{argument:?}"
            );
        }
    }
}

#[test]
fn arguments_are_laid_out_as_the_compiler_does() {
    let Some(compiler) = Compiler::find() else {
        println!("skipped: neither NVRTC (NVRTC_LIBRARY) nor nvcc was found");
        return;
    };
    let kernels = kernels();
    let asserted = assertions(&kernels);
    assert!(asserted.len() > 60, "{}", asserted.len());
    let request = Request {
        name: "k.cu".into(),
        text: format!("{TEXT}{}\n", asserted.join("\n")),
        architecture: "sm_90a".into(),
        names: kernels.iter().map(|k| k.name.clone()).collect(),
        ..Request::default()
    };
    let answer = compiler.compile(&request).expect("the compiler works");
    assert!(answer.accepted, "{}", answer.log);
    for (kernel, lowered) in kernels.iter().zip(&answer.lowered) {
        let known: Vec<u64> = kernel.arguments.iter().map(|a| a.bytes).collect();
        assert_eq!(nvrtc::parameter_sizes(&answer.cubin, lowered), Some(known), "{}", kernel.name);
    }
    assert_eq!(nvrtc::parameter_sizes(&answer.cubin, "another"), None);
}
