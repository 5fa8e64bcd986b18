//! Checks which variables of a file CUDA's own compiler keeps, and under which names the cubin has them. The compiler
//! needs no GPU.
//!
//! Without a compiler the test prints that it was skipped.

use device::{CompileOptions, Device, KernelFile, ProgramInfo};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use nvrtc::{Answer, Compiler, Request};

const TEXT: &str = "\
#include <cassert>
__constant__ float unused_constants[8];
__device__ int unused = 3;
__device__ int used;
static __device__ int internal = 4;
namespace ns { __device__ int inner = 5; namespace { __device__ int unnamed = 7; } }
template <typename T> __device__ T instance = T(9);
__device__ int counter() { static int calls = 0; return atomicAdd(&calls, 1); }
static __global__ void hidden(int *out) { out[0] = 1; }
template <int N> __global__ void never(int *out) { out[0] = N; }
__global__ void k(int *out) {
    assert(out != nullptr && \"no output\");
    const char *s = \"abcd\";
    int i = threadIdx.x % 4;
    out[i] = s[i] + used + internal + ns::inner + ns::unnamed + instance<int> + counter();
}
__global__ void says(int *out) { printf(\"%d %s\\n\", out[0], \"and a text\"); }
";

fn front_end() -> ProgramInfo {
    let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL).expect("the default model"));
    let file = KernelFile { name: "k.cu".into(), text: TEXT.into() };
    device.compile(&file, &CompileOptions::default()).expect("the front-end takes the file")
}

fn compiled(info: &ProgramInfo) -> Option<Answer> {
    let Some(compiler) = Compiler::find() else {
        println!("skipped: neither NVRTC (NVRTC_LIBRARY) nor nvcc was found");
        return None;
    };
    let kernels = info.kernels.iter().map(|k| k.name.clone());
    let request = Request {
        name: "k.cu".into(),
        text: TEXT.into(),
        architecture: "sm_90a".into(),
        names: kernels.chain(info.symbols.iter().map(|s| format!("&{}", s.name))).collect(),
        ..Request::default()
    };
    Some(compiler.compile(&request).expect("the compiler works"))
}

#[test]
fn the_front_ends_own_variables_are_none_of_the_files() {
    let info = front_end();
    let names: Vec<&str> = info.symbols.iter().map(|s| s.name.as_str()).collect();
    let expected =
        ["unused_constants", "unused", "used", "internal", "ns::inner", "ns::unnamed", "instance", "calls"];
    assert_eq!(names.len(), expected.len(), "{names:?}");
    assert!(expected.iter().all(|name| names.contains(name)), "{names:?}");
}

#[test]
fn names_that_cannot_be_asked_for_do_not_refuse_the_file() {
    let info = front_end();
    let Some(answer) = compiled(&info) else { return };
    assert!(answer.accepted, "{}", answer.log);
    let symbols = nvrtc::symbols(&answer.cubin);
    let asked = info.kernels.iter().map(|k| &k.name).chain(info.symbols.iter().map(|s| &s.name));
    assert_eq!(answer.lowered.len(), asked.clone().count());
    for (name, lowered) in asked.zip(&answer.lowered) {
        let found = nvrtc::symbol_of(&symbols, name);
        if !lowered.is_empty() && symbols.contains(lowered) {
            assert_eq!(found.as_ref(), Some(lowered), "`{name}` among {symbols:?}");
        }
        let is_there = !["unused_constants", "unused", "instance"].contains(&name.as_str());
        assert!(found.is_some() || !is_there, "`{name}` among {symbols:?}");
    }
    assert!(symbols.iter().any(|s| s == "vprintf"), "{symbols:?}");
    let changeable = nvrtc::variables(&answer.cubin);
    for name in ["used", "_ZN2ns5innerE", "_ZZ7countervE5calls"] {
        assert!(changeable.iter().any(|s| s == name), "{changeable:?}");
    }
    assert!(!changeable.iter().any(|s| s.contains("constants") || s.contains("$str")), "{changeable:?}");
}
