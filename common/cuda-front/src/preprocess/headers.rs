//! Which headers are known without a text: those of CUDA and of the C and C++ standard libraries, whose declarations
//! later stages know, and those of libraries of the host, which are skipped. A header of neither kind is looked for on
//! the disk and refused where it is not found.

use source::Span;

/// Headers of CUDA and of the C and C++ standard libraries, without `.h` (both spellings count).
const KNOWN: &[&str] = &[
    // CUDA
    "cuda_runtime",
    "cuda_runtime_api",
    "cuda_device_runtime_api",
    "cuComplex",
    "device_launch_parameters",
    "device_double_functions",
    "library_types",
    "sm_60_atomic_functions",
    "sm_20_atomic_functions",
    "cuda_fp4",
    "cuda_fp6",
    "cuda/cmath",
    "cuda/ptx",
    "cuda/std/bit",
    "cuda/std/chrono",
    "cuda/std/climits",
    "cuda/std/cfloat",
    "cuda/std/ctime",
    "cuda/std/functional",
    "cuda/std/optional",
    "cuda/std/span",
    "cuda/std/variant",
    "cuda/std/barrier",
    "cuda/std/iterator",
    "cuda/std/mdspan",
    "cuda/std/initializer_list",
    "cuda/std/algorithm",
    "cuda/std/numeric",
    "cuda/std/cstring",
    "cuda/std/cstdlib",
    "cuda/std/concepts",
    "cuda/std/semaphore",
    "cuda/std/latch",
    "device_functions",
    "device_atomic_functions",
    "device_types",
    "driver_types",
    "vector_types",
    "vector_functions",
    "math_constants",
    "math_functions",
    "texture_types",
    "texture_fetch_functions",
    "texture_indirect_functions",
    "surface_types",
    "surface_functions",
    "surface_indirect_functions",
    "channel_descriptor",
    "builtin_types",
    "host_defines",
    "crt/host_defines",
    "sm_30_intrinsics",
    "cooperative_groups",
    "cooperative_groups/reduce",
    "cooperative_groups/scan",
    "cooperative_groups/memcpy_async",
    "cuda_fp16",
    "cuda_fp16.hpp",
    "cuda_bf16",
    "cuda_fp8",
    "mma",
    "cuda_pipeline",
    "cuda_pipeline_primitives",
    "cuda_awbarrier",
    "cuda_profiler_api",
    "cuda_occupancy",
    "cuda_texture_types",
    "cuda_surface_types",
    "curand_kernel",
    "cuda/pipeline",
    "cuda/barrier",
    "cuda/atomic",
    "cuda/semaphore",
    "cuda/latch",
    "cuda/annotated_ptr",
    "cuda/functional",
    "cuda/std/atomic",
    "cuda/std/array",
    "cuda/std/cstdint",
    "cuda/std/cstddef",
    "cuda/std/limits",
    "cuda/std/type_traits",
    "cuda/std/utility",
    "cuda/std/tuple",
    "cuda/std/cmath",
    "cuda/std/complex",
    "cuda/std/cassert",
    // C
    "assert",
    "ctype",
    "errno",
    "fenv",
    "float",
    "inttypes",
    "iso646",
    "limits",
    "locale",
    "math",
    "memory",
    "setjmp",
    "signal",
    "stdarg",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "string",
    "tgmath",
    "time",
    "wchar",
    // C++
    "algorithm",
    "any",
    "array",
    "atomic",
    "bitset",
    "cassert",
    "cctype",
    "cerrno",
    "cfenv",
    "cfloat",
    "charconv",
    "chrono",
    "cinttypes",
    "climits",
    "clocale",
    "cmath",
    "complex",
    "condition_variable",
    "csignal",
    "cstdarg",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "deque",
    "exception",
    "execution",
    "filesystem",
    "forward_list",
    "fstream",
    "functional",
    "future",
    "initializer_list",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "istream",
    "iterator",
    "list",
    "map",
    "mutex",
    "new",
    "numeric",
    "optional",
    "ostream",
    "queue",
    "random",
    "ratio",
    "regex",
    "set",
    "span",
    "shared_mutex",
    "sstream",
    "stack",
    "stdexcept",
    "streambuf",
    "system_error",
    "thread",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
    "version",
    "bit",
    "codecvt",
    "compare",
    "concepts",
    "coroutine",
    "csetjmp",
    "cuchar",
    "cwchar",
    "cwctype",
    "latch",
    "barrier",
    "memory_resource",
    "numbers",
    "ranges",
    "scoped_allocator",
    "semaphore",
    "source_location",
    "stop_token",
    "string_view",
    "strstream",
];

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

const THRUST: Library = Library { name: "Thrust", namespaces: &["thrust"] };
const CUB: Library = Library { name: "CUB", namespaces: &["cub"] };
const CUTE: Library = Library { name: "CuTe", namespaces: &["cute"] };
const CUTLASS: Library = Library { name: "CUTLASS", namespaces: &["cutlass", "cute"] };
const TORCH: Library = Library { name: "PyTorch", namespaces: &["at", "c10", "torch"] };
const POSIX: Library = host("POSIX");
const OPENGL: Library = host("OpenGL");
const DRIVER: Library = host("the CUDA driver's interface");

/// Folders of libraries: the first part of a header's name.
const FOLDERS: &[(&str, Library)] = &[
    ("thrust", THRUST),
    ("cub", CUB),
    ("cute", CUTE),
    ("cutlass", CUTLASS),
    ("torch", TORCH),
    ("ATen", TORCH),
    ("c10", TORCH),
    ("caffe2", TORCH),
    ("nvbench", host("NVBench")),
    ("nvtx3", host("NVTX")),
    ("nccl", host("NCCL")),
    ("sys", POSIX),
    ("arpa", POSIX),
    ("net", POSIX),
    ("netinet", POSIX),
    ("linux", host("Linux")),
    ("asm", host("Linux")),
    ("mach", host("macOS")),
    ("EGL", host("EGL")),
    ("GL", OPENGL),
    ("GLES2", OPENGL),
    ("GLES3", OPENGL),
    ("GLUT", OPENGL),
    ("GLFW", OPENGL),
    ("OpenGL", OPENGL),
    ("X11", host("X11")),
    ("vulkan", host("Vulkan")),
    ("boost", host("Boost")),
    ("opencv", host("OpenCV")),
    ("opencv2", host("OpenCV")),
    ("opencv4", host("OpenCV")),
    ("Eigen", host("Eigen")),
    ("pybind11", host("pybind11")),
    ("gtest", host("GoogleTest")),
    ("gmock", host("GoogleTest")),
    ("benchmark", host("Google Benchmark")),
    ("gflags", host("gflags")),
    ("glog", host("glog")),
    ("fmt", host("{fmt}")),
    ("spdlog", host("spdlog")),
    ("tbb", host("oneTBB")),
    ("hdf5", host("HDF5")),
    ("openssl", host("OpenSSL")),
];

/// Single headers of libraries, without `.h`.
const SINGLE: &[(&str, Library)] = &[
    ("cuda", DRIVER),
    ("cudaGL", DRIVER),
    ("cudaEGL", DRIVER),
    ("cuda_gl_interop", DRIVER),
    ("cuda_egl_interop", DRIVER),
    ("cudaProfiler", DRIVER),
    ("cupti", host("CUPTI")),
    ("cublas", host("cuBLAS")),
    ("cublas_v2", host("cuBLAS")),
    ("cublas_api", host("cuBLAS")),
    ("cublasXt", host("cuBLAS")),
    ("cublasLt", host("cuBLASLt")),
    ("cusparse", host("cuSPARSE")),
    ("cusparse_v2", host("cuSPARSE")),
    ("cusparseLt", host("cuSPARSELt")),
    ("cusolver_common", host("cuSOLVER")),
    ("cusolverDn", host("cuSOLVER")),
    ("cusolverSp", host("cuSOLVER")),
    ("cusolverRf", host("cuSOLVER")),
    ("cusolverMg", host("cuSOLVER")),
    ("cufft", host("cuFFT")),
    ("cufftXt", host("cuFFT")),
    ("cufftw", host("cuFFT")),
    ("curand", host("cuRAND")),
    ("cudnn", host("cuDNN")),
    ("cudnn_frontend", host("cuDNN")),
    ("cutensor", host("cuTENSOR")),
    ("nccl", host("NCCL")),
    ("nvml", host("NVML")),
    ("npp", host("NPP")),
    ("nppi", host("NPP")),
    ("nppcore", host("NPP")),
    ("nvjpeg", host("nvJPEG")),
    ("nvrtc", host("NVRTC")),
    ("nvToolsExt", host("NVTX")),
    ("nvToolsExtCuda", host("NVTX")),
    ("nvshmem", host("NVSHMEM")),
    ("nvshmemx", host("NVSHMEM")),
    ("mpi", host("MPI")),
    ("mpi-ext", host("MPI")),
    ("omp", host("OpenMP")),
    ("cblas", host("BLAS")),
    ("mkl", host("MKL")),
    ("lapacke", host("LAPACK")),
    ("fftw3", host("FFTW")),
    ("hdf5", host("HDF5")),
    ("png", host("libpng")),
    ("jpeglib", host("libjpeg")),
    ("zlib", host("zlib")),
    ("freeglut", OPENGL),
    ("glew", OPENGL),
    ("alloca", POSIX),
    ("aio", POSIX),
    ("byteswap", POSIX),
    ("cpuid", host("the compiler")),
    ("dirent", POSIX),
    ("dlfcn", POSIX),
    ("elf", POSIX),
    ("endian", POSIX),
    ("err", POSIX),
    ("error", POSIX),
    ("execinfo", POSIX),
    ("fcntl", POSIX),
    ("fnmatch", POSIX),
    ("ftw", POSIX),
    ("getopt", POSIX),
    ("glob", POSIX),
    ("grp", POSIX),
    ("ieeefp", POSIX),
    ("langinfo", POSIX),
    ("libgen", POSIX),
    ("malloc", POSIX),
    ("mqueue", POSIX),
    ("netdb", POSIX),
    ("numa", host("libnuma")),
    ("poll", POSIX),
    ("pthread", POSIX),
    ("pwd", POSIX),
    ("sched", POSIX),
    ("search", POSIX),
    ("semaphore", POSIX),
    ("spawn", POSIX),
    ("stdio_ext", POSIX),
    ("strings", POSIX),
    ("syscall", POSIX),
    ("syslog", POSIX),
    ("termios", POSIX),
    ("ucontext", POSIX),
    ("unistd", POSIX),
    ("utime", POSIX),
    ("values", POSIX),
    ("cxxabi.h", host("the compiler")),
    ("immintrin", host("the compiler")),
    ("emmintrin", host("the compiler")),
    ("xmmintrin", host("the compiler")),
    ("x86intrin", host("the compiler")),
    ("intrin", host("Windows")),
    ("windows", host("Windows")),
    ("Windows", host("Windows")),
    ("winsock2", host("Windows")),
    ("conio", host("Windows")),
    ("direct", host("Windows")),
    ("io", host("Windows")),
    ("process", host("Windows")),
    ("tchar", host("Windows")),
    ("d3d11", host("Direct3D")),
    ("d3dx9", host("Direct3D")),
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
    let stem = name.strip_suffix(".h").unwrap_or(name);
    if let Some((folder, _)) = name.split_once('/') {
        return FOLDERS.iter().find(|(own, _)| *own == folder).map(|(_, library)| *library);
    }
    SINGLE.iter().find(|(own, _)| *own == stem || *own == name).map(|(_, library)| *library)
}

/// Headers of CUDA that a library's header includes, so that files use what they declare without naming them.
pub(crate) fn brings(library: Library) -> &'static [&'static str] {
    match library.name {
        "cuBLAS" | "cuBLASLt" | "cuSOLVER" | "cuSPARSE" | "PyTorch" | "CUTLASS" | "CuTe" => {
            &["cuda_fp16.h", "cuda_bf16.h", "cuComplex.h"]
        }
        "cuFFT" => &["cuComplex.h"],
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
    KNOWN.iter().copied().chain(SINGLE.iter().map(|(name, _)| *name))
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
    ("cuda_bf16.h", include_str!("../../headers/cuda_bf16.h")),
    ("cooperative_groups.h", include_str!("../../headers/cooperative_groups.h")),
    ("cooperative_groups/reduce.h", include_str!("../../headers/cooperative_groups_reduce.h")),
    ("cooperative_groups/scan.h", include_str!("../../headers/cooperative_groups_scan.h")),
    ("cooperative_groups/memcpy_async.h", include_str!("../../headers/cooperative_groups_memcpy_async.h")),
    ("mma.h", include_str!("../../headers/mma.h")),
    ("cuda_pipeline.h", include_str!("../../headers/cuda_pipeline.h")),
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
        "cuda/std/barrier" => "cuda/barrier",
        name => name,
    };
    TEXTS.iter().copied().find(|(own, _)| *own == name)
}
