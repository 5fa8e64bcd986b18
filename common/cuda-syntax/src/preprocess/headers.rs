//! Which headers are known without a text: those of CUDA and of the C and C++ standard libraries, whose declarations
//! later stages know, and those of libraries of the host, which are skipped. A header of neither kind is looked for on
//! the disk and refused where it is not found.

use source::{Span, words};

/// Headers of CUDA, then those of the C and those of the C++ standard library, without `.h` (both spellings count).
const KNOWN: &[&str] = words!(
    "cuda_runtime cuda_runtime_api cuda_device_runtime_api cuComplex device_launch_parameters
     device_double_functions library_types sm_60_atomic_functions sm_20_atomic_functions cuda_fp4 cuda_fp6
     cuda/cmath cuda/ptx cuda/std/bit cuda/std/chrono cuda/std/climits cuda/std/cfloat cuda/std/ctime
     cuda/std/functional cuda/std/optional cuda/std/span cuda/std/variant cuda/std/barrier cuda/std/iterator
     cuda/std/mdspan cuda/std/initializer_list cuda/std/algorithm cuda/std/numeric cuda/std/cstring
     cuda/std/cstdlib cuda/std/concepts cuda/std/semaphore cuda/std/latch device_functions
     device_atomic_functions device_types driver_types vector_types vector_functions math_constants
     math_functions texture_types texture_fetch_functions texture_indirect_functions surface_types
     surface_functions surface_indirect_functions channel_descriptor builtin_types host_defines
     crt/host_defines sm_30_intrinsics cooperative_groups cooperative_groups/reduce cooperative_groups/scan
     cooperative_groups/memcpy_async cuda_fp16 cuda_fp16.hpp cuda_bf16 cuda_fp8 mma cuda_pipeline
     cuda_pipeline_primitives cuda_awbarrier cuda_profiler_api cuda_occupancy cuda_texture_types
     cuda_surface_types curand_kernel cuda/pipeline cuda/barrier cuda/atomic cuda/semaphore cuda/latch
     common_functions driver_functions host_config crt/common_functions crt/cudacc_ext crt/device_double_functions
     crt/device_functions crt/device_fp128_functions crt/func_macro crt/host_config crt/host_runtime crt/math_functions crt/mma
     crt/storage_class crt/sm_70_rt crt/sm_80_rt crt/sm_90_rt crt/sm_100_rt sm_20_intrinsics sm_32_intrinsics
     sm_35_intrinsics sm_61_intrinsics sm_32_atomic_functions sm_35_atomic_functions sm_20_atomic_functions.hpp
     sm_32_atomic_functions.hpp sm_60_atomic_functions.hpp sm_20_intrinsics.hpp sm_30_intrinsics.hpp sm_32_intrinsics.hpp
     sm_61_intrinsics.hpp device_atomic_functions.hpp vector_functions.hpp fatbinary_section cuda_awbarrier_helpers
     cuda_awbarrier_primitives cuda_pipeline_helpers cuda_bf16.hpp cuda_fp4.hpp cuda_fp6.hpp cuda_fp8.hpp
     cuda/annotated_ptr cuda/functional cuda/std/atomic cuda/std/array cuda/std/cstdint cuda/std/cstddef
     cuda/std/limits cuda/std/type_traits cuda/std/utility cuda/std/tuple cuda/std/cmath cuda/std/complex
     cuda/std/cassert cuda/bit cuda/discard_memory cuda/mdspan cuda/memory_resource cuda/numeric cuda/stream_ref cuda/type_traits
     cuda/version cuda/warp cuda/work_stealing cuda/std/bitset cuda/std/ccomplex cuda/std/expected cuda/std/inplace_vector
     cuda/std/linalg cuda/std/memory cuda/std/numbers cuda/std/ranges cuda/std/ratio cuda/std/source_location cuda/std/version

     assert ctype errno fenv float inttypes iso646 limits locale math memory setjmp signal stdarg stdbool
     stddef stdint stdio stdlib string tgmath time wchar

     algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
     clocale cmath complex condition_variable csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime
     deque exception execution filesystem forward_list fstream functional future initializer_list iomanip
     ios iosfwd iostream istream iterator list map mutex new numeric optional ostream queue random ratio
     regex set span shared_mutex sstream stack stdexcept streambuf system_error thread tuple type_traits
     typeindex typeinfo unordered_map unordered_set utility valarray variant vector version bit codecvt
     compare concepts coroutine csetjmp cuchar cwchar cwctype latch barrier memory_resource numbers ranges
     scoped_allocator semaphore source_location stop_token string_view strstream bits/stdc++"
);

/// A library whose headers are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// What messages call it.
    pub name: &'static str,
    /// Namespaces in which it has things for device code.
    pub namespaces: &'static [&'static str],
}

const fn host(name: &'static str) -> Library {
    Library { name, namespaces: &[] }
}

/// A library of which nothing is known.
pub(crate) const UNKNOWN: Library = Library { name: "a library", namespaces: &["unknown"] };
const THRUST: Library = Library { name: "Thrust", namespaces: &["thrust"] };
const CUB: Library = Library { name: "CUB", namespaces: &["cub"] };
const CUTE: Library = Library { name: "CuTe", namespaces: &["cute"] };
const CUTLASS: Library = Library { name: "CUTLASS", namespaces: &["cutlass", "cute"] };
const TORCH: Library = Library { name: "PyTorch", namespaces: &["at", "c10", "torch"] };
const POSIX: Library = host("POSIX");
const OPENGL: Library = host("OpenGL");
const DRIVER: Library = host("the CUDA driver's interface");

/// Folders of libraries: the first part of a header's name.
const FOLDERS: &[(Library, &[&str])] = &[
    (THRUST, words!("thrust")),
    (CUB, words!("cub")),
    (CUTE, words!("cute")),
    (CUTLASS, words!("cutlass")),
    (TORCH, words!("torch ATen c10 caffe2")),
    (host("NVBench"), words!("nvbench")),
    (host("NVTX"), words!("nvtx3")),
    (host("NCCL"), words!("nccl")),
    (POSIX, words!("sys arpa net netinet")),
    (host("Linux"), words!("linux asm")),
    (host("GNU's C++ library"), words!("bits ext experimental tr1 parallel debug")),
    (host("macOS"), words!("mach")),
    (host("EGL"), words!("EGL")),
    (OPENGL, words!("GL GLES2 GLES3 GLUT GLFW OpenGL")),
    (host("X11"), words!("X11")),
    (host("Vulkan"), words!("vulkan")),
    (host("Boost"), words!("boost")),
    (host("OpenCV"), words!("opencv opencv2 opencv4")),
    (host("Eigen"), words!("Eigen")),
    (host("pybind11"), words!("pybind11")),
    (host("GoogleTest"), words!("gtest gmock")),
    (host("Google Benchmark"), words!("benchmark")),
    (host("gflags"), words!("gflags")),
    (host("glog"), words!("glog")),
    (host("{fmt}"), words!("fmt")),
    (host("spdlog"), words!("spdlog")),
    (host("oneTBB"), words!("tbb")),
    (host("HDF5"), words!("hdf5")),
    (host("OpenSSL"), words!("openssl")),
];

/// Single headers of libraries, without `.h`.
const SINGLE: &[(Library, &[&str])] = &[
    (DRIVER, words!(
            "cuda cudaGL cudaEGL cuda_gl_interop cuda_egl_interop cudaProfiler cudaTypedefs cudaGLTypedefs cudaEGLTypedefs
             cudaProfilerTypedefs cudaVDPAU cudaVDPAUTypedefs cuda_vdpau_interop cudart_platform"
        )),
    (host("CUPTI"), words!("cupti")),
    (host("cuBLAS"), words!("cublas cublas_v2 cublas_api cublasXt nvblas cudalibxt")),
    (host("cuBLASLt"), words!("cublasLt")),
    (host("cuSPARSE"), words!("cusparse cusparse_v2")),
    (host("cuSPARSELt"), words!("cusparseLt")),
    (host("cuSOLVER"), words!("cusolver_common cusolverDn cusolverSp cusolverRf cusolverMg")),
    (host("cuFFT"), words!("cufft cufftXt cufftw cufft_device")),
    (
        host("cuRAND"),
        words!(
            "curand curand_discrete curand_discrete2 curand_globals curand_lognormal curand_mrg32k3a curand_mtgp32
             curand_mtgp32_host curand_mtgp32_kernel curand_mtgp32dc_p_11213 curand_normal curand_normal_static
             curand_philox4x32_x curand_poisson curand_precalc curand_uniform"
        ),
    ),
    (host("NVVM"), words!("nvvm")),
    (host("cuDNN"), words!("cudnn cudnn_frontend")),
    (host("cuTENSOR"), words!("cutensor")),
    (host("NCCL"), words!("nccl")),
    (host("NVML"), words!("nvml")),
    (host("NPP"), words!("npp nppi nppcore")),
    (host("nvJPEG"), words!("nvjpeg")),
    (host("NVRTC"), words!("nvrtc")),
    (host("NVTX"), words!("nvToolsExt nvToolsExtCuda")),
    (host("NVSHMEM"), words!("nvshmem nvshmemx")),
    (host("MPI"), words!("mpi mpi-ext")),
    (host("OpenMP"), words!("omp")),
    (host("BLAS"), words!("cblas")),
    (host("MKL"), words!("mkl")),
    (host("LAPACK"), words!("lapacke")),
    (host("FFTW"), words!("fftw3")),
    (host("HDF5"), words!("hdf5")),
    (host("libpng"), words!("png")),
    (host("libjpeg"), words!("jpeglib")),
    (host("zlib"), words!("zlib")),
    (OPENGL, words!("freeglut glew")),
    (
        POSIX,
        words!(
            "alloca aio byteswap dirent dlfcn elf endian err error execinfo fcntl fnmatch ftw getopt glob
             grp ieeefp langinfo libgen malloc mqueue netdb poll pthread pwd sched search semaphore spawn
             stdio_ext strings syscall syslog termios ucontext unistd utime values"
        ),
    ),
    (host("the compiler"), words!("cpuid cxxabi.h immintrin emmintrin xmmintrin x86intrin")),
    (host("libnuma"), words!("numa")),
    (host("Windows"), words!("intrin windows Windows winsock2 conio direct io process tchar")),
    (host("Direct3D"), words!("d3d11 d3dx9")),
];

/// A header that was skipped because it is a library's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedHeader {
    /// As it was written, without quotes.
    pub header: String,
    /// The library.
    pub origin: Library,
    /// The `#include`.
    pub span: Span,
}

/// The library that a header belongs to, if it is one that is skipped.
pub(crate) fn library(name: &str) -> Option<Library> {
    if is_known(name) {
        return None;
    }
    let stem = name.strip_suffix(".h").unwrap_or(name);
    if let Some((folder, _)) = name.split_once('/') {
        return FOLDERS.iter().find(|(_, own)| own.contains(&folder)).map(|(library, _)| *library);
    }
    SINGLE.iter().find(|(_, own)| own.contains(&stem) || own.contains(&name)).map(|(library, _)| *library)
}

/// Texts that stand for a library's header: headers of CUDA that it includes, so that files use what they declare without
/// naming them, and the part of the library itself that is known.
pub(crate) fn brings(library: Library, header: &str) -> &'static [&'static str] {
    match library.name {
        "cuBLAS" | "cuBLASLt" | "cuSOLVER" | "cuSPARSE" | "PyTorch" | "CUTLASS" | "CuTe" => {
            &["cuda_fp16.h", "cuda_bf16.h", "cuComplex.h"]
        }
        "cuFFT" => &["cuComplex.h"],
        "CUB" => &["cub.h"],
        "Thrust" if header == "thrust/complex.h" => &["thrust.h", "thrust_complex.h"],
        "Thrust" => &["thrust.h"],
        _ => &[],
    }
}

/// Whether a header is one of AMD's HIP.
pub(crate) fn is_hip(name: &str) -> bool {
    ["hip/", "hipblas/", "hipcub/", "rocblas/", "rocprim/", "rocrand/", "hiprand/"]
        .iter()
        .any(|p| name.starts_with(p))
}

/// Names of the known headers, for suggestions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().chain(SINGLE.iter().flat_map(|(_, headers)| *headers)).copied()
}

/// Whether CUDA or the standard library has the header, and its declarations need no text here.
pub(crate) fn is_known(name: &str) -> bool {
    let stem = name.strip_suffix(".h").unwrap_or(name);
    KNOWN.contains(&stem) || KNOWN.contains(&name)
}

/// Headers that are written in CUDA C++ themselves: name and text.
const TEXTS: &[(&str, &str)] = &[
    ("cuda_fp16.h", include_str!("../../headers/cuda_fp16.h")),
    ("cuComplex.h", include_str!("../../headers/cuComplex.h")),
    ("curand_kernel.h", include_str!("../../headers/curand_kernel.h")),
    ("cuda_bf16.h", include_str!("../../headers/cuda_bf16.h")),
    ("cooperative_groups.h", include_str!("../../headers/cooperative_groups.h")),
    ("cooperative_groups/reduce.h", include_str!("../../headers/cooperative_groups_reduce.h")),
    ("cooperative_groups/scan.h", include_str!("../../headers/cooperative_groups_scan.h")),
    ("cooperative_groups/memcpy_async.h", include_str!("../../headers/cooperative_groups_memcpy_async.h")),
    ("mma.h", include_str!("../../headers/mma.h")),
    ("cuda_pipeline.h", include_str!("../../headers/cuda_pipeline.h")),
    ("thrust_complex.h", include_str!("../../headers/thrust_complex.h")),
    ("thrust.h", include_str!("../../headers/thrust.h")),
    ("compare", include_str!("../../headers/compare.h")),
    ("concepts", include_str!("../../headers/concepts.h")),
    ("cuda/std", include_str!("../../headers/cuda_std.h")),
    ("cuda/cmath", include_str!("../../headers/cuda_cmath.h")),
    ("cuda/functional", include_str!("../../headers/cuda_functional.h")),
    ("cub.h", include_str!("../../headers/cub.h")),
    ("cuda/shuffle.h", include_str!("../../headers/cuda_shuffle.h")),
    ("cuda/scope.h", include_str!("../../headers/cuda_scope.h")),
    ("cuda/atomic", include_str!("../../headers/cuda_atomic.h")),
    ("cuda/barrier", include_str!("../../headers/cuda_barrier.h")),
    ("cuda/pipeline", include_str!("../../headers/cuda_pipeline_class.h")),
];

/// The name and text of a header that is part of this front-end.
pub(crate) fn text(name: &str) -> Option<(&'static str, &'static str)> {
    let name = match name {
        "cuComplex" => "cuComplex.h",
        "cuda_fp16.hpp" => "cuda_fp16.h",
        "cuda_pipeline_primitives.h" => "cuda_pipeline.h",
        "cuda/std/atomic" => "cuda/atomic",
        "cuda/std/bit" | "cuda/std/complex" | "cuda/std/mdspan" | "cuda/std/optional" | "cuda/std/span" => {
            "cuda/std"
        }
        "cuda/std/barrier" => "cuda/barrier",
        name => name,
    };
    TEXTS.iter().copied().find(|(own, _)| *own == name)
}
