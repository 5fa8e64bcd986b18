//! Compiles programs that include standard headers, and use the parts of them that device code may use, with CUDA's
//! own compiler, which needs no GPU.
//!
//! Without a compiler the tests print that they were skipped.

use device::{CompileOptions, Device, DeviceError, KernelFile};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use nvrtc::{Answer, Compiler, Request};

const PROGRAMS: &[(&str, &str)] = &[
    (
        "min_and_max",
        "#include <algorithm>
        #include <limits>
        __global__ void k(int *p, float *f) {
            p[0] = std::min(p[1], std::numeric_limits<int>::max());
            f[0] = std::max(f[1], std::numeric_limits<float>::lowest()) + std::numeric_limits<float>::infinity();
        }",
    ),
    (
        "without_an_include",
        "__global__ void k(int *p) { p[0] = std::min(p[1], 3) + std::max<int>(p[2], 4u); std::swap(p[3], p[4]); }",
    ),
    (
        "every_header",
        "#include <algorithm>
        #include <cassert>
        #include <cfloat>
        #include <climits>
        #include <cmath>
        #include <cstddef>
        #include <cstdint>
        #include <cstdio>
        #include <cstdlib>
        #include <cstring>
        #include <limits>
        #include <tuple>
        #include <type_traits>
        #include <utility>
        #include <assert.h>
        #include <limits.h>
        #include <math.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        template <typename T> struct Wide { using type = std::conditional_t<std::is_integral_v<T>, long long, double>; };
        __global__ void k(int *p, float *f) {
            Wide<int>::type wide = INT_MAX;
            std::uint32_t bits = 0;
            std::memcpy(&bits, f, sizeof bits);
            f[0] = std::sqrt(std::fabs(f[1])) + std::abs(f[2]) + std::fma(f[3], f[4], FLT_MAX);
            p[0] = std::isnan(f[1]) + (int)(wide + 1 + p[1]) + (int)bits + (int)sizeof(std::size_t);
        }",
    ),
    (
        "using_namespace_std",
        "#include <algorithm>
        #include <cmath>
        #include <limits>
        using namespace std;
        __global__ void k(int *p, float *f) {
            p[0] = min(p[1], p[2]) + abs(p[3]) + numeric_limits<short>::max();
            f[0] = max(f[1], 2.0f) + sqrt(f[2]) + fabs(f[3]);
        }",
    ),
    (
        "integer_types_beside_headers_of_cuda",
        "#include <cstdint>
        #include <cuda/atomic>
        #include <cooperative_groups.h>
        __global__ void k(uint64_t *p, int8_t *c) { cooperative_groups::this_thread_block().sync(); p[0] += c[0]; }",
    ),
    (
        "a_function_of_host_and_compiler_alone",
        "constexpr int words(int bytes) { return (bytes + 3) / 4; }
        __global__ void k(int *p) { __shared__ int tile[words(30)]; tile[0] = p[0]; p[1] = tile[0]; }",
    ),
];

fn titles(error: &DeviceError) -> String {
    match error {
        DeviceError::Compile(messages) | DeviceError::Launch { messages, .. } => {
            messages.diagnostics.iter().map(|d| d.title.as_str()).collect::<Vec<_>>().join("; ")
        }
        DeviceError::OutOfMemory { .. } | DeviceError::Use(_) => error.to_string(),
    }
}

fn compiler() -> Option<Compiler> {
    let found = Compiler::find();
    if found.is_none() {
        println!("skipped: neither NVRTC (NVRTC_LIBRARY) nor nvcc was found");
    }
    found
}

fn compiled(compiler: &Compiler, text: &str, relaxed: bool) -> Answer {
    let request = Request {
        name: "k.cu".into(),
        text: text.into(),
        architecture: "sm_90a".into(),
        names: vec!["k".into()],
        relaxed,
        ..Request::default()
    };
    compiler.compile(&request).expect("the compiler works")
}

#[test]
fn what_the_front_end_takes_of_the_standard_library_cudas_compiler_takes() {
    for (name, text) in PROGRAMS {
        let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL).expect("the default model"));
        let file = KernelFile { name: format!("{name}.cu"), text: (*text).into() };
        if let Err(error) = device.compile(&file, &CompileOptions::default()) {
            panic!("{name}: {}", titles(&error));
        }
    }
    let Some(compiler) = compiler() else { return };
    for (name, text) in PROGRAMS {
        let answer = compiled(&compiler, text, true);
        assert!(answer.accepted, "{name}: {}", answer.log);
    }
}

#[test]
fn what_the_front_end_refuses_is_refused_without_relaxation() {
    let Some(compiler) = compiler() else { return };
    let text =
        "constexpr int twice(int a) { return 2 * a; }\n__global__ void k(int *p) { p[0] = twice(p[1]); }";
    // `nvcc` only warns about a call of a `constexpr` host function from device code.
    if matches!(compiler, Compiler::Nvrtc(_)) {
        assert!(!compiled(&compiler, text, false).accepted);
    }
}
